//! Tests that name some declarations, a line each.
//!
//! A test is a declared function, or in languages whose tests are calls the block whose head has a title in quotes. It
//! reaches a declaration as far as its text names it: that is cheap, and nothing more is said.

use std::collections::BTreeSet;

use portolan_languages::is_import_statement;
use portolan_wire::context::TestV2;

use crate::pack::context::{SliceCandidate as Piece, SliceDecl, SliceRole as Role};
use crate::pack::texts::{Texts, has_word};
use crate::pack::windows::around;
use crate::search::functions_of;

/// Shorter names are names of too much.
const SHORTEST_NAME: usize = 4;
/// A longer title is cut.
const LONGEST_TITLE: usize = 80;

/// A test that names some declarations.
pub(super) struct NamedTest {
    path: String,
    name: String,
    lines: (u32, u32),
    reaches: BTreeSet<String>,
}

impl NamedTest {
    pub(super) fn to_wire(&self) -> TestV2 {
        TestV2 {
            file: self.path.clone(),
            name: Some(self.name.clone()),
            line: Some(self.lines.0),
            reaches: self.reaches.iter().cloned().collect(),
            distance: 1,
        }
    }

    /// Its body.
    pub(super) fn piece(&self) -> Piece {
        let reached: Vec<&str> = self.reaches.iter().map(String::as_str).collect();
        let decl = SliceDecl {
            kind: "test".to_owned(),
            name: self.name.clone(),
            owner: None,
            lines: self.lines,
        };
        Piece {
            role: Role::Edit,
            why: vec![format!("names {}", reached.join(", "))],
            file: self.path.clone(),
            decl: Some(decl),
            ranges: vec![self.lines],
        }
    }
}

/// The tests of some files that name declarations, those that name most first; at most so many.
pub(super) fn tests_naming(
    texts: &Texts<'_>,
    files: &[String],
    names: &[&str],
    most: usize,
) -> Vec<NamedTest> {
    let names: Vec<&str> =
        names.iter().copied().filter(|name| name.len() >= SHORTEST_NAME).collect();
    let mut found: Vec<NamedTest> = Vec::new();
    for path in files {
        let Some(source) = texts.get(path) else { continue };
        let functions = functions_of(path, source.text.as_bytes());
        let lines: Vec<&str> = source.text.lines().collect();
        let is_said = |(_, text): &(u32, &&str)| !is_import_statement(text);
        for (line, text) in (1u32..).zip(&lines).filter(is_said) {
            for name in names.iter().filter(|name| has_word(text, name)) {
                let around = test_around(&functions, &source.text, &lines, line);
                let Some((title, range)) = around else { continue };
                let is_it = |it: &&mut NamedTest| it.path == *path && it.lines.0 == range.0;
                if let Some(known) = found.iter_mut().find(is_it) {
                    known.reaches.insert((*name).to_owned());
                } else {
                    let reaches = BTreeSet::from([(*name).to_owned()]);
                    let path = path.clone();
                    found.push(NamedTest { path, name: title, lines: range, reaches });
                }
            }
        }
    }
    found.sort_by_key(|test| std::cmp::Reverse(test.reaches.len()));
    found.truncate(most);
    found
}

/// The test around a line: its name and its lines.
fn test_around(
    functions: &[(String, (u32, u32))],
    text: &str,
    lines: &[&str],
    line: u32,
) -> Option<(String, (u32, u32))> {
    let holds = |(_, range): &&(String, (u32, u32))| (range.0..=range.1).contains(&line);
    if let Some((name, range)) = functions.iter().find(holds) {
        return Some((name.clone(), *range));
    }
    let block = around(text, line)?;
    let titled = |at: u32| Some((quoted(lines.get(at as usize - 1)?)?, at));
    let heads = heads_above(lines, line, block.0);
    let (title, head) = heads.into_iter().find_map(titled).or_else(|| titled(line))?;
    let depth = indent(lines.get(head as usize - 1)?);
    let inside = (head + 1..=block.1).take_while(|at| {
        let text = lines.get(*at as usize - 1).copied().unwrap_or_default();
        text.trim().is_empty() || indent(text) > depth
    });
    let last = inside.last().unwrap_or(head);
    let closing = lines.get(last as usize).is_some_and(|text| text.trim_start().starts_with('}'));
    Some((title, (head, (last + u32::from(closing)).min(block.1))))
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The first text in quotes of a line.
fn quoted(text: &str) -> Option<String> {
    let start = text.find(['\'', '"', '`'])?;
    let quote = text.get(start..)?.chars().next()?;
    let (title, _) = text.get(start + 1..)?.split_once(quote)?;
    let title: String = title.chars().take(LONGEST_TITLE).collect();
    (!title.trim().is_empty()).then_some(title)
}

/// The lines above one that it is inside of: each less indented than the one below it.
fn heads_above(lines: &[&str], line: u32, first: u32) -> Vec<u32> {
    let indent = |line: u32| {
        let text = lines.get(line as usize - 1).copied().unwrap_or_default();
        let closes = text.trim_start().starts_with(['}', ')', ']']);
        (!text.trim().is_empty() && !closes).then(|| text.len() - text.trim_start().len())
    };
    let Some(mut depth) = indent(line) else { return Vec::new() };
    let mut heads = Vec::new();
    for above in (first..line).rev() {
        if let Some(own) = indent(above).filter(|own| *own < depth) {
            depth = own;
            heads.push(above);
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::heads_above;
    use super::{quoted, test_around};
    use crate::pack::texts::has_word;

    #[test]
    fn a_test_is_a_function_or_a_block_with_a_title() {
        let text =
            "describe('links', () => {\n  it(\"opens\", () => {\n    openLink(1);\n  });\n});\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(test_around(&[], text, &lines, 3), Some(("opens".to_owned(), (2, 4))));
        let functions = [("test_open".to_owned(), (1, 2))];
        let text = "def test_open():\n    open_link()\n";
        let lines: Vec<&str> = text.lines().collect();
        let expected = Some(("test_open".to_owned(), (1, 2)));
        assert_eq!(test_around(&functions, text, &lines, 2), expected);
    }

    #[test]
    fn names_are_whole_words() {
        assert!(has_word("x = open_link(1)", "open_link"));
        assert!(!has_word("reopen_link(1)", "open_link") && !has_word("open_links", "open_link"));
        assert_eq!(quoted("it('a b', x)"), Some("a b".to_owned()));
        assert_eq!(quoted("x = 1"), None);
    }

    #[test]
    fn a_line_is_below_the_heads_of_its_blocks() {
        let text =
            "fn a() {\n  if b {\n    c();\n  }\n  for d in e {\n    f();\n\n    g();\n  }\n}\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(heads_above(&lines, 8, 1), [5, 1]);
        assert_eq!(heads_above(&lines, 3, 2), [2]);
        assert!(heads_above(&lines, 7, 1).is_empty(), "a blank line is inside of nothing");
    }
}
