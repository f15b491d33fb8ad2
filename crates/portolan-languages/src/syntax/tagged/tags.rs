//! Runs the query of a language over a syntax tree, and turns its matches into declarations.
//!
//! A query captures each declaration as `@definition.KIND` and its name as `@name`. It may capture
//! more: `@body` (what a signature leaves out; by default the field `body`), `@head` (the signature,
//! if no node is the body), `@declarator` (around the name, as in C; it tells functions from variables), `@owner` (the type that a member belongs to, if that is not around it),
//! `@doc` (a node before a declaration that describes it, besides comments) and `@private` (the
//! declaration is invisible to other files). What is inside of what follows from the places.

use std::collections::BTreeMap;

use portolan_types::declarations::{
    DeclarationKind, Declarations, Export, Exported, Flags, NONE, Span,
};
use tree_sitter::{Language, Node, Query, QueryCursor, QueryMatch, StreamingIterator as _, Tree};

use super::declarators::{DeclaratorName, declared};
use crate::syntax::declaring::scope::Space;
use crate::syntax::declaring::{Tables, UNKNOWN};
use crate::syntax::grammar::span;

/// The grammar and the query of a language.
pub(super) struct Tags {
    grammar: Language,
    query: Query,
    /// What each capture of the query stands for.
    captures: Vec<Capture>,
}

/// What a capture stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Capture {
    Definition(DeclarationKind),
    Name,
    Declarator,
    Body,
    Head,
    Owner,
    Doc,
    Private,
    /// It serves a condition of the query.
    Other,
}

impl Capture {
    fn of(name: &str) -> Self {
        if let Some(kind) = name.strip_prefix("definition.") {
            let kind = DeclarationKind::ALL.into_iter().find(|known| known.name() == kind);
            return kind.map_or(Self::Other, Self::Definition);
        }
        match name {
            "name" => Self::Name,
            "declarator" => Self::Declarator,
            "body" => Self::Body,
            "head" => Self::Head,
            "owner" => Self::Owner,
            "doc" => Self::Doc,
            "private" => Self::Private,
            _ => Self::Other,
        }
    }
}

/// A declaration that the query found.
#[derive(Clone, Copy)]
struct TaggedDeclaration<'n> {
    node: Node<'n>,
    kind: DeclarationKind,
    name: Span,
    span: Span,
    body: Span,
    owner: Span,
    is_private: bool,
}

/// A declaration that is open during the walk.
struct OpenDeclaration {
    item: u32,
    span: Span,
    kind: DeclarationKind,
    members: Vec<u32>,
}

impl Tags {
    /// Loads a query; `None` if it does not fit the grammar.
    pub(super) fn new(grammar: Language, query: &str) -> Option<Self> {
        let query = Query::new(&grammar, query).ok()?;
        let captures = query.capture_names().iter().map(|name| Capture::of(name)).collect();
        Some(Self { grammar, query, captures })
    }

    pub(super) fn grammar(&self) -> &Language {
        &self.grammar
    }

