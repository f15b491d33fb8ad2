//! The benchmarks: all programs take turns in every round, so that all share the same machine load.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::Args;
use portolan_guard::Guard;
use portolan_types::{Notice, NoticeCode, RepoPath};
use portolan_vfs::{OsSystem, System};
use portolan_workspace::{GitEnvironment, Patterns, ScanSettings, scan};
use serde_json::Value;
use tempfile::TempDir;

use crate::programs::{self, Program, median};
use crate::{ChoreResult, agents, corpus, report, start, view};

/// The arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// How often each program runs; a fifth of that on 100,000 modules
    #[arg(long, default_value_t = 10)]
    runs: usize,

    /// The sizes of the synthetic corpora
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    modules: Vec<usize>,

    /// A folder of real repositories, measured too; they are copied first (can be repeated)
    #[arg(long, value_name = "FOLDER")]
    real: Vec<PathBuf>,

    /// Measure the server for agents on the real repositories instead
    #[arg(long)]
    agents: bool,

    /// Measure the page of `view` on the real repositories in a browser instead
    #[arg(long, conflicts_with = "agents")]
    view: bool,

    /// Measure the size of the binary and its first answers instead, and write that section of the
    /// page
    #[arg(long, conflicts_with_all = ["agents", "view"])]
    start: bool,

    /// Where to write [default: docs/benchmarks.md, docs/benchmarks-agents.md with `--agents`, docs/benchmarks-view.md with `--view`]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A measured program or command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    FloorRead,
    FloorStat,
    Cold,
    Warm,
    Edited,
    Relinked,
    RunContext,
    RevDep,
    Esbuild,
}

impl Subject {
    /// The name in the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::FloorRead => "floor: walk, read, sha256",
            Self::FloorStat => "floor: walk, stat",
            Self::Cold => "`graph`, cold",
            Self::Warm => "`graph`, warm",
            Self::Edited => "`graph`, warm, one edit",
            Self::Relinked => "`graph`, warm, one edit of an export",
            Self::RunContext => "`run --context`, cold",
            Self::RevDep => "rev-dep",
            Self::Esbuild => "esbuild",
        }
    }
}

/// The figures of one corpus.
pub(crate) struct Figures {
    pub(crate) name: String,
    pub(crate) modules: Option<usize>,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Medians in milliseconds, with the number of runs.
    pub(crate) medians: Vec<(Subject, f64, usize)>,
    /// Peak resident size of a cold and of a warm run, in kilobytes.
    pub(crate) peaks: [Option<u64>; 2],
    /// Stages of a cold run: name, milliseconds.
    pub(crate) stages: Vec<(String, f64)>,
}

impl Figures {
    pub(crate) fn median(&self, subject: Subject) -> Option<f64> {
        self.medians.iter().find(|(of, _, _)| *of == subject).map(|(_, median, _)| *median)
    }

    pub(crate) fn ratio(&self, subject: Subject, base: Subject) -> Option<f64> {
        Some(self.median(subject)? / self.median(base)?)
    }
}

/// Measures everything and writes the report.
pub(crate) fn run(args: &BenchArgs) -> ChoreResult<()> {
    let page = match (args.agents, args.view) {
        (true, _) => "docs/benchmarks-agents.md",
        (_, true) => "docs/benchmarks-view.md",
        _ => "docs/benchmarks.md",
    };
    let out = args.out.clone().unwrap_or_else(|| page.into());
    if args.start {
        return start::run(args.runs, &programs::repository().join(out));
    }
    if args.agents {
        return agents::run(&args.real, args.runs, &out);
    }
    if args.view {
        return view::run(&args.real, args.runs, &out);
    }
    let portolan = programs::portolan("release")?;
    let mut figures = Vec::new();
    let mut hot = Vec::new();
    for modules in &args.modules {
        eprintln!("writing {modules} modules");
        let folder = tempfile::tempdir()?;
        corpus::write(folder.path(), *modules, corpus::SEED)?;
        let runs = if *modules >= 100_000 { args.runs.div_ceil(5) } else { args.runs };
        let bench = Bench::new(&portolan, folder.path())?;
        let name = format!("{modules} modules");
        figures.push(Figures { modules: Some(*modules), ..bench.measure(name, runs)? });
        if *modules == 10_000 {
            hot = bench.hot_functions();
        }
    }
    for source in &args.real {
        let folder = tempfile::tempdir()?;
        copy(source, folder.path())?;
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        figures.push(Bench::new(&portolan, folder.path())?.measure(name, args.runs)?);
    }
    report::write(&programs::repository().join(out), &figures, &hot)
}

/// Copies a repository, so that measuring leaves nothing in the original.
fn copy(source: &Path, target: &Path) -> ChoreResult<()> {
    let status =
        std::process::Command::new("cp").arg("-a").arg(source.join(".")).arg(target).status()?;
    fs::create_dir_all(target.join(".stan"))?;
    if status.success() { Ok(()) } else { Err("cannot copy the repository".into()) }
}

struct Bench {
    portolan: PathBuf,
    folder: PathBuf,
    code: Vec<PathBuf>,
    bytes: u64,
    files: usize,
    scratch: TempDir,
}

