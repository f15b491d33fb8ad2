//! One screen for orientation: the folders of a repository, what they are for, how large they are and what they use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use portolan_graph::chart::Folded;

use super::RankingIndex;
use super::purpose::Purposes;
use crate::search::{FileClass, LOCALES};
use portolan_index::token_counts::Tokenizer;
use portolan_types::escape_invisible;

/// The most used folders that are named for a folder.
const MOST_USED: usize = 3;
/// The most rows of a screen, whatever the room.
const MOST_ROWS: usize = 120;
/// A folder with less than this part of its parent's code is not worth a row.
const LEAST_SHARE: u64 = 40;
/// A folder with fewer files of code is not summed up by their names; a start of names counts from so many on.
const LEAST_FILES: usize = 3;
/// The most starts of names that are told.
const MOST_STARTS: usize = 2;
/// The most of the largest files that are named.
const MOST_LARGEST: usize = 3;

/// A screen, and the folders that it has.
pub(super) struct Screen {
    pub(super) text: String,
    /// The files of each row that no deeper row has.
    pub(super) folded: BTreeMap<String, Folded>,
}

/// What is in a folder and below it.
#[derive(Clone, Debug, Default)]
struct FolderSum {
    files: usize,
    tokens: u64,
    /// The tokens of code that is neither a test nor generated.
    code: u64,
    /// How many files of each class.
    classes: BTreeMap<FileClass, usize>,
    /// The folders in it.
    folders: BTreeSet<String>,
    /// How many files are in it and not below.
    own: usize,
    /// The files of code in it and not below: tokens and name.
    names: Vec<(u32, String)>,
}

/// The folders below one of a repository, within so many tokens.
pub(super) fn screen(
    index: &RankingIndex<'_>,
    purposes: &Purposes<'_>,
    below: &str,
    room: u64,
) -> Screen {
    let tree = FolderTree::new(index, below);
    let mut rows = tree.first_rows(below);
    let mut screen = tree.written(index, purposes, &rows, below);
    // Folders are opened one by one, the one with the most code first, while there is room.
    while rows.len() < MOST_ROWS {
        let Some(next) = tree.opened(&rows) else { break };
        let opened = tree.written(index, purposes, &next, below);
        if cost(&opened.text) > room {
            break;
        }
        (rows, screen) = (next, opened);
    }
    screen
}

struct FolderTree {
    sums: BTreeMap<String, FolderSum>,
}

impl FolderTree {
    fn new(index: &RankingIndex<'_>, below: &str) -> Self {
        let mut sums: BTreeMap<String, FolderSum> = BTreeMap::new();
        for file in index.charted.iter().filter(|file| is_below(file.path, below)) {
            let class = FileClass::of(file.path);
            let mut folder = parent(file.path);
            let own = sums.entry(folder.to_owned()).or_default();
            own.own += 1;
            if class == FileClass::Code {
                let name = file.path.rsplit('/').next().unwrap_or(file.path);
                own.names.push((file.tokens, name.to_owned()));
            }
            loop {
                let sum = sums.entry(folder.to_owned()).or_default();
                sum.files += 1;
                sum.tokens += u64::from(file.tokens);
                sum.code += if class == FileClass::Code { u64::from(file.tokens) } else { 0 };
                *sum.classes.entry(class).or_default() += 1;
                if folder == below || folder.is_empty() {
                    break;
                }
                let outer = parent(folder);
                sums.entry(outer.to_owned()).or_default().folders.insert(folder.to_owned());
                folder = outer;
            }
        }
        Self { sums }
    }

    fn sum(&self, folder: &str) -> FolderSum {
        self.sums.get(folder).cloned().unwrap_or_default()
    }

    /// A folder, or the first one below it that has more in it than one folder.
    fn collapsed(&self, folder: &str) -> String {
        let mut folder = folder.to_owned();
        loop {
            let sum = self.sum(&folder);
            match sum.folders.first() {
                Some(only) if sum.own == 0 && sum.folders.len() == 1 => folder.clone_from(only),
                _ => return folder,
            }
        }
    }

    fn first_rows(&self, below: &str) -> BTreeSet<String> {
        self.sum(below).folders.iter().map(|folder| self.collapsed(folder)).collect()
    }

