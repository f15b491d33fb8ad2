//! Reads the declarations of Python with tree-sitter: those of the file and of classes. Types come
//! from annotations, calls of classes, and `self`.

mod expressions;
mod names;
mod narrowing;
mod types;
mod variables;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations, Export, Exported, Flags, List,
    NONE, Shape, Span, Usage,
};
use tree_sitter::Node;

use crate::Scratch;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{self, Given, child, children, fields, span};

/// The declarations of a file.
pub(super) fn read(text: &str, scratch: &mut Scratch) -> Declarations {
    read_running(text, &[], scratch)
}

/// The declarations of a file that has all names of some modules beside what it imports.
pub(super) fn read_running(text: &str, runs: &[String], scratch: &mut Scratch) -> Declarations {
    let language = tree_sitter_python::LANGUAGE.into();
    let Some(tree) = grammar::parse(&language, text, scratch) else {
        return Declarations::default();
    };
    let mut reader = PythonTreeReader::new(text);
    reader.scopes.follow_values();
    reader.own.known_variables = variables::declared(text);
    for statement in children(tree.root_node()) {
        reader.top(statement);
    }
    for module in runs {
        let module = reader.name(module);
        reader.facts.stars.push(module);
    }
    let has_stars = !reader.facts.stars.is_empty();
    let mut facts = reader.walker.finish();
    // Without a star import, an unbound name is a built-in.
    facts.references.retain(|reference| {
        let is_name = matches!(reference.usage, Usage::Value | Usage::Type);
        !is_name || reference.of != NONE || has_stars
    });
    facts
}

type PythonTreeReader<'t> = grammar::TreeReader<'t, PythonWalkState<'t>>;

/// The state of the walk.
#[derive(Default)]
struct PythonWalkState<'t> {
    /// The enclosing classes, innermost last.
    classes: Vec<EnclosingClass>,
    /// The modules imported by a dotted path, which code repeats where it uses them.
    dotted: Vec<&'t str>,
    /// The names of the file that the current function assigns.
    globals: Vec<&'t str>,
    /// Whether the current function is called by a test runner, which gives it fixtures.
    is_test: bool,
    /// Whether what the current function yields is given once: a fixture, or a context manager.
    yields_once: bool,
    /// The variables of types that the file declares, with what they are bound by.
    known_variables: BTreeMap<&'t str, &'t str>,
    /// Those that stand for a type parameter here, innermost last.
    variables: Vec<&'t str>,
    /// Whether the default of a parameter is read, which sees the names of the class around.
    is_default: bool,
    /// What is known of names here because of a check, innermost last.
    narrowed: Vec<narrowing::NarrowedPath<'t>>,
}

struct EnclosingClass {
    item: u32,
    members: Vec<u32>,
    names: BTreeSet<u32>,
    /// The current method's name for the instance.
    receiver: Option<u32>,
    /// Whether its values are instances of it.
    is_enum: bool,
}

