//! `portolan agent`: context packs.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use portolan_query::agent::{
    AgentError, AgentVerifyReport, AgentVerifyRequest, Change, verify_pack,
};
use portolan_wire::reports::{ChangeV1, VerifyReportV1};

use crate::args::Format;
use crate::commands::ast::{shown, source};
use crate::commands::pack::{self, PackArgs};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure, flag};

/// The arguments of `portolan agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(Debug, Subcommand)]
enum AgentCommand {
    /// Pack what is needed to repair a failing project: diagnostics, the code around the focus, digests
    ///
    /// The same as `portolan pack`. Of an x07 project the focus is the first error, or the first
    /// diagnostic where there is no error, and the pack is JSON unless `--format markdown` is given.
    Context(Box<PackArgs>),
    /// Check a pack against the files that it was made of
    Verify(VerifyArgs),
}

/// The arguments of `portolan agent verify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan agent verify pack.json               do its files still give this?
  portolan agent verify pack.json --project .   the same, of a copy of it
  portolan agent verify pack.json --format json")]
struct VerifyArgs {
    /// The pack; `-` is stdin
    pack: PathBuf,

    /// The project's manifest or its folder; by default it is looked up by the name in the pack
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,

    /// The diagnostics, where they are not where the pack says
    #[arg(long, value_name = "PATH")]
    diag: Option<PathBuf>,
}

/// Runs it.
pub(crate) fn run(args: &AgentArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    match &args.command {
        AgentCommand::Context(args) => pack::run(args, ctx),
        AgentCommand::Verify(args) => verify(args, ctx),
    }
}

/// Tells why there is no pack.
pub(crate) fn failure(error: AgentError) -> Failure {
    let failure = Failure::bad_input(error.message);
    match error.remedy {
        Some(remedy) => failure.hint(remedy.words(flag)),
        None => failure,
    }
}

fn verify(args: &VerifyArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let request = AgentVerifyRequest {
        directory: ctx.directory.clone(),
        load: ctx.load_request(),
        git: ctx.git.clone(),
        pack: shown(&args.pack),
        source: source(ctx, &args.pack)?,
        project: args.project.clone(),
        diag: args.diag.clone(),
    };
    let report = verify_pack(&ctx.system, &request).map_err(failure)?;
    match ctx.format {
        Format::Json => ctx.answer(&verify_wire(&report), &[])?,
        Format::Human => ctx.data(verify_text(&report).as_bytes())?,
    }
    Ok(if is_ok(&report) { Exit::Done } else { Exit::Failed })
}

fn is_ok(report: &AgentVerifyReport) -> bool {
    report.changes.is_empty() && report.unverifiable.is_empty()
}

fn verify_wire(report: &AgentVerifyReport) -> VerifyReportV1 {
    let list = |changes: &[Change]| {
        let changes = changes.iter().cloned();
        changes.map(|Change { what, how }| ChangeV1 { what, how }).collect()
    };
    VerifyReportV1 {
        v: 1,
        ok: is_ok(report),
        checked: report.checked.clone(),
        unverifiable: list(&report.unverifiable),
        changes: list(&report.changes),
    }
}

fn verify_text(report: &AgentVerifyReport) -> String {
    let line = |verb: &str, change: &Change| format!("{verb}  {}\n", escape(&change.to_string()));
    let changed = report.changes.iter().map(|change| line("changed", change));
    let unverifiable = report.unverifiable.iter().map(|input| line("unverifiable", input));
    let verdict = match report.changes.len() {
        0 if !report.unverifiable.is_empty() => {
            "unverifiable: the pack cannot be made again from what is there\n".to_owned()
        }
        0 => format!("the pack is what its {} files give today\n", report.checked.len()),
        1 => "1 change: the pack cannot be trusted\n".to_owned(),
        n => format!("{n} changes: the pack cannot be trusted\n"),
    };
    changed.chain(unverifiable).chain([verdict]).collect()
}
