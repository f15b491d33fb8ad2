//! Repositories in memory: which of their files count, and which notices broken ones give.

use std::path::PathBuf;

use portolan_types::RepoPath;
use portolan_vfs::{MemorySystem, System};
use proptest::prelude::*;

use super::GitEnvironment;
use super::index::GitIndex;
use crate::{Patterns, Scan, ScanSettings, scan};

/// An index entry: its name and its mode.
type TestEntry<'a> = (&'a str, u32);

const FILE: u32 = 0o100_644;
const SUBMODULE: u32 = 0o160_000;
const SPARSE: u32 = 0o040_000;

/// Encodes an index of a version, with extensions.
fn index_in(version: u32, entries: &[TestEntry<'_>], extensions: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend((entries.len() as u32).to_be_bytes());
    let mut last = "";
    for (name, mode) in entries {
        let start = bytes.len();
        bytes.extend([0; 24]);
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 12 + 20]);
        let extended = if version == 3 { 0x4000 } else { 0 };
        bytes.extend((extended | name.len().min(0xFFF) as u16).to_be_bytes());
        if version == 3 {
            bytes.extend([0x20, 0]);
        }
        if version == 4 {
            let shared = name.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
            let stripped = last.len() - shared;
            // Two bytes are enough for what the tests strip.
            if stripped >= 128 {
                bytes.push(0x80 | ((stripped - 128) >> 7) as u8);
            }
            bytes.push(if stripped >= 128 { (stripped - 128) & 0x7F } else { stripped } as u8);
            bytes.extend(name.as_bytes()[shared..].iter().chain(&[0]));
        } else {
            bytes.extend(name.as_bytes());
            let used = bytes.len() - start;
            bytes.extend(vec![0; 8 - used % 8]);
        }
        last = name;
    }
    for (signature, content) in extensions {
        bytes.extend(*signature);
        bytes.extend((content.len() as u32).to_be_bytes());
        bytes.extend(*content);
    }
    bytes.extend([0; 20]);
    bytes
}

fn index(names: &[&str]) -> Vec<u8> {
    let entries: Vec<TestEntry<'_>> = names.iter().map(|name| (*name, FILE)).collect();
    index_in(2, &entries, &[])
}

fn names(index: &GitIndex) -> Vec<String> {
    let names = index.names().map(|(name, is_submodule)| {
        let end = if is_submodule { "/" } else { "" };
        format!("{}{end}", String::from_utf8_lossy(name))
    });
    names.collect()
}

/// A repository at `/r` whose index tracks some files.
struct TestRepo {
    system: MemorySystem,
    root: &'static str,
    includes: Vec<&'static str>,
    git: GitEnvironment,
}

fn repo(tracked: &[&str], files: &[(&str, &str)]) -> TestRepo {
    let system = MemorySystem::default();
    system.create_dir_all("/r".as_ref()).unwrap();
    system.put("/r/.git/HEAD", "ref: refs/heads/main\n");
    system.put("/r/.git/index", index(tracked));
    for (path, text) in files {
        system.put(PathBuf::from("/r").join(path), *text);
    }
    TestRepo { system, root: "/r", includes: Vec::new(), git: GitEnvironment::default() }
}

impl TestRepo {
    fn at(mut self, root: &'static str) -> Self {
        self.root = root;
        self
    }

    fn put(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.system.put(PathBuf::from("/r").join(path), bytes);
        self
    }

    fn scan(&self) -> Scan<()> {
        let settings = ScanSettings {
            root: PathBuf::from(self.root),
            stan_path: RepoPath::new(".stan").unwrap(),
            includes: Patterns::new(&self.includes).unwrap(),
            excludes: Patterns::default(),
            git: self.git.clone(),
            only: Vec::new(),
            guard: portolan_guard::Guard::new(true, &[]),
        };
        scan(&self.system, &settings, &|_| Ok(()))
    }

    /// Checks which files count, and that there are no notices.
    #[track_caller]
    fn check(&self, expected: &str) {
        self.check_notices(expected, &[]);
    }

