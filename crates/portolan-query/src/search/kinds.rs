//! What a file is for, in the order in which hits are worth reading.

use portolan_graph::select::Category;
use portolan_languages::{Languages, is_program};
use portolan_symbols::text::LineStarts;
use portolan_types::declarations::Span;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileClass {
    /// Code.
    Code,
    /// Tests, and what they are fed with.
    Test,
    /// Documents.
    Document,
    /// Configuration, data and whatever else is no code.
    Other,
    /// One of many files that differ only in a language that people speak.
    Translation,
    /// What a tool wrote.
    Generated,
    /// Code of others, kept in the repository.
    Vendored,
}

impl FileClass {
    /// Every class, the most worth reading first.
    pub const ALL: [Self; 7] = [
        Self::Code,
        Self::Test,
        Self::Document,
        Self::Other,
        Self::Translation,
        Self::Generated,
        Self::Vendored,
    ];

    /// The class of a file, told from its path.
    pub fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let folder = lower.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.split('/').any(|part| VENDORED.contains(&part)) {
            return Self::Vendored;
        }
        match Category::of(path) {
            Some(Category::Test | Category::Fixture) => return Self::Test,
            Some(Category::Generated) => return Self::Generated,
            // A folder `doc` may be a package: code is code, whatever its folder is called.
            Some(Category::Docs) if !is_program(path) => return Self::Document,
            Some(Category::Docs) | None => {}
        }
        if is_test_by_name(path) {
            Self::Test
        } else if translated_below(path).is_some() {
            Self::Translation
        } else if folder.split('/').any(|part| EXAMPLES.contains(&part)) {
            Self::Document
        } else if is_program(path) {
            Self::Code
        } else {
            Self::Other
        }
    }

    /// The words for some hits in files of this class.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Test => "tests",
            Self::Document => "documents",
            Self::Other => "other files",
            Self::Translation => "translations",
            Self::Generated => "generated files",
            Self::Vendored => "vendored files",
        }
    }
}

/// Folders with one part for each language that people speak.
pub(crate) const LOCALES: &[&str] =
    &["locale", "locales", "_locales", "i18n", "lang", "langs", "translations", "l10n"];
/// Those of them that may hold code of their own, by the names of other languages.
const LOCALES_OF_DATA: &[&str] = &["i18n", "lang", "langs"];

/// The folder of a translation, with its slash: `locales/` of `locales/de/common.json`. `None` for other files.
fn translated_below(path: &str) -> Option<&str> {
    let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    ends.iter().enumerate().find_map(|(number, end)| {
        let name = path.get(..*end)?.rsplit('/').next()?.to_ascii_lowercase();
        let next = path.get(end + 1..ends.get(number + 1).copied().unwrap_or(path.len()))?;
        let is_data = !LOCALES_OF_DATA.contains(&name.as_str()) || !is_program(path);
        let tag = next.split('.').next().unwrap_or(next);
        (LOCALES.contains(&name.as_str()) && is_data && is_language_tag(tag))
            .then(|| path.get(..=*end))
            .flatten()
    })
}

/// Whether a name is the tag of a language: `de`, `pt_BR`, `es-419`, `zh-Hans`.
fn is_language_tag(name: &str) -> bool {
    let mut parts = name.split(['-', '_']);
    let language = parts.next().unwrap_or_default();
    let is_short = language.len() == 2 || language.len() == 3 && name.len() > 3;
    let is_region = |part: &str| {
        (2..=4).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    is_short && language.chars().all(|c| c.is_ascii_lowercase()) && parts.all(is_region)
}

/// The folder of a file that differs from its neighbours only in data: a translation, a fixture, a snapshot.
pub(crate) fn data_folder(path: &str) -> Option<&str> {
    let is_fixture = || matches!(Category::of(path), Some(Category::Fixture));
    let parent = || path.rfind('/').and_then(|at| path.get(..=at)).filter(|_| is_fixture());
    match FileClass::of(path) {
        FileClass::Translation => translated_below(path),
        FileClass::Test => parent(),
        _ => None,
    }
}

/// The first and last lines of the tests beside the code of a file.
pub(crate) fn inline_tests(path: &str, text: &str) -> Vec<(u32, u32)> {
    let spans = Languages::default().inline_tests(path, text.as_bytes());
    if spans.is_empty() {
        return Vec::new();
    }
    let lines = LineStarts::new(text);
    let range = |(start, end): (usize, usize)| {
        (lines.of(start as u32), lines.last_of(Span::new(start as u32, end as u32)))
    };
    spans.into_iter().map(range).collect()
}

/// Folders with code of others.
const VENDORED: &[&str] = &["vendor", "vendored", "third_party", "third-party", "extern"];
/// Folders with code that shows how something is used or measured.
const EXAMPLES: &[&str] =
    &["examples", "example", "samples", "galleries", "tutorials", "benchmarks", "asv_bench"];

/// Names of tests that are told by their stem, in any folder; and a folder `testing` at the top. Further down it holds code
/// that helps to test.
fn is_test_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    path.starts_with("testing/")
        || matches!(stem, "tests" | "test" | "conftest")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || is_program(path) && (stem.ends_with("Test") || stem.ends_with("Tests"))
}

#[cfg(test)]
mod tests {
    use super::FileClass;

    #[test]
    fn a_path_tells_what_a_file_is_for() {
        let cases = [
            ("src/a.ts", FileClass::Code),
            ("django/test/client.py", FileClass::Test),
            ("a/tests.py", FileClass::Test),
            ("testing/python/raises.py", FileClass::Test),
            ("sympy/testing/runtests.py", FileClass::Code),
            ("src/FooTest.java", FileClass::Test),
            ("src/latest.ts", FileClass::Code),
            ("README.md", FileClass::Document),
            ("docs/guide.rst", FileClass::Document),
            ("doc/man_docs.go", FileClass::Code),
            ("examples/a.py", FileClass::Document),
            ("package.json", FileClass::Other),
            ("i18n/locales/de/common.json", FileClass::Translation),
            ("conf/locale/pt_BR/formats.py", FileClass::Translation),
            ("lang/fr.json", FileClass::Translation),
            ("lang/go/parse.go", FileClass::Code),
            ("src/locale/index.ts", FileClass::Code),
            ("src/locale/util/es.ts", FileClass::Code),
            ("vendor/a.go", FileClass::Vendored),
            ("dist/a.js", FileClass::Generated),
        ];
        for (path, class) in cases {
            assert_eq!(FileClass::of(path), class, "{path}");
        }
    }
}
