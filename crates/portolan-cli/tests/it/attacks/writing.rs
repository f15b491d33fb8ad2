//! Attacks that try to write outside the workspace, or to block a run on a file that it writes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_testkit::reliability;

use super::{ARCHIVE, CONFIG, HISTORY, Lair, STATE, json, run_limited, shows_canary};

/// Every path that a run writes, reads back or locks in the workspace.
const PLACES: [&str; 24] = [
    ".stan",
    ".stan/context",
    ".stan/output",
    ".stan/diff",
    ".stan/cache",
    ".stan/system",
    ".stan/imports",
    ".stan/context/npm",
    ".stan/context/abs",
    ".stan/diff/snapshots",
    ".stan/diff/.portolan.lock",
    ".stan/diff/.archive.snapshot.json",
    ".stan/diff/.archive.snapshot.context.json",
    ".stan/diff/dependency.state.prev.json",
    ".stan/context/dependency.meta.json",
    ".stan/context/dependency.map.json",
    ".stan/output/archive.diff.tar",
    ".stan/output/archive.diff.json",
    ".stan/cache/facts.bin",
    ".stan/context/.portolan-tmp-externals",
    ".stan/context/.portolan-tmp-new-dependency.meta.json",
    ".stan/output/.portolan-tmp-new-archive.tar",
    ARCHIVE,
    HISTORY,
];

