//! Tests that a map built with the cache equals one built without.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use portolan_graph::encode_graph;
use portolan_index::map::{CacheMode, MapReport, MapRequest, build_cached};
use portolan_index::session::Session;
use portolan_query::export::{ExportReport, export, identify};
use portolan_testkit::{ROOT, git_index, memory};
use portolan_types::{Notice, NoticeCode};
use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation, OsSystem, System};
use portolan_workspace::config;

/// The user's own ignore file.
const MINE: &str = ".git/mine";
const CACHE: &str = "/repo/.stan/cache/facts.bin";

/// Where the user's cache is, in the tests that have one.
fn user_cache(root: &Path) -> PathBuf {
    root.with_extension("cache")
}

fn request(system: &dyn System, root: &Path) -> MapRequest {
    let mut config = config::load(system, root).unwrap();
    config.git.default_excludes = Some(root.join(MINE));
    config.user_cache = Some(user_cache(root)).filter(|cache| system.stat(cache).is_ok());
    MapRequest { config, threads: 1 }
}

fn map(system: &dyn System, root: &Path, mode: CacheMode) -> MapReport {
    build_cached(system, &request(system, root), mode).unwrap()
}

fn is_of_cache(notice: &Notice) -> bool {
    matches!(notice.code, NoticeCode::CacheDropped | NoticeCode::CacheUnwritable)
}

/// Builds with the cache (twice) and without, and compares everything. Returns the notices about
/// the cache.
#[track_caller]
fn check(system: &dyn System, root: &Path, what: &str) -> Vec<Notice> {
    let warm = map(system, root, CacheMode::Use);
    let again = map(system, root, CacheMode::Use);
    let cold = map(system, root, CacheMode::Off);
    let said = check_equal(warm, &cold, what);
    check_equal(again, &cold, &format!("{what}, again"));
    said
}

/// Compares two long texts, and reports where they differ.
#[track_caller]
fn check_text(left: &str, right: &str, what: &str) {
    let at = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    let around = |text: &str| {
        let bytes = text.as_bytes();
        let range = at.saturating_sub(120).min(bytes.len())..(at + 200).min(bytes.len());
        String::from_utf8_lossy(&bytes[range]).into_owned()
    };
    assert!(left == right, "{what}\n left: …{}…\nright: …{}…", around(left), around(right));
}

#[track_caller]
fn check_equal(warm: MapReport, cold: &MapReport, what: &str) -> Vec<Notice> {
    let text = |report: &MapReport| {
        String::from_utf8([encode_graph(&report.graph), encode_graph(&report.raw)].concat())
            .unwrap()
    };
    check_text(&text(&warm), &text(cold), what);
    assert_eq!(warm.locators, cold.locators, "{what}");
    assert_eq!(warm.universe, cold.universe, "{what}");
    let (said, notices): (Vec<_>, Vec<_>) = warm.notices.into_iter().partition(is_of_cache);
    assert_eq!(notices, cold.notices, "{what}");
    said
}

/// Whether a run resolved the imports again.
fn has_resolved(report: &MapReport) -> bool {
    report.timings.stages.iter().any(|stage| stage.name == "resolve")
}

/// The names of edited files: code, files that shadow code, manifests, configs, ignored files, an
/// installed package.
const PATHS: [&str; 25] = [
    "src/a.ts",
    "src/a.tsx",
    "src/a.js",
    "src/a.d.ts",
    "src/a/index.ts",
    "src/a/package.json",
    "src/b.ts",
    "src/b.vue",
    "src/index.ts",
    "src/data.json",
    "lib/c.ts",
    "lib/index.ts",
    "lib/package.json",
    "lib/tsconfig.json",
    "package.json",
    "tsconfig.json",
    ".gitignore",
    "src/.gitignore",
    ".git/index",
    ".git/info/exclude",
    MINE,
    "README.md",
    "node_modules/x/package.json",
    "node_modules/x/index.d.ts",
    "node_modules/x/impl.d.ts",
];

/// The same for other languages: modules and their shadows, manifests, a virtual environment.
const OTHER_PATHS: [&str; 26] = [
    "p/__init__.py",
    "p/m.py",
    "p/m/__init__.py",
    "p/m.pyi",
    "use.py",
    "src/m.py",
    "pyproject.toml",
    ".venv/pyvenv.cfg",
    ".venv/lib/python3.13/site-packages/x/__init__.py",
    ".venv/lib/python3.13/site-packages/x-1.0.dist-info/METADATA",
    "Cargo.toml",
    "src/lib.rs",
    "src/m.rs",
    "src/m/mod.rs",
    "src/n.rs",
    "go.mod",
    "g.go",
    "g_test.go",
    "h/h.go",
    "q/T.java",
    "q/U.java",
    "w/q/U.java",
    "q/s.kt",
    "w/q/T.kt",
    ".gitignore",
    "README.md",
];

