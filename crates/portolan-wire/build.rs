//! Compresses the published schemas for the library: the name and the text of each, each followed by a zero byte.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Strong compression: the build pays once, and every download is smaller.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    portolan_fingerprint::emit();
    let folder = Path::new("../../schemas");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        names.extend(
            name.to_str().and_then(|name| name.strip_suffix(".schema.json")).map(str::to_owned),
        );
    }
    names.sort_unstable();
    let mut all = Vec::new();
    for name in names {
        let text = fs::read(folder.join(format!("{name}.schema.json")))?;
        all.extend([name.as_bytes(), &text].into_iter().flat_map(|part| [part, b"\0"]).flatten());
    }
    let packed = miniz_oxide::deflate::compress_to_vec(&all, LEVEL);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("schemas.deflate"), packed)?;
    Ok(())
}
