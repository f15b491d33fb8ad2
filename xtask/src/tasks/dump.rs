//! Writes the signals of the likeliest files and their passages, for fitting weights elsewhere.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use portolan_query::pack::{Tuning, samples};
use portolan_ranking::interest::{EditRanking, EditTask, PassageContext};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{RepoTasks, Task, is_test};
use crate::ChoreResult;

/// Signals are written for this many files, and passages for this many of them.
const FILES: usize = 400;
const LOOKED_INTO: usize = 150;

/// Writes one object per task.
pub(super) fn write(out: &Path, repositories: &[RepoTasks]) -> ChoreResult<()> {
    let mut file = fs::File::create(out)?;
    for repository in repositories {
        let tasks: Vec<&Task> =
            repository.tasks.iter().filter(|task| !task.hunks.is_empty()).collect();
        let lines: Vec<Value> = tasks.par_iter().map(|task| sampled(repository, task)).collect();
        for line in lines {
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

fn sampled(repository: &RepoTasks, task: &Task) -> Value {
    let tuning = Tuning::default();
    let task_pack = EditTask { task: &task.message, asked: &[], commits: &repository.commits };
    let found = repository.ranking.rank_edits(&task_pack, &tuning.files, FILES);
    let path = |at: u32| repository.ranking.map().universe[at as usize].path.as_str();
    let files: Vec<Value> = found
        .order
        .iter()
        .zip(&found.signals)
        .zip(found.standings(|at| is_test(path(at))))
        .map(|((at, signals), context)| {
            let path = path(*at);
            let passages = if context.place < LOOKED_INTO {
                passages(repository, path, &context, &found, &tuning)
            } else {
                Vec::new()
            };
            json!({ "path": path, "signals": signals, "test": is_test(path), "passages": passages })
        })
        .collect();
    json!({
        "repo": repository.repo,
        "root": repository.config.root,
        "commit": task.commit,
        "message": task.message,
        "words": found.words,
        "identifiers": found.identifiers,
        "hunks": task.hunks,
        "files": files,
    })
}

fn passages(
    repository: &RepoTasks,
    path: &str,
    context: &PassageContext,
    found: &EditRanking,
    tuning: &Tuning,
) -> Vec<Value> {
    let text = fs::read_to_string(repository.config.root.join(path)).unwrap_or_default();
    let all = samples(&text, context, found, &tuning.passages);
    let one = |it: portolan_query::pack::Sample| {
        json!([it.lines.0, it.lines.1, it.tokens, it.name, it.chance, it.signals])
    };
    all.into_iter().map(one).collect()
}
