//! The way of a file through this crate: claimed, decoded, and read by its language.

use portolan_types::declarations::Declarations;

use crate::Facts;
use crate::syntax::language::{ExtractSettings, Languages, Scratch};

/// Reads files one after the other; keeps its scratch memory between them.
#[derive(Default)]
pub struct Extractor {
    languages: Languages,
    scratch: Scratch,
}

impl Extractor {
    /// An extractor without memory of its own yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An extractor for threads with a stack of this size. Parsing recurses: the more room there is,
    /// the less has to be known of a text before it is parsed.
    pub fn with_stack(stack: usize) -> Self {
        Self { scratch: Scratch::with_stack(stack), ..Self::default() }
    }

    /// Reads these languages instead of all that there are.
    #[must_use]
    pub fn with_languages(mut self, languages: Languages) -> Self {
        self.languages = languages;
        self
    }

    /// Parses every text from end to end, also what holds no fact: slower, but finds every error.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.scratch.is_whole = true;
        self
    }

    /// What is known of the file `path` with these bytes. A file that is no code has no facts.
    pub fn extract(&mut self, path: &str, bytes: &[u8], settings: &ExtractSettings) -> Facts {
        self.languages.extract(path, bytes, settings, &mut self.scratch)
    }

    /// What the file `path` with this decoded text declares, and what its code refers to.
    pub fn declarations(&mut self, path: &str, text: &str) -> Declarations {
        let settings = ExtractSettings::default();
        self.languages.declarations(path, text, &settings, &mut self.scratch)
    }
}
