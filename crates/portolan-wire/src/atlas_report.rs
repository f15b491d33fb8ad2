//! The reports of `portolan export` and `portolan atlas`, version 1 each.

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;

/// The result of `portolan export` and `portolan atlas add`: what became of each repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExportReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Where the atlas is, without credentials.
    pub atlas: String,
    /// The repositories, in the order they were given.
    pub repositories: Vec<ExportedV1>,
}

/// What became of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExportedV1 {
    /// What it is called in the atlas; the folder where it failed.
    pub id: String,
    /// `written`, `unchanged` or `failed`.
    #[schemars(regex(pattern = "^(written|unchanged|failed)$"))]
    pub outcome: &'static str,
    /// The digest of its set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The bytes that were written.
    pub bytes: u64,
    /// How many files of older sets were removed.
    pub pruned: usize,
    /// How many rows each table has, where they were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowCountsV1>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How many rows each table has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RowCountsV1 {
    /// Packages.
    pub packages: usize,
    /// Files.
    pub files: usize,
    /// Edges.
    pub edges: usize,
    /// Declarations.
    pub declarations: usize,
    /// References.
    pub references: usize,
}

/// The result of `portolan atlas look`: who uses a package, or one of its exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasLookV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The target as it was written.
    pub target: String,
    /// The names that code imports the package by.
    pub modules: Vec<String>,
    /// The repositories that hold the package; with more than one, which of them a user means is not known.
    pub providers: Vec<AtlasProviderV1>,
    /// The exports of other packages of those repositories that are the same declaration, as
    /// `ecosystem:package#name`: their users use it, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_on: Vec<String>,
    /// The repositories that use it, by id.
    pub users: Vec<AtlasUserV1>,
    /// How many repositories were looked through.
    pub searched: usize,
}

/// A repository that holds a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasProviderV1 {
    /// The repository.
    pub repository: String,
    /// The name that the package is published under.
    pub package: String,
    /// Its version there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its folder; empty for the root.
    pub path: String,
    /// How many names it exports.
    pub exports: usize,
    /// The declarations of the export that was asked for.
    pub declarations: Vec<AtlasPlaceV1>,
}

/// A declaration of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasPlaceV1 {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// What a user of it must know.
    pub head: String,
}

/// A repository that uses a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasUserV1 {
    /// The repository.
    pub repository: String,
    /// The versions that its manifests ask for, as written.
    pub requirements: Vec<String>,
    /// The files that import the package.
    pub files: Vec<String>,
    /// The lines that use its exports.
    pub uses: Vec<AtlasUseV1>,
}

/// A line that uses an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasUseV1 {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The exported name, with dots before members.
    pub name: String,
    /// The declaration that the line is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// `exact` or `likely`.
    #[schemars(regex(pattern = "^(exact|likely)$"))]
    pub certainty: &'static str,
}

/// The result of `portolan atlas find`: declarations by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasFindV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// Whether these have the name itself; else only its letters, large or small.
    pub exact: bool,
    /// The declarations: exported ones first.
    pub found: Vec<AtlasFoundV1>,
    /// How many repositories were looked through.
    pub searched: usize,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasFoundV1 {
    /// The repository.
    pub repository: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// Its name, with that of what it is a member of.
    pub name: String,
    /// Which sort.
    pub kind: String,
    /// What a user of it must know.
    pub head: String,
    /// The names that its package exports it under.
    pub exported_as: Vec<String>,
}

/// The result of `portolan atlas chart`: the repositories, and which depend on which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasChartV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The repositories, the most used first.
    pub repositories: Vec<AtlasRepositoryV1>,
    /// The modules that more than one repository provides, as `ecosystem:module`.
    pub ambiguous: Vec<String>,
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasRepositoryV1 {
    /// Its id.
    pub id: String,
    /// The commit that it was exported at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How many files it has.
    pub files: u64,
    /// Its packages, as `ecosystem:name`.
    pub packages: Vec<String>,
    /// The repositories that it depends on.
    pub uses: Vec<AtlasDependenceV1>,
    /// The repositories that depend on it.
    pub used_by: Vec<String>,
}

/// That a repository depends on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasDependenceV1 {
    /// The other.
    pub repository: String,
    /// By these modules, as `ecosystem:module`.
    pub modules: Vec<String>,
}

/// The result of `portolan atlas query` and `portolan atlas sql`: rows, or the text of queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasQueryV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The query's name, or the engine's.
    pub name: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, sorted.
    pub rows: Vec<Vec<String>>,
}

published! {
    ExportReportV1 = "export-report";
    AtlasLookV1 = "atlas-look";
    AtlasFindV1 = "atlas-find";
    AtlasChartV1 = "atlas-chart";
    AtlasQueryV1 = "atlas-query";
}
