//! Reads annotations and base classes.

use portolan_types::declarations::{Flags, List, Shape, Usage};
use tree_sitter::Node;

use super::PythonTreeReader;
use crate::syntax::declaring::{PLAIN, UNKNOWN};
use crate::syntax::grammar::{child, children};

/// A longer text is not an annotation.
const LONGEST_QUOTED: usize = 400;

/// Types in types: beyond this a quoted one is not followed.
const MOST_NESTED: u32 = 12;

/// What is left of a quoted type.
struct QuotedType<'q> {
    text: &'q str,
    /// Where it starts in the file.
    at: usize,
    position: usize,
}

impl<'q> QuotedType<'q> {
    fn rest(&self) -> &'q str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn is_open(&self) -> bool {
        self.position < self.text.len()
    }

    /// Passes a letter, if it comes next.
    fn eat(&mut self, letter: char) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let is_next = trimmed.starts_with(letter);
        if is_next {
            self.position += rest.len() - trimmed.len() + letter.len_utf8();
        }
        is_next
    }

    fn skip(&mut self) {
        self.position += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// Whether the bracket that was passed last closes a list.
    fn ended_list(&self) -> bool {
        self.text.get(..self.position).is_some_and(|before| before.ends_with(']'))
    }

    /// The next name, and where it starts in the file.
    fn word(&mut self) -> (usize, &'q str) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
        let (start, rest) = (self.position, self.rest());
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.position += end;
        (self.at + start, rest.get(..end).unwrap_or_default())
    }
}

/// The type in a comment, and where it starts.
fn type_comment(comment: &str) -> Option<(usize, &str)> {
    let inner = comment.strip_prefix('#')?.trim_start().strip_prefix("type:")?;
    let written = inner.trim_start();
    let at = comment.len() - written.len();
    let written = written.split('#').next().unwrap_or(written).trim_end();
    (!written.is_empty() && !written.starts_with("ignore")).then_some((at, written))
}

/// Whether this is a class of classes that comes with the language.
fn is_of_language(class: &str) -> bool {
    matches!(class, "type" | "ABCMeta" | "abc.ABCMeta" | "EnumMeta" | "EnumType")
}

/// The words of a text and where they start.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if !word.is_empty() {
            found.push((at, word));
        }
        at += word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    found
}

