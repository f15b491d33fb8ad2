//! Finds where a name leaves a set of files: through their imports and re-exports.
//!
//! For example, `import { z } from './schema'`, with `export { z } from 'zod'` in that file, leaves
//! through `zod` as `z`.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_types::declarations::{DEFAULT, DeclarationKind, Declarations, Export, NONE, Shape};

use super::{Place, Resolver};

/// An import that leads out of the set of files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Departure {
    /// The file with the import.
    pub file: FileId,
    /// The module, as the import names it.
    pub specifier: Box<str>,
    /// The exported name, and the members used of it.
    pub names: Vec<Box<str>>,
    /// Whether the result is certain.
    pub is_exact: bool,
}

/// The most re-exports that are followed.
const MOST_STEPS: usize = 400;

/// The most imports that are followed because a specifier starts with an imported name.
const MOST_BROUGHT: usize = 4;

/// A name to resolve, and the members wanted of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    file: FileId,
    what: What,
    names: Vec<Box<str>>,
    is_exact: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Binding(u32),
    Export(Box<str>),
}

/// The state of a search.
struct Search<'s> {
    is_own: &'s dyn Fn(FileId) -> bool,
    open: Vec<Open>,
    found: BTreeSet<Departure>,
}

impl Resolver<'_> {
    /// Where a binding of a file, or a member of it, leaves the files for which `is_own` holds.
    pub fn departures(
        &self,
        file: FileId,
        binding: u32,
        members: &[&str],
        is_own: &dyn Fn(FileId) -> bool,
    ) -> Vec<Departure> {
        let names = members.iter().map(|name| Box::from(*name)).collect();
        let first = Open { file, what: What::Binding(binding), names, is_exact: true };
        let mut search = Search { is_own, open: vec![first], found: BTreeSet::new() };
        let mut known = BTreeSet::new();
        while let Some(open) = search.open.pop() {
            if known.len() >= MOST_STEPS || !known.insert(open.clone()) {
                continue;
            }
            let Some(facts) = self.source.file(open.file) else { continue };
            match &open.what {
                What::Binding(binding) => {
                    self.leave_by_binding(&facts, *binding, &open, &mut search);
                }
                What::Export(name) => self.leave_by_export(&facts, name, &open, &mut search),
            }
        }
        search.found.into_iter().collect()
    }

    fn leave_by_binding(
        &self,
        facts: &Declarations,
        binding: u32,
        open: &Open,
        search: &mut Search<'_>,
    ) {
        let Some(known) = facts.bindings.get(binding as usize) else { return };
        if known.item != NONE {
            leave_by_item(facts, Place { file: open.file, item: known.item }, open, search);
        } else if let Some(import) = facts.imports.get(known.import as usize) {
            self.leave_by_module(facts, import.specifier, import.name, open, search);
        }
    }

    fn leave_by_export(
        &self,
        facts: &Declarations,
        name: &str,
        open: &Open,
        search: &mut Search<'_>,
    ) {
        let wanted = facts.find_name(name);
        let mut named =
            facts.exports.iter().filter(|export| Some(export.name) == wanted).peekable();
        let is_named = named.peek().is_some();
        for export in named {
            match export.what {
                Export::Binding(binding) => {
                    search.open.push(Open { what: What::Binding(binding), ..open.clone() });
                }
                Export::Item(item) => {
                    leave_by_item(facts, Place { file: open.file, item }, open, search);
                }
                Export::From { specifier, name, .. } => {
                    self.leave_by_module(facts, specifier, name, open, search);
                }
            }
        }
        if is_named || name == DEFAULT {
            return;
        }
        // In these languages imports are visible to other files without a re-export.
        let numbered = facts.bindings.iter().zip(0u32..).filter(|_| self.is_linked(open.file));
        for (_, binding) in numbered.filter(|(it, _)| Some(it.name) == wanted && it.import != NONE)
        {
            search.open.push(Open {
                what: What::Binding(binding),
                is_exact: false,
                ..open.clone()
            });
        }
        for star in &facts.stars {
            let is_exact = open.is_exact && facts.stars.len() == 1;
            let mut names = vec![Box::from(name)];
            names.extend(open.names.iter().cloned());
            let passed = Open { names, is_exact, ..open.clone() };
            self.leave_by_module(facts, *star, NONE, &passed, search);
        }
    }

    /// Follows a name that is imported from a module, or the members of a module imported as a
    /// whole.
    fn leave_by_module(
        &self,
        facts: &Declarations,
        specifier: u32,
        name: u32,
        open: &Open,
        search: &mut Search<'_>,
    ) {
        let specifier = facts.name(specifier);
        let mut names = open.names.clone();
        if name != NONE {
            names.insert(0, facts.name(name).into());
        }
        // A whole module has no name to report.
        let Some(first) = names.first().cloned() else { return };
        let (file, is_exact) = (open.file, open.is_exact);
        if let Some(module) = self.own_module(file, specifier, search.is_own) {
            names.remove(0);
            search.open.push(Open { file: module, what: What::Export(first), names, is_exact });
        } else {
            let specifier = self.brought(file, facts, specifier).into();
            search.found.insert(Departure { file, specifier, names, is_exact });
        }
    }

    /// Expands a specifier that starts with a name which the file imports: after `use a::b`,
    /// `b::name` is in `a`.
    fn brought<'f>(&self, file: FileId, facts: &'f Declarations, specifier: &'f str) -> &'f str {
        let mut specifier = specifier;
        let import = |name: &str| {
            let mut bindings = facts.bindings.iter().filter(|it| facts.name(it.name) == name);
            bindings.find_map(|it| facts.imports.get(it.import as usize))
        };
        for _ in 0..MOST_BROUGHT {
            let first = specifier.split(['/', '.', ':']).next().unwrap_or(specifier);
            let Some(known) = import(first).filter(|_| self.is_linked(file)) else { break };
            let before = facts.name(known.specifier);
            specifier = if before.is_empty() { facts.name(known.name) } else { before };
        }
        specifier
    }

    /// The file among our own that a specifier resolves to.
    fn own_module(
        &self,
        file: FileId,
        specifier: &str,
        is_own: &dyn Fn(FileId) -> bool,
    ) -> Option<FileId> {
        let module = if self.is_linked(file) {
            self.linked_file(file, specifier)
        } else {
            self.source.resolve(file, specifier, false)
        };
        module.filter(|module| is_own(*module))
    }
}

/// `export default name` refers to whatever `name` refers to.
fn leave_by_item(facts: &Declarations, place: Place, open: &Open, search: &mut Search<'_>) {
    if let Some(item) = facts.item(place.item)
        && item.kind == DeclarationKind::Default
        && let Shape::Name { binding } = facts.shape(item.shape)
    {
        search.open.push(Open { what: What::Binding(binding), ..open.clone() });
    }
}
