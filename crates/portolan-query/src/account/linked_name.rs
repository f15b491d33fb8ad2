//! Uses in languages that link by name: a function that one file defines is meant wherever a declaration of
//! it is known.

use std::collections::BTreeSet;

use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_types::FileId;
use portolan_types::declarations::{
    Declaration, DeclarationKind, Declarations, Flags, NONE, Reference, Usage,
};

use super::judge::{Verdict, why};
use super::{Sites, bare};
use crate::users::name_of;
use portolan_index::symbols::SymbolDb;

/// What is known of the name of a function in all files.
pub(super) struct LinkedName {
    /// The files that define it, or anything else by this name.
    definers: BTreeSet<FileId>,
    /// The files that know a declaration of it.
    knowing: BTreeSet<FileId>,
    /// The files of what was asked for.
    asked: BTreeSet<FileId>,
}

impl LinkedName {
    /// What is known of the name of some functions; `None` where they do not have one name, or their
    /// language does not link by name. `sites` are the words of the name.
    pub(super) fn of(symbols: &SymbolDb<'_>, places: &[Place], sites: &Sites) -> Option<Self> {
        let names: BTreeSet<String> =
            places.iter().filter_map(|it| name_of(symbols, *it)).collect();
        let name = names.first().filter(|_| names.len() == 1)?;
        let is_linked = |place: &Place| {
            let facts = symbols.file(place.file).unwrap_or_default();
            let is_function = facts.item(place.item).is_some_and(is_function);
            is_function && symbols.builtins(place.file).links_by_name()
        };
        if !places.iter().all(is_linked) {
            return None;
        }
        let mut found = Self {
            definers: BTreeSet::new(),
            knowing: BTreeSet::new(),
            asked: places.iter().map(|place| place.file).collect(),
        };
        let (mut macros, mut functions) = (0, 0);
        for file in sites.keys() {
            let facts = symbols.file(*file)?;
            let own = facts.items.iter().filter(|item| bare(facts.name(item.name)) == name);
            for item in own.filter(|item| is_ordinary(item)) {
                let is_macro = is_macro(symbols, *file, item);
                macros += u32::from(is_macro);
                functions += u32::from(!is_macro);
                found.knowing.insert(*file);
                if !is_function(item) || !item.body.is_empty() || is_macro {
                    found.definers.insert(*file);
                }
            }
        }
        // A macro may stand for the function, or for something else.
        if macros > 0 && functions > 0 {
            return None;
        }
        let mut open: Vec<FileId> = found.knowing.iter().copied().collect();
        while let Some(file) = open.pop() {
            let users = symbols.links().users(file);
            open.extend(users.iter().filter(|user| found.knowing.insert(**user)));
        }
        Some(found)
    }

    /// Whether every declaration of the name is of one thing.
    fn is_one(&self) -> bool {
        self.definers.len() < 2
    }

    /// What another declaration of the name is, in a file.
    pub(super) fn declared(&self, file: FileId) -> Verdict {
        if self.is_one() {
            return Verdict::Naming;
        }
        let is_other = self.definers.contains(&file) && self.asked.is_subset(&self.definers);
        if is_other { Verdict::Other } else { Verdict::Possible(why::BY_NAME, None) }
    }

    /// What a reference of the name means.
    pub(super) fn verdict(
        &self,
        file: FileId,
        facts: &Declarations,
        reference: &Reference,
    ) -> Verdict {
        let binding = facts.bindings.get(reference.of as usize);
        let is_local = reference.of != NONE && binding.is_some_and(|it| it.item == NONE);
        if reference.usage != Usage::Value || is_local {
            return Verdict::Other;
        }
        let is_own = self.definers.contains(&file);
        let is_certain = if is_own {
            self.asked.contains(&file) || self.is_one()
        } else {
            self.is_one() && self.knowing.contains(&file)
        };
        match (is_certain, is_own) {
            (true, _) => Verdict::Certain(None),
            // What a file defines itself is meant in it, and not what others define. A prototype is
            // of one of them.
            (false, true) if self.asked.is_subset(&self.definers) => Verdict::Other,
            (false, _) => Verdict::Possible(why::BY_NAME, None),
        }
    }
}

fn is_function(item: &Declaration) -> bool {
    item.kind == DeclarationKind::Function && !item.flags.has(Flags::MEMBER)
}

/// Whether a declaration is among the ordinary names. Members and tags of types have names of their own.
fn is_ordinary(item: &Declaration) -> bool {
    let is_tag = matches!(
        item.kind,
        DeclarationKind::Class | DeclarationKind::Interface | DeclarationKind::Enum
    );
    let is_member = item.flags.has(Flags::MEMBER) && item.kind != DeclarationKind::EnumMember;
    !is_tag && !is_member && !item.flags.has(Flags::LOCAL)
}

fn is_macro(symbols: &SymbolDb<'_>, file: FileId, item: &Declaration) -> bool {
    let Some(loaded) = symbols.load(file) else { return false };
    loaded.text.get(item.span.start as usize..).is_some_and(|text| text.starts_with('#'))
}
