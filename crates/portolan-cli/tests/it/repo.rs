//! A repository in a temporary folder, and the binary run in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_testkit::Entry;
use portolan_vfs::sha256;

/// A repository at `<parent>/repo`. The parent goes when this does.
pub(crate) struct Repo {
    _parent: tempfile::TempDir,
    pub(crate) parent: PathBuf,
    pub(crate) root: PathBuf,
}

/// What the binary answered.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Repo {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let parent = temp.path().canonicalize().unwrap();
        let root = parent.join("repo");
        fs::create_dir(&root).unwrap();
        Self { _parent: temp, parent, root }
    }

    /// A repository with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repo = Self::new();
        for (path, text) in files {
            repo.put(path, text);
        }
        repo
    }

    /// A repository written in the fixture language.
    pub(crate) fn fixture(text: &str) -> Self {
        let repo = Self::new();
        for (path, entry) in portolan_testkit::parse(text) {
            match entry {
                Entry::File(text) => repo.put(&path, text),
                #[cfg(unix)]
                Entry::Link(target) => {
                    std::os::unix::fs::symlink(target, repo.root.join(path)).unwrap()
                }
                #[cfg(not(unix))]
                Entry::Link(_) => {}
            }
        }
        repo
    }

    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        put(&self.root.join(path), bytes.as_ref());
    }

    pub(crate) fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.root.join(path)).ok()
    }

    /// Runs the binary in the repository, with nothing of the surroundings.
    pub(crate) fn run(&self, args: &[&str]) -> Answer {
        let output = self.command(args).output().unwrap();
        Answer::from(output)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
        command.current_dir(&self.root).args(args).env_clear();
        command
    }

    /// The members of an archive with their bytes; `None` where there is no archive.
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

    /// Every file below a folder of the repository, by path from the root, with its digest.
    pub(crate) fn files_below(&self, folder: &str) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut todo = vec![self.root.join(folder)];
        while let Some(path) = todo.pop() {
            let Ok(entries) = fs::read_dir(&path) else { continue };
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    todo.push(path);
                } else {
                    let name = path.strip_prefix(&self.root).unwrap().to_str().unwrap().to_owned();
                    let digest = fs::read(&path)
                        .map_or_else(|_| String::from("-"), |bytes| sha256(&bytes).to_hex());
                    found.insert(name, digest);
                }
            }
        }
        found
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
