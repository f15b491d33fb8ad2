//! Declarations of a repository by their name, for targets that name no file.

use std::sync::Arc;

use memchr::memmem;
use portolan_languages::is_declaring_program;
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};
use rayon::prelude::*;

use crate::map_paths;
use crate::name_likeness::{NameLikeness, WantedName};
use crate::read::extensions_called;
use crate::search::plain_head;
use portolan_index::map::UniverseFile;
use portolan_index::symbols::{CodeReader, SymbolDb};

/// Larger files are not looked through.
const LARGE: u64 = 4 << 20;

/// The most enclosing declarations that are part of a name.
const DEEPEST: usize = 16;

/// A declaration with a name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedDeclaration {
    /// Its name, with that of what it is a member of.
    pub(super) name: String,
    /// The same with the names of all that is around it.
    pub(super) full: String,
    /// The file.
    pub(super) file: String,
    /// Its number in the file.
    pub(super) item: u32,
    /// Whether another file may name it.
    pub(super) is_exported: bool,
    /// Whether it is inside of code that runs.
    pub(super) is_local: bool,
    /// Where it is in the file.
    at: u32,
}

impl NamedDeclaration {
    /// What its file is for: ordinary code is 0.
    pub(super) fn file_rank(&self) -> u8 {
        map_paths::rank(&self.file)
    }

    pub(super) fn is_member(&self) -> bool {
        self.name.contains('.')
    }

    /// How many of the last parts of a name are its own last parts.
    pub(super) fn shared_parts(&self, asked: &[&str]) -> usize {
        let own = self.full.rsplit('.').map(unmarked);
        own.zip(asked.iter().rev()).take_while(|(own, asked)| own == *asked).count()
    }
}

/// A name without the mark of private members, which people leave out.
pub(super) fn unmarked(name: &str) -> &str {
    name.strip_prefix('#').unwrap_or(name)
}

/// The name of a declaration with the names of all that is around it, as a search prints it.
pub(crate) fn whole_name(facts: &Declarations, item: u32) -> String {
    let around = facts.ancestors(item).filter_map(|around| facts.item(around));
    let names = around.map(|it| facts.name(it.name)).filter(|name| !name.is_empty());
    let mut names: Vec<&str> = names.take(DEEPEST).collect();
    names.reverse();
    names.join(".")
}

