//! Records which paths a resolution looked at, so that a later run knows which results are stale.
//!
//! A lookup is identified by a hash of its path without extensions: `a.ts`, `a.tsx` and the folder
//! `a` share one key. Collisions cause a needless re-resolution, never a stale result. A cached
//! value ([`Memo::get_or_find`](crate::files::Memo::get_or_find)) passes the lookups it was
//! computed from on to everyone who uses it.

use std::cell::RefCell;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use portolan_types::Notice;
use rustc_hash::FxHasher;

/// The lookups that one result depends on.
#[derive(Debug)]
pub struct DependencyRecord {
    /// A process-wide identity. It has no other meaning.
    pub number: u64,
    /// The keys of the lookups, sorted, without duplicates.
    pub lookups: Vec<u32>,
    /// The records of the cached results that were used, without duplicates.
    pub inherited: Vec<Arc<Self>>,
    /// The notices raised on the way.
    pub notices: Vec<Notice>,
}

impl DependencyRecord {
    /// Creates a record from the data of an earlier run.
    pub fn new(lookups: Vec<u32>, inherited: Vec<Arc<Self>>, notices: Vec<Notice>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { number, lookups, inherited, notices }
    }
}

impl Default for DependencyRecord {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new(), Vec::new())
    }
}

thread_local! {
    /// The records under construction, innermost last. A nested search has its own record.
    static OPEN: RefCell<Vec<DependencyRecord>> = const { RefCell::new(Vec::new()) };
}

/// The key for a name in a folder, whatever its extensions.
pub fn entry_key(folder: &str, name: &str) -> u32 {
    // A leading dot does not start an extension.
    let dot = name.char_indices().skip(1).find(|(_, letter)| *letter == '.');
    hash(0, folder, &name[..dot.map_or(name.len(), |(at, _)| at)])
}

/// The key for a path.
pub fn path_key(path: &str) -> u32 {
    crate::files::split(path).map_or(0, |(folder, name)| entry_key(folder, name))
}

/// The key for the whole listing of a folder.
pub fn listing_key(folder: &str) -> u32 {
    hash(1, folder, "")
}

fn hash(sort: u8, folder: &str, name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(folder.as_bytes());
    hasher.write_u8(sort);
    hasher.write(name.as_bytes());
    (hasher.finish() >> 32) as u32
}

/// Runs `find` and records every lookup that this thread makes meanwhile.
pub fn track<T>(find: impl FnOnce() -> T) -> (T, DependencyRecord) {
    OPEN.with_borrow_mut(|open| open.push(DependencyRecord::default()));
    let found = find();
    let mut record = OPEN.with_borrow_mut(Vec::pop).unwrap_or_default();
    record.lookups.sort_unstable();
    record.lookups.dedup();
    record.lookups.shrink_to_fit();
    (found, record)
}

/// Whether a record is under construction on this thread.
pub(crate) fn is_tracking() -> bool {
    OPEN.with_borrow(|open| !open.is_empty())
}

/// Changes the innermost open record, if there is one.
fn note(add: impl FnOnce(&mut DependencyRecord)) {
    OPEN.with_borrow_mut(|open| {
        if let Some(record) = open.last_mut() {
            add(record);
        }
    });
}

/// Adds a lookup to the open record.
pub(crate) fn note_lookup(lookup: impl FnOnce() -> u32) {
    note(|record| {
        let lookup = lookup();
        if record.lookups.last() != Some(&lookup) {
            record.lookups.push(lookup);
        }
    });
}

/// Adds the record of a cached result to the open record.
pub(crate) fn note_inherited(other: &Arc<DependencyRecord>) {
    note(|record| {
        if !record.inherited.iter().any(|known| known.number == other.number) {
            record.inherited.push(Arc::clone(other));
        }
    });
}

/// Adds a notice to the open record.
pub(crate) fn note_notice(notice: &Notice) {
    note(|record| record.notices.push(notice.clone()));
}
