//! `JUnit` XML from the runners of many languages. The location is in the text of a failure, in the
//! runner's own format, so the readers of those formats read it.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;

use super::lines::LogText;
use super::parse::{class, has_ending, is_path, leading, number};
use super::python::{PythonTraceback, is_group};
use super::stack::Stack;
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::vitest::transform_error;
use super::{Format, ToolReader, cargo_test, pytest};

const FORMAT: Format = Format("junit");

pub(super) struct Junit;

impl ToolReader for Junit {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        let starts = |line: &str| line.starts_with("<testsuite");
        let line = text.get(at).trim_start();
        starts(line)
            || (line.starts_with("<?xml")
                && (line.contains("<testsuite")
                    || (at + 1..at + 4).any(|at| starts(text.get(at).trim_start()))))
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
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

#[derive(Default)]
struct TestCase {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u32>,
    /// Whether the report marks it as one that may fail.
    is_expected: bool,
}

struct TestFailure {
    message: String,
    kind: String,
    text: String,
}

/// A linter's suite, which has the name of its file.
struct LintSuite {
    file: String,
    /// `org.eslint`
    package: String,
}

/// Reads a report up to its end, or to the first place that is not XML: a report may be cut off.
fn read_document(document: &str, out: &mut Vec<ToolDiagnostic>) {
    let mut reader = Reader::from_str(document);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut report = ReportReader::default();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => report.open(&tag),
            Event::Empty(tag) => {
                report.open(&tag);
                out.extend(report.close(tag.name()));
            }
            Event::End(tag) => out.extend(report.close(tag.name())),
            Event::Text(text) => report.text(&text.decode().unwrap_or_default()),
            Event::CData(text) => report.text(&text.decode().unwrap_or_default()),
            Event::GeneralRef(reference) => {
                let name = reference.decode().unwrap_or_default();
                report.text(&unescaped(&format!("&{name};")));
            }
            Event::Eof => break,
            _ => {}
        }
    }
}

/// The elements that are open.
#[derive(Default)]
struct ReportReader {
    suite: Option<LintSuite>,
    /// The file of the tests that follow.
    file: Option<String>,
    /// Whether lines are counted from zero.
    is_pytest: bool,
    case: TestCase,
    failure: Option<TestFailure>,
}

