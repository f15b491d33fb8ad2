//! The logs of commands that failed: in the user's cache folder, for a day.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use portolan_guard::redact;
use portolan_vfs::{System, sha256};

/// A log is kept for a day, in nanoseconds.
const KEPT: i128 = 24 * 60 * 60 * 1_000_000_000;

/// Keeps what a command printed, without what must not be stored; the path of the file. Only the user may read it.
pub(super) fn keep(system: &dyn System, cache: &Path, output: &[u8]) -> io::Result<PathBuf> {
    let folder = cache.join("portolan").join("logs");
    system.create_dir_all(&folder)?;
    prune(system, &folder);
    let masked = redact(&String::from_utf8_lossy(output)).into_owned();
    let name: String = sha256(masked.as_bytes()).to_string().chars().take(16).collect();
    let path = folder.join(format!("{name}.log"));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    for_the_user_alone(&mut options);
    options.open(&path)?.write_all(masked.as_bytes())?;
    Ok(path)
}

#[cfg(unix)]
fn for_the_user_alone(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn for_the_user_alone(_: &mut OpenOptions) {}

/// Lets go of what is older than a day.
fn prune(system: &dyn System, folder: &Path) {
    let Ok(now) = system.clock(folder) else { return };
    for entry in system.read_dir(folder).unwrap_or_default() {
        let path = folder.join(&entry.name);
        if system.lstat(&path).is_ok_and(|stat| now - stat.mtime_ns > KEPT) {
            // A log that stays is no harm.
            let _ = system.remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use portolan_vfs::OsSystem;

    use super::keep;

    #[test]
    fn a_log_is_the_users_alone_and_goes_after_a_day() {
        let cache = tempfile::tempdir().unwrap();
        let first = keep(&OsSystem, cache.path(), b"one\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&first).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let old = SystemTime::now() - Duration::from_hours(25);
        std::fs::File::options().write(true).open(&first).unwrap().set_modified(old).unwrap();
        let second = keep(&OsSystem, cache.path(), b"two\n").unwrap();
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
