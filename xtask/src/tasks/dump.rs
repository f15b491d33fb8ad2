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
pub(super) fn write(out: &Path, courses: &[RepoTasks]) -> ChoreResult<()> {
    let mut file = fs::File::create(out)?;
    for course in courses {
        let tasks: Vec<&Task> = course.tasks.iter().filter(|task| !task.hunks.is_empty()).collect();
        let lines: Vec<Value> = tasks.par_iter().map(|task| sampled(course, task)).collect();
        for line in lines {
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

fn sampled(course: &RepoTasks, task: &Task) -> Value {
    let tuning = Tuning::default();
    let task_pack = EditTask { task: &task.message, asked: &[], commits: &course.commits };
    let found = course.atlas.rank_edits(&task_pack, &tuning.files, FILES);
    let path = |at: u32| course.atlas.map().universe[at as usize].path.as_str();
    let files: Vec<Value> = found
        .order
        .iter()
        .zip(&found.signals)
        .zip(found.standings(|at| is_test(path(at))))
        .map(|((at, signals), standing)| {
            let path = path(*at);
            let passages = if standing.place < LOOKED_INTO {
                passages(course, path, &standing, &found, &tuning)
            } else {
                Vec::new()
            };
            json!({ "path": path, "signals": signals, "test": is_test(path), "passages": passages })
        })
        .collect();
    json!({
        "repo": course.repo,
        "root": course.config.root,
        "commit": task.commit,
        "message": task.message,
        "words": found.words,
        "identifiers": found.identifiers,
        "hunks": task.hunks,
        "files": files,
    })
}

fn passages(
    course: &RepoTasks,
    path: &str,
    standing: &PassageContext,
    found: &EditRanking,
    tuning: &Tuning,
) -> Vec<Value> {
    let text = fs::read_to_string(course.config.root.join(path)).unwrap_or_default();
    let all = samples(&text, standing, found, &tuning.passages);
    let one = |it: portolan_query::pack::Sample| {
        json!([it.lines.0, it.lines.1, it.tokens, it.name, it.chance, it.signals])
    };
    all.into_iter().map(one).collect()
}
