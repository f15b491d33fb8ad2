//! Unreadable files give notices, and the run continues.

use std::path::Path;

use portolan_index::map::{MapRequest, build};
use portolan_testkit::{ROOT, check_notices, edges_of, map_in, memory};
use portolan_types::{Notice, NoticeCode};
use portolan_workspace::config;

#[test]
fn unreadable_files_and_folders_are_left_out_and_told() {
    let system = memory(
        "//- a.ts\nimport './secret';\nimport './gone/x';\nimport 'p';\n//- secret.ts\n//- gone/x.ts\n\
         //- node_modules/p/index.d.ts\n//- b.ts\nimport './a';",
    );
    for path in ["secret.ts", "gone", "node_modules/p/index.d.ts"] {
        system.deny(Path::new(ROOT).join(path));
    }
    let report = map_in(&system, Path::new(ROOT), 2);
    let told: Vec<_> = report
        .notices
        .iter()
        .map(|n| format!("{} {}", n.code.as_str(), n.place.as_ref().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            "CTX-SCAN-0001 gone",
            "CTX-SCAN-0001 secret.ts",
            "CTX-GRAPH-0001 node_modules/p/index.d.ts",
            "CTX-GRAPH-0001 secret.ts",
        ]
    );
    assert_eq!(
        edges_of(&report.raw),
        [
            // The folder cannot be listed, but its files can be opened by name.
            "a.ts -> gone/x.ts runtime",
            "a.ts -> node_modules/p/index.d.ts runtime",
            "a.ts -> secret.ts runtime",
            "b.ts -> a.ts runtime",
        ]
    );
}

#[test]
fn manifests_of_other_ecosystems_that_cannot_be_parsed_are_told() {
    let system = memory(
        "//- Cargo.toml\n[package\n//- src/lib.rs\nmod a;\n//- src/a.rs\n\
         //- py/pyproject.toml\nname = 'twice'\nname = 'twice'\n//- py/a.py\nimport os\n",
    );
    let told: Vec<_> = map_in(&system, Path::new(ROOT), 2)
        .notices
        .iter()
        .filter(|notice| notice.code == NoticeCode::ResolveConfig)
        .map(|notice| format!("{}: {}", notice.place.as_ref().unwrap(), notice.message))
        .collect();
    let expected =
        [("Cargo.toml", "cannot be parsed: "), ("py/pyproject.toml", "cannot be parsed: ")];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, (path, message)) in told.iter().zip(expected) {
        assert!(told.starts_with(&format!("{path}: {message}")), "{told}");
    }
}

#[test]
fn a_root_that_cannot_be_listed_has_no_map() {
    let system = memory("//- a.ts\n");
    system.deny(ROOT);
    let config = config::load(&system, Path::new(ROOT)).unwrap();
    let error = build(&system, &MapRequest { config, threads: 1 }).unwrap_err();
    assert_eq!(error.to_string(), "the repository `/repo` cannot be listed: permission denied");
}

#[test]
fn a_manifest_that_is_read_only_to_name_files_is_told_of_too() {
    let system = memory(
        "//- a.ts\nimport 'p';\n//- node_modules/p -> .store/p\n//- node_modules/.store/p/index.d.ts\n\
         //- node_modules/.store/p/package.json\n{ \"name\": \"p\", \"version\": \"1.0.0\" }\n",
    );
    system.deny(Path::new(ROOT).join("node_modules/.store/p/package.json"));
    let notices = map_in(&system, Path::new(ROOT), 1).notices;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].code, NoticeCode::ResolveConfig);
}

#[test]
fn broken_code_gives_the_imports_that_could_be_read_and_its_place() {
    let fixture = "//- a.ts\nimport { x } from './b';\nlet = ;;; {{{\nexport * from './c';\n//- b.ts\n//- c.ts\n";
    check_notices(fixture, &["CTX-SYNTAX-0001 a.ts:2:7"]);
    let edges = edges_of(&portolan_testkit::map_of(fixture).raw);
    assert!(edges.contains(&"a.ts -> b.ts runtime".to_owned()), "{edges:?}");
}

#[test]
fn a_file_that_should_name_workspace_packages_and_cannot_be_read_is_told() {
    for name in ["pnpm-workspace.yaml", "lerna.json"] {
        let system = memory(&format!(
            "//- package.json\n{{}}\n//- {name}\n//- p/a/package.json\n{{ \"name\": \"a\" }}\n"
        ));
        system.deny(Path::new(ROOT).join(name));
        let notices = map_in(&system, Path::new(ROOT), 1).notices;
        let is_told = |notice: &Notice| notice.code == NoticeCode::ResolveConfig;
        assert!(notices.iter().any(is_told), "{name}: {notices:?}");
    }
}

#[test]
fn the_name_that_two_workspace_packages_share_is_told() {
    check_notices(
        "//- package.json\n{ \"workspaces\": [\"p/*\"] }\n//- p/a/package.json\n{ \"name\": \"x\" }\n//- p/b/package.json\n{ \"name\": \"x\" }",
        &["CTX-RESOLVE-0003 p/b/package.json"],
    );
}
