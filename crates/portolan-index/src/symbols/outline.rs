//! The top-level declarations of files, for an overview of a repository.

use std::collections::BTreeSet;

use portolan_languages::is_declaring_program;
use portolan_types::declarations::{
    DEFAULT, Declaration, DeclarationKind, Declarations, Export, Flags, NONE,
};
use rayon::prelude::*;

use super::reader::{CodeReader, Loaded};
use super::store::DeclarationStore;
use crate::map::{MapReport, UniverseFile};
use portolan_vfs::System;
use portolan_workspace::config::Loaded as Config;

/// Larger files are data.
const LARGE: u64 = 4 << 20;

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// Its number among the declarations of the file.
    pub item: u32,
    /// The line, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: DeclarationKind,
    /// Whether it is exported.
    pub is_exported: bool,
}

/// The top-level declarations of each file of the universe, by line; none if it is not code or may hold secrets. It
/// parses, so it needs threads with a large stack.
pub fn outlines(
    system: &dyn System,
    config: &Config,
    map: &MapReport,
    store: &DeclarationStore,
) -> Vec<Vec<Outlined>> {
    let reader = CodeReader { system, guard: config.settings.secrets.guard(), store };
    let outline = |file: &UniverseFile| {
        let is_read = is_declaring_program(file.path.as_str()) && file.size <= LARGE;
        let loaded = is_read.then(|| reader.load(file.path.as_str(), &file.absolute)).flatten();
        loaded.map(|loaded| outlined(&loaded)).unwrap_or_default()
    };
    map.universe.par_iter().map(outline).collect()
}

/// The top-level declarations of a file, by line.
pub(crate) fn outlined(Loaded { facts, lines, .. }: &Loaded) -> Vec<Outlined> {
    let exported = exported(facts);
    let mut found: Vec<Outlined> = (0u32..)
        .zip(&facts.items)
        .filter(|(_, item)| is_shown(facts, item))
        .map(|(number, item)| Outlined {
            item: number,
            line: lines.of(item.at),
            name: facts.name(item.name).to_owned(),
            kind: item.kind,
            is_exported: item.flags.has(Flags::EXPORTED) || exported.contains(&number),
        })
        .collect();
    found.sort_by(|left, right| (left.line, &left.name).cmp(&(right.line, &right.name)));
    // In a list, the overloads of a function are one declaration.
    found.dedup_by(|later, first| (later.kind, &later.name) == (first.kind, &first.name));
    found
}

/// The exported names of a file: of its declarations, by line, then of its re-exports.
pub(crate) fn exported_names(facts: &Declarations) -> Vec<String> {
    let mut own: Vec<(u32, &str)> = Vec::new();
    let mut passed_on: Vec<&str> = Vec::new();
    for exported in &facts.exports {
        let name = facts.name(exported.name);
        let item = match exported.what {
            Export::Binding(binding) => facts.bindings.get(binding as usize).map(|it| it.item),
            Export::Item(item) => Some(item),
            Export::From { .. } => {
                passed_on.push(name);
                continue;
            }
        };
        let Some(item) = item.and_then(|item| facts.item(item)) else { continue };
        // A default export has no name for importers, so its own is shown.
        let declared = facts.name(item.name);
        let is_nameless = name == DEFAULT && !declared.is_empty();
        own.push((item.at, if is_nameless { declared } else { name }));
    }
    let is_open = |item: &&Declaration| item.flags.has(Flags::EXPORTED) && is_shown(facts, item);
    let open = facts.items.iter().filter(is_open);
    own.extend(open.map(|item| (item.at, facts.name(item.name))));
    own.sort_unstable();
    let mut known = BTreeSet::new();
    let all = own.into_iter().map(|(_, name)| name).chain(passed_on);
    // A leading underscore marks a private name in every language.
    let all = all.filter(|name| !name.starts_with('_') && known.insert(name.to_owned()));
    all.map(str::to_owned).collect()
}

/// Whether it is a named top-level declaration, and not assigned to a member of another value.
fn is_shown(facts: &Declarations, item: &Declaration) -> bool {
    let is_part = matches!(
        item.kind,
        DeclarationKind::Statement
            | DeclarationKind::Extension
            | DeclarationKind::Property
            | DeclarationKind::Signature
    );
    let is_top = item.parent == NONE && !item.flags.has(Flags::LOCAL);
    is_top && !is_part && !facts.name(item.name).is_empty()
}

/// The names that are exported apart from their declarations.
fn exported(facts: &Declarations) -> BTreeSet<u32> {
    let items = facts.exports.iter().filter_map(|exported| match exported.what {
        Export::Binding(binding) => facts.bindings.get(binding as usize).map(|it| it.item),
        Export::Item(item) => Some(item),
        Export::From { .. } => None,
    });
    items.collect()
}
