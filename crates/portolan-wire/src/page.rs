//! The map in the page of `portolan view`: columns with one entry per node, so that a large repository is a small
//! file. The page is written together with its reader, so the format is no promise to other readers.

use serde::Serialize;

/// The map and the details that a reader wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// The name of the repository on its forge, or that of its folder.
    pub name: String,
    /// The program that wrote it.
    pub made: String,
    /// The path of the state file.
    pub state: String,
    /// The tokenizer.
    pub tokenizer: &'static str,
    /// The ids of the nodes, sorted.
    pub ids: NamesV1,
    /// The kind code of each node, one digit each.
    pub kinds: String,
    /// The names of the languages.
    pub languages: Vec<String>,
    /// The language of each node, as an index into `languages`.
    pub language: Vec<u32>,
    /// The tokens of each node, if it could be read.
    pub tokens: Vec<Option<u64>>,
    /// The size of each node, if known.
    pub bytes: Vec<Option<u64>>,
    /// The binary nodes, as deltas.
    pub binary: Vec<u32>,
    /// The nodes that tools write (lock files, generated code) or that tests feed on, as deltas.
    pub generated: Vec<u32>,
    /// The address of a file on the forge, with `{path}` and `{line}`; absent if it is not known.
    pub web: Option<String>,
    /// The nodes with a description, as deltas, and the descriptions.
    pub descriptions: (Vec<u32>, Vec<String>),
    /// The edges.
    pub edges: EdgesV1,
    /// Groups of nodes that import each other at run time.
    pub cycles: Vec<Vec<u32>>,
    /// The declarations of files.
    pub declarations: OutlinesV1,
    /// The nodes that changed since the last commit, as deltas; absent without a commit.
    pub changed: Option<Vec<u32>>,
    /// How often files changed; absent without a history.
    pub history: Option<OftenV1>,
}

/// Sorted names, each without the prefix it shares with the previous one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NamesV1 {
    /// The length of the shared prefix in UTF-16 units.
    pub shared: Vec<u32>,
    /// The rest of each name.
    pub rest: Vec<String>,
}

/// Edges, grouped by source and sorted by target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EdgesV1 {
    /// The number of edges of each node.
    pub degrees: Vec<u32>,
    /// The targets, as deltas within each node.
    pub targets: Vec<u32>,
    /// The kinds of each edge: the explicit ones, plus eight times the implicit ones.
    pub masks: Vec<u8>,
}

/// The top-level declarations of files, grouped by node and sorted by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutlinesV1 {
    /// The names of the declaration kinds.
    pub sorts: Vec<&'static str>,
    /// The number of declarations of each node.
    pub counts: Vec<u32>,
    /// Their names.
    pub names: Vec<String>,
    /// Their lines, as deltas within each node.
    pub lines: Vec<u32>,
    /// The index of the kind in `sorts`, times two; plus one if other files can refer to it.
    pub marks: Vec<u8>,
}

/// How often files changed in the latest commits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OftenV1 {
    /// The number of commits examined.
    pub commits: usize,
    /// The changed nodes, as deltas.
    pub nodes: Vec<u32>,
    /// The number of commits for each.
    pub counts: Vec<u32>,
}