impl PythonTreeReader<'_> {
    /// A top-level statement.
    fn top(&mut self, node: Node<'_>) {
        match node.kind() {
            "if_statement" | "try_statement" | "with_statement" | "for_statement"
            | "while_statement" | "match_statement"
                if declares(node, 0) =>
            {
                self.branches(node);
            }
            "import_statement"
            | "import_from_statement"
            | "function_definition"
            | "class_definition"
            | "decorated_definition"
            | "type_alias_statement" => {
                self.statement(node);
            }
            "expression_statement" if child(node, "assignment").is_some() => self.statement(node),
            "future_import_statement" | "comment" => {}
            // An error node contains what could be parsed.
            "ERROR" if declares(node, 0) => self.branches(node),
            _ => {
                let item = self.item(DeclarationKind::Statement, "", node);
                let around = self.enter(item);
                self.opaque += 1;
                self.statement(node);
                self.opaque -= 1;
                self.leave(around);
            }
        }
    }

    /// Walks the branches of a statement that declares names of the file.
    fn branches(&mut self, node: Node<'_>) {
        if !self.deeper(node) {
            return;
        }
        for part in children(node) {
            match part.kind() {
                "block" => {
                    for it in children(part) {
                        self.top(it);
                    }
                }
                "elif_clause" | "else_clause" | "except_clause" | "finally_clause"
                | "case_clause" => self.branches(part),
                _ if node.is_error() => self.top(part),
                _ => {
                    self.expression(part);
                }
            }
        }
        self.higher();
    }

    pub(super) fn statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "import_statement" => self.import_modules(node),
            "import_from_statement" => self.import_names(node),
            "function_definition" => {
                self.function_item(node, node);
            }
            "class_definition" => {
                self.class_item(node, node);
            }
            "decorated_definition" => self.decorated(node),
            "type_alias_statement" => self.alias(node),
            _ => {
                self.expression(node);
            }
        }
    }

    fn import_modules(&mut self, node: Node<'_>) {
        for imported in fields(node, "name") {
            if imported.kind() == "aliased_import" {
                let module = self.field_text(imported, "name");
                let alias = self.field_text(imported, "alias");
                let binding = self.import(alias, module, None);
                self.pass_on(alias, binding);
                continue;
            }
            let module = self.text_of(imported);
            let first = module.split('.').next().unwrap_or(module);
            if module.contains('.') {
                self.own.dotted.push(module);
                self.inline_import(module, None);
            }
            let binding = self.import(first, first, None);
            self.pass_on(first, binding);
        }
    }

    fn import_names(&mut self, node: Node<'_>) {
        let module = self.field_text(node, "module_name");
        if child(node, "wildcard_import").is_some() {
            let module = self.name(module);
            self.facts.stars.push(module);
        }
        for imported in fields(node, "name") {
            let (name, local) = if imported.kind() == "aliased_import" {
                (self.field_text(imported, "name"), self.field_text(imported, "alias"))
            } else {
                (self.text_of(imported), self.text_of(imported))
            };
            let binding = self.import(local, module, Some(name));
            self.pass_on(local, binding);
        }
    }

    /// Other files can import what this file imports.
    fn pass_on(&mut self, name: &str, binding: u32) {
        if self.opaque == 0 {
            let name = self.name(name);
            self.facts.exports.push(Exported { name, what: Export::Binding(binding) });
        }
    }

    fn decorated(&mut self, node: Node<'_>) {
        let Some(definition) = node.child_by_field_name("definition") else { return };
        for decorator in children(node).into_iter().filter(|it| it.kind() == "decorator") {
            self.expression(decorator);
        }
        match definition.kind() {
            "class_definition" => self.class_item(definition, node),
            _ => self.function_item(definition, node),
        };
    }

    fn alias(&mut self, node: Node<'_>) {
        let left = node.child_by_field_name("left").map_or("", |left| self.text_of(left));
        let name = left.split('[').next().unwrap_or(left).trim();
        let item = self.item(DeclarationKind::Type, name, node);
        self.open(item, !name.starts_with('_'));
        self.bind_declared(item);
        let shape = node.child_by_field_name("right").map_or(UNKNOWN, |right| self.type_of(right));
        self.edit(item, |it| it.shape = shape);
    }

    /// A function or a method. `whole` includes its decorators.
    fn function_item(&mut self, node: Node<'_>, whole: Node<'_>) -> u32 {
        let name = self.field_text(node, "name");
        let marks = decorators(self.text, whole);
        let is_method = self.is_in_class();
        let is_value = marks.iter().any(|mark| matches!(*mark, "property" | "cached_property"));
        let kind = match (is_method, is_value) {
            (true, true) => DeclarationKind::Getter,
            (true, false) => DeclarationKind::Method,
            (false, _) => DeclarationKind::Function,
        };
        let item = self.declared(kind, name, whole, node);
        if !is_method {
            self.bind_declared(item);
        }
        let outer = self.own.classes.last().and_then(|class| class.receiver);
        let outer_globals = std::mem::take(&mut self.own.globals);
        let outer_narrowed = std::mem::take(&mut self.own.narrowed);
        let around = self.enter(item);
        self.begin_function();
        let outer_variables = self.own.variables.len();
        let parameters = self.type_parameters(node);
        let is_bound = is_method && !marks.contains(&"staticmethod");
        let is_fixture = marks.contains(&"fixture");
        if let Some(name) = fixture_name(self.text, whole).filter(|_| is_fixture && !is_method) {
            // Its users know it under this name.
            let name = self.name(name);
            self.facts.exports.push(Exported { name, what: Export::Item(item) });
        }
        let outer_test = std::mem::replace(
            &mut self.own.is_test,
            name.starts_with("test") || (is_fixture && !is_method),
        );
        let is_once = is_fixture || marks.iter().any(|mark| mark.ends_with("contextmanager"));
        let outer_yields = std::mem::replace(&mut self.own.yields_once, is_once);
        let takes = self.parameters(node, is_bound, marks.contains(&"classmethod"));
        let written = node.child_by_field_name("return_type").map(|it| self.type_of(it));
        if let Some(body) = node.child_by_field_name("body") {
            self.block(body);
        }
        self.own.variables.truncate(outer_variables);
        self.own.globals = outer_globals;
        self.own.narrowed = outer_narrowed;
        self.own.is_test = outer_test;
        self.own.yields_once = outer_yields;
        let is_async = child(node, "async").is_some();
        let shape = self.function(&Given { parameters, takes, written, is_async });
        self.leave(around);
        if let Some(class) = self.own.classes.last_mut() {
            class.receiver = outer;
        }
        // The value of a property is the result of its function.
        let shape = match (kind, self.facts.shape(shape)) {
            (DeclarationKind::Getter, Shape::Function { .. }) => {
                self.shape(Shape::Returned { function: shape })
            }
            _ => shape,
        };
        self.edit(item, |it| it.shape = shape);
        item
    }

    fn class_item(&mut self, node: Node<'_>, whole: Node<'_>) -> u32 {
        let name = self.field_text(node, "name");
        let is_inner = self.is_in_class();
        let item = self.declared(DeclarationKind::Class, name, whole, node);
        if !is_inner {
            self.bind_declared(item);
        }
        let around = self.enter(item);
        let outer_variables = self.own.variables.len();
        let parameters = self.type_parameters(node);
        let bases = self.bases(node);
        let (bases, this) = (self.list(&bases), self.shape(Shape::This { item }));
        self.this = this;
        self.edit(item, |it| (it.bases, it.parameters) = (bases, parameters));
        let (members, names) = (Vec::new(), BTreeSet::new());
        let is_enum = self.is_enum(node);
        self.own.classes.push(EnclosingClass { item, members, names, receiver: None, is_enum });
        if let Some(body) = node.child_by_field_name("body")
            && self.deeper(body)
        {
            for it in children(body) {
                self.class_statement(it);
            }
            self.higher();
        }
        self.own.variables.truncate(outer_variables);
        let members = self.own.classes.pop().map(|class| class.members).unwrap_or_default();
        let members = self.list(&members);
        self.edit(item, |it| it.members = members);
        self.leave(around);
        item
    }

    /// Whether a class is an enumeration.
    fn is_enum(&self, class: Node<'_>) -> bool {
        let written = class.child_by_field_name("superclasses").map(children).unwrap_or_default();
        let is_it = |base: &Node<'_>| {
            self.text_of(*base).ends_with("Enum") || self.text_of(*base).ends_with("Flag")
        };
        written.iter().any(is_it)
    }

    fn class_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "if_statement" | "try_statement" | "else_clause" | "elif_clause" | "except_clause"
            | "block" => {
                if self.deeper(node) {
                    for it in children(node) {
                        self.class_statement(it);
                    }
                    self.higher();
                }
            }
            "import_statement" | "import_from_statement" => {
                self.opaque += 1;
                self.statement(node);
                self.opaque -= 1;
            }
            _ => self.statement(node),
        }
    }

    /// Adds a declaration: a member in a class, else one of the file or a function.
    fn declared(
        &mut self,
        kind: DeclarationKind,
        name: &str,
        whole: Node<'_>,
        node: Node<'_>,
    ) -> u32 {
        let is_member = self.is_in_class();
        let item = self.item(kind, name, whole);
        let body = header_end(node);
        self.edit(item, |it| {
            it.at = node.start_byte() as u32;
            it.body = body;
        });
        self.open(item, !name.starts_with('_') || name.starts_with("__"));
        if is_member {
            self.own_member(item);
        }
        item
    }

    fn own_member(&mut self, item: u32) {
        self.edit(item, |it| it.flags.0 |= Flags::MEMBER);
        let name = self.facts.item(item).map_or(NONE, |it| it.name);
        if let Some(class) = self.own.classes.last_mut() {
            class.members.push(item);
            class.names.insert(name);
        }
    }

    /// Whether the enclosing declaration is a class.
    fn is_in_class(&self) -> bool {
        self.own.classes.last().is_some_and(|class| class.item == self.parent)
    }

    /// Reads an assignment target of the file, a class or a function.
    fn assigned(&mut self, target: Node<'_>, statement: Node<'_>, shape: u32) {
        match target.kind() {
            "identifier" => self.assigned_name(target, statement, shape),
            "attribute" => self.assigned_attribute(target, statement, shape),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "expression_list"
            | "list" => {
                if !self.deeper(target) {
                    return;
                }
                for (part, index) in children(target).into_iter().zip(0..) {
                    let shape = match shape {
                        0 | 1 => shape,
                        base => self.shape(Shape::Entry { base, index }),
                    };
                    self.assigned(part, statement, shape);
                }
                self.higher();
            }
            "list_splat_pattern" | "as_pattern_target" | "list_splat" => {
                for part in children(target) {
                    self.assigned(part, statement, UNKNOWN);
                }
            }
            _ => {
                self.expression(target);
            }
        }
    }

    fn assigned_name(&mut self, target: Node<'_>, statement: Node<'_>, shape: u32) {
        let name = self.text_of(target);
        self.forget(name);
        let is_member = self.is_in_class();
        if self.own.globals.contains(&name) {
            self.value(target);
            self.assigned_global(name, shape);
            return;
        }
        if self.opaque > 0 || (self.parent != NONE && !is_member) {
            self.local(name, shape);
            let value = statement.named_child(0).and_then(|it| it.child_by_field_name("right"));
            if value.is_some_and(|it| it.kind() == "none") {
                self.scopes.mark_empty();
            }
            return;
        }
        let kind = if is_member { DeclarationKind::Property } else { DeclarationKind::Variable };
        let item = self.item(kind, name, statement);
        let is_case = is_member
            && !name.starts_with('_')
            && self.own.classes.last().is_some_and(|class| class.is_enum);
        let shape = if is_case { self.this } else { shape };
        self.edit(item, |it| {
            it.shape = shape;
            it.at = target.start_byte() as u32;
        });
        self.open(item, !name.starts_with('_'));
        if is_member {
            self.own_member(item);
        } else {
            self.bind_declared(item);
        }
    }

    /// A function gives a variable of the file another value.
    fn assigned_global(&mut self, name: &str, shape: u32) {
        let Some(name) = self.facts.find_name(name) else { return };
        let is_it = |it: &portolan_types::declarations::Declaration| {
            it.name == name && it.parent == NONE && it.kind == DeclarationKind::Variable
        };
        let Some(item) = self.facts.items.iter().position(is_it) else { return };
        let before = self.facts.items.get(item).map_or(UNKNOWN, |it| it.shape);
        let both = if shape == UNKNOWN { UNKNOWN } else { self.union(&[before, shape]) };
        self.edit(item as u32, |it| it.shape = both);
    }

    /// The first `self.name = value` declares a member.
    fn assigned_attribute(&mut self, target: Node<'_>, statement: Node<'_>, shape: u32) {
        let object = target.child_by_field_name("object");
        let whole = self.text_of(target);
        self.forget(whole);
        let text = self.field_text(target, "attribute");
        let name = self.name(text);
        let owner = object.map_or("", |it| self.text_of(it));
        let owner = self.name(owner);
        let class = self.own.classes.last().filter(|it| it.receiver == Some(owner));
        let known = class.filter(|class| class.names.contains(&name)).and_then(|class| {
            let is_it = |item: &&u32| self.facts.item(**item).is_some_and(|it| it.name == name);
            class.members.iter().find(is_it).copied()
        });
        if let Some(item) = known {
            self.assigned_again(item, shape);
        }
        let class = self.own.classes.last().filter(|it| it.receiver == Some(owner));
        let Some(class) = class.filter(|class| !class.names.contains(&name)) else {
            self.expression(target);
            return;
        };
        let parent = std::mem::replace(&mut self.walker.parent, class.item);
        let opaque = std::mem::take(&mut self.walker.opaque);
        let item = self.item(DeclarationKind::Property, text, statement);
        (self.walker.parent, self.walker.opaque) = (parent, opaque);
        self.edit(item, |it| it.shape = shape);
        self.open(item, !text.starts_with('_'));
        self.own_member(item);
    }
}

