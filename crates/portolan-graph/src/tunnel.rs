//! Tunnels: from an imported name, through any number of barrels, to the files that define it.
//!
//! What a module defines or names in a re-export hides what its stars would bring. Which names a star
//! brings at all is for the language of the module to say, and for the module behind the star.

use std::collections::BTreeSet;

/// What a module exports, with every specifier resolved. Modules are numbers here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The names it defines, sorted.
    pub definitions: Vec<Box<str>>,
    /// The names it passes on, sorted by name.
    pub forwards: Vec<ModuleForward>,
    /// The modules it passes on whole.
    pub stars: Vec<u32>,
    /// The only names that a star brings from it, sorted, where it says so.
    pub offered: Option<Vec<Box<str>>>,
}

impl Module {
    fn defines(&self, name: &str) -> bool {
        self.definitions.binary_search_by(|own| (**own).cmp(name)).is_ok()
    }

    fn offers(&self, name: &str) -> bool {
        let is_in = |names: &Vec<Box<str>>| names.binary_search_by(|own| (**own).cmp(name)).is_ok();
        self.offered.as_ref().is_none_or(is_in)
    }
}

/// A name that is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleForward {
    /// The name it has here.
    pub name: Box<str>,
    /// The module it comes from.
    pub module: u32,
    /// The name it has there; `None` for the module itself.
    pub original: Option<Box<str>>,
}

/// What is known of a module.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    /// Its exports.
    Module(&'a Module),
    /// Nothing yet: load it and ask again.
    Unloaded,
    /// It has no exports: a stylesheet, a JSON file, a file that can't be read.
    Opaque,
}

/// The modules of a graph.
pub trait Modules {
    /// What is known of one.
    fn module(&self, module: u32) -> Known<'_>;

    /// The files that add declarations to a name of a module (`declare module`).
    fn additions(&self, module: u32, name: &str) -> &[u32];

    /// Whether the stars of a module can bring a name.
    fn star_brings(&self, module: u32, name: &str) -> bool;
}

/// Where a search led.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definers {
    /// The files that define the name, sorted. Final only when `unloaded` is empty.
    pub files: Vec<u32>,
    /// Modules that stood in the way, sorted.
    pub unloaded: Vec<u32>,
}

/// Finds the files that define what `entry` exports as `name`.
pub fn definers(modules: &impl Modules, entry: u32, name: &str) -> Definers {
    // Most names are defined where they are asked for, and nowhere else.
    if let Known::Module(module) = modules.module(entry)
        && module.defines(name)
        && forwards_of(module, name).is_empty()
        && modules.additions(entry, name).is_empty()
    {
        return Definers { files: vec![entry], unloaded: Vec::new() };
    }
    let mut found = BTreeSet::new();
    let mut unloaded = BTreeSet::new();
    let mut visited = BTreeSet::from([(entry, name)]);
    let mut queue = vec![(entry, name)];
    while let Some((file, name)) = queue.pop() {
        let module = match modules.module(file) {
            Known::Module(module) => module,
            Known::Opaque => continue,
            Known::Unloaded => {
                unloaded.insert(file);
                continue;
            }
        };
        let defined = module.defines(name);
        if defined {
            found.insert(file);
            found.extend(modules.additions(file, name));
        }
        let forwards = forwards_of(module, name);
        for forward in forwards {
            match &forward.original {
                None => {
                    found.insert(forward.module);
                }
                Some(original) => {
                    if visited.insert((forward.module, original)) {
                        queue.push((forward.module, original));
                    }
                }
            }
        }
        if !defined && forwards.is_empty() && modules.star_brings(file, name) {
            queue.extend(
                module
                    .stars
                    .iter()
                    .filter(|star| match modules.module(**star) {
                        Known::Module(module) => module.offers(name),
                        Known::Unloaded | Known::Opaque => true,
                    })
                    .map(|star| (*star, name))
                    .filter(|state| visited.insert(*state)),
            );
        }
    }
    Definers { files: found.into_iter().collect(), unloaded: unloaded.into_iter().collect() }
}

fn forwards_of<'m>(module: &'m Module, name: &str) -> &'m [ModuleForward] {
    let start = module.forwards.partition_point(|forward| *forward.name < *name);
    let length =
        module.forwards[start..].iter().take_while(|forward| *forward.name == *name).count();
    &module.forwards[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::{Known, Module, ModuleForward, Modules, definers};

    /// Modules written as `defs | name=module.original | *module | +offered`, one per number.
    struct Fixture(Vec<Option<Module>>);

    impl Modules for Fixture {
        fn module(&self, module: u32) -> Known<'_> {
            self.0
                .get(module as usize)
                .map_or(Known::Opaque, |slot| slot.as_ref().map_or(Known::Unloaded, Known::Module))
        }

        fn additions(&self, _: u32, _: &str) -> &[u32] {
            &[]
        }

        fn star_brings(&self, _: u32, name: &str) -> bool {
            name != "own"
        }
    }

    fn parse(text: &str) -> Option<Module> {
        let mut module = Module::default();
        for word in text.split_whitespace() {
            if word == "?" {
                return None;
            }
            if let Some(name) = word.strip_prefix('+') {
                module.offered.get_or_insert_default().push(name.into());
            } else if let Some(star) = word.strip_prefix('*') {
                module.stars.push(star.parse().unwrap());
            } else if let Some((name, target)) = word.split_once('=') {
                let (number, original) =
                    target.split_once('.').map_or((target, None), |(n, o)| (n, Some(o.into())));
                module.forwards.push(ModuleForward {
                    name: name.into(),
                    module: number.parse().unwrap(),
                    original,
                });
            } else {
                module.definitions.push(word.into());
            }
        }
        Some(module)
    }

    fn check(modules: &[&str], name: &str, expected: &[u32]) {
        let fixture = Fixture(modules.iter().map(|text| parse(text)).collect());
        assert_eq!(definers(&fixture, 0, name).files, expected, "{modules:?} {name}");
    }

    #[test]
    fn a_definition_is_its_own_definer() {
        check(&["A"], "A", &[0]);
        check(&["A"], "B", &[]);
    }

    #[test]
    fn stars_and_renames_are_followed_to_the_end() {
        check(&["*1", "*2 *3", "X", "A"], "A", &[3]);
        check(&["A=1.B", "B=2.own", "own"], "A", &[2]);
        check(&["ns=1", "A"], "ns", &[1]);
    }

    #[test]
    fn own_names_hide_stars_and_some_names_no_star_brings() {
        check(&["A *1", "A"], "A", &[0]);
        check(&["A=2.A *1", "A", "A"], "A", &[2]);
        check(&["*1", "own"], "own", &[]);
        check(&["A=1.own", "own"], "A", &[1]);
    }

    #[test]
    fn a_module_may_say_what_its_stars_bring() {
        check(&["*1", "A B +A"], "A", &[1]);
        check(&["*1", "A B +A"], "B", &[]);
        check(&["B=1.B", "A B +A"], "B", &[1]);
    }

    #[test]
    fn circles_end() {
        check(&["*1", "*0 *2", "*1 A"], "A", &[2]);
        check(&["A=1.A", "A=0.A"], "A", &[]);
    }

    #[test]
    fn what_is_not_loaded_is_asked_for() {
        let fixture = Fixture(vec![parse("*1 *2"), parse("?"), parse("A")]);
        let found = definers(&fixture, 0, "A");
        assert_eq!((found.files, found.unloaded), (vec![2], vec![1]));
    }
}
