//! Builds the canonical document from a checked one.

use portolan_wire::tree::{Kind, NodeIdx, Tree};

use super::decls::last_segment;
use super::{AstDocument, CheckedNodes, DeclKind, DocumentKind};

/// A key of `meta` that toolchains reserve and that must not come from a file.
const RESERVED_META: &str = "__x07_internal_defn_decreases";

/// Appends the canonical document to the tree.
pub(super) fn canonicalize<'s>(tree: Tree<'s>, parts: &CheckedNodes) -> AstDocument<'s> {
    let mut canon = Canon { tree };
    // Nodes appended while the root is open become part of it, so this comes first.
    let meta = canon.tree.get(parts.root, "meta").map(|meta| canon.tree.copy_sorted(meta));
    let first = canon.tree.next_index();
    let root = canon.tree.open_object();
    canon.key("decls");
    let list = canon.tree.open_array();
    for (index, (kind, decl)) in canon.ordered_decls(parts).into_iter().enumerate() {
        canon.decl(index, kind, decl);
    }
    canon.tree.close(list);
    canon.key("imports");
    let imports = canon.sorted_strings(&[parts.imports]);
    canon.string_array(&imports);
    canon.key("kind");
    canon.tree.push_string(if parts.kind == DocumentKind::Entry { "entry" } else { "module" });
    canon.meta(meta);
    for field in ["module_id", "schema_version", "solve"] {
        canon.copy_field(parts.root, field);
    }
    canon.tree.close(root);
    let Canon { mut tree } = canon;
    let root = tree.forget_before(first);
    let decls = tree.get(root, "decls").map_or_else(Vec::new, |decls| tree.items(decls).collect());
    AstDocument { tree, root, decls }
}

struct Canon<'s> {
    tree: Tree<'s>,
}

