//! Reads the declarations of Go with tree-sitter: functions, types with their members, constants
//! and variables.
//!
//! A method may be in any file of its type's package, so it is an extension of the type.

mod expressions;
mod types;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations, List, NONE, Shape, Usage,
};
use tree_sitter::Node;

use crate::Scratch;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{self, Given, Leading, children, fields, span};

/// The declarations of a file.
pub(super) fn read(text: &str, scratch: &mut Scratch) -> Declarations {
    let language = tree_sitter_go::LANGUAGE.into();
    let Some(tree) = grammar::parse(&language, text, scratch) else {
        return Declarations::default();
    };
    let mut reader = GoTreeReader::new(text);
    let mut leading = Leading::default();
    for node in children(tree.root_node()) {
        if node.kind() == "comment" {
            leading.comment(node);
            reader.linked_by_name(node);
        } else {
            reader.top(node, &mut leading);
            leading.clear();
        }
    }
    reader.walker.finish()
}

/// A comment that makes two names of different packages one.
const LINK: &str = "//go:linkname ";

type GoTreeReader<'t> = grammar::TreeReader<'t, GoWalkState<'t>>;

/// The state of the walk.
#[derive(Default)]
struct GoWalkState<'t> {
    /// The imported packages by their local names.
    packages: BTreeMap<&'t str, &'t str>,
}

