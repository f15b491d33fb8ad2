//! Changes below a root through folder handles instead of paths.
//!
//! Between resolving a path and using it, somebody may replace a folder on it by a link. So this opens
//! the folder beneath the root in one atomic system call (`openat2` with `RESOLVE_BENEATH`), and every
//! later step names an entry of that folder without following links. A kernel without that call falls
//! back to plain paths.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_types::{RepoPath, Sha256Digest};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{OsSystem, RegularFile, lock_file, regular, stat_of};
use crate::{DirEntry, FileContent, LockGuard, PendingFile, Stat, System, TEMP_PREFIX};

/// How often to retry a lookup that lost a race against a rename.
const ATTEMPTS: usize = 100;

/// Opens `path` below `root`; the kernel guarantees that it is below.
fn open_beneath(
    root: impl AsFd,
    path: &Path,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolve = resolve | ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..ATTEMPTS {
        let opened =
            rustix::fs::openat2(&root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve);
        match opened {
            Err(Errno::AGAIN | Errno::INTR) => {}
            opened => return opened,
        }
    }
    Err(Errno::AGAIN)
}

fn open_root(root: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    retry_on_intr(|| rustix::fs::open(root, flags, Mode::empty()))
}

/// Whether the kernel lacks the call, or a sandbox forbids it.
fn is_unknown(error: Errno) -> bool {
    matches!(error, Errno::NOSYS | Errno::PERM)
}

fn io_error(error: Errno) -> io::Error {
    match error {
        Errno::XDEV => io::Error::other("a link leads outside the repository"),
        Errno::LOOP => io::Error::other("a link took its place"),
        error => error.into(),
    }
}

/// Opens a regular file at a real path below `root` without following links; `None` if the kernel cannot
/// do so.
pub(super) fn open_real(root: &Path, path: &RepoPath) -> io::Result<Option<RegularFile>> {
    let root = open_root(root)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    match open_beneath(root, Path::new(path.as_str()), flags, ResolveFlags::NO_SYMLINKS) {
        Ok(file) => regular(File::from(file)).map(Some),
        Err(error) if is_unknown(error) => Ok(None),
        Err(error) => Err(io_error(error)),
    }
}

/// Opens a regular file at an absolute path without following links; `None` if the kernel cannot do so.
pub(super) fn open_without_links(path: &Path) -> io::Result<Option<RegularFile>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let open = || rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve);
    match retry_on_intr(open) {
        Ok(file) => regular(File::from(file)).map(Some),
        Err(error) if is_unknown(error) => Ok(None),
        Err(error) => Err(io_error(error)),
    }
}

/// The file system of this machine, changed only below a root.
pub(super) struct BeneathSystem {
    root: PathBuf,
    /// How to resolve folders.
    resolve: ResolveFlags,
    /// The modes of new files and folders, before the user's umask.
    modes: (Mode, Mode),
}

/// An open folder and the name of an entry in it.
struct HeldEntry<'p> {
    folder: Arc<OwnedFd>,
    name: &'p OsStr,
}

impl BeneathSystem {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), resolve: ResolveFlags::empty(), modes: SHARED_MODES }
    }

    /// The same, following no links on a path.
    pub(super) fn without_links(root: &Path) -> Self {
        Self { resolve: ResolveFlags::NO_SYMLINKS, ..Self::new(root) }
    }

    /// The same; only the user may read what is created.
    pub(super) fn private(root: &Path) -> Self {
        let modes = (Mode::RUSR | Mode::WUSR, Mode::RWXU);
        Self { modes, ..Self::without_links(root) }
    }

    /// Opens the folder of a path; `None` if the kernel cannot do so.
    fn entry<'p>(&self, path: &'p Path) -> io::Result<Option<HeldEntry<'p>>> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
        let name = path.file_name().ok_or_else(invalid)?;
        let folder = self.folder(path.parent().ok_or_else(invalid)?)?;
        Ok(folder.map(|folder| HeldEntry { folder: Arc::new(folder), name }))
    }

    fn folder(&self, path: &Path) -> io::Result<Option<OwnedFd>> {
        let invalid = |_| io::Error::from(io::ErrorKind::InvalidInput);
        let relative = path.strip_prefix(&self.root).map_err(invalid)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        match open_beneath(open_root(&self.root)?, relative, flags, self.resolve) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if is_unknown(error) => Ok(None),
            Err(error) => Err(io_error(error)),
        }
    }
}

