//! Renders a pack of a task or a change as Markdown.
//!
//! The likely edits come first, with one fence per file and the reasons for each. The first of
//! consecutive lines and every tenth have a number: enough to count from, for fewer tokens.

use std::collections::BTreeMap;
use std::fmt::Write;

use portolan_ranking::FIRST_PLACES;
use portolan_wire::context::{AskedV2, ContextPackV2, SliceV2};

use super::document::{LineNumbers, before, code, fenced, line, made_of};
use super::shown_lines::clip;

/// A longer title of a task is cut, in characters.
const LONGEST_TITLE: usize = 160;
/// The most reasons shown per file.
const REASONS: usize = 3;
/// The most words of the task shown per file.
const WORDS: usize = 5;
/// The start of a reason that lists words.
const HAS: &str = "has ";
/// The starts of reasons that only give a position.
const PLACES: &[&str] = &["head of the file", "beside what "];
/// The most importers shown for a removed export.
const IMPORTERS: usize = 8;

/// Renders the document.
pub(super) fn write(out: &mut String, pack: &ContextPackV2, asked: &AskedV2) -> std::fmt::Result {
    headline(out, pack, asked)?;
    files(out, pack)?;
    vanished(out, pack)?;
    section(out, pack, "Asked for", "focus")?;
    section(out, pack, "Changed", "changed")?;
    before(out, pack)?;
    places(out, pack)?;
    bodies(out, pack)?;
    let used = if asked.changed.is_some() { "changed" } else { "was asked for" };
    section(out, pack, &format!("Uses what {used}"), "user")?;
    section(out, pack, "Used by these", "uses")?;
    tests(out, pack)?;
    next(out, pack)?;
    if pack.code.slices.is_empty() && pack.evidence.is_some() {
        return Ok(());
    }
    made_of(out, pack)
}

fn headline(out: &mut String, pack: &ContextPackV2, asked: &AskedV2) -> std::fmt::Result {
    let what = match (&asked.task, &asked.changed, asked.at.is_empty()) {
        (Some(_), ..) => "a task".to_owned(),
        (None, Some(_), _) => {
            let base = line(pack.project.base.as_deref().unwrap_or("the base"));
            match pack.base.as_ref().and_then(|base| base.to.as_deref()) {
                Some(to) => {
                    let to: String = to.chars().take(12).collect();
                    format!("what changed from {base} to {}", line(&to))
                }
                None => format!("what changed since {base}"),
            }
        }
        _ => "a place".to_owned(),
    };
    writeln!(out, "# Context for {what}\n")?;
    // Whoever asks knows the task: its first line tells which one it is.
    if let Some(task) = &asked.task {
        let title = task.lines().find(|text| !text.trim().is_empty()).unwrap_or_default();
        writeln!(out, "> {}", line(&clip(title, LONGEST_TITLE)))?;
    }
    if !asked.at.is_empty() {
        let places: Vec<String> = asked.at.iter().map(|place| code(place)).collect();
        writeln!(out, "\nAround {}.", places.join(", "))?;
    }
    Ok(())
}

/// Lists the places that a task may be about, a line each, and says what the evidence is.
fn places(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let Some(evidence) = &pack.evidence else { return Ok(()) };
    writeln!(out)?;
    if !pack.places.is_empty() {
        writeln!(out, "Places, best first:\n")?;
    }
    for (number, place) in pack.places.iter().enumerate() {
        if number == FIRST_PLACES {
            writeln!(out, "\nThe best place of each of the next files:\n")?;
        }
        writeln!(out, "- {}", line(&place.to_line()))?;
    }
    if !pack.places.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", line(evidence))
}

/// Writes what is shown of each file in one fence, the file with the best part first.
fn bodies(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let slices: Vec<&SliceV2> = pack.code.slices.iter().filter(|it| it.role == "edit").collect();
    for file in files_of(&slices) {
        let own: Vec<&&SliceV2> = slices.iter().filter(|slice| slice.file == file).collect();
        let path = pack.digests.inputs.get(file as usize).map_or("", |it| it.path.as_str());
        let named = own.iter().find_map(|slice| slice.decl.as_ref().map(|decl| (slice, decl)));
        let best = named.map(|(slice, _)| **slice).or_else(|| own.first().map(|slice| **slice));
        let why = best.map_or_else(String::new, |slice| line(&slice.why.join("; ")));
        let name = named.map_or_else(String::new, |(_, decl)| format!(" {}", code(&decl.name)));
        writeln!(out, "\n### {}{name} ({why})", line(path))?;
        fenced(out, path, &lines_of(&own), LineNumbers::All)?;
    }
    Ok(())
}

/// The files of slices, in their order.
fn files_of(slices: &[&SliceV2]) -> Vec<u64> {
    let mut files: Vec<u64> = Vec::new();
    for slice in slices {
        if !files.contains(&slice.file) {
            files.push(slice.file);
        }
    }
    files
}

/// The lines of slices of one file.
fn lines_of<'p>(slices: &[&&'p SliceV2]) -> BTreeMap<u32, &'p str> {
    let mut lines = BTreeMap::new();
    for slice in slices {
        let numbers = slice.lines.iter().flat_map(|[first, last]| *first..=*last);
        lines.extend(numbers.zip(slice.text.lines()));
    }
    lines
}

