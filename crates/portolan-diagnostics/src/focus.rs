//! Merges and groups diagnostics, and chooses the one that a pack is built around.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::is_environment;
use crate::locations::Diagnostic;
use crate::readers::Severity;

/// Diagnostics with the same code and the same message, apart from names and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticGroup {
    /// The code and the message, with the parts that differ left out.
    pub template: String,
    /// The number of diagnostics.
    pub count: usize,
    /// The number of files.
    pub files: usize,
    /// The index of the first one.
    pub first: usize,
}

/// Diagnostics without duplicates, and their groups.
#[derive(Clone, Debug, Default)]
pub struct MergedDiagnostics {
    /// Each diagnostic once, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// How often the output has each diagnostic.
    pub counts: Vec<usize>,
    /// The groups, in the order of their first diagnostic.
    pub groups: Vec<DiagnosticGroup>,
    /// The group of each diagnostic.
    pub group_of: Vec<usize>,
    /// For each diagnostic of the output, its index in `diagnostics`.
    pub listed: Vec<usize>,
}

/// Merges duplicates, and groups diagnostics with the same wording.
pub fn merge(diagnostics: Vec<Diagnostic>) -> MergedDiagnostics {
    let mut merged = MergedDiagnostics::default();
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
        let at = known.get(&key).copied();
        merged.listed.push(at.unwrap_or(merged.diagnostics.len()));
        if let Some(at) = at {
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
            merged.groups.push(DiagnosticGroup { template, count: 0, files: 0, first: at });
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

/// The code and message of a diagnostic without names and numbers.
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

/// How to choose the focus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FocusRule {
    /// By rank.
    #[default]
    Ranked,
    /// The first error, or the first diagnostic.
    First,
    /// The diagnostic with this number in the output, from 1.
    Number(usize),
    /// The diagnostic with this index after merging, from 0.
    Index(usize),
    /// The diagnostic at this location, or the nearest in that file.
    At(String, u32),
}

impl FocusRule {
    /// Parses `first`, a number, or `file:line`.
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

    /// The name in the pack.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::First => "first",
            Self::Number(_) | Self::Index(_) => "number",
            Self::At(..) => "place",
        }
    }
}

impl FocusRule {
    /// The rules that this one may mean. A file may be relative to the root or to the folder
    /// `here`, or absolute, and in the path style of another system.
    pub fn alternatives(&self, root: &str, here: &str) -> Vec<Self> {
        let Self::At(file, line) = self else { return vec![self.clone()] };
        let plain = |path: &str| path.replace('\\', "/");
        let root = plain(root);
        let file = plain(file);
        let below = file.strip_prefix(root.trim_end_matches('/')).unwrap_or(&file);
        let from_root = normalize(below.trim_start_matches('/'));
        let from_here = normalize(&format!("{here}/{file}"));
        let files = [Some(file.clone()), from_root, from_here];
        files.into_iter().flatten().map(|file| Self::At(file, *line)).collect()
    }
}

