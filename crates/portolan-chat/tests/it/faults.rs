//! Injects faults: each file system call of a command fails once, in every possible way, and the
//! command must keep its promises.
//!
//! - It fails with a fault of the machine and names the file; everything is unchanged.
//! - Or it succeeds. Then it delivers its usual result, or a notice says what is missing and why,
//!   or, if a file vanished, it delivers the rest.
//! - Nothing is left over, and the next run behaves as if nothing had happened: no failure is
//!   cached.

mod apply;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portolan_archive::Move;
use portolan_chat::init::{InitError, InitRequest, init};
use portolan_chat::run::{RunMode, RunRequest, run};
use portolan_chat::snap::{SnapAction, SnapError, SnapRequest, snap};
use portolan_graph::encode_graph;
use portolan_index::map::{CacheMode, MapRequest, build_cached};
use portolan_query::agent::{AgentContextRequest, build_pack};
use portolan_query::ast::{OutFile, SliceRequest, Source, write_out};
use portolan_testkit::{ROOT, git_index, memory, reliability};
use portolan_types::{Notice, NoticeCode};
use portolan_vfs::{
    Call, CallOutcome, FaultySystem, InjectedFault, MemorySystem, Operation, System, TEMP_PREFIX,
};
use portolan_workspace::config;

/// A repository with everything that commands look at. The names of a link and of its target end
/// alike, because a message may use either.
const REPOSITORY: &str = "\
//- stan.config.yml
stan-core: {imports: {kit: ../kit/*.md}}
//- package.json
{ \"name\": \"demo\", \"workspaces\": [\"packages/*\"] }
//- tsconfig.json
{ \"extends\": \"./base.json\", \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }
//- base.json
{ \"compilerOptions\": { \"strict\": true } }
//- .gitignore
node_modules/
notes/
gen/
//- .git/HEAD
ref: refs/heads/main
//- .git/config
[core]
bare = false
//- .git/info/exclude
mine.md
//- mine.md
# Mine
//- gen/tracked.ts
export {};
//- src/index.ts
import { a } from '@/a';
import { alpha } from 'alpha';
import { app } from 'app';
export const x = [a, alpha, app];
//- src/a.ts
export const a = 1;
//- link-to-a.ts -> src/a.ts
//- packages/app/package.json
{ \"name\": \"app\", \"main\": \"main.ts\" }
//- packages/app/main.ts
export * from './inner';
//- packages/app/inner.ts
export const app = 1;
//- node_modules/alpha -> .store/alpha
//- node_modules/.store/alpha/package.json
{ \"name\": \"alpha\", \"version\": \"1.2.3\", \"types\": \"index.d.ts\" }
//- node_modules/.store/alpha/index.d.ts
export * from './deep';
//- node_modules/.store/alpha/deep.d.ts
export declare const alpha: number;
//- notes/old.md
# Old
//- notes/todo.md
# To do
//- ../kit/a.md
# A
//- .stan/system/stan.project.md
# About
//- .stan/context/dependency.state.json
{ \"v\": 2, \"i\": [\"src/a.ts\", \"notes/old.md\"] }
";

/// The repository, with an index of git.
fn repository() -> MemorySystem {
    let system = memory(REPOSITORY);
    system.put("/repo/.git/index", git_index(&["gen/tracked.ts", "src/a.ts"]));
    system
}

const LINKS: [(&str, &str); 2] =
    [("/repo/link-to-a.ts", "src/a.ts"), ("/repo/node_modules/alpha", ".store/alpha")];
const STATE: &str = "/repo/.stan/context/dependency.state.json";
/// Files that are deliberately written before the state is read: the user needs the new map to fix
/// a state.
const EARLY: [&str; 2] =
    ["/repo/.stan/context/dependency.meta.json", "/repo/.stan/context/dependency.map.json"];

/// The complete output of a command, and its notices.
type Answer = Result<(String, Vec<Notice>), Refusal>;
type Files = BTreeMap<PathBuf, Vec<u8>>;

#[derive(Debug, PartialEq)]
struct Refusal {
    message: String,
    is_bad_input: bool,
}

impl Refusal {
    fn new(error: &dyn std::error::Error, is_bad_input: bool) -> Self {
        Self { message: error.to_string(), is_bad_input }
    }
}

/// A command in a repository.
struct Scenario {
    system: MemorySystem,
    command: fn(&dyn System) -> Answer,
    /// The files that a command may have written before it fails.
    may_be_new: fn(&Path) -> bool,
    /// Whether running it twice gives the same result.
    is_repeatable: bool,
}

/// The output and the files of a good run.
struct Expected {
    said: String,
    notices: Vec<Notice>,
    before: Files,
    after: Files,
}

/// A fault.
struct Case {
    call: Call,
    fault: InjectedFault,
}

impl Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {:?}", self.fault, self.call)
    }
}

/// Counts the outcomes of a command.
#[derive(Default)]
struct Tally {
    is_repeatable: bool,
    refused: usize,
    told: usize,
    unharmed: usize,
}

fn is_temporary(path: &Path) -> bool {
    path.iter().any(|name| name.to_string_lossy().starts_with(TEMP_PREFIX))
}

/// All files except for temporary ones and the cache.
fn visible(system: &MemorySystem) -> Files {
    let is_visible = |path: &Path| !is_temporary(path) && !path.starts_with("/repo/.stan/cache");
    system.files_below("/").into_iter().filter(|(path, _)| is_visible(path)).collect()
}

#[track_caller]
fn check_nothing_left(system: &MemorySystem, case: &dyn Display) {
    let left_over = system.files_below("/").into_keys().find(|path| is_temporary(path));
    assert_eq!(left_over, None, "{case}");
}

/// The files that differ.
fn changes(left: &Files, right: &Files) -> BTreeSet<PathBuf> {
    let paths = left.keys().chain(right.keys()).filter(|path| left.get(*path) != right.get(*path));
    paths.cloned().collect()
}

/// Whether a text names a path, or its final name.
fn names(text: &str, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    text.contains(name.trim_start_matches(TEMP_PREFIX).trim_start_matches("new-"))
}

impl Scenario {
    /// A command that replaces everything or nothing.
    fn new(system: MemorySystem, command: fn(&dyn System) -> Answer) -> Self {
        Self { system, command, may_be_new: |_| false, is_repeatable: true }
    }

    /// Runs it on one thread, so that calls always come in the same order.
    fn run(&self, system: &dyn System) -> Answer {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| (self.command)(system))
    }

    /// The calls of a run without faults.
    fn calls(&self) -> Vec<Call> {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let seen = calls.clone();
        let watched = FaultySystem::new(self.system.fork(), move |call| {
            seen.lock().unwrap().push(call.clone());
            CallOutcome::Pass
        });
        self.run(&watched).unwrap();
        std::mem::take(&mut calls.lock().unwrap())
    }

    /// All possible faults.
    fn faults(&self) -> Vec<(Call, InjectedFault)> {
        let is_file = |call: &Call| self.system.fork().remove_file(&call.path).is_ok();
        let faults = |call: Call| {
            // Only files can vanish.
            let faults = call.operation.faults().iter().copied();
            let faults = faults.filter(|fault| *fault != InjectedFault::Vanished || is_file(&call));
            faults.map(|fault| (call.clone(), fault)).collect::<Vec<_>>()
        };
        self.calls().into_iter().flat_map(faults).collect()
    }

    /// Restores a vanished file.
    fn restore(&self, system: &MemorySystem, path: &Path) {
        if let Some((link, target)) = LINKS.iter().find(|(link, _)| Path::new(link) == path) {
            system.link(link, *target);
        } else {
            let real = self.system.real_path(path).unwrap();
            system.put(real, self.system.read(path).unwrap());
        }
    }

    /// The result of a good run.
    fn expected(&self) -> Expected {
        let system = self.system.fork();
        let (said, notices) = self.run(&system).unwrap();
        Expected { said, notices, before: visible(&self.system), after: visible(&system) }
    }

    /// Injects every possible fault, once each.
    fn check(&self) -> Tally {
        let expected = self.expected();
        let mut tally = Tally { is_repeatable: self.is_repeatable, ..Tally::default() };
        for (call, fault) in self.faults() {
            let case = Case { call, fault };
            let system = self.system.fork();
            let faulty = FaultySystem::failing_once(system.clone(), case.call.number, fault);
            let answer = self.run(&faulty);
            check_nothing_left(&system, &case);
            let delivered = visible(&system);
            if fault == InjectedFault::Vanished {
                self.restore(&system, &case.call.path);
            }
            match &answer {
                Err(refusal) => {
                    tally.refused += 1;
                    self.check_refused(refusal, &case);
                    self.check_undone(&visible(&system), &expected, &case);
                }
                Ok((said, _)) if *said == expected.said && delivered == expected.after => {
                    tally.unharmed += 1;
                }
                Ok((_, notices)) => {
                    tally.told += 1;
                    self.check_told(notices, &delivered, &expected, &case);
                }
            }
            if self.is_repeatable || answer.is_err() {
                self.check_next(&system, &expected, &case);
            } else {
                self.run(&system).unwrap();
            }
        }
        tally
    }

    /// Checks that it failed with the right error and names the file; or as it would without the
    /// file.
    fn check_refused(&self, refusal: &Refusal, case: &Case) {
        let Refusal { message, is_bad_input } = refusal;
        let is_as_without = case.fault == InjectedFault::Vanished
            && self.without(&case.call.path).is_err_and(|other| other == *refusal);
        assert!(is_as_without || !is_bad_input, "{case}: nobody wrote anything wrong: {message}");
        let is_told = names(message, &case.call.path);
        assert!(is_as_without || is_told, "{case}: another file is named: {message}");
    }

    /// Checks that it succeeded and reports what is missing; or delivers the rest.
    fn check_told(&self, notices: &[Notice], files: &Files, expected: &Expected, case: &Case) {
        let is_as_without = case.fault == InjectedFault::Vanished
            && self.without(&case.call.path).is_ok_and(|other| other == *files);
        let is_told = expected.is_told(notices, &case.call.path);
        let what = changes(&expected.after, files);
        assert!(is_as_without || is_told, "{case}: nothing is said of {what:?}: {notices:?}");
    }

    /// The delivered files if a file does not exist from the start.
    fn without(&self, path: &Path) -> Result<Files, Refusal> {
        let system = self.system.fork();
        system.remove_file(path).unwrap();
        self.run(&system).map(|_| visible(&system))
    }

    /// Checks that a failed run changed nothing, except for files that it may write early.
    fn check_undone(&self, now: &Files, expected: &Expected, case: &Case) {
        for path in changes(&expected.before, now) {
            let is_new = (self.may_be_new)(&path) && now.get(&path) == expected.after.get(&path);
            assert!(is_new, "{case}: {} was changed", path.display());
        }
    }

    /// Checks that the next run behaves as if nothing had happened.
    fn check_next(&self, system: &MemorySystem, expected: &Expected, case: &dyn Display) {
        let (said, notices) = self.run(system).unwrap();
        assert_eq!((said, notices), (expected.said.clone(), expected.notices.clone()), "{case}");
        let differs = changes(&expected.after, &visible(system));
        assert!(differs.is_empty(), "{case}: the next run gives other {differs:?}");
        check_nothing_left(system, case);
    }
}

impl Expected {
    /// Whether a notice that a good run does not have names a path.
    fn is_told(&self, notices: &[Notice], path: &Path) -> bool {
        let mut new = notices.iter().filter(|notice| !self.notices.contains(notice));
        new.any(|notice| names(&format!("{notice:?}"), path))
    }
}

impl Tally {
    fn tried(&self) -> usize {
        self.refused + self.told + self.unharmed
    }

    /// The page explains the three words above the table.
    fn outcome(&self) -> String {
        let Self { is_repeatable, refused, told, unharmed } = self;
        let mark = if *is_repeatable { "" } else { " ¹" };
        format!("{refused} refused{mark}, {told} noticed, {unharmed} unaffected")
    }

    fn outcome_with(&self, refused_with: &str) -> String {
        format!("{}; refused: {refused_with}", self.outcome())
    }
}

fn load(system: &dyn System) -> Result<config::Loaded, Refusal> {
    config::load(system, Path::new(ROOT)).map_err(|error| Refusal::new(&error, !error.is_io))
}

fn run_as(system: &dyn System, mode: RunMode) -> Answer {
    let request = RunRequest {
        config: load(system)?,
        mode,
        subpackages: true,
        plan_only: false,
        document: None,
        threads: 1,
        cache: CacheMode::Use,
        wait: Duration::ZERO,
    };
    match run(system, &request, &|_| {}) {
        Ok(report) => Ok((format!("{:?}", report.report), report.notices)),
        Err(error) => Err(Refusal::new(&error, error.is_bad_input())),
    }
}

fn snap_to(system: &dyn System, action: SnapAction) -> Answer {
    let config = load(system)?;
    let request = SnapRequest { config, action, threads: 1, wait: Duration::ZERO };
    match snap(system, &request, &|_| {}) {
        Ok(report) => Ok((format!("{:?} {:?}", report.history, report.set), report.notices)),
        Err(error) => {
            let is_bad_input = matches!(&error, SnapError::Run(error) if error.is_bad_input());
            Err(Refusal::new(&error, is_bad_input))
        }
    }
}

fn snap_now(system: &dyn System) -> Answer {
    snap_to(system, SnapAction::Set { baselines: Vec::new(), now: 7, subpackages: true })
}

/// A repository after a good run of each kind, with an edit and another selection since.
fn second_selection() -> MemorySystem {
    let system = repository();
    run_as(&system, RunMode::Plain).unwrap();
    run_as(&system, RunMode::Context).unwrap();
    system.put("/repo/src/new.ts", "import './a';\n");
    let ids = r#"["src/index.ts", 2], "src/new.ts", "notes/todo.md", ".stan/imports/kit/a.md""#;
    system.put(STATE, format!("{{ \"v\": 2, \"i\": [{ids}] }}"));
    system
}

fn is_early(path: &Path) -> bool {
    EARLY.iter().any(|early| path == Path::new(early))
}

fn context_run() -> Scenario {
    let command = |system: &dyn System| run_as(system, RunMode::Context);
    Scenario { may_be_new: is_early, ..Scenario::new(second_selection(), command) }
}

/// The number of calls of a run with so many import labels, each with twenty files.
fn calls_with_labels(count: usize) -> usize {
    let system = repository();
    let labels = (0..count).map(|at| format!("l{at}: ../many/l{at}/*.md"));
    let labels = labels.collect::<Vec<_>>().join(", ");
    system.put("/repo/stan.config.yml", format!("stan-core: {{imports: {{{labels}}}}}"));
    for at in 0..count * 20 {
        system.put(format!("/many/l{}/{at}.md", at % count), format!("{at}"));
    }
    Scenario::new(system, |system| run_as(system, RunMode::Context)).calls().len()
}

#[test]
fn calls_grow_with_the_labels_of_imports() {
    let (small, large) = (calls_with_labels(10), calls_with_labels(20));
    assert!(large < small * 5 / 2, "{small} → {large}");
    let what = "ten and twenty import labels with twenty files each";
    reliability::row("ground", what, 2, "twice as many take about twice the calls");
}

#[test]
fn every_call_of_a_context_run_may_fail() {
    let tally = context_run().check();
    let what = "each call of `run --context` fails once";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

#[test]
fn every_call_of_a_meta_run_may_fail() {
    let command = |system: &dyn System| run_as(system, RunMode::Meta);
    let scenario = Scenario { is_repeatable: false, ..Scenario::new(second_selection(), command) };
    let tally = scenario.check();
    let what = "each call of `run --context --meta` fails once";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

#[test]
fn every_call_of_a_plain_run_may_fail() {
    let tally = Scenario::new(second_selection(), |system| run_as(system, RunMode::Plain)).check();
    let what = "each call of `run` fails once";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

/// A repository with both baselines, for commands whose planning other tests cover.
fn small_repository() -> MemorySystem {
    let system = memory(
        "//- package.json\n{}\n//- src/a.ts\nexport const a = 1;\n\
         //- .stan/context/dependency.state.json\n{ \"v\": 2, \"i\": [\"src/a.ts\"] }\n",
    );
    run_as(&system, RunMode::Plain).unwrap();
    run_as(&system, RunMode::Context).unwrap();
    system
}

#[test]
fn every_call_of_a_snap_may_fail() {
    let system = small_repository();
    let set = Scenario { is_repeatable: false, ..Scenario::new(system.fork(), snap_now) };
    let tally = set.check();
    reliability::row("faults", "each call of `snap` fails once", tally.tried(), &tally.outcome());

    snap_now(&system).unwrap();
    system.put("/repo/src/a.ts", "export const a = 2;\n");
    snap_now(&system).unwrap();
    let undo =
        |system: &dyn System| snap_to(system, SnapAction::Go { step: Move::Undo, force: false });
    let tally = Scenario { is_repeatable: false, ..Scenario::new(system, undo) }.check();
    let what = "each call of `snap undo` fails once";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

#[test]
fn a_snap_tells_what_is_not_in_the_baseline_that_it_sets() {
    let system = second_selection();
    system.deny("/repo/src/new.ts");
    let (_, notices) = snap_now(&system).unwrap();
    let codes: Vec<_> = notices.iter().map(|notice| notice.code).collect();
    assert!(codes.contains(&NoticeCode::ScanUnreadable), "{notices:?}");
}

#[test]
fn every_call_of_init_may_fail() {
    let command = |system: &dyn System| {
        let request = InitRequest {
            config: load(system)?,
            agents: false,
            refresh: true,
            dry_run: false,
            undo: false,
            has_claude: false,
        };
        match init(system, &request) {
            Ok(_) => Ok((String::new(), Vec::new())),
            Err(error) => {
                let is_bad_input = matches!(error, InitError::Place { .. });
                Err(Refusal::new(&error, is_bad_input))
            }
        }
    };
    let system = memory("//- .gitignore\nnode_modules/\n//- .stan/system/stan.system.md\nOld.\n");
    let scenario = Scenario { may_be_new: |_| true, ..Scenario::new(system, command) };
    let tally = scenario.check();
    let outcome = tally.outcome_with("files complete, old or new");
    reliability::row("faults", "each call of `init` fails once", tally.tried(), &outcome);
}

fn map(system: &dyn System) -> Answer {
    let request = MapRequest { config: load(system)?, threads: 1 };
    match build_cached(system, &request, CacheMode::Use) {
        Ok(report) => Ok((String::from_utf8(encode_graph(&report.graph)).unwrap(), report.notices)),
        Err(error) => Err(Refusal::new(&error, false)),
    }
}

#[test]
fn every_call_of_a_map_may_fail_and_the_cache_remembers_none_of_it() {
    let tally = Scenario::new(repository(), map).check();
    let what = "each call of `graph` fails once, no cache";
    reliability::row("faults", what, tally.tried(), &tally.outcome());

    let tally = Scenario::new(second_selection(), map).check();
    let what = "each call of `graph` fails once, stale cache";
    reliability::row("faults", what, tally.tried(), &tally.outcome());

    let system = second_selection();
    map(&system).unwrap();
    let tally = Scenario::new(system, map).check();
    let what = "each call of `graph` fails once, full cache";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

/// A repository in which imports of each language resolve, with the necessary manifests.
const TONGUES: &str = "\
//- pyproject.toml
[project]
name = \"tool\"
[tool.setuptools.packages.find]
where = [\"py\"]
//- py/tool/__init__.py
from .core import start
//- py/tool/core.py
def start(): pass
//- py/run.py
from tool import start
//- Cargo.toml
[package]
name = \"kit\"
edition = \"2024\"
//- src/lib.rs
mod inner;
pub use inner::Thing;
//- src/inner.rs
pub struct Thing;
//- go.mod
module example.org/m
go 1.22
//- cmd/main.go
package main
import \"example.org/m/store\"
func main() { store.Open() }
//- store/open.go
package store
func Open() { helper() }
//- store/helper.go
package store
func helper() {}
//- pom.xml
<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>
//- src/main/java/app/Main.java
package app;
import app.model.Item;
class Main { Item item; Other other; }
//- src/main/java/app/Other.java
package app;
class Other {}
//- src/main/java/app/model/Item.java
package app.model;
public class Item {}
//- src/main/kotlin/app/Shop.kt
package app
import app.model.Item
class Shop(val item: Item)
";

#[test]
fn every_call_of_a_map_of_other_languages_may_fail() {
    let system = memory(TONGUES);
    system.put("/repo/.stan/cache/x", "");
    let (said, _) = map(&system.fork()).unwrap();
    let edges = ["py/tool/core.py", "src/inner.rs", "store/helper.go", "app/model/Item.java"];
    for edge in edges {
        assert!(said.contains(edge), "{edge}");
    }
    let tally = Scenario::new(system.fork(), map).check();
    let what = "each call of `graph` fails once, other languages";
    reliability::row("faults", what, tally.tried(), &tally.outcome());

    map(&system).unwrap();
    system.put("/repo/store/helper.go", "package store\nfunc helper() { more() }\n");
    let tally = Scenario::new(system, map).check();
    let what = "each call of `graph` fails once, other languages, stale cache";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

#[test]
fn every_call_of_agent_context_may_fail() {
    let command = |system: &dyn System| {
        let request = AgentContextRequest {
            directory: ROOT.into(),
            diag: "diag.json".to_owned(),
            diag_source: Source::File("/repo/diag.json".into()),
            project: "x07.json".into(),
            slice: SliceRequest::default(),
            follow_file: false,
            budget: None,
        };
        let report = build_pack(system, &request).map_err(|error| Refusal::new(&error, false))?;
        let bytes = String::from_utf8(report.pack.to_canonical()).unwrap();
        let out = OutFile { shown: "out/pack.json".to_owned(), path: "/repo/out/pack.json".into() };
        write_out(system, &out, bytes.as_bytes()).map_err(|error| Refusal::new(&error, false))?;
        Ok((bytes, Vec::new()))
    };
    let system = memory(
        "//- x07.json\n\
         {\"schema_version\":\"x07.project@0.5.0\",\"world\":\"solve-pure\",\"entry\":\"main.x07.json\",\"module_roots\":[\".\"]}\n\
         //- main.x07.json\n\
         {\"schema_version\":\"x07.x07ast@0.8.0\",\"kind\":\"module\",\"module_id\":\"m\",\"imports\":[],\"decls\":[\
         {\"kind\":\"defn\",\"name\":\"m.a\",\"params\":[],\"result\":\"i32\",\"body\":[\"+\",1,2]}]}\n\
         //- diag.json\n\
         {\"schema_version\":\"x07.x07diag@0.1.0\",\"ok\":false,\"meta\":{},\"diagnostics\":[\
         {\"code\":\"X\",\"severity\":\"error\",\"stage\":\"type\",\"message\":\"m\",\"loc\":{\"kind\":\"x07ast\",\"ptr\":\"/decls/0\"}}]}\n\
         //- out/pack.json\nOld.\n//- ../x07.json\nAnother project.\n",
    );
    let tally = Scenario::new(system, command).check();
    let what = "each call of `agent context --out` fails once";
    reliability::row("faults", what, tally.tried(), &tally.outcome());
}

impl Scenario {
    /// Kills the command at each of its calls, without any cleanup.
    fn check_killed(&self) -> usize {
        let expected = self.expected();
        let calls = self.calls().len();
        for nth in 0..calls {
            let system = self.system.fork();
            let _ = self.run(&FaultySystem::dead_from(system.clone(), nth));
            let case = format!("killed at {nth}");
            check_whole(&system, &expected, &case);
            if self.is_repeatable {
                self.check_next(&system, &expected, &case);
            } else {
                self.run(&system).unwrap();
                check_nothing_left(&system, &case);
            }
        }
        calls
    }
}

/// Checks that each file is completely old or new.
#[track_caller]
fn check_whole(system: &MemorySystem, expected: &Expected, case: &str) {
    for (path, bytes) in visible(system) {
        let known = [&expected.before, &expected.after];
        let is_whole = known.iter().any(|files| files.get(&path) == Some(&bytes));
        assert!(is_whole, "{case}: {} is neither old nor new", path.display());
    }
}

#[test]
fn a_run_may_end_for_good_at_every_call() {
    let calls = context_run().check_killed();
    let outcome = "files complete, old or new; the next run works";
    reliability::row("faults", "`run --context` killed at each call", calls, outcome);
}

#[test]
fn a_snap_may_end_for_good_at_every_call() {
    let scenario = Scenario { is_repeatable: false, ..Scenario::new(small_repository(), snap_now) };
    let calls = scenario.check_killed();
    let outcome = "files complete, old or new; the next one cleans up";
    reliability::row("faults", "`snap` killed at each call", calls, outcome);
}

#[test]
fn undoing_may_fail_too() {
    // During the commit: the failing call, and one of the calls that undo the previous ones.
    let scenario = context_run();
    let expected = scenario.expected();
    let calls = scenario.calls();
    let is_placing =
        |call: &&Call| matches!(call.operation, Operation::Rename | Operation::Duplicate);
    let first = calls.iter().find(is_placing).unwrap().number;
    let mut tried = 0;
    for (nth, after) in (first..calls.len()).flat_map(|nth| (1..=8).map(move |after| (nth, after)))
    {
        let system = scenario.system.fork();
        let faulty = FaultySystem::new(system.clone(), move |call| {
            let fails = call.number == nth || call.number == nth + after;
            if fails { CallOutcome::Fail(io::Error::other("broken")) } else { CallOutcome::Pass }
        });
        let _ = scenario.run(&faulty);
        let case = format!("calls {nth} and {after} later");
        check_whole(&system, &expected, &case);
        assert!(system.stat(Path::new("/repo/.stan/output/archive.tar")).is_ok(), "{case}");
        scenario.check_next(&system, &expected, &case);
        tried += 1;
    }
    let what = "`run --context` fails while it renames outputs, and again during the undo";
    let outcome = "files complete, old or new; always an archive; the next run works";
    reliability::row("faults", what, tried, outcome);
}
