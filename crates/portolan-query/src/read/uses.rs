//! What declarations refer to, by name and place: one line below what is read.

use portolan_types::FileId;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use portolan_symbols::resolver::{Need, SymbolSource as _};
use portolan_types::declarations::DeclarationKind;

use crate::account::qualified;
use crate::slices::{FocusedLines, needs_of};
use crate::unresolved::{Unresolved, unresolved_of};
use portolan_index::symbols::SymbolDb;

/// A declaration that is referred to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedName {
    /// Whether it is in another file than what was read.
    pub is_elsewhere: bool,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Its name, with that of its parent.
    pub name: String,
    /// Whether there is no doubt that it is meant.
    pub is_exact: bool,
}

/// The most names that a line of text lists.
const MOST_NAMES: usize = 10;

/// What some lines refer to: those of their own files first, then by path and line.
/// Also list unresolved names.
pub(super) fn uses_of(
    symbols: &SymbolDb<'_>,
    regions: &[FocusedLines],
) -> (Vec<UsedName>, Vec<Unresolved>) {
    let needed = needs_of(symbols, regions, 1);
    let found = &needed.needs;
    let here: BTreeSet<FileId> = regions.iter().map(|region| region.focus.place.file).collect();
    let mut used: Vec<UsedName> = found
        .iter()
        .filter(|need| !is_field(symbols, need))
        .filter_map(|need| {
            Some(UsedName {
                is_elsewhere: !here.contains(&need.place.file),
                file: symbols.path(need.place.file),
                line: symbols.line_of(need.place)?,
                name: qualified(symbols, need.place).filter(|name| !name.is_empty())?,
                is_exact: need.is_exact,
            })
        })
        .collect();
    used.sort();
    used.dedup_by(|left, right| (&left.file, left.line) == (&right.file, right.line));
    (used, unresolved_of(symbols, &needed))
}

/// Whether it is a field or a variant: the code that is read shows what it does with it.
fn is_field(symbols: &SymbolDb<'_>, need: &Need) -> bool {
    let facts = symbols.file(need.place.file).unwrap_or_default();
    let kind = facts.item(need.place.item).map(|item| item.kind);
    matches!(kind, Some(DeclarationKind::Property | DeclarationKind::EnumMember))
}

/// The names as one line; `None` where there are none. Files are written once, the first ones are of the files that were
/// read.
pub(super) fn uses_line(used: &[UsedName], is_one_file: bool) -> Option<String> {
    if used.is_empty() {
        return None;
    }
    let mut line = "uses:".to_owned();
    let mut file: Option<&str> = None;
    for (at, it) in used.iter().take(MOST_NAMES).enumerate() {
        let is_new = file != Some(it.file.as_str()) && (it.is_elsewhere || !is_one_file);
        line.push_str(match (at, is_new) {
            (0, _) => " ",
            (_, true) => "; ",
            (_, false) => ", ",
        });
        if is_new {
            let _ = write!(line, "{} ", it.file);
        }
        file = Some(&it.file);
        let doubt = if it.is_exact { "" } else { "~" };
        let _ = write!(line, "{doubt}{} {}", it.name, it.line);
    }
    if used.len() > MOST_NAMES {
        let _ = write!(line, "; … {} more: --needs signatures", used.len() - MOST_NAMES);
    }
    line.push('\n');
    Some(line)
}
