//! The results of the smaller commands, version 1 each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;
use crate::history::HistoryV1;

published! {
    ChartReportV1 = "chart-report";
    CheckReportV1 = "check-report";
    InitReportV1 = "init-report";
    ReplyReportV1 = "reply-report";
    ApplyReportV1 = "apply-report";
    SnapReportV1 = "snap-report";
    GraphStatsV1 = "graph-stats";
    PromptReportV1 = "prompt-report";
    VerifyReportV1 = "verify-report";
    ViewReportV1 = "view-report";
}

/// The result of `portolan check`: what became of earlier answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// One for each digest, in their order.
    pub answers: Vec<CheckedV1>,
}

/// What became of an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedV1 {
    /// Its digest.
    pub digest: String,
    /// `true`, `changed` or `unknown`.
    #[schemars(regex(pattern = "^(true|changed|unknown)$"))]
    pub verdict: &'static str,
    /// The files behind it that are not as they were; `(gone)` and `(new)` follow a path.
    pub files: Vec<String>,
    /// The same in words.
    pub text: String,
}

/// The result of `portolan init`: what was written, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct InitReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The files, in the order of writing.
    pub steps: Vec<InitStepV1>,
    /// The command to run after it.
    pub next: &'static str,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InitStepV1 {
    /// The file, from the repository's root.
    pub path: String,
    /// `create`, `append`, `replace` or `keep`.
    #[schemars(regex(pattern = "^(create|append|replace|keep)$"))]
    pub action: &'static str,
    /// With `append`: the lines that are added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// The result of `portolan check-reply`: what a reply changes, and which rules it breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReplyReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether the Map has been seen, so that all rules hold.
    pub active: bool,
    /// What the reply says of the state: `unsaid`, `no change` or `patched`.
    #[schemars(regex(pattern = "^(unsaid|no change|patched)$"))]
    pub state: &'static str,
    /// The files that the reply changes, in its order.
    pub patches: Vec<PatchedFileV1>,
    /// The rules that it breaks, in its order.
    pub findings: Vec<FindingV1>,
}

/// A file that a reply changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PatchedFileV1 {
    /// The file, from the repository's root.
    pub path: String,
    /// Where the reply says so, from 1.
    pub line: usize,
    /// What becomes of it: `edit`, `create`, `replace`, `delete`, `move away`, `move`, `copy`, `make
    /// folder` or `remove folder`.
    pub action: &'static str,
}

/// A rule that a reply breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FindingV1 {
    /// Which rule.
    #[schemars(regex(pattern = "^CTX-REPLY-[0-9]{4}$"))]
    pub code: &'static str,
    /// `error`, or `form` where it is about what a reply says of itself.
    #[schemars(regex(pattern = "^(error|form)$"))]
    pub level: &'static str,
    /// Where, from 1.
    pub line: usize,
    /// What is there.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

/// The result of `portolan apply`: the files that were changed, or would be, or why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ApplyReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether files were changed.
    pub applied: bool,
    /// Whether nothing was to be written.
    pub dry_run: bool,
    /// Whether an earlier one was taken back.
    pub undo: bool,
    /// How many files of an `apply` that was cut short were put back before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<usize>,
    /// The files, in order of their paths.
    pub files: Vec<AppliedFileV1>,
    /// The rules that the reply breaks, in its order.
    pub findings: Vec<FindingV1>,
}

/// A file that is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AppliedFileV1 {
    /// The file, from the repository's root.
    pub path: String,
    /// The file that it is made of, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What becomes of it: `edit`, `create`, `delete`, `move`, `copy`, `mode`, `make folder` or
    /// `remove folder`.
    pub action: &'static str,
    /// How many lines come.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
}

/// The result of `portolan snap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SnapReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The baselines that are kept, after the move.
    pub history: HistoryV1,
    /// The baselines that were set.
    pub set: Vec<BaselineV1>,
}

/// A baseline that was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineV1 {
    /// `plain` or `context`.
    #[schemars(regex(pattern = "^(plain|context)$"))]
    pub baseline: &'static str,
    /// How many files it has.
    pub files: usize,
}

/// The result of `portolan graph --view stats`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct GraphStatsV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// How many files the universe has.
    pub files: usize,
    /// The bytes of the source nodes.
    pub source_bytes: u64,
    /// How many nodes there are of each kind.
    pub nodes: BTreeMap<&'static str, usize>,
    /// How many edges are written in the files, by kind.
    pub explicit_edges: BTreeMap<&'static str, usize>,
    /// How many edges lead through barrels, by kind.
    pub implicit_edges: BTreeMap<&'static str, usize>,
    /// What most others depend on, most first.
    pub hubs: Vec<HubV1>,
    /// Groups of files that import each other at run time, largest first.
    pub cycles: Vec<Vec<String>>,
    /// The length of the compact meta.
    pub meta_bytes: usize,
    /// What it costs to read, counted with `o200k_base`.
    pub meta_tokens: u64,
}

/// A node that many depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HubV1 {
    /// Its id.
    pub id: String,
    /// How many nodes have an edge to it.
    pub dependents: usize,
}

/// The result of `portolan chart`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChartReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The chart.
    pub text: String,
    /// What it costs.
    pub tokens: u64,
    /// Who counted.
    pub tokenizer: &'static str,
    /// The ids of the files that are listed by name, sorted.
    pub listed: Vec<String>,
    /// What is only counted, by the folder on whose line it is; `.` is the root.
    pub folded: BTreeMap<String, FoldedV1>,
}

/// What a folder's line only counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FoldedV1 {
    /// How many files.
    pub files: u32,
    /// What they cost to read.
    pub tokens: u64,
}

/// The result of `portolan prompt`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PromptReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The guide.
    pub text: String,
    /// Its length.
    pub bytes: usize,
    /// What it costs.
    pub tokens: u64,
    /// Who counted.
    pub tokenizer: &'static str,
}

/// The result of `portolan agent verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VerifyReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether the pack can be trusted: everything was read again, and nothing changed.
    pub ok: bool,
    /// The files that were checked.
    pub checked: Vec<String>,
    /// Inputs that cannot be read again, and why.
    pub unverifiable: Vec<ChangeV1>,
    /// What is not as the pack says.
    pub changes: Vec<ChangeV1>,
}

/// Something that is not as a pack says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangeV1 {
    /// A path, or a part of the pack.
    pub what: String,
    /// How it differs.
    pub how: String,
}

/// The result of `portolan view`: which page was written, and of how much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ViewReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The page: from the repository's root, or as it was named.
    pub page: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// How many files of the repository it shows.
    pub files: usize,
    /// What these cost to read together.
    pub tokens: u64,
    /// How many edges it knows.
    pub edges: usize,
    /// How many declarations it lists.
    pub declarations: usize,
}
