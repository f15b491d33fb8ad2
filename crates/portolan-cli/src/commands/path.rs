//! `portolan path`: how one declaration reaches another.

use clap::Args;
use portolan_wire::question::{PathQuestionV1, QuestionV1};

use crate::commands::cache::CacheArgs;
use crate::commands::scope::ScopeArgs;
use crate::commands::{answer, elsewhere};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan path`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan path src/index.ts#b a          how `b` reaches `a`
  portolan path src/index.ts src/a.ts#a   how anything of a file does")]
pub(crate) struct PathArgs {
    #[command(flatten)]
    question: PathQuestionV1,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &PathArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut question = args.question.clone();
    let mut ends = [question.from, question.to];
    elsewhere::follow(ctx, &mut ends)?;
    [question.from, question.to] = ends;
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let asked = answer::ask(session, &QuestionV1::Path(question));
    let asked = asked.map_err(|error| answer::failure(&error))?;
    answer::show(ctx, &asked, Some(&args.scope))?;
    Ok(if asked.answer.report.is_empty() { Exit::Failed } else { Exit::Done })
}
