//! Renders strokes as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_types::{FileId, is_invisible};

use super::line::{LEGEND, SIGNS, push_names, short, sign_of, written};
use super::plan::Stroke;
use super::tree::{ROOT, Sum, Tree};
use super::{ChartRequest, Folded, Level};

/// The most used files shown for one file. A file that uses more is itself a list, and the first
/// entries are enough to recognize it.
const MOST_USES: usize = 16;
/// The most used folders shown for one folder.
const MOST_FOLDERS: usize = 3;

/// A rendered chart and what it shows.
pub(super) struct Drawing {
    pub(super) text: String,
    pub(super) listed: Vec<FileId>,
    pub(super) folded: BTreeMap<String, Folded>,
}

/// The folders that have a line, and the level of each file.
struct Shown {
    open: Vec<bool>,
    /// Whether each folder shows the folders it uses.
    linked: Vec<bool>,
    levels: Vec<Level>,
}

impl Shown {
    fn new(tree: &Tree<'_>, strokes: &[Stroke]) -> Self {
        let levels = vec![Level::Folded; tree.of_file.len()];
        let none = vec![false; tree.folders.len()];
        let mut shown = Self { open: none.clone(), linked: none, levels };
        shown.open[ROOT as usize] = true;
        for stroke in strokes {
            match *stroke {
                Stroke::Open(folder) => shown.open(tree, folder),
                Stroke::Uses(folder) => shown.linked[folder as usize] = true,
                Stroke::Show(file, level) => {
                    let at = &mut shown.levels[file.index()];
                    *at = level.max(*at);
                    shown.open(tree, tree.of_file[file.index()]);
                }
            }
        }
        shown
    }

    /// Opens a folder and its parents.
    fn open(&mut self, tree: &Tree<'_>, mut folder: u32) {
        while !self.open[folder as usize] {
            self.open[folder as usize] = true;
            folder = tree.folders[folder as usize].parent;
        }
    }
}

/// Renders the given strokes.
pub(super) fn render(request: &ChartRequest<'_>, tree: &Tree<'_>, strokes: &[Stroke]) -> Drawing {
    let shown = Shown::new(tree, strokes);
    let mut artist = Artist {
        request,
        tree,
        shown: &shown,
        drawing: Drawing { text: LEGEND.to_owned(), listed: Vec::new(), folded: BTreeMap::new() },
    };
    // The folders still to draw, with their depth; the last is next.
    let mut stack = vec![(ROOT, 0usize, String::new())];
    while let Some((folder, depth, label)) = stack.pop() {
        artist.draw(folder, depth, &label, &mut stack);
    }
    artist.drawing.listed.sort_unstable();
    artist.drawing
}

struct Artist<'a> {
    request: &'a ChartRequest<'a>,
    tree: &'a Tree<'a>,
    shown: &'a Shown,
    drawing: Drawing,
}

impl<'a> Artist<'a> {
    /// Draws a folder and pushes its open subfolders. `label` precedes its name.
    fn draw(&mut self, at: u32, depth: usize, label: &str, stack: &mut Vec<(u32, usize, String)>) {
        let (tree, shown) = (self.tree, self.shown);
        let folder = &tree.folders[at as usize];
        let level = |file: &FileId| shown.levels[file.index()];
        let open: Vec<u32> =
            folder.folders.iter().copied().filter(|at| shown.open[*at as usize]).collect();
        let rest = self.rest(at);
        let has_files = folder.files.iter().any(|file| level(file) > Level::Folded);
        let label =
            format!("{label}{}/", if at == ROOT { ".".into() } else { written(folder.name) });
        if at != ROOT && !has_files && rest.files == 0 && open.len() == 1 {
            stack.push((open[0], depth, label));
            return;
        }
        self.indent(depth);
        self.drawing.text.push_str(&label);
        let named: Vec<FileId> =
            folder.files.iter().copied().filter(|file| level(file) == Level::Named).collect();
        let names: Vec<&str> = named.iter().map(|file| self.name(*file)).collect();
        push_names(&mut self.drawing.text, "", &names);
        self.drawing.listed.extend(named);
        self.push_rest(at, rest, has_files || !open.is_empty());
        self.drawing.text.push('\n');
        for file in folder.files.iter().filter(|file| level(file) > Level::Named) {
            self.push_file(*file, level(file), depth + 1);
            self.drawing.listed.push(*file);
        }
        let below = if at == ROOT { 0 } else { depth + 1 };
        stack.extend(open.into_iter().rev().map(|at| (at, below, String::new())));
    }

    fn indent(&mut self, depth: usize) {
        self.drawing.text.extend(std::iter::repeat_n(' ', depth));
    }

    fn name(&self, file: FileId) -> &'a str {
        let path = self.request.files[file.index()].path;
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    /// The files of a folder that have neither a line nor a name.
    fn rest(&self, at: u32) -> Sum {
        let folder = &self.tree.folders[at as usize];
        let mut rest = Sum::default();
        for file in &folder.files {
            if self.shown.levels[file.index()] == Level::Folded {
                rest.add(Sum::of(&self.request.files[file.index()]));
            }
        }
        for below in folder.folders.iter().filter(|below| !self.shown.open[**below as usize]) {
            rest.add(self.tree.folders[*below as usize].all);
        }
        rest
    }