    /// The declarations of a text.
    pub(super) fn declarations(&self, tree: &Tree, text: &str) -> Declarations {
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&self.query, tree.root_node(), text.as_bytes());
        let mut found: BTreeMap<(u32, u32), TaggedDeclaration<'_>> = BTreeMap::new();
        let mut docs: BTreeMap<usize, u32> = BTreeMap::new();
        while let Some(matched) = matches.next() {
            match self.found(matched, text) {
                // The widest one has the attributes and the wrappers of the others.
                Some(new) => {
                    let key = (new.name.start, new.name.end);
                    let known = found.entry(key).or_insert(new);
                    known.is_private |= new.is_private;
                    // A variable that holds a function is a function.
                    if known.kind == DeclarationKind::Variable {
                        known.kind = new.kind;
                    }
                    if known.body.is_empty() && new.span == known.span {
                        known.body = new.body;
                    }
                    if length(new.span) > length(known.span) {
                        let body = if known.body.is_empty() { new.body } else { known.body };
                        let (kind, is_private) = (known.kind, known.is_private);
                        *known = TaggedDeclaration { kind, body, is_private, ..new };
                    }
                }
                None => docs.extend(self.docs(matched)),
            }
        }
        let mut found: Vec<TaggedDeclaration<'_>> = found.into_values().collect();
        found.sort_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end), it.name));
        Declaring { text, docs, tables: Tables::default(), open: Vec::new() }.all(&found)
    }

    fn captured<'m>(&self, matched: &QueryMatch<'_, 'm>, wanted: Capture) -> Option<Node<'m>> {
        let mut all = matched.captures().iter();
        let is_wanted = |index: u32| self.captures.get(index as usize) == Some(&wanted);
        all.find(|capture| is_wanted(capture.index)).map(|capture| capture.node)
    }

    fn found<'m>(&self, matched: &QueryMatch<'_, 'm>, text: &str) -> Option<TaggedDeclaration<'m>> {
        let (node, kind) = matched.captures().iter().find_map(|capture| {
            match self.captures.get(capture.index as usize)? {
                Capture::Definition(kind) => Some((capture.node, *kind)),
                _ => None,
            }
        })?;
        let is_variable = matches!(kind, DeclarationKind::Variable | DeclarationKind::Property);
        let (name, declarator) = if let Some(name) = self.captured(matched, Capture::Name) {
            (span(name), None)
        } else {
            let inner = declared(self.captured(matched, Capture::Declarator)?)?;
            (inner.name, Some(inner))
        };
        let kind = match declarator {
            Some(DeclaratorName { is_function: true, .. }) if is_variable => {
                DeclarationKind::Function
            }
            _ => kind,
        };
        let owner = self.captured(matched, Capture::Owner).map(span);
        let whole = trimmed(span(node), text);
        let body =
            self.captured(matched, Capture::Body).or_else(|| node.child_by_field_name("body"));
        let body = match (body, self.captured(matched, Capture::Head)) {
            (_, Some(head)) => trimmed(Span::new(head.end_byte() as u32, whole.end), text),
            (Some(body), None) => trimmed(span(body), text),
            (None, None) => Span::default(),
        };
        Some(TaggedDeclaration {
            node,
            kind,
            name: trimmed(name, text),
            span: whole,
            body: Span::new(body.start, body.end.min(whole.end)),
            owner: owner.or(declarator.map(|it| it.owner)).unwrap_or_default(),
            is_private: self.captured(matched, Capture::Private).is_some(),
        })
    }

    /// The ends and starts of the nodes of a match that describe what follows.
    fn docs(&self, matched: &QueryMatch<'_, '_>) -> Option<(usize, u32)> {
        let doc = self.captured(matched, Capture::Doc)?;
        Some((doc.id(), doc.start_byte() as u32))
    }
}

fn length(span: Span) -> u32 {
    span.end.saturating_sub(span.start)
}

/// A span without the white space at its end: some grammars include the end of the line.
fn trimmed(span: Span, text: &str) -> Span {
    let inner = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    Span::new(span.start, span.start + inner.trim_end().len() as u32)
}

/// Declares what was found, from the first byte of a text to the last.
struct Declaring<'t> {
    text: &'t str,
    /// The starts of nodes that describe what follows, by node.
    docs: BTreeMap<usize, u32>,
    tables: Tables,
    /// The declarations around the current one, innermost last.
    open: Vec<OpenDeclaration>,
}

