//! Reading a file once: its size, its digest and, for code, its facts all come from that one read.

use std::cell::RefCell;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use portolan_syntax::{ExtractSettings, Facts, Problem, ProblemKind, Scratch};
use portolan_types::{Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::{System, sha256};

use super::Door;
use super::cache::{Cache, StoredFacts, Times};
use crate::threads::PARSER_STACK;

/// Code beyond this is hashed, but neither held in memory nor parsed.
const MOST_CODE: usize = 64 << 20;

/// What one read of a file gave.
#[derive(Debug)]
pub(super) struct FileData {
    pub(super) size: u64,
    pub(super) sha256: Sha256Digest,
    /// For code only.
    pub(super) code: Option<CodeData>,
    /// What the file system said before it was read; only where there is a cache to remember it.
    pub(super) times: Option<Times>,
    /// Whether all of this is from the cache, as it stands there.
    pub(super) is_cached: bool,
}

/// What one read of a file of code gave.
#[derive(Debug)]
pub(super) struct CodeData {
    /// One line on what it is for.
    pub(super) description: Option<Arc<str>>,
    /// What could not be read as it should.
    pub(super) problems: Vec<Problem>,
    facts: LazyFacts,
}

/// Facts, without the description and the problems; decoded when first asked for.
#[derive(Debug)]
struct LazyFacts {
    facts: OnceLock<Facts>,
    stored: Option<StoredFacts>,
}

impl CodeData {
    fn read(mut facts: Facts) -> Self {
        let description = facts.description.take().map(Arc::from);
        let problems = std::mem::take(&mut facts.problems);
        let facts = LazyFacts { facts: OnceLock::from(facts), stored: None };
        Self { description, problems, facts }
    }

    pub(super) fn stored(
        description: Option<Arc<str>>,
        problems: Vec<Problem>,
        stored: StoredFacts,
    ) -> Self {
        let facts = LazyFacts { facts: OnceLock::new(), stored: Some(stored) };
        Self { description, problems, facts }
    }

    /// What links the file to others: all facts but the description and the problems.
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
    /// The parsers' scratch memory, one per thread, used again for every file.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::with_stack(PARSER_STACK));
}

/// Reads files, or finds that they need not be read.
pub(super) struct Reader<'a> {
    pub(super) system: &'a dyn System,
    pub(super) extract: &'a ExtractSettings,
    pub(super) cache: Option<&'a Cache>,
    pub(super) door: Door,
}

impl Reader<'_> {
    /// What there is to know of the file whose bytes are at `place`. It goes by the name `path`: from
    /// the root, or absolute; it tells the language.
    pub(super) fn read(&self, place: &Path, path: &str) -> io::Result<FileData> {
        // Asked before reading: what changes in between is seen to have changed next time.
        let stat = self.cache.and_then(|_| self.system.stat(place).ok());
        if let (Some(cache), Some(stat)) = (self.cache, &stat)
            && let Some(data) = cache.get(path, stat)
        {
            return Ok(data);
        }
        let times = stat.as_ref().map(Times::of);
        let Some(language) = self.door.languages.code(path) else {
            let (size, sha256) = self.system.digest(place)?;
            return Ok(FileData { size, sha256, code: None, times, is_cached: false });
        };
        let bytes = match self.system.read_at_most(place, MOST_CODE) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let (size, sha256) = self.system.digest(place)?;
                let code = Some(CodeData::read(too_large()));
                return Ok(FileData { size, sha256, code, times, is_cached: false });
            }
            read => read?,
        };
        let sha256 = sha256(&bytes);
        let known = self.cache.and_then(|cache| cache.code(sha256, language));
        let code = known.unwrap_or_else(|| CodeData::read(self.extract(path, &bytes)));
        let size = bytes.len() as u64;
        Ok(FileData { size, sha256, code: Some(code), times, is_cached: false })
    }
}

impl Reader<'_> {
    /// The facts of a text. A parser that fails on it fails for it alone.
    fn extract(&self, path: &str, bytes: &[u8]) -> Facts {
        let languages = self.door.languages;
        let extracted = panic::catch_unwind(AssertUnwindSafe(|| {
            SCRATCH.with_borrow_mut(|scratch| languages.extract(path, bytes, self.extract, scratch))
        }));
        extracted.unwrap_or_else(|_| unread("its parser failed on it, so it is not searched"))
    }
}

/// Facts that say only why there are none.
fn unread(message: impl Into<String>) -> Facts {
    let problem = Problem { kind: ProblemKind::TooDeep, message: message.into(), position: None };
    Facts { problems: vec![problem], ..Facts::default() }
}

/// What is known of code that nobody wrote: nothing but that.
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
        };
        let place = match problem.position {
            Some((line, column)) => Place::at(name, line, column),
            None => Place::file(name),
        };
        Notice::at(code, place, problem.message.clone())
    })
}
