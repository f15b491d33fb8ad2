//! Untrusted text: which characters may be shown, and which globs may be compiled.

/// Whether a character changes the display instead of appearing on it: control characters (terminal
/// escapes start with one), line breaks, bidirectional marks and invisible characters.
///
/// The joiners U+200C and U+200D are allowed, because scripts and emoji need them.
pub fn is_invisible(c: char) -> bool {
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

/// Replaces such characters by visible escapes.
pub fn escape_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// A Markdown fence for a text: longer than any run of backticks in it.
pub fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// The text as a Markdown code span: on one line, without anything that would end the span.
pub fn code_span(text: &str) -> String {
    let seen = |c: char| match c {
        '`' => '\'',
        c if is_invisible(c) => ' ',
        c => c,
    };
    format!("`{}`", text.chars().map(seen).collect::<String>())
}

/// Limits for untrusted globs: length in bytes and depth of braces. No honest glob exceeds them.
const MAX_GLOB: usize = 8 << 10;
const MAX_BRACES: usize = 16;

/// Whether an untrusted glob is safe to compile. Glob compilers recurse into braces, and the compiled
/// form of a long pattern is longer still.
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
    use super::{is_bounded_glob, is_invisible};

    #[test]
    fn globs_are_bounded_in_length_and_depth() {
        assert!(
            is_bounded_glob("") && is_bounded_glob("src/{a,{b,c}}/**") && is_bounded_glob("}}{")
        );
        assert!(is_bounded_glob(&"{a,b}".repeat(1000)));
        assert!(!is_bounded_glob(&"{a,b}".repeat(10_000)) && !is_bounded_glob(&"{a,".repeat(17)));
    }

    #[test]
    fn invisible_and_control_characters_are_detected() {
        for c in
            "\0\t\n\r\u{1B}\u{7F}\u{9B}\u{202E}\u{2066}\u{2028}\u{200B}\u{FEFF}\u{E0041}".chars()
        {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in "aé 本\u{200D}\u{1F600}\u{0301}\\".chars() {
            assert!(!is_invisible(c), "{c:?}");
        }
    }
}
