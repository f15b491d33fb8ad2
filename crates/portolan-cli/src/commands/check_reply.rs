//! `portolan check-reply`: an assistant's reply, held to the rules of the guide.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::Args;
use portolan_chat::check_reply::{self, Finding, ReplyError, ReplyNote, ReplyReport, ReplyRequest};
use portolan_vfs::System;
use portolan_wire::reports::{FindingV1, PatchedFileV1, ReplyNoteV1, ReplyReportV1};

use crate::args::Format;
use crate::commands::scope::own_config;
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use portolan_query::text::{count, wrapped};

/// The arguments of `portolan check-reply`.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{EXITS}")
)]
pub(crate) struct CheckReplyArgs {
    /// The reply; `-` reads it from stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Hold it to this pack instead of the archive: only lines that it shows, and files that are as they were
    #[arg(long, value_name = "PACK")]
    pack: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  portolan check-reply reply.md                 what is wrong, how to mend it
  portolan check-reply - < reply.md             the same, from a pipe
  portolan check-reply reply.md --format json   for an agent";

const EXITS: &str = "Exit codes:
  0  the reply keeps the rules, and every patch applies
  1  there are findings
  2  the reply or the archive cannot be read";

/// Runs it.
pub(crate) fn run(args: &CheckReplyArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = own_config(ctx)?;
    let request = ReplyRequest { config, reply: read(&args.file, ctx)? };
    let report = match &args.pack {
        Some(pack) => {
            let bytes = ctx.system.read_named(&ctx.path(pack)).map_err(|error| {
                Failure::bad_input(format!("cannot read `{}`: {error}", pack.display()))
            })?;
            check_reply::check_pack(&ctx.system, &request, &bytes)
        }
        None => check_reply::check(&ctx.system, &request),
    };
    let report = report.map_err(|error| failure(&error))?;
    match ctx.format {
        Format::Json => ctx.answer(&to_wire(&report), &[])?,
        Format::Human => {
            ctx.data(to_text(&args.file, &report, ctx.stdout_width).as_bytes())?;
            ctx.say(&verdict(&report));
        }
    }
    Ok(if report.findings.is_empty() { Exit::Done } else { Exit::Failed })
}

pub(crate) fn read(file: &Path, ctx: &Context) -> Result<String, Failure> {
    let name = file.display();
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        ctx.system.read_named(&ctx.path(file))
    };
    let bytes =
        bytes.map_err(|error| Failure::bad_input(format!("cannot read `{name}`: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::bad_input(format!("`{name}` is not UTF-8")))
}

pub(crate) fn failure(error: &ReplyError) -> Failure {
    let hint = match error {
        ReplyError::NoArchive(_) => "`portolan run --context --meta` opens a thread with one",
        ReplyError::Archive { .. } => "`portolan run --context` writes it anew",
        ReplyError::Pack(_) => "a pack is what `portolan pack --format json` writes",
    };
    Failure::bad_input(error.to_string()).hint(hint)
}

pub(crate) fn finding_wire(finding: &Finding) -> FindingV1 {
    FindingV1 {
        code: finding.rule.code(),
        level: if finding.rule.is_about_form() { "form" } else { "error" },
        line: finding.line,
        message: finding.message.clone(),
        fix: finding.fix.clone(),
    }
}

pub(crate) fn note_wire(note: &ReplyNote) -> ReplyNoteV1 {
    ReplyNoteV1 { line: note.line, message: note.message.clone() }
}

fn to_wire(report: &ReplyReport) -> ReplyReportV1 {
    let patches = report.patches.iter().map(|file| PatchedFileV1 {
        path: file.path.to_string(),
        line: file.line,
        action: file.action,
    });
    let findings = report.findings.iter().map(finding_wire);
    ReplyReportV1 {
        v: 1,
        active: report.is_active,
        state: report.state.name(),
        patches: patches.collect(),
        findings: findings.collect(),
        notes: report.notes.iter().map(note_wire).collect(),
    }
}

pub(crate) fn to_text(file: &Path, report: &ReplyReport, columns: Option<usize>) -> String {
    let name = escape(&file.display().to_string());
    let findings = report.findings.iter().map(|finding| finding_text(&name, finding, columns));
    let notes = report.notes.iter().map(|note| note_text(&name, note, columns));
    findings.chain(notes).collect()
}

/// `reply.md:7: note: what was corrected`.
fn note_text(name: &str, note: &ReplyNote, columns: Option<usize>) -> String {
    let text = format!("{name}:{}: note: {} (counted again)", note.line, escape(&note.message));
    format!("{}\n", wrapped(&text, columns, 2))
}

/// `reply.md:7: what is there [CODE]`, and below it the fix.
fn finding_text(name: &str, finding: &Finding, columns: Option<usize>) -> String {
    let (error, hint, dim) = (style::ERROR, style::ACCENT, style::DIM);
    let (place, code) =
        (format!("{name}:{}: ", finding.line), format!("[{}]", finding.rule.code()));
    let message = format!("{} ", escape(&finding.message));
    let text = wrapped(&format!("{place}{message}{code}"), columns, 2);
    // A place that is too long for the terminal is left as it is.
    let broken = text.strip_prefix(&place).and_then(|text| text.strip_suffix(&code));
    let message = broken.unwrap_or(&message);
    let fix = wrapped(&format!("  fix: {}", escape(&finding.fix)), columns, 7);
    let fix = fix.strip_prefix("  fix").unwrap_or_default();
    format!("{place}{error}{message}{error:#}{dim}{code}{dim:#}\n  {hint}fix{hint:#}{fix}\n")
}

fn verdict(report: &ReplyReport) -> String {
    let patches = count(report.patches.len(), "patched file");
    let sleeping = if report.is_active {
        ""
    } else {
        "; no Map has been seen, so nothing was asked of the checklist and the state"
    };
    if report.findings.is_empty() {
        let state = report.state.name();
        format!("the reply keeps the rules and applies ({patches}, state: {state}){sleeping}")
    } else {
        format!("{} in a reply with {patches}{sleeping}", count(report.findings.len(), "finding"))
    }
}
