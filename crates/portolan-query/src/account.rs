//! The account of a name: every place in code where it is written, and what that place means.
//!
//! The candidates are all words of that name in the files of the declaration's language. Each of them is a certain use,
//! a possible one, something else (proved), or what names the declaration itself: its own name, an import, an export.
//! Files that no chain of imports leads from to the declaration are not parsed: what they name is something else.

mod candidates;
mod family;
mod judge;
mod linked_name;
mod reach;
mod values;

pub(super) use self::family::{is_type, owner_of, qualified};

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_languages::{Language, Languages, WordSite, is_import_statement};
use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{DEFAULT, DeclarationKind, Flags, Shape, Span, Usage};

use self::candidates::{Site, WordsFound, sites_of, withheld};
use self::family::Family;
use self::judge::{Judge, Verdict, why};
use self::linked_name::LinkedName;
use self::reach::Reach;
use crate::users::{User, Users, aliases_of, may_mean, name_of};
use portolan_index::symbols::SymbolDb;

/// What the words of a name came to. Numbers are of words, not of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Uses without a doubt.
    pub certain: usize,
    /// Uses that could not be decided.
    pub possible: usize,
    /// Words that mean something else.
    pub others: usize,
    /// Words that name the declaration and do not use it: its own name, imports, exports, overrides.
    pub naming: usize,
    /// How many files have the word in code.
    pub files: usize,
    /// Where the words stand that mean something else: lines by file.
    pub others_at: BTreeMap<String, Vec<u32>>,
    /// How many of these words are which declarations of the repository, by the names of these.
    pub others_of: BTreeMap<String, usize>,
    /// The files of their languages that may hold secrets: no word of these is counted.
    pub withheld: Vec<String>,
    /// How many of them were parsed: a chain of imports leads from them to the declaration.
    pub parsed: usize,
}

/// The most names with an account.
const MOST_NAMES: usize = 6;
/// In more files than this, a second look is not taken.
const MOST_WIDE: usize = 400;
/// How many times a renamed re-export is followed.
const MOST_ROUNDS: usize = 4;

/// Words by file.
type Sites = BTreeMap<FileId, Vec<Site>>;

/// The account of some declarations; `None` where they have no names, or too many.
pub(super) fn account_of(symbols: &SymbolDb<'_>, places: &[Place]) -> Option<Users> {
    let resolver = Resolver::new(symbols);
    let places = meant(symbols, &resolver, places);
    let names = names_of(symbols, &places);
    if names.is_empty() || names.len() > MOST_NAMES {
        return None;
    }
    let found = sites_of(symbols, &places, &names);
    let mut users = account(symbols, &resolver, &places, &names, &found);
    if let Some(account) = &mut users.account {
        account.withheld = withheld(symbols, &places);
    }
    Some(users)
}

/// What declarations stand for: a default export that only names something is that.
fn meant(symbols: &SymbolDb<'_>, resolver: &Resolver<'_>, places: &[Place]) -> Vec<Place> {
    let each = places.iter().flat_map(|place| {
        let facts = symbols.file(place.file).unwrap_or_default();
        let is_named = facts.item(place.item).is_some_and(|item| {
            item.kind == DeclarationKind::Default
                && matches!(facts.shape(item.shape), Shape::Name { .. })
        });
        let found =
            if is_named { resolver.exported(place.file, DEFAULT).places } else { Vec::new() };
        if found.is_empty() { vec![*place] } else { found }
    });
    let mut each: BTreeSet<Place> = each.collect();
    let twins: Vec<Place> = each.iter().flat_map(|place| twins_of(symbols, *place)).collect();
    each.extend(twins);
    each.into_iter().collect()
}

/// The same declaration in the stub of a file, or in the file of a stub.
fn twins_of(symbols: &SymbolDb<'_>, place: Place) -> Vec<Place> {
    let path = symbols.path(place.file);
    let other = symbols.builtins(place.file).twin(&path);
    let Some(file) = other.and_then(|path| symbols.number(&path)) else { return Vec::new() };
    let (Some(facts), Some(name)) = (symbols.file(file), qualified(symbols, place)) else {
        return Vec::new();
    };
    let all = (0..facts.items.len() as u32).map(|item| Place { file, item });
    all.filter(|twin| qualified(symbols, *twin).is_some_and(|it| it == name)).collect()
}

