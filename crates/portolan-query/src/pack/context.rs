//! Packs for real languages: the diagnostics and the code around the focused one, cut to a budget.
//!
//! Candidates come in a fixed order, nearest first, and are taken from the front while they fit. So
//! a larger budget shows everything that a smaller one shows, and more.

mod document;
mod shown_lines;
mod task_document;

use std::collections::{BTreeMap, BTreeSet};

use portolan_wire::context::{
    AskedV2, BaseV2, ChangeV2, ChangedFileV2, CodeMetaV2, CodeV2, ContextPackV2, DeclV2, ElidedV2,
    FocusV2, FoundV2, GroupV2, LocV2, NextV2, OmittedV2, ProjectV2, SliceV2, SuspectV2, TestV2,
    VanishedV2,
};
use portolan_wire::pack::Toolchain;
use portolan_wire::slice::{Digests, FileDigest};

pub use document::{failure_line, to_document};
use portolan_diagnostics::focus::{FocusRule, MergedDiagnostics};
pub use shown_lines::is_clipped;
use shown_lines::{FileLines, ShownLines, payload};

/// Why a slice is in a pack, nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SliceRole {
    /// The declaration or the lines around the focused location.
    Focus,
    /// Code that was running, or is run, and changed since the base.
    Suspect,
    /// A location that belongs to the diagnostic.
    Related,
    /// A declaration that the message names.
    Named,
    /// Code that changed since the base.
    Changed,
    /// Code that is likely to be edited.
    Edit,
    /// A user of something that changed.
    User,
    /// Code that the changed or likely edited code uses.
    Uses,
    /// A declaration that the focus needs.
    Hop1,
    /// The body of a function that the failing code runs.
    Body,
    /// A declaration that a `Hop1` needs.
    Hop2,
    /// A declaration that a `Hop2` needs.
    Hop3,
}

impl SliceRole {
    /// The name in the pack.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Focus => "focus",
            Self::Suspect => "suspect",
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

/// A declaration that a slice shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceDecl {
    /// The kind of declaration.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The name of the declaration that it is a member of.
    pub owner: Option<String>,
    /// The first and the last line.
    pub lines: (u32, u32),
}

/// Lines of a file that may become a slice of the pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceCandidate {
    /// The role of the slice.
    pub role: SliceRole,
    /// The reasons, one sentence fragment each.
    pub why: Vec<String>,
    /// The file.
    pub file: String,
    /// The declaration that the lines belong to, if any.
    pub decl: Option<SliceDecl>,
    /// The line ranges, from 1 and inclusive.
    pub ranges: Vec<(u32, u32)>,
}

/// A file that slices are cut from. It is read once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The text of the file.
    pub text: String,
    /// The digest of its bytes.
    pub sha256: String,
    /// The number of bytes.
    pub bytes_len: u64,
}

/// A declaration that several errors have in common, or that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its name.
    pub name: String,
    /// The file that declares it.
    pub file: String,
    /// The line of the declaration.
    pub line: u32,
    /// How many of the examined errors need it.
    pub votes: usize,
    /// How many errors were examined.
    pub of: usize,
    /// Whether it changed since the base.
    pub is_changed: bool,
    /// Whether it was running when the failure was raised.
    pub is_on_stack: bool,
}

/// A change since the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The file.
    pub file: String,
    /// The lines now. If lines were only deleted, the lines around the deletion.
    pub lines: (u32, u32),
    /// The lines before the change.
    pub before: String,
}

/// The inputs of a context pack.
#[derive(Clone, Debug, Default)]
pub struct ContextParts {
    /// The version of this program.
    pub version: String,
    /// The tool output that was read.
    pub diag: Option<FileDigest>,
    /// The diagnostics, merged and grouped.
    pub merged: MergedDiagnostics,
    /// The index of the focused diagnostic.
    pub focus: Option<usize>,
    /// The column of the focus in UTF-16 units.
    pub focus_col: Option<u32>,
    /// The rule that chose the focus.
    pub rule: FocusRule,
    /// Diagnostics that no change of the code repairs, in a sentence.
    pub environment: Option<String>,
    /// The suspects, best first.
    pub suspects: Vec<Suspect>,
    /// Windows around the focus, from the largest to the smallest.
    pub windows: Vec<SliceCandidate>,
    /// The other candidates, nearest first.
    pub pieces: Vec<SliceCandidate>,
    /// The places that a task may be about, best first.
    pub places: Vec<FoundV2>,
    /// What the evidence for them is.
    pub evidence: Option<String>,
    /// The files that the candidates are cut from.
    pub sources: BTreeMap<String, SourceFile>,
    /// The base revision and the changes since.
    pub base: Option<(String, Vec<Changed>)>,
    /// Names that could not be resolved.
    pub unresolved: Vec<String>,
    /// The languages of the files.
    pub languages: BTreeSet<String>,
    /// The request, if the pack is not about a failure.
    pub asked: Option<AskedV2>,
    /// The tests of the changed code, likeliest first.
    pub tests: Vec<TestV2>,
    /// Removed exports that other files still import.
    pub vanished: Vec<VanishedV2>,
    /// The commit after the requested change; none if it is the working tree.
    pub to: Option<String>,
    /// The files that changed.
    pub changed_files: Vec<ChangedFileV2>,
    /// Notes about what was not examined.
    pub notes: Vec<String>,
}

