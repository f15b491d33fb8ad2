//! Walks statements and expressions.

use portolan_types::declarations::{List, NONE, Shape, Usage};
use tree_sitter::Node;

use super::{JavaTreeReader, JavaWalkState};
use crate::syntax::declaring::scope::Space;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{Given, Walks, child, children, fields};

impl<'t> Walks<'t> for JavaWalkState<'t> {
    fn expression(reader: &mut JavaTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.expression_within(node)
    }

    fn type_of(reader: &mut JavaTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.type_within(node)
    }
}

impl JavaTreeReader<'_> {
    fn expression_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "identifier" => self.bare(node),
            "this" => self.this,
            "super" => self.above(),
            "field_access" => self.field_use(node),
            "method_invocation" => self.call(node),
            "object_creation_expression" => self.made(node),
            "lambda_expression" => self.lambda(node),
            "cast_expression" => {
                self.part(node, "value");
                let types: Vec<u32> =
                    fields(node, "type").into_iter().map(|it| self.type_of(it)).collect();
                self.union(&types)
            }
            "array_access" => {
                let base = self.part(node, "array");
                self.part(node, "index");
                self.element(base)
            }
            "parenthesized_expression" => self.each(node).first().copied().unwrap_or(UNKNOWN),
            "ternary_expression" => {
                self.part(node, "condition");
                let parts = [self.part(node, "consequence"), self.part(node, "alternative")];
                self.union(&parts)
            }
            "assignment_expression" => {
                self.part(node, "left");
                self.part(node, "right")
            }
            "binary_expression" | "unary_expression" | "update_expression" => {
                self.each(node);
                PLAIN
            }
            "method_reference" => self.method_reference(node),
            "class_literal" | "array_creation_expression" | "catch_type" => {
                self.mixed(node);
                UNKNOWN
            }
            "annotation" | "marker_annotation" => {
                self.annotation(node);
                UNKNOWN
            }
            "string_literal"
            | "true"
            | "false"
            | "decimal_integer_literal"
            | "character_literal"
            | "decimal_floating_point_literal"
            | "hex_integer_literal" => PLAIN,
            "line_comment" | "block_comment" | "null_literal" | "break_statement"
            | "continue_statement" | "dimensions" => UNKNOWN,
            _ => {
                self.statement(node);
                UNKNOWN
            }
        }
    }

    /// Walks a node that contains both types and values.
    fn mixed(&mut self, node: Node<'_>) {
        for part in children(node) {
            if part.kind().ends_with("_type") || part.kind().ends_with("type_identifier") {
                self.type_of(part);
            } else {
                self.expression(part);
            }
        }
    }

    fn statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "block"
            | "constructor_body"
            | "for_statement"
            | "catch_clause"
            | "switch_rule"
            | "try_with_resources_statement"
            | "switch_block_statement_group" => {
                let around = self.enter_scope();
                self.each(node);
                self.leave(around);
            }
            "local_variable_declaration" => self.local_variables(node),
            "enhanced_for_statement" => self.for_each(node),
            "catch_formal_parameter" => {
                let shape = child(node, "catch_type").map_or(UNKNOWN, |it| self.type_of(it));
                let name = self.field_text(node, "name");
                self.local(name, shape);
            }
            "resource" => {
                let written = node.child_by_field_name("type").map(|it| self.type_of(it));
                let value = self.part(node, "value");
                if let Some(name) = node.child_by_field_name("name") {
                    let name = self.text_of(name);
                    self.local(name, written.unwrap_or(value));
                } else {
                    self.each(node);
                }
            }
            "instanceof_expression" => {
                self.part(node, "left");
                let right = node.child_by_field_name("right");
                let shape = right.map_or(UNKNOWN, |it| self.type_of(it));
                if let Some(name) = node.child_by_field_name("name") {
                    let name = self.text_of(name);
                    self.local(name, shape);
                }
                node.child_by_field_name("pattern").map(|it| self.expression(it));
            }
            "type_pattern" | "record_pattern_component" => {
                let parts = children(node);
                let shape = parts.first().map_or(UNKNOWN, |it| self.type_of(*it));
                if let Some(name) = parts.last().filter(|it| it.kind() == "identifier") {
                    let name = self.text_of(*name);
                    self.local(name, shape);
                }
            }
            "switch_expression" | "switch_statement" => {
                let value = self.part(node, "condition");
                let around = std::mem::replace(&mut self.own.switched, value);
                self.part(node, "body");
                self.own.switched = around;
            }
            "switch_label" => self.label(node),
            "element_value_pair" => {
                self.part(node, "value");
            }
            "explicit_constructor_invocation" => {
                self.part(node, "arguments");
            }
            kind if super::is_type(kind) => {
                self.opaque += 1;
                self.type_item(node, &mut crate::syntax::grammar::Leading::default());
                self.opaque -= 1;
            }
            "class_body" => {
                self.members(node);
            }
            _ => self.mixed(node),
        }
    }

    fn label(&mut self, node: Node<'_>) {
        // A bare name is a constant of the enumeration that is looked at.
        for part in children(node) {
            let value = self.own.switched;
            if part.kind() == "identifier" && value > PLAIN {
                self.member_use(value, part);
                if self.is_known_constant(part) {
                    // Of a number, it is a constant that is in sight.
                    self.bare(part);
                }
            } else {
                self.expression(part);
            }
        }
    }

    /// Whether a name is one of a field around, or imported from a class.
    fn is_known_constant(&self, node: Node<'_>) -> bool {
        let name = self.text_of(node);
        self.own.statics.contains_key(name)
            || self.own.types.iter().any(|around| around.fields.contains(name))
    }

    fn local_variables(&mut self, node: Node<'_>) {
        self.annotations(node);
        let written = node.child_by_field_name("type");
        let is_inferred = written.is_some_and(|it| self.text_of(it) == "var");
        let declared = written.filter(|_| !is_inferred).map(|it| self.type_of(it));
        for declarator in fields(node, "declarator") {
            let value = self.part(declarator, "value");
            let name = self.field_text(declarator, "name");
            self.local(name, declared.unwrap_or(value));
        }
    }

    fn for_each(&mut self, node: Node<'_>) {
        let around = self.enter_scope();
        let list = self.part(node, "value");
        let written = node.child_by_field_name("type");
        let shape = match written {
            Some(written) if self.text_of(written) != "var" => self.type_of(written),
            _ => self.element(list),
        };
        let name = self.field_text(node, "name");
        self.local(name, shape);
        self.part(node, "body");
        self.leave(around);
    }

    /// A bare name: a local, a member of an enclosing type, a type, or something imported or
    /// inherited.
    fn bare(&mut self, node: Node<'_>) -> u32 {
        let text = self.text_of(node);
        let name = self.name(text);
        if self.scopes.knows(name) {
            self.nested_use(node);
            return self.value(node);
        }
        let owner = self.own.types.iter().rev().find(|it| it.fields.contains(text));
        if let Some(this) = owner.map(|it| it.this) {
            return self.member_use(this, node);
        }
        if let Some(base) = self.own.statics.get(text).copied() {
            return self.member_use(base, node);
        }
        let is_constant = text.len() > 1 && !text.contains(char::is_lowercase);
        if text.starts_with(char::is_uppercase) && !is_constant {
            return self.named_type(text, node.start_byte(), List::default());
        }
        match self.own.types.last() {
            Some(around) => {
                let this = around.this;
                self.member_use(this, node)
            }
            None => self.value(node),
        }
    }

    /// The supertype of the enclosing type.
    fn above(&mut self) -> u32 {
        match self.facts.shape(self.this) {
            Shape::This { item } => self.shape(Shape::Super { item }),
            _ => UNKNOWN,
        }
    }

    fn field_use(&mut self, node: Node<'_>) -> u32 {
        let Some(object) = node.child_by_field_name("object") else { return UNKNOWN };
        let Some(field) = node.child_by_field_name("field") else { return UNKNOWN };
        let path = self.text_of(object);
        // `a.b.C`: a package before a type.
        let is_package = path.split('.').all(|part| part.starts_with(char::is_lowercase));
        let first = path.split('.').next().unwrap_or(path);
        let first = self.name(first);
        let is_type = self.text_of(field).starts_with(char::is_uppercase);
        if is_package && is_type && path.contains('.') && !self.scopes.knows(first) {
            return self.inline_use(path, field, Usage::Type);
        }
        if field.kind() == "this" {
            return self.expression(object);
        }
        let base = self.expression(object);
        self.member_use(base, field)
    }

    fn call(&mut self, node: Node<'_>) -> u32 {
        let Some(name) = node.child_by_field_name("name") else { return UNKNOWN };
        let callee = match node.child_by_field_name("object") {
            Some(object) => {
                let base = self.expression(object);
                self.member_use(base, name)
            }
            None => self.own_method(name),
        };
        if let Some(types) = node.child_by_field_name("type_arguments") {
            self.type_of(types);
        }
        let arguments = node.child_by_field_name("arguments");
        let given = arguments.map(|it| self.each(it)).unwrap_or_default();
        self.reflected(node, name);
        self.called(callee, &given, false)
    }

    /// A member that is asked for by its name: `A.class.getMethod("name")`, `lookup.findVirtual(A.class, "name", type)`.
    fn reflected(&mut self, call: Node<'_>, name: Node<'_>) {
        let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
        let (class, text) = match self.text_of(name) {
            "getMethod" | "getDeclaredMethod" | "getField" | "getDeclaredField" => {
                (call.child_by_field_name("object"), arguments.first())
            }
            "findVirtual" | "findStatic" | "findSpecial" | "findGetter" | "findSetter"
            | "findVarHandle" | "findField" | "findMethod" | "newUpdater" => {
                (arguments.first().copied(), arguments.get(1))
            }
            _ => return,
        };
        let literal = text.filter(|it| it.kind() == "string_literal");
        let Some(content) = literal.and_then(|it| child(*it, "string_fragment")) else { return };
        let class = class.filter(|it| it.kind() == "class_literal");
        let base = match class.and_then(|it| children(it).into_iter().next()) {
            Some(named) if named.kind() == "type_identifier" || named.kind() == "identifier" => {
                let name = self.text_of(named);
                let name = self.name(name);
                let base = self.shape(Shape::FreeType { name, arguments: List::default() });
                self.scopes.ask(name, Space::Type, base, NONE);
                base
            }
            _ => UNKNOWN,
        };
        self.member_use(base, content);
    }

    /// A method that is called without a receiver.
    fn own_method(&mut self, name: Node<'_>) -> u32 {
        let text = self.text_of(name);
        let owner = self.own.types.iter().rev().find(|it| it.methods.contains(text));
        let owner = owner.map(|it| it.this).or_else(|| self.own.statics.get(text).copied());
        let owner = owner.or_else(|| self.own.types.last().map(|it| it.this));
        self.member_use(owner.unwrap_or(UNKNOWN), name)
    }

    fn made(&mut self, node: Node<'_>) -> u32 {
        let shape = node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
        self.part(node, "arguments");
        if let Some(body) = child(node, "class_body") {
            let around = self.enter_scope();
            self.opaque += 1;
            let this = std::mem::replace(&mut self.walker.this, shape);
            self.open_type(Some(body), false);
            self.members(body);
            self.own.types.pop();
            self.walker.this = this;
            self.opaque -= 1;
            self.leave(around);
        }
        shape
    }

    fn lambda(&mut self, node: Node<'_>) -> u32 {
        let around = self.enter_scope();
        self.begin_function();
        let parameters = node.child_by_field_name("parameters");
        let takes = match parameters {
            Some(one) if one.kind() == "identifier" => {
                let name = self.text_of(one);
                self.local(name, UNKNOWN);
                vec![UNKNOWN]
            }
            several => self.parameters(several),
        };
        let gives = self.part(node, "body");
        self.returned(gives);
        let parameters = List::default();
        let shape = self.function(&Given { parameters, takes, written: None, is_async: false });
        self.leave(around);
        shape
    }

    /// `Type::method`, `value::method`.
    fn method_reference(&mut self, node: Node<'_>) -> u32 {
        let parts = children(node);
        let (Some(owner), Some(name)) = (parts.first(), parts.last()) else { return UNKNOWN };
        let base = match owner.kind() {
            "identifier" | "this" | "super" | "field_access" | "method_invocation" => {
                self.expression(*owner)
            }
            _ => self.type_of(*owner),
        };
        if parts.len() > 1 && name.kind() == "identifier" {
            return self.member_use(base, *name);
        }
        UNKNOWN
    }
}
