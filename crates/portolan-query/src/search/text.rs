//! A search as text: the sum first, then as much as the budget holds.

mod block;
mod folders;
mod next;
mod rest;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use portolan_types::escape_invisible;

use self::block::{Detail, Texts, file_block, numbers_line, with_code};
pub(crate) use self::next::{in_braces, quoted};
use super::group::{FEW, is_main};
use super::kinds::{FileClass, data_folder};
use super::report::{ReadAs, SearchReport, SearchedFile, unsearched_note};
use portolan_index::token_counts::Tokenizer;

/// A detail, and how long an answer in it may be, in percent of what grep prints.
type Level = (Detail, u64);

/// An answer with many hits is half as long as what grep prints.
const DENSE: u64 = 50;
/// One with a line each is a little longer: agents that saw texts cut down to a few words had to open the file to see the
/// rest of the line.
const READABLE: u64 = 60;
/// It is never longer than that.
const NEVER_LONGER: u64 = 100;

/// The most files that are named where no line matches.
const MOST_NAMED: usize = 5;
/// With up to this many hits imports have their texts, too.
const MOST_FEW: u64 = 10;
/// With up to this many hits each one is shown with its text.
const MOST_TEXTS: u64 = 40;
/// More hits than this are shown without their texts.
const MANY: u64 = 200;
/// More hits than this are not all listed.
const TOO_MANY: u64 = 4_000;

const fn all(width: usize) -> Detail {
    Detail {
        width,
        texts: Texts::All,
        has_ranges: true,
        has_names: true,
        has_tests: false,
        has_outside: true,
    }
}

const fn inside(width: usize) -> Detail {
    Detail { has_outside: false, ..all(width) }
}

const fn without_ranges(width: usize) -> Detail {
    Detail { has_ranges: false, ..all(width) }
}

const fn without_names(width: usize) -> Detail {
    Detail { has_names: false, ..without_ranges(width) }
}

const fn first(width: usize) -> Detail {
    Detail { texts: Texts::First, ..all(width) }
}

const fn bare(has_ranges: bool) -> Detail {
    Detail { texts: Texts::None, has_ranges, ..all(0) }
}

/// From most to least, for so few hits that none should need another call to be seen: their texts are worth more than
/// the lines and names of what they are in.
const FEW_LINES: [Level; 8] = [
    (Detail { has_tests: true, ..all(120) }, NEVER_LONGER),
    (all(120), NEVER_LONGER),
    (all(64), NEVER_LONGER),
    (first(64), NEVER_LONGER),
    (without_ranges(64), NEVER_LONGER),
    (without_names(80), NEVER_LONGER),
    (bare(true), NEVER_LONGER),
    (bare(false), u64::MAX),
];
/// From most to least, for hits that can each have a text. The names of tests save the next call.
const A_LINE_EACH: [Level; 9] = [
    (Detail { has_tests: true, ..all(120) }, READABLE),
    (all(120), READABLE),
    (all(88), READABLE),
    (all(64), READABLE),
    (inside(64), READABLE),
    (all(64), NEVER_LONGER),
    (first(64), NEVER_LONGER),
    (bare(true), NEVER_LONGER),
    (bare(false), u64::MAX),
];
/// The same for more hits: a text for each declaration, then none.
const MORE: [Level; 7] = [
    (all(100), DENSE),
    (all(72), DENSE),
    (inside(72), DENSE),
    (first(72), DENSE),
    (first(56), DENSE),
    (bare(true), NEVER_LONGER),
    (bare(false), u64::MAX),
];

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}

/// Whether a text costs at most so many tokens. A token has a byte at least, so a short text need not be counted.
fn fits_in(text: &str, room: u64) -> bool {
    text.len() as u64 <= room || tokens(text) <= room
}

