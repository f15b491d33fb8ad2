//! The content of packages: the binary, the files that it generates, and the metadata of the
//! manifest.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

use crate::package::archives::ArchiveMember;
use crate::package::licences;
use crate::package::platform::Platform;
use crate::{ChoreResult, programs};

/// The content that all packages share.
pub(super) struct PackageContent {
    pub(super) about: PackageMetadata,
    pub(super) platform: Platform,
    pub(super) binary: Vec<u8>,
    /// The git hook that keeps a chart fresh.
    pub(super) hook: Vec<u8>,
    /// Shell completions.
    pub(super) completions: Vec<Completion>,
    /// Manual pages by file name.
    pub(super) pages: Vec<(String, Vec<u8>)>,
    pub(super) readme: Vec<u8>,
    pub(super) changes: Vec<u8>,
    /// Our licences, and those of linked crates.
    pub(super) licences: Vec<(String, Vec<u8>)>,
}

/// The metadata of packages, all from `Cargo.toml` at the root.
pub(super) struct PackageMetadata {
    pub(super) version: String,
    pub(super) description: String,
    pub(super) licence: String,
    pub(super) repository: Option<String>,
    /// The name of the npm package, and the scope of the packages with a binary.
    pub(super) npm: String,
    pub(super) scope: String,
    pub(super) pypi: String,
    pub(super) deb: String,
    pub(super) maintainer: String,
}

/// A completion script.
pub(super) struct Completion {
    pub(super) shell: &'static str,
    /// The file name that the shell expects.
    pub(super) file: &'static str,
    pub(super) text: Vec<u8>,
}

const SHELLS: [(&str, &str); 4] = [
    ("bash", "portolan.bash"),
    ("zsh", "_portolan"),
    ("fish", "portolan.fish"),
    ("powershell", "_portolan.ps1"),
];

impl PackageContent {
    /// Reads the version from the binary, and the metadata from the workspace.
    pub(super) fn of(binary: &Path) -> ChoreResult<Self> {
        let binary = fs::canonicalize(binary)
            .map_err(|error| format!("cannot find `{}`: {error}", binary.display()))?;
        let output = String::from_utf8(printed(&binary, &["--version"])?)?;
        let (version, target) = version_and_target(&output)
            .ok_or_else(|| format!("`{}` is not a Portolan binary: {output}", binary.display()))?;
        let platform = Platform::of(target)?;
        let metadata = metadata(target)?;
        let about = PackageMetadata::of(&metadata)?;
        if about.version != version {
            let why = format!("the binary has version {version}, Cargo.toml {}", about.version);
            return Err(why.into());
        }
        let at_root = |name: &str| fs::read(programs::repository().join(name));
        let mut licences = Vec::new();
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            licences.push((name.to_owned(), at_root(name)?));
        }
        licences
            .push((licences::THIRD_PARTY.to_owned(), licences::linked_in(&metadata)?.into_bytes()));
        let completions = SHELLS.into_iter().map(|(shell, file)| {
            Ok(Completion { shell, file, text: printed(&binary, &["completions", shell])? })
        });
        Ok(Self {
            platform,
            about,
            completions: completions.collect::<ChoreResult<_>>()?,
            pages: pages(&binary)?,
            readme: at_root("README.md")?,
            changes: at_root("CHANGELOG.md")?,
            hook: at_root("hooks/pre-commit")?,
            licences,
            binary: fs::read(binary)?,
        })
    }

    /// The licences as members below a folder.
    pub(super) fn licences_below(&self, folder: &str) -> Vec<ArchiveMember> {
        let member = |(name, text): &(String, Vec<u8>)| {
            ArchiveMember::text(format!("{folder}{name}"), text.clone())
        };
        self.licences.iter().map(member).collect()
    }
}

impl PackageMetadata {
    fn of(metadata: &Value) -> ChoreResult<Self> {
        let packages = metadata["packages"].as_array().ok_or("cargo reported no packages")?;
        let ours = packages.iter().find(|package| package["name"] == "portolan-cli");
        let ours = ours.ok_or("cargo reported no portolan-cli")?;
        let text = |from: &Value, key: &str| {
            let found = from[key].as_str().map(ToOwned::to_owned);
            found.ok_or_else(|| format!("Cargo.toml has no `{key}`"))
        };
        let named = &metadata["metadata"]["packages"];
        Ok(Self {
            version: text(ours, "version")?,
            description: text(ours, "description")?,
            licence: text(ours, "license")?,
            repository: text(ours, "repository").ok(),
            npm: text(named, "npm")?,
            scope: text(named, "npm-scope")?,
            pypi: text(named, "pypi")?,
            deb: text(named, "deb")?,
            maintainer: text(named, "maintainer")?,
        })
    }
}

/// Parses `portolan 0.1.0 (0123456789ab, x86_64-unknown-linux-gnu)`; the commit may be missing.
fn version_and_target(output: &str) -> Option<(&str, &str)> {
    let (version, build) = output.trim().strip_prefix("portolan ")?.split_once(" (")?;
    let build = build.strip_suffix(')')?;
    Some((version, build.rsplit(", ").next()?))
}

/// Cargo's metadata of the workspace and of everything that is linked in for a target.
fn metadata(target: &str) -> ChoreResult<Value> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            target,
        ])
        .current_dir(programs::repository())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn printed(binary: &Path, arguments: &[&str]) -> ChoreResult<Vec<u8>> {
    let output = Command::new(binary)
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", binary.display()))?;
    if !output.status.success() {
        return Err(format!("`portolan {}` failed", arguments.join(" ")).into());
    }
    Ok(output.stdout)
}

fn pages(binary: &Path) -> ChoreResult<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir()?;
    let out: PathBuf = folder.path().join("man1");
    printed(binary, &["man", "--out", &out.to_string_lossy()])?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(&out)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push((name, fs::read(entry.path())?));
    }
    pages.sort();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::version_and_target;

    #[test]
    fn version_and_target_are_parsed() {
        let check = |output, wanted| assert_eq!(version_and_target(output), wanted);
        let target = "x86_64-unknown-linux-gnu";
        check("portolan 0.1.0 (0123456789ab, x86_64-unknown-linux-gnu)\n", Some(("0.1.0", target)));
        check("portolan 0.1.0 (x86_64-unknown-linux-gnu)", Some(("0.1.0", target)));
        check("esbuild 0.1.0", None);
    }
}
