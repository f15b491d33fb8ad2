//! The report of `portolan search`, version 1.

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;

/// The result of `portolan search`: hits by file and declaration, or the places that a task leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// How many lines match, in all files.
    pub lines: u64,
    /// How many files were searched.
    pub searched: u64,
    /// The pattern that was searched for, where the one written matches nothing: as grep reads it, or as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_as: Option<String>,
    /// The files with hits, the most worth reading first.
    pub files: Vec<SearchFileV1>,
    /// How many of the lines are not listed here, as there are too many; absent where all are.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// How many files were not searched, because they may hold secrets; whatever the pattern, the same number.
    pub unsearched: u64,
    /// The places that a task leads to, or the declarations of a name, best first.
    pub places: Vec<SearchPlaceV1>,
    /// The tests that belong to them.
    pub tests: Vec<String>,
}

/// A file with hits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchFileV1 {
    /// The file, from the repository's root.
    pub path: String,
    /// What it is for: `code`, `tests`, `documents`, `other files`, `translations`, `generated files` or `vendored files`.
    pub class: &'static str,
    /// The hits by declaration.
    pub groups: Vec<SearchGroupV1>,
}

/// The hits in one declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchGroupV1 {
    /// The full name of the declaration; absent for hits in none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What sort of declaration it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The title of the test that holds the hits, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Its first and last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u32; 2]>,
    /// Whether it is the definition of what was searched for.
    pub definition: bool,
    /// The hits.
    pub hits: Vec<SearchHitV1>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchHitV1 {
    /// Its number, from 1.
    pub line: u32,
    /// Its text; absent in files that are too far down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A place that is worth a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchPlaceV1 {
    /// The file, from the repository's root.
    pub path: String,
    /// Its first and last line.
    pub lines: [u32; 2],
    /// The full name of the declaration.
    pub name: String,
    /// What sort of declaration it is.
    pub kind: &'static str,
    /// What brought it: words, names, strings.
    pub why: Vec<String>,
}

published! {
    SearchReportV1 = "search-report";
}

// `serde` gives a reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
