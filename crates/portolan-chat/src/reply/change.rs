//! What a reply asks for, file by file, whatever the form it was written in.

/// One change that a reply asks for.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// The line that names it, or that opens its block.
    pub line: usize,
    /// What is to be done.
    pub what: What<'a>,
    /// Whether a [`Problem`] was told of it: it is looked at, and never applied.
    pub is_broken: bool,
}

/// What is to be done with a file.
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// Parts of it are replaced.
    Edit {
        /// Which file.
        path: Name,
        /// Which parts.
        hunks: Vec<Hunk<'a>>,
        /// The mode it gets, where one is said.
        mode: Option<FileMode>,
    },
    /// It is made.
    Create {
        /// Which file.
        path: Name,
        /// Its lines.
        lines: Vec<&'a str>,
        /// Whether its last line has no line end.
        is_unended: bool,
        /// The mode it gets, where one is said.
        mode: Option<FileMode>,
    },
    /// It gets this text, whether it is there or not.
    Replace {
        /// Which file.
        path: Name,
        /// Its lines.
        lines: Vec<&'a str>,
    },
    /// It goes away.
    Delete {
        /// Which file.
        path: Name,
        /// What it is said to have: all of it; `None` where nothing is said.
        hunks: Option<Vec<Hunk<'a>>>,
    },
    /// It gets another name and may be edited.
    Move {
        /// Which file.
        from: Name,
        /// Its new name.
        to: Name,
        /// What is edited.
        hunks: Vec<Hunk<'a>>,
        /// The mode it gets, where one is said.
        mode: Option<FileMode>,
    },
    /// Another file is made of it.
    Copy {
        /// Which file.
        from: Name,
        /// The file that is made.
        to: Name,
        /// What is edited in the copy.
        hunks: Vec<Hunk<'a>>,
        /// The mode it gets, where one is said.
        mode: Option<FileMode>,
    },
    /// A folder is made.
    MakeFolder(Name),
    /// An empty folder goes away.
    RemoveFolder(Name),
}

/// The modes that a file may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// `100644`.
    Plain,
    /// `100755`.
    Executable,
}

/// A file as a reply names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As it is written.
    pub written: String,
    /// Without the `a/` or `b/` that a diff puts in front, where it has one.
    pub bare: Option<String>,
}

impl Name {
    /// A name that is what it says.
    pub fn plain(text: &str) -> Self {
        Self { written: text.to_owned(), bare: None }
    }
}

/// A run of lines that are kept, dropped and added.
#[derive(Clone, Debug, Default)]
pub struct Hunk<'a> {
    /// Where in the reply it begins.
    pub line: usize,
    /// Which line of the file it is said to begin at, from 0; `None` where it is not said.
    pub at: Option<usize>,
    /// Lines of the file that it is said to stand behind, outermost first.
    pub anchors: Vec<&'a str>,
    /// Its lines.
    pub lines: Vec<(Mark, &'a str)>,
    /// Whether it is said that the old last line has no line end.
    pub is_old_unended: bool,
    /// Whether it is said that the new last line has no line end.
    pub is_new_unended: bool,
    /// Whether it is said to be the end of the file.
    pub is_at_end: bool,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is there and stays.
    Keep,
    /// It is there and goes.
    Drop,
    /// It is added.
    Add,
}

impl<'a> Hunk<'a> {
    /// The lines that it finds.
    pub fn old(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(|(mark, _)| *mark != Mark::Add).map(|(_, text)| *text)
    }

    /// The lines that it leaves.
    pub fn new_lines(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(|(mark, _)| *mark != Mark::Drop).map(|(_, text)| *text)
    }

    /// Whether it changes anything.
    pub fn changes_something(&self) -> bool {
        self.lines.iter().any(|(mark, _)| *mark != Mark::Keep)
            || self.is_old_unended != self.is_new_unended
    }
}

/// Something that looks like a patch and cannot be taken for one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub line: usize,
    /// Of which kind.
    pub kind: ProblemKind,
    /// What is there.
    pub message: String,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A patch names no file.
    NoName,
    /// A patch cannot be read.
    Unread,
    /// A file operation cannot be read.
    Operation,
    /// A patch makes something that is no ordinary file.
    Special,
}
