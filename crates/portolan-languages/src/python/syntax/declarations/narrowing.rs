//! Narrows values by what they are checked for: `isinstance(x, A)`.

use portolan_types::declarations::{List, Shape};
use tree_sitter::Node;

use super::PythonTreeReader;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{children, fields};

/// The greatest depth at which assignments in a loop are looked for.
const MOST_DEPTH: u32 = 24;

/// What is known of a name, or of a member of one, until the end of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct NarrowedPath<'t> {
    path: &'t str,
    /// What it is; `None` once it was given another value.
    shape: Option<u32>,
}

impl<'t> PythonTreeReader<'t> {
    /// `if`, `elif` and `else`. What leaves tells what is left.
    pub(super) fn choice(&mut self, node: Node<'_>) -> u32 {
        let Some(condition) = node.child_by_field_name("condition") else {
            self.each(node);
            return UNKNOWN;
        };
        let mark = self.own.narrowed.len();
        self.expression(condition);
        self.narrow(condition, true);
        self.part(node, "consequence");
        self.widen(mark);
        self.narrow(condition, false);
        let others = fields(node, "alternative");
        for other in &others {
            if let Some(condition) = other.child_by_field_name("condition") {
                let inner = self.own.narrowed.len();
                self.expression(condition);
                self.narrow(condition, true);
                self.part(*other, "consequence");
                self.widen(inner);
                self.narrow(condition, false);
            } else {
                self.each(*other);
            }
        }
        self.widen(mark);
        if others.is_empty() && node.child_by_field_name("consequence").is_some_and(leaves) {
            self.narrow(condition, false);
        }
        UNKNOWN
    }

    pub(super) fn while_loop(&mut self, node: Node<'_>) -> u32 {
        self.enter_loop(node);
        let mark = self.own.narrowed.len();
        if let Some(condition) = node.child_by_field_name("condition") {
            self.expression(condition);
            self.narrow(condition, true);
        }
        self.part(node, "body");
        self.widen(mark);
        self.part(node, "alternative");
        UNKNOWN
    }

    /// `a and b`, `a or b`
    pub(super) fn boolean(&mut self, node: Node<'_>) -> u32 {
        let left = self.part(node, "left");
        let mark = self.own.narrowed.len();
        if let Some(test) = node.child_by_field_name("left") {
            let holds = self.field_text(node, "operator") == "and";
            self.narrow(test, holds);
        }
        let right = self.part(node, "right");
        self.widen(mark);
        self.union(&[left, right])
    }

    /// `a if test else b`
    pub(super) fn conditional(&mut self, node: Node<'_>) -> u32 {
        let mut parts = children(node);
        parts.retain(|it| it.kind() != "comment");
        let [first, test, second] = parts[..] else {
            let parts = self.each(node);
            return self.union(&parts);
        };
        self.expression(test);
        let mark = self.own.narrowed.len();
        self.narrow(test, true);
        let first = self.expression(first);
        self.widen(mark);
        self.narrow(test, false);
        let second = self.expression(second);
        self.widen(mark);
        self.union(&[first, second])
    }

    pub(super) fn assertion(&mut self, node: Node<'_>) -> u32 {
        self.each(node);
        if let Some(test) = children(node).first() {
            self.narrow(*test, true);
        }
        UNKNOWN
    }

    /// What the conditions of a comprehension say of what it takes. Returns what to go back to.
    pub(super) fn narrow_by_clauses(&mut self, node: Node<'_>) -> usize {
        let mark = self.own.narrowed.len();
        for clause in children(node).into_iter().filter(|it| it.kind() == "if_clause") {
            if let Some(test) = children(clause).first() {
                self.narrow(*test, true);
            }
        }
        mark
    }

    /// What a name or a path is known to be here.
    pub(super) fn narrowed(&self, node: Node<'_>) -> Option<u32> {
        if self.own.narrowed.is_empty() {
            return None;
        }
        let path = self.text_of(node);
        let known = self.own.narrowed.iter().rev().find(|known| {
            let rest = path.strip_prefix(known.path);
            rest.is_some_and(|it| it.is_empty() || (known.shape.is_none() && it.starts_with('.')))
        });
        known.and_then(|it| it.shape)
    }

    /// Forgets what was known since. What was given another value stays so.
    pub(super) fn widen(&mut self, mark: usize) {
        if self.own.narrowed.len() <= mark {
            return;
        }
        let mut changed = self.own.narrowed.split_off(mark);
        changed.retain(|it| it.shape.is_none());
        for it in changed {
            self.forget(it.path);
        }
    }