impl Canon<'_> {
    fn key(&mut self, key: &str) {
        self.tree.push_key(key);
    }

    /// The decls in canonical order: the export, then each kind by name, records and enums as in
    /// the file. Of several exports (only one has names) one remains, and of an entry's none.
    fn ordered_decls(&self, parts: &CheckedNodes) -> Vec<(DeclKind, NodeIdx)> {
        let tree = &self.tree;
        let mut decls: Vec<_> = parts
            .decls
            .iter()
            .copied()
            .filter(|&(kind, decl)| {
                let names = tree.get(decl, "names").map_or(0, |names| tree.len(names));
                kind != DeclKind::Export || (parts.kind == DocumentKind::Module && names > 0)
            })
            .collect();
        let name = |&(kind, decl): &(DeclKind, NodeIdx)| {
            let by_name = kind < DeclKind::Defrecord;
            by_name.then(|| tree.get(decl, "name").map_or("", |name| tree.text(name)))
        };
        decls.sort_by(|left, right| (left.0, name(left)).cmp(&(right.0, name(right))));
        decls
    }

    fn sorted_strings(&self, arrays: &[NodeIdx]) -> Vec<NodeIdx> {
        let mut items: Vec<_> = arrays.iter().flat_map(|&array| self.tree.items(array)).collect();
        items.sort_by(|&left, &right| self.tree.text(left).cmp(self.tree.text(right)));
        items.dedup_by(|left, right| self.tree.text(*left) == self.tree.text(*right));
        items
    }

    fn string_array(&mut self, items: &[NodeIdx]) {
        let array = self.tree.open_array();
        for &item in items {
            self.tree.copy(item);
        }
        self.tree.close(array);
    }

    /// Copies a member unchanged, if it exists.
    fn copy_field(&mut self, parent: NodeIdx, field: &str) {
        let member = self.tree.members(parent).find(|member| self.tree.text(member.key) == field);
        if let Some(member) = member {
            self.tree.copy_member(member);
        }
    }

    fn decl(&mut self, index: usize, kind: DeclKind, decl: NodeIdx) {
        let object = self.tree.open_object();
        match kind {
            DeclKind::Export => self.export(decl),
            DeclKind::Extern => self.external(decl),
            DeclKind::Defn | DeclKind::Defasync => self.function(index, kind, decl),
            DeclKind::Defrecord => self.data(decl, kind, "fields", &["name", "ty"]),
            DeclKind::Defenum => self.data(decl, kind, "variants", &["name", "payload"]),
        }
        self.tree.close(object);
    }

    fn kind(&mut self, kind: DeclKind) {
        self.key("kind");
        self.tree.push_string(kind.as_str());
    }

    fn export(&mut self, decl: NodeIdx) {
        self.kind(DeclKind::Export);
        self.key("names");
        let names: Vec<_> = self.tree.get(decl, "names").into_iter().collect();
        let names = self.sorted_strings(&names);
        self.string_array(&names);
    }

    fn external(&mut self, decl: NodeIdx) {
        self.key("abi");
        self.tree.push_string("C");
        self.kind(DeclKind::Extern);
        if self.tree.get(decl, "link_name").is_some() {
            self.copy_field(decl, "link_name");
        } else {
            let name = self.tree.get(decl, "name").map_or("", |name| self.tree.text(name));
            let link_name = last_segment(name).to_owned();
            self.key("link_name");
            self.tree.push_string(&link_name);
        }
        self.copy_field(decl, "name");
        self.objects(decl, "params", &["brand", "name", "ty"]);
        let result = self.tree.get(decl, "result");
        if result
            .and_then(|result| self.tree.string(result))
            .is_some_and(|result| result.trim() == "void")
        {
            self.key("result");
            self.tree.push_string("void");
        } else {
            self.copy_field(decl, "result");
        }
    }

    fn function(&mut self, index: usize, kind: DeclKind, decl: NodeIdx) {
        self.copy_field(decl, "body");
        self.clauses(decl, "decreases");
        let doc = self.tree.get(decl, "doc").map(|doc| self.tree.text(doc).trim().to_owned());
        if let Some(doc) = doc.filter(|doc| !doc.is_empty()) {
            self.key("doc");
            self.tree.push_string(&doc);
        }
        self.clauses(decl, "ensures");
        self.clauses(decl, "invariant");
        self.kind(kind);
        self.loop_contracts(index, decl);
        self.copy_field(decl, "name");
        self.objects(decl, "params", &["brand", "name", "ty"]);
        self.protocol(decl);
        self.clauses(decl, "requires");
        self.copy_field(decl, "result");
        self.copy_field(decl, "result_brand");
        if self.has_items(decl, "type_params") {
            self.objects(decl, "type_params", &["bound", "name"]);
        }
    }

    fn has_items(&self, parent: NodeIdx, field: &str) -> bool {
        self.tree.get(parent, field).is_some_and(|list| self.tree.len(list) > 0)
    }

    /// Copies a list of objects with their known fields, which are given in canonical order.
    fn objects(&mut self, parent: NodeIdx, field: &str, known: &[&str]) {
        let Some(list) = self.tree.get(parent, field) else { return };
        self.key(field);
        let array = self.tree.open_array();
        for item in self.tree.items(list).collect::<Vec<_>>() {
            let object = self.tree.open_object();
            for name in known {
                self.copy_field(item, name);
            }
            self.tree.close(object);
        }
        self.tree.close(array);
    }

    /// Copies a list of contract clauses unless it is empty.
    fn clauses(&mut self, parent: NodeIdx, field: &str) {
        if self.has_items(parent, field) {
            self.clause_list(parent, field);
        }
    }

    fn clause_list(&mut self, parent: NodeIdx, field: &str) {
        self.key(field);
        let array = self.tree.open_array();
        let clauses: Vec<_> = self
            .tree
            .get(parent, field)
            .into_iter()
            .flat_map(|list| self.tree.items(list))
            .collect();
        for clause in clauses {
            let object = self.tree.open_object();
            self.copy_field(clause, "expr");
            self.copy_field(clause, "id");
            if self.has_items(clause, "witness") {
                self.copy_field(clause, "witness");
            }
            self.tree.close(object);
        }
        self.tree.close(array);
    }

    fn loop_contracts(&mut self, index: usize, decl: NodeIdx) {
        if !self.has_items(decl, "loop_contracts") {
            return;
        }
        self.key("loop_contracts");
        let array = self.tree.open_array();
        let contracts: Vec<_> = self
            .tree
            .get(decl, "loop_contracts")
            .into_iter()
            .flat_map(|list| self.tree.items(list))
            .collect();
        for contract in contracts {
            let object = self.tree.open_object();
            self.clause_list(contract, "decreases");
            self.clause_list(contract, "invariant");
            let ptr = self.tree.get(contract, "ptr").map_or("", |ptr| self.tree.text(ptr));
            let ptr = rebase_loop_pointer(ptr, index);
            self.key("ptr");
            self.tree.push_string(&ptr);
            self.tree.close(object);
        }
        self.tree.close(array);
    }

    fn protocol(&mut self, decl: NodeIdx) {
        let Some(protocol) = self.tree.get(decl, "protocol") else { return };
        self.key("protocol");
        let object = self.tree.open_object();
        for field in ["await_invariant", "cancellation_ensures", "scope_invariant"] {
            self.clauses(protocol, field);
        }
        self.tree.close(object);
    }

    fn data(&mut self, decl: NodeIdx, kind: DeclKind, list: &str, known: &[&str]) {
        if self.tree.get(decl, "doc").is_some_and(|doc| self.tree.kind(doc) == Kind::String) {
            self.copy_field(decl, "doc");
        }
        if kind == DeclKind::Defrecord {
            self.objects(decl, list, known);
        }
        self.kind(kind);
        self.copy_field(decl, "name");
        if kind == DeclKind::Defenum {
            self.objects(decl, list, known);
        }
    }

    fn meta(&mut self, sorted: Option<NodeIdx>) {
        let kept: Vec<_> = sorted
            .into_iter()
            .flat_map(|meta| self.tree.members(meta))
            .filter(|member| self.tree.text(member.key) != RESERVED_META)
            .collect();
        if kept.is_empty() {
            return;
        }
        self.key("meta");
        let object = self.tree.open_object();
        for member in kept {
            self.tree.copy_member(member);
        }
        self.tree.close(object);
    }
}

/// The pointer of a loop contract for a decl at another index: the part before the first `/body` is
/// the decl.
pub(crate) fn rebase_loop_pointer(ptr: &str, index: usize) -> String {
    match ptr.find("/body") {
        Some(at) => format!("/decls/{index}{}", &ptr[at..]),
        None => ptr.to_owned(),
    }
}
