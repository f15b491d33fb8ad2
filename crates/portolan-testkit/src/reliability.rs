//! The tables of `docs/reliability.md`: each row is written by the test that it tells of.
//!
//! A test that has tried something ends with [`row`]. Normally the row must be on the page as it is;
//! with `UPDATE_DOCS=1` it is put there. A test that cannot run on a machine says so ([`not_tried`])
//! and writes no row: the one of the last machine that could stays. Long runs have rows of their own,
//! which only they write.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use portolan_vfs::{OsSystem, System};

/// One row at a time: tests run side by side.
static PAGE: Mutex<()> = Mutex::new(());

/// Says in `docs/reliability.md` what was tried, how often, and how it ended every time. `section`
/// names the table, `what` is the row's key: a plain literal, so that a row can be traced back to its
/// test.
#[track_caller]
pub fn row(section: &str, what: &str, tried: usize, outcome: &str) {
    let _turn = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = read();
    let line = format!("| {what} | {tried} | {outcome} |");
    assert_eq!(line.matches('|').count(), 4, "no `|` inside a cell: {line}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let page = with_row(&found, section, &key(what), line);
        OsSystem.write(&page_path(), page.as_bytes()).expect("the page can be written");
        return;
    }
    assert!(
        rows_of(&found, section).contains(&line.as_str()),
        "docs/reliability.md, table `{section}`, lacks this row:\n{line}\n\
         Write it anew: UPDATE_DOCS=1 cargo test and the name of this test"
    );
}

/// Says, past the test runner's capture, why a test cannot be tried on this machine.
pub fn not_tried(reason: &str) {
    let _ = writeln!(std::io::stderr(), "not tried: {reason}");
}

/// Whether a program is on this machine, for a test that cannot be tried without it.
#[track_caller]
pub fn is_installed(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        lacking(program);
    }
    is_there
}

/// Says that a program is not here, and what of it cannot be tried. In CI on Linux that fails: `.ci/run` installs what is missing, so
/// a test that is left out there is a fault that nobody would see. `PORTOLAN_WITHOUT` lists what a CI lacks on purpose.
#[track_caller]
pub fn lacking(program: &str) {
    let variable = |name| std::env::var(name).unwrap_or_default();
    assert!(
        !is_owed(program, &variable("CI"), &variable("PORTOLAN_WITHOUT")),
        "{program} is not installed, and this is CI: install it, or list it in PORTOLAN_WITHOUT"
    );
    not_tried(&format!("{program} is not installed"));
}

/// Whether a machine must have a program.
fn is_owed(program: &str, ci: &str, without: &str) -> bool {
    let is_meant = without.split_whitespace().any(|name| name == program);
    ci == "true" && cfg!(target_os = "linux") && !is_meant
}

/// What every row of the page tells of.
pub fn rows() -> Vec<String> {
    let page = read();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next()?.strip_prefix("| "));
    cells.filter(|cell| !matches!(*cell, "what" | "---")).map(ToOwned::to_owned).collect()
}

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reliability.md")
}

fn read() -> String {
    let bytes = OsSystem.read(&page_path()).expect("docs/reliability.md is there");
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

fn key(what: &str) -> String {
    format!("| {what} | ")
}

/// The line that a table stands below.
fn mark(section: &str) -> String {
    format!("<!-- rows: {section} -->")
}

/// The rows of a table, without its head.
fn rows_of<'p>(page: &'p str, section: &str) -> Vec<&'p str> {
    let below = page.lines().skip_while(|line| *line != mark(section)).skip(1);
    let below = below.skip_while(|line| line.is_empty());
    below.take_while(|line| line.starts_with('|')).skip(2).collect()
}

/// The page with a row in its place: rows are sorted.
fn with_row(page: &str, section: &str, key: &str, line: String) -> String {
    let mark = mark(section);
    assert!(page.contains(&mark), "docs/reliability.md has no line `{mark}`");
    let mut rows: Vec<String> = rows_of(page, section).into_iter().map(ToOwned::to_owned).collect();
    rows.retain(|row| !row.starts_with(key));
    rows.push(line);
    rows.sort();
    let (above, below) = page.split_once(&mark).unwrap_or((page, ""));
    let rest = below.trim_start_matches('\n').lines().skip_while(|line| line.starts_with('|'));
    let rest: String = rest.map(|line| format!("{line}\n")).collect();
    let rest = rest.trim_start_matches('\n');
    let gap = if rest.is_empty() { "" } else { "\n" };
    let table = rows.join("\n");
    format!(
        "{above}{mark}\n\n| what | tried | outcome |\n| --- | --- | --- |\n{table}\n{gap}{rest}"
    )
}

#[cfg(test)]
mod tests {
    use super::{is_owed, rows_of, with_row};

    #[test]
    fn in_ci_a_program_may_only_be_missing_on_purpose() {
        assert_eq!(is_owed("jq", "true", ""), cfg!(target_os = "linux"));
        assert!(!is_owed("jq", "true", "npm jq"));
        assert!(!is_owed("jq", "", ""));
    }

    #[test]
    fn a_row_is_put_in_order_or_replaced_and_the_rest_of_the_page_stays() {
        let page = "# Page\n\n<!-- rows: a -->\n\nText.\n\n<!-- rows: b -->\n";
        let row = |page: &str, what: &str, tried: usize| {
            with_row(page, "a", &super::key(what), format!("| {what} | {tried} | fine |"))
        };
        let page = row(&row(&row(page, "y", 1), "x", 2), "y", 3);
        assert_eq!(rows_of(&page, "a"), ["| x | 2 | fine |", "| y | 3 | fine |"]);
        assert_eq!(rows_of(&page, "b"), [""; 0]);
        assert_eq!(
            page,
            "# Page\n\n<!-- rows: a -->\n\n| what | tried | outcome |\n| --- | --- | --- |\n\
             | x | 2 | fine |\n| y | 3 | fine |\n\nText.\n\n<!-- rows: b -->\n"
        );
    }
}
