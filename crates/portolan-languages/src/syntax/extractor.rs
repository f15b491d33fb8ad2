//! Extracts facts from files: detects the language, decodes the text and reads it.

use portolan_types::declarations::Declarations;

use crate::Facts;
use crate::syntax::language::{ExtractSettings, Languages, Scratch};

/// Reads one file after the other and reuses its scratch memory.
#[derive(Default)]
pub struct Extractor {
    languages: Languages,
    scratch: Scratch,
}

impl Extractor {
    /// Creates an extractor for all languages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an extractor for threads with a stack of this size. Parsing recurses: with more
    /// stack, less of a text has to be measured before it is parsed.
    pub fn with_stack(stack: usize) -> Self {
        Self { scratch: Scratch::with_stack(stack), ..Self::default() }
    }

    /// Parses every text completely, including parts without facts: slower, but it finds every
    /// error.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.scratch.is_whole = true;
        self
    }

    /// The facts of the file `path` with these bytes. A file that is not code has no facts.
    pub fn extract(&mut self, path: &str, bytes: &[u8], settings: &ExtractSettings) -> Facts {
        self.languages.extract(path, bytes, settings, &mut self.scratch)
    }

    /// The declarations and references of the file `path` with this decoded text.
    pub fn declarations(&mut self, path: &str, text: &str) -> Declarations {
        let settings = ExtractSettings::default();
        self.languages.declarations(path, text, &settings, &mut self.scratch)
    }
}
