//! The declarations of a file, as a search needs them: full names and lines.

use std::cmp::Reverse;

use portolan_languages::syntax::text;
use portolan_languages::{declared_names, has_declarations, is_program};
use portolan_symbols::text::LineStarts;
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE, Span};
use portolan_types::{RepoPath, Sha256Digest};
use serde::{Deserialize, Serialize};

use super::SearchContext;
use portolan_index::symbols::parsed_declarations;

/// Code beyond this is not parsed.
const MOST_PARSED: usize = 4 << 20;
/// The most characters that are shown of a heading in code that is not parsed.
const LONGEST_HEADING: usize = 48;
/// The most enclosing declarations that are part of a name.
const DEEPEST: usize = 16;

/// The declarations of a file.
#[derive(Debug, Default)]
pub(super) struct Outline {
    items: Vec<OutlineItem>,
    /// The items by where they start, outer ones first; each with the place in this list of the one around it.
    nested: Vec<(usize, Option<usize>)>,
    lines: LineStarts,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OutlineItem {
    /// The full name: `Class.method`.
    pub(super) name: String,
    /// Its own name.
    pub(super) own: String,
    pub(super) kind: DeclarationKind,
    /// The first line, without its doc comment.
    pub(super) first: u32,
    /// The last line.
    pub(super) last: u32,
    /// Where its own name is written.
    pub(super) name_at: Span,
    /// The whole of it, with its doc comment.
    pub(super) span: Span,
    /// It is inside code that runs.
    pub(super) is_local: bool,
    /// Other files may name it, or what it is a member of.
    pub(super) is_exported: bool,
}

impl Outline {
    /// The outline of a text. What is no code, or too large, has none.
    pub(super) fn new(path: &str, bytes: &[u8]) -> Self {
        Self::of(path, bytes, |parse| parse())
    }

    /// The same of a file, as an earlier search found it, or as it is found now. `digest` is that of the file.
    pub(super) fn kept(
        context: SearchContext<'_>,
        (path, digest): (&RepoPath, &Sha256Digest),
        bytes: &[u8],
    ) -> Self {
        let Some(outlines) = context.outlines else { return Self::new(path.as_str(), bytes) };
        Self::of(path.as_str(), bytes, |parse| {
            let items = outlines.outline(context.system, (path, digest), parse);
            if items.iter().all(OutlineItem::is_whole) { items } else { parse() }
        })
    }

    /// The outline of a text. `items` gives what it declares, and may parse it.
    fn of(
        path: &str,
        bytes: &[u8],
        items: impl FnOnce(&dyn Fn() -> Vec<OutlineItem>) -> Vec<OutlineItem>,
    ) -> Self {
        let text = text::decode(bytes);
        let lines = LineStarts::new(&text);
        if !has_declarations(path) || bytes.len() > MOST_PARSED {
            let is_read = has_declarations(path);
            let items = if is_program(path) { indented(&text, is_read) } else { Vec::new() };
            return Self { nested: nested(&items), items, lines };
        }
        let items = items(&|| parsed(path, &text, &lines));
        Self { nested: nested(&items), items, lines }
    }

    /// The declarations, in the order of the text.
    pub(super) fn items(&self) -> &[OutlineItem] {
        &self.items
    }

    /// The first and the last line of a span.
    pub(super) fn lines_of(&self, start: u32, end: u32) -> (u32, u32) {
        (self.lines.of(start), self.lines.last_of(Span::new(start, end)))
    }

    /// The place in the text of a column of a line; the column in bytes.
    pub(super) fn place(&self, line: u32, column: usize) -> u32 {
        let span = self.lines.span(line);
        (span.start.saturating_add(column as u32)).min(span.end.saturating_sub(1).max(span.start))
    }

