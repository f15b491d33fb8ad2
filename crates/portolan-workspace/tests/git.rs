//! The universe is what git would commit: compared with git itself, on repositories that have one of
//! everything. For a nested repository git lists only its name; we list its files.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot continue says so; one that does not run says why"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_testkit::reliability;
use portolan_types::{Notice, RepoPath};
use portolan_vfs::{OsSystem, System};
use portolan_workspace::{
    CommitLog, GitEnvironment, HistoryBounds, Patterns, Revision, ScanSettings, first_parent,
    history, scan,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use tempfile::TempDir;

/// A folder with a home of its own, so that no user configuration applies.
struct GitSandbox {
    folder: TempDir,
}

impl GitSandbox {
    /// `None` if there is no git to compare with; prints why.
    fn new() -> Option<Self> {
        if let Err(error) = Command::new("git").arg("--version").output() {
            println!("not compared with git: {error}");
            return None;
        }
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let config = "[core]\n\texcludesFile = ~/ignores # mine\n[include]\n\tpath = more\n";
        place.write("home/.gitconfig", config);
        let more = "[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n\
                    [protocol \"file\"]\n\tallow = always\n";
        place.write("home/more", more);
        place.write("home/ignores", "*.private\nnotes/\n");
        Some(place)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    fn git(&self, folder: &str, arguments: &str) -> Vec<u8> {
        let output = Command::new("git")
            .args(arguments.split(' '))
            .current_dir(self.path(folder))
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments} in {folder}: {said}");
        output.stdout
    }

    /// The files that git lists and that are on the disk, without installed packages, below a folder.
    fn listed(&self, folder: &str, prefix: &str, found: &mut BTreeSet<String>) {
        let list = self.git(folder, "ls-files -z --cached --others --exclude-standard");
        for name in list.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let name = String::from_utf8(name.to_vec()).unwrap();
            let name = name.trim_end_matches('/');
            let place = self.path(folder).join(name);
            if place.is_dir() && !place.is_symlink() {
                self.listed(&format!("{folder}/{name}"), &format!("{prefix}{name}/"), found);
            } else if place.is_file() && !name.split('/').any(|part| part == "node_modules") {
                found.insert(format!("{prefix}{name}"));
            }
        }
    }

    /// Our universe of a folder.
    fn universe(&self, folder: &str) -> BTreeSet<String> {
        let (files, notices) = self.scanned(folder);
        assert_eq!(notices, [], "{folder}");
        files
    }

    /// Our universe of a folder, and its notices.
    fn scanned(&self, folder: &str) -> (BTreeSet<String>, Vec<Notice>) {
        let home = self.path("home");
        let settings = ScanSettings {
            root: OsSystem.real_path(&self.path(folder)).unwrap(),
            stan_path: RepoPath::new(".stan").unwrap(),
            includes: Patterns::default(),
            excludes: Patterns::default(),
            only: Vec::new(),
            guard: portolan_guard::Guard::new(true, &[]),
            git: GitEnvironment::from_variables(|name| match name {
                "HOME" => Some(home.clone().into()),
                "GIT_CONFIG_NOSYSTEM" => Some("1".into()),
                _ => None,
            }),
        };
        let scan = scan(&OsSystem, &settings, &|_| Ok(()));
        let files = scan.files.into_iter().map(|(file, ())| file.path.to_string()).collect();
        (files, scan.notices)
    }

    /// Compares the two and returns what they agree on.
    #[track_caller]
    fn check(&self, folder: &str) -> BTreeSet<String> {
        let mut expected = BTreeSet::new();
        self.listed(folder, "", &mut expected);
        let ours = self.universe(folder);
        let only_git: Vec<_> = expected.difference(&ours).collect();
        let only_ours: Vec<_> = ours.difference(&expected).collect();
        assert!(
            only_git.is_empty() && only_ours.is_empty(),
            "{folder}: only git has {only_git:?}, only we have {only_ours:?}"
        );
        ours
    }

    /// A repository with a file of every category.
    fn repository(&self, folder: &str, init: &str) {
        fs::create_dir_all(self.path(folder)).unwrap();
        self.git(folder, init);
        let put = |path: &str| self.write(&format!("{folder}/{path}"), path);
        for path in TRACKED {
            put(path);
        }
        self.git(folder, "add -A -f");
        self.git(folder, "commit -q -m one");
        self.write(&format!("{folder}/.gitignore"), RULES);
        self.write(&format!("{folder}/deep/.gitignore"), "!kept.log\n/anchored\nsub/*.x\n");
        self.write(&format!("{folder}/dist/.gitignore"), "!comes-not-back.js\n");
        self.write(&format!("{folder}/.git/info/exclude"), "/by-info\n*.draft\n");
        for path in UNTRACKED {
            put(path);
        }
        put("later.txt");
        self.git(folder, "add -N later.txt");
        fs::remove_file(self.path(folder).join("deleted.txt")).unwrap();
        fs::remove_file(self.path(folder).join("was-a-file")).unwrap();
        put("was-a-file/now-a-folder.txt");
        link(Path::new("src/a.ts"), &self.path(folder).join("link.ts"));
    }

    /// A nested repository with an index and rules of its own.
    fn nested(&self, folder: &str) {
        self.git(".", &format!("init -q {folder}"));
        self.write(&format!("{folder}/.gitignore"), "own.log\n");
        for name in ["own.log", "tracked.log", "b.private", "a.ts", "drafts/x.draft"] {
            self.write(&format!("{folder}/{name}"), name);
        }
        self.git(folder, "add -f tracked.log");
        self.git(folder, "commit -q -m inside");
    }
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) {
    std::os::unix::fs::symlink(target, place).unwrap();
}

