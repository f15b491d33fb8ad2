//! The threads of a use case: one pool, of the requested size.

use std::num::NonZero;

use crate::map::MapError;

/// The stack for parsing, which recurses. Reserved memory costs nothing.
pub const PARSER_STACK: usize = 256 << 20;
/// The stack of threads that read: parsing, and its callers.
const STACK_BYTES: usize = PARSER_STACK + (4 << 20);

/// More threads per core would only wait.
const MOST_PER_CORE: usize = 4;
/// So many threads are always allowed.
const FEW: usize = 32;

/// Runs work on so many threads; 0 for one per core. Work that is on a pool already stays there. It starts no more
/// threads than are useful.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, MapError> {
    if rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    Ok(pool(threads)?.install(work))
}

/// The threads of a session: its own, or those that it was opened on.
pub enum Pool {
    /// Threads of its own.
    Own(rayon::ThreadPool),
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
    use super::{Pool, bounded, on_threads};

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
