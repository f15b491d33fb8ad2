//! The repositories that questions name: one session each, within the memory limit.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portolan_index::map::CacheMode;
use portolan_index::pool::SharedPools;
use portolan_index::session::Session;
use portolan_query::answers::AnswerStore;
use portolan_query::export::is_atlas;
use portolan_vfs::{OsSystem, System as _};
use portolan_workspace::config::{self, LoadRequest, Loaded};

use crate::ServeOptions;

/// The file system.
pub(crate) static DISK: OsSystem = OsSystem;

/// The sessions of a server.
pub(crate) struct Roots {
    options: ServeOptions,
    /// The folders that questions may name, including everything below them.
    allowed: Vec<PathBuf>,
    /// The open sessions, most recently used last.
    open: Mutex<Vec<Arc<Session<'static>>>>,
    /// The threads that the sessions share.
    pools: Arc<SharedPools>,
}

/// The most open sessions, however small they are.
const MOST_OPEN: usize = 64;
/// What a session takes that knows nothing yet.
const LEAST_WEIGHT: usize = 64 << 10;

impl Roots {
    pub(crate) fn new(options: ServeOptions) -> Self {
        let pools = SharedPools::new(options.threads);
        let mut roots = Self { options, allowed: Vec::new(), open: Mutex::default(), pools };
        let own = std::iter::once(&roots.options.directory);
        let folders = own.chain(&roots.options.allow_roots);
        // For a folder inside a repository, the repository's root counts.
        let allowed = folders.filter_map(|folder| match roots.load(folder) {
            Ok(loaded) => Some(loaded.root),
            Err(_) => DISK.real_path(folder).ok(),
        });
        roots.allowed = allowed.collect();
        roots
    }

    /// The folder of a root that is an atlas, not a repository.
    pub(crate) fn atlas(&self, root: Option<&str>) -> Result<Option<PathBuf>, String> {
        let real = self.real(root)?;
        Ok(Some(real).filter(|real| is_atlas(&DISK, real)))
    }

    /// The real path of a root, if it is allowed.
    fn real(&self, root: Option<&str>) -> Result<PathBuf, String> {
        let folder = self.folder(root);
        let real = DISK.real_path(&folder).map_err(|error| {
            format!("root {}: {error}; leave root out for the server's own", folder.display())
        })?;
        self.permit(&real)?;
        Ok(real)
    }

    fn folder(&self, root: Option<&str>) -> PathBuf {
        match root {
            Some(root) => self.options.directory.join(root),
            None => self.options.directory.clone(),
        }
    }

    /// The session of a root, with its current settings.
    pub(crate) fn session(&self, root: Option<&str>) -> Result<Arc<Session<'static>>, String> {
        let folder = self.folder(root);
        // Nothing of a forbidden folder is read, not even its settings.
        let real = self.real(root)?;
        let loaded =
            self.load(&folder).map_err(|error| format!("root {}: {error}", real.display()))?;
        self.permit(&loaded.root)?;
        Ok(self.open_or_reuse(loaded))
    }

    /// The store of answer manifests.
    pub(crate) fn answer_store(&self) -> Option<AnswerStore<'static>> {
        AnswerStore::open(&DISK, self.options.cache.as_deref()?)
    }

    /// Drops the least recently used sessions while all of them together exceed the memory limit.
    pub(crate) fn trim(&self) {
        let mut open = self.open();
        let weight = |session: &Arc<Session<'_>>| session.weight().max(LEAST_WEIGHT);
        let weights: Vec<usize> = open.iter().map(weight).collect();
        open.drain(..too_many(&weights, self.options.memory));
    }

    fn permit(&self, real: &Path) -> Result<(), String> {
        if self.allowed.iter().any(|allowed| real.starts_with(allowed)) {
            return Ok(());
        }
        let allowed: Vec<String> = self.allowed.iter().map(|it| it.display().to_string()).collect();
        Err(format!(
            "root {} is not one that this server answers for: {}; start it with --allow-root {}",
            real.display(),
            allowed.join(", "),
            real.display()
        ))
    }

    fn load(&self, folder: &Path) -> Result<Loaded, String> {
        let is_own = folder == self.options.directory;
        let request = LoadRequest {
            start: folder.to_path_buf(),
            config: self.options.config.clone().filter(|_| is_own),
            trusted: self.options.trusted.clone(),
            stores: self.options.stores.clone(),
            user_cache: self.options.cache.clone(),
        };
        let mut loaded = config::load_with(&DISK, &request).map_err(|error| error.to_string())?;
        loaded.git = self.options.git.clone();
        // Paths are relative to the root, whatever folder of it a call names.
        loaded.here = String::new();
        Ok(loaded)
    }

    fn open_or_reuse(&self, config: Loaded) -> Arc<Session<'static>> {
        let mut open = self.open();
        let known = open.iter().position(|session| session.config().root == config.root);
        let known = known.map(|at| open.remove(at));
        // A session with other settings cannot be reused.
        let session = match known.filter(|session| *session.config() == config) {
            Some(session) => session,
            None => Arc::new(Session::lasting_on(&DISK, config, CacheMode::Read, &self.pools)),
        };
        open.push(Arc::clone(&session));
        session
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<Session<'static>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many sessions to drop, oldest first, until the rest fits the limits.
fn too_many(weights: &[usize], most: usize) -> usize {
    let surplus = weights.len().saturating_sub(MOST_OPEN);
    surplus + too_heavy(weights.get(surplus..).unwrap_or_default(), most)
}

fn too_heavy(weights: &[usize], most: usize) -> usize {
    let mut left: usize = weights.iter().sum();
    let goes = |weight: &&usize| {
        let is_too_much = left > most;
        left -= *weight;
        is_too_much
    };
    weights.iter().take_while(goes).count()
}

#[cfg(test)]
mod tests {
    use super::too_many;

    #[test]
    fn the_most_recent_sessions_stay_while_they_fit() {
        assert_eq!(too_many(&[300, 200, 100], 600), 0);
        assert_eq!(too_many(&[300, 200, 100], 599), 1);
        assert_eq!(too_many(&[300, 200, 100], 300), 1);
        assert_eq!(too_many(&[300, 200, 100], 100), 2);
        assert_eq!(
            too_many(&[300, 200, 100], 99),
            3,
            "a session that exceeds the limit alone is dropped"
        );
        assert_eq!(too_many(&[], 0), 0);
        assert_eq!(too_many(&[1; 600], 1 << 20), 536, "small ones are many at some point");
    }
}
