//! Text around some declarations, cut to a budget.
//!
//! Pieces are put in a fixed order ([`ladder`]) and taken from the front while they fit, so a larger
//! budget shows all that a smaller one does, and more.

mod ladder;
mod missing;

use std::collections::{BTreeMap, BTreeSet};

use portolan_symbols::resolver::{Need, Needs, Place, Resolver, SymbolSource as _, needs};
use portolan_symbols::text::{ShownFiles as Shown, ShownRegion, render_file};
use portolan_types::declarations::{NONE, Span};
use portolan_types::{FileId, Sha256Digest, escape_invisible};

use self::ladder::{Ladder, Piece, far_piece, ladder};
use self::missing::leave_out;
use crate::unresolved::{Unresolved, unresolved_of};
use portolan_index::symbols::SymbolDb;
use portolan_index::token_counts::Tokenizer;
pub use portolan_wire::question::Closure;

/// What a slice is made around. A place of which the item is [`NONE`] is the file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Focus {
    /// The declaration or member.
    pub place: Place,
    /// The place in the text that was asked about, if it was one.
    pub at: Option<u32>,
}

/// Lines of a file that a slice is made around.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FocusedLines {
    /// The declaration, or the file, that they are of.
    pub focus: Focus,
    /// The first and the last of them.
    pub lines: (u32, u32),
    /// The only ones of them to show; all, if there are none.
    pub only: Vec<(u32, u32)>,
    /// The line above them that says what they are.
    pub heading: Option<String>,
}

impl FocusedLines {
    /// All lines of a declaration, or of a file.
    pub fn of(symbols: &SymbolDb<'_>, focus: Focus) -> Option<Self> {
        let loaded = symbols.shown(focus.place.file)?;
        let lines = match loaded.facts.item(focus.place.item) {
            Some(item) => {
                let start = if item.doc == NONE { item.span.start } else { item.doc };
                (loaded.lines.of(start), loaded.lines.last_of(item.span))
            }
            None => (1, loaded.lines.count()),
        };
        Some(Self { focus, lines, only: Vec::new(), heading: None })
    }
}

/// How text is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceRequest {
    /// The most tokens it may cost, with the line that says what is left out.
    pub budget: u64,
    /// How far what is needed is followed; 0 for not at all.
    pub hops: u8,
    /// Whether what the focus names is shown whole.
    pub full: bool,
    /// Which of what is needed is shown.
    pub closure: Closure,
    /// The most bytes that the text may have.
    pub max_bytes: Option<usize>,
    /// The most declarations that are needed that may be shown.
    pub max_nodes: Option<usize>,
}

impl Default for SliceRequest {
    fn default() -> Self {
        Self {
            budget: 8_000,
            hops: 3,
            full: false,
            closure: Closure::All,
            max_bytes: None,
            max_nodes: None,
        }
    }
}

/// Text around some declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceSet {
    /// The files, those with a focus first, then by path.
    pub slices: Vec<TextSlice>,
    /// All of it as text.
    pub text: String,
    /// How many declarations that are needed did not fit.
    pub unshown: usize,
    /// The bounds that cut it: `budget`, `max-bytes`, `max-nodes`.
    pub bounds: Vec<&'static str>,
    /// The categories that the closure leaves out.
    pub omitted: Omitted,
    /// What is left out of the lines in focus, by file.
    pub left_out: Vec<(String, u32, u32)>,
    /// Names that could not be resolved.
    pub unresolved: Vec<Unresolved>,
    /// What the focus names and the closure leaves out.
    pub missing: Missing,
}

impl SliceSet {
    /// What the text costs.
    pub fn tokens(&self) -> u64 {
        tokens(&self.text)
    }
}

/// The categories that a closure leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    /// What is in the same file, or some of it.
    pub locals: bool,
    /// Interfaces, aliases, enumerations, or some of them.
    pub types: bool,
    /// What is in other files, or some of it.
    pub imports: bool,
}