/// Lists every changed file on a line, with the declarations removed from it.
fn files(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let Some(base) = pack.base.as_ref().filter(|base| !base.files.is_empty()) else {
        return Ok(());
    };
    writeln!(out, "\n## Files\n")?;
    for file in &base.files {
        let fate = file.fate().map_or_else(String::new, |fate| format!(" ({})", line(&fate)));
        let gone: Vec<String> = file.removed.iter().map(|name| code(name)).collect();
        let gone =
            if gone.is_empty() { String::new() } else { format!(", without {}", gone.join(", ")) };
        writeln!(out, "- {}{fate}{gone}", line(&file.file))?;
    }
    for note in &base.notes {
        writeln!(out, "- {}", line(note))?;
    }
    Ok(())
}

fn vanished(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    if pack.vanished.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Removed but still imported or used (errors, found without a compiler)\n")?;
    for gone in &pack.vanished {
        let places: Vec<String> = gone
            .importers
            .iter()
            .take(IMPORTERS)
            .map(|loc| {
                let row = loc.line.map_or_else(String::new, |row| format!(":{row}"));
                format!("{}{row}", line(&loc.file))
            })
            .collect();
        let more = gone.importers.len().saturating_sub(IMPORTERS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = if gone.name.is_empty() {
            code(&gone.file)
        } else {
            format!("{} of {}", code(&gone.name), code(&gone.file))
        };
        writeln!(out, "- {what}: {} {}{more}", gone.how(), places.join(", "))?;
    }
    Ok(())
}

/// Writes the slices of a role, with one fence per file, likeliest first.
fn section(out: &mut String, pack: &ContextPackV2, title: &str, role: &str) -> std::fmt::Result {
    let slices: Vec<&SliceV2> = pack.code.slices.iter().filter(|it| it.role == role).collect();
    if slices.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## {title}")?;
    for file in files_of(&slices) {
        let own: Vec<&&SliceV2> = slices.iter().filter(|slice| slice.file == file).collect();
        let reasons = reasons(own.iter().flat_map(|slice| &slice.why));
        let path = pack.digests.inputs.get(file as usize).map_or("", |input| input.path.as_str());
        writeln!(out, "\n### {} ({})", line(path), reasons.join("; "))?;
        fenced(out, path, &lines_of(&own), LineNumbers::Some)?;
    }
    Ok(())
}

/// The reasons for the slices of a file, the most informative first: names that the task mentions,
/// then others, then the matching words of all slices. Positions appear only if there is no other
/// reason.
fn reasons<'a>(all: impl Iterator<Item = &'a String>) -> Vec<String> {
    let (mut found, mut words): (Vec<String>, Vec<(&str, u32)>) = (Vec::new(), Vec::new());
    for why in all {
        let Some(list) = why.strip_prefix(HAS) else {
            let why = line(why);
            if !found.contains(&why) {
                found.push(why);
            }
            continue;
        };
        for word in list.split(", ") {
            match words.iter_mut().find(|(known, _)| *known == word) {
                Some((_, times)) => *times += 1,
                None => words.push((word, 1)),
            }
        }
    }
    words.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let words: Vec<&str> = words.iter().take(WORDS).map(|(word, _)| *word).collect();
    if !words.is_empty() {
        found.push(line(&format!("{HAS}{}", words.join(", "))));
    }
    let rank = |why: &String| match why {
        why if why.ends_with("is named in the task") => 0,
        why if PLACES.iter().any(|place| why.starts_with(place)) => 2,
        _ => 1,
    };
    found.sort_by_key(rank);
    if found.first().is_some_and(|why| rank(why) < 2) {
        found.retain(|why| rank(why) < 2);
    }
    found.truncate(REASONS);
    found
}

fn tests(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    if pack.tests.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Tests, likeliest first\n")?;
    for test in &pack.tests {
        if let (Some(name), Some(row)) = (&test.name, test.line) {
            let reaches: Vec<String> = test.reaches.iter().map(|name| code(name)).collect();
            let file = line(&test.file);
            writeln!(out, "- {file}:{row} {}: names {}", line(name), reaches.join(", "))?;
            continue;
        }
        let how = match test.distance {
            0 => "changed too".to_owned(),
            1 => "imports it".to_owned(),
            n if n <= 8 => format!("{n} imports away"),
            _ => "by its words, its name, or commits".to_owned(),
        };
        writeln!(out, "- {} ({how})", line(&test.file))?;
    }
    Ok(())
}

fn next(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    if pack.next.is_empty() {
        return Ok(());
    }
    let left = pack.code.meta.omitted.slices;
    writeln!(out, "\n## Did not fit ({left} in all; ask for these next, by their lines)\n")?;
    for one in &pack.next {
        let name = one.name.as_ref().map_or_else(String::new, |name| format!(" {}", code(name)));
        let (id, why) = (line(&one.id), line(&one.why));
        writeln!(out, "- {id}{name} about {} tokens: {why}", one.tokens)?;
    }
    Ok(())
}
