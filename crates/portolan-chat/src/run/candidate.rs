//! A file that may become a member of an archive, and the rules that decide whether it does.
//!
//! The order of the rules is that of the contract: reserved, excludes, secrets, binaries. A link is
//! held to them twice, by its own name and by the name of the file it leads to; a copy of a file from
//! elsewhere by its own name and, where secrets are concerned, by that of the file.

use std::path::Component;
use std::sync::Arc;

use portolan_archive::{InsideFile, StageError, StagedFile, WorkspaceLayout, classify};
use portolan_guard::Guard;
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::{System, sha256};
use portolan_wire::run_report::Denial;
use portolan_workspace::Patterns;

use super::head;
use super::plan::TOKENIZER;
use portolan_index::token_counts::{TokenStore, count_bytes};

/// A file beyond this is looked at before it is read whole.
const LARGE_FILE: u64 = 1 << 20;

/// Why a file is in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It always is.
    Base,
    /// It was selected.
    Closure,
    /// It was selected by its path and is not in the map: whoever hid it from git had a reason.
    Hidden,
}

/// Where the bytes of a file come from.
#[derive(Clone, Debug)]
pub(crate) enum CandidateSource {
    /// They were made by this run.
    Made(Arc<[u8]>),
    /// A file inside the repository.
    Inside(InsideFile),
    /// A file from elsewhere that is staged first: an external, or an import.
    Staged(StagedFile),
}

/// A file that may become a member.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) path: RepoPath,
    pub(crate) source: CandidateSource,
    pub(crate) part: Part,
    /// Whether its head is enough where it is long.
    pub(crate) head: bool,
}

/// A file that is in the archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) path: RepoPath,
    pub(crate) source: CandidateSource,
    pub(crate) part: Part,
    pub(crate) size: u64,
    pub(crate) sha256: Sha256Digest,
    pub(crate) executable: bool,
    /// What it costs to read, where somebody counted.
    pub(crate) tokens: Option<u64>,
}

impl Member {
    /// A member whose bytes this run made.
    pub(crate) fn made(path: RepoPath, bytes: Vec<u8>) -> Self {
        Self {
            path,
            part: Part::Base,
            size: bytes.len() as u64,
            sha256: sha256(&bytes),
            source: CandidateSource::Made(Arc::from(bytes)),
            executable: false,
            tokens: None,
        }
    }
}

/// What becomes of a candidate.
#[derive(Debug)]
pub(crate) enum CandidateVerdict {
    /// It is in; a notice, if it is large or was cut.
    In(Box<Member>, Option<Notice>),
    /// A rule keeps it out.
    Denied(Denial),
    /// It could not be read.
    Unreadable(Notice),
}

/// The rule that `excludes` is, and how it is told.
pub(crate) const EXCLUDED_RULE: &str = "excludes";
pub(crate) const EXCLUDED_REASON: &str = "`excludes` of the configuration";

/// The rules of a run.
pub(crate) struct Rules<'a> {
    pub(crate) workspace: &'a WorkspaceLayout,
    pub(crate) excludes: &'a Patterns,
    pub(crate) guard: &'a Guard,
    /// Who remembers the tokens of texts, where they are wanted.
    pub(crate) counts: Option<&'a dyn TokenStore>,
}

