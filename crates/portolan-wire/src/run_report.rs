//! The result of `portolan run --format json`, version 1.

use portolan_types::RepoPath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::codec;

/// The result of a run, or of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The kind of run.
    pub mode: RunMode,
    /// Whether this is only a plan: nothing was written.
    pub planned: bool,
    /// `archive.tar`.
    pub archive: ArchiveReport,
    /// `archive.diff.tar`; a META run has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffSummary>,
    /// The size of the archive's text.
    pub cost: Cost,
    /// The size of each included folder or glob, without the files that its files need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupCost>,
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// The archive to attach to an ongoing chat.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub attach: RepoPath,
    /// The largest members, largest first.
    pub largest: Vec<MemberReport>,
    /// Files that were requested or expected but denied.
    pub denied: Vec<Denial>,
    /// External files copied below `context/`.
    pub staged: usize,
    /// Files copied below `imports/`.
    pub imported: usize,
    /// Where the state that a META run replaced is kept.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_path")]
    #[schemars(with = "Option<String>")]
    pub previous_state: Option<RepoPath>,
    /// The duration in milliseconds, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
}

impl RunReportV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("run-report")
    }
}

/// The kinds of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunMode {
    /// `run`: the universe.
    Plain,
    /// `run --context --meta`: the thread opener.
    Meta,
    /// `run --context`: the selection of the state.
    Context,
}

/// An archive on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchiveReport {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of files in it.
    pub files: usize,
    /// The tokens of their texts; unknown if the archive is too large for any reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// The diff archive and its comparison with the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffSummary {
    /// The archive.
    #[serde(flatten)]
    pub archive: ArchiveReport,
    /// The report beside it.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub report: RepoPath,
    /// Whether this run created the baseline.
    pub baseline_created: bool,
    /// New files.
    pub added: usize,
    /// Changed files.
    pub changed: usize,
    /// Deleted files.
    pub deleted: usize,
    /// Files that are no longer in the archive.
    pub deselected: usize,
}

/// Files, bytes and tokens, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cost {
    /// The part that every archive of this mode has.
    pub base: Amount,
    /// The selected part.
    pub closure: Amount,
    /// Both.
    pub total: Amount,
}

/// The size of a folder or a glob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupCost {
    /// The folder or glob.
    pub id: String,
    /// The files it matches.
    #[serde(flatten)]
    pub amount: Amount,
}

/// An amount of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Amount {
    /// Files.
    pub files: usize,
    /// Bytes of content.
    pub bytes: u64,
    /// Tokens; unknown if the archive is too large for any reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Default for Amount {
    /// Zero.
    fn default() -> Self {
        Self { files: 0, bytes: 0, tokens: Some(0) }
    }
}

impl Amount {
    /// Adds a file.
    pub fn add(&mut self, bytes: u64, tokens: Option<u64>) {
        self.files += 1;
        self.bytes += bytes;
        self.tokens = self.tokens.zip(tokens).map(|(before, tokens)| before + tokens);
    }
}

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemberReport {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A requested file that is not in the archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Denial {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The kind of rule: `reserved`, `excludes`, `secret` or `binary`.
    pub rule: &'static str,
    /// The rule, in words.
    pub reason: String,
}

#[expect(clippy::ref_option, reason = "serde requires this signature")]
fn optional_path<S: serde::Serializer>(
    path: &Option<RepoPath>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    path.as_ref().map(RepoPath::as_str).serialize(serializer)
}
