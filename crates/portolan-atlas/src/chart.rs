//! The repositories of an atlas: their content, and the dependencies between them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::atlas::Atlas;
use portolan_types::{count, thousands};

use crate::text::RankedLines;

/// All repositories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtlasChart {
    /// Most used first.
    pub repositories: Vec<ChartedRepository>,
    /// Modules that more than one repository provides, as `ecosystem:module`.
    pub ambiguous: Vec<String>,
}

/// A repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartedRepository {
    /// Its id.
    pub id: String,
    /// The commit that it was exported at.
    pub commit: Option<String>,
    /// How many files it has.
    pub files: u64,
    /// Its packages, as `ecosystem:name`.
    pub packages: Vec<String>,
    /// The repositories that it depends on.
    pub uses: Vec<RepositoryDependency>,
    /// The repositories that depend on it.
    pub used_by: Vec<String>,
}

/// A dependency of one repository on another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryDependency {
    /// The other repository.
    pub repository: String,
    /// The modules it uses, as `ecosystem:module`.
    pub modules: Vec<String>,
}

impl Atlas {
    /// Charts the repositories. The rows that `open` read are enough.
    pub fn chart(&self) -> AtlasChart {
        let providers = self.providers();
        let mut used_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut charted = Vec::new();
        for repository in self.repositories() {
            let mut uses: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for module in &repository.uses {
                for other in providers.get(module.as_str()).into_iter().flatten() {
                    if other.id != repository.id {
                        uses.entry(&other.id).or_default().push(module.clone());
                        used_by.entry(&other.id).or_default().insert(&repository.id);
                    }
                }
            }
            let uses = uses.into_iter();
            let uses = uses
                .map(|(id, modules)| RepositoryDependency { repository: id.to_owned(), modules });
            charted.push(ChartedRepository {
                id: repository.id.clone(),
                commit: repository.commit.clone(),
                files: repository.files,
                packages: repository.packages.clone(),
                uses: uses.collect(),
                used_by: Vec::new(),
            });
        }
        for repository in &mut charted {
            let users = used_by.get(repository.id.as_str()).into_iter().flatten();
            repository.used_by = users.map(|id| (*id).to_owned()).collect();
        }
        charted.sort_by(|left, right| {
            right.used_by.len().cmp(&left.used_by.len()).then_with(|| left.id.cmp(&right.id))
        });
        let several = providers.iter().filter(|(_, holders)| holders.len() > 1);
        let ambiguous = several.map(|(module, _)| (*module).to_owned()).collect();
        AtlasChart { repositories: charted, ambiguous }
    }
}

/// How many names to list in a line.
const MANY: usize = 6;

fn some<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let left = names.len().saturating_sub(MANY);
    let mut text = names.take(MANY).collect::<Vec<_>>().join(", ");
    if left > 0 {
        let _ = write!(text, " and {} more", thousands(left));
    }
    text
}

impl AtlasChart {
    /// The chart as text within a token budget.
    pub fn to_text(&self, budget: u64) -> String {
        let packages: usize = self.repositories.iter().map(|it| it.packages.len()).sum();
        let files: u64 = self.repositories.iter().map(|it| it.files).sum();
        let head = format!(
            "atlas: {}, {}, {}; a line each, the most used first\n",
            count(self.repositories.len(), "repository"),
            count(packages, "package"),
            count(usize::try_from(files).unwrap_or(usize::MAX), "file"),
        );
        let mut lines = Vec::new();
        for it in &self.repositories {
            let files = count(usize::try_from(it.files).unwrap_or(usize::MAX), "file");
            let used = match it.used_by.len() {
                0 => String::new(),
                users => format!(", used by {users}"),
            };
            lines.push((0, format!("{} {files}{used}", it.id)));
            if !it.packages.is_empty() {
                lines.push((2, format!("  has {}", some(it.packages.iter().map(String::as_str)))));
            }
            for other in &it.uses {
                let modules = some(other.modules.iter().map(String::as_str));
                lines.push((1, format!("  uses {} by {modules}", other.repository)));
            }
        }
        if !self.ambiguous.is_empty() {
            let names = some(self.ambiguous.iter().map(String::as_str));
            lines.push((1, format!("provided by several repositories: {names}")));
        }
        RankedLines { head, lines }.fit(budget)
    }
}
