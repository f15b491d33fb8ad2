//! Renders a context pack as Markdown for people and chats, the most important part first.
//!
//! Tool output is data: it is quoted, on one line, and never becomes a heading. Code is verbatim
//! after its line number and a tab. A line without a number says how many lines were left out.

use std::collections::BTreeMap;
use std::fmt::Write;

use portolan_types::is_invisible;
use portolan_wire::context::{ChangeV2, ContextPackV2, DeclV2, SliceV2, SuspectV2};
use serde_json::Value;

use super::task_document;

/// The most characters of a message in the line that says what failed.
const LONGEST_FAILURE: usize = 200;

/// Renders a pack as Markdown.
pub fn to_document(pack: &ContextPackV2) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match &pack.asked {
        Some(asked) => task_document::write(&mut out, pack, asked),
        None => write(&mut out, pack),
    };
    out
}

fn write(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let index = pack.focus.as_ref().map(|focus| focus.diag_index);
    let diagnostic = focused(pack);
    headline(out, pack, diagnostic)?;
    if let Some(environment) = &pack.environment {
        let message = diagnostic.and_then(|it| it["message"].as_str()).unwrap_or_default();
        let is_said =
            !message.is_empty() && environment.contains(message.trim_end_matches([':', '.']));
        let repair = "Environment, not code: install or upgrade what the message names.";
        writeln!(out, "{}", if is_said { repair.to_owned() } else { line(environment) })?;
    }
    suspects(out, pack)?;
    section(out, pack, "focus", |role| role == "focus")?;
    section(out, pack, "Changed, and run by what failed", |role| role == "suspect")?;
    let is_beside = |role: &str| role == "focus" || role == "changed" || role == "suspect";
    section(out, pack, "Needed by it", |role| !is_beside(role))?;
    section(out, pack, "Changed", |role| role == "changed")?;
    before(out, pack)?;
    also_changed(out, pack)?;
    others(out, pack, index)?;
    left_out(out, pack)
}

/// The diagnostic that a pack is built around.
fn focused(pack: &ContextPackV2) -> Option<&Value> {
    let index = pack.focus.as_ref()?.diag_index;
    pack.diagnostics.iter().find(|it| it["data"]["index"].as_u64() == Some(index))
}

/// What failed, in one line: `TypeError at shop.py:5: unsupported operand`. `None` if the pack has no diagnostic in focus.
pub fn failure_line(pack: &ContextPackV2) -> Option<String> {
    let diagnostic = focused(pack)?;
    let message = diagnostic["message"].as_str().unwrap_or_default();
    let message = line(message.lines().next().unwrap_or_default());
    let is_long = message.chars().count() > LONGEST_FAILURE;
    let cut: String = message.chars().take(LONGEST_FAILURE).collect();
    Some(format!("{}: {cut}{}", title(pack, diagnostic), if is_long { "…" } else { "" }))
}

/// The code and the place of the diagnostic in focus.
fn title(pack: &ContextPackV2, diagnostic: &Value) -> String {
    let place = pack.focus.as_ref().and_then(|focus| focus.loc.as_ref());
    let place = place.map_or_else(String::new, |loc| {
        let part = |number: Option<u32>| number.map_or_else(String::new, |it| format!(":{it}"));
        let column = loc.line.and(loc.col);
        format!(" at {}{}{}", code(&loc.file), part(loc.line), part(column))
    });
    format!("{}{place}", line(diagnostic["code"].as_str().unwrap_or_default()))
}

fn headline(
    out: &mut String,
    pack: &ContextPackV2,
    diagnostic: Option<&Value>,
) -> std::fmt::Result {
    let Some(diagnostic) = diagnostic else {
        return writeln!(out, "# No diagnostic in this repository\n");
    };
    let total = pack.diagnostics.len() as u64 + pack.code.meta.omitted.diagnostics;
    let grouped: u64 = pack.groups.iter().map(|group| group.count).sum();
    let count = match (total, pack.groups.len()) {
        (0 | 1, _) => String::new(),
        (n, 1) if grouped == n => format!(" ({n} diagnostics of 1 kind)"),
        (n, kinds) if grouped == n => format!(" ({n} diagnostics of {kinds} kinds)"),
        // The pack holds only the first groups.
        (n, 0) => format!(" ({n} diagnostics)"),
        (n, kinds) => format!(" ({n} diagnostics of more than {kinds} kinds)"),
    };
    writeln!(out, "# {}{count}", title(pack, diagnostic))?;
    writeln!(out, "> {}", line(diagnostic["message"].as_str().unwrap_or_default()))?;
    for note in diagnostic["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !note.trim().is_empty() {
            writeln!(out, "> {}", line(note))?;
        }
    }
    if let Some(test) = diagnostic["data"]["test"].as_str() {
        writeln!(out, "Test: {}", line(test))?;
    }
    if diagnostic["data"]["stale"] == true {
        writeln!(out, "The file changed since this was printed: the location may be wrong.")?;
    }
    let related = diagnostic["related"].as_array().into_iter().flatten();
    for related in related {
        let span = &related["span"];
        let row = span["start"]["line"].as_u64().map_or_else(String::new, |row| format!(":{row}"));
        let file = code(span["file"].as_str().unwrap_or_default());
        writeln!(out, "- {file}{row} {}", line(related["message"].as_str().unwrap_or_default()))?;
    }
    Ok(())
}

