//! Walks expressions and the statements in bodies.

use portolan_types::declarations::{Shape, Usage};
use tree_sitter::Node;

use super::{PythonTreeReader, PythonWalkState, names};
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{Given, Walks, children};

impl<'t> Walks<'t> for PythonWalkState<'t> {
    fn expression(reader: &mut PythonTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.expression_within(node)
    }

    fn type_of(reader: &mut PythonTreeReader<'t>, node: Node<'_>) -> u32 {
        reader.type_within(node)
    }
}

impl<'t> PythonTreeReader<'t> {
    pub(super) fn block(&mut self, node: Node<'_>) {
        if self.deeper(node) {
            let mark = self.own.narrowed.len();
            for it in children(node) {
                self.statement(it);
            }
            self.widen(mark);
            self.higher();
        }
    }

    /// A block that may not run, or more than once.
    fn branch(&mut self, node: Node<'_>) {
        let around = node.parent().map_or("", |it| it.kind());
        if around == "with_statement" {
            self.block(node);
            return;
        }
        let is_loop = matches!(around, "for_statement" | "while_statement");
        let outer = self.scopes.open_branch(is_loop);
        self.block(node);
        self.scopes.close_branch(outer);
    }

    /// `name := value`
    fn named_expression(&mut self, node: Node<'_>) -> u32 {
        let shape = self.part(node, "value");
        let name = self.field_text(node, "name");
        self.forget(name);
        self.local(name, shape);
        shape
    }

