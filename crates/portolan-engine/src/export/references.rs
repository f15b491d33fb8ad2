//! The uses of declarations as rows: within the repository once for each pair of declarations, out of it by
//! line.

use std::collections::BTreeMap;

use portolan_graph::declarations::{Place, Resolver, World as _};
use portolan_guard::redact;
use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Flags, NONE, Reference, Shape, Usage,
};
use portolan_wire::atlas::{ReferenceRow, ReferenceTarget};

use super::leaving::Borders;
use super::outline::{Outline, full_name};
use crate::declarations::{Library, SweptMap};
use crate::map::{MapError, MapReport};

/// Members of members are followed so far.
const MOST_MEMBERS: usize = 4;

/// The rows, by file and line.
pub(super) fn rows(
    swept: &SweptMap<'_>,
    outlines: &[Option<Outline>],
    borders: &Borders,
) -> Result<Vec<ReferenceRow>, MapError> {
    let found = swept.each(|library, file| of_file(library, swept.map, outlines, borders, file))?;
    let mut rows = Vec::with_capacity(found.iter().map(Vec::len).sum());
    rows.extend(found.into_iter().flatten());
    Ok(rows)
}

fn of_file(
    library: &Library<'_>,
    map: &MapReport,
    outlines: &[Option<Outline>],
    borders: &Borders,
    file: u32,
) -> Vec<ReferenceRow> {
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
    let mut elsewhere: BTreeMap<(u32, String, String, String), u32> = BTreeMap::new();
    for reference in &facts.references {
        let item = around.enclosing(reference.at);
        let meaning = resolver.resolve(file, reference);
        let is_inside = |place: &&Place| (place.file as usize) < map.universe.len();
        let mut inside = meaning.places.iter().filter(is_inside).peekable();
        let line = own.lines.of(reference.at);
        if inside.peek().is_none() {
            if let Some((specifier, name)) = imported(&facts, reference)
                && let Some(leaving) = borders.named(path, specifier)
            {
                let name = redact(&name).into_owned();
                let key = (line, leaving.ecosystem.clone(), leaving.module.clone(), name);
                elsewhere.entry(key).or_insert(item);
            }
            continue;
        }
        for place in inside.filter(|place| !is_own(&facts, file, item, **place)) {
            let known = here.entry((item, *place)).or_insert((line, false));
            known.1 |= meaning.is_exact;
        }
    }
    let declaration = |item: u32| facts.item(item).map(|item| full_name(&facts, item));
    let mut rows: Vec<ReferenceRow> = Vec::new();
    for ((line, ecosystem, module, name), item) in elsewhere {
        let target = ReferenceTarget::Elsewhere { ecosystem, module, name };
        let (path, declaration) = (path.to_owned(), declaration(item));
        rows.push(ReferenceRow { path, line, declaration, target, is_exact: true });
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
        rows.push(ReferenceRow { path, line, declaration, target, is_exact });
    }
    rows
}

/// Whether a declaration is the one that a use of it stands in, or a part of that.
fn is_own(facts: &Declarations, file: u32, item: u32, place: Place) -> bool {
    let outermost = |item: u32| facts.ancestors(item).last();
    place.file == file && item != NONE && outermost(place.item) == outermost(item)
}

/// What a use names of another module: the module as it is written, and the exported name, with dots before
/// members.
fn imported<'f>(facts: &'f Declarations, reference: &Reference) -> Option<(&'f str, String)> {
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
    let known = facts.bindings.get(binding? as usize)?;
    let import = facts.imports.get(known.import as usize)?;
    if import.name != NONE {
        names.push(facts.name(import.name));
    }
    // The module as a whole is told by the edge.
    if names.is_empty() {
        return None;
    }
    names.reverse();
    Some((facts.name(import.specifier), names.join(".")))
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
