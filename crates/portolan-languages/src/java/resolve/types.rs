//! An index of types by package and name, and of Kotlin's top-level functions and properties.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::resolve::files::distance;
use crate::{ResolveContext, folder_of, has_extension};

/// For each package and name, the files that declare it.
type DeclarationIndex<'a> = FxHashMap<&'a str, FxHashMap<Cow<'a, str>, Vec<&'a str>>>;

/// The types of a repository.
pub(super) struct TypeIndex<'a> {
    ctx: &'a ResolveContext<'a>,
    packages: DeclarationIndex<'a>,
    callables: DeclarationIndex<'a>,
}

/// The marks of definitions, with the numbers that the extractors give them.
const TYPE: u8 = 0;
const NESTED: u8 = 1;
const CALLABLE: u8 = 2;

/// The largest number of files searched for an inherited type.
const MAX_SEARCHED: usize = 64;

impl<'a> TypeIndex<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let (mut packages, mut callables) =
            (DeclarationIndex::default(), DeclarationIndex::default());
        let (mut folders, mut withheld) = (FxHashMap::default(), Vec::new());
        let sources = ctx.sources().paths();
        for path in sources.filter(|path| has_extension(path, &["java"]) || is_kotlin(path)) {
            let Some(facts) = ctx.sources().facts(path) else { continue };
            if facts.package.is_none() && facts.definitions.is_empty() {
                withheld.push(path);
                continue;
            }
            let package = facts.package.as_deref().unwrap_or_default();
            folders.entry(folder_of(path)).or_insert(package);
            let types = packages.entry(package).or_default();
            let mut has_callables = false;
            for definition in &facts.definitions {
                let name = Cow::Borrowed(&*definition.name);
                match definition.mark.0 {
                    TYPE => types.entry(name).or_default().push(path),
                    CALLABLE => {
                        has_callables = true;
                        callables.entry(package).or_default().entry(name).or_default().push(path);
                    }
                    _ => {}
                }
            }
            if let Some(holder) = facade_class(path).filter(|_| has_callables) {
                types.entry(Cow::Owned(holder)).or_default().push(path);
            }
        }
        // The guard withholds these files. The file name gives the type, its neighbours give the
        // package.
        for path in withheld {
            let package = folders.get(folder_of(path)).copied();
            let name = path.rsplit('/').next().and_then(|name| name.split('.').next());
            if let (Some(package), Some(name)) = (package, name) {
                let types = packages.entry(package).or_default();
                types.entry(Cow::Borrowed(name)).or_default().push(path);
            }
        }
        Self { ctx, packages, callables }
    }

    /// The files that declare a top-level function or property.
    pub(super) fn callables(&self, package: &str, name: &str) -> impl Iterator<Item = &'a str> {
        let files = self.callables.get(package).and_then(|names| names.get(name));
        files.into_iter().flatten().copied()
    }

    pub(super) fn has_package(&self, package: &str) -> bool {
        self.packages.contains_key(package)
    }

    pub(super) fn has_type(&self, package: &str, name: &str) -> bool {
        self.packages.get(package).is_some_and(|types| types.contains_key(name))
    }

    /// The file that declares a type. If several do, the nearest to `path`.
    pub(super) fn nearest(&self, path: &str, package: &str, name: &str) -> Option<&'a str> {
        let files = self.packages.get(package)?.get(name)?;
        files.iter().copied().min_by_key(|file| distance(file, path))
    }

    /// The file that declares the longest type prefix of a qualified name, and the name after it.
    pub(super) fn declared_in<'n>(
        &self,
        path: &str,
        name: &'n str,
    ) -> Option<(&'a str, Option<&'n str>)> {
        let mut rest = name;
        let mut follows = None;
        loop {
            let (package, simple) = rest.rsplit_once('.').unwrap_or(("", rest));
            if let Some(file) = self.nearest(path, package, simple).filter(|_| !package.is_empty())
            {
                return Some((file, follows));
            }
            follows = Some(simple);
            rest = rest.rsplit_once('.')?.0;
        }
    }

    /// The file of a supertype that declares a member type named through its subtype in `file`.
    /// Supertypes are among the names that a file uses.
    pub(super) fn inherited(&self, file: &'a str, member: &str) -> Option<&'a str> {
        let has = |file: &str| {
            let facts = self.ctx.sources().facts(file);
            facts.is_some_and(|facts| {
                facts.definitions.iter().any(|it| it.mark.0 == NESTED && *it.name == *member)
            })
        };
        let mut queue = vec![file];
        let mut at = 0;
        while let Some(file) = queue.get(at).copied() {
            if has(file) {
                return Some(file).filter(|_| at > 0);
            }
            for next in self.named_in(file) {
                if queue.len() < MAX_SEARCHED && !queue.contains(&next) {
                    queue.push(next);
                }
            }
            at += 1;
        }
        None
    }

    /// The files of the types that a file names, imported or not.
    fn named_in(&self, file: &'a str) -> Vec<&'a str> {
        let Some(facts) = self.ctx.sources().facts(file) else { return Vec::new() };
        let package = facts.package.as_deref().unwrap_or_default();
        let names = facts.uses.iter().map(|used| &*used.name);
        let beside = names.filter_map(|name| self.nearest(file, package, name));
        let imported = facts.imports.iter().filter(|import| import.form.0 == super::form::SINGLE);
        let imported = imported.filter_map(|it| Some(self.declared_in(file, &it.specifier)?.0));
        beside.chain(imported).collect()
    }
}

/// Whether a file is Kotlin.
pub(super) fn is_kotlin(path: &str) -> bool {
    has_extension(path, &["kt", "kts"])
}

/// The class that holds a file's top-level functions for Java: `io/strings.kt` is `StringsKt`.
fn facade_class(path: &str) -> Option<String> {
    let stem = path.rsplit('/').next()?.strip_suffix(".kt")?;
    let mut letters = stem.chars();
    let first = letters.next()?.to_uppercase();
    Some(first.chain(letters).chain("Kt".chars()).collect())
}
