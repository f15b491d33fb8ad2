//! Measures a chat thread on real repositories: the opener, a turn after an edit, the cache, and
//! the time of questions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::{Value, json};

use crate::ChoreResult;
use crate::programs::{self, Program, median};

#[derive(Args)]
pub(crate) struct TurnsArgs {
    /// Repositories; each is copied first
    #[arg(required = true)]
    real: Vec<PathBuf>,
    /// How often each question is asked
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// The task of charts and packs
    #[arg(long, default_value = "fix: time out requests that never end and say why")]
    task: String,
}

/// The approximate size of the edited file, in bytes.
const EDITED: u64 = 12_000;
/// Larger files are data, and not indexed.
const MOST_BYTES: u64 = 4 << 20;

/// Measures and prints a table.
#[expect(clippy::print_stdout, reason = "printing the figures is its purpose")]
pub(crate) fn run(args: &TurnsArgs) -> ChoreResult<()> {
    let portolan = programs::portolan("measured")?;
    let scratch = tempfile::tempdir_in(programs::repository().join("target"))?;
    println!(
        "| repository | opener tokens | turn tokens (file) | cache of sources | `graph` ms | `chart --task` ms | `pack --task` ms | MB |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for source in &args.real {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = scratch.path().join(&name);
        if !Command::new("cp").arg("-a").arg(source).arg(&folder).status()?.success() {
            return Err(format!("cannot copy {}", source.display()).into());
        }
        let place = RepoCopy { portolan: &portolan, folder: &folder };
        let opener = place.ask(&["run", "--context", "--meta"])?["archive"]["tokens"].take();
        let (turn, own) = place.turn()?;
        let chart = ["chart", "--task", &args.task];
        let pack = ["pack", "--task", &args.task];
        place.program(&chart).time()?;
        place.program(&pack).time()?;
        let times = [&["graph", "--view", "stats"][..], &chart, &pack].map(|call| {
            let program = place.program(call);
            let times: ChoreResult<Vec<f64>> = (0..args.runs).map(|_| program.time()).collect();
            times.map(|times| median(&times))
        });
        let [graph, charted, packed] = times;
        let peak = place.program(&pack).peak().map_or("-".to_owned(), |kb| (kb / 1000).to_string());
        let (cache, sources) = place.sizes()?;
        println!(
            "| {name} | {opener} | {turn} ({own}) | {} % ({} of {} KB) | {:.0} | {:.0} | {:.0} | {peak} |",
            100 * cache / sources.max(1),
            cache / 1000,
            sources / 1000,
            graph?,
            charted?,
            packed?,
        );
    }
    Ok(())
}

/// A copy of a repository.
struct RepoCopy<'a> {
    portolan: &'a Path,
    folder: &'a Path,
}

impl RepoCopy<'_> {
    fn program(&self, arguments: &[&str]) -> Program {
        Program::new(self.portolan, self.folder, arguments)
    }

    /// The result of a command.
    fn ask(&self, arguments: &[&str]) -> ChoreResult<Value> {
        let output = self.program(&[arguments, &["--format", "json"]].concat()).output()?;
        let mut answer: Value = serde_json::from_slice(&output)?;
        Ok(answer["result"].take())
    }

    /// The tokens of the diff after a line was added to a selected file, and those of the file.
    fn turn(&self) -> ChoreResult<(u64, u64)> {
        let file = self.edited()?;
        let state = self.folder.join(".stan/context/dependency.state.json");
        fs::write(state, json!({ "v": 2, "i": [file] }).to_string())?;
        self.ask(&["run", "--context"])?;
        let path = self.folder.join(&file);
        let text = fs::read_to_string(&path)?;
        let is_python = Path::new(&file).extension().is_some_and(|ending| ending == "py");
        let mark = if is_python { "#" } else { "//" };
        fs::write(path, format!("{text}{mark} one more line\n"))?;
        let report = self.ask(&["run", "--context"])?;
        let number = |value: &Value| value.as_u64().ok_or("`run` reported no tokens");
        Ok((number(&report["diff"]["tokens"])?, number(&report["cost"]["closure"]["tokens"])?))
    }

    /// The code file nearest to the size for the edit; the first of several.
    fn edited(&self) -> ChoreResult<String> {
        let files = self.files()?;
        let code = files.iter().filter(|(path, _)| portolan_languages::is_program(path));
        let best = code.min_by_key(|(path, size)| (size.abs_diff(EDITED), path.clone()));
        Ok(best.ok_or("there is no code")?.0.clone())
    }

    /// The files of the repository, with their sizes.
    fn files(&self) -> ChoreResult<Vec<(String, u64)>> {
        let output = self.program(&["graph", "--view", "graph", "--out", "-"]).output()?;
        let graph: Value = serde_json::from_slice(&output)?;
        let nodes = graph["nodes"].as_object().ok_or("no nodes")?.iter();
        let sources = nodes.filter(|(_, node)| node["kind"] == "source");
        let size = |node: &Value| node["metadata"]["size"].as_u64();
        Ok(sources.filter_map(|(path, node)| Some((path.clone(), size(node)?))).collect())
    }

    /// The bytes of the cache, and of the texts indexed in it.
    fn sizes(&self) -> ChoreResult<(u64, u64)> {
        let mut cache = 0;
        for entry in fs::read_dir(self.folder.join(".stan/cache"))? {
            cache += entry?.metadata()?.len();
        }
        let mut sources = 0;
        for (path, size) in self.files()?.into_iter().filter(|(_, size)| *size <= MOST_BYTES) {
            if !fs::read(self.folder.join(path)).unwrap_or_default().contains(&0) {
                sources += size;
            }
        }
        Ok((cache, sources))
    }
}
