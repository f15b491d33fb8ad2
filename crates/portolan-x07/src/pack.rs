//! Packs: one artifact that holds what is needed to repair a failing project.
//!
//! A pack holds the diagnostics, the slice of code around the focused one, and the digests of its
//! inputs.
//! This crate is pure: bytes in, a pack out. The engine decides which files to read and whether it
//! may read them.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod assemble;
pub mod context;
mod diagnostics;
pub mod focus;
pub mod line_diff;
pub mod locations;
mod manifest;
mod markdown;
pub mod readers;
mod verify;

pub use assemble::{assemble, same_file, PackError, PackInputs, PackModule};
pub use diagnostics::{
    Diagnostics, DiagnosticsError, FocusDiagnostic, PAYLOAD_VERSION, read_diagnostics,
};
pub use manifest::{read_manifest, Manifest, ManifestError};
pub use markdown::to_markdown;
pub use verify::{differences, request_of, PackDifference};
