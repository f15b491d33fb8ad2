//! What the scanners of grammars cannot bear.
//!
//! The scanner of a grammar keeps its state in a buffer of 1,024 bytes. Those of YAML, Python and Ruby do not always see that
//! it is full, and the process ends. So what would fill it is blanked before it is parsed: all places stay as they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Language;

/// The most columns at which lines of Python may start: each is two bytes of state, beside 257 for open strings.
const MOST_COLUMNS: usize = 250;
/// The most levels of YAML: each is four bytes of state.
const MOST_LEVELS: usize = 180;
/// The most marks of YAML in a line that may open a level each, where the columns of all marks are more than the levels that a
/// scanner can bear. Then those behind them are left out, also in brackets and in comments behind code: what a line is in
/// shows only to a parser, and where it finds errors, such marks may open levels, too.
const MOST_MARKS: usize = 16;
/// The most bytes of state that heredocs and strings of Ruby may take.
const MOST_STATE: usize = 1000;
/// The longest word that ends a heredoc of Ruby.
const LONGEST_WORD: usize = 120;

/// A text without what the scanner of a grammar cannot bear. What is left out is replaced by as many bytes.
pub(super) fn bearable<'t>(language: &Language, text: &'t str) -> Cow<'t, [u8]> {
    let is = |other: tree_sitter_language::LanguageFn| *language == Language::from(other);
    if is(tree_sitter_yaml::LANGUAGE) {
        yaml(text.as_bytes())
    } else if is(tree_sitter_python::LANGUAGE) {
        python(text.as_bytes())
    } else if is(tree_sitter_ruby::LANGUAGE) {
        ruby(text)
    } else {
        Cow::Borrowed(text.as_bytes())
    }
}

/// The lines of a text with where they start, without their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    text.split(|byte| matches!(byte, b'\n' | b'\r')).map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line)
    })
}

/// Blanks the lines that start further right than a scanner can bear. `costs` gives what each column takes of its state.
fn without_columns<'t>(
    text: &'t [u8],
    costs: &BTreeMap<usize, usize>,
    most: usize,
    column: impl Fn(&[u8]) -> Option<usize>,
) -> Cow<'t, [u8]> {
    let mut sum = 0;
    let mut is_over = |cost: &usize| {
        sum += cost;
        sum > most
    };
    let mut costs = costs.iter().map(|(column, cost)| (*column, *cost));
    let Some((first, _)) = costs.find(|(_, cost)| is_over(cost)) else {
        return Cow::Borrowed(text);
    };
    let mut kept = text.to_vec();
    for (start, line) in lines(text) {
        if column(line).is_some_and(|column| column >= first)
            && let Some(line) = kept.get_mut(start..start + line.len())
        {
            line.fill(b' ');
        }
    }
    Cow::Owned(kept)
}

/// The column of a line as the scanner of Python counts it; none of a blank line.
fn python_column(line: &[u8]) -> Option<usize> {
    let mut column = 0_usize;
    for byte in line {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 8,
            b'\x0C' => column = 0,
            _ => return Some(column & 0xFFFF),
        }
    }
    None
}

fn python(text: &[u8]) -> Cow<'_, [u8]> {
    let columns = lines(text).filter_map(|(_, line)| python_column(line));
    let costs: BTreeMap<usize, usize> = columns.map(|column| (column, 1)).collect();
    without_columns(text, &costs, MOST_COLUMNS, python_column)
}

/// The column of a line of YAML; none of a blank line.
fn yaml_column(line: &[u8]) -> Option<usize> {
    line.iter().position(|byte| !matches!(byte, b' ' | b'\t'))
}

/// Where a line has marks that may open a level.
fn yaml_marks(line: &[u8]) -> impl Iterator<Item = usize> {
    let is_mark = |at: &usize| {
        matches!(line.get(*at), Some(b'-' | b'?' | b':' | b'|' | b'>'))
            && matches!(line.get(at + 1), None | Some(b' ' | b'\t' | 0 | b'+' | b'-' | b'0'..=b'9'))
    };
    (0..line.len()).filter(is_mark)
}

