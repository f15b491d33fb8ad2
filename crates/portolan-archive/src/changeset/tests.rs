//! All or nothing: on success, when any disk call fails, and when the process dies at any call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use portolan_types::RepoPath;
use portolan_vfs::{FaultySystem, InjectedFault, MemorySystem, System, sha256};
use portolan_wire::journal::JournalV1;

use super::{Changeset, ChangesetError, FileEdit, JournaledChanges, NewContent, Recovery};
use crate::inside::Root;

type VisibleFiles = BTreeMap<PathBuf, (Vec<u8>, bool)>;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn fixture() -> MemorySystem {
    let system = MemorySystem::default();
    for (name, text) in [("a", "a\n"), ("d/b", "b\n"), ("d/e/c", "c\n"), ("run.sh", "run\n")] {
        system.put(format!("/r/{name}"), text);
    }
    system.set_executable(Path::new("/r/run.sh"), true).unwrap();
    system
}

/// Edits `a` and `run.sh`, creates `n/m`, deletes `d/e/c`, and makes `x` a folder.
fn changes() -> JournaledChanges {
    let text = |text: &str, mode_of: Option<&str>| {
        Some(NewContent { bytes: text.into(), mode_of: mode_of.map(path), executable: None })
    };
    let edit = |name: &str, before: Option<&str>, after| FileEdit {
        path: path(name),
        before: before.map(|text| sha256(text.as_bytes())),
        after,
    };
    JournaledChanges {
        edits: vec![
            edit("a", Some("a\n"), text("A\n", Some("a"))),
            edit("d/e/c", Some("c\n"), None),
            edit("n/m", None, text("m\n", None)),
            edit("run.sh", Some("run\n"), text("go\n", Some("run.sh"))),
        ],
        made: vec![path("x")],
        removed: Vec::new(),
    }
}

/// The visible files and whether they are executable.
fn visible(system: &MemorySystem) -> VisibleFiles {
    let files = system.files_below("/r").into_iter();
    let files = files.filter(|(path, _)| !path.starts_with("/r/.stan"));
    files
        .map(|(path, bytes)| {
            let executable = system.stat(&path).unwrap().executable;
            (path, (bytes, executable))
        })
        .collect()
}

