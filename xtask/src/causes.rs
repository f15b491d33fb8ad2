//! Measures how often a pack shows the cause of a failure, and at what cost.
//!
//! A case is a small change of a declaration with the errors that it causes. The change is made in
//! a clone, the pack is built from the printed errors, and its lines are compared with the location
//! of the change.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use portolan_index::map::{CacheMode, MapRequest, build_cached};
use portolan_index::token_counts::Tokenizer;
use portolan_query::diagnostics::DiagnosticsRequest;
use portolan_query::pack::{Base, FocusRule, PackForm, PackReport, PackRequest, build_context};
use portolan_vfs::OsSystem;
use portolan_workspace::config;
use serde_json::Value;

use crate::ChoreResult;

/// The arguments of `cargo xtask causes`.
#[derive(Args)]
pub(crate) struct CausesArgs {
    /// Cases, one JSON object per line, and the clone that they are about, with a commit checked
    /// out (can be repeated)
    #[arg(long, num_args = 2, value_names = ["CASES", "CLONE"], required = true)]
    with: Vec<PathBuf>,
    /// Name the cases that miss
    #[arg(long)]
    misses: bool,
    /// The key of the output in a case
    #[arg(long, default_value = "output_pretty")]
    output: String,
}

#[derive(Default)]
struct CauseRow {
    cases: usize,
    decl: usize,
    line: usize,
    in_file: usize,
    tokens: Vec<u64>,
}

impl CauseRow {
    fn add(&mut self, decl: bool, line: bool, in_file: bool, tokens: u64) {
        self.cases += 1;
        self.decl += usize::from(decl);
        self.line += usize::from(line);
        self.in_file += usize::from(in_file);
        self.tokens.push(tokens);
    }

    fn text(&mut self, name: &str) -> String {
        self.tokens.sort_unstable();
        let share = |n: usize| format!("{} %", (200 * n + self.cases) / (2 * self.cases).max(1));
        let at = |part: usize| {
            self.tokens.get(self.tokens.len() * part / 10).copied().unwrap_or_default()
        };
        format!(
            "| {name} | {} | {} | {} | {} | {} |",
            share(self.decl),
            share(self.line),
            share(self.in_file),
            at(5),
            at(9)
        )
    }
}

/// Measures and prints a table.
#[expect(clippy::print_stdout, reason = "printing the figures is its purpose")]
pub(crate) fn run(args: &CausesArgs) -> ChoreResult<()> {
    println!("| | declaration | very line | focus in its file | tokens, median | p90 |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for pair in args.with.chunks_exact(2) {
        let (cases, clone) = (&pair[0], &pair[1]);
        let name = clone.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut rows: Vec<(&str, CauseRow)> = [
            "pack",
            "pack, `--base none`",
            "pack, `--focus first`",
            "whole files, tunnelled depth 1",
        ]
        .map(|row| (row, CauseRow::default()))
        .into();
        let mut missed = String::new();
        for line in std::fs::read_to_string(cases)?.lines() {
            let case: Value = serde_json::from_str(line)?;
            apply(clone, &case, false)?;
            let measured = measure(clone, &case, &args.output, &mut rows, &mut missed);
            apply(clone, &case, true)?;
            measured?;
        }
        for (row, figures) in &mut rows {
            println!("{}", figures.text(&format!("{name}: {row}")));
        }
        if args.misses {
            eprint!("{missed}");
        }
    }
    Ok(())
}

/// Makes the change of a case, or reverts it.
fn apply(clone: &Path, case: &Value, is_back: bool) -> ChoreResult<()> {
    let mut command = Command::new("git");
    command.args(["apply", "--whitespace=nowarn"]).current_dir(clone).stdin(Stdio::piped());
    if is_back {
        command.arg("-R");
    }
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(
            &mut stdin,
            case["patch"].as_str().unwrap_or_default().as_bytes(),
        )?;
    }
    if child.wait()?.success() {
        Ok(())
    } else {
        Err(format!("{}: the patch does not apply", case["id"]).into())
    }
}

