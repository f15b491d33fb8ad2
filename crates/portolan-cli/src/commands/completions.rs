//! `portolan completions`: what a shell needs to complete our commands and flags.

use clap::Args;
use clap_complete::Shell;

use crate::args;
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// The arguments of `portolan completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  source <(portolan completions bash)   for this shell; in ~/.bashrc for good
  source <(portolan completions zsh)    the same; in ~/.zshrc, after compinit
  portolan completions fish | source    the same; in ~/.config/fish/config.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs it.
pub(crate) fn run(asked: &CompletionsArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut args::command(), "portolan", &mut script);
    ctx.artifact(&script)?;
    Ok(Exit::Done)
}
