//! Ten queries about an atlas: as SQL for any engine, and as code here. A test compares both.

use std::collections::{BTreeMap, BTreeSet};

use crate::AtlasError;
use crate::atlas::Atlas;
use crate::look::PackageTarget;
use crate::parquet_reader::{Rows, Wanted};
use crate::text::RankedLines;

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct AtlasQuery {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The columns of its result.
    pub columns: &'static [&'static str],
    /// The SQL, over the views of [`crate::sql`]; `{ecosystem}`, `{modules}` and `{name}` stand for the target.
    pub sql: &'static str,
}

/// A result: rows of texts, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// The names under which code imports a package: its own, and those in `provider`.
const MODULES: &str = "SELECT '{module}' UNION SELECT module FROM provider\n\
    WHERE ecosystem = '{ecosystem}' AND package IN ('{module}', '{end}')";

impl QueryResult {
    /// The result as text within a token budget: a line per row, tabs between columns.
    pub fn to_text(&self, budget: u64) -> String {
        let head = format!("{}\n", self.columns.join("\t"));
        let lines = self.rows.iter().map(|row| (0, row.join("\t"))).collect();
        RankedLines { head, lines }.fit(budget)
    }
}

/// Shorter signatures are not distinctive.
const LONG_HEAD: usize = 40;
/// A file with this many dependents is a hub.
const MANY_USERS: usize = 20;

/// The ten queries.
pub const QUERIES: [AtlasQuery; 10] = [
    AtlasQuery {
        name: "export-users",
        about: "who uses this export, line by line",
        columns: &["repository", "path", "line", "name"],
        sql: "SELECT repository, path, line, name FROM reference\n\
              WHERE ecosystem = '{ecosystem}' AND module IN ({modules})\n\
                AND ('{name}' = '' OR name = '{name}' OR substr(name, 1, {length}) = '{name}.')",
    },
    AtlasQuery {
        name: "packages-by-users",
        about: "packages by the number of repositories that use them",
        columns: &["ecosystem", "module", "repositories"],
        sql: "SELECT ecosystem, module, count(DISTINCT repository) AS repositories FROM edge\n\
              WHERE module IS NOT NULL GROUP BY ecosystem, module",
    },
    AtlasQuery {
        name: "unused-exports",
        about: "exports of packages that no other repository uses",
        columns: &["repository", "ecosystem", "package", "name"],
        sql: "WITH used AS (\n\
                SELECT DISTINCT p.repository, p.ecosystem, p.package, r.name FROM provider p\n\
                JOIN reference r ON r.ecosystem = p.ecosystem AND r.module = p.module AND r.repository <> p.repository)\n\
              SELECT e.repository, e.ecosystem, e.package, e.name FROM exported e\n\
              LEFT JOIN used u ON u.repository = e.repository AND u.ecosystem = e.ecosystem\n\
                AND u.package = e.package AND u.name = e.name\n\
              WHERE u.name IS NULL",
    },
    AtlasQuery {
        name: "repository-cycles",
        about: "two or three repositories that depend on each other in a circle",
        columns: &["one", "two", "three"],
        sql: "SELECT a.source AS one, a.target AS two, '' AS three FROM dependence a\n\
              JOIN dependence b ON b.source = a.target AND b.target = a.source\n\
              WHERE a.source < a.target\n\
              UNION ALL\n\
              SELECT a.source AS one, b.source AS two, c.source AS three FROM dependence a\n\
              JOIN dependence b ON b.source = a.target JOIN dependence c ON c.source = b.target AND c.target = a.source\n\
              WHERE a.source < b.source AND a.source < c.source AND b.source <> c.source",
    },
    AtlasQuery {
        name: "twice-declared",
        about: "functions, classes and types with the same head in more than one repository",
        columns: &["head", "repositories"],
        sql: "SELECT head, count(DISTINCT repository) AS repositories FROM declaration\n\
              WHERE length(head) >= 40 AND kind IN ('function', 'class', 'interface', 'type')\n\
              GROUP BY head HAVING count(DISTINCT repository) > 1",
    },
    AtlasQuery {
        name: "version-bump",
        about: "what a new version of this package touches: repositories, the version they ask for, files",
        columns: &["repository", "requirement", "files"],
        sql: "SELECT repository, coalesce(requirement, '') AS requirement, count(DISTINCT source) AS files FROM edge\n\
              WHERE ecosystem = '{ecosystem}' AND module IN ({modules})\n\
              GROUP BY repository, coalesce(requirement, '')",
    },
    AtlasQuery {
        name: "dependences",
        about: "which repository depends on which, by which package, in how many files",
        columns: &["source", "target", "ecosystem", "module", "files"],
        sql: "SELECT e.repository AS source, p.repository AS target, e.ecosystem, e.module, count(DISTINCT e.source) AS files\n\
              FROM edge e JOIN provider p ON p.ecosystem = e.ecosystem AND p.module = e.module\n\
              WHERE e.repository <> p.repository GROUP BY e.repository, p.repository, e.ecosystem, e.module",
    },
    AtlasQuery {
        name: "ambiguous-packages",
        about: "packages that more than one repository provides",
        columns: &["ecosystem", "module", "repositories"],
        sql: "SELECT ecosystem, module, count(DISTINCT repository) AS repositories FROM provider\n\
              GROUP BY ecosystem, module HAVING count(DISTINCT repository) > 1",
    },
    AtlasQuery {
        name: "packages-from-outside",
        about: "packages that are used and that no repository of the atlas provides",
        columns: &["ecosystem", "module", "repositories"],
        sql: "SELECT e.ecosystem, e.module, count(DISTINCT e.repository) AS repositories FROM edge e\n\
              LEFT JOIN provider p ON p.ecosystem = e.ecosystem AND p.module = e.module\n\
              WHERE e.module IS NOT NULL AND p.module IS NULL GROUP BY e.ecosystem, e.module",
    },
    AtlasQuery {
        name: "hubs",
        about: "files that many files of their repository depend on",
        columns: &["repository", "path", "users"],
        sql: "SELECT repository, target AS path, count(DISTINCT source) AS users FROM edge\n\
              WHERE module IS NULL GROUP BY repository, target HAVING count(DISTINCT source) >= 20",
    },
];

