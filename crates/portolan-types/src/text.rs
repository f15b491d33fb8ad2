//! Text from outside that is shown to people.

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

#[cfg(test)]
mod tests {
    use super::is_unseen;

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
