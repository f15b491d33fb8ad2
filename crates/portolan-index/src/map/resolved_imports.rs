//! The resolved imports of the map, so that later questions need no resolver, which reads many manifests.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use portolan_types::{FileId, ImportForm, cmp_utf16};

use super::build::{LinkTarget, Targets};
use super::cache::Kept;
use super::cached_resolutions::CachedResolutions;

/// The resolved imports of the universe, decoded on demand.
#[derive(Debug, Default)]
pub struct ImportWays {
    root: String,
    kept: Kept,
    /// The number of files of the universe: they come first, in order.
    universe: usize,
    cached_resolutions: Vec<u8>,
    decoded: OnceLock<(Vec<Targets>, Vec<FileId>)>,
    /// The files with computed imports, if there is no cache.
    computed: Vec<(String, Vec<Box<str>>)>,
    /// The files that augment other modules, if there is no cache.
    adding: Vec<String>,
}

/// An import of a file as written, and the first file that it resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedImport {
    pub(crate) specifier: Box<str>,
    pub(crate) form: ImportForm,
    /// Absolute; `None` if it resolves to no file.
    pub(crate) target: Option<Arc<str>>,
}

impl ImportWays {
    pub(super) fn new(
        root: &str,
        kept: &Kept,
        universe: usize,
        cached_resolutions: Vec<u8>,
    ) -> Self {
        let (root, kept) = (root.to_owned(), kept.clone());
        Self { root, kept, universe, cached_resolutions, ..Self::default() }
    }

    /// Without a cache: only the files with computed imports, and those that augment other modules.
    pub(super) fn unkept(computed: Vec<(String, Vec<Box<str>>)>, adding: Vec<String>) -> Self {
        Self { computed, adding, ..Self::default() }
    }

    /// The files of the universe that augment other modules.
    pub(crate) fn adding(&self) -> Vec<&str> {
        let kept = self.decoded().1.iter().filter_map(|number| self.kept.path(*number));
        self.adding.iter().map(String::as_str).chain(kept).collect()
    }

    /// The resolved imports of a file of the universe; `None` if they are unknown.
    pub(crate) fn of(&self, path: &str) -> Option<Vec<ResolvedImport>> {
        let number = self.number(path)?;
        let targets = self.targets().get(number.index())?;
        let facts = self.kept.facts(number)?;
        if facts.imports.len() != targets.imports() as usize {
            return None;
        }
        let resolved_imports = (0u32..).zip(facts.imports).map(|(at, import)| ResolvedImport {
            target: targets
                .of(at)
                .iter()
                .find_map(LinkTarget::file)
                .and_then(|file| self.path(file)),
            specifier: import.specifier,
            form: import.form,
        });
        Some(resolved_imports.collect())
    }

    /// The files of the universe with computed imports, and how their specifiers start.
    pub(crate) fn computed(&self) -> Vec<(String, Vec<Box<str>>)> {
        let each = FileId::first(self.universe).filter_map(|number| {
            let computed = self.kept.facts(number)?.computed;
            (!computed.is_empty()).then_some((self.kept.path(number)?.to_owned(), computed))
        });
        self.computed.iter().cloned().chain(each).collect()
    }

    fn number(&self, path: &str) -> Option<FileId> {
        let (mut low, mut high) = (0, self.universe);
        while low < high {
            let middle = usize::midpoint(low, high);
            match cmp_utf16(self.kept.path(FileId::at(middle))?, path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(FileId::at(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn targets(&self) -> &[Targets] {
        &self.decoded().0
    }

    fn decoded(&self) -> &(Vec<Targets>, Vec<FileId>) {
        self.decoded.get_or_init(|| {
            let decoded = || {
                let cached_resolutions: CachedResolutions =
                    postcard::from_bytes(&self.cached_resolutions).ok()?;
                let adding = cached_resolutions.adding().to_vec();
                let is_known = |number: FileId| number.index() < self.kept.len();
                let restored = cached_resolutions
                    .restore(|_| true, |number| is_known(number).then_some(number))?;
                let targets = restored.into_iter().map(|way| Some(way?.0));
                Some((targets.collect::<Option<Vec<_>>>()?, adding))
            };
            decoded().unwrap_or_default()
        })
    }

    fn path(&self, number: FileId) -> Option<Arc<str>> {
        let path = self.kept.path(number)?;
        let is_absolute = Path::new(path).is_absolute();
        Some(if is_absolute { path.into() } else { format!("{}/{path}", self.root).into() })
    }
}
