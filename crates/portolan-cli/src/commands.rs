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
pub(crate) mod elsewhere;
pub(crate) mod export;
pub(crate) mod find;
pub(crate) mod graph;
pub(crate) mod impact;
pub(crate) mod init;
pub(crate) mod look;
pub(crate) mod man;
pub(crate) mod mcp;
mod outside;
pub(crate) mod pack;
pub(crate) mod path;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod scope;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod snap;
pub(crate) mod view;

use crate::args::{ChatCommand, Command, MoreCommand, X07Command};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Runs the command that was asked for.
pub(crate) fn run(command: &Command, ctx: &mut Context) -> Result<Exit, Failure> {
    if ctx.markdown && !writes_markdown(command) {
        return Err(Failure::bad_input(
            "only `read`, `pack`, `run --context` and `agent context` write `--format markdown`",
        ));
    }
    if is_watched(command) {
        ctx.watch();
    }
    match command {
        Command::Search(args) => search::run(args, ctx),
        Command::Read(args) => read::run(args, ctx),
        Command::Look(args) => look::run(args, ctx),
        Command::Path(args) => path::run(args, ctx),
        Command::Pack(args) => pack::run(args, ctx),
        Command::Chart(args) => chart::run(args, ctx),
        Command::View(args) => view::run(args, ctx),
        Command::Init(args) => init::run(args, ctx),
        Command::Mcp(args) => mcp::run(args, ctx),
        Command::Atlas(args) => atlas::run(args, ctx),
        Command::Chat(command) | Command::UngroupedChat(command) => match command {
            ChatCommand::Run(args) => run::run(args, ctx),
            ChatCommand::Snap(args) => snap::run(args, ctx),
            ChatCommand::Select(args) => select::run(args, ctx),
            ChatCommand::Prompt(args) => prompt::run(args, ctx),
            ChatCommand::CheckReply(args) => check_reply::run(args, ctx),
            ChatCommand::Apply(args) => apply::run(args, ctx),
            ChatCommand::Graph(args) => graph::run(args, ctx),
        },
        Command::X07(command) | Command::UngroupedX07(command) => match command {
            X07Command::Ast(args) => ast::run(args, ctx),
            X07Command::Agent(args) => agent::run(args, ctx),
        },
        Command::More(command) => match command {
            MoreCommand::Impact(args) => impact::run(args, ctx),
            MoreCommand::Cache(args) => cache::run(args, ctx),
            MoreCommand::Check(args) => check::run(args, ctx),
            MoreCommand::Find(args) => find::run(args, ctx),
            MoreCommand::Export(args) => export::run(args, ctx),
            MoreCommand::Schema(args) => schema::run(args, ctx),
            MoreCommand::Completions(args) => completions::run(args, ctx),
            MoreCommand::Man(args) => man::run(args, ctx),
        },
    }
}

/// Whether a command works in silence until its answer is there. The others tell by themselves what they do, run another
/// program, or wait for input.
fn is_watched(command: &Command) -> bool {
    match command {
        Command::Search(_)
        | Command::Read(_)
        | Command::Look(_)
        | Command::Path(_)
        | Command::Chart(_)
        | Command::View(_)
        | Command::Atlas(_) => true,
        Command::Pack(args) => !args.runs_command(),
        Command::Chat(command) | Command::UngroupedChat(command) => {
            matches!(command, ChatCommand::Select(_) | ChatCommand::Graph(_))
        }
        Command::More(command) => {
            matches!(
                command,
                MoreCommand::Impact(_)
                    | MoreCommand::Check(_)
                    | MoreCommand::Find(_)
                    | MoreCommand::Export(_)
            )
        }
        _ => false,
    }
}

/// Whether a command can answer with a Markdown document.
fn writes_markdown(command: &Command) -> bool {
    matches!(
        command,
        Command::Pack(_)
            | Command::Read(_)
            | Command::Chat(ChatCommand::Run(_))
            | Command::UngroupedChat(ChatCommand::Run(_))
            | Command::X07(X07Command::Agent(_))
            | Command::UngroupedX07(X07Command::Agent(_))
    )
}
