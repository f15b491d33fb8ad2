//! Where a name leaves the files that are looked at: through imports, and through what those files pass on.
//!
//! `import { z } from './schema'` with `export { z } from 'zod'` there leaves by `zod`, as `z`.

use std::collections::BTreeSet;

use portolan_types::declarations::{DEFAULT, DeclarationKind, Declarations, Export, NONE, Shape};

use super::{Place, Resolver};

/// A way out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Departure {
    /// The file that names the module.
    pub file: u32,
    /// The module, as that file names it.
    pub specifier: Box<str>,
    /// What of it: an exported name, and members of that.
    pub names: Vec<Box<str>>,
    /// Whether there is no doubt.
    pub is_exact: bool,
}

/// Nobody passes a name on more often.
const MOST_STEPS: usize = 400;

/// Nor begins what it imports with what it imports.
const MOST_BROUGHT: usize = 4;

/// Something whose meaning is looked for, and which of its members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    file: u32,
    what: What,
    names: Vec<Box<str>>,
    is_exact: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Binding(u32),
    Export(Box<str>),
}

/// What is known of the search.
struct Search<'s> {
    is_own: &'s dyn Fn(u32) -> bool,
    open: Vec<Open>,
    found: BTreeSet<Departure>,
}

impl Resolver<'_> {
    /// Where a binding of a file, or a member of what it stands for, leaves the files that are our own.
    pub fn departures(
        &self,
        file: u32,
        binding: u32,
        members: &[&str],
        is_own: &dyn Fn(u32) -> bool,
    ) -> Vec<Departure> {
        let names = members.iter().map(|name| Box::from(*name)).collect();
        let first = Open { file, what: What::Binding(binding), names, is_exact: true };
        let mut search = Search { is_own, open: vec![first], found: BTreeSet::new() };
        let mut known = BTreeSet::new();
        while let Some(open) = search.open.pop() {
            if known.len() >= MOST_STEPS || !known.insert(open.clone()) {
                continue;
            }
            let Some(facts) = self.world.file(open.file) else { continue };
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
        // Where imports are in reach of others without being passed on.
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

    /// What a module is asked for: by a name, or as a whole by its members.
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
        // The module as a whole is no name of it.
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

    /// The module that a specifier means which begins with a name that the file itself imports: after `use a::b`,
    /// `b::name` is of `a`.
    fn brought<'f>(&self, file: u32, facts: &'f Declarations, specifier: &'f str) -> &'f str {
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

    /// The file of our own that a specifier means.
    fn own_module(&self, file: u32, specifier: &str, is_own: &dyn Fn(u32) -> bool) -> Option<u32> {
        let module = if self.is_linked(file) {
            self.linked_file(file, specifier)
        } else {
            self.world.resolve(file, specifier, false)
        };
        module.filter(|module| is_own(*module))
    }
}

/// `export default name` stands for what the name does.
fn leave_by_item(facts: &Declarations, place: Place, open: &Open, search: &mut Search<'_>) {
    if let Some(item) = facts.item(place.item)
        && item.kind == DeclarationKind::Default
        && let Shape::Name { binding } = facts.shape(item.shape)
    {
        search.open.push(Open { what: What::Binding(binding), ..open.clone() });
    }
}