fn with<T>(system: &dyn System, act: impl FnOnce(&Changeset<'_>) -> T) -> T {
    let restricted = system.restricted_without_links(Path::new("/r"));
    let root = Root { system: &*restricted, path: Path::new("/r") };
    act(&Changeset::new(root, path(".stan/patch/portolan"), &|path| !path.is_under(".git")))
}

fn recover(changeset: &Changeset<'_>) -> Result<Recovery, ChangesetError> {
    changeset.recover()
}

fn last(changeset: &Changeset<'_>) -> Result<Option<JournalV1>, ChangesetError> {
    changeset.last()
}

fn is_unfinished(changeset: &Changeset<'_>) -> Result<bool, ChangesetError> {
    changeset.is_unfinished()
}

fn undo(changeset: &Changeset<'_>) -> Result<(), ChangesetError> {
    let last = changeset.last()?.unwrap();
    changeset.undo(&last)
}

#[test]
fn everything_changes_and_can_be_undone() {
    let system = fixture();
    let before = visible(&system);
    with(&system, |changeset| changeset.commit(&changes())).unwrap();
    let after = visible(&system);
    let told: Vec<_> = after
        .iter()
        .map(|(path, (bytes, executable))| {
            format!("{} {:?} {executable}", path.display(), String::from_utf8_lossy(bytes))
        })
        .collect();
    assert_eq!(
        told,
        [
            "/r/a \"A\\n\" false",
            "/r/d/b \"b\\n\" false",
            "/r/n/m \"m\\n\" false",
            "/r/run.sh \"go\\n\" true",
        ]
    );
    assert!(system.stat(Path::new("/r/d/e")).is_err(), "an emptied folder stays");
    assert!(system.stat(Path::new("/r/x")).is_ok());
    with(&system, undo).unwrap();
    assert_eq!(visible(&system), before);
    assert!(system.stat(Path::new("/r/x")).is_err() && system.stat(Path::new("/r/n")).is_err());
    assert!(with(&system, last).unwrap().unwrap().is_undo);
}

#[test]
fn concurrent_changes_are_neither_overwritten_nor_undone() {
    let system = fixture();
    system.put("/r/a", "mine\n");
    let before = visible(&system);
    let error = with(&system, |changeset| changeset.commit(&changes())).unwrap_err();
    assert!(matches!(&error, ChangesetError::Changed(paths) if *paths == [path("a")]), "{error}");
    assert_eq!(visible(&system), before);
    let system = fixture();
    with(&system, |changeset| changeset.commit(&changes())).unwrap();
    system.put("/r/n/m", "mine\n");
    let before = visible(&system);
    assert!(matches!(with(&system, undo), Err(ChangesetError::Changed(_))));
    assert_eq!(visible(&system), before);
}

#[test]
fn a_failure_at_any_call_changes_nothing() {
    let before = visible(&fixture());
    let mut failures = 0;
    for nth in 0.. {
        let system = fixture();
        let faulty = FaultySystem::failing_once(system.clone(), nth, InjectedFault::Full);
        match with(&faulty, |changeset| changeset.commit(&changes())) {
            Err(error) => {
                assert_eq!(visible(&system), before, "fault at {nth}: {error}");
                assert!(error.to_string().ends_with("as it was"), "{error}");
                failures += 1;
            }
            Ok(()) if nth < faulty.calls() => {}
            Ok(()) => break,
        }
    }
    assert!(failures > 25, "{failures}");
}

/// Dies at every call in turn, and checks what the next run makes of it.
fn check_kills(prepare: impl Fn() -> MemorySystem, act: fn(&Changeset<'_>) -> bool) -> usize {
    let before = visible(&prepare());
    let after = {
        let system = prepare();
        assert!(with(&system, act));
        visible(&system)
    };
    let mut mixed = 0;
    for nth in 0.. {
        let system = prepare();
        let dead = FaultySystem::dead_from(system.clone(), nth);
        let _ = with(&dead, act);
        mixed += usize::from(visible(&system) != before && visible(&system) != after);
        let is_over = nth > dead.calls();
        let recovery = with(&system, recover).unwrap();
        let now = visible(&system);
        assert!(now == before || now == after, "kill at {nth}: {recovery:?} {now:?}");
        assert_eq!(with(&system, recover).unwrap(), Recovery::Nothing);
        assert!(!with(&system, is_unfinished).unwrap());
        if is_over {
            break;
        }
    }
    mixed
}

#[test]
fn the_next_run_repairs_a_kill_at_any_call() {
    let apply = |changeset: &Changeset<'_>| changeset.commit(&changes()).is_ok();
    assert!(check_kills(fixture, apply) > 3, "nothing was ever half done");
    let applied = || {
        let system = fixture();
        with(&system, |changeset| changeset.commit(&changes())).unwrap();
        system
    };
    assert!(check_kills(applied, |changeset| undo(changeset).is_ok()) > 3);
}

/// Two files are already changed, and the process is dead.
fn half_done() -> MemorySystem {
    let is_half = |system: &MemorySystem| {
        let files = visible(system);
        !files.contains_key(Path::new("/r/d/e/c")) && files[Path::new("/r/a")].0 == b"A\n"
    };
    let systems = (0..).map(|nth| {
        let system = fixture();
        let _ = with(&FaultySystem::dead_from(system.clone(), nth), |set| set.commit(&changes()));
        system
    });
    systems.into_iter().find(is_half).unwrap()
}

#[test]
fn a_kill_during_recovery_is_repaired_too() {
    let (half, before) = (half_done(), visible(&fixture()));
    for nth in 0..40 {
        let system = half.fork();
        let _ = with(&FaultySystem::dead_from(system.clone(), nth), recover);
        with(&system, recover).unwrap();
        assert_eq!(visible(&system), before, "kill at {nth}");
    }
}

#[test]
fn a_journal_with_forbidden_paths_is_rejected() {
    let system = half_done();
    let name = "/r/.stan/patch/portolan/next/journal.json";
    let text = String::from_utf8(system.read(Path::new(name)).unwrap()).unwrap();
    system.put(name, text.replace("\"a\"", "\".git/config\""));
    let before = visible(&system);
    let error = with(&system, recover).unwrap_err();
    assert!(error.to_string().contains("`.git/config`, which may not be changed"), "{error}");
    assert_eq!(visible(&system), before);
}

#[test]
fn a_file_that_an_editor_saves_in_between_is_kept_and_nothing_is_changed() {
    for saved in ["a", "d/e/c", "n/m", "run.sh"] {
        let system = fixture();
        let mut expected = visible(&system);
        let error = with(&system, |changeset| {
            let journal = changeset.prepare(&changes(), false).unwrap();
            system.put(format!("/r/{saved}"), "saved\n");
            changeset.execute(&journal).unwrap_err()
        });
        assert!(matches!(&error, ChangesetError::Changed(paths) if *paths == [path(saved)]));
        let found = visible(&system);
        let file = PathBuf::from(format!("/r/{saved}"));
        assert_eq!(found[&file].0, b"saved\n", "{saved}");
        expected.insert(file.clone(), found[&file].clone());
        assert_eq!(found, expected, "{saved}");
        assert!(!with(&system, is_unfinished).unwrap(), "{saved}");
    }
}
