//! Files and declarations as one Markdown document, to paste into a chat.
//!
//! All files are listed. Their texts are shown whole as far as the budget goes: ordinary code before tests and
//! documents, and what most files import first. Of the others the outlines are shown, as long as there is room.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_types::declarations::NONE;
use portolan_types::{FileId, NodeIndex, escape_invisible};

use super::outline::outline;
use super::parts;
use super::{ReadError, ReadRequest, cost};
use crate::map_paths::rank;
use portolan_index::map::MapReport;
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_vfs::System;
use portolan_workspace::config::Loaded;

/// The default budget of a document.
pub const DOCUMENT_BUDGET: u64 = 32_000;
/// The percentage of the budget that whole files may take, unless all of them fit.
const WHOLE_SHARE: u64 = 75;
/// The list of files may take this fraction of the budget: one part in so many.
const LIST_SHARE: u64 = 4;
/// What the lines around a file cost beside its path.
const FRAME: u64 = 16;
/// An outline gets at most so many tokens, and is left out where there are fewer than the least.
const MOST_OUTLINE: u64 = 400;
const LEAST_OUTLINE: u64 = 40;

/// A document and what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadDocument {
    /// The text.
    pub text: String,
    /// How many files are shown whole, or as far as they were asked for.
    pub whole: usize,
    /// How many are shown as outlines.
    pub outlined: usize,
    /// How many are only named.
    pub named: usize,
    /// What the text costs.
    pub tokens: u64,
}

/// Makes a document of what the targets of a request mean.
pub fn read_document(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    store: &DeclarationStore,
    request: &ReadRequest,
) -> Result<ReadDocument, ReadError> {
    let request = ReadRequest { all: true, ..request.clone() };
    with_symbols(system, config, map, store, |symbols| {
        let parts = parts::parts(symbols, &request)?;
        let mut files: BTreeMap<FileId, Vec<Region>> = BTreeMap::new();
        for region in &parts.regions {
            let shown = files.entry(region.focus.place.file).or_default();
            if region.only.is_empty() {
                shown.push(region.lines);
            } else {
                shown.extend(region.only.iter().copied());
            }
        }
        let asked = request.targets.join(" ");
        Ok(DocumentWriter::new(symbols, files, request.slices.budget).written(&asked))
    })?
}

/// The first and the last line of what is shown.
type Region = (u32, u32);

/// How much of a file is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileDetail {
    Whole(String),
    Outline(String),
    Name,
}

struct DocumentWriter<'a, 'm> {
    symbols: &'a SymbolDb<'m>,
    files: BTreeMap<FileId, Vec<Region>>,
    /// How many files import each.
    importers: BTreeMap<FileId, usize>,
    budget: u64,
}

impl<'a, 'm> DocumentWriter<'a, 'm> {
    fn new(symbols: &'a SymbolDb<'m>, files: BTreeMap<FileId, Vec<Region>>, budget: u64) -> Self {
        let graph = &symbols.map().graph;
        let mut importers: BTreeMap<FileId, usize> = BTreeMap::new();
        let numbers: BTreeMap<NodeIndex, FileId> = files
            .keys()
            .filter_map(|file| Some((graph.index_of(&symbols.path(*file))?, *file)))
            .collect();
        for edge in graph.iter().flat_map(|(node, _)| graph.edges(node)) {
            if let Some(file) = numbers.get(&edge.target) {
                *importers.entry(*file).or_default() += 1;
            }
        }
        Self { symbols, files, importers, budget }
    }

    fn written(&self, asked: &str) -> ReadDocument {
        let list = self.list();
        let room = self.budget.saturating_sub(cost(&list) + cost(asked) + 3 * FRAME);
        let shown = self.choose(room);
        let count = |is_it: fn(&FileDetail) -> bool| shown.values().filter(|it| is_it(it)).count();
        let mut document = ReadDocument {
            whole: count(|it| matches!(it, FileDetail::Whole(_))),
            outlined: count(|it| matches!(it, FileDetail::Outline(_))),
            named: count(|it| *it == FileDetail::Name),
            ..ReadDocument::default()
        };
        let word = if shown.len() == 1 { "file" } else { "files" };
        let title = escape_invisible(asked);
        let mut text = format!("# {title}: {} {word}\n\n{list}", shown.len());
        for part in shown.values() {
            if let FileDetail::Whole(part) | FileDetail::Outline(part) = part {
                text.push('\n');
                text.push_str(part);
            }
        }
        text.push_str(&self.left_out(&document));
        document.tokens = cost(&text);
        document.text = text;
        document
    }

