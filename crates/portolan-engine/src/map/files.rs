//! Reading a file once: its size, its digest and, for code, its facts all come from that one read.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use portolan_syntax::{ExtractSettings, Extractor, Facts, Problem, ProblemKind, language_code};
use portolan_types::{Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::{Stat, System, sha256};

use super::cache::{Cache, Hit};

/// The stack of the threads that read. Parsing recurses; what is only reserved costs nothing.
pub(super) const STACK_BYTES: usize = 256 << 20;

/// Code beyond this is hashed, but neither held in memory nor parsed.
const MOST_CODE: usize = 64 << 20;

/// What one read of a file gave.
#[derive(Debug)]
pub(super) struct FileData {
    pub(super) size: u64,
    pub(super) sha256: Sha256Digest,
    /// For code only.
    pub(super) facts: Option<Facts>,
    /// What the file system said before it was read; only where there is a cache to remember it.
    pub(super) stat: Option<Stat>,
}

thread_local! {
    /// The parser's scratch memory, one per thread, used again for every file.
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::with_stack(STACK_BYTES));
}

/// Reads files, or finds that they need not be read.
pub(super) struct Reader<'a> {
    pub(super) system: &'a dyn System,
    pub(super) extract: &'a ExtractSettings,
    pub(super) cache: Option<&'a Cache>,
}

impl Reader<'_> {
    /// What there is to know of the file whose bytes are at `place`. It goes by the name `path`, which
    /// is absolute and tells its language.
    pub(super) fn read(&self, place: &Path, path: &str) -> io::Result<FileData> {
        // Asked before reading: what changes in between is seen to have changed next time.
        let stat = self.cache.and_then(|_| self.system.stat(place).ok());
        if let (Some(cache), Some(stat)) = (self.cache, &stat)
            && let Some(Hit { size, sha256, facts }) = cache.get(path, stat)
        {
            return Ok(FileData { size, sha256, facts, stat: Some(*stat) });
        }
        let Some(language) = language_code(path) else {
            let (size, sha256) = self.system.digest(place)?;
            return Ok(FileData { size, sha256, facts: None, stat });
        };
        let bytes = match self.system.read_at_most(place, MOST_CODE) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let (size, sha256) = self.system.digest(place)?;
                return Ok(FileData { size, sha256, facts: Some(too_large()), stat });
            }
            read => read?,
        };
        let sha256 = sha256(&bytes);
        let known = self.cache.and_then(|cache| cache.facts(sha256, language));
        let facts = known.unwrap_or_else(|| {
            EXTRACTOR.with_borrow_mut(|extractor| extractor.extract(path, &bytes, self.extract))
        });
        Ok(FileData { size: bytes.len() as u64, sha256, facts: Some(facts), stat })
    }
}

/// What is known of code that nobody wrote: nothing but that.
fn too_large() -> Facts {
    let message = format!("more than {} MiB, so it is not searched for imports", MOST_CODE >> 20);
    let problem = Problem { kind: ProblemKind::TooDeep, message, position: None };
    Facts { problems: vec![problem], ..Facts::default() }
}

/// The problems of a file's text as notices.
pub(super) fn notices(name: &str, facts: &Facts) -> impl Iterator<Item = Notice> {
    facts.problems.iter().map(move |problem| {
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