/// The tracked files. An index counts as text as long as its numbers are small.
static INDEXES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let tracked: [&[&str]; 4] =
        [&["src/a.js", "src/a.ts"], &["lib/c.ts", "lib/e.ts"], &["src/.gitignore"], &[]];
    let index = |names| String::from_utf8(git_index(names)).unwrap().leak() as &str;
    tracked.into_iter().map(index).chain(["DIRC, but broken"]).collect()
});

/// Texts for a kind of file; the texts in a row have the same length, so only the bytes differ.
fn texts(path: &str) -> &'static [&'static str] {
    match path.rsplit('/').next().unwrap() {
        "package.json" => &[
            r#"{"name":"x","version":"1.0.0","types":"./impl.d.ts"}"#,
            r#"{"name":"x","version":"1.0.1","types":"./impl.d.ts"}"#,
            r#"{"name":"lib","version":"2.0.0","main":"c.ts"}"#,
            r#"{"name":"lib","version":"2.0.0","main":"d.ts"}"#,
            r#"{"workspaces":["lib"]}"#,
            "{ broken",
        ],
        "tsconfig.json" => &[
            r#"{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}"#,
            r#"{"compilerOptions":{"paths":{"@/*":["./lib/*"]}}}"#,
            r#"{"compilerOptions":{"baseUrl":"src"}}"#,
            r#"{"extends":"../tsconfig.json"}"#,
        ],
        ".gitignore" | "exclude" | "mine" => {
            &["a.js\n", "a.ts\n", "lib/\n", "src/\n", "node_modules\n", ""]
        }
        "index" => &INDEXES,
        "README.md" | "data.json" => &["one", "two", "three"],
        "pyproject.toml" => {
            &["[tool.ruff]\nsrc = ['src']\n", "[tool.ruff]\nsrc = ['p/m']\n", "[broken"]
        }
        "Cargo.toml" => &[
            "[package]\nname = 'x'\n",
            "[package]\nname = 'y'\n",
            "[package]\nname = 'x'\n[lib]\npath = 'src/n.rs'\n",
            "[broken",
        ],
        "go.mod" => &["module m\n", "module n\n", "broken"],
        _ => other_texts(path),
    }
}

/// The same for code, by its extension.
fn other_texts(path: &str) -> &'static [&'static str] {
    match path.rsplit('.').next().unwrap() {
        "kt" => &[
            "package q\nfun s(u: U) = SKt.a()\n",
            "package q\nfun a(u: T) = SKt.s()\n",
            "package w\nimport q.U\nimport q.s\n",
            "class T { val u = q.a() }\n",
            "package q; class T {{{\n",
        ],
        "py" | "pyi" => &[
            "from .m import *\nfrom . import m\n",
            "from .m import a\nfrom . import n\n",
            "from p import a, m\nimport x, m\nm.a()\n",
            "from p import b, m\nimport y, p\np.b()\n",
            "a = 1\n",
            "b = 1\n",
            "def f(:\n",
        ],
        "rs" => &[
            "mod m;\npub use m::A;\nmod n;\n",
            "mod n;\npub use n::A;\nmod m;\n",
            "pub struct A;\npub fn f(a: crate::n::B) {}\n",
            "pub struct B;\npub fn f(a: crate::m::A) {}\n",
            "use super::*;\nmod inner { use crate::A; }\nfn g(a: A) {}\n",
            "fn f( {\n",
        ],
        "go" => &[
            "package g\nimport \"m/h\"\nfunc G() { h.H(); g() }\n",
            "package g\nimport \"n/h\"\nfunc g() { h.H(); G() }\n",
            "package h\nfunc H() {}\n",
            "package h\nfunc K() {}\n",
            "package\n",
        ],
        "java" => &[
            "package q;\nclass T { U u; }\n",
            "package q;\nclass U { T t; }\n",
            "package r;\nimport q.*;\nclass T { U u; }\n",
            "package q;\nimport r.T;\nclass U { T t; }\n",
            "class {\n",
        ],
        _ => &[
            "export const one = 1;",
            "export const two = 2;",
            "import { one } from './a'; export { one };",
            "import { two } from './a'; export { two };",
            "/** @module A. */ import { one } from '@/b';",
            "/** @module B. */ import { one } from '@/c';",
            "export * from './b'; export * from 'x'; import 'lib';",
            "export * from './a'; export * from 'x'; import 'src';",
            "import('./index'); const y = require('../lib/c');",
            "export interface T {} export declare const one: T;",
            "<script>import './a'</script>",
            "let = broken",
        ],
    }
}

