//! Finds the users of a package, or of one of its exports, across repositories, line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use portolan_wire::atlas::RepositoryRow;

use crate::AtlasError;
use crate::atlas::{Atlas, has};
use crate::parquet_reader::Wanted;
use crate::text::RankedLines;
use portolan_types::count;

/// A package, or one of its exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageTarget {
    /// The ecosystem, such as `npm`.
    pub ecosystem: String,
    /// The name that it is published under, or that code imports.
    pub package: String,
    /// One of its exports.
    pub name: Option<String>,
}

/// The result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookInAtlas {
    /// The target as written.
    pub target: String,
    /// The names under which code imports the package.
    pub modules: Vec<String>,
    /// The repositories that contain the package.
    pub providers: Vec<Provider>,
    /// Exports of sibling packages that are the same declaration. Their users count as users.
    pub passed_on: Vec<String>,
    /// The repositories that use it.
    pub users: Vec<UserRepository>,
    /// How many repositories were searched.
    pub searched: usize,
}

/// A repository that contains a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provider {
    /// The repository.
    pub repository: String,
    /// The package's name.
    pub package: String,
    /// Its version there.
    pub version: Option<String>,
    /// Its folder.
    pub path: String,
    /// How many names it exports.
    pub exports: usize,
    /// The declarations of the requested export: file, line and signature.
    pub declarations: Vec<(String, u64, String)>,
}

/// A repository that uses a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserRepository {
    /// The repository.
    pub repository: String,
    /// The versions that its manifests require.
    pub requirements: Vec<String>,
    /// The files that import it.
    pub files: Vec<String>,
    /// The lines that use its exports.
    pub uses: Vec<UseLine>,
}

/// A line that uses an export.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UseLine {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The exported name.
    pub name: String,
    /// The enclosing declaration.
    pub declaration: Option<String>,
    /// Whether the reference is certain.
    pub is_exact: bool,
}

/// The names of an export.
#[derive(Default)]
struct ExportNames {
    /// All names in its own package.
    asked: BTreeSet<String>,
    /// Its names in other packages, as `ecosystem:package#name`.
    passed_on: BTreeSet<String>,
}

/// Whether a name belongs to the declaration's own package.
fn is_plain(name: &str) -> bool {
    !name.contains('#')
}

/// Parses `ecosystem:package[#name]`.
pub fn parse_target(text: &str) -> Result<PackageTarget, AtlasError> {
    let wrong = || AtlasError::PackageTarget(text.to_owned());
    let (ecosystem, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (package, name) = match rest.split_once('#') {
        Some((package, name)) => (package, Some(name.to_owned())),
        None => (rest, None),
    };
    let is_known = matches!(ecosystem, "npm" | "pypi" | "cargo" | "go" | "maven");
    if !is_known || package.is_empty() || name.as_deref() == Some("") {
        return Err(wrong());
    }
    Ok(PackageTarget { ecosystem: ecosystem.to_owned(), package: package.to_owned(), name })
}

impl PackageTarget {
    /// The possible spellings of the package in an atlas: Python distributions have several.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let mut spellings = vec![self.package.clone()];
        if self.ecosystem == "pypi" {
            let plain = self.package.to_lowercase();
            let parts = plain.split(['-', '_', '.']).filter(|part| !part.is_empty());
            spellings.push(parts.collect::<Vec<_>>().join("-"));
        }
        spellings.dedup();
        spellings
    }
}

impl Atlas {
    /// Looks up a package, or one of its exports.
    pub fn look(&self, target: &PackageTarget) -> Result<LookInAtlas, AtlasError> {
        let mut providers = self.packages_named(target)?;
        let found = providers.iter().flat_map(|(_, modules)| modules.iter().cloned());
        let mut modules: BTreeSet<String> = found.collect();
        if modules.is_empty() {
            // No repository here contains it, or only a private package does. Code may still import it.
            modules.insert(target.package.clone());
        }
        let modules: Vec<String> = modules.into_iter().collect();
        let names = match &target.name {
            Some(name) => self.declare(target, name, &mut providers)?,
            None => ExportNames::default(),
        };
        let keys: Vec<String> =
            modules.iter().map(|module| format!("{}:{module}", target.ecosystem)).collect();
        let users = self.users_of(&keys);
        let users = self.users(&users, target, &modules, &names.asked)?;
        let name = target.name.as_ref().map(|name| format!("#{name}")).unwrap_or_default();
        Ok(LookInAtlas {
            target: format!("{}:{}{name}", target.ecosystem, target.package),
            modules,
            providers: providers.into_iter().map(|(provider, _)| provider).collect(),
            passed_on: names.passed_on.into_iter().collect(),
            users,
            searched: self.repositories().len(),
        })
    }

