//! `portolan check`: whether earlier answers are still true.

use std::path::Path;

use clap::Args;
use portolan_atlas::{Atlas, Store};
use portolan_guard::redact;
use portolan_query::answers::{self, AnswerContext, AnswerStore, Verdict, verdicts_text};
use portolan_query::export::is_atlas;
use portolan_types::Notice;
use portolan_vfs::CancelToken;
use portolan_wire::question::{CheckQuestionV1, ManifestV1};
use portolan_wire::reports::{CheckReportV1, CheckedV1};

use crate::args::Format;
use crate::commands::answer;
use crate::commands::cache::CacheArgs;
use crate::commands::scope::{ScopeArgs, map_failure};
use crate::context::{Context, cache_folder};
use crate::failure::{Exit, Failure};

/// The arguments of `portolan check`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  portolan look src/a.ts | head -1      an answer starts with its digest
  portolan look src/a.ts | head -c17 | xargs portolan check   still true?")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    question: CheckQuestionV1,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Runs it.
pub(crate) fn run(args: &CheckArgs, ctx: &mut Context) -> Result<Exit, Failure> {
    let verdicts = verdicts(args, ctx)?;
    if ctx.format == Format::Json {
        let checked = verdicts.iter().map(|(digest, verdict)| wire(digest, verdict));
        let report = CheckReportV1 { v: 1, answers: checked.collect() };
        ctx.answer(&report, &Vec::<Notice>::new())?;
    } else {
        ctx.artifact(verdicts_text(&verdicts).as_bytes())?;
    }
    let all_true = verdicts.iter().all(|(_, verdict)| verdict.is_true());
    Ok(if all_true { Exit::Done } else { Exit::Failed })
}

fn verdicts(args: &CheckArgs, ctx: &Context) -> Result<Vec<(String, Verdict)>, Failure> {
    let session = answer::open(ctx, &args.scope, &args.cache)?;
    let cache = cache_folder();
    let shelf = cache.and_then(|cache| AnswerStore::open(&ctx.system, &cache));
    let root = session.config().root.to_string_lossy();
    let desk = AnswerContext { session: &session, watch: &CancelToken::default() };
    let mut verdicts = Vec::new();
    for digest in &args.question.digests {
        let digest = digest.trim_start_matches('@');
        let manifest = shelf.as_ref().and_then(|shelf| shelf.get(digest));
        let verdict = match manifest {
            None => Verdict::Unknown,
            Some(manifest) if is_atlas(&ctx.system, Path::new(&manifest.root)) => {
                of_atlas(&manifest)
            }
            Some(manifest) if manifest.root != root => Verdict::Elsewhere { root: manifest.root },
            Some(manifest) => {
                answers::check(desk, &manifest).map_err(|error| map_failure(&error))?
            }
        };
        verdicts.push((digest.to_owned(), verdict));
    }
    Ok(verdicts)
}

/// Asks the question behind an answer of an atlas again.
fn of_atlas(manifest: &ManifestV1) -> Verdict {
    let now = Store::open(&manifest.root, &[]).and_then(Atlas::open).and_then(|atlas| {
        let text = atlas.answer(&manifest.question)?;
        Ok(answers::sealed(&manifest.root, &manifest.question, &text, &atlas.sources()))
    });
    match now {
        Ok(now) => answers::compare(manifest, &now),
        Err(error) => {
            Verdict::Void { asked: manifest.question.name().to_owned(), reason: error.to_string() }
        }
    }
}

fn wire(digest: &str, verdict: &Verdict) -> CheckedV1 {
    let (word, files) = match verdict {
        Verdict::True { edited, .. } => ("true", edited.clone()),
        Verdict::Changed { files, .. } => ("changed", files.clone()),
        Verdict::Void { .. } => ("changed", Vec::new()),
        Verdict::Unknown | Verdict::Elsewhere { .. } => ("unknown", Vec::new()),
    };
    let digest = redact(digest).into_owned();
    CheckedV1 { digest, verdict: word, files, text: verdict.to_string() }
}
