//! Resolves what Ruby requires, and constants to the files that define them.
//!
//! A constant counts where one file defines it, or where one of several is named after it, as Zeitwerk
//! wants it (`A::BC` in `a/bc.rb`). A module that many files open and none is named after leads nowhere.

mod standard;

use std::collections::BTreeSet;

use portolan_types::{EdgeKind, Facts, NodeKind, Use};
use rustc_hash::FxHashMap;

use self::standard::is_standard;
use super::syntax::{AUTOLOADED, BESIDE, REQUIRED};
use crate::resolve::files::{distance, folder_of, join};
use crate::resolve::resolvers::LazyResolver;
use crate::{Ecosystem, ImportTarget, Importer, Need, Resolve, ResolveContext, has_extension};

/// The gems of Ruby.
#[derive(Clone, Copy, Debug)]
pub struct RubyGems;

impl Ecosystem for RubyGems {
    fn name(&self) -> &'static str {
        "rubygems"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["ruby"]
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "Gemfile" || name.ends_with(".gemspec")
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn resolves_to_definers(&self) -> bool {
        true
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(LazyResolver::new(ctx, RubyResolver::new))
    }
}

struct RubyResolver<'a> {
    ctx: &'a ResolveContext<'a>,
    /// The files that define a constant, by its full name.
    constants: FxHashMap<&'a str, Vec<&'a str>>,
    /// The files by the last part of their path, without extension.
    files: FxHashMap<&'a str, Vec<&'a str>>,
}

impl<'a> RubyResolver<'a> {
    fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let mut constants: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        let mut files: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for path in ctx.sources().paths().filter(|path| has_extension(path, &["rb"])) {
            let name = path.rsplit('/').next().unwrap_or(path);
            files.entry(name.trim_end_matches(".rb")).or_default().push(path);
            let Some(facts) = ctx.sources().facts(path) else { continue };
            for definition in &facts.definitions {
                let known = constants.entry(&definition.name).or_default();
                if known.last() != Some(&path) {
                    known.push(path);
                }
            }
        }
        Self { ctx, constants, files }
    }

    /// The files that a path ends in, from a folder that code is loaded from.
    fn loadable(&self, path: &str) -> Vec<&'a str> {
        let path = path.strip_suffix(".rb").unwrap_or(path);
        let last = path.rsplit('/').next().unwrap_or(path);
        let root = self.ctx.files().root();
        let end = ["/", path, ".rb"].concat();
        let known = self.files.get(last).map(Vec::as_slice).unwrap_or_default();
        let is_loaded = |file: &&&str| {
            let folder = file.strip_suffix(end.as_str());
            folder.is_some_and(|folder| folder == root || is_load_path(folder))
        };
        known.iter().filter(is_loaded).copied().collect()
    }
}

/// Whether code is loaded from a folder, judged by its name: `lib`, `test`, or a folder of a Rails
/// application such as `app/models`.
fn is_load_path(folder: &str) -> bool {
    let mut parts = folder.rsplit('/');
    let (last, above) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    matches!(last, "lib" | "test" | "spec" | "ext") || above == "app" || last == "concerns"
}

impl Resolve for RubyResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(RubyImporter { resolver: self, path })
    }
}

struct RubyImporter<'i, 'a> {
    resolver: &'i RubyResolver<'a>,
    /// Absolute.
    path: &'i str,
}

impl Importer for RubyImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        let name = &*import.specifier;
        let file = match import.form {
            BESIDE => self.beside(name),
            AUTOLOADED => self.defining(name).map(str::to_owned),
            _ => self.required(name).map(str::to_owned),
        };
        if let Some(file) = file {
            found.push(ImportTarget::File(file.into()));
        } else if import.form == REQUIRED {
            found.push(external(name));
        }
    }

    /// Adds the files of constants that are used without a line that requires them.
    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let files: BTreeSet<&str> =
            facts.uses.iter().filter_map(|used| self.used(facts, used)).collect();
        let others = files.into_iter().filter(|file| *file != self.path);
        found.extend(others.map(|file| Need {
            target: ImportTarget::File(file.into()),
            kind: EdgeKind::Runtime,
            is_written: false,
        }));
    }
}

impl<'a> RubyImporter<'_, 'a> {
    fn beside(&self, name: &str) -> Option<String> {
        let path = join(folder_of(self.path), name.strip_suffix(".rb").unwrap_or(name));
        Some([path.as_str(), ".rb"].concat()).filter(|path| self.resolver.ctx.is_source(path))
    }

    fn required(&self, name: &str) -> Option<&'a str> {
        let files = self.resolver.loadable(name);
        files.into_iter().min_by_key(|file| distance(file, self.path))
    }

    /// The file of a constant in its nesting: the first part is looked up in the modules around, the
    /// others in what it is.
    fn used(&self, facts: &Facts, used: &Use) -> Option<&'a str> {
        let constants = &self.resolver.constants;
        let scope = used.scope.0.checked_sub(1).and_then(|at| facts.scopes.get(at as usize));
        let (first, _) = used.name.split_once("::").unwrap_or((&used.name, ""));
        let around = scope.map(|it| it.split(' ')).into_iter().flatten();
        let in_module = |module: &str| [module, "::"].concat();
        let mut prefixes = around.map(in_module).chain([String::new()]);
        let prefix = prefixes
            .find(|prefix| constants.contains_key([prefix.as_str(), first].concat().as_str()))?;
        let full = [prefix.as_str(), &used.name].concat();
        let mut name = full.as_str();
        while !constants.contains_key(name) {
            name = name.rsplit_once("::")?.0;
        }
        self.defining(name)
    }

    /// The one file that defines a constant; among several, the one that is named after it.
    fn defining(&self, name: &str) -> Option<&'a str> {
        let files = self.resolver.constants.get(name)?;
        if let [only] = files.as_slice() {
            return Some(only);
        }
        let key = named_key(&name.replace("::", "/"));
        let is_named = |file: &&&str| {
            let stem = named_key(file.strip_suffix(".rb").unwrap_or(file));
            stem.strip_suffix(key.as_str()).is_some_and(|folder| folder.ends_with('/'))
        };
        let mut named: Vec<&str> = files.iter().filter(is_named).copied().collect();
        named.sort_by_key(|file| distance(file, self.path));
        match named.as_slice() {
            [only] => Some(only),
            [first, second, ..] => {
                let is_nearer = distance(first, self.path).0 < distance(second, self.path).0;
                is_nearer.then_some(*first)
            }
            [] => None,
        }
    }
}

/// A path or a name in lower case without underscores: acronyms are written in both ways.
fn named_key(path: &str) -> String {
    path.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}

/// What is required from elsewhere: a library of Ruby, or a gem.
fn external(name: &str) -> ImportTarget {
    let first = name.split('/').next().unwrap_or(name);
    if is_standard(name) {
        return ImportTarget::Module(["ruby:", first].concat().into(), NodeKind::Builtin);
    }
    ImportTarget::Module(first.to_owned().into(), NodeKind::Missing)
}
