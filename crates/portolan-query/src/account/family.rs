//! Members that belong together: what a member overrides or implements, and what overrides or implements it.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Flags, NONE, Usage,
};

use super::candidates::{WordsFound, sites_of};
use super::reach::Reach;
use crate::users::name_of;
use portolan_index::symbols::SymbolDb;

/// The most steps of inheritance that are followed.
const MOST_LEVELS: usize = 6;
/// With more types or files than this, not all members are collected.
const MOST_TYPES: usize = 60;
const MOST_FILES: usize = 400;

/// A declaration with the members that are related to it.
pub(super) struct Family {
    /// What was asked for has no name here, what is related to it has.
    members: BTreeMap<Place, Option<Rc<str>>>,
    /// What the asked members belong to, and all that these build on.
    owners: BTreeSet<Place>,
    /// Those members that are related only because a type has all members of an interface that it does not name.
    loose: BTreeSet<Place>,
}

impl Family {
    /// What the owners of members build on, with the types that extensions are of.
    pub(super) fn above(
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        places: &[Place],
    ) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        let expected = places.iter().flat_map(|place| expected_as(symbols, resolver, *place));
        let expected: Vec<Place> = expected.collect();
        for place in places.iter().chain(&expected) {
            let Some(owner) = owner_of(symbols, *place) else { continue };
            found.insert(owner);
            let mut types = resolver.extended_type(owner);
            types.push(owner);
            for of in types {
                found.insert(of);
                found.extend(resolver.supers(of));
            }
        }
        found
    }

    /// Declarations with all that is related to them in these files.
    pub(super) fn of(
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        places: &[Place],
        owners: BTreeSet<Place>,
        satisfied: &BTreeSet<Place>,
        files: &BTreeSet<FileId>,
    ) -> Self {
        let mut family = Self { members: BTreeMap::new(), owners, loose: BTreeSet::new() };
        for place in places {
            family.members.insert(*place, None);
        }
        for place in places {
            let Some(owner) = owner_of(symbols, *place) else { continue };
            let Some(name) = name_of(symbols, *place) else { continue };
            let mut roots = BTreeSet::from([owner]);
            // In languages that resolve through the map, what another class overrides of the same base is another member.
            let is_alone = symbols.is_linked(place.file);
            let is_static = is_static(symbols, *place);
            for above in resolver.supers_with(owner, &name) {
                let mut members = resolver.own_members(above, &name);
                members.retain(|member| self::is_static(symbols, *member) == is_static);
                if !members.is_empty() && !is_alone {
                    roots.insert(above);
                }
                for member in members {
                    family.add(symbols, member);
                }
            }
            family.add_literal(symbols, resolver, *place);
            family.add_structural(symbols, resolver, owner, &name, files);
            for member in satisfied.iter().flat_map(|it| resolver.own_members(*it, &name)) {
                if !family.members.contains_key(&member) {
                    family.loose.insert(member);
                    family.add(symbols, member);
                }
            }
            for file in files {
                family.add_below(symbols, resolver, *file, &name, &roots, is_static);
            }
        }
        family
    }

    /// The interfaces that the owners of members satisfy without naming them, in the files that have the name as a word.
    /// `is_wide`: in every language that goes by members.
    pub(super) fn satisfied(
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        places: &[Place],
        words: &WordsFound,
        is_wide: bool,
    ) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        for place in places {
            let Some(owner) = owner_of(symbols, *place) else { continue };
            let Some(name) = name_of(symbols, *place) else { continue };
            found.extend(registered(symbols, resolver, owner));
            let builtins = symbols.builtins(place.file);
            let Some(mark) = builtins.satisfied_mark() else { continue };
            let is_by_methods = symbols.implements_by_methods(place.file);
            if mark.is_empty() && !is_wide && !is_by_methods {
                continue;
            }
            let files: BTreeSet<FileId> = if mark.is_empty() {
                words.sites.keys().copied().collect()
            } else {
                words.marked.clone()
            };
            let kind = kind_at(symbols, owner);
            if files.len() > MOST_FILES || kind == Some(DeclarationKind::Interface) {
                continue;
            }
            symbols.prefetch(&files);
            let own = match resolver.extended_type(owner).first() {
                Some(of) => resolver.known_member_names(*of),
                None => continue,
            };
            for file in files {
                let Some(facts) = symbols.file(file) else { continue };
                let Some(named) = facts.find_name(&name) else { continue };
                let members = facts.items.iter().filter(|it| {
                    it.name == named && it.flags.has(Flags::MEMBER) && it.parent != NONE
                });
                for of in members.map(|it| Place { file, item: it.parent }) {
                    let is_it = of != owner && is_satisfiable(symbols, &facts, of, mark);
                    if is_it && resolver.known_member_names(of).is_subset(&own) {
                        found.insert(of);
                    }
                }
            }
        }
        found
    }

    /// Members of this name in a file whose owners build on one of the roots.
    fn add_below(
        &mut self,
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        roots: &BTreeSet<Place>,
        is_static: bool,
    ) {
        let Some(facts) = symbols.file(file) else { return };
        let Some(named) = facts.find_name(name) else { return };
        for (item, number) in facts.items.iter().zip(0u32..) {
            if item.name != named || !item.flags.has(Flags::MEMBER) || item.parent == NONE {
                continue;
            }
            let owner = Place { file, item: item.parent };
            let place = Place { file, item: number };
            if roots.contains(&owner)
                || self.members.contains_key(&place)
                || !is_type(&facts, owner)
                || self::is_static(symbols, place) != is_static
            {
                continue;
            }
            if resolver.supers_with(owner, name).iter().any(|above| roots.contains(above)) {
                self.add(symbols, place);
            }
        }
        self.add_literals(symbols, resolver, file, &facts, named);
    }

    /// Members of interfaces that a type satisfies without saying so, and of types that satisfy an interface: in Go, by
    /// the names of their methods.
    fn add_structural(
        &mut self,
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        owner: Place,
        name: &str,
        files: &BTreeSet<FileId>,
    ) {
        if !symbols.implements_by_methods(owner.file) {
            return;
        }
        let names_of = |owner: Place| -> Option<(Place, BTreeSet<Box<str>>, bool)> {
            let of = resolver.extended_type(owner).into_iter().next()?;
            let facts = symbols.file(of.file)?;
            let kind = facts.item(of.item)?.kind;
            Some((of, resolver.member_names(of)?, kind == DeclarationKind::Interface))
        };
        let Some((own, names, is_interface)) = names_of(owner) else { return };
        for file in files {
            let Some(facts) = symbols.file(*file) else { continue };
            let Some(named) = facts.find_name(name) else { continue };
            let is_it = |item: &Declaration| {
                item.name == named && item.flags.has(Flags::MEMBER) && item.parent != NONE
            };
            for (item, number) in facts.items.iter().zip(0u32..).filter(|(it, _)| is_it(it)) {
                let Some((of, others, is_other)) =
                    names_of(Place { file: *file, item: item.parent })
                else {
                    continue;
                };
                let satisfies = match (is_interface, is_other) {
                    (true, false) => names.is_subset(&others),
                    (false, true) => others.is_subset(&names),
                    _ => false,
                };
                if of != own && satisfies {
                    self.add(symbols, Place { file: *file, item: number });
                }
            }
        }
    }

    /// The members of literals that are given where one of the family is expected.
    fn add_literals(
        &mut self,
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        file: FileId,
        facts: &Declarations,
        named: u32,
    ) {
        let given = facts.references.iter();
        for reference in given.filter(|it| it.usage == Usage::Given && it.name == named) {
            let is_it = |item: &&Declaration| item.span.start == reference.at && item.name == named;
            let Some(at) = facts.items.iter().position(|item| is_it(&item)) else { continue };
            let place = Place { file, item: at as u32 };
            if self.members.contains_key(&place) {
                continue;
            }
            let definitions = resolver.resolve(file, reference);
            if definitions.places.iter().any(|it| self.members.contains_key(it)) {
                self.add(symbols, place);
            }
        }
    }

    /// What a member of a literal is expected as.
    fn add_literal(&mut self, symbols: &SymbolDb<'_>, resolver: &Resolver<'_>, place: Place) {
        for found in expected_as(symbols, resolver, place) {
            self.add(symbols, found);
        }
    }

    fn add(&mut self, symbols: &SymbolDb<'_>, place: Place) {
        let name = qualified(symbols, place).unwrap_or_default();
        self.members.entry(place).or_insert_with(|| Some(name.into()));
    }

    /// What a use of one of these declarations is: `None` for none, else the name that it goes through.
    #[expect(clippy::option_option, reason = "no use, a use, or a use through a name")]
    pub(super) fn find<'p>(
        &self,
        places: impl Iterator<Item = &'p Place>,
    ) -> Option<Option<Rc<str>>> {
        let mut through = None;
        for place in places {
            match self.members.get(place) {
                Some(None) => return Some(None),
                Some(name) => through = Some(name.clone()),
                None => {}
            }
        }
        through
    }

    /// Whether some declarations are related only by what a type has, and not by what it says.
    pub(super) fn is_loose<'p>(&self, places: impl Iterator<Item = &'p Place>) -> bool {
        let mut own = places.filter(|place| self.members.contains_key(*place));
        own.all(|place| self.loose.contains(place))
    }

    /// Whether a declaration is one of those that were asked for.
    pub(super) fn is_asked(&self, place: Place) -> bool {
        matches!(self.members.get(&place), Some(None))
    }

    pub(super) fn has(&self, place: Place) -> bool {
        self.members.contains_key(&place)
    }

    /// The names of all members of what some members belong to; `None` where not all of these are known.
    pub(super) fn member_names(
        &self,
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        places: &[Place],
    ) -> Option<BTreeSet<Box<str>>> {
        const MOST: usize = 60;
        let mut names = BTreeSet::new();
        if self.members.len() > MOST {
            return None;
        }
        // A value may well be of one of the related types.
        for place in places.iter().chain(self.members.keys()) {
            let owner = owner_of(symbols, *place)?;
            let facts = symbols.file(owner.file)?;
            if !is_type(&facts, owner) {
                return None;
            }
            for of in resolver.extended_type(owner).into_iter().chain([owner]) {
                names.extend(resolver.member_names(of)?);
            }
        }
        Some(names)
    }

    /// The names of all members of the types in reach that build on what was asked for; `None` where not all are known.
    pub(super) fn names_below(
        &self,
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        reach: &Reach,
    ) -> Option<BTreeSet<Box<str>>> {
        let asked: Vec<Place> = self.members.keys().copied().collect();
        let owners = asked.iter().filter_map(|place| owner_of(symbols, *place));
        let mut known: BTreeSet<Place> =
            owners.flat_map(|owner| resolver.extended_type(owner)).collect();
        let mut names = BTreeSet::new();
        let mut open: BTreeSet<String> =
            known.iter().filter_map(|place| name_of(symbols, *place)).collect();
        for _ in 0..MOST_LEVELS {
            if open.is_empty() {
                return Some(names);
            }
            let found = sites_of(symbols, &asked, &open).sites;
            let files = reach.among(found.keys().copied());
            if open.len() > MOST_TYPES || files.len() > MOST_FILES {
                return None;
            }
            symbols.prefetch(&files);
            let new: Vec<Place> = files
                .iter()
                .flat_map(|file| built_on(symbols, resolver, *file, &known))
                .filter(|place| !known.contains(place))
                .collect();
            open = new.iter().filter_map(|place| name_of(symbols, *place)).collect();
            for place in new {
                if known.insert(place) {
                    names.extend(resolver.known_member_names(place));
                }
            }
        }
        None
    }

    /// The types of the language that members override a member of.
    pub(super) fn language_of(
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
        places: &[Place],
    ) -> BTreeSet<&'static str> {
        let members = places.iter().filter(|place| !symbols.is_linked(place.file));
        let members = members.filter(|place| !is_static(symbols, **place));
        let each = members.filter_map(|place| {
            let owner = owner_of(symbols, *place)?;
            Some(resolver.language_bases(owner, &name_of(symbols, *place)?))
        });
        each.flatten().collect()
    }

    /// The same for what was asked for.
    pub(super) fn language(
        &self,
        symbols: &SymbolDb<'_>,
        resolver: &Resolver<'_>,
    ) -> BTreeSet<&'static str> {
        let asked = self.members.keys().copied().filter(|place| self.is_asked(*place));
        Self::language_of(symbols, resolver, &asked.collect::<Vec<_>>())
    }

    pub(super) fn owners(&self) -> &BTreeSet<Place> {
        &self.owners
    }

    /// The members that are related, without those that were asked for.
    pub(super) fn related(&self) -> Vec<Place> {
        self.members.iter().filter(|(_, name)| name.is_some()).map(|(place, _)| *place).collect()
    }
}

