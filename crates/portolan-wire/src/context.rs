//! The context pack of real languages, `portolan.agent.context@0.2.0`.
//!
//! The top-level keys of `x07.agent.context@0.1.0` in the same roles, with slices of several files
//! instead of one module.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::pack::Toolchain;
use crate::slice::Digests;
use crate::{canonical, codec};

/// The version of the shape.
pub const CONTEXT_VERSION: &str = "portolan.agent.context@0.2.0";

/// A context pack.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextPackV2 {
    /// Who made it.
    pub toolchain: Toolchain,
    /// Of which project.
    pub project: ProjectV2,
    /// Around which diagnostic.
    pub focus: Option<FocusV2>,
    /// The diagnostics that are shown, in the words of `x07.x07diag@0.1.0`.
    pub diagnostics: Vec<Value>,
    /// What they have in common.
    pub groups: Vec<GroupV2>,
    /// What may be the cause.
    pub suspects: Vec<SuspectV2>,
    /// What changed since the state that was compared with.
    pub base: Option<BaseV2>,
    /// What was asked, where it is no failure.
    pub asked: Option<AskedV2>,
    /// The tests of what changed, likeliest first.
    pub tests: Vec<TestV2>,
    /// Exports that are gone though files still import them.
    pub vanished: Vec<VanishedV2>,
    /// What did not fit, most likely first.
    pub next: Vec<NextV2>,
    /// The code.
    pub code: CodeV2,
    /// The files it was made of: the output that was read, then the sources by path.
    pub digests: Digests,
}

/// The shape as it is written, for the schema and for reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenContextV2 {
    /// `portolan.agent.context@0.2.0`.
    pub schema_version: String,
    /// Who made it.
    pub toolchain: WrittenToolchain,
    /// Of which project.
    pub project: ProjectV2,
    /// Around which diagnostic; null where none has a place in the repository.
    pub focus: Option<FocusV2>,
    /// A payload of `x07.x07diag@0.1.0` with the diagnostics that are shown.
    pub diagnostics: Value,
    /// What they have in common.
    pub groups: Vec<GroupV2>,
    /// What may be the cause, best first.
    pub suspects: Vec<SuspectV2>,
    /// What changed since the state that was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseV2>,
    /// What was asked, where it is no failure: a task, places, a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedV2>,
    /// The tests of what changed, likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestV2>,
    /// Exports that are gone though files still import them: an error, found without a compiler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vanished: Vec<VanishedV2>,
    /// What did not fit, most likely first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<NextV2>,
    /// The code.
    pub code: CodeV2,
    /// Nothing yet.
    pub env: Value,
    /// The files it was made of.
    pub digests: WrittenDigests,
}

/// Who made a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenToolchain {
    /// `portolan`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The files of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WrittenDigests {
    /// The output that was read first, then the sources by path.
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
    /// How many there are.
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
    /// The commit that was compared with, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// The diagnostic in focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FocusV2 {
    /// Its number among all, from 0.
    pub diag_index: u64,
    /// Its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diag_code: Option<String>,
    /// Its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loc: Option<LocV2>,
    /// How it was chosen: `ranked`, `first`, `number` or `place`.
    pub rule: String,
    /// Its group.
    pub group: u64,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LocV2 {
    /// The file from the root.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1, in UTF-16 units.
    pub col: Option<u32>,
}

/// Diagnostics of one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GroupV2 {
    /// Its number.
    pub id: u64,
    /// The code and the words, with names and numbers left out.
    pub template: String,
    /// How many.
    pub count: u64,
    /// In how many files.
    pub files: u64,
    /// The number of the first.
    pub first: u64,
}

/// A declaration that may be the cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuspectV2 {
    /// Its name.
    pub name: String,
    /// The file from the root.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// How many of the errors that were looked at need it.
    pub votes: u64,
    /// Of how many.
    pub of: u64,
    /// Whether it changed since the base.
    pub changed: bool,
}

/// What a pack is made for, where it is no failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AskedV2 {
    /// The task, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The places, as they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// The revision that is compared with, as it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
}

/// A test that reaches what changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TestV2 {
    /// The file from the root.
    pub file: String,
    /// How many imports lie between; 0 for a test that changed itself, over 8 where none is known to lead there.
    pub distance: u32,
}

/// An export that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VanishedV2 {
    /// Its name; empty where the whole file is gone.
    pub name: String,
    /// The file that had it.
    pub file: String,
    /// Who still imports it.
    pub importers: Vec<LocV2>,
}

/// Something that did not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NextV2 {
    /// What to ask for with `--at`: a file and lines of it.
    pub id: String,
    /// The declaration that the lines are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it costs, about.
    pub tokens: u64,
    /// Why it may matter.
    pub why: String,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaseV2 {
    /// The commit that was compared with.
    pub revision: String,
    /// The commit after the change; absent where that is the working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The places that changed.
    pub changes: Vec<ChangeV2>,
    /// How many further ones there are.
    pub more: u64,
    /// The files that changed; of a pack for a change only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFileV2>,
    /// What was not looked at, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A file that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangedFileV2 {
    /// The file from the root.
    pub file: String,
    /// `changed`, `new`, `deleted` or `renamed`.
    pub how: String,
    /// Where it was, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Declarations that are gone from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Whether it changed again after the change that was asked for: lines are those of today.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl ChangedFileV2 {
    /// What became of it, in words; none where it merely changed.
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

/// A place that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangeV2 {
    /// The file from the root.
    pub file: String,
    /// The first and the last line today.
    pub lines: [u32; 2],
    /// The lines as they were.
    pub before: String,
}

/// The code of a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CodeV2 {
    /// The slices, nearest to the focus first.
    pub slices: Vec<SliceV2>,
    /// How they came to be.
    pub meta: CodeMetaV2,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SliceV2 {
    /// `focus`, `related`, `named`, `changed`, `hop1`, `body`, `hop2` or `hop3`; for a task or a change `edit`, `user` and
    /// `uses`.
    pub role: String,
    /// Why it is here.
    pub why: Vec<String>,
    /// The file: its number in `digests.inputs`.
    pub file: u64,
    /// The declaration that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decl: Option<DeclV2>,
    /// The lines: first and last, from 1.
    pub lines: Vec<[u32; 2]>,
    /// The lines in between that are not shown.
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
    /// Which sort.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its first and last line.
    pub lines: [u32; 2],
}

/// Lines that are not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ElidedV2 {
    /// The first and the last.
    pub lines: [u32; 2],
}

/// How the code came to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CodeMetaV2 {
    /// `decl`.
    pub enclosure: String,
    /// `all`.
    pub closure: String,
    /// The most tokens that were allowed.
    pub budget: u64,
    /// What did not fit.
    pub omitted: OmittedV2,
    /// Names that lead nowhere.
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
    /// The canonical form, without a final line end.
    pub fn to_canonical(&self) -> String {
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
        let lists = [
            ("tests", json!(self.tests)),
            ("vanished", json!(self.vanished)),
            ("next", json!(self.next)),
        ];
        for (name, list) in lists {
            if list.as_array().is_some_and(|list| !list.is_empty()) {
                value[name] = list;
            }
        }
        canonical::to_string(&value)
    }

    /// The JSON Schema.
    pub fn schema() -> Value {
        codec::schema::<WrittenContextV2>("context-pack")
    }
}
