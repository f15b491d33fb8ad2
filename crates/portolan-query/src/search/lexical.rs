//! Hits in code, in comments or in strings alone.

use grep_matcher::Matcher as _;
use portolan_languages::{LexicalKind, LexicalSpan, lexical_spans};
use portolan_wire::question::Within;

use super::pattern::CompiledPatterns;
use super::sweep::SweptFile;

/// Keeps the hits of a file that are in a part of its code.
pub(super) fn keep(file: &mut SweptFile, patterns: &CompiledPatterns, within: Within) {
    let spans = lexical_spans(file.path.as_str(), &file.bytes);
    let bytes = &file.bytes;
    file.hits.retain(|hit| {
        let line = bytes.get(hit.start..hit.end).unwrap_or_default();
        let mut is_in = false;
        // Searching a line in memory does not fail.
        let _ = patterns.any.find_iter(line, |found| {
            is_in |= part_of(&spans, hit.start + found.start()) == within;
            !is_in
        });
        is_in
    });
}

/// Which part of the code a place is in.
fn part_of(spans: &[LexicalSpan], at: usize) -> Within {
    let before = spans.partition_point(|span| span.start <= at);
    let span = before.checked_sub(1).and_then(|last| spans.get(last));
    match span.filter(|span| at < span.end).map(|span| span.kind) {
        None => Within::Code,
        Some(LexicalKind::Comment) => Within::Comments,
        Some(LexicalKind::Text) => Within::Strings,
    }
}
