//! Parses the ways in which people and models name files.
//!
//! A path may begin with `./`, be relative to the user's folder, or be absolute below the root; it
//! may name a folder or be a glob. What a user types may also be the end of a path: `app.py` for
//! `src/flask/app.py`. Every input that takes paths accepts all of these, with the same meaning.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use portolan_vfs::System;

use crate::Patterns;

use crate::config::Loaded;

/// The name of the whole repository.
pub const EVERYTHING: &str = ".";

/// The context in which a path was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathInput {
    /// The root, without a trailing slash; empty if there is none.
    root: String,
    /// The user's folder, relative to the root; empty at the root.
    here: String,
    /// Whether a user typed the path. Then the end of a path is enough.
    is_typed: bool,
}

/// The files that a path may mean.
pub trait KnownPaths {
    /// Whether a path is a file.
    fn has(&self, path: &str) -> bool;

    /// All paths.
    fn all(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// The order of paths with the same end: the lowest rank comes first.
    fn rank(&self, path: &str) -> u8;
}

/// The files and folders whose path ends as a user typed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nearest {
    /// The one that is meant, if one is nearer than all others.
    pub best: Option<String>,
    /// The others, nearest first.
    pub others: Vec<String>,
}

impl PathInput {
    /// Paths in a file of the repository: their meaning does not depend on the user's folder.
    pub fn at_root(root: &Path) -> Self {
        let root = root.to_str().unwrap_or_default();
        // The top of the disk is a root, too, and has nothing before its slash.
        let root = if root == "/" { root } else { root.trim_end_matches('/') }.to_owned();
        Self { root, here: String::new(), is_typed: false }
    }

    /// Paths that a user types.
    pub fn here(config: &Loaded) -> Self {
        Self { here: config.here.clone(), is_typed: true, ..Self::at_root(&config.root) }
    }

    /// The file or folder that a text means: as written, or else by the end of a path.
    pub fn meant(&self, text: &str, known: &dyn KnownPaths) -> Option<String> {
        let is_known = |path: &str| known.has(path) || is_folder(known, path);
        let plain = self.plain(text, &is_known);
        if is_known(&plain) {
            return Some(plain);
        }
        self.nearest(text, known).best
    }

    /// The files and folders whose path ends with a text. Those below the user's folder come first, then those of the
    /// lowest rank, then those with the fewest folders above them.
    pub fn nearest(&self, text: &str, known: &dyn KnownPaths) -> Nearest {
        let wanted: Vec<&str> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        let leads_out = wanted.contains(&"..") || text.trim().starts_with('/');
        if !self.is_typed || wanted.is_empty() || leads_out || text.contains(['*', '?', '\\']) {
            return Nearest::default();
        }
        let found = [Likeness::Same, Likeness::Stem, Likeness::Case].into_iter().find_map(|like| {
            let ends = known.all().flat_map(|path| ends_with(path, &wanted, like));
            let ends: BTreeSet<&str> = ends.collect();
            (!ends.is_empty()).then_some(ends)
        });
        let mut ranked: Vec<(bool, u8, usize, &str)> = found
            .unwrap_or_default()
            .into_iter()
            .map(|path| {
                let below = path.strip_prefix(self.here.as_str());
                let is_below =
                    self.here.is_empty() || below.is_some_and(|rest| rest.starts_with('/'));
                (!is_below, known.rank(path), path.matches('/').count(), path)
            })
            .collect();
        ranked.sort_unstable();
        let is_clear = match ranked.as_slice() {
            [] => false,
            [first, second, ..] => (first.0, first.1, first.2) != (second.0, second.1, second.2),
            [_] => true,
        };
        let mut paths = ranked.into_iter().map(|(.., path)| path.to_owned());
        let best = if is_clear { paths.next() } else { None };
        Nearest { best, others: paths.collect() }
    }

