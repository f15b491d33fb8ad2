//! Follows the names of a file or a module through imports and re-exports to their declarations.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_types::declarations::{
    DEFAULT, DeclarationKind, Declarations, Export, NONE, OWN, Shape, WHOLE,
};

use super::{Definitions, Place, Resolver};

/// The target of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Item(Place),
    Module(FileId),
}

/// The resolved targets of a binding. A cache hit costs as many steps as the search did, so that
/// results do not depend on earlier queries.
pub(super) struct Reached {
    targets: Vec<Target>,
    is_exact: bool,
    steps: u32,
}

/// The most modules that one module re-exports with `*`.
const MOST_STARS: usize = 2_000;

impl Resolver<'_> {
    /// The names that a module exports, including those of modules that it re-exports with `*`.
    pub fn exported_names(&self, module: FileId) -> BTreeSet<Box<str>> {
        let (mut names, mut known) = (BTreeSet::new(), BTreeSet::from([module]));
        let mut open = vec![module];
        while let Some(file) = open.pop()
            && known.len() < MOST_STARS
        {
            let Some(facts) = self.source.file(file) else { continue };
            let own = facts.exports.iter().map(|export| facts.name(export.name));
            // `export *` does not include the default export.
            let own = own.filter(|name| file == module || *name != DEFAULT);
            names.extend(own.map(Box::<str>::from));
            for star in &facts.stars {
                let other = self.source.resolve(file, facts.name(*star), false);
                open.extend(other.filter(|other| known.insert(*other)));
            }
        }
        names
    }

    /// Resolves an export of a module.
    pub fn exported(&self, module: FileId, name: &str) -> Definitions {
        self.fuel.set(super::FUEL);
        let mut definitions = Definitions { is_exact: true, ..Definitions::default() };
        for target in self.export(module, name) {
            match target {
                Target::Item(place) => definitions.places.extend(self.merged(place)),
                Target::Module(module) => definitions.modules.push(module),
            }
        }
        definitions
    }

    /// The targets of a binding.
    pub(super) fn binding_targets(&self, file: FileId, binding: u32) -> Vec<Target> {
        let before = self.fuel.get();
        if let Some(known) = self.bindings.borrow().get(&(file, binding))
            && let Some(left) = before.checked_sub(known.steps)
        {
            self.fuel.set(left);
            if !known.is_exact {
                self.doubt();
            }
            return known.targets.clone();
        }
        let was_exact = self.is_exact.replace(true);
        let mut found = Vec::new();
        self.follow_binding(file, binding, &mut Vec::new(), &mut found);
        found.sort_unstable();
        found.dedup();
        let (is_exact, left) = (self.is_exact.get(), self.fuel.get());
        self.is_exact.set(was_exact && is_exact);
        // A result that was cut short is incomplete, so it is not cached.
        if left > 0 {
            let reached = Reached { targets: found.clone(), is_exact, steps: before - left };
            self.bindings.borrow_mut().insert((file, binding), reached);
        }
        found
    }

    /// The targets of an export of a module.
    pub(super) fn export(&self, module: FileId, name: &str) -> Vec<Target> {
        let mut found = Vec::new();
        self.follow_export(module, name, &mut Vec::new(), &mut found);
        if found.is_empty() {
            found.extend(self.part_of_package(module, name).map(Target::Module));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The module of this name in a package that does not bind the name itself: it is there once anybody has imported it.
    fn part_of_package(&self, package: FileId, name: &str) -> Option<FileId> {
        let own = self.source.builtins(package).package_file()?;
        let folder = self.source.module(package)?;
        if self.source.number(&format!("{folder}/{own}")) != Some(package) {
            return None;
        }
        let (_, ending) = own.rsplit_once('.')?;
        let file = self.source.number(&format!("{folder}/{name}.{ending}"));
        let file = file.or_else(|| self.source.number(&format!("{folder}/{name}/{own}")))?;
        if !self.source.linked(package).contains(&file) {
            // Nothing says that anybody has.
            self.doubt();
        }
        Some(file)
    }

    fn follow_binding(
        &self,
        file: FileId,
        binding: u32,
        visited: &mut Vec<(FileId, Box<str>)>,
        found: &mut Vec<Target>,
    ) {
        let Some(facts) = self.source.file(file) else { return };
        let Some(known) = facts.bindings.get(binding as usize) else { return };
        if self.follow_required(file, &facts, known.shape, visited, found) {
            return;
        }
        if known.item != NONE {
            self.follow_item(&facts, Place { file, item: known.item }, visited, found);
        } else if let Some(import) = facts.imports.get(known.import as usize) {
            let specifier = facts.name(import.specifier);
            if self.is_linked(file) {
                let name = (import.name != NONE).then(|| facts.name(import.name));
                found.extend(self.linked_import(file, specifier, name));
                return;
            }
            let Some(module) = self.source.resolve(file, specifier, import.is_required) else {
                let name = (import.name != NONE).then(|| facts.name(import.name));
                self.follow_described(file, specifier, name, visited, found);
                return;
            };
            let is_declaring = self.source.builtins(module).reads_uses();
            if !is_declaring || self.source.file(module).is_none() {
                // A file without declarations, such as a style sheet, may have an ambient module
                // declaration for its extension.
                let name = (import.name != NONE).then(|| facts.name(import.name));
                let before = found.len();
                self.follow_described(file, specifier, name, visited, found);
                if found.len() > before {
                    return;
                }
            }
            match import.name {
                NONE => found.push(Target::Module(module)),
                name => {
                    let name = facts.name(name);
                    let before = found.len();
                    self.follow_export(module, name, visited, found);
                    if found.len() == before && name == WHOLE {
                        found.push(Target::Module(module));
                    }
                    // A module that sets `module.exports` has that for a default.
                    if found.len() == before && name == DEFAULT {
                        if self.source.is_script(module) {
                            found.extend(self.whole(module, visited));
                        } else {
                            self.follow_export(module, WHOLE, visited, found);
                        }
                    }
                }
            }
        } else if let Shape::Name { binding: other } = facts.shape(known.shape)
            && other != binding
            && self.step()
        {
            // `import a = b`.
            self.follow_binding(file, other, visited, found);
        }
    }

    /// Resolves an import of a module without a file through its ambient declaration (`declare
    /// module 'x'`). Only the compiler's settings decide whether that declaration is visible.
    fn follow_described(
        &self,
        file: FileId,
        specifier: &str,
        name: Option<&str>,
        visited: &mut Vec<(FileId, Box<str>)>,
        found: &mut Vec<Target>,
    ) {
        for place in self.source.described(file, specifier) {
            self.doubt();
            let Some(name) = name else {
                found.push(Target::Item(place));
                continue;
            };
            let Some(facts) = self.source.file(place.file) else { continue };
            let members = facts.item(place.item).map(|it| it.members).unwrap_or_default();
            // A module that exports one value as a whole stores it as its default export.
            let name = if name == WHOLE { DEFAULT } else { name };
            let is_it =
                |item: &&u32| facts.item(**item).is_some_and(|it| facts.name(it.name) == name);
            for item in facts.list(members).iter().filter(is_it) {
                if self.step() {
                    self.follow_item(&facts, Place { item: *item, ..place }, visited, found);
                }
            }
        }
    }

    /// Treats `const a = require('x')` and `const { a } = require('x')` as imports; false if the
    /// binding is neither, or resolves to nothing.
    fn follow_required(
        &self,
        file: FileId,
        facts: &Declarations,
        shape: u32,
        visited: &mut Vec<(FileId, Box<str>)>,
        found: &mut Vec<Target>,
    ) -> bool {
        let (module, name) = match facts.shape(shape) {
            Shape::Member { base, name } => (base, Some(facts.name(name))),
            _ => (shape, None),
        };
        let Shape::Module { specifier } = facts.shape(module) else { return false };
        let before = found.len();
        if let Some(module) = self.module(file, facts.name(specifier)) {
            match name {
                None => found.extend(self.whole(module, visited)),
                Some(name) => self.follow_export(module, name, visited, found),
            }
        }
        // If this leads only to a whole module, the line with the `require` is the better target.
        let is_item = |target: &Target| matches!(target, Target::Item(_));
        let leads = found.get(before..).unwrap_or_default().iter().any(is_item);
        if !leads {
            found.truncate(before);
        }
        leads
    }

    /// The file of a specifier that is written where it is used.
    pub(super) fn module(&self, file: FileId, specifier: &str) -> Option<FileId> {
        if specifier == OWN { Some(file) } else { self.source.resolve(file, specifier, true) }
    }

    /// The value of a module: the module itself, or what it exports with `export =`. The members of
    /// an exported literal count as named exports.
    pub(super) fn whole(
        &self,
        module: FileId,
        visited: &mut Vec<(FileId, Box<str>)>,
    ) -> Vec<Target> {
        let mut found = Vec::new();
        self.follow_export(module, WHOLE, visited, &mut found);
        found.retain(|target| !self.is_literal(*target));
        let facts = self.source.file(module);
        let has_names = facts.is_some_and(|facts| {
            facts.exports.iter().any(|it| !matches!(facts.name(it.name), WHOLE | DEFAULT))
                || !facts.stars.is_empty()
        });
        if found.is_empty() || has_names {
            found.push(Target::Module(module));
        }
        found
    }

    fn is_literal(&self, target: Target) -> bool {
        let Target::Item(place) = target else { return false };
        let Some(facts) = self.source.file(place.file) else { return false };
        facts.item(place.item).is_some_and(|item| {
            facts.name(item.name) == WHOLE
                && matches!(facts.shape(item.shape), Shape::Object { .. })
        })
    }

    /// `export default name` refers to whatever `name` refers to.
    fn follow_item(
        &self,
        facts: &Declarations,
        place: Place,
        visited: &mut Vec<(FileId, Box<str>)>,
        found: &mut Vec<Target>,
    ) {
        let Some(item) = facts.item(place.item) else { return };
        if item.kind == DeclarationKind::Default
            && let Shape::Name { binding } = facts.shape(item.shape)
            && facts.bindings.get(binding as usize).is_some_and(|it| it.item != place.item)
            && self.step()
        {
            self.follow_binding(place.file, binding, visited, found);
        } else if item.kind == DeclarationKind::Namespace
            && item.body.is_empty()
            && self.is_linked(place.file)
        {
            // The module has a file of its own.
            found.extend(self.linked_module(place.file, facts.name(item.name)));
        } else {
            found.push(Target::Item(place));
        }
    }

    fn follow_export(
        &self,
        module: FileId,
        name: &str,
        visited: &mut Vec<(FileId, Box<str>)>,
        found: &mut Vec<Target>,
    ) {
        let is_known = visited.iter().any(|(file, known)| *file == module && **known == *name);
        if is_known || visited.len() > 400 || !self.step() {
            return;
        }
        visited.push((module, name.into()));
        let Some(facts) = self.source.file(module) else { return };
        let before = found.len();
        // Filter by name first: a file has many more names than exports.
        let named = facts.exports.iter().filter(|export| facts.name(export.name) == name);
        let mut is_named = false;
        for export in named {
            is_named = true;
            match export.what {
                Export::Binding(binding) => self.follow_binding(module, binding, visited, found),
                Export::Item(item) => {
                    self.follow_item(&facts, Place { file: module, item }, visited, found);
                }
                Export::From { specifier, name, .. } => {
                    let specifier = facts.name(specifier);
                    let Some(other) = self.source.resolve(module, specifier, false) else {
                        continue;
                    };
                    match name {
                        NONE => found.push(Target::Module(other)),
                        name => self.follow_export(other, facts.name(name), visited, found),
                    }
                }
            }
        }
        if !is_named && name != DEFAULT {
            for star in &facts.stars {
                if self.is_linked(module) {
                    let star = facts.name(*star);
                    let named = self.linked_import(module, star, Some(name));
                    let passes = self.source.builtins(module).package_file().is_some();
                    if named.is_empty()
                        && passes
                        && let Some(other) = self.linked_file(module, star)
                    {
                        // That one has it from a star of its own.
                        self.follow_export(other, name, visited, found);
                    }
                    found.extend(named);
                } else if let Some(other) = self.source.resolve(module, facts.name(*star), false) {
                    self.follow_export(other, name, visited, found);
                }
            }
        }
        if found.len() == before && name == DEFAULT {
            self.follow_export(module, WHOLE, visited, found);
        }
    }
}
