//! Text around some declarations, cut to a budget.
//!
//! Pieces are put in a fixed order (the focus, what it names, what that names) and taken from the front
//! while they fit, so a larger budget shows all that a smaller one does, and more.

use std::collections::{BTreeMap, BTreeSet};

use portolan_graph::declarations::{Need, Needs, Place, Resolver, World as _, needs};
use portolan_slice::text::{Lines, Show, Shown, lines_of, render_file};
use portolan_types::Sha256Digest;
use portolan_types::declarations::{DeclarationKind, NONE, Span};

use super::library::Library;
use crate::tokens::Tokenizer;

/// What a slice is made around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Focus {
    /// The declaration or member.
    pub place: Place,
    /// The place in the text that was asked about, if it was one.
    pub at: Option<u32>,
}

/// How text is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceRequest {
    /// The most tokens it may cost.
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

/// The categories of what is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closure {
    /// What is in the same file.
    Locals,
    /// Interfaces, aliases, enumerations.
    Types,
    /// What is in other files.
    Imports,
    /// Everything.
    #[default]
    All,
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
    /// What the text costs.
    pub tokens: u64,
    /// How many declarations that are needed did not fit.
    pub omitted: usize,
    /// Names that mean nothing that can be told.
    pub unresolved: Vec<String>,
    /// What the focus names and the closure leaves out.
    pub missing: Missing,
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
    /// The lines that are shown: from the first to the last, and so on.
    pub lines: Vec<(u32, u32)>,
    /// The text, with line numbers.
    pub text: String,
    /// The digest of the whole file.
    pub sha256: Sha256Digest,
}

/// A part of what is shown.
struct Piece {
    file: u32,
    role: &'static str,
    ranges: Vec<(u32, u32)>,
}

/// A focus of so many tokens is shown whole, if it leaves a third of the budget to what it needs.
const SMALL_FOCUS: u64 = 1_000;
/// Around a place in a focus that is too large: this many lines on either side.
const NEAR: u32 = 15;

/// The text around some declarations.
pub fn slices_around(library: &Library<'_>, focus: &[Focus], request: &SliceRequest) -> SliceSet {
    let resolver = Resolver::new(library);
    let spans: Vec<(u32, Span)> =
        focus.iter().filter_map(|focus| span_of(library, focus)).collect();
    let needed =
        if request.hops == 0 { Needs::default() } else { needs(&resolver, &spans, request.hops) };
    let mut pieces: Vec<Piece> =
        focus.iter().filter_map(|focus| focus_piece(library, focus, request.budget)).collect();
    let first = pieces.len();
    let mut ordered: Vec<&Need> = needed.needs.iter().collect();
    ordered.sort_by_key(|need| (need.hop, !need.is_named, !need.is_exact));
    let mut missing = Missing::default();
    for need in ordered {
        let about = About::of(library, need.place, focus);
        if !about.is_in(request.closure) {
            missing.add(need, about);
            continue;
        }
        pieces.extend(need_piece(library, need, &needed.mentioned, request));
    }
    let count = fitting(library, &pieces, first, request);
    let focus_lines = lines_of_pieces(pieces.get(..first).unwrap_or_default());
    let mut set = written(library, pieces.get(..count).unwrap_or_default(), &focus_lines);
    set.omitted = pieces.len() - count;
    set.missing = missing.sorted();
    set.unresolved = needed.unresolved.iter().map(ToString::to_string).collect();
    set
}

fn span_of(library: &Library<'_>, focus: &Focus) -> Option<(u32, Span)> {
    let loaded = library.load(focus.place.file)?;
    let item = loaded.facts.item(focus.place.item)?;
    Some((focus.place.file, item.span))
}

fn focus_piece(library: &Library<'_>, focus: &Focus, budget: u64) -> Option<Piece> {
    let Place { file, item } = focus.place;
    let loaded = library.load(file)?;
    let ranges = lines_of(&loaded.source(), item, Show::Whole, &BTreeSet::new());
    let cost = cost_of(&loaded.text, &loaded.lines, &ranges);
    let most = (budget / 3).max((budget * 2 / 3).min(SMALL_FOCUS));
    if cost <= most {
        return Some(Piece { file, role: "focus", ranges });
    }
    let (first, last) = ranges.last().copied()?;
    let mut shown: Vec<(u32, u32)> = ranges.clone();
    shown.pop();
    let asked = focus.at.map(|at| loaded.lines.of(at));
    // As much as fits, around the place that was asked about, with the first and the last line.
    let mut near = (first, (first + NEAR).min(last));
    if let Some(asked) = asked {
        near = (asked.saturating_sub(NEAR).max(first), (asked + NEAR).min(last));
    }
    let mut grown = near;
    loop {
        near = grown;
        grown = (near.0.saturating_sub(NEAR).max(first), (near.1 + NEAR).min(last));
        if grown == near || cost_of(&loaded.text, &loaded.lines, &[grown]) > most {
            break;
        }
    }
    let declared = loaded.facts.item(item)?;
    let head = if declared.body.is_empty() { first } else { loaded.lines.of(declared.body.start) };
    shown.extend([(first, head.min(first + NEAR)), near, (last, last)]);
    Some(Piece { file, role: "focus", ranges: shown })
}

