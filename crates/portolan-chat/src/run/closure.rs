//! Resolves selected ids to files, as candidates.
//!
//! Only a node of the map, or a file inside the repository, can be selected. A language model
//! writes the state, so an id that could lead elsewhere fails the run, and all such ids are
//! reported together. An id that is merely wrong gives a notice, and the rest is delivered.

use std::collections::BTreeSet;

use portolan_archive::{InsideError, Root, StagedFile, WorkspaceLayout};
use portolan_graph::select::SelectedNode;
use portolan_graph::{CsrGraph, Graph};
use portolan_types::{NodeId, NodeKind, Notice, NoticeCode, Place, RepoPath};
use portolan_wire::run_report::Denial;

use super::candidate::{Candidate, CandidateSource, EXCLUDED_REASON, EXCLUDED_RULE, Part};
use super::imports::Imports;
use super::plan::Collected;
use portolan_index::map::{Excluded, Locator, claimed_id};
use portolan_query::select::suggest;

/// The number of wrong ids with suggestions, because suggestions take time.
const SUGGESTIONS: usize = 20;

/// The sources for looking up ids.
pub(crate) struct SelectionResolver<'a> {
    pub(crate) root: Root<'a>,
    pub(crate) workspace: &'a WorkspaceLayout,
    pub(crate) graph: &'a Graph,
    pub(crate) csr_graph: &'a CsrGraph,
    /// Sorted by id.
    pub(crate) locators: &'a [Locator],
    pub(crate) excluded: &'a Excluded,
    pub(crate) imports: &'a Imports,
}

/// A forbidden id, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadId {
    /// The id as written in the state.
    pub id: String,
    /// The reason.
    pub reason: String,
}

/// Different files of two packages with the same name and version. Seed 002 forbids a guess if both
/// are selected.
fn ambiguous(nodes: &[SelectedNode]) -> Vec<BadId> {
    let ids: BTreeSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
    let is_asked_twice = |node: &&SelectedNode| {
        claimed_id(node.id.as_str()).is_some_and(|claimed| ids.contains(claimed.as_str()))
    };
    let twice = nodes.iter().filter(is_asked_twice);
    twice
        .map(|node| BadId {
            id: node.id.to_string(),
            reason:
                "another package of the same name and version is selected too, and this file of \
                     it differs: exclude one of the two"
                    .to_owned(),
        })
        .collect()
}

impl SelectionResolver<'_> {
    /// Adds the selected files. Returns the ids that fail the run.
    pub(crate) fn collect(&self, nodes: &[SelectedNode], collected: &mut Collected) -> Vec<BadId> {
        let mut bad = ambiguous(nodes);
        for node in nodes {
            let kind =
                self.graph.index_of(node.id.as_str()).map(|index| self.graph.node(index).kind);
            match kind {
                Some(NodeKind::External) => self.external(node, collected),
                Some(NodeKind::Builtin | NodeKind::Missing) => {}
                Some(NodeKind::Source) | None => {
                    if let Err(reason) = self.file(node, kind.is_some(), collected) {
                        bad.push(BadId { id: node.id.to_string(), reason });
                    }
                }
            }
        }
        bad
    }

    fn external(&self, node: &SelectedNode, collected: &mut Collected) {
        let found = self.locators.binary_search_by(|locator| locator.id.cmp(&node.id)).ok();
        let path = RepoPath::new(node.id.as_str()).ok();
        if found.is_none() && self.excluded.has(&node.id) {
            return collected.denied(&node.id);
        }
        let (Some(index), Some(path)) = (found, path) else {
            let message = "its source could not be read, so it cannot be staged";
            return collected.notice(NoticeCode::ArchiveUnreadable, node.id.as_str(), message);
        };
        let Locator { path: source, size, sha256, .. } = &self.locators[index];
        let file = StagedFile {
            target: path.clone(),
            source: source.clone(),
            size: *size,
            sha256: *sha256,
        };
        collected.add(Candidate::new(path, CandidateSource::Staged(file), Part::Closure));
    }

    /// Adds a file of the repository, in the map or not.
    fn file(
        &self,
        node: &SelectedNode,
        is_in_map: bool,
        collected: &mut Collected,
    ) -> Result<(), String> {
        let text = node.id.as_str();
        let path = if is_in_map { RepoPath::new(text) } else { RepoPath::from_untrusted(text) };
        let path = path.map_err(|error| error.to_string())?;
        if let Some(import) = self.imports.get(&path) {
            collected.add(Candidate::new(
                path,
                CandidateSource::Staged(import.clone()),
                Part::Closure,
            ));
            return Ok(());
        }
        // A file that an earlier run staged there is not the one in the map.
        if self.workspace.is_staged(&path) || self.imports.owns(&path) {
            self.unknown(text, collected);
            return Ok(());
        }
        match self.root.file(&path) {
            Ok(found) => {
                let part = if is_in_map { Part::Closure } else { Part::Hidden };
                collected.add(Candidate::new(path, CandidateSource::Inside(found), part));
            }
            Err(InsideError::Missing) => self.unknown(text, collected),
            Err(InsideError::NotAFile) => return Err(self.not_a_file(&path)),
            Err(error @ (InsideError::Outside | InsideError::OddName)) => {
                return Err(error.to_string());
            }
            Err(InsideError::Io(error)) => {
                collected.notice(NoticeCode::ArchiveUnreadable, text, error.to_string());
            }
        }
        Ok(())
    }

    fn not_a_file(&self, path: &RepoPath) -> String {
        let below = self.graph.nodes().iter().map(|node| node.id.as_str());
        let example = below
            .into_iter()
            .find(|id| id.strip_prefix(path.as_str()).is_some_and(|tail| tail.starts_with('/')));
        match example {
            Some(id) => format!("it is a folder; name files, for example `{id}`"),
            None => "it is a folder, not a file".to_owned(),
        }
    }

    fn unknown(&self, id: &str, collected: &mut Collected) {
        collected.unknown += 1;
        let is_early = collected.unknown <= SUGGESTIONS;
        let near = if is_early { suggest(self.csr_graph, id) } else { Vec::new() };
        let hint = if near.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", list(&near))
        };
        let message = format!(
            "selected path not found: it is neither in the map nor a file of the repository{hint}"
        );
        collected.notice(NoticeCode::ArchiveUnknownId, id, message);
    }
}

fn list(ids: &[NodeId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" or ")
}

impl Collected {
    /// Records that `excludes` denies a file without looking at it.
    fn denied(&mut self, id: &NodeId) {
        self.notice(NoticeCode::ArchiveDenied, id.as_str(), EXCLUDED_REASON);
        if let Ok(path) = RepoPath::new(id.as_str()) {
            let reason = EXCLUDED_REASON.to_owned();
            self.denied.push(Denial { path, rule: EXCLUDED_RULE, reason });
        }
    }

    pub(crate) fn notice(&mut self, code: NoticeCode, path: &str, message: impl Into<String>) {
        self.notices.push(Notice::at(code, Place::file(path), message));
    }
}
