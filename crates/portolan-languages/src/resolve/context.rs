//! The state that all ecosystems share: one view of the disk, the universe, and the notices.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_types::{Facts, Notice, NoticeCode, Place};
use portolan_vfs::{DirEntry, System};

use crate::resolve::dependency_tracking;
use crate::resolve::files::{DiskView, is_under};
use crate::resolve::stores::Stores;

/// The files of the universe.
pub trait Sources: Sync {
    /// The absolute paths, in order.
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// Whether the universe contains a file, by its absolute path.
    fn contains(&self, path: &str) -> bool;

    /// The facts of a file, if it is code.
    fn facts(&self, path: &str) -> Option<&Facts>;

    /// The absolute path that a link of the universe points to.
    fn real(&self, _path: &str) -> Option<&str> {
        None
    }
}

/// A universe without facts. The paths are sorted.
#[derive(Clone, Debug, Default)]
pub struct PathSources(pub Vec<String>);

impl Sources for PathSources {
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.iter().map(String::as_str))
    }

    fn contains(&self, path: &str) -> bool {
        self.0.iter().any(|own| own == path)
    }

    fn facts(&self, _path: &str) -> Option<&Facts> {
        None
    }
}

/// The repository and its surroundings as resolvers see them. Every disk call is made once; threads
/// share the results.
pub struct ResolveContext<'a> {
    files: DiskView<'a>,
    sources: &'a dyn Sources,
    stores: Stores,
    notices: Mutex<BTreeSet<Notice>>,
}

impl<'a> ResolveContext<'a> {
    /// Creates a context for the repository at `root`, a real path. `listings` are folders that
    /// were read before.
    pub fn new(
        system: &'a dyn System,
        root: &str,
        listings: impl Iterator<Item = (String, &'a [DirEntry])>,
        sources: &'a dyn Sources,
    ) -> Self {
        let files = DiskView::new(system, root);
        for (folder, entries) in listings {
            files.seed(&folder, entries);
        }
        Self { files, sources, stores: Stores::default(), notices: Mutex::default() }
    }

    /// Adds the package stores outside of the repository.
    #[must_use]
    pub fn with_stores(mut self, stores: &Stores) -> Self {
        self.stores = stores.clone();
        self
    }

    /// The package stores outside of the repository.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// The real path of a file in the package at `folder`; `None` if it does not exist or is a link
    /// out of the package.
    pub(crate) fn file_of_package(&self, folder: &str, path: &str) -> Option<Arc<str>> {
        if !is_under(path, folder) || !self.files.is_file(path) {
            return None;
        }
        let real = self.files.real(path);
        is_under(&real, &self.files.real(folder)).then_some(real)
    }

    /// The view of the disk.
    pub fn files(&self) -> &DiskView<'a> {
        &self.files
    }

    /// The universe.
    pub fn sources(&self) -> &'a dyn Sources {
        self.sources
    }

    /// Whether the universe contains a file. This tells source from build output.
    pub fn is_source(&self, path: &str) -> bool {
        dependency_tracking::note_lookup(|| dependency_tracking::path_key(path));
        self.sources.contains(path)
    }

    /// Records a notice.
    pub fn notice(&self, notice: Notice) {
        dependency_tracking::note_notice(&notice);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).insert(notice);
    }

    /// The text of a file. A file that exists but cannot be read gets a notice.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        match self.files.read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.problem(path, &format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// A manifest in TOML. One that cannot be read or parsed gets a notice.
    pub(crate) fn read_toml(&self, path: &str) -> Option<toml::Table> {
        let text = self.read(path)?;
        match text.parse() {
            Ok(table) => Some(table),
            Err(error) => {
                let error: toml::de::Error = error;
                self.problem(path, &format!("cannot be parsed: {}", error.message()));
                None
            }
        }
    }

    fn problem(&self, path: &str, message: &str) {
        let place = Place::file(self.display_path(path));
        self.notice(Notice::at(NoticeCode::ResolveConfig, place, message));
    }

    /// All notices, sorted.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone();
        notices.extend(self.files.problems().into_iter().map(|(path, error)| {
            let message =
                format!("cannot be read, so imports through it are not resolved: {error}");
            Notice::at(
                NoticeCode::ResolveUnreadable,
                Place::file(self.display_path(&path)),
                message,
            )
        }));
        notices.into_iter().collect()
    }

    /// A path for messages: relative to the root if it is below it, else only the last segment.
    /// Messages must not reveal where things are on the machine.
    pub fn display_path(&self, path: &str) -> String {
        match path.strip_prefix(self.files.root()) {
            Some(inside) => inside.trim_start_matches('/').to_owned(),
            None => Path::new(path)
                .file_name()
                .map_or_else(String::new, |name| format!("…/{}", name.to_string_lossy())),
        }
    }
}
