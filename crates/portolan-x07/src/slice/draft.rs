//! A slice while it is cut: its decls and its length, which every cut updates.
//!
//! Nothing is serialized to be measured. Each decl is measured once, each cut updates sums, and
//! imports and exports have reference counts. So any number of cuts costs one pass.

use portolan_wire::canonical::{ObjectWriter, write_string};
use portolan_wire::tree::{NodeIdx, Tree};

use crate::slice::edit;
use crate::slice::focus::{Categories, Region, SliceFocus};
use crate::slice::read::{AstDocument, DeclKind, DocumentKind};
use crate::slice::request::Enclosure;
use crate::slice::select::{expressions, heads, module_of};

/// A slice while it is cut.
pub(crate) struct SliceDraft<'d, 's> {
    pub(crate) tree: &'d mut Tree<'s>,
    root: NodeIdx,
    kind: DocumentKind,
    decls: Vec<Decl>,
    /// The position of the focus decl in `decls`.
    focus: Option<usize>,
    /// The position in `decls` of the export that lists the decls of the slice; never the focus.
    export: Option<usize>,
    /// The number of names that the export lists.
    n_exported: usize,
    imports: ImportCounts,
    /// The main expression of an entry.
    solve: Option<MeasuredPart>,
    meta: Option<MeasuredPart>,
    /// The length of everything that no cut changes.
    fixed_bytes: usize,
    /// The length of the decls, without separators.
    decl_bytes: usize,
}

/// A part of the slice with its length.
#[derive(Clone, Copy)]
struct MeasuredPart {
    node: NodeIdx,
    bytes: usize,
}

impl MeasuredPart {
    fn measure(tree: &Tree<'_>, node: NodeIdx) -> Self {
        Self { node, bytes: tree.width(node) }
    }
}

/// A decl in the slice.
struct Decl {
    node: NodeIdx,
    /// The canonical index.
    index: usize,
    /// The length without the digits of its index in its loop contracts.
    bytes: usize,
    /// The number of loop contracts that name its index.
    loop_pointers: usize,
    /// The imports that it needs.
    uses: Vec<usize>,
    /// The length of its name in the export's list, if it is listed.
    exported: Option<usize>,
}

impl Decl {
    fn measure(tree: &Tree<'_>, imports: &ImportCounts, node: NodeIdx, index: usize) -> Self {
        let loop_pointers = edit::loop_pointers(tree, node);
        let bytes = tree.width(node) - loop_pointers * digits(index);
        Self {
            node,
            index,
            bytes,
            loop_pointers,
            uses: imports.used_by(tree, &expressions(tree, node)),
            exported: None,
        }
    }

    fn bytes_at(&self, position: usize) -> usize {
        self.bytes + self.loop_pointers * digits(position)
    }
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// The document's imports, and how many parts of the slice need each.
struct ImportCounts {
    /// The names, sorted by bytes.
    names: Vec<String>,
    needed_by: Vec<usize>,
    /// Whether the slice lists them.
    listed: bool,
    count: usize,
    bytes: usize,
}

impl ImportCounts {
    fn new(tree: &Tree<'_>, root: NodeIdx, listed: bool, all: bool) -> Self {
        let list = tree.get(root, "imports").into_iter().flat_map(|imports| tree.items(imports));
        let names: Vec<String> = list.map(|name| tree.text(name).to_owned()).collect();
        let mut imports =
            Self { needed_by: vec![0; names.len()], names, listed, count: 0, bytes: 0 };
        if all {
            imports.add(&(0..imports.names.len()).collect::<Vec<_>>());
        }
        imports
    }

