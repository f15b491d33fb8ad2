//! The order in which things are shown, from what is shown always to what is shown where there is room.
//!
//! 1. Of the focus: where it begins and ends, and what is around the place that was asked about.
//! 2. The rest of a focus that is small.
//! 3. What the focus names, as short as it can be said.
//! 4. The rest of a focus that is neither small nor large.
//! 5. The members that the focus uses, then what it names in more words.
//! 6. The rest of a large focus.
//!
//! What all that names in turn comes last ([`far_piece`]).

use std::collections::BTreeSet;

use portolan_graph::declarations::{Need, Needs, Place};
use portolan_slice::text::{Lines, Show, lines_of};

use super::Focus;
use crate::declarations::library::Library;
use crate::tokens::Tokenizer;

/// A part of what is shown.
pub(super) struct Piece {
    pub(super) file: u32,
    pub(super) role: &'static str,
    pub(super) ranges: Vec<(u32, u32)>,
    /// Whether it is the first that is shown of something that is needed.
    pub(super) is_need: bool,
}

/// A focus of so many tokens comes before what it needs.
const SMALL_FOCUS: u64 = 1_000;
/// A focus of so many tokens comes before the members it uses.
const MEDIUM_FOCUS: u64 = 4_500;
/// This many lines on either side of a place come first, and then this many more each time.
const NEAR: u32 = 15;

/// All that may be shown, in the order in which it is.
pub(super) fn ladder(
    library: &Library<'_>,
    focus: &[Focus],
    needed: &Needs,
    is_full: bool,
) -> Vec<Piece> {
    let regions: Vec<Region> = focus.iter().filter_map(|one| Region::of(library, one)).collect();
    let mut pieces: Vec<Piece> = regions.iter().map(Region::core).collect();
    let rest = |from: u64, to: u64| {
        let of_size = regions.iter().filter(move |it| from < it.cost && it.cost <= to);
        of_size.flat_map(Region::rings)
    };
    let near = || needed.needs.iter().filter(|need| need.hop == 1);
    let named = |is_named: bool| near().filter(move |need| need.is_named == is_named);
    let short = if is_full { Show::Whole } else { Show::Start };
    let first = |need: &Need| {
        let piece = need_piece(library, need, short, &needed.mentioned);
        piece.map(|piece| Piece { is_need: true, ..piece })
    };
    pieces.extend(rest(0, SMALL_FOCUS));
    pieces.extend(named(true).filter_map(first));
    pieces.extend(rest(SMALL_FOCUS, MEDIUM_FOCUS));
    pieces.extend(named(false).filter_map(first));
    pieces
        .extend(near().filter_map(|need| need_piece(library, need, Show::Head, &needed.mentioned)));
    pieces.extend(rest(MEDIUM_FOCUS, u64::MAX));
    pieces
}

/// What is farther away than one hop.
pub(super) fn far_piece(library: &Library<'_>, need: &Need, needed: &Needs) -> Option<Piece> {
    let piece = need_piece(library, need, Show::Head, &needed.mentioned);
    piece.map(|piece| Piece { is_need: true, ..piece })
}

/// What is shown of a focus.
struct Region {
    file: u32,
    /// What is around it, where it begins and ends.
    frame: Vec<(u32, u32)>,
    /// All of it.
    whole: (u32, u32),
    /// What comes first of it.
    near: (u32, u32),
    cost: u64,
}

impl Region {
    fn of(library: &Library<'_>, focus: &Focus) -> Option<Self> {
        let Place { file, item } = focus.place;
        let loaded = library.load(file)?;
        let mut frame = lines_of(&loaded.source(), item, Show::Whole, &BTreeSet::new());
        let cost = cost_of(&loaded.text, &loaded.lines, &frame);
        let (first, last) = frame.pop()?;
        let declared = loaded.facts.item(item)?;
        let head =
            if declared.body.is_empty() { first } else { loaded.lines.of(declared.body.start) };
        frame.extend([(first, head.min(first + NEAR)), (last, last)]);
        let near = match focus.at.map(|at| loaded.lines.of(at)) {
            Some(asked) => (asked.saturating_sub(NEAR).max(first), (asked + NEAR).min(last)),
            None => (first, (first + NEAR).min(last)),
        };
        Some(Self { file, frame, whole: (first, last), near, cost })
    }

    fn piece(&self, ranges: Vec<(u32, u32)>) -> Piece {
        Piece { file: self.file, role: "focus", ranges, is_need: false }
    }

    fn core(&self) -> Piece {
        self.piece(self.frame.iter().copied().chain([self.near]).collect())
    }

    /// The rest, a few lines more on either side each time.
    fn rings(&self) -> impl Iterator<Item = Piece> {
        let (first, last) = self.whole;
        let mut near = self.near;
        std::iter::from_fn(move || {
            if near == (first, last) {
                return None;
            }
            near = (near.0.saturating_sub(NEAR).max(first), (near.1 + NEAR).min(last));
            Some(self.piece(vec![near]))
        })
    }
}

fn need_piece(
    library: &Library<'_>,
    need: &Need,
    show: Show,
    mentioned: &BTreeSet<Box<str>>,
) -> Option<Piece> {
    let Place { file, item } = need.place;
    let loaded = library.load(file)?;
    let ranges = lines_of(&loaded.source(), item, show, mentioned);
    let role = match need.hop {
        1 => "hop1",
        2 => "hop2",
        _ => "hop3",
    };
    Some(Piece { file, role, ranges, is_need: false })
}

fn cost_of(text: &str, lines: &Lines, ranges: &[(u32, u32)]) -> u64 {
    let mut shown = String::new();
    for (first, last) in ranges {
        for line in *first..=*last {
            shown.push_str(lines.text(text, line));
            shown.push('\n');
        }
    }
    tokens(&shown) + u64::from(ranges.iter().map(|(first, last)| last - first + 1).sum::<u32>())
}

/// What a text costs.
pub(super) fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}
