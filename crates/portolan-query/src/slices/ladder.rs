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

use std::collections::BTreeSet;

use portolan_symbols::meaning::{Need, Needs, Place};
use portolan_symbols::text::{Show, lines_of};
use portolan_types::declarations::NONE;

use super::Focus;
use portolan_index::symbols::SymbolDb;

/// A part of what is shown.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) file: u32,
    pub(super) role: &'static str,
    pub(super) ranges: Vec<(u32, u32)>,
    /// Whether it is the first that is shown of something that is needed.
    pub(super) is_need: bool,
    /// Whether it is of a file that is in focus as a whole.
    pub(super) is_whole: bool,
}

/// What is shown, in this order.
pub(super) struct Ladder {
    /// What is shown while it fits.
    pub(super) near: Vec<Piece>,
    /// The rest of what is in focus and large.
    pub(super) large: Vec<Piece>,
}

/// A focus of so many bytes (some 1,000 tokens) comes before what it needs.
const SMALL_FOCUS: usize = 3_500;
/// A focus of so many bytes (some 4,500 tokens) comes before the members it uses.
const MEDIUM_FOCUS: usize = 15_000;
/// This many lines on either side of a place come first,
const NEXT: u32 = 3;
/// then this many, and then this many more each time.
const NEAR: u32 = 15;

/// All that may be shown, in the order in which it is.
pub(super) fn ladder(
    symbols: &SymbolDb<'_>,
    focus: &[Focus],
    needed: &Needs,
    is_full: bool,
) -> Ladder {
    let regions: Vec<Region> = focus.iter().filter_map(|one| Region::of(symbols, one)).collect();
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
    Ladder { near: pieces, large: rest(MEDIUM_FOCUS, usize::MAX).collect() }
}

/// What is farther away than one hop.
pub(super) fn far_piece(symbols: &SymbolDb<'_>, need: &Need, needed: &Needs) -> Option<Piece> {
    let piece = need_piece(symbols, need, Show::Head, &needed.mentioned);
    piece.map(|piece| Piece { is_need: true, ..piece })
}

/// What is shown of a focus.
struct Region {
    file: u32,
    /// What is around it, where it begins and ends.
    frame: Vec<(u32, u32)>,
    /// All of it.
    whole: (u32, u32),
    /// The line that was asked about, or where it begins.
    asked: u32,
    /// What comes first of it.
    near: (u32, u32),
    size: usize,
    /// Whether it is a whole file.
    is_file: bool,
}

impl Region {
    fn of(symbols: &SymbolDb<'_>, focus: &Focus) -> Option<Self> {
        let Place { file, item } = focus.place;
        let loaded = symbols.shown(file)?;
        let lines = &loaded.lines;
        let asked = focus.at.map(|at| lines.of(at));
        let Some(declared) = loaded.facts.item(item).filter(|_| item != NONE) else {
            return Some(Self::around(
                file,
                Vec::new(),
                (1, lines.count()),
                asked,
                loaded.text.len(),
            ));
        };
        let mut frame = lines_of(&loaded.source(), item, Show::Whole, &BTreeSet::new());
        let (first, last) = frame.pop()?;
        let size = (lines.span(last).end - lines.span(first).start) as usize;
        let head = if declared.body.is_empty() { first } else { lines.of(declared.body.start) };
        frame.extend([(first, head.min(first + NEAR)), (last, last)]);
        let own = lines.of(declared.at).clamp(first, last);
        let mut region = Self::around(file, frame, (first, last), asked, size);
        if asked.is_none() {
            region.asked = own;
        }
        Some(region)
    }

    fn around(
        file: u32,
        frame: Vec<(u32, u32)>,
        whole: (u32, u32),
        asked: Option<u32>,
        size: usize,
    ) -> Self {
        let (first, last) = whole;
        let near = match asked {
            Some(asked) => (asked.saturating_sub(NEAR).max(first), (asked + NEAR).min(last)),
            None => (first, (first + NEAR).min(last)),
        };
        let asked = asked.unwrap_or(first).clamp(first, last);
        Self { file, is_file: frame.is_empty(), frame, whole, asked, near, size }
    }

    fn piece(&self, ranges: Vec<(u32, u32)>) -> Piece {
        Piece { file: self.file, role: "focus", ranges, is_need: false, is_whole: self.is_file }
    }

    fn line(&self) -> Piece {
        self.piece(vec![(self.asked, self.asked)])
    }

    fn core(&self) -> [Piece; 3] {
        let next = (
            self.asked.saturating_sub(NEXT).max(self.near.0),
            (self.asked + NEXT).min(self.near.1.max(self.asked)),
        );
        [self.piece(vec![next]), self.piece(self.frame.clone()), self.piece(vec![self.near])]
    }

    /// The rest, a few lines more on either side each time: only those, since what comes before is shown already.
    fn rings(&self) -> impl Iterator<Item = Piece> {
        let (first, last) = self.whole;
        let mut near = self.near;
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
    Some(Piece { file, role, ranges, is_need: false, is_whole: false })
}
