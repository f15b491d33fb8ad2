//! Resolves a path, segment by segment.

use std::collections::BTreeSet;

use super::lookup::{LookupState, NameResolution, Want, insert_bounded};
use super::registry::ExternalCrate;
use super::tree::ModuleTree;
use super::{form, is_platform};

/// Where a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathForm {
    /// `use a::b`
    Use,
    /// `use a::*` or `extern crate a`: the path ends in a module.
    Whole,
    /// An expression or a type.
    Code,
}

impl PathForm {
    pub(super) fn of(form: u8) -> Self {
        match form {
            form::GLOB | form::PUB_GLOB | form::CRATE => Self::Whole,
            _ => Self::Use,
        }
    }

    /// What a segment is expected to be.
    fn want(self, is_last: bool) -> Want {
        if is_last && self != Self::Whole { Want::Anything } else { Want::Module }
    }
}

/// What a path resolves to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathResolution<'a> {
    /// The last modules that the path names.
    pub(super) modules: BTreeSet<u32>,
    /// The modules that the whole path names.
    pub(super) ends: BTreeSet<u32>,
    /// The files that define the last segment, if it is not a module.
    pub(super) items: BTreeSet<&'a str>,
    /// The files that define a macro with the last segment's name.
    pub(super) macros: BTreeSet<&'a str>,
    /// The external crate that the path starts with.
    pub(super) external: Option<ExternalCrate>,
    /// Whether the search hit a limit.
    pub(super) is_cut: bool,
}

impl<'a> PathResolution<'a> {
    /// All files that define the last segment.
    pub(super) fn definers(&self) -> impl Iterator<Item = &'a str> {
        self.items.union(&self.macros).copied()
    }

    fn take(&mut self, found: &NameResolution<'a>) {
        insert_bounded(&mut self.items, found.items.iter().copied());
        insert_bounded(&mut self.macros, found.macros.iter().copied());
    }
}

