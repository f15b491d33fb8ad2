//! `portolan run`: archives of the universe, of the Map, or of what a state asks for.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use portolan_chat::run::{self, Document, Progress, RunError, RunMode, RunRequest, Stage};
use portolan_query::ast::write_out;
use portolan_wire::run_report::{Amount, DiffSummary, RunReportV1};
use portolan_workspace::config::MetaHashes;

use crate::args::Format;
use crate::commands::ast::out_file;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{MetaBudget, ScopeArgs, map_failure, parse_budget};
use crate::context::{Context, escape, style};
use crate::failure::{Exit, Failure};
use crate::notices;
use portolan_query::text::{bytes, count, shortened, thousands};

/// The arguments of `portolan run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan run -c -m        open a thread: the map, an empty state, no diff
  portolan run -c           deliver what the state asks for, full and as a diff
  portolan run -c --plan    show what that would be, and write nothing

`portolan run -c --format markdown --diff` is for chats that take no files: it
prints what is new as one document to paste.

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

    /// With --format markdown: where the document goes; `-`, the default, is stdout
    #[arg(short, long, value_name = "FILE", requires = "context")]
    out: Option<PathBuf>,

    /// With --format markdown: the document of what is new or changed only
    #[arg(long, requires = "context", conflicts_with = "meta")]
    diff: bool,

    /// Leave folders with a package.json of their own out of the plain archive
    #[arg(long, conflicts_with = "context")]
    no_subpackages: bool,

    /// Leave the short hashes (`h`) out of the meta
    #[arg(long, requires = "context")]
    no_hashes: bool,

    /// The most tokens the map may cost in the archive, at least 500: a number, `20k`, or `none`
    #[arg(long, value_name = "TOKENS", requires = "context", value_parser = parse_budget)]
    meta_budget: Option<MetaBudget>,

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
    let document = document(args, ctx)?;
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
        document,
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
    if ctx.format == Format::Json {
        ctx.answer(&report.report, &report.notices)?;
        return Ok(Exit::Done);
    }
    notices::say(ctx, &report.notices);
    if let Some(text) = &report.document {
        let summary = summary(&report.report, elapsed, ctx.stderr_width);
        ctx.say(summary.trim_end());
        write_document(args, ctx, text)?;
    } else {
        ctx.data(summary(&report.report, elapsed, ctx.stdout_width).as_bytes())?;
    }
    if let Some(next) = next(&report.report) {
        ctx.say(&format!("next: {next}"));
    }
    Ok(Exit::Done)
}

/// Which document is asked for.
fn document(args: &RunArgs, ctx: &Context) -> Result<Option<Document>, Failure> {
    if ctx.markdown && !args.context {
        return Err(Failure::bad_input("`run --format markdown` goes with `--context`").hint(
            "an archive of everything is too large to paste; `portolan run` writes it as a tar",
        ));
    }
    if !ctx.markdown && (args.out.is_some() || args.diff) {
        return Err(Failure::bad_input("`--out` and `--diff` are about a document")
            .hint("add `--format markdown`; the tars go to the workspace"));
    }
    let which = if args.diff { Document::Diff } else { Document::Full };
    Ok((ctx.markdown && !args.plan).then_some(which))
}

fn write_document(args: &RunArgs, ctx: &mut Context, text: &str) -> Result<(), Failure> {
    match args.out.as_deref().filter(|out| *out != Path::new("-")) {
        None => ctx.artifact(text.as_bytes()),
        Some(out) => {
            write_out(&ctx.system, &out_file(ctx, out), text.as_bytes())
                .map_err(|error| Failure::failed(error.to_string()))?;
            ctx.say(&escape(&format!("wrote {}", out.display())));
            Ok(())
        }
    }
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

/// What to do after it, where that is not obvious: a thread goes on outside.
fn next(report: &RunReportV1) -> Option<&'static str> {
    let sends = |diff: &DiffSummary| diff.archive.files > 0 && !diff.baseline_created;
    match report.mode {
        _ if report.planned => None,
        RunMode::Meta => {
            Some("attach it to a chat; with the state it sends: portolan run --context")
        }
        RunMode::Context if report.diff.as_ref().is_some_and(sends) => {
            Some("attach the diff, then `portolan snap`: the next diff begins there")
        }
        RunMode::Plain | RunMode::Context => None,
    }
}

/// The archive to attach, and when to take the other.
fn attach(report: &RunReportV1) -> String {
    match &report.diff {
        Some(diff) if diff.archive.files == 0 => "nothing: the chat has it all".to_owned(),
        Some(diff) if diff.archive.path == report.attach => {
            format!("{}; to begin a new chat {}", report.attach, report.archive.path)
        }
        _ => report.attach.to_string(),
    }
}

/// Tokens in words; empty if they were not counted.
fn tokens(tokens: Option<u64>) -> String {
    tokens.map_or_else(String::new, |tokens| format!(", {} tokens", thousands(tokens)))
}

/// The figures, for people.
fn summary(report: &RunReportV1, elapsed: Duration, columns: Option<usize>) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut lines = Vec::new();
    let verb = if report.planned { "would write" } else { "wrote" };
    let archive = &report.archive;
    lines.push(format!(
        "{verb} {bold}{}{bold:#}  {}, {}{}",
        archive.path,
        bytes(archive.bytes),
        count(archive.files, "file"),
        tokens(archive.tokens)
    ));
    if let Some(diff) = &report.diff {
        let archive = &diff.archive;
        lines.push(format!(
            "{verb} {bold}{}{bold:#}  {}, {}{}",
            archive.path,
            bytes(archive.bytes),
            changes(diff),
            tokens(archive.tokens)
        ));
    }
    lines.push(format!("attach   {}", attach(report)));
    lines.extend(cost_lines(report));
    lines.extend(report.groups.iter().map(|group| {
        let Amount { files, tokens, .. } = group.amount;
        let tokens = tokens.map_or_else(String::new, |it| format!(", {} tokens", thousands(it)));
        format!("of which {}: {}{tokens}", escape(&group.id), count(files, "file"))
    }));
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
        RunMode::Meta => &[("base", cost.base)],
        RunMode::Plain => &[("total", cost.total)],
    };
    let files = count(cost.total.files, "file").len();
    let rows = rows.iter().map(|(name, amount)| {
        let tokens = amount.tokens.map_or_else(
            || "too large to count tokens".to_owned(),
            |tokens| format!("{} tokens", thousands(tokens)),
        );
        let (files, size) =
            (format!("{:>files$}", count(amount.files, "file")), bytes(amount.bytes));
        format!("{name:<8} {files}  {size:>9}  {tokens}")
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