#[cfg(not(unix))]
fn link(_target: &Path, _place: &Path) {}

const TRACKED: [&str; 16] = [
    "src/a.ts",
    "src/nested/b.ts",
    "deleted.txt",
    "was-a-file",
    "tracked.log",
    "by-info",
    "tracked.private",
    "dist/kept.js",
    "dist/deep/er/kept.js",
    "deep/anchored",
    "node_modules/p/index.js",
    "Ünïcödé/ñ.ts",
    "with space/and quotes'.ts",
    "build",
    "out/in/tracked.ts",
    "notes/tracked.md",
];

const UNTRACKED: [&str; 32] = [
    "new.ts",
    "a.log",
    "deep/kept.log",
    "deep/other.log",
    "deep/sub/anchored",
    "deep/sub/a.x",
    "deep/sub/sub/a.x",
    "dist/comes-not-back.js",
    "dist/deep/er/no.js",
    "other/dist/x.js",
    "build2/x",
    "sub/build/x",
    "doc/a.txt",
    "doc/b/c.txt",
    "doc/keep.txt",
    "any/where/tmp/x",
    "range1",
    "range9",
    "#hash",
    "!bang",
    "trailing-space/x",
    "x.draft",
    "a.private",
    "notes/mine.md",
    "node_modules/q/index.js",
    "sub/node_modules/r/index.js",
    ".env.example",
    "out/in/untracked.ts",
    "shut/by/star",
    "shut/keep",
    "CASE.LOG",
    "src/nested/c.ts",
];

