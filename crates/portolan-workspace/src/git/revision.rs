//! The files of a repository as of a commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use portolan_vfs::{FileKind, System};

use super::belonging::{Owned, is_checked_out, unavailable};
use super::index::GitIndex;
use super::objects::{Id, ObjectKind, ObjectStore, hex, parse_id};
use super::sha1::blob_id;
use super::{DOT_GIT, Git, GitEnvironment};
use crate::agent_files::{is_only_ours, may_be_ours};

/// The most commits that are searched for one that only another store has.
const MOST_OWN_COMMITS: usize = 10_000;

/// What a repository takes from the stores of others.
enum Borrowed {
    /// Nothing of its history.
    Nothing,
    /// Its history from a commit on.
    From(Id),
}

/// The longest chain of refs and parents from a name to a commit.
const MOST_STEPS: usize = 4096;
/// Limits for a commit: files, folders, and the total size of its trees.
const MOST_FILES: usize = 2_000_000;
const MOST_FOLDERS: usize = 500_000;
const MOST_TREE_BYTES: usize = 1 << 30;
/// The longest path that can be opened.
const MOST_PATH: usize = 4096;

/// A commit.
pub struct Revision<'a> {
    system: &'a dyn System,
    objects: ObjectStore<'a>,
    commit: Id,
    /// The files below the root.
    files: BTreeMap<String, Id>,
    /// The index's stat records: size, time and content id of files on the disk.
    stamps: BTreeMap<String, super::index::StatRecord>,
    root: PathBuf,
}

/// Why there is no revision where no folder has a `.git`.
pub const NOT_A_REPOSITORY: &str = "not a git repository";

/// The repository that contains a folder.
pub(super) struct RepositoryHandle<'a> {
    pub(super) objects: ObjectStore<'a>,
    git_dir: PathBuf,
    common: PathBuf,
    /// The folder's path from the top.
    pub(super) below: String,
    system: &'a dyn System,
    owned: Owned,
}

impl<'a> RepositoryHandle<'a> {
    pub(super) fn open(system: &'a dyn System, root: &Path) -> Result<Self, String> {
        let top = root
            .ancestors()
            .find(|folder| system.lstat(&folder.join(DOT_GIT)).is_ok())
            .ok_or(NOT_A_REPOSITORY)?;
        let environment = GitEnvironment::default();
        let git = Git { system, environment: &environment };
        let git_dir = git.git_dir(&top.join(DOT_GIT))?;
        let common = git.common_dir(&git_dir)?;
        let owned = Owned::new(system, top, &git_dir, &common)?;
        let store = common.join("objects");
        let is_own = |path: &Path| owned.contains(system, path);
        if system.lstat(&store).is_ok() && !is_own(&store) {
            return Err(unavailable("its objects are those of another repository"));
        }
        let objects = ObjectStore::open(system, &store, &|_| true);
        let below =
            root.strip_prefix(top).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
        let is_shared = objects.has_other(&is_own);
        let own = is_shared.then(|| ObjectStore::open(system, &store, &is_own));
        let mut handle = Self { objects, git_dir, common, below, system, owned };
        let Some(own) = own else { return Ok(handle) };
        match handle.borrowed(&own) {
            Borrowed::Nothing => handle.objects = own,
            Borrowed::From(commit) => {
                let index = handle.index().unwrap_or_default();
                if !is_checked_out(&handle.objects, &commit, &index) {
                    return Err(unavailable("its objects are those of another repository"));
                }
            }
        }
        Ok(handle)
    }

    /// The newest commit of the history that only another store has. A repository that keeps all of its own history needs no
    /// other: what is in there is somebody else's.
    fn borrowed(&self, own: &ObjectStore<'_>) -> Borrowed {
        let Ok(mut commit) = self.commit("HEAD") else { return Borrowed::Nothing };
        for _ in 0..MOST_OWN_COMMITS {
            match parents(own, &commit) {
                Err(_) => return Borrowed::From(commit),
                Ok(all) => match all.first() {
                    Some(parent) => commit = *parent,
                    None => return Borrowed::Nothing,
                },
            }
        }
        Borrowed::Nothing
    }