impl GoTreeReader<'_> {
    /// `//go:linkname local path/of/package.name`: both are one.
    fn linked_by_name(&mut self, comment: Node<'_>) {
        let text = self.text_of(comment);
        let Some(rest) = text.strip_prefix(LINK) else { return };
        let mut words = rest.split_whitespace();
        let (Some(_), Some(target), None) = (words.next(), words.next(), words.next()) else {
            return;
        };
        let Some((package, name)) = target.rsplit_once('.') else { return };
        let start = text.len() - rest.len() + rest.rfind(target).unwrap_or_default();
        let at = comment.start_byte() + start + target.len() - name.len();
        let binding = self.inline_import(package, Some(name));
        let name = self.name(name);
        self.refer(name, at as u32, Usage::Value, binding);
    }

    fn top(&mut self, node: Node<'_>, leading: &mut Leading) {
        match node.kind() {
            "package_clause" => {}
            "import_declaration" => self.imports(node),
            "function_declaration" => {
                let (doc, _) = leading.take(node);
                self.function_item(node, doc);
            }
            "method_declaration" => {
                let (doc, _) = leading.take(node);
                self.method(node, doc);
            }
            "type_declaration" | "const_declaration" | "var_declaration" => {
                self.specs(node, leading);
            }
            // An error node contains what could be parsed.
            "ERROR" if self.deeper(node) => {
                for part in children(node).into_iter().filter(|it| it.kind() != "comment") {
                    self.top(part, leading);
                }
                self.higher();
            }
            _ => {
                let item = self.item(DeclarationKind::Statement, "", node);
                let around = self.enter(item);
                self.opaque += 1;
                self.statement(node);
                self.opaque -= 1;
                self.leave(around);
            }
        }
    }

    fn imports(&mut self, node: Node<'_>) {
        let specs = children(node).into_iter().flat_map(|it| match it.kind() {
            "import_spec_list" => children(it),
            _ => vec![it],
        });
        for spec in specs.filter(|it| it.kind() == "import_spec") {
            let path = self.field_text(spec, "path").trim_matches(['"', '`']);
            let alias = self.field_text(spec, "name");
            let name = if alias.is_empty() { package_name(path) } else { alias };
            if name == "." {
                let path = self.name(path);
                self.facts.stars.push(path);
            } else {
                self.own.packages.insert(name, path);
            }
        }
    }

    /// The declarations of a group. A single one has the span of the whole group.
    fn specs(&mut self, node: Node<'_>, leading: &mut Leading) {
        let parts = children(node);
        let parts: Vec<Node<'_>> = parts
            .into_iter()
            .flat_map(|it| if it.kind() == "var_spec_list" { children(it) } else { vec![it] })
            .collect();
        let count = parts.iter().filter(|it| it.kind() != "comment").count();
        let before = leading.take(node).0;
        let mut inner = Leading::default();
        for part in parts {
            if part.kind() == "comment" {
                inner.comment(part);
                continue;
            }
            let own = inner.take(part).0;
            let (doc, whole) = if count == 1 && own == NONE { (before, node) } else { (own, part) };
            match part.kind() {
                "type_spec" | "type_alias" => self.type_item(part, whole, doc),
                _ => self.values(part, whole, doc),
            }
        }
    }

    fn type_item(&mut self, node: Node<'_>, whole: Node<'_>, doc: u32) {
        let name = self.field_text(node, "name");
        let Some(written) = node.child_by_field_name("type") else { return };
        let kind = match written.kind() {
            "struct_type" => DeclarationKind::Class,
            "interface_type" => DeclarationKind::Interface,
            _ => DeclarationKind::Type,
        };
        let item = self.placed(kind, name, whole, doc);
        self.edit(item, |it| it.at = node.start_byte() as u32);
        self.bind_declared(item);
        let around = self.enter(item);
        let parameters = self.type_parameters(node);
        self.edit(item, |it| it.parameters = parameters);
        if kind == DeclarationKind::Type {
            let shape = self.type_of(written);
            // Only an alias has the members of its target.
            let is_alias = node.kind() == "type_alias";
            let is_list =
                matches!(written.kind(), "slice_type" | "array_type" | "map_type" | "channel_type");
            if !is_alias && is_list {
                // The element type is a member without a name.
                let element = self.element(shape);
                self.opaque += 1;
                let held = self.member_item(DeclarationKind::Signature, "[]", written);
                self.opaque -= 1;
                self.edit(held, |it| it.shape = element);
                let members = self.list(&[held]);
                self.edit(item, |it| it.members = members);
            }
            let shape = if is_alias { shape } else { PLAIN };
            self.edit(item, |it| it.shape = shape);
        } else {
            let this = self.shape(Shape::This { item });
            self.this = this;
            let (members, bases) = self.members(written);
            let (members, bases) = (self.list(&members), self.list(&bases));
            let body = span(written);
            self.edit(item, |it| {
                (it.members, it.bases) = (members, bases);
                it.body = body;
            });
        }
        self.leave(around);
    }

    /// The constants or variables of one line.
    fn values(&mut self, node: Node<'_>, whole: Node<'_>, doc: u32) {
        let written = node.child_by_field_name("type").map(|it| self.type_of(it));
        let names = fields(node, "name");
        let mut items = Vec::new();
        for name in &names {
            let text = self.text_of(*name);
            let item = self.placed(DeclarationKind::Variable, text, whole, doc);
            let at = name.start_byte() as u32;
            self.edit(item, |it| it.at = at);
            items.push(item);
            self.bind_declared(item);
        }
        let Some(first) = items.first().copied() else { return };
        let around = self.enter(first);
        self.opaque += 1;
        let values = node.child_by_field_name("value");
        let values = values.map(|it| self.each(it)).unwrap_or_default();
        self.opaque -= 1;
        self.leave(around);
        for (item, index) in items.iter().zip(0u32..) {
            let shape = written.unwrap_or_else(|| self.value_at(&values, items.len(), index));
            self.edit(*item, |it| it.shape = shape);
        }
    }

    fn function_item(&mut self, node: Node<'_>, doc: u32) {
        let name = self.field_text(node, "name");
        let item = self.placed(DeclarationKind::Function, name, node, doc);
        if !matches!(name, "init" | "_") {
            self.bind_declared(item);
        }
        self.callable(node, item);
    }

    /// A method: an extension of its type with one member.
    fn method(&mut self, node: Node<'_>, doc: u32) {
        let receiver = node.child_by_field_name("receiver");
        let declared = receiver.and_then(|it| children(it).into_iter().next());
        let written = declared.and_then(|it| it.child_by_field_name("type"));
        let owner = written.map_or("", |it| base_name(self.text_of(it)));
        let extension = self.placed(DeclarationKind::Extension, owner, node, doc);
        let around = self.enter(extension);
        let name = self.field_text(node, "name");
        let item = self.member_item(DeclarationKind::Method, name, node);
        self.edit(item, |it| it.doc = doc);
        self.open(item, is_open(name));
        let members = self.list(&[item]);
        let body = node.child_by_field_name("body").map(span).unwrap_or_default();
        self.edit(extension, |it| (it.members, it.body) = (members, body));
        let this = written.map_or(UNKNOWN, |it| self.receiver_type(it));
        if let Some(name) = declared.and_then(|it| it.child_by_field_name("name")) {
            let name = self.text_of(name);
            self.local(name, this);
        }
        self.this = this;
        self.callable(node, item);
        self.leave(around);
    }

    /// Walks a function and sets its shape.
    fn callable(&mut self, node: Node<'_>, item: u32) {
        let around = self.enter(item);
        let shape = self.function_value(node);
        self.leave(around);
        let body = node.child_by_field_name("body").map(span).unwrap_or_default();
        self.edit(item, |it| (it.shape, it.body) = (shape, body));
    }

    /// A function with its parameters, results and body.
    pub(super) fn function_value(&mut self, node: Node<'_>) -> u32 {
        let around = self.enter_scope();
        self.begin_function();
        let parameters = self.type_parameters(node);
        let takes = self.parameters(node.child_by_field_name("parameters"));
        let written = Some(self.results(node));
        if let Some(body) = node.child_by_field_name("body") {
            self.statement(body);
        }
        let shape = self.function(&Given { parameters, takes, written, is_async: false });
        self.leave(around);
        shape
    }

    fn placed(&mut self, kind: DeclarationKind, name: &str, whole: Node<'_>, doc: u32) -> u32 {
        let item = self.item(kind, name, whole);
        self.edit(item, |it| it.doc = doc);
        self.open(item, is_open(name));
        item
    }

    fn type_parameters(&mut self, node: Node<'_>) -> List {
        let Some(written) = node.child_by_field_name("type_parameters") else {
            return List::default();
        };
        let mut bound = Vec::new();
        for declared in children(written) {
            let constraint = declared.child_by_field_name("type");
            let constraint = constraint.map_or(UNKNOWN, |it| self.type_of(it));
            for name in fields(declared, "name") {
                let name = self.text_of(name);
                bound.push(self.type_parameter(name, constraint));
            }
        }
        self.list(&bound)
    }
}

