//! The same inputs give the same bytes, whatever the order of the walk, the number of threads and
//! the path of the checkout. `portolan-cli/tests/it/same_bytes.rs` tests the commands themselves
//! under more circumstances.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use portolan_chat::run::{RunMode, RunRequest, run};
use portolan_chat::snap::{SnapAction, SnapRequest, snap};
use portolan_graph::{MetaHashes, encode_graph, encode_meta};
use portolan_index::map::CacheMode;
use portolan_testkit::{FixtureEntry as Entry, map_in, parse, reliability};
use portolan_vfs::{MemorySystem, OsSystem, System};
use portolan_workspace::config;

/// Repositories with pitfalls: links, barrels, packages, broken files; every language.
const FIXTURES: &[&str] = &[
    "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\nmod a;\nmod b;\npub use a::*;\n//- src/a.rs\npub use crate::b::*;\npub struct A;\n\
     //- src/b.rs\npub use crate::a::*;\npub fn f(a: A) { crate::a::nope(); }\n//- pyproject.toml\n[tool.ruff]\nsrc = [\"py\"]\n//- py/p/__init__.py\nfrom .m import *\n\
     //- py/p/m.py\nfrom . import X\ny = 1\n//- use.py\nfrom p import y, X\n//- go.mod\nmodule m\n//- g.go\npackage m\nfunc G() { h() }\n//- h.go\npackage m\nfunc h() {}\n\
     //- q/T.java\npackage q;\nclass T { U u; }\n//- q/U.java\npackage q;\nclass U {}\n//- w/q/U.java\npackage q;\nclass U {}\n\
     //- q/s.kt\npackage q\nfun s(u: U) = t()\n//- q/t.kt\npackage q\nfun t() = SKt.s()\n//- w/t.kt\npackage q\nfun t() = 1\n",
    "//- a.ts\nimport { x } from './b';\nimport './nope';\nimport 'node:fs';\n//- b/index.ts\nexport * from './x';\nexport * from './y';\n\
     //- b/x.ts\nexport const x = 1;\n//- b/y.ts\nexport const y = 1;\n//- broken.ts\nimport './a';\nlet = ;;; {{{\n//- Z.md\n//- ü.ts\n//- 😀.ts\n//- \u{e000}.ts\n",
    "//- package.json\n{ \"workspaces\": [\"p/*\"] }\n//- p/a/package.json\n{ \"name\": \"a\", \"main\": \"dist/i.js\" }\n//- p/a/src/i.ts\nexport const A = 1;\n\
     //- p/b/package.json\n{ \"name\": \"b\" }\n//- p/b/use.ts\nimport { A } from 'a';\nimport 'a';\n//- p/c/package.json\n{ \"name\": \"a\" }\n//- tsconfig.json\n{ \"extends\": \"x\" }\n",
    "//- node_modules/.pnpm/p@1.0.0/node_modules/p/package.json\n{ \"name\": \"p\", \"version\": \"1.0.0\", \"types\": \"i.d.ts\" }\n\
     //- node_modules/.pnpm/p@1.0.0/node_modules/p/i.d.ts\nexport * from './deep';\n//- node_modules/.pnpm/p@1.0.0/node_modules/p/deep.d.ts\nexport declare const P: 1;\n\
     //- node_modules/p -> .pnpm/p@1.0.0/node_modules/p\n//- link.ts -> real.ts\n//- real.ts\nexport const r = 1;\n//- dangling -> nowhere\n//- use.ts\nimport { P } from 'p';\nimport { r } from './link';\n",
];

fn artifacts(system: &dyn System, root: &Path, threads: usize) -> (Vec<u8>, Vec<u8>, String) {
    let report = map_in(system, root, threads);
    let meta = encode_meta(&report.graph, MetaHashes::Short).to_bytes();
    (meta, encode_graph(&report.graph), format!("{:?}", report.notices))
}

fn place(system: &MemorySystem, root: &Path, fixture: &str) {
    system.create_dir_all(root).unwrap();
    for (path, entry) in parse(fixture) {
        match entry {
            Entry::File(text) => system.put(root.join(path), text),
            Entry::Link(target) => system.link(root.join(path), target),
        }
    }
}

#[test]
fn neither_walk_order_nor_threads_nor_place_show() {
    for fixture in FIXTURES {
        let first = MemorySystem::default();
        place(&first, Path::new("/one"), fixture);
        let expected = artifacts(&first, Path::new("/one"), 1);
        let second = MemorySystem::default();
        place(&second, Path::new("/a/quite/different/place"), fixture);
        for seed in 0..8 {
            second.shuffle(seed);
            for threads in [1, 4] {
                assert_eq!(
                    artifacts(&second, Path::new("/a/quite/different/place"), threads),
                    expected,
                    "{fixture}"
                );
            }
        }
    }
}

