//! Writes planned outputs: first everything under temporary names, then all at once to the final
//! paths.

use std::collections::BTreeSet;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use portolan_archive::tar::TarWriter;
use portolan_archive::{StagedFile, Transaction, remove_leftovers, stage, staged_path};
use portolan_languages::Ecosystems;
use portolan_types::RepoPath;
use portolan_vfs::{PendingFile, TEMP_PREFIX, sha256};
use rayon::prelude::*;

use super::candidate::{CandidateSource, Member};
use super::imports::Imports;
use super::plan::{Diff, Plan};
use super::workspace::RunWorkspace;
use super::{Progress, RunError, Stage};

/// The only member of a diff without changes.
pub(crate) const NO_CHANGES: &[u8] = b"no changes";

/// The number of members, and of their bytes, in memory at once; twice that, because some are
/// written while others are read.
const BUNDLE: usize = 256;
const BUNDLE_BYTES: u64 = 8 << 20;

type TarFile = TarWriter<BufWriter<Box<dyn PendingFile>>>;

/// The outputs of a run before they are committed.
pub(crate) struct Outputs<'a> {
    workspace: &'a RunWorkspace<'a>,
    transaction: Transaction<'a>,
    /// The files to commit.
    files: BTreeSet<RepoPath>,
    progress: &'a (dyn Fn(Progress) + Sync),
    _cleanup: Cleanup<'a>,
}

