//! The resolvers of one repository, each for its own languages.

use std::sync::OnceLock;

use portolan_types::{Notice, Sha256Digest};

use crate::context::ResolveContext;
use crate::resolve::ecosystem::{Ecosystems, Importer, PackageIdentity, Resolve};

/// A resolver that is made when the first file asks for it: most repositories have no file of most
/// languages.
pub(crate) struct LazyResolver<'a, R> {
    ctx: &'a ResolveContext<'a>,
    make: fn(&'a ResolveContext<'a>) -> R,
    made: OnceLock<R>,
}

impl<'a, R> LazyResolver<'a, R> {
    pub(crate) fn new(ctx: &'a ResolveContext<'a>, make: fn(&'a ResolveContext<'a>) -> R) -> Self {
        Self { ctx, make, made: OnceLock::new() }
    }
}

impl<R: Resolve + Send> Resolve for LazyResolver<'_, R> {
    fn importer<'i>(&'i self, path: &'i str) -> Box<dyn Importer + 'i> {
        self.made.get_or_init(|| (self.make)(self.ctx)).importer(path)
    }
}

/// One resolver for each ecosystem, over one context.
pub struct Resolvers<'a> {
    ctx: &'a ResolveContext<'a>,
    ecosystems: Ecosystems,
    opened: Vec<Box<dyn Resolve + 'a>>,
}

impl<'a> Resolvers<'a> {
    /// Creates the resolvers.
    pub fn open(ctx: &'a ResolveContext<'a>, ecosystems: Ecosystems) -> Self {
        let opened = ecosystems.iter().map(|ecosystem| ecosystem.open(ctx)).collect();
        Self { ctx, ecosystems, opened }
    }

    /// The basis digest of each ecosystem.
    pub fn bases(&self) -> Vec<Sha256Digest> {
        self.opened.iter().map(|resolve| resolve.basis()).collect()
    }

    /// The importer for a file in a language; `None` if no ecosystem resolves the language.
    pub fn importer<'i>(&'i self, language: &str, path: &'i str) -> Option<Box<dyn Importer + 'i>> {
        let (number, _) = self.ecosystems.of_language(language)?;
        Some(self.opened.get(number)?.importer(path))
    }

    /// The package of an installed file, from the ecosystem that installed it.
    pub fn package_of(&self, path: &str) -> Option<PackageIdentity> {
        let root = self.ctx.files().root();
        let mut both = self.ecosystems.iter().zip(&self.opened);
        let (_, resolve) = both.find(|(ecosystem, _)| ecosystem.installed(root, path).is_some())?;
        resolve.package_of(path)
    }

    /// All notices, sorted.
    pub fn notices(&self) -> Vec<Notice> {
        self.ctx.notices()
    }
}
