//! The exported declarations of files, by name or by signature, for charts.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_guard::redact;
use portolan_types::Sha256Digest;
use portolan_types::declarations::Declaration;
use portolan_vfs::System;

use super::outline::{Outlined, exported_names, outlined};
use super::reader::{CodeReader, Loaded};
use super::store::DeclarationStore;
use crate::map::UniverseFile;
use portolan_workspace::config::Loaded as Config;

/// How many signatures of a file are shown.
const MOST: usize = 24;
/// The limit of a shown signature, in bytes.
const LONGEST: usize = 160;

/// Reads the signatures of files. It parses, so it needs threads with a large stack.
pub struct Headings<'a> {
    reader: CodeReader<'a>,
    known: Mutex<BTreeMap<String, KnownHeading>>,
    names: Mutex<BTreeMap<Sha256Digest, Option<Vec<String>>>>,
}

/// The signatures of a file, and the digest of its bytes.
#[derive(Clone, Default)]
struct KnownHeading {
    heads: Vec<String>,
    sha256: Option<Sha256Digest>,
}

impl<'a> Headings<'a> {
    /// The signatures of a repository's files.
    pub fn new(system: &'a dyn System, config: &Config, store: &'a DeclarationStore) -> Self {
        let guard = config.settings.secrets.guard();
        let reader = CodeReader { system, guard, store };
        Self { reader, known: Mutex::default(), names: Mutex::default() }
    }

    /// The signatures of a file's exports, each after its line; none if it may hold secrets, or its language has none.
    pub fn of(&self, file: &UniverseFile) -> Vec<String> {
        let path = file.path.as_str();
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(path) {
            return known.heads.clone();
        }
        let read = self.read(file);
        known().insert(path.to_owned(), read.clone());
        read.heads
    }

    /// The exported names of a file, re-exports last; `None` if they are unknown.
    pub fn names(&self, file: &UniverseFile) -> Option<Vec<String>> {
        let known = || self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&file.sha256) {
            return known.clone();
        }
        let stored = self.reader.stored(&file.path, &file.sha256).map(|known| known.facts);
        let facts = stored.or_else(|| {
            let loaded = self.reader.load(file.path.as_str(), &file.absolute)?;
            (loaded.sha256 == file.sha256).then_some(loaded.facts)
        });
        let names = facts.map(|facts| exported_names(&facts));
        known().insert(file.sha256, names.clone());
        names
    }

    /// The files that were read, with their digests.
    pub fn seen(&self) -> Vec<(String, Sha256Digest)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter_map(|(path, known)| Some((path.clone(), known.sha256?))).collect()
    }

    fn read(&self, file: &UniverseFile) -> KnownHeading {
        let reader = &self.reader;
        let facts = reader.stored(&file.path, &file.sha256).map(|known| known.facts);
        let loaded = facts
            .and_then(|facts| reader.text_of(&file.absolute, &file.sha256, facts))
            .or_else(|| reader.load(file.path.as_str(), &file.absolute));
        let Some(loaded) = loaded else { return KnownHeading::default() };
        KnownHeading { heads: heads(&loaded), sha256: Some(loaded.sha256) }
    }
}

/// The signatures of exports, in the order of the text.
fn heads(loaded: &Loaded) -> Vec<String> {
    // A leading underscore marks a private name in every language.
    let is_open = |it: &Outlined| it.is_exported && !it.name.starts_with('_');
    let exported = outlined(loaded).into_iter().filter(is_open);
    let mut heads: Vec<String> = exported
        .filter_map(|it| {
            let head = heading(&loaded.text, loaded.facts.item(it.item)?, LONGEST);
            Some(format!("{} {}", it.line, redact(&head)))
        })
        .collect();
    let more = heads.len().saturating_sub(MOST);
    heads.truncate(MOST);
    if more > 0 {
        heads.push(format!("… {more} more"));
    }
    heads
}

/// The signature of a declaration, on one line of at most so many bytes.
pub fn heading(text: &str, item: &Declaration, longest: usize) -> String {
    let start = start_of(text, item);
    let end = if item.body.is_empty() { item.span.end } else { item.body.start };
    let mut end = (end as usize).min(start + 2 * longest).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let words = text.get(start..end).unwrap_or_default().split_whitespace();
    let mut head = String::new();
    for word in words {
        if head.len() + word.len() >= longest {
            head.push('…');
            break;
        }
        if !head.is_empty() {
            head.push(' ');
        }
        head.push_str(word);
    }
    head.truncate(head.trim_end_matches(['{', ':', '=', ';', ' ']).len());
    head
}

/// The start of a signature: that of the statement, unless other declarations precede it there.
fn start_of(text: &str, item: &Declaration) -> usize {
    let (statement, own) = (item.span.start as usize, item.at.min(item.span.end) as usize);
    let before = text.get(statement..own).unwrap_or_default();
    if before.contains(['=', ',']) { own } else { statement.min(own) }
}