impl PythonTreeReader<'_> {
    /// A member that is assigned more than once has one of the values, unless its type is written.
    fn assigned_again(&mut self, item: u32, shape: u32) {
        let Some(known) = self.facts.item(item).copied() else { return };
        let text = self.text.get(known.span.start as usize..known.span.end as usize);
        let mut parts = text.unwrap_or_default().splitn(2, self.facts.name(known.name));
        let is_written = parts.nth(1).is_some_and(|rest| rest.trim_start().starts_with(':'));
        if known.kind != DeclarationKind::Property || shape <= PLAIN || is_written {
            return;
        }
        let before = match self.facts.shape(known.shape) {
            Shape::Union { parts } => self.facts.list(parts).to_vec(),
            _ => vec![known.shape],
        };
        if before.len() < MOST_VALUES {
            let all: Vec<u32> = before.into_iter().chain([shape]).collect();
            let shape = self.union(&all);
            self.edit(item, |it| it.shape = shape);
        }
    }
}

/// The most values of a member that are kept.
const MOST_VALUES: usize = 6;

/// The end of a definition's signature: the colon before its body.
fn header_end(node: Node<'_>) -> Span {
    let Some(body) = node.child_by_field_name("body") else { return Span::default() };
    let mut cursor = node.walk();
    let colons = node.children(&mut cursor).filter(|it| it.kind() == ":");
    let colon = colons.filter(|it| it.end_byte() <= body.start_byte()).last();
    let start = colon.map_or(body.start_byte(), |colon| colon.start_byte());
    Span::new(start as u32, span(body).end)
}

