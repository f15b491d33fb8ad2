//! Reads the declarations of Rust with tree-sitter: items, fields, variants and `impl` blocks.
//!
//! An `impl` is an extension of its type, wherever that is. A path with a module is an import that
//! is written where it is used; the edges of the map lead to its target.

mod expressions;
mod patterns;
mod types;
mod uses;

#[cfg(test)]
mod tests;

use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations, Flags, List, NONE, Shape,
    Usage,
};
use tree_sitter::{Node, Point, Range};

use crate::Scratch;
use crate::syntax::declaring::UNKNOWN;
use crate::syntax::declaring::scope::Space;
use crate::syntax::grammar::{self, Given, Leading, child, children, span};

/// The declarations of a file.
pub(super) fn read(text: &str, scratch: &mut Scratch) -> Declarations {
    let language = tree_sitter_rust::LANGUAGE.into();
    let Some(tree) = grammar::parse(&language, text, scratch) else {
        return Declarations::default();
    };
    let mut reader = RustTreeReader::new(text);
    reader.file(tree.root_node());
    let mut left = MAX_WRAPPED;
    while let Some(part) = reader.own.wrapped.pop()
        && left > 0
    {
        left -= 1;
        if let Some(tree) = grammar::parse_parts(&language, text, &[part], scratch) {
            reader.file(tree.root_node());
        }
    }
    // An inline module finds the items of its parent without `use super::*`.
    let has_stars = {
        let facts = &reader.facts;
        facts.stars.iter().any(|star| facts.name(*star) != "super")
    };
    let mut facts = reader.walker.finish();
    if !has_stars {
        let is_prelude = |name: &str| PRELUDE.contains(&name) || PRELUDE_MACROS.contains(&name);
        let names: Vec<bool> = facts.names.iter().map(|name| is_prelude(name)).collect();
        let is_known = |name: u32| names.get(name as usize).copied().unwrap_or_default();
        facts.references.retain(|it| {
            let is_free = matches!(it.usage, Usage::Value | Usage::Type) && it.of == NONE;
            !(is_free && is_known(it.name))
        });
    }
    facts
}

/// The names of the prelude.
#[rustfmt::skip]
const PRELUDE: &[&str] = &[
    "Option", "Some", "None", "Result", "Ok", "Err", "Box", "Vec", "String", "ToString",
    "ToOwned", "Clone", "Copy", "Send", "Sync", "Sized", "Drop", "Fn", "FnMut", "FnOnce",
    "Iterator", "IntoIterator", "Extend", "Default", "PartialEq", "Eq", "PartialOrd",
    "Ord", "AsRef", "AsMut", "Into", "From", "TryFrom", "TryInto", "FromIterator",
    "DoubleEndedIterator", "ExactSizeIterator", "drop",
];

/// The macros and derives of the prelude.
#[rustfmt::skip]
const PRELUDE_MACROS: &[&str] = &[
    "Debug", "Hash", "vec", "format", "println", "eprintln", "print", "eprint", "panic",
    "assert", "assert_eq", "assert_ne", "write", "writeln", "matches", "todo",
    "unreachable", "unimplemented", "debug_assert", "debug_assert_eq", "concat", "env",
    "include_str", "cfg",
];

/// The largest number of macros per file that are searched for items.
const MAX_WRAPPED: usize = 400;

/// The words that start an item.
const STARTS: [&str; 17] = [
    "pub",
    "fn",
    "mod",
    "use",
    "struct",
    "enum",
    "impl",
    "trait",
    "#[",
    "///",
    "const",
    "static",
    "type",
    "unsafe",
    "async",
    "extern",
    "macro_rules",
];

type RustTreeReader<'t> = grammar::TreeReader<'t, RustWalkState>;

/// The state of the walk.
#[derive(Default)]
struct RustWalkState {
    /// The arguments of top-level macros that look like items, and the parts of unparsable code.
    wrapped: Vec<Range>,
}