    fn used_by(&self, tree: &Tree<'_>, expressions: &[NodeIdx]) -> Vec<usize> {
        let modules = expressions
            .iter()
            .flat_map(|&expression| heads(tree, expression))
            .filter_map(module_of);
        let mut used: Vec<usize> = modules
            .filter_map(|module| self.names.binary_search_by(|name| name.as_str().cmp(module)).ok())
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    fn add(&mut self, used: &[usize]) {
        for &import in used {
            self.needed_by[import] += 1;
            if self.needed_by[import] == 1 {
                self.count += 1;
                self.bytes += text_bytes(&self.names[import]);
            }
        }
    }

    fn remove(&mut self, used: &[usize]) {
        for &import in used {
            self.needed_by[import] -= 1;
            if self.needed_by[import] == 0 {
                self.count -= 1;
                self.bytes -= text_bytes(&self.names[import]);
            }
        }
    }

    fn needed(&self) -> Vec<String> {
        let needed = self.names.iter().zip(&self.needed_by).filter(|&(_, &uses)| uses > 0);
        needed.map(|(name, _)| name.clone()).collect()
    }

    fn array_bytes(&self) -> usize {
        if self.listed { array_bytes(self.count, self.bytes) } else { 2 }
    }
}

fn text_bytes(text: &str) -> usize {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out.len()
}

fn array_bytes(count: usize, bytes: usize) -> usize {
    2 + bytes + count.saturating_sub(1)
}

/// The length of a member with its separator.
fn member_bytes(key: &str, value: usize) -> usize {
    key.len() + 4 + value
}

fn kind_text(kind: DocumentKind) -> &'static str {
    if kind == DocumentKind::Entry { "entry" } else { "module" }
}

/// The main expression of an entry; the smallest possible one if it has none.
fn main_expression(tree: &mut Tree<'_>, root: NodeIdx) -> MeasuredPart {
    let node = tree.get(root, "solve").unwrap_or_else(|| tree.push_zero());
    MeasuredPart::measure(tree, node)
}

/// The length of the braces and of the members that no cut changes.
fn fixed_bytes(tree: &Tree<'_>, root: NodeIdx, kind: DocumentKind) -> usize {
    let copied = |field: &str| {
        member_bytes(field, tree.get(root, field).map_or(0, |value| tree.width(value)))
    };
    // Two braces, and no comma before the first member.
    1 + member_bytes("kind", kind_text(kind).len() + 2)
        + copied("module_id")
        + copied("schema_version")
}

impl<'d, 's> SliceDraft<'d, 's> {
    /// Starts with the selected decls.
    pub(crate) fn new(
        document: &'d mut AstDocument<'s>,
        focus: &SliceFocus,
        enclosure: Enclosure,
        categories: Categories,
        order: &[usize],
    ) -> Self {
        let kind =
            if enclosure == Enclosure::Module { document.kind() } else { DocumentKind::Module };
        let kinds: Vec<_> = order.iter().map(|&index| document.decl_kind(index)).collect();
        let position = focus.decl().and_then(|decl| order.iter().position(|&index| index == decl));
        let export = kinds
            .iter()
            .position(|&kind| kind == Some(DeclKind::Export))
            .filter(|&at| Some(at) != position);
        let AstDocument { tree, root, decls: nodes } = document;
        let all = focus.region == Region::Imports;
        let mut imports = ImportCounts::new(tree, *root, categories.imports, all);
        let decls: Vec<Decl> = order
            .iter()
            .map(|&index| {
                let node = if categories.types {
                    nodes[index]
                } else {
                    edit::without_types(tree, nodes[index])
                };
                Decl::measure(tree, &imports, node, index)
            })
            .collect();
        for decl in &decls {
            imports.add(&decl.uses);
        }
        let solve = (kind == DocumentKind::Entry).then(|| main_expression(tree, *root));
        if let Some(solve) = solve {
            imports.add(&imports.used_by(tree, &[solve.node]));
        }
        let meta = tree.get(*root, "meta").map(|meta| MeasuredPart::measure(tree, meta));
        let fixed_bytes = fixed_bytes(tree, *root, kind);
        let mut draft = Self {
            tree,
            root: *root,
            kind,
            decls,
            focus: position,
            export,
            n_exported: 0,
            imports,
            solve,
            meta,
            fixed_bytes,
            decl_bytes: 0,
        };
        draft.list_exported();
        draft.measure_decls();
        draft
    }