fn request(clone: &Path, case: &Value, output: &str) -> ChoreResult<PackRequest> {
    Ok(PackRequest {
        output: DiagnosticsRequest {
            config: config::load(&OsSystem, clone)?,
            directory: clone.to_path_buf(),
            shown: "output".to_owned(),
            output: case[output].as_str().unwrap_or_default().as_bytes().to_vec(),
            format: None,
        },
        diag: "-".to_owned(),
        focus: FocusRule::Ranked,
        base: Base::Auto,
        budget: 8_000,
        form: PackForm::Markdown,
        threads: 0,
        cache: CacheMode::Use,
    })
}

fn measure(
    clone: &Path,
    case: &Value,
    output: &str,
    rows: &mut [(&str, CauseRow)],
    missed: &mut String,
) -> ChoreResult<()> {
    let ranked = request(clone, case, output)?;
    let without = PackRequest { base: Base::Off, ..ranked.clone() };
    let first = PackRequest { focus: FocusRule::First, ..ranked.clone() };
    for (at, request) in [&ranked, &without, &first].into_iter().enumerate() {
        let report = build_context(&OsSystem, request)?;
        let (decl, line, in_file) = judge(case, &report);
        rows[at].1.add(decl, line, in_file, report.context.tokens);
        if at < 2 && !(decl && line) {
            let _ = writeln!(
                missed,
                "{}: {} decl {decl} line {line}: {}",
                rows[at].0, case["id"], case["what"]
            );
        }
        if at == 0 {
            let focus = report.context.pack.focus.and_then(|focus| focus.loc).map(|loc| loc.file);
            whole_files(clone, case, focus.as_deref().unwrap_or_default(), &mut rows[3].1)?;
        }
    }
    Ok(())
}

/// Whether the pack shows the cause's declaration and its exact line, and whether the focus is in
/// its file.
fn judge(case: &Value, report: &PackReport) -> (bool, bool, bool) {
    let cause = &case["cause"];
    let number =
        |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
    let line = number(&cause["line"]);
    let (from, to) = match &cause["lines"] {
        Value::Array(lines) => (number(&lines[0]), number(&lines[1])),
        _ => (line, line),
    };
    let file = cause["file"].as_str().unwrap_or_default();
    let pack = &report.context.pack;
    let shown = pack.code.slices.iter().filter(|slice| {
        pack.digests.inputs.get(slice.file as usize).is_some_and(|input| input.path == file)
    });
    let ranges: Vec<[u32; 2]> = shown.flat_map(|slice| slice.lines.iter().copied()).collect();
    let decl = ranges.iter().any(|[first, last]| *first <= to && *last >= from);
    let is_line = ranges.iter().any(|[first, last]| *first <= line && line <= *last);
    let focus = pack.focus.as_ref().and_then(|focus| focus.loc.as_ref());
    (decl, is_line, focus.is_some_and(|loc| loc.file == file))
}

/// The file of the focus and everything that it imports, through barrels to the defining files.
fn whole_files(clone: &Path, case: &Value, focus: &str, row: &mut CauseRow) -> ChoreResult<()> {
    let config = config::load(&OsSystem, clone)?;
    let map = build_cached(&OsSystem, &MapRequest { config, threads: 0 }, CacheMode::Use)?;
    let mut files = vec![focus.to_owned()];
    if let Some(node) = map.graph.index_of(focus) {
        files.extend(
            map.graph.edges(node).iter().map(|edge| map.graph.node(edge.target).id.to_string()),
        );
    }
    files.retain(|file| map.universe.iter().any(|known| known.path.as_str() == file));
    let cause = case["cause"]["file"].as_str().unwrap_or_default();
    let is_in = files.iter().any(|file| file == cause);
    let mut tokens = 0;
    for file in &files {
        let bytes = std::fs::read(clone.join(file)).unwrap_or_default();
        tokens += Tokenizer::O200kBase.count(&bytes).unwrap_or_default();
    }
    row.add(is_in, is_in, focus == cause, tokens);
    Ok(())
}
