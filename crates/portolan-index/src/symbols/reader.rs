//! Reads the declarations of files: checked by the guard, and parsed or taken from the store.

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use memchr::memmem;
use portolan_guard::{Guard, by_name_alone, inspect};
use portolan_languages::syntax::text;
use portolan_languages::{Extractor, Languages};
use portolan_symbols::resolver::Enclosures;
use portolan_symbols::text::{LineStarts as Lines, SourceText as Source};
use portolan_types::declarations::Declarations;
use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{System, sha256};

use super::store::{DeclarationStore, KnownText};
use crate::catch_panics::catch_panics;
use crate::map::judged_name;
use crate::pool::PARSER_STACK;

/// Larger code is not parsed for declarations.
pub(super) const MOST_CODE: usize = 16 << 20;

thread_local! {
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::with_stack(PARSER_STACK));
}

/// Reads files of code.
pub struct CodeReader<'a> {
    /// The disk.
    pub system: &'a dyn System,
    /// Decides which files may be shown.
    pub guard: Guard,
    /// Known declarations.
    pub store: &'a DeclarationStore,
}

/// A file with its declarations.
#[derive(Debug)]
pub struct Loaded {
    /// The text.
    pub text: String,
    /// Where its lines start.
    pub lines: Lines,
    /// What it declares.
    pub facts: Arc<Declarations>,
    /// The digest of its bytes.
    pub sha256: Sha256Digest,
    enclosures: OnceLock<Enclosures>,
}

impl Loaded {
    /// The top-level declaration around a place, and the member in it that contains the place.
    pub fn enclosing(&self, at: u32) -> Option<(u32, Option<u32>)> {
        self.enclosures.get_or_init(|| Enclosures::new(&self.facts)).at(at)
    }

    /// The text with its declarations, for slices.
    pub fn source(&self) -> Source<'_> {
        Source { text: &self.text, lines: &self.lines, facts: &self.facts }
    }
}

/// The declarations of a text, parsed as a file with this path; `None` if the parser fails. It needs a thread with a
/// large stack.
pub fn parsed(path: &str, text: &str) -> Option<Declarations> {
    catch_panics(|| EXTRACTOR.with_borrow_mut(|extractor| extractor.declarations(path, text)))
}

impl CodeReader<'_> {
    /// The known declarations of a file with this digest, without reading it. A file that the guard may deny by its name
    /// is read.
    pub fn stored(&self, path: &RepoPath, sha256: &Sha256Digest) -> Option<KnownText> {
        let language = Languages::default().code(path.as_str())?;
        let is_let = self.guard.allows(path);
        if !is_let && by_name_alone(path).is_some() {
            return None;
        }
        let known = self.store.get(self.system, sha256, language)?;
        let is_denied = !is_let && known.inspection.denial(path).is_some();
        (!is_denied).then_some(known)
    }

    /// Whether the declarations of a file with this digest are known.
    pub fn is_stored(&self, path: &str, sha256: &Sha256Digest) -> bool {
        self.has_mark(path, sha256).is_some()
    }

    /// Whether a file with this digest contains a mark of globals, if that is known.
    pub fn has_mark(&self, path: &str, sha256: &Sha256Digest) -> Option<bool> {
        self.store.has_mark(sha256, Languages::default().code(path)?)
    }

    /// The text of a file with known declarations; `None` if the text has changed.
    pub fn text_of(
        &self,
        absolute: &Path,
        digest: &Sha256Digest,
        facts: Arc<Declarations>,
    ) -> Option<Loaded> {
        let bytes = self.bytes(absolute).filter(|bytes| sha256(bytes) == *digest)?;
        let text = text::decode(&bytes).into_owned();
        Some(Loaded {
            lines: Lines::new(&text),
            facts,
            sha256: *digest,
            text,
            enclosures: OnceLock::new(),
        })
    }

    /// A file with its text; `None` if it is not code, cannot be read, or may hold secrets: then only its name is shown.
    pub fn load(&self, path: &str, absolute: &Path) -> Option<Loaded> {
        let language = Languages::default().code(path)?;
        let bytes = self.bytes(absolute)?;
        let sha256 = sha256(&bytes);
        let stored = self.store.get(self.system, &sha256, language);
        let inspection = stored.as_ref().map_or_else(|| inspect(&bytes), |known| known.inspection);
        let name = judged_name(path)?;
        if self.guard.judge_inspected(&name, &bytes, inspection).is_some() {
            return None;
        }
        let text = text::decode(&bytes).into_owned();
        let known = if let Some(known) = stored {
            known
        } else {
            let facts = parsed(path, &text)?;
            let mark = Languages::default().builtins(path).ambient_mark();
            let has_mark = mark.is_some_and(|mark| memmem::find(&bytes, mark.as_bytes()).is_some());
            let known = KnownText { inspection, has_mark, facts: Arc::new(facts) };
            self.store.put(&sha256, language, &known);
            known
        };
        Some(Loaded {
            lines: Lines::new(&text),
            facts: known.facts,
            sha256,
            text,
            enclosures: OnceLock::new(),
        })
    }

    /// The text of a file; `None` if it is not text, cannot be read, or may hold secrets.
    pub fn plain(&self, path: &str, absolute: &Path) -> Option<Loaded> {
        let bytes = self.bytes(absolute)?;
        let is_text = memchr::memchr(0, &bytes).is_none() && std::str::from_utf8(&bytes).is_ok();
        if !is_text || self.guard.judge(&judged_name(path)?, &bytes).is_some() {
            return None;
        }
        let text = text::decode(&bytes).into_owned();
        let facts = Arc::default();
        Some(Loaded {
            lines: Lines::new(&text),
            facts,
            sha256: sha256(&bytes),
            text,
            enclosures: OnceLock::new(),
        })
    }

    /// The rule by which the guard denies a file.
    pub fn denial(&self, path: &str, absolute: &Path) -> Option<&'static str> {
        let name = judged_name(path)?;
        self.guard.judge(&name, &self.bytes(absolute)?).map(|denial| denial.rule)
    }

    /// Whether a file with this digest may contain a name.
    pub fn may_stand(
        &self,
        digest: &Sha256Digest,
        name: &memmem::Finder<'_>,
        absolute: &Path,
    ) -> bool {
        self.store.may_stand(digest, name, || self.bytes(absolute))
    }

    /// The bytes of a file that contains one of some names.
    pub fn bytes_with(
        &self,
        digest: &Sha256Digest,
        names: &[memmem::Finder<'_>],
        absolute: &Path,
    ) -> Option<Vec<u8>> {
        let is_known = |name: &memmem::Finder<'_>| self.store.is_known_to_lack(digest, name);
        if names.iter().all(is_known) {
            return None;
        }
        let bytes = self.bytes(absolute)?;
        let stands = |name: &memmem::Finder<'_>| name.find(&bytes).is_some();
        names.iter().any(stands).then_some(bytes)
    }

    /// The bytes of a file, if it is small enough to be parsed.
    pub fn bytes(&self, absolute: &Path) -> Option<Vec<u8>> {
        self.system.read_at_most(absolute, MOST_CODE).ok()
    }
}
