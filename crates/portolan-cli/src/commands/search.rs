//! `portolan search`: text, names or a task in, places out.

use std::path::PathBuf;

use clap::Args;
use portolan_query::search::{
    self, OUTLINES_MADE_BY, PlainLayout, PlainReport, SearchContext, SearchError,
};
use portolan_vfs::System as _;
use portolan_wire::question::{QuestionV1, SearchQuestionV1};

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, elsewhere};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};
use crate::notices;

/// Examples.
const EXAMPLES: &str = "Examples:
  portolan search a            every line with it, by declaration
  portolan search -w a src     whole words, below a folder
  portolan search --plain a    path:line:text, as grep prints it";

/// The same, and exit codes of its own: those of grep.
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
#[command(after_help = EXAMPLES, after_long_help = HELP)]
pub(crate) struct SearchArgs {
    /// A pattern, then more patterns, and files or folders to search. A word after the first that names a file or a
    /// folder is one, any other is a pattern
    #[arg(value_name = "PATTERN [PATH]", required_unless_present_any = ["regexp", "task"])]
    words: Vec<String>,

    /// A pattern: for one that starts with `-`, and for several (can be repeated). Then all words are paths
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<String>,

    #[command(flatten)]
    question: SearchQuestionV1,

    /// Print every hit as `path:line:text`, for scripts
    #[arg(long)]
    plain: bool,

    /// Print only the paths of files with hits
    #[arg(short = 'l', long = "files-with-matches", conflicts_with = "plain")]
    files: bool,

    /// Print only how many lines match in each file
    #[arg(short = 'c', long, conflicts_with = "plain")]
    count: bool,

    /// With `--plain`: at most so many hits of each file
    #[arg(short = 'm', long = "max-count", value_name = "N", hide = true)]
    max_count: Option<u32>,

    /// Lower case in all patterns means that case does not matter
    #[arg(short = 'S', long = "smart-case", hide = true)]
    smart_case: bool,

    /// Print nothing: the exit code says whether there is a hit
    #[arg(long, hide = true)]
    silent: bool,

    /// What rg needs to be told to search ignored files
    #[arg(short = 'u', long = "unrestricted", aliases = ["no-ignore", "no-ignore-vcs"], hide = true, action = clap::ArgAction::Count)]
    ignored: u8,

    /// What grep needs to be told to search folders
    #[arg(short = 'r', short_alias = 'R', long, hide = true, action = clap::ArgAction::Count)]
    recursive: u8,

    /// What grep and rg need to be told and this does anyway
    #[arg(
        short = 'n',
        short_aliases = ['E', 'H', 'I', 'P', 's', 'N', 'p'],
        long = "line-number",
        aliases = [
            "hidden", "extended-regexp", "perl-regexp", "pcre2", "with-filename", "no-messages", "heading",
            "no-heading", "no-line-number", "pretty", "trim", "no-config",
        ],
        hide = true,
        action = clap::ArgAction::Count
    )]
    habits: u8,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

impl SearchArgs {
    /// What to print for scripts, if anything.
    fn layout(&self) -> Option<PlainLayout> {
        // Counts have the paths, too.
        let asked = [
            (self.count, PlainLayout::Counts),
            (self.files || self.silent, PlainLayout::Paths),
            (self.plain, PlainLayout::Hits),
        ];
        asked.into_iter().find_map(|(is_asked, layout)| is_asked.then_some(layout))
    }
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
    args.question.context.or(given)
}

