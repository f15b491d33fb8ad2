//! The rows of an atlas, version 1: what is published of a repository, table by table.
//!
//! Every row says which repository it is of and which digest its set has, so that whoever reads all files of
//! a table can tell what is current. `portolan-atlas` writes and reads them as Parquet.

/// The version of the tables.
pub const VERSION: u32 = 1;

/// All that is published of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositorySet {
    /// The repository itself.
    pub repository: RepositoryRow,
    /// Its packages.
    pub packages: Vec<PackageRow>,
    /// Its files.
    pub files: Vec<FileRow>,
    /// What its files depend on.
    pub edges: Vec<EdgeRow>,
    /// What its files declare.
    pub declarations: Vec<DeclarationRow>,
    /// The uses of declarations.
    pub references: Vec<ReferenceRow>,
}

/// A repository: the row that makes a set current.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryRow {
    /// What it is called in the atlas.
    pub id: String,
    /// The digest of all that its set was made from.
    pub digest: String,
    /// Where it comes from, without credentials.
    pub origin: Option<String>,
    /// The commit that is checked out.
    pub commit: Option<String>,
    /// Who wrote the set, with the version.
    pub tool: String,
    /// The version of the tables.
    pub schema: u32,
    /// How many files there are.
    pub files: u64,
    /// Its packages, as `ecosystem:name`, sorted.
    pub packages: Vec<String>,
    /// The modules that others import from it, as `ecosystem:module`, sorted.
    pub provides: Vec<String>,
    /// The modules of others that it imports, as `ecosystem:module`, sorted.
    pub uses: Vec<String>,
}

/// A package of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageRow {
    /// The family of packages: `npm`, `pypi`, `cargo`, `go`, `maven`.
    pub ecosystem: String,
    /// The name that it is published under.
    pub name: String,
    /// The version, where the manifest says one.
    pub version: Option<String>,
    /// Its folder; empty for the root.
    pub path: String,
    /// The names that code imports it by, sorted.
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
    /// What it costs to read.
    pub tokens: Option<u64>,
    /// The digest of its bytes.
    pub sha256: Option<String>,
    /// What it is for, in a line.
    pub description: Option<String>,
}

/// That a file depends on something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeRow {
    /// The file.
    pub source: String,
    /// What it depends on: a file, or a module that is none.
    pub target: String,
    /// `runtime`, `type`, `dynamic`: those that hold, with spaces between.
    pub kinds: String,
    /// `explicit`, `implicit` or `both`.
    pub resolution: &'static str,
    /// Where it leads, when that is out of the repository.
    pub leaves: Option<Leaving>,
}

/// A package of somebody else, as code names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaving {
    /// The family of packages.
    pub ecosystem: String,
    /// The name that code imports it by.
    pub module: String,
    /// The version that the nearest manifest asks for, as written.
    pub requirement: Option<String>,
}

/// A declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclarationRow {
    /// The file.
    pub path: String,
    /// Its name, with that of what it is a member of.
    pub name: String,
    /// Which sort.
    pub kind: &'static str,
    /// The first line, from 1.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// What a user of it must know, on one line.
    pub head: String,
    /// The names that its package exports it under, sorted.
    pub exported_as: Vec<String>,
}

/// The use of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceRow {
    /// The file.
    pub path: String,
    /// The line, from 1; the first one where a declaration uses another more than once.
    pub line: u32,
    /// The declaration that the line is in.
    pub declaration: Option<String>,
    /// What it means.
    pub target: ReferenceTarget,
    /// Whether there is no doubt.
    pub is_exact: bool,
}

/// What a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// A declaration of the repository.
    Here {
        /// The file.
        path: String,
        /// Its name, with that of what it is a member of.
        name: String,
        /// Its line.
        line: u32,
    },
    /// Something that another package exports.
    Elsewhere {
        /// The family of packages.
        ecosystem: String,
        /// The name that code imports it by.
        module: String,
        /// The exported name; what is behind a dot is a member of it.
        name: String,
    },
}

impl Default for ReferenceTarget {
    fn default() -> Self {
        Self::Here { path: String::new(), name: String::new(), line: 0 }
    }
}
