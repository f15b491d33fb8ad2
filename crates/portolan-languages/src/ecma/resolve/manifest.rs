//! `package.json`, as far as resolution needs it.

use portolan_json::{Json, JsonMember, LocatedJson};

/// The parts of a `package.json` that resolution uses.
#[derive(Debug, Default)]
pub(crate) struct PackageJson {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) main: Option<String>,
    pub(crate) module: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) types: Option<String>,
    /// The path of a shared tsconfig, for `extends`.
    pub(crate) tsconfig: Option<String>,
    pub(crate) exports: Option<LocatedJson<'static>>,
    pub(crate) imports: Option<LocatedJson<'static>>,
    /// The path patterns of the matching `typesVersions` range, with their substitutions.
    pub(crate) version_paths: Vec<(String, Vec<String>)>,
    /// The globs of workspace members.
    pub(crate) workspaces: Vec<String>,
    /// The dependencies given by folder (`link:`, `file:`, `portal:`): names and paths.
    pub(crate) links: Vec<(String, String)>,
}

impl PackageJson {
    /// Reads the usable fields. A field of the wrong type counts as absent.
    pub(crate) fn from_json(json: &LocatedJson<'_>) -> Self {
        let text = |key: &str| json.get(key).and_then(LocatedJson::as_str).map(ToOwned::to_owned);
        let targets = |key: &str| {
            let value = json.get(key).filter(|value| value.json != Json::Null)?;
            Some(with_star_keys(value.clone().into_owned()))
        };
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
            exports: targets("exports"),
            imports: targets("imports"),
            version_paths: version_paths(json),
            workspaces: workspaces.unwrap_or_default(),
            links: links(json),
        }
    }
}

/// Old manifests export whole folders with keys and targets that end in `/`. That means the same as
/// `/*`.
fn with_star_keys(mut exports: LocatedJson<'static>) -> LocatedJson<'static> {
    if let Json::Object(members) = &mut exports.json {
        for JsonMember { name, value } in members {
            match &mut value.json {
                Json::String(target) if name.ends_with('/') && target.ends_with('/') => {
                    *name += "*";
                    *target += "*";
                }
                _ => {}
            }
        }
    }
    exports
}

/// The dependencies that are folders.
fn links(json: &LocatedJson<'_>) -> Vec<(String, String)> {
    let lists = ["dependencies", "devDependencies", "optionalDependencies"];
    let members = lists.iter().filter_map(|key| json.get(key)).flat_map(LocatedJson::members);
    let links = members.filter_map(|JsonMember { name, value }| {
        let version = value.as_str()?;
        let mut protocols = ["link:", "file:", "portal:"].iter();
        let path = protocols.find_map(|protocol| version.strip_prefix(protocol))?;
        Some((name.to_string(), path.to_owned()))
    });
    links.collect()
}

/// The first matching range counts.
fn version_paths(json: &LocatedJson<'_>) -> Vec<(String, Vec<String>)> {
    let ranges = json.get("typesVersions").map(LocatedJson::members).unwrap_or_default();
    let matching = ranges.iter().find(|range| crate::ecma::resolve::range::holds(&range.name));
    let paths = matching.map(|paths| paths.value.members()).unwrap_or_default();
    paths.iter().map(|path| (path.name.to_string(), path.value.strings())).collect()
}
