//! What all ecosystems stand on: one view of the disk, the universe, and a place for notices.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use portolan_types::{Facts, Notice, NoticeCode, Place};
use portolan_vfs::{DirEntry, System};

use crate::resolve::dependency_tracking;
use crate::resolve::files::{is_under, Files};
use crate::resolve::stores::Stores;

/// The files of the universe.
pub trait Sources: Sync {
    /// Their absolute paths, in order.
    fn paths(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// Whether the file at an absolute path is one of them.
    fn contains(&self, path: &str) -> bool;

    /// What stands in one of them, if it is code.
    fn facts(&self, path: &str) -> Option<&Facts>;

    /// The absolute path of the file that one of them leads to, if it is a link.
    fn real(&self, _path: &str) -> Option<&str> {
        None
    }
}

/// A universe of which only the paths are known. Sorted.
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

/// The repository and what is around it, as resolvers see it. Every question to the disk is asked
/// once; threads share the answers.
pub struct Ground<'a> {
    files: Files<'a>,
    sources: &'a dyn Sources,
    stores: Stores,
    notices: Mutex<BTreeSet<Notice>>,
}

impl<'a> Ground<'a> {
    /// The ground of the repository at `root` (a real path). `listings` are folders that were read
    /// already.
    pub fn new(
        system: &'a dyn System,
        root: &str,
        listings: impl Iterator<Item = (String, &'a [DirEntry])>,
        sources: &'a dyn Sources,
    ) -> Self {
        let files = Files::new(system, root);
        for (folder, entries) in listings {
            files.seed(&folder, entries);
        }
        Self { files, sources, stores: Stores::default(), notices: Mutex::default() }
    }

    /// The same with packages that are kept outside of the repository.
    #[must_use]
    pub fn with_stores(mut self, stores: &Stores) -> Self {
        self.stores = stores.clone();
        self
    }

    /// Where packages are kept outside of the repository.
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// The real path of a file of a package that is kept in `folder`; `None` where nothing is there, or a link
    /// that leads out of the package.
    pub(crate) fn file_of_package(&self, folder: &str, path: &str) -> Option<Arc<str>> {
        if !is_under(path, folder) || !self.files.is_file(path) {
            return None;
        }
        let real = self.files.real(path);
        is_under(&real, &self.files.real(folder)).then_some(real)
    }

    /// The view of the disk.
    pub fn files(&self) -> &Files<'a> {
        &self.files
    }

    /// The universe.
    pub fn sources(&self) -> &'a dyn Sources {
        self.sources
    }

    /// Whether a file is one of the universe: tells source from build output.
    pub fn is_source(&self, path: &str) -> bool {
        asked::note_question(|| asked::path(path));
        self.sources.contains(path)
    }

    /// Tells of something that could not be read or was made up for.
    pub fn notice(&self, notice: Notice) {
        asked::note_notice(&notice);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).insert(notice);
    }

    /// The text of a file that an ecosystem looks into. What is there and cannot be read is told, and says nothing.
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

    /// A manifest in TOML. What is wrong with it is told, and it says nothing.
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
        let place = Place::file(self.shown(path));
        self.notice(Notice::at(NoticeCode::ResolveConfig, place, message));
    }

    /// What could not be read or was made up for on the way, sorted.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone();
        notices.extend(self.files.problems().into_iter().map(|(path, error)| {
            let message = format!("cannot be looked at, so no import leads through it: {error}");
            Notice::at(NoticeCode::ResolveUnreadable, Place::file(self.shown(&path)), message)
        }));
        notices.into_iter().collect()
    }

    /// A path as people know it: relative to the root where it is below it, else its last part, so
    /// that no message tells where on the machine things are.
    pub fn shown(&self, path: &str) -> String {
        match path.strip_prefix(self.files.root()) {
            Some(inside) => inside.trim_start_matches('/').to_owned(),
            None => Path::new(path)
                .file_name()
                .map_or_else(String::new, |name| format!("…/{}", name.to_string_lossy())),
        }
    }
}
