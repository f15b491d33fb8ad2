//! `portolan schema`.

use clap::Args;
use portolan_wire::schemas;

use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan schema`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan schema           the names
  portolan schema state     the schema of `dependency.state.json`
  portolan schema answer    what every command answers with `--format json`")]
pub(crate) struct SchemaArgs {
    /// The artifact; without it, the names are listed
    name: Option<String>,
}

/// Runs it.
pub(crate) fn run(args: &SchemaArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let Some(name) = &args.name else {
        let names: Vec<String> = schemas::ALL.iter().map(|(name, _)| format!("{name}\n")).collect();
        ctx.artifact(names.concat().as_bytes())?;
        return Ok(Exit::Done);
    };
    let Some((_, schema)) = schemas::ALL.iter().find(|(known, _)| known == name) else {
        let known: Vec<&str> = schemas::ALL.iter().map(|(name, _)| *name).collect();
        let failure = Failure::bad_input(format!("there is no schema `{name}`"));
        return Err(failure.hint(format!("try one of: {}", known.join(", "))));
    };
    ctx.artifact(schema.as_bytes())?;
    Ok(Exit::Done)
}
