//! Writes a set: tables first, then the row that makes it current.

use std::cmp::Ordering;

use portolan_wire::atlas::{EdgeRow, ReferenceRow, ReferenceTarget, RepositorySet};

use crate::AtlasError;
use crate::parquet_reader::{TableReader, Wanted};
use crate::parquet_writer::{TableRow, encode};
use crate::store::Store;
use crate::tables::{TABLES, Table};

/// The result of publishing a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishResult {
    /// The number of bytes written.
    pub bytes: u64,
    /// The number of files removed.
    pub pruned: usize,
}

/// How long to keep sets that nothing refers to: another writer may be about to make one current.
const GRACE_SECONDS: i64 = 3_600;
/// How much of a digest is in file names.
const SHORT: usize = 24;

/// A unique file name part for a repository id.
pub fn slug(id: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
    let plain: String = id
        .chars()
        .map(|it| {
            if is_plain(it) {
                it
            } else if it == '/' {
                '+'
            } else {
                '_'
            }
        })
        .collect();
    let is_same = id.chars().all(|it| is_plain(it) || it == '/');
    if is_same && !plain.is_empty() && plain.len() <= 120 && !plain.starts_with('.') {
        return plain;
    }
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let start: String = plain.trim_start_matches('.').chars().take(100).collect();
    // `@` is a character that every storage keeps as it is and that no plain name has.
    format!("{start}@{hash:016x}")
}

/// The file name of a table of a set.
pub(crate) fn file_name(id: &str, digest: &str) -> String {
    format!("{}-{}.parquet", slug(id), digest.get(..SHORT).unwrap_or(digest))
}

/// The file name of the row that makes a set current.
fn current_name(id: &str) -> String {
    format!("{}.parquet", slug(id))
}

impl Store {
    /// The digest of the current set of a repository, if there is one.
    pub fn current(&self, id: &str) -> Result<Option<String>, AtlasError> {
        let reader = match TableReader::open(self, "repository", &current_name(id)) {
            Ok(reader) => reader,
            // A damaged set is rewritten.
            Err(AtlasError::Storage { is_missing: true, .. } | AtlasError::Broken { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut digest = None;
        reader.read(&["digest"], &Wanted::All, |rows| {
            digest = rows.maybe(0, 0).map(str::to_owned);
        })?;
        Ok(digest)
    }

    /// Whether every table of a set exists and can be opened.
    pub fn is_whole(&self, id: &str, digest: &str) -> Result<bool, AtlasError> {
        let name = file_name(id, digest);
        for table in TABLES.iter().filter(|table| table.name != "repository") {
            match TableReader::open(self, table.name, &name) {
                Ok(_) => {}
                Err(AtlasError::Storage { is_missing: true, .. } | AtlasError::Broken { .. }) => {
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Removes files outside the current set: the set that was just replaced, and files that nothing has referred to
    /// for an hour.
    pub fn prune(&self, id: &str, replaced: Option<&str>) -> Result<usize, AtlasError> {
        let Some(current) = self.current(id)? else { return Ok(0) };
        let keep = file_name(id, &current);
        let replaced = replaced.map(|digest| file_name(id, digest));
        let first = format!("{}-", slug(id));
        let own = self.list("repository", &current_name(id).replace(".parquet", ""))?;
        let now = own.iter().find(|it| it.name == current_name(id)).map(|it| it.written);
        let mut removed = 0;
        for table in TABLES.iter().filter(|table| table.name != "repository") {
            for listed in self.list(table.name, &first)? {
                // Another repository's name may start with this one's.
                let rest = listed.name.strip_prefix(&first).unwrap_or_default();
                let is_own = rest.len() == SHORT + ".parquet".len() && !rest.contains('-');
                let is_old = now.is_some_and(|now| now - listed.written > GRACE_SECONDS);
                let is_replaced = replaced.as_deref() == Some(listed.name.as_str());
                if is_own && listed.name != keep && (is_old || is_replaced) {
                    self.remove(table.name, &listed.name)?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }
}

/// An encoded set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedSet {
    /// The repository's id.
    pub id: String,
    /// The digest of everything the set was made from.
    pub digest: String,
    /// The tables and their bytes; the row that makes the set current is last.
    pub tables: Vec<(String, Vec<u8>)>,
}

/// Encodes rows as tables.
pub fn encode_set(set: RepositorySet) -> Result<EncodedSet, AtlasError> {
    let RepositorySet { repository, packages, files, edges, declarations, references } = set;
    let (id, digest) = (repository.id.clone(), repository.digest.clone());
    let of = (id.as_str(), digest.as_str());
    let tables = vec![
        table(of, &packages)?,
        table(of, &files)?,
        table(of, &leaving_edges_first(edges))?,
        table(of, &declarations)?,
        table(of, &leaving_references_first(references))?,
        table(of, &[repository])?,
    ];
    Ok(EncodedSet { id, digest, tables })
}

fn table<R: TableRow>(
    (id, digest): (&str, &str),
    rows: &[R],
) -> Result<(String, Vec<u8>), AtlasError> {
    let bytes = encode(id, digest, rows).map_err(|error| AtlasError::Broken {
        place: format!("{}/{}", R::TABLE, file_name(id, digest)),
        reason: error.to_string(),
    })?;
    Ok((R::TABLE.to_owned(), bytes))
}

/// Makes a set the current one of its repository.
pub fn publish(store: &Store, set: EncodedSet, prune: bool) -> Result<PublishResult, AtlasError> {
    let EncodedSet { id, digest, tables } = set;
    let before = store.current(&id)?;
    let mut bytes = 0;
    for (table, content) in tables {
        let Some(table) = Table::named(&table) else { continue };
        let is_last = table.name == "repository";
        let name = if is_last { current_name(&id) } else { file_name(&id, &digest) };
        bytes += content.len() as u64;
        store.put(table.name, &name, content)?;
    }
    let replaced = before.filter(|before| *before != digest);
    let pruned = if prune { store.prune(&id, replaced.as_deref())? } else { 0 };
    Ok(PublishResult { bytes, pruned })
}

fn leaving_edges_first(mut edges: Vec<EdgeRow>) -> Vec<EdgeRow> {
    fn key(row: &EdgeRow) -> Option<(&str, &str)> {
        row.leaves.as_ref().map(|it| (it.ecosystem.as_str(), it.module.as_str()))
    }
    edges.sort_by(|left, right| leaving_first(key(left), key(right)));
    edges
}

/// Sorts rows that leave the repository first, by target. The others are already in order.
fn leaving_first<K: Ord>(left: Option<K>, right: Option<K>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    }
}

fn leaving_references_first(mut references: Vec<ReferenceRow>) -> Vec<ReferenceRow> {
    fn key(row: &ReferenceRow) -> Option<(&str, &str, &str)> {
        match &row.target {
            ReferenceTarget::Here { .. } => None,
            ReferenceTarget::Elsewhere { ecosystem, module, name } => {
                Some((ecosystem, module, name))
            }
        }
    }
    references.sort_by(|left, right| leaving_first(key(left), key(right)));
    references
}
