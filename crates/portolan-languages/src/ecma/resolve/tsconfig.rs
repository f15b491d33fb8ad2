//! Reads `tsconfig.json` and `jsconfig.json`: which one governs a file, and its resolution options.
//!
//! A config that is partly invalid is used as far as possible, with a notice. It never breaks the
//! relative imports of its files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use portolan_json::{Json, JsonMember, LocatedJson};
use portolan_types::{Notice, NoticeCode, Place};

use crate::ecma::resolve::NpmResolver;
use crate::ecma::resolve::folder_globs::{FolderGlobs, FolderPattern};
use crate::resolve::files::{ancestors, folder_of, is_under, join};

/// How packages are looked up. TypeScript's `classic` mode is obsolete and not supported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum ResolutionMode {
    /// Like bundlers: `exports` with `import` and `types`.
    #[default]
    Bundler,
    /// Like Node: the same with `node`.
    Node16,
    /// Like Node before `exports`.
    Node10,
}

/// The options that affect edges. All paths are absolute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) mode: Option<ResolutionMode>,
    /// The mode that `module` implies if there is no `moduleResolution`.
    pub(crate) implied_mode: Option<ResolutionMode>,
    pub(crate) base_url: Option<String>,
    /// `paths`, and the folder it is relative to if there is no `baseUrl`.
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

/// A substitution of `paths`.
#[derive(Clone, Debug)]
pub(crate) struct Substitution {
    /// The text, without `${configDir}`.
    pub(crate) text: String,
    /// Whether it is relative to the folder of the governing config, whichever file contains it.
    pub(crate) from_config_dir: bool,
}

/// A config merged with everything it extends.
#[derive(Debug, Default)]
pub(crate) struct TsConfig {
    /// The file, which identifies the config. Empty for the default config.
    pub(crate) path: String,
    /// The folder of the file.
    pub(crate) folder: String,
    pub(crate) options: Options,
    files: Option<Vec<String>>,
    include: Option<FolderGlobs>,
    exclude: FolderGlobs,
    references: Vec<String>,
}

impl TsConfig {
    pub(crate) fn mode(&self) -> ResolutionMode {
        self.options.mode.or(self.options.implied_mode).unwrap_or_default()
    }

    /// Whether a file belongs to the project, as TypeScript defines it.
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

/// The contents of one file, before `extends` is applied.
#[derive(Clone, Default)]
struct RawConfig {
    options: Options,
    has: WrittenOptions,
    files: Option<Vec<String>>,
    include: Option<Vec<FolderPattern>>,
    exclude: Option<Vec<FolderPattern>>,
}

/// Which lists are present. An empty list still overrides an inherited one.
#[derive(Clone, Copy, Default)]
struct WrittenOptions {
    paths: bool,
    root_dirs: bool,
    module_suffixes: bool,
    conditions: bool,
    type_roots: bool,
}

/// The longest chain of `extends`. Real configs stay far below it.
const MAX_EXTENDS: usize = 64;
/// The longest list whose entries are tried one by one.
const MAX_TRIED: usize = 64;

/// The configs being read because one extends the other.
struct ExtendsChain {
    /// The folder that `${configDir}` stands for: that of the first config.
    config_dir: String,
    /// The open files, from the first config down.
    open: Vec<String>,
    /// The configs that were read completely.
    known: BTreeMap<String, RawConfig>,
}

impl NpmResolver<'_> {
    /// The config that governs a file: the nearest one or, if that one only references others, the
    /// first of those that includes the file.
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
        self.nearest_configs.get_or_find(folder, || {
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
        self.configs.get_or_find(path, || {
            let config_dir = folder_of(path).to_owned();
            let mut chain = ExtendsChain { config_dir, open: Vec::new(), known: BTreeMap::new() };
            let (raw, references) = self.load_config(path, &mut chain);
            Arc::new(finish(path, raw, references))
        })
    }

    /// Reads a config and merges it over those it extends.
    fn load_config(&self, path: &str, chain: &mut ExtendsChain) -> (RawConfig, Vec<String>) {
        if chain.open.len() >= MAX_EXTENDS || chain.open.iter().any(|above| above == path) {
            self.config_notice(path, "it extends itself; the cycle is cut here");
            return (RawConfig::default(), Vec::new());
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
                    &format!("cannot be read; its settings have no effect: {error}"),
                );
                return (RawConfig::default(), Vec::new());
            }
        };
        chain.open.push(path.to_owned());
        let folder = folder_of(path);
        let mut raw = RawConfig::default();
        let extends = match json.get("extends") {
            Some(LocatedJson { json: Json::String(one), .. }) => vec![one.to_string()],
            Some(list) => self.truncated(path, "extends", list.strings()),
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
        self.truncate_lists(path, &mut own);
        overlay(&mut raw, own);
        (raw, self.references(&json, folder))
    }

