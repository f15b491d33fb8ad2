//! Global declarations: those of a package's ambient files, and those that imported files add to the global scope.

use portolan_types::FileId;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use memchr::memmem;
use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_types::declarations::{Declaration, DeclarationKind, Flags};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbols::db::SymbolDb;

/// The most files that are searched.
const MOST_FILES: usize = 400;
/// A larger file is generated.
const LARGE: u64 = 2 << 20;

/// The declarations of a file by their names.
type Names = FxHashMap<Box<str>, Vec<u32>>;

/// The augmentations of other modules, by name, with the module.
type Additions = BTreeMap<Box<str>, Vec<(Place, FileId)>>;

/// Known globals.
#[derive(Default)]
pub(super) struct Globals {
    /// The files that may declare globals for a file.
    files: RefCell<FxHashMap<FileId, Arc<[FileId]>>>,
    /// The globals of other packages, by name.
    elsewhere: RefCell<FxHashMap<Box<str>, Vec<Place>>>,
    /// What each file adds to the global scope, by name: needed for every undeclared name.
    names: RefCell<FxHashMap<FileId, Rc<Names>>>,
    /// Whether a file may add to the global scope.
    marks: RefCell<FxHashMap<FileId, bool>>,
    /// The ambient files of the universe, with the folder of their package.
    ambient: OnceCell<Vec<(FileId, String)>>,
    /// The modules that ambient files declare, by specifier.
    described: OnceCell<BTreeMap<Box<str>, Vec<Place>>>,
    /// The augmentations of other modules, by name, with the module.
    additions: OnceCell<Additions>,
}

