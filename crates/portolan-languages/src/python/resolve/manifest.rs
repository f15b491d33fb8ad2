//! Finds the folders that manifests add to Python's module path.

use toml::{Table, Value};

use super::modules::split;
use crate::ResolveContext;

/// The declared folders, each with the folder of its manifest, in the order of the manifests'
/// paths.
pub(super) fn declared_roots(
    ctx: &ResolveContext<'_>,
    is_folder: &dyn Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let root = ctx.files().root();
    let mut declared: Vec<(String, String)> = Vec::new();
    for absolute in ctx.sources().paths() {
        let Some(path) = absolute.strip_prefix(root).and_then(|path| path.strip_prefix('/')) else {
            continue;
        };
        let (folder, name) = split(path);
        let Some(read) = reader_of(name) else { continue };
        let Some(text) = ctx.read(absolute) else { continue };
        let mut found = Vec::new();
        read(&text, &mut found);
        for sub in found {
            let Some(place) = join(folder, &sub) else { continue };
            let is_new = !declared.iter().any(|(known, _)| *known == place);
            if is_new && is_folder(&place) {
                declared.push((place, folder.to_owned()));
            }
        }
    }
    declared
}

/// Joins a folder and a relative path; `None` if the result is outside of the root.
pub(super) fn join(folder: &str, sub: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in sub.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

type ManifestReader = fn(&str, &mut Vec<String>);

fn reader_of(name: &str) -> Option<ManifestReader> {
    match name {
        "pyproject.toml" => Some(pyproject),
        "setup.cfg" => Some(setup_cfg),
        "setup.py" => Some(setup_py),
        "pytest.ini" | "tox.ini" => Some(pytest_ini),
        "pyrightconfig.json" => Some(pyright),
        _ => None,
    }
}

/// The value at a path of keys.
pub(super) fn at<'t>(table: &'t Table, keys: &[&str]) -> Option<&'t Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
}

/// The strings of a list, or the single string.
pub(super) fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let one = value.and_then(Value::as_str);
    let list = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    one.into_iter().chain(list.iter().filter_map(Value::as_str))
}

fn pyproject(text: &str, found: &mut Vec<String>) {
    let Ok(manifest) = text.parse::<Table>() else { return };
    let tool = |keys: &[&str]| {
        let keys: Vec<&str> = std::iter::once("tool").chain(keys.iter().copied()).collect();
        at(&manifest, &keys)
    };
    let mut add = |texts: &mut dyn Iterator<Item = &str>| found.extend(texts.map(str::to_owned));
    add(&mut texts(tool(&["setuptools", "packages", "find", "where"])));
    let folders = tool(&["setuptools", "package-dir"]).and_then(Value::as_table);
    add(&mut folders.into_iter().flat_map(Table::values).filter_map(Value::as_str));
    let packages = tool(&["poetry", "packages"]).and_then(Value::as_array);
    let from =
        |package: &Value| package.get("from").and_then(Value::as_str).unwrap_or(".").to_owned();
    let from: Vec<String> = packages.into_iter().flatten().map(from).collect();
    add(&mut from.iter().map(String::as_str));
    let wheel = tool(&["hatch", "build", "targets", "wheel", "packages"]);
    add(&mut texts(wheel).map(|package| split(package).0));
    add(&mut texts(tool(&["hatch", "build", "sources"])));
    add(&mut texts(tool(&["pdm", "build", "package-dir"])));
    add(&mut texts(tool(&["uv", "build-backend", "module-root"])));
    add(&mut texts(tool(&["pytest", "ini_options", "pythonpath"])));
    add(&mut texts(tool(&["pyright", "extraPaths"])));
    add(&mut texts(tool(&["ruff", "src"])));
    add(&mut texts(tool(&["maturin", "python-source"])));
    add(&mut ["src", "."].into_iter());
}

fn setup_cfg(text: &str, found: &mut Vec<String>) {
    let entries = ini(text);
    let values = |section: &str, key: &str| {
        let is_it = move |entry: &&IniEntry| entry.section == section && entry.key == key;
        entries.iter().filter(is_it).map(|entry| entry.value.clone()).collect::<Vec<_>>()
    };
    found.extend(
        values("options.packages.find", "where").iter().map(|value| value.trim().to_owned()),
    );
    for value in values("options", "package_dir") {
        let folders = value.lines().filter_map(|line| line.split_once('='));
        found.extend(folders.map(|(_, folder)| folder.trim().to_owned()));
    }
    found.push(".".to_owned());
    pytest_ini(text, found);
}

fn pytest_ini(text: &str, found: &mut Vec<String>) {
    let is_it = |entry: &IniEntry| {
        matches!(entry.section.as_str(), "pytest" | "tool:pytest") && entry.key == "pythonpath"
    };
    for entry in ini(text).into_iter().filter(is_it) {
        found.extend(entry.value.split_whitespace().map(str::to_owned));
    }
}

/// Reads `package_dir={"": "src"}`, the only common form. Computed values are unknown.
fn setup_py(text: &str, found: &mut Vec<String>) {
    for (at, _) in text.match_indices("package_dir") {
        let rest: String =
            text[at..].chars().take(200).filter(|letter| !letter.is_whitespace()).collect();
        let folder = ["package_dir={\"\":", "package_dir={'':"]
            .iter()
            .find_map(|start| rest.strip_prefix(start))
            .and_then(|rest| rest.strip_prefix(['"', '\'']))
            .and_then(|rest| rest.split(['"', '\'']).next());
        found.extend(folder.map(str::to_owned));
    }
    found.push(".".to_owned());
}

fn pyright(text: &str, found: &mut Vec<String>) {
    let Ok(config) = serde_json::from_str::<serde_json::Value>(text) else { return };
    let paths = config.get("extraPaths").and_then(serde_json::Value::as_array);
    found.extend(paths.into_iter().flatten().filter_map(|path| Some(path.as_str()?.to_owned())));
}

/// The entries of a `setup.cfg`: section, key and value.
pub(super) fn setup_entries(text: &str) -> Vec<(String, String, String)> {
    ini(text).into_iter().map(|entry| (entry.section, entry.key, entry.value)).collect()
}

/// An entry of an INI file. Indented lines continue the previous value.
struct IniEntry {
    section: String,
    key: String,
    value: String,
}

fn ini(text: &str) -> Vec<IniEntry> {
    let mut entries: Vec<IniEntry> = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(entry) = entries.last_mut() {
                entry.value.push('\n');
                entry.value.push_str(trimmed);
            }
        } else if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        {
            name.trim().clone_into(&mut section);
        } else if let Some((key, value)) = trimmed.split_once(['=', ':']) {
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            entries.push(IniEntry { section: section.clone(), key, value });
        }
    }
    entries
}
