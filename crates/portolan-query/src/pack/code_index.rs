//! What is known of the declarations around places, in the words of packs.

use portolan_types::FileId;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use crate::pack::context::SliceDecl as Declared;
use crate::target::TargetLookup;
use portolan_languages::is_program;
use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _, enclosing, needs};
use portolan_symbols::text::{LineStarts as Lines, Show, SourceText as Source, lines_of};
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, NONE, Span};
use portolan_vfs::System;

use super::exports;
use super::task_pack::{Outline, Unit};
use crate::declarations::{TargetError, User, uses_of_each};
use portolan_index::map::{MapError, MapReport};
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_workspace::config::Loaded;
use portolan_workspace::similar::similar;

/// A declaration with the lines that show it.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) file: String,
    pub(super) decl: Declared,
    /// The lines of its head.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The lines that show it where a message names it.
    pub(super) named: Vec<(u32, u32)>,
    /// The lines of all of it.
    pub(super) whole: Vec<(u32, u32)>,
}

/// What is known of code.
pub(super) trait Code {
    /// Whether something is known of a file.
    fn knows(&self, file: &str) -> bool;

    /// The declaration, or the member of one, around a place.
    fn around(&self, file: &str, line: u32, col: Option<u32>) -> Option<Item>;

    /// The same, to be shown as a head with that line.
    fn head_at(&self, file: &str, line: u32) -> Option<Item>;

    /// What the declaration around a place needs, nearest first, with the number of hops.
    fn needs(&self, file: &str, line: u32, hops: u8) -> Vec<(u8, Item)>;

    /// What some lines of a file run: the functions, methods and classes that they name, of classes what builds them.
    fn runs(&self, file: &str, lines: (u32, u32)) -> Vec<Item>;

    /// The declarations of a name: near a file, or the few of the repository.
    fn named(&self, name: &str, near: &str) -> Vec<Item>;

    /// The same declaration, shown with those of its members that some names are, or may have been meant to be.
    fn with_members_like(&self, item: Item, names: &[String]) -> Item;

    /// What a target means: `FILE`, `FILE:LINE`, `FILE#NAME` or a name.
    fn asked(&self, target: &str) -> Result<Vec<Item>, TargetError>;

    /// Who uses each of some declarations, as far as that is looked for.
    fn users(&self, items: &[&Item]) -> Vec<Option<Vec<User>>>;

    /// The names that a text exports, as a file of this path.
    fn exports(&self, file: &str, text: &str) -> BTreeSet<String>;

    /// The declarations of a text, as a file of this path.
    fn outline(&self, file: &str, text: &str) -> Outline;

    /// A declaration of a file as it is.
    fn unit(&self, file: &str, unit: &Unit) -> Option<Item>;

    /// The text of a file of code.
    fn text(&self, file: &str) -> Option<String>;

    /// Who imports a name that a file exported: file and line. Nobody, where the file may export it still.
    fn importers(&self, file: &str, name: &str) -> Vec<(String, u32)>;
}

/// Works with what is known of the code of a repository.
pub(super) fn with_code<R: Send>(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    store: &DeclarationStore,
    work: impl FnOnce(&dyn Code) -> R + Send,
) -> Result<R, MapError> {
    with_symbols(system, config, map, store, |symbols| {
        let code_index = CodeIndex {
            symbols,
            resolver: Resolver::new(symbols),
            read: RefCell::default(),
            asked: RefCell::default(),
            searches: Cell::new(MOST_SEARCHES),
        };
        work(&code_index)
    })
}

/// Names that are looked for in all files of the repository.
const MOST_SEARCHES: usize = 4;
/// Files near one that are looked into for a name.
const MOST_NEAR: usize = 60;
/// Files that are looked through for users.
const MOST_SEARCHED: usize = 3_000;
/// A named type is shown whole up to this many lines.
const LONG: u32 = 60;
/// What is needed of each hop, at most.
const MOST_NEEDS: [usize; 3] = [90, 60, 60];

struct CodeIndex<'l, 'a> {
    symbols: &'l SymbolDb<'a>,
    resolver: Resolver<'l>,
    read: RefCell<BTreeMap<FileId, Option<Rc<Page>>>>,
    asked: RefCell<BTreeMap<(String, String), Vec<Place>>>,
    searches: Cell<usize>,
}

struct Page {
    text: String,
    lines: Lines,
    facts: Arc<Declarations>,
}

impl Page {
    fn source(&self) -> Source<'_> {
        Source { text: &self.text, lines: &self.lines, facts: &self.facts }
    }
}

impl CodeIndex<'_, '_> {
    /// The declarations of a program. Headings and keys are not told by name.
    fn facts(&self, file: FileId) -> Option<Arc<Declarations>> {
        self.symbols.file(file).filter(|_| is_program(&self.symbols.path(file)))
    }

    fn text(&self, file: FileId) -> Option<Rc<Page>> {
        if let Some(known) = self.read.borrow().get(&file) {
            return known.clone();
        }
        let text = self
            .symbols
            .text(file)
            .zip(self.facts(file))
            .map(|((text, lines), facts)| Rc::new(Page { text, lines, facts }));
        self.read.borrow_mut().insert(file, text.clone());
        text
    }