/// The account of each of some declarations, with one search for all their names. It ends before the first declaration
/// for which more than `most` files would have to be parsed in all.
pub(super) fn accounts_of(
    symbols: &SymbolDb<'_>,
    places: &[Place],
    most: usize,
) -> Vec<Option<Users>> {
    let names = names_of(symbols, places);
    let all = sites_of(symbols, places, &names);
    let resolver = Resolver::new(symbols);
    let mut left = most;
    let mut is_over = false;
    let each = places.iter().map(|place| {
        let own = names_of(symbols, &[*place]);
        let number = names.iter().position(|name| own.contains(name))? as u32;
        if is_over {
            return None;
        }
        let found = all.of(number);
        let users = account(symbols, &resolver, &[*place], &own, &found);
        // The first one is always there.
        is_over = users.searched > left && left < most;
        left = left.saturating_sub(users.searched);
        (!is_over).then_some(users)
    });
    each.collect()
}

/// The names of declarations that are written as one word.
fn names_of(symbols: &SymbolDb<'_>, places: &[Place]) -> BTreeSet<String> {
    let names = places.iter().filter_map(|it| name_of(symbols, *it));
    names.filter(|name| candidates::is_word(bare(name))).collect()
}

/// The account of some declarations. Where it would say that nothing uses them, it is made again with less that counts as
/// a proof: a value may come to a file that imports nothing of it.
fn account(
    symbols: &SymbolDb<'_>,
    resolver: &Resolver<'_>,
    places: &[Place],
    names: &BTreeSet<String>,
    found: &WordsFound,
) -> Users {
    let users = account_within(symbols, resolver, places, names, found, false);
    let is_member = |place: &Place| {
        let facts = symbols.file(place.file);
        let item = facts.as_deref().and_then(|facts| facts.item(place.item));
        item.is_some_and(|item| item.flags.has(Flags::MEMBER))
    };
    let is_again = users.users.is_empty()
        && users.account.as_ref().is_some_and(|it| it.others > 0)
        && found.sites.len() <= MOST_WIDE
        && places.iter().any(|it| is_member(it) || symbols.implements_by_methods(it.file));
    if !is_again {
        return users;
    }
    let wide = account_within(symbols, resolver, places, names, found, true);
    if wide.users.is_empty() { users } else { wide }
}

fn account_within(
    symbols: &SymbolDb<'_>,
    resolver: &Resolver<'_>,
    places: &[Place],
    names: &BTreeSet<String>,
    found: &WordsFound,
    is_wide: bool,
) -> Users {
    let sites = &found.sites;
    let mut above = Family::above(symbols, resolver, places);
    let satisfied = Family::satisfied(symbols, resolver, places, found, is_wide);
    above.extend(satisfied.iter().copied());
    let mut reach = Reach::of(symbols, places, &above);
    reach.add_loading(symbols, &found.loading);
    // What is named by its owner, as a case of an enumeration is, needs an import of that.
    let kind_of_owner = |place: &Place| {
        let owner = owner_of(symbols, *place)?;
        symbols.file(owner.file)?.item(owner.item).map(|it| it.kind)
    };
    let is_handed_on = places.iter().filter_map(kind_of_owner).any(|kind| {
        !matches!(
            kind,
            DeclarationKind::Enum | DeclarationKind::Variable | DeclarationKind::Namespace
        )
    });
    let is_by_methods = places.iter().any(|it| symbols.implements_by_methods(it.file));
    if is_wide && (is_handed_on || is_by_methods) {
        reach.add(sites.keys().copied());
    }
    // Values of the language's own types come without an import.
    let is_over_language = !Family::language_of(symbols, resolver, places).is_empty();
    let mut files: BTreeSet<FileId> = if is_over_language {
        sites.keys().copied().collect()
    } else {
        reach.among(sites.keys().copied())
    };
    for place in places {
        files.extend(symbols.links().users(place.file).iter());
        files.insert(place.file);
    }
    symbols.prefetch(&files);
    let (all, aliased) = with_aliases(symbols, places, &reach, &mut files, names);
    let family = Family::of(symbols, resolver, places, above, &satisfied, &files);
    let linked = LinkedName::of(symbols, places, sites);
    let judge = Judge::new(symbols, resolver, places, &family, &reach, names, linked);
    let mut told = Told { symbols, found: BTreeMap::new(), account: Account::default() };
    told.account.files = sites.len();
    for (file, words) in sites {
        if !files.contains(file) {
            for word in words {
                told.tell(*file, word, Verdict::Other, true);
            }
        }
    }
    for file in &files {
        let own = sites.get(file).map(Vec::as_slice).unwrap_or_default();
        let other = aliased.get(file).map(Vec::as_slice).unwrap_or_default();
        told.account.parsed += usize::from(!own.is_empty());
        told.file(&judge, *file, own, other, &all);
    }
    told.renamed_by_name(sites);
    told.accessors(places, &reach);
    told.made_accessors(resolver, places, &reach);
    let has_template =
        |file: &&FileId| symbols.builtins(**file).has_template(&symbols.path(**file));
    Users {
        users: told.found.into_values().collect(),
        searched: files.len(),
        templates: files.iter().filter(has_template).count(),
        account: Some(told.account),
        related: family.related(),
    }
}

