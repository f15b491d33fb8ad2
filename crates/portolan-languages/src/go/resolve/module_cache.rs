//! Finds the packages of modules in Go's module cache.
//!
//! As in the repository, an import leads to the files that define the used names. A line scan is
//! enough to find the definitions: published code is gofmt-formatted, so declarations start at the
//! margin and grouped ones one tab behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_types::is_safe_segment;

use crate::{Ecosystem as _, Memo, PackageIdentity, ResolveContext, has_extension};

/// A package of a cached module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CachedPackage {
    pub(super) name: String,
    /// Sorted by name.
    files: Vec<Arc<str>>,
    /// The files with an `init` function.
    starters: BTreeSet<Arc<str>>,
    /// The files that define each name.
    definers: BTreeMap<String, BTreeSet<Arc<str>>>,
}

impl CachedPackage {
    /// The files that define these names. If there are none, the first file stands for the package.
    pub(super) fn definers_of<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> BTreeSet<Arc<str>> {
        let definers = names.filter_map(|name| self.definers.get(name)).flatten();
        self.or_first(definers.cloned().collect())
    }

    /// The files with an `init` function, or else the first file.
    pub(super) fn starters(&self) -> BTreeSet<Arc<str>> {
        self.or_first(self.starters.clone())
    }

    fn or_first(&self, found: BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
        if found.is_empty() { self.files.first().cloned().into_iter().collect() } else { found }
    }
}

/// Go's module cache.
pub(super) struct ModuleCache<'a> {
    ctx: &'a ResolveContext<'a>,
    packages: Memo<Box<str>, Option<Arc<CachedPackage>>>,
}

impl<'a> ModuleCache<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        Self { ctx, packages: Memo::default() }
    }

    fn stores(&self) -> &[String] {
        self.ctx.stores().of(super::Golang.name())
    }

    /// The package at a path below a module version, if that version is in the cache.
    pub(super) fn find(
        &self,
        module: &str,
        version: &str,
        below: &str,
    ) -> Option<Arc<CachedPackage>> {
        let is_safe = module.split('/').all(is_safe_segment)
            && is_safe_segment(version)
            && (below.is_empty() || below.split('/').all(is_safe_segment));
        if !is_safe {
            return None;
        }
        let name = format!("{}@{}", escaped(module), escaped(version));
        self.stores().iter().find_map(|store| {
            let module = format!("{store}/{name}");
            let folder =
                if below.is_empty() { module.clone() } else { format!("{module}/{below}") };
            if let Some(known) = self.packages.get(folder.as_str()) {
                return known;
            }
            let package = self.read(&module, &folder).map(Arc::new);
            self.packages.insert(folder.into(), package)
        })
    }

    fn read(&self, module: &str, folder: &str) -> Option<CachedPackage> {
        let names = self.ctx.files().names(folder);
        let is_code = |name: &&str| has_extension(name, &["go"]) && !super::is_test(name);
        let mut files = Vec::new();
        for name in names.iter().map(|name| &**name).filter(is_code) {
            let path = format!("{folder}/{name}");
            let Some(real) = self.ctx.file_of_package(module, &path) else { continue };
            let Some(text) = self.ctx.read(&real) else { continue };
            files.push((real, GoFileOutline::read(&text)));
        }
        // A command that is excluded from the build has its own package name.
        let libraries = files.iter().filter(|(_, outline)| outline.package != "main");
        let name = libraries.map(|(_, outline)| outline.package.clone()).next();
        let name = name.or_else(|| files.first().map(|(_, outline)| outline.package.clone()))?;
        let mut package = CachedPackage { name, ..CachedPackage::default() };
        for (file, outline) in files {
            if outline.package != package.name {
                continue;
            }
            if outline.starts {
                package.starters.insert(Arc::clone(&file));
            }
            for name in outline.names {
                package.definers.entry(name).or_default().insert(Arc::clone(&file));
            }
            package.files.push(file);
        }
        Some(package)
    }

    /// The module that contains a cached file. Its folder is named after path and version.
    pub(super) fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        let folder = package_folder(path)?;
        let inside = self.stores().iter().find_map(|store| {
            folder.strip_prefix(&*self.ctx.files().real(store))?.strip_prefix('/')
        })?;
        let (name, version) = inside.rsplit_once('@')?;
        let (name, version) = (unescaped(name), unescaped(version));
        Some(PackageIdentity {
            ecosystem: super::Golang.name(),
            folder: folder.to_owned(),
            manifest: format!("{folder}/go.mod"),
            is_addressable: name.split('/').all(is_safe_segment) && is_safe_segment(&version),
            name,
            version,
        })
    }
}

