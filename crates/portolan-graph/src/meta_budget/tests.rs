//! Tests the cuts, rung by rung.

use portolan_types::{KindMask, NodeKind, ResolutionMask};
use portolan_wire::meta::{MetaEdge, MetaNode, MetaV2};
use proptest::prelude::*;

use super::{MetaFit, MetaRung, file};

/// Counts a token per four bytes.
fn tokens(bytes: &[u8]) -> u64 {
    bytes.len().div_ceil(4) as u64
}

fn fit_meta(meta: MetaV2, budget: u64) -> MetaFit {
    super::fit_meta(meta, budget, &tokens, |path| path.rsplit('.').next() == Some("ts"))
}

fn node(id: &str, kind: NodeKind, edges: &[&str]) -> MetaNode {
    let edges = edges.iter().map(|target| MetaEdge {
        target: (*target).into(),
        kinds: KindMask::RUNTIME,
        resolution: ResolutionMask::EXPLICIT,
    });
    MetaNode {
        id: id.into(),
        kind,
        size: Some(10),
        hash: None,
        description: None,
        edges: edges.collect(),
    }
}

fn sample() -> MetaV2 {
    let index = MetaNode {
        hash: Some("47DEQpj8HBSa-_TImW-5JA".into()),
        description: Some("d".repeat(100).into()),
        ..node(
            "src/index.ts",
            NodeKind::Source,
            &["./gone", "ext/zod.d.ts", "node:fs", "src/data.json"],
        )
    };
    MetaV2 {
        nodes: vec![
            node("./gone", NodeKind::Missing, &[]),
            node("assets/logo.svg", NodeKind::Source, &[]),
            node("ext/zod.d.ts", NodeKind::External, &[]),
            node("node:fs", NodeKind::Builtin, &[]),
            node("notes.txt", NodeKind::Source, &[]),
            node("src/alone.ts", NodeKind::Source, &[]),
            node("src/data.json", NodeKind::Source, &[]),
            index,
            node("test/a.test.ts", NodeKind::Source, &["src/index.ts"]),
        ],
    }
}

#[test]
fn a_meta_within_its_budget_is_left_alone() {
    let fit = fit_meta(sample(), tokens(&file(&sample())));
    assert_eq!(fit.meta, sample());
    assert!(fit.cuts.is_empty() && fit.notices().is_empty() && fit.fits());
}

#[test]
fn one_token_less_takes_the_first_rung_only() {
    let fit = fit_meta(sample(), tokens(&file(&sample())) - 1);
    assert_eq!(fit.cuts.iter().map(|cut| cut.rung).collect::<Vec<_>>(), [MetaRung::Hashes]);
    assert!(fit.fits());
    assert_eq!(fit.meta.nodes.len(), sample().nodes.len());
}

#[test]
fn the_rungs_are_taken_in_order_and_counted_by_top_folder() {
    let fit = fit_meta(sample(), 1);
    let cuts: Vec<String> =
        fit.cuts.iter().map(|cut| format!("{:?} {:?}", cut.rung, cut.folders)).collect();
    assert_eq!(
        cuts,
        [
            r#"Hashes {"src": 1}"#,
            r#"LongDescriptions {"src": 1}"#,
            r#"Descriptions {"src": 1}"#,
            r#"Unconnected {".": 1, "assets": 1}"#,
            r#"Builtins {"(modules)": 1}"#,
            r#"Missing {"(modules)": 1}"#,
            r#"Externals {"ext": 1}"#,
            r#"Tests {"test": 1}"#,
        ]
    );
    let left: Vec<&str> = fit.meta.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(left, ["src/alone.ts", "src/data.json", "src/index.ts"]);
    let targets: Vec<&str> =
        fit.meta.nodes[2].edges.iter().map(|edge| edge.target.as_str()).collect();
    assert_eq!(targets, ["src/data.json"]);
}

#[test]
fn notices_name_each_step_and_say_when_it_is_not_enough() {
    let notices = fit_meta(sample(), 1).notices();
    let unconnected = &notices[3].message;
    assert!(
        unconnected.starts_with(
            "step 4 of 8: files that are neither code nor connected of 2 nodes (. 1, assets 1)"
        ),
        "{unconnected}"
    );
    let last = notices.last().unwrap();
    assert_eq!(last.code.as_str(), "CTX-META-0002");
    assert!(last.message.contains("`excludes`"), "{}", last.message);
}

#[test]
fn long_descriptions_are_shortened_before_they_are_dropped() {
    let mut meta = sample();
    let enough = fit_meta(meta.clone(), 1).cuts[1].tokens;
    meta = fit_meta(meta, enough).meta;
    let description = meta.nodes[7].description.as_deref().unwrap();
    assert_eq!(description.chars().count(), 61);
    assert!(description.ends_with('…'));
}

fn any_meta() -> impl Strategy<Value = MetaV2> {
    let names = ["a.ts", "b.test.ts", "c.md", "d/e.ts", "node:fs", "x", "y/z.json"];
    let nodes = names.map(|name| {
        let edges = proptest::sample::subsequence(names.to_vec(), 0..=3);
        (0..4u64, edges, any::<bool>()).prop_map(move |(kind, edges, present)| {
            present.then(|| node(name, NodeKind::from_code(kind).unwrap(), &edges))
        })
    });
    nodes.prop_map(|nodes| MetaV2 { nodes: nodes.into_iter().flatten().collect() })
}

proptest! {
    #[test]
    fn the_reduced_meta_is_a_sub_graph_of_the_whole(meta in any_meta(), budget in 0..200u64) {
        let fit = fit_meta(meta.clone(), budget);
        prop_assert_eq!(fit.tokens, tokens(&file(&fit.meta)));
        for kept in &fit.meta.nodes {
            let whole = meta.nodes.iter().find(|node| node.id == kept.id).unwrap();
            prop_assert_eq!(whole.kind, kept.kind);
            prop_assert!(kept.edges.iter().all(|edge| whole.edges.contains(edge)));
        }
        let said_so = fit.notices().iter().any(|notice| notice.code.as_str() == "CTX-META-0002");
        prop_assert_eq!(said_so, !fit.fits());
    }
}
