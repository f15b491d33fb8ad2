//! Compares the closure with a naive one, and tests its properties, routes, and cuts to a budget.

use std::collections::BTreeSet;

use portolan_types::{KindMask, NodeId, NodeKind};
use portolan_wire::meta::{MetaEdge, MetaNode, MetaV2};
use portolan_wire::state::{StateEntry, StateV2};
use proptest::prelude::*;

use super::{Rung, SelectSettings, Worth, fit, importers, route, select};
use crate::csr_graph::CsrGraph;

/// Builds a graph from a line such as `a>b:1 a>c:7 b>d:4`. A name alone is a node without edges.
fn csr_graph(text: &str) -> CsrGraph {
    let mut edges: Vec<(String, String, u64)> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for word in text.split_whitespace() {
        match word.split_once('>') {
            None => drop(names.insert(word.to_owned())),
            Some((source, rest)) => {
                let (target, kinds) = rest.split_once(':').unwrap_or((rest, "1"));
                names.extend([source.to_owned(), target.to_owned()]);
                edges.push((source.to_owned(), target.to_owned(), kinds.parse().unwrap()));
            }
        }
    }
    let nodes = names.iter().map(|name| MetaNode {
        id: name.as_str().into(),
        kind: NodeKind::Source,
        size: Some(40),
        hash: None,
        description: None,
        edges: edges
            .iter()
            .filter(|(source, _, _)| source == name)
            .map(|(_, target, kinds)| MetaEdge {
                target: target.as_str().into(),
                kinds: KindMask::from_bits_truncate(*kinds),
                resolution: portolan_types::ResolutionMask::EXPLICIT,
            })
            .collect(),
    });
    CsrGraph::from(&MetaV2 { nodes: nodes.collect() })
}

fn entry(id: &str, depth: u64, kinds: u64) -> StateEntry {
    StateEntry { id: id.into(), depth, kinds: Some(KindMask::from_bits_truncate(kinds)) }
}

fn state(include: &[StateEntry], exclude: &[StateEntry]) -> StateV2 {
    StateV2 { include: include.to_vec(), exclude: exclude.to_vec(), ..StateV2::default() }
}

fn ids(csr_graph: &CsrGraph, state: &StateV2) -> Vec<String> {
    let selection = select(csr_graph, state, &SelectSettings::default());
    selection.nodes.iter().map(|node| node.id.to_string()).collect()
}

#[test]
fn each_node_has_its_entry_and_distance() {
    let csr_graph = csr_graph("a>b b>c c>d x>c");
    let selection = select(
        &csr_graph,
        &state(&[entry("x", 1, 1), entry("a", 9, 1)], &[]),
        &SelectSettings::default(),
    );
    let said: Vec<String> = selection
        .nodes
        .iter()
        .map(|node| format!("{} {} {}", node.id, selection.entries[node.entry].id, node.hops))
        .collect();
    assert_eq!(said, ["a a 0", "b a 1", "c x 1", "d a 3", "x x 0"]);
}

#[test]
fn an_unknown_id_is_a_leaf_at_any_depth() {
    let csr_graph = csr_graph("a>b");
    assert_eq!(
        ids(&csr_graph, &state(&[entry("nope", u64::MAX, 7), entry("a", 1, 7)], &[])),
        ["a", "b", "nope"]
    );
    assert_eq!(
        ids(&csr_graph, &state(&[entry("nope", 0, 7), entry("a", 1, 7)], &[entry("nope", 3, 7)])),
        ["a", "b"]
    );
}

#[test]
fn a_depth_beyond_counting_ends_with_the_graph() {
    assert_eq!(
        ids(&csr_graph("a>b b>a b>c"), &state(&[entry("a", u64::MAX, 7)], &[])),
        ["a", "b", "c"]
    );
}

#[test]
fn the_route_is_the_shortest_that_an_entry_allows() {
    let csr_graph = csr_graph("a>b:1 b>c:1 c>z:3 a>q:2 q>z:2 far>z:4");
    let said = |entries: &[StateEntry]| {
        route(&csr_graph, entries, &"z".into()).map(|route| {
            let steps: Vec<String> = route
                .steps
                .iter()
                .map(|step| format!("{} {}", step.to, step.kinds.bits()))
                .collect();
            format!("{}: {}", route.entry.id, steps.join(", "))
        })
    };
    assert_eq!(said(&[entry("a", 3, 7)]).as_deref(), Some("a: q 2, z 2"));
    assert_eq!(said(&[entry("a", 3, 1)]).as_deref(), Some("a: b 1, c 1, z 3"));
    assert_eq!(said(&[entry("a", 2, 1)]), None);
    assert_eq!(said(&[entry("a", 3, 7), entry("far", 1, 4)]).as_deref(), Some("far: z 4"));
    assert_eq!(said(&[entry("far", 1, 3)]), None);
    assert_eq!(said(&[entry("a", 3, 7), entry("z", 0, 7)]).as_deref(), Some("z: "));
}

