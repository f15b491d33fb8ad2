//! One module a command.

pub(crate) mod graph;
pub(crate) mod init;
pub(crate) mod prompt;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod snap;

use crate::args::Command;
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Runs the command that was asked for.
pub(crate) fn run(command: &Command, ctx: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Graph(args) => graph::run(args, ctx),
        Command::Init(args) => init::run(args, ctx),
        Command::Prompt(args) => prompt::run(args, ctx),
        Command::Run(args) => run::run(args, ctx),
        Command::Snap(args) => snap::run(args, ctx),
    }
}
