//! Collects the data of a page besides the graph: sizes, declarations, changes.

use portolan_archive::classify::{HEAD_BYTES, is_binary};
use portolan_graph::Graph;
use portolan_graph::select::Category;
use portolan_languages::is_code;
use portolan_types::{FileId, NodeId, NodeIndex, NodeKind};
use portolan_vfs::System;
use rayon::prelude::*;

use super::TOKENIZER;
use crate::chart::changed_since;
use crate::select::{MapFiles, count_ids, state_path};
use portolan_index::history::earlier;
use portolan_index::map::{MapReport, UniverseFile};
use portolan_index::session::{Session, Snapshot};
use portolan_index::symbols::{Outlined, outlines};
use portolan_index::token_counts::TokenStore;
use portolan_workspace::origin;

/// The details of the nodes of a graph, by index.
#[derive(Clone, Debug, Default)]
pub(super) struct FileDetailsMap {
    /// The name of the repository's folder.
    pub(super) name: String,
    /// The path of its state file.
    pub(super) state: String,
    /// The tokens of each node, as `select` counts them.
    pub(super) tokens: Vec<Option<u64>>,
    /// Whether it is binary.
    pub(super) is_binary: Vec<bool>,
    /// Whether a tool writes it, or tests feed on it.
    pub(super) is_generated: Vec<bool>,
    /// The address of a file on the forge, with places for its path and a line.
    pub(super) web: Option<String>,
    /// Its declarations.
    pub(super) outlines: Vec<Vec<Outlined>>,
    /// Whether it differs from the last commit; `None` if there is no commit.
    pub(super) is_changed: Option<Vec<bool>>,
    /// The number of commits, and in how many of them each node changed; `None` if there is no
    /// history.
    pub(super) often: Option<(usize, Vec<u32>)>,
    /// The number of files.
    pub(super) files: usize,
    /// Their total tokens.
    pub(super) own_tokens: u64,
}

/// Collects the details, on the threads of the session.
pub(super) fn collect(
    session: &Session<'_>,
    snapshot: &Snapshot,
    store: &dyn TokenStore,
) -> FileDetailsMap {
    let (system, config, map) = (session.system(), session.config(), &snapshot.map);
    let graph = &map.graph;
    let ids: Vec<&NodeId> = graph.nodes().iter().map(|node| &node.id).collect();
    let files = MapFiles::new(system, &config.root, map);
    let tokens: Vec<Option<u64>> = count_files(graph, &ids, &files, store);
    let places: Vec<Option<NodeIndex>> =
        map.universe.iter().map(|file| graph.index_of(file.path.as_str())).collect();
    let is_binary = on_nodes(graph, &places, binaries(system, map));
    let outlined = outlines(system, config, map, session.declarations());
    let commits = earlier(&session.index_files(system), map);
    let origin = origin(system, &config.root);
    let counted = tokens.iter().zip(graph.nodes());
    let own = counted.filter(|(_, node)| node.kind == NodeKind::Source);
    FileDetailsMap {
        name: origin.as_deref().and_then(own_name).unwrap_or_else(|| name_of(&config.root)),
        state: state_path(config).to_string(),
        own_tokens: own.filter_map(|(tokens, _)| *tokens).sum(),
        outlines: on_nodes(graph, &places, outlined),
        is_changed: is_changed(system, &config.root, map),
        often: (!commits.is_empty())
            .then(|| (commits.len(), on_nodes(graph, &places, often(map, &commits)))),
        is_generated: graph.nodes().iter().map(|node| is_generated(node.id.as_str())).collect(),
        web: origin.as_deref().and_then(web_address),
        files: places.iter().flatten().count(),
        tokens,
        is_binary,
    }
}

fn is_generated(path: &str) -> bool {
    matches!(Category::of(path), Some(Category::Generated | Category::Fixture))
}

/// The address of a file on a forge that serves the newest commit as `HEAD`.
fn web_address(origin: &str) -> Option<String> {
    let (host, _) = origin.split_once('/')?;
    let way = match host {
        "github.com" => "blob/HEAD/{path}#L{line}",
        "gitlab.com" => "-/blob/HEAD/{path}#L{line}",
        "bitbucket.org" => "src/HEAD/{path}#lines-{line}",
        "codeberg.org" => "src/{path}#L{line}",
        _ => return None,
    };
    Some(format!("https://{origin}/{way}"))
}

/// The name of a repository on its forge, such as `pallets/flask`.
fn own_name(origin: &str) -> Option<String> {
    origin.split_once('/').map(|(_, name)| name.to_owned()).filter(|name| !name.is_empty())
}

/// The name of the repository's folder, without its path: the page may be shared.
fn name_of(root: &std::path::Path) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "repository".to_owned())
}

/// Counts the tokens of nodes that are files. Other nodes have no bytes.
fn count_files(
    graph: &Graph,
    ids: &[&NodeId],
    files: &MapFiles<'_>,
    store: &dyn TokenStore,
) -> Vec<Option<u64>> {
    let is_file = |id: &NodeId| {
        let kind = graph.index_of(id.as_str()).map(|index| graph.node(index).kind);
        kind.is_some_and(NodeKind::is_file)
    };
    let wanted: Vec<&NodeId> = ids.iter().copied().filter(|id| is_file(id)).collect();
    let mut counts = count_ids(files, store, TOKENIZER, &wanted).into_iter();
    ids.iter().map(|id| if is_file(id) { counts.next().flatten() } else { None }).collect()
}

/// Maps values of the universe's files to the indexes of their nodes.
fn on_nodes<T: Clone + Default>(
    graph: &Graph,
    places: &[Option<NodeIndex>],
    of_files: Vec<T>,
) -> Vec<T> {
    let mut of_nodes = vec![T::default(); graph.nodes().len()];
    for (place, value) in places.iter().zip(of_files) {
        if let Some(place) = place {
            of_nodes[place.index()] = value;
        }
    }
    of_nodes
}

fn binaries(system: &dyn System, map: &MapReport) -> Vec<bool> {
    let is_no_text = |file: &UniverseFile| {
        // Code counts as text, even with odd bytes in it.
        !is_code(file.path.as_str())
            && system.read_head(&file.absolute, HEAD_BYTES).is_ok_and(|head| is_binary(&head))
    };
    map.universe.par_iter().map(is_no_text).collect()
}

fn is_changed(system: &dyn System, root: &std::path::Path, map: &MapReport) -> Option<Vec<bool>> {
    let changed = changed_since(system, root, "HEAD", map).ok()?;
    let mut of_nodes = vec![false; map.graph.nodes().len()];
    for index in changed.iter().filter_map(|path| map.graph.index_of(path)) {
        of_nodes[index.index()] = true;
    }
    Some(of_nodes)
}

/// The number of commits in which each file of the universe changed.
fn often(map: &MapReport, commits: &[Vec<FileId>]) -> Vec<u32> {
    let mut counts = vec![0; map.universe.len()];
    for file in commits.iter().flatten() {
        counts[file.index()] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::web_address;

    #[test]
    fn files_have_an_address_on_forges_that_are_known() {
        let github = web_address("github.com/pallets/flask");
        let wanted = "https://github.com/pallets/flask/blob/HEAD/{path}#L{line}";
        assert_eq!(github.as_deref(), Some(wanted));
        assert_eq!(web_address("example.org/a/b"), None);
        assert_eq!(web_address("folder"), None);
    }
}
