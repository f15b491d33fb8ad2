//! What of a person's surroundings decides what git ignores. It is handed in as a value, so that a test,
//! or a front end that serves somebody else, has surroundings of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The configuration of git outside of repositories. The default is none at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitEnvironment {
    /// The configuration files, weakest first.
    pub config_files: Vec<PathBuf>,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// The ignore file that counts where no configuration names one.
    pub default_excludes: Option<PathBuf>,
}

/// Where the configuration of the machine is.
const SYSTEM_CONFIG: &str = "/etc/gitconfig";

impl GitEnvironment {
    /// As git finds it by the variables of a process. Variables that lead git to another repository
    /// (`GIT_DIR`, `GIT_INDEX_FILE`) are not looked at: the repository is the one on the disk.
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

    /// The path that a configuration means; `None` for none, and for the home of somebody else.
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

    /// A path as its owner knows it.
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
    fn a_path_is_that_of_a_person_or_of_a_folder() {
        let environment = GitEnvironment { home: Some("/h".into()), ..GitEnvironment::default() };
        let path = |value| environment.path(value, Path::new("/r"));
        assert_eq!(path("~/i").as_deref(), Some(Path::new("/h/i")));
        assert_eq!(path("i").as_deref(), Some(Path::new("/r/i")));
        assert_eq!(path("/i").as_deref(), Some(Path::new("/i")));
        assert_eq!((path("~other/i"), path(""), path("a\0b")), (None, None, None));
        assert_eq!(environment.shown(Path::new("/h/x")), "~/x");
    }
}
