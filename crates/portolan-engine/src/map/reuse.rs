//! Where everything led in an earlier run, and whether it still leads there.
//!
//! Resolving, following names and putting the graph together depend on four things: which files there
//! are, what the walked folders hold, what else was asked of the disk on the way (and what it did not
//! have), and what links the files to others in their texts. While all four are the same the edges are,
//! whatever else has changed in the texts: sizes, digests and descriptions are always those of this run.

use std::sync::Arc;

use portolan_graph::{Edge, Graph, Node};
use portolan_resolve::Ecosystem;
use portolan_scan::Listing;
use portolan_syntax::Facts;
use portolan_types::{KindMask, NodeId, NodeKind, Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::{System, sha256};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::build::{File, FileTable, Linked, SourceLinks};
use super::cache::{Cache, StoredFacts};
use super::journal::{self, Answers};
use super::names::raw_id;
use super::trails::Trails;

/// What is kept of a run.
#[derive(Serialize, Deserialize)]
struct Links {
    /// The digest of the walked folders.
    folders: [u8; 32],
    universe: usize,
    answers: Answers,
    nodes: Vec<LinkedNode>,
    /// How many edges each node has, and all edges.
    degrees: Vec<u32>,
    edges: Vec<(u32, u8, u8)>,
    /// The nodes whose id is not the raw one.
    renamed: Vec<(u32, String)>,
    notices: Vec<KeptNotice>,
    /// The nodes that have only some of their implicit edges.
    partial: Vec<u32>,
    /// Where the imports of each file led, encoded; empty where that cannot be told.
    trails: Vec<u8>,
}

/// What an earlier run left to this one.
pub(super) enum Reused {
    /// Everything leads where it led, as long as the disk says this; with the trails, encoded.
    Whole(Linked, Answers, Vec<u8>),
    /// Some texts are other ones.
    Part(Part),
}

/// What is left when some texts have changed: the table has the targets of the others.
pub(super) struct Part {
    /// The files whose imports are to be resolved.
    pub(super) changed: Vec<u32>,
    /// What was noticed while the others were resolved.
    pub(super) notices: Vec<Notice>,
    /// What the disk said then.
    pub(super) answers: Answers,
}

#[derive(Serialize, Deserialize)]
enum LinkedNode {
    /// The file at this place of the cache.
    File(u32),
    Module(String, u8),
}

type KeptPlace = (String, Option<(u32, u32)>);
type KeptNotice = (u8, Option<KeptPlace>, String);

/// The digest of all folders that were walked, with what is in them and where links lead.
pub(super) fn digest_of(listings: &[Listing], links: &SourceLinks) -> Sha256Digest {
    let digest = |listing: &Listing| {
        (sha256(listing.folder.as_bytes()), journal::digest_of(&listing.entries))
    };
    let mut digests: Vec<_> = listings.par_iter().map(digest).collect();
    digests.sort_unstable();
    let pairs = digests.iter().flat_map(|(folder, entries)| [folder, entries]);
    let mut bytes: Vec<u8> = pairs.flat_map(|digest| *digest.as_bytes()).collect();
    for text in links.iter().flat_map(|(link, real)| [link, real]) {
        bytes.extend_from_slice(sha256(text.as_bytes()).as_bytes());
    }
    sha256(&bytes)
}

/// What is kept of a run, encoded; both are empty where a file of the graph could not be read.
#[derive(Default)]
pub(super) struct KeptLinks {
    /// All of it, for a later run.
    pub(super) links: Vec<u8>,
    /// Where the imports of each file led, for this one.
    pub(super) trails: Vec<u8>,
}

/// What a later run may use of this one.
pub(super) fn keep(
    table: &FileTable,
    linked: &Linked,
    folders: Sha256Digest,
    answers: Answers,
) -> KeptLinks {
    // The cache has the files that were read, in the order of the table.
    let read = |file: &File| u32::from(file.data.is_some());
    let places: Vec<u32> = table
        .files
        .iter()
        .scan(0, |next, file| Some(std::mem::replace(next, *next + read(file))))
        .collect();
    let raw = &linked.raw;
    let node = |node: &Node| match node.kind {
        NodeKind::Source | NodeKind::External => {
            let number = table.number_of(node)? as usize;
            table.files[number].data.as_ref().map(|_| LinkedNode::File(places[number]))
        }
        NodeKind::Builtin => Some(LinkedNode::Module(node.id.to_string(), 0)),
        NodeKind::Missing => Some(LinkedNode::Module(node.id.to_string(), 1)),
    };
    let Some(nodes) = raw.nodes().iter().map(node).collect() else {
        return KeptLinks::default();
    };
    let all = || raw.iter().map(|(index, _)| raw.edges(index));
    let edge = |edge: &Edge| (edge.target, edge.explicit.bits(), edge.implicit.bits());
    let renamed = raw.iter().zip(&linked.ids).filter(|((_, node), id)| node.id != **id);
    let place = |number: u32| {
        let is_read = table.files.get(number as usize)?.data.is_some();
        is_read.then(|| places[number as usize])
    };
    let trails = Trails::of(table, place);
    let trails = trails.and_then(|trails| postcard::to_stdvec(&trails).ok()).unwrap_or_default();
    let links = Links {
        folders: *folders.as_bytes(),
        universe: table.universe,
        answers,
        nodes,
        degrees: all().map(|edges| edges.len() as u32).collect(),
        edges: all().flatten().map(edge).collect(),
        renamed: renamed.map(|((index, _), id)| (index, id.to_string())).collect(),
        notices: linked.notices.iter().map(keep_notice).collect(),
        partial: raw.partial().to_vec(),
        trails: trails.clone(),
    };
    // Writing plain data to memory does not fail; were it to, there is nothing to reuse.
    KeptLinks { links: postcard::to_stdvec(&links).unwrap_or_default(), trails }
}

fn keep_notice(notice: &Notice) -> KeptNotice {
    let code = NoticeCode::ALL.iter().position(|code| *code == notice.code);
    let place = notice.place.as_ref().map(|place| (place.path.clone(), place.position));
    (code.unwrap_or(usize::MAX) as u8, place, notice.message.clone())
}

fn notice_of((code, place, message): KeptNotice) -> Option<Notice> {
    let code = *NoticeCode::ALL.get(usize::from(code))?;
    let place = place.map(|(path, position)| Place { path, position });
    Some(Notice { code, place, message })
}

/// What a walk found, apart from the files themselves.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Walked {
    /// The digest of the walked folders.
    pub(super) folders: Sha256Digest,
    /// How many files the universe has.
    pub(super) universe: usize,
    /// Whether git would commit the workspace.
    pub(super) is_workspace_open: bool,
    /// What was noticed.
    pub(super) notices: Vec<Notice>,
}

