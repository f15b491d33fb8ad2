//! Reads the declarations of Java with tree-sitter: types with their members.
//!
//! A bare name may be a local, a member of an enclosing type or of its supertypes, or a type. The
//! scopes decide the first, the enclosing types the rest.

mod expressions;
mod types;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations, Flags, List, Shape,
};
use tree_sitter::Node;

use crate::Scratch;
use crate::syntax::declaring::UNKNOWN;
use crate::syntax::grammar::{self, Given, Leading, child, children, fields, span};

/// The declarations of a file.
pub(super) fn read(text: &str, scratch: &mut Scratch) -> Declarations {
    let language = tree_sitter_java::LANGUAGE.into();
    let Some(tree) = grammar::parse(&language, text, scratch) else {
        return Declarations::default();
    };
    let mut reader = JavaTreeReader::new(text);
    reader.file(tree.root_node());
    reader.walker.finish()
}

type JavaTreeReader<'t> = grammar::TreeReader<'t, JavaWalkState<'t>>;

/// The state of the walk.
#[derive(Default)]
struct JavaWalkState<'t> {
    /// The enclosing types, innermost last.
    types: Vec<EnclosingType<'t>>,
    /// The owner types of members that are imported by name.
    statics: BTreeMap<&'t str, u32>,
    /// The owner types of nested types that are imported by name.
    nested: BTreeMap<&'t str, u32>,
    /// The value of the innermost `switch`.
    switched: u32,
}

/// A type that is being walked.
struct EnclosingType<'t> {
    this: u32,
    fields: BTreeSet<&'t str>,
    methods: BTreeSet<&'t str>,
    /// Whether its members are public by default, as in an interface.
    is_open: bool,
}