    /// Reduces the export to the names of decls in the slice.
    fn list_exported(&mut self) {
        let Some(at) = self.export else { return };
        let mut names: Vec<(String, usize)> = self
            .tree
            .get(self.decls[at].node, "names")
            .into_iter()
            .flat_map(|names| self.tree.items(names))
            .map(|name| (self.tree.text(name).to_owned(), self.tree.width(name)))
            .collect();
        names.sort_unstable();
        let mut unlisted: usize = names.iter().map(|(_, bytes)| bytes).sum::<usize>() + names.len();
        for decl in &mut self.decls {
            let name = self.tree.get(decl.node, "name").map(|name| self.tree.text(name));
            let listed = name.and_then(|name| {
                names.binary_search_by(|(listed, _)| listed.as_str().cmp(name)).ok()
            });
            decl.exported = listed.map(|at| names[at].1);
            unlisted -= decl.exported.map_or(0, |bytes| bytes + 1);
            self.n_exported += usize::from(decl.exported.is_some());
        }
        // In a list of names, one has no comma before it, so the sum above is right as long as one
        // is left; an export without names is removed.
        self.decls[at].bytes -= unlisted;
    }

    fn measure_decls(&mut self) {
        self.decl_bytes =
            self.decls.iter().enumerate().map(|(position, decl)| decl.bytes_at(position)).sum();
    }

    /// The number of decls.
    pub(crate) fn n_decls(&self) -> usize {
        self.decls.len()
    }

    /// The position of the focus decl.
    pub(crate) fn focus_position(&self) -> Option<usize> {
        self.focus
    }

    /// The imports that the slice needs, listed or not.
    pub(crate) fn needed_imports(&self) -> Vec<String> {
        self.imports.needed()
    }

    /// The canonical length of the slice.
    pub(crate) fn bytes(&self) -> usize {
        self.fixed_bytes
            + member_bytes("decls", array_bytes(self.decls.len(), self.decl_bytes))
            + member_bytes("imports", self.imports.array_bytes())
            + self.meta.map_or(0, |meta| member_bytes("meta", meta.bytes))
            + self.solve.map_or(0, |solve| member_bytes("solve", solve.bytes))
    }

    /// Drops `meta`.
    pub(crate) fn drop_meta(&mut self) {
        self.meta = None;
    }

    /// Drops the last decl that is not the focus. Returns whether there was one.
    pub(crate) fn drop_last(&mut self) -> bool {
        let Some(last) = self.decls.len().checked_sub(1) else { return false };
        let at = if self.focus == Some(last) {
            let Some(before) = last.checked_sub(1) else { return false };
            before
        } else {
            last
        };
        self.drop_at(at);
        true
    }

    fn drop_at(&mut self, at: usize) {
        if let Some(focus) = self.focus.filter(|&focus| focus > at) {
            // The focus is the last decl: it moves up by one.
            let decl = &self.decls[focus];
            self.decl_bytes -= decl.bytes_at(focus) - decl.bytes_at(focus - 1);
            self.focus = Some(focus - 1);
        }
        if self.export == Some(at) {
            self.export = None;
        }
        let dropped = self.decls.remove(at);
        self.decl_bytes -= dropped.bytes_at(at);
        self.imports.remove(&dropped.uses);
        if let (Some(bytes), Some(export)) = (dropped.exported, self.export) {
            self.unlist(export, bytes);
        }
    }

    /// Removes a name from the export's list, and with the last name the export.
    fn unlist(&mut self, export: usize, bytes: usize) {
        self.n_exported -= 1;
        if self.n_exported > 0 {
            self.decls[export].bytes -= bytes + 1;
            self.decl_bytes -= bytes + 1;
            return;
        }
        self.decls.remove(export);
        self.export = None;
        self.focus = self.focus.map(|focus| if focus > export { focus - 1 } else { focus });
        self.measure_decls();
    }