#[test]
fn importers_are_found_by_walking_back() {
    let csr_graph = csr_graph("a>b:1 b>z:1 c>z:2 z>z:1 lone");
    let said = |depth, kinds| {
        let found =
            importers(&csr_graph, &"z".into(), depth, KindMask::from_bits_truncate(kinds)).unwrap();
        found
            .iter()
            .map(|i| format!("{} {} {}", i.id, i.hops, i.kinds.bits()))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(said(1, 7), "b 1 1, c 1 2");
    assert_eq!(said(u64::MAX, 7), "b 1 1, c 1 2, a 2 0");
    assert_eq!(said(9, 2), "c 1 2");
    assert_eq!(importers(&csr_graph, &"nope".into(), 1, KindMask::ALL), None);
}

fn check_fit(graph: &str, include: &[StateEntry], budget: u64, steps: &[&str], entries: &str) {
    let csr_graph = csr_graph(graph);
    let result = fit(
        &csr_graph,
        &state(include, &[]),
        &SelectSettings::default(),
        budget,
        &Worth::of_cost(&|_| 10),
    );
    let said: Vec<String> = result
        .steps
        .iter()
        .map(|step| {
            let cut: Vec<&str> = step.cut.iter().map(NodeId::as_str).collect();
            format!("{:?}: {}", step.rung, cut.join(" "))
        })
        .collect();
    assert_eq!(said, steps);
    let entry_texts: Vec<String> = result.state.include.iter().map(ToString::to_string).collect();
    let exclude_texts: Vec<String> =
        result.state.exclude.iter().map(|entry| format!("-{entry}")).collect();
    assert_eq!([entry_texts, exclude_texts].concat().join(" "), entries);
}

#[test]
fn files_go_one_by_one_the_farthest_and_least_needed_first() {
    let graph = "a>b a>t.test.ts a>d.md b>c c>e a>lazy:4 a>f b>f";
    let all = [entry("a", 5, 7)];
    check_fit(graph, &all, 80, &[], r#"["a", 5]"#);
    check_fit(graph, &all, 70, &["Hops(3): e"], r#"["a", 2]"#);
    check_fit(graph, &all, 60, &["Hops(3): e", "Hops(2): c"], r#"["a", 1]"#);
    let far = ["Hops(3): e", "Hops(2): c"];
    // Docs and tests first, then files loaded on demand, then files that fewer others need.
    let near = [
        (50, "Hops(1): d.md", r#"["a", 1] -"d.md""#),
        (40, "Hops(1): d.md t.test.ts", r#"["a", 1] -"d.md" -"t.test.ts""#),
        (30, "Hops(1): d.md lazy t.test.ts", r#"["a", 1] -"d.md" -"lazy" -"t.test.ts""#),
        (20, "Hops(1): b d.md lazy t.test.ts", r#"["a", 1] -"b" -"d.md" -"lazy" -"t.test.ts""#),
        (10, "Hops(1): b d.md f lazy t.test.ts", r#""a""#),
    ];
    for (budget, step, entries) in near {
        check_fit(graph, &all, budget, &[&far[..], &[step]].concat(), entries);
    }
}

#[test]
fn seeds_go_last_and_tests_among_them_first() {
    check_fit(
        "a b c.test.ts",
        &[entry("a", 0, 7), entry("b", 0, 7), entry("c.test.ts", 0, 7)],
        20,
        &["Seeds: c.test.ts"],
        r#""a" "b""#,
    );
    check_fit("a b", &[entry("a", 0, 7), entry("b", 0, 7)], 10, &["Seeds: a"], r#""b""#);
    check_fit("a b", &[entry("a", 0, 7), entry("b", 0, 7)], 0, &["Seeds: a b"], "");
}

/// Checks which files are left of a selection. The digits of a name are the file's size.
#[track_caller]
fn check_left(graph: &str, include: &[StateEntry], budget: u64, left: &[&str]) {
    let cost = |id: &NodeId| id.as_str().trim_start_matches(|c: char| !c.is_ascii_digit()).parse();
    let csr_graph = csr_graph(graph);
    let state = state(include, &[]);
    let cost = |id: &NodeId| cost(id).unwrap();
    let result =
        fit(&csr_graph, &state, &SelectSettings::default(), budget, &Worth::of_cost(&cost));
    let found: Vec<&str> = result.selection.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(found, left);
}

#[test]
fn a_small_cut_does_not_fall_off_a_cliff() {
    // The file to edit is small; its dependencies are large.
    let graph = "edit200>big9000 edit200>mid4000 edit200>small900 mid4000>far14000";
    let all = [entry("edit200", 2, 7)];
    check_left(graph, &all, 15_000, &["big9000", "edit200", "mid4000", "small900"]);
    check_left(graph, &all, 14_000, &["edit200", "mid4000", "small900"]);
    check_left(graph, &all, 4_300, &["edit200", "small900"]);
    check_left(graph, &all, 300, &["edit200"]);
}

#[test]
fn no_seed_goes_before_its_neighbours_and_small_seeds_stay() {
    let graph = "a200>n50 b9000>n50 c100>m900";
    let all = [entry("a200", 1, 7), entry("b9000", 1, 7), entry("c100", 1, 7)];
    check_left(graph, &all, 9_400, &["a200", "b9000", "c100", "n50"]);
    check_left(graph, &all, 9_310, &["a200", "b9000", "c100"]);
    // A named file that cannot fit does not evict the dependencies of the others.
    check_left(graph, &all, 9_290, &["a200", "c100", "m900", "n50"]);
    check_left(graph, &all, 340, &["a200", "c100"]);
}

#[test]
fn of_two_files_as_near_the_one_that_is_needed_for_less_stays() {
    let graph = "edit200>large3600 edit200>small300 edit200>mid400 small300>large3600";
    check_left(graph, &[entry("edit200", 1, 7)], 4_000, &["edit200", "mid400", "small300"]);
}

#[test]
fn files_unrelated_to_the_task_are_dropped_first() {
    let csr_graph = csr_graph("a>b a>c a>d b>c d>c");
    let relevance = |id: &NodeId| u32::from(id.as_str() == "b") * 2 + u32::from(id.as_str() == "d");
    let worth = Worth { cost: &|_| 10, relevance: &relevance };
    let left = |budget| {
        let all = state(&[entry("a", 1, 7)], &[]);
        let found = fit(&csr_graph, &all, &SelectSettings::default(), budget, &worth).selection;
        found.nodes.iter().map(|node| node.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!((left(30), left(20)), ("a b d".into(), "a b".into()));
}

#[test]
fn sizes_beyond_counting_do_not_upset_the_budget() {
    let csr_graph = csr_graph("a b c");
    let all = state(&[entry("a", 0, 7), entry("b", 0, 7), entry("c", 0, 7)], &[]);
    let cost = |id: &NodeId| if id.as_str() == "c" { 5 } else { u64::MAX };
    let result = fit(&csr_graph, &all, &SelectSettings::default(), 5, &Worth::of_cost(&cost));
    assert_eq!(result.selection.nodes.len(), 1);
    assert_eq!((result.cost, result.steps[0].rung), (5, Rung::Seeds));
}

/// Implements the specification literally.
fn naive(edges: &[(u8, u8, u64)], entries: &[(u8, u64, u64)]) -> BTreeSet<u8> {
    let mut all = BTreeSet::new();
    for (seed, depth, kinds) in entries {
        let mut reached = BTreeSet::from([*seed]);
        for _ in 0..*depth {
            let onward: Vec<u8> = edges
                .iter()
                .filter(|(source, _, mask)| reached.contains(source) && mask & kinds != 0)
                .map(|(_, target, _)| *target)
                .collect();
            reached.extend(onward);
        }
        all.extend(reached);
    }
    all
}

fn name(node: u8) -> String {
    // Some nodes are tests and docs, so that every kind of cut has something to cut.
    match node % 4 {
        2 => format!("n{node:02}.test.ts"),
        3 => format!("n{node:02}.md"),
        _ => format!("n{node:02}.ts"),
    }
}

type Edges = Vec<(u8, u8, u64)>;
type Entries = Vec<(u8, u64, u64)>;

fn any_edges() -> impl Strategy<Value = Edges> {
    prop::collection::vec((0..12u8, 0..12u8, 1..8u64), 0..40)
}

fn any_entries() -> impl Strategy<Value = Entries> {
    // 12 and 13 are not in the graph.
    prop::collection::vec((0..14u8, 0..5u64, 0..8u64), 0..6)
}

fn build(edges: &Edges) -> CsrGraph {
    let lone = (0..12).map(name);
    let joined = edges
        .iter()
        .map(|(source, target, kinds)| format!("{}>{}:{kinds}", name(*source), name(*target)));
    csr_graph(&lone.chain(joined).collect::<Vec<_>>().join(" "))
}

fn wishes(entries: &Entries) -> Vec<StateEntry> {
    entries.iter().map(|(node, depth, kinds)| entry(&name(*node), *depth, *kinds)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn equals_the_naive_expansion(edges in any_edges(), include in any_entries(), exclude in any_entries()) {
        let found = ids(&build(&edges), &state(&wishes(&include), &wishes(&exclude)));
        let expected: BTreeSet<u8> = &naive(&edges, &include) - &naive(&edges, &exclude);
        let expected: Vec<String> = expected.into_iter().map(name).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_order_of_entries_plays_no_part(edges in any_edges(), include in any_entries(), exclude in any_entries()) {
        let csr_graph = build(&edges);
        let settings = SelectSettings::default();
        let forward = state(&wishes(&include), &wishes(&exclude));
        let mut backward = forward.clone();
        backward.include.reverse();
        backward.exclude.reverse();
        prop_assert_eq!(select(&csr_graph, &forward, &settings), select(&csr_graph, &backward, &settings));
        let cut = |state: &StateV2| fit(&csr_graph, state, &settings, 30, &Worth::of_cost(&|_| 10));
        prop_assert_eq!(cut(&forward), cut(&backward));
    }

    #[test]
    fn excludes_win(edges in any_edges(), include in any_entries(), exclude in any_entries()) {
        let csr_graph = build(&edges);
        let found = ids(&csr_graph, &state(&wishes(&include), &wishes(&exclude)));
        let taken = ids(&csr_graph, &state(&wishes(&exclude), &[]));
        prop_assert!(found.iter().all(|id| !taken.contains(id)));
    }

    #[test]
    fn is_monotone_in_depth(edges in any_edges(), include in any_entries(), more in 0..4u64) {
        let csr_graph = build(&edges);
        let deeper: Entries = include.iter().map(|(node, depth, kinds)| (*node, depth + more, *kinds)).collect();
        let wide = ids(&csr_graph, &state(&wishes(&deeper), &[]));
        prop_assert!(ids(&csr_graph, &state(&wishes(&include), &[])).iter().all(|id| wide.contains(id)));
    }

    #[test]
    fn each_selected_node_has_a_route_and_no_other(edges in any_edges(), include in any_entries()) {
        let csr_graph = build(&edges);
        let wishes = wishes(&include);
        let selection = select(&csr_graph, &state(&wishes, &[]), &SelectSettings::default());
        for node in 0..14 {
            let id: NodeId = name(node).into();
            let found = route(&csr_graph, &wishes, &id);
            prop_assert_eq!(found.is_some(), selection.contains(&id), "{}", id);
            if let Some(found) = found {
                prop_assert!(found.steps.len() as u64 <= found.entry.depth);
                prop_assert!(found.steps.iter().all(|step| step.kinds.meets(found.entry.kinds.unwrap())));
                prop_assert_eq!(found.steps.last().map_or(&found.entry.id, |step| &step.to), &id);
            }
        }
    }

    #[test]
    fn the_budget_is_kept_and_the_entries_reproduce_the_result(
        edges in any_edges(), include in any_entries(), exclude in any_entries(), budget in 0..14u64
    ) {
        let csr_graph = build(&edges);
        let whole = state(&wishes(&include), &wishes(&exclude));
        let settings = SelectSettings::default();
        let result = fit(&csr_graph, &whole, &settings, budget, &Worth::of_cost(&|_| 1));
        prop_assert!(result.fits());
        prop_assert_eq!(result.cost, result.selection.nodes.len() as u64);
        prop_assert_eq!(&select(&csr_graph, &result.state, &settings), &result.selection);
        let all = select(&csr_graph, &whole, &settings);
        prop_assert!(result.selection.nodes.iter().all(|node| all.contains(&node.id)));
        prop_assert_eq!(result.steps.is_empty(), result.cost_before <= budget);
        let text = result.state.to_text();
        let read = portolan_wire::state::read(text.as_bytes()).unwrap();
        prop_assert_eq!(read.problems, []);
        prop_assert_eq!(select(&csr_graph, &read.state, &settings).nodes, result.selection.nodes);
    }
}
