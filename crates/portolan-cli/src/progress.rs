//! The progress line: one line on a terminal that tells the stage, and is gone at the end.

use std::io::{self, Write};

/// Draws on stderr, or does nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgressLine {
    is_shown: bool,
}

impl ProgressLine {
    /// Shown only where somebody watches.
    pub(crate) fn new(is_shown: bool) -> Self {
        Self { is_shown }
    }

    /// Replaces the line.
    pub(crate) fn say(self, text: &str) {
        self.draw(&format!("{text} …"));
    }

    /// Takes the line away.
    pub(crate) fn clear(self) {
        self.draw("");
    }

    fn draw(self, text: &str) {
        if self.is_shown {
            // There is nobody left to tell when stderr is gone.
            let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
        }
    }
}
