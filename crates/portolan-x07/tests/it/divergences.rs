//! The decisions on the divergences: the result where the existing tool breaks its own rules. Each
//! test is named after the decision, and its document is the smallest that shows it.

use portolan_x07::{Closure, Enclosure, Slice, SliceError, SliceRequest, read, slice};
use serde_json::{Value, json};

fn function(name: &str, body: Value) -> Value {
    json!({"kind": "defn", "name": name, "params": [], "result": "i32", "body": body})
}

fn with(mut decl: Value, field: &str, value: Value) -> Value {
    decl[field] = value;
    decl
}

fn module(decls: Value) -> Value {
    json!({"schema_version": "x07.x07ast@0.8.0", "kind": "module", "module_id": "m", "imports": ["std.y"], "decls": decls})
}

fn entry(decls: Value, solve: Value) -> Value {
    with(with(module(decls), "kind", json!("entry")), "solve", solve)
}

fn ones(n: usize) -> Vec<Value> {
    vec![json!(1); n]
}

fn list(head: &str, rest: Vec<Value>) -> Value {
    std::iter::once(json!(head)).chain(rest).collect()
}

fn request(ptr: &str) -> SliceRequest {
    SliceRequest { ptr: ptr.into(), ..SliceRequest::default() }
}

fn whole(ptr: &str) -> SliceRequest {
    SliceRequest { enclosure: Enclosure::Module, ..request(ptr) }
}

fn try_slice(document: &Value, request: &SliceRequest) -> Result<Slice, SliceError> {
    slice(&mut read(document.to_string().as_bytes()).unwrap(), request)
}

struct Sliced {
    ast: Value,
    slice: Slice,
}

fn sliced(document: &Value, request: &SliceRequest) -> Sliced {
    let slice = try_slice(document, request).unwrap();
    Sliced { ast: serde_json::from_slice(&slice.ast).unwrap(), slice }
}

impl Sliced {
    fn names(&self) -> Vec<&str> {
        let decls = self.ast["decls"].as_array().unwrap().iter();
        decls.map(|decl| decl["name"].as_str().unwrap_or("export")).collect()
    }

    fn remap(&self) -> Option<&str> {
        self.slice.meta.ptr_remap.first().map(|remap| remap.to.as_str())
    }
}

#[test]
fn d01_the_module_enclosure_is_the_whole_document() {
    let document = module(json!([
        function("m.a", json!(0)),
        function("m.b", json!(0)),
        function("m.c", json!(["m.b"]))
    ]));
    for ptr in ["", "/decls", "/decls/2", "/module_id", "/imports/0"] {
        for closure in [Closure::All, Closure::Locals, Closure::Types, Closure::Imports] {
            let sliced = sliced(&document, &SliceRequest { closure, ..whole(ptr) });
            assert_eq!(sliced.names(), ["m.a", "m.b", "m.c"], "{ptr}");
            assert_eq!(
                (sliced.remap(), sliced.slice.meta.missing.locals.len()),
                (None, 0),
                "{ptr}"
            );
        }
    }
}

#[test]
fn d02_a_focused_export_comes_first_with_all_its_names() {
    let export = json!({"kind": "export", "names": ["m.a", "m.zz"]});
    let document = module(json!([export, function("m.a", json!(0))]));
    for closure in [Closure::All, Closure::Types] {
        let sliced = sliced(&document, &SliceRequest { closure, ..request("/decls/0/names/1") });
        assert_eq!(sliced.ast["decls"][0], export);
    }
}

#[test]
fn d03_imports_of_an_absent_solve_are_not_needed() {
    let document = entry(json!([function("m.a", json!(0))]), json!(["std.y.g"]));
    assert_eq!(sliced(&document, &request("/decls/0")).ast["imports"], json!([]));
    assert_eq!(sliced(&document, &whole("/decls/0")).ast["imports"], json!(["std.y"]));
}

#[test]
fn d04_imports_of_stripped_contracts_are_not_needed() {
    let decl = with(function("m.a", json!(0)), "requires", json!([{"expr": ["std.y.g"]}]));
    let stripped = SliceRequest { closure: Closure::Imports, ..request("/decls/0") };
    assert_eq!(sliced(&module(json!([decl])), &stripped).ast["imports"], json!([]));
    assert_eq!(
        sliced(&module(json!([decl])), &request("/decls/0")).ast["imports"],
        json!(["std.y"])
    );
}

