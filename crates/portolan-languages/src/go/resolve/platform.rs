//! The builds that a file is part of: by its name (`open_windows.go`, `stat_linux_arm64.go`) and by its line `//go:build`.
//!
//! All builds count, but two files that no build has both never see each other.

use portolan_types::Facts;
use rustc_hash::FxHashMap;

use crate::Memo;

/// The systems that the names of files may end in, in the order of their bytes.
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

/// The processors that may follow.
const PROCESSORS: [&str; 14] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64",
    "ppc64le", "riscv64", "s390x", "wasm",
];

/// Systems that are not of the family `unix`.
const OTHERS: [&str; 5] = ["js", "plan9", "wasip1", "windows", "zos"];

/// Systems that compile the files of another one too.
const ALSO: [(&str, &str); 3] = [("android", "linux"), ("illumos", "solaris"), ("ios", "darwin")];

/// The mark of what follows `//go:build`, as the language numbers it.
pub(super) const BUILD: u8 = 1;

/// Lines with more parts, and pairs of lines with more words of their own, are taken for builds like any other.
const MOST_STEPS: usize = 64;
const MOST_WORDS: usize = 6;

/// The builds that the files of a repository are part of.
#[derive(Default)]
pub(super) struct Builds<'a> {
    /// By file, where it is not part of all.
    numbers: FxHashMap<&'a str, u32>,
    /// By what is written.
    known: FxHashMap<String, u32>,
    conditions: Vec<Vec<Step>>,
    apart: Memo<(u32, u32), bool>,
}

impl<'a> Builds<'a> {
    pub(super) fn add(&mut self, path: &'a str, facts: &Facts) {
        let line = facts.uses.iter().find(|used| used.mark.0 == BUILD).map(|used| &*used.name);
        let line = line.map(|line| format!("({line})"));
        let (system, processor) = by_name(path);
        let parts = [line.as_deref(), system, processor];
        let written = parts.into_iter().flatten().collect::<Vec<_>>().join("&&");
        if written.is_empty() {
            return;
        }
        if let Some(number) = self.known.get(&written) {
            self.numbers.insert(path, *number);
        } else if let Some(condition) = parse(&written) {
            let number = self.conditions.len() as u32;
            self.conditions.push(condition);
            self.known.insert(written, number);
            self.numbers.insert(path, number);
        }
    }

    /// Whether no build has both files.
    pub(super) fn are_apart(&self, one: &str, other: &str) -> bool {
        let (Some(one), Some(other)) = (self.numbers.get(one), self.numbers.get(other)) else {
            return false;
        };
        let key = (*one.min(other), *one.max(other));
        if one == other {
            return false;
        }
        if let Some(known) = self.apart.get(&key) {
            return known;
        }
        let (one, other) = (&self.conditions[key.0 as usize], &self.conditions[key.1 as usize]);
        self.apart.insert(key, !meet(one, other))
    }
}

/// A part of a condition, operators behind what they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Word(Box<str>),
    Not,
    And,
    Or,
}

/// What stands between the words of a condition; what binds more is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Open,
    Or,
    And,
    Not,
}

/// The steps of a condition; nothing where it is none.
fn parse(written: &str) -> Option<Vec<Step>> {
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
                settle(&mut steps, &mut waiting, Operator::Or);
                waiting.pop().filter(|open| *open == Operator::Open)?;
                None
            }
            _ if length > 0 => {
                steps.push(Step::Word(rest[..length].into()));
                None
            }
            _ => return None,
        };
        if let Some(operator @ (Operator::And | Operator::Or)) = operator {
            settle(&mut steps, &mut waiting, operator);
        }
        waiting.extend(operator);
        let taken = if matches!(first, '&' | '|') { 2 } else { length.max(1) };
        rest = rest.get(taken..)?.trim_start();
        if steps.len() + waiting.len() > MOST_STEPS {
            return None;
        }
    }
    settle(&mut steps, &mut waiting, Operator::Or);
    (waiting.is_empty() && holds(&steps, |_| true).is_some()).then_some(steps)
}

