//! Node ids and node kinds.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::cmp_utf16;

/// The name of a node in the map: a repo-relative POSIX path for a file, `node:<name>` for a
/// builtin, the specifier as written for a missing module.
///
/// Cheap to clone. Ordered as RFC 8785 orders keys, so a sorted list of ids is in its final order.
/// An id is a name, not a permission: it becomes a path only through [`crate::RepoPath::new`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Takes any text as an id.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Ord for NodeId {
    fn cmp(&self, other: &Self) -> Ordering {
        cmp_utf16(&self.0, &other.0)
    }
}

impl PartialOrd for NodeId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl From<&str> for NodeId {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for NodeId {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A file of the universe.
    Source,
    /// A resolved file outside the universe, usually of an installed package.
    External,
    /// A module that Node itself provides.
    Builtin,
    /// A specifier that leads nowhere.
    Missing,
}

impl NodeKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Source, Self::External, Self::Builtin, Self::Missing];

    /// Its code in the meta (`k`).
    pub fn code(self) -> u8 {
        match self {
            Self::Source => 0,
            Self::External => 1,
            Self::Builtin => 2,
            Self::Missing => 3,
        }
    }

    /// The kind with a code in the meta.
    pub fn from_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| u64::from(kind.code()) == code)
    }

    /// Its name in the graph.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::External => "external",
            Self::Builtin => "builtin",
            Self::Missing => "missing",
        }
    }

    /// The kind with a name in the graph.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether such a node is a file that can be read and archived.
    pub fn is_file(self) -> bool {
        matches!(self, Self::Source | Self::External)
    }
}
