//! What a pattern means that is no regular expression, or says nothing as one.
//!
//! People paste code into a search: `foo(`, `get_queryset()`, `#[test]`. A bracket without its partner, a group that changes nothing and a set that
//! has a letter twice are no part of an expression. They are read as text, and the answer says so.

/// The pattern as it is meant, where that is not as it is written. `compiles` says whether a pattern is a regular expression.
pub(super) fn as_meant(pattern: &str, compiles: impl Fn(&str) -> bool) -> Option<String> {
    if compiles(pattern) {
        let meant = without_pointless(pattern);
        return (meant != pattern && compiles(&meant)).then_some(meant);
    }
    [without_unpaired(pattern), literal(pattern)].into_iter().find(|meant| compiles(meant))
}

/// A text as a pattern that matches only it.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The pattern with every bracket that has no partner as text.
fn without_unpaired(pattern: &str) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let mut open: Vec<usize> = Vec::new();
    let mut unpaired: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => at += 1,
            '[' => match set_end(&chars, at) {
                Some(end) => at = end,
                None => unpaired.push(at),
            },
            '(' | '{' => open.push(at),
            ')' | '}' => {
                let partner = if *c == ')' { '(' } else { '{' };
                match open.last() {
                    Some(last) if chars.get(*last) == Some(&partner) => drop(open.pop()),
                    _ => unpaired.push(at),
                }
            }
            _ => {}
        }
        at += 1;
    }
    unpaired.append(&mut open);
    let mut out = String::with_capacity(pattern.len() + unpaired.len());
    for (at, c) in chars.iter().enumerate() {
        if unpaired.contains(&at) {
            out.push('\\');
        }
        out.push(*c);
    }
    out
}

/// The pattern with every group that changes nothing, and every set that is none, as text.
fn without_pointless(pattern: &str) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = String::with_capacity(pattern.len());
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let before = at.checked_sub(1).and_then(|before| chars.get(before));
        let end = match c {
            '\\' => {
                out.push('\\');
                at += 1;
                out.extend(chars.get(at));
                at += 1;
                continue;
            }
            '(' => group_end(&chars, at).filter(|end| is_call(&chars, before, at, *end)),
            '[' => {
                let end = set_end(&chars, at);
                let Some(end) = end else { break };
                if !is_code(chars.get(at + 1..end).unwrap_or_default(), before) {
                    out.extend(chars.get(at..=end).unwrap_or_default());
                    at = end + 1;
                    continue;
                }
                Some(end)
            }
            _ => None,
        };
        if let Some(end) = end {
            let inside: String = chars.get(at..=end).unwrap_or_default().iter().collect();
            out.push_str(&literal(&inside));
            at = end + 1;
        } else {
            out.push(*c);
            at += 1;
        }
    }
    out.extend(chars.get(at..).unwrap_or_default());
    out
}

/// Where the set that starts here ends.
fn set_end(chars: &[char], start: usize) -> Option<usize> {
    // A bracket right at the start is a member of the set.
    let mut at = start + 1;
    if chars.get(at) == Some(&'^') {
        at += 1;
    }
    if chars.get(at) == Some(&']') {
        at += 1;
    }
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => at += 1,
            '[' => at = set_end(chars, at)?,
            ']' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the group that starts here ends, if it has no other group or set within.
fn group_end(chars: &[char], start: usize) -> Option<usize> {
    let rest = chars.get(start + 1..)?;
    let end = rest.iter().position(|c| "()[]{}\\".contains(*c))?;
    (rest.get(end) == Some(&')')).then_some(start + 1 + end)
}

/// Whether a group is the parentheses of a call: it is empty, or it stands right behind a name, has words alone and is
/// not repeated.
fn is_call(chars: &[char], before: Option<&char>, start: usize, end: usize) -> bool {
    let inside = chars.get(start + 1..end).unwrap_or_default();
    let is_repeated = chars.get(end + 1).is_some_and(|c| "*+?{".contains(*c));
    let is_word = |c: &char| c.is_alphanumeric() || "_ ,.:=&'\"-".contains(*c);
    let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
    !is_repeated && (inside.is_empty() || before.is_some_and(is_name) && inside.iter().all(is_word))
}

/// Whether what stands in brackets is code and no set of letters: an attribute (`#[test]`), or a letter stands there twice.
fn is_code(inside: &[char], before: Option<&char>) -> bool {
    let starts_attribute = before == Some(&'#') && inside.first().is_some_and(|c| *c != '^');
    let is_plain = !inside.iter().any(|c| "\\[-^&~".contains(*c));
    let has_twice = inside.iter().enumerate().any(|(at, c)| {
        c.is_alphabetic() && inside.get(at + 1..).is_some_and(|rest| rest.contains(c))
    });
    is_plain && (starts_attribute || has_twice)
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::{as_meant, literal};

    fn meant(pattern: &str) -> Option<String> {
        as_meant(pattern, |it| grep_regex::RegexMatcher::new(it).is_ok())
    }

    proptest! {
        /// Whatever is pasted is read as an expression, and where it is read as text it finds itself.
        #[test]
        fn everything_is_read_as_some_expression(text in r"[ -~äß\n]{0,24}|[a\[\](){}|\\*+?^$#]{0,16}") {
            let compiles = |it: &str| grep_regex::RegexMatcher::new(it).is_ok();
            let read = as_meant(&text, compiles).unwrap_or_else(|| text.clone());
            prop_assert!(compiles(&read), "{text:?} is read as {read:?}");
            prop_assert_eq!(as_meant(&literal(&text), compiles), None);
        }
    }

    #[test]
    fn a_bracket_without_its_partner_is_text() {
        let check = |pattern: &str, expected: &str| assert_eq!(meant(pattern).unwrap(), expected);
        check("processFor(", r"processFor\(");
        check("filter(.*pk__in", r"filter\(.*pk__in");
        check("annotations[", r"annotations\[");
        check(r"a\(|b(", r"a\(|b\(");
        check("(get|set)(", r"(get|set)\(");
        check("a(|b)c)", r"a(|b)c\)");
        check("fn main() {", r"fn main() \{");
        check("*.rb", r"\*\.rb");
    }

    #[test]
    fn a_group_or_set_that_says_nothing_is_text() {
        let check = |pattern: &str, expected: &str| assert_eq!(meant(pattern).unwrap(), expected);
        check("get_queryset()", r"get_queryset\(\)");
        check("save(request, obj=None)|x", r"save\(request, obj=None\)|x");
        check("#[cfg(test)]", r"#\[cfg\(test\)\]");
        check("#[ignore]", r"#\[ignore\]");
        check("[test]", r"\[test\]");
    }

    #[test]
    fn an_expression_stays_as_it_is() {
        for pattern in [
            "a|b",
            "(get|set)_x",
            "get(_all)?",
            "def (get_x)",
            "gr[ae]y",
            "[a-z]+",
            "[^abca]",
            "#[^a]",
            r"f\(x\)",
            "f(?:x)",
            "x(ab)+",
            "[[:alpha:]]",
            "[\\w.]",
            "a(b.*)",
            "(a)",
        ] {
            assert_eq!(meant(pattern), None, "{pattern}");
        }
    }
}
