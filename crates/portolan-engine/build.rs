//! Tells the cache what made its facts and links: a fingerprint of the sources that do, and of the
//! versions of the parsers they use. Facts of another fingerprint are dropped, whatever the version of
//! the package says.

#[path = "build/fingerprint.rs"]
mod fingerprint;

use std::path::Path;

/// What makes facts and links.
const ROOMS: [&str; 7] = [
    "../portolan-json/src",
    "../portolan-types/src",
    "../portolan-guard/src",
    "../portolan-syntax/src",
    "../portolan-resolve/src",
    "../portolan-graph/src",
    "src/map",
];
/// What else makes the rows of an atlas, and their files.
const ROWS: [&str; 8] = [
    "../portolan-atlas/src/publish.rs",
    "../portolan-atlas/src/sheet.rs",
    "../portolan-atlas/src/tables.rs",
    "../portolan-slice/src/text",
    "../portolan-wire/src/atlas.rs",
    "src/declarations",
    "src/export",
    "src/export.rs",
];
/// Which versions of the parsers.
const LOCK: &str = "../../Cargo.lock";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/fingerprint.rs");
    for path in ROOMS.into_iter().chain([LOCK, "src/map.rs"]).chain(ROWS) {
        println!("cargo::rerun-if-changed={path}");
    }
    let paths: Vec<&Path> = ROOMS.into_iter().chain([LOCK, "src/map.rs"]).map(Path::new).collect();
    println!("cargo::rustc-env=PORTOLAN_FACTS={}", fingerprint::of(&paths));
    let rows: Vec<&Path> = ROWS.into_iter().map(Path::new).collect();
    println!("cargo::rustc-env=PORTOLAN_ROWS={}", fingerprint::of(&rows));
}