fn kind_at(symbols: &SymbolDb<'_>, place: Place) -> Option<DeclarationKind> {
    symbols.file(place.file)?.item(place.item).map(|it| it.kind)
}

/// Whether types satisfy a type by having its members.
fn is_satisfiable(symbols: &SymbolDb<'_>, facts: &Declarations, of: Place, mark: &str) -> bool {
    let Some(item) = facts.item(of.item) else { return false };
    if mark.is_empty() {
        return matches!(item.kind, DeclarationKind::Interface | DeclarationKind::Type);
    }
    let Some(loaded) = symbols.load(of.file) else { return false };
    let head = loaded.text.get(item.at as usize..item.body.start as usize).unwrap_or_default();
    item.kind == DeclarationKind::Class && head.contains(mark)
}

/// The classes that a class is said to be one of by a call: `Shape.register(Box)`, `@Shape.register`.
fn registered(symbols: &SymbolDb<'_>, resolver: &Resolver<'_>, owner: Place) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    let Some(call) = symbols.builtins(owner.file).registering() else { return found };
    let (Some(loaded), Some(name)) = (symbols.load(owner.file), name_of(symbols, owner)) else {
        return found;
    };
    let Some(item) = loaded.facts.item(owner.item) else { return found };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    for (at, _) in loaded.text.match_indices(call) {
        let (before, rest) = loaded.text.split_at_checked(at).unwrap_or_default();
        let start = before.trim_end_matches(is_part).len();
        let of = before.get(start..).unwrap_or_default();
        let rest = rest.get(call.len()..).unwrap_or_default();
        let is_given = rest.strip_prefix('(').is_some_and(|rest| {
            rest.trim_start().strip_prefix(name.as_str()).is_some_and(|it| !it.starts_with(is_part))
        });
        let is_mark = item.span.start <= at as u32 && (at as u32) < item.at;
        if is_given || is_mark {
            found.extend(resolver.named(owner.file, of));
        }
    }
    found
}

