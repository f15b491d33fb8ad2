//! Packs: one artifact that a failing project can be repaired from.
//!
//! The diagnostics, the slice around the one in focus, and digests that say what it was made of.
//! Pure: bytes in, a pack out. Which files those bytes come from, and whether they may be read, is
//! the business of the engine.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod assemble;
pub mod changes;
pub mod context;
mod diagnostics;
pub mod focus;
mod manifest;
mod markdown;
pub mod places;
pub mod readers;
mod verify;

pub use assemble::{assemble, same_file, Module, PackError, Parts};
pub use diagnostics::{read_diagnostics, Diagnostics, DiagnosticsError, Focus, PAYLOAD_VERSION};
pub use manifest::{read_manifest, Manifest, ManifestError};
pub use markdown::to_markdown;
pub use verify::{differences, request_of, Change};
