//! Measures the size and speed of an atlas: a synthetic one of many repositories, and one real
//! export.
//!
//! Every fourth repository uses the package `hub`, so that 500 of 2,000 do.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{fs, thread};

use clap::Args;
use portolan_atlas::{Store, encode_set, publish};
use portolan_wire::atlas::{
    DeclarationRow, EdgeRow, FileRow, Leaving, PackageRow, ReferenceRow, ReferenceTarget,
    RepositoryRow, RepositorySet,
};

use crate::ChoreResult;
use crate::programs::{self, Program, median};

/// The arguments of the chore.
#[derive(Args)]
pub(crate) struct AtlasBenchArgs {
    /// The number of repositories in the synthetic atlas; a tenth of it is built and queried too
    #[arg(long, default_value_t = 2_000)]
    repositories: usize,
    /// A checkout to export, cold and warm, next to a warm `graph`
    #[arg(long)]
    real: Option<PathBuf>,
    /// How often each question is asked
    #[arg(long, default_value_t = 5)]
    runs: usize,
}

const FILES: usize = 500;
const EDGES: usize = 10;
const MEGABYTE: f64 = 1_000_000.0;

pub(crate) fn run(args: &AtlasBenchArgs) -> ChoreResult<()> {
    let portolan = programs::portolan("measured")?;
    if let Some(real) = &args.real {
        measure_real(&portolan, real, args.runs)?;
    }
    eprintln!(
        "| repositories | files | edges | built, s | MB | look, ms | look, MB | find, ms | chart, ms |"
    );
    eprintln!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for count in [args.repositories / 10, args.repositories] {
        let folder = tempfile::tempdir()?;
        let start = Instant::now();
        build(folder.path(), count)?;
        let built = start.elapsed().as_secs_f64();
        let place = folder.path().to_string_lossy().into_owned();
        let ask = |words: &[&str]| {
            let words = [&["atlas"], words, &["--in", &place]].concat();
            Program::new(&portolan, folder.path(), &words)
        };
        let timed = |program: &Program| -> ChoreResult<f64> {
            let times: ChoreResult<Vec<f64>> = (0..args.runs).map(|_| program.time()).collect();
            Ok(median(&times?))
        };
        let look = ask(&["look", "npm:hub"]);
        let peak =
            look.peak().map_or("–".to_owned(), |kilobytes| (kilobytes / 1_000).to_string());
        let figures = [
            format!("{built:.1}"),
            format!("{:.1}", megabytes(folder.path())?),
            format!("{:.0}", timed(&look)?),
            peak,
            format!("{:.0}", timed(&ask(&["find", "declared7"]))?),
            format!("{:.0}", timed(&ask(&["chart"]))?),
        ];
        let (files, edges) = (count * FILES, count * FILES * EDGES);
        eprintln!("| {count} | {files} | {edges} | {} |", figures.join(" | "));
    }
    Ok(())
}

fn measure_real(portolan: &Path, real: &Path, runs: usize) -> ChoreResult<()> {
    let atlas = tempfile::tempdir()?;
    let place = atlas.path().join("atlas").to_string_lossy().into_owned();
    let graph = Program::new(portolan, real, &["graph", "--view", "stats"]);
    let export = Program::new(portolan, real, &["export", "--out", &place]);
    let (_, first) = (graph.time()?, export.time()?);
    let (mut graphs, mut fresh, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        graphs.push(graph.time()?);
        same.push(export.time()?);
        fs::remove_dir_all(&place)?;
        fresh.push(export.time()?);
    }
    let (graph, fresh, same) = (median(&graphs), median(&fresh), median(&same));
    let size = megabytes(Path::new(&place))?;
    eprintln!(
        "{}: graph, warm {graph:.0} ms; export, first {first:.0} ms; warm into an empty atlas {fresh:.0} ms ({:.2} × graph); \
         warm, unchanged {same:.0} ms ({:.2} × graph); {size:.2} MB\n",
        real.file_name().unwrap_or_default().to_string_lossy(),
        fresh / graph,
        same / graph
    );
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn megabytes(folder: &Path) -> ChoreResult<f64> {
    let (mut bytes, mut open) = (0, vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else {
                bytes += entry.metadata()?.len();
            }
        }
    }
    Ok(bytes as f64 / MEGABYTE)
}

/// Writes a synthetic atlas on two threads.
fn build(folder: &Path, count: usize) -> ChoreResult<()> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), String> {
        let store = Store::open(&folder.to_string_lossy(), &[]).map_err(|it| it.to_string())?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            let set = encode_set(repository(number)).map_err(|it| it.to_string())?;
            publish(&store, set, false).map_err(|it| it.to_string())?;
        }
    };
    let done = thread::scope(|scope| {
        let other = scope.spawn(work);
        let own = work();
        let theirs = other.join().unwrap_or_else(|_| Err("a writer died".to_owned()));
        own.and(theirs)
    });
    Ok(done?)
}

