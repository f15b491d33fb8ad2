//! The context pack for real languages, `portolan.agent.context@0.2.0`.
//!
//! It has the top-level keys of `x07.agent.context@0.1.0` in the same roles, with slices of several files
//! instead of one module.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::pack::Toolchain;
use crate::slice::Digests;
use crate::{canonical, codec};

/// The version of this format.
pub const CONTEXT_VERSION: &str = "portolan.agent.context@0.2.0";

/// A context pack.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextPackV2 {
    /// The program that made it.
    pub toolchain: Toolchain,
    /// The project.
    pub project: ProjectV2,
    /// The diagnostic in focus.
    pub focus: Option<FocusV2>,
    /// The diagnostics shown, in the format of `x07.x07diag@0.1.0`.
    pub diagnostics: Vec<Value>,
    /// Groups of similar diagnostics.
    pub groups: Vec<GroupV2>,
    /// Diagnostics that no change of the code repairs, in a sentence.
    pub environment: Option<String>,
    /// The likely causes.
    pub suspects: Vec<SuspectV2>,
    /// The changes since the base revision.
    pub base: Option<BaseV2>,
    /// The request, if it is not a failure.
    pub asked: Option<AskedV2>,
    /// The places that a task may be about, best first.
    pub places: Vec<FoundV2>,
    /// What the evidence for them is.
    pub evidence: Option<String>,
    /// The tests of the changes, most likely first.
    pub tests: Vec<TestV2>,
    /// Removed exports that files still import.
    pub vanished: Vec<VanishedV2>,
    /// What did not fit, most relevant first.
    pub next: Vec<NextV2>,
    /// The code.
    pub code: CodeV2,
    /// The inputs: the tool output, then the sources by path.
    pub digests: Digests,
}

/// The pack as written, for the schema and for reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenContextV2 {
    /// `portolan.agent.context@0.2.0`.
    pub schema_version: String,
    /// The program that made it.
    pub toolchain: WrittenToolchain,
    /// The project.
    pub project: ProjectV2,
    /// The diagnostic in focus; null if none has a position in the repository.
    pub focus: Option<FocusV2>,
    /// A payload of `x07.x07diag@0.1.0` with the diagnostics shown.
    pub diagnostics: Value,
    /// Groups of similar diagnostics.
    pub groups: Vec<GroupV2>,
    /// Diagnostics that no change of the code repairs, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The likely causes, best first.
    pub suspects: Vec<SuspectV2>,
    /// The changes since the base revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseV2>,
    /// The request, if it is not a failure: a task, positions, a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedV2>,
    /// The places that a task may be about, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<FoundV2>,
    /// What the evidence for them is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The tests of the changes, most likely first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestV2>,
    /// Removed exports that files still import: errors found without a compiler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vanished: Vec<VanishedV2>,
    /// What did not fit, most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<NextV2>,
    /// The code.
    pub code: CodeV2,
    /// Unused; reserved.
    pub env: Value,
    /// The inputs.
    pub digests: WrittenDigests,
}

/// The program that made a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenToolchain {
    /// `portolan`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The inputs and outputs of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenDigests {
    /// The tool output first, then the sources by path.
    pub inputs: Vec<WrittenDigest>,
    /// Always empty.
    pub outputs: Vec<WrittenDigest>,
}

/// A file of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenDigest {
    /// Its path from the root.
    pub path: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes_len: u64,
}

/// The project of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProjectV2 {
    /// Always `.`.
    pub root: String,
    /// The languages of the files.
    pub languages: Vec<String>,
    /// The base commit, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// The diagnostic in focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FocusV2 {
    /// Its index among all diagnostics, from 0.
    pub diag_index: u64,
    /// Its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diag_code: Option<String>,
    /// Its position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loc: Option<LocV2>,
    /// How it was chosen: `ranked`, `first`, `number` or `place`.
    pub rule: String,
    /// The id of its group.
    pub group: u64,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LocV2 {
    /// The file, relative to the root.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1, in UTF-16 units.
    pub col: Option<u32>,
}

/// A group of similar diagnostics.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GroupV2 {
    /// Its id.
    pub id: u64,
    /// The code and the message, without names and numbers.
    pub template: String,
    /// The number of diagnostics.
    pub count: u64,
    /// The number of files.
    pub files: u64,
    /// The index of the first diagnostic.
    pub first: u64,
}

/// A declaration that is a likely cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuspectV2 {
    /// Its name.
    pub name: String,
    /// The file, relative to the root.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// How many of the examined errors depend on it.
    pub votes: u64,
    /// The number of examined errors.
    pub of: u64,
    /// Whether it changed since the base revision.
    pub changed: bool,
    /// Whether it was running when the failure was raised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_stack: bool,
}

/// The request behind a pack, if it is not a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AskedV2 {
    /// The task, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The positions, as given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// The revision to compare with, as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// Whether the bodies of tests were asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tests: bool,
}

/// A place that a task may be about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FoundV2 {
    /// The file, relative to the root.
    pub file: String,
    /// Its first and last line.
    pub lines: [u32; 2],
    /// The full name of the declaration.
    pub name: String,
    /// The kind of declaration.
    pub kind: String,
    /// The share of the task's words that it has, by how rare they are, in per cent.
    pub evidence: u32,
    /// The words, names and messages that brought it.
    pub why: Vec<String>,
}

impl FoundV2 {
    /// The place on a line.
    pub fn to_line(&self) -> String {
        let [first, last] = self.lines;
        let why = self.why.join(", ");
        let why = if why.is_empty() { why } else { format!(" ({why})") };
        format!("{}:{first}-{last} {}{why}", self.file, self.name)
    }
}

