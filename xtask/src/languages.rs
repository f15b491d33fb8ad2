//! Checks the edges and the resolved names of a language against the language's own tools.
//!
//! Separate programs make the ground truth (the interpreter's import rules, rust-analyzer,
//! go/types, javac) over a clone at the same commit: pairs of files, explicit and implicit, and the
//! pairs that only types reveal (`member`). As edges, `member` pairs are neither required nor
//! wrong. The references of declarations are compared with all three.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use clap::Args;
use portolan_index::map::{self, MapReport, MapRequest};
use portolan_index::symbols::{DeclarationStore, SymbolDb, with_symbols};
use portolan_symbols::resolver::{Resolver, SymbolSource as _};
use portolan_types::KindMask;
use portolan_vfs::OsSystem;
use portolan_workspace::config;
use serde_json::Value;

use crate::ChoreResult;
use crate::declarations::read_truth;

/// The arguments of `cargo xtask languages`.
#[derive(Args)]
pub(crate) struct LanguagesArgs {
    /// The clone
    root: PathBuf,
    /// The ground truth: JSON, or JSON compressed with gzip
    truth: PathBuf,
    /// Print this many differences of each kind
    #[arg(long, default_value_t = 0)]
    show: usize,
    /// Skip files of this name, which the tool was not given (can be repeated)
    #[arg(long)]
    without: Vec<String>,
    /// Compare the references of declarations with the ground truth too
    #[arg(long)]
    references: bool,
}

/// A file and one that it depends on.
type FilePair = (String, String);
type FilePairs = BTreeSet<FilePair>;

pub(crate) fn run(args: &LanguagesArgs) -> ChoreResult<()> {
    let root = fs::canonicalize(&args.root)?;
    let request = MapRequest { config: config::load(&OsSystem, &root)?, threads: 0 };
    let map = map::build(&OsSystem, &request)?;
    let truth = Truth::read(&read_truth(&args.truth)?, &args.without);
    let (explicit, implicit) = truth.edges(&map);
    let known: FilePairs = truth.all();
    let either: FilePairs = explicit.union(&implicit).cloned().collect();
    let sorts = [
        ("explicit", &truth.explicit, &explicit, &explicit),
        ("implicit", &truth.implicit, &implicit, &either),
    ];
    for (name, wanted, own, found) in sorts {
        let missing: FilePairs = wanted.difference(found).cloned().collect();
        let extra: FilePairs = own.difference(&known).cloned().collect();
        score(name, wanted.len(), &missing, own.len(), &extra);
        let cut = missing.iter().filter(|pair| truth.is_cut_short(&map, pair)).count();
        if cut > 0 {
            eprintln!(
                "  {cut} of the missing lead to the module around a file that the tool did not see"
            );
        }
        show(&format!("missing {name}"), &missing, args.show);
        show(&format!("extra {name}"), &extra, args.show);
    }
    if args.references {
        let store = DeclarationStore::default();
        with_symbols(&OsSystem, &request.config, &map, &store, |library| {
            references(library, &truth, args.show);
        })?;
    }
    Ok(())
}

/// The pairs that a language's own tool found.
struct Truth {
    files: BTreeSet<String>,
    /// Files that the tool could not analyze.
    unseen: BTreeSet<String>,
    explicit: FilePairs,
    implicit: FilePairs,
    member: FilePairs,
}

impl Truth {
    fn read(truth: &Value, without: &[String]) -> Self {
        let texts = |key: &str| -> BTreeSet<String> {
            let list = truth[key].as_array().into_iter().flatten();
            list.filter_map(|it| it.as_str().map(str::to_owned)).collect()
        };
        let mut files = texts("files");
        let unseen: BTreeSet<String> =
            ["broken", "unchecked", "unindexed"].into_iter().flat_map(texts).collect();
        files.retain(|file| {
            let name = file.rsplit('/').next().unwrap_or(file);
            !unseen.contains(file) && !without.iter().any(|it| it == name)
        });
        let pairs = |key: &str| -> FilePairs {
            let list = truth[key].as_array().into_iter().flatten();
            let pair = |it: &Value| {
                let (from, to) = (it["from"].as_str()?, it["to"].as_str()?);
                let counts = from != to && files.contains(from) && files.contains(to);
                counts.then(|| (from.to_owned(), to.to_owned()))
            };
            list.filter_map(pair).collect()
        };
        let [explicit, implicit, member] = ["edges", "implicit", "member"].map(pairs);
        Self { files, unseen, explicit, implicit, member }
    }

