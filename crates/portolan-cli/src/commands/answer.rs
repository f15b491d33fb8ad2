//! What the questions of agents have in common on the command line: asked once, printed, put on the shelf.

use portolan_index::map::MapRequest;
use portolan_index::session::Session;
use portolan_query::answers::{self, Answer, AnswerContext, AnswerError, AnswerStore};
use portolan_vfs::CancelToken;
use portolan_wire::question::QuestionV1;

use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{chart, pack, read, search};
use crate::context::{Context, cache_folder, escape_lines};
use crate::failure::Failure;
use crate::notices;

/// Opens a session for one question.
pub(crate) fn open<'s>(
    ctx: &'s Context,
    scope: &ScopeArgs,
    cache: &CacheArgs,
) -> Result<Session<'s>, Failure> {
    let request = MapRequest { config: scope.load(ctx)?, threads: scope.threads };
    Session::open(&ctx.system, request, cache.mode()).map_err(|error| map_failure(&error))
}

/// Answers a question in words.
pub(crate) fn say(
    ctx: &mut Context,
    scope: &ScopeArgs,
    cache: &CacheArgs,
    question: &QuestionV1,
) -> Result<(), Failure> {
    let session = open(ctx, scope, cache)?;
    let answer = ask_once(ctx, session, question, scope.is_plain());
    let (answer, is_nothing_here) = answer.map_err(|error| failure(&error))?;
    let Answer { text, notices, manifest, .. } = answer;
    match question {
        // No code in them: whatever would act on a terminal is written out, wherever it goes.
        QuestionV1::Chart(_) | QuestionV1::Look(_) => ctx.text(&text)?,
        _ => ctx.code(&text)?,
    }
    // A chart names nearly every file: what is odd about each is not what was asked.
    let is_chart = matches!(question, QuestionV1::Chart(_));
    let is_shown = |path: &str| !is_chart && manifest.files.contains_key(path);
    notices::say_of_answer(ctx, &notices, is_shown, true);
    if is_nothing_here {
        ctx.say(if scope.scope.is_empty() {
            "hint: no file is here to tell of; `-C DIR` asks about another folder"
        } else {
            "hint: no file is in the scope; `--scope` takes a path or a glob from the root or the current folder"
        });
    }
    Ok(())
}

/// Answers a question and puts what the answer is made from on the shelf; and tells whether there is no file at all.
/// `is_plain` says that it is asked with the repository's own settings.
pub(crate) fn ask_once(
    ctx: &Context,
    session: Session<'_>,
    question: &QuestionV1,
    is_plain: bool,
) -> Result<(Answer, bool), AnswerError> {
    let is_at_root = session.config().here.is_empty();
    let desk = AnswerContext { session: &session, watch: &CancelToken::default() };
    let answer = answers::answer(desk, question);
    let is_nothing = session.snapshot().is_ok_and(|snapshot| snapshot.map.universe.is_empty());
    // The process is about to end: giving a large map back piece by piece is a waste.
    std::mem::forget(session);
    let answer = answer?;
    // What was asked with other settings than the repository's, or from elsewhere, cannot be asked again.
    if let Some(cache) = cache_folder().filter(|_| is_plain && is_at_root) {
        AnswerStore::new(&ctx.system, &cache).put(&answer);
    }
    Ok((answer, is_nothing))
}

/// Tells why there is no answer.
pub(crate) fn failure(error: &AnswerError) -> Failure {
    match error {
        AnswerError::Map(error) => map_failure(error),
        AnswerError::Chart(error) => chart::failure(error),
        AnswerError::Read(error) => read::failure(error),
        AnswerError::Pack(error) => pack::unpacked(error),
        AnswerError::Search(error) => search::failure(error),
        AnswerError::Revision(error) => chart::revision_failure(error),
        AnswerError::Needs { .. } | AnswerError::Word { .. } => {
            Failure::bad_input(escape_lines(&error.to_string()))
        }
    }
}
