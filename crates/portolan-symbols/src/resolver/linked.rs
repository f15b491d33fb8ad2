//! Resolves names in languages whose specifiers do not identify a file.
//!
//! In these languages the map knows more than a specifier: its edges lead to the defining files,
//! through re-exports and within a package. So we look a name up among the declarations of the
//! linked files. If several of them have it, the specifier decides which fits best.

use portolan_types::FileId;
use std::cmp::Reverse;

use portolan_types::declarations::{Binding, DeclarationKind, Declarations, Flags, NONE};

use super::exports::Target;
use super::{Place, Resolver};

/// A file, a specifier in it, and a name of that module. Without a name, the module itself is
/// meant.
pub(super) type Question = (FileId, Box<str>, Option<Box<str>>);

/// The targets that were found.
#[derive(Clone, Debug)]
pub(super) struct LinkedAnswer {
    targets: Vec<Target>,
    is_exact: bool,
}

/// The most modules through which a name is passed on.
const MOST_STEPS: usize = 40;

/// The most modules that pass on what they import with a wildcard.
const MOST_STARS: u32 = 3;

/// How well a module fits a specifier: the number of equal segments at the end, then the number of
/// shared segments.
type Fit = (usize, usize);

impl Resolver<'_> {
    /// Whether the names of a file are looked up in the files that the map links to.
    pub(super) fn is_linked(&self, file: FileId) -> bool {
        self.source.is_linked(file)
    }

    /// Resolves a name that the file neither declares nor imports. Files of the same module come
    /// first.
    pub(super) fn linked_name(&self, file: FileId, name: &str) -> Vec<Target> {
        let own = self.source.module(file).unwrap_or_default();
        let mut found = self.linked_import(file, &own, Some(name));
        if found.is_empty() {
            found = self.starred(file, name);
        }
        if found.is_empty() {
            found = self.passed_by_stars(file, name, MOST_STARS);
        }
        let builtins = self.source.builtins(file);
        let is_same = |other: &str| builtins.package(other) == builtins.package(&own);
        let is_own = |target: &Target| match target {
            Target::Item(place) => self.source.module(place.file).is_some_and(|it| is_same(&it)),
            Target::Module(_) => false,
        };
        if !found.iter().all(is_own) && !self.is_starred(file, name, &found) {
            self.doubt();
        }
        found
    }

    /// Whether a wildcard import of the file gives a name and leads to nothing else than what was found.
    fn is_starred(&self, file: FileId, name: &str, found: &[Target]) -> bool {
        let Some(facts) = self.source.file(file) else { return false };
        if found.len() != 1 || self.source.builtins(file).is_prelude(name) {
            return false;
        }
        facts.stars.iter().any(|star| {
            let outer = (self.is_exact.replace(true), self.gaps.get());
            let mut targets = self.linked_import(file, facts.name(*star), Some(name));
            if targets.is_empty() {
                targets = self.passed_by_stars(file, name, MOST_STARS);
            }
            let is_exact = self.is_exact.replace(outer.0);
            self.gaps.set(outer.1);
            is_exact && targets == found
        })
    }

    /// What the modules that a file imports with a wildcard have from others in the same way.
    fn passed_by_stars(&self, file: FileId, name: &str, left: u32) -> Vec<Target> {
        let Some(facts) = self.source.file(file).filter(|_| left > 0) else { return Vec::new() };
        for star in &facts.stars {
            let specifier = facts.name(*star);
            let modules = best(self.modules(file, &segments(specifier)));
            let [Target::Module(module)] = modules.targets[..] else { continue };
            if module == file || !self.step() {
                continue;
            }
            let Some(passing) = self.source.file(module) else { continue };
            for star in &passing.stars {
                let found = self.linked_import(module, passing.name(*star), Some(name));
                if !found.is_empty() {
                    return found;
                }
            }
            let found = self.passed_by_stars(module, name, left - 1);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The members of this name of types that a file imports with a wildcard: `use self::Kind::*`,
    /// `import static a.B.*`.
    pub(super) fn starred(&self, file: FileId, name: &str) -> Vec<Target> {
        let Some(facts) = self.source.file(file) else { return Vec::new() };
        let mut found = Vec::new();
        for star in &facts.stars {
            let specifier = facts.name(*star);
            let (space, last) = match specifier.rfind(['.', ':', '/']) {
                Some(at) => specifier.split_at(at),
                None => ("", specifier),
            };
            let last = last.trim_start_matches(['.', ':', '/']);
            let space = space.trim_end_matches(['.', ':', '/']);
            if last.is_empty() || !self.step() {
                continue;
            }
            let mut types = self.linked_import(file, space, Some(last));
            if types.is_empty() {
                let own = declared(&facts, last).into_iter();
                types.extend(own.map(|item| Target::Item(Place { file, item })));
            }
            for of in types {
                if let Target::Item(of) = of {
                    let members = self.own_members(of, name).into_iter();
                    found.extend(members.map(Target::Item));
                }
            }
        }
        found
    }

    /// Resolves an import to declarations or modules.
    pub(super) fn linked_import(
        &self,
        file: FileId,
        specifier: &str,
        name: Option<&str>,
    ) -> Vec<Target> {
        let key = (file, Box::from(specifier), name.map(Box::from));
        if let Some(known) = self.links.borrow().get(&key) {
            if !known.is_exact {
                self.doubt();
            }
            return known.targets.clone();
        }
        if !self.step() {
            return Vec::new();
        }
        let answer = self.link(file, specifier, name);
        if !answer.is_exact {
            self.doubt();
        }
        let targets = answer.targets.clone();
        self.links.borrow_mut().insert(key, answer);
        targets
    }

    /// The file of a module, by the name of the module.
    pub(super) fn linked_module(&self, file: FileId, name: &str) -> Vec<Target> {
        best(self.modules(file, &[name])).targets
    }

    /// Whether a linked file lies in a package of this name: `import a.b` leads to a file of `a`, and not to `a` itself.
    pub(super) fn is_beside_linked(
        &self,
        file: FileId,
        facts: &Declarations,
        specifier: &str,
    ) -> bool {
        let is_part = |rest: &str| rest.starts_with(['.', ':', '/']);
        let mut specifiers = facts.imports.iter().map(|it| facts.name(it.specifier));
        if !specifiers.any(|it| it.strip_prefix(specifier).is_some_and(is_part)) {
            return false;
        }
        let asked = segments(specifier);
        let linked = self.source.linked(file);
        let mut modules = linked.iter().filter_map(|other| self.source.module(*other));
        !asked.is_empty() && modules.any(|module| fit(&module, &asked).1 == asked.len())
    }

    /// The one file that a specifier refers to.
    pub(super) fn linked_file(&self, file: FileId, specifier: &str) -> Option<FileId> {
        match *best(self.modules(file, &segments(specifier))).targets {
            [Target::Module(module)] => Some(module),
            _ => None,
        }
    }

    fn link(&self, file: FileId, specifier: &str, name: Option<&str>) -> LinkedAnswer {
        let mut asked = segments(specifier);
        let Some(name) = name else { return best(self.modules(file, &asked)) };
        let mut found = Vec::new();
        let builtins = self.source.builtins(file);
        let own = self.source.module(file).unwrap_or_default();
        let is_own = own == specifier;
        // Such a path stays in the package.
        let is_near = matches!(asked.first(), Some(&("crate" | "self" | "super")));
        for other in self.source.linked(file).iter() {
            let Some(facts) = self.source.file(*other) else { continue };
            let module = self.source.module(*other).unwrap_or_default();
            let reached = |item: &u32| is_reached(&facts, *item, &asked);
            for item in declared(&facts, name).into_iter().filter(reached) {
                let path = within(&facts, &module, item);
                let is_alike = asked.first().is_none_or(|first| fit(&path, &[first]).1 > 0);
                if !is_own && builtins.leads_outside(specifier, is_alike) {
                    continue;
                }
                let mut fit = fit(&path, &asked);
                if is_near {
                    fit.1 += common(&path, &own);
                }
                found.push((fit, Target::Item(Place { file: *other, item })));
            }
        }
        let may_be_own = found.is_empty() && self.is_own_path(file, specifier, &asked);
        if let Some(own) = self.own(file, &asked, name, may_be_own) {
            return LinkedAnswer { targets: vec![Target::Item(own)], is_exact: true };
        }
        // Not within the same module: a file does not see the imports of its neighbours.
        if found.is_empty() && self.source.module(file).as_deref() != Some(specifier) {
            found = self.passed_on(file, &asked, name);
        }
        asked.push(name);
        let modules = self.modules(file, &asked);
        // If a module contains a declaration of its own name, the name refers to the module.
        let is_in_it = |target: &Target| {
            let Target::Item(place) = target else { return false };
            modules.iter().any(|(_, module)| *module == Target::Module(place.file))
        };
        if found.iter().all(|(fit, target)| fit.0 == 0 && is_in_it(target)) {
            // A function in a module of its own name, which is passed on beside it.
            let own = found.iter().filter(|_| builtins.names_modules_apart());
            let own: Vec<Target> = own.map(|(_, target)| *target).collect();
            let mut answer = best(modules);
            if let [Target::Module(only)] = answer.targets[..] {
                let is_in_it = |it: &&Target| matches!(it, Target::Item(it) if it.file == only);
                answer.targets.extend(own.iter().filter(is_in_it));
            }
            if answer.targets.is_empty() {
                answer.targets = self.member_of_path(file, specifier, name);
            }
            return answer;
        }
        best(found)
    }

    /// The members of this name of the type that a path leads to: `use crate::kinds::Kind::One`.
    fn member_of_path(&self, file: FileId, path: &str, name: &str) -> Vec<Target> {
        let Some(facts) = self.source.file(file) else { return Vec::new() };
        let (space, last) = match path.rfind(['.', ':', '/']) {
            Some(at) => path.split_at(at),
            None => ("", path),
        };
        let last = last.trim_start_matches(['.', ':', '/']);
        let space = space.trim_end_matches(['.', ':', '/']);
        if !last.starts_with(char::is_uppercase) || !self.step() {
            return Vec::new();
        }
        let mut types = self.linked_import(file, space, Some(last));
        if types.is_empty() {
            let own = declared(&facts, last).into_iter();
            types.extend(own.map(|item| Target::Item(Place { file, item })));
        }
        let mut found = Vec::new();
        for of in types {
            if let Target::Item(of) = of {
                found.extend(self.own_members(of, name).into_iter().map(Target::Item));
            }
        }
        found
    }

    /// Whether a specifier may refer to the file that contains it.
    fn is_own_path(&self, file: FileId, specifier: &str, asked: &[&str]) -> bool {
        let own = self.source.module(file).unwrap_or_default();
        let is_near = |part: &&str| matches!(*part, "crate" | "self" | "super" | "Self");
        specifier == own
            || asked.iter().all(is_near)
            || fit(&own, asked).0 == asked.len()
            || asked.iter().any(is_near)
                && !self.source.builtins(file).leads_outside(specifier, true)
    }

    /// Names that linked files import and thereby pass on: `from .base import Base as Name`.
    fn passed_on(&self, file: FileId, asked: &[&str], name: &str) -> Vec<(Fit, Target)> {
        let mut passing = Vec::new();
        for other in self.source.linked(file).iter().filter(|other| **other != file) {
            let Some(facts) = self.source.file(*other) else { continue };
            let Some((binding, is_renamed)) = imported(&facts, name) else { continue };
            let fit = fit(&self.source.module(*other).unwrap_or_default(), asked);
            // An import that keeps the name is found where it is declared, unless this module is
            // the one asked for.
            if is_renamed || fit.0 > 0 {
                passing.push((fit, *other, binding));
            }
        }
        let closest = passing.iter().map(|(fit, ..)| *fit).max();
        let mut found = Vec::new();
        for (fit, other, binding) in passing {
            // A binding under evaluation leads back to itself.
            let is_open = self.passing.borrow().contains(&(other, binding));
            let is_far = self.passing.borrow().len() > MOST_STEPS;
            if Some(fit) != closest || is_open || is_far || !self.step() {
                continue;
            }
            self.passing.borrow_mut().push((other, binding));
            let targets = self.binding_targets(other, binding).into_iter();
            found.extend(targets.map(|target| (fit, target)));
            self.passing.borrow_mut().pop();
        }
        found
    }

    /// The declaration in the file itself: in an inline module, or else at the top level.
    fn own(&self, file: FileId, asked: &[&str], name: &str, is_last: bool) -> Option<Place> {
        let facts = self.source.file(file)?;
        let mut own = declared(&facts, name).into_iter();
        let is_top = |item: u32| facts.item(item).is_some_and(|it| it.parent == NONE);
        let item =
            own.find(|item| is_reached(&facts, *item, asked) && (is_last || !is_top(*item)))?;
        Some(Place { file, item })
    }

    /// The linked files with this module name.
    fn modules(&self, file: FileId, asked: &[&str]) -> Vec<(Fit, Target)> {
        let mut found = Vec::new();
        for other in self.source.linked(file).iter() {
            let Some(module) = self.source.module(*other) else { continue };
            let fit = fit(&module, asked);
            if fit.0 > 0 {
                found.push((fit, Target::Module(*other)));
            }
        }
        if found.is_empty() {
            found.extend(
                self.around(file, asked).map(|module| ((asked.len(), 0), Target::Module(module))),
            );
        }
        found
    }

    /// The file of a package of which a file imports a part: `import a.b` binds `a`.
    fn around(&self, file: FileId, asked: &[&str]) -> Option<FileId> {
        let own = self.source.builtins(file).package_file()?;
        let facts = self.source.file(file)?;
        let linked = self.source.linked(file);
        facts.imports.iter().filter(|it| it.name == NONE).find_map(|import| {
            let parts = segments(facts.name(import.specifier));
            if parts.len() <= asked.len() || !parts.starts_with(asked) {
                return None;
            }
            linked.iter().find_map(|other| {
                let module = self.source.module(*other)?;
                let path: Vec<&str> = module.split('/').collect();
                let end = path.len().checked_sub(parts.len() - asked.len())?;
                let is_it = fit(&module, &parts).0 == parts.len();
                let package = path.get(..end).filter(|_| is_it)?.join("/");
                self.source.number(&format!("{package}/{own}"))
            })
        })
    }
}

/// The declarations of a file that other files can name.
fn declared(facts: &Declarations, name: &str) -> Vec<u32> {
    let Some(name) = facts.find_name(name) else { return Vec::new() };
    let is_open = |item: u32| {
        let mut around = facts.ancestors(item).skip(1).filter_map(|it| facts.item(it));
        around.all(|it| it.kind == DeclarationKind::Namespace)
    };
    let named = facts.items.iter().zip(0u32..).filter(|(item, number)| {
        let is_elsewhere = match item.kind {
            DeclarationKind::Statement | DeclarationKind::Extension => true,
            DeclarationKind::Namespace => item.body.is_empty(),
            _ => item.flags.has(Flags::LOCAL),
        };
        item.name == name && !is_elsewhere && (item.parent == NONE || is_open(*number))
    });
    let named: Vec<u32> = named.map(|(_, item)| item).collect();
    let is_merged = |item: &u32| facts.items.iter().any(|it| it.next == *item);
    named.into_iter().filter(|item| !is_merged(item)).collect()
}

/// The binding that a file imports under a name, and whether the import renames it.
fn imported(facts: &Declarations, name: &str) -> Option<(u32, bool)> {
    let name = facts.find_name(name)?;
    let import = |binding: &Binding| facts.imports.get(binding.import as usize);
    let is_it = |binding: &Binding| {
        binding.name == name && import(binding).is_some_and(|it| it.name != NONE)
    };
    let at = facts.bindings.iter().position(is_it)?;
    let is_renamed = facts.bindings.get(at).and_then(import).is_some_and(|it| it.name != name);
    Some((at as u32, is_renamed))
}

/// Whether an item is at the top level of its file, or in an inline module that the path names.
fn is_reached(facts: &Declarations, item: u32, asked: &[&str]) -> bool {
    let parent = facts.item(item).map_or(NONE, |it| it.parent);
    let space = facts.item(parent).map(|it| facts.name(it.name));
    parent == NONE || (space.is_some() && asked.last().copied() == space)
}

/// The module that contains an item of a file.
fn within(facts: &Declarations, module: &str, item: u32) -> String {
    let mut path = module.to_owned();
    let around: Vec<u32> = facts.ancestors(item).skip(1).collect();
    for space in around.iter().rev().filter_map(|it| facts.item(*it)) {
        path.push('/');
        path.push_str(facts.name(space.name));
    }
    path
}

/// The segments of a specifier or a path.
fn segments(text: &str) -> Vec<&str> {
    text.split(['/', '.', ':']).filter(|segment| !segment.is_empty()).collect()
}

/// How many segments two modules share at the start.
fn common(left: &str, right: &str) -> usize {
    let (left, right) = (segments(left), segments(right));
    left.iter().zip(&right).take_while(|(left, right)| left == right).count()
}

fn fit(module: &str, asked: &[&str]) -> Fit {
    let own = segments(module);
    let is_same = |left: &str, right: &str| {
        let mut pairs = left.bytes().zip(right.bytes());
        let is_dash = |byte: u8| matches!(byte, b'-' | b'_');
        left.len() == right.len()
            && pairs.all(|(left, right)| left == right || (is_dash(left) && is_dash(right)))
    };
    let ends = own.iter().rev().zip(asked.iter().rev());
    let tail = ends.take_while(|(left, right)| is_same(left, right)).count();
    let shared = asked.iter().filter(|name| own.iter().any(|it| is_same(it, name))).count();
    (tail, shared)
}

/// The best fits. The answer is certain if there is only one.
fn best(mut found: Vec<(Fit, Target)>) -> LinkedAnswer {
    found.sort_by_key(|(fit, target)| (Reverse(*fit), *target));
    let first = found.first().map(|(fit, _)| *fit);
    let mut targets: Vec<Target> =
        found.into_iter().filter(|(fit, _)| Some(*fit) == first).map(|it| it.1).collect();
    targets.dedup();
    let is_exact = targets.len() < 2;
    LinkedAnswer { targets, is_exact }
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn a_module_fits_by_its_end_then_by_what_it_shares() {
        assert_eq!(fit("src/flask/app", &["flask", "app"]), (2, 2));
        assert_eq!(fit("src/flask/app", &["flask"]), (0, 1));
        assert_eq!(fit("crates/portolan-types/src/id", &["portolan_types"]), (0, 1));
        assert_eq!(fit("doc", &["io"]), (0, 0));
    }
}