    /// Its own git folder.
    pub(super) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git folder shared by all its work trees.
    pub(super) fn common(&self) -> &Path {
        &self.common
    }

    /// Resolves a revision to a commit.
    pub(super) fn commit(&self, name: &str) -> Result<Id, String> {
        let Self { system, git_dir, common, owned, .. } = self;
        let refs = Refs { system: *system, git_dir, common, owned };
        refs.resolve(&self.objects, name)
    }

    fn index(&self) -> Option<GitIndex> {
        let environment = GitEnvironment::default();
        Git { system: self.system, environment: &environment }.index(&self.git_dir, 20).ok()
    }

    /// The commit where the checked-out branch left the main branch.
    fn fork(&self) -> Result<Id, String> {
        let head = self.commit("HEAD")?;
        let main = MAIN.iter().find_map(|name| self.commit(name).ok());
        let main = main.ok_or("there is no main branch to compare with")?;
        fork(&self.objects, head, main)
    }
}

/// Names of main branches, in order of preference.
const MAIN: &[&str] = &["origin/HEAD", "origin/main", "origin/master", "main", "master"];
/// How many commits to search for a merge base.
const MOST_COMMITS: usize = 20_000;

/// The latest common ancestor of two commits.
fn fork(objects: &ObjectStore<'_>, left: Id, right: Id) -> Result<Id, String> {
    let mut marks: BTreeMap<Id, u8> = BTreeMap::new();
    let mut open: BTreeMap<(u64, Id), u8> = BTreeMap::new();
    for (id, mark) in [(left, 1), (right, 2)] {
        *open.entry((time(objects, &id)?, id)).or_default() |= mark;
    }
    while let Some(((_, id), mark)) = open.pop_last() {
        let mark = mark | marks.get(&id).copied().unwrap_or(0);
        if mark == 3 {
            return Ok(id);
        }
        if marks.insert(id, mark) == Some(mark) {
            continue;
        }
        if marks.len() > MOST_COMMITS {
            break;
        }
        for parent in parents(objects, &id)? {
            // A shallow clone ends somewhere.
            if let Ok(time) = time(objects, &parent) {
                *open.entry((time, parent)).or_default() |= mark;
            }
        }
    }
    Err("no common commit of the branches was found".to_owned())
}

/// The time of a commit.
fn time(objects: &ObjectStore<'_>, id: &Id) -> Result<u64, String> {
    let text = commit(objects, id)?;
    let line = head_lines(&text).find_map(|line| line.strip_prefix("committer "));
    let time = line.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
    Ok(time.unwrap_or_default())
}

impl<'a> Revision<'a> {
    /// Opens a revision of the repository that contains a folder: `HEAD`, a branch, a tag or a commit, each
    /// with `~N` or `^`. The error says what is missing.
    pub fn open(system: &'a dyn System, root: &Path, name: &str) -> Result<Self, String> {
        let repository = RepositoryHandle::open(system, root)?;
        let commit = repository.commit(name)?;
        Self::at(repository, root, commit)
    }

    /// Opens the commit where the checked-out branch left the main branch.
    pub fn open_fork(system: &'a dyn System, root: &Path) -> Result<Self, String> {
        let repository = RepositoryHandle::open(system, root)?;
        let commit = repository.fork()?;
        Self::at(repository, root, commit)
    }

    /// Opens the latest common ancestor of two revisions.
    pub fn open_common(
        system: &'a dyn System,
        root: &Path,
        left: &str,
        right: &str,
    ) -> Result<Self, String> {
        let repository = RepositoryHandle::open(system, root)?;
        let commit =
            fork(&repository.objects, repository.commit(left)?, repository.commit(right)?)?;
        Self::at(repository, root, commit)
    }

    fn at(repository: RepositoryHandle<'a>, root: &Path, commit: Id) -> Result<Self, String> {
        let tree = tree_of(&repository.objects, &commit)?;
        let index = repository.index().unwrap_or_default();
        let files = files(&repository.objects, tree, &repository.below, &index)?;
        let stamps = index.stamps(&repository.below);
        let RepositoryHandle { objects, system, .. } = repository;
        Ok(Self { system, objects, commit, files, stamps, root: root.to_path_buf() })
    }

