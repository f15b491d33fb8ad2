//! Reads an atlas: its repositories at once, their tables on demand.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use portolan_wire::atlas::{RepositoryRow, VERSION};

use crate::AtlasError;
use crate::parquet_reader::{Rows, TableReader, Wanted};
use crate::publish::file_name;
use crate::store::Store;

/// An atlas as of the moment it was opened.
pub struct Atlas {
    store: Store,
    repositories: Vec<RepositoryRow>,
}

/// The columns of `repository`.
const COLUMNS: [&str; 10] =
    ["id", "digest", "origin", "commit", "tool", "schema", "files", "packages", "provides", "uses"];

impl Atlas {
    /// Opens an atlas and reads the list of its repositories.
    pub fn open(store: Store) -> Result<Self, AtlasError> {
        let listed = store.list("repository", "")?;
        let names: Vec<String> = listed
            .into_iter()
            .map(|it| it.name)
            .filter(|name| name.strip_suffix(".parquet").is_some_and(|it| !it.is_empty()))
            .collect();
        let read = each(&names, store.width(), |name| repository(&store, name));
        let mut repositories = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        if repositories.is_empty() {
            return Err(AtlasError::Empty(store.shown().to_owned()));
        }
        repositories.sort_by(|left, right| left.id.cmp(&right.id));
        Ok(Self { store, repositories })
    }

    /// The repositories, by id.
    pub fn repositories(&self) -> &[RepositoryRow] {
        &self.repositories
    }

    /// Its address, without secrets.
    pub fn shown(&self) -> &str {
        self.store.shown()
    }

    /// Runs `work` on a table of some repositories and returns the results in order. Only the results stay in memory.
    pub(crate) fn read<T: Send>(
        &self,
        repositories: &[&RepositoryRow],
        table: &'static str,
        columns: &[&str],
        wanted: &Wanted<'_>,
        work: impl Fn(&RepositoryRow, &Rows, &mut Vec<T>) + Sync,
    ) -> Result<Vec<T>, AtlasError> {
        let done = each(repositories, self.store.width(), |repository| {
            let (repository, reader) = self.open_table(repository, table)?;
            let mut kept = Vec::new();
            reader.read(columns, wanted, |rows| work(&repository, rows, &mut kept))?;
            Ok::<_, AtlasError>(kept)
        });
        let done = done.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(done.into_iter().flatten().collect())
    }

    /// Opens a table of a repository. If its set was replaced and removed meanwhile, opens that of the new set.
    fn open_table(
        &self,
        repository: &RepositoryRow,
        table: &'static str,
    ) -> Result<(RepositoryRow, TableReader<'_>), AtlasError> {
        let mut current = repository.clone();
        for is_last in [false, true] {
            let name = file_name(&current.id, &current.digest);
            match TableReader::open(&self.store, table, &name) {
                Ok(reader) => return Ok((current, reader)),
                Err(AtlasError::Storage { is_missing: true, .. }) if !is_last => {
                    let name = format!("{}.parquet", crate::publish::slug(&current.id));
                    current = self::repository(&self.store, &name)?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(AtlasError::Empty(current.id))
    }

    /// The repositories that import one of these modules, each given as `ecosystem:module`.
    pub(crate) fn users_of(&self, modules: &[String]) -> Vec<&RepositoryRow> {
        let uses = |it: &&RepositoryRow| modules.iter().any(|module| has(&it.uses, module));
        self.repositories.iter().filter(uses).collect()
    }

    /// The repositories that provide each module, by `ecosystem:module`.
    pub(crate) fn providers(&self) -> BTreeMap<&str, Vec<&RepositoryRow>> {
        let mut providers: BTreeMap<&str, Vec<&RepositoryRow>> = BTreeMap::new();
        for repository in &self.repositories {
            for module in &repository.provides {
                providers.entry(module).or_default().push(repository);
            }
        }
        providers
    }
}

/// Whether a sorted list contains a text.
pub(crate) fn has(list: &[String], text: &str) -> bool {
    list.binary_search_by(|known| known.as_str().cmp(text)).is_ok()
}

/// Reads the row of a repository.
fn repository(store: &Store, name: &str) -> Result<RepositoryRow, AtlasError> {
    let place = || format!("{}/repository/{name}", store.shown());
    let reader = TableReader::open(store, "repository", name)?;
    let mut found = None;
    reader.read(&COLUMNS, &Wanted::All, |rows| {
        let own = |column| rows.text(column, 0).to_owned();
        let maybe = |column| rows.maybe(column, 0).map(str::to_owned);
        let list = |column| rows.list(column, 0).into_iter().map(str::to_owned).collect();
        let schema = rows.number(5, 0).unwrap_or(u64::MAX);
        let row = RepositoryRow {
            id: own(0),
            digest: own(1),
            origin: maybe(2),
            commit: maybe(3),
            tool: own(4),
            schema: u32::try_from(schema).unwrap_or(u32::MAX),
            files: rows.number(6, 0).unwrap_or_default(),
            packages: list(7),
            provides: list(8),
            uses: list(9),
        };
        found = (rows.count > 0).then_some((row, schema));
    })?;
    match found {
        Some((_, version)) if version > u64::from(VERSION) => {
            Err(AtlasError::Newer { place: place(), version, own: VERSION })
        }
        Some((row, _)) => Ok(row),
        None => Err(AtlasError::Broken { place: place(), reason: "it has no row".to_owned() }),
    }
}

/// Runs work for each item on several threads; the results are in the order of the items.
pub(crate) fn each<I: Sync, T: Send>(
    items: &[I],
    width: usize,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..width.min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
