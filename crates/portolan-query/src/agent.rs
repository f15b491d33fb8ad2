//! Implements `agent context` and `agent verify`: builds packs from diagnostics and a project, and
//! checks them.
//!
//! Each file is read once, so its digest and its content always match.

mod budget;
mod project;
mod verify;

use std::path::PathBuf;

use portolan_types::{Input, Remedy};
use portolan_vfs::System;
use portolan_wire::pack::{Pack, Toolchain};
use portolan_wire::slice::{Diagnostic, FileDigest};
use portolan_x07::pack::PackInputs as Parts;
use portolan_x07::pack::PackModule as Module;
use portolan_x07::pack::{Diagnostics, DiagnosticsError, assemble, read_diagnostics, same_file};
use portolan_x07::{SliceError, SliceRequest};
use thiserror::Error;

use crate::ast::{Source, digest_of};
pub use portolan_x07::pack::PackDifference as Change;
pub use portolan_x07::pack::to_markdown;
use project::{LoadedFile, Project};
pub use verify::{AgentVerifyReport, AgentVerifyRequest, verify_pack};

/// A request for a pack.
#[derive(Clone, Debug)]
pub struct AgentContextRequest {
    /// The folder that relative paths are relative to.
    pub directory: PathBuf,
    /// The path of the diagnostics, for messages.
    pub diag: String,
    /// Their bytes.
    pub diag_source: Source,
    /// The manifest, or a folder with one. A relative path is also looked up in parent folders.
    pub project: PathBuf,
    /// The slice. Its pointer is replaced by that of the diagnostic in focus.
    pub slice: SliceRequest,
    /// Whether to slice the module that the diagnostic in focus names, if that is not the entry.
    pub follow_file: bool,
    /// The token budget of the whole pack.
    pub budget: Option<u64>,
}

/// The result.
#[derive(Clone, Debug)]
pub struct AgentContextReport {
    /// The pack.
    pub pack: Pack,
    /// Notices about what the budget cut.
    pub diagnostics: Vec<Diagnostic>,
    /// Its tokens, if there is a budget.
    pub tokens: Option<u64>,
}

/// The reason why there is no pack.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct AgentError {
    /// The message.
    pub message: String,
    /// What to do about it.
    pub remedy: Option<Remedy>,
}

impl AgentError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: None }
    }

    fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }
}

/// Whether diagnostics come from an x07 tool.
pub fn is_x07(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: String,
    }
    serde_json::from_slice::<Version>(bytes).is_ok_and(|it| it.schema_version.starts_with("x07."))
}

/// Builds a pack.
pub fn build_pack(
    system: &dyn System,
    request: &AgentContextRequest,
) -> Result<AgentContextReport, AgentError> {
    let diag_bytes = request
        .diag_source
        .read(system)
        .map_err(|error| AgentError::new(format!("read diag: {}: {error}", request.diag)))?;
    let diagnostics =
        read_diagnostics(&diag_bytes).map_err(|error| diagnostics_error(&request.diag, &error))?;
    let project = Project::find(system, &request.directory, &request.project)?;
    let diag_path = match &request.diag_source {
        Source::File(path) => project.relative(system, path)?,
        Source::Bytes(_) => request.diag.clone(),
    };
    let sources = Sources::load(system, project, &diagnostics, request.follow_file)?;
    let parts = sources.parts(digest_of(&diag_path, &diag_bytes), diagnostics);
    let mut document = portolan_x07::read(&sources.module().bytes).map_err(|error| {
        AgentError::new(format!(
            "parse {} x07ast: {}: {error}",
            sources.noun(),
            sources.module().shown
        ))
    })?;
    let mut module = Module { path: &sources.module().path, document: &mut document };
    let mut build = |slice: &SliceRequest| {
        assemble(&parts, &mut module, slice).map_err(|error| {
            let message = format!("slice {} at {:?}: {}", sources.noun(), error.ptr, error.error);
            (AgentError::new(message).remedy(error.error.remedy()), error.error)
        })
    };
    match request.budget {
        None => {
            let (pack, diagnostics) = build(&request.slice).map_err(|(error, _)| error)?;
            Ok(AgentContextReport { pack, diagnostics, tokens: None })
        }
        Some(budget) => budget::fit(&request.slice, budget, &mut build),
    }
}

/// Tries a request. Its error has one part for messages and one for decisions.
type Build<'b> =
    dyn FnMut(&SliceRequest) -> Result<(Pack, Vec<Diagnostic>), (AgentError, SliceError)> + 'b;

fn diagnostics_error(shown: &str, error: &DiagnosticsError) -> AgentError {
    let message = if error.is_json_error {
        format!("parse diag JSON: {shown}: {}", error.message)
    } else {
        error.message.clone()
    };
    AgentError::new(message).remedy(Remedy::plain(error.hint))
}

/// The files of a project that a pack is built from.
struct Sources {
    project: Project,
    entry: LoadedFile,
    /// The module in focus, if it is not the entry.
    followed: Option<LoadedFile>,
}

impl Sources {
    fn load(
        system: &dyn System,
        project: Project,
        diagnostics: &Diagnostics,
        follow_file: bool,
    ) -> Result<Self, AgentError> {
        let entry_path = project.manifest.entry.clone();
        let other = diagnostics
            .focus
            .file
            .as_deref()
            .map(|file| project.strip_root(file))
            .filter(|file| !same_file(file, &entry_path));
        let followed = match other {
            None => None,
            Some(file) if follow_file => Some(project.load(system, &file, "module")?),
            Some(file) => {
                let message = format!(
                    "the focus diagnostic is about {file:?}, not about the entry {entry_path:?}"
                );
                let remedy = Remedy::give(Input::FollowFile, "to slice that module");
                return Err(AgentError::new(message).remedy(remedy));
            }
        };
        let entry = project.load(system, &entry_path, "entry")?;
        Ok(Self { project, entry, followed })
    }

    /// The module to slice.
    fn module(&self) -> &LoadedFile {
        self.followed.as_ref().unwrap_or(&self.entry)
    }

    fn noun(&self) -> &'static str {
        if self.followed.is_some() { "module" } else { "entry" }
    }

    fn parts(&self, diag: FileDigest, diagnostics: Diagnostics) -> Parts {
        let files = [Some(&self.project.file), Some(&self.entry), self.followed.as_ref()];
        let digests = files.into_iter().flatten().map(|file| digest_of(&file.path, &file.bytes));
        Parts {
            toolchain: Toolchain {
                name: "portolan".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            manifest: self.project.manifest.clone(),
            diagnostics,
            inputs: std::iter::once(diag).chain(digests).collect(),
        }
    }
}
