//! Reads the project manifest `x07.json`: the fields that a pack needs, and checks of the rest.

use std::collections::BTreeMap;

use serde::Deserialize;

const VERSIONS: [&str; 4] =
    ["x07.project@0.2.0", "x07.project@0.3.0", "x07.project@0.4.0", "x07.project@0.5.0"];
const WORLDS: [&str; 7] =
    ["solve-pure", "solve-fs", "solve-rr", "solve-kv", "solve-full", "run-os", "run-os-sandboxed"];

/// The fields of a manifest that a pack needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The world that the project's programs run in.
    pub world: String,
    /// The entry module, relative to the manifest's folder and without `..`.
    pub entry: String,
}

/// A manifest as written. Unknown fields are allowed.
#[derive(Debug, Deserialize)]
struct ManifestOptions {
    schema_version: String,
    world: String,
    entry: String,
    module_roots: Vec<String>,
    #[serde(default)]
    compat: Option<String>,
    #[serde(default)]
    operational_entry_symbol: Option<String>,
    #[serde(default)]
    certification_entry_symbol: Option<String>,
    #[serde(default)]
    lockfile: Option<String>,
    #[serde(default)]
    link: LinkOptions,
    #[serde(default)]
    dependencies: Vec<DependencyOptions>,
    #[serde(default)]
    patch: BTreeMap<String, PatchOptions>,
}

#[derive(Debug, Default, Deserialize)]
struct LinkOptions {
    #[serde(default)]
    libs: Vec<String>,
    #[serde(default)]
    search_paths: Vec<String>,
    #[serde(default)]
    frameworks: Vec<String>,
    #[serde(default, rename = "static")]
    _is_static: bool,
}

#[derive(Debug, Deserialize)]
struct DependencyOptions {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "version")]
    _version: String,
    path: String,
}

#[derive(Debug, Deserialize)]
struct PatchOptions {
    version: String,
    #[serde(default)]
    path: Option<String>,
}

/// Why a manifest cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManifestError {
    /// The manifest is not JSON, or a field is missing or has the wrong type.
    Parse(String),
    /// A value is not allowed.
    Invalid(String),
}

type Checked = Result<(), String>;

/// Reads a manifest.
pub fn read_manifest(bytes: &[u8]) -> Result<Manifest, ManifestError> {
    let options: ManifestOptions =
        serde_json::from_slice(bytes).map_err(|error| ManifestError::Parse(error.to_string()))?;
    check(&options).map_err(ManifestError::Invalid)?;
    Ok(Manifest { world: options.world.trim().to_owned(), entry: options.entry.trim().to_owned() })
}

fn check(options: &ManifestOptions) -> Checked {
    check_patch_names(&options.patch)?;
    check_version(options)?;
    let world = options.world.trim();
    if !WORLDS.contains(&world) {
        return Err(format!("invalid project world {world:?}: unknown world: {world}"));
    }
    check_entry(options.entry.trim())?;
    if options.module_roots.is_empty() {
        return Err("project module_roots must be non-empty".into());
    }
    for (index, root) in options.module_roots.iter().enumerate() {
        check_relative(&format!("project.module_roots[{index}]"), root)?;
    }
    check_link(&options.link)?;
    for (index, dependency) in options.dependencies.iter().enumerate() {
        check_relative(&format!("project.dependencies[{index}].path"), &dependency.path)?;
    }
    check_patches(&options.patch)?;
    if let Some(lockfile) = present(options.lockfile.as_deref()) {
        check_relative("project.lockfile", lockfile)?;
    }
    for (field, symbol) in entry_symbols(options) {
        crate::check_dotted_name(symbol)
            .map_err(|message| format!("invalid project {field} {symbol:?}: {message}"))?;
    }
    Ok(())
}

