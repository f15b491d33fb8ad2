//! The stages of building the Map, in order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_graph::{Graph, Node, canonicalize};
use portolan_guard::{Guard, redact};
use portolan_languages::dependency_tracking::DependencyRecord;
use portolan_languages::{Ecosystem, ExtractSettings, Facts, Language, Sources, Stores};
use portolan_types::{EdgeKind, FileId, NodeId, NodeKind, Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::System;
use portolan_workspace::{Listing, Scan, ScanSettings, scan};
use rustc_hash::FxHashMap;

use super::cache::{Cache, CacheSource, Kept, Makers, Seen};
use super::excluded::Excluded;
use super::files::{self, FileData, FileReader};
use super::journal::{Answers, Journal};
use super::resolved_imports::ImportWays;
use super::reuse::{KeptLinks, Part, Reused, Validity, Walked};
use super::staged_ids::{locators, raw_id};
use super::{LanguageRegistry, MapError, MapReport, UniverseFile, link, reuse};
use crate::store::CacheFolder;
use crate::timings::{Stopwatch, Timings};

/// A file of the universe, or one that an import resolves to.
pub(super) struct File {
    /// Its absolute path.
    pub(super) path: Arc<str>,
    /// `None` if it could not be read.
    pub(super) data: Option<Arc<FileData>>,
    /// The targets of its imports; only for files whose edges count.
    pub(super) targets: Targets,
    /// What it needs without an import.
    pub(super) needs: Vec<FileNeed>,
    /// The queries for both, if they are stored.
    pub(super) asked: Option<Arc<DependencyRecord>>,
    /// Whether it lacks edges to some of the files that define what it uses.
    pub(super) is_cut: bool,
}

impl File {
    pub(super) fn new(path: Arc<str>, data: Option<FileData>) -> Self {
        let data = data.map(Arc::new);
        let (targets, needs) = (Targets::default(), Vec::new());
        Self { path, data, targets, needs, asked: None, is_cut: false }
    }
}

/// The targets of the imports of a file; each import has any number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Targets {
    /// Where the targets of each import end.
    ends: Vec<u32>,
    list: Vec<LinkTarget>,
}

impl Targets {
    /// Adds the targets of the next import.
    pub(super) fn push(&mut self, targets: impl IntoIterator<Item = LinkTarget>) {
        self.list.extend(targets);
        self.ends.push(self.list.len() as u32);
    }

    /// The targets of an import.
    pub(super) fn of(&self, import: u32) -> &[LinkTarget] {
        let at = import as usize;
        let Some(end) = self.ends.get(at) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.list[start as usize..*end as usize]
    }

    /// The number of imports.
    pub(super) fn imports(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The files that an import resolves to.
    pub(super) fn files(&self, import: u32) -> impl Iterator<Item = FileId> {
        self.of(import).iter().filter_map(LinkTarget::file)
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &LinkTarget> {
        self.list.iter()
    }
}

/// What a file needs without an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileNeed {
    pub(super) target: LinkTarget,
    pub(super) kind: EdgeKind,
    pub(super) is_written: bool,
}

/// What an import resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// The file with this number.
    File(FileId),
    /// A module that is not a file.
    Module(NodeId, NodeKind),
}

impl LinkTarget {
    /// The file, if it is one.
    pub(super) fn file(&self) -> Option<FileId> {
        match self {
            Self::File(number) => Some(*number),
            Self::Module(..) => None,
        }
    }
}

/// The universe as resolvers see it. It does not change while the table grows.
#[derive(Default)]
pub(super) struct UniverseIndex {
    /// In order.
    files: Vec<(Arc<str>, Option<Arc<FileData>>)>,
    by_path: FxHashMap<Arc<str>, FileId>,
    links: Arc<SourceLinks>,
}

/// The links of the universe with their targets.
pub(super) type SourceLinks = BTreeMap<Arc<str>, Arc<str>>;

