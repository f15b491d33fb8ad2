//! A temporary folder for a test, and the binary run in it with a cleared environment.

use crate::support::{Run, run_with_input};

pub(crate) struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.path().join(name)).ok()
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with_input(args, b"")
    }

    #[track_caller]
    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        run_with_input(self.dir.path(), args, input)
    }
}
