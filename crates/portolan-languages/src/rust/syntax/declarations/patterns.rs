//! Reads patterns: the names that they bind and use.

use portolan_types::declarations::{Shape, Usage};
use tree_sitter::Node;

use super::RustTreeReader;
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
                for (part, index) in children(node).into_iter().zip(0..) {
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
        if !is_box && text != "Err" {
            self.expression(named);
        }
        let inner = match text {
            "Err" => {
                let name = self.name(super::expressions::ERROR);
                self.member(shape, name)
            }
            _ if is_box => shape,
            _ => UNKNOWN,
        };
        let parts = children(node).into_iter().filter(|it| it.id() != named.id());
        parts.for_each(|it| self.pattern(it, inner));
    }

    fn fields_pattern(&mut self, node: Node<'_>) {
        let Some(named) = node.child_by_field_name("type") else { return };
        let shape = self.type_of(named);
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
