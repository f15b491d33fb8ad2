//! `portolan impact`: who is affected by a change, for people.

use clap::Args;
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_query::answers::{AnswerError, Report};
use portolan_query::pack::PackError;
use portolan_wire::canonical;
use portolan_wire::question::{ImpactQuestionV1, QuestionV1};

use crate::args::Format;
use crate::commands::pack::unchanged;
use crate::commands::scope::{map_failure, own_config};
use crate::commands::{answer, elsewhere};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};
use crate::notices;

/// The arguments of `portolan impact`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan impact --at src/a.ts#a               who would be affected
  portolan impact --at src/a.ts --format json   a pack of it, for programs")]
pub(crate) struct ImpactArgs {
    #[command(flatten)]
    question: ImpactQuestionV1,
}

/// Runs it.
pub(crate) fn run(args: &ImpactArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut question = args.question.clone();
    elsewhere::follow(ctx, &mut question.at)?;
    let revision = question.revision.clone();
    let request = MapRequest { config: own_config(ctx)?, threads: 0 };
    let session = Session::open(&ctx.system, request, CacheMode::Use);
    let session = session.map_err(|error| map_failure(&error))?;
    let asked = match answer::ask(session, &QuestionV1::Impact(question)) {
        Err(AnswerError::Pack(PackError::Unchanged(since))) => return unchanged(ctx, &since),
        asked => asked.map_err(|error| unaffected(&error, revision.as_deref()))?.answer,
    };
    let Report::Impact(report) = &asked.report else { return Ok(Exit::Done) };
    // The text is whole and has no first line with a digest: people read it once.
    if ctx.format == Format::Json {
        ctx.artifact(format!("{}\n", canonical::to_string(&report.to_wire())).as_bytes())?;
    } else {
        ctx.data(report.to_text().as_bytes())?;
    }
    notices::say_of_answer(ctx, &report.notices, |_| false);
    Ok(Exit::Done)
}

/// Tells why nothing can be said. What is no revision may be a place.
fn unaffected(error: &AnswerError, revision: Option<&str>) -> Failure {
    let failure = answer::failure(error);
    match (error, revision) {
        (AnswerError::Pack(PackError::Base(_)), Some(place)) => {
            failure.hint(escape(&format!("a place is `portolan impact --at {place}`")))
        }
        _ => failure,
    }
}
