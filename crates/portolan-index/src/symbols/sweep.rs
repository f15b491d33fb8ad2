//! Visits every file of code of a map once, on all threads.

use portolan_types::FileId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan_languages::is_code;
use portolan_symbols::text::LineStarts as Lines;
use portolan_types::declarations::Declarations;
use rayon::prelude::*;

use super::reader::{CodeReader, Loaded};
use super::store::DeclarationStore;
use crate::map::{MapError, MapReport};
use crate::symbols::db::{SymbolDb, with_symbols};
use portolan_vfs::System;
use portolan_workspace::config::Loaded as Config;

/// A file with its text.
pub struct Swept<'a> {
    /// The path from the root.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
    /// Where its lines start.
    pub lines: &'a Lines,
    /// What it declares.
    pub facts: &'a Arc<Declarations>,
}

/// Maps each file of the universe, by number; `None` if it is not code, cannot be read, or may hold secrets. Texts are
/// dropped at once.
pub fn sweep<T: Send>(
    system: &dyn System,
    config: &Config,
    map: &MapReport,
    store: &DeclarationStore,
    work: impl Fn(&Swept<'_>) -> T + Sync,
) -> Vec<Option<T>> {
    let reader = CodeReader { system, guard: config.settings.secrets.guard(), store };
    let files = map.universe.par_iter();
    let each = files.map(|file| {
        let path = file.path.as_str();
        if !is_code(path) {
            return None;
        }
        let known = reader.stored(&file.path, &file.sha256).map(|known| known.facts);
        let known = known.and_then(|facts| reader.text_of(&file.absolute, &file.sha256, facts));
        let loaded = known.or_else(|| reader.load(path, &file.absolute))?;
        let Loaded { text, lines, facts, .. } = &loaded;
        Some(work(&Swept { path, text, lines, facts }))
    });
    each.collect()
}

/// A map with the declarations of all its files.
pub struct SweptMap<'a> {
    /// The disk.
    pub system: &'a dyn System,
    /// The configuration that the map was built with.
    pub config: &'a Config,
    /// The map.
    pub map: &'a MapReport,
    /// Declarations by digest.
    pub store: &'a DeclarationStore,
    /// By the number of the file; `None` if they are unknown.
    pub facts: Vec<Option<Arc<Declarations>>>,
}

/// How many files a thread takes at a time: neighbours use the same files.
const AT_ONCE: usize = 32;

impl SweptMap<'_> {
    /// Opens its declarations.
    pub fn with_symbols<R: Send>(
        &self,
        work: impl FnOnce(&SymbolDb<'_>) -> R + Send,
    ) -> Result<R, MapError> {
        with_symbols(self.system, self.config, self.map, self.store, |db| {
            for (facts, file) in self.facts.iter().zip(FileId::all()) {
                if let Some(facts) = facts {
                    db.know(file, facts);
                }
            }
            work(db)
        })
    }

    /// Maps each file with known declarations, in order, on all threads. Each thread has a database of its own; the result
    /// does not depend on which thread takes which file.
    pub fn each<T: Send>(
        &self,
        work: impl Fn(&SymbolDb<'_>, FileId) -> T + Sync,
    ) -> Result<Vec<T>, MapError> {
        let known = self.facts.iter().zip(FileId::all()).filter(|(facts, _)| facts.is_some());
        let files: Vec<FileId> = known.map(|(_, file)| file).collect();
        let next = AtomicUsize::new(0);
        let take = |db: &SymbolDb<'_>| {
            let mut done: Vec<(FileId, T)> = Vec::new();
            while let Some(left) = files.get(next.fetch_add(AT_ONCE, Ordering::Relaxed)..) {
                done.extend(left.iter().take(AT_ONCE).map(|file| (*file, work(db, *file))));
            }
            done
        };
        let threads = (0..rayon::current_num_threads().max(1)).into_par_iter();
        let done: Result<Vec<Vec<(FileId, T)>>, MapError> =
            threads.map(|_| self.with_symbols(take)).collect();
        let mut done: Vec<(FileId, T)> = done?.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(file, _)| *file);
        Ok(done.into_iter().map(|(_, made)| made).collect())
    }
}
