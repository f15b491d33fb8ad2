//! The use case of `portolan look`: what files and declarations need, and who uses them.

mod declared;
mod files;
mod heirs;
mod hooks;
mod text;
mod uses;

use std::collections::BTreeSet;

use portolan_symbols::resolver::Place;
use portolan_types::NoticeCode;

use super::target::{Target, TargetError};
use crate::account::Account;
use crate::read::ReadError;
use crate::search::{self, Mention};
use crate::target::TargetLookup;
use crate::unresolved::Unresolved;
use portolan_index::map::MapReport;
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_vfs::System;
pub use portolan_wire::question::Side;
use portolan_workspace::config::Loaded;

/// What to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookRequest {
    /// The targets as they are written.
    pub targets: Vec<String>,
    /// Which way.
    pub side: Side,
    /// How many steps away; at least one is taken.
    pub depth: u8,
    /// Which uses of a declaration are shown.
    pub filter: UseFilter,
    /// Whether unresolved names are listed.
    pub verbose: bool,
}

/// Which uses of a declaration are shown; without a choice, all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UseFilter {
    /// Those without a doubt.
    pub certain: bool,
    /// Those that could not be decided.
    pub possible: bool,
    /// Those in tests.
    pub tests: bool,
}

impl UseFilter {
    /// Whether a use is shown.
    fn takes(self, it: &Neighbour) -> bool {
        let is_possible = it.marks.contains(&"likely");
        let is_any = self.certain == self.possible;
        (is_any || self.possible == is_possible) && (!self.tests || it.is_test)
    }
}

impl Default for LookRequest {
    fn default() -> Self {
        Self {
            targets: Vec::new(),
            side: Side::Both,
            depth: 1,
            filter: UseFilter::default(),
            verbose: false,
        }
    }
}

/// What was seen of all targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookReport {
    /// One for each target, in their order.
    pub looks: Vec<Look>,
}

/// What was seen of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The target.
    pub target: String,
    /// The other files that have the name that was asked for, nearest first.
    pub also: Vec<String>,
    /// What it needs, nearest first; `None` where that was not asked for.
    pub needs: Option<Vec<Neighbour>>,
    /// The names in it that could not be resolved.
    pub unresolved: Vec<Unresolved>,
    /// Who uses it, nearest first.
    pub users: Option<Vec<Neighbour>>,
    /// What the words of its name came to, for a declaration.
    pub account: Option<Account>,
    /// The lines of strings and other files that name it, where no code uses it.
    pub mentions: Vec<Mention>,
    /// Where no code uses it: how code from outside may reach it.
    pub hooks: Vec<String>,
    /// What overrides or implements a member, and what it overrides or implements.
    pub overrides: Vec<Neighbour>,
    /// Whether only these were asked for.
    pub is_overrides: bool,
    /// Whether these are the types with members of a type.
    pub is_heirs: bool,
    /// Which uses are shown.
    pub filter: UseFilter,
    /// Whether to show details that a reader cannot act on.
    pub verbose: bool,
    /// How many files were looked through for users.
    pub searched: usize,
    /// How many of these have a template, which is not read.
    pub templates: usize,
    /// How many files import what they compute, and may so import it.
    pub computed: usize,
    /// How many files there are.
    pub files: usize,
    /// How many files could not be read whole: what they use is not known.
    pub unread: usize,
    /// Whether it is a file, and not a declaration of one.
    pub is_file: bool,
    /// Whether its declarations and imports are read.
    pub is_code: bool,
    /// Whether imports are read in its language: else nothing that was found says nothing.
    pub is_read: bool,
}

