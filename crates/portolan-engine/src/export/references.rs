//! The uses of declarations as rows: within the repository once for each pair of declarations, out of it by
//! line.

use std::collections::BTreeMap;

use portolan_graph::declarations::{Place, Resolver, World as _};
use portolan_guard::redact;
use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Flags, NONE, Reference, Shape, Usage,
};
use portolan_wire::atlas::{Leaving, ReferenceRow, ReferenceTarget};

use super::leaving::Borders;
use super::outline::{Outline, full_name};
use crate::declarations::{Library, SweptMap};
use crate::map::{MapError, MapReport};

/// Members of members are followed so far.
const MOST_MEMBERS: usize = 4;

/// A use, and the package that it leads to where it leaves.
type Found = (ReferenceRow, Option<Leaving>);

/// The uses, by file and line.
pub(super) fn rows(
    swept: &SweptMap<'_>,
    outlines: &[Option<Outline>],
    borders: &Borders<'_>,
) -> Result<Vec<Found>, MapError> {
    let found = swept.each(|library, file| of_file(library, swept.map, outlines, borders, file))?;
    let mut rows = Vec::with_capacity(found.iter().map(Vec::len).sum());
    rows.extend(found.into_iter().flatten());
    Ok(rows)
}

fn of_file(
    library: &Library<'_>,
    map: &MapReport,
    outlines: &[Option<Outline>],
    borders: &Borders<'_>,
    file: u32,
) -> Vec<Found> {
    let outline = |file: u32| outlines.get(file as usize).and_then(Option::as_ref);
    let (Some(facts), Some(own), Some(listed)) =
        (library.file(file), outline(file), map.universe.get(file as usize))
    else {
        return Vec::new();
    };
    let path = listed.path.as_str();
    // What one file asks must not change what another is told: a resolver remembers.
    let resolver = Resolver::new(library);
    let mut around = Around::new(&facts);
    let mut here: BTreeMap<(u32, Place), (u32, bool)> = BTreeMap::new();
    let mut elsewhere: BTreeMap<(u32, Leaving, String), (u32, bool)> = BTreeMap::new();
    let is_own = |file: u32| (file as usize) < map.universe.len();
    for reference in &facts.references {
        let item = around.enclosing(reference.at);
        let meaning = resolver.resolve(file, reference);
        let mut inside = meaning.places.iter().filter(|place| is_own(place.file)).peekable();
        let line = own.lines.of(reference.at);
        if inside.peek().is_none() {
            for (leaving, name, is_exact) in leaves(&resolver, map, borders, file, reference) {
                let known = elsewhere.entry((line, leaving, name)).or_insert((item, false));
                known.1 |= is_exact;
            }
            continue;
        }
        for place in inside.filter(|place| !is_within(&facts, file, item, **place)) {
            let known = here.entry((item, *place)).or_insert((line, false));
            known.1 |= meaning.is_exact;
        }
    }
    let declaration = |item: u32| facts.item(item).map(|item| full_name(&facts, item));
    let mut rows: Vec<Found> = Vec::new();
    for ((line, leaving, name), (item, is_exact)) in elsewhere {
        let (ecosystem, module) = (leaving.ecosystem.clone(), leaving.module.clone());
        let target = ReferenceTarget::Elsewhere { ecosystem, module, name };
        let (path, declaration) = (path.to_owned(), declaration(item));
        let row = ReferenceRow { path, line, declaration, target, is_exact };
        rows.push((row, Some(leaving)));
    }
    for ((item, place), (line, is_exact)) in here {
        let Some(target_facts) = library.file(place.file) else { continue };
        let Some(target) = target_facts.item(place.item) else { continue };
        let target = ReferenceTarget::Here {
            path: library.path(place.file),
            name: full_name(&target_facts, target),
            line: outline(place.file)
                .and_then(|it| it.starts.get(place.item as usize).copied())
                .unwrap_or(1),
        };
        let (path, declaration) = (path.to_owned(), declaration(item));
        rows.push((ReferenceRow { path, line, declaration, target, is_exact }, None));
    }
    rows
}

