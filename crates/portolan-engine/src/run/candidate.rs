//! A file that may become a member of an archive, and the rules that decide whether it does.
//!
//! The order of the rules is that of the contract: reserved, excludes, secrets, binaries. A link is
//! held to them twice, by its own name and by the name of the file it leads to; a copy of a file from
//! elsewhere by its own name and, where secrets are concerned, by that of the file.

use std::path::Component;
use std::sync::Arc;

use portolan_archive::{Found, StageError, StagedFile, Workspace, classify, secrets};
use portolan_scan::Patterns;
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::{System, sha256};
use portolan_wire::run_report::Denial;

/// A file beyond this is looked at before it is read whole.
const LARGE_FILE: u64 = 1 << 20;

/// Why a file is in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It always is.
    Base,
    /// It was selected.
    Closure,
}

/// Where the bytes of a file come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// They were made by this run.
    Made(Arc<[u8]>),
    /// A file inside the repository.
    Inside(Found),
    /// A file from elsewhere that is staged first: an external, or an import.
    Staged(StagedFile),
}

/// A file that may become a member.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) path: RepoPath,
    pub(crate) source: Source,
    pub(crate) part: Part,
}

/// A file that is in the archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) path: RepoPath,
    pub(crate) source: Source,
    pub(crate) part: Part,
    pub(crate) size: u64,
    pub(crate) sha256: Sha256Digest,
    pub(crate) executable: bool,
}

/// What becomes of a candidate.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is in; a notice, if it is large.
    In(Member, Option<Notice>),
    /// A rule keeps it out.
    Denied(Denial),
    /// It could not be read.
    Unreadable(Notice),
}

/// The rules of a run.
pub(crate) struct Rules<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) excludes: &'a Patterns,
    pub(crate) secrets: &'a crate::config::SecretSettings,
}

impl Rules<'_> {
    /// Reads a candidate and decides.
    pub(crate) fn judge(
        &self,
        system: &dyn System,
        candidate: &Candidate,
    ) -> Result<Verdict, StageError> {
        if let Some(denial) = self.denial_by_name(candidate) {
            return Ok(Verdict::Denied(denial));
        }
        if let Some(denial) = self.denial_by_head(system, candidate) {
            return Ok(Verdict::Denied(denial));
        }
        let bytes = match &candidate.source {
            Source::Made(bytes) => bytes.to_vec(),
            Source::Staged(file) => file.read(system)?,
            Source::Inside(found) => match found.read(system) {
                Ok(bytes) => bytes,
                Err(error) => {
                    let place = Place::file(candidate.path.as_str());
                    return Ok(Verdict::Unreadable(Notice::at(
                        NoticeCode::ArchiveUnreadable,
                        place,
                        error.to_string(),
                    )));
                }
            },
        };
        Ok(match self.denial_by_content(candidate, &bytes) {
            Some(denial) => Verdict::Denied(denial),
            None => Verdict::In(member(candidate, &bytes), large_notice(candidate, &bytes)),
        })
    }

    fn denial_by_name(&self, candidate: &Candidate) -> Option<Denial> {
        let deny = |rule, reason: String| Denial { path: candidate.path.clone(), rule, reason };
        // A package may be installed wherever its owner likes; an import may not be git's own file.
        let source = candidate.source_name().filter(|_| !self.workspace.is_staged(&candidate.path));
        let mut names = candidate.names().chain(&source);
        let reserved = names.find_map(|name| self.workspace.reserved(name));
        if let Some(what) = reserved {
            return Some(deny("reserved", format!("reserved: {what}")));
        }
        let is_excluded = |name: &RepoPath| {
            !self.workspace.contains(name) && self.excludes.is_match(name.as_str())
        };
        candidate
            .names()
            .any(is_excluded)
            .then(|| deny("excludes", "`excludes` of the configuration".to_owned()))
    }

    /// The content rules look at the first bytes only: a large file that they deny need not be read.
    fn denial_by_head(&self, system: &dyn System, candidate: &Candidate) -> Option<Denial> {
        let Source::Inside(found) = &candidate.source else { return None };
        if found.stat.size <= LARGE_FILE {
            return None;
        }
        // What cannot be read is told when all of it is wanted.
        let head = system.read_head(&found.absolute, secrets::SEARCHED_BYTES).ok()?;
        self.denial_by_content(candidate, &head)
    }

    fn denial_by_content(&self, candidate: &Candidate, bytes: &[u8]) -> Option<Denial> {
        if matches!(candidate.source, Source::Made(_)) {
            return None;
        }
        let deny =
            |rule, reason: String| Some(Denial { path: candidate.path.clone(), rule, reason });
        let is_guarded = self.secrets.enabled && !self.secrets.allow.contains(&candidate.path);
        let source = candidate.source_name();
        let mut names = candidate.names().chain(&source);
        if is_guarded && let Some(rule) = names.find_map(|name| secrets::detect(name, bytes)) {
            let reason =
                format!("rule `{}`; `portolan.secrets.allow` opens single paths", rule.name);
            return deny("secret", reason);
        }
        if classify::is_binary(bytes) { deny("binary", "binary".to_owned()) } else { None }
    }
}

impl Candidate {
    /// The names it is known by: its own and, behind a link, that of the file itself.
    fn names(&self) -> impl Iterator<Item = &RepoPath> {
        let real = match &self.source {
            Source::Inside(found) if found.real != self.path => Some(&found.real),
            _ => None,
        };
        std::iter::once(&self.path).chain(real)
    }

    /// Where a file from elsewhere really is, as far as names tell: its copy is called otherwise.
    fn source_name(&self) -> Option<RepoPath> {
        let Source::Staged(file) = &self.source else { return None };
        let names: Option<Vec<&str>> = file
            .source
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_str()),
                _ => None,
            })
            .collect();
        RepoPath::new(names?.join("/")).ok()
    }
}

fn member(candidate: &Candidate, bytes: &[u8]) -> Member {
    let executable = matches!(&candidate.source, Source::Inside(found) if found.stat.executable);
    Member {
        path: candidate.path.clone(),
        source: candidate.source.clone(),
        part: candidate.part,
        size: bytes.len() as u64,
        sha256: sha256(bytes),
        executable,
    }
}

/// What we made ourselves is as large as it has to be.
fn large_notice(candidate: &Candidate, bytes: &[u8]) -> Option<Notice> {
    if matches!(candidate.source, Source::Made(_)) {
        return None;
    }
    let reason = classify::large_text(bytes)?;
    Some(Notice::at(NoticeCode::ArchiveLargeText, Place::file(candidate.path.as_str()), reason))
}
