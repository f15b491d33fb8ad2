//! The changes that a reply requests, file by file, in a form that is independent of the patch
//! format.

/// One change that a reply requests.
#[derive(Clone, Debug)]
pub struct RequestedChange<'a> {
    /// The line that names the file, or that opens the block.
    pub line: usize,
    /// The operation.
    pub what: FileOperation<'a>,
    /// Whether it has a [`ReplyProblem`]: such a change is checked, but never applied.
    pub is_broken: bool,
}

/// An operation on a file.
#[derive(Clone, Debug)]
pub enum FileOperation<'a> {
    /// Replaces parts of a file.
    Edit {
        /// The file.
        path: WrittenPath,
        /// The replaced parts.
        hunks: Vec<Hunk<'a>>,
        /// The new mode, if the reply gives one.
        mode: Option<FileMode>,
    },
    /// Creates a file.
    Create {
        /// The file.
        path: WrittenPath,
        /// Its lines. In a unified diff, a line may end with a carriage return.
        lines: Vec<&'a str>,
        /// Whether the last line has no line end.
        lacks_newline: bool,
        /// The mode, if the reply gives one.
        mode: Option<FileMode>,
    },
    /// Gives a file this text, whether it exists or not.
    Replace {
        /// The file.
        path: WrittenPath,
        /// Its lines.
        lines: Vec<&'a str>,
    },
    /// Deletes a file.
    Delete {
        /// The file.
        path: WrittenPath,
        /// The whole text of the file according to the reply; `None` if the reply does not show it.
        hunks: Option<Vec<Hunk<'a>>>,
    },
    /// Renames a file and may edit it.
    Move {
        /// The file.
        from: WrittenPath,
        /// The new name.
        to: WrittenPath,
        /// The edits.
        hunks: Vec<Hunk<'a>>,
        /// The new mode, if the reply gives one.
        mode: Option<FileMode>,
    },
    /// Copies a file.
    Copy {
        /// The file.
        from: WrittenPath,
        /// The copy.
        to: WrittenPath,
        /// The edits of the copy.
        hunks: Vec<Hunk<'a>>,
        /// The mode of the copy, if the reply gives one.
        mode: Option<FileMode>,
    },
    /// Creates a folder.
    MakeFolder(WrittenPath),
    /// Removes an empty folder.
    RemoveFolder(WrittenPath),
}

/// The modes that a reply can give a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// `100644`.
    Plain,
    /// `100755`.
    Executable,
}

/// A path as a reply writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenPath {
    /// The path as written.
    pub written: String,
    /// The path without the `a/` or `b/` prefix of a diff, if it has one.
    pub bare: Option<String>,
}

impl WrittenPath {
    /// A path without a diff prefix.
    pub fn plain(text: &str) -> Self {
        Self { written: text.to_owned(), bare: None }
    }
}

/// A run of kept, deleted and added lines.
#[derive(Clone, Debug, Default)]
pub struct Hunk<'a> {
    /// Its first line in the reply.
    pub line: usize,
    /// The line of the file where it starts, from 0; `None` if the reply does not say.
    pub at: Option<usize>,
    /// The line of the changed file that git looks at first, from 0.
    pub new_at: Option<usize>,
    /// Lines of the file that precede it, outermost first.
    pub anchors: Vec<&'a str>,
    /// Its lines. In a unified diff, a line may end with the carriage return before its line end.
    pub lines: Vec<(LineMark, &'a str)>,
    /// Whether the reply says that the old last line has no line end.
    pub old_lacks_newline: bool,
    /// Whether the reply says that the new last line has no line end.
    pub new_lacks_newline: bool,
    /// Whether the reply says that it is at the end of the file.
    pub is_at_end: bool,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMark {
    /// The line stays.
    Keep,
    /// The line is deleted.
    Drop,
    /// The line is added.
    Add,
}

impl<'a> Hunk<'a> {
    /// The lines before the change.
    pub fn old(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(|(mark, _)| *mark != LineMark::Add).map(|(_, text)| *text)
    }

    /// The lines after the change.
    pub fn new_lines(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(|(mark, _)| *mark != LineMark::Drop).map(|(_, text)| *text)
    }

    /// Whether it has a line that stays.
    pub fn has_context(&self) -> bool {
        self.lines.iter().any(|(mark, _)| *mark == LineMark::Keep)
    }

    /// Whether it changes anything.
    pub fn changes_something(&self) -> bool {
        self.lines.iter().any(|(mark, _)| *mark != LineMark::Keep)
            || self.old_lacks_newline != self.new_lacks_newline
    }
}

/// Text that looks like a patch and cannot be read as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyProblem {
    /// The line in the reply.
    pub line: usize,
    /// Of which kind.
    pub kind: ReplyProblemKind,
    /// The message.
    pub message: String,
}

/// A correction of a patch, which can be applied all the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyNote {
    /// The line in the reply.
    pub line: usize,
    /// The message.
    pub message: String,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReplyProblemKind {
    /// A patch does not name its file.
    NoName,
    /// A patch cannot be read.
    Unread,
    /// A file operation cannot be read.
    Operation,
    /// A patch is for something that is not a regular file.
    Special,
}
