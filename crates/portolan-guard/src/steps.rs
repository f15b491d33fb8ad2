//! How many bytes were gone over in search of an end, for the test that sees it grow.

use std::cell::Cell;

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn add(count: usize) {
    STEPS.set(STEPS.get() + count);
}

/// What was counted since it was last asked.
pub(crate) fn take() -> usize {
    STEPS.take()
}