/// What a session knows without decoding anything: while it holds, the last Map is the one of today.
#[derive(Debug)]
pub(super) struct Grounds {
    /// What the walk found.
    pub(super) walked: Walked,
    /// What the disk said beyond that.
    pub(super) answers: Arc<Answers>,
    /// What the disk said to the walk itself, where that can be trusted later.
    pub(super) seen: Option<Answers>,
}

impl Grounds {
    /// Whether the disk says all of what it said: then a walk need not be made to know what it finds.
    pub(super) fn stand(&self, system: &dyn System) -> bool {
        let seen = self.seen.as_ref();
        seen.is_some_and(|seen| seen.hold(system)) && self.answers.hold(system)
    }

    /// About how many bytes they take.
    pub(super) fn weight(&self) -> usize {
        self.answers.weight() + self.seen.as_ref().map_or(0, Answers::weight)
    }

    /// Whether a walk found nothing new, and the disk says the same as before.
    pub(super) fn hold(&self, system: &dyn System, cache: &Cache, walked: &Walked) -> bool {
        cache.is_untouched(walked.universe) && self.walked == *walked && self.answers.hold(system)
    }
}

/// What can be taken from the run that wrote the cache: all, if everything leads where it led; else what
/// the texts that have not changed say. Then the files that are not of the universe are added to
/// the table.
pub(super) fn find(
    system: &dyn System,
    cache: &Cache,
    table: &mut FileTable,
    folders: &Sha256Digest,
) -> Option<Reused> {
    if cache.links().is_empty() {
        return None;
    }
    let changed = changed_texts(cache, table)?;
    let mut links: Links = postcard::from_bytes(cache.links()).ok()?;
    let is_same = links.universe == table.universe
        && links.folders == *folders.as_bytes()
        && links.answers.hold(system);
    if !is_same {
        return None;
    }
    if changed.is_empty() {
        table.extend(cache.from(table.universe));
        let answers = std::mem::take(&mut links.answers);
        let trails = std::mem::take(&mut links.trails);
        return links.restore(table).map(|linked| Reused::Whole(linked, answers, trails));
    }
    links.restore_part(cache, table, changed).map(Reused::Part)
}