const RULES: &str = "\
# a comment
*.log
/dist/
/build
doc/**
!doc/keep.txt
**/tmp
range[0-4]
\\#hash
\\!bang
trailing-space  \t
out/
shut/*
!shut/keep
";

#[test]
fn a_repository_with_everything_matches_git() {
    let Some(place) = GitSandbox::new() else { return };
    place.repository("r", "init -q .");
    place.write("r/.ignore", "*.ts\n");
    place.nested("r/inside");
    place.nested("r/out/ignored-inside");
    place.nested("elsewhere");
    for folder in ["module", "out/module"] {
        place.git("r", &format!("submodule --quiet add -f ../elsewhere {folder}"));
        place.write(&format!("r/{folder}/own.log"), "");
        place.write(&format!("r/{folder}/a.ts"), "");
    }
    let universe = place.check("r");
    let has = |path: &str| universe.contains(path);
    assert!(has("tracked.log") && has("dist/deep/er/kept.js") && has("tracked.private"));
    assert!(has("module/tracked.log") && has("out/module/a.ts") && has("out/in/tracked.ts"));
    assert!(has(".ignore") && has("later.txt") && has("was-a-file/now-a-folder.txt"));
    assert!(!has("a.private") && !has("out/ignored-inside/a.ts") && !has("deleted.txt"));
    for below in ["r/deep", "r/src/nested", "r/module", "r/out/module", "r/inside"] {
        place.check(below);
    }
    place.git("r", "config core.ignoreCase true");
    assert!(!place.check("r").contains("CASE.LOG"));
    let what = "nested repositories and submodules, from the top and below";
    reliability::row("ground", what, 7, "same files as git, if on disk");
}

#[test]
fn every_form_of_an_index_gives_the_same_result() {
    let Some(place) = GitSandbox::new() else { return };
    place.repository("r", "init -q .");
    let universe = place.check("r");
    place.git("r", "update-index --index-version 4");
    assert_eq!(place.check("r"), universe);
    place.git("r", "update-index --index-version 2 --split-index");
    assert_eq!(place.check("r"), universe);
    place.write("r/more.log", "");
    place.git("r", "add -f more.log");
    place.git("r", "rm -q --cached tracked.log");
    let split = place.check("r");
    assert!(split.contains("more.log") && !split.contains("tracked.log"));
    place.git("r", "update-index --no-split-index --untracked-cache");
    assert_eq!(place.check("r"), split);
    place.repository("long", "init -q --object-format=sha256 .");
    assert_eq!(place.check("long"), universe);
}

#[test]
fn work_trees_and_sparse_checkouts_match_git() {
    let Some(place) = GitSandbox::new() else { return };
    place.repository("r", "init -q .");
    place.git("r", "worktree add -q ../tree");
    place.write("tree/hidden-for-all.draft", "");
    place.write("tree/new.ts", "");
    assert!(place.check("tree").contains("new.ts"));
    place.git("tree", "sparse-checkout set --cone src");
    let sparse = place.check("tree");
    assert!(sparse.contains("src/a.ts") && !sparse.contains("dist/kept.js"));
    place.git("tree", "sparse-checkout set --cone --sparse-index src");
    assert_eq!(place.check("tree"), sparse);
    place.git(".", "clone -q --bare r bare.git");
    place.git("bare.git", "worktree add -q ../from-bare");
    assert!(place.check("from-bare").contains("src/a.ts"));
}

#[test]
fn an_ignore_file_that_is_not_checked_out_still_applies() {
    let Some(place) = GitSandbox::new() else { return };
    for (name, init) in [("r", "init -q ."), ("long", "init -q --object-format=sha256 .")] {
        for path in ["src/a.ts", "lib/b.ts", "lib/deep/er/c.ts", "nested/x.ts"] {
            place.write(&format!("{name}/{path}"), path);
        }
        place.write(&format!("{name}/lib/.gitignore"), "secret*\n");
        place.write(&format!("{name}/lib/deep/.gitignore"), "!secret2\nmine\n");
        place.git(name, init);
        place.git(name, "add .");
        place.git(name, "commit -qm one");
    }
    let secrets = |name: &str| {
        for path in ["lib/secret1", "lib/new", "lib/deep/secret2", "lib/deep/er/mine"] {
            place.write(&format!("{name}/{path}"), path);
        }
    };
    for kind in ["--no-sparse-index", "--sparse-index"] {
        place.git("r", &format!("sparse-checkout set --cone {kind} src"));
        secrets("r");
        let universe = place.check("r");
        assert!(universe.contains("lib/deep/secret2") && !universe.contains("lib/secret1"));
        assert!(!universe.contains("lib/deep/er/mine"));
        place.check("r/lib");
        // Here git's own list ignores what the index has above; its status does not.
        assert_eq!(place.universe("r/lib/deep/er"), BTreeSet::new());
        place.git("r", "gc -q");
        place.check("r");
    }
    // An unreadable file may hide anything.
    place.git("long", "sparse-checkout set --cone src");
    secrets("long");
    let (universe, notices) = place.scanned("long");
    assert_eq!(universe, BTreeSet::from(["src/a.ts".to_owned()]));
    assert_eq!(
        notices[0].message,
        "folder left out: `lib/.gitignore` is not checked out and cannot be read: SHA-256 \
         objects are not supported"
    );
}

#[test]
fn a_commit_is_read_loose_and_packed() {
    let Some(place) = GitSandbox::new() else { return };
    place.write("repo/a/one.txt", &"line\n".repeat(500));
    place.write("repo/b.txt", "b\n");
    for arguments in ["init -q", "add -A", "commit -q -m first"] {
        place.git("repo", arguments);
    }
    place.write("repo/a/one.txt", &format!("{}more\n", "line\n".repeat(500)));
    place.git("repo", "commit -q -a -m second");
    place.write("repo/b.txt", "changed\n");
    place.write("repo/new.txt", "new\n");
    let root = place.path("repo");
    let today = || ["a/one.txt", "b.txt", "new.txt"].into_iter();
    let check = || {
        let head = portolan_workspace::Revision::open(&OsSystem, &root, "HEAD").unwrap();
        assert_eq!(head.changed(today()), ["b.txt", "new.txt"]);
        assert_eq!(head.read("b.txt").as_deref(), Some(b"b\n".as_slice()));
        assert_eq!(
            head.id(),
            String::from_utf8(place.git("repo", "rev-parse HEAD")).unwrap().trim()
        );
        let before = portolan_workspace::Revision::open(&OsSystem, &root, "main~1").unwrap();
        assert_eq!(before.read("a/one.txt").map(|text| text.len()), Some(2500));
        assert_eq!(before.changed(today()), ["a/one.txt", "b.txt", "new.txt"]);
        let short = portolan_workspace::Revision::open(&OsSystem, &root, &head.id()[..8]).unwrap();
        assert_eq!(short.id(), head.id());
        let below = portolan_workspace::Revision::open(&OsSystem, &root.join("a"), "HEAD").unwrap();
        assert_eq!(below.paths().collect::<Vec<_>>(), ["one.txt"]);
    };
    check();
    place.git("repo", "gc -q");
    check();
    assert!(portolan_workspace::Revision::open(&OsSystem, &root, "nowhere").is_err());
}

#[cfg(unix)]
#[test]
fn a_link_is_compared_by_its_target() {
    let Some(place) = GitSandbox::new() else { return };
    place.write("repo/pkg/a.txt", "a\n");
    place.write("repo/b.txt", "b\n");
    let root = place.path("repo");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, root.join(name)).unwrap();
    };
    for (target, name) in [("pkg", "folder"), ("b.txt", "file"), ("nowhere", "dangling")] {
        link(target, name);
    }
    for arguments in ["init -q", "add -A", "commit -q -m first"] {
        place.git("repo", arguments);
    }
    // Without the stat records of the index.
    place.git("repo", "read-tree HEAD");
    let head = || Revision::open(&OsSystem, &root, "HEAD").unwrap();
    let files = || ["b.txt", "pkg/a.txt"].into_iter();
    assert_eq!(head().changed(files()), [""; 0]);
    assert_eq!(head().changed(files().chain(["file"])), [""; 0]);
    std::fs::remove_file(root.join("file")).unwrap();
    std::fs::remove_file(root.join("folder")).unwrap();
    link("pkg/a.txt", "file");
    assert_eq!(head().changed(files()), ["file", "folder"]);
    assert_eq!(head().changed(files().chain(["file"])), ["file", "folder"]);
}

/// A repository with a branch whose commits change one file after the other.
fn branched() -> Option<GitSandbox> {
    let place = GitSandbox::new()?;
    place.write("repo/src/a.ts", "1\n");
    place.write("repo/src/deep/b.ts", "1\n");
    place.write("repo/other/c.ts", "1\n");
    place.git("repo", "init -q");
    place.git("repo", "add .");
    place.git("repo", "commit -qm one");
    place.git("repo", "checkout -qb branch");
    place.write("repo/src/a.ts", "2\n");
    place.write("repo/other/c.ts", "2\n");
    place.git("repo", "commit -qam two");
    place.git("repo", "checkout -q main");
    place.write("repo/src/deep/b.ts", "2\n");
    place.git("repo", "commit -qam three");
    place.git("repo", "checkout -q branch");
    Some(place)
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

#[test]
fn the_fork_point_matches_git() {
    let Some(place) = branched() else { return };
    let root = place.path("repo");
    let fork = Revision::open_fork(&OsSystem, &root).unwrap();
    assert_eq!(fork.id(), line(&place.git("repo", "merge-base HEAD main")));
    let paths = ["other/c.ts", "src/a.ts", "src/deep/b.ts"];
    assert_eq!(fork.changed(paths.into_iter()), ["other/c.ts", "src/a.ts"]);
    let main = Revision::open(&OsSystem, &root, "main").unwrap();
    assert_eq!(fork.differing(&main), ["src/deep/b.ts"]);
    // With and without cached folders, packed and loose: the same files.
    place.git("repo", "gc -q");
    place.git("repo", "read-tree HEAD");
    let packed = Revision::open(&OsSystem, &root, "HEAD").unwrap();
    assert_eq!(packed.paths().collect::<Vec<_>>(), paths);
    assert_eq!(packed.read("src/a.ts").unwrap(), b"2\n");
    let inside = Revision::open(&OsSystem, &root.join("src"), "HEAD").unwrap();
    assert_eq!(inside.paths().collect::<Vec<_>>(), ["a.ts", "deep/b.ts"]);
}

#[test]
fn a_history_lists_the_files_of_each_commit() {
    let Some(place) = branched() else { return };
    let root = place.path("repo");
    place.git("repo", "merge -q --no-edit main");
    let bounds = HistoryBounds { commits: 10, files: 20 };
    let told = |root: &Path, bounds| {
        let found = history(&OsSystem, root, bounds, &|_| false);
        found.iter().map(|it| it.files.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(told(&root, bounds), ["src/deep/b.ts", "other/c.ts src/a.ts"]);
    assert_eq!(told(&root.join("src"), bounds), ["deep/b.ts", "a.ts"]);
    assert_eq!(told(&root, HistoryBounds { files: 1, ..bounds }), ["src/deep/b.ts", ""]);
    let head = line(&place.git("repo", "rev-parse HEAD"));
    assert_eq!(first_parent(&OsSystem, &root, None), Some(head.clone()));
    let before = first_parent(&OsSystem, &root, Some(&head)).unwrap();
    assert_eq!(before, line(&place.git("repo", "rev-parse HEAD~1")));
    assert_eq!(history(&OsSystem, &root, bounds, &|id| id == before).len(), 1);
    let log = CommitLog::open(&OsSystem, &root).unwrap();
    let messages = log.messages(10);
    let expected =
        place.git("repo", "log --first-parent --format=%s --max-parents=9 --min-parents=1");
    let expected = String::from_utf8(expected).unwrap();
    let subjects: Vec<&str> = messages.iter().map(|it| it.text.lines().next().unwrap()).collect();
    assert_eq!(subjects, expected.lines().collect::<Vec<_>>());
    assert_eq!(log.files(&messages[1], 20), ["other/c.ts", "src/a.ts"]);
    assert!(log.files(&messages[1], 1).is_empty());
}

/// Patterns of every kind, each the only line of an ignore file.
const KINDS: [&str; 56] = [
    "*.{log,tmp}",
    "{a,b}.x",
    "secret[[:digit:]].txt",
    "s[[:alpha:]]q",
    "foo**bar",
    "[!a]z",
    "[^a]y",
    "q[]x]",
    "r[\\]]",
    "t[a\\-c]u",
    "[a-c",
    "end\\",
    "w\\ ",
    "v\\  ",
    "a[/]b",
    "?.uni",
    "**",
    "/**/k",
    "d/**/e",
    "x/**",
    "*/m",
    "n/",
    "/o/",
    "f\\*g",
    "dir/*/*",
    "!dir/a/b",
    "[[:upper:]]up",
    "g[!/]h",
    "h[a-]",
    "c[--0]d",
    "\\!p",
    "\\#p",
    "l{1,2",
    "l}",
    "é?",
    "**/",
    "***/zz",
    "yy/***",
    "i//j",
    "/",
    "!",
    "./dot",
    "dot2/.",
    "a/../b",
    "[z-a]q",
    "k[[:foo:]]",
    "k[^]]l",
    "e{,x}",
    "keys/[[:alpha:]]*",
    "[[:space:]",
    "d\\/1",
    "d/**\\/e",
    "foo**/bar",
    "a[!b-]*",
    "*",
    "s[é]q",
];