/// A file system to edit: in memory or on disk.
trait Ground {
    fn system(&self) -> &dyn System;
    fn root(&self) -> PathBuf;
    fn put(&self, path: &str, text: &str);
    /// Writes other bytes of the same length with an old modification time.
    fn put_back_dated(&self, path: &str, text: &str);
    fn touch(&self, path: &str);
    /// Adds a link to another path of the repository.
    fn link(&self, path: &str, target: &str);

    fn place(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }
}

impl Ground for MemorySystem {
    fn system(&self) -> &dyn System {
        self
    }

    fn root(&self) -> PathBuf {
        ROOT.into()
    }

    fn put(&self, path: &str, text: &str) {
        self.put(Path::new(ROOT).join(path), text);
    }

    fn put_back_dated(&self, path: &str, text: &str) {
        let place = Path::new(ROOT).join(path);
        let before = self.stat(&place).map_or(0, |stat| stat.mtime_ns);
        self.put(&place, text);
        self.touch(&place, before);
    }

    fn touch(&self, path: &str) {
        self.touch(Path::new(ROOT).join(path), 1_000_000);
    }

    fn link(&self, path: &str, target: &str) {
        self.link(self.place(path), self.place(target));
    }
}

struct Disk(tempfile::TempDir);

impl Ground for Disk {
    fn system(&self) -> &dyn System {
        &OsSystem
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn put(&self, path: &str, text: &str) {
        let place = self.place(path);
        // Nothing is written through dangling or circular links.
        let _ = std::fs::create_dir_all(place.parent().unwrap());
        // In place, as editors do: the inode stays the same.
        let _ = std::fs::write(place, text);
    }

    fn put_back_dated(&self, path: &str, text: &str) {
        let place = self.place(path);
        let before = std::fs::metadata(&place).and_then(|metadata| metadata.modified());
        self.put(path, text);
        if let (Ok(before), Ok(file)) = (before, std::fs::File::options().write(true).open(place)) {
            file.set_modified(before).unwrap();
        }
    }

    fn touch(&self, path: &str) {
        if let Ok(file) = std::fs::File::options().write(true).open(self.place(path)) {
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    }

    fn link(&self, path: &str, target: &str) {
        let _ = std::os::unix::fs::symlink(self.place(target), self.place(path));
    }
}

struct Editor<'g> {
    ground: &'g dyn Ground,
    paths: &'static [&'static str],
    random: u64,
    /// Another branch: all files with earlier content.
    branch: Vec<(&'static str, Vec<u8>)>,
}

impl Editor<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % bound
    }

    fn pick(&mut self) -> (&'static str, &'static str) {
        let path = self.paths[self.below(self.paths.len())];
        let texts = texts(path);
        (path, texts[self.below(texts.len())])
    }

    /// A folder of one of the paths, but not the repository itself.
    fn folder(&mut self) -> Option<String> {
        let path = self.paths[self.below(self.paths.len())];
        let folders = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
        let folders: Vec<String> = folders.filter(|folder| !folder.starts_with(".git")).collect();
        (!folders.is_empty()).then(|| folders[self.below(folders.len())].clone())
    }

    /// Moves, removes or links a whole folder.
    fn edit_folder(&mut self) -> String {
        let system = self.ground.system();
        let Some((folder, other)) = self.folder().zip(self.folder()) else { return "none".into() };
        let (place, target) = (self.ground.place(&folder), self.ground.place(&other));
        match self.below(6) {
            0 => drop(system.remove_dir_all(&place)),
            1 => self.ground.link(&format!("{folder}-link"), &other),
            2 => drop(system.remove_file(&self.ground.place(&format!("{folder}-link")))),
            3 => drop(system.rename(&place, &self.ground.place(&format!("{folder}-moved")))),
            4 => drop(system.rename(&self.ground.place(&format!("{folder}-moved")), &place)),
            _ => drop(system.rename(&place, &target)),
        }
        format!("folder {folder}, {other}")
    }

    fn edit(&mut self) -> String {
        let (path, text) = self.pick();
        let system = self.ground.system();
        let place = self.ground.place(path);
        match self.below(20) {
            16 | 17 => return self.edit_folder(),
            18 => {
                let (target, _) = self.pick();
                drop(system.remove_file(&place));
                self.ground.link(path, target);
                return format!("link {path} to {target}");
            }
            0..=6 => self.ground.put(path, text),
            7 => self.ground.touch(path),
            8 => self.ground.put_back_dated(path, text),
            9 | 10 => drop(system.remove_file(&place)),
            11 => {
                let (target, _) = self.pick();
                let target = self.ground.place(target);
                drop(target.parent().map(|folder| system.create_dir_all(folder)));
                drop(system.rename(&place, &target));
                return format!("move {path} to {}", target.display());
            }
            12 => {
                self.switch_branch();
                return "switch".to_owned();
            }
            13 => {
                let cache = self.ground.place(".stan/cache/facts.bin");
                if let Ok(mut bytes) = system.read(&cache) {
                    let at = self.below(bytes.len());
                    bytes[at] ^= 1;
                    system.write(&cache, &bytes).unwrap();
                }
                return "damage".to_owned();
            }
            _ => {
                self.ground.put(path, text);
                let (path, text) = self.pick();
                self.ground.put(path, text);
            }
        }
        format!("edit {path}")
    }

    fn switch_branch(&mut self) {
        let system = self.ground.system();
        let read = |path: &&'static str| (*path, system.read(&self.ground.place(path)).ok());
        let here: Vec<(&str, Option<Vec<u8>>)> = self.paths.iter().map(read).collect();
        for (path, bytes) in &here {
            let there = self.branch.iter().find(|(other, _)| other == path);
            match (there, bytes) {
                (Some((_, text)), _) => self.ground.put(path, &String::from_utf8_lossy(text)),
                (None, Some(_)) => drop(system.remove_file(&self.ground.place(path))),
                (None, None) => {}
            }
        }
        self.branch = here.into_iter().filter_map(|(path, bytes)| Some((path, bytes?))).collect();
    }
}