impl AtlasQuery {
    /// The query with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        QUERIES.iter().find(|query| query.name == name)
    }

    /// The SQL for a target.
    pub fn text(&self, target: &PackageTarget) -> String {
        let quoted = |text: &str| text.replace('\'', "''");
        let name = target.name.as_deref().unwrap_or_default();
        let length = (name.chars().count() + 1).to_string();
        self.sql
            .replace("{modules}", MODULES)
            .replace("{length}", &length)
            .replace("{end}", &quoted(end_of(&target.package)))
            .replace("{ecosystem}", &quoted(&target.ecosystem))
            .replace("{module}", &quoted(&target.package))
            .replace("{name}", &quoted(name))
    }
}

/// The last part of Maven coordinates. If a build computes the rest, it alone identifies a package.
fn end_of(package: &str) -> &str {
    package.rsplit(':').next().unwrap_or(package)
}

/// Rows to count: the group keys, and the distinct members of each group.
type Groups = BTreeMap<Vec<String>, BTreeSet<String>>;

fn counted(groups: Groups, least: usize) -> Vec<Vec<String>> {
    let large = groups.into_iter().filter(|(_, members)| members.len() >= least);
    large
        .map(|(mut key, members)| {
            key.push(members.len().to_string());
            key
        })
        .collect()
}

impl Atlas {
    /// Runs a query on the tables.
    pub fn ask(
        &self,
        query: &AtlasQuery,
        target: &PackageTarget,
    ) -> Result<QueryResult, AtlasError> {
        let mut rows = match query.name {
            "export-users" => self.export_users(target)?,
            "packages-by-users" => counted(self.used_modules()?, 1),
            "unused-exports" => self.unused_exports()?,
            "repository-cycles" => self.cycles()?,
            "twice-declared" => counted(self.heads()?, 2),
            "version-bump" => counted(self.version_bump(target)?, 1),
            "dependences" => counted(self.dependences()?, 1),
            "ambiguous-packages" => counted(self.provided(), 2),
            "packages-from-outside" => {
                let provided = self.provided();
                let used = self.used_modules()?.into_iter();
                counted(used.filter(|(module, _)| !provided.contains_key(module)).collect(), 1)
            }
            _ => counted(self.hubs()?, MANY_USERS),
        };
        rows.sort();
        let columns = query.columns.iter().map(|it| (*it).to_owned()).collect();
        Ok(QueryResult { columns, rows })
    }

