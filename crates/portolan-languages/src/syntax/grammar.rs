//! Shared code for the languages that are read with tree-sitter.
//!
//! The parser tolerates errors and does not recurse. The walk over its tree does, so below a
//! certain depth it only collects names. Only files that are sliced are read like this, so its
//! speed does not matter. All `unsafe` code is in the parser's own crates.

mod bearable;
mod reader;

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Deref, DerefMut};

use portolan_types::declarations::{
    Binding, DeclarationKind, Declarations, Export, Exported, Flags, Imported, List, NONE, Shape,
    Signature, Span, Usage,
};
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Range, Tree};

pub(crate) use self::reader::{TreeReader, Walks};
use crate::Scratch;
use crate::syntax::declaring::scope::Space;
use crate::syntax::declaring::{PLAIN, Tables, UNKNOWN, unbound};

/// The largest depth of nodes. Deeper nodes are only searched for names.
const MAX_DEPTH: u32 = 160;
/// The parser's step limit: per byte of text (it reports every hundredth step), plus a minimum for
/// any text.
const STEPS_PER_BYTE: usize = 2;
const STEPS: usize = 20_000;
/// The largest number of return values that are kept. More would not add information.
const MAX_RETURNS: usize = 4;

/// The parser of a thread. Creating one costs more than parsing a small file.
#[derive(Default)]
struct ThreadParser(Option<Parser>);

/// Parses a text. Returns `None` if that takes far longer than for any sane text.
pub(crate) fn parse(language: &Language, text: &str, scratch: &mut Scratch) -> Option<Tree> {
    parse_parts(language, text, &[], scratch)
}

/// Parses the given parts of a text, or all of it if there are none.
pub(crate) fn parse_parts(
    language: &Language,
    text: &str,
    parts: &[Range],
    scratch: &mut Scratch,
) -> Option<Tree> {
    let mut kept = scratch.take::<ThreadParser>();
    let parser = kept.0.get_or_insert_with(Parser::new);
    parser.reset();
    parser.set_language(language).ok()?;
    parser.set_included_ranges(parts).ok()?;
    // Steps are counted instead of time, so that every machine gives the same tree for the same
    // text.
    let length = parts.iter().map(|part| part.end_byte - part.start_byte).sum::<usize>();
    let length = if parts.is_empty() { text.len() } else { length };
    let most = STEPS + length * STEPS_PER_BYTE / 100;
    let mut steps = 0;
    let mut progress = |_: &ParseState| {
        steps += 1;
        if steps > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = bearable::bearable(language, text);
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut input = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut input, None, Some(options));
    scratch.keep(kept);
    tree
}

/// Visits the leaves of a tree, in the order of the text.
pub(crate) fn each_leaf(tree: &Tree, mut visit: impl FnMut(Node<'_>)) {
    let mut cursor = tree.walk();
    loop {
        if cursor.goto_first_child() {
            continue;
        }
        visit(cursor.node());
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Sees the nodes of a tree.
pub(crate) trait TreeVisitor<'t> {
    /// Sees a node before what is in it. Returns whether to go into it.
    fn enter(&mut self, node: Node<'t>) -> bool;

    /// Sees a node after what is in it, if that was visited.
    fn leave(&mut self, _node: Node<'t>) {}
}

/// Visits the named nodes of a tree, in the order of the text.
pub(crate) fn visit<'t>(tree: &'t Tree, visitor: &mut impl TreeVisitor<'t>) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_entered = !node.is_named() || visitor.enter(node);
        if is_entered && cursor.goto_first_child() {
            continue;
        }
        if is_entered {
            visitor.leave(node);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            visitor.leave(cursor.node());
        }
    }
}

/// The named children of a node.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The named children of a node in one of its fields.
pub(crate) fn fields<'n>(node: Node<'n>, field: &str) -> Vec<Node<'n>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(Node::is_named).collect()
}

