//! The layout of the workspace, and what of the repository no archive may have.

use portolan_types::RepoPath;
use portolan_vfs::TEMP_PREFIX;

/// Which of the two baselines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Baseline {
    /// That of `run`.
    Plain,
    /// That of `run --context`.
    Context,
}

impl Baseline {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Context];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Context => "context",
        }
    }
}

/// The names below `<stanPath>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    stan_path: RepoPath,
}

macro_rules! places {
    ($($(#[doc = $doc:literal])+ $name:ident = $tail:literal;)+) => {
        $($(#[doc = $doc])+ pub fn $name(&self) -> RepoPath { self.stan_path.join_static($tail) })+
    };
}

impl Workspace {
    /// The workspace at a path.
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
        /// Our guide, beside one of the repository's own that does not say how to read the Map.
        guide = "system/portolan.guide.md";
        /// What an assistant should know of the project.
        project_prompt = "system/stan.project.md";
        /// Why the selection is what it is.
        scratch = "system/stan.scratch.md";
        /// What is still to be done.
        todo = "system/stan.todo.md";
        /// Bookkeeping of another tool: in no archive.
        docs_meta = "system/.docs.meta.json";
        /// Meta, state, map and staged files.
        context_dir = "context";
        /// The Map as the assistant sees it.
        meta = "context/dependency.meta.json";
        /// The Map as text that fits a budget.
        chart = "context/dependency.chart.txt";
        /// How the Map differs from what the reader has; in diff archives only.
        delta = "context/dependency.delta.txt";
        /// What the assistant asks for.
        state = "context/dependency.state.json";
        /// Where external files really are.
        map = "context/dependency.map.json";
        /// Staged files from elsewhere.
        abs_dir = "context/abs";
        /// Staged imports.
        imports_dir = "imports";
        /// Archives.
        output_dir = "output";
        /// The archive.
        archive = "output/archive.tar";
        /// What changed since the baseline, as an archive.
        diff_archive = "output/archive.diff.tar";
        /// What changed since the baseline, as a list.
        diff_report = "output/archive.diff.json";
        /// The Map as a page to look at.
        page = "output/view.html";
        /// Baselines and what belongs to them.
        diff_dir = "diff";
        /// Patches on their way.
        patch_dir = "patch";
        /// What `apply` keeps while it works, and to take the last one back.
        apply_dir = "patch/portolan";
        /// There while an `apply` is at work, or was cut short.
        apply_journal = "patch/portolan/next/journal.json";
        /// What can be made again.
        cache_dir = "cache";
        /// The state that a META run replaced.
        previous_state = "diff/dependency.state.prev.json";
        /// The only member of a diff archive without changes.
        no_changes = "diff/.stan_no_changes";
        /// Held while a run writes.
        lock = "diff/.portolan.lock";
        /// The baselines that were set.
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

    /// The folders of the workspace that text is written to, or believed from.
    pub fn own_dirs(&self) -> [RepoPath; 7] {
        let snapshots = self.snapshots_dir();
        let [_, context, output, diff] = self.written_dirs();
        [context, output, diff, snapshots, self.patch_dir(), self.imports_dir(), self.cache_dir()]
    }

    /// The folders in which a killed run may have left something.
    pub fn cleaned_dirs(&self) -> impl Iterator<Item = RepoPath> {
        self.written_dirs().into_iter().chain([self.snapshots_dir()])
    }

    /// Whether a path is in the workspace.
    pub fn contains(&self, path: &RepoPath) -> bool {
        path.is_under(self.stan_path.as_str())
    }

    /// Staged files of packages: a folder for each ecosystem.
    pub fn packages_dir(&self, ecosystem: &'static str) -> RepoPath {
        self.context_dir().join_static(ecosystem)
    }

    /// Whether a path is that of a staged external file: the context has folders for nothing else.
    pub fn is_staged(&self, path: &RepoPath) -> bool {
        let below = path.as_str().strip_prefix(self.context_dir().as_str());
        let below = below.and_then(|below| below.strip_prefix('/'));
        below.is_some_and(|below| !below.starts_with('.') && below.contains('/'))
    }

    /// Why no archive may have a path, whatever asks for it.
    pub fn reserved(&self, path: &RepoPath) -> Option<&'static str> {
        // A file system may not tell upper from lower case: `.GIT/config` is as bad.
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

    use super::Workspace;

    #[test]
    fn reserved_paths_are_told_by_segment_and_in_any_case() {
        let workspace = Workspace::new(RepoPath::new("a/.stan").unwrap());
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