impl ReportReader {
    fn open(&mut self, tag: &BytesStart<'_>) {
        let get = |key: &str| attribute(tag, key).unwrap_or_default();
        match tag.name().as_ref() {
            b"testsuite" => {
                let suite = LintSuite { file: get("name"), package: get("package") };
                self.is_pytest = suite.file == "pytest";
                self.suite = Some(suite).filter(|it| it.package.starts_with("org."));
                self.file = ["file", "filepath"].iter().find_map(|key| attribute(tag, key));
            }
            b"testcase" => {
                self.case = TestCase {
                    name: get("name"),
                    class: get("classname"),
                    file: attribute(tag, "file").or_else(|| self.file.clone()),
                    line: attribute(tag, "line")
                        .and_then(|line| line.parse::<u32>().ok())
                        .map(|line| line.saturating_add(u32::from(self.is_pytest))),
                    is_expected: false,
                };
            }
            b"skipped" => self.case.is_expected = get("type") == "todo",
            b"failure" | b"error" => {
                let (message, kind) = (get("message"), get("type"));
                self.failure = Some(TestFailure { message, kind, text: String::new() });
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(failure) = &mut self.failure {
            failure.text.push_str(text);
        }
    }

    fn close(&mut self, name: QName<'_>) -> Option<ToolDiagnostic> {
        if !matches!(name.as_ref(), b"failure" | b"error") {
            return None;
        }
        let failure = self.failure.take().filter(|_| !self.case.is_expected)?;
        Some(finding(&self.case, self.suite.as_ref(), &failure))
    }
}

fn attribute(tag: &BytesStart<'_>, key: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found =
        attributes.with_checks(false).flatten().find(|it| it.key.as_ref() == key.as_bytes())?;
    str::from_utf8(&found.value).ok().map(unescaped)
}

/// Text without its entities; as written if one of them is unknown.
fn unescaped(text: &str) -> String {
    unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// A linter's failure: `line 1, col 16, Error - message (rule)`. The rule is the name of the test
/// case.
fn linted(case: &TestCase, suite: &LintSuite, failure: &TestFailure) -> Option<ToolDiagnostic> {
    let (line, rest) = number(failure.text.trim().strip_prefix("line ")?)?;
    let (col, rest) = number(rest.strip_prefix(", col ")?)?;
    let (word, _) = rest.strip_prefix(", ")?.split_once(" - ").unwrap_or(("error", ""));
    let severity = if word == "Warning" { Severity::Warning } else { Severity::Error };
    let tool = suite.package.rsplit('.').next().unwrap_or_default();
    let rule = case.name.strip_prefix(suite.package.as_str())?.trim_start_matches('.');
    let unit = if tool == "ruff" { ColumnUnit::CodePoint } else { ColumnUnit::Utf16 };
    Some(
        ToolDiagnostic::new(FORMAT, tool, severity, &failure.message)
            .code(Some(rule).filter(|rule| *rule != "unknown"))
            .at(PrintedLocation::new(suite.file.clone(), Some(line), Some(col)))
            .unit(unit),
    )
}

fn finding(case: &TestCase, suite: Option<&LintSuite>, failure: &TestFailure) -> ToolDiagnostic {
    if let Some(finding) = suite.and_then(|suite| linted(case, suite, failure)) {
        return finding;
    }
    let mut finding = read_failure(failure);
    finding.format = FORMAT.name();
    let has_class = !case.class.is_empty() && !case.class.contains('/');
    finding.test =
        Some(if has_class { format!("{}.{}", case.class, case.name) } else { case.name.clone() });
    let file = case
        .file
        .clone()
        .or_else(|| Some(case.class.clone()).filter(|class| is_path(class) && class.contains('/')));
    if finding.fallback.is_none() {
        finding.fallback = file.map(|file| PrintedLocation::new(file, case.line, None));
    }
    if finding.message.is_empty() {
        finding.message.clone_from(&case.name);
    }
    finding
}

/// Reads a failure in the format of the runner that wrote it.
fn read_failure(failure: &TestFailure) -> ToolDiagnostic {
    let text = failure.text.trim_matches(['\n', '\r']);
    let lines: Vec<&str> = text.lines().collect();
    let text_of = |reader: &dyn ToolReader| read_text(reader, text);
    if let Some(finding) = lines
        .iter()
        .any(|line| line.trim() == "Traceback (most recent call last):")
        .then(|| text_of(&PythonTraceback))
        .flatten()
    {
        return finding;
    }
    let is_python = lines.iter().any(|line| line.starts_with("E  ") || is_group(line))
        || lines
            .iter()
            .any(|line| leading(line).is_some_and(|place| has_ending(place.path, &["py"])));
    if let Some(finding) = is_python.then(|| pytest::section(&lines)).flatten() {
        return finding;
    }
    if let Some(finding) =
        text.contains("panicked at").then(|| text_of(&cargo_test::CargoTest)).flatten()
    {
        return finding;
    }
    let tool = if text.contains('❯') { "vitest" } else { "junit" };
    let mut finding = ToolDiagnostic::new(FORMAT, tool, Severity::Error, &failure.message);
    let stack = Stack::read(own_error(&lines).iter().copied(), true);
    let kind = Some(failure.kind.clone()).filter(|kind| is_class(kind));
    let unread = transform_error(&lines);
    if stack.has_frames() || unread.is_some() {
        stack.fill(&mut finding);
        finding.code = kind.or(finding.code);
        finding.fallback = unread;
    } else {
        let spot = lines.iter().find_map(|line| {
            let place = leading(line.trim()).filter(|place| is_path(place.path))?;
            Some(PrintedLocation::new(place.path, Some(place.line), place.col))
        });
        let first = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
        if finding.message.is_empty() {
            first.trim().clone_into(&mut finding.message);
        }
        finding.code = kind;
        finding.fallback = spot;
    }
    // Node drops the line breaks of a message in the attribute.
    let is_wrapped = !finding.frames.is_empty() && is_wrapped(&lines);
    if !failure.message.trim().is_empty() && !is_wrapped {
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

/// Reads a text with the reader of another format.
fn read_text(reader: &dyn ToolReader, text: &str) -> Option<ToolDiagnostic> {
    let part = LogText::part(text);
    let mut found = Vec::new();
    let at = (0..part.len()).find(|&at| reader.sniff(&part, at))?;
    reader.read(&part, at, &mut found);
    found.pop()
}

/// The lines of the error itself. Node wraps it into one of its own, as the cause of that.
fn own_error<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let starts_cause = |line: &&str| line.starts_with("  cause: ");
    let cause = lines.iter().position(starts_cause).filter(|_| is_wrapped(lines));
    let Some(cause) = cause else { return lines.to_vec() };
    let head = lines[cause].trim_start().strip_prefix("cause: ").unwrap_or_default();
    std::iter::once(head).chain(lines[cause + 1..].iter().copied()).collect()
}

fn is_wrapped(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.trim_start_matches('[').starts_with("Error [ERR_TEST_FAILURE]"))
}

/// Whether a type names the class of an error. Node tells how a test failed instead.
fn is_class(kind: &str) -> bool {
    const NODE: [&str; 8] = [
        "testCodeFailure",
        "testTimeoutFailure",
        "testAborted",
        "cancelledByParent",
        "subtestsFailed",
        "parentAlreadyFinished",
        "hookFailed",
        "uncaughtException",
    ];
    !kind.is_empty()
        && !NODE.contains(&kind)
        && !kind.contains(' ')
        && class(&format!("{kind}: x"), true).is_some()
        && kind != "failure"
        && kind != "error"
}

#[cfg(test)]
mod tests {
    use super::read_document;

    #[track_caller]
    fn check(document: &str, expected: &[&str]) {
        let mut found = Vec::new();
        read_document(document, &mut found);
        let messages: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, expected, "{document}");
    }

    #[test]
    fn entities_cdata_and_empty_elements_are_read() {
        check("<failure message=\"1 > 0 &amp; &lt;b&gt;\"/>", &["1 > 0 & <b>"]);
        check("<error><![CDATA[<b> is bad]]></error>", &["<b> is bad"]);
        check("<error>a &amp; b &#x21; &unknown; &c</error>", &["a & b ! &unknown; &c"]);
    }

    #[test]
    fn a_report_is_read_up_to_where_it_is_cut_off_or_broken() {
        check("<failure message=\"a\"/><failure message=\"b", &["a"]);
        check("<failure message=\"a\"/><![CDATA[", &["a"]);
        check("<failure>a</failure><failure>b", &["a"]);
        check("</x></y><failure>a</failure>", &["a"]);
    }
}
