//! What a word means: a use of the declaration, or something else.

use portolan_types::FileId;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use portolan_languages::{WordSite, is_import_statement};
use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _, enclosing};
use portolan_types::declarations::{
    DeclarationKind, Declarations, Export, Flags, NONE, Reference, Shape, Usage,
};
use portolan_types::{Notice, NoticeCode};

use super::candidates::Site;
use super::family::{Family, is_static, owner_of, qualified};
use super::linked_name::LinkedName;
use super::reach::{Reach, is_fixture};
use super::values::ValueMembers;
use super::{bare, is_member_use};
use crate::users::original_name;
use portolan_index::symbols::SymbolDb;

/// The declarations that a name means, by file and name.
type NameMeanings = BTreeMap<(FileId, String), Rc<BTreeSet<Place>>>;

/// What a word is, the surest use last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Something else.
    Other,
    /// It names the declaration and does not use it.
    Naming,
    /// It may be a use, for some reason; through a related member.
    Possible(&'static str, Option<Rc<str>>),
    /// It is one.
    Certain(Option<Rc<str>>),
}

/// Judges words.
pub(super) struct Judge<'j, 'l> {
    symbols: &'j SymbolDb<'l>,
    resolver: &'j Resolver<'j>,
    family: &'j Family,
    reach: &'j Reach,
    names: Vec<String>,
    /// Whether members are asked for, and whether others are.
    has_member: bool,
    has_named: bool,
    /// Whether one of the members belongs to no instance: a variant, a constant.
    has_bare: bool,
    is_fixture: bool,
    /// The names of all members of the owners; `None` where not all are known.
    members: Option<BTreeSet<Box<str>>>,
    /// The names of all members of types that build on the owners; `None` where not all are known.
    below: OnceCell<Option<BTreeSet<Box<str>>>>,
    /// The members that are used of the values of the file that is judged.
    values: RefCell<Option<(FileId, ValueMembers)>>,
    /// The declarations of each name that is asked for, in the file that is judged.
    items: RefCell<(Option<FileId>, BTreeMap<u32, NamedItems>)>,
    /// The types of the language that have the members, and that the owners build on.
    language: BTreeSet<&'static str>,
    /// Whether what is asked for can't be called.
    is_plain: bool,
    /// Whether all of them are methods.
    is_method: bool,
    /// The functions that take the fields which are asked for as arguments by name.
    options: BTreeSet<String>,
    /// Whether names of the global object are asked for, and whether members that are added to a type of the language.
    is_global: bool,
    is_of_language: bool,
    /// Whether they are written in a language that is read by name.
    is_by_name: bool,
    /// Whether a field and a method of one name are asked for: a use is of one of them.
    is_mixed: bool,
    /// Whether members of classes themselves are asked for: which class a value is, nothing says.
    is_static: bool,
    /// The names of what the members belong to.
    owners: BTreeSet<String>,
    /// The files whose code was not understood as a whole.
    broken: BTreeSet<FileId>,
    /// What the names that files bind mean.
    named: RefCell<NameMeanings>,
    /// What the last word was proved to be, if it is a declaration of the repository.
    proved: Cell<Option<Place>>,
    /// What is known of the name in all files, if its language links by name.
    linked: Option<LinkedName>,
}

/// The head of a longer call is not looked for.
const LONGEST_CALL: usize = 4_000;
/// Stands for what is before a name in a comment that links by it.
const LINKED: char = '/';

/// The reasons for a doubt.
pub(super) mod why {
    /// A choice of several meanings.
    pub(in crate::account) const SEVERAL: &str = "one of several declarations";
    /// Nothing is known of the value.
    pub(in crate::account) const UNKNOWN: &str = "type unknown";
    /// By a member that it overrides or that overrides it.
    pub(in crate::account) const THROUGH: &str = "through a base or interface";
    /// The file is not parsed.
    pub(in crate::account) const UNREAD: &str = "code not read";
    /// Uses are not read in this language.
    pub(in crate::account) const BY_NAME: &str = "read by name only";
    /// It is imported from a path where nothing is.
    pub(in crate::account) const LOST: &str = "imported from a missing path";
    /// By the name of a getter or setter, from another language.
    pub(in crate::account) const ACCESSOR: &str = "by the name of a getter or setter";
    /// A text is its name.
    pub(in crate::account) const QUOTED: &str = "named by a text";
    /// The name is imported from two places.
    pub(in crate::account) const TWICE: &str = "imported from two places";
}

