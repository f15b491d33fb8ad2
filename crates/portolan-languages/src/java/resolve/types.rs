//! Types by package and name, and the functions and properties that Kotlin has outside of them.

use std::borrow::Cow;
use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::{folder_of, has_extension, Ground};

/// What a name means in each package: the files that declare it.
type Index<'a> = FxHashMap<&'a str, FxHashMap<Cow<'a, str>, Vec<&'a str>>>;

/// The types of a repository.
pub(super) struct Types<'a> {
    ground: &'a Ground<'a>,
    packages: Index<'a>,
    callables: Index<'a>,
}

/// The sorts of definitions, as the languages number them.
const TYPE: u8 = 0;
const NESTED: u8 = 1;
const CALLABLE: u8 = 2;

/// No more files are asked for a type that another one inherits.
const MOST_ASKED: usize = 64;

impl<'a> Types<'a> {
    pub(super) fn new(ground: &'a Ground<'a>) -> Self {
        let (mut packages, mut callables) = (Index::default(), Index::default());
        let (mut folders, mut untold) = (FxHashMap::default(), Vec::new());
        let sources = ground.sources().paths();
        for path in sources.filter(|path| has_extension(path, &["java"]) || is_kotlin(path)) {
            let Some(facts) = ground.sources().facts(path) else { continue };
            if facts.package.is_none() && facts.definitions.is_empty() {
                untold.push(path);
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
            if let Some(holder) = holder(path).filter(|_| has_callables) {
                types.entry(Cow::Owned(holder)).or_default().push(path);
            }
        }
        // Of a file that may not be told of, the name tells the type, and those beside it the package.
        for path in untold {
            let package = folders.get(folder_of(path)).copied();
            let name = path.rsplit('/').next().and_then(|name| name.split('.').next());
            if let (Some(package), Some(name)) = (package, name) {
                let types = packages.entry(package).or_default();
                types.entry(Cow::Borrowed(name)).or_default().push(path);
            }
        }
        Self { ground, packages, callables }
    }

    /// The files that declare a function or a property outside of types.
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

    /// The file that declares a type, the nearest to `path` where several do.
    pub(super) fn nearest(&self, path: &str, package: &str, name: &str) -> Option<&'a str> {
        let files = self.packages.get(package)?.get(name)?;
        files.iter().copied().min_by_key(|file| distance(file, path))
    }

    /// The file that declares the outermost type of a qualified name, the longest beginning that is one, and what follows.
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

    /// The file whose type declares a member type that the one of `file` inherits: it is written by the name of the type that
    /// inherits it. What a type extends is among what its file names.
    pub(super) fn inherited(&self, file: &'a str, member: &str) -> Option<&'a str> {
        let has = |file: &str| {
            let facts = self.ground.sources().facts(file);
            facts.is_some_and(|facts| {
                facts.definitions.iter().any(|it| it.mark.0 == NESTED && *it.name == *member)
            })
        };
        let mut asked = vec![file];
        let mut at = 0;
        while let Some(file) = asked.get(at).copied() {
            if has(file) {
                return Some(file).filter(|_| at > 0);
            }
            for next in self.named_in(file) {
                if asked.len() < MOST_ASKED && !asked.contains(&next) {
                    asked.push(next);
                }
            }
            at += 1;
        }
        None
    }

    /// The files of the types that a file names, whether it imports them or not.
    fn named_in(&self, file: &'a str) -> Vec<&'a str> {
        let Some(facts) = self.ground.sources().facts(file) else { return Vec::new() };
        let package = facts.package.as_deref().unwrap_or_default();
        let names = facts.uses.iter().map(|used| &*used.name);
        let beside = names.filter_map(|name| self.nearest(file, package, name));
        let imported = facts.imports.iter().filter(|import| import.form.0 == super::form::SINGLE);
        let imported = imported.filter_map(|it| Some(self.declared_in(file, &it.specifier)?.0));
        beside.chain(imported).collect()
    }
}

/// Whether a file is Kotlin's.
pub(super) fn is_kotlin(path: &str) -> bool {
    has_extension(path, &["kt", "kts"])
}

/// The class that Java knows what stands outside of types in a file by: `io/strings.kt` is `StringsKt`.
fn holder(path: &str) -> Option<String> {
    let stem = path.rsplit('/').next()?.strip_suffix(".kt")?;
    let mut letters = stem.chars();
    let first = letters.next()?.to_uppercase();
    Some(first.chain(letters).chain("Kt".chars()).collect())
}

/// How far a file is from who asks: the more folders they share the nearer, then the fewer it is below. A second copy of a
/// module, for another platform, lies in a folder of its own.
pub(super) fn distance<'f>(file: &'f str, path: &str) -> (Reverse<usize>, usize, &'f str) {
    let shared = file.split('/').zip(path.split('/')).take_while(|(left, right)| left == right);
    (Reverse(shared.count()), file.split('/').count(), file)
}