impl System for BeneathSystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        OsSystem.read(path)
    }

    fn read_at_most(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        OsSystem.read_at_most(path, limit)
    }

    fn read_beneath(&self, root: &Path, path: &RepoPath) -> io::Result<Vec<u8>> {
        OsSystem.read_beneath(root, path)
    }

    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        OsSystem.read_real(path, limit)
    }

    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        OsSystem.digest_real(path)
    }

    fn read_or_digest(
        &self,
        path: &Path,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        OsSystem.read_or_digest(path, limit, is_opaque)
    }

    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        OsSystem.copy_real(path, to)
    }

    fn foreign_owner(&self, path: &Path) -> io::Result<Option<u32>> {
        OsSystem.foreign_owner(path)
    }

    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        OsSystem.digest(path)
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        OsSystem.read_head(path, limit)
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        OsSystem.read_range(path, offset, limit)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        OsSystem.read_dir(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        OsSystem.stat(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        OsSystem.lstat(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        OsSystem.real_path(path)
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        let Some(folder) = self.folder(folder)? else { return OsSystem.clock(folder) };
        let probe = HeldFile::begin(Arc::new(folder), OsStr::new("clock"), self.modes.0)?;
        probe.file.metadata().map(|metadata| stat_of(&metadata).mtime_ns)
    }

    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        if super::share_clock(of, folder)? {
            return self.clock(folder);
        }
        Err(io::ErrorKind::CrossesDevices.into())
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let below: Vec<&Path> =
            path.ancestors().take_while(|folder| *folder != self.root).collect();
        for folder in below.into_iter().rev() {
            let Some(HeldEntry { folder: above, name }) = self.entry(folder)? else {
                return OsSystem.create_dir_all(path);
            };
            match retry_on_intr(|| rustix::fs::mkdirat(&above, name, self.modes.1)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // An existing entry must be a folder, and not one outside the root.
        self.folder(path).map(|_| ())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        match self.entry(path)? {
            Some(HeldEntry { folder, name }) => {
                Ok(Box::new(HeldFile::begin(folder, name, self.modes.0)?))
            }
            None => OsSystem.create(path),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        match (self.entry(from)?, self.entry(to)?) {
            (Some(from), Some(to)) => rename(&from.folder, from.name, &to.folder, to.name),
            _ => OsSystem.rename(from, to),
        }
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (Some(old), Some(new)) = (self.entry(from)?, self.entry(to)?) else {
            return OsSystem.duplicate(from, to);
        };
        let link =
            || rustix::fs::linkat(&old.folder, old.name, &new.folder, new.name, AtFlags::empty());
        match retry_on_intr(link) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            // Not every file system has hard links.
            Err(_) => copy(&old, &new),
        }
    }

    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        OsSystem.sync_below(folder)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        match self.entry(path)? {
            Some(entry) => unlink(&entry.folder, entry.name, AtFlags::empty()),
            None => OsSystem.remove_file(path),
        }
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        match self.entry(path)? {
            Some(HeldEntry { folder, name }) => remove_tree(&folder, name),
            None => OsSystem.remove_dir_all(path),
        }
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        match self.entry(path)? {
            Some(entry) => unlink(&entry.folder, entry.name, AtFlags::REMOVEDIR),
            None => OsSystem.remove_dir(path),
        }
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (Some(old), Some(new)) = (self.entry(from)?, self.entry(to)?) else {
            return OsSystem.copy_mode(from, to);
        };
        let permissions = old.file(OFlags::RDONLY)?.metadata()?.permissions();
        new.file(OFlags::RDONLY)?.set_permissions(permissions)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        match self.entry(path)? {
            Some(entry) => super::set_executable(&entry.file(OFlags::RDONLY)?, is_executable),
            None => OsSystem.set_executable(path, is_executable),
        }
    }

    fn lock_holder(&self, path: &Path) -> Option<u32> {
        OsSystem.lock_holder(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        let Some(HeldEntry { folder, name }) = self.entry(path)? else {
            return OsSystem.try_lock(path);
        };
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = open(&folder, name, flags, self.modes.0).map_err(io_error)?;
        lock_file(regular(opened)?.file)
    }

    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        OsSystem.restricted_to(root, folder)
    }

    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        OsSystem.restricted_to_root(root)
    }

    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        OsSystem.restricted_without_links(root)
    }

    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        OsSystem.private_to(folder)
    }
}

