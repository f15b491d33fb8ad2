//! Makes rows of references: inside the repository one per pair of declarations, to other
//! repositories one per line.

use portolan_types::FileId;
use std::collections::BTreeMap;

use portolan_guard::redact;
use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Export, Flags, NONE, Reference, Shape, Usage,
};
use portolan_wire::atlas::{Leaving, ReferenceRow, ReferenceTarget};

use super::external::Borders;
use super::outline::{Outline, full_name};
use portolan_index::map::{MapError, MapReport};
use portolan_index::symbols::{SweptMap, SymbolDb};

/// The longest path of members.
const MOST_MEMBERS: usize = 4;

/// The most steps from a use to the name it starts with.
const MOST_STEPS: usize = 16;

/// A reference, and the package it leads to if it leaves the repository.
type Found = (ReferenceRow, Option<Leaving>);

/// The references, by file and line.
pub(super) fn rows(
    swept: &SweptMap<'_>,
    outlines: &[Option<Outline>],
    borders: &Borders<'_>,
) -> Result<Vec<Found>, MapError> {
    let found = swept.each(|symbols, file| of_file(symbols, swept.map, outlines, borders, file))?;
    let mut rows = Vec::with_capacity(found.iter().map(Vec::len).sum());
    rows.extend(found.into_iter().flatten());
    Ok(rows)
}

