//! The trait that a language implements, and the table of all languages.

use std::any::Any;

use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations,
};
use portolan_types::{Facts, LanguageName, Problem, ProblemKind};
use serde::{Deserialize, Serialize};

use crate::syntax::tagged;
use crate::syntax::text;
use crate::syntax::words::Word;

/// A language: which files are written in it, and how to read them.
///
/// All threads share one value. Memory that a language reuses from file to file is in [`Scratch`].
pub trait Language: Sync {
    /// The name. Ecosystems refer to the language by it.
    fn name(&self) -> &'static str;

    /// The name that languages share if they use each other's declarations.
    fn family(&self) -> &'static str {
        self.name()
    }

    /// How to read the file `path`, if it is in this language: one number per way. Files with the
    /// same number and the same text have the same facts.
    fn claim(&self, path: &str) -> Option<u8>;

    /// The name of the file's language in the graph.
    fn word(&self, _path: &str) -> LanguageName {
        LanguageName::new(self.name())
    }

    /// The facts of a file in this language.
    fn extract(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Facts;

    /// The imports of the beginning of a text that is too large to be parsed. It may end anywhere.
    fn imports(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
        self.extract(source, scratch)
    }

    /// The declarations and references of a file in this language, read on demand from the whole
    /// text. The default is none.
    fn declarations(&self, _source: &SourceText<'_>, _scratch: &mut Scratch) -> Declarations {
        Declarations::default()
    }

    /// Whether it reads imports, so that the map has edges from its files.
    fn reads_imports(&self) -> bool {
        true
    }

    /// Every word of a text that may be a name: outside of comments and strings.
    fn words<'t>(&self, _path: &str, _text: &'t str, _take: &mut dyn FnMut(Word<'t>)) {}

    /// The word that users of the language have for a declaration of this kind: a class may be a
    /// `struct`.
    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        kind.name()
    }

    /// The parts of a text that only tests are built with, in order: for languages with tests beside the code.
    fn inline_tests(&self, _text: &[u8]) -> Vec<(usize, usize)> {
        Vec::new()
    }

    /// The names by which another language of the family uses what has this name here: a property by its getter, or
    /// a getter as a property.
    fn accessors(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// The names that no file declares.
    fn builtins(&self) -> &'static dyn Builtins {
        &NoBuiltins
    }

    /// Whether a glob import of this language includes a name.
    fn glob_includes(&self, _name: &str) -> bool {
        true
    }

    /// Changes whenever the facts of the same text may change. Cached facts are used only while it
    /// is the same. The source of this crate and its parsers are already part of the cache key.
    fn fingerprint(&self) -> &'static str {
        ""
    }
}

/// No built-in names.
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
pub struct SourceText<'s> {
    /// The path of the file: relative to the root, or absolute.
    pub path: &'s str,
    /// The decoded text, without a byte order mark.
    pub text: &'s str,
    /// The extraction settings.
    pub settings: &'s ExtractSettings,
}

/// The settings that affect extraction.
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

/// Memory that a thread reuses from file to file.
#[derive(Default)]
pub struct Scratch {
    /// The stack size of the thread; 0 if unknown.
    pub stack: usize,
    /// Whether to parse every text completely, including parts without facts.
    pub is_whole: bool,
    kept: Vec<Box<dyn Any>>,
}

impl Scratch {
    /// Creates an empty scratch for a thread with a stack of this size.
    pub fn with_stack(stack: usize) -> Self {
        Self { stack, ..Self::default() }
    }

    /// Takes the memory of a language, or creates it. Return it with [`Scratch::keep`]. If reading
    /// panics, the memory is dropped.
    pub fn take<T: Default + 'static>(&mut self) -> Box<T> {
        let known = self.kept.iter().position(|kept| kept.is::<T>());
        let kept = known.and_then(|at| self.kept.swap_remove(at).downcast().ok());
        kept.unwrap_or_default()
    }

    /// Keeps the memory of a language for the next file.
    pub fn keep<T: 'static>(&mut self, memory: Box<T>) {
        self.kept.push(memory);
    }
}

/// How a file is read: the language, and which of its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LanguageCode(u16);

impl LanguageCode {
    fn new(language: usize, way: u8) -> Self {
        Self((language as u16) << 8 | u16::from(way))
    }
}

