//! The order of files for a question.

use portolan_types::Sha256Digest;

use super::index::WordIndex;
use super::score;
use super::spread::{Neighbours, step};
use super::task;
use crate::select::Category;

/// A file that may be of interest.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its path from the root.
    pub path: &'a str,
    /// The digest of its bytes, where they were read.
    pub digest: Option<Sha256Digest>,
    /// What it costs to read.
    pub tokens: u32,
    /// Whether it is code: text that people write for machines.
    pub is_code: bool,
    /// How much it was asked for by name: 0 for not at all, 1 for a file that was named.
    pub asked: f64,
}

/// What a reader wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// What the reader wants to do, in words; may be empty.
    pub task: &'a str,
}

/// The weights. The defaults are what measured best on tasks of several repositories.
#[derive(Clone, Debug)]
pub struct InterestSettings {
    /// How much a term weighs in a path, in a declared name, in the text.
    pub fields: [f64; 3],
    /// How much the length of each field counts against it.
    pub b: [f64; 3],
    /// How soon more of the same word stops to matter.
    pub k1: f64,
    /// How much the first line of a task weighs over the rest.
    pub title: f64,
    /// How much of its users' interest a file gets.
    pub from_users: f64,
    /// How much of the interest of what it uses a file gets.
    pub from_used: f64,
    /// How much of the interest of its test, or of what it tests, a file gets.
    pub twin: f64,
    /// How much its folder counts.
    pub folder: f64,
    /// How much a file's own importance counts.
    pub importance: f64,
    /// How much a file's length counts: longer files change more often.
    pub length: f64,
    /// The factor of tests, fixtures, generated files, documents.
    pub categories: [f64; 4],
    /// The factor of what is not code.
    pub other: f64,
}

impl Default for InterestSettings {
    fn default() -> Self {
        Self {
            fields: [3.0, 2.0, 1.0],
            b: [0.3, 0.5, 0.6],
            k1: 1.2,
            title: 3.0,
            from_users: 0.3,
            from_used: 0.3,
            twin: 0.3,
            folder: 0.2,
            importance: 0.05,
            length: 0.05,
            categories: [0.8, 0.4, 0.3, 0.5],
            other: 0.3,
        }
    }
}

impl InterestSettings {
    /// Changes one weight by its name, to measure what it brings; whether there is such a weight.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        let weight = match name {
            "path" => &mut self.fields[0],
            "names" => &mut self.fields[1],
            "body" => &mut self.fields[2],
            "b-path" => &mut self.b[0],
            "b-names" => &mut self.b[1],
            "b-body" => &mut self.b[2],
            "k1" => &mut self.k1,
            "title" => &mut self.title,
            "from-users" => &mut self.from_users,
            "from-used" => &mut self.from_used,
            "twin" => &mut self.twin,
            "folder" => &mut self.folder,
            "importance" => &mut self.importance,
            "length" => &mut self.length,
            "tests" => &mut self.categories[0],
            "fixtures" => &mut self.categories[1],
            "generated" => &mut self.categories[2],
            "docs" => &mut self.categories[3],
            "other" => &mut self.other,
            _ => return false,
        };
        *weight = value;
        true
    }
}

/// The interest of each candidate, and their order.
#[derive(Clone, Debug, Default)]
pub struct Interest {
    /// Of each candidate, from 0 to 1 (asked for: above 1).
    pub scores: Vec<f64>,
    /// The places of the candidates, most interesting first.
    pub order: Vec<u32>,
}

