//! The same inputs give the same bytes: whatever the order of the walk, the number of threads and
//! the place of the checkout.

use std::path::Path;

use portolan_graph::{MetaHashes, encode_graph, encode_meta};
use portolan_testkit::{Entry, map_in, parse};
use portolan_vfs::{MemorySystem, OsSystem, System};

/// Repositories with something to get wrong: links, barrels, packages, broken files.
const FIXTURES: &[&str] = &[
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
