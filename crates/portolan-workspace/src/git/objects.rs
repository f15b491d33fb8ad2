//! Reads git's objects: commits, trees and blobs, loose or packed.
//!
//! It reads only what is requested: packs in pages, which are cached, as are the bases of deltas. Neighbours in a
//! history share both. The bytes come from a clone and are not trusted: sizes are bounded, delta chains are
//! counted, and broken data gives an error message.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_vfs::System;

/// An object id.
pub(super) type Id = [u8; 20];

/// The largest object to read.
const MOST_BYTES: usize = 64 << 20;
/// The largest pack index to read, and the limit for all of them together.
const MOST_TABLE: usize = 512 << 20;
/// A longer or larger chain of deltas counts as broken.
const MOST_DELTAS: usize = 4096;
const MOST_DELTA_BYTES: usize = 256 << 20;
/// The limit for all bytes unpacked: applying deltas may cost far more than their size.
const MOST_WORK: usize = 16 << 30;
/// The limit for alternates of alternates.
const MOST_FOLDERS: usize = 16;

/// The page size for reading packs.
const PAGE: usize = 64 << 10;
/// The size limit of the page cache and of the object cache.
const MOST_KEPT: usize = 48 << 20;
/// Larger objects are not cached.
const MOST_KEPT_OBJECT: usize = 256 << 10;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// The objects of a repository.
pub(super) struct ObjectStore<'a> {
    system: &'a dyn System,
    folders: Vec<PathBuf>,
    packs: Vec<PackFile>,
    /// How many bytes were unpacked so far.
    work: AtomicUsize,
    pages: RefCell<BoundedCache<Rc<Vec<u8>>>>,
    whole: RefCell<BoundedCache<(ObjectKind, Rc<Vec<u8>>)>>,
}

/// A pack's number and an offset in it.
type PackPosition = (usize, u64);

/// A cache that is emptied when it is full.
struct BoundedCache<V> {
    values: BTreeMap<PackPosition, V>,
    bytes: usize,
}

impl<V> Default for BoundedCache<V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), bytes: 0 }
    }
}

impl<V: Clone> BoundedCache<V> {
    fn get(&self, key: PackPosition) -> Option<V> {
        self.values.get(&key).cloned()
    }

    fn put(&mut self, key: PackPosition, value: V, bytes: usize) {
        if self.bytes + bytes > MOST_KEPT {
            *self = Self::default();
        }
        self.bytes += bytes;
        self.values.insert(key, value);
    }
}

/// Where to find an object.
enum ObjectLocation<'p> {
    Named(Id),
    Packed(&'p PackFile, u64),
}

/// The stored form: the object itself, or a delta against another one.
enum StoredObject<'p> {
    Whole(ObjectKind, Vec<u8>),
    Delta(Vec<u8>, ObjectLocation<'p>),
}

struct PackFile {
    /// Its index among all packs.
    number: usize,
    table: Vec<u8>,
    count: usize,
    path: PathBuf,
}

type ObjectResult<T> = Result<T, String>;

/// Whether a path stays below a folder with all links followed. A path that does not exist leads nowhere.
fn is_below(system: &dyn System, path: &Path, folder: &Path) -> bool {
    match (system.real_path(path), system.real_path(folder)) {
        (Ok(real), Ok(folder)) => real.starts_with(folder),
        _ => true,
    }
}

