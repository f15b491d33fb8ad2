//! Edge kinds and how an edge was found, each as a small bit set.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use serde::{Deserialize, Serialize};

/// Why one file needs another.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum EdgeKind {
    /// Needed when the module is evaluated.
    #[default]
    Runtime,
    /// Needed by the type checker only.
    Type,
    /// Loaded later, if at all.
    Dynamic,
}

impl EdgeKind {
    /// Every kind, in the order of their bits.
    pub const ALL: [Self; 3] = [Self::Runtime, Self::Type, Self::Dynamic];

    /// Its name in the meta, the graph and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Type => "type",
            Self::Dynamic => "dynamic",
        }
    }

    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The mask of just this kind.
    pub fn mask(self) -> KindMask {
        match self {
            Self::Runtime => KindMask::RUNTIME,
            Self::Type => KindMask::TYPE,
            Self::Dynamic => KindMask::DYNAMIC,
        }
    }
}

/// A set of edge kinds: runtime 1, type 2, dynamic 4.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindMask(u8);

impl KindMask {
    /// No kind: an entry with this mask selects its seed only.
    pub const NONE: Self = Self(0);
    /// Runtime only.
    pub const RUNTIME: Self = Self(1);
    /// Type only.
    pub const TYPE: Self = Self(2);
    /// Dynamic only.
    pub const DYNAMIC: Self = Self(4);
    /// All three kinds.
    pub const ALL: Self = Self(7);

    /// Keeps the known bits of a number; the caller reports the others.
    pub fn from_bits_truncate(bits: u64) -> Self {
        Self((bits & u64::from(Self::ALL.0)) as u8)
    }

    /// Its number in meta and state.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether it has no kind.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two masks share a kind.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has every kind of `other`.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Its kinds, in the order of their bits.
    pub fn kinds(self) -> impl Iterator<Item = EdgeKind> {
        EdgeKind::ALL.into_iter().filter(move |kind| self.meets(kind.mask()))
    }
}

impl BitOr for KindMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for KindMask {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl FromIterator<EdgeKind> for KindMask {
    fn from_iter<I: IntoIterator<Item = EdgeKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, |mask, kind| mask | kind.mask())
    }
}

impl fmt::Debug for KindMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.kinds().map(EdgeKind::name)).finish()
    }
}

/// How an edge was found: explicit 1 (written in the file), implicit 2 (through a barrel).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResolutionMask(u8);

impl ResolutionMask {
    /// Written in the file. This is the default, so the meta leaves it out.
    pub const EXPLICIT: Self = Self(1);
    /// Found by following re-exports.
    pub const IMPLICIT: Self = Self(2);
    /// Both.
    pub const BOTH: Self = Self(3);

    /// The mask with a number.
    pub fn from_bits(bits: u64) -> Option<Self> {
        (1..=3).contains(&bits).then_some(Self(bits as u8))
    }

    /// Its number in the meta.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether the two masks share a bit.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for ResolutionMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
