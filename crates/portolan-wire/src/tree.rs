//! A JSON document as one flat list of cells in document order.
//!
//! A container's cell has the number of cells in its subtree, so a subtree is a range and copying it copies the
//! range. Walking, measuring and writing are loops: nothing recurses, whatever the input. The list only grows. An
//! edit appends a new version and leaves the old one alone.
//!
//! This is not a general JSON library: it has what canonical JSON and JSON Pointers need.

mod parse;

use std::borrow::Cow;
use std::ops::Range;

use portolan_types::cmp_utf16;

use crate::canonical;
pub use parse::{JsonError, MAX_CELLS, MAX_DEPTH, parse};

/// The index of a value in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIdx(u32);

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number without fraction and exponent that fits 64 bits; `-0` is not one.
    Integer,
    /// Any other number.
    Double,
    /// A string.
    String,
    /// The name of a member. Its value follows.
    Key,
    /// An array.
    Array,
    /// An object.
    Object,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    kind: Kind,
    /// Whether the text is in `Tree::owned`, not in the source.
    owned: bool,
    /// The number of cells in the subtree, including this one.
    size: u32,
    /// Where the text starts; for a container of the source, where it was opened.
    at: u32,
    /// The length of the text, or the number of items or members.
    len: u32,
}

/// The document, or several versions of its parts.
#[derive(Clone, Debug)]
pub struct Tree<'s> {
    source: &'s str,
    /// Texts that are not in the source as they are: strings with escapes, and added texts.
    owned: String,
    cells: Vec<Cell>,
}

impl Tree<'_> {
    fn cell(&self, node: NodeIdx) -> &Cell {
        // A `NodeIdx` always points to an existing cell, and cells are never removed.
        &self.cells[node.0 as usize]
    }

    fn range(&self, node: NodeIdx) -> Range<usize> {
        let start = node.0 as usize;
        start..start + self.cell(node).size as usize
    }

    fn text_of(&self, cell: &Cell) -> &str {
        let text = if cell.owned { self.owned.as_str() } else { self.source };
        &text[cell.at as usize..][..cell.len as usize]
    }

    /// The kind of a value.
    pub fn kind(&self, node: NodeIdx) -> Kind {
        self.cell(node).kind
    }

    /// The number of items or members of a container; 0 for a scalar.
    pub fn len(&self, node: NodeIdx) -> usize {
        let cell = self.cell(node);
        if matches!(cell.kind, Kind::Array | Kind::Object) { cell.len as usize } else { 0 }
    }

    /// The number of values and keys in the subtree.
    pub fn size(&self, node: NodeIdx) -> usize {
        self.cell(node).size as usize
    }

    /// The text of a string.
    pub fn string(&self, node: NodeIdx) -> Option<&str> {
        let cell = self.cell(node);
        (cell.kind == Kind::String).then(|| self.text_of(cell))
    }

    /// The text of a string, a key or a number; empty for anything else.
    pub fn text(&self, node: NodeIdx) -> &str {
        let cell = self.cell(node);
        let has_text = matches!(cell.kind, Kind::String | Kind::Key | Kind::Integer | Kind::Double);
        if has_text { self.text_of(cell) } else { "" }
    }

    /// The items of an array, or the keys and values of an object in turn; empty for a scalar.
    fn children(&self, node: NodeIdx) -> impl Iterator<Item = NodeIdx> + '_ {
        let range = self.range(node);
        let mut next = range.start + 1;
        std::iter::from_fn(move || {
            let cell = (next < range.end).then(|| &self.cells[next])?;
            let child = NodeIdx(next as u32);
            next += cell.size as usize;
            Some(child)
        })
    }

    /// The items of an array; empty for other values.
    pub fn items(&self, node: NodeIdx) -> impl Iterator<Item = NodeIdx> + '_ {
        let is_array = self.kind(node) == Kind::Array;
        self.children(node).filter(move |_| is_array)
    }

    /// The members of an object; empty for other values.
    pub fn members(&self, node: NodeIdx) -> impl Iterator<Item = Member> + '_ {
        let mut children = self.children(node);
        let is_object = self.kind(node) == Kind::Object;
        std::iter::from_fn(move || {
            let key = children.next().filter(|_| is_object)?;
            Some(Member { key, value: children.next()? })
        })
    }

    /// The value of a member.
    pub fn get(&self, node: NodeIdx, key: &str) -> Option<NodeIdx> {
        self.members(node).find(|member| self.text(member.key) == key).map(|member| member.value)
    }

    /// Every value and key of a subtree in document order, starting with the root.
    pub fn walk(&self, node: NodeIdx) -> impl Iterator<Item = NodeIdx> + use<> {
        self.range(node).map(|at| NodeIdx(at as u32))
    }

    /// The next cell in document order, if there is one.
    pub fn following(&self, node: NodeIdx) -> Option<NodeIdx> {
        let next = node.0 + 1;
        ((next as usize) < self.cells.len()).then_some(NodeIdx(next))
    }

    /// Follows one step of a JSON Pointer; the token is unescaped.
    pub fn step(&self, node: NodeIdx, token: &str) -> Option<NodeIdx> {
        match self.kind(node) {
            Kind::Object => self.get(node, token),
            Kind::Array => self.items(node).nth(array_index(token)?),
            _ => None,
        }
    }

    /// The JSON Pointer from a value to one below it.
    pub fn pointer(&self, from: NodeIdx, to: NodeIdx) -> String {
        let mut pointer = String::new();
        let mut node = from;
        while node != to {
            let below = |child: &NodeIdx| self.range(*child).contains(&(to.0 as usize));
            let step = match self.kind(node) {
                Kind::Array => self
                    .items(node)
                    .enumerate()
                    .find(|(_, item)| below(item))
                    .map(|(index, item)| (Cow::Owned(index.to_string()), item)),
                _ => self
                    .members(node)
                    .find(|member| below(&member.value))
                    .map(|member| (escape_token(self.text(member.key)), member.value)),
            };
            let Some((token, child)) = step else { break };
            pointer.push('/');
            pointer.push_str(&token);
            node = child;
        }
        pointer
    }

    /// The offset in the source where a container was opened or a plain text starts.
    fn source_offset(&self, node: NodeIdx) -> usize {
        let cell = self.cell(node);
        if cell.owned { 0 } else { cell.at as usize }
    }
}

