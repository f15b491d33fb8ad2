//! The rules of the guide, one function a rule. Pure: the reply and the evidence in, findings out.

use std::collections::BTreeMap;

use portolan_types::RepoPath;
use portolan_wire::state::{self, StateEntry, StateV2};

use super::document::{self, Document};
use super::file_ops;
use super::finding::{Finding, ReplyRule};
use super::patch::{self, Change, Patch};
use super::{Evidence, ReplyReport};

/// The section that the checklist and the no-change line are in.
const SECTION: &str = "Input Data Changes";
/// The line that says that the state does not change.
const NO_CHANGE: &str = "dependency.state.json: no change";
/// Suggestions take time; a state with many wrong ids gets them for the first few.
const SUGGESTIONS: usize = 20;

/// A file that a reply changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// Where the reply says so.
    pub line: usize,
    /// Which file.
    pub path: RepoPath,
}

/// What a reply says of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateChange {
    /// Nothing.
    Unsaid,
    /// That it does not change.
    Declared,
    /// It is patched.
    Patched,
}

impl StateChange {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsaid => "unsaid",
            Self::Declared => "no change",
            Self::Patched => "patched",
        }
    }
}

/// Holds a reply to the rules.
pub(super) fn judge(evidence: &Evidence<'_>, reply: &str) -> ReplyReport {
    let document = document::parse(reply);
    let mut patches: Vec<Patch<'_>> = document.blocks.iter().flat_map(patch::read).collect();
    let mut unread = Vec::new();
    for operation in file_ops::read(&document) {
        match operation {
            Ok(touched) => patches.extend(touched),
            Err(line) => unread.push(line),
        }
    }
    patches.sort_by_key(|patch| patch.line);
    let mut judge = Judge {
        evidence,
        section: document.section(SECTION),
        document: &document,
        targets: Vec::new(),
        findings: Vec::new(),
    };
    judge.targets(&patches);
    judge.file_operations(&unread);
    judge.read_only();
    let is_active = evidence.is_active();
    let mut state = StateChange::Unsaid;
    if is_active && !judge.targets.is_empty() {
        state = judge.state();
        judge.checklist();
        judge.gate();
    }
    let patches = judge
        .targets
        .iter()
        .map(|target| PatchedFile { line: target.patch.line, path: target.path.clone() });
    let patches = patches.collect();
    let mut findings = judge.findings;
    findings.sort_unstable();
    findings.dedup();
    ReplyReport { is_active, patches, state, findings }
}

/// A patch whose path is sound.
struct Target<'p, 'a> {
    path: RepoPath,
    patch: &'p Patch<'a>,
}

struct Judge<'e, 'p, 'a> {
    evidence: &'e Evidence<'e>,
    document: &'p Document<'a>,
    section: Vec<(usize, &'a str)>,
    targets: Vec<Target<'p, 'a>>,
    findings: Vec<Finding>,
}

