//! Resolves imports of Java and Kotlin to the file that declares the type or function.
//!
//! Both languages share one index. A type belongs to the package that its file declares, not to its
//! folder. If several files declare a type, the one nearest to the importer counts.

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
use self::types::{TypeIndex, is_kotlin};
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{Ecosystem, ImportTarget, Importer, Need, Resolve, ResolveContext, first_definers};

/// The Maven ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Maven;

/// The import forms, with the numbers that the extractors give them.
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

    fn resolves_to_definers(&self) -> bool {
        true
    }

    fn projects(&self, manifests: &Manifests<'_>) -> BTreeSet<String> {
        gradle::projects(manifests)
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        Some(published::published(manifests, folder))
    }

    fn may_provide(&self, name: &str, module: &str) -> bool {
        published::may_provide(name, module)
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(MavenResolver { types: TypeIndex::new(ctx), resources: Resources::new(ctx) })
    }
}

struct MavenResolver<'a> {
    types: TypeIndex<'a>,
    resources: Resources<'a>,
}

impl Resolve for MavenResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(MavenImporter {
            types: &self.types,
            resources: &self.resources,
            path,
            is_cut: Cell::new(false),
        })
    }
}

struct MavenImporter<'i, 'a> {
    types: &'i TypeIndex<'a>,
    resources: &'i Resources<'a>,
    /// Absolute.
    path: &'i str,
    /// Whether some results were left out.
    is_cut: Cell<bool>,
}

impl Importer for MavenImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        let name = &*import.specifier;
        if import.form.0 == form::RESOURCE {
            let package = facts.package.as_deref().unwrap_or_default();
            let file = self.resources.find(self.path, package, name);
            found.extend(file.map(|file| ImportTarget::File(file.into())));
            return;
        }
        let files = self.declared(name);
        if !files.is_empty() {
            found.extend(files.into_iter().map(|file| ImportTarget::File(file.into())));
        } else if import.form.0 == form::ON_DEMAND && self.types.has_package(name) {
            let files = self.on_demand(facts, name);
            found.extend(files.into_iter().map(|file| ImportTarget::File(file.into())));
        } else if import.form.0 != form::REFLECTED {
            found.push(external_target(import, is_kotlin(self.path)));
        }
    }

    /// Adds what needs no import: types of the same package, and qualified names.
    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let package = facts.package.as_deref().unwrap_or_default();
        let imported = singles(facts);
        let mut implicit = BTreeSet::new();
        let mut written = BTreeSet::new();
        for used in &facts.uses {
            let name = &*used.name;
            match name.split_once('.') {
                // The name starts with an imported type, or with a type of this package that its
                // bare name covers.
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
            let need = |file: &str| ImportTarget::File(file.into());
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

impl<'a> MavenImporter<'_, 'a> {
    /// The types of a package that are used here unqualified and not declared or imported
    /// otherwise.
    fn on_demand(&self, facts: &Facts, package: &str) -> BTreeSet<&'a str> {
        let own = facts.package.as_deref().unwrap_or_default();
        let imported = singles(facts);
        let names = facts.uses.iter().map(|used| &*used.name).filter(|name| !name.contains('.'));
        let foreign =
            names.filter(|name| !imported.contains(name) && !self.types.has_type(own, name));
        foreign.flat_map(|name| self.named(package, name)).collect()
    }

    /// The files that declare the start of a qualified name.
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

    /// The file that declares a member type named through a subtype: `Tester.Order`.
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

    /// The files of a package that declare an unqualified name: the nearest that declares a type,
    /// else, in Kotlin, all that declare a function or a property, since each may be an overload.
    fn named(&self, package: &str, name: &str) -> Vec<&'a str> {
        let nearest = self.types.nearest(self.path, package, name);
        if let Some(file) = nearest.filter(|file| !is_test_of_main(file, self.path)) {
            return vec![file];
        }
        if is_kotlin(self.path) { self.callables(package, name) } else { Vec::new() }
    }

    /// The first files that declare a function or a property. Records when there are more.
    fn callables(&self, package: &str, name: &str) -> Vec<&'a str> {
        let (files, is_cut) = first_definers(self.types.callables(package, name));
        self.is_cut.set(self.is_cut.get() || is_cut);
        files
    }
}

/// Whether `file` is test code that `path`, being main code, cannot see.
fn is_test_of_main(file: &str, path: &str) -> bool {
    file.contains("/src/test/") && path.contains("/src/main/")
}

/// Whether a name looks like a type. Constants have no lowercase letters.
fn is_type_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_uppercase())
        && name.contains(|letter: char| letter.is_lowercase())
}

/// The simple names of the single-type imports.
fn singles(facts: &Facts) -> BTreeSet<&str> {
    let single = facts.imports.iter().filter(|import| import.form.0 == form::SINGLE);
    single.filter_map(own_name).collect()
}

/// The local name of an import.
fn own_name(import: &Import) -> Option<&str> {
    import.alias.as_deref().or_else(|| import.specifier.rsplit('.').next())
}

/// The target for a type of the platform or of a library, by its package.
fn external_target(import: &Import, is_kotlin: bool) -> ImportTarget {
    let name = &*import.specifier;
    if let Some(package) = builtin_package(name) {
        return ImportTarget::Module(format!("java:{package}").into(), NodeKind::Builtin);
    }
    let is_package = |part: &&str| !part.starts_with(|letter: char| letter.is_uppercase());
    let mut package: Vec<&str> = name.split('.').take_while(is_package).collect();
    let is_callable = import.form.0 == form::SINGLE && package.len() == name.split('.').count();
    if is_kotlin && is_callable && package.len() > 1 {
        package.pop();
    }
    if is_kotlin && package.first() == Some(&"kotlin") {
        let id = format!("kotlin:{}", package.join("."));
        return ImportTarget::Module(id.into(), NodeKind::Builtin);
    }
    let id = if package.is_empty() { name.to_owned() } else { package.join(".") };
    ImportTarget::Module(id.into(), NodeKind::Missing)
}
