//! The floor: what no tool that reads a repository can go below.
//!
//! The same walk, the same ignore rules, the same threads and the same hash as the product.

use std::path::Path;

use clap::ValueEnum;
use portolan_workspace::{scan, GitEnvironment, Patterns, ScanSettings};
use portolan_types::{Notice, NoticeCode, RepoPath};
use portolan_vfs::{sha256, OsSystem, System};

use crate::Outcome;

/// What is done with each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Work {
    /// Read it and hash it: the floor of a cold run.
    Read,
    /// Ask the file system about it: the floor of a warm run.
    Stat,
}

/// Walks a folder and does the work.
pub(crate) fn run(work: Work, folder: &Path) -> Outcome<()> {
    let system = OsSystem;
    let settings = ScanSettings {
        root: system.real_path(folder)?,
        stan_path: RepoPath::new(".stan")?,
        includes: Patterns::default(),
        excludes: Patterns::default(),
        git: GitEnvironment::default(),
    };
    let found = scan(&system, &settings, &|file| {
        let done = match work {
            Work::Read => {
                system.read(&file.absolute).map(|bytes| u64::from(sha256(&bytes).as_bytes()[0]))
            }
            Work::Stat => system.stat(&file.absolute).map(|stat| stat.size),
        };
        done.map_err(|error| Notice::general(NoticeCode::ScanUnreadable, error.to_string()))
    });
    // What was computed must be used, or it might not be computed.
    let sum: u64 = found.files.iter().map(|(_, value)| value).sum();
    eprintln!("{} files, {sum}", found.files.len());
    Ok(())
}