    /// Which files are shown whole, which as outlines: by rank, by importers, by path.
    fn choose(&self, room: u64) -> BTreeMap<FileId, FileDetail> {
        let mut order: Vec<FileId> = self.files.keys().copied().collect();
        let importers = |file: &FileId| self.importers.get(file).copied().unwrap_or_default();
        order
            .sort_by_key(|file| (rank(&self.symbols.path(*file)), Reverse(importers(file)), *file));
        let bytes: u64 = self.files.keys().map(|file| self.size(*file)).sum();
        // A token has four bytes of code or more. Where all may fit, nothing is held back for outlines.
        let may_all_fit = bytes / 6 <= room;
        let mut whole = BTreeMap::new();
        let mut used = 0;
        if may_all_fit {
            for file in &order {
                let Some(text) = self.whole(*file) else { continue };
                used += cost(&text);
                whole.insert(*file, text);
            }
        }
        if !may_all_fit || used > room {
            let most = room * WHOLE_SHARE / 100;
            let mut kept = BTreeMap::new();
            used = 0;
            for file in &order {
                // Long files are not read only to be left out.
                if self.size(*file) / 8 > most - used {
                    continue;
                }
                let text = whole.remove(file).or_else(|| self.whole(*file));
                let Some(text) = text else { continue };
                let tokens = cost(&text);
                if used + tokens <= most {
                    used += tokens;
                    kept.insert(*file, text);
                }
            }
            whole = kept;
        }
        let mut shown: BTreeMap<FileId, FileDetail> =
            whole.into_iter().map(|(file, text)| (file, FileDetail::Whole(text))).collect();
        for file in &order {
            if shown.contains_key(file) {
                continue;
            }
            let left = room.saturating_sub(used);
            let part = if left >= LEAST_OUTLINE { self.outlined(*file, left) } else { None };
            used += part.as_deref().map_or(0, cost);
            shown.insert(*file, part.map_or(FileDetail::Name, FileDetail::Outline));
        }
        shown
    }

    fn size(&self, file: FileId) -> u64 {
        self.symbols.map().universe.get(file.index()).map_or(0, |file| file.size)
    }

    /// The text of a file, or the lines of it that were asked for.
    fn whole(&self, file: FileId) -> Option<String> {
        let loaded = self.symbols.shown(file)?;
        let path = self.symbols.path(file);
        let last = loaded.lines.count();
        let mut regions = self.files.get(&file).cloned().unwrap_or_default();
        regions.sort_unstable();
        let is_all = regions.iter().any(|(from, to)| *from <= 1 && *to >= last);
        if is_all || regions.is_empty() {
            return Some(fenced(&path, "", &path, &loaded.text));
        }
        let mut text = String::new();
        for (from, to) in regions {
            let start = loaded.lines.span(from).start as usize;
            let end = loaded.lines.span(to).end as usize;
            let lines = loaded.text.get(start..end).unwrap_or_default();
            let place = if from == to { format!(":{from}") } else { format!(":{from}-{to}") };
            text.push_str(&fenced(&path, &place, &path, lines));
        }
        Some(text)
    }

    fn outlined(&self, file: FileId, room: u64) -> Option<String> {
        let found = outline(self.symbols, file, NONE).filter(|it| !it.items.is_empty())?;
        let path = self.symbols.path(file);
        let room = room.min(MOST_OUTLINE).saturating_sub(cost(&path) + FRAME);
        let text = found.to_text(room);
        let note = format!(" (outline of {} lines)", found.lines);
        Some(fenced(&path, &note, "", &text))
    }

    /// All files, a line for each folder; with less room how many each folder has.
    fn list(&self) -> String {
        let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in self.files.keys() {
            let path = self.symbols.path(*file);
            let (folder, name) = path.rsplit_once('/').unwrap_or((".", &path));
            folders.entry(folder.to_owned()).or_default().push(name.to_owned());
        }
        let line = |folder: &str, files: &str| escape_invisible(&format!("{folder}/ {files}"));
        let names = folders.iter().map(|(folder, files)| line(folder, &files.join(" ")));
        let counts = folders.iter().map(|(folder, files)| match files.len() {
            1 => line(folder, "1 file"),
            count => line(folder, &format!("{count} files")),
        });
        let (names, counts): (Vec<_>, Vec<_>) = (names.collect(), counts.collect());
        if names.len() == 1 && self.files.len() == 1 {
            return String::new();
        }
        let room = self.budget / LIST_SHARE;
        let block = |lines: &[String]| format!("```text\n{}\n```\n", lines.join("\n"));
        for lines in [&names, &counts] {
            let text = block(lines);
            if cost(&text) <= room {
                return text;
            }
        }
        let fits = counts.iter().scan(FRAME, |used, line| {
            *used += cost(line) + 1;
            Some(*used)
        });
        let fits = fits.take_while(|used| *used <= room).count();
        let rest = format!("… {} more folders", counts.len() - fits);
        block(&counts[..fits].iter().cloned().chain([rest]).collect::<Vec<_>>())
    }

    /// What is not shown whole, and the budget that would show it.
    fn left_out(&self, document: &ReadDocument) -> String {
        if document.outlined + document.named == 0 {
            return String::new();
        }
        let bytes: u64 = self.files.keys().map(|file| self.size(*file)).sum();
        let thousands = (bytes / 3).div_ceil(1_000);
        let mut text = String::from("\n---\n");
        let _ = writeln!(
            text,
            "Not whole: {} files are outlines, {} are only named. A budget of about {thousands}k shows all.",
            document.outlined, document.named
        );
        text
    }
}

/// A heading and a fence that the text cannot end.
fn fenced(path: &str, note: &str, language_of: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let name = language_of.rsplit('/').next().unwrap_or_default();
    let language = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_word = language.chars().all(|c| c.is_ascii_alphanumeric());
    let language = if is_word { language } else { "" };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let path = escape_invisible(path);
    format!("## {path}{note}\n\n{fence}{language}\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::fenced;

    #[test]
    fn a_text_cannot_end_its_fence() {
        let text = fenced("a/b.md", "", "a/b.md", "```js\nx\n```");
        assert_eq!(text, "## a/b.md\n\n````md\n```js\nx\n```\n````\n");
    }
}