impl SymbolDb<'_> {
    /// The global declarations of a name in a file.
    pub(super) fn globals_for(&self, file: FileId, name: &str) -> Vec<Place> {
        let known = self.globals.files.borrow().get(&file).cloned();
        let files = known.unwrap_or_else(|| {
            let files = Arc::<[FileId]>::from(self.global_files(file));
            self.globals.files.borrow_mut().insert(file, Arc::clone(&files));
            files
        });
        let own: Vec<Place> = files.iter().flat_map(|file| self.globals_of(*file, name)).collect();
        if own.is_empty() { self.globals_elsewhere(name) } else { own }
    }

    /// The files that may declare globals for a file.
    fn global_files(&self, file: FileId) -> Vec<FileId> {
        let package = self.package_of(file);
        let own = self.ambient().iter().filter(|(_, folder)| *folder == package);
        let mut found: BTreeSet<FileId> = own.map(|(number, _)| *number).take(MOST_FILES).collect();
        if self.builtins(file).ambient_mark().is_some() {
            let reached = self.reached(file).into_iter();
            found.extend(reached.filter(|number| self.has_mark(*number)));
        }
        found.into_iter().collect()
    }

    /// The ambient files of the universe, by their names.
    fn ambient(&self) -> &[(FileId, String)] {
        self.globals.ambient.get_or_init(|| {
            let numbered = self.map().universe.iter().zip(FileId::all());
            let ambient = numbered.filter(|(known, number)| {
                known.size < LARGE && self.builtins(*number).is_ambient(known.path.as_str())
            });
            ambient.map(|(_, number)| (number, self.package_of(number))).collect()
        })
    }

    /// The ambient declarations of a module. A specifier there may be a pattern: `*.svg`.
    pub(super) fn described_as(&self, specifier: &str) -> Vec<Place> {
        let described = self.globals.described.get_or_init(|| self.find_described());
        if let Some(known) = described.get(specifier) {
            return known.clone();
        }
        let fits = |pattern: &str| {
            pattern.split_once('*').is_some_and(|(start, end)| {
                specifier.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
            })
        };
        let mut open = described.iter().filter(|(pattern, _)| fits(pattern));
        open.next().map(|(_, places)| places.clone()).unwrap_or_default()
    }

    fn find_described(&self) -> BTreeMap<Box<str>, Vec<Place>> {
        let mut found: BTreeMap<Box<str>, Vec<Place>> = BTreeMap::new();
        for (file, _) in self.ambient().iter().take(MOST_FILES) {
            let Some(facts) = self.file(*file) else { continue };
            let modules = facts.items.iter().zip(0u32..).filter(|(item, _)| item.is_module());
            for (item, number) in modules {
                let places = found.entry(facts.name(item.name).into()).or_default();
                places.push(Place { file: *file, item: number });
            }
        }
        found
    }

    /// The augmentations with a name, each with its module.
    pub(super) fn additions_named(&self, name: &str) -> Vec<(Place, FileId)> {
        let additions = self.globals.additions.get_or_init(|| self.find_additions());
        additions.get(name).cloned().unwrap_or_default()
    }

    fn find_additions(&self) -> Additions {
        let mut found = Additions::new();
        for file in
            self.map().resolved_imports.adding().into_iter().filter_map(|path| self.number(path))
        {
            let Some(facts) = self.file(file) else { continue };
            for module in facts.items.iter().filter(|item| item.is_module()) {
                let Some(other) = self.resolve(file, facts.name(module.name), false) else {
                    continue;
                };
                for item in facts.list(module.members) {
                    let Some(member) = facts.item(*item) else { continue };
                    let places = found.entry(facts.name(member.name).into()).or_default();
                    places.push((Place { file, item: *item }, other));
                }
            }
        }
        found
    }

    /// The same in other packages of the repository; whether they apply is unknown.
    fn globals_elsewhere(&self, name: &str) -> Vec<Place> {
        if let Some(known) = self.globals.elsewhere.borrow().get(name) {
            return known.clone();
        }
        let files = self.ambient().iter().map(|(number, _)| *number);
        let named = files.filter(|number| self.mentions(*number, name));
        let found: Vec<Place> =
            named.take(MOST_FILES).flat_map(|number| self.globals_of(number, name)).collect();
        self.globals.elsewhere.borrow_mut().insert(name.into(), found.clone());
        found
    }

    /// The files that a file imports, directly or not, nearest first.
    fn reached(&self, file: FileId) -> Vec<FileId> {
        if file.index() >= self.map().universe.len() {
            return Vec::new();
        }
        let (mut reached, mut known) = (vec![file], FxHashSet::from_iter([file]));
        let mut next = 0;
        while let Some(file) = reached.get(next).copied()
            && next < MOST_FILES
        {
            reached.extend(self.links().needs(file).iter().filter(|file| known.insert(**file)));
            next += 1;
        }
        reached.truncate(MOST_FILES);
        reached
    }

    /// Whether a file may contain a name; cheaper than parsing it.
    pub(super) fn mentions(&self, file: FileId, name: &str) -> bool {
        if let Some(facts) = self.known_facts(file) {
            return facts.find_name(name).is_some();
        }
        self.bytes(file).is_some_and(|bytes| memmem::find(&bytes, name.as_bytes()).is_some())
    }

    /// Whether a file contains a mark of globals.
    fn has_mark(&self, file: FileId) -> bool {
        if let Some(known) = self.globals.marks.borrow().get(&file) {
            return *known;
        }
        let has_mark = self.find_mark(file);
        self.globals.marks.borrow_mut().insert(file, has_mark);
        has_mark
    }

    fn find_mark(&self, file: FileId) -> bool {
        let Some(mark) = self.builtins(file).ambient_mark() else { return false };
        let listed = self.map().universe.get(file.index()).filter(|listed| listed.size <= LARGE);
        let Some(listed) = listed else { return false };
        if let Some(known) = self.reader().has_mark(listed.path.as_str(), &listed.sha256) {
            return known;
        }
        self.bytes(file).is_some_and(|bytes| memmem::find(&bytes, mark.as_bytes()).is_some())
    }

    /// The folder of the package of a file, with a slash; empty for the root.
    fn package_of(&self, file: FileId) -> String {
        let path = self.path(file);
        let mut end = path.len();
        while let Some(at) = path.get(..end).and_then(|path| path.rfind('/')) {
            let folder = path.get(..=at).unwrap_or_default();
            if self.packages().contains(folder) {
                return folder.to_owned();
            }
            end = at;
        }
        String::new()
    }

    /// What a file adds to the global scope under a name.
    fn globals_of(&self, file: FileId, name: &str) -> Vec<Place> {
        let items = self.global_names(file).get(name).cloned().unwrap_or_default();
        items.into_iter().map(|item| Place { file, item }).collect()
    }

    /// Everything that a file adds to the global scope.
    fn global_names(&self, file: FileId) -> Rc<Names> {
        if let Some(known) = self.globals.names.borrow().get(&file) {
            return Rc::clone(known);
        }
        let mut names = Names::default();
        if let Some(facts) = self.file(file) {
            let is_global = |item: &Declaration| {
                item.flags.has(Flags::GLOBAL) && item.kind != DeclarationKind::Statement
            };
            let found = facts.items.iter().zip(0u32..).filter(|(item, _)| is_global(item));
            for (item, number) in found {
                names.entry(facts.name(item.name).into()).or_default().push(number);
            }
        }
        let names = Rc::new(names);
        self.globals.names.borrow_mut().insert(file, Rc::clone(&names));
        names
    }
}
