//! Configuration: finds the repository's root and reads `stan.config.{yml,yaml,json}`.
//!
//! A broken file never falls back to defaults: every problem in it is reported with its line and
//! column. The file is optional.

mod decode;
mod reference;
mod settings;
mod tree;
mod trust;

use std::path::{Path, PathBuf};
use std::{fmt, io};

pub use reference::{KEYS, KeyDoc};
pub use settings::{
    BaseSettings, DescriptionSettings, MetaArchive, MetaHashes, MetaSettings, SecretSettings,
    Settings,
};
pub use trust::{LoadRequest, is_repository, load, load_with};

pub use crate::GitEnvironment;
pub use portolan_languages::{Ecosystems, Stores};
use portolan_types::{Notice, Place};
use portolan_vfs::System;
use tree::TreeError;

/// The names of a configuration file, in order of preference.
pub const FILE_NAMES: [&str; 3] = ["stan.config.yml", "stan.config.yaml", "stan.config.json"];

/// The largest configuration file that is read.
const MAX_BYTES: usize = 1024 * 1024;

/// A root and its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The repository's root: absolute, with links resolved.
    pub root: PathBuf,
    /// The configuration file, if there is one.
    pub config_path: Option<PathBuf>,
    /// The settings, with defaults filled in.
    pub settings: Settings,
    /// The folder from which it was loaded, relative to the root; empty at the root and outside it.
    pub here: String,
    /// Notices about keys that are valid but unusual.
    pub notices: Vec<Notice>,
    /// The user's git environment; empty unless a front end supplies it.
    pub git: GitEnvironment,
    /// The package stores outside the repository; empty unless a front end supplies them.
    pub stores: Stores,
    /// The user's cache folder: none, unless a front end says so.
    pub user_cache: Option<PathBuf>,
    /// The only files that a walk goes to; empty for all.
    pub only: Vec<String>,
}

/// A problem in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Its position.
    pub place: Place,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// The reason why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// All problems, in the order of the file; never empty.
    pub problems: Vec<ConfigProblem>,
    /// Whether the file system failed, as opposed to an error in the configuration.
    pub is_io: bool,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ConfigProblem { place, message }) in self.problems.iter().enumerate() {
            let line_break = if index == 0 { "" } else { "\n" };
            write!(f, "{line_break}{place}: {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    fn at(place: Place, message: impl Into<String>) -> Self {
        Self { problems: vec![ConfigProblem { place, message: message.into() }], is_io: false }
    }

    /// An error of the file system. A missing file counts as the user's error, because the user
    /// named it.
    fn io(path: impl Into<String>, error: &io::Error) -> Self {
        let is_io = !is_absent(error);
        Self { is_io, ..Self::at(Place::file(path), error.to_string()) }
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
        // Do not parse the target: an error message would quote a file from outside the repository.
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