impl RustTreeReader<'_> {
    /// The items of a file or a part of one.
    fn file(&mut self, root: Node<'_>) {
        if !(root.is_error() && self.splits(root)) {
            self.items(root);
        }
    }

    /// Splits unparsable code where items start at the margin, so that each is parsed alone later.
    /// Returns false if there is at most one.
    fn splits(&mut self, node: Node<'_>) -> bool {
        let text = self.text_of(node);
        let mut starts = vec![(node.start_byte(), node.start_position())];
        let (mut at, mut row) = (node.start_byte(), node.start_position().row);
        let mut leads = true;
        for line in text.split_inclusive('\n') {
            let is_start = STARTS.iter().any(|start| line.starts_with(start));
            if is_start && !leads {
                starts.push((at, Point { row, column: 0 }));
            }
            leads = line.starts_with("#[") || line.starts_with("///");
            (at, row) = (at + line.len(), row + 1);
        }
        let is_it = self.parent == NONE && starts.len() > 1;
        if is_it {
            let ends =
                starts.iter().skip(1).copied().chain([(node.end_byte(), node.end_position())]);
            let parts = starts.iter().zip(ends).map(|((start_byte, start_point), end)| Range {
                start_byte: *start_byte,
                end_byte: end.0,
                start_point: *start_point,
                end_point: end.1,
            });
            let parts: Vec<Range> = parts.collect();
            // The last one is popped first.
            self.own.wrapped.extend(parts.into_iter().rev());
        }
        is_it
    }

    /// The items of a file, a module, an `impl` or a trait. Returns their numbers.
    fn items(&mut self, node: Node<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.deeper(node) {
            return found;
        }
        let mut leading = Leading::default();
        for part in children(node) {
            match part.kind() {
                "line_comment" | "block_comment" => {
                    if part.child_by_field_name("outer").is_some() {
                        leading.comment(part);
                    }
                }
                "attribute_item" => {
                    self.attribute(part);
                    leading.attribute(part);
                }
                _ => {
                    found.extend(self.any_item(part, &mut leading, node.is_error()));
                    leading.clear();
                }
            }
        }
        self.higher();
        found
    }

    /// Reads an item, if the node is one. `is_in_error` is passed because looking up a node's
    /// parent is slow.
    fn any_item(
        &mut self,
        node: Node<'_>,
        leading: &mut Leading,
        is_in_error: bool,
    ) -> Option<u32> {
        let kind = match node.kind() {
            "use_declaration" | "extern_crate_declaration" => {
                self.use_declaration(node);
                return None;
            }
            "inner_attribute_item" | "empty_statement" | "shebang" => return None,
            // An error node contains what could be parsed.
            "ERROR" => {
                if !self.splits(node) {
                    self.items(node);
                }
                return None;
            }
            "foreign_mod_item" => {
                let body = node.child_by_field_name("body");
                body.map(|it| self.items(it));
                return None;
            }
            "function_item" | "function_signature_item" if self.is_in_type() => {
                DeclarationKind::Method
            }
            "function_item" | "function_signature_item" | "macro_definition" => {
                DeclarationKind::Function
            }
            "struct_item" | "union_item" => DeclarationKind::Class,
            "enum_item" => DeclarationKind::Enum,
            "trait_item" => DeclarationKind::Interface,
            "impl_item" => DeclarationKind::Extension,
            "type_item" | "associated_type" => DeclarationKind::Type,
            "const_item" | "static_item" if self.is_in_type() => DeclarationKind::Property,
            "const_item" | "static_item" => DeclarationKind::Variable,
            "mod_item" => DeclarationKind::Namespace,
            "macro_invocation" | "expression_statement" if self.wraps_items(node) => return None,
            // Fragments of unparsable code.
            _ if is_in_error => return None,
            _ => DeclarationKind::Statement,
        };
        let item = self.placed(kind, node, leading);
        match kind {
            DeclarationKind::Method | DeclarationKind::Function => self.callable(node, item),
            DeclarationKind::Class | DeclarationKind::Enum => self.fields_of(node, item),
            DeclarationKind::Interface | DeclarationKind::Extension => self.members_of(node, item),
            DeclarationKind::Namespace => self.module(node, item),
            DeclarationKind::Statement => {
                let around = self.enter(item);
                self.opaque += 1;
                self.expression(node);
                self.opaque -= 1;
                self.leave(around);
            }
            _ => self.valued(node, item),
        }
        Some(item)
    }

    /// Whether a top-level macro contains items, like a `cfg` macro. They are read later, as if the
    /// macro were not there.
    fn wraps_items(&mut self, node: Node<'_>) -> bool {
        let called = child(node, "macro_invocation").unwrap_or(node);
        let Some(tokens) = child(called, "token_tree") else { return false };
        let inner = self.text_of(tokens).strip_prefix('{').map(str::trim_start);
        let is_it = self.parent == NONE
            && inner.is_some_and(|text| STARTS.iter().any(|start| text.starts_with(start)));
        let mut cursor = tokens.walk();
        let ends: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
        if let (true, Some(first), Some(last)) = (is_it, ends.first(), ends.last()) {
            self.own.wrapped.push(Range {
                start_byte: first.end_byte(),
                end_byte: last.start_byte(),
                start_point: first.end_position(),
                end_point: last.start_position(),
            });
        }
        is_it
    }

    fn placed(&mut self, kind: DeclarationKind, node: Node<'_>, leading: &mut Leading) -> u32 {
        let is_member = self.is_in_type();
        let name = match kind {
            DeclarationKind::Extension => {
                let written = node.child_by_field_name("type");
                written.map_or("", |it| base_name(self.text_of(it)))
            }
            DeclarationKind::Statement => "",
            _ => self.field_text(node, "name"),
        };
        let item = if is_member {
            self.member_item(kind, name, node)
        } else {
            self.item(kind, name, node)
        };
        let (doc, first) = leading.take(node);
        let body = node.child_by_field_name("body").map(span).unwrap_or_default();
        self.edit(item, |it| {
            (it.doc, it.span.start) = (doc, first);
            it.at = node.start_byte() as u32;
            it.body = body;
        });
        let visibility = child(node, "visibility_modifier");
        self.open(item, visibility.is_some() || is_member);
        // `pub(crate)` and the like.
        if visibility.is_some_and(|it| it.named_child_count() > 0) {
            self.edit(item, |it| it.flags.0 |= Flags::INTERNAL);
        }
        let is_named =
            !matches!(kind, DeclarationKind::Extension | DeclarationKind::Statement) && !is_member;
        if is_named {
            self.bind_named(kind, item);
        }
        item
    }

    /// Binds the name of an item. A module is a type and no value: a function may have the same name.
    fn bind_named(&mut self, kind: DeclarationKind, item: u32) {
        let name = self.facts.item(item).map_or(NONE, |it| it.name);
        let known = self.scopes.own(name, Space::Both);
        let known = known.and_then(|it| self.facts.bindings.get(it as usize));
        let known = known.and_then(|it| self.facts.item(it.item)).map(|it| it.kind);
        match (kind, known) {
            (DeclarationKind::Namespace, None | Some(DeclarationKind::Namespace)) => {
                self.bind_declared_as(item, Space::Type);
            }
            (DeclarationKind::Namespace, Some(_)) => {
                self.bind_apart(item, Space::Type);
            }
            (_, Some(DeclarationKind::Namespace)) => {
                self.bind_apart(item, Space::Value);
            }
            _ => {
                self.bind_declared(item);
            }
        }
    }

    /// Whether the enclosing declaration is an `impl` or a trait.
    fn is_in_type(&self) -> bool {
        self.facts.item(self.parent).is_some_and(|it| {
            matches!(it.kind, DeclarationKind::Extension | DeclarationKind::Interface)
        })
    }

    fn callable(&mut self, node: Node<'_>, item: u32) {
        let around = self.enter(item);
        if node.kind() == "macro_definition" {
            self.leave(around);
            return;
        }
        self.begin_function();
        let parameters = self.generics(node);
        let takes = self.parameters(node.child_by_field_name("parameters"));
        let result = node.child_by_field_name("return_type");
        let written = Some(result.map_or(crate::syntax::declaring::PLAIN, |it| self.type_of(it)));
        if let Some(body) = node.child_by_field_name("body") {
            self.expression(body);
        }
        let modifiers = child(node, "function_modifiers");
        let is_async = modifiers.is_some_and(|it| self.text_of(it).contains("async"));
        let shape = self.function(&Given { parameters, takes, written, is_async });
        self.leave(around);
        self.edit(item, |it| it.shape = shape);
    }

    /// A struct with its fields, or an enum with its variants.
    fn fields_of(&mut self, node: Node<'_>, item: u32) {
        let around = self.enter(item);
        let this = self.shape(Shape::This { item });
        self.this = this;
        let parameters = self.generics(node);
        let (members, bases) = self.parts_of(node);
        self.edit(item, |it| {
            (it.parameters, it.members, it.bases) = (parameters, members, bases);
        });
        self.leave(around);
    }

    /// The fields or variants of a struct, an enum or a variant. Fields without names are a tuple that it builds on.
    fn parts_of(&mut self, node: Node<'_>) -> (List, List) {
        let (mut members, mut unnamed) = (Vec::new(), Vec::new());
        let mut leading = Leading::default();
        for part in node.child_by_field_name("body").map(children).unwrap_or_default() {
            match part.kind() {
                "line_comment" | "block_comment" => leading.comment(part),
                "attribute_item" => {
                    self.attribute(part);
                    leading.attribute(part);
                }
                "field_declaration" | "enum_variant" => {
                    members.push(self.field(part, &mut leading));
                }
                "visibility_modifier" => {}
                _ => unnamed.push(self.type_of(part)),
            }
        }
        let mut bases = Vec::new();
        if !unnamed.is_empty() {
            let parts = self.list(&unnamed);
            bases.push(self.shape(Shape::Tuple { parts }));
        }
        (self.list(&members), self.list(&bases))
    }

    fn field(&mut self, node: Node<'_>, leading: &mut Leading) -> u32 {
        let is_variant = node.kind() == "enum_variant";
        let kind = if is_variant { DeclarationKind::EnumMember } else { DeclarationKind::Property };
        let name = self.field_text(node, "name");
        let item = self.member_item(kind, name, node);
        let (doc, first) = leading.take(node);
        let is_open = is_variant || child(node, "visibility_modifier").is_some();
        self.open(item, is_open);
        let around = self.enter(item);
        let mut shape = node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
        if is_variant {
            shape = self.this;
            self.opaque += 1;
            let (members, bases) = self.parts_of(node);
            self.opaque -= 1;
            self.edit(item, |it| (it.members, it.bases) = (members, bases));
        }
        self.leave(around);
        self.edit(item, |it| (it.doc, it.span.start, it.shape) = (doc, first, shape));
        item
    }

    /// A trait or an `impl`.
    fn members_of(&mut self, node: Node<'_>, item: u32) {
        let around = self.enter(item);
        let parameters = self.generics(node);
        let mut bases = Vec::new();
        if node.kind() == "impl_item" {
            bases.extend(node.child_by_field_name("trait").map(|it| self.type_of(it)));
            let this = node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
            self.this = this;
        } else {
            let this = self.shape(Shape::This { item });
            self.this = this;
            let bounds = node.child_by_field_name("bounds").map(children).unwrap_or_default();
            bases.extend(bounds.into_iter().map(|it| self.type_of(it)));
        }
        let members = node.child_by_field_name("body").map(|it| self.items(it));
        let (members, bases) = (self.list(&members.unwrap_or_default()), self.list(&bases));
        self.edit(item, |it| {
            (it.members, it.bases, it.parameters) = (members, bases, parameters);
        });
        self.leave(around);
    }

    fn module(&mut self, node: Node<'_>, item: u32) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let around = self.enter(item);
        let members = self.items(body);
        let members = self.list(&members);
        self.edit(item, |it| it.members = members);
        self.leave(around);
    }

    /// A constant, a static or a type.
    fn valued(&mut self, node: Node<'_>, item: u32) {
        let around = self.enter(item);
        let parameters = self.generics(node);
        let shape = node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
        for bound in node.child_by_field_name("bounds").map(children).unwrap_or_default() {
            self.type_of(bound);
        }
        if let Some(value) = node.child_by_field_name("value") {
            self.opaque += 1;
            self.expression(value);
            self.opaque -= 1;
        }
        self.leave(around);
        self.edit(item, |it| (it.shape, it.parameters) = (shape, parameters));
    }

    /// Adds the names in an attribute: the path of a macro, derives, and arguments.
    fn attribute(&mut self, node: Node<'_>) {
        for attribute in children(node).into_iter().filter(|it| it.kind() == "attribute") {
            if let Some(path) = child(attribute, "scoped_identifier") {
                self.path(path, Usage::Value);
            }
            if let Some(arguments) = attribute.child_by_field_name("arguments") {
                self.tokens(arguments);
                self.quoted_paths(arguments);
            }
        }
    }

    /// The paths that an attribute quotes: `#[serde(with = "module", default = "path::function")]`.
    fn quoted_paths(&mut self, arguments: Node<'_>) {
        let mut cursor = arguments.walk();
        let tokens: Vec<Node<'_>> = arguments.children(&mut cursor).collect();
        for three in tokens.windows(3) {
            let [key, sign, value] = three else { continue };
            if self.text_of(*sign) != "=" || value.kind() != "string_literal" {
                continue;
            }
            let Some(content) = child(*value, "string_content") else { continue };
            let (key, path) = (self.text_of(*key), self.text_of(content));
            let is_path = path.split("::").all(|part| {
                !part.is_empty() && part.chars().all(|it| it.is_alphanumeric() || it == '_')
            });
            if !is_path {
                continue;
            }
            let at = content.start_byte() as u32;
            match key {
                "with" => {
                    for name in ["serialize", "deserialize"] {
                        self.quoted_value(path, name, at);
                    }
                }
                "default"
                | "serialize_with"
                | "deserialize_with"
                | "skip_serializing_if"
                | "getter"
                | "value_parser"
                | "default_value_t" => {
                    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
                    let at = at + (path.len() - name.len()) as u32;
                    self.quoted_value(module, name, at);
                }
                "from" | "into" | "try_from" | "remote" => {
                    let name = path.rsplit("::").next().unwrap_or(path);
                    let at = content.start_byte() + path.len() - name.len();
                    self.named_type(name, at, List::default());
                }
                _ => {}
            }
        }
    }

    /// A value of a module, or of a type, that is named by a text.
    fn quoted_value(&mut self, module: &str, name: &str, at: u32) {
        let last = module.rsplit("::").next().unwrap_or(module);
        if module.is_empty() {
            self.value_name(name, at);
            return;
        }
        let text = self.name(name);
        if last.starts_with(char::is_uppercase) {
            let of = self.name(last);
            let base = self.shape(Shape::FreeType { name: of, arguments: List::default() });
            self.scopes.ask(of, Space::Type, base, NONE);
            self.refer(text, at, Usage::Member, base);
        } else {
            let binding = self.inline_import(module, Some(name));
            self.refer(text, at, Usage::Value, binding);
        }
    }

    fn generics(&mut self, node: Node<'_>) -> List {
        let written = node.child_by_field_name("type_parameters");
        let mut bound = Vec::new();
        for parameter in written.map(children).unwrap_or_default() {
            match parameter.kind() {
                "type_parameter" => {
                    let name = self.field_text(parameter, "name");
                    let binding = self.type_parameter(name, UNKNOWN);
                    let constraint = self.bounds(parameter);
                    if let Some(known) = self.facts.bindings.get_mut(binding as usize) {
                        known.shape = constraint;
                    }
                    bound.push(binding);
                }
                "const_parameter" => {
                    let name = self.field_text(parameter, "name");
                    self.local(name, crate::syntax::declaring::PLAIN);
                }
                _ => {}
            }
        }
        if let Some(conditions) = child(node, "where_clause") {
            for predicate in children(conditions) {
                let left = predicate.child_by_field_name("left");
                if let Some(left) = left {
                    self.type_of(left);
                }
                let constraint = self.bounds(predicate);
                let text = left.map_or("", |left| self.text_of(left));
                let named = self.name(text);
                let own = bound.iter().find(|binding| {
                    let known = self.facts.bindings.get(**binding as usize);
                    known.is_some_and(|it| it.name == named)
                });
                if let Some(own) = own.copied() {
                    let before =
                        self.facts.bindings.get(own as usize).map_or(UNKNOWN, |it| it.shape);
                    let constraint = self.union(&[before, constraint]);
                    if let Some(known) = self.facts.bindings.get_mut(own as usize) {
                        known.shape = constraint;
                    }
                }
            }
        }
        self.list(&bound)
    }

    fn bounds(&mut self, node: Node<'_>) -> u32 {
        let bounds = node.child_by_field_name("bounds").map(children).unwrap_or_default();
        let bounds: Vec<u32> = bounds.into_iter().map(|it| self.type_of(it)).collect();
        self.union(&bounds)
    }
}