    /// The files that differ from another revision of the repository, by path.
    pub fn differing(&self, other: &Revision<'_>) -> Vec<String> {
        let own = self.files.iter().filter(|(path, id)| other.files.get(*path) != Some(id));
        let added = other.files.keys().filter(|path| !self.files.contains_key(*path));
        let mut paths: Vec<String> = own.map(|(path, _)| path).chain(added).cloned().collect();
        paths.sort_unstable();
        paths
    }

    /// Whether a file on the disk equals its version in this revision.
    pub fn has_today(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|id| self.is_same(path, id))
    }

    /// Whether the revision has a file.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The commit's id.
    pub fn id(&self) -> String {
        hex(&self.commit)
    }

    /// The files, by path from the root.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The content of a file in this revision.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let (kind, bytes) = self.objects.read(self.files.get(path)?).ok()?;
        (kind == ObjectKind::Blob).then_some(bytes)
    }

    /// Which of the given files changed since this revision: modified, new or deleted. A path on the disk that is not
    /// among them is not checked: a link, or a file that the settings leave out.
    pub fn changed<'p>(&self, today: impl Iterator<Item = &'p str>) -> Vec<String> {
        let mut changed: Vec<String> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut others = BTreeMap::new();
        for path in today {
            seen.insert(path);
            let is_as_it_was = match self.files.get(path) {
                Some(id) => self.is_same(path, id),
                None => self.is_of_another(path, &mut others),
            };
            if !is_as_it_was {
                changed.push(path.to_owned());
            }
        }
        let others = self.files.iter().filter(|(path, _)| !seen.contains(path.as_str()));
        changed.extend(
            others.filter(|(path, id)| self.is_gone(path, id)).map(|(path, _)| path.clone()),
        );
        // What `init --agents` wrote is no change of the user's.
        changed.retain(|path| !may_be_ours(path) || !self.is_only_ours(path));
        changed.sort_unstable();
        changed
    }

    fn is_only_ours(&self, path: &str) -> bool {
        let before = self.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let after = self.system.read(&self.root.join(path)).map(String::from_utf8);
        let Ok(Ok(after)) = after else { return false };
        is_only_ours(path, before.as_deref(), &after)
    }

    /// Whether a file belongs to a nested repository, such as a submodule. This repository's commits do not have it.
    fn is_of_another<'p>(&self, path: &'p str, known: &mut BTreeMap<&'p str, bool>) -> bool {
        let is_repository =
            |folder: &&str| self.system.lstat(&self.root.join(folder).join(".git")).is_ok();
        path.match_indices('/')
            .filter_map(|(at, _)| path.get(..at))
            .any(|folder| *known.entry(folder).or_insert_with(|| is_repository(&folder)))
    }

    /// Whether a file was deleted, or a link now points elsewhere.
    fn is_gone(&self, path: &str, id: &Id) -> bool {
        match self.system.lstat(&self.root.join(path)) {
            Ok(stat) if stat.kind == FileKind::Link => !self.is_same(path, id),
            Ok(stat) => stat.kind == FileKind::Dir,
            Err(_) => true,
        }
    }

    /// Whether a file has the content with this id. Trusts the index's stat records, as git does.
    fn is_same(&self, path: &str, id: &Id) -> bool {
        let absolute = self.root.join(path);
        if let Ok(stat) = self.system.lstat(&absolute) {
            if let Some(stamp) = self.stamps.get(path)
                && stamp.fits(stat.size, stat.mtime_ns)
            {
                return stamp.id == *id;
            }
            if stat.kind == FileKind::Link {
                return self.is_same_link(&absolute, id);
            }
        }
        let Ok(bytes) = self.system.read(&absolute) else { return false };
        blob_id(&bytes) == *id || {
            // Line endings may be converted in the work tree.
            bytes.contains(&b'\r') && blob_id(&without_returns(&bytes)) == *id
        }
    }

    /// Whether a link has the target that this content names: git stores a link's target, not the file there.
    fn is_same_link(&self, link: &Path, id: &Id) -> bool {
        let Ok((ObjectKind::Blob, bytes)) = self.objects.read(id) else { return false };
        let Ok(target) = std::str::from_utf8(&bytes) else { return false };
        if target.is_empty() || target.len() > MOST_PATH || target.contains('\n') {
            return false;
        }
        let meant = link.parent().unwrap_or(link).join(target);
        match (self.system.real_path(link), self.system.real_path(&meant)) {
            (Ok(there), Ok(meant)) => there == meant,
            (Err(_), Err(_)) => true,
            _ => false,
        }
    }
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(byte);
        }
    }
    out
}

