//! `portolan path`: how one declaration reaches another.

use clap::Args;
use portolan_query::path::{PathRequest, path};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::read::failure;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, elsewhere};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan path`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan path src/index.ts#b a          how `b` reaches `a`
  portolan path src/index.ts src/a.ts#a   how anything of a file does")]
pub(crate) struct PathArgs {
    /// Where to start: `path#Name`, `path#Class.member`, `path:line` or a name
    #[arg(value_name = "FROM")]
    from: String,

    /// What to reach
    #[arg(value_name = "TO")]
    to: String,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &PathArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut ends = [args.from.clone(), args.to.clone()];
    elsewhere::follow(ctx, &mut ends)?;
    let [from, to] = ends;
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
    let request = PathRequest { from, to };
    let store = session.declarations();
    let report = path(&ctx.system, session.config(), &snapshot.map, store, &request);
    let report = report.map_err(|error| failure(&error))?;
    let mut notices = snapshot.map.notices.clone();
    notices.extend(store.save(&ctx.system));
    // The process is about to end: giving a large map back piece by piece is a waste.
    std::mem::forget((session, snapshot));
    if ctx.format == Format::Json {
        ctx.answer(&report.to_wire(), &notices)?;
    } else {
        ctx.code(&report.to_text(&request))?;
    }
    Ok(if report.paths.is_empty() { Exit::Failed } else { Exit::Done })
}