/// A repository with a package to stage, an import to copy and a state to replace.
fn lair() -> Lair {
    Lair::new(&[
        ("src/a.ts", "import { p } from 'p';\nexport const a = p;\n"),
        ("node_modules/p/package.json", r#"{"name":"p","version":"1.0.0","types":"i.d.ts"}"#),
        ("node_modules/p/i.d.ts", "export declare const p: 1;\n"),
        ("docs/guide.md", "# guide\n"),
        (CONFIG, r#"{"stan-core":{"imports":{"kit":["docs/*.md"]}}}"#),
    ])
}

const COMMANDS: [&[&str]; 6] = [
    &["select", "src/a.ts:1", "--write"],
    &["run", "-c", "-m"],
    &["run", "-c"],
    &["run"],
    &["snap"],
    &["snap", "undo"],
];

#[test]
fn no_link_in_the_workspace_is_written_through() {
    let targets: [fn(&Lair) -> PathBuf; 4] = [
        Lair::outside,
        |lair| lair.outside().join("secret.txt"),
        |lair| lair.outside().join("new"),
        |_| "self".into(),
    ];
    for place in PLACES {
        for target in targets {
            let lair = lair();
            let target = target(&lair);
            let name = Path::new(place).file_name().unwrap();
            lair.link(place, if target == Path::new("self") { Path::new(name) } else { &target });
            // Leftovers of a killed run are removed, but not in a folder outside.
            super::put(&lair.outside().join(".portolan-tmp-mine"), b"mine");
            for command in COMMANDS {
                lair.run(command);
            }
        }
    }
    reliability::row(
        "attacks",
        "links in place of outputs and locks",
        PLACES.len() * targets.len() * COMMANDS.len(),
        "refused or replaced; nothing outside changed",
    );
}

#[test]
fn no_pipe_in_the_workspace_is_waited_for() {
    for place in PLACES {
        let lair = lair();
        lair.pipe(place);
        for command in COMMANDS {
            lair.run(command);
        }
    }
    let sources = [
        ".gitignore",
        "package.json",
        "tsconfig.json",
        "src/a.ts",
        "src/b.ts",
        "node_modules/p/package.json",
        "node_modules/p/i.d.ts",
        "pnpm-workspace.yaml",
        "docs/other.md",
        STATE,
        ".stan/system/stan.system.md",
        ".stan/system/pipe.md",
    ];
    for place in sources {
        let lair = lair();
        let _ = fs::remove_file(lair.root().join(place));
        lair.pipe(place);
        for command in COMMANDS {
            lair.run(command);
        }
        lair.run(&["graph"]);
        lair.run(&["select", "src/a.ts:3"]);
    }
    reliability::row(
        "attacks",
        "pipes in place of inputs and outputs",
        (PLACES.len() + sources.len()) * COMMANDS.len(),
        "refused, replaced or left out; no waiting",
    );
}

#[test]
fn no_second_name_of_a_file_is_written_to() {
    for place in PLACES {
        let lair = lair();
        let path = lair.root().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // A hard link makes the bytes the repository's own, so only check that they stay.
        let victim = lair.outside().join("victim.txt");
        super::put(&victim, b"mine");
        fs::hard_link(victim, &path).unwrap();
        for command in COMMANDS {
            lair.run(command);
        }
    }
    reliability::row(
        "attacks",
        "hard links to outside files in place of outputs and locks",
        PLACES.len() * COMMANDS.len(),
        "replaced or refused; outside file unchanged",
    );
}

#[test]
fn no_workspace_can_be_configured_elsewhere() {
    let places = [
        "..",
        "../outside",
        "/somewhere/outside",
        ".",
        "./",
        "",
        "a/../..",
        ".git",
        ".git/hooks",
        ".GIT/hooks",
        "sub/.git/hooks",
        ".git.",
        ".git /x",
        "node_modules",
        "C:/x",
        "C:\\x",
        "\\\\server\\x",
        "a\\..\\..\\x",
        "link",
        "link/deep",
        "up/outside",
        "a\0b",
        "a\u{1b}[31m",
        "src/a.ts",
    ];
    for place in places {
        let lair = Lair::new(&[("src/a.ts", "export {};\n"), (".git/config", "[core]\n")]);
        lair.write(CONFIG, format!(r#"{{"stan-core":{{"stanPath":{}}}}}"#, json(place)));
        lair.link("link", "../outside");
        lair.link("up", "..");
        for command in [["run", "-c", "-m"].as_slice(), &["run"], &["snap"], &["init"], &["graph"]]
        {
            let outcome = lair.run(command);
            assert!(outcome.code != 0 || command == ["graph"], "{place:?} {command:?}");
        }
    }
    let labels = ["../x", "/x", "a/../../x", "..", "C:\\x", "a\\b", "a\0", ""];
    for label in labels {
        let lair = lair();
        lair.write(
            CONFIG,
            format!(r#"{{"stan-core":{{"imports":{{{}:["docs/*.md"]}}}}}}"#, json(label)),
        );
        assert_eq!(lair.run(&["run"]).code, 2, "{label:?}");
    }
    reliability::row(
        "attacks",
        "workspaces and import labels outside the root",
        places.len() + labels.len(),
        "exit 2; nothing written",
    );
}

#[test]
fn init_writes_inside_only() {
    for place in
        ["stan.config.yml", ".gitignore", ".stan", ".stan/system", ".stan/system/stan.system.md"]
    {
        for target in ["../outside/secret.txt", "../outside/new", "../outside"] {
            let lair = Lair::new(&[("src/a.ts", "export {};\n")]);
            let up = "../".repeat(place.matches('/').count());
            lair.link(place, format!("{up}{target}"));
            let before = (lair.listing("outside"), lair.listing("repo/src"));
            let outcome = run_limited(&lair.root(), &["init"], b"");
            assert_eq!((lair.listing("outside"), lair.listing("repo/src")), before, "{place}");
            assert!(!shows_canary(outcome.stderr.as_bytes()), "{}", outcome.stderr);
        }
    }
}

/// Swaps two names again and again until it is stopped.
fn swap_while(go_on: &AtomicBool, place: &Path, link_to: &Path) {
    let aside = place.with_file_name("aside");
    while go_on.load(Ordering::Relaxed) {
        if fs::rename(place, &aside).is_ok() {
            let _ = symlink(link_to, place);
            std::thread::yield_now();
            let _ = fs::remove_file(place);
            // A run may have created the folder meanwhile.
            let _ = fs::remove_dir_all(place);
            let _ = fs::rename(&aside, place);
        }
    }
}

#[test]
fn no_link_that_is_swapped_in_meanwhile_is_followed() {
    const RUNS: usize = 25;
    let places = [".stan", ".stan/context", ".stan/output", ".stan/diff", "src"];
    for place in places {
        let lair = lair();
        lair.state(r#"{"v":2,"i":[["src/a.ts",1]]}"#);
        for folder in ["context/npm", "output", "diff/snapshots", "cache"] {
            fs::create_dir_all(lair.outside().join(folder)).unwrap();
        }
        for file in ["context/npm/victim", "output/archive.tar", "diff/.portolan.lock"] {
            super::put(&lair.outside().join(file), b"mine");
        }
        fs::create_dir_all(lair.root().join(place)).unwrap();
        let target = match place.strip_prefix(".stan/") {
            Some(below) => lair.outside().join(below),
            None => lair.outside(),
        };
        let before = lair.listing("outside");
        let go_on = AtomicBool::new(true);
        std::thread::scope(|scope| {
            scope.spawn(|| swap_while(&go_on, &lair.root().join(place), &target));
            for _ in 0..RUNS {
                let outcome = run_limited(&lair.root(), &["run", "-c", "--wait", "1"], b"");
                assert!(matches!(outcome.code, 0..=2), "{place}: {}", outcome.stderr);
                assert!(!outcome.stderr.contains("panicked"), "{place}: {}", outcome.stderr);
                let archive = fs::read(lair.root().join(ARCHIVE)).unwrap_or_default();
                assert!(!shows_canary(&archive), "{place}");
            }
            go_on.store(false, Ordering::Relaxed);
        });
        assert_eq!(lair.listing("outside"), before, "{place}");
    }
    reliability::row(
        "attacks",
        "a thread swaps folders for links that lead out",
        RUNS * places.len(),
        "complete or refused; nothing outside written or archived",
    );
}
