//! The JSON of Jest and Vitest. Vitest writes the same format but omits some fields.

use serde_json::Value;

use super::json::{known, list, read_known, string};
use super::lines::{LogText, without_colours};
use super::stack::Stack;
use super::tool_diagnostic::{PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader, jest, vitest};

const FORMAT: Format = Format("jest-json");

pub(super) struct TestJson;

impl ToolReader for TestJson {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        known(text, at, is_report).is_some()
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        read_known(text, at, is_report, out, |report, out| {
            // Only Jest counts test suites that failed at run time.
            let tool = if report["numRuntimeErrorTestSuites"].is_u64() { "jest" } else { "vitest" };
            for suite in list(report, "testResults") {
                read_suite(tool, suite, out);
            }
        })
    }
}

fn is_report(value: &Value) -> bool {
    value["testResults"].is_array() && value["numTotalTests"].is_u64()
}

fn read_suite(tool: &'static str, suite: &Value, out: &mut Vec<ToolDiagnostic>) {
    let name = string(suite, "name");
    let failed = || list(suite, "assertionResults").filter(|test| test["status"] == "failed");
    for test in failed() {
        let between = if tool == "jest" { " › " } else { " > " };
        let titles =
            list(test, "ancestorTitles").filter_map(Value::as_str).chain(test["title"].as_str());
        let title = titles.collect::<Vec<_>>().join(between);
        let mut messages: Vec<String> =
            list(test, "failureMessages").filter_map(Value::as_str).map(without_colours).collect();
        if messages.is_empty() {
            messages.push(String::new());
        }
        for message in messages {
            let mut finding = ToolDiagnostic::new(FORMAT, tool, Severity::Error, "");
            Stack::read(message.lines(), true).fill(&mut finding);
            finding.test = Some(title.clone());
            finding.fallback = Some(PrintedLocation::new(name, None, None));
            out.push(finding);
        }
    }
    // Errors of the parser keep their colours inside of the JSON.
    let message = &without_colours(string(suite, "message"));
    if failed().next().is_some() || suite["status"] != "failed" || message.trim().is_empty() {
        return;
    }
    let text = LogText::part(message);
    let title = text.get(0).trim_start().strip_prefix("● ").map(str::trim);
    let here = || Some(PrintedLocation::new(name, None, None));
    if let Some(title) = title {
        let lines: Vec<&str> = (1..text.len()).map(|at| text.get(at)).collect();
        jest::read_block(title, &lines, out, here);
    } else {
        let mut finding = ToolDiagnostic::new(FORMAT, tool, Severity::Error, "");
        Stack::read(message.lines(), false).fill(&mut finding);
        let lines: Vec<&str> = message.lines().collect();
        finding.fallback = vitest::transform_error(&lines).or_else(here);
        out.push(finding);
    }
}
