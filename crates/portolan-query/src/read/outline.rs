//! The outline of a long file or class: what it declares, with the lines of each.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};
use portolan_types::{FileId, Sha256Digest};

use super::titles::{TestTitle, titles};
use crate::search::FileClass;
use portolan_index::symbols::{Loaded, SymbolDb, heading};
use portolan_index::token_counts::Tokenizer;

/// What a file declares, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOutline {
    /// The file.
    pub file: String,
    /// How many lines it has.
    pub lines: u32,
    /// The digest of the whole file.
    pub sha256: Sha256Digest,
    /// The declarations, in the order of the text.
    pub items: Vec<OutlineEntry>,
}

/// A declaration in an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The full name.
    pub name: String,
    /// The kind.
    pub kind: DeclarationKind,
    /// The first line, without comments above it.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// How many declarations it is inside of.
    pub depth: usize,
    /// What is written before its body, on one line.
    pub signature: String,
}

/// The most bytes of a signature that are shown.
const LONGEST: usize = 160;
/// The same, where there is little room.
const SHORT: usize = 48;
/// The most enclosing declarations that are part of a name.
const DEEPEST: usize = 16;

/// The outline of a file, or of a declaration in it.
pub(crate) fn outline(symbols: &SymbolDb<'_>, file: FileId, item: u32) -> Option<FileOutline> {
    let loaded = symbols.shown(file)?;
    let facts = &loaded.facts;
    let within = facts.item(item).map(|item| item.span);
    let is_inside = |it: &Declaration| {
        within.is_none_or(|span| span.start <= it.span.start && it.span.end <= span.end)
    };
    let wrappers = wrappers(&loaded);
    let numbered = facts.items.iter().zip(0u32..);
    let shown = numbered
        .filter(|(it, number)| is_inside(it) && is_shown(facts, it) && !wrappers.contains(number));
    let mut items: Vec<OutlineEntry> =
        shown.map(|(_, number)| entry(&loaded, number, &wrappers)).collect();
    if within.is_none() && FileClass::of(&symbols.path(file)) == FileClass::Test {
        items.extend(titles(&loaded.text).iter().filter_map(titled));
    }
    items.sort_by_key(|entry| (entry.first, entry.depth));
    let (lines, sha256) = (loaded.lines.count(), loaded.sha256);
    Some(FileOutline { file: symbols.path(file), lines, sha256, items })
}

/// A test with a title, as an entry.
fn titled(test: &TestTitle) -> Option<OutlineEntry> {
    let signature = format!("{:?}", test.titles.last()?);
    Some(OutlineEntry {
        name: test.titles.join(" "),
        kind: DeclarationKind::Function,
        first: test.first,
        last: test.last,
        depth: test.titles.len() - 1,
        signature,
    })
}

/// Whether an outline has it: what is called or named from elsewhere, and not what is local or a mere field.
fn is_shown(facts: &Declarations, item: &Declaration) -> bool {
    let is_top = item.parent == NONE
        || facts.item(item.parent).is_some_and(|it| it.kind == DeclarationKind::Namespace);
    !item.flags.has(Flags::LOCAL)
        && match item.kind {
            DeclarationKind::Statement
            | DeclarationKind::Property
            | DeclarationKind::EnumMember
            | DeclarationKind::Signature => false,
            DeclarationKind::Variable | DeclarationKind::Type => is_top,
            _ => true,
        }
}

/// The declarations that only say whose member the one declaration on their lines is: `func (c *Command) Run()`.
fn wrappers(loaded: &Loaded) -> BTreeSet<u32> {
    let items = &loaded.facts.items;
    let rows = |it: &Declaration| (loaded.lines.of(it.span.start), loaded.lines.last_of(it.span));
    let wrapper = |it: &Declaration| {
        let around = loaded.facts.item(it.parent)?;
        let is_one = around.kind == DeclarationKind::Extension && rows(around) == rows(it);
        is_one.then_some(it.parent)
    };
    items.iter().filter_map(wrapper).collect()
}

fn entry(loaded: &Loaded, number: u32, wrappers: &BTreeSet<u32>) -> OutlineEntry {
    let facts = &loaded.facts;
    let around = facts.ancestors(number).filter_map(|around| facts.item(around));
    let mut names: Vec<&str> = around
        .map(|it| facts.name(it.name))
        .filter(|name| !name.is_empty())
        .take(DEEPEST)
        .collect();
    names.reverse();
    let (kind, first, last, signature) = match facts.item(number) {
        Some(item) => (
            item.kind,
            loaded.lines.of(item.span.start),
            loaded.lines.last_of(item.span),
            heading(&loaded.text, item, LONGEST),
        ),
        None => (DeclarationKind::Statement, 0, 0, String::new()),
    };
    let depth = facts.ancestors(number).skip(1).filter(|it| !wrappers.contains(it)).count();
    OutlineEntry { name: names.join("."), kind, first, last, depth, signature }
}

impl FileOutline {
    /// The outline as lines, within so many tokens: with less room shorter signatures, then only what is outermost, then
    /// what comes first. What is left out is counted.
    pub fn to_text(&self, room: u64) -> String {
        let count = |text: &str| Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default();
        let depths = [(LONGEST, usize::MAX), (SHORT, usize::MAX), (SHORT, 0)];
        let mut text = String::new();
        for (longest, depth) in depths {
            text = self.written(longest, depth);
            if count(&text) <= room {
                return text;
            }
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut fitting = String::new();
        for (at, line) in lines.iter().enumerate() {
            let rest = format!("… {} more declarations\n", lines.len() - at);
            if count(&format!("{fitting}{line}{rest}")) > room {
                fitting.push_str(&rest);
                break;
            }
            fitting.push_str(line);
        }
        fitting
    }

    fn written(&self, longest: usize, deepest: usize) -> String {
        let mut text = String::new();
        // In order of their first lines, so that each item finds those in it without a look at all.
        let hidden: Vec<&OutlineEntry> =
            self.items.iter().filter(|item| item.depth > deepest).collect();
        for item in self.items.iter().filter(|item| item.depth <= deepest) {
            let start = hidden.partition_point(|it| it.first < item.first);
            let end = hidden.partition_point(|it| it.first <= item.last);
            let inside = hidden.get(start..end).unwrap_or_default();
            let more = match inside.iter().filter(|it| it.last <= item.last).count() {
                0 => String::new(),
                count => format!(" … {count} in it"),
            };
            let signature = shortened(&item.signature, longest);
            let indent = " ".repeat(item.depth);
            let lines = lines_of(item.first, item.last);
            // Writing to a string does not fail.
            let _ = writeln!(text, "{lines}\t{indent}{signature}{more}");
        }
        text
    }
}

fn lines_of(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

fn shortened(signature: &str, longest: usize) -> String {
    if signature.len() <= longest {
        return signature.to_owned();
    }
    let mut end = longest;
    while !signature.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &signature[..end])
}
