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

use portolan_types::{Notice, NoticeCode, Place};
use portolan_vfs::{FileKind, System};
use tree::TreeError;

/// The names of a configuration file, first one first.
pub const FILE_NAMES: [&str; 3] = ["stan.config.yml", "stan.config.yaml", "stan.config.json"];

/// The largest configuration file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

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
        Self { problems: vec![Problem { place, message: message.into() }] }
    }
}

/// Finds the root that `start` is in, and reads its configuration.
///
/// The nearest folder at or above `start` with a configuration file is the root; without one, the
/// nearest with `.git`; without that, `start` itself.
pub fn load(system: &dyn System, start: &Path) -> Result<Loaded, ConfigError> {
    let start = real_folder(system, start)?;
    let Some(config) = start.ancestors().find_map(|folder| find_in(system, folder)) else {
        let with_git = start.ancestors().find(|folder| system.lstat(&folder.join(".git")).is_ok());
        let root = with_git.unwrap_or(&start).to_path_buf();
        return Ok(Loaded {
            root,
            config_path: None,
            settings: Settings::default(),
            notices: Vec::new(),
        });
    };
    let (settings, mut notices) = read(system, &config)?;
    notices.extend(shadowed(system, &config));
    let root = config.parent().unwrap_or(&start).to_path_buf();
    Ok(Loaded { root, config_path: Some(config), settings, notices })
}

fn real_folder(system: &dyn System, start: &Path) -> Result<PathBuf, ConfigError> {
    let at = |error: &io::Error| {
        ConfigError::at(Place::file(start.display().to_string()), error.to_string())
    };
    let real = system.real_path(start).map_err(|error| at(&error))?;
    match system.stat(&real).map_err(|error| at(&error))?.kind {
        FileKind::Dir => Ok(real),
        _ => Err(at(&io::Error::from(io::ErrorKind::NotADirectory))),
    }
}

fn find_in(system: &dyn System, folder: &Path) -> Option<PathBuf> {
    FILE_NAMES.iter().map(|name| folder.join(name)).find(|path| is_file(system, path))
}

fn is_file(system: &dyn System, path: &Path) -> bool {
    system.stat(path).is_ok_and(|stat| stat.kind == FileKind::File)
}

/// A second configuration file in the same folder has no effect, and its owner should know.
fn shadowed(system: &dyn System, used: &Path) -> Vec<Notice> {
    let others = FILE_NAMES.iter().map(|name| used.with_file_name(name));
    let others = others.filter(|path| path != used && is_file(system, path));
    let notice = |path: PathBuf| {
        let message = format!("ignored: {} is used", file_name(used));
        Notice::at(NoticeCode::ConfigLegacy, Place::file(file_name(&path)), message)
    };
    others.map(notice).collect()
}

fn read(system: &dyn System, path: &Path) -> Result<(Settings, Vec<Notice>), ConfigError> {
    let name = file_name(path);
    let whole_file = |message: String| ConfigError::at(Place::file(&name), message);
    let size = system.stat(path).map_err(|error| whole_file(error.to_string()))?.size;
    if size > MAX_BYTES {
        return Err(whole_file(format!(
            "the file has {size} bytes; a configuration has at most {MAX_BYTES}"
        )));
    }
    let bytes = system.read(path).map_err(|error| whole_file(error.to_string()))?;
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
    if problems.is_empty() { Ok((settings, notices)) } else { Err(ConfigError { problems }) }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
