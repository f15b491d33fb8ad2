//! The context pack, `x07.agent.context@0.1.0`: everything needed to repair a failure.
//!
//! The diagnostics and the slice are stored as canonical text, because they are final at this point.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::canonical::ObjectWriter;
use crate::slice::{Digests, SliceMeta};

/// The version of this format.
pub const PACK_VERSION: &str = "x07.agent.context@0.1.0";

/// A context pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The program that made it.
    pub toolchain: Toolchain,
    /// The project.
    pub project: Project,
    /// The diagnostic in focus.
    pub focus: PackFocus,
    /// The diagnostics in canonical form.
    pub diagnostics: Vec<u8>,
    /// The code around the focus.
    pub ast: PackAst,
    /// The inputs: diagnostics, manifest, entry and, if it was followed, the module of the
    /// focus.
    pub digests: Digests,
}

/// The program that made a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// `portolan`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The project of a pack. All paths are relative to its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Always `.`, so a pack is the same in every checkout.
    pub root: String,
    /// The world that its programs run in.
    pub world: String,
    /// Its entry module.
    pub entry: String,
}

/// The diagnostic in focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackFocus {
    /// Its code.
    pub diag_code: String,
    /// Its pointer, as given.
    pub loc_ptr: String,
}

/// The code of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackAst {
    /// The slice in canonical form.
    pub slice_ast: Vec<u8>,
    /// How the slice was made.
    pub slice_meta: SliceMeta,
    /// The source module.
    pub source_path: String,
    /// That module's version.
    pub source_schema_version: String,
}

impl Pack {
    /// The canonical form, without a final newline.
    pub fn to_canonical(&self) -> Vec<u8> {
        let mut ast = ObjectWriter::with_capacity(self.ast.slice_ast.len());
        ast.canonical_member("slice_ast", &self.ast.slice_ast);
        ast.member("slice_meta", &json!(self.ast.slice_meta));
        ast.member("source_path", &json!(self.ast.source_path));
        ast.member("source_schema_version", &json!(self.ast.source_schema_version));
        let mut pack =
            ObjectWriter::with_capacity(self.ast.slice_ast.len() + self.diagnostics.len());
        pack.canonical_member("ast", &ast.finish());
        pack.canonical_member("diagnostics", &self.diagnostics);
        pack.member("digests", &json!(self.digests));
        pack.member("env", &json!({}));
        pack.member("focus", &json!(self.focus));
        pack.member("project", &json!(self.project));
        pack.member("schema_version", &json!(PACK_VERSION));
        pack.member("toolchain", &json!(self.toolchain));
        pack.finish()
    }
}

/// The parts of a pack that are needed to reproduce it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PackRecipe {
    /// The version of the format.
    pub schema_version: String,
    /// The program that made it.
    pub toolchain: Toolchain,
    /// The project.
    pub project: Project,
    /// How the slice was made.
    pub ast: RecipeAst,
    /// The inputs.
    pub digests: Digests,
}

/// The parts of a pack's code that are needed to reproduce the slice.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecipeAst {
    /// How the slice was made.
    pub slice_meta: SliceMeta,
    /// The source module.
    pub source_path: String,
}
