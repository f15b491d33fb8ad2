//! The diagnostics in the output of tools: read, and found in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use portolan_diagnostics::locations::{
    Diagnostic, FileIndex as Files, LocatedDiagnostics as Located, PathContext as Ground, locate,
};
pub use portolan_diagnostics::readers::{Format, masked};
use portolan_diagnostics::readers::{ParsedOutput as Reading, read};
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::System;
use portolan_wire::diagnostics::{DiagnosticV1, DiagnosticsV1, RelatedV1};
use portolan_workspace::{Patterns, ScanSettings, scan};
use thiserror::Error;

use crate::settings_values;
use portolan_index::map::MapError;
use portolan_workspace::config::Loaded;

/// What is asked.
#[derive(Clone, Debug)]
pub struct DiagnosticsRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// The folder that the tools are thought to have run in.
    pub directory: PathBuf,
    /// The output, as shown.
    pub shown: String,
    /// Its bytes.
    pub output: Vec<u8>,
    /// Its format, where it is not to be recognised.
    pub format: Option<Format>,
}

/// What is answered.
#[derive(Clone, Debug, Default)]
pub struct DiagnosticsReport {
    /// The diagnostics, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// Paths that could not be told, places that are out of date, sorted.
    pub notices: Vec<Notice>,
}

impl DiagnosticsReport {
    /// In the normal form.
    pub fn to_wire(&self) -> DiagnosticsV1 {
        DiagnosticsV1 { v: 1, diagnostics: self.diagnostics.iter().map(wire).collect() }
    }
}

