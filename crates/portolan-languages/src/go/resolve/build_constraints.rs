//! Build constraints: file names (`open_windows.go`, `stat_linux_arm64.go`) and `//go:build` lines.
//!
//! All builds count. Two files that are never in the same build do not see each other.

use portolan_types::Facts;
use rustc_hash::FxHashMap;

use crate::Memo;

/// The operating systems that a file name may end in. Sorted.
const SYSTEMS: [&str; 17] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

/// The architectures that may follow.
const ARCHITECTURES: [&str; 14] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64",
    "ppc64le", "riscv64", "s390x", "wasm",
];

/// Systems without the `unix` tag.
const NOT_UNIX: [&str; 5] = ["js", "plan9", "wasip1", "windows", "zos"];

/// Systems that also build the files of another one.
const IMPLIED: [(&str, &str); 3] =
    [("android", "linux"), ("illumos", "solaris"), ("ios", "darwin")];

/// The mark of a `//go:build` line, with the number that the Go extractor gives it.
pub(super) const BUILD: u8 = 1;

/// A longer condition, or a pair of conditions with more custom tags, counts as always true.
const MAX_STEPS: usize = 64;
const MAX_CUSTOM_TAGS: usize = 6;

/// The build constraints of the files of a repository.
#[derive(Default)]
pub(super) struct BuildConstraints<'a> {
    /// The condition of each constrained file.
    by_file: FxHashMap<&'a str, u32>,
    /// The number of each condition text.
    by_text: FxHashMap<String, u32>,
    conditions: Vec<Vec<ConditionStep>>,
    exclusive: Memo<(u32, u32), bool>,
}

impl<'a> BuildConstraints<'a> {
    pub(super) fn add(&mut self, path: &'a str, facts: &Facts) {
        let line = facts.uses.iter().find(|used| used.mark.0 == BUILD).map(|used| &*used.name);
        let line = line.map(|line| format!("({line})"));
        let (system, architecture) = tags_of_name(path);
        let parts = [line.as_deref(), system, architecture];
        let written = parts.into_iter().flatten().collect::<Vec<_>>().join("&&");
        if written.is_empty() {
            return;
        }
        if let Some(number) = self.by_text.get(&written) {
            self.by_file.insert(path, *number);
        } else if let Some(condition) = parse(&written) {
            let number = self.conditions.len() as u32;
            self.conditions.push(condition);
            self.by_text.insert(written, number);
            self.by_file.insert(path, number);
        }
    }

    /// Whether no build contains both files.
    pub(super) fn are_exclusive(&self, one: &str, other: &str) -> bool {
        let (Some(one), Some(other)) = (self.by_file.get(one), self.by_file.get(other)) else {
            return false;
        };
        let key = (*one.min(other), *one.max(other));
        if one == other {
            return false;
        }
        if let Some(known) = self.exclusive.get(&key) {
            return known;
        }
        let (one, other) = (&self.conditions[key.0 as usize], &self.conditions[key.1 as usize]);
        self.exclusive.insert(key, !are_compatible(one, other))
    }
}

/// A step of a condition in postfix order.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ConditionStep {
    Word(Box<str>),
    Not,
    And,
    Or,
}

/// An operator of a condition. A greater one binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Open,
    Or,
    And,
    Not,
}

/// Parses a condition into postfix steps; `None` if it is invalid.
fn parse(written: &str) -> Option<Vec<ConditionStep>> {
    let mut steps = Vec::new();
    let mut waiting: Vec<Operator> = Vec::new();
    let mut rest = written.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
        let length = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        let operator = match first {
            '(' => Some(Operator::Open),
            '!' => Some(Operator::Not),
            '&' if rest.starts_with("&&") => Some(Operator::And),
            '|' if rest.starts_with("||") => Some(Operator::Or),
            ')' => {
                pop_operators(&mut steps, &mut waiting, Operator::Or);
                waiting.pop().filter(|open| *open == Operator::Open)?;
                None
            }
            _ if length > 0 => {
                steps.push(ConditionStep::Word(rest[..length].into()));
                None
            }
            _ => return None,
        };
        if let Some(operator @ (Operator::And | Operator::Or)) = operator {
            pop_operators(&mut steps, &mut waiting, operator);
        }
        waiting.extend(operator);
        let taken = if matches!(first, '&' | '|') { 2 } else { length.max(1) };
        rest = rest.get(taken..)?.trim_start();
        if steps.len() + waiting.len() > MAX_STEPS {
            return None;
        }
    }
    pop_operators(&mut steps, &mut waiting, Operator::Or);
    (waiting.is_empty() && holds(&steps, |_| true).is_some()).then_some(steps)
}

/// Pops the operators that bind at least as tightly, down to the last bracket.
fn pop_operators(steps: &mut Vec<ConditionStep>, waiting: &mut Vec<Operator>, operator: Operator) {
    while let Some(last) = waiting.last().copied().filter(|last| *last >= operator) {
        waiting.pop();
        steps.push(match last {
            Operator::Not => ConditionStep::Not,
            Operator::And => ConditionStep::And,
            Operator::Or | Operator::Open => ConditionStep::Or,
        });
    }
}

