//! Measures how fast the map of a repository is built, next to the floor and to the fastest tools
//! of its language. All programs take turns in every round, so that all share the same machine
//! load.
//!
//! The figure is processor time as `perf` reports it, or wall time if there is no `perf`. Other
//! tools run if a variable names them: `RUFF_BIN` (`analyze graph`), `GO_BIN` (`list -deps`).
//! `jdeps` reads class files, not sources, so it cannot be compared on a repository that is not
//! built.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ChoreResult;
use crate::programs::{self, Program, median};

/// The arguments of `cargo xtask language-bench`.
#[derive(Args)]
pub(crate) struct LanguageBenchArgs {
    /// The clones; they are not written to
    #[arg(required = true)]
    roots: Vec<PathBuf>,
    /// How often each program runs
    #[arg(long, default_value_t = 10)]
    runs: usize,
}

pub(crate) fn run(args: &LanguageBenchArgs) -> ChoreResult<()> {
    let portolan = programs::portolan("measured")?;
    eprintln!("| repository | floor, ms | cold, ms | cold / floor | peer, ms | cold / peer |");
    eprintln!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for root in &args.roots {
        eprintln!("{}", row(&portolan, root, args.runs)?);
    }
    Ok(())
}

fn row(portolan: &Path, root: &Path, runs: usize) -> ChoreResult<String> {
    let floor = Program::new(&env::current_exe()?, root, &["floor", "read", "."]);
    let cold = Program::new(portolan, root, &["graph", "--view", "meta", "--no-cache"]);
    let peer = peer(root);
    let mut programs = vec![floor, cold];
    programs.extend(peer);
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); programs.len()];
    // The first round fills the page cache.
    for round in 0..=runs {
        for (program, times) in programs.iter().zip(&mut samples) {
            let time = match program.processor_time() {
                Some(time) => time,
                None => program.time()?,
            };
            if round > 0 {
                times.push(time);
            }
        }
    }
    let medians: Vec<f64> = samples.iter().map(|times| median(times)).collect();
    let (floor, cold) = (medians.first().copied(), medians.get(1).copied());
    let ratio = |over: Option<f64>| match (cold, over) {
        (Some(cold), Some(over)) => format!("{:.2}", cold / over),
        _ => "–".to_owned(),
    };
    let shown = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.1}"));
    let peer = medians.get(2).copied();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "| {name} | {} | {} | {} | {} | {} |",
        shown(floor),
        shown(cold),
        ratio(floor),
        shown(peer),
        ratio(peer)
    ))
}

/// The fastest tool for the repository's language, if it is installed.
fn peer(root: &Path) -> Option<Program> {
    let is_go = root.join("go.mod").is_file();
    let is_python = ["pyproject.toml", "setup.py"].iter().any(|name| root.join(name).is_file());
    let (variable, arguments): (&str, &[&str]) = match (is_go, is_python) {
        (true, _) => ("GO_BIN", &["list", "-e", "-deps", "./..."]),
        (false, true) => ("RUFF_BIN", &["analyze", "graph", "--preview"]),
        (false, false) => return None,
    };
    Some(Program::new(Path::new(&env::var_os(variable)?), root, arguments))
}