/// Whether other packages can name it.
fn is_open(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// The default name of a package: usually the last segment of its path, without a major version.
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version = |text: &str| {
        text.strip_prefix('v').is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    last.strip_prefix("go-").unwrap_or(last)
}

/// The name of a method's type, without pointers and type arguments.
fn base_name(text: &str) -> &str {
    let text = text.trim_matches(['*', '(', ')', ' ']);
    text.split('[').next().unwrap_or(text).trim()
}

/// The built-in names of Go.
pub(super) struct GoBuiltins;

impl Builtins for GoBuiltins {
    fn linking_comment(&self) -> Option<&'static str> {
        Some(LINK)
    }

    fn names_by_text(&self) -> bool {
        true
    }

    fn satisfied_mark(&self) -> Option<&'static str> {
        Some("")
    }

    fn implements_by_methods(&self) -> bool {
        true
    }

    fn names_bare_members(&self) -> bool {
        false
    }

    fn named(&self, name: &str) -> Builtin {
        match name {
            "map" => Builtin::Table,
            "chan" => Builtin::List,
            _ => Builtin::Unknown,
        }
    }

    fn method(&self, _name: &str) -> (BuiltinMethod, u32) {
        (BuiltinMethod::Unknown, 0)
    }

    fn called(&self, name: &str) -> Builtin {
        match name {
            "append" => Builtin::Same(0),
            _ => Builtin::Unknown,
        }
    }

    fn module<'p>(&self, path: &'p str) -> Option<&'p str> {
        Some(path.rsplit_once('/').map_or("", |(folder, _)| folder))
    }
}
