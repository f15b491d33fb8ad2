//! The table: one row a language. CONTRIBUTING.md says how to add one.

use portolan_types::declarations::DeclarationKind;

use super::{Content, TaggedRow, only_dialect};
use crate::c::syntax::includes;
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
    prepare: |text| text.into(),
    family: "",
    accessors: |_| Vec::new(),
    references: None,
    words: None,
    facts: None,
    variables: None,
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
        dialect: crate::c::syntax::dialect::dialect,
        references: Some(crate::c::syntax::names::add_references),
        facts: Some(includes::facts),
        ..CODE
    },
    TaggedRow {
        name: "cpp",
        aliases: &["c++"],
        extensions: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl"],
        kind_words: &[(DeclarationKind::Interface, "union"), (DeclarationKind::Property, "field")],
        grammar: tree_sitter_cpp::LANGUAGE,
        query: include_str!("../../cpp/tags.scm"),
        prepare: crate::c::syntax::annotations::without_annotations,
        family: "c",
        facts: Some(includes::facts),
        ..CODE
    },
    TaggedRow {
        name: "csharp",
        aliases: &["c#"],
        extensions: &["cs", "csx"],
        kind_words: &[(DeclarationKind::Type, "struct")],
        marks: Marks { long: &["\"\"\"", "@\""], ..lexical::C },
        grammar: tree_sitter_c_sharp::LANGUAGE,
        query: include_str!("../../csharp/tags.scm"),
        prepare: crate::csharp::syntax::directives::without_directives,
        facts: Some(crate::csharp::syntax::facts),
        ..CODE
    },
    TaggedRow {
        name: "kotlin",
        extensions: &["kt", "kts"],
        kind_words: &[(DeclarationKind::Variable, "property")],
        marks: Marks { nested: true, long: &["\"\"\""], ..lexical::C },
        grammar: tree_sitter_kotlin_ng::LANGUAGE,
        query: include_str!("../../kotlin/tags.scm"),
        family: "java",
        accessors: crate::kotlin::syntax::accessors,
        words: Some(crate::kotlin::syntax::words),
        facts: Some(crate::kotlin::syntax::facts),
        ..CODE
    },
    TaggedRow {
        name: "php",
        extensions: &["php", "phtml"],
        kind_words: &[(DeclarationKind::Type, "trait"), (DeclarationKind::Variable, "constant")],
        marks: Marks { line: &["//", "#"], quotes: b"", long: &["\"", "'"], ..lexical::C },
        grammar: tree_sitter_php::LANGUAGE_PHP,
        query: include_str!("../../php/tags.scm"),
        facts: Some(crate::php::syntax::facts),
        variables: Some('$'),
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
        marks: Marks { quotes: b"", long: &["\"", "'"], ..lexical::HASH },
        grammar: tree_sitter_ruby::LANGUAGE,
        query: include_str!("../../ruby/tags.scm"),
        facts: Some(crate::ruby::syntax::facts),
        ..CODE
    },
    TaggedRow {
        name: "shell",
        aliases: &["sh"],
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        file_names: &[".bashrc", ".zshrc", ".profile", ".bash_profile"],
        marks: Marks { quotes: b"", long: &["\"", "'"], ..lexical::HASH },
        grammar: tree_sitter_bash::LANGUAGE,
        query: include_str!("../../shell/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "swift",
        extensions: &["swift"],
        kind_words: &[(DeclarationKind::Class, "type"), (DeclarationKind::Interface, "protocol")],
        marks: Marks { nested: true, quotes: b"\"", long: &["\"\"\""], ..lexical::C },
        grammar: tree_sitter_swift::LANGUAGE,
        query: include_str!("../../swift/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "scala",
        extensions: &["scala", "sc", "sbt"],
        kind_words: &[
            (DeclarationKind::Interface, "trait"),
            (DeclarationKind::Namespace, "object"),
        ],
        marks: Marks { nested: true, long: &["\"\"\""], ..lexical::C },
        grammar: tree_sitter_scala::LANGUAGE,
        query: include_str!("../../scala/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "dart",
        extensions: &["dart"],
        kind_words: &[(DeclarationKind::Interface, "mixin"), (DeclarationKind::Property, "field")],
        marks: Marks { nested: true, long: &["\"\"\"", "'''"], ..lexical::C },
        grammar: tree_sitter_dart::LANGUAGE,
        query: include_str!("../../dart/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "elixir",
        extensions: &["ex", "exs"],
        kind_words: &[
            (DeclarationKind::Namespace, "module"),
            (DeclarationKind::Interface, "protocol"),
            (DeclarationKind::Variable, "attribute"),
        ],
        marks: Marks { long: &["\"\"\"", "'''", "\""], quotes: b"", ..lexical::HASH },
        grammar: tree_sitter_elixir::LANGUAGE,
        query: include_str!("../../elixir/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "lua",
        extensions: &["lua"],
        marks: Marks { line: &["--"], block: Some(("--[[", "]]")), ..lexical::C },
        grammar: tree_sitter_lua::LANGUAGE,
        query: include_str!("../../lua/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "sql",
        extensions: &["sql"],
        kind_words: &[
            (DeclarationKind::Class, "table"),
            (DeclarationKind::Interface, "view"),
            (DeclarationKind::Property, "column"),
            (DeclarationKind::Namespace, "schema"),
            (DeclarationKind::Variable, "object"),
        ],
        marks: lexical::SQL,
        grammar: tree_sitter_sequel::LANGUAGE,
        query: include_str!("../../sql/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "proto",
        aliases: &["protobuf"],
        extensions: &["proto"],
        kind_words: &[
            (DeclarationKind::Class, "message"),
            (DeclarationKind::Interface, "service"),
            (DeclarationKind::Method, "rpc"),
            (DeclarationKind::Property, "field"),
        ],
        grammar: tree_sitter_proto::LANGUAGE,
        query: include_str!("../../proto/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "graphql",
        extensions: &["graphql", "gql", "graphqls"],
        kind_words: &[
            (DeclarationKind::Class, "type"),
            (DeclarationKind::Property, "field"),
            (DeclarationKind::Function, "operation"),
            (DeclarationKind::Variable, "definition"),
        ],
        marks: Marks { quotes: b"\"", long: &["\"\"\""], ..lexical::HASH },
        grammar: tree_sitter_graphql::LANGUAGE,
        query: include_str!("../../graphql/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "hcl",
        aliases: &["terraform"],
        extensions: &["tf", "hcl", "tfvars"],
        kind_words: &[(DeclarationKind::Class, "block"), (DeclarationKind::Variable, "attribute")],
        marks: Marks { line: &["#", "//"], quotes: b"\"", ..lexical::C },
        grammar: tree_sitter_hcl::LANGUAGE,
        query: include_str!("../../hcl/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "r",
        extensions: &["r"],
        file_names: &[".Rprofile"],
        marks: Marks { quotes: b"", long: &["\"", "'"], ..lexical::HASH },
        grammar: tree_sitter_r::LANGUAGE,
        query: include_str!("../../r/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "zig",
        extensions: &["zig", "zon"],
        kind_words: &[
            (DeclarationKind::Class, "struct"),
            (DeclarationKind::Interface, "union"),
            (DeclarationKind::Property, "field"),
        ],
        marks: Marks { block: None, ..lexical::C },
        grammar: tree_sitter_zig::LANGUAGE,
        query: include_str!("../../zig/tags.scm"),
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
    TaggedRow {
        name: "yaml",
        extensions: &["yaml", "yml"],
        content: Content::Other,
        kind_words: &[(DeclarationKind::Variable, "key")],
        marks: lexical::HASH,
        grammar: tree_sitter_yaml::LANGUAGE,
        query: include_str!("../../yaml/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "toml",
        extensions: &["toml"],
        content: Content::Other,
        kind_words: &[(DeclarationKind::Variable, "key"), (DeclarationKind::Namespace, "table")],
        marks: Marks { long: &["\"\"\"", "'''"], ..lexical::HASH },
        grammar: tree_sitter_toml_ng::LANGUAGE,
        query: include_str!("../../toml/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "html",
        extensions: &["html", "htm"],
        content: Content::Other,
        kind_words: &[(DeclarationKind::Variable, "element")],
        marks: lexical::MARKUP,
        grammar: tree_sitter_html::LANGUAGE,
        query: include_str!("../../html/tags.scm"),
        ..CODE
    },
    TaggedRow {
        name: "css",
        extensions: &["css"],
        content: Content::Other,
        kind_words: &[(DeclarationKind::Variable, "rule")],
        marks: Marks { line: &[], ..lexical::C },
        grammar: tree_sitter_css::LANGUAGE,
        query: include_str!("../../css/tags.scm"),
        ..CODE
    },
];
