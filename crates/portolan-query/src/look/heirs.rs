//! The types that build on a type: those with members that implement or override members of it.

use std::collections::BTreeSet;

use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};
use portolan_types::declarations::{DeclarationKind, Flags};

use crate::account::{is_type, owner_of};
use crate::users::users_of;
use portolan_index::symbols::SymbolDb;

/// Every member is a question of its own, so only the first of them are asked.
const MOST_MEMBERS: usize = 4;

/// The types that have members of these types, or `None` where one is no type. The list is not complete: a type that overrides
/// nothing is not in it.
pub(super) fn heirs(symbols: &SymbolDb<'_>, types: &[Place]) -> Option<Vec<Place>> {
    let mut members: Vec<Place> = Vec::new();
    for of in types {
        let facts = symbols.file(of.file)?;
        if !is_type(&facts, *of) {
            return None;
        }
        let own = facts.items.iter().zip(0u32..).filter(|(item, _)| {
            item.parent == of.item && item.flags.has(Flags::MEMBER) && may_be_overridden(item.kind)
        });
        let own = own.map(|(_, item)| Place { file: of.file, item });
        members.extend(own.take(MOST_MEMBERS));
    }
    let resolver = Resolver::new(symbols);
    let mut found: BTreeSet<Place> = BTreeSet::new();
    for member in members {
        for related in users_of(symbols, &[member]).related {
            let Some(owner) = owner_of(symbols, related) else { continue };
            found.insert(resolver.extended_type(owner).into_iter().next().unwrap_or(owner));
        }
    }
    found.retain(|place| !types.contains(place));
    Some(found.into_iter().collect())
}

fn may_be_overridden(kind: DeclarationKind) -> bool {
    use DeclarationKind as Kind;
    matches!(kind, Kind::Method | Kind::Signature | Kind::Getter | Kind::Setter | Kind::Function)
}
