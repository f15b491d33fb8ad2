//! The questions of agents and the manifests of their answers, version 1 each.
//!
//! A question has the same form on the command line, as the arguments of a tool, and in the manifest that lets
//! `check` ask it again. Absent members have their defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical;

/// A question about a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionV1 {
    /// What is here?
    Chart(ChartQuestionV1),
    /// What does this need, who uses it?
    Look(LookQuestionV1),
    /// Show me this with what it needs.
    Read(ReadQuestionV1),
    /// Everything for this failure, task, change or place.
    Pack(PackQuestionV1),
    /// Where does this text, name or task lead?
    Search(SearchQuestionV1),
}

/// Where does this text, name or task lead?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchQuestionV1 {
    /// Regular expressions: a line that matches one of them is a hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Search only these files, folders or globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What the reader wants to do, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Whether the patterns are names of declarations.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub names: bool,
    /// Whether case does not matter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore_case: bool,
    /// Whether only whole words match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub word: bool,
    /// Whether the patterns are plain text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Only files that match these globs; with `!` only files that do not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub glob: Vec<String>,
    /// Only files of these languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<String>,
    /// Only hits in this part of the code: `code`, `comments` or `strings`.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<WithinV1>,
    /// How many lines to show before each hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// How many lines to show after each hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// The most tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

/// A part of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WithinV1 {
    /// Neither comments nor strings.
    Code,
    /// Comments.
    Comments,
    /// String literals.
    Strings,
}

/// What is here?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChartQuestionV1 {
    /// Files, folders or globs to show in detail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The task, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Show details of what changed since this revision; empty for `HEAD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// The token budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

/// What does this need, who uses it?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LookQuestionV1 {
    /// The targets, as written.
    pub targets: Vec<String>,
    /// `needs`, `users` or `both`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<SideV1>,
    /// How many steps to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Show only uses without a doubt.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub certain: bool,
    /// Show only uses that could not be decided.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub possible: bool,
    /// Show only uses in tests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tests: bool,
    /// Tell also of names that mean nothing that can be told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub verbose: bool,
    /// The most tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

/// The direction to look in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideV1 {
    /// What it needs.
    Needs,
    /// Who uses it.
    Users,
    /// Both.
    #[default]
    Both,
    /// What overrides or implements it.
    Overrides,
}

/// Show this and what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReadQuestionV1 {
    /// The targets, as written.
    pub targets: Vec<String>,
    /// How much of what it needs to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsV1>,
    /// The token budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The region around a position to show whole: `defn`, `decl` or `module`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosure: Option<EnclosureV1>,
    /// Which needed declarations to show: `locals`, `types`, `imports` or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closure: Option<ClosureV1>,
    /// The size limit of the text, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// The most needed declarations to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<usize>,
    /// Whether to list the users of the targets.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub users: bool,
}

/// The region around a position to show whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnclosureV1 {
    /// The member or, outside of one, the declaration.
    #[default]
    Defn,
    /// The declaration.
    Decl,
    /// The file.
    Module,
}

/// Which needed declarations to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClosureV1 {
    /// Those of the same file.
    Locals,
    /// Interfaces, aliases, enumerations.
    Types,
    /// Those of other files.
    Imports,
    /// Everything.
    #[default]
    All,
}

/// How much of what it needs to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeedsV1 {
    /// Signatures.
    #[default]
    Heads,
    /// Direct needs whole, the rest as signatures.
    Full,
    /// Nothing.
    None,
}

/// Everything for this failure, task, change or place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PackQuestionV1 {
    /// The output of a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The task, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What changed since a revision or between two (`A..B`); empty for since the branch left the main branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// Positions: `path`, `path:line` or `path#name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// For a task: whether the bodies of tests are shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tests: bool,
    /// For a failure: the format of the output, if it is not recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// For a failure: the error in focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// For a failure: the revision to compare with, or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The token budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

impl QuestionV1 {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chart(_) => "chart",
            Self::Look(_) => "look",
            Self::Read(_) => "read",
            Self::Pack(_) => "pack",
            Self::Search(_) => "search",
        }
    }

    /// The token budget of its answer.
    pub fn budget_mut(&mut self) -> &mut Option<u64> {
        match self {
            Self::Chart(question) => &mut question.budget,
            Self::Look(question) => &mut question.budget,
            Self::Read(question) => &mut question.budget,
            Self::Pack(question) => &mut question.budget,
            Self::Search(question) => &mut question.budget,
        }
    }

    /// Reads a question from its name and its arguments. The error says what is wrong with them.
    pub fn from_arguments(name: &str, arguments: Value) -> Result<Self, String> {
        let said = |error: serde_json::Error| format!("{name}: {error}");
        Ok(match name {
            "chart" => Self::Chart(serde_json::from_value(arguments).map_err(said)?),
            "look" => Self::Look(serde_json::from_value(arguments).map_err(said)?),
            "read" => Self::Read(serde_json::from_value(arguments).map_err(said)?),
            "pack" => Self::Pack(serde_json::from_value(arguments).map_err(said)?),
            "search" => Self::Search(serde_json::from_value(arguments).map_err(said)?),
            _ => return Err(format!("there is no question `{name}`")),
        })
    }

    /// The text that its digest covers.
    pub fn to_canonical(&self) -> String {
        canonical::to_string(&serde_json::to_value(self).unwrap_or_default())
    }
}

/// What an answer was made from. It is kept in the user's cache, under the answer's digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The repository, as an absolute path.
    pub root: String,
    /// The question.
    pub question: QuestionV1,
    /// The digest of the answer's text.
    pub body: String,
    /// The files that the answer shows or names, each with its digest.
    pub files: BTreeMap<String, String>,
}

impl ManifestV1 {
    /// Reads a manifest; `None` if it is invalid or of another version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|manifest: &Self| manifest.v == 1)
    }

    /// The canonical text.
    pub fn to_canonical(&self) -> String {
        canonical::to_string(&serde_json::to_value(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ManifestV1, QuestionV1};

    #[test]
    fn a_question_equals_its_arguments() {
        let arguments = json!({"targets": ["src/a.ts"], "side": "users"});
        let question = QuestionV1::from_arguments("look", arguments).unwrap();
        assert_eq!(question.to_canonical(), r#"{"look":{"side":"users","targets":["src/a.ts"]}}"#);
    }

    #[test]
    fn errors_say_what_is_wrong_with_arguments() {
        let check = |name, arguments| QuestionV1::from_arguments(name, arguments).unwrap_err();
        let unknown = check("read", json!({"path": "a"}));
        assert!(unknown.contains("unknown field `path`, expected one of `targets`"), "{unknown}");
        let wrong = check("look", json!({"side": "left"}));
        assert!(wrong.contains("unknown variant `left`"), "{wrong}");
        assert!(check("grep", json!({})).contains("no question `grep`"));
    }

    #[test]
    fn a_manifest_of_another_version_is_rejected() {
        let question = QuestionV1::Chart(super::ChartQuestionV1::default());
        let (root, body) = ("/r".to_owned(), "0".repeat(64));
        let manifest = ManifestV1 { v: 1, root, question, body, files: [].into() };
        let bytes = manifest.to_canonical();
        assert_eq!(ManifestV1::read(bytes.as_bytes()), Some(manifest));
        assert_eq!(ManifestV1::read(bytes.replace(r#""v":1"#, r#""v":2"#).as_bytes()), None);
        assert_eq!(ManifestV1::read(b"{}"), None);
    }
}
