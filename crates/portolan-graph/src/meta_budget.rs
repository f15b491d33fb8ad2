//! Cuts the compact meta to a budget, in a fixed order of rungs.
//!
//! The graph and the private map stay complete. A node that is cut is only hidden: it can still be
//! selected by its id.

use std::collections::{BTreeMap, BTreeSet};

use portolan_types::{NodeId, NodeKind, Notice, NoticeCode};
use portolan_wire::meta::{MetaNode, MetaV2};

use crate::select::Category;

/// The length of a shortened description, in characters.
const SHORT_DESCRIPTION: usize = 60;
/// The most folders that a notice names.
const FOLDERS_NAMED: usize = 20;

/// A rung: one kind of cut. Rungs are tried in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetaRung {
    /// Drops `h`.
    Hashes,
    /// Shortens descriptions.
    LongDescriptions,
    /// Drops `d`.
    Descriptions,
    /// Drops files that are neither code nor connected.
    Unconnected,
    /// Drops builtin modules.
    Builtins,
    /// Drops missing modules.
    Missing,
    /// Drops external files.
    Externals,
    /// Drops tests and stories.
    Tests,
}

impl MetaRung {
    /// All rungs, in order.
    pub const ALL: [Self; 8] = [
        Self::Hashes,
        Self::LongDescriptions,
        Self::Descriptions,
        Self::Unconnected,
        Self::Builtins,
        Self::Missing,
        Self::Externals,
        Self::Tests,
    ];

    /// A description of what it cuts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hashes => "hashes",
            Self::LongDescriptions => "ends of long descriptions",
            Self::Descriptions => "descriptions",
            Self::Unconnected => "files that are neither code nor connected",
            Self::Builtins => "builtin modules",
            Self::Missing => "missing modules",
            Self::Externals => "external files",
            Self::Tests => "tests and stories",
        }
    }
}

/// The effect of one rung.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaCut {
    /// The rung.
    pub rung: MetaRung,
    /// The number of nodes that it changed or dropped, by top folder. Modules are under
    /// `(modules)`, files at the root under `.`.
    pub folders: BTreeMap<String, usize>,
    /// The tokens of the meta afterwards.
    pub tokens: u64,
}

impl MetaCut {
    /// The number of nodes that it changed or dropped.
    pub fn count(&self) -> usize {
        self.folders.values().sum()
    }
}

/// A meta cut to a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaFit {
    /// The meta after the cuts.
    pub meta: MetaV2,
    /// Its tokens, including the newline at the end of the file.
    pub tokens: u64,
    /// The budget in tokens.
    pub budget: u64,
    /// The rungs that cut something, in order.
    pub cuts: Vec<MetaCut>,
}

impl MetaFit {
    /// Whether the meta is within its budget.
    pub fn fits(&self) -> bool {
        self.tokens <= self.budget
    }

    /// A notice for each rung that cut something, and a warning if that was not enough.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.cuts.iter().map(cut_notice).collect();
        if !self.fits() {
            let message = format!(
                "the meta has {} tokens and its budget is {}, with everything left out that can be; \
                 `scope` limits it to a part of the repository, `excludes` leaves some out, and a chart always fits",
                self.tokens, self.budget
            );
            notices.push(Notice::general(NoticeCode::MetaTooLarge, message));
        }
        notices
    }
}

fn cut_notice(cut: &MetaCut) -> Notice {
    let mut folders: Vec<(&String, &usize)> = cut.folders.iter().collect();
    folders.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let mut named: Vec<String> =
        folders.iter().take(FOLDERS_NAMED).map(|(folder, n)| format!("{folder} {n}")).collect();
    if let Some(rest) = folders.get(FOLDERS_NAMED..).filter(|rest| !rest.is_empty()) {
        let count: usize = rest.iter().map(|(_, count)| **count).sum();
        named.push(format!("{} other folders {count}", rest.len()));
    }
    let place = MetaRung::ALL.iter().position(|rung| *rung == cut.rung).unwrap_or_default() + 1;
    let message = format!(
        "step {place} of {}: {} of {} nodes ({}); the meta has {} tokens now",
        MetaRung::ALL.len(),
        cut.rung.name(),
        cut.count(),
        named.join(", "),
        cut.tokens
    );
    Notice::general(NoticeCode::MetaReduced, message)
}

