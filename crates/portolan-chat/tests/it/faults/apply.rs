//! `apply` is the only command that writes to the user's own files: a whole reply or nothing.

use std::time::Duration;

use portolan_chat::apply::{ApplyRequest, UndoRequest, apply, undo};
use portolan_chat::run::RunMode;
use portolan_testkit::{memory, reliability};
use portolan_vfs::{FaultySystem, InjectedFault, MemorySystem, System};

use super::{Files, Scenario, check_nothing_left, load, run_as, visible};

/// An edit, a new file in a new folder, and a deleted file.
const REPLY: &str = "\
```diff
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-export const a = 1;
+export const a = 2;
--- /dev/null
+++ b/src/new/b.ts
@@ -0,0 +1 @@
+export const b = 1;
--- a/src/c.ts
+++ /dev/null
@@ -1 +0,0 @@
-export const c = 1;
```
";

fn repository() -> MemorySystem {
    let system = memory(
        "//- package.json\n{}\n//- src/a.ts\nexport const a = 1;\n//- src/c.ts\nexport const c = 1;\n",
    );
    run_as(&system, RunMode::Plain).unwrap();
    system
}

/// Whether the reply was applied; findings are not errors, but nothing is applied.
fn applied(system: &dyn System) -> Result<bool, String> {
    let request = ApplyRequest {
        config: load(system).map_err(|refusal| refusal.message)?,
        reply: REPLY.to_owned(),
        is_lenient: true,
        is_dry_run: false,
        wait: Duration::ZERO,
    };
    let report = apply(system, &request, &|_| {}).map_err(|error| error.to_string())?;
    Ok(report.is_applied)
}

fn undone(system: &dyn System) {
    let config = load(system).unwrap();
    undo(system, &UndoRequest { config, is_dry_run: false, wait: Duration::ZERO }, &|_| {})
        .unwrap();
}

/// The user's files: everything outside the workspace.
fn own(system: &MemorySystem) -> Files {
    let mut files = visible(system);
    files.retain(|path, _| !path.starts_with("/repo/.stan"));
    files
}

/// The files before and after a good run.
fn both() -> (Files, Files) {
    let system = repository();
    let before = own(&system);
    assert_eq!(applied(&system), Ok(true));
    assert_eq!(own(&system).len(), before.len());
    (before, own(&system))
}

/// Checks that the reply can now be applied if it was not, and undone.
#[track_caller]
fn check_next(system: &MemorySystem, is_applied: bool, case: &str) {
    let (before, after) = both();
    if !is_applied {
        assert_eq!(applied(system), Ok(true), "{case}");
    }
    assert_eq!(own(system), after, "{case}");
    check_nothing_left(system, &case);
    undone(system);
    assert_eq!(own(system), before, "{case}");
    check_nothing_left(system, &case);
}

#[test]
fn every_call_of_apply_may_fail() {
    let (before, after) = both();
    let command = |system: &dyn System| match applied(system) {
        Ok(is_applied) => Ok((is_applied.to_string(), Vec::new())),
        Err(message) => Err(super::Refusal { message, is_bad_input: false }),
    };
    let scenario = Scenario::new(repository(), command);
    let (mut refused, mut unharmed) = (0, 0);
    for (call, fault) in scenario.faults() {
        let case = format!("{fault:?} at {call:?}");
        let system = scenario.system.fork();
        let answer = applied(&FaultySystem::failing_once(system.clone(), call.number, fault));
        let is_gone = fault == InjectedFault::Vanished && system.lstat(&call.path).is_err();
        // A file that somebody removed meanwhile is not restored.
        let is_own = !call.path.starts_with("/repo/.stan");
        let is_applied = answer == Ok(true);
        if is_gone && is_own && !is_applied {
            scenario.restore(&system, &call.path);
        }
        assert_eq!(own(&system), *if is_applied { &after } else { &before }, "{case}: {answer:?}");
        if is_gone && !is_own {
            scenario.restore(&system, &call.path);
        }
        if is_applied {
            unharmed += 1;
        } else {
            refused += 1;
        }
        check_next(&system, is_applied, &case);
    }
    let outcome = format!("{refused} refused, {unharmed} applied; then `apply` and undo work");
    reliability::row("faults", "each call of `apply` fails once", refused + unharmed, &outcome);
}

#[test]
fn apply_may_end_for_good_at_every_call() {
    let (before, after) = both();
    let command = |system: &dyn System| Ok((format!("{:?}", applied(system)), Vec::new()));
    let scenario = Scenario::new(repository(), command);
    let calls = scenario.calls().len();
    for nth in 0..calls {
        let system = scenario.system.fork();
        let _ = applied(&FaultySystem::dead_from(system.clone(), nth));
        let case = format!("killed at {nth}");
        for (path, bytes) in own(&system) {
            let is_whole = [&before, &after].iter().any(|files| files.get(&path) == Some(&bytes));
            assert!(is_whole, "{case}: {} is neither old nor new", path.display());
        }
        // The journal records the steps before the kill, so the result is complete or can be
        // undone.
        let is_whole = own(&system) == after && applied(&system.fork()) == Ok(false);
        check_next(&system, is_whole, &case);
    }
    let outcome = "files complete, old or new; the next `apply` undoes the partial one";
    reliability::row("faults", "`apply` killed at each call", calls, outcome);
}