    /// Checks which files count, and the notices.
    #[track_caller]
    fn check_notices(&self, expected: &str, expected_notices: &[&str]) {
        let scan = self.scan();
        let paths: Vec<_> = scan.files.iter().map(|(file, ())| file.path.as_str()).collect();
        assert_eq!(paths.join(" "), expected);
        let notices = scan.notices.iter();
        let said =
            notices.map(|notice| format!("{}: {}", notice.place.as_ref().unwrap(), notice.message));
        assert_eq!(said.collect::<Vec<_>>(), expected_notices);
    }
}

#[test]
fn tracked_files_are_never_ignored() {
    let files = [
        (".gitignore", "*.json\ndist/\nempty/\n"),
        ("a.json", ""),
        ("b.json", ""),
        ("dist/deep/kept.js", ""),
        ("dist/deep/other.js", ""),
        ("dist/.gitignore", "!other.js\n"),
        ("empty/x", ""),
    ];
    repo(&["a.json", "dist/deep/kept.js", "gone.json"], &files)
        .check(".gitignore a.json dist/deep/kept.js");
    repo(&[], &files).check(".gitignore");
}

#[test]
fn our_own_ignore_file_beats_the_index() {
    let files = [(".portolanignore", "gen/\nx.ts\n"), ("x.ts", ""), ("gen/a.ts", ""), ("y.ts", "")];
    repo(&["x.ts", "gen/a.ts", "y.ts"], &files).check(".portolanignore y.ts");
}

#[test]
fn installed_packages_are_out_even_if_tracked() {
    let mut repo = repo(&["node_modules/p/i.js"], &[("node_modules/p/i.js", ""), ("a.ts", "")]);
    repo.check("a.ts");
    repo.includes = vec!["**/*"];
    repo.check("a.ts");
    repo.includes = vec!["node_modules/p"];
    repo.check("a.ts node_modules/p/i.js");
}

#[test]
fn of_the_ignore_files_outside_the_tree_the_nearest_wins() {
    let mut repo = repo(
        &[],
        &[
            (".git/info/exclude", "secret*\n!mine\n"),
            (".gitignore", "!secret-no-more\n"),
            ("secret", ""),
            ("secret-no-more", ""),
            ("mine", ""),
            ("notes", ""),
        ],
    );
    repo.check(".gitignore mine notes secret-no-more");
    repo.git.default_excludes = Some("/home/.config/git/ignore".into());
    repo.check(".gitignore mine notes secret-no-more");
    repo.system.put("/home/.config/git/ignore", "mine\nnotes\n");
    repo.check(".gitignore mine secret-no-more");
    repo.system.put("/r/.git/config", "[core]\n\texcludesFile = \"../own ignores\" # here\n");
    repo.system.put("/own ignores", "secret-no-more\n*.x\n");
    repo.put("a.x", "").check(".gitignore mine notes secret-no-more");
}

#[test]
fn the_users_configuration_is_followed_through_includes() {
    let mut repo = repo(&[], &[("a", ""), ("b", ""), ("c", "")]);
    repo.git.home = Some("/home".into());
    repo.git.config_files = vec!["/home/.gitconfig".into(), "/none".into()];
    let conditional = "[include]\npath = more\n[includeIf \"gitdir:/r/\"]\npath = ~/work\n\
                       [includeIf \"gitdir:/elsewhere/\"]\npath = /never\n\
                       [includeIf \"onbranch:main\"]\npath = /never\n";
    repo.system.put("/home/.gitconfig", conditional);
    repo.system.put("/home/more", "[CORE]\nExcludesFile=~/ignores\n[include]\npath = more\n");
    repo.system.put("/never", "[core]\nexcludesFile = /nothing\n");
    repo.system.put("/home/ignores", "b\n");
    repo.check("a c");
    repo.system.put("/home/work", "[core]\nexcludesFile = /at-work\n");
    repo.system.put("/at-work", "c\n");
    repo.check("a b");
    repo.system.put("/r/.git/config", "[core]\nexcludesFile = /dev/null\n");
    repo.check("a b c");
    repo.system.put("/r/.git/config", "[core \"x\"]\nexcludesFile = /dev/null\nbare = true\n");
    repo.check("a b");
}

