//! Reading what tools print: compilers, linters, tests, and the logs that hold several of them.
//!
//! A reader knows one shape of output. The text is walked once from its top; the first reader that
//! knows a line reads from there on and says where it stopped. That way a log of a whole build needs
//! no splitting, and a line that nobody knows costs nothing. What comes out is a [`Finding`]: the
//! words of the tool, with paths as printed. Which of them are files of the repository, and which
//! frame of a stack is the place, is decided in [`crate::places`].
//!
//! Everything here is untrusted text: no reader panics, and each looks only a bounded way ahead of
//! what it reads, so time grows with the size of the input.

mod biome;
mod cargo_json;
mod cargo_test;
mod dressing;
mod eslint;
mod finding;
mod gcc;
mod generic;
mod github;
mod go;
mod go_test;
mod javac;
mod jest;
mod json;
mod junit;
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
mod tsc;
mod vitest;
mod xml;

use std::collections::BTreeSet;


pub use finding::{Cause, ColumnUnit, Excerpt, Finding, Severity, Spot};
pub use lines::Text;

/// A shape of output, as `--diag-format` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Format(&'static str);

impl Format {
    /// Every format, in the order in which they are tried.
    pub fn all() -> Vec<Self> {
        READERS.iter().map(|reader| reader.format()).collect()
    }

    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|format| format.0 == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// One shape of output.
trait ToolReader: Sync {
    fn format(&self) -> Format;

    /// Whether something of this shape starts at a line.
    fn sniff(&self, text: &Text, at: usize) -> bool;

    /// Reads it, and answers the line to go on at. An answer not beyond `at` means that there was
    /// nothing to read after all.
    fn read(&self, text: &Text, at: usize, out: &mut Vec<Finding>) -> usize;
}

/// In the order in which they are tried: documents first, then shapes with strong marks, then those
/// that only a path and a number tell, and the guess last.
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
    &python::Python,
    &cargo_test::CargoTest,
    &rustc::Rustc,
    &ruff::Ruff,
    &pyright::Pyright,
    &biome::Biome,
    &oxlint::Oxlint,
    &eslint::Eslint,
    &go_test::GoTest,
    &go::Go,
    &mypy::Mypy,
    &gcc::Gcc,
    &javac::Javac,
    &node::NodeStack,
    &generic::Generic,
];

/// What was found in a text.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The diagnostics, in the order of the text.
    pub findings: Vec<Finding>,
    /// The formats that were recognised, also those that had nothing to say.
    pub formats: Vec<Format>,
    /// Lines that are not blank, and how many of them no reader knew.
    pub lines: usize,
    /// See above.
    pub unknown: usize,
}

/// Reads all diagnostics of a text, or those of one format.
pub fn read(bytes: &[u8], only: Option<Format>) -> Reading {
    let text = Text::new(bytes);
    let mut reading = Reading::default();
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
        for finding in &mut reading.findings[before..] {
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

fn note_format(reading: &mut Reading, format: Format) {
    if !reading.formats.contains(&format) {
        reading.formats.push(format);
    }
}

/// Warnings of the compiler are not what failed where the program was built and then panicked.
fn drop_noise(findings: &mut Vec<Finding>) {
    if findings.iter().any(|finding| finding.format == cargo_test::FORMAT.name()) {
        findings.retain(|finding| {
            finding.format != rustc::FORMAT.name() || finding.severity == Severity::Error
        });
    }
    // Up to Node 20 the reporter tells each failure twice: where it happens, and with its test at the end.
    let place = |spot: &Spot| (spot.file.clone(), spot.line, spot.col);
    let told = findings.iter().filter(|it| it.format == node::SPEC.name());
    let told: BTreeSet<_> = told.flat_map(|it| &it.frames).map(place).collect();
    if !told.is_empty() {
        let is_told = |it: &Finding| it.frames.first().is_some_and(|it| told.contains(&place(it)));
        findings.retain(|it| it.format != node::STACK.name() || !is_told(it));
    }
}

#[cfg(test)]
mod tests;
