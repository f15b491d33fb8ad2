//! The use case of `portolan path`: how one declaration reaches another, reference by reference.
//!
//! A search along the references of declarations, breadth first. Of a class that is named on the way its head, its
//! fields and its constructor count, and not what its methods do: these are not called yet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt::Write as _;

use portolan_languages::CONSTRUCTOR_NAMES;
use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, NONE, Reference, Span, Usage,
};
use portolan_types::escape_invisible;
use portolan_wire::declarations::{PathReportV1, PathStepV1, PathV1};
use portolan_wire::question::PathQuestionV1;

use crate::account::qualified;
use crate::read::ReadError;
use crate::search::quoted;
use crate::target::{TargetError, TargetLookup};
use crate::users::users_of;
use portolan_index::map::MapReport;
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_vfs::System;
use portolan_workspace::config::Loaded;

/// The most declarations that a search visits.
const MOST_VISITED: usize = 4_000;
/// With more targets than this, overrides and implementations are not searched for.
const MOST_RELATED: usize = 8;
/// The most characters of a line of code that are shown.
const LONGEST_LINE: usize = 120;

/// How one declaration refers to another: what runs comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKind {
    /// It calls it, or makes one of it.
    Call,
    /// It names it: a value, a field, a function that is passed on.
    Name,
    /// It names it as a type.
    Type,
}

impl StepKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Name => "name",
            Self::Type => "type",
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathReport {
    /// Where the search started, as it was asked.
    pub from: String,
    /// What it was to reach, as it was asked.
    pub to: String,
    /// The ways, the shortest first.
    pub paths: Vec<Vec<PathStep>>,
    /// How many declarations were visited.
    pub visited: usize,
    /// How many references in them could not be resolved.
    pub unresolved: usize,
    /// Whether the search ended before all was visited.
    pub is_cut: bool,
    /// Where there is no way: how many steps there are in the other direction, and whether all are certain.
    pub back: Option<(usize, bool)>,
    /// Where there is no way: one of the visited files, in a language of which only declarations are known, not what they call.
    pub unread: Option<String>,
}

/// A declaration on the way, and the line in it that leads to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Its name, with that of its parent.
    pub name: String,
    /// Its file.
    pub file: String,
    /// The line that refers to the next one; of the last one, its own.
    pub line: u32,
    /// That line, trimmed; nothing for the last one.
    pub text: String,
    /// Whether there is no doubt that the step before leads to it.
    pub is_exact: bool,
    /// How the step before refers to it; none for the first one.
    pub by: Option<StepKind>,
}

/// Looks for the ways from one declaration to another.
pub fn path(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    store: &DeclarationStore,
    question: &PathQuestionV1,
) -> Result<PathReport, ReadError> {
    let found = with_symbols(system, config, map, store, |symbols| {
        let (from, from_name) = places(symbols, &question.from)?;
        let (to, to_name) = places(symbols, &question.to)?;
        // What is inside of the start may be the end: a function that another one declares and calls.
        let outside: BTreeSet<Place> = from.difference(&to).copied().collect();
        let from = if outside.is_empty() { from } else { outside };
        let mut report = PathSearch::new(symbols, &to).report(&from);
        if report.paths.is_empty() {
            let back = PathSearch::new(symbols, &from).report(&to);
            let is_exact = |steps: &[PathStep]| steps.iter().all(|step| step.is_exact);
            report.back = back.paths.first().map(|steps| (steps.len() - 1, is_exact(steps)));
        }
        Ok::<_, TargetError>(PathReport { from: from_name, to: to_name, ..report })
    })?;
    Ok(found?)
}

/// The declarations that a target means, with what is in them, and the target: as it was asked, or the only one that can be
/// meant by it.
fn places(symbols: &SymbolDb<'_>, asked: &str) -> Result<(BTreeSet<Place>, String), TargetError> {
    let lookup = TargetLookup(symbols);
    let mut places = BTreeSet::new();
    let mut name = asked.to_owned();
    for target in lookup.each_of(asked) {
        let (found, meant) = lookup.find_meant(&lookup.target(&target))?;
        if let Some(meant) = meant {
            name = meant;
        }
        for focus in found {
            let Place { file, item } = focus.place;
            let facts = symbols.file(file).unwrap_or_default();
            let whole = facts.item(item).map(|it| it.span);
            let inside = facts.items.iter().zip(0u32..).filter(|(it, number)| {
                *number == item
                    || whole.is_some_and(|span| {
                        is_function(it.kind)
                            && span.start <= it.span.start
                            && it.span.end <= span.end
                    })
            });
            places.extend(inside.map(|(_, item)| Place { file, item }));
        }
    }
    Ok((places, name))
}

