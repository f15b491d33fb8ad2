//! Selects the decls of a slice: those that the focus refers to by the heads of its lists,
//! transitively.

use std::collections::{BTreeMap, BTreeSet};

use portolan_wire::tree::{Kind, NodeIdx, Tree};

use crate::slice::focus::{Categories, SliceFocus};
use crate::slice::read::{AstDocument, CLAUSE_FIELDS, DeclKind};
use crate::slice::request::Enclosure;

/// The decls of a slice before any limit.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The canonical indexes in the order of the slice.
    pub(crate) order: Vec<usize>,
    /// Symbols that the focus refers to and that are missing because locals are excluded.
    pub(crate) missing_locals: BTreeSet<String>,
}

/// Selects decls.
pub(crate) fn select(
    document: &AstDocument<'_>,
    focus: &SliceFocus,
    enclosure: Enclosure,
    categories: Categories,
) -> Selection {
    let symbols = Symbols::new(document);
    let n_decls = document.decls.len();
    let (Some(start), false) = (focus.decl(), enclosure == Enclosure::Module) else {
        let order = (0..n_decls).filter(|&index| !symbols.is_idle_export(index, focus)).collect();
        return Selection { order, missing_locals: BTreeSet::new() };
    };
    let mut selected = vec![false; n_decls];
    let mut missing_locals = BTreeSet::new();
    if categories.locals {
        symbols.close(start, &mut selected);
    } else {
        let referenced = symbols.referenced(start).into_iter().filter(|&index| index != start);
        missing_locals.extend(referenced.map(|index| document.decl_name(index).to_owned()));
    }
    selected[start] = true;
    let is_wanted =
        |&index: &usize| selected[index] || symbols.exports(index).any(|named| selected[named]);
    let others = (0..n_decls).filter(|&index| index != start).filter(is_wanted);
    Selection { order: std::iter::once(start).chain(others).collect(), missing_locals }
}

/// The decls by name.
struct Symbols<'d, 's> {
    document: &'d AstDocument<'s>,
    by_name: BTreeMap<&'d str, usize>,
    /// The prefix of function names.
    prefix: String,
    /// Whether there are records or enums, whose members have names below theirs.
    has_data: bool,
}

impl<'d, 's> Symbols<'d, 's> {
    fn new(document: &'d AstDocument<'s>) -> Self {
        let mut has_data = false;
        let mut by_name = BTreeMap::new();
        for index in 0..document.decls.len() {
            let kind = document.decl_kind(index);
            has_data |= kind.is_some_and(is_data);
            if kind != Some(DeclKind::Export) {
                by_name.insert(document.decl_name(index), index);
            }
        }
        Self { document, by_name, prefix: format!("{}.", document.module_id()), has_data }
    }

    /// The decl that a head names: a symbol, or a member of a record or an enum.
    fn resolve(&self, head: &str) -> Option<usize> {
        if !self.has_data {
            return head.starts_with(&self.prefix).then(|| self.by_name.get(head).copied())?;
        }
        let mut name = head;
        loop {
            match self.by_name.get(name) {
                Some(&index)
                    if name == head || self.document.decl_kind(index).is_some_and(is_data) =>
                {
                    return Some(index);
                }
                _ => name = name.rsplit_once('.')?.0,
            }
        }
    }

    /// The decls that a decl refers to, possibly with duplicates: those that its heads name, or
    /// those that it exports.
    fn referenced(&self, index: usize) -> Vec<usize> {
        let Some(&decl) = self.document.decls.get(index) else { return Vec::new() };
        let tree = &self.document.tree;
        let mut found: Vec<usize> = self.exports(index).collect();
        for expression in expressions(tree, decl) {
            found.extend(heads(tree, expression).filter_map(|head| self.resolve(head)));
        }
        found
    }

    /// Selects a decl and its references, transitively.
    fn close(&self, start: usize, selected: &mut [bool]) {
        let mut pending = vec![start];
        while let Some(index) = pending.pop() {
            if !std::mem::replace(&mut selected[index], true) {
                pending
                    .extend(self.referenced(index).into_iter().filter(|&found| !selected[found]));
            }
        }
    }

    /// The decls that an export names.
    fn exports(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.document.export_names(index).filter_map(|name| {
            let name = self.document.tree.text(name);
            self.by_name.get(name).copied()
        })
    }

    /// Whether it is an export without any existing decl, and not the focus.
    fn is_idle_export(&self, index: usize, focus: &SliceFocus) -> bool {
        self.document.decl_kind(index) == Some(DeclKind::Export)
            && focus.decl() != Some(index)
            && self.exports(index).next().is_none()
    }
}

fn is_data(kind: DeclKind) -> bool {
    matches!(kind, DeclKind::Defrecord | DeclKind::Defenum)
}

/// Every expression of a decl: its body, and those in its contract clauses.
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
                clause_expressions(tree, member.value, &mut found);
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

/// The module of a symbol: the part before its last dot.
pub(crate) fn module_of(symbol: &str) -> Option<&str> {
    symbol.rsplit_once('.').map(|(module, _)| module)
}
