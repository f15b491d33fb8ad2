//! Checks the reply's checklist of patched files against the archive.

use std::collections::{BTreeMap, BTreeSet};

use crate::reply::{PathRole as Role, TouchedPath as Target};
use portolan_types::RepoPath;
use portolan_wire::state::{StateEntry, StateV2};

use super::{ReplyRule, Review, SECTION};

/// The most unquoted ids that are searched for in the whole section.
const SEARCHES: usize = 50;

impl Review<'_, '_> {
    pub(super) fn checklist(&mut self) {
        let claims = self.claims();
        for (path, (line, is_present)) in &claims {
            let truth = self.evidence.has(path);
            if *is_present != truth {
                let (said, is) = if truth { ("no", "yes") } else { ("yes", "no") };
                let message = format!("`{path}` is said to be present: {said}");
                let fix = format!("write `{path}` — present: `{is}`; {}", advice(truth));
                self.find(*line, ReplyRule::ChecklistFalse, message, fix);
            }
        }
        let missing: Vec<_> = self
            .listed_targets()
            .filter(|target| !claims.contains_key(target.path.as_str()))
            .map(|target| (target.line, target.path.clone()))
            .collect();
        for (line, path) in missing {
            let is = if self.evidence.has(path.as_str()) { "yes" } else { "no" };
            let message = format!("`{path}` is patched and not in the checklist");
            let fix = format!("add under `## {SECTION}`: - `{path}` — present: `{is}`");
            self.find(line, ReplyRule::ChecklistMissing, message, fix);
        }
    }

    /// The claims of the checklist: for each file the line, and whether it is present.
    fn claims(&self) -> BTreeMap<String, (usize, bool)> {
        let claims = self.section.iter().filter_map(|(line, text)| {
            let (path, is_present) = claim(text)?;
            Some((path, (*line, is_present)))
        });
        claims.collect()
    }

    /// The targets that the checklist must list.
    fn listed_targets(&self) -> impl Iterator<Item = &Target> {
        let system = self.evidence.workspace.system_dir();
        let files = self
            .targets
            .iter()
            .filter(|target| !target.role.is_folder() && target.role != Role::CopyFrom);
        files.filter(move |target| !target.path.is_under(system.as_str()))
    }

    /// A file of the repository that the checklist calls missing.
    pub(super) fn awaited(&self) -> Option<String> {
        let missing = self.claims().into_iter().find(|(path, (_, is_present))| {
            !is_present
                && RepoPath::new(path.as_str())
                    .is_ok_and(|path| self.evidence.context.is_file(&path))
        });
        missing.map(|(path, _)| path)
    }

    pub(super) fn selection_listed(&mut self, line: usize, state: &StateV2) {
        let listed: BTreeSet<&str> =
            self.section.iter().flat_map(|(_, text)| words(text)).collect();
        let mut searches = 0;
        let mut is_listed = |entry: &&StateEntry| {
            let id = entry.id.as_str();
            if listed.contains(id) {
                return true;
            }
            searches += 1;
            searches <= SEARCHES && self.section.iter().any(|(_, text)| text.contains(id))
        };
        let entries = state.include.iter().chain(&state.exclude);
        let missing: Vec<String> =
            entries.filter(|entry| !is_listed(entry)).map(|entry| format!("`{entry}`")).collect();
        if !missing.is_empty() {
            let message = "the checklist does not list what the state asks for";
            let fix = format!("list under `## {SECTION}`: {}", missing.join(", "));
            self.find(line, ReplyRule::ChecklistSelection, message, fix);
        }
    }
}

/// The quoted texts of a line, and its words.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2).chain(text.split('"').skip(1).step_by(2));
    quoted.chain(text.split_whitespace())
}

fn advice(is_present: bool) -> &'static str {
    if is_present { "it is in the archive" } else { "the archive does not have it" }
}

/// Reads `` - `src/a.ts` — present: `yes` ``.
fn claim(text: &str) -> Option<(String, bool)> {
    let (before, after) = text.split_once("present:")?;
    let word = after.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let is_present = match word.split(|c: char| !c.is_ascii_alphabetic()).next()? {
        yes if yes.eq_ignore_ascii_case("yes") => true,
        no if no.eq_ignore_ascii_case("no") => false,
        _ => return None,
    };
    let quoted = before.split('`').nth(1);
    let bare = || {
        before
            .trim()
            .trim_start_matches(['-', '*'])
            .trim_end_matches(['-', '—', '–', ' ', ',', ':'])
    };
    let path = quoted.unwrap_or_else(bare).trim();
    (!path.is_empty()).then(|| (path.to_owned(), is_present))
}
