//! Checks that outlines give the same facts as whole texts, on the code of some folders.
//!
//! The extractor skips the parts of a text that hold no facts. Here every file is read both ways.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use portolan_guard::Guard;
use portolan_languages::{ExtractSettings, Extractor, Facts, is_code};
use portolan_types::{Notice, RepoPath};
use portolan_vfs::{OsSystem, System};
use portolan_workspace::{GitEnvironment, Patterns, ScanSettings, scan};

use crate::ChoreResult;

/// The arguments of `cargo xtask outline`.
#[derive(Args)]
pub(crate) struct OutlineArgs {
    /// Folders with code; ignored files are read too
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How often each file is read each way
    #[arg(long, default_value_t = 1)]
    runs: u32,
}

/// The stack of the thread that parses.
const STACK: usize = 256 << 20;

/// Reads every file of the folders both ways and compares.
pub(crate) fn run(args: &OutlineArgs) -> ChoreResult<()> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK + (16 << 20));
        let worker =
            thread.spawn_scoped(scope, || compare(args).map_err(|error| error.to_string()))?;
        worker.join().map_err(|_| "the comparison ended early")?.map_err(Into::into)
    })
}

/// One way to read, and its time.
struct ReadTime {
    extractor: Extractor,
    time: Duration,
}

impl ReadTime {
    fn read(&mut self, path: &str, bytes: &[u8], runs: u32) -> Facts {
        let settings = ExtractSettings::default();
        let start = Instant::now();
        let facts = self.extractor.extract(path, bytes, &settings);
        for _ in 1..runs {
            self.extractor.extract(path, bytes, &settings);
        }
        self.time += start.elapsed();
        facts
    }
}

fn compare(args: &OutlineArgs) -> ChoreResult<()> {
    let way = |extractor| ReadTime { extractor, time: Duration::ZERO };
    let mut outline = way(Extractor::with_stack(STACK));
    let mut whole = way(Extractor::with_stack(STACK).whole());
    let (mut files, mut bytes, mut different) = (0, 0, 0);
    for folder in &args.folders {
        for path in code_below(folder)? {
            let text = OsSystem.read(&path)?;
            let name = path.to_string_lossy();
            files += 1;
            bytes += text.len();
            let found = outline.read(&name, &text, args.runs);
            let expected = whole.read(&name, &text, args.runs);
            // If the whole text does not parse, an outline may know more.
            if found != expected && expected.problems.is_empty() {
                different += 1;
                eprintln!("{name}: other facts from its outline");
            }
        }
    }
    let milliseconds = |way: &ReadTime| way.time.as_secs_f64() * 1e3 / f64::from(args.runs);
    eprintln!(
        "{files} files, {bytes} bytes, {different} different; {:.1} ms by outline, {:.1} ms whole",
        milliseconds(&outline),
        milliseconds(&whole),
    );
    if different == 0 { Ok(()) } else { Err("outlines lose facts".into()) }
}

fn code_below(folder: &std::path::Path) -> ChoreResult<Vec<PathBuf>> {
    let settings = ScanSettings {
        root: OsSystem.real_path(folder)?,
        stan_path: RepoPath::new(".stan")?,
        includes: Patterns::new(&["**", "**/node_modules/**"])?,
        excludes: Patterns::default(),
        git: GitEnvironment::default(),
        only: Vec::new(),
        guard: Guard::default(),
    };
    let found = scan(&OsSystem, &settings, &|_| Ok::<(), Notice>(()));
    let code = found.files.into_iter().filter(|(file, ())| is_code(file.path.as_str()));
    Ok(code.map(|(file, ())| file.absolute).collect())
}
