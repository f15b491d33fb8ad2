//! `portolan chart`: the map as text that fits a budget.

use clap::Args;
use portolan_query::chart::ChartError;
use portolan_wire::question::{ChartQuestionV1, QuestionV1};

use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, elsewhere};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};

/// The arguments of `portolan chart`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan chart                        what the folders are for, and their size
  portolan chart src **/index.ts        outlines of these
  portolan chart --task - < reply.md    as `search --task`

`portolan chart --changed` shows what changed since HEAD in detail.")]
pub(crate) struct ChartArgs {
    #[command(flatten)]
    question: ChartQuestionV1,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &ChartArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut question = args.question.clone();
    elsewhere::follow(ctx, &mut question.paths)?;
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    question.task = answer::task_text(question.task.as_deref())?;
    let asked = answer::ask(session, &QuestionV1::Chart(question));
    answer::show(ctx, &asked.map_err(|error| answer::failure(&error))?, Some(&args.scope))?;
    Ok(Exit::Done)
}

/// Tells why nothing can be compared with a revision.
pub(crate) fn revision_failure(error: &str) -> Failure {
    Failure::bad_input(escape_lines(error))
        .hint("`--changed` takes a commit, a branch or a tag; paths go before it")
}

/// Tells why there is no chart.
pub(crate) fn failure(error: &ChartError) -> Failure {
    let failure = Failure::bad_input(error.to_string());
    match error {
        ChartError::Budget(_) => {
            failure.hint("raise `--budget`")
        }
        ChartError::Unknown(unknown) if !unknown.similar.is_empty() => {
            failure.hint(format!("did you mean `{}`?", unknown.similar.join("`, `")))
        }
        ChartError::Threads(error) => map_failure(error),
        ChartError::Unknown(_) => failure.hint(
            "paths and globs are from the repository's root or the current folder; `portolan chart` shows what is there",
        ),
    }
}
