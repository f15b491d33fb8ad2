//! The values of the repository's settings files (`.env` and its like), which what a tool prints may repeat.

use std::path::{Path, PathBuf};

use portolan_guard::{is_settings_file, mask_values, settings_values};
use portolan_vfs::{FileKind, System};
use portolan_workspace::config::Ecosystems;

/// How deep below the root settings are looked for.
const DEEPEST: usize = 4;
/// The most folders that are looked into.
const MOST_FOLDERS: usize = 4_000;
/// The most bytes of a settings file that are read.
const MOST_BYTES: usize = 1 << 20;
/// Folders with what others wrote or what was built, beside those of packages.
const OF_OTHERS: [&str; 5] = [".git", "target", "vendor", ".venv", "venv"];

/// What a tool printed, without the values of the settings below a root.
pub fn masked(system: &dyn System, root: &Path, output: Vec<u8>) -> Vec<u8> {
    let values = values_below(system, root);
    if values.is_empty() { output } else { mask_values(&output, &values) }
}

/// The values of all settings files near the root. What cannot be read has none.
fn values_below(system: &dyn System, root: &Path) -> Vec<String> {
    let ecosystems = Ecosystems::default();
    let is_own =
        |name: &str| !OF_OTHERS.contains(&name) && !ecosystems.iter().any(|one| one.is_store(name));
    let mut values = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.to_path_buf()];
    let mut seen = 0;
    for _ in 0..=DEEPEST {
        let mut next = Vec::new();
        for folder in open {
            seen += 1;
            if seen > MOST_FOLDERS {
                return values;
            }
            for entry in system.read_dir(&folder).unwrap_or_default() {
                let Some(name) = entry.name.to_str() else { continue };
                let path = folder.join(name);
                match entry.kind {
                    FileKind::Dir if is_own(name) => next.push(path),
                    FileKind::File | FileKind::Link if is_settings_file(name) => {
                        let bytes = system.read_at_most(&path, MOST_BYTES).unwrap_or_default();
                        values.extend(settings_values(&String::from_utf8_lossy(&bytes)));
                    }
                    _ => {}
                }
            }
        }
        open = next;
    }
    values
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portolan_vfs::MemorySystem;

    use super::masked;

    #[test]
    fn what_settings_hold_is_not_in_what_is_kept() {
        let system = MemorySystem::default();
        system.put("/r/.env", "DB_PW=sommer-2024\nMODE=production\n");
        system.put("/r/apps/web/.env.local", "KEY=\"winter 2025\"\n");
        system.put("/r/.env.example", "DB_PW=change-me-now\n");
        system.put("/r/node_modules/a/.env", "A=not-of-the-user\n");
        let output = b"sommer-2024 winter 2025 production change-me-now not-of-the-user".to_vec();
        let masked = masked(&system, Path::new("/r"), output);
        let masked = String::from_utf8(masked).unwrap();
        assert_eq!(masked, "*** *** production change-me-now not-of-the-user");
    }
}
