//! A repository that is asked more than once: its configuration, its threads and its Map as of the last
//! look.
//!
//! A command that asks once opens a session, takes its snapshot and is done. A process that stays
//! calls [`Session::refresh`] before it answers: what did not change is neither read nor parsed nor
//! resolved again, and the snapshot is the one that a new session would have. Snapshots do not
//! change; questions that began on one end on it, whatever others refresh meanwhile.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use portolan_graph::CsrGraph;
use portolan_vfs::{CancelToken, CancellableSystem, System};

use crate::history::Kept as KeptCommits;
use crate::map::{
    self, CacheMode, CacheSource, Kept, LanguageRegistry, MapError, MapReport, MapRequest,
};
use crate::pool::Pool;
use crate::symbols::DeclarationStore;
use crate::word_index::{IndexFiles, Words};
use portolan_workspace::config::Loaded;

/// A repository and what is known of it.
pub struct Session<'s> {
    system: &'s dyn System,
    config: Loaded,
    cache: CacheMode,
    registry: LanguageRegistry,
    pool: Pool,
    /// Where the clock of the repository's file system can be told, if it is the same file system.
    clock: Option<PathBuf>,
    current: Mutex<Option<Arc<Snapshot>>>,
    /// What the next refresh goes on from. Held while one is under way; questions do not wait for it.
    kept: Mutex<Option<Kept>>,
    /// What files declare, as far as somebody asked.
    declarations: OnceLock<DeclarationStore>,
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
    /// A session with the repository of a request. Nothing is read before somebody asks.
    pub fn open(
        system: &'s dyn System,
        request: MapRequest,
        cache: CacheMode,
    ) -> Result<Self, MapError> {
        Self::open_through(system, request, cache, LanguageRegistry::default())
    }

    /// A session in other languages than usual.
    pub fn open_through(
        system: &'s dyn System,
        request: MapRequest,
        cache: CacheMode,
        registry: LanguageRegistry,
    ) -> Result<Self, MapError> {
        let pool = Pool::new(request.threads)?;
        Ok(Self {
            system,
            config: request.config,
            cache,
            registry,
            pool,
            clock: None,
            current: Mutex::default(),
            kept: Mutex::default(),
            declarations: OnceLock::new(),
            words: Mutex::default(),
            commits: Mutex::default(),
        })
    }

    /// The same with a folder outside the repository in which the clock may be told. Without one, files are
    /// trusted by their times only where the repository has a workspace to tell it in.
    #[must_use]
    pub fn with_clock(self, folder: Option<PathBuf>) -> Self {
        Self { clock: folder, ..self }
    }

    /// The repository and its settings.
    pub fn config(&self) -> &Loaded {
        &self.config
    }

    /// The disk.
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// What files declare, as far as somebody asked before: here, or an earlier process.
    pub fn declarations(&self) -> &DeclarationStore {
        self.declarations.get_or_init(|| {
            let store = DeclarationStore::open(self.system, &self.config, self.cache);
            // Who may tell the clock outside the repository stays to be asked again.
            if self.clock.is_some() { store.lasting() } else { store }
        })
    }

    /// Does some work on the threads of the session.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// The Map as it is now, for somebody who asks once: the next question begins anew.
    pub fn map(&self) -> Result<MapReport, MapError> {
        let source = CacheSource::Disk(self.cache);
        let build = || map::build_from(self.system, &self.config, source, self.registry);
        let (map, _) = self.pool.install(build)?;
        map.ok_or(MapError::Stopped)
    }

    /// The repository as of the last look; looks if nobody did yet.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, MapError> {
        match self.last() {
            Some(snapshot) => Ok(snapshot),
            None => self.refresh(),
        }
    }

    /// Looks again. What did not change is not read again, and where nothing did, the snapshot is the
    /// very one that there was.
    pub fn refresh(&self) -> Result<Arc<Snapshot>, MapError> {
        self.refresh_while(&CancelToken::default())
    }

    /// Looks again, as long as somebody waits for it.
    pub fn refresh_while(&self, watch: &CancelToken) -> Result<Arc<Snapshot>, MapError> {
        let system = CancellableSystem::new(self.system, watch);
        let mut kept = lock(&self.kept);
        // Whoever waited for another refresh may not be wanted any more.
        if watch.is_cancelled() {
            return Err(MapError::Stopped);
        }
        let clock = self.clock.as_ref();
        let clock = clock.and_then(|folder| system.clock_beside(&self.config.root, folder).ok());
        let source = match kept.clone().filter(|_| self.last().is_some()) {
            Some(kept) => CacheSource::Memory(kept, clock),
            None => CacheSource::First(self.cache, clock),
        };
        let build = || map::build_from(&system, &self.config, source, self.registry);
        let built = self.pool.install(build);
        // What was made of refused calls is no Map: the last one stays what the next refresh goes on from.
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

    /// The words of the files as the last question left them.
    pub fn words(&self) -> Option<Words> {
        lock(&self.words).clone()
    }

    /// Keeps the words of the files for the next question.
    pub fn keep_words(&self, words: Words) {
        *lock(&self.words) = Some(words);
    }

    /// Where words and commits are kept between processes.
    pub fn index_files<'a>(&'a self, system: &'a dyn System) -> IndexFiles<'a> {
        let (root, stan_path) = (self.config.root.as_path(), &self.config.settings.stan_path);
        IndexFiles { system, root, stan_path, cache: self.cache }
    }

    /// The commits that were read before.
    pub fn commits(&self) -> KeptCommits {
        lock(&self.commits).clone()
    }

    /// Keeps the commits that were read.
    pub fn keep_commits(&self, commits: KeptCommits) {
        *lock(&self.commits) = commits;
    }

    /// What is done with the cache on disk.
    pub fn cache(&self) -> CacheMode {
        self.cache
    }

    /// About how many bytes are kept between questions.
    pub fn weight(&self) -> usize {
        let kept = lock(&self.kept).as_ref().map_or(0, Kept::weight);
        let map = self.last().map_or(0, |last| last.map.weight());
        let words = lock(&self.words).as_ref().map_or(0, Words::weight);
        let declarations = self.declarations.get().map_or(0, DeclarationStore::weight);
        kept + map + words + declarations
    }

    fn last(&self) -> Option<Arc<Snapshot>> {
        lock(&self.current).clone()
    }
}

/// What a thread that died left is as good as what it found: both are replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