/// A deterministic pseudo-random number.
fn mixed(seed: usize) -> usize {
    let mut value = (seed as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (value ^ (value >> 31)) as usize
}

fn path(number: usize) -> String {
    format!("src/area{}/part{}/module{number}.ts", number % 7, number % 41)
}

fn repository(number: usize) -> RepositorySet {
    let own = if number == 0 { "hub".to_owned() } else { format!("package-{number}") };
    let is_user = number.is_multiple_of(4) && number > 0;
    let others: Vec<String> =
        (0..8).map(|it| format!("package-{}", mixed(number * 8 + it) % number.max(1))).collect();
    let mut modules: Vec<&str> = others.iter().map(String::as_str).collect();
    modules.extend(is_user.then_some("hub"));
    let mut set = RepositorySet::default();
    for file in 0..FILES {
        let seed = number * FILES + file;
        set.files.push(FileRow {
            path: path(file),
            language: "ts".to_owned(),
            size: Some((mixed(seed) % 20_000) as u64),
            tokens: Some((mixed(seed) % 5_000) as u64),
            sha256: Some((0..4).map(|part| format!("{:016x}", mixed(seed * 4 + part))).collect()),
            description: None,
        });
        edges_of(&mut set, seed, file, &modules);
        declarations_of(&mut set, seed, file, &modules);
    }
    let uses = modules.iter().map(|module| format!("npm:{module}"));
    let uses: std::collections::BTreeSet<String> = uses.collect();
    set.packages.push(PackageRow {
        ecosystem: "npm".to_owned(),
        name: own.clone(),
        version: Some("1.0.0".to_owned()),
        path: String::new(),
        modules: vec![own.clone()],
        exports: (0..50).map(|it| format!("declared{it}")).collect(),
    });
    set.repository = RepositoryRow {
        id: format!("host.org/team{}/repository{number}", number % 40),
        digest: (0..4).map(|part| format!("{:016x}", mixed(number * 4 + part))).collect(),
        tool: "xtask".to_owned(),
        schema: 1,
        files: FILES as u64,
        packages: vec![format!("npm:{own}")],
        provides: vec![format!("npm:{own}")],
        uses: uses.into_iter().collect(),
        ..RepositoryRow::default()
    };
    set
}

fn edges_of(set: &mut RepositorySet, seed: usize, file: usize, modules: &[&str]) {
    for edge in 0..EDGES {
        let chance = mixed(seed * EDGES + edge);
        let module = (edge == 0).then(|| modules.get(chance % modules.len()).copied()).flatten();
        let leaves = module.map(|module| Leaving {
            ecosystem: "npm".to_owned(),
            module: module.to_owned(),
            requirement: Some(format!("^1.{}.0", chance % 9)),
        });
        // Most imports are nearby.
        let near = (file + FILES - chance % 60) % FILES;
        let target = module.map_or_else(|| path(near), str::to_owned);
        set.edges.push(EdgeRow {
            source: path(file),
            target,
            kinds: if chance.is_multiple_of(5) { "type" } else { "runtime" }.to_owned(),
            resolution: "explicit",
            leaves,
        });
    }
}

fn declarations_of(set: &mut RepositorySet, seed: usize, file: usize, modules: &[&str]) {
    for item in 0..2u32 {
        let chance = mixed(seed * 2 + item as usize);
        let name = format!("declared{}", chance % 3_000);
        set.declarations.push(DeclarationRow {
            path: path(file),
            head: format!(
                "function {name}(first: string, second: Options{}): Promise<number>",
                chance % 97
            ),
            name: name.clone(),
            kind: "function",
            line: 10 + item * 20,
            end_line: 25 + item * 20,
            exported_as: vec![name.clone()],
        });
        for line in 0..2u32 {
            let chance = mixed(seed * 4 + (item * 2 + line) as usize);
            let target = match modules.get(chance % modules.len()) {
                Some(module) if line == 0 => ReferenceTarget::Elsewhere {
                    ecosystem: "npm".to_owned(),
                    module: (*module).to_owned(),
                    name: format!("declared{}", chance % 50),
                },
                _ => ReferenceTarget::Here {
                    path: path(chance % FILES),
                    name: format!("declared{}", chance % 3_000),
                    line: 10,
                },
            };
            let line = 12 + item * 20 + line;
            let declaration = Some(name.clone());
            set.references.push(ReferenceRow {
                path: path(file),
                line,
                declaration,
                target,
                is_exact: true,
            });
        }
    }
}
