//! What is kept, what is dropped, and what is never written.

use std::path::Path;

use portolan_vfs::{MemorySystem, System, sha256};

use portolan_index::store::CacheFolder;
use portolan_index::symbols::DeclarationStore;

use super::*;
use portolan_index::map::{self, CacheMode, MapRequest};
use portolan_workspace::config::{self, Loaded};

const BASE: &str = "/r/.stan/cache/declarations.bin";
const RECENT: &str = "/r/.stan/cache/declarations-recent.bin";

fn repository() -> (MemorySystem, Loaded) {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    system.put("/r/.stan/cache/x", "");
    system.put("/r/a.ts", "import { b } from './b';\nexport const a = () => b.c;\n");
    system.put("/r/b.ts", "export const b = { c: 1 };\n");
    let config = config::load(&system, Path::new("/r")).unwrap();
    (system, config)
}

fn open(system: &MemorySystem, config: &Loaded, mode: CacheMode) -> DeclarationStore {
    DeclarationStore::open(system, &CacheFolder::open(system, config, mode))
}

/// Asks for `a`, with what the disk has.
fn ask(system: &MemorySystem, config: &Loaded, mode: CacheMode) -> String {
    let map = map::build(system, &MapRequest { config: config.clone(), threads: 1 }).unwrap();
    let store = open(system, config, mode);
    let (targets, needs) = (vec!["a.ts#a".to_owned()], NeedsMode::Signatures);
    let request = ReadRequest { targets, needs, ..ReadRequest::default() };
    let report = read(system, config, &map, &store, &request).unwrap();
    assert_eq!(store.save(system), None);
    report.to_text()
}

fn bytes(system: &MemorySystem, path: &str) -> Option<Vec<u8>> {
    system.read(Path::new(path)).ok()
}

#[test]
fn what_was_read_is_known_to_the_next_process() {
    let (system, config) = repository();
    let cold = ask(&system, &config, CacheMode::Use);
    let written = bytes(&system, RECENT).unwrap();
    assert_eq!(ask(&system, &config, CacheMode::Use), cold);
    assert_eq!(bytes(&system, RECENT).unwrap(), written, "nothing new, nothing written");
    let store = open(&system, &config, CacheMode::Use);
    let language = portolan_languages::language_code("b.ts").unwrap();
    let known = store.get(&system, &sha256(b"export const b = { c: 1 };\n"), language).unwrap();
    assert!(known.facts.find_name("c").is_some());
    assert!(store.get(&system, &sha256(b""), language).is_none());
    system.put("/r/b.ts", "export const b = { d: 2, c: 1 };\n");
    assert!(ask(&system, &config, CacheMode::Use).contains("d: 2"), "another text, other facts");
    assert!(bytes(&system, RECENT).unwrap().len() > written.len());
    assert_eq!(ask(&system, &config, CacheMode::Rebuild), ask(&system, &config, CacheMode::Off));
}

#[test]
fn damage_changes_no_answer() {
    let (system, config) = repository();
    let cold = ask(&system, &config, CacheMode::Use);
    let written = bytes(&system, RECENT).unwrap();
    for at in (0..written.len()).step_by(3) {
        let mut damaged = written.clone();
        damaged[at] ^= 0x20;
        system.put(RECENT, damaged);
        assert_eq!(ask(&system, &config, CacheMode::Use), cold, "byte {at}");
        system.put(RECENT, written[..at].to_vec());
        assert_eq!(ask(&system, &config, CacheMode::Use), cold, "cut at {at}");
    }
}

#[test]
fn without_a_workspace_nothing_is_written() {
    let (system, config) = repository();
    system.remove_dir_all(Path::new("/r/.stan")).unwrap();
    ask(&system, &config, CacheMode::Use);
    assert!(system.stat(Path::new("/r/.stan")).is_err());
}

#[test]
fn what_another_folder_kept_is_not_believed() {
    let (system, config) = repository();
    ask(&system, &config, CacheMode::Use);
    let kept = bytes(&system, RECENT).unwrap();
    system.put("/s/.git/HEAD", "");
    system.put("/s/.stan/cache/declarations-recent.bin", kept);
    let config = config::load(&system, Path::new("/s")).unwrap();
    let store = open(&system, &config, CacheMode::Use);
    let language = portolan_languages::language_code("b.ts").unwrap();
    assert!(store.get(&system, &sha256(b"export const b = { c: 1 };\n"), language).is_none());
}

#[test]
fn much_that_is_new_goes_into_the_large_file() {
    let (system, config) = repository();
    let long = "x".repeat(2_000);
    let many: String = (0..1_200).map(|at| format!("export const {long}{at} = {at};\n")).collect();
    system.put("/r/b.ts", format!("export const b = {{ c: 1 }};\n{many}"));
    let cold = ask(&system, &config, CacheMode::Use);
    assert!(bytes(&system, BASE).is_some() && bytes(&system, RECENT).is_none());
    system.put("/r/a.ts", "import { b } from './b';\n\nexport const a = () => b.c;\n");
    ask(&system, &config, CacheMode::Use);
    assert!(bytes(&system, RECENT).is_some());
    system.put("/r/a.ts", "import { b } from './b';\nexport const a = () => b.c;\n");
    assert_eq!(ask(&system, &config, CacheMode::Use), cold);
}
