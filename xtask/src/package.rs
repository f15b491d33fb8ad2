//! Builds packages for people without Rust: npm, Python, Debian, and an archive for everybody else.
//!
//! Each package is made from one existing binary, with the metadata of the workspace's manifest.
//! The same binary gives the same bytes: no clock, no user, no folder order. The platform is the
//! binary's target, which the binary reports.

mod archives;
mod content;
mod deb;
mod elf;
mod licences;
mod npm;
mod platform;
mod tarball;
mod wheel;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use portolan_vfs::sha256;

use crate::package::content::PackageContent;
pub(crate) use crate::package::npm::LAUNCHER;
use crate::{ChoreResult, programs};

/// The arguments of `cargo xtask package`.
#[derive(Debug, Args)]
pub(crate) struct PackageArgs {
    /// The packages to make
    #[arg(value_enum, required = true)]
    forms: Vec<PackageKind>,

    /// The binary to package; it must run here [default: a release build]
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,

    /// The output folder [default: target/package]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// The compression level, from 0 (none) to 10 (best)
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(0..=10))]
    level: u8,
}

/// A kind of package.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PackageKind {
    /// A package with a launcher, and one with the binary of this platform
    Npm,
    /// A Python wheel that carries the binary
    Wheel,
    /// An archive with the binary, completions and manual pages (a zip for Windows)
    Tar,
    /// A Debian package
    Deb,
}

/// A finished package: its file name and its bytes.
struct BuiltPackage {
    name: String,
    bytes: Vec<u8>,
}

/// Makes the packages, and writes the checksums of all files in the folder.
pub(crate) fn run(args: &PackageArgs) -> ChoreResult<()> {
    let folder =
        args.out.clone().unwrap_or_else(|| programs::repository().join("target").join("package"));
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => programs::portolan("release")?,
    };
    let content = PackageContent::of(&binary)?;
    fs::create_dir_all(&folder)?;
    for form in &args.forms {
        let packages = match form {
            PackageKind::Npm => npm::packages(&content, args.level)?,
            PackageKind::Wheel => vec![wheel::package(&content, args.level)?],
            PackageKind::Tar => vec![tarball::package(&content, args.level)?],
            PackageKind::Deb => vec![deb::package(&content, args.level)?],
        };
        for BuiltPackage { name, bytes } in packages {
            fs::write(folder.join(&name), &bytes)?;
            eprintln!("wrote {} ({} bytes)", folder.join(&name).display(), bytes.len());
        }
    }
    write_checksums(&folder)
}

const CHECKSUMS: &str = "SHA256SUMS";

/// One line per file, as `sha256sum --check` expects it.
fn write_checksums(folder: &Path) -> ChoreResult<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && name != CHECKSUMS {
            names.push(name);
        }
    }
    names.sort_unstable();
    let mut lines = String::new();
    for name in names {
        let digest = sha256(&fs::read(folder.join(&name))?);
        let _ = writeln!(lines, "{}  {name}", digest.to_hex());
    }
    fs::write(folder.join(CHECKSUMS), lines)?;
    Ok(())
}
