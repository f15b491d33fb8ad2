//! The machine-readable wrapper of the x07 commands: `--json`, `--report-out` and their kin.
//!
//! A wrapped command answers with one report that holds what it would have printed, its exit code,
//! its diagnostics and the digests of its files.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use portolan_query::ast::{OutFile, write_out};
use portolan_vfs::System;
use portolan_wire::canonical;
use portolan_wire::slice::{Diagnostic, FileDigest};
use serde_json::{Value, json};

use crate::context::{Context, escape};
use crate::failure::{Exit, Failure};

/// The flags of the wrapper.
#[derive(Debug, Args)]
#[command(next_help_heading = "Wrapper options")]
pub(crate) struct WrapperArgs {
    /// Answer with a wrapper report: `canon`, `pretty` or `off`
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "canon")]
    json: Option<String>,

    /// Also write the wrapper report to this file
    #[arg(long, value_name = "PATH")]
    report_out: Option<PathBuf>,

    /// Print nothing on stdout: the wrapper report goes to `--report-out` only
    #[arg(long)]
    quiet_json: bool,

    /// Print the JSON Schema of the wrapper report
    #[arg(long)]
    pub(crate) json_schema: bool,

    /// Print the name of the wrapper report's schema
    #[arg(long)]
    pub(crate) json_schema_id: bool,
}

/// A command that can be wrapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapped {
    /// Its name with dots, for example `ast.slice`.
    pub(crate) command: &'static str,
}

/// What a command would print, and how it ends.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) exit: Option<Exit>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) inputs: Vec<FileDigest>,
    pub(crate) outputs: Vec<FileDigest>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Off,
    Canon,
    Pretty,
}

impl Mode {
    fn parse(text: Option<&str>) -> Option<Self> {
        match text {
            None | Some("off" | "false") => Some(Self::Off),
            Some("canon" | "true") => Some(Self::Canon),
            Some("pretty") => Some(Self::Pretty),
            Some(_) => None,
        }
    }
}

impl Wrapped {
    fn schema_id(self) -> String {
        format!("x07.tool.{}.report@0.1.0", self.command)
    }

    /// Runs a command and prints what it has to say, wrapped where that was asked for.
    pub(crate) fn run(
        self,
        args: &WrapperArgs,
        ctx: &mut Context,
        command: impl FnOnce(&mut Context) -> Result<Output, Failure>,
    ) -> Result<Exit, Failure> {
        let start = Instant::now();
        if args.json_schema_id {
            ctx.artifact(format!("{}\n", self.schema_id()).as_bytes())?;
            return Ok(Exit::Done);
        }
        if args.json_schema {
            ctx.artifact(self.schema().as_bytes())?;
            return Ok(Exit::Done);
        }
        if args.quiet_json && args.report_out.is_none() {
            return Err(Failure::bad_input(
                "--quiet-json leaves nothing to read without --report-out",
            )
            .hint("add `--json --report-out PATH`"));
        }
        let mode = Mode::parse(args.json.as_deref());
        if mode == Some(Mode::Off) {
            if args.report_out.is_some() {
                ctx.say("note: --report-out has no effect without --json");
            }
            let output = command(ctx)?;
            return plain(ctx, &output);
        }
        let output = match mode {
            Some(_) => captured(command(ctx)),
            None => bad_mode(args.json.as_deref().unwrap_or_default()),
        };
        let report = self.report(ctx, start, &output, mode.is_some());
        Self::publish(args, ctx, &report, mode.unwrap_or(Mode::Canon))?;
        Ok(output.exit.unwrap_or(Exit::Done))
    }

