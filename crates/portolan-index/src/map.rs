//! The Map: from a repository to its dependency graph.
//!
//! One parallel pass walks, reads, hashes and extracts; then every specifier is resolved, the files
//! that only an import leads to are read, names are tunnelled through barrels, and the graph is put
//! together. Threads race for work, never for a place in the result.

mod build;
mod cache;
mod cached_resolutions;
mod dependency_status;
mod excluded;
mod files;
mod journal;
mod link;
mod reexports;
mod resolved_imports;
mod reuse;
mod scope;
mod source_tree;
mod staged_ids;

use std::path::PathBuf;
use std::sync::Arc;

use portolan_graph::{CollisionError, Graph};
use portolan_languages::{Ecosystems, ExtractSettings, Languages};
use portolan_types::{NodeId, Notice, RepoPath, Sha256Digest};
use portolan_vfs::System;
use portolan_workspace::{PatternError, Patterns, ScanSettings};
use thiserror::Error;

pub use self::cache::{CacheMode, FOLDER as CACHE_FOLDER, LOCK as CACHE_LOCK, is_real_folder};
pub(crate) use self::cache::{CacheSource, Kept};
pub use self::excluded::Excluded;
pub use self::files::judged_name;
pub use self::resolved_imports::ImportWays;
pub(crate) use self::resolved_imports::ResolvedImport;
pub use self::staged_ids::claimed_id;
use crate::pool::on_threads;
use crate::timings::Timings;
use portolan_workspace::config::Loaded;

/// What to map.
#[derive(Clone, Debug)]
pub struct MapRequest {
    /// The repository and its settings.
    pub config: Loaded,
    /// How many threads to use; 0 for one per core.
    pub threads: usize,
}

/// The languages that are read and the ecosystems whose imports are resolved: all there are, unless
/// somebody brings others.
#[derive(Clone, Copy, Default)]
pub struct LanguageRegistry {
    /// The languages.
    pub languages: Languages,
    /// The ecosystems.
    pub ecosystems: Ecosystems,
}

impl LanguageRegistry {
    /// Tells doors apart that read or resolve differently.
    pub fn fingerprint(self) -> String {
        let ecosystems =
            self.ecosystems.iter().map(|one| [one.name(), one.fingerprint()].join(" "));
        [self.languages.fingerprint(), ecosystems.collect::<Vec<_>>().join("\n")].join("\0")
    }
}

/// The Map and what was learned on the way.
#[derive(Clone, Debug)]
pub struct MapReport {
    /// The graph with canonical ids: what the assistant sees.
    pub graph: Graph,
    /// The graph with raw ids: repo paths, and absolute paths outside the root.
    pub raw: Graph,
    /// Where each external file of the graph is, sorted by id.
    pub locators: Vec<Locator>,
    /// The files of the universe, sorted by path.
    pub universe: Vec<UniverseFile>,
    /// What `excludes` hides: of such a node there is nothing but its id.
    pub excluded: Excluded,
    /// Whether git would commit what is written to the workspace.
    pub is_workspace_open: bool,
    /// What could not be read, parsed or resolved as it should, sorted.
    pub notices: Vec<Notice>,
    /// Where each import led, where that is known without another look at the disk.
    pub resolved_imports: Arc<ImportWays>,
    /// How long the stages took.
    pub timings: Timings,
}

impl MapReport {
    /// Whether another Map says the same, however long it took.
    pub fn is_same(&self, other: &Self) -> bool {
        self.graph == other.graph
            && self.raw == other.raw
            && self.locators == other.locators
            && self.universe == other.universe
            && self.notices == other.notices
    }
}

impl MapReport {
    /// The place of a file in the universe.
    pub fn place_of(&self, path: &str) -> Option<u32> {
        let found = self
            .universe
            .binary_search_by(|file| portolan_types::cmp_utf16(file.path.as_str(), path));
        found.ok().map(|at| at as u32)
    }