    fn expression_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "identifier" => {
                let shape = self.member_around(node).unwrap_or_else(|| self.value(node));
                self.narrowed(node).unwrap_or(shape)
            }
            "dotted_name" => self.dotted_value(node),
            "attribute" => {
                let shape = self.attribute(node);
                self.narrowed(node).unwrap_or(shape)
            }
            "if_statement" => self.choice(node),
            "while_statement" => self.while_loop(node),
            "assert_statement" => self.assertion(node),
            "call" => self.call(node),
            "block" => {
                self.branch(node);
                UNKNOWN
            }
            "assignment" | "augmented_assignment" => self.assignment(node),
            "named_expression" => self.named_expression(node),
            "for_statement" | "for_in_clause" => self.for_each(node),
            "with_item" => self.with_item(node),
            "except_clause" => self.except(node),
            "lambda" => self.lambda(node),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => self.comprehension(node),
            "return_statement" => {
                let shapes = self.each(node);
                let shape = shapes.first().copied().unwrap_or(PLAIN);
                self.returned(shape);
                UNKNOWN
            }
            "await" => {
                let base = self.each(node).first().copied().unwrap_or(UNKNOWN);
                if base <= PLAIN { base } else { self.shape(Shape::Awaited { base }) }
            }
            "subscript" => self.subscript(node),
            "list" | "set" | "tuple" => self.listed(node),
            "dictionary" => {
                self.each(node);
                self.shape(Shape::Array { element: UNKNOWN })
            }
            "binary_operator" => self.binary(node),
            "conditional_expression" => self.conditional(node),
            "boolean_operator" => self.boolean(node),
            "parenthesized_expression" => self.each(node).first().copied().unwrap_or(UNKNOWN),
            // `TypeVar('T', bound='Node')`
            "keyword_argument" if self.field_text(node, "name") == "bound" => {
                node.child_by_field_name("value").map_or(UNKNOWN, |it| self.type_of(it))
            }
            "keyword_argument" => self.part(node, "value"),
            "class_pattern" => self.class_pattern(node),
            "yield" => self.yielded(node),
            "integer" | "float" | "true" | "false" => PLAIN,
            "string" | "concatenated_string" | "comparison_operator" | "not_operator" => {
                self.each(node);
                PLAIN
            }
            // A value that is `None` at first becomes something else later.
            "global_statement" => self.global_names(node),
            "none" | "nonlocal_statement" | "comment" => UNKNOWN,
            "function_definition"
            | "class_definition"
            | "decorated_definition"
            | "import_statement"
            | "import_from_statement"
            | "type_alias_statement" => {
                self.statement(node);
                UNKNOWN
            }
            _ => {
                self.each(node);
                UNKNOWN
            }
        }
    }

    fn listed(&mut self, node: Node<'_>) -> u32 {
        let elements = self.each(node);
        let some: Vec<u32> = elements.into_iter().take(4).collect();
        let element = self.union(&some);
        self.shape(Shape::Array { element })
    }

    fn global_names(&mut self, node: Node<'_>) -> u32 {
        for name in children(node) {
            let text = self.text_of(name);
            self.own.globals.push(text);
            self.value(name);
        }
        UNKNOWN
    }

    fn subscript(&mut self, node: Node<'_>) -> u32 {
        let base = self.part(node, "value");
        let value = node.child_by_field_name("value");
        let named = value.map_or("", |it| self.text_of(it));
        let last = named.rsplit('.').next().unwrap_or(named);
        for it in crate::syntax::grammar::fields(node, "subscript") {
            if it.kind() != "string" {
                self.expression(it);
            } else if names::takes_types(last) {
                // `Optional["Item"]`
                self.type_of(it);
            } else if let Some(value) = value {
                let of = self.named_by_text(value, base);
                if of > PLAIN {
                    self.quoted_member(of, it);
                }
            }
        }
        self.element(base)
    }

    /// Text that is joined or filled in is text.
    fn binary(&mut self, node: Node<'_>) -> u32 {
        let is_text = |it: Option<Node<'_>>| {
            it.is_some_and(|it| matches!(it.kind(), "string" | "concatenated_string"))
        };
        let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
        let operator = self.field_text(node, "operator");
        self.each(node);
        let is_filled = operator == "%" && is_text(left);
        let is_joined = operator == "+" && (is_text(left) || is_text(right));
        if is_filled || is_joined { PLAIN } else { UNKNOWN }
    }

    /// A generator is a list of what it yields; a fixture or a context manager gives it once.
    fn yielded(&mut self, node: Node<'_>) -> u32 {
        let value = self.each(node).first().copied().unwrap_or(PLAIN);
        let is_listed = !self.own.yields_once && value > PLAIN;
        let shape = if is_listed { self.shape(Shape::Array { element: value }) } else { value };
        self.returned(shape);
        UNKNOWN
    }

    fn comprehension(&mut self, node: Node<'_>) -> u32 {
        let around = self.enter_scope();
        let mark = self.narrow_by_clauses(node);
        let element = self.part(node, "body");
        self.widen(mark);
        for clause in children(node).into_iter().filter(|it| it.kind().ends_with("_clause")) {
            self.expression(clause);
        }
        self.leave(around);
        self.shape(Shape::Array { element })
    }

    fn attribute(&mut self, node: Node<'_>) -> u32 {
        let text = self.text_of(node);
        if self.own.dotted.contains(&text) {
            let binding = self.inline_import(text, None);
            return self.shape(Shape::Name { binding });
        }
        let base = self.part(node, "object");
        match node.child_by_field_name("attribute") {
            Some(attribute)
                if self.text_of(attribute) == "__class__"
                    && node.child_by_field_name("object").is_some_and(|it| self.is_self(it)) =>
            {
                self.own_class()
            }
            Some(attribute) if is_of_language(self.text_of(attribute)) => {
                self.member_use(base, attribute);
                PLAIN
            }
            Some(attribute) => self.member_use(base, attribute),
            None => UNKNOWN,
        }
    }

    fn call(&mut self, node: Node<'_>) -> u32 {
        let Some(function) = node.child_by_field_name("function") else { return UNKNOWN };
        let text = self.text_of(function);
        let arguments = node.child_by_field_name("arguments");
        if let Some(module) = self.imported_module(text, arguments) {
            return module;
        }
        if text == "super"
            && let Some(class) = self.own.classes.last()
        {
            let item = class.item;
            arguments.map(|it| self.each(it));
            return self.shape(Shape::Super { item });
        }
        let callee = self.expression(function);
        let of = arguments.map(children).unwrap_or_default();
        let last = text.rsplit('.').next().unwrap_or(text);
        if last == "cast"
            && let [written, value] = of[..]
        {
            let shape = self.type_of(written);
            self.expression(value);
            return shape;
        }
        let given = arguments.map(|it| self.each(it)).unwrap_or_default();
        self.quoted_arguments(text, &of, &given);
        if text == "type" && matches!(of[..], [only] if self.is_self(only)) {
            return self.own_class();
        }
        let name = text.rsplit('.').next().unwrap_or(text);
        // Classes are capitalized everywhere but in the standard library.
        let is_class = name.trim_start_matches('_').starts_with(char::is_uppercase);
        let made = match text {
            "cls" => self.this,
            _ if is_class => self.called(callee, &[], true),
            // `replace(item, size=1)` makes another item.
            "replace"
            | "dataclasses.replace"
            | "copy.replace"
            | "evolve"
            | "attr.evolve"
            | "attrs.evolve" => given.first().copied().unwrap_or(UNKNOWN),
            _ => match function.child_by_field_name("object") {
                Some(object) if matches!(name, "_replace") => self.again(object),
                _ => UNKNOWN,
            },
        };
        self.named_arguments(arguments, made);
        self.called(callee, &given, is_class)
    }

    /// Whether this is the name of the instance that a method is called on.
    fn is_self(&self, node: Node<'_>) -> bool {
        let receiver = self.own.classes.last().and_then(|class| class.receiver);
        receiver.is_some_and(|name| self.facts.name(name) == self.text_of(node))
    }

    /// The class around, as a value.
    fn own_class(&mut self) -> u32 {
        let item = self.own.classes.last().map(|class| class.item);
        item.map_or(UNKNOWN, |item| self.shape(Shape::Class { item }))
    }

    /// The arguments by name of a class: its fields, unless its constructor says otherwise.
    fn named_arguments(&mut self, arguments: Option<Node<'_>>, made: u32) {
        let all = arguments.filter(|_| made > PLAIN).map(children).unwrap_or_default();
        for argument in all.into_iter().filter(|it| it.kind() == "keyword_argument") {
            if let Some(name) = argument.child_by_field_name("name") {
                let text = self.text_of(name);
                let text = self.name(text);
                self.refer(text, name.start_byte() as u32, Usage::Given, made);
            }
        }
    }

    /// `importlib.import_module('a.b')`.
    fn imported_module(&mut self, called: &str, arguments: Option<Node<'_>>) -> Option<u32> {
        if !matches!(called, "importlib.import_module" | "import_module" | "__import__") {
            return None;
        }
        let first = children(arguments?).into_iter().next().filter(|it| it.kind() == "string")?;
        let module = self.text_of(first).trim_matches(['"', '\'']);
        let is_path = module.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '.'));
        if module.is_empty() || !is_path {
            return None;
        }
        let binding = self.inline_import(module, None);
        Some(self.shape(Shape::Name { binding }))
    }

    fn assignment(&mut self, node: Node<'_>) -> u32 {
        let written = node.child_by_field_name("type").map(|it| self.type_of(it));
        let value = self.part(node, "right");
        let is_open = written.is_none() && node.kind() == "assignment";
        let written = written.or_else(|| self.commented(node.end_byte()).filter(|_| is_open));
        let shape = written.unwrap_or(value);
        let Some(left) = node.child_by_field_name("left") else { return shape };
        if node.kind() == "augmented_assignment" {
            self.expression(left);
        } else {
            let statement = node.parent().filter(|it| it.kind() == "expression_statement");
            self.assigned(left, statement.unwrap_or(node), shape);
        }
        shape
    }

    fn for_each(&mut self, node: Node<'_>) -> u32 {
        let list = self.part(node, "right");
        if node.kind() == "for_statement" {
            self.enter_loop(node);
        }
        let written = node.child_by_field_name("right").filter(|_| node.kind() == "for_statement");
        let written = written.and_then(|it| self.commented(it.end_byte()));
        let element = written.unwrap_or_else(|| self.element(list));
        if let Some(left) = node.child_by_field_name("left") {
            self.assigned(left, node, element);
        }
        for field in ["body", "alternative"] {
            self.part(node, field);
        }
        UNKNOWN
    }

    /// Reads `with value as name`.
    fn with_item(&mut self, node: Node<'_>) -> u32 {
        let Some(value) = node.child_by_field_name("value") else { return UNKNOWN };
        if value.kind() != "as_pattern" {
            return self.expression(value);
        }
        let shape = children(value).first().map_or(UNKNOWN, |it| self.expression(*it));
        let shape =
            if shape <= PLAIN { shape } else { self.shape(Shape::Entered { value: shape }) };
        if let Some(alias) = value.child_by_field_name("alias") {
            self.opaque += 1;
            self.assigned_as(alias, shape);
            self.opaque -= 1;
        }
        shape
    }

    fn except(&mut self, node: Node<'_>) -> u32 {
        for value in crate::syntax::grammar::fields(node, "value") {
            let shape = if value.kind() == "as_pattern" {
                let parts = children(value);
                let shape = parts.first().map_or(UNKNOWN, |it| self.type_of(*it));
                if let Some(alias) = value.child_by_field_name("alias") {
                    self.opaque += 1;
                    self.assigned_as(alias, shape);
                    self.opaque -= 1;
                }
                shape
            } else {
                self.type_of(value)
            };
            if let Some(alias) = node.child_by_field_name("alias") {
                let name = self.text_of(alias);
                self.local(name, shape);
            }
        }
        for part in children(node).into_iter().filter(|it| it.kind() == "block") {
            self.branch(part);
        }
        UNKNOWN
    }

    fn assigned_as(&mut self, alias: Node<'_>, shape: u32) {
        let parts = children(alias);
        let target = parts.first().copied().unwrap_or(alias);
        if target.kind() == "identifier" {
            let name = self.text_of(target);
            self.local(name, shape);
        } else {
            self.assigned(target, alias, UNKNOWN);
        }
    }

    fn lambda(&mut self, node: Node<'_>) -> u32 {
        let around = self.enter_scope();
        self.begin_function();
        let takes = self.parameters(node, false, false);
        let gives = self.part(node, "body");
        self.returned(gives);
        let given = Given {
            parameters: portolan_types::declarations::List::default(),
            takes,
            written: None,
            is_async: false,
        };
        let shape = self.function(&given);
        self.leave(around);
        shape
    }

    /// Binds the parameters of a function. The first one of a method is the instance or the class.
    pub(super) fn parameters(
        &mut self,
        node: Node<'_>,
        is_bound: bool,
        is_of_class: bool,
    ) -> Vec<u32> {
        let Some(written) = node.child_by_field_name("parameters") else { return Vec::new() };
        let mut takes = Vec::new();
        let mut told = self.commented_parameters(node).into_iter();
        for (parameter, index) in children(written).into_iter().zip(0..) {
            self.own.is_default = is_bound || index > 0;
            let (name, shape) = self.parameter(parameter);
            self.own.is_default = false;
            let Some(name) = name else { continue };
            if index == 0 && is_bound {
                self.receiver(name, is_of_class);
                continue;
            }
            let shape = told.next().filter(|_| shape == UNKNOWN).unwrap_or(shape);
            let is_given = shape == UNKNOWN && self.own.is_test && parameter.kind() == "identifier";
            let shape = if is_given {
                let name = self.name(name);
                self.shape(Shape::Fixture { name })
            } else {
                shape
            };
            self.local(name, shape);
            takes.push(shape);
        }
        takes
    }

    fn receiver(&mut self, name: &str, is_of_class: bool) {
        let Some(item) = self.own.classes.last().map(|class| class.item) else { return };
        let shape = if is_of_class { self.shape(Shape::Class { item }) } else { self.this };
        self.local(name, shape);
        let name = self.name(name);
        if let Some(class) = self.own.classes.last_mut() {
            class.receiver = Some(name);
        }
    }

    fn parameter(&mut self, node: Node<'_>) -> (Option<&'t str>, u32) {
        let name = match node.kind() {
            "identifier" => Some(node),
            "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                children(node).into_iter().next()
            }
            _ => node.child_by_field_name("name"),
        };
        let mut written = node.child_by_field_name("type").map(|it| self.type_of(it));
        // All remaining arguments: those by place are a list, those by name a table.
        let splat = if node.kind() == "typed_parameter" { name } else { Some(node) };
        match splat.map_or("", |it| it.kind()) {
            "list_splat_pattern" => {
                let element = written.unwrap_or(UNKNOWN);
                written = Some(self.shape(Shape::Array { element }));
            }
            "dictionary_splat_pattern" => {
                let values = self.list(&[PLAIN, written.unwrap_or(UNKNOWN)]);
                let name = self.name("dict");
                written = Some(self.shape(Shape::FreeType { name, arguments: values }));
            }
            _ => {}
        }
        let value = self.part(node, "value");
        let is_name = |it: &Node<'_>| {
            matches!(it.kind(), "identifier" | "list_splat_pattern" | "dictionary_splat_pattern")
        };
        let name = name.filter(is_name).map(|it| self.text_of(it).trim_start_matches('*'));
        (name, written.unwrap_or(value))
    }
}

/// Whether every value has a member of this name from the language, which is text or a table of names.
fn is_of_language(name: &str) -> bool {
    matches!(name, "__dict__" | "__name__" | "__qualname__" | "__module__" | "__doc__" | "__file__")
}
