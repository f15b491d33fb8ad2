//! `portolan run`: archives of the universe, of the Map, or of what a state asks for.

use std::time::{Duration, Instant};

use clap::Args;
use portolan_engine::config::MetaHashes;
use portolan_engine::run::{self, Progress, RunError, RunMode, RunRequest, Stage};
use portolan_wire::run_report::{Amount, DiffSummary, RunReportV1};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{Budget, ScopeArgs, map_failure, parse_budget};
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::notices;
use crate::text::{bytes, count, shortened, thousands};

/// The arguments of `portolan run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan run -c -m        open a thread: the map, an empty state, no diff
  portolan run -c           deliver what the state asks for, full and as a diff
  portolan run -c --plan    show what that would be, and write nothing

The plain archive (`portolan run`) has every file of the universe, nested
packages too; `--no-subpackages` leaves those out, as older tools did.")]
pub(crate) struct RunArgs {
    /// Archive what the dependency state selects instead of the whole universe
    #[arg(short, long)]
    context: bool,

    /// With --context: open a thread with the map and an empty state
    #[arg(short, long, requires = "context")]
    meta: bool,

    /// Show what would be written, and write nothing at all
    #[arg(short, long)]
    plan: bool,

    /// Leave folders with a package.json of their own out of the plain archive
    #[arg(long, conflicts_with = "context")]
    no_subpackages: bool,

    /// Leave the short hashes (`h`) out of the meta
    #[arg(long, requires = "context")]
    no_hashes: bool,

    /// The most tokens the map may cost in the archive, at least 500: a number, `20k`, or `none`
    #[arg(long, value_name = "TOKENS", requires = "context", value_parser = parse_budget)]
    meta_budget: Option<Budget>,

    /// How many seconds to wait for another run to end
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    wait: u64,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &RunArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command line measures; no artifact has a time"
    )]
    let started = Instant::now();
    let mut config = args.scope.load(ctx)?;
    if args.no_hashes {
        config.settings.meta.hashes = MetaHashes::None;
    }
    if let Some(budget) = args.meta_budget {
        config.settings.meta.budget = budget;
    }
    let request = RunRequest {
        config,
        mode: match (args.context, args.meta) {
            (true, true) => RunMode::Meta,
            (true, false) => RunMode::Context,
            (false, _) => RunMode::Plain,
        },
        subpackages: !args.no_subpackages,
        plan_only: args.plan,
        threads: args.scope.threads,
        cache: args.cache.mode(),
        wait: Duration::from_secs(args.wait),
    };
    let progress = ctx.progress();
    let outcome = run::run(&ctx.system, &request, &|step| progress.say(&stage_line(step)));
    progress.clear();
    let mut report = outcome.map_err(|error| run_failure(&error))?;
    let elapsed = started.elapsed();
    report.report.elapsed_ms = Some(elapsed.as_millis() as u64);
    match ctx.format {
        Format::Json => ctx.answer(&report.report, &report.notices)?,
        Format::Human => {
            notices::say(ctx, &report.notices);
            ctx.data(summary(&report.report, elapsed, ctx.stdout_width).as_bytes())?;
            if let Some(next) = next(&request) {
                ctx.say(&format!("next: {next}"));
            }
        }
    }
    Ok(Exit::Done)
}

/// Tells why a run failed.
pub(crate) fn run_failure(error: &RunError) -> Failure {
    if let RunError::Map(error) = error {
        return map_failure(error);
    }
    let failure = if error.is_bad_input() {
        Failure::bad_input(error.to_string())
    } else {
        Failure::failed(error.to_string())
    };
    error.hints().into_iter().fold(failure, Failure::hint)
}

