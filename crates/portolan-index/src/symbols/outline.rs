//! What files declare at their top, for somebody who wants to see all of a repository.

use std::collections::BTreeSet;

use portolan_languages::is_code;
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

/// A declaration at the top of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// Its number among the declarations of the file.
    pub item: u32,
    /// The line, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Which sort.
    pub kind: DeclarationKind,
    /// Whether another file may name it.
    pub is_exported: bool,
}

/// What each file of the universe declares, by line; nothing for one that is no code or may hold secrets. For
/// threads with room for parsing.
pub fn outlines(
    system: &dyn System,
    config: &Config,
    map: &MapReport,
    store: &DeclarationStore,
) -> Vec<Vec<Outlined>> {
    let reader = CodeReader { system, guard: config.settings.secrets.guard(), store };
    let outline = |file: &UniverseFile| {
        let is_read = is_code(file.path.as_str()) && file.size <= LARGE;
        let loaded = is_read.then(|| reader.load(file.path.as_str(), &file.absolute)).flatten();
        loaded.map(|loaded| outlined(&loaded)).unwrap_or_default()
    };
    map.universe.par_iter().map(outline).collect()
}

/// What a file declares, by line.
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
    // The overloads of a function are one declaration to whoever looks at a list.
    found.dedup_by(|later, first| (later.kind, &later.name) == (first.kind, &first.name));
    found
}

/// The names that a file has for others: of what it declares, by place, then of what it passes on.
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
        // Whoever imports it gives it a name; its own says what it is.
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
    // An underscore says in every language that a name is for nobody else.
    let all = all.filter(|name| !name.starts_with('_') && known.insert(name.to_owned()));
    all.map(str::to_owned).collect()
}

/// Whether it stands at the top of the file under a name of its own; what is put into another value there does not.
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

/// What is exported apart from where it is declared.
fn exported(facts: &Declarations) -> BTreeSet<u32> {
    let items = facts.exports.iter().filter_map(|exported| match exported.what {
        Export::Binding(binding) => facts.bindings.get(binding as usize).map(|it| it.item),
        Export::Item(item) => Some(item),
        Export::From { .. } => None,
    });
    items.collect()
}