/// The output format of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackFormat {
    /// Canonical JSON.
    Json,
    /// A Markdown document for people and chats.
    Markdown,
}

/// A pack as data and as rendered text.
#[derive(Clone, Debug)]
pub struct RenderedPack {
    /// The pack.
    pub pack: ContextPackV2,
    /// The rendered text.
    pub text: String,
    /// The number of tokens of the text.
    pub tokens: u64,
}

/// The most tests that a pack names.
const MOST_TESTS: usize = 30;
/// The most removed exports that a pack lists.
const MOST_VANISHED: usize = 20;
/// The pack names this many changed files for each entry that its lists may have.
const FILES_PER_LIST: usize = 4;
/// The most omitted ranges that a pack names.
const MOST_NEXT: usize = 12;
/// The same for a task, which the next search leads further.
const MOST_NEXT_OF_TASK: usize = 3;
/// An omitted range of a likely edit is named only if it has at least this many lines.
const SHORT_NEXT: u32 = 3;

/// The default budget in tokens for a task that is shown: the list of places, and two or three bodies.
pub const TASK_BUDGET: u64 = 1_500;
/// The default budget in tokens for a task that a file or a program gets.
pub const PROGRAM_TASK_BUDGET: u64 = 4_000;
/// The default budget in tokens for a place or a change.
pub const CHANGE_BUDGET: u64 = 16_000;
/// The default budget in tokens for a failure that a file or a program gets.
pub const DEFAULT_BUDGET: u64 = 8_000;
/// The default budget in tokens for a failure that is shown: most need a tenth of it.
pub const FAILURE_BUDGET: u64 = 2_000;
/// The smallest budget: less leaves no room for a diagnostic and its code.
pub const SMALLEST_BUDGET: u64 = 1_000;

/// The functions that the caller lends to this pure crate.
#[derive(Clone, Copy)]
pub struct Tools<'t> {
    /// Counts the tokens of a text.
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
    /// The length of the longest text, in characters.
    words: usize,
    /// The length of the longest list.
    lists: usize,
}

/// Assembles a pack that costs no more than the budget.
pub fn assemble_context(
    parts: &ContextParts,
    budget: u64,
    form: PackFormat,
    tools: &Tools<'_>,
) -> RenderedPack {
    let lines =
        parts.sources.iter().map(|(file, source)| (file.as_str(), source.text.lines().collect()));
    let lines: FileLines<'_> = lines.collect();
    let write = |extent: Extent| {
        let pack = pack_of(parts, &lines, extent, budget, tools);
        let text = match form {
            PackFormat::Json => pack.to_canonical(),
            PackFormat::Markdown => to_document(&pack),
        };
        let tokens = (tools.count)(&text);
        RenderedPack { pack, text, tokens }
    };
    // Take the largest focus window that leaves two thirds of the budget for the rest.
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
    // Other errors take one line each, and at most an eighth of the budget.
    let now = write(extent).tokens;
    let others = parts.merged.diagnostics.len().min(24);
    let room = (now + budget / 8).min(budget);
    extent.others =
        largest_fitting(0, others, |others| write(Extent { others, ..extent }).tokens <= room);
    let far = parts
        .pieces
        .iter()
        .position(|piece| piece.role >= SliceRole::Hop2)
        .unwrap_or(parts.pieces.len());
    let near =
        largest_fitting(0, far, |pieces| write(Extent { pieces, ..extent }).tokens <= budget);
    extent.pieces = near;
    if near == far {
        // Distant code only gives orientation, so it must not use up the budget.
        let room = budget * 3 / 10;
        extent.pieces = largest_fitting(far, parts.pieces.len(), |pieces| {
            write(Extent { pieces, ..extent }).tokens <= room
        });
    }
    write(extent)
}

