//! What a closure leaves out of what is needed.

use portolan_symbols::resolver::{Need, Place, SymbolSource as _};
use portolan_types::declarations::{DeclarationKind, NONE};

use super::{Closure, Focus, Missing};
use portolan_index::symbols::SymbolDb;

/// Takes away what a closure leaves out; gives the names of it.
pub(super) fn leave_out(
    symbols: &SymbolDb<'_>,
    needs: &mut Vec<Need>,
    focus: &[Focus],
    closure: Closure,
) -> Missing {
    let mut missing = Missing::default();
    needs.retain(|need| {
        let about = About::of(symbols, need.place, focus);
        let is_in = about.is_in(closure);
        if !is_in {
            missing.add(need, about);
        }
        is_in
    });
    missing.sorted()
}

/// Which categories a declaration is in.
struct About {
    name: String,
    is_local: bool,
    is_type: bool,
}

impl About {
    fn of(symbols: &SymbolDb<'_>, place: Place, focus: &[Focus]) -> Self {
        let facts = symbols.file(place.file).unwrap_or_default();
        let name = facts.item(place.item).map_or(NONE, |item| item.name);
        let is_type = facts.ancestors(place.item).any(|item| {
            let kind = facts.item(item).map(|item| item.kind);
            kind.is_some_and(|kind| kind.is_type() || kind == DeclarationKind::Enum)
        });
        Self {
            name: facts.name(name).to_owned(),
            is_local: focus.iter().any(|focus| focus.place.file == place.file),
            is_type,
        }
    }

    fn is_in(&self, closure: Closure) -> bool {
        match closure {
            Closure::Locals => self.is_local,
            Closure::Types => self.is_type,
            Closure::Imports => !self.is_local,
            Closure::All => true,
        }
    }
}

impl Missing {
    fn add(&mut self, need: &Need, about: About) {
        if need.hop > 1 {
            return;
        }
        let list = if about.is_local { &mut self.locals } else { &mut self.imports };
        list.push(about.name.clone());
        if about.is_type {
            self.types.push(about.name);
        }
    }

    fn sorted(mut self) -> Self {
        for list in [&mut self.locals, &mut self.types, &mut self.imports] {
            list.sort_unstable();
            list.dedup();
        }
        self
    }
}
