//! One module a command.

pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod apply;
pub(crate) mod ast;
pub(crate) mod atlas;
pub(crate) mod cache;
pub(crate) mod chart;
pub(crate) mod check;
pub(crate) mod check_reply;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod find;
pub(crate) mod graph;
pub(crate) mod impact;
pub(crate) mod init;
pub(crate) mod look;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod pack;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod scope;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod snap;
pub(crate) mod view;

use crate::args::Command;
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Runs the command that was asked for.
pub(crate) fn run(command: &Command, ctx: &mut Context) -> Result<Exit, Failure> {
    if ctx.markdown && !matches!(command, Command::Agent(_) | Command::Pack(_) | Command::Run(_)) {
        return Err(Failure::bad_input(
            "only `run --context`, `pack` and `agent context` write `--format markdown`",
        ));
    }
    match command {
        Command::Init(args) => init::run(args, ctx),
        Command::Run(args) => run::run(args, ctx),
        Command::Snap(args) => snap::run(args, ctx),
        Command::Graph(args) => graph::run(args, ctx),
        Command::Chart(args) => chart::run(args, ctx),
        Command::Read(args) => read::run(args, ctx),
        Command::Look(args) => look::run(args, ctx),
        Command::Find(args) => find::run(args, ctx),
        Command::Search(args) => search::run(args, ctx),
        Command::Export(args) => export::run(args, ctx),
        Command::Atlas(args) => atlas::run(args, ctx),
        Command::Select(args) => select::run(args, ctx),
        Command::Prompt(args) => prompt::run(args, ctx),
        Command::Apply(args) => apply::run(args, ctx),
        Command::Check(args) => check::run(args, ctx),
        Command::Mcp(args) => mcp::run(args, ctx),
        Command::CheckReply(args) => check_reply::run(args, ctx),
        Command::Ast(args) => ast::run(args, ctx),
        Command::Pack(args) => pack::run(args, ctx),
        Command::Impact(args) => impact::run(args, ctx),
        Command::Agent(args) => agent::run(args, ctx),
        Command::Schema(args) => schema::run(args, ctx),
        Command::Completions(args) => completions::run(args, ctx),
        Command::Man(args) => man::run(args, ctx),
        Command::View(args) => view::run(args, ctx),
    }
}
