//! Where a path leads, step by step.

use std::collections::BTreeSet;

use super::lookup::{take_in, Asked, Found, Want};
use super::registry::Foreign;
use super::tree::Tree;
use super::{form, is_platform};

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// `use a::b`
    Use,
    /// `use a::*`, `extern crate a`: what it ends in is a module.
    Whole,
    /// In code.
    Code,
}

impl Way {
    pub(super) fn of(form: u8) -> Self {
        match form {
            form::GLOB | form::PUB_GLOB | form::CRATE => Self::Whole,
            _ => Self::Use,
        }
    }

    /// What its last name is wanted for, or one before.
    fn want(self, is_last: bool) -> Want {
        if is_last && self != Self::Whole { Want::Anything } else { Want::Module }
    }
}

/// Where a path led.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Walk<'a> {
    /// The last modules that it names.
    pub(super) modules: BTreeSet<u32>,
    /// The modules that the whole path is.
    pub(super) ends: BTreeSet<u32>,
    /// The files that define what it ends in, where that is no module.
    pub(super) items: BTreeSet<&'a str>,
    /// Those that define a macro of that name.
    pub(super) macros: BTreeSet<&'a str>,
    /// The crate of another project that it starts with.
    pub(super) external: Option<Foreign>,
    /// Whether it was too much to find out where it leads.
    pub(super) is_cut: bool,
}

impl<'a> Walk<'a> {
    /// All files that define what it ends in.
    pub(super) fn definers(&self) -> impl Iterator<Item = &'a str> {
        self.items.union(&self.macros).copied()
    }

    fn take(&mut self, found: &Found<'a>) {
        take_in(&mut self.items, found.items.iter().copied());
        take_in(&mut self.macros, found.macros.iter().copied());
    }
}

