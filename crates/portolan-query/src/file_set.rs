//! The files that a question was asked of, shown or not.

use portolan_types::Sha256Digest;
use portolan_vfs::sha256;

/// How many files there are, and the digest of their names: an answer also depends on files that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSet {
    /// How many.
    pub count: usize,
    /// The digest of their paths, in order.
    pub names: Sha256Digest,
}

impl FileSet {
    /// The set of some sorted paths.
    pub fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let (mut count, mut bytes) = (0, Vec::new());
        for path in paths {
            count += 1;
            bytes.extend_from_slice(path.as_bytes());
            bytes.push(0);
        }
        Self { count, names: sha256(&bytes) }
    }
}

impl Default for FileSet {
    fn default() -> Self {
        Self::of(std::iter::empty())
    }
}
