//! The use case of `portolan find`: declarations by name.
//!
//! A file is parsed only if the name stands in it; where no declaration has the name itself, all are
//! searched for its words, its initials and what may be a slip of the pen.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use memchr::memmem;
use portolan_guard::redact;
use portolan_languages::{Languages, is_declaring_program};
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};
use rayon::prelude::*;

use portolan_index::map::{MapError, MapReport, UniverseFile};
use portolan_index::pool::on_threads;
use portolan_index::symbols::{CodeReader, DeclarationStore, Loaded, SymbolDb};
use portolan_vfs::System;
use portolan_workspace::config::Loaded as Config;

/// A declaration that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name, with that of what it is a member of.
    pub name: String,
    /// Which sort, as its language calls it.
    pub kind: &'static str,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether another file may name it.
    pub is_exported: bool,
    /// In how many other files of code the bare name stands, comments and texts left aside. For a member that is
    /// no more than a word.
    pub files: usize,
    /// Whether it has the name itself.
    pub is_exact: bool,
}

impl Found {
    /// Its name without that of what it is a member of.
    fn own_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }

    fn is_member(&self) -> bool {
        self.name.contains('.')
    }
}

/// The declarations of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindReport {
    /// What was found: exported ones first, then by place. Where only members have the name itself, and it is a single
    /// word, what is exported and has it as a word comes before them.
    pub found: Vec<Found>,
    /// Whether some have the name itself; else all look like it, best first.
    pub is_exact: bool,
    /// How many were found beyond the limit.
    pub more: usize,
    /// How many files were looked through.
    pub searched: usize,
}

/// Larger files are not looked through.
const LARGE: u64 = 4 << 20;

/// Finds the declarations of a name, at most `limit`.
pub fn find(
    system: &dyn System,
    config: &Config,
    map: &MapReport,
    store: &DeclarationStore,
    name: &str,
    limit: usize,
) -> Result<FindReport, MapError> {
    let reader = CodeReader { system, guard: config.settings.secrets.guard(), store };
    on_threads(0, || search(&reader, map, name, limit, Reach::Wide))
}

/// The same, with what a symbols has at hand.
pub(super) fn find_in(
    symbols: &SymbolDb<'_>,
    name: &str,
    limit: usize,
    reach: Reach,
) -> FindReport {
    search(symbols.reader(), symbols.map(), name, limit, reach)
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Only the name itself.
    Exact,
    /// What looks like it, where nothing has the name: all files are read for that.
    Alike,
    /// What looks like it, where nothing that is exported has the name.
    Wide,
}

fn search(
    reader: &CodeReader<'_>,
    map: &MapReport,
    name: &str,
    limit: usize,
    reach: Reach,
) -> FindReport {
    let is_searched =
        |file: &&UniverseFile| is_declaring_program(file.path.as_str()) && file.size <= LARGE;
    let code: Vec<&UniverseFile> = map.universe.iter().filter(is_searched).collect();
    let (owner, wanted) = match name.rsplit_once('.') {
        Some((owner, member)) => (Some(owner), member),
        None => (None, name),
    };
    let finder = memmem::Finder::new(wanted.as_bytes());
    let stands_in = |file: &UniverseFile| {
        !wanted.is_empty() && reader.may_stand(&file.sha256, &finder, &file.absolute)
    };
    let searched: Vec<(usize, Vec<Found>)> = code
        .par_iter()
        .filter(|file| stands_in(file))
        .map(|file| {
            let facts = facts_of(reader, file);
            let stands = facts.as_ref().is_some_and(|facts| facts.find_name(wanted).is_some());
            let is_it = |facts: &Declarations, name: u32| facts.name(name) == wanted;
            (usize::from(stands), declared(reader, file, facts, &is_it))
        })
        .collect();
    let files: usize = searched.iter().map(|(stands, _)| stands).sum();
    let mut found: Vec<Found> = searched.into_iter().flat_map(|(_, found)| found).collect();
    if let Some(owner) = owner {
        found.retain(|it| it.name.rsplit_once('.').is_some_and(|(own, _)| own == owner));
    }
    let is_exact = !found.is_empty();
    found.sort_by_key(|it| (!it.is_exported, it.is_member(), it.file.clone(), it.line));
    for it in &mut found {
        (it.is_exact, it.files) = (true, files.saturating_sub(1));
    }
    let is_wide = reach == Reach::Wide
        && owner.is_none()
        && !found.iter().any(|it| it.is_exported && !it.is_member());
    if (reach != Reach::Exact && !is_exact) || is_wide {
        let mut alike = looking_like(reader, &code, wanted);
        alike.retain(|it| !is_exact || it.own_name() != wanted);
        // What is exported and has the name as a word is meant sooner than a member that is called so, unless nobody
        // would write that name who does not mean it: `bulk_create` is one.
        let is_plain = words(wanted).nth(1).is_none();
        let is_before = |it: &Found| is_plain && it.is_exported && !it.is_member();
        let (before, after): (Vec<Found>, Vec<Found>) =
            alike.into_iter().partition(|it| is_exact && is_before(it));
        let members = found.iter().position(Found::is_member).unwrap_or(found.len());
        found.splice(members..members, before);
        found.extend(after);
    }
    let more = found.len().saturating_sub(limit);
    found.truncate(limit);
    if reach == Reach::Wide {
        count_files(reader, &code, &mut found);
    }
    FindReport { found, is_exact, more, searched: code.len() }
}