/// The names to match. No name is also a folder.
const NAMES: [&str; 84] = [
    "a.log",
    "a.{log,tmp}",
    "a.tmp",
    "a.x",
    "b.x",
    "{a,b}.x",
    "secret1.txt",
    "secretx.txt",
    "sxq",
    "s1q",
    "foobar",
    "fooxbar",
    "foo/bar",
    "foo/q/bar",
    "az",
    "bz",
    "ay",
    "by",
    "qx",
    "q]",
    "q[]x]",
    "r]",
    "t-u",
    "tbu",
    "tau",
    "[a-c",
    "w ",
    "w",
    "v ",
    "v  ",
    "a/b",
    "é.uni",
    "e.uni",
    "ab.uni",
    "k",
    "z/k",
    "d/e",
    "d/1/e",
    "d/1/2/e",
    "x/1",
    "x/2/3",
    "m",
    "1/m",
    "1/2/m",
    "2/n/1",
    "o/1",
    "3/o/1",
    "f*g",
    "fxg",
    "dir/a/b",
    "dir/a/c",
    "dir/d",
    "Aup",
    "aup",
    "g/h",
    "gxh",
    "ha",
    "h-",
    "c.d",
    "c-d",
    "c0d",
    "!p",
    "#p",
    "l{1,2",
    "l1",
    "l2",
    "l}",
    "éa",
    "éaa",
    "p1/zz",
    "zz",
    "yy/1/2",
    "yy/3",
    "i/j",
    "dot",
    "dot2/a",
    "b",
    "bq",
    "k[",
    "k:]",
    "k]l",
    "kxl",
    "e{,x}",
    "keys/id",
];

