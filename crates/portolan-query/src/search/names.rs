//! Declarations and files by name.
//!
//! Only files that have every word of the name in their text are parsed. Where there is no such declaration, those are
//! listed that the name may be the initials of, or a misspelling.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use portolan_guard::redact;
use portolan_languages::{Languages, is_declaring_program};
use portolan_types::{Sha256Digest, escape_invisible};

use crate::answers::shown_path;
use portolan_wire::search::{SearchFileV1, SearchReportV1};
use rayon::prelude::*;

use super::filter::FileFilter;
use super::kinds::FileClass;
use super::names_of_files::FileNames;
use super::outline::{Outline, OutlineItem};
use super::sweep::{FileBytes, SweptFile, Visit, each_file, searched};
use super::task::TaskPlace;
use super::{Judge, SearchContext, SearchError, SearchQuestionV1};
use crate::file_set::FileSet;
use crate::name_likeness::{NameLikeness, WantedName, is_part};
use portolan_index::token_counts::Tokenizer;

/// The most files that are parsed. Those with a line that seems to declare the name come first.
const MOST_PARSED: usize = 300;
/// The most files that are shown.
const MOST_FILES: usize = 20;
/// The most declarations that are listed.
const MOST_TOLD: usize = 200;

/// Declarations by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesReport {
    /// The names that were asked for.
    pub names: Vec<String>,
    /// The declarations, exact ones first.
    pub places: Vec<TaskPlace>,
    /// How many of them have the name itself.
    pub exact: usize,
    /// Whether none has the words: these have their initials, or nearly the same letters.
    pub is_alike: bool,
    /// How many more were found than are listed.
    pub more: usize,
    /// The files of that name, the most likely first; looked for where the name is that of a file, or of no declaration.
    pub files: Vec<String>,
    /// The files of code that were searched.
    pub searched: FileSet,
    /// The files of the places, with the digests of what was seen.
    pub seen: BTreeMap<String, Sha256Digest>,
}

/// A name that is asked for, and how it is searched for.
struct Wanted {
    name: WantedName,
    /// Finds each word, whatever its case.
    finders: Vec<RegexMatcher>,
}

/// Finds declarations by name. For threads with room for parsing.
pub fn search_names(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
) -> Result<NamesReport, SearchError> {
    let filter = FileFilter::new(context.system, context.config, request)?;
    let wanted: Vec<Wanted> =
        request.patterns.iter().filter_map(|name| Wanted::new(name)).collect();
    if request.patterns.is_empty() {
        return Err(SearchError::Empty);
    }
    let files_named = || {
        let takes = |path: &str| filter.takes(path);
        FileNames::new(context.system, context.config).named(&request.patterns, takes)
    };
    let mut files = Vec::new();
    if request.patterns.iter().any(|name| is_file_name(name)) {
        files = files_named();
    }
    let takes = |path: &str| is_declaring_program(path) && filter.takes(path);
    let (mut all, searched) = pass(context, &takes, &wanted, Reach::Words)?;
    let is_exact = |named: &Named| named.likeness == NameLikeness::Exact;
    if files.is_empty() && !all.iter().any(is_exact) {
        files = files_named();
    }
    // What has none of the words may have them as its initials, or was misspelt.
    if all.is_empty() && files.is_empty() {
        (all, _) = pass(context, &takes, &wanted, Reach::Alike)?;
    }
    all.sort_by(|left, right| left.rank().cmp(&right.rank()));
    let exact = all.iter().filter(|named| is_exact(named)).count();
    let is_alike = all.first().is_some_and(|first| is_alike(first.likeness));
    let limit = request.limit.map_or(MOST_TOLD, |limit| MOST_TOLD.min(limit as usize));
    let more = all.len().saturating_sub(limit);
    all.truncate(limit);
    let seen = all.iter().map(|named| (named.place.path.clone(), named.sha256)).collect();
    let names = request.patterns.iter().map(|name| redact(name).into_owned()).collect();
    let places = all.into_iter().map(|named| named.place).collect();
    Ok(NamesReport { names, places, exact, is_alike, more, files, searched, seen })
}

/// Whether a name is that of a file: `compiler.py`, `*compiler*`, `sql/compiler`.
pub(super) fn is_file_name(name: &str) -> bool {
    name.contains(['/', '*', '?']) || Languages::default().is_code(name)
}

/// How much a name may differ from what is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It has the words.
    Words,
    /// It has their initials, or nearly the same letters.
    Alike,
}

