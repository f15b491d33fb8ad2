//! The threads of a use case: one pool, of the requested size.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use crate::map::MapError;

/// The stack for parsing, which recurses. Reserved memory costs nothing.
pub const PARSER_STACK: usize = 256 << 20;
/// The stack of threads that read: parsing, and its callers.
const STACK_BYTES: usize = PARSER_STACK + (4 << 20);

/// More threads per core would only wait.
const MOST_PER_CORE: usize = 4;
/// The number of threads that is always allowed.
const FEW: usize = 32;

/// Runs work on so many threads; 0 for one per core. Work that is on a pool already stays there. It starts no more
/// threads than are useful.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, MapError> {
    if rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    Ok(pool(threads)?.install(work))
}

/// Pools for many sessions. A session has one only while it works, so that there are as many as questions are answered
/// at once, and a long one does not keep the others waiting.
pub struct SharedPools {
    threads: usize,
    idle: Mutex<Vec<rayon::ThreadPool>>,
}

impl SharedPools {
    /// Pools of so many threads each; 0 for one per core.
    pub fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self { threads, idle: Mutex::default() })
    }

    fn take(&self) -> Result<rayon::ThreadPool, MapError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| pool(self.threads), Ok)
    }

    fn give_back(&self, pool: rayon::ThreadPool) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
    }

    /// Runs work on an idle pool, or on a new one. If the system has no more threads, the caller's does it.
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if rayon::current_thread_index().is_some() {
            return work();
        }
        let Ok(pool) = self.take() else { return work() };
        let done = pool.install(work);
        self.give_back(pool);
        done
    }
}

/// The threads of a session: its own, shared ones, or those that it was opened on.
pub enum Pool {
    /// Threads of its own.
    Own(rayon::ThreadPool),
    /// Threads that other sessions use too.
    Shared(Arc<SharedPools>),
    /// The threads of the caller.
    Callers,
}

impl Pool {
    /// So many threads; 0 for one per core.
    pub fn new(threads: usize) -> Result<Self, MapError> {
        match rayon::current_thread_index() {
            Some(_) => Ok(Self::Callers),
            None => pool(threads).map(Self::Own),
        }
    }

    /// Runs work on them.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Own(pool) => pool.install(work),
            Self::Shared(pools) => pools.install(work),
            Self::Callers => work(),
        }
    }
}

/// Threads to work on; 0 for one per core.
fn pool(threads: usize) -> Result<rayon::ThreadPool, MapError> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(bounded(threads));
    let pool = builder.stack_size(STACK_BYTES).build();
    pool.map_err(|error| MapError::Threads { threads, reason: error.to_string() })
}

fn bounded(threads: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    threads.min(cores.saturating_mul(MOST_PER_CORE).max(FEW))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::{Pool, SharedPools, bounded, on_threads};

    #[test]
    fn sessions_that_share_pools_have_as_many_as_work_at_once() {
        let pools = SharedPools::new(2);
        let threads = || Pool::Shared(pools.clone()).install(rayon::current_num_threads);
        for _ in 0..50 {
            assert_eq!(threads(), 2);
        }
        assert_eq!(pools.idle.lock().unwrap().len(), 1);
        let both = Barrier::new(2);
        let waiting = || Pool::Shared(pools.clone()).install(|| both.wait().is_leader());
        let leaders = thread::scope(|scope| {
            [scope.spawn(waiting), scope.spawn(waiting)].map(|it| it.join().unwrap())
        });
        assert_eq!(leaders.iter().filter(|is_leader| **is_leader).count(), 1);
        assert_eq!(pools.idle.lock().unwrap().len(), 2);
    }

    #[test]
    fn threads_that_would_have_nothing_to_do_are_not_started() {
        assert_eq!((bounded(0), bounded(1), bounded(32)), (0, 1, 32));
        assert!(bounded(8000) < 8000);
        assert!(on_threads(usize::MAX, rayon::current_num_threads).unwrap() < 8000);
    }

    #[test]
    fn work_inside_work_stays_on_its_pool() {
        let inner = || on_threads(7, rayon::current_num_threads).unwrap();
        assert_eq!(on_threads(2, inner).unwrap(), 2);
        let of_session = || Pool::new(7).unwrap().install(rayon::current_num_threads);
        assert_eq!(on_threads(2, of_session).unwrap(), 2);
        assert_eq!(of_session(), 7);
    }
}
