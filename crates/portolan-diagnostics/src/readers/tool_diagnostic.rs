//! A diagnostic as a reader finds it: the words of the tool, before they are matched with the
//! repository.

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A failure.
    Error,
    /// A possible mistake.
    Warning,
    /// Information.
    Info,
    /// An editor's hint.
    Hint,
}

impl Severity {
    /// The name in the pack.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }

    /// The meaning of the tools' words. Unknown words are errors.
    pub(crate) fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "warning" | "warn" | "⚠" | "!" => Self::Warning,
            "info" | "information" | "note" | "notice" | "message" | "i" | "remark" => Self::Info,
            "hint" | "help" | "none" => Self::Hint,
            _ => Self::Error,
        }
    }
}

/// The unit of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    /// UTF-16 code units.
    #[default]
    Utf16,
    /// Code points.
    CodePoint,
    /// Bytes of UTF-8.
    Byte,
    /// Terminal cells: tabs go to multiples of 8, wide characters count twice.
    Display,
}

impl ColumnUnit {
    /// The name in the pack.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf16 => "utf16",
            Self::CodePoint => "codepoint",
            Self::Byte => "utf8-byte",
            Self::Display => "display",
        }
    }
}

/// A location as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedLocation {
    /// The path as the tool spells it.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1, in the tool's unit.
    pub col: Option<u32>,
    /// The message at this location, or the function of a frame.
    pub message: String,
    /// Whether a function name may precede the path, separated only by a space.
    pub named: bool,
}

impl PrintedLocation {
    pub(crate) fn new(file: impl Into<String>, line: Option<u32>, col: Option<u32>) -> Self {
        let col = col.map(|col| col.max(1));
        Self { file: file.into(), line, col, message: String::new(), named: false }
    }

    pub(crate) fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

/// The cause of a failure, with a stack of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The message, with its class.
    pub message: String,
    /// The frames, innermost first.
    pub frames: Vec<PrintedLocation>,
}

/// The source line that a tool printed for a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Whether the tool removed the indentation and counts columns without it.
    pub trimmed: bool,
}

/// A diagnostic as a tool printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDiagnostic {
    /// The format that it was read as.
    pub format: &'static str,
    /// The tool.
    pub tool: String,
    /// The severity.
    pub severity: Severity,
    /// The code or error class.
    pub code: Option<String>,
    /// The first line of the message.
    pub message: String,
    /// The further lines of the message.
    pub notes: Vec<String>,
    /// The location, if the tool states it.
    pub place: Option<PrintedLocation>,
    /// The end: the line, and the column after the last character.
    pub end: Option<(u32, u32)>,
    /// Related locations.
    pub related: Vec<PrintedLocation>,
    /// A stack, innermost first. The location is the first frame in the repository's own code.
    pub frames: Vec<PrintedLocation>,
    /// The causes, innermost last.
    pub causes: Vec<Cause>,
    /// The location if no frame is in the repository's own code.
    pub fallback: Option<PrintedLocation>,
    /// The name of the test.
    pub test: Option<String>,
    /// The location of the test.
    pub test_at: Option<PrintedLocation>,
    /// The unit of the columns.
    pub unit: ColumnUnit,
    /// The source line at the location, as printed.
    pub excerpt: Option<Excerpt>,
    /// The folder that relative paths start from, if the output names it.
    pub folder: Option<String>,
    /// The package of a bare file name (Go).
    pub package: Option<String>,
    /// Whether this is a guess, which counts only if its file exists.
    pub guessed: bool,
}

impl ToolDiagnostic {
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

    pub(crate) fn at(mut self, spot: PrintedLocation) -> Self {
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
