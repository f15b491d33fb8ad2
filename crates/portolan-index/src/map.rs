//! The Map: from a repository to its dependency graph.
//!
//! One parallel pass walks, reads, hashes and extracts. Then specifiers are resolved, files outside the universe are
//! read, names are followed through re-exports, and the graph is assembled. The result does not depend on the order in
//! which threads finish.

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
use portolan_types::{FileId, NodeId, Notice, RepoPath, Sha256Digest};
use portolan_vfs::System;
use portolan_workspace::{PatternError, Patterns, ScanSettings};
use thiserror::Error;

pub(crate) use self::cache::{CacheSource, Kept};
pub use self::excluded::Excluded;
pub use self::files::judged_name;
pub use self::resolved_imports::ImportWays;
pub(crate) use self::resolved_imports::ResolvedImport;
pub use self::staged_ids::claimed_id;
use crate::pool::on_threads;
use crate::store::CacheFolder;
pub use crate::store::CacheMode;
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

/// The languages to read and the ecosystems to resolve imports with; all of them by default.
#[derive(Clone, Copy, Default)]
pub struct LanguageRegistry {
    /// The languages.
    pub languages: Languages,
    /// The ecosystems.
    pub ecosystems: Ecosystems,
}

impl LanguageRegistry {
    /// Differs between registries that read or resolve differently.
    pub fn fingerprint(self) -> String {
        let ecosystems =
            self.ecosystems.iter().map(|one| [one.name(), one.fingerprint()].join(" "));
        [self.languages.fingerprint(), ecosystems.collect::<Vec<_>>().join("\n")].join("\0")
    }
}

/// The map, with everything else that a build finds.
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
    /// What `excludes` hides: such a node has only an id.
    pub excluded: Excluded,
    /// Whether git would commit what is written to the workspace.
    pub is_workspace_open: bool,
    /// Problems with reading, parsing and resolving, sorted.
    pub notices: Vec<Notice>,
    /// The resolved imports that are known without asking the disk again.
    pub resolved_imports: Arc<ImportWays>,
    /// How long the stages took.
    pub timings: Timings,
}

impl MapReport {
    /// Whether another map is the same, apart from the timings.
    pub fn is_same(&self, other: &Self) -> bool {
        self.graph == other.graph
            && self.raw == other.raw
            && self.locators == other.locators
            && self.universe == other.universe
            && self.notices == other.notices
    }
}

impl MapReport {
    /// The index of a file in the universe.
    pub fn place_of(&self, path: &str) -> Option<FileId> {
        let found = self
            .universe
            .binary_search_by(|file| portolan_types::cmp_utf16(file.path.as_str(), path));
        found.ok().map(FileId::at)
    }

    /// The approximate size in bytes.
    pub fn weight(&self) -> usize {
        // Two graphs, and a CSR graph of one of them: paths exist three times.
        let nodes = self.graph.nodes().len() * 3 * 160;
        let edges: usize = self.graph.iter().map(|(node, _)| self.graph.edges(node).len()).sum();
        let files: usize =
            self.universe.iter().map(|file| 120 + 3 * file.path.as_str().len()).sum();
        nodes + edges * 3 * size_of::<portolan_graph::Edge>() + files
    }
}

/// An external file, as the map file records it.
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
    /// A pattern of the configuration or the command line is invalid.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Two copies of one package file differ.
    #[error(transparent)]
    Collision(#[from] CollisionError),
    /// The threads could not be started.
    #[error("cannot start {}: {reason}", if *threads == 0 { "a thread for each core".to_owned() } else { format!("{threads} threads") })]
    Threads {
        /// The requested number; 0 for one per core.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The root cannot be listed.
    #[error("the repository `{}` cannot be listed: {reason}", path.display())]
    RootUnreadable {
        /// The root.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The build was cancelled.
    #[error("the question was taken back")]
    Stopped,
    /// The path of the root is not UTF-8.
    #[error("the repository's path is not UTF-8: `{}`", .0.display())]
    RootName(PathBuf),
}

/// Builds the Map from the files alone.
pub fn build(system: &dyn System, request: &MapRequest) -> Result<MapReport, MapError> {
    build_cached(system, request, CacheMode::Off)
}

/// Builds the map with the cache of an earlier run. The map is the same; notices may mention the cache.
pub fn build_cached(
    system: &dyn System,
    request: &MapRequest,
    cache: CacheMode,
) -> Result<MapReport, MapError> {
    build_through(system, request, cache, LanguageRegistry::default())
}

/// Builds the map with other languages.
pub fn build_through(
    system: &dyn System,
    request: &MapRequest,
    cache: CacheMode,
    registry: LanguageRegistry,
) -> Result<MapReport, MapError> {
    let config = &request.config;
    let folder = CacheFolder::open(system, config, cache);
    let source = CacheSource::Disk;
    let built =
        on_threads(request.threads, || build_from(system, config, (&folder, source), registry));
    // Only a session has an earlier map to refer to.
    built?.and_then(|(report, _)| report.ok_or(MapError::Stopped))
}

/// Builds the map on the current threads, and returns what a later build may continue from. There is no map if the last
/// one of the session is still right.
pub(crate) fn build_from(
    system: &dyn System,
    config: &Loaded,
    cache: (&CacheFolder, CacheSource),
    registry: LanguageRegistry,
) -> Result<(Option<MapReport>, Option<Kept>), MapError> {
    let settings = &config.settings;
    let scan = ScanSettings {
        root: config.root.clone(),
        stan_path: settings.stan_path.clone(),
        includes: Patterns::new(&settings.includes)?,
        excludes: Patterns::new(&settings.excludes)?,
        git: config.git.clone(),
        only: config.only.clone(),
        guard: settings.secrets.guard(),
    };
    let extract = ExtractSettings {
        description_limit: settings.descriptions.limit as usize,
        description_tags: settings.descriptions.tags.clone(),
    };
    let guard = settings.secrets.guard();
    // Only the cache is written, and it restricts its own writes.
    let (report, kept) =
        build::build(system, &scan, &extract, cache, &guard, registry, &config.stores)?;
    let Some(mut report) = report else { return Ok((None, kept)) };
    report.limit(&Patterns::new(&settings.scope)?);
    report.notices.extend(config.notices.iter().cloned());
    report.notices.sort_unstable();
    Ok((Some(report), kept))
}
