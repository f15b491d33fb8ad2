//! `tsconfig.json` and `jsconfig.json`: which one governs a file, and what it says about resolution.
//!
//! A config that can't be read whole is used as far as it can be, with a notice; it never takes the
//! relative imports of its files down with it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use portolan_json::{Json, JsonMember, LocatedJson};
use portolan_types::{Notice, NoticeCode, Place};

use crate::ecma::resolve::Resolver;
use crate::ecma::resolve::folder_globs::{FolderGlobs, Written};
use crate::resolve::files::{ancestors, folder_of, is_under, join};

/// How names are looked up. TypeScript's `classic` is not among them: nobody means it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// As bundlers do: `exports` with `import` and `types`.
    #[default]
    Bundler,
    /// As Node does: the same with `node`.
    Node16,
    /// As Node did before `exports`.
    Node10,
}

/// The options that matter for edges, all paths absolute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) mode: Option<Mode>,
    /// What `module` implies where `moduleResolution` is silent.
    pub(crate) implied_mode: Option<Mode>,
    pub(crate) base_url: Option<String>,
    /// `paths`, with the folder its substitutions are relative to where there is no `baseUrl`.
    pub(crate) paths: Vec<(String, Vec<Substitution>)>,
    pub(crate) paths_base: String,
    pub(crate) root_dirs: Vec<String>,
    pub(crate) module_suffixes: Vec<String>,
    pub(crate) conditions: Vec<String>,
    pub(crate) type_roots: Vec<String>,
    pub(crate) out_dirs: Vec<String>,
    pub(crate) root_dir: Option<String>,
    pub(crate) preserve_symlinks: bool,
}

/// What `paths` has for a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Substitution {
    /// Its text, without `${configDir}`.
    pub(crate) text: String,
    /// Whether it is relative to the folder of the config that governs, whoever wrote it.
    pub(crate) from_config_dir: bool,
}

/// A config with everything it extends laid under it.
#[derive(Debug, Default)]
pub(crate) struct TsConfig {
    /// Its file, which is what it is known by; empty for the one that holds where there is none.
    pub(crate) path: String,
    /// Its folder.
    pub(crate) folder: String,
    pub(crate) options: Options,
    files: Option<Vec<String>>,
    include: Option<FolderGlobs>,
    exclude: FolderGlobs,
    references: Vec<String>,
}

impl TsConfig {
    pub(crate) fn mode(&self) -> Mode {
        self.options.mode.or(self.options.implied_mode).unwrap_or_default()
    }

    /// Whether a file belongs to the project, as TypeScript counts it.
    fn includes(&self, file: &str) -> bool {
        if self.files.as_ref().is_some_and(|files| files.iter().any(|own| own == file)) {
            return true;
        }
        let within = match &self.include {
            Some(globs) => globs.is_match(file),
            None => self.files.is_none() && is_under(file, &self.folder),
        };
        within && !self.exclude.is_match(file)
    }
}

/// What one file says, before `extends` is laid under it.
#[derive(Clone, Default)]
struct Raw {
    options: Options,
    has: Has,
    files: Option<Vec<String>>,
    include: Option<Vec<Written>>,
    exclude: Option<Vec<Written>>,
}

/// Which lists were written at all: an empty list still hides the one it extends.
#[derive(Clone, Copy, Default)]
struct Has {
    paths: bool,
    root_dirs: bool,
    module_suffixes: bool,
    conditions: bool,
    type_roots: bool,
}

/// Configs extend each other only so deep; beyond this somebody is making fun of us.
const MAX_EXTENDS: usize = 64;
/// The longest list whose entries are tried one by one.
const MAX_TRIED: usize = 64;

/// The configs that are being read because one extends the other.
struct Chain {
    /// The folder that `${configDir}` stands for: that of the first one.
    config_dir: String,
    /// From the first one down.
    open: Vec<String>,
    /// Those that were read to the end.
    known: BTreeMap<String, Raw>,
}

