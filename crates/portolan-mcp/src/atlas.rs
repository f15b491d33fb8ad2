//! Questions about a root that is an atlas of many repositories.

use std::path::Path;

use portolan_atlas::{Atlas, AtlasError, Store};
use portolan_query::answers::{self, TextAnswer, Verdict};
use portolan_wire::question::{ManifestV1, QuestionV1};

/// Answers a question about an atlas. The error is for the model to read.
pub(crate) fn answer(folder: &Path, question: &QuestionV1) -> Result<TextAnswer, String> {
    let told = |error: AtlasError| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    };
    let root = folder.to_str().ok_or_else(|| "the atlas's path is not UTF-8".to_owned())?;
    let atlas = Store::open(root, &[]).and_then(Atlas::open).map_err(told)?;
    let text = atlas.answer(question).map_err(told)?;
    Ok(answers::sealed(root, question, &text, &atlas.sources()))
}

/// Repeats the question behind an answer, to check it.
pub(crate) fn check(folder: &Path, manifest: &ManifestV1) -> Verdict {
    match answer(folder, &manifest.question) {
        Ok(now) => answers::compare(manifest, &now),
        Err(reason) => Verdict::Void { asked: manifest.question.name().to_owned(), reason },
    }
}
