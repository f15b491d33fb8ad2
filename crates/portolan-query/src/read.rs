//! The use case of `portolan read`: declarations with what they need, cut to a budget.

use std::fmt::Write as _;

use portolan_symbols::meaning::{Place, World as _};
use portolan_types::declarations::NONE;
use thiserror::Error;

use super::slices::{Focus, SliceRequest, SliceSet, TooSmall, slices_around};
use super::target::TargetError;
use super::users::{User, Users, users_of};
use crate::target::TargetLookup;
use crate::unresolved::unresolved_line;
use portolan_index::map::{MapError, MapReport};
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_index::token_counts::Tokenizer;
use portolan_vfs::System;
pub use portolan_wire::question::{Enclosure, NeedsMode};
use portolan_workspace::config::Loaded;

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
    /// What the lines around the answer cost: a part of the budget.
    pub frame: u64,
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
    /// How many of these the text has room for.
    pub users_shown: usize,
}

/// Why there is nothing to read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A target means nothing.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Not even the line that was asked about fits.
    #[error("{bound} {given} shows nothing of `{target}`: the least is {least}")]
    TooSmall {
        /// Which bound: `a budget of` or `max-bytes`.
        bound: &'static str,
        /// What was given.
        given: u64,
        /// What shows a line.
        least: u64,
        /// What was asked for.
        target: String,
    },
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
    with_symbols(system, config, map, store, |symbols| {
        let lookup = TargetLookup(symbols);
        let mut focus = Vec::new();
        for target in &request.targets {
            focus.extend(lookup.focus(&lookup.target(target))?);
        }
        let focus = enclosed(symbols, focus, request.enclosure);
        let users = request.users.then(|| users_of(symbols, &declared(symbols, &focus)));
        let (room, users_shown) = rooms(request, users.as_ref());
        let hops = if request.needs == NeedsMode::None { 0 } else { request.slices.hops };
        let full = request.needs == NeedsMode::Full;
        let slices = SliceRequest { hops, full, budget: room, ..request.slices };
        let set = slices_around(symbols, &focus, &slices)
            .map_err(|small| too_small(request, room, small))?;
        Ok(ReadReport { set, users, users_shown })
    })?
}

/// What slices may cost, and how many users are told: these may take a quarter of the room. What they do not take is
/// for the slices, so that a larger budget shows all that a smaller one does.
fn rooms(request: &ReadRequest, users: Option<&Users>) -> (u64, usize) {
    let room = request.slices.budget.saturating_sub(request.frame);
    let Some(users) = users else { return (room, 0) };
    let most = room / 4;
    let (mut cost, mut shown) = (USERS_LINE, 0);
    for user in &users.users {
        cost += Tokenizer::O200kBase.count(user_line(user).as_bytes()).unwrap_or_default();
        if cost > most {
            break;
        }
        shown += 1;
    }
    (room - most.min(cost), shown)
}

/// What the lines cost that count users.
const USERS_LINE: u64 = 24;

fn user_line(user: &User) -> String {
    format!("{}:{}\t{}\n", user.file, user.line, user.text)
}

fn too_small(request: &ReadRequest, room: u64, small: TooSmall) -> ReadError {
    let target = request.targets.join(" ");
    let given = request.slices.budget;
    if small.tokens > room {
        let around = given.saturating_sub(room);
        let around = around.max(request.frame);
        return ReadError::TooSmall {
            bound: "a budget of",
            given,
            least: small.tokens + around,
            target,
        };
    }
    let given = request.slices.max_bytes.unwrap_or_default() as u64;
    ReadError::TooSmall { bound: "max-bytes", given, least: small.bytes as u64, target }
}

/// The declarations in focus: of a whole file, all of its own.
fn declared(symbols: &SymbolDb<'_>, focus: &[Focus]) -> Vec<Place> {
    let mut places = Vec::new();
    for focus in focus {
        match focus.place {
            Place { file, item: NONE } => {
                let facts = symbols.file(file).unwrap_or_default();
                let own = facts.items.iter().zip(0u32..).filter(|(item, _)| item.parent == NONE);
                places.extend(own.map(|(_, item)| Place { file, item }));
            }
            place => places.push(place),
        }
    }
    places
}

/// The regions that are shown whole, each once.
fn enclosed(symbols: &SymbolDb<'_>, focus: Vec<Focus>, enclosure: Enclosure) -> Vec<Focus> {
    let mut regions = Vec::new();
    for one in focus {
        let file = one.place.file;
        let facts = symbols.file(file).unwrap_or_default();
        let outer = facts.ancestors(one.place.item).last().unwrap_or(one.place.item);
        match enclosure {
            Enclosure::Defn => regions.push(one),
            Enclosure::Decl => regions.push(Focus { place: Place { file, item: outer }, ..one }),
            Enclosure::Module => regions.push(Focus { place: Place { file, item: NONE }, ..one }),
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
        if !set.bounds.is_empty() {
            let bounds = format!("a larger {}", set.bounds.join(" or "));
            let _ = match set.unshown {
                0 => writeln!(text, "… not all of it is shown: {bounds} shows more"),
                1 => writeln!(text, "… 1 more declaration that this leads to: {bounds} shows more"),
                count => {
                    writeln!(
                        text,
                        "… {count} more declarations that this leads to: {bounds} shows more"
                    )
                }
            };
        }
        if let Some(line) = unresolved_line(&set.unresolved).filter(|_| set.is_told) {
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
        for user in users.users.iter().take(self.users_shown) {
            text.push_str(&user_line(user));
        }
        let left = users.users.len().saturating_sub(self.users_shown);
        if left > 0 {
            let _ = writeln!(text, "… {left} more users: a larger budget shows more");
        }
        text
    }
}
