//! Stack traces of JavaScript and the JVM: frames, messages, causes.

use super::parse::{class, trailing};
use super::tool_diagnostic::{Cause, PrintedLocation, ToolDiagnostic};

/// An error with its stack, as text.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    pub(super) code: Option<String>,
    pub(super) message: String,
    pub(super) notes: Vec<String>,
    pub(super) frames: Vec<PrintedLocation>,
    pub(super) causes: Vec<Cause>,
}

/// The most further lines of a message that are kept.
const NOTES: usize = 60;

impl Stack {
    /// Reads the lines of an error. With `any`, every name in front of the first line is its class.
    pub(super) fn read<'l>(lines: impl Iterator<Item = &'l str>, any: bool) -> Self {
        let mut stack = Self::default();
        let mut is_headed = false;
        let mut wants_cause = false;
        for line in lines {
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            if wants_cause {
                wants_cause = false;
                if let Some(cause) = stack.causes.last_mut() {
                    text.clone_into(&mut cause.message);
                }
            } else if !is_headed {
                is_headed = true;
                stack.head(text, any);
            } else if let Some(message) = cause_of(text) {
                wants_cause = message.is_empty();
                stack.causes.push(Cause { message: message.to_owned(), frames: Vec::new() });
            } else if let Some(frame) = frame(text).or_else(|| arrow(text)) {
                match stack.causes.last_mut() {
                    Some(cause) => cause.frames.push(frame),
                    None => stack.frames.push(frame),
                }
            } else if stack.frames.is_empty()
                && stack.causes.is_empty()
                && stack.notes.len() < NOTES
            {
                stack.notes.push(line.trim_end().to_owned());
            }
        }
        stack.message_below();
        stack
    }

    /// Takes the message from the next line where the first has only the class: Maven prints a message of several lines
    /// below it.
    fn message_below(&mut self) {
        if self.code.as_deref() == Some(self.message.as_str()) && !self.notes.is_empty() {
            self.notes.remove(0).trim().clone_into(&mut self.message);
        }
    }

    fn head(&mut self, text: &str, any: bool) {
        let text = text.strip_prefix("Uncaught ").unwrap_or(text);
        // An error without a stack is printed in brackets, followed by its properties.
        let inside = text.strip_suffix(" {").unwrap_or(text);
        let inside = inside.strip_prefix('[').and_then(|inside| inside.strip_suffix(']'));
        let text = inside.unwrap_or(text);
        match class(text, any) {
            Some((name, message)) => {
                self.code = Some(name.to_owned());
                message.clone_into(&mut self.message);
                if message.is_empty() {
                    name.clone_into(&mut self.message);
                }
            }
            None => text.clone_into(&mut self.message),
        }
    }

    pub(super) fn has_frames(&self) -> bool {
        !self.frames.is_empty() || self.causes.iter().any(|cause| !cause.frames.is_empty())
    }

    /// Copies the error into a diagnostic.
    pub(super) fn fill(self, finding: &mut ToolDiagnostic) {
        finding.code = self.code;
        finding.message = self.message;
        finding.notes = self.notes;
        finding.frames = self.frames;
        finding.causes = self.causes;
    }
}

fn cause_of(text: &str) -> Option<&str> {
    ["[cause]:", "Cause:", "Caused by:"]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .map(str::trim)
}

/// `at name (path:line:col)`, `at path:line:col`, `at pkg.Class.method(File.java:12)`.
pub(super) fn frame(text: &str) -> Option<PrintedLocation> {
    bare_frame(text.trim().strip_prefix("at ")?)
}

/// A frame without the word `at`.
pub(super) fn bare_frame(text: &str) -> Option<PrintedLocation> {
    let text = text.trim().strip_suffix(" {").unwrap_or(text.trim());
    let text = text.strip_prefix("async ").unwrap_or(text);
    let Some(inside) = text.strip_suffix(')') else {
        return spot(text, "<anonymous>");
    };
    if let Some((name, place)) = inside.split_once(" (") {
        return spot(place, name);
    }
    let (name, place) = inside.rsplit_once('(')?;
    let (file, line, _) = trailing(place)?;
    let qualified = name.rsplit('/').next().unwrap_or(name);
    let folder: Vec<&str> = qualified
        .split('.')
        .take_while(|part| part.chars().next().is_some_and(char::is_lowercase))
        .collect();
    let path =
        if folder.is_empty() { file.to_owned() } else { format!("{}/{file}", folder.join("/")) };
    Some(PrintedLocation::new(path, Some(line), None).with_message(format!("at {name}")))
}

fn spot(place: &str, name: &str) -> Option<PrintedLocation> {
    let (path, line, col) = trailing(place)?;
    let is_own = !path.starts_with("node:")
        && !path.starts_with('<')
        && !path.starts_with("webpack-internal:");
    is_own.then(|| PrintedLocation::new(path, Some(line), col).with_message(format!("at {name}")))
}

/// `❯ name path:line:col`, where the name may be missing.
pub(super) fn arrow(text: &str) -> Option<PrintedLocation> {
    let text = text.trim().strip_prefix("❯ ")?;
    let (path, line, col) = trailing(text.trim())?;
    if path.rsplit(' ').next().is_some_and(|path| path.starts_with("node:")) {
        return None;
    }
    let mut spot = PrintedLocation::new(path, Some(line), Some(col?));
    spot.named = path.contains(' ');
    "at <anonymous>".clone_into(&mut spot.message);
    Some(spot)
}