/// The packages of other repositories that a use leads to: which, what of it, and whether there is no doubt.
fn leaves(
    resolver: &Resolver<'_>,
    map: &MapReport,
    borders: &Borders<'_>,
    file: u32,
    reference: &Reference,
) -> Vec<(Leaving, String, bool)> {
    let path = |file: u32| map.universe.get(file as usize).map_or("", |it| it.path.as_str());
    let Some(facts) = resolver.facts(file) else { return Vec::new() };
    let Some((binding, members)) = imported(&facts, reference) else { return Vec::new() };
    let Some(import) =
        facts.bindings.get(binding as usize).and_then(|it| facts.imports.get(it.import as usize))
    else {
        return Vec::new();
    };
    if let Some(leaving) = borders.named(path(file), facts.name(import.specifier)) {
        let first = (import.name != NONE).then(|| facts.name(import.name));
        let names: Vec<&str> = first.into_iter().chain(members.iter().copied()).collect();
        // The module as a whole is told by the edge.
        let named = (!names.is_empty()).then(|| redact(&names.join(".")).into_owned());
        return named.map(|name| (leaving, name, true)).into_iter().collect();
    }
    let is_own = |file: u32| (file as usize) < map.universe.len();
    let found = resolver.departures(file, binding, &members, &is_own);
    let is_one = found.len() == 1;
    let left = found.iter().filter_map(|it| {
        let leaving = borders.named(path(it.file), &it.specifier)?;
        let name = redact(&it.names.join(".")).into_owned();
        Some((leaving, name, is_one && it.is_exact))
    });
    left.collect()
}

/// Whether a declaration is the one that a use of it stands in, or a part of that.
fn is_within(facts: &Declarations, file: u32, item: u32, place: Place) -> bool {
    let outermost = |item: u32| facts.ancestors(item).last();
    place.file == file && item != NONE && outermost(place.item) == outermost(item)
}

/// What a use names: a binding, and which of its members.
fn imported<'f>(facts: &'f Declarations, reference: &Reference) -> Option<(u32, Vec<&'f str>)> {
    let mut names: Vec<&str> = Vec::new();
    let mut binding = match reference.usage {
        Usage::Value | Usage::Type => Some(reference.of),
        Usage::Member | Usage::Taken => {
            names.push(facts.name(reference.name));
            None
        }
        Usage::Given => return None,
    };
    let mut shape = reference.of;
    while binding.is_none() {
        match facts.shape(shape) {
            Shape::Name { binding: found } | Shape::Type { binding: found, .. } => {
                binding = Some(found);
            }
            Shape::Member { base, name } | Shape::Qualified { base, name, .. }
                if names.len() < MOST_MEMBERS =>
            {
                names.push(facts.name(name));
                shape = base;
            }
            _ => return None,
        }
    }
    names.reverse();
    Some((binding?, names))
}

/// Which declaration a place is in, for places in the order of the text.
struct Around<'f> {
    facts: &'f Declarations,
    /// The declarations that count, by where they start, the longest first.
    spans: Vec<u32>,
    next: usize,
    open: Vec<u32>,
}

impl<'f> Around<'f> {
    fn new(facts: &'f Declarations) -> Self {
        let counts = |item: &Declaration| !item.flags.has(Flags::LOCAL);
        let numbered = facts.items.iter().zip(0u32..);
        let mut spans: Vec<u32> =
            numbered.filter(|(item, _)| counts(item)).map(|(_, number)| number).collect();
        let span = |item: &u32| facts.item(*item).map(|item| item.span).unwrap_or_default();
        spans.sort_by_key(|item| (span(item).start, std::cmp::Reverse(span(item).end), *item));
        Self { facts, spans, next: 0, open: Vec::new() }
    }

    /// The member of an outermost declaration, or else that, which a place is in; [`NONE`] outside of all.
    fn enclosing(&mut self, at: u32) -> u32 {
        let item = |number: u32| self.facts.item(number);
        while let Some(number) = self.spans.get(self.next).copied()
            && item(number).is_some_and(|it| it.span.start <= at)
        {
            self.open.push(number);
            self.next += 1;
        }
        self.open.retain(|number| item(*number).is_some_and(|it| it.span.holds(at)));
        let is_space =
            |number: u32| item(number).is_some_and(|it| it.kind == DeclarationKind::Namespace);
        let mut inside = self.open.iter().copied().skip_while(|number| is_space(*number));
        let Some(outer) = inside.next() else { return self.open.last().copied().unwrap_or(NONE) };
        let is_member = |number: &u32| item(*number).is_some_and(|it| it.flags.has(Flags::MEMBER));
        inside.find(is_member).unwrap_or(outer)
    }
}
