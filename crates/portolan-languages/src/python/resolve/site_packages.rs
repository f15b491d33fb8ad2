//! Finds packages installed in a virtual environment.
//!
//! The `.dist-info` folders say which project a module belongs to: by their names, or else by the
//! modules they list. No interpreter runs.

use std::sync::Arc;

use portolan_types::is_safe_segment;

use super::modules::split;
use crate::resolve::files::{ancestors, folder_of};
use crate::{Ecosystem as _, Memo, PackageIdentity, ResolveContext};

/// The name of the folder with installed modules.
pub(super) const STORE: &str = "site-packages";

/// Common names of virtual environments.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// The possible endings of a module: packages before modules, code before stubs.
const ENDINGS: [&str; 4] = ["/__init__.py", ".py", "/__init__.pyi", ".pyi"];

/// The installed packages that the repository's files see.
pub(super) struct SitePackages<'a> {
    ctx: &'a ResolveContext<'a>,
    /// The `site-packages` folders for each folder, nearest first.
    stores: Memo<Box<str>, Arc<[String]>>,
    /// The project of each top-level module.
    owners: Memo<(Box<str>, Box<str>), Option<PackageIdentity>>,
}

impl<'a> SitePackages<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        Self { ctx, stores: Memo::default(), owners: Memo::default() }
    }

    /// The file of an installed module, or of a submodule that is imported by name.
    pub(super) fn find(&self, path: &str, module: &str, item: Option<&str>) -> Option<Arc<str>> {
        if module.starts_with('.') || module.is_empty() {
            return None;
        }
        let below = module.replace('.', "/");
        let item = item.filter(|item| *item != "*").map(|item| format!("{below}/{item}"));
        let stores = self.stores_of(split(path).0);
        stores.iter().find_map(|store| {
            item.as_ref()
                .and_then(|item| self.locate(store, item))
                .or_else(|| self.locate(store, &below))
        })
    }

    fn locate(&self, store: &str, module: &str) -> Option<Arc<str>> {
        // Stubs are published separately.
        let (top, rest) = module.split_once('/').unwrap_or((module, ""));
        let stubs =
            if rest.is_empty() { format!("{top}-stubs") } else { format!("{top}-stubs/{rest}") };
        [module, &stubs].into_iter().find_map(|module| {
            let mut paths = ENDINGS.iter().map(|ending| [store, "/", module, ending].concat());
            paths.find_map(|path| self.ctx.file_of_package(store, &path))
        })
    }

    /// The `site-packages` folders of the environments at and above a folder of the repository.
    fn stores_of(&self, folder: &str) -> Arc<[String]> {
        if let Some(known) = self.stores.get(folder) {
            return known;
        }
        let root = self.ctx.files().root();
        let absolute = if folder.is_empty() { root.to_owned() } else { [root, folder].join("/") };
        let inside = ancestors(&absolute).take_while(|folder| folder.len() >= root.len());
        let inside = inside.flat_map(|folder| ENVIRONMENTS.map(|name| [folder, name].join("/")));
        // The active environment comes last, wherever it is.
        let active = self.ctx.stores().of(super::Pypi.name()).iter().cloned();
        let found: Vec<String> = inside.chain(active).flat_map(|it| self.stores_in(&it)).collect();
        self.stores.insert(folder.into(), found.into())
    }

    /// The `site-packages` folders of an environment, if the folder is one.
    fn stores_in(&self, environment: &str) -> Vec<String> {
        let files = self.ctx.files();
        if !files.is_file(&format!("{environment}/pyvenv.cfg")) {
            return Vec::new();
        }
        let versions = files.names(&format!("{environment}/lib")).into_iter();
        let versions = versions.filter(|name| name.starts_with("python"));
        let unix = versions.map(|version| format!("{environment}/lib/{version}/{STORE}"));
        let windows = std::iter::once(format!("{environment}/Lib/{STORE}"));
        unix.chain(windows).filter(|store| files.is_dir(store)).collect()
    }

    /// The project of an installed file.
    pub(super) fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        let (store, inside) = parts(path)?;
        let top = inside.split('/').next().unwrap_or(inside);
        let top = top.split('.').next().unwrap_or(top);
        let key = (Box::from(store), Box::from(top));
        if let Some(known) = self.owners.get(&key) {
            return known;
        }
        let owner = self.owner(store, top);
        self.owners.insert(key, owner)
    }

    fn owner(&self, store: &str, top: &str) -> Option<PackageIdentity> {
        let names = self.ctx.files().names(store);
        let projects: Vec<&str> =
            names.iter().filter_map(|name| name.strip_suffix(".dist-info")).collect();
        let wanted = normalized_name(top);
        let is_named = |project: &&&str| {
            project.split_once('-').is_some_and(|(name, _)| normalized_name(name) == wanted)
        };
        let named = projects.iter().find(is_named);
        let project = named.or_else(|| projects.iter().find(|it| self.lists(store, it, top)))?;
        let (name, version) = project.split_once('-')?;
        Some(PackageIdentity {
            ecosystem: super::Pypi.name(),
            folder: store.to_owned(),
            manifest: format!("{store}/{project}.dist-info/METADATA"),
            is_addressable: is_safe_segment(name) && is_safe_segment(version),
            name: name.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Whether a project lists a top-level module.
    fn lists(&self, store: &str, project: &str, top: &str) -> bool {
        let read = |name: &str| {
            self.ctx.read(&format!("{store}/{project}.dist-info/{name}")).unwrap_or_default()
        };
        let is_top = |line: &str| {
            let path = line.split(',').next().unwrap_or(line).trim();
            path.split(['/', '.']).next() == Some(top)
        };
        read("top_level.txt").lines().any(is_top) || read("RECORD").lines().any(is_top)
    }
}

/// Splits a path into its `site-packages` folder and the rest.
fn parts(path: &str) -> Option<(&str, &str)> {
    let store = path.rfind("/site-packages/")? + "/site-packages".len();
    Some((path.get(..store)?, path.get(store + 1..)?))
}

/// The folder of the installed module that contains a file.
pub(super) fn installed(path: &str) -> Option<&str> {
    let (store, inside) = parts(path)?;
    let top = inside.find('/').unwrap_or(inside.len());
    path.get(..store.len() + 1 + top).or(Some(folder_of(path)))
}

/// A normalized project name (PEP 503).
fn normalized_name(name: &str) -> String {
    name.trim_end_matches("-stubs").replace(['-', '.'], "_").to_ascii_lowercase()
}
