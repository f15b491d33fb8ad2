//! Moves in the history of baselines, as pure functions: nothing here touches a file.

use portolan_wire::history::{HistoryEntry, HistoryV1};

/// How many baselines to keep.
pub const KEPT: usize = 10;

/// A move in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To the previous one.
    Undo,
    /// To the next one.
    Redo,
    /// To the entry with an index.
    To(usize),
}

/// Adds an entry after the current one and makes it current. Returns the entries to drop: those that were
/// undone, and the oldest beyond [`KEPT`].
pub fn push(history: &mut HistoryV1, entry: HistoryEntry) -> Vec<HistoryEntry> {
    let end = if history.entries.is_empty() { 0 } else { history.index + 1 };
    let mut dropped: Vec<_> = history.entries.drain(end.min(history.entries.len())..).collect();
    history.entries.push(entry);
    let excess = history.entries.len().saturating_sub(KEPT);
    dropped.extend(history.entries.drain(..excess));
    history.index = history.entries.len() - 1;
    dropped
}

/// The index that a move leads to; the error says why it is impossible.
pub fn destination(history: &HistoryV1, step: Move) -> Result<usize, String> {
    let count = history.entries.len();
    if count == 0 {
        return Err("there is no history yet".to_owned());
    }
    let target = match step {
        Move::Undo => {
            history.index.checked_sub(1).ok_or("this is the oldest baseline that is kept")?
        }
        Move::Redo => history.index + 1,
        Move::To(index) => index,
    };
    match (target < count, step) {
        (true, _) => Ok(target),
        (false, Move::Redo) => Err("this is the newest baseline".to_owned()),
        (false, _) => Err(format!("there is no baseline {target}; there are 0 to {}", count - 1)),
    }
}

#[cfg(test)]
mod tests {
    use portolan_wire::history::{HistoryEntry, HistoryV1};

    use super::{KEPT, Move, destination, push};

    fn entry(at: u64) -> HistoryEntry {
        HistoryEntry { at, plain: None, context: None }
    }

    fn times(history: &HistoryV1) -> Vec<u64> {
        history.entries.iter().map(|entry| entry.at).collect()
    }

    #[test]
    fn a_new_entry_drops_the_undone_ones() {
        let mut history = HistoryV1::default();
        for at in 0..4 {
            assert_eq!(push(&mut history, entry(at)), []);
        }
        history.index = 1;
        assert_eq!(push(&mut history, entry(9)), [entry(2), entry(3)]);
        assert_eq!((times(&history), history.index), (vec![0, 1, 9], 2));
    }

    #[test]
    fn the_oldest_entry_is_dropped_at_the_limit() {
        let mut history = HistoryV1::default();
        let dropped: Vec<_> = (0..12).flat_map(|at| push(&mut history, entry(at))).collect();
        assert_eq!(dropped, [entry(0), entry(1)]);
        assert_eq!((history.entries.len(), history.index), (KEPT, KEPT - 1));
    }

    #[test]
    fn a_move_beyond_the_ends_is_rejected() {
        let mut history = HistoryV1::default();
        assert!(destination(&history, Move::Undo).is_err());
        push(&mut history, entry(0));
        push(&mut history, entry(1));
        assert_eq!(destination(&history, Move::Undo), Ok(0));
        assert!(destination(&history, Move::Redo).is_err());
        assert_eq!(destination(&history, Move::To(1)), Ok(1));
        assert!(destination(&history, Move::To(2)).is_err());
    }
}
