//! The user's environment, as far as it decides what git ignores. It is a value, so tests and servers can
//! supply their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Git's configuration outside of repositories. The default is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitEnvironment {
    /// The configuration files, weakest first.
    pub config_files: Vec<PathBuf>,
    /// What `~` expands to.
    pub home: Option<PathBuf>,
    /// The ignore file that applies if no configuration names one.
    pub default_excludes: Option<PathBuf>,
}

/// The system-wide configuration.
const SYSTEM_CONFIG: &str = "/etc/gitconfig";

impl GitEnvironment {
    /// Finds the configuration by environment variables, as git does. Ignores variables that point git at
    /// another repository (`GIT_DIR`, `GIT_INDEX_FILE`): the repository is the one on the disk.
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME").or_else(|| path("USERPROFILE"));
        let xdg =
            path("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        let mut config_files = Vec::new();
        let is_true = |value: OsString| {
            ["", "0", "false", "no", "off"].iter().all(|no| !value.eq_ignore_ascii_case(no))
        };
        if !variable("GIT_CONFIG_NOSYSTEM").is_some_and(is_true) {
            config_files.push(path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| SYSTEM_CONFIG.into()));
        }
        match variable("GIT_CONFIG_GLOBAL") {
            Some(only) if only.is_empty() => {}
            Some(only) => config_files.push(only.into()),
            None => {
                config_files.extend(xdg.as_ref().map(|xdg| xdg.join("git/config")));
                config_files.extend(home.as_ref().map(|home| home.join(".gitconfig")));
            }
        }
        let default_excludes = xdg.map(|xdg| xdg.join("git/ignore"));
        Self { config_files, home, default_excludes }
    }

    /// Expands a path in a configuration; `None` if it is empty or in another user's home.
    pub(super) fn path(&self, value: &str, folder: &Path) -> Option<PathBuf> {
        if value.is_empty() || value.contains('\0') {
            return None;
        }
        match value.strip_prefix('~') {
            Some(rest) => {
                let below = rest.strip_prefix('/')?;
                self.home.as_ref().map(|home| home.join(below))
            }
            None => Some(folder.join(value)),
        }
    }

    /// The path with `~` for the home folder.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        below.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::GitEnvironment;

    fn check(variables: &[(&str, &str)], files: &[&str], excludes: Option<&str>) {
        let environment = GitEnvironment::from_variables(|wanted| {
            let found = variables.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).into())
        });
        let files: Vec<&Path> = files.iter().map(Path::new).collect();
        assert_eq!(environment.config_files, files);
        assert_eq!(environment.default_excludes.as_deref(), excludes.map(Path::new));
    }

    #[test]
    fn files_are_found_as_git_finds_them() {
        check(&[], &["/etc/gitconfig"], None);
        check(
            &[("HOME", "/h")],
            &["/etc/gitconfig", "/h/.config/git/config", "/h/.gitconfig"],
            Some("/h/.config/git/ignore"),
        );
        let xdg = ("XDG_CONFIG_HOME", "/x");
        check(
            &[("HOME", "/h"), xdg, ("GIT_CONFIG_NOSYSTEM", "1")],
            &["/x/git/config", "/h/.gitconfig"],
            Some("/x/git/ignore"),
        );
        check(
            &[("HOME", "/h"), ("GIT_CONFIG_GLOBAL", "/g"), ("GIT_CONFIG_SYSTEM", "/s")],
            &["/s", "/g"],
            Some("/h/.config/git/ignore"),
        );
        check(&[("GIT_CONFIG_NOSYSTEM", "0")], &["/etc/gitconfig"], None);
    }

    #[test]
    fn a_path_is_relative_to_the_home_or_to_a_folder() {
        let environment = GitEnvironment { home: Some("/h".into()), ..GitEnvironment::default() };
        let path = |value| environment.path(value, Path::new("/r"));
        assert_eq!(path("~/i").as_deref(), Some(Path::new("/h/i")));
        assert_eq!(path("i").as_deref(), Some(Path::new("/r/i")));
        assert_eq!(path("/i").as_deref(), Some(Path::new("/i")));
        assert_eq!((path("~other/i"), path(""), path("a\0b")), (None, None, None));
        assert_eq!(environment.shown(Path::new("/h/x")), "~/x");
    }
}
