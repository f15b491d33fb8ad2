//! The report of `portolan ast slice`, with the slice's metadata.
//!
//! `slice_ast` is stored as canonical text: it can be large, and it is final at this point.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::canonical::ObjectWriter;

/// How a slice was made and what it lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceMeta {
    /// The requested JSON Pointer, trimmed.
    pub ptr: String,
    /// `decl`, `defn` or `module`.
    pub enclosure: String,
    /// `locals`, `types`, `imports` or `all`.
    pub closure: String,
    /// Where the focus moved to, if it moved.
    pub ptr_remap: Vec<PtrRemap>,
    /// The categories that were left out.
    pub omitted: Omitted,
    /// What the omitted categories would have added.
    pub missing: Missing,
    /// Whether a limit cut the slice.
    pub truncated: bool,
    /// How it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
}

/// A pointer into the document and the matching one into the slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtrRemap {
    /// In the document.
    pub from: String,
    /// In the slice.
    pub to: String,
}

/// The categories that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omitted {
    /// Decls that the enclosure refers to.
    pub locals: bool,
    /// Type parameters, contracts and brands.
    pub types: bool,
    /// Imports.
    pub imports: bool,
}

/// What the omitted categories would have added; each list is sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Symbols of the module.
    pub locals: Vec<String>,
    /// Type parameters, and `contracts`.
    pub types: Vec<String>,
    /// Modules.
    pub imports: Vec<String>,
}

/// How a limit cut the slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// The limit on decls, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<u64>,
    /// The limit on bytes, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Decls before any limit.
    pub decls_before: u64,
    /// Decls in the slice.
    pub decls_after: u64,
    /// Canonical size before any limit.
    pub bytes_before: u64,
    /// Canonical size of the slice.
    pub bytes_after: u64,
    /// `max_nodes` or `max_bytes`: the first limit that cut.
    pub reason: String,
}

/// A diagnostic in the format of `x07.x07diag@0.1.0`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// A stable code.
    pub code: String,
    /// `error`, `warning`, `info` or `hint`.
    pub severity: String,
    /// The stage of the toolchain.
    pub stage: String,
    /// What was found.
    pub message: String,
    /// The position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loc: Option<Location>,
    /// Additional data for machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// A position in an x07AST document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// `x07ast`.
    pub kind: String,
    /// A JSON Pointer.
    pub ptr: String,
}

/// The code of the diagnostic for a cut.
pub const TRUNCATED: &str = "X07-AST-SLICE-0001";
/// The code of the diagnostic for a failure.
pub const TOOL_FAILED: &str = "X07-TOOL-EXEC-0001";

impl Diagnostic {
    /// The slice at `ptr` was cut.
    pub fn truncated(ptr: &str, truncation: &Truncation) -> Self {
        Self {
            code: TRUNCATED.into(),
            severity: "info".into(),
            stage: "run".into(),
            message: format!("x07 ast slice truncated ({})", truncation.reason),
            loc: Some(Location { kind: "x07ast".into(), ptr: ptr.into() }),
            data: Some(json!(truncation)),
        }
    }

    /// The command failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            code: TOOL_FAILED.into(),
            severity: "error".into(),
            stage: "run".into(),
            message: message.into(),
            loc: None,
            data: None,
        }
    }
}

/// The digest of a file when it was read or written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// The path as shown.
    pub path: String,
    /// Lower-case hexadecimal.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes_len: u64,
}

/// The input and output files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// The files read.
    pub inputs: Vec<FileDigest>,
    /// The files written.
    pub outputs: Vec<FileDigest>,
}

/// The report of `portolan ast slice`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceReport {
    /// Whether there is a slice.
    pub ok: bool,
    /// `--in` as given.
    pub input: String,
    /// `--out` as given.
    pub out: Option<String>,
    /// The slice in canonical form, unless it went to `--out`.
    pub slice_ast: Option<Vec<u8>>,
    /// How it was made.
    pub slice_meta: SliceMeta,
    /// The cuts, or the failure.
    pub diagnostics: Vec<Diagnostic>,
    /// The files.
    pub digests: Digests,
}

impl SliceReport {
    /// The canonical form, without a final newline.
    pub fn to_canonical(&self) -> Vec<u8> {
        let mut report = ObjectWriter::new();
        report.member("diagnostics", &json!(self.diagnostics));
        report.member("digests", &json!(self.digests));
        report.member("in", &json!(self.input));
        report.member("ok", &json!(self.ok));
        if let Some(out) = &self.out {
            report.member("out", &json!(out));
        }
        report.canonical_member("slice_ast", self.slice_ast.as_deref().unwrap_or(b"null"));
        report.member("slice_meta", &json!(self.slice_meta));
        report.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Digests, Missing, Omitted, SliceMeta, SliceReport};

    #[test]
    fn a_report_is_canonical_as_a_whole() {
        let report = SliceReport {
            ok: true,
            input: "a.x07.json".into(),
            out: Some("b.json".into()),
            slice_ast: Some(br#"{"decls":[]}"#.to_vec()),
            slice_meta: SliceMeta {
                ptr: "/decls/0".into(),
                enclosure: "decl".into(),
                closure: "all".into(),
                ptr_remap: Vec::new(),
                omitted: Omitted::default(),
                missing: Missing::default(),
                truncated: false,
                truncation: None,
            },
            diagnostics: Vec::new(),
            digests: Digests::default(),
        };
        let bytes = report.to_canonical();
        let value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(bytes, crate::canonical::to_vec(&value));
    }
}
