//! The selection vectors (`conformance/selection.json`) and the closure table of the archive spec.
#![expect(clippy::unwrap_used, reason = "a test whose input cannot be read should fail")]

use portolan_graph::CsrGraph;
use portolan_graph::select::{SelectSettings, SizeCheck, select, summarize};
use portolan_types::{EdgeKind, KindMask, NodeId};
use portolan_wire::graph::GraphFile;
use portolan_wire::state::{StateEntry, StateV2, read_entries};
use serde_json::{Value, json};

/// These vectors are not marked as divergent, but have the order of a locale. The seeds (002) say
/// "lexicographically sorted", so we expect the same items in that order.
const LOCALE_ORDER: [&str; 2] = ["drop-only-missing", "kinds-array-invalid"];

fn entries(list: &Value, label: &str, warnings: &mut Vec<String>) -> Vec<StateEntry> {
    let text = list.to_string();
    let document = portolan_json::parse(text.as_bytes()).unwrap();
    let read = read_entries(document.root.as_array().unwrap_or_default(), "i", label);
    warnings.extend(read.warnings);
    read.entries
}

fn settings(options: &Value) -> SelectSettings {
    let default = SelectSettings::default();
    let names = |key: &str| -> Option<Vec<&str>> {
        options[key].as_array().map(|names| names.iter().filter_map(Value::as_str).collect())
    };
    let dropped = names("dropNodeKinds").unwrap_or_else(|| vec!["builtin", "missing"]);
    SelectSettings {
        default_kinds: names("defaultEdgeKinds").map_or(default.default_kinds, |names| {
            names.into_iter().filter_map(EdgeKind::from_name).collect::<KindMask>()
        }),
        keep_builtin: !dropped.contains(&"builtin"),
        keep_missing: !dropped.contains(&"missing"),
        top: options["maxTop"]
            .as_i64()
            .map_or(default.top, |top| usize::try_from(top).unwrap_or(0)),
        sizes: match options["hashSizeEnforcement"].as_str() {
            Some("error") => SizeCheck::Refuse,
            Some("ignore") => SizeCheck::Ignore,
            _ => SizeCheck::Warn,
        },
    }
}

/// Our answer, in the form of a vector's `expected`.
fn answer(vector: &Value) -> Value {
    let graph = GraphFile::read(vector["graph"].to_string().as_bytes()).unwrap().value;
    let csr_graph = CsrGraph::from(&graph);
    let settings = settings(&vector["options"]);
    let mut warnings = Vec::new();
    let state = StateV2 {
        include: entries(&vector["include"], "entry", &mut warnings),
        exclude: entries(&vector["exclude"], "exclude", &mut warnings),
        ..StateV2::default()
    };
    let selection = select(&csr_graph, &state, &settings);
    match summarize(&csr_graph, &selection, warnings, &settings) {
        Err(error) => json!({"throws": error.to_string()}),
        Ok(summary) => json!({
            "selectedNodeIds": summary.selected.iter().map(NodeId::as_str).collect::<Vec<_>>(),
            "selectedCount": summary.selected.len(),
            "totalBytes": summary.total_bytes,
            "largest": summary.largest.iter()
                .map(|node| json!({"nodeId": node.id.as_str(), "bytes": node.bytes})).collect::<Vec<_>>(),
            "warnings": summary.warnings,
        }),
    }
}

/// The same lists in an order that does not depend on a locale.
fn unordered(mut expected: Value) -> Value {
    for key in ["selectedNodeIds", "largest", "warnings"] {
        if let Some(items) = expected[key].as_array_mut() {
            items.sort_by_key(Value::to_string);
        }
    }
    expected
}