impl<'a> ModuleTree<'a> {
    /// Resolves a path in a module.
    pub(super) fn path(&self, node: u32, path: &str, form: PathForm) -> PathResolution<'a> {
        let mut state = LookupState::default();
        let walk = self.walk(node, path, form, &mut state);
        if state.is_over() {
            PathResolution { is_cut: true, ..PathResolution::default() }
        } else {
            walk
        }
    }

    pub(super) fn walk(
        &self,
        from: u32,
        path: &str,
        form: PathForm,
        state: &mut LookupState<'a>,
    ) -> PathResolution<'a> {
        let mut walk = PathResolution::default();
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
            if !self.first(from, name, form, is_last, state, &mut here, &mut walk) {
                return walk;
            }
        }
        walk.modules.clone_from(&here);
        while let Some(name) = parts.next() {
            if here.is_empty() {
                return walk;
            }
            let is_last = parts.peek().is_none();
            let found = self.step(&here, name, form.want(is_last), from, state);
            if form == PathForm::Code && found.is_empty() && is_primitive(path) {
                // `str::from_utf8`: a module shadows a primitive type only for the names it has.
                return PathResolution::default();
            }
            let next = self.next_modules(&here, &found, from, is_last.then_some(form));
            if next.is_empty() {
                // The rest of the path belongs to the type.
                walk.take(&found);
                if is_last && form == PathForm::Use {
                    if found.is_empty() {
                        walk.items.extend(self.macro_definers(&here));
                    }
                    // `pub use join::join` names the private module as well.
                    let same = found.modules.iter().map(|(module, _)| *module);
                    walk.modules.extend(same.filter(|it| found.items.contains(self.file(*it))));
                }
                walk.external = walk.external.take().or(found.external);
                if !is_last && walk.external.is_some() && walk.items.is_empty() {
                    // The last named module belongs to another project.
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

    /// Consumes leading `crate`, `self` and `super` segments and starts where they lead.
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

    /// Resolves the first segment: a name in scope, or else a crate. Returns whether the walk
    /// continues.
    #[expect(clippy::too_many_arguments, reason = "the state of one walk")]
    fn first(
        &self,
        from: u32,
        name: &str,
        form: PathForm,
        is_last: bool,
        state: &mut LookupState<'a>,
        here: &mut BTreeSet<u32>,
        walk: &mut PathResolution<'a>,
    ) -> bool {
        let is_use = form != PathForm::Code;
        let starts_at_root = is_use && self.owner(from).is_2015;
        let at = if starts_at_root { self.owner(from).root } else { from };
        let want = form.want(is_last);
        let found = self.look(at, name, want, from, state);
        here.extend(found.modules.iter().map(|(module, _)| *module));
        // If the name is not a module here, it is a function, and no path continues from a
        // function.
        let goes_on = want == Want::Module && here.is_empty() && is_crate_name(name);
        if found.is_empty() || goes_on && found.external.is_none() {
            let is_certain = is_use && found.is_empty() && !self.node(from).is_undeclared;
            self.external(from, name, is_certain, here, walk);
        }
        let is_crate = !here.is_empty() && found.modules.is_empty() || walk.external.is_some();
        if !is_crate && (here.is_empty() || is_last) {
            walk.take(&found);
            walk.external.clone_from(&found.external);
        }
        !here.is_empty()
    }

    /// Resolves a crate by its name. An undeclared crate counts only where the name cannot be
    /// anything else.
    fn external(
        &self,
        from: u32,
        name: &str,
        is_certain: bool,
        here: &mut BTreeSet<u32>,
        walk: &mut PathResolution<'a>,
    ) {
        let owner = self.owner(from);
        if let Some(root) = owner.locals.get(name) {
            here.insert(*root);
        } else if let Some(foreign) = owner.foreign.get(name) {
            walk.external = Some(foreign.clone());
        } else if is_platform(name) && name != "test" || is_certain && is_crate_name(name) {
            walk.external = Some(ExternalCrate { package: name.into(), library: None });
        }
    }

    fn step(
        &self,
        here: &BTreeSet<u32>,
        name: &str,
        want: Want,
        from: u32,
        state: &mut LookupState<'a>,
    ) -> NameResolution<'a> {
        let mut found = NameResolution::default();
        for module in here {
            found.add(&self.look(*module, name, want, from, state));
        }
        found
    }

    /// The files of modules without glob imports: a macro there must create the name that nobody
    /// defines.
    fn macro_definers(&self, here: &BTreeSet<u32>) -> BTreeSet<&'a str> {
        let alone = here.iter().filter(|module| self.node(**module).globs.is_empty());
        alone.map(|module| self.file(*module)).collect()
    }

    /// The modules to continue in. At the end of a `use` (`last` is set), an item wins over a
    /// private module of the same name, unless the importer is inside the module's parent. At the
    /// end of a path in code the item always wins: a module cannot be called or stored.
    fn next_modules(
        &self,
        here: &BTreeSet<u32>,
        found: &NameResolution<'a>,
        from: u32,
        last: Option<PathForm>,
    ) -> BTreeSet<u32> {
        let sees_private = here.iter().any(|module| self.is_inside(from, *module));
        let is_shown = |is_pub: bool| match last {
            None | Some(PathForm::Whole) => true,
            Some(form) => {
                let is_alone = found.items.is_empty() && found.macros.is_empty();
                is_alone || form == PathForm::Use && (is_pub || sees_private)
            }
        };
        let shown = found.modules.iter().filter(|(_, is_pub)| is_shown(*is_pub));
        shown.map(|(module, _)| *module).collect()
    }
}

/// Whether a path starts with a primitive type.
fn is_primitive(path: &str) -> bool {
    const TYPES: [&str; 17] = [
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128",
        "u16", "u32", "u64", "u8", "usize",
    ];
    let first = path.split("::").next().unwrap_or_default();
    TYPES.binary_search(&first).is_ok()
}

/// Whether a name may be a crate. Types and constants are capitalized.
fn is_crate_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_lowercase() || letter == '_') && name != "self"
}