    /// The innermost declaration around a place. A value that code assigns while it runs, such as `self.a = 1`, is no
    /// place by itself: who reads on wants that code.
    pub(super) fn innermost(&self, at: u32) -> Option<usize> {
        let around = || self.around(at).map(|number| (number, &self.items[number]));
        let length = |item: &OutlineItem| item.span.end - item.span.start;
        let code = around().filter(|(_, item)| is_running(item.kind));
        let code = code.map(|(_, item)| length(item)).min();
        let is_assigned = |item: &OutlineItem| {
            item.kind == DeclarationKind::Property && code.is_some_and(|code| length(item) < code)
        };
        let found = around().filter(|(_, item)| !is_assigned(item));
        // A method of Go is all of its extension: the name of the method says more.
        let is_extension = |item: &OutlineItem| item.kind == DeclarationKind::Extension;
        let size =
            |(number, item): &(usize, &OutlineItem)| (length(item), is_extension(item), *number);
        found.min_by_key(size).map(|(number, _)| number)
    }
}

impl Outline {
    /// The declarations around a place, innermost first.
    fn around(&self, at: u32) -> impl Iterator<Item = usize> {
        let end = self.nested.partition_point(|(item, _)| self.items[*item].span.start <= at);
        let first = end.checked_sub(1);
        let chain = std::iter::successors(first, |place| self.nested[*place].1);
        chain.map(|place| self.nested[place].0).filter(move |item| self.items[*item].span.holds(at))
    }
}

impl OutlineItem {
    /// Whether its lines and spans are in order, as those of every text are.
    fn is_whole(&self) -> bool {
        self.first <= self.last
            && self.span.start <= self.span.end
            && self.name_at.start <= self.name_at.end
    }
}

/// What a text declares.
fn parsed(path: &str, text: &str, lines: &LineStarts) -> Vec<OutlineItem> {
    let facts = parsed_declarations(path, text).unwrap_or_default();
    let shown = (0u32..).zip(&facts.items).filter(|(_, item)| is_shown(item));
    shown.map(|(number, item)| outlined(&facts, number, item, text, lines)).collect()
}

/// Items by where they start, each with the place of the one around it. One that overlaps another without being inside it
/// counts as inside: what is around a place is found by its span.
fn nested(items: &[OutlineItem]) -> Vec<(usize, Option<usize>)> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|item| (items[*item].span.start, Reverse(items[*item].span.end), *item));
    let mut nested: Vec<(usize, Option<usize>)> = Vec::with_capacity(items.len());
    let mut open: Vec<usize> = Vec::new();
    for (place, item) in order.into_iter().enumerate() {
        let start = items[item].span.start;
        while open.last().is_some_and(|last| items[nested[*last].0].span.end <= start) {
            open.pop();
        }
        nested.push((item, open.last().copied()));
        open.push(place);
    }
    nested
}

/// The functions of a text that are in no other function, with their full names and lines.
pub(crate) fn functions_of(path: &str, bytes: &[u8]) -> Vec<(String, (u32, u32))> {
    let outline = Outline::new(path, bytes);
    let is_function = |item: &&OutlineItem| {
        matches!(item.kind, DeclarationKind::Function | DeclarationKind::Method) && !item.is_local
    };
    let functions = outline.items.iter().filter(is_function);
    functions.map(|item| (item.name.clone(), (item.first, item.last))).collect()
}

/// Whether a kind of declaration is code that runs.
pub(super) fn is_running(kind: DeclarationKind) -> bool {
    use DeclarationKind as Kind;
    matches!(kind, Kind::Function | Kind::Method | Kind::Getter | Kind::Setter | Kind::Constructor)
}

/// Whether hits are grouped by it. Local variables say nothing, and a statement has no name.
fn is_shown(item: &Declaration) -> bool {
    let is_local = item.flags.has(Flags::LOCAL);
    match item.kind {
        DeclarationKind::Statement => false,
        DeclarationKind::Variable
        | DeclarationKind::Property
        | DeclarationKind::Signature
        | DeclarationKind::EnumMember
        | DeclarationKind::Type => !is_local,
        _ => true,
    }
}

