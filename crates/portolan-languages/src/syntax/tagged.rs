//! Languages that a grammar and a query describe: their declarations are data, not code.
//!
//! A row of [`table`] names the files, the grammar and the query of a language. [`tags`] runs the
//! query over the syntax tree of a text and turns its matches into declarations. Grammars and
//! queries are loaded when the first file of their language is read. Uses are known by name only.

pub(crate) mod declarators;
mod table;
mod tags;

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use portolan_types::LanguageName;
use portolan_types::declarations::{
    Builtin, BuiltinMethod, Builtins, DeclarationKind, Declarations,
};
use rustc_hash::FxHashMap;
use tree_sitter::Tree;
use tree_sitter_language::LanguageFn;

use self::tags::Tags;
use crate::syntax::grammar;
use crate::syntax::language::plain_word;
use crate::syntax::lexical::Marks;
use crate::syntax::words::{self, Word};
use crate::{Facts, Language, Scratch, SourceText};

/// What the files of a language are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Programs.
    Code,
    /// Texts for people, settings and data.
    Other,
}

/// Adds the references of a syntax tree to the declarations of its text.
pub(crate) type AddReferences = fn(&Tree, &str, &mut Declarations);

/// Calls back with the words of a text.
pub(crate) type FindWords = for<'t> fn(&'t str, &mut dyn FnMut(Word<'t>));

/// A row of the table: everything that is special about a language.
#[derive(Clone, Copy)]
pub(crate) struct TaggedRow {
    /// The name, which is also the name of its folder.
    pub(crate) name: &'static str,
    /// Other names that people use for it.
    pub(crate) aliases: &'static [&'static str],
    /// The extensions of its files, in lower case.
    pub(crate) extensions: &'static [&'static str],
    /// Whole names of files.
    pub(crate) file_names: &'static [&'static str],
    pub(crate) content: Content,
    /// The delimiters of comments and strings.
    pub(crate) marks: Marks,
    /// The words of the language for kinds of declarations, where they differ from ours.
    pub(crate) kind_words: &'static [(DeclarationKind, &'static str)],
    pub(crate) grammar: LanguageFn,
    /// The query, in the language of tree-sitter.
    pub(crate) query: &'static str,
    /// The row that reads a text instead of this one, by its name.
    pub(crate) dialect: fn(&str) -> Option<&'static str>,
    /// Blanks what the grammar does not know. Every other byte stays where it is.
    pub(crate) prepare: fn(&str) -> Cow<'_, str>,
    /// The language whose declarations it shares; empty for its own.
    pub(crate) family: &'static str,
    /// The names by which another language of the family uses a name.
    pub(crate) accessors: fn(&str) -> Vec<String>,
    /// Adds references, where a name of a function means one thing in all files; otherwise uses are known
    /// by name only.
    pub(crate) references: Option<AddReferences>,
    /// Finds the words that may be names, where the tree does not show all of them.
    pub(crate) words: Option<FindWords>,
    /// Reads the imports of a text, if an ecosystem resolves them.
    pub(crate) facts: Option<fn(&SourceText<'_>, &mut Scratch) -> Facts>,
    /// What variables begin with, in a language where members are asked for by an arrow or two colons.
    pub(crate) variables: Option<char>,
}

/// A language of the table.
pub(crate) struct TaggedLanguage {
    row: TaggedRow,
    /// `None` inside if the grammar does not fit the parser, or the query the grammar.
    tags: OnceLock<Option<Tags>>,
}

static ALL: LazyLock<Vec<TaggedLanguage>> = LazyLock::new(|| {
    table::ROWS.iter().map(|row| TaggedLanguage { row: *row, tags: OnceLock::new() }).collect()
});

/// The numbers of the languages by extension and by file name.
static BY_NAME: LazyLock<FxHashMap<&'static str, usize>> = LazyLock::new(|| {
    let rows = table::ROWS.iter().enumerate();
    let of_row = |(number, row): (usize, &'static TaggedRow)| {
        row.extensions.iter().chain(row.file_names).map(move |name| (*name, number))
    };
    rows.flat_map(of_row).collect()
});

/// The languages of the table.
pub(crate) fn all() -> &'static [TaggedLanguage] {
    &ALL
}

/// The language of a file, with its number.
pub(crate) fn of(path: &str) -> Option<(usize, &'static TaggedLanguage)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = || {
        BY_NAME.get(name).filter(|number| {
            ALL.get(**number).is_some_and(|language| language.row.file_names.contains(&name))
        })
    };
    let number = match name.rsplit_once('.') {
        Some((_, extension)) => by_extension(extension).or_else(by_name),
        None => by_name(),
    };
    let number = *number?;
    Some((number, ALL.get(number)?))
}

fn by_extension(extension: &str) -> Option<&'static usize> {
    let known = BY_NAME.get(extension).or_else(|| {
        let is_upper = extension.bytes().any(|byte| byte.is_ascii_uppercase());
        is_upper.then(|| BY_NAME.get(extension.to_ascii_lowercase().as_str())).flatten()
    })?;
    let is_extension = |language: &TaggedLanguage| {
        language.row.extensions.iter().any(|own| own.eq_ignore_ascii_case(extension))
    };
    ALL.get(*known).is_some_and(is_extension).then_some(known)
}

