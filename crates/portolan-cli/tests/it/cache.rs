//! Tests the cache and the timings, as text and JSON.

use serde_json::Value;

use crate::support::Repo;

const APP: &[(&str, &str)] = &[
    (".stan/system/guide.md", "How to help.\n"),
    ("src/a.ts", "import { b } from './b';\n"),
    ("src/b.ts", "export const b = 1;\n"),
];
const CACHE: &str = ".stan/cache/facts.bin";

#[test]
fn the_map_is_the_same_with_and_without_the_cache() {
    let repo = Repo::with(APP);
    let cold = repo.run(&["graph", "--no-cache"]);
    assert!(repo.read(CACHE).is_none());
    for arguments in [&["graph"][..], &["graph"], &["graph", "--rebuild-cache"]] {
        let warm = repo.run(arguments);
        assert_eq!((warm.stdout, warm.stderr), (cold.stdout.clone(), cold.stderr.clone()));
        assert!(repo.read(CACHE).is_some());
    }
    assert!(!cold.stdout.contains("cache"));
}

#[test]
fn a_damaged_cache_is_reported_once() {
    let repo = Repo::with(APP);
    let first = repo.run(&["graph"]);
    repo.write(CACHE, b"nonsense");
    let second = repo.run(&["graph"]);
    assert_eq!(second.stdout, first.stdout);
    assert!(second.stderr.contains("CTX-CACHE-0001"), "{}", second.stderr);
    assert_eq!(repo.run(&["graph"]).stderr, first.stderr);
}

#[test]
fn a_map_alone_makes_no_workspace() {
    let repo = Repo::with(&[("src/a.ts", "")]);
    repo.run(&["graph"]);
    assert!(!repo.path().join(".stan").exists());
}

#[test]
fn timings_list_every_stage() {
    let repo = Repo::with(APP);
    let run = repo.run(&["graph", "--timings"]);
    for stage in ["scan", "resolve", "reexports", "assemble", "encode", "total"] {
        assert!(run.stderr.contains(stage), "{stage}: {}", run.stderr);
    }
    let run = repo.run(&["graph", "--timings", "--format", "json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let stages = answer["timings"]["stages"].as_array().unwrap();
    let scan = stages.iter().find(|stage| stage["name"] == "scan").unwrap();
    assert_eq!(scan["files"], 3);
    assert!(scan["milliseconds"].as_f64().unwrap() > 0.0 && scan["bytes"].as_u64().unwrap() > 0);
    let without = repo.run(&["graph", "--format", "json"]);
    assert!(!without.stdout.contains("timings"));
}
