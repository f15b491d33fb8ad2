//! Text from outside: what may be shown to people, and what may be compiled.

/// Whether a character acts on what is shown instead of showing itself: control characters (terminal
/// escapes begin with one), line ends, marks that reorder text, and those that cannot be seen.
///
/// The joiners U+200C and U+200D are spared: scripts and emoji are written with them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{061C}'
                | '\u{180E}'
                | '\u{200B}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

/// The text with such characters written out, so that all of it can be seen.
pub fn written_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// A fence for a text in Markdown: longer than any run of backticks in it.
pub fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Text as a code span of Markdown: on one line and without what would end it.
pub fn code_span(text: &str) -> String {
    let seen = |c: char| match c {
        '`' => '\'',
        c if is_unseen(c) => ' ',
        c => c,
    };
    format!("`{}`", text.chars().map(seen).collect::<String>())
}

/// The longest glob, and the deepest braces in one, that anybody means.
const MAX_GLOB: usize = 8 << 10;
const MAX_BRACES: usize = 16;

/// Whether a glob from outside is worth compiling: compilers of globs recurse into braces, and what
/// they make of a long pattern is longer still.
pub fn is_bounded_glob(pattern: &str) -> bool {
    let mut open = 0usize;
    let braces = pattern.bytes().map(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open
    });
    pattern.len() <= MAX_GLOB && braces.max().unwrap_or(0) <= MAX_BRACES
}

#[cfg(test)]
mod tests {
    use super::{is_bounded_glob, is_unseen};

    #[test]
    fn a_glob_has_a_length_and_a_depth() {
        assert!(
            is_bounded_glob("") && is_bounded_glob("src/{a,{b,c}}/**") && is_bounded_glob("}}{")
        );
        assert!(is_bounded_glob(&"{a,b}".repeat(1000)));
        assert!(!is_bounded_glob(&"{a,b}".repeat(10_000)) && !is_bounded_glob(&"{a,".repeat(17)));
    }

    #[test]
    fn what_acts_on_the_display_is_told_from_what_is_shown() {
        for c in
            "\0\t\n\r\u{1B}\u{7F}\u{9B}\u{202E}\u{2066}\u{2028}\u{200B}\u{FEFF}\u{E0041}".chars()
        {
            assert!(is_unseen(c), "{c:?}");
        }
        for c in "aé 本\u{200D}\u{1F600}\u{0301}\\".chars() {
            assert!(!is_unseen(c), "{c:?}");
        }
    }
}
