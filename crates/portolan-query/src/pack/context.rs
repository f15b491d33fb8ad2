//! Packs of real languages: the diagnostics and the pieces of code around the one in focus, cut to a
//! budget.
//!
//! Pieces come in a fixed order, the nearest first, and are taken from the front while they fit. So a
//! larger budget shows all that a smaller one does, and more.

mod document;
mod shown;
mod task_pack;

use std::collections::{BTreeMap, BTreeSet};

use portolan_wire::context::{
    AskedV2, BaseV2, ChangeV2, ChangedFileV2, CodeMetaV2, CodeV2, ContextPackV2, DeclV2, ElidedV2,
    FocusV2, GroupV2, LocV2, NextV2, OmittedV2, ProjectV2, SliceV2, SuspectV2, TestV2, VanishedV2,
};
use portolan_wire::pack::Toolchain;
use portolan_wire::slice::{Digests, FileDigest};

use portolan_diagnostics::focus::{FocusRule, Merged};
pub use document::to_document;
pub use shown::is_clipped;
use shown::{payload, Shown};

/// Why a piece is in a pack, nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The declaration or lines around the place.
    Focus,
    /// A place that belongs to the diagnostic.
    Related,
    /// What the message names.
    Named,
    /// What changed since the base.
    Changed,
    /// What is likely to be changed.
    Edit,
    /// What uses something that changed.
    User,
    /// What is used by something that changed, or is likely to.
    Uses,
    /// What the focus needs.
    Hop1,
    /// The body of what failing code runs.
    Body,
    /// What that needs.
    Hop2,
    /// And what that needs.
    Hop3,
}

impl Role {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Focus => "focus",
            Self::Related => "related",
            Self::Named => "named",
            Self::Changed => "changed",
            Self::Edit => "edit",
            Self::User => "user",
            Self::Uses => "uses",
            Self::Hop1 => "hop1",
            Self::Body => "body",
            Self::Hop2 => "hop2",
            Self::Hop3 => "hop3",
        }
    }
}

/// A declaration that a piece shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Which sort.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its first and last line.
    pub lines: (u32, u32),
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What for.
    pub role: Role,
    /// In words, each reason by itself.
    pub why: Vec<String>,
    /// The file.
    pub file: String,
    /// The declaration it shows, where the file has such.
    pub decl: Option<Declared>,
    /// The lines, from 1, first to last.
    pub ranges: Vec<(u32, u32)>,
}

/// A file that pieces are cut from, read once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its text.
    pub text: String,
    /// The digest of its bytes.
    pub sha256: String,
    /// How many there are.
    pub bytes_len: u64,
}

/// A declaration that several errors have in common, or that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub file: String,
    /// On which line.
    pub line: u32,
    /// How many of the errors that were looked at need it.
    pub votes: usize,
    /// Of how many.
    pub of: usize,
    /// Whether it changed since the base.
    pub is_changed: bool,
}

/// A place that changed since the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The file.
    pub file: String,
    /// The lines of today; where lines are only gone, those around the place.
    pub lines: (u32, u32),
    /// The lines as they were.
    pub before: String,
}

/// What a pack is made of.
#[derive(Clone, Debug, Default)]
pub struct ContextParts {
    /// The version of who makes it.
    pub version: String,
    /// The output that was read.
    pub diag: Option<FileDigest>,
    /// The diagnostics.
    pub merged: Merged,
    /// The one in focus.
    pub focus: Option<usize>,
    /// Its column in UTF-16 units.
    pub focus_col: Option<u32>,
    /// How it was chosen.
    pub rule: FocusRule,
    /// The suspects, best first.
    pub suspects: Vec<Suspect>,
    /// The lines around the place, from the most that may be shown to the least.
    pub windows: Vec<Piece>,
    /// The other pieces, nearest first.
    pub pieces: Vec<Piece>,
    /// The files in which something is likely to change, likeliest first: in this order they are shown,
    /// whatever the order in which their pieces are chosen.
    pub order: Vec<String>,
    /// The files that they are of.
    pub sources: BTreeMap<String, SourceFile>,
    /// The state that was compared with, and what changed since.
    pub base: Option<(String, Vec<Changed>)>,
    /// Names that mean nothing that can be told.
    pub unresolved: Vec<String>,
    /// The languages of the files.
    pub languages: BTreeSet<String>,
    /// What was asked, where it is no failure.
    pub asked: Option<AskedV2>,
    /// The tests of what changed, likeliest first.
    pub tests: Vec<TestV2>,
    /// Exports that are gone though files still import them.
    pub vanished: Vec<VanishedV2>,
    /// The commit after the change that was asked for, where it is not the working tree.
    pub to: Option<String>,
    /// The files that changed.
    pub changed_files: Vec<ChangedFileV2>,
    /// What was not looked at, in words.
    pub notes: Vec<String>,
}

