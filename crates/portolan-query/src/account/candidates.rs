//! Where words stand: all files of a language are searched, on all threads.

use portolan_types::{FileId, NoticeCode};
use std::collections::BTreeSet;

use memchr::memmem::Finder;
use portolan_languages::syntax::text;
use portolan_languages::{Language, Languages, WordSite};
use portolan_symbols::resolver::Place;
use rayon::prelude::*;

use super::{Sites, bare};
use portolan_index::map::{MapReport, UniverseFile};
use portolan_index::symbols::SymbolDb;

/// A word of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    /// Where it starts, in bytes.
    pub(super) at: u32,
    /// The line, from 1.
    pub(super) line: u32,
    /// What it stands in.
    pub(super) place: WordSite,
    /// Which of the names it is, in their order.
    pub(super) name: u32,
}

/// Larger files are not looked through.
const LARGE: u64 = 4 << 20;

/// Whether a name is written as one word.
pub(super) fn is_word(name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    !name.is_empty()
        && name.chars().all(is_part)
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Tells words their lines.
fn number_lines(text: &str, sites: &mut [Site]) {
    let (mut line, mut last) = (1, 0);
    for site in sites {
        let at = site.at as usize;
        let between = text.as_bytes().get(last..at).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count() as u32;
        (site.line, last) = (line, at);
    }
}

/// Languages that use each other's declarations have one name here.
fn group(path: &str) -> Option<&'static str> {
    Languages::default().of(path).map(Language::family)
}

/// Where names stand, and which of these files load modules by other calls than imports.
#[derive(Default)]
pub(super) struct WordsFound {
    pub(super) sites: Sites,
    pub(super) loading: BTreeSet<FileId>,
    /// The files that have the mark of an interface which types satisfy without naming it.
    pub(super) marked: BTreeSet<FileId>,
}

impl WordsFound {
    /// Where one of the names stands, as if it were the only one.
    pub(super) fn of(&self, name: u32) -> Self {
        let own = |sites: &Vec<Site>| -> Vec<Site> {
            let own = sites.iter().filter(|site| site.name == name);
            own.map(|site| Site { name: 0, ..*site }).collect()
        };
        let sites = self.sites.iter().map(|(file, sites)| (*file, own(sites)));
        let sites: Sites = sites.filter(|(_, sites)| !sites.is_empty()).collect();
        let loading = self.loading.iter().copied().filter(|it| sites.contains_key(it)).collect();
        let marked = self.marked.iter().copied().filter(|it| sites.contains_key(it)).collect();
        Self { sites, loading, marked }
    }
}

/// The files of code that may hold secrets: nothing is told of what they say.
fn silenced(map: &MapReport) -> BTreeSet<&str> {
    let told = map.notices.iter().filter(|notice| notice.code == NoticeCode::GuardSilenced);
    told.filter_map(|notice| notice.place.as_ref()).map(|place| place.path.as_str()).collect()
}

/// Those of the languages that some declarations are written in.
pub(super) fn withheld(symbols: &SymbolDb<'_>, places: &[Place]) -> Vec<String> {
    let groups: BTreeSet<&str> =
        places.iter().filter_map(|place| group(&symbols.path(place.file))).collect();
    let is_asked = |path: &&str| group(path).is_some_and(|group| groups.contains(group));
    silenced(symbols.map()).into_iter().filter(is_asked).map(str::to_owned).collect()
}

/// Where names stand in the files of the languages that some declarations are written in.
pub(super) fn sites_of(
    symbols: &SymbolDb<'_>,
    places: &[Place],
    names: &BTreeSet<String>,
) -> WordsFound {
    let groups: BTreeSet<&str> =
        places.iter().filter_map(|place| group(&symbols.path(place.file))).collect();
    let names: Vec<&str> = names.iter().map(|name| bare(name)).collect();
    let finders: Vec<Finder<'_>> = names.iter().map(|name| Finder::new(name.as_bytes())).collect();
    let (map, reader) = (symbols.map(), symbols.reader());
    // Whether such a file has a word would tell of its text.
    let silenced = silenced(map);
    let search = |file: &UniverseFile, number: FileId| {
        let path = file.path.as_str();
        if silenced.contains(path)
            || file.size > LARGE
            || !group(path).is_some_and(|group| groups.contains(group))
        {
            return None;
        }
        let bytes = reader.bytes_with(&file.sha256, &finders, &file.absolute)?;
        let text = text::decode(&bytes);
        let mut sites = Vec::new();
        Languages::default().words(path, &text, &mut |word| {
            if let Some(name) = names.iter().position(|name| *name == word.text) {
                sites.push(Site { at: word.at, line: 0, place: word.site, name: name as u32 });
            }
        });
        sites.sort_unstable();
        number_lines(&text, &mut sites);
        if sites.is_empty() {
            return None;
        }
        let builtins = Languages::default().builtins(path);
        let has = |mark: &str| memchr::memmem::find(&bytes, mark.as_bytes()).is_some();
        let loads = builtins.loading_marks().iter().any(|mark| has(mark));
        let is_marked = builtins.satisfied_mark().is_some_and(|it| !it.is_empty() && has(it));
        Some((number, sites, loads, is_marked))
    };
    let found: Vec<_> = map
        .universe
        .par_iter()
        .enumerate()
        .filter_map(|(at, file)| search(file, FileId::at(at)))
        .collect();
    let loading = found.iter().filter(|(_, _, loads, _)| *loads).map(|(file, ..)| *file).collect();
    let marked =
        found.iter().filter(|(.., is_marked)| *is_marked).map(|(file, ..)| *file).collect();
    let sites = found.into_iter().map(|(file, sites, ..)| (file, sites)).collect();
    WordsFound { sites, loading, marked }
}
