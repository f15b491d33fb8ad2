//! Published artifacts: coordinates in manifests, packages in code.

use std::collections::{BTreeMap, BTreeSet};

use super::gradle;
use crate::has_extension;
use crate::resolve::published::{Manifests, Published};

pub(super) fn published(manifests: &Manifests<'_>, folder: &str) -> Published {
    let mut found = match manifests.read(folder, "pom.xml") {
        Some(text) => pom(&text),
        None => gradle::published(manifests, folder),
    };
    if found.name.is_some() {
        found.modules = packages(manifests, folder).into_iter().collect();
    }
    found
}

/// Whether an artifact may contain a package, by its coordinates.
pub(super) fn may_provide(coordinates: &str, package: &str) -> bool {
    let group = coordinates.split(':').next().unwrap_or(coordinates);
    let rest = package.strip_prefix(group);
    !group.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn pom(text: &str) -> Published {
    let texts = elements(text);
    let said = |path: &str| {
        let found = texts.iter().find(|(known, _)| known == path);
        found.map(|(_, text)| text.clone()).filter(|text| !text.contains("${"))
    };
    let group = said("project/groupId").or_else(|| said("project/parent/groupId"));
    let version = said("project/version").or_else(|| said("project/parent/version"));
    let name = said("project/artifactId").map(|artifact| coordinates(group.as_deref(), &artifact));
    let mut requirements = BTreeMap::new();
    let mut open: [Option<String>; 3] = [const { None }; 3];
    for (path, text) in &texts {
        let Some((around, key)) = path.rsplit_once('/') else { continue };
        if !around.ends_with("dependencies/dependency") {
            continue;
        }
        let slot = match key {
            "groupId" => 0,
            "artifactId" => 1,
            "version" => 2,
            _ => continue,
        };
        // The version comes after the name. The next dependency starts with its group.
        if slot == 0 {
            note(&mut open, &mut requirements);
        }
        open[slot] = Some(text.clone());
    }
    note(&mut open, &mut requirements);
    Published { name, version, requirements, ..Published::default() }
}

fn note(open: &mut [Option<String>; 3], requirements: &mut BTreeMap<String, String>) {
    let [group, artifact, version] = std::mem::take(open);
    if let Some(artifact) = artifact {
        let version = version.unwrap_or_else(|| "*".to_owned());
        requirements.entry(coordinates(group.as_deref(), &artifact)).or_insert(version);
    }
}

pub(super) fn coordinates(group: Option<&str>, artifact: &str) -> String {
    group.map_or_else(|| artifact.to_owned(), |group| format!("{group}:{artifact}"))
}

/// The texts of a document's elements, with their element paths.
fn elements(text: &str) -> Vec<(String, String)> {
    /// A POM that nests deeper is not read further.
    const MAX_DEPTH: usize = 64;
    let mut found = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let said = before.trim();
        if !said.is_empty() && !path.is_empty() {
            found.push((path.join("/"), said.to_owned()));
        }
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let Some((tag, next)) = after.split_once('>') else { break };
        rest = next;
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        if tag.starts_with('/') {
            path.pop();
        } else if path.len() < MAX_DEPTH {
            path.push(tag.split_whitespace().next().unwrap_or(tag));
        } else {
            break;
        }
    }
    found
}

/// The packages with sources here, without tests.
fn packages(manifests: &Manifests<'_>, folder: &str) -> BTreeSet<String> {
    const OWN: &[&str] =
        &["src", "src/main", "src/module", "src/testFixtures", "src/commonMain", "src/jvmMain"];
    let sources = manifests.below(folder).filter_map(|path| {
        let languages = [("/java/", "java"), ("/kotlin/", "kt")];
        let (before, inside) = languages.iter().find_map(|(folder, extension)| {
            path.split_once(folder).filter(|_| has_extension(path, &[extension]))
        })?;
        let (package, _) = inside.rsplit_once('/').filter(|_| OWN.contains(&before))?;
        Some(package.replace('/', "."))
    });
    sources.collect()
}