impl PythonTreeReader<'_> {
    pub(super) fn type_within(&mut self, node: Node<'_>) -> u32 {
        let parts = children(node);
        match node.kind() {
            "type" | "parenthesized_expression" => {
                parts.first().map_or(UNKNOWN, |it| self.type_of(*it))
            }
            "identifier" => {
                let name = self.text_of(node);
                if name == "Self" {
                    return self.this;
                }
                let shape = self.named_type(name, node.start_byte(), List::default());
                self.variable_type(name).unwrap_or(shape)
            }
            "attribute" => self.qualified(node, List::default()),
            "string" => self.quoted(node),
            "generic_type" | "subscript" => {
                let Some((base, rest)) = parts.split_first() else { return UNKNOWN };
                let inner = rest.iter().flat_map(|it| match it.kind() {
                    "type_parameter" => children(*it),
                    _ => vec![*it],
                });
                let arguments: Vec<u32> = inner.map(|it| self.type_of(it)).collect();
                self.generic(*base, &arguments)
            }
            "union_type" | "binary_operator" | "constrained_type" => {
                let parts: Vec<u32> = parts.into_iter().map(|it| self.type_of(it)).collect();
                self.union(&parts)
            }
            "member_type" => {
                for it in parts {
                    self.type_of(it);
                }
                UNKNOWN
            }
            "none" | "ellipsis" | "integer" | "true" | "false" => PLAIN,
            _ => {
                self.expression(node);
                UNKNOWN
            }
        }
    }

    fn generic(&mut self, base: Node<'_>, arguments: &[u32]) -> u32 {
        let name = self.text_of(base);
        let last = name.rsplit('.').next().unwrap_or(name);
        if matches!(last, "Union" | "Optional") {
            self.type_of(base);
            return self.union(arguments);
        }
        if matches!(last, "type" | "Type")
            && let [of] = arguments
            && let Some(class) = self.class_of(*of)
        {
            self.type_of(base);
            return class;
        }
        let list = self.list(arguments);
        match base.kind() {
            "identifier" => self.named_type(name, base.start_byte(), list),
            "attribute" => self.qualified(base, list),
            _ => self.type_of(base),
        }
    }

    /// The class that a type is of, as a value.
    fn class_of(&mut self, of: u32) -> Option<u32> {
        match self.facts.shape(of) {
            Shape::FreeType { name, .. } => Some(self.value_of(name)),
            Shape::Qualified { base, name, .. } => Some(self.shape(Shape::Member { base, name })),
            _ => None,
        }
    }

    /// A type qualified with its module.
    fn qualified(&mut self, node: Node<'_>, arguments: List) -> u32 {
        let (Some(object), Some(attribute)) =
            (node.child_by_field_name("object"), node.child_by_field_name("attribute"))
        else {
            return UNKNOWN;
        };
        let base = self.expression(object);
        let name = self.text_of(attribute);
        if name == "Self" {
            return self.this;
        }
        let name = self.name(name);
        self.refer(name, attribute.start_byte() as u32, Usage::Member, base);
        self.shape(Shape::Qualified { base, name, arguments })
    }

    /// A quoted annotation.
    fn quoted(&mut self, node: Node<'_>) -> u32 {
        let text = self.text_of(node);
        let inner = text.trim_matches(['"', '\'']);
        let at = node.start_byte() + text.find(inner).unwrap_or_default();
        self.written_type(inner, at)
    }

    /// A type that is not read as code.
    fn written_type(&mut self, inner: &str, at: usize) -> u32 {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        if inner.is_empty() || inner.len() > LONGEST_QUOTED {
            return UNKNOWN;
        }
        if inner.chars().all(is_part) {
            return self.named_type(inner, at, List::default());
        }
        let is_type = |c: char| is_part(c) || matches!(c, ' ' | '\n' | '|' | '.' | ',' | '[' | ']');
        if inner.chars().all(is_type) {
            let mut rest = QuotedType { text: inner, at, position: 0 };
            return self.quoted_choice(&mut rest, MOST_NESTED);
        }
        // In what is no type, each name counts on its own.
        for (from, word) in words(inner) {
            let is_member = inner.get(..from).is_some_and(|before| before.ends_with('.'));
            if !is_member && !word.starts_with(|c: char| c.is_ascii_digit()) {
                self.named_type(word, at + from, List::default());
            }
        }
        UNKNOWN
    }

    /// The type in the comment that ends a line: `# type: Item`.
    pub(super) fn commented(&mut self, end: usize) -> Option<u32> {
        let rest = self.text.get(end..)?;
        let trimmed = rest.trim_start_matches([' ', '\t', ':']);
        // The end of the line only where there is a comment: many statements may be in one line.
        if !trimmed.starts_with('#') {
            return None;
        }
        let (at, written) = type_comment(trimmed.split('\n').next().unwrap_or(trimmed))?;
        let at = end + rest.len() - trimmed.len() + at;
        Some(self.written_type(written, at))
    }

    /// The types of parameters in the comment below the head of a function: `# type: (Item, int) -> None`.
    pub(super) fn commented_parameters(&mut self, function: Node<'_>) -> Vec<u32> {
        let Some(comment) = child(function, "comment") else { return Vec::new() };
        let Some((at, written)) = type_comment(self.text_of(comment)) else { return Vec::new() };
        let Some((given, result)) = written.split_once("->") else { return Vec::new() };
        let at = comment.start_byte() + at;
        let lead = result.len() - result.trim_start().len();
        self.written_type(result.trim(), at + given.len() + 2 + lead);
        let inner = given.trim().trim_start_matches('(').trim_end_matches(')');
        let mut found = Vec::new();
        let (mut depth, mut from) = (0u32, 0);
        let ends = inner.char_indices().chain([(inner.len(), ',')]);
        for (end, letter) in ends {
            match letter {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    let part = inner.get(from..end).unwrap_or_default();
                    let name = part.trim_start_matches([' ', '*']);
                    let start = at + given.find('(').map_or(0, |it| it + 1) + from;
                    let shape = self.written_type(name.trim_end(), start + part.len() - name.len());
                    found.push(shape);
                    from = end + 1;
                }
                _ => {}
            }
        }
        found
    }

    /// `A | B`
    fn quoted_choice(&mut self, rest: &mut QuotedType<'_>, left: u32) -> u32 {
        let mut parts = vec![self.quoted_one(rest, left)];
        while rest.eat('|') {
            parts.push(self.quoted_one(rest, left));
        }
        self.union(&parts)
    }

    /// The types between brackets.
    fn quoted_list(&mut self, rest: &mut QuotedType<'_>, left: u32) -> Vec<u32> {
        let mut parts = Vec::new();
        while rest.is_open() && !rest.eat(']') {
            parts.push(self.quoted_choice(rest, left));
            if !rest.eat(',') && !rest.eat(']') {
                // What is no type.
                rest.skip();
            } else if rest.ended_list() {
                break;
            }
        }
        parts
    }

    /// `a.Box[int]`
    fn quoted_one(&mut self, rest: &mut QuotedType<'_>, left: u32) -> u32 {
        if left == 0 {
            rest.position = rest.text.len();
            return UNKNOWN;
        }
        if rest.eat('[') {
            self.quoted_list(rest, left - 1);
            return UNKNOWN;
        }
        let (at, first) = rest.word();
        let Some(letter) = first.chars().next() else { return UNKNOWN };
        if letter.is_ascii_digit() {
            return PLAIN;
        }
        let mut members = Vec::new();
        while rest.eat('.') {
            let (at, name) = rest.word();
            if !name.is_empty() {
                members.push((at, name));
            }
        }
        let arguments = if rest.eat('[') { self.quoted_list(rest, left - 1) } else { Vec::new() };
        let last = members.last().map_or(first, |(_, name)| *name);
        match last {
            "None" => return PLAIN,
            "Self" => return self.this,
            _ => {}
        }
        let is_choice = matches!(last, "Union" | "Optional");
        let list = if is_choice { List::default() } else { self.list(&arguments) };
        let Some(((last_at, last), path)) = members.split_last() else {
            let shape = self.named_type(first, at, list);
            let shape = self.variable_type(first).unwrap_or(shape);
            return if is_choice { self.union(&arguments) } else { shape };
        };
        let mut base = self.value_name(first, at as u32);
        for (at, name) in path {
            let name = self.name(name);
            self.refer(name, *at as u32, Usage::Member, base);
            base = self.member(base, name);
        }
        let name = self.name(last);
        self.refer(name, *last_at as u32, Usage::Member, base);
        if is_choice {
            return self.union(&arguments);
        }
        self.shape(Shape::Qualified { base, name, arguments: list })
    }

    /// The base classes of a class.
    pub(super) fn bases(&mut self, node: Node<'_>) -> Vec<u32> {
        let Some(written) = node.child_by_field_name("superclasses") else { return Vec::new() };
        let mut bases = Vec::new();
        for base in children(written) {
            match base.kind() {
                "identifier" | "attribute" | "subscript" => bases.push(self.type_of(base)),
                // A class has the members of its own class.
                "keyword_argument" => {
                    self.expression(base);
                    let value = base.child_by_field_name("value").map_or("", |it| self.text_of(it));
                    if self.field_text(base, "name") == "metaclass" && !is_of_language(value) {
                        let class = self.parent;
                        self.edit(class, |it| it.flags.0 |= Flags::OPEN);
                    }
                }
                // What is computed may have any members.
                "call" => {
                    self.expression(base);
                    let called = self.field_text(base, "function");
                    let name = called.rsplit('.').next().unwrap_or(called);
                    if !matches!(name, "namedtuple" | "NamedTuple" | "TypedDict") {
                        bases.push(UNKNOWN);
                    }
                }
                _ => {
                    self.expression(base);
                }
            }
        }
        bases
    }
}