    /// The declaration around a line: the member, or the whole.
    fn at(&self, file: &str, line: u32, col: Option<u32>) -> Option<(Place, Rc<Page>)> {
        let file = self.symbols.number(file)?;
        let text = self.text(file)?;
        let at = if let Some(col) = col {
            text.lines.offset(&text.text, line, col)
        } else {
            let content = text.lines.text(&text.text, line);
            let indent = content.len() - content.trim_start().len();
            text.lines.span(line).start + u32::try_from(indent).unwrap_or_default()
        };
        let (outer, member) = enclosing(&text.facts, at)?;
        Some((Place { file, item: member.unwrap_or(outer) }, text))
    }

    fn item(&self, place: Place, mentioned: &BTreeSet<Box<str>>) -> Option<Item> {
        let text = self.text(place.file)?;
        let declared = text.facts.item(place.item)?;
        let source = text.source();
        let lines = (text.lines.of(declared.span.start), text.lines.last_of(declared.span));
        let whole = lines_of(&source, place.item, Show::Whole, mentioned);
        let ranges = lines_of(&source, place.item, Show::Head, mentioned);
        let runs = matches!(
            declared.kind,
            DeclarationKind::Function | DeclarationKind::Method | DeclarationKind::Class
        );
        let is_long = lines.1.saturating_sub(lines.0) > LONG;
        let named = if runs || is_long { ranges.clone() } else { whole.clone() };
        Some(Item {
            place,
            file: self.symbols.path(place.file),
            decl: Declared {
                kind: declared.kind.name().to_owned(),
                name: text.facts.name(declared.name).to_owned(),
                owner: text
                    .facts
                    .item(declared.parent)
                    .map(|owner| text.facts.name(owner.name).to_owned()),
                lines,
            },
            ranges,
            named,
            whole,
        })
    }

    /// What runs where a declaration is named: itself, or of a class the constructors.
    fn running(&self, place: Place) -> Vec<Place> {
        use DeclarationKind as Kind;
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let Some(item) = facts.item(place.item) else { return Vec::new() };
        match item.kind {
            Kind::Interface | Kind::Type | Kind::Enum | Kind::Namespace | Kind::EnumMember => {
                Vec::new()
            }
            Kind::Class => {
                let members = facts.items.iter().zip(0u32..);
                let builds = |(it, _): &(&Declaration, u32)| {
                    it.parent == place.item && it.kind == Kind::Constructor
                };
                members.filter(builds).map(|(_, item)| Place { file: place.file, item }).collect()
            }
            _ => vec![place],
        }
    }

    /// The declarations of a name in a file that are no members.
    fn own(&self, file: FileId, name: &str) -> Vec<Place> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let Some(wanted) = facts.find_name(name) else { return Vec::new() };
        let items = facts.items.iter().zip(0u32..);
        items
            .filter(|(item, _)| item.name == wanted && item.parent == NONE)
            .filter(|(item, _)| item.kind != DeclarationKind::Statement)
            .map(|(_, item)| Place { file, item })
            .collect()
    }

    /// The files that a file leads to, nearest first, itself included.
    fn near(&self, file: &str) -> Vec<FileId> {
        let graph = &self.symbols.map().graph;
        let Some(start) = graph.index_of(file) else { return Vec::new() };
        let mut seen = BTreeSet::from([start]);
        let mut queue = VecDeque::from([(start, 0)]);
        let mut files = Vec::new();
        while let Some((node, depth)) = queue.pop_front() {
            files.extend(self.symbols.number(graph.node(node).id.as_str()));
            if depth == 2 || files.len() >= MOST_NEAR {
                continue;
            }
            for edge in graph.edges(node) {
                if seen.insert(edge.target) {
                    queue.push_back((edge.target, depth + 1));
                }
            }
        }
        files.truncate(MOST_NEAR);
        files
    }

    fn places(&self, name: &str, near: &str) -> Vec<Place> {
        for file in self.near(near) {
            let found = self.own(file, name);
            if !found.is_empty() {
                return found;
            }
        }
        let left = self.searches.get();
        if left == 0 || name.len() < 4 {
            return Vec::new();
        }
        self.searches.set(left - 1);
        let found = TargetLookup(self.symbols).called(name);
        found.into_iter().take(3).map(|focus| focus.place).collect()
    }
}

impl Code for CodeIndex<'_, '_> {
    fn knows(&self, file: &str) -> bool {
        self.symbols
            .number(file)
            .and_then(|file| self.facts(file))
            .is_some_and(|facts| !facts.items.is_empty())
    }

    fn around(&self, file: &str, line: u32, col: Option<u32>) -> Option<Item> {
        let (place, _) = self.at(file, line, col)?;
        self.item(place, &BTreeSet::new())
    }

    fn head_at(&self, file: &str, line: u32) -> Option<Item> {
        let (place, text) = self.at(file, line, None)?;
        // Of many members those that the line itself names matter.
        let span = text.lines.span(line);
        let names =
            text.facts.references_in(span).iter().map(|it| Box::from(text.facts.name(it.name)));
        let mut item = self.item(place, &names.collect())?;
        item.ranges.push((line, line));
        Some(item)
    }