impl<'j, 'l> Judge<'j, 'l> {
    pub(super) fn new(
        symbols: &'j SymbolDb<'l>,
        resolver: &'j Resolver<'j>,
        places: &[Place],
        family: &'j Family,
        reach: &'j Reach,
        names: &BTreeSet<String>,
        linked: Option<LinkedName>,
    ) -> Self {
        let is_member = |place: &Place| {
            let facts = symbols.file(place.file);
            facts
                .and_then(|it| it.item(place.item).map(|it| it.flags.has(Flags::MEMBER)))
                .unwrap_or_default()
        };
        Self {
            symbols,
            resolver,
            family,
            reach,
            names: names.iter().cloned().collect(),
            has_member: places.iter().any(is_member),
            has_named: !places.iter().all(is_member),
            has_bare: !places.iter().all(|place| is_of_instance(symbols, *place)),
            is_fixture: places.iter().any(|place| is_fixture(symbols, *place)),
            members: family.member_names(symbols, resolver, places),
            below: OnceCell::new(),
            values: RefCell::default(),
            items: RefCell::default(),
            language: family.language(symbols, resolver),
            is_plain: places.iter().all(|place| is_plain(symbols, *place)),
            is_method: places
                .iter()
                .all(|place| kind_of(symbols, *place) == Some(DeclarationKind::Method)),
            options: places.iter().flat_map(|place| takers_of(symbols, *place)).collect(),
            is_global: !places.iter().all(is_member)
                && places.iter().any(|it| is_added(symbols, *it)),
            is_of_language: places.iter().any(|it| is_member(it) && is_added(symbols, *it)),
            is_by_name: places.iter().any(|it| !symbols.builtins(it.file).reads_uses()),
            is_mixed: is_mixed(symbols, places),
            is_static: places.iter().any(|place| is_static(symbols, *place)),
            owners: places.iter().filter_map(|place| owner_name(symbols, *place)).collect(),
            broken: broken(symbols),
            named: RefCell::default(),
            proved: Cell::default(),
            linked,
        }
    }

    /// What the last word was proved to be, by its name and that of its owner.
    pub(super) fn take_proved(&self) -> Option<String> {
        self.proved.take().and_then(|place| qualified(self.symbols, place))
    }

    /// What a reference means. `is_word`: it stands at a word outside of texts.
    pub(super) fn reference(
        &self,
        file: FileId,
        facts: &Declarations,
        reference: &Reference,
        is_word: bool,
    ) -> Verdict {
        if !self.symbols.builtins(file).reads_uses() {
            let possible = || Verdict::Possible(why::BY_NAME, None);
            let linked = self.linked.as_ref();
            return linked.map_or_else(possible, |it| it.verdict(file, facts, reference));
        }
        if reference.usage == Usage::Given && self.is_asked_at(file, facts, reference) {
            return Verdict::Naming;
        }
        if !is_word && let Some(before) = self.quoted_by(file, reference) {
            return self.by_text(file, facts, reference, before);
        }
        let definitions = self.resolver.resolve(file, reference);
        if let Some(through) = self.family.find(definitions.places.iter()) {
            if self.is_namesake(file, reference, &definitions.places) {
                return Verdict::Other;
            }
            if through.is_some() && (self.is_static || self.symbols.is_linked(file)) {
                return Verdict::Possible(why::THROUGH, through);
            }
            if through.is_some() && self.family.is_loose(definitions.places.iter()) {
                return Verdict::Possible(why::THROUGH, through);
            }
            return if definitions.is_exact && !self.is_mixed {
                Verdict::Certain(through)
            } else {
                Verdict::Possible(why::SEVERAL, through)
            };
        }
        if let Some(through) = self.through_language(file, facts, reference, &definitions.places) {
            return Verdict::Possible(why::THROUGH, Some(through));
        }
        let is_name = !is_member_use(reference.usage);
        if is_name && self.is_imported_twice(file, facts, reference) {
            return Verdict::Possible(why::TWICE, None);
        }
        let is_open = definitions.is_empty()
            && (self.is_of_scope(file, facts, reference)
                || (self.is_of_language && is_member_use(reference.usage))
                || self.is_of_literal(file, facts, reference));
        if is_open {
            return Verdict::Possible(why::UNKNOWN, None);
        }
        let is_known = if definitions.is_empty() {
            !self.broken.contains(&file)
                && self.resolver.is_elsewhere(file, reference, self.family.owners())
        } else {
            // A literal is what is expected of it.
            !definitions.is_partial || reference.usage == Usage::Given
        };
        let is_reached = self.reach.is_led(file)
            || (self.reach.has(file) && self.resolver.leads_nowhere(file, reference))
            || (self.reach.is_wide(file) && is_member_use(reference.usage));
        if is_known || !is_reached {
            self.proved.set(definitions.places.first().copied());
            return Verdict::Other;
        }
        let may_be = match reference.usage {
            Usage::Value | Usage::Type => {
                let is_bare = self.has_bare || self.symbols.builtins(file).names_bare_members();
                self.has_named || (self.symbols.is_linked(file) && is_bare)
            }
            Usage::Member | Usage::Taken | Usage::Given => {
                self.has_member || self.is_by_name || self.resolver.is_of_module(file, reference)
            }
        };
        let original = original_name(facts, reference.of).filter(|_| is_name);
        let written = original.unwrap_or_else(|| facts.name(reference.name));
        let is_own = self.names.iter().any(|name| name == written);
        let may_be = may_be && is_own && !self.is_argument(file, reference);
        let may_be = may_be && !self.is_unlike(file, facts, reference);
        if may_be { Verdict::Possible(why::UNKNOWN, None) } else { Verdict::Other }
    }

