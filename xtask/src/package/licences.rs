//! Collects the licences of linked crates: nearly all require that their text is distributed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ChoreResult;

const HEAD: &str = "Portolan is under the licences beside this file. Linked into its binary is the work of others, each part under the
licence that stands after its name. Parts with the same text stand above it together.
";

/// The name of the file.
pub(super) const THIRD_PARTY: &str = "THIRD-PARTY";

/// A crate: name, version and licence on one line.
type CrateLine = String;

/// The file: every crate once, every text once.
pub(super) fn linked_in(metadata: &Value) -> ChoreResult<String> {
    let mut by_text: BTreeMap<String, BTreeSet<CrateLine>> = BTreeMap::new();
    for package in linked(metadata)? {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let manifest = Path::new(field("manifest_path"));
        let line = format!("{} {} ({})", field("name"), field("version"), field("license"));
        let texts = match manifest.parent() {
            Some(folder) => texts_in(folder)?,
            None => Vec::new(),
        };
        if texts.is_empty() {
            by_text.entry(String::new()).or_default().insert(line);
            continue;
        }
        for text in texts {
            by_text.entry(text).or_default().insert(line.clone());
        }
    }
    // Sorted by the first name, so that a new crate changes one place.
    let mut groups: Vec<(BTreeSet<CrateLine>, String)> =
        by_text.into_iter().map(|(text, lines)| (lines, text)).collect();
    groups.sort();
    let mut out = HEAD.to_owned();
    for (lines, text) in groups {
        let _ = write!(out, "\n{}\n", "=".repeat(80));
        for line in lines {
            let _ = writeln!(out, "{line}");
        }
        let text = if text.is_empty() {
            "The source comes without the text of its licence.\n"
        } else {
            &text
        };
        let _ = write!(out, "{}\n{text}", "-".repeat(80));
    }
    Ok(out)
}

/// The crates of the binary, without our own. Dependencies of our own build scripts count, because
/// tables are generated from them; those of other build scripts do not.
fn linked(metadata: &Value) -> ChoreResult<Vec<&Value>> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"].as_array().ok_or("cargo reported no packages")?;
    let by_id: BTreeMap<&str, &Value> =
        packages.iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let root = packages.iter().find(|package| package["name"] == "portolan-cli");
    let root = root.and_then(|root| root["id"].as_str()).ok_or("cargo reported no portolan-cli")?;
    let (mut seen, mut todo) = (BTreeSet::from([root.to_owned()]), vec![root.to_owned()]);
    while let Some(id) = todo.pop() {
        let is_ours = by_id.get(id.as_str()).is_some_and(|package| package["source"].is_null());
        let Some(node) = nodes.get(id.as_str()) else { continue };
        for dependency in list(&node["deps"]) {
            let is_in = list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null() || is_ours && kind["kind"] == "build");
            let Some(id) = dependency["pkg"].as_str() else { continue };
            if is_in && seen.insert(id.to_owned()) {
                todo.push(id.to_owned());
            }
        }
    }
    let foreign = seen.iter().filter_map(|id| by_id.get(id.as_str()).copied());
    Ok(foreign.filter(|package| !package["source"].is_null()).collect())
}

/// The licence texts in a crate's folder, recognized by file name and normalized in layout.
fn texts_in(folder: &Path) -> ChoreResult<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT"];
        let is_licence = is_licence.into_iter().any(|start| upper.starts_with(start));
        if is_licence && entry.path().is_file() {
            names.push(name);
        }
    }
    names.sort_unstable();
    let mut texts = Vec::new();
    for name in names {
        let bytes = fs::read(folder.join(name))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let lines = text.trim_matches('\n').lines().map(|line| format!("{}\n", line.trim_end()));
        texts.push(lines.collect());
    }
    Ok(texts)
}