impl Omitted {
    /// What a closure leaves out.
    fn by(closure: Closure) -> Self {
        Self {
            locals: matches!(closure, Closure::Types | Closure::Imports),
            types: matches!(closure, Closure::Locals | Closure::Imports),
            imports: matches!(closure, Closure::Locals | Closure::Types),
        }
    }
}

/// Not even the first line fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall {
    /// The least budget that shows something.
    pub tokens: u64,
    /// The least bytes that do.
    pub bytes: usize,
}

/// Names that a closure leaves out, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Of the same file.
    pub locals: Vec<String>,
    /// Of types.
    pub types: Vec<String>,
    /// Of other files.
    pub imports: Vec<String>,
}

/// What is shown of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSlice {
    /// The file.
    pub file: String,
    /// `focus`, or how far away what it declares is: `hop1`, `hop2`, `hop3`.
    pub role: &'static str,
    /// The lines that are shown, as ranges from first to last.
    pub lines: Vec<(u32, u32)>,
    /// The text, with line numbers.
    pub text: String,
    /// The digest of the whole file.
    pub sha256: Sha256Digest,
}

/// The part of the budget that is kept for the line that says what is left out.
const NOTE_TOKENS: u64 = 40;
/// A module that passes on more names than this is not followed for the rest.
const MOST_PASSED: usize = 400;

/// The text around some declarations.
pub fn slices_around(
    symbols: &SymbolDb<'_>,
    regions: &[FocusedLines],
    request: &SliceRequest,
) -> Result<SliceSet, TooSmall> {
    let focus: Vec<Focus> = regions.iter().map(|region| region.focus).collect();
    let needed =
        if request.hops == 0 { Needs::default() } else { needs_of(symbols, regions, request.hops) };
    let mut ordered: Vec<Need> = needed.needs.clone();
    ordered.sort_by_key(|need| (need.hop, !need.is_named, !need.is_exact));
    let missing = leave_out(symbols, &mut ordered, &focus, request.closure);
    let allowed = request.max_nodes.unwrap_or(ordered.len()).min(ordered.len());
    let beyond = ordered.split_off(allowed).len();
    let needed = Needs { needs: ordered, ..needed };
    let ladder = ladder(symbols, regions, &needed, request);
    let choice = Choice { symbols, ladder: &ladder, needed: &needed, regions };
    let mut request = *request;
    let mut chosen = choice.choose(&request);
    if beyond > 0 || !chosen.is_all {
        request.budget = request.budget.saturating_sub(NOTE_TOKENS);
        chosen = choice.choose(&request);
    }
    if !choice.fits(&chosen.pieces, &request, Budget::Tokens(request.budget)) {
        let least = choice.written(chosen.pieces.get(..1).unwrap_or_default()).text;
        let tokens = tokens(&least) + NOTE_TOKENS;
        return Err(TooSmall { tokens, bytes: least.len() });
    }
    let mut set = choice.written(&chosen.pieces);
    let shown = chosen.pieces.iter().filter(|piece| piece.is_need).count();
    set.unshown = beyond + needed.needs.len().saturating_sub(shown);
    if !chosen.is_all {
        let unbound = choice.choose(&SliceRequest { max_bytes: None, ..request });
        let is_bytes = unbound.pieces.len() > chosen.pieces.len();
        set.bounds.push(if is_bytes { "max-bytes" } else { "budget" });
        set.left_out = left_out(symbols, regions, &set);
    }
    set.bounds.extend((beyond > 0).then_some("max-nodes"));
    set.omitted = Omitted::by(request.closure);
    set.missing = missing;
    set.unresolved = unresolved_of(symbols, &needed);
    Ok(set)
}