/// A test that reaches a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TestV2 {
    /// The file, relative to the root.
    pub file: String,
    /// The name or the title of the test; absent for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The declarations of the pack that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<String>,
    /// The number of imports in between; 0 for a changed test, over 8 if no path is known.
    pub distance: u32,
}

/// A removed export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VanishedV2 {
    /// Its name; empty if the whole file was removed.
    pub name: String,
    /// The file that had it.
    pub file: String,
    /// The places that still import it, or use it.
    pub importers: Vec<LocV2>,
    /// Whether these are uses of a member, not imports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub used: bool,
    /// Whether other declarations have its name, so that the uses may be of those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub possible: bool,
}

impl VanishedV2 {
    /// What the places do with it, in words.
    pub fn how(&self) -> &'static str {
        match (self.used, self.possible) {
            (false, _) => "imported by",
            (true, false) => "used at",
            (true, true) => "perhaps used at",
        }
    }
}

/// A slice that did not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NextV2 {
    /// The argument for `--at`: a file and a range of lines.
    pub id: String,
    /// The declaration in these lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its approximate size in tokens.
    pub tokens: u64,
    /// Why it may matter.
    pub why: String,
}

/// The changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaseV2 {
    /// The base commit.
    pub revision: String,
    /// The commit after the change; absent for the working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The changed regions.
    pub changes: Vec<ChangeV2>,
    /// The number of further ones.
    pub more: u64,
    /// The changed files; only in a pack for a change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFileV2>,
    /// Notes on what was not examined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangedFileV2 {
    /// The file, relative to the root.
    pub file: String,
    /// `changed`, `new`, `deleted` or `renamed`.
    pub how: String,
    /// Its old path, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The declarations removed from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Whether it changed again after the requested change; lines are then those of today.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl ChangedFileV2 {
    /// What happened to it, in words; none if it only changed.
    pub fn fate(&self) -> Option<String> {
        let how = match (self.how.as_str(), &self.was) {
            ("renamed", Some(was)) => Some(format!("renamed from {was}")),
            ("changed", _) => None,
            (how, _) => Some(how.to_owned()),
        };
        let again = self.again.then(|| "changed again since".to_owned());
        let told: Vec<String> = how.into_iter().chain(again).collect();
        (!told.is_empty()).then(|| told.join(", "))
    }
}

/// A changed region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangeV2 {
    /// The file, relative to the root.
    pub file: String,
    /// The first and last line today.
    pub lines: [u32; 2],
    /// The old lines.
    pub before: String,
}

/// The code of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CodeV2 {
    /// The slices, nearest to the focus first.
    pub slices: Vec<SliceV2>,
    /// How they were selected.
    pub meta: CodeMetaV2,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SliceV2 {
    /// `focus`, `suspect`, `related`, `named`, `changed`, `hop1`, `body`, `hop2` or `hop3`; for a task or a change `edit`, `user` and
    /// `uses`.
    pub role: String,
    /// Why it is here.
    pub why: Vec<String>,
    /// The index of the file in `digests.inputs`.
    pub file: u64,
    /// The declaration shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decl: Option<DeclV2>,
    /// The ranges of lines: first and last, from 1.
    pub lines: Vec<[u32; 2]>,
    /// The lines left out in between.
    pub elided: Vec<ElidedV2>,
    /// The lines' text.
    pub text: String,
    /// The SHA-256 of that text.
    pub sha256: String,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeclV2 {
    /// The kind of declaration.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The name of the declaration that it is a member of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its first and last line.
    pub lines: [u32; 2],
}

/// Lines left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ElidedV2 {
    /// The first and last line.
    pub lines: [u32; 2],
}

/// How the code was selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CodeMetaV2 {
    /// `decl`.
    pub enclosure: String,
    /// `all`.
    pub closure: String,
    /// The token budget.
    pub budget: u64,
    /// What did not fit.
    pub omitted: OmittedV2,
    /// Names that could not be resolved.
    pub unresolved: Vec<String>,
    /// Whether something did not fit.
    pub truncated: bool,
}

/// What did not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OmittedV2 {
    /// Slices.
    pub slices: u64,
    /// Diagnostics.
    pub diagnostics: u64,
}

impl ContextPackV2 {
    /// The canonical form, without a final newline.
    pub fn to_canonical(&self) -> String {
        canonical::to_string(&self.to_value())
    }

    /// The pack as a JSON value.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "schema_version": CONTEXT_VERSION,
            "toolchain": self.toolchain,
            "project": self.project,
            "focus": self.focus,
            "diagnostics": {
                "schema_version": "x07.x07diag@0.1.0",
                "ok": self.diagnostics.is_empty() && self.asked.is_some(),
                "meta": {},
                "diagnostics": self.diagnostics,
            },
            "groups": self.groups,
            "suspects": self.suspects,
            "code": self.code,
            "env": {},
            "digests": self.digests,
        });
        if let Some(base) = &self.base {
            value["base"] = json!(base);
        }
        if let Some(asked) = &self.asked {
            value["asked"] = json!(asked);
        }
        for (name, text) in [("evidence", &self.evidence), ("environment", &self.environment)] {
            if let Some(text) = text {
                value[name] = json!(text);
            }
        }
        let lists = [
            ("places", json!(self.places)),
            ("tests", json!(self.tests)),
            ("vanished", json!(self.vanished)),
            ("next", json!(self.next)),
        ];
        for (name, list) in lists {
            if list.as_array().is_some_and(|list| !list.is_empty()) {
                value[name] = list;
            }
        }
        value
    }

    /// The JSON Schema.
    pub fn schema() -> Value {
        codec::schema::<WrittenContextV2>("context-pack")
    }
}