/// The name of an `impl`: the last segment of its type, without references and arguments.
fn base_name(text: &str) -> &str {
    let text = text.trim_start_matches(['&', '*', ' ']);
    let text = match text.strip_prefix('\'').and_then(|rest| rest.split_once(' ')) {
        Some((_lifetime, rest)) => rest.trim_start(),
        None => text,
    };
    let text = text.strip_prefix("mut ").unwrap_or(text);
    let text = text.strip_prefix("dyn ").unwrap_or(text);
    let text = text.split(['<', ' ']).next().unwrap_or(text);
    text.rsplit("::").next().unwrap_or(text)
}

/// The built-in names of Rust.
pub(super) struct RustBuiltins;

impl Builtins for RustBuiltins {
    fn names_by_text(&self) -> bool {
        true
    }

    fn named(&self, name: &str) -> Builtin {
        match name {
            "Vec"
            | "VecDeque"
            | "HashSet"
            | "BTreeSet"
            | "BinaryHeap"
            | "FxHashSet"
            | "SmallVec"
            | "Iterator"
            | "IntoIterator"
            | "DoubleEndedIterator"
            | "ExactSizeIterator"
            | "Peekable" => Builtin::List,
            "HashMap" | "BTreeMap" | "FxHashMap" | "IndexMap" => Builtin::Table,
            // `Option` and `Result` are transparent: their content is used as if they were not
            // there.
            "Result" => Builtin::Either(expressions::ERROR),
            "Box" | "Rc" | "Arc" | "Option" | "Cow" | "Ref" | "RefMut" | "Pin" | "MutexGuard"
            | "Weak" | "ManuallyDrop" | "Mutex" | "RwLock" | "RefCell" | "Cell" | "OnceCell"
            | "OnceLock" | "LazyLock" | "LazyCell" | "RwLockReadGuard" | "RwLockWriteGuard" => {
                Builtin::Same(0)
            }
            _ => Builtin::Unknown,
        }
    }

