//! Finds the file for a path: replaces and adds extensions, and enters folders.

use crate::ecma::resolve::tsconfig::{ResolutionMode, TsConfig};
use crate::ecma::resolve::{NpmResolver, SpecifierForm, pattern_map};
use crate::resolve::files::{join, split};

/// Which files count in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extensions {
    /// TypeScript sources and declarations.
    pub(crate) typed: bool,
    /// JavaScript, JSON and other files that a manifest names.
    pub(crate) untyped: bool,
}

impl Extensions {
    pub(crate) const ALL: Self = Self { typed: true, untyped: true };
    pub(crate) const TYPED: Self = Self { typed: true, untyped: false };
    pub(crate) const UNTYPED: Self = Self { typed: false, untyped: true };
}

/// The rules of a lookup.
#[derive(Clone, Debug)]
pub(crate) struct LookupRules<'c> {
    pub(crate) config: &'c TsConfig,
    pub(crate) mode: ResolutionMode,
    pub(crate) conditions: Vec<&'c str>,
    pub(crate) extensions: Extensions,
}

impl<'c> LookupRules<'c> {
    /// The rules for a form under a config.
    pub(crate) fn new(config: &'c TsConfig, form: SpecifierForm) -> Self {
        let mut conditions =
            vec![if form == SpecifierForm::Require { "require" } else { "import" }, "types"];
        if config.mode() != ResolutionMode::Bundler {
            conditions.push("node");
        }
        conditions.extend(config.options.conditions.iter().map(String::as_str));
        Self { config, mode: config.mode(), conditions, extensions: Extensions::ALL }
    }

    pub(crate) fn with(&self, extensions: Extensions) -> Self {
        Self { extensions, ..self.clone() }
    }

    /// The same rules with all known conditions: any edge is better than none.
    pub(crate) fn permissive(&self) -> Self {
        let mut lookup = self.clone();
        lookup.conditions.extend([
            "import",
            "require",
            "node",
            "module",
            "browser",
            "development",
            "production",
        ]);
        lookup
    }
}

/// The extensions of code, with or without the `.d` of declarations.
const CODE: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

pub(crate) fn has_code_extension(path: &str) -> bool {
    CODE.iter().any(|extension| path.ends_with(extension))
}

/// Splits the extension off a path. `.d.ts` counts as one extension.
pub(crate) fn split_extension(path: &str) -> Option<(&str, &str)> {
    let (_, name) = split(path)?;
    let declaration =
        [".d.ts", ".d.mts", ".d.cts"].into_iter().find(|extension| name.ends_with(extension));
    let length = match declaration {
        Some(extension) => extension.len(),
        None => name.len() - name.rfind('.')?,
    };
    Some(path.split_at(path.len() - length))
}

/// The extensions that may replace a written one: typed files, then the others.
fn replacements(extension: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match extension {
        ".js" | ".ts" | ".d.ts" => (&[".ts", ".tsx", ".d.ts"], &[".js", ".jsx"]),
        ".jsx" | ".tsx" => (&[".tsx", ".ts", ".d.ts"], &[".jsx", ".js"]),
        ".mjs" | ".mts" | ".d.mts" => (&[".mts", ".d.mts"], &[".mjs"]),
        ".cjs" | ".cts" | ".d.cts" => (&[".cts", ".d.cts"], &[".cjs"]),
        ".json" => (&[".d.json.ts"], &[".json"]),
        _ => (&[], &[]),
    }
}

impl NpmResolver<'_> {
    /// The file for a path, or for a folder at that path.
    pub(crate) fn file_or_folder(
        &self,
        path: &str,
        folder_only: bool,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let file = if folder_only { None } else { self.file(path, lookup) };
        file.or_else(|| self.folder(path, lookup))
    }

    /// The file for a path, with its extension replaced or added.
    pub(crate) fn file(&self, path: &str, lookup: &LookupRules<'_>) -> Option<String> {
        self.replaced(path, lookup).or_else(|| {
            let (typed, untyped) = replacements(".js");
            self.first_of(path, typed, untyped, lookup)
        })
    }

    /// The file for a path, with its extension replaced.
    pub(crate) fn replaced(&self, path: &str, lookup: &LookupRules<'_>) -> Option<String> {
        let (stem, extension) = split_extension(path)?;
        match replacements(extension) {
            ([], []) => {
                let declaration = format!("{stem}.d{extension}.ts");
                (lookup.extensions.typed && self.files.is_file(&declaration)).then_some(declaration)
            }
            (typed, untyped) => self.first_of(stem, typed, untyped, lookup),
        }
    }

    fn first_of(
        &self,
        stem: &str,
        typed: &[&str],
        untyped: &[&str],
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let wanted = [(lookup.extensions.typed, typed), (lookup.extensions.untyped, untyped)];
        let extensions = wanted.iter().filter(|(on, _)| *on).flat_map(|(_, list)| *list);
        let suffixes = &lookup.config.options.module_suffixes;
        let names = extensions
            .flat_map(|extension| suffixes.iter().map(move |suffix| (suffix.as_str(), *extension)));
        self.files.first_file(stem, names)
    }

    /// The file at exactly this path, if its extension counts in this pass.
    pub(crate) fn exact(&self, path: &str, extensions: Extensions) -> Option<String> {
        let (_, extension) = split_extension(path)?;
        let typed =
            extension.starts_with(".d.") || matches!(extension, ".ts" | ".tsx" | ".mts" | ".cts");
        let counts = if typed { extensions.typed } else { extensions.untyped };
        (counts && self.files.is_file(path)).then(|| path.to_owned())
    }

    /// The main file of a folder: by its manifest, or else its index.
    pub(crate) fn folder(&self, folder: &str, lookup: &LookupRules<'_>) -> Option<String> {
        if !self.files.is_dir(folder) {
            return None;
        }
        let by_manifest = self.manifest(folder).and_then(|manifest| {
            let types = manifest.types.as_ref().filter(|_| lookup.extensions.typed);
            let field = types.or(manifest.main.as_ref());
            let versioned = lookup.extensions.typed.then(|| {
                let name = field.map_or("index", |field| field.trim_start_matches("./"));
                self.by_version(folder, &manifest.version_paths, name, lookup)
            });
            versioned.flatten().or_else(|| {
                let path = join(folder, field?);
                self.exact(&path, lookup.extensions)
                    .or_else(|| self.file(&path, lookup))
                    .or_else(|| self.file(&join(&path, "index"), lookup))
            })
        });
        by_manifest.or_else(|| self.file(&join(folder, "index"), lookup))
    }

    /// A path below a package's folder, mapped by `typesVersions`.
    pub(crate) fn by_version(
        &self,
        folder: &str,
        paths: &[(String, Vec<String>)],
        name: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let (index, star) =
            pattern_map::best_match(paths.iter().map(|(pattern, _)| pattern.as_str()), name)?;
        paths[index].1.iter().find_map(|target| {
            let path = join(folder, &pattern_map::substitute(target, star)?);
            self.exact(&path, lookup.extensions)
                .or_else(|| self.file(&path, lookup))
                .or_else(|| self.file(&join(&path, "index"), lookup))
        })
    }
}
