//! `portolan look`: what files and declarations need, and who uses them.

use clap::{Args, ValueEnum};
use portolan_engine::declarations::{self, LookRequest, Side, looks_to_wire};
use portolan_engine::map::{self, MapRequest};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::read::failure;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::notices;

/// The arguments of `portolan look`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan look src/a.ts                  what it imports, who imports it
  portolan look src/a.ts#a --side users   the lines that use a declaration")]
pub(crate) struct LookArgs {
    /// `path`, `path:line`, `path#Name`, `path#Class.member` or a name
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,

    /// Which way to look
    #[arg(long, value_enum, value_name = "SIDE", default_value_t = SideArg::Both)]
    side: SideArg,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// The ways to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SideArg {
    /// What it needs
    Needs,
    /// Who uses it
    Users,
    /// Both
    Both,
}

/// Runs it.
pub(crate) fn run(args: &LookArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = args.scope.load(ctx)?;
    let request = MapRequest { config, threads: args.scope.threads };
    let map = map::build_cached(&ctx.system, &request, args.cache.mode())
        .map_err(|error| map_failure(&error))?;
    let side = match args.side {
        SideArg::Needs => Side::Needs,
        SideArg::Users => Side::Users,
        SideArg::Both => Side::Both,
    };
    let asked = LookRequest { targets: args.targets.clone(), side };
    let looks = declarations::look(&ctx.system, &request.config, &map, &asked);
    let looks = looks.map_err(|error| failure(&error))?;
    if ctx.format == Format::Json {
        ctx.answer(&looks_to_wire(&looks), &map.notices)?;
    } else {
        let text: Vec<String> = looks.iter().map(declarations::Look::to_text).collect();
        ctx.text(&text.join("\n"))?;
        notices::say(ctx, &map.notices);
    }
    std::mem::forget(map);
    Ok(Exit::Done)
}
