//! The Territory: from a list of files to verified, reproducible archives.
//!
//! What is selected is decided elsewhere. Here live the workspace's layout and what of it is
//! reserved, staging, snapshots, tar, and the one step in which all
//! outputs of a run are put in place.
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
pub use changeset::{Changeset, ChangesetError, Content, Edit, Journaled, Recovery};
pub use history::{KEPT, Move, destination, push};
pub use inside::{Found, InsideError, Root};
pub use stage::{StageError, StagedFile, stage, staged_path};
pub use transaction::{CommitError, Transaction, remove_leftovers};
pub use workspace::{Baseline, Workspace};
