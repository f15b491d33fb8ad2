//! What is kept, what is ignored, and where it is.

use std::io;
use std::path::{Path, PathBuf};

use portolan_types::NoticeCode;
use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation, System};
use portolan_workspace::config::{self, Loaded};

use super::{CacheFolder, CacheMode, StoreError, UserCache};

const CACHE: &str = "/home/.cache";

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    system.create_dir_all(Path::new(CACHE)).unwrap();
    system
}

fn config(system: &dyn System, root: &str) -> Loaded {
    let config = config::load(system, Path::new(root)).unwrap();
    Loaded { user_cache: Some(CACHE.into()), ..config }
}

/// The cache of a repository, ready to be written.
fn opened(system: &dyn System, root: &str, mode: CacheMode) -> CacheFolder {
    let folder = CacheFolder::open(system, &config(system, root), mode);
    folder.prepare(system).unwrap();
    folder
}

fn read(system: &dyn System, folder: &CacheFolder, identity: &str) -> Option<Vec<u8>> {
    folder.file("a.bin", identity).read(system).unwrap().map(|bytes| bytes.to_vec())
}

/// The folder of `/r` in the user's cache.
fn user_folder(system: &dyn System) -> PathBuf {
    UserCache::open(system, Path::new(CACHE)).unwrap().folder_of(Path::new("/r"))
}

#[test]
fn a_workspace_has_its_own_cache() {
    let system = repository();
    system.put("/r/.stan/x", "");
    let folder = opened(&system, "/r", CacheMode::Use);
    assert_eq!(folder.path().unwrap(), Path::new("/r/.stan/cache"));
    folder.file("a.bin", "").write(&system, b"text");
    assert_eq!(read(&system, &folder, "").unwrap(), b"text");
    assert!(system.read_dir(Path::new(CACHE)).unwrap().is_empty());
}

#[test]
fn without_a_workspace_the_cache_is_the_users_and_the_repository_stays_as_it_is() {
    let system = repository();
    let before = system.files_below("/r");
    for mode in [CacheMode::Use, CacheMode::Read, CacheMode::Rebuild] {
        let folder = opened(&system, "/r", mode);
        assert!(folder.path().unwrap().starts_with("/home/.cache/portolan/repositories"));
        folder.file("a.bin", "").write(&system, format!("{mode:?}").as_bytes());
        let kept = read(&system, &opened(&system, "/r", CacheMode::Use), "");
        assert_eq!(kept.unwrap(), format!("{mode:?}").as_bytes());
    }
    assert_eq!(system.files_below("/r"), before);
}

#[test]
fn without_any_folder_there_is_no_cache() {
    let system = repository();
    let config = config::load(&system, Path::new("/r")).unwrap();
    let nowhere = Loaded { user_cache: Some("/none/at/all".into()), ..config.clone() };
    // A cache in the repository would be part of what is asked about.
    let inside = Loaded { user_cache: Some("/r".into()), ..config.clone() };
    for config in [config, nowhere, inside] {
        let folder = CacheFolder::open(&system, &config, CacheMode::Use);
        assert!(!folder.is_used() && !folder.writes());
        assert!(folder.prepare(&system).is_ok() && folder.clock(&system).is_err());
        assert_eq!(folder.file("a.bin", "").write(&system, b"text"), None);
        assert_eq!(read(&system, &folder, ""), None);
    }
    assert_eq!(system.files_below("/none").len() + system.files_below("/r").len(), 1);
}

#[test]
fn a_server_leaves_the_workspace_as_it_is() {
    let system = repository();
    system.put("/r/.stan/x", "");
    let before = system.files_below("/r");
    let folder = opened(&system, "/r", CacheMode::Read);
    folder.file("a.bin", "").write(&system, b"text");
    assert_eq!(system.files_below("/r"), before);
}

#[test]
fn a_file_for_something_else_counts_as_missing() {
    let system = repository();
    let folder = opened(&system, "/r", CacheMode::Use);
    folder.file("a.bin", "me").write(&system, b"text");
    assert_eq!(read(&system, &folder, "me").unwrap(), b"text");
    let outdated = folder.file("a.bin", "you").read(&system);
    assert!(matches!(outdated, Err(StoreError::Outdated)));
    // Another repository at the same path, and another file of the same one.
    let bytes = system.read(&user_folder(&system).join("a.bin")).unwrap();
    system.put(user_folder(&system).join("b.bin"), bytes.clone());
    assert!(folder.file("b.bin", "me").read(&system).is_err());
    system.put("/s/.git/HEAD", "");
    let other = opened(&system, "/s", CacheMode::Use);
    system.put(other.path().unwrap().join("a.bin"), bytes);
    assert!(other.file("a.bin", "me").read(&system).is_err());
    assert_eq!(read(&system, &opened(&system, "/r", CacheMode::Rebuild), "me"), None);
    assert_eq!(read(&system, &opened(&system, "/r", CacheMode::Off), "me"), None);
}

#[test]
fn no_damage_goes_unseen() {
    let system = repository();
    let folder = opened(&system, "/r", CacheMode::Use);
    let file = folder.file("a.bin", "");
    file.write(&system, b"some text");
    let path = user_folder(&system).join("a.bin");
    let bytes = system.read(&path).unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            system.put(&path, damaged);
            assert!(file.read(&system).is_err() && file.read_head(&system, 99).is_none(), "{at}");
        }
        system.put(&path, bytes[..at].to_vec());
        assert!(file.read(&system).is_err() && file.read_head(&system, 99).is_none(), "{at}");
    }
}

