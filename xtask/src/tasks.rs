//! How well charts answer real tasks: the files that a commit changed, from its message alone.
//!
//! The tasks and the clones are arguments, since they are other people's work. One map is made for each
//! base commit; every task is then asked of it at each budget. Signals can be switched (`--set`) to see what
//! each brings.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use portolan_engine::chart::{Atlas, ChartRequest, IndexFiles, InterestSettings};
use portolan_engine::config;
use portolan_engine::map::{self, CacheMode, MapRequest};
use portolan_vfs::OsSystem;
use serde_json::Value;

use crate::Outcome;

#[derive(Args)]
pub(crate) struct TasksArgs {
    /// The tasks: JSON lines with `repo`, `base`, `commit` and `files`
    tasks: PathBuf,
    /// Clones with history, each in a folder `<owner>+<name>`
    clones: PathBuf,
    /// Where the trees of base commits are put; kept for the next time
    work: PathBuf,
    /// Budgets in tokens
    #[arg(long, value_delimiter = ',', default_value = "8000,20000")]
    budgets: Vec<u64>,
    /// Only repositories whose name has this
    #[arg(long, default_value = "")]
    repo: String,
    /// Change a weight: `name=value` (can be repeated)
    #[arg(long)]
    set: Vec<String>,
    /// Tell of each task which files were missed at the last budget
    #[arg(long)]
    missed: bool,
}

struct Task {
    commit: String,
    files: Vec<String>,
}

/// What was found over the tasks of a repository.
#[derive(Default)]
struct Found {
    tasks: f64,
    listed: Vec<f64>,
    tokens: Vec<f64>,
    files: Vec<f64>,
    first: [f64; 3],
}

const FIRST: [usize; 3] = [20, 300, 1000];

pub(crate) fn run(args: &TasksArgs) -> Outcome<()> {
    let mut by_base: BTreeMap<(String, String), Vec<Task>> = BTreeMap::new();
    for line in fs::read_to_string(&args.tasks)?.lines() {
        let value: Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let files = value["files"].as_array().into_iter().flatten();
        let files = files.filter_map(|file| file.as_str().map(str::to_owned)).collect();
        let task = Task { commit: text("commit"), files };
        by_base.entry((text("repo"), text("base"))).or_default().push(task);
    }
    let settings = settings(&args.set)?;
    let budgets: Vec<String> = args.budgets.iter().map(|n| format!("{n:>7} (tok files)")).collect();
    eprintln!("{:<24} tasks  {}  first 20/300/1000 by title", "", budgets.join("  "));
    for ((repo, base), tasks) in &by_base {
        if !repo.contains(&args.repo) {
            continue;
        }
        let clone = args.clones.join(repo.replace('/', "+"));
        let tree = tree(&clone, base, &args.work)?;
        measure(args, repo, &clone, &tree, tasks, &settings)?;
    }
    Ok(())
}

