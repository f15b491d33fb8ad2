//! Tests the cache and the timings, as text and JSON.

use serde_json::Value;

use crate::support::{Repo, Run, run_in};

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

/// Runs the binary with a cache folder of the user.
fn run_cached(repo: &Repo, arguments: &[&str]) -> Run {
    let cache = repo.parent().join("cache");
    std::fs::create_dir_all(&cache).unwrap();
    run_in(&repo.path(), arguments, &[("XDG_CACHE_HOME", cache.to_str().unwrap())])
}

/// A repository without a workspace, with a secret in it.
fn without_workspace() -> Repo {
    Repo::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("src/a.ts", "import { b } from './b';\nexport const a = () => b;\n"),
        ("src/b.ts", "export const b = 1;\n"),
        ("src/key.ts", "export const canaryName = 'AKIAQ3EGRIWQ7FZBKTNM';\n"),
        (".env", "CANARY_PASSWORD=correct-horse-battery\n"),
    ])
}

const QUESTIONS: [&[&str]; 12] = [
    &["look", "src/b.ts"],
    &["look", "src/b.ts#b"],
    &["read", "src/a.ts#a"],
    &["find", "b"],
    &["search", "const"],
    &["search", "--plain", "const"],
    &["search", "--names", "b"],
    &["search", "--task", "change what b is"],
    &["chart"],
    &["graph"],
    &["select", "src/a.ts"],
    &["pack", "--task", "change what b is"],
];

#[test]
fn questions_leave_nothing_in_the_repository_and_are_warm_from_the_second_on() {
    let repo = without_workspace();
    let before = repo.files_below(".");
    for question in QUESTIONS {
        let cold = repo.run(question);
        for time in ["first", "second"] {
            let warm = run_cached(&repo, question);
            assert_eq!(warm.stdout, cold.stdout, "{question:?}, {time}");
            assert_eq!(warm.stderr, cold.stderr, "{question:?}, {time}");
        }
    }
    assert_eq!(repo.files_below("."), before);
    let timings = run_cached(&repo, &["graph", "--timings"]).stderr;
    assert!(timings.contains("reuse") && !timings.contains("resolve"), "{timings}");
}

#[test]
fn nothing_of_what_may_hold_secrets_is_in_the_users_cache() {
    let repo = without_workspace();
    for question in QUESTIONS {
        run_cached(&repo, question);
    }
    let cache = repo.parent().join("cache");
    let files = crate::support::files_below(&cache, ".");
    assert!(files.keys().any(|path| path.ends_with("facts.bin")), "{files:?}");
    for path in files.keys() {
        let bytes = std::fs::read(cache.join(path)).unwrap();
        for secret in ["AKIAQ3EGRIWQ7FZBKTNM", "canaryName", "CANARY_PASSWORD", "correct-horse"] {
            let has = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!has, "{secret} in {path}");
        }
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_users_cache() {
    use std::os::unix::fs::PermissionsExt;
    let repo = without_workspace();
    run_cached(&repo, &["look", "src/b.ts"]);
    let mut todo = vec![repo.parent().join("cache/portolan")];
    let mut seen = 0;
    while let Some(path) = todo.pop() {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
        seen += 1;
        let entries = std::fs::read_dir(&path).into_iter().flatten();
        todo.extend(entries.map(|entry| entry.unwrap().path()));
    }
    assert!(seen > 5, "{seen}");
}

#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_is_neither_an_error_nor_a_notice() {
    let repo = without_workspace();
    let cold = repo.run(&["look", "src/b.ts"]);
    let cache = repo.parent().join("cache");
    std::fs::write(&cache, "a file").unwrap();
    for folder in [cache.to_str().unwrap(), "/proc/none", "/dev/null", "relative"] {
        let run = run_in(&repo.path(), &["look", "src/b.ts"], &[("XDG_CACHE_HOME", folder)]);
        assert_eq!((run.stdout, run.stderr), (cold.stdout.clone(), cold.stderr.clone()));
    }
}

#[test]
fn the_cache_command_shows_and_removes() {
    let repo = without_workspace();
    let empty = run_cached(&repo, &["cache", "info"]);
    assert!(empty.stdout.ends_with("cache/portolan: 0 B of at most 1.0 GiB\n"), "{empty:?}");
    run_cached(&repo, &["look", "src/b.ts"]);
    let run = run_cached(&repo, &["cache", "info"]);
    let root = repo.path().canonicalize().unwrap();
    assert!(run.stdout.contains(root.to_str().unwrap()), "{run:?}");
    assert!(run.stdout.contains("manifests of answers"), "{run:?}");
    let json = |arguments: &[&str]| -> Value {
        let answer: Value = serde_json::from_str(&run_cached(&repo, arguments).stdout).unwrap();
        answer["result"].clone()
    };
    let info = json(&["cache", "info", "--format", "json"]);
    assert_eq!(info["repositories"][0]["root"], root.to_str().unwrap());
    let of_repository = info["repositories"][0]["bytes"].as_u64().unwrap();
    let cleaned = json(&["cache", "clean", "--repo", "src", "--format", "json"]);
    assert_eq!(cleaned["removed"].as_u64().unwrap(), of_repository);
    assert_eq!(cleaned["repositories"], serde_json::json!([]));
    assert!(cleaned["answers"].as_u64().unwrap() > 0);
    let cleaned = run_cached(&repo, &["cache", "clean"]).stdout;
    assert!(cleaned.starts_with("removed ") && cleaned.contains(": 0 B of"), "{cleaned}");
}

#[test]
fn the_cache_of_one_repository_is_cleaned_by_a_path_or_a_folder_to_work_in() {
    let (repo, other) = (without_workspace(), without_workspace());
    let cache = repo.parent().join("cache");
    let run = |folder: &std::path::Path, arguments: &[&str]| {
        run_in(folder, arguments, &[("XDG_CACHE_HOME", cache.to_str().unwrap())]).stdout
    };
    let path = repo.path();
    let one = path.to_str().unwrap();
    for clean in [&["cache", "clean", one][..], &["cache", "clean", "-C", one]] {
        for folder in [&repo.path(), &other.path()] {
            run(folder, &["look", "src/b.ts"]);
        }
        let left = run(&other.path(), clean);
        let other = other.path().canonicalize().unwrap();
        assert!(left.contains(other.to_str().unwrap()), "{clean:?}: {left}");
        let cleaned = repo.path().canonicalize().unwrap();
        assert!(!left.contains(cleaned.to_str().unwrap()), "{clean:?}: {left}");
    }
    let all = run(&repo.path(), &["cache", "clean", "--all", "-C", one]);
    assert!(all.contains(": 0 B of"), "{all}");
}

#[test]
fn a_repository_is_cleaned_with_the_cache_of_its_workspace() {
    let repo = Repo::with(APP);
    repo.run(&["graph"]);
    assert!(repo.read(CACHE).is_some());
    assert!(repo.run(&["cache", "clean", "--repo", "."]).stdout.starts_with("removed "));
    assert!(repo.read(CACHE).is_none() && repo.read(".stan/system/guide.md").is_some());
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