/// Evaluates a condition; `None` if it is invalid.
fn holds(steps: &[ConditionStep], is_true: impl Fn(&str) -> bool) -> Option<bool> {
    let mut values: Vec<bool> = Vec::new();
    for step in steps {
        let value = match step {
            ConditionStep::Word(word) => is_true(word),
            ConditionStep::Not => !values.pop()?,
            ConditionStep::And => {
                let (right, left) = (values.pop()?, values.pop()?);
                left && right
            }
            ConditionStep::Or => {
                let (right, left) = (values.pop()?, values.pop()?);
                left || right
            }
        };
        values.push(value);
    }
    values.pop().filter(|_| values.is_empty())
}

/// Whether some build satisfies both conditions: one system, one architecture, and any set of
/// custom tags.
fn are_compatible(one: &[ConditionStep], other: &[ConditionStep]) -> bool {
    let words = one.iter().chain(other).filter_map(|step| match step {
        ConditionStep::Word(word) => Some(&**word),
        _ => None,
    });
    let (mut architectures, mut free) = (vec![""], Vec::new());
    for word in words {
        if ARCHITECTURES.contains(&word) {
            architectures.push(word);
        } else if word != "unix" && SYSTEMS.binary_search(&word).is_err() && !free.contains(&word) {
            free.push(word);
        }
    }
    if free.len() > MAX_CUSTOM_TAGS {
        return true;
    }
    let choices = 1u32 << free.len();
    SYSTEMS.iter().any(|system| {
        architectures.iter().any(|architecture| {
            (0..choices).any(|chosen| {
                let is_true = |word: &str| match free.iter().position(|it| *it == word) {
                    Some(at) => chosen & (1 << at) != 0,
                    None => word == *architecture || has_tag(system, word),
                };
                [one, other].iter().all(|steps| holds(steps, is_true) == Some(true))
            })
        })
    })
}

/// Whether a tag holds for a system.
fn has_tag(system: &str, word: &str) -> bool {
    word == system
        || IMPLIED.contains(&(system, word))
        || word == "unix" && !NOT_UNIX.contains(&system)
}

/// The system and the architecture at the end of a file name. The first word is neither.
fn tags_of_name(path: &str) -> (Option<&str>, Option<&str>) {
    let stem =
        path.rsplit('/').next().and_then(|name| name.strip_suffix(".go")).unwrap_or_default();
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let Some((rest, last)) = stem.rsplit_once('_') else { return (None, None) };
    let is_system = |word: &&str| SYSTEMS.binary_search(word).is_ok();
    if ARCHITECTURES.contains(&last) {
        let before = rest.rsplit_once('_').map(|(_, before)| before);
        return (before.filter(is_system), Some(last));
    }
    (Some(last).filter(is_system), None)
}

#[cfg(test)]
mod tests {
    use super::{NOT_UNIX, SYSTEMS, are_compatible, parse, tags_of_name};

    #[test]
    fn file_name_ends_in_system_and_architecture() {
        assert!(SYSTEMS.is_sorted());
        assert!(NOT_UNIX.iter().all(|other| SYSTEMS.contains(other)));
        for (path, expected) in [
            ("a/open_windows.go", (Some("windows"), None)),
            ("a/open_linux_arm64.go", (Some("linux"), Some("arm64"))),
            ("a/open_arm64.go", (None, Some("arm64"))),
            ("a/open_linux_test.go", (Some("linux"), None)),
            ("a/linux.go", (None, None)),
            ("a_linux/open.go", (None, None)),
            ("a/open_unix.go", (None, None)),
            ("a/open_linux_options.go", (None, None)),
        ] {
            assert_eq!(tags_of_name(path), expected, "{path}");
        }
    }

    #[test]
    fn exclusive_conditions_are_not_compatible() {
        let check = |one: &str, other: &str, expected: bool| {
            let (one, other) = (parse(one).unwrap(), parse(other).unwrap());
            assert_eq!(are_compatible(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(are_compatible(&other, &one), expected, "{one:?} {other:?}");
        };
        check("linux", "windows", false);
        check("linux", "linux&&amd64", true);
        check("linux", "android", true);
        check("unix", "!unix", false);
        check("unix", "windows || plan9", false);
        check("darwin", "unix", true);
        check("!linux", "linux", false);
        check("!(linux && cgo)", "linux", true);
        check("!linux && !windows", "(linux || windows) && cgo", false);
        check("enterprise", "!enterprise", false);
        check("enterprise", "cgo", true);
        check("amd64", "arm64", false);
        check("amd64", "!arm64 && linux", true);
        check("go1.21", "!go1.21", false);
        // Too many custom tags to try all combinations.
        check("a && b && c && d && e && f && g", "!a", true);
    }

    #[test]
    fn invalid_conditions_do_not_parse() {
        for text in
            ["", "a b", "a &&", "(a", "a)", "!", "a & b", "a, b", "()", &"(".repeat(100_000)]
        {
            assert_eq!(parse(text), None, "{}", text.len());
        }
        assert!(parse("!(a || b) && !c").is_some());
    }
}
