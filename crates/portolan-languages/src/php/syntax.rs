//! Reads what a PHP file imports, defines and uses from its syntax tree.
//!
//! The namespace and the `use` lines of a file decide what its names mean, so they are
//! recorded in full (`A\B`). Only which file defines them is left to the resolver.

use std::collections::BTreeSet;

use portolan_types::{EdgeKind, Mark};
use tree_sitter::Node;

use crate::fact_recorder::FactRecorder;
use crate::syntax::grammar::{self, TreeVisitor, children};
use crate::{Definition, Facts, Import, ImportForm, Scratch, SourceText, Use};

/// `use A\B;`
pub(crate) const CLASS: ImportForm = ImportForm(0);
/// `use function A\b;`
pub(crate) const FUNCTION: ImportForm = ImportForm(1);
/// `use const A\B;`
pub(crate) const CONSTANT: ImportForm = ImportForm(2);
/// `require __DIR__ . '/a.php'`: relative to the folder of the file.
pub(crate) const BESIDE: ImportForm = ImportForm(3);
/// `require 'a.php'`: somewhere on the include path.
pub(crate) const INCLUDED: ImportForm = ImportForm(4);

/// The marks of definitions and uses.
pub(crate) const TYPE_MARK: Mark = Mark(0);
pub(crate) const FUNCTION_MARK: Mark = Mark(1);
/// The use of a type that is named with its namespace.
pub(crate) const QUALIFIED_MARK: Mark = Mark(2);

/// The facts of a text.
pub(crate) fn facts(source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
    let language = tree_sitter_php::LANGUAGE_PHP.into();
    let Some(tree) = grammar::parse(&language, source.text, scratch) else {
        return Facts::default();
    };
    let mut reader = PhpReader {
        text: source.text,
        namespace: String::new(),
        aliases: Vec::new(),
        recorded: FactRecorder::default(),
        uses: BTreeSet::new(),
    };
    grammar::visit(&tree, &mut reader);
    let uses = reader.uses.into_iter().collect();
    Facts { uses, ..reader.recorded.finish() }
}

/// A name that a `use` line brings.
struct Alias {
    /// In lower case: names of classes and functions do not depend on case.
    local: String,
    name: String,
    form: ImportForm,
}

struct PhpReader<'t> {
    text: &'t str,
    namespace: String,
    aliases: Vec<Alias>,
    recorded: FactRecorder,
    uses: BTreeSet<Use>,
}

impl<'t> TreeVisitor<'t> for PhpReader<'t> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        match node.kind() {
            "namespace_definition" => {
                let name = node.child_by_field_name("name");
                self.namespace = name.map_or_else(String::new, |name| self.joined(name));
                self.aliases.clear();
            }
            "namespace_use_declaration" => {
                self.use_declaration(node);
                return false;
            }
            "class_declaration"
            | "interface_declaration"
            | "trait_declaration"
            | "enum_declaration" => self.define(node, TYPE_MARK),
            "function_definition" => self.define(node, FUNCTION_MARK),
            "named_type"
            | "object_creation_expression"
            | "class_constant_access_expression"
            | "attribute" => {
                if let Some(name) = node.named_child(0) {
                    self.used_type(name);
                }
            }
            "scoped_call_expression" | "scoped_property_access_expression" => {
                if let Some(scope) = node.child_by_field_name("scope") {
                    self.used_type(scope);
                }
            }
            "base_clause" | "class_interface_clause" | "use_declaration" => {
                for name in children(node) {
                    self.used_type(name);
                }
            }
            "binary_expression" => {
                let operator = node.child_by_field_name("operator");
                if operator.is_some_and(|it| it.kind() == "instanceof")
                    && let Some(right) = node.child_by_field_name("right")
                {
                    self.used_type(right);
                }
            }
            "function_call_expression" => {
                if let Some(function) = node.child_by_field_name("function") {
                    self.used_function(function);
                }
            }
            "include_expression"
            | "include_once_expression"
            | "require_expression"
            | "require_once_expression" => self.include(node),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        if node.kind() == "namespace_definition" && node.child_by_field_name("body").is_some() {
            self.namespace.clear();
            self.aliases.clear();
        }
    }
}