fn suspects(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    // What merely ran stands in the stack already.
    let is_news = |suspect: &&SuspectV2| suspect.changed || !suspect.on_stack || suspect.votes > 1;
    let list: Vec<String> = pack
        .suspects
        .iter()
        .filter(is_news)
        .map(|suspect| {
            let changed = suspect.changed.then(|| "changed".to_owned());
            let stack = suspect.on_stack.then(|| "on the stack".to_owned());
            let votes =
                (suspect.of > 1).then(|| format!("{} of {} errors", suspect.votes, suspect.of));
            let votes = votes.filter(|_| suspect.votes > 0);
            let why: Vec<String> = changed.into_iter().chain(stack).chain(votes).collect();
            let name = match plain(&suspect.name).as_str() {
                "" => "the top level of".to_owned(),
                name => format!("`{name}`"),
            };
            format!("{name} {}:{} ({})", line(&suspect.file), suspect.line, why.join(", "))
        })
        .collect();
    if list.is_empty() {
        return Ok(());
    }
    writeln!(out, "Suspects: {}", list.join("; "))
}

/// Writes the slices of some roles, with one fence per file.
fn section(
    out: &mut String,
    pack: &ContextPackV2,
    title: &str,
    is_in: impl Fn(&str) -> bool,
) -> std::fmt::Result {
    let mut files: BTreeMap<u64, BTreeMap<u32, &str>> = BTreeMap::new();
    let slices: Vec<&SliceV2> =
        pack.code.slices.iter().filter(|slice| is_in(&slice.role)).collect();
    for slice in &slices {
        let lines = slice.lines.iter().flat_map(|[first, last]| *first..=*last);
        files.entry(slice.file).or_default().extend(lines.zip(slice.text.lines()));
    }
    if files.is_empty() {
        return Ok(());
    }
    if title != "focus" {
        writeln!(out, "\n## {title}")?;
    }
    for (file, lines) in files {
        let path = pack.digests.inputs.get(file as usize).map_or("", |input| input.path.as_str());
        let mark = if title == "focus" { "## Focus:" } else { "###" };
        let of_file = slices.iter().filter(|slice| slice.file == file);
        let mut names: Vec<String> = Vec::new();
        for decl in of_file.filter_map(|slice| slice.decl.as_ref()) {
            let name = full_name(decl);
            if !decl.name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let names: String = names.iter().map(|name| format!(", {name}")).collect();
        writeln!(out, "\n{mark} {}{names}", line(path))?;
        fenced(out, path, &lines, LineNumbers::All)?;
    }
    Ok(())
}

/// The name of a declaration with that of its owner, for a heading.
fn full_name(decl: &DeclV2) -> String {
    match &decl.owner {
        Some(owner) => code(&format!("{owner}.{}", decl.name)),
        None => code(&decl.name),
    }
}

/// Which lines get a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineNumbers {
    /// All lines.
    All,
    /// The first of consecutive lines, and every tenth.
    Some,
}

pub(super) fn fenced(
    out: &mut String,
    path: &str,
    lines: &BTreeMap<u32, &str>,
    numbers: LineNumbers,
) -> std::fmt::Result {
    let longest =
        lines.values().flat_map(|text| text.split(|c| c != '`').map(str::len)).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let language = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_word = language.len() <= 10 && language.bytes().all(|byte| byte.is_ascii_alphanumeric());
    writeln!(out, "{fence}{}", if is_word { language } else { "" })?;
    let mut last: Option<u32> = None;
    for (number, text) in lines {
        let gap = last.map(|last| number - last - 1).filter(|gap| *gap > 0);
        if let Some(gap) = gap {
            writeln!(out, "…\t({gap} line{})", if gap == 1 { "" } else { "s" })?;
        }
        if numbers == LineNumbers::All || last.is_none() || gap.is_some() || number % 10 == 0 {
            writeln!(out, "{number}\t{text}")?;
        } else {
            writeln!(out, "{text}")?;
        }
        last = Some(*number);
    }
    writeln!(out, "{fence}")
}

