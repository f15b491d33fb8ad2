//! Implements `portolan export`: a repository as rows, for an atlas of many repositories.
//!
//! The tables contain the map and the declarations. Dependencies on other repositories are named as
//! in code and manifests. As everywhere, text of files passes through the guard.

mod external;
mod outline;
mod packages;
mod references;
mod surface;
mod table_cache;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use portolan_guard::redact;
use portolan_types::{KindMask, NodeKind, Notice, NoticeCode, ResolutionMask};
use portolan_vfs::sha256;
use portolan_wire::atlas::{
    EdgeRow, FileRow, Leaving, ReferenceRow, RepositoryRow, RepositorySet, VERSION,
};
use portolan_workspace::{first_parent, origin};
use rayon::prelude::*;

use self::external::Borders;
use self::packages::Packages;
pub use self::table_cache::{KeptSet, keep, kept};
use portolan_index::map::{MapError, MapReport, UniverseFile};
use portolan_index::session::Session;
use portolan_index::token_counts::{DiskTokenStore, TokenSource, Tokenizer, count_all};
use portolan_vfs::{FileKind, System};
use portolan_workspace::config::Loaded;

/// The name of a repository, and the digest of everything its rows are made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub id: String,
    /// The digest.
    pub digest: String,
    /// Its remote, without credentials.
    pub origin: Option<String>,
    /// The checked-out commit.
    pub commit: Option<String>,
}

/// A repository as rows, with notices.
#[derive(Clone, Debug, Default)]
pub struct ExportReport {
    /// The rows.
    pub set: RepositorySet,
    /// Notices about unreadable files and unresolved imports, sorted.
    pub notices: Vec<Notice>,
}

/// The writer of the rows.
const TOOL: &str = concat!("portolan ", env!("CARGO_PKG_VERSION"));

/// Whether a folder is an atlas: it has the rows that make sets current, and is not a repository.
pub fn is_atlas(system: &dyn System, folder: &Path) -> bool {
    let rows = folder.join("repository");
    let is_folder = system.lstat(&rows).is_ok_and(|stat| stat.kind == FileKind::Dir);
    let is_row = |name: &OsStr| Path::new(name).extension().is_some_and(|it| it == "parquet");
    is_folder
        && system.lstat(&folder.join(".git")).is_err()
        && system.read_dir(&rows).is_ok_and(|names| names.iter().any(|it| is_row(&it.name)))
}

/// Identifies a repository and its content. The name is `id` if given, otherwise the remote or the
/// folder. `writer` identifies the code that will write the rows.
pub fn identify(
    session: &Session<'_>,
    id: Option<&str>,
    writer: &str,
) -> Result<Identity, MapError> {
    let snapshot = session.snapshot()?;
    let (system, config) = (session.system(), session.config());
    let origin = origin(system, &config.root);
    let commit = first_parent(system, &config.root, None);
    let id = id.map_or_else(|| own_id(origin.clone(), &config.root), ToOwned::to_owned);
    let mut text = format!("{TOOL}\0{VERSION}\0{}\0{writer}\0", rows_fingerprint());
    text.push_str(&config.settings.secrets.guard().fingerprint());
    for part in [Some(&id), origin.as_ref(), commit.as_ref()] {
        text.push('\0');
        text.push_str(part.map_or("", String::as_str));
    }
    write_graph(&mut text, &snapshot.map);
    let digest = sha256(text.as_bytes()).to_hex();
    Ok(Identity { id, digest, origin, commit })
}

/// Identifies the code that makes rows.
fn rows_fingerprint() -> String {
    let own = env!("PORTOLAN_FINGERPRINT");
    [&portolan_index::fingerprint(), portolan_wire::FINGERPRINT, own].join("-")
}

/// The default id of a repository.
pub fn id_of(system: &dyn System, root: &Path) -> String {
    own_id(origin(system, root), root)
}

fn own_id(origin: Option<String>, root: &Path) -> String {
    let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned());
    origin.or_else(folder).unwrap_or_else(|| "repository".to_owned())
}

