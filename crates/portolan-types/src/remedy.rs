//! What the user can do about an error, independent of any front end.
//!
//! The code that fails knows which input would help, but not its name: that is a flag on the command
//! line and an argument of an MCP tool. So a remedy names the input, and each front end supplies the word.

use std::borrow::Cow;

/// An input that every front end accepts under its own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The token budget of an answer.
    Budget,
    /// How much code around a position is shown.
    Enclosure,
    /// Follow the module of a diagnostic instead of the entry.
    FollowFile,
    /// The size limit of a slice, in bytes.
    MaxBytes,
    /// The manifest or folder of a project.
    Project,
}

/// A suggested fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// An instruction that needs no input.
    Do(Cow<'static, str>),
    /// Pass this input.
    Give {
        /// Which one.
        input: Input,
        /// Its value, if only one value helps.
        value: Option<String>,
        /// The rest of the sentence: `to slice that module`.
        why: &'static str,
    },
}

impl Remedy {
    /// An instruction.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Do(text.into())
    }

    /// Pass this input; `why` completes the sentence.
    pub fn give(input: Input, why: &'static str) -> Self {
        Self::Give { input, value: None, why }
    }

    /// Pass this input with this value.
    pub fn give_value(input: Input, value: &dyn ToString, why: &'static str) -> Self {
        Self::Give { input, value: Some(value.to_string()), why }
    }

    /// The remedy as a sentence. `name` maps an input to the front end's word for it.
    pub fn words(&self, name: impl FnOnce(Input) -> &'static str) -> String {
        match self {
            Self::Do(text) => text.to_string(),
            Self::Give { input, value, why } => {
                let name = name(*input);
                let value = value.as_ref().map(|value| format!(" {value}")).unwrap_or_default();
                format!("give `{name}{value}` {why}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, Remedy};

    #[test]
    fn the_front_end_names_the_inputs() {
        let flag = |_| "--budget";
        assert_eq!(Remedy::plain("run again").words(flag), "run again");
        let more = Remedy::give_value(Input::Budget, &1200, "or more");
        assert_eq!(more.words(flag), "give `--budget 1200` or more");
        assert_eq!(more.words(|_| "budget"), "give `budget 1200` or more");
    }
}