/// The first child of a kind.
pub(crate) fn child<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// Walks the syntax tree of a text.
pub(crate) struct Walker<'t> {
    tables: Tables,
    pub(crate) text: &'t str,
    /// The shape of an instance of the enclosing declaration.
    pub(crate) this: u32,
    /// The return values of the enclosing functions, innermost last.
    returns: Vec<Vec<u32>>,
    /// Imports that are written where they are used, by specifier and name.
    inline: BTreeMap<(u32, u32), u32>,
    depth: u32,
}

impl Deref for Walker<'_> {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.tables
    }
}

impl DerefMut for Walker<'_> {
    fn deref_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

/// The parts of a function type.
pub(crate) struct Given {
    /// The type parameters.
    pub(crate) parameters: List,
    /// The shapes of the parameters.
    pub(crate) takes: Vec<u32>,
    /// The written return type.
    pub(crate) written: Option<u32>,
    pub(crate) is_async: bool,
}

/// The state to restore when a scope is left.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    parent: u32,
    scope: u32,
    this: u32,
}

impl<'t> Walker<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            tables: Tables::default(),
            text,
            this: UNKNOWN,
            returns: Vec::new(),
            inline: BTreeMap::new(),
            depth: 0,
        }
    }

    /// Joins extensions with their types and resolves all names.
    pub(crate) fn finish(mut self) -> Declarations {
        self.join_extensions();
        self.tables.finish()
    }

    fn join_extensions(&mut self) {
        let mut ends: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let is_type = |kind: DeclarationKind| {
            matches!(
                kind,
                DeclarationKind::Class
                    | DeclarationKind::Interface
                    | DeclarationKind::Enum
                    | DeclarationKind::Type
            )
        };
        for (item, number) in self.facts.items.iter().zip(0u32..) {
            if is_type(item.kind) {
                let last = self.facts.merged(number).last().unwrap_or(number);
                ends.entry((item.parent, item.name)).or_insert(last);
            }
        }
        for number in 0..self.facts.items.len() as u32 {
            let Some(item) = self.facts.item(number) else { continue };
            if item.kind == DeclarationKind::Extension
                && let Some(last) = ends.get_mut(&(item.parent, item.name))
            {
                let before = std::mem::replace(last, number);
                self.edit(before, |it| it.next = number);
            }
        }
    }

    pub(crate) fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field of a node.
    pub(crate) fn field_text(&self, node: Node<'_>, field: &str) -> &'t str {
        node.child_by_field_name(field).map_or("", |node| self.text_of(node))
    }

    /// Adds a declaration inside the current one.
    pub(crate) fn item(&mut self, kind: DeclarationKind, name: &str, node: Node<'_>) -> u32 {
        let name = self.name(name);
        self.declare(kind, name, span(node))
    }

    /// Adds a member of the current declaration.
    pub(crate) fn member_item(&mut self, kind: DeclarationKind, name: &str, node: Node<'_>) -> u32 {
        let item = self.item(kind, name, node);
        self.edit(item, |item| item.flags.0 |= Flags::MEMBER);
        item
    }

    /// Marks a declaration as exported.
    pub(crate) fn open(&mut self, item: u32, is_open: bool) {
        if is_open {
            self.edit(item, |item| item.flags.0 |= Flags::EXPORTED);
        }
    }

    /// Binds the name of a declaration as a value and a type.
    pub(crate) fn bind_declared(&mut self, item: u32) -> u32 {
        self.bind_declared_as(item, Space::Both)
    }

    /// Binds the name of a declaration in one of the spaces of names.
    pub(crate) fn bind_declared_as(&mut self, item: u32, space: Space) -> u32 {
        let (name, shape) = self.facts.item(item).map_or((NONE, UNKNOWN), |it| (it.name, it.shape));
        let binding = self.bind_item(name, space, item, shape);
        self.export_own(name, binding);
        binding
    }

    /// Binds the name of a declaration that has nothing to do with others of its name.
    pub(crate) fn bind_apart(&mut self, item: u32, space: Space) -> u32 {
        let (name, shape) = self.facts.item(item).map_or((NONE, UNKNOWN), |it| (it.name, it.shape));
        let binding = self.bind(name, space, Binding { item, shape, ..unbound(name) });
        self.export_own(name, binding);
        binding
    }

    fn export_own(&mut self, name: u32, binding: u32) {
        if self.parent == NONE {
            self.facts.exports.push(Exported { name, what: Export::Binding(binding) });
        }
    }

    /// Binds a name to an import.
    pub(crate) fn import(&mut self, local: &str, specifier: &str, name: Option<&str>) -> u32 {
        let import = self.imported(specifier, name);
        let local = self.name(local);
        self.bind(local, Space::Both, Binding { import, ..unbound(local) })
    }

    /// Binds a name that is qualified with its module where it is used.
    pub(crate) fn inline_import(&mut self, specifier: &str, name: Option<&str>) -> u32 {
        let key = (self.name(specifier), name.map_or(NONE, |name| self.name(name)));
        if let Some(known) = self.inline.get(&key) {
            return *known;
        }
        let import = self.imported(specifier, name);
        let binding = self.facts.bindings.len() as u32;
        self.facts.bindings.push(Binding { import, ..unbound(key.1) });
        self.inline.insert(key, binding);
        binding
    }

    fn imported(&mut self, specifier: &str, name: Option<&str>) -> u32 {
        let specifier = self.name(specifier);
        let name = name.map_or(NONE, |name| self.name(name));
        self.facts.imports.push(Imported { specifier, name, is_required: false });
        (self.facts.imports.len() - 1) as u32
    }

    /// Enters a declaration with its own scope.
    pub(crate) fn enter(&mut self, item: u32) -> Around {
        let around = Around { parent: self.parent, scope: self.scopes.open(true), this: self.this };
        self.parent = item;
        around
    }

    /// Enters a scope.
    pub(crate) fn enter_scope(&mut self) -> Around {
        Around { parent: self.parent, scope: self.scopes.open(false), this: self.this }
    }

    pub(crate) fn leave(&mut self, around: Around) {
        self.scopes.close(around.scope);
        (self.parent, self.this) = (around.parent, around.this);
    }

    /// Goes one level deeper. Beyond the limit it only collects the names and returns false.
    pub(crate) fn deeper(&mut self, node: Node<'_>) -> bool {
        if self.depth >= MAX_DEPTH {
            self.take_names(node);
            return false;
        }
        self.depth += 1;
        true
    }

    pub(crate) fn higher(&mut self) {
        self.depth -= 1;
    }

    /// Adds every name below a node as a use.
    fn take_names(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let mut is_done = false;
        while !is_done {
            let here = cursor.node();
            if matches!(here.kind(), "identifier" | "type_identifier") {
                self.value(here);
            }
            is_done = !cursor.goto_first_child();
            while is_done {
                if cursor.goto_next_sibling() {
                    is_done = false;
                } else if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Adds a use of a name as a value.
    pub(crate) fn value(&mut self, node: Node<'_>) -> u32 {
        let name = self.text_of(node);
        self.value_name(name, node.start_byte() as u32)
    }

    /// The value of a name, where its use is known already.
    pub(crate) fn value_of(&mut self, name: u32) -> u32 {
        let shape = self.shape(Shape::Free { name });
        self.scopes.ask(name, Space::Value, shape, NONE);
        shape
    }

    /// Adds a use of a name as a type.
    pub(crate) fn named_type(&mut self, name: &str, at: usize, arguments: List) -> u32 {
        let name = self.name(name);
        let shape = self.shape(Shape::FreeType { name, arguments });
        let reference = self.refer(name, at as u32, Usage::Type, NONE);
        self.scopes.ask(name, Space::Type, shape, reference);
        shape
    }

    /// Adds a use of a name that is qualified with its module.
    pub(crate) fn inline_use(&mut self, specifier: &str, node: Node<'_>, usage: Usage) -> u32 {
        let text = self.text_of(node);
        let binding = self.inline_import(specifier, Some(text));
        let name = self.name(text);
        self.refer(name, node.start_byte() as u32, usage, binding);
        match usage {
            Usage::Type => self.shape(Shape::Type { binding, arguments: List::default() }),
            _ => self.shape(Shape::Name { binding }),
        }
    }

    /// Adds a use of a member.
    pub(crate) fn member_use(&mut self, base: u32, node: Node<'_>) -> u32 {
        let name = self.text_of(node);
        let name = self.name(name);
        self.refer(name, node.start_byte() as u32, Usage::Member, base);
        self.member(base, name)
    }

    /// The result of a call; an instance if the callee looks like a class.
    pub(crate) fn called(&mut self, callee: u32, arguments: &[u32], is_made: bool) -> u32 {
        if callee <= PLAIN {
            return UNKNOWN;
        }
        let (arguments, types) = (self.list(arguments), List::default());
        self.shape(if is_made {
            Shape::New { callee, arguments, types }
        } else {
            Shape::Call { callee, arguments, types }
        })
    }

    /// An element of a list.
    pub(crate) fn element(&mut self, base: u32) -> u32 {
        if base <= PLAIN { base } else { self.shape(Shape::Element { base }) }
    }

    /// Starts a function. [`Walker::function`] ends it and collects its return values.
    pub(crate) fn begin_function(&mut self) {
        self.returns.push(Vec::new());
        self.opaque += 1;
    }

    pub(crate) fn returned(&mut self, shape: u32) {
        if let Some(returns) = self.returns.last_mut()
            && shape > PLAIN
            && returns.len() < MAX_RETURNS
        {
            returns.push(shape);
        }
    }

    /// Ends a function and returns its shape.
    pub(crate) fn function(&mut self, given: &Given) -> u32 {
        self.opaque -= 1;
        let returns = self.returns.pop().unwrap_or_default();
        let gives = given.written.unwrap_or_else(|| self.union(&returns));
        let takes = self.list(&given.takes);
        self.facts.signatures.push(Signature {
            parameters: given.parameters,
            takes,
            has_rest: false,
            gives,
            is_written: given.written.is_some(),
            is_async: given.is_async,
            guards: UNKNOWN,
        });
        let signature = (self.facts.signatures.len() - 1) as u32;
        self.shape(Shape::Function { signature })
    }

    /// Binds a type parameter with its constraint.
    pub(crate) fn type_parameter(&mut self, name: &str, constraint: u32) -> u32 {
        let name = self.name(name);
        let binding = Binding { shape: constraint, is_parameter: true, ..unbound(name) };
        self.bind(name, Space::Type, binding)
    }
}

/// The span of a node.
pub(crate) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

/// The comments and attributes directly before a declaration.
#[derive(Default)]
pub(crate) struct Leading {
    doc: Option<u32>,
    first: Option<u32>,
    end_row: usize,
}

impl Leading {
    /// Adds a comment that may belong to the next declaration.
    pub(crate) fn comment(&mut self, node: Node<'_>) {
        if self.doc.is_none() || !self.reaches(node) {
            self.doc = Some(node.start_byte() as u32);
        }
        self.ends(node);
    }

    /// Adds an attribute, in languages where attributes are separate nodes.
    pub(crate) fn attribute(&mut self, node: Node<'_>) {
        self.first.get_or_insert(node.start_byte() as u32);
        self.ends(node);
    }

    fn ends(&mut self, node: Node<'_>) {
        // A comment may include the end of its line, which is the start of the next line.
        let end = node.end_position();
        self.end_row = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
    }

    /// Whether only the end of a line is between.
    fn reaches(&self, node: Node<'_>) -> bool {
        node.start_position().row <= self.end_row + 1
    }

    /// The doc comment of a node, and the start of the node including its attributes.
    pub(crate) fn take(&mut self, node: Node<'_>) -> (u32, u32) {
        let before = std::mem::take(self);
        let start = node.start_byte() as u32;
        if !before.reaches(node) {
            return (NONE, start);
        }
        let first = before.first.unwrap_or(start);
        let doc = before.doc.filter(|doc| *doc < first);
        (doc.unwrap_or(NONE), first)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
