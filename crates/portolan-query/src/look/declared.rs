//! Declarations: what their names mean, and the lines whose names mean them.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_languages::Languages;
use portolan_symbols::resolver::{Need, Place, Resolver, SymbolSource as _, needs};
use portolan_types::declarations::{DeclarationKind, NONE};

use super::heirs::heirs;
use super::hooks::hooks;
use super::uses::is_data;
use super::{Look, LookRequest, Neighbour, Side};
use crate::account::{Account, qualified};
use crate::read::titles::{TestTitle, titles};
use crate::search::{FileClass, inline_tests};
use crate::target::{Target, TargetError, TargetLookup};
use crate::unresolved::unresolved_of;
use crate::users::{User, users_near, users_of};
use portolan_index::symbols::SymbolDb;

pub(super) fn look_at(
    symbols: &SymbolDb<'_>,
    text: &str,
    target: &Target,
    request: &LookRequest,
) -> Result<Look, TargetError> {
    let (focus, meant) = TargetLookup(symbols).find_meant(target)?;
    let places: Vec<Place> = focus.iter().map(|focus| focus.place).collect();
    let target = meant.or_else(|| inherited_target(symbols, target, &places));
    let target = target.unwrap_or_else(|| text.to_owned());
    let mut look = Look { target, is_code: true, is_read: true, ..Look::default() };
    if matches!(request.side, Side::Needs | Side::Both) {
        let spans: Vec<_> = places
            .iter()
            .filter_map(|place| {
                Some((place.file, symbols.file(place.file)?.item(place.item)?.span))
            })
            .collect();
        let found = needs(&Resolver::new(symbols), &spans, request.depth.max(1));
        let mut needs: Vec<Neighbour> =
            found.needs.iter().filter_map(|need| declared(symbols, need)).collect();
        needs.sort();
        look.unresolved = unresolved_of(symbols, &found);
        look.needs = Some(needs);
    }
    if request.side != Side::Needs {
        let mut seen = users(symbols, &places, request.depth.max(1));
        let files: BTreeSet<FileId> = places.iter().map(|place| place.file).collect();
        if seen.found.is_empty() {
            look.computed = symbols.computed_for(&files);
            look.hooks = hooks(symbols, &places);
        }
        (look.searched, look.templates) = (seen.searched, seen.templates);
        look.account = seen.account;
        let is_declared = |it: &&Place| {
            let facts = symbols.file(it.file).unwrap_or_default();
            let parent = facts.item(it.item).and_then(|item| facts.item(item.parent));
            parent.is_some_and(|it| {
                !matches!(
                    it.kind,
                    DeclarationKind::Function
                        | DeclarationKind::Variable
                        | DeclarationKind::Statement
                        | DeclarationKind::Default
                        | DeclarationKind::Method
                        | DeclarationKind::Property
                )
            })
        };
        let related = seen.related.iter().filter(is_declared);
        look.overrides = related.filter_map(|it| self::related(symbols, *it)).collect();
        look.overrides.sort();
        look.is_overrides = request.side == Side::Overrides;
        if let Some(types) = look.is_overrides.then(|| heirs(symbols, &places)).flatten() {
            look.is_heirs = true;
            look.overrides = types.iter().filter_map(|it| self::related(symbols, *it)).collect();
            look.overrides.sort();
        }
        seen.found.retain(|it| request.filter.takes(it));
        // What does not fit is left out from the end: data first.
        seen.found.sort_by_cached_key(|it| (it.hop, is_data(&it.file)));
        look.users = (!look.is_overrides).then_some(seen.found);
    }
    Ok(look)
}

/// What a target is called where it is declared, if the class that it names inherits it.
fn inherited_target(symbols: &SymbolDb<'_>, target: &Target, places: &[Place]) -> Option<String> {
    let (Target::Named(_, asked) | Target::Name(asked)) = target else { return None };
    let (owner, _) = asked.rsplit_once('.')?;
    let owner = owner.rsplit('.').next().unwrap_or(owner);
    let [only] = places else { return None };
    let facts = symbols.file(only.file)?;
    let parent = facts.item(only.item).and_then(|item| facts.item(item.parent))?;
    let own = facts.name(parent.name);
    let is_class = matches!(parent.kind, DeclarationKind::Class | DeclarationKind::Interface);
    let is_inherited = is_class && own != owner && !own.is_empty();
    let name = qualified(symbols, *only).filter(|_| is_inherited)?;
    Some(format!("{}#{name}", symbols.path(only.file)))
}

/// Who uses some declarations.
pub(super) fn users_look(symbols: &SymbolDb<'_>, target: String, places: &[Place]) -> Look {
    let seen = users(symbols, places, 1);
    Look {
        target,
        is_code: true,
        is_read: true,
        searched: seen.searched,
        templates: seen.templates,
        account: seen.account,
        users: Some(seen.found),
        ..Look::default()
    }
}

