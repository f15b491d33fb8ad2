//! A repository that is asked more than once: its configuration, its threads and its Map as of the last
//! look.
//!
//! A command that asks once opens a session, takes its snapshot and is done. A process that stays
//! calls [`Session::refresh`] before it answers: what did not change is neither read nor parsed nor
//! resolved again, and the snapshot is the one that a new session would have. Snapshots do not
//! change; questions that began on one end on it, whatever others refresh meanwhile.

use std::sync::{Arc, Mutex, PoisonError};

use portolan_graph::Territory;
use portolan_vfs::System;

use crate::config::Loaded;
use crate::map::{self, CacheMode, CacheSource, Door, Kept, MapError, MapReport, MapRequest};
use crate::threads;

/// A repository and what is known of it.
pub struct Session<'s> {
    system: &'s dyn System,
    config: Loaded,
    cache: CacheMode,
    door: Door,
    pool: rayon::ThreadPool,
    current: Mutex<Option<Arc<Snapshot>>>,
    /// What the next refresh goes on from. Held while one is under way; questions do not wait for it.
    kept: Mutex<Option<Kept>>,
}

/// A repository as of one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// The Map.
    pub map: MapReport,
    /// The graph, ready for selections.
    pub territory: Territory,
}

impl<'s> Session<'s> {
    /// A session with the repository of a request. Nothing is read before somebody asks.
    pub fn open(
        system: &'s dyn System,
        request: MapRequest,
        cache: CacheMode,
    ) -> Result<Self, MapError> {
        Self::open_through(system, request, cache, Door::default())
    }

    /// A session in other languages than usual.
    pub fn open_through(
        system: &'s dyn System,
        request: MapRequest,
        cache: CacheMode,
        door: Door,
    ) -> Result<Self, MapError> {
        let pool = threads::pool(request.threads)?;
        Ok(Self {
            system,
            config: request.config,
            cache,
            door,
            pool,
            current: Mutex::new(None),
            kept: Mutex::new(None),
        })
    }

    /// The repository and its settings.
    pub fn config(&self) -> &Loaded {
        &self.config
    }

    /// The disk.
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// Does some work on the threads of the session.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
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
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let source = match kept.take() {
            Some(kept) => CacheSource::Memory(kept),
            None => CacheSource::First(self.cache),
        };
        let build = || map::build_from(self.system, &self.config, source, self.door);
        let (map, found) = self.pool.install(build)?;
        *kept = found;
        if let Some(last) = self.last().filter(|last| last.map.is_same(&map)) {
            return Ok(last);
        }
        let territory = Territory::from(&map.graph);
        let snapshot = Arc::new(Snapshot { map, territory });
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    fn last(&self) -> Option<Arc<Snapshot>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests;
