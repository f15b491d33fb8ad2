//! The output of a command with `--format json`: a result with notices, or an error. All commands share this
//! envelope; each result has a schema of its own.

use portolan_types::{Notice, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::codec;

/// The output of a command.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum AnswerV1 {
    /// It succeeded.
    Done {
        /// The result.
        result: Value,
        /// The non-fatal findings.
        notices: Vec<NoticeV1>,
        /// The time per stage, with `graph --timings`.
        #[serde(skip_serializing_if = "Option::is_none")]
        timings: Option<TimingsV1>,
    },
    /// It failed.
    Failed {
        /// The error.
        error: ErrorV1,
    },
}

impl AnswerV1 {
    /// The JSON Schema.
    pub fn schema() -> Value {
        codec::schema::<Self>("answer")
    }
}

/// A non-fatal finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NoticeV1 {
    /// Its stable code.
    #[schemars(regex(pattern = r"^CTX-[A-Z]+-[0-9]{4}$"))]
    pub code: &'static str,
    /// How serious it is.
    pub severity: SeverityV1,
    /// The message.
    pub message: String,
    /// The file it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1, in UTF-16 units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityV1 {
    /// Something to fix.
    Warning,
    /// Something to know.
    Info,
}

impl From<&Notice> for NoticeV1 {
    fn from(notice: &Notice) -> Self {
        let position = notice.place.as_ref().and_then(|place| place.position);
        Self {
            code: notice.code.as_str(),
            severity: match notice.code.severity() {
                Severity::Warning => SeverityV1::Warning,
                Severity::Info => SeverityV1::Info,
            },
            message: notice.message.clone(),
            path: notice.place.as_ref().map(|place| place.path.clone()),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
        }
    }
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ErrorV1 {
    /// The message.
    pub message: String,
    /// The location: a path, with line and column if known.
    pub place: Option<String>,
    /// What to do next.
    pub hints: Vec<String>,
}

/// The time per stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TimingsV1 {
    /// The stages, in order.
    pub stages: Vec<StageV1>,
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageV1 {
    /// Its name.
    pub name: &'static str,
    /// How long it took.
    pub milliseconds: f64,
    /// The number of files it processed.
    pub files: usize,
    /// Their total size in bytes.
    pub bytes: u64,
}
