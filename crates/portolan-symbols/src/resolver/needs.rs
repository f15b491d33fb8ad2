//! Collects the needs of a part of a text: the declarations that it names, and the ones that their
//! signatures name.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Flags, NONE, Reference, Span, Usage,
};

use super::{Place, Resolver, Unresolved};

/// A declaration that the text needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The declaration.
    pub place: Place,
    /// The distance: 1 if the text names the declaration itself.
    pub hop: u8,
    /// Whether the reference is certain.
    pub is_exact: bool,
    /// Whether the text uses its own name, not a member of something.
    pub is_named: bool,
}

/// The needs of a text.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// The declarations, each once: near ones first, then certain ones.
    pub needs: Vec<Need>,
    /// The names that the text mentions. Only these members of a large declaration matter.
    pub mentioned: BTreeSet<Box<str>>,
    /// The unresolved names, sorted.
    pub unresolved: Vec<Unresolved>,
}

/// If a declaration has more members than this, only the mentioned ones are followed.
pub const MANY_MEMBERS: usize = 8;
/// The search stops after this many declarations.
const MOST_NEEDS: usize = 600;
/// If more declarations than this have a member of some name, the name alone says nothing.
const MOST_CANDIDATES: usize = 3;

/// Collects the needs of these parts of texts, up to a number of hops.
pub fn needs(resolver: &Resolver<'_>, focus: &[(FileId, Span)], hops: u8) -> Needs {
    let mut search = Search { resolver, focus, found: Needs::default(), known: BTreeSet::new() };
    let (mut open_names, mut unresolved) = (BTreeSet::new(), BTreeSet::new());
    for (file, span) in focus {
        let Some(facts) = resolver.source.file(*file) else { continue };
        for reference in facts.references_in(*span) {
            search.found.mentioned.insert(facts.name(reference.name).into());
            if search.follow(*file, reference, 1) {
                continue;
            }
            let is_member = !matches!(reference.usage, Usage::Value | Usage::Type);
            if is_member && !resolver.is_of_language(*file, reference) {
                open_names.insert(facts.name(reference.name).into());
            }
            unresolved.extend(resolver.open_name(*file, reference));
        }
    }
    search.found.needs.sort_by_key(|need| (!need.is_named, !need.is_exact));
    for (file, span) in focus {
        search.extend(*file, *span);
    }
    let mut first = 0;
    for hop in 2..=hops {
        let last = search.found.needs.len();
        for at in first..last {
            if let Some(need) = search.found.needs.get(at).copied() {
                search.follow_head(need.place, hop);
            }
        }
        first = last;
    }
    search.guess(&open_names);
    let needed = search.found.needs.iter().map(|need| need.place);
    search.found.unresolved = resolver.alike(&unresolved, focus, needed);
    search.found
}

struct Search<'s, 'w> {
    resolver: &'s Resolver<'w>,
    focus: &'s [(FileId, Span)],
    found: Needs,
    known: BTreeSet<Place>,
}

impl Search<'_, '_> {
    /// Adds the targets of a reference; false if it is unresolved.
    fn follow(&mut self, file: FileId, reference: &Reference, hop: u8) -> bool {
        let definitions = self.resolver.resolve(file, reference);
        let is_named = matches!(reference.usage, Usage::Value | Usage::Type);
        for place in &definitions.places {
            self.add(*place, hop, definitions.is_exact, is_named);
        }
        !definitions.is_empty()
    }

    fn add(&mut self, place: Place, hop: u8, is_exact: bool, is_named: bool) {
        let Some(facts) = self.resolver.source.file(place.file) else { return };
        let Some(item) = facts.item(place.item) else { return };
        let is_shown = self.focus.iter().any(|(file, span)| {
            *file == place.file && span.holds(item.at) && span.end >= item.span.end
        });
        if !is_shown && self.found.needs.len() < MOST_NEEDS && self.known.insert(place) {
            self.found.needs.push(Need { place, hop, is_exact, is_named });
        }
    }

    /// Adds the extensions of a shown declaration. They are elsewhere in the file, or in files that
    /// augment it.
    fn extend(&mut self, file: FileId, span: Span) {
        let Some(facts) = self.resolver.source.file(file) else { return };
        let is_whole =
            |it: &Declaration| it.parent == NONE && span.holds(it.at) && it.span.end <= span.end;
        for (_, item) in facts.items.iter().zip(0u32..).filter(|(item, _)| is_whole(item)) {
            for added in self.resolver.added(Place { file, item }) {
                self.add(added, 1, true, true);
            }
        }
        let is_it = |item: &&Declaration| item.span == span && item.next != NONE;
        let Some(item) = facts.items.iter().find(is_it) else { return };
        for later in facts.merged(item.next) {
            if facts.item(later).is_some_and(|it| it.kind == DeclarationKind::Extension) {
                self.add(Place { file, item: later }, 1, true, true);
            }
        }
    }

    /// Follows the names in the signature of a declaration.
    fn follow_head(&mut self, place: Place, hop: u8) {
        let Some(facts) = self.resolver.source.file(place.file) else { return };
        for span in heads(&facts, place.item, &self.found.mentioned) {
            for reference in facts.references_in(span) {
                if matches!(reference.usage, Usage::Value | Usage::Type | Usage::Member) {
                    self.follow(place.file, reference, hop);
                }
            }
        }
    }

