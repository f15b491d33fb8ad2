//! The real file system.

#[cfg(target_os = "linux")]
mod beneath;

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use portolan_types::{RepoPath, Sha256Digest};
#[cfg(unix)]
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::restrict::RestrictedSystem;
use crate::{
    DirEntry, FileContent, FileKind, HEAD_BYTES, LockGuard, PendingFile, Stat, System, TEMP_PREFIX,
    too_large,
};

/// How many files were opened, and how many folders listed, since the start of the program.
static OPENED: AtomicU64 = AtomicU64::new(0);
static LISTED: AtomicU64 = AtomicU64::new(0);

/// What the disk was asked for so far, for a line that tells how far the work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskActivity {
    /// How many files were opened.
    pub files: u64,
    /// How many folders were listed.
    pub folders: u64,
}

impl DiskActivity {
    /// What this process has asked for.
    pub fn now() -> Self {
        Self { files: OPENED.load(Ordering::Relaxed), folders: LISTED.load(Ordering::Relaxed) }
    }
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsSystem;

impl System for OsSystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        open_regular(path)?.read(usize::MAX)
    }

    fn read_at_most(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        open_regular(path)?.read(limit)
    }

    fn read_beneath(&self, root: &Path, path: &RepoPath) -> io::Result<Vec<u8>> {
        #[cfg(target_os = "linux")]
        if let Some(file) = beneath::open_real(root, path)? {
            return file.read(usize::MAX);
        }
        self.read(&root.join(path.as_str()))
    }

    fn read_real(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        open_real(path)?.read(limit)
    }

    fn digest_real(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        open_real(path)?.stream(|_| Ok(()))
    }

    fn read_or_digest(
        &self,
        path: &Path,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        open_real(path)?.read_or_digest(limit, is_opaque)
    }

    fn copy_real(&self, path: &Path, to: &mut dyn Write) -> io::Result<(u64, Sha256Digest)> {
        open_real(path)?.stream(|chunk| to.write_all(chunk))
    }

    fn read_named(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn digest(&self, path: &Path) -> io::Result<(u64, Sha256Digest)> {
        open_regular(path)?.stream(|_| Ok(()))
    }

    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let RegularFile { file, size } = open_regular(path)?;
        let most = size.min(limit as u64);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(most as usize)?;
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn read_range(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        let RegularFile { mut file, size } = open_regular(path)?;
        retried(|| file.seek(io::SeekFrom::Start(offset)))?;
        let most = size.saturating_sub(offset).min(limit as u64);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(most as usize)?;
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        LISTED.fetch_add(1, Ordering::Relaxed);
        retried(|| {
            fs::read_dir(path)?
                .map(|entry| {
                    let entry = entry?;
                    Ok(DirEntry { name: entry.file_name(), kind: kind_of(entry.file_type()?) })
                })
                .collect()
        })
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        retried(|| fs::metadata(path)).map(|metadata| stat_of(&metadata))
    }

    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        retried(|| fs::symlink_metadata(path)).map(|metadata| stat_of(&metadata))
    }

    fn clock(&self, folder: &Path) -> io::Result<i128> {
        let probe = temporary_file(folder)?;
        probe.as_file().metadata().map(|metadata| stat_of(&metadata).mtime_ns)
    }

    #[cfg(unix)]
    fn clock_beside(&self, of: &Path, folder: &Path) -> io::Result<i128> {
        if share_clock(of, folder)? {
            return self.clock(folder);
        }
        Err(io::Error::from(io::ErrorKind::CrossesDevices))
    }

    #[cfg(unix)]
    fn foreign_owner(&self, path: &Path) -> io::Result<Option<u32>> {
        use std::os::unix::fs::MetadataExt;
        let owner = retried(|| fs::symlink_metadata(path))?.uid();
        Ok((!is_trusted(owner)).then_some(owner))
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        retried(|| fs::canonicalize(path)).map(portable_path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        retried(|| fs::create_dir_all(path))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        let folder = path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let temp = temporary_file(folder)?;
        Ok(Box::new(OsPendingFile { temp, path: path.to_path_buf() }))
    }

    #[cfg(unix)]
    fn create_private_dir(&self, path: &Path) -> io::Result<bool> {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        /// What the owner's group and everybody may do.
        const OTHERS: u32 = 0o077;
        match retried(|| fs::DirBuilder::new().mode(0o700).create(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| true),
        }
        let others = fs::metadata(path)?.permissions().mode() & OTHERS;
        if others == 0 {
            return Ok(true);
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        Ok(false)
    }

    fn create_named(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        if fs::metadata(path).is_ok_and(|found| kind_of(found.file_type()) == FileKind::Other) {
            return Ok(Box::new(OsDevice { file: File::options().write(true).open(path)? }));
        }
        self.create(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        retried(|| fs::rename(from, to))
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        match retried(|| fs::hard_link(from, to)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                fs::copy(from, to).map(|_| ())
            }
            linked => linked,
        }
    }

    fn sync_below(&self, folder: &Path) -> io::Result<()> {
        sync_below(folder)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        retried(|| fs::remove_file(path))
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        retried(|| fs::remove_dir_all(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        retried(|| fs::remove_dir(path))
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        let permissions = fs::symlink_metadata(from)?.permissions();
        let file = regular(without_following(File::options().read(true)).open(to)?)?.file;
        file.set_permissions(permissions)
    }

    fn set_executable(&self, path: &Path, is_executable: bool) -> io::Result<()> {
        set_executable(
            &regular(without_following(File::options().read(true)).open(path)?)?.file,
            is_executable,
        )
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        lock_file(regular(without_following(&mut options).open(path)?)?.file)
    }

    fn lock_holder(&self, path: &Path) -> Option<u32> {
        String::from_utf8(self.read_head(path, 16).ok()?).ok()?.trim().parse().ok()
    }

    #[cfg(target_os = "linux")]
    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::new(beneath::BeneathSystem::new(root), root, folder))
    }

    #[cfg(target_os = "linux")]
    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::around(beneath::BeneathSystem::without_links(root), root))
    }

    #[cfg(not(target_os = "linux"))]
    fn restricted_without_links<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::around(*self, root))
    }

    #[cfg(target_os = "linux")]
    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::around(beneath::BeneathSystem::new(root), root))
    }

    #[cfg(not(target_os = "linux"))]
    fn restricted_to<'a>(&'a self, root: &Path, folder: &RepoPath) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::new(*self, root, folder))
    }

    #[cfg(not(target_os = "linux"))]
    fn restricted_to_root<'a>(&'a self, root: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::around(*self, root))
    }

    #[cfg(target_os = "linux")]
    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::private(beneath::BeneathSystem::private(folder), folder))
    }

    #[cfg(not(target_os = "linux"))]
    fn private_to<'a>(&'a self, folder: &Path) -> Box<dyn System + 'a> {
        Box::new(RestrictedSystem::private(*self, folder))
    }
}

