//! Parsers are handed any text there is. One that fails on a text fails for that text alone, and quietly: what
//! the runtime would print of it helps nobody but whoever wrote the parser.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static IS_SHIELDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in work whose failure is taken care of. A front end that prints panics asks here
/// whether to.
pub fn is_shielded() -> bool {
    IS_SHIELDED.get()
}

/// Does some work; `None` where it panics.
pub(crate) fn shielded<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = IS_SHIELDED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_SHIELDED.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use std::panic;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{is_shielded, shielded};

    #[test]
    fn a_failure_is_an_answer_and_a_front_end_can_keep_quiet_about_it() {
        static HEARD: AtomicUsize = AtomicUsize::new(0);
        let before = panic::take_hook();
        panic::set_hook(Box::new(|_| {
            HEARD.fetch_add(usize::from(!is_shielded()), Ordering::Relaxed);
        }));
        assert_eq!(shielded(|| 1), Some(1));
        assert_eq!(shielded(|| shielded(|| panic!("inside"))), Some(None::<()>));
        assert_eq!(shielded(|| -> u8 { panic!("outside") }), None);
        assert!(!is_shielded());
        assert_eq!(HEARD.load(Ordering::Relaxed), 0);
        assert!(panic::catch_unwind(|| panic!("bare")).is_err());
        assert_eq!(HEARD.load(Ordering::Relaxed), 1);
        panic::set_hook(before);
    }
}