/// Cuts a meta until it fits the budget, or nothing more can be cut. `count` counts the tokens of a
/// text; `is_code` recognizes code by its path.
pub fn fit_meta(
    meta: MetaV2,
    budget: u64,
    count: &dyn Fn(&[u8]) -> u64,
    is_code: fn(&str) -> bool,
) -> MetaFit {
    let tokens = |meta: &MetaV2| count(&file(meta));
    let mut fit = MetaFit { tokens: tokens(&meta), meta, budget, cuts: Vec::new() };
    for rung in MetaRung::ALL {
        if fit.fits() {
            break;
        }
        let changed = take(&mut fit.meta, rung, is_code);
        if changed.is_empty() {
            continue;
        }
        fit.tokens = tokens(&fit.meta);
        let mut folders = BTreeMap::new();
        for (id, kind) in changed {
            *folders.entry(top_folder(&id, kind)).or_default() += 1;
        }
        fit.cuts.push(MetaCut { rung, folders, tokens: fit.tokens });
    }
    fit
}

/// The bytes of the meta's file.
fn file(meta: &MetaV2) -> Vec<u8> {
    let mut bytes = meta.to_bytes();
    bytes.push(b'\n');
    bytes
}

/// The folder under which a notice counts a node.
fn top_folder(id: &NodeId, kind: NodeKind) -> String {
    match id.as_str().split_once('/') {
        _ if !kind.is_file() => "(modules)".to_owned(),
        Some((folder, _)) => folder.to_owned(),
        None => ".".to_owned(),
    }
}

/// Applies a rung. Returns the nodes that it changed or dropped.
fn take(meta: &mut MetaV2, rung: MetaRung, is_code: fn(&str) -> bool) -> Vec<(NodeId, NodeKind)> {
    match rung {
        MetaRung::Hashes => change(meta, |node| node.hash.take().is_some()),
        MetaRung::LongDescriptions => change(meta, shorten_description),
        MetaRung::Descriptions => change(meta, |node| node.description.take().is_some()),
        MetaRung::Unconnected => {
            let connected = connected_ids(meta);
            leave_out(meta, |node| {
                node.kind == NodeKind::Source
                    && !connected.contains(&node.id)
                    && !is_code(node.id.as_str())
            })
        }
        MetaRung::Builtins => leave_out(meta, |node| node.kind == NodeKind::Builtin),
        MetaRung::Missing => leave_out(meta, |node| node.kind == NodeKind::Missing),
        MetaRung::Externals => leave_out(meta, |node| node.kind == NodeKind::External),
        MetaRung::Tests => {
            leave_out(meta, |node| Category::of(node.id.as_str()) == Some(Category::Test))
        }
    }
}

fn change(
    meta: &mut MetaV2,
    mut change: impl FnMut(&mut MetaNode) -> bool,
) -> Vec<(NodeId, NodeKind)> {
    let nodes = meta.nodes.iter_mut();
    nodes.filter_map(|node| change(node).then(|| (node.id.clone(), node.kind))).collect()
}

fn shorten_description(node: &mut MetaNode) -> bool {
    let Some(description) = &node.description else { return false };
    let Some((end, _)) = description.char_indices().nth(SHORT_DESCRIPTION) else { return false };
    let kept = description.get(..end).unwrap_or_default().trim_end();
    node.description = Some(format!("{kept}…").into());
    true
}

/// All ids with an edge.
fn connected_ids(meta: &MetaV2) -> BTreeSet<NodeId> {
    let sources = meta.nodes.iter().filter(|node| !node.edges.is_empty());
    sources
        .flat_map(|node| {
            std::iter::once(&node.id).chain(node.edges.iter().map(|edge| &edge.target))
        })
        .cloned()
        .collect()
}

/// Drops nodes and the edges that lead to them.
fn leave_out(meta: &mut MetaV2, unwanted: impl Fn(&MetaNode) -> bool) -> Vec<(NodeId, NodeKind)> {
    let mut out = Vec::new();
    meta.nodes.retain(|node| {
        let leave = unwanted(node);
        if leave {
            out.push((node.id.clone(), node.kind));
        }
        !leave
    });
    let gone: BTreeSet<&NodeId> = out.iter().map(|(id, _)| id).collect();
    for node in &mut meta.nodes {
        node.edges.retain(|edge| !gone.contains(&edge.target));
    }
    out
}

#[cfg(test)]
mod tests;
