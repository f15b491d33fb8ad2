//! Every file of code of a Map, once, on all threads: for what is made of all of them.

use portolan_slice::text::Lines;
use portolan_syntax::is_code;
use portolan_types::declarations::Declarations;
use rayon::prelude::*;

use super::library::{Library, with_library};
use super::reader::CodeReader;
use super::store::DeclarationStore;
use crate::System;
use crate::config::Loaded as Config;
use crate::map::{MapError, MapReport};

/// A file with its text.
pub(crate) struct Swept<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: &'a Lines,
    pub(crate) facts: &'a Declarations,
}

/// What is made of each file of the universe, by number; `None` for what is no code, cannot be read, or may
/// hold secrets. Texts are dropped at once.
pub(crate) fn sweep<T: Send>(
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
        Some(work(&Swept { text: &loaded.text, lines: &loaded.lines, facts: &loaded.facts }))
    });
    each.collect()
}

/// What is made of some files with a library at hand: a library for each thread, which come to the same.
pub(crate) fn sweep_library<T: Send>(
    system: &dyn System,
    config: &Config,
    map: &MapReport,
    store: &DeclarationStore,
    files: &[u32],
    work: impl Fn(&Library<'_>, u32) -> T + Sync,
) -> Result<Vec<T>, MapError> {
    // Neighbours use the same files.
    let pieces = rayon::current_num_threads().max(1);
    let size = files.len().div_ceil(pieces).max(1);
    let done: Result<Vec<Vec<T>>, MapError> = files
        .par_chunks(size)
        .map(|files| {
            with_library(system, config, map, store, |library| {
                files.iter().map(|file| work(library, *file)).collect()
            })
        })
        .collect();
    Ok(done?.into_iter().flatten().collect())
}