/// Takes operators that bind as much or more, as far as the last bracket.
fn settle(steps: &mut Vec<Step>, waiting: &mut Vec<Operator>, operator: Operator) {
    while let Some(last) = waiting.last().copied().filter(|last| *last >= operator) {
        waiting.pop();
        steps.push(match last {
            Operator::Not => Step::Not,
            Operator::And => Step::And,
            Operator::Or | Operator::Open => Step::Or,
        });
    }
}

/// Whether a condition holds; nothing where it is none.
fn holds(steps: &[Step], is_true: impl Fn(&str) -> bool) -> Option<bool> {
    let mut values: Vec<bool> = Vec::new();
    for step in steps {
        let value = match step {
            Step::Word(word) => is_true(word),
            Step::Not => !values.pop()?,
            Step::And => {
                let (right, left) = (values.pop()?, values.pop()?);
                left && right
            }
            Step::Or => {
                let (right, left) = (values.pop()?, values.pop()?);
                left || right
            }
        };
        values.push(value);
    }
    values.pop().filter(|_| values.is_empty())
}

/// Whether there is a build for which both conditions hold: one system, one processor, and any choice of other words.
fn meet(one: &[Step], other: &[Step]) -> bool {
    let words = one.iter().chain(other).filter_map(|step| match step {
        Step::Word(word) => Some(&**word),
        _ => None,
    });
    let (mut processors, mut free) = (vec![""], Vec::new());
    for word in words {
        if PROCESSORS.contains(&word) {
            processors.push(word);
        } else if word != "unix" && SYSTEMS.binary_search(&word).is_err() && !free.contains(&word) {
            free.push(word);
        }
    }
    if free.len() > MOST_WORDS {
        return true;
    }
    let choices = 1u32 << free.len();
    SYSTEMS.iter().any(|system| {
        processors.iter().any(|processor| {
            (0..choices).any(|chosen| {
                let is_true = |word: &str| match free.iter().position(|it| *it == word) {
                    Some(at) => chosen & (1 << at) != 0,
                    None => word == *processor || is_of(system, word),
                };
                [one, other].iter().all(|steps| holds(steps, is_true) == Some(true))
            })
        })
    })
}

/// Whether a system has a word.
fn is_of(system: &str, word: &str) -> bool {
    word == system || ALSO.contains(&(system, word)) || word == "unix" && !OTHERS.contains(&system)
}

/// The system and the processor at the end of a name; the first word is none.
fn by_name(path: &str) -> (Option<&str>, Option<&str>) {
    let stem =
        path.rsplit('/').next().and_then(|name| name.strip_suffix(".go")).unwrap_or_default();
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let Some((rest, last)) = stem.rsplit_once('_') else { return (None, None) };
    let is_system = |word: &&str| SYSTEMS.binary_search(word).is_ok();
    if PROCESSORS.contains(&last) {
        let before = rest.rsplit_once('_').map(|(_, before)| before);
        return (before.filter(is_system), Some(last));
    }
    (Some(last).filter(is_system), None)
}

#[cfg(test)]
mod tests {
    use super::{by_name, meet, parse, OTHERS, SYSTEMS};

    #[test]
    fn a_system_is_at_the_end_of_a_name() {
        assert!(SYSTEMS.is_sorted());
        assert!(OTHERS.iter().all(|other| SYSTEMS.contains(other)));
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
            assert_eq!(by_name(path), expected, "{path}");
        }
    }

    #[test]
    fn conditions_that_exclude_each_other_never_meet() {
        let check = |one: &str, other: &str, expected: bool| {
            let (one, other) = (parse(one).unwrap(), parse(other).unwrap());
            assert_eq!(meet(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(meet(&other, &one), expected, "{one:?} {other:?}");
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
        // Too many words of their own to try all.
        check("a && b && c && d && e && f && g", "!a", true);
    }

    #[test]
    fn what_is_no_condition_is_none() {
        for text in
            ["", "a b", "a &&", "(a", "a)", "!", "a & b", "a, b", "()", &"(".repeat(100_000)]
        {
            assert_eq!(parse(text), None, "{}", text.len());
        }
        assert!(parse("!(a || b) && !c").is_some());
    }
}
