//! The order of files for a question.

use super::index::WordIndex;
use super::score;
use super::settings::InterestSettings;
use super::spread::step;
use super::task;
use super::terrain::Terrain;

/// What a reader wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// What the reader wants to do, in words; may be empty.
    pub task: &'a str,
    /// How much each file was asked for by name, 0 for not at all; empty where none was.
    pub asked: &'a [f64],
}

/// The interest of each file, and their order.
#[derive(Clone, Debug, Default)]
pub struct Interest {
    /// Of each file, from 0 to about 1; above it for what was asked for.
    pub scores: Vec<f64>,
    /// The places of the files, most interesting first.
    pub order: Vec<u32>,
}

/// Ranks the files of a terrain.
pub fn rank(
    terrain: &Terrain<'_>,
    index: &WordIndex,
    question: &Question<'_>,
    settings: &InterestSettings,
) -> Interest {
    let (title, scope, pair) = (settings.title, settings.scope, settings.pair);
    let terms = task::terms(question.task, task::Weights { title, scope, pair });
    let mut scores = score::scores(terrain, index, &terms, settings);
    normalize(&mut scores);
    let factors: Vec<f64> =
        (0..terrain.files.len()).map(|at| factor(terrain, at, settings)).collect();
    for (at, score) in scores.iter_mut().enumerate() {
        *score = *score * factors[at] + question.asked.get(at).copied().unwrap_or(0.0);
    }
    let from_users = step(&scores, &terrain.users, &terrain.uses);
    let from_used = step(&scores, &terrain.uses, &terrain.users);
    let folders = folder_means(terrain, &scores);
    let near = |at: usize| {
        let twin = terrain.twins[at].map_or(0.0, |twin| scores[twin as usize]);
        settings.from_users * from_users[at]
            + settings.from_used * from_used[at]
            + settings.twin * twin
            + settings.folder * folders[at]
    };
    let own = |at: usize| {
        settings.importance * (1.0 + terrain.users.degree(at)).ln()
            + settings.length * (1.0 + f64::from(terrain.files[at].tokens) / 500.0).ln()
    };
    let all = 0..terrain.files.len();
    let scores: Vec<f64> =
        all.map(|at| rounded(scores[at] + (near(at) + own(at)) * factors[at])).collect();
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    order.sort_by(|left, right| {
        scores[*right as usize].total_cmp(&scores[*left as usize]).then(left.cmp(right))
    });
    Interest { scores, order }
}

/// Far digits depend on the machine's logarithm: they decide nothing.
fn rounded(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

fn normalize(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for score in scores {
            *score /= most;
        }
    }
}

pub(super) fn factor(terrain: &Terrain<'_>, at: usize, settings: &InterestSettings) -> f64 {
    let category = terrain.categories[at].map_or(1.0, |at| settings.categories[usize::from(at)]);
    if terrain.files[at].is_code { category } else { category * settings.other }
}

/// The mean interest of the best files of each file's folder.
fn folder_means(terrain: &Terrain<'_>, scores: &[f64]) -> Vec<f64> {
    let mut means = vec![0.0; scores.len()];
    for group in &terrain.folders {
        let mut best: Vec<f64> = group.iter().map(|at| scores[*at as usize]).collect();
        best.sort_by(|left, right| right.total_cmp(left));
        best.truncate(3);
        let mean = best.iter().sum::<f64>() / 3.0;
        for at in group {
            means[*at as usize] = mean;
        }
    }
    means
}