/// A name as a word of code: private ones without their mark, and without what asks, warns or assigns (`empty?`, `save!`,
/// `name=`).
fn bare(name: &str) -> &str {
    let name = name.strip_prefix('#').unwrap_or(name);
    name.strip_suffix(['?', '!', '=']).unwrap_or(name)
}

/// The names that files pass the same things on under, and where these stand; what has them is added to the files.
fn with_aliases(
    symbols: &SymbolDb<'_>,
    places: &[Place],
    reach: &Reach,
    files: &mut BTreeSet<FileId>,
    names: &BTreeSet<String>,
) -> (BTreeSet<String>, Sites) {
    let (mut all, mut found) = (names.clone(), Sites::new());
    for _ in 0..MOST_ROUNDS {
        let known = aliases_of(symbols, files, all.clone());
        let new: BTreeSet<String> = known.difference(&all).cloned().collect();
        all.extend(new.iter().cloned());
        let words: BTreeSet<String> =
            new.into_iter().filter(|name| candidates::is_word(name)).collect();
        if words.is_empty() {
            break;
        }
        let sites = sites_of(symbols, places, &words).sites;
        let more = reach.among(sites.keys().copied());
        symbols.prefetch(&more);
        files.extend(more);
        for (file, sites) in sites {
            found.entry(file).or_default().extend(sites);
        }
    }
    (all, found)
}

/// What was found so far.
struct Told<'t, 'l> {
    symbols: &'t SymbolDb<'l>,
    found: BTreeMap<(FileId, u32), User>,
    account: Account,
}

impl Told<'_, '_> {
    /// Adds what other languages write for the same: calls of the getters and setters of a property, and a property for a
    /// getter. What value they are called on is not known.
    fn accessors(&mut self, places: &[Place], reach: &Reach) {
        let symbols = self.symbols;
        let languages = Languages::default();
        let language = |file: FileId| languages.of(&symbols.path(file)).map(Language::name);
        let own: BTreeSet<Option<&str>> = places.iter().map(|place| language(place.file)).collect();
        let names: BTreeSet<String> = places
            .iter()
            .filter_map(|place| Some((symbols.path(place.file), name_of(symbols, *place)?)))
            .flat_map(|(path, name)| languages.accessors(&path, &name))
            .filter(|name| candidates::is_word(name))
            .collect();
        let family = |path: &str| languages.of(path).map(Language::family);
        let families: BTreeSet<Option<&str>> =
            places.iter().map(|place| family(&symbols.path(place.file))).collect();
        let is_foreign = |path: &str| {
            families.contains(&family(path))
                && !own.contains(&languages.of(path).map(Language::name))
        };
        let mut files = symbols.map().universe.iter();
        if names.is_empty() || !files.any(|file| is_foreign(file.path.as_str())) {
            return;
        }
        let sites = sites_of(symbols, places, &names).sites;
        let is_user = |file: FileId| {
            reach.is_led(file)
                || places.iter().any(|it| symbols.links().users(it.file).contains(&file))
        };
        for (file, words) in sites.iter().filter(|(file, _)| !own.contains(&language(**file))) {
            if !is_user(*file) {
                continue;
            }
            let facts = symbols.file(*file).unwrap_or_default();
            let is_declared = |at: u32| facts.items.iter().any(|item| item.at == at);
            for word in words.iter().filter(|it| it.place == WordSite::Code && !is_declared(it.at))
            {
                self.tell(*file, word, Verdict::Possible(why::ACCESSOR, None), true);
            }
        }
    }

