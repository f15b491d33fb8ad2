//! What the questions of agents have in common on the command line: asked once, rendered, kept.

use std::io::Read as _;

use portolan_index::map::MapRequest;
use portolan_index::session::Session;
use portolan_query::answers::{self, Answer, AnswerContext, AnswerError, AnswerStore, Report};
use portolan_query::search::HitFinder;
use portolan_vfs::CancelToken;
use portolan_wire::question::{QuestionV1, SearchQuestionV1};

use crate::args::Format;
use crate::colour;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::commands::{chart, pack, read, search, select};
use crate::context::{Context, cache_folder, escape_lines};
use crate::failure::Failure;
use crate::notices;

/// The longest task that is read from standard input.
const MOST_TASK: u64 = 1 << 20;

/// Opens a session for one question.
pub(crate) fn open<'s>(
    ctx: &'s Context,
    scope: &ScopeArgs,
    cache: &CacheArgs,
) -> Result<Session<'s>, Failure> {
    let request = MapRequest { config: scope.load(ctx)?, threads: scope.threads };
    Session::open(&ctx.system, request, cache.mode()).map_err(|error| map_failure(&error))
}

/// A question that was answered.
pub(crate) struct Asked {
    pub(crate) answer: Answer,
    /// Whether it was asked from the root, so that it means the same for `check`.
    is_at_root: bool,
}

/// Answers a question.
pub(crate) fn ask(session: Session<'_>, question: &QuestionV1) -> Result<Asked, AnswerError> {
    let is_at_root = session.config().here.is_empty();
    let desk = AnswerContext { session: &session, watch: &CancelToken::default() };
    let answer = answers::answer(desk, question);
    // The process is about to end: freeing a large map piece by piece wastes time.
    std::mem::forget(session);
    Ok(Asked { answer: answer?, is_at_root })
}

/// Renders an answer in the format that was asked for. `scope` has the flags that add to the repository's own settings.
pub(crate) fn show(
    ctx: &mut Context,
    asked: &Asked,
    scope: Option<&ScopeArgs>,
) -> Result<(), Failure> {
    let Asked { answer, is_at_root } = asked;
    if ctx.format == Format::Json {
        return ctx.answer(&answer.report.to_wire(), &answer.notices);
    }
    let text = answer.to_text();
    // What was asked with other settings than the repository's, or from elsewhere, cannot be asked again.
    let is_plain = scope.is_none_or(ScopeArgs::is_plain);
    let store = cache_folder().filter(|_| is_plain && *is_at_root);
    if let Some(store) = store.and_then(|cache| AnswerStore::open(&ctx.system, &cache)) {
        store.put(&text);
    }
    let is_painted = matches!(answer.report, Report::Search(_) | Report::Look(_) | Report::Read(_));
    // Where there is no code, whatever would act on a terminal is written out, wherever it goes.
    if is_painted && ctx.is_coloured() {
        let hits = hits_of(&answer.question);
        ctx.painted(&text.text, |text| colour::painted(text, hits.as_ref()))?;
    } else if answer.report.has_code() {
        ctx.code(&text.text)?;
    } else {
        ctx.text(&text.text)?;
    }
    let is_shown = |path: &str| match &answer.report {
        // A chart names nearly every file: what is odd about each is not what was asked.
        Report::Chart(_) => false,
        Report::Search(_) => true,
        _ => answer.files.contains_key(path),
    };
    notices::say_of_answer(ctx, &answer.notices, is_shown);
    if let Some(scope) = scope.filter(|_| answer.asked_of.count == 0 && !answer.report.is_empty()) {
        ctx.say(if scope.scope.is_empty() {
            "hint: no file is here to tell of; `-C DIR` asks about another folder"
        } else {
            "hint: no file is in the scope; `--scope` takes a path or a glob from the root or the current folder"
        });
    }
    Ok(())
}

/// Finds what was asked for in the text of the answer.
fn hits_of(question: &QuestionV1) -> Option<HitFinder> {
    match question {
        QuestionV1::Search(search) => HitFinder::new(search),
        QuestionV1::Read(read) => {
            let patterns = read.matching.clone();
            HitFinder::new(&SearchQuestionV1 { patterns, ..SearchQuestionV1::default() })
        }
        _ => None,
    }
}

/// The text of a task; `-` reads it from standard input.
pub(crate) fn task_text(task: Option<&str>) -> Result<Option<String>, Failure> {
    match task {
        Some("-") => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().take(MOST_TASK).read_to_end(&mut bytes);
            read.map_err(|error| Failure::failed(format!("cannot read the task: {error}")))?;
            Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
        }
        text => Ok(text.map(str::to_owned)),
    }
}

/// Tells why there is no answer.
pub(crate) fn failure(error: &AnswerError) -> Failure {
    match error {
        AnswerError::Map(error) => map_failure(error),
        AnswerError::Chart(error) => chart::failure(error),
        AnswerError::Read(error) => read::failure(error),
        AnswerError::Pack(error) => pack::unpacked(error),
        AnswerError::Search(error) => search::failure(error),
        AnswerError::Select(error) => select::failure(error),
        AnswerError::Revision(error) => chart::revision_failure(error),
        AnswerError::Needs { .. } | AnswerError::Word { .. } => {
            Failure::bad_input(escape_lines(&error.to_string()))
        }
    }
}
