//! Compares a pack with the pack that its files give now.

use std::fmt;

use crate::{Closure, Enclosure, SliceRequest};
use portolan_wire::pack::PackRecipe;
use portolan_wire::slice::FileDigest;
use serde_json::Value;

/// A difference between a pack and the present files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackDifference {
    /// The path, or the part of the pack.
    pub what: String,
    /// How it differs.
    pub how: String,
}

impl fmt::Display for PackDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.how)
    }
}

impl PackDifference {
    /// Makes a difference.
    pub fn new(what: impl Into<String>, how: impl Into<String>) -> Self {
        Self { what: what.into(), how: how.into() }
    }
}

/// The request that gives a pack's slice. Limits matter only if they cut something.
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

/// The differences between a pack and the pack that its files give now, files first.
pub fn differences(
    pack: &Value,
    recipe: &PackRecipe,
    today: &Value,
    inputs: &[FileDigest],
) -> Vec<PackDifference> {
    let mut changes: Vec<PackDifference> = Vec::new();
    for (then, now) in recipe.digests.inputs.iter().zip(inputs) {
        if then.sha256 != now.sha256 || then.bytes_len != now.bytes_len {
            let how = format!(
                "was {} bytes with sha256 {}, is {} bytes with sha256 {}",
                then.bytes_len, then.sha256, now.bytes_len, now.sha256
            );
            changes.push(PackDifference::new(then.path.clone(), how));
        }
        if then.path != now.path {
            changes.push(PackDifference::new(then.path.clone(), format!("is {} today", now.path)));
        }
    }
    if recipe.digests.inputs.len() != inputs.len() {
        changes.push(PackDifference::new(
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
            changes.push(PackDifference::new(
                pointer.trim_start_matches('/').replace('/', "."),
                "differs from what the files give now",
            ));
        }
    }
    if changes.is_empty() && pack != today {
        changes.push(PackDifference::new("pack", "has fields that do not belong to a pack"));
    }
    changes
}
