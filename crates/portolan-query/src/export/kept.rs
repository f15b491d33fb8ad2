//! The tables of a set as they were written last, below the workspace's cache: what is exported again, into whatever
//! place, is written and not made.
//!
//! One file, for one set. It is used where the digest of all that rows are made from is the same; a file that is
//! damaged, or written by another version or for another folder, is as good as none.

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
/// A larger set is made again.
const MOST_BYTES: usize = 64 << 20;
/// The digest of all that follows it.
const SUM: usize = 32;

/// A set as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSet {
    /// How many rows there are: packages, files, edges, declarations, references.
    pub rows: [usize; 5],
    /// The tables with their bytes, in the order of writing.
    pub tables: Vec<(String, Vec<u8>)>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    mark: String,
    place: String,
    digest: String,
    rows: [usize; 5],
    /// The tables, and how long each is.
    tables: Vec<(String, usize)>,
}

/// What was written of a repository as it is now, if that is known.
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

/// Keeps what was written of a repository. What another process is writing is left to it.
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

/// What a file must have been written by and for to be used. A folder that was copied or cloned is another one: nobody's
/// repository brings what is published of it.
fn place(system: &dyn System, config: &Loaded) -> String {
    let inode = system.stat(&config.root).map_or(0, |stat| stat.inode);
    let rows = super::rows_fingerprint();
    format!("{rows}\0{}\0{inode}", config.root.display())
}
