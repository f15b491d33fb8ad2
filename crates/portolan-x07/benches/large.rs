//! The document of the benchmark.

use serde_json::{Map, Value, json};

use crate::generator::{DocumentRng, Generator, IMPORTS};

/// A module with `n_decls` functions of ordinary size, most of them used.
pub(crate) fn large_module(n_decls: usize) -> String {
    let mut generator = Generator { rng: DocumentRng::new(7), minor: 8, symbols: Vec::new() };
    let mut decls = Vec::with_capacity(n_decls);
    for index in 0..n_decls {
        // Each function calls the next one and a more distant one, so that one focus can reach all.
        let callees = [(index + 1) % n_decls, (index * 7 + 3) % n_decls]
            .map(|callee| format!("m.f{callee:05}"));
        generator.symbols = callees.to_vec();
        let mut body =
            vec![json!("begin"), json!([callees[0], 1]), json!([callees[1], ["std.text.f", "x"]])];
        body.extend((0..4).map(|_| generator.expr(3)));
        let mut decl = Map::new();
        decl.insert("kind".into(), json!("defn"));
        decl.insert("name".into(), json!(format!("m.f{index:05}")));
        decl.insert(
            "params".into(),
            json!([{"name": "data", "ty": "bytes"}, {"name": "count", "ty": "i32"}]),
        );
        decl.insert("result".into(), json!("bytes"));
        decl.insert("doc".into(), json!(format!("Function {index} of the benchmark.")));
        decl.insert("body".into(), Value::Array(body));
        if index % 5 == 0 {
            decl.insert("requires".into(), generator.clauses());
        }
        decls.push(Value::Object(decl));
    }
    let document = json!({
        "schema_version": "x07.x07ast@0.8.0", "kind": "module", "module_id": "m", "imports": IMPORTS, "decls": decls,
    });
    document.to_string()
}
