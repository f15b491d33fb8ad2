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
    /// What a tool wrote.
    Generated,
    /// Code of others, kept in the repository.
    Vendored,
}

impl FileClass {
    /// Every class, the most worth reading first.
    pub const ALL: [Self; 6] =
        [Self::Code, Self::Test, Self::Document, Self::Other, Self::Generated, Self::Vendored];

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
            Self::Generated => "generated files",
            Self::Vendored => "vendored files",
        }
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
            ("vendor/a.go", FileClass::Vendored),
            ("dist/a.js", FileClass::Generated),
        ];
        for (path, class) in cases {
            assert_eq!(FileClass::of(path), class, "{path}");
        }
    }
}