impl Resolver<'_> {
    /// The config that governs a file: the nearest one or, where that one only refers to others, the
    /// first of those that has the file.
    pub(crate) fn config_of(&self, file: &str) -> Arc<TsConfig> {
        if self.is_in_packages(file) {
            return Arc::clone(&self.default_config);
        }
        let nearest = self.nearest_config(folder_of(file));
        if nearest.references.is_empty() || nearest.includes(file) {
            return nearest;
        }
        let mut queue = VecDeque::from(nearest.references.clone());
        let mut seen = Vec::new();
        while let Some(path) = queue.pop_front() {
            if seen.contains(&path) {
                continue;
            }
            if seen.len() > MAX_EXTENDS {
                break;
            }
            let config = self.config_at(&path);
            if config.includes(file) {
                return config;
            }
            queue.extend(config.references.iter().cloned());
            seen.push(path);
        }
        nearest
    }

    fn nearest_config(&self, folder: &str) -> Arc<TsConfig> {
        self.nearest_configs.recall(folder, || {
            let found = ["tsconfig.json", "jsconfig.json"]
                .iter()
                .map(|name| join(folder, name))
                .find(|path| self.files.is_file(path))
                .map(|path| self.config_at(&path));
            found.unwrap_or_else(|| match crate::resolve::files::split(folder) {
                Some((above, _)) => self.nearest_config(above),
                None => Arc::clone(&self.default_config),
            })
        })
    }

    fn config_at(&self, path: &str) -> Arc<TsConfig> {
        self.configs.recall(path, || {
            let config_dir = folder_of(path).to_owned();
            let mut chain = Chain { config_dir, open: Vec::new(), known: BTreeMap::new() };
            let (raw, references) = self.load_config(path, &mut chain);
            Arc::new(finish(path, raw, references))
        })
    }

    /// Reads a config and lays it over those it extends.
    fn load_config(&self, path: &str, chain: &mut Chain) -> (Raw, Vec<String>) {
        if chain.open.len() >= MAX_EXTENDS || chain.open.iter().any(|above| above == path) {
            self.config_notice(path, "it extends itself; the circle is cut here");
            return (Raw::default(), Vec::new());
        }
        let bytes = self.files.read(path).map_err(|error| error.to_string());
        let document = bytes
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|bytes| portolan_json::parse(bytes).map_err(|error| error.to_string()));
        let json = match document {
            Ok(document) => document.root,
            Err(error) => {
                self.config_notice(
                    path,
                    &format!("cannot be read, its settings have no effect: {error}"),
                );
                return (Raw::default(), Vec::new());
            }
        };
        chain.open.push(path.to_owned());
        let folder = folder_of(path);
        let mut raw = Raw::default();
        let extends = match json.get("extends") {
            Some(LocatedJson { json: Json::String(one), .. }) => vec![one.to_string()],
            Some(list) => self.short(path, "extends", list.strings()),
            None => Vec::new(),
        };
        for base in &extends {
            match self.find_base(folder, base) {
                Some(found) => overlay(&mut raw, self.base(found, chain)),
                None => self.config_notice(
                    path,
                    &format!("`extends` names `{base}`, which was not found; the rest is used"),
                ),
            }
        }
        chain.open.pop();
        let mut own = read_raw(&json, folder, &chain.config_dir);
        self.shorten(path, &mut own);
        overlay(&mut raw, own);
        (raw, self.references(&json, folder))
    }

    /// A config that another one extends. It is read once for a chain, by how many ways ever it is
    /// reached.
    fn base(&self, path: String, chain: &mut Chain) -> Raw {
        if let Some(known) = chain.known.get(&path) {
            return known.clone();
        }
        let raw = self.load_config(&path, chain).0;
        chain.known.insert(path, raw.clone());
        raw
    }

    /// Cuts the lists whose entries are tried one by one for every import.
    fn shorten(&self, path: &str, raw: &mut Raw) {
        let options = &mut raw.options;
        for (name, list) in [
            ("rootDirs", &mut options.root_dirs),
            ("typeRoots", &mut options.type_roots),
            ("moduleSuffixes", &mut options.module_suffixes),
            ("customConditions", &mut options.conditions),
        ] {
            *list = self.short(path, name, std::mem::take(list));
        }
        for (pattern, targets) in &mut options.paths {
            *targets = self.short(path, pattern, std::mem::take(targets));
        }
    }

    fn short<T>(&self, path: &str, name: &str, mut list: Vec<T>) -> Vec<T> {
        if list.len() > MAX_TRIED {
            let message =
                format!("`{name}` has {} entries; only the first {MAX_TRIED} are used", list.len());
            self.config_notice(path, &message);
            list.truncate(MAX_TRIED);
        }
        list
    }

    fn references(&self, json: &LocatedJson<'_>, folder: &str) -> Vec<String> {
        let items = json.get("references").and_then(LocatedJson::as_array).unwrap_or_default();
        let paths = items.iter().filter_map(|item| item.get("path").and_then(LocatedJson::as_str));
        let mut seen = BTreeSet::new();
        paths
            .map(|path| join(folder, path))
            .map(|path| if self.files.is_dir(&path) { join(&path, "tsconfig.json") } else { path })
            .filter(|path| self.files.is_file(path) && seen.insert(path.clone()))
            .take(MAX_EXTENDS + 1)
            .collect()
    }

    /// The file that `extends` means: a path, or a file of a package, installed or of the workspace.
    fn find_base(&self, folder: &str, base: &str) -> Option<String> {
        let as_file = |path: &str| {
            let names = [path.to_owned(), format!("{path}.json"), join(path, "tsconfig.json")];
            names.into_iter().find(|name| self.files.is_file(name))
        };
        if base.starts_with(['.', '/']) {
            return as_file(&join(folder, base));
        }
        let (name, rest) = crate::ecma::resolve::package::split_name(base);
        let installed = ancestors(folder).map(|above| join(above, &format!("node_modules/{name}")));
        let candidates = installed.chain(self.workspace.get(name).map(ToOwned::to_owned));
        for package in candidates.filter(|package| self.files.is_dir(package)) {
            let field = || self.manifest(&package).and_then(|manifest| manifest.tsconfig.clone());
            let exported = || self.exported_file(&package, rest);
            let found = match rest {
                "" => field()
                    .and_then(|path| as_file(&join(&package, &path)))
                    .or_else(|| as_file(&package)),
                rest => as_file(&join(&package, rest)).or_else(exported),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn config_notice(&self, path: &str, message: &str) {
        let place = Place::file(self.shown(path));
        self.notice(Notice::at(NoticeCode::ResolveConfig, place, message));
    }
}

fn finish(path: &str, raw: Raw, references: Vec<String>) -> TsConfig {
    let folder = folder_of(path);
    let Raw { mut options, files, include, exclude, .. } = raw;
    if options.module_suffixes.is_empty() {
        options.module_suffixes.push(String::new());
    }
    let defaults = || {
        let standard = ["node_modules", "bower_components", "jspm_packages"]
            .map(|name| Written { folder: folder.to_owned(), pattern: name.to_owned() });
        let outputs = options.out_dirs.iter().cloned();
        let outputs = outputs.map(|folder| Written { folder, pattern: String::new() });
        standard.into_iter().chain(outputs).collect()
    };
    let exclude = FolderGlobs::exclude(&exclude.unwrap_or_else(defaults));
    let include = include.map(|list| FolderGlobs::include(&list));
    let (path, folder) = (path.to_owned(), folder.to_owned());
    TsConfig { path, folder, options, files, include, exclude, references }
}

/// Lays one config over another.
fn overlay(under: &mut Raw, over: Raw) {
    let options = over.options;
    let target = &mut under.options;
    target.mode = options.mode.or(target.mode);
    target.implied_mode = options.implied_mode.or(target.implied_mode);
    target.base_url = options.base_url.or(target.base_url.take());
    target.root_dir = options.root_dir.or(target.root_dir.take());
    target.preserve_symlinks |= options.preserve_symlinks;
    if !options.out_dirs.is_empty() {
        target.out_dirs = options.out_dirs;
    }
    let (has, over_has) = (&mut under.has, over.has);
    has.paths |= over_has.paths;
    has.root_dirs |= over_has.root_dirs;
    has.module_suffixes |= over_has.module_suffixes;
    has.conditions |= over_has.conditions;
    has.type_roots |= over_has.type_roots;
    if over_has.paths {
        (target.paths, target.paths_base) = (options.paths, options.paths_base);
    }
    if over_has.root_dirs {
        target.root_dirs = options.root_dirs;
    }
    if over_has.module_suffixes {
        target.module_suffixes = options.module_suffixes;
    }
    if over_has.conditions {
        target.conditions = options.conditions;
    }
    if over_has.type_roots {
        target.type_roots = options.type_roots;
    }
    under.files = over.files.or(under.files.take());
    under.include = over.include.or(under.include.take());
    under.exclude = over.exclude.or(under.exclude.take());
}

/// The text behind `${configDir}`, where it begins with that: TypeScript's word for the folder of the
/// config that governs, which a config that others extend cannot know.
fn behind_config_dir(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("${configDir}")?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
}

fn substitution(text: String) -> Substitution {
    match behind_config_dir(&text) {
        Some(rest) => Substitution { text: rest.to_owned(), from_config_dir: true },
        None => Substitution { text, from_config_dir: false },
    }
}

fn read_raw(json: &LocatedJson<'_>, folder: &str, config_dir: &str) -> Raw {
    let empty = LocatedJson { at: 0, json: Json::Null };
    let compiler = json.get("compilerOptions").unwrap_or(&empty);
    let expand = |text: &str| match behind_config_dir(text) {
        Some(rest) => join(config_dir, rest),
        None => join(folder, text),
    };
    let written = |text: String| match behind_config_dir(&text) {
        Some(rest) => Written { folder: config_dir.to_owned(), pattern: rest.to_owned() },
        None => Written { folder: folder.to_owned(), pattern: text },
    };
    let path = |key: &str| compiler.get(key).and_then(LocatedJson::as_str).map(expand);
    let list = |key: &str| compiler.get(key).map(LocatedJson::strings).unwrap_or_default();
    let absolute = |key: &str| list(key).iter().map(|text| expand(text)).collect::<Vec<_>>();
    let patterns =
        |key: &str| json.get(key).map(|list| list.strings().into_iter().map(written).collect());
    let files =
        json.get("files").map(|list| list.strings().iter().map(|text| expand(text)).collect());
    let lower =
        |key: &str| compiler.get(key).and_then(LocatedJson::as_str).map(str::to_ascii_lowercase);
    let paths = compiler.get("paths").map(LocatedJson::members).unwrap_or_default();
    Raw {
        options: Options {
            mode: lower("moduleResolution").and_then(|text| mode_of(&text)),
            implied_mode: lower("module").and_then(|text| mode_implied_by(&text)),
            base_url: path("baseUrl"),
            paths: paths
                .iter()
                .map(|JsonMember { name, value }| {
                    (name.to_string(), value.strings().into_iter().map(substitution).collect())
                })
                .collect(),
            paths_base: folder.to_owned(),
            root_dirs: absolute("rootDirs"),
            module_suffixes: list("moduleSuffixes"),
            conditions: list("customConditions"),
            type_roots: absolute("typeRoots"),
            out_dirs: ["outDir", "declarationDir"].into_iter().filter_map(path).collect(),
            root_dir: path("rootDir"),
            preserve_symlinks: compiler
                .get("preserveSymlinks")
                .and_then(LocatedJson::as_bool)
                .unwrap_or(false),
        },
        has: Has {
            paths: compiler.get("paths").is_some(),
            root_dirs: compiler.get("rootDirs").is_some(),
            module_suffixes: compiler.get("moduleSuffixes").is_some(),
            conditions: compiler.get("customConditions").is_some(),
            type_roots: compiler.get("typeRoots").is_some(),
        },
        files,
        include: patterns("include"),
        exclude: patterns("exclude"),
    }
}

fn mode_of(text: &str) -> Option<Mode> {
    match text {
        "bundler" | "classic" => Some(Mode::Bundler),
        "node16" | "node18" | "node20" | "nodenext" => Some(Mode::Node16),
        "node" | "node10" => Some(Mode::Node10),
        _ => None,
    }
}

fn mode_implied_by(module: &str) -> Option<Mode> {
    match module {
        "node16" | "node18" | "node20" | "nodenext" => Some(Mode::Node16),
        _ => None,
    }
}

impl TsConfig {
    /// What holds where there is no config.
    pub(crate) fn without_file() -> Self {
        finish("", Raw::default(), Vec::new())
    }
}