impl JavaTreeReader<'_> {
    fn file(&mut self, root: Node<'_>) {
        let mut leading = Leading::default();
        for node in children(root) {
            match node.kind() {
                "block_comment" => self.comment(node, &mut leading),
                "line_comment" | "package_declaration" => {}
                "import_declaration" => self.import_declaration(node),
                kind if is_type(kind) => {
                    self.type_item(node, &mut leading);
                }
                // An error node contains what could be parsed.
                "ERROR" if self.deeper(node) => {
                    self.file(node);
                    self.higher();
                }
                _ => {
                    let item = self.item(DeclarationKind::Statement, "", node);
                    let around = self.enter(item);
                    self.opaque += 1;
                    self.expression(node);
                    self.opaque -= 1;
                    self.leave(around);
                }
            }
        }
    }

    fn comment(&mut self, node: Node<'_>, leading: &mut Leading) {
        if self.text_of(node).starts_with("/**") {
            leading.clear();
            leading.comment(node);
        }
    }

    fn import_declaration(&mut self, node: Node<'_>) {
        let Some(named) = children(node).into_iter().find(|it| it.kind() != "asterisk") else {
            return;
        };
        let path = self.text_of(named);
        let is_static = child(node, "static").is_some();
        if child(node, "asterisk").is_some() {
            let path = self.name(path);
            self.facts.stars.push(path);
            return;
        }
        let (owner, name) = path.rsplit_once('.').unwrap_or(("", path));
        // By convention, types are capitalized and packages are not.
        let (package, outer) = owner.rsplit_once('.').unwrap_or(("", owner));
        if !outer.starts_with(char::is_uppercase) {
            self.import(name, owner, Some(name));
            return;
        }
        let binding = self.inline_import(package, Some(outer));
        let arguments = List::default();
        let base = self.shape(Shape::Type { binding, arguments });
        self.own.statics.insert(name, base);
        if !is_static {
            // A nested type under its own name.
            self.own.nested.insert(name, base);
            let name_number = self.name(name);
            let shape = self.shape(Shape::Qualified { base, name: name_number, arguments });
            self.local(name, shape);
        }
    }

    fn type_item(&mut self, node: Node<'_>, leading: &mut Leading) -> u32 {
        let kind = match node.kind() {
            "interface_declaration" | "annotation_type_declaration" => DeclarationKind::Interface,
            "enum_declaration" => DeclarationKind::Enum,
            _ => DeclarationKind::Class,
        };
        let item = self.placed(kind, node, leading);
        self.bind_declared(item);
        let around = self.enter(item);
        let this = self.shape(Shape::This { item });
        self.this = this;
        let parameters = self.generics(node);
        let bases = self.bases(node);
        let bases = self.list(&bases);
        self.edit(item, |it| (it.parameters, it.bases) = (parameters, bases));
        // The types within are not known to the head: `class A implements Builder { class Builder {} }`.
        let head = self.enter_scope();
        let body = node.child_by_field_name("body");
        self.open_type(body, kind == DeclarationKind::Interface);
        let mut members = self.record_parameters(node);
        members.extend(body.map(|it| self.members(it)).unwrap_or_default());
        self.own.types.pop();
        let members = self.list(&members);
        self.edit(item, |it| it.members = members);
        self.leave(head);
        self.leave(around);
        item
    }

    /// Records the members of a type before it is walked.
    fn open_type(&mut self, body: Option<Node<'_>>, is_open: bool) {
        let (mut own_fields, mut methods) = (BTreeSet::new(), BTreeSet::new());
        let parts = body.map(children).unwrap_or_default().into_iter();
        let parts = parts.flat_map(|it| match it.kind() {
            "enum_body_declarations" => children(it),
            _ => vec![it],
        });
        for part in parts {
            match part.kind() {
                "method_declaration" | "annotation_type_element_declaration" => {
                    methods.insert(self.field_text(part, "name"));
                }
                "enum_constant" => {
                    own_fields.insert(self.field_text(part, "name"));
                }
                "field_declaration" | "constant_declaration" => {
                    for declarator in fields(part, "declarator") {
                        own_fields.insert(self.field_text(declarator, "name"));
                    }
                }
                _ => {}
            }
        }
        let this = self.this;
        self.own.types.push(EnclosingType { this, fields: own_fields, methods, is_open });
    }

    /// The members of a type, in text order.
    pub(super) fn members(&mut self, body: Node<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.deeper(body) {
            return found;
        }
        let mut leading = Leading::default();
        for part in children(body) {
            match part.kind() {
                "block_comment" => self.comment(part, &mut leading),
                "line_comment" => {}
                "enum_body_declarations" => found.extend(self.members(part)),
                "field_declaration" | "constant_declaration" => {
                    found.extend(self.field(part, &mut leading));
                }
                "method_declaration"
                | "constructor_declaration"
                | "compact_constructor_declaration"
                | "annotation_type_element_declaration" => {
                    found.push(self.method(part, &mut leading));
                }
                "enum_constant" => found.push(self.constant(part, &mut leading)),
                kind if is_type(kind) => {
                    let item = self.type_item(part, &mut leading);
                    self.edit(item, |it| it.flags.0 |= Flags::MEMBER);
                    found.push(item);
                }
                _ => {
                    self.opaque += 1;
                    self.expression(part);
                    self.opaque -= 1;
                    leading.clear();
                }
            }
        }
        self.higher();
        found
    }

    fn placed(&mut self, kind: DeclarationKind, node: Node<'_>, leading: &mut Leading) -> u32 {
        let name = self.field_text(node, "name");
        let item = self.item(kind, name, node);
        let (doc, _) = leading.take(node);
        let body = node.child_by_field_name("body").map(span).unwrap_or_default();
        let at = node.child_by_field_name("name").unwrap_or(node).start_byte() as u32;
        self.edit(item, |it| (it.doc, it.body, it.at) = (doc, body, at));
        let modifiers = child(node, "modifiers").map_or("", |it| self.text_of(it));
        let mut words = modifiers.split_whitespace();
        let is_open = words.any(|word| matches!(word, "public" | "protected"))
            || self.own.types.last().is_some_and(|around| around.is_open);
        self.open(item, is_open);
        self.annotations(node);
        item
    }

    fn method(&mut self, node: Node<'_>, leading: &mut Leading) -> u32 {
        let is_made = node.kind().ends_with("constructor_declaration");
        let kind = if is_made { DeclarationKind::Constructor } else { DeclarationKind::Method };
        let item = self.placed(kind, node, leading);
        self.edit(item, |it| it.flags.0 |= Flags::MEMBER);
        let around = self.enter(item);
        self.begin_function();
        let parameters = self.generics(node);
        let takes = self.parameters(node.child_by_field_name("parameters"));
        let written = match node.child_by_field_name("type") {
            Some(written) => Some(self.type_of(written)),
            None => Some(self.this),
        };
        if let Some(thrown) = child(node, "throws") {
            for it in children(thrown) {
                self.type_of(it);
            }
        }
        for field in ["body", "value"] {
            node.child_by_field_name(field).map(|it| self.expression(it));
        }
        let shape = self.function(&Given { parameters, takes, written, is_async: false });
        self.leave(around);
        self.edit(item, |it| it.shape = shape);
        item
    }

    /// The fields of one statement.
    fn field(&mut self, node: Node<'_>, leading: &mut Leading) -> Vec<u32> {
        let mut found = Vec::new();
        let (doc, _) = leading.take(node);
        let shape = node.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
        self.annotations(node);
        let modifiers = child(node, "modifiers").map_or("", |it| self.text_of(it));
        let is_open = modifiers.contains("public")
            || modifiers.contains("protected")
            || self.own.types.last().is_some_and(|around| around.is_open);
        for declarator in fields(node, "declarator") {
            let name = self.field_text(declarator, "name");
            let item = self.member_item(DeclarationKind::Property, name, node);
            let at = declarator.start_byte() as u32;
            self.edit(item, |it| (it.doc, it.at, it.shape) = (doc, at, shape));
            self.open(item, is_open);
            if let Some(value) = declarator.child_by_field_name("value") {
                let around = self.enter(item);
                self.opaque += 1;
                self.expression(value);
                self.opaque -= 1;
                self.leave(around);
            }
            found.push(item);
        }
        found
    }

    fn constant(&mut self, node: Node<'_>, leading: &mut Leading) -> u32 {
        let item = self.placed(DeclarationKind::EnumMember, node, leading);
        let this = self.this;
        self.edit(item, |it| {
            it.flags.0 |= Flags::MEMBER;
            it.shape = this;
        });
        let around = self.enter(item);
        self.opaque += 1;
        if let Some(arguments) = node.child_by_field_name("arguments") {
            self.expression(arguments);
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.members(body);
        }
        self.opaque -= 1;
        self.leave(around);
        item
    }

    /// The components of a record are its fields.
    fn record_parameters(&mut self, node: Node<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        let written = node.child_by_field_name("parameters");
        for parameter in written.map(children).unwrap_or_default() {
            self.annotations(parameter);
            let name = self.field_text(parameter, "name");
            let shape =
                parameter.child_by_field_name("type").map_or(UNKNOWN, |it| self.type_of(it));
            let item = self.member_item(DeclarationKind::Property, name, parameter);
            self.edit(item, |it| it.shape = shape);
            self.open(item, true);
            found.push(item);
            let name = self.field_text(parameter, "name");
            if let Some(around) = self.own.types.last_mut() {
                around.fields.insert(name);
                around.methods.insert(name);
            }
        }
        found
    }

    /// Adds the names in the annotations of a declaration.
    pub(super) fn annotations(&mut self, node: Node<'_>) {
        let own = children(node).into_iter();
        let modifiers = own.filter(|it| it.kind() == "modifiers").flat_map(children);
        for annotation in modifiers.filter(|it| it.kind().ends_with("annotation")) {
            self.annotation(annotation);
        }
    }
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

