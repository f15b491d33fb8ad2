//! Reads git's index, as far as the universe needs it: the names of tracked files.
//!
//! Supports versions 2 to 4, split and sparse indexes, SHA-1 and SHA-256. The bytes come from a clone and are
//! not trusted: no number in them causes an allocation, a name assembled from pieces counts with its full
//! length, and nothing recurses. The checksum at the end is not verified (git does not do so either when
//! reading): whoever can write the index can write its checksum.

use std::ops::Range;

use super::bitmap::Bitmap;

/// What is wrong with an index; the message follows its name.
pub(super) type IndexError = String;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    /// A file or a link.
    File,
    /// A commit of another repository.
    Submodule,
    /// A folder outside the sparse checkout, with its whole content.
    SparseFolder,
}

#[derive(Clone, Debug)]
struct IndexEntry {
    /// The range of its name in [`GitIndex::names`].
    name: Range<usize>,
    kind: EntryKind,
    stamp: StatRecord,
    /// Whether a sparse checkout leaves it out.
    is_absent: bool,
}

/// What the index records about a file on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StatRecord {
    /// The id of its content.
    pub(super) id: [u8; 20],
    seconds: u32,
    nanos: u32,
    size: u32,
}

impl StatRecord {
    /// Whether a file with this size and time is the recorded one. A file without a time never is.
    pub(super) fn fits(&self, size: u64, mtime_ns: i128) -> bool {
        let seconds = u32::try_from(mtime_ns.div_euclid(1_000_000_000));
        let nanos = u32::try_from(mtime_ns.rem_euclid(1_000_000_000));
        self.seconds != 0
            && size & 0xffff_ffff == u64::from(self.size)
            && seconds == Ok(self.seconds)
            && (self.nanos == 0 || nanos == Ok(self.nanos))
    }
}

/// A parsed index.
#[derive(Debug, Default)]
pub(super) struct GitIndex {
    /// All names, concatenated.
    names: Vec<u8>,
    entries: Vec<IndexEntry>,
    link: Option<SplitLink>,
    /// Folders whose content equals a tree with this id; each ends in a slash, and the top is empty.
    trees: Vec<(String, [u8; 20])>,
}

/// The link of a split index to the file that has most of its entries.
#[derive(Debug)]
struct SplitLink {
    /// The checksum of that file, which is also part of its name.
    shared: Vec<u8>,
    /// Which of its entries are removed, and which are replaced.
    changes: Option<(Bitmap, Bitmap)>,
}

const SIGNATURE: &[u8] = b"DIRC";
/// The times, device, inode, mode, owners and size.
const STAT_BYTES: usize = 40;
/// The offset of the mode among them.
const MODE_AT: usize = 24;
/// The longest file name that can be opened.
const MOST_NAME: usize = 4096;

impl GitIndex {
    /// Parses an index whose digests have this length.
    pub(super) fn read(bytes: &[u8], hash_bytes: usize) -> Result<Self, IndexError> {
        let mut rest = IndexCursor { bytes };
        if rest.take(4)? != SIGNATURE {
            return Err("it is not a git index".to_owned());
        }
        let version = rest.number()?;
        if !(2..=4).contains(&version) {
            return Err(format!("its version is {version}; only 2, 3 and 4 are supported"));
        }
        let count = rest.number()?;
        let mut index = Self::default();
        // Only names that share prefixes can be longer in total than the file.
        let most_names = bytes.len().saturating_mul(4);
        for _ in 0..count {
            index.entry(&mut rest, version, hash_bytes)?;
            if index.names.len() > most_names {
                return Err("its names are too long in total".to_owned());
            }
        }
        index.extensions(rest, hash_bytes)?;
        Ok(index)
    }

    fn entry(
        &mut self,
        rest: &mut IndexCursor<'_>,
        version: u32,
        hash_bytes: usize,
    ) -> Result<(), IndexError> {
        let before = rest.bytes.len();
        let stat = rest.take(STAT_BYTES)?;
        let mode = IndexCursor { bytes: &stat[MODE_AT..] }.number()?;
        let field = |at: usize| IndexCursor { bytes: &stat[at..] }.number();
        let mut stamp =
            StatRecord { id: [0; 20], seconds: field(8)?, nanos: field(12)?, size: field(36)? };
        stamp.id.copy_from_slice(&rest.take(hash_bytes)?[..20]);
        let flags = rest.short()?;
        let is_extended = version > 2 && flags & 0x4000 != 0;
        let is_absent = is_extended && rest.short()? & 0x4000 != 0;
        let start = self.names.len();
        if version == 4 {
            let shared = self.shared_with_last(rest.offset()?)?;
            self.names.extend_from_within(shared);
            self.names.extend_from_slice(rest.until_nul()?);
        } else {
            let length = usize::from(flags & 0x0FFF);
            // The length field holds this value for all longer names.
            let name = if length == 0x0FFF { rest.peek_until_nul()? } else { rest.peek(length)? };
            self.names.extend_from_slice(name);
            let used = before - rest.bytes.len() + name.len();
            // At least one byte of padding ends the name.
            rest.take(name.len() + (8 - used % 8))?;
        }
        let name = start..self.names.len();
        if name.len() > MOST_NAME {
            return Err(format!("a name in it is longer than {MOST_NAME} bytes"));
        }
        let kind = match mode >> 12 {
            0o16 => EntryKind::Submodule,
            0o04 => EntryKind::SparseFolder,
            _ => EntryKind::File,
        };
        self.entries.push(IndexEntry { name, kind, stamp, is_absent });
        Ok(())
    }