fn of_file(
    symbols: &SymbolDb<'_>,
    map: &MapReport,
    outlines: &[Option<Outline>],
    borders: &Borders<'_>,
    file: FileId,
) -> Vec<Found> {
    let outline = |file: FileId| outlines.get(file.index()).and_then(Option::as_ref);
    let (Some(facts), Some(own), Some(listed)) =
        (symbols.file(file), outline(file), map.universe.get(file.index()))
    else {
        return Vec::new();
    };
    let path = listed.path.as_str();
    // One resolver per file: a resolver caches, and results must not depend on the order of files.
    let resolver = Resolver::new(symbols);
    let mut around = EnclosingDeclarations::new(&facts);
    let mut here: BTreeMap<(u32, Place), (u32, bool)> = BTreeMap::new();
    let mut elsewhere: BTreeMap<(u32, Leaving, String), (u32, bool)> = BTreeMap::new();
    let is_own = |file: FileId| file.index() < map.universe.len();
    for reference in &facts.references {
        let item = around.enclosing(reference.at);
        let definitions = resolver.resolve(file, reference);
        let mut inside = definitions.places.iter().filter(|place| is_own(place.file)).peekable();
        let line = own.lines.of(reference.at);
        let (left, stays) = match inside.peek() {
            None => (external_uses(&resolver, map, borders, file, reference), false),
            Some(place) if place.file == file => taken_out(&facts, path, borders, reference),
            Some(_) => (Vec::new(), true),
        };
        for (leaving, name, is_exact) in left {
            let known = elsewhere.entry((line, leaving, name)).or_insert((item, false));
            known.1 |= is_exact;
        }
        if !stays {
            continue;
        }
        for place in inside.filter(|place| !is_within(&facts, file, item, **place)) {
            let known = here.entry((item, *place)).or_insert((line, false));
            known.1 |= definitions.is_exact;
        }
    }
    for (line, left) in reexported(&facts, own, path, borders) {
        let (leaving, name, is_exact) = left;
        elsewhere.entry((line, leaving, name)).or_insert((NONE, is_exact));
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
        let Some(target_facts) = symbols.file(place.file) else { continue };
        let Some(target) = target_facts.item(place.item) else { continue };
        let target = ReferenceTarget::Here {
            path: symbols.path(place.file),
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

/// A use of another repository: the package, the name in it, and whether it is certain.
type ExternalUse = (Leaving, String, bool);

/// The packages of other repositories that a use refers to.
fn external_uses(
    resolver: &Resolver<'_>,
    map: &MapReport,
    borders: &Borders<'_>,
    file: FileId,
    reference: &Reference,
) -> Vec<ExternalUse> {
    let path = |file: FileId| map.universe.get(file.index()).map_or("", |it| it.path.as_str());
    let Some(facts) = resolver.facts(file) else { return Vec::new() };
    let Some((source, members)) = named(&facts, reference) else { return Vec::new() };
    let binding = match source {
        ReferenceSource::Binding(binding) => binding,
        ReferenceSource::Module(specifier) => {
            return external_use(borders, path(file), facts.name(specifier), &members);
        }
    };
    let left = imported(&facts, binding, path(file), borders, &members);
    if !left.is_empty() {
        return left;
    }
    let is_own = |file: FileId| file.index() < map.universe.len();
    let found = resolver.departures(file, binding, &members, &is_own);
    let is_one = found.len() == 1;
    let left = found.iter().filter_map(|it| {
        let leaving = borders.named(path(it.file), &it.specifier)?;
        let name = redact(&it.names.join(".")).into_owned();
        Some((leaving, name, is_one && it.is_exact))
    });
    left.collect()
}

/// The explicit re-exports of a file from other repositories, with their lines.
fn reexported(
    facts: &Declarations,
    own: &Outline,
    path: &str,
    borders: &Borders<'_>,
) -> Vec<(u32, ExternalUse)> {
    let mut found = Vec::new();
    for exported in &facts.exports {
        if let Export::From { specifier, name, at } = exported.what
            && name != NONE
        {
            let left = external_use(borders, path, facts.name(specifier), &[facts.name(name)]);
            found.extend(left.into_iter().map(|left| (own.lines.of(at), left)));
        }
    }
    found
}

/// The external targets of a use that resolves to a declaration of the file itself, and whether
/// that declaration is used as well. `const { a } = require('x')` declares the names that it takes
/// out of a module; a path that starts with another package is never local.
fn taken_out(
    facts: &Declarations,
    path: &str,
    borders: &Borders<'_>,
    reference: &Reference,
) -> (Vec<ExternalUse>, bool) {
    match named(facts, reference) {
        Some((ReferenceSource::Module(specifier), names)) => {
            (external_use(borders, path, facts.name(specifier), &names), true)
        }
        Some((ReferenceSource::Binding(binding), names)) => {
            let left = imported(facts, binding, path, borders, &names);
            let stays = left.is_empty();
            (left, stays)
        }
        None => (Vec::new(), true),
    }
}

/// The external target of an import.
fn imported(
    facts: &Declarations,
    binding: u32,
    path: &str,
    borders: &Borders<'_>,
    members: &[&str],
) -> Vec<ExternalUse> {
    let known = facts.bindings.get(binding as usize);
    let Some(import) = known.and_then(|it| facts.imports.get(it.import as usize)) else {
        return Vec::new();
    };
    let first = (import.name != NONE).then(|| facts.name(import.name));
    let names: Vec<&str> = first.into_iter().chain(members.iter().copied()).collect();
    external_use(borders, path, facts.name(import.specifier), &names)
}

/// The external target of a name in a module. A use of the whole module is already an edge.
fn external_use(
    borders: &Borders<'_>,
    path: &str,
    specifier: &str,
    names: &[&str],
) -> Vec<ExternalUse> {
    let leaving = borders.named(path, specifier).filter(|_| !names.is_empty());
    let named = leaving.map(|leaving| (leaving, redact(&names.join(".")).into_owned(), true));
    named.into_iter().collect()
}

/// Whether a declaration contains its own use, or shares the outermost declaration with it.
fn is_within(facts: &Declarations, file: FileId, item: u32, place: Place) -> bool {
    let outermost = |item: u32| facts.ancestors(item).last();
    place.file == file && item != NONE && outermost(place.item) == outermost(item)
}

/// The start of a use.
enum ReferenceSource {
    /// An imported name.
    Binding(u32),
    /// A module that is named where it is used, by its specifier.
    Module(u32),
}

/// The start of a use, and the members it names. A value with a written type, and a new instance,
/// have the members of their type.
fn named<'f>(
    facts: &'f Declarations,
    reference: &Reference,
) -> Option<(ReferenceSource, Vec<&'f str>)> {
    let mut names: Vec<&str> = Vec::new();
    let (mut binding, mut shape) = (Some(reference.of), reference.of);
    match reference.usage {
        Usage::Value | Usage::Type => {}
        Usage::Member | Usage::Taken => {
            names.push(facts.name(reference.name));
            binding = None;
        }
        Usage::Given => return None,
    }
    let (mut source, mut is_value) = (None, false);
    for _ in 0..MOST_STEPS {
        if let Some(found) = binding.take() {
            let known = facts.bindings.get(found as usize).filter(|it| !it.is_parameter)?;
            if known.import != NONE {
                source = Some(ReferenceSource::Binding(found));
                break;
            }
            (shape, is_value) = (known.shape, true);
        }
        match facts.shape(shape) {
            // A generic type may have the members of its arguments: `z.infer<typeof own>`.
            Shape::Type { arguments, .. } | Shape::Qualified { arguments, .. }
                if is_value && arguments.len > 0 =>
            {
                return None;
            }
            Shape::Name { binding: found } | Shape::Type { binding: found, .. } => {
                binding = Some(found);
            }
            Shape::Member { base, name } | Shape::Qualified { base, name, .. }
                if names.len() < MOST_MEMBERS =>
            {
                names.push(facts.name(name));
                shape = base;
            }
            Shape::New { callee: base, .. } if !names.is_empty() => shape = base,
            Shape::Awaited { base } if is_module(facts, base) => shape = base,
            Shape::Module { specifier } => {
                source = Some(ReferenceSource::Module(specifier));
                break;
            }
            _ => return None,
        }
    }
    // A local name is a value of this file, unless it was taken out of a module.
    let is_own = matches!(reference.usage, Usage::Value | Usage::Type)
        && facts.bindings.get(reference.of as usize).is_some_and(|it| it.import == NONE);
    names.reverse();
    source
        .filter(|it| !is_own || matches!(it, ReferenceSource::Module(_)))
        .map(|source| (source, names))
}

fn is_module(facts: &Declarations, shape: u32) -> bool {
    matches!(facts.shape(shape), Shape::Module { .. })
}

/// Finds the enclosing declaration of positions, which must come in text order.
struct EnclosingDeclarations<'f> {
    facts: &'f Declarations,
    /// The relevant declarations, by start, the longest first.
    spans: Vec<u32>,
    next: usize,
    open: Vec<u32>,
}

impl<'f> EnclosingDeclarations<'f> {
    fn new(facts: &'f Declarations) -> Self {
        let counts = |item: &Declaration| !item.flags.has(Flags::LOCAL);
        let numbered = facts.items.iter().zip(0u32..);
        let mut spans: Vec<u32> =
            numbered.filter(|(item, _)| counts(item)).map(|(_, number)| number).collect();
        let span = |item: &u32| facts.item(*item).map(|item| item.span).unwrap_or_default();
        spans.sort_by_key(|item| (span(item).start, std::cmp::Reverse(span(item).end), *item));
        Self { facts, spans, next: 0, open: Vec::new() }
    }

    /// The outermost declaration around a position, or the member of it that contains the position;
    /// [`NONE`] if there is none.
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