impl Sources for UniverseIndex {
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.files.iter().map(|(path, _)| &**path))
    }

    fn contains(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    fn facts(&self, path: &str) -> Option<&Facts> {
        let (_, data) = self.files.get(self.by_path.get(path)?.index())?;
        data.as_ref()?.facts()
    }

    fn real(&self, path: &str) -> Option<&str> {
        self.links.get(path).map(|real| &**real)
    }
}

/// The files by number and by path. Numbers below `universe` are the universe, in order.
pub(super) struct FileTable {
    pub(super) registry: LanguageRegistry,
    pub(super) root: String,
    pub(super) files: Vec<File>,
    /// The universe by path. [`FileTable::index`] fills it: most runs with a cache do not need it.
    pub(super) sources: Arc<UniverseIndex>,
    /// The others by path.
    others: FxHashMap<Arc<str>, FileId>,
    pub(super) links: Arc<SourceLinks>,
    pub(super) universe: usize,
    pub(super) excluded: Excluded,
}

impl FileTable {
    /// Indexes the universe by path.
    pub(super) fn index(&mut self) {
        let universe = &self.files[..self.universe];
        let numbered = universe.iter().zip(FileId::all());
        let by_path = numbered.map(|(file, number)| (Arc::clone(&file.path), number)).collect();
        let files = universe.iter().map(|file| (Arc::clone(&file.path), file.data.clone()));
        let links = Arc::clone(&self.links);
        self.sources = Arc::new(UniverseIndex { files: files.collect(), by_path, links });
    }

    /// Adds files outside the universe.
    pub(super) fn extend(&mut self, files: impl Iterator<Item = (Arc<str>, FileData)>) {
        for (path, data) in files {
            self.others.insert(Arc::clone(&path), FileId::at(self.files.len()));
            self.files.push(File::new(path, Some(data)));
        }
    }

    /// Drops everything except the universe and its texts.
    pub(super) fn reset(&mut self) {
        self.files.truncate(self.universe);
        self.others.clear();
        for file in &mut self.files {
            (file.targets, file.needs, file.asked) = (Targets::default(), Vec::new(), None);
        }
    }

    /// The number of the file at a path, if it has one.
    pub(super) fn number(&self, path: &str) -> Option<FileId> {
        self.sources.by_path.get(path).or_else(|| self.others.get(path)).copied()
    }

    /// The number of the file at a path; adds the file if it is new.
    pub(super) fn intern(&mut self, path: &Arc<str>) -> FileId {
        if let Some(known) = self.number(path) {
            return known;
        }
        let number = FileId::at(self.files.len());
        self.files.push(File::new(Arc::clone(path), None));
        self.others.insert(Arc::clone(path), number);
        number
    }

    pub(super) fn facts(&self, number: FileId) -> Option<&Facts> {
        self.files[number.index()].data.as_ref()?.facts()
    }

    /// The number of the file of a node.
    pub(super) fn number_of(&self, node: &Node) -> Option<FileId> {
        if node.outside_root {
            return self.number(node.id.as_str());
        }
        self.number(&absolute(&self.root, node.id.as_str()))
    }

    /// The folder of the installed package that a file is in.
    pub(super) fn installed<'p>(&self, path: &'p str) -> Option<&'p str> {
        self.registry.ecosystems.installed(&self.root, path)
    }

    /// The language of a file.
    pub(super) fn language(&self, number: FileId) -> Option<&'static dyn Language> {
        self.registry.languages.of(&self.files.get(number.index())?.path)
    }

    /// The number of the ecosystem that resolves the imports of a file.
    pub(super) fn ecosystem(&self, number: FileId) -> Option<(usize, &'static dyn Ecosystem)> {
        self.registry.ecosystems.of_language(self.language(number)?.name())
    }

    /// Whether resolving the imports of a file depends on the texts of other files.
    pub(super) fn resolves_by_facts(&self, number: FileId) -> bool {
        self.ecosystem(number).is_some_and(|(_, ecosystem)| ecosystem.resolves_by_facts())
    }

    /// The node of a file. Its kind depends on its location alone. A node that `excludes` hides has nothing else.
    pub(super) fn node(&self, number: FileId) -> Option<Node> {
        let file = self.files.get(number.index())?;
        let id = raw_id(&self.root, &file.path);
        let outside_root = id.len() == file.path.len();
        let in_universe = number.index() < self.universe;
        let external = !in_universe && (outside_root || self.installed(&file.path).is_some());
        let is_hidden = !in_universe && self.excluded.hides(&self.root, &file.path);
        let data = file.data.as_ref().filter(|data| !is_hidden && !data.is_denied);
        let code = data.and_then(|data| data.code.as_ref());
        Some(Node {
            id: id.into(),
            kind: if external { NodeKind::External } else { NodeKind::Source },
            language: self.registry.languages.word(id),
            size: data.map(|data| data.size),
            sha256: data.map(|data| data.sha256),
            description: code.and_then(|code| code.description.clone()),
            outside_root,
        })
    }
}

