//! Measures how well packs answer real tasks: the lines that a commit changed, shown verbatim, from
//! its message alone.
//!
//! The comparisons, on the same tasks and with the same tokens: whole files by rank (with their
//! co-changed files), and plain BM25 over blocks of code. For changes: the tests that a commit
//! changed too, among the first that are named for its other files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use portolan_index::token_counts::Tokenizer;
use portolan_query::pack::{PackForm, put_together, task_parts};
use portolan_query::search::SearchContext;
use portolan_ranking::file_ranking::Change;
use portolan_types::FileId;
use portolan_vfs::OsSystem;
use rayon::prelude::*;

use super::{RepoTasks, Task, TasksArgs, is_test, request, settings};
use crate::ChoreResult;

/// The shown lines of each file.
type FileLines = BTreeMap<String, BTreeSet<u32>>;

/// A changed test counts if it is among this many named tests.
const TESTS: usize = 10;

#[expect(clippy::print_stdout, reason = "printing the figures is its purpose")]
pub(super) fn measure(args: &TasksArgs, repositories: &[RepoTasks]) -> ChoreResult<()> {
    let budgets: Vec<u64> =
        if args.budgets == [8_000, 20_000] { vec![4_000, 16_000] } else { args.budgets.clone() };
    let heads: Vec<String> =
        budgets.iter().map(|n| format!("pack {n} | files {n} | BM25 {n}")).collect();
    println!("| repository | tasks | {} | tests among {TESTS} (tasks) |", heads.join(" | "));
    println!("| --- | --- |{} --- |", " --- | --- | --- |".repeat(budgets.len()));
    let mut all: Vec<Vec<f64>> = Vec::new();
    if args.only_tests {
        for repository in repositories {
            let (share, tasks) = tests(repository);
            println!("| {} | {:.1} ({tasks}) |", repository.repo, 100.0 * share);
        }
        return Ok(());
    }
    for repository in repositories {
        let row = row(args, repository, &budgets)?;
        let shares: Vec<String> =
            row.shares.iter().map(|share| format!("{:.1}", 100.0 * share)).collect();
        println!(
            "| {} | {} | {} | {:.1} ({}) |",
            repository.repo,
            row.tasks,
            shares.join(" | "),
            100.0 * row.tests.0,
            row.tests.1
        );
        all.push(row.shares);
    }
    let means = (0..3 * budgets.len()).map(|at| {
        let sum: f64 = all.iter().map(|row| row[at]).sum();
        format!("{:.1}", 100.0 * sum / f64::from(all.len().max(1) as u32))
    });
    println!("| mean | | {} | |", means.collect::<Vec<_>>().join(" | "));
    Ok(())
}

struct PackRow {
    tasks: usize,
    shares: Vec<f64>,
    tests: (f64, usize),
}

fn row(args: &TasksArgs, repository: &RepoTasks, budgets: &[u64]) -> ChoreResult<PackRow> {
    let tasks: Vec<&Task> = repository.tasks.iter().filter(|task| total(task) > 0).collect();
    let packs = shares(repository, budgets, args.missed)?;
    let blocks = if args.only { BlockIndex::default() } else { BlockIndex::new(repository) };
    let mut all = Vec::new();
    for (budget, pack) in budgets.iter().zip(packs) {
        let mut sums = [0.0; 2];
        for task in tasks.iter().filter(|_| !args.only) {
            sums[0] += share(task, &whole_files(args, repository, task, *budget)?);
            sums[1] += share(task, &blocks.best(task, *budget));
        }
        all.push(pack);
        all.extend(sums.map(|sum| sum / f64::from(tasks.len().max(1) as u32)));
    }
    let tests = if args.only { (0.0, 0) } else { tests(repository) };
    Ok(PackRow { tasks: tasks.len(), shares: all, tests })
}

/// The share of changed lines that packs show: for each budget the mean over a repository's tasks.
pub(super) fn shares(
    repository: &RepoTasks,
    budgets: &[u64],
    is_printed: bool,
) -> ChoreResult<Vec<f64>> {
    let tasks: Vec<&Task> = repository.tasks.iter().filter(|task| total(task) > 0).collect();
    let all: Vec<Result<Vec<f64>, String>> = tasks
        .par_iter()
        .map(|task| {
            let found = packs(repository, task, budgets).map_err(|error| error.to_string())?;
            if is_printed {
                found.last().into_iter().for_each(|lines| print_missed(task, lines));
            }
            Ok(found.iter().map(|lines| share(task, lines)).collect())
        })
        .collect();
    let all: Vec<Vec<f64>> = all.into_iter().collect::<Result<_, _>>()?;
    Ok((0..budgets.len()).map(|at| mean(all.iter().map(|shares| shares[at]))).collect())
}