    /// About how many bytes it takes.
    pub fn weight(&self) -> usize {
        // Two graphs, and a territory made of one of them; paths are there three times.
        let nodes = self.graph.nodes().len() * 3 * 160;
        let edges: usize = self.graph.iter().map(|(node, _)| self.graph.edges(node).len()).sum();
        let files: usize =
            self.universe.iter().map(|file| 120 + 3 * file.path.as_str().len()).sum();
        nodes + edges * 3 * size_of::<portolan_graph::Edge>() + files
    }
}

/// An external file: what the map file records of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    /// Its canonical id.
    pub id: NodeId,
    /// Its absolute path, links followed.
    pub path: PathBuf,
    /// Its length.
    pub size: u64,
    /// The digest of its bytes.
    pub sha256: Sha256Digest,
}

/// A file of the universe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniverseFile {
    /// Its path.
    pub path: RepoPath,
    /// Where its bytes are (a link's target).
    pub absolute: PathBuf,
    /// Its length.
    pub size: u64,
    /// The digest of its bytes.
    pub sha256: Sha256Digest,
}

/// Why there is no Map.
#[derive(Debug, Error)]
pub enum MapError {
    /// A pattern of the configuration or the command line can't be used.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Two copies of one package file differ.
    #[error(transparent)]
    Collision(#[from] CollisionError),
    /// The threads could not be started.
    #[error("cannot start {}: {reason}", if *threads == 0 { "a thread for each core".to_owned() } else { format!("{threads} threads") })]
    Threads {
        /// How many were asked for; 0 for one per core.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The root can't be listed: there is no telling what is in it.
    #[error("the repository `{}` cannot be listed: {reason}", path.display())]
    RootUnreadable {
        /// The root.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Nobody waits for it any more.
    #[error("the question was taken back")]
    Stopped,
    /// The root can't be used as text.
    #[error("the repository's path is not UTF-8: `{}`", .0.display())]
    RootName(PathBuf),
}

/// Builds the Map from the files alone.
pub fn build(system: &dyn System, request: &MapRequest) -> Result<MapReport, MapError> {
    build_cached(system, request, CacheMode::Off)
}

/// Builds the Map with the help of what an earlier run left. The Map is the same; what is said of
/// the cache itself is in the notices.
pub fn build_cached(
    system: &dyn System,
    request: &MapRequest,
    cache: CacheMode,
) -> Result<MapReport, MapError> {
    build_through(system, request, cache, LanguageRegistry::default())
}

/// Builds the Map in other languages than usual.
pub fn build_through(
    system: &dyn System,
    request: &MapRequest,
    cache: CacheMode,
    registry: LanguageRegistry,
) -> Result<MapReport, MapError> {
    let source = CacheSource::Disk(cache);
    let built =
        on_threads(request.threads, || build_from(system, &request.config, source, registry));
    // Only a session has a last Map to refer to.
    built?.and_then(|(report, _)| report.ok_or(MapError::Stopped))
}

/// Builds the Map on the threads that there are; what a later build may go on from comes with it,
/// where there is a cache. There is no Map where that shows that the last one is still right.
pub(crate) fn build_from(
    system: &dyn System,
    config: &Loaded,
    source: CacheSource,
    registry: LanguageRegistry,
) -> Result<(Option<MapReport>, Option<Kept>), MapError> {
    let settings = &config.settings;
    let scan = ScanSettings {
        root: config.root.clone(),
        stan_path: settings.stan_path.clone(),
        includes: Patterns::new(&settings.includes)?,
        excludes: Patterns::new(&settings.excludes)?,
        git: config.git.clone(),
    };
    let extract = ExtractSettings {
        description_limit: settings.descriptions.limit as usize,
        description_tags: settings.descriptions.tags.clone(),
    };
    let guard = settings.secrets.guard();
    // The only thing that is written is the cache.
    let restricted = system.restricted_to(&scan.root, &scan.stan_path);
    let (report, kept) =
        build::build(&*restricted, &scan, &extract, source, &guard, registry, &config.stores)?;
    let Some(mut report) = report else { return Ok((None, kept)) };
    report.limit(&Patterns::new(&settings.scope)?);
    report.notices.extend(config.notices.iter().cloned());
    report.notices.sort_unstable();
    Ok((Some(report), kept))
}
