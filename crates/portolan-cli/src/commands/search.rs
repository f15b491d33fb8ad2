//! `portolan search`: text, names or a task in, places out.

use std::io::Read as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_query::answers::{self, AnswerContext, AnswerStore, search_question};
use portolan_query::search::{self, PlainReport, SearchError};
use portolan_vfs::{CancelToken, System as _};
use portolan_wire::question::{QuestionV1, SearchQuestionV1, WithinV1};

use crate::args::Format;
use crate::commands::answer;
use crate::commands::read::tokens;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::{Context, cache_folder, escape_lines};
use crate::failure::{Exit, Failure};
use crate::notices;

/// The longest task that is read from standard input.
const MOST_TASK: u64 = 1 << 20;

/// Examples, and exit codes of its own: those of grep.
const HELP: &str = "Examples:
  portolan search a            every line with it, by declaration
  portolan search -w a src     whole words, below a folder
  portolan search --plain a    path:line:text, as grep prints it

Exit codes:
  0  something was found
  1  nothing was found
  2  bad usage, bad input, or the search failed";

/// The arguments of `portolan search`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = HELP)]
pub(crate) struct SearchArgs {
    /// A pattern, then more patterns, and files or folders to search. A word after the first that names a file or a
    /// folder is one, any other is a pattern
    #[arg(value_name = "PATTERN [PATH]", required_unless_present_any = ["regexp", "task"])]
    words: Vec<String>,

    /// A pattern: for one that starts with `-`, and for several (can be repeated). Then all words are paths
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<String>,

    /// List the places that a task is about; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["regexp", "names", "plain"], allow_hyphen_values = true)]
    task: Option<String>,

    /// List declarations of these names, exact ones first
    #[arg(long, conflicts_with = "plain")]
    names: bool,

    /// Case does not matter
    #[arg(short = 'i', long)]
    ignore_case: bool,

    /// Only whole words match
    #[arg(short = 'w', long = "word-regexp")]
    word: bool,

    /// The patterns are plain text
    #[arg(short = 'F', long = "fixed-strings")]
    fixed: bool,

    /// Search only files that match, or with `!` only those that do not (can be repeated)
    #[arg(short = 'g', long = "glob", value_name = "GLOB")]
    glob: Vec<String>,

    /// Search only files of a language: its name or the ending of its files (can be repeated)
    #[arg(short = 't', long = "type", value_name = "LANGUAGE")]
    language: Vec<String>,

    /// Show so many lines after each hit
    #[arg(short = 'A', long = "after-context", value_name = "N")]
    after: Option<u32>,

    /// Show so many lines before each hit
    #[arg(short = 'B', long = "before-context", value_name = "N")]
    before: Option<u32>,

    /// Show so many lines around each hit; `-C N` works, too, where there is no folder `N`
    #[arg(long, value_name = "N")]
    context: Option<u32>,

    /// Only hits in this part of the code
    #[arg(long = "in", value_enum, value_name = "PART")]
    within: Option<WithinArg>,

    /// Print every hit as `path:line:text`, for scripts
    #[arg(long)]
    plain: bool,

    /// The most tokens that the text may cost: a number or `4k` (default: 1,000)
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    budget: Option<u64>,

    /// What grep needs to be told and this does anyway
    #[arg(short = 'r', short_aliases = ['n', 'E', 'R', 'H'], long = "recursive", hide = true, action = clap::ArgAction::Count)]
    habits: u8,

    #[command(flatten)]
    scope: ScopeArgs,
}

/// A part of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WithinArg {
    /// Neither comments nor strings
    Code,
    /// Comments
    Comments,
    /// String literals
    Strings,
}

/// Runs it.
pub(crate) fn run(args: &SearchArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    // Flags that grep needs are taken and mean nothing here.
    let _ = args.habits;
    let around = around(args, ctx);
    found(args, ctx, around).map_err(|failure| Failure { exit: Exit::BadInput, ..failure })
}

