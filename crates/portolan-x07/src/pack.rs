//! Packs of x07 projects: the diagnostics, the slice around the one in focus, and digests of the inputs.

mod assemble;
mod diagnostics;
mod manifest;
mod markdown;
mod verify;

pub use assemble::{assemble, same_file, Module, PackError, Parts};
pub use diagnostics::{read_diagnostics, Diagnostics, DiagnosticsError, Focus, PAYLOAD_VERSION};
pub use manifest::{read_manifest, Manifest, ManifestError};
pub use markdown::to_markdown;
pub use verify::{differences, request_of, Change};