/// The mean of some figures; 0 if there are none.
pub(super) fn mean(figures: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = f64::from(figures.len().max(1) as u32);
    figures.sum::<f64>() / count
}

/// The lines that the packs of a task show, for each budget.
fn packs(repository: &RepoTasks, task: &Task, budgets: &[u64]) -> ChoreResult<Vec<FileLines>> {
    let pack = |budget: &u64| {
        let limits = (false, *budget);
        let context = SearchContext::new(&OsSystem, &repository.config);
        let (parts, ..) = task_parts(context, &task.message, limits)?;
        let context = put_together(&parts, *budget, PackForm::Markdown);
        if context.tokens > *budget {
            return Err(format!("{}: {} is over the budget", repository.repo, task.title()).into());
        }
        Ok(shown(&context.pack))
    };
    budgets.iter().map(pack).collect()
}

/// Prints what the pack of a task did not show of its files.
fn print_missed(task: &Task, lines: &FileLines) {
    let mut line = format!("{:5.1} {} {}", 100.0 * share(task, lines), &task.commit, task.title());
    for (file, hunks) in &task.hunks {
        let own = lines.get(file).cloned().unwrap_or_default();
        let is_missed = |hunk: &&(u32, u32)| !is_shown(**hunk, &own);
        let missed: Vec<String> = hunks
            .iter()
            .filter(is_missed)
            .map(|(first, count)| format!("{first}+{count}"))
            .collect();
        let (hit, of) = (hunks.len() - missed.len(), hunks.len());
        let _ =
            write!(line, "\n  {hit}/{of} {file} ({} lines shown) {}", own.len(), missed.join(" "));
    }
    eprintln!("{line}");
}

fn is_shown((first, count): (u32, u32), known: &BTreeSet<u32>) -> bool {
    // An insertion is shown by the line before it.
    let first = if count == 0 { first.max(1) } else { first };
    (first..first + count.max(1)).all(|line| known.contains(&line))
}

fn total(task: &Task) -> usize {
    code_hunks(task).map(|(_, hunks)| hunks.len()).sum()
}

/// The hunks of a task in code: tests are named, and shown only where somebody asks for them.
fn code_hunks(task: &Task) -> impl Iterator<Item = (&String, &Vec<(u32, u32)>)> {
    task.hunks.iter().filter(|(file, _)| !is_test(file))
}

/// The share of a task's hunks whose lines are shown; an insertion counts by the line before it.
fn share(task: &Task, lines: &FileLines) -> f64 {
    let none = BTreeSet::new();
    let mut hits = 0u32;
    for (file, hunks) in code_hunks(task) {
        let known = lines.get(file).unwrap_or(&none);
        hits += hunks.iter().map(|hunk| u32::from(is_shown(*hunk, known))).sum::<u32>();
    }
    f64::from(hits) / f64::from(total(task).max(1) as u32)
}

fn shown(pack: &portolan_wire::context::ContextPackV2) -> FileLines {
    let mut lines = FileLines::new();
    for slice in &pack.code.slices {
        let Some(input) = pack.digests.inputs.get(slice.file as usize) else { continue };
        let own = lines.entry(input.path.clone()).or_default();
        own.extend(slice.lines.iter().flat_map(|[first, last]| *first..=*last));
    }
    lines
}

/// Whole files by rank, until the budget is full; a file that does not fit is skipped.
fn whole_files(
    args: &TasksArgs,
    repository: &RepoTasks,
    task: &Task,
    budget: u64,
) -> ChoreResult<FileLines> {
    let settings = settings(&args.set)?;
    let request = request(&task.message, &repository.commits, 20_000, &settings);
    let order = repository.ranking.by_interest(&request)?;
    let mut left = budget;
    let mut lines = FileLines::new();
    for path in order.into_iter().filter(|path| portolan_languages::is_program(path)).take(400) {
        let Ok(text) = fs::read_to_string(repository.config.root.join(path)) else { continue };
        let tokens = tokens(&text) + 10;
        if tokens <= left {
            left -= tokens;
            lines.insert(path.to_owned(), (1..=text.lines().count() as u32).collect());
        }
        if left < 50 {
            break;
        }
    }
    Ok(lines)
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default()
}