impl<'a> Tree<'a> {
    /// Where a path in a module leads.
    pub(super) fn path(&self, node: u32, path: &str, way: Way) -> Walk<'a> {
        let mut asked = Asked::default();
        let walk = self.walk(node, path, way, &mut asked);
        if asked.is_over() { Walk { is_cut: true, ..Walk::default() } } else { walk }
    }

    pub(super) fn walk(&self, from: u32, path: &str, way: Way, asked: &mut Asked<'a>) -> Walk<'a> {
        let mut walk = Walk::default();
        let mut parts = path.split("::").peekable();
        let mut here: BTreeSet<u32> = BTreeSet::new();
        if let Some(rest) = path.strip_prefix("::") {
            parts.next();
            let name = parts.next().unwrap_or_default();
            self.external(from, name, true, &mut here, &mut walk);
            if self.owner(from).is_2015 && here.is_empty() && walk.external.is_none() {
                here.insert(self.owner(from).root);
                parts = rest.split("::").peekable();
            }
        } else if !self.anchor(from, &mut parts, &mut here) {
            let name = parts.next().unwrap_or_default();
            let is_last = parts.peek().is_none();
            if !self.first(from, name, way, is_last, asked, &mut here, &mut walk) {
                return walk;
            }
        }
        walk.modules.clone_from(&here);
        while let Some(name) = parts.next() {
            if here.is_empty() {
                return walk;
            }
            let is_last = parts.peek().is_none();
            let found = self.step(&here, name, way.want(is_last), from, asked);
            if way == Way::Code && found.is_empty() && is_primitive(path) {
                // `str::from_utf8`: a module hides a type of the language only as far as it has the name.
                return Walk::default();
            }
            let next = self.next_modules(&here, &found, from, is_last.then_some(way));
            if next.is_empty() {
                // What follows a type is the type's own.
                walk.take(&found);
                if is_last && way == Way::Use {
                    if found.is_empty() {
                        walk.items.extend(self.makers(&here));
                    }
                    // `pub use join::join`: what is written is the name of the private module, too.
                    let same = found.modules.iter().map(|(module, _)| *module);
                    walk.modules.extend(same.filter(|it| found.items.contains(self.file(*it))));
                }
                walk.external = walk.external.take().or(found.external);
                if !is_last && walk.external.is_some() && walk.items.is_empty() {
                    // The last module that is named is another project's.
                    walk.modules.clear();
                }
                return walk;
            }
            if is_last {
                walk.take(&found);
            }
            here = next;
            walk.modules.clone_from(&here);
        }
        walk.ends = here;
        walk
    }

    /// `crate`, `self` and `super`: takes them off, and stands where they lead.
    fn anchor<'p>(
        &self,
        from: u32,
        parts: &mut std::iter::Peekable<impl Iterator<Item = &'p str>>,
        here: &mut BTreeSet<u32>,
    ) -> bool {
        let mut at = match parts.peek() {
            Some(&"crate") => {
                parts.next();
                here.insert(self.owner(from).root);
                return true;
            }
            Some(&"self") => {
                parts.next();
                from
            }
            Some(&"super") => from,
            _ => return false,
        };
        while parts.next_if_eq(&"super").is_some() {
            match self.node(at).parent {
                Some(parent) => at = parent,
                None => return true,
            }
        }
        here.insert(at);
        true
    }

    /// The first name of a path: what is in scope, then a crate. Whether there is more to walk.
    #[expect(clippy::too_many_arguments, reason = "the state of one walk")]
    fn first(
        &self,
        from: u32,
        name: &str,
        way: Way,
        is_last: bool,
        asked: &mut Asked<'a>,
        here: &mut BTreeSet<u32>,
        walk: &mut Walk<'a>,
    ) -> bool {
        let is_use = way != Way::Code;
        let starts_at_root = is_use && self.owner(from).is_2015;
        let at = if starts_at_root { self.owner(from).root } else { from };
        let want = way.want(is_last);
        let found = self.look(at, name, want, from, asked);
        here.extend(found.modules.iter().map(|(module, _)| *module));
        // What is called so and no module is a function, and nothing goes on from one.
        let goes_on = want == Want::Module && here.is_empty() && is_crate_name(name);
        if found.is_empty() || goes_on && found.external.is_none() {
            let is_certain = is_use && found.is_empty() && !self.node(from).is_stray;
            self.external(from, name, is_certain, here, walk);
        }
        let is_crate = !here.is_empty() && found.modules.is_empty() || walk.external.is_some();
        if !is_crate && (here.is_empty() || is_last) {
            walk.take(&found);
            walk.external.clone_from(&found.external);
        }
        !here.is_empty()
    }

    /// A crate by its name. One that nobody declared counts only where it can be nothing else.
    fn external(
        &self,
        from: u32,
        name: &str,
        is_certain: bool,
        here: &mut BTreeSet<u32>,
        walk: &mut Walk<'a>,
    ) {
        let owner = self.owner(from);
        if let Some(root) = owner.locals.get(name) {
            here.insert(*root);
        } else if let Some(foreign) = owner.foreign.get(name) {
            walk.external = Some(foreign.clone());
        } else if is_platform(name) && name != "test" || is_certain && is_crate_name(name) {
            walk.external = Some(Foreign { package: name.into(), library: None });
        }
    }

    fn step(
        &self,
        here: &BTreeSet<u32>,
        name: &str,
        want: Want,
        from: u32,
        asked: &mut Asked<'a>,
    ) -> Found<'a> {
        let mut found = Found::default();
        for module in here {
            found.add(&self.look(*module, name, want, from, asked));
        }
        found
    }

    /// The files of modules that must make a name that nobody defines, by a macro: they take in no others whole.
    fn makers(&self, here: &BTreeSet<u32>) -> BTreeSet<&'a str> {
        let alone = here.iter().filter(|module| self.node(**module).globs.is_empty());
        alone.map(|module| self.file(*module)).collect()
    }

    /// The modules to go on in. At the end of a `use` (`last` tells whether it is one, and written how), what is no module comes before
    /// a private module of the same name, unless whoever asks is inside its parent. At the end of a path in code it
    /// always does: a module is nothing to call or to hold.
    fn next_modules(
        &self,
        here: &BTreeSet<u32>,
        found: &Found<'a>,
        from: u32,
        last: Option<Way>,
    ) -> BTreeSet<u32> {
        let sees_private = here.iter().any(|module| self.is_inside(from, *module));
        let is_shown = |is_pub: bool| match last {
            None | Some(Way::Whole) => true,
            Some(way) => {
                let is_alone = found.items.is_empty() && found.macros.is_empty();
                is_alone || way == Way::Use && (is_pub || sees_private)
            }
        };
        let shown = found.modules.iter().filter(|(_, is_pub)| is_shown(*is_pub));
        shown.map(|(module, _)| *module).collect()
    }
}

/// Whether a path starts with a type of the language.
fn is_primitive(path: &str) -> bool {
    const TYPES: [&str; 17] = [
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128",
        "u16", "u32", "u64", "u8", "usize",
    ];
    let first = path.split("::").next().unwrap_or_default();
    TYPES.binary_search(&first).is_ok()
}

/// Whether a name can be that of a crate: types and constants are written otherwise.
fn is_crate_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_lowercase() || letter == '_') && name != "self"
}
