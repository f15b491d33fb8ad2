//! A session with a repository: its configuration, threads, cache and current map.
//!
//! A command opens a session, takes one snapshot and exits. A server calls [`Session::refresh`] before each answer:
//! unchanged files are neither read, parsed nor resolved again, and the snapshot equals that of a new session. Snapshots
//! are immutable: a question that starts on one ends on it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use portolan_graph::CsrGraph;
use portolan_vfs::{CancelToken, CancellableSystem, System};

use crate::history::Kept as KeptCommits;
use crate::map::{
    self, CacheMode, CacheSource, Kept, LanguageRegistry, MapError, MapReport, MapRequest,
};
use crate::pool::{Pool, SharedPools};
use crate::store::CacheFolder;
use crate::symbols::{DeclarationStore, OutlineStore};
use crate::word_index::{IndexFiles, Words};
use portolan_workspace::config::Loaded;

/// A repository and what is known of it.
pub struct Session<'s> {
    system: &'s dyn System,
    config: Loaded,
    cache: CacheFolder,
    registry: LanguageRegistry,
    pool: Pool,
    /// Whether the process stays and asks again.
    is_lasting: bool,
    current: Mutex<Option<Arc<Snapshot>>>,
    /// What the next refresh continues from. Locked during a refresh; questions do not wait for it.
    kept: Mutex<Option<Kept>>,
    /// The declarations of files, filled on demand.
    declarations: OnceLock<DeclarationStore>,
    /// The outlines of files, filled on demand.
    outlines: OnceLock<OutlineStore>,
    /// The words of the files, as of the last chart.
    words: Mutex<Option<Words>>,
    /// The commits that were read for the last task.
    commits: Mutex<KeptCommits>,
}

/// A repository as of one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// The Map.
    pub map: MapReport,
    /// The graph, ready for selections.
    pub csr_graph: CsrGraph,
}

impl<'s> Session<'s> {
    /// Opens a session. It reads nothing before the first question.
    pub fn open(
        system: &'s dyn System,
        request: MapRequest,
        cache: CacheMode,
    ) -> Result<Self, MapError> {
        Self::open_through(system, request, cache, LanguageRegistry::default())
    }

    /// Opens a session with other languages.
    pub fn open_through(
        system: &'s dyn System,
        request: MapRequest,
        cache: CacheMode,
        registry: LanguageRegistry,
    ) -> Result<Self, MapError> {
        let pool = Pool::new(request.threads)?;
        Ok(Self { registry, ..Self::on(system, request.config, cache, pool) })
    }

    /// Opens a session that stays, on threads that it shares with others.
    pub fn lasting_on(
        system: &'s dyn System,
        config: Loaded,
        cache: CacheMode,
        pools: &Arc<SharedPools>,
    ) -> Self {
        Self::on(system, config, cache, Pool::Shared(Arc::clone(pools))).lasting()
    }

    fn on(system: &'s dyn System, config: Loaded, cache: CacheMode, pool: Pool) -> Self {
        Self {
            system,
            cache: CacheFolder::open(system, &config, cache),
            config,
            registry: LanguageRegistry::default(),
            pool,
            is_lasting: false,
            current: Mutex::default(),
            kept: Mutex::default(),
            declarations: OnceLock::new(),
            outlines: OnceLock::new(),
            words: Mutex::default(),
            commits: Mutex::default(),
        }
    }

    /// The same for a process that stays: it keeps more in memory to answer the next question sooner.
    #[must_use]
    pub fn lasting(self) -> Self {
        Self { is_lasting: true, ..self }
    }

    /// The repository and its settings.
    pub fn config(&self) -> &Loaded {
        &self.config
    }

    /// The disk.
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// The declarations that this or an earlier process has read.
    pub fn declarations(&self) -> &DeclarationStore {
        self.declarations.get_or_init(|| {
            let store = DeclarationStore::open(self.system, &self.cache);
            if self.is_lasting { store.lasting() } else { store }
        })
    }

    /// The outlines that this or an earlier process has made. `made_by` identifies what makes them; it is the same in all
    /// calls.
    pub fn outlines(&self, made_by: &str) -> &OutlineStore {
        self.outlines.get_or_init(|| OutlineStore::open(self.system, &self.cache, made_by))
    }