impl TaggedLanguage {
    /// Whether its files are programs.
    pub(crate) fn is_program(&self) -> bool {
        self.row.content == Content::Code
    }

    /// The delimiters of comments and strings.
    pub(crate) fn marks(&self) -> Marks {
        self.row.marks
    }

    /// Whether people call it so.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.row.aliases.contains(&name) || self.row.extensions.contains(&name)
    }

    fn tags(&self) -> Option<&Tags> {
        self.tags.get_or_init(|| Tags::new(self.row.grammar.into(), self.row.query)).as_ref()
    }

    /// The language that a text is in: the same extension may be of two.
    fn for_text(&self, text: &str) -> &Self {
        let other = (self.row.dialect)(text);
        other.and_then(|name| ALL.iter().find(|it| it.row.name == name)).unwrap_or(self)
    }
}

/// Most rows have one dialect.
pub(crate) fn only_dialect(_text: &str) -> Option<&'static str> {
    None
}

impl Language for TaggedLanguage {
    fn name(&self) -> &'static str {
        self.row.name
    }

    fn accessors(&self, name: &str) -> Vec<String> {
        (self.row.accessors)(name)
    }

    fn family(&self) -> &'static str {
        if self.row.family.is_empty() { self.row.name } else { self.row.family }
    }

    fn claim(&self, path: &str) -> Option<u8> {
        let (_, found) = of(path)?;
        std::ptr::eq(found, self).then_some(0)
    }

    fn word(&self, path: &str) -> LanguageName {
        if self.is_program() { LanguageName::new(self.row.name) } else { plain_word(path) }
    }

    fn extract(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Facts {
        self.row.facts.map(|read| read(source, scratch)).unwrap_or_default()
    }

    fn reads_imports(&self) -> bool {
        self.row.facts.is_some()
    }

    fn declarations(&self, source: &SourceText<'_>, scratch: &mut Scratch) -> Declarations {
        let language = self.for_text(source.text);
        let Some(tags) = language.tags() else { return Declarations::default() };
        let text = (language.row.prepare)(source.text);
        let tree = grammar::parse(tags.grammar(), &text, scratch);
        let Some(tree) = tree else { return Declarations::default() };
        let mut found = tags.declarations(&tree, source.text);
        if let Some(add) = language.row.references {
            add(&tree, source.text, &mut found);
        }
        found
    }

    fn words<'t>(&self, _path: &str, text: &'t str, take: &mut dyn FnMut(Word<'t>)) {
        let language = self.for_text(text);
        if let Some(find) = language.row.words {
            return find(text, take);
        }
        let tree = language
            .tags()
            .and_then(|tags| grammar::parse(tags.grammar(), text, &mut Scratch::default()));
        match tree {
            Some(tree) => words::of_tree(text, &tree, take),
            None => words::of_text(text, take),
        }
    }

    fn kind_word(&self, kind: DeclarationKind) -> &'static str {
        let own = self.row.kind_words.iter().find(|(of, _)| *of == kind);
        own.map_or_else(|| kind.name(), |(_, word)| word)
    }

    fn builtins(&self) -> &'static dyn Builtins {
        const PLAIN: NamesOnly =
            NamesOnly { links_by_name: false, declares_before: false, variables: None };
        match (self.row.references, self.row.variables) {
            (Some(_), _) => &NamesOnly { links_by_name: true, declares_before: true, ..PLAIN },
            (None, None) if self.row.family == "c" => &NamesOnly { declares_before: true, ..PLAIN },
            (None, Some('$')) => &NamesOnly { variables: Some('$'), ..PLAIN },
            _ => &PLAIN,
        }
    }
}

/// Uses are known by name only.
struct NamesOnly {
    /// Whether the name of a function means one thing in all files.
    links_by_name: bool,
    /// Whether a function may be declared in one place and defined in another.
    declares_before: bool,
    /// What variables begin with.
    variables: Option<char>,
}

impl Builtins for NamesOnly {
    fn named(&self, _name: &str) -> Builtin {
        Builtin::Unknown
    }

    fn method(&self, _name: &str) -> (BuiltinMethod, u32) {
        (BuiltinMethod::Unknown, 0)
    }

    fn called(&self, _name: &str) -> Builtin {
        Builtin::Unknown
    }

    fn reads_uses(&self) -> bool {
        false
    }

    fn links_by_name(&self) -> bool {
        self.links_by_name
    }

    fn declares_before(&self) -> bool {
        self.declares_before
    }

    fn variable_mark(&self) -> Option<char> {
        self.variables
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, of};

    #[test]
    fn every_query_fits_its_grammar() {
        for language in ALL.iter() {
            assert!(language.tags().is_some(), "{}", language.row.name);
        }
    }

    #[test]
    fn names_of_files_tell_the_language() {
        let name = |path: &str| of(path).map_or("", |(_, language)| language.row.name);
        let cases = [
            ("a/b.c", "c"),
            ("a.rb", "ruby"),
            ("Gemfile", "ruby"),
            ("x/Rakefile", "ruby"),
            ("A.PHP", "php"),
            ("README.md", "markdown"),
            ("c", ""),
            ("rb/x", ""),
            ("a.Gemfile", ""),
            (".c", "c"),
            ("", ""),
        ];
        for (path, expected) in cases {
            assert_eq!(name(path), expected, "{path}");
        }
    }
}
