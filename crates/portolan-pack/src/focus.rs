//! Which of many diagnostics a pack is built around, and what the others have in common.

use std::collections::{BTreeMap, BTreeSet};

use crate::places::Diagnostic;
use crate::readers::Severity;

/// Diagnostics of one shape: the same code, and the same words but for names and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The code and the words, with what differs left out.
    pub template: String,
    /// How many.
    pub count: usize,
    /// In how many files.
    pub files: usize,
    /// The first of them.
    pub first: usize,
}

/// Diagnostics with what they have in common.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// Each once, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// How often each was printed.
    pub counts: Vec<usize>,
    /// The groups, in the order of their first.
    pub groups: Vec<Group>,
    /// The group of each diagnostic.
    pub group_of: Vec<usize>,
}

/// Merges what is said twice, and groups what is said in the same words.
pub fn merge(diagnostics: Vec<Diagnostic>) -> Merged {
    let mut merged = Merged::default();
    let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for diagnostic in diagnostics {
        let place = diagnostic.place.as_ref();
        let key = vec![
            place.map_or_else(String::new, |place| {
                format!("{}:{:?}:{:?}", place.file, place.line, place.col)
            }),
            diagnostic.code.clone().unwrap_or_default(),
            diagnostic.message.clone(),
        ];
        if let Some(&at) = known.get(&key) {
            merged.counts[at] += 1;
        } else {
            known.insert(key, merged.diagnostics.len());
            merged.diagnostics.push(diagnostic);
            merged.counts.push(1);
        }
    }
    let mut groups: BTreeMap<String, usize> = BTreeMap::new();
    let mut files: Vec<BTreeSet<String>> = Vec::new();
    for (at, diagnostic) in merged.diagnostics.iter().enumerate() {
        let template = template(diagnostic);
        let group = *groups.entry(template.clone()).or_insert_with(|| {
            merged.groups.push(Group { template, count: 0, files: 0, first: at });
            files.push(BTreeSet::new());
            merged.groups.len() - 1
        });
        merged.groups[group].count += 1;
        files[group].extend(diagnostic.place.as_ref().map(|place| place.file.clone()));
        merged.group_of.push(group);
    }
    for (group, files) in merged.groups.iter_mut().zip(files) {
        group.files = files.len();
    }
    merged
}

/// The words of a diagnostic without names and numbers.
fn template(diagnostic: &Diagnostic) -> String {
    let mut out = diagnostic.code.clone().map(|code| format!("{code} ")).unwrap_or_default();
    let mut until: Option<char> = None;
    let mut last = ' ';
    for c in diagnostic.message.chars() {
        if let Some(end) = until {
            if c == end {
                until = None;
                out.push(c);
            }
            continue;
        }
        let close = match c {
            '"' | '`' => Some(c),
            '\'' if !last.is_alphanumeric() => Some(c),
            '‘' => Some('’'),
            '“' => Some('”'),
            _ => None,
        };
        if close.is_some() {
            until = close;
            out.push(c);
            out.push('…');
        } else if c.is_ascii_digit() {
            if !last.is_ascii_digit() {
                out.push('N');
            }
        } else {
            out.push(c);
        }
        last = c;
    }
    out.chars().take(200).collect()
}

/// How the focus is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FocusRule {
    /// By rank.
    #[default]
    Ranked,
    /// The first error, or the first diagnostic.
    First,
    /// The one with this number, from 1.
    Number(usize),
    /// The one at this place, or the nearest in that file.
    At(String, u32),
}

impl FocusRule {
    /// `first`, a number, or `file:line`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "first" {
            return Some(Self::First);
        }
        if text == "ranked" {
            return Some(Self::Ranked);
        }
        if let Ok(number) = text.parse::<usize>() {
            return (number > 0).then_some(Self::Number(number));
        }
        let (file, line) = text.rsplit_once(':')?;
        Some(Self::At(file.to_owned(), line.parse().ok()?))
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::First => "first",
            Self::Number(_) => "number",
            Self::At(..) => "place",
        }
    }
}

