//! Resources: files that are shipped with the classes and loaded by name.

use rustc_hash::FxHashMap;

use crate::resolve::files::distance;
use crate::{ResolveContext, has_extension};

/// The files below source or resource folders that are not code, by file name.
pub(super) struct Resources<'a>(FxHashMap<&'a str, Vec<&'a str>>);

impl<'a> Resources<'a> {
    pub(super) fn new(ctx: &'a ResolveContext<'a>) -> Self {
        let mut files: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for path in ctx.sources().paths().filter(|path| is_shipped(path)) {
            files.entry(path.rsplit('/').next().unwrap_or(path)).or_default().push(path);
        }
        Self(files)
    }

    /// The resource that a class in the file at `path` loads by a name. Names are relative to the
    /// package's folder or, with a leading slash or a class loader, to the top. The nearest match
    /// counts.
    pub(super) fn find(&self, path: &str, package: &str, name: &str) -> Option<&'a str> {
        let from_top = name.trim_start_matches('/');
        let files = self.0.get(from_top.rsplit('/').next()?)?;
        let in_package = format!("/{}/{from_top}", package.replace('.', "/"));
        let at_top =
            ["/resources/", "/java/", "/kotlin/", "/src/"].map(|top| [top, from_top].concat());
        let is_in_package = |file: &&str| !name.starts_with('/') && file.ends_with(&in_package);
        let is_at_top = |file: &&str| at_top.iter().any(|end| file.ends_with(end.as_str()));
        let nearest = |is_it: &dyn Fn(&&str) -> bool| {
            let found = files.iter().copied().filter(|file| is_it(file));
            found.min_by_key(|file| distance(file, path))
        };
        nearest(&is_in_package).or_else(|| nearest(&is_at_top))
    }
}

/// Whether a file may be shipped with the classes.
fn is_shipped(path: &str) -> bool {
    !has_extension(path, &["java", "kt", "kts"])
        && (path.contains("/resources/") || path.contains("/src/"))
}
