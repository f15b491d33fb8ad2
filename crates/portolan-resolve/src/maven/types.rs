//! Types by package and name, and the functions and properties that Kotlin has outside of them.

use std::borrow::Cow;
use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::{Ground, folder_of, has_extension};

/// What a name means in each package: the files that declare it.
type Index<'a> = FxHashMap<&'a str, FxHashMap<Cow<'a, str>, Vec<&'a str>>>;

/// The types of a repository.
pub(super) struct Types<'a> {
    packages: Index<'a>,
    callables: Index<'a>,
}

/// The sorts of definitions, as the languages number them.
const TYPE: u8 = 0;
const CALLABLE: u8 = 2;

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
        Self { packages, callables }
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

    /// The file that declares the outermost type of a qualified name: the longest beginning that is one.
    pub(super) fn declared_in(&self, path: &str, name: &str) -> Option<&'a str> {
        let mut rest = name;
        loop {
            let (package, simple) = rest.rsplit_once('.').unwrap_or(("", rest));
            if let Some(file) = self.nearest(path, package, simple).filter(|_| !package.is_empty())
            {
                return Some(file);
            }
            rest = rest.rsplit_once('.')?.0;
        }
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