/// A function or an async function with heads in one of the contract fields.
fn contracts() -> Vec<(&'static str, Value)> {
    let clause = json!([{"expr": ["m.h", ["std.y.g"]]}]);
    let witness = json!([{"expr": 0, "witness": ["std.y", ["m.h"], ["std.y.g"]]}]);
    let asynchronous = with(function("m.a", json!(0)), "kind", json!("defasync"));
    let loops = json!([{"ptr": "/decls/0/body", "invariant": [], "decreases": clause}]);
    vec![
        ("requires", with(function("m.a", json!(0)), "requires", clause.clone())),
        ("ensures", with(function("m.a", json!(0)), "ensures", witness)),
        ("invariant", with(function("m.a", json!(0)), "invariant", clause.clone())),
        ("decreases", with(function("m.a", json!(0)), "decreases", clause.clone())),
        ("loop_contracts", with(function("m.a", json!(0)), "loop_contracts", loops)),
        ("protocol", with(asynchronous, "protocol", json!({"await_invariant": clause}))),
    ]
}

#[test]
fn d05_d06_every_contract_is_scanned_stripped_counted_and_forced_alike() {
    for (field, decl) in contracts() {
        let ptr = if field == "protocol" { "/decls/1" } else { "/decls/0" };
        let document = module(json!([decl, function("m.h", json!(0))]));
        let all = sliced(&document, &request(ptr));
        assert_eq!(
            (all.names(), &all.ast["imports"]),
            (vec!["m.a", "m.h"], &json!(["std.y"])),
            "{field}"
        );
        let stripped =
            sliced(&document, &SliceRequest { closure: Closure::Locals, ..request(ptr) });
        assert_eq!(stripped.ast["decls"][0].get(field), None, "{field}");
        assert_eq!(stripped.slice.meta.missing.types, ["contracts"], "{field}");
        let inside =
            SliceRequest { closure: Closure::Locals, ..request(&format!("{ptr}/{field}")) };
        let forced = sliced(&document, &inside);
        assert_eq!(forced.ast["decls"][0].get(field), decl.get(field), "{field}");
        assert!(!forced.slice.meta.omitted.types, "{field}");
    }
}

#[test]
fn d07_d08_imports_and_exports_follow_the_remaining_decls() {
    let decls = json!([{"kind": "export", "names": ["m.a"]}, function("m.a", json!(["std.y.g"])), function("m.z", json!(["m.a"]))]);
    let bounded =
        sliced(&module(decls), &SliceRequest { max_nodes: Some(2), ..request("/decls/2") });
    assert_eq!((bounded.names(), &bounded.ast["imports"]), (vec!["m.z"], &json!([])));
    let truncation = bounded.slice.meta.truncation.unwrap();
    assert_eq!((truncation.decls_before, truncation.decls_after), (3, 1));
    assert_eq!(truncation.bytes_after, bounded.slice.ast.len() as u64);
}

#[test]
fn d09_the_pointer_is_remapped_to_the_new_position_of_the_focus() {
    let body = json!(["+", ["m.a"], ["x", "y"], list("+", ones(40))]);
    let document = module(json!([
        function("m.a", list("+", ones(90))),
        function("m.b", json!(0)),
        function("m.z", body)
    ]));
    let sliced =
        sliced(&document, &SliceRequest { max_bytes: Some(200), ..whole("/decls/2/body/2/1") });
    assert_eq!(sliced.remap(), Some("/decls/0/body/2/1"));
    assert_eq!(sliced.ast["decls"][0]["body"], json!(["+", 0, ["x", "y"]]));
}

#[test]
fn d10_all_decls_are_dropped_if_none_is_the_focus() {
    let document = entry(json!([function("m.a", list("+", ones(90)))]), json!(["m.a"]));
    let sliced = sliced(&document, &SliceRequest { max_bytes: Some(150), ..whole("/solve") });
    assert_eq!((sliced.names(), &sliced.ast["solve"]), (vec![], &json!(["m.a"])));
}

#[test]
fn d11_a_decl_without_a_body_stays_without_one() {
    let external = json!({"kind": "extern", "abi": "C", "name": "m.e", "link_name": "e", "params": [], "result": "i32"});
    let document = with(module(json!([external])), "meta", json!({"note": "x".repeat(80)}));
    let sliced = sliced(&document, &SliceRequest { max_bytes: Some(230), ..request("/decls/0") });
    assert_eq!(sliced.ast["decls"][0], external);
    assert_eq!(sliced.ast.get("meta"), None);
}