/// The last segments of a definition's decorators.
fn decorators<'t>(text: &'t str, whole: Node<'_>) -> Vec<&'t str> {
    let all = children(whole).into_iter().filter(|it| it.kind() == "decorator");
    let name = |it: Node<'_>| {
        let text = text.get(it.byte_range()).unwrap_or_default().trim_start_matches('@');
        let path = text.split('(').next().unwrap_or(text).trim();
        path.rsplit('.').next().unwrap_or(path)
    };
    all.map(name).collect()
}

/// The name that a fixture is given by its decorator: `@fixture(name="client")`.
fn fixture_name<'t>(text: &'t str, whole: Node<'_>) -> Option<&'t str> {
    let all = children(whole).into_iter().filter(|it| it.kind() == "decorator");
    let marks = all.map(|it| text.get(it.byte_range()).unwrap_or_default());
    let mut fixtures = marks.filter(|mark| mark.contains("fixture"));
    let (_, rest) = fixtures.find_map(|mark| mark.split_once("name="))?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    rest.get(1..)?.split(quote).next().filter(|name| !name.is_empty())
}

/// Whether a statement declares something for the file.
fn declares(node: Node<'_>, depth: u32) -> bool {
    const MAX_DEPTH: u32 = 12;
    depth < MAX_DEPTH
        && children(node).into_iter().any(|part| match part.kind() {
            "function_definition"
            | "class_definition"
            | "decorated_definition"
            | "import_statement"
            | "import_from_statement"
            | "assignment" => true,
            "block"
            | "elif_clause"
            | "else_clause"
            | "except_clause"
            | "finally_clause"
            | "case_clause"
            | "if_statement"
            | "try_statement"
            | "with_statement"
            | "for_statement"
            | "while_statement"
            | "expression_statement" => declares(part, depth + 1),
            _ => false,
        })
}

