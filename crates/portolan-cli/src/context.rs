//! What a command has at hand: the streams, the colours, the folder it works in.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use portolan_engine::OsSystem;
use portolan_types::is_unseen;
use serde_json::json;

use crate::args::{ColorWhen, Format, FormatArg, GlobalArgs};
use crate::failure::Failure;
use crate::progress::ProgressLine;

/// Styles, one per meaning.
pub(crate) mod style {
    use super::{AnsiColor, Style};

    /// An error's head.
    pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
    /// A warning's head.
    pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    /// A hint's head, a number that matters.
    pub(crate) const ACCENT: Style = AnsiColor::Cyan.on_default();
    /// A headline.
    pub(crate) const BOLD: Style = Style::new().bold();
    /// What is there for those who look.
    pub(crate) const DIM: Style = Style::new().dimmed();
}

/// The surroundings of a command.
pub(crate) struct Context {
    /// The door to the disk.
    pub(crate) system: OsSystem,
    /// The folder to work in: `-C`, or the current one.
    pub(crate) directory: PathBuf,
    /// How to answer.
    pub(crate) format: Format,
    /// Whether a document was asked for.
    pub(crate) markdown: bool,
    /// Whether to keep quiet.
    pub(crate) quiet: bool,
    /// Data. Colours are dropped where they are not wanted.
    pub(crate) stdout: AutoStream<io::Stdout>,
    /// Talk.
    pub(crate) stderr: AutoStream<io::Stderr>,
    /// Whether stdout is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Whether stderr is a terminal: progress is drawn only there.
    pub(crate) stderr_is_terminal: bool,
}

impl Context {
    /// From the flags that every command takes.
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let choice = match global.color {
            ColorWhen::Auto => ColorChoice::Auto,
            ColorWhen::Always => ColorChoice::AlwaysAnsi,
            ColorWhen::Never => ColorChoice::Never,
        };
        Self {
            system: OsSystem,
            directory: global.directory.clone().unwrap_or_else(|| PathBuf::from(".")),
            format: if global.format == FormatArg::Json { Format::Json } else { Format::Human },
            markdown: global.format == FormatArg::Markdown,
            quiet: global.quiet,
            stdout: AutoStream::new(io::stdout(), choice),
            stderr: AutoStream::new(io::stderr(), choice),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// A path given on the command line, seen from the folder to work in.
    pub(crate) fn path(&self, given: &Path) -> PathBuf {
        self.directory.join(given)
    }

    /// Writes data. A reader that went away is not our failure.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.stdout.write_all(bytes).and_then(|()| self.stdout.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::failed(format!("cannot write to stdout: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes an artifact: byte for byte, past the filter that takes escape sequences out of text
    /// for people (it also takes U+007F, which canonical JSON leaves as it is).
    pub(crate) fn artifact(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = self.stdout.as_inner();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::failed(format!("cannot write to stdout: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// The progress line: drawn on a terminal only.
    pub(crate) fn progress(&self) -> ProgressLine {
        ProgressLine::new(self.stderr_is_terminal && !self.quiet && self.format == Format::Human)
    }

    /// Says something to the user, unless told to be quiet.
    pub(crate) fn say(&mut self, line: &str) {
        if !self.quiet {
            // There is nobody left to tell when stderr is gone.
            let _ = writeln!(self.stderr, "{line}");
        }
    }

    /// Tells of a failure: in words on stderr, and as JSON on stdout where JSON was asked for.
    pub(crate) fn report(&mut self, failure: &Failure) {
        let (error, hint) = (style::ERROR, style::ACCENT);
        let place = failure.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
        let _ = writeln!(
            self.stderr,
            "{error}error{error:#}: {}",
            escape_lines(&format!("{place}{}", failure.message))
        );
        for line in &failure.hints {
            let _ = writeln!(self.stderr, "{hint}hint{hint:#}: {}", escape(line));
        }
        if self.format == Format::Json {
            let place = failure.place.as_ref().map(ToString::to_string);
            let report = json!({"error": {"message": failure.message, "place": place, "hints": failure.hints}});
            let _ =
                self.data(format!("{}\n", portolan_wire::canonical::to_string(&report)).as_bytes());
        }
    }
}

/// Makes text from outside safe to show, on one line: what would act on the terminal, reorder the
/// text or not be seen is written as an escape.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// The same for text of several lines. Those after the first are indented: a name with a line end in
/// it cannot pass for a message of ours.
pub(crate) fn escape_lines(text: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(index, line)| {
        let indent = if index == 0 || line.starts_with("  ") { "" } else { "  " };
        format!("{indent}{}", escape(line))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{escape, escape_lines};

    #[test]
    fn text_from_outside_cannot_drive_the_terminal() {
        assert_eq!(escape("a\u{1b}[31mb\nc\u{202E}"), "a\\u{1b}[31mb\\nc\\u{202e}");
        assert_eq!(escape_lines("a\n  b\nerror: \u{1b}"), "a\n  b\n  error: \\u{1b}");
    }
}
