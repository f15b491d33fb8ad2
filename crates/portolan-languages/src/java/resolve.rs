//! From an import of Java or Kotlin to the file that declares the type, or the function.
//!
//! Both are one index. Types are found by the package they say they are in, not by the folder they lie in. Where several
//! files declare one, the nearest to the importer is meant.

mod builtin;
mod gradle;
mod published;
mod resources;
mod types;

use std::cell::Cell;
use std::collections::BTreeSet;

use portolan_types::{EdgeKind, Facts, Import, NodeKind};

use self::builtin::builtin_package;
use self::resources::Resources;
use self::types::{is_kotlin, Types};
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{first_definers, Ecosystem, Ground, Importer, Need, Resolve, Target};

/// The ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Maven;

/// The ways an import is written, as the language numbers them.
mod form {
    pub(super) const SINGLE: u8 = 0;
    pub(super) const ON_DEMAND: u8 = 1;
    pub(super) const REFLECTED: u8 = 4;
    pub(super) const RESOURCE: u8 = 5;
}

impl Ecosystem for Maven {
    fn name(&self) -> &'static str {
        "maven"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["java", "kotlin"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Java", id: "java:java.util" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        matches!(name, "pom.xml" | "build.gradle" | "build.gradle.kts")
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn leads_to_definers(&self) -> bool {
        true
    }

    fn projects(&self, manifests: &Manifests<'_>) -> BTreeSet<String> {
        gradle::projects(manifests)
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        Some(published::published(manifests, folder))
    }

    fn may_bring(&self, name: &str, module: &str) -> bool {
        published::may_bring(name, module)
    }

    fn open<'a>(&self, ground: &'a Ground<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(Java { types: Types::new(ground), resources: Resources::new(ground) })
    }
}

struct Java<'a> {
    types: Types<'a>,
    resources: Resources<'a>,
}

impl Resolve for Java<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(File {
            types: &self.types,
            resources: &self.resources,
            path,
            is_cut: Cell::new(false),
        })
    }
}

struct File<'i, 'a> {
    types: &'i Types<'a>,
    resources: &'i Resources<'a>,
    /// Absolute.
    path: &'i str,
    /// Whether not all is told.
    is_cut: Cell<bool>,
}

impl Importer for File<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<Target>) {
        let Some(import) = facts.imports.get(import) else { return };
        let name = &*import.specifier;
        if import.form.0 == form::RESOURCE {
            let package = facts.package.as_deref().unwrap_or_default();
            let file = self.resources.find(self.path, package, name);
            found.extend(file.map(|file| Target::File(file.into())));
            return;
        }
        let files = self.declared(name);
        if !files.is_empty() {
            found.extend(files.into_iter().map(|file| Target::File(file.into())));
        } else if import.form.0 == form::ON_DEMAND && self.types.has_package(name) {
            let files = self.on_demand(facts, name);
            found.extend(files.into_iter().map(|file| Target::File(file.into())));
        } else if import.form.0 != form::REFLECTED {
            found.push(elsewhere(import, is_kotlin(self.path)));
        }
    }

    /// What needs no import: types of the same package, and names that are written out.
    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let package = facts.package.as_deref().unwrap_or_default();
        let imported = singles(facts);
        let mut implicit = BTreeSet::new();
        let mut written = BTreeSet::new();
        for used in &facts.uses {
            let name = &*used.name;
            match name.split_once('.') {
                // The name may begin with a type of this package, which its bare name tells of, or an imported one.
                Some((first, rest))
                    if imported.contains(first) || self.types.has_type(package, first) =>
                {
                    written.extend(self.inherited(facts, package, first, rest));
                }
                Some(_) => written.extend(self.declared(name)),
                None if imported.contains(name) => {}
                None => implicit.extend(self.named(package, name)),
            }
        }
        written.remove(self.path);
        implicit.remove(self.path);
        for (files, is_written) in [(written, true), (implicit, false)] {
            let need = |file: &str| Target::File(file.into());
            let kind = EdgeKind::Runtime;
            found.extend(files.into_iter().map(|file| Need {
                target: need(file),
                kind,
                is_written,
            }));
        }
    }

    fn is_cut(&self) -> bool {
        self.is_cut.get()
    }
}

