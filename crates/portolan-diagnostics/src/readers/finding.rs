//! What a reader finds: the words of a tool, before anybody looked at the repository.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It fails.
    Error,
    /// It may be wrong.
    Warning,
    /// For information.
    Info,
    /// A hint of an editor.
    Hint,
}

impl Severity {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }

    /// What the words of the tools mean. Words that no tool has are errors.
    pub(crate) fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "warning" | "warn" | "⚠" | "!" => Self::Warning,
            "info" | "information" | "note" | "notice" | "message" | "i" | "remark" => Self::Info,
            "hint" | "help" | "none" => Self::Hint,
            _ => Self::Error,
        }
    }
}

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    /// UTF-16 code units.
    #[default]
    Utf16,
    /// Code points.
    CodePoint,
    /// Bytes of UTF-8.
    Byte,
    /// Cells of a terminal: tabs to 8, wide characters two.
    Display,
}

impl ColumnUnit {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf16 => "utf16",
            Self::CodePoint => "codepoint",
            Self::Byte => "utf8-byte",
            Self::Display => "display",
        }
    }
}

/// A place as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The path, in the tool's spelling.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1, in the tool's unit.
    pub col: Option<u32>,
    /// What is there: a message, or the function of a frame.
    pub message: String,
    /// Whether the name of a function may stand in front of the path, with nothing but a space between.
    pub named: bool,
}

impl Spot {
    pub(crate) fn new(file: impl Into<String>, line: Option<u32>, col: Option<u32>) -> Self {
        let col = col.map(|col| col.max(1));
        Self { file: file.into(), line, col, message: String::new(), named: false }
    }

    pub(crate) fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

/// Why a failure happened, with a stack of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// Its message, with its class.
    pub message: String,
    /// Its frames, innermost first.
    pub frames: Vec<Spot>,
}

/// The source line that a tool printed below a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Whether the tool left out the indentation, and counts columns from there.
    pub trimmed: bool,
}

/// A diagnostic as a tool printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The format it was read by.
    pub format: &'static str,
    /// The tool.
    pub tool: String,
    /// How bad it is.
    pub severity: Severity,
    /// The code or class of error.
    pub code: Option<String>,
    /// The first line.
    pub message: String,
    /// The lines after the first.
    pub notes: Vec<String>,
    /// The place, where the tool says it plainly.
    pub place: Option<Spot>,
    /// Its end: line, and column after the last.
    pub end: Option<(u32, u32)>,
    /// Other places.
    pub related: Vec<Spot>,
    /// A stack, innermost first: the place is the first that is the repository's own.
    pub frames: Vec<Spot>,
    /// What caused it, innermost last.
    pub causes: Vec<Cause>,
    /// Where no frame is the repository's own.
    pub fallback: Option<Spot>,
    /// The test's name.
    pub test: Option<String>,
    /// Where the test is.
    pub test_at: Option<Spot>,
    /// What its columns count.
    pub unit: ColumnUnit,
    /// The line at the place, as printed.
    pub excerpt: Option<Excerpt>,
    /// The folder that relative paths are seen from, where the output names it.
    pub folder: Option<String>,
    /// The package that a bare file name is in (Go).
    pub package: Option<String>,
    /// Whether it is a guess that counts only where its file is there.
    pub guessed: bool,
}

impl Finding {
    pub(crate) fn new(
        format: super::Format,
        tool: impl Into<String>,
        severity: Severity,
        message: &str,
    ) -> Self {
        let mut lines = message.lines();
        let first = lines.next().unwrap_or_default().trim().to_owned();
        let notes = lines.map(|line| line.trim_end().to_owned()).collect();
        Self {
            format: format.name(),
            tool: tool.into(),
            severity,
            code: None,
            message: first,
            notes,
            place: None,
            end: None,
            related: Vec::new(),
            frames: Vec::new(),
            causes: Vec::new(),
            fallback: None,
            test: None,
            test_at: None,
            unit: ColumnUnit::Utf16,
            excerpt: None,
            folder: None,
            package: None,
            guessed: false,
        }
    }

    pub(crate) fn at(mut self, spot: Spot) -> Self {
        self.place = Some(spot);
        self
    }

    pub(crate) fn code(mut self, code: Option<impl Into<String>>) -> Self {
        self.code = code.map(Into::into).filter(|code: &String| !code.is_empty());
        self
    }

    pub(crate) fn unit(mut self, unit: ColumnUnit) -> Self {
        self.unit = unit;
        self
    }

    pub(crate) fn end(mut self, line: Option<u32>, col: Option<u32>) -> Self {
        self.end = line.zip(col);
        self
    }
}
