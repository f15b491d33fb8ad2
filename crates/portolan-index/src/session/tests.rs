//! Sessions: what they read again, and what they do not.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation, System};

use super::{Session, Snapshot};
use crate::map::{CacheMode, MapRequest};
use portolan_workspace::config;

const A: &str = "import { b } from './b';\nexport const a = b;\n";

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    system.put("/r/.stan/cache/x", "");
    system.put("/r/src/a.ts", A);
    system.put("/r/src/b.ts", "export const b = 1;\n");
    system
}

fn session(system: &dyn System) -> Session<'_> {
    let config = config::load(system, Path::new("/r")).unwrap();
    Session::open(system, MapRequest { config, threads: 2 }, CacheMode::Off).unwrap()
}

/// Whether two are one.
fn is_same(left: &Snapshot, right: &Snapshot) -> bool {
    std::ptr::eq(left, right)
}

#[test]
fn what_did_not_change_is_the_very_snapshot_and_nothing_is_read() {
    let reads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&reads);
    let system = FaultySystem::new(repository(), move |call| {
        let is_read = matches!(call.operation, Operation::Read | Operation::ReadHead);
        if is_read && call.path.extension().is_some_and(|ending| ending == "ts") {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        CallOutcome::Pass
    });
    let session = session(&system);
    let first = session.snapshot().unwrap();
    assert_eq!(reads.swap(0, Ordering::Relaxed), 2);
    assert!(is_same(&first, &session.refresh().unwrap()));
    assert!(is_same(&first, &session.snapshot().unwrap()));
    assert_eq!(reads.load(Ordering::Relaxed), 0);
}

#[test]
fn a_snapshot_does_not_change_when_the_repository_does() {
    let system = repository();
    let session = session(&system);
    let old = session.snapshot().unwrap();
    system.put("/r/src/c.ts", "import './a';\n");
    let new = session.refresh().unwrap();
    assert!(old.csr_graph.index_of("src/c.ts").is_none());
    assert!(new.csr_graph.index_of("src/c.ts").is_some());
    assert!(is_same(&new, &session.snapshot().unwrap()));
}

#[test]
fn many_questions_run_at_once_on_one_snapshot_while_another_refreshes() {
    let system = repository();
    let session = session(&system);
    let first = session.snapshot().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let snapshot = session.snapshot().unwrap();
                    assert!(snapshot.csr_graph.index_of("src/a.ts").is_some());
                    assert!(first.csr_graph.index_of("src/a.ts").is_some());
                }
            });
        }
        scope.spawn(|| {
            for number in 0..20 {
                system.put("/r/src/b.ts", format!("export const b = {number};\n"));
                session.refresh().unwrap();
            }
        });
    });
    assert_eq!(session.refresh().unwrap().map.universe.len(), 2);
}

#[test]
fn a_session_without_a_workspace_parses_nothing_twice_either() {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    system.put("/r/src/a.ts", A);
    let session = session(&system);
    let first = session.snapshot().unwrap();
    assert!(is_same(&first, &session.refresh().unwrap()));
    assert!(system.stat(Path::new("/r/.stan")).is_err(), "and makes none");
}