/// Removes temporary files, whether the run succeeds or not. If one cannot be removed, the next run
/// removes it.
struct Cleanup<'a>(&'a RunWorkspace<'a>);

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        for folder in self.0.workspace.cleaned_dirs() {
            let _ = remove_leftovers(self.0.system, &self.0.absolute(&folder));
        }
    }
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(
        workspace: &'a RunWorkspace<'a>,
        progress: &'a (dyn Fn(Progress) + Sync),
    ) -> Self {
        Self {
            workspace,
            transaction: Transaction::new(workspace.system),
            files: BTreeSet::new(),
            progress,
            _cleanup: Cleanup(workspace),
        }
    }

    /// Adds a file to the commit.
    pub(crate) fn file(&mut self, path: &RepoPath, bytes: &[u8]) -> Result<(), RunError> {
        let temp = self.temp(path);
        self.workspace
            .system
            .write(&temp, bytes)
            .map_err(|error| RunError::io("write", path, error))?;
        if self.files.insert(path.clone()) {
            self.transaction.replace_file(temp, self.workspace.absolute(path));
        }
        Ok(())
    }

    /// Removes a file in the commit.
    pub(crate) fn remove(&mut self, path: &RepoPath) {
        self.transaction.remove(self.workspace.absolute(path));
    }

    /// Replaces all staged files by the external files of a plan.
    pub(crate) fn externals(&mut self, plan: &Plan) -> Result<(), RunError> {
        let workspace = &self.workspace.workspace;
        let (context, folder) = (workspace.context_dir(), self.staged_externals());
        let files: Vec<_> =
            plan.staged.iter().filter(|file| workspace.is_staged(&file.target)).cloned().collect();
        (self.progress)(Progress { stage: Stage::Staging, count: files.len() });
        stage(self.workspace.system, self.workspace.path, &folder, &context, &files)?;
        let packages = Ecosystems::default().iter();
        let packages = packages.map(|ecosystem| workspace.packages_dir(ecosystem.name()));
        for tree in packages.chain([workspace.abs_dir()]) {
            self.tree(&folder.join(tree.file_name()), &tree, &files);
        }
        Ok(())
    }

    /// Replaces all imports.
    pub(crate) fn imports(&mut self, imports: &Imports) -> Result<(), RunError> {
        let Some(target) = imports.folder() else { return Ok(()) };
        let folder = self.staged_imports();
        let files: Vec<_> = imports.files().cloned().collect();
        stage(self.workspace.system, self.workspace.path, &folder, target, &files)?;
        self.tree(&folder, target, &files);
        Ok(())
    }

    fn tree(&mut self, from: &Path, tree: &RepoPath, files: &[StagedFile]) {
        let to = self.workspace.absolute(tree);
        if files.iter().any(|file| file.target.is_under(tree.as_str())) {
            self.transaction.replace_tree(from.to_path_buf(), to);
        } else {
            self.transaction.remove(to);
        }
    }

    /// Writes the archive and, with a diff, the diff archive and its report. Each file is read once
    /// for both.
    pub(crate) fn archives(&mut self, plan: &Plan, diff: Option<&Diff>) -> Result<(), RunError> {
        let workspace = &self.workspace.workspace;
        let (full_path, diff_path) = (workspace.archive(), workspace.diff_archive());
        (self.progress)(Progress { stage: Stage::Archiving, count: plan.members.len() });
        let mut full = self.create(&full_path)?;
        let mut changed =
            diff.map(|diff| self.create(&diff_path).map(|tar| (diff, tar))).transpose()?;
        let mut delta = diff.and_then(|diff| diff.delta.as_ref());
        let mut append_all = |members: &[Member], bytes: Vec<Vec<u8>>| -> Result<(), RunError> {
            for (member, bytes) in members.iter().zip(bytes) {
                append(&mut full, &full_path, member, &bytes)?;
                let Some((diff, tar)) = &mut changed else { continue };
                // Members are sorted by path in every archive.
                if let Some(delta) = delta.take_if(|delta| delta.path < member.path) {
                    append(tar, &diff_path, delta, &self.read(delta)?)?;
                }
                if diff.sends(&member.path) {
                    append(tar, &diff_path, member, &bytes)?;
                }
            }
            Ok(())
        };
        // Members are written while the next ones are read and hashed.
        let mut ready: (&[Member], Vec<Vec<u8>>) = (&[], Vec::new());
        for bundle in bundles(&plan.members) {
            let (members, bytes) = ready;
            let (written, read) =
                rayon::join(|| append_all(members, bytes), || self.read_all(bundle));
            written?;
            ready = (bundle, read?);
        }
        append_all(ready.0, ready.1)?;
        if let Some((diff, mut tar)) = changed {
            if let Some(delta) = delta {
                append(&mut tar, &diff_path, delta, &self.read(delta)?)?;
            }
            if diff.report.sends_nothing() {
                let sentinel = workspace.no_changes();
                let appended = tar.append(sentinel.as_str(), false, NO_CHANGES);
                appended.map_err(|error| RunError::io("write", &diff_path, error))?;
            }
            self.file(&workspace.diff_report(), &diff.report.to_bytes())?;
            self.finish(tar, &diff_path)?;
        }
        self.finish(full, &full_path)
    }

    /// Replaces all outputs.
    pub(crate) fn commit(self) -> Result<(), RunError> {
        (self.progress)(Progress { stage: Stage::Committing, count: 0 });
        Ok(self.transaction.commit()?)
    }

    /// The bytes of some members, in order.
    fn read_all(&self, members: &[Member]) -> Result<Vec<Vec<u8>>, RunError> {
        members.par_iter().map(|member| self.read(member)).collect()
    }

    /// The bytes of a member, verified against the plan, so that all outputs of a run are
    /// consistent.
    pub(crate) fn read(&self, member: &Member) -> Result<Vec<u8>, RunError> {
        let system = self.workspace.system;
        let read = match &member.source {
            CandidateSource::Made(bytes) => return Ok(bytes.to_vec()),
            CandidateSource::Inside(found) => found.read(system),
            CandidateSource::Staged(file) => match self.staged(&file.target) {
                Some(path) => system.read(&path),
                None => return Err(RunError::Changed { path: member.path.clone() }),
            },
        };
        let bytes = read.map_err(|error| RunError::io("read", &member.path, error))?;
        if sha256(&bytes) != member.sha256 {
            return Err(RunError::Changed { path: member.path.clone() });
        }
        Ok(bytes)
    }

    /// The temporary path of a staged copy.
    fn staged(&self, target: &RepoPath) -> Option<PathBuf> {
        let workspace = &self.workspace.workspace;
        if workspace.is_staged(target) {
            staged_path(&self.staged_externals(), &workspace.context_dir(), target)
        } else {
            staged_path(&self.staged_imports(), &workspace.imports_dir(), target)
        }
    }

    fn staged_externals(&self) -> PathBuf {
        self.workspace
            .absolute(&self.workspace.workspace.context_dir())
            .join(format!("{TEMP_PREFIX}externals"))
    }

    fn staged_imports(&self) -> PathBuf {
        self.workspace
            .absolute(self.workspace.workspace.stan_path())
            .join(format!("{TEMP_PREFIX}imports"))
    }

    fn temp(&self, path: &RepoPath) -> PathBuf {
        self.workspace
            .absolute(path)
            .with_file_name(format!("{TEMP_PREFIX}new-{}", path.file_name()))
    }

    fn create(&self, path: &RepoPath) -> Result<TarFile, RunError> {
        let pending = self.workspace.system.create(&self.temp(path));
        let pending = pending.map_err(|error| RunError::io("write", path, error))?;
        Ok(TarWriter::new(BufWriter::with_capacity(256 * 1024, pending)))
    }

    fn finish(&mut self, tar: TarFile, path: &RepoPath) -> Result<(), RunError> {
        let finished = tar.finish().and_then(|(buffer, _)| buffer.into_inner().map_err(Into::into));
        let committed = finished.and_then(PendingFile::commit);
        committed.map_err(|error| RunError::io("write", path, error))?;
        self.transaction.replace_file(self.temp(path), self.workspace.absolute(path));
        Ok(())
    }
}

/// Splits members into bundles that fit into memory.
fn bundles(members: &[Member]) -> impl Iterator<Item = &[Member]> {
    let mut rest = members;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |member: &&Member| {
            bytes += member.size;
            bytes <= BUNDLE_BYTES
        };
        let count = rest.iter().take(BUNDLE).take_while(fits).count();
        let (bundle, others) = rest.split_at(count.max(1).min(rest.len()));
        rest = others;
        (!bundle.is_empty()).then_some(bundle)
    })
}

fn append(
    tar: &mut TarFile,
    archive: &RepoPath,
    member: &Member,
    bytes: &[u8],
) -> Result<(), RunError> {
    let appended = tar.append(member.path.as_str(), member.executable, bytes);
    appended.map_err(|error| RunError::io("write", archive, error))
}