/// In how many other files the names of what only looks like the wanted one stand.
fn count_files(reader: &CodeReader<'_>, code: &[&UniverseFile], found: &mut [Found]) {
    let names: BTreeSet<String> =
        found.iter().filter(|it| !it.is_exact).map(|it| it.own_name().to_owned()).collect();
    if names.is_empty() {
        return;
    }
    let per_file: Vec<Vec<&String>> = code
        .par_iter()
        .map(|file| {
            let facts = facts_of(reader, file).unwrap_or_default();
            facts.names.iter().filter_map(|name| names.get(&**name)).collect()
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in per_file.into_iter().flatten() {
        *counts.entry(name).or_default() += 1;
    }
    for it in found.iter_mut().filter(|it| !it.is_exact) {
        it.files = counts.get(it.own_name()).map_or(0, |count| count.saturating_sub(1));
    }
}

/// What a file declares: known, or read now.
fn facts_of(reader: &CodeReader<'_>, file: &UniverseFile) -> Option<Arc<Declarations>> {
    match reader.stored(&file.path, &file.sha256) {
        Some(known) => Some(known.facts),
        None => Some(reader.load(file.path.as_str(), &file.absolute)?.facts),
    }
}

fn looking_like(reader: &CodeReader<'_>, code: &[&UniverseFile], wanted: &str) -> Vec<Found> {
    let fits = |facts: &Declarations, name: u32| likeness(wanted, facts.name(name)) > 0;
    let mut found: Vec<(Rank, Found)> = code
        .par_iter()
        .flat_map_iter(|file| {
            let all = declared(reader, file, facts_of(reader, file), &fits);
            all.into_iter().map(|found| (rank(wanted, &found), found))
        })
        .collect();
    found.sort_by(|left, right| {
        (left.0, &left.1.file, left.1.line).cmp(&(right.0, &right.1.file, right.1.line))
    });
    found.into_iter().map(|(_, found)| found).collect()
}

/// Where something stands among what looks like a name: by the sort of likeness, then by how much it is like it, then by
/// who may name it.
type Rank = (u8, Reverse<u32>, Reverse<usize>, bool, bool);

fn rank(wanted: &str, found: &Found) -> Rank {
    let name = found.own_name();
    let likeness = likeness(wanted, name);
    let is_slip = likeness == SLIP;
    let sort = match (likeness, found.is_member(), found.is_exported) {
        (INITIALS.., ..) => 0,
        _ if is_slip => 4,
        (_, false, true) => 1,
        (_, false, false) => 2,
        (_, true, _) => 3,
    };
    // Of names that may be meant by a slip of the pen the nearest one is.
    let near = if is_slip {
        portolan_workspace::similar::likeness(&wanted.to_lowercase(), &name.to_lowercase())
    } else {
        0
    };
    (sort, Reverse(likeness), Reverse(near), found.is_member(), !found.is_exported)
}

/// Likenesses: of initials, and of what may be a slip of the pen. That of words is between.
const INITIALS: u32 = 80;
const SLIP: u32 = 40;

/// How much a name is like another: 0 for not at all.
fn likeness(wanted: &str, name: &str) -> u32 {
    if name.is_empty() || wanted.is_empty() {
        return 0;
    }
    let (low_wanted, low) = (wanted.to_lowercase(), name.to_lowercase());
    if low == low_wanted {
        return 100;
    }
    let initials: String = words(name).filter_map(|word| word.chars().next()).collect();
    // Two letters are initials where they are written as such.
    let count = wanted.chars().count();
    let are_initials = count > 2 || count == 2 && wanted.chars().all(char::is_uppercase);
    if are_initials && initials.eq_ignore_ascii_case(wanted) {
        return INITIALS;
    }
    let asked: Vec<String> = words(wanted).map(str::to_lowercase).collect();
    let own: Vec<String> = words(name).map(str::to_lowercase).collect();
    let common = asked.iter().filter(|word| own.contains(word)).count();
    if common == asked.len() && common > 0 {
        return 70 - (own.len() - common).min(20) as u32;
    }
    let is_near =
        portolan_workspace::similar::similar(&low_wanted, std::iter::once(low.as_str()), 1);
    if is_near.is_empty() { 0 } else { SLIP }
}

/// The words of a name: `getHTTPUrl2` is `get`, `HTTP`, `Url2`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name.trim_matches(|c: char| !c.is_alphanumeric());
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        if rest.is_empty() {
            return None;
        }
        let chars: Vec<(usize, char)> = rest.char_indices().collect();
        let end = chars.windows(2).zip(1..).find_map(|(pair, next)| {
            let [(_, here), (at, there)] = pair else { return None };
            let after = chars.get(next + 1).map(|(_, c)| *c);
            let is_start = there.is_uppercase()
                && (!here.is_uppercase() || after.is_some_and(char::is_lowercase));
            (is_start || !there.is_alphanumeric()).then_some(*at)
        });
        let (word, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left;
        Some(word)
    })
}

