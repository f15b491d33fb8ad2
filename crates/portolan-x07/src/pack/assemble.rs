//! Putting a pack together.

use portolan_pack::{slice, Document, Slice, SliceError, SliceRequest};
use portolan_wire::pack::{Pack, PackAst, PackFocus, Project, Toolchain};
use portolan_wire::slice::{Diagnostic, Digests, FileDigest};

use crate::pack::diagnostics::Diagnostics;
use crate::pack::manifest::Manifest;

/// A module that a slice is cut from.
#[derive(Debug)]
pub struct Module<'m, 's> {
    /// Its path, relative to the project's folder.
    pub path: &'m str,
    /// What it says.
    pub document: &'m mut Document<'s>,
}

/// What a pack is made of, but for the module.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Who makes it.
    pub toolchain: Toolchain,
    /// The project.
    pub manifest: Manifest,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
    /// The files: diagnostics, manifest, entry and, where it was followed, another module.
    pub inputs: Vec<FileDigest>,
}

/// Why there is no pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackError {
    /// The pointer that was to be sliced at.
    pub ptr: String,
    /// Why it could not be.
    pub error: SliceError,
}

/// Puts a pack together, and tells of what a bound cut. The pointer of the request is that of the
/// diagnostic in focus, whatever the request says.
pub fn assemble(
    parts: &Parts,
    module: &mut Module<'_, '_>,
    request: &SliceRequest,
) -> Result<(Pack, Vec<Diagnostic>), PackError> {
    let focus = &parts.diagnostics.focus;
    let request = SliceRequest { ptr: focus.ptr.clone(), ..request.clone() };
    let Slice { ast, meta, diagnostics } = slice(module.document, &request)
        .map_err(|error| PackError { ptr: focus.ptr.clone(), error })?;
    let pack = Pack {
        toolchain: parts.toolchain.clone(),
        project: Project {
            root: ".".into(),
            world: parts.manifest.world.clone(),
            entry: parts.manifest.entry.clone(),
        },
        focus: PackFocus { diag_code: focus.code.clone(), loc_ptr: focus.ptr.clone() },
        diagnostics: parts.diagnostics.canonical.clone(),
        ast: PackAst {
            slice_ast: ast,
            slice_meta: meta,
            source_path: module.path.to_owned(),
            source_schema_version: module.document.schema_version().to_owned(),
        },
        digests: Digests { inputs: parts.inputs.clone(), outputs: Vec::new() },
    };
    Ok((pack, diagnostics))
}

/// Whether two relative paths name the same file, as far as their text tells.
pub fn same_file(left: &str, right: &str) -> bool {
    let segments = |path: &str| -> Vec<String> {
        let plain = path.trim().replace('\\', "/");
        plain
            .split('/')
            .filter(|segment| !matches!(*segment, "" | "."))
            .map(str::to_owned)
            .collect()
    };
    segments(left) == segments(right)
}