    /// Writes the number of files that are not shown. If the folder shows none, also their kind and
    /// tokens.
    fn push_rest(&mut self, at: u32, rest: Sum, is_partial: bool) {
        if rest.files == 0 {
            return;
        }
        let _ = write!(self.drawing.text, " +{}", rest.files);
        if !is_partial {
            if let Some(ending) = self.commonest_ending(at) {
                let _ = write!(self.drawing.text, " {}", written(ending));
            }
            let _ = write!(self.drawing.text, " {}", short(rest.tokens));
            if self.shown.linked[at as usize] {
                self.push_used_folders(at);
            }
        }
        let folded = Folded { files: rest.files, tokens: rest.tokens };
        self.drawing.folded.insert(self.tree.path(at), folded);
    }

    /// Writes the shown folders that the files in and below a folder use most.
    fn push_used_folders(&mut self, at: u32) {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        let mut stack = vec![at];
        while let Some(below) = stack.pop() {
            let links = self.tree.links.get(below as usize).into_iter().flatten();
            for target in links.filter(|target| !self.tree.is_within(**target, at)) {
                *counts.entry(self.shown_folder(*target)).or_default() += 1;
            }
            stack.extend(&self.tree.folders[below as usize].folders);
        }
        // A dependency on a parent folder says nothing.
        counts.retain(|folder, _| !self.tree.is_within(at, *folder));
        let mut used: Vec<(u32, usize)> = counts.into_iter().collect();
        used.sort_by_key(|(folder, count)| (std::cmp::Reverse(*count), *folder));
        for (place, (folder, _)) in used.iter().take(MOST_FOLDERS).enumerate() {
            let sign = if place == 0 { " >" } else { "" };
            let path = self.tree.path(*folder);
            let _ = write!(self.drawing.text, "{sign} {}/", written(&path));
        }
    }

    /// The nearest folder with a line, at or above a folder.
    fn shown_folder(&self, mut at: u32) -> u32 {
        while !self.shown.open[at as usize] {
            at = self.tree.folders[at as usize].parent;
        }
        at
    }

    /// The most common extension in a folder, judged by its first files.
    fn commonest_ending(&self, at: u32) -> Option<&'a str> {
        let mut counts: BTreeMap<&'a str, usize> = BTreeMap::new();
        let mut stack = vec![at];
        let mut left = 400usize;
        while let Some(at) = stack.pop() {
            let folder = &self.tree.folders[at as usize];
            for file in folder.files.iter().take(left) {
                let name = self.name(*file);
                if let Some((_, ending)) =
                    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())
                {
                    *counts.entry(ending).or_default() += 1;
                }
                left -= 1;
            }
            if left == 0 {
                break;
            }
            stack.extend(&folder.folders);
        }
        let best =
            counts.into_iter().max_by_key(|(ending, count)| (*count, std::cmp::Reverse(*ending)));
        best.map(|(ending, _)| ending).filter(|ending| ending.len() <= 12)
    }

    /// Writes the line of a file, and the lines of its signatures.
    fn push_file(&mut self, file: FileId, level: Level, depth: usize) {
        let heads = match level {
            Level::Headed => self.request.details.heads(file),
            _ => Vec::new(),
        };
        let tokens = u64::from(self.request.files[file.index()].tokens);
        let mut text = format!("{} {}", written(self.name(file)), short(tokens));
        if level >= Level::Described {
            if let Some(description) = self.request.details.description(file) {
                let _ = write!(text, " ({})", one_line(description));
            }
            // The signatures contain the names.
            let names = self.request.details.names(file);
            if heads.is_empty() && !names.is_empty() {
                text.push_str(" =");
                for name in &names {
                    let _ = write!(text, " {}", written(name));
                }
            }
        }
        if level >= Level::Linked {
            self.push_uses(&mut text, file);
        }
        text.push('\n');
        self.indent(depth);
        self.drawing.text.push_str(&text);
        for head in heads {
            self.indent(depth + 1);
            self.drawing.text.push_str(&one_line(&head));
            self.drawing.text.push('\n');
        }
    }

    /// Writes the files that a file uses: by kind, then by folder. Files outside the chart have
    /// their paths.
    fn push_uses(&self, text: &mut String, file: FileId) {
        let mut uses = self.request.details.uses(file);
        let mut away = self.request.details.leaves_for(file);
        let left_out = (uses.len() + away.len()).saturating_sub(MOST_USES);
        uses.truncate(MOST_USES);
        away.truncate(MOST_USES - uses.len());
        for sign in SIGNS {
            let has_sign = uses.iter().filter(|(_, kinds)| sign_of(*kinds) == sign);
            let targets: Vec<FileId> = has_sign.map(|(target, _)| *target).collect();
            let away: Vec<&str> = away
                .iter()
                .filter(|(_, kinds)| sign_of(*kinds) == sign)
                .map(|(path, _)| *path)
                .collect();
            if targets.is_empty() && away.is_empty() {
                continue;
            }
            let _ = write!(text, " {sign}");
            self.push_targets(text, file, &targets);
            push_names(text, "", &away);
        }
        if left_out > 0 {
            let _ = write!(text, " +{left_out}");
        }
    }

    /// Writes the files that a file uses, grouped by folder.
    fn push_targets(&self, text: &mut String, file: FileId, targets: &[FileId]) {
        let own = self.tree.of_file[file.index()];
        for group in targets.chunk_by(|left, right| self.folder(*left) == self.folder(*right)) {
            let folder = self.folder(group[0]);
            let prefix = match folder {
                at if at == own => "./".to_owned(),
                ROOT => String::new(),
                at => format!("{}/", written(&self.tree.path(at))),
            };
            let names: Vec<&str> = group.iter().map(|target| self.name(*target)).collect();
            push_names(text, &prefix, &names);
        }
    }

    fn folder(&self, file: FileId) -> u32 {
        self.tree.of_file[file.index()]
    }
}

/// Text from a file on one line, without control characters that affect other text.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || is_invisible(c));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
