//! Who may call what no code names: decorators that hand a function on, and bases from outside.

use std::collections::BTreeSet;

use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{Flags, NONE};

use crate::search::FileClass;
use portolan_index::symbols::SymbolDb;

/// The most ways that are told.
const MOST: usize = 4;

/// The ways by which code from outside may reach some declarations.
pub(super) fn hooks(symbols: &SymbolDb<'_>, places: &[Place]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for place in places {
        add_marks(symbols, *place, &mut found);
        add_bases(symbols, *place, &mut found);
        add_runner(symbols, *place, &mut found);
    }
    found.into_iter().take(MOST).collect()
}

/// Decorators, annotations and attributes that are none of the language: `@app.get`.
fn add_marks(symbols: &SymbolDb<'_>, place: Place, found: &mut BTreeSet<String>) {
    let Some(loaded) = symbols.load(place.file) else { return };
    let Some(item) = loaded.facts.item(place.item) else { return };
    let before = loaded.text.get(item.span.start as usize..item.at as usize).unwrap_or_default();
    let builtins = symbols.builtins(place.file);
    for line in before.lines().map(str::trim_start) {
        let Some(rest) = line.strip_prefix('@').or_else(|| line.strip_prefix("#[")) else {
            continue;
        };
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':');
        let name = rest.split(|letter: char| !is_part(letter)).next().unwrap_or_default();
        let name = name.trim_end_matches(['.', ':']);
        if !name.is_empty() && !builtins.is_own_mark(name) {
            let opening = if line.starts_with('@') { "@" } else { "#" };
            found.insert(format!("through {opening}{name}"));
        }
    }
}

/// What a member's class builds on, where that comes from outside.
fn add_bases(symbols: &SymbolDb<'_>, place: Place, found: &mut BTreeSet<String>) {
    let Some(facts) = symbols.file(place.file) else { return };
    let member = facts.item(place.item).filter(|it| it.flags.has(Flags::MEMBER));
    let Some(parent) = member.map(|it| it.parent).filter(|it| *it != NONE) else { return };
    let owner = Place { item: parent, ..place };
    let name = facts.item(parent).map_or("", |it| facts.name(it.name));
    let builtins = symbols.builtins(place.file);
    for base in Resolver::new(symbols).outside_bases(owner) {
        let last = base.rsplit(['.', ':']).next().unwrap_or(&base);
        if !builtins.is_passive_base(last) {
            found.insert(format!("by {base}, which {name} builds on"));
        }
    }
}

/// Tests are called by their name.
fn add_runner(symbols: &SymbolDb<'_>, place: Place, found: &mut BTreeSet<String>) {
    let Some(facts) = symbols.file(place.file) else { return };
    let name = facts.item(place.item).map_or("", |it| facts.name(it.name));
    let is_test = FileClass::of(&symbols.path(place.file)) == FileClass::Test;
    if is_test && ["test", "Test", "Benchmark"].iter().any(|start| name.starts_with(start)) {
        found.insert("by a test runner".to_owned());
    }
}
