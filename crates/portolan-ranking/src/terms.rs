//! Counting the words of a task in texts.

use rustc_hash::FxHashMap;

use crate::task::Task;
use crate::words::{identifiers, part_ranges, stem_length};

/// Finds the words of a task in texts.
pub struct TermIndex {
    numbers: FxHashMap<Box<[u8]>, u16>,
    longest: usize,
}

/// How often each word of a task stands in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// How many words the text has.
    pub length: u32,
    /// The number of a word and how often it stands there, sorted.
    pub counts: Vec<(u16, u32)>,
}

impl TermCounts {
    /// Adds those of another text.
    pub fn add(&mut self, other: &Self) {
        self.length = self.length.saturating_add(other.length);
        for (number, count) in &other.counts {
            match self.counts.binary_search_by_key(number, |(known, _)| *known) {
                Ok(at) => self.counts[at].1 += count,
                Err(at) => self.counts.insert(at, (*number, *count)),
            }
        }
    }
}

/// Where the words of a task stand in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermPositions {
    /// The places of all words, in order.
    pub all: Vec<u32>,
    /// The place and the number of each word of the task, in order.
    pub found: Vec<(u32, u16)>,
}

impl TermIndex {
    /// For the words of a task.
    pub fn new(task: &Task) -> Self {
        let each = task.terms.iter().zip(0u16..);
        let numbers: FxHashMap<Box<[u8]>, u16> =
            each.map(|(term, number)| (term.word.as_bytes().into(), number)).collect();
        let longest = task.terms.iter().map(|term| term.word.len()).max().unwrap_or(0);
        Self { numbers, longest }
    }

    /// Counts the words of the task in a text.
    pub fn count(&self, text: &[u8]) -> TermCounts {
        let mut counts = vec![0u32; self.numbers.len()];
        let mut length = 0u32;
        self.each(text, &mut |_, number| {
            length = length.saturating_add(1);
            if let Some(count) = number.and_then(|number| counts.get_mut(usize::from(number))) {
                *count += 1;
            }
        });
        let counts = (0u16..).zip(counts).filter(|(_, count)| *count > 0).collect();
        TermCounts { length, counts }
    }

    /// Finds the words of the task in a text.
    pub fn positions(&self, text: &[u8]) -> TermPositions {
        let mut positions = TermPositions::default();
        self.each(text, &mut |at, number| {
            positions.all.push(at as u32);
            positions.found.extend(number.map(|number| (at as u32, number)));
        });
        positions
    }

    /// Calls `each` for every word of a text with its number, if it is one of the task.
    fn each(&self, text: &[u8], each: &mut dyn FnMut(usize, Option<u16>)) {
        let mut lower: Vec<u8> = Vec::with_capacity(64);
        for (at, word) in identifiers(text) {
            lower.clear();
            lower.extend(word.iter().map(u8::to_ascii_lowercase));
            let mut parts = 0;
            part_ranges(word, &mut |start, end| {
                parts += 1;
                if end - start > 1 {
                    each(at, self.number(&lower[start..end]));
                }
            });
            if parts > 1 {
                each(at, self.number(&lower));
            }
        }
    }

    fn number(&self, word: &[u8]) -> Option<u16> {
        let stem = &word[..stem_length(word)];
        if stem.len() > self.longest {
            return None;
        }
        self.numbers.get(stem).copied()
    }
}

impl TermPositions {
    /// The counts in a part of the text, from a place to another.
    pub fn within(&self, start: u32, end: u32) -> TermCounts {
        let from = |list: &[u32], at: u32| list.partition_point(|place| *place < at);
        let length = from(&self.all, end).saturating_sub(from(&self.all, start)) as u32;
        let first = self.found.partition_point(|(at, _)| *at < start);
        let after = self.found.partition_point(|(at, _)| *at < end);
        let mut numbers: Vec<u16> = self
            .found
            .get(first..after.max(first))
            .unwrap_or_default()
            .iter()
            .map(|(_, number)| *number)
            .collect();
        numbers.sort_unstable();
        let counts = numbers.chunk_by(|left, right| left == right);
        let counts = counts.map(|same| (same[0], same.len() as u32)).collect();
        TermCounts { length, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::TermIndex;
    use crate::task::Task;

    #[test]
    fn words_are_counted_whole_and_in_parts() {
        let task = Task::new("orderBy query");
        let index = TermIndex::new(&task);
        let text = b"query.orderBy(query_order); // ORDER";
        let counts = index.count(text);
        let named: Vec<(&str, u32)> = counts
            .counts
            .iter()
            .map(|(number, count)| (task.terms[usize::from(*number)].word.as_str(), *count))
            .collect();
        assert_eq!(named, [("order", 3), ("orderb", 1), ("quer", 2)]);
        let positions = index.positions(text);
        assert_eq!(positions.within(0, text.len() as u32), counts);
        assert_eq!(positions.within(0, 5).counts.len(), 1);
    }
}