    /// A name or a path is given another value.
    pub(super) fn forget(&mut self, path: &'t str) {
        let is_known = self.own.narrowed.iter().any(|it| {
            it.shape.is_some()
                && it.path.strip_prefix(path).is_some_and(|it| it.is_empty() || it.starts_with('.'))
        });
        if is_known {
            self.own.narrowed.push(NarrowedPath { path, shape: None });
        }
    }

    /// What a loop assigns is not known in it.
    pub(super) fn enter_loop(&mut self, node: Node<'_>) {
        let known: Vec<&'t str> = self.own.narrowed.iter().map(|it| it.path).collect();
        for path in known {
            if self.assigns(node, path, MOST_DEPTH) {
                self.forget(path);
            }
        }
    }

    /// Whether something in a node gives a path, or the name that it starts with, another value.
    fn assigns(&self, node: Node<'_>, path: &str, left: u32) -> bool {
        if left == 0 {
            return true;
        }
        let is_it = |target: Node<'_>| {
            let target = self.text_of(target);
            target.split(',').map(str::trim).any(|it| {
                let rest = path.strip_prefix(it.trim_matches(['(', ')', '[', ']', '*']));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let target = match node.kind() {
            "assignment" | "augmented_assignment" | "for_statement" => {
                node.child_by_field_name("left")
            }
            "named_expression" => node.child_by_field_name("name"),
            "as_pattern_target" => Some(node),
            _ => None,
        };
        target.is_some_and(is_it)
            || children(node).into_iter().any(|it| self.assigns(it, path, left - 1))
    }

    /// Keeps what a condition says where it holds, or where it does not.
    pub(super) fn narrow(&mut self, test: Node<'_>, holds: bool) {
        match test.kind() {
            "parenthesized_expression" => {
                if let Some(inner) = children(test).first() {
                    self.narrow(*inner, holds);
                }
            }
            "not_operator" => {
                if let Some(inner) = test.child_by_field_name("argument") {
                    self.narrow(inner, !holds);
                }
            }
            "boolean_operator" if holds == (self.field_text(test, "operator") == "and") => {
                for side in ["left", "right"] {
                    if let Some(inner) = test.child_by_field_name(side) {
                        self.narrow(inner, holds);
                    }
                }
            }
            "call" if self.field_text(test, "function") == "isinstance" => {
                let arguments = test.child_by_field_name("arguments").map(children);
                if let Some([value, classes]) = arguments.as_deref() {
                    self.narrow_to(*value, *classes, holds);
                }
            }
            _ => {}
        }
    }

    fn narrow_to(&mut self, node: Node<'_>, classes: Node<'_>, holds: bool) {
        let path = self.text_of(node);
        let Some(value) = self.narrowed(node).or_else(|| self.quiet(node)) else { return };
        if let Some(types) = self.instances(classes) {
            let shape = Some(self.shape(Shape::Checked { value, types, holds }));
            self.own.narrowed.push(NarrowedPath { path, shape });
        }
    }

    /// The value of a name or a path, where its uses are known already.
    fn quiet(&mut self, node: Node<'_>) -> Option<u32> {
        let text = self.text_of(node);
        match node.kind() {
            "identifier" => {
                let name = self.name(text);
                Some(self.value_of(name))
            }
            "attribute" if self.own.dotted.contains(&text) => {
                let binding = self.inline_import(text, None);
                Some(self.shape(Shape::Name { binding }))
            }
            "attribute" => {
                let base = self.quiet(node.child_by_field_name("object")?)?;
                let name = self.field_text(node, "attribute");
                let name = self.name(name);
                Some(self.member(base, name))
            }
            _ => None,
        }
    }

    /// Instances of the classes that a value is checked for.
    fn instances(&mut self, classes: Node<'_>) -> Option<u32> {
        let is_list = match classes.kind() {
            "tuple" => true,
            "binary_operator" => self.field_text(classes, "operator") == "|",
            _ => false,
        };
        if is_list {
            let parts = children(classes).into_iter().filter(|it| it.kind() != "comment");
            let parts: Option<Vec<u32>> = parts.map(|it| self.instances(it)).collect();
            return parts.map(|parts| self.union(&parts));
        }
        let callee = self.quiet(classes).filter(|it| *it > PLAIN)?;
        let none = List::default();
        Some(self.shape(Shape::New { callee, arguments: none, types: none }))
    }
}

/// Whether a block always ends the function or this turn of a loop.
fn leaves(block: Node<'_>) -> bool {
    let last = children(block).into_iter().rfind(|it| it.kind() != "comment");
    last.is_some_and(|it| {
        matches!(
            it.kind(),
            "return_statement" | "raise_statement" | "continue_statement" | "break_statement"
        )
    })
}
