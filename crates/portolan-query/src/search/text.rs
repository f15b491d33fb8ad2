//! A search as text: the sum first, then as much as the budget holds.

mod block;
mod rest;

use std::fmt::Write as _;

use portolan_types::escape_invisible;

use self::block::{Detail, file_block, test_line};
use super::group::FEW;
use super::kinds::FileClass;
use super::report::{SearchReport, SearchedFile};
use portolan_index::token_counts::Tokenizer;

/// From most to least: how wide texts are, how many a declaration has, whether ranges are told.
const DETAILS: [Detail; 6] = [
    Detail { width: 100, texts: usize::MAX, has_ranges: true, has_tests: true },
    Detail { width: 64, texts: usize::MAX, has_ranges: true, has_tests: true },
    Detail { width: 64, texts: 1, has_ranges: true, has_tests: true },
    Detail { width: 40, texts: 1, has_ranges: true, has_tests: false },
    Detail { width: 0, texts: 0, has_ranges: true, has_tests: false },
    Detail { width: 0, texts: 0, has_ranges: false, has_tests: false },
];
/// More hits than this are shown without their texts.
const MANY: u64 = 200;
/// More hits than this are not all listed.
const TOO_MANY: u64 = 4_000;
/// The text may have so much of the size of what grep prints.
const DENSITY: f64 = 0.5;

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}

impl SearchReport {
    /// The first line: what there is in all.
    pub fn head(&self) -> String {
        if self.lines == 0 {
            let patterns = self.patterns.join("`, `");
            return format!(
                "no line matches `{}` in {}",
                escape_invisible(&patterns),
                files(self.searched as u64)
            );
        }
        let mut head = format!("{}{}", count(self.lines, "line"), self.parts());
        if let Some(read_as) = &self.read_as {
            let _ = write!(head, " (read as grep does: `{}`)", escape_invisible(read_as));
        }
        head
    }

    /// The parts of the sum.
    fn parts(&self) -> String {
        let sums = self.lines_by_class();
        let mut parts = Vec::new();
        let code = sums.get(&FileClass::Code).copied().unwrap_or(0);
        if self.is_whole() {
            let (inside, declarations) = self.in_declarations();
            if inside > 0 {
                parts.push(format!("{inside} in {}", count(declarations, "declaration")));
            }
            if code > inside {
                parts.push(format!("{} outside", code - inside));
            }
        } else if code > 0 {
            let in_files = self.files.iter().filter(|file| file.class == FileClass::Code).count();
            parts.push(format!("{code} in {} of code", files(in_files as u64)));
        }
        let others = FileClass::ALL.iter().skip(1);
        let others = others.filter_map(|class| Some((class, sums.get(class)?)));
        parts.extend(others.map(|(class, lines)| format!("{lines} in {}", class.name())));
        if self.withheld.lines > 0 {
            parts.push(format!("{} in files that may hold secrets", self.withheld.lines));
        }
        match parts.as_slice() {
            [] => String::new(),
            [one] => format!(" {}", one.split_once(' ').map_or("", |(_, rest)| rest)),
            _ => format!(" = {}", parts.join(" + ")),
        }
    }

    /// The rest of the answer, within so many tokens.
    pub fn body(&self, room: u64) -> String {
        if self.files.is_empty() || self.lines == 0 {
            return String::new();
        }
        if self.has_around() {
            let text = self.with_code();
            if tokens(&text) <= room {
                return text;
            }
        }
        // What grep prints is the measure, less the first line.
        let plain = self.plain_bytes.saturating_sub(self.head().len() as u64 + 20);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a length"
        )]
        let dense = (plain as f64 * DENSITY) as u64;
        let first = if self.lines > MANY { DETAILS.len() - 2 } else { 0 };
        let mut last = None;
        if self.lines <= TOO_MANY {
            for detail in &DETAILS[first..] {
                let text = self.listed(detail);
                let size = text.len() as u64;
                let is_dense = size <= dense || detail.texts == 0 && size <= plain;
                let fits = tokens(&text) <= room;
                if fits && (is_dense || self.lines <= FEW) {
                    return text;
                }
                last = Some(text).filter(|_| fits);
            }
        }
        last.unwrap_or_else(|| rest::bounded(self, &DETAILS[5], room))
    }

    fn has_around(&self) -> bool {
        let hits = self.files.iter().flat_map(|file| &file.groups).flat_map(|group| &group.hits);
        hits.into_iter().any(|hit| !hit.around.is_empty())
    }

    /// Every hit with the code around it.
    fn with_code(&self) -> String {
        self.files.iter().map(block::with_code).collect()
    }

    /// Every hit, in some detail.
    fn listed(&self, detail: &Detail) -> String {
        let mut text = String::new();
        for file in &self.files {
            text.push_str(&Self::one(file, detail));
        }
        text
    }

    /// One file, in some detail.
    fn one(file: &SearchedFile, detail: &Detail) -> String {
        match file.class {
            FileClass::Code | FileClass::Other => file_block(file, detail),
            _ if detail.has_tests => file_block(file, &Detail { texts: 0, ..*detail }),
            _ => test_line(file),
        }
    }
}

/// A number with its noun.
pub(super) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn files(number: u64) -> String {
    count(number, "file")
}

#[cfg(test)]
mod tests;