impl GitSandbox {
    /// Compares what ignore files do to names: each file has a folder of its own.
    #[track_caller]
    fn check_rules(&self, files: &[Vec<u8>], names: &[&str]) {
        fs::create_dir_all(self.path("rules")).unwrap();
        self.git("rules", "init -q .");
        for (at, text) in files.iter().enumerate() {
            for name in names {
                self.write(&format!("rules/{at}/{name}"), "");
            }
            fs::write(self.path(&format!("rules/{at}/.gitignore")), text).unwrap();
        }
        for ignore_case in ["false", "true"] {
            self.git("rules", &format!("config core.ignoreCase {ignore_case}"));
            let mut expected = BTreeSet::new();
            self.listed("rules", "", &mut expected);
            let ours = self.scanned("rules").0;
            let differing: Vec<_> = expected.symmetric_difference(&ours).collect();
            let rules = differing.first().map(|path| {
                let at: usize = path.split('/').next().unwrap().parse().unwrap();
                String::from_utf8_lossy(&files[at])
            });
            assert!(differing.is_empty(), "{rules:?} (ignoreCase {ignore_case}): {differing:?}");
        }
    }
}

#[test]
fn patterns_of_every_kind_hide_the_same_files_as_git() {
    let Some(place) = GitSandbox::new() else { return };
    let files: Vec<_> = KINDS.iter().map(|kind| format!("{kind}\n").into_bytes()).collect();
    place.check_rules(&files, &NAMES);
    let what = "ignore files with every kind of pattern, 84 names, both case modes";
    reliability::row("ground", what, 2 * files.len(), "same files as git");
}

