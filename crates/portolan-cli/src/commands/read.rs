//! `portolan read`: declarations with what they need, cut to a budget.

use clap::Args;
use portolan_query::answers;
use portolan_query::declarations::{DOCUMENT_BUDGET, ReadError, TargetError, read_document};
use portolan_types::Notice;
use portolan_wire::question::{Budget, QuestionV1, ReadQuestionV1};

use crate::clipboard;

use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{answer, elsewhere};
use crate::context::{Context, escape_lines};
use crate::failure::{Exit, Failure};
use crate::notices;
use portolan_query::text::{count, thousands};

/// The arguments of `portolan read`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan read src/index.ts:2            the declaration at line 2
  portolan read b --needs signatures      by name, with what it uses
  portolan read src --format markdown     a folder, to paste into a chat")]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    question: ReadQuestionV1,

    /// Copy the answer to the clipboard instead of printing it, where the terminal can
    #[arg(long)]
    clip: bool,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &ReadArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let mut question = args.question.clone();
    elsewhere::follow(ctx, &mut question.targets)?;
    if ctx.markdown {
        return document(args, question, ctx);
    }
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let asked = answer::ask(session, &QuestionV1::Read(question));
    let asked = asked.map_err(|error| answer::failure(&error))?;
    if args.clip {
        let text = asked.answer.to_text().text;
        clipboard::copy(ctx, &text, "the answer")?;
        return Ok(Exit::Done);
    }
    answer::show(ctx, &asked, Some(&args.scope))?;
    Ok(Exit::Done)
}

/// Prints or copies a Markdown document of what was asked for.
fn document(
    args: &ReadArgs,
    mut question: ReadQuestionV1,
    ctx: &mut Context,
) -> Result<Exit, Failure> {
    question.budget = question.budget.or(Budget::new(DOCUMENT_BUDGET));
    let (made, notices) = {
        let session = answer::open(ctx, &args.scope, &args.cache)?;
        let snapshot = session.snapshot().map_err(|error| map_failure(&error))?;
        let store = session.declarations();
        let request = answers::read_request(&question);
        let make = || read_document(&ctx.system, session.config(), &snapshot.map, store, &request);
        let made = session.install(make).map_err(|error| failure(&error))?;
        let notices: Vec<Notice> = store.save(&ctx.system).into_iter().collect();
        // The process is about to end: freeing a large map piece by piece wastes time.
        std::mem::forget((session, snapshot));
        (made, notices)
    };
    let rest = match (made.outlined, made.named) {
        (0, 0) => String::new(),
        (outlined, named) => format!(", {outlined} as outlines, {named} by name"),
    };
    let files = count(made.whole, "file");
    let told = format!("{} tokens: {files} whole{rest}", thousands(made.tokens));
    if args.clip {
        clipboard::copy(ctx, &made.text, &told)?;
    } else {
        ctx.code(&made.text)?;
        ctx.say(&told);
    }
    notices::say_of_answer(ctx, &notices, |_| true);
    Ok(Exit::Done)
}

/// Tells why there is nothing to show, with the next call.
pub(crate) fn failure(error: &ReadError) -> Failure {
    match error {
        ReadError::Map(error) => map_failure(error),
        ReadError::Target(target) => target_failure(target),
        // `read` has no `-F`.
        ReadError::Pattern(error) => Failure::bad_input(escape_lines(&error.to_string()))
            .hint("`--match` takes a regular expression: write `\\(` for a bracket"),
        ReadError::TooSmall { .. } => Failure::bad_input(escape_lines(&error.to_string())),
    }
}

/// Tells why there is nothing to show.
pub(crate) fn target_failure(target: &TargetError) -> Failure {
    Failure::bad_input(escape_lines(&target.to_string())).hint(target.next_call())
}