    /// Replaces the focus decl with a new version.
    pub(crate) fn edit_focus(&mut self, edit: impl FnOnce(&mut Tree<'s>, NodeIdx) -> NodeIdx) {
        let Some(at) = self.focus else { return };
        let old = &self.decls[at];
        let node = edit(self.tree, old.node);
        let new = Decl {
            exported: old.exported,
            ..Decl::measure(self.tree, &self.imports, node, old.index)
        };
        self.imports.remove(&old.uses);
        self.imports.add(&new.uses);
        self.decl_bytes = self.decl_bytes + new.bytes_at(at) - old.bytes_at(at);
        self.decls[at] = new;
    }

    /// Replaces `solve` with a new version.
    pub(crate) fn edit_solve(&mut self, edit: impl FnOnce(&mut Tree<'s>, NodeIdx) -> NodeIdx) {
        let Some(old) = self.solve else { return };
        let new = edit(self.tree, old.node);
        self.imports.remove(&self.imports.used_by(self.tree, &[old.node]));
        self.imports.add(&self.imports.used_by(self.tree, &[new]));
        self.solve = Some(MeasuredPart::measure(self.tree, new));
    }

    /// Writes the slice in canonical form.
    pub(crate) fn write(mut self) -> Vec<u8> {
        let bytes = self.bytes();
        self.finish_decls();
        let mut decls = Vec::with_capacity(bytes);
        decls.push(b'[');
        for (position, decl) in self.decls.iter().enumerate() {
            if position > 0 {
                decls.push(b',');
            }
            self.tree.write(&mut decls, decl.node);
        }
        decls.push(b']');
        let imports = if self.imports.listed { self.imports.needed() } else { Vec::new() };
        let canonical = |node: NodeIdx| self.tree.to_canonical(node);
        let mut slice = ObjectWriter::with_capacity(bytes);
        slice.canonical_member("decls", &decls);
        slice.member("imports", &imports.into());
        slice.member("kind", &kind_text(self.kind).into());
        if let Some(meta) = self.meta {
            slice.canonical_member("meta", &canonical(meta.node));
        }
        for field in ["module_id", "schema_version"] {
            let value = self.tree.get(self.root, field).map_or_else(Vec::new, canonical);
            slice.canonical_member(field, &value);
        }
        if let Some(solve) = self.solve {
            slice.canonical_member("solve", &canonical(solve.node));
        }
        let slice = slice.finish();
        debug_assert_eq!(
            slice.len(),
            bytes,
            "the length that was kept is not the length that was written"
        );
        slice
    }

    /// Updates the parts that depend on the remaining decls: the export's list and the loop
    /// contracts.
    fn finish_decls(&mut self) {
        if let Some(at) = self.export {
            let mut kept: Vec<String> = Vec::new();
            for decl in self.decls.iter().filter(|decl| decl.exported.is_some()) {
                kept.extend(
                    self.tree.get(decl.node, "name").map(|name| self.tree.text(name).to_owned()),
                );
            }
            kept.sort_unstable();
            self.decls[at].node = export_of(self.tree, &kept);
        }
        for (position, decl) in self.decls.iter_mut().enumerate() {
            if decl.loop_pointers > 0 && decl.index != position {
                decl.node = edit::at_index(self.tree, decl.node, position);
            }
        }
    }
}

/// An export of these names.
fn export_of(tree: &mut Tree<'_>, names: &[String]) -> NodeIdx {
    let object = tree.open_object();
    tree.push_key("kind");
    tree.push_string("export");
    tree.push_key("names");
    let list = tree.open_array();
    for name in names {
        tree.push_string(name);
    }
    tree.close(list);
    tree.close(object)
}
