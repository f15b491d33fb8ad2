//! Measures how much of what a location needs `read` shows, and at what cost, against a type
//! checker.
//!
//! A separate program makes the ground truth (TypeScript's checker over a clone at the same
//! commit): for each position the declarations that the names around it resolve to. A slice shows a
//! declaration if it shows its first line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use portolan_index::map::{self, MapRequest};
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_query::declarations::{
    FocusedLines, SliceRequest, SliceSet, TargetLookup, slices_around,
};
use portolan_symbols::resolver::{Resolver, SymbolSource as _};
use portolan_vfs::OsSystem;
use portolan_workspace::config;
use serde_json::Value;

use crate::{ChoreResult, speed};

/// The arguments of `cargo xtask declarations`.
#[derive(Args)]
pub(crate) struct DeclarationsArgs {
    /// The clone
    root: PathBuf,
    /// The ground truth: JSON, or JSON compressed with gzip; without it, only the time to read all
    /// declarations is measured
    truth: Option<PathBuf>,
    /// The budget of each answer
    #[arg(long, default_value_t = 8_000)]
    budget: u64,
    /// Write every missed declaration to stderr
    #[arg(long)]
    misses: bool,
    /// Query this program about the targets, warm, next to the graph
    #[arg(long, requires = "target")]
    program: Option<PathBuf>,
    /// A target to query (can be repeated)
    #[arg(long)]
    target: Vec<String>,
    /// Write what is shown for each position to this file, for other scorers
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A declaration that a position needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Needed {
    file: String,
    line: u64,
    how: String,
    name: String,
    kind: String,
}

#[derive(Default)]
struct Score {
    recalls: BTreeMap<String, Vec<f32>>,
    missed: BTreeMap<String, usize>,
    needed: usize,
    shown: usize,
    enclosing: usize,
    positions: usize,
    tokens: Vec<u64>,
    exact: usize,
    contradicted: usize,
}

pub(crate) fn run(args: &DeclarationsArgs) -> ChoreResult<()> {
    let root = fs::canonicalize(&args.root)?;
    if let Some(program) = &args.program {
        return speed::warm(&fs::canonicalize(program)?, &root, &args.target);
    }
    let config = config::load(&OsSystem, &root)?;
    let request = MapRequest { config, threads: 0 };
    let map = map::build(&OsSystem, &request)?;
    let Some(truth) = &args.truth else { return speed::run(&map, &root) };
    let truth = read_truth(truth)?;
    let positions = truth["positions"].as_array().cloned().unwrap_or_default();
    let store = DeclarationStore::default();
    let (score, shown) = with_symbols(&OsSystem, &request.config, &map, &store, |symbols| {
        let (mut score, mut shown) = (Score::default(), Vec::new());
        for position in positions.iter().filter(|position| position.get("error").is_none()) {
            let set = answer(symbols, position, args.budget);
            score.add(position, &set, args.misses);
            score.check_references(symbols, position, args.misses);
            shown.push(listed(position, &set));
        }
        (score, shown)
    })?;
    if let Some(out) = &args.out {
        fs::write(out, serde_json::to_vec(&shown)?)?;
    }
    score.report();
    Ok(())
}

pub(crate) fn read_truth(path: &Path) -> ChoreResult<Value> {
    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes = if is_compressed {
        let unpacked = Command::new("gzip").arg("-dc").arg(path).output()?;
        unpacked.stdout
    } else {
        fs::read(path)?
    };
    Ok(serde_json::from_slice(&bytes)?)
}

fn answer(symbols: &SymbolDb<'_>, position: &Value, budget: u64) -> SliceSet {
    let at = &position["pos"];
    let target = format!("{}:{}:{}", at["file"].as_str().unwrap_or(""), at["line"], at["col"]);
    let request = SliceRequest { budget, ..SliceRequest::default() };
    let lookup = TargetLookup(symbols);
    match lookup.find(&lookup.target(&target)) {
        Ok(focus) => {
            let regions = focus.iter().filter_map(|focus| FocusedLines::of(symbols, *focus));
            let regions: Vec<FocusedLines> = regions.collect();
            slices_around(symbols, &regions, &request).unwrap_or_default()
        }
        Err(error) => {
            eprintln!("{error}");
            SliceSet::default()
        }
    }
}

fn listed(position: &Value, set: &SliceSet) -> Value {
    let mut shown = Vec::new();
    for slice in &set.slices {
        for lines in &slice.lines {
            shown.push(serde_json::json!({"file": slice.file, "lines": lines}));
        }
    }
    serde_json::json!({"pos": position["pos"], "shown": shown, "tokens": set.tokens()})
}

fn shows(set: &SliceSet, file: &str, line: u64) -> bool {
    set.slices.iter().filter(|slice| slice.file == file).any(|slice| {
        slice
            .lines
            .iter()
            .any(|(first, last)| (u64::from(*first)..=u64::from(*last)).contains(&line))
    })
}

/// The declarations that a position needs.
fn needed(position: &Value) -> BTreeSet<Needed> {
    let in_member = position["enclosing"].get("member").is_some();
    let refs = position["refs"].as_array().cloned().unwrap_or_default();
    let counts = |it: &&Value| !in_member || it["in_member"].as_bool() == Some(true);
    let mut found: BTreeMap<(String, String), Needed> = BTreeMap::new();
    for reference in refs.iter().filter(counts) {
        for target in reference["targets"].as_array().into_iter().flatten() {
            let file = target["file"].as_str().unwrap_or_default().to_owned();
            let key = (file.clone(), target["node"].to_string());
            found.insert(
                key,
                Needed {
                    file,
                    line: target["node"][0].as_u64().unwrap_or_default(),
                    how: reference["how"].as_str().unwrap_or_default().to_owned(),
                    name: reference["name"].as_str().unwrap_or_default().to_owned(),
                    kind: target["decl"]["kind"].as_str().unwrap_or_default().to_owned(),
                },
            );
        }
    }
    found.into_values().collect()
}

/// A share; both numbers are small.
fn share(part: usize, whole: usize) -> f32 {
    let small = |number: usize| f32::from(u16::try_from(number).unwrap_or(u16::MAX));
    small(part) / small(whole)
}

impl Score {
    fn add(&mut self, position: &Value, set: &SliceSet, misses: bool) {
        self.positions += 1;
        self.tokens.push(set.tokens());
        let at = &position["pos"];
        let place = format!("{}:{}:{}", at["file"].as_str().unwrap_or(""), at["line"], at["col"]);
        let file = at["file"].as_str().unwrap_or_default();
        let around = position["enclosing"].get("member").unwrap_or(&position["enclosing"]["decl"]);
        let lines = [&at["line"], &around["lines"][0], &around["lines"][1]];
        let is_around = lines.iter().all(|line| shows(set, file, line.as_u64().unwrap_or(0)));
        self.enclosing += usize::from(is_around);
        if misses && !is_around {
            eprintln!("enclosing {place} {}", around["lines"]);
        }
        let all: Vec<Needed> = needed(position).into_iter().collect();
        let mut hits: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for need in &all {
            let is_shown = shows(set, &need.file, need.line);
            for key in ["all", &need.how] {
                let (shown, count) = hits.entry(key).or_default();
                *shown += usize::from(is_shown);
                *count += 1;
            }
            self.needed += 1;
            self.shown += usize::from(is_shown);
            if !is_shown {
                *self.missed.entry(format!("{} {}", need.how, need.kind)).or_default() += 1;
                if misses {
                    eprintln!(
                        "missed {place} {} {} → {}:{} ({})",
                        need.how, need.name, need.file, need.line, need.kind
                    );
                }
            }
        }
        if misses {
            let (shown, count) = hits.get("all").copied().unwrap_or_default();
            eprintln!("position {place} {shown}/{count} {} tokens", set.tokens());
        }
        for (key, (shown, count)) in hits {
            self.recalls.entry(key.to_owned()).or_default().push(share(shown, count));
        }
    }

