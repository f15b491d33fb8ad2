//! Imports: files from anywhere that the configuration names, staged below `<stanPath>/imports`.
//!
//! A pattern is split before its first glob. The first part is a folder, which may be outside the
//! repository because the configuration belongs to the user. The second part is matched with the
//! paths below it, and these are also the paths of the copies. Links are not followed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use portolan_archive::{StagedFile, WorkspaceLayout};
use portolan_guard::redact;
use portolan_types::{Notice, NoticeCode, Place, RepoPath, is_safe_segment};
use portolan_vfs::{FileKind, System};
use portolan_workspace::{PatternError, Patterns};

/// An import of more files than this is a mistake.
const MAX_FILES: usize = 20_000;
const GLOB_CHARACTERS: [char; 9] = ['*', '?', '[', ']', '{', '}', '(', ')', '!'];

/// The files to import, by the paths of their copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    files: BTreeMap<RepoPath, StagedFile>,
    /// The folder that is replaced; `None` if nothing is configured.
    folder: Option<RepoPath>,
}

/// The reason why imports cannot be staged.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// An invalid pattern.
    #[error("imports: {0}")]
    Pattern(#[from] PatternError),
    /// A pattern matches too many files.
    #[error("imports: `{pattern}` leads to more than {MAX_FILES} files; make it narrower")]
    TooMany {
        /// The pattern.
        pattern: String,
    },
}

impl Imports {
    /// Finds and reads the configured imports.
    pub(crate) fn find(
        system: &dyn System,
        root: &Path,
        workspace: &WorkspaceLayout,
        imports: &BTreeMap<String, Vec<String>>,
    ) -> Result<(Self, Vec<Notice>), ImportError> {
        let folder = (!imports.is_empty()).then(|| workspace.imports_dir());
        let mut finder =
            Finder { system, root, workspace, files: BTreeMap::new(), notices: Vec::new() };
        for (label, patterns) in imports {
            for pattern in patterns {
                finder.pattern(label, pattern)?;
            }
        }
        Ok((Self { files: finder.files, folder }, finder.notices))
    }

    /// The import whose copy has a path.
    pub(crate) fn get(&self, path: &RepoPath) -> Option<&StagedFile> {
        self.files.get(path)
    }

    /// Whether a path is in the folder that these imports replace.
    pub(crate) fn owns(&self, path: &RepoPath) -> bool {
        self.folder.as_ref().is_some_and(|folder| path.is_under(folder.as_str()))
    }

    /// The folder that is replaced.
    pub(crate) fn folder(&self) -> Option<&RepoPath> {
        self.folder.as_ref()
    }

    /// Every file.
    pub(crate) fn files(&self) -> impl Iterator<Item = &StagedFile> {
        self.files.values()
    }
}

struct Finder<'a> {
    system: &'a dyn System,
    root: &'a Path,
    workspace: &'a WorkspaceLayout,
    files: BTreeMap<RepoPath, StagedFile>,
    notices: Vec<Notice>,
}

