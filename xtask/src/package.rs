//! Packages for those who have no Rust: npm, Python, Debian, and an archive for everybody else.
//!
//! Each is made from one binary that is there already, and says of itself what the workspace's manifest
//! says. The same binary gives the same bytes: no clock, no user, no order of a folder. The platform is
//! the one that the binary was built for, which it tells itself.

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

use crate::package::content::Content;
pub(crate) use crate::package::npm::LAUNCHER;
use crate::{Outcome, programs};

/// The arguments of `cargo xtask package`.
#[derive(Debug, Args)]
pub(crate) struct PackageArgs {
    /// What to make
    #[arg(value_enum, required = true)]
    forms: Vec<Form>,

    /// The binary to pack; it must run here [default: a release build]
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,

    /// Where to [default: target/package]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// How hard to compress: 0 not at all, 10 as well as it goes
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(0..=10))]
    level: u8,
}

/// A kind of package.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// A package with a launcher, and one with the binary of this platform
    Npm,
    /// A Python wheel that carries the binary
    Wheel,
    /// An archive with the binary, completions and manual pages (a zip for Windows)
    Tar,
    /// A Debian package
    Deb,
}

/// A package that is made: its file name and its bytes.
struct Package {
    name: String,
    bytes: Vec<u8>,
}

/// Makes the packages, and writes down the checksums of all that lie in the folder.
pub(crate) fn run(args: &PackageArgs) -> Outcome<()> {
    let folder =
        args.out.clone().unwrap_or_else(|| programs::repository().join("target").join("package"));
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => programs::portolan("release")?,
    };
    let content = Content::of(&binary)?;
    fs::create_dir_all(&folder)?;
    for form in &args.forms {
        let packages = match form {
            Form::Npm => npm::packages(&content, args.level)?,
            Form::Wheel => vec![wheel::package(&content, args.level)?],
            Form::Tar => vec![tarball::package(&content, args.level)?],
            Form::Deb => vec![deb::package(&content, args.level)?],
        };
        for Package { name, bytes } in packages {
            fs::write(folder.join(&name), &bytes)?;
            eprintln!("wrote {} ({} bytes)", folder.join(&name).display(), bytes.len());
        }
    }
    write_checksums(&folder)
}

const CHECKSUMS: &str = "SHA256SUMS";

/// One line a file, as `sha256sum --check` reads it.
fn write_checksums(folder: &Path) -> Outcome<()> {
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
