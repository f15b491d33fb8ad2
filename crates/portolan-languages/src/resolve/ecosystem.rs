//! The traits that an ecosystem implements, and the table of all ecosystems.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, MAX_DEFINERS, NodeId, NodeKind, Sha256Digest};

use crate::context::ResolveContext;
use crate::resolve::published::{Manifests, Published};

/// A package ecosystem: how its packages are named and how its modules are found. No other code
/// knows these rules.
pub trait Ecosystem: Sync {
    /// The name. It is a segment of the ids of installed files.
    fn name(&self) -> &'static str;

    /// The names of the languages whose imports it resolves.
    fn languages(&self) -> &'static [&'static str];

    /// A platform module as an example for the documentation, with its id in the graph.
    fn builtin_example(&self) -> Option<BuiltinExample> {
        None
    }

    /// The end of an installed file's id, as an example for the documentation.
    fn file_example(&self) -> Option<&'static str> {
        None
    }

    /// Whether a file with this name describes the package in its folder.
    fn is_manifest(&self, _name: &str) -> bool {
        false
    }

    /// Whether packages are installed in folders with this name.
    fn is_store(&self, _name: &str) -> bool {
        false
    }

    /// The folders outside of any repository where the user's packages are kept. `variable` returns
    /// an environment variable if it is an absolute path.
    fn stores(&self, _variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        Vec::new()
    }

    /// The folder of the installed package that contains a file; `None` if the file is not
    /// installed. Both paths are absolute; `root` is the repository's.
    fn installed<'p>(&self, _root: &str, _path: &'p str) -> Option<&'p str> {
        None
    }

    /// Whether an import's target depends on the contents of other files, and not only on which
    /// files exist. If so, any change in one of its languages resolves all their imports again.
    fn resolves_by_facts(&self) -> bool {
        false
    }

    /// Whether names resolve to the files that define them, instead of specifiers to modules. Then
    /// only an undefined name is unresolved.
    fn resolves_to_definers(&self) -> bool {
        false
    }

    /// Changes whenever the same imports may resolve differently for the same files. The source of
    /// this crate is already part of the cache key.
    fn fingerprint(&self) -> &'static str {
        ""
    }

    /// Package folders that manifests elsewhere name.
    fn projects(&self, _manifests: &Manifests<'_>) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// What the manifests in a folder say about its package; `None` if they cannot be read.
    fn published(&self, _manifests: &Manifests<'_>, _folder: &str) -> Option<Published> {
        None
    }

    /// The package of an external module, as code imports it; `None` if it belongs to no package.
    /// The modules are the missing nodes of a graph.
    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        (!module.is_empty()).then_some(Cow::Borrowed(module))
    }

    /// The module of an installed file, as code imports it. `file` is the id after the ecosystem's
    /// name: package name, version and path.
    fn module_of_installed<'f>(&self, _file: &'f str) -> Option<Cow<'f, str>> {
        None
    }

    /// The external module that a path in code starts with, in languages that may name one without
    /// an import.
    fn module_in_path<'s>(&self, _path: &'s str) -> Option<&'s str> {
        None
    }

    /// Whether a requirement with this name may provide a module.
    fn may_provide(&self, name: &str, module: &str) -> bool {
        name == module
    }

    /// Creates a resolver for one repository.
    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a>;
}

/// A module that is not a file, for the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinExample {
    /// The platform's name.
    pub platform: &'static str,
    /// The id of one of its modules.
    pub id: &'static str,
}

/// Resolves the imports of files in and around one repository. Threads share it.
pub trait Resolve: Sync {
    /// An importer for the file at an absolute path. It computes what the file's imports share only
    /// once.
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i>;

    /// A digest of what was found out about the repository as a whole. When it changes, all imports
    /// are resolved again. Ecosystems that resolve by facts do not need it.
    fn basis(&self) -> Sha256Digest {
        Sha256Digest::from_bytes([0; 32])
    }

    /// The package that contains a file, as its manifest names it.
    fn package_of(&self, _path: &str) -> Option<PackageIdentity> {
        None
    }
}

/// Resolves the imports of one file.
pub trait Importer {
    /// Adds the targets of the import with a number, in order. Adds none if the import has no edge.
    /// The names that the file uses of it are in the facts.
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>);

    /// Adds the files that are needed without an import, such as those of the same package. It is
    /// called after `resolve`, and may also return what that found on the way.
    fn needs(&self, _facts: &Facts, _found: &mut Vec<Need>) {}

    /// Whether some results were left out: too many files define a name, or a search hit a limit.
    /// Valid after all other calls.
    fn is_cut(&self) -> bool {
        false
    }
}

/// The first [`MAX_DEFINERS`] files, and whether there are more.
pub(crate) fn first_definers<T>(files: impl Iterator<Item = T>) -> (Vec<T>, bool) {
    let mut files: Vec<T> = files.take(MAX_DEFINERS + 1).collect();
    let is_cut = files.len() > MAX_DEFINERS;
    files.truncate(MAX_DEFINERS);
    (files, is_cut)
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// A file: an absolute path with `/`.
    File(Arc<str>),
    /// A module that is not a file: of the platform, or missing.
    Module(NodeId, NodeKind),
}

/// A file or module that another file needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The file or module.
    pub target: ImportTarget,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// Whether the file names it explicitly; else the edge is implicit.
    pub is_written: bool,
}

/// The identity of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageIdentity {
    /// The ecosystem's name.
    pub ecosystem: &'static str,
    /// The package's folder, absolute.
    pub folder: String,
    /// The manifest that names it, absolute.
    pub manifest: String,
    /// The name, as written.
    pub name: String,
    /// The version, as written.
    pub version: String,
    /// Whether name and version can be path segments, by the ecosystem's rules.
    pub is_addressable: bool,
}

/// The registered ecosystems.
#[derive(Clone, Copy)]
pub struct Ecosystems(&'static [&'static dyn Ecosystem]);

impl Default for Ecosystems {
    /// All ecosystems of this crate.
    fn default() -> Self {
        const ALL: &[&dyn Ecosystem] = &[
            &crate::ecma::resolve::Npm,
            &crate::python::resolve::Pypi,
            &crate::rust::resolve::Cargo,
            &crate::go::resolve::Golang,
            &crate::java::resolve::Maven,
            &crate::c::resolve::Includes,
            &crate::csharp::resolve::NuGet,
            &crate::php::resolve::Composer,
            &crate::ruby::resolve::RubyGems,
        ];
        Self(ALL)
    }
}

impl Ecosystems {
    /// Creates a table. If two ecosystems claim a language, the first one resolves it.
    pub const fn new(ecosystems: &'static [&'static dyn Ecosystem]) -> Self {
        Self(ecosystems)
    }

    /// Iterates over the ecosystems.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn Ecosystem> {
        self.0.iter().copied()
    }

    /// The ecosystem of a language, with its index.
    pub fn of_language(self, language: &str) -> Option<(usize, &'static dyn Ecosystem)> {
        let mut numbered = self.0.iter().copied().enumerate();
        numbered.find(|(_, ecosystem)| ecosystem.languages().contains(&language))
    }

    /// The folder of the installed package that contains a file.
    pub fn installed<'p>(self, root: &str, path: &'p str) -> Option<&'p str> {
        self.0.iter().find_map(|ecosystem| ecosystem.installed(root, path))
    }
}