/// Writes the old text of shown lines that were changed or deleted.
pub(super) fn before(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let Some(base) = &pack.base else { return Ok(()) };
    let changes = base.changes.iter().filter(|change| !change.before.trim().is_empty());
    let changes: Vec<_> =
        changes.filter(|change| pack.asked.is_some() || is_shown(pack, change)).collect();
    if changes.is_empty() {
        return Ok(());
    }
    let id: String = base.revision.chars().take(12).collect();
    writeln!(out, "\n## As it was in {id}")?;
    for change in changes {
        writeln!(out, "\n### {}, before line {}", line(&change.file), change.lines[0])?;
        let longest = change.before.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        writeln!(out, "{fence}\n{}\n{fence}", change.before.trim_end())?;
    }
    Ok(())
}

/// Whether one of the lines of a change is shown.
fn is_shown(pack: &ContextPackV2, change: &ChangeV2) -> bool {
    let [from, to] = change.lines;
    let is_in = |[first, last]: &[u32; 2]| *first <= to && from <= *last;
    let file_of = |slice: &SliceV2| {
        pack.digests.inputs.get(slice.file as usize).map(|input| input.path.as_str())
    };
    let mut slices = pack.code.slices.iter();
    slices
        .any(|slice| file_of(slice) == Some(change.file.as_str()) && slice.lines.iter().any(is_in))
}

/// Names the places that changed, too, and of which nothing is shown: they did not run, or are tests that did not fail.
fn also_changed(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let Some(base) = &pack.base else { return Ok(()) };
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for change in base.changes.iter().filter(|change| !is_shown(pack, change)) {
        let [from, to] = change.lines;
        let lines = if from == to { from.to_string() } else { format!("{from}-{to}") };
        files.entry(&change.file).or_default().push(lines);
    }
    if files.is_empty() {
        return Ok(());
    }
    let named: Vec<String> =
        files.iter().map(|(file, lines)| format!("{}:{}", line(file), lines.join(","))).collect();
    let more =
        if base.more > 0 { format!(", and {} more places", base.more) } else { String::new() };
    writeln!(out, "\nAlso changed: {}{more}", named.join(", "))
}

fn others(out: &mut String, pack: &ContextPackV2, focus: Option<u64>) -> std::fmt::Result {
    let others: Vec<&Value> =
        pack.diagnostics.iter().filter(|it| it["data"]["index"].as_u64() != focus).collect();
    let left = pack.code.meta.omitted.diagnostics;
    if others.is_empty() && left == 0 {
        return Ok(());
    }
    writeln!(out, "\n## Other errors\n")?;
    for other in others {
        let span = &other["loc"]["span"];
        let place = match (span["file"].as_str(), span["start"]["line"].as_u64()) {
            (Some(file), Some(row)) => format!(" {}:{row}", line(file)),
            (Some(file), None) => format!(" {}", line(file)),
            _ => String::new(),
        };
        let text = |field: &str| line(other[field].as_str().unwrap_or_default());
        let test = other["data"]["test"].as_str();
        let test = test.map_or_else(String::new, |test| format!(" in {}", code(test)));
        writeln!(out, "-{place} {}{test}: {}", text("code"), text("message"))?;
    }
    if left > 0 {
        writeln!(out, "- and {left} more")?;
    }
    Ok(())
}

fn left_out(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let meta = &pack.code.meta;
    if meta.omitted.slices == 0 {
        return Ok(());
    }
    let (left, budget) = (meta.omitted.slices, meta.budget);
    writeln!(out, "\nLeft out: {left} further declarations; a budget above {budget} shows more")
}

pub(super) fn made_of(out: &mut String, pack: &ContextPackV2) -> std::fmt::Result {
    let files = pack.digests.inputs.len();
    if files == 0 {
        return Ok(());
    }
    let base = pack
        .project
        .base
        .as_ref()
        .map_or_else(String::new, |base| format!(", compared with {base}"));
    let files = if files == 1 {
        "1 file as it is".to_owned()
    } else {
        format!("{files} files as they are")
    };
    writeln!(
        out,
        "\n## Made of\n\n{files}{base}, by {} {}. Lines in fences are the files' own: answer with a \
         unified diff against them.",
        pack.toolchain.name, pack.toolchain.version
    )
}

/// Escapes text for a code span.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", plain(text))
}

pub(super) fn plain(text: &str) -> String {
    line(text).replace('`', "'")
}

/// Puts text on one line.
pub(super) fn line(text: &str) -> String {
    text.chars().map(|c| if is_invisible(c) { ' ' } else { c }).collect()
}
