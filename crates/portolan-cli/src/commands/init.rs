//! `portolan init`: the files a repository needs to be worked with.

use clap::Args;
use portolan_engine::config;
use portolan_engine::init::{self, Action, InitError, InitReport, InitRequest, Step};
use serde_json::json;

use crate::args::Format;
use crate::commands::scope::config_failure;
use crate::context::{Context, style};
use crate::failure::{Exit, Failure};

/// What to do after it.
const NEXT: &str = "portolan run --context --meta";

/// The arguments of `portolan init`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan init --dry-run    what it would write
  portolan init              write it
  portolan init --force      bring the copy of the guide up to this version")]
pub(crate) struct InitArgs {
    /// Show what would be written, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,

    /// Replace the repository's copy of the guide by the one of this version; keep all else
    #[arg(short, long)]
    force: bool,
}

/// Runs it.
pub(crate) fn run(args: &InitArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config =
        config::load(&ctx.system, &ctx.directory).map_err(|error| config_failure(&error))?;
    let request = InitRequest { config, refresh_guide: args.force, dry_run: args.dry_run };
    let report = init::init(&ctx.system, &request).map_err(|error| failure(&error))?;
    let answer = match ctx.format {
        Format::Json => {
            format!("{}\n", portolan_wire::canonical::to_string(&to_json(&report)))
        }
        Format::Human => to_text(&report),
    };
    ctx.data(answer.as_bytes())?;
    if ctx.format == Format::Human {
        let next = if args.dry_run { "portolan init" } else { NEXT };
        ctx.say(&format!("next: {next}"));
    }
    Ok(Exit::Done)
}

fn failure(error: &InitError) -> Failure {
    let message = error.to_string();
    match error {
        InitError::Io { .. } => Failure::failed(message),
        InitError::Place { .. } => Failure::bad_input(message).hint(
            "files are made inside the repository only; remove the link or the folder in the way",
        ),
        InitError::NotText { .. } => {
            Failure::bad_input(message).hint("save it as UTF-8, then run `portolan init` again")
        }
        InitError::Write { .. } => {
            Failure::failed(message).hint("`portolan init` goes on where it stopped")
        }
    }
}

fn to_json(report: &InitReport) -> serde_json::Value {
    let steps = report.steps.iter().map(|Step { path, action }| match action {
        Action::Append(lines) => {
            json!({"path": path.as_str(), "action": action.name(), "lines": lines})
        }
        _ => json!({"path": path.as_str(), "action": action.name()}),
    });
    json!({
        "result": {"v": 1, "dryRun": report.dry_run, "steps": steps.collect::<Vec<_>>(), "next": NEXT},
        "notices": [],
    })
}

fn to_text(report: &InitReport) -> String {
    let dim = style::DIM;
    let line = |Step { path, action }: &Step| match (action, report.dry_run) {
        (Action::Keep, _) => format!("{dim}kept      {path}{dim:#}\n"),
        (Action::Create, false) => format!("wrote     {path}\n"),
        (Action::Replace, false) => format!("replaced  {path}\n"),
        (Action::Append(lines), false) => format!("added to  {path}: {}\n", lines.join(" ")),
        (Action::Append(lines), true) => format!("would add to {path}: {}\n", lines.join(" ")),
        (_, true) => format!("would {} {path}\n", action.name()),
    };
    report.steps.iter().map(line).collect()
}
