//! Maps from patterns with one `*` to substitutions: tsconfig `paths`, `typesVersions`, and the keys
//! of `exports` and `imports`.

/// The best match among patterns: the exact one, else the one with the longest text before its `*`.
/// Answers its index and what the `*` stands for (`None` for an exact match).
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

/// The longest path that is worth looking for: no file system has longer ones.
pub(crate) const MAX_PATH: usize = 1 << 15;

/// Puts what the `*` stands for into a substitution; `None` where no path could be so long.
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
    fn exact_beats_star_and_the_longest_prefix_beats_shorter_ones() {
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
    fn a_substitution_that_explodes_is_none() {
        assert_eq!(substitute("./*/*.js", Some("a")).unwrap(), "./a/a.js");
        assert_eq!(substitute(&"*".repeat(1 << 20), Some(&"a".repeat(1 << 20))), None);
    }
}