/// Chooses the focus. `reach` says how many other failing files can be reached from a file.
pub fn choose(
    diagnostics: &[Diagnostic],
    rule: &FocusRule,
    reach: &BTreeMap<String, usize>,
) -> Option<usize> {
    let numbered = || diagnostics.iter().enumerate();
    match rule {
        FocusRule::First => numbered()
            .find(|(_, it)| it.severity == Severity::Error)
            .map(|(at, _)| at)
            .or_else(|| (!diagnostics.is_empty()).then_some(0)),
        FocusRule::Number(number) => Some(number - 1).filter(|at| *at < diagnostics.len()),
        FocusRule::At(file, line) => numbered()
            .filter_map(|(at, it)| {
                let place = it.place.as_ref().filter(|place| place.file == *file)?;
                Some((place.line?.abs_diff(*line), at))
            })
            .min()
            .map(|(_, at)| at),
        FocusRule::Ranked => {
            let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
            for place in diagnostics.iter().filter_map(|it| it.place.as_ref()) {
                *errors.entry(&place.file).or_default() += 1;
            }
            numbered().min_by_key(|(at, it)| rank(*at, it, reach, &errors)).map(|(at, _)| at)
        }
    }
}

type Rank = (bool, bool, Severity, bool, usize, std::cmp::Reverse<usize>, String, u32, usize);

/// Smaller is better: what has a place here, errors of syntax, the worst, own code before tests and what
/// is generated, the most upstream file, the one with most errors.
fn rank(
    at: usize,
    diagnostic: &Diagnostic,
    reach: &BTreeMap<String, usize>,
    errors: &BTreeMap<&str, usize>,
) -> Rank {
    let file = diagnostic.place.as_ref().map_or("", |place| place.file.as_str());
    let is_here = diagnostic.place.as_ref().is_some_and(|place| place.is_there);
    let line = diagnostic.place.as_ref().and_then(|place| place.line).unwrap_or(u32::MAX);
    (
        !is_here,
        !is_syntax(diagnostic),
        diagnostic.severity,
        is_aside(file),
        reach.get(file).copied().unwrap_or(0),
        std::cmp::Reverse(errors.get(file).copied().unwrap_or(0)),
        file.to_owned(),
        line,
        at,
    )
}

/// An error of syntax hides all others of its file, often of its project.
fn is_syntax(diagnostic: &Diagnostic) -> bool {
    let code = diagnostic.code.as_deref().unwrap_or_default();
    let typescript = code.strip_prefix("TS1").is_some_and(|rest| rest.len() == 3);
    let message = diagnostic.message.as_str();
    typescript
        || matches!(code, "SyntaxError" | "invalid-syntax" | "IndentationError" | "E999" | "parse")
        || message.starts_with("Parsing error")
        || message.starts_with("syntax error")
        || (code.is_empty() && message.starts_with("expected "))
}

/// Tests and what is generated show failures more often than they cause them.
fn is_aside(file: &str) -> bool {
    is_test(file) || is_generated(file)
}

/// Whether a path is that of a test.
pub fn is_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    file.split('/').any(|part| {
        matches!(
            part,
            "test"
                | "tests"
                | "__tests__"
                | "spec"
                | "specs"
                | "e2e"
                | "testdata"
                | "fixtures"
                | "__mocks__"
        )
    }) || name.split('.').any(|part| matches!(part, "test" | "spec" | "test-d" | "cy"))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || stem == "conftest"
}

fn is_generated(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    file.split('/').any(|part| {
        matches!(part, "dist" | "build" | "generated" | "__generated__" | "target" | "out")
    }) || name.contains(".generated.")
        || name.contains(".gen.")
        || name.ends_with(".min.js")
        || name.contains(".pb.")
}

/// The names in a message: what stands in quotes, and words that look like names of code.
pub fn names_in(diagnostic: &Diagnostic) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let lines = std::iter::once(diagnostic.message.as_str())
        .chain(diagnostic.notes.iter().take(6).map(String::as_str));
    for line in lines {
        for quoted in quoted(line) {
            let words = quoted.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
            names.extend(words.filter(|word| is_name(word)).map(str::to_owned));
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(24);
    names
}

fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find(['\'', '"', '`', '‘', '“']) {
        let quote = rest[open..].chars().next().unwrap_or('\'');
        let close = match quote {
            '‘' => '’',
            '“' => '”',
            other => other,
        };
        let inside = &rest[open + quote.len_utf8()..];
        let Some(end) = inside.find(close) else { break };
        found.push(&inside[..end]);
        rest = &inside[end + close.len_utf8()..];
    }
    found
}

