//! `portolan look`: what files and declarations need, and who uses them.

use clap::{Args, ValueEnum};
use portolan_engine::declarations::{self, DeclarationStore, LookRequest, Side};
use portolan_engine::map::{self, MapRequest};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::read::{failure, tokens};
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::notices;

/// The arguments of `portolan look`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan look src/a.ts                  what it imports, who imports it
  portolan look src/a.ts#a --side users   the lines that use a declaration
  portolan look src/a.ts --depth 2        also what is behind that")]
pub(crate) struct LookArgs {
    /// `path`, `path:line`, `path#Name`, `path#Class.member` or a name
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,

    /// Which way to look
    #[arg(long, value_enum, value_name = "SIDE", default_value_t = SideArg::Both)]
    side: SideArg,

    /// How many steps away to look
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    depth: u8,

    /// The most tokens that the text may cost: a number or `4k`
    #[arg(long, value_name = "TOKENS", value_parser = tokens, default_value = "4k")]
    budget: u64,

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
    let mut map = map::build_cached(&ctx.system, &request, args.cache.mode())
        .map_err(|error| map_failure(&error))?;
    let side = match args.side {
        SideArg::Needs => Side::Needs,
        SideArg::Users => Side::Users,
        SideArg::Both => Side::Both,
    };
    let asked = LookRequest { targets: args.targets.clone(), side, depth: args.depth };
    let store = DeclarationStore::open(&ctx.system, &request.config, args.cache.mode());
    let report = declarations::look(&ctx.system, &request.config, &map, &store, &asked);
    let report = report.map_err(|error| failure(&error))?;
    map.notices.extend(store.save(&ctx.system, &request.config));
    if ctx.format == Format::Json {
        ctx.answer(&report.to_wire(), &map.notices)?;
    } else {
        ctx.artifact(report.to_text(args.budget).as_bytes())?;
        notices::say(ctx, &map.notices);
    }
    std::mem::forget(map);
    Ok(Exit::Done)
}
