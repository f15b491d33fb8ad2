//! `package.json`, as far as resolution needs it.

use crate::npm::json::Json;

/// The parts of a manifest that decide where its names lead.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) main: Option<String>,
    pub(crate) module: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) types: Option<String>,
    /// The path of a shared tsconfig, for `extends`.
    pub(crate) tsconfig: Option<String>,
    pub(crate) exports: Option<Json>,
    pub(crate) imports: Option<Json>,
    /// The path patterns of `typesVersions` that hold, with their substitutions.
    pub(crate) version_paths: Vec<(String, Vec<String>)>,
    /// The globs of workspace members.
    pub(crate) workspaces: Vec<String>,
    /// The packages that it depends on by their folder (`link:`, `file:`, `portal:`): names and paths.
    pub(crate) links: Vec<(String, String)>,
}

impl Manifest {
    /// Takes what can be used; fields of the wrong type are as if absent.
    pub(crate) fn from_json(json: &Json) -> Self {
        let text = |key: &str| json.get(key).and_then(Json::as_str).map(ToOwned::to_owned);
        let object_or_string =
            |key: &str| json.get(key).filter(|value| **value != Json::Null).cloned();
        let workspaces =
            json.get("workspaces").map(|value| value.get("packages").unwrap_or(value).strings());
        Self {
            name: text("name"),
            version: text("version"),
            main: text("main").filter(|main| !main.is_empty()),
            module: text("module"),
            source: text("source"),
            types: text("types").or_else(|| text("typings")).filter(|types| !types.is_empty()),
            tsconfig: text("tsconfig"),
            exports: object_or_string("exports").map(with_star_keys),
            imports: object_or_string("imports").map(with_star_keys),
            version_paths: version_paths(json),
            workspaces: workspaces.unwrap_or_default(),
            links: links(json),
        }
    }
}

/// Old manifests export whole folders with keys and targets that end in `/`: the same as `/*`.
fn with_star_keys(json: Json) -> Json {
    let Json::Object(members) = json else { return json };
    let members = members.into_iter().map(|(key, target)| match target {
        Json::String(text) if key.ends_with('/') && text.ends_with('/') => {
            (key + "*", Json::String(text + "*"))
        }
        target => (key, target),
    });
    Json::Object(members.collect())
}

/// The dependencies that are folders.
fn links(json: &Json) -> Vec<(String, String)> {
    let lists = ["dependencies", "devDependencies", "optionalDependencies"];
    let members = lists.iter().filter_map(|key| json.get(key)).flat_map(Json::members);
    let links = members.filter_map(|(name, version)| {
        let version = version.as_str()?;
        let mut protocols = ["link:", "file:", "portal:"].iter();
        let path = protocols.find_map(|protocol| version.strip_prefix(protocol))?;
        Some((name.clone(), path.to_owned()))
    });
    links.collect()
}

/// The first range that holds counts.
fn version_paths(json: &Json) -> Vec<(String, Vec<String>)> {
    let ranges = json.get("typesVersions").map(Json::members).unwrap_or_default();
    let matching = ranges.iter().find(|(range, _)| crate::npm::range::holds(range));
    let paths = matching.map(|(_, paths)| paths.members()).unwrap_or_default();
    paths.iter().map(|(pattern, targets)| (pattern.clone(), targets.strings())).collect()
}