/// How a pack is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Canonical JSON.
    Json,
    /// A document for people and chats.
    Markdown,
}

/// A pack, as data and as written.
#[derive(Clone, Debug)]
pub struct Context {
    /// The pack.
    pub pack: ContextPackV2,
    /// What is written.
    pub text: String,
    /// Its tokens.
    pub tokens: u64,
}

/// So many tests are named.
const MOST_TESTS: usize = 30;
/// So many exports that are gone are told.
const MOST_VANISHED: usize = 20;
/// For each place in a list so many changed files are named.
const FILES_PER_LIST: usize = 4;
/// So much of what did not fit is named.
const MOST_NEXT: usize = 12;
/// What may change and did not fit has at least so many lines where it is named.
const SHORT_NEXT: u32 = 3;

/// Where nothing is told, a pack of a task or a change has this many tokens at most.
pub const TASK_BUDGET: u64 = 16_000;
/// Where nothing is told, a pack has this many tokens at most.
pub const DEFAULT_BUDGET: u64 = 8_000;
/// A smaller budget has no room for a diagnostic and its code.
pub const SMALLEST_BUDGET: u64 = 1_000;

/// What the pure room is lent: a count of tokens, and digests.
#[derive(Clone, Copy)]
pub struct Tools<'t> {
    /// The tokens of a text.
    pub count: &'t dyn Fn(&str) -> u64,
    /// The digest of a text, in hexadecimal.
    pub digest: &'t dyn Fn(&str) -> String,
}

/// How much of each part is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    window: usize,
    pieces: usize,
    others: usize,
    /// How much of a long text is shown, in characters.
    words: usize,
    /// How long a list may be.
    lists: usize,
}

/// Puts a pack together that costs no more than the budget.
pub fn assemble_context(
    parts: &ContextParts,
    budget: u64,
    form: Form,
    tools: &Tools<'_>,
) -> Context {
    let write = |extent: Extent| {
        let pack = pack_of(parts, extent, budget, tools);
        let text = match form {
            Form::Json => pack.to_canonical(),
            Form::Markdown => to_document(&pack),
        };
        let tokens = (tools.count)(&text);
        Context { pack, text, tokens }
    };
    // The focus: the largest window that leaves two thirds for the rest.
    let bare = Extent { window: usize::MAX, pieces: 0, others: 0, words: 2_000, lists: MOST_TESTS };
    let empty = write(bare).tokens;
    let least = parts.windows.len().saturating_sub(1);
    let window = (0..parts.windows.len())
        .find(|&window| write(Extent { window, ..bare }).tokens <= empty + budget / 3)
        .unwrap_or(least);
    let mut extent = Extent { window, ..bare };
    if parts.windows.is_empty() {
        extent.window = usize::MAX;
    }
    while write(extent).tokens > budget && (extent.words > 60 || extent.lists > 0) {
        extent.words = (extent.words / 2).max(60);
        extent.lists /= 2;
        extent.window = if parts.windows.is_empty() { usize::MAX } else { least };
    }
    // Other errors, a line each, for at most an eighth.
    let now = write(extent).tokens;
    let others = parts.merged.diagnostics.len().min(24);
    let room = (now + budget / 8).min(budget);
    extent.others = most(0, others, |others| write(Extent { others, ..extent }).tokens <= room);
    let far = parts
        .pieces
        .iter()
        .position(|piece| piece.role >= Role::Hop2)
        .unwrap_or(parts.pieces.len());
    let near = most(0, far, |pieces| write(Extent { pieces, ..extent }).tokens <= budget);
    extent.pieces = near;
    if near == far {
        // What is further away is for orientation: it does not use the budget up.
        let room = budget * 3 / 10;
        extent.pieces = most(far, parts.pieces.len(), |pieces| {
            write(Extent { pieces, ..extent }).tokens <= room
        });
    }
    write(extent)
}

