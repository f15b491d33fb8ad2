//! Caches the tables of the last export in the workspace, so that exporting the same content again,
//! to any destination, only writes them.
//!
//! The cache is one file for one set. It is valid if the digest of everything the rows are made
//! from is the same. A file that is damaged, or from another version or for another folder, is
//! ignored.

use portolan_types::{Notice, NoticeCode, Place};
use portolan_vfs::{System, sha256};
use serde::{Deserialize, Serialize};

use super::Identity;
use portolan_index::map::{CACHE_FOLDER, CACHE_LOCK, CacheMode, is_real_folder};
use portolan_index::session::Session;
use portolan_workspace::config::Loaded;

const FILE: &str = "export.bin";
/// The format and its version.
const MARK: &str = "portolan-export 1";
/// Larger sets are not cached.
const MOST_BYTES: usize = 64 << 20;
/// The length of the checksum of the rest of the file.
const SUM: usize = 32;

/// A cached set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSet {
    /// The number of rows: packages, files, edges, declarations, references.
    pub rows: [usize; 5],
    /// The tables and their bytes, in the order of writing.
    pub tables: Vec<(String, Vec<u8>)>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    mark: String,
    place: String,
    digest: String,
    rows: [usize; 5],
    /// The tables and their lengths.
    tables: Vec<(String, usize)>,
}

/// The cached tables of a repository, if they match its current content.
pub fn kept(session: &Session<'_>, identity: &Identity, cache: CacheMode) -> Option<KeptSet> {
    let (system, config) = (session.system(), session.config());
    let folder = config.root.join(config.settings.stan_path.as_str()).join(CACHE_FOLDER);
    if !cache.reads() || !is_real_folder(system, &folder) {
        return None;
    }
    let bytes = system.read_at_most(&folder.join(FILE), MOST_BYTES).ok()?;
    let (sum, body) = bytes.split_at_checked(SUM)?;
    let (head, mut rest): (Head, &[u8]) = postcard::take_from_bytes(body).ok()?;
    let is_it = head.mark == MARK
        && head.digest == identity.digest
        && head.place == place(system, config)
        && sum == sha256(body).as_bytes();
    if !is_it {
        return None;
    }
    let mut tables = Vec::new();
    for (name, length) in head.tables {
        let (own, after) = rest.split_at_checked(length)?;
        tables.push((name, own.to_vec()));
        rest = after;
    }
    Some(KeptSet { rows: head.rows, tables })
}

/// Caches the tables of a repository, unless another process is writing the cache.
pub fn keep(
    session: &Session<'_>,
    identity: &Identity,
    cache: CacheMode,
    set: &KeptSet,
) -> Option<Notice> {
    let (system, config) = (session.system(), session.config());
    let stan_path = &config.settings.stan_path;
    let folder = config.root.join(stan_path.as_str()).join(CACHE_FOLDER);
    if !cache.writes() || !is_real_folder(system, &folder) {
        return None;
    }
    let head = Head {
        mark: MARK.to_owned(),
        place: place(system, config),
        digest: identity.digest.clone(),
        rows: set.rows,
        tables: set.tables.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect(),
    };
    let mut body = postcard::to_stdvec(&head).ok()?;
    body.extend(set.tables.iter().flat_map(|(_, bytes)| bytes));
    if body.len() + SUM > MOST_BYTES {
        return None;
    }
    let Ok(Some(_lock)) = system.try_lock(&folder.join(CACHE_LOCK)) else { return None };
    let restricted = system.restricted_to(&config.root, stan_path);
    let written = restricted.create(&folder.join(FILE)).and_then(|mut pending| {
        pending.write_all(sha256(&body).as_bytes())?;
        pending.write_all(&body)?;
        pending.commit_unsynced()
    });
    let error = written.err()?;
    let place = Place::file(format!("{stan_path}/{CACHE_FOLDER}/{FILE}"));
    Some(Notice::at(NoticeCode::CacheUnwritable, place, error.to_string()))
}

/// Identifies the writer and the folder of a cache. A copied or cloned folder is a different one,
/// so a repository cannot ship its own export.
fn place(system: &dyn System, config: &Loaded) -> String {
    let inode = system.stat(&config.root).map_or(0, |stat| stat.inode);
    let rows = super::rows_fingerprint();
    format!("{rows}\0{}\0{inode}", config.root.display())
}
