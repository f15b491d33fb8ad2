//! Checks a pack against the files that it was built from.

use std::path::PathBuf;

use portolan_types::{Remedy, RepoPath};
use portolan_vfs::System;
use portolan_wire::context::{CONTEXT_VERSION, WrittenContextV2};
use portolan_wire::pack::{PACK_VERSION, PackRecipe};
use portolan_wire::slice::FileDigest;
use portolan_x07::pack::PackDifference as Change;
use portolan_x07::pack::PackModule as Module;
use portolan_x07::pack::{Diagnostics, assemble, differences, read_diagnostics, request_of};
use serde_json::Value;

use super::project::Project;
use super::{AgentError, Sources};
use crate::ast::{Source, digest_of};
use crate::pack::Check;
use portolan_workspace::config::{GitEnvironment, LoadRequest};

/// A request to check a pack.
#[derive(Clone, Debug)]
pub struct AgentVerifyRequest {
    /// The folder that relative paths are relative to.
    pub directory: PathBuf,
    /// The repository, for a pack of a real language.
    pub load: LoadRequest,
    /// The user's git environment.
    pub git: GitEnvironment,
    /// The path of the pack, for messages.
    pub pack: String,
    /// Its bytes.
    pub source: Source,
    /// The manifest or its folder; otherwise the name in the pack is looked up.
    pub project: Option<PathBuf>,
    /// The diagnostics, if they are not at the path in the pack.
    pub diag: Option<PathBuf>,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentVerifyReport {
    /// The files that were checked.
    pub checked: Vec<String>,
    /// Inputs that cannot be read again, and why. The pack may be valid, but it cannot be verified.
    pub unverifiable: Vec<Change>,
    /// Differences from the pack. If this is empty, the pack can be trusted.
    pub changes: Vec<Change>,
}

/// Checks a pack: the digests of its files, and that the files still give the same pack.
pub fn verify_pack(
    system: &dyn System,
    request: &AgentVerifyRequest,
) -> Result<AgentVerifyReport, AgentError> {
    let bytes = request
        .source
        .read(system)
        .map_err(|error| AgentError::new(format!("read pack: {}: {error}", request.pack)))?;
    if let Some(pack) = read_context(&bytes) {
        // As below, a text with duplicate keys is not trusted.
        return match serde_json::from_slice::<Value>(&bytes) {
            Ok(value) if is_canonical(&bytes, &value) => {
                verify_context(system, request, &pack, &value)
            }
            _ => Ok(not_canonical()),
        };
    }
    let (pack, recipe) = read_pack(&bytes).map_err(|error| {
        AgentError::new(format!("{}: {error}", request.pack))
            .remedy(Remedy::plain("see `portolan schema pack`"))
    })?;
    let [diag, manifest, ..] = &recipe.digests.inputs[..] else {
        return Err(AgentError::new(format!("{}: digests.inputs lacks files", request.pack)));
    };
    let name = PathBuf::from(&manifest.path);
    let project =
        Project::find(system, &request.directory, request.project.as_ref().unwrap_or(&name))?;
    if !is_canonical(&bytes, &pack) {
        return Ok(not_canonical());
    }
    let mut report = AgentVerifyReport::default();
    let (diag_digest, diagnostics) = match diagnostics(system, request, &project, diag) {
        Ok(Some(found)) => found,
        Ok(None) => {
            let why =
                "is not in the project's folder; it can be checked only where it is given again";
            report.unverifiable.push(Change::new(diag.path.clone(), why));
            digests_only(system, &project, &recipe.digests.inputs[1..], &mut report);
            return Ok(report);
        }
        Err(change) => {
            report.changes.push(change);
            return Ok(report);
        }
    };
    match rebuild(system, project, &recipe, diag_digest, diagnostics) {
        Ok((today, inputs)) => {
            report.checked = inputs.iter().map(|input| input.path.clone()).collect();
            report.changes = differences(&pack, &recipe, &today, &inputs);
        }
        Err(error) => report.changes.push(Change::new("pack", error.message)),
    }
    Ok(report)
}

/// Reads a pack of a real language; `None` if it is something else.
fn read_context(bytes: &[u8]) -> Option<WrittenContextV2> {
    let pack: WrittenContextV2 = serde_json::from_slice(bytes).ok()?;
    (pack.schema_version == CONTEXT_VERSION).then_some(pack)
}

fn verify_context(
    system: &dyn System,
    request: &AgentVerifyRequest,
    pack: &WrittenContextV2,
    written: &Value,
) -> Result<AgentVerifyReport, AgentError> {
    let mut load = request.load.clone();
    if let Some(project) = &request.project {
        load.start = request.directory.join(project);
    }
    let mut config = portolan_workspace::config::load_with(system, &load)
        .map_err(|error| AgentError::new(error.to_string()))?;
    config.git.clone_from(&request.git);
    let diag = match &request.diag {
        Some(_) if pack.asked.is_some() => {
            let message =
                "the pack was made for a question and has no diagnostics; leave `--diag` out";
            return Err(AgentError::new(message.to_owned()));
        }
        Some(path) => {
            Some(system.read_named(&request.directory.join(path)).map_err(|error| {
                AgentError::new(format!("read diag: {}: {error}", path.display()))
            })?)
        }
        None => None,
    };
    let place = match &request.source {
        Source::File(path) => system.real_path(path).ok(),
        Source::Bytes(_) => None,
    };
    let directory = load.start;
    Ok(crate::pack::verify(system, Check { config, directory, place, pack, written, diag }))
}

fn read_pack(bytes: &[u8]) -> Result<(Value, PackRecipe), String> {
    let pack: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let recipe: PackRecipe =
        serde_json::from_value(pack.clone()).map_err(|error| error.to_string())?;
    if recipe.schema_version == PACK_VERSION {
        Ok((pack, recipe))
    } else {
        Err(format!("unsupported schema_version: {:?}", recipe.schema_version))
    }
}

/// The report for a text that is not canonical: it may have duplicate keys, and readers differ on
/// which one counts.
fn not_canonical() -> AgentVerifyReport {
    let how = "is not the canonical text of a pack: a key may stand in it twice";
    AgentVerifyReport { changes: vec![Change::new("pack", how)], ..AgentVerifyReport::default() }
}

/// Whether a text is the canonical form of a pack.
fn is_canonical(bytes: &[u8], pack: &Value) -> bool {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    text == portolan_wire::canonical::to_vec(pack)
}

/// The diagnostics of a pack, from their file; `None` if it is not available.
fn diagnostics(
    system: &dyn System,
    request: &AgentVerifyRequest,
    project: &Project,
    recorded: &FileDigest,
) -> Result<Option<(FileDigest, Diagnostics)>, Change> {
    let bytes = match (&request.diag, RepoPath::from_untrusted(&recorded.path)) {
        (Some(path), _) => {
            system.read(&request.directory.join(path)).map_err(|error| error.to_string())
        }
        (None, Ok(path)) if recorded.path != "-" => project
            .load(system, path.as_str(), "diag")
            .map(|file| file.bytes)
            .map_err(|error| error.message),
        _ => return Ok(None),
    };
    let bytes = bytes.map_err(|error| Change::new(recorded.path.clone(), error))?;
    let digest = digest_of(&recorded.path, &bytes);
    let diagnostics = read_diagnostics(&bytes)
        .map_err(|error| Change::new(recorded.path.clone(), error.message))?;
    Ok(Some((digest, diagnostics)))
}

/// Checks only the digests of readable files, if the pack cannot be built again.
fn digests_only(
    system: &dyn System,
    project: &Project,
    inputs: &[FileDigest],
    report: &mut AgentVerifyReport,
) {
    for then in inputs {
        match project.load(system, &then.path, "input") {
            Ok(file) if digest_of(&then.path, &file.bytes).sha256 == then.sha256 => {
                report.checked.push(then.path.clone());
            }
            Ok(_) => report.changes.push(Change::new(then.path.clone(), "has other bytes today")),
            Err(error) => report.changes.push(Change::new(then.path.clone(), error.message)),
        }
    }
}

/// Builds the pack again.
fn rebuild(
    system: &dyn System,
    project: Project,
    recipe: &PackRecipe,
    diag: FileDigest,
    diagnostics: Diagnostics,
) -> Result<(Value, Vec<FileDigest>), AgentError> {
    let request =
        request_of(recipe).ok_or_else(|| AgentError::new("ast.slice_meta is not of a slice"))?;
    let follow_file = recipe.ast.source_path != recipe.project.entry;
    let sources = Sources::load(system, project, &diagnostics, follow_file)?;
    let parts = sources.parts(diag, diagnostics);
    let mut document = portolan_x07::read(&sources.module().bytes)
        .map_err(|error| AgentError::new(format!("{}: {error}", sources.module().path)))?;
    let mut module = Module { path: &sources.module().path, document: &mut document };
    let (today, _) = assemble(&parts, &mut module, &request)
        .map_err(|error| AgentError::new(error.error.to_string()))?;
    let today = serde_json::from_slice(&today.to_canonical())
        .map_err(|error| AgentError::new(error.to_string()))?;
    Ok((today, parts.inputs))
}
