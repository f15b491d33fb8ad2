//! What a command has at hand: the streams, the colours, the folder it works in.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use portolan_guard::redact;
use portolan_types::{Notice, escape_invisible, is_invisible};
use portolan_vfs::{OsSystem, System as _};
use portolan_wire::answer::{AnswerV1, ErrorV1, NoticeV1};
use portolan_wire::canonical;
use portolan_workspace::config::{Ecosystems, GitEnvironment, LoadRequest, Stores};
use serde::Serialize;
use terminal_size::{Height, Width, terminal_size_of};

use crate::args::{ColorWhen, Format, FormatArg, GlobalArgs};
use crate::failure::Failure;
use crate::progress::{ProgressLine, Ticker, is_in_repository, tracked_files};
use portolan_query::text::wrapped;

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
    /// What git knows about the user, from the environment.
    pub(crate) git: GitEnvironment,
    /// Where the user keeps packages.
    pub(crate) stores: Stores,
    /// The folder to work in: `-C`, or the current one.
    pub(crate) directory: PathBuf,
    /// Whether it was named.
    pub(crate) is_directory_given: bool,
    /// The configuration that `--config` names.
    pub(crate) config: Option<PathBuf>,
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
    /// The line that tells of slow work.
    ticker: Option<Ticker>,
    /// Whether stdout is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Whether a person sees stdout: on a terminal, or wherever colours were asked for.
    pub(crate) is_looked_at: bool,
    /// Whether stderr is a terminal: progress is drawn only there.
    pub(crate) stderr_is_terminal: bool,
    /// How wide the terminal behind stdout is. In a pipe there is no width: nothing is cut to fit.
    pub(crate) stdout_width: Option<usize>,
    /// The same for stderr.
    pub(crate) stderr_width: Option<usize>,
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
            git: GitEnvironment::from_variables(|name| std::env::var_os(name)),
            stores: Stores::from_variables(Ecosystems::default(), |name| std::env::var(name).ok()),
            is_directory_given: global.directory.is_some(),
            directory: global.directory.clone().unwrap_or_else(|| PathBuf::from(".")),
            config: global.config.clone(),
            format: if global.format == FormatArg::Json { Format::Json } else { Format::Human },
            markdown: global.format == FormatArg::Markdown,
            quiet: global.quiet,
            stdout: AutoStream::new(io::stdout(), choice),
            stderr: AutoStream::new(io::stderr(), choice),
            ticker: None,
            stdout_is_terminal: io::stdout().is_terminal(),
            is_looked_at: io::stdout().is_terminal() || global.color == ColorWhen::Always,
            stderr_is_terminal: io::stderr().is_terminal(),
            stdout_width: columns(terminal_size_of(io::stdout())),
            stderr_width: columns(terminal_size_of(io::stderr())),
        }
    }

    /// A path given on the command line, seen from the folder to work in.
    pub(crate) fn path(&self, given: &Path) -> PathBuf {
        self.directory.join(given)
    }

    /// What to load: where the command works, with what the flags and the environment say.
    pub(crate) fn load_request(&self) -> LoadRequest {
        let trusted = std::env::var_os("PORTOLAN_SAFE_DIRECTORY").unwrap_or_default();
        let trusted =
            std::env::split_paths(&trusted).filter_map(|path| path.to_str().map(str::to_owned));
        LoadRequest {
            start: self.directory.clone(),
            config: self.config.as_deref().map(|config| self.path(config)),
            trusted: trusted.filter(|path| !path.is_empty()).collect(),
            stores: self.stores.clone(),
            user_cache: cache_folder(),
        }
    }

    /// From now on, tells on a terminal how far slow work is, until the first output. Elsewhere a line says once that
    /// all of a large folder is read which is no repository.
    pub(crate) fn watch(&mut self) {
        if self.quiet {
            return;
        }
        if self.stderr_is_terminal && self.format == Format::Human {
            self.ticker = Some(Ticker::start(tracked_files(&self.directory)));
        } else if !self.stderr_is_terminal && !is_in_repository(&self.directory) {
            self.ticker = Some(Ticker::start_once(&self.directory));
        }
    }

    /// Watches the work in another folder.
    pub(crate) fn rewatch(&mut self) {
        if self.ticker.is_some() {
            self.unwatch();
            self.watch();
        }
    }

    /// Takes the line of slow work away.
    pub(crate) fn unwatch(&mut self) {
        if let Some(ticker) = self.ticker.take() {
            ticker.stop();
        }
    }

    /// Writes data. A reader that went away is not our failure.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.unwatch();
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
        self.unwatch();
        let mut stdout = self.stdout.as_inner();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::failed(format!("cannot write to stdout: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes an artifact to the file that a person named.
    pub(crate) fn write_named(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.system.write_named(&self.path(path), bytes);
        written
            .map_err(|error| Failure::failed(format!("cannot write `{}`: {error}", path.display())))
    }

    /// Writes text without code in it: whatever would act on a terminal is written out.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.artifact(escape_text(text).as_bytes())
    }

    /// Writes text with code in it: byte for byte for a program, which may want to find it again; where a person
    /// sees it nothing in it acts.
    pub(crate) fn code(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_looked_at { self.text(text) } else { self.artifact(text.as_bytes()) }
    }

    /// Whether people see colours on stdout.
    pub(crate) fn is_coloured(&self) -> bool {
        self.stdout.current_choice() != ColorChoice::Never
    }

    /// Writes an answer with colours; nothing else in it acts on a terminal.
    pub(crate) fn painted(
        &mut self,
        text: &str,
        paint: impl Fn(&str) -> String,
    ) -> Result<(), Failure> {
        let text = paint(&escape_text(text));
        self.data(text.as_bytes())
    }

    /// The progress line: drawn on a terminal only.
    pub(crate) fn progress(&self) -> ProgressLine {
        ProgressLine::new(self.stderr_is_terminal && !self.quiet && self.format == Format::Human)
    }

    /// Says something to the user, unless told to be quiet.
    pub(crate) fn say(&mut self, line: &str) {
        self.unwatch();
        if !self.quiet {
            // If stderr is closed, there is no way to report that.
            let _ = writeln!(self.stderr, "{line}");
        }
    }

    /// Answers as JSON: what was asked for, and what was noticed on the way.
    pub(crate) fn answer(
        &mut self,
        result: &impl Serialize,
        notices: &[Notice],
    ) -> Result<(), Failure> {
        let result =
            serde_json::to_value(result).map_err(|error| Failure::failed(error.to_string()))?;
        let notices = notices.iter().map(NoticeV1::from).collect();
        self.json(&AnswerV1::Done { result, notices, timings: None })
    }

    fn json(&mut self, answer: &AnswerV1) -> Result<(), Failure> {
        let value = serde_json::to_value(answer).unwrap_or_default();
        self.artifact(format!("{}\n", canonical::to_string(&value)).as_bytes())
    }

    /// Tells of a failure: in words on stderr, and as JSON on stdout where JSON was asked for.
    pub(crate) fn report(&mut self, failure: &Failure) {
        let (error, hint) = (style::ERROR, style::ACCENT);
        let place = failure.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
        self.tell("error", error, &format!("{place}{}", failure.message));
        for line in &failure.hints {
            self.tell("hint", hint, line);
        }
        if self.format == Format::Json {
            let masked = |text: &String| redact(text).into_owned();
            let place = failure.place.as_ref().map(|place| masked(&place.to_string()));
            let message = masked(&failure.message);
            let hints = failure.hints.iter().map(masked).collect();
            let _ = self.json(&AnswerV1::Failed { error: ErrorV1 { message, place, hints } });
        }
    }

    /// Says `word: text` on stderr, broken to fit a terminal.
    pub(crate) fn tell(&mut self, word: &str, style: Style, text: &str) {
        self.unwatch();
        let text = format!("{word}: {}", escape_lines(&redact(text)));
        let text = wrapped(&text, self.stderr_width, word.len() + 2);
        let rest = text.strip_prefix(word).unwrap_or_default();
        // If stderr is closed, there is no way to report that.
        let _ = writeln!(self.stderr, "{style}{word}{style:#}{rest}");
    }
}

/// The user's cache folder, by the habits of the system; none where nothing says where that is.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let folder = |name| {
        let path = std::env::var_os(name).map(PathBuf::from)?;
        path.is_absolute().then_some(path)
    };
    folder("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            folder("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            Some(folder("HOME")?.join("Library/Caches"))
        } else {
            Some(folder("HOME")?.join(".cache"))
        }
    })
}

/// The width of a terminal: what `COLUMNS` says, or else its own.
fn columns(terminal: Option<(Width, Height)>) -> Option<usize> {
    let (Width(own), _) = terminal?;
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    Some(said.filter(|width| *width > 0).unwrap_or(usize::from(own)))
}

/// Makes text from outside safe to show, on one line: what would act on the terminal, reorder the
/// text or not be seen is written as an escape.
pub(crate) fn escape(text: &str) -> String {
    escape_invisible(text)
}

/// The same for text whose lines and tabs are meant.
fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) && !matches!(c, '\n' | '\t') {
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
