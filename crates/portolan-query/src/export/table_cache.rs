//! The tables of the last exported set, in the cache: exporting the same again, to any place, only writes them.
//!
//! One file, for one set. It is used while the digest of everything that rows are made from is the same.

use portolan_index::session::Session;
use portolan_index::store::CacheFile;
use portolan_types::Notice;
use serde::{Deserialize, Serialize};

use super::Identity;

const FILE: &str = "export.bin";
/// A larger set is not kept.
const MOST_BYTES: usize = 64 << 20;

/// A set as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSet {
    /// The number of rows: packages, files, edges, declarations, references.
    pub rows: [usize; 5],
    /// The tables and their bytes, in the order of writing.
    pub tables: Vec<(String, Vec<u8>)>,
}

/// The set of a repository as it is now, if it was kept.
pub fn kept(session: &Session<'_>, identity: &Identity) -> Option<KeptSet> {
    let bytes = file(session, identity).read(session.system()).ok()??;
    postcard::from_bytes(&bytes).ok()
}

/// Keeps the set of a repository.
pub fn keep(session: &Session<'_>, identity: &Identity, set: &KeptSet) -> Option<Notice> {
    let bytes = postcard::to_stdvec(set).ok().filter(|bytes| bytes.len() <= MOST_BYTES)?;
    file(session, identity).write(session.system(), &bytes)
}

fn file(session: &Session<'_>, identity: &Identity) -> CacheFile {
    session.cache().file(FILE, &format!("{}\0{}", super::rows_fingerprint(), identity.digest))
}