impl Rules<'_> {
    /// Reads a candidate and decides.
    pub(crate) fn judge(
        &self,
        system: &dyn System,
        candidate: &Candidate,
    ) -> Result<CandidateVerdict, StageError> {
        if let Some(denial) = self.denial_by_name(candidate) {
            return Ok(CandidateVerdict::Denied(denial));
        }
        if let Some(denial) = denial_of_binary(system, candidate) {
            return Ok(CandidateVerdict::Denied(denial));
        }
        let bytes = match &candidate.source {
            CandidateSource::Made(bytes) => bytes.to_vec(),
            CandidateSource::Staged(file) => file.read(system)?,
            CandidateSource::Inside(found) => match found.read(system) {
                Ok(bytes) => bytes,
                Err(error) => {
                    let place = Place::file(candidate.path.as_str());
                    return Ok(CandidateVerdict::Unreadable(Notice::at(
                        NoticeCode::ArchiveUnreadable,
                        place,
                        error.to_string(),
                    )));
                }
            },
        };
        if let Some(denial) = self.denial_by_content(candidate, &bytes) {
            return Ok(CandidateVerdict::Denied(denial));
        }
        let cut = if candidate.head { head::cut(candidate.path.as_str(), &bytes) } else { None };
        let (mut member, bytes, notice) = if let Some((head, notice)) = cut {
            (Member::made(candidate.path.clone(), head.clone()), head, Some(notice))
        } else {
            let notice = large_notice(candidate, &bytes);
            (member(candidate, &bytes), bytes, notice)
        };
        let count = |store| count_bytes(TOKENIZER, store, &bytes, member.sha256);
        member.tokens = self.counts.and_then(count);
        Ok(CandidateVerdict::In(Box::new(member), notice))
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
        if candidate.names().any(is_excluded) {
            return Some(deny(EXCLUDED_RULE, EXCLUDED_REASON.to_owned()));
        }
        // A file that is denied whatever is in it need not be read.
        let rule = match candidate.part {
            Part::Hidden => candidate.names().find_map(portolan_guard::by_name_alone),
            Part::Base | Part::Closure => Self::secret_by_name(candidate, &[]),
        };
        rule.filter(|_| !self.guard.allows(&candidate.path)).map(|rule| secret(candidate, rule))
    }

    fn secret_by_name(candidate: &Candidate, bytes: &[u8]) -> Option<portolan_guard::Denial> {
        let source = candidate.source_name();
        let is_made = matches!(candidate.source, CandidateSource::Made(_));
        let mut names = candidate.names().chain(&source).filter(|_| !is_made);
        names.find_map(|name| portolan_guard::by_name(name, bytes))
    }

    fn denial_by_content(&self, candidate: &Candidate, bytes: &[u8]) -> Option<Denial> {
        if matches!(candidate.source, CandidateSource::Made(_)) {
            return None;
        }
        // What is left out anyway need not be searched.
        let is_binary = classify::is_binary(bytes);
        if !self.guard.allows(&candidate.path) {
            let inspected = || portolan_guard::inspect(bytes).denial(&candidate.path);
            let by_name = Self::secret_by_name(candidate, bytes);
            let rule = if is_binary { by_name } else { by_name.or_else(inspected) };
            if let Some(rule) = rule {
                return Some(secret(candidate, rule));
            }
        }
        is_binary.then(|| binary(candidate))
    }
}

impl CandidateSource {
    /// How many bytes there are, as far as is known before they are read.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Made(bytes) => bytes.len() as u64,
            Self::Inside(found) => found.stat.size,
            Self::Staged(file) => file.size,
        }
    }
}

impl Candidate {
    /// A file that is wanted whole.
    pub(crate) fn new(path: RepoPath, source: CandidateSource, part: Part) -> Self {
        Self { path, source, part, head: false }
    }

    /// The names it is known by: its own and, behind a link, that of the file itself.
    fn names(&self) -> impl Iterator<Item = &RepoPath> {
        let real = match &self.source {
            CandidateSource::Inside(found) if found.real != self.path => Some(&found.real),
            _ => None,
        };
        std::iter::once(&self.path).chain(real)
    }

    /// Where a file from elsewhere really is, as far as names tell: its copy is called otherwise.
    fn source_name(&self) -> Option<RepoPath> {
        let CandidateSource::Staged(file) = &self.source else { return None };
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

/// A large file that its first bytes show to be binary need not be read.
fn denial_of_binary(system: &dyn System, candidate: &Candidate) -> Option<Denial> {
    let (path, size) = match &candidate.source {
        CandidateSource::Made(_) => return None,
        CandidateSource::Inside(found) => (&found.absolute, found.stat.size),
        CandidateSource::Staged(file) => (&file.source, file.size),
    };
    if size <= LARGE_FILE {
        return None;
    }
    // What cannot be read is told when all of it is wanted.
    let head = system.read_head(path, classify::HEAD_BYTES).ok()?;
    let deny = || binary(candidate);
    classify::is_binary(&head).then(deny)
}

fn secret(candidate: &Candidate, denial: portolan_guard::Denial) -> Denial {
    let reason = format!("rule `{}`; `portolan.secrets.allow` opens single paths", denial.rule);
    Denial { path: candidate.path.clone(), rule: "secret", reason }
}

fn binary(candidate: &Candidate) -> Denial {
    Denial { path: candidate.path.clone(), rule: "binary", reason: "binary".to_owned() }
}

fn member(candidate: &Candidate, bytes: &[u8]) -> Member {
    let executable =
        matches!(&candidate.source, CandidateSource::Inside(found) if found.stat.executable);
    Member {
        path: candidate.path.clone(),
        source: candidate.source.clone(),
        part: candidate.part,
        size: bytes.len() as u64,
        sha256: sha256(bytes),
        executable,
        tokens: None,
    }
}

/// What we made ourselves is as large as it has to be.
fn large_notice(candidate: &Candidate, bytes: &[u8]) -> Option<Notice> {
    if matches!(candidate.source, CandidateSource::Made(_)) {
        return None;
    }
    let reason = classify::large_text(bytes)?;
    Some(Notice::at(NoticeCode::ArchiveLargeText, Place::file(candidate.path.as_str()), reason))
}
