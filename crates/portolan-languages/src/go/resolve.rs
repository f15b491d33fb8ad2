//! Resolves Go imports to the files that define the used names.
//!
//! A package is a folder with all its files. Edges go to the files that define the names, on every
//! platform, and never to the whole folder.

mod build_constraints;
mod embed;
mod importer;
mod manifest;
mod module_cache;
mod packages;
mod published;

use std::borrow::Cow;

use self::importer::GoImporter;
use self::packages::Packages;
use crate::resolve::ecosystem::BuiltinExample;
use crate::resolve::published::{Manifests, Published};
use crate::{Ecosystem, Importer, PackageIdentity, Resolve, ResolveContext};

/// The Go ecosystem.
#[derive(Clone, Copy, Debug)]
pub struct Golang;

/// The form of a `//go:embed` pattern, with the number that the Go extractor gives it.
const EMBED: u8 = 1;

impl Ecosystem for Golang {
    fn name(&self) -> &'static str {
        "go"
    }

    fn languages(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn builtin_example(&self) -> Option<BuiltinExample> {
        Some(BuiltinExample { platform: "Go", id: "go:net/http" })
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "go.mod"
    }

    fn stores(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let first = |list: String| list.split(':').next().unwrap_or_default().to_owned();
        let home = || variable("GOPATH").map(first).or_else(|| Some(variable("HOME")? + "/go"));
        let store = variable("GOMODCACHE").or_else(|| Some(home()? + "/pkg/mod"));
        store.into_iter().collect()
    }

    fn installed<'p>(&self, _root: &str, path: &'p str) -> Option<&'p str> {
        module_cache::package_folder(path)
    }

    fn resolves_by_facts(&self) -> bool {
        true
    }

    fn resolves_to_definers(&self) -> bool {
        true
    }

    fn published(&self, manifests: &Manifests<'_>, folder: &str) -> Option<Published> {
        published::published(manifests, folder)
    }

    /// Module paths contain slashes. A version is `v1.2.3`; the path itself ends in `v2` at most.
    fn module_of_installed<'f>(&self, file: &'f str) -> Option<Cow<'f, str>> {
        let is_version = |part: &str| {
            let digits = part.strip_prefix('v').unwrap_or_default();
            digits.starts_with(|it: char| it.is_ascii_digit()) && digits.contains('.')
        };
        let mut end = 0;
        for part in file.split('/') {
            if is_version(part) && end > 0 {
                return file.get(..end - 1).map(Cow::Borrowed);
            }
            end += part.len() + 1;
        }
        None
    }

    /// The path of an external module starts with a host name.
    fn package_named<'m>(&self, module: &'m str) -> Option<Cow<'m, str>> {
        let host = module.split('/').next().unwrap_or(module);
        host.contains('.').then_some(Cow::Borrowed(module))
    }

    fn open<'a>(&self, ctx: &'a ResolveContext<'a>) -> Box<dyn Resolve + 'a> {
        Box::new(GoResolver { packages: Packages::new(ctx) })
    }
}

struct GoResolver<'a> {
    packages: Packages<'a>,
}

impl Resolve for GoResolver<'_> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        Box::new(GoImporter::new(&self.packages, path))
    }

    fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        self.packages.module_cache.package_of(path)
    }
}

fn is_test(path: &str) -> bool {
    path.ends_with("_test.go")
}
