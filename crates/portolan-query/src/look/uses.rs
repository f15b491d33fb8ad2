//! The uses of a declaration as text: the count first, then source by file, then tests in one line.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Neighbour, UseFilter};
use crate::account::Account;
use crate::look::text::{LONGEST_LINE, quoted, split};
use crate::search::{FileClass, Mention};
use crate::search::{in_braces, quoted as quoted_word};
use portolan_types::thousands;

/// More uses than these are shown as numbers.
const MANY: usize = 40;

/// So few uses are shown with their lines in tests too: otherwise a reader opens these files to see what is called.
const FEW: usize = 16;
const FEW_TESTS: usize = 8;

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
    let owners = owners(account);
    let _ = match account.others {
        0 => Ok(()),
        1 => write!(text, "; 1 other of this name"),
        others if owners.is_empty() => write!(text, "; {} others of this name", thousands(others)),
        others => write!(text, "; {} others: {owners}", thousands(others)),
    };
    text
}

/// What the account rests on, where many words mean something else: a reader who does not know it counts again with grep.
pub(super) fn completeness(account: &Account) -> Option<String> {
    const MANY_OTHERS: usize = 8;
    let words = account.certain + account.possible + account.others + account.naming;
    (account.others >= MANY_OTHERS && account.certain + account.possible > 0).then(|| {
        format!(
            "counted: all {} words of this name in code, in {} files; grep -w adds comments, strings and other languages only",
            thousands(words),
            thousands(account.files)
        )
    })
}

/// What most of the other words are: `8 Model.save, 4 elsewhere`. Empty where nothing stands out.
fn owners(account: &Account) -> String {
    const MOST: usize = 2;
    let mut named: Vec<(&str, usize)> =
        account.others_of.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    named.sort_by_key(|(name, count)| (Reverse(*count), *name));
    named.retain(|(_, count)| *count > 1 && count * 5 >= account.others);
    named.truncate(MOST);
    let shown: usize = named.iter().map(|(_, count)| count).sum();
    let mut each: Vec<String> =
        named.iter().map(|(name, count)| format!("{} {name}", thousands(*count))).collect();
    if !each.is_empty() && shown < account.others {
        each.push(format!("{} elsewhere", thousands(account.others - shown)));
    }
    each.join(", ")
}

/// Why uses are only possible, each reason once.
fn reasons(uses: &[Neighbour]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for why in uses.iter().filter_map(|it| it.why) {
        *counts.entry(why).or_default() += 1;
    }
    let mut each: Vec<(&str, usize)> = counts.into_iter().collect();
    each.sort_by_key(|(why, count)| (Reverse(*count), *why));
    match each.as_slice() {
        [] => None,
        [(only, _)] => Some(format!("~ {only}")),
        each => {
            let each: Vec<String> =
                each.iter().map(|(why, count)| format!("{} {why}", thousands(*count))).collect();
            Some(format!("~ {}", each.join(", ")))
        }
    }
}

/// The call that reads the code around the uses, where one declaration holds most of them or few of one file hold all.
fn reading(source: &[&Neighbour], target: &str) -> Option<String> {
    const MOST_READ: usize = 3;
    let name = target.rsplit(['#', '.', ':']).next().filter(|name| !name.is_empty())?;
    let mut holders: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for it in source {
        let (holder, _) = it.around.as_ref().filter(|(_, line)| Some(*line) != it.line)?;
        *holders.entry((&it.file, holder)).or_default() += 1;
    }
    let mut holders: Vec<((&str, &str), usize)> = holders.into_iter().collect();
    holders.sort_by_key(|(place, count)| (Reverse(*count), *place));
    let ((file, best), most) = *holders.first()?;
    let is_one_file = holders.iter().all(|((other, _), _)| *other == file);
    let names: Vec<&str> = if holders.len() <= MOST_READ && is_one_file {
        holders.iter().map(|((_, name), _)| *name).collect()
    } else if most > 1 && most * 2 >= source.len() {
        vec![best]
    } else {
        return None;
    };
    let read = match names.as_slice() {
        [only] => quoted_word(&format!("{file}#{only}")),
        names => format!("{}{}", quoted_word(&format!("{file}#")), in_braces(names)),
    };
    Some(format!("next: portolan read {read} --match {}", quoted_word(name)))
}

/// How many members are related, or how many types have members of a type.
pub(super) fn related(count: usize, is_heirs: bool) -> String {
    match count {
        0 if is_heirs => "no type found that has members of it; ask for a member".to_owned(),
        1 if is_heirs => "1 type has members of it".to_owned(),
        count if is_heirs => format!("{} types have members of it", thousands(count)),
        0 => "no overrides or implementations".to_owned(),
        1 => "1 override or implementation".to_owned(),
        count => format!("{} overrides and implementations", thousands(count)),
    }
}

