//! The errors of a run, with hints.

use std::io;
use std::time::Duration;

use portolan_archive::{Baseline, CommitError, InsideError, StageError};
use portolan_types::RepoPath;
use portolan_wire::problem::Problem;
use portolan_workspace::PatternError;

use super::closure::BadId;
use super::imports::ImportError;
use portolan_index::map::MapError;
use portolan_query::chart::ChartError;

/// The reason why a run failed. In any case, the archives, the staged files and the baselines are
/// unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An invalid pattern in the configuration.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Imports cannot be staged.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The map could not be built.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The chart could not be drawn.
    #[error(transparent)]
    Chart(ChartError),
    /// A folder or file of the workspace is not where it should be.
    #[error("`{path}` cannot be used: {error}")]
    Workspace {
        /// Its path.
        path: RepoPath,
        /// The reason.
        error: InsideError,
    },
    /// Another run holds the lock.
    #[error("another run{} is working in this repository: `{path}` was locked for {} s", by(*holder), waited.as_secs())]
    Locked {
        /// The lock.
        path: RepoPath,
        /// The process that holds it, if known.
        holder: Option<u32>,
        /// How long we waited.
        waited: Duration,
    },
    /// The state is invalid.
    #[error("`{path}` is not a state that can be followed:\n{}", lines(problems))]
    State {
        /// The state.
        path: RepoPath,
        /// All problems in it.
        problems: Vec<Problem>,
    },
    /// The state names forbidden ids.
    #[error("`{state}` names what cannot be selected:\n{}", ids.iter().map(bad_line).collect::<Vec<_>>().join("\n"))]
    BadIds {
        /// The state.
        state: RepoPath,
        /// The ids.
        ids: Vec<BadId>,
    },
    /// A baseline is unreadable.
    #[error("the {} baseline `{path}` cannot be read: {message}", baseline.name())]
    Snapshot {
        /// The baseline's file.
        path: RepoPath,
        /// The reason.
        message: String,
        /// The baseline.
        baseline: Baseline,
    },
    /// External files differ from the map.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Stage(Vec<StageError>),
    /// A file was edited while the archives were written.
    #[error("`{path}` changed while the archives were written; nothing was replaced")]
    Changed {
        /// Its path.
        path: RepoPath,
    },
    /// An `apply` was interrupted: some files are new, some are old.
    #[error("an `apply` was cut short: some of its files are changed, and some are not")]
    HalfApplied,
    /// The file system failed.
    #[error("cannot {action} `{path}`: {error}")]
    Io {
        /// The attempted action.
        action: &'static str,
        /// The path.
        path: RepoPath,
        /// The error.
        error: io::Error,
    },
    /// The outputs could not be replaced.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl From<ChartError> for RunError {
    fn from(error: ChartError) -> Self {
        match error {
            ChartError::Threads(error) => Self::Map(error),
            error => Self::Chart(error),
        }
    }
}

impl From<StageError> for RunError {
    fn from(error: StageError) -> Self {
        Self::Stage(vec![error])
    }
}

impl RunError {
    pub(crate) fn io(action: &'static str, path: &RepoPath, error: io::Error) -> Self {
        Self::Io { action, path: path.clone(), error }
    }

    /// An unusable folder or file of the workspace: because of its kind, or because the file system
    /// failed.
    pub(crate) fn workspace(path: &RepoPath, error: InsideError) -> Self {
        match error {
            InsideError::Io(error) => Self::io("use", path, error),
            error => Self::Workspace { path: path.clone(), error },
        }
    }

    /// Whether the user's input is at fault, not the machine.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::Pattern(_)
                | Self::Import(_)
                | Self::Chart(_)
                | Self::Workspace { .. }
                | Self::State { .. }
                | Self::BadIds { .. }
        )
    }

    /// Suggestions for the next step.
    pub fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::State { .. } => {
                "a state looks like { \"v\": 2, \"i\": [\"src/index.ts\"] }; `portolan prompt` has the rules"
            }
            Self::BadIds { .. } => {
                "take these ids out of the state; `portolan select` shows what a state selects"
            }
            Self::Snapshot { .. } => "`portolan snap` sets a new baseline; then run again",
            Self::Stage(errors)
                if errors.iter().any(|error| {
                    !matches!(error, StageError::Write { .. } | StageError::Sync { .. })
                }) =>
            {
                "a file changed after it was mapped: run again"
            }
            Self::Changed { .. } => "run again when nothing is being saved or built",
            Self::HalfApplied => "`portolan apply --undo` puts the files back; then run again",
            Self::Locked { .. } => "wait for it to end, then run again",
            Self::Workspace { .. } => {
                "a link may not lead out of the repository; `stanPath` in the configuration names the workspace"
            }
            Self::Chart(_) => "raise `meta.budget` in the configuration, or `--meta-budget`",
            Self::Map(MapError::Collision(_)) => {
                "two copies of one package file differ: reinstall the packages"
            }
            _ => return Vec::new(),
        };
        vec![hint.to_owned()]
    }
}

fn by(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |process| format!(" (process {process})"))
}

/// The most problems that are shown.
const SHOWN: usize = 20;

fn lines(problems: &[Problem]) -> String {
    let mut lines: Vec<_> =
        problems.iter().take(SHOWN).map(|problem| format!("  {problem}")).collect();
    if problems.len() > SHOWN {
        lines.push(format!("  … and {} more", problems.len() - SHOWN));
    }
    lines.join("\n")
}

fn bad_line(bad: &BadId) -> String {
    format!("  `{}`: {}", bad.id.escape_debug(), bad.reason)
}
