//! The `portolan` binary: arguments in, engine called, results rendered, exit code out.
//!
//! Data goes to stdout and talk to stderr. Logic that a second front end would need does not live
//! here.

mod args;
mod commands;
mod context;
mod failure;
mod notices;
mod progress;
mod text;
mod timings;
mod wrapper;

use std::panic;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::args::Cli;
use crate::context::Context;

/// Facts are many small pieces of text, made and dropped on every thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A parser that fails on a file is told of in a notice.
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !portolan_engine::is_shielded() {
            print(panic);
        }
    }));
    let matches = args::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut ctx = Context::new(&cli.global);
    let outcome = commands::run(&cli.command, &mut ctx);
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            ctx.report(&failure);
            failure.exit.into()
        }
    }
}
