//! The same inputs give the same bytes: whatever the order of the walk, the number of threads and
//! the place of the checkout.

use std::io;
use std::path::{Path, PathBuf};

use portolan_graph::{MetaHashes, encode_graph, encode_meta};
use portolan_testkit::{Entry, map_in, parse};
use portolan_vfs::{DirEntry, LockGuard, MemorySystem, OsSystem, PendingFile, Stat, System};

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

/// Lists folders in an order that depends on a seed.
struct Shuffled {
    inner: MemorySystem,
    seed: u64,
}

impl System for Shuffled {
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let mut entries = self.inner.read_dir(path)?;
        let mut state = self.seed | 1;
        for index in (1..entries.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            entries.swap(index, (state >> 33) as usize % (index + 1));
        }
        Ok(entries)
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.inner.read(path)
    }
    fn read_head(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.inner.read_head(path, limit)
    }
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.stat(path)
    }
    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.lstat(path)
    }
    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.real_path(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.create_dir_all(path)
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn PendingFile>> {
        self.inner.create(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn duplicate(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.duplicate(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_file(path)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_dir_all(path)
    }
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.inner.try_lock(path)
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
            let shuffled = Shuffled { inner: second.clone(), seed };
            for threads in [1, 4] {
                assert_eq!(
                    artifacts(&shuffled, Path::new("/a/quite/different/place"), threads),
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