impl<'p, 'a> Judge<'_, 'p, 'a> {
    fn find(
        &mut self,
        line: usize,
        rule: ReplyRule,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.findings.push(Finding { line, rule, message: message.into(), fix: fix.into() });
    }

    /// Keeps the patches whose path can be followed, and tells of the others.
    fn targets(&mut self, patches: &'p [Patch<'a>]) {
        const FIX: &str = "name the file from the repository's root: `--- a/path` and `+++ b/path`";
        for patch in patches {
            let Some(name) = &patch.target else {
                self.find(patch.line, ReplyRule::PatchTarget, "the patch names no file", FIX);
                continue;
            };
            match RepoPath::from_untrusted(name) {
                Ok(path) => self.targets.push(Target { path, patch }),
                Err(error) => {
                    let message = format!("the patch is for `{name}`: {error}");
                    self.find(patch.line, ReplyRule::PatchTarget, message, FIX);
                }
            }
        }
    }

    fn file_operations(&mut self, unread: &[(usize, &str)]) {
        const FIX: &str =
            "write `mv FROM TO`, `cp FROM TO`, `rm PATH`, `rmdir PATH` or `mkdirp PATH`";
        for (line, text) in unread {
            let message = format!("`{text}` is no file operation");
            self.find(*line, ReplyRule::FileOperation, message, FIX);
        }
    }

    fn read_only(&mut self) {
        let workspace = self.evidence.workspace;
        let mut found = Vec::new();
        for Target { path, patch } in &self.targets {
            let rule = if path.is_under(workspace.imports_dir().as_str()) {
                ReplyRule::ImportsReadOnly
            } else if self.is_tooling(path) {
                ReplyRule::ToolingOnly
            } else {
                continue;
            };
            found.push((patch.line, rule, format!("`{path}` is patched")));
        }
        for (line, rule, message) in found {
            let fix = match rule {
                ReplyRule::ImportsReadOnly => "leave the patch out: imports are reference material",
                _ => "leave the patch out: the next run would overwrite it",
            };
            self.find(line, rule, message, fix);
        }
    }

    fn is_tooling(&self, path: &RepoPath) -> bool {
        let workspace = self.evidence.workspace;
        let is_generated = path.is_under(workspace.context_dir().as_str())
            || path.is_under(workspace.output_dir().as_str());
        workspace.reserved(path).is_some() || (is_generated && *path != workspace.state())
    }

    /// Exactly one of two: a state patch that changes something, or the no-change line.
    fn state(&mut self) -> StateChange {
        let path = self.evidence.workspace.state();
        let patch =
            self.targets.iter().find(|target| target.path == path).map(|target| target.patch);
        let declared = self.no_change_line();
        match (patch, declared) {
            (Some(patch), Some(line)) => {
                let message = "the state is patched, and said not to change";
                let fix =
                    format!("leave out the line `{NO_CHANGE}`, or the patch (line {})", patch.line);
                self.find(line, ReplyRule::StateBoth, message, fix);
            }
            (None, None) => {
                let line = self.targets.first().map_or(1, |target| target.patch.line);
                let message = "the reply has patches and does not say what becomes of the state";
                let fix =
                    format!("patch `{path}`, or write the line `{NO_CHANGE}` under `## {SECTION}`");
                self.find(line, ReplyRule::StateNeither, message, fix);
            }
            _ => {}
        }
        match patch {
            Some(patch) => {
                self.state_patch(patch);
                StateChange::Patched
            }
            None if declared.is_some() => StateChange::Declared,
            None => StateChange::Unsaid,
        }
    }

    /// The line of the no-change line. One that is not to the letter, or elsewhere, counts as said
    /// and is a finding of its own.
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
        let (line, _) = *self.document.prose.iter().find(|(_, text)| loose(text))?;
        let fix = format!("write exactly `{NO_CHANGE}` on a line of its own under `## {SECTION}`");
        let message = "the no-change line is not to the letter, or not in its section";
        self.find(line, ReplyRule::NoChangeLine, message, fix);
        Some(line)
    }

    fn state_patch(&mut self, patch: &Patch<'_>) {
        let evidence = self.evidence;
        let before = String::from_utf8_lossy(evidence.state()).into_owned();
        let Some(after) = patch.change.apply(&before) else {
            let is_deleted = matches!(patch.change, Change::Delete);
            let message = if is_deleted {
                "the state is taken away"
            } else {
                "the patch does not fit the state of the archive"
            };
            let fix = format!("patch this text: {}", before.trim());
            return self.find(patch.line, ReplyRule::StateDoesNotApply, message, fix);
        };
        let Some(after) = self.sound_state(patch.line, &after) else { return };
        let old = state::read(before.as_bytes()).map(|read| read.state).unwrap_or_default();
        if old == after {
            let message = "the state patch changes nothing";
            let fix = format!("leave the patch out and write `{NO_CHANGE}` under `## {SECTION}`");
            return self.find(patch.line, ReplyRule::StateNoOp, message, fix);
        }
        self.ids(patch.line, &after);
        self.selection_listed(patch.line, &after);
        let scratch = evidence.workspace.scratch();
        if !self.targets.iter().any(|target| target.path == scratch) {
            let message = "the selection changes and nothing says why";
            let fix = format!("update `{scratch}` with the reason, in the same reply");
            self.find(patch.line, ReplyRule::ScratchMissing, message, fix);
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
        let world = self.evidence.world;
        let is_known = |entry: &&StateEntry| {
            let id = entry.id.as_str();
            world.is_node(id) || RepoPath::from_untrusted(id).is_ok_and(|path| world.is_file(&path))
        };
        let entries = state.include.iter().chain(&state.exclude);
        let unknown: Vec<_> = entries.filter(|entry| !is_known(entry)).collect();
        for (index, entry) in unknown.into_iter().enumerate() {
            let near =
                if index < SUGGESTIONS { world.similar(entry.id.as_str()) } else { Vec::new() };
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

    fn selection_listed(&mut self, line: usize, state: &StateV2) {
        let is_listed = |entry: &&StateEntry| {
            self.section.iter().any(|(_, text)| text.contains(entry.id.as_str()))
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

    /// What the checklist says of each file: the line, and whether it is present.
    fn claims(&self) -> BTreeMap<String, (usize, bool)> {
        let claims = self.section.iter().filter_map(|(line, text)| {
            let (path, is_present) = claim(text)?;
            Some((path, (*line, is_present)))
        });
        claims.collect()
    }

    fn checklist(&mut self) {
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
            .map(|target| (target.patch.line, target.path.clone()))
            .collect();
        for (line, path) in missing {
            let is = if self.evidence.has(path.as_str()) { "yes" } else { "no" };
            let message = format!("`{path}` is patched and not in the checklist");
            let fix = format!("add under `## {SECTION}`: - `{path}` — present: `{is}`");
            self.find(line, ReplyRule::ChecklistMissing, message, fix);
        }
    }

    /// The targets that the checklist is about.
    fn listed_targets(&self) -> impl Iterator<Item = &Target<'p, 'a>> {
        let system = self.evidence.workspace.system_dir();
        let files =
            self.targets.iter().filter(|target| !matches!(target.patch.change, Change::Folder));
        files.filter(move |target| !target.path.is_under(system.as_str()))
    }

    /// No patch for a file that is not there to be read, and then none for others either.
    fn gate(&mut self) {
        let state = self.evidence.workspace.state();
        let editable: Vec<_> = self
            .listed_targets()
            .filter(|target| target.path != state)
            .map(|target| (target.patch.line, target.path.clone(), self.is_blind(target)))
            .collect();
        let missing = self.claims().into_iter().find(|(path, (_, is_present))| {
            !is_present
                && RepoPath::new(path.as_str()).is_ok_and(|path| self.evidence.world.is_file(&path))
        });
        for (line, path, is_blind) in editable {
            if is_blind {
                let message = format!("`{path}` is patched, and the archive does not have it");
                let fix = format!(
                    "ask for it: add `{path}` to `{state}` and request a new --context archive"
                );
                self.find(line, ReplyRule::HardGate, message, fix);
            } else if let Some((absent, _)) = &missing {
                let message =
                    format!("`{path}` is patched in a reply that still waits for `{absent}`");
                let fix = "patch only the state, stan.scratch.md and stan.todo.md in this turn";
                self.find(line, ReplyRule::HardGate, message, fix);
            }
        }
    }

    /// A file that is not attached can only be made, and only where there is none yet.
    fn is_blind(&self, target: &Target<'_, '_>) -> bool {
        let is_new =
            matches!(target.patch.change, Change::Create(_) | Change::Replace(_) | Change::Arrive)
                && !self.evidence.world.is_file(&target.path);
        !self.evidence.has(target.path.as_str()) && !is_new
    }
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
