//! Assembles an x07 pack.

use crate::AstDocument;
use crate::Slice;
use crate::SliceError;
use crate::SliceRequest;
use crate::slice;
use portolan_wire::pack::{Pack, PackAst, PackFocus, Project, Toolchain};
use portolan_wire::slice::{Diagnostic, Digests, FileDigest};

use crate::pack::diagnostics::Diagnostics;
use crate::pack::manifest::Manifest;

/// The module that the slice is cut from.
#[derive(Debug)]
pub struct PackModule<'m, 's> {
    /// Its path, relative to the project's folder.
    pub path: &'m str,
    /// The parsed module.
    pub document: &'m mut AstDocument<'s>,
}

/// The inputs of a pack, except for the module.
#[derive(Clone, Debug)]
pub struct PackInputs {
    /// The tool that makes the pack.
    pub toolchain: Toolchain,
    /// The project manifest.
    pub manifest: Manifest,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
    /// Digests of the files: diagnostics, manifest, entry module and, if a pointer leads there,
    /// another module.
    pub inputs: Vec<FileDigest>,
}

/// Why no pack could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackError {
    /// The pointer to slice at.
    pub ptr: String,
    /// Why slicing failed.
    pub error: SliceError,
}

/// Assembles a pack. Also returns a diagnostic for everything that a limit cut off. The slice is
/// always taken at the focused diagnostic's pointer, whatever pointer the request has.
pub fn assemble(
    inputs: &PackInputs,
    module: &mut PackModule<'_, '_>,
    request: &SliceRequest,
) -> Result<(Pack, Vec<Diagnostic>), PackError> {
    let focus = &inputs.diagnostics.focus;
    let request = SliceRequest { ptr: focus.ptr.clone(), ..request.clone() };
    let Slice { ast, meta, diagnostics } = slice(module.document, &request)
        .map_err(|error| PackError { ptr: focus.ptr.clone(), error })?;
    let pack = Pack {
        toolchain: inputs.toolchain.clone(),
        project: Project {
            root: ".".into(),
            world: inputs.manifest.world.clone(),
            entry: inputs.manifest.entry.clone(),
        },
        focus: PackFocus { diag_code: focus.code.clone(), loc_ptr: focus.ptr.clone() },
        diagnostics: inputs.diagnostics.canonical.clone(),
        ast: PackAst {
            slice_ast: ast,
            slice_meta: meta,
            source_path: module.path.to_owned(),
            source_schema_version: module.document.schema_version().to_owned(),
        },
        digests: Digests { inputs: inputs.inputs.clone(), outputs: Vec::new() },
    };
    Ok((pack, diagnostics))
}

/// Whether two relative paths name the same file. Compares the text only; links are not followed.
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
