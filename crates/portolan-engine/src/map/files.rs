//! Reading a file once: its size, its digest and, for code, its facts all come from that one read.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use portolan_syntax::{ExtractSettings, Extractor, Facts, ProblemKind, is_code};
use portolan_types::{Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::{System, sha256};

/// What one read of a file gave.
#[derive(Debug)]
pub(super) struct FileData {
    pub(super) size: u64,
    pub(super) sha256: Sha256Digest,
    /// For code only.
    pub(super) facts: Option<Facts>,
}

thread_local! {
    /// The parser's scratch memory, one per thread, used again for every file.
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::new());
}

/// Reads a file; `name` is what it is called in messages, and tells its language.
pub(super) fn read(
    system: &dyn System,
    path: &Path,
    name: &str,
    settings: &ExtractSettings,
) -> io::Result<FileData> {
    let bytes = system.read(path)?;
    let facts = is_code(name)
        .then(|| EXTRACTOR.with_borrow_mut(|extractor| extractor.extract(name, &bytes, settings)));
    Ok(FileData { size: bytes.len() as u64, sha256: sha256(&bytes), facts })
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
