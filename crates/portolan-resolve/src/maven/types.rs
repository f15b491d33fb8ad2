//! Types by package and name.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::{Ground, has_extension};

/// The types of a repository.
pub(super) struct Types<'a> {
    packages: FxHashMap<&'a str, FxHashMap<&'a str, Vec<&'a str>>>,
}

impl<'a> Types<'a> {
    pub(super) fn new(ground: &'a Ground<'a>) -> Self {
        let mut packages: FxHashMap<&str, FxHashMap<&str, Vec<&str>>> = FxHashMap::default();
        for path in ground.sources().paths().filter(|path| has_extension(path, &["java"])) {
            let Some(facts) = ground.sources().facts(path) else { continue };
            let types = packages.entry(facts.package.as_deref().unwrap_or_default()).or_default();
            for definition in facts.definitions.iter().filter(|definition| definition.mark.0 == 0) {
                types.entry(&*definition.name).or_default().push(path);
            }
        }
        Self { packages }
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
        files.iter().copied().min_by_key(|file| (Reverse(common(file, path)), *file))
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

/// How many folders two paths have in common from the root on.
fn common(left: &str, right: &str) -> usize {
    left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right).count()
}