/// What may lead to a declaration that no code uses.
pub(super) fn reached(mentions: &[Mention], hooks: &[String]) -> String {
    let mut text = "no use in code".to_owned();
    if !mentions.is_empty() {
        let _ = write!(text, "; {}", named(mentions));
    }
    if !hooks.is_empty() {
        let _ = write!(text, "; it may be called {}", hooks.join(", "));
    }
    text
}

/// Which lines of strings and other files name what no code uses.
fn named(mentions: &[Mention]) -> String {
    const MOST: usize = 6;
    let noun = if mentions.len() == 1 { "line" } else { "lines" };
    let verb = if mentions.len() == 1 { "names" } else { "name" };
    let mut shown: Vec<String> =
        mentions.iter().take(MOST).map(|it| format!("{}:{}", quoted(&it.path), it.line)).collect();
    if mentions.len() > MOST {
        shown.push("…".to_owned());
    }
    let kinds = if mentions.iter().any(|it| it.is_documentation) {
        "strings, documentation or other files"
    } else {
        "strings or other files"
    };
    format!("{} {noun} of {kinds} {verb} it: {}", thousands(mentions.len()), shown.join(", "))
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

/// Whether there are too many uses in source to show the text of each, also where only some of them fit.
pub(super) fn is_many(uses: &[Neighbour], filter: UseFilter) -> bool {
    uses.iter()
        .filter(|it| it.hop == 1 && (filter.tests || !it.is_test) && !is_data(&it.file))
        .count()
        > MANY
}

/// Writes uses of one distance. Returns the call that shows more of them.
pub(super) fn write(
    text: &mut String,
    uses: &[Neighbour],
    target: &str,
    filter: UseFilter,
    is_many: bool,
) -> Option<String> {
    let (tests, source): (Vec<&Neighbour>, Vec<&Neighbour>) =
        uses.iter().partition(|it| !filter.tests && it.is_test);
    let (data, source): (Vec<&Neighbour>, Vec<&Neighbour>) =
        source.into_iter().partition(|it| is_data(&it.file));
    if is_many {
        // What is certain decides most: it is shown whole while it is little.
        let (possible, certain): (Vec<&Neighbour>, Vec<&Neighbour>) =
            source.iter().partition(|it| is_possible(it));
        if possible.is_empty() || certain.is_empty() || certain.len() > MANY {
            write_numbers(text, &source);
        } else {
            write_source(text, &certain);
            let _ = writeln!(text, "possible, by folder:");
            write_numbers(text, &possible);
        }
    } else {
        write_source(text, &source);
    }
    match tests.len() {
        0 => {}
        1..=FEW_TESTS if !is_many && uses.len() <= FEW => write_few_tests(text, &tests),
        _ => write_tests(text, &tests),
    }
    write_data(text, &data);
    if let Some(reasons) = reasons(uses) {
        let _ = writeln!(text, "{reasons}");
    }
    if is_many {
        return Some(format!(
            "next: portolan look {target} --side users --certain (or --possible, --tests); search in one folder shows its lines"
        ));
    }
    reading(&source, target)
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
        write_lines(text, file, &uses, |it| holder(it).map(str::to_owned));
    }
}

/// The lines of a file, each declaration that holds some named once.
fn write_lines(
    text: &mut String,
    file: &str,
    uses: &[&Neighbour],
    holder: impl Fn(&Neighbour) -> Option<String>,
) {
    let mut around: Option<String> = None;
    let mut lines = Vec::new();
    for same in uses.chunk_by(|left, right| is_same_line(left, right)) {
        let Some(it) = same.first() else { continue };
        let own = holder(it);
        let named = own.as_ref().filter(|own| around.as_ref() != Some(own));
        let named = named.map(|own| format!("{own}: ")).unwrap_or_default();
        around = own;
        lines.push(format!("{named}{}", one_line(same)));
    }
    let _ = writeln!(text, " {} {}", quoted(file), lines.join("\n  "));
}

/// The name of the declaration that a use is in.
fn holder(it: &Neighbour) -> Option<&str> {
    let own = it.around.as_ref().filter(|(_, line)| Some(*line) != it.line);
    own.map(|(name, _)| name.as_str())
}

/// Whether two uses of one declaration are written in the same way: their text stands once, after both numbers.
fn is_same_line(left: &Neighbour, right: &Neighbour) -> bool {
    (holder(left), &left.name, &left.through) == (holder(right), &right.name, &right.through)
}

