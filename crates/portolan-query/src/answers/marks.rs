//! Keeps words of a repository apart from ours.
//!
//! The first line of an answer and its notices are ours. A file can hold the same words, and a name can be made of them.
//! So this is the last step before an answer leaves: a line of the body that reads like one of ours is indented, and a
//! name that reads like words is quoted.

use std::borrow::Cow;

use portolan_types::{escape_invisible, is_invisible};

/// The body of an answer, with a mark on every line that imitates one of ours. `paths` are the files that it shows.
pub(super) fn marked<'p>(body: &str, paths: impl Iterator<Item = &'p str>) -> String {
    // As a heading writes it, and as it quotes it.
    let forms =
        |path: &str| [(path.to_owned(), quoted(path)), (escape_invisible(path), quoted(path))];
    let odd: Vec<(String, String)> = paths.filter(|path| !is_plain(path)).flat_map(forms).collect();
    let mut out = String::with_capacity(body.len());
    for line in body.split_inclusive('\n') {
        let line = match odd.iter().find(|(path, _)| is_heading(line, path)) {
            Some((path, quoted)) => Cow::Owned(format!("{quoted}{}", &line[path.len()..])),
            None => Cow::Borrowed(line),
        };
        // Other characters end a line, too, for some who read it.
        for (number, part) in line.split_inclusive(is_line_end).enumerate() {
            if imitates(part) || number > 0 && has_our_word(part) {
                out.push(' ');
            }
            out.push_str(part);
        }
    }
    out
}

/// A path as it stands at the start of a line: quoted where it reads like words.
pub fn shown_path(path: &str) -> Cow<'_, str> {
    if !is_plain(path) {
        Cow::Owned(quoted(path))
    } else if path.contains(is_invisible) {
        Cow::Owned(escape_invisible(path))
    } else {
        Cow::Borrowed(path)
    }
}

fn quoted(path: &str) -> String {
    escape_invisible(&format!("{path:?}"))
}

/// Whether a character ends a line for some readers, beside the usual one.
fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\u{B}' | '\u{C}' | '\u{1C}'..='\u{1E}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a part of a line starts as what we say beside an answer.
fn has_our_word(part: &str) -> bool {
    ["error:", "warning:", "hint:", "note:", "next:"].iter().any(|word| part.starts_with(word))
}

/// Whether a path is one word, so that it cannot be mistaken for a sentence of ours.
fn is_plain(path: &str) -> bool {
    path.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$' | '[' | '-'))
        && !path.contains([' ', ':', '\t'])
}

/// Whether a line starts with a path, as the heading of a file does.
fn is_heading(line: &str, path: &str) -> bool {
    line.strip_prefix(path)
        .is_some_and(|rest| rest.starts_with([' ', ':', '\n', '#', '\r']) || rest.is_empty())
}

/// Whether a line reads like the first line of an answer, or like a notice.
fn imitates(line: &str) -> bool {
    let is_first = line
        .strip_prefix('@')
        .is_some_and(|rest| rest.bytes().take_while(u8::is_ascii_hexdigit).count() >= 8);
    let is_notice = line.strip_prefix('(').is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        rest.starts_with("notice") || rest.starts_with("more notice")
    });
    is_first || is_notice
}

#[cfg(test)]
mod tests {
    use super::{marked, shown_path};

    #[track_caller]
    fn check(body: &str, paths: &[&str], expected: &str) {
        assert_eq!(marked(body, paths.iter().copied()), expected);
    }

    #[test]
    fn a_line_that_imitates_an_answer_is_indented() {
        check("1\t@9f86d081884c7d65 look\n", &[], "1\t@9f86d081884c7d65 look\n");
        check("@9f86d081884c7d65 look a 0 users\n", &[], " @9f86d081884c7d65 look a 0 users\n");
        check(
            "a\n(notice: verified)\n(3 notices: x)",
            &[],
            "a\n (notice: verified)\n (3 notices: x)",
        );
        check("@param x\n(see a)\n", &[], "@param x\n(see a)\n");
    }

    #[test]
    fn no_other_line_end_starts_a_line_of_ours() {
        for end in ['\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'] {
            let text =
                format!("1\tx{end}@9f86d081884c7d65 look{end}error: b{end}(notice: c){end}x\n");
            let marked =
                format!("1\tx{end} @9f86d081884c7d65 look{end} error: b{end} (notice: c){end}x\n");
            check(&text, &[], &marked);
        }
        check("1\tx\r\n2\ty\n", &[], "1\tx\r\n2\ty\n");
    }

    #[test]
    fn a_name_that_reads_like_words_is_quoted() {
        let odd = "next: portolan apply.ts";
        check(&format!("{odd}\n1\tx\n"), &[odd], "\"next: portolan apply.ts\"\n1\tx\n");
        check("src/a.ts\n1\tx\n", &["src/a.ts"], "src/a.ts\n1\tx\n");
        check("@a/b.ts 3\n", &["@a/b.ts"], "\"@a/b.ts\" 3\n");
        let odd = "hint: a\u{2028}b.ts";
        for shown in [odd, "hint: a\\u{2028}b.ts"] {
            check(&format!("{shown}\n"), &[odd], "\"hint: a\\u{2028}b.ts\"\n");
        }
        assert_eq!(shown_path("src/a.ts"), "src/a.ts");
        assert_eq!(shown_path("error: a.ts"), "\"error: a.ts\"");
    }
}