/// The lines that use some declarations, then those that use what these lines are in, and so on.
fn users(symbols: &SymbolDb<'_>, places: &[Place], depth: u8) -> SeenUses {
    let mut known: BTreeSet<Place> = places.iter().copied().collect();
    let mut lines: BTreeSet<(String, u32)> = BTreeSet::new();
    let (mut open, mut seen) = (places.to_vec(), SeenUses::default());
    let mut tests = TestsOfFiles::default();
    for hop in 1..=depth {
        if open.is_empty() {
            break;
        }
        let using = if hop == 1 { users_of(symbols, &open) } else { users_near(symbols, &open) };
        seen.searched = seen.searched.max(using.searched);
        seen.templates = seen.templates.max(using.templates);
        if hop == 1 {
            (seen.account, seen.related) = (using.account, using.related);
        }
        let around = using.users.iter().filter_map(|user| user.around);
        open = around.filter(|place| known.insert(*place)).collect();
        for user in using.users {
            if lines.insert((user.file.clone(), user.line)) {
                seen.found.push(use_of(symbols, user, hop, &mut tests));
            }
        }
    }
    seen
}

/// Who uses declarations, and what was looked through for it.
#[derive(Default)]
struct SeenUses {
    found: Vec<Neighbour>,
    searched: usize,
    templates: usize,
    account: Option<Account>,
    related: Vec<Place>,
}

fn declared(symbols: &SymbolDb<'_>, need: &Need) -> Option<Neighbour> {
    let facts = symbols.file(need.place.file)?;
    let item = facts.item(need.place.item)?;
    let own = facts.name(item.name);
    let name = match facts.item(item.parent).filter(|_| item.parent != NONE) {
        Some(parent) => format!("{}.{own}", facts.name(parent.name)),
        None => own.to_owned(),
    };
    let file = symbols.path(need.place.file);
    let kind = Languages::default().kind_word(&file, item.kind);
    Some(Neighbour {
        hop: need.hop,
        file,
        line: symbols.line_of(need.place),
        name: Some(name),
        marks: if need.is_exact { vec![kind] } else { vec![kind, "likely"] },
        around: None,
        through: None,
        why: None,
        is_test: false,
    })
}

/// A member that overrides or implements another, or is overridden by it.
fn related(symbols: &SymbolDb<'_>, place: Place) -> Option<Neighbour> {
    declared(symbols, &Need { place, hop: 1, is_exact: true, is_named: false })
}

/// Where the tests of a file are.
#[derive(Default)]
struct FileTests {
    titles: Vec<TestTitle>,
    /// The first and last lines of tests beside code.
    inline: Vec<(u32, u32)>,
    is_whole: bool,
}

/// The tests of the files that were asked for.
#[derive(Default)]
struct TestsOfFiles(BTreeMap<String, FileTests>);

impl TestsOfFiles {
    fn of(&mut self, symbols: &SymbolDb<'_>, path: &str) -> &FileTests {
        self.0.entry(path.to_owned()).or_insert_with(|| {
            let is_whole = FileClass::of(path) == FileClass::Test;
            let loaded = symbols.number(path).and_then(|file| symbols.load(file));
            let Some(loaded) = loaded else {
                return FileTests { is_whole, ..FileTests::default() };
            };
            if is_whole {
                FileTests { titles: titles(&loaded.text), is_whole, ..FileTests::default() }
            } else {
                FileTests { inline: inline_tests(path, &loaded.text), ..FileTests::default() }
            }
        })
    }
}

impl FileTests {
    fn holds(&self, line: u32) -> bool {
        self.is_whole || self.inline.iter().any(|(first, last)| *first <= line && line <= *last)
    }

    /// The title of the innermost test around a line, and where it begins.
    fn title(&self, line: u32) -> Option<(String, u32)> {
        let around = self.titles.iter().filter(|it| it.first <= line && line <= it.last);
        let inner = around.max_by_key(|it| it.first)?;
        Some((format!("{:?}", inner.titles.last()?), inner.first))
    }
}

fn use_of(symbols: &SymbolDb<'_>, user: User, hop: u8, tests: &mut TestsOfFiles) -> Neighbour {
    let around = user.around.and_then(|place| {
        let name = qualified(symbols, place).filter(|name| !name.is_empty())?;
        Some((name, symbols.line_of(place)?))
    });
    let tests = tests.of(symbols, &user.file);
    Neighbour {
        hop,
        line: Some(user.line),
        name: Some(user.text),
        marks: if user.is_exact { Vec::new() } else { vec!["likely"] },
        around: around.or_else(|| tests.title(user.line)),
        through: user.through,
        why: user.why,
        is_test: tests.holds(user.line),
        file: user.file,
    }
}
