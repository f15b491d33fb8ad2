//! The uses of a declaration as text: the count first, then source by file, then tests in one line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Neighbour, UseFilter, is_test};
use crate::account::Account;
use crate::look::text::{LONGEST_LINE, quoted, split, thousands};

/// More uses than these are shown as numbers.
const MANY: usize = 40;

/// `27 uses: 24 certain, 3 possible; 12 others of this name`.
pub(super) fn counted(users: &[Neighbour], account: &Account) -> String {
    let all = users.iter().filter(|it| it.hop == 1).count();
    let possible = users.iter().filter(|it| it.hop == 1 && is_possible(it)).count();
    let noun = if all == 1 { "use" } else { "uses" };
    let mut text = match (all - possible, possible) {
        (0, 0) => "no use".to_owned(),
        (0, possible) => format!("no certain use, {} possible", thousands(possible)),
        (certain, 0) => format!("{} {noun}, certain", thousands(certain)),
        (certain, possible) => {
            let (certain, possible) = (thousands(certain), thousands(possible));
            format!("{} {noun}: {certain} certain, {possible} possible", thousands(all))
        }
    };
    let _ = match account.others {
        0 => Ok(()),
        1 => write!(text, "; 1 other of this name"),
        others => write!(text, "; {} others of this name", thousands(others)),
    };
    text
}

/// How many members are related.
pub(super) fn related(count: usize) -> String {
    match count {
        0 => "no overrides or implementations".to_owned(),
        1 => "1 override or implementation".to_owned(),
        count => format!("{} overrides and implementations", thousands(count)),
    }
}

/// What it rests on that there is no use.
pub(super) fn none(account: &Account, filter: UseFilter, files: &str) -> String {
    if filter != UseFilter::default() && account.certain + account.possible > 0 {
        return "none of those that were asked for".to_owned();
    }
    match (account.others, account.files) {
        (0, _) => format!("none: no other code of {files} files has the name"),
        (1, _) => "none: the one other word of this name means something else".to_owned(),
        (others, files) => {
            let noun = if files == 1 { "file" } else { "files" };
            let (others, files) = (thousands(others), thousands(files));
            format!("none: {others} words of this name in {files} {noun} mean something else")
        }
    }
}

fn is_possible(it: &Neighbour) -> bool {
    it.marks.contains(&"likely")
}

/// Writes uses of one distance.
pub(super) fn write(text: &mut String, uses: &[Neighbour], target: &str, filter: UseFilter) {
    let (tests, source): (Vec<&Neighbour>, Vec<&Neighbour>) =
        uses.iter().partition(|it| !filter.tests && is_test(&it.file));
    let is_many = source.len() > MANY;
    if is_many {
        // What is certain decides most: it is shown whole while it is little.
        let (possible, certain): (Vec<&Neighbour>, Vec<&Neighbour>) =
            source.iter().partition(|it| is_possible(it));
        if certain.is_empty() || certain.len() > MANY {
            write_numbers(text, &source);
        } else {
            write_source(text, &certain);
            let _ = writeln!(text, "possible, by folder:");
            write_numbers(text, &possible);
        }
    } else {
        write_source(text, &source);
    }
    if !tests.is_empty() {
        write_tests(text, &tests);
    }
    if is_many {
        let _ = writeln!(
            text,
            "next: portolan look {target} --side users --certain (or --possible, --tests); search in one folder shows its lines"
        );
    }
}

/// Lines of code by folder and file, each with the declaration that it is in.
fn write_source(text: &mut String, uses: &[&Neighbour]) {
    let mut files: BTreeMap<(&str, &str), Vec<&Neighbour>> = BTreeMap::new();
    for it in uses {
        files.entry(split(&it.file)).or_default().push(it);
    }
    let mut last = None;
    for ((folder, file), uses) in files {
        if last != Some(folder) {
            let folder = if folder.is_empty() { "." } else { folder };
            let _ = writeln!(text, "{}/", quoted(folder));
        }
        last = Some(folder);
        let mut around: Option<&str> = None;
        let mut lines = Vec::new();
        for it in uses {
            let own = it.around.as_ref().filter(|(_, line)| Some(*line) != it.line);
            let own = own.map(|(name, _)| name.as_str());
            let named = own.filter(|own| around != Some(own)).map(|own| format!("{own}: "));
            around = own;
            lines.push(format!("{}{}", named.unwrap_or_default(), one_line(it)));
        }
        let _ = writeln!(text, " {} {}", quoted(file), lines.join("\n  "));
    }
}

fn one_line(it: &Neighbour) -> String {
    let name = it.name.as_deref().unwrap_or_default();
    let mut cut: String = name.chars().take(LONGEST_LINE).collect();
    if cut.len() < name.len() {
        cut.push('…');
    }
    let through = it.through.as_ref().map(|it| format!(" (through {it})"));
    format!("{} {cut}{}", number(it), through.unwrap_or_default())
}

fn number(it: &Neighbour) -> String {
    let doubt = if is_possible(it) { "~" } else { "" };
    format!("{doubt}{}", it.line.unwrap_or_default())
}

/// The numbers of lines by folder.
fn write_numbers(text: &mut String, uses: &[&Neighbour]) {
    let mut folders: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for it in uses {
        let (folder, file) = split(&it.file);
        folders.entry(folder).or_default().entry(file).or_default().push(number(it));
    }
    for (folder, files) in folders {
        let count: usize = files.values().map(Vec::len).sum();
        let folder = if folder.is_empty() { "." } else { folder };
        let each =
            files.iter().map(|(file, lines)| format!("{} {}", quoted(file), lines.join(" ")));
        let each: Vec<String> = each.collect();
        let _ = writeln!(text, "{}/ {}: {}", quoted(folder), thousands(count), each.join(", "));
    }
}

/// Tests in one line.
fn write_tests(text: &mut String, uses: &[&Neighbour]) {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for it in uses {
        files.entry(&it.file).or_default().push(number(it));
    }
    let shared = shared_folder(files.keys().copied());
    let each = files.iter().map(|(file, lines)| {
        format!("{} {}", quoted(file.get(shared..).unwrap_or(file)), lines.join(" "))
    });
    let each: Vec<String> = each.collect();
    let folder = files.keys().next().and_then(|file| file.get(..shared)).unwrap_or_default();
    let folder = if folder.is_empty() { String::new() } else { format!(" in {}", quoted(folder)) };
    let _ = writeln!(text, "tests: {}{folder}: {}", thousands(uses.len()), each.join(", "));
}

/// How long the folder is that all of some files are in, with its slash.
fn shared_folder<'p>(mut paths: impl Iterator<Item = &'p str>) -> usize {
    let Some(first) = paths.next() else { return 0 };
    let mut shared = first.rfind('/').map_or(0, |at| at + 1);
    for path in paths {
        let same = first.bytes().zip(path.bytes()).take_while(|(left, right)| left == right);
        let same = same.count().min(shared);
        shared = first.get(..same).and_then(|it| it.rfind('/')).map_or(0, |at| at + 1);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::shared_folder;

    #[test]
    fn the_folder_that_files_share_ends_with_a_slash() {
        let check = |paths: &[&str], expected: usize| {
            assert_eq!(shared_folder(paths.iter().copied()), expected, "{paths:?}");
        };
        check(&[], 0);
        check(&["a.ts"], 0);
        check(&["tests/a.ts"], 6);
        check(&["tests/a/x.ts", "tests/ab/y.ts"], 6);
        check(&["é/a.ts", "è/a.ts"], 0);
    }
}