    /// Runs work on the threads of the session.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// The current map, for a single question: the next one builds it again.
    pub fn map(&self) -> Result<MapReport, MapError> {
        let cache = (&self.cache, CacheSource::Disk);
        let build = || map::build_from(self.system, &self.config, cache, self.registry);
        let (map, _) = self.pool.install(build)?;
        map.ok_or(MapError::Stopped)
    }

    /// A map of these files alone, for a question that needs no others. It is not kept.
    pub fn map_of(&self, system: &dyn System, files: Vec<String>) -> Result<MapReport, MapError> {
        let config = Loaded { only: files, ..self.config.clone() };
        let cache = CacheFolder::open(self.system, &config, CacheMode::Off);
        let build = || map::build_from(system, &config, (&cache, CacheSource::Disk), self.registry);
        let (map, _) = self.pool.install(build)?;
        map.ok_or(MapError::Stopped)
    }

    /// The last snapshot; takes one if there is none.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, MapError> {
        match self.last() {
            Some(snapshot) => Ok(snapshot),
            None => self.refresh(),
        }
    }

    /// Takes a new snapshot. Unchanged files are not read again; if nothing has changed, it is the last snapshot.
    pub fn refresh(&self) -> Result<Arc<Snapshot>, MapError> {
        self.refresh_while(&CancelToken::default())
    }

    /// The same, unless it is cancelled.
    pub fn refresh_while(&self, watch: &CancelToken) -> Result<Arc<Snapshot>, MapError> {
        let system = CancellableSystem::new(self.system, watch);
        let mut kept = lock(&self.kept);
        // It may have been cancelled while it waited for another refresh.
        if watch.is_cancelled() {
            return Err(MapError::Stopped);
        }
        let source = match kept.clone().filter(|_| self.last().is_some()) {
            Some(kept) => CacheSource::Memory(kept),
            None => CacheSource::First { is_lasting: self.is_lasting },
        };
        let cache = (&self.cache, source);
        let build = || map::build_from(&system, &self.config, cache, self.registry);
        let built = self.pool.install(build);
        // Cancelled: discard the partial map. The next refresh continues from the last one.
        if watch.is_cancelled() {
            return Err(MapError::Stopped);
        }
        let (map, found) = built?;
        *kept = found;
        let last = self.last();
        let Some(map) = map else { return last.ok_or(MapError::Stopped) };
        if let Some(last) = last.filter(|last| last.map.is_same(&map)) {
            return Ok(last);
        }
        let csr_graph = CsrGraph::from(&map.graph);
        let snapshot = Arc::new(Snapshot { map, csr_graph });
        *lock(&self.current) = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// The words of the files as of the last question.
    pub fn words(&self) -> Option<Words> {
        lock(&self.words).clone()
    }

    /// Keeps the words of the files for the next question.
    pub fn keep_words(&self, words: Words) {
        *lock(&self.words) = Some(words);
    }

    /// Where words and commits are kept between processes.
    pub fn index_files<'a>(&'a self, system: &'a dyn System) -> IndexFiles<'a> {
        IndexFiles { system, root: &self.config.root, cache: &self.cache }
    }

    /// The commits that were read before.
    pub fn commits(&self) -> KeptCommits {
        lock(&self.commits).clone()
    }

    /// Keeps the commits that were read.
    pub fn keep_commits(&self, commits: KeptCommits) {
        *lock(&self.commits) = commits;
    }

    /// The cache on disk.
    pub fn cache(&self) -> &CacheFolder {
        &self.cache
    }

    /// The approximate size in bytes of what is kept between questions.
    pub fn weight(&self) -> usize {
        let kept = lock(&self.kept).as_ref().map_or(0, Kept::weight);
        let map = self.last().map_or(0, |last| last.map.weight());
        let words = lock(&self.words).as_ref().map_or(0, Words::weight);
        let declarations = self.declarations.get().map_or(0, DeclarationStore::weight);
        let outlines = self.outlines.get().map_or(0, OutlineStore::weight);
        kept + map + words + declarations + outlines
    }

    fn last(&self) -> Option<Arc<Snapshot>> {
        lock(&self.current).clone()
    }
}

/// Values are replaced as a whole, so a thread that panicked left a usable one.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