/// Imported files that are never edited.
const FAR: [&str; 9] = [
    "import { one } from './a';\n",
    "import { one } from '../src/a';\nimport '../lib';\n",
    "import { one } from '@/b';\n",
    "import 'x';\nexport * from 'lib';\n",
    "import { two } from 'src';\n",
    "import '../src-moved/a';\nimport '../lib-link/c';\n",
    "import '../../lib/c';\nimport '../lib/d';\n",
    "import 'fs';\nimport './far1';\nexport const far = 1;\n",
    "/// <reference types=\"x\" />\nimport './data.json';\nimport 'a';\n",
];

#[track_caller]
fn check_edits(
    ground: &dyn Ground,
    paths: &'static [&'static str],
    seed: u64,
    edits: usize,
    after: impl Fn(usize),
) {
    for path in paths.iter().filter(|path| !path.ends_with("/a/index.ts")) {
        ground.put(path, texts(path)[0]);
    }
    // Files that never change, but import files that do.
    for number in 0..12 {
        let asked = &FAR[number % FAR.len()];
        let folder = ["far", "far/away", "src", "lib"][number % 4];
        ground.put(&format!("{folder}/far{number}.ts"), asked);
    }
    ground.put(".git/HEAD", "ref: refs/heads/main\n");
    let (system, root) = (ground.system(), ground.root());
    if system.stat(&user_cache(&root)).is_err() {
        system.create_dir_all(&ground.place(".stan")).unwrap();
    }
    let mut editor = Editor { ground, paths, random: seed, branch: Vec::new() };
    let session = Session::open(system, request(system, &root), CacheMode::Off).unwrap();
    for number in 0..edits {
        let what = format!("seed {seed}, edit {number}: {}", editor.edit());
        check(system, &root, &what);
        // One session sees all edits.
        let refreshed = session.refresh().unwrap().map.clone();
        let said = check_equal(refreshed, &map(system, &root, CacheMode::Off), &what);
        assert_eq!(said, [], "{what}");
        after(number);
    }
}

#[test]
fn thousands_of_edits_in_memory_never_show() {
    for seed in 0..4 {
        let system = MemorySystem::default();
        // At times the clock stops, so that edits and runs have the same time.
        check_edits(&system, &PATHS, seed, 600, |number| system.hold_clock(number % 10 < 4));
    }
}

#[test]
fn edits_never_show_in_the_users_cache() {
    for (paths, seed) in [(&PATHS[..], 0), (&PATHS[..], 1), (&OTHER_PATHS[..], 2)] {
        let system = MemorySystem::default();
        system.create_dir_all(&user_cache(Path::new(ROOT))).unwrap();
        check_edits(&system, paths, seed, 300, |number| system.hold_clock(number % 10 < 4));
        assert!(!system.files_below(user_cache(Path::new(ROOT))).is_empty());
        assert!(system.stat(Path::new("/repo/.stan")).is_err());
    }
}

