//! Resolves the repository's own packages by name, even if they are not installed, and to their
//! source, even if they are not built.

use std::collections::BTreeMap;

use portolan_json::{Json, LocatedJson};
use portolan_types::{Notice, NoticeCode, Place, Sha256Digest};
use portolan_vfs::sha256;
use serde::Deserialize;

use crate::ecma::resolve::candidate::{Extensions, LookupRules, split_extension};
use crate::ecma::resolve::folder_globs::FolderGlobs;
use crate::ecma::resolve::{NpmResolver, package};
use crate::resolve::files::{folder_of, join};

/// The folders of the repository's packages by name.
#[derive(Debug, Default)]
pub(crate) struct WorkspacePackages {
    folders: BTreeMap<String, String>,
}

impl WorkspacePackages {
    /// A digest of all names and folders.
    pub(crate) fn digest(&self) -> Sha256Digest {
        let texts = self.folders.iter().flat_map(|(name, folder)| [name, folder]);
        let bytes: Vec<u8> = texts.flat_map(|text| text.bytes().chain([0])).collect();
        sha256(&bytes)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.folders.get(name).map(String::as_str)
    }
}

/// Names of build output folders directly below a package.
const OUTPUT_FOLDERS: [&str; 12] = [
    "dist", "build", "lib", "out", "output", "esm", "cjs", "es", "types", "typings", "compiled",
    "_build",
];

/// Names of the folders for build variants, below an output folder.
const FLAVOUR_FOLDERS: [&str; 14] = [
    "esm", "cjs", "es", "es6", "mjs", "umd", "types", "typings", "node", "browser", "module",
    "commonjs", "import", "require",
];

/// Names of source folders.
const SOURCE_FOLDERS: [&str; 4] = ["src", "source", "lib", "."];

