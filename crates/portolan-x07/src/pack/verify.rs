//! Whether a pack is what its files give today.

use std::fmt;

use portolan_pack::{Closure, Enclosure, SliceRequest};
use portolan_wire::pack::PackRecipe;
use portolan_wire::slice::FileDigest;
use serde_json::Value;

/// Something that is not as the pack says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// A path, or the part of the pack.
    pub what: String,
    /// How it differs.
    pub how: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.how)
    }
}

impl Change {
    /// A change.
    pub fn new(what: impl Into<String>, how: impl Into<String>) -> Self {
        Self { what: what.into(), how: how.into() }
    }
}

/// The request that a pack's slice answers. Bounds matter only where they cut.
pub fn request_of(recipe: &PackRecipe) -> Option<SliceRequest> {
    let meta = &recipe.ast.slice_meta;
    let enclosure = [Enclosure::Decl, Enclosure::Defn, Enclosure::Module]
        .into_iter()
        .find(|known| known.as_str() == meta.enclosure)?;
    let closure = [Closure::Locals, Closure::Types, Closure::Imports, Closure::All]
        .into_iter()
        .find(|known| known.as_str() == meta.closure)?;
    let (max_nodes, max_bytes) =
        meta.truncation.as_ref().map_or((None, None), |cut| (cut.max_nodes, cut.max_bytes));
    Some(SliceRequest { ptr: meta.ptr.clone(), enclosure, closure, max_nodes, max_bytes })
}

/// What differs between a pack and the one that its files give today, files first.
pub fn differences(
    pack: &Value,
    recipe: &PackRecipe,
    today: &Value,
    inputs: &[FileDigest],
) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (then, now) in recipe.digests.inputs.iter().zip(inputs) {
        if then.sha256 != now.sha256 || then.bytes_len != now.bytes_len {
            let how = format!(
                "was {} bytes with sha256 {}, is {} bytes with sha256 {}",
                then.bytes_len, then.sha256, now.bytes_len, now.sha256
            );
            changes.push(Change::new(then.path.clone(), how));
        }
        if then.path != now.path {
            changes.push(Change::new(then.path.clone(), format!("is {} today", now.path)));
        }
    }
    if recipe.digests.inputs.len() != inputs.len() {
        changes.push(Change::new(
            "digests.inputs",
            format!("lists {} files, not {}", recipe.digests.inputs.len(), inputs.len()),
        ));
    }
    for pointer in [
        "/toolchain",
        "/project",
        "/focus",
        "/diagnostics",
        "/ast/source_path",
        "/ast/source_schema_version",
        "/ast/slice_meta",
        "/ast/slice_ast",
        "/digests/outputs",
        "/env",
    ] {
        if pack.pointer(pointer) != today.pointer(pointer) {
            changes.push(Change::new(
                pointer.trim_start_matches('/').replace('/', "."),
                "differs from what the files give today",
            ));
        }
    }
    if changes.is_empty() && pack != today {
        changes.push(Change::new("pack", "has parts that are not of a pack"));
    }
    changes
}