/// Whether a whole name, or the end of one, is what was asked for.
pub(super) fn is_called(whole: &str, asked: &str) -> bool {
    let before = whole.strip_suffix(asked);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The same where a mark of private members may be left out.
pub(super) fn is_nearly_called(whole: &str, asked: &str) -> bool {
    let plain = |name: &str| name.split('.').map(unmarked).collect::<Vec<_>>().join(".");
    (whole.contains('#') || asked.contains('#')) && is_called(&plain(whole), &plain(asked))
}

/// The declarations whose whole name ends with a name: those of ordinary code first, of them exported ones, members last,
/// local ones after all others. Only files with the name in them are read.
pub(super) fn declared_as(symbols: &SymbolDb<'_>, name: &str) -> Vec<NamedDeclaration> {
    of_name(sharing_last_part(symbols, name), name)
}

/// Those of some declarations whose whole name ends with a name.
pub(super) fn of_name(mut all: Vec<NamedDeclaration>, name: &str) -> Vec<NamedDeclaration> {
    if all.iter().any(|it| is_called(&it.full, name)) {
        all.retain(|it| is_called(&it.full, name));
    } else {
        all.retain(|it| is_nearly_called(&it.full, name));
    }
    all
}

/// The declarations that have the last part of a name, in the same order.
pub(super) fn sharing_last_part(symbols: &SymbolDb<'_>, name: &str) -> Vec<NamedDeclaration> {
    let wanted = unmarked(name.rsplit('.').next().unwrap_or(name));
    if wanted.is_empty() {
        return Vec::new();
    }
    let takes = |own: &str| {
        let last = own.rsplit('.').next().unwrap_or(own);
        (own == wanted || unmarked(last) == wanted).then_some(())
    };
    let reader = symbols.reader();
    let finder = memmem::Finder::new(wanted.as_bytes());
    let code = files_of_code(symbols);
    let may_stand = |file: &&&UniverseFile| reader.may_stand(&file.sha256, &finder, &file.absolute);
    let found = code
        .par_iter()
        .filter(may_stand)
        .flat_map_iter(|file| declarations(reader, file, &takes).into_iter());
    let mut found: Vec<NamedDeclaration> = found.map(|((), it)| it).collect();
    found.sort_by(|left, right| rank(left).cmp(&rank(right)));
    found
}

/// How many files of code have each of some words: who is named in more of them is likelier meant.
pub(super) fn files_with(symbols: &SymbolDb<'_>, words: &[&str]) -> Vec<usize> {
    let reader = symbols.reader();
    let code = files_of_code(symbols);
    let count = |word: &&str| {
        let finder = memmem::Finder::new(word.as_bytes());
        let has = |file: &&&UniverseFile| reader.may_stand(&file.sha256, &finder, &file.absolute);
        code.par_iter().filter(has).count()
    };
    words.iter().map(count).collect()
}

/// The declarations whose names are like one that nothing has, best first. All files are read for that.
pub(super) fn named_like(symbols: &SymbolDb<'_>, name: &str) -> Vec<NamedDeclaration> {
    let own = name.rsplit('.').next().unwrap_or(name);
    let Some(wanted) = WantedName::new(own) else { return Vec::new() };
    let like = |own: &str| wanted.likeness(own, own).or_else(|| wanted.stands_for(own));
    let (reader, code) = (symbols.reader(), files_of_code(symbols));
    let found = code.par_iter().flat_map_iter(|file| declarations(reader, file, &like).into_iter());
    let mut found: Vec<(NameLikeness, NamedDeclaration)> = found.collect();
    found.sort_by(|left, right| (left.0, rank(&left.1)).cmp(&(right.0, rank(&right.1))));
    found.into_iter().map(|(_, it)| it).filter(|it| !it.is_local).collect()
}

/// The extensions of a head, `impl Read for File`, wherever they are.
pub(super) fn extensions_as(symbols: &SymbolDb<'_>, head: &str) -> Vec<(String, u32)> {
    let head = plain_head(head);
    let Some(wanted) = head.rsplit(' ').next().filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let reader = symbols.reader();
    let finder = memmem::Finder::new(wanted.as_bytes());
    let code = files_of_code(symbols);
    let may_stand = |file: &&&UniverseFile| reader.may_stand(&file.sha256, &finder, &file.absolute);
    let found = code.par_iter().filter(may_stand).flat_map_iter(|file| {
        let facts = facts_of(reader, file).unwrap_or_default();
        let is_it = |it: &Declaration| {
            it.kind == DeclarationKind::Extension && facts.name(it.name) == wanted
        };
        let has = facts.items.iter().any(is_it);
        let loaded = has.then(|| reader.load(file.path.as_str(), &file.absolute)).flatten();
        let items = loaded.map(|it| extensions_called(&it, &head)).unwrap_or_default();
        items.into_iter().map(|item| (file.path.to_string(), item)).collect::<Vec<_>>()
    });
    let mut found: Vec<(String, u32)> = found.collect();
    found.sort_by_cached_key(|(file, item)| (map_paths::rank(file), file.clone(), *item));
    found
}

/// The order of declarations: as files are ranked, and of the same rank the outer folders first.
fn rank(it: &NamedDeclaration) -> (bool, u8, bool, bool, usize, &str, u32) {
    let depth = it.file.matches('/').count();
    (it.is_local, it.file_rank(), !it.is_exported, it.is_member(), depth, &it.file, it.at)
}

fn files_of_code<'s>(symbols: &'s SymbolDb<'_>) -> Vec<&'s UniverseFile> {
    let is_searched =
        |file: &&UniverseFile| is_declaring_program(file.path.as_str()) && file.size <= LARGE;
    symbols.map().universe.iter().filter(is_searched).collect()
}

/// What a file declares: known, or read now.
fn facts_of(reader: &CodeReader<'_>, file: &UniverseFile) -> Option<Arc<Declarations>> {
    match reader.stored(&file.path, &file.sha256) {
        Some(known) => Some(known.facts),
        None => Some(reader.load(file.path.as_str(), &file.absolute)?.facts),
    }
}

/// The declarations of a file with a name that is taken, each with what the name was taken for.
fn declarations<T>(
    reader: &CodeReader<'_>,
    file: &UniverseFile,
    takes: &dyn Fn(&str) -> Option<T>,
) -> Vec<(T, NamedDeclaration)> {
    let facts = facts_of(reader, file).unwrap_or_default();
    let found = facts.items.iter().zip(0u32..).filter(|(item, _)| is_named(item));
    let found = found.filter_map(|(item, number)| {
        let own = facts.name(item.name);
        let taken = takes(own)?;
        let parent = facts.item(item.parent).filter(|_| item.parent != NONE);
        let name = match parent {
            Some(parent) => format!("{}.{own}", facts.name(parent.name)),
            None => own.to_owned(),
        };
        let is_exported = parent.unwrap_or(item).flags.has(Flags::EXPORTED);
        let is_local = item.flags.has(Flags::LOCAL);
        let (full, file) = (whole_name(&facts, number), file.path.to_string());
        let it =
            NamedDeclaration { name, full, file, item: number, is_exported, is_local, at: item.at };
        Some((taken, it))
    });
    found.collect()
}

/// Whether a declaration can be asked for by its name, as a search lists it: a local variable says nothing.
pub(crate) fn is_named(item: &Declaration) -> bool {
    match item.kind {
        DeclarationKind::Statement | DeclarationKind::Extension => false,
        DeclarationKind::Variable
        | DeclarationKind::Property
        | DeclarationKind::Signature
        | DeclarationKind::EnumMember
        | DeclarationKind::Type => !item.flags.has(Flags::LOCAL),
        _ => true,
    }
}
