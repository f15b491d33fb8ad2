//! The questions of agents and the manifests of their answers, version 1 each.
//!
//! A question is one definition with three forms: the arguments of a command (`clap`), the arguments of a tool and the
//! question of a manifest (`serde`, absent members have their defaults), and a JSON Schema (`schemars`). Comments on
//! members are help texts and descriptions. Members that the list of tools shows have a `tool` in their schema, with
//! a description that is as short as that list needs; the others are accepted as well.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
pub use portolan_types::Budget;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical;
use crate::entry::parse_kinds;

/// Lists the questions: a line each.
macro_rules! questions {
    ($($(#[$about:meta])+ $variant:ident($question:ty) = $name:literal;)+) => {
        /// A question about a repository.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum QuestionV1 {
            $($(#[$about])+ #[serde(rename = $name)] $variant($question),)+
        }

        impl QuestionV1 {
            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// The token budget of its answer.
            pub fn budget_mut(&mut self) -> &mut Option<Budget> {
                match self { $(Self::$variant(question) => &mut question.budget,)+ }
            }

            /// Reads a question from its name and its arguments. The error says what is wrong with them.
            pub fn from_arguments(name: &str, arguments: Value) -> Result<Self, String> {
                let said = |error: serde_json::Error| format!("{name}: {error}");
                match name {
                    $($name => serde_json::from_value(arguments).map(Self::$variant).map_err(said),)+
                    _ => Err(format!("there is no question `{name}`")),
                }
            }

            /// The JSON Schema of a question's arguments.
            pub fn arguments_schema(name: &str) -> Option<Value> {
                match name {
                    $($name => Some(schemars::schema_for!($question).to_value()),)+
                    _ => None,
                }
            }
        }
    };
}

questions! {
    /// What is here?
    Chart(ChartQuestionV1) = "chart";
    /// What does this need, who uses it?
    Look(LookQuestionV1) = "look";
    /// Show me this with what it needs.
    Read(ReadQuestionV1) = "read";
    /// Everything for this failure, task, change or place.
    Pack(PackQuestionV1) = "pack";
    /// Where does this text, name or task lead?
    Search(SearchQuestionV1) = "search";
    /// How does one declaration reach another?
    Path(PathQuestionV1) = "path";
    /// Who is affected by a change?
    Impact(ImpactQuestionV1) = "impact";
    /// Which files do entries select, and what do they cost?
    Select(SelectQuestionV1) = "select";
}

impl QuestionV1 {
    /// The text that its digest covers.
    pub fn to_canonical(&self) -> String {
        canonical::to_string(&serde_json::to_value(self).unwrap_or_default())
    }
}

/// Where does this text, name or task lead?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct SearchQuestionV1 {
    /// Regular expressions: a line that matches one of them is a hit.
    #[arg(skip)]
    #[schemars(extend("tool" = "Rust regex"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Search only these files, folders or globs.
    #[arg(skip)]
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// List the places that a task is about; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["regexp", "names", "plain", "files", "count"], allow_hyphen_values = true)]
    #[schemars(extend("tool" = "In words, instead of patterns"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// List declarations of these names, exact ones first, or files
    #[arg(long, conflicts_with_all = ["plain", "files", "count"])]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub names: bool,
    /// List at most so many declarations
    #[arg(id = "most", long = "limit", value_name = "N", requires = "names")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Case does not matter
    #[arg(short = 'i', long)]
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore_case: bool,
    /// Only whole words match
    #[arg(short = 'w', long = "word-regexp")]
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub word: bool,
    /// The patterns are plain text
    #[arg(short = 'F', long = "fixed-strings")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Search only files that match, or with `!` only those that do not (can be repeated)
    #[arg(short = 'g', long = "glob", value_name = "GLOB")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub glob: Vec<String>,
    /// Search only files of a language: its name or the ending of its files (can be repeated)
    #[arg(short = 't', long = "type", value_name = "LANGUAGE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub language: Vec<String>,
    /// Show so many lines after each hit
    #[arg(short = 'A', long = "after-context", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// Show so many lines before each hit
    #[arg(short = 'B', long = "before-context", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// Show so many lines around each hit; `-C N` works, too, where there is no folder `N`
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// Only hits in this part of the code
    #[arg(long = "in", value_enum, value_name = "PART")]
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// The most tokens that the text may cost: a number or `4k` (default: 1,000)
    #[arg(long, value_name = "TOKENS")]
    #[schemars(with = "Option<u64>", extend("tool" = "Tokens, default 1000"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// A part of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Within {
    /// Neither comments nor strings
    Code,
    /// Comments
    Comments,
    /// String literals
    Strings,
}

/// What is here?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct ChartQuestionV1 {
    /// Files, folders or globs to outline
    #[arg(value_name = "PATH")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What you want to do, in words; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Show in detail what changed since this revision [default without one: HEAD]
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// The most tokens that the chart may cost, at least 500: a number or `8k` [default: 880]
    #[arg(long, value_name = "TOKENS")]
    #[schemars(with = "Option<u64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// What does this need, who uses it?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["targets"]))]
pub struct LookQuestionV1 {
    /// `path`, `path:line`, `path#Name`, `path#Class.member` or a name
    #[arg(value_name = "TARGET", required = true)]
    #[schemars(extend("tool" = "path, path#name or name; in an atlas ecosystem:package[#export] or name"))]
    pub targets: Vec<String>,
    /// Which way to look
    #[arg(long, value_enum, value_name = "SIDE", default_value = "both")]
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Show only uses without a doubt
    #[arg(long)]
    #[schemars(extend("tool" = "Only certain uses"))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub certain: bool,
    /// Show only uses that could not be decided
    #[arg(long)]
    #[schemars(extend("tool" = "Only undecided uses"))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub possible: bool,
    /// Show only uses in tests, line by line
    #[arg(long)]
    #[schemars(extend("tool" = "Only uses in tests, line by line"))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tests: bool,
    /// List names that could not be resolved, too
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub verbose: bool,
    /// How many steps away to look
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=8))]
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The most tokens that the text may cost: a number or `8k` (default: 1,000)
    #[arg(long, value_name = "TOKENS")]
    #[schemars(with = "Option<u64>", extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// The direction to look in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What it needs
    Needs,
    /// Who uses it
    Users,
    /// Both
    #[default]
    Both,
    /// What overrides or implements it, and what it overrides or implements
    Overrides,
}

