//! Tests selections over a small graph with files in memory.

use std::collections::BTreeMap;

use portolan_graph::CsrGraph;
use portolan_graph::select::SelectSettings;
use portolan_types::{NodeId, Sha256Digest};
use portolan_wire::entry::parse_entry;
use portolan_wire::meta::MetaV2;
use portolan_wire::state::StateV2;

use super::{NoFiles, NodeFiles, SelectReport, SelectRequest, select, select_report, why_report};
use portolan_index::token_counts::{MemoryTokenStore, Tokenizer};
use portolan_workspace::path_input::PathInput;

struct Files(BTreeMap<&'static str, &'static str>);

impl NodeFiles for Files {
    fn digest(&self, _id: &NodeId) -> Option<Sha256Digest> {
        None
    }

    fn read(&self, id: &NodeId) -> Option<Vec<u8>> {
        self.0.get(id.as_str()).map(|text| text.as_bytes().to_vec())
    }

    fn exists(&self, id: &NodeId) -> bool {
        self.0.contains_key(id.as_str())
    }
}

fn csr_graph() -> CsrGraph {
    let meta = br#"{"v":2,"n":{"node:fs":{"k":2},"src/a.ts":{"k":0,"s":400},
        "src/index.ts":{"k":0,"s":80,"e":[["node:fs",1],["src/a.ts",1],["src/lazy.ts",4]]},"src/lazy.ts":{"k":0,"s":40}}}"#;
    CsrGraph::from(&MetaV2::read(meta).unwrap().value)
}

fn request(include: &[&str], budget: Option<u64>) -> SelectRequest {
    let include = include.iter().map(|entry| parse_entry(entry).unwrap()).collect();
    SelectRequest {
        path_input: PathInput::default(),
        state: StateV2 { include, ..StateV2::default() },
        warnings: Vec::new(),
        settings: SelectSettings::default(),
        budget,
        bearings: BTreeMap::new(),
        tokenizer: Tokenizer::O200kBase,
    }
}

fn run(files: &dyn NodeFiles, request: &SelectRequest) -> SelectReport {
    select(&csr_graph(), files, &MemoryTokenStore::default(), request).unwrap()
}

#[test]
fn a_declaration_selects_its_file() {
    let selected = |entry: &str| {
        let report = run(&NoFiles, &request(&[entry], None));
        report.selection.nodes.iter().map(|node| node.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(selected("src/a.ts#Name"), ["src/a.ts"]);
    assert_eq!(selected("src/a.ts#Class.member:1"), ["src/a.ts"]);
}

#[test]
fn without_files_there_is_the_estimate_only() {
    let report = run(&NoFiles, &request(&["src/index.ts:1"], None));
    assert_eq!(report.tokens(), None);
    assert_eq!((report.summary.total_bytes, report.unit()), (520, "estimate"));
    assert_eq!(report.summary.warnings, ["Dropped builtin node from selection: node:fs"]);
}

#[test]
fn files_are_counted_for_real() {
    let files = Files(BTreeMap::from([("src/a.ts", "hello world"), ("src/index.ts", "x")]));
    let report = run(&files, &request(&["src/index.ts:1:runtime"], None));
    assert_eq!((report.tokens(), report.unit()), (Some(3), "o200k_base"));
}

#[test]
fn the_budget_uses_counted_tokens_if_there_are_any() {
    let files = Files(BTreeMap::from([
        ("src/a.ts", "hello world"),
        ("src/index.ts", "x"),
        ("src/lazy.ts", "y"),
    ]));
    let report = run(&files, &request(&["src/index.ts:1"], Some(3)));
    let fit = report.fit.as_ref().unwrap();
    assert_eq!((fit.cost_before, fit.cost), (4, 3));
    assert_eq!(report.tokens(), Some(3));
    assert_eq!(
        report.state.to_text(),
        "{ \"v\": 2, \"i\": [\n  [\"src/index.ts\", 1]\n], \"x\": [\n  \"src/lazy.ts\"\n] }\n"
    );
}

#[test]
fn a_seed_that_the_budget_gives_up_is_a_warning() {
    let report = run(&NoFiles, &request(&["src/a.ts", "src/lazy.ts"], Some(50)));
    assert_eq!(
        report.summary.warnings,
        ["Dropped seed from selection to keep the budget: src/a.ts"]
    );
    assert_eq!(report.selection.nodes.len(), 1);
}

#[test]
fn only_ids_that_are_nowhere_get_suggestions() {
    let files = Files(BTreeMap::from([("src/b.ts", "")]));
    let report = run(&files, &request(&["src/indx.ts", "src/b.ts"], None));
    let near: Vec<String> =
        report.suggestions.iter().map(|(id, near)| format!("{id} {}", near[0])).collect();
    assert_eq!(near, ["src/indx.ts src/index.ts"]);
}

#[test]
fn the_report_has_the_reason_of_each_node() {
    let report = run(&NoFiles, &request(&["src/index.ts:1:runtime"], None));
    let value = serde_json::to_value(select_report(&csr_graph(), &report)).unwrap();
    assert_eq!(
        value["nodes"][0],
        serde_json::json!({"id": "src/a.ts", "kind": "source", "bytes": 400, "entry": ["src/index.ts", 1, 1], "hops": 1})
    );
    assert_eq!(value["estimatedTokens"], 120.0);
    assert_eq!(value["state"], serde_json::json!({"v": 2, "i": [["src/index.ts", 1, 1]]}));
}

#[test]
fn why_names_the_way_in_and_the_way_out() {
    let mut request = request(&["src/index.ts:1"], None);
    request.state.exclude = vec![parse_entry("src/lazy.ts").unwrap()];
    let report = run(&NoFiles, &request);
    let why = |id: &str| {
        let why = why_report(&csr_graph(), &request.state, &report.selection, &id.into());
        serde_json::to_value(why).unwrap()
    };
    let step = serde_json::json!([{"to": "src/lazy.ts", "kinds": ["dynamic"]}]);
    assert_eq!(why("src/lazy.ts")["includedBy"]["steps"], step);
    assert_eq!(why("src/lazy.ts")["excludedBy"]["entry"], "src/lazy.ts");
    assert_eq!(why("src/lazy.ts")["selected"], false);
    assert_eq!(why("src/a.ts")["selected"], true);
    assert_eq!(why("src/aa.ts")["didYouMean"][0], "src/a.ts");
}
