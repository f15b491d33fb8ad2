//! Which file defines a name of a module: through what the module itself imports, star imports among it.

use portolan_types::{Facts, Forwarded, Import};

use super::modules::{Found, Modules};
use super::parts;
use crate::Memo;

/// No chain of imports is followed further than this.
const MOST_STEPS: usize = 10_000;

/// The names of all modules.
pub(super) struct Names<'a> {
    modules: Modules<'a>,
    known: Memo<(u32, Box<str>), Option<u32>>,
}

/// The ways an import is written, as the language numbers them.
const IMPORT: u8 = 0;
const FROM: u8 = 1;

impl<'a> Names<'a> {
    pub(super) fn new(modules: Modules<'a>) -> Self {
        Self { modules, known: Memo::default() }
    }

    pub(super) fn modules(&self) -> &Modules<'a> {
        &self.modules
    }

    /// The file that `from module import item` leads to: the submodule of that name, unless the module
    /// has something else by it.
    pub(super) fn item(&self, path: &str, module: &str, file: u32, item: &str) -> u32 {
        if !self.modules.is_package(file) {
            return file;
        }
        let Some(submodule) = self.modules.submodule(path, module, item) else { return file };
        let is_submodule = !self.has(file, item) || self.define(file, item) == Some(submodule);
        if is_submodule { submodule } else { file }
    }

    /// Whether a module binds a name itself, by definition, import or star.
    fn has(&self, file: u32, name: &str) -> bool {
        let Some(facts) = self.modules.facts(file) else { return false };
        facts.definition(name).is_some()
            || facts.forwards.iter().any(|forward| *forward.name == *name)
            || (!facts.stars.is_empty() && self.define(file, name).is_some())
    }

    /// The file that defines what an import names, if that is not where it leads by itself.
    pub(super) fn definer_of(&self, path: &str, import: &Import) -> Option<u32> {
        let (module, item) = parts(import);
        let item = item.filter(|item| *item != "*")?;
        let Found::File(file) = self.modules.find(path, module) else { return None };
        let target = self.item(path, module, file, item);
        if target != file {
            return None;
        }
        self.define(file, item).filter(|definer| *definer != target)
    }

    /// The module that an import binds to a name, if it binds one.
    pub(super) fn bound(&self, path: &str, import: &Import) -> Option<u32> {
        let (module, item) = parts(import);
        match (import.form.0, item) {
            (IMPORT, None) => match self.modules.find(path, module) {
                Found::File(file) => Some(file),
                _ => None,
            },
            (FROM, Some(item)) => self.bound_module(path, module, item),
            _ => None,
        }
    }

    /// The file that defines `name`, an attribute of a module, if that is not the module itself.
    pub(super) fn attribute_of(&self, module: u32, name: &str) -> Option<u32> {
        self.define(module, name).filter(|definer| *definer != module)
    }

    /// The module that `from module import item` binds, if it binds one.
    fn bound_module(&self, path: &str, module: &str, item: &str) -> Option<u32> {
        let submodule = self.modules.submodule(path, module, item)?;
        match self.modules.find(path, module) {
            Found::Namespace => Some(submodule),
            Found::File(file) if self.modules.is_package(file) => self
                .define(file, item)
                .is_none_or(|definer| definer == submodule)
                .then_some(submodule),
            _ => None,
        }
    }

    /// The file that defines a name, looked up in a module.
    pub(super) fn define(&self, file: u32, name: &str) -> Option<u32> {
        let key = (file, Box::from(name));
        if let Some(known) = self.known.get(&key) {
            return known;
        }
        let found = self.search(file, name);
        self.known.insert(key, found)
    }

    /// What is asked of one module after the other, in the order in which Python would find it. A module
    /// that was asked for a name is not asked for it again.
    fn search(&self, file: u32, name: &str) -> Option<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut asked: Vec<Lead> = vec![Lead::Ask(file, name.into())];
        while let Some(step) = asked.pop() {
            let (file, name) = match step {
                Lead::Found(file) => return Some(file),
                Lead::Ask(file, name) => (file, name),
            };
            if seen.len() > MOST_STEPS || !seen.insert((file, name.clone())) {
                continue;
            }
            let Some(facts) = self.modules.facts(file) else { continue };
            let steps = self.steps(file, facts, &name);
            asked.extend(steps.into_iter().rev());
        }
        None
    }

    /// Where a name of a module may come from, the likeliest first.
    fn steps(&self, file: u32, facts: &'a Facts, name: &str) -> Vec<Lead> {
        let path = self.modules.path(file);
        let mut steps = Vec::new();
        let mut is_forwarded = false;
        for forward in facts.forwards.iter().filter(|forward| *forward.name == *name) {
            let (Some(import), Forwarded::Name(original)) =
                (facts.imports.get(forward.import as usize), &forward.target)
            else {
                continue;
            };
            is_forwarded = true;
            let (module, _) = parts(import);
            if let Found::File(from) = self.modules.find(path, module) {
                steps.push(Lead::Ask(from, original.clone()));
            }
            if let Some(submodule) = self.modules.submodule(path, module, original) {
                steps.push(Lead::Found(submodule));
            }
        }
        let is_defined = facts.definition(name).is_some();
        if is_defined {
            steps.push(Lead::Found(file));
        }
        if is_forwarded || is_defined {
            return steps;
        }
        for star in &facts.stars {
            let Some(import) = facts.imports.get(*star as usize) else { continue };
            if let Found::File(from) = self.modules.find(path, parts(import).0) {
                steps.push(Lead::Ask(from, name.into()));
            }
        }
        steps
    }
}

/// Something to do on the way to a definer.
enum Lead {
    /// Ask this module for this name.
    Ask(u32, Box<str>),
    /// This is it.
    Found(u32),
}