/// The lines around hits that were asked for. `-C` names a folder in every command; where it is a number and no
/// folder has that name, it means what it means to grep.
fn around(args: &SearchArgs, ctx: &mut Context) -> Option<u32> {
    let number = ctx.directory.to_str().and_then(|text| text.parse().ok());
    let is_number = ctx.is_directory_given && ctx.system.lstat(&ctx.directory).is_err();
    let given = number.filter(|_| is_number);
    if given.is_some() {
        ctx.directory = PathBuf::from(".");
        ctx.is_directory_given = false;
    }
    args.context.or(given)
}

/// Searches; whatever fails here is an error, and never nothing.
fn found(args: &SearchArgs, ctx: &mut Context, around: Option<u32>) -> Result<Exit, Failure> {
    let request = MapRequest { config: args.scope.load(ctx)?, threads: args.scope.threads };
    let session = Session::open(&ctx.system, request, CacheMode::Off);
    let session = session.map_err(|error| map_failure(&error))?;
    let config = session.config();
    let (patterns, paths) = if args.regexp.is_empty() && args.task.is_none() {
        search::split_words(&ctx.system, config, &args.words)
    } else {
        (args.regexp.clone(), args.words.clone())
    };
    let question = SearchQuestionV1 {
        patterns,
        paths,
        task: args.task.as_deref().map(read_task).transpose()?,
        names: args.names,
        ignore_case: args.ignore_case,
        word: args.word,
        fixed: args.fixed,
        glob: args.glob.clone(),
        language: args.language.clone(),
        within: args.within.map(|within| match within {
            WithinArg::Code => WithinV1::Code,
            WithinArg::Comments => WithinV1::Comments,
            WithinArg::Strings => WithinV1::Strings,
        }),
        before: args.before.or(around),
        after: args.after.or(around),
        budget: args.budget,
    };
    if args.plain {
        let request = answers::search_request(&question);
        let found = session.install(|| search::search_plain(&ctx.system, config, &request));
        let found = found.map_err(|error| failure(&error))?;
        std::mem::forget(session);
        return plain(ctx, &found);
    }
    if ctx.format == Format::Json {
        let found = session.install(|| search_question(&ctx.system, config, &question));
        let found = found.map_err(|error| failure(&error))?;
        std::mem::forget(session);
        ctx.answer(&found.to_wire(), &[])?;
        return Ok(exit(found.is_empty()));
    }
    let is_plain = args.scope.is_plain() && config.here.is_empty();
    let question = QuestionV1::Search(question);
    let desk = AnswerContext { session: &session, watch: &CancelToken::default() };
    let (answer, is_empty) =
        answers::answer_search(desk, &question).map_err(|error| answer::failure(&error))?;
    // The process is about to end: giving memory back piece by piece is a waste.
    std::mem::forget(session);
    let store = cache_folder().filter(|_| is_plain);
    if let Some(store) = store.and_then(|cache| AnswerStore::open(&ctx.system, &cache)) {
        store.put(&answer);
    }
    ctx.code(&answer.text)?;
    notices::say_of_answer(ctx, &answer.notices, |_| true, true);
    Ok(exit(is_empty))
}

fn exit(is_empty: bool) -> Exit {
    if is_empty { Exit::Failed } else { Exit::Done }
}

/// Prints every hit as grep does.
fn plain(ctx: &mut Context, found: &PlainReport) -> Result<Exit, Failure> {
    ctx.artifact(&found.text)?;
    if found.withheld.lines > 0 {
        let lines = found.withheld.lines;
        ctx.say(&format!("note: {lines} more in files that may hold secrets"));
    }
    notices::say_of_answer(ctx, &found.notices, |_| true, false);
    Ok(exit(found.lines == 0))
}

/// The text of a task.
fn read_task(task: &str) -> Result<String, Failure> {
    if task != "-" {
        return Ok(task.to_owned());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(MOST_TASK).read_to_end(&mut bytes);
    read.map_err(|error| Failure::bad_input(format!("cannot read the task: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Tells why there is no search.
pub(crate) fn failure(error: &SearchError) -> Failure {
    match error {
        SearchError::Map(error) => map_failure(error),
        SearchError::Pattern { .. } => Failure::bad_input(escape_lines(&error.to_string()))
            .hint("`-F` searches for the text as it is written"),
        _ => Failure::bad_input(escape_lines(&error.to_string())),
    }
}