/// A class, a range, an escape or a star at various positions.
const RANDOM: &str = "(!|\\\\)?/?(\\*{1,3}/)?[ab*?A]{0,2}(\\[[!^]?[ab\\]\\\\-]{1,4}\\]|\\[\\[:(alpha|upper|digit|foo):\\]\\]|\\{a,b\\}|\\\\[a*/])?\
                      (/\\*\\*)?(/?[ab*1]{0,3})(/|/\\*| |\\\\ |\r)?";

#[test]
fn random_patterns_hide_the_same_files_as_git() {
    let Some(place) = GitSandbox::new() else { return };
    let mut runner = TestRunner::deterministic();
    let lines = proptest::collection::vec(RANDOM, 1..4);
    let sample = |runner: &mut TestRunner| lines.new_tree(runner).unwrap().current().join("\n");
    let files: Vec<_> = (0..150).map(|_| sample(&mut runner).into_bytes()).collect();
    let names = [
        "a", "b", "A", "ab", "ba", "aab", "a1", "1", "a]", "-", "B/a", "B/ab", "B/b/a", "B/b/ab",
        "aa/a", "aa/b", "aa/b1/a", "{a,b}", "a{a,b}b", "a ", "*", "bb/bb/bb", "bb/a*",
    ];
    place.check_rules(&files, &names);
    let what = "ignore files with random patterns, both case modes";
    reliability::row("ground", what, 2 * files.len(), "same files as git");
}
