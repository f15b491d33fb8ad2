//! Parsers get any text. One that panics fails for that text only, and without a message: it would help only the authors
//! of the parser.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static IS_SHIELDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is caught. Front ends that print panics check this first.
pub fn is_catching_panics() -> bool {
    IS_SHIELDED.get()
}

/// Runs work; `None` if it panics.
pub fn catch_panics<T>(work: impl FnOnce() -> T) -> Option<T> {
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
