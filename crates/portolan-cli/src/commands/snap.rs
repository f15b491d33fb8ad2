//! `portolan snap`: the baselines that diffs are measured against.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use portolan_archive::{Baseline, Move};
use portolan_chat::snap::{self, SnapAction, SnapError, SnapReport, SnapRequest};
use portolan_wire::reports::{BaselineV1, SnapReportV1};

use crate::args::Format;
use crate::commands::run::{run_failure, stage_line};
use crate::commands::scope::ScopeArgs;
use crate::context::{Context, style};
use crate::failure::{Exit, Failure};
use crate::notices;
use portolan_query::text::count;

/// The arguments of `portolan snap`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  portolan snap              diffs are measured from now on
  portolan snap undo         back to the baseline before
  portolan snap info         the baselines that are kept"
)]
pub(crate) struct SnapArgs {
    #[command(subcommand)]
    step: Option<SnapCommand>,

    /// Move only the baseline of context runs
    #[arg(long, conflicts_with = "plain")]
    context: bool,

    /// Move only the baseline of plain runs
    #[arg(long)]
    plain: bool,

    /// Leave folders with a package.json of their own out of the plain baseline
    #[arg(long)]
    no_subpackages: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

/// Moves along the history.
#[derive(Clone, Copy, Debug, Subcommand)]
enum SnapCommand {
    /// List the baselines that are kept
    Info,
    /// Go back to the baseline before
    Undo {
        /// Go even if files of that selection are not there any more
        #[arg(long)]
        force: bool,
    },
    /// Go on to the baseline after
    Redo {
        /// Go even if files of that selection are not there any more
        #[arg(long)]
        force: bool,
    },
    /// Go to a baseline by its number
    Set {
        /// Its number, as `info` shows it
        #[arg(value_name = "N")]
        number: usize,
        /// Go even if files of that selection are not there any more
        #[arg(long)]
        force: bool,
    },
}

/// Runs it.
pub(crate) fn run(args: &SnapArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let action = match args.step {
        None => SnapAction::Set {
            baselines: baselines(args),
            now: now(),
            subpackages: !args.no_subpackages,
        },
        Some(SnapCommand::Info) => SnapAction::Info,
        Some(SnapCommand::Undo { force }) => SnapAction::Go { step: Move::Undo, force },
        Some(SnapCommand::Redo { force }) => SnapAction::Go { step: Move::Redo, force },
        Some(SnapCommand::Set { number, force }) => {
            SnapAction::Go { step: Move::To(number), force }
        }
    };
    let request = SnapRequest {
        config: args.scope.load(ctx)?,
        action,
        threads: args.scope.threads,
        wait: Duration::from_secs(10),
    };
    let progress = ctx.progress();
    let outcome = snap::snap(&ctx.system, &request, &|step| progress.say(&stage_line(step)));
    progress.clear();
    let report = outcome.map_err(|error| failure(&error))?;
    match ctx.format {
        Format::Json => ctx.answer(&to_wire(&report), &report.notices)?,
        Format::Human => {
            notices::say(ctx, &report.notices);
            ctx.data(to_text(&report).as_bytes())?;
        }
    }
    Ok(Exit::Done)
}

fn baselines(args: &SnapArgs) -> Vec<Baseline> {
    match (args.plain, args.context) {
        (true, _) => vec![Baseline::Plain],
        (_, true) => vec![Baseline::Context],
        _ => Vec::new(),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the history tells when a baseline was set; no artifact has a time"
)]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn failure(error: &SnapError) -> Failure {
    match error {
        SnapError::Run(error) => run_failure(error),
        SnapError::Nowhere(message) => Failure::bad_input(message)
            .hint("`portolan snap` sets a baseline; `portolan snap info` lists those there are"),
        SnapError::Corrupt { .. } => Failure::failed(error.to_string())
            .hint("remove that file and `portolan snap` begins a new history"),
        SnapError::Unsatisfied(_) => Failure::failed(error.to_string())
            .hint("`portolan run --context` maps anew; `--force` goes there all the same"),
    }
}

fn to_wire(report: &SnapReport) -> SnapReportV1 {
    let set = report.set.iter();
    let set = set.map(|(baseline, files)| BaselineV1 { baseline: baseline.name(), files: *files });
    SnapReportV1 { v: 1, history: report.history.clone(), set: set.collect() }
}

fn to_text(report: &SnapReport) -> String {
    let mut lines: Vec<String> = report
        .set
        .iter()
        .map(|(baseline, files)| {
            format!("the {} baseline has {}", baseline.name(), count(*files, "file"))
        })
        .collect();
    if report.history.entries.is_empty() {
        lines.push("there is no history yet; `portolan snap` begins one".to_owned());
    }
    let accent = style::ACCENT;
    for (index, entry) in report.history.entries.iter().enumerate() {
        let mark = if index == report.history.index {
            format!("{accent}>{accent:#}")
        } else {
            " ".to_owned()
        };
        let kinds =
            [entry.plain.as_ref().map(|_| "plain"), entry.context.as_ref().map(|_| "context")];
        let kinds = kinds.into_iter().flatten().collect::<Vec<_>>().join(", ");
        lines.push(format!("{mark} {index}  {}  {kinds}", utc(entry.at)));
    }
    lines.join("\n") + "\n"
}

/// Seconds since 1970 as a date and time in UTC.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // The calendar counted in eras of 400 years that begin on the first of March.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day_of_month:02} {:02}:{:02}:{:02} UTC",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_794_700_000), "2026-11-14 23:46:40 UTC");
    }
}
