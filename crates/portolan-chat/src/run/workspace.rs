//! The working environment of a run: the root, the workspace, the lock.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use portolan_archive::{Baseline, InsideError, Root, WorkspaceLayout, remove_leftovers};
use portolan_guard::Guard;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::{FileKind, LockGuard, Stat, System};
use portolan_wire::snapshot::SnapshotV1;
use portolan_workspace::Patterns;

use super::RunError;
use super::candidate::Rules;
use super::plan::TOKENIZER;
use crate::run::{Progress, Stage};
use portolan_index::map::CacheMode;
use portolan_index::store::CacheFolder;
use portolan_index::token_counts::{DiskTokenStore, TokenStore};
use portolan_workspace::config::{GitEnvironment, Loaded, Settings};

/// The pause between attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(100);

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A repository in use.
pub(crate) struct RunWorkspace<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) path: &'a Path,
    pub(crate) settings: &'a Settings,
    pub(crate) git: &'a GitEnvironment,
    pub(crate) workspace: WorkspaceLayout,
    pub(crate) config: &'a Loaded,
    excludes: Patterns,
    guard: Guard,
    /// The mode of the token cache; `None` if tokens are not counted.
    counting: Option<CacheMode>,
    counts: OnceLock<DiskTokenStore>,
}

impl<'a> RunWorkspace<'a> {
    /// A file system that changes nothing outside the workspace.
    pub(crate) fn fence<'s>(system: &'s dyn System, config: &Loaded) -> Box<dyn System + 's> {
        system.restricted_to(&config.root, &config.settings.stan_path)
    }

    /// Opens a repository. Refuses a workspace behind a link that leads out.
    pub(crate) fn open(system: &'a dyn System, config: &'a Loaded) -> Result<Self, RunError> {
        let workspace = WorkspaceLayout::new(config.settings.stan_path.clone());
        let excludes = Patterns::new(&config.settings.excludes)?;
        let Loaded { root, settings, git, .. } = config;
        let guard = settings.secrets.guard();
        let (counting, counts) = (None, OnceLock::new());
        let workspace = Self {
            system,
            path: root,
            settings,
            git,
            workspace,
            config,
            excludes,
            guard,
            counting,
            counts,
        };
        let (written, dirs) = (workspace.workspace.written_dirs(), &workspace.workspace);
        let others = [dirs.imports_dir(), dirs.system_dir(), dirs.snapshots_dir()];
        for folder in written.iter().chain(&others) {
            workspace
                .root()
                .check_dir(folder)
                .map_err(|error| RunError::workspace(folder, error))?;
        }
        Ok(workspace)
    }

    pub(crate) fn root(&self) -> Root<'_> {
        Root { system: self.system, path: self.path }
    }

    /// Enables counting the tokens of archived files.
    pub(crate) fn counting(mut self, cache: CacheMode) -> Self {
        self.counting = Some(cache);
        self
    }

    pub(crate) fn rules(&self) -> Rules<'_> {
        // Opened lazily, because building the map creates its folder.
        let open = |cache| {
            let open = || {
                let folder = CacheFolder::open(self.system, self.config, cache);
                DiskTokenStore::open(self.system, &folder, TOKENIZER)
            };
            self.counts.get_or_init(open) as &dyn TokenStore
        };
        Rules {
            workspace: &self.workspace,
            excludes: &self.excludes,
            guard: &self.guard,
            counts: self.counting.map(open),
        }
    }

    /// A notice that git would commit the workspace.
    pub(crate) fn not_ignored(&self) -> Notice {
        let output = self.workspace.output_dir();
        let message = "git does not ignore it: archives may be committed by mistake; `portolan init` adds the lines to `.gitignore`";
        Notice::at(NoticeCode::ArchiveNotIgnored, Place::file(output.as_str()), message)
    }

    /// Saves the counted tokens.
    pub(crate) fn save_counts(&self) -> Option<Notice> {
        self.counts.get()?.save(self.system)
    }

    pub(crate) fn absolute(&self, path: &RepoPath) -> PathBuf {
        self.path.join(path.as_str())
    }

    /// Takes the lock, and refuses files that an interrupted `apply` left half changed.
    pub(crate) fn lock(
        &self,
        wait: Duration,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Box<dyn LockGuard>, RunError> {
        let guard = self.lock_anyway(wait, progress)?;
        let journal = self.workspace.apply_journal();
        match self.system.lstat(&self.absolute(&journal)) {
            Ok(_) => Err(RunError::HalfApplied),
            Err(error) if is_absent(&error) => Ok(guard),
            Err(error) => Err(RunError::io("look at", &journal, error)),
        }
    }

    /// Creates the folders of the workspace, takes the lock and removes leftovers of killed runs.
    pub(crate) fn lock_anyway(
        &self,
        wait: Duration,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Box<dyn LockGuard>, RunError> {
        for folder in self.workspace.written_dirs() {
            self.root().make_dir(&folder).map_err(|error| RunError::workspace(&folder, error))?;
        }
        let guard = self.take_lock(wait, progress)?;
        for folder in self.workspace.cleaned_dirs() {
            let absolute = self.absolute(&folder);
            remove_leftovers(self.system, &absolute)
                .map_err(|error| RunError::io("clean up", &folder, error))?;
        }
        Ok(guard)
    }

    fn take_lock(
        &self,
        wait: Duration,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Box<dyn LockGuard>, RunError> {
        let path = self.workspace.lock();
        let attempts = wait.as_millis() / PAUSE.as_millis();
        for attempt in 0..=attempts {
            let guard = self.system.try_lock(&self.absolute(&path));
            if let Some(guard) = guard.map_err(|error| RunError::io("lock", &path, error))? {
                return Ok(guard);
            }
            if attempt == 0 {
                progress(Progress { stage: Stage::Waiting, count: 0 });
            }
            if attempt < attempts {
                sleep(PAUSE);
            }
        }
        let holder = self.system.lock_holder(&self.absolute(&path));
        Err(RunError::Locked { path, holder, waited: wait })
    }

    /// The baseline, if there is one. An unreadable baseline is an error: without it, the diff
    /// would be a guess.
    pub(crate) fn baseline(&self, baseline: Baseline) -> Result<Option<SnapshotV1>, RunError> {
        let path = self.workspace.snapshot(baseline);
        let bytes = self.read_optional(&path)?;
        let snapshot = bytes.map(|bytes| SnapshotV1::from_bytes(&bytes)).transpose();
        snapshot.map_err(|error| RunError::Snapshot { path, message: error.message, baseline })
    }

    /// Whether a path is a file of the repository. An inaccessible file counts as existing.
    pub(crate) fn has(&self, path: &RepoPath) -> bool {
        matches!(self.root().file(path), Ok(_) | Err(InsideError::Io(_)))
    }

    /// The bytes of a file of the workspace, if it exists.
    pub(crate) fn read_optional(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, RunError> {
        self.root().read_optional(path).map_err(|error| match error {
            InsideError::Io(error) => RunError::io("read", path, error),
            error => RunError::workspace(path, error),
        })
    }

    /// Writes a whole file atomically, unless it already has these bytes.
    pub(crate) fn write(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), RunError> {
        let place = self.absolute(path);
        let has_size = |stat: Stat| stat.kind == FileKind::File && stat.size == bytes.len() as u64;
        if self.system.lstat(&place).is_ok_and(has_size)
            && self.system.read(&place).is_ok_and(|found| found == bytes)
        {
            return Ok(());
        }
        self.system.write(&place, bytes).map_err(|error| RunError::io("write", path, error))
    }
}
