//! Sorting where it is not what takes the time.
//!
//! The standard library makes its sort anew for each type, 5 KB each time, and there are a hundred types. Here numbers are sorted in
//! the place of the things, so one sort serves all. Equal things stay in their order. What sorts a whole map at once
//! should sort by itself.

use std::cmp::Ordering;

/// Fewer than this are sorted where they stand.
const FEW: usize = 16;

/// Sorts by one sort for all types.
pub trait Arrange<T> {
    /// As `sort` does.
    fn arrange(&mut self)
    where
        T: Ord;
    /// As `sort_by` does.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);
    /// As `sort_by_key` does.
    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Arrange<T> for [T] {
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.sort_by(T::cmp);
    }

    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() < FEW {
            for end in 1..self.len() {
                let mut at = end;
                while at > 0 && compare(&self[at - 1], &self[at]).is_gt() {
                    self.swap(at - 1, at);
                    at -= 1;
                }
            }
            return;
        }
        let order = ordered(self.len(), &mut |left, right| compare(&self[left], &self[right]));
        follow(order, &mut |left, right| self.swap(left, right));
    }

    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.sort_by(|left, right| key(left).cmp(&key(right)));
    }
}

/// The numbers below `count` in an order.
fn ordered(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|left, right| compare(*left, *right));
    order
}

/// Brings to each place what the order says, from place to place: each is swapped once.
fn follow(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Arrange as _;

    proptest! {
        #[test]
        fn it_is_the_stable_sort(items in prop::collection::vec((0..9u8, any::<u16>()), 0..80)) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            ours.sort_by_key(|item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(&ours, &theirs);
            ours.sort();
            theirs.sort_unstable();
            prop_assert_eq!(ours, theirs);
        }
    }

    /// One sort a type was the reason for this; many swaps for each thing would be another.
    #[test]
    fn what_stands_the_wrong_way_round_is_turned_in_one_pass() {
        let mut items: Vec<u32> = (0..100_000).rev().collect();
        items.sort();
        assert!(items.is_sorted());
    }
}