    fn all(&self) -> FilePairs {
        let named = self.explicit.union(&self.implicit).cloned().collect::<FilePairs>();
        named.union(&self.member).cloned().collect()
    }

    /// Whether the map continues from a file that the tool could not analyze, inside the same
    /// module.
    fn is_cut_short(&self, map: &MapReport, (from, to): &FilePair) -> bool {
        let folder = to.trim_end_matches("/mod.rs").trim_end_matches("/lib.rs");
        let folder = folder.rsplit_once('.').map_or(folder, |(stem, _)| stem);
        let Some(node) = map.raw.index_of(from) else { return false };
        let mut targets = map.raw.edges(node).iter().map(|edge| &map.raw.node(edge.target).id);
        targets.any(|id| id.as_str().starts_with(folder) && self.unseen.contains(id.as_str()))
    }

    /// The explicit and the implicit edges of a map between files that the ground truth covers.
    fn edges(&self, map: &MapReport) -> (FilePairs, FilePairs) {
        let (mut explicit, mut implicit) = (FilePairs::new(), FilePairs::new());
        for (node, known) in map.raw.iter() {
            let from = known.id.to_string();
            for edge in map.raw.edges(node) {
                let to = map.raw.node(edge.target).id.to_string();
                if from == to || !self.files.contains(&from) || !self.files.contains(&to) {
                    continue;
                }
                let is_explicit = edge.explicit != KindMask::NONE;
                let pairs = if is_explicit { &mut explicit } else { &mut implicit };
                pairs.insert((from.clone(), to));
            }
        }
        (explicit, implicit)
    }
}

/// Compares the references of all declarations into other files.
fn references(library: &SymbolDb<'_>, truth: &Truth, shown: usize) {
    let resolver = Resolver::new(library);
    let (mut exact, mut likely) = (BTreeMap::new(), BTreeMap::new());
    for file in &truth.files {
        let Some(number) = library.number(file) else { continue };
        let Some(facts) = library.file(number) else { continue };
        for reference in &facts.references {
            let meaning = resolver.resolve(number, reference);
            for place in meaning.places.iter().filter(|place| place.file != number) {
                let pair = (file.clone(), library.path(place.file));
                let found = if meaning.is_exact { &mut exact } else { &mut likely };
                found.entry(pair).or_insert_with(|| facts.name(reference.name).to_owned());
            }
        }
    }
    let known = truth.all();
    for (name, found) in [("exact references", &exact), ("likely references", &likely)] {
        let counts = |pair: &&FilePair| truth.files.contains(&pair.1);
        let pairs: FilePairs = found.keys().filter(counts).cloned().collect();
        let extra: FilePairs = pairs.difference(&known).cloned().collect();
        eprintln!(
            "{name}: {} pairs, {} % of them true",
            pairs.len(),
            percent(pairs.len() - extra.len(), pairs.len())
        );
        for pair in spread(&extra, shown) {
            let name = found.get(pair).map_or("", String::as_str);
            eprintln!("  extra {name}: {} -> {}", pair.0, pair.1);
        }
    }
    let found: FilePairs = exact.keys().chain(likely.keys()).cloned().collect();
    let missing: FilePairs = truth.member.difference(&found).cloned().collect();
    score("pairs by members", truth.member.len(), &missing, 0, &FilePairs::new());
    show("missing by members", &missing, shown);
}

fn score(name: &str, wanted: usize, missing: &FilePairs, own: usize, extra: &FilePairs) {
    let recall = percent(wanted - missing.len(), wanted);
    let precision = percent(own - extra.len(), own);
    eprintln!(
        "{name}: {wanted} wanted, recall {recall} % ({} missing), precision {precision} % ({} extra)",
        missing.len(),
        extra.len()
    );
}

/// Two digits, rounded down, so that only a whole looks like 100 %.
fn percent(part: usize, whole: usize) -> String {
    match (part * 10_000).checked_div(whole) {
        Some(hundredths) => format!("{}.{:02}", hundredths / 100, hundredths % 100),
        None => "-".to_owned(),
    }
}

fn show(name: &str, pairs: &FilePairs, most: usize) {
    for (from, to) in spread(pairs, most) {
        eprintln!("  {name}: {from} -> {to}");
    }
}

/// A sample of pairs from the whole list.
fn spread(pairs: &FilePairs, most: usize) -> impl Iterator<Item = &FilePair> {
    let step = pairs.len().checked_div(most).unwrap_or_default().max(1);
    pairs.iter().step_by(step).take(most)
}