impl<'a> File<'_, 'a> {
    /// The types of a package that are used here by their bare names and come from nowhere nearer.
    fn on_demand(&self, facts: &Facts, package: &str) -> BTreeSet<&'a str> {
        let own = facts.package.as_deref().unwrap_or_default();
        let imported = singles(facts);
        let names = facts.uses.iter().map(|used| &*used.name).filter(|name| !name.contains('.'));
        let foreign =
            names.filter(|name| !imported.contains(name) && !self.types.has_type(own, name));
        foreign.flat_map(|name| self.named(package, name)).collect()
    }

    /// The files that declare what a qualified name begins with.
    fn declared(&self, name: &str) -> Vec<&'a str> {
        if let Some((file, member)) = self.types.declared_in(self.path, name) {
            let member = member.filter(|name| is_type_name(name));
            let inherited = member.and_then(|name| self.types.inherited(file, name));
            return std::iter::once(file).chain(inherited).collect();
        }
        let Some((package, name)) = name.rsplit_once('.').filter(|_| is_kotlin(self.path)) else {
            return Vec::new();
        };
        self.callables(package, name)
    }

    /// The file that declares a member type which is written by the name of a type that inherits it: `Tester.Order`.
    fn inherited(&self, facts: &Facts, package: &str, owner: &str, rest: &str) -> Option<&'a str> {
        let member = rest.split('.').next().filter(|name| is_type_name(name))?;
        let single = facts.imports.iter().filter(|import| import.form.0 == form::SINGLE);
        let import = { single }.find(|import| own_name(import) == Some(owner));
        let file = match import {
            Some(import) => self.types.declared_in(self.path, &import.specifier)?.0,
            None => self.types.nearest(self.path, package, owner)?,
        };
        self.types.inherited(file, member)
    }

    /// The files of a package that declare a name, for whoever may use it bare: the nearest that declares a type, else, in
    /// Kotlin, all that declare a function or a property, since each may do so for other arguments.
    fn named(&self, package: &str, name: &str) -> Vec<&'a str> {
        let nearest = self.types.nearest(self.path, package, name);
        if let Some(file) = nearest.filter(|file| !is_test_of_main(file, self.path)) {
            return vec![file];
        }
        if is_kotlin(self.path) { self.callables(package, name) } else { Vec::new() }
    }

    /// So many files that declare a function or a property as are told of; that there are more is told.
    fn callables(&self, package: &str, name: &str) -> Vec<&'a str> {
        let (files, is_cut) = first_definers(self.types.callables(package, name));
        self.is_cut.set(self.is_cut.get() || is_cut);
        files
    }
}

/// Whether one file is code of tests and the other is not, and never sees it.
fn is_test_of_main(file: &str, path: &str) -> bool {
    file.contains("/src/test/") && path.contains("/src/main/")
}

/// Whether a name is written as those of types are: constants have no small letters.
fn is_type_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_uppercase())
        && name.contains(|letter: char| letter.is_lowercase())
}

/// The simple names of what is imported one by one.
fn singles(facts: &Facts) -> BTreeSet<&str> {
    let single = facts.imports.iter().filter(|import| import.form.0 == form::SINGLE);
    single.filter_map(own_name).collect()
}

/// The name that an import gives to what it names.
fn own_name(import: &Import) -> Option<&str> {
    import.alias.as_deref().or_else(|| import.specifier.rsplit('.').next())
}

/// A type of the platform or of a library, by its package.
fn elsewhere(import: &Import, is_kotlin: bool) -> Target {
    let name = &*import.specifier;
    if let Some(package) = builtin_package(name) {
        return Target::Module(format!("java:{package}").into(), NodeKind::Builtin);
    }
    let is_package = |part: &&str| !part.starts_with(|letter: char| letter.is_uppercase());
    let mut package: Vec<&str> = name.split('.').take_while(is_package).collect();
    let is_callable = import.form.0 == form::SINGLE && package.len() == name.split('.').count();
    if is_kotlin && is_callable && package.len() > 1 {
        package.pop();
    }
    if is_kotlin && package.first() == Some(&"kotlin") {
        let id = format!("kotlin:{}", package.join("."));
        return Target::Module(id.into(), NodeKind::Builtin);
    }
    let id = if package.is_empty() { name.to_owned() } else { package.join(".") };
    Target::Module(id.into(), NodeKind::Missing)
}
