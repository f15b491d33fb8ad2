//! From a Go import to the files of the package that define what is used of it.
//!
//! A package is a folder, and all its files together; an edge goes to the files that define the names,
//! on every platform, never to the whole folder.

mod embed;
mod manifest;
mod outside;
mod packages;
mod platform;
mod published;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, Import, NodeKind, Use};

use self::outside::Package;
use self::packages::{Packages, Place};
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{first_definers, Ecosystem, Ground, Importer, Need, PackageIdentity, Resolve, Target};

/// The ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Golang;

/// The ways an import is written, as the language numbers them.
const EMBED: u8 = 1;

impl Ecosystem for Golang {
    fn name(&self) -> &'static str {
        "go"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Go", id: "go:net/http" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "go.mod"
    }

    fn stores(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let first = |list: String| list.split(':').next().unwrap_or_default().to_owned();
        let home = || variable("GOPATH").map(first).or_else(|| Some(variable("HOME")? + "/go"));
        let store = variable("GOMODCACHE").or_else(|| Some(home()? + "/pkg/mod"));
        store.into_iter().collect()
    }

    fn installed<'p>(&self, _root: &str, path: &'p str) -> Option<&'p str> {
        outside::package_folder(path)
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn leads_to_definers(&self) -> bool {
        true
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        published::published(manifests, folder)
    }

    /// Modules have slashes in their names: a version is `v1.2.3`, the end of a name at most `v2`.
    fn module_of_installed<'f>(&self, file: &'f str) -> Option<Cow<'f, str>> {
        let is_version = |part: &str| {
            let digits = part.strip_prefix('v').unwrap_or_default();
            digits.starts_with(|it: char| it.is_ascii_digit()) && digits.contains('.')
        };
        let mut end = 0;
        for part in file.split('/') {
            if is_version(part) && end > 0 {
                return file.get(..end - 1).map(Cow::Borrowed);
            }
            end += part.len() + 1;
        }
        None
    }

    /// A module begins with the name of a host.
    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        let host = module.split('/').next().unwrap_or(module);
        host.contains('.').then_some(Cow::Borrowed(module))
    }

    fn open<'a>(&self, ground: &'a Ground<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(Go { packages: Packages::new(ground) })
    }
}

struct Go<'a> {
    packages: Packages<'a>,
}

impl Resolve for Go<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(File { packages: &self.packages, path, is_cut: Cell::new(false) })
    }

    fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        self.packages.outside.package_of(path)
    }
}

struct File<'i, 'a> {
    packages: &'i Packages<'a>,
    /// Absolute.
    path: &'i str,
    /// Whether not all is told.
    is_cut: Cell<bool>,
}

impl Importer for File<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<Target>) {
        let Some(import) = facts.imports.get(import) else { return };
        if import.form.0 == EMBED {
            let embedded = self.packages.embedded(crate::folder_of(self.path), &import.specifier);
            let (files, is_cut) = &*embedded;
            self.is_cut.set(self.is_cut.get() || *is_cut);
            found.extend(files.iter().cloned().map(Target::File));
            return;
        }
        match self.packages.find(self.path, &import.specifier) {
            Place::Folder(folder) => {
                let files = self.used_files(facts, import, &folder);
                found.extend(files.into_iter().map(|file| Target::File(file.into())));
            }
            Place::Outside(package) => {
                let files = used_outside(facts, import, &package);
                found.extend(files.into_iter().map(Target::File));
            }
            Place::Platform => {
                let id = format!("go:{}", import.specifier);
                found.push(Target::Module(id.into(), NodeKind::Builtin));
            }
            Place::Missing(module) => {
                found.push(Target::Module(module.into(), NodeKind::Missing));
            }
        }
    }

    /// Files of the same package that define names used here.
    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let Some(package) = facts.package.as_deref() else { return };
        let imported: BTreeSet<Cow<'_, str>> =
            facts.imports.iter().filter_map(|import| self.local_name(import)).collect();
        let folder = crate::folder_of(self.path);
        let sees_tests = is_test(self.path);
        let mut files = BTreeSet::new();
        for used in bare(facts) {
            if imported.contains(&*used.name) {
                continue;
            }
            let definers = self.packages.definers(folder, package, &used.name);
            let others = definers.filter(|file| {
                *file != self.path
                    && (sees_tests || !is_test(file))
                    && !self.packages.builds.are_apart(file, self.path)
            });
            files.extend(self.first_definers(others));
        }
        found.extend(files.into_iter().map(|file| Need {
            target: Target::File(file.into()),
            kind: EdgeKind::Runtime,
            is_written: false,
        }));
    }

    fn is_cut(&self) -> bool {
        self.is_cut.get()
    }
}

