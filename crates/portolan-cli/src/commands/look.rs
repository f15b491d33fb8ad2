//! `portolan look`: what files and declarations need, and who uses them.

use clap::Args;
use portolan_wire::question::{LookQuestionV1, QuestionV1, Side};

use crate::commands::cache::CacheArgs;
use crate::commands::scope::ScopeArgs;
use crate::commands::{answer, elsewhere};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan look`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan look src/a.ts                  what it imports, who imports it
  portolan look src/a.ts#a --side users   the lines that use a declaration
  portolan look src/a.ts --depth 2        also what is behind that")]
pub(crate) struct LookArgs {
    #[command(flatten)]
    question: LookQuestionV1,

    /// What many people try first: `--side users`
    #[arg(long, hide = true)]
    users: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &LookArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut question = args.question.clone();
    if args.users {
        question.side = Some(Side::Users);
    }
    elsewhere::follow(ctx, &mut question.targets)?;
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let asked = answer::ask(session, &QuestionV1::Look(question));
    answer::show(ctx, &asked.map_err(|error| answer::failure(&error))?, Some(&args.scope))?;
    Ok(Exit::Done)
}