/// An optional string, trimmed; none if it is blank.
fn present(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn entry_symbols(options: &ManifestOptions) -> impl Iterator<Item = (&'static str, &str)> {
    let symbols = [
        ("operational_entry_symbol", present(options.operational_entry_symbol.as_deref())),
        ("certification_entry_symbol", present(options.certification_entry_symbol.as_deref())),
    ];
    symbols.into_iter().filter_map(|(field, symbol)| Some((field, symbol?)))
}

fn check_version(options: &ManifestOptions) -> Checked {
    let version = options.schema_version.trim();
    let Some(at) = VERSIONS.iter().position(|&known| known == version) else {
        return Err(format!(
            "project schema_version mismatch: expected one of {VERSIONS:?} got {version:?}"
        ));
    };
    if at == 0 && !options.patch.is_empty() {
        return Err(format!(
            "project.patch requires project schema_version {} (got {version})",
            VERSIONS[3]
        ));
    }
    if at < 3 && present(options.compat.as_deref()).is_some() {
        return Err(format!("project.compat requires project schema_version {}", VERSIONS[3]));
    }
    match entry_symbols(options).next() {
        Some((field, _)) if at < 2 => {
            Err(format!("project.{field} requires project schema_version {}", VERSIONS[2]))
        }
        _ => Ok(()),
    }
}

fn check_entry(entry: &str) -> Checked {
    if entry.is_empty() {
        return Err("project entry must be non-empty".into());
    }
    check_relative("project.entry", entry)?;
    if entry.ends_with(".x07.json") {
        Ok(())
    } else {
        Err(format!("project entry must be a *.x07.json file, got {entry:?}"))
    }
}

/// Checks that a path stays below the manifest's folder. Checks the text for every system, so that
/// a manifest is not safe here and dangerous elsewhere.
fn check_relative(field: &str, path: &str) -> Checked {
    let path = path.trim();
    if path.is_empty() {
        return Err(format!("{field} must be non-empty"));
    }
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with(['/', '\\']) || has_drive || path.contains('\0') {
        return Err(format!("{field} must be a relative path, got {path:?}"));
    }
    if path.split(['/', '\\']).any(|segment| segment == "..") {
        return Err(format!("{field} must not contain '..' segments: {path:?}"));
    }
    Ok(())
}

fn check_link(link: &LinkOptions) -> Checked {
    for (field, names) in [("libs", &link.libs), ("frameworks", &link.frameworks)] {
        for (index, name) in names.iter().enumerate() {
            let (at, name) = (format!("project.link.{field}[{index}]"), name.trim());
            if name.is_empty() {
                return Err(format!("{at} must be non-empty"));
            }
            if name.starts_with('-') {
                return Err(format!("{at} must not start with '-': {name:?}"));
            }
            if name.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '\\' | '\0')) {
                return Err(format!(
                    "{at} must not contain whitespace, '/', '\\\\', or NUL: {name:?}"
                ));
            }
        }
    }
    for (index, path) in link.search_paths.iter().enumerate() {
        check_relative(&format!("project.link.search_paths[{index}]"), path)?;
    }
    Ok(())
}

/// Rejects names that are blank, or equal after trimming.
fn check_patch_names(patch: &BTreeMap<String, PatchOptions>) -> Checked {
    let mut names: Vec<&str> = patch.keys().map(|name| name.trim()).collect();
    names.sort_unstable();
    if names.first() == Some(&"") {
        return Err("project.patch keys must be non-empty".into());
    }
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("project.patch has the key {:?} twice", pair[0])),
        None => Ok(()),
    }
}

fn check_patches(patch: &BTreeMap<String, PatchOptions>) -> Checked {
    for (name, options) in patch {
        let name = name.trim();
        let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
            });
        if !is_plain {
            return Err(format!("project.patch key must match ^[a-z][a-z0-9_-]*$, got {name:?}"));
        }
        if options.version.trim().is_empty() {
            return Err(format!("project.patch[{name:?}].version must be non-empty"));
        }
        if let Some(path) = present(options.path.as_deref()) {
            check_relative(&format!("project.patch[{name:?}].path"), path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