    /// The packages with a name, and the modules under which they are imported.
    fn packages_named(
        &self,
        target: &PackageTarget,
    ) -> Result<Vec<(Provider, Vec<String>)>, AtlasError> {
        let keys: Vec<String> =
            target.spellings().iter().map(|it| format!("{}:{it}", target.ecosystem)).collect();
        // If a build computes the group of the coordinates, only the last part is known.
        let end = target.package.rsplit(':').next().unwrap_or_default();
        let short = format!("{}:{end}", target.ecosystem);
        let is_holder = |it: &&RepositoryRow| {
            let is_named = |key: &String| has(&it.packages, key) || has(&it.provides, key);
            has(&it.packages, &short) || keys.iter().any(is_named)
        };
        let packages_named: Vec<&RepositoryRow> =
            self.repositories().iter().filter(is_holder).collect();
        let columns = ["ecosystem", "name", "version", "path", "modules", "exports"];
        let mut all = self.read(
            &packages_named,
            "package",
            &columns,
            &Wanted::All,
            |repository, rows, found| {
                for row in 0..rows.count {
                    let modules = rows.list(4, row);
                    let (name, spellings) = (rows.text(1, row), target.spellings());
                    let is_it = rows.text(0, row) == target.ecosystem
                        && (name == end
                            || spellings.iter().any(|it| it == name)
                            || modules.contains(&target.package.as_str()));
                    if is_it {
                        let provider = Provider {
                            repository: repository.id.clone(),
                            package: rows.text(1, row).to_owned(),
                            version: rows.maybe(2, row).map(str::to_owned),
                            path: rows.text(3, row).to_owned(),
                            exports: rows.list(5, row).len(),
                            declarations: Vec::new(),
                        };
                        let modules: Vec<String> = modules.into_iter().map(str::to_owned).collect();
                        found.push((provider, modules));
                    }
                }
            },
        )?;
        let is_whole = |(provider, modules): &(Provider, Vec<String>)| {
            target.spellings().contains(&provider.package) || modules.contains(&target.package)
        };
        if all.iter().any(is_whole) {
            all.retain(is_whole);
        }
        Ok(all)
    }

    /// Finds the declarations that packages export under a name, including those re-exported from siblings.
    fn declare(
        &self,
        target: &PackageTarget,
        name: &str,
        providers: &mut [(Provider, Vec<String>)],
    ) -> Result<ExportNames, AtlasError> {
        let ids: BTreeSet<String> = providers.iter().map(|(it, _)| it.repository.clone()).collect();
        let packages_named: Vec<&RepositoryRow> =
            self.repositories().iter().filter(|it| ids.contains(&it.id)).collect();
        let passed = format!("#{name}");
        let columns = ["path", "line", "head", "exported_as"];
        let found = self.read(
            &packages_named,
            "declaration",
            &columns,
            &Wanted::All,
            |repository, rows, found| {
                for row in 0..rows.count {
                    let names = rows.list(3, row);
                    if names.iter().any(|it| *it == name || it.ends_with(&passed)) {
                        let line = rows.number(1, row).unwrap_or(1);
                        let (path, head) = (rows.text(0, row), rows.text(2, row));
                        let place = (path.to_owned(), line, head.to_owned());
                        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                        found.push((repository.id.clone(), place, names));
                    }
                }
            },
        )?;
        let mut all =
            ExportNames { asked: BTreeSet::from([name.to_owned()]), ..ExportNames::default() };
        for (provider, _) in providers.iter_mut() {
            let folder = if provider.path.is_empty() {
                String::new()
            } else {
                format!("{}/", provider.path)
            };
            let first = format!("{}:{}#", target.ecosystem, provider.package);
            for (_, place, names) in found.iter().filter(|(id, ..)| *id == provider.repository) {
                let is_own = |it: &&String| place.0.starts_with(&folder) && is_plain(it);
                let own = names.iter().filter(is_own).map(String::as_str);
                let own = own.chain(names.iter().filter_map(|it| it.strip_prefix(&first)));
                let own: BTreeSet<String> = own.map(str::to_owned).collect();
                if own.contains(name) {
                    provider.declarations.push(place.clone());
                    all.asked.extend(own);
                    let others = names.iter().filter(|it| !is_plain(it) && !it.starts_with(&first));
                    all.passed_on.extend(others.cloned());
                }
            }
        }
        Ok(all)
    }

