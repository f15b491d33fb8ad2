//! Measures the effect of each signal of a pack: alone, and all others without it.
//!
//! A group of file signals is measured with all passage signals, and a group of passage signals
//! with all file signals. Proximity to the best files needs a first pass, so groups of that kind
//! keep it when they are alone.

use portolan_query::pack::Tuning;

use super::RepoTasks;
use super::packs::{mean, shares};
use crate::ChoreResult;

/// Signals that readers see as one.
struct SignalGroup {
    /// The name of the group.
    name: &'static str,
    /// Weights of files.
    files: &'static [&'static str],
    /// Indices of weights of the first pass; empty if the group needs all of it.
    seeds: &'static [usize],
    /// Weights of passages.
    passages: &'static [&'static str],
}

const fn files(
    name: &'static str,
    files: &'static [&'static str],
    seeds: &'static [usize],
) -> SignalGroup {
    SignalGroup { name, files, seeds, passages: &[] }
}

const fn passages(name: &'static str, passages: &'static [&'static str]) -> SignalGroup {
    SignalGroup { name, files: &[], seeds: &[], passages }
}

const GROUPS: &[SignalGroup] = &[
    files("files: words of their text", &["words"], &[0]),
    files("files: words of their path", &["path"], &[1]),
    files("files: words of what they declare", &["names"], &[2]),
    files("files: identifiers that the task says", &["identifiers"], &[3]),
    files("files: paths that the task says", &["said"], &[4]),
    files("files: tests and what they test", &["test", "twin"], &[5]),
    files("files: users, and what is used", &["users", "used"], &[]),
    files("files: commits that changed both", &["together"], &[]),
    files("files: how sure the first pass is", &["first"], &[]),
    passages("passages: the chance of the file", &["place", "chance", "behind"]),
    passages("passages: their words", &["share", "words", "best", "near", "after"]),
    passages("passages: names that the task says", &["named"]),
    passages("passages: heads", &["head", "test-head"]),
    passages("passages: the place in the file", &["last", "test-last", "down"]),
    passages("passages: their size and the file's", &["size", "file"]),
];

/// Measures and prints a table.
#[expect(clippy::print_stdout, reason = "printing the figures is its purpose")]
pub(super) fn measure(repositories: &[RepoTasks], budgets: &[u64]) -> ChoreResult<()> {
    let both =
        |what: &str| budgets.iter().map(|n| format!("{what} {n}")).collect::<Vec<_>>().join(" | ");
    println!("| signals | {} | {} |", both("alone"), both("without"));
    println!("| --- |{}", " --- |".repeat(2 * budgets.len()));
    let all = row(repositories, budgets, &Tuning::default())?;
    println!("| all | {all} | {all} |");
    for group in GROUPS {
        let alone = row(repositories, budgets, &group.alone()?)?;
        let without = row(repositories, budgets, &group.without()?)?;
        println!("| {} | {alone} | {without} |", group.name);
    }
    Ok(())
}

fn row(repositories: &[RepoTasks], budgets: &[u64], tuning: &Tuning) -> ChoreResult<String> {
    let all: Vec<Vec<f64>> = repositories
        .iter()
        .map(|repository| shares(repository, budgets, tuning, false))
        .collect::<ChoreResult<_>>()?;
    let cell = |at: usize| format!("{:.1}", 100.0 * mean(all.iter().map(|shares| shares[at])));
    Ok((0..budgets.len()).map(cell).collect::<Vec<_>>().join(" | "))
}

impl SignalGroup {
    /// All weights of the same kind are zero, except those of this group.
    fn alone(&self) -> ChoreResult<Tuning> {
        let mut tuning = Tuning::default();
        if !self.files.is_empty() {
            for name in portolan_ranking::interest::EditRankingWeights::NAMES {
                if !self.files.contains(name) {
                    *tuning.files.weight(name).ok_or("no such weight")? = 0.0;
                }
            }
            for (at, seed) in tuning.files.seeds.iter_mut().enumerate() {
                if !self.seeds.is_empty() && !self.seeds.contains(&at) {
                    *seed = 0.0;
                }
            }
        }
        if !self.passages.is_empty() {
            for name in portolan_ranking::interest::PassageWeights::NAMES {
                if !self.passages.contains(name) {
                    *tuning.passages.weight(name).ok_or("no such weight")? = 0.0;
                }
            }
        }
        Ok(tuning)
    }

    fn without(&self) -> ChoreResult<Tuning> {
        let mut tuning = Tuning::default();
        for name in self.files {
            *tuning.files.weight(name).ok_or("no such weight")? = 0.0;
        }
        for at in self.seeds {
            tuning.files.seeds[*at] = 0.0;
        }
        for name in self.passages {
            *tuning.passages.weight(name).ok_or("no such weight")? = 0.0;
        }
        Ok(tuning)
    }
}
