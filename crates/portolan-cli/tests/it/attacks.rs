//! Attacks: repositories, states and replies that try to read or write forbidden files, to hang the
//! tool or exhaust the memory, or to mislead a reader of the output. `SECURITY.md` has the
//! promises.
//!
//! Each case is a repository in a folder of its own, beside a folder that must be neither read nor
//! changed. The binary runs with a time and a memory limit, and after every run the same things are
//! checked, whatever the case is about: see [`Lair::run`].

mod arguments;
mod commands;
mod depth;
mod display;
mod exhaustion;
mod harmless;
mod languages;
mod links;
mod logs;
mod other_repositories;
mod private;
mod questions;
mod reading;
mod replies;
mod secrets;
mod writing;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const STATE: &str = ".stan/context/dependency.state.json";
const ARCHIVE: &str = ".stan/output/archive.tar";
const CONFIG: &str = "stan.config.json";
const HISTORY: &str = ".stan/diff/.snap.history.json";

/// A marker in files that no output may show.
const CANARY: &str = "canary-7f3a9d51";

/// A run takes milliseconds, and longer on a slow machine. A successful attack never ends.
const PATIENCE: Duration = Duration::from_mins(1);
/// A run needs a few tens of megabytes; whole files are held in memory.
const MEMORY: u64 = 1 << 30;

/// A repository under the control of an attacker, and a folder beside it that it must not touch.
struct Lair {
    folder: TempDir,
}

/// The result of a run.
#[derive(Debug)]
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Lair {
    /// A repository with these files, and a folder `outside` beside it with secrets.
    fn new(files: &[(&str, &str)]) -> Self {
        let lair = Self { folder: tempfile::tempdir().unwrap() };
        for (name, text) in [
            ("secret.txt", CANARY.to_owned()),
            ("a.ts", format!("export const a = '{CANARY}';\n")),
            ("package.json", format!("{{\"name\":\"{CANARY}\",\"version\":\"1.0.0\"}}")),
            ("deep/.env", format!("KEY={CANARY}\n")),
        ] {
            put(&lair.outside().join(name), text.as_bytes());
        }
        fs::create_dir(lair.root()).unwrap();
        for (path, text) in files {
            lair.write(path, text);
        }
        lair
    }

    fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn root(&self) -> PathBuf {
        self.base().join("repo")
    }

    fn outside(&self) -> PathBuf {
        self.base().join("outside")
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        put(&self.root().join(path), bytes.as_ref());
    }

    fn state(&self, text: &str) {
        self.write(STATE, text);
    }

    /// Adds a link to the repository.
    fn link(&self, path: &str, target: impl AsRef<Path>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// Adds a pipe that nobody writes to: opening it for reading blocks.
    fn pipe(&self, path: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Everything below a folder: files with their bytes, links with their targets.
    fn listing(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut todo = vec![self.base().join(folder)];
        while let Some(path) = todo.pop() {
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let content = if kind.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if kind.is_dir() {
                todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                b"folder".to_vec()
            } else if kind.is_file() && path.metadata().unwrap().len() < 1 << 20 {
                fs::read(&path).unwrap()
            } else {
                b"special".to_vec()
            };
            found.insert(path, content);
        }
        found
    }

    /// Runs the binary and checks the promises for every run: it ends within its limits, with a
    /// documented exit code and without a panic; nothing outside the workspace has changed; and
    /// neither the output nor a written file contains anything that it must not read.
    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_with(arguments, &[])
    }

    #[track_caller]
    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Outcome {
        let before = self.listing("");
        let outcome = run_limited(&self.root(), arguments, input);
        let what = format!("{arguments:?}: {outcome:.2000?}");
        assert!(matches!(outcome.code, 0 | 1 | 2 | 20), "{what}");
        assert!(!outcome.stderr.contains("panicked"), "{what}");
        // A command that does not exist proves nothing.
        let is_usage = ["unexpected argument", "unrecognized subcommand", "Usage: portolan"];
        assert!(!is_usage.iter().any(|words| outcome.stderr.contains(words)), "{what}");
        let (after, workspace) = (self.listing(""), self.root().join(".stan"));
        let beyond = |listing: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<(PathBuf, Vec<u8>)> {
            let entries = listing.iter().filter(|(path, _)| !path.starts_with(&workspace));
            entries.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
        };
        assert_eq!(beyond(&before), beyond(&after), "{what}");
        let said = [outcome.stdout.as_bytes(), outcome.stderr.as_bytes()];
        assert!(!said.into_iter().any(shows_canary), "{what}");
        // Copies that the configuration requests stay on the machine; archives must follow the
        // rules.
        let copies = workspace.join("imports");
        for (path, bytes) in after.iter().filter(|(path, _)| !path.starts_with(&copies)) {
            let is_new = before.get(path) != Some(bytes);
            assert!(!is_new || !shows_canary(bytes), "{} {what}", path.display());
        }
        outcome
    }

    /// The names of the archive's members; none if there is no archive.
    fn members(&self) -> Vec<String> {
        let Ok(bytes) = fs::read(self.root().join(ARCHIVE)) else { return Vec::new() };
        let mut archive = tar::Archive::new(bytes.as_slice());
        let paths =
            archive.entries().unwrap().map(|entry| entry.unwrap().path_bytes().into_owned());
        paths.map(|path| String::from_utf8(path).unwrap()).collect()
    }
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn shows_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}

/// Runs the binary in a folder, and kills it if it exceeds the limits.
#[track_caller]
fn run_limited(folder: &Path, arguments: &[&str], input: &[u8]) -> Outcome {
    run_in(folder, arguments, input, MEMORY)
}

/// The same with less memory than usual.
#[track_caller]
fn run_within(folder: &Path, arguments: &[&str], memory: u64) -> Outcome {
    run_in(folder, arguments, b"", memory)
}

#[track_caller]
fn run_in(folder: &Path, arguments: &[&str], input: &[u8], memory: u64) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_portolan"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    // A command that does not read its input may have ended.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let code = wait_limited(&mut child, arguments, memory);
    writer.join().unwrap();
    Outcome { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[track_caller]
fn wait_limited(child: &mut Child, arguments: &[&str], limit: u64) -> i32 {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        let memory = memory_of(child.id());
        let is_over = start.elapsed() > PATIENCE || memory > limit;
        if is_over {
            child.kill().unwrap();
        }
        let seconds = start.elapsed().as_secs();
        assert!(!is_over, "{arguments:.300?}: ended after {seconds} s, {} MiB", memory >> 20);
        thread::sleep(Duration::from_millis(2));
    }
}

/// The peak memory of a process, if the system reports it.
fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// A text as a JSON string.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}
