//! Measures reading the declarations of a whole repository, next to parsing alone; and repeating a
//! question, next to the graph.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use portolan_index::map::MapReport;
use portolan_languages::syntax::text;
use portolan_languages::{Extractor, is_code};

use crate::ChoreResult;

/// The stack of the thread that parses.
const STACK: usize = 256 << 20;

/// Reads every code file both ways, on one thread, and prints the times.
pub(crate) fn run(map: &MapReport, root: &Path) -> ChoreResult<()> {
    let mut texts = Vec::new();
    for file in map.universe.iter().filter(|file| is_code(file.path.as_str())) {
        let bytes = std::fs::read(root.join(file.path.as_str()))?;
        texts.push((file.path.to_string(), text::decode(&bytes).into_owned()));
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK + (16 << 20));
        let worker = thread.spawn_scoped(scope, || compare(&texts))?;
        worker.join().map_err(|_| "the measurement ended early")?;
        Ok(())
    })
}

fn compare(texts: &[(String, String)]) {
    let (mut parsing, mut reading) = (Duration::MAX, Duration::MAX);
    let (mut facts, mut memory) = ((0, 0, 0), 0);
    for _ in 0..3 {
        let start = Instant::now();
        let mut allocator = Allocator::default();
        for (path, text) in texts {
            allocator.reset();
            let kind = SourceType::from_path(path).unwrap_or_default();
            std::hint::black_box(Parser::new(&allocator, text, kind).parse().program.body.len());
        }
        parsing = parsing.min(start.elapsed());
        let before = resident();
        let start = Instant::now();
        let mut extractor = Extractor::with_stack(STACK);
        let mut kept = Vec::with_capacity(texts.len());
        for (path, text) in texts {
            kept.push(extractor.declarations(path, text));
        }
        reading = reading.min(start.elapsed());
        memory = memory.max(resident().saturating_sub(before));
        let sum = |count: fn(&portolan_types::declarations::Declarations) -> usize| {
            kept.iter().map(count).sum::<usize>()
        };
        facts =
            (sum(|it| it.items.len()), sum(|it| it.references.len()), sum(|it| it.shapes.len()));
    }
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let (items, references, shapes) = facts;
    eprintln!(
        "{} files, {} KB; {items} declarations, {references} references, {shapes} shapes",
        texts.len(),
        bytes >> 10
    );
    eprintln!(
        "parsing {parsing:?}, declarations {reading:?}: {:.2} times",
        reading.as_secs_f32() / parsing.as_secs_f32()
    );
    eprintln!("all of them in memory: {} MB", memory >> 20);
}

/// The memory of this process in bytes, if the system reports it.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}

/// How often each question is asked.
const ROUNDS: usize = 15;

/// Asks a program for the graph and for some declarations in turn, after one warm-up each; the
/// least time of each counts. The clone needs a workspace for the cache.
pub(crate) fn warm(program: &Path, root: &Path, targets: &[String]) -> ChoreResult<()> {
    let ask = |arguments: &[&str]| -> ChoreResult<Duration> {
        let start = Instant::now();
        let output = Command::new(program).args(arguments).current_dir(root).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(start.elapsed())
    };
    for target in targets {
        let asked: [&[&str]; 3] = [
            &["graph", "--view", "stats"],
            &["read", target],
            &["look", target, "--side", "users"],
        ];
        let mut least = [Duration::MAX; 3];
        for round in 0..=ROUNDS {
            for (arguments, least) in asked.iter().zip(&mut least) {
                let took = ask(arguments)?;
                if round > 0 {
                    *least = took.min(*least);
                }
            }
        }
        let [graph, read, look] = least;
        let times = |took: Duration| took.as_secs_f32() / graph.as_secs_f32();
        eprintln!(
            "{target}: graph {graph:?}, read {read:?} ({:.2} times), look {look:?} ({:.2} times)",
            times(read),
            times(look)
        );
    }
    Ok(())
}
