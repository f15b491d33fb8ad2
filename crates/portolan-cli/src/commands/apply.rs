//! `portolan apply`: the changes of a reply that passed, put into the files; and taken back.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use portolan_chat::apply::{self, AppliedFile, ApplyError, ApplyReport, ApplyRequest, UndoRequest};
use portolan_wire::reports::{AppliedFileV1, ApplyReportV1};

use crate::args::Format;
use crate::commands::check_reply;
use crate::commands::run::{run_failure, stage_line};
use crate::commands::scope::own_config;
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use portolan_query::text::count;

/// The arguments of `portolan apply`.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{EXITS}")
)]
pub(crate) struct ApplyArgs {
    /// The reply; `-` reads it from stdin
    #[arg(value_name = "REPLY", required_unless_present = "undo", conflicts_with = "undo")]
    reply: Option<PathBuf>,

    /// Show what would change, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,

    /// Apply it even if it breaks rules on what a reply says of itself (checklist, state line)
    #[arg(long, conflicts_with = "undo")]
    lenient: bool,

    /// Take the last one back, if its files are still as it left them
    #[arg(long)]
    undo: bool,

    /// How many seconds to wait for another run to end
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    wait: u64,
}

const EXAMPLES: &str = "Examples:
  portolan apply reply.md --dry-run   what would change
  portolan apply reply.md             change the files: all of them, or none
  portolan apply --undo               take the last one back";

const EXITS: &str = "Exit codes:
  0  done
  1  the reply has findings, or the files could not be changed; they are as they were
  2  the reply or the archive cannot be read, or there is nothing to take back";

/// Runs it.
pub(crate) fn run(args: &ApplyArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = own_config(ctx)?;
    let wait = Duration::from_secs(args.wait);
    let progress = ctx.progress();
    let say = |step| progress.say(&stage_line(step));
    let outcome = match &args.reply {
        None => {
            let request = UndoRequest { config, is_dry_run: args.dry_run, wait };
            apply::undo(&ctx.system, &request, &say)
        }
        Some(file) => {
            let reply = check_reply::read(file, ctx)?;
            let (is_lenient, is_dry_run) = (args.lenient, args.dry_run);
            let request = ApplyRequest { config, reply, is_lenient, is_dry_run, wait };
            apply::apply(&ctx.system, &request, &say)
        }
    };
    progress.clear();
    let report = outcome.map_err(|error| failure(&error))?;
    match ctx.format {
        Format::Json => ctx.answer(&to_wire(args, &report), &[])?,
        Format::Human => told(args, &report, ctx)?,
    }
    let passed = report.reply.as_ref().is_none_or(|reply| apply::passes(reply, args.lenient));
    Ok(if passed { Exit::Done } else { Exit::Failed })
}

fn failure(error: &ApplyError) -> Failure {
    let message = error.to_string();
    match error {
        ApplyError::Reply(error) => check_reply::failure(error),
        ApplyError::Run(error) => run_failure(error),
        ApplyError::Changes(_) => Failure::failed(message),
        ApplyError::ChangedSince(_) => Failure::failed(message)
            .hint("nothing was written; put those files back by hand, or leave it as it is"),
        ApplyError::CutShort(_) => Failure::failed(message).hint(
            "what they were is in `<stanPath>/patch/portolan/next`; remove that folder when done",
        ),
        ApplyError::Nothing => Failure::bad_input(message)
            .hint("only the last `portolan apply` is kept, and only once"),
    }
}

fn to_wire(args: &ApplyArgs, report: &ApplyReport) -> ApplyReportV1 {
    let files = report.files.iter().map(|file| AppliedFileV1 {
        path: file.path.to_string(),
        from: file.from.as_ref().map(ToString::to_string),
        action: file.action,
        added: file.added,
        removed: file.removed,
    });
    let findings = report.reply.iter().flat_map(|reply| &reply.findings);
    let notes = report.reply.iter().flat_map(|reply| &reply.notes);
    ApplyReportV1 {
        v: 1,
        applied: report.is_applied,
        dry_run: args.dry_run,
        undo: args.undo,
        taken_back: report.taken_back,
        files: files.collect(),
        findings: findings.map(check_reply::finding_wire).collect(),
        notes: notes.map(check_reply::note_wire).collect(),
    }
}

fn told(args: &ApplyArgs, report: &ApplyReport, ctx: &mut Context) -> Result<(), Failure> {
    if let Some(restored) = report.taken_back {
        let files = count(restored, "file");
        ctx.say(&format!("an `apply` was cut short: {files} put back as they were"));
    }
    if let (Some(reply), Some(file)) = (&report.reply, &args.reply) {
        ctx.data(check_reply::to_text(file, reply, ctx.stdout_width).as_bytes())?;
        if !apply::passes(reply, args.lenient) {
            let findings = count(reply.findings.len(), "finding");
            ctx.say(&format!("{findings}: nothing was applied"));
            let is_only_form = apply::passes(reply, true);
            if is_only_form {
                ctx.tell(
                    "hint",
                    style::ACCENT,
                    "`--lenient` applies it all the same: the patches fit",
                );
            }
            return Ok(());
        }
    }
    ctx.data(table(&report.files).as_bytes())?;
    let verdict = verdict(args, report);
    ctx.say(&verdict);
    Ok(())
}

fn verdict(args: &ApplyArgs, report: &ApplyReport) -> String {
    let sum = |of: fn(&AppliedFile) -> usize| report.files.iter().map(of).sum::<usize>();
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    let files = count(report.files.len(), "file");
    match (args.undo, report.is_applied) {
        (true, true) if report.files.is_empty() => "there is nothing else to take back".to_owned(),
        (true, true) => format!("took {files} back"),
        (true, false) => format!("{files} would be taken back"),
        (false, true) => {
            format!("applied {files}, +{added} -{removed}; undo: portolan apply --undo")
        }
        (false, false) => format!("{files} would change, +{added} -{removed}"),
    }
}

/// `edit    src/a.ts  +1 -2`, a line each.
fn table(files: &[AppliedFile]) -> String {
    let width = files.iter().map(|file| file.action.len()).max().unwrap_or(0);
    let (dim, accent) = (style::DIM, style::ACCENT);
    let line = |file: &AppliedFile| {
        let path = escape(file.path.as_str());
        let from = file.from.as_ref().map(|from| escape(from.as_str()));
        let from = from.map_or_else(String::new, |from| format!(" {dim}from {from}{dim:#}"));
        let counts = match (file.added, file.removed) {
            (0, 0) => String::new(),
            (added, removed) => format!("  {dim}+{added} -{removed}{dim:#}"),
        };
        format!("{accent}{:width$}{accent:#}  {path}{from}{counts}\n", file.action)
    };
    files.iter().map(line).collect()
}
