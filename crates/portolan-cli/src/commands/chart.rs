//! `portolan chart`: the map as text that fits a budget.

use std::io::Read as _;

use clap::Args;
use portolan_index::map::MapRequest;
use portolan_index::session::Session;
use portolan_query::answers::search_question;
use portolan_query::chart::{
    ChartError, ChartRequest, InterestSettings, SCREEN_BUDGET, changed_since, draw_chart,
};
use portolan_types::Notice;
use portolan_wire::question::{ChartQuestionV1, QuestionV1, SearchQuestionV1};
use portolan_workspace::config::parse_tokens;
use portolan_workspace::path_input::PathInput;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, search};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};

/// The longest task that is read from stdin.
const MOST_TASK: u64 = 1 << 20;

/// The arguments of `portolan chart`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan chart                        what the folders are for, and their size
  portolan chart src **/index.ts        outlines of these
  portolan chart --task - < reply.md    as `search --task`

`portolan chart --changed` shows what changed since HEAD in detail.")]
pub(crate) struct ChartArgs {
    /// Files, folders or globs to outline
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// What you want to do, in words; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,

    /// Show in detail what changed since this revision [default without one: HEAD]
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    changed: Option<String>,

    /// The most tokens that the chart may cost, at least 500: a number or `8k` [default: 880]
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
        budget: args.budget.unwrap_or(SCREEN_BUDGET),
        interest: InterestSettings::default(),
    };
    // What cannot be met is told before the work, not after it.
    request.check().map_err(|error| failure(&error))?;
    if let Some(task) = request.task {
        return for_task(args, ctx, task);
    }
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
    let report =
        draw_chart(&session, map, &ctx.system, &request).map_err(|error| failure(&error))?;
    let all_notices: Vec<Notice> = map.notices.iter().chain(&report.notices).cloned().collect();
    // The process is about to end: giving a large map back piece by piece is a waste.
    std::mem::forget((session, snapshot));
    ctx.answer(&report.to_wire(), &all_notices)?;
    Ok(Exit::Done)
}

/// Answers as `search --task` does.
fn for_task(args: &ChartArgs, ctx: &mut Context, task: String) -> Result<Exit, Failure> {
    let (paths, budget) = (args.paths.clone(), args.budget);
    let question = SearchQuestionV1 { task: Some(task), paths, budget, ..Default::default() };
    if ctx.format != Format::Json {
        answer::say(ctx, &args.scope, &args.cache, &QuestionV1::Search(question))?;
        return Ok(Exit::Done);
    }
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let found = session.install(|| search_question(&ctx.system, session.config(), &question));
    let found = found.map_err(|error| search::failure(&error))?;
    std::mem::forget(session);
    ctx.answer(&found.to_wire(), &[])?;
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
            failure.hint("raise `--budget`")
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