impl<'t> Declaring<'t> {
    fn all(mut self, found: &[TaggedDeclaration<'_>]) -> Declarations {
        for one in found {
            self.close(|around| around.span.end <= one.span.start || around.span == one.span);
            self.declare(one);
        }
        self.close(|_| true);
        self.tables.finish()
    }

    /// Closes the innermost declarations, as long as they are done.
    fn close(&mut self, is_done: impl Fn(&OpenDeclaration) -> bool) {
        while self.open.last().is_some_and(&is_done) {
            let Some(around) = self.open.pop() else { return };
            let members = self.tables.list(&around.members);
            self.tables.edit(around.item, |item| item.members = members);
        }
    }

    fn text_of(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn declare(&mut self, one: &TaggedDeclaration<'_>) {
        let is_local = self.open.iter().any(|around| is_run(around.kind));
        if is_local && one.kind == DeclarationKind::Variable {
            return;
        }
        let owner = Some(last_name(self.text_of(one.owner))).filter(|name| *name != "self");
        let owner = owner.unwrap_or_default();
        let is_outside = !owner.is_empty() && self.open.iter().all(|it| !is_type(it.kind));
        if is_outside {
            let doc = self.doc_of(one.node);
            let item = self.add(one, DeclarationKind::Extension, owner, doc);
            self.open(item, one.span, DeclarationKind::Extension);
        }
        let around = self.around(one.kind).and_then(|at| self.open.get(at)).map(|it| it.kind);
        let kind = within(one.kind, around);
        let name = unquoted(self.text_of(one.name));
        let doc = self.doc_of(one.node);
        let item = self.add(one, kind, name, doc);
        if !one.is_private {
            self.tables.edit(item, |it| it.flags.0 |= Flags::EXPORTED);
        }
        if around.is_some_and(|around| is_type(around) || around == DeclarationKind::Extension) {
            self.tables.edit(item, |it| it.flags.0 |= Flags::MEMBER);
        }
        if self.open.is_empty() {
            self.bind(item);
        }
        // An alias of a type has no members.
        if is_container(kind) && (kind != DeclarationKind::Type || !one.body.is_empty()) {
            self.open(item, one.span, kind);
        }
    }

    /// The number of the declaration around a new one. A property that a constructor's parameter
    /// declares belongs to the type.
    fn around(&self, kind: DeclarationKind) -> Option<usize> {
        let innermost = self.open.len().checked_sub(1)?;
        let owner = self.open.iter().rposition(|around| is_type(around.kind));
        owner.filter(|_| kind == DeclarationKind::Property).or(Some(innermost))
    }

    fn add(
        &mut self,
        one: &TaggedDeclaration<'_>,
        kind: DeclarationKind,
        name: &str,
        doc: u32,
    ) -> u32 {
        let around = self.around(kind);
        let outer = self.open.get(..around.map_or(0, |at| at + 1)).unwrap_or_default();
        let is_local = outer.iter().any(|around| is_run(around.kind));
        self.tables.parent = outer.last().map_or(NONE, |around| around.item);
        self.tables.opaque = u32::from(is_local);
        let name = self.tables.name(name);
        let item = self.tables.declare(kind, name, one.span);
        self.tables.edit(item, |it| (it.at, it.body, it.doc) = (one.name.start, one.body, doc));
        if let Some(around) = around.and_then(|at| self.open.get_mut(at)) {
            around.members.push(item);
        }
        item
    }

    fn open(&mut self, item: u32, span: Span, kind: DeclarationKind) {
        self.open.push(OpenDeclaration { item, span, kind, members: Vec::new() });
    }

    /// Makes a name known to the file and to others.
    fn bind(&mut self, item: u32) {
        let Some(name) = self.tables.facts.item(item).map(|it| it.name) else { return };
        let binding = self.tables.bind_item(name, Space::Both, item, UNKNOWN);
        self.tables.facts.exports.push(Exported { name, what: Export::Binding(binding) });
    }

    /// Where the comments directly before a declaration start.
    fn doc_of(&self, node: Node<'_>) -> u32 {
        let mut first = node;
        // A wrapper starts where its first part does.
        while first.prev_sibling().is_none()
            && let Some(parent) = first.parent()
            && parent.start_byte() == node.start_byte()
        {
            first = parent;
        }
        let (mut start, mut row) = (NONE, first.start_position().row);
        while let Some(before) = first.prev_sibling().filter(|it| self.is_doc(*it)) {
            let end = before.end_position();
            let end_row = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
            let follows_code = before.prev_sibling().is_some_and(|code| {
                code.end_position().row == before.start_position().row && !self.is_doc(code)
            });
            if end_row + 1 < row || follows_code {
                break;
            }
            (start, row, first) = (before.start_byte() as u32, before.start_position().row, before);
        }
        start
    }

    fn is_doc(&self, node: Node<'_>) -> bool {
        let kind = node.kind();
        kind.contains("comment") || kind == "marginalia" || self.docs.contains_key(&node.id())
    }
}

/// The kind of a declaration inside another.
fn within(kind: DeclarationKind, around: Option<DeclarationKind>) -> DeclarationKind {
    let is_member = around.is_some_and(|it| is_type(it) || it == DeclarationKind::Extension);
    match kind {
        DeclarationKind::Function if is_member => DeclarationKind::Method,
        _ => kind,
    }
}

fn is_type(kind: DeclarationKind) -> bool {
    matches!(
        kind,
        DeclarationKind::Class
            | DeclarationKind::Interface
            | DeclarationKind::Enum
            | DeclarationKind::Type
    )
}

/// Whether its parts are inside code that runs.
fn is_run(kind: DeclarationKind) -> bool {
    matches!(
        kind,
        DeclarationKind::Function
            | DeclarationKind::Method
            | DeclarationKind::Constructor
            | DeclarationKind::Getter
            | DeclarationKind::Setter
            | DeclarationKind::Property
    )
}

/// Whether other declarations belong to it.
fn is_container(kind: DeclarationKind) -> bool {
    is_type(kind)
        || is_run(kind)
        || matches!(kind, DeclarationKind::Namespace | DeclarationKind::Extension)
}

/// The last part of a qualified name, without type arguments.
fn last_name(path: &str) -> &str {
    let bare = path.split(['<', '(', '[']).next().unwrap_or(path).trim_end();
    bare.rsplit(['.', ':', '\\']).next().unwrap_or(bare).trim()
}

/// A name that may be written as a string.
fn unquoted(name: &str) -> &str {
    name.trim_matches(['"', '\'']).trim_start_matches(':')
}
