//! What changed between two states of a text, by lines.

/// Lines that were, and the lines that took their place. Both from 1, the end not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines as they were.
    pub before: (u32, u32),
    /// The lines of today.
    pub after: (u32, u32),
}

/// A text that differs in more places is one change.
const MOST_EDITS: usize = 600;

/// The changes from one text to another, first to last.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old[same..].iter().rev().zip(new[same..].iter().rev());
    let tail = rest.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..old.len() - tail], &new[same..new.len() - tail]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let number = |at: usize| u32::try_from(same + at + 1).unwrap_or(u32::MAX);
    let hunk = |(a, b): (usize, usize), (c, d): (usize, usize)| Hunk {
        before: (number(a), number(b)),
        after: (number(c), number(d)),
    };
    let Some(pairs) = matching(old, new) else {
        return vec![hunk((0, old.len()), (0, new.len()))];
    };
    let mut hunks = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    for (old_at, new_at) in pairs.into_iter().chain([(old.len(), new.len())]) {
        if at_old < old_at || at_new < new_at {
            hunks.push(hunk((at_old, old_at), (at_new, new_at)));
        }
        (at_old, at_new) = (old_at + 1, new_at + 1);
    }
    hunks
}

/// The lines that two texts share, by the shortest script of edits; none where that is long.
fn matching(old: &[&str], new: &[&str]) -> Option<Vec<(usize, usize)>> {
    let most = (old.len() + new.len()).min(MOST_EDITS);
    let width = 2 * most + 3;
    let mut reached = vec![0usize; width];
    let mut history: Vec<Vec<usize>> = Vec::new();
    for edits in 0..=most {
        history.push(reached.clone());
        for step in (0..=2 * edits).step_by(2) {
            // The diagonal, shifted so that it is never negative.
            let diagonal = most + 1 + step - edits;
            let down =
                step == 0 || (step != 2 * edits && reached[diagonal - 1] < reached[diagonal + 1]);
            let mut at_old = if down { reached[diagonal + 1] } else { reached[diagonal - 1] + 1 };
            let mut at_new = (at_old + most + 1).checked_sub(diagonal)?;
            while at_old < old.len() && at_new < new.len() && old[at_old] == new[at_new] {
                (at_old, at_new) = (at_old + 1, at_new + 1);
            }
            reached[diagonal] = at_old;
            if at_old >= old.len() && at_new >= new.len() {
                return Some(walk_back(&history, most, (old.len(), new.len())));
            }
        }
    }
    None
}

fn walk_back(history: &[Vec<usize>], most: usize, end: (usize, usize)) -> Vec<(usize, usize)> {
    let (mut at_old, mut at_new) = end;
    let mut pairs = Vec::new();
    for (edits, reached) in history.iter().enumerate().rev() {
        let diagonal = most + 1 + at_old - at_new;
        let lowest = most + 1 - edits;
        let highest = most + 1 + edits;
        let down = diagonal == lowest
            || (diagonal != highest && reached[diagonal - 1] < reached[diagonal + 1]);
        let from = if down { diagonal + 1 } else { diagonal - 1 };
        let (from_old, from_new) = if edits == 0 {
            (0, 0)
        } else {
            let from_old = reached[from];
            (from_old, (from_old + most + 1).saturating_sub(from))
        };
        while at_old > from_old && at_new > from_new {
            (at_old, at_new) = (at_old - 1, at_new - 1);
            pairs.push((at_old, at_new));
        }
        (at_old, at_new) = (from_old, from_new);
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use portolan_pack::hunks;

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