    /// Reads a table of all repositories as pairs of a group and a member.
    fn grouped(
        &self,
        table: &'static str,
        columns: &[&str],
        wanted: &Wanted<'_>,
        pair: impl Fn(&str, &Rows, usize) -> Option<(Vec<String>, String)> + Sync,
    ) -> Result<Groups, AtlasError> {
        let all: Vec<_> = self.repositories().iter().collect();
        let pairs = self.read(&all, table, columns, wanted, |repository, rows, found| {
            let own = (0..rows.count).filter_map(|row| pair(&repository.id, rows, row));
            // Most rows of a repository are duplicates here.
            found.extend(own.collect::<BTreeSet<_>>());
        })?;
        let mut groups = Groups::new();
        for (key, member) in pairs {
            groups.entry(key).or_default().insert(member);
        }
        Ok(groups)
    }

    fn used_modules(&self) -> Result<Groups, AtlasError> {
        self.grouped("edge", &["ecosystem", "module"], &Wanted::All, |id, rows, row| {
            let module = rows.maybe(1, row)?;
            Some((vec![rows.text(0, row).to_owned(), module.to_owned()], id.to_owned()))
        })
    }

    fn provided(&self) -> Groups {
        let mut groups = Groups::new();
        for (module, holders) in self.providers() {
            let (ecosystem, module) = module.split_once(':').unwrap_or(("", module));
            let key = vec![ecosystem.to_owned(), module.to_owned()];
            groups.insert(key, holders.into_iter().map(|it| it.id.clone()).collect());
        }
        groups
    }

    /// The names under which code imports a package.
    fn modules_of(&self, target: &PackageTarget) -> Result<Vec<String>, AtlasError> {
        let all: Vec<_> = self.repositories().iter().collect();
        let columns = ["ecosystem", "name", "modules"];
        let is_it = |name: &str| name == target.package || name == end_of(&target.package);
        let found = self.read(&all, "package", &columns, &Wanted::All, |_, rows, found| {
            for row in 0..rows.count {
                if rows.text(0, row) == target.ecosystem && is_it(rows.text(1, row)) {
                    found.extend(rows.list(2, row).into_iter().map(str::to_owned));
                }
            }
        })?;
        let modules: BTreeSet<String> = found.into_iter().chain([target.package.clone()]).collect();
        Ok(modules.into_iter().collect())
    }

    fn export_users(&self, target: &PackageTarget) -> Result<Vec<Vec<String>>, AtlasError> {
        let name = target.name.as_deref().unwrap_or_default();
        let modules = self.modules_of(target)?;
        let wanted: Vec<&str> = modules.iter().map(String::as_str).collect();
        let columns = ["ecosystem", "module", "name", "path", "line"];
        let all: Vec<_> = self.repositories().iter().collect();
        let within = Wanted::Within("module", &wanted);
        self.read(&all, "reference", &columns, &within, |repository, rows, found| {
            for row in 0..rows.count {
                let own = rows.text(2, row);
                let rest = own.strip_prefix(name);
                let is_it = rows.text(0, row) == target.ecosystem
                    && wanted.contains(&rows.text(1, row))
                    && rest.is_some_and(|rest| {
                        name.is_empty() || rest.is_empty() || rest.starts_with('.')
                    });
                if is_it {
                    let line = rows.number(4, row).unwrap_or_default().to_string();
                    let path = rows.text(3, row).to_owned();
                    found.push(vec![repository.id.clone(), path, line, own.to_owned()]);
                }
            }
        })
    }

    fn version_bump(&self, target: &PackageTarget) -> Result<Groups, AtlasError> {
        let modules = self.modules_of(target)?;
        let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
        let columns = ["ecosystem", "module", "requirement", "source"];
        self.grouped("edge", &columns, &Wanted::Within("module", &modules), |id, rows, row| {
            let is_it =
                rows.text(0, row) == target.ecosystem && modules.contains(&rows.text(1, row));
            let key = vec![id.to_owned(), rows.text(2, row).to_owned()];
            is_it.then(|| (key, rows.text(3, row).to_owned()))
        })
    }

