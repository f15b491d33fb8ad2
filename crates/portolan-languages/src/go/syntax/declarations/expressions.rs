//! Walks statements and expressions.

use portolan_types::declarations::{Shape, Usage};
use tree_sitter::Node;

use super::{GoTreeReader, GoWalkState, is_open};
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{Walks, children, fields};

impl<'t> Walks<'t> for GoWalkState<'t> {
    fn expression(reader: &mut GoTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.expression_within(node)
    }

    fn type_of(reader: &mut GoTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.type_within(node)
    }
}

impl GoTreeReader<'_> {
    pub(super) fn statement(&mut self, node: Node<'_>) {
        if !self.deeper(node) {
            return;
        }
        match node.kind() {
            "block"
            | "if_statement"
            | "for_statement"
            | "expression_switch_statement"
            | "expression_case"
            | "default_case"
            | "select_statement"
            | "communication_case"
            | "type_case" => {
                let around = self.enter_scope();
                self.statements(node);
                self.leave(around);
            }
            "short_var_declaration" | "receive_statement" => self.bound(node, false),
            "range_clause" => self.bound(node, true),
            "const_declaration" | "var_declaration" | "var_spec_list" | "return_statement"
            | "statement_list" => self.statements(node),
            "const_spec" | "var_spec" => self.local_values(node),
            "type_declaration" => self.local_types(node),
            "type_switch_statement" => self.type_switch(node),
            _ => {
                self.expression(node);
            }
        }
        self.higher();
    }

    fn statements(&mut self, node: Node<'_>) {
        for part in children(node) {
            match part.kind() {
                "type_identifier" | "qualified_type" | "pointer_type" | "generic_type"
                | "slice_type" | "map_type" | "function_type" | "interface_type"
                | "struct_type" | "array_type" | "channel_type" => {
                    self.type_of(part);
                }
                _ => self.statement(part),
            }
        }
    }

    /// `a, b := f()`, also in `for … range` and `select`.
    fn bound(&mut self, node: Node<'_>, is_range: bool) {
        let values = node.child_by_field_name("right");
        let values = match values {
            Some(list) if list.kind() == "expression_list" => self.each(list),
            Some(one) => vec![self.expression(one)],
            None => Vec::new(),
        };
        let Some(left) = node.child_by_field_name("left") else { return };
        let names = children(left);
        for (name, index) in names.iter().zip(0u32..) {
            let shape = if is_range {
                let list = values.first().copied().unwrap_or(UNKNOWN);
                if index == 0 && names.len() > 1 { PLAIN } else { self.element(list) }
            } else {
                self.value_at(&values, names.len(), index)
            };
            if name.kind() == "identifier" {
                let text = self.text_of(*name);
                self.local(text, shape);
            } else {
                self.expression(*name);
            }
        }
    }

    /// The value for the name at an index. Several may come from one call.
    pub(super) fn value_at(&mut self, values: &[u32], names: usize, index: u32) -> u32 {
        match values {
            [base] if names > 1 && *base > PLAIN => {
                let base = *base;
                self.shape(Shape::Entry { base, index })
            }
            values => values.get(index as usize).copied().unwrap_or(UNKNOWN),
        }
    }

    fn local_values(&mut self, node: Node<'_>) {
        let written = node.child_by_field_name("type").map(|it| self.type_of(it));
        let values = node.child_by_field_name("value");
        let values = values.map(|it| self.each(it)).unwrap_or_default();
        let names = fields(node, "name");
        for (name, index) in names.iter().zip(0u32..) {
            let shape = written.unwrap_or_else(|| self.value_at(&values, names.len(), index));
            let name = self.text_of(*name);
            self.local(name, shape);
        }
    }

    /// Types that are declared in a body.
    fn local_types(&mut self, node: Node<'_>) {
        for spec in children(node) {
            if let Some(written) = spec.child_by_field_name("type") {
                let shape = self.type_of(written);
                let name = self.field_text(spec, "name");
                self.type_parameter(name, shape);
            }
        }
    }

    fn type_switch(&mut self, node: Node<'_>) {
        let around = self.enter_scope();
        if let Some(first) = node.child_by_field_name("initializer") {
            self.statement(first);
        }
        if let Some(value) = node.child_by_field_name("value") {
            self.expression(value);
        }
        let alias = node.child_by_field_name("alias").map_or("", |it| self.text_of(it));
        for case in children(node).into_iter().filter(|it| it.kind().ends_with("_case")) {
            let around = self.enter_scope();
            let types: Vec<u32> =
                fields(case, "type").into_iter().map(|it| self.type_of(it)).collect();
            // In a case with one type, the name has that type.
            let shape = if types.len() == 1 { self.union(&types) } else { UNKNOWN };
            self.local(alias, shape);
            let bodies = children(case).into_iter().filter(|it| it.kind() == "statement_list");
            for body in bodies {
                self.statement(body);
            }
            self.leave(around);
        }
        self.leave(around);
    }

    fn expression_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "identifier" => {
                if is_builtin(self.text_of(node)) {
                    UNKNOWN
                } else {
                    self.value(node)
                }
            }
            "selector_expression" => self.selector(node),
            "call_expression" => self.call(node),
            "composite_literal" => self.composite(node),
            "func_literal" => self.function_value(node),
            "unary_expression" => {
                let operand = node.child_by_field_name("operand");
                let shape = operand.map_or(UNKNOWN, |it| self.expression(it));
                // What a channel gives.
                if self.field_text(node, "operator") == "<-" { self.element(shape) } else { shape }
            }
            "parenthesized_expression" | "slice_expression" => {
                self.each(node).first().copied().unwrap_or(UNKNOWN)
            }
            "index_expression" => {
                let shapes = self.each(node);
                let base = shapes.first().copied().unwrap_or(UNKNOWN);
                self.element(base)
            }
            "type_assertion_expression" | "type_conversion_expression" => {
                if let Some(operand) = node.child_by_field_name("operand") {
                    self.expression(operand);
                }
                node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it))
            }
            "binary_expression" => {
                self.each(node);
                PLAIN
            }
            "int_literal"
            | "float_literal"
            | "interpreted_string_literal"
            | "true"
            | "false"
            | "raw_string_literal"
            | "rune_literal" => PLAIN,
            "nil" | "comment" | "iota" | "label_name" => UNKNOWN,
            "type_identifier" | "qualified_type" | "pointer_type" | "slice_type" | "map_type"
            | "array_type" | "channel_type" | "struct_type" | "interface_type"
            | "function_type" | "generic_type" => self.type_of(node),
            "block"
            | "if_statement"
            | "for_statement"
            | "short_var_declaration"
            | "statement_list" => {
                self.statement(node);
                UNKNOWN
            }
            _ => {
                for part in children(node) {
                    self.statement(part);
                }
                UNKNOWN
            }
        }
    }

    /// A name of a package, or a member.
    fn selector(&mut self, node: Node<'_>) -> u32 {
        let (Some(operand), Some(field)) =
            (node.child_by_field_name("operand"), node.child_by_field_name("field"))
        else {
            return UNKNOWN;
        };
        if operand.kind() == "identifier" {
            let text = self.text_of(operand);
            let name = self.name(text);
            if let Some(path) = self.own.packages.get(text).copied()
                && is_open(self.text_of(field))
                && !self.scopes.knows(name)
            {
                return self.inline_use(path, field, Usage::Value);
            }
        }
        let base = self.expression(operand);
        self.member_use(base, field)
    }

    fn call(&mut self, node: Node<'_>) -> u32 {
        let Some(function) = node.child_by_field_name("function") else { return UNKNOWN };
        let arguments = node.child_by_field_name("arguments");
        let text = self.text_of(function);
        if matches!(text, "new" | "make") {
            let given = arguments.map(|it| self.each(it)).unwrap_or_default();
            return given.first().copied().unwrap_or(UNKNOWN);
        }
        let callee = if text == "append" {
            let name = self.name(text);
            self.shape(Shape::Free { name })
        } else {
            self.expression(function)
        };
        if let Some(types) = node.child_by_field_name("type_arguments") {
            for it in children(types) {
                self.type_of(it);
            }
        }
        let given = arguments.map(|it| self.each(it)).unwrap_or_default();
        self.called(callee, &given, false)
    }

    /// `T{…}`.
    fn composite(&mut self, node: Node<'_>) -> u32 {
        let shape = node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
        if let Some(body) = node.child_by_field_name("body") {
            self.literal(body, shape);
        }
        shape
    }

    fn literal(&mut self, node: Node<'_>, shape: u32) {
        if !self.deeper(node) {
            return;
        }
        for part in children(node) {
            let element = match part.kind() {
                "keyed_element" => {
                    let key = part.child_by_field_name("key");
                    let key = key.and_then(|it| children(it).into_iter().next());
                    match key {
                        Some(key) if key.kind() == "identifier" => {
                            let text = self.text_of(key);
                            let name = self.name(text);
                            self.refer(name, key.start_byte() as u32, Usage::Given, shape);
                        }
                        Some(key) => {
                            self.expression(key);
                        }
                        None => {}
                    }
                    part.child_by_field_name("value")
                }
                _ => Some(part),
            };
            let Some(inner) = element.and_then(|it| children(it).into_iter().next()) else {
                continue;
            };
            if inner.kind() == "literal_value" {
                // The type of an element may be omitted.
                let shape = self.element(shape);
                self.literal(inner, shape);
            } else {
                self.expression(inner);
            }
        }
        self.higher();
    }
}

/// The predeclared functions and types.
fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "cap"
            | "clear"
            | "close"
            | "complex"
            | "copy"
            | "delete"
            | "imag"
            | "len"
            | "make"
            | "max"
            | "min"
            | "new"
            | "panic"
            | "print"
            | "println"
            | "real"
            | "recover"
            | "string"
            | "int"
            | "int64"
            | "int32"
            | "uint64"
            | "uint32"
            | "byte"
            | "float64"
            | "bool"
            | "error"
            | "rune"
            | "uint"
            | "uint8"
            | "int8"
            | "int16"
            | "uint16"
            | "float32"
            | "_"
    )
}
