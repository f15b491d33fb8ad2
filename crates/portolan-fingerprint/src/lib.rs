//! Fingerprints of source files, for build scripts.
//!
//! A crate whose results are cached calls [`emit`] from its build script and exports the result as a constant. A cache
//! key made of these constants changes with every change of the sources, whatever the package's version says.

use std::path::{Path, PathBuf};

/// Sets `PORTOLAN_FINGERPRINT` for the crate being built: its own sources, and the versions of its dependencies.
#[expect(clippy::print_stdout, reason = "build scripts talk to cargo on standard output")]
pub fn emit() {
    // The workspace's lock file. In a package that was taken out of its workspace it is absent, and counts as empty.
    let sources = [Path::new("src"), Path::new("../../Cargo.lock")];
    for path in sources {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    println!("cargo::rustc-env=PORTOLAN_FINGERPRINT={}", fingerprint(&sources));
}

/// The fingerprint of files and of all files below folders: the same for the same names and bytes, wherever they are.
/// A missing file counts as empty.
pub fn fingerprint(paths: &[&Path]) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for base in paths {
        for file in files_below(base) {
            let name = file.strip_prefix(base).unwrap_or(&file).to_string_lossy().into_owned();
            hash.add(name.as_bytes());
            hash.add(&std::fs::read(&file).unwrap_or_default());
        }
    }
    format!("{:016x}", hash.0)
}

/// Every file below a path, or the path itself, sorted.
fn files_below(base: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![base.to_path_buf()];
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    files
}

/// FNV-1a. It tells versions apart; it does not resist an attacker.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
