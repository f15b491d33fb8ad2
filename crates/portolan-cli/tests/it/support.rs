//! Running the binary in a folder of its own, with nothing of the machine's environment.

use std::path::Path;
use std::process::Command;

use portolan_testkit::{Entry, parse};
use tempfile::TempDir;

/// A repository on disk.
pub(crate) struct Repo {
    folder: TempDir,
}

/// What a run gave.
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
                    std::os::unix::fs::symlink(target, repo.path().join(path)).unwrap()
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

    /// Runs the binary at the root.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        run_in(&self.path(), arguments, &[])
    }
}

/// Runs the binary in a folder, with only these variables set.
pub(crate) fn run_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_portolan"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
