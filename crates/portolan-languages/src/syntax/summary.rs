//! Makes a one-line summary of a file from its documentation.

use crate::syntax::text::truncate_utf16;

/// The first sentence of a text in one line, truncated to a limit in UTF-16 units; `None` if there
/// is none or the limit is 0.
pub(crate) fn first_sentence<'t>(
    lines: impl Iterator<Item = &'t str>,
    limit: usize,
) -> Option<Box<str>> {
    if limit == 0 {
        return None;
    }
    let is_rule = |line: &str| line.chars().all(|letter| !letter.is_alphanumeric());
    let lines = lines.map(str::trim).skip_while(|line| is_rule(line));
    let paragraph: Vec<&str> = lines.take_while(|line| !is_rule(line)).collect();
    let prose = paragraph.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = sentence(&prose);
    let cut = truncate_utf16(sentence, limit);
    if sentence.is_empty() {
        return None;
    }
    let is_whole = cut.len() == sentence.len();
    Some(if is_whole { sentence.into() } else { format!("{cut}...").into() })
}

/// The text up to the first full stop that ends a sentence. One after a single letter or an
/// abbreviation does not (`e.g. this`).
fn sentence(prose: &str) -> &str {
    for (at, _) in prose.match_indices(". ") {
        let word = prose[..at].rsplit(' ').next().unwrap_or_default();
        let begins = prose[at + 2..].chars().next();
        let is_short = word.contains('.') || word.chars().count() < 2;
        if !is_short && begins.is_some_and(|letter| !letter.is_lowercase()) {
            return &prose[..=at];
        }
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    fn check(text: &str, limit: usize, expected: Option<&str>) {
        assert_eq!(first_sentence(text.lines(), limit).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn summary_ends_with_the_sentence_or_paragraph() {
        check("Reads files. Then more.", 160, Some("Reads files."));
        check("\n  Reads\n  files\n\nMore.", 160, Some("Reads files"));
        check("Handles e.g. this. Next.", 160, Some("Handles e.g. this."));
        check("=====\nTitle\n=====\nText.", 160, Some("Title"));
    }

    #[test]
    fn sentence_is_truncated_and_may_be_absent() {
        check("Reads files.", 5, Some("Reads..."));
        check("Reads files.", 0, None);
        check("\n---\n", 160, None);
    }
}
