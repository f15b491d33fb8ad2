//! The two figures of the guard: how many made-up secrets it catches, and how many files of real
//! repositories it denies. Lists every miss and every denial, so that a person can judge them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use portolan_chat::run::{RunMode, RunRequest, run as plan};
use portolan_index::map::CacheMode;
use portolan_testkit::secrets::{
    Planted, corpus, held_out, held_out_forms, held_out_languages, held_out_still, later,
};
use portolan_types::RepoPath;
use portolan_vfs::OsSystem;
use portolan_workspace::config;

use crate::ChoreResult;

/// The arguments of `cargo xtask secrets`.
#[derive(Args)]
pub(crate) struct SecretsArgs {
    /// Repositories in which nothing, or only known files, should be denied (can be repeated)
    repositories: Vec<PathBuf>,
    /// A rule file of gitleaks: lists the names of rules that our list does not have
    #[arg(long, value_name = "FILE")]
    gitleaks: Option<PathBuf>,
}

/// The names of gitleaks' rules, and which of our rules finds the same.
const COVERED: &str = include_str!("../../crates/portolan-guard/data/gitleaks.txt");

/// Runs the guard and prints the results.
#[expect(clippy::print_stdout, reason = "printing the figures is its purpose")]
pub(crate) fn run(args: &SecretsArgs) -> ChoreResult<()> {
    if let Some(file) = &args.gitleaks {
        let text = std::fs::read_to_string(file)?;
        let names = text.lines().filter_map(|line| line.trim().strip_prefix("id = \""));
        let names = names.filter_map(|name| name.strip_suffix('"'));
        let is_known =
            |name: &str| COVERED.lines().any(|line| line.split(' ').next() == Some(name));
        let missing: Vec<&str> = names.filter(|name| !is_known(name)).collect();
        println!("{} rules that the list does not have {missing:?}", missing.len());
    }
    try_on("made-up secrets", &corpus());
    try_on("made up after the rules", &later());
    try_on("held out, then mended for", &held_out());
    try_on("held out", &held_out_still());
    try_on("in forms that people commit", &held_out_forms());
    try_on("in many languages", &held_out_languages());
    let mut denied = 0;
    for repository in &args.repositories {
        let request = RunRequest {
            config: config::load(&OsSystem, repository)?,
            mode: RunMode::Plain,
            subpackages: true,
            plan_only: true,
            document: None,
            threads: 0,
            cache: CacheMode::Off,
            wait: Duration::ZERO,
        };
        let clock = Instant::now();
        let report = plan(&OsSystem, &request, &|_| ())?.report;
        let secrets = report.denied.iter().filter(|denial| denial.rule == "secret");
        let secrets: Vec<_> = secrets.collect();
        for denial in &secrets {
            println!("denied: {}: {}", denial.path, denial.reason);
        }
        denied += secrets.len();
        let name = repository.file_name().unwrap_or_default().to_string_lossy();
        println!(
            "{name}: {} of {} files denied ({:.1?})",
            secrets.len(),
            report.archive.files,
            clock.elapsed()
        );
    }
    println!("denied {denied} files of {} repositories", args.repositories.len());
    Ok(())
}

/// Prints the missed secrets of a set, and how many are caught.
#[expect(clippy::print_stdout, reason = "printing the figures is its purpose")]
fn try_on(what: &str, planted: &[Planted]) {
    let is_missed = |file: &&Planted| {
        let path = RepoPath::new(file.path.as_str());
        !path.is_ok_and(|path| portolan_guard::detect(&path, &file.bytes).is_some())
    };
    let missed: Vec<_> = planted.iter().filter(is_missed).collect();
    for file in &missed {
        println!("missed: {} in {}", file.what, file.path);
    }
    println!("caught {} of {} {what}", planted.len() - missed.len(), planted.len());
}