/// What is going on, in words.
pub(crate) fn stage_line(progress: Progress) -> String {
    let files = |verb: &str| format!("{verb} {}", count(progress.count, "file"));
    match progress.stage {
        Stage::Waiting => "waiting for another run".to_owned(),
        Stage::Mapping => "mapping the repository".to_owned(),
        Stage::Planning => files("reading"),
        Stage::Staging => files("staging"),
        Stage::Archiving => files("archiving"),
        Stage::Committing => "putting everything in place".to_owned(),
    }
}

/// What to do after it, where that is not obvious: a thread begins outside.
fn next(request: &RunRequest) -> Option<&'static str> {
    let opens = request.mode == RunMode::Meta && !request.plan_only;
    opens.then_some("attach it to a chat; with the state it sends: portolan run --context")
}

/// The figures, for people.
fn summary(report: &RunReportV1, elapsed: Duration, columns: Option<usize>) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut lines = Vec::new();
    let verb = if report.planned { "would write" } else { "wrote" };
    let archive = &report.archive;
    lines.push(format!(
        "{verb} {bold}{}{bold:#}  {}, {}",
        archive.path,
        bytes(archive.bytes),
        count(archive.files, "file")
    ));
    if let Some(diff) = &report.diff {
        let archive = &diff.archive;
        lines.push(format!(
            "{verb} {bold}{}{bold:#}  {}, {}",
            archive.path,
            bytes(archive.bytes),
            changes(diff)
        ));
    }
    lines.extend(cost_lines(report));
    if !report.denied.is_empty() {
        lines.push(format!("denied   {}", denied(report)));
    }
    if report.staged > 0 {
        lines.push(format!("staged   {} from outside", count(report.staged, "file")));
    }
    if report.imported > 0 {
        lines.push(format!("imported {}", count(report.imported, "file")));
    }
    if let Some(previous) = &report.previous_state {
        lines.push(format!("kept     the state that was replaced: {previous}"));
    }
    lines.push(String::from("largest"));
    // Behind the column of sizes.
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(13));
    lines.extend(report.largest.iter().map(|member| {
        let path = shortened(&escape(member.path.as_str()), room);
        format!("  {:>9}  {path}", bytes(member.bytes))
    }));
    lines.push(format!("{dim}{:.1} s{dim:#}", elapsed.as_secs_f64()));
    lines.join("\n") + "\n"
}

/// What is new since the baseline, in words.
fn changes(diff: &DiffSummary) -> String {
    if diff.baseline_created {
        return "everything: no baseline yet".to_owned();
    }
    let counts = [
        (diff.added, "added"),
        (diff.changed, "changed"),
        (diff.deleted, "deleted"),
        (diff.deselected, "deselected"),
    ];
    let said = counts.iter().filter(|(number, _)| *number > 0);
    let said: Vec<_> =
        said.map(|(number, what)| format!("{} {what}", thousands(*number as u64))).collect();
    if said.is_empty() { "no changes".to_owned() } else { said.join(", ") }
}

/// What the archive costs; in parts where it has a closure.
fn cost_lines(report: &RunReportV1) -> Vec<String> {
    let cost = &report.cost;
    let rows: &[(&str, Amount)] = match report.mode {
        RunMode::Context => {
            &[("base", cost.base), ("closure", cost.closure), ("total", cost.total)]
        }
        RunMode::Plain | RunMode::Meta => &[("total", cost.total)],
    };
    let files = count(cost.total.files, "file").len();
    let rows = rows.iter().map(|(name, amount)| {
        format!(
            "{name:<8} {:>files$}  {:>9}  about {} tokens",
            count(amount.files, "file"),
            bytes(amount.bytes),
            thousands(amount.tokens)
        )
    });
    rows.collect()
}

/// How many files each kind of rule kept out.
fn denied(report: &RunReportV1) -> String {
    let kinds = ["reserved", "excludes", "secret", "binary"];
    let counts =
        kinds.map(|kind| (report.denied.iter().filter(|denial| denial.rule == kind).count(), kind));
    let said = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, kind)| format!("{number} by rule `{kind}`"));
    said.collect::<Vec<_>>().join(", ")
}
