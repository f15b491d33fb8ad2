//! How a command fails: what, where, what to do next, and with which exit code.

use std::process::ExitCode;

use portolan_types::{Input, Place};

/// The exit codes in words: what the long help of every command ends with.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0  done
  1  the operation failed, or a check found something
  2  bad usage or bad input";

/// The exit codes, as documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: the operation failed.
    Failed,
    /// 2: bad usage or bad input.
    BadInput,
    /// The exit code of the command that `pack` ran.
    Command(u8),
    /// 20: `ast slice` only: the document is fine, but there is no such slice of it.
    Refused,
}

impl Exit {
    /// The code as a number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::Command(code) => code,
            Self::Refused => 20,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// A failed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What went wrong: one sentence, or several problems a line each.
    pub(crate) message: String,
    /// Where.
    pub(crate) place: Option<Place>,
    /// What to do next.
    pub(crate) hints: Vec<String>,
    /// The exit code.
    pub(crate) exit: Exit,
}

impl Failure {
    /// The operation failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, hints: Vec::new(), exit: Exit::Failed }
    }

    /// The user's input is at fault.
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, ..Self::failed(message) }
    }

    /// Says where.
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Says what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// The flag that an input is given by.
pub(crate) fn flag(input: Input) -> &'static str {
    match input {
        Input::Budget => "--budget",
        Input::Enclosure => "--enclosure",
        Input::FollowFile => "--follow-file",
        Input::MaxBytes => "--max-bytes",
        Input::Project => "--project",
    }
}
