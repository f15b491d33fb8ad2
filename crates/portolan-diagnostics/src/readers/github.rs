//! GitHub annotations: `::error file=…,line=…::message`.

use super::lines::LogText;
use super::parse::{leading, trailing_code};
use super::stack::Stack;
use super::tool_diagnostic::{ColumnUnit, PrintedLocation, Severity, ToolDiagnostic};
use super::{Format, ToolReader};

const FORMAT: Format = Format("github");

pub(super) struct Github;

impl ToolReader for Github {
    fn format(&self) -> Format {
        FORMAT
    }

    fn sniff(&self, text: &LogText, at: usize) -> bool {
        let line = text.get(at);
        command(line).is_some() || (text.has_annotations && line.starts_with("::group::"))
    }

    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize {
        let line = text.get(at);
        if line.starts_with("::group::") {
            // Inside the group, a tool that annotates repeats its diagnostics for people.
            let end = (at + 1..text.len()).find(|&at| text.get(at).starts_with("::endgroup::"));
            return end.map_or(at + 1, |end| end + 1);
        }
        let Some((severity, properties, message)) = command(line) else { return at };
        let properties = Properties::read(properties);
        if properties.get("file").is_some() || severity == Severity::Error {
            out.push(finding(severity, &properties, &unescape(message)));
        }
        at + 1
    }
}

fn command(line: &str) -> Option<(Severity, &str, &str)> {
    let rest = line.trim_start().strip_prefix("::")?;
    let (word, rest) = ["error", "warning", "notice"]
        .iter()
        .find_map(|word| rest.strip_prefix(word).map(|rest| (*word, rest)))?;
    let (properties, message) = rest.split_once("::")?;
    (properties.is_empty() || properties.starts_with(' '))
        .then(|| (Severity::of(word), properties.trim(), message))
}

struct Properties(Vec<(&'static str, String)>);

impl Properties {
    /// `file=a.ts,line=3,title=…`. A value ends at the next known key, because paths may contain
    /// commas.
    fn read(text: &str) -> Self {
        const KEYS: [&str; 8] =
            ["file", "line", "endLine", "col", "column", "endColumn", "endCol", "title"];
        let mut starts: Vec<(usize, &'static str)> = KEYS
            .iter()
            .filter_map(|key| {
                let at_start = text.starts_with(&format!("{key}=")).then_some(0);
                let inside = text.find(&format!(",{key}=")).map(|at| at + 1);
                at_start.or(inside).map(|at| (at, *key))
            })
            .collect();
        starts.sort_unstable();
        let ends = starts.iter().skip(1).map(|(at, _)| at - 1).chain([text.len()]);
        let values = starts.iter().zip(ends).map(|((at, key), end)| {
            let value = text.get(at + key.len() + 1..end).unwrap_or_default();
            (*key, unescape(value))
        });
        Self(values.collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.parse().ok()
    }
}

fn unescape(text: &str) -> String {
    let mut text = text.to_owned();
    for (escape, plain) in [("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]
    {
        if text.contains(escape) {
            text = text.replace(escape, plain);
        }
    }
    text
}

fn finding(severity: Severity, properties: &Properties, message: &str) -> ToolDiagnostic {
    let mut finding = ToolDiagnostic::new(FORMAT, "github", severity, message);
    let col = properties.number("col").or_else(|| properties.number("column"));
    finding.end = properties.number("endLine").zip(properties.number("endColumn"));
    let spot = properties
        .get("file")
        .map(|file| PrintedLocation::new(file, properties.number("line"), col));
    let title = properties.get("title").unwrap_or_default();
    let is_vitest = message.contains(" ❯ ");
    let stack = Stack::read(message.lines(), is_vitest);
    if stack.has_frames() {
        // A failed test: the title is its name.
        stack.fill(&mut finding);
        if is_vitest { "vitest" } else { "jest" }.clone_into(&mut finding.tool);
        finding.test = Some(title.to_owned());
        finding.fallback = spot;
        return finding;
    }
    finding.unit = ColumnUnit::CodePoint;
    finding.place = spot;
    titled(title, &mut finding);
    drop_repeated_place(&mut finding);
    finding
}

/// The title of a linter's annotation is its rule: `ruff (E401)`, `lint/style/useConst`,
/// `eslint(no-var)`.
fn titled(title: &str, finding: &mut ToolDiagnostic) {
    if let Some((tool, code)) = trailing_code(title, '(', ')').filter(|_| title.contains(" (")) {
        tool.clone_into(&mut finding.tool);
        finding.code = Some(code.to_owned());
    } else if !title.is_empty() && !title.contains(' ') {
        let is_rule = title.contains(['/', '(', '-'])
            || matches!(title, "parse" | "format" | "organizeImports" | "suppressions");
        let is_code = title.bytes().any(|byte| byte.is_ascii_digit());
        if is_rule || is_code {
            finding.code = Some(title.to_owned());
        }
        let tool = if title.ends_with(')') { "oxlint" } else { "biome" };
        if is_rule {
            tool.clone_into(&mut finding.tool);
        }
        if tool == "oxlint" {
            finding.unit = ColumnUnit::Byte;
        }
    }
}

/// Some tools repeat the location and the code in front of the message: `a.py:1:8: F401 message`.
fn drop_repeated_place(finding: &mut ToolDiagnostic) {
    let Some(place) = &mut finding.place else { return };
    let message = finding.message.clone();
    if let Some(again) = leading(&message) {
        let path = again.path.replace('\\', "/");
        let is_same = place.file.replace('\\', "/").ends_with(path.trim_start_matches("./"));
        if is_same && Some(again.line) == place.line {
            place.col = place.col.or(again.col);
            again.rest.clone_into(&mut finding.message);
        }
    }
    if let Some(code) = &finding.code
        && let Some(rest) = finding.message.strip_prefix(code.as_str())
        && let Some(rest) = rest.strip_prefix(": ").or_else(|| rest.strip_prefix(' '))
    {
        finding.message = rest.trim().to_owned();
    }
}