/// Writes the map as text: all inputs of the rows, with digests in place of the bytes of files.
fn write_graph(text: &mut String, map: &MapReport) {
    use std::fmt::Write as _;
    for (index, node) in map.graph.iter() {
        let digest = node.sha256.map(|digest| digest.to_hex()).unwrap_or_default();
        let description = node.description.as_deref().unwrap_or_default();
        let _ = write!(text, "\n{}\0{}\0{digest}\0{description}", node.id, node.kind.name());
        for edge in map.graph.edges(index) {
            let kinds = (edge.explicit.bits(), edge.implicit.bits());
            let _ = write!(text, "\0{}.{}.{}", edge.target, kinds.0, kinds.1);
        }
    }
    for file in &map.universe {
        let _ = write!(text, "\n{}\0{}", file.path, file.sha256.to_hex());
    }
}

/// Exports a repository as rows.
pub fn export(session: &Session<'_>, identity: &Identity) -> Result<ExportReport, MapError> {
    let snapshot = session.snapshot()?;
    let (system, config, map) = (session.system(), session.config(), &snapshot.map);
    let mut notices = map.notices.clone();
    let packages = Packages::of(system, config, map);
    let borders = Borders::of(map, &packages, &config.settings.stan_path);
    let mut set = RepositorySet {
        files: session.install(|| files(session, map, &mut notices)),
        edges: edges(map, &borders),
        ..RepositorySet::default()
    };
    let store = session.declarations();
    let (outlines, swept) = session.install(|| outline::read(system, config, map, store));
    let (surface, found) = session.install(|| {
        let surface = || surface::exported(&swept, &packages);
        rayon::join(surface, || references::rows(&swept, &outlines, &borders))
    });
    // Free the declarations: the next steps need the memory.
    drop(swept);
    let (surface, found) = (surface?, found?);
    add_unimported(&mut set.edges, &found);
    set.references = found.into_iter().map(|(row, _)| row).collect();
    set.packages = packages.rows(&outlines, &surface);
    set.declarations = outline::rows(map, &outlines, &packages, &surface);
    notices.extend(store.save(system));
    notices.sort();
    notices.dedup();
    set.repository = repository(identity, map, &set);
    Ok(ExportReport { set, notices })
}

fn repository(identity: &Identity, map: &MapReport, set: &RepositorySet) -> RepositoryRow {
    let packages = set.packages.iter().map(|it| format!("{}:{}", it.ecosystem, it.name));
    let provides = set
        .packages
        .iter()
        .flat_map(|it| it.modules.iter().map(|module| format!("{}:{module}", it.ecosystem)));
    let leaves = set.edges.iter().filter_map(|edge| edge.leaves.as_ref());
    let uses = leaves.map(|it| format!("{}:{}", it.ecosystem, it.module));
    let sorted = |list: BTreeSet<String>| list.into_iter().collect();
    let Identity { id, digest, origin, commit } = identity.clone();
    RepositoryRow {
        id,
        digest,
        origin,
        commit,
        tool: TOOL.to_owned(),
        schema: VERSION,
        files: map.universe.len() as u64,
        packages: sorted(packages.collect()),
        provides: sorted(provides.collect()),
        uses: sorted(uses.collect()),
    }
}

/// A file whose tokens are counted.
struct Counted<'a> {
    system: &'a dyn System,
    file: &'a UniverseFile,
}

impl TokenSource for Counted<'_> {
    fn digest(&self) -> Option<portolan_types::Sha256Digest> {
        Some(self.file.sha256)
    }

    fn read(&self) -> Option<Vec<u8>> {
        self.system.read_at_most(&self.file.absolute, MOST_COUNTED).ok()
    }
}

/// Larger files are not counted.
const MOST_COUNTED: usize = 4 << 20;