    /// Where a path that a user typed leads, if that is outside the root and there: `../flask`,
    /// `/src/flask/app.py#Flask`, `../flask/app.py:12`. The first part is the real path, the second the rest of the
    /// text.
    pub fn outside<'t>(
        &self,
        system: &dyn System,
        folder: &Path,
        text: &'t str,
    ) -> Option<(PathBuf, &'t str)> {
        let is_absolute = text.starts_with('/') || Path::new(text).is_absolute();
        if !is_absolute && text.split('/').next() != Some("..") || self.root.is_empty() {
            return None;
        }
        real_path_in(system, folder, text).filter(|(real, _)| !real.starts_with(&self.root))
    }

    /// The file or folder of the user's own folder that a text names as a whole: what `cat` would take.
    pub fn in_folder(&self, text: &str, known: &dyn KnownPaths) -> Option<String> {
        let text = text.trim();
        if !self.is_typed || text.is_empty() || text.starts_with('/') {
            return None;
        }
        let path = joined(&self.here, text)?;
        (known.has(&path) || is_folder(known, &path)).then_some(path)
    }

    /// A glob that a user typed, from the root: as seen from the user's folder, and as seen from the root.
    pub fn globs(&self, text: &str) -> Vec<String> {
        let text = text.trim();
        if let Some(below) = self.below_root(text) {
            return vec![below.to_owned()];
        }
        let near = joined(&self.here, text).or_else(|| self.around_root(text));
        let is_far = !self.here.is_empty() && !is_relative(text);
        let far = is_far.then(|| text.trim_end_matches('/').to_owned());
        near.into_iter().chain(far).collect()
    }

    /// Converts a text to an id, a folder or a glob relative to the root. Returns the text as
    /// written if it is known neither from the user's folder nor from the root.
    pub fn plain(&self, text: &str, is_known: &dyn Fn(&str) -> bool) -> String {
        let text = text.trim();
        if let Some(below) = self.below_root(text) {
            return joined("", below).unwrap_or_else(|| text.to_owned());
        }
        if is_relative(text) {
            let joined = joined(&self.here, text).or_else(|| self.around_root(text));
            let joined = joined.filter(|path| is_known(path) || !is_known(text));
            return joined.unwrap_or_else(|| text.to_owned());
        }
        let plain = text.trim_end_matches('/');
        if plain.is_empty() || plain.starts_with('/') {
            return text.to_owned();
        }
        // As for `cat`, the user's own folder comes first.
        if !self.here.is_empty() {
            let near = format!("{}/{plain}", self.here);
            if is_known(&near) {
                return near;
            }
        }
        if self.is_typed && plain.split('/').any(|name| name == "..") && !is_known(plain) {
            let folders = [self.here.as_str(), ""];
            let mut ways = folders.iter().filter_map(|folder| joined(folder, plain));
            return ways.find(|path| is_known(path)).unwrap_or_else(|| plain.to_owned());
        }
        plain.to_owned()
    }

    /// A way out of the root and back into it: `../repo/src` in the folder `repo`.
    fn around_root(&self, text: &str) -> Option<String> {
        if !self.is_typed || self.root.is_empty() {
            return None;
        }
        let absolute = joined(&format!("{}/{}", self.root, self.here), text)?;
        let below = self.below_root(&format!("/{absolute}")).map(str::to_owned);
        below.map(|below| if below.is_empty() { EVERYTHING.to_owned() } else { below })
    }

    /// The absolute path of one from the root.
    pub fn absolute(&self, path: &str) -> String {
        format!("{}/{path}", self.root.trim_end_matches('/'))
    }

    /// The part of an absolute path below the root.
    fn below_root<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = text.strip_prefix(self.root.as_str()).filter(|_| !self.root.is_empty())?;
        let is_below = rest.is_empty() || rest.starts_with('/') || self.root == "/";
        is_below.then(|| rest.trim_start_matches('/'))
    }
}

/// The real path that a text begins with, seen from a folder, and the rest of the text.
pub fn real_path_in<'t>(
    system: &dyn System,
    folder: &Path,
    text: &'t str,
) -> Option<(PathBuf, &'t str)> {
    let marks = text.char_indices().filter(|(_, c)| matches!(c, '#' | ':'));
    let mut ends = std::iter::once(text.len()).chain(marks.map(|(at, _)| at).take(MOST_MARKS));
    ends.find_map(|end| {
        let real = system.real_path(&folder.join(text.get(..end)?)).ok()?;
        Some((real, text.get(end..)?))
    })
}

/// Whether a path begins with `.` or `..`, and so is relative to a folder.
fn is_relative(text: &str) -> bool {
    matches!(text.split('/').next(), Some("." | ".."))
}

/// Joins a folder and a relative path; `None` if the result is outside the root.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(if names.is_empty() { EVERYTHING.to_owned() } else { names.join("/") })
}

/// The most marks of a text that are tried as the end of its path.
const MOST_MARKS: usize = 16;

/// How a name of a path is compared with what a user typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// Letter by letter.
    Same,
    /// Without the ending of the file.
    Stem,
    /// Without regard to case, with or without the ending.
    Case,
}

impl Likeness {
    fn has(self, name: &str, wanted: &str, is_file: bool) -> bool {
        let stem = match name.rsplit_once('.') {
            Some((stem, _)) if is_file && !stem.is_empty() => stem,
            _ => name,
        };
        match self {
            Self::Same => name == wanted,
            Self::Stem => stem == wanted,
            Self::Case => name.eq_ignore_ascii_case(wanted) || stem.eq_ignore_ascii_case(wanted),
        }
    }
}

