//! `portolan graph`.

use clap::Args;

use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {}

/// Runs it.
pub(crate) fn run(_args: &GraphArgs, _ctx: &mut Context) -> Result<Exit, Failure> {
    Ok(Exit::Done)
}
