//! Who uses a declaration: the places where its name means it.

use std::collections::BTreeSet;

use portolan_graph::declarations::{Place, Resolver, World as _};
use portolan_types::declarations::{DEFAULT, Usage};

use super::library::Library;

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
}

/// The uses of some declarations, and how many files were looked through for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// The uses, by place.
    pub users: Vec<User>,
    /// The files that depend on the declarations' files, and these.
    pub searched: usize,
}

/// Finds the uses of some declarations: in their own files, and in those that depend on them.
pub fn users_of(library: &Library<'_>, places: &[Place]) -> Users {
    let resolver = Resolver::new(library);
    let mut files: BTreeSet<u32> = places.iter().map(|place| place.file).collect();
    for place in places {
        files.extend(library.links().users(place.file).iter());
    }
    let names: BTreeSet<String> =
        places.iter().filter_map(|place| name_of(library, *place)).collect();
    let wanted: BTreeSet<Place> = places.iter().copied().collect();
    let mut found = BTreeSet::new();
    for file in &files {
        let Some(loaded) = library.load(*file) else { continue };
        let facts = &loaded.facts;
        for reference in &facts.references {
            let is_name = matches!(reference.usage, Usage::Value | Usage::Type);
            let name = facts.name(reference.name);
            // A name may be imported under another one.
            let import = facts.bindings.get(reference.of as usize).filter(|_| is_name);
            let import = import.and_then(|it| facts.imports.get(it.import as usize));
            let is_renamed = import.is_some_and(|it| facts.name(it.name) == DEFAULT);
            let original = import.map_or(name, |it| facts.name(it.name));
            if !is_renamed && !names.contains(name) && !names.contains(original) {
                continue;
            }
            let meaning = resolver.resolve(*file, reference);
            if meaning.places.iter().any(|place| wanted.contains(place)) {
                let line = loaded.lines.of(reference.at);
                found.insert(User {
                    file: library.path(*file),
                    line,
                    text: loaded.lines.text(&loaded.text, line).trim().to_owned(),
                    is_exact: meaning.is_exact,
                });
            }
        }
    }
    Users { users: found.into_iter().collect(), searched: files.len() }
}

fn name_of(library: &Library<'_>, place: Place) -> Option<String> {
    let facts = library.file(place.file)?;
    let item = facts.item(place.item)?;
    Some(facts.name(item.name).to_owned())
}