    fn method(&self, name: &str) -> (BuiltinMethod, u32) {
        match name {
            "iter" | "iter_mut" | "into_iter" | "filter" | "rev" | "skip" | "take" | "chain"
            | "cloned" | "copied" | "values" | "collect" | "by_ref" | "peekable" | "drain"
            | "try_iter" => (BuiltinMethod::Same, 0),
            "push" | "push_back" | "push_front" | "insert" | "extend" | "contains" => {
                (BuiltinMethod::Takes, 0)
            }
            "first" | "last" | "get" | "get_mut" | "pop" | "next" | "find" | "remove"
            | "min_by_key" | "max_by_key" | "nth" | "recv" | "try_recv" => {
                (BuiltinMethod::Element, 0)
            }
            "map" | "flat_map" | "filter_map" => (BuiltinMethod::Mapped, 0),
            "for_each"
            | "any"
            | "all"
            | "position"
            | "enumerate"
            | "retain"
            | "sort_by"
            | "sort_by_key"
            | "sort_unstable_by"
            | "sort_unstable_by_key"
            | "partition"
            | "take_while"
            | "skip_while"
            | "inspect"
            | "find_map"
            | "max_by"
            | "min_by" => (BuiltinMethod::Pairs, 0),
            "fold" | "try_fold" => (BuiltinMethod::Returned, 1),
            _ => (BuiltinMethod::Unknown, 0),
        }
    }