fn is_function(kind: DeclarationKind) -> bool {
    matches!(
        kind,
        DeclarationKind::Function
            | DeclarationKind::Method
            | DeclarationKind::Getter
            | DeclarationKind::Setter
            | DeclarationKind::Constructor
    )
}

/// A reference from one declaration to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    to: Place,
    at: u32,
    is_exact: bool,
    kind: StepKind,
}

/// How a declaration was reached: from which, by the reference at which place.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    from: Option<(Place, u32, StepKind)>,
    is_exact: bool,
}

/// How paths are compared: by steps, or by uncertain steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Short,
    Sure,
}

struct PathSearch<'s, 'm> {
    symbols: &'s SymbolDb<'m>,
    resolver: Resolver<'s>,
    targets: BTreeSet<Place>,
    /// What the targets override or implement, and what does so with them: reaching it may reach them.
    related: BTreeMap<Place, Place>,
    /// The names of the targets that are members.
    members: BTreeMap<String, Place>,
    known: BTreeMap<Place, Vec<Edge>>,
    unresolved: usize,
}

impl<'s, 'm> PathSearch<'s, 'm> {
    fn new(symbols: &'s SymbolDb<'m>, targets: &BTreeSet<Place>) -> Self {
        let (mut related, mut members) = (BTreeMap::new(), BTreeMap::new());
        for target in targets {
            let facts = symbols.file(target.file).unwrap_or_default();
            let Some(item) = facts.item(target.item).filter(|it| it.parent != NONE) else {
                continue;
            };
            members.insert(facts.name(item.name).to_owned(), *target);
            if targets.len() <= MOST_RELATED {
                let others = users_of(symbols, &[*target]).related;
                related.extend(others.into_iter().map(|other| (other, *target)));
            }
        }
        Self {
            symbols,
            resolver: Resolver::new(symbols),
            targets: targets.clone(),
            related,
            members,
            known: BTreeMap::new(),
            unresolved: 0,
        }
    }

    fn report(mut self, from: &BTreeSet<Place>) -> PathReport {
        let mut paths: Vec<Vec<PathStep>> = Vec::new();
        let mut is_cut = false;
        // A way of calls alone is what happens; what is only named, or a type, may never run.
        for most in [StepKind::Call, StepKind::Type] {
            for order in [Order::Short, Order::Sure] {
                let (found, is_stopped) = self.search(from, order, most);
                is_cut |= is_stopped;
                if let Some(found) = found.filter(|found| !paths.contains(found)) {
                    paths.push(found);
                }
            }
            if !paths.is_empty() {
                break;
            }
        }
        paths.sort_by_key(Vec::len);
        let unread = if paths.is_empty() { self.unread() } else { None };
        PathReport {
            paths,
            unread,
            visited: self.known.len(),
            unresolved: self.unresolved,
            is_cut,
            ..PathReport::default()
        }
    }

    /// One of the visited files, in a language of which only declarations are known.
    fn unread(&self) -> Option<String> {
        let is_unread = |place: &&Place| !self.symbols.builtins(place.file).reads_uses();
        self.known.keys().find(is_unread).map(|place| self.symbols.path(place.file))
    }

    /// The best way by steps of these kinds, and whether the search was ended early.
    fn search(
        &mut self,
        from: &BTreeSet<Place>,
        order: Order,
        most: StepKind,
    ) -> (Option<Vec<PathStep>>, bool) {
        let mut open: BinaryHeap<Reverse<((usize, usize), Place)>> = BinaryHeap::new();
        let mut arrivals: BTreeMap<Place, Arrival> = BTreeMap::new();
        let mut done: BTreeSet<Place> = BTreeSet::new();
        let mut costs: BTreeMap<Place, (usize, usize)> = BTreeMap::new();
        for place in from {
            open.push(Reverse(((0, 0), *place)));
            arrivals.insert(*place, Arrival { from: None, is_exact: true });
            costs.insert(*place, (0, 0));
        }
        while let Some(Reverse(((first, second), place))) = open.pop() {
            if self.targets.contains(&place) && !from.contains(&place) {
                return (self.steps(place, &arrivals), false);
            }
            if !done.insert(place) {
                continue;
            }
            if done.len() > MOST_VISITED {
                return (None, true);
            }
            for edge in self.edges(place).into_iter().filter(|edge| edge.kind <= most) {
                let doubt = usize::from(!edge.is_exact);
                let cost = match order {
                    Order::Short => (first + 1, second + doubt),
                    Order::Sure => (first + doubt, second + 1),
                };
                if costs.get(&edge.to).is_none_or(|known| cost < *known) {
                    costs.insert(edge.to, cost);
                    let from = Some((place, edge.at, edge.kind));
                    arrivals.insert(edge.to, Arrival { from, is_exact: edge.is_exact });
                    open.push(Reverse((cost, edge.to)));
                }
            }
        }
        (None, false)
    }

