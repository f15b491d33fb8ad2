//! Names that have a meaning by convention, in all languages.

/// Files that describe the folder that they are in, the likeliest first.
pub const FOLDER_DOCUMENTS: &[&str] = &[
    "README.md",
    "readme.md",
    "README.rst",
    "README.txt",
    "README",
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "__init__.py",
    "mod.rs",
    "lib.rs",
    "src/lib.rs",
    "src/main.rs",
    "doc.go",
    "index.ts",
    "index.js",
    "src/index.ts",
    "package-info.java",
];

/// How aliases begin that bundlers, test runners and import maps make of folders of the repository, in files that are not
/// read. What is imported by one of them and is not found may be anything of the repository.
pub const ALIAS_BEGINNINGS: &[&str] = &["@/", "~", "#", "$", "src/"];

/// A member function with one of these names runs when its class is used.
pub const CONSTRUCTOR_NAMES: &[&str] = &["__init__", "__new__", "__call__", "new"];

/// Words that people write before the name of a declaration when they ask for it, in the common languages. Not the same as
/// those by which `declared_names` finds declarations: there, a word too many finds names in bodies and prose.
pub const DECLARING_WORDS: &[&str] = &[
    "abstract",
    "async",
    "class",
    "const",
    "data",
    "def",
    "default",
    "enum",
    "export",
    "extension",
    "extern",
    "final",
    "fn",
    "func",
    "fun",
    "function",
    "impl",
    "inline",
    "interface",
    "internal",
    "let",
    "macro_rules!",
    "mod",
    "module",
    "mut",
    "namespace",
    "object",
    "override",
    "private",
    "protected",
    "protocol",
    "pub",
    "public",
    "record",
    "static",
    "struct",
    "trait",
    "type",
    "unsafe",
    "val",
    "var",
];