/// The linked graph.
pub(super) struct Linked {
    /// The graph with raw ids.
    pub(super) raw: Graph,
    /// The canonical id of each of its nodes.
    pub(super) ids: Vec<NodeId>,
    /// The notices of linking.
    pub(super) notices: Vec<Notice>,
    /// The digest of what each ecosystem knows of the whole repository; empty if none was asked.
    pub(super) bases: Vec<Sha256Digest>,
}

/// Builds the map; `None` if the last one of a session is still right.
pub(super) fn build(
    system: &dyn System,
    settings: &ScanSettings,
    extract: &ExtractSettings,
    (folder, source): (&CacheFolder, CacheSource),
    guard: &Guard,
    registry: LanguageRegistry,
    stores: &Stores,
) -> Result<(Option<MapReport>, Option<Kept>), MapError> {
    let root = settings.root.to_str().ok_or_else(|| MapError::RootName(settings.root.clone()))?;
    let root = root.trim_end_matches('/');
    if let CacheSource::Memory(kept) = &source
        && kept.is_current(system)
    {
        return Ok((None, Some(kept.clone())));
    }
    let (mut timings, mut notices) = (Timings::default(), Vec::new());
    let journal = source.is_lasting().then(|| Journal::new(system));
    let by = Makers { extract, guard, registry, stores };
    let cache =
        timings.measure("cache", || open_cache(system, root, folder, &by, source, &mut notices));

    let cached = cache.as_ref();
    let walking: &dyn System = journal.as_ref().map_or(system, |journal| journal);
    let reader = FileReader { system: walking, extract, cache: cached, guard, registry, stores };
    let Universe { mut table, files: universe, listings, walked } =
        walk(&reader, settings, root, &mut notices, &mut timings)?;
    stop_if_cancelled(system)?;
    let told = journal.zip(cached).and_then(|(journal, cache)| journal.answers(cache.began));
    if let Some(cache) = cached
        && cache
            .validity()
            .is_some_and(|validity| validity.is_current_after(system, cache, &walked))
    {
        return Ok((None, Some(cache.kept(walked, told))));
    }

    let reader = FileReader { system, extract, cache: cached, guard, registry, stores };
    let ResolvedImports { linked, kept: KeptLinks { links, cached_resolutions }, answers } =
        find_ways(&reader, settings, &mut table, &listings, &walked.folders, &mut timings);
    stop_if_cancelled(system)?;
    let clock = Stopwatch::start();
    let Linked { raw, ids, notices: more, .. } = linked;
    notices.extend(more);
    let graph = canonicalize(&raw, &ids)?;
    let locators = locators(root, &raw, &ids);
    let excluded = std::mem::take(&mut table.excluded).in_graph(root, &raw, &ids);
    timings.record("name", &clock, 0, 0);

    let is_workspace_open = walked.is_workspace_open;
    let kept = timings.measure("save", || {
        let cache = cached?;
        let answers = answers.map(Arc::new);
        let validity = answers.map(|answers| Validity { walked, answers, seen: told });
        let (kept, is_new) = cache.next(seen(&table), links, validity);
        if is_new {
            notices.extend(cache.save(system, &kept));
        }
        Some(kept)
    });
    tidy(&mut notices);
    let resolved_imports =
        kept.as_ref().map(|kept| ImportWays::new(root, kept, universe.len(), cached_resolutions));
    let unkept = || ImportWays::unkept(computed(&table, &universe), adding(&table, &universe));
    let resolved_imports = Arc::new(resolved_imports.unwrap_or_else(unkept));
    let report = MapReport {
        graph,
        raw,
        locators,
        universe,
        excluded,
        is_workspace_open,
        notices,
        resolved_imports,
        timings,
    };
    Ok((Some(report), kept))
}