#[test]
fn a_condition_starts_with_a_literal_folder() {
    let mut repo = repo(&[], &[("a", ""), ("b", "")]);
    repo.git.home = Some("/[r]".into());
    repo.git.config_files = vec!["/[r]/.gitconfig".into()];
    repo.system.put("/[r]/.gitconfig", "[includeIf \"gitdir:~/\"]\npath = more\n");
    repo.system.put("/[r]/more", "[core]\nexcludesFile = ~/ignores\n");
    repo.system.put("/[r]/ignores", "b\n");
    repo.check("a b");
    repo.git.home = Some("/".into());
    repo.system.put("/ignores", "b\n");
    repo.check("a");
    for (condition, expected) in
        [("gitdir/i:/R/.GIT", "a"), ("gitdir:r/.git", "a"), ("gitdir:/{r,s}/", "a b")]
    {
        let text = format!("[includeIf \"{condition}\"]\npath = more\n");
        repo.system.put("/[r]/.gitconfig", text);
        repo.check(expected);
    }
}

#[test]
fn an_ignore_file_in_another_users_home_gives_a_notice() {
    let repo = repo(&[], &[("a", "")]);
    repo.system.put("/r/.git/config", "[core]\nexcludesFile = ~other/x\n");
    repo.check_notices(
        "a",
        &[".git: your ignore file `~other/x` is in a home that is not known here, so it hides nothing: \
           write `core.excludesFile` without `~`"],
    );
}

#[test]
fn an_unreadable_user_file_gives_a_notice_and_the_scan_continues() {
    let mut repo = repo(&[], &[("a", "")]);
    repo.git.home = Some("/home".into());
    repo.git.config_files = vec!["/home/.gitconfig".into()];
    repo.git.default_excludes = Some("/home/ignore".into());
    repo.system.put("/home/.gitconfig", "");
    repo.system.put("/home/ignore", "a\n");
    repo.system.deny("/home/.gitconfig");
    repo.system.deny("/home/ignore");
    repo.check_notices(
        "a",
        &[
            ".git: git's configuration `~/.gitconfig` cannot be read: permission denied",
            ".git: your ignore file `~/ignore` cannot be read, so it has no effect: permission denied",
        ],
    );
    // Files of the repository itself are another matter.
    let own = self::repo(&[], &[(".git/info/exclude", "a\n"), ("a", "")]);
    own.system.deny("/r/.git/info/exclude");
    assert!(own.scan().root_error.is_some() && own.scan().files.is_empty());
}

#[test]
fn a_root_below_the_top_follows_the_rules_above_it() {
    let files = [
        (".gitignore", "*.log\n/p/app/gen\n"),
        ("p/.gitignore", "*.tmp\n!app/keep.log\n"),
        ("p/app/a.ts", ""),
        ("p/app/a.log", ""),
        ("p/app/keep.log", ""),
        ("p/app/b.tmp", ""),
        ("p/app/gen/x.ts", ""),
        ("p/app/gen/tracked.ts", ""),
        ("p/app/.gitignore", "/only.ts\n"),
        ("p/app/only.ts", ""),
        ("p/app/sub/only.ts", ""),
        ("other/x.ts", ""),
    ];
    repo(&["p/app/gen/tracked.ts"], &files)
        .at("/r/p/app")
        .check(".gitignore a.ts gen/tracked.ts keep.log sub/only.ts");
    let denied = repo(&[], &files).at("/r/p/app");
    denied.system.deny("/r/p/.gitignore");
    assert_eq!(
        denied.scan().root_error.as_deref(),
        Some("`../.gitignore` cannot be read: permission denied")
    );
}

#[test]
fn an_ignored_root_is_independent_unless_it_has_tracked_files() {
    let files = [
        (".gitignore", "out/\n*.ts\n"),
        ("out/app/a.ts", ""),
        ("out/app/b.ts", ""),
        ("out/app/.gitignore", "b.ts\n"),
    ];
    repo(&["x"], &files).at("/r/out/app").check_notices(
        ".gitignore a.ts",
        &[".: the repository above ignores `out`, so only the ignore files in it count"],
    );
    repo(&["out/app/b.ts"], &files).at("/r/out/app").check_notices(
        "b.ts",
        &[".: the repository above ignores `out`, so only the files that it tracks count"],
    );
}

