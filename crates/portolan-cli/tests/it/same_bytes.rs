//! The same inputs give the same bytes: plays a session with every command that writes or prints an
//! artifact under different circumstances, and compares everything it printed and left.
//!
//! [`neutral`] lists all permitted differences and removes them first: the duration of a run, the
//! time of a baseline, and the location of the repository (the map has absolute paths by
//! definition, and the title of `view`'s page is the name of the folder).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use portolan_testkit::{parse, reliability};
use portolan_vfs::sha256;
use tempfile::TempDir;

use crate::docs::without_time;

const REPOSITORY: &str = "\
//- package.json
{ \"name\": \"demo\", \"workspaces\": [\"packages/*\"] }
//- tsconfig.json
{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }
//- .gitignore
node_modules/
out/
//- out/readme.md
What commands write goes here.
//- src/index.ts
/** @module Where it begins. */
import { a } from '@/a';
import { alpha } from 'alpha';
import { app } from 'app';
import './nope';
import 'node:fs';
export const x = [a, alpha, app];
//- src/a.ts
export const a = 1;
//- src/Z.ts
import './a';
//- src/ü.ts
import './a';
//- src/😀.ts
import './ü';
//- src/broken.ts
let = ;;; {{{
//- packages/app/package.json
{ \"name\": \"app\", \"main\": \"main.ts\" }
//- packages/app/main.ts
export * from './inner';
//- packages/app/inner.ts
export const app = 1;
//- node_modules/alpha/package.json
{ \"name\": \"alpha\", \"version\": \"1.2.3\", \"types\": \"index.d.ts\" }
//- node_modules/alpha/index.d.ts
export declare const alpha: number;
//- bin/tool.sh
#!/bin/sh
//- x07.json
{\"schema_version\":\"x07.project@0.5.0\",\"world\":\"solve-pure\",\"entry\":\"main.x07.json\",\"module_roots\":[\".\"]}
//- main.x07.json
{\"schema_version\":\"x07.x07ast@0.8.0\",\"kind\":\"module\",\"module_id\":\"m\",\"imports\":[],\"decls\":[
{\"kind\":\"defn\",\"name\":\"m.a\",\"params\":[],\"result\":\"i32\",\"body\":[\"+\",1,2]}]}
//- diag.json
{\"schema_version\":\"x07.x07diag@0.1.0\",\"ok\":false,\"meta\":{},\"diagnostics\":[
{\"code\":\"X\",\"severity\":\"error\",\"stage\":\"type\",\"message\":\"m\",\"loc\":{\"kind\":\"x07ast\",\"ptr\":\"/decls/0\"}}]}
//- reply.md
One more.

## Input Data Changes

- `src/Z.ts` — present: `yes`
- dependency.state.json: no change

### src/Z.ts

```diff
--- a/src/Z.ts
+++ b/src/Z.ts
@@ -1 +1,2 @@
 import './a';
+export const z = 1;
```

## Commit Message

```
feat: one more
```
";

/// A thread with everything that can be asked on the way: a line with `= ` writes a file, every
/// other line is a command.
const SESSION: &str = "\
init
prompt
run
run -c -m
.stan/context/dependency.state.json = {\"v\":2,\"i\":[[\"src/index.ts\",2],\"bin/tool.sh\"]}
run -c
src/a.ts = export const a = 2;
run -c --format json
run --format json
run -c --plan
snap
snap info
snap info --format json
snap undo
graph --view stats
graph --view meta
graph --view meta --meta-budget 200
graph --view graph
graph --view mermaid --focus src/index.ts
graph --view dot --focus src/index.ts
graph --view graph --format json
graph --view graph --out out/graph.json
select
select --format json
select src/index.ts --tree
select --why src/a.ts
select --importers src/a.ts --depth 2
select --budget 200
view --out -
view --out - --scope src
select src/Z.ts --write
check-reply reply.md
ast slice --in main.x07.json --ptr /decls/0/body
ast slice --in main.x07.json --ptr /decls/0/body --out out/slice.json
agent context --diag diag.json --project x07.json
agent context --diag diag.json --project x07.json --format markdown
agent context --diag diag.json --project x07.json --out out/pack.json
agent verify out/pack.json
schema
schema meta
completions bash
completions zsh
man
man --out out/man
run -c -m
";

/// The circumstances of a session.
#[derive(Default)]
struct Circumstances {
    environment: Vec<(&'static str, String)>,
    /// The path of the root, below a temporary folder.
    root: &'static str,
    umask: &'static str,
    /// The mode of the repository's files, except for executables.
    mode: u32,
    /// Whether files are written, and so perhaps listed, in the opposite order.
    is_reversed: bool,
    /// The modification time of the files, in seconds since 1970.
    changed: u64,
    /// Whether the cache is removed before each command.
    is_cold: bool,
}

fn usual() -> Circumstances {
    Circumstances {
        root: "repo",
        umask: "022",
        mode: 0o644,
        changed: 1 << 30,
        ..Default::default()
    }
}

fn with(environment: &[(&'static str, &str)]) -> Circumstances {
    let environment = environment.iter().map(|(name, value)| (*name, (*value).to_owned()));
    Circumstances { environment: environment.collect(), ..usual() }
}

/// The output of a session, by step, and the files that it left, by path.
type Record = BTreeMap<String, String>;

impl Circumstances {
    fn play(&self) -> Record {
        let folder = tempfile::tempdir().unwrap();
        let root = self.place(&folder);
        let mut record = Record::new();
        for (number, step) in SESSION.lines().enumerate() {
            if let Some((path, text)) = step.split_once(" = ") {
                fs::write(root.join(path), format!("{text}\n")).unwrap();
                continue;
            }
            if self.is_cold {
                let _ = fs::remove_dir_all(root.join(".stan/cache"));
            }
            let said = self.command(&root, step);
            record.insert(format!("{number:02} {step}"), neutral(&said, &root));
            for (path, bytes) in files_below(&root) {
                let digest = match path.as_str() {
                    // These contain absolute paths and times.
                    ".stan/context/dependency.map.json" | ".stan/diff/.snap.history.json" => {
                        let text = String::from_utf8(bytes).unwrap();
                        sha256(neutral(&text, &root).as_bytes())
                    }
                    _ => sha256(&bytes),
                };
                record.insert(format!("{number:02} {step}: {path}"), digest.to_hex());
            }
        }
        record
    }

    fn place(&self, folder: &TempDir) -> PathBuf {
        let root = folder.path().canonicalize().unwrap().join(self.root);
        let mut entries = parse(REPOSITORY);
        if self.is_reversed {
            entries.reverse();
        }
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(self.changed);
        for (path, entry) in entries {
            let portolan_testkit::FixtureEntry::File(text) = entry else { continue };
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            self.set_mode(&path);
            File::options().append(true).open(&path).unwrap().set_modified(changed).unwrap();
        }
        root
    }

    #[cfg(unix)]
    fn set_mode(&self, path: &Path) {
        use std::os::unix::fs::PermissionsExt;
        let is_script = path.extension().is_some_and(|end| end == "sh");
        let mode = if is_script { self.mode | 0o100 } else { self.mode };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[cfg(not(unix))]
    fn set_mode(&self, _path: &Path) {}

    /// Runs a command and returns its complete output.
    fn command(&self, root: &Path, step: &str) -> String {
        let binary = env!("CARGO_BIN_EXE_portolan");
        let mut command = if cfg!(unix) {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "umask $0; exec \"$@\"", self.umask, binary]);
            shell
        } else {
            Command::new(binary)
        };
        command.args(step.split(' ')).current_dir(root).env_clear().env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.envs(self.environment.iter().cloned()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{:?}\n{}\n{}", output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

/// Every file except for the cache and the locks.
fn files_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    let paths = crate::support::files_below(root, ".").into_keys();
    let paths =
        paths.filter(|path| !path.contains(".stan/cache/") && !path.contains(".portolan.lock"));
    paths.map(|path| (path.clone(), fs::read(root.join(&path)).unwrap())).collect()
}

/// A text without the permitted differences.
fn neutral(text: &str, root: &Path) -> String {
    let text = text.replace(root.to_str().unwrap(), "$ROOT");
    let name = root.file_name().unwrap().to_str().unwrap();
    let text = text
        .replace(&format!("<title>{name} "), "<title>")
        .replace(&format!("\"name\":\"{name}\""), "\"name\":\"\"");
    let text = without_number_after(&without_number_after(&text, "\"elapsedMs\":"), "\"at\":");
    text.lines().map(|line| without_time(line) + "\n").collect()
}

fn without_number_after(text: &str, key: &str) -> String {
    let mut parts = text.split(key);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        out + key + "0" + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

/// Plays the session in other circumstances and compares it with the usual one.
#[track_caller]
fn check(what: &str, others: &[Circumstances]) {
    static USUAL: LazyLock<Record> = LazyLock::new(|| usual().play());
    let expected = &*USUAL;
    let commands = SESSION.lines().filter(|step| !step.contains(" = ")).count();
    for step in expected.keys().filter(|step| !step.contains(": ")) {
        assert!(expected[step].starts_with("Some(0)"), "{step}: {}", expected[step]);
    }
    for other in others {
        let found = other.play();
        for (step, text) in expected {
            assert_eq!(found.get(step), Some(text), "{step}");
        }
        assert!(found.keys().eq(expected.keys()));
    }
    let outcome = "identical";
    reliability::row("determinism", what, commands * others.len(), outcome);
}

#[test]
fn neither_time_nor_repetition_shows() {
    check("repeated, in another folder", &[usual(), usual()]);
}

#[test]
fn the_number_of_threads_does_not_show() {
    check(
        "1, 2 and 8 threads",
        &["1", "2", "8"].map(|threads| with(&[("RAYON_NUM_THREADS", threads)])),
    );
}

#[test]
fn neither_language_nor_time_zone_shows() {
    let surroundings = [
        with(&[("LC_ALL", "tr_TR.UTF-8"), ("LANG", "tr_TR.UTF-8"), ("TZ", "Asia/Kathmandu")]),
        with(&[("LC_ALL", "C"), ("LANG", "et_EE.UTF-8"), ("TZ", "Pacific/Apia")]),
    ];
    check("other locales and time zones", &surroundings);
}

#[test]
fn the_place_does_not_show() {
    let places = ["elsewhere/quite deep/ünïcode/repo", "x"];
    check(
        "other root paths, with spaces and umlauts",
        &places.map(|root| Circumstances { root, ..usual() }),
    );
}

#[cfg(unix)]
#[test]
fn neither_umask_nor_modes_show() {
    let masks = [("077", 0o600), ("000", 0o666)];
    check(
        "umask 077 and 000, file modes 600 and 666",
        &masks.map(|(umask, mode)| Circumstances { umask, mode, ..usual() }),
    );
}

#[test]
fn neither_the_order_of_files_nor_their_age_shows() {
    let other = Circumstances { is_reversed: true, changed: 1_000_000_000, ..usual() };
    check("files created in reverse order and years earlier", &[other]);
}

#[test]
fn the_cache_does_not_show() {
    check("without the previous command's cache", &[Circumstances { is_cold: true, ..usual() }]);
}

#[test]
fn the_user_does_not_show() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".config/git")).unwrap();
    fs::write(home.path().join(".config/git/ignore"), "*.ts\n").unwrap();
    let home = home.path().to_str().unwrap();
    let other = with(&[("HOME", home), ("USER", "ann"), ("TERM", "dumb"), ("COLUMNS", "40")]);
    check("a home folder, a terminal, a global ignore file", &[other]);
}