/// What the lines in focus need, and what files pass on that declare nothing themselves.
pub(super) fn needs_of(symbols: &SymbolDb<'_>, regions: &[FocusedLines], hops: u8) -> Needs {
    let resolver = Resolver::new(symbols);
    let spans: Vec<(FileId, Span)> =
        regions.iter().filter_map(|region| span_of(symbols, region)).collect();
    let mut found = needs(&resolver, &spans, hops);
    let focus: Vec<Focus> = regions.iter().map(|region| region.focus).collect();
    found.needs.extend(passed_on(symbols, &resolver, &focus));
    found
}

/// The lines in focus that were to be shown and are not.
fn left_out(
    symbols: &SymbolDb<'_>,
    regions: &[FocusedLines],
    set: &SliceSet,
) -> Vec<(String, u32, u32)> {
    let mut left = Vec::new();
    for region in regions {
        let path = symbols.path(region.focus.place.file);
        let slices = set.slices.iter().filter(|slice| slice.file == path);
        let shown: Vec<(u32, u32)> = slices.flat_map(|slice| slice.lines.clone()).collect();
        let all = [region.lines];
        let wanted = if region.only.is_empty() { &all[..] } else { &region.only };
        for (first, last) in wanted {
            let gaps = gaps((*first, *last), &shown).into_iter();
            left.extend(gaps.map(|(first, last)| (path.clone(), first, last)));
        }
    }
    left
}

/// The parts of a range that none of some others, in their order, covers.
fn gaps((first, last): (u32, u32), shown: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let (mut gaps, mut from) = (Vec::new(), first);
    for (start, end) in shown.iter().filter(|(start, end)| *end >= first && *start <= last) {
        if *start > from {
            gaps.push((from, start - 1));
        }
        from = from.max(end + 1);
    }
    if from <= last {
        gaps.push((from, last));
    }
    gaps
}

/// The re-exports of files in focus that declare nothing themselves.
fn passed_on(symbols: &SymbolDb<'_>, resolver: &Resolver<'_>, focus: &[Focus]) -> Vec<Need> {
    let mut places = BTreeSet::new();
    for focus in focus.iter().filter(|focus| focus.place.item == NONE) {
        let file = focus.place.file;
        let declares = symbols.file(file).is_some_and(|facts| !facts.items.is_empty());
        if declares {
            continue;
        }
        for name in resolver.exported_names(file).iter().take(MOST_PASSED) {
            places.extend(resolver.exported(file, name).places);
        }
    }
    let need = |place| Need { place, hop: 1, is_exact: true, is_named: true };
    places.into_iter().map(need).collect()
}

/// What may be shown.
struct Choice<'c, 'l> {
    symbols: &'c SymbolDb<'l>,
    ladder: &'c Ladder,
    needed: &'c Needs,
    regions: &'c [FocusedLines],
}

/// What is shown.
struct Chosen {
    pieces: Vec<Piece>,
    /// Whether that is all there is.
    is_all: bool,
}

impl Choice<'_, '_> {
    /// As many pieces from the front as fit, at least one.
    fn choose(&self, request: &SliceRequest) -> Chosen {
        let mut pieces = self.ladder.near.clone();
        let near = pieces.len();
        let fits = |pieces: &[Piece], budget: Budget| self.fits(pieces, request, budget);
        let whole = Budget::Tokens(request.budget);
        let mut count = most(&pieces, near.min(1), |shown| fits(shown, whole));
        let mut is_all = count == near;
        if is_all {
            let more = Budget::Tokens(request.budget / 8 * 5);
            pieces.extend(self.ladder.large.iter().cloned());
            count = most(&pieces, near, |shown| fits(shown, more));
            is_all = count == pieces.len();
        }
        if is_all {
            count = self.add_far(&mut pieces, request);
            let far = self.needed.needs.iter().filter(|need| need.hop > 1).count();
            is_all = count == near + self.ladder.large.len() + far;
        }
        pieces.truncate(count);
        Chosen { pieces, is_all }
    }

