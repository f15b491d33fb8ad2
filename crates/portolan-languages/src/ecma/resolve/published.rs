//! Published packages: their names, entry points and dependencies.

use std::borrow::Cow;
use std::collections::BTreeMap;

use portolan_json::{JsonMember, LocatedJson};

use super::package::split_name;
use crate::resolve::published::{Manifests, Published};

/// The dependency lists. The first one that names a package gives its version.
const LISTS: [&str; 4] =
    ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"];

pub(super) fn published(manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
    let text = manifests.read(folder, "package.json")?;
    let document = portolan_json::parse_strict(text.as_bytes()).ok()?;
    let json = &document.root;
    let said = |key: &str| json.get(key).and_then(LocatedJson::as_str).map(ToOwned::to_owned);
    let name =
        said("name").filter(|name| package_named(name).is_some_and(|it| it == name.as_str()));
    let is_private = json.get("private").and_then(LocatedJson::as_bool) == Some(true);
    let entries = name.iter().flat_map(|name| entries(json, name)).collect();
    let (mut requirements, mut renamed) = (BTreeMap::new(), BTreeMap::new());
    let members = LISTS.iter().filter_map(|list| json.get(list)).flat_map(LocatedJson::members);
    for JsonMember { name, value } in members {
        if let Some(version) = value.as_str() {
            // An alias: `npm:name@range`.
            if let Some(other) = version.strip_prefix("npm:") {
                let end = other.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
                let other = other.get(..end.unwrap_or(other.len())).unwrap_or(other);
                renamed.insert(name.to_string(), other.to_owned());
            }
            requirements.entry(name.to_string()).or_insert_with(|| version.to_owned());
        }
    }
    let modules = name.clone().filter(|_| !is_private).into_iter().collect();
    Some(Published { name, version: said("version"), modules, entries, requirements, renamed })
}

/// The specifiers that a package exports.
fn entries(json: &LocatedJson<'_>, name: &str) -> Vec<String> {
    let exported = json.get("exports").map(LocatedJson::members).unwrap_or_default();
    let below = exported.iter().filter_map(|member| member.name.strip_prefix("./"));
    let below = below.filter(|path| !path.contains('*') && *path != "package.json");
    let mut entries = vec![name.to_owned()];
    entries.extend(below.map(|path| format!("{name}/{path}")));
    entries
}

/// The package that a specifier names, if the name is valid.
pub(super) fn package_named(specifier: &str) -> Option<Cow<'_, str>> {
    let (name, _) = split_name(specifier);
    let (scope, own) = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').map(|(scope, own)| (Some(scope), own))?,
        None => (None, name),
    };
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
            && part.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.'))
    };
    if !is_part(own) || !scope.is_none_or(is_part) {
        return None;
    }
    if scope == Some("types") {
        let typed = own.split_once("__").map(|(scope, own)| format!("@{scope}/{own}"));
        return Some(typed.map_or(Cow::Borrowed(own), Cow::Owned));
    }
    Some(Cow::Borrowed(name))
}