/// The registered languages.
#[derive(Clone, Copy)]
pub struct Languages {
    written: &'static [&'static dyn Language],
    /// Whether the languages of the table of queries belong to them.
    has_tagged: bool,
}

impl Default for Languages {
    /// All languages of this crate.
    fn default() -> Self {
        const ALL: &[&dyn Language] = &[
            &crate::ecma::syntax::Ecma,
            &crate::python::syntax::Python,
            &crate::python::syntax::notebook::Notebook,
            &crate::rust::syntax::Rust,
            &crate::go::syntax::Go,
            &crate::java::syntax::Java,
        ];
        Self { written: ALL, has_tagged: true }
    }
}

/// The extensions of code in languages that are not read.
const OTHER_ENDINGS: &[&str] = &["m", "mm"];

/// A larger text is generated or hostile. Trees and tokens take many times its size.
const MOST_PARSED: usize = 5 << 20;

/// The beginning of a text that is too large to be parsed, up to a line end if there is one.
fn head_of(text: &str) -> Option<&str> {
    let bytes = text.as_bytes().get(..MOST_PARSED).filter(|_| text.len() > MOST_PARSED)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(MOST_PARSED, |end| end + 1);
    text.get(..text.floor_char_boundary(end))
}

impl Languages {
    /// Creates a table. If two languages claim a file, the first one reads it.
    pub const fn new(languages: &'static [&'static dyn Language]) -> Self {
        Self { written: languages, has_tagged: false }
    }

    /// Iterates over the languages.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn Language> {
        let tagged = if self.has_tagged { tagged::all() } else { &[] };
        let tagged = tagged.iter().map(|language| language as &dyn Language);
        self.written.iter().copied().chain(tagged)
    }

    /// The language of a file, its index, and how to read the file.
    fn claim(self, path: &str) -> Option<(usize, &'static dyn Language, u8)> {
        let mut numbered = self.written.iter().enumerate();
        let written = numbered
            .find_map(|(number, language)| Some((number, *language, language.claim(path)?)));
        written.or_else(|| {
            let (number, language) = tagged::of(path).filter(|_| self.has_tagged)?;
            Some((self.written.len() + number, language as &dyn Language, 0))
        })
    }

    /// The language of a file.
    pub fn of(self, path: &str) -> Option<&'static dyn Language> {
        self.claim(path).map(|(_, language, _)| language)
    }

    /// The word of the file's language for a kind of declaration.
    pub fn kind_word(self, path: &str, kind: DeclarationKind) -> &'static str {
        self.of(path).map_or_else(|| kind.name(), |language| language.kind_word(kind))
    }

    /// The parts of a file that only tests are built with, in bytes and in order.
    pub fn inline_tests(self, path: &str, text: &[u8]) -> Vec<(usize, usize)> {
        self.of(path).map(|language| language.inline_tests(text)).unwrap_or_default()
    }

    /// Whether people use this name for the language of a file.
    pub fn is_called(self, path: &str, name: &str) -> bool {
        const NAMES: [(&str, &[&str]); 7] = [
            ("ts", &["typescript", "tsx", "mts", "cts"]),
            ("js", &["javascript", "jsx", "mjs", "cjs"]),
            ("python", &["py", "pyi"]),
            ("notebook", &["ipynb", "jupyter"]),
            ("rust", &["rs"]),
            ("go", &["golang"]),
            ("md", &["markdown", "mdx"]),
        ];
        let language = self.of(path).map_or("", |language| language.name());
        let word = self.word(path);
        let is_of = |known: &str| known == word.as_str() || known == language;
        let is_tagged = || tagged::of(path).is_some_and(|(_, it)| it.is_called(name));
        name == language
            || name == word.as_str()
            || NAMES.iter().any(|(known, names)| is_of(known) && names.contains(&name))
            || self.has_tagged && is_tagged()
    }

    /// Whether a file is code of which the imports are read.
    pub fn is_code(self, path: &str) -> bool {
        self.claim(path).is_some_and(|(_, language, _)| language.reads_imports())
    }

    /// Whether the declarations of a file are read.
    pub fn has_declarations(self, path: &str) -> bool {
        self.claim(path).is_some()
    }

    /// Whether a file is code in any language, including ones that are not read.
    pub fn is_program(self, path: &str) -> bool {
        if let Some((_, language)) = tagged::of(path).filter(|_| self.has_tagged) {
            return language.is_program();
        }
        let lower = path.to_ascii_lowercase();
        let is_other = || extension_of(&lower).is_some_and(|it| OTHER_ENDINGS.contains(&it));
        self.is_code(path) || self.is_code(&lower) || is_other()
    }

    /// How to read a file; `None` if nothing of it is read.
    pub fn code(self, path: &str) -> Option<LanguageCode> {
        self.claim(path).map(|(number, _, way)| LanguageCode::new(number, way))
    }

    /// How to read the facts of a file; `None` if it is not code.
    pub fn facts_code(self, path: &str) -> Option<LanguageCode> {
        let (number, language, way) = self.claim(path)?;
        language.reads_imports().then(|| LanguageCode::new(number, way))
    }

    /// The name of the language of any file.
    pub fn word(self, path: &str) -> LanguageName {
        match self.of(path) {
            Some(language) => language.word(path),
            None => plain_word(path),
        }
    }

    /// The facts of the file `path` with these bytes. A file that is not code has no facts.
    pub fn extract(
        self,
        path: &str,
        bytes: &[u8],
        settings: &ExtractSettings,
        scratch: &mut Scratch,
    ) -> Facts {
        let Some(language) = self.of(path).filter(|language| language.reads_imports()) else {
            return Facts::default();
        };
        let text = text::decode(bytes);
        let Some(head) = head_of(&text) else {
            return language.extract(&SourceText { path, text: &text, settings }, scratch);
        };
        let mut facts = language.imports(&SourceText { path, text: head, settings }, scratch);
        let message = format!(
            "more than {0} MiB: only its first {0} MiB are searched, for imports",
            MOST_PARSED >> 20
        );
        facts.problems = vec![Problem { kind: ProblemKind::TooDeep, message, position: None }];
        facts
    }

    /// The declarations and references of the file `path`. `text` is decoded.
    pub fn declarations(
        self,
        path: &str,
        text: &str,
        settings: &ExtractSettings,
        scratch: &mut Scratch,
    ) -> Declarations {
        let Some(language) = self.of(path).filter(|_| head_of(text).is_none()) else {
            return Declarations::default();
        };
        language.declarations(&SourceText { path, text, settings }, scratch)
    }

    /// Every word of a file that may be a name: outside of comments and strings. `text` is decoded.
    pub fn words<'t>(self, path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        if let Some(language) = self.of(path) {
            language.words(path, text, take);
        }
    }

    /// The names by which files of other languages use what has this name in a file.
    pub fn accessors(self, path: &str, name: &str) -> Vec<String> {
        self.of(path).map(|language| language.accessors(name)).unwrap_or_default()
    }

    /// The knowledge of a file's language about names that no file declares.
    pub fn builtins(self, path: &str) -> &'static dyn Builtins {
        self.of(path).map_or(&NoBuiltins, |language| language.builtins())
    }

    /// Changes whenever the facts of the same text may change.
    pub fn fingerprint(self) -> String {
        let each = self.iter().map(|language| [language.name(), language.fingerprint()].join(" "));
        each.collect::<Vec<_>>().join("\n")
    }
}

/// The name of a format without facts.
pub(crate) fn plain_word(path: &str) -> LanguageName {
    const FORMATS: [(&str, LanguageName); 2] =
        [("json", LanguageName::new("json")), ("md", LanguageName::new("md"))];
    let extension = extension_of(path).unwrap_or_default();
    let found = FORMATS.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
    found.map_or(LanguageName::OTHER, |(_, word)| word)
}

/// The text after the last dot of a file name.
pub(crate) fn extension_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::{Languages, OTHER_ENDINGS, Scratch};

    #[test]
    fn program_files_include_unsupported_languages() {
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
    fn language_name_depends_on_the_last_extension_in_any_case() {
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
    fn scratch_memory_is_separate_by_type() {
        let mut scratch = Scratch::default();
        scratch.keep(Box::new("a".to_owned()));
        scratch.keep(Box::new(1));
        assert_eq!(*scratch.take::<String>(), "a");
        assert_eq!(*scratch.take::<String>(), "", "taken and not given back");
        assert_eq!(*scratch.take::<i32>(), 1);
    }
}