/// The declarations of a file whose name fits.
fn declared(
    reader: &CodeReader<'_>,
    file: &UniverseFile,
    facts: Option<Arc<Declarations>>,
    fits: &dyn Fn(&Declarations, u32) -> bool,
) -> Vec<Found> {
    let is_shown = |facts: &Declarations, item: &Declaration| {
        !item.flags.has(Flags::LOCAL)
            && !matches!(item.kind, DeclarationKind::Statement | DeclarationKind::Extension)
            && fits(facts, item.name)
    };
    if !facts.is_some_and(|facts| facts.items.iter().any(|item| is_shown(&facts, item))) {
        return Vec::new();
    }
    // Only the text knows lines, and it says what is there now.
    let Some(Loaded { facts, lines, .. }) = reader.load(file.path.as_str(), &file.absolute) else {
        return Vec::new();
    };
    let own = facts.items.iter().filter(|item| is_shown(&facts, item));
    let found = own.map(|item| {
        let parent = facts.item(item.parent).filter(|_| item.parent != NONE);
        let name = match parent {
            Some(parent) => format!("{}.{}", facts.name(parent.name), facts.name(item.name)),
            None => facts.name(item.name).to_owned(),
        };
        Found {
            name,
            kind: Languages::default().kind_word(file.path.as_str(), item.kind),
            file: file.path.to_string(),
            line: lines.of(item.at),
            is_exported: parent.unwrap_or(item).flags.has(Flags::EXPORTED),
            files: 0,
            is_exact: false,
        }
    });
    found.collect()
}

impl FindReport {
    /// The answer as text.
    pub fn to_text(&self, name: &str) -> String {
        let (mut text, name) = (String::new(), redact(name));
        if self.found.is_empty() {
            return format!("no declaration `{name}` in {} files of code\n", self.searched);
        }
        if !self.is_exact {
            let _ = writeln!(
                text,
                "no declaration `{name}` in {} files of code; nearest:",
                self.searched
            );
        }
        for it in &self.found {
            let mark = if it.is_exported { "" } else { " (not exported)" };
            let _ = write!(text, "{}:{} {} {}{mark}", it.file, it.line, it.kind, it.name);
            let _ = if it.is_exact {
                writeln!(text)
            } else {
                writeln!(text, ", in {}", other_files(it.files))
            };
        }
        if self.more > 0 {
            let _ = writeln!(text, "… {} more: a larger limit shows them", self.more);
        }
        if let Some(it) = self.found.iter().find(|it| it.is_exact) {
            let _ = writeln!(text, "mentioned in {}", other_files(it.files));
        }
        text
    }
}

fn other_files(count: usize) -> String {
    let noun = if count == 1 { "file" } else { "files" };
    format!("{count} other {noun}")
}

#[cfg(test)]
mod tests {
    use super::{SLIP, likeness, words};

    #[test]
    fn names_are_made_of_words() {
        let check = |name: &str, expected: &[&str]| {
            assert_eq!(words(name).collect::<Vec<_>>(), expected, "{name}");
        };
        check("getHTTPUrl2", &["get", "HTTP", "Url2"]);
        check("snake_case_name", &["snake", "case", "name"]);
        check("$ZodIssue", &["Zod", "Issue"]);
        check("", &[]);
    }

    #[test]
    fn case_initials_words_and_slips_are_alike_and_others_are_not() {
        assert_eq!(likeness("httpbatchlink", "httpBatchLink"), 100);
        assert_eq!(likeness("gcai", "getCurvedArrowInfo"), 80);
        assert_eq!((likeness("WB", "WalkBuilder"), likeness("wb", "WalkBuilder")), (80, 0));
        assert!(likeness("curvedArrow", "getCurvedArrowInfo") > 60);
        assert_eq!(likeness("getCurveArrowInfo", "getCurvedArrowInfo"), SLIP);
        assert_eq!(likeness("zebra", "getCurvedArrowInfo"), 0);
    }
}
