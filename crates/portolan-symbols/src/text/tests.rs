//! Tests of lines and ranges.

use std::collections::BTreeSet;

use portolan_types::declarations::Span;

use super::{LineStarts, ranges};

#[test]
fn lines_are_counted_and_found() {
    let lines = LineStarts::new("a\nbé\n\nc\n");
    assert_eq!(lines.count(), 4);
    assert_eq!((lines.of(0), lines.of(2), lines.of(6)), (1, 2, 3));
    assert_eq!(lines.last_of(Span::new(0, 2)), 1, "the end of a line is part of it");
    assert_eq!(lines.text("a\nbé\n\nc\n", 2), "bé");
    assert_eq!(LineStarts::new("").count(), 1);
}

#[test]
fn columns_count_utf16_units() {
    let text = "x\n😀b = 1";
    let lines = LineStarts::new(text);
    assert_eq!(lines.offset(text, 2, 1), 2);
    assert_eq!(lines.offset(text, 2, 3), 6, "two units for one character");
    assert_eq!(lines.offset(text, 2, 99), text.len() as u32);
    assert_eq!(lines.offset(text, 99, 1), text.len() as u32);
}

#[test]
fn consecutive_lines_form_one_range() {
    assert_eq!(ranges(&BTreeSet::from([1, 2, 3, 7, 9, 10])), [(1, 3), (7, 7), (9, 10)]);
    assert_eq!(ranges(&BTreeSet::new()), []);
}
