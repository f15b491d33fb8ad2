//! `portolan read`: declarations with what they need, cut to a budget.

use clap::{Args, ValueEnum};
use portolan_query::answers::read_request;
use portolan_query::declarations;
use portolan_query::declarations::{ReadError, TargetError};
use portolan_wire::question::{ClosureV1, EnclosureV1, NeedsV1, QuestionV1, ReadQuestionV1};
use portolan_workspace::config::parse_tokens;

use crate::args::Format;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, search};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};

/// The arguments of `portolan read`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan read src/index.ts:2            the declaration at line 2
  portolan read b --needs signatures      by name, with what it uses
  portolan read src/a.ts#a --match 1      the parts around matches")]
pub(crate) struct ReadArgs {
    /// `path`, `path:line[:column]`, `path:from-to`, `path#Name`, `path#Class.{a,b}`, `path#"title of a test"` or a name
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,

    /// The most tokens that the answer may cost: a number or `8k`
    #[arg(long, value_name = "TOKENS", value_parser = tokens, default_value = "4k")]
    budget: u64,

    /// How much of what is needed is shown
    #[arg(long, value_enum, value_name = "HOW", default_value_t = NeedsArg::Names)]
    needs: NeedsArg,

    /// Which region around a place is shown whole
    #[arg(long, value_enum, value_name = "REGION", default_value_t = EnclosureArg::Defn)]
    enclosure: EnclosureArg,

    /// Which of what is needed is shown
    #[arg(long, value_enum, value_name = "CATEGORY", default_value_t = ClosureArg::All)]
    closure: ClosureArg,

    /// The most bytes that the text may have
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,

    /// The most needed declarations that may be shown
    #[arg(long, value_name = "N")]
    max_nodes: Option<usize>,

    /// Show only the parts around lines that match this regular expression (can be repeated)
    #[arg(long = "match", value_name = "REGEX", allow_hyphen_values = true)]
    matching: Vec<String>,

    /// Show long files and classes whole, and not as outlines
    #[arg(long)]
    all: bool,

    /// List names that could not be resolved, too
    #[arg(long)]
    verbose: bool,

    /// Tell who uses the targets: the lines that do
    #[arg(long)]
    users: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// How much of what is needed is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NeedsArg {
    /// Names and places, in one line
    Names,
    /// Signatures
    #[value(alias = "heads")]
    Signatures,
    /// What the target names itself whole, the rest as signatures
    Full,
    /// Nothing
    None,
}

/// The regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EnclosureArg {
    /// The member, or else the declaration
    Defn,
    /// The declaration
    Decl,
    /// The file
    Module,
}

/// The categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClosureArg {
    /// Of the same file
    Locals,
    /// Interfaces, aliases, enumerations
    Types,
    /// Of other files
    Imports,
    /// Everything
    All,
}

pub(crate) fn tokens(text: &str) -> Result<u64, String> {
    parse_tokens(text).ok_or_else(|| "expected a number such as `8000` or `8k`".to_owned())
}

/// Runs it.
pub(crate) fn run(args: &ReadArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    if ctx.format != Format::Json {
        answer::say(ctx, &args.scope, &args.cache, &QuestionV1::Read(question(args)))?;
        return Ok(Exit::Done);
    }
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
    let store = session.declarations();
    let request = read_request(&question(args));
    let report = declarations::read(&ctx.system, session.config(), &snapshot.map, store, &request);
    let report = report.map_err(|error| failure(&error))?.to_wire();
    let mut notices = snapshot.map.notices.clone();
    notices.extend(store.save(&ctx.system));
    // The process is about to end: giving a large map back piece by piece is a waste.
    std::mem::forget((session, snapshot));
    ctx.answer(&report, &notices)?;
    Ok(Exit::Done)
}

/// The arguments as a question.
fn question(args: &ReadArgs) -> ReadQuestionV1 {
    ReadQuestionV1 {
        targets: args.targets.clone(),
        needs: Some(match args.needs {
            NeedsArg::Names => NeedsV1::Names,
            NeedsArg::Signatures => NeedsV1::Signatures,
            NeedsArg::Full => NeedsV1::Full,
            NeedsArg::None => NeedsV1::None,
        }),
        budget: Some(args.budget),
        enclosure: Some(match args.enclosure {
            EnclosureArg::Defn => EnclosureV1::Defn,
            EnclosureArg::Decl => EnclosureV1::Decl,
            EnclosureArg::Module => EnclosureV1::Module,
        }),
        closure: Some(match args.closure {
            ClosureArg::Locals => ClosureV1::Locals,
            ClosureArg::Types => ClosureV1::Types,
            ClosureArg::Imports => ClosureV1::Imports,
            ClosureArg::All => ClosureV1::All,
        }),
        max_bytes: args.max_bytes,
        max_nodes: args.max_nodes,
        users: args.users,
        matching: args.matching.clone(),
        all: args.all,
        verbose: args.verbose,
    }
}

/// Tells why there is nothing to show, with the next call.
pub(crate) fn failure(error: &ReadError) -> Failure {
    match error {
        ReadError::Map(error) => map_failure(error),
        ReadError::Target(target) => target_failure(target),
        ReadError::Pattern(error) => search::failure(error),
        ReadError::TooSmall { .. } => Failure::bad_input(escape_lines(&error.to_string())),
    }
}

/// Tells why there is nothing to show.
pub(crate) fn target_failure(target: &TargetError) -> Failure {
    Failure::bad_input(escape_lines(&target.to_string())).hint(target.next_call())
}