fn lock_file(file: File) -> io::Result<Option<Box<dyn LockGuard>>> {
    if has_other_names(&file.metadata()?) {
        return Err(io::Error::other("it has another name, so it may be somebody else's file"));
    }
    retried(|| match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    })
    .map(|is_ours| is_ours.then(|| Box::new(OsLock::take(file)) as Box<dyn LockGuard>))
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_metadata: &Metadata) -> bool {
    false
}

/// A temporary file in a folder, with the mode that the user's umask allows, since it becomes the final file.
/// It is opened here, not by `tempfile`, so that an error does not mention the temporary name: the caller
/// knows only the final one.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(TEMP_PREFIX)
        .make_in(folder, |path| File::options().read(true).write(true).create_new(true).open(path))
}

/// Whether the files of two folders get their times from the same clock.
#[cfg(unix)]
fn share_clock(one: &Path, other: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let device = |path| retried(|| fs::metadata(path)).map(|it| it.dev());
    Ok(device(one)? == device(other)? || has_kernel_clock(one)? && has_kernel_clock(other)?)
}

/// Whether the files of a folder get their times from the kernel: its clock is the same for all such file systems.
/// Others (NFS, 9p, FUSE) may have the clock of another machine.
#[cfg(target_os = "linux")]
fn has_kernel_clock(folder: &Path) -> io::Result<bool> {
    const EXT4: u32 = 0xEF53;
    const XFS: u32 = 0x5846_5342;
    const BTRFS: u32 = 0x9123_683E;
    const F2FS: u32 = 0xF2F5_2010;
    const ZFS: u32 = 0x2FC1_2FC1;
    const BCACHEFS: u32 = 0xCA45_1A4E;
    const OVERLAY: u32 = 0x794C_7630;
    const TMPFS: u32 = 0x0102_1994;
    #[expect(
        clippy::cast_sign_loss,
        reason = "the numbers have 32 bits, whatever type the platform gives them"
    )]
    let found = retried(|| Ok(rustix::fs::statfs(folder)?))?.f_type as u32;
    Ok([EXT4, XFS, BTRFS, F2FS, ZFS, BCACHEFS, OVERLAY, TMPFS].contains(&found))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_kernel_clock(_folder: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Closes a folder to other users.
#[cfg(unix)]
pub(crate) fn close_to_others(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
pub(crate) fn close_to_others(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Repeats a call as long as signals interrupt it. The standard library does so only for reads, writes
/// and opening.
fn retried<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Opens a regular file for reading. A pipe would block until somebody writes to it, and a device may never
/// end, so neither is read.
fn open_regular(path: &Path) -> io::Result<RegularFile> {
    regular(without_blocking(File::options().read(true)).open(path)?)
}

/// Opens a regular file at a real path; fails if there is a link on the path.
fn open_real(path: &Path) -> io::Result<RegularFile> {
    #[cfg(target_os = "linux")]
    if let Some(file) = beneath::open_without_links(path)? {
        return Ok(file);
    }
    open_regular(path)
}

fn regular(file: File) -> io::Result<RegularFile> {
    let metadata = file.metadata()?;
    match kind_of(metadata.file_type()) {
        FileKind::File => Ok(RegularFile { file, size: metadata.len() }),
        FileKind::Dir => Err(io::ErrorKind::IsADirectory.into()),
        FileKind::Link | FileKind::Other => Err(io::Error::other("it is not a regular file")),
    }
}

/// An open regular file and its size when it was opened.
struct RegularFile {
    file: File,
    size: u64,
}

impl RegularFile {
    fn read(self, limit: usize) -> io::Result<Vec<u8>> {
        OPENED.fetch_add(1, Ordering::Relaxed);
        if self.size > limit as u64 {
            return Err(too_large(limit));
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.size as usize)?;
        // A file that grows as fast as it is read has no end, so read only its size at opening.
        self.file.take(self.size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the content, or digests it in chunks if it is too large or opaque: that needs no memory of its size.
    fn read_or_digest(
        self,
        limit: usize,
        is_opaque: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<FileContent> {
        if self.size <= CHUNK.min(limit) as u64 {
            return self.read(limit).map(|bytes| FileContent::of(bytes, is_opaque));
        }
        OPENED.fetch_add(1, Ordering::Relaxed);
        let mut head = Vec::with_capacity(HEAD_BYTES);
        (&self.file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        if self.size > limit as u64 || is_opaque(&head) {
            let (size, sha256) = self.stream_after(&head, |_| Ok(()))?;
            return Ok(FileContent::Digest { size, sha256 });
        }
        let left = self.size.saturating_sub(head.len() as u64);
        head.try_reserve_exact(left as usize)?;
        self.file.take(left).read_to_end(&mut head)?;
        Ok(FileContent::Bytes(head))
    }

    /// Passes the content on in chunks and returns its length and digest.
    fn stream(self, take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<(u64, Sha256Digest)> {
        self.stream_after(&[], take)
    }

    /// The same, if the first bytes have been read already.
    fn stream_after(
        self,
        head: &[u8],
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<(u64, Sha256Digest)> {
        let mut length = head.len() as u64;
        let left = self.size.saturating_sub(length);
        let mut file = self.file.take(left);
        // Most files are small, and the whole buffer is zeroed first.
        let mut buffer = vec![0; CHUNK.min(usize::try_from(left).unwrap_or(CHUNK))];
        let mut hasher = Sha256::new_with_prefix(head);
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok((length, Sha256Digest::from_bytes(hasher.finalize().into()))),
                Ok(count) => {
                    length += count as u64;
                    hasher.update(&buffer[..count]);
                    take(&buffer[..count])?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(unix)]
fn without_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed())
}

#[cfg(unix)]
fn without_following(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed())
}

#[cfg(not(unix))]
fn without_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(not(unix))]
fn without_following(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// How much of a file to hold in memory while hashing it.
const CHUNK: usize = 64 << 10;

struct OsPendingFile {
    temp: NamedTempFile,
    path: PathBuf,
}

impl Write for OsPendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temp.flush()
    }
}

impl PendingFile for OsPendingFile {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.temp.as_file().sync_all()?;
        self.commit_unsynced()
    }

    fn commit_unsynced(self: Box<Self>) -> io::Result<()> {
        self.temp.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// A device or pipe: it takes bytes as they come and cannot be replaced.
struct OsDevice {
    file: File,
}

impl Write for OsDevice {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl PendingFile for OsDevice {
    fn commit(mut self: Box<Self>) -> io::Result<()> {
        self.file.flush()
    }
}

/// A real path in the form of other systems.
#[cfg(not(windows))]
pub(crate) fn portable_path(path: PathBuf) -> PathBuf {
    path
}

/// Windows returns `\\?\C:\repo`, a form in which `/` is not a separator. Ids and the resolver use `/`
/// everywhere, so this converts the path to `C:/repo`, which Windows also accepts.
#[cfg(windows)]
pub(crate) fn portable_path(path: PathBuf) -> PathBuf {
    let text = path.to_str().map(with_slashes);
    text.map_or(path, PathBuf::from)
}

#[cfg(any(windows, test))]
fn with_slashes(text: &str) -> String {
    let share = text.strip_prefix(r"\\?\UNC\").map(|rest| format!("//{rest}"));
    let plain = || text.strip_prefix(r"\\?\").unwrap_or(text).to_owned();
    share.unwrap_or_else(plain).replace('\\', "/")
}

/// Whether an owner is the current user or the administrator, who could do anything anyway. Under `sudo`,
/// the invoking user counts too.
#[cfg(unix)]
fn is_trusted(owner: u32) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let asked = || std::env::var("SUDO_UID").ok().and_then(|text| text.parse().ok());
    owner == user || owner == 0 || user == 0 && asked() == Some(owner)
}

/// Everyone who may read it may execute it, as in git.
#[cfg(unix)]
fn set_executable(file: &File, is_executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    let mode = if is_executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_executable(_file: &File, _is_executable: bool) -> io::Result<()> {
    Ok(())
}

/// The operating system releases the lock when the file is closed, even after a kill.
struct OsLock {
    file: File,
}

impl OsLock {
    /// Records the holder's process id. It only serves the message to a waiting process, so this
    /// may fail.
    fn take(mut file: File) -> Self {
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Self { file }
    }
}

impl Drop for OsLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
    }
}

impl LockGuard for OsLock {}

fn kind_of(file_type: fs::FileType) -> FileKind {
    if file_type.is_file() {
        FileKind::File
    } else if file_type.is_dir() {
        FileKind::Dir
    } else if file_type.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Other
    }
}

#[cfg(unix)]
fn stat_of(metadata: &Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt;
    let nanoseconds =
        |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    Stat {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        executable: metadata.mode() & 0o100 != 0,
        mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
fn stat_of(metadata: &Metadata) -> Stat {
    let since_epoch =
        metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Stat {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        executable: false,
        mtime_ns: since_epoch.map_or(0, |time| time.as_nanos() as i128),
        ctime_ns: 0,
        inode: 0,
    }
}

/// Syncs the whole file system with one call, where possible.
#[cfg(target_os = "linux")]
fn sync_below(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_below(folder: &Path) -> io::Result<()> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in OsSystem.read_dir(&folder)? {
            let path = folder.join(&entry.name);
            match entry.kind {
                FileKind::Dir => folders.push(path),
                FileKind::File => File::options().write(true).open(path)?.sync_all()?,
                FileKind::Link | FileKind::Other => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::{CHUNK, OsSystem, retried};
    use crate::{FileContent, FileKind, System};

    #[test]
    fn windows_paths_get_slashes_and_lose_their_prefix() {
        let paths = [r"\\?\C:\repo\a", r"\\?\UNC\server\share\a", r"C:\repo"];
        let wanted = ["C:/repo/a", "//server/share/a", "C:/repo"];
        assert_eq!(paths.map(super::with_slashes), wanted);
    }

    #[test]
    fn opaque_and_large_files_are_only_digested() {
        let dir = tempfile::tempdir().unwrap();
        let check = |bytes: &[u8], limit: usize, is_read: bool| {
            let path = dir.path().canonicalize().unwrap().join("a");
            OsSystem.write(&path, bytes).unwrap();
            let found = OsSystem.read_or_digest(&path, limit, &|head| head.contains(&0)).unwrap();
            let digest =
                FileContent::Digest { size: bytes.len() as u64, sha256: crate::sha256(bytes) };
            let expected = if is_read { FileContent::Bytes(bytes.to_vec()) } else { digest };
            assert_eq!(found, expected);
        };
        for size in [3, CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
            let text: Vec<u8> = (b'a'..=b'z').cycle().take(size).collect();
            check(&text, size, true);
            let picture = [&[0], text.as_slice()].concat();
            check(&picture, usize::MAX, false);
        }
        check(&vec![b'a'; 3 * CHUNK], 2 * CHUNK, false);
    }

    #[test]
    fn a_dropped_file_leaves_nothing_and_a_committed_one_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        OsSystem.write(&path, b"old").unwrap();
        let mut pending = OsSystem.create(&path).unwrap();
        pending.write_all(b"half").unwrap();
        drop(pending);
        assert_eq!(OsSystem.read(&path).unwrap(), b"old");
        assert_eq!(OsSystem.read_dir(dir.path()).unwrap().len(), 1);
        OsSystem.write(&path, b"new").unwrap();
        assert_eq!(OsSystem.read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_named_device_is_never_replaced_by_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(OsSystem.create_named(&path).is_err(), "a socket cannot be opened");
        assert_eq!(OsSystem.lstat(&path).unwrap().kind, FileKind::Other);
    }

    #[cfg(unix)]
    #[test]
    fn special_files_are_neither_waited_for_nor_read() {
        use std::path::Path;
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [pipe.as_path(), Path::new("/dev/zero"), dir.path()] {
            assert!(OsSystem.read(path).is_err(), "{}", path.display());
            assert!(OsSystem.read_head(path, 1).is_err(), "{}", path.display());
            assert!(OsSystem.read_at_most(path, 1).is_err(), "{}", path.display());
            assert!(OsSystem.digest(path).is_err(), "{}", path.display());
            assert!(OsSystem.try_lock(path).is_err(), "{}", path.display());
        }
        OsSystem.write(&pipe, b"x").unwrap();
        assert_eq!(OsSystem.read(&pipe).unwrap(), b"x", "a pipe is replaced");
    }

    #[test]
    fn a_file_over_the_limit_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        OsSystem.write(&path, b"12345").unwrap();
        assert_eq!(OsSystem.read_at_most(&path, 5).unwrap(), b"12345");
        let error = OsSystem.read_at_most(&path, 4).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_digest_in_chunks_equals_that_of_the_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("large");
        let bytes: Vec<u8> = (0..200_000u32).map(|at| at as u8).collect();
        OsSystem.write(&path, &bytes).unwrap();
        assert_eq!(OsSystem.digest(&path).unwrap(), (200_000, crate::sha256(&bytes)));
    }

    #[test]
    fn the_clock_of_a_folder_is_not_behind_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        OsSystem.write(&path, b"").unwrap();
        let now = OsSystem.clock(dir.path()).unwrap();
        assert!(now >= OsSystem.stat(&path).unwrap().mtime_ns);
        assert_eq!(OsSystem.read_dir(dir.path()).unwrap().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_only_the_user_may_read() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let private = OsSystem.private_to(&root);
        let folder = root.join("a/b");
        private.create_dir_all(&folder).unwrap();
        private.write(&folder.join("c"), b"x").unwrap();
        drop(private.try_lock(&folder.join("lock")).unwrap());
        let mode =
            |path: &str| std::fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(["a", "a/b"].map(mode), [0o700; 2]);
        if cfg!(target_os = "linux") {
            assert_eq!(["a/b/c", "a/b/lock"].map(mode), [0o600; 2]);
        }
        let outside = tempfile::tempdir().unwrap();
        assert!(private.write(&outside.path().join("x"), b"x").is_err());
        std::os::unix::fs::symlink(outside.path(), root.join("a/link")).unwrap();
        if cfg!(target_os = "linux") {
            assert!(private.write(&root.join("a/link/x"), b"x").is_err());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_system_of_another_machine_may_have_another_clock() {
        use std::path::Path;
        let dir = tempfile::tempdir().unwrap();
        assert!(OsSystem.clock_beside(dir.path(), dir.path()).is_ok());
        let error = OsSystem.clock_beside(Path::new("/proc"), dir.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::CrossesDevices);
    }

    #[test]
    fn errors_do_not_mention_temporary_names() {
        let dir = tempfile::tempdir().unwrap();
        let error = OsSystem.write(&dir.path().join("nowhere/a"), b"").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains("nowhere"), "{error}");
    }

    #[test]
    fn an_interrupted_call_is_repeated() {
        let mut signals = 3;
        let answer = retried(|| {
            signals -= 1;
            if signals > 0 { Err(io::ErrorKind::Interrupted.into()) } else { Ok("done") }
        });
        assert_eq!((answer.unwrap(), signals), ("done", 0));
        let refused = retried(|| Err::<(), _>(io::ErrorKind::PermissionDenied.into()));
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_with_a_second_hard_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (victim, lock) = (dir.path().join("victim"), dir.path().join("lock"));
        OsSystem.write(&victim, b"mine").unwrap();
        std::fs::hard_link(&victim, &lock).unwrap();
        assert!(OsSystem.try_lock(&lock).is_err());
        std::fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink(&victim, &lock).unwrap();
        assert!(OsSystem.try_lock(&lock).is_err());
        assert_eq!(OsSystem.read(&victim).unwrap(), b"mine");
    }

    #[test]
    fn a_lock_is_held_until_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = OsSystem.try_lock(&path).unwrap();
        assert!(held.is_some());
        assert!(OsSystem.try_lock(&path).unwrap().is_none());
        assert_eq!(OsSystem.lock_holder(&path), Some(std::process::id()));
        drop(held);
        assert_eq!(OsSystem.lock_holder(&path), None);
        assert!(OsSystem.try_lock(&path).unwrap().is_some());
    }
}
