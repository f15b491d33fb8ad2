//! Finds the names that C code uses, and tells those of the file's own scopes from those of all files.
//!
//! Macros are not expanded: words of their definitions are no names here, and neither are words where the
//! text could not be parsed. Whoever counts uses has to take them for possible ones.

use std::collections::BTreeSet;

use portolan_types::declarations::{Binding, Declarations, NONE, Reference, Usage};
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

use crate::syntax::declaring::unbound;
use crate::syntax::grammar::{self, TreeVisitor};
use crate::syntax::tagged::declarators::declared;

/// Adds the references of a text to its declarations.
pub(crate) fn add_references(tree: &Tree, text: &str, facts: &mut Declarations) {
    let names = facts.names.iter().zip(0u32..).map(|(name, at)| (name.clone(), at)).collect();
    let own = facts.bindings.iter().zip(0u32..).map(|(it, at)| (it.name, at)).collect();
    let mut reader = NameReader {
        text,
        facts,
        names,
        own,
        scopes: Vec::new(),
        skipped: BTreeSet::new(),
        errors: 0,
    };
    grammar::visit(tree, &mut reader);
    let NameReader { facts, .. } = reader;
    facts.references.sort_by_key(|it| (it.at, it.usage));
    facts.references.dedup();
}

struct NameReader<'t, 'f> {
    text: &'t str,
    facts: &'f mut Declarations,
    names: FxHashMap<Box<str>, u32>,
    /// The bindings of the file, by name.
    own: FxHashMap<u32, u32>,
    /// The bindings of the functions and blocks around, outermost first.
    scopes: Vec<FxHashMap<u32, u32>>,
    /// Nodes that are not uses.
    skipped: BTreeSet<usize>,
    /// How many errors are around.
    errors: u32,
}

fn opens_scope(kind: &str) -> bool {
    matches!(kind, "function_definition" | "compound_statement" | "for_statement")
}

impl<'t> TreeVisitor<'t> for NameReader<'t, '_> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        if self.skipped.remove(&node.id()) {
            return false;
        }
        let kind = node.kind();
        if node.is_error() {
            self.errors += 1;
        }
        if opens_scope(kind) {
            self.scopes.push(FxHashMap::default());
        }
        match kind {
            "function_definition" | "declaration" | "parameter_declaration" => self.declare(node),
            "preproc_ifdef" | "enumerator" => self.skip(node.child_by_field_name("name")),
            "preproc_if" | "preproc_elif" => self.skip(node.child_by_field_name("condition")),
            "preproc_def"
            | "preproc_function_def"
            | "preproc_defined"
            | "preproc_call"
            | "attribute_specifier" => {
                return false;
            }
            "call_expression" => self.skip_arguments(node),
            "labeled_statement" | "goto_statement" => self.skip(node.child_by_field_name("label")),
            "field_identifier" => self.refer(node, Usage::Member, 0),
            "type_identifier" => self.refer(node, Usage::Type, NONE),
            "identifier" => {
                let name = self.name(self.text_of(node));
                let local = self.scopes.iter().rev().find_map(|scope| scope.get(&name));
                let binding = local.or_else(|| self.own.get(&name)).copied();
                self.refer(node, Usage::Value, binding.unwrap_or(NONE));
            }
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        if node.is_error() {
            self.errors = self.errors.saturating_sub(1);
        }
        if node.is_named() && opens_scope(node.kind()) {
            self.scopes.pop();
        }
    }
}

impl<'t> NameReader<'t, '_> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn skip(&mut self, node: Option<Node<'_>>) {
        self.skipped.extend(node.map(|node| node.id()));
    }

    /// A macro may paste the names that it is given, or make text of them, so that they mean nothing.
    fn skip_arguments(&mut self, call: Node<'_>) {
        let Some(function) = call.child_by_field_name("function") else { return };
        let is_macro = !self.text_of(function).contains(|it: char| it.is_ascii_lowercase());
        if function.kind() == "identifier" && is_macro {
            let arguments = call.child_by_field_name("arguments").map(grammar::children);
            let names = arguments.unwrap_or_default().into_iter();
            self.skipped.extend(names.filter(|it| it.kind() == "identifier").map(|it| it.id()));
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let number = self.facts.names.len() as u32;
        self.facts.names.push(name.into());
        self.names.insert(name.into(), number);
        number
    }

    fn refer(&mut self, node: Node<'_>, usage: Usage, of: u32) {
        if self.errors == 0 && !node.is_missing() {
            let name = self.name(self.text_of(node));
            let at = node.start_byte() as u32;
            self.facts.references.push(Reference { at, name, usage, of });
        }
    }

    /// Binds what a declaration declares in the scope around. Functions and what is `extern` belong to
    /// all files.
    fn declare(&mut self, node: Node<'_>) {
        let is_extern = grammar::child(node, "storage_class_specifier")
            .is_some_and(|it| self.text_of(it) == "extern");
        for declarator in grammar::fields(node, "declarator") {
            let declarator = declarator
                .child_by_field_name("declarator")
                .filter(|_| declarator.kind() == "init_declarator")
                .unwrap_or(declarator);
            let Some(found) = declared(declarator) else { continue };
            let range = found.name.start as usize..found.name.end as usize;
            let Some(leaf) = declarator.descendant_for_byte_range(range.start, range.end) else {
                continue;
            };
            self.skipped.insert(leaf.id());
            if found.is_function || is_extern {
                continue;
            }
            let name = self.name(self.text.get(range).unwrap_or_default());
            let binding = self.facts.bindings.len() as u32;
            let Some(scope) = self.scopes.last_mut() else { continue };
            scope.insert(name, binding);
            self.facts.bindings.push(Binding { ..unbound(name) });
            // Its own name is a word of the scope, too.
            self.refer(leaf, Usage::Value, binding);
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_types::declarations::{NONE, Usage};

    use crate::syntax::declaring::shown::read;

    /// Prints references: `f` of all files, `=f` of the file, `.f` a member, `-f` of a scope, `:f` a
    /// type.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let facts = read("a.c", text);
        assert!(facts.is_whole());
        let shown = facts.references.iter().map(|it| {
            let item = facts.bindings.get(it.of as usize).map_or(NONE, |binding| binding.item);
            let mark = match it.usage {
                Usage::Member => ".",
                Usage::Type => ":",
                _ if it.of == NONE => "",
                _ if item == NONE => "-",
                _ => "=",
            };
            [mark, facts.name(it.name)].concat()
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn names_of_scopes_are_told_from_those_of_all_files() {
        check(
            "int f(int a, T *b) { int c = a; { int g; g = h(c); } g(b->d, &k); return f; }\nint k;",
            "-a :T -b -c -a -g -g h -c g -b .d =k =f",
        );
        check(
            "void f(void) { extern int a; for (int i = 0; i < a; i++) i(); goto f; }",
            "-i -i a -i -i",
        );
    }

    #[test]
    fn macros_and_conditions_are_not_read() {
        check("int g(void) { return PASTE(f, h(k)); }", "PASTE h k");
        check("#define A f(x)\n#ifdef f\n#endif\n#if f > 1\nint a = f();\n#endif", "f");
    }
}
