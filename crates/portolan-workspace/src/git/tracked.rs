//! The files that git tracks. Ignore rules do not apply to them.

use super::index::GitIndex;

/// The tracked files of a repository, as far as they are below the root.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    /// The repo path of the repository's top with a slash; empty if the top is the root or above it.
    base: String,
    ignore_case: bool,
    /// All names relative to the base, concatenated.
    names: Vec<u8>,
    /// The range of each name, sorted by name.
    places: Vec<(u32, u32)>,
}

impl Tracked {
    /// The files that an index tracks below a folder of its repository. `above` is that folder with a slash, or
    /// empty; `base` is the prefix of the paths to look up.
    pub(super) fn new(index: &GitIndex, above: &str, base: &str, ignore_case: bool) -> Self {
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
        // They are already sorted, except for submodules, case-folded names and hostile input.
        tracked.places.sort_by(|left, right| name(left).cmp(name(right)));
        tracked
    }

    fn folded<'n>(&self, name: &'n [u8]) -> std::borrow::Cow<'n, [u8]> {
        if self.ignore_case { name.to_ascii_lowercase().into() } else { name.into() }
    }

    fn name(&self, place: (u32, u32)) -> &[u8] {
        &self.names[place.0 as usize..place.1 as usize]
    }

    /// The first name that does not sort before this one.
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

    /// Whether a folder contains something tracked, or is a submodule.
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

    /// Whether nothing is tracked.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}