/// Why nothing was read.
#[derive(Debug, Error)]
pub enum DiagnosticsError {
    /// There is nothing in it.
    #[error("{shown}: the output is empty")]
    Empty {
        /// The output, as shown.
        shown: String,
    },
    /// There is something, but nothing that is a diagnostic.
    #[error("{shown}: no diagnostic in {lines} lines: {}", known(formats, *unknown))]
    Nothing {
        /// The output, as shown.
        shown: String,
        /// Its lines, without blank ones.
        lines: usize,
        /// How many of them nothing is known of.
        unknown: usize,
        /// The formats that were recognised.
        formats: Vec<&'static str>,
    },
    /// The repository can't be listed.
    #[error(transparent)]
    Map(#[from] MapError),
}

impl DiagnosticsError {
    /// The same of an output that is called something else.
    #[must_use]
    pub fn of(self, name: &str) -> Self {
        let shown = name.to_owned();
        match self {
            Self::Empty { .. } => Self::Empty { shown },
            Self::Nothing { lines, unknown, formats, .. } => {
                Self::Nothing { shown, lines, unknown, formats }
            }
            Self::Map(error) => Self::Map(error),
        }
    }
}

fn known(formats: &[&str], unknown: usize) -> String {
    match formats {
        [] => "no format was recognised".to_owned(),
        formats => {
            format!("recognised {}, which has none; {unknown} other lines", formats.join(", "))
        }
    }
}

/// Reads the diagnostics of an output.
pub fn read_output(
    system: &dyn System,
    request: &DiagnosticsRequest,
) -> Result<DiagnosticsReport, DiagnosticsError> {
    let reading = reading(&without_settings(system, request))?;
    let config = &request.config;
    let settings = &config.settings;
    let scanned = scan(
        system,
        &ScanSettings {
            root: config.root.clone(),
            stan_path: settings.stan_path.clone(),
            includes: Patterns::new(&settings.includes).map_err(MapError::from)?,
            excludes: Patterns::new(&settings.excludes).map_err(MapError::from)?,
            git: config.git.clone(),
            only: config.only.clone(),
            guard: settings.secrets.guard(),
        },
        &|_| Ok(()),
    );
    if let Some(reason) = scanned.root_error {
        return Err(MapError::RootUnreadable { path: config.root.clone(), reason }.into());
    }
    let files = scanned.files.into_iter().map(|(file, ())| file.path.as_str().to_owned());
    settled(system, request, reading, Files::new(files))
}

/// An output without what only the repository's settings files may hold.
pub(crate) fn without_settings(
    system: &dyn System,
    request: &DiagnosticsRequest,
) -> DiagnosticsRequest {
    let mut request = request.clone();
    request.output = settings_values::masked(system, &request.config.root, request.output);
    request
}

/// What the readers know of an output.
pub(crate) fn reading(request: &DiagnosticsRequest) -> Result<Reading, DiagnosticsError> {
    let reading = read(&request.output, request.format);
    let shown = request.shown.clone();
    if reading.lines == 0 {
        return Err(DiagnosticsError::Empty { shown });
    }
    if reading.findings.is_empty() {
        return Err(nothing(shown, &reading));
    }
    Ok(reading)
}

fn nothing(shown: String, reading: &Reading) -> DiagnosticsError {
    // A guess that came to nothing is no format.
    let formats = reading.formats.iter().map(|format| format.name());
    let formats = formats.filter(|name| *name != "generic").collect();
    let Reading { lines, unknown, .. } = *reading;
    DiagnosticsError::Nothing { shown, lines, unknown, formats }
}

/// Finds the places of what was read, and holds them to the files. What was only guessed counts where its file
/// is there, so it may turn out that there is nothing.
pub(crate) fn settled(
    system: &dyn System,
    request: &DiagnosticsRequest,
    mut reading: Reading,
    files: Files,
) -> Result<DiagnosticsReport, DiagnosticsError> {
    let root = &request.config.root;
    let ground = Ground {
        files,
        root: root.to_string_lossy().replace('\\', "/"),
        folder: folder_of(system, root, &request.directory),
    };
    let findings = std::mem::take(&mut reading.findings);
    let Located { mut diagnostics, ambiguous } = locate(findings, &ground);
    if diagnostics.is_empty() {
        return Err(nothing(request.shown.clone(), &reading));
    }
    let mut notices: Vec<Notice> = ambiguous
        .iter()
        .map(|(path, files)| {
            let message = format!("can be {}; run in the folder it is seen from", listed(files));
            Notice::at(NoticeCode::PackAmbiguousPath, Place::file(path), message)
        })
        .collect();
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut told = BTreeSet::new();
    for diagnostic in &mut diagnostics {
        let Some(file) =
            diagnostic.place.as_ref().filter(|place| place.exists).map(|place| place.file.clone())
        else {
            continue;
        };
        let text =
            texts.entry(file.clone()).or_insert_with(|| text_of(system, &request.config, &file));
        if let Some(text) = text {
            diagnostic.check_against_source(text);
        }
        let line = diagnostic.place.as_ref().and_then(|place| place.line).unwrap_or(1);
        if diagnostic.is_stale && told.insert((file.clone(), line)) {
            let message = match diagnostic.excerpt {
                Some(_) => {
                    "the line that was printed is not the line in the file; run the tool again"
                }
                None => "the file has no such line; run the tool again",
            };
            notices.push(Notice::at(NoticeCode::PackStale, Place::at(file, line, 1), message));
        }
    }
    notices.sort_unstable();
    Ok(DiagnosticsReport { diagnostics, notices })
}

fn listed(files: &[String]) -> String {
    let shown: Vec<String> = files.iter().take(3).map(|file| format!("`{file}`")).collect();
    let more = files.len().saturating_sub(3);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

/// A file of the repository as text. Of one that may hold secrets nothing is told, also not whether it has a line.
fn text_of(system: &dyn System, config: &Loaded, file: &str) -> Option<String> {
    let path = RepoPath::from_untrusted(file).ok()?;
    let bytes = system.read_beneath(&config.root, &path).ok()?;
    if config.settings.secrets.guard().judge(&path, &bytes).is_some() {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A folder, relative to the root; the root where it is outside.
pub(crate) fn folder_of(system: &dyn System, root: &Path, directory: &Path) -> String {
    let real = system.real_path(directory).unwrap_or_else(|_| directory.to_path_buf());
    let below = real.strip_prefix(root).unwrap_or(Path::new(""));
    below.to_string_lossy().replace('\\', "/")
}

fn wire(diagnostic: &Diagnostic) -> DiagnosticV1 {
    let place = diagnostic.place.as_ref();
    DiagnosticV1 {
        file: place.map(|place| place.file.clone()),
        line: place.and_then(|place| place.line),
        col: place.and_then(|place| place.col),
        end_line: diagnostic.end.map(|(line, _)| line),
        end_col: diagnostic.end.map(|(_, col)| col),
        severity: diagnostic.severity.as_str(),
        code: diagnostic.code.clone(),
        message: diagnostic.message.clone(),
        related: diagnostic
            .related
            .iter()
            .map(|place| RelatedV1 {
                file: place.file.clone(),
                line: place.line,
                col: place.col,
                message: place.message.clone(),
            })
            .collect(),
        tool: diagnostic.tool.clone(),
        test: diagnostic.test.clone(),
    }
}