struct Refs<'a> {
    system: &'a dyn System,
    git_dir: &'a Path,
    common: &'a Path,
    owned: &'a Owned,
}

impl Refs<'_> {
    fn resolve(&self, objects: &ObjectStore<'_>, name: &str) -> Result<Id, String> {
        let unknown = || format!("no such revision: `{name}`");
        let base_end = name.find(['~', '^']).unwrap_or(name.len());
        let (base, mut steps) = name.split_at(base_end);
        let mut commit = self
            .find(base)
            .or_else(|| parse_id(base))
            .or_else(|| {
                let is_short = base.len() >= 4 && base.bytes().all(|byte| byte.is_ascii_hexdigit());
                is_short.then(|| objects.by_prefix(base)).flatten()
            })
            .ok_or_else(unknown)?;
        while !steps.is_empty() {
            let rest = &steps[1..];
            let digits = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
            let count: usize =
                if digits == 0 { 1 } else { rest[..digits].parse().map_err(|_| unknown())? };
            let (times, parent) = if steps.starts_with('~') { (count, 1) } else { (1, count) };
            if times > MOST_STEPS {
                return Err(unknown());
            }
            for _ in 0..times {
                commit = parents(objects, &commit)?
                    .get(parent.wrapping_sub(1))
                    .copied()
                    .ok_or_else(unknown)?;
            }
            steps = &rest[digits..];
        }
        Ok(commit)
    }

    /// The object that a name points to.
    fn find(&self, name: &str) -> Option<Id> {
        let is_safe = !name.is_empty() && !name.contains("..") && !name.starts_with('/');
        let mut names: Vec<String> = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
            .iter()
            .map(|folder| format!("{folder}{name}"))
            .filter(|_| is_safe)
            .collect();
        for _ in 0..8 {
            let text = names.iter().find_map(|name| {
                [self.git_dir, self.common].iter().find_map(|folder| {
                    let path = folder.join(name);
                    // A link would name a commit of another repository.
                    let is_own = self.owned.contains(self.system, &path);
                    let bytes = self.system.read_at_most(&path, 4096).ok().filter(|_| is_own)?;
                    String::from_utf8(bytes).ok()
                })
            });
            let Some(text) = text else { return self.packed(&names) };
            match text.trim().strip_prefix("ref:").map(str::trim) {
                Some(next) if !next.contains("..") => names = vec![next.to_owned()],
                Some(_) => return None,
                None => return parse_id(&text),
            }
        }
        None
    }

    fn packed(&self, names: &[String]) -> Option<Id> {
        let path = self.common.join("packed-refs");
        let is_own = self.owned.contains(self.system, &path);
        let bytes = self.system.read_at_most(&path, 64 << 20).ok().filter(|_| is_own)?;
        let text = String::from_utf8_lossy(&bytes);
        names.iter().find_map(|wanted| {
            text.lines().find_map(|line| {
                let (id, name) = line.split_once(' ')?;
                (name == wanted).then(|| parse_id(id)).flatten()
            })
        })
    }
}

/// Reads a commit, following tags.
fn commit(objects: &ObjectStore<'_>, id: &Id) -> Result<String, String> {
    let mut id = *id;
    for _ in 0..8 {
        let (kind, bytes) = objects.read(&id)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match kind {
            ObjectKind::Commit => return Ok(text),
            ObjectKind::Tag => {
                let object = text.lines().find_map(|line| line.strip_prefix("object "));
                id = object.and_then(parse_id).ok_or("a tag points to nothing")?;
            }
            ObjectKind::Tree | ObjectKind::Blob => break,
        }
    }
    Err(format!("{} is not a commit", hex(&id)))
}

