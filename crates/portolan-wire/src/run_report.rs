//! What `portolan run --format json` answers, version 1.

use portolan_types::RepoPath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::codec;

/// The outcome of a run, or of a plan for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// What was run.
    pub mode: RunMode,
    /// Whether this is only a plan: nothing was written.
    pub planned: bool,
    /// `archive.tar`.
    pub archive: ArchiveReport,
    /// `archive.diff.tar`; a META run has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffSummary>,
    /// What the archive costs to read.
    pub cost: Cost,
    /// What each folder or glob that the state includes costs of that, without what its files need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupCost>,
    /// Who counted tokens.
    pub tokenizer: &'static str,
    /// The archive that a chat which goes on needs.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub attach: RepoPath,
    /// The largest members, largest first.
    pub largest: Vec<MemberReport>,
    /// What was asked for, or would be there, and is not.
    pub denied: Vec<Denial>,
    /// External files copied below `context/`.
    pub staged: usize,
    /// Files copied below `imports/`.
    pub imported: usize,
    /// Where the state that a META run replaced is kept.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_path")]
    #[schemars(with = "Option<String>")]
    pub previous_state: Option<RepoPath>,
    /// How long it took, in milliseconds, where somebody measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
}

impl RunReportV1 {
    /// The JSON Schema.
    pub fn schema() -> serde_json::Value {
        codec::schema::<Self>("run-report")
    }
}

/// The three runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunMode {
    /// `run`: the universe.
    Plain,
    /// `run --context --meta`: the thread opener.
    Meta,
    /// `run --context`: what the state asks for.
    Context,
}

/// An archive on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchiveReport {
    /// Where it is.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// Its length.
    pub bytes: u64,
    /// How many files are in it.
    pub files: usize,
    /// The tokens of their texts, counted; unknown where an archive is too large for any reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// The diff archive and what it is measured against.
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
    /// Whether the baseline was made by this run.
    pub baseline_created: bool,
    /// New files.
    pub added: usize,
    /// Changed files.
    pub changed: usize,
    /// Files that are gone.
    pub deleted: usize,
    /// Files that are no longer in the archive.
    pub deselected: usize,
}

/// Files, bytes and tokens, by why they are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cost {
    /// What every archive of this mode has.
    pub base: Amount,
    /// What was selected beyond that.
    pub closure: Amount,
    /// Both.
    pub total: Amount,
}

/// What a folder or a glob costs.
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
    /// Tokens, counted; unknown where an archive is too large for any reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Default for Amount {
    /// Nothing, which costs nothing.
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
    /// Its length.
    pub bytes: u64,
}

/// A file that is not in the archive although something asked for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Denial {
    /// Its path.
    #[serde(with = "codec::path")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The kind of rule: `reserved`, `excludes`, `secret` or `binary`.
    pub rule: &'static str,
    /// The rule itself, in words.
    pub reason: String,
}

#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
fn optional_path<S: serde::Serializer>(
    path: &Option<RepoPath>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    path.as_ref().map(RepoPath::as_str).serialize(serializer)
}
