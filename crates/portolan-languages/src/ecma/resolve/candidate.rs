//! From a path without certainty to a file: extensions replaced and added, folders entered.

use crate::resolve::files::{join, split};
use crate::ecma::resolve::{pattern_map, Form, Resolver};
use crate::ecma::resolve::tsconfig::{Mode, TsConfig};

/// Which files count in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extensions {
    /// TypeScript sources and declarations.
    pub(crate) typed: bool,
    /// JavaScript, JSON and, where a manifest names them, other files.
    pub(crate) untyped: bool,
}

impl Extensions {
    pub(crate) const ALL: Self = Self { typed: true, untyped: true };
    pub(crate) const TYPED: Self = Self { typed: true, untyped: false };
    pub(crate) const UNTYPED: Self = Self { typed: false, untyped: true };
}

/// By which rules something is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Lookup<'c> {
    pub(crate) config: &'c TsConfig,
    pub(crate) mode: Mode,
    pub(crate) conditions: Vec<&'c str>,
    pub(crate) extensions: Extensions,
}

impl<'c> Lookup<'c> {
    /// The rules of a config for a form.
    pub(crate) fn new(config: &'c TsConfig, form: Form) -> Self {
        let mut conditions =
            vec![if form == Form::Require { "require" } else { "import" }, "types"];
        if config.mode() != Mode::Bundler {
            conditions.push("node");
        }
        conditions.extend(config.options.conditions.iter().map(String::as_str));
        Self { config, mode: config.mode(), conditions, extensions: Extensions::ALL }
    }

    pub(crate) fn with(&self, extensions: Extensions) -> Self {
        Self { extensions, ..self.clone() }
    }

    /// The same with every condition that some tool uses: better an edge than none.
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

/// Extensions of code, with and without a declaration's `.d`.
const CODE: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

pub(crate) fn has_code_extension(path: &str) -> bool {
    CODE.iter().any(|extension| path.ends_with(extension))
}

/// The extension of a path, a declaration's as a whole, and what is before it.
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

/// What may stand for a written extension: typed files first, then the others.
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

impl Resolver<'_> {
    /// The file a path means, or the file that the folder of that name means.
    pub(crate) fn file_or_folder(
        &self,
        path: &str,
        folder_only: bool,
        lookup: &Lookup<'_>,
    ) -> Option<String> {
        let file = if folder_only { None } else { self.file(path, lookup) };
        file.or_else(|| self.folder(path, lookup))
    }

    /// The file a path means, its extension replaced or one added.
    pub(crate) fn file(&self, path: &str, lookup: &Lookup<'_>) -> Option<String> {
        self.replaced(path, lookup).or_else(|| {
            let (typed, untyped) = replacements(".js");
            self.first_of(path, typed, untyped, lookup)
        })
    }

    /// The file a path with an extension means, its extension replaced.
    pub(crate) fn replaced(&self, path: &str, lookup: &Lookup<'_>) -> Option<String> {
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
        lookup: &Lookup<'_>,
    ) -> Option<String> {
        let wanted = [(lookup.extensions.typed, typed), (lookup.extensions.untyped, untyped)];
        let extensions = wanted.iter().filter(|(on, _)| *on).flat_map(|(_, list)| *list);
        let suffixes = &lookup.config.options.module_suffixes;
        let names = extensions
            .flat_map(|extension| suffixes.iter().map(move |suffix| (suffix.as_str(), *extension)));
        self.files.first_file(stem, names)
    }

    /// A file as it is written, if its extension counts in this pass.
    pub(crate) fn exact(&self, path: &str, extensions: Extensions) -> Option<String> {
        let (_, extension) = split_extension(path)?;
        let typed =
            extension.starts_with(".d.") || matches!(extension, ".ts" | ".tsx" | ".mts" | ".cts");
        let counts = if typed { extensions.typed } else { extensions.untyped };
        (counts && self.files.is_file(path)).then(|| path.to_owned())
    }

    /// The file that a folder means: what its manifest says, else its index.
    pub(crate) fn folder(&self, folder: &str, lookup: &Lookup<'_>) -> Option<String> {
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

    /// A name below a package's folder, mapped by `typesVersions`.
    pub(crate) fn by_version(
        &self,
        folder: &str,
        paths: &[(String, Vec<String>)],
        name: &str,
        lookup: &Lookup<'_>,
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
