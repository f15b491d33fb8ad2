//! Prints declarations for tests.

use portolan_types::declarations::{Declarations, Flags, Usage};

use crate::Extractor;

pub(crate) fn read(path: &str, text: &str) -> Declarations {
    Extractor::new().declarations(path, text)
}

/// Prints each declaration as `kind name`, with members indented. `…` marks a body that is not part
/// of the signature, `+` an export.
pub(crate) fn outline(path: &str, text: &str) -> String {
    let facts = read(path, text);
    let mut lines = String::new();
    for (item, number) in facts.items.iter().zip(0u32..) {
        if item.flags.has(Flags::LOCAL) {
            continue;
        }
        let depth = facts.ancestors(number).count() - 1;
        let mark = if item.flags.has(Flags::EXPORTED) { "+" } else { "" };
        let body = if item.body.is_empty() { "" } else { " …" };
        let (kind, name) = (item.kind.name(), facts.name(item.name));
        lines += &[" ".repeat(depth).as_str(), mark, kind, " ", name, body, "\n"].concat();
    }
    lines.trim_end().to_owned()
}

/// Prints the references with their usage: `v` value, `t` type, `.` member, `{` destructured, `:`
/// given.
pub(crate) fn references(path: &str, text: &str) -> String {
    let facts = read(path, text);
    let mark = |usage| match usage {
        Usage::Value => 'v',
        Usage::Type => 't',
        Usage::Member => '.',
        Usage::Taken => '{',
        Usage::Given => ':',
    };
    let each =
        facts.references.iter().map(|it| format!("{}{}", mark(it.usage), facts.name(it.name)));
    each.collect::<Vec<_>>().join(" ")
}

/// The signature of the first declaration with a name. Its doc comment comes first, before a bar.
pub(crate) fn signature_of(path: &str, text: &str, name: &str) -> String {
    use portolan_types::declarations::NONE;
    let facts = read(path, text);
    let item = facts.items.iter().find(|item| facts.name(item.name) == name).unwrap();
    let end = if item.body.is_empty() { item.span.end } else { item.body.start };
    let part = |start: u32, end: u32| text[start as usize..end as usize].trim();
    let doc = if item.doc == NONE { "" } else { part(item.doc, item.span.start) };
    format!("{doc}|{}", part(item.span.start, end))
}
