//! Writes verified, reproducible archives from a list of files.
//!
//! Other crates decide what is selected. This one has the workspace's layout and its reserved paths,
//! staging, snapshots, tar, and the transaction that puts all outputs of a run in place.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod changes;
mod changeset;
pub mod classify;
mod history;
mod inside;
mod stage;
pub mod tar;
mod transaction;
mod workspace;

pub use changes::compare;
pub use changeset::{Changeset, ChangesetError, FileEdit, JournaledChanges, NewContent, Recovery};
pub use history::{KEPT, Move, destination, push};
pub use inside::{InsideError, InsideFile, Root};
pub use stage::{StageError, StagedFile, stage, staged_path};
pub use transaction::{CommitError, Transaction, remove_leftovers};
pub use workspace::{Baseline, WorkspaceLayout};
