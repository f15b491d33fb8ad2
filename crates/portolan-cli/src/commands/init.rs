//! `portolan init`: the files a repository needs to be worked with.

use std::path::PathBuf;

use clap::Args;
use portolan_chat::init::{self, Action, InitError, InitReport, InitRequest, PlannedFile};
use portolan_types::NoticeCode;
use portolan_wire::reports::{InitReportV1, InitStepV1};

use crate::args::Format;
use crate::commands::scope::own_config;
use crate::context::{Context, style};
use crate::failure::{Exit, Failure};
use portolan_query::text::wrapped;

/// What to do after it.
const NEXT: &str = "portolan run --context --meta";

/// What an agent does first.
const NEXT_OF_AGENTS: &str = "portolan chart";

/// The arguments of `portolan init`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan init --dry-run    what it would write
  portolan init              write it
  portolan init --agents     tell coding agents how to ask

`portolan init --agents --undo` takes that back.")]
pub(crate) struct InitArgs {
    /// Show what would be written, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,

    /// Replace our own texts by those of this version; keep all else
    #[arg(short, long)]
    force: bool,

    /// Write what coding agents read: a section of AGENTS.md, a skill, .mcp.json and its like
    ///
    /// `.amazonq`, `.codex`, `.cursor`, `.gemini`, `.junie`, `.kiro`, `.opencode`, `.roo`, `.vscode` and `.zed` get the server
    /// where these folders are, and `opencode.json` where it is. What is there already stays; a server or a section is never added twice.
    #[arg(long)]
    agents: bool,

    /// With --agents: take back what it wrote; what you changed since stays
    #[arg(long, requires = "agents")]
    undo: bool,
}

/// Runs it.
pub(crate) fn run(args: &InitArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = own_config(ctx)?;
    let notices = config.notices.clone();
    let InitArgs { agents, force: refresh, dry_run, undo } = *args;
    let has_claude = is_on_path("claude");
    let request = InitRequest { config, agents, refresh, dry_run, undo, has_claude };
    let report = init::init(&ctx.system, &request).map_err(|error| failure(&error))?;
    match ctx.format {
        Format::Json => {
            let next = if agents { NEXT_OF_AGENTS } else { NEXT };
            ctx.answer(&to_wire(report, next), &notices)?;
        }
        Format::Human => {
            for notice in notices.iter().filter(|notice| notice.code == NoticeCode::ConfigRoot) {
                ctx.say(&notice.message);
            }
            ctx.data(to_text(&report, ctx.stdout_width).as_bytes())?;
            if undo {
                let is_left = |step: &PlannedFile| matches!(step.action, Action::KeepChanged(_));
                let (left, done): (Vec<_>, Vec<_>) =
                    report.steps.iter().partition(|it| is_left(it));
                ctx.say(match (left.is_empty(), done.is_empty(), dry_run) {
                    (true, true, _) => "nothing that `init --agents` wrote is here",
                    (true, false, false) => "what `init --agents` wrote is gone",
                    (_, false, true) => "next: portolan init --agents --undo",
                    (false, ..) => {
                        "hint: remove what you changed by hand, or all of it with `--force`"
                    }
                });
                return Ok(if left.is_empty() { Exit::Done } else { Exit::Failed });
            }
            let is_planned = dry_run && report.steps.iter().any(|s| s.action != Action::Keep);
            let next = match (is_planned, agents) {
                (true, true) => "portolan init --agents",
                (true, false) => "portolan init",
                (false, true) => NEXT_OF_AGENTS,
                (false, false) => NEXT,
            };
            if let Some(own) = agents.then(unknown_by_name).flatten() {
                ctx.say(&format!(
                    "hint: clients start the server as `portolan`, which is not on the PATH; put it there, or name {} in its place",
                    own.display()
                ));
            }
            ctx.say(&format!("next: {next}"));
        }
    }
    Ok(Exit::Done)
}

/// The path of this binary, if its name alone does not find it: npm and pip install below a folder, and clients start it by name.
fn unknown_by_name() -> Option<PathBuf> {
    std::env::var_os("PATH")?;
    std::env::current_exe().ok().filter(|_| !is_on_path("portolan"))
}

/// Whether a program is found by its name.
fn is_on_path(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders).any(|folder| folder.join(&name).is_file())
}

fn failure(error: &InitError) -> Failure {
    let message = error.to_string();
    match error {
        InitError::Io { .. } => Failure::failed(message),
        InitError::Place { .. } => Failure::bad_input(message).hint(
            "files are made inside the repository only; remove the link or the folder in the way",
        ),
        InitError::Servers { .. } => Failure::bad_input(message)
            .hint("mend the file, then run `portolan init --agents` again"),
        InitError::NotText { .. } => {
            Failure::bad_input(message).hint("save it as UTF-8, then run `portolan init` again")
        }
        InitError::Write { .. } => {
            Failure::failed(message).hint("`portolan init` goes on where it stopped")
        }
    }
}

fn to_wire(report: InitReport, next: &'static str) -> InitReportV1 {
    let steps = report.steps.into_iter().map(|PlannedFile { path, action }| InitStepV1 {
        path: path.to_string(),
        action: action.name(),
        lines: match action {
            Action::Append(lines) | Action::Cut(lines) => lines,
            _ => Vec::new(),
        },
    });
    InitReportV1 { v: 1, dry_run: report.dry_run, steps: steps.collect(), next }
}

fn to_text(report: &InitReport, columns: Option<usize>) -> String {
    let dim = style::DIM;
    let line = |PlannedFile { path, action }: &PlannedFile| match (action, report.dry_run) {
        (Action::Keep, _) => format!("{dim}kept      {path}{dim:#}\n"),
        (Action::KeepChanged(part), _) => format!("kept      {path}: {part} was changed\n"),
        (Action::Create, false) => format!("wrote     {path}\n"),
        (Action::Replace, false) => format!("replaced  {path}\n"),
        (Action::Remove, false) => format!("removed   {path}\n"),
        (Action::Cut(parts), false) => format!("took out of {path}: {}\n", parts.join(" ")),
        (Action::Cut(parts), true) => {
            format!("would take out of {path}: {}\n", parts.join(" "))
        }
        (Action::Append(lines), false) => format!("added to  {path}: {}\n", lines.join(" ")),
        (Action::Append(lines), true) => format!("would add to {path}: {}\n", lines.join(" ")),
        (_, true) => format!("would {} {path}\n", action.name()),
    };
    report.steps.iter().map(|step| wrapped(&line(step), columns, 10)).collect()
}
