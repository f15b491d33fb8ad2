//! Runs the binary in a temporary folder, without the machine's environment.

use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use portolan_testkit::{FixtureEntry as Entry, parse};
use portolan_vfs::sha256;
use serde_json::Value;
use tempfile::TempDir;

use crate::audit::Audit;

/// Ignores the machine's system-wide git configuration.
pub(crate) const NO_MACHINE: (&str, &str) = ("GIT_CONFIG_NOSYSTEM", "1");

/// A repository on disk.
pub(crate) struct Repo {
    folder: TempDir,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Repo {
    /// Writes a fixture.
    pub(crate) fn new(fixture: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("repo")).unwrap();
        let repo = Self { folder };
        for (path, entry) in parse(fixture) {
            match entry {
                Entry::File(text) => repo.write(&path, text.as_bytes()),
                #[cfg(unix)]
                Entry::Link(target) => {
                    std::os::unix::fs::symlink(target, repo.path().join(path)).unwrap();
                }
                #[cfg(not(unix))]
                Entry::Link(_) => {}
            }
        }
        repo
    }

    /// The root.
    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("repo")
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// A repository with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repo = Self::new("");
        for (path, text) in files {
            repo.write(path, text.as_bytes());
        }
        repo
    }

    /// The parent folder of the root, with links resolved: a folder outside the repository.
    pub(crate) fn parent(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The bytes of a file, if it exists.
    pub(crate) fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path().join(path)).ok()
    }

    /// The members of an archive with their bytes; `None` if there is no archive.
    pub(crate) fn members(&self, archive: &str) -> Option<BTreeMap<String, Vec<u8>>> {
        let bytes = self.read(archive)?;
        let mut reader = tar::Archive::new(bytes.as_slice());
        let members = reader.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            (String::from_utf8(entry.path_bytes().into_owned()).unwrap(), content)
        });
        Some(members.collect())
    }

    /// The names of an archive's members.
    pub(crate) fn names(&self, archive: &str) -> Vec<String> {
        self.members(archive).unwrap_or_default().into_keys().collect()
    }

    /// Every file below a folder, by path from the root, with its digest.
    pub(crate) fn files_below(&self, folder: &str) -> BTreeMap<String, String> {
        files_below(&self.path(), folder)
    }

    /// Runs the binary with these modes on folders and files. Modes do not restrict root, so root
    /// gives the repository to another user and runs as that user. `None`, with a message, if that
    /// is impossible.
    #[cfg(unix)]
    pub(crate) fn run_as_nobody(&self, arguments: &[&str], modes: &[(&str, u32)]) -> Option<Run> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        use std::os::unix::process::CommandExt;
        const NOBODY: u32 = 65_534;
        let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
        let is_root = tempfile::tempfile().unwrap().metadata().unwrap().uid() == 0;
        if is_root {
            let mut todo = vec![self.parent()];
            while let Some(path) = todo.pop() {
                chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
                let entries = std::fs::read_dir(&path).into_iter().flatten();
                todo.extend(entries.map(|entry| entry.unwrap().path()));
            }
            command.uid(NOBODY).gid(NOBODY);
        }
        let set_mode = |path: &str, mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(self.path().join(path), permissions).unwrap();
        };
        let before: Vec<_> = modes
            .iter()
            .map(|(path, _)| (*path, std::fs::metadata(self.path().join(path)).unwrap().mode()))
            .collect();
        for (path, mode) in modes {
            set_mode(path, *mode);
        }
        let output = command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env(NO_MACHINE.0, NO_MACHINE.1)
            .output();
        for (path, mode) in before {
            set_mode(path, mode);
        }
        match output {
            Ok(output) => Some(Run::of(output)),
            Err(error) => {
                portolan_testkit::reliability::not_tried(&format!(
                    "nobody else may run the binary: {error}"
                ));
                None
            }
        }
    }

    /// Starts the binary at the root without waiting for it.
    #[cfg(unix)]
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env(NO_MACHINE.0, NO_MACHINE.1);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts the binary at the root and captures its output.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env(NO_MACHINE.0, NO_MACHINE.1);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs the binary at the root.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        run_in(&self.path(), arguments, &[])
    }
}

/// Every file below a folder, by path from a root, with its digest.
pub(crate) fn files_below(root: &Path, folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.join(folder)];
    while let Some(path) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                let name = if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
                let digest = std::fs::read(&path)
                    .map_or_else(|_| String::from("-"), |bytes| sha256(&bytes).to_hex());
                found.insert(name, digest);
            }
        }
    }
    found
}

/// Runs the binary in a folder, with only these variables set.
#[track_caller]
pub(crate) fn run_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
    command.env_clear().env(NO_MACHINE.0, NO_MACHINE.1).envs(environment.iter().copied());
    run_command(command, folder, arguments, b"")
}

/// Runs the binary in a folder with an input, and nothing of the machine's environment.
#[track_caller]
pub(crate) fn run_with_input(folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
    command.env_clear().env(NO_MACHINE.0, NO_MACHINE.1);
    run_command(command, folder, arguments, input)
}

/// Runs the command, and checks the JSON that it prints and writes against the published schemas.
#[track_caller]
fn run_command(mut command: Command, folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let audit = Audit::begin(folder);
    let mut child = command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input may have ended.
    let _ = child.stdin.take().unwrap().write_all(input);
    let run = Run::of(child.wait_with_output().unwrap());
    audit.end(arguments, &run.stdout);
    run
}

impl Run {
    /// The result of a finished process.
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Panics if a value does not match a printed schema.
#[track_caller]
pub(crate) fn validate(schema: &str, value: &Value) {
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let problems: Vec<String> = validator.iter_errors(value).map(|e| e.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?} in {value}");
}