    fn needs(&self, file: &str, line: u32, hops: u8) -> Vec<(u8, Item)> {
        let Some((place, text)) = self.at(file, line, None) else { return Vec::new() };
        let Some(span) = text.facts.item(place.item).map(|item| item.span) else {
            return Vec::new();
        };
        let needed = needs(&self.resolver, &[(place.file, span)], hops);
        let mut ordered = needed.needs.clone();
        ordered.sort_by_key(|need| (need.hop, !need.is_exact));
        let mut counts = [0usize; 3];
        let mut items = Vec::new();
        for need in ordered {
            let hop = usize::from(need.hop.clamp(1, 3)) - 1;
            if counts[hop] < MOST_NEEDS[hop] {
                counts[hop] += 1;
                items.extend(self.item(need.place, &needed.mentioned).map(|item| (need.hop, item)));
            }
        }
        items
    }

    fn runs(&self, file: &str, lines: (u32, u32)) -> Vec<Item> {
        let page = self.symbols.number(file).and_then(|file| Some((file, self.text(file)?)));
        let Some((file, page)) = page else { return Vec::new() };
        let (first, last) = (page.lines.span(lines.0), page.lines.span(lines.1));
        let span = Span { start: first.start, end: last.end };
        let none = BTreeSet::new();
        let needed = needs(&self.resolver, &[(file, span)], 1).needs;
        let places = needed.into_iter().filter(|need| need.hop == 1).map(|need| need.place);
        let running = places.flat_map(|place| self.running(place)).take(MOST_NEEDS[0]);
        running.filter_map(|place| self.item(place, &none)).collect()
    }

    fn named(&self, name: &str, near: &str) -> Vec<Item> {
        let key = (name.to_owned(), near.to_owned());
        let known = self.asked.borrow().get(&key).cloned();
        let places = known.unwrap_or_else(|| {
            let places = self.places(name, near);
            self.asked.borrow_mut().insert(key, places.clone());
            places
        });
        let mentioned = BTreeSet::from([Box::from(name)]);
        places.into_iter().filter_map(|place| self.item(place, &mentioned)).collect()
    }

    fn with_members_like(&self, item: Item, names: &[String]) -> Item {
        let like = || {
            let file = self.symbols.number(&item.file)?;
            let page = CodeIndex::text(self, file)?;
            let facts = &page.facts;
            let is_it = |it: &Declaration| {
                page.lines.of(it.span.start) == item.decl.lines.0
                    && facts.name(it.name) == item.decl.name
            };
            let own = facts.items.iter().position(is_it)?;
            let members = facts.items.iter().filter(|it| it.parent as usize == own);
            let members: Vec<&str> = members.map(|it| facts.name(it.name)).collect();
            let like = |name: &String| similar(name, members.iter().copied(), 2);
            let like: BTreeSet<Box<str>> =
                names.iter().flat_map(like).map(String::into_boxed_str).collect();
            let place = Place { file, item: u32::try_from(own).ok()? };
            if like.is_empty() { None } else { self.item(place, &like) }
        };
        match like() {
            Some(shown) if item.named == item.ranges => Item { named: shown.ranges, ..item },
            _ => item,
        }
    }

    fn asked(&self, target: &str) -> Result<Vec<Item>, TargetError> {
        let target = TargetLookup(self.symbols).target(target);
        let found = TargetLookup(self.symbols).find(&target)?;
        let none = BTreeSet::new();
        Ok(found.into_iter().filter_map(|focus| self.item(focus.place, &none)).collect())
    }

    fn users(&self, items: &[&Item]) -> Vec<Option<Vec<User>>> {
        let places: Vec<Place> = items.iter().map(|item| item.place).collect();
        let found = uses_of_each(self.symbols, &places, MOST_SEARCHED).into_iter();
        let others = found.zip(items).map(|(users, item)| {
            let (from, to) = item.decl.lines;
            let is_own = |user: &User| user.file == item.file && (from..=to).contains(&user.line);
            Some(users?.into_iter().filter(|user| !is_own(user)).collect())
        });
        others.collect()
    }

    fn exports(&self, file: &str, text: &str) -> BTreeSet<String> {
        let facts = SymbolDb::parsed(file, text);
        facts.exports.iter().map(|export| facts.name(export.name).to_owned()).collect()
    }

    fn outline(&self, file: &str, text: &str) -> Outline {
        Outline::new(text.to_owned(), SymbolDb::parsed(file, text))
    }

    fn unit(&self, file: &str, unit: &Unit) -> Option<Item> {
        let file = self.symbols.number(file)?;
        self.item(Place { file, item: unit.item }, &BTreeSet::new())
    }

    fn text(&self, file: &str) -> Option<String> {
        let page = CodeIndex::text(self, self.symbols.number(file)?)?;
        Some(page.text.clone())
    }

    fn importers(&self, file: &str, name: &str) -> Vec<(String, u32)> {
        exports::importers(self.symbols, file, name)
    }
}
