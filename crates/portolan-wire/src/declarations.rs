//! The reports of `portolan read`, `look` and `path`, version 1 each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;

/// The result of `portolan read`: declarations and what they need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReadReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The files: those with a target first, then by path.
    pub slices: Vec<SliceV1>,
    /// The tokens of all slices.
    pub tokens: u64,
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// Whether a limit cut the result.
    pub truncated: bool,
    /// The limits that did: `budget`, `max-bytes`, `max-nodes`.
    pub bounds: Vec<&'static str>,
    /// The number of needed declarations that did not fit.
    pub unshown: usize,
    /// The categories that the closure leaves out.
    pub omitted: OmittedV1,
    /// Names that could not be resolved, as written, sorted.
    pub unresolved: Vec<String>,
    /// For unresolved names: members with that name in reachable declarations, as targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub like: BTreeMap<String, Vec<String>>,
    /// The names that the targets use and the closure leaves out.
    pub missing: MissingV1,
    /// The users of the targets, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<Vec<NeighbourV1>>,
    /// The declarations that the targets refer to, if they are told by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<UsedNameV1>,
    /// The outlines of long files and classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<OutlineV1>,
}

/// A declaration that is referred to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UsedNameV1 {
    /// Its name, qualified with that of its parent.
    pub name: String,
    /// The file, relative to the root.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it is certain that it is meant.
    pub exact: bool,
}

/// What a file declares, or a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OutlineV1 {
    /// The file, relative to the root.
    pub file: String,
    /// How many lines the file has.
    pub lines: u32,
    /// The digest of the whole file.
    pub sha256: String,
    /// The declarations, in source order.
    pub items: Vec<OutlineItemV1>,
}

/// A declaration in an outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OutlineItemV1 {
    /// Its full name.
    pub name: String,
    /// The kind: `function`, `class`, `method` and so on.
    pub kind: &'static str,
    /// The first and the last line, from 1.
    pub lines: [u32; 2],
    /// What is written before its body, on one line.
    pub signature: String,
}

/// The shown part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SliceV1 {
    /// The file, relative to the root.
    pub file: String,
    /// `focus`, or the distance of the nearest declaration in it: `hop1`, `hop2`, `hop3`.
    #[schemars(regex(pattern = "^(focus|hop1|hop2|hop3)$"))]
    pub role: &'static str,
    /// The ranges of lines shown: first and last, from 1.
    pub lines: Vec<[u32; 2]>,
    /// The text: per line its number, a tab and the line; a line with `…` where lines are left out; a line that starts
    /// with a space names the declaration below it.
    pub text: String,
    /// The digest of the whole file.
    pub sha256: String,
}

/// The categories that a closure leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OmittedV1 {
    /// Declarations of the same file.
    pub locals: bool,
    /// Interfaces, aliases, enumerations.
    pub types: bool,
    /// Declarations of other files.
    pub imports: bool,
}

/// Names that a closure leaves out, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MissingV1 {
    /// Names of the same file.
    pub locals: Vec<String>,
    /// Names of types.
    pub types: Vec<String>,
    /// Names of other files.
    pub imports: Vec<String>,
}

/// The result of `portolan look`: what targets need, and their users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LookReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// One per target, in order.
    pub looks: Vec<LookV1>,
}

/// The result for a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LookV1 {
    /// The target as written.
    pub target: String,
    /// What it needs; absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<NeighbourV1>>,
    /// Names in a declaration that could not be resolved, as written, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// For unresolved names: members with that name in reachable declarations, as targets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub like: BTreeMap<String, Vec<String>>,
    /// Its users; absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<Vec<NeighbourV1>>,
    /// What the words of its name came to, for a declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountV1>,
    /// Where no code uses a declaration: the lines of strings and other files that name it, as `path:line`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
    /// Where no code uses a declaration: how code from outside may reach it, by a decorator or a base for example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<String>,
    /// What overrides or implements a member, and what it overrides or implements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<NeighbourV1>,
    /// How many files were looked through for users.
    pub searched: usize,
    /// The number of files that could not be parsed completely: what they use is unknown.
    pub unread: usize,
}

/// A file or declaration related to a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NeighbourV1 {
    /// Its distance; 1 for a direct neighbour.
    pub hop: u8,
    /// The file, or the id of a module without a file.
    pub file: String,
    /// The line, from 1, of a declaration or a use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The declaration's name, or the line that uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its properties: `type`, `dynamic`, `barrel`, `external`, `builtin`, `missing` for files; the kind for
    /// declarations; `likely` if it is uncertain.
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
    /// How many of these words are which declarations of the repository, by their names.
    pub others_of: BTreeMap<String, usize>,
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

/// The result of `portolan path`: how one declaration reaches another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PathReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The ways, the shortest first.
    pub paths: Vec<PathV1>,
    /// How many declarations were visited.
    pub visited: usize,
    /// How many references in them could not be resolved.
    pub unresolved: usize,
    /// Whether the search ended before all was visited.
    pub cut: bool,
    /// Where there is no way: how many steps there are in the other direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<usize>,
    /// Where there is no way: a visited file in a language whose calls are not followed, so that this proves nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// A way from one declaration to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PathV1 {
    /// The declarations, from the first to the last.
    pub steps: Vec<PathStepV1>,
}

/// A declaration on a way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PathStepV1 {
    /// Its name, qualified with that of its parent.
    pub name: String,
    /// The file, relative to the root.
    pub file: String,
    /// The line, from 1, that refers to the next declaration; of the last one, its own line.
    pub line: u32,
    /// That line, trimmed; empty for the last declaration.
    pub text: String,
    /// Whether it is certain that the declaration before leads to it.
    pub exact: bool,
    /// How the declaration before refers to it: `call`, `name` or `type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

published! {
    ReadReportV1 = "read-report";
    LookReportV1 = "look-report";
    PathReportV1 = "path-report";
}
