//! Finds enough stack for deeply nested code.

use std::{panic, thread};

use crate::ecma::syntax::nesting::{self, Nesting};

/// The stack cost of a nesting level in the parser and the walks, with a margin. The highest
/// measured cost is 1.8 KB, for parentheses and arrays.
const LEVEL_COST: usize = 4 << 10;
/// The stack that is needed without any nesting.
const BASE_STACK: usize = 1 << 20;
/// Shorter texts may be parsed on the caller's stack without a closer look: two megabytes are
/// enough even if all of it nests.
const SHORT_TEXT: usize = 16 << 10;
const FEW_LEVELS: usize = 800;
/// The levels that fit on the caller's stack: by the estimate on two megabytes and, if the estimate
/// were wrong, by the bound on eight.
const DEFAULT_LEVELS: usize = 150;
const MAX_LEVELS: usize = 4_000;
/// Reserving a stack up to this size costs next to nothing.
const LARGE_STACK: usize = 256 << 20;
/// With more open guesses than this, the parser takes too long.
const MAX_GUESSES: usize = 400;
/// The largest stack.
const MAX_STACK: usize = 1 << 30;

/// The assumed stack size of a caller that gives none.
pub(crate) const DEFAULT_STACK: usize = 2 << 20;

/// An upper bound of what can nest in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The bytes: each level has at least one.
    bytes: usize,
    /// The angle brackets and arrows, which the parser may have to guess.
    guesses: usize,
}

impl Extent {
    /// The extent of a text in which nothing spans two of these parts. Each part comes in pieces.
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

    /// Whether a text with this extent fits on a stack of this size.
    fn fits(self, stack: usize) -> bool {
        BASE_STACK + self.bytes * LEVEL_COST <= stack && self.guesses <= MAX_GUESSES
    }
}

/// Where a text can be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StackRoom {
    /// On the caller's stack.
    Here,
    /// On a stack of this size.
    Elsewhere(usize),
    /// Nowhere.
    None,
}

/// Runs `work`, whose stack use depends on the nesting of `text`, on a stack that is large enough.
/// The caller has `stack` bytes. `extent` is the extent of the text, if known. Returns `None` if
/// the text nests too deeply.
pub(crate) fn with_enough_stack<R: Send>(
    text: &str,
    extent: Option<Extent>,
    stack: usize,
    work: impl FnOnce() -> R + Send,
) -> Option<R> {
    let room = match extent {
        Some(extent) if extent.fits(stack) => StackRoom::Here,
        _ => choose_stack(text, stack),
    };
    match room {
        StackRoom::Here => Some(work()),
        StackRoom::Elsewhere(size) => thread::scope(|scope| {
            let worker = thread::Builder::new().stack_size(size).spawn_scoped(scope, work).ok()?;
            Some(worker.join().unwrap_or_else(|payload| panic::resume_unwind(payload)))
        }),
        StackRoom::None => None,
    }
}

fn choose_stack(text: &str, stack: usize) -> StackRoom {
    // On a large stack, two counts are enough for nearly every text. Measuring takes as long as
    // lexing.
    if stack > DEFAULT_STACK
        && nesting::guess_bound(text.as_bytes()) <= MAX_GUESSES
        && (BASE_STACK + text.len() * LEVEL_COST <= stack
            || BASE_STACK + nesting::loose_bound(text) * LEVEL_COST <= stack)
    {
        return StackRoom::Here;
    }
    if text.len() <= SHORT_TEXT
        && nesting::bound(text) <= FEW_LEVELS
        && nesting::guess_bound(text.as_bytes()) <= MAX_GUESSES
    {
        return StackRoom::Here;
    }
    let Nesting { bound, estimate, guesses } = nesting::measure(text);
    if guesses > MAX_GUESSES {
        return StackRoom::None;
    }
    if estimate <= DEFAULT_LEVELS && bound <= MAX_LEVELS {
        return StackRoom::Here;
    }
    // The bound is always safe. Where it would cost too much, twice the estimate must do.
    let safe = BASE_STACK + bound * LEVEL_COST;
    let likely = BASE_STACK + estimate * 2 * LEVEL_COST;
    let needed = if safe <= LARGE_STACK { safe } else { likely.max(LARGE_STACK) };
    match needed {
        _ if needed <= stack => StackRoom::Here,
        _ if needed <= MAX_STACK => StackRoom::Elsewhere(needed),
        _ => StackRoom::None,
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_STACK, LARGE_STACK, StackRoom, choose_stack};

    #[test]
    fn large_stack_parses_in_place_unless_too_deep() {
        let long = "call(a, b);\n".repeat(2000);
        assert_eq!(choose_stack(&long, LARGE_STACK), StackRoom::Here);
        let deep = "[".repeat(100_000);
        assert_ne!(choose_stack(&deep, LARGE_STACK), StackRoom::Here);
        let words = "typeof ".repeat(100_000);
        assert_ne!(choose_stack(&words, LARGE_STACK), StackRoom::Here);
        let generic = "type A = B<C>;\n".repeat(20_000);
        assert_eq!(
            choose_stack(&generic, LARGE_STACK),
            StackRoom::Here,
            "a thread of its own costs more"
        );
        let guesses = "f<(a)=>".repeat(1000);
        assert_eq!(choose_stack(&guesses, LARGE_STACK), StackRoom::None);
        assert_eq!(choose_stack(&guesses, DEFAULT_STACK), StackRoom::None);
        let doubling = "(infer T extends ".repeat(30);
        assert_eq!(choose_stack(&doubling, LARGE_STACK), StackRoom::None);
        assert_eq!(choose_stack(&doubling, DEFAULT_STACK), StackRoom::None);
    }
}
