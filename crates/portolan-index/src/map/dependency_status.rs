//! The queries of each importer, stored so that a change on disk re-resolves only the importers with other answers.

use std::sync::Arc;

use portolan_languages::dependency_tracking::DependencyRecord;
use portolan_types::{Notice, Sha256Digest};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::build::File;
use super::reuse::{KeptNotice, keep_notice, notice_of};

/// The queries of all files of the universe. Shared records are stored once.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Questions {
    /// The digest of what each ecosystem knows of the whole repository.
    bases: Vec<[u8; 32]>,
    /// Topological order: dependencies precede dependents.
    records: Vec<StoredRecord>,
    /// The record of each file, starting at 1; 0 for none.
    files: Vec<u32>,
}

/// A record, deduplicated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredRecord {
    /// Fixed width: a variable-length encoding of hashes is longer.
    questions: Vec<[u8; 4]>,
    parts: Vec<u32>,
    notices: Vec<KeptNotice>,
}

/// The queries of an earlier run, judged by the queries with other answers now.
pub(super) struct Judged {
    pub(super) bases: Vec<Sha256Digest>,
    pub(super) files: Vec<DependencyStatus>,
}

/// Whether the queries of a file still have the same answers.
#[derive(Clone)]
pub(super) enum DependencyStatus {
    /// It has no record.
    Silent,
    /// All answers are the same.
    Same(Arc<DependencyRecord>),
    /// Some answers have changed.
    Other,
}

impl Questions {
    /// Collects the queries of the files.
    pub(super) fn of(files: &[File], bases: &[Sha256Digest]) -> Self {
        let mut writer = Writer::default();
        let number = |file: &File| file.asked.as_ref().map_or(0, |record| writer.write(record) + 1);
        let files = files.iter().map(number).collect();
        let bases = bases.iter().map(|basis| *basis.as_bytes()).collect();
        Self { bases, records: writer.records, files }
    }

    /// Judges each file, given the queries with other answers; `None` if the data is inconsistent.
    pub(super) fn judge(self, other: &FxHashSet<u32>) -> Option<Judged> {
        let mut records: Vec<Option<Arc<DependencyRecord>>> =
            Vec::with_capacity(self.records.len());
        for stored in self.records {
            let questions: Vec<u32> =
                stored.questions.into_iter().map(u32::from_le_bytes).collect();
            let is_other = questions.iter().any(|question| other.contains(question));
            let part = |number: &u32| records.get(*number as usize);
            let parts: Vec<_> = stored.parts.iter().map(part).collect::<Option<_>>()?;
            let parts: Option<Vec<Arc<DependencyRecord>>> = parts.into_iter().cloned().collect();
            let notices = stored.notices.into_iter().map(notice_of).collect::<Option<_>>()?;
            let record = parts.filter(|_| !is_other);
            records.push(
                record.map(|parts| Arc::new(DependencyRecord::new(questions, parts, notices))),
            );
        }
        let of_file = |number: u32| match number.checked_sub(1) {
            None => Some(DependencyStatus::Silent),
            Some(at) => {
                let record = records.get(at as usize)?.clone();
                Some(record.map_or(DependencyStatus::Other, DependencyStatus::Same))
            }
        };
        let files = self.files.into_iter().map(of_file).collect::<Option<_>>()?;
        let bases = self.bases.into_iter().map(Sha256Digest::from_bytes).collect();
        Some(Judged { bases, files })
    }
}

/// Numbers records.
#[derive(Default)]
struct Writer {
    records: Vec<StoredRecord>,
    /// By content, so that equal records of two runs are one.
    numbers: FxHashMap<StoredRecord, u32>,
    /// By their numbers.
    written: FxHashMap<u64, u32>,
}

impl Writer {
    /// The number of a record; its parts are numbered first.
    fn write(&mut self, record: &Arc<DependencyRecord>) -> u32 {
        let mut open = vec![record];
        while let Some(record) = open.last().copied() {
            let is_open = |part: &&Arc<DependencyRecord>| !self.written.contains_key(&part.number);
            if let Some(part) = record.inherited.iter().find(is_open) {
                open.push(part);
                continue;
            }
            open.pop();
            let stored = StoredRecord {
                questions: record.lookups.iter().map(|hash| hash.to_le_bytes()).collect(),
                parts: record.inherited.iter().map(|part| self.written[&part.number]).collect(),
                notices: record.notices.iter().map(keep_notice).collect(),
            };
            let next = self.records.len() as u32;
            let records = &mut self.records;
            let number = *self.numbers.entry(stored).or_insert_with_key(|stored| {
                records.push(stored.clone());
                next
            });
            self.written.insert(record.number, number);
        }
        self.written[&record.number]
    }
}

/// The notices of resolving files.
pub(super) fn notices_of<'r>(
    records: impl Iterator<Item = &'r Arc<DependencyRecord>>,
) -> Vec<Notice> {
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let mut open: Vec<&Arc<DependencyRecord>> = records.collect();
    let mut notices = Vec::new();
    while let Some(record) = open.pop() {
        if seen.insert(record.number) {
            notices.extend(record.notices.iter().cloned());
            open.extend(&record.inherited);
        }
    }
    notices
}