#[test]
fn d12_d13_a_focused_contract_is_pruned_but_kept() {
    let expr = json!(["=", ["q", 1], list("r", ones(60))]);
    let requires = json!([{"expr": list("r", ones(9)), "id": "a"}, {"expr": expr, "id": "b", "witness": [1]}, {"expr": 1}]);
    let document = module(json!([with(function("m.a", json!(["b"])), "requires", requires)]));
    let sliced = sliced(
        &document,
        &SliceRequest { max_bytes: Some(250), ..request("/decls/0/requires/1/expr/1/0") },
    );
    assert_eq!(sliced.ast["decls"][0]["requires"], json!([{"expr": 0}, {"expr": ["=", ["q"]]}]));
    assert_eq!(sliced.ast["decls"][0]["body"], json!(0));
    let too_small = SliceRequest { max_bytes: Some(10), ..request("/decls/0/requires/1/expr/2") };
    assert!(matches!(
        try_slice(&document, &too_small),
        Err(SliceError::BoundTooSmall { max_bytes: 10, .. })
    ));
}

#[test]
fn d13_witnesses_loop_contracts_and_protocols_are_pruned_along_the_path() {
    let long = list("r", ones(60));
    let clause = json!({"expr": long, "witness": [long, ["w", 1, long], long]});
    let check = |field: &str, ptr: &str, value: Value, expected: Value| {
        let kind = if field == "protocol" { "defasync" } else { "defn" };
        let decl = with(with(function("m.a", json!(0)), "kind", json!(kind)), field, value);
        let bounded =
            SliceRequest { max_bytes: Some(400), ..request(&format!("/decls/0/{field}/{ptr}")) };
        assert_eq!(
            sliced(&module(json!([decl])), &bounded).ast["decls"][0][field],
            expected,
            "{ptr}"
        );
    };
    let pruned = json!([{"expr": 0, "witness": [0, ["w", 1]]}]);
    check("ensures", "0/witness/1/1", json!([clause]), pruned.clone());
    let contract = json!({"ptr": "/decls/0/body", "invariant": [clause], "decreases": [clause]});
    let emptied = json!({"ptr": "/decls/0/body", "invariant": [], "decreases": []});
    check(
        "loop_contracts",
        "1/invariant/0/witness/1/1",
        json!([contract, contract, contract]),
        json!([emptied, {"ptr": "/decls/0/body", "invariant": pruned, "decreases": []}]),
    );
    check(
        "protocol",
        "scope_invariant/0/witness/1/1",
        json!({"scope_invariant": [clause], "await_invariant": [clause]}),
        json!({"scope_invariant": pruned}),
    );
}

#[test]
fn d14_optional_fields_off_the_path_are_elided_only_when_needed() {
    let params = json!([{"name": "p", "ty": "bytes", "brand": "m.brand"}]);
    let decl = with(
        with(function("m.a", json!(["+", 1, 2])), "doc", json!("d".repeat(100))),
        "params",
        params,
    );
    let document = module(json!([decl]));
    let check = |max_bytes: u64, doc: bool, brand: bool| {
        let sliced = sliced(
            &document,
            &SliceRequest { max_bytes: Some(max_bytes), ..request("/decls/0/body/1") },
        );
        let decl = &sliced.ast["decls"][0];
        assert_eq!(
            (decl.get("doc").is_some(), decl["params"][0].get("brand").is_some()),
            (doc, brand),
            "{max_bytes}"
        );
    };
    check(340, true, true);
    check(220, false, true);
    check(204, false, false);
}

#[test]
fn d15_meta_is_dropped_before_the_body() {
    let document = with(
        module(json!([function("m.a", json!(["+", ["x", 1], 2, 3]))])),
        "meta",
        json!({"n": "x".repeat(100)}),
    );
    let sliced =
        sliced(&document, &SliceRequest { max_bytes: Some(200), ..request("/decls/0/body/1/1") });
    assert_eq!(
        (sliced.ast.get("meta"), &sliced.ast["decls"][0]["body"]),
        (None, &json!(["+", ["x", 1]]))
    );
    let in_meta = SliceRequest { max_bytes: Some(240), ..whole("/meta/n") };
    assert_eq!(sliced_meta(&document, &in_meta), "x".repeat(100));
}

fn sliced_meta(document: &Value, request: &SliceRequest) -> String {
    sliced(document, request).ast["meta"]["n"].as_str().unwrap().to_owned()
}

#[test]
fn d16_loop_contracts_point_to_the_new_index_of_their_decl() {
    let loops = json!([{"ptr": "/decls/9/body/1", "invariant": [], "decreases": []}, {"ptr": "elsewhere", "invariant": [], "decreases": []}]);
    let document = module(json!([
        function("m.a", json!(0)),
        with(function("m.b", json!(["for", 0])), "loop_contracts", loops)
    ]));
    let sliced = sliced(&document, &request("/decls/1"));
    assert_eq!(sliced.ast["decls"][0]["loop_contracts"][0]["ptr"], "/decls/0/body/1");
    assert_eq!(sliced.ast["decls"][0]["loop_contracts"][1]["ptr"], "elsewhere");
}

