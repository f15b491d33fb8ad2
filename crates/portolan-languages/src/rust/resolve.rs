//! Resolves Rust's `mod` declarations, `use` trees and paths to files, over the crates that the
//! manifests declare.
//!
//! The edge to the file of the last module that a path names is explicit. The edges to the files
//! that define the last name of the path are implicit; they follow every `pub use`. All branches of
//! `cfg` count.

mod globs;
mod lookup;
mod macros;
mod manifest;
mod path;
mod published;
mod registry;
mod tree;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use portolan_types::{EdgeKind, Facts, NodeKind, Use};

use self::path::PathForm;
use self::registry::ExternalCrate;
use self::tree::ModuleTree;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{
    Ecosystem, ImportTarget, Importer, Need, PackageIdentity, Resolve, ResolveContext,
    first_definers, folder_of, join,
};

/// The Cargo ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Cargo;

/// The import forms, with the numbers that the Rust extractor gives them.
pub(crate) mod form {
    pub(crate) const PUB_MOD: u8 = 1;
    pub(crate) const MOD_PATH: u8 = 2;
    pub(crate) const PUB_MOD_PATH: u8 = 3;
    pub(crate) const USE: u8 = 4;
    pub(crate) const PUB_USE: u8 = 5;
    pub(crate) const GLOB: u8 = 6;
    pub(crate) const PUB_GLOB: u8 = 7;
    pub(crate) const CRATE: u8 = 8;
    pub(crate) const INCLUDE: u8 = 9;
}

/// The marks of definitions and uses, with the numbers that the Rust extractor gives them.
pub(crate) mod mark {
    pub(crate) const PLAIN: u8 = 0;
    pub(crate) const MACRO: u8 = 1;
    pub(crate) const EXPORTED_MACRO: u8 = 2;
    pub(crate) const PUB_MODULE: u8 = 4;
    pub(crate) const MACRO_USE: u8 = 5;
    pub(crate) const RULED: u8 = 6;
}

impl Ecosystem for Cargo {
    fn name(&self) -> &'static str {
        "cargo"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["rust"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Rust", id: "rust:std" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "Cargo.toml"
    }

    fn stores(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let home = variable("CARGO_HOME").or_else(|| Some(variable("HOME")? + "/.cargo"));
        home.map(|home| home + registry::UNPACKED).into_iter().collect()
    }

    fn installed<'p>(&self, _root: &str, path: &'p str) -> Option<&'p str> {
        registry::package_folder(path)
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn resolves_to_definers(&self) -> bool {
        true
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        published::published(manifests, folder)
    }

    /// A path may start with a crate.
    fn module_in_path<'s>(&self, path: &'s str) -> Option<&'s str> {
        let first = path.trim_start_matches("::").split("::").next()?;
        (!matches!(first, "" | "crate" | "self" | "super" | "Self")).then_some(first)
    }

    /// Code writes `_` where a package name has `-`.
    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        (!module.is_empty()).then(|| Cow::Owned(module.replace('-', "_")))
    }

    fn module_of_installed<'f>(&self, file: &'f str) -> Option<Cow<'f, str>> {
        let name = file.split('/').next().filter(|name| !name.is_empty())?;
        Some(Cow::Owned(name.replace('-', "_")))
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(CargoResolver { ctx, tree: ModuleTree::new(ctx) })
    }
}

struct CargoResolver<'a> {
    ctx: &'a ResolveContext<'a>,
    tree: ModuleTree<'a>,
}

impl Resolve for CargoResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(CargoImporter {
            rust: self,
            path,
            definers: RefCell::default(),
            is_cut: Cell::new(false),
        })
    }

    fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        registry::package_of(path)
    }
}

struct CargoImporter<'i, 'a> {
    rust: &'i CargoResolver<'a>,
    /// Absolute.
    path: &'i str,
    /// The files that define the last names of the imports resolved so far.
    definers: RefCell<BTreeSet<&'a str>>,
    /// Whether some results were left out.
    is_cut: Cell<bool>,
}