    /// The members, at any depth, by which the files in focus augment other modules.
    fn added_here(&self) -> Vec<(FileId, u32, Box<str>)> {
        let files = self.focus.iter().map(|(file, _)| *file);
        let files: BTreeSet<FileId> = files.filter(|it| !self.resolver.is_linked(*it)).collect();
        let mut found = Vec::new();
        for file in files {
            let Some(facts) = self.resolver.source.file(file) else { continue };
            let modules: Vec<Span> =
                facts.items.iter().filter(|it| it.is_module()).map(|it| it.span).collect();
            let is_inside = |item: &Declaration| {
                item.flags.has(Flags::MEMBER) && modules.iter().any(|it| it.holds(item.at))
            };
            let added = facts.items.iter().zip(0u32..).filter(|(item, _)| is_inside(item));
            found.extend(added.map(|(item, number)| (file, number, facts.name(item.name).into())));
        }
        found
    }

    /// Matches unresolved names with members of declarations that were already found.
    fn guess(&mut self, names: &BTreeSet<Box<str>>) {
        if names.is_empty() {
            return;
        }
        let mut candidates: BTreeMap<Box<str>, Vec<(u8, Place)>> = BTreeMap::new();
        for need in &self.found.needs {
            let Some(facts) = self.resolver.source.file(need.place.file) else { continue };
            for member in members(&facts, need.place.item) {
                let Some(item) = facts.item(member) else { continue };
                let name = facts.name(item.name);
                if names.contains(name) {
                    let place = Place { item: member, ..need.place };
                    candidates.entry(name.into()).or_default().push((need.hop, place));
                }
            }
        }
        // Augmentations in the files themselves come first.
        for (file, item, name) in self.added_here() {
            if names.contains(&name) {
                candidates.entry(name).or_default().push((0, Place { file, item }));
            }
        }
        for (_, mut places) in candidates {
            places.sort_unstable();
            places.dedup_by_key(|(_, place)| *place);
            for (_, place) in places.into_iter().take(MOST_CANDIDATES) {
                self.add(place, 1, false, false);
            }
        }
    }
}

/// The members of a declaration: its own, or those of the literals in its type.
pub(super) fn members(facts: &Declarations, item: u32) -> Vec<u32> {
    let Some(declared) = facts.item(item) else { return Vec::new() };
    if declared.members.len > 0 {
        return facts.list(declared.members).to_vec();
    }
    let is_inside = |other: &Declaration| {
        other.flags.has(Flags::MEMBER)
            && declared.span.start <= other.span.start
            && other.span.end <= declared.span.end
    };
    let later = facts.items.iter().enumerate().skip(item as usize + 1);
    let inside = later.take_while(|(_, other)| other.span.start < declared.span.end);
    inside.filter(|(_, other)| is_inside(other)).map(|(at, _)| at as u32).collect()
}

/// The parts of a declaration that say how to use it: no bodies, and of many members only the
/// mentioned ones.
pub fn heads(facts: &Declarations, item: u32, mentioned: &BTreeSet<Box<str>>) -> Vec<Span> {
    let Some(declared) = facts.item(item) else { return Vec::new() };
    if declared.body.is_empty() {
        return vec![Span::new(declared.at.min(declared.span.start), declared.span.end)];
    }
    let mut spans = vec![Span::new(declared.span.start, declared.body.start)];
    if matches!(declared.kind, DeclarationKind::Function | DeclarationKind::Method) {
        return spans;
    }
    let own = facts.list(declared.members);
    for member in own {
        let Some(member) = facts.item(*member) else { continue };
        if own.len() <= MANY_MEMBERS || mentioned.contains(facts.name(member.name)) {
            let end = if member.body.is_empty() { member.span.end } else { member.body.start };
            spans.push(Span::new(member.span.start, end));
        }
    }
    spans
}

/// The top-level declaration around an offset, and the member in it that contains the offset.
/// [`super::Enclosures`] says the same of many offsets.
pub fn enclosing(facts: &Declarations, at: u32) -> Option<(u32, Option<u32>)> {
    let mut outer = NONE;
    for (number, item) in facts.items.iter().enumerate() {
        if item.span.holds(at) && is_apart(facts, item) {
            outer = number as u32;
        }
    }
    let around = facts.item(outer)?;
    // The outermost one: members come after the declaration that contains them.
    let mut members = facts.items.iter();
    let member = members.position(|item| item.span.holds(at) && is_member(around, item));
    Some((outer, member.map(|at| at as u32)))
}

/// Whether a declaration is no part of another but of a namespace.
pub(super) fn is_apart(facts: &Declarations, item: &Declaration) -> bool {
    let is_part = item.parent != NONE
        && facts.item(item.parent).is_some_and(|it| it.kind != DeclarationKind::Namespace);
    !is_part && !item.flags.has(Flags::LOCAL)
}

/// Whether a declaration is a member inside another.
pub(super) fn is_member(around: &Declaration, item: &Declaration) -> bool {
    item.flags.has(Flags::MEMBER)
        && !item.flags.has(Flags::LOCAL)
        && around.span.start <= item.span.start
        && item.span.end <= around.span.end
}
