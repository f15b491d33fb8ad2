//! Runs several commands at once in one repository: each completes or says why it stops, and their
//! outputs are those of one of them, never a mixture.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_testkit::reliability;
use portolan_vfs::{OsSystem, System, sha256};

use crate::support::{Repo, Run};

const ARCHIVE: &str = ".stan/output/archive.tar";
const PLAIN: &[&str] = &["run", "--wait", "60"];
const CONTEXT: &[&str] = &["run", "-c", "--wait", "60"];

type Outputs = BTreeMap<String, String>;

/// A repository in which the two kinds of run have different outputs, and those outputs.
struct LockPlace {
    repo: Repo,
    outputs: [Outputs; 2],
}

impl LockPlace {
    fn new() -> Self {
        let repo = Repo::with(&[
            ("package.json", "{\"name\":\"demo\"}"),
            ("src/a.ts", "import './b';\nexport const a = 1;\n"),
            ("src/b.ts", "export const b = 1;\n"),
            (".stan/context/dependency.state.json", r#"{"v":2,"i":["src/a.ts"]}"#),
        ]);
        for n in 0..40 {
            let text = format!("import './a';\nexport const f{n} = 1;\n").repeat(40);
            repo.write(&format!("src/f{n}.ts"), text.as_bytes());
        }
        let outputs = [PLAIN, CONTEXT].map(|command| {
            // The first run of a kind creates the baseline; the second has no changes to report.
            for _ in 0..2 {
                let answer = repo.run(command);
                assert_eq!(answer.code, 0, "{}", answer.stderr);
            }
            repo.files_below(".stan/output")
        });
        assert_ne!(outputs[0], outputs[1]);
        Self { repo, outputs }
    }

    /// Runs commands at once. Meanwhile, every reader sees a complete archive.
    fn run(&self, commands: &[&[&str]]) -> Vec<Run> {
        let is_over = AtomicBool::new(false);
        let whole: Vec<&String> = self.outputs.iter().map(|files| &files[ARCHIVE]).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let archive = sha256(&self.repo.read(ARCHIVE).unwrap()).to_hex();
                    assert!(whole.contains(&&archive), "half an archive was seen");
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
            let children: Vec<_> = commands.iter().map(|args| self.repo.spawn(args)).collect();
            let ends = children.into_iter().map(|child| Run::of(child.wait_with_output().unwrap()));
            let runs = ends.collect();
            is_over.store(true, Ordering::Relaxed);
            runs
        })
    }

    /// Checks that the outputs are those of one run, and that nothing else is left.
    #[track_caller]
    fn check(&self) {
        assert!(self.outputs.contains(&self.repo.files_below(".stan/output")), "a mixture");
        let mut files = self.repo.files_below(".stan").into_keys();
        assert_eq!(files.find(|path| path.contains(".portolan-tmp-")), None);
        let next = self.repo.run(&["run", "-c", "--wait", "0"]);
        assert_eq!(next.code, 0, "a lock was left behind: {}", next.stderr);
    }
}

#[track_caller]
fn check_done(runs: &[Run]) {
    for run in runs {
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

#[test]
fn two_runs_at_once_take_turns() {
    const ROUNDS: usize = 5;
    let place = LockPlace::new();
    for _ in 0..ROUNDS {
        check_done(&place.run(&[PLAIN, CONTEXT]));
        place.check();
    }
    let outcome = "all complete in sequence; outputs of one run, no leftovers";
    reliability::row("concurrency", "`run` and `run --context` at once", 2 * ROUNDS, outcome);
}

#[test]
fn twenty_runs_at_once_take_turns() {
    let place = LockPlace::new();
    check_done(&place.run(&[PLAIN, CONTEXT].repeat(10)));
    place.check();
    let outcome = "all complete in sequence; outputs of one run, no leftovers";
    reliability::row("concurrency", "twenty runs at once, waiting", 20, outcome);
}

#[test]
fn twenty_runs_at_once_that_do_not_wait_say_why_they_stop() {
    let place = LockPlace::new();
    let impatient: [&[&str]; 2] = [&["run", "--wait", "0"], &["run", "-c", "--wait", "0"]];
    let runs = place.run(&impatient.repeat(10));
    assert!(runs.iter().any(|run| run.code == 0));
    for run in runs.iter().filter(|run| run.code != 0) {
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains("another run"), "{}", run.stderr);
    }
    place.check();
    let outcome = "complete or exit 1; outputs of one run, no leftovers";
    reliability::row("concurrency", "twenty runs at once, not waiting", 20, outcome);
}

#[test]
fn a_refused_command_names_the_running_process() {
    let place = LockPlace::new();
    let lock = place.repo.path().join(".stan/diff/.portolan.lock");
    let _held = OsSystem.try_lock(Path::new(&lock)).unwrap().unwrap();
    let answer = place.repo.run(&["run", "--wait", "0"]);
    assert_eq!(answer.code, 1);
    if cfg!(unix) {
        let holder = format!("another run (process {}) is working", std::process::id());
        assert!(answer.stderr.contains(&holder), "{}", answer.stderr);
    }
}

#[test]
fn different_commands_at_once_do_not_disturb_each_other() {
    const GRAPH: &[&str] = &["graph", "--view", "graph"];
    const SELECT: &[&str] = &["select", "--format", "json"];
    let place = LockPlace::new();
    let [graph, select] = [GRAPH, SELECT].map(|command| place.repo.run(command).stdout);
    // All of them write the cache.
    let _ = std::fs::remove_file(place.repo.path().join(".stan/cache/facts.bin"));
    let commands = [PLAIN, CONTEXT, &["snap"], GRAPH, SELECT].repeat(4);
    let runs = place.run(&commands);
    check_done(&runs);
    for (run, command) in runs.iter().zip(&commands) {
        assert_eq!(run.stderr, "", "{command:?}");
        assert!(*command != GRAPH || run.stdout == graph, "{command:?} printed something else");
        assert!(*command != SELECT || run.stdout == select, "{command:?} printed something else");
    }
    place.check();
    assert_eq!(place.repo.run(GRAPH).stdout, graph);
    let what = "`run`, `run --context`, `snap`, `graph`, `select` at once, four times each";
    let outcome = "all complete with the usual answers; cache intact";
    reliability::row("concurrency", what, commands.len(), outcome);
}
