//! `dependency.state.json`: the assistant's selection. Versions 1 to 3 can be read; version 2 is written, or
//! version 3, which adds what the next chart should show.
//!
//! A language model writes the state, so there are two ways to read it. The lenient one (`select`, the summary)
//! turns each fault into a warning and continues with the rest. The strict one (`run`) lists every problem at once
//! and selects nothing.

mod entry;

use std::fmt::Write as _;

use portolan_types::{KindMask, NodeId};

use crate::problem::{Problem, ProblemDraft, deviations, finish};
use portolan_json::{Json, JsonDocument, LocatedJson};

pub use entry::{EntryList, read_entries};

/// An entry: a node, how many edges to follow from it, and of which kinds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateEntry {
    /// The node to start at.
    pub id: NodeId,
    /// How many edges to follow; 0 for the node alone.
    pub depth: u64,
    /// The kinds to follow; `None` if the entry does not say, which means all unless there is a default.
    pub kinds: Option<KindMask>,
}

impl StateEntry {
    /// The node alone.
    pub fn seed(id: impl Into<NodeId>) -> Self {
        Self { id: id.into(), depth: 0, kinds: None }
    }
}

/// The state: includes and excludes. Excludes win.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateV2 {
    /// `i`.
    pub include: Vec<StateEntry>,
    /// `x`; left out if empty.
    pub exclude: Vec<StateEntry>,
    /// `z` of version 3: files, folders or globs to show in detail in the next chart.
    pub zoom: Vec<String>,
    /// `q` of version 3: the task in words.
    pub task: Option<String>,
}

/// The version of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateVersion {
    /// `include`/`exclude` and lists of kind names; no `v`, or 1.
    V1,
    /// `v`, `i`, `x` and masks.
    V2,
    /// Version 2 with `z` and `q`.
    V3,
}

/// A state and the findings about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadState {
    /// What could be read.
    pub state: StateV2,
    /// The version it was written in.
    pub version: StateVersion,
    /// For the lenient reading: what was skipped, in the words of the selection's contract.
    pub warnings: Vec<String>,
    /// For the strict reading: what must be fixed first. Empty for a valid state.
    pub problems: Vec<Problem>,
    /// What was accepted although it is unusual, in source order.
    pub notes: Vec<Problem>,
}

impl ReadState {
    /// The strict reading: the state, or everything that is wrong with it.
    pub fn strict(self) -> Result<Self, Vec<Problem>> {
        if self.problems.is_empty() { Ok(self) } else { Err(self.problems) }
    }
}

/// Reads a state. Fails only if the text is not JSON or not an object: then there is nothing to
/// salvage.
pub fn read(bytes: &[u8]) -> Result<ReadState, Problem> {
    let document = portolan_json::parse(bytes)?;
    if document.root.as_object().is_none() {
        let message = format!(
            "found {}; a state is an object: {{ \"v\": 2, \"i\": [] }}",
            document.root.describe()
        );
        return Err(finish(bytes, vec![ProblemDraft::new(document.root.at, "", message)]).remove(0));
    }
    let mut reader =
        StateReader { problems: deviations(&document), notes: Vec::new(), warnings: Vec::new() };
    reader.warn_of_deviations(bytes, &document);
    let version = reader.version(&document.root);
    reader.members(&document.root);
    let include = reader.list(&document.root, ["i", "include"], version);
    let exclude = reader.list(&document.root, ["x", "exclude"], version);
    let (zoom, task) = (reader.zoom(&document.root), reader.task(&document.root));
    Ok(ReadState {
        state: StateV2 { include, exclude, zoom, task },
        version,
        warnings: reader.warnings,
        problems: finish(bytes, reader.problems),
        notes: finish(bytes, reader.notes),
    })
}

struct StateReader {
    problems: Vec<ProblemDraft>,
    notes: Vec<ProblemDraft>,
    warnings: Vec<String>,
}

