//! The project of a pack: finds its manifest, and reads only files that are really in its folder.

use std::io;
use std::path::{Component, Path, PathBuf};

use portolan_types::{Input, Remedy, RepoPath};
use portolan_vfs::{FileKind, System};
use portolan_x07::pack::{Manifest, ManifestError, read_manifest};

use super::AgentError;

/// A file that was read once.
pub(super) struct LoadedFile {
    /// Its path relative to the project's folder, with `/`.
    pub(super) path: String,
    /// Its path for messages.
    pub(super) shown: String,
    pub(super) bytes: Vec<u8>,
}

/// A project.
pub(super) struct Project {
    /// Its folder, with links resolved.
    folder: PathBuf,
    /// The manifest.
    pub(super) file: LoadedFile,
    pub(super) manifest: Manifest,
}

impl Project {
    /// Finds and reads the manifest.
    pub(super) fn find(
        system: &dyn System,
        directory: &Path,
        given: &Path,
    ) -> Result<Self, AgentError> {
        let path = manifest_path(system, directory, given);
        let shown = path.display().to_string();
        let bytes = system.read(&path).map_err(|error| {
            AgentError::new(format!("[X07PROJECT_READ] read project: {shown}: {error}")).remedy(
                Remedy::give(
                    Input::Project,
                    "with the project's manifest (`x07.json`) or its folder",
                ),
            )
        })?;
        let manifest = read_manifest(&bytes).map_err(|error| match error {
            ManifestError::Parse(message) => AgentError::new(format!(
                "[X07PROJECT_PARSE] parse project JSON: {shown}: {message}"
            )),
            ManifestError::Invalid(message) => {
                AgentError::new(message).remedy(Remedy::plain(format!("mend the manifest {shown}")))
            }
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let folder = system
            .real_path(folder)
            .map_err(|error| AgentError::new(format!("{shown}: {error}")))?;
        let name =
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { folder, file: LoadedFile { path: name, shown, bytes }, manifest })
    }

    /// Reads a file of the project. Refuses a path that leaves the folder, by its text or through a
    /// link.
    pub(super) fn load(
        &self,
        system: &dyn System,
        path: &str,
        noun: &str,
    ) -> Result<LoadedFile, AgentError> {
        let outside = |why: String| {
            AgentError::new(format!("{noun} {path:?} is not in the project's folder: {why}"))
                .remedy(Remedy::plain("a pack is made of files of the project only"))
        };
        let checked = RepoPath::from_untrusted(path).map_err(|error| outside(error.to_string()))?;
        let file = self.folder.join(checked.as_str());
        let shown = file.display().to_string();
        let unreadable =
            |error: io::Error| AgentError::new(format!("read {noun}: {shown}: {error}"));
        let real = system.real_path(&file).map_err(unreadable)?;
        if !real.starts_with(&self.folder) {
            return Err(outside(format!("it leads to {}", real.display())));
        }
        let bytes = system.read(&real).map_err(unreadable)?;
        if let Some(denial) = portolan_guard::detect(&checked, &bytes) {
            let message = format!(
                "{noun} {path:?} holds something that looks like a secret (rule `{}`)",
                denial.rule
            );
            let remedy = Remedy::plain("take it out of the file; docs/secrets.md has the rules");
            return Err(AgentError::new(message).remedy(remedy));
        }
        Ok(LoadedFile { path: checked.as_str().to_owned(), shown, bytes })
    }

    /// Makes a path in the folder relative to it; returns other paths unchanged.
    pub(super) fn strip_root(&self, path: &str) -> String {
        let relative = Path::new(path).strip_prefix(&self.folder);
        relative.map_or_else(|_| path.to_owned(), posix)
    }

    /// Makes any path relative to the folder.
    pub(super) fn relative(&self, system: &dyn System, path: &Path) -> Result<String, AgentError> {
        let folder =
            path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let folder = system
            .real_path(folder)
            .map_err(|error| AgentError::new(format!("{}: {error}", folder.display())))?;
        let path = folder.join(path.file_name().unwrap_or_default());
        let common = path
            .components()
            .zip(self.folder.components())
            .take_while(|(left, right)| left == right)
            .count();
        let up = self.folder.components().skip(common).map(|_| Component::ParentDir);
        let relative: PathBuf = up.chain(path.components().skip(common)).collect();
        Ok(posix(&relative))
    }
}

fn posix(path: &Path) -> String {
    let segments: Vec<_> =
        path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    segments.join("/")
}

/// The path of the manifest: as given or, if it is relative, the first that exists in the folder or
/// its parents.
fn manifest_path(system: &dyn System, directory: &Path, given: &Path) -> PathBuf {
    let base = system.real_path(directory).unwrap_or_else(|_| directory.to_path_buf());
    let candidates = base.ancestors().map(|folder| folder.join(given));
    for candidate in candidates {
        match system.stat(&candidate).map(|stat| stat.kind) {
            Ok(FileKind::Dir) => {
                let manifest = candidate.join("x07.json");
                let found = system.stat(&manifest);
                if !found.is_err_and(|error| is_absent(&error)) {
                    return manifest;
                }
            }
            Err(error) if is_absent(&error) => {}
            // If the path cannot be accessed, reading it later gives the reason. A manifest further
            // up belongs to another project.
            Ok(_) | Err(_) => return candidate,
        }
    }
    directory.join(given)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
