//! Packages of modules that Go has unpacked on this machine.
//!
//! As inside the repository, an import leads to the files that define what is used. What a file of a module defines is
//! told by its lines alone: what was published went through gofmt, so that declarations begin at the margin, and
//! those in brackets one step behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_types::is_safe_segment;

use crate::{has_extension, Ecosystem as _, Ground, Memo, PackageIdentity};

/// The package in a folder of a module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    /// In order.
    files: Vec<Arc<str>>,
    /// The files that do something when the package is loaded.
    starters: BTreeSet<Arc<str>>,
    /// The files that define a name.
    definers: BTreeMap<String, BTreeSet<Arc<str>>>,
}

impl Package {
    /// The files that define these names; where none does, the first, which stands for the package.
    pub(super) fn defining<'n>(&self, names: impl Iterator<Item = &'n str>) -> BTreeSet<Arc<str>> {
        let definers = names.filter_map(|name| self.definers.get(name)).flatten();
        self.or_first(definers.cloned().collect())
    }

    /// The files that do something when the package is loaded.
    pub(super) fn starting(&self) -> BTreeSet<Arc<str>> {
        self.or_first(self.starters.clone())
    }

    fn or_first(&self, found: BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
        if found.is_empty() { self.files.first().cloned().into_iter().collect() } else { found }
    }
}

/// The modules that are unpacked.
pub(super) struct Outside<'a> {
    ground: &'a Ground<'a>,
    packages: Memo<Box<str>, Option<Arc<Package>>>,
}

impl<'a> Outside<'a> {
    pub(super) fn new(ground: &'a Ground<'a>) -> Self {
        Self { ground, packages: Memo::default() }
    }

    fn stores(&self) -> &[String] {
        self.ground.stores().of(super::Golang.name())
    }

    /// The package that an import names in a version of a module, if that is unpacked.
    pub(super) fn find(&self, module: &str, version: &str, below: &str) -> Option<Arc<Package>> {
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

    fn read(&self, module: &str, folder: &str) -> Option<Package> {
        let names = self.ground.files().names(folder);
        let is_code = |name: &&str| has_extension(name, &["go"]) && !super::is_test(name);
        let mut files = Vec::new();
        for name in names.iter().map(|name| &**name).filter(is_code) {
            let path = format!("{folder}/{name}");
            let Some(real) = self.ground.file_of_package(module, &path) else { continue };
            let Some(text) = self.ground.read(&real) else { continue };
            files.push((real, Outline::read(&text)));
        }
        // A program that is not built beside the package has its own name.
        let libraries = files.iter().filter(|(_, outline)| outline.package != "main");
        let name = libraries.map(|(_, outline)| outline.package.clone()).next();
        let name = name.or_else(|| files.first().map(|(_, outline)| outline.package.clone()))?;
        let mut package = Package { name, ..Package::default() };
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

    /// The module that an unpacked file is of: its folder is called by path and version.
    pub(super) fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        let folder = package_folder(path)?;
        let inside = self.stores().iter().find_map(|store| {
            folder.strip_prefix(&*self.ground.files().real(store))?.strip_prefix('/')
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

/// The folder of the unpacked module that a file is in.
pub(super) fn package_folder(path: &str) -> Option<&str> {
    let at = path.find("@v")?;
    let end = path.get(at..)?.find('/')?;
    path.get(..at + end)
}

/// A path as the module cache writes it: not every file system tells capitals.
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

/// What the lines of a file say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outline {
    package: String,
    /// The names that it defines for others.
    names: BTreeSet<String>,
    /// Whether it has a `func init`.
    starts: bool,
}

impl Outline {
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

    /// The names that a declaration begins with, as far as others see them.
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
    use super::{escaped, package_folder, unescaped, Outline};

    #[test]
    fn lines_tell_what_a_file_defines() {
        let text = "// Package p does it.\npackage p // here\n\nimport (\n\t\"X\"\n)\n\nfunc Do[T any](x T) {\n\ttype Inner int\n}\n\
            func (r *R) Method() {}\nfunc init() {}\nfunc own() {}\ntype R struct {\n\tField int\n}\nvar A, B = 1, 2\n\
            const (\n\t// Note\n\tFirst = iota\n\tSecond\n)\ntype (\n\tGroup struct {\n\t\tDeep int\n\t}\n)\n";
        let outline = Outline::read(text);
        let names: Vec<&str> = outline.names.iter().map(String::as_str).collect();
        assert_eq!(names, ["A", "B", "Do", "First", "Group", "R", "Second"]);
        assert!(outline.starts);
        assert_eq!(outline.package, "p");
    }

    #[test]
    fn capitals_are_written_apart() {
        assert_eq!(escaped("github.com/BurntSushi/toml"), "github.com/!burnt!sushi/toml");
        assert_eq!(unescaped("github.com/!burnt!sushi/toml!"), "github.com/BurntSushi/toml");
        let folder = package_folder("/m/github.com/a/b@v1.2.0/c/d.go");
        assert_eq!(folder, Some("/m/github.com/a/b@v1.2.0"));
    }
}
