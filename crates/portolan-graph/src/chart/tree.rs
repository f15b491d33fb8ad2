//! The tree of folders of a list of files.

use super::ChartFile;
use portolan_types::FileId;

/// The index of the root.
pub(super) const ROOT: u32 = 0;

/// A folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Folder<'a> {
    /// Its own name; empty for the root.
    pub(super) name: &'a str,
    pub(super) parent: u32,
    /// Its subfolders, sorted by path.
    pub(super) folders: Vec<u32>,
    /// Its files, sorted by path.
    pub(super) files: Vec<FileId>,
    /// Everything below it.
    pub(super) all: Sum,
}

/// Totals of some files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) files: u32,
    pub(super) code: u32,
    pub(super) tokens: u64,
}

impl Sum {
    pub(super) fn of(file: &ChartFile<'_>) -> Self {
        Self { files: 1, code: u32::from(file.is_code), tokens: u64::from(file.tokens) }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.files += other.files;
        self.code += other.code;
        self.tokens += other.tokens;
    }

    /// The weight of a folder when folders are split: mostly its code, the rest a little.
    pub(super) fn weight(self) -> u32 {
        self.code.saturating_mul(8).saturating_add(self.files - self.code)
    }
}

/// The folders, each after its parent.
pub(super) struct Tree<'a> {
    pub(super) folders: Vec<Folder<'a>>,
    /// The folder of each file.
    pub(super) of_file: Vec<u32>,
    /// The folders that the files of each folder use, once per use; empty until [`Tree::link`] is
    /// called.
    pub(super) links: Vec<Vec<u32>>,
}

impl<'a> Tree<'a> {
    /// Builds the tree of files that are sorted by path.
    pub(super) fn new(files: &[ChartFile<'a>]) -> Self {
        let mut tree = Self {
            folders: vec![Folder::default()],
            of_file: Vec::with_capacity(files.len()),
            links: Vec::new(),
        };
        // The folders of the previous file, with the lengths of their paths.
        let mut way: Vec<(u32, usize)> = Vec::new();
        let mut before = "";
        for (file, place) in files.iter().zip(FileId::all()) {
            let folder = file.path.rfind('/').map_or("", |end| &file.path[..end]);
            let shared = |end: usize| {
                folder.get(..end) == before.get(..end)
                    && (folder.len() == end || folder.as_bytes().get(end) == Some(&b'/'))
            };
            while way.last().is_some_and(|(_, end)| !shared(*end)) {
                way.pop();
            }
            let mut start = way.last().map_or(0, |(_, end)| end + 1);
            while start < folder.len() {
                let end = folder[start..].find('/').map_or(folder.len(), |at| start + at);
                let parent = way.last().map_or(ROOT, |(parent, _)| *parent);
                way.push((tree.make(parent, &folder[start..end]), end));
                start = end + 1;
            }
            let at = way.last().map_or(ROOT, |(at, _)| *at);
            tree.folders[at as usize].files.push(place);
            tree.folders[at as usize].all.add(Sum::of(file));
            tree.of_file.push(at);
            before = folder;
        }
        for at in (1..tree.folders.len()).rev() {
            let all = tree.folders[at].all;
            let parent = tree.folders[at].parent as usize;
            tree.folders[parent].all.add(all);
        }
        tree
    }

    /// Finds the dependencies between folders.
    pub(super) fn link(&mut self, uses: impl Fn(FileId) -> Vec<FileId>) {
        self.links = vec![Vec::new(); self.folders.len()];
        for (file, folder) in FileId::all().zip(&self.of_file) {
            let targets = uses(file).into_iter().map(|target| self.of_file[target.index()]);
            self.links[*folder as usize].extend(targets.filter(|target| target != folder));
        }
    }

    /// Whether a folder is, or is below, another one.
    pub(super) fn is_within(&self, mut at: u32, folder: u32) -> bool {
        while at != folder && at != ROOT {
            at = self.folders[at as usize].parent;
        }
        at == folder
    }

    fn make(&mut self, parent: u32, name: &'a str) -> u32 {
        let at = self.folders.len() as u32;
        self.folders.push(Folder { name, parent, ..Folder::default() });
        self.folders[parent as usize].folders.push(at);
        at
    }

    /// The path of a folder; empty for the root.
    pub(super) fn path(&self, mut at: u32) -> String {
        let mut names = Vec::new();
        while at != ROOT {
            names.push(self.folders[at as usize].name);
            at = self.folders[at as usize].parent;
        }
        names.reverse();
        names.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::{ROOT, Tree};
    use crate::chart::ChartFile;

    #[test]
    fn folders_are_found_in_any_neighbourhood() {
        let paths = ["a-b/x", "a.ts", "a/b/c/y", "a/bc/z", "ab/q", "top"];
        let files =
            paths.map(|path| ChartFile { path, tokens: 1, is_code: true, is_manifest: false });
        let tree = Tree::new(&files);
        let folders: Vec<String> = tree.of_file.iter().map(|at| tree.path(*at)).collect();
        assert_eq!(folders, ["a-b", "", "a/b/c", "a/bc", "ab", ""]);
        assert_eq!(tree.folders[ROOT as usize].all.files, 6);
        let a = tree.folders.iter().find(|folder| folder.name == "a").unwrap();
        assert_eq!(a.all.files, 2);
    }
}
