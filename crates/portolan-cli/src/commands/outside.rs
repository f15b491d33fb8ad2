//! Which places outside of the repository an argument may lead to.
//!
//! A model types arguments too, with the commands that the skill allows. So a path leads to code: to a repository, to
//! installed packages, or to a folder that is the user's own and neither the system's nor private.

use std::path::{Component, Path, PathBuf};

use portolan_vfs::System;
use portolan_workspace::PACKAGE_FOLDERS;
use portolan_workspace::config::Loaded;

use crate::context::{Context, escape};
use crate::failure::Failure;

/// Folders of the system that hold no code, also where they are a repository (as `/etc` often is).
const OF_THE_SYSTEM: [&str; 6] = ["/boot", "/dev", "/etc", "/proc", "/run", "/sys"];
/// Folders of services: only their repositories are code.
const OF_SERVICES: [&str; 2] = ["/srv", "/var"];
/// Those below them that anybody may use.
const FOR_ALL: [&str; 2] = ["/dev/shm", "/var/tmp"];
/// Folders of installed code of any owner.
const INSTALLED: [&str; 5] = ["/lib", "/lib64", "/nix", "/opt", "/usr"];
/// Refuses a path outside, unless it leads to code. `other` is what would be loaded for it.
pub(crate) fn check(ctx: &Context, path: &Path, other: &Loaded) -> Result<(), Failure> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.and_then(|home| ctx.system.real_path(&home).ok());
    if may_lead_to(&ctx.system, path, other, home.as_deref()) {
        return Ok(());
    }
    let shown = escape(&path.display().to_string());
    Err(Failure::bad_input(format!("`{shown}` is outside, and in no repository or package"))
        .hint("a person may ask with `-C DIR`, the folder that it is in"))
}

fn may_lead_to(system: &dyn System, path: &Path, other: &Loaded, home: Option<&Path>) -> bool {
    let is_below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let is_open = is_below(&FOR_ALL);
    let is_repository =
        other.config_path.is_some() || system.lstat(&other.root.join(".git")).is_ok();
    if is_below(&OF_THE_SYSTEM) && !is_open || is_private(path, home) {
        return false;
    }
    let is_own = || system.foreign_owner(path).is_ok_and(|owner| owner.is_none());
    let is_service = is_below(&OF_SERVICES) && !is_open;
    is_repository || is_below(&INSTALLED) || !is_service && path.parent().is_some() && is_own()
}

/// Whether a path is in a hidden folder of the home that is not for code, or in the home of the administrator.
fn is_private(path: &Path, home: Option<&Path>) -> bool {
    let below = home.and_then(|home| path.strip_prefix(home).ok());
    let Some(below) = below else { return path.starts_with("/root") };
    let first = below.components().next();
    let Some(Component::Normal(first)) = first else { return false };
    let first = first.to_string_lossy();
    first.starts_with('.') && !PACKAGE_FOLDERS.contains(&&*first)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_private;

    #[test]
    fn hidden_folders_of_a_home_are_private_unless_they_hold_code() {
        let check = |path: &str, expected: bool| {
            assert_eq!(is_private(Path::new(path), Some(Path::new("/home/a"))), expected, "{path}");
        };
        check("/home/a/code/x.py", false);
        check("/home/a/.ssh/config", true);
        check("/home/a/.config/gh/hosts.yml", true);
        check("/home/a/.bash_history", true);
        check("/home/a/.cargo/registry/src/x.rs", false);
        check("/root/x.py", true);
        check("/tmp/x.py", false);
    }
}
