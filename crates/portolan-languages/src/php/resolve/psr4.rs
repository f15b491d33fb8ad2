//! The folders that manifests of Composer give to namespaces (PSR-4 and PSR-0).

use portolan_json::{LocatedJson, parse_strict};

use crate::ResolveContext;
use crate::resolve::files::{folder_of, join};

/// A prefix of names and the folder of their files.
struct AutoloadPath {
    /// Without a backslash at its end.
    prefix: String,
    /// Absolute.
    folder: String,
    /// Whether the prefix is part of the path (PSR-0).
    keeps_prefix: bool,
}

/// The rules of all manifests.
#[derive(Default)]
pub(super) struct AutoloadPaths(Vec<AutoloadPath>);

impl AutoloadPaths {
    pub(super) fn new(ctx: &ResolveContext<'_>) -> Self {
        let mut paths = Vec::new();
        let manifests = ctx.sources().paths().filter(|path| path.ends_with("/composer.json"));
        for manifest in manifests {
            let Some(text) = ctx.read(manifest) else { continue };
            let Ok(json) = parse_strict(text.as_bytes()) else { continue };
            for section in ["autoload", "autoload-dev"] {
                for (standard, keeps_prefix) in [("psr-4", false), ("psr-0", true)] {
                    let rules = json.root.get(section).and_then(|it| it.get(standard));
                    for rule in rules.map(LocatedJson::members).unwrap_or_default() {
                        let one = rule.value.as_str().map(str::to_owned);
                        let folders = one.map_or_else(|| rule.value.strings(), |one| vec![one]);
                        paths.extend(folders.into_iter().map(|folder| AutoloadPath {
                            prefix: rule.name.trim_end_matches('\\').to_owned(),
                            folder: join(folder_of(manifest), folder.trim_end_matches('/')),
                            keeps_prefix,
                        }));
                    }
                }
            }
        }
        Self(paths)
    }

    /// Whether a class with this name is loaded from a file.
    pub(super) fn loads(&self, name: &str, file: &str) -> bool {
        self.0.iter().any(|rule| rule.loads(name, file))
    }
}

impl AutoloadPath {
    fn loads(&self, name: &str, file: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.prefix.as_str()) else { return false };
        let rest = if self.keeps_prefix { name } else { rest };
        let inside = file.strip_prefix(self.folder.as_str()).and_then(|it| it.strip_prefix('/'));
        let Some(stem) = inside.and_then(|it| it.strip_suffix(".php")) else { return false };
        let path = rest.trim_start_matches('\\').replace('\\', "/");
        stem == path || self.keeps_prefix && stem == path.replace('_', "/")
    }
}
