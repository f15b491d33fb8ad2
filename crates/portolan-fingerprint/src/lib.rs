//! A fingerprint of files: the same for the same names and bytes, wherever they are.

use std::path::{Path, PathBuf};

/// The fingerprint of files and of all files below folders. What is not there counts as empty: the
/// sources of a package that was taken out of its repository are what they are.
pub(crate) fn of(paths: &[&Path]) -> String {
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

/// Tells changes apart; it need not withstand anybody.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
