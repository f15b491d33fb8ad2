//! The links of an earlier run, and whether they are still valid.
//!
//! Links depend on four things: the files of the universe, the entries of the walked folders, the answers to other
//! queries to the disk (including missing files), and the imports and exports in the texts. While all four are the
//! same, so are the edges. Sizes, digests and descriptions are always those of this run.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_graph::{Edge, Graph, Node};
use portolan_languages::{Facts, dependency_tracking};
use portolan_types::{
    FileId, KindMask, NodeId, NodeIndex, NodeKind, Notice, NoticeCode, Place, Sha256Digest,
};
use portolan_vfs::{System, sha256};
use portolan_workspace::Listing;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::build::{File, FileTable, Linked, SourceLinks};
use super::cache::{Cache, StoredFacts};
use super::cached_resolutions::CachedResolutions;
use super::dependency_status::{DependencyStatus, Judged, Questions};
use super::journal::{self, Answers};
use super::source_tree::{Places, SourceTree};
use super::staged_ids::raw_id;

/// What is stored of a run.
#[derive(Serialize, Deserialize)]
struct Links {
    /// The digest of the walked folders.
    folders: [u8; 32],
    universe: usize,
    answers: Answers,
    nodes: Vec<LinkedNode>,
    /// The number of edges of each node; then all edges.
    degrees: Vec<u32>,
    edges: Vec<(NodeIndex, u8, u8)>,
    /// The nodes whose id differs from the raw one.
    renamed: Vec<(NodeIndex, String)>,
    notices: Vec<KeptNotice>,
    /// The nodes that lack some of their implicit edges.
    partial: Vec<NodeIndex>,
    /// The resolved imports of each file, encoded; empty if they are unknown.
    cached_resolutions: Vec<u8>,
    /// The queries of each file, encoded.
    questions: Vec<u8>,
    /// The entries of the walked folders, encoded.
    places: Vec<u8>,
}

/// What this run takes from an earlier one.
pub(super) enum Reused {
    /// All links, the answers that they depend on, and the encoded `cached_resolutions`.
    Whole(Linked, Answers, Vec<u8>),
    /// Some: texts or answers of the disk have changed.
    Part(Part),
}

/// The valid part after a change. The table already has the targets of the unaffected files.
pub(super) struct Part {
    /// The files whose imports must be resolved, in order.
    changed: Vec<FileId>,
    /// The digest of what each ecosystem knew of the whole repository.
    bases: Vec<Sha256Digest>,
    /// The answers of the disk that still hold.
    pub(super) answers: Answers,
}

impl Part {
    /// The files whose imports must be resolved, in order. If what an ecosystem knows of the whole repository has changed,
    /// all of its files.
    pub(super) fn open(self, table: &FileTable, bases: &[Sha256Digest]) -> Vec<FileId> {
        if self.bases == bases {
            return self.changed;
        }
        let is_other = |number: &FileId| {
            let ecosystem = table.ecosystem(*number);
            ecosystem.is_some_and(|(at, _)| self.bases.get(at) != bases.get(at))
        };
        let others = FileId::first(table.universe).filter(is_other);
        in_order(self.changed.into_iter().chain(others))
    }
}

fn in_order(numbers: impl Iterator<Item = FileId>) -> Vec<FileId> {
    numbers.collect::<BTreeSet<FileId>>().into_iter().collect()
}

#[derive(Serialize, Deserialize)]
enum LinkedNode {
    /// The file with this number in the cache.
    File(FileId),
    Module(String, u8),
}

type KeptPlace = (String, Option<(u32, u32)>);
pub(super) type KeptNotice = (u8, Option<KeptPlace>, String);

/// The digest of all walked folders with their entries and the targets of links.
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

/// What is stored of a run, encoded; empty if a file of the graph could not be read.
#[derive(Default)]
pub(super) struct KeptLinks {
    /// Everything, for a later run.
    pub(super) links: Vec<u8>,
    /// The resolved imports of each file, for this run.
    pub(super) cached_resolutions: Vec<u8>,
}

