//! Crates that Cargo has unpacked on this machine.
//!
//! Which version a package uses is told by its lock file, where a crate begins by the crate's own manifest. Of a
//! crate there is one file: the root of its library. Nothing is downloaded and nothing is run.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_types::is_safe_segment;
use toml::{Table, Value};

use super::manifest::{Dependency, Package};
use crate::{ancestors, is_under, join, Ecosystem as _, Ground, Memo, PackageIdentity};

/// Where crates are unpacked, below Cargo's home.
pub(super) const UNPACKED: &str = "/registry/src";

/// A crate of another project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Foreign {
    /// The name of its package.
    pub(super) package: Arc<str>,
    /// The root of its library, where it is installed.
    pub(super) library: Option<Arc<str>>,
}

/// The crates that are unpacked.
pub(super) struct Registry<'a> {
    ground: &'a Ground<'a>,
    /// The folders of unpacked crates, one for each index.
    indexes: Vec<String>,
    /// What the lock file in a folder says; `None` where there is none.
    locks: Memo<Box<str>, Option<Arc<Lock>>>,
    /// The libraries, by the folder of the crate.
    libraries: Memo<Box<str>, Option<Arc<str>>>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(ground: &'a Ground<'a>) -> Self {
        let stores = ground.stores().of(super::Cargo.name());
        let indexes = stores.iter().flat_map(|store| {
            let names = ground.files().names(store).into_iter();
            names.map(move |name| format!("{store}/{name}"))
        });
        let indexes = indexes.collect();
        Self { ground, indexes, locks: Memo::default(), libraries: Memo::default() }
    }

    /// The root of the library that a dependency of a package is.
    pub(super) fn library(&self, package: &Package, dependency: &Dependency) -> Option<Arc<str>> {
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

    /// The root of the library of the crate in a folder.
    fn library_in(&self, folder: &str) -> Option<Arc<str>> {
        if let Some(known) = self.libraries.get(folder) {
            return known;
        }
        let found = || {
            let manifest = self.ground.read_toml(&format!("{folder}/Cargo.toml"))?;
            let path = manifest.get("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
            self.ground.file_of_package(folder, &join(folder, path.unwrap_or("src/lib.rs")))
        };
        self.libraries.insert(folder.into(), found())
    }

    /// What the nearest lock file at or above a folder of the repository says.
    fn lock_of(&self, folder: &str) -> Option<Arc<Lock>> {
        let root = self.ground.files().root();
        ancestors(folder).take_while(|folder| is_under(folder, root)).find_map(|folder| {
            self.locks.get(folder).unwrap_or_else(|| {
                let path = format!("{folder}/Cargo.lock");
                let is_there = self.ground.files().is_file(&path);
                let text = is_there.then(|| self.ground.read(&path)).flatten();
                let lock = text.and_then(|text| Lock::read(&text));
                self.locks.insert(folder.into(), lock.map(Arc::new))
            })
        })
    }
}

/// What a lock file says: the packages by their names.
struct Lock(BTreeMap<String, Vec<Locked>>);

struct Locked {
    version: String,
    /// Where it comes from; none for what is in the workspace.
    source: Option<String>,
    /// The names of what it needs, with their versions where there are several.
    dependencies: Vec<String>,
}

impl Lock {
    fn read(text: &str) -> Option<Self> {
        let table: Table = text.parse().ok()?;
        let mut packages: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
        for package in table.get("package")?.as_array()? {
            let text = |key: &str| Some(package.get(key)?.as_str()?.to_owned());
            let (Some(name), Some(version)) = (text("name"), text("version")) else { continue };
            let needed = package.get("dependencies").and_then(Value::as_array);
            let needed = needed.into_iter().flatten().filter_map(Value::as_str);
            let dependencies = needed.map(str::to_owned).collect();
            let locked = Locked { version, source: text("source"), dependencies };
            packages.entry(name).or_default().push(locked);
        }
        Some(Self(packages))
    }

    /// What a package of the workspace gets for a dependency.
    fn find(&self, package: &str, dependency: &Dependency) -> Option<&Locked> {
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
        // Two versions under different names: the one that was asked for.
        let versions = dependency.versions.as_deref().unwrap_or_default();
        let mut all = std::iter::once(first).chain(found);
        Some(all.find(|one| fits(versions, &one.version)).unwrap_or(first))
    }
}

/// Whether a version is of the line that is asked for: `1` and `1.2` mean any 1, `0.3` any 0.3.
fn fits(asked: &str, version: &str) -> bool {
    let asked = asked.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let part = |text: &str, at: usize| text.split('.').nth(at).map(str::to_owned);
    let is_same =
        |at: usize| part(asked, at).is_none_or(|wanted| part(version, at) == Some(wanted));
    asked.is_empty() || is_same(0) && (!asked.starts_with('0') || is_same(1))
}

/// How the folder of an index begins: with the host that it is at.
fn host_of(source: &str) -> Option<&str> {
    let address = source.strip_prefix("registry+").or_else(|| source.strip_prefix("sparse+"))?;
    // The index that Cargo takes where nobody says, by the address that lock files have had ever since.
    if address == "https://github.com/rust-lang/crates.io-index" {
        return Some("index.crates.io");
    }
    address.split_once("://")?.1.split(['/', ':']).next()
}

/// The folder of the unpacked crate that a file is in.
pub(super) fn package_folder(path: &str) -> Option<&str> {
    let store = path.rfind("/registry/src/")? + UNPACKED.len() + 1;
    let mut slashes = path.get(store..)?.match_indices('/').map(|(at, _)| at);
    let end = slashes.nth(1)?;
    path.get(..store + end)
}

/// The crate that an unpacked file is of: its folder is called by name and version.
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

/// Name and version of `md-5-0.10.6`: the version is the first end that has three numbers.
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
    fn a_folder_tells_name_and_version() {
        assert_eq!(named("md-5-0.10.6"), Some(("md-5", "0.10.6")));
        assert_eq!(named("serde-1.0.0-rc.1+x"), Some(("serde", "1.0.0-rc.1+x")));
        assert_eq!(named("serde"), None);
        let path = "/h/.cargo/registry/src/index.crates.io-1/a-1.0.0/src/lib.rs";
        assert_eq!(package_folder(path), Some("/h/.cargo/registry/src/index.crates.io-1/a-1.0.0"));
        assert_eq!(package_folder("/h/.cargo/registry/src/index.crates.io-1/a"), None);
    }

    #[test]
    fn an_index_is_known_by_its_host_and_a_version_by_its_line() {
        let usual = "registry+https://github.com/rust-lang/crates.io-index";
        assert_eq!(host_of(usual), Some("index.crates.io"));
        assert_eq!(host_of("sparse+https://crates.example.com/index/"), Some("crates.example.com"));
        assert_eq!(host_of("git+https://github.com/a/b#1"), None);
        assert!(fits("^0.8", "0.8.5") && !fits("0.7", "0.8.5") && fits("1.2", "1.9.0"));
        assert!(fits("", "3.0.0") && !fits("=2.0.1", "1.0.0"));
    }
}
