//! Generates valid x07AST documents from a seed, for the property tests and the benchmark.

use serde_json::{Value, json};

/// A small deterministic random number generator (xorshift64*).
#[derive(Clone, Debug)]
pub(crate) struct DocumentRng(u64);

impl DocumentRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

pub(crate) const IMPORTS: [&str; 6] =
    ["std.text", "std.bytes", "std", "ext.codec-1", "Z.up", "app.util.deep"];
const ATOMS: [&str; 6] = ["x", "acc", "m", "", "i", "m.f1"];
const TEXTS: [&str; 4] = ["hello world", "caf\u{e9} \u{2603}", "q\"uote\\\n\u{1}", ""];

/// Generates documents.
pub(crate) struct Generator {
    pub(crate) rng: DocumentRng,
    pub(crate) minor: usize,
    pub(crate) symbols: Vec<String>,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = DocumentRng::new(seed);
        let minor = 3 + rng.below(7);
        Self { rng, minor, symbols: Vec::new() }
    }

    /// A document with `n_decls` decls, of any version and either kind.
    pub(crate) fn document(&mut self, n_decls: usize) -> Value {
        self.symbols = (0..n_decls).map(|index| format!("m.f{index}")).collect();
        let mut decls: Vec<Value> = (0..n_decls).map(|index| self.decl(index)).collect();
        let mut names: Vec<String> = self.symbols.clone();
        names.retain(|_| self.rng.one_in(3));
        if self.rng.one_in(4) {
            names.push("m.undefined".into());
        }
        if !names.is_empty() && !self.rng.one_in(4) {
            let at = self.rng.below(decls.len() + 1);
            decls.insert(at, json!({"kind": "export", "names": names}));
        }
        let mut imports = IMPORTS.to_vec();
        imports.retain(|_| !self.rng.one_in(3));
        let version = format!("x07.x07ast@0.{}.0", self.minor);
        let mut document = json!({
            "schema_version": version, "kind": "module", "module_id": "m", "imports": imports, "decls": decls,
        });
        if self.rng.one_in(3) {
            document["kind"] = json!("entry");
            document["solve"] = self.expr(3);
        }
        if self.rng.one_in(3) {
            document["meta"] = json!({"note": *self.rng.pick(&TEXTS), "n": 1.5e300, "deep": {"b": [true, null], "a": -0.0}});
        }
        document
    }

    fn decl(&mut self, index: usize) -> Value {
        let name = self.symbols[index].clone();
        match self.rng.below(12) {
            0 => {
                json!({"kind": "extern", "abi": "C", "name": name, "link_name": "c", "params": [{"name": "p", "ty": "i32"}], "result": "void"})
            }
            1 if self.minor == 9 => {
                json!({"kind": "defrecord", "name": name, "doc": "a record", "fields": [{"name": "x", "ty": "i32"}]})
            }
            2 if self.minor == 9 => {
                json!({"kind": "defenum", "name": name, "variants": [{"name": "No"}, {"name": "Yes", "payload": "u32"}]})
            }
            3 | 4 => self.function(index, &name, "defasync"),
            _ => self.function(index, &name, "defn"),
        }
    }

    fn function(&mut self, index: usize, name: &str, kind: &str) -> Value {
        let depth = 1 + self.rng.below(5);
        let mut decl = json!({
            "kind": kind, "name": name, "params": [{"name": "p", "ty": "bytes"}], "result": "bytes", "body": self.expr(depth),
        });
        if self.rng.one_in(3) {
            decl["params"][0]["brand"] = json!("m.brand");
            decl["result_brand"] = json!("m.brand_of_result");
        }
        if self.rng.one_in(3) {
            decl["doc"] = json!(format!("does {index}"));
        }
        if self.rng.one_in(4) {
            decl["type_params"] = json!([{"name": "A"}, {"name": "B", "bound": "hashable"}]);
        }
        for field in ["requires", "ensures", "invariant"] {
            if self.minor >= 5 && self.rng.one_in(4) {
                decl[field] = self.clauses();
            }
        }
        if self.minor >= 6 && self.rng.one_in(4) {
            let ptr = format!("/decls/{index}/body/1");
            decl["loop_contracts"] =
                json!([{"ptr": ptr, "invariant": self.clauses(), "decreases": []}]);
        }
        if self.minor >= 7 && kind == "defasync" && self.rng.one_in(3) {
            decl["protocol"] =
                json!({"await_invariant": self.clauses(), "scope_invariant": self.clauses()});
        }
        if self.minor >= 8 && kind == "defn" && self.rng.one_in(4) {
            decl["decreases"] = self.clauses();
        }
        decl
    }

    pub(crate) fn clauses(&mut self) -> Value {
        let clause = |generator: &mut Self| {
            let mut clause = json!({"expr": generator.expr(2)});
            if generator.rng.one_in(2) {
                clause["id"] = json!("c1");
                clause["witness"] = json!([generator.expr(0), generator.expr(1)]);
            }
            clause
        };
        (0..=self.rng.below(2)).map(|_| clause(self)).collect()
    }

    /// An expression of at most this many levels.
    pub(crate) fn expr(&mut self, depth: usize) -> Value {
        if depth == 0 || self.rng.one_in(5) {
            return if self.rng.one_in(2) {
                json!(*self.rng.pick(&ATOMS))
            } else {
                json!((self.rng.next() as u32).cast_signed() / 1000)
            };
        }
        let head = match self.rng.below(7) {
            0 | 1 => self.rng.pick(&self.symbols.clone()).clone(),
            2 => format!("{}.f", self.rng.pick(&IMPORTS)),
            3 => format!("{}.make", self.rng.pick(&self.symbols.clone())),
            4 => return json!(["bytes.lit", *self.rng.pick(&TEXTS)]),
            5 => "std.notimported.f".into(),
            _ => "+".into(),
        };
        let mut list = vec![json!(head)];
        list.extend((0..self.rng.below(4)).map(|_| self.expr(depth - 1)));
        Value::Array(list)
    }
}

/// Writes a document with the members of its objects in any order and whitespace anywhere.
pub(crate) fn shuffled(rng: &mut DocumentRng, value: &Value) -> String {
    let space = |rng: &mut DocumentRng| *rng.pick(&["", " ", "\n", "\t\r "]);
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| shuffled(rng, item)).collect();
            format!("{}[{}]", space(rng), items.join(&format!("{},", space(rng))))
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            for at in (1..members.len()).rev() {
                members.swap(at, rng.below(at + 1));
            }
            let members: Vec<String> = members
                .into_iter()
                .map(|(key, value)| {
                    format!("{}{}:{}", space(rng), json!(key), shuffled(rng, value))
                })
                .collect();
            format!("{{{}{}}}", members.join(","), space(rng))
        }
        scalar => scalar.to_string(),
    }
}