fn outlined(
    facts: &Declarations,
    number: u32,
    item: &Declaration,
    text: &str,
    lines: &LineStarts,
) -> OutlineItem {
    let own = facts.name(item.name);
    let is_extension = item.kind == DeclarationKind::Extension;
    let mut names: Vec<&str> = facts
        .ancestors(number)
        .filter_map(|around| facts.item(around))
        .map(|around| facts.name(around.name))
        .filter(|name| !name.is_empty())
        .take(DEEPEST)
        .collect();
    names.reverse();
    let start = if item.doc == NONE { item.span.start } else { item.doc.min(item.span.start) };
    // What an extension is called is declared elsewhere.
    let (name, own, name_at) = if is_extension {
        (extension_name(text, item), "", Span::new(item.at, item.at))
    } else {
        (names.join("."), own, name_at(text, item, own))
    };
    OutlineItem {
        name,
        own: own.to_owned(),
        kind: item.kind,
        first: lines.of(item.span.start),
        last: lines.last_of(item.span),
        name_at,
        span: Span::new(start, item.span.end),
        is_local: item.flags.has(Flags::LOCAL),
        is_exported: facts.item(item.parent).unwrap_or(item).flags.has(Flags::EXPORTED),
    }
}

/// The name of an extension: its head without type arguments and paths, `impl Read for File`.
pub(crate) fn extension_name(text: &str, item: &Declaration) -> String {
    let end = if item.body.is_empty() { item.span.end } else { item.body.start };
    plain_head(text.get(item.span.start as usize..end as usize).unwrap_or_default())
}

/// A head as people write it from memory: without attributes, type arguments, paths and conditions.
pub(crate) fn plain_head(head: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0usize;
    for c in head.chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.saturating_sub(1),
            '{' if depth == 0 => break,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let words = plain.split_whitespace().take_while(|word| *word != "where");
    let words = words.map(|word| word.rsplit("::").next().unwrap_or(word));
    let words = words.filter(|word| !word.is_empty() && *word != "#");
    words.collect::<Vec<&str>>().join(" ")
}

/// Where the name of a declaration is written.
fn name_at(text: &str, item: &Declaration, own: &str) -> Span {
    let head_end = if item.body.is_empty() { item.span.end } else { item.body.start };
    let from = item.at.min(head_end) as usize;
    let head = text.get(from..head_end as usize).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let found = head.match_indices(own).find(|(at, _)| {
        !own.is_empty()
            && !head[..*at].ends_with(is_part)
            && !head[at + own.len()..].starts_with(is_part)
    });
    let start = from + found.map_or(0, |(at, _)| at);
    let end = if found.is_some() { start + own.len() } else { start };
    Span::new(start as u32, end as u32)
}

