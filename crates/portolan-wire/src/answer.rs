//! What a command answers with `--format json`: a result with notices, or an error. One shape for
//! all of them; what the result is has a schema of its own.

use portolan_types::{Notice, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::codec;

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum AnswerV1 {
    /// It went well.
    Done {
        /// What was asked for.
        result: Value,
        /// What was found on the way, none of it fatal.
        notices: Vec<NoticeV1>,
        /// Where the time went, with `graph --timings`.
        #[serde(skip_serializing_if = "Option::is_none")]
        timings: Option<TimingsV1>,
    },
    /// It failed.
    Failed {
        /// Why.
        error: ErrorV1,
    },
}

impl AnswerV1 {
    /// The JSON Schema.
    pub fn schema() -> Value {
        codec::schema::<Self>("answer")
    }
}

/// A finding that stopped nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NoticeV1 {
    /// Its stable code.
    #[schemars(regex(pattern = r"^CTX-[A-Z]+-[0-9]{4}$"))]
    pub code: &'static str,
    /// How much it matters.
    pub severity: SeverityV1,
    /// What it is.
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

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityV1 {
    /// Something to mend.
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
    /// What went wrong.
    pub message: String,
    /// Where: a path, with line and column where they are known.
    pub place: Option<String>,
    /// What to do next.
    pub hints: Vec<String>,
}

/// Where the time went.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TimingsV1 {
    /// The stages, in order.
    pub stages: Vec<StageV1>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageV1 {
    /// What was done.
    pub name: &'static str,
    /// How long it took.
    pub milliseconds: f64,
    /// How many files it was about.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
}
