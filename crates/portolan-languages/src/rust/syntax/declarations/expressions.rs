//! Walks expressions, statements and macro tokens.

use portolan_types::declarations::{List, Shape, Usage};
use tree_sitter::Node;

use super::{RustTreeReader, RustWalkState};
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{Given, Leading, Walks, children};

impl<'t> Walks<'t> for RustWalkState {
    fn expression(reader: &mut RustTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.expression_within(node)
    }

    fn type_of(reader: &mut RustTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.type_within(node)
    }
}

impl RustTreeReader<'_> {
    fn expression_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "identifier" => self.value(node),
            "self" => self.this,
            "scoped_identifier" => self.path(node, Usage::Value),
            "field_expression" => self.field_use(node),
            "call_expression" => self.call(node),
            "generic_function" => self.generic_function(node),
            "struct_expression" => self.struct_value(node),
            "macro_invocation" => self.macro_use(node),
            "closure_expression" => self.closure(node, UNKNOWN),
            "let_declaration" | "let_condition" => self.binding(node),
            "block" | "for_expression" | "match_arm" | "if_expression" | "while_expression" => {
                self.scope(node)
            }
            "match_expression" => self.matched(node),
            "else_clause" => self.each(node).first().copied().unwrap_or(UNKNOWN),
            "await_expression" => {
                let base = self.first(node);
                if base <= PLAIN { base } else { self.shape(Shape::Awaited { base }) }
            }
            "try_expression"
            | "reference_expression"
            | "parenthesized_expression"
            | "unary_expression" => self.first(node),
            "index_expression" => {
                let base = self.first(node);
                self.element(base)
            }
            "type_cast_expression" => {
                self.part(node, "value");
                node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it))
            }
            "tuple_expression" => {
                let parts = self.each(node);
                let parts = self.list(&parts);
                self.shape(Shape::Tuple { parts })
            }
            "array_expression" => {
                let parts = self.each(node);
                let element = parts.first().copied().unwrap_or(UNKNOWN);
                self.shape(Shape::Array { element })
            }
            "binary_expression" => {
                self.each(node);
                UNKNOWN
            }
            "function_item"
            | "struct_item"
            | "enum_item"
            | "impl_item"
            | "trait_item"
            | "const_item"
            | "static_item"
            | "type_item"
            | "mod_item"
            | "use_declaration"
            | "macro_definition"
            | "union_item"
            | "function_signature_item" => {
                self.any_item(node, &mut Leading::default(), false);
                UNKNOWN
            }
            "attribute_item" | "line_comment" | "block_comment" | "label" | "lifetime" => UNKNOWN,
            "type_arguments" => {
                self.type_of(node);
                UNKNOWN
            }
            kind if kind.ends_with("_literal") => PLAIN,
            _ => {
                self.each(node);
                UNKNOWN
            }
        }
    }

    /// The shape of a node's first part that is not a modifier. The other parts are walked as well.
    fn first(&mut self, node: Node<'_>) -> u32 {
        let parts = children(node).into_iter().filter(|it| it.kind() != "mutable_specifier");
        let shapes: Vec<u32> = parts.map(|it| self.expression(it)).collect();
        shapes.first().copied().unwrap_or(UNKNOWN)
    }

    fn field_use(&mut self, node: Node<'_>) -> u32 {
        let base = self.part(node, "value");
        match node.child_by_field_name("field") {
            Some(field) if field.kind() == "field_identifier" => self.member_use(base, field),
            Some(field) if base > PLAIN => {
                let index = self.text_of(field).parse().unwrap_or_default();
                self.shape(Shape::Entry { base, index })
            }
            _ => UNKNOWN,
        }
    }

    fn call(&mut self, node: Node<'_>) -> u32 {
        let Some(function) = node.child_by_field_name("function") else { return UNKNOWN };
        let text = self.text_of(function);
        let arguments = node.child_by_field_name("arguments");
        if matches!(text, "Some" | "Ok" | "Err") {
            let given = arguments.map(|it| self.each(it)).unwrap_or_default();
            let shape = given.first().copied().unwrap_or(UNKNOWN);
            return if text == "Err" { UNKNOWN } else { shape };
        }
        let (function, types) = match function.kind() {
            "generic_function" => {
                let types = self.turbofish(function);
                (function.child_by_field_name("function").unwrap_or(function), types)
            }
            _ => (function, Vec::new()),
        };
        let callee = self.expression(function);
        let last = self.text_of(function);
        let last = last.rsplit("::").next().unwrap_or(last);
        let is_made = last.starts_with(char::is_uppercase);
        let call = self.called(callee, &[], is_made);
        let given = self.arguments(arguments, call);
        self.give(call, &given, &types);
        if let Some(field) = function.child_by_field_name("field") {
            // `collect::<Vec<T>>()` says what it gives.
            if let [told] = types[..]
                && matches!(self.text_of(field), "collect" | "parse" | "into" | "try_into")
                && !text.contains("<_>")
                && told > PLAIN
            {
                return told;
            }
            let is_error = matches!(self.text_of(field), "unwrap_err" | "expect_err" | "err");
            if is_error && let Shape::Member { base, .. } = self.facts.shape(callee) {
                let name = self.name(ERROR);
                return self.member(base, name);
            }
        }
        call
    }

    /// The arguments of a call. The parameters of a closure have the types that the call expects.
    fn arguments(&mut self, node: Option<Node<'_>>, call: u32) -> Vec<u32> {
        let parts = node.map(children).unwrap_or_default();
        let parts = parts.into_iter().filter(|it| !it.kind().ends_with("_comment"));
        let each = parts.zip(0u32..).map(|(part, index)| {
            if part.kind() == "closure_expression" && call > PLAIN && self.deeper(part) {
                let expected = self.shape(Shape::Argument { call, index, expected: UNKNOWN });
                let shape = self.closure(part, expected);
                self.higher();
                return shape;
            }
            self.expression(part)
        });
        each.collect()
    }

    /// The type arguments of `f::<A, B>`.
    fn turbofish(&mut self, node: Node<'_>) -> Vec<u32> {
        let types = node.child_by_field_name("type_arguments").map(children).unwrap_or_default();
        let types = types.into_iter().filter(|it| it.kind() != "lifetime");
        types.map(|it| self.type_of(it)).collect()
    }

    /// Records the arguments of a call.
    fn give(&mut self, call: u32, given: &[u32], types: &[u32]) {
        let (arguments, types) = (self.list(given), self.list(types));
        let known = self.facts.shape(call);
        if let Some(slot) = self.facts.shapes.get_mut(call as usize) {
            *slot = match known {
                Shape::Call { callee, .. } => Shape::Call { callee, arguments, types },
                Shape::New { callee, .. } => Shape::New { callee, arguments, types },
                known => known,
            };
        }
    }

    fn generic_function(&mut self, node: Node<'_>) -> u32 {
        if let Some(types) = node.child_by_field_name("type_arguments") {
            self.type_of(types);
        }
        self.part(node, "function")
    }

    fn struct_value(&mut self, node: Node<'_>) -> u32 {
        let shape = node.child_by_field_name("name").map_or(UNKNOWN, |it| self.type_of(it));
        let fields = self.variant(shape);
        for part in node.child_by_field_name("body").map(children).unwrap_or_default() {
            match part.kind() {
                "field_initializer" => {
                    if let Some(field) = part.child_by_field_name("field") {
                        self.member_use(fields, field);
                    }
                    self.part(part, "value");
                }
                "shorthand_field_initializer" => {
                    for name in children(part).into_iter().filter(|it| it.kind() == "identifier") {
                        self.member_use(fields, name);
                        self.value(name);
                    }
                }
                _ => {
                    self.expression(part);
                }
            }
        }
        // A variant with fields is a value of its enum.
        match self.facts.shape(shape) {
            Shape::Member { .. } => self.called(shape, &[], true),
            _ => shape,
        }
    }

    fn macro_use(&mut self, node: Node<'_>) -> u32 {
        if let Some(name) = node.child_by_field_name("macro") {
            self.expression(name);
        }
        for tokens in children(node).into_iter().filter(|it| it.kind() == "token_tree") {
            self.tokens(tokens);
        }
        UNKNOWN
    }

    /// Adds the names among the tokens of a macro, with the path or the value before a dot or two
    /// colons.
    pub(super) fn tokens(&mut self, node: Node<'_>) {
        if !self.deeper(node) {
            return;
        }
        let mut cursor = node.walk();
        let all: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let (mut base, mut path, mut joint) = (UNKNOWN, String::new(), "");
        for (token, at) in all.iter().zip(0..) {
            let text = self.text_of(*token);
            let is_path = all.get(at + 1).is_some_and(|next| next.kind() == "::");
            match token.kind() {
                "::" | "." => {
                    joint = token.kind();
                    continue;
                }
                "self" | "crate" | "super" | "identifier" | "primitive_type" => {
                    base = self.token(*token, base, &path, joint, is_path);
                    if is_path {
                        let sep = if path.is_empty() { "" } else { "::" };
                        path = format!("{path}{sep}{text}");
                    } else {
                        path.clear();
                    }
                }
                "token_tree" => {
                    self.tokens(*token);
                    // The arguments of a call. The next token continues from its result.
                    base = self.called(base, &[], false);
                }
                _ => (base, path) = (UNKNOWN, String::new()),
            }
            joint = "";
        }
        self.higher();
    }

    fn token(&mut self, token: Node<'_>, base: u32, path: &str, joint: &str, is_path: bool) -> u32 {
        let text = self.text_of(token);
        match (token.kind(), joint) {
            ("self", _) if !is_path => self.this,
            ("identifier", ".") => self.member_use(base, token),
            ("identifier", "::") => {
                let last = path.rsplit("::").next().unwrap_or(path);
                if last.starts_with(char::is_uppercase) {
                    self.member_use(base, token)
                } else if is_path && !text.starts_with(char::is_uppercase) {
                    UNKNOWN
                } else {
                    self.inline_use(path, token, Usage::Value)
                }
            }
            ("identifier", _) if text == "Self" => self.this,
            ("identifier", _) if is_path && !text.starts_with(char::is_uppercase) => UNKNOWN,
            ("identifier", _) if text.starts_with(char::is_uppercase) => {
                self.named_type(text, token.start_byte(), List::default())
            }
            ("identifier", _) => self.value(token),
            _ => UNKNOWN,
        }
    }

    fn closure(&mut self, node: Node<'_>, expected: u32) -> u32 {
        let around = self.enter_scope();
        self.begin_function();
        let mut takes = Vec::new();
        let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
        for (parameter, index) in parameters.into_iter().zip(0u32..) {
            let written = parameter.child_by_field_name("type");
            let shape = match written {
                Some(written) => self.type_of(written),
                None if expected != UNKNOWN => {
                    self.shape(Shape::Parameter { function: expected, index })
                }
                None => UNKNOWN,
            };
            let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
            self.pattern(pattern, shape);
            takes.push(shape);
        }
        let written = node.child_by_field_name("return_type").map(|it| self.type_of(it));
        let gives = self.part(node, "body");
        self.returned(gives);
        let parameters = List::default();
        let shape = self.function(&Given { parameters, takes, written, is_async: false });
        self.leave(around);
        shape
    }

    /// `let pattern: T = value`.
    fn binding(&mut self, node: Node<'_>) -> u32 {
        let written = node.child_by_field_name("type").map(|it| self.type_of(it));
        let value = self.part(node, "value");
        // What follows sees the new names: `let x = &x;` names the old one. The block that this stands in ends both.
        self.scopes.open(false);
        if let Some(pattern) = node.child_by_field_name("pattern") {
            self.pattern(pattern, written.unwrap_or(value));
        }
        self.part(node, "alternative");
        UNKNOWN
    }

    /// Code with its own scope.
    fn scope(&mut self, node: Node<'_>) -> u32 {
        let around = self.enter_scope();
        if node.kind() == "for_expression" {
            let list = self.part(node, "value");
            let element = self.element(list);
            if let Some(pattern) = node.child_by_field_name("pattern") {
                self.pattern(pattern, element);
            }
            self.part(node, "body");
            self.leave(around);
            return UNKNOWN;
        }
        let parts = children(node);
        let shapes: Vec<u32> = parts.iter().map(|it| self.expression(*it)).collect();
        self.leave(around);
        // A block has the value of its last part, a choice that of one of its blocks.
        match (node.kind(), parts.last().zip(shapes.last())) {
            ("block", Some((last, shape))) if is_value(*last) => *shape,
            ("if_expression", _) => self.branches(&shapes, &parts),
            ("match_arm", Some((_, shape))) => *shape,
            _ => UNKNOWN,
        }
    }

    /// The value of one of several branches.
    fn branches(&mut self, shapes: &[u32], parts: &[Node<'_>]) -> u32 {
        let blocks = parts.iter().zip(shapes);
        let blocks = blocks.filter(|(part, _)| matches!(part.kind(), "block" | "else_clause"));
        let blocks: Vec<u32> = blocks.map(|(_, shape)| *shape).take(MOST_BRANCHES).collect();
        self.union(&blocks)
    }

    fn matched(&mut self, node: Node<'_>) -> u32 {
        let value = self.part(node, "value");
        let body = node.child_by_field_name("body").map(children).unwrap_or_default();
        let mut given = Vec::new();
        for arm in body.into_iter().filter(|it| it.kind() == "match_arm") {
            let around = self.enter_scope();
            if let Some(pattern) = arm.child_by_field_name("pattern") {
                let condition = pattern.child_by_field_name("condition");
                let own = children(pattern).into_iter().next();
                if let Some(own) = own {
                    self.pattern(own, value);
                }
                condition.map(|it| self.expression(it));
            }
            let shape = self.part(arm, "value");
            if given.len() < MOST_BRANCHES {
                given.push(shape);
            }
            self.leave(around);
        }
        self.union(&given)
    }
}

/// The most branches whose values are kept. More would not add information.
const MOST_BRANCHES: usize = 4;

/// The member of a result that is its error.
pub(super) const ERROR: &str = "Err";

/// Whether a part of a block is a value, and not a statement.
fn is_value(node: Node<'_>) -> bool {
    !node.kind().ends_with("_declaration")
        && !node.kind().ends_with("_item")
        && !matches!(node.kind(), "expression_statement" | "empty_statement")
}
