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
pub use history::{destination, push, KEPT, Move};
pub use inside::{InsideError, InsideFile, Root};
pub use stage::{stage, staged_path, StageError, StagedFile};
pub use transaction::{remove_leftovers, CommitError, Transaction};
pub use workspace::{Baseline, WorkspaceLayout};