/// Folder names with a special meaning: as a glob, as a package, as an escape, as output.
const NASTY_ROOTS: [&str; 12] = [
    "/x/node_modules/r",
    "/x/node_modules",
    "/x/node_modules/@s/p/node_modules/q",
    "/a[b]c/[!r]",
    "/{x,y}/r",
    "/*/**",
    "/dist/build",
    "/my.repo",
    "/with space/#hash?query",
    "/.stan/context/npm",
    "/!not/-dash",
    "/ü/😀/${configDir}",
];

/// Everything that depends on patterns, folders or names.
const PLACED: &str = r##"
//- package.json
{ "name": "root", "workspaces": ["packages/*", "!packages/no"] }
//- .gitignore
dist
//- tsconfig.base.json
{ "compilerOptions": { "paths": { "@/*": ["${configDir}/src/*"] } } }
//- packages/a/package.json
{ "name": "a", "exports": { ".": "./dist/index.js" }, "imports": { "#own": "./src/x.ts", "#p": "p" } }
//- packages/a/tsconfig.json
{ "extends": "../../tsconfig.base.json", "files": [], "references": [{ "path": "./tsconfig.all.json" }, { "path": "./tsconfig.test.json" }] }
//- packages/a/tsconfig.all.json
{ "extends": "../../tsconfig.base.json", "include": ["."], "exclude": ["src/*.test.ts", "**/gen"] }
//- packages/a/tsconfig.test.json
{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["test/*"] } }, "include": ["src/**"] }
//- packages/a/src/index.ts
export * from '@/x';
export * from 'p';
import '#own'; import '#p'; import 'r'; import 'q'; import 'root'; import 'packages';
//- packages/a/src/x.ts
export const x = 1;
//- packages/a/test/x.ts
//- packages/a/src/a.test.ts
import '@/x';
//- packages/a/src/gen/g.ts
import '@/x';
//- packages/no/package.json
{ "name": "no" }
//- packages/no/index.ts
//- packages/use/package.json
{ "name": "use" }
//- packages/use/use.ts
import { x, p } from 'a';
import 'no';
//- node_modules/p/package.json
{ "name": "p", "version": "1.0.0", "types": "i.d.ts" }
//- node_modules/p/i.d.ts
export * from './deep';
export * from 'q';
//- node_modules/p/deep.d.ts
export declare const p: 1;
//- node_modules/q/package.json
{ "name": "q", "version": "1.0.0" }
//- node_modules/q/index.d.ts
export declare const p: 1;
"##;

#[test]
fn where_the_repository_lies_does_not_show() {
    let plain = MemorySystem::default();
    place(&plain, Path::new("/one"), PLACED);
    let expected = artifacts(&plain, Path::new("/one"), 2);
    let graph = String::from_utf8_lossy(&expected.1).into_owned();
    assert!(
        graph.contains("packages/a/src/x.ts") && graph.contains("context/npm/p/1.0.0/deep.d.ts")
    );
    for root in NASTY_ROOTS {
        let system = MemorySystem::default();
        place(&system, Path::new(root), PLACED);
        let found = artifacts(&system, Path::new(root), 2);
        assert_eq!(String::from_utf8_lossy(&found.1), graph, "{root}");
        assert_eq!(found, expected, "{root}");
    }
    let what = "parent folders named like globs, packages, output and escapes";
    reliability::row("determinism", what, NASTY_ROOTS.len(), "identical");
}

