//! The entries of the walked folders, stored so that a later run knows which queries have other answers after files
//! were added or removed.

use std::collections::BTreeSet;

use portolan_languages::{dependency_tracking, split};
use portolan_types::Sha256Digest;
use portolan_vfs::{FileKind, sha256};
use portolan_workspace::Listing;
use rustc_hash::{FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};
use std::hash::Hasher;

use super::build::{SourceLinks, absolute};

/// The entries beside the files of the universe and their folders, which the cache knows by path.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Places {
    /// The digest of the targets of links in the universe.
    links: [u8; 32],
    /// Other entries of walked folders, in order.
    rest: BTreeSet<Rest>,
    /// The walked folders without a file of the universe.
    bare: BTreeSet<String>,
    /// The folders of the universe that were not walked.
    unwalked: BTreeSet<String>,
}

/// A name in a walked folder, by hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Rest {
    /// The key of a query about the name.
    name: u32,
    /// The key of a query for the folder's entries.
    folder: u32,
    /// The name and the kind.
    entry: u32,
    is_link: bool,
}

impl Rest {
    fn new(folder: &str, name: &str, kind: FileKind) -> Self {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        hasher.write_u8(match kind {
            FileKind::File => 0,
            FileKind::Dir => 1,
            FileKind::Link => 2,
            FileKind::Other => 3,
        });
        Self {
            name: dependency_tracking::entry_key(folder, name),
            folder: dependency_tracking::listing_key(folder),
            entry: (hasher.finish() >> 32) as u32,
            is_link: kind == FileKind::Link,
        }
    }
}

/// The files of the universe, from the root, and the folders that they are in.
pub(super) struct SourceTree<'p> {
    root: &'p str,
    files: BTreeSet<&'p str>,
    folders: BTreeSet<&'p str>,
}

impl<'p> SourceTree<'p> {
    pub(super) fn new(root: &'p str, files: impl Iterator<Item = &'p str>) -> Self {
        let files: BTreeSet<&str> = files.collect();
        let mut folders = BTreeSet::from([""]);
        for file in &files {
            let mut rest = *file;
            while let Some((folder, _)) = rest.rsplit_once('/') {
                if !folders.insert(folder) {
                    break;
                }
                rest = folder;
            }
        }
        Self { root, files, folders }
    }

    /// The walked folders.
    fn walked<'s>(&'s self, places: &'s Places) -> BTreeSet<&'s str> {
        let folders = self.folders.iter().copied();
        let walked = folders.filter(|folder| !places.unwalked.contains(*folder));
        walked.chain(places.bare.iter().map(String::as_str)).collect()
    }

    /// Whether there is a folder or a link at a path from the root, whose parent was walked.
    fn has_folder(&self, places: &Places, path: &str) -> bool {
        let place = absolute(self.root, path);
        let is_rest = |(folder, name): (&str, &str)| {
            let rest = |kind| places.rest.contains(&Rest::new(folder, name, kind));
            rest(FileKind::Dir) || rest(FileKind::Link)
        };
        self.folders.contains(path) || split(&place).is_some_and(is_rest)
    }
}

impl Places {
    /// Collects the other entries that a walk found.
    pub(super) fn of(
        territory: &SourceTree<'_>,
        listings: &[Listing],
        links: &SourceLinks,
    ) -> Self {
        let mut places = Self { links: *digest_of(links).as_bytes(), ..Self::default() };
        let walked: FxHashSet<&str> = listings.iter().map(|listing| &*listing.folder).collect();
        let unwalked = territory.folders.iter().filter(|folder| !walked.contains(**folder));
        places.unwalked = unwalked.map(|folder| (*folder).to_owned()).collect();
        for listing in listings {
            if !territory.folders.contains(&*listing.folder) {
                places.bare.insert(listing.folder.clone());
            }
            let folder = absolute(territory.root, &listing.folder);
            for entry in &listing.entries {
                let Some(name) = entry.name.to_str() else { continue };
                let path = absolute(&listing.folder, name);
                let path = path.trim_start_matches('/');
                let is_known = match entry.kind {
                    FileKind::File => territory.files.contains(path),
                    FileKind::Dir => territory.folders.contains(path),
                    FileKind::Link | FileKind::Other => false,
                };
                if !is_known {
                    places.rest.insert(Rest::new(&folder, name, entry.kind));
                }
            }
        }
        places
    }

    /// The queries with other answers now; `None` if that is unknown because links have changed, or other folders are
    /// walked.
    pub(super) fn other_answers(
        &self,
        before: &SourceTree<'_>,
        now: &Self,
        after: &SourceTree<'_>,
    ) -> Option<FxHashSet<u32>> {
        let mut questions = FxHashSet::default();
        let mut rests = self.rest.symmetric_difference(&now.rest);
        if self.links != now.links || rests.clone().any(|rest| rest.is_link) {
            return None;
        }
        rests.by_ref().for_each(|rest| questions.extend([rest.name, rest.folder]));
        let files = before.files.symmetric_difference(&after.files);
        let folders = before.folders.symmetric_difference(&after.folders);
        questions.extend(
            folders
                .clone()
                .map(|path| dependency_tracking::listing_key(&absolute(before.root, path))),
        );
        for path in files.chain(folders) {
            let place = absolute(before.root, path);
            questions.insert(dependency_tracking::path_key(&place));
            questions
                .extend(split(&place).map(|(folder, _)| dependency_tracking::listing_key(folder)));
        }
        let (then, today) = (before.walked(self), after.walked(now));
        let is_hidden = then.difference(&today).any(|path| after.has_folder(now, path));
        let is_shown = today.difference(&then).any(|path| before.has_folder(self, path));
        // Two names with the same hash may have been swapped.
        (!is_hidden && !is_shown && !questions.is_empty()).then_some(questions)
    }
}

fn digest_of(links: &SourceLinks) -> Sha256Digest {
    let texts = links.iter().flat_map(|(link, real)| [link, real]);
    let bytes: Vec<u8> = texts.flat_map(|text| text.bytes().chain([0])).collect();
    sha256(&bytes)
}
