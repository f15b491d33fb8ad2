//! Reads a file once: size, digest and, for code, facts come from the same bytes.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use portolan_guard::{Denial, Guard, Inspection, inspect, redact};
use portolan_languages::{ExtractSettings, Facts, Problem, ProblemKind, Scratch, Stores};
use portolan_types::{Notice, NoticeCode, Place, RepoPath, Sha256Digest};
use portolan_vfs::{FileContent, FileKind, System, sha256};

use super::LanguageRegistry;
use super::cache::{Cache, StoredFacts, Times};
use crate::catch_panics::catch_panics;
use crate::pool::PARSER_STACK;

/// Larger code is hashed, but neither held in memory nor parsed.
const MOST_CODE: usize = 64 << 20;

/// Other files beyond this are hashed, and judged by their names alone.
const MOST_DATA: usize = 16 << 20;

/// The result of reading a file.
#[derive(Debug)]
pub(super) struct FileData {
    pub(super) size: u64,
    pub(super) sha256: Sha256Digest,
    /// Whether the guard denies it: then the map has its path and nothing else. Its size and its digest would give a short
    /// secret away.
    pub(super) is_denied: bool,
    /// For code only.
    pub(super) code: Option<CodeData>,
    /// The metadata before the read; only if there is a cache.
    pub(super) times: Option<Times>,
    /// Whether all of this is from the cache.
    pub(super) is_cached: bool,
}

/// The result of reading a file of code.
#[derive(Debug)]
pub(super) struct CodeData {
    /// One line on what it is for.
    pub(super) description: Option<Arc<str>>,
    /// The problems of parsing.
    pub(super) problems: Vec<Problem>,
    /// What the guard found in the bytes, independent of the name.
    pub(super) inspection: Inspection,
    facts: LazyFacts,
}

/// Facts without the description and the problems; decoded on first use.
#[derive(Debug)]
struct LazyFacts {
    facts: OnceLock<Facts>,
    stored: Option<StoredFacts>,
}

impl CodeData {
    fn read(mut facts: Facts, inspection: Inspection) -> Self {
        let description = facts.description.take();
        let description = description.map(|text| Arc::from(&*redact(&text)));
        let problems = std::mem::take(&mut facts.problems);
        let facts = LazyFacts { facts: OnceLock::from(facts), stored: None };
        Self { description, problems, inspection, facts }
    }

    /// The result for a file that the guard denies: only the rule.
    fn denied(denial: Denial, inspection: Inspection) -> Self {
        let message = format!(
            "rule `{}`: the map has nothing of its text; `portolan.secrets.allow` opens single paths",
            denial.rule
        );
        let problem = Problem { kind: ProblemKind::Denied, message, position: None };
        Self::read(Facts { problems: vec![problem], ..Facts::default() }, inspection)
    }

    /// Whether the guard denied the file, so that there are no facts.
    pub(super) fn is_silenced(&self) -> bool {
        self.problems.iter().any(|problem| problem.kind == ProblemKind::Denied)
    }

    pub(super) fn stored(
        description: Option<Arc<str>>,
        problems: Vec<Problem>,
        inspection: Inspection,
        stored: StoredFacts,
    ) -> Self {
        let facts = LazyFacts { facts: OnceLock::new(), stored: Some(stored) };
        Self { description, problems, inspection, facts }
    }

    /// All facts except the description and the problems.
    pub(super) fn facts(&self) -> &Facts {
        let stored = self.facts.stored.as_ref();
        self.facts.facts.get_or_init(|| stored.map_or_else(Facts::default, StoredFacts::decode))
    }

    /// The facts as the cache keeps them.
    pub(super) fn to_store(&self) -> StoredFacts {
        self.facts.stored.clone().unwrap_or_else(|| StoredFacts::of(self.facts()))
    }
}

impl FileData {
    pub(super) fn facts(&self) -> Option<&Facts> {
        self.code.as_ref().map(CodeData::facts)
    }
}

thread_local! {
    /// The parsers' scratch memory, one per thread, reused for every file.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::with_stack(PARSER_STACK));
}

/// Reads files, or takes them from the cache.
pub(super) struct FileReader<'a> {
    pub(super) system: &'a dyn System,
    pub(super) extract: &'a ExtractSettings,
    pub(super) cache: Option<&'a Cache>,
    pub(super) guard: &'a Guard,
    pub(super) registry: LanguageRegistry,
    /// Where packages are outside of the repository.
    pub(super) stores: &'a Stores,
}