    fn heads(&self) -> Result<Groups, AtlasError> {
        self.grouped("declaration", &["head", "kind"], &Wanted::All, |id, rows, row| {
            let head = rows.text(0, row);
            let is_it = head.chars().count() >= LONG_HEAD
                && matches!(rows.text(1, row), "function" | "class" | "interface" | "type");
            is_it.then(|| (vec![head.to_owned()], id.to_owned()))
        })
    }

    fn hubs(&self) -> Result<Groups, AtlasError> {
        self.grouped("edge", &["module", "target", "source"], &Wanted::All, |id, rows, row| {
            let is_inside = rows.maybe(0, row).is_none();
            let key = vec![id.to_owned(), rows.text(1, row).to_owned()];
            is_inside.then(|| (key, rows.text(2, row).to_owned()))
        })
    }

    fn dependences(&self) -> Result<Groups, AtlasError> {
        let provided = self.provided();
        let columns = ["ecosystem", "module", "source"];
        let used = self.grouped("edge", &columns, &Wanted::All, |id, rows, row| {
            let module = rows.maybe(1, row)?;
            let key = vec![id.to_owned(), rows.text(0, row).to_owned(), module.to_owned()];
            Some((key, rows.text(2, row).to_owned()))
        })?;
        let mut groups = Groups::new();
        for (key, files) in used {
            let [id, ecosystem, module] = key.as_slice() else { continue };
            let holders = provided.get(&vec![ecosystem.clone(), module.clone()]);
            for holder in holders.into_iter().flatten().filter(|holder| *holder != id) {
                let key = vec![id.clone(), holder.clone(), ecosystem.clone(), module.clone()];
                groups.insert(key, files.clone());
            }
        }
        Ok(groups)
    }

    fn cycles(&self) -> Result<Vec<Vec<String>>, AtlasError> {
        let mut after: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for key in self.dependences()?.into_keys() {
            if let [source, target, ..] = key.as_slice() {
                after.entry(source.clone()).or_default().insert(target.clone());
            }
        }
        let none = BTreeSet::new();
        let next = |id: &str| after.get(id).unwrap_or(&none);
        let mut found = Vec::new();
        for (one, others) in &after {
            for two in others.iter().filter(|two| *two > one) {
                if next(two).contains(one) {
                    found.push(vec![one.clone(), two.clone(), String::new()]);
                }
                for three in next(two).iter().filter(|three| *three > one && *three != two) {
                    if next(three).contains(one) {
                        found.push(vec![one.clone(), two.clone(), three.clone()]);
                    }
                }
            }
        }
        Ok(found)
    }

    fn unused_exports(&self) -> Result<Vec<Vec<String>>, AtlasError> {
        let all: Vec<_> = self.repositories().iter().collect();
        let provided = self.provided();
        let columns = ["ecosystem", "module", "name"];
        // For each repository that provides something: the exports that others use.
        let used =
            self.read(&all, "reference", &columns, &Wanted::All, |repository, rows, found| {
                let mut own = BTreeSet::new();
                for row in 0..rows.count {
                    let Some(module) = rows.maybe(1, row) else { continue };
                    let key = vec![rows.text(0, row).to_owned(), module.to_owned()];
                    if provided.contains_key(&key) {
                        own.insert((key, rows.text(2, row).to_owned()));
                    }
                }
                found.extend(own.into_iter().map(|used| (repository.id.clone(), used)));
            })?;
        let mut users: BTreeMap<(Vec<String>, String), BTreeSet<String>> = BTreeMap::new();
        for (id, used) in used {
            users.entry(used).or_default().insert(id);
        }
        let columns = ["ecosystem", "name", "modules", "exports"];
        self.read(&all, "package", &columns, &Wanted::All, |repository, rows, found| {
            for row in 0..rows.count {
                let modules = rows.list(2, row);
                let is_used = |name: &str| {
                    modules.iter().any(|module| {
                        let key = vec![rows.text(0, row).to_owned(), (*module).to_owned()];
                        let users = users.get(&(key, name.to_owned()));
                        users.is_some_and(|users| users.iter().any(|id| *id != repository.id))
                    })
                };
                let unused = rows.list(3, row).into_iter();
                for name in unused.filter(|name| !modules.is_empty() && !is_used(name)) {
                    let (ecosystem, package) = (rows.text(0, row), rows.text(1, row));
                    let row = [&repository.id, ecosystem, package, name];
                    found.push(row.map(str::to_owned).to_vec());
                }
            }
        })
    }
}
