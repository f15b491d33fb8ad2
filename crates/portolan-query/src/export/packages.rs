//! The packages of a repository, and the package of each file.

use std::collections::{BTreeMap, BTreeSet};

use portolan_guard::redact;
use portolan_languages::resolve::published;
use portolan_languages::{Ecosystems, Manifests, Published, PublishedPackage};
use portolan_types::{FileId, cmp_utf16};
use portolan_vfs::System;
use portolan_wire::atlas::PackageRow;

use super::external::ecosystem_of;
use super::outline::Outline;
use super::surface::Surface;
use portolan_index::map::MapReport;
use portolan_workspace::config::Loaded;

/// A larger file is not a manifest.
const MOST_BYTES: usize = 4 << 20;

/// The packages of a repository.
pub(super) struct Packages {
    list: Vec<PublishedPackage>,
    /// By ecosystem and folder.
    places: BTreeMap<(&'static str, String), usize>,
    /// The package of each code file, by the file's number.
    owners: Vec<Option<usize>>,
}

impl Packages {
    pub(super) fn of(system: &dyn System, config: &Loaded, map: &MapReport) -> Self {
        let guard = config.settings.secrets.guard();
        let read = |path: &str| {
            let at = map.universe.binary_search_by(|file| cmp_utf16(file.path.as_str(), path));
            let file = map.universe.get(at.ok()?)?;
            let bytes = system.read_at_most(&file.absolute, MOST_BYTES).ok()?;
            let is_denied = guard.judge(&file.path, &bytes).is_some();
            (!is_denied).then(|| String::from_utf8_lossy(&bytes).into_owned())
        };
        let paths = map.universe.iter().map(|file| file.path.as_str());
        let list = published(&Manifests::new(paths, &read), Ecosystems::default());
        let places = list.iter().enumerate();
        let places =
            places.map(|(number, it)| ((it.ecosystem, it.folder.clone()), number)).collect();
        let mut packages = Self { list, places, owners: Vec::new() };
        let owners = map.universe.iter().map(|file| packages.owner(file.path.as_str()));
        packages.owners = owners.collect();
        packages
    }

    fn owner(&self, path: &str) -> Option<usize> {
        let ecosystem = ecosystem_of(path)?;
        let nearest = self.above(ecosystem.name(), path).next()?;
        self.places.get(&(nearest.ecosystem, nearest.folder.clone())).copied()
    }

    /// The code files of each package, by its number.
    pub(super) fn files(&self) -> BTreeMap<usize, Vec<FileId>> {
        let mut files: BTreeMap<usize, Vec<FileId>> = BTreeMap::new();
        for (owner, number) in self.owners.iter().zip(FileId::all()) {
            if let Some(owner) = owner {
                files.entry(*owner).or_default().push(number);
            }
        }
        files
    }

    /// Whether one of them provides this module.
    pub(super) fn provide(&self, ecosystem: &str, module: &str) -> bool {
        let mut own = self.list.iter().filter(|it| it.ecosystem == ecosystem);
        own.any(|it| it.published.modules.iter().any(|known| known == module))
    }

    /// The package of a code file, by its number.
    pub(super) fn owner_of(&self, file: FileId) -> Option<usize> {
        self.owners.get(file.index()).copied().flatten()
    }

    /// A package by its number.
    pub(super) fn get(&self, number: usize) -> Option<&PublishedPackage> {
        self.list.get(number)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PublishedPackage> {
        self.list.iter()
    }

    /// The manifests above a file, nearest first.
    pub(super) fn above<'s>(
        &'s self,
        ecosystem: &'static str,
        path: &'s str,
    ) -> impl Iterator<Item = &'s PublishedPackage> {
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut is_done = false;
        std::iter::from_fn(move || {
            while !is_done {
                let found = self.places.get(&(ecosystem, folder.to_owned()));
                is_done = folder.is_empty();
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
                if let Some(found) = found.and_then(|number| self.list.get(*number)) {
                    return Some(found);
                }
            }
            None
        })
    }

    /// The rows of packages with a name.
    pub(super) fn rows(&self, outlines: &[Option<Outline>], surface: &Surface) -> Vec<PackageRow> {
        let mut exports: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for ((number, owner), outline) in FileId::all().zip(&self.owners).zip(outlines) {
            let (Some(own), Some(outline)) = (owner, outline) else { continue };
            if surface.exports(*own).is_none() {
                let names = exports.entry(*own).or_default();
                names.extend(outline.exported(self, surface, number).flatten());
            }
        }
        let mut rows: Vec<PackageRow> = Vec::new();
        for (number, it) in self.list.iter().enumerate() {
            let Published { name: Some(name), version, modules, .. } = &it.published else {
                continue;
            };
            rows.push(PackageRow {
                ecosystem: it.ecosystem.to_owned(),
                name: redact(name).into_owned(),
                version: version.as_deref().map(|version| redact(version).into_owned()),
                path: it.folder.clone(),
                modules: modules.clone(),
                exports: surface
                    .exports(number)
                    .cloned()
                    .or_else(|| exports.remove(&number))
                    .unwrap_or_default()
                    .into_iter()
                    .collect(),
            });
        }
        rows.sort();
        rows
    }
}
