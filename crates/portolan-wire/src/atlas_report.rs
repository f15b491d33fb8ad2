//! The reports of `portolan export` and `portolan atlas`, version 1 each.

use schemars::JsonSchema;
use serde::Serialize;

use crate::codec::published;

/// The result of `portolan export` and `portolan atlas add`: the outcome for each repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExportReportV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The address of the atlas, without credentials.
    pub atlas: String,
    /// The repositories, in the order they were given.
    pub repositories: Vec<ExportedV1>,
}

/// The outcome for a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExportedV1 {
    /// Its id in the atlas; the folder if it failed.
    pub id: String,
    /// `written`, `unchanged` or `failed`.
    #[schemars(regex(pattern = "^(written|unchanged|failed)$"))]
    pub outcome: &'static str,
    /// The digest of its set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The number of bytes written.
    pub bytes: u64,
    /// The number of files of older sets that were removed.
    pub pruned: usize,
    /// The number of rows in each table, if they were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowCountsV1>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The number of rows in each table.
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

/// The result of `portolan atlas look`: the users of a package, or of one of its exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasLookV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The target as written.
    pub target: String,
    /// The names under which code imports the package.
    pub modules: Vec<String>,
    /// The repositories that contain the package; with more than one, it is unknown which of them a user refers to.
    pub providers: Vec<AtlasProviderV1>,
    /// The exports of sibling packages that are the same declaration, as `ecosystem:package#name`. Their users count as
    /// users.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_on: Vec<String>,
    /// The repositories that use it, by id.
    pub users: Vec<AtlasUserV1>,
    /// The number of repositories searched.
    pub searched: usize,
}

/// A repository that contains a package.
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
    /// The number of names it exports.
    pub exports: usize,
    /// The declarations of the requested export.
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
    /// Its signature.
    pub head: String,
}

/// A repository that uses a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasUserV1 {
    /// The repository.
    pub repository: String,
    /// The versions that its manifests require, as written.
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
    /// The exported name, with members after dots.
    pub name: String,
    /// The enclosing declaration.
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
    /// Whether the matches have exactly this name; otherwise they differ in case.
    pub exact: bool,
    /// The declarations, exported ones first.
    pub found: Vec<AtlasFoundV1>,
    /// The number of repositories searched.
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
    /// Its name, qualified with that of its parent.
    pub name: String,
    /// The kind of declaration.
    pub kind: String,
    /// Its signature.
    pub head: String,
    /// The names under which its package exports it.
    pub exported_as: Vec<String>,
}

/// The result of `portolan atlas chart`: the repositories and the dependencies between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasChartV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The repositories, most used first.
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
    /// The number of files.
    pub files: u64,
    /// Its packages, as `ecosystem:name`.
    pub packages: Vec<String>,
    /// The repositories that it depends on.
    pub uses: Vec<AtlasDependenceV1>,
    /// The repositories that depend on it.
    pub used_by: Vec<String>,
}

/// A dependency of one repository on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtlasDependenceV1 {
    /// The other repository.
    pub repository: String,
    /// The modules it uses, as `ecosystem:module`.
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