impl<'t> PhpReader<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// A name without the white space that may stand in it.
    fn joined(&self, node: Node<'_>) -> String {
        self.text_of(node).split_whitespace().collect()
    }

    fn define(&mut self, node: Node<'_>, mark: Mark) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let full = in_namespace(&self.namespace, self.text_of(name));
        let definition = Definition { mark, ..Definition::from(full.as_str()) };
        self.recorded.define(definition, (name.start_byte(), name.end_byte()));
    }

    fn use_declaration(&mut self, node: Node<'_>) {
        let form = self.use_form(node);
        let prefix = children(node).into_iter().find(|it| it.kind() == "namespace_name");
        let prefix = prefix.map_or_else(String::new, |prefix| self.joined(prefix));
        let mut clauses = children(node);
        if let Some(group) = node.child_by_field_name("body") {
            clauses = children(group);
        }
        for clause in clauses.into_iter().filter(|it| it.kind() == "namespace_use_clause") {
            let form = self.use_form(clause).or(form).unwrap_or(CLASS);
            let alias = clause.child_by_field_name("alias");
            let name = children(clause).into_iter().find(|part| Some(*part) != alias);
            let Some(name) = name else { continue };
            let full = in_namespace(&prefix, self.joined(name).trim_start_matches('\\'));
            let last = full.rsplit('\\').next().unwrap_or(&full);
            let local = alias.map_or(last, |alias| self.text_of(alias)).to_ascii_lowercase();
            let import = Import { specifier: full.as_str().into(), form, ..Import::default() };
            self.recorded.import(import, (clause.start_byte(), clause.end_byte()));
            self.aliases.push(Alias { local, name: full, form });
        }
    }

    fn use_form(&self, node: Node<'_>) -> Option<ImportForm> {
        match node.child_by_field_name("type").map(|it| self.text_of(it))? {
            word if word.eq_ignore_ascii_case("function") => Some(FUNCTION),
            word if word.eq_ignore_ascii_case("const") => Some(CONSTANT),
            _ => None,
        }
    }

    fn alias(&self, local: &str, form: ImportForm) -> Option<&Alias> {
        let local = local.to_ascii_lowercase();
        self.aliases.iter().rev().find(|alias| alias.form == form && alias.local == local)
    }

    /// Records a type where a node names one.
    fn used_type(&mut self, node: Node<'_>) {
        if !matches!(node.kind(), "name" | "qualified_name" | "relative_name") {
            return;
        }
        let written = self.joined(node);
        let is_own = ["self", "static", "parent"].iter().any(|it| written.eq_ignore_ascii_case(it));
        if is_own {
            return;
        }
        let (first, rest) = written.split_once('\\').unwrap_or((&written, ""));
        if rest.is_empty() && self.alias(first, CLASS).is_some() {
            // Its import leads there.
            return;
        }
        let is_qualified = written.contains('\\');
        let mark = if is_qualified { QUALIFIED_MARK } else { TYPE_MARK };
        self.add_use(self.full_name(&written), mark);
    }

    /// The full name of a class, as written.
    fn full_name(&self, written: &str) -> String {
        if let Some(absolute) = written.strip_prefix('\\') {
            return absolute.to_owned();
        }
        let (first, rest) = written.split_once('\\').unwrap_or((written, ""));
        if first.eq_ignore_ascii_case("namespace") && !rest.is_empty() {
            return in_namespace(&self.namespace, rest);
        }
        match self.alias(first, CLASS) {
            Some(alias) => in_namespace(&alias.name, rest),
            None => in_namespace(&self.namespace, written),
        }
    }

    fn used_function(&mut self, node: Node<'_>) {
        if !matches!(node.kind(), "name" | "qualified_name" | "relative_name") {
            return;
        }
        let written = self.joined(node);
        if written.contains('\\') {
            self.add_use(self.full_name(&written), FUNCTION_MARK);
        } else if self.alias(&written, FUNCTION).is_none() {
            self.add_use(in_namespace(&self.namespace, &written), FUNCTION_MARK);
        }
    }

    fn add_use(&mut self, name: String, mark: Mark) {
        if !name.is_empty() {
            self.uses.insert(Use { name: name.into(), mark, ..Use::default() });
        }
    }

    fn include(&mut self, node: Node<'_>) {
        let Some(argument) = node.named_child(0) else { return };
        let Some((specifier, form)) = included(self.text_of(argument)) else { return };
        let import = Import {
            specifier: specifier.into(),
            form,
            kind: EdgeKind::Runtime,
            ..Import::default()
        };
        self.recorded.import(import, (node.start_byte(), node.end_byte()));
    }
}