/// Encodes the links for a later run.
pub(super) fn keep(
    table: &FileTable,
    linked: &Linked,
    listings: &[Listing],
    folders: Sha256Digest,
    answers: Answers,
) -> KeptLinks {
    // The cache has the files that could be read, in the order of the table.
    let read = |file: &File| usize::from(file.data.is_some());
    let places: Vec<FileId> = table
        .files
        .iter()
        .scan(0, |next, file| Some(FileId::at(std::mem::replace(next, *next + read(file)))))
        .collect();
    let raw = &linked.raw;
    let node = |node: &Node| match node.kind {
        NodeKind::Source | NodeKind::External => {
            let number = table.number_of(node)?.index();
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
    let place = |number: FileId| {
        let is_read = table.files.get(number.index())?.data.is_some();
        is_read.then(|| places[number.index()])
    };
    let cached_resolutions = CachedResolutions::of(table, place);
    let cached_resolutions = cached_resolutions
        .and_then(|cached_resolutions| postcard::to_stdvec(&cached_resolutions).ok())
        .unwrap_or_default();
    // Encoding plain data does not fail. If it did, the next run would resolve everything.
    let questions = Questions::of(&table.files[..table.universe], &linked.bases);
    let places = Places::of(&SourceTree::new(&table.root, paths_of(table)), listings, &table.links);
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
        cached_resolutions: cached_resolutions.clone(),
        questions: postcard::to_stdvec(&questions).unwrap_or_default(),
        places: postcard::to_stdvec(&places).unwrap_or_default(),
    };
    KeptLinks { links: postcard::to_stdvec(&links).unwrap_or_default(), cached_resolutions }
}

pub(super) fn keep_notice(notice: &Notice) -> KeptNotice {
    let code = NoticeCode::ALL.iter().position(|code| *code == notice.code);
    let place = notice.place.as_ref().map(|place| (place.path.clone(), place.position));
    (code.unwrap_or(usize::MAX) as u8, place, notice.message.clone())
}

pub(super) fn notice_of((code, place, message): KeptNotice) -> Option<Notice> {
    let code = *NoticeCode::ALL.get(usize::from(code))?;
    let place = place.map(|(path, position)| Place { path, position });
    Some(Notice { code, place, message })
}

/// The result of a walk, except for the files.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Walked {
    /// The digest of the walked folders.
    pub(super) folders: Sha256Digest,
    /// The number of files of the universe.
    pub(super) universe: usize,
    /// Whether git would commit the workspace.
    pub(super) is_workspace_open: bool,
    /// The notices.
    pub(super) notices: Vec<Notice>,
}

/// What the last map of a session depends on.
#[derive(Debug)]
pub(super) struct Validity {
    /// The result of the walk.
    pub(super) walked: Walked,
    /// The other answers of the disk.
    pub(super) answers: Arc<Answers>,
    /// The answers to the walk itself, if they can be checked later.
    pub(super) seen: Option<Answers>,
}

impl Validity {
    /// Whether the disk gives all answers again: then a walk would find the same.
    pub(super) fn is_current(&self, system: &dyn System) -> bool {
        let seen = self.seen.as_ref();
        seen.is_some_and(|seen| seen.is_current(system)) && self.answers.is_current(system)
    }

    /// The approximate size in bytes.
    pub(super) fn weight(&self) -> usize {
        self.answers.weight() + self.seen.as_ref().map_or(0, Answers::weight)
    }

    /// Whether a walk found nothing new, and the disk gives the same answers.
    pub(super) fn is_current_after(
        &self,
        system: &dyn System,
        cache: &Cache,
        walked: &Walked,
    ) -> bool {
        cache.is_untouched(walked.universe)
            && self.walked == *walked
            && self.answers.is_current(system)
    }
}

/// The paths of the universe, from the root.
fn paths_of(table: &FileTable) -> impl Iterator<Item = &str> {
    table.files[..table.universe].iter().map(|file| raw_id(&table.root, &file.path))
}

