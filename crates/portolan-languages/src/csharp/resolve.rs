//! Resolves names of C# to the files that define the types.
//!
//! As with Java, a type belongs to the namespace that its file declares. `using A` leads to the types
//! of `A` that the file uses. If several files define a type, those of the same project count, else of
//! the nearest. Of a partial type the file counts that is named after it, else every part.

use std::collections::BTreeSet;

use portolan_types::{EdgeKind, Facts, Import, NodeKind};
use rustc_hash::FxHashMap;

use super::syntax::{ALIAS, GLOBAL, NAMESPACE, NESTED_MARK, STATIC};
use crate::resolve::files::{ancestors, distance, folder_of};
use crate::resolve::resolvers::LazyResolver;
use crate::{Ecosystem, ImportTarget, Importer, Need, Resolve, ResolveContext, has_extension};

/// The packages of .NET.
#[derive(Clone, Copy, Debug)]
pub struct NuGet;

impl Ecosystem for NuGet {
    fn name(&self) -> &'static str {
        "nuget"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["csharp"]
    }

    fn is_manifest(&self, name: &str) -> bool {
        has_extension(name, &["csproj"])
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn resolves_to_definers(&self) -> bool {
        true
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(LazyResolver::new(ctx, CSharpResolver::new))
    }
}

struct CSharpResolver<'a> {
    /// The files that define a type, by its full name. Types in other types are among them.
    types: FxHashMap<&'a str, Vec<&'a str>>,
    /// Every namespace, also those around others.
    namespaces: BTreeSet<&'a str>,
    /// The folders with a project.
    projects: BTreeSet<&'a str>,
    /// The namespaces that all files of a project use, by its folder.
    global: FxHashMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> CSharpResolver<'a> {
    fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let paths = || ctx.sources().paths();
        let projects = paths().filter(|path| has_extension(path, &["csproj"]));
        let mut resolver = Self {
            types: FxHashMap::default(),
            namespaces: BTreeSet::new(),
            projects: projects.map(folder_of).collect(),
            global: FxHashMap::default(),
        };
        for path in paths().filter(|path| has_extension(path, &["cs", "csx"])) {
            let Some(facts) = ctx.sources().facts(path) else { continue };
            for definition in &facts.definitions {
                let known = resolver.types.entry(&definition.name).or_default();
                if known.last() != Some(&path) {
                    known.push(path);
                }
                if definition.mark != NESTED_MARK
                    && let Some((namespace, _)) = definition.name.rsplit_once('.')
                {
                    resolver.namespaces.extend(prefixes(namespace));
                }
            }
            for import in facts.imports.iter().filter(|import| import.form == GLOBAL) {
                let project = resolver.project_of(path);
                resolver.global.entry(project).or_default().insert(&import.specifier);
            }
        }
        resolver
    }

    /// The folder of the project that a file belongs to; empty for none.
    fn project_of<'p>(&self, path: &'p str) -> &'p str {
        let mut folders = ancestors(folder_of(path));
        folders.find(|folder| self.projects.contains(folder)).unwrap_or_default()
    }
}

/// A dotted name and the names around it, outermost first.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.match_indices('.').map(|(end, _)| end);
    ends.chain([name.len()]).filter_map(move |end| name.get(..end))
}

impl Resolve for CSharpResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(CSharpImporter { resolver: self, path })
    }
}

struct CSharpImporter<'i, 'a> {
    resolver: &'i CSharpResolver<'a>,
    /// Absolute.
    path: &'i str,
}

impl Importer for CSharpImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        let name = &*import.specifier;
        let resolver = self.resolver;
        let files = match import.form {
            STATIC | ALIAS => self.longest(name),
            _ => BTreeSet::new(),
        };
        let files = if files.is_empty() && resolver.namespaces.contains(name) {
            if import.form == NAMESPACE { self.used_of(facts, name) } else { BTreeSet::new() }
        } else {
            files
        };
        let is_known = !files.is_empty() || self.is_namespace(facts, name);
        found.extend(files.into_iter().map(|file| ImportTarget::File(file.into())));
        if !is_known {
            found.push(external(name));
        }
    }

    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let (mut written, mut implicit) = (BTreeSet::new(), BTreeSet::new());
        let own = own_namespaces(facts);
        let global = self.resolver.global.get(self.resolver.project_of(self.path));
        for used in &facts.uses {
            let name = &*used.name;
            if name.contains('.') {
                match self.nested(&own, name) {
                    Some(files) => implicit.extend(files),
                    None => written.extend(self.qualified(facts, &own, name)),
                }
            } else if let Some(files) = self.in_own(&own, name) {
                implicit.extend(files);
            } else {
                let used = global.into_iter().flatten().map(|it| self.in_namespace(it, name));
                implicit.extend(used.flatten());
            }
        }
        written.remove(self.path);
        implicit.remove(self.path);
        implicit.retain(|file| !written.contains(file));
        for (files, is_written) in [(written, true), (implicit, false)] {
            found.extend(files.into_iter().map(|file| Need {
                target: ImportTarget::File(file.into()),
                kind: EdgeKind::Runtime,
                is_written,
            }));
        }
    }
}

/// The namespaces of a file with those around them, innermost first; at last the one without a name.
fn own_namespaces(facts: &Facts) -> Vec<&str> {
    let of_types = facts.definitions.iter().filter(|it| it.mark != NESTED_MARK);
    let of_types = of_types.filter_map(|it| Some(it.name.rsplit_once('.')?.0));
    let all: BTreeSet<&str> = of_types.chain(facts.package.as_deref()).flat_map(prefixes).collect();
    let mut all: Vec<&str> = all.into_iter().collect();
    all.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
    all.push("");
    all
}

