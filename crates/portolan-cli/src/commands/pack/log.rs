//! The logs of commands that failed: in the user's cache, for a day and within a size.

use std::io;
use std::path::{Path, PathBuf};

use portolan_index::store::UserCache;
use portolan_query::diagnostics::masked;
use portolan_vfs::{System, sha256};

/// A log is kept for a day, in nanoseconds.
const KEPT: i128 = 24 * 60 * 60 * 1_000_000_000;
/// All logs together have at most so many bytes; the last one is kept in any case.
const MOST_BYTES: u64 = 128 << 20;

/// Keeps what a command printed, without what must not be stored; the path of the file. Only the user may read it.
pub(super) fn keep(system: &dyn System, cache: &Path, output: &[u8]) -> io::Result<PathBuf> {
    let cache = UserCache::open(system, cache).ok_or(io::ErrorKind::NotFound)?;
    let (folder, writer) = (cache.logs(), cache.writer(system));
    writer.create_dir_all(&folder)?;
    for private in [cache.path(), &folder] {
        system.create_private_dir(private)?;
    }
    let masked = masked(output);
    let name: String = sha256(masked.as_bytes()).to_string().chars().take(16).collect();
    let path = folder.join(format!("{name}.log"));
    writer.write_unsynced(&path, masked.as_bytes())?;
    prune(system, &cache);
    Ok(path)
}

/// Deletes logs that are older than a day, then the oldest ones until the rest is within the limit.
pub(super) fn prune(system: &dyn System, cache: &UserCache) {
    prune_to(system, cache, MOST_BYTES);
}

fn prune_to(system: &dyn System, cache: &UserCache, most: u64) {
    let (folder, writer) = (cache.logs(), cache.writer(system));
    let entries = system.read_dir(&folder).unwrap_or_default();
    if entries.is_empty() {
        return;
    }
    let Ok(now) = writer.clock(&folder) else { return };
    let aged = |path: PathBuf| {
        let stat = system.lstat(&path).ok()?;
        Some((stat.mtime_ns, stat.size, path))
    };
    let paths = entries.iter().map(|entry| folder.join(&entry.name));
    let mut logs: Vec<(i128, u64, PathBuf)> = paths.filter_map(aged).collect();
    logs.sort_unstable();
    let mut bytes = 0;
    for (number, (written, size, path)) in logs.into_iter().rev().enumerate() {
        bytes += size;
        if now - written > KEPT || number > 0 && bytes > most {
            // A log that stays is no harm.
            let _ = writer.remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use portolan_index::store::UserCache;
    use portolan_vfs::OsSystem;

    use super::{keep, prune_to};

    #[test]
    fn a_log_is_the_users_alone_and_goes_after_a_day() {
        let cache = tempfile::tempdir().unwrap();
        let first = keep(&OsSystem, cache.path(), b"one\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&first).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let folder = std::fs::metadata(first.parent().unwrap()).unwrap().permissions().mode();
            assert_eq!(folder & 0o777, 0o700);
        }
        let old = SystemTime::now() - Duration::from_hours(25);
        std::fs::File::options().write(true).open(&first).unwrap().set_modified(old).unwrap();
        let second = keep(&OsSystem, cache.path(), b"two\n").unwrap();
        assert!(!first.exists() && second.exists());
    }

    #[test]
    fn logs_are_part_of_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let path = keep(&OsSystem, folder.path(), &b"x".repeat(5_000)).unwrap();
        let cache = UserCache::open(&OsSystem, folder.path()).unwrap();
        assert_eq!(cache.usage(&OsSystem).bytes(), 5_000);
        assert_eq!(cache.remove_all(&OsSystem).unwrap(), 5_000);
        assert!(!path.exists());
    }

    #[test]
    fn logs_are_bounded_in_bytes_and_the_last_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let first = keep(&OsSystem, folder.path(), &b"x".repeat(5_000)).unwrap();
        let old = SystemTime::now() - Duration::from_hours(1);
        std::fs::File::options().write(true).open(&first).unwrap().set_modified(old).unwrap();
        let second = keep(&OsSystem, folder.path(), &b"y".repeat(5_000)).unwrap();
        let cache = UserCache::open(&OsSystem, folder.path()).unwrap();
        prune_to(&OsSystem, &cache, 4_000);
        assert!(!first.exists() && second.exists());
    }

    #[test]
    fn a_log_has_no_secrets() {
        let cache = tempfile::tempdir().unwrap();
        let token = format!("ghp_{}", "0123456789abcdefABCDEF0123456789abcd");
        let path = keep(&OsSystem, cache.path(), format!("token {token}\n").as_bytes()).unwrap();
        assert!(!std::fs::read_to_string(path).unwrap().contains(&token));
    }
}
