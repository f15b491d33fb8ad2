//! Imports that the Map followed are not followed again, and lead to the same.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_vfs::{CallOutcome, FaultySystem, MemorySystem, Operation, System};

use portolan_index::symbols::DeclarationStore;

use super::*;
use portolan_index::map::{CacheMode, MapRequest, build};
use portolan_index::session::Session;
use portolan_workspace::config::{self, Loaded};

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    for (path, text) in [
        (".git/HEAD", ""),
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
        ("packages/kit/package.json", r#"{"name": "@shop/kit", "main": "index.ts"}"#),
        ("packages/kit/index.ts", "export * from './tax';\n"),
        ("packages/kit/tax.ts", "export const tax = (amount: number) => amount;\n"),
        ("src/price.ts", "export interface Price { amount: number }\n"),
        ("src/old.js", "exports.old = 1;\n"),
        (
            "src/cart.ts",
            "import type { Price } from '@/price';\nimport { tax } from '@shop/kit';\n\
             import { gone } from './gone';\nconst old = require('./old');\n\
             export const total = (price: Price) => tax(price.amount) + gone + old.old;\n",
        ),
    ] {
        system.put(format!("/r/{path}"), text);
    }
    system
}

/// What `total` is read as, and how many manifests were read for it once the Map was there.
fn read_in_session(system: MemorySystem) -> (String, usize) {
    let reads = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&reads);
    let system = FaultySystem::new(system, move |call| {
        let is_read = matches!(call.operation, Operation::Read | Operation::ReadHead);
        if is_read && call.path.ends_with("package.json") {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        CallOutcome::Pass
    });
    let config = config::load(&system, Path::new("/r")).unwrap();
    let config = Loaded { user_cache: Some("/cache".into()), ..config };
    let request = MapRequest { config, threads: 1 };
    let session = Session::open(&system, request, CacheMode::Read).unwrap().lasting();
    let snapshot = session.snapshot().unwrap();
    reads.store(0, Ordering::Relaxed);
    let store = session.declarations();
    let report = read(&system, session.config(), &snapshot.map, store, &asked()).unwrap();
    (report.to_text(), reads.load(Ordering::Relaxed))
}

fn asked() -> ReadRequest {
    let targets = vec!["src/cart.ts#total".to_owned()];
    ReadRequest { targets, needs: NeedsMode::Signatures, ..ReadRequest::default() }
}

#[test]
fn what_the_map_followed_needs_no_resolver_and_leads_to_the_same() {
    let system = repository();
    let config = config::load(&system, Path::new("/r")).unwrap();
    let map = build(&system, &MapRequest { config: config.clone(), threads: 1 }).unwrap();
    let store = DeclarationStore::default();
    let anew = read(&system, &config, &map, &store, &asked()).unwrap().to_text();
    for part in ["export interface Price", "export const tax", "exports.old"] {
        assert!(anew.contains(part), "{part} in {anew}");
    }
    system.create_dir_all(Path::new("/cache")).unwrap();
    assert_eq!(read_in_session(system), (anew, 0));
}
