//! Reads `Cargo.toml`: the crate roots, and the names of the dependencies.

use toml::{Table, Value};

use crate::{ResolveContext, ancestors, folder_of, join};

/// A package with its targets and dependencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CargoPackage {
    /// The folder, absolute.
    pub(super) folder: String,
    pub(super) name: String,
    /// The name of the library in code.
    pub(super) library: String,
    /// The roots of the targets, absolute. The library comes first if there is one.
    pub(super) roots: Vec<String>,
    pub(super) has_library: bool,
    /// Whether paths in `use` start at the crate root, as in edition 2015.
    pub(super) is_2015: bool,
    pub(super) dependencies: Vec<Dependency>,
}

/// A dependency of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    /// The name in code.
    pub(super) name: String,
    /// The name of the package.
    pub(super) package: String,
    /// The folder, for a path dependency.
    pub(super) folder: Option<String>,
    /// The version requirement, as written.
    pub(super) versions: Option<String>,
}

/// The packages of a repository, in the order of their manifests' paths.
pub(super) fn packages(ctx: &ResolveContext<'_>) -> Vec<CargoPackage> {
    let manifests: Vec<(String, Table)> = ctx
        .sources()
        .paths()
        .filter(|path| path.ends_with("/Cargo.toml"))
        .filter_map(|path| Some((folder_of(path).to_owned(), ctx.read_toml(path)?)))
        .collect();
    let workspace = |folder: &str| {
        let above = ancestors(folder).find_map(|above| {
            manifests
                .iter()
                .find(|(folder, table)| folder == above && table.contains_key("workspace"))
        });
        above.map(|(folder, table)| WorkspaceManifest { folder, table })
    };
    manifests
        .iter()
        .filter_map(|(folder, table)| read(ctx, folder, table, workspace(folder).as_ref()))
        .collect()
}

/// The workspace manifest that packages inherit from.
struct WorkspaceManifest<'t> {
    folder: &'t str,
    table: &'t Table,
}

pub(super) fn text<'t>(table: &'t Table, keys: &[&str]) -> Option<&'t str> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))?.as_str()
}

fn read(
    ctx: &ResolveContext<'_>,
    folder: &str,
    table: &Table,
    workspace: Option<&WorkspaceManifest<'_>>,
) -> Option<CargoPackage> {
    let name = text(table, &["package", "name"])?.to_owned();
    let inherited =
        workspace.and_then(|above| text(above.table, &["workspace", "package", "edition"]));
    let edition = text(table, &["package", "edition"]).or(inherited);
    let library = text(table, &["lib", "name"]).unwrap_or(&name).replace('-', "_");
    let mut package = CargoPackage {
        folder: folder.to_owned(),
        library,
        is_2015: matches!(edition, None | Some("2015")),
        dependencies: dependencies(folder, table, workspace),
        name,
        ..CargoPackage::default()
    };
    let root = text(table, &["lib", "path"]).unwrap_or("src/lib.rs");
    let root = join(folder, root);
    package.has_library = ctx.is_source(&root);
    if package.has_library {
        package.roots.push(root);
    }
    targets(ctx, folder, table, &mut package.roots);
    Some(package)
}

/// Adds the roots of all targets but the library: those in the usual folders, and those that the
/// manifest lists.
fn targets(ctx: &ResolveContext<'_>, folder: &str, table: &Table, roots: &mut Vec<String>) {
    let mut add = |path: String| {
        if ctx.is_source(&path) && !roots.contains(&path) {
            roots.push(path);
        }
    };
    for key in ["bin", "example", "test", "bench"] {
        let written = table.get(key).and_then(Value::as_array);
        for target in written.into_iter().flatten() {
            if let Some(path) = target.get("path").and_then(Value::as_str) {
                add(join(folder, path));
            }
        }
    }
    add(format!("{folder}/src/main.rs"));
    for place in ["src/bin", "tests", "examples", "benches"] {
        let place = format!("{folder}/{place}");
        for name in ctx.files().names(&place) {
            if name.ends_with(".rs") {
                add(format!("{place}/{name}"));
            } else {
                add(format!("{place}/{name}/main.rs"));
            }
        }
    }
    let build = text(table, &["package", "build"]).unwrap_or("build.rs");
    add(join(folder, build));
}

/// The entries of all dependency tables, including the platform-specific ones.
pub(super) fn dependency_tables(table: &Table) -> impl Iterator<Item = (&str, &Value)> {
    const KEYS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let platforms =
        table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(table).chain(platforms.filter_map(Value::as_table));
    let lists = tables.flat_map(|table| KEYS.iter().filter_map(|key| table.get(*key)?.as_table()));
    lists.flatten().map(|(key, value)| (key.as_str(), value))
}

/// The dependencies of all tables.
fn dependencies(
    folder: &str,
    table: &Table,
    workspace: Option<&WorkspaceManifest<'_>>,
) -> Vec<Dependency> {
    let entries = dependency_tables(table);
    entries.map(|(key, value)| dependency(folder, key, value, workspace)).collect()
}

fn dependency(
    folder: &str,
    key: &str,
    value: &Value,
    workspace: Option<&WorkspaceManifest<'_>>,
) -> Dependency {
    let is_inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
    let above = workspace.filter(|_| is_inherited);
    let inherited =
        above.and_then(|above| above.table.get("workspace")?.get("dependencies")?.get(key));
    let (source, folder) = match (inherited, above) {
        (Some(value), Some(above)) => (value, above.folder),
        _ => (value, folder),
    };
    let of = |key: &str| source.get(key).and_then(Value::as_str);
    Dependency {
        name: key.replace('-', "_"),
        package: of("package").unwrap_or(key).to_owned(),
        folder: of("path").map(|path| join(folder, path)),
        versions: source.as_str().or_else(|| of("version")).map(str::to_owned),
    }
}