impl HeldEntry<'_> {
    /// Opens the entry as a regular file.
    fn file(&self, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = open(&self.folder, self.name, flags, Mode::empty()).map_err(io_error)?;
        regular(opened).map(|regular| regular.file)
    }
}

/// The modes of new files and folders that others may see.
const SHARED_MODES: (Mode, Mode) = (Mode::from_raw_mode(0o666), Mode::from_raw_mode(0o777));

fn copy(old: &HeldEntry<'_>, new: &HeldEntry<'_>) -> io::Result<()> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let from = open(&old.folder, old.name, flags | OFlags::RDONLY, Mode::empty())?;
    let flags = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let mut to = open(&new.folder, new.name, flags, SHARED_MODES.0)?;
    io::copy(&mut regular(from)?.file, &mut to).map(|_| ())
}

/// Opens an entry of an open folder.
fn open(folder: &OwnedFd, name: &OsStr, flags: OFlags, mode: Mode) -> Result<File, Errno> {
    retry_on_intr(|| rustix::fs::openat(folder, name, flags | OFlags::CLOEXEC, mode))
        .map(File::from)
}

fn rename(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::renameat(from, name, to, new_name))?)
}

fn unlink(folder: &OwnedFd, name: &OsStr, flags: AtFlags) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::unlinkat(folder, name, flags))?)
}

/// Removes a folder and its content; removes links without following them.
///
/// It holds only two folders open at a time, however deep the tree is: it moves nested folders to the top
/// and removes them from there.
fn remove_tree(above: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let tree = open_folder(above, name)?;
    let mut todo = Vec::new();
    empty(&tree, |nested| {
        todo.push(nested.to_os_string());
        Ok(())
    })?;
    let mut moved = 0usize;
    while let Some(name) = todo.pop() {
        let folder = open_folder(&tree, &name)?;
        empty(&folder, |nested| {
            // A folder that cannot be moved can still be removed if it is empty.
            if unlink(&folder, nested, AtFlags::REMOVEDIR).is_ok() {
                return Ok(());
            }
            let free = free_name(&tree, &mut moved)?;
            rename(&folder, nested, &tree, &free)?;
            todo.push(free);
            Ok(())
        })?;
        drop(folder);
        unlink(&tree, &name, AtFlags::REMOVEDIR)?;
    }
    drop(tree);
    unlink(above, name, AtFlags::REMOVEDIR)
}

fn open_folder(above: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
    Ok(OwnedFd::from(open(above, name, flags, Mode::empty())?))
}

/// A name that no entry of a folder has.
fn free_name(folder: &OwnedFd, last: &mut usize) -> io::Result<OsString> {
    loop {
        *last += 1;
        let name = OsString::from(format!("{TEMP_PREFIX}nested-{last}"));
        match rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(name),
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
    }
}

/// Removes the files and links of a folder and passes its subfolders to `nested`.
fn empty(folder: &OwnedFd, mut nested: impl FnMut(&OsStr) -> io::Result<()>) -> io::Result<()> {
    // Read the whole listing before changing anything: a listing of a changing folder is unreliable.
    let entries: Vec<_> = Dir::read_from(folder)?.collect::<Result<_, _>>()?;
    for entry in entries {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let is_folder = match entry.file_type() {
            FileType::Directory => true,
            // Some file systems do not report the type.
            FileType::Unknown => {
                let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode) == FileType::Directory
            }
            _ => false,
        };
        if is_folder {
            nested(name)?;
        } else {
            unlink(folder, name, AtFlags::empty())?;
        }
    }
    Ok(())
}

/// A file under construction in an open folder. It can only be committed to that folder.
struct HeldFile {
    folder: Arc<OwnedFd>,
    temp: OsString,
    name: OsString,
    file: File,
    is_placed: bool,
}