fn head_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| !line.is_empty())
}

pub(super) fn tree_of(objects: &ObjectStore<'_>, id: &Id) -> Result<Id, String> {
    let text = commit(objects, id)?;
    let tree = head_lines(&text).find_map(|line| line.strip_prefix("tree "));
    tree.and_then(parse_id).ok_or_else(|| "a commit has no tree".to_owned())
}

pub(super) fn parents(objects: &ObjectStore<'_>, id: &Id) -> Result<Vec<Id>, String> {
    let text = commit(objects, id)?;
    Ok(head_lines(&text)
        .filter_map(|line| line.strip_prefix("parent "))
        .filter_map(parse_id)
        .collect())
}

/// The first parent of a commit, and the beginning of its message.
pub(super) fn message(objects: &ObjectStore<'_>, id: &Id) -> Result<(Option<Id>, String), String> {
    let text = commit(objects, id)?;
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let parent = head.lines().find_map(|line| line.strip_prefix("parent ")).and_then(parse_id);
    let end = message.floor_char_boundary(super::history::LONGEST_MESSAGE);
    Ok((parent, message[..end].to_owned()))
}

/// All files of a tree below a folder. Skips reading a folder that the index knows to equal its tree. Nothing
/// verifies that a tree's content matches its id, so a tree may contain itself; the limits bound the work.
fn files(
    objects: &ObjectStore<'_>,
    tree: Id,
    below: &str,
    index: &GitIndex,
) -> Result<BTreeMap<String, Id>, String> {
    let mut files = BTreeMap::new();
    let known = index.trees();
    let mut open = vec![(String::new(), tree)];
    let inside = if below.is_empty() { String::new() } else { format!("{below}/") };
    let (mut folders, mut read) = (0, 0);
    while let Some((folder, id)) = open.pop() {
        if known.get(folder.as_str()) == Some(&id) {
            files.extend(
                index
                    .files(&folder)
                    .filter_map(|(path, id)| Some((path.strip_prefix(&inside)?.to_owned(), id))),
            );
            continue;
        }
        let (_, bytes) = objects.read(&id)?;
        folders += 1;
        read += bytes.len();
        for (mode, name, id) in entries(&bytes) {
            let path = format!("{folder}{name}");
            match mode {
                TREE | "040000" => {
                    let path = format!("{path}/");
                    if path.starts_with(&inside) || inside.starts_with(&path) {
                        open.push((path, id));
                    }
                }
                SUBMODULE => {}
                _ => {
                    if let Some(path) = path.strip_prefix(&inside) {
                        files.insert(path.to_owned(), id);
                    }
                }
            }
        }
        let most_open = open.last().map_or(0, |(path, _)| path.len());
        if files.len() > MOST_FILES
            || open.len() > MOST_FILES
            || folders > MOST_FOLDERS
            || read > MOST_TREE_BYTES
            || most_open > MOST_PATH
        {
            return Err("a commit has too many files or folders".to_owned());
        }
    }
    Ok(files)
}

/// The mode of a folder in a tree.
pub(super) const TREE: &str = "40000";
/// The mode of a submodule in a tree.
pub(super) const SUBMODULE: &str = "160000";

/// The entries of a tree: mode, name and id.
pub(super) fn entries(bytes: &[u8]) -> impl Iterator<Item = (&str, &str, Id)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        loop {
            let end = rest.iter().position(|&byte| byte == 0)?;
            let head = rest.get(..end)?;
            let id = rest.get(end + 1..end + 21).and_then(|id| Id::try_from(id).ok())?;
            rest = rest.get(end + 21..)?;
            // A name that is not UTF-8 cannot be one of our files.
            if let Some((mode, name)) =
                std::str::from_utf8(head).ok().and_then(|it| it.split_once(' '))
            {
                return Some((mode, name, id));
            }
        }
    })
}
