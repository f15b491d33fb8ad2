//! What each importer asked on its way, kept so that a change of the disk makes only those be asked again who
//! have other answers now.

use std::sync::Arc;

use portolan_languages::dependency_tracking::DependencyRecord;
use portolan_types::{Notice, Sha256Digest};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::build::File;
use super::reuse::{KeptNotice, keep_notice, notice_of};

/// The questions of all files of the universe. What many asked is written once.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Questions {
    /// What each ecosystem found out about the repository as a whole.
    bases: Vec<[u8; 32]>,
    /// Those that others are part of come first.
    records: Vec<StoredRecord>,
    /// The record of each file, counted from one; zero for none.
    files: Vec<u32>,
}

/// Equal ones are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredRecord {
    /// Hashes are of all sizes: as they are, they take the least.
    questions: Vec<[u8; 4]>,
    parts: Vec<u32>,
    notices: Vec<KeptNotice>,
}

/// What an earlier run asked, against what has other answers now.
pub(super) struct Judged {
    pub(super) bases: Vec<Sha256Digest>,
    pub(super) files: Vec<DependencyStatus>,
}

/// How a file of the universe stands with what it asked.
#[derive(Clone)]
pub(super) enum DependencyStatus {
    /// It is not known to have asked anything.
    Silent,
    /// It has the same answers.
    Same(Arc<DependencyRecord>),
    /// It has other answers.
    Other,
}

impl Questions {
    /// What the files asked.
    pub(super) fn of(files: &[File], bases: &[Sha256Digest]) -> Self {
        let mut writer = Writer::default();
        let number = |file: &File| file.asked.as_ref().map_or(0, |record| writer.write(record) + 1);
        let files = files.iter().map(number).collect();
        let bases = bases.iter().map(|basis| *basis.as_bytes()).collect();
        Self { bases, records: writer.records, files }
    }

    /// Whose answers are still the same, if those to `other` questions are not; `None` where this makes no sense.
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
    /// By content: what two runs asked alike is one.
    numbers: FxHashMap<StoredRecord, u32>,
    /// By their own numbers.
    written: FxHashMap<u64, u32>,
}

impl Writer {
    /// The number of a record; those it has as parts get theirs before.
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

/// What was noticed while files were resolved.
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
