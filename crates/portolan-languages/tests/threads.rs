//! Threads race for answers, never for what the answer is.

use std::sync::{Barrier, Mutex, PoisonError};

use portolan_languages::ecma::resolve::{Form, Resolution, Resolver};
use portolan_languages::{Ground, PathSources};
use portolan_vfs::MemorySystem;

const CONFIGS: [&str; 3] = ["app", "node", "test"];

/// A package whose files lie in one folder and are governed by one of three configs.
fn put_package(system: &MemorySystem, folder: &str) {
    let references = CONFIGS.map(|name| format!(r#"{{ "path": "./tsconfig.{name}.json" }}"#));
    let solution = format!(r#"{{ "files": [], "references": [{}] }}"#, references.join(", "));
    system.put(format!("{folder}/tsconfig.json"), solution);
    for name in CONFIGS {
        let config = format!(
            r#"{{ "compilerOptions": {{ "paths": {{ "~/*": ["./{name}/*"] }} }}, "include": ["src/*.{name}.ts"] }}"#
        );
        system.put(format!("{folder}/tsconfig.{name}.json"), config);
        system.put(format!("{folder}/{name}/x.ts"), "");
        system.put(format!("{folder}/src/a.{name}.ts"), "");
    }
}

/// A config that two threads read at once is freed by one of them, and its address is given to the
/// next one: an answer must not be remembered by it.
#[test]
fn files_of_one_folder_under_several_configs_keep_their_own_answers() {
    const PACKAGES: usize = 200;
    const THREADS: usize = 8;
    let system = MemorySystem::default();
    for package in 0..PACKAGES {
        put_package(&system, &format!("/r/p{package}"));
    }
    let sources = PathSources::default();
    let ground = Ground::new(&system, "/r", std::iter::empty(), &sources);
    let resolver = Resolver::new(&ground);
    let start = Barrier::new(THREADS);
    let wrong = Mutex::new(Vec::new());
    let resolve_all = || {
        for package in 0..PACKAGES {
            start.wait();
            for name in CONFIGS {
                let importer = format!("/r/p{package}/src/a.{name}.ts");
                let expected = format!("/r/p{package}/{name}/x.ts");
                let found = resolver.resolve(&importer, "~/x", Form::Import);
                if found != Resolution::File(expected.into()) {
                    wrong.lock().unwrap_or_else(PoisonError::into_inner).push((importer, found));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(resolve_all);
        }
    });
    assert_eq!(wrong.into_inner().unwrap_or_else(PoisonError::into_inner), []);
}