/// The files that the guard denies. Code files were checked when the map was built.
fn silenced<'m>(system: &dyn System, config: &Loaded, map: &'m MapReport) -> BTreeSet<&'m str> {
    let told = map.notices.iter().filter(|it| it.code == NoticeCode::GuardSilenced);
    let told = told.filter_map(|it| Some(it.place.as_ref()?.path.as_str()));
    let guard = config.settings.secrets.guard();
    let others =
        map.universe.par_iter().filter(|file| !portolan_languages::is_code(file.path.as_str()));
    let denied = others.filter(|file| {
        let bytes = system.read_at_most(&file.absolute, MOST_COUNTED).unwrap_or_default();
        guard.judge(&file.path, &bytes).is_some()
    });
    let denied: Vec<&str> = denied.map(|file| file.path.as_str()).collect();
    told.chain(denied).collect()
}

fn files(session: &Session<'_>, map: &MapReport, notices: &mut Vec<Notice>) -> Vec<FileRow> {
    let (system, config) = (session.system(), session.config());
    let store = DiskTokenStore::open(system, session.cache(), Tokenizer::O200kBase);
    let is_small = |file: &&UniverseFile| file.size <= MOST_COUNTED as u64;
    let counted: Vec<&UniverseFile> = map.universe.iter().filter(is_small).collect();
    let sources: Vec<Counted<'_>> = counted.iter().map(|file| Counted { system, file }).collect();
    let tokens = count_all(Tokenizer::O200kBase, &store, &sources);
    notices.extend(store.save(system));
    let mut tokens = counted.iter().zip(tokens).peekable();
    let silenced = silenced(system, config, map);
    let mut rows = Vec::with_capacity(map.universe.len());
    for file in &map.universe {
        let next = tokens.next_if(|(counted, _)| counted.path == file.path);
        // For a file that may hold secrets, export its path and nothing that would help to guess
        // its content.
        let is_silenced = silenced.contains(file.path.as_str());
        let node = map.graph.index_of(file.path.as_str()).map(|index| map.graph.node(index));
        rows.push(FileRow {
            path: file.path.to_string(),
            language: node.map_or("other", |node| node.language.as_str()).to_owned(),
            size: Some(file.size).filter(|_| !is_silenced),
            tokens: next.and_then(|(_, tokens)| tokens).filter(|_| !is_silenced),
            sha256: Some(file.sha256.to_hex()).filter(|_| !is_silenced),
            description: node
                .and_then(|node| Some(redact(node.description.as_deref()?).into_owned())),
        });
    }
    rows
}

fn edges(map: &MapReport, borders: &Borders<'_>) -> Vec<EdgeRow> {
    let mut rows = Vec::new();
    for (index, node) in map.graph.iter().filter(|(_, node)| node.kind == NodeKind::Source) {
        for edge in map.graph.edges(index) {
            let target = map.graph.node(edge.target);
            rows.push(EdgeRow {
                source: node.id.to_string(),
                target: target.id.to_string(),
                kinds: words(edge.kinds()),
                resolution: match edge.resolution() {
                    ResolutionMask::EXPLICIT => "explicit",
                    ResolutionMask::IMPLICIT => "implicit",
                    _ => "both",
                },
                leaves: borders.crossed(node.id.as_str(), target),
            });
        }
    }
    rows
}

/// Adds the packages that a file uses without its own import: through a path in its code, or
/// through a re-export of another file in the repository.
fn add_unimported(edges: &mut Vec<EdgeRow>, found: &[(ReferenceRow, Option<Leaving>)]) {
    let leaves = |edge: &EdgeRow| Some((edge.source.clone(), edge.leaves.as_ref()?.module.clone()));
    let mut known: BTreeSet<(String, String)> = edges.iter().filter_map(leaves).collect();
    for (row, leaving) in found {
        let Some(leaving) = leaving else { continue };
        if known.insert((row.path.clone(), leaving.module.clone())) {
            edges.push(EdgeRow {
                source: row.path.clone(),
                target: leaving.module.clone(),
                kinds: words(KindMask::RUNTIME),
                resolution: "implicit",
                leaves: Some(leaving.clone()),
            });
        }
    }
}

fn words(kinds: KindMask) -> String {
    kinds.kinds().map(portolan_types::EdgeKind::name).collect::<Vec<_>>().join(" ")
}
