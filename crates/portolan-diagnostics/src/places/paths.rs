//! Which file a printed path means.

use std::collections::{BTreeMap, BTreeSet};


use super::{Ground, Place};
use crate::readers::{Finding, Spot};

/// Parts of absolute paths that are never the repository's, wherever that is.
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

pub(super) struct Paths<'g> {
    ground: &'g Ground,
    absolute: BTreeSet<String>,
    relative: BTreeSet<String>,
    /// The repository's folder on the machine that printed, where that is another.
    foreign: Option<String>,
    /// Folders that tools ran in, the likeliest first, with what speaks for them.
    folders: Vec<(String, usize)>,
    pub(super) ambiguous: BTreeMap<String, Vec<String>>,
}

impl<'g> Paths<'g> {
    pub(super) fn new(ground: &'g Ground) -> Self {
        Self {
            ground,
            absolute: BTreeSet::new(),
            relative: BTreeSet::new(),
            foreign: None,
            folders: Vec::new(),
            ambiguous: BTreeMap::new(),
        }
    }

    /// Takes note of a path, before any is decided.
    pub(super) fn hear(&mut self, raw: &str, is_named: bool, finding: &Finding) {
        let path = self.unnamed(&normal(raw), is_named).0;
        if is_absolute(&path) {
            self.absolute.insert(path);
        } else if finding.folder.is_none() && finding.package.is_none() {
            self.relative.insert(path);
        }
    }

    /// Decides what explains most of what was heard.
    pub(super) fn decide(&mut self) {
        let files = &self.ground.files;
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
        // A path upwards speaks for a folder where it leads to a file from there.
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
                *folder != self.ground.folder,
                !folder.is_empty(),
                folder.clone(),
            )
        });
        self.folders = folders;
    }

    /// The place of a spot.
    pub(super) fn place(&mut self, spot: &Spot, finding: &Finding) -> Place {
        let (path, name) = self.unnamed(&normal(&spot.file), spot.named);
        let file = self.file(&path, finding);
        let is_there = self.ground.files.contains(&file);
        let message = name.map_or_else(|| spot.message.clone(), |name| format!("at {name}"));
        Place { file, line: spot.line, col: spot.col, message, is_there }
    }

    fn file(&mut self, path: &str, finding: &Finding) -> String {
        if is_absolute(path) {
            return self.of_absolute(path);
        }
        if let Some(package) = &finding.package {
            let whole = format!("{package}/{path}");
            if let Some(end) = self.ground.files.longest_end(&whole) {
                return end.to_owned();
            }
            let near = self.ground.files.nearest(&whole, 1);
            return if let [only] = near[..] { only.to_owned() } else { path.to_owned() };
        }
        if let Some(folder) = finding.folder.as_deref().and_then(|folder| self.known_folder(folder))
            && let Some(joined) = join(&folder, path)
        {
            return joined;
        }
        self.of_relative(path)
    }

    /// A folder that a runner names, as the repository knows it.
    fn known_folder(&self, folder: &str) -> Option<String> {
        let folder = normal(folder);
        if self.ground.files.has_folder(&folder) {
            return Some(folder);
        }
        let below = join(&self.ground.folder, &folder)?;
        self.ground.files.has_folder(&below).then_some(below)
    }

    /// A path below the repository's folder on this machine.
    fn below_root<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.ground.root.as_str())?
            .strip_prefix('/')
            .filter(|_| !self.ground.root.is_empty())
    }

    fn of_absolute(&mut self, path: &str) -> String {
        if let Some(below) = self.below_root(path) {
            return below.to_owned();
        }
        if let Some(below) = self.foreign.as_deref().and_then(|root| path.strip_prefix(root)) {
            return below.to_owned();
        }
        if OUTSIDE.iter().any(|part| path.contains(part)) {
            return path.to_owned();
        }
        // A part of the repository may be all that the other machine had.
        match &self.ground.files.nearest(path, 2)[..] {
            [] => path.to_owned(),
            [only] => (*only).to_owned(),
            several => {
                let several = several.iter().map(|file| (*file).to_owned()).collect();
                self.ambiguous.insert(path.to_owned(), several);
                path.to_owned()
            }
        }
    }

    fn of_relative(&mut self, path: &str) -> String {
        let files = &self.ground.files;
        let there = |folder: &str| join(folder, path).filter(|path| files.contains(path));
        let mut found = self
            .folders
            .iter()
            .filter_map(|(folder, votes)| Some((there(folder)?, folder, *votes)));
        if let Some((file, folder, votes)) = found.next() {
            let is_given = *folder == self.ground.folder || folder.is_empty();
            let rivals: Vec<String> =
                found.filter(|(_, _, other)| *other == votes).map(|(file, ..)| file).collect();
            if is_given || rivals.is_empty() {
                return file;
            }
            let several = std::iter::once(file).chain(rivals).collect();
            self.ambiguous.insert(path.to_owned(), several);
            return path.to_owned();
        }
        if let Some(file) = there(&self.ground.folder).or_else(|| there("")) {
            return file;
        }
        if path.contains("../") {
            let end = path.rsplit("../").next().unwrap_or(path);
            let mut ends = files.ending_with(end);
            if let (Some(only), None) = (ends.next(), ends.next()) {
                return only.to_owned();
            }
        }
        let folder = self.folders.first().map_or(self.ground.folder.as_str(), |(folder, _)| folder);
        join(folder, path).unwrap_or_else(|| path.to_owned())
    }

    /// A path without the name of a function in front, where one may be there.
    fn unnamed(&self, path: &str, is_named: bool) -> (String, Option<String>) {
        if !is_named {
            return (path.to_owned(), None);
        }
        let mut cut = 0;
        for _ in 0..8 {
            let rest = &path[cut..];
            if self.ground.files.ending_with(rest).next().is_some() || is_absolute(rest) {
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

/// A path made plain: no URL, no backslashes, no `.`.
pub(super) fn normal(raw: &str) -> String {
    let raw = raw.trim();
    let path = match raw.strip_prefix("file:") {
        Some(rest) => {
            let path = decode(rest.strip_prefix("//").unwrap_or(rest));
            // `file:///C:/…` is a path of Windows.
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

/// A path seen from a folder; none where it leads out of the repository.
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