/// A repository on disk, with the user's cache on another file system where there is one.
fn disk_and_memory() -> (Disk, tempfile::TempDir) {
    let disk = Disk(tempfile::tempdir().unwrap());
    let memory = Path::new("/dev/shm");
    let cache = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let cache = cache.unwrap();
    std::os::unix::fs::symlink(cache.path(), user_cache(&disk.root())).unwrap();
    (disk, cache)
}

#[test]
fn edits_never_show_in_a_cache_on_another_file_system() {
    let (disk, cache) = disk_and_memory();
    check_edits(&disk, &PATHS, 8, 150, |_| {});
    assert!(cache.path().join("portolan/repositories").is_dir());
    std::fs::remove_file(user_cache(&disk.root())).unwrap();
}

/// Times, sizes and inodes say little of edits that follow each other at once and keep the length.
#[test]
fn a_thousand_edits_of_equal_size_never_show() {
    let (disk, _cache) = disk_and_memory();
    disk.put(".git/HEAD", "ref: refs/heads/main\n");
    disk.put("a.ts", "");
    disk.put("b.ts", "");
    let root = disk.root();
    let mut hits = 0;
    for number in 0..1_008 {
        let target = ["a", "b", "z"][number % 3];
        disk.put("c.ts", &format!("import './{target}'; // {number:05}\n"));
        let warm = map(&OsSystem, &root, CacheMode::Use);
        hits += usize::from(!has_resolved(&warm));
        check_equal(warm, &map(&OsSystem, &root, CacheMode::Off), &format!("edit {number}"));
        if number % 3 == 0 {
            // What did not change since is taken from the cache.
            hits += usize::from(!has_resolved(&map(&OsSystem, &root, CacheMode::Use)));
        }
    }
    std::fs::remove_file(user_cache(&root)).unwrap();
    assert!(hits > 100, "{hits}");
}

#[test]
fn edits_of_other_languages_never_show() {
    for seed in 0..3 {
        let system = MemorySystem::default();
        check_edits(&system, &OTHER_PATHS, seed, 300, |number| system.hold_clock(number % 10 < 4));
    }
}

#[test]
fn edits_on_disk_never_show() {
    check_edits(&Disk(tempfile::tempdir().unwrap()), &PATHS, 7, 150, |_| {});
}

/// Exports, and returns the digest of the set and its rows.
fn exported(system: &dyn System, root: &Path, mode: CacheMode) -> (String, ExportReport) {
    let session = Session::open(system, request(system, root), mode).unwrap();
    let identity = identify(&session, None, "writer").unwrap();
    let report = export(&session, &identity).unwrap();
    (identity.digest, report)
}

/// The digest alone decides whether a cached set is used.
#[test]
fn sets_with_one_digest_have_the_same_rows_whatever_was_edited() {
    for (paths, seed) in [(&PATHS[..], 0), (&PATHS[..], 1), (&OTHER_PATHS[..], 0)] {
        let system = MemorySystem::default();
        for path in paths.iter().filter(|path| !path.ends_with("/a/index.ts")) {
            Ground::put(&system, path, texts(path)[0]);
        }
        Ground::put(&system, ".git/HEAD", "ref: refs/heads/main\n");
        system.create_dir_all(&system.place(".stan")).unwrap();
        let mut editor = Editor { ground: &system, paths, random: seed, branch: Vec::new() };
        let mut known = BTreeMap::new();
        for number in 0..300 {
            let what = format!("seed {seed}, edit {number}: {}", editor.edit());
            let (digest, warm) = exported(&system, Path::new(ROOT), CacheMode::Use);
            let (cold_digest, cold) = exported(&system, Path::new(ROOT), CacheMode::Off);
            assert_eq!((&digest, &warm.set), (&cold_digest, &cold.set), "{what}");
            let before = known.entry(digest).or_insert_with(|| warm.set.clone());
            assert_eq!(*before, warm.set, "{what}");
        }
        assert!(known.len() > 100, "{}", known.len());
    }
}

const APP: &str =
    "//- .stan/keep\n//- src/a.ts\nimport './b';\n//- src/b.ts\nexport const b = 1;\n";