/// How does one declaration reach another?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["from", "to"]))]
pub struct PathQuestionV1 {
    /// Where to start: `path#Name`, `path#Class.member`, `path:line` or a name
    #[arg(value_name = "FROM")]
    pub from: String,
    /// What to reach
    #[arg(value_name = "TO")]
    pub to: String,
    /// The most tokens that the text may cost: a number or `8k` (default: 1,000)
    #[arg(long, value_name = "TOKENS")]
    #[schemars(with = "Option<u64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// Who is affected by a change?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct ImpactQuestionV1 {
    /// What changed since this revision, or from one to another (`A..B`) [default: since the branch left the main one]
    #[arg(value_name = "REV")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// What a change of this place would affect: `FILE`, `FILE:LINE`, `FILE#NAME` (can be repeated)
    #[arg(long, value_name = "PLACE", conflicts_with = "revision")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// The most tokens that an answer may cost. The command prints the whole text.
    #[arg(skip)]
    #[schemars(with = "Option<u64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// Which files do entries select, and what do they cost?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct SelectQuestionV1 {
    /// What to select: ID, ID:DEPTH or ID:DEPTH:KINDS (default: the state on disk)
    #[arg(value_name = "ENTRY")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// What to take away, written like an entry (can be repeated)
    #[arg(short = 'x', value_name = "ENTRY")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Show the shortest way from an entry to this node
    #[arg(long, value_name = "ID", conflicts_with_all = ["importers", "write", "upgrade"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Show who depends on this node
    #[arg(long, value_name = "ID", conflicts_with_all = ["write", "upgrade", "budget"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importers: Option<String>,
    /// How many edges to walk back for `--importers`
    #[arg(long, value_name = "N", default_value = "1")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// Cut the selection to this many tokens (`30000` or `30k`)
    #[arg(long, value_name = "TOKENS", value_parser = selection_budget)]
    #[schemars(with = "Option<u64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Who counts tokens
    #[arg(long, value_enum, value_name = "NAME", default_value = "o200k_base")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<TokenCounter>,
    /// How many of the largest nodes to list
    #[arg(long, value_name = "N", default_value = "10")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<usize>,
    /// The kinds of edge that an entry follows where it doesn't say (`runtime,type,dynamic`)
    #[arg(long, value_name = "KINDS", value_parser = kinds)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_kinds: Option<String>,
    /// Keep nodes that are not files in the selection
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_kinds: Vec<KeptKind>,
    /// Show the nodes as a tree of folders
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tree: bool,
}