/// The largest number from `low` to `high` that fits, given that smaller ones do where larger ones do.
fn most(low: usize, high: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

fn pack_of(parts: &ContextParts, extent: Extent, budget: u64, tools: &Tools<'_>) -> ContextPackV2 {
    let window = parts.windows.get(extent.window);
    let kept: Vec<&Piece> =
        window.into_iter().chain(parts.pieces.iter().take(extent.pieces)).collect();
    let files: BTreeSet<&str> = kept
        .iter()
        .map(|piece| piece.file.as_str())
        .filter(|file| parts.sources.contains_key(*file))
        .collect();
    let mut inputs: Vec<FileDigest> = parts.diag.iter().cloned().collect();
    let first = inputs.len();
    inputs.extend(files.iter().filter_map(|file| {
        let source = parts.sources.get(*file)?;
        let (path, sha256) = ((*file).to_owned(), source.sha256.clone());
        Some(FileDigest { path, sha256, bytes_len: source.bytes_len })
    }));
    let mut shown = Shown::default();
    let mut slices = Vec::new();
    for piece in kept {
        let Some(source) = parts.sources.get(&piece.file) else { continue };
        let index = first + files.iter().position(|file| *file == piece.file).unwrap_or_default();
        slices.extend(shown.slice(piece, source, index, tools));
    }
    in_order(&mut slices, parts, &inputs);
    let next = if parts.asked.is_some() { shown.next(parts, extent) } else { Vec::new() };
    let diagnostics = payload(parts, extent);
    let total = parts.merged.diagnostics.len();
    let kept_diagnostics = diagnostics.len();
    ContextPackV2 {
        toolchain: Toolchain { name: "portolan".into(), version: parts.version.clone() },
        project: ProjectV2 {
            root: ".".into(),
            languages: parts.languages.iter().cloned().collect(),
            base: parts.base.as_ref().map(|(id, _)| id.chars().take(12).collect()),
        },
        focus: focus_of(parts),
        diagnostics,
        groups: groups_of(parts, extent),
        suspects: suspects_of(parts, extent),
        base: base_of(parts, extent),
        asked: parts.asked.as_ref().map(|asked| AskedV2 {
            task: asked.task.as_ref().map(|task| shown::clip(task, extent.words)),
            ..asked.clone()
        }),
        tests: parts.tests.iter().take(extent.lists).cloned().collect(),
        vanished: parts.vanished.iter().take(extent.lists.min(MOST_VANISHED)).cloned().collect(),
        next,
        code: CodeV2 {
            slices,
            meta: CodeMetaV2 {
                enclosure: "decl".into(),
                closure: "all".into(),
                budget,
                omitted: OmittedV2 {
                    slices: parts.pieces.len().saturating_sub(extent.pieces) as u64,
                    diagnostics: (total - kept_diagnostics) as u64,
                },
                unresolved: parts.unresolved.iter().take(extent.lists.min(20)).cloned().collect(),
                truncated: extent.pieces < parts.pieces.len()
                    || extent.window > 0 && !parts.windows.is_empty(),
            },
        },
        digests: Digests { inputs, outputs: Vec::new() },
    }
}

/// Puts what is likely to change in the order of a reader: the likeliest file first, each from top to bottom. What is
/// shown of them was chosen by what it costs, which tells a reader nothing.
fn in_order(slices: &mut [SliceV2], parts: &ContextParts, inputs: &[FileDigest]) {
    let is_edit = |slice: &SliceV2| slice.role == Role::Edit.as_str();
    let places: Vec<usize> = (0..slices.len()).filter(|at| is_edit(&slices[*at])).collect();
    let mut edits: Vec<SliceV2> = places.iter().map(|at| slices[*at].clone()).collect();
    let place = |slice: &SliceV2| {
        let path = &inputs.get(slice.file as usize)?.path;
        parts.order.iter().position(|file| file == path)
    };
    edits.sort_by_cached_key(|slice| {
        (place(slice).unwrap_or(usize::MAX), slice.file, slice.lines.first().map(|lines| lines[0]))
    });
    for (at, slice) in places.into_iter().zip(edits) {
        slices[at] = slice;
    }
}

/// Whether a name can be asked for.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

fn focus_of(parts: &ContextParts) -> Option<FocusV2> {
    let at = parts.focus?;
    let diagnostic = parts.merged.diagnostics.get(at)?;
    Some(FocusV2 {
        diag_index: at as u64,
        diag_code: diagnostic.code.clone(),
        loc: diagnostic.place.as_ref().map(|place| LocV2 {
            file: place.file.clone(),
            line: place.line,
            col: parts.focus_col.or(place.col),
        }),
        rule: parts.rule.word().to_owned(),
        group: parts.merged.group_of.get(at).copied().unwrap_or_default() as u64,
    })
}

fn groups_of(parts: &ContextParts, extent: Extent) -> Vec<GroupV2> {
    let groups = parts.merged.groups.iter().enumerate().take(extent.lists.min(12));
    groups
        .map(|(id, group)| GroupV2 {
            id: id as u64,
            template: shown::clip(&group.template, extent.words),
            count: group.count as u64,
            files: group.files as u64,
            first: group.first as u64,
        })
        .collect()
}

fn suspects_of(parts: &ContextParts, extent: Extent) -> Vec<SuspectV2> {
    let suspects = parts.suspects.iter().take(extent.lists.min(5));
    suspects
        .map(|suspect| SuspectV2 {
            name: suspect.name.clone(),
            file: suspect.file.clone(),
            line: suspect.line,
            votes: suspect.votes as u64,
            of: suspect.of as u64,
            changed: suspect.is_changed,
        })
        .collect()
}

fn base_of(parts: &ContextParts, extent: Extent) -> Option<BaseV2> {
    let (revision, changes) = parts.base.as_ref()?;
    Some(BaseV2 {
        revision: revision.clone(),
        to: parts.to.clone(),
        changes: changes
            .iter()
            .take(extent.lists.min(8))
            .map(|change| ChangeV2 {
                file: change.file.clone(),
                lines: [change.lines.0, change.lines.1],
                before: shown::clip(&change.before, extent.words.min(800)),
            })
            .collect(),
        more: changes.len().saturating_sub(8) as u64,
        files: parts.changed_files.iter().take(extent.lists * FILES_PER_LIST).cloned().collect(),
        notes: notes_of(parts, extent),
    })
}

/// What was not looked at, and what is not named.
fn notes_of(parts: &ContextParts, extent: Extent) -> Vec<String> {
    let more = parts.changed_files.len().saturating_sub(extent.lists * FILES_PER_LIST);
    let more = (more > 0).then(|| format!("{more} more changed files are not named here"));
    parts.notes.iter().cloned().chain(more).collect()
}

impl Shown {
    /// What did not fit: the lines that are not shown, by where they are, with what they cost.
    fn next(&self, parts: &ContextParts, extent: Extent) -> Vec<NextV2> {
        let mut next: Vec<Next<'_>> = Vec::new();
        for piece in parts.pieces.iter().skip(extent.pieces) {
            if !parts.sources.contains_key(&piece.file) {
                continue;
            }
            let Some((from, to)) = in_one(&self.left(piece)) else { continue };
            let joins = |it: &&mut Next<'_>| {
                it.piece.file == piece.file && from <= it.lines.1 + 2 && it.lines.0 <= to + 2
            };
            let is_full = next.len() >= MOST_NEXT.min(extent.lists);
            match next.iter_mut().find(joins) {
                Some(one) => one.lines = (one.lines.0.min(from), one.lines.1.max(to)),
                None if is_full => break,
                // Nobody asks for a line or two.
                None if piece.role == Role::Edit && to + 1 - from < SHORT_NEXT => {}
                None => next.push(Next { piece, lines: (from, to) }),
            }
        }
        next.into_iter().filter_map(|one| one.told(parts)).collect()
    }

    /// What a piece adds to what is shown already.
    fn slice(
        &mut self,
        piece: &Piece,
        source: &SourceFile,
        file: usize,
        tools: &Tools<'_>,
    ) -> Option<SliceV2> {
        let (ranges, text, elided) = self.add(piece, source)?;
        Some(SliceV2 {
            role: piece.role.as_str().to_owned(),
            why: piece.why.clone(),
            file: file as u64,
            decl: piece.decl.as_ref().map(|decl| DeclV2 {
                kind: decl.kind.clone(),
                name: decl.name.clone(),
                lines: [decl.lines.0, decl.lines.1],
            }),
            lines: ranges.iter().map(|(first, last)| [*first, *last]).collect(),
            elided: elided
                .iter()
                .map(|(first, last)| ElidedV2 { lines: [*first, *last] })
                .collect(),
            sha256: (tools.digest)(&text),
            text,
        })
    }
}

