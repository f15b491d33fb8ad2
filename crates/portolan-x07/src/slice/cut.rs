//! Makes a slice from a document and a request.

use std::collections::BTreeSet;

use portolan_wire::slice::{Diagnostic, Missing, Omitted, PtrRemap, SliceMeta, Truncation};

use crate::slice::draft::SliceDraft;
use crate::slice::focus::{Region, SliceFocus};
use crate::slice::prune::{self, Pruning};
use crate::slice::read::{AstDocument, CONTRACT_FIELDS};
use crate::slice::request::{SliceError, SliceRequest};
use crate::slice::select::select;

/// A slice: a valid document around the focus, within the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The document in canonical form.
    pub ast: Vec<u8>,
    /// How it was made, and what is missing.
    pub meta: SliceMeta,
    /// One diagnostic for each limit that cut something.
    pub diagnostics: Vec<Diagnostic>,
}

/// Slices a document.
///
/// The document is used as scratch space and restored afterwards.
pub fn slice(document: &mut AstDocument<'_>, request: &SliceRequest) -> Result<Slice, SliceError> {
    let focus = SliceFocus::find(document, request)?;
    let mark = document.tree.next_index();
    let outcome = cut(document, request, &focus);
    document.tree.truncate(mark);
    outcome
}

/// The metadata of a failed request.
pub fn failed_meta(request: &SliceRequest) -> SliceMeta {
    let closure = request.closure;
    SliceMeta {
        ptr: request.ptr.trim().to_owned(),
        enclosure: request.enclosure.as_str().into(),
        closure: closure.as_str().into(),
        ptr_remap: Vec::new(),
        omitted: Omitted {
            locals: !closure.has(crate::slice::Closure::Locals),
            types: !closure.has(crate::slice::Closure::Types),
            imports: !closure.has(crate::slice::Closure::Imports),
        },
        missing: Missing::default(),
        truncated: false,
        truncation: None,
    }
}

fn cut(
    document: &mut AstDocument<'_>,
    request: &SliceRequest,
    focus: &SliceFocus,
) -> Result<Slice, SliceError> {
    let categories = focus.categories(request.closure);
    let selection = select(document, focus, request.enclosure, categories);
    let missing_types =
        if categories.types { BTreeSet::new() } else { missing_types(document, &selection.order) };
    let mut draft =
        SliceDraft::new(document, focus, request.enclosure, categories, &selection.order);
    let truncations = Cutter::new(&draft, request, focus).cut(&mut draft)?;
    let missing_imports = if categories.imports { Vec::new() } else { draft.needed_imports() };
    let position = draft.focus_position();
    let moved = position.zip(focus.decl()).filter(|(position, index)| position != index);
    let meta = SliceMeta {
        ptr_remap: moved
            .map(|(position, _)| PtrRemap { from: focus.ptr.clone(), to: focus.ptr_at(position) })
            .into_iter()
            .collect(),
        omitted: Omitted {
            locals: !categories.locals,
            types: !categories.types,
            imports: !categories.imports,
        },
        missing: Missing {
            locals: selection.missing_locals.into_iter().collect(),
            types: missing_types.into_iter().collect(),
            imports: missing_imports,
        },
        truncated: !truncations.is_empty(),
        truncation: truncations.last().cloned(),
        ..failed_meta(request)
    };
    let diagnostics =
        truncations.iter().map(|cut| Diagnostic::truncated(&focus.ptr, cut)).collect();
    Ok(Slice { ast: draft.write(), meta, diagnostics })
}

/// The names that are lost when the types of these decls are stripped.
fn missing_types(document: &AstDocument<'_>, order: &[usize]) -> BTreeSet<String> {
    let tree = &document.tree;
    let mut missing = BTreeSet::new();
    for decl in order.iter().filter_map(|&index| document.decls.get(index).copied()) {
        for member in tree.members(decl) {
            match tree.text(member.key) {
                "type_params" => {
                    let names =
                        tree.items(member.value).filter_map(|param| tree.get(param, "name"));
                    missing.extend(names.map(|name| tree.text(name).to_owned()));
                }
                key if CONTRACT_FIELDS.contains(&key) && tree.len(member.value) > 0 => {
                    missing.insert("contracts".to_owned());
                }
                _ => {}
            }
        }
    }
    missing
}