#[test]
fn d17_solve_is_reduced_also_when_it_is_not_the_focus() {
    let document = entry(json!([function("m.a", json!(["x", 1]))]), list("+", ones(90)));
    let sliced = sliced(&document, &SliceRequest { max_bytes: Some(200), ..whole("/decls/0") });
    assert_eq!((&sliced.ast["solve"], &sliced.ast["kind"]), (&json!(0), &json!("entry")));
}

#[test]
fn d18_records_and_enums_are_symbols() {
    let record =
        json!({"kind": "defrecord", "name": "m.P", "fields": [{"name": "x", "ty": "i32"}]});
    let choice = json!({"kind": "defenum", "name": "m.E", "variants": [{"name": "No"}]});
    let export = json!({"kind": "export", "names": ["m.E", "m.P", "m.a"]});
    let decls = json!([function("m.a", json!(["m.P.x", ["m.P.make", 1]])), record, choice, export]);
    let document = with(module(decls), "schema_version", json!("x07.x07ast@0.9.0"));
    let focused = sliced(&document, &request("/decls/1"));
    assert_eq!(focused.names(), ["m.a", "export", "m.P"]);
    assert_eq!(focused.ast["decls"][1]["names"], json!(["m.P", "m.a"]));
    let omitted =
        sliced(&document, &SliceRequest { closure: Closure::Types, ..request("/decls/1") });
    assert_eq!(omitted.slice.meta.missing.locals, ["m.P"]);
    assert_eq!(sliced(&document, &whole("")).ast["decls"][0], export);
}

#[test]
fn d19_d20_output_is_rfc_8785() {
    let meta =
        r#"{"f":1.0,"g":1e21,"h":0.000001,"i":9007199254740993,"\ud800\udc00":1,"\ue000":2}"#;
    let text = module(json!([])).to_string();
    let document = format!("{},\"meta\":{meta}}}", &text[..text.len() - 1]);
    let slice = slice(&mut read(document.as_bytes()).unwrap(), &whole("")).unwrap();
    let expected = "\"meta\":{\"f\":1,\"g\":1e+21,\"h\":0.000001,\"i\":9007199254740992,\"\u{10000}\":1,\"\u{e000}\":2}";
    assert!(String::from_utf8(slice.ast).unwrap().contains(expected));
}

#[test]
fn d21_a_focused_export_reports_its_names_as_missing() {
    let document =
        module(json!([{"kind": "export", "names": ["m.a", "m.zz"]}, function("m.a", json!(0))]));
    let sliced =
        sliced(&document, &SliceRequest { closure: Closure::Types, ..request("/decls/0") });
    assert_eq!(sliced.slice.meta.missing.locals, ["m.a"]);
}

#[test]
fn d22_a_focused_decl_loses_only_its_body() {
    let decl =
        with(function("m.a", list("+", ones(60))), "requires", json!([{"expr": ["=", 1, 1]}]));
    let sliced = sliced(
        &module(json!([decl])),
        &SliceRequest { max_bytes: Some(220), ..request("/decls/0") },
    );
    assert_eq!(sliced.ast["decls"][0], with(decl, "body", json!(0)));
}

#[test]
fn d24_the_reserved_key_of_meta_is_dropped() {
    for value in [json!({"m.a": [{"expr": ["q"]}]}), json!({"m.a": [1]})] {
        let meta = json!({"__x07_internal_defn_decreases": value});
        let document = with(module(json!([function("m.a", json!(0))])), "meta", meta);
        let sliced = sliced(&document, &request("/decls/0"));
        assert_eq!((sliced.ast.get("meta"), sliced.ast["decls"][0].get("decreases")), (None, None));
    }
}

#[test]
fn an_impossible_limit_reports_the_smallest_possible_one() {
    let document =
        module(json!([function("m.a", json!(["+", 1, 2])), function("m.b", json!(["m.a"]))]));
    let bounded =
        |max_bytes| SliceRequest { max_bytes: Some(max_bytes), ..request("/decls/1/body/0") };
    let Err(SliceError::BoundTooSmall { smallest, .. }) = try_slice(&document, &bounded(20)) else {
        panic!()
    };
    assert_eq!(sliced(&document, &bounded(smallest)).slice.ast.len() as u64, smallest);
    assert!(try_slice(&document, &bounded(smallest - 1)).is_err());
}