/// The built-in names of Java.
pub(super) struct JavaBuiltins;

impl Builtins for JavaBuiltins {
    fn names_by_text(&self) -> bool {
        true
    }

    fn made_accessors(&self, marks: &str, name: &str) -> Vec<String> {
        /// Marks of a field; that of Spring with the name `Value` makes nothing.
        const OF_FIELDS: &[&str] = &["Getter", "Setter", "With"];
        const OF_CLASSES: &[&str] = &["Data", "Value", "Accessors"];
        let mut words = marks.split('"').step_by(2).flat_map(str::split_whitespace);
        let is_class = words.any(|word| matches!(word, "class" | "enum" | "record"));
        let mut written = marks.split('@').skip(1).map(|rest| {
            let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
            let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            let path = rest.get(..end).unwrap_or_default();
            path.rsplit('.').next().unwrap_or(path)
        });
        let counts = |mark| OF_FIELDS.contains(&mark) || (is_class && OF_CLASSES.contains(&mark));
        if !written.any(counts) {
            return Vec::new();
        }
        let mut letters = name.chars();
        let Some(first) = letters.next() else { return Vec::new() };
        let capital: String = first.to_uppercase().chain(letters).collect();
        ["get", "is", "set", "with"].iter().map(|verb| format!("{verb}{capital}")).collect()
    }