impl StateReader {
    fn warn_of_deviations(&mut self, bytes: &[u8], document: &JsonDocument<'_>) {
        let problems = finish(bytes, deviations(document));
        for ((_, deviation), problem) in document.deviations.iter().zip(problems) {
            let (line, column) = problem.position.unwrap_or((1, 1));
            let (first, rest) = deviation.name().split_at(1);
            let name = first.to_uppercase() + rest;
            self.warnings
                .push(format!("{name} in the state at line {line}, column {column}; ignoring."));
        }
    }

    fn problem(&mut self, at: usize, path: &str, message: String, warning: String) {
        self.problems.push(ProblemDraft::new(at, path, message));
        self.warnings.push(warning);
    }

    fn version(&mut self, root: &LocatedJson<'_>) -> StateVersion {
        const LEGACY: &str = "written in version 1; it is read as version 2";
        let asks = root.get("z").is_some() || root.get("q").is_some();
        // A version 3 without selection, `z` or `q` is a mistake that version 2 never had.
        let selects =
            root.get("i").and_then(LocatedJson::as_array).is_some_and(|list| !list.is_empty());
        let short = root.get("i").is_some() || root.get("x").is_some();
        match root.get("v").map(|v| (v, v.as_count())) {
            Some((_, Some(3))) if asks || selects => StateVersion::V3,
            Some((v, Some(2))) => {
                if asks {
                    let message = "`z` and `q` are of version 3; write `\"v\": 3`";
                    self.notes.push(ProblemDraft::new(v.at, "v", message));
                }
                StateVersion::V2
            }
            Some((v, Some(1))) => {
                self.notes.push(ProblemDraft::new(v.at, "v", LEGACY));
                StateVersion::V1
            }
            Some((v, _)) => {
                let found = v.describe();
                let message = format!(
                    "found {found}; allowed: `2`, or `3` with `i`, `z` or `q` (and `1`, the old form)"
                );
                self.problem(
                    v.at,
                    "v",
                    message,
                    format!("Invalid v in the state: {found}; reading it as 2."),
                );
                StateVersion::V2
            }
            None if short => {
                let message = "missing; write `\"v\": 2`".to_owned();
                self.problem(
                    root.at,
                    "v",
                    message,
                    "Missing v in the state; reading it as 2.".to_owned(),
                );
                StateVersion::V2
            }
            None => {
                self.notes.push(ProblemDraft::new(root.at, "", LEGACY));
                StateVersion::V1
            }
        }
    }

    /// Reports unknown and duplicate members.
    fn members(&mut self, root: &LocatedJson<'_>) {
        const KNOWN: [&str; 7] = ["v", "i", "x", "z", "q", "include", "exclude"];
        let members = root.as_object().unwrap_or_default();
        for (index, found) in members.iter().enumerate() {
            let name = found.name.as_ref();
            if !KNOWN.contains(&name) {
                let message = "unknown member; allowed: `v`, `i`, `x`, `z`, `q`".to_owned();
                self.problem(
                    found.value.at,
                    name,
                    message,
                    format!("Unknown member of the state: {name}; ignoring."),
                );
            } else if members.iter().skip(index + 1).any(|later| later.name == found.name) {
                let message = "given twice; keep one".to_owned();
                let warning = format!("Member of the state given twice: {name}; using the last.");
                self.problem(found.value.at, name, message, warning);
            }
        }
    }