impl NpmResolver<'_> {
    /// The packages of the repository: the members of its workspaces or, without workspaces, every
    /// manifest with a name.
    pub(crate) fn find_workspace(&self, manifests: &[String]) -> WorkspacePackages {
        let mut members: Vec<WorkspaceMembers> = Vec::new();
        for path in manifests {
            let folder = folder_of(path);
            let mut globs = self
                .manifest(folder)
                .map(|manifest| manifest.workspaces.clone())
                .unwrap_or_default();
            globs.extend(self.pnpm_globs(folder));
            globs.extend(self.lerna_globs(folder));
            members.extend(WorkspaceMembers::new(folder, &globs));
        }
        let declared = !members.is_empty();
        let mut workspace = WorkspacePackages::default();
        for path in manifests {
            let folder = folder_of(path);
            let is_member = members.iter().any(|members| members.contains(folder));
            let Some(name) = self.manifest(folder).and_then(|manifest| manifest.name.clone())
            else {
                continue;
            };
            if declared && !is_member {
                continue;
            }
            match workspace.folders.get(&name) {
                None => {
                    workspace.folders.insert(name, folder.to_owned());
                }
                Some(first) if declared => {
                    let message = format!(
                        "`{name}` is also the name of `{}`, which is used",
                        self.display_path(first)
                    );
                    let place = Place::file(self.display_path(path));
                    self.notice(Notice::at(NoticeCode::ResolveDuplicatePackage, place, message));
                }
                Some(_) => {}
            }
        }
        workspace
    }

    fn pnpm_globs(&self, folder: &str) -> Vec<String> {
        #[derive(Deserialize)]
        struct PnpmWorkspace {
            #[serde(default)]
            packages: Vec<String>,
        }
        let path = join(folder, "pnpm-workspace.yaml");
        if !self.files.is_file(&path) {
            return Vec::new();
        }
        let text = self.files.read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let parsed = text.map_err(|error| error.to_string()).and_then(|text| {
            serde_saphyr::from_str::<PnpmWorkspace>(&text).map_err(|error| error.to_string())
        });
        let packages = parsed.map(|workspace| workspace.packages);
        packages.unwrap_or_else(|error| self.unknown_packages(&path, &error))
    }

    fn lerna_globs(&self, folder: &str) -> Vec<String> {
        let path = join(folder, "lerna.json");
        if !self.files.is_file(&path) {
            return Vec::new();
        }
        let packages =
            self.files.read(&path).map_err(|error| error.to_string()).and_then(|bytes| {
                let document = portolan_json::parse(&bytes).map_err(|error| error.to_string())?;
                Ok(document.root.get("packages").map(LocatedJson::strings).unwrap_or_default())
            });
        packages.unwrap_or_else(|error| self.unknown_packages(&path, &error))
    }

    /// Adds a notice for a file that should list packages but cannot be read.
    fn unknown_packages(&self, path: &str, error: &str) -> Vec<String> {
        let first = error.lines().next().unwrap_or_default();
        let message = format!("cannot be read; its packages are unknown: {first}");
        let place = Place::file(self.display_path(path));
        self.notice(Notice::at(NoticeCode::ResolveConfig, place, message));
        Vec::new()
    }

    /// Resolves a dependency that a manifest above the importer gives by folder, although nothing
    /// is installed.
    pub(crate) fn linked_package(
        &self,
        folder: &str,
        name: &str,
        rest: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let (home, manifest) = self.home(folder)?;
        let (_, path) = manifest.links.iter().find(|(linked, _)| linked == name)?;
        let package = join(&home, path);
        if self.is_installed(&package) {
            return None;
        }
        let passes = [Extensions::TYPED, Extensions::UNTYPED];
        [lookup.clone(), lookup.permissive()].iter().find_map(|lookup| {
            passes.iter().find_map(|pass| self.in_package(&package, rest, &lookup.with(*pass)))
        })
    }

    /// Resolves a package of the repository by name, although nothing is installed or built.
    pub(crate) fn workspace_package(
        &self,
        name: &str,
        rest: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let package = self.workspace.get(name)?;
        let direct = |lookup: &LookupRules<'_>| {
            let passes = [Extensions::TYPED, Extensions::UNTYPED];
            let found = passes
                .iter()
                .find_map(|pass| self.in_package(package, rest, &lookup.with(*pass)))?;
            Some(self.prefer_source(found, name, rest))
        };
        direct(lookup)
            .or_else(|| self.source_for_conditions(name, rest, lookup))
            .or_else(|| direct(&lookup.permissive()))
            .or_else(|| self.source_of_output(name, package, rest, None))
    }

    /// The source of a package whose manifest has targets for these conditions, none of them built.
    /// This is better than an existing wrapper for other conditions.
    fn source_for_conditions(
        &self,
        name: &str,
        rest: &str,
        lookup: &LookupRules<'_>,
    ) -> Option<String> {
        let package = self.workspace.get(name)?;
        let manifest = self.manifest(package)?;
        let targets = export_targets(manifest.exports.as_ref()?, rest, Some(lookup));
        if targets.is_empty() {
            None
        } else {
            self.source_of_output(name, package, rest, Some(lookup))
        }
    }

    /// Replaces the build output of a repository package by its source, so that the map is the same
    /// before and after a build.
    pub(crate) fn prefer_source(&self, path: String, name: &str, rest: &str) -> String {
        if self.is_installed(&path) || self.ctx.is_source(&path) {
            return path;
        }
        let own = || self.package_folder(&path);
        let Some(package) = self.workspace.get(name).map(Into::into).or_else(own) else {
            return path;
        };
        self.source_of_output(name, &package, rest, None).unwrap_or(path)
    }

    /// The source for the targets in a package's manifest: a path in an output folder becomes the
    /// same path in a source folder. If `rules` is given, only its targets count.
    fn source_of_output(
        &self,
        name: &str,
        package: &str,
        rest: &str,
        rules: Option<&LookupRules<'_>>,
    ) -> Option<String> {
        let lookup = LookupRules {
            config: &self.default_config,
            mode: crate::ecma::resolve::ResolutionMode::Bundler,
            conditions: Vec::new(),
            extensions: Extensions::ALL,
        };
        let candidates = self.source_candidates(package, rest, rules);
        let found = candidates.into_iter().find_map(|candidate| {
            let path = join(package, &candidate);
            let found = self
                .exact(&path, Extensions::ALL)
                .or_else(|| self.file_or_folder(&path, false, &lookup));
            found.filter(|path| self.ctx.is_source(path))
        })?;
        let manifest = join(package, "package.json");
        let message = format!("`{name}` points at build output; its source is used instead");
        self.notice(Notice::at(
            NoticeCode::ResolveUnbuilt,
            Place::file(self.display_path(&manifest)),
            message,
        ));
        Some(found)
    }

    /// Candidate paths below the package, most likely first.
    fn source_candidates(
        &self,
        package: &str,
        rest: &str,
        rules: Option<&LookupRules<'_>>,
    ) -> Vec<String> {
        let mut targets = Vec::new();
        if let Some(manifest) = self.manifest(package) {
            if let Some(exports) = &manifest.exports {
                targets = export_targets(exports, rest, rules);
            }
            if rest.is_empty() && rules.is_none() {
                let fields = [&manifest.source, &manifest.types, &manifest.module, &manifest.main];
                targets.extend(fields.into_iter().flatten().cloned());
            }
        }
        let mut candidates: Vec<String> = Vec::new();
        for target in &targets {
            let target = target.trim_start_matches("./");
            candidates.push(target.to_owned());
            candidates.extend(source_paths(target));
        }
        let name = if rest.is_empty() { "index" } else { rest };
        candidates.push(rest.to_owned());
        candidates.push(format!("src/{name}"));
        candidates.retain(|candidate| !candidate.is_empty());
        candidates
    }
}

