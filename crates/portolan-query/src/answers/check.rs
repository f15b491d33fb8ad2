//! Whether an earlier answer is still true: its question is asked again.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use portolan_guard::redact;
use portolan_types::escape_invisible;
use portolan_wire::question::ManifestV1;

use super::{AnswerContext, AnswerError, TextAnswer, answer, known_digest};
use portolan_index::map::MapError;

/// The most files that are named.
const NAMED: usize = 20;

/// What became of an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same question has the same answer.
    True {
        /// What was asked.
        asked: String,
        /// Files behind it that were edited since, without that making a difference.
        edited: Vec<String>,
    },
    /// It has another one.
    Changed {
        /// What was asked.
        asked: String,
        /// The files behind it that are not as they were: `path`, `path (gone)` or `path (new)`.
        files: Vec<String>,
    },
    /// It has none.
    Void {
        /// What was asked.
        asked: String,
        /// Why.
        reason: String,
    },
    /// Nothing is known of the answer.
    Unknown,
    /// It is an answer of another repository.
    Elsewhere {
        /// Where that is.
        root: String,
    },
}

impl Verdict {
    /// Whether the answer may still be relied on.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::True { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |files: &[String]| {
            let more = files.len().saturating_sub(NAMED);
            let named = files.get(..files.len().min(NAMED)).unwrap_or_default().join(", ");
            if more == 0 { named } else { format!("{named} and {more} more") }
        };
        match self {
            Self::True { asked, edited } if edited.is_empty() => write!(f, "true: {asked}"),
            Self::True { asked, edited } => {
                write!(f, "true: {asked}; edited without changing it: {}", list(edited))
            }
            Self::Changed { asked, files } if files.is_empty() => {
                write!(f, "changed: {asked}; none of its files, but what leads to them: ask again")
            }
            Self::Changed { asked, files } => {
                write!(f, "changed: {asked}; {}: ask again", list(files))
            }
            Self::Void { asked, reason } => write!(f, "changed: {asked}; now {reason}"),
            Self::Unknown => write!(f, "unknown: ask again"),
            Self::Elsewhere { root } => write!(f, "unknown here, an answer of {root}: ask there"),
        }
    }
}

/// What became of several answers, as text; each with its digest.
pub fn verdicts_text(verdicts: &[(String, Verdict)]) -> String {
    let count = |wanted: bool| verdicts.iter().filter(|(_, it)| it.is_true() == wanted).count();
    let noun = if verdicts.len() == 1 { "answer" } else { "answers" };
    let mut text =
        format!("check {} {noun}: {} true, {} not\n", verdicts.len(), count(true), count(false));
    for (digest, verdict) in verdicts {
        // What is asked about may be no digest at all.
        let digest = escape_invisible(&redact(digest));
        let is_digest = digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let shown = if is_digest { format!("@{digest}") } else { format!("{digest:?}") };
        let _ = writeln!(text, "{shown} {verdict}");
    }
    text
}

/// Asks the question behind an answer again.
pub fn check(context: AnswerContext<'_>, manifest: &ManifestV1) -> Result<Verdict, MapError> {
    let question = &manifest.question;
    match answer(context, question) {
        Ok(now) => {
            let last = context.session.snapshot().ok();
            let known = |path: &str| known_digest(&last.as_ref()?.map, path);
            Ok(compare_with(manifest, &now.to_text(), &|path| Some(known(path)?.to_string())))
        }
        Err(error) if error.is_stopped() => Err(MapError::Stopped),
        Err(AnswerError::Map(error)) => Err(error),
        Err(error) => {
            let next = error.next().map_or_else(String::new, |next| format!("; {next}"));
            Ok(Verdict::Void {
                asked: question.name().to_owned(),
                reason: format!("{error}{next}"),
            })
        }
    }
}

/// What became of an answer, by the one that its question has now.
pub fn compare(manifest: &ManifestV1, now: &TextAnswer) -> Verdict {
    compare_with(manifest, now, &|_| None)
}

/// The same; `known` tells the digest of what the new answer was not made from.
fn compare_with(
    manifest: &ManifestV1,
    now: &TextAnswer,
    known: &dyn Fn(&str) -> Option<String>,
) -> Verdict {
    let asked = now.head.clone();
    let mut files = Vec::new();
    let paths: BTreeSet<&String> = manifest.files.keys().chain(now.manifest.files.keys()).collect();
    for path in paths {
        let before = manifest.files.get(path);
        let after = now.manifest.files.get(path).cloned().or_else(|| known(path));
        match (before, after) {
            (Some(before), Some(after)) if *before != after => files.push(path.clone()),
            (Some(_), None) => files.push(format!("{path} (gone)")),
            (None, Some(_)) => files.push(format!("{path} (new)")),
            _ => {}
        }
    }
    // The digest on the first line covers the files: it may differ where the rest does not.
    if manifest.body == now.manifest.body {
        Verdict::True { asked, edited: files }
    } else {
        Verdict::Changed { asked, files }
    }
}