#[test]
fn a_folder_that_is_a_link_is_ignored() {
    let folders = ["/home/.cache/portolan", "/home/.cache/portolan/repositories"];
    for linked in folders.map(PathBuf::from).into_iter().chain([user_folder(&repository())]) {
        let system = repository();
        system.put("/elsewhere/x", "");
        system.create_dir_all(linked.parent().unwrap()).unwrap();
        system.link(&linked, "/elsewhere");
        let folder = CacheFolder::open(&system, &config(&system, "/r"), CacheMode::Use);
        assert!(!folder.is_used(), "{}", linked.display());
    }
}

#[test]
fn the_users_cache_may_be_behind_a_link() {
    let system = repository();
    system.remove_dir_all(Path::new(CACHE)).unwrap();
    system.create_dir_all(Path::new("/scratch")).unwrap();
    system.link(CACHE, "/scratch");
    let folder = opened(&system, "/r", CacheMode::Use);
    folder.file("a.bin", "").write(&system, b"text");
    assert!(folder.path().unwrap().starts_with("/scratch/portolan"));
    assert_eq!(read(&system, &folder, "").unwrap(), b"text");
}

#[test]
fn a_fault_is_noticed_in_the_workspace_only() {
    use Operation::{CommitUnsynced, Create, Write};
    for (stan, codes) in [("", vec![]), ("/r/.stan/x", vec![NoticeCode::CacheUnwritable])] {
        for refused in [Create, Write, CommitUnsynced] {
            let disk = repository();
            if !stan.is_empty() {
                disk.put(stan, "");
            }
            opened(&disk, "/r", CacheMode::Use);
            let system = FaultySystem::new(disk, move |call| {
                if call.operation == refused {
                    CallOutcome::Fail(io::ErrorKind::StorageFull.into())
                } else {
                    CallOutcome::Pass
                }
            });
            let folder = opened(&system, "/r", CacheMode::Use);
            let notice = folder.file("a.bin", "").write(&system, b"text");
            assert_eq!(notice.iter().map(|notice| notice.code).collect::<Vec<_>>(), codes);
        }
    }
}

#[test]
fn one_process_writes_at_a_time() {
    let system = repository();
    let folder = opened(&system, "/r", CacheMode::Use);
    let lock = system.try_lock(&folder.path().unwrap().join(".portolan.lock")).unwrap();
    assert_eq!(folder.file("a.bin", "").write(&system, b"text"), None);
    assert_eq!(read(&system, &folder, ""), None);
    drop(lock);
    folder.file("a.bin", "").write(&system, b"text");
    assert_eq!(read(&system, &folder, "").unwrap(), b"text");
}

/// Fills the caches of three repositories, and uses the first one again.
fn three_repositories() -> (MemorySystem, UserCache) {
    let system = repository();
    for root in ["/r", "/s", "/t", "/r"] {
        system.put(format!("{root}/.git/HEAD"), "");
        let folder = opened(&system, root, CacheMode::Use);
        folder.file("a.bin", "").write(&system, &[7; 1000]);
    }
    let cache = UserCache::open(&system, Path::new(CACHE)).unwrap();
    (system, cache)
}

fn roots(cache: &UserCache, system: &dyn System) -> Vec<String> {
    cache.usage(system).repositories.into_iter().map(|one| one.root).collect()
}

#[test]
fn the_least_recently_used_repositories_are_dropped_first() {
    let (system, cache) = three_repositories();
    assert_eq!(roots(&cache, &system), ["/r", "/t", "/s"]);
    let most = cache.usage(&system).bytes() - 1;
    let cache = UserCache { most, ..cache };
    cache.trim(&system, &cache.folder_of(Path::new("/r")));
    assert_eq!(roots(&cache, &system), ["/r", "/t"]);
    // The one that was just written stays, whatever it takes.
    let cache = UserCache { most: 0, ..cache };
    cache.trim(&system, &cache.folder_of(Path::new("/t")));
    assert_eq!(roots(&cache, &system), ["/t"]);
}

#[test]
fn a_cache_that_is_being_written_is_not_dropped() {
    let (system, cache) = three_repositories();
    let cache = UserCache { most: 0, ..cache };
    let folder = cache.folder_of(Path::new("/s"));
    let _lock = system.try_lock(&folder.join(".portolan.lock")).unwrap();
    cache.trim(&system, &cache.folder_of(Path::new("/r")));
    assert_eq!(roots(&cache, &system), ["/r", "/s"]);
}

#[test]
fn caches_are_removed_one_by_one_or_all_at_once() {
    let (system, cache) = three_repositories();
    system.put(cache.answers().join("00.json"), "12345");
    let before = cache.usage(&system);
    assert_eq!(before.answers, 5);
    let removed = cache.remove(&system, Path::new("/s")).unwrap();
    assert!(removed > 1000 && roots(&cache, &system) == ["/r", "/t"]);
    assert_eq!(cache.remove(&system, Path::new("/s")).unwrap(), 0);
    assert_eq!(removed + cache.remove_all(&system).unwrap(), before.bytes());
    assert_eq!(cache.usage(&system).bytes(), 0);
}
