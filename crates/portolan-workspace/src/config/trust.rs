//! Finds the root and the configuration, and checks who owns them.
//!
//! A configuration decides which files leave the machine. So we search for it only inside the
//! repository, and refuse one that another user owns unless the current user trusts it. The same
//! applies to a `.git` above the start, because it moves the root.

use std::io;
use std::path::{Path, PathBuf};

use crate::GitEnvironment;
use portolan_archive::WorkspaceLayout;
use portolan_languages::Stores;
use portolan_types::{Notice, NoticeCode, Place};
use portolan_vfs::{FileKind, Stat, System};

use super::{ConfigError, FILE_NAMES, Loaded, Settings, file_name, is_absent, read};

/// A request to load a configuration.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// The folder to start at.
    pub start: PathBuf,
    /// The configuration file that the user named. It disables the search, and its folder is the
    /// root.
    pub config: Option<PathBuf>,
    /// Folders that the user trusts, whoever owns them; `*` for all.
    pub trusted: Vec<String>,
    /// The user's package stores.
    pub stores: Stores,
    /// The user's cache folder.
    pub user_cache: Option<PathBuf>,
}

/// Finds the root that contains `start`, and reads its configuration.
pub fn load(system: &dyn System, start: &Path) -> Result<Loaded, ConfigError> {
    load_with(system, &LoadRequest { start: start.to_path_buf(), ..LoadRequest::default() })
}

/// Finds the root and reads its configuration.
///
/// The top of the repository is the nearest folder at or above the start with `.git`, or else the
/// start. The root is the nearest folder from the start up to the top with a configuration file, or
/// else the top.
pub fn load_with(system: &dyn System, request: &LoadRequest) -> Result<Loaded, ConfigError> {
    let start = real_folder(system, &request.start)?;
    let search = ConfigSearch { system, start: &start };
    let (root, config) = match &request.config {
        Some(named) => {
            let config = named_file(system, named)?;
            (config.parent().unwrap_or(&start).to_path_buf(), Some(config))
        }
        None => search.root()?,
    };
    let trust = Trust { system, root: &root, trusted: &request.trusted };
    if config.is_none() && root != start {
        // Whoever creates a `.git` in a parent folder decides where archives are written, and who
        // can read them.
        let way_out = format!(
            "name the folder to work in it all the same: `-C {}`, or a configuration: `--config`",
            root.display()
        );
        trust.check(&root.join(".git"), &way_out)?;
    }
    let (mut settings, mut notices) = (Settings::default(), Vec::new());
    if let Some(config) = &config {
        // A user who names a file knows what it is.
        if request.config.is_none() {
            trust.check(config, "name it with `--config` to use it all the same")?;
        }
        (settings, notices) = read(system, config)?;
        notices.extend(search.shadowed(config)?);
    }
    trust.check(
        &root.join(settings.stan_path.as_str()),
        "remove it, or choose another `stanPath`",
    )?;
    let workspace = WorkspaceLayout::new(settings.stan_path.clone());
    for folder in workspace.own_dirs() {
        trust.check_folder(&root.join(folder.as_str()))?;
    }
    let here = folder_from(&root, &start);
    notices.extend(moved(&start, &root, config.as_deref(), &here));
    let git = GitEnvironment::default();
    let (stores, user_cache) = (request.stores.clone(), request.user_cache.clone());
    let only = Vec::new();
    Ok(Loaded { root, config_path: config, settings, here, notices, git, stores, user_cache, only })
}

/// Whether a root is one because of what is in it, and not only because somebody asks there.
pub fn is_repository(system: &dyn System, loaded: &Loaded) -> bool {
    loaded.config_path.is_some() || system.lstat(&loaded.root.join(".git")).is_ok()
}

/// A folder relative to the root; empty for the root, for a folder outside it, or if it is not
/// UTF-8.
fn folder_from(root: &Path, folder: &Path) -> String {
    let below = folder.strip_prefix(root).ok();
    let names = below.and_then(|below| below.iter().map(|name| name.to_str()).collect());
    names.map_or_else(String::new, |names: Vec<&str>| names.join("/"))
}

fn real_folder(system: &dyn System, start: &Path) -> Result<PathBuf, ConfigError> {
    let at = |error: &io::Error| ConfigError::io(start.display().to_string(), error);
    let real = system.real_path(start).map_err(|error| at(&error))?;
    match system.stat(&real).map_err(|error| at(&error))?.kind {
        FileKind::Dir => Ok(real),
        _ => Err(at(&io::Error::from(io::ErrorKind::NotADirectory))),
    }
}

/// The file that the user named: its folder with links resolved, and its own name.
fn named_file(system: &dyn System, named: &Path) -> Result<PathBuf, ConfigError> {
    let at = |error: &io::Error| ConfigError::io(named.display().to_string(), error);
    let real = system.real_path(named).map_err(|error| at(&error))?;
    match system.stat(&real).map_err(|error| at(&error))?.kind {
        FileKind::File => Ok(real),
        _ => Err(at(&io::Error::other("it is not a regular file"))),
    }
}