/// Blocks of code as BM25 documents.
#[derive(Default)]
struct BlockIndex {
    all: Vec<IndexedBlock>,
    postings: BTreeMap<String, Vec<(u32, f64)>>,
    mean: f64,
}

struct IndexedBlock {
    file: String,
    lines: (u32, u32),
    words: f64,
    tokens: u64,
}

impl BlockIndex {
    fn new(repository: &RepoTasks) -> Self {
        let code: Vec<&str> = repository
            .ranking
            .map()
            .universe
            .iter()
            .map(|file| file.path.as_str())
            .filter(|path| portolan_languages::is_program(path))
            .collect();
        let read = |path: &&str| {
            let text = fs::read_to_string(repository.config.root.join(path)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let blocks =
                portolan_symbols::text::blocks(if text.len() < 1 << 20 { &text } else { "" });
            let each = blocks.into_iter().map(|block| {
                let text = lines[block.first as usize - 1..block.last as usize].join("\n");
                let mut counts: BTreeMap<String, f64> = BTreeMap::new();
                portolan_ranking::file_ranking::words::words(&text, |word| {
                    *counts.entry(word.to_owned()).or_default() += 1.0;
                });
                let words = counts.values().sum();
                let tokens = text.len() as u64 * 10 / 36 + 10;
                let lines = (block.first, block.last);
                (IndexedBlock { file: (*path).to_owned(), lines, words, tokens }, counts)
            });
            each.collect::<Vec<_>>()
        };
        let mut found = Self::default();
        for (block, counts) in code.par_iter().flat_map_iter(read).collect::<Vec<_>>() {
            let at = found.all.len() as u32;
            found.mean += block.words;
            found.all.push(block);
            for (word, count) in counts {
                found.postings.entry(word).or_default().push((at, count));
            }
        }
        found.mean /= f64::from(found.all.len().max(1) as u32);
        found
    }

    fn best(&self, task: &Task, budget: u64) -> FileLines {
        let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
        let mut words = BTreeSet::new();
        portolan_ranking::file_ranking::words::words(&task.message, |word| {
            words.insert(word.to_owned());
        });
        let count = f64::from(self.all.len() as u32);
        for word in words {
            let Some(list) = self.postings.get(&word) else { continue };
            let having = f64::from(list.len() as u32);
            let idf = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (at, times) in list {
                let long = 0.25 + 0.75 * self.all[*at as usize].words / self.mean;
                *scores.entry(*at).or_default() += idf * times * 2.2 / (times + 1.2 * long);
            }
        }
        let mut order: Vec<(u32, f64)> = scores.into_iter().collect();
        order.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let (mut left, mut lines) = (budget, FileLines::new());
        for (at, _) in order {
            let block = &self.all[at as usize];
            if block.tokens > left {
                break;
            }
            left -= block.tokens;
            lines.entry(block.file.clone()).or_default().extend(block.lines.0..=block.lines.1);
        }
        lines
    }
}

/// The share of the tests that a commit changed among the first that are named for its other files,
/// and the number of tasks.
fn tests(repository: &RepoTasks) -> (f64, usize) {
    let map = repository.ranking.map();
    let place = |path: &String| map.place_of(path);
    let is_test = |path: &&String| is_test(path);
    let (mut sum, mut count) = (0.0, 0);
    for task in &repository.tasks {
        let wanted: BTreeSet<FileId> =
            task.files.iter().filter(is_test).filter_map(place).collect();
        let others: Vec<FileId> =
            task.files.iter().filter(|path| !is_test(path)).filter_map(place).collect();
        if wanted.is_empty() || others.is_empty() {
            continue;
        }
        let change = Change { files: &others, text: &task.lines, commits: &repository.commits };
        let named = repository.ranking.covering(&change);
        let hits = named.iter().take(TESTS).filter(|it| wanted.contains(&it.test)).count();
        sum += f64::from(hits as u32) / f64::from(wanted.len() as u32);
        count += 1;
    }
    (sum / f64::from(count.max(1) as u32), count)
}