    /// The prefix of the previous name that the next name shares, after removing `stripped` bytes.
    fn shared_with_last(&self, stripped: usize) -> Result<Range<usize>, IndexError> {
        let last = self.entries.last().map_or(0..0, |entry| entry.name.clone());
        let end = last.end.checked_sub(stripped).filter(|end| *end >= last.start);
        // Before the first entry there is nothing to remove.
        match end {
            Some(end) => Ok(last.start..end),
            None => Err("a name in it lacks its prefix".to_owned()),
        }
    }

    fn extensions(
        &mut self,
        mut rest: IndexCursor<'_>,
        hash_bytes: usize,
    ) -> Result<(), IndexError> {
        let length = rest.bytes.len().checked_sub(hash_bytes).ok_or_else(ends_early)?;
        rest.bytes = &rest.bytes[..length];
        while !rest.bytes.is_empty() {
            let signature = rest.take(4)?;
            let length = rest.number()? as usize;
            let mut content = IndexCursor { bytes: rest.take(length)? };
            match signature {
                b"TREE" if hash_bytes == 20 => self.trees = trees(&mut content).unwrap_or_default(),
                b"link" => self.link = Some(SplitLink::read(&mut content, hash_bytes)?),
                // It only says that there are sparse folders, which the entries show anyway.
                b"sdir" => {}
                // An extension with a lower-case name changes the meaning of the entries.
                _ if signature[0].is_ascii_lowercase() => {
                    let name = String::from_utf8_lossy(signature);
                    return Err(format!("it needs the extension `{}`", name.escape_default()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The stat records of the files below a folder, by path relative to it.
    pub(super) fn stamps(&self, below: &str) -> std::collections::BTreeMap<String, StatRecord> {
        let inside = if below.is_empty() { String::new() } else { format!("{below}/") };
        let files = self.entries.iter().filter(|entry| entry.kind == EntryKind::File);
        let stamps = files.filter_map(|entry| {
            let name = self.names.get(entry.name.clone())?;
            let path = std::str::from_utf8(name).ok()?.strip_prefix(&inside)?;
            Some((path.to_owned(), entry.stamp))
        });
        stamps.collect()
    }

    /// The files below a folder that ends in a slash, with the ids of their content.
    pub(super) fn files(&self, folder: &str) -> impl Iterator<Item = (&str, [u8; 20])> {
        let files = self.entries.iter().filter(|entry| entry.kind == EntryKind::File);
        files.filter_map(move |entry| {
            let name = std::str::from_utf8(self.names.get(entry.name.clone())?).ok()?;
            name.starts_with(folder).then_some((name, entry.stamp.id))
        })
    }

    /// The files that a sparse checkout leaves out, with the ids of their content.
    pub(super) fn absent_files(&self) -> impl Iterator<Item = (&str, [u8; 20])> {
        self.select(|entry| entry.kind == EntryKind::File && entry.is_absent)
    }

    /// The folders that stand for their whole content, each with a slash, and the ids of their trees.
    pub(super) fn folded_folders(&self) -> impl Iterator<Item = (&str, [u8; 20])> {
        self.select(|entry| entry.kind == EntryKind::SparseFolder)
    }

    fn select(&self, is_wanted: fn(&IndexEntry) -> bool) -> impl Iterator<Item = (&str, [u8; 20])> {
        let entries = self.entries.iter().filter(move |entry| is_wanted(entry));
        entries.filter_map(|entry| {
            let name = std::str::from_utf8(self.names.get(entry.name.clone())?).ok()?;
            Some((name, entry.stamp.id))
        })
    }

    /// The folders known to equal a tree, by path with a slash, and the ids of those trees.
    pub(super) fn trees(&self) -> std::collections::BTreeMap<&str, [u8; 20]> {
        // A split index has its entries elsewhere.
        let own = self.trees.iter().filter(|_| self.link.is_none());
        own.map(|(path, id)| (path.as_str(), *id)).collect()
    }

    /// The checksum of the shared index, if this one is split.
    pub(super) fn shared(&self) -> Option<&[u8]> {
        let shared = self.link.as_ref().map(|link| link.shared.as_slice());
        shared.filter(|shared| shared.iter().any(|byte| *byte != 0))
    }

    /// Merges a split index with its shared index.
    pub(super) fn joined(self, mut base: Self) -> Result<Self, IndexError> {
        let Some(SplitLink { changes: Some((deleted, replaced)), .. }) = &self.link else {
            return Ok(base);
        };
        let deleted = deleted.set(base.entries.len())?;
        let replaced = replaced.set(base.entries.len())?;
        let mut own = self.entries.iter();
        for at in replaced.iter().enumerate().filter_map(|(at, is_set)| is_set.then_some(at)) {
            let entry =
                own.next().ok_or_else(|| "an entry that it replaces is missing".to_owned())?;
            let name = base.entries[at].name.clone();
            base.entries[at] = IndexEntry { name, ..entry.clone() };
        }
        // The cached trees of the shared index describe its own entries only.
        base.trees.clear();
        let mut is_deleted = deleted.into_iter();
        base.entries.retain(|_| !is_deleted.next().unwrap_or(false));
        for entry in own {
            let start = base.names.len();
            base.names.extend_from_slice(&self.names[entry.name.clone()]);
            base.entries.push(IndexEntry { name: start..base.names.len(), ..entry.clone() });
        }
        Ok(base)
    }

    /// The names of tracked files; those of submodules end in a slash. Omits files in folders that are not
    /// checked out, because the index lists only the folders.
    pub(super) fn names(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let known = self.entries.iter().filter(|entry| entry.kind != EntryKind::SparseFolder);
        known.map(|entry| (&self.names[entry.name.clone()], entry.kind == EntryKind::Submodule))
    }
}

impl SplitLink {
    fn read(content: &mut IndexCursor<'_>, hash_bytes: usize) -> Result<Self, IndexError> {
        let shared = content.take(hash_bytes)?.to_vec();
        if content.bytes.is_empty() {
            return Ok(Self { shared, changes: None });
        }
        let changes = (content.bitmap()?, content.bitmap()?);
        Ok(Self { shared, changes: Some(changes) })
    }
}

/// Parses the cached trees: for each folder its name, the number of entries (-1 if the cache is invalid), the
/// number of subfolders, and the id of the tree; then its subfolders.
fn trees(content: &mut IndexCursor<'_>) -> Result<Vec<(String, [u8; 20])>, IndexError> {
    let mut found = Vec::new();
    // The enclosing folders, each with the number of subfolders still to come.
    let mut around: Vec<(String, usize)> = Vec::new();
    while !content.bytes.is_empty() {
        let name = String::from_utf8_lossy(content.until_nul()?).into_owned();
        let line = content.bytes.iter().position(|byte| *byte == b'\n').ok_or_else(ends_early)?;
        let numbers = String::from_utf8_lossy(content.take(line)?).into_owned();
        content.take(1)?;
        let (entries, folders) = numbers.split_once(' ').ok_or_else(ends_early)?;
        let folders: usize = folders.parse().map_err(|_| ends_early())?;
        while around.last().is_some_and(|(_, left)| *left == 0) {
            around.pop();
        }
        let path = match around.last_mut() {
            Some((above, left)) => {
                *left -= 1;
                format!("{above}{name}/")
            }
            None => String::new(),
        };
        if path.len() > MOST_NAME || around.len() > MOST_NAME {
            return Err("a name in it is too long".to_owned());
        }
        if !entries.starts_with('-') {
            let id = content.take(20)?.try_into().map_err(|_| ends_early())?;
            found.push((path.clone(), id));
        }
        around.push((path, folders));
    }
    Ok(found)
}

fn ends_early() -> IndexError {
    "it is truncated".to_owned()
}

/// The unread rest of an index.
struct IndexCursor<'b> {
    bytes: &'b [u8],
}

impl<'b> IndexCursor<'b> {
    fn peek(&self, length: usize) -> Result<&'b [u8], IndexError> {
        self.bytes.get(..length).ok_or_else(ends_early)
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], IndexError> {
        let taken = self.peek(length)?;
        self.bytes = &self.bytes[length..];
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, IndexError> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn short(&mut self) -> Result<u16, IndexError> {
        let bytes = self.take(2)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u16::from(*byte)))
    }

    fn peek_until_nul(&self) -> Result<&'b [u8], IndexError> {
        let end = self.bytes.iter().position(|byte| *byte == 0).ok_or_else(ends_early)?;
        self.peek(end)
    }

    fn until_nul(&mut self) -> Result<&'b [u8], IndexError> {
        let text = self.peek_until_nul()?;
        self.take(text.len() + 1)?;
        Ok(text)
    }

    /// A variable-length number: seven bits per byte, with a unique encoding.
    fn offset(&mut self) -> Result<usize, IndexError> {
        let mut value = 0usize;
        loop {
            let byte = self.take(1)?[0];
            value = value << 7 | usize::from(byte & 0x7F);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value += 1;
            if value > MOST_NAME {
                return Err("a name in it lacks its prefix".to_owned());
            }
        }
    }

    fn bitmap(&mut self) -> Result<Bitmap, IndexError> {
        // The number of bits follows from the entries.
        self.number()?;
        let words = self.number()? as usize;
        let bitmap = Bitmap::new(self.take(words.checked_mul(8).ok_or_else(ends_early)?)?);
        // The writer's position, which readers ignore.
        self.number()?;
        Ok(bitmap)
    }
}
