//! Where imports led when the Map was made, for whoever comes to one of them again: nobody needs a resolver,
//! with all the manifests it reads, for what was found out already.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use portolan_types::{ImportForm, cmp_utf16};

use super::build::{Target, Targets};
use super::cache::Kept;
use super::trails::Trails;

/// Where the imports of the universe led, decoded when somebody asks.
#[derive(Debug, Default)]
pub struct ImportWays {
    root: String,
    kept: Kept,
    /// How many of the kept files are the universe: the first ones, in order.
    universe: usize,
    trails: Vec<u8>,
    targets: OnceLock<Vec<Targets>>,
    /// What files compute, where nothing is kept.
    computed: Vec<(String, Vec<Box<str>>)>,
}

/// An import of a file: as it is written, and the first file that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) specifier: Box<str>,
    pub(crate) form: ImportForm,
    /// Absolute; `None` where it leads to no file.
    pub(crate) target: Option<Arc<str>>,
}

impl ImportWays {
    pub(super) fn new(root: &str, kept: &Kept, universe: usize, trails: Vec<u8>) -> Self {
        let (root, kept) = (root.to_owned(), kept.clone());
        Self { root, kept, universe, trails, targets: OnceLock::new(), computed: Vec::new() }
    }

    /// Where nothing is kept: which files import what they compute is known all the same.
    pub(super) fn only_computed(computed: Vec<(String, Vec<Box<str>>)>) -> Self {
        Self { computed, ..Self::default() }
    }

    /// Where the imports of a file of the universe led; `None` where that is not known.
    pub(crate) fn of(&self, path: &str) -> Option<Vec<Way>> {
        let number = self.number(path)?;
        let targets = self.targets().get(number as usize)?;
        let facts = self.kept.facts(number)?;
        if facts.imports.len() != targets.imports() as usize {
            return None;
        }
        let ways = (0u32..).zip(facts.imports).map(|(at, import)| Way {
            target: targets.of(at).iter().find_map(Target::file).and_then(|file| self.path(file)),
            specifier: import.specifier,
            form: import.form,
        });
        Some(ways.collect())
    }

    /// The files of the universe that import what they compute, with how their specifiers start.
    pub(crate) fn computed(&self) -> Vec<(String, Vec<Box<str>>)> {
        let each = (0..self.universe as u32).filter_map(|number| {
            let computed = self.kept.facts(number)?.computed;
            (!computed.is_empty()).then_some((self.kept.path(number)?.to_owned(), computed))
        });
        self.computed.iter().cloned().chain(each).collect()
    }

    fn number(&self, path: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.universe as u32);
        while low < high {
            let middle = u32::midpoint(low, high);
            match cmp_utf16(self.kept.path(middle)?, path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn targets(&self) -> &[Targets] {
        self.targets.get_or_init(|| {
            let decoded = || {
                let trails: Trails = postcard::from_bytes(&self.trails).ok()?;
                let is_known = |number: u32| (number as usize) < self.kept.len();
                let restored = trails.restore(|_| true, |number| is_known(number).then_some(number))?;
                restored.into_iter().map(|way| Some(way?.0)).collect::<Option<Vec<_>>>()
            };
            decoded().unwrap_or_default()
        })
    }

    fn path(&self, number: u32) -> Option<Arc<str>> {
        let path = self.kept.path(number)?;
        let is_absolute = Path::new(path).is_absolute();
        Some(if is_absolute { path.into() } else { format!("{}/{path}", self.root).into() })
    }
}
