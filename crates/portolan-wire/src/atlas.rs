//! The rows of an atlas, version 1: what is published about a repository, table by table.
//!
//! Every row has the id of its repository and the digest of its set, so a reader of all files of a table can tell
//! which rows are current. `portolan-atlas` writes and reads them as Parquet.

/// The version of the tables.
pub const VERSION: u32 = 1;

/// Everything published about a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositorySet {
    /// The repository itself.
    pub repository: RepositoryRow,
    /// Its packages.
    pub packages: Vec<PackageRow>,
    /// Its files.
    pub files: Vec<FileRow>,
    /// The dependencies of its files.
    pub edges: Vec<EdgeRow>,
    /// The declarations in its files.
    pub declarations: Vec<DeclarationRow>,
    /// The references to declarations.
    pub references: Vec<ReferenceRow>,
}

/// A repository: the row that makes a set current.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryRow {
    /// Its id in the atlas.
    pub id: String,
    /// The digest of everything its set was made from.
    pub digest: String,
    /// Where it comes from, without credentials.
    pub origin: Option<String>,
    /// The checked-out commit.
    pub commit: Option<String>,
    /// The program that wrote the set, with its version.
    pub tool: String,
    /// The version of the tables.
    pub schema: u32,
    /// The number of files.
    pub files: u64,
    /// Its packages, as `ecosystem:name`, sorted.
    pub packages: Vec<String>,
    /// The modules that other repositories import from it, as `ecosystem:module`, sorted.
    pub provides: Vec<String>,
    /// The modules of other repositories that it imports, as `ecosystem:module`, sorted.
    pub uses: Vec<String>,
}

/// A package of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageRow {
    /// The ecosystem: `npm`, `pypi`, `cargo`, `go`, `maven`.
    pub ecosystem: String,
    /// The name that it is published under.
    pub name: String,
    /// The version, if the manifest has one.
    pub version: Option<String>,
    /// Its folder; empty for the root.
    pub path: String,
    /// The names under which code imports it, sorted.
    pub modules: Vec<String>,
    /// The names that it exports, sorted.
    pub exports: Vec<String>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRow {
    /// Its path from the root.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Its length in bytes.
    pub size: Option<u64>,
    /// Its size in tokens.
    pub tokens: Option<u64>,
    /// The digest of its bytes.
    pub sha256: Option<String>,
    /// A one-line summary.
    pub description: Option<String>,
}

/// A dependency of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeRow {
    /// The file.
    pub source: String,
    /// What it depends on: a file, or a module without a file.
    pub target: String,
    /// `runtime`, `type`, `dynamic`: those that apply, separated by spaces.
    pub kinds: String,
    /// `explicit`, `implicit` or `both`.
    pub resolution: &'static str,
    /// The package it leads to, if that is outside the repository.
    pub leaves: Option<Leaving>,
}

/// An external package, as code names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaving {
    /// The ecosystem.
    pub ecosystem: String,
    /// The name under which code imports it.
    pub module: String,
    /// The version that the nearest manifest requires, as written.
    pub requirement: Option<String>,
}

/// A declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclarationRow {
    /// The file.
    pub path: String,
    /// Its name, qualified with that of its parent.
    pub name: String,
    /// The kind of declaration.
    pub kind: &'static str,
    /// The first line, from 1.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// Its signature on one line.
    pub head: String,
    /// The names under which its package exports it, sorted.
    pub exported_as: Vec<String>,
}

/// A reference to a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceRow {
    /// The file.
    pub path: String,
    /// The line, from 1; the first one if a declaration uses another more than once.
    pub line: u32,
    /// The enclosing declaration.
    pub declaration: Option<String>,
    /// What it refers to.
    pub target: ReferenceTarget,
    /// Whether the resolution is certain.
    pub is_exact: bool,
}

/// What a reference refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// A declaration of the repository.
    Here {
        /// The file.
        path: String,
        /// Its name, qualified with that of its parent.
        name: String,
        /// Its line.
        line: u32,
    },
    /// An export of another package.
    Elsewhere {
        /// The ecosystem.
        ecosystem: String,
        /// The name under which code imports it.
        module: String,
        /// The exported name, with members after a dot.
        name: String,
    },
}

impl Default for ReferenceTarget {
    fn default() -> Self {
        Self::Here { path: String::new(), name: String::new(), line: 0 }
    }
}
