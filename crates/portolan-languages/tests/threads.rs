//! Threads may race to compute a result, but the result is always the same.

use std::sync::{Barrier, Mutex, PoisonError};

use portolan_languages::ecma::resolve::{NpmResolver, Resolution, SpecifierForm};
use portolan_languages::{PathSources, ResolveContext};
use portolan_vfs::MemorySystem;

const CONFIGS: [&str; 3] = ["app", "node", "test"];

/// A package whose files share a folder but are governed by three configs.
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

/// When two threads read a config at once, one copy is freed and its address reused. So the cache
/// must not identify a config by its address.
#[test]
fn files_in_one_folder_under_different_configs_resolve_separately() {
    const PACKAGES: usize = 200;
    const THREADS: usize = 8;
    let system = MemorySystem::default();
    for package in 0..PACKAGES {
        put_package(&system, &format!("/r/p{package}"));
    }
    let sources = PathSources::default();
    let ctx = ResolveContext::new(&system, "/r", std::iter::empty(), &sources);
    let resolver = NpmResolver::new(&ctx);
    let start = Barrier::new(THREADS);
    let wrong = Mutex::new(Vec::new());
    let resolve_all = || {
        for package in 0..PACKAGES {
            start.wait();
            for name in CONFIGS {
                let importer = format!("/r/p{package}/src/a.{name}.ts");
                let expected = format!("/r/p{package}/{name}/x.ts");
                let found = resolver.resolve(&importer, "~/x", SpecifierForm::Import);
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
