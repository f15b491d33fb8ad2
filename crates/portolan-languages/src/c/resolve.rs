//! Resolves `#include` to the file that a compiler would read.
//!
//! A compiler looks beside the file, then in the folders of its command line. Those are read from
//! build files as far as they are literal; what they do not tell, the names of files often do: a
//! header that only one path ends in is meant.

mod search_path;
mod standard;

use std::sync::OnceLock;

use portolan_types::{Facts, NodeId, NodeKind};
use rustc_hash::FxHashMap;

use self::search_path::SearchPath;
use self::standard::is_standard;
use super::syntax::includes::QUOTED;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::files::{ancestors, folder_of, join};
use crate::{Ecosystem, ImportTarget, Importer, Resolve, ResolveContext};

/// The headers of C and C++.
#[derive(Clone, Copy, Debug)]
pub struct Includes;

impl Ecosystem for Includes {
    fn name(&self) -> &'static str {
        "c"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["c", "cpp"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "C and C++", id: "c:stdio.h" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        matches!(name, "CMakeLists.txt" | "meson.build")
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(IncludeResolver { ctx, files: OnceLock::new(), search_path: OnceLock::new() })
    }
}

/// What all files share; found out when the first of them asks.
struct IncludeResolver<'a> {
    ctx: &'a ResolveContext<'a>,
    /// The files of the universe by their last name.
    files: OnceLock<FxHashMap<&'a str, Vec<&'a str>>>,
    search_path: OnceLock<SearchPath>,
}

impl<'a> IncludeResolver<'a> {
    fn files(&self) -> &FxHashMap<&'a str, Vec<&'a str>> {
        self.files.get_or_init(|| {
            let mut files: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
            for path in self.ctx.sources().paths() {
                files.entry(path.rsplit('/').next().unwrap_or(path)).or_default().push(path);
            }
            files
        })
    }

    fn search_path(&self) -> &SearchPath {
        self.search_path.get_or_init(|| SearchPath::new(self.ctx))
    }
}

impl Resolve for IncludeResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(IncludeImporter { resolver: self, path })
    }
}

struct IncludeImporter<'i, 'a> {
    resolver: &'i IncludeResolver<'a>,
    /// Absolute.
    path: &'i str,
}

impl Importer for IncludeImporter<'_, '_> {
    fn resolve(&self, facts: &Facts, import: usize, found: &mut Vec<ImportTarget>) {
        let Some(import) = facts.imports.get(import) else { return };
        let name = import.specifier.replace('\\', "/");
        found.push(match self.file(&name, import.form == QUOTED) {
            Some(file) => ImportTarget::File(file.into()),
            None if is_standard(&name) => {
                ImportTarget::Module(NodeId::new(format!("c:{name}")), NodeKind::Builtin)
            }
            None => ImportTarget::Module(NodeId::new(name), NodeKind::Missing),
        });
    }
}

/// Folders that often hold the headers of a project.
const HEADER_FOLDERS: [&str; 4] = ["", "include", "inc", "src"];

impl IncludeImporter<'_, '_> {
    /// The file that an include means, if it is one of the repository.
    fn file(&self, name: &str, is_quoted: bool) -> Option<String> {
        let last = name.rsplit('/').next().unwrap_or(name);
        let known = self.resolver.files().get(last)?;
        // What no file is called needs no search.
        let end = format!("/{}", name.trim_start_matches("./").trim_start_matches("../"));
        let known: Vec<&str> = known.iter().copied().filter(|path| path.ends_with(&end)).collect();
        let is_there = |path: String| known.contains(&path.as_str()).then_some(path);
        let folder = folder_of(self.path);
        let beside = || is_there(join(folder, name)).filter(|_| is_quoted);
        let told = || {
            let mut folders = self.resolver.search_path().for_file(self.path);
            folders.find_map(|folder| is_there(join(folder, name)))
        };
        beside().or_else(told).or_else(|| {
            // The platform's own headers are not those of a library that has the same name.
            if is_standard(name) && !is_quoted { None } else { self.likely(name, &known) }
        })
    }

    /// The file that an include means where no build file tells.
    fn likely(&self, name: &str, known: &[&str]) -> Option<String> {
        let root = self.resolver.ctx.files().root();
        let above = ancestors(folder_of(self.path)).take_while(|it| it.starts_with(root));
        for folder in above {
            for below in HEADER_FOLDERS {
                let path = join(&join(folder, below), name);
                if known.contains(&path.as_str()) {
                    return Some(path);
                }
            }
        }
        nearest(self.path, known).map(str::to_owned)
    }
}

/// The only path, or the one that shares more folders with a file than all others.
fn nearest<'p>(file: &str, paths: &[&'p str]) -> Option<&'p str> {
    let shared = |path: &str| {
        let same = file.split('/').zip(path.split('/')).take_while(|(one, other)| one == other);
        same.count()
    };
    let most = paths.iter().map(|path| shared(path)).max()?;
    let mut best = paths.iter().filter(|path| shared(path) == most);
    let first = best.next()?;
    best.next().is_none().then_some(*first)
}