/// Cuts a draft to its limits.
struct Cutter<'r> {
    request: &'r SliceRequest,
    focus: &'r SliceFocus,
    decls_before: u64,
    bytes_before: u64,
}

impl<'r> Cutter<'r> {
    fn new(draft: &SliceDraft<'_, '_>, request: &'r SliceRequest, focus: &'r SliceFocus) -> Self {
        Self {
            request,
            focus,
            decls_before: draft.n_decls() as u64,
            bytes_before: draft.bytes() as u64,
        }
    }

    /// Cuts, and returns the state after each limit that cut something.
    fn cut(&self, draft: &mut SliceDraft<'_, '_>) -> Result<Vec<Truncation>, SliceError> {
        let mut truncations: Vec<Truncation> = Vec::new();
        if self.request.max_nodes.is_some_and(|bound| draft.n_decls() as u64 > bound) {
            self.cut_to_nodes(draft);
            truncations.push(self.truncation(draft, "max_nodes"));
        }
        if let Some(bound) = self.request.max_bytes.filter(|&bound| draft.bytes() as u64 > bound) {
            self.cut_to_bytes(draft, bound)?;
            let reason = if truncations.is_empty() { "max_bytes" } else { "max_nodes" };
            truncations.push(self.truncation(draft, reason));
        }
        Ok(truncations)
    }

    fn truncation(&self, draft: &SliceDraft<'_, '_>, reason: &str) -> Truncation {
        Truncation {
            max_nodes: self.request.max_nodes,
            max_bytes: self.request.max_bytes,
            decls_before: self.decls_before,
            decls_after: draft.n_decls() as u64,
            bytes_before: self.bytes_before,
            bytes_after: draft.bytes() as u64,
            reason: reason.into(),
        }
    }

    fn cut_to_nodes(&self, draft: &mut SliceDraft<'_, '_>) {
        let bound = self.request.max_nodes.unwrap_or(u64::MAX);
        while draft.n_decls() as u64 > bound && draft.drop_last() {}
    }

    /// Applies the stages in order, each only until the limit is met.
    fn cut_to_bytes(&self, draft: &mut SliceDraft<'_, '_>, bound: u64) -> Result<(), SliceError> {
        let fits = |draft: &SliceDraft<'_, '_>| draft.bytes() as u64 <= bound;
        while !fits(draft) && draft.drop_last() {}
        for stage in STAGES {
            if fits(draft) {
                return Ok(());
            }
            self.apply(draft, stage);
        }
        if fits(draft) {
            return Ok(());
        }
        Err(SliceError::BoundTooSmall { max_bytes: bound, smallest: draft.bytes() as u64 })
    }

    fn apply(&self, draft: &mut SliceDraft<'_, '_>, stage: CutStage) {
        let path = self.focus.inner_path();
        match stage {
            CutStage::Prune(step) => {
                draft.edit_focus(|tree, decl| prune::step(tree, decl, path, step));
            }
            CutStage::PruneSolve if self.focus.region == Region::Solve => {
                draft.edit_solve(|tree, solve| prune::expression(tree, solve, path));
            }
            CutStage::DropMeta if self.focus.region != Region::Meta => draft.drop_meta(),
            CutStage::PruneSolve | CutStage::DropMeta => {}
            CutStage::ZeroSolve => draft.edit_solve(|tree, _| tree.push_zero()),
            CutStage::ZeroBody => draft.edit_focus(prune::without_body),
        }
    }
}

/// A way to shrink a slice after all other decls are dropped.
#[derive(Clone, Copy, Debug)]
enum CutStage {
    Prune(Pruning),
    PruneSolve,
    DropMeta,
    ZeroSolve,
    ZeroBody,
}

/// The stages, in the order in which they are applied.
const STAGES: [CutStage; 7] = [
    CutStage::Prune(Pruning::Code),
    CutStage::Prune(Pruning::Doc),
    CutStage::Prune(Pruning::Brands),
    CutStage::PruneSolve,
    CutStage::DropMeta,
    CutStage::ZeroSolve,
    CutStage::ZeroBody,
];
