//! Files as declarations: read, judged by the guard, parsed, or taken from the store.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use portolan_guard::{by_name_alone, inspect, Guard};
use portolan_symbols::text::{Lines, Source};
use portolan_languages::{Extractor, Languages};
use portolan_languages::syntax::text;
use portolan_types::declarations::Declarations;
use portolan_types::{RepoPath, Sha256Digest};
use portolan_vfs::{sha256, System};

use super::store::{DeclarationStore, Known};
use crate::map::judged_name;
use crate::catch_panics::catch_panics;
use crate::pool::PARSER_STACK;

/// Code beyond this is not read for declarations.
pub(super) const MOST_CODE: usize = 16 << 20;

thread_local! {
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::with_stack(PARSER_STACK));
}

/// Reads files of code.
pub(super) struct CodeReader<'a> {
    pub(super) system: &'a dyn System,
    pub(super) guard: Guard,
    pub(super) store: &'a DeclarationStore,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) text: String,
    pub(super) lines: Lines,
    pub(super) facts: Arc<Declarations>,
    pub(super) sha256: Sha256Digest,
}

impl Loaded {
    pub(super) fn source(&self) -> Source<'_> {
        Source { text: &self.text, lines: &self.lines, facts: &self.facts }
    }
}

/// What a text declares, read as a file of this path; `None` where its parser fails on it. For threads
/// with room for parsing.
pub(crate) fn parsed(path: &str, text: &str) -> Option<Declarations> {
    catch_panics(|| EXTRACTOR.with_borrow_mut(|extractor| extractor.declarations(path, text)))
}

impl CodeReader<'_> {
    /// What is known of a file with this digest, without a look at the file. What its name alone could
    /// deny is looked at.
    pub(super) fn stored(&self, path: &RepoPath, sha256: &Sha256Digest) -> Option<Known> {
        let language = Languages::default().code(path.as_str())?;
        let is_let = self.guard.lets(path);
        if !is_let && by_name_alone(path).is_some() {
            return None;
        }
        let known = self.store.get(self.system, sha256, language)?;
        let is_denied = !is_let && known.inspection.denial(path).is_some();
        (!is_denied).then_some(known)
    }

    /// Whether something is known of a file with this digest.
    pub(super) fn is_stored(&self, path: &str, sha256: &Sha256Digest) -> bool {
        self.has_mark(path, sha256).is_some()
    }

    /// Whether what marks globals stands in a file with this digest, where that is known.
    pub(super) fn has_mark(&self, path: &str, sha256: &Sha256Digest) -> Option<bool> {
        self.store.has_mark(sha256, Languages::default().code(path)?)
    }

    /// The text of a file of which the declarations are known; `None` where it is not the text that they
    /// are of.
    pub(super) fn text_of(
        &self,
        absolute: &Path,
        digest: &Sha256Digest,
        facts: Arc<Declarations>,
    ) -> Option<Loaded> {
        let bytes = self.bytes(absolute).filter(|bytes| sha256(bytes) == *digest)?;
        let text = text::decode(&bytes).into_owned();
        Some(Loaded { lines: Lines::new(&text), facts, sha256: *digest, text })
    }

    /// A file with its text; `None` for what is no code, cannot be read, or may hold secrets: that
    /// contributes no more than its name.
    pub(super) fn load(&self, path: &str, absolute: &Path) -> Option<Loaded> {
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
            let known = Known { inspection, has_mark, facts: Arc::new(facts) };
            self.store.put(&sha256, language, &known);
            known
        };
        Some(Loaded { lines: Lines::new(&text), facts: known.facts, sha256, text })
    }

    /// A file as text alone; `None` for what is none, cannot be read, or may hold secrets.
    pub(super) fn plain(&self, path: &str, absolute: &Path) -> Option<Loaded> {
        let bytes = self.bytes(absolute)?;
        let is_text = memchr::memchr(0, &bytes).is_none() && std::str::from_utf8(&bytes).is_ok();
        if !is_text || self.guard.judge(&judged_name(path)?, &bytes).is_some() {
            return None;
        }
        let text = text::decode(&bytes).into_owned();
        let facts = Arc::default();
        Some(Loaded { lines: Lines::new(&text), facts, sha256: sha256(&bytes), text })
    }

    /// The rule by which the guard denies a file.
    pub(super) fn denial(&self, path: &str, absolute: &Path) -> Option<&'static str> {
        let name = judged_name(path)?;
        self.guard.judge(&name, &self.bytes(absolute)?).map(|denial| denial.rule)
    }

    /// Whether a name may stand in a file with this digest.
    pub(super) fn may_stand(
        &self,
        digest: &Sha256Digest,
        name: &memmem::Finder<'_>,
        absolute: &Path,
    ) -> bool {
        self.store.may_stand(digest, name, || self.bytes(absolute))
    }

    pub(super) fn bytes(&self, absolute: &Path) -> Option<Vec<u8>> {
        self.system.read_at_most(absolute, MOST_CODE).ok()
    }
}
