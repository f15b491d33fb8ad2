//! Typed indexes: a position in one table cannot be used for another.
//!
//! An index takes four bytes, and so does an `Option` of it. It is stored as the number that it is.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Defines an index type.
macro_rules! index_types {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        // One more than the number: zero is left for `None`.
        pub struct $name(NonZeroU32);

        impl $name {
            /// The index with a number.
            #[inline]
            pub const fn new(number: u32) -> Self {
                Self(NonZeroU32::MIN.saturating_add(number))
            }

            /// The index of a position in a slice.
            #[inline]
            pub const fn at(position: usize) -> Self {
                Self::new(position as u32)
            }

            /// The indexes of the first `count` positions, in order.
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
                (0..count as u32).map(Self::new)
            }

            /// All indexes, in order, to zip with a list.
            pub fn all() -> impl Iterator<Item = Self> {
                (0u32..).map(Self::new)
            }

            /// Its number.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0.get() - 1
            }

            /// Its position in a slice.
            #[inline]
            pub const fn index(self) -> usize {
                self.number() as usize
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(0)
            }
        }

        impl PartialEq<u32> for $name {
            fn eq(&self, other: &u32) -> bool {
                self.number() == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.number(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.number(), f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.number().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u32::deserialize(deserializer).map(Self::new)
            }
        }
    )*};
}

index_types! {
    /// A file: its position among the files of a map, universe first.
    FileId,
    /// A node: its position in a graph, whose nodes are sorted by id.
    NodeIndex,
}

#[cfg(test)]
mod tests {
    use super::FileId;

    #[test]
    fn an_optional_index_costs_nothing() {
        assert_eq!(size_of::<Option<FileId>>(), size_of::<u32>());
    }

    #[test]
    fn indexes_are_ordered_by_number() {
        assert_eq!(FileId::first(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(FileId::new(7) < FileId::new(10));
        assert_eq!(FileId::new(7).index(), 7);
        assert_eq!(format!("{} {:?}", FileId::at(3), Some(FileId::default())), "3 Some(0)");
    }

    #[test]
    fn the_greatest_number_is_not_an_index() {
        assert_eq!(FileId::new(u32::MAX).number(), u32::MAX - 1);
    }
}
