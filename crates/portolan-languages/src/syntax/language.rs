//! What a language has to tell, and the table of languages.

use std::any::Any;

use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations,
};
use portolan_types::{Facts, LanguageName};
use serde::{Deserialize, Serialize};

use crate::syntax::text;

/// A language: which files are written in it, and what stands in them.
///
/// One value serves all threads. What it needs to remember between files of a thread (scratch memory)
/// it keeps in [`Scratch`].
pub trait Language: Sync {
    /// Its own name, which tells it apart from others and which an ecosystem names it by.
    fn name(&self) -> &'static str;

    /// How the file `path` is to be read, if it is one of its own: a number for each way. Files with
    /// the same number and the same text have the same facts.
    fn claim(&self, path: &str) -> Option<u8>;

    /// The word for the language of a file that it claims, as the graph has it.
    fn word(&self, _path: &str) -> LanguageName {
        LanguageName::new(self.name())
    }

    /// What is known of a file that it claims.
    fn extract(&self, source: &Source<'_>, scratch: &mut Scratch) -> Facts;

    /// What a file that it claims declares, and what its code refers to: from the whole text, on
    /// demand. A language that does not tell has none.
    fn declarations(&self, _source: &Source<'_>, _scratch: &mut Scratch) -> Declarations {
        Declarations::default()
    }

    /// What it calls a declaration of this kind, as its users do: a class may be a `struct`.
    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        kind.name()
    }

    /// What it knows of names that no file declares.
    fn builtins(&self) -> &'static dyn Builtins {
        &NoBuiltins
    }

    /// Whether a star import of this language brings a name at all.
    fn star_brings(&self, _name: &str) -> bool {
        true
    }

    /// Changes whenever facts of the same text may: kept facts are used only while it is the same. The
    /// sources of this crate and its parsers are accounted for already.
    fn fingerprint(&self) -> &'static str {
        ""
    }
}

/// A language that knows of nothing but what files declare.
struct NoBuiltins;

impl Builtins for NoBuiltins {
    fn named(&self, _name: &str) -> Builtin {
        Builtin::Unknown
    }

    fn method(&self, _name: &str) -> (BuiltinMethod, u32) {
        (BuiltinMethod::Unknown, 0)
    }

    fn called(&self, _name: &str) -> Builtin {
        Builtin::Unknown
    }
}

/// A text to read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The name of its file: from the root, or absolute.
    pub path: &'s str,
    /// The text, decoded, without a byte order mark.
    pub text: &'s str,
    /// What else decides what is read.
    pub settings: &'s ExtractSettings,
}

/// What extraction depends on beside the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractSettings {
    /// The longest description in UTF-16 units; 0 for none.
    pub description_limit: usize,
    /// The doc tags that mark a module description, in order of preference; never empty.
    pub description_tags: Vec<String>,
}

impl Default for ExtractSettings {
    fn default() -> Self {
        Self {
            description_limit: 160,
            description_tags: vec!["@module".into(), "@packageDocumentation".into()],
        }
    }
}

/// What a thread keeps from one file to the next.
#[derive(Default)]
pub struct Scratch {
    /// The stack that the thread has; 0 for one that says nothing.
    pub stack: usize,
    /// Whether every text is to be parsed from end to end, also what holds no fact.
    pub is_whole: bool,
    kept: Vec<Box<dyn Any>>,
}

impl Scratch {
    /// Nothing yet, on a thread with a stack of this size.
    pub fn with_stack(stack: usize) -> Self {
        Self { stack, ..Self::default() }
    }

    /// The memory of a language on this thread, new when first asked for. Whoever takes it gives it
    /// back with [`Scratch::keep`]; what a reading that ended badly left is lost with it.
    pub fn take<T: Default + 'static>(&mut self) -> Box<T> {
        let known = self.kept.iter().position(|kept| kept.is::<T>());
        let kept = known.and_then(|at| self.kept.swap_remove(at).downcast().ok());
        kept.unwrap_or_default()
    }

    /// Keeps the memory of a language for its next file.
    pub fn keep<T: 'static>(&mut self, memory: Box<T>) {
        self.kept.push(memory);
    }
}

/// A way to read a file: which language, and which of its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LanguageCode(u16);

/// The languages that are read.
#[derive(Clone, Copy)]
pub struct Languages(&'static [&'static dyn Language]);

impl Default for Languages {
    /// Every language of this crate.
    fn default() -> Self {
        const ALL: &[&dyn Language] = &[
            &crate::ecma::syntax::Ecma,
            &crate::python::syntax::Python,
            &crate::rust::syntax::Rust,
            &crate::go::syntax::Go,
            &crate::java::syntax::Java,
            &crate::kotlin::syntax::Kotlin,
        ];
        Self(ALL)
    }
}

/// The endings of code that no language here claims.
const OTHER_ENDINGS: &[&str] = &[
    "swift", "scala", "rb", "php", "cs", "c", "h", "cc", "cpp", "hpp", "m", "mm", "sh", "sql",
    "graphql", "proto",
];

