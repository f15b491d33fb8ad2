//! One module a command.

pub(crate) mod agent;
pub(crate) mod ast;
pub(crate) mod graph;
pub(crate) mod schema;
pub(crate) mod scope;

use crate::args::Command;
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Runs the command that was asked for.
pub(crate) fn run(command: &Command, ctx: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Graph(args) => graph::run(args, ctx),
        Command::Ast(args) => ast::run(args, ctx),
        Command::Agent(args) => agent::run(args, ctx),
        Command::Schema(args) => schema::run(args, ctx),
    }
}