impl<'a> File<'_, 'a> {
    /// So many files that define a name as are told of; that there are more is told.
    fn first_definers(&self, files: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let (files, is_cut) = first_definers(files);
        self.is_cut.set(self.is_cut.get() || is_cut);
        files
    }

    /// The name that stands for an imported package in this file.
    fn local_name<'f>(&self, import: &'f Import) -> Option<Cow<'f, str>>
    where
        'a: 'f,
    {
        match import.alias.as_deref() {
            Some("_" | ".") => None,
            Some(alias) => Some(alias.into()),
            None => match self.packages.find(self.path, &import.specifier) {
                Place::Folder(folder) => self.packages.name_of(&folder).map(Cow::Borrowed),
                Place::Outside(package) => Some(package.name.clone().into()),
                _ => None,
            }
            .or_else(|| import.specifier.rsplit('/').next().map(Cow::Borrowed)),
        }
    }

    /// The files of a package that define what is used of it.
    fn used_files(&self, facts: &Facts, import: &Import, folder: &str) -> BTreeSet<&'a str> {
        let packages = self.packages;
        let name = packages.name_of(folder).unwrap_or_default();
        // Tests of a package see what its other tests add to it.
        let sees_tests = is_test(self.path) && crate::folder_of(self.path) == folder;
        let visible = |file: &&'a str| {
            (sees_tests || !is_test(file)) && !packages.builds.are_apart(file, self.path)
        };
        match import.alias.as_deref() {
            // For what it does when it is loaded.
            Some("_") => {
                let starters = packages.starters(folder, name).filter(visible);
                let mut files = self.first_definers(starters);
                if files.is_empty() {
                    files = self.first_definers(packages.files(folder, name).filter(visible));
                }
                files.into_iter().collect()
            }
            // Its names are used as if they were here.
            Some(".") => bare(facts)
                .flat_map(|used| {
                    let definers = packages.definers(folder, name, &used.name);
                    self.first_definers(definers.filter(visible))
                })
                .collect(),
            _ => {
                let Some(local) = self.local_name(import) else { return BTreeSet::new() };
                names_of(facts, &local)
                    .flat_map(|used| {
                        let definers = packages.definers(folder, name, used);
                        self.first_definers(definers.filter(visible))
                    })
                    .collect()
            }
        }
    }
}

/// The names that are used bare.
fn bare(facts: &Facts) -> impl Iterator<Item = &Use> {
    let names = facts.uses.iter().filter(|used| used.mark.0 != platform::BUILD);
    names.filter(|used| !used.name.contains('.'))
}

/// What is used of the package that a name stands for.
fn names_of<'f>(facts: &'f Facts, local: &'f str) -> impl Iterator<Item = &'f str> {
    let names = facts.uses.iter().filter(|used| used.mark.0 != platform::BUILD);
    names.filter_map(move |used| {
        let (owner, name) = used.name.split_once('.')?;
        (owner == local).then_some(name)
    })
}

/// The files of a package outside that define what is used of it.
fn used_outside(facts: &Facts, import: &Import, package: &Package) -> BTreeSet<Arc<str>> {
    match import.alias.as_deref() {
        Some("_") => package.starting(),
        Some(".") => package.defining(bare(facts).map(|used| &*used.name)),
        alias => package.defining(names_of(facts, alias.unwrap_or(&package.name))),
    }
}

fn is_test(path: &str) -> bool {
    path.ends_with("_test.go")
}
