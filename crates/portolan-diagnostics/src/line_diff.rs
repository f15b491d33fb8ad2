//! Compares two versions of a text line by line.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines of the old text and the lines that replace them: from 1, without the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHunk {
    /// The lines of the old text.
    pub before: (u32, u32),
    /// The lines of the new text.
    pub after: (u32, u32),
}

/// The changes from one text to another, first to last. Line ends are not compared.
///
/// Git's bounded variant of Myers' algorithm: texts with little in common give larger hunks instead
/// of a long search.
pub fn hunks(before: &str, after: &str) -> Vec<LineHunk> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    capture_diff_slices(Algorithm::Myers, &old, &new)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            LineHunk {
                before: (number(old.start), number(old.end)),
                after: (number(new.start), number(new.end)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::hunks;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let (before, after) = (before.replace(' ', "\n"), after.replace(' ', "\n"));
        let found: Vec<String> = hunks(&before, &after)
            .iter()
            .map(|hunk| format!("{:?}>{:?}", hunk.before, hunk.after))
            .collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn changes_are_found_line_by_line() {
        check("a b c", "a b c", "");
        check("a b c", "a x c", "(2, 3)>(2, 3)");
        check("a b c", "a c", "(2, 3)>(2, 2)");
        check("a c", "a b c", "(2, 2)>(2, 3)");
        check("a b c d e", "x b c d y", "(1, 2)>(1, 2) (5, 6)>(5, 6)");
        check("", "a", "(1, 1)>(1, 2)");
        check("a b a b", "a b", "(3, 5)>(3, 3)");
    }

    #[test]
    fn unrelated_texts_are_compared_in_bounded_time() {
        let text = |salt: u64| -> String {
            (0..40_000u64).map(|n| format!("{}\n", (n * n + salt) % 7_919)).collect()
        };
        let found = hunks(&text(1), &text(5_000));
        assert!(!found.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn applying_the_changes_gives_the_new_text(
            before in proptest::collection::vec("[abc]", 0..20),
            after in proptest::collection::vec("[abc]", 0..20),
        ) {
            let found = hunks(&before.join("\n"), &after.join("\n"));
            let mut made: Vec<&str> = Vec::new();
            let mut at = 1u32;
            for hunk in &found {
                made.extend(before[at as usize - 1..hunk.before.0 as usize - 1].iter().map(String::as_str));
                made.extend(after[hunk.after.0 as usize - 1..hunk.after.1 as usize - 1].iter().map(String::as_str));
                at = hunk.before.1;
            }
            made.extend(before[(at as usize - 1).min(before.len())..].iter().map(String::as_str));
            prop_assert_eq!(made, after.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