fn is_alike(likeness: NameLikeness) -> bool {
    matches!(likeness, NameLikeness::Initials | NameLikeness::Slip(_))
}

/// A pass over the files of code: the declarations that fit, unsorted, and the files that were searched.
fn pass(
    context: SearchContext<'_>,
    takes: &(dyn Fn(&str) -> bool + Sync),
    wanted: &[Wanted],
    reach: Reach,
) -> Result<(Vec<Named>, FileSet), SearchError> {
    let judge = Judge::new(context);
    let files = each_file(context, takes, &|path, file: FileBytes| {
        let text = file.text();
        let best = wanted
            .iter()
            .filter(|wanted| wanted.may_stand_in(&text, reach))
            .map(|wanted| wanted.is_declared_in(&text, reach))
            .max()
            .filter(|_| !judge.is_denied(path, &file));
        drop(text);
        Ok(Visit::Made(best.map(|is_declared| (file.into_swept(), is_declared))))
    });
    let files = files?.files;
    let searched = searched(&files);
    let found = files.into_iter().filter_map(|(path, _, found)| {
        let (text, is_declared) = found?;
        let class = FileClass::of(path.as_str());
        Some((!is_declared, class, SweptFile::new(path, text, Vec::new())))
    });
    let mut found: Vec<(bool, FileClass, SweptFile)> = found.collect();
    found.sort_by(|left, right| {
        (left.0, left.1, left.2.path.as_str()).cmp(&(right.0, right.1, right.2.path.as_str()))
    });
    found.truncate(MOST_PARSED);
    let named = |class: FileClass, file: &SweptFile| {
        let outline = Outline::kept(context, (&file.path, &file.digest), &file.bytes);
        named(wanted, reach, class, (file, &outline))
    };
    let each: Vec<Vec<Named>> =
        found.par_iter().map(|(_, class, file)| named(*class, file)).collect();
    Ok((each.into_iter().flatten().collect(), searched))
}

impl Wanted {
    /// A name; `None` where there is no word in it.
    fn new(name: &str) -> Option<Self> {
        let name = WantedName::new(name)?;
        let finders = name.words.iter().map(|word| {
            RegexMatcherBuilder::new().case_insensitive(true).fixed_strings(true).build(word)
        });
        let finders: Vec<RegexMatcher> = finders.collect::<Result<_, _>>().ok()?;
        Some(Self { name, finders })
    }

    fn may_stand_in(&self, bytes: &[u8], reach: Reach) -> bool {
        if reach == Reach::Alike {
            let text = String::from_utf8_lossy(bytes);
            let names = text.split(|c: char| !is_part(c)).filter(|name| !name.is_empty());
            return names.into_iter().any(|name| self.name.stands_for(name).is_some());
        }
        self.finders.iter().all(|finder| finder.is_match(bytes).unwrap_or_default())
            && (self.name.is_member() || self.is_in_one_name(bytes))
    }

    /// Whether one name has all of the words.
    fn is_in_one_name(&self, bytes: &[u8]) -> bool {
        let [first, others @ ..] = self.finders.as_slice() else { return false };
        if others.is_empty() {
            return true;
        }
        let is_part = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || *byte >= 0x80
        };
        let mut is_found = false;
        // Searching in memory does not fail.
        let _ = first.find_iter(bytes, |found| {
            let before = bytes[..found.start()].iter().rev().take_while(|byte| is_part(byte));
            let after = bytes[found.end()..].iter().take_while(|byte| is_part(byte));
            let name = &bytes[found.start() - before.count()..found.end() + after.count()];
            is_found = others.iter().all(|other| other.is_match(name).unwrap_or_default());
            !is_found
        });
        is_found
    }

    /// Whether a line looks as if it declared the name.
    fn is_declared_in(&self, bytes: &[u8], reach: Reach) -> bool {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let own = self.name.name.rsplit('.').next().unwrap_or_default();
        portolan_languages::declared_names(text).any(|declared| match reach {
            Reach::Words => declared.name == own,
            Reach::Alike => self.name.stands_for(declared.name).is_some(),
        })
    }

    /// How much a declaration is what was asked for.
    fn likeness(&self, item: &OutlineItem, reach: Reach) -> Option<NameLikeness> {
        match reach {
            Reach::Words => self.name.likeness(&item.own, &item.name),
            Reach::Alike => self.name.stands_for(&item.own),
        }
    }
}

