//! Finds the exports of packages, from their entry points through all re-exports.

use portolan_types::FileId;
use std::collections::{BTreeMap, BTreeSet};

use portolan_guard::redact;
use portolan_symbols::resolver::{Place, Resolver, SymbolSource as _};

use super::packages::Packages;
use portolan_index::map::MapError;
use portolan_index::symbols::{SweptMap, SymbolDb};

/// The names under which declarations are exported.
#[derive(Default)]
pub(super) struct Surface {
    /// By declaration: the number of the exporting package, and the exported name.
    names: BTreeMap<Place, BTreeSet<(usize, String)>>,
    /// The exported names of packages that declare their exports.
    exports: BTreeMap<usize, BTreeSet<String>>,
    /// The files of packages that declare their exports: anything undeclared is private.
    closed: BTreeSet<FileId>,
}

impl Surface {
    /// The names of a declaration in its own package; `None` if the package does not declare its
    /// exports.
    pub(super) fn own_names(&self, packages: &Packages, place: Place) -> Option<Vec<String>> {
        let owner = packages.owner_of(place.file);
        let names = self.names.get(&place).into_iter().flatten();
        let own = names.filter(|(package, _)| Some(*package) == owner);
        let is_closed = self.closed.contains(&place.file);
        is_closed.then(|| own.map(|(_, name)| name.clone()).collect())
    }

    /// The names under which other packages re-export it: `ecosystem:package#name`.
    pub(super) fn passed_on<'s>(
        &'s self,
        packages: &'s Packages,
        place: Place,
    ) -> impl Iterator<Item = String> + 's {
        let owner = packages.owner_of(place.file);
        let names = self.names.get(&place).into_iter().flatten();
        names.filter(move |(package, _)| Some(*package) != owner).filter_map(|(package, name)| {
            let package = packages.get(*package)?;
            let own = redact(package.published.name.as_deref()?);
            Some(format!("{}:{own}#{name}", package.ecosystem))
        })
    }

    /// The exported names of a package; `None` if it does not declare its exports.
    pub(super) fn exports(&self, package: usize) -> Option<&BTreeSet<String>> {
        self.exports.get(&package)
    }
}

/// Collects the exports of all packages.
pub(super) fn exported(swept: &SweptMap<'_>, packages: &Packages) -> Result<Surface, MapError> {
    swept.with_symbols(|symbols| {
        let mut surface = Surface::default();
        let files = packages.files();
        for (number, package) in packages.iter().enumerate() {
            let Some(inside) = files.get(&number) else { continue };
            let Some(first) = inside.first() else { continue };
            let entries = package.published.entries.iter();
            let entries = entries.filter_map(|entry| symbols.resolve(*first, entry, false));
            let is_own = |entry: &FileId| entry.index() < swept.map.universe.len();
            let entries: BTreeSet<FileId> = entries.filter(is_own).collect();
            if entries.is_empty() {
                continue;
            }
            for entry in entries {
                read(symbols, entry, number, &mut surface);
            }
            surface.closed.extend(inside.iter().copied());
        }
        surface
    })
}

/// Adds the exports of a module, and of the modules that it exports under a name.
fn read(symbols: &SymbolDb<'_>, entry: FileId, package: usize, surface: &mut Surface) {
    let resolver = Resolver::new(symbols);
    let exports = surface.exports.entry(package).or_default();
    let mut say = |place: Place, name: String| {
        surface.names.entry(place).or_default().insert((package, name));
    };
    for name in resolver.exported_names(entry) {
        let definitions = resolver.exported(entry, &name);
        // A name that resolves to nothing here is re-exported from another package; a module has no
        // declaration.
        if definitions.modules.is_empty() || !definitions.places.is_empty() {
            exports.insert(name.to_string());
        }
        for place in definitions.places {
            say(place, name.to_string());
        }
        for module in definitions.modules {
            for inner in resolver.exported_names(module) {
                let inner_name = format!("{name}.{inner}");
                for place in resolver.exported(module, &inner).places {
                    exports.insert(inner_name.clone());
                    say(place, inner_name.clone());
                }
            }
        }
    }
}
