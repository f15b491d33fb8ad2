//! Where in the repository a diagnostic is: from the paths that tools print to the repository's own.
//!
//! Tools print paths relative to where they ran, absolute on another machine, as URLs, or as bare
//! names. What they mean is found by looking which files of the repository they can be: one foreign
//! root, or one folder they ran in, explains most of an output, so the ones that explain most win.
//! What several files can be is told and left as printed.

mod diagnostic;
mod files;
mod paths;

pub use diagnostic::{Diagnostic, Place};
pub use files::Files;

use std::collections::BTreeMap;

use crate::readers::{Finding, Spot};
use paths::Paths;

/// What the paths of an output are seen from.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// The files of the repository.
    pub files: Files,
    /// Its folder on this machine, POSIX.
    pub root: String,
    /// The folder that the tools are thought to have run in, relative to it; empty for itself.
    pub folder: String,
}

/// Diagnostics of a repository.
#[derive(Clone, Debug, Default)]
pub struct Located {
    /// The diagnostics, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
    /// Paths that several files can be, with those files.
    pub ambiguous: BTreeMap<String, Vec<String>>,
}

/// Finds the places of what was read.
pub fn locate(findings: Vec<Finding>, ground: &Ground) -> Located {
    let mut paths = Paths::new(ground);
    for finding in &findings {
        for spot in spots(finding) {
            paths.hear(&spot.file, spot.named, finding);
        }
    }
    paths.decide();
    let mut diagnostics = Vec::with_capacity(findings.len());
    for finding in findings {
        diagnostics.extend(diagnostic(finding, &mut paths));
    }
    Located { diagnostics, ambiguous: paths.ambiguous }
}

fn spots(finding: &Finding) -> impl Iterator<Item = &Spot> {
    let stacks = finding.causes.iter().flat_map(|cause| &cause.frames);
    let single = [&finding.place, &finding.fallback, &finding.test_at].into_iter().flatten();
    finding.frames.iter().chain(stacks).chain(&finding.related).chain(single)
}

fn diagnostic(finding: Finding, paths: &mut Paths<'_>) -> Option<Diagnostic> {
    let mut own = |frames: &[Spot]| -> Vec<Place> {
        let places = frames.iter().map(|spot| paths.place(spot, &finding));
        places.filter(Place::is_own).collect()
    };
    let mut main = own(&finding.frames);
    let mut causes: Vec<(String, Vec<Place>)> =
        finding.causes.iter().map(|cause| (cause.message.clone(), own(&cause.frames))).collect();
    let is_innermost = !main.is_empty()
        && finding
            .frames
            .first()
            .is_some_and(|first| own(std::slice::from_ref(first)).first() == main.first());
    // A stack that is all of others': what caused it tells the place.
    if main.is_empty()
        && let Some(first) = causes.iter().position(|(_, frames)| !frames.is_empty())
    {
        main = causes.remove(first).1;
    }
    let mut related: Vec<Place> =
        finding.related.iter().map(|spot| paths.place(spot, &finding)).collect();
    let place = match &finding.place {
        Some(spot) => Some(paths.place(spot, &finding)),
        None if main.is_empty() => {
            finding.fallback.as_ref().map(|spot| paths.place(spot, &finding))
        }
        None => Some(main.remove(0)),
    };
    if finding.guessed && !place.as_ref().is_some_and(|place| place.is_there) {
        return None;
    }
    related.append(&mut main);
    related.extend(causes.into_iter().filter_map(|(message, frames)| {
        let first = frames.into_iter().next()?;
        Some(Place { message: format!("caused by: {message}"), ..first })
    }));
    related.extend(finding.test_at.as_ref().map(|spot| paths.place(spot, &finding)));
    let has_excerpt = finding.place.is_some() || is_innermost;
    Some(Diagnostic::new(finding, place, related, has_excerpt))
}

#[cfg(test)]
mod tests;
