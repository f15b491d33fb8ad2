//! `portolan find`: declarations by name.

use std::num::NonZeroUsize;

use clap::Args;
use portolan_index::map::MapRequest;
use portolan_index::session::Session;
use portolan_query::declarations;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};
use crate::notices;

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
    limit: NonZeroUsize,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &FindArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = args.scope.load(ctx)?;
    let request = MapRequest { config, threads: args.scope.threads };
    let session = Session::open(&ctx.system, request, args.cache.mode());
    let session = session.map_err(|error| map_failure(&error))?;
    let mut map = session.map().map_err(|error| map_failure(&error))?;
    let (config, store) = (session.config(), session.declarations());
    let find =
        || declarations::find(&ctx.system, config, &map, store, &args.name, args.limit.get());
    let report = session.install(find).map_err(|error| map_failure(&error))?;
    map.notices.extend(store.save(&ctx.system));
    // The process is about to end: giving a large map back piece by piece is a waste.
    std::mem::forget(session);
    if ctx.format == Format::Json {
        ctx.answer(&report.to_wire(), &map.notices)?;
    } else {
        ctx.text(&report.to_text(&escape(&args.name)))?;
        notices::say_of_answer(ctx, &map.notices, |_| false, false);
    }
    std::mem::forget(map);
    Ok(if report.found.is_empty() { Exit::Failed } else { Exit::Done })
}