/// Takes the valid links from the run that wrote the cache: all of them, or those of the files whose texts and answers
/// are the same. It then adds the files outside the universe to the table.
pub(super) fn find(
    system: &dyn System,
    cache: &Cache,
    table: &mut FileTable,
    listings: &[Listing],
    folders: &Sha256Digest,
) -> Option<Reused> {
    if cache.links().is_empty() {
        return None;
    }
    let mut links: Links = postcard::from_bytes(cache.links()).ok()?;
    let moves = Moves::between(cache, links.universe, table);
    let changed = changed_texts(cache, table, moves.as_ref())?;
    let (answers, mut others) = std::mem::take(&mut links.answers).ask_again(system)?;
    let is_same_place = moves.is_none() && links.folders == *folders.as_bytes();
    if is_same_place && others.is_empty() && changed.is_empty() {
        table.extend(cache.from(table.universe));
        let cached_resolutions = std::mem::take(&mut links.cached_resolutions);
        return links
            .restore(table)
            .map(|linked| Reused::Whole(linked, answers, cached_resolutions));
    }
    if !is_same_place {
        others.extend(links.moved(cache, table, listings)?);
    }
    let part = links.restore_part(cache, table, moves.as_ref(), changed, &others, answers);
    if part.is_none() {
        table.reset();
    }
    part.map(Reused::Part)
}

/// Maps the numbers of files in this run to those in the cache.
struct Moves {
    /// The earlier number of each file of the universe.
    before: Vec<Option<FileId>>,
    /// The number now of each file in the cache, if it is in the universe.
    now: Vec<Option<FileId>>,
}

impl Moves {
    /// `None` if the universe is that of the cache.
    fn between(cache: &Cache, universe: usize, table: &FileTable) -> Option<Self> {
        if universe == table.universe && cache.paths().take(universe).eq(paths_of(table)) {
            return None;
        }
        let numbers: FxHashMap<&str, FileId> = paths_of(table).zip(FileId::all()).collect();
        let now: Vec<_> = cache.paths().map(|path| numbers.get(path).copied()).collect();
        let mut before = vec![None; table.universe];
        for (number, place) in FileId::all().zip(&now).take(universe) {
            if let Some(place) = place {
                before[place.index()] = Some(number);
            }
        }
        Some(Self { before, now })
    }
}

/// The files of the universe whose imports or exports have changed; `None` if that is unknown.
fn changed_texts(cache: &Cache, table: &FileTable, moves: Option<&Moves>) -> Option<Vec<FileId>> {
    let universe: Vec<_> = FileId::all().zip(&table.files[..table.universe]).collect();
    let judged = universe.par_iter().map(|(number, file)| {
        let data = file.data.as_ref()?;
        let before = match moves {
            None => Some(*number),
            Some(moves) => moves.before[number.index()],
        };
        let is_alike = before.is_some_and(|before| {
            data.is_cached || is_linked_alike(cache.facts_at(before.index()), data.facts())
        });
        Some((!is_alike).then_some(*number))
    });
    judged.collect::<Option<Vec<_>>>().map(|all| all.into_iter().flatten().collect())
}

fn is_linked_alike(kept: Option<&StoredFacts>, facts: Option<&Facts>) -> bool {
    match (kept, facts) {
        (Some(kept), Some(facts)) => kept.decode().links_as(facts),
        (kept, facts) => kept.is_none() && facts.is_none(),
    }
}

impl Links {
    /// The queries with other answers because files were added or removed; `None` if that is unknown.
    fn moved(
        &self,
        cache: &Cache,
        table: &FileTable,
        listings: &[Listing],
    ) -> Option<FxHashSet<u32>> {
        let places: Places = postcard::from_bytes(&self.places).ok()?;
        let before = SourceTree::new(&table.root, cache.paths().take(self.universe));
        let after = SourceTree::new(&table.root, paths_of(table));
        places.other_answers(&before, &Places::of(&after, listings, &table.links), &after)
    }

