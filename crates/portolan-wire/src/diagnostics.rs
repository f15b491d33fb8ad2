//! The parsed output of tools: the result of `portolan pack --list`, version 1.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::codec;

/// The result of `portolan pack --list`: the diagnostics, in the order of the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DiagnosticsV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The diagnostics.
    pub diagnostics: Vec<DiagnosticV1>,
}

impl DiagnosticsV1 {
    /// The JSON Schema.
    pub fn schema() -> Value {
        codec::schema::<Self>("diagnostics")
    }
}

/// A normalized diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DiagnosticV1 {
    /// The file, relative to the root; absolute if it is outside; null if the tool names none.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1, in the tool's unit.
    pub col: Option<u32>,
    /// The last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The column after the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_col: Option<u32>,
    /// `error`, `warning`, `info` or `hint`.
    #[schemars(regex(pattern = "^(error|warning|info|hint)$"))]
    pub severity: &'static str,
    /// The code or class, as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The first line of the message.
    pub message: String,
    /// Related positions: notes, callers, causes, the test.
    pub related: Vec<RelatedV1>,
    /// The tool.
    pub tool: String,
    /// The failed test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// A position related to a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RelatedV1 {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub col: Option<u32>,
    /// The message for this position.
    pub message: String,
}