/// Possible source paths for a build output, without extension.
fn source_paths(target: &str) -> Vec<String> {
    let stem = split_extension(&format!("/{target}"))
        .map_or(target.to_owned(), |(stem, _)| stem[1..].to_owned());
    let mut segments: Vec<&str> = stem.split('/').collect();
    let first = segments.first().copied().unwrap_or_default();
    let is_output = OUTPUT_FOLDERS.contains(&first)
        || first.starts_with("dist-")
        || first.starts_with(".tsbuild");
    if !is_output || segments.len() < 2 {
        return vec![stem];
    }
    segments.remove(0);
    let whole = segments.join("/");
    while segments.len() > 1 && FLAVOUR_FOLDERS.contains(&segments[0]) {
        segments.remove(0);
    }
    let bare = segments.join("/");
    let mut paths = Vec::new();
    for folder in SOURCE_FOLDERS {
        for rest in [&whole, &bare] {
            paths.push(if folder == "." { rest.clone() } else { format!("{folder}/{rest}") });
        }
    }
    paths
}

/// The largest number of targets for one name.
const MAX_TARGETS: usize = 64;

/// All paths that `exports` has for a subpath: those that meet the conditions of `rules`, or all of
/// them.
fn export_targets(
    exports: &LocatedJson<'_>,
    rest: &str,
    rules: Option<&LookupRules<'_>>,
) -> Vec<String> {
    let mut targets = Vec::new();
    let name = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let by_path = exports.members().first().is_some_and(|member| member.name.starts_with('.'));
    let found = if by_path {
        let members = exports.members();
        let names = members.iter().map(|member| member.name.as_ref());
        let best = crate::ecma::resolve::pattern_map::best_match(names, &name);
        best.map(|(index, star)| (&members[index].value, star))
    } else {
        rest.is_empty().then_some((exports, None))
    };
    let Some((target, star)) = found else { return targets };
    let counts = |condition: &str| rules.is_none_or(|lookup| package::meets(condition, lookup));
    let mut queue = vec![target];
    while let Some(target) = queue.pop() {
        if targets.len() >= MAX_TARGETS {
            break;
        }
        match &target.json {
            Json::String(text) => {
                targets.extend(crate::ecma::resolve::pattern_map::substitute(text, star));
            }
            Json::Array(items) => queue.extend(items.iter().rev()),
            Json::Object(members) => {
                let met = members.iter().rev().filter(|member| counts(&member.name));
                queue.extend(met.map(|member| &member.value));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    targets
}

/// The folders that a workspace declares as members.
struct WorkspaceMembers {
    included: FolderGlobs,
    excluded: FolderGlobs,
}

impl WorkspaceMembers {
    /// Compiles the globs of a declaration; `None` without globs.
    fn new(folder: &str, globs: &[String]) -> Option<Self> {
        let set = |negated: bool| {
            let patterns = globs.iter().filter(|pattern| pattern.starts_with('!') == negated);
            FolderGlobs::members(folder, patterns.map(|pattern| pattern.trim_start_matches('!')))
        };
        let members = Self { included: set(false), excluded: set(true) };
        (!members.included.is_empty()).then_some(members)
    }

    fn contains(&self, folder: &str) -> bool {
        self.included.is_match(folder) && !self.excluded.is_match(folder)
    }
}
