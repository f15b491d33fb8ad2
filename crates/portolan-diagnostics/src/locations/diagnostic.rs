//! A diagnostic with its location in the repository.

use crate::readers::{ColumnUnit, Excerpt, Severity, ToolDiagnostic};

/// A location of a diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path relative to the repository, with forward slashes; absolute if it is outside.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1, in the tool's unit.
    pub col: Option<u32>,
    /// The message at this location, or the function of a frame.
    pub message: String,
    /// Whether the file is in the repository.
    pub exists: bool,
}

impl SourceLocation {
    /// Whether this can be the repository's own code: inside it, and not in a dependency.
    pub fn is_own(&self) -> bool {
        const OTHERS: [&str; 4] = ["node_modules", "site-packages", ".venv", "vendor"];
        const JVM: [&str; 4] = [".java", ".kt", ".scala", ".groovy"];
        let is_inside = !self.file.starts_with('/')
            && !self.file.starts_with("../")
            && self.file.get(1..2) != Some(":");
        // JVM frames name packages, not folders: only an existing file tells.
        let is_named = JVM.iter().any(|ending| self.file.ends_with(ending));
        is_inside
            && !self.file.starts_with('<')
            && (self.exists || !is_named)
            && (self.exists || !self.file.split('/').any(|part| OTHERS.contains(&part)))
            && !self.file.split('/').any(|part| part == "node_modules")
    }
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The location, if there is one.
    pub place: Option<SourceLocation>,
    /// The end: the line, and the column after the last character.
    pub end: Option<(u32, u32)>,
    /// The severity.
    pub severity: Severity,
    /// Its code or class.
    pub code: Option<String>,
    /// The first line of the message.
    pub message: String,
    /// The further lines of the message.
    pub notes: Vec<String>,
    /// Related locations.
    pub related: Vec<SourceLocation>,
    /// The tool.
    pub tool: String,
    /// The format that it was read as.
    pub format: &'static str,
    /// The failed test, if any.
    pub test: Option<String>,
    /// The unit of the columns.
    pub unit: ColumnUnit,
    /// The source line that the tool printed.
    pub excerpt: Option<Excerpt>,
    /// Whether the printed line differs from the line in the file.
    pub is_stale: bool,
}

impl Diagnostic {
    /// Whether it comes from running code, not from a compiler or linter. Its message then shows
    /// the outcome, but not where the mistake is.
    pub fn is_runtime_failure(&self) -> bool {
        const STACKS: [&str; 2] = ["python", "node-stack"];
        self.test.is_some() || STACKS.contains(&self.format)
    }

    pub(super) fn new(
        finding: ToolDiagnostic,
        place: Option<SourceLocation>,
        related: Vec<SourceLocation>,
        has_excerpt: bool,
    ) -> Self {
        Self {
            end: finding.end.filter(|_| place.is_some()),
            place,
            severity: finding.severity,
            code: finding.code,
            message: finding.message,
            notes: finding.notes,
            related,
            tool: finding.tool,
            format: finding.format,
            test: finding.test,
            unit: finding.unit,
            excerpt: finding.excerpt.filter(|_| has_excerpt),
            is_stale: false,
        }
    }

    /// Compares it with the text of its file: checks the printed line, and corrects columns that
    /// were counted without the indentation.
    pub fn check_against_source(&mut self, text: &str) {
        let Some(place) = &mut self.place else { return };
        let Some(line) = place.line.and_then(|line| nth_line(text, line)) else {
            // An error at the end of a file is on the line after the last.
            let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
            let after = if self.excerpt.is_some() { 1 } else { last.saturating_add(1) };
            self.is_stale = place.line.is_some_and(|line| line > after);
            return;
        };
        let Some(excerpt) = &self.excerpt else { return };
        self.is_stale = !is_same(&excerpt.text, line);
        if excerpt.trimmed && !self.is_stale {
            let indent = line.chars().take_while(|c| c.is_whitespace()).count();
            place.col = place.col.map(|col| col + u32::try_from(indent).unwrap_or_default());
        }
    }

    /// The column in UTF-16 units of its line.
    pub fn utf16_col(&self, line: &str) -> Option<u32> {
        let col = self.place.as_ref()?.col?;
        Some(match self.unit {
            ColumnUnit::Utf16 => col,
            unit => to_utf16(line, col, unit),
        })
    }
}

fn nth_line(text: &str, line: u32) -> Option<&str> {
    text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)
}

/// Whether a printed line is the line in the file. Tools change blanks, add bars to several lines,
/// and cut long ones.
fn is_same(printed: &str, line: &str) -> bool {
    let squeeze = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (printed, line) = (squeeze(printed), squeeze(line));
    let is_cut = printed.contains('…') || printed.contains("...");
    is_cut || printed == line || printed.strip_prefix(['/', '|']).is_some_and(|rest| rest == line)
}

fn to_utf16(line: &str, col: u32, unit: ColumnUnit) -> u32 {
    let before = col.saturating_sub(1) as usize;
    let mut seen = 0;
    let mut units = 0;
    for c in line.chars() {
        if seen >= before {
            break;
        }
        seen += match unit {
            ColumnUnit::Utf16 => c.len_utf16(),
            ColumnUnit::CodePoint => 1,
            ColumnUnit::Byte => c.len_utf8(),
            ColumnUnit::Display => width(c, seen),
        };
        units += c.len_utf16();
    }
    u32::try_from(units + before.saturating_sub(seen)).unwrap_or(u32::MAX).saturating_add(1)
}

/// The terminal cells of a character, as GCC counts them.
fn width(c: char, seen: usize) -> usize {
    match c {
        '\t' => 8 - seen % 8,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_same, to_utf16};
    use crate::readers::ColumnUnit;

    #[test]
    fn columns_of_every_unit_convert_to_utf16() {
        let line = "\t\"😀😀é船\" x";
        for (col, unit) in [
            (18, ColumnUnit::Byte),
            (9, ColumnUnit::CodePoint),
            (19, ColumnUnit::Display),
            (11, ColumnUnit::Utf16),
        ] {
            assert_eq!(to_utf16(line, col, unit), 11, "{unit:?}");
        }
        assert_eq!(to_utf16("ab", 9, ColumnUnit::Byte), 9);
    }

    #[test]
    fn blanks_and_cuts_do_not_make_a_line_stale() {
        assert!(is_same("let  x = 1;", "\tlet x = 1;"));
        assert!(is_same("/ import os", "import os"));
        assert!(is_same("foo(bar…", "foo(barbaz)"));
        assert!(!is_same("let y = 1;", "let x = 1;"));
    }
}