    /// What the next chart should show in detail.
    fn zoom(&mut self, root: &LocatedJson<'_>) -> Vec<String> {
        let Some(list) = root.get("z") else { return Vec::new() };
        let wanted = "allowed: a list of files, folders or globs, such as [\"src/api\"]";
        let warning = || "Invalid z in the state: expected array of strings; ignoring.".to_owned();
        let Json::Array(items) = &list.json else {
            let message = format!("found {}; {wanted}", list.describe());
            self.problem(list.at, "z", message, warning());
            return Vec::new();
        };
        let mut zoom = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match &item.json {
                Json::String(text) if !text.trim().is_empty() => zoom.push(text.to_string()),
                _ => {
                    let message = format!("found {}; {wanted}", item.describe());
                    self.problem(item.at, &format!("z[{index}]"), message, warning());
                }
            }
        }
        zoom
    }

    /// The task in words.
    fn task(&mut self, root: &LocatedJson<'_>) -> Option<String> {
        let found = root.get("q")?;
        if let Json::String(text) = &found.json {
            return (!text.trim().is_empty()).then(|| text.to_string());
        }
        let message = format!("found {}; allowed: the task in words", found.describe());
        let warning = "Invalid q in the state: expected string; ignoring.".to_owned();
        self.problem(found.at, "q", message, warning);
        None
    }

    /// Reads one of the two lists. The short name wins over the long one, which version 2 tolerates.
    fn list(
        &mut self,
        root: &LocatedJson<'_>,
        [short, long]: [&'static str; 2],
        version: StateVersion,
    ) -> Vec<StateEntry> {
        let found = root.get(short).map(|list| (short, list));
        let Some((name, list)) = found.or_else(|| root.get(long).map(|list| (long, list))) else {
            if short == "i" {
                self.notes.push(ProblemDraft::new(
                    root.at,
                    short,
                    "missing, so nothing is included",
                ));
            }
            return Vec::new();
        };
        if name == long && version != StateVersion::V1 {
            self.notes.push(ProblemDraft::new(
                list.at,
                long,
                format!("read as `{short}`, its name in version 2"),
            ));
        }
        let Json::Array(items) = &list.json else {
            let found = list.describe();
            let message = format!("found {found}; allowed: a list of entries");
            self.problem(
                list.at,
                name,
                message,
                format!("Invalid {name} in the state: expected array; using none."),
            );
            return Vec::new();
        };
        let label = if short == "i" { "entry" } else { "exclude" };
        let read = read_entries(items, name, label);
        self.problems.extend(read.problems);
        self.notes.extend(read.notes);
        self.warnings.extend(read.warnings);
        read.entries
    }
}

impl StateV2 {
    /// Whether it requests a chart of its own.
    pub fn asks_for_a_chart(&self) -> bool {
        !self.zoom.is_empty() || self.task.is_some()
    }

    /// The text of the file: one entry per line, a newline at the end. An empty state gives the text that the
    /// thread opener writes. It has version 3 only if it needs it.
    pub fn to_text(&self) -> String {
        let version = if self.asks_for_a_chart() { 3 } else { 2 };
        let mut text = format!("{{ \"v\": {version}, \"i\": ");
        write_list(&mut text, &self.include);
        if !self.exclude.is_empty() {
            text.push_str(", \"x\": ");
            write_list(&mut text, &self.exclude);
        }
        if !self.zoom.is_empty() {
            let zoom: Vec<String> = self.zoom.iter().map(|one| quoted(one)).collect();
            let _ = write!(text, ", \"z\": [{}]", zoom.join(", "));
        }
        if let Some(task) = &self.task {
            let _ = write!(text, ", \"q\": {}", quoted(task));
        }
        text.push_str(" }\n");
        text
    }
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    let mut bytes = Vec::new();
    crate::canonical::write_string(&mut bytes, text);
    String::from_utf8(bytes).unwrap_or_default()
}

fn write_list(text: &mut String, entries: &[StateEntry]) {
    if entries.is_empty() {
        text.push_str("[]");
        return;
    }
    text.push('[');
    for (index, entry) in entries.iter().enumerate() {
        text.push_str(if index == 0 { "\n  " } else { ",\n  " });
        text.push_str(&entry.to_string());
    }
    text.push_str("\n]");
}

impl std::fmt::Display for StateEntry {
    /// The entry as written in a state, in its shortest form.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = quoted(self.id.as_str());
        // Leaving the kinds out means all of them.
        let kinds = self.kinds.filter(|kinds| *kinds != KindMask::ALL);
        match (self.depth, kinds) {
            (0, None) => f.write_str(&id),
            (depth, None) => write!(f, "[{id}, {depth}]"),
            (depth, Some(kinds)) => write!(f, "[{id}, {depth}, {}]", kinds.bits()),
        }
    }
}

/// All problems in one text, a line each.
pub fn list_problems(problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        // Writing to memory does not fail.
        let _ = writeln!(text, "{problem}");
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests;
