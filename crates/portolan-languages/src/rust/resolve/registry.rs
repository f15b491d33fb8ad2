//! Finds the crates that Cargo has unpacked on this machine.
//!
//! The lock file says which version a package uses. The crate's own manifest says where its library
//! starts. Only the root file of the library is used. Nothing is downloaded and nothing runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_types::is_safe_segment;
use toml::{Table, Value};

use super::manifest::{CargoPackage, Dependency};
use crate::{Ecosystem as _, Memo, PackageIdentity, ResolveContext, ancestors, is_under, join};

/// Where crates are unpacked, below Cargo's home.
pub(super) const UNPACKED: &str = "/registry/src";

/// A crate of another project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExternalCrate {
    /// The package name.
    pub(super) package: Arc<str>,
    /// The root of the library, if the crate is unpacked.
    pub(super) library: Option<Arc<str>>,
}

/// The unpacked crates.
pub(super) struct Registry<'a> {
    ctx: &'a ResolveContext<'a>,
    /// One folder of unpacked crates for each index.
    indexes: Vec<String>,
    /// The lock file in each folder; `None` if there is none.
    locks: Memo<Box<str>, Option<Arc<LockFile>>>,
    /// The library root in each crate folder.
    libraries: Memo<Box<str>, Option<Arc<str>>>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let stores = ctx.stores().of(super::Cargo.name());
        let indexes = stores.iter().flat_map(|store| {
            let names = ctx.files().names(store).into_iter();
            names.map(move |name| format!("{store}/{name}"))
        });
        let indexes = indexes.collect();
        Self { ctx, indexes, locks: Memo::default(), libraries: Memo::default() }
    }

    /// The library root of a package's dependency.
    pub(super) fn library(
        &self,
        package: &CargoPackage,
        dependency: &Dependency,
    ) -> Option<Arc<str>> {
        if self.indexes.is_empty() || dependency.folder.is_some() {
            return None;
        }
        let lock = self.lock_of(&package.folder)?;
        let locked = lock.find(&package.name, dependency)?;
        let host = host_of(locked.source.as_deref()?)?;
        let name = format!("{}-{}", dependency.package, locked.version);
        if !is_safe_segment(&name) {
            return None;
        }
        let is_its = |index: &&String| {
            index.rsplit('/').next().is_some_and(|name| {
                name.strip_prefix(host).is_some_and(|rest| rest.starts_with('-'))
            })
        };
        let mut folders = self.indexes.iter().filter(is_its);
        folders.find_map(|index| self.library_in(&format!("{index}/{name}")))
    }

    /// The library root of the crate in a folder.
    fn library_in(&self, folder: &str) -> Option<Arc<str>> {
        if let Some(known) = self.libraries.get(folder) {
            return known;
        }
        let found = || {
            let manifest = self.ctx.read_toml(&format!("{folder}/Cargo.toml"))?;
            let path = manifest.get("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
            self.ctx.file_of_package(folder, &join(folder, path.unwrap_or("src/lib.rs")))
        };
        self.libraries.insert(folder.into(), found())
    }

    /// The nearest lock file at or above a folder of the repository.
    fn lock_of(&self, folder: &str) -> Option<Arc<LockFile>> {
        let root = self.ctx.files().root();
        ancestors(folder).take_while(|folder| is_under(folder, root)).find_map(|folder| {
            self.locks.get(folder).unwrap_or_else(|| {
                let path = format!("{folder}/Cargo.lock");
                let is_there = self.ctx.files().is_file(&path);
                let text = is_there.then(|| self.ctx.read(&path)).flatten();
                let lock = text.and_then(|text| LockFile::read(&text));
                self.locks.insert(folder.into(), lock.map(Arc::new))
            })
        })
    }
}

/// A lock file: the packages by name.
struct LockFile(BTreeMap<String, Vec<LockedPackage>>);

struct LockedPackage {
    version: String,
    /// The source; `None` for packages of the workspace.
    source: Option<String>,
    /// The dependencies by name, with a version where several exist.
    dependencies: Vec<String>,
}

impl LockFile {
    fn read(text: &str) -> Option<Self> {
        let table: Table = text.parse().ok()?;
        let mut packages: BTreeMap<String, Vec<LockedPackage>> = BTreeMap::new();
        for package in table.get("package")?.as_array()? {
            let text = |key: &str| Some(package.get(key)?.as_str()?.to_owned());
            let (Some(name), Some(version)) = (text("name"), text("version")) else { continue };
            let needed = package.get("dependencies").and_then(Value::as_array);
            let needed = needed.into_iter().flatten().filter_map(Value::as_str);
            let dependencies = needed.map(str::to_owned).collect();
            let locked = LockedPackage { version, source: text("source"), dependencies };
            packages.entry(name).or_default().push(locked);
        }
        Some(Self(packages))
    }