    fn publish(
        args: &WrapperArgs,
        ctx: &mut Context,
        report: &Value,
        mode: Mode,
    ) -> Result<(), Failure> {
        let mut bytes = match mode {
            Mode::Pretty => serde_json::to_vec_pretty(report).unwrap_or_default(),
            _ => canonical::to_vec(report),
        };
        bytes.push(b'\n');
        if let Some(path) = &args.report_out {
            let out = OutFile { shown: path.display().to_string(), path: ctx.path(path) };
            write_out(&ctx.system, &out, &bytes)
                .map_err(|error| Failure::bad_input(error.to_string()))?;
        }
        if args.quiet_json { Ok(()) } else { ctx.artifact(&bytes) }
    }

    fn report(self, ctx: &Context, start: Instant, output: &Output, ran: bool) -> Value {
        let exit = output.exit.unwrap_or(Exit::Done);
        let mut diagnostics = output.diagnostics.clone();
        if exit != Exit::Done && diagnostics.iter().all(|diagnostic| diagnostic.severity != "error")
        {
            let said = output.stderr.trim();
            let message = if said.is_empty() {
                format!("wrapped command failed with exit code {}", exit.code())
            } else {
                said.to_owned()
            };
            diagnostics.push(Diagnostic::failed(message));
        }
        let ok = exit == Exit::Done
            && diagnostics.iter().all(|diagnostic| diagnostic.severity != "error");
        let mut result = json!({
            "stdout": stream(&output.stdout, ran),
            "stderr": stream(output.stderr.as_bytes(), ran),
        });
        if let Ok(value) = serde_json::from_slice::<Value>(&output.stdout) {
            result["stdout_json"] = value;
        }
        json!({
            "schema_version": self.schema_id(),
            "command": format!("portolan.{}", self.command),
            "ok": ok,
            "exit_code": exit.code(),
            "diagnostics": diagnostics,
            "meta": {
                "tool": {"name": "portolan", "version": env!("CARGO_PKG_VERSION")},
                "elapsed_ms": u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                "cwd": ctx.system.real_path(&ctx.directory).unwrap_or_default().display().to_string(),
                "argv": std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>(),
                "inputs": sorted(&output.inputs),
                "outputs": sorted(&output.outputs),
                "nondeterminism": {"uses_os_time": false, "uses_network": false, "uses_process": false},
            },
            "result": result,
        })
    }

    /// The schema of this command's report: the general one with the names filled in.
    fn schema(self) -> String {
        portolan_wire::schemas::tool_report()
            .replace("x07.tool.COMMAND.report@0.1.0", &self.schema_id())
            .replace("portolan.COMMAND", &format!("portolan.{}", self.command))
    }
}

fn sorted(digests: &[FileDigest]) -> Vec<FileDigest> {
    let mut digests = digests.to_vec();
    digests.sort_by(|left, right| left.path.cmp(&right.path));
    digests
}

fn stream(bytes: &[u8], ran: bool) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) if ran => json!({"bytes_len": bytes.len(), "text": text}),
        _ => json!({"bytes_len": bytes.len()}),
    }
}

fn bad_mode(mode: &str) -> Output {
    let message =
        format!("unsupported --json value {mode:?}; expected one of: true,false,canon,pretty,off");
    let diagnostic = Diagnostic {
        code: "X07-TOOL-ARGS-0001".into(),
        stage: "parse".into(),
        ..Diagnostic::failed(message)
    };
    Output { exit: Some(Exit::BadInput), diagnostics: vec![diagnostic], ..Output::default() }
}

/// What a failure would print, captured.
fn captured(outcome: Result<Output, Failure>) -> Output {
    outcome.unwrap_or_else(|failure| {
        let hints: Vec<String> =
            failure.hints.iter().map(|hint| format!("hint: {hint}\n")).collect();
        let stderr = format!("error: {}\n{}", failure.message, hints.concat());
        Output { exit: Some(failure.exit), stderr, ..Output::default() }
    })
}

fn plain(ctx: &mut Context, output: &Output) -> Result<Exit, Failure> {
    ctx.artifact(&output.stdout)?;
    for line in output.stderr.lines() {
        ctx.say(&escape(line));
    }
    Ok(output.exit.unwrap_or(Exit::Done))
}