    fn fits(&self, pieces: &[Piece], request: &SliceRequest, budget: Budget) -> bool {
        let text = self.written(pieces).text;
        let is_bounded = request.max_bytes.is_none_or(|most| text.len() <= most);
        is_bounded
            && match budget {
                Budget::Bytes(most) => text.len() as u64 <= most,
                // No token is shorter than a byte.
                Budget::Tokens(most) => text.len() as u64 <= most || tokens(&text) <= most,
            }
    }

    /// Adds what is two hops away or more, while about an eighth of the budget is not used up: it is for
    /// orientation. Gives how many pieces fit in all.
    fn add_far(&self, pieces: &mut Vec<Piece>, request: &SliceRequest) -> usize {
        let budget = Budget::Bytes(request.budget / 2);
        let mut far = self.needed.needs.iter().filter(|need| need.hop > 1);
        let (mut fitting, mut step) = (pieces.len(), 8);
        loop {
            let next = far.by_ref().take(step);
            let next = next.filter_map(|need| far_piece(self.symbols, need, self.needed));
            let before = pieces.len();
            pieces.extend(next);
            if pieces.len() > before && self.fits(pieces, request, budget) {
                (fitting, step) = (pieces.len(), step * 2);
                continue;
            }
            return most(pieces, fitting, |shown| self.fits(shown, request, budget));
        }
    }

    fn written(&self, pieces: &[Piece]) -> SliceSet {
        written(self.symbols, pieces, self.regions)
    }
}

fn span_of(symbols: &SymbolDb<'_>, region: &FocusedLines) -> Option<(FileId, Span)> {
    let Place { file, item } = region.focus.place;
    if let Some(item) = symbols.file(file)?.item(item) {
        return Some((file, item.span));
    }
    let lines = &symbols.shown(file)?.lines;
    let (first, last) = region.lines;
    Some((file, Span::new(lines.span(first).start, lines.span(last).end)))
}

/// What a text may take.
#[derive(Clone, Copy)]
enum Budget {
    Tokens(u64),
    /// For what is there for orientation: the tokenizer takes longer to start than all the rest.
    Bytes(u64),
}

/// How many of the pieces fit, at least `low`, given that fewer do where more do.
fn most(pieces: &[Piece], low: usize, fits: impl Fn(&[Piece]) -> bool) -> usize {
    let (mut low, mut high) = (low, pieces.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(pieces.get(..middle).unwrap_or_default()) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// What a text costs.
fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}

fn lines_of_pieces<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Shown {
    let mut shown = Shown::default();
    for piece in pieces {
        shown.add(piece.file, &piece.ranges);
    }
    shown
}

fn written(symbols: &SymbolDb<'_>, pieces: &[Piece], regions: &[FocusedLines]) -> SliceSet {
    let shown = lines_of_pieces(pieces.iter());
    let mut roles: BTreeMap<FileId, &'static str> = BTreeMap::new();
    for piece in pieces {
        let role = roles.entry(piece.file).or_insert(piece.role);
        if piece.role < *role {
            *role = piece.role;
        }
    }
    let mut set = SliceSet::default();
    for (file, lines) in &shown.files {
        let Some(loaded) = symbols.shown(*file) else { continue };
        let here = regions.iter().filter(|region| region.focus.place.file == *file);
        let mut here: Vec<ShownRegion> = here.map(shown_region).collect();
        here.sort();
        let slice = render_file(&loaded.source(), lines, &here);
        set.slices.push(TextSlice {
            file: symbols.path(*file),
            role: roles.get(file).copied().unwrap_or("hop1"),
            lines: slice.lines,
            text: slice.text,
            sha256: loaded.sha256,
        });
    }
    set.slices.sort_by(|left, right| {
        (left.role != "focus", &left.file).cmp(&(right.role != "focus", &right.file))
    });
    for slice in &set.slices {
        set.text.push_str(&escape_invisible(&slice.file));
        set.text.push('\n');
        set.text.push_str(&slice.text);
    }
    set
}

fn shown_region(region: &FocusedLines) -> ShownRegion {
    let (first, last) = region.lines;
    ShownRegion { first, last, heading: region.heading.clone() }
}
