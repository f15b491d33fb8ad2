//! Writes docs/benchmarks.md: figures and goals. The hand-written text below the mark is kept.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{fs, thread};

use crate::bench::{Figures, Subject};
use crate::{ChoreResult, instructions};

/// The text after this mark is hand-written.
const NOTES: &str = "<!-- notes: written by hand, kept by the command -->";

const HEAD: &str = "# Benchmarks

`cargo xtask bench` writes the first part of this page. Figures are medians of whole processes; all programs run in turn. `cargo xtask
corpus` makes the synthetic corpora; `--real FOLDER` adds a repository. Peers run if their native binaries are found: `REV_DEP_BIN` and `ESBUILD_BIN`, or
an npm install of `rev-dep` and `esbuild` in the root.
";

/// Writes the report.
pub(crate) fn write(path: &Path, figures: &[Figures], hot: &[String]) -> ChoreResult<()> {
    let before = fs::read_to_string(path).unwrap_or_default();
    let notes = before.split_once(NOTES).map_or("\n", |(_, notes)| notes);
    let mut text = format!("{HEAD}\n{}\n", machine());
    goals(&mut text, figures);
    medians(&mut text, figures);
    print_profile(figures, hot);
    let _ = write!(text, "{NOTES}{notes}");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

pub(crate) fn machine() -> String {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model);
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown").to_owned();
    format!(
        "Machine: {model}, {cpus} cores, load average at the end {load}; {}.\n",
        rustc.unwrap_or_default()
    )
}

/// A goal: a ratio of two programs, and its largest value.
const GOALS: [(Subject, Subject, f64); 6] = [
    (Subject::Cold, Subject::FloorRead, 2.5),
    (Subject::Warm, Subject::FloorStat, 1.5),
    (Subject::Edited, Subject::Warm, 1.3),
    (Subject::Cold, Subject::RevDep, 1.0),
    (Subject::Cold, Subject::Esbuild, 0.4),
    (Subject::RunContext, Subject::Cold, 1.3),
];

fn goals(text: &mut String, figures: &[Figures]) {
    let _ = writeln!(text, "## Against the goals\n");
    let names: Vec<_> = figures.iter().map(|figure| figure.name.as_str()).collect();
    let _ = writeln!(text, "| figure | goal | {} |", names.join(" | "));
    let _ = writeln!(text, "| --- | --- |{}", " --- |".repeat(names.len()));
    for (subject, base, goal) in GOALS {
        let cells = figures.iter().map(|figure| cell(figure.ratio(subject, base), goal));
        let cells: Vec<_> = cells.collect();
        let _ = writeln!(
            text,
            "| {} / {} | ≤ {goal} | {} |",
            subject.name(),
            base.name(),
            cells.join(" | ")
        );
    }
    let _ = writeln!(
        text,
        "\nA dash: not measured, because the program is not installed. **Bold**: missed.\n"
    );
    let of = |modules| figures.iter().find(|figure| figure.modules == Some(modules));
    if let (Some(small), Some(large)) = (of(10_000), of(100_000)) {
        let growth = large.median(Subject::Cold).zip(small.median(Subject::Cold));
        let growth = growth.map(|(large, small)| large / small);
        let _ = writeln!(
            text,
            "- 100,000 modules / 10,000 modules, cold: {} (goal ≤ 11)",
            cell(growth, 11.0)
        );
    }
    if let Some([Some(cold), warm]) = of(100_000).map(|large| large.peaks) {
        let megabytes = |kilobytes: u64| shown(kilobytes) / 1000.0;
        let warm = warm.map(|warm| format!(", warm {:.0} MB", megabytes(warm)));
        let _ = writeln!(
            text,
            "- peak resident size, 100,000 modules: cold {} MB{} (goal ≤ 600)",
            cell(Some(megabytes(cold)), 600.0),
            warm.unwrap_or_default()
        );
    }
    if let Some(count) = instructions::recorded() {
        let _ = writeln!(
            text,
            "- instructions of a cold run on 1,000 modules: {count} recorded; `cargo xtask instructions` fails beyond + 10 %"
        );
    }
    text.push('\n');
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
fn shown(count: u64) -> f64 {
    count as f64
}

fn cell(figure: Option<f64>, goal: f64) -> String {
    match figure {
        None => "–".to_owned(),
        Some(figure) if figure <= goal => format!("{figure:.2}"),
        Some(figure) => format!("**{figure:.2}**"),
    }
}

/// One table: a row for each program, a column for each corpus.
fn medians(text: &mut String, figures: &[Figures]) {
    let _ = writeln!(text, "## Medians in milliseconds\n");
    let columns = figures.iter().map(|figure| {
        format!("{} ({} files, {:.1} MB)", figure.name, figure.files, shown(figure.bytes) / 1e6)
    });
    head(text, "program", columns);
    let Some(first) = figures.first() else { return };
    for (subject, ..) in &first.medians {
        let median =
            |figure: &Figures| figure.median(*subject).map(|median| format!("{median:.1}"));
        line(text, subject.name(), figures.iter().map(median));
    }
    let runs = |figure: &Figures| figure.medians.first().map(|(_, _, runs)| runs.to_string());
    line(text, "runs", figures.iter().map(runs));
    for (at, name) in ["peak memory, cold, MB", "peak memory, warm, MB"].into_iter().enumerate() {
        let peak =
            |figure: &Figures| figure.peaks[at].map(|peak| format!("{:.1}", shown(peak) / 1e3));
        line(text, name, figures.iter().map(peak));
    }
    text.push('\n');
}

/// Prints the stages of a cold run and its hottest functions to the terminal: the page does not have them.
fn print_profile(figures: &[Figures], hot: &[String]) {
    for figure in figures {
        let stages = figure.stages.iter().map(|(name, time)| format!("{name} {time:.1}"));
        eprintln!("{}, ms: {}", figure.name, stages.collect::<Vec<_>>().join(", "));
    }
    for function in hot {
        eprintln!("{function}");
    }
}

fn head(text: &mut String, name: &str, columns: impl Iterator<Item = String>) {
    let columns: Vec<_> = columns.collect();
    let _ = writeln!(text, "| {name} | {} |", columns.join(" | "));
    let _ = writeln!(text, "| --- |{}", " ---: |".repeat(columns.len()));
}

fn line(text: &mut String, name: &str, cells: impl Iterator<Item = Option<String>>) {
    let cells: Vec<_> = cells.map(|cell| cell.unwrap_or_else(|| "–".to_owned())).collect();
    let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
}
