//! The files that a pack shows: read once, and only where they may be shown.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use crate::pack::context::SourceFile;
use portolan_guard::Guard;
use portolan_types::{Notice, NoticeCode, Place, RepoPath};
use portolan_vfs::{System, sha256};

/// A larger file is not shown.
const MOST_BYTES: usize = 8 << 20;

pub(super) struct Texts<'a> {
    system: &'a dyn System,
    root: &'a Path,
    guard: Guard,
    read: RefCell<BTreeMap<String, Option<Rc<SourceFile>>>>,
    notices: RefCell<Vec<Notice>>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(system: &'a dyn System, root: &'a Path, guard: Guard) -> Self {
        Self { system, root, guard, read: RefCell::default(), notices: RefCell::default() }
    }

    /// A file of the repository; none where it can't be read or may not be shown.
    pub(super) fn get(&self, path: &str) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let file = self.load(path).map(Rc::new);
        self.read.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    fn load(&self, path: &str) -> Option<SourceFile> {
        let repo = RepoPath::from_untrusted(path).ok()?;
        let bytes = self.system.read_beneath(self.root, &repo).ok()?;
        if bytes.len() > MOST_BYTES || bytes.contains(&0) {
            return None;
        }
        if let Some(denial) = self.guard.judge(&repo, &bytes) {
            let message =
                format!("it may hold secrets (rule `{}`), so it is not shown", denial.rule);
            self.notices.borrow_mut().push(Notice::at(
                NoticeCode::PackNoFile,
                Place::file(path),
                message,
            ));
            return None;
        }
        let digest = sha256(&bytes).to_string();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(SourceFile { text, sha256: digest, bytes_len: bytes.len() as u64 })
    }

    pub(super) fn into_parts(self) -> (BTreeMap<String, SourceFile>, Vec<Notice>) {
        let read = self.read.into_inner().into_iter();
        let files = read.filter_map(|(path, file)| Some((path, (*file?).clone())));
        (files.collect(), self.notices.into_inner())
    }
}

/// Whether a line has a name as a whole word.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}
