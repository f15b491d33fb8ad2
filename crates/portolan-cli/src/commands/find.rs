//! `portolan find`: another name of `portolan search --names`.

use std::num::NonZeroU32;

use clap::Args;
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_wire::question::{QuestionV1, SearchQuestionV1};

use crate::commands::answer;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan find`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan find a             where it is declared
  portolan find b --limit 5   at most five, exported ones first")]
pub(crate) struct FindArgs {
    /// A name, some of its words, its initials, or nearly a name
    #[arg(value_name = "NAME")]
    name: String,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value = "20")]
    limit: NonZeroU32,

    #[command(flatten)]
    scope: ScopeArgs,
}

/// Runs it.
pub(crate) fn run(args: &FindArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let request = MapRequest { config: args.scope.load(ctx)?, threads: args.scope.threads };
    let session = Session::open(&ctx.system, request, CacheMode::Off);
    let session = session.map_err(|error| map_failure(&error))?;
    let question = SearchQuestionV1 {
        patterns: vec![args.name.clone()],
        names: true,
        limit: Some(args.limit.get()),
        ..SearchQuestionV1::default()
    };
    let asked = answer::ask(session, &QuestionV1::Search(question));
    let asked = asked.map_err(|error| answer::failure(&error))?;
    answer::show(ctx, &asked, Some(&args.scope))?;
    Ok(if asked.answer.report.is_empty() { Exit::Failed } else { Exit::Done })
}
