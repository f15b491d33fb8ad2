//! Room on the stack for code that nests deeply.

use std::{panic, thread};

use crate::ecma::syntax::nesting::{self, Nesting};

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

/// The stack that a caller has who says nothing.
pub(crate) const USUAL_STACK: usize = 2 << 20;

/// How much of a text can nest at most, by a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes: no level has less than one.
    bytes: usize,
    /// Angle brackets and arrows: what the parser may have to guess.
    guesses: usize,
}

impl Extent {
    /// The extent of a text of which nothing spans two of these parts; each comes in pieces.
    pub(crate) fn of_parts<'t>(
        parts: impl Iterator<Item = impl Iterator<Item = &'t [u8]>>,
    ) -> Self {
        let mut most = Self::default();
        for part in parts {
            let (mut bytes, mut guesses) = (0, 0);
            for piece in part {
                bytes += piece.len();
                guesses += nesting::guess_bound(piece);
            }
            most = Self { bytes: most.bytes.max(bytes), guesses: most.guesses.max(guesses) };
        }
        most
    }

    /// Whether a text of this extent can be parsed on a stack of this size, without a closer look.
    fn fits(self, stack: usize) -> bool {
        GROUND + self.bytes * LEVEL <= stack && self.guesses <= MOST_GUESSES
    }
}

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

/// Runs `work`, which needs stack by the nesting of `text`, where there is room for it; the caller
/// has `stack` bytes. `extent` is that of the text, where it is known. `None` if there is no room
/// anywhere.
pub(crate) fn with_room_for<R: Send>(
    text: &str,
    extent: Option<Extent>,
    stack: usize,
    work: impl FnOnce() -> R + Send,
) -> Option<R> {
    let room = match extent {
        Some(extent) if extent.fits(stack) => Room::Here,
        _ => room_for(text, stack),
    };
    match room {
        Room::Here => Some(work()),
        Room::Elsewhere(size) => thread::scope(|scope| {
            let worker = thread::Builder::new().stack_size(size).spawn_scoped(scope, work).ok()?;
            Some(worker.join().unwrap_or_else(|payload| panic::resume_unwind(payload)))
        }),
        Room::None => None,
    }
}

fn room_for(text: &str, stack: usize) -> Room {
    // On a roomy stack two counts settle nearly every text; measuring takes as long as lexing.
    if stack > USUAL_STACK
        && nesting::guess_bound(text.as_bytes()) <= MOST_GUESSES
        && (GROUND + text.len() * LEVEL <= stack
            || GROUND + nesting::loose_bound(text) * LEVEL <= stack)
    {
        return Room::Here;
    }
    if text.len() <= SHORT_TEXT
        && nesting::bound(text) <= FEW_LEVELS
        && nesting::guess_bound(text.as_bytes()) <= MOST_GUESSES
    {
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
    let needed = if safe <= ROOMY { safe } else { likely.max(ROOMY) };
    match needed {
        _ if needed <= stack => Room::Here,
        _ if needed <= LARGEST => Room::Elsewhere(needed),
        _ => Room::None,
    }
}

#[cfg(test)]
mod tests {
    use super::{room_for, ROOMY, Room, USUAL_STACK};

    #[test]
    fn a_roomy_stack_reads_more_in_place_and_never_what_nests_too_deep_for_it() {
        let long = "call(a, b);\n".repeat(2000);
        assert_eq!(room_for(&long, ROOMY), Room::Here);
        let deep = "[".repeat(100_000);
        assert_ne!(room_for(&deep, ROOMY), Room::Here);
        let words = "typeof ".repeat(100_000);
        assert_ne!(room_for(&words, ROOMY), Room::Here);
        let generic = "type A = B<C>;\n".repeat(20_000);
        assert_eq!(room_for(&generic, ROOMY), Room::Here, "a thread of its own costs more");
        let guesses = "f<(a)=>".repeat(1000);
        assert_eq!(room_for(&guesses, ROOMY), Room::None);
        assert_eq!(room_for(&guesses, USUAL_STACK), Room::None);
        let doubling = "(infer T extends ".repeat(30);
        assert_eq!(room_for(&doubling, ROOMY), Room::None);
        assert_eq!(room_for(&doubling, USUAL_STACK), Room::None);
    }
}
