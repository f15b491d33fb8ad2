//! Parsers are handed any text there is. One that fails on a text fails for that text alone, and quietly: what
//! the runtime would print of it helps nobody but whoever wrote the parser.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static IS_SHIELDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in work whose failure is taken care of. A front end that prints panics asks here
/// whether to.
pub fn is_catching_panics() -> bool {
    IS_SHIELDED.get()
}

/// Does some work; `None` where it panics.
pub(crate) fn catch_panics<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = IS_SHIELDED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_SHIELDED.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use std::panic;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{catch_panics, is_catching_panics};

    #[test]
    fn a_failure_is_an_answer_and_a_front_end_can_keep_quiet_about_it() {
        static HEARD: AtomicUsize = AtomicUsize::new(0);
        let before = panic::take_hook();
        panic::set_hook(Box::new(|_| {
            HEARD.fetch_add(usize::from(!is_catching_panics()), Ordering::Relaxed);
        }));
        assert_eq!(catch_panics(|| 1), Some(1));
        assert_eq!(catch_panics(|| catch_panics(|| panic!("inside"))), Some(None::<()>));
        assert_eq!(catch_panics(|| -> u8 { panic!("outside") }), None);
        assert!(!is_catching_panics());
        assert_eq!(HEARD.load(Ordering::Relaxed), 0);
        assert!(panic::catch_unwind(|| panic!("bare")).is_err());
        assert_eq!(HEARD.load(Ordering::Relaxed), 1);
        panic::set_hook(before);
    }
}