#[test]
fn a_cache_that_says_it_all_is_not_written_again() {
    let system = memory(APP);
    check(&system, Path::new(ROOT), "first");
    let before = system.stat(Path::new(CACHE)).unwrap();
    check(&system, Path::new(ROOT), "second");
    assert_eq!(system.stat(Path::new(CACHE)).unwrap(), before);
}

/// A repository with most ways of resolving imports, and one change to it.
#[track_caller]
fn check_reuse(is_reused: bool, change: impl Fn(&MemorySystem)) {
    let system = memory(
        "//- .stan/keep\n//- .gitignore\nnode_modules\ndist\n\
         //- src/a.ts\nimport { b } from './b';\nimport { p } from 'p';\nimport './none';\nimport '../dist/d';\n\
         //- src/b.ts\nexport const b = 1;\n\
         //- dist/d.ts\nexport const d = 1;\n\
         //- node_modules/p/package.json\n{\"name\":\"p\",\"version\":\"1.0.0\",\"types\":\"i.d.ts\"}\n\
         //- node_modules/p/i.d.ts\nexport { p } from './q';\n\
         //- node_modules/p/q.d.ts\nexport declare const p: 1;\n",
    );
    let root = Path::new(ROOT);
    assert!(has_resolved(&map(&system, root, CacheMode::Use)), "the first run");
    assert!(!has_resolved(&map(&system, root, CacheMode::Use)), "the second run");
    change(&system);
    let warm = map(&system, root, CacheMode::Use);
    assert_eq!(has_resolved(&warm), !is_reused);
    check_equal(warm, &map(&system, root, CacheMode::Off), "after the change");
}

#[test]
fn what_changes_no_link_is_taken_with_all_links_as_they_were() {
    check_reuse(true, |_| {});
    check_reuse(true, |system| {
        system.put("/repo/src/b.ts", "/** @module B. */\nexport const b = 2;\n");
    });
    check_reuse(true, |system| {
        system.put("/repo/src/b.ts", "export const b = 1;\nconst = broken;\n");
    });
    check_reuse(true, |system| system.touch("/repo/src/a.ts", 5));
}

#[test]
fn what_may_change_a_link_is_found_out_anew() {
    check_reuse(false, |system| system.put("/repo/src/b.ts", "export const c = 1;\n"));
    check_reuse(false, |system| {
        system.put("/repo/src/b.ts", "import './a';\nexport const b = 1;\n");
    });
    check_reuse(false, |system| system.put("/repo/src/b.tsx", "export const b = 1;\n"));
    check_reuse(false, |system| system.put("/repo/src/none.ts", ""));
    check_reuse(false, |system| system.put("/repo/tsconfig.json", "{}"));
    check_reuse(false, |system| system.put("/repo/dist/d.ts", "export const d = 2;\n"));
    check_reuse(false, |system| system.put("/repo/dist/d/index.ts", ""));
    check_reuse(false, |system| {
        system.put("/repo/node_modules/p/q.d.ts", "export declare const p: 2;\n");
    });
    check_reuse(false, |system| {
        system.put(
            "/repo/node_modules/p/package.json",
            r#"{"name":"p","version":"1.0.1","types":"i.d.ts"}"#,
        );
    });
    check_reuse(false, |system| system.put("/repo/node_modules/@types/p/index.d.ts", ""));
    check_reuse(false, |system| {
        system.remove_file(Path::new("/repo/node_modules/p/q.d.ts")).unwrap();
    });
    check_reuse(false, |system| system.remove_file(Path::new("/repo/src/b.ts")).unwrap());
}

#[test]
fn a_workspace_by_another_name_is_another_cache() {
    let system = memory(APP);
    check(&system, Path::new(ROOT), "first");
    let cache = system.read(Path::new(CACHE)).unwrap();
    system.put("/repo/stan.config.yml", "stanPath: desk\n");
    system.put("/repo/desk/cache/facts.bin", cache);
    let said = check(&system, Path::new(ROOT), "moved");
    assert_eq!(
        said.iter().map(|notice| notice.code).collect::<Vec<_>>(),
        [NoticeCode::CacheDropped]
    );
}

#[test]
fn a_file_that_changes_within_a_step_of_the_clock_is_read_again() {
    let system = memory(APP);
    system.hold_clock(true);
    system.put("/repo/src/a.ts", "import './b';\n");
    check(&system, Path::new(ROOT), "first");
    system.put("/repo/src/a.ts", "import './c';\n");
    check(&system, Path::new(ROOT), "the same length, the same time");
}

