//! Plans the content of an archive before anything is written.

use std::collections::BTreeMap;

use portolan_archive::{StageError, StagedFile, compare, tar};
use portolan_types::{NodeId, Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;
use portolan_wire::diff_report::DiffReportV1;
use portolan_wire::run_report::{Amount, Cost, Denial, GroupCost, MemberReport};
use portolan_wire::snapshot::{Fingerprint, SnapshotV1};
use rayon::prelude::*;

use super::candidate::{Candidate, CandidateSource, CandidateVerdict, Member, Part, Rules};
use portolan_index::token_counts::Tokenizer;
use portolan_workspace::path_input::PathMatcher;

/// Tokens are not counted if an archive has more text than this: no model could read it.
const MOST_COUNTED: u64 = 16 << 20;

/// The tokenizer for archives.
pub(crate) const TOKENIZER: Tokenizer = Tokenizer::O200kBase;

/// The number of largest members that a report names.
const LARGEST: usize = 5;

/// The candidates by path, and notices.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) candidates: BTreeMap<RepoPath, Candidate>,
    pub(crate) notices: Vec<Notice>,
    /// Files that a rule denies without looking at them.
    pub(crate) denied: Vec<Denial>,
    /// The number of unresolved ids.
    pub(crate) unknown: usize,
}

impl Collected {
    /// Adds a candidate. A file of the base stays one if it is also selected, unless the base has
    /// only its start.
    pub(crate) fn add(&mut self, candidate: Candidate) {
        let known = self.candidates.get(&candidate.path);
        if known.is_none_or(|known| known.head && !candidate.head) {
            self.candidates.insert(candidate.path.clone(), candidate);
        }
    }
}

/// The planned content of an archive.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The members, sorted by path.
    pub(crate) members: Vec<Member>,
    /// The denied files, sorted by path.
    pub(crate) denied: Vec<Denial>,
    /// The selected external files, including binary ones, sorted by path.
    pub(crate) staged: Vec<StagedFile>,
    /// The cost of the folders and globs of the state.
    pub(crate) groups: Vec<GroupCost>,
    pub(crate) notices: Vec<Notice>,
}

impl Plan {
    /// Reads every candidate, in parallel, and applies the rules. Fails with all errors of staging.
    pub(crate) fn make(
        system: &dyn System,
        rules: &Rules<'_>,
        collected: Collected,
    ) -> Result<Self, Vec<StageError>> {
        let candidates: Vec<Candidate> = collected.candidates.into_values().collect();
        let size = candidates.iter().fold(0u64, |sum, one| sum.saturating_add(one.source.size()));
        let rules = &Rules { counts: rules.counts.filter(|_| size <= MOST_COUNTED), ..*rules };
        let verdicts: Vec<_> =
            candidates.par_iter().map(|candidate| rules.judge(system, candidate)).collect();
        let Collected { notices, denied, .. } = collected;
        let mut plan = Self { denied, notices, ..Self::default() };
        let mut errors = Vec::new();
        for (candidate, verdict) in candidates.into_iter().zip(verdicts) {
            match verdict {
                Ok(verdict) => plan.record(candidate, verdict),
                Err(error) => errors.push(error),
            }
        }
        plan.notices.sort_unstable();
        plan.denied.sort_by(|left, right| left.path.cmp(&right.path));
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    fn record(&mut self, candidate: Candidate, verdict: CandidateVerdict) {
        let is_binary =
            matches!(&verdict, CandidateVerdict::Denied(denial) if denial.rule == "binary");
        if let CandidateSource::Staged(file) = candidate.source
            && (is_binary || matches!(verdict, CandidateVerdict::In(..)))
        {
            self.staged.push(file);
        }
        match verdict {
            CandidateVerdict::In(member, notice) => {
                self.members.push(*member);
                self.notices.extend(notice);
            }
            CandidateVerdict::Denied(denial) => {
                let code =
                    if is_binary { NoticeCode::ArchiveBinary } else { NoticeCode::ArchiveDenied };
                let place = Place::file(denial.path.as_str());
                self.notices.push(Notice::at(code, place, denial.reason.clone()));
                self.denied.push(denial);
            }
            CandidateVerdict::Unreadable(notice) => self.notices.push(notice),
        }
    }

    /// The members as a snapshot.
    pub(crate) fn snapshot(&self) -> SnapshotV1 {
        let fingerprint =
            |member: &Member| Fingerprint { size: Some(member.size), sha256: member.sha256 };
        SnapshotV1::new(
            self.members.iter().map(|member| (member.path.clone(), fingerprint(member))).collect(),
        )
    }

    /// The cost of the members.
    pub(crate) fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for member in &self.members {
            let part: &mut Amount = match member.part {
                Part::Base => &mut cost.base,
                Part::Closure | Part::Hidden => &mut cost.closure,
            };
            part.add(member.size, member.tokens);
            cost.total.add(member.size, member.tokens);
        }
        cost
    }

    /// The cost of the members in a folder, or that match a glob.
    pub(crate) fn priced(&self, id: &NodeId) -> GroupCost {
        let meant = PathMatcher::new(id.as_str());
        let mut amount = Amount::default();
        for member in self.members.iter().filter(|member| meant.has(member.path.as_str())) {
            amount.add(member.size, member.tokens);
        }
        GroupCost { id: id.to_string(), amount }
    }

    /// The largest members, largest first.
    pub(crate) fn largest(&self) -> Vec<MemberReport> {
        let mut members: Vec<&Member> = self.members.iter().collect();
        members.sort_by(|left, right| {
            right.size.cmp(&left.size).then_with(|| left.path.cmp(&right.path))
        });
        let report =
            |member: &Member| MemberReport { path: member.path.clone(), bytes: member.size };
        members.into_iter().take(LARGEST).map(report).collect()
    }
}

/// The length of an archive with these members.
pub(crate) fn archive_bytes<'a>(members: impl Iterator<Item = (&'a str, u64)>) -> u64 {
    members.map(|(path, size)| tar::entry_size(path, size)).sum::<u64>() + tar::END_SIZE
}

/// The difference of the members from a baseline.
#[derive(Debug)]
pub(crate) struct Diff {
    pub(crate) report: DiffReportV1,
    /// The delta that replaces the map if it changed little; only diff archives contain it.
    pub(crate) delta: Option<Member>,
}

impl Diff {
    pub(crate) fn new(
        before: Option<&SnapshotV1>,
        now: &SnapshotV1,
        is_on_disk: impl Fn(&RepoPath) -> bool,
    ) -> Self {
        let report = compare(before.map(|snapshot| &snapshot.files), &now.files, is_on_disk);
        Self { report, delta: None }
    }

    /// The members that are sent, sorted by path.
    pub(crate) fn members<'a>(&'a self, plan: &'a Plan) -> Vec<&'a Member> {
        let mut sent: Vec<&Member> =
            plan.members.iter().filter(|member| self.sends(&member.path)).collect();
        if let Some(delta) = &self.delta {
            let place = sent.partition_point(|member| member.path < delta.path);
            sent.insert(place, delta);
        }
        sent
    }

    /// Whether a member is new or changed.
    pub(crate) fn sends(&self, path: &RepoPath) -> bool {
        let is_in = |changes: &[portolan_wire::diff_report::FileChange]| {
            changes.binary_search_by(|change| change.path.cmp(path)).is_ok()
        };
        is_in(&self.report.added) || is_in(&self.report.changed)
    }
}