/// The types of a file that build on one of these.
fn built_on(
    symbols: &SymbolDb<'_>,
    resolver: &Resolver<'_>,
    file: FileId,
    of: &BTreeSet<Place>,
) -> Vec<Place> {
    let Some(facts) = symbols.file(file) else { return Vec::new() };
    let builds = facts.items.iter().zip(0u32..).filter(|(item, _)| item.bases.len > 0);
    let places = builds.map(|(_, item)| Place { file, item });
    let places = places.filter(|place| !resolver.supers(*place).is_disjoint(of));
    places.flat_map(|place| resolver.extended_type(place)).collect()
}

/// The members that a member of a literal is expected as.
fn expected_as(symbols: &SymbolDb<'_>, resolver: &Resolver<'_>, place: Place) -> Vec<Place> {
    let Some(facts) = symbols.file(place.file) else { return Vec::new() };
    let Some(item) = facts.item(place.item) else { return Vec::new() };
    let given = facts
        .references
        .iter()
        .filter(|it| it.usage == Usage::Given && it.at == item.span.start && it.name == item.name);
    given.flat_map(|reference| resolver.resolve(place.file, reference).places).collect()
}

/// What a member belongs to.
pub(crate) fn owner_of(symbols: &SymbolDb<'_>, place: Place) -> Option<Place> {
    let facts = symbols.file(place.file)?;
    let item = facts.item(place.item).filter(|item| item.flags.has(Flags::MEMBER))?;
    (item.parent != NONE).then_some(Place { item: item.parent, ..place })
}

