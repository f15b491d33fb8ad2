//! Fingerprints the sources of this crate, and packs the page of `view`: its frame, its style and its script, with a zero
//! byte between them, compressed.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

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
/// Strong compression: the page is packed once, and shipped.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    portolan_fingerprint::emit();
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