impl Languages {
    /// These languages; where two claim a file, the first has it.
    pub const fn new(languages: &'static [&'static dyn Language]) -> Self {
        Self(languages)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn Language> {
        self.0.iter().copied()
    }

    /// The language of a file, its number in the table, and the way it is to be read.
    fn claim(self, path: &str) -> Option<(usize, &'static dyn Language, u8)> {
        let mut numbered = self.0.iter().enumerate();
        numbered.find_map(|(number, language)| Some((number, *language, language.claim(path)?)))
    }

    /// The language of a file.
    pub fn of(self, path: &str) -> Option<&'static dyn Language> {
        self.claim(path).map(|(_, language, _)| language)
    }

    /// What the language of a file calls a declaration of this kind.
    pub fn kind_word(self, path: &str, kind: DeclarationKind) -> &'static str {
        self.of(path).map_or_else(|| kind.name(), |language| language.kind_word(kind))
    }

    /// Whether people call the language of a file so.
    pub fn is_called(self, path: &str, name: &str) -> bool {
        const NAMES: [(&str, &[&str]); 6] = [
            ("ts", &["typescript", "tsx", "mts", "cts"]),
            ("js", &["javascript", "jsx", "mjs", "cjs"]),
            ("python", &["py", "pyi"]),
            ("rust", &["rs"]),
            ("go", &["golang"]),
            ("md", &["markdown", "mdx"]),
        ];
        let language = self.of(path).map_or("", |language| language.name());
        let word = self.word(path);
        let is_of = |known: &str| known == word.as_str() || known == language;
        name == language
            || name == word.as_str()
            || NAMES.iter().any(|(known, names)| is_of(known) && names.contains(&name))
    }

    /// Whether a file is code in one of the languages.
    pub fn is_code(self, path: &str) -> bool {
        self.claim(path).is_some()
    }

    /// Whether a file is code in any language, also in one that is not among these.
    pub fn is_program(self, path: &str) -> bool {
        let lower = path.to_ascii_lowercase();
        let is_other = || extension_of(&lower).is_some_and(|it| OTHER_ENDINGS.contains(&it));
        self.is_code(path) || self.is_code(&lower) || is_other()
    }

    /// The way a file is to be read; `None` for what is no code.
    pub fn code(self, path: &str) -> Option<LanguageCode> {
        let (number, _, way) = self.claim(path)?;
        Some(LanguageCode((number as u16) << 8 | u16::from(way)))
    }

    /// The word for the language of any file.
    pub fn word(self, path: &str) -> LanguageName {
        match self.of(path) {
            Some(language) => language.word(path),
            None => plain_word(path),
        }
    }

    /// What is known of the file `path` with these bytes. A file that is no code has no facts.
    pub fn extract(
        self,
        path: &str,
        bytes: &[u8],
        settings: &ExtractSettings,
        scratch: &mut Scratch,
    ) -> Facts {
        let Some(language) = self.of(path) else { return Facts::default() };
        let text = text::decode(bytes);
        language.extract(&Source { path, text: &text, settings }, scratch)
    }

    /// What the file `path` declares, and what its code refers to. `text` is decoded.
    pub fn declarations(
        self,
        path: &str,
        text: &str,
        settings: &ExtractSettings,
        scratch: &mut Scratch,
    ) -> Declarations {
        let Some(language) = self.of(path) else { return Declarations::default() };
        language.declarations(&Source { path, text, settings }, scratch)
    }

    /// What the language of a file knows of names that no file declares.
    pub fn builtins(self, path: &str) -> &'static dyn Builtins {
        self.of(path).map_or(&NoBuiltins, |language| language.builtins())
    }

    /// Changes whenever facts of the same text may.
    pub fn fingerprint(self) -> String {
        let each =
            self.0.iter().map(|language| [language.name(), language.fingerprint()].join(" "));
        each.collect::<Vec<_>>().join("\n")
    }
}

/// The word for a format that is told apart but holds no facts.
fn plain_word(path: &str) -> LanguageName {
    const FORMATS: [(&str, LanguageName); 2] =
        [("json", LanguageName::new("json")), ("md", LanguageName::new("md"))];
    let extension = extension_of(path).unwrap_or_default();
    let found = FORMATS.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
    found.map_or(LanguageName::OTHER, |(_, word)| word)
}

/// What follows the last dot of a file's name.
pub(crate) fn extension_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::{Languages, OTHER_ENDINGS, Scratch};

    #[test]
    fn code_is_what_a_language_claims_and_what_none_reads() {
        let languages = Languages::default();
        for path in ["a.pyi", "x/build.gradle.kts", "a.TS", "a.vue", "a.swift", "b.SQL"] {
            assert!(languages.is_program(path), "{path}");
        }
        assert!(!languages.is_program("a.json") && !languages.is_program("x.c/README"));
        for ending in OTHER_ENDINGS {
            assert!(!languages.is_code(&format!("a.{ending}")), "{ending} is claimed");
        }
    }

    #[test]
    fn the_word_is_told_from_the_last_extension_in_any_case() {
        let cases = [
            ("src/a.ts", "ts"),
            ("a.d.mts", "ts"),
            ("Bar.TSX", "ts"),
            ("a.cjs", "js"),
            ("a.json", "json"),
            ("README.md", "md"),
            ("ts", "other"),
            ("a.ts/b", "other"),
            ("App.vue", "other"),
        ];
        for (path, word) in cases {
            assert_eq!(Languages::default().word(path).as_str(), word, "{path}");
        }
    }

    #[test]
    fn each_language_has_memory_of_its_own() {
        let mut scratch = Scratch::default();
        scratch.keep(Box::new("a".to_owned()));
        scratch.keep(Box::new(1));
        assert_eq!(*scratch.take::<String>(), "a");
        assert_eq!(*scratch.take::<String>(), "", "taken and not given back");
        assert_eq!(*scratch.take::<i32>(), 1);
    }
}
