//! The module tree: the modules of all crates, and which file or part of a file each of them is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError, RwLock};

use portolan_types::{Definition, Facts, Import, cmp_utf16};
use rustc_hash::FxHashMap;

use super::lookup::{ModuleView, NameResolution, Want};
use super::manifest::{CargoPackage, packages};
use super::registry::{ExternalCrate, Registry};
use super::{form, mark};
use crate::{ResolveContext, folder_of, has_extension, join};

/// A crate: one target of a package.
pub(super) struct Crate {
    /// The root module.
    pub(super) root: u32,
    pub(super) is_2015: bool,
    /// The root modules of the crates in this repository that it can name.
    pub(super) locals: BTreeMap<String, u32>,
    /// The crates of other projects that it can name.
    pub(super) foreign: BTreeMap<String, ExternalCrate>,
}

/// A module of a crate.
pub(super) struct ModuleNode<'a> {
    /// The file, absolute.
    pub(super) file: &'a str,
    pub(super) facts: &'a Facts,
    /// The scope within the file; 0 for the whole file.
    pub(super) scope: u32,
    pub(super) parent: Option<u32>,
    pub(super) owner: u32,
    /// Whether submodules live in the file's own folder, instead of a folder named after the file.
    owns_folder: bool,
    /// Submodules, and whether each is public.
    pub(super) children: BTreeMap<&'a str, Vec<(u32, bool)>>,
    /// Named imports and glob imports.
    pub(super) aliases: BTreeMap<&'a str, Vec<&'a Import>>,
    pub(super) globs: Vec<&'a Import>,
    /// The `#[macro_use]` submodules. A list is enough: there are few, and every macro call reads
    /// it.
    pub(super) macro_uses: Vec<&'a str>,
    /// Whether no known target declares it.
    pub(super) is_undeclared: bool,
}

/// Cached lookups of one module. The four slots are for: any name or a module, from inside or
/// outside.
type NameCache<'a> = RwLock<FxHashMap<Box<str>, [Option<Arc<NameResolution<'a>>>; 4]>>;

/// The modules of a repository.
pub(super) struct ModuleTree<'a> {
    pub(super) ctx: &'a ResolveContext<'a>,
    pub(super) nodes: Vec<ModuleNode<'a>>,
    pub(super) crates: Vec<Crate>,
    pub(super) by_file: FxHashMap<&'a str, Vec<u32>>,
    /// The exported macros of each crate.
    pub(super) exported: Vec<BTreeMap<&'a str, BTreeSet<&'a str>>>,
    /// The cache of each module.
    caches: Vec<NameCache<'a>>,
    /// The modules that have a name themselves, in order. Most lookups fail, and this ends them
    /// early.
    pub(super) modules_by_name: FxHashMap<&'a str, Vec<u32>>,
    /// The glob imports of each module, and whether each is public.
    pub(super) glob_imports: Vec<Vec<(u32, bool)>>,
    /// How many modules glob-import each module.
    pub(super) n_glob_importers: Vec<u32>,
    /// Modules that no `mod` declares, by the module they seem to belong to.
    pub(super) undeclared: FxHashMap<u32, BTreeMap<&'a str, Vec<u32>>>,
    #[cfg(test)]
    pub(super) steps: std::sync::atomic::AtomicUsize,
}

/// The largest number of modules. One file may belong to many crates, so the number is not bounded
/// by the files.
pub(super) const MAX_MODULES: usize = 1 << 20;

