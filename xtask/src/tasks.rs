//! Measures how well charts answer real tasks: the files that a commit changed, from its message
//! alone.
//!
//! The tasks and the clones are arguments, because they are other people's work. Each base commit
//! gets one map, and every task is asked at each budget. Weights can be changed (`--set`) to see
//! the effect of each signal.

mod clone;
mod packs;
mod tune;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use portolan_index::history::commits;
use portolan_index::map::{self, CacheMode, MapReport, MapRequest};
use portolan_index::store::CacheFolder;
use portolan_index::symbols::{DeclarationStore, Headings};
use portolan_query::chart::{ChartRequest, FileWeights, IndexFiles, RankingIndex};
use portolan_types::FileId;
use portolan_vfs::OsSystem;
use portolan_workspace::config;
use rayon::prelude::*;
use serde_json::Value;

use crate::ChoreResult;

#[derive(Args)]
pub(crate) struct TasksArgs {
    /// The tasks: JSON lines with `repo`, `base`, `commit` and `files`
    tasks: PathBuf,
    /// Clones with history, each in a folder `<owner>+<name>`
    clones: PathBuf,
    /// The folder for the trees of base commits; kept for the next run
    work: PathBuf,
    /// Budgets in tokens
    #[arg(long, value_delimiter = ',', default_value = "8000,20000")]
    budgets: Vec<u64>,
    /// Only repositories whose name contains this
    #[arg(long, default_value = "")]
    repo: String,
    /// Change a weight: `name=value` (can be repeated)
    #[arg(long)]
    set: Vec<String>,
    /// Print the files that the last budget missed for each task, and their ranks
    #[arg(long)]
    missed: bool,
    /// Only rank, without charts
    #[arg(long)]
    rank: bool,
    /// Search for better weights by coordinate descent
    #[arg(long)]
    tune: bool,
    /// Measure packs instead of charts: changed lines shown verbatim, tests named
    #[arg(long)]
    packs: bool,
    /// Ignore git's history
    #[arg(long)]
    no_history: bool,
    /// For packs: only packs, without the comparisons
    #[arg(long)]
    only: bool,
    /// For packs: only the tests that are named for a change
    #[arg(long)]
    only_tests: bool,
}

/// A commit as a task.
pub(super) struct Task {
    commit: String,
    message: String,
    files: Vec<String>,
    /// The changed lines of some files: the first line, and how many.
    hunks: BTreeMap<String, Vec<(u32, u32)>>,
    /// The removed and added lines of files that are not tests.
    lines: String,
}

impl Task {
    fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// The share of the files that a predicate accepts.
    fn share(&self, is_there: impl Fn(&str) -> bool) -> f64 {
        let hits = self.files.iter().filter(|file| is_there(file)).count();
        f64::from(hits as u32) / f64::from(self.files.len().max(1) as u32)
    }
}

/// A repository and its tasks.
pub(super) struct RepoTasks {
    repo: String,
    config: config::Loaded,
    ranking: RankingIndex<'static>,
    /// Earlier commits, each as its files.
    commits: Vec<Vec<FileId>>,
    tasks: Vec<Task>,
}

/// The shares are measured among this many of the best ranked files.
const FIRST: [usize; 3] = [20, 300, 1000];

pub(crate) fn run(args: &TasksArgs) -> ChoreResult<()> {
    let repositories = load(args)?;
    let settings = settings(&args.set)?;
    if args.packs {
        return packs::measure(args, &repositories);
    }
    if args.tune {
        tune::tune(&repositories, settings);
        return Ok(());
    }
    let budgets: Vec<String> =
        args.budgets.iter().map(|n| format!("{n:>6} (tokens, files)")).collect();
    eprintln!("{:<24} tasks  {}  first 20/300/1000 by title, by message", "", budgets.join("  "));
    for repository in &repositories {
        measure(args, repository, &settings)?;
    }
    Ok(())
}

fn load(args: &TasksArgs) -> ChoreResult<Vec<RepoTasks>> {
    let mut by_base: BTreeMap<(String, String), Vec<Task>> = BTreeMap::new();
    for line in fs::read_to_string(&args.tasks)?.lines() {
        let value: Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let repo = text("repo");
        if !repo.contains(&args.repo) {
            continue;
        }
        let files = value["files"].as_array().into_iter().flatten();
        let files: Vec<String> =
            files.filter_map(|file| file.as_str().map(str::to_owned)).collect();
        let clone = args.clones.join(repo.replace('/', "+"));
        let message = clone::message(&clone, &text("commit"))?;
        let lines = if args.packs {
            clone::changed_lines(&clone, &text("commit"), &files)?
        } else {
            String::new()
        };
        by_base.entry((repo, text("base"))).or_default().push(Task {
            commit: text("commit"),
            message,
            files,
            hunks: hunks(&value),
            lines,
        });
    }
    let repositories = by_base.into_iter().map(|((repo, base), tasks)| {
        let clone = args.clones.join(repo.replace('/', "+"));
        let tree = clone::tree(&clone, &base, &args.work)?;
        let (config, ranking, mut commits) = load_corpus(&tree)?;
        if args.no_history {
            commits.clear();
        }
        Ok(RepoTasks { repo, config, ranking, commits, tasks })
    });
    repositories.collect()
}

fn is_test(path: &str) -> bool {
    portolan_graph::select::Category::of(path) == Some(portolan_graph::select::Category::Test)
}

