//! Writes the tables of `docs/reliability.md`: each row comes from the test that it describes.
//!
//! A test ends with [`row`]. Normally the row must already be on the page; with `UPDATE_DOCS=1` it
//! is written. A test that cannot run on a machine says so ([`not_tried`]) and writes no row, so
//! the row of the last machine that could run it stays. Long runs have their own rows, which only
//! they write.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use portolan_vfs::{OsSystem, System};

/// One row at a time, because tests run in parallel.
static PAGE: Mutex<()> = Mutex::new(());

/// Records in `docs/reliability.md` what was tried, how often, and the outcome. `section` names the
/// table. `what` is the key of the row: a plain literal, so that a row can be traced to its test.
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

/// Prints, past the test runner's capture, why a test cannot run on this machine.
pub fn not_tried(reason: &str) {
    let _ = writeln!(std::io::stderr(), "not tried: {reason}");
}

/// Whether a program is installed, for a test that needs it.
#[track_caller]
pub fn is_installed(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        lacking(program);
    }
    is_there
}

/// Reports a missing program. In CI on Linux this fails: `.ci/run` installs the programs, so a
/// skipped test there would go unnoticed. `PORTOLAN_WITHOUT` lists the programs that a CI lacks on
/// purpose.
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

/// The keys of all rows of the page.
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

/// The line above a table.
fn mark(section: &str) -> String {
    format!("<!-- rows: {section} -->")
}

/// The rows of a table, without its header.
fn rows_of<'p>(page: &'p str, section: &str) -> Vec<&'p str> {
    let below = page.lines().skip_while(|line| *line != mark(section)).skip(1);
    let below = below.skip_while(|line| line.is_empty());
    below.take_while(|line| line.starts_with('|')).skip(2).collect()
}

/// The page with a row inserted in sorted order.
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
    fn in_ci_only_listed_programs_may_be_missing() {
        assert_eq!(is_owed("jq", "true", ""), cfg!(target_os = "linux"));
        assert!(!is_owed("jq", "true", "npm jq"));
        assert!(!is_owed("jq", "", ""));
    }

    #[test]
    fn a_row_is_inserted_in_order_or_replaced() {
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
