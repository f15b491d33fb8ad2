//! Finds the definition of a macro that is called by its bare name.

use std::collections::BTreeSet;

use super::mark;
use super::tree::{ModuleTree, definitions_of};

/// The macros of the standard prelude. They mean a macro of the repository only if that one is in
/// scope. Sorted.
const STANDARD: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

impl<'a> ModuleTree<'a> {
    /// The files that define a macro, for a call in a module of the file `own`.
    pub(super) fn macro_files(&self, node: u32, own: &str, name: &str) -> BTreeSet<&'a str> {
        let here = self.node(node);
        let is_own = definitions_of(here.facts, name).any(|one| is_macro(one.mark.0));
        if is_own || here.file != own {
            return BTreeSet::new();
        }
        let (in_scope, _) = self.in_scope(node, name);
        let functions = || in_scope.items.clone();
        if !in_scope.is_empty() && in_scope.external.is_none() {
            return if in_scope.macros.is_empty() { functions() } else { in_scope.macros.clone() };
        }
        let seen = self.textual_macros(node, name);
        // A macro imported from another project is not ours.
        if !seen.is_empty() || in_scope.external.is_some() || STANDARD.binary_search(&name).is_ok()
        {
            return seen;
        }
        if let Some(files) = self.exported[here.owner as usize].get(name) {
            return files.clone();
        }
        let crates = self.owner(node).locals.values();
        let foreign =
            crates.filter_map(|root| self.exported[self.node(*root).owner as usize].get(name));
        foreign.flatten().copied().collect()
    }

    /// The macros in textual scope: those of the enclosing modules, and of their `#[macro_use]`
    /// submodules.
    pub(super) fn textual_macros(&self, node: u32, name: &str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut around = Some(node);
        while let Some(at) = around {
            self.macros_of(at, name, &mut found, &mut BTreeSet::new());
            if !found.is_empty() {
                return found;
            }
            around = self.node(at).parent;
        }
        found
    }

    fn macros_of(
        &self,
        at: u32,
        name: &str,
        found: &mut BTreeSet<&'a str>,
        seen: &mut BTreeSet<u32>,
    ) {
        let mut todo = vec![at];
        while let Some(at) = todo.pop() {
            if !seen.insert(at) {
                continue;
            }
            let node = self.node(at);
            let defines = definitions_of(node.facts, name)
                .any(|one| one.scope.0 == node.scope && is_macro(one.mark.0));
            if defines {
                found.insert(node.file);
            }
            for used in &node.macro_uses {
                let children = node.children.get(used).into_iter().flatten();
                todo.extend(children.map(|(child, _)| *child));
            }
        }
    }
}

fn is_macro(mark: u8) -> bool {
    matches!(mark, mark::MACRO | mark::EXPORTED_MACRO)
}
