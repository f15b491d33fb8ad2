//! `portolan ast`: x07AST documents.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use portolan_query::ast::{
    AstSliceReport, AstSliceRequest, AstSliceStatus, Closure, Enclosure, OutFile, SliceRequest,
    Source, slice_file,
};

use crate::context::Context;
use crate::failure::{Exit, Failure, flag};
use crate::wrapper::{Output, Wrapped, WrapperArgs};

/// The arguments of `portolan ast`.
#[derive(Debug, Args)]
pub(crate) struct AstArgs {
    #[command(subcommand)]
    command: AstCommand,
}

#[derive(Debug, Subcommand)]
enum AstCommand {
    /// Cut the smallest valid module around a JSON Pointer out of an x07AST document
    Slice(SliceArgs),
}

/// The arguments of `portolan ast slice`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan ast slice --in main.x07.json --ptr /decls/0
  portolan ast slice --in main.x07.json --ptr /decls/0 --out slice.json")]
struct SliceArgs {
    /// The x07AST file; `-` is stdin
    #[arg(long = "in", value_name = "PATH", required_unless_present_any = ["json_schema", "json_schema_id"])]
    input: Option<PathBuf>,

    /// A JSON Pointer into the canonical document; empty for all of it
    #[arg(long, value_name = "JSON_POINTER", allow_hyphen_values = true,
          required_unless_present_any = ["json_schema", "json_schema_id"])]
    ptr: Option<String>,

    #[command(flatten)]
    shape: ShapeArgs,

    /// Write the slice to this file
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    wrapper: WrapperArgs,
}

/// What a slice has and how large it may be.
#[derive(Debug, Args)]
#[command(next_help_heading = "Slice options")]
pub(crate) struct ShapeArgs {
    /// The region to take
    #[arg(long, value_enum, default_value_t = EnclosureArg::Decl)]
    enclosure: EnclosureArg,

    /// What to add to the region
    #[arg(long, value_enum, default_value_t = ClosureArg::All)]
    closure: ClosureArg,

    /// At most so many decls
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,

    /// At most so many bytes of canonical JSON
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EnclosureArg {
    /// The decl that the pointer is in
    Decl,
    /// The same, where it is a function
    Defn,
    /// The whole document
    Module,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClosureArg {
    /// Decls of the module that the region refers to
    Locals,
    /// Type parameters, contracts and brands
    Types,
    /// The imports that the region needs
    Imports,
    /// All of them
    All,
}

impl ShapeArgs {
    /// The request for a pointer.
    pub(crate) fn request(&self, ptr: &str) -> SliceRequest {
        SliceRequest {
            ptr: ptr.to_owned(),
            enclosure: match self.enclosure {
                EnclosureArg::Decl => Enclosure::Decl,
                EnclosureArg::Defn => Enclosure::Defn,
                EnclosureArg::Module => Enclosure::Module,
            },
            closure: match self.closure {
                ClosureArg::Locals => Closure::Locals,
                ClosureArg::Types => Closure::Types,
                ClosureArg::Imports => Closure::Imports,
                ClosureArg::All => Closure::All,
            },
            max_nodes: self.max_nodes,
            max_bytes: self.max_bytes,
        }
    }
}

/// Runs it.
pub(crate) fn run(args: &AstArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    match &args.command {
        AstCommand::Slice(args) => {
            Wrapped { command: "ast.slice" }.run(&args.wrapper, ctx, |ctx| slice(args, ctx))
        }
    }
}

fn slice(args: &SliceArgs, ctx: &mut Context) -> Result<Output, Failure> {
    let input = args.input.clone().unwrap_or_default();
    let request = AstSliceRequest {
        input: shown(&input),
        source: source(ctx, &input)?,
        slice: args.shape.request(args.ptr.as_deref().unwrap_or_default()),
        out: args.out.as_deref().map(|out| out_file(ctx, out)),
    };
    let report =
        slice_file(&ctx.system, &request).map_err(|error| Failure::bad_input(error.to_string()))?;
    Ok(output(report))
}

fn output(report: AstSliceReport) -> Output {
    let AstSliceReport { report, status, unreadable, remedy } = report;
    let mut stdout = report.to_canonical();
    stdout.push(b'\n');
    let stderr = match (unreadable, remedy) {
        (Some(error), _) => format!("{error}\n"),
        (None, Some(remedy)) => format!("hint: {}\n", remedy.words(flag)),
        (None, None) => String::new(),
    };
    let exit = match status {
        AstSliceStatus::Done => Exit::Done,
        AstSliceStatus::BadInput => Exit::BadInput,
        AstSliceStatus::Refused => Exit::Refused,
    };
    Output {
        exit: Some(exit),
        stdout,
        stderr,
        diagnostics: report.diagnostics,
        inputs: report.digests.inputs,
        outputs: report.digests.outputs,
    }
}

/// A path as it was given.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A file to write.
pub(crate) fn out_file(ctx: &Context, path: &Path) -> OutFile {
    OutFile { shown: shown(path), path: ctx.path(path) }
}

/// The bytes that a path stands for: a file's, or those on stdin.
pub(crate) fn source(ctx: &Context, path: &Path) -> Result<Source, Failure> {
    if path != Path::new("-") {
        return Ok(Source::File(ctx.path(path)));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Failure::bad_input(format!("cannot read stdin: {error}")))?;
    Ok(Source::Bytes(bytes))
}