impl Importer for CargoImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        if import.form.0 == form::INCLUDE {
            let path = join(folder_of(self.path), &import.specifier);
            if self.rust.ctx.is_source(&path) {
                found.push(ImportTarget::File(path.into()));
            }
            return;
        }
        let (mut files, mut modules) = (BTreeSet::new(), BTreeSet::new());
        for node in self.rust.tree.nodes_of(self.path, import.scope.0) {
            if import.form.0 <= form::PUB_MOD_PATH {
                files.extend(
                    self.rust.tree.child_files(node, import.alias.as_deref().unwrap_or_default()),
                );
                continue;
            }
            let walk = self.rust.tree.path(node, &import.specifier, PathForm::of(import.form.0));
            self.cut(walk.is_cut);
            if matches!(import.form.0, form::USE | form::PUB_USE) {
                let definers = self.first_definers(walk.definers());
                self.definers.borrow_mut().extend(definers);
            }
            files.extend(walk.modules.iter().map(|module| self.rust.tree.file(*module)));
            if walk.modules.is_empty() {
                files.extend(self.first_definers(walk.definers()));
            }
            modules.extend(walk.external);
        }
        let others = files.into_iter().filter(|file| *file != self.path);
        found.extend(others.map(|file| ImportTarget::File(file.into())));
        found.extend(modules.iter().map(external_target));
    }

    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let tree = &self.rust.tree;
        let mut need = NeededTargets { implicit: self.definers.take(), ..NeededTargets::default() };
        for used in &facts.uses {
            for node in tree.nodes_of(self.path, used.scope.0) {
                need.add(tree, node, self, used);
            }
        }
        need.finish(self.path, found);
    }

    fn is_cut(&self) -> bool {
        self.is_cut.get()
    }
}

impl<'a> CargoImporter<'_, 'a> {
    fn cut(&self, is_cut: bool) {
        self.is_cut.set(self.is_cut.get() || is_cut);
    }

    /// The first [`MAX_DEFINERS`](portolan_types::MAX_DEFINERS) files that define a name. Records
    /// when there are more.
    fn first_definers(&self, files: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let (files, is_cut) = first_definers(files);
        self.cut(is_cut);
        files
    }
}

/// The files and crates that a file needs, by how it names them.
#[derive(Default)]
struct NeededTargets<'a> {
    written: BTreeSet<&'a str>,
    implicit: BTreeSet<&'a str>,
    external: BTreeSet<ExternalCrate>,
}

impl<'a> NeededTargets<'a> {
    fn add(&mut self, tree: &ModuleTree<'a>, node: u32, file: &CargoImporter<'_, 'a>, used: &Use) {
        let name = &*used.name;
        match used.mark.0 {
            mark::PLAIN if name.contains("::") => {
                let walk = tree.path(node, name, PathForm::Code);
                file.cut(walk.is_cut);
                self.written.extend(walk.modules.iter().map(|module| tree.file(*module)));
                self.implicit.extend(file.first_definers(walk.definers()));
                self.external.extend(walk.external);
            }
            // The module's own definitions and named imports are already covered.
            mark::PLAIN if tree.node(node).globs.is_empty() => {}
            mark::PLAIN => {
                let (found, is_whole) = tree.in_scope(node, name);
                file.cut(!is_whole);
                self.implicit.extend(file.first_definers(found.definers()));
            }
            // The callers of the macro need this. Here the path only appears in the macro's rules.
            mark::RULED => {
                let walk = tree.path(node, name, PathForm::Code);
                file.cut(walk.is_cut);
                self.implicit.extend(walk.modules.iter().map(|module| tree.file(*module)));
                self.implicit.extend(file.first_definers(walk.definers()));
            }
            mark::MACRO => {
                let files = tree.macro_files(node, file.path, name);
                self.implicit.extend(file.first_definers(files.into_iter()));
            }
            _ => {}
        }
    }

    fn finish(self, own: &str, found: &mut Vec<Need>) {
        let kind = EdgeKind::Runtime;
        for (files, is_written) in [(self.written, true), (self.implicit, false)] {
            let others = files.into_iter().filter(|file| *file != own);
            let target = |file: &str| ImportTarget::File(file.into());
            found.extend(others.map(|file| Need { target: target(file), kind, is_written }));
        }
        let external = self.external.iter().map(external_target);
        found.extend(external.map(|target| Need { target, kind, is_written: true }));
    }
}

/// The target for a crate of the platform or of another project.
fn external_target(foreign: &ExternalCrate) -> ImportTarget {
    let name = &*foreign.package;
    match &foreign.library {
        Some(file) => ImportTarget::File(file.clone()),
        None if is_platform(name) => {
            ImportTarget::Module(format!("rust:{name}").into(), NodeKind::Builtin)
        }
        None => ImportTarget::Module(name.into(), NodeKind::Missing),
    }
}

/// The library of the package with the given manifest, for builds that start elsewhere.
pub(crate) struct CrateLibrary {
    /// The crate name in code.
    pub(crate) name: String,
    /// The crate root, absolute.
    pub(crate) root: String,
}

pub(crate) fn library(ctx: &ResolveContext<'_>, manifest: &str) -> Option<CrateLibrary> {
    let packages = manifest::packages(ctx);
    let package = packages.into_iter().find(|it| it.folder == folder_of(manifest))?;
    let root = package.roots.into_iter().next().filter(|_| package.has_library)?;
    Some(CrateLibrary { name: package.library, root })
}

/// Whether a crate comes with the compiler.
pub(crate) fn is_platform(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc" | "proc_macro" | "test")
}
