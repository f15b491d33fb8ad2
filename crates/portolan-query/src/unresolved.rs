//! Describes names that could not be resolved.

use std::collections::BTreeMap;

use portolan_symbols::resolver::{Needs, Place, SymbolSource as _};
use portolan_types::declarations::NONE;

use portolan_index::symbols::SymbolDb;

/// A name that could not be resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// As it is written, with what it is a member of.
    pub name: String,
    /// The members of that name in reach, as targets: `path#Class.member`.
    pub like: Vec<String>,
}

/// The most names that the text lists.
const MOST_NAMES: usize = 8;

/// The names that some text leaves open.
pub(super) fn unresolved_of(symbols: &SymbolDb<'_>, needs: &Needs) -> Vec<Unresolved> {
    let each = needs.unresolved.iter().map(|open| Unresolved {
        name: open.name.to_string(),
        like: open.like.iter().filter_map(|place| target_of(symbols, *place)).collect(),
    });
    each.collect()
}

fn target_of(symbols: &SymbolDb<'_>, place: Place) -> Option<String> {
    let facts = symbols.file(place.file)?;
    let item = facts.item(place.item)?;
    let parent = facts.item(item.parent).filter(|_| item.parent != NONE);
    let around = parent.map_or(String::new(), |it| format!("{}.", facts.name(it.name)));
    Some(format!("{}#{around}{}", symbols.path(place.file), facts.name(item.name)))
}

/// The names as one line of text; `None` where there are none.
pub(super) fn unresolved_line(open: &[Unresolved]) -> Option<String> {
    let each = open.iter().take(MOST_NAMES).map(|it| {
        let like: Vec<&str> =
            it.like.iter().map(|it| it.rsplit('#').next().unwrap_or(it)).collect();
        match like.as_slice() {
            [] => it.name.clone(),
            like => format!("{} ({}?)", it.name, like.join(", ")),
        }
    });
    let mut names: Vec<String> = each.collect();
    if open.len() > MOST_NAMES {
        names.push(format!("… {} more", open.len() - MOST_NAMES));
    }
    (!names.is_empty()).then(|| format!("unresolved: {}", names.join(", ")))
}

/// For machines: the names, and those with members in reach.
pub(super) fn to_wire(open: &[Unresolved]) -> (Vec<String>, BTreeMap<String, Vec<String>>) {
    let names = open.iter().map(|it| it.name.clone()).collect();
    let like = open.iter().filter(|it| !it.like.is_empty());
    (names, like.map(|it| (it.name.clone(), it.like.clone())).collect())
}
