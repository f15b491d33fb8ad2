//! Filling ordered maps and sets where it is not what takes the time.
//!
//! `collect` sorts a list first, by a sort that is made anew for each type, 7 KB each time. Here things are put in one after the other.

use std::collections::{BTreeMap, BTreeSet};

/// An ordered map or set.
pub trait Ordered<T>: Default {
    /// Puts in one more; of two with the same key the later one stays.
    fn put(&mut self, one: T);
}

impl<K: Ord, V> Ordered<(K, V)> for BTreeMap<K, V> {
    fn put(&mut self, (key, value): (K, V)) {
        self.insert(key, value);
    }
}

impl<T: Ord> Ordered<T> for BTreeSet<T> {
    fn put(&mut self, one: T) {
        self.insert(one);
    }
}

/// As `collect`, into an ordered map or set.
pub trait Gather: Iterator + Sized {
    /// As `collect` does.
    fn gather<C: Ordered<Self::Item>>(self) -> C {
        let mut all = C::default();
        for one in self {
            all.put(one);
        }
        all
    }
}

impl<I: Iterator> Gather for I {}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::Gather as _;

    #[test]
    fn it_is_what_collect_gives() {
        let items = [(2, "a"), (1, "b"), (2, "c")];
        let map: BTreeMap<u8, &str> = items.into_iter().collect();
        assert_eq!(map, items.into_iter().collect());
        let set: BTreeSet<u8> = [3, 1, 3].into_iter().collect();
        assert_eq!(set, BTreeSet::from([1, 3]));
    }
}