/// Lines that did not fit.
struct Next<'p> {
    piece: &'p Piece,
    lines: (u32, u32),
}

impl Next<'_> {
    fn told(&self, parts: &ContextParts) -> Option<NextV2> {
        let source = parts.sources.get(&self.piece.file)?;
        let (from, to) = self.lines;
        let lines = source.text.lines().skip(from as usize - 1).take((to + 1 - from) as usize);
        let bytes: usize = lines.map(|line| line.len() + 1).sum();
        let name = self.piece.decl.as_ref().map(|decl| decl.name.clone());
        Some(NextV2 {
            id: format!("{}:{from}-{to}", self.piece.file),
            name: name.filter(|name| is_name(name)),
            tokens: bytes as u64 / 4 + 1,
            why: self.piece.why.join(", "),
        })
    }
}

/// Some lines as one range: from the first to the last where most between are of them, else the longest.
fn in_one(ranges: &[(u32, u32)]) -> Option<(u32, u32)> {
    let (first, last) = (ranges.first()?.0, ranges.last()?.1);
    let length = |(from, to): &(u32, u32)| to + 1 - from;
    let lines: u32 = ranges.iter().map(length).sum();
    if last + 1 - first <= 2 * lines + 4 {
        return Some((first, last));
    }
    ranges.iter().copied().max_by_key(|range| (length(range), std::cmp::Reverse(range.0)))
}

#[cfg(test)]
mod tests;