/// A declaration that was found.
struct Named {
    likeness: NameLikeness,
    class: FileClass,
    is_local: bool,
    is_exported: bool,
    /// How long its own name is: of those that have some words, the shortest is meant.
    length: usize,
    place: TaskPlace,
    sha256: Sha256Digest,
}

impl Named {
    /// Exported declarations come before others of the same likeness, and those of a file before members.
    fn rank(&self) -> (NameLikeness, FileClass, [bool; 3], usize, &str, u32) {
        let place = &self.place;
        let doubts = [self.is_local, !self.is_exported, place.name.contains('.')];
        (self.likeness, self.class, doubts, self.length, &place.path, place.lines.0)
    }
}

fn named(
    wanted: &[Wanted],
    reach: Reach,
    class: FileClass,
    (file, outline): (&SweptFile, &Outline),
) -> Vec<Named> {
    let path = file.path.as_str();
    let digest = file.sha256();
    let named = outline.items().iter().filter(|item| !item.own.is_empty());
    let found = named.filter_map(|item| {
        let likeness = wanted.iter().filter_map(|it| it.likeness(item, reach)).min()?;
        let place = TaskPlace {
            path: path.to_owned(),
            lines: (item.first, item.last),
            name: item.name.clone(),
            kind: Languages::default().kind_word(path, item.kind),
            evidence: 0,
            why: Vec::new(),
        };
        let (is_local, is_exported, length) = (item.is_local, item.is_exported, item.own.len());
        Some(Named { likeness, class, is_local, is_exported, length, place, sha256: digest })
    });
    found.collect()
}

impl NamesReport {
    /// The first line.
    pub fn head(&self) -> String {
        let declarations = self.declarations();
        match (self.files.len(), self.places.is_empty()) {
            (0, _) => declarations,
            (1, true) => "1 file of that name".to_owned(),
            (count, true) => format!("{count} files of that name"),
            (1, false) => format!("{declarations}; 1 file of that name"),
            (count, false) => format!("{declarations}; {count} files of that name"),
        }
    }

    /// How many declarations there are.
    fn declarations(&self) -> String {
        let names = escape_invisible(&redact(&self.names.join(" ")));
        match (self.exact, self.places.len() + self.more) {
            (_, 0) => format!("no declaration `{names}` in {} files of code", self.searched.count),
            (0, near) if self.is_alike => format!(
                "no declaration `{names}` in {} files of code; {near} like it, nearest first",
                self.searched.count
            ),
            (0, near) => format!("no declaration `{names}` itself; {near} with its words"),
            (1, 1) => "1 declaration".to_owned(),
            (exact, all) if exact == all => format!("{exact} declarations"),
            (exact, all) => format!("{exact} of that name, {} with its words", all - exact),
        }
    }

    /// A line for each declaration, as many as fit so many tokens.
    pub fn body(&self, room: u64) -> String {
        let mut text = self.files_shown();
        let mut used = Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default();
        let tail = 16;
        for (number, place) in self.places.iter().enumerate() {
            let (first, last) = place.lines;
            let line = format!(
                "{}:{first}-{last} {} {}\n",
                shown_path(&place.path),
                place.kind,
                escape_invisible(&place.name)
            );
            let cost = Tokenizer::O200kBase.count(line.as_bytes()).unwrap_or_default();
            if used + cost + tail > room {
                let more = self.places.len() - number + self.more;
                let _ = writeln!(text, "{more} more: name a folder, or more words");
                return text;
            }
            used += cost;
            text.push_str(&line);
        }
        if self.more > 0 {
            let _ = writeln!(text, "{} more: name a folder, or more words", self.more);
        }
        text
    }

    /// The files of that name, the first of many.
    fn files_shown(&self) -> String {
        let mut text = String::new();
        for path in self.files.iter().take(MOST_FILES) {
            let _ = writeln!(text, "{}", shown_path(path));
        }
        if self.files.len() > MOST_FILES {
            let more = self.files.len() - MOST_FILES;
            let _ = writeln!(text, "{more} more files: name more of it, or a folder");
        }
        text
    }

    /// The report for machines.
    pub fn to_wire(&self) -> SearchReportV1 {
        let file = |path: &String| SearchFileV1 {
            path: path.clone(),
            class: FileClass::of(path).name(),
            groups: Vec::new(),
        };
        SearchReportV1 {
            v: 1,
            files: self.files.iter().map(file).collect(),
            searched: self.searched.count as u64,
            places: self.places.iter().map(TaskPlace::to_wire).collect(),
            ..SearchReportV1::default()
        }
    }
}