    fn users(
        &self,
        repositories: &[&RepositoryRow],
        target: &PackageTarget,
        modules: &[String],
        asked: &BTreeSet<String>,
    ) -> Result<Vec<UserRepository>, AtlasError> {
        let names: Vec<&str> = modules.iter().map(String::as_str).collect();
        let mut users: BTreeMap<String, UserRepository> = BTreeMap::new();
        let columns = ["ecosystem", "module", "source", "requirement"];
        let wanted = Wanted::Within("module", &names);
        let edges =
            self.read(repositories, "edge", &columns, &wanted, |repository, rows, found| {
                for row in 0..rows.count {
                    if rows.text(0, row) == target.ecosystem && names.contains(&rows.text(1, row)) {
                        let requirement = rows.maybe(3, row).map(str::to_owned);
                        let file = rows.text(2, row).to_owned();
                        found.push((repository.id.clone(), file, requirement));
                    }
                }
            })?;
        for (id, file, requirement) in edges {
            let user = users.entry(id).or_default();
            user.files.push(file);
            user.requirements.extend(requirement);
        }
        let columns = ["ecosystem", "module", "name", "path", "line", "declaration", "certainty"];
        let lines =
            self.read(repositories, "reference", &columns, &wanted, |repository, rows, found| {
                for row in 0..rows.count {
                    let is_it = rows.text(0, row) == target.ecosystem
                        && names.contains(&rows.text(1, row))
                        && (asked.is_empty()
                            || asked.iter().any(|name| is_name(name, rows.text(2, row))));
                    if is_it {
                        let line = UseLine {
                            path: rows.text(3, row).to_owned(),
                            line: rows.number(4, row).unwrap_or(1),
                            name: rows.text(2, row).to_owned(),
                            declaration: rows
                                .maybe(5, row)
                                .filter(|name| !name.is_empty())
                                .map(str::to_owned),
                            is_exact: rows.text(6, row) == "exact",
                        };
                        found.push((repository.id.clone(), line));
                    }
                }
            })?;
        for (id, line) in lines {
            users.entry(id).or_default().uses.push(line);
        }
        let users = users.into_iter().map(|(repository, user)| {
            let sorted = |list: Vec<String>| {
                list.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
            };
            let mut uses = user.uses;
            uses.sort();
            uses.dedup();
            let (requirements, files) = (sorted(user.requirements), sorted(user.files));
            UserRepository { repository, requirements, files, uses }
        });
        let is_asked = |user: &UserRepository| target.name.is_none() || !user.uses.is_empty();
        Ok(users.filter(is_asked).collect())
    }
}

/// Whether a name is the requested one, or a member of it.
fn is_name(asked: &str, name: &str) -> bool {
    name.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl LookInAtlas {
    /// A title: the target and the number of matches.
    pub fn title(&self) -> String {
        let users = self.users.len();
        let lines: usize = self.users.iter().map(|user| user.uses.len()).sum();
        let (users, lines) = (count(users, "repository"), count(lines, "line"));
        format!("look {}: used by {users} in {lines}", self.target)
    }

    /// The answer as text within a token budget.
    pub fn to_text(&self, budget: u64) -> String {
        let mut head = format!("{}\n", self.title());
        self.write_providers(&mut head);
        if !self.passed_on.is_empty() {
            let _ = writeln!(head, "passed on as {}", self.passed_on.join(", "));
        }
        let is_declared = self.providers.iter().any(|it| !it.declarations.is_empty());
        let is_doubtful = !is_declared && !self.providers.is_empty();
        if let Some((_, name)) = self.target.split_once('#').filter(|_| is_doubtful) {
            let _ = writeln!(head, "no declaration is known to be exported as `{name}` there");
        }
        if self.users.is_empty() {
            let searched = count(self.searched, "repository");
            let _ = writeln!(head, "users: none in {searched}");
        }
        let mut lines = Vec::new();
        for user in &self.users {
            let versions = match user.requirements.as_slice() {
                [] => "version not said".to_owned(),
                all => all.join(", "),
            };
            let files = count(user.files.len(), "file");
            lines.push((0, format!("{} ({versions}) {files}", user.repository)));
            for (depth, group) in (1u32..).zip(user.uses.chunk_by(|a, b| a.path == b.path)) {
                let path = group.first().map_or("", |line| line.path.as_str());
                lines.push((depth.min(1_000), format!("  {path} {}", places(group))));
            }
        }
        RankedLines { head, lines }.fit(budget)
    }

    fn write_providers(&self, text: &mut String) {
        for provider in &self.providers {
            let version = provider.version.as_deref().unwrap_or("without a version");
            let place = if provider.path.is_empty() { "." } else { &provider.path };
            let _ = writeln!(
                text,
                "provided by {} at {place}: {} {version}, {}",
                provider.repository,
                provider.package,
                count(provider.exports, "export")
            );
            for (path, line, head) in &provider.declarations {
                let _ = writeln!(text, "  {path}:{line} {head}");
            }
        }
        match self.providers.len() {
            0 => text.push_str("provided by no repository of this atlas\n"),
            1 => {}
            _ => text.push_str(
                "several repositories provide it: which of them a user means is not known\n",
            ),
        }
    }
}

/// The lines of a file that use something, by enclosing declaration.
fn places(lines: &[UseLine]) -> String {
    let around = lines.chunk_by(|left, right| left.declaration == right.declaration);
    let shown = around.map(|lines| {
        let numbers: BTreeSet<u64> = lines.iter().map(|line| line.line).collect();
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let place = numbers.join(",");
        let around = lines.first().and_then(|line| line.declaration.as_deref());
        let around = around.map(|name| format!(" in {name}")).unwrap_or_default();
        format!("{place} {}{around}", names(lines).join(" "))
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// The used names. A member's name implies that of its parent.
fn names(lines: &[UseLine]) -> Vec<String> {
    let all: BTreeSet<(&str, bool)> =
        lines.iter().map(|line| (line.name.as_str(), line.is_exact)).collect();
    let has_member = |name: &str| {
        all.iter()
            .any(|(other, _)| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    };
    let shown = all.iter().filter(|(name, _)| !has_member(name));
    shown.map(|(name, is_exact)| format!("{name}{}", if *is_exact { "" } else { "?" })).collect()
}
