//! Resolves printed paths to files of the repository.

use std::collections::{BTreeMap, BTreeSet};

use super::{PathContext, SourceLocation};
use crate::readers::{PrintedLocation, ToolDiagnostic};

/// Folders in absolute paths that never belong to a repository.
const OUTSIDE: [&str; 11] = [
    "/node_modules/",
    "/site-packages/",
    "/dist-packages/",
    "/.cargo/registry/",
    "/rustc/",
    "/.rustup/",
    "/pkg/mod/",
    "/go/src/",
    "/lib/python",
    "/usr/",
    "/nix/store/",
];

pub(super) struct PathResolver<'g> {
    context: &'g PathContext,
    absolute: BTreeSet<String>,
    relative: BTreeSet<String>,
    /// The repository's folder on the machine that ran the tool, if it is another machine.
    foreign: Option<String>,
    /// The folders that tools may have run in, likeliest first, with their votes.
    folders: Vec<(String, usize)>,
    pub(super) ambiguous: BTreeMap<String, Vec<String>>,
}

impl<'g> PathResolver<'g> {
    pub(super) fn new(context: &'g PathContext) -> Self {
        Self {
            context,
            absolute: BTreeSet::new(),
            relative: BTreeSet::new(),
            foreign: None,
            folders: Vec::new(),
            ambiguous: BTreeMap::new(),
        }
    }

    /// Records a printed path. All paths are recorded before any is resolved.
    pub(super) fn record(&mut self, raw: &str, is_named: bool, finding: &ToolDiagnostic) {
        let path = self.split_function_name(&normalize_path(raw), is_named).0;
        if is_absolute(&path) {
            self.absolute.insert(path);
        } else if finding.folder.is_none() && finding.package.is_none() {
            self.relative.insert(path);
        }
    }

    /// Chooses the foreign root and the working folders that explain most recorded paths.
    pub(super) fn choose_roots(&mut self) {
        let files = &self.context.files;
        let mut roots: BTreeMap<&str, usize> = BTreeMap::new();
        for path in self.absolute.iter().filter(|path| self.below_root(path).is_none()) {
            if OUTSIDE.iter().any(|part| path.contains(part)) {
                continue;
            }
            if let Some(end) = files.longest_end(path) {
                *roots.entry(&path[..path.len() - end.len()]).or_default() += 1;
            }
        }
        let most =
            roots.iter().max_by_key(|(root, count)| (**count, std::cmp::Reverse(root.len())));
        self.foreign = most.map(|(root, _)| (*root).to_owned());
        let mut folders: BTreeMap<String, usize> = BTreeMap::new();
        for path in self.relative.iter().filter(|path| !path.starts_with("../")) {
            for file in files.ending_with(path) {
                let folder = file[..file.len() - path.len()].trim_end_matches('/');
                *folders.entry(folder.to_owned()).or_default() += 1;
            }
        }
        // A path with `..` votes for a folder if it leads from there to a file.
        let upwards: Vec<&String> =
            self.relative.iter().filter(|path| path.starts_with("../")).collect();
        for (folder, votes) in &mut folders {
            let reached = upwards
                .iter()
                .filter(|path| join(folder, path).is_some_and(|path| files.contains(&path)));
            *votes += reached.count();
        }
        let mut folders: Vec<(String, usize)> = folders.into_iter().collect();
        folders.sort_by_key(|(folder, votes)| {
            (
                std::cmp::Reverse(*votes),
                *folder != self.context.folder,
                !folder.is_empty(),
                folder.clone(),
            )
        });
        self.folders = folders;
    }

    /// Resolves a printed location.
    pub(super) fn place(
        &mut self,
        spot: &PrintedLocation,
        finding: &ToolDiagnostic,
    ) -> SourceLocation {
        let (path, name) = self.split_function_name(&normalize_path(&spot.file), spot.named);
        let file = self.file(&path, finding);
        let exists = self.context.files.contains(&file);
        let message = name.map_or_else(|| spot.message.clone(), |name| format!("at {name}"));
        SourceLocation { file, line: spot.line, col: spot.col, message, exists }
    }

    fn file(&mut self, path: &str, finding: &ToolDiagnostic) -> String {
        if is_absolute(path) {
            return self.resolve_absolute(path);
        }
        if let Some(package) = &finding.package {
            let whole = format!("{package}/{path}");
            if let Some(end) = self.context.files.longest_end(&whole) {
                return end.to_owned();
            }
            let near = self.context.files.nearest(&whole, 1);
            return if let [only] = near[..] { only.to_owned() } else { path.to_owned() };
        }
        if let Some(folder) = finding.folder.as_deref().and_then(|folder| self.known_folder(folder))
            && let Some(joined) = join(&folder, path)
        {
            return joined;
        }
        self.resolve_relative(path)
    }

