//! The reports of `portolan read`, `look` and `find`, version 1 each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;

/// The result of `portolan read`: declarations with what they need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReadReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The files, those with a target first, then by path.
    pub slices: Vec<SliceV1>,
    /// What the text of all slices costs.
    pub tokens: u64,
    /// Who counted.
    pub tokenizer: &'static str,
    /// Whether a bound cut it.
    pub truncated: bool,
    /// The bounds that did: `budget`, `max-bytes`, `max-nodes`.
    pub bounds: Vec<&'static str>,
    /// How many declarations that are needed did not fit.
    pub unshown: usize,
    /// The categories that the closure leaves out.
    pub omitted: OmittedV1,
    /// Names that mean nothing that can be told, as they are written, sorted.
    pub unresolved: Vec<String>,
    /// Members of declarations in reach that have the name of an unresolved one, as targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub like: BTreeMap<String, Vec<String>>,
    /// What the targets name and the closure leaves out.
    pub missing: MissingV1,
    /// Who uses the targets, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<Vec<NeighbourV1>>,
}

/// What is shown of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SliceV1 {
    /// The file, from the repository's root.
    pub file: String,
    /// `focus`, or how far away the nearest declaration in it is: `hop1`, `hop2`, `hop3`.
    #[schemars(regex(pattern = "^(focus|hop1|hop2|hop3)$"))]
    pub role: &'static str,
    /// The lines that are shown, as first and last, from 1.
    pub lines: Vec<[u32; 2]>,
    /// The text: a line's number, a tab and the line; a line with `…` for what is left out.
    pub text: String,
    /// The digest of the whole file.
    pub sha256: String,
}

/// The categories that a closure leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OmittedV1 {
    /// What is in the same file.
    pub locals: bool,
    /// Interfaces, aliases, enumerations.
    pub types: bool,
    /// What is in other files.
    pub imports: bool,
}

/// Names that a closure leaves out, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MissingV1 {
    /// Of the same file.
    pub locals: Vec<String>,
    /// Of types.
    pub types: Vec<String>,
    /// Of other files.
    pub imports: Vec<String>,
}

/// The result of `portolan look`: what targets need, and who uses them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LookReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// One for each target, in their order.
    pub looks: Vec<LookV1>,
}

/// What was seen of a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LookV1 {
    /// The target as it was written.
    pub target: String,
    /// What it needs; absent where that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<NeighbourV1>>,
    /// Names of a declaration that mean nothing that can be told, as they are written, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Members of declarations in reach that have the name of an unresolved one, as targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub like: BTreeMap<String, Vec<String>>,
    /// Who uses it; absent where that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<Vec<NeighbourV1>>,
    /// What the words of its name came to, for a declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountV1>,
    /// What overrides or implements a member, and what it overrides or implements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<NeighbourV1>,
    /// How many files were looked through for users.
    pub searched: usize,
    /// How many files could not be read whole: what they use is not known.
    pub unread: usize,
}

/// A file or declaration that has to do with a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NeighbourV1 {
    /// How many steps away it is: 1 for what is named itself.
    pub hop: u8,
    /// The file, or the id of a module that is no file.
    pub file: String,
    /// The line, from 1, of a declaration or a use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The declaration's name, or the line that uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What can be said of it in a word: `type`, `dynamic`, `barrel`, `external`, `builtin`, `missing` for
    /// files; a kind for declarations; `likely` where there is a doubt.
    pub marks: Vec<&'static str>,
    /// The declaration that a use is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
    /// The related member that a use is of: one that the target overrides or implements, or the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// Why there is a doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

/// What the words of a name in code came to. Numbers are of words, not of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AccountV1 {
    /// Uses without a doubt.
    pub certain: usize,
    /// Uses that could not be decided.
    pub possible: usize,
    /// Words that mean something else.
    pub others: usize,
    /// Words that name the declaration and do not use it: its own name, imports, exports, overrides.
    pub naming: usize,
    /// How many files have the word in code.
    pub files: usize,
    /// Where the words stand that mean something else.
    pub others_at: Vec<LinesV1>,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LinesV1 {
    /// The file, from the repository's root.
    pub file: String,
    /// The lines, from 1.
    pub lines: Vec<u32>,
}

/// The result of `portolan find`: declarations by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FindReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether some have the name itself; else all look like it, best first.
    pub exact: bool,
    /// The declarations.
    pub found: Vec<FoundV1>,
    /// How many more there are, beyond the limit.
    pub more: usize,
    /// How many files were looked through.
    pub searched: usize,
}

/// A declaration that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FoundV1 {
    /// Its name, with that of what it is a member of.
    pub name: String,
    /// Which sort: `function`, `class`, `interface`, `type`, `method` and so on.
    pub kind: &'static str,
    /// The file, from the repository's root.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether another file may name it.
    pub exported: bool,
    /// In how many other files the bare name stands; for a member that is no more than a word.
    pub files: usize,
    /// Whether it has the name itself.
    pub exact: bool,
}

published! {
    ReadReportV1 = "read-report";
    LookReportV1 = "look-report";
    FindReportV1 = "find-report";
}
