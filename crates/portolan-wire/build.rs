//! Fingerprints the sources of this crate, and writes the list of the published schemas: the name and the text of each.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

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
    let mut list = "&[\n".to_owned();
    for name in names {
        let text = fs::read_to_string(folder.join(format!("{name}.schema.json")))?;
        writeln!(list, "({name:?}, {text:?}),")?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("schemas.rs"), list)?;
    Ok(())
}
