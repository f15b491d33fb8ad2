//! Measures questions about repositories without a workspace, with an empty cache and with a filled one, next to `rg`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::programs::{self, Program, median};
use crate::{ChoreResult, report};

/// The arguments of `cargo xtask questions`.
#[derive(Args)]
pub(crate) struct QuestionBenchArgs {
    /// The repositories
    #[arg(required = true)]
    repositories: Vec<PathBuf>,

    /// How often each question is asked
    #[arg(long, default_value_t = 5)]
    runs: usize,

    /// A word that is searched for; by default one that is in every repository
    #[arg(long, default_value = "token")]
    word: String,

    /// A file to look at and to read; by default the first of a few usual names
    #[arg(long)]
    file: Option<String>,
}

/// Measures, and prints a table for each repository.
pub(crate) fn run(args: &QuestionBenchArgs) -> ChoreResult<()> {
    let binary = programs::portolan("release")?;
    let mut text = report::machine();
    for repository in &args.repositories {
        let repository = repository.canonicalize()?;
        let _ = write!(
            text,
            "\n{}, median of {}, ms:\n\n| question | cold | warm |\n| --- | ---: | ---: |\n",
            repository.display(),
            args.runs
        );
        for row in rows(&binary, &repository, args)? {
            let _ = writeln!(text, "| {} | {:.0} | {:.0} |", row.name, row.cold, row.warm);
        }
    }
    eprintln!("{text}");
    Ok(())
}

struct QuestionRow {
    name: String,
    cold: f64,
    warm: f64,
}

fn rows(binary: &Path, folder: &Path, args: &QuestionBenchArgs) -> ChoreResult<Vec<QuestionRow>> {
    let usual = ["django/db/models/query.py", "packages/trpc/server/trpc.ts", "src/index.ts"];
    let exists = |file: &&str| folder.join(file).is_file();
    let file = args.file.as_deref().or_else(|| usual.into_iter().find(exists));
    let file = file.ok_or("name a file of the repository with --file")?;
    let word = args.word.as_str();
    let task = format!("the {word} is not renewed when a session expires");
    let questions: [&[&str]; 8] = [
        &["look", file],
        &["look", word],
        &["read", file],
        &["search", word],
        &["search", "--task", &task],
        &["find", word],
        &["chart"],
        &["graph", "--view", "stats"],
    ];
    let caches = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for question in questions {
        let cache = caches.path().join("cache");
        let program = Program::new(binary, folder, question).with_cache(&cache);
        let (mut cold, mut warm) = (Vec::new(), Vec::new());
        for _ in 0..args.runs {
            let _ = fs::remove_dir_all(&cache);
            cold.push(program.time_any()?);
            warm.push(program.time_any()?);
        }
        let name = format!("`{}`", question.join(" "));
        rows.push(QuestionRow { name, cold: median(&cold), warm: median(&warm) });
    }
    let grep = Program::new(Path::new("rg"), folder, &["-n", word]);
    let times: Vec<f64> = (0..args.runs).map(|_| grep.time()).collect::<ChoreResult<_>>()?;
    let time = median(&times);
    rows.push(QuestionRow { name: format!("`rg -n {word}`"), cold: time, warm: time });
    Ok(rows)
}
