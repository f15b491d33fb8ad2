//! Which decls a slice has: what the focus refers to, by the heads of its lists, transitively.

use std::collections::{BTreeMap, BTreeSet};

use portolan_wire::tree::{Kind, NodeIdx, Tree};

use crate::focus::{Categories, Focus};
use crate::read::{CLAUSE_FIELDS, DeclKind, Document};
use crate::request::Enclosure;

/// The decls of a slice before any bound.
#[derive(Debug)]
pub(crate) struct Selection {
    /// Canonical indexes in the order of the slice.
    pub(crate) order: Vec<usize>,
    /// Symbols that the focus refers to and that are left out with the locals.
    pub(crate) missing_locals: BTreeSet<String>,
}

/// Selects decls.
pub(crate) fn select(
    document: &Document<'_>,
    focus: &Focus,
    enclosure: Enclosure,
    categories: Categories,
) -> Selection {
    let symbols = Symbols::new(document);
    let (Some(start), false) = (focus.decl(), enclosure == Enclosure::Module) else {
        let order = (0..document.decls.len())
            .filter(|&index| !symbols.is_idle_export(index, focus))
            .collect();
        return Selection { order, missing_locals: BTreeSet::new() };
    };
    let mut selected = BTreeSet::from([start]);
    let mut missing_locals = BTreeSet::new();
    if categories.locals {
        symbols.close(&mut selected);
    } else {
        let referenced = symbols.referenced(start).into_iter().filter(|&index| index != start);
        missing_locals.extend(referenced.map(|index| document.decl_name(index).to_owned()));
    }
    let exports = (0..document.decls.len())
        .filter(|&index| symbols.exports(index).any(|named| selected.contains(&named)));
    let exports: Vec<usize> = exports.collect();
    selected.extend(exports);
    selected.remove(&start);
    let order = std::iter::once(start).chain(selected).collect();
    Selection { order, missing_locals }
}

/// The decls by name.
struct Symbols<'d, 's> {
    document: &'d Document<'s>,
    by_name: BTreeMap<&'d str, usize>,
    /// Whether there are records or enums, whose members are named below them.
    has_data: bool,
}

impl<'d, 's> Symbols<'d, 's> {
    fn new(document: &'d Document<'s>) -> Self {
        let named = (0..document.decls.len())
            .filter(|&index| document.decl_kind(index) != Some(DeclKind::Export));
        let by_name = named.map(|index| (document.decl_name(index), index)).collect();
        let has_data =
            (0..document.decls.len()).any(|index| document.decl_kind(index).is_some_and(is_data));
        Self { document, by_name, has_data }
    }

    /// The decl that a head names: a symbol, or a member of a record or an enum.
    fn resolve(&self, head: &str) -> Option<usize> {
        if let Some(&index) = self.by_name.get(head) {
            return Some(index);
        }
        let mut name = head;
        while self.has_data {
            name = name.rsplit_once('.')?.0;
            let data = self.by_name.get(name).copied();
            if data.is_some_and(|index| self.document.decl_kind(index).is_some_and(is_data)) {
                return data;
            }
        }
        None
    }

    /// The decls that a decl refers to: those its heads name, or those it exports.
    fn referenced(&self, index: usize) -> BTreeSet<usize> {
        let Some(&decl) = self.document.decls.get(index) else { return BTreeSet::new() };
        let tree = &self.document.tree;
        let mut found: BTreeSet<usize> = self.exports(index).collect();
        for expression in expressions(tree, decl) {
            found.extend(heads(tree, expression).filter_map(|head| self.resolve(head)));
        }
        found
    }

    /// Adds everything that is referred to, transitively.
    fn close(&self, selected: &mut BTreeSet<usize>) {
        let mut pending: Vec<usize> = selected.iter().copied().collect();
        while let Some(index) = pending.pop() {
            pending
                .extend(self.referenced(index).into_iter().filter(|&found| selected.insert(found)));
        }
    }

    /// The decls that an export names.
    fn exports(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.document.export_names(index).filter_map(|name| {
            let name = self.document.tree.text(name);
            self.by_name.get(name).copied()
        })
    }

    /// Whether it is an export of nothing that is there, and not the focus.
    fn is_idle_export(&self, index: usize, focus: &Focus) -> bool {
        self.document.decl_kind(index) == Some(DeclKind::Export)
            && focus.decl() != Some(index)
            && self.exports(index).next().is_none()
    }
}

fn is_data(kind: DeclKind) -> bool {
    matches!(kind, DeclKind::Defrecord | DeclKind::Defenum)
}

/// Every expression of a decl: its body, and those of its contract clauses.
pub(crate) fn expressions(tree: &Tree<'_>, decl: NodeIdx) -> Vec<NodeIdx> {
    let mut found = Vec::new();
    for member in tree.members(decl) {
        match tree.text(member.key) {
            "body" => found.push(member.value),
            "loop_contracts" => {
                for contract in tree.items(member.value) {
                    tree.members(contract)
                        .for_each(|list| clause_expressions(tree, list.value, &mut found));
                }
            }
            "protocol" => {
                tree.members(member.value)
                    .for_each(|list| clause_expressions(tree, list.value, &mut found));
            }
            field if CLAUSE_FIELDS.contains(&field) => {
                clause_expressions(tree, member.value, &mut found)
            }
            _ => {}
        }
    }
    found
}

fn clause_expressions(tree: &Tree<'_>, clauses: NodeIdx, found: &mut Vec<NodeIdx>) {
    for clause in tree.items(clauses) {
        found.extend(tree.get(clause, "expr"));
        found.extend(
            tree.get(clause, "witness").into_iter().flat_map(|witness| tree.items(witness)),
        );
    }
}

/// The heads of an expression: the first item of every list in it.
pub(crate) fn heads<'t>(tree: &'t Tree<'_>, expression: NodeIdx) -> impl Iterator<Item = &'t str> {
    let lists =
        tree.walk(expression).filter(|&node| tree.kind(node) == Kind::Array && tree.len(node) > 0);
    lists.filter_map(|list| tree.following(list)).filter_map(|head| tree.string(head))
}

/// The module that a symbol belongs to: what stands before its last dot.
pub(crate) fn module_of(symbol: &str) -> Option<&str> {
    symbol.rsplit_once('.').map(|(module, _)| module)
}
