//! Reads types, parameters and results.

use portolan_types::declarations::{DeclarationKind, List, Shape, Usage};
use tree_sitter::Node;

use super::{GoTreeReader, is_open};
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{children, fields};

impl GoTreeReader<'_> {
    pub(super) fn type_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "type_identifier" => self.type_name(node, List::default()),
            "qualified_type" => self.qualified(node),
            "pointer_type" | "parenthesized_type" | "type_elem" | "type_constraint"
            | "negated_type" => {
                let parts: Vec<u32> =
                    children(node).into_iter().map(|it| self.type_of(it)).collect();
                self.union(&parts)
            }
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                if let Some(length) = node.child_by_field_name("length") {
                    self.expression(length);
                }
                let element = self.type_part(node, "element");
                self.shape(Shape::Array { element })
            }
            "channel_type" => {
                let element = self.type_part(node, "value");
                self.shape(Shape::Array { element })
            }
            "map_type" => {
                let parts = [self.type_part(node, "key"), self.type_part(node, "value")];
                let (arguments, name) = (self.list(&parts), self.name("map"));
                self.shape(Shape::FreeType { name, arguments })
            }
            "generic_type" => {
                let written = node.child_by_field_name("type_arguments");
                let parts = written.map(children).unwrap_or_default();
                let parts: Vec<u32> = parts.into_iter().map(|it| self.type_of(it)).collect();
                let arguments = self.list(&parts);
                match node.child_by_field_name("type") {
                    Some(named) if named.kind() == "type_identifier" => {
                        self.type_name(named, arguments)
                    }
                    Some(named) => self.type_of(named),
                    None => UNKNOWN,
                }
            }
            "function_type" => self.function_value(node),
            "struct_type" | "interface_type" => {
                self.opaque += 1;
                let (members, spreads) = self.members(node);
                self.opaque -= 1;
                let (members, spreads) = (self.list(&members), self.list(&spreads));
                self.shape(Shape::Object { members, spreads })
            }
            _ => UNKNOWN,
        }
    }

    fn type_part(&mut self, node: Node<'_>, field: &str) -> u32 {
        node.child_by_field_name(field).map_or(UNKNOWN, |it| self.type_of(it))
    }

    fn type_name(&mut self, node: Node<'_>, arguments: List) -> u32 {
        let name = self.text_of(node);
        if is_basic(name) {
            return PLAIN;
        }
        self.named_type(name, node.start_byte(), arguments)
    }

    fn qualified(&mut self, node: Node<'_>) -> u32 {
        let package = self.field_text(node, "package");
        let path = self.own.packages.get(package).copied().unwrap_or(package);
        match node.child_by_field_name("name") {
            Some(name) => self.inline_use(path, name, Usage::Type),
            None => UNKNOWN,
        }
    }

    /// The type of a receiver. It binds the type parameters that it names.
    pub(super) fn receiver_type(&mut self, node: Node<'_>) -> u32 {
        let mut node = node;
        while matches!(node.kind(), "pointer_type" | "parenthesized_type")
            && let Some(inner) = children(node).into_iter().next()
        {
            node = inner;
        }
        if node.kind() == "generic_type" {
            let arguments = node.child_by_field_name("type_arguments");
            for name in arguments.map(children).unwrap_or_default() {
                let name = self.text_of(name);
                self.type_parameter(name, UNKNOWN);
            }
            node = node.child_by_field_name("type").unwrap_or(node);
        }
        self.type_of(node)
    }

    /// The members of a struct or an interface, and its embedded types.
    pub(super) fn members(&mut self, node: Node<'_>) -> (Vec<u32>, Vec<u32>) {
        let (mut members, mut bases) = (Vec::new(), Vec::new());
        let parts = children(node).into_iter().flat_map(|it| match it.kind() {
            "field_declaration_list" => children(it),
            _ => vec![it],
        });
        for part in parts {
            match part.kind() {
                "field_declaration" => self.field(part, &mut members, &mut bases),
                "method_elem" => {
                    let name = self.field_text(part, "name");
                    let item = self.member_item(DeclarationKind::Method, name, part);
                    self.open(item, is_open(name));
                    let around = self.enter(item);
                    let shape = self.function_value(part);
                    self.leave(around);
                    self.edit(item, |it| it.shape = shape);
                    members.push(item);
                }
                "type_elem" => bases.push(self.type_of(part)),
                _ => {}
            }
        }
        (members, bases)
    }

    fn field(&mut self, node: Node<'_>, members: &mut Vec<u32>, bases: &mut Vec<u32>) {
        let shape = self.type_part(node, "type");
        let names = fields(node, "name");
        let written = node.child_by_field_name("type");
        if names.is_empty() {
            bases.push(shape);
        }
        // An embedded type is a member with the name of the type.
        let embedded = written.filter(|_| names.is_empty()).map(|it| {
            let text = super::base_name(self.text_of(it));
            text.rsplit('.').next().unwrap_or(text)
        });
        let names = names.iter().map(|name| self.text_of(*name)).chain(embedded);
        for name in names.collect::<Vec<_>>() {
            let item = self.member_item(DeclarationKind::Property, name, node);
            self.open(item, is_open(name));
            self.edit(item, |it| it.shape = shape);
            members.push(item);
        }
    }

    /// Binds parameters or named results. Returns their types.
    pub(super) fn parameters(&mut self, node: Option<Node<'_>>) -> Vec<u32> {
        let mut takes = Vec::new();
        for parameter in node.map(children).unwrap_or_default() {
            let mut shape = self.type_part(parameter, "type");
            if parameter.kind() == "variadic_parameter_declaration" {
                shape = self.shape(Shape::Array { element: shape });
            }
            let names = fields(parameter, "name");
            for name in &names {
                let name = self.text_of(*name);
                self.local(name, shape);
            }
            takes.extend(std::iter::repeat_n(shape, names.len().max(1)));
        }
        takes
    }

    /// The result of a function: one value, or a tuple.
    pub(super) fn results(&mut self, node: Node<'_>) -> u32 {
        let Some(result) = node.child_by_field_name("result") else { return PLAIN };
        if result.kind() != "parameter_list" {
            return self.type_of(result);
        }
        match self.parameters(Some(result)).as_slice() {
            [] => PLAIN,
            [only] => *only,
            several => {
                let parts = self.list(several);
                self.shape(Shape::Tuple { parts })
            }
        }
    }
}

/// The predeclared types.
fn is_basic(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "string"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
            | "byte"
            | "rune"
            | "float32"
            | "float64"
            | "complex64"
            | "complex128"
            | "error"
            | "any"
            | "comparable"
    )
}