    /// What stands before a member that is named by a text, in languages where that is no way to write it.
    fn quoted_by(&self, file: FileId, reference: &Reference) -> Option<char> {
        if !matches!(reference.usage, Usage::Member | Usage::Value)
            || !self.symbols.builtins(file).names_by_text()
        {
            return None;
        }
        let loaded = self.symbols.load(file)?;
        let before = loaded.text.get(..reference.at as usize)?;
        // The last part of a path: `patch("a.b.name")`.
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':');
        let before = before.trim_end_matches(is_part);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let link = self.symbols.builtins(file).linking_comment();
        if link.is_some_and(|link| line.starts_with(link)) {
            return Some(LINKED);
        }
        let is_quoted = before.ends_with(['"', '\'']);
        let before = before.trim_end_matches(['"', '\'']).trim_end();
        // Where values have members in brackets, `item['name']` is one way to write it.
        let is_way = self.symbols.is_linked(file) || before.ends_with(['(', ',']);
        before.chars().next_back().filter(|_| is_quoted && is_way)
    }

    /// A member that is named by a text: a possible use where the value may have it. A key of a table may be any text.
    fn by_text(
        &self,
        file: FileId,
        facts: &Declarations,
        reference: &Reference,
        before: char,
    ) -> Verdict {
        let definitions = self.resolver.resolve(file, reference);
        if let Some(through) = self.family.find(definitions.places.iter()) {
            return Verdict::Possible(why::QUOTED, through);
        }
        let is_own = self.names.iter().any(|name| name == facts.name(reference.name));
        if before == LINKED && is_own && self.has_named {
            return Verdict::Possible(why::QUOTED, None);
        }
        let is_other = !is_own
            || before == '['
            || !definitions.is_empty()
            || (is_member_use(reference.usage)
                && !(self.has_member || self.resolver.is_of_module(file, reference)))
            || self.resolver.is_elsewhere(file, reference, self.family.owners());
        if is_other { Verdict::Other } else { Verdict::Possible(why::QUOTED, None) }
    }

    /// The member of a type of the language that a use is of, if what is asked for overrides it: `Error.message`.
    fn through_language(
        &self,
        file: FileId,
        facts: &Declarations,
        reference: &Reference,
        places: &[Place],
    ) -> Option<Rc<str>> {
        if self.language.is_empty() || !is_member_use(reference.usage) {
            return None;
        }
        let name = facts.name(reference.name);
        let types = if places.is_empty() {
            self.resolver.language_types(file, reference)
        } else {
            let owners = places.iter().filter_map(|place| owner_of(self.symbols, *place));
            owners.flat_map(|owner| self.resolver.language_bases(owner, name)).collect()
        };
        let of = self.language.intersection(&types).next()?;
        Some(format!("{of}.{name}").into())
    }

    /// Whether a name is one of an argument, and methods are asked for: arguments are fields at most.
    fn is_argument(&self, file: FileId, reference: &Reference) -> bool {
        let names_arguments = self.symbols.builtins(file).constructor().is_some();
        reference.usage == Usage::Given && names_arguments && self.is_method
    }

    /// Whether a member of a literal is what was asked for.
    fn is_asked_at(&self, file: FileId, facts: &Declarations, reference: &Reference) -> bool {
        let own = facts
            .items
            .iter()
            .zip(0u32..)
            .filter(|(item, _)| item.name == reference.name && item.span.start == reference.at);
        own.into_iter().any(|(_, item)| self.family.is_asked(Place { file, item }))
    }

    /// Whether a use is of the variable whose literal has the member: its written type says less than the literal does.
    fn is_of_literal(&self, file: FileId, facts: &Declarations, reference: &Reference) -> bool {
        let Shape::Name { binding } = facts.shape(reference.of) else { return false };
        if !is_member_use(reference.usage) {
            return false;
        }
        let variable = Reference { usage: Usage::Value, of: binding, ..*reference };
        let places = self.resolver.resolve(file, &variable).places;
        places.iter().any(|place| {
            self.family.owners().contains(place)
                && kind_of(self.symbols, *place) == Some(DeclarationKind::Variable)
        })
    }

    /// Whether a use is of a member of the global object, which the members belong to. Whether the file that adds them is in
    /// force is for the compiler's settings to say.
    fn is_of_scope(&self, file: FileId, facts: &Declarations, reference: &Reference) -> bool {
        let Shape::Free { name } = facts.shape(reference.of) else { return false };
        let scope = self.symbols.builtins(file).scope(facts.name(name));
        let is_own = |scope: &str| self.is_global || self.owners.contains(scope);
        let is_asked = self.names.iter().any(|name| name == facts.name(reference.name));
        is_member_use(reference.usage) && is_asked && scope.is_some_and(is_own)
    }

    /// Whether a value of which nothing is known is used as something else: it has members that the owner has not, or is
    /// called though it can't be.
    fn is_unlike(&self, file: FileId, facts: &Declarations, reference: &Reference) -> bool {
        if !is_member_use(reference.usage) {
            return false;
        }
        if let Some(members) = &self.members {
            let mut values = self.values.borrow_mut();
            let known = match values.take().filter(|(of, _)| *of == file) {
                Some((_, known)) => known,
                None => ValueMembers::of(facts),
            };
            let (_, known) = values.insert((file, known));
            let mut others = known.beside(facts, reference);
            others.retain(|name| !members.contains(*name));
            // A value may be of a type that builds on the owner and has more members.
            if !others.is_empty()
                && let Some(below) = self.below.get_or_init(|| self.names_below())
                && others.iter().any(|name| !below.contains(*name))
            {
                return true;
            }
        }
        if !self.is_plain || reference.usage != Usage::Member {
            return false;
        }
        let Some(loaded) = self.symbols.load(file) else { return false };
        let rest = loaded.text.get(reference.at as usize..).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        rest.trim_start_matches(is_part).starts_with('(')
    }

    /// The names of the members of all types that build on the owners.
    fn names_below(&self) -> Option<BTreeSet<Box<str>>> {
        self.family.names_below(self.symbols, self.resolver, self.reach)
    }

    /// Whether a use is of a field where a method of the same name is asked for, or the other way round.
    fn is_namesake(&self, file: FileId, reference: &Reference, places: &[Place]) -> bool {
        let kind = |place: &Place| {
            let facts = self.symbols.file(place.file)?;
            facts.item(place.item).map(|item| item.kind)
        };
        let is_callable = |place: &Place| kind(place) == Some(DeclarationKind::Method);
        let is_field = |place: &Place| kind(place) == Some(DeclarationKind::Property);
        let is_mixed = places.iter().any(is_callable) && places.iter().any(is_field);
        if !is_mixed || !self.symbols.builtins(file).calls_methods_only() {
            return false;
        }
        let Some(loaded) = self.symbols.load(file) else { return false };
        let rest = loaded.text.get(reference.at as usize..).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let rest = rest.trim_start_matches(is_part).trim_start();
        let is_called = rest.starts_with('(') || rest.starts_with("::");
        let mut own = places.iter().filter(|place| self.family.has(**place));
        !own.any(|place| is_callable(place) == is_called)
    }

    /// Whether the name of a reference is bound by several imports of its file, one of which means the declaration.
    fn is_imported_twice(&self, file: FileId, facts: &Declarations, reference: &Reference) -> bool {
        let is_import =
            |binding: u32| facts.bindings.get(binding as usize).is_some_and(|it| it.import != NONE);
        if !is_import(reference.of) {
            return false;
        }
        let same = facts.bindings.iter().filter(|it| it.name == reference.name);
        let count = same.filter(|it| it.import != NONE).count();
        count > 1 && self.names_it(file, facts.name(reference.name))
    }

    /// Whether a file binds or exports one of the family under a name.
    fn names_it(&self, file: FileId, name: &str) -> bool {
        let key = (file, name.to_owned());
        let known = self.named.borrow().get(&key).cloned();
        let found = known.unwrap_or_else(|| {
            let found = Rc::new(self.resolver.named(file, name));
            self.named.borrow_mut().insert(key, Rc::clone(&found));
            found
        });
        found.iter().any(|place| self.family.has(*place))
    }

    /// The declaration that a word names.
    fn declared_at(
        &self,
        file: FileId,
        facts: &Declarations,
        sites: &[Site],
        site: &Site,
    ) -> Option<Place> {
        let mut known = self.items.borrow_mut();
        if known.0 != Some(file) {
            *known = (Some(file), BTreeMap::new());
        }
        let name = || self.names.get(site.name as usize).map_or("", |name| bare(name));
        let items = known.1.entry(site.name).or_insert_with(|| NamedItems::new(facts, name()));
        let before = sites.partition_point(|it| it.at < site.at).checked_sub(1);
        let before = before.and_then(|last| sites.get(last)).map(|it| it.at);
        items.declared_at(site.at, before).map(|item| Place { file, item })
    }

    /// What a word is that no reference stands at.
    pub(super) fn word(
        &self,
        file: FileId,
        facts: &Declarations,
        sites: &[Site],
        site: &Site,
    ) -> Verdict {
        let name = self.names.get(site.name as usize).map_or("", |name| bare(name));
        if !self.reach.has(file) {
            return Verdict::Other;
        }
        match site.place {
            WordSite::Markup if self.has_member || self.names_it(file, name) => {
                return Verdict::Possible(why::UNREAD, None);
            }
            WordSite::Markup => return Verdict::Other,
            WordSite::Doc => return Verdict::Possible(why::UNREAD, None),
            WordSite::Code => {}
        }
        let has_names = !facts.imports.is_empty() || !facts.exports.is_empty();
        let is_read = has_names || !facts.stars.is_empty() || !facts.references.is_empty();
        if facts.items.is_empty() && !is_read {
            return Verdict::Possible(why::UNREAD, None);
        }
        let declared = self.declared_at(file, facts, sites, site);
        if !self.symbols.builtins(file).reads_uses() {
            // Another declaration of the name may be the same thing, as a prototype is.
            return match (declared, &self.linked) {
                (Some(place), _) if self.family.has(place) => Verdict::Naming,
                (Some(_), Some(linked)) => linked.declared(file),
                (Some(place), None) => self.declared_by_name(file, site, place),
                (None, _) if self.is_of_another_form(file, site) => Verdict::Other,
                _ => Verdict::Possible(why::BY_NAME, None),
            };
        }
        if let Some(place) = declared {
            self.proved.set(Some(place));
            return if self.family.has(place) { Verdict::Naming } else { Verdict::Other };
        }
        if facts.outermost_at(site.at).is_none() || self.is_in_import(file, site) {
            return if self.names_it(file, name) {
                Verdict::Naming
            } else if self.is_lost(file, facts, site, name) {
                Verdict::Possible(why::LOST, None)
            } else {
                Verdict::Other
            };
        }
        let is_unread = self.is_unread(file, facts, site) || self.broken.contains(&file);
        if is_unread || self.is_bare_member(file, site) {
            return Verdict::Possible(why::UNREAD, None);
        }
        // The fields of a table of options are given as arguments by name.
        if self.is_option(file, site) {
            return Verdict::Possible(why::UNKNOWN, None);
        }
        Verdict::Other
    }

    /// What another declaration of the name is in a language that is read by name: the definition of what a header declares,
    /// or something else.
    fn declared_by_name(&self, file: FileId, site: &Site, place: Place) -> Verdict {
        let text = self.symbols.load(file);
        let before = text.as_ref().and_then(|it| it.text.get(..site.at as usize));
        let path = before.and_then(|it| it.strip_suffix("::")).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let start = path.trim_end_matches(is_part).len();
        let is_own = self.owners.contains(path.get(start..).unwrap_or_default());
        let is_overloaded = !self.has_member && owner_of(self.symbols, place).is_none();
        let is_prototype = is_overloaded && self.symbols.builtins(file).declares_before();
        let links_by_name = self.symbols.builtins(file).links_by_name();
        if is_own || (is_prototype && !links_by_name) {
            return Verdict::Naming;
        }
        // A macro may stand for what was asked for.
        if links_by_name && !self.has_member {
            return Verdict::Possible(why::BY_NAME, None);
        }
        self.proved.set(Some(place));
        Verdict::Other
    }

    /// Whether a word is written as something else is: `$name` is a variable, `->name(` a method.
    fn is_of_another_form(&self, file: FileId, site: &Site) -> bool {
        let Some(mark) = self.symbols.builtins(file).variable_mark() else { return false };
        let Some(loaded) = self.symbols.load(file) else { return false };
        let (before, rest) = loaded.text.split_at_checked(site.at as usize).unwrap_or_default();
        let is_variable = before.ends_with(mark);
        let before = before.strip_suffix(mark).unwrap_or(before).trim_end();
        let is_member = before.ends_with("->") || before.ends_with("::");
        let rest = rest.trim_start_matches(|it: char| it.is_alphanumeric() || it == '_');
        let rest = rest.trim_start();
        // `use A { name as other; }` gives a method of a trait another name.
        let is_renamed = rest.starts_with("as ") || rest.starts_with("insteadof ");
        if self.has_member {
            return !self.has_named
                && !is_renamed
                && (!is_member || (self.is_method && is_variable));
        }
        is_variable || is_member
    }

    /// What a word of another name for the declaration is that no reference stands at.
    pub(super) fn alias(&self, file: FileId, facts: &Declarations, site: &Site) -> Verdict {
        let is_unread = match site.place {
            WordSite::Code => self.is_unread(file, facts, site),
            WordSite::Markup | WordSite::Doc => false,
        };
        if is_unread && self.reach.has(file) {
            Verdict::Possible(why::UNREAD, None)
        } else {
            Verdict::Other
        }
    }

    /// Whether a word stands in a statement of its line that only leads elsewhere.
    fn is_in_import(&self, file: FileId, site: &Site) -> bool {
        let Some(loaded) = self.symbols.load(file) else { return false };
        let line = loaded.lines.of(site.at);
        is_import_statement(loaded.lines.text(&loaded.text, line))
    }

    /// Whether a word is imported from a path of the repository where nothing is, or stands in code that was not understood.
    fn is_lost(&self, file: FileId, facts: &Declarations, site: &Site, name: &str) -> bool {
        if !self.is_in_import(file, site) {
            return self.broken.contains(&file) || self.is_bare_member(file, site);
        }
        let is_named = |named: u32| self.has_named && named != NONE && facts.name(named) == name;
        let imports = facts.imports.iter().filter(|it| is_named(it.name));
        let imports = imports.map(|it| (it.specifier, it.is_required));
        let exports = facts.exports.iter().filter_map(|it| match it.what {
            Export::From { specifier, name, .. } if is_named(name) => Some((specifier, false)),
            _ => None,
        });
        let builtins = self.symbols.builtins(file);
        imports.chain(exports).any(|(specifier, is_required)| {
            let specifier = facts.name(specifier);
            builtins.stays_inside(specifier)
                && self.symbols.resolve(file, specifier, is_required).is_none()
        })
    }

    /// Whether a word is a member of a type that is written before it and is none of the owners: `Other::put`.
    fn is_of_another(&self, facts: &Declarations, before: &str) -> bool {
        let Some(path) = before.strip_suffix("::") else { return false };
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        let start = path.trim_end_matches(is_part).len();
        let owner = path.get(start..).unwrap_or_default();
        let is_type = owner.starts_with(char::is_uppercase) && owner != "Self";
        let is_asked = self.has_member && !self.has_named && !self.owners.contains(owner);
        // It may be another name for an owner.
        let aliases = facts.items.iter().filter(|it| it.kind == DeclarationKind::Type);
        let renamed = facts.bindings.iter().filter(|it| {
            let import = facts.imports.get(it.import as usize);
            import.is_some_and(|import| import.name != it.name)
        });
        let mut others = aliases.map(|it| it.name).chain(renamed.map(|it| it.name));
        is_type && is_asked && !others.any(|name| facts.name(name) == owner)
    }

    /// Whether a word is a member of something, though nothing was read there: the code around it was not understood.
    fn is_bare_member(&self, file: FileId, site: &Site) -> bool {
        let Some(loaded) = self.symbols.load(file) else { return false };
        let before = loaded.text.get(..site.at as usize).unwrap_or_default();
        let before = before.strip_suffix('#').unwrap_or(before);
        self.has_member && before.ends_with('.') && !before.ends_with("..")
    }

    /// Whether a word names an argument of a function that takes the fields apart: `f(name=value)`.
    fn is_option(&self, file: FileId, site: &Site) -> bool {
        if self.options.is_empty() {
            return false;
        }
        let Some(loaded) = self.symbols.load(file) else { return false };
        let (before, rest) = loaded.text.split_at_checked(site.at as usize).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let rest = rest.trim_start_matches(is_part);
        if rest.strip_prefix('=').is_none_or(|rest| rest.starts_with('=')) {
            return false;
        }
        let mut depth = 0_u32;
        for (at, letter) in before.char_indices().rev().take(LONGEST_CALL) {
            match letter {
                ')' | ']' | '}' => depth += 1,
                '(' if depth == 0 => {
                    let called = before.get(..at).unwrap_or_default();
                    let start = called.trim_end_matches(is_part).len();
                    return self.options.contains(called.get(start..).unwrap_or_default());
                }
                '(' | '[' | '{' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        false
    }

    /// Whether a word stands where a parameter does.
    fn is_parameter(&self, file: FileId, site: &Site) -> bool {
        let Some(loaded) = self.symbols.load(file) else { return false };
        let (before, rest) = loaded.text.split_at_checked(site.at as usize).unwrap_or_default();
        let rest = rest.trim_start_matches(|it: char| it.is_alphanumeric() || it == '_');
        before.trim_end().ends_with(['(', ',', '*'])
            && rest.trim_start().starts_with([',', ')', ':', '='])
    }

    /// Whether a word stands in code that is not read: the rules of a macro, or the parameter that names a fixture.
    fn is_unread(&self, file: FileId, facts: &Declarations, site: &Site) -> bool {
        let Some((outer, member)) = enclosing(facts, site.at) else { return false };
        let Some(item) = facts.item(member.unwrap_or(outer)) else { return false };
        if self.is_fixture {
            let inner = facts.items.iter().filter(|it| it.span.holds(site.at));
            let mut heads = inner.filter(|it| {
                let is_function =
                    matches!(it.kind, DeclarationKind::Function | DeclarationKind::Method);
                is_function && it.at <= site.at && site.at < it.body.start
            });
            return heads.next().is_some() && self.is_parameter(file, site);
        }
        let Some(loaded) = self.symbols.load(file) else { return false };
        let text = loaded.text.get(item.at as usize..).unwrap_or_default();
        let is_rule = text.starts_with("macro_rules!") || text.starts_with("#[macro_export]");
        let before = loaded.text.get(..site.at as usize).unwrap_or_default();
        is_rule && !self.is_of_another(facts, before)
    }
}

/// The files whose code was not understood as a whole.
fn broken(symbols: &SymbolDb<'_>) -> BTreeSet<FileId> {
    let map = symbols.map();
    let is_broken = |notice: &&Notice| {
        matches!(notice.code, NoticeCode::SyntaxBroken | NoticeCode::SyntaxTooDeep)
    };
    let places = map.notices.iter().filter(is_broken).filter_map(|notice| notice.place.as_ref());
    places.filter_map(|place| map.place_of(&place.path)).collect()
}

/// The declarations of a name in a file, by where they start: each with its end and its number.
struct NamedItems(Vec<(u32, u32, u32)>);

impl NamedItems {
    fn new(facts: &Declarations, name: &str) -> Self {
        let named = facts.items.iter().zip(0u32..);
        let named = named.filter(|(item, _)| bare(facts.name(item.name)) == name);
        let mut named: Vec<_> = named.map(|(it, number)| (it.at, it.span.end, number)).collect();
        named.sort_unstable();
        Self(named)
    }

    /// The declaration that a word names: the word is the first such one of it. `before` is the word before it.
    fn declared_at(&self, at: u32, before: Option<u32>) -> Option<u32> {
        let first = before.map_or(0, |before| self.0.partition_point(|(it, ..)| *it <= before));
        let end = self.0.partition_point(|(it, ..)| *it <= at);
        let own = self.0.get(first..end)?.iter().filter(|(_, end, _)| at < *end);
        // The innermost one.
        own.map(|(.., number)| *number).max()
    }
}

/// The functions of the same file that take the fields of a table apart.
fn takers_of(symbols: &SymbolDb<'_>, place: Place) -> Vec<String> {
    let owner = owner_of(symbols, place).filter(|it| symbols.is_linked(it.file));
    let Some((owner, loaded)) = owner.and_then(|it| Some((it, symbols.load(it.file)?))) else {
        return Vec::new();
    };
    let Some(item) = loaded.facts.item(owner.item) else { return Vec::new() };
    let builtins = symbols.builtins(place.file);
    let Some(taken) = builtins.taken_apart(loaded.facts.name(item.name)) else {
        return Vec::new();
    };
    let each = loaded.text.match_indices(&taken).filter_map(|(at, _)| {
        let (outer, member) = enclosing(&loaded.facts, at as u32)?;
        let function = loaded.facts.item(member.unwrap_or(outer))?;
        Some(loaded.facts.name(function.name).to_owned())
    });
    each.collect()
}

/// Whether a declaration is added to the global ones.
fn is_added(symbols: &SymbolDb<'_>, place: Place) -> bool {
    let Some(facts) = symbols.file(place.file) else { return false };
    let mut around = facts.ancestors(place.item).filter_map(|item| facts.item(item));
    around.any(|item| item.flags.has(Flags::GLOBAL))
}

/// Whether a declaration is a field or a method.
fn is_of_instance(symbols: &SymbolDb<'_>, place: Place) -> bool {
    matches!(kind_of(symbols, place), Some(DeclarationKind::Method | DeclarationKind::Property))
}

fn kind_of(symbols: &SymbolDb<'_>, place: Place) -> Option<DeclarationKind> {
    symbols.file(place.file).and_then(|it| it.item(place.item).map(|it| it.kind))
}

/// Whether some declarations are a field and a method.
fn is_mixed(symbols: &SymbolDb<'_>, places: &[Place]) -> bool {
    let has =
        |kind: DeclarationKind| places.iter().any(|place| kind_of(symbols, *place) == Some(kind));
    has(DeclarationKind::Method) && has(DeclarationKind::Property)
}

/// The name of what a member belongs to.
fn owner_name(symbols: &SymbolDb<'_>, place: Place) -> Option<String> {
    let facts = symbols.file(place.file)?;
    let item = facts.item(place.item).filter(|item| item.flags.has(Flags::MEMBER))?;
    let owner = facts.item(item.parent).map(|owner| facts.name(owner.name).to_owned());
    owner.filter(|name| !name.is_empty())
}

/// Whether a declaration is text, a number or the like.
fn is_plain(symbols: &SymbolDb<'_>, place: Place) -> bool {
    let facts = symbols.file(place.file).unwrap_or_default();
    facts
        .item(place.item)
        .is_some_and(|it| it.kind == DeclarationKind::Property && facts.is_primitive(it.shape))
}
