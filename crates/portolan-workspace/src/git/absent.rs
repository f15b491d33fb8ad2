//! Ignore files that a sparse checkout leaves out. Git reads them from its index, and so do we if the folder
//! they apply to is on the disk.

use std::collections::BTreeMap;
use std::path::Path;

use portolan_vfs::{FileKind, System};

use super::index::GitIndex;
use super::objects::{Id, ObjectKind, ObjectStore};
use super::revision::{TREE, entries};
use super::{MOST_RULES_BYTES, RepositoryPosition};
use crate::ignore_rules::GIT_IGNORE;

/// The content of such files by their folder from the repository's top, or why it is unknown.
pub(crate) type AbsentRules = BTreeMap<String, Result<Vec<u8>, String>>;

/// No checkout has more folders outside its sparse cone.
const MOST_TREES: usize = 10_000;

/// The ignore files that exist only in the index.
pub(super) fn absent_rules(
    system: &dyn System,
    position: &RepositoryPosition<'_>,
    common: &Path,
    index: &GitIndex,
    is_sha256: bool,
) -> AbsentRules {
    let is_there = |folder: &str| {
        let concerns = folder.starts_with(position.above) || position.above.starts_with(folder);
        let stat = || system.lstat(&position.top.join(folder));
        concerns && is_plain(folder) && stat().is_ok_and(|stat| stat.kind == FileKind::Dir)
    };
    let files =
        index.absent_files().filter_map(|(name, id)| Some((name.strip_suffix(GIT_IGNORE)?, id)));
    let files: Vec<_> = files.filter(|(folder, _)| is_there(folder)).collect();
    let folded = index.folded_folders().filter(|(folder, _)| is_there(folder));
    let mut open: Vec<(String, Id)> = folded.map(|(name, id)| (name.to_owned(), id)).collect();
    let mut rules = AbsentRules::new();
    if files.is_empty() && open.is_empty() {
        return rules;
    }
    let mut put = |folder: &str, text| rules.insert(folder.trim_end_matches('/').to_owned(), text);
    if is_sha256 {
        let folders = files.iter().map(|(folder, _)| *folder);
        for folder in folders.chain(open.iter().map(|(folder, _)| folder.as_str())) {
            put(folder, Err("SHA-256 objects are not supported".to_owned()));
        }
        return rules;
    }
    let objects = ObjectStore::open(system, &common.join("objects"), &|_| true);
    for (folder, id) in files {
        put(folder, blob(&objects, &id));
    }
    let mut read = 0;
    while let Some((folder, id)) = open.pop() {
        read += 1;
        let tree = match objects.read(&id) {
            _ if read > MOST_TREES => Err("there are too many such folders".to_owned()),
            Ok((ObjectKind::Tree, bytes)) => Ok(bytes),
            Ok(_) => Err("its folder is not a tree".to_owned()),
            Err(error) => Err(error),
        };
        let bytes = match tree {
            Ok(bytes) => bytes,
            Err(error) => {
                put(&folder, Err(error));
                continue;
            }
        };
        for (mode, name, id) in entries(&bytes) {
            if name == GIT_IGNORE && mode.starts_with("100") {
                put(&folder, blob(&objects, &id));
            }
            let below = format!("{folder}{name}/");
            if mode == TREE && is_there(&below) {
                open.push((below, id));
            }
        }
    }
    rules
}

fn blob(objects: &ObjectStore<'_>, id: &Id) -> Result<Vec<u8>, String> {
    match objects.read(id)? {
        (ObjectKind::Blob, bytes) if bytes.len() <= MOST_RULES_BYTES => Ok(bytes),
        (ObjectKind::Blob, _) => Err("it is too large".to_owned()),
        _ => Err("it is not a file there".to_owned()),
    }
}

/// Whether a folder path (with a slash, or empty) has no `.` or `..` segments.
fn is_plain(folder: &str) -> bool {
    let mut names = folder.split_terminator('/');
    names.all(|name| !matches!(name, "" | "." | ".."))
}