    /// The locked version of a workspace package's dependency.
    fn find(&self, package: &str, dependency: &Dependency) -> Option<&LockedPackage> {
        let own = self.0.get(package)?.iter().find(|own| own.source.is_none())?;
        let choice = self.0.get(&dependency.package)?;
        let named = own.dependencies.iter().filter_map(|needed| {
            let mut words = needed.split(' ');
            (words.next() == Some(dependency.package.as_str())).then(|| words.next())
        });
        let mut found = named.flat_map(|version| {
            choice.iter().filter(move |one| version.is_none_or(|version| one.version == version))
        });
        let first = found.next()?;
        // Two versions under different names: take the required one.
        let versions = dependency.versions.as_deref().unwrap_or_default();
        let mut all = std::iter::once(first).chain(found);
        Some(all.find(|one| fits(versions, &one.version)).unwrap_or(first))
    }
}

/// Whether a version is compatible with a requirement: `1` and `1.2` mean any 1.x, `0.3` any 0.3.x.
fn fits(asked: &str, version: &str) -> bool {
    let asked = asked.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let part = |text: &str, at: usize| text.split('.').nth(at).map(str::to_owned);
    let is_same =
        |at: usize| part(asked, at).is_none_or(|wanted| part(version, at) == Some(wanted));
    asked.is_empty() || is_same(0) && (!asked.starts_with('0') || is_same(1))
}

/// The host of an index. The index folder's name starts with it.
fn host_of(source: &str) -> Option<&str> {
    let address = source.strip_prefix("registry+").or_else(|| source.strip_prefix("sparse+"))?;
    // Lock files name crates.io by this address, whichever protocol Cargo uses.
    if address == "https://github.com/rust-lang/crates.io-index" {
        return Some("index.crates.io");
    }
    address.split_once("://")?.1.split(['/', ':']).next()
}

/// The folder of the unpacked crate that contains a file.
pub(super) fn package_folder(path: &str) -> Option<&str> {
    let store = path.rfind("/registry/src/")? + UNPACKED.len() + 1;
    let mut slashes = path.get(store..)?.match_indices('/').map(|(at, _)| at);
    let end = slashes.nth(1)?;
    path.get(..store + end)
}

/// The crate that contains an unpacked file. Its folder is named after name and version.
pub(super) fn package_of(path: &str) -> Option<PackageIdentity> {
    let folder = package_folder(path)?;
    let (name, version) = named(folder.rsplit('/').next()?)?;
    Some(PackageIdentity {
        ecosystem: super::Cargo.name(),
        folder: folder.to_owned(),
        manifest: format!("{folder}/Cargo.toml"),
        is_addressable: is_safe_segment(name) && is_safe_segment(version),
        name: name.to_owned(),
        version: version.to_owned(),
    })
}

/// Splits `md-5-0.10.6` into name and version. The version is the first suffix with three numbers.
fn named(folder: &str) -> Option<(&str, &str)> {
    let mut dashes = folder.match_indices('-').map(|(at, _)| at);
    let is_version = |text: &str| {
        let number =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let mut parts = text.splitn(3, '.');
        parts.next().is_some_and(number)
            && parts.next().is_some_and(number)
            && parts.next().is_some_and(|patch| patch.starts_with(|c: char| c.is_ascii_digit()))
    };
    let at = dashes.find(|at| folder.get(at + 1..).is_some_and(is_version))?;
    Some((folder.get(..at)?, folder.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::{fits, host_of, named, package_folder};

    #[test]
    fn folder_name_contains_name_and_version() {
        assert_eq!(named("md-5-0.10.6"), Some(("md-5", "0.10.6")));
        assert_eq!(named("serde-1.0.0-rc.1+x"), Some(("serde", "1.0.0-rc.1+x")));
        assert_eq!(named("serde"), None);
        let path = "/h/.cargo/registry/src/index.crates.io-1/a-1.0.0/src/lib.rs";
        assert_eq!(package_folder(path), Some("/h/.cargo/registry/src/index.crates.io-1/a-1.0.0"));
        assert_eq!(package_folder("/h/.cargo/registry/src/index.crates.io-1/a"), None);
    }

    #[test]
    fn index_matches_by_host_and_version_by_compatibility() {
        let usual = "registry+https://github.com/rust-lang/crates.io-index";
        assert_eq!(host_of(usual), Some("index.crates.io"));
        assert_eq!(host_of("sparse+https://crates.example.com/index/"), Some("crates.example.com"));
        assert_eq!(host_of("git+https://github.com/a/b#1"), None);
        assert!(fits("^0.8", "0.8.5") && !fits("0.7", "0.8.5") && fits("1.2", "1.9.0"));
        assert!(fits("", "3.0.0") && !fits("=2.0.1", "1.0.0"));
    }
}