fn need_piece(
    library: &Library<'_>,
    need: &Need,
    mentioned: &BTreeSet<Box<str>>,
    request: &SliceRequest,
) -> Option<Piece> {
    let Place { file, item } = need.place;
    let loaded = library.load(file)?;
    let show = if request.full && need.hop == 1 { Show::Whole } else { Show::Head };
    let ranges = lines_of(&loaded.source(), item, show, mentioned);
    let role = match need.hop {
        1 => "hop1",
        2 => "hop2",
        _ => "hop3",
    };
    Some(Piece { file, role, ranges })
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

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}

/// How many pieces from the front fit; the focus always does. What is two hops away or more is shown
/// only while an eighth of the budget is not used up: it is for orientation.
fn fitting(library: &Library<'_>, pieces: &[Piece], focus: usize, request: &SliceRequest) -> usize {
    let most_nodes = request.max_nodes.map_or(pieces.len(), |most| pieces.len().min(focus + most));
    let far = pieces.iter().position(|piece| matches!(piece.role, "hop2" | "hop3"));
    let far = far.unwrap_or(pieces.len()).min(most_nodes);
    let fits = |count: usize, budget: u64| {
        let focus = lines_of_pieces(pieces.get(..focus).unwrap_or_default());
        let set = written(library, pieces.get(..count).unwrap_or_default(), &focus);
        set.tokens <= budget && request.max_bytes.is_none_or(|most| set.text.len() <= most)
    };
    let near = most(focus, far, |count| fits(count, request.budget));
    if near < far {
        return near;
    }
    most(far, most_nodes, |count| fits(count, request.budget / 8))
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

/// Which categories a declaration is in.
struct About {
    name: String,
    is_local: bool,
    is_type: bool,
}

impl About {
    fn of(library: &Library<'_>, place: Place, focus: &[Focus]) -> Self {
        let facts = library.file(place.file).unwrap_or_default();
        let name = facts.item(place.item).map_or(NONE, |item| item.name);
        let is_type = facts.ancestors(place.item).any(|item| {
            let kind = facts.item(item).map(|item| item.kind);
            kind.is_some_and(|kind| kind.is_type() || kind == DeclarationKind::Enum)
        });
        Self {
            name: facts.name(name).to_owned(),
            is_local: focus.iter().any(|focus| focus.place.file == place.file),
            is_type,
        }
    }

    fn is_in(&self, closure: Closure) -> bool {
        match closure {
            Closure::Locals => self.is_local,
            Closure::Types => self.is_type,
            Closure::Imports => !self.is_local,
            Closure::All => true,
        }
    }
}

impl Missing {
    fn add(&mut self, need: &Need, about: About) {
        if need.hop > 1 {
            return;
        }
        let list = if about.is_local { &mut self.locals } else { &mut self.imports };
        list.push(about.name.clone());
        if about.is_type {
            self.types.push(about.name);
        }
    }

    fn sorted(mut self) -> Self {
        for list in [&mut self.locals, &mut self.types, &mut self.imports] {
            list.sort_unstable();
            list.dedup();
        }
        self
    }
}

fn lines_of_pieces(pieces: &[Piece]) -> Shown {
    let mut shown = Shown::default();
    for piece in pieces {
        shown.add(piece.file, &piece.ranges);
    }
    shown
}

fn written(library: &Library<'_>, pieces: &[Piece], focus: &Shown) -> SliceSet {
    let shown = lines_of_pieces(pieces);
    let mut roles: BTreeMap<u32, &'static str> = BTreeMap::new();
    for piece in pieces {
        let role = roles.entry(piece.file).or_insert(piece.role);
        if piece.role < *role {
            *role = piece.role;
        }
    }
    let none = BTreeSet::new();
    let mut set = SliceSet::default();
    for (file, lines) in &shown.files {
        let Some(loaded) = library.load(*file) else { continue };
        let focus = focus.files.get(file).unwrap_or(&none);
        let slice = render_file(&loaded.source(), lines, focus);
        set.slices.push(TextSlice {
            file: library.path(*file),
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
        set.text.push_str(&slice.file);
        set.text.push('\n');
        set.text.push_str(&slice.text);
    }
    set.tokens = tokens(&set.text);
    set
}
