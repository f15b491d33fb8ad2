//! Checks what a reply says about the state, and the resulting state.

use crate::reply::PathRole as Role;
use portolan_types::RepoPath;
use portolan_wire::state::{self, StateEntry, StateV2};

use super::{NO_CHANGE, ReplyRule, Review, SECTION, StateChange};

/// The number of wrong ids with suggestions, because suggestions take time.
const SUGGESTIONS: usize = 20;

impl Review<'_, '_> {
    /// Requires exactly one: a state patch that changes something, or the no-change line.
    pub(super) fn state(&mut self) -> StateChange {
        let path = self.evidence.workspace.state();
        let is_patch = |role: Role| role != Role::CopyFrom;
        let patch = self.targets.iter().find(|target| target.path == path && is_patch(target.role));
        let patch = patch.map(|target| target.line);
        let declared = self.no_change_line();
        match (patch, declared) {
            (Some(patch), Some(line)) => {
                let message = "the state is patched, and said not to change";
                let fix = format!("leave out the line `{NO_CHANGE}`, or the patch (line {patch})");
                self.find(line, ReplyRule::StateBoth, message, fix);
            }
            (None, None) => {
                let line = self.targets.first().map_or(1, |target| target.line);
                let message = "the reply has patches and does not say what becomes of the state";
                let fix =
                    format!("patch `{path}`, or write the line `{NO_CHANGE}` under `## {SECTION}`");
                self.find(line, ReplyRule::StateNeither, message, fix);
            }
            _ => {}
        }
        match patch {
            Some(line) => {
                self.state_patch(line, &path);
                StateChange::Patched
            }
            None if declared.is_some() => StateChange::Declared,
            None => StateChange::Unsaid,
        }
    }

    /// The position of the no-change line. An inexact or misplaced line counts, and is a finding.
    fn no_change_line(&mut self) -> Option<usize> {
        let bare = |text: &str| {
            text.trim().trim_start_matches(['-', '*']).trim().trim_matches('`').to_owned()
        };
        let exact = self.section.iter().find(|(_, text)| bare(text) == NO_CHANGE);
        if let Some((line, _)) = exact {
            return Some(*line);
        }
        let loose = |text: &str| {
            let text = bare(text).to_lowercase();
            text.contains("dependency.state.json")
                && text.trim_end_matches('.').ends_with("no change")
        };
        let prose = &self.reply.document.prose;
        let (line, _) = *prose.iter().find(|(_, text)| loose(text))?;
        let fix = format!("write exactly `{NO_CHANGE}` on a line of its own under `## {SECTION}`");
        let message = "the no-change line is not to the letter, or not in its section";
        self.find(line, ReplyRule::NoChangeLine, message, fix);
        Some(line)
    }

    fn state_patch(&mut self, line: usize, path: &RepoPath) {
        let evidence = self.evidence;
        let before = String::from_utf8_lossy(evidence.state()).into_owned();
        let after = self.outcome.files.iter().find(|file| file.path == *path);
        let Some(after) = after.and_then(|file| file.bytes.as_ref()) else {
            let goes = |role: Role| matches!(role, Role::Delete | Role::MoveFrom);
            let taken = self.targets.iter().any(|target| target.path == *path && goes(target.role));
            let misfit = self.outcome.misfits.iter().find(|misfit| misfit.path == *path);
            let message = match misfit {
                _ if taken => "the state is taken away".to_owned(),
                Some(misfit) => misfit.message.clone(),
                // The patch could not be parsed, which is already reported.
                None => return,
            };
            let fix = format!("patch this text: {}", before.trim());
            return self.find(line, ReplyRule::StateDoesNotApply, message, fix);
        };
        let after = String::from_utf8_lossy(after).into_owned();
        let Some(after) = self.sound_state(line, &after) else { return };
        let old = state::read(before.as_bytes()).map(|read| read.state).unwrap_or_default();
        if old == after {
            let message = "the state patch changes nothing";
            let fix = format!("leave the patch out and write `{NO_CHANGE}` under `## {SECTION}`");
            return self.find(line, ReplyRule::StateNoOp, message, fix);
        }
        self.ids(line, &after);
        self.selection_listed(line, &after);
        let scratch = evidence.workspace.scratch();
        if !self.targets.iter().any(|target| target.path == scratch) {
            let message = "the selection changes and nothing says why";
            let fix = format!("update `{scratch}` with the reason, in the same reply");
            self.find(line, ReplyRule::ScratchMissing, message, fix);
        }
    }

    fn sound_state(&mut self, line: usize, text: &str) -> Option<StateV2> {
        const FIX: &str = "a state looks like { \"v\": 2, \"i\": [[\"src/index.ts\", 1]] }";
        let read = state::read(text.as_bytes()).map_err(|problem| vec![problem]);
        match read.and_then(state::ReadState::strict) {
            Ok(read) => Some(read.state),
            Err(problems) => {
                for problem in problems {
                    let message = format!("the patched state cannot be used: {problem}");
                    self.find(line, ReplyRule::StateInvalid, message, FIX);
                }
                None
            }
        }
    }

    fn ids(&mut self, line: usize, state: &StateV2) {
        let context = self.evidence.context;
        let is_known = |entry: &&StateEntry| {
            let id = entry.id.as_str();
            context.is_node(id)
                || RepoPath::from_untrusted(id).is_ok_and(|path| context.is_file(&path))
        };
        let entries = state.include.iter().chain(&state.exclude);
        let unknown: Vec<_> = entries.filter(|entry| !is_known(entry)).collect();
        for (index, entry) in unknown.into_iter().enumerate() {
            let near =
                if index < SUGGESTIONS { context.similar(entry.id.as_str()) } else { Vec::new() };
            let near: Vec<_> = near.iter().map(|id| format!("`{id}`")).collect();
            let fix = if near.is_empty() {
                "take an id from `dependency.meta.json`".to_owned()
            } else {
                format!("did you mean {}?", near.join(" or "))
            };
            let message =
                format!("`{}` is neither in the Map nor a file of the repository", entry.id);
            self.find(line, ReplyRule::StateUnknownId, message, fix);
        }
    }
}
