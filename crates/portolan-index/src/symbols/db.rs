//! The declarations of a map, read on demand.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use portolan_languages::{
    Ecosystems, ImportTarget, Languages, ResolveContext, Resolvers, Sources, is_declaring_program,
};
use portolan_symbols::resolver::{Place, SymbolSource};
use portolan_symbols::text::LineStarts as Lines;
use portolan_types::declarations::{Builtins, Declarations};
use portolan_types::{EdgeKind, Facts, FileId, Import, ImportForm, NodeKind, ScopeId, cmp_utf16};
use portolan_vfs::System;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::globals::Globals;
use super::links::Links;
use super::reader::{CodeReader, Loaded, parsed};
use super::store::DeclarationStore;
use crate::map::{MapError, MapReport, ResolvedImport, UniverseFile};
use crate::pool;
use portolan_workspace::config::Loaded as Config;
use portolan_workspace::path_input::PathInput;

/// The files that the specifiers of a file mean.
type Answers = FxHashMap<Box<str>, Option<FileId>>;

/// What the language of a file knows, and whether the file is a named module.
type LanguageInfo = (&'static dyn Builtins, bool);

/// The declarations of a repository.
pub struct SymbolDb<'a> {
    map: &'a MapReport,
    root: &'a str,
    /// How targets are written.
    path_input: PathInput,
    ctx: &'a ResolveContext<'a>,
    /// Opened only for imports that the map does not know: it reads every manifest.
    resolvers: OnceCell<Resolvers<'a>>,
    reader: CodeReader<'a>,
    /// Files outside the universe; their numbers follow those of the universe.
    others: RefCell<Vec<Arc<str>>>,
    numbers: RefCell<FxHashMap<Arc<str>, FileId>>,
    facts: RefCell<FxHashMap<FileId, Option<Arc<Declarations>>>>,
    loaded: RefCell<FxHashMap<FileId, Option<Arc<Loaded>>>>,
    /// Texts that are not code.
    plain: RefCell<FxHashMap<FileId, Option<Arc<Loaded>>>>,
    pub(super) globals: Globals,
    packages: OnceCell<BTreeSet<String>>,
    /// By file, and whether it is a `require`.
    answers: RefCell<FxHashMap<(FileId, bool), Answers>>,
    /// Needed for nearly every name.
    language_infos: RefCell<FxHashMap<FileId, LanguageInfo>>,
    /// The resolved imports of a file, from the map.
    resolved_imports: RefCell<FxHashMap<FileId, Option<Rc<[ResolvedImport]>>>>,
    links: OnceCell<Links>,
    extensions: RefCell<FxHashMap<Place, Vec<Place>>>,
}

/// The universe as resolvers see it.
struct Universe<'a> {
    root: &'a str,
    map: &'a MapReport,
    paths: OnceLock<Vec<String>>,
}

impl Sources for Universe<'_> {
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        let absolute = |file: &UniverseFile| format!("{}/{}", self.root, file.path);
        let paths = self.paths.get_or_init(|| self.map.universe.iter().map(absolute).collect());
        Box::new(paths.iter().map(String::as_str))
    }

    fn contains(&self, path: &str) -> bool {
        below(self.root, path).is_some_and(|path| universe(self.map, path).is_some())
    }

    fn facts(&self, _path: &str) -> Option<&Facts> {
        None
    }

    fn real(&self, path: &str) -> Option<&str> {
        let number = universe(self.map, below(self.root, path)?)?;
        let real = self.map.universe.get(number.index())?.absolute.to_str()?;
        (real != path).then_some(real)
    }
}

/// Opens the declarations of a map that was built with this configuration.
pub fn with_symbols<R: Send>(
    system: &dyn System,
    config: &Config,
    map: &MapReport,
    store: &DeclarationStore,
    work: impl FnOnce(&SymbolDb<'_>) -> R + Send,
) -> Result<R, MapError> {
    let root = config.root.to_str().ok_or_else(|| MapError::RootName(config.root.clone()))?;
    let root = root.trim_end_matches('/');
    let sources = Universe { root, map, paths: OnceLock::new() };
    // Parsing needs a large stack.
    pool::on_threads(0, || {
        let ctx = ResolveContext::new(system, root, std::iter::empty(), &sources);
        let ctx = ctx.with_stores(&config.stores);
        work(&SymbolDb {
            map,
            root,
            path_input: PathInput::here(config),
            ctx: &ctx,
            resolvers: OnceCell::new(),
            reader: CodeReader { system, guard: config.settings.secrets.guard(), store },
            others: RefCell::default(),
            numbers: RefCell::default(),
            facts: RefCell::default(),
            loaded: RefCell::default(),
            plain: RefCell::default(),
            globals: Globals::default(),
            packages: OnceCell::new(),
            answers: RefCell::default(),
            language_infos: RefCell::default(),
            resolved_imports: RefCell::default(),
            links: OnceCell::new(),
            extensions: RefCell::default(),
        })
    })
}

fn below<'p>(root: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'))
}