#[test]
fn a_nested_repository_has_its_own_index_and_rules() {
    let files = [
        (".gitignore", "*.log\nhidden/\nout/\n"),
        ("a.log", ""),
        ("sub/.git/HEAD", ""),
        ("sub/.git/info/exclude", "*.tmp\n"),
        ("sub/.gitignore", "gen/\n"),
        ("sub/x.log", ""),
        ("sub/x.tmp", ""),
        ("sub/gen/kept.ts", ""),
        ("sub/gen/other.ts", ""),
        ("hidden/nested/.git/HEAD", ""),
        ("hidden/nested/x", ""),
        ("out/module/.git/HEAD", ""),
        ("out/module/x.log", ""),
        ("out/plain/y", ""),
    ];
    let entries = [("out/module", SUBMODULE)];
    repo(&[], &files)
        .put("sub/.git/index", index(&["gen/kept.ts"]))
        .put(".git/index", index_in(2, &entries, &[]))
        .check(".gitignore out/module/x.log sub/.gitignore sub/gen/kept.ts sub/x.log");
}

#[test]
fn a_file_can_point_to_the_repository() {
    let files = [
        (".git/commondir", "../../main/.git\n"),
        ("../main/.git/info/exclude", "hidden\n"),
        ("../main/.git/config", "[core]\nbare = true\n"),
        ("hidden", ""),
        ("a.ts", ""),
        ("module/.git", "gitdir: ../../modules/m\n"),
        ("../modules/m/HEAD", ""),
        ("../modules/m/info/exclude", "x\n"),
        ("module/x", ""),
        ("module/y", ""),
    ];
    let system = repo(&[], &[]).system;
    for (path, text) in files {
        let path = path.strip_prefix("../").map_or(format!("/r/{path}"), |path| format!("/{path}"));
        system.put(path, text);
    }
    system.put("/modules/m/index", index(&["x"]));
    let there =
        TestRepo { system, root: "/r", includes: Vec::new(), git: GitEnvironment::default() };
    there.check("a.ts module/x module/y");
}

#[test]
fn a_broken_repository_gives_a_notice_and_patterns_decide() {
    let files = [(".gitignore", "b\n"), ("a", ""), ("b", "")];
    let told = |why: &str| format!(".git: not used, so only ignore files apply: {why}");
    let broken = |change: &dyn Fn(&MemorySystem), why: &str| {
        let repo = repo(&["b"], &files);
        change(&repo.system);
        repo.check_notices(".gitignore a", &[&told(why)]);
    };
    let remove = |system: &MemorySystem| system.remove_dir_all("/r/.git".as_ref()).unwrap();
    broken(&|system| system.remove_file("/r/.git/HEAD".as_ref()).unwrap(), "it has no `HEAD`");
    broken(
        &|system| system.put("/r/.git/config", "[core]\nbare\n"),
        "it is a bare repository without a work tree",
    );
    broken(
        &|system| {
            remove(system);
            system.put("/r/.git", "gitdir: /nowhere\n");
        },
        "it has no `HEAD`",
    );
    broken(
        &|system| {
            remove(system);
            system.put("/r/.git", "nonsense");
        },
        "it does not say where the repository is",
    );
    broken(
        &|system| {
            remove(system);
            system.link("/r/.git", "nowhere");
        },
        "entity not found",
    );
}

#[test]
fn an_unreadable_index_gives_a_notice() {
    let files = [(".gitignore", "b\n"), ("b", "")];
    let check = |bytes: Vec<u8>, why: &str| {
        let told = format!(".git/index: not used, so only ignore files apply: {why}");
        repo(&[], &files).put(".git/index", bytes).check_notices(".gitignore", &[&told]);
    };
    let whole = index(&["b"]);
    check(b"nonsense".to_vec(), "it is not a git index");
    check(whole[..whole.len() - 1].to_vec(), "it is truncated");
    check(whole[..20].to_vec(), "it is truncated");
    check(index_in(5, &[], &[]), "its version is 5; only 2, 3 and 4 are supported");
    check(index_in(2, &[], &[(b"what", b"")]), "it needs the extension `what`");
    let shared = [&[7; 20][..], &[0; 24]].concat();
    let name = format!("sharedindex.{}", "07".repeat(20));
    check(
        index_in(2, &[], &[(b"link", &shared)]),
        &format!("`{name}` cannot be read: entity not found"),
    );
}

