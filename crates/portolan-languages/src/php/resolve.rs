//! Resolves names of PHP to the files that define them, and included files.
//!
//! A class belongs to the namespace that its file declares. If several files define it, the one
//! counts that Composer would load (PSR-4), else the nearest.

mod psr4;
mod standard;

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_types::{EdgeKind, Facts, ImportForm, NodeKind};
use rustc_hash::FxHashMap;

use self::psr4::AutoloadPaths;
use self::standard::is_standard_class;
use super::syntax::{
    BESIDE, CLASS, CONSTANT, FUNCTION, FUNCTION_MARK, INCLUDED, QUALIFIED_MARK, TYPE_MARK,
};
use crate::resolve::files::{distance, folder_of, join};
use crate::resolve::resolvers::LazyResolver;
use crate::{Ecosystem, ImportTarget, Importer, Need, Resolve, ResolveContext, has_extension};

/// The packages of Composer.
#[derive(Clone, Copy, Debug)]
pub struct Composer;

impl Ecosystem for Composer {
    fn name(&self) -> &'static str {
        "composer"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["php"]
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "composer.json"
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn resolves_to_definers(&self) -> bool {
        true
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(LazyResolver::new(ctx, |ctx| PhpResolver {
            ctx,
            names: NameIndex::new(ctx),
            autoload: AutoloadPaths::new(ctx),
        }))
    }
}

/// The definitions of a repository, by name in lower case.
#[derive(Default)]
struct NameIndex<'a> {
    types: FxHashMap<String, Vec<&'a str>>,
    functions: FxHashMap<String, Vec<&'a str>>,
    namespaces: BTreeSet<String>,
}

impl<'a> NameIndex<'a> {
    fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let mut index = Self::default();
        for path in ctx.sources().paths().filter(|path| has_extension(path, &["php", "phtml"])) {
            let Some(facts) = ctx.sources().facts(path) else { continue };
            for definition in &facts.definitions {
                let name = definition.name.to_ascii_lowercase();
                if let Some((namespace, _)) = name.rsplit_once('\\')
                    && !index.namespaces.contains(namespace)
                {
                    let ends = namespace.match_indices('\\').map(|(end, _)| end);
                    let outer = ends.filter_map(|end| namespace.get(..end)).chain([namespace]);
                    index.namespaces.extend(outer.map(str::to_owned));
                }
                let by_name = match definition.mark {
                    FUNCTION_MARK => &mut index.functions,
                    _ => &mut index.types,
                };
                by_name.entry(name).or_default().push(path);
            }
        }
        index
    }
}

struct PhpResolver<'a> {
    ctx: &'a ResolveContext<'a>,
    names: NameIndex<'a>,
    autoload: AutoloadPaths,
}

impl Resolve for PhpResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(PhpImporter { resolver: self, path })
    }
}

struct PhpImporter<'i, 'a> {
    resolver: &'i PhpResolver<'a>,
    /// Absolute.
    path: &'i str,
}

impl Importer for PhpImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        let name = &*import.specifier;
        let file = match import.form {
            BESIDE | INCLUDED => self.included(name, import.form).map(Arc::from),
            FUNCTION => self.function(name).map(Arc::from),
            CONSTANT => None,
            _ => self.class(name).map(Arc::from),
        };
        if let Some(file) = file {
            if *file != *self.path {
                found.push(ImportTarget::File(file));
            }
        } else if import.form == CLASS {
            found.extend(self.external(name));
        }
    }

    fn needs(&self, facts: &Facts, found: &mut Vec<Need>) {
        let (mut written, mut implicit) = (BTreeSet::new(), BTreeSet::new());
        for used in &facts.uses {
            let name = &*used.name;
            match used.mark {
                TYPE_MARK => implicit.extend(self.class(name)),
                QUALIFIED_MARK => written.extend(self.class(name)),
                _ => implicit.extend(self.function(name)),
            }
        }
        implicit.retain(|file| !written.contains(file));
        for (files, is_written) in [(written, true), (implicit, false)] {
            let others = files.into_iter().filter(|file| *file != self.path);
            found.extend(others.map(|file| Need {
                target: ImportTarget::File(file.into()),
                kind: EdgeKind::Runtime,
                is_written,
            }));
        }
    }
}

impl<'a> PhpImporter<'_, 'a> {
    /// The file that defines a class.
    fn class(&self, name: &str) -> Option<&'a str> {
        let files = self.resolver.names.types.get(&name.to_ascii_lowercase())?;
        self.choose(name, files)
    }

    /// The file that defines a function. A name of the namespace may be one of all.
    fn function(&self, name: &str) -> Option<&'a str> {
        let functions = &self.resolver.names.functions;
        let last = name.rsplit('\\').next().unwrap_or(name);
        let files = functions.get(&name.to_ascii_lowercase());
        let files = files.or_else(|| functions.get(&last.to_ascii_lowercase()))?;
        self.choose(name, files)
    }

    /// The file that counts among those that define a name.
    fn choose(&self, name: &str, files: &[&'a str]) -> Option<&'a str> {
        if let [only] = files {
            return Some(only);
        }
        if let Some(own) = files.iter().find(|file| **file == self.path) {
            return Some(own);
        }
        let autoload = &self.resolver.autoload;
        let mut loaded = files.iter().filter(|file| autoload.loads(name, file));
        match (loaded.next(), loaded.next()) {
            (Some(one), None) => Some(one),
            _ => files.iter().copied().min_by_key(|file| distance(file, self.path)),
        }
    }

    fn included(&self, name: &str, form: ImportForm) -> Option<String> {
        let ctx = self.resolver.ctx;
        let root = ctx.files().root();
        let folders = [folder_of(self.path), root];
        let folders = folders.iter().take(if form == BESIDE { 1 } else { 2 });
        let mut paths = folders.map(|folder| join(folder, name));
        paths.find(|path| ctx.is_source(path) && path != self.path)
    }

    /// What a name is that no file defines: of the platform, or of a package.
    fn external(&self, name: &str) -> Option<ImportTarget> {
        if self.resolver.names.namespaces.contains(&name.to_ascii_lowercase()) {
            return None;
        }
        let (id, kind) = match name.rsplit_once('\\') {
            None if is_standard_class(name) => (["php:", name].concat(), NodeKind::Builtin),
            None => (name.to_owned(), NodeKind::Missing),
            Some((namespace, _)) => (namespace.to_owned(), NodeKind::Missing),
        };
        Some(ImportTarget::Module(id.into(), kind))
    }
}
