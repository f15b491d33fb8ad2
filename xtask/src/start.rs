//! Measures what a new user waits for: the size of the binary, and the first answers.
//!
//! The section goes between two marks of docs/benchmarks.md; the rest of the page stays unchanged.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::compress_to_vec;

use crate::programs::{self, Program, median};
use crate::{ChoreResult, corpus, report};

const BEGIN: &str = "<!-- start: written by `cargo xtask bench --start` -->\n";
const END: &str = "<!-- end of start -->\n";
const MODULES: usize = 1_000;

/// A question, and its name in the table.
struct StartQuestion {
    name: &'static str,
    program: Program,
}

/// Measures and writes.
pub(crate) fn run(runs: usize, page: &Path) -> ChoreResult<()> {
    let binary = programs::portolan("release")?;
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("corpus");
    corpus::write(&corpus, MODULES, corpus::SEED)?;
    let launcher = with_launcher(&binary, folder.path())?;
    let asked = questions(&binary, &launcher, &corpus);
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); asked.len()];
    for StartQuestion { program, .. } in &asked {
        // One round fills the page cache and ours.
        program.time()?;
    }
    for _ in 0..runs {
        for (StartQuestion { program, .. }, times) in asked.iter().zip(&mut samples) {
            times.push(program.time()?);
        }
    }
    let bytes = fs::read(&binary)?;
    let packed = compress_to_vec(&bytes, 9).len();
    let mut text = format!(
        "## The binary\n\n`cargo xtask bench --start` writes this section. The binary has {} bytes, {packed} compressed as in the npm package.\n{}\n\
         | process, on 1,000 modules | median of {runs}, ms |\n| --- | ---: |\n",
        bytes.len(),
        report::machine(),
    );
    for (StartQuestion { name, .. }, times) in asked.iter().zip(&samples) {
        let _ = writeln!(text, "| {name} | {:.1} |", median(times));
    }
    write_section(page, &text)
}

fn questions(binary: &Path, launcher: &Path, corpus: &Path) -> Vec<StartQuestion> {
    let ask = |arguments: &[&str]| Program::new(binary, corpus, arguments);
    let mut asked = vec![
        StartQuestion {
            name: "nothing (`true`)",
            program: Program::new(Path::new("true"), corpus, &[]),
        },
        StartQuestion { name: "`portolan --version`", program: ask(&["--version"]) },
        StartQuestion {
            name: "the first `chart`: no cache",
            program: ask(&["chart", "--no-cache"]),
        },
        StartQuestion { name: "the next `chart`", program: ask(&["chart"]) },
        StartQuestion {
            name: "`chart --task`, with the cache",
            program: ask(&["chart", "--task", "retry"]),
        },
    ];
    if programs::is_there("node") {
        let arguments = [launcher.to_string_lossy().into_owned(), "--version".to_owned()];
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let program = Program::new(Path::new("node"), corpus, &arguments);
        asked.push(StartQuestion { name: "`portolan --version` through npm's launcher", program });
    }
    asked
}

/// The launcher as npm installs it, with the binary next to it.
fn with_launcher(binary: &Path, folder: &Path) -> ChoreResult<PathBuf> {
    let (os, cpu) = match std::env::consts::ARCH {
        "aarch64" => ("linux", "arm64"),
        _ => ("linux", "x64"),
    };
    let platform = format!("@portolan/{os}-{cpu}-gnu");
    let modules = folder.join("node_modules");
    let (main, native) = (modules.join("portolan"), modules.join(&platform));
    fs::create_dir_all(main.join("bin"))?;
    fs::create_dir_all(native.join("bin"))?;
    fs::copy(binary, native.join("bin/portolan"))?;
    let launcher = main.join("bin/portolan.cjs");
    fs::write(&launcher, crate::package::LAUNCHER)?;
    let manifest = serde_json::json!({ "name": "portolan", "version": "0.0.0", "optionalDependencies": { platform: "0.0.0" } });
    fs::write(main.join("package.json"), manifest.to_string())?;
    Ok(launcher)
}

/// Replaces the section between its marks, or appends it if there are none.
fn write_section(page: &Path, section: &str) -> ChoreResult<()> {
    let before = fs::read_to_string(page)?;
    let after = with_section(&before, section);
    fs::write(page, after)?;
    eprintln!("wrote {}", page.display());
    Ok(())
}

fn with_section(page: &str, section: &str) -> String {
    let parts =
        page.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    match parts {
        Some((head, tail)) => format!("{head}{BEGIN}{section}{END}{tail}"),
        None => format!("{}\n\n{BEGIN}{section}{END}", page.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn a_section_replaces_the_previous_one() {
        let once = with_section("# Page\n", "one\n");
        assert!(once.starts_with("# Page\n\n<!-- start"), "{once}");
        let twice = with_section(&format!("{once}\nbehind\n"), "two\n");
        assert!(twice.contains("\ntwo\n") && !twice.contains("one"), "{twice}");
        assert!(twice.ends_with("\nbehind\n"), "{twice}");
    }
}
