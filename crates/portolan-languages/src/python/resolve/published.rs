//! Published distributions: names in manifests, top-level modules in code.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::manifest::{at, setup_entries, texts};
use crate::has_extension;
use crate::resolve::published::{Manifests, Published};

/// Folders beside the modules that do not belong to the distribution.
const BESIDE: [&str; 10] = [
    "test",
    "tests",
    "doc",
    "docs",
    "example",
    "examples",
    "benchmarks",
    "scripts",
    "tools",
    "build",
];

pub(super) fn published(manifests: &Manifests<'_>, folder: &str) -> Published {
    let mut found = Published::default();
    if let Some(text) = manifests.read(folder, "pyproject.toml") {
        pyproject(&text, &mut found);
    }
    if let Some(text) = manifests.read(folder, "setup.cfg") {
        setup_cfg(&text, &mut found);
    }
    if found.name.is_none()
        && let Some(text) = manifests.read(folder, "setup.py")
    {
        let said = |key: &str| argument(&text, key);
        found.name = said("name").map(|name| normalized_name(&name));
        found.version = found.version.take().or_else(|| said("version"));
    }
    if found.name.is_some() {
        found.modules = modules(manifests, folder).into_iter().collect();
    }
    found
}

/// A normalized name, as package indexes compare it.
pub(super) fn normalized_name(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.trim().chars() {
        if matches!(letter, '-' | '_' | '.') {
            if !normal.ends_with('-') {
                normal.push('-');
            }
        } else {
            normal.extend(letter.to_lowercase());
        }
    }
    normal
}

fn pyproject(text: &str, found: &mut Published) {
    let Ok(manifest) = text.parse::<Table>() else { return };
    let said = |keys: &[&str]| at(&manifest, keys).and_then(Value::as_str).map(str::to_owned);
    let name = said(&["project", "name"]).or_else(|| said(&["tool", "poetry", "name"]));
    found.name = name.map(|name| normalized_name(&name));
    found.version = said(&["project", "version"]).or_else(|| said(&["tool", "poetry", "version"]));
    let optional = at(&manifest, &["project", "optional-dependencies"]).and_then(Value::as_table);
    let groups = at(&manifest, &["dependency-groups"]).and_then(Value::as_table);
    let more = optional.into_iter().chain(groups).flat_map(Table::values);
    for list in at(&manifest, &["project", "dependencies"]).into_iter().chain(more) {
        for requirement in texts(Some(list)) {
            require(requirement, &mut found.requirements);
        }
    }
    let poetry = at(&manifest, &["tool", "poetry", "dependencies"]).and_then(Value::as_table);
    for (name, value) in poetry.into_iter().flatten() {
        let version = value.as_str().or_else(|| value.get("version").and_then(Value::as_str));
        let version = version.unwrap_or("*").to_owned();
        found.requirements.entry(normalized_name(name)).or_insert(version);
    }
}

fn setup_cfg(text: &str, found: &mut Published) {
    for (section, key, value) in setup_entries(text) {
        match (section.as_str(), key.as_str()) {
            ("metadata", "name") => {
                found.name = found.name.take().or_else(|| Some(normalized_name(&value)));
            }
            ("metadata", "version") if !value.starts_with("attr:") => {
                found.version = found.version.take().or(Some(value));
            }
            ("options", "install_requires") | ("options.extras_require", _) => {
                value.lines().for_each(|line| require(line, &mut found.requirements));
            }
            _ => {}
        }
    }
}

/// Adds a requirement: `name[extra] >= 1 ; marker`.
fn require(requirement: &str, requirements: &mut BTreeMap<String, String>) {
    let plain = requirement.split([';', '#']).next().unwrap_or_default().trim();
    let is_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let end = plain.find(|it: char| !is_name(it)).unwrap_or(plain.len());
    let (name, rest) = plain.split_at(end);
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, version)) => version.trim(),
        None => rest,
    };
    let version = if rest.is_empty() || rest.starts_with('@') { "*" } else { rest };
    if !name.is_empty() {
        requirements.entry(normalized_name(name)).or_insert_with(|| version.trim().to_owned());
    }
}

/// The value of `key="text"` in a script. Computed values are unknown.
fn argument(text: &str, key: &str) -> Option<String> {
    text.match_indices(key).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let is_word = before.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '.'));
        let rest = text[at + key.len()..].trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|it| !is_word && matches!(it, '"' | '\''))?;
        let value = rest[1..].split(quote).next()?;
        (!value.is_empty() && !value.contains('\n')).then(|| value.to_owned())
    })
}

/// The top-level modules: in `src`, or else beside the manifest.
fn modules(manifests: &Manifests<'_>, folder: &str) -> BTreeSet<String> {
    let (mut inside, mut beside) = (BTreeSet::new(), BTreeSet::new());
    for path in manifests.below(folder) {
        let (found, path) = match path.strip_prefix("src/") {
            Some(path) => (&mut inside, path),
            None => (&mut beside, path),
        };
        let module = match path.split_once('/') {
            Some((top, "__init__.py" | "__init__.pyi")) => top,
            // Scripts beside the manifest do not belong to the distribution.
            None if has_extension(path, &["py"]) => path.trim_end_matches(".py"),
            _ => continue,
        };
        let is_script = matches!(module, "setup" | "conftest" | "noxfile" | "manage" | "tasks");
        let is_name = module.chars().all(|it| it.is_alphanumeric() || it == '_');
        if is_name && !is_script && !BESIDE.contains(&module) {
            found.insert(module.to_owned());
        }
    }
    if inside.is_empty() { beside } else { inside }
}
