//! Who asked what of the disk and the universe, so that a later run can tell whose answers are other ones
//! now.
//!
//! Questions are known by a hash of the path they are about, without its endings: `a.ts`, `a.tsx` and the folder
//! `a` are one question, and two that happen to have the same hash are one, too. Both make somebody be asked
//! again for nothing, never not be asked. What is remembered for many ([`Memo::recall`](crate::resolve::files::Memo::recall)) brings
//! the questions it came from to everybody who is told it.

use std::cell::RefCell;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use portolan_types::Notice;
use rustc_hash::FxHasher;

/// What was asked to find something out.
#[derive(Debug)]
pub struct Record {
    /// Tells it from all others of the process, and says nothing else.
    pub number: u64,
    /// The questions, in order, each once.
    pub questions: Vec<u32>,
    /// What was asked for what others had found out before, each once.
    pub parts: Vec<Arc<Self>>,
    /// What was noticed on the way.
    pub notices: Vec<Notice>,
}

impl Record {
    /// A record of what was asked in an earlier run.
    pub fn new(questions: Vec<u32>, parts: Vec<Arc<Self>>, notices: Vec<Notice>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { number, questions, parts, notices }
    }
}

impl Default for Record {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new(), Vec::new())
    }
}

thread_local! {
    /// The records in the making: what is found out on the way to something else has its own.
    static OPEN: RefCell<Vec<Record>> = const { RefCell::new(Vec::new()) };
}

/// The question about what stands at the name in the folder, whatever it ends in.
pub fn name_in(folder: &str, name: &str) -> u32 {
    // A dot in front is no ending.
    let dot = name.char_indices().skip(1).find(|(_, letter)| *letter == '.');
    hash(0, folder, &name[..dot.map_or(name.len(), |(at, _)| at)])
}

/// The question about the path.
pub fn path(path: &str) -> u32 {
    crate::resolve::files::split(path).map_or(0, |(folder, name)| name_in(folder, name))
}

/// The question about all that is in the folder.
pub fn all_in(folder: &str) -> u32 {
    hash(1, folder, "")
}

fn hash(sort: u8, folder: &str, name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(folder.as_bytes());
    hasher.write_u8(sort);
    hasher.write(name.as_bytes());
    (hasher.finish() >> 32) as u32
}

/// Writes down what is asked on this thread until `find` is done.
pub fn record<T>(find: impl FnOnce() -> T) -> (T, Record) {
    OPEN.with_borrow_mut(|open| open.push(Record::default()));
    let found = find();
    let mut record = OPEN.with_borrow_mut(Vec::pop).unwrap_or_default();
    record.questions.sort_unstable();
    record.questions.dedup();
    record.questions.shrink_to_fit();
    (found, record)
}

/// Whether somebody writes down what is asked.
pub(crate) fn is_recording() -> bool {
    OPEN.with_borrow(|open| !open.is_empty())
}

/// Writes something down, if anybody does.
fn note(add: impl FnOnce(&mut Record)) {
    OPEN.with_borrow_mut(|open| {
        if let Some(record) = open.last_mut() {
            add(record);
        }
    });
}

/// Notes a question.
pub(crate) fn note_question(question: impl FnOnce() -> u32) {
    note(|record| {
        let question = question();
        if record.questions.last() != Some(&question) {
            record.questions.push(question);
        }
    });
}

/// Notes that something is taken from what was found out before.
pub(crate) fn note_part(part: &Arc<Record>) {
    note(|record| {
        if !record.parts.iter().any(|known| known.number == part.number) {
            record.parts.push(Arc::clone(part));
        }
    });
}

/// Notes what was noticed.
pub(crate) fn note_notice(notice: &Notice) {
    note(|record| record.notices.push(notice.clone()));
}
