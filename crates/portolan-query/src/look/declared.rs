//! Declarations: what their names mean, and the lines whose names mean them.

use std::collections::BTreeSet;

use portolan_languages::Languages;
use portolan_symbols::meaning::{Need, Place, Resolver, World as _, needs};
use portolan_types::declarations::NONE;

use super::{Look, LookRequest, Neighbour, Side};
use crate::target::{Target, TargetError, TargetLookup};
use crate::unresolved::unresolved_of;
use crate::users::{User, users_of};
use portolan_index::symbols::SymbolDb;

pub(super) fn look_at(
    symbols: &SymbolDb<'_>,
    text: &str,
    target: &Target,
    request: &LookRequest,
) -> Result<Look, TargetError> {
    let focus = TargetLookup(symbols).find(target)?;
    let places: Vec<Place> = focus.iter().map(|focus| focus.place).collect();
    let mut look =
        Look { target: text.to_owned(), is_code: true, is_read: true, ..Look::default() };
    if request.side != Side::Users {
        let spans: Vec<_> = places
            .iter()
            .filter_map(|place| {
                Some((place.file, symbols.file(place.file)?.item(place.item)?.span))
            })
            .collect();
        let found = needs(&Resolver::new(symbols), &spans, request.depth.max(1));
        let mut needs: Vec<Neighbour> =
            found.needs.iter().filter_map(|need| declared(symbols, need)).collect();
        needs.sort();
        look.unresolved = unresolved_of(symbols, &found);
        look.needs = Some(needs);
    }
    if request.side != Side::Needs {
        let seen = users(symbols, &places, request.depth.max(1));
        let files: BTreeSet<u32> = places.iter().map(|place| place.file).collect();
        if seen.found.is_empty() {
            look.computed = symbols.computed_for(&files);
        }
        (look.searched, look.templates) = (seen.searched, seen.templates);
        look.users = Some(seen.found);
    }
    Ok(look)
}

/// The lines that use some declarations, then those that use what these lines are in, and so on.
fn users(symbols: &SymbolDb<'_>, places: &[Place], depth: u8) -> Seen {
    let mut known: BTreeSet<Place> = places.iter().copied().collect();
    let mut lines: BTreeSet<(String, u32)> = BTreeSet::new();
    let (mut open, mut seen) = (places.to_vec(), Seen::default());
    for hop in 1..=depth {
        if open.is_empty() {
            break;
        }
        let using = users_of(symbols, &open);
        seen.searched = seen.searched.max(using.searched);
        seen.templates = seen.templates.max(using.templates);
        let around = using.users.iter().filter_map(|user| user.around);
        open = around.filter(|place| known.insert(*place)).collect();
        for user in using.users {
            if lines.insert((user.file.clone(), user.line)) {
                seen.found.push(use_of(user, hop));
            }
        }
    }
    seen
}

/// Who uses declarations, and what was looked through for it.
#[derive(Default)]
struct Seen {
    found: Vec<Neighbour>,
    searched: usize,
    templates: usize,
}

fn declared(symbols: &SymbolDb<'_>, need: &Need) -> Option<Neighbour> {
    let facts = symbols.file(need.place.file)?;
    let item = facts.item(need.place.item)?;
    let own = facts.name(item.name);
    let name = match facts.item(item.parent).filter(|_| item.parent != NONE) {
        Some(parent) => format!("{}.{own}", facts.name(parent.name)),
        None => own.to_owned(),
    };
    let file = symbols.path(need.place.file);
    let kind = Languages::default().kind_word(&file, item.kind);
    Some(Neighbour {
        hop: need.hop,
        file,
        line: symbols.line_of(need.place),
        name: Some(name),
        marks: if need.is_exact { vec![kind] } else { vec![kind, "likely"] },
    })
}

fn use_of(user: User, hop: u8) -> Neighbour {
    let marks = if user.is_exact { Vec::new() } else { vec!["likely"] };
    Neighbour { hop, file: user.file, line: Some(user.line), name: Some(user.text), marks }
}
