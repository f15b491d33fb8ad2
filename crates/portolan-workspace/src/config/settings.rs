//! The resolved settings of a run: complete and validated.

use std::collections::BTreeMap;

use portolan_guard::Guard;
use portolan_types::RepoPath;

/// The settings of a configuration file, with defaults for missing keys.
///
/// Patterns stay as written: only the matcher of the universe parses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The workspace. Portolan writes nothing outside it.
    pub stan_path: RepoPath,
    /// Patterns that bring ignored files into the universe.
    pub includes: Vec<String>,
    /// Patterns that exclude files, whatever else includes them.
    pub excludes: Vec<String>,
    /// Patterns of the part of the repository to map; empty for all of it.
    pub scope: Vec<String>,
    /// Files to stage from elsewhere: label → patterns.
    pub imports: BTreeMap<String, Vec<String>>,
    /// The meta.
    pub meta: MetaSettings,
    /// The descriptions of nodes.
    pub descriptions: DescriptionSettings,
    /// The base of context archives.
    pub base: BaseSettings,
    /// The guard against secrets.
    pub secrets: SecretSettings,
}

/// `portolan.meta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaSettings {
    /// Whether nodes have `h`.
    pub hashes: MetaHashes,
    /// The most tokens for the meta or the chart in an archive; `None` for no limit.
    pub budget: Option<u64>,
    /// Whether archives contain the meta or the chart.
    pub archive: MetaArchive,
}

/// `portolan.meta.archive`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaArchive {
    /// The meta if it fits the budget, otherwise the chart.
    Fit,
    /// The meta, whatever its size.
    Always,
    /// The chart.
    Never,
}

/// `portolan.meta.hashes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaHashes {
    /// The first 16 bytes of the sha256.
    Short,
    /// No hashes: a smaller meta.
    None,
}

/// `portolan.descriptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionSettings {
    /// The longest description, in UTF-16 units; 0 for no descriptions.
    pub limit: u32,
    /// The doc tags that mark a module's description, each with its `@`.
    pub tags: Vec<String>,
}

/// `portolan.base`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseSettings {
    /// The largest top-level file that every context archive includes.
    pub max_file_bytes: u64,
    /// The limit for all such files together, not counting READMEs.
    pub max_bytes: u64,
    /// Patterns of files that every context archive includes, whatever their size.
    pub files: Vec<String>,
}

/// `portolan.secrets`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSettings {
    /// Whether files that commonly hold secrets are denied.
    pub enabled: bool,
    /// Paths that are allowed in spite of that.
    pub allow: Vec<RepoPath>,
}

impl SecretSettings {
    /// The guard with these settings.
    pub fn guard(&self) -> Guard {
        Guard::new(self.enabled, &self.allow)
    }
}

impl Settings {
    /// The default workspace.
    pub const DEFAULT_STAN_PATH: &'static str = ".stan";
}

impl Default for Settings {
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "a constant; the test below holds it")]
        let stan_path = RepoPath::new(Self::DEFAULT_STAN_PATH).expect("the default is a path");
        Self {
            stan_path,
            includes: Vec::new(),
            excludes: Vec::new(),
            scope: Vec::new(),
            imports: BTreeMap::new(),
            meta: MetaSettings::default(),
            descriptions: DescriptionSettings::default(),
            base: BaseSettings::default(),
            secrets: SecretSettings::default(),
        }
    }
}

impl Default for MetaSettings {
    fn default() -> Self {
        Self { hashes: MetaHashes::Short, budget: Some(20_000), archive: MetaArchive::Fit }
    }
}

impl Default for DescriptionSettings {
    fn default() -> Self {
        Self { limit: 160, tags: vec!["@module".to_owned(), "@packageDocumentation".to_owned()] }
    }
}

impl Default for BaseSettings {
    fn default() -> Self {
        Self { max_file_bytes: 64 * 1024, max_bytes: 16 * 1024, files: Vec::new() }
    }
}

impl Default for SecretSettings {
    fn default() -> Self {
        Self { enabled: true, allow: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn the_defaults_are_those_of_the_design() {
        let settings = Settings::default();
        assert_eq!(settings.stan_path.as_str(), ".stan");
        assert_eq!(settings.meta.budget, Some(20_000));
        assert_eq!(settings.base.max_file_bytes, 65_536);
        assert!(settings.secrets.enabled);
    }
}