/// Words of types that every language has tell nothing.
fn is_name(word: &str) -> bool {
    const PLAIN: [&str; 34] = [
        "string",
        "number",
        "boolean",
        "undefined",
        "null",
        "any",
        "unknown",
        "never",
        "void",
        "object",
        "symbol",
        "bigint",
        "true",
        "false",
        "typeof",
        "keyof",
        "readonly",
        "extends",
        "infer",
        "more",
        "this",
        "Promise",
        "Record",
        "Array",
        "Partial",
        "Readonly",
        "ReadonlyArray",
        "str",
        "int",
        "bool",
        "None",
        "float",
        "u32",
        "i32",
    ];
    word.len() > 1
        && word.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
        && !PLAIN.contains(&word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{FocusRule, choose, is_test, merge, names_in};
    use crate::places::{Diagnostic, Files, Ground, locate};
    use crate::readers::read;

    fn diagnostics(text: &str) -> Vec<Diagnostic> {
        let files = ["a.ts", "b.ts", "b.test.ts", "c.ts"].map(str::to_owned);
        let ground = Ground { files: Files::new(files), ..Ground::default() };
        locate(read(text.as_bytes(), None).findings, &ground).diagnostics
    }

    #[track_caller]
    fn check(text: &str, rule: &FocusRule, reach: &[(&str, usize)], expected: &str) {
        let merged = merge(diagnostics(text));
        let reach: BTreeMap<String, usize> =
            reach.iter().map(|(file, n)| ((*file).to_owned(), *n)).collect();
        let chosen = choose(&merged.diagnostics, rule, &reach).unwrap();
        let place = merged.diagnostics[chosen].place.clone().unwrap();
        assert_eq!(format!("{}:{}", place.file, place.line.unwrap()), expected);
    }

    const ERRORS: &str = "b.test.ts(1,1): error TS2304: Cannot find name 'x'.\n\
                          a.ts(2,1): error TS2304: Cannot find name 'y'.\n\
                          c.ts(3,1): error TS2304: Cannot find name 'z'.\n\
                          c.ts(3,1): error TS2304: Cannot find name 'z'.\n";

    #[test]
    fn own_code_before_tests_and_upstream_before_downstream() {
        check(ERRORS, &FocusRule::Ranked, &[("a.ts", 1), ("c.ts", 0)], "c.ts:3");
        check(ERRORS, &FocusRule::Ranked, &[], "a.ts:2");
        let syntax = format!("{ERRORS}b.test.ts(9,1): error TS1005: ';' expected.\n");
        check(&syntax, &FocusRule::Ranked, &[], "b.test.ts:9");
    }

    #[test]
    fn the_focus_can_be_given() {
        check(ERRORS, &FocusRule::First, &[], "b.test.ts:1");
        check(ERRORS, &FocusRule::parse("3").unwrap(), &[], "c.ts:3");
        check(ERRORS, &FocusRule::parse("a.ts:9").unwrap(), &[], "a.ts:2");
        assert_eq!(FocusRule::parse("0"), None);
    }

    #[test]
    fn what_is_said_twice_counts_once_and_shapes_make_groups() {
        let merged = merge(diagnostics(ERRORS));
        assert_eq!(merged.counts, [1, 1, 2]);
        assert_eq!(merged.groups.len(), 1);
        assert_eq!(merged.groups[0].template, "TS2304 Cannot find name '…'.");
        assert_eq!((merged.groups[0].count, merged.groups[0].files), (3, 3));
    }

    #[test]
    fn names_stand_in_quotes() {
        let text = "a.ts(1,1): error TS2339: Property 'falsy' does not exist on type 'Params<string> | undefined'.\n";
        assert_eq!(names_in(&diagnostics(text)[0]), ["falsy", "Params"]);
    }

    #[test]
    fn tests_are_known_by_their_paths() {
        assert!(is_test("src/a.spec.ts") && is_test("tests/x.rs") && is_test("pkg/a_test.go"));
        assert!(!is_test("src/latest.ts") && !is_test("src/contest.py"));
    }
}