/// The largest number from `low` to `high` that fits. Requires that every smaller number fits too.
fn largest_fitting(low: usize, high: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (low, high);
    // Small numbers first: what is far too large takes long to write.
    let mut step = 8;
    while low + step < high {
        if !fits(low + step) {
            high = low + step - 1;
            break;
        }
        low += step;
        step *= 2;
    }
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

fn pack_of(
    parts: &ContextParts,
    lines: &FileLines<'_>,
    extent: Extent,
    budget: u64,
    tools: &Tools<'_>,
) -> ContextPackV2 {
    let window = parts.windows.get(extent.window);
    let kept: Vec<&SliceCandidate> =
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
    let mut shown_lines = ShownLines::new(lines);
    let mut slices = Vec::new();
    for piece in kept {
        let index = first + files.iter().position(|file| *file == piece.file).unwrap_or_default();
        slices.extend(shown_lines.slice(piece, index, tools));
    }
    let next = if parts.asked.is_some() { shown_lines.next(parts, extent) } else { Vec::new() };
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
        environment: parts.environment.clone(),
        suspects: suspects_of(parts, extent),
        base: base_of(parts, extent),
        asked: parts.asked.as_ref().map(|asked| AskedV2 {
            task: asked.task.as_ref().map(|task| shown_lines::clip(task, extent.words)),
            ..asked.clone()
        }),
        places: parts.places.clone(),
        evidence: parts.evidence.clone(),
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

/// Whether a reader can ask for this name.
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
        rule: parts.rule.name().to_owned(),
        group: parts.merged.group_of.get(at).copied().unwrap_or_default() as u64,
    })
}

fn groups_of(parts: &ContextParts, extent: Extent) -> Vec<GroupV2> {
    let groups = parts.merged.groups.iter().enumerate().take(extent.lists.min(12));
    groups
        .map(|(id, group)| GroupV2 {
            id: id as u64,
            template: shown_lines::clip(&group.template, extent.words),
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
            on_stack: suspect.is_on_stack,
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
                before: shown_lines::clip(&change.before, extent.words.min(800)),
            })
            .collect(),
        more: changes.len().saturating_sub(8) as u64,
        files: parts.changed_files.iter().take(extent.lists * FILES_PER_LIST).cloned().collect(),
        notes: notes_of(parts, extent),
    })
}

/// Notes about what was not examined and which files are not named.
fn notes_of(parts: &ContextParts, extent: Extent) -> Vec<String> {
    let more = parts.changed_files.len().saturating_sub(extent.lists * FILES_PER_LIST);
    let more = (more > 0).then(|| format!("{more} more changed files are not named here"));
    parts.notes.iter().cloned().chain(more).collect()
}

impl ShownLines<'_> {
    /// The ranges that did not fit, with their locations and costs.
    fn next(&self, parts: &ContextParts, extent: Extent) -> Vec<NextV2> {
        let mut next: Vec<OmittedRange<'_>> = Vec::new();
        let most = if parts.evidence.is_some() { MOST_NEXT_OF_TASK } else { MOST_NEXT };
        for piece in parts.pieces.iter().skip(extent.pieces) {
            if !parts.sources.contains_key(&piece.file) {
                continue;
            }
            let Some((from, to)) = join_ranges(&self.left(piece)) else { continue };
            let joins = |it: &&mut OmittedRange<'_>| {
                it.piece.file == piece.file && from <= it.lines.1 + 2 && it.lines.0 <= to + 2
            };
            let is_full = next.len() >= most.min(extent.lists);
            match next.iter_mut().find(joins) {
                Some(one) => one.lines = (one.lines.0.min(from), one.lines.1.max(to)),
                None if is_full => break,
                // Nobody asks for a line or two.
                None if piece.role == SliceRole::Edit && to + 1 - from < SHORT_NEXT => {}
                None => next.push(OmittedRange { piece, lines: (from, to) }),
            }
        }
        next.into_iter().filter_map(|one| one.to_wire(parts)).collect()
    }

    /// The lines that a candidate adds to those already shown.
    fn slice(&mut self, piece: &SliceCandidate, file: usize, tools: &Tools<'_>) -> Option<SliceV2> {
        let (ranges, text, elided) = self.add(piece)?;
        Some(SliceV2 {
            role: piece.role.as_str().to_owned(),
            why: piece.why.clone(),
            file: file as u64,
            decl: piece.decl.as_ref().map(|decl| DeclV2 {
                kind: decl.kind.clone(),
                name: decl.name.clone(),
                owner: decl.owner.clone(),
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

/// A range of lines that did not fit.
struct OmittedRange<'p> {
    piece: &'p SliceCandidate,
    lines: (u32, u32),
}

impl OmittedRange<'_> {
    fn to_wire(&self, parts: &ContextParts) -> Option<NextV2> {
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

/// Joins ranges into one: the span from first to last if most of its lines are included, else the
/// longest range.
fn join_ranges(ranges: &[(u32, u32)]) -> Option<(u32, u32)> {
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