impl<'a> ObjectStore<'a> {
    /// Opens the objects below a folder and its alternates, as far as an alternate is wanted.
    pub(super) fn open(
        system: &'a dyn System,
        folder: &Path,
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> Self {
        let mut folders = vec![folder.to_path_buf()];
        let mut at = 0;
        while let Some(folder) = folders.get(at).cloned() {
            at += 1;
            let text =
                system.read_at_most(&folder.join("info/alternates"), 64 << 10).unwrap_or_default();
            for line in
                String::from_utf8_lossy(&text).lines().filter(|line| !line.trim().is_empty())
            {
                let other = folder.join(line.trim());
                let is_new = folders.len() < MOST_FOLDERS && !folders.contains(&other);
                if is_new && is_wanted(&other) {
                    folders.push(other);
                }
            }
        }
        let mut packs: Vec<PackFile> = Vec::new();
        for store in &folders {
            let folder = store.join("pack");
            let mut names: Vec<_> = system
                .read_dir(&folder)
                .unwrap_or_default()
                .into_iter()
                .map(|entry| entry.name)
                .collect();
            names.sort_unstable();
            let tables = names
                .iter()
                .map(|name| folder.join(name))
                .filter(|path| path.extension().is_some_and(|ending| ending == "idx"))
                .filter(|path| is_below(system, path, store))
                .filter(|path| is_below(system, &path.with_extension("pack"), store));
            for path in tables {
                let held: usize = packs.iter().map(|pack| pack.table.len()).sum();
                let number = packs.len();
                packs.extend(PackFile::open(
                    system,
                    &path,
                    MOST_TABLE.saturating_sub(held),
                    number,
                ));
            }
        }
        let (pages, whole) = Default::default();
        Self { system, folders, packs, work: AtomicUsize::new(0), pages, whole }
    }

    /// Whether an alternate is not in a folder of the repository.
    pub(super) fn has_other(&self, is_own: &dyn Fn(&Path) -> bool) -> bool {
        // An alternate that is gone leads nowhere.
        let is_there = |folder: &&PathBuf| self.system.lstat(folder).is_ok();
        self.folders.iter().skip(1).filter(is_there).any(|folder| !is_own(folder))
    }

    /// Reads an object. Deltas may lead from pack to pack and back, so this counts them and does not recurse.
    pub(super) fn read(&self, id: &Id) -> ObjectResult<(ObjectKind, Vec<u8>)> {
        let mut deltas: Vec<(Option<PackPosition>, Vec<u8>)> = Vec::new();
        let mut held = 0;
        let mut location = ObjectLocation::Named(*id);
        let (kind, mut bytes) = loop {
            let key = self.key(&location);
            if let Some((kind, bytes)) = key.and_then(|key| self.whole.borrow().get(key)) {
                break (kind, bytes.to_vec());
            }
            match self.find(&location)? {
                StoredObject::Whole(kind, bytes) => {
                    self.keep(key, kind, &bytes);
                    break (kind, bytes);
                }
                StoredObject::Delta(delta, next) => {
                    held += delta.len();
                    deltas.push((key, delta));
                    location = next;
                }
            }
            if deltas.len() > MOST_DELTAS || held > MOST_DELTA_BYTES {
                return Err("a chain of deltas does not end".to_owned());
            }
        };
        while let Some((key, delta)) = deltas.pop() {
            bytes = apply(&bytes, &delta)?;
            self.count(bytes.len())?;
            self.keep(key, kind, &bytes);
        }
        Ok((kind, bytes))
    }

    /// The position of an object in the packs.
    fn key(&self, location: &ObjectLocation<'_>) -> Option<PackPosition> {
        match location {
            ObjectLocation::Packed(pack, offset) => Some((pack.number, *offset)),
            ObjectLocation::Named(id) => {
                self.packs.iter().find_map(|pack| Some((pack.number, pack.find(id)?)))
            }
        }
    }

    fn keep(&self, key: Option<PackPosition>, kind: ObjectKind, bytes: &[u8]) {
        if let Some(key) = key.filter(|_| bytes.len() <= MOST_KEPT_OBJECT) {
            let kept = (kind, Rc::new(bytes.to_vec()));
            self.whole.borrow_mut().put(key, kept, bytes.len() + 64);
        }
    }

    /// Counts unpacked bytes, and fails beyond what any real repository needs.
    fn count(&self, bytes: usize) -> ObjectResult<()> {
        let done = self.work.fetch_add(bytes, Ordering::Relaxed);
        if done > MOST_WORK {
            Err("its objects take too long to unpack".to_owned())
        } else {
            Ok(())
        }
    }

    fn find<'p>(&'p self, location: &ObjectLocation<'p>) -> ObjectResult<StoredObject<'p>> {
        match location {
            ObjectLocation::Packed(pack, offset) => self.packed(pack, *offset),
            ObjectLocation::Named(id) => {
                let held = self.packs.iter().find_map(|pack| Some((pack, pack.find(id)?)));
                match held {
                    Some((pack, offset)) => self.packed(pack, offset),
                    None => self.loose(id),
                }
            }
        }
    }

    fn loose(&self, id: &Id) -> ObjectResult<StoredObject<'_>> {
        let name = hex(id);
        for folder in &self.folders {
            let path = folder.join(&name[..2]).join(&name[2..]);
            // A link would lead into the store of another repository.
            if !is_below(self.system, &path, folder) {
                continue;
            }
            match self.system.read_at_most(&path, MOST_BYTES) {
                Ok(bytes) => {
                    let (kind, bytes) = loose(&bytes)?;
                    self.count(bytes.len())?;
                    return Ok(StoredObject::Whole(kind, bytes));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("object {name}: {error}")),
            }
        }
        Err(format!("object {name} is missing (a shallow or partial clone?)"))
    }

