//! Reads types, parameters and annotations.

use portolan_types::declarations::{List, Shape, Usage};
use tree_sitter::Node;

use super::JavaTreeReader;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{child, children};

impl JavaTreeReader<'_> {
    pub(super) fn type_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "type_identifier" | "identifier" => self.type_name(node, List::default()),
            "scoped_type_identifier" => self.scoped_type(node),
            "generic_type" => {
                let parts = children(node);
                let written = parts.iter().find(|it| it.kind() == "type_arguments");
                let arguments = written.map(|it| children(*it)).unwrap_or_default();
                let arguments: Vec<u32> =
                    arguments.into_iter().map(|it| self.type_of(it)).collect();
                let arguments = self.list(&arguments);
                match parts.first() {
                    Some(named) if named.kind() == "type_identifier" => {
                        self.type_name(*named, arguments)
                    }
                    Some(named) => {
                        let shape = self.type_of(*named);
                        match self.facts.shape(shape) {
                            Shape::Type { binding, .. } => {
                                self.shape(Shape::Type { binding, arguments })
                            }
                            Shape::Qualified { base, name, .. } => {
                                self.shape(Shape::Qualified { base, name, arguments })
                            }
                            _ => shape,
                        }
                    }
                    None => UNKNOWN,
                }
            }
            "array_type" => {
                let element =
                    node.child_by_field_name("element").map_or(UNKNOWN, |it| self.type_of(it));
                self.shape(Shape::Array { element })
            }
            "integral_type" | "floating_point_type" | "boolean_type" | "void_type" => PLAIN,
            "annotation" | "marker_annotation" => {
                self.annotation(node);
                UNKNOWN
            }
            "line_comment" | "block_comment" | "dimensions" => UNKNOWN,
            _ => {
                let parts: Vec<u32> =
                    children(node).into_iter().map(|it| self.type_of(it)).collect();
                self.union(&parts)
            }
        }
    }

    pub(super) fn type_name(&mut self, node: Node<'_>, arguments: List) -> u32 {
        let name = self.text_of(node);
        if is_basic(name) {
            return PLAIN;
        }
        self.nested_use(node);
        self.named_type(name, node.start_byte(), arguments)
    }

    /// Adds a use of a nested type under its own name: it is a member of its outer type.
    pub(super) fn nested_use(&mut self, node: Node<'_>) {
        let text = self.text_of(node);
        if let Some(base) = self.own.nested.get(text).copied() {
            let name = self.name(text);
            self.refer(name, node.start_byte() as u32, Usage::Member, base);
        }
    }

    /// `a.b.C` or `Outer.Inner`.
    fn scoped_type(&mut self, node: Node<'_>) -> u32 {
        let parts = children(node);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return UNKNOWN };
        let path = self.text_of(*first);
        let owner = path.rsplit('.').next().unwrap_or(path);
        if !owner.starts_with(char::is_uppercase) {
            return self.inline_use(path, *last, Usage::Type);
        }
        let base = self.type_of(*first);
        let text = self.text_of(*last);
        let name = self.name(text);
        self.refer(name, last.start_byte() as u32, Usage::Member, base);
        self.shape(Shape::Qualified { base, name, arguments: List::default() })
    }

    /// The supertypes of a type.
    pub(super) fn bases(&mut self, node: Node<'_>) -> Vec<u32> {
        let parts = children(node).into_iter().filter(|it| {
            matches!(it.kind(), "superclass" | "super_interfaces" | "extends_interfaces")
        });
        let lists = parts.flat_map(children).flat_map(|it| match it.kind() {
            "type_list" => children(it),
            _ => vec![it],
        });
        let lists: Vec<Node<'_>> = lists.collect();
        if let Some(permitted) = node.child_by_field_name("permits") {
            self.type_of(permitted);
        }
        lists.into_iter().map(|it| self.type_of(it)).collect()
    }

    pub(super) fn generics(&mut self, node: Node<'_>) -> List {
        let written = node.child_by_field_name("type_parameters");
        let mut bound = Vec::new();
        for parameter in written.map(children).unwrap_or_default() {
            let Some(name) = child(parameter, "type_identifier") else { continue };
            let constraint = child(parameter, "type_bound");
            let constraint = constraint.map_or(UNKNOWN, |it| self.type_of(it));
            let name = self.text_of(name);
            bound.push(self.type_parameter(name, constraint));
        }
        self.list(&bound)
    }

    /// Binds parameters. Returns their types.
    pub(super) fn parameters(&mut self, node: Option<Node<'_>>) -> Vec<u32> {
        let mut takes = Vec::new();
        for parameter in node.map(children).unwrap_or_default() {
            self.annotations(parameter);
            let (name, shape) = match parameter.kind() {
                "formal_parameter" => {
                    let written = parameter.child_by_field_name("type");
                    let shape = written.map_or(UNKNOWN, |it| self.type_of(it));
                    (self.field_text(parameter, "name"), shape)
                }
                "spread_parameter" => {
                    let parts = children(parameter);
                    let skipped =
                        |it: &&Node<'_>| !matches!(it.kind(), "modifiers" | "variable_declarator");
                    let element = parts.iter().find(skipped).map(|it| self.type_of(*it));
                    let element = element.unwrap_or(UNKNOWN);
                    let declarator = child(parameter, "variable_declarator");
                    let name = declarator.map_or("", |it| self.field_text(it, "name"));
                    (name, self.shape(Shape::Array { element }))
                }
                "identifier" => (self.text_of(parameter), UNKNOWN),
                _ => continue,
            };
            self.local(name, shape);
            takes.push(shape);
        }
        takes
    }

    pub(super) fn annotation(&mut self, node: Node<'_>) {
        let shape = match node.child_by_field_name("name") {
            Some(name) if name.kind() == "identifier" => self.type_name(name, List::default()),
            Some(name) => self.expression(name),
            None => UNKNOWN,
        };
        if let Some(arguments) = node.child_by_field_name("arguments") {
            self.opaque += 1;
            for pair in
                children(arguments).into_iter().filter(|it| it.kind() == "element_value_pair")
            {
                if let Some(key) = pair.child_by_field_name("key") {
                    self.member_use(shape, key);
                }
            }
            self.expression(arguments);
            self.opaque -= 1;
        }
    }
}

/// The types of `java.lang` that nearly every file names.
fn is_basic(name: &str) -> bool {
    matches!(
        name,
        "String"
            | "Object"
            | "Integer"
            | "Long"
            | "Boolean"
            | "Double"
            | "Float"
            | "Byte"
            | "Short"
            | "Character"
            | "Void"
            | "CharSequence"
            | "Number"
    )
}