/// Ranks candidates, which are sorted by path; `edges` are pairs of their places.
pub fn rank(
    candidates: &[Candidate<'_>],
    edges: &[(u32, u32)],
    index: &WordIndex,
    question: &Question<'_>,
    settings: &InterestSettings,
) -> Interest {
    let uses = Neighbours::new(candidates.len(), edges, false);
    let users = Neighbours::new(candidates.len(), edges, true);
    let terms = task::terms(question.task, settings.title);
    let mut scores = score::scores(candidates, index, &terms, settings);
    normalize(&mut scores);
    for (score, file) in scores.iter_mut().zip(candidates) {
        *score = *score * factor(file, settings) + file.asked;
    }
    let from_users = step(&scores, &users, &uses);
    let from_used = step(&scores, &uses, &users);
    let folders = folder_means(candidates, &scores);
    let twins = twins(candidates);
    let final_scores = (0..candidates.len()).map(|at| {
        let file = &candidates[at];
        let twin = twins[at].map_or(0.0, |twin| scores[twin as usize]);
        let near = settings.from_users * from_users[at]
            + settings.from_used * from_used[at]
            + settings.twin * twin
            + settings.folder * folders[at];
        let own = settings.importance * (1.0 + users.degree(at)).ln()
            + settings.length * (1.0 + f64::from(file.tokens) / 500.0).ln();
        scores[at] + (near + 0.2 * own) * factor(file, settings)
    });
    let scores: Vec<f64> = final_scores.map(rounded).collect();
    let mut order: Vec<u32> = (0..candidates.len() as u32).collect();
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

fn factor(file: &Candidate<'_>, settings: &InterestSettings) -> f64 {
    let category = Category::of(file.path).map_or(1.0, |category| {
        let at = Category::ALL.iter().position(|one| *one == category);
        at.map_or(1.0, |at| settings.categories[at])
    });
    if file.is_code { category } else { category * settings.other }
}

/// The mean interest of the best files of each file's folder.
fn folder_means(candidates: &[Candidate<'_>], scores: &[f64]) -> Vec<f64> {
    let folder = |at: usize| candidates[at].path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|left, right| folder(*left).cmp(folder(*right)).then(left.cmp(right)));
    let mut means = vec![0.0; candidates.len()];
    for group in order.chunk_by(|left, right| folder(*left) == folder(*right)) {
        let mut best: Vec<f64> = group.iter().map(|at| scores[*at]).collect();
        best.sort_by(|left, right| right.total_cmp(left));
        best.truncate(3);
        let mean = best.iter().sum::<f64>() / 3.0;
        for at in group {
            means[*at] = mean;
        }
    }
    means
}

/// The name that a file and its test share: `a.test.ts` and `a.ts` are `a`.
fn twin_name(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "-test", "_spec", "Test", "Tests", "Spec"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem)
}

/// For each test the file it tests, and the other way round, where names tell: the one whose path has
/// most in common.
fn twins(candidates: &[Candidate<'_>]) -> Vec<Option<u32>> {
    let mut order: Vec<u32> =
        (0..candidates.len() as u32).filter(|at| candidates[*at as usize].is_code).collect();
    let name = |at: u32| twin_name(candidates[at as usize].path);
    order.sort_by(|left, right| name(*left).cmp(name(*right)).then(left.cmp(right)));
    let is_test = |at: u32| Category::of(candidates[at as usize].path) == Some(Category::Test);
    let mut twins = vec![None; candidates.len()];
    for group in order.chunk_by(|left, right| name(*left) == name(*right)) {
        // Names that everybody uses (`index`) tell nothing.
        if group.len() < 2 || group.len() > 24 {
            continue;
        }
        let tests: Vec<bool> = group.iter().map(|at| is_test(*at)).collect();
        for (at, test) in group.iter().zip(&tests) {
            let others = group.iter().zip(&tests).filter(|(_, other)| *other != test);
            let best = others.max_by_key(|(other, _)| {
                let common = common_segments(
                    candidates[*at as usize].path,
                    candidates[**other as usize].path,
                );
                (common, std::cmp::Reverse(**other))
            });
            twins[*at as usize] = best.map(|(other, _)| *other);
        }
    }
    twins
}

fn common_segments(left: &str, right: &str) -> usize {
    left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right).count()
}