fn measure(
    args: &TasksArgs,
    repo: &str,
    clone: &Path,
    tree: &Path,
    tasks: &[Task],
    settings: &InterestSettings,
) -> Outcome<()> {
    let system = OsSystem;
    let config = config::load(&system, tree)?;
    let (root, stan_path) = (config.root.clone(), config.settings.stan_path.clone());
    let request = MapRequest { config, threads: 0 };
    let map = map::build_cached(&system, &request, CacheMode::Use)?;
    let files =
        IndexFiles { system: &system, root: &root, stan_path: &stan_path, cache: CacheMode::Use };
    let atlas = Atlas::new(&map, &files);
    let mut found = Found::default();
    found.listed.resize(args.budgets.len(), 0.0);
    found.tokens.resize(args.budgets.len(), 0.0);
    found.files.resize(args.budgets.len(), 0.0);
    for task in tasks {
        let message = git(clone, &["log", "-1", "--format=%B", &task.commit])?;
        let ask = |text: &str, budget: u64| {
            atlas.chart(&ChartRequest {
                zoom: Vec::new(),
                task: Some(text.to_owned()),
                budget,
                interest: settings.clone(),
            })
        };
        found.tasks += 1.0;
        let share = |have: &dyn Fn(&str) -> bool| {
            let hits = task.files.iter().filter(|file| have(file)).count();
            f64::from(hits as u32) / f64::from(task.files.len().max(1) as u32)
        };
        for (at, budget) in args.budgets.iter().enumerate() {
            let report = ask(message.trim(), *budget)?;
            let has = |file: &str| report.listed.iter().any(|id| id.as_str() == file);
            found.listed[at] += share(&has);
            found.tokens[at] += f64::from(report.tokens as u32);
            found.files[at] += f64::from(report.listed.len() as u32);
            if report.tokens > *budget {
                return Err(format!("{repo} {}: over the budget", task.commit).into());
            }
            if args.missed && at + 1 == args.budgets.len() {
                let place =
                    |file: &str| report.by_interest.iter().position(|id| id.as_str() == file);
                let title = message.lines().next().unwrap_or_default();
                eprintln!("{title}");
                for file in &task.files {
                    let mark = if has(file) { "  " } else { "! " };
                    eprintln!("  {mark}{file} {:?}", place(file));
                }
            }
        }
        let title = message.lines().next().unwrap_or_default();
        let report = ask(title, 500)?;
        for (sum, first) in found.first.iter_mut().zip(FIRST) {
            let best = &report.by_interest[..first.min(report.by_interest.len())];
            *sum += share(&|file| best.iter().any(|id| id.as_str() == file));
        }
    }
    say(repo, &found);
    Ok(())
}

fn say(repo: &str, found: &Found) {
    let mean = |sum: f64| sum / found.tasks.max(1.0);
    let listed = found.listed.iter().zip(&found.tokens).zip(&found.files);
    let listed: Vec<String> = listed
        .map(|((listed, tokens), files)| {
            format!("{:5.1} % ({:.0} {:.0})", 100.0 * mean(*listed), mean(*tokens), mean(*files))
        })
        .collect();
    let first: Vec<String> =
        found.first.iter().map(|sum| format!("{:.1}", 100.0 * mean(*sum))).collect();
    eprintln!("{repo:<24} {:>5}  {}  {}", found.tasks, listed.join("   "), first.join(" / "));
}

fn settings(changes: &[String]) -> Outcome<InterestSettings> {
    let mut settings = InterestSettings::default();
    for change in changes {
        let (name, value) = change.split_once('=').ok_or("--set takes name=value")?;
        if !settings.set(name, value.parse()?) {
            return Err(format!("no weight `{name}`").into());
        }
    }
    Ok(settings)
}

fn git(clone: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new("git").arg("-C").arg(clone).args(args).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The files of a commit, in a folder of their own; files whose blobs are absent are left out.
fn tree(clone: &Path, base: &str, work: &Path) -> Outcome<PathBuf> {
    let name = clone.file_name().unwrap_or_default().to_string_lossy();
    let out = work.join(format!("{name}-{}", &base[..10.min(base.len())]));
    if out.exists() {
        return Ok(out);
    }
    let mut cat = Command::new("git")
        .arg("-C")
        .arg(clone)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut asks = cat.stdin.take().ok_or("no stdin")?;
    let mut answers = BufReader::new(cat.stdout.take().ok_or("no stdout")?);
    for entry in git(clone, &["ls-tree", "-rz", base])?.split('\0') {
        let Some((head, path)) = entry.split_once('\t') else { continue };
        let fields: Vec<&str> = head.split(' ').collect();
        let [mode, "blob", sha] = fields[..] else { continue };
        if mode == "120000" {
            continue;
        }
        writeln!(asks, "{sha}")?;
        asks.flush()?;
        let mut answer = String::new();
        answers.read_line(&mut answer)?;
        let Some(size) = answer.split_whitespace().nth(2) else { continue };
        let mut data = vec![0; size.parse::<usize>()? + 1];
        answers.read_exact(&mut data)?;
        data.pop();
        let file = out.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&out))?;
        fs::write(file, data)?;
    }
    Command::new("git").arg("init").arg("-q").arg(&out).status()?;
    Ok(out)
}