/// Packages with files in one folder that are governed by three configs: the same specifier
/// resolves to a different file under each of them.
fn packages_with_several_configs(n_packages: usize) -> MemorySystem {
    let system = MemorySystem::default();
    for package in 0..n_packages {
        let put = |path: &str, text: &str| {
            system.put(format!("/one/packages/p{package}/{path}"), text);
        };
        put("package.json", &format!(r#"{{ "name": "p{package}", "exports": "./src/0.app.ts" }}"#));
        let references = ["app", "node", "test"]
            .map(|name| format!(r#"{{ "path": "./tsconfig.{name}.json" }}"#))
            .join(", ");
        put("tsconfig.json", &format!(r#"{{ "files": [], "references": [{references}] }}"#));
        for name in ["app", "node", "test"] {
            let config = format!(
                r#"{{ "compilerOptions": {{ "paths": {{ "~/*": ["./{name}/*"] }} }}, "include": ["src/*.{name}.ts"] }}"#
            );
            put(&format!("tsconfig.{name}.json"), &config);
            put(&format!("{name}/x.ts"), "export const x = 1;");
            let next = (package + 1) % n_packages;
            for file in 0..2 {
                let text = format!("import {{ x }} from '~/x';\nimport 'p{next}';\n");
                put(&format!("src/{file}.{name}.ts"), &text);
            }
        }
    }
    system
}

/// Takes seconds; use `PORTOLAN_RUNS=40` for a long run.
const RUNS: usize = 8;

#[test]
fn no_number_of_threads_changes_where_an_import_leads() {
    let system = packages_with_several_configs(200);
    let expected = artifacts(&system, Path::new("/one"), 1);
    let runs = std::env::var("PORTOLAN_RUNS").ok().and_then(|text| text.parse().ok());
    for run in 0..runs.unwrap_or(RUNS) {
        let threads = [32, 8, 2, 1][run % 4];
        let found = artifacts(&system, Path::new("/one"), threads);
        assert!(found == expected, "run {run} with {threads} threads differs");
    }
    let what = "200 packages with three configs each; 1, 2, 8 and 32 threads";
    if runs.is_none() {
        reliability::row("determinism", what, RUNS, "identical");
    }
}

/// The files that every kind of run and a snap leave below a root, except for the cache and the map
/// file, which has absolute paths by definition.
fn workspace(system: &MemorySystem, root: &Path, threads: usize) -> BTreeMap<PathBuf, Vec<u8>> {
    let config = config::load(system, root).unwrap();
    for mode in [RunMode::Plain, RunMode::Meta, RunMode::Context, RunMode::Context] {
        if mode == RunMode::Context {
            let state = r#"{"v":2,"i":[["a.ts",3],["p/b/use.ts",2],["use.ts",2]]}"#;
            system.put(root.join(".stan/context/dependency.state.json"), state);
        }
        let request = RunRequest {
            config: config.clone(),
            mode,
            subpackages: true,
            plan_only: false,
            document: None,
            threads,
            cache: CacheMode::Use,
            wait: Duration::ZERO,
        };
        run(system, &request, &|_| {}).unwrap();
    }
    let action = SnapAction::Set { baselines: Vec::new(), now: 1, subpackages: true };
    let request = SnapRequest { config, action, threads, wait: Duration::ZERO };
    snap(system, &request, &|_| {}).unwrap();
    let files = system.files_below(root.join(".stan")).into_iter();
    let files = files.map(|(path, bytes)| (path.strip_prefix(root).unwrap().to_owned(), bytes));
    let is_the_same =
        |path: &Path| !path.starts_with(".stan/cache") && !path.ends_with("dependency.map.json");
    files.filter(|(path, _)| is_the_same(path)).collect()
}

#[test]
fn whatever_runs_and_snaps_write_is_the_same_in_any_order_and_place() {
    const SEEDS: u64 = 4;
    let place_elsewhere = Path::new("/a/quite/different/place");
    let mut tried = 0;
    for fixture in FIXTURES {
        let first = MemorySystem::default();
        place(&first, Path::new("/one"), fixture);
        let expected = workspace(&first, Path::new("/one"), 1);
        assert!(expected.len() > 8, "{expected:?}");
        for (seed, threads) in (0..SEEDS).flat_map(|seed| [1, 2, 8].map(|threads| (seed, threads)))
        {
            let second = MemorySystem::default();
            place(&second, place_elsewhere, fixture);
            second.shuffle(seed);
            assert_eq!(workspace(&second, place_elsewhere, threads), expected, "{fixture}");
            tried += 1;
        }
    }
    let what = "all kinds of run, and snap; any folder order, 1, 2 and 8 threads, another root";
    reliability::row("determinism", what, tried, "identical");
}

#[cfg(unix)]
#[test]
fn the_disk_gives_what_memory_gives() {
    for fixture in FIXTURES {
        let memory = MemorySystem::default();
        place(&memory, Path::new("/one"), fixture);
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        for (path, entry) in parse(fixture) {
            let path = root.join(path);
            OsSystem.create_dir_all(path.parent().unwrap()).unwrap();
            match entry {
                Entry::File(text) => OsSystem.write(&path, text.as_bytes()).unwrap(),
                Entry::Link(target) => std::os::unix::fs::symlink(target, &path).unwrap(),
            }
        }
        assert_eq!(
            artifacts(&OsSystem, &root, 2),
            artifacts(&memory, Path::new("/one"), 2),
            "{fixture}"
        );
    }
}