/// The expected answer for a divergent vector, by our decisions.
fn wanted(vector: &Value) -> Value {
    let mut expected = vector["expected"].clone();
    match vector["name"].as_str().unwrap() {
        // A warning, and the entry is skipped (D38).
        "entry-null" => {
            json!({"selectedNodeIds": [], "selectedCount": 0, "totalBytes": 0, "largest": [],
                   "warnings": ["Invalid nodeId for entry[0]: expected non-empty string."]})
        }
        // The two lists have different labels (D38); the includes keep the label of the other
        // vectors.
        "exclude-invalid-depth-label" => {
            expected["warnings"][1] =
                json!("Invalid depth for exclude[0]: expected integer >= 0; using 1.");
            expected
        }
        // Lexicographic order (D13).
        "order-locale" | "warnings-order" => expected,
        // Each entry is expanded on its own (D34).
        _ => json!({"selectedNodeIds": vector["wanted"]["selectedNodeIds"]}),
    }
}

#[test]
fn every_selection_vector_is_met() {
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("conformance/selection.json")).unwrap();
    assert_eq!(vectors.len(), 42);
    for vector in &vectors {
        let name = vector["name"].as_str().unwrap();
        let answer = answer(vector);
        if vector["divergent"].is_null() && !LOCALE_ORDER.contains(&name) {
            assert_eq!(answer, vector["expected"], "{name}");
            continue;
        }
        let expected =
            if vector["divergent"].is_null() { vector["expected"].clone() } else { wanted(vector) };
        let members = expected.as_object().unwrap().keys();
        let answered: Value = members
            .map(|key| (key.clone(), answer[key].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        assert_eq!(unordered(answered), unordered(expected), "{name}");
        if let Some(ids) = vector["wanted"]["selectedNodeIds"].as_array() {
            assert_eq!(answer["selectedNodeIds"].as_array(), Some(ids), "{name}: the wanted order");
        }
    }
}

#[test]
fn lists_are_in_lexicographic_order() {
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("conformance/selection.json")).unwrap();
    for name in ["order-locale", "warnings-order", "drop-only-missing", "kinds-array-invalid"] {
        let vector = vectors.iter().find(|vector| vector["name"] == name).unwrap();
        let answer = answer(vector);
        for key in ["selectedNodeIds", "warnings"] {
            let items: Vec<&str> =
                answer[key].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert!(items.is_sorted(), "{name} {key}: {items:?}");
        }
    }
}

/// Edges: index→a (1), index→b (2), index→lazy (4), a→deep (1).
fn check_table(state: &str, expected: &str) {
    let meta = br#"{"v":2,"n":{"src/a.ts":{"k":0,"e":[["src/deep.ts",1]]},"src/b.ts":{"k":0},"src/deep.ts":{"k":0},
        "src/index.ts":{"k":0,"e":[["src/a.ts",1],["src/b.ts",2],["src/lazy.ts",4]]},"src/lazy.ts":{"k":0}}}"#;
    let csr_graph = CsrGraph::from(&portolan_wire::meta::MetaV2::read(meta).unwrap().value);
    let read = portolan_wire::state::read(format!("{{\"v\":2,{state}}}").as_bytes()).unwrap();
    assert_eq!(read.problems, []);
    let selection = select(&csr_graph, &read.state, &SelectSettings::default());
    let names: Vec<&str> = selection
        .nodes
        .iter()
        .map(|node| node.id.as_str().trim_start_matches("src/").trim_end_matches(".ts"))
        .collect();
    assert_eq!(names.join(" "), expected, "{state}");
}

#[test]
fn the_closure_table_is_met() {
    check_table(r#""i":["src/index.ts"]"#, "index");
    check_table(r#""i":[["src/index.ts",1]]"#, "a b index lazy");
    check_table(r#""i":[["src/index.ts",1,1]]"#, "a index");
    check_table(r#""i":[["src/index.ts",1,2]]"#, "b index");
    check_table(r#""i":[["src/index.ts",2,3]]"#, "a b deep index");
    check_table(r#""i":[["src/index.ts",2]],"x":["src/deep.ts"]"#, "a b index lazy");
    check_table(r#""i":[["src/index.ts",2],"src/deep.ts"],"x":[["src/a.ts",1]]"#, "b index lazy");
    check_table(r#""i":[["src/index.ts",2]],"x":[["src/index.ts",1,4]]"#, "a b deep");
}