    /// The rows with one more folder opened; `None` where none is worth it.
    fn opened(&self, rows: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        let inner = |row: &String| -> Vec<String> {
            let code = self.sum(row).code;
            let is_worth = |folder: &String| {
                let sum = self.sum(folder);
                sum.code > 0 && sum.code * LEAST_SHARE >= code && !is_locale(folder)
            };
            let folders = self.sum(row).folders;
            let worth = folders.iter().filter(|folder| is_worth(folder));
            let inner = worth.map(|folder| self.collapsed(folder));
            inner.filter(|folder| !rows.contains(folder)).collect()
        };
        let open = rows.iter().filter(|row| self.sum(row).code > 0 && !inner(row).is_empty());
        // Of what is left of it once the rows in it are counted for themselves.
        let rest = |row: &&String| {
            let below = rows.iter().filter(|it| is_below(it, row) && it != row);
            self.sum(row).code.saturating_sub(below.map(|it| self.sum(it).code).sum())
        };
        let next = open.max_by_key(|row| (rest(row), std::cmp::Reverse((*row).clone())))?;
        let mut opened = rows.clone();
        opened.extend(inner(next));
        Some(opened)
    }

    fn written(
        &self,
        index: &RankingIndex<'_>,
        purposes: &Purposes<'_>,
        rows: &BTreeSet<String>,
        below: &str,
    ) -> Screen {
        let used = used_folders(index, rows);
        let mut text = String::new();
        for row in self.ordered(rows, below) {
            let around = rows.iter().filter(|it| is_below(&row, it) && **it != row);
            let outer = around.max_by_key(|it| it.len()).map_or(below, String::as_str);
            let depth = rows.iter().filter(|it| is_below(&row, it) && **it != row).count();
            let name = row.get(outer.len()..).unwrap_or(&row).trim_start_matches('/');
            let sum = self.sum(&row);
            let _ = write!(text, "{}{name}/ {}", " ".repeat(depth), sized(&sum));
            if let Some(purpose) = purposes.of_folder(&row).or_else(|| made_of(&sum.names)) {
                let _ = write!(text, ": {purpose}");
            }
            let used: Vec<&str> =
                used.get(&row).into_iter().flatten().map(String::as_str).collect();
            if !used.is_empty() {
                let _ = write!(text, " > {}", used.join(" "));
            }
            text.push('\n');
        }
        let own = self.sum(below).own;
        if own > 0 && below.is_empty() {
            let files = if own == 1 { "file" } else { "files" };
            let targets = purposes.targets_of_root();
            let make = (!targets.is_empty()).then(|| format!("make {}", targets.join(", ")));
            let told: Vec<String> = purposes.of_folder("").into_iter().chain(make).collect();
            let colon = if told.is_empty() { "" } else { ": " };
            let _ = writeln!(text, "./ {own} {files}{colon}{}", told.join("; "));
        }
        Screen { text, folded: folded(index, rows) }
    }

    /// The rows as they are written: each below the one that holds it, the one with the most code first.
    fn ordered(&self, rows: &BTreeSet<String>, below: &str) -> Vec<String> {
        let mut ordered = Vec::new();
        self.order_below(rows, below, &mut ordered);
        ordered
    }

    fn order_below(&self, rows: &BTreeSet<String>, outer: &str, ordered: &mut Vec<String>) {
        let is_direct = |row: &&String| {
            is_below(row, outer)
                && row.as_str() != outer
                && !rows
                    .iter()
                    .any(|it| it != *row && it != outer && is_below(row, it) && is_below(it, outer))
        };
        let mut direct: Vec<&String> = rows.iter().filter(is_direct).collect();
        direct.sort_by_key(|row| {
            let sum = self.sum(row);
            (std::cmp::Reverse((sum.code, sum.tokens)), (*row).clone())
        });
        for row in direct {
            ordered.push(row.clone());
            // No deeper than the rows are: each is inside of the one before.
            self.order_below(rows, row, ordered);
        }
    }
}

/// What a folder is made of, where nobody says what it is for: what the names of its files begin with, and the largest.
fn made_of(names: &[(u32, String)]) -> Option<String> {
    if names.len() < LEAST_FILES {
        return None;
    }
    let mut starts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name) in names {
        let start =
            name.split_inclusive(['_', '-']).next().filter(|start| start.len() < name.len());
        *starts.entry(start.unwrap_or_default()).or_default() += 1;
    }
    let is_many = |(start, count): &(&str, usize)| !start.is_empty() && *count >= LEAST_FILES;
    let mut starts: Vec<(&str, usize)> = starts.into_iter().filter(is_many).collect();
    starts.sort_by_key(|(start, count)| (std::cmp::Reverse(*count), *start));
    let mut told: Vec<String> =
        starts.iter().take(MOST_STARTS).map(|(start, count)| format!("{start}* {count}")).collect();
    let mut largest: Vec<&(u32, String)> = names.iter().collect();
    largest.sort_by_key(|(tokens, name)| (std::cmp::Reverse(*tokens), name));
    let largest: Vec<String> =
        largest.iter().take(MOST_LARGEST).map(|(_, name)| escape_invisible(name)).collect();
    told.push(format!("largest {}", largest.join(" ")));
    Some(told.join(", "))
}

