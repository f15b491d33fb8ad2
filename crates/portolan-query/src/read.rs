//! The use case of `portolan read`: declarations, lines and tests as they are in the files, cut to a budget.

mod document;
mod folds;
mod matches;
mod outline;
mod parts;
pub(crate) mod titles;
mod uses;

use std::fmt::Write as _;

use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_types::declarations::NONE;
use portolan_types::escape_invisible;
use thiserror::Error;

pub use self::document::{DOCUMENT_BUDGET, ReadDocument, read_document};
pub(crate) use self::outline::outline;
pub use self::outline::{FileOutline, OutlineEntry};
pub(crate) use self::parts::{expanded, extensions_called};
pub use self::uses::UsedName;
use self::uses::{uses_line, uses_of};
use super::slices::{FocusedLines, SliceRequest, SliceSet, TooSmall, slices_around};
use super::target::{TargetError, also_line};
use crate::look::{Look, LookReport, users_of_read};
use crate::search::{SearchError, quoted};
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
    /// Patterns: only the parts of the targets around lines that match one are shown.
    pub matching: Vec<String>,
    /// Whether long files and classes are shown whole, and not as outlines.
    pub all: bool,
    /// Whether unresolved names are listed.
    pub verbose: bool,
    /// How it is cut.
    pub slices: SliceRequest,
    /// What the lines around the answer cost: a part of the budget.
    pub frame: u64,
    /// Whether the users of the targets are listed.
    pub users: bool,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// The text and its parts.
    pub set: SliceSet,
    /// Outlines of long files and classes.
    pub outlines: Vec<FileOutline>,
    /// Targets without a line that matches.
    pub unmatched: Vec<String>,
    /// Why some of several targets are not shown.
    pub failed: Vec<String>,
    /// The targets that show all of what is shown in part.
    pub whole: Vec<String>,
    /// What is shown in place of targets that mean nothing.
    pub instead: Vec<String>,
    /// The other files that the paths of targets may mean.
    pub also: Vec<String>,
    /// The names that the targets refer to, if they are listed by name.
    pub uses: Vec<UsedName>,
    /// The most tokens of the text.
    pub room: u64,
    /// Whether unresolved names are listed.
    pub verbose: bool,
    /// Who uses the targets, where that was asked for.
    pub users: Option<LookReport>,
    /// The same as text.
    pub users_text: String,
}

/// Why there is nothing to read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A target means nothing.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A pattern is none.
    #[error(transparent)]
    Pattern(#[from] SearchError),
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
        let parts = parts::parts(symbols, request)?;
        let regions = &parts.regions;
        let users = request.users.then(|| {
            let targets = request.targets.join(" ");
            users_of_read(symbols, map, targets, &declared(symbols, regions))
        });
        let (room, users_text) = rooms(request, users.as_ref());
        let is_with_needs = matches!(request.needs, NeedsMode::Signatures | NeedsMode::Full);
        let hops = if is_with_needs { request.slices.hops } else { 0 };
        let full = request.needs == NeedsMode::Full;
        let slices = SliceRequest { hops, full, budget: room, ..request.slices };
        let mut set = slices_around(symbols, regions, &slices)
            .map_err(|small| too_small(request, room, small))?;
        let is_named = request.needs == NeedsMode::Names && request.matching.is_empty();
        let mut uses = Vec::new();
        if is_named {
            (uses, set.unresolved) = uses_of(symbols, regions);
        }
        let failed = parts.failed.iter().map(|error| format!("{error}: {}", error.next_call()));
        Ok(ReadReport {
            set,
            outlines: parts.outlines,
            unmatched: parts.unmatched,
            failed: failed.collect(),
            instead: parts.instead,
            whole: parts.whole,
            also: parts.also,
            uses,
            room,
            verbose: request.verbose,
            users,
            users_text,
        })
    })?
}