impl HeldFile {
    fn begin(folder: Arc<OwnedFd>, name: &OsStr, mode: Mode) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let temp = OsString::from(format!("{TEMP_PREFIX}{:x}-{number:x}", std::process::id()));
            match open(&folder, &temp, flags, mode) {
                Ok(file) => {
                    let name = name.to_os_string();
                    return Ok(Self { folder, temp, name, file, is_placed: false });
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Write for HeldFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl PendingFile for HeldFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.file.sync_all()?;
        self.commit_unsynced()
    }

    fn commit_unsynced(mut self: Box<Self>) -> io::Result<()> {
        rename(&self.folder, &self.temp, &self.folder, &self.name)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        if !self.is_placed {
            // If it cannot be removed now, the next run removes it.
            let _ = unlink(&self.folder, &self.temp, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use portolan_types::RepoPath;

    use crate::{OsSystem, System};

    fn names(folder: &std::path::Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A root with a workspace `w`, a folder outside it with a file, and a restricted file system.
    fn check(attack: impl FnOnce(&dyn System, &std::path::Path)) {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("r/w/in")).unwrap();
        fs::create_dir_all(base.join("out/deep")).unwrap();
        fs::write(base.join("out/victim"), "mine").unwrap();
        symlink("../../out", base.join("r/w/leak")).unwrap();
        symlink("in", base.join("r/w/alias")).unwrap();
        let root = base.join("r");
        let restricted = OsSystem.restricted_to(&root, &RepoPath::new("w").unwrap());
        attack(&*restricted, &root.join("w"));
        assert_eq!(names(&base.join("out")), ["deep", "victim"]);
        assert_eq!(fs::read(base.join("out/victim")).unwrap(), b"mine");
    }

    #[test]
    fn nothing_changes_behind_a_link_that_leads_out() {
        check(|system, workspace| {
            let (leak, inside) = (workspace.join("leak"), workspace.join("in/file"));
            system.write(&inside, b"x").unwrap();
            assert!(system.write(&leak.join("victim"), b"x").is_err());
            assert!(system.create_dir_all(&leak.join("new/deep")).is_err());
            assert!(system.create_dir_all(&leak).is_err());
            assert!(system.rename(&inside, &leak.join("moved")).is_err());
            assert!(system.rename(&leak.join("victim"), &workspace.join("stolen")).is_err());
            assert!(system.duplicate(&inside, &leak.join("copy")).is_err());
            assert!(system.remove_file(&leak.join("victim")).is_err());
            assert!(system.remove_dir_all(&leak.join("deep")).is_err());
            assert!(system.try_lock(&leak.join("lock")).is_err());
            assert!(system.clock(&leak).is_err());
            assert_eq!(names(workspace), ["alias", "in", "leak"]);
        });
    }

    #[test]
    fn links_that_stay_inside_are_followed_within_a_path_and_replaced_at_its_end() {
        check(|system, workspace| {
            system.write(&workspace.join("alias/file"), b"x").unwrap();
            assert_eq!(fs::read(workspace.join("in/file")).unwrap(), b"x");
            assert!(system.try_lock(&workspace.join("leak")).is_err(), "a link cannot be a lock");
            system.write(&workspace.join("leak"), b"plain").unwrap();
            assert_eq!(fs::read(workspace.join("leak")).unwrap(), b"plain");
        });
    }

    #[test]
    fn a_tree_is_removed_with_its_links_but_not_their_targets() {
        check(|system, workspace| {
            let deep = workspace.join("tree/a/b/c");
            system.create_dir_all(&deep).unwrap();
            system.write(&deep.join("file"), b"x").unwrap();
            symlink("../../../out", workspace.join("tree/a/leak")).unwrap();
            system.remove_dir_all(&workspace.join("tree")).unwrap();
            assert_eq!(names(workspace), ["alias", "in", "leak"]);
        });
    }

    #[test]
    fn a_tree_is_removed_however_deep_it_is() {
        check(|system, workspace| {
            // Deeper than the handle limit; built from the bottom up, because no path is that long.
            let tree = workspace.join("tree");
            fs::create_dir(&tree).unwrap();
            for _ in 0..3000 {
                fs::create_dir(workspace.join("outer")).unwrap();
                fs::write(workspace.join("outer/file"), "x").unwrap();
                fs::rename(&tree, workspace.join("outer/tree")).unwrap();
                fs::rename(workspace.join("outer"), &tree).unwrap();
            }
            system.remove_dir_all(&tree).unwrap();
            assert_eq!(names(workspace), ["alias", "in", "leak"]);
        });
    }

    #[test]
    fn the_root_is_restricted_like_the_workspace() {
        check(|_, workspace| {
            let root = workspace.parent().unwrap();
            let held = OsSystem.restricted_to_root(root);
            symlink("../out", root.join("leak")).unwrap();
            symlink("../out/victim", root.join(".gitignore")).unwrap();
            assert!(held.write(&root.join("leak/victim"), b"x").is_err());
            held.write(&root.join(".gitignore"), b"x").unwrap();
            assert_eq!(fs::read(root.join(".gitignore")).unwrap(), b"x");
            assert!(held.write(&root.join("../out/victim"), b"x").is_err());
        });
    }

    #[test]
    fn the_umask_applies() {
        use std::os::unix::fs::PermissionsExt;
        check(|system, workspace| {
            fs::write(workspace.join("in/ordinary"), "").unwrap();
            let mode =
                |name: &str| fs::metadata(workspace.join(name)).unwrap().permissions().mode();
            system.write(&workspace.join("in/file"), b"x").unwrap();
            OsSystem.write(&workspace.join("in/other"), b"x").unwrap();
            assert_eq!(mode("in/file"), mode("in/ordinary"));
            assert_eq!(mode("in/other"), mode("in/ordinary"));
        });
    }

    #[test]
    fn a_link_on_a_real_path_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("p")).unwrap();
        fs::write(base.join("secret"), "s").unwrap();
        fs::write(base.join("p/a.js"), "a").unwrap();
        let path = base.join("p/a.js");
        assert_eq!(OsSystem.read_real(&path, 10).unwrap(), b"a");
        fs::remove_file(&path).unwrap();
        symlink("../secret", &path).unwrap();
        let mut copy = Vec::new();
        assert!(OsSystem.read_real(&path, 10).is_err() && OsSystem.digest_real(&path).is_err());
        assert!(OsSystem.copy_real(&path, &mut copy).is_err() && copy.is_empty());
        fs::rename(base.join("p"), base.join("q")).unwrap();
        fs::remove_file(base.join("q/a.js")).unwrap();
        fs::write(base.join("q/a.js"), "a").unwrap();
        symlink("q", base.join("p")).unwrap();
        assert!(OsSystem.read_real(&path, 10).is_err(), "the folder became a link");
    }

    #[test]
    fn a_dropped_file_leaves_nothing_and_a_swapped_folder_is_not_written_to() {
        use std::io::Write as _;
        check(|system, workspace| {
            let folder = workspace.join("in");
            drop(system.create(&folder.join("a")).unwrap());
            assert_eq!(names(&folder), [""; 0]);
            let mut pending = system.create(&folder.join("victim")).unwrap();
            pending.write_all(b"x").unwrap();
            fs::rename(&folder, workspace.join("moved")).unwrap();
            symlink("../../out", &folder).unwrap();
            pending.commit().unwrap();
            assert_eq!(names(&workspace.join("moved")), ["victim"]);
            fs::remove_file(&folder).unwrap();
        });
    }

    #[test]
    fn a_link_that_replaced_a_file_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("r");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("secret"), "s").unwrap();
        fs::write(root.join("src/a.ts"), "a").unwrap();
        let path = RepoPath::new("src/a.ts").unwrap();
        assert_eq!(OsSystem.read_beneath(&root, &path).unwrap(), b"a");
        fs::remove_file(root.join("src/a.ts")).unwrap();
        symlink("../secret", root.join("src/a.ts")).unwrap();
        assert!(OsSystem.read_beneath(&root, &path).is_err(), "the file became a link");
        fs::rename(root.join("src"), root.join("real")).unwrap();
        fs::remove_file(root.join("real/a.ts")).unwrap();
        fs::write(root.join("real/a.ts"), "a").unwrap();
        symlink("real", root.join("src")).unwrap();
        assert!(OsSystem.read_beneath(&root, &path).is_err(), "the folder became a link");
    }
}