    /// Adds the words of a file that an import of it gives the same thing, in languages that are read by name:
    /// `import a.name as other`.
    fn renamed_by_name(&mut self, sites: &Sites) {
        let symbols = self.symbols;
        for (file, words) in sites.iter().filter(|(it, _)| !symbols.builtins(**it).reads_uses()) {
            let Some(loaded) = symbols.load(*file) else { continue };
            let aliases: BTreeSet<&str> = words
                .iter()
                .filter_map(|word| {
                    let line = loaded.lines.of(word.at);
                    let start = loaded.lines.text(&loaded.text, line).trim_start();
                    let is_import = is_import_statement(start);
                    let rest = loaded.text.get(word.at as usize..).filter(|_| is_import)?;
                    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
                    let rest = rest.trim_start_matches(is_part).strip_prefix(" as ")?;
                    let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
                    rest.get(..end).filter(|alias| !alias.is_empty())
                })
                .collect();
            if aliases.is_empty() {
                continue;
            }
            let mut found = Vec::new();
            Languages::default().words(&symbols.path(*file), &loaded.text, &mut |word| {
                if aliases.contains(word.text) {
                    found.push(word.at);
                }
            });
            let lines: BTreeSet<u32> = words.iter().map(|word| loaded.lines.of(word.at)).collect();
            for at in found {
                let line = loaded.lines.of(at);
                if !lines.contains(&line) {
                    let site = Site { at, line, place: WordSite::Code, name: 0 };
                    self.tell(*file, &site, Verdict::Possible(why::BY_NAME, None), false);
                }
            }
        }
    }

    /// Adds calls of the getters and setters that a mark of a field or of its class makes, where they are called on what may
    /// be of the class.
    fn made_accessors(&mut self, resolver: &Resolver<'_>, places: &[Place], reach: &Reach) {
        let symbols = self.symbols;
        let made_for = |place: Place| -> Vec<String> {
            let loaded = symbols.load(place.file).filter(|_| owner_of(symbols, place).is_some());
            let (Some(loaded), Some(name)) = (loaded, name_of(symbols, place)) else {
                return Vec::new();
            };
            let owner = owner_of(symbols, place).map(|it| it.item);
            let each = owner.into_iter().chain([place.item]).filter_map(|item| {
                let item = loaded.facts.item(item)?;
                let end = if item.body.is_empty() { item.span.end } else { item.body.start };
                let marks = loaded.text.get(item.span.start as usize..end as usize)?;
                Some(symbols.builtins(place.file).made_accessors(marks, &name))
            });
            each.flatten().collect()
        };
        let made = places
            .iter()
            .filter(|it| kind_of_member(symbols, **it) == Some(DeclarationKind::Property));
        let made: Vec<Place> = made.copied().collect();
        let names: BTreeSet<String> = made.iter().flat_map(|place| made_for(*place)).collect();
        if names.is_empty() {
            return;
        }
        let owners: BTreeSet<Place> = made.iter().filter_map(|it| owner_of(symbols, *it)).collect();
        for (file, words) in sites_of(symbols, &made, &names).sites {
            if !reach.has(file) {
                continue;
            }
            let facts = symbols.file(file).unwrap_or_default();
            for word in words {
                let own = Span::new(word.at, word.at.saturating_add(1));
                let reference = facts.references_in(own).first();
                let is_it = reference.is_some_and(|it| {
                    is_member_use(it.usage)
                        && resolver.resolve(file, it).is_empty()
                        && !resolver.is_elsewhere(file, it, &owners)
                });
                if is_it {
                    self.tell(file, &word, Verdict::Possible(why::ACCESSOR, None), false);
                }
            }
        }
    }