/// Removes `.` and `..` from a path; none if it leads out of the root.
fn normalize(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Chooses the focus. `reach` has the number of other failing files that can be reached from each
/// file.
pub fn choose(
    merged: &MergedDiagnostics,
    rule: &FocusRule,
    reach: &BTreeMap<String, usize>,
) -> Option<usize> {
    let diagnostics = &merged.diagnostics;
    let numbered = || diagnostics.iter().enumerate();
    match rule {
        FocusRule::First => numbered()
            .find(|(_, it)| it.severity == Severity::Error)
            .map(|(at, _)| at)
            .or_else(|| (!diagnostics.is_empty()).then_some(0)),
        FocusRule::Number(number) => merged.listed.get(number.checked_sub(1)?).copied(),
        FocusRule::Index(index) => Some(*index).filter(|at| *at < diagnostics.len()),
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

type Rank = (bool, bool, bool, Severity, bool, usize, std::cmp::Reverse<usize>, String, u32, usize);

/// Smaller is better. The order: is no error of the environment, has a location in the repository, is a syntax error, is more
/// severe, is neither test nor generated, is in the most upstream file, is in the file with most
/// errors.
fn rank(
    at: usize,
    diagnostic: &Diagnostic,
    reach: &BTreeMap<String, usize>,
    errors: &BTreeMap<&str, usize>,
) -> Rank {
    let file = diagnostic.place.as_ref().map_or("", |place| place.file.as_str());
    let is_here = diagnostic.place.as_ref().is_some_and(|place| place.exists);
    let line = diagnostic.place.as_ref().and_then(|place| place.line).unwrap_or(u32::MAX);
    (
        is_environment(diagnostic),
        !is_here,
        !is_syntax(diagnostic),
        diagnostic.severity,
        is_test_or_generated(file),
        reach.get(file).copied().unwrap_or(0),
        std::cmp::Reverse(errors.get(file).copied().unwrap_or(0)),
        file.to_owned(),
        line,
        at,
    )
}

/// Whether this is a syntax error: it hides all others of its file, and often of its project.
fn is_syntax(diagnostic: &Diagnostic) -> bool {
    let code = diagnostic.code.as_deref().unwrap_or_default();
    let message = diagnostic.message.as_str();
    let typescript = code.strip_prefix("TS").and_then(|number| number.parse().ok());
    let is_worded = |starts: &[&str]| starts.iter().any(|start| message.starts_with(start));
    typescript.is_some_and(is_typescript_syntax)
        || SYNTAX_CODES.contains(&code)
        || is_worded(&["Parsing error", "syntax error", "Transform failed"])
        || code.is_empty() && !diagnostic.is_runtime_failure() && is_worded(&SYNTAX_WORDS)
}

const SYNTAX_CODES: [&str; 8] = [
    "SyntaxError",
    "IndentationError",
    "TabError",
    "invalid-syntax",
    "E999",
    "E0001",
    "parse",
    "syntax",
];

/// The messages of compilers without codes: of C, and of Rust for text that does not parse.
const SYNTAX_WORDS: [&str; 9] = [
    "expected ",
    "mismatched closing delimiter",
    "unexpected closing delimiter",
    "this file contains an unclosed delimiter",
    "unterminated ",
    "unknown start of token",
    "unknown prefix ",
    "unexpected token",
    "extraneous ",
];

/// Whether a TypeScript error comes from the parser. The parser's numbers start at 1002, but the
/// checker has some among them: for modules, duplicate names, and constructs that a setting
/// forbids. The parser has few later numbers.
fn is_typescript_syntax(number: u32) -> bool {
    const CHECKED: [u32; 13] =
        [1055, 1056, 1058, 1062, 1064, 1117, 1148, 1149, 1166, 1168, 1169, 1170, 1192];
    const LATER: [u32; 10] = [1351, 1357, 1381, 1382, 1389, 1434, 1435, 1436, 1442, 1472];
    (1002..=1200).contains(&number) && !CHECKED.contains(&number) || LATER.contains(&number)
}

/// Tests and generated files show failures more often than they cause them.
fn is_test_or_generated(file: &str) -> bool {
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

/// The names in a message: quoted text, and words that look like identifiers.
pub fn names_in(diagnostic: &Diagnostic) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let lines = std::iter::once(diagnostic.message.as_str())
        .chain(diagnostic.notes.iter().take(6).map(String::as_str));
    for line in lines {
        for quoted in quoted(line) {
            let words = quoted.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
            names.extend(words.filter(|name| is_name(name)).map(str::to_owned));
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

/// Excludes the names of types that every language has.
fn is_name(name: &str) -> bool {
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
    name.len() > 1
        && name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
        && !PLAIN.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{FocusRule, choose, is_test, merge, names_in};
    use crate::locations::{Diagnostic, FileIndex, PathContext, locate};
    use crate::readers::read;

    fn diagnostics(text: &str) -> Vec<Diagnostic> {
        let files = ["a.ts", "b.ts", "b.test.ts", "c.ts"].map(str::to_owned);
        let context = PathContext { files: FileIndex::new(files), ..PathContext::default() };
        locate(read(text.as_bytes(), None).findings, &context).diagnostics
    }

    #[track_caller]
    fn check(text: &str, rule: &FocusRule, reach: &[(&str, usize)], expected: &str) {
        let merged = merge(diagnostics(text));
        let reach: BTreeMap<String, usize> =
            reach.iter().map(|(file, n)| ((*file).to_owned(), *n)).collect();
        let chosen = choose(&merged, rule, &reach).unwrap();
        let place = merged.diagnostics[chosen].place.clone().unwrap();
        assert_eq!(format!("{}:{}", place.file, place.line.unwrap()), expected);
    }

    const ERRORS: &str = "b.test.ts(1,1): error TS2304: Cannot find name 'x'.\n\
                          a.ts(2,1): error TS2304: Cannot find name 'y'.\n\
                          c.ts(3,1): error TS2304: Cannot find name 'z'.\n\
                          c.ts(3,1): error TS2304: Cannot find name 'z'.\n";

    #[test]
    fn own_code_ranks_before_tests_and_upstream_before_downstream() {
        check(ERRORS, &FocusRule::Ranked, &[("a.ts", 1), ("c.ts", 0)], "c.ts:3");
        check(ERRORS, &FocusRule::Ranked, &[], "a.ts:2");
        let syntax = format!("{ERRORS}b.test.ts(9,1): error TS1005: ';' expected.\n");
        check(&syntax, &FocusRule::Ranked, &[], "b.test.ts:9");
    }

    #[test]
    fn syntax_errors_rank_first_but_settings_errors_do_not() {
        let with = |line: &str| format!("{ERRORS}{line}\n");
        for line in [
            "c.ts(9,1): error TS1434: Unexpected keyword or identifier.",
            "c.ts:9:1: error: mismatched closing delimiter: `)`",
            "c.ts(9,1): error TS1128: Declaration or statement expected.",
        ] {
            check(&with(line), &FocusRule::Ranked, &[], "c.ts:9");
        }
        for line in [
            "c.ts(9,1): error TS1484: 'T' is a type and must be imported using a type-only import.",
            "c.ts(9,1): error TS1192: Module has no default export.",
        ] {
            check(&with(line), &FocusRule::Ranked, &[("c.ts", 1)], "a.ts:2");
        }
    }

    #[test]
    fn errors_of_the_environment_rank_last() {
        let text = "a.ts(1,1): error TS2307: Cannot find module 'ws' or its corresponding type declarations.\n\
                    b.test.ts(7,1): error TS2339: Property 'x' does not exist on type 'A'.\n";
        check(text, &FocusRule::Ranked, &[], "b.test.ts:7");
        check(text.lines().next().unwrap(), &FocusRule::Ranked, &[], "a.ts:1");
    }

    #[test]
    fn a_focus_number_counts_the_diagnostics_of_the_output() {
        let twice = "c.ts(3,1): error TS2304: Cannot find name 'z'.\n\
                     c.ts(3,1): error TS2304: Cannot find name 'z'.\n\
                     a.ts(2,1): error TS2304: Cannot find name 'y'.\n";
        check(twice, &FocusRule::Number(2), &[], "c.ts:3");
        check(twice, &FocusRule::Number(3), &[], "a.ts:2");
        assert_eq!(
            choose(&merge(diagnostics(twice)), &FocusRule::Number(4), &BTreeMap::new()),
            None
        );
    }

    #[test]
    fn the_focus_file_may_be_relative_absolute_or_in_windows_style() {
        let from = |text: &str| -> Vec<String> {
            let rules = FocusRule::parse(text).unwrap().alternatives("/r/shop", "packages/web");
            let file = |rule| match rule {
                FocusRule::At(file, 3) => file,
                rule => panic!("{rule:?}"),
            };
            rules.into_iter().map(file).collect()
        };
        assert!(from("./src/a.ts:3").contains(&"src/a.ts".to_owned()));
        assert!(from("src\\a.ts:3").contains(&"packages/web/src/a.ts".to_owned()));
        assert!(from("../api/a.ts:3").contains(&"packages/api/a.ts".to_owned()));
        assert!(from("/r/shop/src/a.ts:3").contains(&"src/a.ts".to_owned()));
    }

    #[test]
    fn the_focus_can_be_given() {
        check(ERRORS, &FocusRule::First, &[], "b.test.ts:1");
        check(ERRORS, &FocusRule::parse("3").unwrap(), &[], "c.ts:3");
        check(ERRORS, &FocusRule::parse("a.ts:9").unwrap(), &[], "a.ts:2");
        assert_eq!(FocusRule::parse("0"), None);
    }

    #[test]
    fn duplicates_are_merged_and_equal_wording_is_grouped() {
        let merged = merge(diagnostics(ERRORS));
        assert_eq!(merged.counts, [1, 1, 2]);
        assert_eq!(merged.groups.len(), 1);
        assert_eq!(merged.groups[0].template, "TS2304 Cannot find name '…'.");
        assert_eq!((merged.groups[0].count, merged.groups[0].files), (3, 3));
    }

    #[test]
    fn quoted_text_and_identifiers_are_names() {
        let text = "a.ts(1,1): error TS2339: Property 'falsy' does not exist on type 'Params<string> | undefined'.\n";
        assert_eq!(names_in(&diagnostics(text)[0]), ["falsy", "Params"]);
    }

    #[test]
    fn paths_identify_tests() {
        assert!(is_test("src/a.spec.ts") && is_test("tests/x.rs") && is_test("pkg/a_test.go"));
        assert!(!is_test("src/latest.ts") && !is_test("src/contest.py"));
    }
}
