//! Packs of x07 projects: the diagnostics, the slice around the one in focus, and digests of the inputs.

mod assemble;
mod diagnostics;
mod manifest;
mod markdown;
mod verify;

pub use assemble::{assemble, same_file, PackError, PackInputs, PackModule};
pub use diagnostics::{
    Diagnostics, DiagnosticsError, FocusDiagnostic, PAYLOAD_VERSION, read_diagnostics,
};
pub use manifest::{read_manifest, Manifest, ManifestError};
pub use markdown::to_markdown;
pub use verify::{differences, request_of, PackDifference};
