//! What a name means in a module.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::path::Walk;
use super::registry::Foreign;
use super::tree::{Node, Tree, definitions_of};
use super::{form, mark};

/// What a name leads to: modules, files that define it as something else, or another project's crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// Submodules with whether everybody sees them.
    pub(super) modules: BTreeSet<(u32, bool)>,
    pub(super) items: BTreeSet<&'a str>,
    pub(super) external: Option<Foreign>,
    /// How many names had to be looked up one inside the other.
    depth: usize,
}

impl Found<'_> {
    /// Adds what was found elsewhere.
    pub(super) fn add(&mut self, more: &Self) {
        self.modules.extend(&more.modules);
        self.items.extend(&more.items);
        self.external = self.external.take().or_else(|| more.external.clone());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.modules.is_empty() && self.items.is_empty() && self.external.is_none()
    }
}

/// What a name is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Want {
    /// To go on from: a module, if there is one.
    Module,
    /// For itself.
    Anything,
}

/// What is being asked at the moment: no module is asked for a name while it looks for it, so circles
/// end.
#[derive(Default)]
pub(super) struct Asked {
    active: Vec<(u32, Box<str>, Want)>,
    /// How often a circle was cut: what was found meanwhile is not all there is.
    cuts: usize,
    /// The most that was asked at once. Answers that are known count as much as when they were found, so
    /// that it does not matter who asks first.
    reached: usize,
}

/// No chain of names is longer than this.
const MOST_ACTIVE: usize = 200;

impl<'a> Tree<'a> {
    /// What a bare name means for what stands in a module.
    pub(super) fn in_scope(&self, node: u32, name: &str) -> Arc<Found<'a>> {
        self.look(node, name, Want::Anything, node, &mut Asked::default())
    }

    /// What a module has by a name, as far as somebody in the module `from` sees it.
    pub(super) fn look(
        &self,
        at: u32,
        name: &str,
        want: Want,
        from: u32,
        asked: &mut Asked,
    ) -> Arc<Found<'a>> {
        let is_inside = self.is_inside(from, at);
        let slot = 2 * usize::from(want == Want::Module) + usize::from(is_inside);
        let level = asked.active.len();
        if let Some(known) = self.known(at, name, slot) {
            asked.reached = asked.reached.max(level + known.depth);
            if level + known.depth <= MOST_ACTIVE {
                return known;
            }
            asked.cuts += 1;
            return Arc::default();
        }
        let is_asked = asked
            .active
            .iter()
            .any(|(node, active, for_what)| (*node, &**active, *for_what) == (at, name, want));
        if level >= MOST_ACTIVE || is_asked {
            asked.cuts += 1;
            return Arc::default();
        }
        asked.active.push((at, name.into(), want));
        let before = (asked.cuts, std::mem::replace(&mut asked.reached, level + 1));
        let mut found = self.search(at, name, want, is_inside, asked);
        asked.active.pop();
        found.depth = asked.reached - level;
        asked.reached = asked.reached.max(before.1);
        let found = Arc::new(found);
        if asked.cuts == before.0 {
            self.keep(at, name, slot, &found);
        }
        found
    }

    fn search(
        &self,
        at: u32,
        name: &str,
        want: Want,
        is_inside: bool,
        asked: &mut Asked,
    ) -> Found<'a> {
        let node = self.node(at);
        let mut found = Found::default();
        found.modules.extend(node.children.get(name).into_iter().flatten());
        if want == Want::Module && !found.modules.is_empty() {
            return found;
        }
        if defines(node, name) {
            found.items.insert(node.file);
        }
        if node.parent.is_none() {
            // Exported macros are at the root of their crate.
            let exported = &self.exported[node.owner as usize];
            found.items.extend(exported.get(name).into_iter().flatten());
        }
        for import in node.aliases.get(name).into_iter().flatten() {
            if is_inside || import.form.0 != form::USE {
                let walk = self.walk(at, &import.specifier, true, asked);
                merge(&mut found, walk);
            }
        }
        if found.is_empty() {
            self.by_stars(at, name, want, is_inside, asked, &mut found);
        }
        found
    }

    fn by_stars(
        &self,
        at: u32,
        name: &str,
        want: Want,
        is_inside: bool,
        asked: &mut Asked,
        found: &mut Found<'a>,
    ) {
        for import in &self.node(at).globs {
            if !is_inside && import.form.0 != form::PUB_GLOB {
                continue;
            }
            let walk = self.walk(at, &import.specifier, true, asked);
            for module in walk.ends {
                let more = self.look(module, name, want, at, asked);
                found.add(&more);
            }
        }
    }
}

/// Adds what a path led to.
fn merge<'a>(found: &mut Found<'a>, walk: Walk<'a>) {
    found.modules.extend(walk.ends.into_iter().map(|module| (module, true)));
    found.items.extend(walk.items);
    found.external = found.external.take().or(walk.external);
}

/// Whether a module defines a name as anything but a module or a macro that is seen by its place.
fn defines(node: &Node<'_>, name: &str) -> bool {
    let mut own = definitions_of(node.facts, name).filter(|own| own.scope.0 == node.scope);
    own.any(|own| matches!(own.mark.0, mark::PLAIN | mark::MACRO | mark::EXPORTED_MACRO))
}