/// The numbers of uses that are written in the same way, and their text.
fn one_line(uses: &[&Neighbour]) -> String {
    let first = uses.first();
    let name = first.and_then(|it| it.name.as_deref()).unwrap_or_default();
    let mut cut: String = name.chars().take(LONGEST_LINE).collect();
    if cut.len() < name.len() {
        cut.push('…');
    }
    let numbers: Vec<String> = uses.iter().map(|it| number(it)).collect();
    let through = first.and_then(|it| it.through.as_ref()).map(|it| format!(" (through {it})"));
    format!("{} {cut}{}", numbers.join(" "), through.unwrap_or_default())
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

/// Whether a file is one of translations, of what a tool wrote, or of others: a use in it is no code to change.
pub(super) fn is_data(path: &str) -> bool {
    use FileClass::{Generated, Translation, Vendored};
    matches!(FileClass::of(path), Translation | Generated | Vendored)
}

/// Uses in files of data, each class in one line: by folder where there are many.
fn write_data(text: &mut String, uses: &[&Neighbour]) {
    const MOST_FILES: usize = 3;
    let mut classes: BTreeMap<FileClass, Vec<&Neighbour>> = BTreeMap::new();
    for it in uses {
        classes.entry(FileClass::of(&it.file)).or_default().push(it);
    }
    for (class, uses) in classes {
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for it in &uses {
            files.entry(&it.file).or_default().push(number(it));
        }
        let shared = shared_folder(files.keys().copied());
        let folder = files.keys().next().and_then(|file| file.get(..shared)).unwrap_or_default();
        let folder = if folder.is_empty() { "./" } else { folder };
        let _ = write!(text, "{}: {} in {}", class.name(), thousands(uses.len()), quoted(folder));
        if files.len() > MOST_FILES {
            let _ = writeln!(text, ", {} files", thousands(files.len()));
            continue;
        }
        let each = files.iter().map(|(file, lines)| {
            format!("{} {}", quoted(file.get(shared..).unwrap_or(file)), lines.join(" "))
        });
        let each: Vec<String> = each.collect();
        let _ = writeln!(text, ": {}", each.join(", "));
    }
}

/// Few uses in tests, each with its line.
fn write_few_tests(text: &mut String, uses: &[&Neighbour]) {
    let mut files: BTreeMap<&str, Vec<&Neighbour>> = BTreeMap::new();
    for it in uses {
        files.entry(&it.file).or_default().push(it);
    }
    let shared = shared_folder(files.keys().copied());
    let _ = writeln!(text, "tests: {}{}", uses.len(), in_folder(uses, shared));
    for (file, uses) in files {
        let file = file.get(shared..).unwrap_or(file);
        write_lines(text, file, &uses, |it| holder(it).map(cut));
    }
}

/// ` in tests/`, where the files of these uses share a folder.
fn in_folder(uses: &[&Neighbour], shared: usize) -> String {
    let folder = uses.first().and_then(|it| it.file.get(..shared)).unwrap_or_default();
    if folder.is_empty() { String::new() } else { format!(" in {}", quoted(folder)) }
}

/// Tests in one line.
fn write_tests(text: &mut String, uses: &[&Neighbour]) {
    const MOST_NAMES: usize = 20;
    let name = |it: &Neighbour| it.around.as_ref().map_or(String::new(), |(name, _)| cut(name));
    let names: BTreeSet<(&str, String)> =
        uses.iter().map(|it| (it.file.as_str(), name(it))).collect();
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut last = None;
    for it in uses {
        let own = (&it.file, name(it));
        let is_told = names.len() <= MOST_NAMES && !own.1.is_empty() && last.as_ref() != Some(&own);
        let numbers = files.entry(&it.file).or_default();
        if is_told {
            numbers.push(own.1.clone());
        }
        numbers.push(number(it));
        last = Some(own);
    }
    let shared = shared_folder(files.keys().copied());
    let each = files.iter().map(|(file, lines)| {
        format!("{} {}", quoted(file.get(shared..).unwrap_or(file)), lines.join(" "))
    });
    let each: Vec<String> = each.collect();
    let folder = in_folder(uses, shared);
    let _ = writeln!(text, "tests: {}{folder}: {}", thousands(uses.len()), each.join(", "));
}

/// A name of a test without the groups around it. A title is cut.
fn cut(name: &str) -> String {
    const LONGEST: usize = 60;
    let name = if name.starts_with('"') { name } else { name.rsplit('.').next().unwrap_or(name) };
    let mut short: String = name.chars().take(LONGEST).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
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