    /// The valid part after some texts or answers have changed; `None` if it is better to start over.
    fn restore_part(
        self,
        cache: &Cache,
        table: &mut FileTable,
        moves: Option<&Moves>,
        changed: Vec<FileId>,
        others: &FxHashSet<u32>,
        answers: Answers,
    ) -> Option<Part> {
        // An unreadable file may no longer be needed, or may be readable now.
        let lost =
            NoticeCode::ALL.iter().position(|code| *code == NoticeCode::GraphExternalUnreadable);
        let is_lost = self.notices.iter().any(|(code, ..)| Some(usize::from(*code)) == lost);
        if is_lost || !self.partial.is_empty() || self.cached_resolutions.is_empty() {
            return None;
        }
        let questions: Questions = postcard::from_bytes(&self.questions).ok()?;
        let Judged { bases, files } = questions.judge(others)?;
        let before = |number: FileId| match moves {
            None => Some(number),
            Some(moves) => moves.before[number.index()],
        };
        let standing = |number: FileId| files.get(before(number)?.index());
        let has_others =
            |number: &FileId| matches!(standing(*number), Some(DependencyStatus::Other) | None);
        let is_open = |number: &FileId| has_others(number) || table.resolves_by_facts(*number);
        let universe = || FileId::first(table.universe);
        let open = changed.into_iter().chain(universe().filter(is_open));
        let changed = in_order(open.filter(|number| table.ecosystem(*number).is_some()));
        if changed.len() > table.universe / 2 {
            return None;
        }
        for number in universe() {
            if let Some(DependencyStatus::Same(record)) = standing(number) {
                table.files[number.index()].asked = Some(Arc::clone(record));
            }
        }
        self.restore_trails(cache, table, moves, &changed, others)?;
        Some(Part { changed, bases, answers })
    }

    /// Restores the targets of all files except the changed ones.
    fn restore_trails(
        &self,
        cache: &Cache,
        table: &mut FileTable,
        moves: Option<&Moves>,
        changed: &[FileId],
        others: &FxHashSet<u32>,
    ) -> Option<()> {
        let mut places: Vec<Option<FileId>> = match moves {
            None => FileId::first(self.universe).map(Some).collect(),
            Some(moves) => moves.now.clone(),
        };
        places.resize(cache.paths().len(), None);
        for (number, (path, data)) in (self.universe..).zip(cache.from(self.universe)) {
            // If the file has changed, it is read when an import leads to it.
            if places[number].is_none() && !others.contains(&dependency_tracking::path_key(&path)) {
                places[number] = Some(FileId::at(table.files.len()));
                table.extend(std::iter::once((path, data)));
            }
        }
        let now = |before: usize| places.get(before).copied().flatten();
        let is_wanted = |before: usize| {
            now(before).is_some_and(|number| changed.binary_search(&number).is_err())
        };
        let mut place = |before: FileId| {
            let other = || cache.from((before.index()).max(self.universe)).next();
            let is_other = before.index() >= self.universe;
            now(before.index())
                .or_else(|| is_other.then(other).flatten().map(|(path, _)| table.intern(&path)))
        };
        let cached_resolutions: CachedResolutions =
            postcard::from_bytes(&self.cached_resolutions).ok()?;
        let cached_resolutions = cached_resolutions.restore(is_wanted, &mut place)?;
        for (before, trail) in cached_resolutions.into_iter().enumerate() {
            if let (Some(number), Some(trail)) = (now(before), trail) {
                let file = &mut table.files[number.index()];
                (file.targets, file.needs) = trail;
            }
        }
        Some(())
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
            *ids.get_mut(index.index())? = id.into();
        }
        let edges = self.edges.into_iter().map(|(target, explicit, implicit)| {
            let mask = |bits: u8| KindMask::from_bits_truncate(u64::from(bits));
            Edge { target, explicit: mask(explicit), implicit: mask(implicit) }
        });
        let raw = Graph::from_parts(nodes, &self.degrees, edges.collect())?;
        let raw = raw.with_partial(self.partial);
        let notices = self.notices.into_iter().map(notice_of).collect::<Option<_>>()?;
        Some(Linked { raw, ids, notices, bases: Vec::new() })
    }
}
