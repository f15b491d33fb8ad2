//! Searches for weights: each in turn a little more or less, as long as that helps.

use portolan_query::chart::FileWeights;
use rayon::prelude::*;

use super::{RepoTasks, first};

const FACTORS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];

/// Coordinate descent over the weights.
pub(super) fn tune(repositories: &[RepoTasks], mut settings: FileWeights) {
    let mut best = score_passages(repositories, &settings);
    eprintln!("{best:.4} at first");
    for round in 0..3 {
        let before = best;
        for name in FileWeights::NAMES {
            for factor in FACTORS {
                let mut tried = settings.clone();
                let Some(weight) = tried.weight(name) else { continue };
                *weight *= factor;
                let value = *weight;
                let found = score_passages(repositories, &tried);
                if found > best + 0.0002 {
                    (best, settings) = (found, tried);
                    eprintln!("{best:.4} {name}={value:.3}");
                }
            }
        }
        eprintln!("round {round}: {best:.4} {settings:?}");
        if best <= before {
            break;
        }
    }
}

/// The mean over repositories, so that one with many tasks does not dominate: mostly the first
/// ranks by title, and partly those by the whole message.
fn score_passages(repositories: &[RepoTasks], settings: &FileWeights) -> f64 {
    let of = |repository: &RepoTasks| {
        let all: Vec<f64> = repository
            .tasks
            .par_iter()
            .map(|task| {
                let title = first(repository, task, task.title(), settings);
                let whole = first(repository, task, &task.message, settings);
                0.7 * title[0] + 0.1 * title[1] + 0.1 * whole[0] + 0.1 * whole[1]
            })
            .collect();
        all.iter().sum::<f64>() / f64::from(all.len().max(1) as u32)
    };
    repositories.iter().map(of).sum::<f64>() / f64::from(repositories.len().max(1) as u32)
}
