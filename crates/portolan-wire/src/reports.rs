//! The results of the smaller commands, version 1 each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;
use crate::history::HistoryV1;

published! {
    ChartReportV1 = "chart-report";
    CheckReportV1 = "check-report";
    CacheReportV1 = "cache-report";
    InitReportV1 = "init-report";
    ReplyReportV1 = "reply-report";
    ApplyReportV1 = "apply-report";
    SnapReportV1 = "snap-report";
    GraphStatsV1 = "graph-stats";
    PromptReportV1 = "prompt-report";
    VerifyReportV1 = "verify-report";
    ViewReportV1 = "view-report";
}

/// The result of `portolan check`: whether earlier answers are still true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// One per digest, in order.
    pub answers: Vec<CheckedV1>,
}

/// The status of an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedV1 {
    /// Its digest.
    pub digest: String,
    /// `true`, `changed` or `unknown`.
    #[schemars(regex(pattern = "^(true|changed|unknown)$"))]
    pub verdict: &'static str,
    /// The files behind it that changed; `(gone)` or `(new)` follows a path.
    pub files: Vec<String>,
    /// The status in words.
    pub text: String,
}

/// The result of `portolan cache`: what is in the user's cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CacheReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Where it is; absent if the user has no cache folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many bytes it may have.
    pub limit: u64,
    /// How many bytes the manifests of answers have.
    pub answers: u64,
    /// How many bytes the logs of commands that failed have.
    pub logs: u64,
    /// The repositories, the most recently used first.
    pub repositories: Vec<CachedRepositoryV1>,
    /// How many bytes `clean` removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
}

/// The cache of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CachedRepositoryV1 {
    /// The root of the repository; empty if it is unknown.
    pub root: String,
    /// Where its cache is.
    pub folder: String,
    /// How many bytes it has.
    pub bytes: u64,
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
    /// The command to run next.
    pub next: &'static str,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InitStepV1 {
    /// The file, relative to the root.
    pub path: String,
    /// `create`, `append`, `replace`, `cut`, `remove` or `keep`.
    #[schemars(regex(pattern = "^(create|append|replace|cut|remove|keep)$"))]
    pub action: &'static str,
    /// With `append`: the added lines; with `cut`: what was taken out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// The result of `portolan check-reply`: the changes of a reply, and the rules it breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReplyReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether the map has been seen, so that all rules apply.
    pub active: bool,
    /// What the reply says about the state: `unsaid`, `no change` or `patched`.
    #[schemars(regex(pattern = "^(unsaid|no change|patched)$"))]
    pub state: &'static str,
    /// The changed files, in the order of the reply.
    pub patches: Vec<PatchedFileV1>,
    /// The broken rules, in the order of the reply.
    pub findings: Vec<FindingV1>,
    /// What was corrected in the patches, in the order of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ReplyNoteV1>,
}

/// A correction of a patch, which is applied all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReplyNoteV1 {
    /// The line of the reply, from 1.
    pub line: usize,
    /// What was corrected.
    pub message: String,
}

/// A file that a reply changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PatchedFileV1 {
    /// The file, relative to the root.
    pub path: String,
    /// The line of the reply, from 1.
    pub line: usize,
    /// What happens to it: `edit`, `create`, `replace`, `delete`, `move away`, `move`, `copy`, `make
    /// folder` or `remove folder`.
    pub action: &'static str,
}

/// A rule that a reply breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FindingV1 {
    /// The rule.
    #[schemars(regex(pattern = "^CTX-REPLY-[0-9]{4}$"))]
    pub code: &'static str,
    /// `error`, or `form` for a rule about the form of the reply.
    #[schemars(regex(pattern = "^(error|form)$"))]
    pub level: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
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
    /// Whether it was a dry run.
    pub dry_run: bool,
    /// Whether it undid an earlier one.
    pub undo: bool,
    /// The number of files of an interrupted `apply` that were restored first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<usize>,
    /// The files, in order of their paths.
    pub files: Vec<AppliedFileV1>,
    /// The broken rules, in the order of the reply.
    pub findings: Vec<FindingV1>,
    /// What was corrected in the patches, in the order of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ReplyNoteV1>,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AppliedFileV1 {
    /// The file, relative to the root.
    pub path: String,
    /// The file it comes from, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What happens to it: `edit`, `create`, `delete`, `move`, `copy`, `mode`, `make folder` or
    /// `remove folder`.
    pub action: &'static str,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

/// The result of `portolan snap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SnapReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The history of baselines after the command.
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
    /// The number of files in it.
    pub files: usize,
}

/// The result of `portolan graph --view stats`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct GraphStatsV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The number of files in the universe.
    pub files: usize,
    /// The total size of the source nodes in bytes.
    pub source_bytes: u64,
    /// The number of nodes of each kind.
    pub nodes: BTreeMap<&'static str, usize>,
    /// The number of explicit edges, by kind.
    pub explicit_edges: BTreeMap<&'static str, usize>,
    /// The number of implicit edges, by kind.
    pub implicit_edges: BTreeMap<&'static str, usize>,
    /// The nodes with the most dependents, most first.
    pub hubs: Vec<HubV1>,
    /// Groups of files that import each other at run time, largest first.
    pub cycles: Vec<Vec<String>>,
    /// The size of the compact meta in bytes.
    pub meta_bytes: usize,
    /// Its tokens, counted with `o200k_base`.
    pub meta_tokens: u64,
}

/// A node with many dependents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HubV1 {
    /// Its id.
    pub id: String,
    /// The number of nodes with an edge to it.
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
    /// Its tokens.
    pub tokens: u64,
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// The ids of the files that are listed by name, sorted.
    pub listed: Vec<String>,
    /// The files that are only counted, by the folder on whose line they are; `.` is the root.
    pub folded: BTreeMap<String, FoldedV1>,
}

/// The files that a folder's line only counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FoldedV1 {
    /// The number of files.
    pub files: u32,
    /// Their tokens.
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
    /// Its size in bytes.
    pub bytes: usize,
    /// Its tokens.
    pub tokens: u64,
    /// The tokenizer.
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
    /// The differences from the pack.
    pub changes: Vec<ChangeV1>,
}

/// A difference from a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangeV1 {
    /// A path, or a part of the pack.
    pub what: String,
    /// How it differs.
    pub how: String,
}

/// The result of `portolan view`: the written page and its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ViewReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The page, relative to the root or as named.
    pub page: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// The number of files it shows.
    pub files: usize,
    /// Their total tokens.
    pub tokens: u64,
    /// The number of edges.
    pub edges: usize,
    /// The number of declarations.
    pub declarations: usize,
}
