//! Reads patterns: the names that they bind and use.

use portolan_types::declarations::{List, NONE, Shape, Usage};
use tree_sitter::Node;

use super::RustTreeReader;
use crate::syntax::declaring::scope::Space;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::children;

impl RustTreeReader<'_> {
    /// Binds the names of a pattern to a value.
    pub(super) fn pattern(&mut self, node: Node<'_>, shape: u32) {
        if !self.deeper(node) {
            return;
        }
        match node.kind() {
            "identifier" => {
                let name = self.text_of(node);
                // By convention, a capitalized name is a constant or a variant.
                if name.starts_with(char::is_uppercase) {
                    self.value(node);
                } else {
                    self.local(name, shape);
                }
            }
            "tuple_pattern" => {
                for (part, index) in placed(node) {
                    let part_shape = match shape {
                        0 | 1 => shape,
                        base => self.shape(Shape::Entry { base, index }),
                    };
                    self.pattern(part, part_shape);
                }
            }
            "tuple_struct_pattern" => self.tuple_struct(node, shape),
            "struct_pattern" => self.fields_pattern(node),
            "slice_pattern" => {
                let element = self.element(shape);
                for it in children(node) {
                    self.pattern(it, element);
                }
            }
            "scoped_identifier" => {
                self.path(node, Usage::Value);
            }
            "generic_pattern" | "range_pattern" | "macro_invocation" | "const_block" => {
                self.expression(node);
            }
            "mutable_specifier" | "remaining_field_pattern" | "self" => {}
            kind if kind.ends_with("_literal") => {}
            // `ref`, `mut`, `&`, `|` and `@`: each part is the value itself.
            _ => {
                for it in children(node) {
                    self.pattern(it, shape);
                }
            }
        }
        self.higher();
    }

    /// Reads `Some(x)`. The content has the members of the whole, because options and results are
    /// transparent.
    fn tuple_struct(&mut self, node: Node<'_>, shape: u32) {
        let Some(named) = node.child_by_field_name("type") else { return };
        let text = self.text_of(named);
        let is_box = matches!(text, "Some" | "Ok");
        let parts: Vec<(Node<'_>, u32)> =
            placed(node).into_iter().filter(|(it, _)| it.id() != named.id()).collect();
        if !is_box && text != "Err" {
            let value = self.expression(named);
            let base = self.variant(value);
            // Behind `..` the places are not known.
            let mut is_counted = base > PLAIN;
            for (part, index) in parts {
                is_counted &= part.kind() != "remaining_field_pattern";
                let inner =
                    if is_counted { self.shape(Shape::Entry { base, index }) } else { UNKNOWN };
                self.pattern(part, inner);
            }
            return;
        }
        let inner = if is_box {
            shape
        } else {
            let name = self.name(super::expressions::ERROR);
            self.member(shape, name)
        };
        for (part, _) in parts {
            self.pattern(part, inner);
        }
    }

    /// What a variant or a struct holds, by what its name is as a value or a type: a variant is a value of its enum, but
    /// has fields of its own.
    pub(super) fn variant(&mut self, named: u32) -> u32 {
        let arguments = List::default();
        match self.facts.shape(named) {
            Shape::Member { base, name } => self.shape(Shape::Qualified { base, name, arguments }),
            Shape::Name { binding } => self.shape(Shape::Type { binding, arguments }),
            Shape::Free { name } => {
                let shape = self.shape(Shape::FreeType { name, arguments });
                self.scopes.ask(name, Space::Type, shape, NONE);
                shape
            }
            _ => named,
        }
    }

    fn fields_pattern(&mut self, node: Node<'_>) {
        let Some(named) = node.child_by_field_name("type") else { return };
        let shape = self.type_of(named);
        let shape = self.variant(shape);
        for part in children(node).into_iter().filter(|it| it.kind() == "field_pattern") {
            let Some(name) = part.child_by_field_name("name") else { continue };
            let member = self.member_use(shape, name);
            if let Some(pattern) = part.child_by_field_name("pattern") {
                self.pattern(pattern, member);
            } else {
                let name = self.text_of(name);
                self.local(name, member.max(PLAIN));
            }
        }
    }
}

/// The parts of a tuple with their places. `_` is a place without a part.
fn placed(node: Node<'_>) -> Vec<(Node<'_>, u32)> {
    let (mut found, mut place) = (Vec::new(), 0);
    let mut cursor = node.walk();
    for part in node.children(&mut cursor) {
        if part.kind() == "," {
            place += 1;
        } else if part.is_named() && !part.kind().ends_with("_comment") {
            found.push((part, place));
        }
    }
    found
}
