//! Reads types and paths.

use portolan_types::declarations::{List, Shape, Usage};
use tree_sitter::Node;

use super::RustTreeReader;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{Given, children};

impl RustTreeReader<'_> {
    pub(super) fn type_within(&mut self, node: Node<'_>) -> u32 {
        match node.kind() {
            "type_identifier" | "identifier" => {
                let name = self.text_of(node);
                match name {
                    "Self" => self.this,
                    "String" | "str" => PLAIN,
                    name => self.named_type(name, node.start_byte(), List::default()),
                }
            }
            "primitive_type" | "unit_type" | "never_type" => PLAIN,
            "scoped_type_identifier" | "scoped_identifier" => self.path(node, Usage::Type),
            "generic_type" | "generic_type_with_turbofish" => self.generic(node),
            "array_type" => {
                if let Some(length) = node.child_by_field_name("length") {
                    self.expression(length);
                }
                let element =
                    node.child_by_field_name("element").map_or(UNKNOWN, |it| self.type_of(it));
                self.shape(Shape::Array { element })
            }
            "tuple_type" => {
                let parts: Vec<u32> =
                    children(node).into_iter().map(|it| self.type_of(it)).collect();
                let parts = self.list(&parts);
                self.shape(Shape::Tuple { parts })
            }
            "function_type" => {
                let around = self.enter_scope();
                self.begin_function();
                if let Some(named) = node.child_by_field_name("trait") {
                    self.type_of(named);
                }
                let takes = self.parameters(node.child_by_field_name("parameters"));
                let result = node.child_by_field_name("return_type");
                let written = Some(result.map_or(PLAIN, |it| self.type_of(it)));
                let parameters = List::default();
                let shape = self.function(&Given { parameters, takes, written, is_async: false });
                self.leave(around);
                shape
            }
            "lifetime" | "mutable_specifier" | "line_comment" | "block_comment" | "use_bounds" => {
                UNKNOWN
            }
            "type_binding" => {
                // `Iterator<Item = T>` is taken as `Iterator<T>`.
                node.child_by_field_name("type").map_or(UNKNOWN, |bound| self.type_of(bound))
            }
            "block" | "integer_literal" | "string_literal" | "char_literal" => {
                self.expression(node);
                PLAIN
            }
            // References, pointers, `dyn`, `impl` and bounds: the type they refer to.
            _ => {
                let parts: Vec<u32> =
                    children(node).into_iter().map(|it| self.type_of(it)).collect();
                self.union(&parts)
            }
        }
    }

    fn generic(&mut self, node: Node<'_>) -> u32 {
        let written = node.child_by_field_name("type_arguments");
        let parts = written.map(children).unwrap_or_default();
        let parts: Vec<u32> = parts
            .into_iter()
            .filter(|it| it.kind() != "lifetime")
            .map(|it| self.type_of(it))
            .collect();
        let arguments = self.list(&parts);
        let Some(named) = node.child_by_field_name("type") else { return UNKNOWN };
        if matches!(named.kind(), "type_identifier" | "identifier") {
            let name = self.text_of(named);
            if name == "Self" {
                return self.this;
            }
            return self.named_type(name, named.start_byte(), arguments);
        }
        let shape = self.type_of(named);
        match self.facts.shape(shape) {
            Shape::Type { binding, .. } => self.shape(Shape::Type { binding, arguments }),
            _ => shape,
        }
    }

    /// Reads `a::b::Name`: a member of a type, or a name of a module.
    pub(super) fn path(&mut self, node: Node<'_>, usage: Usage) -> u32 {
        let Some(name) = node.child_by_field_name("name") else { return UNKNOWN };
        let Some(path) = node.child_by_field_name("path") else {
            return self.inline_use("", name, usage);
        };
        let text = self.text_of(path);
        let last = text.split('<').next().unwrap_or(text);
        // `Arc::<T>::new`
        let last = last.trim_end_matches("::");
        let last = last.rsplit("::").next().unwrap_or(last);
        let is_type = last.starts_with(char::is_uppercase) || text.starts_with('<');
        if is_type {
            let base = self.type_of(path);
            return self.member_use(base, name);
        }
        let text: String = text.split_whitespace().collect();
        let text = self.imported_path(text);
        self.inline_use(&text, name, usage)
    }

    /// A path that begins with an imported module, as it would be without the import: `io::Error` is `std::io::Error`.
    fn imported_path(&mut self, text: String) -> String {
        let (first, rest) = text.split_once("::").unwrap_or((&text, ""));
        let first = self.name(first);
        let binding = self.scopes.lookup(first);
        let binding = binding.and_then(|it| self.facts.bindings.get(it as usize));
        let import = binding.and_then(|it| self.facts.imports.get(it.import as usize));
        let Some(import) = import else { return text };
        let (specifier, name) = (self.facts.name(import.specifier), self.facts.name(import.name));
        if specifier.is_empty() || name.is_empty() {
            return text;
        }
        let sep = if rest.is_empty() { "" } else { "::" };
        format!("{specifier}::{name}{sep}{rest}")
    }

    /// Binds the parameters of a function. Returns their types, without the receiver.
    pub(super) fn parameters(&mut self, node: Option<Node<'_>>) -> Vec<u32> {
        let mut takes = Vec::new();
        for parameter in node.map(children).unwrap_or_default() {
            match parameter.kind() {
                "parameter" => {
                    let written = parameter.child_by_field_name("type");
                    let shape = written.map_or(UNKNOWN, |it| self.type_of(it));
                    if let Some(pattern) = parameter.child_by_field_name("pattern") {
                        self.pattern(pattern, shape);
                    }
                    takes.push(shape);
                }
                "self_parameter" | "attribute_item" | "variadic_parameter" | "line_comment"
                | "block_comment" => {}
                _ => takes.push(self.type_of(parameter)),
            }
        }
        takes
    }
}
