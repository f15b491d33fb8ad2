//! Tests installed packages, inside and outside the repository: they are files of the map, with ids
//! that name the package.

use std::path::Path;
use std::time::Duration;

use portolan_chat::run::{RunMode, RunReport, RunRequest, run};
use portolan_index::map::{self, CacheMode, MapReport, MapRequest};
use portolan_testkit::{ROOT, memory};
use portolan_types::NodeKind;
use portolan_vfs::MemorySystem;
use portolan_workspace::config::{self, Ecosystems, LoadRequest, Stores};

/// The package stores of these tests: beside the repository.
fn stores() -> Stores {
    Stores::from_variables(Ecosystems::default(), |name| match name {
        "HOME" => Some("/home".to_owned()),
        "VIRTUAL_ENV" => Some("/home/env".to_owned()),
        _ => None,
    })
}

fn load(system: &MemorySystem) -> config::Loaded {
    let request = LoadRequest { start: ROOT.into(), stores: stores(), ..LoadRequest::default() };
    config::load_with(system, &request).unwrap()
}

fn map_of(system: &MemorySystem, cache: CacheMode) -> MapReport {
    let request = MapRequest { config: load(system), threads: 2 };
    map::build_cached(system, &request, cache).unwrap()
}

/// The ids outside the repository; `?` marks missing ones.
fn outside(map: &MapReport) -> String {
    let nodes = map.graph.nodes().iter().filter_map(|node| match node.kind {
        NodeKind::External => Some(node.id.to_string()),
        NodeKind::Missing => Some(format!("?{}", node.id)),
        _ => None,
    });
    nodes.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(fixture: &str, expected: &str) {
    let map = map_of(&memory(fixture), CacheMode::Off);
    assert_eq!(outside(&map), expected, "{:?}", map.notices);
}

const RUST: &str = "//- Cargo.toml\n[package]\nname = \"app\"\nedition = \"2024\"\n\
    [dependencies]\nserde = \"1\"\nold = { package = \"rand\", version = \"0.7\" }\nrand = \"0.8\"\nodd-lib = \"2\"\nnone = \"1\"\n\
    //- Cargo.lock\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\"serde\", \"rand 0.7.3\", \"rand 0.8.5\", \"odd-lib\", \"none\"]\n";

/// An entry of a lock file, and the crate on the disk.
fn locked(name: &str, version: &str) -> String {
    format!(
        "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
    )
}

fn unpacked(name: &str, version: &str, manifest: &str, file: &str) -> String {
    let folder = format!("../home/.cargo/registry/src/index.crates.io-1/{name}-{version}");
    format!("//- {folder}/Cargo.toml\n{manifest}\n//- {folder}/{file}\npub struct Thing;\n")
}

fn rust(code: &str) -> String {
    let lock: String = [
        ("serde", "1.0.2"),
        ("rand", "0.7.3"),
        ("rand", "0.8.5"),
        ("odd-lib", "2.0.0-rc.1"),
        ("none", "1.0.0"),
    ]
    .map(|(name, version)| locked(name, version))
    .concat();
    let crates = [
        unpacked("serde", "1.0.2", "", "src/lib.rs"),
        unpacked("rand", "0.7.3", "", "src/lib.rs"),
        unpacked("rand", "0.8.5", "", "src/lib.rs"),
        unpacked("odd-lib", "2.0.0-rc.1", "[lib]\npath = \"odd/root.rs\"", "odd/root.rs"),
    ];
    format!("{RUST}{lock}//- src/lib.rs\n{code}\n{}", crates.concat())
}

#[test]
fn a_crate_is_the_root_of_its_library_in_the_version_that_the_lock_file_names() {
    check(
        &rust(
            "use serde::Thing;\nuse old::Thing as Old;\nfn f() { rand::Thing; odd_lib::Thing; none::x(); }\nuse std::fmt;",
        ),
        ".stan/context/cargo/odd-lib/2.0.0-rc.1/odd/root.rs .stan/context/cargo/rand/0.7.3/src/lib.rs \
         .stan/context/cargo/rand/0.8.5/src/lib.rs .stan/context/cargo/serde/1.0.2/src/lib.rs ?none",
    );
    let without_lock = rust("use serde::Thing;").replace("//- Cargo.lock", "//- other.lock");
    check(&without_lock, "?serde");
}

#[test]
fn a_name_of_a_lock_file_or_a_manifest_leads_nowhere_else() {
    let secret = "//- ../home/.cargo/registry/src/secret.rs\n//- ../home/secret.rs\n";
    let hostile = |name: &str, version: &str, manifest: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\nx = {{ package = \"{name}\", version = \"1\" }}\n\
             //- Cargo.lock\n[[package]]\nname = \"app\"\nversion = \"1.0.0\"\ndependencies = [\"{name}\"]\n{}\
             //- src/lib.rs\nuse x::Thing;\n{secret}{}",
            locked(name, version),
            unpacked("good", "1.0.0", manifest, "src/lib.rs"),
        )
    };
    check(&hostile("../good", "1.0.0", ""), "?../good");
    check(&hostile("good", "1.0.0/../../..", ""), "?good");
    check(&hostile("good", "1.0.0", "[lib]\npath = \"../../secret.rs\""), "?good");
    check(&hostile("good", "1.0.0", "[lib]\npath = \"/home/secret.rs\""), "?good");
    let good = "../home/.cargo/registry/src/index.crates.io-1/good-1.0.0";
    let linked = format!("//- {good}/src/link.rs -> /home/secret.rs\n");
    check(&(hostile("good", "1.0.0", "[lib]\npath = \"src/link.rs\"") + &linked), "?good");
    check(&hostile("good", "1.0.0", ""), ".stan/context/cargo/good/1.0.0/src/lib.rs");
}

const GO: &str = "//- go.mod\nmodule m\nrequire (\n\tgithub.com/Big/lib v1.2.0\n\tx.y/z v0.1.0 // indirect\n\tgone.org/a v1.0.0\n)\n\
    replace x.y/z => x.y/fork v2.0.0\n\
    //- ../home/go/pkg/mod/github.com/!big/lib@v1.2.0/a.go\npackage lib\n\nfunc Used() {}\n\
    //- ../home/go/pkg/mod/github.com/!big/lib@v1.2.0/b.go\npackage lib\n\nfunc Other() {}\n\nfunc init() {}\n\
    //- ../home/go/pkg/mod/github.com/!big/lib@v1.2.0/a_test.go\npackage lib\n\nfunc Used() {}\n\
    //- ../home/go/pkg/mod/github.com/!big/lib@v1.2.0/sub/s.go\npackage named\n\nconst (\n\tS = 1\n)\n\
    //- ../home/go/pkg/mod/x.y/fork@v2.0.0/z.go\npackage z\n\nvar Z = 1\n";

#[test]
fn an_import_leads_to_the_files_of_an_unpacked_module_that_define_what_is_used() {
    let id = ".stan/context/go/github.com/Big/lib/v1.2.0";
    let go = |code: &str| format!("{GO}//- main.go\npackage main\n{code}\n");
    check(
        &go(
            "import (\n\"github.com/Big/lib\"\n\"github.com/Big/lib/sub\"\n\"x.y/z\"\n\"gone.org/a/b\"\n)\nvar _ = []any{lib.Used, named.S, z.Z, b.X}",
        ),
        &format!("{id}/a.go {id}/sub/s.go .stan/context/go/x.y/fork/v2.0.0/z.go ?gone.org/a"),
    );
    check(&go("import _ \"github.com/Big/lib\""), &format!("{id}/b.go"));
    check(&go("import . \"github.com/Big/lib\"\nvar _ = Other"), &format!("{id}/b.go"));
    check(&go("import \"github.com/Big/lib/../../secret\""), "?github.com/Big/lib");
}

#[test]
fn a_virtual_environment_that_is_active_is_used_after_the_repositorys() {
    let store = "lib/python3.13/site-packages";
    let fixture = format!(
        "//- app.py\nimport both, far\n//- .venv/pyvenv.cfg\n//- .venv/{store}/both/__init__.py\n//- .venv/{store}/both-1.dist-info/METADATA\n\
         //- ../home/env/pyvenv.cfg\n//- ../home/env/{store}/both.py\n//- ../home/env/{store}/far.py\n\
         //- ../home/env/{store}/far-2.0.dist-info/METADATA\n//- .gitignore\n.venv\n"
    );
    check(&fixture, ".stan/context/pypi/both/1/both/__init__.py .stan/context/pypi/far/2.0/far.py");
}

#[test]
fn a_project_that_calls_itself_something_unusable_has_ids_by_path() {
    let store = ".venv/lib/python3.13/site-packages";
    let fixture = format!(
        "//- app.py\nimport x\n//- .gitignore\n.venv\n//- .venv/pyvenv.cfg\n//- {store}/x.py\n//- {store}/x-...dist-info/METADATA\n"
    );
    let map = map_of(&memory(&fixture), CacheMode::Off);
    let ids = outside(&map);
    assert!(ids.starts_with(".stan/context/abs/") && ids.ends_with("/x.py"), "{ids}");
}

fn run_context(system: &MemorySystem) -> RunReport {
    let request = RunRequest {
        config: load(system),
        mode: RunMode::Context,
        subpackages: true,
        plan_only: false,
        document: None,
        threads: 1,
        cache: CacheMode::Off,
        wait: Duration::ZERO,
    };
    run(system, &request, &|_| {}).unwrap()
}

#[test]
fn files_of_every_ecosystem_are_staged_and_verified() {
    let store = ".venv/lib/python3.13/site-packages";
    let python = format!(
        "//- app.py\nimport yaml\n//- .gitignore\n.venv\n//- .venv/pyvenv.cfg\n//- {store}/yaml.py\nx = 1\n//- {store}/yaml-6.0.dist-info/METADATA\n"
    );
    let go = format!("{GO}//- main.go\npackage main\nimport \"x.y/z\"\nvar _ = z.Z\n");
    let staged = [
        (python, "app.py", "pypi/yaml/6.0/yaml.py"),
        (rust("use serde::Thing;"), "src/lib.rs", "cargo/serde/1.0.2/src/lib.rs"),
        (go, "main.go", "go/x.y/fork/v2.0.0/z.go"),
    ];
    for (fixture, entry, id) in staged {
        let state = format!("{{\"v\":2,\"i\":[[\"{entry}\",1]]}}");
        let system =
            memory(&format!("{fixture}//- .stan/context/dependency.state.json\n{state}\n"));
        let report = run_context(&system);
        assert_eq!(report.report.staged, 1, "{id}: {:?}", report.notices);
        let copies = system.files_below(Path::new(ROOT).join(".stan/context"));
        assert!(copies.keys().any(|path| path.ends_with(id)), "{id} in {:?}", copies.keys());
    }
}

#[test]
fn what_is_unpacked_or_removed_later_is_seen_with_a_cache_too() {
    let system = memory(&rust("use serde::Thing;\nuse none::Thing;"));
    let warm = |expected: &str| {
        let cached = map_of(&system, CacheMode::Use);
        assert_eq!(outside(&cached), expected);
        assert!(cached.is_same(&map_of(&system, CacheMode::Off)));
    };
    warm(".stan/context/cargo/serde/1.0.2/src/lib.rs ?none");
    let folder = Path::new("/home/.cargo/registry/src/index.crates.io-1/none-1.0.0");
    system.put(folder.join("Cargo.toml"), "");
    system.put(folder.join("src/lib.rs"), "");
    warm(".stan/context/cargo/none/1.0.0/src/lib.rs .stan/context/cargo/serde/1.0.2/src/lib.rs");
}
