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

/// A member function with one of these names runs when its class is used.
pub const CONSTRUCTOR_NAMES: &[&str] = &["__init__", "__new__", "__call__", "new"];
