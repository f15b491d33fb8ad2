//! The order in which things are shown, from what is shown always to what is shown where there is room.
//!
//! 1. Of the focus: the line that was asked about, or where it begins; then what is around that, a few lines at
//!    first; where it begins and ends.
//! 2. The rest of a focus that is small.
//! 3. What the focus names, as short as it can be said.
//! 4. The rest of a focus that is neither small nor large.
//! 5. The members that the focus uses, then what it names in more words.
//!
//! Then, while there is much room, the rest of a large focus, and what all that names in turn
//! ([`far_piece`]).

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_symbols::resolver::{Need, Needs, Place};
use portolan_symbols::text::{Show, lines_of};

use super::{FocusedLines, SliceRequest};
use portolan_index::symbols::SymbolDb;

/// A part of what is shown.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) file: FileId,
    pub(super) role: &'static str,
    pub(super) ranges: Vec<(u32, u32)>,
    /// Whether it is the first that is shown of something that is needed.
    pub(super) is_need: bool,
}

/// What is shown, in this order.
pub(super) struct Ladder {
    /// What is shown while it fits.
    pub(super) near: Vec<Piece>,
    /// The rest of what is in focus and large.
    pub(super) large: Vec<Piece>,
}

/// A focus of up to this many bytes (about 1,000 tokens) comes before its needs.
const SMALL_FOCUS: usize = 3_500;
/// A focus of up to this many bytes (about 4,500 tokens) comes before the members it uses.
const MEDIUM_FOCUS: usize = 15_000;
/// This many lines on either side of a place come first,
const NEXT: u32 = 3;
/// then this many, and then this many more each time.
const NEAR: u32 = 15;

/// All that may be shown, in the order in which it is.
pub(super) fn ladder(
    symbols: &SymbolDb<'_>,
    focus: &[FocusedLines],
    needed: &Needs,
    request: &SliceRequest,
) -> Ladder {
    let regions: Vec<Region> = focus.iter().filter_map(|one| Region::of(symbols, one)).collect();
    let (is_full, is_alone) = (request.full, request.hops == 0);
    let mut pieces: Vec<Piece> = regions.iter().map(Region::line).collect();
    pieces.extend(regions.iter().flat_map(Region::core));
    let rest = |from: usize, to: usize| {
        let of_size = regions.iter().filter(move |it| from < it.size && it.size <= to);
        of_size.flat_map(Region::rings)
    };
    let near = || needed.needs.iter().filter(|need| need.hop == 1);
    let named = |is_named: bool| near().filter(move |need| need.is_named == is_named);
    let short = if is_full { Show::Whole } else { Show::Start };
    let first = |need: &Need| {
        let piece = need_piece(symbols, need, short, &needed.mentioned);
        piece.map(|piece| Piece { is_need: true, ..piece })
    };
    pieces.extend(rest(0, SMALL_FOCUS));
    pieces.extend(named(true).filter_map(first));
    pieces.extend(rest(SMALL_FOCUS, MEDIUM_FOCUS));
    pieces.extend(named(false).filter_map(first));
    pieces
        .extend(near().filter_map(|need| need_piece(symbols, need, Show::Head, &needed.mentioned)));
    let large: Vec<Piece> = rest(MEDIUM_FOCUS, usize::MAX).collect();
    if is_alone {
        pieces.extend(large);
        return Ladder { near: pieces, large: Vec::new() };
    }
    Ladder { near: pieces, large }
}

/// What is farther away than one hop.
pub(super) fn far_piece(symbols: &SymbolDb<'_>, need: &Need, needed: &Needs) -> Option<Piece> {
    let piece = need_piece(symbols, need, Show::Head, &needed.mentioned);
    piece.map(|piece| Piece { is_need: true, ..piece })
}

/// What is shown of a focus.
struct Region {
    file: FileId,
    /// Where it begins and ends.
    frame: Vec<(u32, u32)>,
    /// All of it.
    whole: (u32, u32),
    /// The line that was asked about, or where it begins.
    asked: u32,
    /// Whether a line was asked about that is among those to show.
    is_at_place: bool,
    /// What comes first of it.
    near: (u32, u32),
    size: usize,
    /// The only lines of it to show; all, if there are none.
    only: Vec<(u32, u32)>,
}

