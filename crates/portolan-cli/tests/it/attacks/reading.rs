//! Attacks that try to read files outside the root.

use portolan_testkit::reliability;

use super::{ARCHIVE, CONFIG, Lair, STATE, json};

/// A repository whose state selects `src/a.ts` and all of its dependencies.
fn lair(files: &[(&str, &str)]) -> Lair {
    let lair = Lair::new(files);
    lair.state(r#"{"v":2,"i":[["src/a.ts",9]]}"#);
    lair
}

/// Runs every command that reads the repository. None may show the canary.
#[track_caller]
fn check_blind(lair: &Lair) {
    for arguments in [
        ["run", "--context"].as_slice(),
        &["run"],
        &["graph", "--view", "graph"],
        &["select"],
        &["snap"],
        &["run", "--context", "--format", "json"],
    ] {
        lair.run(arguments);
    }
    let members = lair.members();
    assert!(!members.iter().any(|name| name.contains("secret")), "{members:?}");
}

/// Ids that somebody may trick a model into requesting.
const IDS: [&str; 54] = [
    "../outside/secret.txt",
    "../../outside/secret.txt",
    "src/../../outside/secret.txt",
    "src/..//../outside/secret.txt",
    "./../outside/secret.txt",
    "src/./../../outside/secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "~/.ssh/id_rsa",
    "C:\\outside\\secret.txt",
    "c:/outside/secret.txt",
    "C:secret.txt",
    "\\\\server\\share\\secret.txt",
    "\\\\?\\C:\\secret.txt",
    "..\\outside\\secret.txt",
    "src\\..\\..\\outside\\secret.txt",
    "a\0b",
    "../outside/secret.txt\0.ts",
    "%2e%2e/outside/secret.txt",
    "..%2foutside%2fsecret.txt",
    "\u{FF0E}\u{FF0E}/outside/secret.txt",
    "\u{2024}\u{2024}/outside/secret.txt",
    "..\u{2215}outside\u{2215}secret.txt",
    "..\u{2044}outside\u{2044}secret.txt",
    "src/a\u{308}.ts",
    "src/\u{E4}.ts",
    "CON",
    "aux.ts",
    "src/nul",
    "src/a.ts:stream",
    "src/a.ts::$DATA",
    "src/a.ts.",
    "src/a.ts ",
    " src/a.ts",
    "src/a.ts/",
    "src/a.ts/../../../outside/secret.txt",
    "...",
    "..",
    ".",
    "/",
    "",
    " ",
    "node:fs",
    "node:../../outside/secret.txt",
    ".stan/context/npm/../../../../outside/secret.txt",
    ".stan/context/abs/0000/../../../../../outside/secret.txt",
    ".stan/context/abs/0000/secret.txt",
    ".stan/imports/../../../outside/secret.txt",
    "src/link.txt",
    "src/folder/secret.txt",
    "src/up/outside/secret.txt",
    "src/dangling",
    "src/loop",
];

#[test]
fn no_id_of_a_state_leads_out() {
    let long = "a/".repeat(3000) + "x";
    let ids = IDS.into_iter().chain([long.as_str()]);
    let mut refused = 0;
    for id in ids.clone() {
        let lair = Lair::new(&[("src/a.ts", "export const a = 1;\n")]);
        lair.link("src/link.txt", "../../outside/secret.txt");
        lair.link("src/folder", "../../outside");
        lair.link("src/up", "../..");
        lair.link("src/dangling", "/nowhere/at/all");
        lair.link("src/loop", "loop");
        for state in [
            format!(r#"{{"v":2,"i":[{}]}}"#, json(id)),
            format!(r#"{{"v":2,"i":["src/a.ts"],"x":[[{},3]]}}"#, json(id)),
            format!(r#"{{"v":1,"include":[{}]}}"#, json(id)),
        ] {
            lair.state(&state);
            let outcome = lair.run(&["run", "--context"]);
            refused += usize::from(outcome.code == 2);
        }
        lair.run(&["select", "--format", "json"]);
        // On the command line, `:` ends the id, and NUL cannot be passed.
        if !id.contains('\0') {
            lair.run(&["select", "--", id]);
        }
        let members = lair.members();
        assert!(!members.iter().any(|name| name.contains("secret")), "{id:?}: {members:?}");
    }
    assert!(refused > IDS.len(), "{refused}");
    reliability::row(
        "attacks",
        "state ids that lead out",
        ids.count() * 3,
        "exit 2 or not found; nothing outside read",
    );
}

#[test]
fn no_link_of_the_repository_leads_out() {
    let targets = [
        "../../outside/secret.txt",
        "../../outside",
        "/",
        "..",
        "../..",
        "/proc/self/environ",
        "/proc/self/cwd/../outside/secret.txt",
        "/proc/self/root",
        "/dev/stdin",
        "/dev/zero",
        "loop",
        "/nowhere",
    ];
    for target in targets {
        // The link is code, an asset, an imported folder, a manifest, a configuration.
        let lair = lair(&[(
            "src/a.ts",
            "import './link.ts'; import './link.txt'; import './link/secret.txt';\n\
             import './link/outside/secret.txt'; import './link/a'; import 'evil/secret.txt';\n\
             import 'evil'; import './link/deep/.env';\n",
        )]);
        for name in ["src/link.ts", "src/link.txt", "src/link", "node_modules/evil"] {
            lair.link(name, target);
        }
        for name in ["package.json", "tsconfig.json", ".gitignore", "pnpm-workspace.yaml"] {
            lair.link(name, target);
        }
        for file in ["system/stan.project.md", "system/more", "imports/x.md"] {
            lair.link(&format!(".stan/{file}"), target);
        }
        // Code outside may be imported: `abs` ids exist for that. Then it contains the canary.
        std::fs::write(lair.outside().join("a.ts"), "export const a = 1;\n").unwrap();
        check_blind(&lair);
    }
    reliability::row(
        "attacks",
        "links to outside files, devices, `/proc`, nothing, or themselves",
        targets.len() * 11,
        "left out with a notice; only imported code is read outside",
    );
}

#[test]
fn no_configuration_makes_an_import_lead_out() {
    let secret = "../outside/secret.txt";
    let absolute = "/proc/self/cwd/../outside/secret.txt";
    let tsconfigs = [
        format!(r#"{{"compilerOptions":{{"paths":{{"x":["{secret}"],"y":["{absolute}"]}}}}}}"#),
        r#"{"compilerOptions":{"paths":{"*":["../outside/*"]}}}"#.to_owned(),
        r#"{"compilerOptions":{"baseUrl":"../outside"}}"#.to_owned(),
        r#"{"compilerOptions":{"baseUrl":"/"}}"#.to_owned(),
        r#"{"compilerOptions":{"rootDirs":["src","../outside"]}}"#.to_owned(),
        r#"{"compilerOptions":{"typeRoots":["../outside"],"types":["secret.txt"]}}"#.to_owned(),
        r#"{"compilerOptions":{"preserveSymlinks":true}}"#.to_owned(),
        r#"{"compilerOptions":{"outDir":"src","rootDir":"../outside"}}"#.to_owned(),
        r#"{"extends":"../outside/secret.txt"}"#.to_owned(),
        r#"{"extends":"../outside/package.json"}"#.to_owned(),
        r#"{"extends":["/etc/passwd","/proc/self/environ","/dev/zero"]}"#.to_owned(),
        r#"{"references":[{"path":"../outside/secret.txt"},{"path":"/dev/zero"}],"files":[]}"#
            .to_owned(),
    ];
    let packages = [
        r#"{"name":"evil","version":"1","exports":{"./*":"./../../../outside/*"}}"#,
        r#"{"name":"evil","version":"1","exports":"../../../outside/secret.txt"}"#,
        r#"{"name":"evil","version":"1","exports":"/etc/passwd"}"#,
        r#"{"name":"evil","version":"1","exports":{".":["./../../../outside/secret.txt",{"default":"../x"}]}}"#,
        r#"{"name":"evil","version":"1","main":"../../../outside/secret.txt"}"#,
        r#"{"name":"evil","version":"1","types":"../../../outside/secret.txt"}"#,
        r#"{"name":"evil","version":"1","main":"/etc/passwd","types":"/etc/passwd"}"#,
        r##"{"name":"evil","version":"1","imports":{"#x":"../../../outside/secret.txt"}}"##,
        r#"{"name":"evil","version":"1","typesVersions":{"*":{"*":["../../../outside/*"]}}}"#,
        r#"{"name":"evil","version":"1","tsconfig":"../../../outside/secret.txt"}"#,
        r#"{"name":"evil","version":"1","workspaces":["../../../outside","../../../outside/*","/etc"]}"#,
    ];
    let code = "import 'x'; import 'y'; import './secret.txt'; import 'secret.txt'; import 'evil';\n\
        import 'evil/secret.txt'; import '#x'; import 'evil/../../../outside/secret.txt';\n\
        import '../../outside/secret.txt'; import '/etc/passwd'; import 'evil/deep/.env';\n\
        /// <reference path=\"../../outside/secret.txt\" />\n\
        /// <reference types=\"../../outside/secret.txt\" />\n\
        new URL('../../outside/secret.txt', import.meta.url);\n\
        require('../../outside/secret.txt'); require('outside/secret.txt');\n";
    for tsconfig in &tsconfigs {
        let lair = lair(&[("src/a.ts", code), ("tsconfig.json", tsconfig)]);
        lair.link("node_modules/evil", "../../outside");
        check_blind(&lair);
    }
    for package in packages {
        let lair = lair(&[
            ("src/a.ts", code),
            ("package.json", package),
            ("node_modules/evil/package.json", package),
            ("pnpm-workspace.yaml", "packages: ['../outside', '/etc/*', '../**']\n"),
            ("lerna.json", r#"{"packages":["../outside"]}"#),
        ]);
        check_blind(&lair);
    }
    reliability::row(
        "attacks",
        "tsconfig and package.json fields that lead out",
        tsconfigs.len() + packages.len(),
        "specifier is missing; nothing outside read",
    );
}

#[test]
fn no_package_chooses_its_staging_path() {
    let names = [
        "../../evil",
        "..",
        ".",
        "",
        "/evil",
        "a/b/c",
        "@x/../../..",
        "@../x",
        "@x/..",
        "@/x",
        "..\\..\\evil",
        "C:\\evil",
        "C:evil",
        "evil\0",
        "evil\n/../../x",
        "\u{1b}[31mevil",
    ];
    let versions = ["1.0.0", "..", "1/../../../../../x", "1\\..\\.."];
    for name in names {
        for version in versions {
            let manifest = format!(
                r#"{{"name":{},"version":{},"types":"i.d.ts"}}"#,
                json(name),
                json(version)
            );
            let lair = lair(&[
                ("src/a.ts", "import { evil } from 'evil';\nexport const a = evil;\n"),
                ("node_modules/evil/package.json", &manifest),
                ("node_modules/evil/i.d.ts", "export declare const evil: 1;\n"),
            ]);
            assert_eq!(lair.run(&["run", "--context"]).code, 0);
            let members = lair.members();
            let staged: Vec<_> = members.iter().filter(|name| name.ends_with("i.d.ts")).collect();
            assert_eq!(staged.len(), 1, "{name:?} {version:?}: {members:?}");
            assert!(staged[0].starts_with(".stan/context/abs/"), "{name:?} {version:?} {staged:?}");
        }
    }
    reliability::row(
        "attacks",
        "package names and versions that are paths",
        names.len() * versions.len(),
        "staged under `context/abs` only",
    );
}

#[test]
fn no_locator_and_no_history_of_a_stranger_is_followed() {
    let digest = "0".repeat(64);
    let id = ".stan/context/npm/p/1/x.ts";
    let targets = ["/dev/zero", "/proc/self/environ", "../outside/secret.txt", "/etc/passwd", "."];
    for target in targets {
        let lair = lair(&[("src/a.ts", "export {};\n")]);
        let node = format!(
            r#"{{"id":"{id}","locatorAbs":{},"size":1,"sha256":"{digest}"}}"#,
            json(target)
        );
        lair.write(
            ".stan/context/dependency.map.json",
            format!(r#"{{"v":1,"nodes":{{"{id}":{node}}}}}"#),
        );
        lair.write(
            ".stan/diff/snapshots/x",
            format!(r#"{{"v":1,"files":{{"{id}":{{"size":1,"sha256":"{digest}"}}}}}}"#),
        );
        let entry = r#"{"at":1,"context":".stan/diff/snapshots/x"}"#;
        lair.write(
            super::HISTORY,
            format!(r#"{{"v":1,"index":1,"entries":[{entry},{{"at":2}}]}}"#),
        );
        assert_eq!(lair.run(&["snap", "undo"]).code, 1, "{target}");
        lair.run(&["run", "--context"]);
    }
    let histories = [
        r#"{"v":1,"index":99999999999,"entries":[]}"#,
        r#"{"v":1,"index":7,"entries":[{"at":1}]}"#,
        r#"{"v":1,"index":1,"entries":[{"at":1,"plain":"../outside/secret.txt"},{"at":2}]}"#,
        r#"{"v":1,"index":1,"entries":[{"at":1,"plain":"/etc/passwd"},{"at":2}]}"#,
        r#"{"v":1,"index":1,"entries":[{"at":1,"plain":"src/a.ts"},{"at":2}]}"#,
        r#"{"v":1,"index":1,"entries":[{"at":1,"plain":".stan/diff/snapshots/out"},{"at":2}]}"#,
        "[[[[[[[[",
    ];
    for history in histories {
        let lair = lair(&[("src/a.ts", "export {};\n"), (super::HISTORY, history)]);
        lair.link(".stan/diff/snapshots/out", "../../../../outside/secret.txt");
        for arguments in [["snap", "undo"], ["snap", "redo"], ["snap", "info"]] {
            lair.run(&arguments);
        }
        lair.run(&["snap", "set", "0"]);
        lair.run(&["snap"]);
    }
    reliability::row(
        "attacks",
        "forged maps, baselines and histories",
        targets.len() + histories.len(),
        "refused or ignored; nothing outside read or removed",
    );
}

#[test]
fn no_project_of_a_pack_leads_out() {
    let entries = ["../outside/secret.txt", "/etc/passwd", "link", "folder/secret.txt", "a\\b"];
    for entry in entries {
        let lair = Lair::new(&[(
            "diag.json",
            r#"{"diagnostics":[{"code":"X","severity":"error","loc":{"ptr":"/decls/0"}}]}"#,
        )]);
        let manifest = format!(
            r#"{{"schema_version":"x07.project@0.2.0","world":"solve-pure","entry":{},"module_roots":["."]}}"#,
            json(entry)
        );
        lair.write("x07.json", manifest);
        lair.link("link", "../outside/secret.txt");
        lair.link("folder", "../outside");
        let outcome =
            lair.run(&["agent", "context", "--diag", "diag.json", "--project", "x07.json"]);
        assert_ne!(outcome.code, 0, "{entry}");
        lair.run(&["ast", "slice", "--in", "x07.json", "--ptr", "/entry"]);
    }
    reliability::row(
        "attacks",
        "pack project entries that lead out",
        entries.len(),
        "refused; nothing outside read",
    );
}

#[test]
fn a_configuration_file_from_elsewhere_is_not_quoted() {
    for name in ["stan.config.yml", "stan.config.yaml", CONFIG] {
        let lair = lair(&[("src/a.ts", "export {};\n")]);
        lair.link(name, "../outside/secret.txt");
        for command in ["run", "graph", "select", "init"] {
            assert_eq!(lair.run(&[command]).code, 2);
        }
    }
}

#[test]
fn no_file_in_the_workspace_counts_as_a_staged_file() {
    let lair = Lair::new(&[("src/a.ts", "export {};\n")]);
    let planted = ".stan/context/npm/p/1.0.0/planted.ts";
    lair.write(planted, "planted");
    lair.state(&format!(r#"{{"v":2,"i":["{planted}","{STATE}","{ARCHIVE}"]}}"#));
    assert_eq!(lair.run(&["run", "--context"]).code, 0);
    assert!(!lair.members().iter().any(|name| name.contains("planted")));
}