#[test]
fn every_version_of_an_index_is_read() {
    let long = format!("z/{}", "long".repeat(2000));
    let entries =
        [("a", FILE), ("dir/b", FILE), ("dir/bc", FILE), ("m", SUBMODULE), ("out/", SPARSE)];
    for version in [2, 3, 4] {
        let bytes = index_in(version, &entries, &[(b"TREE", b"x"), (b"sdir", b"")]);
        let index = GitIndex::read(&bytes, 20).unwrap();
        assert_eq!(names(&index), ["a", "dir/b", "dir/bc", "m/"], "version {version}");
    }
    let fits = &long[..4095];
    for version in [2, 3, 4] {
        let read = GitIndex::read(&index_in(version, &[(fits, FILE), ("zz", FILE)], &[]), 20);
        assert_eq!(names(&read.unwrap()), [fits, "zz"], "version {version}");
        assert!(GitIndex::read(&index_in(version, &[(&long, FILE)], &[]), 20).is_err());
    }
}

#[test]
fn a_split_index_is_merged() {
    let bitmap = |bits: u64| {
        let words = [1u64 << 33, bits].map(u64::to_be_bytes).concat();
        [&64u32.to_be_bytes()[..], &2u32.to_be_bytes(), &words, &0u32.to_be_bytes()].concat()
    };
    let link = [vec![9; 20], bitmap(0b0010), bitmap(0b0101)].concat();
    let split = [("", FILE), ("", SUBMODULE), ("new", FILE)];
    let base = index(&["a", "b", "c", "d"]);
    let joined = |base: &[u8]| {
        let split = GitIndex::read(&index_in(2, &split, &[(b"link", &link)]), 20).unwrap();
        assert_eq!(split.shared(), Some(&[9; 20][..]));
        split.joined(GitIndex::read(base, 20).unwrap()).map(|index| names(&index))
    };
    assert_eq!(joined(&base).unwrap(), ["a", "c/", "d", "new"]);
    assert_eq!(joined(&index(&["a"])).unwrap_err(), "it changes entries that do not exist");
}

#[test]
fn names_are_compared_with_the_repositorys_case_setting() {
    let files = [(".gitignore", "*.JS\nGen/\n"), ("A.js", ""), ("b.js", ""), ("gen/X.ts", "")];
    let repo = repo(&["a.js", "gen/x.ts"], &files);
    repo.check(".gitignore A.js b.js gen/X.ts");
    repo.put(".git/config", "[core]\nignorecase = true\n").check(".gitignore A.js gen/X.ts");
}

#[test]
fn exponentially_growing_names_are_rejected() {
    // Each entry repeats the previous name and adds a byte: small on disk, large in memory.
    let name = "n".repeat(4000);
    let repeated: Vec<TestEntry<'_>> = vec![(&name, FILE); 5000];
    let bytes = index_in(4, &repeated, &[]);
    assert!(bytes.len() < 400_000);
    assert_eq!(GitIndex::read(&bytes, 20).unwrap_err(), "its names are too long in total");
    // A count that exceeds the file costs nothing.
    let mut endless = index(&["a"]);
    endless[8..12].copy_from_slice(&u32::MAX.to_be_bytes());
    assert_eq!(GitIndex::read(&endless, 20).unwrap_err(), "it is truncated");
}

proptest! {
    #[test]
    fn no_index_breaks_the_reader(
        version in 2u32..5,
        cut in 0usize..400,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
    ) {
        let link = [vec![9; 20], vec![0, 0, 0, 64, 0, 0, 0, 1], vec![0xFF; 8], vec![0; 4]].concat();
        let entries = [("a/b", FILE), ("a/c", SUBMODULE), ("d/", SPARSE)];
        let mut bytes = index_in(version, &entries, &[(b"link", &link), (b"sdir", b"")]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().saturating_sub(cut / 4));
        for hash_bytes in [20, 32] {
            if let Ok(index) = GitIndex::read(&bytes, hash_bytes) {
                let _ = names(&index);
                let _ = index.joined(GitIndex::read(&index_in(2, &entries, &[]), 20).unwrap());
            }
        }
    }

    #[test]
    fn no_configuration_breaks_the_reader(text in "(\\[[a-z \"\\\\.:/*]{0,12}\\]?|[a-z]{1,5}|[=#;\"\\\\\n \r]){0,30}") {
        let mut repo = repo(&[], &[("a", "")]);
        repo.git.config_files = vec!["/config".into()];
        repo.system.put("/config", text);
        prop_assert!(repo.scan().files.len() <= 1);
    }
}
