//! `portolan pack`: what is needed to repair a failure.

use std::path::PathBuf;

use clap::Args;
use portolan_engine::agent::{
    AgentContextReport, AgentContextRequest, build_pack, is_x07, to_markdown,
};
use portolan_engine::ast::{Source, write_out};
use portolan_engine::diagnostics::{
    DiagnosticsError, DiagnosticsReport, DiagnosticsRequest, Format as DiagFormat, read_output,
};
use portolan_engine::{System as _, config};
use portolan_wire::slice::Diagnostic;

use crate::args::Format;
use crate::commands::agent::failure;
use crate::commands::ast::{ShapeArgs, out_file, shown, source};
use crate::commands::scope::{config_failure, map_failure};
use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};
use crate::wrapper::{Output, Wrapped, WrapperArgs};

pub(crate) const EXAMPLES: &str = "Examples:
  portolan pack --diag ci.log                what to repair, and what that needs
  portolan pack --diag - < ci.log            the same, from a pipe
  portolan pack --diag ci.log --list         only what was read";

/// The arguments of `portolan pack` and `portolan agent context`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PackArgs {
    /// What a compiler, linter or test printed, or a whole log; `-` is stdin
    #[arg(long, value_name = "PATH", required_unless_present_any = ["json_schema", "json_schema_id"])]
    diag: Option<PathBuf>,

    /// The format of the output, where it is not recognised
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    diag_format: Option<DiagFormat>,

    /// Print the diagnostics that were read, and nothing else
    #[arg(long)]
    list: bool,

    /// x07: the project's manifest (`x07.json`) or its folder, looked up upwards where it is relative
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,

    #[command(flatten)]
    shape: ShapeArgs,

    /// At most so many tokens for the whole pack
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,

    /// x07: slice the module that the focus diagnostic names, where that is not the entry
    #[arg(long)]
    follow_file: bool,

    /// Write the pack to this file
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    wrapper: WrapperArgs,
}

fn parse_format(text: &str) -> Result<DiagFormat, String> {
    DiagFormat::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = DiagFormat::all().into_iter().map(DiagFormat::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Runs it.
pub(crate) fn run(args: &PackArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let Some(diag) = &args.diag else {
        return Wrapped { command: "agent.context" }
            .run(&args.wrapper, ctx, |_| Ok(Output::default()));
    };
    if args.project.is_some() {
        let source = source(ctx, diag)?;
        return of_x07(args, ctx, source);
    }
    let output = match source(ctx, diag)? {
        Source::Bytes(bytes) => bytes,
        Source::File(path) => ctx.system.read_named(&path).map_err(|error| {
            Failure::bad_input(format!("cannot read `{}`: {error}", diag.display()))
        })?,
    };
    if is_x07(&output) && !args.list {
        return of_x07(args, ctx, Source::Bytes(output));
    }
    let request = DiagnosticsRequest {
        config: config::load(&ctx.system, &ctx.directory)
            .map_err(|error| config_failure(&error))?,
        directory: ctx.directory.clone(),
        shown: shown(diag),
        output,
        format: args.diag_format,
    };
    if args.list {
        let report = read_output(&ctx.system, &request).map_err(|error| unread(&error))?;
        return list(&report, ctx);
    }
    Err(Failure::bad_input("packs of this format are not made yet")
        .hint("`--list` shows what was read"))
}

/// Tells why nothing was read.
fn unread(error: &DiagnosticsError) -> Failure {
    match error {
        DiagnosticsError::Map(error) => map_failure(error),
        DiagnosticsError::Empty { .. } => Failure::bad_input(error.to_string())
            .hint("give what the tool printed: both streams, `cmd 2>&1 | portolan pack --diag -`"),
        DiagnosticsError::Nothing { .. } => {
            let names: Vec<&str> = DiagFormat::all().into_iter().map(DiagFormat::name).collect();
            Failure::bad_input(error.to_string())
                .hint(format!("`--diag-format` names one of: {}", names.join(", ")))
        }
    }
}

fn list(report: &DiagnosticsReport, ctx: &mut Context) -> Result<Exit, Failure> {
    if ctx.format == Format::Json {
        ctx.answer(&report.to_wire(), &report.notices)?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for diagnostic in report.to_wire().diagnostics {
        let numbers = [diagnostic.line, diagnostic.col].into_iter().flatten();
        let place: String = diagnostic
            .file
            .into_iter()
            .chain(numbers.map(|number| number.to_string()))
            .collect::<Vec<_>>()
            .join(":");
        let code = diagnostic.code.map_or_else(String::new, |code| format!(" {code}"));
        let line = format!("{place}: {}{code}: {}", diagnostic.severity, diagnostic.message);
        text.push_str(&escape(line.trim_start_matches(": ")));
        text.push('\n');
    }
    ctx.data(text.as_bytes())?;
    crate::notices::say(ctx, &report.notices);
    Ok(Exit::Done)
}

fn of_x07(args: &PackArgs, ctx: &mut Context, source: Source) -> Result<Exit, Failure> {
    Wrapped { command: "agent.context" }.run(&args.wrapper, ctx, |ctx| context(args, ctx, source))
}

fn context(args: &PackArgs, ctx: &mut Context, source: Source) -> Result<Output, Failure> {
    let out = args.out.as_deref().map(|out| out_file(ctx, out));
    if out.as_ref().is_some_and(|out| out.shown == "-") {
        return Err(Failure::bad_input("--out '-' is not supported")
            .hint("leave `--out` out: the pack goes to stdout"));
    }
    let request = AgentContextRequest {
        directory: ctx.directory.clone(),
        diag: shown(args.diag.as_deref().unwrap_or_else(|| std::path::Path::new("-"))),
        diag_source: source,
        project: args.project.clone().unwrap_or_else(|| PathBuf::from(".")),
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