/// The folder of the cached module that contains a file.
pub(super) fn package_folder(path: &str) -> Option<&str> {
    let at = path.find("@v")?;
    let end = path.get(at..)?.find('/')?;
    path.get(..at + end)
}

/// Escapes a path as the module cache does: some file systems ignore case.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for letter in path.chars() {
        if letter.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(letter.to_ascii_lowercase());
    }
    escaped
}

fn unescaped(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '!' => plain.extend(letters.next().map(|letter| letter.to_ascii_uppercase())),
            letter => plain.push(letter),
        }
    }
    plain
}

/// What the lines of a file declare.
#[derive(Debug, Default, PartialEq, Eq)]
struct GoFileOutline {
    package: String,
    /// The exported names.
    names: BTreeSet<String>,
    /// Whether it has a `func init`.
    starts: bool,
}

impl GoFileOutline {
    fn read(text: &str) -> Self {
        let mut outline = Self::default();
        let mut is_grouped = false;
        for line in text.lines() {
            if is_grouped {
                is_grouped = line != ")";
                outline.add(line.strip_prefix('\t').unwrap_or_default());
                continue;
            }
            let Some((word, rest)) = line.split_once(' ') else { continue };
            match word {
                "package" if outline.package.is_empty() => {
                    name_of(rest).clone_into(&mut outline.package);
                }
                "func" if rest.starts_with("init(") => outline.starts = true,
                "func" => outline.add(name_of(rest)),
                "type" | "var" | "const" if rest.starts_with('(') => is_grouped = true,
                "type" | "var" | "const" => outline.add(rest),
                _ => {}
            }
        }
        outline
    }

    /// Adds the exported names at the start of a declaration.
    fn add(&mut self, declaration: &str) {
        let mut rest = declaration;
        loop {
            let name = name_of(rest);
            if name.starts_with(char::is_uppercase) {
                self.names.insert(name.to_owned());
            }
            match rest[name.len()..].strip_prefix(", ") {
                Some(more) if !name.is_empty() => rest = more,
                _ => return,
            }
        }
    }
}

fn name_of(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::{GoFileOutline, escaped, package_folder, unescaped};

    #[test]
    fn line_scan_finds_exported_definitions() {
        let text = "// Package p does it.\npackage p // here\n\nimport (\n\t\"X\"\n)\n\nfunc Do[T any](x T) {\n\ttype Inner int\n}\n\
            func (r *R) Method() {}\nfunc init() {}\nfunc own() {}\ntype R struct {\n\tField int\n}\nvar A, B = 1, 2\n\
            const (\n\t// Note\n\tFirst = iota\n\tSecond\n)\ntype (\n\tGroup struct {\n\t\tDeep int\n\t}\n)\n";
        let outline = GoFileOutline::read(text);
        let names: Vec<&str> = outline.names.iter().map(String::as_str).collect();
        assert_eq!(names, ["A", "B", "Do", "First", "Group", "R", "Second"]);
        assert!(outline.starts);
        assert_eq!(outline.package, "p");
    }

    #[test]
    fn capitals_are_escaped_in_the_module_cache() {
        assert_eq!(escaped("github.com/BurntSushi/toml"), "github.com/!burnt!sushi/toml");
        assert_eq!(unescaped("github.com/!burnt!sushi/toml!"), "github.com/BurntSushi/toml");
        let folder = package_folder("/m/github.com/a/b@v1.2.0/c/d.go");
        assert_eq!(folder, Some("/m/github.com/a/b@v1.2.0"));
    }
}
