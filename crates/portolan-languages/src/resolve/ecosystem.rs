//! What an ecosystem has to tell, and the table of ecosystems.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, MAX_DEFINERS, NodeId, NodeKind, Sha256Digest};

use crate::resolve::ground::Ground;
use crate::resolve::published::{Manifests, Published};

/// A family of packages with its way to find modules: its words are known nowhere else.
pub trait Ecosystem: Sync {
    /// Its name: a segment of the ids of its packages' files.
    fn name(&self) -> &'static str;

    /// The languages whose imports it resolves, by their names.
    fn languages(&self) -> &'static [&'static str];

    /// A module of its platform, as an example for readers; the id as the graph has it.
    fn builtin_example(&self) -> Option<BuiltinExample> {
        None
    }

    /// The file of a package, as an example for readers: what its id ends in.
    fn file_example(&self) -> Option<&'static str> {
        None
    }

    /// Whether a file of this name says what the package in its folder is.
    fn is_manifest(&self, _name: &str) -> bool {
        false
    }

    /// Whether a folder of this name is where it installs packages.
    fn is_store(&self, _name: &str) -> bool {
        false
    }

    /// The folders outside of any repository in which it keeps packages for the person who runs this.
    /// `variable` tells those of the environment's variables that are absolute paths.
    fn stores(&self, _variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        Vec::new()
    }

    /// The folder of the installed package that the file at an absolute path is in; `None` for what is
    /// not installed. `root` is the repository's.
    fn installed<'p>(&self, _root: &str, _path: &'p str) -> Option<&'p str> {
        None
    }

    /// Whether where an import leads depends on what stands in other files, not only on which files
    /// there are: then a change of any text in its languages makes it resolve all of them again.
    fn resolves_by_facts(&self) -> bool {
        false
    }

    /// Whether names lead to the files that define them, rather than specifiers to modules: then only a name that
    /// nobody defines leads nowhere.
    fn leads_to_definers(&self) -> bool {
        false
    }

    /// Changes whenever the same imports may lead elsewhere in the same files. The sources of this
    /// crate are accounted for already.
    fn fingerprint(&self) -> &'static str {
        ""
    }

    /// Folders of packages that manifests elsewhere name, whatever stands in them.
    fn projects(&self, _manifests: &Manifests<'_>) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// What the manifests in a folder say of the package there; `None` where they can't be read.
    fn published(&self, _manifests: &Manifests<'_>, _folder: &str) -> Option<Published> {
        None
    }

    /// The package that a module of another repository is of, as code imports it; `None` for what is of no
    /// package. Modules are those that are missing in a graph.
    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        (!module.is_empty()).then_some(Cow::Borrowed(module))
    }

    /// The module that an installed file is of, as code imports it: `file` is what its id has behind the name of the
    /// ecosystem, which is a package's name, its version and a path in it.
    fn module_of_installed<'f>(&self, _file: &'f str) -> Option<Cow<'f, str>> {
        None
    }

    /// The module of another package that a path in code begins with, where code may name one without an import.
    fn module_written<'s>(&self, _path: &'s str) -> Option<&'s str> {
        None
    }

    /// Whether what a manifest asks for by a name may bring a module.
    fn may_bring(&self, name: &str, module: &str) -> bool {
        name == module
    }

    /// A resolver for one repository.
    fn open<'a>(&self, ground: &'a Ground<'a>) -> Box<dyn Resolve + 'a>;
}

/// A module that is no file, for readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinExample {
    /// Whose modules these are, in words.
    pub platform: &'static str,
    /// The id of one.
    pub id: &'static str,
}

/// Resolves the imports of files in and around one repository. Threads share it.
pub trait Resolve: Sync {
    /// A file that imports, at an absolute path: what its imports have in common is asked once.
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i>;

    /// What was found out about the repository as a whole, as a digest: where it is another one, everybody is asked
    /// again. Nothing to say for those that resolve by facts.
    fn basis(&self) -> Sha256Digest {
        Sha256Digest::from_bytes([0; 32])
    }

    /// The package that a file is part of, as its manifest names it.
    fn package_of(&self, _path: &str) -> Option<PackageIdentity> {
        None
    }
}

/// A file that imports.
pub trait Importer {
    /// Where the import with a number leads: adds each target, in order; none for an import that is
    /// nothing to the graph. The names that are asked of it are in the facts.
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<Target>);

    /// What the file needs without an import of its own: same-package names and the like. Asked last: what an import
    /// was found to lead to on the way may be told here.
    fn needs(&self, _facts: &Facts, _found: &mut Vec<Need>) {}

    /// Whether more files define a name than are told of, or it was too much to find them. Asked after everything else.
    fn is_cut(&self) -> bool {
        false
    }
}

/// So many of the files that define a name as are told of, and whether there are more.
pub(crate) fn first_definers<T>(files: impl Iterator<Item = T>) -> (Vec<T>, bool) {
    let mut files: Vec<T> = files.take(MAX_DEFINERS + 1).collect();
    let is_cut = files.len() > MAX_DEFINERS;
    files.truncate(MAX_DEFINERS);
    (files, is_cut)
}

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this file: an absolute path with `/`.
    File(Arc<str>),
    /// To a module that is no file: of the platform, or missing.
    Module(NodeId, NodeKind),
}

/// A file that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Which.
    pub target: Target,
    /// Why.
    pub kind: EdgeKind,
    /// Whether the file itself spells out what it needs; else the edge is implicit.
    pub is_written: bool,
}

/// What a package calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageIdentity {
    /// The ecosystem's name.
    pub ecosystem: &'static str,
    /// The folder of the package, absolute.
    pub folder: String,
    /// The file that says so, absolute.
    pub manifest: String,
    /// Its name, as written.
    pub name: String,
    /// Its version, as written.
    pub version: String,
    /// Whether name and version can be parts of a path, by the rules of the ecosystem.
    pub is_addressable: bool,
}

/// The ecosystems whose imports are resolved.
#[derive(Clone, Copy)]
pub struct Ecosystems(&'static [&'static dyn Ecosystem]);

impl Default for Ecosystems {
    /// Every ecosystem of this crate.
    fn default() -> Self {
        const ALL: &[&dyn Ecosystem] = &[
            &crate::ecma::resolve::Npm,
            &crate::python::resolve::Pypi,
            &crate::rust::resolve::Cargo,
            &crate::go::resolve::Golang,
            &crate::java::resolve::Maven,
        ];
        Self(ALL)
    }
}

impl Ecosystems {
    /// These ecosystems; where two name a language, the first resolves it.
    pub const fn new(ecosystems: &'static [&'static dyn Ecosystem]) -> Self {
        Self(ecosystems)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn Ecosystem> {
        self.0.iter().copied()
    }

    /// The ecosystem that resolves a language, with its number.
    pub fn of_language(self, language: &str) -> Option<(usize, &'static dyn Ecosystem)> {
        let mut numbered = self.0.iter().copied().enumerate();
        numbered.find(|(_, ecosystem)| ecosystem.languages().contains(&language))
    }

    /// The folder of the installed package that a file is in.
    pub fn installed<'p>(self, root: &str, path: &'p str) -> Option<&'p str> {
        self.0.iter().find_map(|ecosystem| ecosystem.installed(root, path))
    }
}
