//! Counts the bytes scanned in search of an end, for the test that checks its growth.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn add(count: usize) {
    STEPS.set(STEPS.get() + count);
}

/// The count since the last call.
pub(crate) fn take() -> usize {
    STEPS.take()
}