/// A notice if the root is not the folder that the user named.
fn moved(start: &Path, root: &Path, config: Option<&Path>, here: &str) -> Option<Notice> {
    if start == root {
        return None;
    }
    let because = config.map_or_else(|| ".git".to_owned(), file_name);
    let shown = match start.strip_prefix(root) {
        Ok(below) => vec![".."; below.components().count()].join("/"),
        Err(_) => root.display().to_string(),
    };
    let scope = match here {
        "" => String::new(),
        here => format!("; `--scope {here}` limits the map to this folder"),
    };
    let message = format!("the root is `{shown}`, where `{because}` is{scope}");
    Some(Notice::general(NoticeCode::ConfigRoot, message))
}

/// Checks the owners of files.
struct Trust<'a> {
    system: &'a dyn System,
    root: &'a Path,
    trusted: &'a [String],
}

impl Trust<'_> {
    /// Rejects a path that another user owns, also as the target of a link.
    fn check(&self, path: &Path, way_out: &str) -> Result<(), ConfigError> {
        if self.is_trusted() {
            return Ok(());
        }
        let real = self.system.real_path(path).unwrap_or_else(|_| path.to_path_buf());
        for place in [path, &real] {
            self.owned(place, path, way_out)?;
        }
        Ok(())
    }

    /// The same for a folder of the workspace (writers refuse links there). Its owner could read an
    /// archive, or manipulate the cached verdicts about secrets.
    fn check_folder(&self, path: &Path) -> Result<(), ConfigError> {
        if self.is_trusted() { Ok(()) } else { self.owned(path, path, "remove it") }
    }

    fn is_trusted(&self) -> bool {
        let root = self.root.display().to_string();
        let is_named = |folder: &String| {
            folder == "*" || *folder == root || folder.trim_end_matches('/') == root
        };
        self.trusted.iter().any(is_named)
    }

    fn owned(&self, place: &Path, path: &Path, way_out: &str) -> Result<(), ConfigError> {
        let owner = match self.system.foreign_owner(place) {
            Ok(owner) => owner,
            Err(error) if is_absent(&error) => None,
            Err(error) => return Err(ConfigError::io(place.display().to_string(), &error)),
        };
        let Some(owner) = owner else { return Ok(()) };
        let root = self.root.display();
        let message = format!(
            "it belongs to another user (id {owner}), who could decide with it what leaves this machine; \
             {way_out}, or trust the folder: `PORTOLAN_SAFE_DIRECTORY={root}`"
        );
        Err(ConfigError::at(Place::file(path.display().to_string()), message))
    }
}

/// The search for the root, from a folder upwards.
struct ConfigSearch<'a> {
    system: &'a dyn System,
    start: &'a Path,
}

impl ConfigSearch<'_> {
    /// The root, and its configuration if there is one.
    fn root(&self) -> Result<(PathBuf, Option<PathBuf>), ConfigError> {
        let mut passed = Vec::new();
        let mut top = None;
        for folder in self.start.ancestors() {
            passed.push(folder);
            if self.has_git(folder)? {
                top = Some(folder);
                break;
            }
        }
        // Without a repository we cannot know who owns the folders above.
        let searched =
            if top.is_some() { passed.as_slice() } else { &passed[..passed.len().min(1)] };
        for folder in searched {
            if let Some(config) = self.config_in(folder)? {
                return Ok((folder.to_path_buf(), Some(config)));
            }
        }
        Ok((top.unwrap_or(self.start).to_path_buf(), None))
    }

    fn config_in(&self, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        for path in FILE_NAMES.iter().map(|name| folder.join(name)) {
            if self.is_file(&path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn has_git(&self, folder: &Path) -> Result<bool, ConfigError> {
        let path = folder.join(".git");
        Ok(self.there(&path, self.system.lstat(&path))?.is_some())
    }

    fn is_file(&self, path: &Path) -> Result<bool, ConfigError> {
        let found = self.there(path, self.system.stat(path))?;
        Ok(found.is_some_and(|stat| stat.kind == FileKind::File))
    }

    /// The metadata of a path; `None` if nothing is there. An unreadable path is an error:
    /// otherwise the defaults, or another root, would silently apply. Folders above the
    /// start that a sandbox hides are the exception.
    fn there(&self, path: &Path, found: io::Result<Stat>) -> Result<Option<Stat>, ConfigError> {
        let is_above = path.parent() != Some(self.start);
        match found {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) if is_above && error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            Err(error) => Err(ConfigError::io(path.display().to_string(), &error)),
        }
    }

    /// Notices about other configuration files in the same folder, which have no effect.
    fn shadowed(&self, used: &Path) -> Result<Vec<Notice>, ConfigError> {
        let mut notices = Vec::new();
        for path in FILE_NAMES.iter().map(|name| used.with_file_name(name)) {
            if path != used && self.is_file(&path)? {
                let message = format!("ignored: {} is used", file_name(used));
                let place = Place::file(file_name(&path));
                notices.push(Notice::at(NoticeCode::ConfigLegacy, place, message));
            }
        }
        Ok(notices)
    }
}
