//! Which files may use a declaration: those that a chain of imports leads from to it, or to a path where nothing is.

use portolan_types::FileId;
use std::collections::BTreeSet;

use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_types::declarations::{Flags, OWN, Shape};

use portolan_index::symbols::SymbolDb;

/// The files that may use a declaration.
pub(super) struct Reach {
    /// By number; `None` for all.
    files: Option<Vec<bool>>,
    /// Those that only a path where nothing is leads to.
    lost: Vec<bool>,
    /// Those that are looked at a second time though nothing leads to the declarations.
    wide: BTreeSet<FileId>,
}

impl Reach {
    /// The files that may use some declarations, or what their owners build on.
    pub(super) fn of(symbols: &SymbolDb<'_>, places: &[Place], above: &BTreeSet<Place>) -> Self {
        if places.iter().any(|place| is_everywhere(symbols, *place)) {
            return Self { files: None, lost: Vec::new(), wide: BTreeSet::new() };
        }
        let starts = places.iter().chain(above).map(|place| place.file);
        let files = users_of_all(symbols, starts);
        // What is at a path where nothing is, a build for example, may be made of them.
        let mut lost = users_of_all(symbols, symbols.links().lost().iter().copied());
        for (lost, known) in lost.iter_mut().zip(&files) {
            *lost &= !known;
        }
        Self { files: Some(files), lost, wide: BTreeSet::new() }
    }

    /// Adds files that load modules by other calls than imports, where one of these modules may use the declarations.
    pub(super) fn add_loading(&mut self, symbols: &SymbolDb<'_>, loading: &BTreeSet<FileId>) {
        for file in loading {
            if self.is_led(*file) {
                continue;
            }
            let Some(facts) = symbols.file(*file) else { continue };
            let mut modules = facts.shapes.iter().filter_map(|shape| match shape {
                Shape::Module { specifier } => Some(facts.name(*specifier)),
                _ => None,
            });
            let leads = modules.any(|specifier| {
                specifier != OWN
                    && symbols.resolve(*file, specifier, true).is_some_and(|it| self.is_led(it))
            });
            if let Some(files) = self.files.as_mut().filter(|_| leads)
                && let Some(known) = files.get_mut(file.index())
            {
                *known = true;
            }
        }
    }

    /// Adds files in which values may be that come from elsewhere.
    pub(super) fn add(&mut self, more: impl Iterator<Item = FileId>) {
        for file in more {
            if self.is_led(file) {
                continue;
            }
            if let Some(known) = self.lost.get_mut(file.index()) {
                *known = true;
                self.wide.insert(file);
            }
        }
    }

    /// Whether a value may come to a file that no chain of imports leads from to the declarations.
    pub(super) fn is_wide(&self, file: FileId) -> bool {
        self.wide.contains(&file)
    }

    /// Whether a chain of imports leads from a file to the declarations.
    pub(super) fn is_led(&self, file: FileId) -> bool {
        let Some(files) = &self.files else { return true };
        files.get(file.index()).copied().unwrap_or_default()
    }

    /// Whether a file may use the declarations.
    pub(super) fn has(&self, file: FileId) -> bool {
        self.is_led(file) || self.lost.get(file.index()).copied().unwrap_or_default()
    }

    pub(super) fn among(&self, files: impl Iterator<Item = FileId>) -> BTreeSet<FileId> {
        files.filter(|file| self.has(*file)).collect()
    }
}

/// Some files, and all that a chain of imports leads from to them: by number.
fn users_of_all(symbols: &SymbolDb<'_>, starts: impl Iterator<Item = FileId>) -> Vec<bool> {
    let mut files = vec![false; symbols.map().universe.len()];
    let mut open: Vec<FileId> = Vec::new();
    let mut add = |file: FileId, open: &mut Vec<FileId>| {
        if let Some(known) = files.get_mut(file.index())
            && !std::mem::replace(known, true)
        {
            open.push(file);
        }
    };
    for file in starts {
        add(file, &mut open);
    }
    while let Some(file) = open.pop() {
        for user in symbols.links().users(file).iter() {
            add(*user, &mut open);
        }
        for user in below(symbols, file) {
            add(user, &mut open);
        }
    }
    files
}

/// The files that a test runner gives what a file declares, though they do not import it.
fn below(symbols: &SymbolDb<'_>, file: FileId) -> Vec<FileId> {
    let Some(shared) = symbols.builtins(file).fixtures() else { return Vec::new() };
    let path = symbols.path(file);
    let Some(folder) = path.strip_suffix(shared) else { return Vec::new() };
    if !folder.is_empty() && !folder.ends_with('/') {
        return Vec::new();
    }
    let extension = shared.rsplit_once('.').map_or(shared, |(_, extension)| extension);
    let all = symbols.map().universe.iter().zip(FileId::all());
    let is_below = |path: &str| path.starts_with(folder) && path.ends_with(extension);
    all.filter(|(file, _)| is_below(file.path.as_str())).map(|(_, number)| number).collect()
}

/// Whether a declaration is in force without an import: for all, or by what it is called.
fn is_everywhere(symbols: &SymbolDb<'_>, place: Place) -> bool {
    let Some(facts) = symbols.file(place.file) else { return true };
    if !symbols.builtins(place.file).reads_uses() {
        return true;
    }
    let is_global = facts
        .ancestors(place.item)
        .filter_map(|item| facts.item(item))
        .any(|item| item.flags.has(Flags::GLOBAL) || item.is_module());
    is_global || is_fixture(symbols, place)
}

/// Whether a declaration is a fixture of a test runner: its users name it as a parameter.
pub(super) fn is_fixture(symbols: &SymbolDb<'_>, place: Place) -> bool {
    let Some(facts) = symbols.file(place.file) else { return false };
    let Some(item) = facts.item(place.item).filter(|item| item.span.start < item.at) else {
        return false;
    };
    let Some(loaded) = symbols.load(place.file) else { return false };
    let marks = loaded.text.get(item.span.start as usize..item.at as usize).unwrap_or_default();
    marks.trim_start().starts_with('@') && marks.contains("fixture")
}
