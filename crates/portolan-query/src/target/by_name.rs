//! Declarations of a repository by their name, for targets that name no file.

use std::sync::Arc;

use memchr::memmem;
use portolan_languages::is_declaring_program;
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};
use rayon::prelude::*;

use crate::map_paths;
use crate::name_likeness::{NameLikeness, WantedName};
use portolan_index::map::UniverseFile;
use portolan_index::symbols::{CodeReader, SymbolDb};

/// Larger files are not looked through.
const LARGE: u64 = 4 << 20;

/// A declaration with a name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedDeclaration {
    /// Its name, with that of what it is a member of.
    pub(super) name: String,
    /// The file.
    pub(super) file: String,
    /// Whether another file may name it.
    pub(super) is_exported: bool,
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
}

/// The declarations that have a name: those of ordinary code first, of them exported ones, members last. Only files with the name in them are read.
pub(super) fn declared_as(symbols: &SymbolDb<'_>, name: &str) -> Vec<NamedDeclaration> {
    let (owner, wanted) = match name.rsplit_once('.') {
        Some((owner, member)) => (Some(owner), member),
        None => (None, name),
    };
    if wanted.is_empty() {
        return Vec::new();
    }
    let reader = symbols.reader();
    let finder = memmem::Finder::new(wanted.as_bytes());
    let code = files_of_code(symbols);
    let may_stand = |file: &&&UniverseFile| reader.may_stand(&file.sha256, &finder, &file.absolute);
    let found = code.par_iter().filter(may_stand).flat_map_iter(|file| {
        declarations(reader, file, &|own| (own == wanted).then_some(())).into_iter()
    });
    let mut found: Vec<NamedDeclaration> = found.map(|((), it)| it).collect();
    if let Some(owner) = owner {
        found.retain(|it| it.name.rsplit_once('.').is_some_and(|(own, _)| own == owner));
    }
    found.sort_by(|left, right| rank(left).cmp(&rank(right)));
    found
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
    found.into_iter().map(|(_, it)| it).collect()
}

/// The order of declarations: as files are ranked, and of the same rank the outer folders first.
fn rank(it: &NamedDeclaration) -> (u8, bool, bool, usize, &str, u32) {
    let depth = it.file.matches('/').count();
    (it.file_rank(), !it.is_exported, it.is_member(), depth, &it.file, it.at)
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
    let is_shown = |item: &&Declaration| {
        !item.flags.has(Flags::LOCAL)
            && !matches!(item.kind, DeclarationKind::Statement | DeclarationKind::Extension)
    };
    let found = facts.items.iter().filter(is_shown).filter_map(|item| {
        let own = facts.name(item.name);
        let taken = takes(own)?;
        let parent = facts.item(item.parent).filter(|_| item.parent != NONE);
        let name = match parent {
            Some(parent) => format!("{}.{own}", facts.name(parent.name)),
            None => own.to_owned(),
        };
        let is_exported = parent.unwrap_or(item).flags.has(Flags::EXPORTED);
        let file = file.path.to_string();
        Some((taken, NamedDeclaration { name, file, is_exported, at: item.at }))
    });
    found.collect()
}