fn universe(map: &MapReport, path: &str) -> Option<FileId> {
    let found = map.universe.binary_search_by(|file| cmp_utf16(file.path.as_str(), path));
    found.ok().map(FileId::at)
}

impl SymbolDb<'_> {
    /// The map.
    pub fn map(&self) -> &MapReport {
        self.map
    }

    /// How targets are written, and where from.
    pub fn path_input(&self) -> &PathInput {
        &self.path_input
    }

    /// Reads files that the map does not know.
    pub fn reader(&self) -> &CodeReader<'_> {
        &self.reader
    }

    /// The folders of the universe that are packages, each with a slash.
    pub fn packages(&self) -> &BTreeSet<String> {
        self.packages.get_or_init(|| {
            let is_manifest =
                |name: &str| Ecosystems::default().iter().any(|it| it.is_manifest(name));
            let paths = self.map.universe.iter().map(|file| file.path.as_str());
            let split = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or(path);
                let folder = path.get(..path.len() - name.len()).unwrap_or_default();
                is_manifest(name).then(|| folder.to_owned())
            };
            paths.filter_map(split).collect()
        })
    }

    /// Which files use which, by the edges of the map.
    pub fn links(&self) -> &Links {
        self.links.get_or_init(|| Links::of(self))
    }

    /// The number of a file of the universe.
    pub fn number(&self, path: &str) -> Option<FileId> {
        universe(self.map, path)
    }

    /// The path of a file: from the root, or absolute outside it.
    pub fn path(&self, file: FileId) -> String {
        if let Some(known) = self.map.universe.get(file.index()) {
            return known.path.to_string();
        }
        let path = self.absolute(file);
        let path = path.to_string_lossy();
        below(self.root, &path).unwrap_or(&path).to_owned()
    }

    fn absolute(&self, file: FileId) -> PathBuf {
        if let Some(known) = self.map.universe.get(file.index()) {
            return known.absolute.clone();
        }
        let at = file.index() - self.map.universe.len();
        self.others.borrow().get(at).map(|path| PathBuf::from(&**path)).unwrap_or_default()
    }

    /// A file with its text; `None` if it is not code or cannot be read.
    pub fn load(&self, file: FileId) -> Option<Arc<Loaded>> {
        if let Some(known) = self.loaded.borrow().get(&file) {
            return known.clone();
        }
        let absolute = self.absolute(file);
        let listed = self.map.universe.get(file.index());
        // An import may resolve to a hidden file.
        if listed.is_none() && self.map.excluded.hides(self.root, &absolute.to_string_lossy()) {
            self.facts.borrow_mut().insert(file, None);
            self.loaded.borrow_mut().insert(file, None);
            return None;
        }
        let known = listed.zip(self.known_facts(file));
        let loaded =
            known.and_then(|(listed, facts)| self.reader.text_of(&absolute, &listed.sha256, facts));
        let loaded = loaded.or_else(|| self.reader.load(&self.path(file), &absolute)).map(Arc::new);
        // The numbers of declarations must be those of the shown text.
        let facts = loaded.as_ref().map(|loaded| Arc::clone(&loaded.facts));
        self.facts.borrow_mut().insert(file, facts);
        self.loaded.borrow_mut().insert(file, loaded.clone());
        loaded
    }

    /// A file with its text, code or not; `None` if it has no text or is hidden.
    pub fn shown(&self, file: FileId) -> Option<Arc<Loaded>> {
        if let Some(loaded) = self.load(file) {
            return Some(loaded);
        }
        // Only files of the map were checked against `excludes`.
        self.map.universe.get(file.index())?;
        if let Some(known) = self.plain.borrow().get(&file) {
            return known.clone();
        }
        let plain = self.reader.plain(&self.path(file), &self.absolute(file)).map(Arc::new);
        self.plain.borrow_mut().insert(file, plain.clone());
        plain
    }

    /// Adds the known declarations of a file.
    pub fn know(&self, file: FileId, facts: &Arc<Declarations>) {
        self.facts.borrow_mut().insert(file, Some(Arc::clone(facts)));
    }

    /// The declarations of a file, if they are known without reading it.
    pub fn known_facts(&self, file: FileId) -> Option<Arc<Declarations>> {
        if let Some(known) = self.facts.borrow().get(&file) {
            return known.clone();
        }
        let listed = self.map.universe.get(file.index())?;
        let facts = self.reader.stored(&listed.path, &listed.sha256)?.facts;
        self.facts.borrow_mut().insert(file, Some(Arc::clone(&facts)));
        Some(facts)
    }

    /// Reads unknown files, on all threads.
    pub fn prefetch(&self, files: &BTreeSet<FileId>) {
        let is_open = |file: &&FileId| !self.facts.borrow().contains_key(file);
        let open = files.iter().filter(is_open);
        let known = open.filter_map(|file| self.map.universe.get(file.index()));
        let reader = &self.reader;
        known.collect::<Vec<_>>().into_par_iter().for_each(|file| {
            if !reader.is_stored(file.path.as_str(), &file.sha256) {
                // The store keeps the result.
                reader.load(file.path.as_str(), &file.absolute);
            }
        });
    }

    /// The text of a file and its lines.
    pub fn text(&self, file: FileId) -> Option<(String, Lines)> {
        self.load(file).map(|loaded| (loaded.text.clone(), loaded.lines.clone()))
    }

    /// The files that depend on a file.
    pub fn dependents(&self, file: FileId) -> Arc<[FileId]> {
        self.links().users(file)
    }

    /// The declarations of a program, parsed as a file with this path.
    pub fn parsed(path: &str, text: &str) -> Declarations {
        let parsed = is_declaring_program(path).then(|| parsed(path, text)).flatten();
        parsed.unwrap_or_default()
    }

    /// The line where a declaration itself starts.
    pub fn line_of(&self, place: Place) -> Option<u32> {
        let loaded = self.load(place.file)?;
        loaded.facts.item(place.item).map(|item| loaded.lines.of(item.at))
    }

    /// The bytes of a file.
    pub fn bytes(&self, file: FileId) -> Option<Vec<u8>> {
        self.reader.bytes(&self.absolute(file))
    }

    /// The rule by which the guard denies a file.
    pub fn denial(&self, file: FileId) -> Option<&'static str> {
        self.reader.denial(&self.path(file), &self.absolute(file))
    }

    /// The first file that an import resolves to.
    fn lead(&self, importer: &str, specifier: &str, form: ImportForm) -> Option<Arc<str>> {
        let language = Languages::default().of(importer)?.name();
        let import = Import {
            specifier: specifier.into(),
            kind: EdgeKind::Runtime,
            form,
            alias: None,
            scope: ScopeId::default(),
        };
        let facts = Facts { imports: vec![import], ..Facts::default() };
        let mut found = Vec::new();
        let open = || Resolvers::open(self.ctx, Ecosystems::default());
        let resolvers = self.resolvers.get_or_init(open);
        resolvers.importer(language, importer)?.resolve(&facts, 0, &mut found);
        found.into_iter().find_map(|target| match target {
            ImportTarget::File(path) => Some(path),
            ImportTarget::Module(..) => None,
        })
    }

    /// The resolution of an import in the map; `None` if it is unknown.
    fn way(&self, file: FileId, specifier: &str, form: ImportForm) -> Option<ResolvedImport> {
        let known = self.resolved_imports.borrow().get(&file).cloned();
        let resolved_imports = known.unwrap_or_else(|| {
            let listed = self.map.universe.get(file.index());
            let resolved_imports =
                listed.and_then(|listed| self.map.resolved_imports.of(listed.path.as_str()));
            let resolved_imports = resolved_imports.map(Rc::from);
            self.resolved_imports.borrow_mut().insert(file, resolved_imports.clone());
            resolved_imports
        })?;
        let is_it = |way: &&ResolvedImport| way.form == form && *way.specifier == *specifier;
        resolved_imports.iter().find(is_it).cloned()
    }

    /// Whether types of a file implement interfaces implicitly, by having their methods.
    pub fn implements_by_methods(&self, file: FileId) -> bool {
        self.language_info(file).0.implements_by_methods()
    }

    fn language_info(&self, file: FileId) -> LanguageInfo {
        if let Some(known) = self.language_infos.borrow().get(&file) {
            return *known;
        }
        let path = self.path(file);
        let builtins = Languages::default().builtins(&path);
        let language_info = (builtins, builtins.module(&path).is_some());
        self.language_infos.borrow_mut().insert(file, language_info);
        language_info
    }

    fn intern(&self, path: &Arc<str>) -> FileId {
        if let Some(known) = below(self.root, path).and_then(|path| universe(self.map, path)) {
            return known;
        }
        if let Some(known) = self.numbers.borrow().get(path) {
            return *known;
        }
        let mut others = self.others.borrow_mut();
        let number = FileId::at(self.map.universe.len() + others.len());
        others.push(Arc::clone(path));
        self.numbers.borrow_mut().insert(Arc::clone(path), number);
        number
    }
}