/// Whether a member belongs to the class itself. In languages that resolve through the map, that makes no difference.
pub(super) fn is_static(symbols: &SymbolDb<'_>, place: Place) -> bool {
    let facts = symbols.file(place.file).filter(|_| !symbols.is_linked(place.file));
    let flags = facts.and_then(|it| it.item(place.item).map(|it| it.flags));
    flags.is_some_and(|flags| flags.has(Flags::STATIC))
}

/// Whether a declaration is a type, or extends one.
pub(crate) fn is_type(facts: &Declarations, owner: Place) -> bool {
    facts.item(owner.item).is_some_and(|item| {
        matches!(
            item.kind,
            DeclarationKind::Class
                | DeclarationKind::Interface
                | DeclarationKind::Enum
                | DeclarationKind::Extension
                | DeclarationKind::Type
        )
    })
}

/// A member with what it belongs to: `Store.put`.
pub(crate) fn qualified(symbols: &SymbolDb<'_>, place: Place) -> Option<String> {
    let facts = symbols.file(place.file)?;
    let item = facts.item(place.item)?;
    let own = facts.name(item.name);
    let parent = facts.item(item.parent).filter(|_| item.parent != NONE);
    Some(match parent.map(|it| facts.name(it.name)).filter(|name| !name.is_empty()) {
        Some(parent) => format!("{parent}.{own}"),
        None => own.to_owned(),
    })
}
