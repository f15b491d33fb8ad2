//! Packs of x07 projects: the diagnostics, the slice around the one in focus, and digests of the inputs.

mod assemble;
mod diagnostics;
mod manifest;
mod markdown;
mod verify;

pub use assemble::{PackError, PackInputs, PackModule, assemble, same_file};
pub use diagnostics::{
    Diagnostics, DiagnosticsError, FocusDiagnostic, PAYLOAD_VERSION, read_diagnostics,
};
pub use manifest::{Manifest, ManifestError, read_manifest};
pub use markdown::to_markdown;
pub use verify::{PackDifference, differences, request_of};