impl Bench {
    fn new(portolan: &Path, folder: &Path) -> ChoreResult<Self> {
        let system = OsSystem;
        let folder = system.real_path(folder)?;
        let settings = ScanSettings {
            root: folder.clone(),
            stan_path: RepoPath::new(".stan")?,
            includes: Patterns::default(),
            excludes: Patterns::default(),
            git: GitEnvironment::default(),
            only: Vec::new(),
            guard: Guard::default(),
        };
        let found = scan(&system, &settings, &|file| {
            let stat = system.stat(&file.absolute);
            stat.map(|stat| stat.size)
                .map_err(|error| Notice::general(NoticeCode::ScanUnreadable, error.to_string()))
        });
        let is_code = |path: &Path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("ts" | "tsx" | "mts" | "js" | "jsx" | "mjs"))
                && !path.to_string_lossy().contains(".d.")
        };
        Ok(Self {
            portolan: portolan.to_path_buf(),
            code: found
                .files
                .iter()
                .map(|(file, _)| file.absolute.clone())
                .filter(|path| is_code(path))
                .collect(),
            bytes: found.files.iter().map(|(_, size)| size).sum(),
            files: found.files.len(),
            folder,
            scratch: tempfile::tempdir()?,
        })
    }

    fn graph(&self, arguments: &[&str]) -> Program {
        let arguments = [&["graph", "--view", "meta"], arguments].concat();
        Program::new(&self.portolan, &self.folder, &arguments)
    }

    fn programs(&self) -> ChoreResult<Vec<(Subject, Program)>> {
        let this = env::current_exe()?;
        let floor = |work| Program::new(&this, &self.folder, &["floor", work, "."]);
        let mut programs = vec![
            (Subject::FloorRead, floor("read")),
            (Subject::FloorStat, floor("stat")),
            (Subject::Cold, self.graph(&["--no-cache"])),
            (Subject::Warm, self.graph(&[])),
            (Subject::Edited, self.graph(&[])),
            (Subject::Relinked, self.graph(&[])),
        ];
        let run = Program::new(&self.portolan, &self.folder, &["run", "--context", "--no-cache"]);
        if run.time().is_ok() {
            programs.push((Subject::RunContext, run));
        }
        if let Some(binary) = programs::peer("REV_DEP_BIN", "@rev-dep/linux-x64", "rev-dep") {
            let arguments = ["entry-points", "--count", "--follow-monorepo-packages"];
            programs.push((Subject::RevDep, Program::new(&binary, &self.folder, &arguments)));
        }
        if let Some(binary) = programs::peer("ESBUILD_BIN", "@esbuild/linux-x64", "esbuild") {
            programs.push((Subject::Esbuild, self.esbuild(&binary)?));
        }
        Ok(programs)
    }

    /// esbuild needs entry points: every file is one.
    fn esbuild(&self, binary: &Path) -> ChoreResult<Program> {
        let entry = self.scratch.path().join("entry.js");
        let mut file = std::io::BufWriter::new(fs::File::create(&entry)?);
        for path in &self.code {
            writeln!(file, "import {:?};", path.to_string_lossy())?;
        }
        file.flush()?;
        let meta = format!("--metafile={}", self.scratch.path().join("meta.json").display());
        let arguments = [
            "--bundle",
            "--platform=node",
            "--packages=external",
            "--log-level=silent",
            "--outfile=/dev/null",
            &meta,
        ];
        let program = Program::new(binary, &self.folder, &arguments);
        Ok(Program { input: Some(entry), ..program })
    }

    fn measure(&self, name: String, runs: usize) -> ChoreResult<Figures> {
        let programs = self.programs()?;
        // One round fills the page cache, and the cache for the warm runs.
        for (_, program) in &programs {
            program.time()?;
        }
        let mut samples: Vec<Vec<f64>> = vec![Vec::new(); programs.len()];
        for round in 0..runs {
            eprintln!("{name}: {} of {runs}", round + 1);
            for ((subject, program), times) in programs.iter().zip(&mut samples) {
                match subject {
                    Subject::Edited => self.edit(&format!("// Edit {round}."))?,
                    Subject::Relinked => self.edit(&format!("export const edit{round} = 1;"))?,
                    _ => {}
                }
                times.push(program.time()?);
            }
        }
        let medians = programs.iter().zip(&samples);
        let medians = medians.map(|((subject, _), times)| (*subject, median(times), times.len()));
        Ok(Figures {
            name,
            modules: None,
            files: self.files,
            bytes: self.bytes,
            medians: medians.collect(),
            peaks: [self.graph(&["--no-cache"]).peak(), self.graph(&[]).peak()],
            stages: self.stages()?,
        })
    }

    /// Adds a line to one file.
    fn edit(&self, line: &str) -> ChoreResult<()> {
        let path = self.code.get(self.code.len() / 2).ok_or("a corpus without code")?;
        let mut file = fs::OpenOptions::new().append(true).open(path)?;
        writeln!(file, "{line}")?;
        Ok(())
    }

    fn stages(&self) -> ChoreResult<Vec<(String, f64)>> {
        let output = self.graph(&["--no-cache", "--timings", "--format", "json"]).output()?;
        let answer: Value = serde_json::from_slice(&output)?;
        let stages = answer["timings"]["stages"].as_array().cloned().unwrap_or_default();
        let stage = |stage: &Value| {
            Some((stage["name"].as_str()?.to_owned(), stage["milliseconds"].as_f64()?))
        };
        Ok(stages.iter().filter_map(stage).collect())
    }

    /// The functions that a cold run spends its time in, if perf is installed.
    fn hot_functions(&self) -> Vec<String> {
        let data = self.scratch.path().join("perf.data");
        let data = data.to_string_lossy();
        let binary = self.portolan.to_string_lossy();
        let record: Vec<&str> =
            vec!["record", "-o", &data, "--", &binary, "graph", "--view", "meta", "--no-cache"];
        let perf = Path::new("perf");
        if Program::new(perf, &self.folder, &record).time().is_err() {
            return Vec::new();
        }
        let report = ["report", "-i", &data, "--no-children", "--stdio", "--percent-limit", "0.8"];
        let Ok(output) = Program::new(perf, &self.folder, &report).output() else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(&output).into_owned();
        let lines = text.lines().filter(|line| line.contains('%') && !line.starts_with('#'));
        lines.take(25).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }
}