/// A member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The cell of the key.
    pub key: NodeIdx,
    /// The value.
    pub value: NodeIdx,
}

/// Parses an array index: `0`, or digits without a leading zero.
pub fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit())
        && (token == "0" || !token.starts_with('0'));
    token.parse().ok().filter(|_| plain)
}

fn escape_token(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        token.replace('~', "~0").replace('/', "~1").into()
    } else {
        token.into()
    }
}

/// A container under construction.
#[derive(Debug)]
#[must_use = "a container must be closed"]
pub struct OpenContainer(NodeIdx);

/// Construction: everything is appended.
impl Tree<'_> {
    /// An empty tree, for values that are built and not read.
    pub fn empty() -> Tree<'static> {
        Tree { source: "", owned: String::new(), cells: Vec::new() }
    }

    /// The index of the next value.
    pub fn next_index(&self) -> NodeIdx {
        NodeIdx(self.cells.len() as u32)
    }

    /// Drops everything from an index on, to undo edits.
    pub fn truncate(&mut self, from: NodeIdx) {
        self.cells.truncate(from.0 as usize);
    }

    /// Drops everything before a value, which becomes the first. Older indexes become invalid.
    pub fn forget_before(&mut self, node: NodeIdx) -> NodeIdx {
        self.cells.drain(..node.0 as usize);
        NodeIdx(0)
    }

    fn push(&mut self, cell: Cell) -> NodeIdx {
        let node = self.next_index();
        self.cells.push(cell);
        node
    }

    fn push_text(&mut self, kind: Kind, text: &str) -> NodeIdx {
        let at = self.owned.len() as u32;
        self.owned.push_str(text);
        self.push(Cell { kind, owned: true, size: 1, at, len: text.len() as u32 })
    }

    /// Appends a new key.
    pub fn push_key(&mut self, key: &str) {
        self.push_text(Kind::Key, key);
    }

    /// Appends a new string.
    pub fn push_string(&mut self, text: &str) -> NodeIdx {
        self.push_text(Kind::String, text)
    }

    /// Appends the number 0.
    pub fn push_zero(&mut self) -> NodeIdx {
        self.push_text(Kind::Integer, "0")
    }

    /// Appends `true` or `false`.
    pub fn push_bool(&mut self, value: bool) -> NodeIdx {
        let kind = if value { Kind::True } else { Kind::False };
        self.push(Cell { kind, owned: true, size: 1, at: 0, len: 0 })
    }

    /// Starts an array.
    pub fn open_array(&mut self) -> OpenContainer {
        OpenContainer(self.push(Cell { kind: Kind::Array, owned: true, size: 1, at: 0, len: 0 }))
    }

    /// Starts an object. Its members must be appended in canonical order.
    pub fn open_object(&mut self) -> OpenContainer {
        OpenContainer(self.push(Cell { kind: Kind::Object, owned: true, size: 1, at: 0, len: 0 }))
    }

    /// Ends a container.
    #[expect(clippy::needless_pass_by_value, reason = "a consumed value cannot be closed twice")]
    pub fn close(&mut self, open: OpenContainer) -> NodeIdx {
        let OpenContainer(node) = open;
        self.cells[node.0 as usize].size = self.cells.len() as u32 - node.0;
        let children = self.children(node).count() as u32;
        let cell = &mut self.cells[node.0 as usize];
        cell.len = if cell.kind == Kind::Object { children / 2 } else { children };
        node
    }

    /// Appends an unchanged copy of a subtree.
    pub fn copy(&mut self, node: NodeIdx) -> NodeIdx {
        let copy = self.next_index();
        self.cells.extend_from_within(self.range(node));
        copy
    }

    /// Appends a copy of a member.
    pub fn copy_member(&mut self, member: Member) {
        self.copy(member.key);
        self.copy(member.value);
    }

    /// Appends a copy of a subtree with the members of each object in canonical order.
    pub fn copy_sorted(&mut self, node: NodeIdx) -> NodeIdx {
        let copy = self.next_index();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            let cell = *self.cell(node);
            self.cells.push(cell);
            let first = pending.len();
            match cell.kind {
                Kind::Object => {
                    let mut members: Vec<Member> = self.members(node).collect();
                    members.sort_by(|left, right| {
                        cmp_utf16(self.text(left.key), self.text(right.key))
                    });
                    pending
                        .extend(members.into_iter().flat_map(|member| [member.key, member.value]));
                }
                _ => pending.extend(self.children(node)),
            }
            pending[first..].reverse();
        }
        copy
    }
}

