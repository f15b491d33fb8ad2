//! The table: one row a language. CONTRIBUTING.md says how to add one.

use portolan_types::declarations::DeclarationKind;

use super::{Content, TaggedRow, only_dialect};
use crate::syntax::lexical::{self, Marks};

/// What most rows share.
const CODE: TaggedRow = TaggedRow {
    name: "",
    aliases: &[],
    extensions: &[],
    file_names: &[],
    content: Content::Code,
    marks: lexical::C,
    kind_words: &[],
    grammar: tree_sitter_c::LANGUAGE,
    query: "",
    dialect: only_dialect,
    facts: None,
};

pub(super) const ROWS: &[TaggedRow] = &[
    TaggedRow {
        name: "c",
        extensions: &["c", "h"],
        kind_words: &[
            (DeclarationKind::Class, "struct"),
            (DeclarationKind::Interface, "union"),
            (DeclarationKind::Property, "field"),
        ],
        query: include_str!("../../c/tags.scm"),
        dialect: crate::c::syntax::dialect,
        ..CODE
    },
    TaggedRow {
        name: "cpp",
        aliases: &["c++"],
        extensions: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl"],
        kind_words: &[
            (DeclarationKind::Interface, "union"),
            (DeclarationKind::Property, "field"),
        ],
        grammar: tree_sitter_cpp::LANGUAGE,
        query: include_str!("../../cpp/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "csharp",
        aliases: &["c#"],
        extensions: &["cs", "csx"],
        kind_words: &[(DeclarationKind::Type, "struct")],
        marks: Marks { long: &["\"\"\"", "@\""], templates: &["{"], ..lexical::C },
        grammar: tree_sitter_c_sharp::LANGUAGE,
        query: include_str!("../../csharp/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "php",
        extensions: &["php", "phtml"],
        kind_words: &[(DeclarationKind::Type, "trait"), (DeclarationKind::Variable, "constant")],
        marks: Marks {
            line: &["//", "#"],
            quotes: b"",
            long: &["\"", "'"],
            templates: &["$"],
            ..lexical::C
        },
        grammar: tree_sitter_php::LANGUAGE_PHP,
        query: include_str!("../../php/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "ruby",
        extensions: &["rb", "rake", "gemspec", "ru"],
        file_names: &["Gemfile", "Rakefile", "Guardfile", "Capfile", "Vagrantfile", "Podfile"],
        kind_words: &[
            (DeclarationKind::Namespace, "module"),
            (DeclarationKind::Variable, "constant"),
            (DeclarationKind::Property, "attribute"),
        ],
        marks: Marks { templates: &["#{"], quotes: b"", long: &["\"", "'"], ..lexical::HASH },
        grammar: tree_sitter_ruby::LANGUAGE,
        query: include_str!("../../ruby/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "shell",
        aliases: &["sh"],
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        file_names: &[".bashrc", ".zshrc", ".profile", ".bash_profile"],
        marks: Marks { templates: &["$", "`"], quotes: b"", long: &["\"", "'"], ..lexical::HASH },
        grammar: tree_sitter_bash::LANGUAGE,
        query: include_str!("../../shell/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "markdown",
        extensions: &["md", "markdown"],
        content: Content::Other,
        kind_words: &[(DeclarationKind::Variable, "heading")],
        marks: lexical::MARKUP,
        grammar: tree_sitter_md::LANGUAGE,
        query: include_str!("../../markdown/tags.scm"),
        ..CODE
    },
];