fn selection_budget(text: &str) -> Result<Budget, String> {
    text.parse().map_err(|_| "expected a number of tokens such as `30000` or `30k`".to_owned())
}

fn kinds(text: &str) -> Result<String, String> {
    parse_kinds(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Who counts the tokens of a selection.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
pub enum TokenCounter {
    /// The encoding of current models
    #[default]
    #[serde(rename = "o200k_base", alias = "o200k")]
    #[value(name = "o200k_base", alias = "o200k")]
    O200kBase,
    /// Don't count: the estimate (bytes / 4) has to do
    #[serde(rename = "none")]
    None,
}

/// A kind of node that is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum KeptKind {
    /// Modules that Node provides
    Builtin,
    /// Modules that were not found
    Missing,
}

/// Show this and what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("required" = ["targets"]))]
pub struct ReadQuestionV1 {
    /// `path`, `path:line[:column]`, `path:from-to`, `path#Name`, `path#Class.{a,b}`, `path#"title of a test"` or a name
    #[arg(value_name = "TARGET", required = true)]
    #[schemars(extend("tool" = "path, path:10-40, path#name, path#Class.{a,b}, path#\"test title\" or name"))]
    pub targets: Vec<String>,
    /// The most tokens that the answer may cost: a number or `8k` [default: 4k; 2k of several declarations, 32k of a document]
    #[arg(long, value_name = "TOKENS")]
    #[schemars(with = "Option<u64>", extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// How much of what is needed is shown
    #[arg(long, value_enum, value_name = "HOW", default_value = "none")]
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsMode>,
    /// Which region around a place is shown whole
    #[arg(long, value_enum, value_name = "REGION", default_value = "defn")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosure: Option<Enclosure>,
    /// Which of what is needed is shown
    #[arg(long, value_enum, value_name = "CATEGORY", default_value = "all")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closure: Option<Closure>,
    /// The most bytes that the text may have
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// The most needed declarations that may be shown
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<usize>,
    /// Tell who uses the targets: the lines that do
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub users: bool,
    /// Show only the parts around lines that match this regular expression (can be repeated)
    #[arg(long = "match", value_name = "REGEX", allow_hyphen_values = true)]
    #[schemars(extend("tool" = "Regex: only parts around matches"))]
    #[serde(rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<String>,
    /// Show long files and classes whole, and not as outlines
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// List names that could not be resolved, too
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub verbose: bool,
}

/// The region around a position to show whole.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Enclosure {
    /// The member, or else the declaration
    #[default]
    Defn,
    /// The declaration
    Decl,
    /// The file
    Module,
}

/// Which needed declarations to show.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Closure {
    /// Of the same file
    Locals,
    /// Interfaces, aliases, enumerations
    Types,
    /// Of other files
    Imports,
    /// Everything
    #[default]
    All,
}

/// How much of what it needs to show.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum NeedsMode {
    /// Names and places, in one line
    Names,
    /// Signatures
    #[serde(alias = "heads")]
    #[value(alias = "heads")]
    Signatures,
    /// What the target names itself whole, the rest as signatures
    Full,
    /// Nothing
    #[default]
    None,
}

/// Everything for this failure, task, change or place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PackQuestionV1 {
    /// The output of a tool.
    #[schemars(extend("tool" = "Raw output"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The task, in words.
    #[schemars(extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What changed since a revision or between two (`A..B`); empty for since the branch left the main branch.
    #[schemars(extend("tool" = "Revision or A..B"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// Positions: `path`, `path:line` or `path#name`.
    #[schemars(extend("tool" = "As targets of read"))]
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
    #[schemars(with = "Option<u64>", extend("tool" = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// Which earlier answers are still true?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct CheckQuestionV1 {
    /// The digests that answers started with, with or without the `@`
    #[arg(value_name = "DIGEST", required = true)]
    pub digests: Vec<String>,
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
    fn a_budget_may_be_a_number_or_text() {
        for budget in [json!(2000), json!("2000"), json!("2_000"), json!("2k")] {
            let question =
                QuestionV1::from_arguments("chart", json!({ "budget": budget })).unwrap();
            assert_eq!(question.to_canonical(), r#"{"chart":{"budget":2000}}"#, "{budget}");
        }
        for budget in [json!(0), json!(-1), json!("many"), json!([1])] {
            assert!(QuestionV1::from_arguments("chart", json!({ "budget": budget })).is_err());
        }
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