/// The levels that a line of YAML may open: one for its key, and those before it.
fn yaml_levels(line: &[u8]) -> usize {
    let mut levels = 2;
    let mut at = yaml_column(line).unwrap_or_default();
    while matches!(line.get(at), Some(b'-' | b'?' | b':'))
        && matches!(line.get(at + 1), None | Some(b' ' | b'\t'))
    {
        levels += 1;
        at += 1;
        while matches!(line.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
    }
    levels
}

/// Whether a line of YAML is a comment. One with quotes may end a string that an earlier line starts.
fn is_yaml_comment(line: &[u8]) -> bool {
    line.trim_ascii_start().first() == Some(&b'#') && memchr::memchr2(b'"', b'\'', line).is_none()
}

/// The columns of some places in a line. The scanner counts characters.
fn columns_of(line: &[u8], places: &[usize]) -> Vec<usize> {
    let (mut at, mut column) = (0, 0);
    let column_of = |place: &usize| {
        let part = line.get(at..*place).unwrap_or_default();
        column += part.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        at = *place;
        column
    };
    places.iter().map(column_of).collect()
}

fn yaml(text: &[u8]) -> Cow<'_, [u8]> {
    let mut costs: BTreeMap<usize, usize> = BTreeMap::new();
    let mut columns: BTreeSet<(usize, u8)> = BTreeSet::new();
    // Where the marks are that a line has too many of.
    let mut more: Vec<usize> = Vec::new();
    for (start, line) in lines(text) {
        let Some(column) = yaml_column(line) else { continue };
        if !is_yaml_comment(line) {
            let marks: Vec<usize> = yaml_marks(line).skip(MOST_MARKS).collect();
            let kinds = marks.iter().filter_map(|at| line.get(*at).copied());
            columns.extend(columns_of(line, &marks).into_iter().zip(kinds));
            more.extend(marks.iter().map(|mark| start + mark));
        }
        let levels = yaml_levels(line).min(MOST_MARKS + 2);
        let cost = costs.entry(column).or_default();
        *cost = levels.max(*cost);
    }
    // Each level starts further right than that which it is in, so there are no more than columns of marks.
    if columns.len() + costs.values().sum::<usize>() <= MOST_LEVELS {
        return Cow::Borrowed(text);
    }
    if more.is_empty() {
        return without_columns(text, &costs, MOST_LEVELS, yaml_column);
    }
    let mut marked = text.to_vec();
    for mark in more {
        if let Some(byte) = marked.get_mut(mark) {
            *byte = b'x';
        }
    }
    let kept = without_columns(&marked, &costs, MOST_LEVELS, yaml_column);
    Cow::Owned(kept.into_owned())
}

/// What may start a heredoc of Ruby.
struct Heredoc<'t> {
    /// From the `<<` to the end of the word.
    start: usize,
    end: usize,
    word: &'t [u8],
    /// Whether its word is in quotes that the line does not close. The scanner reads on to the next quote, wherever it is.
    is_endless: bool,
}

/// What may start heredocs in a part of a text. A word in quotes may go over the end of a line: it counts as endless.
fn heredocs(text: &[u8], from: usize, to: usize) -> Vec<Heredoc<'_>> {
    let part = text.get(from..to).unwrap_or_default();
    // Of three signs, the last two may be it.
    let starts = memchr::memchr_iter(b'<', part).filter(|at| part.get(at + 1) == Some(&b'<'));
    let found = starts.filter_map(|at| {
        let start = from + at;
        let mut at = start + 2;
        if matches!(text.get(at), Some(b'-' | b'~')) {
            at += 1;
        }
        let is_quote = matches!(text.get(at), Some(b'"' | b'\'' | b'`'));
        let first = if is_quote { at + 1 } else { at };
        let quote = text.get(at).copied().unwrap_or_default();
        let is_in_word = |byte: &u8| {
            if is_quote {
                *byte != quote && *byte != b'\n'
            } else {
                byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii()
            }
        };
        let length = text.get(first..)?.iter().take_while(|byte| is_in_word(byte)).count();
        let end = first + length + usize::from(is_quote);
        let word = text.get(first..first + length)?;
        let is_endless = is_quote && text.get(first + length) != Some(&quote);
        let end = end.min(text.len());
        (length > 0 || is_endless).then_some(Heredoc { start, end, word, is_endless })
    });
    found.collect()
}

