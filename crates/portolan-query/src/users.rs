//! Who uses a declaration: the places where its name means it.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{
    DEFAULT, Declarations, Export, NONE, Reference, Shape, Usage, WHOLE,
};

use crate::account::{Account, account_of, accounts_of};
use portolan_index::symbols::SymbolDb;

/// A use of a declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text, trimmed.
    pub text: String,
    /// Whether there is no doubt.
    pub is_exact: bool,
    /// The declaration or member that the line is in.
    pub around: Option<Place>,
    /// The related member that it is a use of: `Store.put`, where `Memory.put` was asked for.
    pub through: Option<String>,
    /// Why there is a doubt.
    pub why: Option<&'static str>,
}

/// The uses of some declarations, and how many files were looked through for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// The uses, by place.
    pub users: Vec<User>,
    /// The files that depend on the declarations' files, and these.
    pub searched: usize,
    /// How many of these have a template, which is not read.
    pub templates: usize,
    /// What each word of the name came to, where that was counted.
    pub account: Option<Account>,
    /// Members that override or implement the declarations, or are overridden by them.
    pub related: Vec<Place>,
}

/// Finds the uses of some declarations. A line is listed once.
pub fn users_of(symbols: &SymbolDb<'_>, places: &[Place]) -> Users {
    account_of(symbols, places).unwrap_or_else(|| users_near(symbols, places))
}

/// The uses of declarations in their own files, and in those that depend on them.
pub(super) fn users_near(symbols: &SymbolDb<'_>, places: &[Place]) -> Users {
    let resolver = Resolver::new(symbols);
    let mut files: BTreeSet<FileId> = places.iter().map(|place| place.file).collect();
    for place in places {
        files.extend(symbols.links().users(place.file).iter());
    }
    let names: BTreeSet<String> =
        places.iter().filter_map(|place| name_of(symbols, *place)).collect();
    let wanted: BTreeSet<Place> = places.iter().copied().collect();
    symbols.prefetch(&files);
    let names = aliases_of(symbols, &files, names);
    let mut found: BTreeMap<(FileId, u32), User> = BTreeMap::new();
    for file in &files {
        let Some(facts) = symbols.file(*file) else { continue };
        for reference in facts.references.iter().filter(|it| may_mean(&facts, it, &names)) {
            let definitions = resolver.resolve(*file, reference);
            if definitions.places.iter().any(|place| wanted.contains(place)) {
                let Some(user) = user(symbols, *file, reference, definitions.is_exact) else {
                    continue;
                };
                let known = found.entry((*file, user.line)).or_insert_with(|| user.clone());
                known.is_exact |= user.is_exact;
            }
        }
    }
    let has_template =
        |file: &&FileId| symbols.builtins(**file).has_template(&symbols.path(**file));
    let templates = files.iter().filter(has_template).count();
    let users = found.into_values().collect();
    Users { users, searched: files.len(), templates, ..Users::default() }
}

impl Users {
    /// What the files are that were looked through, and what of them was not.
    pub(super) fn unread_templates(templates: usize) -> String {
        match templates {
            0 => String::new(),
            1 => "; templates are read for names as written (not `my-name`), 1 of these files has one".to_owned(),
            count => format!("; templates are read for names as written (not `my-name`), {count} of these files have one"),
        }
    }
}

/// Names, and those that the files which depend on them pass the same things on under.
pub(super) fn aliases_of(
    symbols: &SymbolDb<'_>,
    files: &BTreeSet<FileId>,
    mut names: BTreeSet<String>,
) -> BTreeSet<String> {
    let mut passed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let Some(facts) = symbols.file(*file) else { continue };
        for (original, name) in renamed(&facts, symbols.is_linked(*file)) {
            passed.entry(original.to_owned()).or_default().insert(name.to_owned());
        }
    }
    let mut open: Vec<String> = names.iter().cloned().collect();
    // What has no name of its own is exported as one of these, and given one by who passes it on.
    open.extend([DEFAULT, WHOLE].map(str::to_owned));
    while let Some(name) = open.pop() {
        for alias in passed.remove(&name).into_iter().flatten() {
            if names.insert(alias.clone()) {
                open.push(alias);
            }
        }
    }
    names
}

/// What a file passes on under another name: the name it came under, and the other one. Where names are
/// linked by the Map, whatever a file imports can be named through it.
fn renamed(facts: &Declarations, is_linked: bool) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for export in &facts.exports {
        let original = match export.what {
            Export::From { name, .. } if name != NONE => Some(facts.name(name)),
            Export::Binding(binding) => {
                let known = facts.bindings.get(binding as usize);
                known.map(|it| original_name(facts, binding).unwrap_or(facts.name(it.name)))
            }
            _ => None,
        };
        found.extend(original.map(|original| (original, facts.name(export.name))));
    }
    if is_linked {
        let imported = facts.bindings.iter().zip(0u32..).filter(|(it, _)| it.import != NONE);
        found.extend(imported.filter_map(|(it, binding)| {
            Some((original_name(facts, binding)?, facts.name(it.name)))
        }));
    }
    found.retain(|(original, name)| original != name);
    found
}

/// The name that a binding has where it is imported from.
pub(crate) fn original_name(facts: &Declarations, binding: u32) -> Option<&str> {
    let known = facts.bindings.get(binding as usize)?;
    if let Some(import) = facts.imports.get(known.import as usize) {
        return (import.name != NONE).then(|| facts.name(import.name));
    }
    match facts.shape(known.shape) {
        Shape::Module { .. } => Some(WHOLE),
        Shape::Member { base, name } => {
            matches!(facts.shape(base), Shape::Module { .. }).then(|| facts.name(name))
        }
        _ => None,
    }
}

/// The uses of each of some declarations, as [`users_of`] finds them, with one search for all of their names. `None` where
/// more than `most` files would have to be parsed for all: they were not looked for.
pub(crate) fn uses_of_each(
    symbols: &SymbolDb<'_>,
    places: &[Place],
    most: usize,
) -> Vec<Option<Vec<User>>> {
    let each = accounts_of(symbols, places, most).into_iter();
    each.map(|users| users.map(|it| it.users)).collect()
}

/// Whether a reference may mean something of one of these names. It may be imported under another one.
pub(super) fn may_mean(
    facts: &Declarations,
    reference: &Reference,
    names: &BTreeSet<String>,
) -> bool {
    let is_name = matches!(reference.usage, Usage::Value | Usage::Type);
    let name = facts.name(reference.name);
    let original = is_name.then(|| original_name(facts, reference.of)).flatten().unwrap_or(name);
    matches!(original, DEFAULT | WHOLE) || names.contains(name) || names.contains(original)
}

fn user(
    symbols: &SymbolDb<'_>,
    file: FileId,
    reference: &Reference,
    is_exact: bool,
) -> Option<User> {
    let loaded = symbols.load(file)?;
    let line = loaded.lines.of(reference.at);
    let around = loaded.enclosing(reference.at);
    Some(User {
        file: symbols.path(file),
        line,
        text: loaded.lines.text(&loaded.text, line).trim().to_owned(),
        is_exact,
        around: around.map(|(outer, member)| Place { file, item: member.unwrap_or(outer) }),
        through: None,
        why: (!is_exact).then_some("one of several declarations"),
    })
}

pub(super) fn name_of(symbols: &SymbolDb<'_>, place: Place) -> Option<String> {
    let facts = symbols.file(place.file)?;
    let item = facts.item(place.item)?;
    Some(facts.name(item.name).to_owned())
}