    /// Judges the words of a file. `aliased` are words of other names for the same.
    fn file(
        &mut self,
        judge: &Judge<'_, '_>,
        file: FileId,
        own: &[Site],
        aliased: &[Site],
        names: &BTreeSet<String>,
    ) {
        let facts = self.symbols.file(file).unwrap_or_default();
        let is_own = |at: u32| own.binary_search_by_key(&at, |site| site.at).is_ok();
        let mut verdicts: BTreeMap<u32, Verdict> = BTreeMap::new();
        let mut proved: BTreeMap<u32, String> = BTreeMap::new();
        for reference in facts.references.iter().filter(|it| may_mean(&facts, it, names)) {
            let is_private = facts.name(reference.name).starts_with('#');
            let at = reference.at + u32::from(is_private);
            let verdict = judge.reference(file, &facts, reference, is_own(at));
            proved.extend(judge.take_proved().map(|name| (at, name)));
            let known = verdicts.entry(at).or_insert(Verdict::Other);
            *known = (*known).clone().max(verdict);
        }
        for site in own {
            let known = verdicts.remove(&site.at);
            let verdict = known.unwrap_or_else(|| judge.word(file, &facts, own, site));
            let name = judge.take_proved().or_else(|| proved.remove(&site.at));
            if let Some(name) = name.filter(|_| verdict == Verdict::Other) {
                *self.account.others_of.entry(name).or_default() += 1;
            }
            self.tell(file, site, verdict, true);
        }
        for site in aliased.iter().filter(|site| !is_own(site.at)) {
            if !verdicts.contains_key(&site.at) {
                let verdict = judge.alias(file, &facts, site);
                self.tell(file, site, verdict, false);
            }
        }
        for (at, verdict) in verdicts {
            let site = Site { at, line: 0, place: WordSite::Code, name: 0 };
            self.tell(file, &site, verdict, false);
        }
    }

    /// Counts a word, and keeps it where it may be a use. What is not a word of the name itself counts only as a use.
    fn tell(&mut self, file: FileId, site: &Site, verdict: Verdict, is_counted: bool) {
        let at = site.at;
        let (is_exact, through, why) = match verdict {
            Verdict::Other => {
                if is_counted {
                    self.account.others += 1;
                    let path = self.symbols.path(file);
                    self.account.others_at.entry(path).or_default().push(site.line);
                }
                return;
            }
            Verdict::Naming => {
                self.account.naming += usize::from(is_counted);
                return;
            }
            Verdict::Possible(why, through) => (false, through, Some(why)),
            Verdict::Certain(through) => (true, through, None),
        };
        if is_exact {
            self.account.certain += 1;
        } else {
            self.account.possible += 1;
        }
        let Some(loaded) = self.symbols.load(file) else { return };
        let line = loaded.lines.of(at);
        let around = loaded.enclosing(at);
        let around = around.map(|(outer, member)| Place { file, item: member.unwrap_or(outer) });
        let user = User {
            file: self.symbols.path(file),
            line,
            text: loaded.lines.text(&loaded.text, line).trim().to_owned(),
            is_exact,
            around,
            through: through.map(|it| it.to_string()),
            why,
        };
        let known = self.found.entry((file, line)).or_insert_with(|| user.clone());
        if user.is_exact && !known.is_exact {
            *known = user;
        }
    }
}

fn kind_of_member(symbols: &SymbolDb<'_>, place: Place) -> Option<DeclarationKind> {
    symbols.file(place.file)?.item(place.item).map(|it| it.kind)
}

/// Whether a use may be one of a member.
fn is_member_use(usage: Usage) -> bool {
    matches!(usage, Usage::Member | Usage::Taken | Usage::Given)
}
