//! Tells the cache what made its facts and links: a fingerprint of the sources that do, and of the
//! versions of the parsers they use. Facts of another fingerprint are dropped, whatever the version of
//! the package says. And packs the page of `view`: its frame, its style and its script, with a zero between them, compressed.

#[path = "build/fingerprint.rs"]
mod fingerprint;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

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
    "../portolan-atlas/src/parquet_writer.rs",
    "../portolan-atlas/src/tables.rs",
    "../portolan-slice/src/text",
    "../portolan-wire/src/atlas.rs",
    "src/declarations",
    "src/export",
    "src/export.rs",
];
/// Which versions of the parsers.
const LOCK: &str = "../../Cargo.lock";

/// Where the parts of the page are, and its scripts in the order in which they rely on each other.
const PAGE: &str = "src/page/assets";
const SCRIPTS: [&str; 8] = [
    "data.js",
    "closure.js",
    "selection.js",
    "colours.js",
    "treemap.js",
    "tree.js",
    "panel.js",
    "main.js",
];
/// Strong compression: it is done once, and what is packed is shipped.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/fingerprint.rs");
    for path in ROOMS.into_iter().chain([LOCK, "src/map.rs"]).chain(ROWS) {
        println!("cargo::rerun-if-changed={path}");
    }
    let paths: Vec<&Path> = ROOMS.into_iter().chain([LOCK, "src/map.rs"]).map(Path::new).collect();
    println!("cargo::rustc-env=PORTOLAN_FACTS={}", fingerprint::of(&paths));
    let rows: Vec<&Path> = ROWS.into_iter().map(Path::new).collect();
    println!("cargo::rustc-env=PORTOLAN_ROWS={}", fingerprint::of(&rows));
    println!("cargo::rerun-if-changed={PAGE}");
    let packed = miniz_oxide::deflate::compress_to_vec(page()?.as_bytes(), LEVEL);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("page.deflate"), packed)?;
    Ok(())
}

fn page() -> Result<String, Box<dyn Error>> {
    let read = |name: &str| fs::read_to_string(Path::new(PAGE).join(name));
    let scripts = SCRIPTS.into_iter().map(read).collect::<Result<Vec<_>, _>>()?.join("\n");
    let script = format!("(() => {{\n\"use strict\";\n{scripts}}})();\n");
    Ok([read("page.html")?, read("style.css")?, script].join("\0"))
}