    fn is_own_mark(&self, name: &str) -> bool {
        matches!(
            name.rsplit('.').next().unwrap_or(name),
            "Override"
                | "Deprecated"
                | "SuppressWarnings"
                | "FunctionalInterface"
                | "SafeVarargs"
                | "Nullable"
                | "NonNull"
                | "NotNull"
        )
    }

    fn is_passive_base(&self, name: &str) -> bool {
        matches!(name, "Object" | "Serializable" | "Cloneable")
            || name.ends_with("Exception")
            || name.ends_with("Error")
    }

    fn extends_elsewhere(&self) -> bool {
        false
    }

    fn named(&self, name: &str) -> Builtin {
        match name {
            "List" | "ArrayList" | "Set" | "HashSet" | "Collection" | "Iterable" | "Stream"
            | "LinkedList" | "LinkedHashSet" | "TreeSet" | "Deque" | "Queue" | "Iterator" => {
                Builtin::List
            }
            "Map" | "HashMap" | "LinkedHashMap" | "TreeMap" | "ConcurrentHashMap"
            | "ConcurrentMap" => Builtin::Table,
            "Optional" | "AtomicReference" | "Supplier" => Builtin::Same(0),
            _ => Builtin::Unknown,
        }
    }

    fn method(&self, name: &str) -> (BuiltinMethod, u32) {
        match name {
            "get" | "getFirst" | "getLast" | "next" | "remove" | "peek" | "poll" | "pop" => {
                (BuiltinMethod::Element, 0)
            }
            "stream" | "filter" | "sorted" | "distinct" | "limit" | "iterator" | "values"
            | "subList" => (BuiltinMethod::Same, 0),
            "map" | "flatMap" => (BuiltinMethod::Mapped, 0),
            "forEach" | "anyMatch" | "allMatch" | "noneMatch" => (BuiltinMethod::Pairs, 0),
            _ => (BuiltinMethod::Unknown, 0),
        }
    }

    fn called(&self, _name: &str) -> Builtin {
        Builtin::Unknown
    }

    fn calls_methods_only(&self) -> bool {
        true
    }

    fn is_generic(&self) -> bool {
        true
    }

    fn module<'p>(&self, path: &'p str) -> Option<&'p str> {
        Some(path.rsplit_once('/').map_or("", |(folder, _)| folder))
    }

    fn package<'m>(&self, module: &'m str) -> &'m str {
        // Source and tests of a package lie below different roots.
        let roots = ["/java/", "/kotlin/"];
        let root = roots.iter().find_map(|root| Some(module.rfind(root)? + root.len()));
        root.and_then(|at| module.get(at..)).unwrap_or(module)
    }
}