impl Finder<'_> {
    fn pattern(&mut self, label: &str, pattern: &str) -> Result<(), ImportError> {
        let (base, glob) = split(pattern);
        let found = self.system.real_path(&self.root.join(base));
        let found = found.and_then(|base| Ok((self.system.stat(&base)?.kind, base)));
        let (kind, base) = match found {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.notice(label, &format!("`{pattern}` leads nowhere"));
                return Ok(());
            }
            Err(error) => {
                self.notice(label, &format!("`{pattern}` could not be read: {error}"));
                return Ok(());
            }
        };
        if kind == FileKind::Other {
            self.notice(label, &format!("`{pattern}` is not a regular file; it is left out"));
            return Ok(());
        }
        let is_file = kind == FileKind::File;
        let found = if is_file {
            let tail = base.file_name().and_then(|name| name.to_str()).map(str::to_owned);
            tail.into_iter().map(|tail| (tail, base.clone())).collect()
        } else {
            self.below(&base, &Patterns::new(&[glob])?, label, pattern)?
        };
        if found.is_empty() {
            self.notice(label, &format!("`{pattern}` matches no file"));
        }
        for (tail, source) in found {
            self.add(label, &tail, source);
        }
        Ok(())
    }

    /// The files below a folder whose relative paths match; all files if there is no pattern.
    fn below(
        &mut self,
        base: &Path,
        glob: &Patterns,
        label: &str,
        pattern: &str,
    ) -> Result<Vec<(String, PathBuf)>, ImportError> {
        let own = self.root.join(self.workspace.stan_path().as_str());
        let mut found = Vec::new();
        let mut todo = vec![(String::new(), base.to_path_buf())];
        let mut seen = 0;
        while let Some((tail, folder)) = todo.pop() {
            let entries = self.system.read_dir(&folder).unwrap_or_else(|error| {
                let shown = if tail.is_empty() { pattern } else { &tail };
                self.notice(label, &format!("`{shown}` could not be read: {error}"));
                Vec::new()
            });
            for entry in entries {
                seen += 1;
                if seen > MAX_FILES {
                    return Err(ImportError::TooMany { pattern: pattern.to_owned() });
                }
                let Some(name) = entry.name.to_str() else { continue };
                let tail = if tail.is_empty() { name.to_owned() } else { format!("{tail}/{name}") };
                let path = folder.join(name);
                let may_be_below = glob.is_empty() || glob.may_match_below(&tail);
                match entry.kind {
                    FileKind::Dir if name != ".git" && path != own && may_be_below => {
                        todo.push((tail, path));
                    }
                    FileKind::File if glob.is_empty() || glob.is_match(&tail) => {
                        found.push((tail, path));
                    }
                    _ => {}
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn add(&mut self, label: &str, tail: &str, source: PathBuf) {
        let target = format!("{}/{label}/{tail}", self.workspace.imports_dir());
        let target = match RepoPath::new(target.as_str()) {
            Ok(target) if tail.split('/').all(is_safe_segment) => target,
            _ => {
                return self.notice(
                    label,
                    &format!("`{tail}` cannot be the name of a copy; it is left out"),
                );
            }
        };
        let (size, sha256) = match self.system.digest_real(&source) {
            Ok(found) => found,
            Err(error) => {
                return self.notice(label, &format!("`{tail}` could not be read: {error}"));
            }
        };
        let file = StagedFile { target: target.clone(), source, size, sha256 };
        match self.files.get(&target) {
            Some(first) if first.sha256 != file.sha256 => {
                self.notice(label, &format!("two files would be `{tail}`; the first one is used"));
            }
            Some(_) => {}
            None => {
                self.files.insert(target, file);
            }
        }
    }

    fn notice(&mut self, label: &str, message: &str) {
        // Patterns may be URLs with credentials.
        let (label, message) = (redact(label), redact(message).into_owned());
        self.notices.push(Notice::at(NoticeCode::ArchiveImport, Place::file(&*label), message));
    }
}

/// Splits a pattern before its first segment with a glob.
fn split(pattern: &str) -> (&str, &str) {
    let Some(first) = pattern.find(GLOB_CHARACTERS) else { return (pattern, "") };
    match pattern[..first].rfind('/') {
        // `/*` is everything at the root of the file system.
        Some(0) => ("/", &pattern[1..]),
        Some(slash) => (&pattern[..slash], &pattern[slash + 1..]),
        None => ("", pattern),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use portolan_archive::WorkspaceLayout;
    use portolan_types::RepoPath;
    use portolan_vfs::MemorySystem;

    use super::Imports;

    #[track_caller]
    fn check(patterns: &[&str], copies: &[&str], notices: &[&str]) {
        let system = MemorySystem::default();
        for path in [
            "/kit/docs/a.md",
            "/kit/docs/deep/b.md",
            "/kit/docs/c.txt",
            "/kit/.git/x.md",
            "/r/own/d.md",
            "/r/.stan/e.md",
        ] {
            system.put(path, path);
        }
        system.link("/kit/docs/link.md", "/etc/passwd");
        system.link("/kit/docs/up", "/");
        let workspace = WorkspaceLayout::new(RepoPath::new(".stan").unwrap());
        let config = BTreeMap::from([(
            "kit".to_owned(),
            patterns.iter().map(|p| (*p).to_owned()).collect(),
        )]);
        let (imports, said) = Imports::find(&system, Path::new("/r"), &workspace, &config).unwrap();
        let targets: Vec<_> = imports.files().map(|file| file.target.as_str()).collect();
        assert_eq!(targets, copies);
        assert_eq!(said.iter().map(|notice| notice.message.as_str()).collect::<Vec<_>>(), notices);
    }

    #[test]
    fn the_copy_keeps_what_the_globs_matched() {
        check(
            &["../kit/docs/**/*.md"],
            &[".stan/imports/kit/a.md", ".stan/imports/kit/deep/b.md"],
            &[],
        );
        check(&["/kit/docs/*.md"], &[".stan/imports/kit/a.md"], &[]);
        check(&["../kit/docs/c.txt"], &[".stan/imports/kit/c.txt"], &[]);
        check(
            &["../kit/docs"],
            &[".stan/imports/kit/a.md", ".stan/imports/kit/c.txt", ".stan/imports/kit/deep/b.md"],
            &[],
        );
        check(&["../kit/*/a.md"], &[".stan/imports/kit/docs/a.md"], &[]);
    }

    #[test]
    fn git_links_and_our_own_workspace_are_passed_over() {
        check(
            &["../kit/**/*.md", "**/*.md"],
            &[
                ".stan/imports/kit/docs/a.md",
                ".stan/imports/kit/docs/deep/b.md",
                ".stan/imports/kit/own/d.md",
            ],
            &[],
        );
    }

    #[test]
    fn what_matches_nothing_or_clashes_is_told() {
        check(&["../nowhere/*.md"], &[], &["`../nowhere/*.md` leads nowhere"]);
        check(&["own/*.txt"], &[], &["`own/*.txt` matches no file"]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (path, told) in [
            ("/kit/docs/deep", "`docs/deep` could not be read: permission denied"),
            ("/kit/docs/deep/b.md", "`docs/deep/b.md` could not be read: permission denied"),
        ] {
            let system = MemorySystem::default();
            system.put("/r/own.md", "");
            system.put("/kit/docs/a.md", "a");
            system.put("/kit/docs/deep/b.md", "b");
            system.deny(path);
            let workspace = WorkspaceLayout::new(RepoPath::new(".stan").unwrap());
            let config = BTreeMap::from([("kit".to_owned(), vec!["../kit/**/*.md".to_owned()])]);
            let (imports, said) =
                Imports::find(&system, Path::new("/r"), &workspace, &config).unwrap();
            assert_eq!(imports.files().count(), 1);
            assert_eq!(said[0].message, told);
        }
    }
}