/// How large a folder is, and what it holds where that is no code.
fn sized(sum: &FolderSum) -> String {
    let files = if sum.files == 1 { "1 file".to_owned() } else { format!("{} files", sum.files) };
    let main = sum.classes.iter().max_by_key(|(_, count)| **count).map(|(class, _)| *class);
    let kind = match main {
        Some(class) if sum.code == 0 || class != FileClass::Code && sum.code * 4 < sum.tokens => {
            format!(", {}", class.name())
        }
        _ => String::new(),
    };
    format!("{files} {}{kind}", short(sum.tokens))
}

/// Tokens in two or three digits.
fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens / 100_000 % 10),
    }
}

/// For each row the rows that its files use most.
fn used_folders(
    index: &RankingIndex<'_>,
    rows: &BTreeSet<String>,
) -> BTreeMap<String, Vec<String>> {
    let of_file: Vec<Option<&String>> =
        index.charted.iter().map(|file| row_of(rows, file.path)).collect();
    let mut counts: BTreeMap<&String, BTreeMap<&String, usize>> = BTreeMap::new();
    for (from, to) in super::edges(&index.map.graph, &index.nodes, &index.files) {
        let ends = (of_file.get(from.index()), of_file.get(to.index()));
        let (Some(Some(from)), Some(Some(to))) = ends else { continue };
        if from != to && !is_below(from, to) && !is_below(to, from) {
            *counts.entry(from).or_default().entry(to).or_default() += 1;
        }
    }
    let most = |used: BTreeMap<&String, usize>| {
        let mut used: Vec<(usize, &String)> = used.into_iter().map(|(to, n)| (n, to)).collect();
        used.sort_by_key(|(count, to)| (std::cmp::Reverse(*count), *to));
        used.into_iter().take(MOST_USED).map(|(_, to)| format!("{to}/")).collect()
    };
    counts.into_iter().map(|(from, used)| (from.clone(), most(used))).collect()
}

/// The files of each row that no deeper row has; those of no row at the root.
fn folded(index: &RankingIndex<'_>, rows: &BTreeSet<String>) -> BTreeMap<String, Folded> {
    let mut folded: BTreeMap<String, Folded> = BTreeMap::new();
    for file in &index.charted {
        let row = row_of(rows, file.path).cloned().unwrap_or_default();
        let sum = folded.entry(row).or_default();
        sum.files += 1;
        sum.tokens += u64::from(file.tokens);
    }
    folded
}

/// The innermost row that a file is in.
fn row_of<'r>(rows: &'r BTreeSet<String>, path: &str) -> Option<&'r String> {
    let mut folder = parent(path);
    while !folder.is_empty() {
        if let Some(row) = rows.get(folder) {
            return Some(row);
        }
        folder = parent(folder);
    }
    None
}

fn is_locale(folder: &str) -> bool {
    folder.split('/').any(|part| LOCALES.contains(&part.to_ascii_lowercase().as_str()))
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path is a folder or in it.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn cost(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::made_of;

    #[test]
    fn a_folder_without_words_of_its_own_is_told_by_the_names_of_its_files() {
        let check = |names: &[(u32, &str)], expected: Option<&str>| {
            let names: Vec<(u32, String)> =
                names.iter().map(|(tokens, name)| (*tokens, (*name).to_owned())).collect();
            assert_eq!(made_of(&names).as_deref(), expected, "{names:?}");
        };
        let redis = [
            (9, "server.c"),
            (5, "t_hash.c"),
            (6, "t_list.c"),
            (4, "t_set.c"),
            (7, "networking.c"),
        ];
        check(&redis, Some("t_* 3, largest server.c networking.c t_list.c"));
        check(&[(1, "a.py"), (1, "c.py"), (1, "b.py")], Some("largest a.py b.py c.py"));
        check(&[(1, "a.py"), (1, "b.py")], None);
    }
}