/// The files of the universe in which other links stand than before; `None` where the files are not
/// those that the cache knows.
fn changed_texts(cache: &Cache, table: &FileTable) -> Option<Vec<u32>> {
    let universe = &table.files[..table.universe];
    if cache.paths().len() < universe.len() {
        return None;
    }
    let known: Vec<_> = (0u32..).zip(cache.paths().zip(universe)).collect();
    let judged = known.par_iter().map(|(number, (path, file))| {
        let data = file.data.as_ref()?;
        if raw_id(&table.root, &file.path) != *path {
            return None;
        }
        let kept = cache.facts_at(*number as usize);
        let is_alike = data.is_cached || is_linked_alike(kept, data.facts());
        Some((!is_alike).then_some(*number))
    });
    judged.collect::<Option<Vec<_>>>().map(|all| all.into_iter().flatten().collect())
}

/// The changed files, and all whose ecosystem looks at what stands in others.
fn with_those_that_ask(table: &FileTable, changed: Vec<u32>) -> Vec<u32> {
    let ecosystems = table.door.ecosystems;
    let asks = |number: &u32| {
        let language = table.language(*number);
        let ecosystem = language.and_then(|language| ecosystems.of_language(language.name()));
        ecosystem.is_some_and(|(_, ecosystem)| ecosystem.resolves_by_facts())
    };
    if !ecosystems.iter().any(Ecosystem::resolves_by_facts) {
        return changed;
    }
    let mut all: Vec<u32> = (0..table.universe as u32).filter(asks).chain(changed).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn is_linked_alike(kept: Option<&StoredFacts>, facts: Option<&Facts>) -> bool {
    match (kept, facts) {
        (Some(kept), Some(facts)) => kept.decode().links_as(facts),
        (kept, facts) => kept.is_none() && facts.is_none(),
    }
}

impl Links {
    /// What is left when some texts have changed; `None` where it is better to begin anew.
    fn restore_part(self, cache: &Cache, table: &mut FileTable, changed: Vec<u32>) -> Option<Part> {
        let notices: Vec<Notice> =
            self.notices.into_iter().map(notice_of).collect::<Option<_>>()?;
        // Those of names and of too many definers are found anew; those of files that could not be read
        // are of files that may not be wanted any more.
        let is_new = |notice: &Notice| {
            matches!(notice.code, NoticeCode::GraphPackageName | NoticeCode::GraphCut)
        };
        let notices: Vec<Notice> = notices.into_iter().filter(|notice| !is_new(notice)).collect();
        let is_lost =
            notices.iter().any(|notice| notice.code == NoticeCode::GraphExternalUnreadable);
        // Nobody knows whose import a notice is of: with notices, no import may be gone.
        let drops = |number: &u32| {
            let kept =
                cache.facts_at(*number as usize).map(StoredFacts::decode).unwrap_or_default();
            let now = table.facts(*number).map(|facts| facts.imports.as_slice());
            kept.imports.iter().any(|import| !now.unwrap_or_default().contains(import))
        };
        let may_stay = notices.is_empty() || !changed.iter().any(drops);
        if is_lost || !may_stay || !self.partial.is_empty() || self.trails.is_empty() {
            return None;
        }
        let trails: Trails = postcard::from_bytes(&self.trails).ok()?;
        let trails = trails.restore(cache.paths().len())?;
        let alone = changed.len();
        let changed = with_those_that_ask(table, changed);
        if !notices.is_empty() && changed.len() > alone {
            return None;
        }
        if trails.len() != table.universe || changed.len() > table.universe / 2 {
            return None;
        }
        table.extend(cache.from(table.universe));
        for (file, (targets, needs)) in table.files.iter_mut().zip(trails) {
            (file.targets, file.needs) = (targets, needs);
        }
        Some(Part { changed, notices, answers: self.answers })
    }

    fn restore(self, table: &FileTable) -> Option<Linked> {
        let node = |node: LinkedNode| match node {
            LinkedNode::File(number) => table.node(number),
            LinkedNode::Module(id, 0) => Some(Node::abstract_module(id.into(), NodeKind::Builtin)),
            LinkedNode::Module(id, _) => Some(Node::abstract_module(id.into(), NodeKind::Missing)),
        };
        let nodes: Vec<Node> = self.nodes.into_iter().map(node).collect::<Option<_>>()?;
        let mut ids: Vec<NodeId> = nodes.iter().map(|node| node.id.clone()).collect();
        for (index, id) in self.renamed {
            *ids.get_mut(index as usize)? = id.into();
        }
        let edges = self.edges.into_iter().map(|(target, explicit, implicit)| {
            let mask = |bits: u8| KindMask::from_bits_truncate(u64::from(bits));
            Edge { target, explicit: mask(explicit), implicit: mask(implicit) }
        });
        let raw = Graph::from_parts(nodes, &self.degrees, edges.collect())?;
        let raw = raw.with_partial(self.partial);
        let notices = self.notices.into_iter().map(notice_of).collect::<Option<_>>()?;
        Some(Linked { raw, ids, notices })
    }
}
