//! Runs a question off the protocol's thread, with progress, until it is answered or cancelled.

use std::sync::Arc;
use std::time::Duration;

use portolan_index::session::Session;
use portolan_query::answers::{self, AnswerContext, AnswerError, Verdict};
use portolan_vfs::CancelToken;
use portolan_wire::question::{ManifestV1, QuestionV1};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::Semaphore;

use crate::atlas;
use crate::roots::Roots;
use crate::tools::ToolRequest;

/// How often to send progress.
const TICK: Duration = Duration::from_millis(200);

/// Cancels a job when its result is no longer awaited.
struct CancelOnDrop(Arc<CancelToken>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// How many questions are answered at once, and how many may wait. Beyond, the server is busy.
const MOST_RUNNING: usize = 8;
const MOST_WAITING: usize = 64;

/// The places of running questions, and of running and waiting ones.
static RUNNING: Semaphore = Semaphore::const_new(MOST_RUNNING);
static WAITING: Semaphore = Semaphore::const_new(MOST_RUNNING + MOST_WAITING);

/// Runs work on another thread. The client gets progress and may cancel it.
pub(crate) async fn run(
    context: &RequestContext<RoleServer>,
    work: impl FnOnce(&CancelToken) -> Result<String, String> + Send + 'static,
) -> Result<String, String> {
    let Ok(_waiting) = WAITING.try_acquire() else {
        return Err(format!("busy: {MOST_WAITING} questions wait already; ask again later"));
    };
    let place = tokio::select! {
        place = RUNNING.acquire() => place.map_err(|error| error.to_string())?,
        () = context.ct.cancelled() => return Err("the question was cancelled".to_owned()),
    };
    let watch = Arc::new(CancelToken::default());
    let _cancel = CancelOnDrop(Arc::clone(&watch));
    let theirs = Arc::clone(&watch);
    let mut job = tokio::task::spawn_blocking(move || {
        // Cancelled work holds its place until it has ended.
        let _place = place;
        work(&theirs)
    });
    let token = context.meta.get_progress_token();
    let mut reported = 0;
    loop {
        tokio::select! {
            done = &mut job => {
                return done.unwrap_or_else(|error| Err(format!("the question failed: {error}")));
            }
            () = context.ct.cancelled() => return Err("the question was cancelled".to_owned()),
            () = tokio::time::sleep(TICK) => {}
        }
        let calls = u32::try_from(watch.calls()).unwrap_or(u32::MAX);
        if let Some(token) = token.clone().filter(|_| calls > reported) {
            reported = calls;
            let progress = ProgressNotificationParam::new(token, f64::from(calls))
                .with_message(format!("{calls} file system calls"));
            // A client that ignores progress still gets its answer.
            let _ = context.peer.notify_progress(progress).await;
        }
    }
}

/// Answers a tool call. The error is for the model to read and suggests the next call.
pub(crate) fn answer(
    roots: &Roots,
    root: Option<&str>,
    request: &ToolRequest,
    watch: &CancelToken,
) -> Result<String, String> {
    if let ToolRequest::Question(question) = request {
        check_length(question)?;
    }
    let text = match request {
        ToolRequest::Question(question) => answer_question(roots, root, question, watch)?,
        ToolRequest::Check(digests) => check(roots, root, digests, watch)?,
    };
    roots.trim();
    Ok(text)
}

fn answer_question(
    roots: &Roots,
    root: Option<&str>,
    question: &QuestionV1,
    watch: &CancelToken,
) -> Result<String, String> {
    let answer = if let Some(folder) = roots.atlas(root)? {
        atlas::answer(&folder, question)?
    } else {
        let session = roots.session(root)?;
        match answers::answer(desk(&session, watch), question) {
            Ok(answer) => answer.to_text(),
            Err(error) => return error.as_answer().ok_or_else(|| error_text(&error)),
        }
    };
    if let Some(store) = roots.answer_store() {
        store.put(&answer);
    }
    Ok(answer.text)
}

/// The longest output of a tool, and the longest of any other question, in bytes.
const LONGEST_FAILURE: usize = 8 << 20;
const LONGEST_QUESTION: usize = 64 << 10;

/// Refuses questions that would take long because they are long.
fn check_length(question: &QuestionV1) -> Result<(), String> {
    let limit = match question {
        QuestionV1::Pack(_) => LONGEST_FAILURE,
        _ => LONGEST_QUESTION,
    };
    let length = question.to_canonical().len();
    if length > limit {
        Err(format!("the question has {length} bytes, and at most {limit} are read"))
    } else {
        Ok(())
    }
}

fn desk<'a>(session: &'a Session<'a>, watch: &'a CancelToken) -> AnswerContext<'a> {
    AnswerContext { session, watch }
}

fn error_text(error: &AnswerError) -> String {
    let next = error.next().map_or_else(String::new, |next| format!("; {next}"));
    format!("{error}{next}")
}

/// Checks each answer against the root it came from, unless a root is given.
fn check(
    roots: &Roots,
    root: Option<&str>,
    digests: &[String],
    watch: &CancelToken,
) -> Result<String, String> {
    if digests.is_empty() {
        return Err("check takes digests: a list of @… from earlier answers".to_owned());
    }
    let store = roots.answer_store();
    let mut verdicts = Vec::new();
    for digest in digests {
        let digest = digest.trim().trim_start_matches('@');
        let manifest = store.as_ref().and_then(|store| store.get(digest));
        let verdict = match &manifest {
            None => Verdict::Unknown,
            Some(manifest) => match check_one(roots, root, manifest, watch) {
                Ok(verdict) => verdict?,
                Err(_) if root.is_none() => Verdict::Elsewhere { root: manifest.root.clone() },
                Err(error) => return Err(error),
            },
        };
        verdicts.push((digest.to_owned(), verdict));
    }
    Ok(answers::verdicts_text(&verdicts))
}

/// The status of an answer; the outer error says that its root is not available.
fn check_one(
    roots: &Roots,
    root: Option<&str>,
    manifest: &ManifestV1,
    watch: &CancelToken,
) -> Result<Result<Verdict, String>, String> {
    let root = Some(root.unwrap_or(&manifest.root));
    if let Some(folder) = roots.atlas(root)? {
        return Ok(Ok(atlas::check(&folder, manifest)));
    }
    let session = roots.session(root)?;
    let verdict = answers::check(desk(&session, watch), manifest);
    Ok(verdict.map_err(|error| error.to_string()))
}