    /// The only object whose id starts with a prefix.
    pub(super) fn by_prefix(&self, prefix: &str) -> Option<Id> {
        let mut found: Vec<Id> = Vec::new();
        let folder = prefix.get(..2)?;
        for objects in &self.folders {
            let entries = self.system.read_dir(&objects.join(folder)).unwrap_or_default();
            let names = entries.iter().filter_map(|entry| entry.name.to_str());
            found.extend(names.filter_map(|name| parse_id(&format!("{folder}{name}"))));
        }
        for pack in &self.packs {
            found.extend((0..pack.count).filter_map(|at| pack.id(at)));
        }
        found.retain(|id| hex(id).starts_with(prefix));
        found.sort_unstable();
        found.dedup();
        (found.len() == 1).then(|| found[0])
    }

    fn packed<'p>(&'p self, pack: &'p PackFile, offset: u64) -> ObjectResult<StoredObject<'p>> {
        let head = self.range(pack, offset, 64)?;
        let (kind, size, used) = entry_head(&head)?;
        let text = |skipped: usize| self.inflate(pack, offset.saturating_add(skipped as u64), size);
        let kind = match kind {
            1 => ObjectKind::Commit,
            2 => ObjectKind::Tree,
            3 => ObjectKind::Blob,
            4 => ObjectKind::Tag,
            6 => {
                let (back, more) = offset_back(head.get(used..).unwrap_or_default())?;
                let base = offset.checked_sub(back).filter(|_| back > 0);
                let base = base.ok_or("a delta points outside its pack")?;
                return Ok(StoredObject::Delta(
                    text(used + more)?,
                    ObjectLocation::Packed(pack, base),
                ));
            }
            7 => {
                let base = head.get(used..used + 20).and_then(|id| Id::try_from(id).ok());
                let base = base.ok_or("a pack is truncated")?;
                let location = match pack.find(&base) {
                    Some(base) => ObjectLocation::Packed(pack, base),
                    None => ObjectLocation::Named(base),
                };
                return Ok(StoredObject::Delta(text(used + 20)?, location));
            }
            _ => return Err("an object in a pack has an unknown kind".to_owned()),
        };
        Ok(StoredObject::Whole(kind, text(used)?))
    }

    /// Reads a range of a pack; small ranges come from cached pages.
    fn range(&self, pack: &PackFile, offset: u64, length: usize) -> ObjectResult<Vec<u8>> {
        let read = |offset: u64, length: usize| {
            let read = self.system.read_range(&pack.path, offset, length);
            read.map_err(|error| error.to_string())
        };
        let page = offset / PAGE as u64;
        let start = (offset % PAGE as u64) as usize;
        if start + length > PAGE {
            return read(offset, length);
        }
        let known = self.pages.borrow().get((pack.number, page));
        let bytes = if let Some(known) = known {
            known
        } else {
            let bytes = Rc::new(read(page * PAGE as u64, PAGE)?);
            self.pages.borrow_mut().put((pack.number, page), Rc::clone(&bytes), PAGE);
            bytes
        };
        let end = (start + length).min(bytes.len());
        Ok(bytes.get(start..end).unwrap_or_default().to_vec())
    }

    fn inflate(&self, pack: &PackFile, offset: u64, size: usize) -> ObjectResult<Vec<u8>> {
        if size > MOST_BYTES {
            return Err("an object is too large".to_owned());
        }
        // Compressed data is never much longer than the original.
        let bytes = self.range(pack, offset, size + size / 512 + 256)?;
        let text = inflated(&bytes, size)?;
        self.count(size)?;
        if text.len() == size { Ok(text) } else { Err("an object is truncated".to_owned()) }
    }
}

fn inflated(bytes: &[u8], limit: usize) -> ObjectResult<Vec<u8>> {
    miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(bytes, limit.max(1))
        .map_err(|error| format!("an object cannot be unpacked: {error}"))
}

fn loose(bytes: &[u8]) -> ObjectResult<(ObjectKind, Vec<u8>)> {
    let text = inflated(bytes, MOST_BYTES)?;
    let end = text.iter().position(|&byte| byte == 0).ok_or("an object has no header")?;
    let kind = match text[..end].split(|&byte| byte == b' ').next() {
        Some(b"commit") => ObjectKind::Commit,
        Some(b"tree") => ObjectKind::Tree,
        Some(b"blob") => ObjectKind::Blob,
        Some(b"tag") => ObjectKind::Tag,
        _ => return Err("an object has an unknown kind".to_owned()),
    };
    Ok((kind, text[end + 1..].to_vec()))
}

