//! Resolves Python imports to modules, by the rules of `CPython`'s import system.
//!
//! Nothing runs, so the module path is derived: the folder that a script would start in, the
//! folders that manifests declare, the usual folders, and finally any folder with that name.

mod builtin;
mod manifest;
mod modules;
mod names;
mod native;
mod published;
mod site_packages;

use std::borrow::Cow;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, Import, NodeKind};

use self::modules::{ModuleTarget, Modules};
use self::names::{ModuleNames, NameLookup};
use self::native::NativeModules;
use self::site_packages::SitePackages;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{
    Ecosystem, ImportTarget, Importer, Need, PackageIdentity, Resolve, ResolveContext,
    has_extension,
};

/// The `PyPI` ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Pypi;

impl Ecosystem for Pypi {
    fn name(&self) -> &'static str {
        "pypi"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["python", "notebook"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Python", id: "python:os" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg")
    }

    fn is_store(&self, name: &str) -> bool {
        name == site_packages::STORE
    }

    fn stores(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        variable("VIRTUAL_ENV").into_iter().collect()
    }

    fn installed<'p>(&self, _root: &str, path: &'p str) -> Option<&'p str> {
        site_packages::installed(path)
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

    /// Code imports the top folder in `site-packages`, whatever the project is called.
    fn module_of_installed<'f>(&self, file: &'f str) -> Option<Cow<'f, str>> {
        let inside = file.splitn(3, '/').nth(2)?;
        inside.split(['/', '.']).next().map(Cow::Borrowed)
    }

    fn may_provide(&self, name: &str, module: &str) -> bool {
        name == published::normalized_name(module)
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        let names = ModuleNames::new(Modules::new(ctx));
        Box::new(PypiResolver {
            names,
            site: SitePackages::new(ctx),
            natives: NativeModules::new(ctx),
        })
    }
}

struct PypiResolver<'a> {
    names: ModuleNames<'a>,
    site: SitePackages<'a>,
    natives: NativeModules,
}

impl Resolve for PypiResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        let Self { names, site, natives } = self;
        let path = names.modules().relative(path);
        Box::new(PypiImporter { names: NameLookup::new(names), site, natives, path })
    }

    fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        self.site.package_of(path)
    }
}

/// The importer for one file. The path is relative to the root; `None` outside of it.
struct PypiImporter<'i, 'a> {
    names: NameLookup<'i, 'a>,
    site: &'i SitePackages<'a>,
    natives: &'i NativeModules,
    path: Option<&'i str>,
}

/// Splits an import into the module and the imported name.
pub(crate) fn parts(import: &Import) -> (&str, Option<&str>) {
    match import.specifier.split_once(':') {
        Some((module, item)) => (module, Some(item)),
        None => (&import.specifier, None),
    }
}

impl Importer for PypiImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let (Some(path), Some(import)) = (self.path, facts.imports.get(import)) else { return };
        let (module, item) = parts(import);
        self.find(path, module, item, found);
        if let Some(native) = self.natives.find(path, module, item) {
            let is_code = |target: &ImportTarget| matches!(target, ImportTarget::File(file) if has_extension(file, &["py"]));
            // A package may have the name of the crate inside it.
            if !native.is_by_item && found.iter().any(is_code) {
                return;
            }
            // A native module may have a stub beside it. It does not belong to another project.
            found.retain(|target| matches!(target, ImportTarget::File(_)) && !is_code(target));
            found.push(ImportTarget::File(native.library));
        }
    }

    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let Some(path) = self.path else { return };
        let own = self.names.modules().number(path);
        let mut need = |definer: Option<u32>, kind: EdgeKind| {
            if let Some(file) = definer.filter(|file| Some(*file) != own) {
                let target = ImportTarget::File(self.names.modules().absolute(file));
                found.push(Need { target, kind, is_written: false });
            }
        };
        for import in &facts.imports {
            need(self.names.definer_of(path, import), import.kind);
        }
        // The uses are sorted, so all uses of one module are adjacent.
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

impl PypiImporter<'_, '_> {
    /// Resolves an import by Python's own rules.
    fn find(&self, path: &str, module: &str, item: Option<&str>, found: &mut Vec<ImportTarget>) {
        let modules = self.names.modules();
        let target = match (modules.find(path, module), item) {
            (ModuleTarget::File(file), Some(item)) if item != "*" => {
                self.names.item(path, module, file, item)
            }
            (ModuleTarget::Namespace, Some(item)) if item != "*" => {
                match modules.submodule(path, module, item) {
                    Some(file) => file,
                    None => return,
                }
            }
            (ModuleTarget::File(file), _) => file,
            // A namespace package has no file.
            (ModuleTarget::Namespace, _) => return,
            (ModuleTarget::Nothing { is_local }, _) => {
                if let Some(notebook) = modules.notebook(path, module) {
                    found.push(ImportTarget::File(notebook));
                    return;
                }
                let target = missing(module, is_local);
                let is_elsewhere =
                    matches!(target, ImportTarget::Module(_, NodeKind::Missing)) && !is_local;
                let installed = self
                    .site
                    .find(path, module, item)
                    .filter(|_| is_elsewhere)
                    .map(ImportTarget::File);
                found.push(installed.unwrap_or(target));
                return;
            }
        };
        found.push(ImportTarget::File(modules.absolute(target)));
    }
}

/// The target for a module that is not in the repository: a built-in module, another project by its
/// top-level name, or a missing local module.
fn missing(module: &str, is_local: bool) -> ImportTarget {
    let top = module.split('.').next().unwrap_or(module);
    if is_local || top.is_empty() {
        return ImportTarget::Module(module.into(), NodeKind::Missing);
    }
    if builtin::is_builtin(top) {
        return ImportTarget::Module(format!("python:{top}").into(), NodeKind::Builtin);
    }
    ImportTarget::Module(top.into(), NodeKind::Missing)
}

/// A shared absolute path.
type SharedPath = Arc<str>;
