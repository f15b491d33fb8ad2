//! What git tracks: names that ignore rules have no power over.

use super::index::Index;

/// The tracked files of a repository, as far as they are below the root.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    /// The repo path of the repository's top with a slash; empty for the root or a top above it.
    base: String,
    ignore_case: bool,
    /// All names from the base, one after the other.
    names: Vec<u8>,
    /// Where each name is; sorted by name.
    places: Vec<(u32, u32)>,
}

impl Tracked {
    /// What an index tracks below a folder of its repository. `above` is that folder with a slash, or
    /// empty; `base` is where the paths that will be asked for begin.
    pub(super) fn new(index: &Index, above: &str, base: &str, ignore_case: bool) -> Self {
        let mut tracked =
            Self { base: base.to_owned(), ignore_case, names: Vec::new(), places: Vec::new() };
        let above = tracked.folded(above.as_bytes()).into_owned();
        for (name, is_submodule) in index.names() {
            let name = tracked.folded(name);
            let Some(below) = name.strip_prefix(&*above) else { continue };
            let start = tracked.names.len() as u32;
            tracked.names.extend_from_slice(below);
            if is_submodule {
                tracked.names.push(b'/');
            }
            tracked.places.push((start, tracked.names.len() as u32));
        }
        let names = &tracked.names;
        let name = |place: &(u32, u32)| &names[place.0 as usize..place.1 as usize];
        // They are sorted but for submodules, folded names and what somebody made up.
        tracked.places.sort_by(|left, right| name(left).cmp(name(right)));
        tracked
    }

    fn folded<'n>(&self, name: &'n [u8]) -> std::borrow::Cow<'n, [u8]> {
        if self.ignore_case { name.to_ascii_lowercase().into() } else { name.into() }
    }

    fn name(&self, place: (u32, u32)) -> &[u8] {
        &self.names[place.0 as usize..place.1 as usize]
    }

    /// The first name that is not before this one.
    fn first_from(&self, wanted: &[u8]) -> Option<&[u8]> {
        let at = self.places.partition_point(|place| self.name(*place) < wanted);
        self.places.get(at).map(|place| self.name(*place))
    }

    /// Whether a file is tracked.
    pub(crate) fn has(&self, path: &str) -> bool {
        let Some(below) = path.strip_prefix(&self.base) else { return false };
        let wanted = self.folded(below.as_bytes());
        self.first_from(&wanted) == Some(&*wanted)
    }

    /// Whether a folder has something tracked in it, or is a submodule.
    pub(crate) fn has_below(&self, folder: &str) -> bool {
        let Some(below) = folder.strip_prefix(&self.base) else { return false };
        let wanted = self.folded(below.as_bytes());
        let wanted = [&*wanted, b"/"].concat();
        self.first_from(&wanted).is_some_and(|name| name.starts_with(&wanted))
    }

    /// Whether a folder is a submodule.
    pub(crate) fn is_submodule(&self, folder: &str) -> bool {
        self.has(&format!("{folder}/"))
    }

    /// Whether there is nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}
