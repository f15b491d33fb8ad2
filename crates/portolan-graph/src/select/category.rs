//! Classifies files by their paths. A budget cuts these categories before code.

/// The categories of files that matter least to a reader of code, in the order in which they are
/// cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Tests, and the stories and benchmarks next to them.
    Test,
    /// Data for tests: fixtures, mocks, snapshots.
    Fixture,
    /// Tool output: generated code, build output, lock files.
    Generated,
    /// Documentation.
    Docs,
}

impl Category {
    /// All categories, in the order in which they are cut.
    pub const ALL: [Self; 4] = [Self::Test, Self::Fixture, Self::Generated, Self::Docs];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "tests",
            Self::Fixture => "fixtures",
            Self::Generated => "generated",
            Self::Docs => "docs",
        }
    }

    /// The category of a path; `None` for ordinary code.
    pub fn of(path: &str) -> Option<Self> {
        let path = path.to_ascii_lowercase();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let below = |names: &[&str]| folder.split('/').any(|segment| names.contains(&segment));
        let marked = |marks: &[&str]| marks.iter().any(|mark| name.contains(mark));
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));

        if below(FIXTURE_FOLDERS)
            || ends(&[".snap", ".fixture.json"])
            || marked(&[".fixture.", ".mock."])
        {
            Some(Self::Fixture)
        } else if is_named_test(name) {
            Some(Self::Test)
        } else if marked(GENERATED_MARKS) {
            Some(Self::Generated)
        } else if below(TEST_FOLDERS) {
            Some(Self::Test)
        } else if below(GENERATED_FOLDERS) || is_lock_file(name) || ends(&[".map"]) {
            Some(Self::Generated)
        } else if below(&["docs", "doc"]) || ends(&[".md", ".mdx", ".rst", ".adoc", ".txt"]) {
            Some(Self::Docs)
        } else {
            None
        }
    }
}

/// Whether a lower-case file name is that of a test.
pub fn is_named_test(name: &str) -> bool {
    TEST_MARKS.iter().any(|mark| name.contains(mark))
        || TEST_ENDS.iter().any(|end| name.ends_with(end))
        || name.starts_with("test_")
}

const TEST_FOLDERS: &[&str] =
    &["test", "tests", "__tests__", "spec", "specs", "e2e", "cypress", "stories", "benches"];
const TEST_MARKS: &[&str] = &[".test.", ".spec.", ".stories.", ".story.", ".bench.", ".e2e."];
const TEST_ENDS: &[&str] = &["_test.go", "_test.py", "_test.rs", "-test.js", "-test.ts"];
const FIXTURE_FOLDERS: &[&str] = &[
    "fixture",
    "fixtures",
    "__fixtures__",
    "__mocks__",
    "mocks",
    "__snapshots__",
    "testdata",
    "test-data",
];
const GENERATED_FOLDERS: &[&str] = &["generated", "__generated__", "dist", "build", "coverage"];
const GENERATED_MARKS: &[&str] = &[".generated.", ".gen.", ".min."];
/// Files that only package managers read. They are often larger than everything else. Lower case,
/// sorted.
const LOCK_FILES: &[&str] = &[
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Whether only package managers read a file of this name.
pub fn is_lock_file(name: &str) -> bool {
    LOCK_FILES.binary_search(&&*name.to_ascii_lowercase()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::Category;

    #[test]
    fn lock_files_are_found_in_their_list() {
        assert!(super::LOCK_FILES.is_sorted());
        assert!(super::is_lock_file("Cargo.lock") && !super::is_lock_file("cargo.toml"));
    }

    #[test]
    fn the_path_decides() {
        let cases = [
            ("src/index.ts", None),
            ("src/latest.ts", None),
            ("src/contest/a.ts", None),
            ("src/protest.d.ts", None),
            ("src/a.test.ts", Some(Category::Test)),
            ("src/Button.stories.tsx", Some(Category::Test)),
            ("packages/a/__tests__/b.ts", Some(Category::Test)),
            ("Tests/b.ts", Some(Category::Test)),
            ("test/types.ts", Some(Category::Test)),
            ("test/client.gen.ts", Some(Category::Generated)),
            ("src/client.gen.test.ts", Some(Category::Test)),
            ("test/fixtures/a.ts", Some(Category::Fixture)),
            ("src/__snapshots__/a.snap", Some(Category::Fixture)),
            ("src/api.generated.ts", Some(Category::Generated)),
            ("pnpm-lock.yaml", Some(Category::Generated)),
            ("go.sum", Some(Category::Generated)),
            ("ios/Podfile.lock", Some(Category::Generated)),
            ("README.md", Some(Category::Docs)),
            ("docs/conf.ts", Some(Category::Docs)),
        ];
        for (path, category) in cases {
            assert_eq!(Category::of(path), category, "{path}");
        }
    }
}
