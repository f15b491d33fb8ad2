//! Measures the page of `portolan view` in a real browser: its size, its first paint, its response
//! times.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use portolan_testkit::browser::Browser;
use serde_json::Value;

use crate::programs::{self, Program, median};
use crate::{ChoreResult, report};

const HEAD: &str = "# Benchmarks: the page of `view`

`cargo xtask bench --view --real FOLDER…` writes this page. It opens the HTML file from disk in headless Chromium, 1440 × 900. *First paint* is the browser's first
contentful paint; *ready* is when the page can be used. An interaction is timed from the event to the second frame after it (two frames take 33 ms).

Goals: file of cal.com ≤ 6 MB, first paint ≤ 1,000 ms, interaction ≤ 100 ms.
";

/// An action on the page: its name, and a script with the number of the run as `n`.
const ACTIONS: [(&str, &str); 7] = [
    (
        "a letter typed into the search",
        "search.value = 'index button slot'.slice(0, 1 + n); search.dispatchEvent(new Event('input'))",
    ),
    ("search cleared", "search.value = ''; search.dispatchEvent(new Event('input'))"),
    ("pointing somewhere else in the picture", "at('pointermove', 0.1 + 0.08 * n, 0.3 + 0.05 * n)"),
    ("everything selected, ten edges deep", "portolan.load(`{\"v\":2,\"i\":[[\".\",${10 + n}]]}`)"),
    ("selection cleared", "portolan.load('{\"v\":2,\"i\":[]}')"),
    (
        "zooming in and out",
        "document.querySelectorAll('.row[aria-level=\"2\"][aria-expanded]')[n % 5].click()",
    ),
    ("other colours", "document.querySelectorAll('#modes button')[n % 3].click()"),
];

/// Measures the page of some repositories and writes the report.
pub(crate) fn run(real: &[PathBuf], runs: usize, out: &Path) -> ChoreResult<()> {
    let program = Browser::find().ok_or("there is no Chromium; `PORTOLAN_BROWSER` names one")?;
    let portolan = programs::portolan("measured")?;
    let folder = tempfile::tempdir_in(programs::repository().join("target"))?;
    let mut sizes = String::from(
        "| repository | files | edges | declarations | KB | first paint ms | ready ms | `view` cold s | warm s | `graph` cold s | warm s |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut columns = Vec::new();
    for source in real {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        eprintln!("{name}");
        let copy = folder.path().join(&name);
        let status = std::process::Command::new("cp").arg("-a").arg(source).arg(&copy).status()?;
        if !status.success() {
            return Err("cannot copy the repository".into());
        }
        let page = folder.path().join(format!("{name}.html"));
        let times = written(&portolan, &copy, &page, runs)?;
        let mut browser = Browser::start(&program, &folder.path().join(format!("{name}-browser")));
        let (paint, ready) = loads(&mut browser, &page, runs)?;
        let counts = browser.eval("[...document.getElementById('totals').textContent.matchAll(/[\\d,]+/g)].map((m) => m[0])");
        let declared = declarations(&page)?;
        let size = fs::metadata(&page)?.len() / 1000;
        let [cold, warm, graph_cold, graph_warm] = times;
        let text = |at: usize| counts[at].as_str().unwrap_or("-").to_owned();
        let _ = writeln!(
            sizes,
            "| {name} | {} | {} | {declared} | {size} | {paint:.0} | {ready:.0} | {cold:.2} | {warm:.2} | {graph_cold:.2} | {graph_warm:.2} |",
            text(0),
            text(2),
        );
        columns.push((name, interactions(&mut browser, runs)));
    }
    let text = format!("{HEAD}\n{}\n\n{sizes}{}", report::machine(), table(&columns));
    fs::write(programs::repository().join(out), text)?;
    eprintln!("wrote {}", out.display());
    Ok(())
}

/// Seconds of the command and of `graph`, each without and with a cache.
fn written(portolan: &Path, folder: &Path, page: &Path, runs: usize) -> ChoreResult<[f64; 4]> {
    let page = page.to_string_lossy();
    let time = |arguments: &[&str], runs: usize| -> ChoreResult<f64> {
        let program = Program::new(portolan, folder, arguments);
        let times: ChoreResult<Vec<f64>> = (0..runs).map(|_| program.time()).collect();
        Ok(median(&times?) / 1000.0)
    };
    let runs = runs.div_ceil(3);
    let cold = time(&["view", "-q", "--no-cache", "--out", &page], runs)?;
    let graph_cold =
        time(&["graph", "-q", "--no-cache", "--view", "meta", "--out", "/dev/null"], runs)?;
    fs::create_dir_all(folder.join(".stan"))?;
    time(&["view", "-q", "--out", &page], 1)?;
    let warm = time(&["view", "-q", "--out", &page], runs)?;
    let graph_warm = time(&["graph", "-q", "--view", "meta", "--out", "/dev/null"], runs)?;
    Ok([cold, warm, graph_cold, graph_warm])
}

/// Milliseconds to the first paint, and until the page is ready.
fn loads(browser: &mut Browser, page: &Path, runs: usize) -> ChoreResult<(f64, f64)> {
    let (mut paints, mut readies) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        browser.open(page);
        let found = browser.eval(
            "new Promise((done) => new PerformanceObserver((list) => done([list.getEntries()[0].startTime, \
             performance.getEntriesByName('ready')[0].startTime])).observe({ type: 'paint', buffered: true }))",
        );
        paints.push(found[0].as_f64().ok_or("no first paint")?);
        readies.push(found[1].as_f64().ok_or("never ready")?);
    }
    Ok((median(&paints), median(&readies)))
}

fn declarations(page: &Path) -> ChoreResult<usize> {
    let text = fs::read_to_string(page)?;
    let data = text.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.ok_or("no data")?.0)?;
    Ok(data["declarations"]["names"].as_array().map_or(0, Vec::len))
}

/// One table: a row for each interaction, a column for each repository.
fn table(columns: &[(String, Vec<String>)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut text = format!("\n| interaction, median (worst) ms | {} |\n", names.join(" | "));
    let _ = writeln!(text, "| --- |{}", " ---: |".repeat(names.len()));
    for (at, (action, _)) in ACTIONS.iter().enumerate() {
        let cells: Vec<&str> = columns.iter().map(|(_, cells)| cells[at].as_str()).collect();
        let _ = writeln!(text, "| {action} | {} |", cells.join(" | "));
    }
    text
}

/// The median and the worst time of each interaction.
fn interactions(browser: &mut Browser, runs: usize) -> Vec<String> {
    let mut cells = Vec::new();
    for (_, script) in ACTIONS {
        let times: Vec<f64> = (0..runs)
            .map(|n| {
                let took = browser.eval(&format!(
                    "(async () => {{ const n = {n}; const search = document.getElementById('search'); const over = document.getElementById('over'); \
                     const at = (kind, x, y) => {{ const b = over.getBoundingClientRect(); over.dispatchEvent(new PointerEvent(kind, \
                     {{ clientX: b.x + x * b.width, clientY: b.y + y * b.height }})); }}; \
                     const frame = () => new Promise(requestAnimationFrame); await frame(); await frame(); \
                     const start = performance.now(); {script}; await frame(); await frame(); return performance.now() - start; }})()"
                ));
                took.as_f64().unwrap_or(f64::NAN)
            })
            .collect();
        let worst = times.iter().copied().fold(0.0, f64::max);
        cells.push(format!("{:.0} ({worst:.0})", median(&times)));
    }
    cells
}