    fn called(&self, name: &str) -> Builtin {
        match name {
            "channel" | "sync_channel" | "bounded" | "unbounded" => Builtin::Ends,
            _ => Builtin::Unknown,
        }
    }

    fn passes(&self, name: &str) -> bool {
        matches!(
            name,
            "unwrap"
                | "expect"
                | "unwrap_or_default"
                | "clone"
                | "as_ref"
                | "as_mut"
                | "borrow"
                | "borrow_mut"
                | "unwrap_or"
                | "unwrap_or_else"
                | "lock"
                | "read"
                | "write"
                | "to_owned"
                | "ok"
                | "ok_or_else"
                | "ok_or"
                | "map_err"
                | "take"
                | "as_deref"
                | "as_deref_mut"
                | "into_inner"
                | "get_mut"
                | "get_or_insert_with"
                | "or_else"
                | "or"
                | "filter"
                | "inspect"
                | "inspect_err"
                | "with_context"
                | "context"
                | "into"
                | "deref"
                | "cloned"
                | "copied"
                | "replace"
                | "swap"
                | "upgrade"
        )
    }

    fn applies(&self, name: &str) -> bool {
        matches!(
            name,
            "map"
                | "and_then"
                | "filter"
                | "is_some_and"
                | "is_none_or"
                | "is_ok_and"
                | "map_or"
                | "map_or_else"
                | "inspect"
                | "then"
        )
    }