/// The built-in names of Python.
pub(super) struct PythonBuiltins;

impl Builtins for PythonBuiltins {
    fn registering(&self) -> Option<&'static str> {
        Some(".register")
    }

    fn satisfied_mark(&self) -> Option<&'static str> {
        Some("Protocol")
    }

    fn taken_apart(&self, table: &str) -> Option<String> {
        Some(format!("Unpack[{table}]"))
    }

    fn twin(&self, path: &str) -> Option<String> {
        match path.strip_suffix(".pyi") {
            Some(stem) => Some(format!("{stem}.py")),
            None => path.strip_suffix(".py").map(|stem| format!("{stem}.pyi")),
        }
    }

    fn mixes_in(&self) -> bool {
        true
    }

    fn names_by_text(&self) -> bool {
        true
    }

    fn extends_elsewhere(&self) -> bool {
        false
    }

    fn named(&self, name: &str) -> Builtin {
        match name {
            "list" | "List" | "set" | "Set" | "frozenset" | "FrozenSet" | "Sequence"
            | "MutableSequence" | "Iterable" | "Iterator" | "Collection" | "Generator"
            | "AsyncIterator" | "AsyncIterable" | "deque" | "tuple" | "Tuple"
            // It has one value, which `get` gives.
            | "ContextVar" => Builtin::List,
            "dict" | "Dict" | "Mapping" | "MutableMapping" | "defaultdict" | "OrderedDict" => {
                Builtin::Table
            }
            "Optional" | "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired" => {
                Builtin::Same(0)
            }
            "Awaitable" => Builtin::Promise,
            _ => Builtin::Unknown,
        }
    }

    fn method(&self, name: &str) -> (BuiltinMethod, u32) {
        match name {
            "pop" | "get" | "setdefault" => (BuiltinMethod::Element, 0),
            "copy" | "values" => (BuiltinMethod::Same, 0),
            _ => (BuiltinMethod::Unknown, 0),
        }
    }

    fn called(&self, name: &str) -> Builtin {
        match name {
            "copy" | "deepcopy" => Builtin::Same(0),
            // Of a table these give the keys.
            "list" | "sorted" | "reversed" | "set" | "tuple" => Builtin::Alike(0),
            _ => Builtin::Unknown,
        }
    }

    fn entering(&self) -> &'static [&'static str] {
        &["__enter__", "__aenter__"]
    }

    fn is_own_mark(&self, name: &str) -> bool {
        matches!(
            name.rsplit('.').next().unwrap_or(name),
            "property"
                | "cached_property"
                | "staticmethod"
                | "classmethod"
                | "abstractmethod"
                | "abstractproperty"
                | "overload"
                | "override"
                | "final"
                | "setter"
                | "getter"
                | "deleter"
                | "dataclass"
                | "wraps"
                | "cache"
                | "lru_cache"
                | "total_ordering"
                | "contextmanager"
                | "asynccontextmanager"
                | "runtime_checkable"
                | "deprecated"
                | "no_type_check"
        )
    }

    fn is_passive_base(&self, name: &str) -> bool {
        matches!(
            name,
            "object"
                | "ABC"
                | "Generic"
                | "Protocol"
                | "NamedTuple"
                | "TypedDict"
                | "Enum"
                | "IntEnum"
                | "StrEnum"
                | "Flag"
                | "IntFlag"
                | "type"
                | "tuple"
                | "int"
                | "str"
        ) || name.ends_with("Error")
            || name.ends_with("Exception")
            || name.ends_with("Warning")
    }

    fn constructor(&self) -> Option<&'static str> {
        Some("__init__")
    }

    fn answers_for_members(&self) -> Option<&'static str> {
        Some("__getattr__")
    }

    fn fixtures(&self) -> Option<&'static str> {
        Some("conftest.py")
    }

    fn leads_outside(&self, specifier: &str, is_alike: bool) -> bool {
        !is_alike && !specifier.is_empty() && !specifier.starts_with('.')
    }

    fn gives_anything(&self, name: &str) -> bool {
        matches!(name, "getattr" | "next" | "eval" | "vars" | "globals" | "locals")
    }

    fn package_file(&self) -> Option<&'static str> {
        Some("__init__.py")
    }

    fn stays_inside(&self, specifier: &str) -> bool {
        specifier.starts_with('.')
    }

    fn module<'p>(&self, path: &'p str) -> Option<&'p str> {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        Some(stem.strip_suffix("/__init__").unwrap_or(stem))
    }
}

impl PythonTreeReader<'_> {
    /// The type parameters of a definition.
    fn type_parameters(&mut self, node: Node<'_>) -> List {
        let Some(parameters) = node.child_by_field_name("type_parameters") else {
            return self.type_variables(node);
        };
        let names: Vec<&str> = children(parameters)
            .into_iter()
            .map(|it| {
                let text = self.text_of(it);
                text.split([':', '=']).next().unwrap_or(text).trim_matches([' ', '*'])
            })
            .collect();
        let bound: Vec<u32> =
            names.into_iter().map(|name| self.type_parameter(name, UNKNOWN)).collect();
        self.list(&bound)
    }
}
