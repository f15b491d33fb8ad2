//! The `portolan` binary: arguments in, engine called, results rendered, exit code out.
//!
//! Data goes to stdout and talk to stderr. Logic that a second front end would need does not live
//! here.

mod args;
mod clipboard;
mod colour;
mod commands;
mod context;
mod failure;
mod foreign;
mod notices;
mod progress;
mod timings;
mod wrapper;

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use portolan_types::{escape_invisible, is_invisible};

use crate::args::{Cli, FormatArg};
use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Facts are many small pieces of text, made and dropped on every thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A parser that fails on a file gives a notice, an unreadable table an error.
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !portolan_index::is_catching_panics() && !portolan_atlas::is_catching_panics() {
            print(panic);
        }
    }));
    let (command, arguments) = args::for_user(std::env::args_os().collect());
    let parsed = command.try_get_matches_from(arguments.clone());
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return misused(&error, &arguments),
    };
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

/// A message that repeats arguments, with what they have of line ends and the like escaped.
fn without_line_ends(text: String, arguments: &[OsString]) -> String {
    let words = arguments.iter().filter_map(|argument| argument.to_str());
    let words = words.flat_map(|word| [Some(word), word.split_once('=').map(|(_, value)| value)]);
    // What has no visible character would be taken for the line ends of the message itself.
    let is_odd = |word: &&str| word.contains(is_invisible) && !word.trim().is_empty();
    let mut odd: Vec<&str> = words.flatten().filter(is_odd).collect();
    odd.sort_by_key(|word| std::cmp::Reverse(word.len()));
    odd.into_iter().fold(text, |text, word| text.replace(word, &escape_invisible(word)))
}

/// Tells what is wrong with the arguments, or the help that was asked for. What was typed may hold a secret, and
/// logs keep it.
#[expect(clippy::print_stderr, reason = "there is no context yet that could")]
fn misused(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let global = args::globals_of(arguments);
    if let Some(failure) = foreign::explain(error, arguments) {
        Context::new(&global).report(&failure);
        return failure.exit.into();
    }
    let text = without_line_ends(error.render().to_string(), arguments);
    if error.use_stderr() && global.format == FormatArg::Json {
        let message = text.strip_prefix("error: ").unwrap_or(&text);
        let message = message.split("\n\n").next().unwrap_or_default();
        Context::new(&global).report(&Failure::bad_input(message));
        return Exit::BadInput.into();
    }
    match portolan_guard::redact(&text) {
        masked if error.use_stderr() && masked != error.render().to_string() => eprint!("{masked}"),
        // If the pipe is closed, there is no reader.
        _ => {
            let _ = error.print();
        }
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
