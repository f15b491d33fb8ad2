//! Closure over a generated graph: 1,000,000 nodes, 10,000,000 edges, 1,000 entries.
//!
//! `cargo bench -p portolan-graph --bench closure`. Prints the time of each part (the best of five)
//! and the peak memory of the process.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use portolan_graph::select::{SelectSettings, importers, route, select, summarize};
use portolan_graph::{CsrGraph, Edge, Graph, GraphBuilder, Node};
use portolan_types::{KindMask, LanguageName, NodeIndex, NodeKind};
use portolan_wire::state::{StateEntry, StateV2};

const NODES: u32 = 1_000_000;
const EDGES: u32 = 10_000_000;
const ENTRIES: u64 = 1_000;
const ROUNDS: u32 = 5;

/// A label, the depth of every entry, and the kinds of the entry at an index.
type Case = (&'static str, u64, fn(u64) -> u64);

/// A small xorshift generator: the same graph every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(limit)) as u32
    }
}

fn name(node: u32) -> String {
    format!("packages/p{:03}/src/m{:04}/file{node:07}.ts", node % 997, node % 7919)
}

fn graph(random: &mut Random) -> Graph {
    let mut builder = GraphBuilder::default();
    for node in 0..NODES {
        builder.node(Node {
            size: Some(u64::from(random.below(20_000))),
            language: LanguageName::new("ts"),
            ..Node::abstract_module(name(node).into(), NodeKind::Source)
        });
    }
    for _ in 0..EDGES {
        let mut node = || NodeIndex::new(random.below(NODES));
        let (source, target) = (node(), node());
        // Mostly runtime, some type, few dynamic.
        let explicit = match random.below(10) {
            0..6 => KindMask::RUNTIME,
            6..9 => KindMask::TYPE,
            _ => KindMask::DYNAMIC,
        };
        builder.edge(source, Edge { target, explicit, implicit: KindMask::NONE });
    }
    builder.build()
}

fn entries(random: &mut Random, depth: u64, kinds: impl Fn(u64) -> u64) -> StateV2 {
    let include = (0..ENTRIES).map(|index| StateEntry {
        id: name(random.below(NODES)).into(),
        depth,
        kinds: Some(KindMask::from_bits_truncate(kinds(index))),
    });
    StateV2 { include: include.collect(), ..StateV2::default() }
}

/// The best time of some rounds.
fn best<T>(mut call: impl FnMut() -> T) -> (Duration, T) {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let value = black_box(call());
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(known, _)| time < *known) {
            best = Some((time, value));
        }
    }
    best.unwrap_or_else(|| (Duration::ZERO, call()))
}

/// The peak resident memory in MB, if the system reports it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |line| line.trim().to_owned())
}

fn main() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let start = Instant::now();
    let graph = graph(&mut random);
    println!(
        "generated {} nodes, {} edges in {:.2?}",
        graph.nodes().len(),
        graph.edge_count(),
        start.elapsed()
    );
    println!("peak memory with the graph: {}", peak_memory());

    let (time, csr_graph) = best(|| CsrGraph::from(&graph));
    println!("csr_graph from the graph: {time:.2?}");
    drop(graph);

    let settings = SelectSettings::default();
    let cases: [Case; 5] = [
        ("depth 2, all kinds", 2, |_| 7),
        ("depth 4, runtime", 4, |_| 1),
        ("depth 1000, all kinds", 1000, |_| 7),
        ("depth 1000, every mask in turn", 1000, |index| index % 7 + 1),
        ("depth 0", 0, |_| 7),
    ];
    for (label, depth, kinds) in cases {
        let state = entries(&mut random, depth, kinds);
        let (time, selection) = best(|| select(&csr_graph, &state, &settings));
        println!(
            "closure, {ENTRIES} entries, {label}: {time:.2?}, {} nodes",
            selection.nodes.len()
        );
        let (time, _) = best(|| summarize(&csr_graph, &selection, Vec::new(), &settings));
        println!("  summary: {time:.2?}");
    }
    let state = entries(&mut random, 1000, |_| 7);
    let goal = name(123_456).into();
    println!("why: {:.2?}", best(|| route(&csr_graph, &state.include, &goal)).0);
    println!(
        "importers, depth 3: {:.2?}",
        best(|| importers(&csr_graph, &goal, 3, KindMask::ALL)).0
    );
    println!("peak memory: {}", peak_memory());
}