/// Fails after a cancellation. The rest would be made of failed calls and discarded.
fn stop_if_cancelled(system: &dyn System) -> Result<(), MapError> {
    if system.is_cancelled() { Err(MapError::Stopped) } else { Ok(()) }
}

/// The files with computed imports, and how their specifiers start.
fn computed(table: &FileTable, universe: &[UniverseFile]) -> Vec<(String, Vec<Box<str>>)> {
    let each = universe.iter().zip(FileId::all()).filter_map(|(file, number)| {
        let computed = &table.facts(number)?.computed;
        (!computed.is_empty()).then(|| (file.path.to_string(), computed.clone()))
    });
    each.collect()
}

/// The files that augment other modules.
fn adding(table: &FileTable, universe: &[UniverseFile]) -> Vec<String> {
    let adds = |number| table.facts(number).is_some_and(|facts| !facts.augmentations.is_empty());
    let adding = universe.iter().zip(FileId::all()).filter(|(_, number)| adds(*number));
    adding.map(|(file, _)| file.path.to_string()).collect()
}

/// The cache of a run, if there is one.
fn open_cache(
    system: &dyn System,
    root: &str,
    folder: &CacheFolder,
    by: &Makers<'_>,
    source: CacheSource,
    notices: &mut Vec<Notice>,
) -> Option<Cache> {
    let resume = |kept| Some(Cache::resume(system, root, folder, kept));
    let mut open = || Cache::open(system, root, folder, by, notices);
    match source {
        CacheSource::Disk => open(),
        CacheSource::First { .. } => open().or_else(|| resume(Kept::default())),
        CacheSource::Memory(kept) => resume(kept),
    }
}

/// The linked graph, and what is stored of it.
struct ResolvedImports {
    linked: Linked,
    /// For the cache; empty if nothing can be stored.
    kept: KeptLinks,
    /// The answers of the disk, if they can be checked later.
    answers: Option<Answers>,
}

/// Takes the valid links from the cache and resolves the rest.
fn find_ways(
    reader: &FileReader<'_>,
    settings: &ScanSettings,
    table: &mut FileTable,
    listings: &[Listing],
    folders: &Sha256Digest,
    timings: &mut Timings,
) -> ResolvedImports {
    let &FileReader { system, cache, .. } = reader;
    let reused = timings.measure("reuse", || reuse::find(system, cache?, table, listings, folders));
    match (reused, cache) {
        (Some(Reused::Whole(linked, answers, cached_resolutions)), Some(cache)) => {
            let kept = KeptLinks { links: cache.links().to_vec(), cached_resolutions };
            ResolvedImports { linked, kept, answers: Some(answers) }
        }
        (_, None) => {
            let linked = link_files(reader, settings, table, listings, None, timings);
            ResolvedImports { linked, kept: KeptLinks::default(), answers: None }
        }
        (reused, Some(cache)) => {
            let part = match reused {
                Some(Reused::Part(part)) => Some(part),
                Some(Reused::Whole(..)) | None => None,
            };
            let journal = Journal::new(system);
            let reader = FileReader { system: &journal, ..*reader };
            let earlier = part.as_ref().map(|part| part.answers.clone()).unwrap_or_default();
            let linked = link_files(&reader, settings, table, listings, part, timings);
            let answers = journal.answers(cache.began).map(|answers| answers.and(earlier));
            let kept = answers
                .clone()
                .map(|answers| reuse::keep(table, &linked, listings, *folders, answers));
            ResolvedImports { linked, kept: kept.unwrap_or_default(), answers }
        }
    }
}

