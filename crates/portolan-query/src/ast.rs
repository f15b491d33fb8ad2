//! `ast slice`: an x07AST file and a request in, a report and perhaps a file out.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::Remedy;
use portolan_vfs::{System, sha256};
use portolan_wire::slice::{Diagnostic, Digests, FileDigest, SliceReport};
pub use portolan_x07::{Closure, Enclosure, SliceRequest};
use portolan_x07::{SliceError, failed_meta, read, slice};
use thiserror::Error;

/// Where the bytes of an input come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Somebody else read them, from stdin for example.
    Bytes(Vec<u8>),
}

impl Source {
    /// Reads them, once.
    pub(crate) fn read(&self, system: &dyn System) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path) => system.read_named(path),
            Self::Bytes(bytes) => Ok(bytes.clone()),
        }
    }
}

/// A file to write, and how it was named.
#[derive(Clone, Debug)]
pub struct OutFile {
    /// As given.
    pub shown: String,
    /// Where it is.
    pub path: PathBuf,
}

impl OutFile {
    /// Whether stdout was meant.
    pub(crate) fn is_stdout(&self) -> bool {
        self.shown == "-"
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct AstSliceRequest {
    /// The input as it is shown in the report.
    pub input: String,
    /// Its bytes.
    pub source: Source,
    /// The slice.
    pub slice: SliceRequest,
    /// Where to write it.
    pub out: Option<OutFile>,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AstSliceStatus {
    /// There is a slice.
    Done,
    /// The input could not be read, or is no x07AST document.
    BadInput,
    /// There is no such slice of the document.
    Refused,
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct AstSliceReport {
    /// The report as it is published.
    pub report: SliceReport,
    /// How it went.
    pub status: AstSliceStatus,
    /// The error of the operating system, where the input could not be read.
    pub unreadable: Option<String>,
    /// What to do about a refusal.
    pub remedy: Option<Remedy>,
}

/// A file could not be written.
#[derive(Debug, Error)]
#[error("write: {path}: {source}")]
pub struct WriteError {
    /// As given.
    pub path: String,
    /// Why.
    pub source: io::Error,
}

/// Slices a file. Only a file that cannot be written leaves no report.
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

/// What a file was.
pub(crate) fn digest_of(path: &str, bytes: &[u8]) -> FileDigest {
    FileDigest {
        path: path.to_owned(),
        sha256: sha256(bytes).to_hex(),
        bytes_len: bytes.len() as u64,
    }
}

/// Writes a file in one step, and the folders above it where they are missing.
pub fn write_out(system: &dyn System, out: &OutFile, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = out.path.parent().filter(|folder| *folder != Path::new(""));
    folder
        .map_or(Ok(()), |folder| system.create_dir_all(folder))
        .and_then(|()| system.write_named(&out.path, bytes))
        .map_err(|source| WriteError { path: out.shown.clone(), source })
}