impl<'a> ModuleTree<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let mut tree = Self {
            ctx,
            nodes: Vec::new(),
            crates: Vec::new(),
            by_file: FxHashMap::default(),
            exported: Vec::new(),
            caches: Vec::new(),
            modules_by_name: FxHashMap::default(),
            glob_imports: Vec::new(),
            n_glob_importers: Vec::new(),
            undeclared: FxHashMap::default(),
            #[cfg(test)]
            steps: std::sync::atomic::AtomicUsize::default(),
        };
        let sources: FxHashMap<&str, &str> = ctx
            .sources()
            .paths()
            .filter(|path| has_extension(path, &["rs"]))
            .map(|path| (path, path))
            .collect();
        let packages = packages(ctx);
        let mut owners: Vec<Vec<u32>> = Vec::new();
        for package in &packages {
            let roots = package.roots.iter().filter_map(|root| sources.get(root.as_str()).copied());
            owners.push(roots.filter_map(|root| tree.add_crate(package, root, &sources)).collect());
        }
        let undeclared = tree.add_undeclared(&packages, &sources);
        tree.connect(&packages, &owners, &undeclared);
        tree.export_macros();
        tree.clear_cache();
        tree.index_names();
        tree.resolve_globs();
        tree
    }

    /// Clears all cached lookups.
    pub(super) fn clear_cache(&mut self) {
        self.caches.clear();
        self.caches.resize_with(self.nodes.len(), RwLock::default);
    }

    /// The cached result of a lookup.
    pub(super) fn cached(
        &self,
        (at, is_inside): ModuleView,
        name: &str,
        want: Want,
    ) -> Option<Arc<NameResolution<'a>>> {
        let names = self.caches[at as usize].read().unwrap_or_else(PoisonError::into_inner);
        names.get(name)?.get(slot(is_inside, want))?.clone()
    }

    /// Caches a result. The first one wins.
    pub(super) fn cache(
        &self,
        (at, is_inside): ModuleView,
        name: &str,
        want: Want,
        found: &Arc<NameResolution<'a>>,
    ) {
        let mut names = self.caches[at as usize].write().unwrap_or_else(PoisonError::into_inner);
        let slots = names.entry(name.into()).or_default();
        if let Some(slot) = slots.get_mut(slot(is_inside, want)) {
            slot.get_or_insert_with(|| Arc::clone(found));
        }
    }

    pub(super) fn add_crate(
        &mut self,
        package: &CargoPackage,
        root: &'a str,
        sources: &FxHashMap<&'a str, &'a str>,
    ) -> Option<u32> {
        let owner = self.crates.len() as u32;
        let facts = self.ctx.sources().facts(root)?;
        let first = self.add_file(root, facts, None, owner, true);
        self.crates.push(Crate {
            root: first,
            is_2015: package.is_2015,
            locals: BTreeMap::new(),
            foreign: BTreeMap::new(),
        });
        self.add_modules(first, sources);
        Some(owner)
    }

    /// Adds the modules that a file declares, recursively.
    pub(super) fn add_modules(&mut self, first: u32, sources: &FxHashMap<&'a str, &'a str>) {
        let (root, owner) = (self.file(first), self.node(first).owner);
        let mut seen: FxHashMap<&str, u32> = FxHashMap::from_iter([(root, first)]);
        let mut queue = VecDeque::from([first]);
        while let Some(node) = queue.pop_front() {
            for module in self.declared(node) {
                let parent = self.inner(node, module.import.scope.0);
                for file in self.module_files(node, &module) {
                    let Some(file) = sources.get(file.as_str()).copied() else { continue };
                    let child = match seen.get(file) {
                        Some(child) => *child,
                        None if self.nodes.len() > MAX_MODULES => continue,
                        None => {
                            let Some(facts) = self.ctx.sources().facts(file) else { continue };
                            let owns = module.has_path || file.ends_with("/mod.rs");
                            let child = self.add_file(file, facts, Some(parent), owner, owns);
                            seen.insert(file, child);
                            queue.push_back(child);
                            child
                        }
                    };
                    let children = &mut self.nodes[parent as usize].children;
                    children.entry(module.name).or_default().push((child, module.is_pub));
                }
            }
        }
    }

    /// Adds a file as a module, with its inline modules.
    pub(super) fn add_file(
        &mut self,
        file: &'a str,
        facts: &'a Facts,
        parent: Option<u32>,
        owner: u32,
        owns_folder: bool,
    ) -> u32 {
        let first = self.nodes.len() as u32;
        for scope in 0..=facts.scopes.len() as u32 {
            self.nodes.push(ModuleNode {
                file,
                facts,
                scope,
                parent: if scope == 0 { parent } else { Some(first) },
                owner,
                owns_folder,
                children: BTreeMap::new(),
                aliases: BTreeMap::new(),
                globs: Vec::new(),
                macro_uses: Vec::new(),
                is_undeclared: false,
            });
        }
        self.by_file.entry(file).or_default().push(first);
        let scopes: FxHashMap<&str, u32> =
            facts.scopes.iter().map(|path| &**path).zip(1u32..).collect();
        for (scope, path) in (1u32..).zip(&facts.scopes) {
            let (outer, name) = path.rsplit_once("::").unwrap_or(("", path));
            let parent = first + scopes.get(outer).copied().unwrap_or(0);
            let parent_scope = parent - first;
            let is_pub = definitions_of(facts, name)
                .any(|one| one.scope.0 == parent_scope && one.mark.0 == mark::PUB_MODULE);
            self.nodes[(first + scope) as usize].parent = Some(parent);
            let children = &mut self.nodes[parent as usize].children;
            children.entry(name).or_default().push((first + scope, is_pub));
        }
        for import in &facts.imports {
            let Some(node) = self.nodes.get_mut((first + import.scope.0) as usize) else {
                continue;
            };
            match (import.form.0, import.alias.as_deref()) {
                (form::USE | form::PUB_USE | form::CRATE, Some(alias)) => {
                    node.aliases.entry(alias).or_default().push(import);
                }
                (form::GLOB | form::PUB_GLOB, _) => node.globs.push(import),
                _ => {}
            }
        }
        for used in facts.uses.iter().filter(|used| used.mark.0 == mark::MACRO_USE) {
            if let Some(node) = self.nodes.get_mut((first + used.scope.0) as usize) {
                node.macro_uses.push(&used.name);
            }
        }
        first
    }

    /// The `mod x;` declarations of a file.
    fn declared(&self, node: u32) -> Vec<ModDeclaration<'a>> {
        let facts = self.nodes[node as usize].facts;
        let modules = facts.imports.iter().filter(|import| import.form.0 <= form::PUB_MOD_PATH);
        modules
            .filter_map(|import| {
                let has_path = matches!(import.form.0, form::MOD_PATH | form::PUB_MOD_PATH);
                let is_pub = matches!(import.form.0, form::PUB_MOD | form::PUB_MOD_PATH);
                Some(ModDeclaration { import, name: import.alias.as_deref()?, has_path, is_pub })
            })
            .collect()
    }

    /// The module for a scope in a node's file.
    fn inner(&self, node: u32, scope: u32) -> u32 {
        let first = node - self.nodes[node as usize].scope;
        (first + scope).min(self.nodes.len() as u32 - 1)
    }

    /// The paths that a declared module's file may have.
    fn module_files(&self, node: u32, module: &ModDeclaration<'_>) -> Vec<String> {
        let ModuleNode { file, facts, owns_folder, .. } = &self.nodes[node as usize];
        let folder = folder_of(file);
        let mut base = folder.to_owned();
        if !owns_folder {
            let stem = file.rsplit('/').next().and_then(|name| name.strip_suffix(".rs"));
            base = join(&base, stem.unwrap_or_default());
        }
        let scope = module.import.scope.0;
        let inline = (scope > 0).then(|| facts.scopes.get(scope as usize - 1)).flatten();
        if let Some(path) = inline {
            base = join(&base, &path.replace("::", "/"));
        }
        if module.has_path {
            let from = if inline.is_some() { &base } else { folder };
            return vec![join(from, &module.import.specifier)];
        }
        let name = module.name;
        vec![format!("{base}/{name}.rs"), format!("{base}/{name}/mod.rs")]
    }

    /// Sets for each crate which other crates it can name.
    fn connect(&mut self, packages: &[CargoPackage], owners: &[Vec<u32>], undeclared: &[Vec<u32>]) {
        let library = |at: usize| {
            let root = owners.get(at).and_then(|owners| owners.first());
            packages.get(at).filter(|package| package.has_library).and(root).copied()
        };
        let registry = Registry::new(self.ctx);
        for ((package, targets), undeclared) in packages.iter().zip(owners).zip(undeclared) {
            let mut locals = BTreeMap::new();
            let mut foreign = BTreeMap::new();
            for dependency in &package.dependencies {
                let is_it = |other: &CargoPackage| {
                    other.name == dependency.package
                        && dependency.folder.as_ref().is_none_or(|folder| *folder == other.folder)
                };
                let found = packages.iter().position(is_it).and_then(|at| Some((at, library(at)?)));
                if let Some((at, owner)) = found {
                    // A dependency that is not renamed goes by the name of its library.
                    let is_renamed = dependency.name != dependency.package.replace('-', "_");
                    let name = if is_renamed { &dependency.name } else { &packages[at].library };
                    locals.insert(name.clone(), self.crates[owner as usize].root);
                } else {
                    let library = registry.library(package, dependency);
                    let package = dependency.package.as_str().into();
                    foreign.insert(dependency.name.clone(), ExternalCrate { package, library });
                }
            }
            let own =
                packages.iter().position(|other| other.folder == package.folder).and_then(library);
            for owner in targets.iter().chain(undeclared) {
                let mut locals = locals.clone();
                if let Some(own) = own.filter(|own| own != owner) {
                    locals.insert(package.library.clone(), self.crates[own as usize].root);
                }
                self.crates[*owner as usize].locals = locals;
                self.crates[*owner as usize].foreign.clone_from(&foreign);
            }
        }
    }

    fn export_macros(&mut self) {
        self.exported = self.crates.iter().map(|_| BTreeMap::new()).collect();
        for node in self.nodes.iter().filter(|node| node.scope == 0) {
            let macros =
                node.facts.definitions.iter().filter(|one| one.mark.0 == mark::EXPORTED_MACRO);
            for one in macros {
                let exported = &mut self.exported[node.owner as usize];
                exported.entry(&*one.name).or_default().insert(node.file);
            }
        }
    }

    /// The modules for a scope of a file, one for each crate that contains the file.
    pub(super) fn nodes_of(&self, file: &str, scope: u32) -> impl Iterator<Item = u32> {
        let first = self.by_file.get(file).map(Vec::as_slice).unwrap_or_default();
        first
            .iter()
            .map(move |first| first + scope)
            .filter(|node| (*node as usize) < self.nodes.len())
    }

    pub(super) fn node(&self, node: u32) -> &ModuleNode<'a> {
        &self.nodes[node as usize]
    }

    pub(super) fn file(&self, node: u32) -> &'a str {
        self.nodes[node as usize].file
    }

    pub(super) fn owner(&self, node: u32) -> &Crate {
        &self.crates[self.nodes[node as usize].owner as usize]
    }

    /// The files of the submodules with a name.
    pub(super) fn child_files(&self, node: u32, name: &str) -> BTreeSet<&'a str> {
        let own = self.file(node);
        let children = self.node(node).children.get(name).map(Vec::as_slice).unwrap_or_default();
        children.iter().map(|(child, _)| self.file(*child)).filter(|file| *file != own).collect()
    }

    /// Whether a module is `outer` or inside it.
    pub(super) fn is_inside(&self, mut node: u32, outer: u32) -> bool {
        loop {
            if node == outer {
                return true;
            }
            match self.node(node).parent {
                Some(parent) => node = parent,
                None => return false,
            }
        }
    }
}

/// The cache slot of a lookup.
fn slot(is_inside: bool, want: Want) -> usize {
    2 * usize::from(want == Want::Module) + usize::from(is_inside)
}

/// The definitions of a name in a file, in any of its scopes.
pub(super) fn definitions_of<'f>(
    facts: &'f Facts,
    name: &'f str,
) -> impl Iterator<Item = &'f Definition> {
    let definitions = &facts.definitions;
    let start = definitions.partition_point(|own| cmp_utf16(&own.name, name).is_lt());
    let rest = definitions.get(start..).unwrap_or_default();
    rest.iter().take_while(move |own| *own.name == *name)
}

/// A declaration `mod x;`.
struct ModDeclaration<'a> {
    import: &'a Import,
    name: &'a str,
    has_path: bool,
    is_pub: bool,
}
