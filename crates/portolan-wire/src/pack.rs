//! The context pack, `x07.agent.context@0.1.0`: what is needed to repair a failure.
//!
//! The diagnostics and the slice are kept as canonical text: they are final when they get here.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::canonical::ObjectWriter;
use crate::slice::{Digests, SliceMeta};

/// The version of the shape.
pub const PACK_VERSION: &str = "x07.agent.context@0.1.0";

/// A context pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Who made it.
    pub toolchain: Toolchain,
    /// Of which project.
    pub project: Project,
    /// Around which diagnostic.
    pub focus: PackFocus,
    /// The diagnostics in canonical form.
    pub diagnostics: Vec<u8>,
    /// The code around the focus.
    pub ast: PackAst,
    /// The files it was made of: diagnostics, manifest, entry and, where it was followed, the module
    /// that the focus is in.
    pub digests: Digests,
}

/// Who made a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// `portolan`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The project of a pack. Every path is relative to its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Always `.`, so that a pack is the same in every checkout.
    pub root: String,
    /// Where its programs run.
    pub world: String,
    /// Its entry module.
    pub entry: String,
}

/// The diagnostic that a pack is built around.
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
    /// How it came to be.
    pub slice_meta: SliceMeta,
    /// The module it was cut from.
    pub source_path: String,
    /// That module's version.
    pub source_schema_version: String,
}

impl Pack {
    /// The canonical form, without a final line end.
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

/// The parts of a pack that say how to make it again.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PackRecipe {
    /// The version of the shape.
    pub schema_version: String,
    /// Who made it.
    pub toolchain: Toolchain,
    /// Of which project.
    pub project: Project,
    /// How the slice came to be.
    pub ast: RecipeAst,
    /// The files it was made of.
    pub digests: Digests,
}

/// What of a pack's code says how to cut it again.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecipeAst {
    /// How the slice came to be.
    pub slice_meta: SliceMeta,
    /// The module it was cut from.
    pub source_path: String,
}