/// What slices may cost, and who uses them as text: that may take a quarter of the room. What it does not take is for the
/// slices, so that a larger budget shows all that a smaller one does.
fn rooms(request: &ReadRequest, users: Option<&LookReport>) -> (u64, String) {
    let room = request.slices.budget.saturating_sub(request.frame);
    let Some(users) = users else { return (room, String::new()) };
    let most = room / 4;
    let counts = users.looks.first().map(Look::counts).unwrap_or_default();
    let text = format!("{counts}\n{}", users.body(most.saturating_sub(cost(&counts))));
    (room - most.min(cost(&text)), text)
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
fn declared(symbols: &SymbolDb<'_>, regions: &[FocusedLines]) -> Vec<Place> {
    let mut places = Vec::new();
    for region in regions {
        match region.focus.place {
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

/// The fewest tokens that an outline gets.
const LEAST_OUTLINE: u64 = 60;

/// The most omitted ranges that are named.
const MOST_RANGES: usize = 3;

impl ReadReport {
    /// What the first line of the answer says of it.
    pub fn head(&self, targets: &[String]) -> String {
        let asked = match targets {
            [one] => one.clone(),
            targets => format!("{} targets,", targets.len()),
        };
        if let ([outline], []) = (&self.outlines[..], &self.set.slices[..]) {
            return format!("read {asked} outline, the file has {} lines", outline.lines);
        }
        if self.set.slices.is_empty() && self.outlines.len() > 1 {
            return format!("read {asked} outlines of {} files", self.outlines.len());
        }
        let files = self.set.slices.len();
        let word = if files == 1 { "file" } else { "files" };
        format!("read {asked} {} tokens of {files} {word}", self.set.tokens())
    }

    /// The answer as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for instead in &self.instead {
            let _ = writeln!(text, "({})", escape_invisible(instead));
        }
        text.push_str(&self.set.text);
        for unmatched in &self.unmatched {
            let _ = writeln!(text, "no line matches in {unmatched}");
        }
        for failed in &self.failed {
            let _ = writeln!(text, "not shown: {}", escape_invisible(failed));
        }
        self.write_outlines(&mut text);
        self.write_left_out(&mut text);
        let uses = uses_line(&self.uses, self.set.slices.len() == 1);
        if let Some(line) = uses.filter(|line| cost(&text) + cost(line) <= self.room) {
            text.push_str(&line);
        }
        if let Some(line) = unresolved_line(&self.set.unresolved).filter(|_| self.verbose) {
            let _ = writeln!(text, "{line}");
        }
        text.push_str(&self.users_text);
        if let Some(line) = also_line(&self.also) {
            let _ = writeln!(text, "{line}");
        }
        if !self.whole.is_empty() {
            let all: Vec<String> = self.whole.iter().map(|target| quoted(target)).collect();
            let _ = writeln!(text, "next: portolan read {}", all.join(" "));
        }
        text
    }

    /// The outlines, each with an even share of what is left of the room.
    fn write_outlines(&self, text: &mut String) {
        let (declaring, plain): (Vec<_>, Vec<_>) =
            self.outlines.iter().partition(|it| !it.items.is_empty() || self.outlines.len() == 1);
        let mut used = cost(text);
        for (place, outline) in declaring.iter().enumerate() {
            let left = self.room.saturating_sub(used);
            let files = declaring.len() - place;
            if left < LEAST_OUTLINE && place > 0 {
                let _ = writeln!(text, "… {files} more files: read them, or ask for less at once");
                break;
            }
            let share = (left / files as u64).max(LEAST_OUTLINE);
            let head = format!("{} {} lines\n", outline.file, outline.lines);
            let head = if self.outlines.len() == 1 { format!("{}\n", outline.file) } else { head };
            let own = outline.to_text(share.saturating_sub(cost(&head)));
            let own = format!("{head}{}\n", own.trim_end());
            used += cost(&own);
            text.push_str(&own);
        }
        let mut names = String::new();
        for (place, file) in plain.iter().map(|it| it.file.as_str()).enumerate() {
            if used + cost(&names) + cost(file) + LEAST_OUTLINE > self.room {
                let _ = write!(names, " and {} more", plain.len() - place);
                break;
            }
            let _ = write!(names, " {file}");
        }
        if !plain.is_empty() {
            let _ = writeln!(text, "without declarations:{names}");
        }
    }

    /// What a bound cut, and the call that shows it.
    fn write_left_out(&self, text: &mut String) {
        let set = &self.set;
        if set.bounds.is_empty() {
            return;
        }
        let bounds = format!("a larger {}", set.bounds.join(" or "));
        let ranges = set.left_out.iter().take(MOST_RANGES);
        let ranges: Vec<String> =
            ranges.map(|(file, first, last)| format!("{file}:{first}-{last}")).collect();
        let more = set.left_out.len().saturating_sub(MOST_RANGES);
        let _ = match (ranges.as_slice(), more, set.unshown) {
            ([], _, 0) => writeln!(text, "… not all of it is shown: {bounds} shows more"),
            ([], _, 1) => {
                writeln!(text, "… 1 more declaration that this leads to: {bounds} shows more")
            }
            ([], _, count) => writeln!(
                text,
                "… {count} more declarations that this leads to: {bounds} shows more"
            ),
            (ranges, 0, _) => {
                writeln!(text, "… left out: read {}, or {bounds}", ranges.join(" "))
            }
            (ranges, more, _) => writeln!(
                text,
                "… left out: read {} and {more} more parts, or {bounds}",
                ranges.join(" ")
            ),
        };
    }
}

/// What a text costs.
fn cost(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}
