//! The Map as the page of `portolan view` carries it: columns with a place for each node, so that a large
//! repository is a small file. The page that reads it is written together with it, so no other reader is promised
//! anything.

use serde::Serialize;

/// The Map and what a reader wants to see of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageV1 {
    /// The version of this shape: 1.
    pub v: u32,
    /// What the repository's folder is called.
    pub name: String,
    /// Which program wrote it.
    pub made: String,
    /// Where the repository's state file is.
    pub state: String,
    /// Who counted tokens.
    pub tokenizer: &'static str,
    /// The ids of the nodes, sorted.
    pub ids: NamesV1,
    /// What each node is: the code of its kind, a digit each.
    pub kinds: String,
    /// The words for languages.
    pub languages: Vec<String>,
    /// The language of each node, by its place in `languages`.
    pub language: Vec<u32>,
    /// What each node costs to read, where it could be.
    pub tokens: Vec<Option<u64>>,
    /// How long each node is, where it is known.
    pub bytes: Vec<Option<u64>>,
    /// The nodes that are no text, as steps.
    pub binary: Vec<u32>,
    /// The nodes that have a description, as steps, and the descriptions.
    pub descriptions: (Vec<u32>, Vec<String>),
    /// What leads from node to node.
    pub edges: EdgesV1,
    /// Groups of nodes that import each other at run time.
    pub cycles: Vec<Vec<u32>>,
    /// What files declare.
    pub declarations: OutlinesV1,
    /// The nodes that are not as they were in the last commit, as steps; absent where there is none.
    pub changed: Option<Vec<u32>>,
    /// How often files changed; absent where there is no history.
    pub history: Option<OftenV1>,
}

/// Sorted names, each without what it begins with in common with the one before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NamesV1 {
    /// How many UTF-16 units are those of the name before.
    pub shared: Vec<u32>,
    /// What follows them.
    pub rest: Vec<String>,
}

/// Edges, grouped by the node they start at and sorted by the node they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EdgesV1 {
    /// How many start at each node.
    pub degrees: Vec<u32>,
    /// Where they lead, as steps within each node.
    pub targets: Vec<u32>,
    /// The kinds of each: explicit ones, plus eight times the implicit ones.
    pub masks: Vec<u8>,
}

/// What files declare at their top, grouped by node and sorted by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutlinesV1 {
    /// The words for the sorts of declarations.
    pub sorts: Vec<&'static str>,
    /// How many each node has.
    pub counts: Vec<u32>,
    /// Their names.
    pub names: Vec<String>,
    /// Where they stand, as steps within each node.
    pub lines: Vec<u32>,
    /// Which sort, by its place in `sorts`, times two; plus one where another file may name it.
    pub marks: Vec<u8>,
}

/// How often files changed in the latest commits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OftenV1 {
    /// How many commits were looked at.
    pub commits: usize,
    /// The nodes that changed, as steps.
    pub nodes: Vec<u32>,
    /// In how many of the commits.
    pub counts: Vec<u32>,
}
