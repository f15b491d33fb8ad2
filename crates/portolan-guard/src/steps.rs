//! Counts the work of a search, so that no text can make it take long.
//!
//! A rule may look at more bytes than it moves on by: at the value behind a name, at the object around a word. A text of
//! nothing but such beginnings would be read again for each. So the rules count what they look at, in steps of about a
//! nanosecond, and a search ends when the count is out of proportion to the text. A count of steps, unlike a clock,
//! gives the same result every time.

use std::cell::Cell;

/// How many steps a search may take for each byte of its text. Texts that people write take fewer than four.
const STEPS_PER_BYTE: usize = 16;
/// And how many whatever the length.
const STEPS_FREE: usize = 1 << 20;

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Counts steps.
pub(crate) fn add(count: usize) {
    STEPS.set(STEPS.get().saturating_add(count));
}

/// Starts counting for a search. The earlier count goes on when it ends.
pub(crate) fn restart() -> usize {
    STEPS.take()
}

/// The count since the start.
pub(crate) fn count() -> usize {
    STEPS.get()
}

/// Whether the search of a text has taken all its steps. A rule that looks at many places in one go asks between them.
pub(crate) fn is_spent(length: usize) -> bool {
    count() > limit(length)
}

/// How many steps a text of some length may take.
pub(crate) fn limit(length: usize) -> usize {
    length.saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS_FREE)
}