/// The file, and the folders around it, that end with the wanted names.
fn ends_with<'p>(path: &'p str, wanted: &[&str], like: Likeness) -> Vec<&'p str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let ends = ends.filter(|end| {
        let mut names = path[..*end].rsplit('/');
        let is_file = *end == path.len();
        wanted.iter().rev().enumerate().all(|(place, wanted)| {
            names.next().is_some_and(|name| like.has(name, wanted, is_file && place == 0))
        })
    });
    ends.map(|end| &path[..end]).collect()
}

/// Whether files lie below a path.
pub fn is_folder(known: &dyn KnownPaths, path: &str) -> bool {
    let is_below = |it: &str| it.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    path == EVERYTHING || !path.is_empty() && known.all().any(is_below)
}

/// Matches ids with one file, everything below a folder, or a glob.
pub struct PathMatcher<'t> {
    text: &'t str,
    patterns: Option<Patterns>,
}

impl<'t> PathMatcher<'t> {
    /// A matcher for a path, a folder or a glob as written.
    pub fn new(text: &'t str) -> Self {
        // A name without glob characters is a file or a folder. An invalid glob matches nothing. A
        // name with backslashes is not a path from another system: the check of ids rejects it.
        let is_plain = !text.starts_with(['!', '/']) && !text.contains('\\') && !is_relative(text);
        let patterns = Patterns::new(&[text]).ok().filter(|_| is_plain);
        Self { text, patterns }
    }

    /// Whether it matches this id.
    pub fn has(&self, id: &str) -> bool {
        self.text == EVERYTHING
            || id == self.text
            || self.patterns.as_ref().is_some_and(|patterns| patterns.is_match(id))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use portolan_vfs::MemorySystem;

    use super::{KnownPaths, PathInput, PathMatcher};

    const KNOWN: [&str; 4] = ["src/a.ts", "src/api/b.ts", "a.ts", "./gone"];

    fn is_known(text: &str) -> bool {
        KNOWN.iter().any(|id| PathMatcher::new(text).has(id))
    }

    #[track_caller]
    fn check(here: &str, text: &str, expected: &str) {
        let path_input =
            PathInput { here: here.to_owned(), ..PathInput::at_root(Path::new("/r/")) };
        assert_eq!(path_input.plain(text, &is_known), expected, "{text} in {here:?}");
    }

    #[test]
    fn a_path_means_the_same_however_it_is_written() {
        for text in ["src/a.ts", "./src/a.ts", "/r/src/a.ts", " src/a.ts ", "src/../src/./a.ts"] {
            let expected = if text.contains("..") { text } else { "src/a.ts" };
            check("", text, expected);
        }
        check("", "src/api/", "src/api");
        check("", "./src/*.ts", "src/*.ts");
        check("", "/r", ".");
        check("", ".", ".");
    }

    #[test]
    fn names_are_seen_from_the_current_folder_and_then_from_the_root() {
        check("src", "api", "src/api");
        check("src", "api/*.ts", "src/api/*.ts");
        check("src", "a.ts", "src/a.ts");
        check("src/api", "a.ts", "a.ts");
        check("src", "src/a.ts", "src/a.ts");
        check("src", "./a.ts", "src/a.ts");
        check("src", "../a.ts", "a.ts");
        check("src/api", ".", "src/api");
        check("src", "nope.ts", "nope.ts");
    }

    #[test]
    fn paths_that_lead_out_and_ids_stay_as_written() {
        for text in
            ["../x", "/etc/passwd", "/rx/src/a.ts", "./gone", "src/../../x", "", "/", "node:fs"]
        {
            check("", text, text);
        }
        check("src", "../../x", "../../x");
    }

    struct Flask;

    impl KnownPaths for Flask {
        fn has(&self, path: &str) -> bool {
            self.all().any(|known| known == path)
        }

        fn all(&self) -> Box<dyn Iterator<Item = &str> + '_> {
            let paths = [
                "README.md",
                "src/flask/app.py",
                "src/flask/sansio/app.py",
                "src/flask/json/tag.py",
                "tests/app.py",
                "a/models.py",
                "b/models.py",
            ];
            Box::new(paths.into_iter())
        }

        fn rank(&self, path: &str) -> u8 {
            u8::from(path.starts_with("tests"))
        }
    }

    #[track_caller]
    fn check_meant(here: &str, text: &str, expected: Option<&str>) {
        let typed = PathInput {
            here: here.to_owned(),
            is_typed: true,
            ..PathInput::at_root(Path::new("/r"))
        };
        assert_eq!(typed.meant(text, &Flask).as_deref(), expected, "{text} in {here:?}");
    }