/// Parses the header of a pack entry: kind, size, and the length of the header.
fn entry_head(bytes: &[u8]) -> ObjectResult<(u8, usize, usize)> {
    let first = *bytes.first().ok_or("a pack is truncated")?;
    let kind = (first >> 4) & 7;
    let mut size = usize::from(first & 15);
    let mut shift = 4;
    let mut used = 1;
    let mut last = first;
    while last & 0x80 != 0 {
        last = *bytes.get(used).filter(|_| shift < 48).ok_or("a size in a pack does not end")?;
        size |= usize::from(last & 0x7f) << shift;
        shift += 7;
        used += 1;
    }
    Ok((kind, size, used))
}

fn offset_back(bytes: &[u8]) -> ObjectResult<(u64, usize)> {
    let mut back = 0u64;
    for (at, &byte) in bytes.iter().enumerate().take(9) {
        back = (back << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Ok((back, at + 1));
        }
        back += 1;
    }
    Err("a delta does not name its base".to_owned())
}

/// Applies a delta to its base.
fn apply(base: &[u8], delta: &[u8]) -> ObjectResult<Vec<u8>> {
    let broken = || "a delta is broken".to_owned();
    let mut at = 0;
    let mut number = || -> ObjectResult<usize> {
        let (mut value, mut shift) = (0usize, 0);
        loop {
            let byte = *delta.get(at).filter(|_| shift < 48).ok_or_else(broken)?;
            at += 1;
            value |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    };
    let (from, to) = (number()?, number()?);
    if from != base.len() || to > MOST_BYTES {
        return Err(broken());
    }
    let mut out = Vec::with_capacity(to);
    while let Some(&op) = delta.get(at) {
        at += 1;
        if op & 0x80 == 0 {
            let length = usize::from(op);
            out.extend(delta.get(at..at + length).filter(|_| length > 0).ok_or_else(broken)?);
            at += length;
            continue;
        }
        let mut field = |bits: u8, count: u8| -> ObjectResult<usize> {
            let mut value = 0;
            for bit in 0..count {
                if op & (bits << bit) != 0 {
                    value |= usize::from(*delta.get(at).ok_or_else(broken)?) << (8 * bit);
                    at += 1;
                }
            }
            Ok(value)
        };
        let start = field(1, 4)?;
        let length = match field(0x10, 3)? {
            0 => 0x10000,
            length => length,
        };
        out.extend(base.get(start..start + length).ok_or_else(broken)?);
        if out.len() > to {
            return Err(broken());
        }
    }
    if out.len() == to { Ok(out) } else { Err(broken()) }
}

impl PackFile {
    /// Opens a pack index of version 2.
    fn open(system: &dyn System, path: &Path, most: usize, place: usize) -> Option<Self> {
        let table = system.read_at_most(path, most).ok()?;
        if table.get(..8) != Some(&[0xff, b't', b'O', b'c', 0, 0, 0, 2]) {
            return None;
        }
        let count = number(&table, 8 + 255 * 4)? as usize;
        (table.len() >= 8 + 1024 + count * 28).then(|| Self {
            number: place,
            table,
            count,
            path: path.with_extension("pack"),
        })
    }

    fn id(&self, at: usize) -> Option<Id> {
        let start = 8 + 1024 + at * 20;
        self.table.get(start..start + 20)?.try_into().ok()
    }

    /// The offset of an object.
    fn find(&self, id: &Id) -> Option<u64> {
        let fan = |byte: usize| number(&self.table, 8 + byte * 4);
        let first = usize::from(id[0]);
        let mut low = if first == 0 { 0 } else { fan(first - 1)? as usize };
        let mut high = (fan(first)? as usize).min(self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.id(middle)?.cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset(middle),
            }
        }
        None
    }

    fn offset(&self, at: usize) -> Option<u64> {
        let offsets = 8 + 1024 + self.count * 24;
        let offset = number(&self.table, offsets + at * 4)?;
        if offset & 0x8000_0000 == 0 {
            return Some(u64::from(offset));
        }
        let large = offsets + self.count * 4 + (offset & 0x7fff_ffff) as usize * 8;
        let bytes = self.table.get(large..large + 8)?;
        Some(u64::from_be_bytes(bytes.try_into().ok()?))
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub(super) fn hex(id: &Id) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn parse_id(text: &str) -> Option<Id> {
    let text = text.trim();
    if text.len() != 40 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut id = [0; 20];
    for (byte, pair) in id.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(id)
}
