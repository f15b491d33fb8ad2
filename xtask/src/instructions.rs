//! Guards against slow growth: counts the instructions of a cold run with valgrind.
//!
//! Unlike time, the count does not depend on the load of the machine. It depends on the compiler,
//! so the figure is recorded again when the toolchain changes. The profile `measured` is a release
//! build without link-time optimization, which takes longer than all tests.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::{ChoreResult, corpus, programs};

const MODULES: usize = 1_000;
/// The allowed growth, in percent.
const TOLERANCE: u64 = 10;

fn figure_path() -> PathBuf {
    programs::repository().join("xtask/instructions.txt")
}

/// The committed figure.
pub(crate) fn recorded() -> Option<u64> {
    fs::read_to_string(figure_path()).ok()?.trim().parse().ok()
}

/// Counts, and records or compares.
pub(crate) fn run(record: bool) -> ChoreResult<()> {
    if !programs::is_there("valgrind") {
        eprintln!("skipped: valgrind is not installed");
        return Ok(());
    }
    let counted = count()?;
    if record {
        fs::write(figure_path(), format!("{counted}\n"))?;
        eprintln!("recorded {counted} instructions");
        return Ok(());
    }
    let Some(known) = recorded() else {
        return Err("no figure to compare with: `cargo xtask instructions --record`".into());
    };
    eprintln!("{counted} instructions, {known} recorded");
    if counted > known + known * TOLERANCE / 100 {
        return Err(format!(
            "a cold run grew by over {TOLERANCE} %: find out why, or record the new figure with `cargo xtask instructions --record`"
        )
        .into());
    }
    Ok(())
}

fn count() -> ChoreResult<u64> {
    let binary = programs::portolan("measured")?;
    let folder = tempfile::tempdir()?;
    let repository = folder.path().join("corpus");
    corpus::write(&repository, MODULES, corpus::SEED)?;
    let counts = folder.path().join("counts");
    let status = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(binary)
        .args(["graph", "--view", "meta", "--threads", "1", "--no-cache"])
        .current_dir(&repository)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("the run under valgrind failed".into());
    }
    total(&fs::read_to_string(counts)?).ok_or_else(|| "valgrind gave no count".into())
}

/// The count in callgrind's file: `summary:` or `totals:`.
fn total(counts: &str) -> Option<u64> {
    let value = |line: &str| {
        let rest = line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: "))?;
        rest.split_whitespace().next()?.parse().ok()
    };
    counts.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_total_is_read() {
        assert_eq!(super::total("events: Ir\nfn=a\n1 2\nsummary: 1234\n"), Some(1234));
        assert_eq!(super::total("totals: 7 8\n"), Some(7));
        assert_eq!(super::total("nothing"), None);
    }
}