#[test]
fn without_a_workspace_there_is_no_cache() {
    let system = memory("//- src/a.ts\n");
    assert!(check(&system, Path::new(ROOT), "no workspace").is_empty());
    assert!(system.stat(Path::new("/repo/.stan")).is_err());
}

#[test]
fn a_workspace_that_is_a_link_is_not_written_to() {
    let system = memory("//- src/a.ts\n//- ../elsewhere/keep\n//- .stan -> ../elsewhere\n");
    check(&system, Path::new(ROOT), "a link");
    assert!(system.stat(Path::new("/elsewhere/cache")).is_err());
    let system =
        memory("//- .stan/keep\n//- ../elsewhere/keep\n//- .stan/cache -> ../../elsewhere\n");
    let said = check(&system, Path::new(ROOT), "a link inside");
    assert_eq!(said[0].code, NoticeCode::CacheUnwritable);
    assert!(system.stat(Path::new("/elsewhere/facts.bin")).is_err());
}

#[test]
fn no_cache_means_none_and_rebuilding_writes_it_anew() {
    let system = memory(APP);
    map(&system, Path::new(ROOT), CacheMode::Off);
    assert!(system.stat(Path::new(CACHE)).is_err());
    system.put(CACHE, "nonsense");
    let rebuilt = map(&system, Path::new(ROOT), CacheMode::Rebuild);
    assert!(!rebuilt.notices.iter().any(is_of_cache));
    assert!(check(&system, Path::new(ROOT), "rebuilt").is_empty());
}

#[test]
fn what_is_excluded_is_found_out_anew_when_that_changes() {
    let system = memory(
        "//- .stan/keep\n//- src/a.ts\nimport { x } from '../gen/x';\n\
         //- .gitignore\ngen\n//- gen/x.ts\nexport { x } from './y';\n//- gen/y.ts\nexport const x = 1;\n",
    );
    let root = Path::new(ROOT);
    for excludes in ["[]", "[gen/x.ts]", "[gen/x.ts]", "[gen]", "[gen/y.ts]", "[]"] {
        system.put("/repo/stan.config.yml", format!("stan-core: {{excludes: {excludes}}}\n"));
        check(&system, root, excludes);
    }
    system.put("/repo/stan.config.yml", "stan-core: {excludes: [gen/x.ts]}\n");
    check(&system, root, "hidden");
    assert!(!has_resolved(&map(&system, root, CacheMode::Use)), "what is hidden spoils no cache");
}

#[test]
fn a_cache_of_somebody_else_is_dropped_with_a_notice() {
    let codes = |notices: Vec<Notice>| notices.iter().map(|notice| notice.code).collect::<Vec<_>>();
    let system = memory(APP);
    system.put(CACHE, "nonsense");
    assert_eq!(codes(check(&system, Path::new(ROOT), "nonsense")), [NoticeCode::CacheDropped]);
    assert_eq!(codes(check(&system, Path::new(ROOT), "mended")), []);
    system.put("/repo/stan.config.yml", "portolan:\n  descriptions:\n    limit: 9\n");
    assert_eq!(codes(check(&system, Path::new(ROOT), "settings")), [NoticeCode::CacheDropped]);
}

#[test]
fn what_a_killed_run_left_beside_the_cache_goes_unless_another_one_writes() {
    let system = memory(APP);
    map(&system, Path::new(ROOT), CacheMode::Use);
    let left_over = Path::new("/repo/.stan/cache/.portolan-tmp-x");
    let cache = system.read(Path::new(CACHE)).unwrap();
    system.put(left_over, "half");
    system.put("/repo/src/new.ts", "");
    let lock = system.try_lock(Path::new("/repo/.stan/cache/.portolan.lock")).unwrap();
    check(&system, Path::new(ROOT), "while another one writes");
    assert!(system.stat(left_over).is_ok() && system.read(Path::new(CACHE)).unwrap() == cache);
    drop(lock);
    check(&system, Path::new(ROOT), "alone");
    assert!(system.stat(left_over).is_err() && system.read(Path::new(CACHE)).unwrap() != cache);
}

#[test]
fn a_cache_that_cannot_be_written_is_only_a_notice() {
    use Operation::{Clock, CommitUnsynced, Create, CreateDirAll, Write};
    for refused in [CreateDirAll, Clock, Create, Write, CommitUnsynced] {
        let faulty = FaultySystem::new(memory(APP), move |call| {
            let is_refused = call.operation == refused;
            if is_refused {
                CallOutcome::Fail(ErrorKind::StorageFull.into())
            } else {
                CallOutcome::Pass
            }
        });
        let said = check(&faulty, Path::new(ROOT), "full");
        assert!(
            said.iter().any(|notice| notice.code == NoticeCode::CacheUnwritable),
            "{refused:?}"
        );
    }
}