impl SearchReport {
    /// The first line: what there is in all.
    pub fn head(&self) -> String {
        if self.lines == 0 {
            let patterns = self.patterns.join("`, `");
            let mut head = format!(
                "no line matches `{}` in {}",
                escape_invisible(&patterns),
                files(self.searched.count as u64)
            );
            if !self.files_named.is_empty() {
                let named = self.files_named.iter().take(MOST_NAMED);
                let named: Vec<String> = named.map(|path| escape_invisible(path)).collect();
                let more = if self.files_named.len() > MOST_NAMED { ", …" } else { "" };
                let _ = write!(head, "; files of that name: {}{more}", named.join(", "));
            }
            return head;
        }
        let mut head = format!("{}{}", count(self.lines, "line"), self.parts());
        if !self.unmet.is_empty() {
            let unmet = escape_invisible(&self.unmet.join("`, `"));
            // What stands in a pattern of its own may have been meant as a path.
            let (matches, path) = match (self.unmet.len(), self.patterns.len() > 1) {
                (1, true) => ("matches", ", and is no path"),
                (1, false) => ("matches", ""),
                (_, true) => ("match", ", and are no paths"),
                (_, false) => ("match", ""),
            };
            let _ = write!(head, " (`{unmet}` {matches} nothing{path})");
        }
        match &self.read_as {
            Some(ReadAs::Grep { patterns, as_written }) => {
                let _ = write!(head, " (read as grep does: `{}`", escape_invisible(patterns));
                if *as_written > 0 {
                    let lines = count(*as_written, "line");
                    let verb = if *as_written == 1 { "has" } else { "have" };
                    let _ = write!(
                        head,
                        "; {lines} {verb} the text itself: `[|]` for the bar finds it"
                    );
                }
                head.push(')');
            }
            Some(ReadAs::Code(patterns)) => {
                let _ = write!(head, " (brackets read as text: `{}`)", escape_invisible(patterns));
            }
            Some(ReadAs::Parts(parts)) => {
                let parts = escape_invisible(parts);
                let _ = write!(head, " (no line of code has all of it; with parts: `{parts}`)");
            }
            Some(ReadAs::InTextOnly(part)) => {
                let _ = write!(head, "; code has a part of it: portolan search {}", quoted(part));
            }
            Some(ReadAs::Text) => head.push_str(" (read as plain text, as with -F)"),
            None => {}
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
        match parts.as_slice() {
            [] => String::new(),
            [one] => format!(" {}", one.split_once(' ').map_or("", |(_, rest)| rest)),
            _ => format!(" = {}", parts.join(" + ")),
        }
    }

    /// The rest of the answer, within so many tokens.
    pub fn body(&self, room: u64) -> String {
        let note = unsearched_note(&self.unsearched).map(|note| format!("({note})\n"));
        let note = note.unwrap_or_default();
        let hits = self.hits(room.saturating_sub(tokens(&note)));
        format!("{hits}{note}")
    }

    /// The hits, within so many tokens.
    fn hits(&self, room: u64) -> String {
        if self.files.is_empty() || self.lines == 0 {
            return self
                .meant_name()
                .map(|name| format!("next: portolan look {}\n", quoted(name)))
                .unwrap_or_default();
        }
        if self.has_around() {
            let text = self.with_code();
            if fits_in(&text, room) {
                return text;
            }
        }
        let levels = match self.lines {
            lines if lines <= MOST_FEW => &FEW_LINES[..],
            lines if lines <= MOST_TEXTS => &A_LINE_EACH[..],
            lines if lines <= MANY => &MORE[..],
            lines if lines <= TOO_MANY => &MORE[MORE.len() - 2..],
            _ => &[],
        };
        // What grep prints is the measure; the first line counts.
        let plain = self.plain_bytes;
        let used = self.head().len() as u64 + block::DIGEST_BYTES;
        let next = if self.is_context_asked {
            "no room for the lines around each hit: name a path, or a --budget\n".to_owned()
        } else {
            next::call(self)
        };
        for (detail, most) in levels {
            // What is outside of declarations is mostly imports. Where there is nothing else, it counts.
            let has_outside = detail.has_outside || !self.has_inside();
            let text = self.listed(&Detail { has_outside, ..*detail });
            let fits = |text: &str| {
                let size = used + text.len() as u64;
                let is_dense = self.lines <= FEW || *most == u64::MAX || size * 100 <= plain * most;
                is_dense && fits_in(text, room)
            };
            let whole = format!("{text}{next}");
            if fits(&whole) {
                return whole;
            }
            // The last of these details is better without a next call than not at all.
            if *most >= NEVER_LONGER && fits(&text) {
                return text;
            }
        }
        rest::bounded(self, &bare(false), room)
    }

    /// The pattern, where it is the name of a member as people write it: no line of code has `Gitignore::strip`.
    fn meant_name(&self) -> Option<&str> {
        let [name] = self.patterns.as_slice() else { return None };
        let parts: Vec<&str> = name.split("::").flat_map(|part| part.split(['.', '#'])).collect();
        let is_name = |part: &str| {
            part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        let is_qualified = parts.len() > 1 && parts.iter().all(|part| is_name(part));
        (is_qualified && self.files_named.is_empty()).then_some(name)
    }

    /// Whether a hit in code is in a declaration.
    fn has_inside(&self) -> bool {
        self.in_declarations().0 > 0
    }

    fn has_around(&self) -> bool {
        let hits = self.files.iter().flat_map(|file| &file.groups).flat_map(|group| &group.hits);
        hits.into_iter().any(|hit| !hit.around.is_empty())
    }

    /// Every hit with the code around it.
    fn with_code(&self) -> String {
        self.files.iter().map(with_code).collect()
    }

    /// Every hit, in some detail; files of one folder together.
    fn listed(&self, detail: &Detail) -> String {
        let mut text = String::new();
        for class in self.files.chunk_by(|left, right| left.class == right.class) {
            for folder in folders::by_folder(class) {
                let (cut, indent) = match folder.path {
                    "" => (0, ""),
                    path => {
                        let _ = writeln!(text, "{}", escape_invisible(path));
                        (path.len(), " ")
                    }
                };
                let kinds = kinds_of_data(&folder.files);
                let mut told: BTreeSet<&str> = BTreeSet::new();
                for file in &folder.files {
                    let below = data_folder(&file.path);
                    let Some(alike) = below.and_then(|below| kinds.get(below)) else {
                        text.push_str(&self.one(file, cut, indent, detail));
                        continue;
                    };
                    if told.insert(alike.below) {
                        text.push_str(&self.one(alike.example, cut, indent, detail));
                        let below = escape_invisible(alike.below.get(cut..).unwrap_or_default());
                        let below = if below.is_empty() { "./" } else { &below };
                        let lines = count(alike.lines, "line");
                        let _ = writeln!(
                            text,
                            "{indent}{below} {lines} in {} like it",
                            count(alike.files, "more file")
                        );
                    }
                }
            }
        }
        text
    }

    /// One file, in some detail; so many bytes of its path are already told.
    fn one(&self, file: &SearchedFile, cut: usize, indent: &str, detail: &Detail) -> String {
        let path = escape_invisible(file.path.get(cut..).unwrap_or_default());
        let first = self.files.first().map(|file| file.class);
        let is_main = is_main(file.class, first);
        match (is_main, detail.has_tests) {
            (true, _) => file_block(file, &path, indent, detail),
            (false, true) => {
                file_block(file, &path, indent, &Detail { texts: Texts::None, ..*detail })
            }
            (false, false) => numbers_line(file, &path, indent),
        }
    }
}

/// Files with hits that differ from each other only in data.
struct Alike<'f> {
    /// The folder that they are below, with its slash.
    below: &'f str,
    /// The one that stands for all.
    example: &'f SearchedFile,
    /// How many others there are, and how many lines of them.
    files: u64,
    lines: u64,
}

/// Fewer files of a kind than this are listed one by one.
const LEAST_ALIKE: u64 = 4;

/// The files that differ from each other only in data, by the folder that they are below. The example is English, or the
/// first.
fn kinds_of_data<'f>(files: &[&'f SearchedFile]) -> BTreeMap<&'f str, Alike<'f>> {
    let mut kinds: BTreeMap<&str, Alike<'_>> = BTreeMap::new();
    for file in files.iter().copied() {
        let Some(below) = data_folder(&file.path) else { continue };
        let start = Alike { below, example: file, files: 0, lines: 0 };
        let alike = kinds.entry(below).or_insert(start);
        alike.files += 1;
        alike.lines += file.lines();
        if is_english(file, below) && !is_english(alike.example, below) {
            alike.example = file;
        }
    }
    kinds.retain(|_, alike| alike.files >= LEAST_ALIKE);
    for alike in kinds.values_mut() {
        alike.files -= 1;
        alike.lines -= alike.example.lines();
    }
    kinds
}

fn is_english(file: &SearchedFile, below: &str) -> bool {
    let rest = file.path.get(below.len()..).unwrap_or_default();
    rest.starts_with("en/") || rest.starts_with("en.")
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
