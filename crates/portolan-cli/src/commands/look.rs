//! `portolan look`: what files and declarations need, and who uses them.

use clap::{Args, ValueEnum};
use portolan_query::declarations;
use portolan_query::declarations::{LookRequest, Side, UseFilter};
use portolan_wire::question::{LookQuestionV1, QuestionV1, SideV1};

use crate::args::Format;
use crate::commands::answer;
use crate::commands::cache::CacheArgs;
use crate::commands::read::{failure, tokens};
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::Context;
use crate::failure::{Exit, Failure};

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

    /// Show only uses without a doubt
    #[arg(long)]
    certain: bool,

    /// Show only uses that could not be decided
    #[arg(long)]
    possible: bool,

    /// Show only uses in tests, line by line
    #[arg(long)]
    tests: bool,

    /// Tell also of names that mean nothing that can be told
    #[arg(long)]
    verbose: bool,

    /// How many steps away to look
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    depth: u8,

    /// The most tokens that the text may cost: a number or `8k` (default: 1,000)
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    budget: Option<u64>,

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
    /// What overrides or implements it, and what it overrides or implements
    Overrides,
}

/// Runs it.
pub(crate) fn run(args: &LookArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    if ctx.format != Format::Json {
        let side = Some(match args.side {
            SideArg::Needs => SideV1::Needs,
            SideArg::Users => SideV1::Users,
            SideArg::Both => SideV1::Both,
            SideArg::Overrides => SideV1::Overrides,
        });
        let depth = Some(args.depth).filter(|depth| *depth > 1);
        let (targets, budget) = (args.targets.clone(), args.budget);
        let question = LookQuestionV1 {
            targets,
            side,
            depth,
            certain: args.certain,
            possible: args.possible,
            tests: args.tests,
            verbose: args.verbose,
            budget,
        };
        answer::say(ctx, &args.scope, &args.cache, &QuestionV1::Look(question))?;
        return Ok(Exit::Done);
    }
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
    let side = match args.side {
        SideArg::Needs => Side::Needs,
        SideArg::Users => Side::Users,
        SideArg::Both => Side::Both,
        SideArg::Overrides => Side::Overrides,
    };
    let asked = LookRequest {
        targets: args.targets.clone(),
        side,
        depth: args.depth,
        filter: UseFilter { certain: args.certain, possible: args.possible, tests: args.tests },
        verbose: args.verbose,
    };
    let store = session.declarations();
    let looks = declarations::look(&ctx.system, session.config(), &snapshot.map, store, &asked);
    let looks = looks.map_err(|error| failure(&error))?.to_wire();
    let mut notices = snapshot.map.notices.clone();
    notices.extend(store.save(&ctx.system));
    std::mem::forget((session, snapshot));
    ctx.answer(&looks, &notices)?;
    Ok(Exit::Done)
}