fn ruby(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    let all = heredocs(bytes, 0, bytes.len());
    if all.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let words = all.iter().map(|heredoc| 4 + heredoc.word.len()).sum::<usize>();
    // Strings are in each other where code is in them.
    let strings = 20 + 2 * memchr::memmem::find_iter(bytes, b"#{").count();
    let is_short =
        all.iter().all(|heredoc| !heredoc.is_endless && heredoc.word.len() <= LONGEST_WORD);
    if is_short && words + 5 * strings <= MOST_STATE {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(without_heredocs(bytes))
}

/// A text of Ruby with all that may start a heredoc as a string, and without its lines.
fn without_heredocs(text: &[u8]) -> Vec<u8> {
    let lines: Vec<(usize, &[u8])> = lines(text).collect();
    let mut ends: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (number, (_, line)) in lines.iter().enumerate() {
        ends.entry(line.trim_ascii()).or_default().push(number);
    }
    let mut kept = text.to_vec();
    let mut number = 0;
    while let Some((start, line)) = lines.get(number) {
        number += 1;
        for heredoc in heredocs(text, *start, start + line.len()) {
            if let Some(word) = kept.get_mut(heredoc.start..heredoc.end) {
                let is_line = !word.contains(&b'\n');
                match word {
                    [first, inner @ .., last] if is_line => {
                        (*first, *last) = (b'"', b'"');
                        inner.fill(b'_');
                    }
                    _ => {}
                }
            }
            // What only looks like one is left: it is none any more.
            if let Some(mark) = kept.get_mut(heredoc.start..heredoc.start + 2)
                && mark == b"<<"
            {
                mark.copy_from_slice(b"+ ");
            }
            if heredoc.is_endless {
                continue;
            }
            let end = ends
                .get(heredoc.word)
                .and_then(|found| found.get(found.partition_point(|line| *line < number)).copied());
            let Some(end) = end else { continue };
            for (start, line) in lines.get(number..=end).unwrap_or_default() {
                if let Some(line) = kept.get_mut(*start..start + line.len()) {
                    line.fill(b' ');
                }
            }
            number = end + 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use tree_sitter::Language;

    use super::{bearable, python, ruby, without_heredocs, yaml};
    use crate::Scratch;
    use crate::syntax::grammar::parse;

    const YAML: fn() -> Language = || tree_sitter_yaml::LANGUAGE.into();
    const PYTHON: fn() -> Language = || tree_sitter_python::LANGUAGE.into();
    const RUBY: fn() -> Language = || tree_sitter_ruby::LANGUAGE.into();

    /// Parses what ended the process before.
    fn is_parsed(language: &Language, text: &str) {
        parse(language, text, &mut Scratch::default()).unwrap();
    }

    #[test]
    fn deep_yaml_is_parsed() {
        for depth in [100, 253, 254, 256, 300, 1000] {
            let blocks: String = (0..depth).fold(String::new(), |mut text, level| {
                let _ = writeln!(text, "{:level$}a:", "");
                text
            });
            is_parsed(&YAML(), &blocks);
            // Marks at other columns in each line.
            for count in [2, 4, 9] {
                let lines = (0..count).map(|line| {
                    let mark = ["-", "?", ":"].get(line % 3).unwrap_or(&"-");
                    format!("{}{}", "ä".repeat(line), format!("{mark}  ").repeat(depth / count))
                });
                let lines: Vec<String> = lines.collect();
                is_parsed(&YAML(), &format!("{}x\n", lines.join("\n ")));
                is_parsed(&YAML(), &format!("a: ]\n{}x\n", lines.join("[\n")));
            }
            for mark in ["- ", "? ", ": ", "- a: ", "| ", "{a: ", "[- ", "{ ] ? ", "x # - "] {
                is_parsed(&YAML(), &format!("{}x\n", mark.repeat(depth)));
                is_parsed(&YAML(), &format!("a: ]\n{}x\n", mark.repeat(depth)));
            }
            // A line at the left edge inside brackets ends no level.
            let mut text = String::new();
            for level in 0..depth {
                let _ = writeln!(text, "{:level$}a:", "");
                if level % 50 == 49 {
                    let _ = write!(text, "{:level$} b: [\n]\n{:level$} c:\n", "", "");
                }
            }
            is_parsed(&YAML(), &text);
        }
    }

    #[test]
    fn deep_python_is_parsed() {
        for depth in [250, 383, 384, 510, 511, 512, 600, 1000] {
            let mut text = "def f():\n".to_owned();
            for level in 1..=depth {
                let _ = writeln!(text, "{:level$}if a:", "");
            }
            let _ = writeln!(text, "{:depth$} x = f\"{{a}}\"", "");
            is_parsed(&PYTHON(), &text);
        }
    }

    #[test]
    fn heredocs_of_any_word_are_parsed() {
        for length in [100, 251, 252, 256, 300, 1017, 1018, 1019, 1020, 3000] {
            let word = "A".repeat(length);
            is_parsed(&RUBY(), &format!("def f\n x = <<{word}\n b\n{word}\nend\n"));
            is_parsed(&RUBY(), &format!("def f\n x = <<~\"{word}\"\n b\n {word}\nend\n"));
            is_parsed(&RUBY(), &format!("def f\n x = <<~\"{word}\n b\n {word}\"\nend\n"));
            // The scanner reads a word in quotes over the end of the line.
            for start in ["<<\"A\n", "<<\"\n", "<<'\n", "<<-`A\r\n", "<<<\"\n"] {
                for end in ["\"\n", "'\n", "`\n", ""] {
                    is_parsed(&RUBY(), &format!("x = {start}{word}{end}"));
                }
            }
        }
        for last in 200..270 {
            let words = [("A", 255), ("B", 255), ("C", 255), ("D", last)];
            let words = words.map(|(letter, length)| format!("<<{}", letter.repeat(length)));
            is_parsed(&RUBY(), &format!("x = {}\n", words.join(", ")));
        }
        // Strings in strings fill the rest.
        for depth in 190..210 {
            let strings = "\"#{".repeat(depth);
            for length in 1..8 {
                is_parsed(&RUBY(), &format!("x = {strings}<<{}\n", "A".repeat(length)));
            }
        }
    }

    #[test]
    fn usual_texts_stay_as_they_are() {
        let yaml_text = "a:\n  - b: 1\n    c: |\n      x - y - z: | a |\n";
        assert!(matches!(yaml(yaml_text.as_bytes()), Cow::Borrowed(_)));
        for part in ["k: 1, ", "- b ", "a > b "] {
            let prose = format!("a: {{{}}}\nb: 1\n", part.repeat(40));
            assert!(matches!(yaml(prose.as_bytes()), Cow::Borrowed(_)), "{prose}");
            let comment = format!("# {}\nb: 1\n", part.repeat(400));
            assert!(matches!(yaml(comment.as_bytes()), Cow::Borrowed(_)), "{comment}");
            is_parsed(&YAML(), &comment);
            is_parsed(&YAML(), &format!("a: ]\n {comment}"));
        }
        assert!(matches!(python(b"def f():\n    return 1\n"), Cow::Borrowed(_)));
        assert!(matches!(ruby("x = <<~RUBY\n  a\nRUBY\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_left_out_keeps_the_places_of_the_rest() {
        let text = b"x = <<~RUBY, <<A\n  class B\nRUBY\n  c\nA\ny <<Z\nclass D\nend\n";
        let kept = String::from_utf8(without_heredocs(text)).unwrap();
        let blank = "         \n    \n   \n \n";
        assert_eq!(kept, format!("x = \"_____\", \"_\"\n{blank}y \"_\"\nclass D\nend\n"));
    }

    /// Texts of the parts that fill the state of a scanner.
    fn hostile() -> impl Strategy<Value = String> {
        let parts = prop::sample::select(vec![
            "- ", "? ", ": ", "a: ", "\n", "\n ", "\n  ", "  ", "[", "]", "{", "}", "|\n", ">\n",
            "\"", "'", "#{", "<<A", "<<~'B'", "<<\"", "<<'", "A\n", "f\"{", "if a:\n", "&a ",
            "!t ", "---\n", "%w(", "\t", "x", "(", ")",
        ]);
        let many = (parts, 1_usize..120);
        prop::collection::vec(many, 1..40).prop_map(|parts| {
            let mut text = String::new();
            let mut indent = 0;
            for (part, times) in parts {
                match part {
                    "\n " => {
                        for _ in 0..times {
                            indent += 1;
                            let _ = write!(text, "\n{:indent$}a:", "");
                        }
                    }
                    "\n  " => {
                        indent = indent.saturating_sub(times);
                        let _ = write!(text, "\n{:indent$}", "");
                    }
                    part => text.push_str(&part.repeat(times)),
                }
            }
            text
        })
    }

    proptest! {
        #[test]
        fn no_text_ends_the_process(text in hostile()) {
            for language in [YAML(), PYTHON(), RUBY()] {
                prop_assert_eq!(bearable(&language, &text).len(), text.len());
                let _ = parse(&language, &text, &mut Scratch::default());
            }
        }
    }
}
