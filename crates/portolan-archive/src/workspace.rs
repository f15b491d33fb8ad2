//! The layout of the workspace, and the paths that no archive may contain.

use portolan_types::RepoPath;
use portolan_vfs::TEMP_PREFIX;

/// One of the two baselines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Baseline {
    /// The baseline of `run`.
    Plain,
    /// The baseline of `run --context`.
    Context,
}

impl Baseline {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Context];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Context => "context",
        }
    }
}

/// The paths below `<stanPath>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceLayout {
    stan_path: RepoPath,
}

macro_rules! places {
    ($($(#[doc = $doc:literal])+ $name:ident = $tail:literal;)+) => {
        $($(#[doc = $doc])+ pub fn $name(&self) -> RepoPath { self.stan_path.join_static($tail) })+
    };
}

impl WorkspaceLayout {
    /// The layout for a workspace path.
    pub fn new(stan_path: RepoPath) -> Self {
        Self { stan_path }
    }

    /// The workspace itself.
    pub fn stan_path(&self) -> &RepoPath {
        &self.stan_path
    }

    places! {
        /// Prompts and docs.
        system_dir = "system";
        /// The assistant's guide.
        system_prompt = "system/stan.system.md";
        /// Our guide, if the repository's own guide does not explain the map.
        guide = "system/portolan.guide.md";
        /// What an assistant should know about the project.
        project_prompt = "system/stan.project.md";
        /// Why the selection is as it is.
        scratch = "system/stan.scratch.md";
        /// What remains to be done.
        todo = "system/stan.todo.md";
        /// Another tool's bookkeeping, which no archive contains.
        docs_meta = "system/.docs.meta.json";
        /// Meta, state, map and staged files.
        context_dir = "context";
        /// The map for the assistant.
        meta = "context/dependency.meta.json";
        /// The map as text that fits a budget.
        chart = "context/dependency.chart.txt";
        /// How the map differs from the reader's version; in diff archives only.
        delta = "context/dependency.delta.txt";
        /// The assistant's selection.
        state = "context/dependency.state.json";
        /// The real paths of external files.
        map = "context/dependency.map.json";
        /// Staged files from outside the repository.
        abs_dir = "context/abs";
        /// Staged imports.
        imports_dir = "imports";
        /// Archives.
        output_dir = "output";
        /// The archive.
        archive = "output/archive.tar";
        /// The changes since the baseline, as an archive.
        diff_archive = "output/archive.diff.tar";
        /// The changes since the baseline, as a list.
        diff_report = "output/archive.diff.json";
        /// The map as a web page.
        page = "output/view.html";
        /// Baselines and their data.
        diff_dir = "diff";
        /// Patches in progress.
        patch_dir = "patch";
        /// The data of `apply` while it works, and for undoing the last one.
        apply_dir = "patch/portolan";
        /// Exists while an `apply` runs, or after it was interrupted.
        apply_journal = "patch/portolan/next/journal.json";
        /// Data that can be rebuilt.
        cache_dir = "cache";
        /// The state that a META run replaced.
        previous_state = "diff/dependency.state.prev.json";
        /// The only member of a diff archive without changes.
        no_changes = "diff/.stan_no_changes";
        /// Locked while a run writes.
        lock = "diff/.portolan.lock";
        /// The history of baselines.
        history = "diff/.snap.history.json";
        /// Their copies.
        snapshots_dir = "diff/snapshots";
    }

    /// The snapshot of a baseline.
    pub fn snapshot(&self, baseline: Baseline) -> RepoPath {
        match baseline {
            Baseline::Plain => self.stan_path.join_static("diff/.archive.snapshot.json"),
            Baseline::Context => self.stan_path.join_static("diff/.archive.snapshot.context.json"),
        }
    }

    /// The folders that a run writes into.
    pub fn written_dirs(&self) -> [RepoPath; 4] {
        [self.stan_path.clone(), self.context_dir(), self.output_dir(), self.diff_dir()]
    }

    /// The folders of the workspace whose text is written or trusted.
    pub fn own_dirs(&self) -> [RepoPath; 7] {
        let snapshots = self.snapshots_dir();
        let [_, context, output, diff] = self.written_dirs();
        [context, output, diff, snapshots, self.patch_dir(), self.imports_dir(), self.cache_dir()]
    }

    /// The folders in which a killed run may have left files.
    pub fn cleaned_dirs(&self) -> impl Iterator<Item = RepoPath> {
        self.written_dirs().into_iter().chain([self.snapshots_dir()])
    }

    /// Whether a path is in the workspace.
    pub fn contains(&self, path: &RepoPath) -> bool {
        path.is_under(self.stan_path.as_str())
    }

    /// The folder for staged files of packages of an ecosystem.
    pub fn packages_dir(&self, ecosystem: &'static str) -> RepoPath {
        self.context_dir().join_static(ecosystem)
    }

    /// Whether a path is that of a staged external file: all folders in the context are for these.
    pub fn is_staged(&self, path: &RepoPath) -> bool {
        let below = path.as_str().strip_prefix(self.context_dir().as_str());
        let below = below.and_then(|below| below.strip_prefix('/'));
        below.is_some_and(|below| !below.starts_with('.') && below.contains('/'))
    }

    /// Why no archive may contain a path, whatever requests it.
    pub fn reserved(&self, path: &RepoPath) -> Option<&'static str> {
        // The file system may ignore case: `.GIT/config` is as bad.
        if path.as_str().split('/').any(|segment| segment.eq_ignore_ascii_case(".git")) {
            return Some("git's own files");
        }
        let tail = path
            .as_str()
            .strip_prefix(self.stan_path.as_str())?
            .strip_prefix('/')?
            .to_ascii_lowercase();
        let folder = tail.split('/').next().unwrap_or_default();
        match folder {
            "diff" => Some("baselines"),
            "patch" => Some("the patch workspace"),
            "cache" => Some("the cache"),
            _ if tail == "context/dependency.map.json" => Some("the host-private map"),
            "output" if is_archive_output(path.file_name()) => Some("an archive of an earlier run"),
            _ if tail.split('/').any(|segment| segment.starts_with(TEMP_PREFIX)) => {
                Some("a temporary file")
            }
            _ => None,
        }
    }
}

fn is_archive_output(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "archive.tar" | "archive.diff.tar" | "archive.diff.json" | "archive.warnings.txt"
    )
}

#[cfg(test)]
mod tests {
    use portolan_types::RepoPath;

    use super::WorkspaceLayout;

    #[test]
    fn reserved_paths_are_recognized_by_segment_in_any_case() {
        let workspace = WorkspaceLayout::new(RepoPath::new("a/.stan").unwrap());
        let reserved = [
            ".git/config",
            ".GIT/HEAD",
            "vendor/x/.git/config",
            "a/.stan/diff/x",
            "a/.stan/Diff/x",
            "a/.stan/patch/p",
            "a/.stan/cache/c",
            "a/.stan/context/dependency.map.json",
            "a/.stan/output/archive.tar",
            "a/.stan/output/archive.diff.tar",
            "a/.stan/context/.portolan-tmp-x/npm/y",
        ];
        for path in reserved {
            assert!(workspace.reserved(&RepoPath::new(path).unwrap()).is_some(), "{path}");
        }
        let free = [
            ".github/x",
            ".gitignore",
            "a/.stan/output/test.txt",
            "a/.stan/system/x",
            "diff/x",
            "a/.stanx/diff/y",
        ];
        for path in free {
            assert_eq!(workspace.reserved(&RepoPath::new(path).unwrap()), None, "{path}");
        }
    }
}
