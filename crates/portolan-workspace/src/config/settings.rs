//! The settings of a run, resolved: every value is there and checked.

use std::collections::BTreeMap;

use portolan_guard::Guard;
use portolan_types::RepoPath;

/// What a configuration file decides, with the defaults where it says nothing.
///
/// Patterns are kept as written: the matcher of the universe is the one place that reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The workspace: everything Portolan writes is below it.
    pub stan_path: RepoPath,
    /// Patterns that add to the universe what ignore files leave out.
    pub includes: Vec<String>,
    /// Patterns that nothing can bring back.
    pub excludes: Vec<String>,
    /// Patterns of the part of the repository that is mapped; empty for all of it.
    pub scope: Vec<String>,
    /// What is staged from elsewhere: label → patterns.
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
    /// Whether nodes carry `h`.
    pub hashes: MetaHashes,
    /// The most tokens that the meta or the chart may cost in an archive; `None` for no limit.
    pub budget: Option<u64>,
    /// Whether archives carry the meta or the chart.
    pub archive: MetaArchive,
}

/// `portolan.meta.archive`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaArchive {
    /// The meta where it is within the budget, else the chart.
    Fit,
    /// The meta, whatever it costs.
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
    /// The most UTF-16 units a description keeps; 0 for no descriptions.
    pub limit: u32,
    /// The doc tags that mark a module's description, each with its `@`.
    pub tags: Vec<String>,
}

/// `portolan.base`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseSettings {
    /// The largest top-level file that is in every context archive.
    pub max_file_bytes: u64,
    /// How many bytes of such files there are together, READMEs aside.
    pub max_bytes: u64,
    /// Patterns of files that are in every context archive whatever they are.
    pub files: Vec<String>,
}

/// `portolan.secrets`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSettings {
    /// Whether files that commonly hold secrets are denied.
    pub enabled: bool,
    /// Single paths that are allowed all the same.
    pub allow: Vec<RepoPath>,
}

impl SecretSettings {
    /// The guard that they describe.
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