/// Searches; whatever fails here is an error, and never nothing.
fn found(args: &SearchArgs, ctx: &mut Context, around: Option<u32>) -> Result<Exit, Failure> {
    let mut words = args.words.clone();
    let has_pattern = args.regexp.is_empty() && args.question.task.is_none();
    elsewhere::follow(ctx, words.get_mut(usize::from(has_pattern)..).unwrap_or_default())?;
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let mut question = args.question.clone();
    question.context = around;
    question.task = answer::task_text(question.task.as_deref())?;
    (question.patterns, question.paths) = if has_pattern {
        search::split_words(&ctx.system, session.config(), &words)
    } else {
        (args.regexp.clone(), words)
    };
    let has_capital = |pattern: &String| pattern.contains(char::is_uppercase);
    question.ignore_case |= args.smart_case && !question.patterns.iter().any(has_capital);
    let notes = notes(args, &question);
    if let Some(layout) = args.layout() {
        if ctx.format == Format::Json {
            return Err(Failure::bad_input("`-l`, `-c` and `--plain` print lines, and no JSON")
                .hint("leave them out: the JSON has every file, line and count"));
        }
        let (config, most) = (session.config(), args.max_count.map(|most| most as usize));
        let outlines = session.outlines(OUTLINES_MADE_BY);
        let context = SearchContext { system: &ctx.system, config, outlines: Some(outlines) };
        let search = || search::search_plain(context, &question, layout, most);
        let found = session.install(search).map_err(|error| failure(&error))?;
        // What scripts read has no place for a notice of the cache.
        let _ = outlines.save(&ctx.system);
        std::mem::forget(session);
        for note in &notes {
            ctx.say(note);
        }
        return if args.silent { Ok(exit(found.lines == 0)) } else { plain(ctx, &found) };
    }
    let asked = answer::ask(session, &QuestionV1::Search(question));
    let asked = asked.map_err(|error| answer::failure(&error))?;
    answer::show(ctx, &asked, Some(&args.scope))?;
    for note in &notes {
        ctx.say(note);
    }
    Ok(exit(asked.answer.report.is_empty()))
}

/// What options of grep and rg do not mean here.
fn notes(args: &SearchArgs, question: &SearchQuestionV1) -> Vec<String> {
    let mut notes = Vec::new();
    if args.recursive > 0 && question.patterns.len() > 1 && args.regexp.is_empty() {
        let patterns = escape_lines(&question.patterns.join("`, `"));
        notes
            .push(format!("note: `-r` is grep's and replaces nothing; the patterns: `{patterns}`"));
    }
    if args.ignored > 0 {
        let note = "note: ignored files are not searched; `--includes GLOB` brings some back";
        notes.push(note.to_owned());
    }
    if args.max_count.is_some() && !args.plain {
        let note = "note: `-m` counts with `--plain`; `--budget TOKENS` bounds this answer";
        notes.push(note.to_owned());
    }
    notes
}

fn exit(is_empty: bool) -> Exit {
    if is_empty { Exit::Failed } else { Exit::Done }
}

/// Prints every hit as grep does.
fn plain(ctx: &mut Context, found: &PlainReport) -> Result<Exit, Failure> {
    // A program gets the bytes as grep prints them; on a terminal nothing in them acts.
    match std::str::from_utf8(&found.text) {
        Ok(text) => ctx.code(text)?,
        Err(_) if ctx.is_looked_at => ctx.text(&String::from_utf8_lossy(&found.text))?,
        Err(_) => ctx.artifact(&found.text)?,
    }
    if let Some(note) = search::unsearched_note(&found.unsearched) {
        ctx.say(&format!("note: {note}"));
    }
    notices::say_of_answer(ctx, &found.notices, |_| true);
    Ok(exit(found.lines == 0))
}

/// Tells why there is no search.
pub(crate) fn failure(error: &SearchError) -> Failure {
    match error {
        SearchError::Map(error) => map_failure(error),
        SearchError::Pattern { .. } => Failure::bad_input(escape_lines(&error.to_string()))
            .hint("`-F` searches for the text as it is written"),
        SearchError::NoPath { path, similar } => {
            let failure = Failure::bad_input(escape_lines(&error.to_string()));
            let failure = match similar.as_slice() {
                [] => failure,
                similar => failure.hint(format!("nearest: `{}`", similar.join("`, `"))),
            };
            if path
                .rsplit_once(':')
                .is_some_and(|(_, it)| it.starts_with(|c: char| c.is_ascii_digit()))
            {
                return failure.hint(escape_lines(&format!(
                    "`portolan read {path} --match PATTERN` searches in lines of a file"
                )));
            }
            failure.hint(escape_lines(&format!("`-e {path}` searches for it as a pattern")))
        }
        _ => Failure::bad_input(escape_lines(&error.to_string())),
    }
}