impl FileReader<'_> {
    /// Reads the file at `place`. Its name is `path`, from the root or absolute; the name decides the language.
    pub(super) fn read(&self, place: &Path, path: &str) -> io::Result<FileData> {
        // Before reading: a change in between is noticed next time.
        let stat = self.cache.and_then(|_| self.system.stat(place).ok());
        if let (Some(cache), Some(stat)) = (self.cache, &stat)
            && let Some(data) = cache.get(path, stat)
        {
            return Ok(data);
        }
        let times = stat.as_ref().map(Times::of);
        let Some(language) = self.registry.languages.facts_code(path) else {
            let (size, sha256, is_denied) = self.read_data(place, path)?;
            return Ok(FileData { size, sha256, is_denied, code: None, times, is_cached: false });
        };
        let bytes = match self.system.read_real(place, MOST_CODE) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let (size, sha256) = self.system.digest_real(place)?;
                let code = Some(CodeData::read(too_large(), Inspection::default()));
                let is_denied = self.is_denied_by_name(path);
                return Ok(FileData { size, sha256, is_denied, code, times, is_cached: false });
            }
            read => read?,
        };
        let sha256 = sha256(&bytes);
        let known = self.cache.and_then(|cache| cache.code(sha256, language));
        let code = self.code(path, &bytes, known);
        let (size, is_denied) = (bytes.len() as u64, code.is_silenced());
        Ok(FileData { size, sha256, is_denied, code: Some(code), times, is_cached: false })
    }

    /// The size and the digest of a file that is not code, and whether the guard denies it.
    fn read_data(&self, place: &Path, path: &str) -> io::Result<(u64, Sha256Digest, bool)> {
        let name = judged_name(path).filter(|name| !self.guard.allows(name));
        let has_rule = self.is_denied_by_name(path);
        // The rules on names look at the bytes, too.
        let is_opaque = |head: &[u8]| !has_rule && is_picture(head);
        match self.system.read_or_digest(place, MOST_DATA, &is_opaque)? {
            FileContent::Digest { size, sha256 } => Ok((size, sha256, has_rule)),
            FileContent::Bytes(bytes) => {
                let is_denied = name.is_some_and(|name| {
                    if is_picture(&bytes) {
                        portolan_guard::by_name(&name, &bytes).is_some()
                    } else {
                        self.guard.judge(&name, &bytes).is_some()
                    }
                });
                Ok((bytes.len() as u64, sha256(&bytes), is_denied))
            }
        }
    }

    fn is_denied_by_name(&self, path: &str) -> bool {
        let name = judged_name(path).filter(|name| !self.guard.allows(name));
        name.is_some_and(|name| portolan_guard::by_name_alone(&name).is_some())
    }
}

/// Whether the first bytes are those of a picture, an archive or a program: bytes that no text has, in any encoding.
fn is_picture(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(512)).unwrap_or_default();
    head.contains(&0) && head.iter().any(|byte| matches!(byte, 1..=8 | 14..=26))
}

impl FileReader<'_> {
    /// Reads a file outside the universe, at an absolute path. It refuses a link, even if the cache has an entry for it:
    /// the entry may be from a time when the link was in the universe.
    pub(super) fn read_other(&self, path: &str) -> io::Result<FileData> {
        let place = Path::new(path);
        let is_link = || self.system.lstat(place).is_ok_and(|stat| stat.kind == FileKind::Link);
        if self.cache.is_some() && is_link() {
            return FileReader { cache: None, ..*self }.read(place, path);
        }
        self.read(place, path)
    }

    /// The facts of a text, unless the guard denies the file. The guard decides by name too, so the same bytes may be
    /// allowed elsewhere.
    fn code(&self, path: &str, bytes: &[u8], known: Option<CodeData>) -> CodeData {
        let inspection = match &known {
            Some(known) => known.inspection,
            None if self.guard.is_off() => Inspection::default(),
            None => inspect(bytes),
        };
        let denial =
            judged_name(path).and_then(|name| self.guard.judge_inspected(&name, bytes, inspection));
        match (denial, known) {
            (Some(denial), _) => CodeData::denied(denial, inspection),
            (None, Some(known)) if !known.is_silenced() => known,
            (None, _) => CodeData::read(self.extract(path, bytes), inspection),
        }
    }

    /// Parses a text. A parser that panics fails for this file only.
    fn extract(&self, path: &str, bytes: &[u8]) -> Facts {
        let languages = self.registry.languages;
        let extracted = catch_panics(|| {
            SCRATCH.with_borrow_mut(|scratch| languages.extract(path, bytes, self.extract, scratch))
        });
        extracted.unwrap_or_else(|| unread("its parser failed on it, so it is not searched"))
    }
}

/// The name that the guard judges: the path from the root, or the last part of a path outside of it, since the place of
/// an installation says nothing about a file.
pub fn judged_name(path: &str) -> Option<RepoPath> {
    let is_elsewhere = Path::new(path).is_absolute();
    let name = if is_elsewhere { path.rsplit('/').next().unwrap_or(path) } else { path };
    RepoPath::new(name).ok()
}

/// Facts with nothing but the reason why there are none.
fn unread(message: impl Into<String>) -> Facts {
    let problem = Problem { kind: ProblemKind::TooDeep, message: message.into(), position: None };
    Facts { problems: vec![problem], ..Facts::default() }
}

/// The facts of code that is too large.
fn too_large() -> Facts {
    let message = format!("more than {} MiB, so it is not searched for imports", MOST_CODE >> 20);
    unread(message)
}

/// The problems of a file's text as notices.
pub(super) fn notices(name: &str, data: &FileData) -> impl Iterator<Item = Notice> {
    let problems = data.code.as_ref().map(|code| code.problems.as_slice()).unwrap_or_default();
    problems.iter().map(move |problem| {
        let code = match problem.kind {
            ProblemKind::Broken => NoticeCode::SyntaxBroken,
            ProblemKind::TooDeep => NoticeCode::SyntaxTooDeep,
            ProblemKind::Denied => NoticeCode::GuardSilenced,
        };
        let place = match problem.position {
            Some((line, column)) => Place::at(name, line, column),
            None => Place::file(name),
        };
        Notice::at(code, place, redact(&problem.message))
    })
}
