//! Room on the stack for code that nests deeply.

use std::{panic, thread};

use crate::nesting::{self, Nesting};

/// What a level of nesting costs in the parser and the walks, with room to spare: the dearest that
/// was measured is 1.8 KB, for parentheses and arrays.
const LEVEL: usize = 4 << 10;
/// The least that a stack has: what does not depend on the nesting.
const GROUND: usize = 1 << 20;
/// Text that may be read on the caller's stack without a closer look: even if all of it nests, two
/// megabytes are enough.
const SHORT_TEXT: usize = 16 << 10;
const FEW_LEVELS: usize = 800;
/// Levels that a caller's stack has room for: by the estimate on two megabytes, and, if the
/// estimate were wrong, by the bound on eight.
const USUAL_LEVELS: usize = 150;
const MOST_LEVELS: usize = 4_000;
/// A stack that is only reserved, not used, costs next to nothing up to this size.
const ROOMY: usize = 256 << 20;
/// More open guesses than this take the parser too long.
const MOST_GUESSES: usize = 400;
/// No stack is larger than this.
const LARGEST: usize = 1 << 30;

/// Where a text can be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// On the stack of the caller.
    Here,
    /// On a stack of this size.
    Elsewhere(usize),
    /// Nowhere.
    None,
}

/// Runs `work`, which needs stack by the nesting of `text`, where there is room for it.
/// `None` if there is none.
pub(crate) fn with_room_for<R: Send>(text: &str, work: impl FnOnce() -> R + Send) -> Option<R> {
    match room_for(text) {
        Room::Here => Some(work()),
        Room::Elsewhere(size) => thread::scope(|scope| {
            let worker = thread::Builder::new().stack_size(size).spawn_scoped(scope, work).ok()?;
            Some(worker.join().unwrap_or_else(|payload| panic::resume_unwind(payload)))
        }),
        Room::None => None,
    }
}

fn room_for(text: &str) -> Room {
    if text.len() <= SHORT_TEXT && nesting::bound(text) <= FEW_LEVELS {
        return Room::Here;
    }
    let Nesting { bound, estimate, guesses } = nesting::measure(text);
    if guesses > MOST_GUESSES {
        return Room::None;
    }
    if estimate <= USUAL_LEVELS && bound <= MOST_LEVELS {
        return Room::Here;
    }
    // The bound can't be wrong; where it would cost too much, twice the estimate must do.
    let safe = GROUND + bound * LEVEL;
    let likely = GROUND + estimate * 2 * LEVEL;
    if safe <= ROOMY {
        Room::Elsewhere(safe)
    } else if likely <= LARGEST {
        Room::Elsewhere(likely.max(ROOMY))
    } else {
        Room::None
    }
}