fn hunks(task: &Value) -> BTreeMap<String, Vec<(u32, u32)>> {
    let number = |value: &Value| value.as_u64().and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
    let files = task["hunks"].as_object().into_iter().flatten();
    files
        .map(|(file, list)| {
            let list = list.as_array().into_iter().flatten();
            (file.clone(), list.map(|pair| (number(&pair[0]), number(&pair[1]))).collect())
        })
        .collect()
}

/// A repository, its files with their words, and its commits.
type TaskCorpus = (config::Loaded, RankingIndex<'static>, Vec<Vec<FileId>>);

/// The files of a tree with their words, and its history. The map lives as long as the process.
fn load_corpus(tree: &Path) -> ChoreResult<TaskCorpus> {
    let system = OsSystem;
    let config = config::load(&system, tree)?;
    let request = MapRequest { config: config.clone(), threads: 0 };
    let map: &'static MapReport =
        Box::leak(Box::new(map::build_cached(&system, &request, CacheMode::Use)?));
    let cache = CacheFolder::open(&system, &config, CacheMode::Use);
    let files = IndexFiles { system: &system, root: &config.root, cache: &cache };
    let (commits, ranking) = (commits(&files, map), RankingIndex::new(map, &files));
    Ok((config, ranking, commits))
}

fn request(
    task: &str,
    commits: &[Vec<FileId>],
    budget: u64,
    settings: &FileWeights,
) -> ChartRequest {
    ChartRequest {
        path_input: portolan_workspace::path_input::PathInput::default(),
        zoom: Vec::new(),
        changed: Vec::new(),
        task: Some(task.to_owned()),
        commits: commits.to_vec(),
        budget,
        weights: settings.clone(),
    }
}

/// The shares of a task's files among the best ranked.
pub(super) fn first(
    repository: &RepoTasks,
    task: &Task,
    text: &str,
    settings: &FileWeights,
) -> [f64; 3] {
    let request = request(text, &repository.commits, 20_000, settings);
    let order = repository.ranking.by_interest(&request).unwrap_or_default();
    FIRST.map(|first| task.share(|file| order[..first.min(order.len())].contains(&file)))
}

/// The result of a budget: the share that is listed, the tokens, the files.
type BudgetResult = [f64; 3];

fn listed(
    repository: &RepoTasks,
    task: &Task,
    budget: u64,
    settings: &FileWeights,
) -> ChoreResult<BudgetResult> {
    let store = DeclarationStore::default();
    let headings = Headings::new(&OsSystem, &repository.config, &store);
    let report = repository
        .ranking
        .chart(&request(&task.message, &repository.commits, budget, settings), &headings)?;
    if report.tokens > budget {
        return Err(format!("{}: {} is over the budget", repository.repo, task.title()).into());
    }
    let has = |file: &str| report.listed.iter().any(|id| id.as_str() == file);
    Ok([task.share(has), f64::from(report.tokens as u32), f64::from(report.listed.len() as u32)])
}

fn measure(args: &TasksArgs, repository: &RepoTasks, settings: &FileWeights) -> ChoreResult<()> {
    let mean = |of: &(dyn Fn(&Task) -> f64 + Sync)| {
        let all: Vec<f64> = repository.tasks.par_iter().map(of).collect();
        all.iter().sum::<f64>() / f64::from(all.len().max(1) as u32)
    };
    let mut parts = Vec::new();
    for budget in args.budgets.iter().filter(|_| !args.rank) {
        let all: Vec<Result<BudgetResult, String>> = repository
            .tasks
            .par_iter()
            .map(|task| {
                listed(repository, task, *budget, settings).map_err(|error| error.to_string())
            })
            .collect();
        let all: Vec<BudgetResult> = all.into_iter().collect::<Result<_, _>>()?;
        let mean = |at: usize| {
            all.iter().map(|one| one[at]).sum::<f64>() / f64::from(all.len().max(1) as u32)
        };
        parts.push(format!("{:5.1} % ({:.0}, {:.0})", 100.0 * mean(0), mean(1), mean(2)));
    }
    for whole in [false, true] {
        let text = |task: &Task| if whole { task.message.clone() } else { task.title().to_owned() };
        let shares = [0, 1, 2].map(|at| {
            format!(
                "{:.1}",
                100.0 * mean(&|task| first(repository, task, &text(task), settings)[at])
            )
        });
        parts.push(shares.join(" / "));
    }
    eprintln!("{:<24} {:>5}  {}", repository.repo, repository.tasks.len(), parts.join("   "));
    if args.missed {
        repository.tasks.iter().for_each(|task| print_ranks(repository, task, settings));
    }
    Ok(())
}

/// Prints the ranks of a task's files.
fn print_ranks(repository: &RepoTasks, task: &Task, settings: &FileWeights) {
    let request = request(task.title(), &repository.commits, 20_000, settings);
    let order = repository.ranking.by_interest(&request).unwrap_or_default();
    eprintln!("{}", task.title());
    for file in &task.files {
        let place = order.iter().position(|one| one == file);
        eprintln!("  {:>6} {file}", place.map_or_else(|| "none".to_owned(), |at| at.to_string()));
    }
    eprintln!("    first: {}", order[..6.min(order.len())].join(" "));
}

fn settings(changes: &[String]) -> ChoreResult<FileWeights> {
    let mut settings = FileWeights::default();
    for change in changes {
        let (name, value) = change.split_once('=').ok_or("--set takes name=value")?;
        *settings.weight(name).ok_or_else(|| format!("no weight `{name}`"))? = value.parse()?;
    }
    Ok(settings)
}
