//! Answers `look TARGET --side users` for each target on standard input, as one JSON line each: for scoring.

use std::io::BufRead as _;
use std::time::Instant;

use portolan_index::map::{self, MapRequest};
use portolan_index::symbols::DeclarationStore;
use portolan_query::declarations::{LookRequest, Side, look};
use portolan_vfs::OsSystem;
use portolan_workspace::config;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args().nth(1).ok_or("name the root")?;
    let root = std::fs::canonicalize(root)?;
    let config = config::load(&OsSystem, &root)?;
    let request = MapRequest { config, threads: 2 };
    let map = map::build(&OsSystem, &request)?;
    let store = DeclarationStore::default();
    for target in std::io::stdin().lock().lines() {
        let target = target?;
        let asked = LookRequest {
            targets: vec![target.clone()],
            side: Side::Users,
            ..LookRequest::default()
        };
        let start = Instant::now();
        let line = match look(&OsSystem, &request.config, &map, &store, &asked) {
            Ok(report) => serde_json::json!({
                "target": target, "ms": start.elapsed().as_millis() as u64,
                "report": report.to_wire(), "text": report.to_text(1_000),
            }),
            Err(error) => serde_json::json!({"target": target, "error": error.to_string()}),
        };
        println!("{line}");
    }
    Ok(())
}
