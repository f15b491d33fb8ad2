//! The Territory: from a list of files to verified, reproducible archives.
//!
//! What is selected is decided elsewhere. Here live the workspace's layout and what of it is
//! reserved, the guard against secrets, staging, snapshots, tar, and the one step in which all
//! outputs of a run are put in place.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod classify;
pub mod secrets;
pub mod tar;
