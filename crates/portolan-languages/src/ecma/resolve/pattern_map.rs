//! Maps with one `*` per pattern: tsconfig `paths`, `typesVersions`, and the keys of `exports` and
//! `imports`.

/// The index of the best pattern, and the text that its `*` matches (`None` for an exact match). An
/// exact match wins, then the longest text before the `*`.
pub(crate) fn best_match<'p, 'n>(
    patterns: impl Iterator<Item = &'p str>,
    name: &'n str,
) -> Option<(usize, Option<&'n str>)> {
    let mut best: Option<(usize, usize, &'n str)> = None;
    for (index, pattern) in patterns.enumerate() {
        let Some((before, after)) = pattern.split_once('*') else {
            if pattern == name {
                return Some((index, None));
            }
            continue;
        };
        let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        if let Some(middle) = middle
            && best.is_none_or(|(_, length, _)| before.len() > length)
        {
            best = Some((index, before.len(), middle));
        }
    }
    best.map(|(index, _, middle)| (index, Some(middle)))
}

/// The longest path that is tried. No file system supports longer ones.
pub(crate) const MAX_PATH: usize = 1 << 15;

/// Replaces `*` in a substitution; `None` if the result is too long for a path.
pub(crate) fn substitute(target: &str, star: Option<&str>) -> Option<String> {
    let Some(star) = star else { return Some(target.to_owned()) };
    if target.len() > MAX_PATH {
        return None;
    }
    let stars = target.bytes().filter(|byte| *byte == b'*').count();
    let length = stars.saturating_mul(star.len()).saturating_add(target.len());
    (length <= MAX_PATH).then(|| target.replace('*', star))
}

#[cfg(test)]
mod tests {
    use super::{best_match, substitute};

    #[test]
    fn exact_match_wins_then_the_longest_prefix() {
        let patterns = ["@/*", "@/deep/*", "exact", "*-sfx", "*"];
        let find = |name| best_match(patterns.iter().copied(), name);
        assert_eq!(find("@/a"), Some((0, Some("a"))));
        assert_eq!(find("@/deep/z"), Some((1, Some("z"))));
        assert_eq!(find("exact"), Some((2, None)));
        assert_eq!(find("a-sfx"), Some((3, Some("a"))));
        assert_eq!(find("other"), Some((4, Some("other"))));
        assert_eq!(best_match(["a*a"].into_iter(), "a"), None);
    }

    #[test]
    fn oversized_substitution_is_refused() {
        assert_eq!(substitute("./*/*.js", Some("a")).unwrap(), "./a/a.js");
        assert_eq!(substitute(&"*".repeat(1 << 20), Some(&"a".repeat(1 << 20))), None);
    }
}
