//! `JUnit` XML, as the runners of many languages write it. The place is in the text of a failure, in
//! the runner's own words, so the readers of those are asked.

use super::finding::{ColumnUnit, Finding, Severity, Spot};
use super::lines::Text;
use super::parse::{class, has_ending, is_path, leading, number};
use super::python::is_group;
use super::stack::Stack;
use super::xml::{pieces, Piece};
use super::{cargo_test, pytest, Format, ToolReader};

const FORMAT: Format = Format("junit");

pub(super) struct Junit;

impl ToolReader for Junit {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &Text, at: usize) -> bool {
        let starts = |line: &str| line.starts_with("<testsuite");
        let line = text.get(at).trim_start();
        starts(line)
            || (line.starts_with("<?xml")
                && (line.contains("<testsuite")
                    || (at + 1..at + 4).any(|at| starts(text.get(at).trim_start()))))
    }

    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize {
        let mut document = String::new();
        let mut next = at;
        let mut close = "</testsuite>";
        while text.has(next) {
            let line = text.get(next);
            if line.contains("<testsuites") {
                close = "</testsuites>";
            }
            document.push_str(line);
            document.push('\n');
            next += 1;
            if line.contains(close) {
                break;
            }
        }
        read_document(&document, out);
        next
    }
}

fn attribute<'a>(attributes: &'a [(&str, String)], key: &str) -> Option<&'a str> {
    attributes.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
}

#[derive(Default)]
struct Case {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u32>,
}

struct Failure {
    message: String,
    kind: String,
    text: String,
}

/// The suite of a linter: it is named by its file.
struct Suite {
    file: String,
    /// `org.eslint`
    package: String,
}

fn read_document(document: &str, out: &mut Vec<Finding>) {
    let mut case = Case::default();
    let mut failure: Option<Failure> = None;
    let mut suite: Option<Suite> = None;
    for piece in pieces(document) {
        match piece {
            Piece::Open("testsuite", attributes, _) => {
                let get = |key: &str| attribute(&attributes, key).unwrap_or_default().to_owned();
                let found = Suite { file: get("name"), package: get("package") };
                suite = Some(found).filter(|it| it.package.starts_with("org."));
            }
            Piece::Open("testcase", attributes, _) => {
                let get = |key: &str| attribute(&attributes, key).map(str::to_owned);
                case = Case {
                    name: get("name").unwrap_or_default(),
                    class: get("classname").unwrap_or_default(),
                    file: get("file"),
                    line: get("line").and_then(|line| line.parse().ok()),
                };
            }
            Piece::Open("failure" | "error", attributes, is_closed) => {
                let get = |key: &str| attribute(&attributes, key).unwrap_or_default().to_owned();
                let open =
                    Failure { message: get("message"), kind: get("type"), text: String::new() };
                if is_closed {
                    out.push(finding(&case, suite.as_ref(), &open));
                } else {
                    failure = Some(open);
                }
            }
            Piece::Text(text) => {
                if let Some(failure) = &mut failure {
                    failure.text.push_str(&text);
                }
            }
            Piece::Close("failure" | "error") => {
                out.extend(failure.take().map(|it| finding(&case, suite.as_ref(), &it)));
            }
            _ => {}
        }
    }
}

/// What a linter writes: `line 1, col 16, Error - message (rule)`, the rule being the name of the case.
fn linted(case: &Case, suite: &Suite, failure: &Failure) -> Option<Finding> {
    let (line, rest) = number(failure.text.trim().strip_prefix("line ")?)?;
    let (col, rest) = number(rest.strip_prefix(", col ")?)?;
    let (word, _) = rest.strip_prefix(", ")?.split_once(" - ").unwrap_or(("error", ""));
    let severity = if word == "Warning" { Severity::Warning } else { Severity::Error };
    let tool = suite.package.rsplit('.').next().unwrap_or_default();
    let rule = case.name.strip_prefix(suite.package.as_str())?.trim_start_matches('.');
    let unit = if tool == "ruff" { ColumnUnit::CodePoint } else { ColumnUnit::Utf16 };
    Some(
        Finding::new(FORMAT, tool, severity, &failure.message)
            .code(Some(rule).filter(|rule| *rule != "unknown"))
            .at(Spot::new(suite.file.clone(), Some(line), Some(col)))
            .unit(unit),
    )
}

fn finding(case: &Case, suite: Option<&Suite>, failure: &Failure) -> Finding {
    if let Some(finding) = suite.and_then(|suite| linted(case, suite, failure)) {
        return finding;
    }
    let mut finding = told(failure);
    finding.format = FORMAT.name();
    let has_class = !case.class.is_empty() && !case.class.contains('/');
    finding.test =
        Some(if has_class { format!("{}.{}", case.class, case.name) } else { case.name.clone() });
    let file = case
        .file
        .clone()
        .or_else(|| Some(case.class.clone()).filter(|class| is_path(class) && class.contains('/')));
    if finding.fallback.is_none() {
        finding.fallback = file.map(|file| Spot::new(file, case.line, None));
    }
    if finding.message.is_empty() {
        finding.message.clone_from(&case.name);
    }
    finding
}

/// The failure in the words of the runner that wrote it.
fn told(failure: &Failure) -> Finding {
    let text = failure.text.trim_matches(['\n', '\r']);
    let lines: Vec<&str> = text.lines().collect();
    let is_python = lines.iter().any(|line| line.starts_with("E  ") || is_group(line))
        || lines
            .iter()
            .any(|line| leading(line).is_some_and(|place| has_ending(place.path, &["py"])));
    if let Some(finding) = is_python.then(|| pytest::section(&lines)).flatten() {
        return finding;
    }
    if text.contains("panicked at") {
        let mut found = Vec::new();
        let part = Text::part(text);
        for at in 0..part.len() {
            if found.is_empty() && cargo_test::CargoTest.sniff(&part, at) {
                cargo_test::CargoTest.read(&part, at, &mut found);
            }
        }
        if let Some(finding) = found.pop() {
            return finding;
        }
    }
    let tool = if text.contains('❯') { "vitest" } else { "junit" };
    let mut finding = Finding::new(FORMAT, tool, Severity::Error, &failure.message);
    let stack = Stack::read(lines.iter().copied(), true);
    let kind = Some(failure.kind.clone()).filter(|kind| is_class(kind));
    if stack.has_frames() {
        stack.fill(&mut finding);
        finding.code = kind.or(finding.code);
    } else {
        let spot = lines.iter().find_map(|line| {
            let place = leading(line.trim()).filter(|place| is_path(place.path))?;
            Some(Spot::new(place.path, Some(place.line), place.col))
        });
        let first = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
        if finding.message.is_empty() {
            first.trim().clone_into(&mut finding.message);
        }
        finding.code = kind;
        finding.fallback = spot;
    }
    if !failure.message.trim().is_empty() {
        let first = failure.message.lines().next().unwrap_or_default().trim();
        let plain = class(first, true)
            .filter(|(name, _)| Some(*name) == finding.code.as_deref())
            .map_or(first, |(_, message)| message);
        if !plain.is_empty() {
            plain.clone_into(&mut finding.message);
        }
    }
    finding
}

fn is_class(kind: &str) -> bool {
    !kind.is_empty()
        && !kind.contains(' ')
        && class(&format!("{kind}: x"), true).is_some()
        && kind != "failure"
        && kind != "error"
}
