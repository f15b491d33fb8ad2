//! Maps the paths that tools print to files of the repository.
//!
//! Tools print paths relative to their working folder, absolute paths of another machine, URLs, or
//! bare file names. A single foreign root, or a single working folder, explains most paths of an
//! output. So every path is matched with the files of the repository, and the root and folder that
//! explain most paths win. A path that could be several files is reported and left as printed.

mod diagnostic;
mod files;
mod paths;

pub use diagnostic::{Diagnostic, SourceLocation};
pub use files::FileIndex;

use std::collections::{BTreeMap, BTreeSet};

use crate::readers::{PrintedLocation, ToolDiagnostic};
use paths::PathResolver;

/// What the paths of an output are resolved against.
#[derive(Clone, Debug, Default)]
pub struct PathContext {
    /// The files of the repository.
    pub files: FileIndex,
    /// The root folder on this machine, with forward slashes.
    pub root: String,
    /// The folder that the tools probably ran in, relative to the root; empty for the root itself.
    pub folder: String,
}

/// The diagnostics of an output, with their locations in the repository.
#[derive(Clone, Debug, Default)]
pub struct LocatedDiagnostics {
    /// The diagnostics, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// Ambiguous paths, with the files that they may mean.
    pub ambiguous: BTreeMap<String, Vec<String>>,
}

/// Finds the locations of the diagnostics that were read.
pub fn locate(findings: Vec<ToolDiagnostic>, context: &PathContext) -> LocatedDiagnostics {
    let mut paths = PathResolver::new(context);
    for finding in &findings {
        for spot in spots(finding) {
            paths.record(&spot.file, spot.named, finding);
        }
    }
    paths.choose_roots();
    let mut diagnostics = Vec::with_capacity(findings.len());
    for finding in findings {
        diagnostics.extend(diagnostic(finding, &mut paths));
    }
    LocatedDiagnostics { diagnostics, ambiguous: paths.ambiguous }
}

fn spots(finding: &ToolDiagnostic) -> impl Iterator<Item = &PrintedLocation> {
    let stacks = finding.causes.iter().flat_map(|cause| &cause.frames);
    let single = [&finding.place, &finding.fallback, &finding.test_at].into_iter().flatten();
    finding.frames.iter().chain(stacks).chain(&finding.related).chain(single)
}

fn diagnostic(finding: ToolDiagnostic, paths: &mut PathResolver<'_>) -> Option<Diagnostic> {
    let mut own = |frames: &[PrintedLocation]| -> Vec<SourceLocation> {
        let places = frames.iter().map(|spot| paths.place(spot, &finding));
        places.filter(SourceLocation::is_own).collect()
    };
    let mut main = own(&finding.frames);
    let mut causes: Vec<(String, Vec<SourceLocation>)> =
        finding.causes.iter().map(|cause| (cause.message.clone(), own(&cause.frames))).collect();
    let is_innermost = !main.is_empty()
        && finding
            .frames
            .first()
            .is_some_and(|first| own(std::slice::from_ref(first)).first() == main.first());
    // The whole stack is foreign code: take the location from a cause.
    if main.is_empty()
        && let Some(first) = causes.iter().position(|(_, frames)| !frames.is_empty())
    {
        main = causes.remove(first).1;
    }
    let mut related: Vec<SourceLocation> =
        finding.related.iter().map(|spot| paths.place(spot, &finding)).collect();
    let place = match &finding.place {
        Some(spot) => Some(paths.place(spot, &finding)),
        None if main.is_empty() => {
            finding.fallback.as_ref().map(|spot| paths.place(spot, &finding))
        }
        None => Some(main.remove(0)),
    };
    if finding.guessed && !place.as_ref().is_some_and(|place| place.exists) {
        return None;
    }
    related.extend(others(main, place.as_ref()));
    related.extend(causes.into_iter().filter_map(|(message, frames)| {
        let first = frames.into_iter().next()?;
        Some(SourceLocation { message: format!("caused by: {message}"), ..first })
    }));
    let test_at = finding.test_at.as_ref().map(|spot| paths.place(spot, &finding));
    related.extend(others(test_at, place.as_ref()));
    let has_excerpt = finding.place.is_some() || is_innermost;
    Some(Diagnostic::new(finding, place, related, has_excerpt))
}

/// The locations without those that are the place itself, each once: a recursion repeats its frames, and a test that
/// timed out has no other location than its own.
fn others(
    locations: impl IntoIterator<Item = SourceLocation>,
    place: Option<&SourceLocation>,
) -> Vec<SourceLocation> {
    let key = |it: &SourceLocation| (it.file.clone(), it.line, it.col);
    let mut seen: BTreeSet<_> = place.map(key).into_iter().collect();
    locations.into_iter().filter(|it| seen.insert(key(it))).collect()
}

#[cfg(test)]
mod tests;