    /// Compares references that are marked exact with the checker's result for the same name.
    fn check_references(&mut self, symbols: &SymbolDb<'_>, position: &Value, misses: bool) {
        let at = &position["pos"];
        let Some(file) = symbols.number(at["file"].as_str().unwrap_or_default()) else { return };
        let Some(facts) = symbols.file(file) else { return };
        let Some(text) = symbols.text(file) else { return };
        let resolver = Resolver::new(symbols);
        for truth in position["refs"].as_array().into_iter().flatten() {
            let (line, column) = (truth["at"][0].as_u64(), truth["at"][1].as_u64());
            let (Some(line), Some(column)) = (line, column) else { continue };
            let offset = text.1.offset(&text.0, line as u32, column as u32);
            let how = truth["how"].as_str().unwrap_or_default();
            let found = facts.references.iter().find(|reference| {
                use portolan_types::declarations::Usage;
                let fits = match how {
                    "import" | "name" => matches!(reference.usage, Usage::Value | Usage::Type),
                    "member" => reference.usage == Usage::Member,
                    "binding" => reference.usage == Usage::Taken,
                    _ => reference.usage == Usage::Given,
                };
                reference.at == offset && fits
            });
            let Some(reference) = found else { continue };
            let meaning = resolver.resolve(file, reference);
            if !meaning.is_exact || meaning.places.is_empty() {
                continue;
            }
            let targets: BTreeSet<(String, u64)> = truth["targets"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|target| {
                    let file = target["file"].as_str().unwrap_or_default().to_owned();
                    (file, target["node"][0].as_u64().unwrap_or_default())
                })
                .collect();
            self.exact += 1;
            let around = &position["enclosing"]["decl"]["lines"];
            let own = around[0].as_u64().unwrap_or(0)..=around[1].as_u64().unwrap_or(0);
            let is_confirmed = meaning.places.iter().all(|place| {
                let Some(line) = symbols.line_of(*place) else { return false };
                // The ground truth leaves out locations inside the declaration itself.
                if place.file == file && own.contains(&u64::from(line)) {
                    return true;
                }
                targets.contains(&(symbols.path(place.file), u64::from(line)))
            });
            // If the checker knows nothing, it contradicts nothing; its own declaration is local.
            let knows = !targets.is_empty();
            if knows && !is_confirmed {
                self.contradicted += 1;
                if misses {
                    eprintln!(
                        "contradicted {}:{line}:{column} {how} {} {targets:?}",
                        at["file"], truth["name"]
                    );
                }
            }
        }
    }

    fn report(&self) {
        let mean =
            |values: &[f32]| 100.0 * values.iter().sum::<f32>() * share(1, values.len().max(1));
        let mut tokens = self.tokens.clone();
        tokens.sort_unstable();
        let quantile = |percent: usize| tokens.get(tokens.len() * percent / 100).copied();
        eprintln!("positions {} enclosing shown {}", self.positions, self.enclosing);
        for (key, values) in &self.recalls {
            eprintln!("  {key}: {:.1} % of {}", mean(values), values.len());
        }
        eprintln!("  declarations shown {} of {}", self.shown, self.needed);
        eprintln!("tokens median {:?} p90 {:?}", quantile(50), quantile(90));
        eprintln!(
            "exact {} contradicted {} ({:.2} %)",
            self.exact,
            self.contradicted,
            100.0 * share(self.contradicted, self.exact.max(1))
        );
        let mut missed: Vec<_> = self.missed.iter().collect();
        missed.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (kind, count) in missed.into_iter().take(14) {
            eprintln!("  missed {count} {kind}");
        }
    }
}
