//! Decides which lines show a declaration.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};

use super::LineStarts;

/// A text with its declarations.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'s> {
    /// The text.
    pub text: &'s str,
    /// The starts of its lines.
    pub lines: &'s LineStarts,
    /// Its declarations.
    pub facts: &'s Declarations,
}

/// How much of a declaration is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Show {
    /// All of it, with its doc comment.
    Whole,
    /// Its signature.
    Head,
    /// Its signature without its members, if there are more than a few.
    Start,
}

/// If a declaration has more members than this, only the mentioned ones are shown.
pub const MANY_MEMBERS: usize = 8;
/// This many members are shown whether they are mentioned or not.
const FEW_MEMBERS: usize = 3;
/// A type without a body is shown completely up to this many lines.
const LONG_TYPE: u32 = 12;
/// Of a longer type, this many lines are shown.
const TYPE_START: u32 = 6;
/// The same limit for values.
const LONG_VALUE: u32 = 5;
const VALUE_START: u32 = 3;
/// The most lines shown of a declaration that encloses a shown member.
const AROUND: u32 = 3;

/// The lines that show a declaration, as inclusive ranges.
pub fn lines_of(
    source: &SourceText<'_>,
    item: u32,
    show: Show,
    mentioned: &BTreeSet<Box<str>>,
) -> Vec<(u32, u32)> {
    let Some(declared) = source.facts.item(item) else { return Vec::new() };
    let mut ranges = Vec::new();
    for around in source.facts.ancestors(item).skip(1) {
        if let Some(around) = source.facts.item(around) {
            ranges.push(opening(source, around));
        }
    }
    match show {
        Show::Whole => {
            let start = if declared.doc == NONE { declared.span.start } else { declared.doc };
            ranges.push((source.lines.of(start), source.lines.last_of(declared.span)));
        }
        Show::Head => head(source, declared, Some(mentioned), &mut ranges),
        Show::Start => head(source, declared, None, &mut ranges),
    }
    ranges
}

/// The first lines of a declaration that encloses a member.
fn opening(source: &SourceText<'_>, around: &Declaration) -> (u32, u32) {
    // Inside executable code, the line itself is enough.
    let first = source.lines.of(around.span.start);
    if around.flags.has(Flags::LOCAL) || around.body.is_empty() {
        return (first, first);
    }
    let last = source.lines.of(around.body.start);
    (first, last.min(first + AROUND - 1))
}

fn head(
    source: &SourceText<'_>,
    declared: &Declaration,
    mentioned: Option<&BTreeSet<Box<str>>>,
    ranges: &mut Vec<(u32, u32)>,
) {
    let first = source.lines.of(declared.span.start);
    let own = source.lines.of(declared.at);
    if declared.body.is_empty() {
        let last = source.lines.last_of(declared.span);
        let (long, start) = match declared.kind {
            DeclarationKind::Type => (LONG_TYPE, TYPE_START),
            _ => (LONG_VALUE, VALUE_START),
        };
        let shown = if last - first < long { last } else { first + start - 1 };
        ranges.push((first, shown));
        ranges.push((own, own));
        return;
    }
    ranges.push((first, source.lines.of(declared.body.start)));
    ranges.push((own, own));
    let members = source.facts.list(declared.members);
    if mentioned.is_none() && members.len() > FEW_MEMBERS {
        return;
    }
    let is_named = |member: &Declaration| {
        mentioned.is_some_and(|names| names.contains(source.facts.name(member.name)))
    };
    let items = || members.iter().filter_map(|member| source.facts.item(*member));
    // If some members are mentioned, the others are irrelevant.
    let is_about_some = members.len() > FEW_MEMBERS && items().any(is_named);
    let is_few = members.len() <= MANY_MEMBERS
        && !is_about_some
        && declared.kind != DeclarationKind::Namespace;
    for member in items() {
        if is_few || is_named(member) {
            ranges.push(member_head(source, member));
        }
    }
}

fn member_head(source: &SourceText<'_>, member: &Declaration) -> (u32, u32) {
    let first = source.lines.of(member.span.start);
    if !member.body.is_empty() {
        return (first, source.lines.of(member.body.start));
    }
    let last = source.lines.last_of(member.span);
    (first, if last - first < LONG_VALUE { last } else { first + VALUE_START - 1 })
}

/// The lines that are shown, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownFiles {
    /// For each file the lines, from 1.
    pub files: BTreeMap<FileId, BTreeSet<u32>>,
}

impl ShownFiles {
    /// Adds lines.
    pub fn add(&mut self, file: FileId, ranges: &[(u32, u32)]) {
        let lines = self.files.entry(file).or_default();
        for (first, last) in ranges {
            lines.extend(*first..=*last);
        }
    }
}

/// Joins consecutive lines into ranges.
pub fn ranges(lines: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    ranges
}