/// A file or declaration that has to do with a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// How many steps away it is.
    pub hop: u8,
    /// The file, or the module's name.
    pub file: String,
    /// The line, for a declaration or a use.
    pub line: Option<u32>,
    /// The declaration's name, or the line that uses it.
    pub name: Option<String>,
    /// For files: `type`, `dynamic`, and `barrel` where the name is re-exported on the way. For
    /// declarations: its kind, and `likely` where there is a doubt.
    pub marks: Vec<&'static str>,
    /// For a use: the declaration that it is in, and the line of that.
    pub around: Option<(String, u32)>,
    /// For a use: the related member that it is a use of.
    pub through: Option<String>,
    /// For a use: why there is a doubt.
    pub why: Option<&'static str>,
    /// For a use: whether it is in a test.
    pub is_test: bool,
}

/// Looks at the targets.
pub fn look(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    store: &DeclarationStore,
    request: &LookRequest,
) -> Result<LookReport, ReadError> {
    let (filter, verbose) = (request.filter, request.verbose);
    let of_map = |seen: Look| Look {
        filter,
        verbose,
        files: map.universe.len(),
        unread: unread(map),
        ..seen
    };
    let looks = with_symbols(system, config, map, store, |symbols| {
        let mut looks = Vec::new();
        for text in TargetLookup(symbols).targets(&request.targets) {
            let text = text.as_str();
            let target = TargetLookup(symbols).target(text);
            let package = || files::look_at_module(symbols, text, request);
            let is_name = matches!(target, Target::Name(_));
            if let Some(seen) = is_name.then(package).flatten() {
                // Its types may be declared here: whoever asks means the package that files import.
                let also = TargetLookup(symbols).module_declarations(&target);
                if !also.is_empty() {
                    looks.push(Look { also, ..of_map(seen) });
                    continue;
                }
            }
            let seen = match &target {
                Target::File(path) => files::look_at(symbols, path, request),
                _ => declared::look_at(symbols, &target.spelled(text), &target, request),
            };
            // What is neither a file nor a declaration may be a package that files import.
            let seen = seen.or_else(|error| package().ok_or(error))?;
            let also = target.path().map(|path| TargetLookup(symbols).others(text, path));
            let also = also.unwrap_or_default();
            let mentions = mentions_of((system, config), symbols, &target, &seen);
            looks.push(Look { also, mentions, ..of_map(seen) });
        }
        Ok::<_, TargetError>(looks)
    })?;
    Ok(LookReport { looks: looks? })
}

/// The lines that name a declaration which no code uses: whoever reads "none" takes it for dead. A sweep that fails finds
/// nothing; the Map has told of the same failure.
fn mentions_of(
    (system, config): (&dyn System, &Loaded),
    symbols: &SymbolDb<'_>,
    target: &Target,
    seen: &Look,
) -> Vec<Mention> {
    let is_unused = seen.account.is_some() && seen.users.as_ref().is_some_and(Vec::is_empty);
    let name = seen.target.rsplit(['#', '.', ':']).next().unwrap_or_default();
    if !is_unused || name.is_empty() {
        return Vec::new();
    }
    let found = TargetLookup(symbols).find(target).unwrap_or_default();
    let Some(home) = found.first().map(|focus| symbols.path(focus.place.file)) else {
        return Vec::new();
    };
    search::mentions(system, config, name, &home).unwrap_or_default()
}

/// Who uses some declarations, for an answer that shows these.
pub(crate) fn users_of_read(
    symbols: &SymbolDb<'_>,
    map: &MapReport,
    target: String,
    places: &[Place],
) -> LookReport {
    let seen = declared::users_look(symbols, target, places);
    LookReport { looks: vec![Look { files: map.universe.len(), unread: unread(map), ..seen }] }
}

/// How many files could not be read whole.
fn unread(map: &MapReport) -> usize {
    let hides = |code: NoticeCode| {
        matches!(
            code,
            NoticeCode::ScanUnreadable
                | NoticeCode::SyntaxBroken
                | NoticeCode::SyntaxTooDeep
                | NoticeCode::GuardSilenced
        )
    };
    let about = map.notices.iter().filter(|notice| hides(notice.code));
    about.map(|notice| &notice.place).collect::<BTreeSet<_>>().len()
}
