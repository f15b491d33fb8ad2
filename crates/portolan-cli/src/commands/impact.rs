//! `portolan impact`: who is affected by a change, for people.

use clap::Args;
use portolan_query::pack::{PackError, build_impact, build_undertaking};

use crate::args::Format;
use crate::commands::pack::task_pack::request;
use crate::commands::pack::{unchanged, unpacked};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};

/// The arguments of `portolan impact`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan impact --at src/a.ts#a               who would be affected
  portolan impact --at src/a.ts --format json   a pack of it, for programs")]
pub(crate) struct ImpactArgs {
    /// What changed since this revision, or from one to another (`A..B`) [default: since the branch left the main one]
    #[arg(value_name = "REV")]
    revision: Option<String>,

    /// What a change of this place would affect: `FILE`, `FILE:LINE`, `FILE#NAME` (can be repeated)
    #[arg(long, value_name = "PLACE", conflicts_with = "revision")]
    at: Vec<String>,
}

/// Runs it.
pub(crate) fn run(args: &ImpactArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let is_change = args.at.is_empty();
    let changed = is_change.then(|| args.revision.clone().unwrap_or_default());
    let request = request(ctx, changed, args.at.clone())?;
    if ctx.format == Format::Json {
        let report = match build_undertaking(&ctx.system, &request) {
            Err(PackError::Unchanged(since)) => return unchanged(ctx, &since),
            report => report.map_err(|error| unpacked(&error))?,
        };
        ctx.artifact(format!("{}\n", report.context.text).as_bytes())?;
        crate::notices::say_of_answer(ctx, &report.notices, |_| false, false);
        return Ok(Exit::Done);
    }
    let (impact, notices) = match build_impact(&ctx.system, &request) {
        Err(PackError::Unchanged(since)) => return unchanged(ctx, &since),
        found => found.map_err(|error| unpacked(&error))?,
    };
    let text = impact.to_text();
    let lines = text.lines().map(|line| format!("{}\n", escape(line)));
    ctx.data(lines.collect::<String>().as_bytes())?;
    crate::notices::say_of_answer(ctx, &notices, |_| false, false);
    Ok(Exit::Done)
}
