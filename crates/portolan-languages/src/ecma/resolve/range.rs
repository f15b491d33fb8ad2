//! Version ranges in `typesVersions` and `types@range`: do they include the TypeScript whose rules
//! we follow?

/// The TypeScript version whose rules we follow.
const TYPESCRIPT: [u64; 3] = [5, 9, 0];

/// Whether a range such as `>=4.2 <6 || *` includes that version. An invalid range does not.
pub(crate) fn holds(range: &str) -> bool {
    range.split("||").any(alternative)
}

fn alternative(text: &str) -> bool {
    let text = text.trim();
    if let Some((low, high)) = text.split_once(" - ") {
        return comparator(&format!(">={}", low.trim()))
            && comparator(&format!("<={}", high.trim()));
    }
    // There may be a space after an operator.
    let mut joined = String::new();
    for token in text.split_whitespace() {
        let operator_before = joined.ends_with(['<', '>', '=', '^', '~']);
        if !joined.is_empty() && !operator_before {
            joined.push(' ');
        }
        joined.push_str(token);
    }
    joined.split(' ').all(comparator)
}

fn comparator(text: &str) -> bool {
    let digits = text
        .find(|c: char| c.is_ascii_digit() || matches!(c, '*' | 'x' | 'X' | 'v'))
        .unwrap_or(text.len());
    let (operator, version) = text.split_at(digits);
    let Some((low, given)) = parse(version) else { return false };
    if given == 0 {
        return matches!(operator, "" | "=" | ">=" | "<=" | "^" | "~");
    }
    // The first version after a partial one: 4.2 covers 4.2.0 up to 4.3.0.
    let beyond = |kept: usize| {
        let mut next = low;
        next[kept - 1] += 1;
        next[kept..].fill(0);
        next
    };
    match operator {
        ">=" => TYPESCRIPT >= low,
        ">" => TYPESCRIPT >= beyond(given),
        "<" => TYPESCRIPT < low,
        "<=" => TYPESCRIPT < beyond(given),
        "^" => TYPESCRIPT >= low && TYPESCRIPT < beyond(1),
        "~" => TYPESCRIPT >= low && TYPESCRIPT < beyond(given.min(2)),
        "" | "=" => TYPESCRIPT >= low && TYPESCRIPT < beyond(given),
        _ => false,
    }
}

/// The numbers of a version, and how many were given. A wildcard ends them.
fn parse(text: &str) -> Option<([u64; 3], usize)> {
    let text = text.trim_start_matches('v');
    let text = text.split(['-', '+']).next().unwrap_or(text);
    let mut numbers = [0; 3];
    let mut given = 0;
    if text.is_empty() {
        return Some((numbers, 0));
    }
    for part in text.split('.') {
        if matches!(part, "*" | "x" | "X") {
            break;
        }
        *numbers.get_mut(given)? = part.parse().ok()?;
        given += 1;
    }
    Some((numbers, given))
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn ranges_are_compared_with_typescript_5_9() {
        for range in [
            "*", "", ">=5", ">=4.2", ">=3.1 <6", "> 4", "5.x", "^5.1", "~5.9", "<=5.9", "4 || 5",
            "3 - 6", "x",
        ] {
            assert!(holds(range), "{range}");
        }
        for range in [
            "<5",
            "<=5.8",
            ">5.9",
            ">=6",
            "4.x",
            "^4",
            "~5.8",
            "=5.8",
            "nonsense",
            ">=5.9.1.2",
            "3 - 5.8",
        ] {
            assert!(!holds(range), "{range}");
        }
    }
}
