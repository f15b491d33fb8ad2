//! `portolan read`: declarations with what they need, cut to a budget.

use clap::Args;
use portolan_query::declarations::{ReadError, TargetError};
use portolan_wire::question::{QuestionV1, ReadQuestionV1};

use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, search};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};

/// The arguments of `portolan read`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan read src/index.ts:2            the declaration at line 2
  portolan read b --needs signatures      by name, with what it uses
  portolan read src/a.ts#a --match 1      the parts around matches")]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    question: ReadQuestionV1,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &ReadArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let asked = answer::ask(session, &QuestionV1::Read(args.question.clone()));
    answer::show(ctx, &asked.map_err(|error| answer::failure(&error))?, Some(&args.scope))?;
    Ok(Exit::Done)
}

/// Tells why there is nothing to show, with the next call.
pub(crate) fn failure(error: &ReadError) -> Failure {
    match error {
        ReadError::Map(error) => map_failure(error),
        ReadError::Target(target) => target_failure(target),
        ReadError::Pattern(error) => search::failure(error),
        ReadError::TooSmall { .. } => Failure::bad_input(escape_lines(&error.to_string())),
    }
}

/// Tells why there is nothing to show.
pub(crate) fn target_failure(target: &TargetError) -> Failure {
    Failure::bad_input(escape_lines(&target.to_string())).hint(target.next_call())
}