    /// A base config. Each one is read once per chain, however often it is reached.
    fn base(&self, path: String, chain: &mut ExtendsChain) -> RawConfig {
        if let Some(known) = chain.known.get(&path) {
            return known.clone();
        }
        let raw = self.load_config(&path, chain).0;
        chain.known.insert(path, raw.clone());
        raw
    }

    /// Truncates the lists that every import tries entry by entry.
    fn truncate_lists(&self, path: &str, raw: &mut RawConfig) {
        let options = &mut raw.options;
        for (name, list) in [
            ("rootDirs", &mut options.root_dirs),
            ("typeRoots", &mut options.type_roots),
            ("moduleSuffixes", &mut options.module_suffixes),
            ("customConditions", &mut options.conditions),
        ] {
            *list = self.truncated(path, name, std::mem::take(list));
        }
        for (pattern, targets) in &mut options.paths {
            *targets = self.truncated(path, pattern, std::mem::take(targets));
        }
    }

    fn truncated<T>(&self, path: &str, name: &str, mut list: Vec<T>) -> Vec<T> {
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

    /// The file that `extends` names: a path, or a file of an installed or workspace package.
    fn find_base(&self, folder: &str, base: &str) -> Option<String> {
        let as_file = |path: &str| {
            let names = [path.to_owned(), format!("{path}.json"), join(path, "tsconfig.json")];
            names.into_iter().find(|name| self.files.is_file(name))
        };
        if base.starts_with(['.', '/']) {
            return as_file(&join(folder, base)).filter(|path| self.is_of_repository(path));
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

    /// Whether a file is below the root, or below the top of the git repository around it. A config elsewhere is none of
    /// this repository's business, and what it says would stay in the cache.
    fn is_of_repository(&self, path: &str) -> bool {
        let root = self.files.root();
        let is_top = |folder: &&str| {
            let dot_git = join(folder, ".git");
            self.files.is_dir(&dot_git) || self.files.is_file(&dot_git)
        };
        let top = ancestors(root).find(is_top).unwrap_or(root);
        let is_below = |folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/'))
                .is_some_and(|rest| rest.starts_with('/'))
        };
        // A package in `node_modules` may extend files of its own.
        is_below(root) || is_below(top) || path.contains("/node_modules/")
    }

    fn config_notice(&self, path: &str, message: &str) {
        let place = Place::file(self.display_path(path));
        self.notice(Notice::at(NoticeCode::ResolveConfig, place, message));
    }
}

fn finish(path: &str, raw: RawConfig, references: Vec<String>) -> TsConfig {
    let folder = folder_of(path);
    let RawConfig { mut options, files, include, exclude, .. } = raw;
    if options.module_suffixes.is_empty() {
        options.module_suffixes.push(String::new());
    }
    let defaults = || {
        let standard = ["node_modules", "bower_components", "jspm_packages"]
            .map(|name| FolderPattern { folder: folder.to_owned(), pattern: name.to_owned() });
        let outputs = options.out_dirs.iter().cloned();
        let outputs = outputs.map(|folder| FolderPattern { folder, pattern: String::new() });
        standard.into_iter().chain(outputs).collect()
    };
    let exclude = FolderGlobs::exclude(&exclude.unwrap_or_else(defaults));
    let include = include.map(|list| FolderGlobs::include(&list));
    let (path, folder) = (path.to_owned(), folder.to_owned());
    TsConfig { path, folder, options, files, include, exclude, references }
}

/// Merges `over` into `under`. `over` wins.
fn overlay(under: &mut RawConfig, over: RawConfig) {
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

/// The text after a leading `${configDir}`. It stands for the folder of the governing config, which
/// a base config cannot know.
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

fn read_raw(json: &LocatedJson<'_>, folder: &str, config_dir: &str) -> RawConfig {
    let empty = LocatedJson { at: 0, json: Json::Null };
    let compiler = json.get("compilerOptions").unwrap_or(&empty);
    let expand = |text: &str| match behind_config_dir(text) {
        Some(rest) => join(config_dir, rest),
        None => join(folder, text),
    };
    let written = |text: String| match behind_config_dir(&text) {
        Some(rest) => FolderPattern { folder: config_dir.to_owned(), pattern: rest.to_owned() },
        None => FolderPattern { folder: folder.to_owned(), pattern: text },
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
    RawConfig {
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
        has: WrittenOptions {
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

fn mode_of(text: &str) -> Option<ResolutionMode> {
    match text {
        "bundler" | "classic" => Some(ResolutionMode::Bundler),
        "node16" | "node18" | "node20" | "nodenext" => Some(ResolutionMode::Node16),
        "node" | "node10" => Some(ResolutionMode::Node10),
        _ => None,
    }
}

fn mode_implied_by(module: &str) -> Option<ResolutionMode> {
    match module {
        "node16" | "node18" | "node20" | "nodenext" => Some(ResolutionMode::Node16),
        _ => None,
    }
}

impl TsConfig {
    /// The default config for files without one.
    pub(crate) fn without_file() -> Self {
        finish("", RawConfig::default(), Vec::new())
    }
}
