//! Implements `ast slice`: takes an x07AST file and a request, and gives a report and optionally a
//! file.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::Remedy;
use portolan_vfs::{System, sha256};
use portolan_wire::slice::{Diagnostic, Digests, FileDigest, SliceReport};
pub use portolan_x07::{Closure, Enclosure, SliceRequest};
use portolan_x07::{SliceError, failed_meta, read, slice};
use thiserror::Error;

/// The source of an input.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Bytes that the caller has read, for example from stdin.
    Bytes(Vec<u8>),
}

impl Source {
    /// Reads the bytes, once.
    pub(crate) fn read(&self, system: &dyn System) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path) => system.read_named(path),
            Self::Bytes(bytes) => Ok(bytes.clone()),
        }
    }
}

/// An output file.
#[derive(Clone, Debug)]
pub struct OutFile {
    /// Its path as given.
    pub shown: String,
    /// Its path.
    pub path: PathBuf,
}

impl OutFile {
    /// Whether it means stdout.
    pub(crate) fn is_stdout(&self) -> bool {
        self.shown == "-"
    }
}

/// A request for a slice.
#[derive(Clone, Debug)]
pub struct AstSliceRequest {
    /// The name of the input in the report.
    pub input: String,
    /// Its bytes.
    pub source: Source,
    /// The slice.
    pub slice: SliceRequest,
    /// The output file.
    pub out: Option<OutFile>,
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AstSliceStatus {
    /// There is a slice.
    Done,
    /// The input is unreadable, or not an x07AST document.
    BadInput,
    /// The document has no such slice.
    Refused,
}

/// The result.
#[derive(Clone, Debug)]
pub struct AstSliceReport {
    /// The published report.
    pub report: SliceReport,
    /// The outcome.
    pub status: AstSliceStatus,
    /// The error of the operating system, if the input is unreadable.
    pub unreadable: Option<String>,
    /// How to resolve a refusal.
    pub remedy: Option<Remedy>,
}

/// A file could not be written.
#[derive(Debug, Error)]
#[error("write: {path}: {source}")]
pub struct WriteError {
    /// Its path as given.
    pub path: String,
    /// The reason.
    pub source: io::Error,
}

/// Slices a file. There is always a report, unless the output cannot be written.
pub fn slice_file(
    system: &dyn System,
    request: &AstSliceRequest,
) -> Result<AstSliceReport, WriteError> {
    if request.out.as_ref().is_some_and(OutFile::is_stdout) {
        let message = "--out '-' is not supported (stdout is reserved for the report)";
        let digests = Digests::default();
        return Ok(failed(request, digests, AstSliceStatus::Refused, message.into()));
    }
    let bytes = match request.source.read(system) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = error.to_string();
            let report = failed(request, Digests::default(), AstSliceStatus::BadInput, message);
            return Ok(AstSliceReport { unreadable: Some(error.to_string()), ..report });
        }
    };
    let mut digests =
        Digests { inputs: vec![digest_of(&request.input, &bytes)], outputs: Vec::new() };
    let mut document = match read(&bytes) {
        Ok(document) => document,
        Err(error) => {
            return Ok(failed(request, digests, AstSliceStatus::BadInput, error.to_string()));
        }
    };
    let mut slice = match slice(&mut document, &request.slice) {
        Ok(slice) => slice,
        Err(error) => {
            let remedy = matches!(error, SliceError::BoundTooSmall { .. }).then(|| error.remedy());
            let report = failed(request, digests, AstSliceStatus::Refused, error.to_string());
            return Ok(AstSliceReport { remedy, ..report });
        }
    };
    let slice_ast = match &request.out {
        None => Some(slice.ast),
        Some(out) => {
            slice.ast.push(b'\n');
            write_out(system, out, &slice.ast)?;
            digests.outputs.push(digest_of(&out.shown, &slice.ast));
            None
        }
    };
    let report = SliceReport {
        ok: true,
        input: request.input.clone(),
        out: request.out.as_ref().map(|out| out.shown.clone()),
        slice_ast,
        slice_meta: slice.meta,
        diagnostics: slice.diagnostics,
        digests,
    };
    Ok(AstSliceReport { report, status: AstSliceStatus::Done, unreadable: None, remedy: None })
}

fn failed(
    request: &AstSliceRequest,
    digests: Digests,
    status: AstSliceStatus,
    message: String,
) -> AstSliceReport {
    let report = SliceReport {
        ok: false,
        input: request.input.clone(),
        out: request.out.as_ref().map(|out| out.shown.clone()),
        slice_ast: None,
        slice_meta: failed_meta(&request.slice),
        diagnostics: vec![Diagnostic::failed(message)],
        digests,
    };
    AstSliceReport { report, status, unreadable: None, remedy: None }
}

/// The digest of a file.
pub(crate) fn digest_of(path: &str, bytes: &[u8]) -> FileDigest {
    FileDigest {
        path: path.to_owned(),
        sha256: sha256(bytes).to_hex(),
        bytes_len: bytes.len() as u64,
    }
}

/// Writes a file atomically and creates missing parent folders.
pub fn write_out(system: &dyn System, out: &OutFile, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = out.path.parent().filter(|folder| *folder != Path::new(""));
    folder
        .map_or(Ok(()), |folder| system.create_dir_all(folder))
        .and_then(|()| system.write_named(&out.path, bytes))
        .map_err(|source| WriteError { path: out.shown.clone(), source })
}
