//! Reads the output of tools: compilers, linters, test runners, and logs that mix several of them.
//!
//! Each reader knows one format. The text is read once from the top. The first reader that
//! recognizes a line reads from there and returns where it stopped. So the log of a whole build
//! needs no splitting, and unknown lines cost nothing. The result is a list of [`ToolDiagnostic`]s:
//! the tool's own words, with paths as printed. [`crate::locations`] decides which paths are files of
//! the repository and which frame of a stack is the location.
//!
//! All input is untrusted. No reader panics, and each looks ahead only a bounded distance, so time
//! grows linearly with the input.

mod biome;
mod cargo_json;
mod cargo_test;
mod eslint;
mod gcc;
mod generic;
mod github;
mod go;
mod go_test;
mod javac;
mod jest;
mod json;
mod junit;
mod line_prefixes;
mod lines;
mod lsp;
mod mypy;
mod node;
mod oxlint;
mod parse;
mod pyright;
mod pytest;
mod python;
mod ruff;
mod rustc;
mod sarif;
mod stack;
mod tap;
mod test_json;
mod tool_diagnostic;
mod tsc;
mod vitest;

use std::collections::BTreeSet;

pub use lines::{LogText, masked};
pub use tool_diagnostic::{Cause, ColumnUnit, Excerpt, PrintedLocation, Severity, ToolDiagnostic};

/// An output format, as `--diag-format` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Format(&'static str);

impl Format {
    /// All formats, in the order in which they are tried.
    pub fn all() -> Vec<Self> {
        READERS.iter().map(|reader| reader.format()).collect()
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|format| format.0 == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// A reader of one format.
trait ToolReader: Sync {
    fn format(&self) -> Format;

    /// Whether output of this format starts at a line.
    fn sniff(&self, text: &LogText, at: usize) -> bool;

    /// Reads from line `at` and returns the line to continue at. A result not beyond `at` means
    /// that there was nothing to read after all.
    fn read(&self, text: &LogText, at: usize, out: &mut Vec<ToolDiagnostic>) -> usize;
}

/// The readers in the order in which they are tried: documents first, then formats with distinctive
/// marks, then those known only by a path and a number, and the generic guess last.
const READERS: &[&dyn ToolReader] = &[
    &sarif::Sarif,
    &lsp::Lsp,
    &cargo_json::CargoJson,
    &go_test::GoTestJson,
    &go::GoVetJson,
    &eslint::EslintJson,
    &biome::BiomeJson,
    &oxlint::OxlintJson,
    &test_json::TestJson,
    &pyright::PyrightJson,
    &ruff::RuffJson,
    &mypy::MypyJson,
    &gcc::GccJson,
    &junit::Junit,
    &github::Github,
    &tsc::Tsc,
    &vitest::Vitest,
    &jest::Jest,
    &tap::Tap,
    &node::NodeSpec,
    &pytest::Pytest,
    &python::PythonTraceback,
    &cargo_test::CargoTest,
    &rustc::Rustc,
    &ruff::Ruff,
    &pyright::Pyright,
    &biome::Biome,
    &oxlint::Oxlint,
    &eslint::Eslint,
    &go_test::GoTest,
    &go::GoBuild,
    &mypy::Mypy,
    &gcc::Gcc,
    &javac::Javac,
    &node::NodeStack,
    &generic::Generic,
];

/// The diagnostics of a text.
#[derive(Clone, Debug, Default)]
pub struct ParsedOutput {
    /// The diagnostics, in the order of the text.
    pub findings: Vec<ToolDiagnostic>,
    /// The recognized formats, also those without any diagnostic.
    pub formats: Vec<Format>,
    /// The number of lines that are not blank.
    pub lines: usize,
    /// How many of those no reader recognized.
    pub unknown: usize,
}

/// Reads all diagnostics of a text, or only those of one format.
pub fn read(bytes: &[u8], only: Option<Format>) -> ParsedOutput {
    let text = LogText::new(bytes);
    let mut reading = ParsedOutput::default();
    let readers: Vec<&&dyn ToolReader> =
        READERS.iter().filter(|reader| only.is_none_or(|only| reader.format() == only)).collect();
    let mut at = 0;
    while at < text.len() {
        let line = text.get(at);
        if line.trim().is_empty() {
            at += 1;
            continue;
        }
        let before = reading.findings.len();
        let mut next = at;
        for reader in &readers {
            if !reader.sniff(&text, at) {
                continue;
            }
            next = reader.read(&text, at, &mut reading.findings);
            if next > at {
                note_format(&mut reading, reader.format());
                break;
            }
            reading.findings.truncate(before);
        }
        // A reader may also take back what it read before.
        for finding in reading.findings.iter_mut().skip(before) {
            finding.folder = finding.folder.take().or_else(|| text.folder(at));
        }
        reading.lines += 1;
        if next <= at {
            reading.unknown += 1;
            next = at + 1;
        }
        at = next;
    }
    drop_noise(&mut reading.findings);
    reading
}

fn note_format(reading: &mut ParsedOutput, format: Format) {
    if !reading.formats.contains(&format) {
        reading.formats.push(format);
    }
}

/// Drops compiler warnings if the program was built and then panicked: they are not the failure.
/// Also drops repeated failures.
fn drop_noise(findings: &mut Vec<ToolDiagnostic>) {
    if findings.iter().any(|finding| finding.format == cargo_test::FORMAT.name()) {
        findings.retain(|finding| {
            finding.format != rustc::FORMAT.name() || finding.severity == Severity::Error
        });
    }
    // Up to Node 20 the reporter prints each failure twice: when it happens, and again with its
    // test at the end.
    let place = |spot: &PrintedLocation| (spot.file.clone(), spot.line, spot.col);
    let reported = findings.iter().filter(|it| it.format == node::SPEC.name());
    let reported: BTreeSet<_> = reported.flat_map(|it| &it.frames).map(place).collect();
    if !reported.is_empty() {
        let is_repeated =
            |it: &ToolDiagnostic| it.frames.first().is_some_and(|it| reported.contains(&place(it)));
        findings.retain(|it| it.format != node::STACK.name() || !is_repeated(it));
    }
}

#[cfg(test)]
mod tests;