/// Canonical JSON (RFC 8785) of a subtree whose objects are in canonical order.
impl Tree<'_> {
    /// The size of the canonical form in bytes.
    pub fn width(&self, node: NodeIdx) -> usize {
        self.cells[self.range(node)].iter().map(|cell| self.own_width(cell)).sum()
    }

    /// The size of a cell itself: its text, or its brackets and separators.
    fn own_width(&self, cell: &Cell) -> usize {
        let len = cell.len as usize;
        match cell.kind {
            Kind::Null | Kind::True => 4,
            Kind::False => 5,
            Kind::Integer | Kind::Double => self.number(cell).len(),
            // A string without escapes in the source needs none in canonical form.
            Kind::String | Kind::Key if !cell.owned => len + 2,
            Kind::String | Kind::Key => string_width(self.text_of(cell)),
            Kind::Array => 2 + len.saturating_sub(1),
            Kind::Object => 2 + (2 * len).saturating_sub(1),
        }
    }

    /// A number as ECMAScript writes it.
    fn number(&self, cell: &Cell) -> Cow<'_, str> {
        /// Integers with at most this many digits are doubles, and ECMAScript writes their plain digits.
        const SAFE_DIGITS: usize = 15;
        let text = self.text_of(cell);
        if cell.kind == Kind::Integer && text.len() <= SAFE_DIGITS {
            return text.into();
        }
        let double: f64 = text.parse().unwrap_or_default();
        ryu_js::Buffer::new().format_finite(double).to_owned().into()
    }

    /// Appends the canonical form.
    pub fn write(&self, out: &mut Vec<u8>, node: NodeIdx) {
        // For each open container: its closing bracket, and the number of children (including keys) to come.
        let mut open: Vec<(u8, u32)> = Vec::new();
        for cell in &self.cells[self.range(node)] {
            match cell.kind {
                Kind::Null => out.extend_from_slice(b"null"),
                Kind::True => out.extend_from_slice(b"true"),
                Kind::False => out.extend_from_slice(b"false"),
                Kind::Integer | Kind::Double => out.extend_from_slice(self.number(cell).as_bytes()),
                Kind::String | Kind::Key => self.write_string(out, cell),
                Kind::Array => {
                    out.push(b'[');
                    open.push((b']', cell.len));
                    if cell.len > 0 {
                        continue;
                    }
                }
                Kind::Object => {
                    out.push(b'{');
                    open.push((b'}', cell.len * 2));
                    if cell.len > 0 {
                        continue;
                    }
                }
            }
            close_finished(out, &mut open);
        }
    }

    fn write_string(&self, out: &mut Vec<u8>, cell: &Cell) {
        let text = self.text_of(cell);
        if cell.owned {
            canonical::write_string(out, text);
        } else {
            out.push(b'"');
            out.extend_from_slice(text.as_bytes());
            out.push(b'"');
        }
    }

    /// The canonical form.
    pub fn to_canonical(&self, node: NodeIdx) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.width(node));
        self.write(&mut out, node);
        out
    }
}

/// After a child: writes the separator, or the closing brackets of all containers that end with it.
fn close_finished(out: &mut Vec<u8>, open: &mut Vec<(u8, u32)>) {
    while let Some((bracket, to_come)) = open.last_mut() {
        *to_come = to_come.saturating_sub(1);
        if *to_come > 0 {
            let after_key = *bracket == b'}' && *to_come % 2 == 1;
            out.push(if after_key { b':' } else { b',' });
            return;
        }
        out.push(*bracket);
        open.pop();
    }
}

/// The size of a string in canonical form, including quotes.
fn string_width(text: &str) -> usize {
    let extra: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0C | b'\r' => 1,
            0x00..=0x1F => 5,
            _ => 0,
        })
        .sum();
    text.len() + 2 + extra
}

#[cfg(test)]
mod tests;
