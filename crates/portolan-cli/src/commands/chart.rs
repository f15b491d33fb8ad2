//! `portolan chart`: the map as text that fits a budget.

use std::io::Read as _;

use clap::Args;
use portolan_index::history::commits;
use portolan_index::map::MapRequest;
use portolan_index::session::Session;
use portolan_query::chart::{
    ChartError, ChartRequest, DEFAULT_BUDGET, InterestSettings, changed_since, draw_chart,
};
use portolan_types::Notice;
use portolan_wire::question::{ChartQuestionV1, QuestionV1};
use portolan_workspace::config::parse_tokens;
use portolan_workspace::path_input::PathInput;

use crate::args::Format;
use crate::commands::answer;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};

/// The longest task that is read from stdin.
const MOST_TASK: u64 = 1 << 20;

/// The arguments of `portolan chart`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan chart                        what is in which folder, and its cost
  portolan chart src **/index.ts        with these in detail
  portolan chart --task - < reply.md    with what that is about in detail

`portolan chart --changed` shows what changed since HEAD in detail.")]
pub(crate) struct ChartArgs {
    /// Files, folders or globs to show in detail
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// What you want to do, in words; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,

    /// Show in detail what changed since this revision [default without one: HEAD]
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    changed: Option<String>,

    /// The most tokens that the chart may cost, at least 500: a number or `8k` [default: `meta.budget`]
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    budget: Option<u64>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

fn tokens(text: &str) -> Result<u64, String> {
    parse_tokens(text).ok_or_else(|| "expected a number such as `8000` or `8k`".to_owned())
}

/// Runs it.
pub(crate) fn run(args: &ChartArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let config = args.scope.load(ctx)?;
    let mut request = ChartRequest {
        zoom: args.paths.clone(),
        path_input: PathInput::here(&config),
        changed: Vec::new(),
        task: task(args)?,
        commits: Vec::new(),
        budget: args.budget.or(config.settings.meta.budget).unwrap_or(DEFAULT_BUDGET),
        interest: InterestSettings::default(),
    };
    // What cannot be met is told before the work, not after it.
    request.check().map_err(|error| failure(&error))?;
    if ctx.format != Format::Json {
        let ChartRequest { zoom: paths, task, budget, .. } = request;
        let changed = args.changed.clone();
        let question = ChartQuestionV1 { paths, task, changed, budget: Some(budget) };
        answer::say(ctx, &args.scope, &args.cache, &QuestionV1::Chart(question))?;
        return Ok(Exit::Done);
    }
    let root = config.root.clone();
    let map = MapRequest { config, threads: args.scope.threads };
    let session = Session::open(&ctx.system, map, args.cache.mode());
    let session = session.map_err(|error| map_failure(&error))?;
    let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
    let map = &snapshot.map;
    if let Some(revision) = &args.changed {
        let changed = changed_since(&ctx.system, &root, revision, map);
        request.changed = changed.map_err(|error| revision_failure(&error))?;
    }
    if request.task.is_some() {
        request.commits = commits(&session.index_files(&ctx.system), map);
    }
    let report =
        draw_chart(&session, map, &ctx.system, &request).map_err(|error| failure(&error))?;
    let all_notices: Vec<Notice> = map.notices.iter().chain(&report.notices).cloned().collect();
    // The process is about to end: giving a large map back piece by piece is a waste.
    std::mem::forget((session, snapshot));
    ctx.answer(&report.to_wire(), &all_notices)?;
    Ok(Exit::Done)
}

fn task(args: &ChartArgs) -> Result<Option<String>, Failure> {
    match args.task.as_deref() {
        Some("-") => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().take(MOST_TASK).read_to_end(&mut bytes);
            read.map_err(|error| Failure::failed(format!("cannot read the task: {error}")))?;
            Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
        }
        text => Ok(text.map(str::to_owned)),
    }
}

/// Tells why nothing can be compared with a revision.
pub(crate) fn revision_failure(error: &str) -> Failure {
    Failure::bad_input(escape_lines(error))
        .hint("`--changed` takes a commit, a branch or a tag; paths go before it")
}

/// Tells why there is no chart.
pub(crate) fn failure(error: &ChartError) -> Failure {
    let failure = Failure::bad_input(error.to_string());
    match error {
        ChartError::Budget(_) => {
            failure.hint("raise `--budget`, or `meta.budget` in the configuration")
        }
        ChartError::Unknown(unknown) if !unknown.similar.is_empty() => {
            failure.hint(format!("did you mean `{}`?", unknown.similar.join("`, `")))
        }
        ChartError::Threads(error) => map_failure(error),
        ChartError::Unknown(_) => failure.hint(
            "paths and globs are from the repository's root or the current folder; `portolan chart` shows what is there",
        ),
    }
}
