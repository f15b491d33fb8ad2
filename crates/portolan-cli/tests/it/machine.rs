//! Tests the binary on a failing machine: killed, out of space, without permission.
//!
//! Tests that cannot run here (mounting needs `unshare`) say so on stderr.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use portolan_testkit::reliability;

use crate::support::{Repo, files_below};

const STATE: &str = ".stan/context/dependency.state.json";
const SELECTIONS: [&str; 2] =
    [r#"{"v":2,"i":[["src/index.ts",2]]}"#, r#"{"v":2,"i":["src/m1.ts","notes/todo.md"]}"#];

/// The files of a workspace by path, with their digests.
type Files = BTreeMap<String, String>;

/// A repository that takes long enough to interrupt, after a good run for each of two selections.
/// Returns the files that each leaves; those of the second are in place.
fn repository() -> (Repo, [Files; 2]) {
    let repo = Repo::with(&[
        ("package.json", "{\"name\":\"demo\"}"),
        ("stan.config.yml", "stan-core: {stanPath: .stan}\n"),
        (".gitignore", "node_modules/\nnotes/\n"),
        ("notes/todo.md", "# To do\n"),
        (
            "node_modules/alpha/package.json",
            "{\"name\":\"alpha\",\"version\":\"1.2.3\",\"types\":\"index.d.ts\"}",
        ),
        ("node_modules/alpha/index.d.ts", "export declare const alpha: number;\n"),
    ]);
    let mut index = String::from("import { alpha } from 'alpha';\n");
    for n in 0..60 {
        let text = format!("export const m{n} = {n};\n").repeat(100);
        repo.write(&format!("src/m{n}.ts"), text.as_bytes());
        let _ = writeln!(index, "import {{ m{n} }} from './m{n}';");
    }
    repo.write("src/index.ts", index.as_bytes());
    repo.write(STATE, SELECTIONS[0].as_bytes());
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    let results = SELECTIONS.map(|selection| {
        repo.write(STATE, selection.as_bytes());
        let answer = repo.run(&["run", "-c"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        artifacts(&repo.path())
    });
    assert_ne!(results[0], results[1]);
    (repo, results)
}

/// Everything in the workspace, including temporary files, except for the cache and the locks.
fn artifacts(root: &Path) -> Files {
    let is_artifact =
        |path: &str| !path.starts_with(".stan/cache/") && !path.ends_with("/.portolan.lock");
    let files = files_below(root, ".stan").into_iter();
    files.filter(|(path, _)| is_artifact(path)).collect()
}

/// Checks that each file is a complete old or new one.
#[track_caller]
fn check_whole(files: &Files, old: &Files, new: &Files, case: &str) {
    for (path, digest) in files.iter().filter(|(path, _)| !path.contains(".portolan-tmp-")) {
        let is_whole = [old, new].iter().any(|known| known.get(path) == Some(digest));
        assert!(is_whole || path == STATE, "{path} is neither old nor new: {case}");
    }
    for path in [".stan/output/archive.tar", ".stan/output/archive.diff.tar"] {
        assert!(files.contains_key(path), "{path} is missing: {case}");
    }
}

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// Kills runs at pseudo-random moments.
fn kill(times: usize) {
    let (repo, results) = repository();
    let mut dice = Dice(8);
    // The shortest time of a complete run: other tests may slow some down.
    let mut whole = Duration::from_secs(1);
    let mut killed = 0;
    for time in 0..times {
        // The selection that is not in place.
        let (old, new) = (&results[(time + 1) % 2], &results[time % 2]);
        repo.write(STATE, SELECTIONS[time % 2].as_bytes());
        let mut child = repo.start(&["run", "-c"]);
        let delay = dice.below(whole.as_micros() as u64 * 11 / 10);
        std::thread::sleep(Duration::from_micros(delay));
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
        let case = format!("killed after {delay} µs, time {time}");
        check_whole(&artifacts(&repo.path()), old, new, &case);
        for archive in [".stan/output/archive.tar", ".stan/output/archive.diff.tar"] {
            assert!(!repo.members(archive).unwrap().is_empty(), "{archive}: {case}");
        }
        let started = Instant::now();
        let next = repo.run(&["run", "-c", "--wait", "0"]);
        whole = whole.min(started.elapsed());
        assert_eq!(next.code, 0, "{case}: {}", next.stderr);
        assert_eq!(artifacts(&repo.path()), *new, "{case}");
    }
    assert!(killed * 3 > times, "only {killed} of {times} were in time");
}

const KILLED: &str = "files complete, old or new; no lock; the next run delivers normally";

#[test]
fn a_run_may_be_killed_at_any_moment() {
    kill(40);
    reliability::row("machine", "`kill -9` at a random moment of `run --context`", 40, KILLED);
}

/// `PORTOLAN_KILLS=300 cargo test -p portolan-cli killed` for the long run.
#[test]
fn a_run_may_be_killed_many_times() {
    let Some(times) = std::env::var("PORTOLAN_KILLS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    kill(times);
    let what = "`kill -9` at a random moment of `run --context` (long run, `PORTOLAN_KILLS=300`)";
    reliability::row("machine", what, times, KILLED);
}

/// Runs a script in a private mount namespace. It gets the binary as `$PORTOLAN` and the root's
/// parent as its working folder, and prints its result; `None` if the machine does not allow this.
fn with_mounts(repo: &Repo, script: &str) -> Option<String> {
    let probe = ["-rm", "sh", "-c", "mount -t tmpfs none /mnt || mount -t tmpfs none /tmp"];
    let can_mount = Command::new("unshare").args(probe).stderr(Stdio::null()).status();
    if !can_mount.is_ok_and(|status| status.success()) {
        reliability::not_tried("nobody may mount here in a namespace of his own (`unshare -rm`)");
        return None;
    }
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-euc", script])
        .env("PORTOLAN", env!("CARGO_BIN_EXE_portolan"))
        .current_dir(repo.parent())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    Some(text(&output.stdout))
}

/// For many amounts of free space: put the workspace on a small disk, run, check, add space, run
/// again.
const FULL_DISK: &str = r#"
cp -a repo/.stan old
mount -t tmpfs none repo/.stan
cp -a old/. repo/.stan
used=$(df -k repo/.stan | awk 'END { print $3 }')
umount repo/.stan
for free in $(seq 0 16 400); do
    mount -t tmpfs -o size=$((used + 1024))k none repo/.stan
    cp -a old/. repo/.stan
    head -c $(((1024 - free) * 1024)) /dev/zero >repo/.stan/filler
    code=0
    (cd repo && "$PORTOLAN" run -c >/dev/null 2>../stderr-$free) || code=$?
    rm repo/.stan/filler
    mkdir "first-$free" "next-$free"
    cp -a repo/.stan "first-$free"
    (cd repo && "$PORTOLAN" run -c >/dev/null)
    cp -a repo/.stan "next-$free"
    umount repo/.stan
    echo $free $code
done
"#;

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let (repo, results) = repository();
    let (old, new) = (&results[1], &results[0]);
    repo.write(STATE, SELECTIONS[0].as_bytes());
    let Some(answer) = with_mounts(&repo, FULL_DISK) else { return };
    let (mut refused, mut done) = (0, 0);
    for line in answer.lines() {
        let (free, code) = line.split_once(' ').unwrap();
        let look = |which: &str| artifacts(&repo.parent().join(format!("{which}-{free}")));
        let stderr = fs::read_to_string(repo.parent().join(format!("stderr-{free}"))).unwrap();
        let first = look("first");
        assert!(!first.keys().any(|path| path.contains(".portolan-tmp-")), "{line}: {first:?}");
        if code == "0" {
            done += 1;
            assert_eq!(first, *new, "{line}");
        } else {
            refused += 1;
            assert_eq!(code, "1", "{line}: {stderr}");
            assert!(stderr.contains("`.stan/") && stderr.contains("No space left"), "{stderr}");
            check_whole(&first, old, new, line);
            for folder in [".stan/output/", ".stan/diff/", ".stan/context/npm/"] {
                let kept = |files: &Files| -> Files {
                    let inside = files.iter().filter(|(path, _)| path.starts_with(folder));
                    inside.map(|(path, digest)| (path.clone(), digest.clone())).collect()
                };
                assert_eq!(kept(&first), kept(old), "{line}: {folder}");
            }
        }
        assert_eq!(look("next"), *new, "{line}");
    }
    assert!(refused > 5 && done > 3, "{refused} refused, {done} done\n{answer}");
    let what = "`run --context` with the workspace on a full disk";
    let outcome = "exit 1 with the file name, outputs unchanged, until there is space";
    reliability::row("machine", what, refused + done, outcome);
}

/// A read-only folder, relative to the root, and the message of a run.
const READ_ONLY: [(&str, &str); 4] = [
    (".", "cannot lock `.stan/diff/.portolan.lock`"),
    (".stan", "cannot lock `.stan/diff/.portolan.lock`"),
    (".stan/output", "cannot write `.stan/output/archive.tar`"),
    (".stan/context", "cannot stage `.stan/context/npm/"),
];

/// Where `$FOLDER` is read-only: a run that fails, and all commands that need not write.
const READ_ONLY_SCRIPT: &str = r#"
cd repo
mount --bind $FOLDER $FOLDER
mount -o remount,bind,ro $FOLDER
cd "$PWD"
code=0
"$PORTOLAN" run -c || code=$?
test $code = 1
for command in 'run -c --plan' graph select 'snap info' prompt; do
    "$PORTOLAN" $command >/dev/null
done
"#;

#[test]
fn a_read_only_workspace_is_reported_and_reading_commands_work() {
    let (repo, _) = repository();
    repo.write(STATE, SELECTIONS[0].as_bytes());
    let before = artifacts(&repo.path());
    for (folder, message) in READ_ONLY {
        let script = format!("exec 2>&1\nFOLDER={folder}\n{READ_ONLY_SCRIPT}");
        let Some(answer) = with_mounts(&repo, &script) else { return };
        assert!(answer.contains(message) && answer.contains("Read-only file system"), "{answer}");
        assert_eq!(artifacts(&repo.path()), before, "{folder}");
    }
    let what = "a repository or workspace mounted read-only";
    let outcome = "`run --context` exits 1 with the file name; reading commands work";
    reliability::row("machine", what, READ_ONLY.len(), outcome);
}

/// A path, its mode, and the message of a run.
const FORBIDDEN: [(&str, u32, &str); 7] = [
    ("stan.config.yml", 0o000, "stan.config.yml"),
    (".gitignore", 0o000, "`.gitignore` cannot be read"),
    (".stan/output", 0o555, "cannot write `.stan/output/archive.tar`"),
    (".stan/context", 0o555, "cannot stage `.stan/context/npm/"),
    (".stan/diff/.portolan.lock", 0o444, "cannot lock `.stan/diff/.portolan.lock`"),
    (STATE, 0o000, "cannot read `.stan/context/dependency.state.json`"),
    (BASELINE, 0o000, "cannot read `.stan/diff/.archive.snapshot.context.json`"),
];
const BASELINE: &str = ".stan/diff/.archive.snapshot.context.json";

#[test]
fn a_missing_permission_is_reported_and_nothing_is_half_written() {
    let (repo, _) = repository();
    repo.write(STATE, SELECTIONS[0].as_bytes());
    let before = artifacts(&repo.path());
    for (path, mode, message) in FORBIDDEN {
        let Some(answer) = repo.run_as_nobody(&["run", "-c"], &[(path, mode)]) else { return };
        assert_eq!(answer.code, 1, "{path}: {}", answer.stderr);
        let is_told =
            answer.stderr.contains(message) && answer.stderr.contains("Permission denied");
        assert!(is_told, "{path}: {}", answer.stderr);
        assert!(!answer.stderr.contains("run again"), "{path}: {}", answer.stderr);
        assert_eq!(artifacts(&repo.path()), before, "{path}");
    }
    let what = "a required file or folder without permission";
    let outcome = "`run --context` exits 1 with the file name; nothing changed";
    reliability::row("machine", what, FORBIDDEN.len(), outcome);
}

/// An unreadable path in the repository, and its notice.
const UNREADABLE: [(&str, &str); 4] = [
    ("src/m1.ts", "[CTX-SCAN-0001]"),
    ("src", "[CTX-SCAN-0001]"),
    ("node_modules/alpha/index.d.ts", "[CTX-GRAPH-0001]"),
    ("node_modules/alpha", "[CTX-RESOLVE-0004]"),
];

#[test]
fn unreadable_files_are_reported_and_never_cached() {
    let (repo, results) = repository();
    repo.write(STATE, SELECTIONS[0].as_bytes());
    for (path, notice) in UNREADABLE {
        let Some(answer) = repo.run_as_nobody(&["run", "-c"], &[(path, 0o000)]) else { return };
        assert_eq!(answer.code, 0, "{path}: {}", answer.stderr);
        assert!(answer.stderr.contains(notice), "{path}: {}", answer.stderr);
        let next = repo.run_as_nobody(&["run", "-c"], &[]).unwrap();
        assert_eq!((next.code, next.stderr.as_str()), (0, ""), "{path}");
        assert_eq!(artifacts(&repo.path()), results[0], "{path}");
    }
    let what = "an unreadable source file, folder or package";
    let outcome = "delivered with a notice; the next run has everything";
    reliability::row("machine", what, UNREADABLE.len(), outcome);
}