/// Masks secrets in notices, sorts and deduplicates them.
fn tidy(notices: &mut Vec<Notice>) {
    for notice in &mut *notices {
        if let Cow::Owned(masked) = redact(&notice.message) {
            notice.message = masked;
        }
    }
    notices.sort_unstable();
    notices.dedup();
}

/// Links all files, from the texts and the disk; reuses the links of unchanged files.
fn link_files(
    reader: &FileReader<'_>,
    settings: &ScanSettings,
    table: &mut FileTable,
    listings: &[Listing],
    part: Option<Part>,
    timings: &mut Timings,
) -> Linked {
    let stan_path = settings.stan_path.as_str();
    table.index();
    if let Some(part) = part {
        let linked = link::link(reader, stan_path, table, listings, Some(part), timings);
        if linked.raw.partial().is_empty() {
            return linked;
        }
        // If a name has too many definers, the order of files decides which are dropped.
        table.reset();
    }
    link::link(reader, stan_path, table, listings, None, timings)
}

/// Walks the universe and reads every file.
fn scan_universe(reader: &FileReader<'_>, settings: &ScanSettings) -> Scan<FileData> {
    scan(reader.system, settings, &|file| {
        reader.read(&file.absolute, file.path.as_str()).map_err(|error| {
            let place = Place::file(file.path.as_str());
            Notice::at(NoticeCode::ScanUnreadable, place, format!("left out: {error}"))
        })
    })
}

/// The universe as a table.
struct Universe {
    table: FileTable,
    files: Vec<UniverseFile>,
    listings: Vec<Listing>,
    walked: Walked,
}

/// Walks the universe.
fn walk(
    reader: &FileReader<'_>,
    settings: &ScanSettings,
    root: &str,
    notices: &mut Vec<Notice>,
    timings: &mut Timings,
) -> Result<Universe, MapError> {
    let clock = Stopwatch::start();
    let scan = scan_universe(reader, settings);
    if let Some(reason) = scan.root_error {
        return Err(MapError::RootUnreadable { path: settings.root.clone(), reason });
    }
    let mut table = FileTable {
        registry: reader.registry,
        root: root.to_owned(),
        files: Vec::with_capacity(scan.files.len()),
        sources: Arc::default(),
        others: FxHashMap::default(),
        links: Arc::default(),
        universe: scan.files.len(),
        excluded: Excluded::new(reader.system, root, &settings.excludes),
    };
    let mut files = Vec::with_capacity(scan.files.len());
    let mut links = SourceLinks::new();
    notices.extend(scan.notices);
    for (file, data) in scan.files {
        notices.extend(files::notices(file.path.as_str(), &data));
        files.push(UniverseFile {
            size: data.size,
            sha256: data.sha256,
            absolute: file.absolute,
            path: file.path.clone(),
        });
        let path: Arc<str> = absolute(root, file.path.as_str()).into();
        let real = files.last().and_then(|file: &UniverseFile| file.absolute.to_str());
        if let Some(real) = real.filter(|real| **real != *path) {
            links.insert(Arc::clone(&path), real.into());
        }
        table.files.push(File::new(path, Some(data)));
    }
    timings.record("scan", &clock, files.len(), files.iter().map(|file| file.size).sum());
    let walked = Walked {
        folders: reuse::digest_of(&scan.listings, &links),
        universe: files.len(),
        is_workspace_open: scan.is_workspace_open,
        notices: notices.clone(),
    };
    table.links = Arc::new(links);
    Ok(Universe { table, files, listings: scan.listings, walked })
}

/// The absolute path of a repo path; the root for an empty one.
pub(super) fn absolute(root: &str, path: &str) -> String {
    if path.is_empty() { root.to_owned() } else { [root, path].join("/") }
}

/// The files of this run, for the cache.
fn seen(table: &FileTable) -> impl Iterator<Item = Seen<'_>> {
    table.files.iter().filter_map(|file| {
        let data = file.data.as_ref()?;
        let language = table.registry.languages.facts_code(&file.path);
        Some(Seen { path: &file.path, data, language })
    })
}
