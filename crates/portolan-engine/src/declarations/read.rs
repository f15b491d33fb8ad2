//! The use case of `portolan read`: declarations with what they need, cut to a budget.

use thiserror::Error;

use super::library::with_library;
use super::slices::{SliceRequest, SliceSet, slices_around};
use super::target::{TargetError, parse_target};
use crate::map::{MapError, MapReport};
use crate::System;

/// How much of what is needed is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NeedsMode {
    /// Heads.
    #[default]
    Heads,
    /// What the focus names itself whole, the rest as heads.
    Full,
    /// Nothing.
    None,
}

/// What to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRequest {
    /// The targets as they are written.
    pub targets: Vec<String>,
    /// The most tokens that the answer may cost.
    pub budget: u64,
    /// How much of what is needed is shown.
    pub needs: NeedsMode,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// The text and its parts.
    pub set: SliceSet,
}

/// Why there is nothing to read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A target means nothing.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The repository can't be used.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// Reads declarations of a Map that was built from this root.
pub fn read(
    system: &dyn System,
    root: &std::path::Path,
    map: &MapReport,
    request: &ReadRequest,
) -> Result<ReadReport, ReadError> {
    let report = with_library(system, root, map, |library| {
        let mut focus = Vec::new();
        for target in &request.targets {
            let target = parse_target(target, |path| library.number(path).is_some());
            focus.extend(library.find(&target)?);
        }
        focus.sort_unstable();
        focus.dedup_by_key(|focus| focus.place);
        let hops = if request.needs == NeedsMode::None { 0 } else { 3 };
        let full = request.needs == NeedsMode::Full;
        let slices = SliceRequest { budget: request.budget, hops, full };
        Ok::<_, TargetError>(ReadReport { set: slices_around(library, &focus, &slices) })
    })?;
    Ok(report?)
}