    /// A folder that a runner names, as a folder of the repository.
    fn known_folder(&self, folder: &str) -> Option<String> {
        let folder = normalize_path(folder);
        if self.context.files.has_folder(&folder) {
            return Some(folder);
        }
        let below = join(&self.context.folder, &folder)?;
        self.context.files.has_folder(&below).then_some(below)
    }

    /// The part of a path below the repository's root on this machine.
    fn below_root<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.context.root.as_str())?
            .strip_prefix('/')
            .filter(|_| !self.context.root.is_empty())
    }

    fn resolve_absolute(&mut self, path: &str) -> String {
        if let Some(below) = self.below_root(path) {
            return below.to_owned();
        }
        if let Some(below) = self.foreign.as_deref().and_then(|root| path.strip_prefix(root)) {
            return below.to_owned();
        }
        if OUTSIDE.iter().any(|part| path.contains(part)) {
            return path.to_owned();
        }
        // The other machine may have had only a part of the repository.
        match &self.context.files.nearest(path, 2)[..] {
            [] => path.to_owned(),
            [only] => (*only).to_owned(),
            several => {
                let several = several.iter().map(|file| (*file).to_owned()).collect();
                self.ambiguous.insert(path.to_owned(), several);
                path.to_owned()
            }
        }
    }

    fn resolve_relative(&mut self, path: &str) -> String {
        let files = &self.context.files;
        let there = |folder: &str| join(folder, path).filter(|path| files.contains(path));
        let mut found = self
            .folders
            .iter()
            .filter_map(|(folder, votes)| Some((there(folder)?, folder, *votes)));
        if let Some((file, folder, votes)) = found.next() {
            let is_given = *folder == self.context.folder || folder.is_empty();
            let rivals: Vec<String> =
                found.filter(|(_, _, other)| *other == votes).map(|(file, ..)| file).collect();
            if is_given || rivals.is_empty() {
                return file;
            }
            let several = std::iter::once(file).chain(rivals).collect();
            self.ambiguous.insert(path.to_owned(), several);
            return path.to_owned();
        }
        if let Some(file) = there(&self.context.folder).or_else(|| there("")) {
            return file;
        }
        if path.contains("../") {
            let end = path.rsplit("../").next().unwrap_or(path);
            let mut ends = files.ending_with(end);
            if let (Some(only), None) = (ends.next(), ends.next()) {
                return only.to_owned();
            }
        }
        let folder =
            self.folders.first().map_or(self.context.folder.as_str(), |(folder, _)| folder);
        join(folder, path).unwrap_or_else(|| path.to_owned())
    }

    /// Splits off the name of a function in front of a path, if there may be one.
    fn split_function_name(&self, path: &str, is_named: bool) -> (String, Option<String>) {
        if !is_named {
            return (path.to_owned(), None);
        }
        let mut cut = 0;
        for _ in 0..8 {
            let rest = &path[cut..];
            if self.context.files.ending_with(rest).next().is_some() || is_absolute(rest) {
                let name = path[..cut].trim();
                return (rest.to_owned(), Some(name.to_owned()).filter(|name| !name.is_empty()));
            }
            match rest.find(' ') {
                Some(blank) => cut += blank + 1,
                None => break,
            }
        }
        match path.split_once(' ') {
            Some((name, rest)) if !name.contains('/') => (rest.to_owned(), Some(name.to_owned())),
            _ => (path.to_owned(), None),
        }
    }
}

pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

/// Normalizes a path: no URL, no backslashes, no `.`.
pub(super) fn normalize_path(raw: &str) -> String {
    let raw = raw.trim();
    let path = match raw.strip_prefix("file:") {
        Some(rest) => {
            let path = decode(rest.strip_prefix("//").unwrap_or(rest));
            // `file:///C:/…` is a Windows path.
            let has_drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
            if has_drive { path[1..].to_owned() } else { path }
        }
        None => raw.to_owned(),
    };
    let is_windows = path.as_bytes().get(1) == Some(&b':') || !path.contains('/');
    let path = if is_windows && path.contains('\\') { path.replace('\\', "/") } else { path };
    let start = if path.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{start}{}", parts.join("/"))
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |byte: u8| char::from(byte).to_digit(16);
        if let (b'%', [high, low, after @ ..]) = (first, tail)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
            rest = after;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Joins a folder and a path; none if the result is outside the repository.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}