    fn makes(&self, name: &str) -> bool {
        matches!(name, "default" | "from" | "from_iter" | "from_str" | "try_from")
    }

    fn leads_outside(&self, specifier: &str, _is_alike: bool) -> bool {
        let first = specifier.split("::").find(|it| !it.is_empty()).unwrap_or_default();
        matches!(first, "std" | "core" | "alloc" | "proc_macro")
    }

    fn names_bare_members(&self) -> bool {
        false
    }

    fn stays_inside(&self, specifier: &str) -> bool {
        let first = specifier.split("::").next().unwrap_or(specifier);
        matches!(first, "crate" | "self" | "super")
    }

    fn is_prelude(&self, name: &str) -> bool {
        PRELUDE.contains(&name)
    }

    fn calls_methods_only(&self) -> bool {
        true
    }

    fn names_modules_apart(&self) -> bool {
        true
    }

    fn gives_plain(&self, name: &str) -> bool {
        matches!(
            name,
            "as_os_str"
                | "to_os_string"
                | "into_os_string"
                | "to_string_lossy"
                | "to_str"
                | "as_str"
                | "to_string"
                | "into_string"
                | "as_bytes"
                | "to_path_buf"
                | "into_path_buf"
                | "as_path"
                | "display"
                | "trim"
                | "trim_start"
                | "trim_end"
                | "to_lowercase"
                | "to_uppercase"
                | "to_ascii_lowercase"
                | "to_ascii_uppercase"
                | "chars"
                | "char_indices"
                | "to_le_bytes"
                | "to_be_bytes"
        )
    }

    fn is_own_mark(&self, name: &str) -> bool {
        matches!(
            name,
            "inline"
                | "must_use"
                | "allow"
                | "deny"
                | "warn"
                | "forbid"
                | "expect"
                | "doc"
                | "derive"
                | "cfg"
                | "cfg_attr"
                | "deprecated"
                | "cold"
                | "track_caller"
                | "non_exhaustive"
                | "repr"
                | "default"
                | "rustfmt::skip"
        ) || name.starts_with("clippy")
    }

    fn target_type(&self) -> Option<&'static str> {
        Some("Target")
    }

    fn item_type(&self) -> Option<&'static str> {
        Some("Item")
    }

    fn is_generic(&self) -> bool {
        true
    }

    fn module<'p>(&self, path: &'p str) -> Option<&'p str> {
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let roots = ["/mod", "/src/lib", "/lib", "/src/main", "/main"];
        let root = roots.into_iter().find_map(|root| stem.strip_suffix(root));
        Some(root.unwrap_or(stem))
    }
}