impl<'a> CSharpImporter<'_, 'a> {
    /// The files of a type, by its full name.
    fn files(&self, name: &str) -> BTreeSet<&'a str> {
        let files = self.parts(name);
        let own = name.rsplit('.').next().unwrap_or(name);
        let is_named = |file: &&&str| {
            let stem = file.rsplit('/').next().and_then(|it| it.strip_suffix(".cs"));
            stem == Some(own)
        };
        match files.iter().find(is_named) {
            Some(named) if files.len() > 1 && !files.contains(self.path) => {
                BTreeSet::from([*named])
            }
            _ => files,
        }
    }

    /// The files that a type has parts in.
    fn parts(&self, name: &str) -> BTreeSet<&'a str> {
        let files = self.resolver.types.get(name).map(Vec::as_slice).unwrap_or_default();
        let project = |file: &str| self.resolver.project_of(file).to_owned();
        let own = project(self.path);
        let same: BTreeSet<&str> =
            files.iter().copied().filter(|file| project(file) == own).collect();
        if !same.is_empty() {
            return same;
        }
        let nearest = files.iter().copied().min_by_key(|file| distance(file, self.path));
        let nearest = nearest.map(project);
        files.iter().copied().filter(|file| Some(project(file)) == nearest).collect()
    }

    fn in_namespace(&self, namespace: &str, name: &str) -> BTreeSet<&'a str> {
        if namespace.is_empty() {
            return self.files(name);
        }
        self.files(&[namespace, ".", name].concat())
    }

    /// The files of a type that the namespaces of the file have.
    fn in_own(&self, own: &[&str], name: &str) -> Option<BTreeSet<&'a str>> {
        let mut found = own.iter().map(|namespace| self.in_namespace(namespace, name));
        found.find(|files| !files.is_empty())
    }

    /// The files of the types of a namespace that a file uses by their names, or by names of types in
    /// them.
    fn used_of(&self, facts: &Facts, namespace: &str) -> BTreeSet<&'a str> {
        let own = own_namespaces(facts);
        let mut files = BTreeSet::new();
        for used in &facts.uses {
            let first = used.name.split('.').next().unwrap_or(&used.name);
            let is_here = !self.in_namespace(namespace, first).is_empty();
            if is_here && self.in_own(&own, first).is_none() {
                files.extend(self.longest(&[namespace, ".", &used.name].concat()));
            }
        }
        files.remove(self.path);
        files
    }

    /// The files of the type that a dotted name begins with, where its first part is a type that the
    /// namespaces of the file have.
    fn nested(&self, own: &[&str], name: &str) -> Option<BTreeSet<&'a str>> {
        let first = name.split('.').next().unwrap_or(name);
        let mut around = own.iter().filter(|it| !self.in_namespace(it, first).is_empty());
        Some(match *around.next()? {
            "" => self.longest(name),
            namespace => self.longest(&[namespace, ".", name].concat()),
        })
    }

    /// The files of a type that a dotted name begins with, unless its first part is a type by itself.
    fn qualified(&self, facts: &Facts, own: &[&str], name: &str) -> BTreeSet<&'a str> {
        let first = name.split('.').next().unwrap_or(name);
        let mut imported = facts.imports.iter().filter(|import| import.form == NAMESPACE);
        let is_imported = |import: &Import| !self.in_namespace(&import.specifier, first).is_empty();
        if imported.any(is_imported) {
            return BTreeSet::new();
        }
        let alias = facts.imports.iter().find(|it| it.alias.as_deref() == Some(first));
        if let Some(alias) = alias {
            let rest = name.get(first.len()..).unwrap_or_default();
            return self.longest(&[&*alias.specifier, rest].concat());
        }
        let mut found = own.iter().map(|namespace| match *namespace {
            "" => self.longest(name),
            namespace => self.longest_below(namespace, name),
        });
        found.find(|files| !files.is_empty()).unwrap_or_default()
    }

    /// The files of the longest beginning of a full name that is a type.
    fn longest(&self, name: &str) -> BTreeSet<&'a str> {
        let names: Vec<&str> = prefixes(name).collect();
        let mut found = names.iter().rev().map(|name| self.files(name));
        found.find(|files| !files.is_empty()).unwrap_or_default()
    }

    /// The same, for a name that begins with a namespace in another.
    fn longest_below(&self, namespace: &str, name: &str) -> BTreeSet<&'a str> {
        let first = name.split('.').next().unwrap_or(name);
        let inner = [namespace, ".", first].concat();
        if !self.resolver.namespaces.contains(inner.as_str()) {
            return BTreeSet::new();
        }
        self.longest(&[namespace, ".", name].concat())
    }

    /// Whether a name is a namespace of the repository, in full or as seen from the file.
    fn is_namespace(&self, facts: &Facts, name: &str) -> bool {
        let namespaces = &self.resolver.namespaces;
        let is_inner = |own: &str| namespaces.contains([own, ".", name].concat().as_str());
        namespaces.contains(name) || own_namespaces(facts).into_iter().any(is_inner)
    }
}

/// What the repository does not define: of the platform, or of a package.
fn external(name: &str) -> ImportTarget {
    let first = name.split('.').next().unwrap_or(name);
    if first == "System" || matches!(name, "Microsoft.CSharp" | "Microsoft.Win32") {
        return ImportTarget::Module(["dotnet:", name].concat().into(), NodeKind::Builtin);
    }
    ImportTarget::Module(name.to_owned().into(), NodeKind::Missing)
}
