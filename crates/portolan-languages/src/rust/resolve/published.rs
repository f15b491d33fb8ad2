//! Published crates: their names, versions and dependencies.

use toml::{Table, Value};

use super::manifest::{dependency_tables, text};
use crate::resolve::published::{Manifests, Published, upwards};

pub(super) fn published(manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
    let table = read(manifests, folder)?;
    let above = upwards(folder).filter_map(|folder| read(manifests, folder));
    let workspace = above.into_iter().find(|table| table.contains_key("workspace"));
    let inherited = |keys: &[&str]| {
        let keys: Vec<&str> = std::iter::once("workspace").chain(keys.iter().copied()).collect();
        text(workspace.as_ref()?, &keys).map(str::to_owned)
    };
    let name = text(&table, &["package", "name"]).map(str::to_owned);
    let version = text(&table, &["package", "version"]).map(str::to_owned);
    let version = version.or_else(|| inherited(&["package", "version"]));
    let library = text(&table, &["lib", "name"]).or(name.as_deref()).map(|it| it.replace('-', "_"));
    let has_library =
        table.contains_key("lib") || manifests.below(folder).any(|path| path == "src/lib.rs");
    let mut found = Published { version: name.as_ref().and(version), name, ..Published::default() };
    found.modules = library.filter(|_| has_library).into_iter().collect();
    for (key, value) in dependency_tables(&table) {
        let own = value.as_str().or_else(|| value.get("version").and_then(Value::as_str));
        let own = own.map(str::to_owned);
        let version = own.or_else(|| {
            inherited(&["dependencies", key])
                .or_else(|| inherited(&["dependencies", key, "version"]))
        });
        let inherits = value.get("workspace").is_some();
        let package = value.get("package").and_then(Value::as_str).map(str::to_owned);
        let package =
            package.or_else(|| inherited(&["dependencies", key, "package"]).filter(|_| inherits));
        if let Some(package) = package {
            found.renamed.insert(key.replace('-', "_"), package.replace('-', "_"));
        }
        found
            .requirements
            .entry(key.replace('-', "_"))
            .or_insert(version.unwrap_or("*".to_owned()));
    }
    Some(found)
}

fn read(manifests: &Manifests<'_>, folder: &str) -> Option<Table> {
    manifests.read(folder, "Cargo.toml")?.parse().ok()
}
