//! `portolan select`: what a state, or the entries given here, select, and what that costs.

mod input;

use std::path::PathBuf;

use clap::Args;
use portolan_query::select::{
    SelectAnswer, SelectError, SelectReport, TextStyle, select_question, warning_text,
};
use portolan_wire::question::SelectQuestionV1;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::notices;
use portolan_query::text::thousands;

/// How many warnings, and how many hints, are said; JSON has them all.
const SAID: usize = 5;

/// The arguments of `portolan select`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan select                                what the state on disk selects
  portolan select src/index.ts:2 --budget 30k    a file and its context, to fit
  portolan select --importers src/a.ts           who depends on a file")]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    question: SelectQuestionV1,

    /// Read the graph or the meta from this file (`-` for stdin) instead of mapping a repository
    #[arg(long, value_name = "FILE")]
    graph: Option<PathBuf>,

    /// Read the entries from this state file (`-` for stdin)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["entries", "exclude"])]
    state: Option<PathBuf>,

    /// Save the entries as the state file
    #[arg(long)]
    write: bool,

    /// Rewrite the state file in version 2
    #[arg(long, conflicts_with_all = ["entries", "exclude", "write", "budget"])]
    upgrade: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &SelectArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    if args.upgrade {
        return upgrade(args, ctx);
    }
    let chart = input::chart(args, ctx)?;
    let question = &args.question;
    let mut all_notices = chart.notices.clone();
    let entries = if question.importers.is_some() {
        input::Directives::default()
    } else {
        input::directives(args, ctx)?
    };
    all_notices.extend(entries.notices);
    let source = chart.source(&ctx.system);
    let (answer, told) =
        select_question(&source, question, &entries.entries).map_err(|error| failure(&error))?;
    all_notices.extend(told);
    let selected = match &answer {
        SelectAnswer::Selection { report, .. } => Some(report),
        SelectAnswer::Why(_) | SelectAnswer::Importers(_) => None,
    };
    if let Some(report) = selected.filter(|_| args.write) {
        refuse_unknown(report)?;
    }
    if ctx.format == Format::Json {
        ctx.answer(&answer.to_wire(), &all_notices)?;
    } else {
        let (bold, accent, dim) = (style::BOLD, style::ACCENT, style::DIM);
        let style = TextStyle { columns: ctx.stdout_width, bold, accent, dim };
        ctx.data(answer.to_text(&style).as_bytes())?;
        notices::say(ctx, &all_notices);
    }
    if let Some(report) = selected {
        say_warnings(ctx, report);
        if args.write {
            write_state(args, ctx, &report.state.to_text())?;
        }
    }
    Ok(Exit::Done)
}

/// Tells why there is no answer.
pub(crate) fn failure(error: &SelectError) -> Failure {
    let failure = Failure::bad_input(error.to_string());
    match error {
        SelectError::Folder(id) => failure.hint(format!("`portolan chart {id}` lists its files")),
        SelectError::Unknown { similar, .. } => similar
            .iter()
            .fold(failure, |failure, near| failure.hint(format!("did you mean `{near}`?"))),
        SelectError::Map(error) => map_failure(error),
        SelectError::Entry(_) | SelectError::Sizes(_) => failure,
    }
}

fn say_warnings(ctx: &mut Context, report: &SelectReport) {
    if ctx.format == Format::Json || ctx.quiet {
        return;
    }
    let warnings = &report.summary.warnings;
    for text in warnings.iter().take(SAID) {
        ctx.tell("warning", style::WARNING, &warning_text(text));
    }
    if warnings.len() > SAID {
        let more = thousands((warnings.len() - SAID) as u64);
        ctx.say(&format!("… and {more} more warnings; `--format json` lists them all"));
    }
    for (id, near) in report.suggestions.iter().take(SAID) {
        let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
        let text = format!("`{id}`: did you mean {}?", near.join(", "));
        ctx.tell("hint", style::ACCENT, &text);
    }
}

/// A state that leads nowhere is not worth overwriting one for.
fn refuse_unknown(report: &SelectReport) -> Result<(), Failure> {
    if report.unknown.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = report.unknown.iter().take(SAID).map(|id| format!("`{id}`")).collect();
    let more = report.unknown.len().saturating_sub(SAID);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "nothing was written: {}{more} is neither in the map nor a file, folder or glob of the repository",
        shown.join(", ")
    );
    let hints = report.suggestions.iter().map(|(id, near)| {
        let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
        format!("`{id}`: did you mean {}?", near.join(", "))
    });
    Err(hints.fold(Failure::bad_input(message), Failure::hint))
}

fn upgrade(args: &SelectArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let (name, bytes) = input::state_file(args, ctx)?;
    let Some(bytes) = bytes else {
        return Err(Failure::bad_input(format!("there is no state to upgrade at {name}")));
    };
    let read = input::read_strict(&name, &bytes)?;
    write_state(args, ctx, &read.state.to_text())?;
    Ok(Exit::Done)
}

fn write_state(args: &SelectArgs, ctx: &mut Context, text: &str) -> Result<(), Failure> {
    let name = input::write_state(args, ctx, text.as_bytes())?;
    ctx.say(&escape(&format!("wrote {name}")));
    Ok(())
}
