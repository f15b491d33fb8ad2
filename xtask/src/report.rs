//! Writes docs/benchmarks.md: figures and goals. The hand-written text below the mark is kept.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{fs, thread};

use crate::bench::{Figures, Subject};
use crate::{instructions, ChoreResult};

/// The text after this mark is hand-written.
const NOTES: &str = "<!-- notes: written by hand, kept by the command -->";

const HEAD: &str = "# Benchmarks

Written by `cargo xtask bench`. Every figure is a median of the runs given, of whole processes, all programs in turn
in the same minutes; a ratio compares medians of one corpus. The synthetic corpora come from `cargo xtask corpus`
and are the same everywhere. `--real FOLDER` adds a repository. Peers are measured where their native binaries are
found: `REV_DEP_BIN` and `ESBUILD_BIN`, or an npm install of `rev-dep` and `esbuild` in the repository's root.
";

/// Writes the report.
pub(crate) fn write(path: &Path, figures: &[Figures], hot: &[String]) -> ChoreResult<()> {
    let before = fs::read_to_string(path).unwrap_or_default();
    let notes = before.split_once(NOTES).map_or("\n", |(_, notes)| notes);
    let mut text = format!("{HEAD}\n{}\n", machine());
    goals(&mut text, figures);
    medians(&mut text, figures);
    profile(&mut text, figures, hot);
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

fn medians(text: &mut String, figures: &[Figures]) {
    let _ = writeln!(text, "## Medians in milliseconds\n");
    for figure in figures {
        let _ = writeln!(
            text,
            "### {} ({} files, {:.1} MB)\n\n| program | median | runs |\n| --- | ---: | ---: |",
            figure.name,
            figure.files,
            shown(figure.bytes) / 1e6
        );
        for (subject, median, runs) in &figure.medians {
            let _ = writeln!(text, "| {} | {median:.1} | {runs} |", subject.name());
        }
        if let [Some(cold), Some(warm)] = figure.peaks {
            let _ = writeln!(text, "\nPeak resident size: cold {cold} kB, warm {warm} kB.");
        }
        text.push('\n');
    }
}

fn profile(text: &mut String, figures: &[Figures], hot: &[String]) {
    let _ = writeln!(text, "## Profile\n\nStages of one cold run in milliseconds (`--timings`):\n");
    for figure in figures {
        let stages: Vec<_> =
            figure.stages.iter().map(|(name, time)| format!("{name} {time:.1}")).collect();
        let _ = writeln!(text, "- {}: {}", figure.name, stages.join(", "));
    }
    if !hot.is_empty() {
        let _ =
            writeln!(text, "\nFunctions of a cold run on 10,000 modules, by samples:\n\n```text");
        for line in hot {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "```");
    }
    text.push('\n');
}
