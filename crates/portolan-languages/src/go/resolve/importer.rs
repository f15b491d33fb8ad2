//! Resolves the imports of one Go file, and finds the files of its own package that it needs.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, Import, NodeKind, Use};

use super::module_cache::CachedPackage;
use super::packages::{PackageLocation, Packages};
use super::{EMBED, build_constraints, is_test};
use crate::{ImportTarget, Importer, Need, first_definers};

/// The importer for one file.
pub(super) struct GoImporter<'i, 'a> {
    packages: &'i Packages<'a>,
    /// Absolute.
    path: &'i str,
    /// Whether some results were left out.
    is_cut: Cell<bool>,
}

impl Importer for GoImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        if import.form.0 == EMBED {
            let embedded = self.packages.embedded(crate::folder_of(self.path), &import.specifier);
            let (files, is_cut) = &*embedded;
            self.is_cut.set(self.is_cut.get() || *is_cut);
            found.extend(files.iter().cloned().map(ImportTarget::File));
            return;
        }
        match self.packages.find(self.path, &import.specifier) {
            PackageLocation::Folder(folder) => {
                let files = self.used_files(facts, import, &folder);
                found.extend(files.into_iter().map(|file| ImportTarget::File(file.into())));
            }
            PackageLocation::ModuleCache(package) => {
                let files = used_of_cached(facts, import, &package);
                found.extend(files.into_iter().map(ImportTarget::File));
            }
            PackageLocation::Platform => {
                let id = format!("go:{}", import.specifier);
                found.push(ImportTarget::Module(id.into(), NodeKind::Builtin));
            }
            PackageLocation::Missing(module) => {
                found.push(ImportTarget::Module(module.into(), NodeKind::Missing));
            }
        }
    }

    /// Adds the files of the same package that define names used here.
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
                    && !self.packages.builds.are_exclusive(file, self.path)
            });
            files.extend(self.first_definers(others));
        }
        found.extend(files.into_iter().map(|file| Need {
            target: ImportTarget::File(file.into()),
            kind: EdgeKind::Runtime,
            is_written: false,
        }));
    }

    fn is_cut(&self) -> bool {
        self.is_cut.get()
    }
}

impl<'i, 'a> GoImporter<'i, 'a> {
    pub(super) fn new(packages: &'i Packages<'a>, path: &'i str) -> Self {
        Self { packages, path, is_cut: Cell::new(false) }
    }

    /// The first [`MAX_DEFINERS`](portolan_types::MAX_DEFINERS) files that define a name. Records
    /// when there are more.
    fn first_definers(&self, files: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let (files, is_cut) = first_definers(files);
        self.is_cut.set(self.is_cut.get() || is_cut);
        files
    }

    /// The name of an imported package in this file.
    fn local_name<'f>(&self, import: &'f Import) -> Option<Cow<'f, str>>
    where
        'a: 'f,
    {
        match import.alias.as_deref() {
            Some("_" | ".") => None,
            Some(alias) => Some(alias.into()),
            None => match self.packages.find(self.path, &import.specifier) {
                PackageLocation::Folder(folder) => {
                    self.packages.name_of(&folder).map(Cow::Borrowed)
                }
                PackageLocation::ModuleCache(package) => Some(package.name.clone().into()),
                _ => None,
            }
            .or_else(|| import.specifier.rsplit('/').next().map(Cow::Borrowed)),
        }
    }

    /// The files of a package that define the names used here.
    fn used_files(&self, facts: &Facts, import: &Import, folder: &str) -> BTreeSet<&'a str> {
        let packages = self.packages;
        let name = packages.name_of(folder).unwrap_or_default();
        // A package's tests see what its other tests add to it.
        let sees_tests = is_test(self.path) && crate::folder_of(self.path) == folder;
        let visible = |file: &&'a str| {
            (sees_tests || !is_test(file)) && !packages.builds.are_exclusive(file, self.path)
        };
        match import.alias.as_deref() {
            // Imported for its side effects.
            Some("_") => {
                let starters = packages.starters(folder, name).filter(visible);
                let mut files = self.first_definers(starters);
                if files.is_empty() {
                    files = self.first_definers(packages.files(folder, name).filter(visible));
                }
                files.into_iter().collect()
            }
            // A dot import: its names are used unqualified.
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

/// The unqualified names that are used.
fn bare(facts: &Facts) -> impl Iterator<Item = &Use> {
    let names = facts.uses.iter().filter(|used| used.mark.0 != build_constraints::BUILD);
    names.filter(|used| !used.name.contains('.'))
}

/// The names that are used of the package with a local name.
fn names_of<'f>(facts: &'f Facts, local: &'f str) -> impl Iterator<Item = &'f str> {
    let names = facts.uses.iter().filter(|used| used.mark.0 != build_constraints::BUILD);
    names.filter_map(move |used| {
        let (owner, name) = used.name.split_once('.')?;
        (owner == local).then_some(name)
    })
}

/// The files of a package in the module cache that define the names used here.
fn used_of_cached(facts: &Facts, import: &Import, package: &CachedPackage) -> BTreeSet<Arc<str>> {
    match import.alias.as_deref() {
        Some("_") => package.starters(),
        Some(".") => package.definers_of(bare(facts).map(|used| &*used.name)),
        alias => package.definers_of(names_of(facts, alias.unwrap_or(&package.name))),
    }
}