/// A name in a namespace; one of them may be empty.
fn in_namespace(namespace: &str, name: &str) -> String {
    match (namespace, name) {
        ("", name) => name.to_owned(),
        (namespace, "") => namespace.to_owned(),
        (namespace, name) => [namespace, "\\", name].concat(),
    }
}

/// The path of an included file, as far as it is literal: `'a.php'`, `__DIR__ . '/a.php'`,
/// `dirname(__DIR__, 2) . '/a.php'`.
fn included(argument: &str) -> Option<(String, ImportForm)> {
    let mut text = argument.trim();
    while let Some(inner) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        text = inner.trim();
    }
    if let Some(path) = literal(text) {
        return Some((path.to_owned(), INCLUDED));
    }
    let (folder, path) = text.split_once(" .").or_else(|| text.split_once('.'))?;
    let path = literal(path.trim().trim_start_matches('.').trim())?;
    let levels = levels_up(folder.trim())?;
    let path = path.strip_prefix('/').unwrap_or(path);
    Some((["../".repeat(levels).as_str(), path].concat(), BESIDE))
}

/// How many folders an expression is above the folder of the file.
fn levels_up(expression: &str) -> Option<usize> {
    match expression {
        "__DIR__" => return Some(0),
        "__FILE__" => return None,
        _ => {}
    }
    let inner = expression.strip_prefix("dirname")?.trim_start();
    let inner = inner.strip_prefix('(')?.strip_suffix(')')?.trim();
    if inner == "__FILE__" {
        return Some(0);
    }
    let (inner, count) = match inner.rsplit_once(',') {
        Some((inner, count)) => (inner.trim(), count.trim().parse::<usize>().ok()?),
        None => (inner, 1),
    };
    // Calls nest a few times at most.
    let outer = if expression.len() < 200 { levels_up(inner)? } else { return None };
    (count <= 16).then_some(outer + count)
}

/// The content of a string literal without escapes and variables.
fn literal(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    let inner = text.get(1..)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\', '$']) && !inner.is_empty()).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::included;
    use crate::{ExtractSettings, Extractor};

    #[track_caller]
    fn check(text: &str, imports: &str, definitions: &str, uses: &str) {
        let facts =
            Extractor::default().extract("a.php", text.as_bytes(), &ExtractSettings::default());
        let joined = |names: Vec<&str>| names.join(" ");
        assert_eq!(joined(facts.imports.iter().map(|it| &*it.specifier).collect()), imports);
        assert_eq!(joined(facts.definitions.iter().map(|it| &*it.name).collect()), definitions);
        assert_eq!(joined(facts.uses.iter().map(|it| &*it.name).collect()), uses);
    }

    #[test]
    fn names_are_told_in_full() {
        check(
            "<?php\nnamespace A\\B;\nuse C\\D, C\\E as F;\nuse G\\{H, function i};\n\
             class J extends D implements K { use L; function m(F $n, ?\\O $p): self { i(); q(); new D\\R; } }\n\
             function s() { return $t instanceof U ? V::class : H::W; }",
            "C\\D C\\E G\\H G\\i",
            "A\\B\\J A\\B\\s",
            "A\\B\\K A\\B\\L A\\B\\U A\\B\\V A\\B\\q C\\D\\R O",
        );
        check(
            "<?php namespace A { class B {} new B; } namespace { class C {} new A\\B; }",
            "",
            "A\\B C",
            "A\\B A\\B",
        );
    }

    #[test]
    fn included_files_are_imports() {
        check(
            "<?php require __DIR__ . '/a.php'; include_once('b.php'); require $c;",
            "a.php b.php",
            "",
            "",
        );
        let cases = [
            ("dirname(__FILE__).\"/../x.php\"", Some("../x.php")),
            ("dirname(__DIR__, 2) . '/x.php'", Some("../../x.php")),
            ("dirname(dirname(__DIR__)) . '/x.php'", Some("../../x.php")),
            ("\"$dir/x.php\"", None),
            ("$dir . '/x.php'", None),
        ];
        for (text, expected) in cases {
            assert_eq!(included(text).map(|it| it.0).as_deref(), expected, "{text}");
        }
    }
}