/// Files that import each other, a builtin and a package, and some without imports.
const ASKING: &str = "//- .stan/keep\n//- .gitignore\nnode_modules\n//- package.json\n{}\n\
    //- src/a.ts\nimport { b } from './door';\nimport 'gone';\n\
    //- src/door.ts\nexport * from './b';\n//- src/b.ts\nexport const b = 1;\nimport 'fs';\n//- src/c.ts\nimport './a';\n\
    //- src/d.ts\n//- src/e.ts\n//- src/f.ts\n//- src/g.ts\n//- src/h.ts\n\
    //- docs/1.md\n//- docs/2.md\n//- docs/3.md\n//- docs/4.md\n//- docs/5.md\n//- docs/6.md\n//- docs/7.md\n//- docs/8.md\n";

/// Checks how many files had their imports resolved after a change, in a run with the cache.
#[track_caller]
fn check_resolved(expected: Option<usize>, path: &str, text: &str) {
    let system = memory(ASKING);
    check(&system, Path::new(ROOT), "before");
    system.put(Path::new(ROOT).join(path), text);
    let warm = map(&system, Path::new(ROOT), CacheMode::Use);
    let stage = warm.timings.stages.iter().find(|stage| stage.name == "resolve");
    assert_eq!(stage.map(|stage| stage.files), expected, "{path}: {text}");
    check_equal(warm, &map(&system, Path::new(ROOT), CacheMode::Off), "in part");
    check(&system, Path::new(ROOT), "after");
}

#[test]
fn only_importers_whose_texts_changed_are_resolved_again() {
    check_resolved(None, "src/b.ts", "export const b = 2;\nimport 'fs';\n");
    check_resolved(Some(1), "src/b.ts", "export const b = 1, c = 2;\nimport 'fs';\n");
    check_resolved(Some(1), "src/b.ts", "export const other = 1;\nimport 'fs';\n");
    check_resolved(Some(1), "src/b.ts", "export * from './c';\n");
    check_resolved(Some(1), "src/a.ts", "import './c';\nimport { b } from './door';\n");
}

#[test]
fn only_importers_who_have_other_answers_are_resolved_again() {
    // No other file depends on that name.
    check_resolved(Some(1), "src/new.ts", "export {};\n");
    check_resolved(Some(1), "far/away/new.ts", "import '../../src/a';\n");
    check_resolved(Some(0), "README.md", "Nobody's.\n");
    // One file looked for this name.
    check_resolved(Some(2), "src/door.tsx", "export const b = 1;\n");
    check_resolved(Some(2), "src/b/index.ts", "export const b = 1;\n");
    // One file imports from packages.
    check_resolved(Some(1), "node_modules/gone/index.d.ts", "export {};\n");
    check_resolved(Some(1), "package.json", r#"{"private":true}"#);
    check_resolved(Some(1), "src/package.json", "{}");
    // Other rules apply to all files with imports.
    check_resolved(Some(9), "tsconfig.json", "{}");
    check_resolved(Some(9), "package.json", r#"{"name":"p"}"#);
}

#[test]
fn what_went_is_asked_for_again_by_those_who_had_it() {
    let removed = |path: &str| {
        let system = memory(ASKING);
        check(&system, Path::new(ROOT), "before");
        system.remove_file(&Path::new(ROOT).join(path)).unwrap();
        let warm = map(&system, Path::new(ROOT), CacheMode::Use);
        let stage = warm.timings.stages.iter().find(|stage| stage.name == "resolve");
        let files = stage.map(|stage| stage.files);
        check_equal(warm, &map(&system, Path::new(ROOT), CacheMode::Off), path);
        files
    };
    assert_eq!(removed("src/b.ts"), Some(1));
    assert_eq!(removed("src/c.ts"), Some(0));
}

#[test]
fn a_session_asks_only_those_who_have_other_answers() {
    let system = memory(ASKING);
    let root = Path::new(ROOT);
    let session = Session::open(&system, request(&system, root), CacheMode::Use).unwrap();
    session.refresh().unwrap();
    system.put("/repo/src/new.ts", "export {};\n");
    let now = session.refresh().unwrap();
    let stage = now.map.timings.stages.iter().find(|stage| stage.name == "resolve");
    assert_eq!(stage.map(|stage| stage.files), Some(1));
    check_equal(now.map.clone(), &map(&system, root, CacheMode::Off), "a file more");
}
