//! `portolan agent`: context packs.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use portolan_engine::agent::{
    AgentContextReport, AgentContextRequest, AgentError, AgentVerifyReport, AgentVerifyRequest,
    Change, build_pack, to_markdown, verify_pack,
};
use portolan_engine::ast::write_out;
use portolan_wire::reports::{ChangeV1, VerifyReportV1};
use portolan_wire::slice::Diagnostic;

use crate::args::Format;
use crate::commands::ast::{ShapeArgs, out_file, shown, source};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};
use crate::wrapper::{Output, Wrapped, WrapperArgs};

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
    /// The focus is the first error, or the first diagnostic where there is no error. With
    /// `--format markdown` the pack is written as a document for people and chats.
    Context(ContextArgs),
    /// Check a pack against the files that it was made of
    Verify(VerifyArgs),
}

/// The arguments of `portolan agent context`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan agent context --diag diag.json --project .
  portolan agent context --diag diag.json --project . --format markdown
  portolan agent context --diag diag.json --project . --budget 4000")]
struct ContextArgs {
    /// The diagnostics: `x07.x07diag@0.1.0`, or the report of an x07 tool; `-` is stdin
    #[arg(long, value_name = "PATH", required_unless_present_any = ["json_schema", "json_schema_id"])]
    diag: Option<PathBuf>,

    /// The project's manifest (`x07.json`) or its folder, looked up upwards where it is relative
    #[arg(long, value_name = "PATH", required_unless_present_any = ["json_schema", "json_schema_id"])]
    project: Option<PathBuf>,

    #[command(flatten)]
    shape: ShapeArgs,

    /// At most so many tokens for the whole pack
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,

    /// Slice the module that the focus diagnostic names, where that is not the entry
    #[arg(long)]
    follow_file: bool,

    /// Write the pack to this file
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    wrapper: WrapperArgs,
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
        AgentCommand::Context(args) => {
            Wrapped { command: "agent.context" }.run(&args.wrapper, ctx, |ctx| context(args, ctx))
        }
        AgentCommand::Verify(args) => verify(args, ctx),
    }
}

fn failure(error: AgentError) -> Failure {
    let failure = Failure::bad_input(error.message);
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn context(args: &ContextArgs, ctx: &mut Context) -> Result<Output, Failure> {
    let out = args.out.as_deref().map(|out| out_file(ctx, out));
    if out.as_ref().is_some_and(|out| out.shown == "-") {
        return Err(Failure::bad_input("--out '-' is not supported")
            .hint("leave `--out` out: the pack goes to stdout"));
    }
    let diag = args.diag.clone().unwrap_or_default();
    let request = AgentContextRequest {
        directory: ctx.directory.clone(),
        diag: shown(&diag),
        diag_source: source(ctx, &diag)?,
        project: args.project.clone().unwrap_or_default(),
        slice: args.shape.request(""),
        follow_file: args.follow_file,
        budget: args.budget,
    };
    let AgentContextReport { pack, diagnostics, tokens } =
        build_pack(&ctx.system, &request).map_err(failure)?;
    let mut bytes =
        if ctx.markdown { to_markdown(&pack).into_bytes() } else { pack.to_canonical() };
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    let mut stderr: String = diagnostics.iter().map(talk).collect();
    stderr.extend(tokens.map(|tokens| format!("note: the pack has {tokens} tokens\n")));
    let stdout = match &out {
        None => bytes,
        Some(out) => {
            write_out(&ctx.system, out, &bytes)
                .map_err(|error| Failure::bad_input(error.to_string()))?;
            Vec::new()
        }
    };
    Ok(Output {
        exit: Some(Exit::Done),
        stdout,
        stderr,
        diagnostics,
        inputs: pack.digests.inputs,
        outputs: Vec::new(),
    })
}

/// A truncation, in a line for people.
fn talk(diagnostic: &Diagnostic) -> String {
    let stat = |field: &str| {
        diagnostic.data.as_ref().and_then(|data| data[field].as_u64()).unwrap_or_default()
    };
    format!(
        "{} {}: {}: {} of {} decls, {} of {} bytes\n",
        diagnostic.severity,
        diagnostic.code,
        diagnostic.message,
        stat("decls_after"),
        stat("decls_before"),
        stat("bytes_after"),
        stat("bytes_before")
    )
}

fn verify(args: &VerifyArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let request = AgentVerifyRequest {
        directory: ctx.directory.clone(),
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