impl Region {
    fn of(symbols: &SymbolDb<'_>, region: &FocusedLines) -> Option<Self> {
        let Place { file, item } = region.focus.place;
        let loaded = symbols.shown(file)?;
        let lines = &loaded.lines;
        let (first, last) = region.lines;
        let size = lines.span(last).end.saturating_sub(lines.span(first).start) as usize;
        let place = region.focus.at.map(|at| lines.of(at).clamp(first, last));
        let mut frame = Vec::new();
        let mut asked = place.unwrap_or(first);
        if let Some(declared) = loaded.facts.item(item) {
            let body = declared.body;
            let head = if body.is_empty() { first } else { lines.of(body.start) };
            frame.extend([(first, head.clamp(first, first + NEAR)), (last, last)]);
            asked = place.unwrap_or(lines.of(declared.at)).clamp(first, last);
        }
        let near = match place {
            Some(place) => (place.saturating_sub(NEAR).max(first), (place + NEAR).min(last)),
            None => (first, (first + NEAR).min(last)),
        };
        let only = region.only.clone();
        let is_shown = |at: u32| only.iter().any(|(from, to)| (*from..=*to).contains(&at));
        let is_at_place = place.is_some_and(is_shown);
        Some(Self { file, frame, whole: (first, last), asked, is_at_place, near, size, only })
    }

    fn piece(&self, ranges: Vec<(u32, u32)>) -> Piece {
        Piece { file: self.file, role: "focus", ranges, is_need: false }
    }

    fn line(&self) -> Piece {
        match self.only.first() {
            Some(first) if !self.is_at_place => self.piece(vec![*first]),
            _ => self.piece(vec![(self.asked, self.asked)]),
        }
    }

    fn core(&self) -> Vec<Piece> {
        if self.is_at_place && !self.only.is_empty() {
            // The lines nearest to the place come first, and the heads above it last.
            let is_near = |range: &(u32, u32)| range.0 <= self.asked && self.asked <= range.1;
            let (near, others): (Vec<_>, Vec<_>) = self.only.iter().copied().partition(is_near);
            let next = |(from, to): &(u32, u32)| {
                (self.asked.saturating_sub(NEXT).max(*from), (self.asked + NEXT).min(*to))
            };
            let first = near.iter().map(next);
            let ranges = first.chain(near.iter().copied());
            let ranges = ranges.chain(others);
            return ranges.map(|range| self.piece(vec![range])).collect();
        }
        if !self.only.is_empty() {
            return self.only.iter().skip(1).map(|range| self.piece(vec![*range])).collect();
        }
        let next = (
            self.asked.saturating_sub(NEXT).max(self.near.0),
            (self.asked + NEXT).min(self.near.1.max(self.asked)),
        );
        vec![self.piece(vec![next]), self.piece(self.frame.clone()), self.piece(vec![self.near])]
    }

    /// The rest, a few lines more on either side each time: only those, since what comes before is shown already.
    fn rings(&self) -> impl Iterator<Item = Piece> {
        let (first, last) = self.whole;
        let mut near = if self.only.is_empty() { self.near } else { self.whole };
        std::iter::from_fn(move || {
            if near == (first, last) {
                return None;
            }
            let (from, to) = near;
            near = (from.saturating_sub(NEAR).max(first), (to + NEAR).min(last));
            Some(self.piece(vec![(near.0, from), (to, near.1)]))
        })
    }
}

fn need_piece(
    symbols: &SymbolDb<'_>,
    need: &Need,
    show: Show,
    mentioned: &BTreeSet<Box<str>>,
) -> Option<Piece> {
    let Place { file, item } = need.place;
    let loaded = symbols.load(file)?;
    let ranges = lines_of(&loaded.source(), item, show, mentioned);
    let role = match need.hop {
        1 => "hop1",
        2 => "hop2",
        _ => "hop3",
    };
    Some(Piece { file, role, ranges, is_need: false })
}