    /// What a declaration refers to, each once: by the first call, or else by the first reference that says so.
    fn edges(&mut self, place: Place) -> Vec<Edge> {
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        let facts = self.symbols.file(place.file).unwrap_or_default();
        let loaded = self.symbols.load(place.file);
        let text = loaded.as_ref().map_or("", |it| it.text.as_str());
        let mut edges: Vec<Edge> = Vec::new();
        let mut add = |to: Place, at: u32, is_exact: bool, kind: StepKind| match edges
            .iter_mut()
            .find(|edge| edge.to == to)
        {
            Some(edge) if kind < edge.kind => {
                (edge.at, edge.kind, edge.is_exact) = (at, kind, is_exact);
            }
            Some(edge) => edge.is_exact |= is_exact && kind == edge.kind,
            None if to != place => edges.push(Edge { to, at, is_exact, kind }),
            None => {}
        };
        for span in own_spans(&facts, place.item) {
            for reference in facts.references_in(span) {
                let definitions = self.resolver.resolve(place.file, reference);
                let kind = kind_of(text, reference, facts.name(reference.name));
                for to in &definitions.places {
                    add(*to, reference.at, definitions.is_exact, kind);
                    if let Some(target) = self.related.get(to) {
                        add(*target, reference.at, false, kind);
                    }
                }
                let is_member = !matches!(reference.usage, Usage::Value | Usage::Type);
                if definitions.is_empty() && is_member {
                    self.unresolved += usize::from(self.resolver.is_open(place.file, reference));
                    if let Some(target) = self.members.get(facts.name(reference.name)) {
                        add(*target, reference.at, false, kind);
                    }
                }
            }
        }
        self.known.insert(place, edges.clone());
        edges
    }

    fn steps(&self, end: Place, arrivals: &BTreeMap<Place, Arrival>) -> Option<Vec<PathStep>> {
        let mut steps = Vec::new();
        let (mut place, mut leaves_at) = (end, None);
        while let Some(arrival) = arrivals.get(&place) {
            let by = arrival.from.map(|(.., kind)| kind);
            steps.push(PathStep { by, ..self.step(place, leaves_at, arrival.is_exact)? });
            let Some((from, at, _)) = arrival.from else { break };
            (place, leaves_at) = (from, Some(at));
        }
        steps.reverse();
        Some(steps)
    }

    fn step(&self, place: Place, leaves_at: Option<u32>, is_exact: bool) -> Option<PathStep> {
        let name = qualified(self.symbols, place)?;
        let file = self.symbols.path(place.file);
        let Some(at) = leaves_at else {
            let line = self.symbols.line_of(place)?;
            return Some(PathStep { name, file, line, text: String::new(), is_exact, by: None });
        };
        let loaded = self.symbols.shown(place.file)?;
        let line = loaded.lines.of(at);
        let text = loaded.lines.text(&loaded.text, line).trim();
        let text = text.chars().take(LONGEST_LINE).collect();
        Some(PathStep { name, file, line, text, is_exact, by: None })
    }
}

/// How a reference uses a name: a call has a bracket behind it, perhaps after type arguments or a mark.
fn kind_of(text: &str, reference: &Reference, name: &str) -> StepKind {
    if reference.usage == Usage::Type {
        return StepKind::Type;
    }
    let start = reference.at as usize;
    let rest = text.get(start..).unwrap_or_default();
    let Some(behind) = rest.strip_prefix(name) else { return StepKind::Name };
    let behind = behind.trim_start_matches(['!', '?', '.', ':']).trim_start();
    let behind = behind.strip_prefix('<').map_or(behind, after_type_arguments);
    let is_element = || text.get(..start).is_some_and(|before| before.ends_with('<'));
    if behind.starts_with('(') || is_element() { StepKind::Call } else { StepKind::Name }
}

