//! The floor: the least work of any tool that reads a repository.
//!
//! It uses the same walk, the same ignore rules, the same threads and the same hash as the product.

use std::path::Path;

use clap::ValueEnum;
use portolan_guard::Guard;
use portolan_types::{Notice, NoticeCode, RepoPath};
use portolan_vfs::{OsSystem, System, sha256};
use portolan_workspace::{GitEnvironment, Patterns, ScanSettings, scan};

use crate::ChoreResult;

/// The work per file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloorWork {
    /// Read it and hash it: the floor of a cold run.
    Read,
    /// Stat it: the floor of a warm run.
    Stat,
}

/// Walks a folder and does the work.
pub(crate) fn run(work: FloorWork, folder: &Path) -> ChoreResult<()> {
    let system = OsSystem;
    let settings = ScanSettings {
        root: system.real_path(folder)?,
        stan_path: RepoPath::new(".stan")?,
        includes: Patterns::default(),
        excludes: Patterns::default(),
        git: GitEnvironment::default(),
        only: Vec::new(),
        guard: Guard::default(),
    };
    let found = scan(&system, &settings, &|file| {
        let done = match work {
            FloorWork::Read => {
                system.read(&file.absolute).map(|bytes| u64::from(sha256(&bytes).as_bytes()[0]))
            }
            FloorWork::Stat => system.stat(&file.absolute).map(|stat| stat.size),
        };
        done.map_err(|error| Notice::general(NoticeCode::ScanUnreadable, error.to_string()))
    });
    // The result must be used, or the compiler might remove the work.
    let sum: u64 = found.files.iter().map(|(_, value)| value).sum();
    eprintln!("{} files, {sum}", found.files.len());
    Ok(())
}
