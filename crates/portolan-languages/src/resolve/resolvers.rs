//! The resolvers of one repository, each asked for the languages it knows.

use portolan_types::{Notice, Sha256Digest};

use crate::resolve::ecosystem::{Ecosystems, Importer, PackageIdentity, Resolve};
use crate::resolve::ground::Ground;

/// One resolver for each ecosystem, over one ground.
pub struct Resolvers<'a> {
    ground: &'a Ground<'a>,
    ecosystems: Ecosystems,
    opened: Vec<Box<dyn Resolve + 'a>>,
}

impl<'a> Resolvers<'a> {
    /// Opens a resolver for each of the ecosystems.
    pub fn open(ground: &'a Ground<'a>, ecosystems: Ecosystems) -> Self {
        let opened = ecosystems.iter().map(|ecosystem| ecosystem.open(ground)).collect();
        Self { ground, ecosystems, opened }
    }

    /// What each ecosystem found out about the repository as a whole.
    pub fn bases(&self) -> Vec<Sha256Digest> {
        self.opened.iter().map(|resolve| resolve.basis()).collect()
    }

    /// A file in a language that imports; `None` where nobody resolves the language.
    pub fn importer<'i>(&'i self, language: &str, path: &'i str) -> Option<Box<dyn Importer + 'i>> {
        let (number, _) = self.ecosystems.of_language(language)?;
        Some(self.opened.get(number)?.importer(path))
    }

    /// The package that an installed file is part of, by the ecosystem that installed it.
    pub fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        let root = self.ground.files().root();
        let mut both = self.ecosystems.iter().zip(&self.opened);
        let (_, resolve) = both.find(|(ecosystem, _)| ecosystem.installed(root, path).is_some())?;
        resolve.package_of(path)
    }

    /// What could not be read or was made up for on the way, sorted.
    pub fn notices(&self) -> Vec<Notice> {
        self.ground.notices()
    }
}