    #[test]
    fn the_end_of_a_path_means_the_nearest_file() {
        check_meant("", "app.py", Some("src/flask/app.py"));
        check_meant("", "flask/app.py", Some("src/flask/app.py"));
        check_meant("src/flask/sansio", "app.py", Some("src/flask/sansio/app.py"));
        check_meant("tests", "app.py", Some("tests/app.py"));
        check_meant("", "sansio", Some("src/flask/sansio"));
        check_meant("", "sansio/", Some("src/flask/sansio"));
        check_meant("", "tag", Some("src/flask/json/tag.py"));
        check_meant("", "readme", Some("README.md"));
        check_meant("", "src/flask", Some("src/flask"));
        check_meant("", "models.py", None);
        for nothing in ["ap.py", "../app.py", "/app.py", "", "*.py"] {
            check_meant("", nothing, None);
        }
        let near = PathInput { is_typed: true, ..PathInput::at_root(Path::new("/r")) };
        assert_eq!(near.nearest("models.py", &Flask).others, ["a/models.py", "b/models.py"]);
        let in_a_file = PathInput::at_root(Path::new("/r"));
        assert_eq!(in_a_file.meant("app.py", &Flask), None, "a state file names files exactly");
    }

    fn typed(here: &str) -> PathInput {
        let at_root = PathInput::at_root(Path::new("/home/r"));
        PathInput { here: here.to_owned(), is_typed: true, ..at_root }
    }

    #[test]
    fn a_way_out_and_back_in_is_a_way_inside() {
        for (here, text, expected) in [
            ("", "../r/src/a.ts", "src/a.ts"),
            ("src", "../../r/src/a.ts", "src/a.ts"),
            ("src", "../../r", "."),
            ("", "src/../a.ts", "a.ts"),
            ("src", "api/../a.ts", "src/a.ts"),
            ("", "../rx/src/a.ts", "../rx/src/a.ts"),
        ] {
            assert_eq!(typed(here).plain(text, &is_known), expected, "{text} in {here:?}");
        }
    }

    #[test]
    fn the_top_of_the_disk_is_a_root() {
        let top = PathInput { is_typed: true, ..PathInput::at_root(Path::new("/")) };
        assert_eq!(top.plain("/src/a.ts", &is_known), "src/a.ts");
        assert_eq!(top.absolute("src/a.ts"), "/src/a.ts");
    }

    #[test]
    fn a_file_or_folder_of_the_current_folder_is_meant_before_all_else() {
        let here = |here: &str, text: &str| typed(here).in_folder(text, &Flask);
        assert_eq!(here("src", "flask").as_deref(), Some("src/flask"));
        assert_eq!(here("src/flask", "app.py").as_deref(), Some("src/flask/app.py"));
        assert_eq!(here("", "tests").as_deref(), Some("tests"));
        assert_eq!(here("", "flask"), None);
        assert_eq!(PathInput::at_root(Path::new("/r")).in_folder("tests", &Flask), None);
    }

    #[test]
    fn globs_are_seen_from_the_current_folder_and_from_the_root() {
        assert_eq!(typed("src").globs("api/*.ts"), ["src/api/*.ts", "api/*.ts"]);
        assert_eq!(typed("src").globs("./*.ts"), ["src/*.ts"]);
        assert_eq!(typed("src").globs("../*.ts"), ["*.ts"]);
        assert_eq!(typed("src").globs("/home/r/*.ts"), ["*.ts"]);
        assert_eq!(typed("").globs("*.ts"), ["*.ts"]);
    }

    #[test]
    fn a_path_may_lead_to_another_repository() {
        let system = MemorySystem::default();
        system.put("/r/a.ts", "");
        system.put("/other/b.ts", "");
        let path_input = PathInput::at_root(Path::new("/r"));
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = path_input.outside(&system, Path::new("/r"), text);
            let expected = expected.map(|(path, rest)| (PathBuf::from(path), rest.to_owned()));
            let found = found.map(|(path, rest)| (path, rest.to_owned()));
            assert_eq!(found, expected, "{text}");
        };
        check("../other", Some(("/other", "")));
        check("../other/b.ts#b", Some(("/other/b.ts", "#b")));
        check("/other/b.ts:3", Some(("/other/b.ts", ":3")));
        for inside in ["a.ts", "/r/a.ts", "../r/a.ts", "../gone", "other"] {
            check(inside, None);
        }
    }

    #[test]
    fn folders_match_everything_below_and_globs_their_matches() {
        assert!(
            PathMatcher::new("src").has("src/api/b.ts")
                && !PathMatcher::new("src").has("srcs/b.ts")
        );
        assert!(PathMatcher::new("src/**/b.ts").has("src/api/b.ts"));
        assert!(PathMatcher::new(".").has("anything"));
        for nothing in ["", "/", "[", "!src"] {
            assert!(!PathMatcher::new(nothing).has("src/a.ts"), "{nothing}");
        }
    }
}
