//! A message as code has it: a template, cut over several lines.
//!
//! Who looks for the source of an error pastes the message: `Cannot resolve keyword 'foo' into field`. In code it stands as
//! `"Cannot resolve keyword '%s' into field"`. So a sentence that stands nowhere in code is searched for by its runs
//! of words, without what differs from one time to the next.

use std::collections::BTreeMap;

use super::kinds::FileClass;
use super::pattern::CompiledPatterns;
use super::report::{ReadAs, SearchReport};
use super::sweep::SweptFile;
use super::{SearchContext, SearchError, group, swept};
use portolan_guard::redact;
use portolan_wire::question::SearchQuestionV1;

/// A run of words is searched for in windows of so many: a template may be cut anywhere.
const WINDOW: usize = 4;
/// A shorter run says nothing.
const SHORTEST: usize = 3;
/// The most windows of a message.
const MOST_WINDOWS: usize = 48;
/// A window on more lines than this is no message; the rarest window counts in any case.
const MOST_LINES: usize = 12;
/// The most windows that are told.
const MOST_TOLD: usize = 2;

/// The lines that a message may come from, where no line of code has all of it. `found` is what a search for all of it
/// found: where that is something, it stays, and the answer only says which part of the message stands in code.
pub(super) fn of_message(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
    mut found: SearchReport,
) -> Result<SearchReport, SearchError> {
    let [text] = request.patterns.as_slice() else { return Ok(found) };
    let windows = windows(text);
    if windows.is_empty() || has_code(&found) {
        return Ok(found);
    }
    let of = |patterns: Vec<String>| SearchQuestionV1 { patterns, fixed: true, ..request.clone() };
    let mut pass = swept(context, &of(windows.clone()))?;
    let is_code = |file: &&SweptFile| FileClass::of(file.path.as_str()) == FileClass::Code;
    let code = pass.swept.files.iter().filter(is_code);
    let lines = code.flat_map(|file| file.hits.iter().map(|hit| file.line(hit)));
    let lines: Vec<String> = lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    let rare = rare_windows(&windows, &lines);
    if rare.is_empty() {
        return Ok(found);
    }
    let request = of(rare);
    let patterns = CompiledPatterns::new(&request)?;
    for file in &mut pass.swept.files {
        let hits = std::mem::take(&mut file.hits).into_iter();
        file.hits = hits.filter(|hit| patterns.in_line(file.line(hit)).1 > 0).collect();
    }
    pass.swept.files.retain(|file| !file.hits.is_empty());
    let mut report = group::report(context, &request, &patterns, pass.swept);
    if !has_code(&report) {
        return Ok(found);
    }
    let told = |most: usize| {
        let told: Vec<&str> = request.patterns.iter().map(String::as_str).take(most).collect();
        redact(&told.join("`, `")).into_owned()
    };
    if found.lines > 0 {
        found.read_as.get_or_insert_with(|| ReadAs::InTextOnly(told(1)));
        return Ok(found);
    }
    report.read_as = Some(ReadAs::Parts(told(MOST_TOLD)));
    Ok(report)
}

fn has_code(report: &SearchReport) -> bool {
    report.files.iter().any(|file| file.class == FileClass::Code)
}

/// The windows that few of the lines have, or else the rarest, in the order of the message.
fn rare_windows(windows: &[String], lines: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for line in lines {
        for (at, window) in windows.iter().enumerate() {
            if line.contains(window.as_str()) {
                *counts.entry(at).or_default() += 1;
            }
        }
    }
    let least = counts.values().copied().min().unwrap_or_default();
    let most = MOST_LINES.max(least);
    let rare = counts.into_iter().filter(|(_, count)| *count <= most);
    rare.filter_map(|(at, _)| windows.get(at).cloned()).collect()
}

/// The windows of the runs of words in a message.
fn windows(message: &str) -> Vec<String> {
    let mut windows: Vec<String> = Vec::new();
    for run in runs(message) {
        let width = WINDOW.min(run.len());
        for words in run.windows(width) {
            let window = words.join(" ");
            let window = window.trim_end_matches(['.', ',', ':', ';', '!', '?']).to_owned();
            if windows.len() < MOST_WINDOWS && !windows.contains(&window) {
                windows.push(window);
            }
        }
    }
    windows
}

/// Runs of words that are the same each time: no quoted value, no number, no name in code.
fn runs(message: &str) -> Vec<Vec<&str>> {
    let mut runs: Vec<Vec<&str>> = vec![Vec::new()];
    let mut closing: Option<char> = None;
    for word in message.split_whitespace() {
        if let Some(quote) = closing {
            if word.trim_end_matches(['.', ',', ':', ';', ')']).ends_with(quote) {
                closing = None;
            }
            continue;
        }
        let opened = word.chars().next().filter(|c| "'\"`“‘".contains(*c));
        let is_quoted = opened.is_some_and(|quote| {
            let end = match quote {
                '“' => '”',
                '‘' => '’',
                other => other,
            };
            let inside = word.trim_end_matches(['.', ',', ':', ';', ')', '!', '?']);
            if inside.chars().count() < 2 || !inside.ends_with(end) {
                closing = Some(end);
            }
            true
        });
        let is_fixed = !is_quoted && word.chars().all(is_of_word);
        // `Error:` and `[Vue warn]:` stand before what the code says.
        let ends_head = word.ends_with(':') && runs.len() == 1;
        if is_fixed && !ends_head {
            if let Some(run) = runs.last_mut() {
                run.push(word);
            }
        } else {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| run.len() >= SHORTEST);
    runs
}

/// Whether words of a message have it.
fn is_of_word(c: char) -> bool {
    c.is_alphabetic() || "()-.,:;!?'’".contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::{rare_windows, windows};

    proptest! {
        /// Every window stands in the message, but for white space.
        #[test]
        fn windows_are_parts_of_the_message(text in r"[ -~äß“”\n]{0,200}") {
            let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for window in windows(&text) {
                prop_assert!(plain.contains(&window), "{window:?} of {text:?}");
            }
        }
    }

    #[test]
    fn what_differs_from_time_to_time_is_no_part_of_a_message() {
        let check = |message: &str, expected: &[&str]| assert_eq!(windows(message), expected);
        check("Cannot resolve keyword 'foo' into field", &["Cannot resolve keyword"]);
        check(
            "Cannot select the 'num' alias. Use annotate() to promote it.",
            &[
                "Cannot select the",
                "alias. Use annotate() to",
                "Use annotate() to promote",
                "annotate() to promote it",
            ],
        );
        check(
            "[Vue warn]: Failed to resolve component: foo-bar",
            &["Failed to resolve component", "to resolve component: foo-bar"],
        );
        check(
            "TypeError: no more than 5 items may be given",
            &["no more than", "items may be given"],
        );
        check("it isn't there", &["it isn't there"]);
        check("one 'two three four five' six", &[]);
        check("order_by", &[]);
    }

    #[test]
    fn windows_that_many_lines_have_do_not_count_where_another_is_rare() {
        let windows = ["is not a".to_owned(), "cannot be sold".to_owned()];
        let mut lines = vec!["it is not a thing".to_owned(); 40];
        assert_eq!(rare_windows(&windows, &lines), ["is not a"]);
        lines.push("'%s' cannot be sold".to_owned());
        assert_eq!(rare_windows(&windows, &lines), ["cannot be sold"]);
    }
}
