//! The use case of `portolan read`: declarations with what they need, cut to a budget.

use std::fmt::Write as _;

use portolan_graph::declarations::{Place, World as _};
use portolan_types::declarations::NONE;
use thiserror::Error;

use super::library::{Library, with_library};
use super::slices::{Focus, SliceRequest, SliceSet, slices_around};
use super::store::DeclarationStore;
use super::target::{TargetError, parse_target};
use super::unresolved::unresolved_line;
use super::users::{Users, users_of};
use crate::System;
use crate::config::Loaded;
use crate::map::{MapError, MapReport};

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

/// Which region is shown whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enclosure {
    /// The member around a place, or else the declaration.
    #[default]
    Defn,
    /// The declaration.
    Decl,
    /// The file.
    Module,
}

/// What to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRequest {
    /// The targets as they are written.
    pub targets: Vec<String>,
    /// How much of what is needed is shown.
    pub needs: NeedsMode,
    /// Which region is shown whole.
    pub enclosure: Enclosure,
    /// How it is cut.
    pub slices: SliceRequest,
    /// Whether who uses the targets is told.
    pub users: bool,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// The text and its parts.
    pub set: SliceSet,
    /// Who uses the targets, where that was asked for.
    pub users: Option<Users>,
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

/// Reads declarations of a Map that was built from this configuration.
pub fn read(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    store: &DeclarationStore,
    request: &ReadRequest,
) -> Result<ReadReport, ReadError> {
    let report = with_library(system, config, map, store, |library| {
        let mut focus = Vec::new();
        for target in &request.targets {
            let target = parse_target(target, |path| library.number(path).is_some());
            focus.extend(library.find(&target)?);
        }
        let focus = enclosed(library, focus, request.enclosure);
        let hops = if request.needs == NeedsMode::None { 0 } else { request.slices.hops };
        let full = request.needs == NeedsMode::Full;
        let slices = SliceRequest { hops, full, ..request.slices };
        let places: Vec<Place> = focus.iter().map(|focus| focus.place).collect();
        let set = slices_around(library, &focus, &slices);
        let users = request.users.then(|| users_of(library, &places));
        Ok::<_, TargetError>(ReadReport { set, users })
    })?;
    Ok(report?)
}

/// The regions that are shown whole, each once.
fn enclosed(library: &Library<'_>, focus: Vec<Focus>, enclosure: Enclosure) -> Vec<Focus> {
    let mut regions = Vec::new();
    for one in focus {
        let file = one.place.file;
        let Some(facts) = library.file(file) else { continue };
        let outer = facts.ancestors(one.place.item).last().unwrap_or(one.place.item);
        match enclosure {
            Enclosure::Defn => regions.push(one),
            Enclosure::Decl => regions.push(Focus { place: Place { file, item: outer }, ..one }),
            Enclosure::Module => {
                let items = facts.items.iter().zip(0u32..).filter(|(item, _)| item.parent == NONE);
                let region = |item| Focus { place: Place { file, item }, at: None };
                regions.extend(items.map(|(_, item)| region(item)));
            }
        }
    }
    regions.sort_unstable();
    regions.dedup_by_key(|focus| focus.place);
    regions
}

impl ReadReport {
    /// The answer as text.
    pub fn to_text(&self) -> String {
        let set = &self.set;
        let mut text = set.text.clone();
        if set.omitted > 0 {
            let _ = writeln!(
                text,
                "… {} more declarations that this leads to: a larger budget shows more",
                set.omitted
            );
        }
        if let Some(line) = unresolved_line(&set.unresolved) {
            let _ = writeln!(text, "{line}");
        }
        let Some(users) = &self.users else { return text };
        let _ = match users.users.len() {
            0 => writeln!(
                text,
                "users: none in its file and the {} that depend on it{}",
                users.searched.saturating_sub(1),
                Users::unread_templates(users.templates)
            ),
            count => writeln!(text, "users: {count}"),
        };
        for user in &users.users {
            let _ = writeln!(text, "{}:{}\t{}", user.file, user.line, user.text);
        }
        text
    }
}
