//! Cuts a long README to its start, for the base of archives.

use portolan_types::{Notice, NoticeCode, Place};

use super::plan::TOKENIZER;

/// The most tokens of one README in the base.
const MOST_TOKENS: u64 = 4_000;

/// Cuts a long text at a line, with a remark at the end; `None` if it is short enough.
pub(crate) fn cut(path: &str, bytes: &[u8]) -> Option<(Vec<u8>, Notice)> {
    // A token is at least one byte.
    if bytes.len() as u64 <= MOST_TOKENS {
        return None;
    }
    let tokens = TOKENIZER.count(bytes).filter(|tokens| *tokens > MOST_TOKENS)?;
    let text = String::from_utf8_lossy(bytes);
    let said = format!(
        "\n[cut here: this is the head of {tokens} tokens; select `{path}` to have all of it, and before you edit it]\n"
    );
    let fits = |end: &usize| {
        let head = [&text[..*end], said.as_str()].concat();
        TOKENIZER.count(head.as_bytes()).is_some_and(|count| count <= MOST_TOKENS)
    };
    // Longer text never has fewer tokens. A line that is too long is cut at a word.
    let longest = |end: char| {
        let ends: Vec<usize> = text.match_indices(end).map(|(at, _)| at + 1).collect();
        ends.partition_point(fits).checked_sub(1).map(|last| (&text[..ends[last]], last + 1))
    };
    let (head, what) = match longest('\n') {
        Some((head, lines)) => (head, format!("its first {lines} lines")),
        None => (longest(' ').map_or("", |(head, _)| head), "its beginning".to_owned()),
    };
    let message =
        format!("{tokens} tokens: the base has {what}; a selection can ask for all of it");
    let notice = Notice::at(NoticeCode::ArchiveCut, Place::file(path), message);
    Some(([head, said.as_str()].concat().into_bytes(), notice))
}

#[cfg(test)]
mod tests {
    use super::{MOST_TOKENS, TOKENIZER, cut};

    #[test]
    fn a_short_text_is_left_whole() {
        assert_eq!(cut("README.md", "word ".repeat(3_000).as_bytes()), None);
    }

    #[test]
    fn a_long_one_ends_at_a_line_below_the_limit_and_says_so() {
        let text: String = (0..2_000).map(|line| format!("line {line} of many\n")).collect();
        let (head, notice) = cut("README.md", text.as_bytes()).unwrap();
        let head = String::from_utf8(head).unwrap();
        let tokens = TOKENIZER.count(head.as_bytes()).unwrap();
        assert!(tokens <= MOST_TOKENS && tokens > MOST_TOKENS - 60, "{tokens}");
        let (kept, said) = head.rsplit_once("\n[cut here: ").unwrap();
        assert!(text.starts_with(kept) && kept.ends_with(" of many\n"), "{kept}");
        assert!(said.contains("select `README.md`"), "{said}");
        assert!(notice.message.contains("tokens: the base has its first"), "{notice:?}");
    }

    #[test]
    fn one_line_that_is_too_long_is_cut_at_a_word() {
        let (head, notice) = cut("README", "word ".repeat(9_000).as_bytes()).unwrap();
        assert!(head.starts_with(b"word word ") && head.len() > 10_000, "{}", head.len());
        assert!(notice.message.contains("the base has its beginning"), "{notice:?}");
        // If there is no space either, it is cut at a character.
        let (head, _) = cut("README", "好".repeat(9_000).as_bytes()).unwrap();
        assert!(head.starts_with(b"\n[cut here"));
    }
}