/// What follows type arguments whose first bracket is behind us; nothing where they do not end soon.
fn after_type_arguments(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices().take(LONGEST_LINE) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

/// The parts of a declaration that run, or are read, when it is used.
fn own_spans(facts: &Declarations, item: u32) -> Vec<Span> {
    let Some(declared) = facts.item(item) else { return Vec::new() };
    let is_kept = |member: &Declaration| {
        !is_function(member.kind)
            || member.kind == DeclarationKind::Constructor
            || CONSTRUCTOR_NAMES.contains(&facts.name(member.name))
    };
    let members = facts.list(declared.members).iter().filter_map(|member| facts.item(*member));
    let mut left: Vec<Span> = members.filter(|it| !is_kept(it)).map(|it| it.span).collect();
    left.sort_unstable_by_key(|span| span.start);
    let mut spans = Vec::new();
    let mut from = declared.span.start;
    for span in left {
        if span.start > from {
            spans.push(Span::new(from, span.start));
        }
        from = from.max(span.end);
    }
    spans.push(Span::new(from, declared.span.end.max(from)));
    spans
}

impl PathReport {
    /// The first line, without a digest.
    pub(crate) fn head(&self) -> String {
        format!("path {} to {}", self.from, self.to)
    }

    /// The files of all steps.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().flatten().map(|step| step.file.as_str())
    }

    /// The text below the first line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (at, steps) in self.paths.iter().enumerate() {
            let word = if steps.len() == 2 { "step" } else { "steps" };
            if at > 0 {
                text.push('\n');
            }
            let is_called = steps.iter().all(|step| matches!(step.by, None | Some(StepKind::Call)));
            let how = if is_called { "" } else { ", not of calls alone" };
            let _ = writeln!(text, "{} {word}{how}", steps.len() - 1);
            for step in steps {
                let doubt = if step.is_exact { "" } else { "~" };
                let by = match step.by {
                    None | Some(StepKind::Call) => "",
                    Some(StepKind::Name) => "named: ",
                    Some(StepKind::Type) => "type: ",
                };
                let PathStep { name, file, line, text: code, .. } = step;
                let line = format!("{by}{doubt}{name} {file}:{line} {code}");
                let _ = writeln!(text, "{}", escape_invisible(line.trim_end()));
            }
        }
        if self.paths.is_empty() {
            let cut = if self.is_cut { "the first " } else { "" };
            let _ = writeln!(
                text,
                "no path found from {} to {}; declarations visited: {cut}{}, names in them that could not be resolved: {}",
                escape_invisible(&self.from),
                escape_invisible(&self.to),
                self.visited,
                self.unresolved
            );
            if let Some(file) = &self.unread {
                let _ = writeln!(
                    text,
                    "this proves nothing: what declarations of {} call is not followed",
                    escape_invisible(file)
                );
            }
            if let Some((steps, is_exact)) = self.back {
                let doubt = if is_exact { "" } else { "~" };
                let noun = if steps == 1 { "step" } else { "steps" };
                let steps = format!("{doubt}{steps} {noun}");
                let (from, to) = (quoted(&self.to), quoted(&self.from));
                let _ = writeln!(text, "the other way round: {steps}: portolan path {from} {to}");
            }
        } else if self.paths.iter().flatten().any(|step| !step.is_exact) {
            text.push_str("~ the step to it is not certain\n");
        }
        text
    }

    /// The report for machines.
    pub fn to_wire(&self) -> PathReportV1 {
        let step = |step: &PathStep| PathStepV1 {
            name: step.name.clone(),
            file: step.file.clone(),
            line: step.line,
            text: step.text.clone(),
            exact: step.is_exact,
            by: step.by.map(|kind| kind.name().to_owned()),
        };
        let paths =
            self.paths.iter().map(|steps| PathV1 { steps: steps.iter().map(step).collect() });
        PathReportV1 {
            v: 1,
            paths: paths.collect(),
            visited: self.visited,
            unresolved: self.unresolved,
            cut: self.is_cut,
            back: self.back.map(|(steps, _)| steps),
            unread: self.unread.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
