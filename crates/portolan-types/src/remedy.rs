//! What to do about a refusal, without the words of a front end.
//!
//! A room that refuses knows which input would help, but not what it is called: a flag on the command
//! line, an argument of a tool. It names the input; whoever talks to people finds the word.

use std::borrow::Cow;

/// Something that a front end can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// How many tokens an answer may have.
    Budget,
    /// How much around a place is shown.
    Enclosure,
    /// That the module of a diagnostic is followed instead of the entry.
    FollowFile,
    /// How many bytes a slice may have.
    MaxBytes,
    /// The manifest of a project, or its folder.
    Project,
}

/// What helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Something to do that no input is needed for.
    Do(Cow<'static, str>),
    /// An input to give.
    Give {
        /// Which one.
        input: Input,
        /// Its value, where only one helps.
        value: Option<String>,
        /// What follows: `to slice that module`.
        why: &'static str,
    },
}

impl Remedy {
    /// Something to do.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Do(text.into())
    }

    /// An input to give, and what for.
    pub fn give(input: Input, why: &'static str) -> Self {
        Self::Give { input, value: None, why }
    }

    /// An input to give with this value.
    pub fn give_value(input: Input, value: &dyn ToString, why: &'static str) -> Self {
        Self::Give { input, value: Some(value.to_string()), why }
    }

    /// A sentence, in the words of a front end.
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
    fn a_remedy_is_worded_by_who_knows_the_inputs() {
        let flag = |_| "--budget";
        assert_eq!(Remedy::plain("run again").words(flag), "run again");
        let more = Remedy::give_value(Input::Budget, &1200, "or more");
        assert_eq!(more.words(flag), "give `--budget 1200` or more");
        assert_eq!(more.words(|_| "budget"), "give `budget 1200` or more");
    }
}
