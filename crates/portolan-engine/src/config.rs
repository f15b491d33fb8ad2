//! Configuration: finding the repository's root and reading `stan.config.{yml,yaml,json}`.
//!
//! A broken file is never replaced by defaults: every problem in it is told with its line and
//! column. No file at all is fine.

mod decode;
mod reference;
mod settings;
mod tree;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use decode::parse_tokens;
pub use reference::{KEYS, KeyDoc};
pub use settings::{
    BaseSettings, DescriptionSettings, MetaHashes, MetaSettings, SecretSettings, Settings,
};

pub use portolan_scan::GitEnvironment;
use portolan_types::{Notice, NoticeCode, Place};
use portolan_vfs::{FileKind, Stat, System};
use tree::TreeError;

/// The names of a configuration file, first one first.
pub const FILE_NAMES: [&str; 3] = ["stan.config.yml", "stan.config.yaml", "stan.config.json"];

/// The largest configuration file that is read.
const MAX_BYTES: usize = 1024 * 1024;

/// A root and what is configured for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The repository's root: absolute, links followed.
    pub root: PathBuf,
    /// The configuration file, where there is one.
    pub config_path: Option<PathBuf>,
    /// The settings, complete.
    pub settings: Settings,
    /// What was odd but understood.
    pub notices: Vec<Notice>,
    /// What git knows of the person who runs it: nothing, unless a front end says so.
    pub git: GitEnvironment,
}

/// One thing that is wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What, and what to write instead.
    pub message: String,
}

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Everything that is wrong, in the order of the file; never empty.
    pub problems: Vec<Problem>,
    /// Whether the file system refused, and nothing that was written is at fault.
    pub is_io: bool,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Problem { place, message }) in self.problems.iter().enumerate() {
            let line_break = if index == 0 { "" } else { "\n" };
            write!(f, "{line_break}{place}: {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    fn at(place: Place, message: impl Into<String>) -> Self {
        Self { problems: vec![Problem { place, message: message.into() }], is_io: false }
    }

    /// The file system refuses. That there is nothing is the fault of whoever named it.
    fn io(path: impl Into<String>, error: &io::Error) -> Self {
        let is_io = !is_absent(error);
        Self { is_io, ..Self::at(Place::file(path), error.to_string()) }
    }
}

/// Finds the root that `start` is in, and reads its configuration.
///
/// The nearest folder at or above `start` with a configuration file is the root; without one, the
/// nearest with `.git`; without that, `start` itself.
pub fn load(system: &dyn System, start: &Path) -> Result<Loaded, ConfigError> {
    let start = real_folder(system, start)?;
    let search = Search { system, start: &start };
    let Some(config) = search.nearest(|folder| search.config_in(folder))? else {
        let with_git = search.nearest(|folder| search.git_in(folder))?;
        return Ok(Loaded {
            root: with_git.unwrap_or(start),
            config_path: None,
            settings: Settings::default(),
            notices: Vec::new(),
            git: GitEnvironment::default(),
        });
    };
    let (settings, mut notices) = read(system, &config)?;
    notices.extend(search.shadowed(&config)?);
    let root = config.parent().unwrap_or(&start).to_path_buf();
    let git = GitEnvironment::default();
    Ok(Loaded { root, config_path: Some(config), settings, notices, git })
}

fn real_folder(system: &dyn System, start: &Path) -> Result<PathBuf, ConfigError> {
    let at = |error: &io::Error| ConfigError::io(start.display().to_string(), error);
    let real = system.real_path(start).map_err(|error| at(&error))?;
    match system.stat(&real).map_err(|error| at(&error))?.kind {
        FileKind::Dir => Ok(real),
        _ => Err(at(&io::Error::from(io::ErrorKind::NotADirectory))),
    }
}

/// The search for the root, from a folder upwards.
struct Search<'a> {
    system: &'a dyn System,
    start: &'a Path,
}

impl Search<'_> {
    /// What is found in the nearest of the folder and those above it.
    fn nearest(
        &self,
        find: impl Fn(&Path) -> Result<Option<PathBuf>, ConfigError>,
    ) -> Result<Option<PathBuf>, ConfigError> {
        self.start.ancestors().find_map(|folder| find(folder).transpose()).transpose()
    }

    fn config_in(&self, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        for path in FILE_NAMES.iter().map(|name| folder.join(name)) {
            if self.is_file(&path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn git_in(&self, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        let path = folder.join(".git");
        Ok(self.there(&path, self.system.lstat(&path))?.map(|_| folder.to_path_buf()))
    }

    fn is_file(&self, path: &Path) -> Result<bool, ConfigError> {
        let found = self.there(path, self.system.stat(path))?;
        Ok(found.is_some_and(|stat| stat.kind == FileKind::File))
    }

    /// What stands at a path, if anything does. What cannot be looked at is not taken for nothing:
    /// the defaults, or another root, would silently hold instead. Folders above the start that a
    /// sandbox hides are none of ours.
    fn there(&self, path: &Path, found: io::Result<Stat>) -> Result<Option<Stat>, ConfigError> {
        let is_above = path.parent() != Some(self.start);
        match found {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) if is_above && error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            Err(error) => Err(ConfigError::io(path.display().to_string(), &error)),
        }
    }

    /// A second configuration file in the same folder has no effect, and its owner should know.
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

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read(system: &dyn System, path: &Path) -> Result<(Settings, Vec<Notice>), ConfigError> {
    let name = file_name(path);
    let whole_file = |message: String| ConfigError::at(Place::file(&name), message);
    let unreadable =
        |error: io::Error| ConfigError { is_io: true, ..ConfigError::io(&name, &error) };
    let real = system.real_path(path).map_err(unreadable)?;
    if path.parent().is_some_and(|root| !real.starts_with(root)) {
        // What is wrong with a file is told in its own words: not in those of one from elsewhere.
        return Err(whole_file("it is a link that leads outside the repository".to_owned()));
    }
    let bytes = system.read_at_most(&real, MAX_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            whole_file(format!("{error}, and a configuration has fewer"))
        }
        _ => unreadable(error),
    })?;
    let text =
        String::from_utf8(bytes).map_err(|_| whole_file("the file is not UTF-8".to_owned()))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let parsed = if is_json { tree::from_json(text) } else { tree::from_yaml(text) };
    let tree = parsed.map_err(|TreeError { message, position }| {
        let place = position.map(|(line, column)| Place::at(&name, line, column));
        ConfigError::at(place.unwrap_or_else(|| Place::file(&name)), message)
    })?;
    let (settings, notices, problems) = decode::decode(&name, tree);
    if problems.is_empty() {
        Ok((settings, notices))
    } else {
        Err(ConfigError { problems, is_io: false })
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