/// Code that is not parsed: what starts at the left edge holds what is indented below it. In a language of which
/// declarations are read, only what looks like one does: a call holds nothing.
fn indented(text: &str, is_read: bool) -> Vec<OutlineItem> {
    let mut items: Vec<OutlineItem> = Vec::new();
    let (mut start, mut is_open) = (0u32, false);
    for (line, number) in text.split_inclusive('\n').zip(1u32..) {
        let end = start + line.len() as u32;
        let is_heading = line.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@');
        if is_heading {
            let name = if is_read { declared_names(line).next().map(|one| one.name) } else { None };
            is_open = name.is_some() || !is_read;
            let heading = || line.trim().chars().take(LONGEST_HEADING).collect();
            // The name is a part of the line: where it begins, its address tells.
            let at = |name: &str| (name.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
            let name_at = name.and_then(|name| Some((at(name)? as u32, name.len() as u32)));
            let name_at = name_at.map_or(Span::new(start, start), |(at, length)| {
                Span::new(start + at, start + at + length)
            });
            let heading: String = name.map_or_else(heading, ToOwned::to_owned);
            if is_open {
                items.push(OutlineItem {
                    own: heading.clone(),
                    name: heading,
                    kind: DeclarationKind::Statement,
                    first: number,
                    last: number,
                    name_at,
                    span: Span::new(start, end),
                    is_local: true,
                    is_exported: false,
                });
            }
        } else if let Some(last) = items.last_mut().filter(|_| is_open) {
            last.span.end = end;
            if !line.trim().is_empty() {
                last.last = number;
            }
        }
        start = end;
    }
    items
}

#[cfg(test)]
mod tests {
    use super::{MOST_PARSED, Outline};

    fn check(path: &str, text: &str, line: u32, column: usize, expected: &str) {
        let outline = Outline::new(path, text.as_bytes());
        let found = outline.innermost(outline.place(line, column));
        let shown = found.map(|number| {
            let item = &outline.items()[number];
            format!("{} {}-{}", item.name, item.first, item.last)
        });
        assert_eq!(shown.unwrap_or_default(), expected, "{path}:{line}:{column}");
    }

    #[test]
    fn the_innermost_declaration_is_told_with_its_full_name() {
        let python =
            "class A:\n    def b(self):\n        x = 1\n        def c(): return 2\n\ny = 3\n";
        check("a.py", python, 1, 0, "A 1-4");
        check("a.py", python, 3, 8, "A.b 2-4");
        check("a.py", python, 4, 20, "A.b.c 4-4");
        check("a.py", python, 6, 0, "y 6-6");
        check("a.py", python, 5, 0, "");
        let assigned =
            "class A:\n    z = 1\n    def b(self):\n        self.x = (\n            1)\n";
        check("a.py", assigned, 5, 12, "A.b 3-5");
        check("a.py", assigned, 2, 4, "A.z 2-2");
        let ts =
            "import a from 'a';\nexport class B {\n  c() { const d = () => 1; return d(); }\n}\n";
        check("a.ts", ts, 1, 0, "");
        check("a.ts", ts, 3, 30, "B.c 3-3");
    }

    #[test]
    fn what_is_between_the_members_of_an_extension_stands_below_it() {
        let rust = "struct A;\n\nimpl<'a, T> de::Read<'a> for A<T> where T: Copy {\n    forward! { b }\n    fn c(&self) {}\n}\n";
        check("a.rs", rust, 3, 20, "impl Read for A 3-6");
        check("a.rs", rust, 4, 4, "impl Read for A 3-6");
        check("a.rs", rust, 5, 4, "A.c 5-5");
    }

    #[test]
    fn a_doc_comment_belongs_to_its_declaration() {
        check("a.ts", "/** What it is. */\nexport function f() {}\n", 1, 5, "f 2-2");
    }

    #[test]
    fn code_that_is_not_parsed_is_grouped_by_its_left_edge() {
        let objc = "int main(void) {\n  return 1;\n}\n\nint f() {\n  g();\n}\n";
        check("a.m", objc, 2, 3, "int main(void) { 1-3");
        check("a.m", objc, 6, 3, "int f() { 5-7");
    }

    #[test]
    fn a_call_in_code_too_large_to_be_parsed_is_no_declaration() {
        let filler = "// filler\n".repeat(MOST_PARSED / 10 + 1);
        let text = format!(
            "{filler}import a from 'a';\nexport function f() {{\n  g();\n}}\ng(1);\n  h();\n"
        );
        let first = filler.lines().count() as u32;
        check("a.ts", &text, first + 1, 3, "");
        let at = |line| format!("f {}-{}", line + 2, line + 4);
        check("a.ts", &text, first + 3, 3, &at(first));
        check("a.ts", &text, first + 5, 0, "");
        check("a.ts", &text, first + 6, 3, "");
        let outline = Outline::new("a.ts", text.as_bytes());
        let name_at = outline.items()[0].name_at;
        assert_eq!(&text[name_at.start as usize..name_at.end as usize], "f");
    }

    #[test]
    fn languages_that_a_query_describes_have_outlines() {
        let c = "#include <a.h>\nint main(void) {\n  return 1;\n}\n";
        check("a.c", c, 3, 3, "main 2-4");
        check("a.c", c, 1, 1, "");
        check(
            "a.rb",
            "module A\n  class B\n    def c\n      1\n    end\n  end\nend\n",
            4,
            6,
            "A.B.c 3-5",
        );
        check("a.md", "# A\n\n## B\n\ntext\n", 5, 0, "B 3-5");
    }

    #[test]
    fn text_that_is_no_utf8_has_an_outline_too() {
        let outline = Outline::new("a.py", b"x = '\xFF\xFE\xFF'\ndef f():\n    return 1\n");
        let found = outline.innermost(outline.place(3, 4)).unwrap();
        assert_eq!(outline.items()[found].name, "f");
    }
}
