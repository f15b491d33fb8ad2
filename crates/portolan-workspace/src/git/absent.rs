//! Ignore files that a sparse checkout has left out: git reads them from its index, and so do we where the
//! folder they are for is on the disk.

use std::collections::BTreeMap;
use std::path::Path;

use portolan_vfs::{FileKind, System};

use super::index::Index;
use super::objects::{Id, Kind, Objects};
use super::revision::{entries, TREE};
use super::{MOST_RULES_BYTES, Position};
use crate::ignore_rules::GIT_IGNORE;

/// What such files say, by their folder from the top of the repository; or why that is not known.
pub(crate) type AbsentRules = BTreeMap<String, Result<Vec<u8>, String>>;

/// More folders are in no checkout outside of its own bounds.
const MOST_TREES: usize = 10_000;

/// The ignore files that are in the index alone.
pub(super) fn absent_rules(
    system: &dyn System,
    position: &Position<'_>,
    common: &Path,
    index: &Index,
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
            put(folder, Err("objects with SHA-256 are not read".to_owned()));
        }
        return rules;
    }
    let objects = Objects::open(system, &common.join("objects"));
    for (folder, id) in files {
        put(folder, blob(&objects, &id));
    }
    let mut read = 0;
    while let Some((folder, id)) = open.pop() {
        read += 1;
        let tree = match objects.read(&id) {
            _ if read > MOST_TREES => Err("there are too many such folders".to_owned()),
            Ok((Kind::Tree, bytes)) => Ok(bytes),
            Ok(_) => Err("its folder is no tree".to_owned()),
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

fn blob(objects: &Objects<'_>, id: &Id) -> Result<Vec<u8>, String> {
    match objects.read(id)? {
        (Kind::Blob, bytes) if bytes.len() <= MOST_RULES_BYTES => Ok(bytes),
        (Kind::Blob, _) => Err("it is too large".to_owned()),
        _ => Err("it is no file there".to_owned()),
    }
}

/// Whether a folder with a slash, or the top, is named without a step to somewhere else.
fn is_plain(folder: &str) -> bool {
    let mut names = folder.split_terminator('/');
    names.all(|name| !matches!(name, "" | "." | ".."))
}
