//! From a Python import to the module it means, by the rules of `CPython`'s import system over the folders
//! that would be on its path.
//!
//! Nothing is run, so the path is worked out: the folder a script would be started from, what the
//! manifests declare, the usual places, and only then any folder that has the name.

mod builtin;
mod manifest;
mod modules;
mod names;
mod native;
mod published;
mod site;

use std::borrow::Cow;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, Import, NodeKind};

use self::modules::{Found, Modules};
use self::names::{Asking, Names};
use self::native::Natives;
use self::site::Site;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{has_extension, Ecosystem, Ground, Importer, Need, PackageIdentity, Resolve, Target};

/// The ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Pypi;

impl Ecosystem for Pypi {
    fn name(&self) -> &'static str {
        "pypi"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["python"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Python", id: "python:os" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg")
    }

    fn is_store(&self, name: &str) -> bool {
        name == site::STORE
    }

    fn stores(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        variable("VIRTUAL_ENV").into_iter().collect()
    }

    fn installed<'p>(&self, _root: &str, path: &'p str) -> Option<&'p str> {
        site::installed(path)
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        Some(published::published(manifests, folder))
    }

    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        let top = module.split('.').next().filter(|top| !top.is_empty());
        top.map(Cow::Borrowed)
    }

    /// What lies in the folder of packages is what code imports, whatever project brought it.
    fn module_of_installed<'f>(&self, file: &'f str) -> Option<Cow<'f, str>> {
        let inside = file.splitn(3, '/').nth(2)?;
        inside.split(['/', '.']).next().map(Cow::Borrowed)
    }

    fn may_bring(&self, name: &str, module: &str) -> bool {
        name == published::normal(module)
    }

    fn open<'a>(&self, ground: &'a Ground<'a>) -> Box<dyn Resolve + 'a> {
        let names = Names::new(Modules::new(ground));
        Box::new(Python { names, site: Site::new(ground), natives: Natives::new(ground) })
    }
}

struct Python<'a> {
    names: Names<'a>,
    site: Site<'a>,
    natives: Natives,
}

impl Resolve for Python<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        let Self { names, site, natives } = self;
        let path = names.modules().relative(path);
        Box::new(File { names: Asking::new(names), site, natives, path })
    }

    fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        self.site.package_of(path)
    }
}

/// A file that imports, by its path from the root; `None` for one outside.
struct File<'i, 'a> {
    names: Asking<'i, 'a>,
    site: &'i Site<'a>,
    natives: &'i Natives,
    path: Option<&'i str>,
}

/// What an import is written as: the module, and the name that is taken from it.
pub(crate) fn parts(import: &Import) -> (&str, Option<&str>) {
    match import.specifier.split_once(':') {
        Some((module, item)) => (module, Some(item)),
        None => (&import.specifier, None),
    }
}

impl Importer for File<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<Target>) {
        let (Some(path), Some(import)) = (self.path, facts.imports.get(import)) else { return };
        let (module, item) = parts(import);
        self.find(path, module, item, found);
        if let Some(native) = self.natives.find(path, module, item) {
            let is_code = |target: &Target| matches!(target, Target::File(file) if has_extension(file, &["py"]));
            // A package may have the name of the crate that it holds.
            if !native.is_by_item && found.iter().any(is_code) {
                return;
            }
            // What is built may have a stub beside it; it is no module of another project.
            found.retain(|target| matches!(target, Target::File(_)) && !is_code(target));
            found.push(Target::File(native.library));
        }
    }

    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let Some(path) = self.path else { return };
        let own = self.names.modules().number(path);
        let mut need = |definer: Option<u32>, kind: EdgeKind| {
            if let Some(file) = definer.filter(|file| Some(*file) != own) {
                let target = Target::File(self.names.modules().absolute(file));
                found.push(Need { target, kind, is_written: false });
            }
        };
        for import in &facts.imports {
            need(self.names.definer_of(path, import), import.kind);
        }
        // The uses are in order, so those of one name come one after the other.
        let (mut last, mut bound) = ("", Vec::new());
        for used in &facts.uses {
            let Some((owner, name)) = used.name.split_once('.') else { continue };
            if owner != last {
                let own = facts.imports.iter();
                let own = own.filter(|import| import.alias.as_deref() == Some(owner));
                let own = own.filter_map(|it| Some((self.names.bound(path, it)?, it.kind)));
                (last, bound) = (owner, own.collect());
            }
            for (module, kind) in &bound {
                need(self.names.attribute_of(*module, name), *kind);
            }
        }
    }

    fn is_cut(&self) -> bool {
        self.names.is_cut()
    }
}

impl File<'_, '_> {
    /// Where an import leads by Python's own rules.
    fn find(&self, path: &str, module: &str, item: Option<&str>, found: &mut Vec<Target>) {
        let modules = self.names.modules();
        let target = match (modules.find(path, module), item) {
            (Found::File(file), Some(item)) if item != "*" => {
                self.names.item(path, module, file, item)
            }
            (Found::Namespace, Some(item)) if item != "*" => {
                match modules.submodule(path, module, item) {
                    Some(file) => file,
                    None => return,
                }
            }
            (Found::File(file), _) => file,
            // A folder without a module of its own is no file.
            (Found::Namespace, _) => return,
            (Found::Nothing { is_local }, _) => {
                let target = missing(module, is_local);
                let is_elsewhere =
                    matches!(target, Target::Module(_, NodeKind::Missing)) && !is_local;
                let installed =
                    self.site.find(path, module, item).filter(|_| is_elsewhere).map(Target::File);
                found.push(installed.unwrap_or(target));
                return;
            }
        };
        found.push(Target::File(modules.absolute(target)));
    }
}

/// What stands for a module that is not in the repository: the platform's, another project's by its
/// top-level name, or one that should be here.
fn missing(module: &str, is_local: bool) -> Target {
    let top = module.split('.').next().unwrap_or(module);
    if is_local || top.is_empty() {
        return Target::Module(module.into(), NodeKind::Missing);
    }
    if builtin::is_builtin(top) {
        return Target::Module(format!("python:{top}").into(), NodeKind::Builtin);
    }
    Target::Module(top.into(), NodeKind::Missing)
}

/// An absolute path, shared.
type Shared = Arc<str>;