impl SymbolSource for SymbolDb<'_> {
    fn file(&self, file: FileId) -> Option<Arc<Declarations>> {
        if let Some(known) = self.facts.borrow().get(&file) {
            return known.clone();
        }
        self.known_facts(file).or_else(|| self.load(file).map(|loaded| Arc::clone(&loaded.facts)))
    }

    fn resolve(&self, file: FileId, specifier: &str, is_required: bool) -> Option<FileId> {
        let key = (file, is_required);
        let known = |answers: &Answers| answers.get(specifier).copied();
        if let Some(known) = self.answers.borrow().get(&key).and_then(known) {
            return known;
        }
        let importer = || match self.map.universe.get(file.index()) {
            Some(known) => format!("{}/{}", self.root, known.path),
            None => self.absolute(file).to_string_lossy().into_owned(),
        };
        let form = self.builtins(file).import_form(is_required);
        let target = match self.way(file, specifier, form) {
            Some(way) => way.target,
            None => self.lead(&importer(), specifier, form),
        };
        let answer = target.map(|path| self.intern(&path));
        self.answers.borrow_mut().entry(key).or_default().insert(specifier.into(), answer);
        answer
    }

    fn globals(&self, file: FileId, name: &str) -> Vec<Place> {
        self.globals_for(file, name)
    }

    fn described(&self, _file: FileId, specifier: &str) -> Vec<Place> {
        self.described_as(specifier)
    }

    fn additions(&self, name: &str) -> Vec<(Place, FileId)> {
        self.additions_named(name)
    }

    fn builtins(&self, file: FileId) -> &dyn Builtins {
        self.language_info(file).0
    }

    fn is_given(&self, file: FileId, specifier: &str) -> bool {
        let graph = &self.map.raw;
        let node = self.map.universe.get(file.index());
        let Some(node) = node.and_then(|it| graph.index_of(it.path.as_str())) else { return true };
        let bare = |id: &str| id.rsplit(':').next().unwrap_or(id).to_owned();
        graph.edges(node).iter().any(|edge| {
            let target = graph.node(edge.target);
            target.kind == NodeKind::Builtin && bare(target.id.as_str()) == bare(specifier)
        })
    }

    fn is_linked(&self, file: FileId) -> bool {
        self.language_info(file).1
    }

    fn module(&self, file: FileId) -> Option<String> {
        let path = self.path(file);
        self.builtins(file).module(&path).map(str::to_owned)
    }

    fn number(&self, path: &str) -> Option<FileId> {
        universe(self.map, path)
    }

    fn is_script(&self, file: FileId) -> bool {
        let path = self.path(file);
        path.rsplit('.').next().is_some_and(|ending| matches!(ending, "js" | "cjs"))
    }

    fn linked(&self, file: FileId) -> Arc<[FileId]> {
        self.links().needs(file)
    }

    fn nearby(&self, file: FileId, name: &str) -> Vec<FileId> {
        let path = self.path(file);
        let folders = path.rmatch_indices('/').map(|(at, _)| path.get(..=at).unwrap_or_default());
        let all = folders.chain([""]).map(|folder| format!("{folder}{name}"));
        all.filter_map(|near| self.number(&near)).filter(|near| *near != file).collect()
    }

    fn extensions(&self, place: Place) -> Vec<Place> {
        if let Some(known) = self.extensions.borrow().get(&place) {
            return known.clone();
        }
        let found = self.extensions_of(place);
        self.extensions.borrow_mut().insert(place, found.clone());
        found
    }
}
