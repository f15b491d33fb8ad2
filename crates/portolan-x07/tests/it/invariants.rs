//! The invariants of every slice, for any document and request.

use std::collections::BTreeSet;

use portolan_x07::{Enclosure, Slice, SliceError, SliceRequest, read, slice};
use serde_json::Value;

/// Slices, and checks everything that follows from the document, the request and the slice.
pub(crate) fn check(source: &[u8], request: &SliceRequest) -> Result<Slice, SliceError> {
    let mut document = read(source).unwrap();
    let canonical = document.to_canonical();
    let outcome = slice(&mut document, request);
    assert_eq!(document.to_canonical(), canonical, "slicing changed the document");
    let slice = outcome?;
    let case = SliceCase {
        document: serde_json::from_slice(&canonical).unwrap(),
        ast: serde_json::from_slice(&slice.ast).unwrap(),
        request,
        slice: &slice,
    };
    case.is_canonical_and_valid();
    case.is_within_its_bounds();
    case.keeps_the_focus();
    case.accounts_for_every_symbol();
    case.has_the_imports_it_needs();
    case.is_its_own_slice();
    Ok(slice)
}

struct SliceCase<'a> {
    document: Value,
    ast: Value,
    request: &'a SliceRequest,
    slice: &'a Slice,
}

impl SliceCase<'_> {
    fn context(&self) -> String {
        format!("{:?}\n{}\n{}\n{:?}", self.request, self.document, self.ast, self.slice.meta)
    }

    fn is_canonical_and_valid(&self) {
        assert_eq!(
            portolan_wire::canonical::to_vec(&self.ast),
            self.slice.ast,
            "{}",
            self.context()
        );
        assert!(read(&self.slice.ast).is_ok(), "{}", self.context());
        let is_entry = self.ast["kind"] == "entry";
        assert_eq!(self.ast.get("solve").is_some(), is_entry, "{}", self.context());
        for decl in decls(&self.ast) {
            let has_body = matches!(decl["kind"].as_str(), Some("defn" | "defasync"));
            assert_eq!(decl.get("body").is_some(), has_body, "{}", self.context());
            assert_ne!(decl.get("names"), Some(&Value::Array(Vec::new())), "{}", self.context());
        }
    }

    fn is_within_its_bounds(&self) {
        let meta = &self.slice.meta;
        let (n_decls, bytes) = (decls(&self.ast).count() as u64, self.slice.ast.len() as u64);
        assert!(self.request.max_nodes.is_none_or(|bound| n_decls <= bound), "{}", self.context());
        assert!(self.request.max_bytes.is_none_or(|bound| bytes <= bound), "{}", self.context());
        assert_eq!(meta.truncated, meta.truncation.is_some());
        if let Some(truncation) = &meta.truncation {
            assert_eq!(
                (truncation.decls_after, truncation.bytes_after),
                (n_decls, bytes),
                "{}",
                self.context()
            );
            assert!(
                truncation.bytes_before > bytes || truncation.decls_before > n_decls,
                "{}",
                self.context()
            );
        }
    }

    /// The pointer to the focus in the slice.
    fn remapped(&self) -> &str {
        self.slice
            .meta
            .ptr_remap
            .first()
            .map_or(self.slice.meta.ptr.as_str(), |remap| remap.to.as_str())
    }

    /// Whether the last stage replaced the code that contains the focus with `0`.
    fn is_zeroed(&self) -> bool {
        let tokens: Vec<&str> = self.remapped().splitn(5, '/').collect();
        let code = match tokens[..] {
            ["", "decls", index, "body", ..] => self.ast.pointer(&format!("/decls/{index}/body")),
            ["", "solve", ..] => self.ast.get("solve"),
            _ => None,
        };
        self.slice.meta.truncated && code == Some(&Value::from(0))
    }

    fn keeps_the_focus(&self) {
        // The main expression of a module is not valid there and is never part of a slice.
        let odd = self.ast["kind"] == "module" && self.remapped().starts_with("/solve");
        if self.is_zeroed() || odd {
            return;
        }
        let (before, after) =
            (self.document.pointer(&self.slice.meta.ptr), self.ast.pointer(self.remapped()));
        assert!(after.is_some(), "the pointer dangles: {}", self.context());
        let tokens: Vec<&str> = self.remapped().split('/').collect();
        let is_same = match tokens[..] {
            // Types may be stripped from a decl and its parameters, and loop contracts follow their
            // decl.
            ["", "decls", _] | ["", "decls", _, "params" | "loop_contracts", ..] => false,
            ["", "decls", _, _, ..] | ["", "solve" | "meta" | "imports" | "module_id", ..] => true,
            _ => false,
        };
        if is_same {
            assert_eq!(before, after, "the focus changed: {}", self.context());
        }
    }

    fn accounts_for_every_symbol(&self) {
        let defined: BTreeSet<&str> =
            decls(&self.document).filter_map(|decl| decl["name"].as_str()).collect();
        let present: BTreeSet<&str> =
            decls(&self.ast).filter_map(|decl| decl["name"].as_str()).collect();
        let meta = &self.slice.meta;
        let mut named = heads(&self.ast);
        for decl in decls(&self.ast).filter(|_| self.request.enclosure != Enclosure::Module) {
            named.extend(
                strings(&decl["names"]).filter(|name| defined.contains(name)).map(str::to_owned),
            );
        }
        for head in named
            .iter()
            .filter(|head| defined.contains(head.as_str()) && !present.contains(head.as_str()))
        {
            let accounted =
                meta.truncated || (meta.omitted.locals && meta.missing.locals.contains(head));
            assert!(accounted, "{head} is not accounted for: {}", self.context());
        }
    }

    fn has_the_imports_it_needs(&self) {
        let modules: BTreeSet<String> = heads(&self.ast)
            .iter()
            .filter_map(|head| Some(head.rsplit_once('.')?.0.to_owned()))
            .collect();
        let needed: Vec<&str> =
            strings(&self.document["imports"]).filter(|name| modules.contains(*name)).collect();
        let listed: Vec<&str> = strings(&self.ast["imports"]).collect();
        if self.slice.meta.omitted.imports {
            assert!(listed.is_empty(), "{}", self.context());
            assert_eq!(self.slice.meta.missing.imports, needed, "{}", self.context());
        } else if !self.slice.meta.ptr.starts_with("/imports") {
            assert_eq!(listed, needed, "{}", self.context());
        }
    }

    /// The same request to the slice gives the same slice. Reading sorts the slice's decls, so the
    /// pointer must be found again by the name of the focus decl.
    fn is_its_own_slice(&self) {
        if self.is_zeroed() || self.ast.pointer(self.remapped()).is_none() {
            return;
        }
        let mut document = read(&self.slice.ast).unwrap();
        let canonical: Value = serde_json::from_slice(&document.to_canonical()).unwrap();
        let tokens: Vec<&str> = self.remapped().splitn(4, '/').collect();
        let ptr = match tokens[..] {
            ["", "decls", index, ..] => {
                let focus = &self.ast["decls"][index.parse::<usize>().unwrap()];
                let is_focus =
                    |decl: &Value| decl["name"] == focus["name"] && decl["kind"] == focus["kind"];
                let index = decls(&canonical).position(is_focus).unwrap();
                let rest = tokens.get(3).map_or_else(String::new, |rest| format!("/{rest}"));
                format!("/decls/{index}{rest}")
            }
            _ => self.remapped().to_owned(),
        };
        let again = slice(&mut document, &SliceRequest { ptr, ..self.request.clone() }).unwrap();
        if self.may_have_orphans() {
            let again: Value = serde_json::from_slice(&again.ast).unwrap();
            let names = |ast: &Value| {
                decls(ast).map(|decl| decl["name"].to_string()).collect::<BTreeSet<_>>()
            };
            assert!(names(&again).is_subset(&names(&self.ast)), "{}", self.context());
        } else {
            let again = String::from_utf8(again.ast).unwrap();
            assert_eq!(again, String::from_utf8_lossy(&self.slice.ast), "{}", self.context());
        }
    }

    /// Whether the slice can have decls without references: a limit drops decls from the end,
    /// whatever refers to them, and stripping removes contracts.
    fn may_have_orphans(&self) -> bool {
        let meta = &self.slice.meta;
        let dropped =
            meta.truncation.as_ref().is_some_and(|cut| cut.bytes_after < cut.bytes_before);
        let stripped = meta.missing.types.iter().any(|missing| missing == "contracts");
        !meta.omitted.locals && self.request.enclosure != Enclosure::Module && (dropped || stripped)
    }
}

fn decls(document: &Value) -> impl Iterator<Item = &Value> {
    document["decls"].as_array().into_iter().flatten()
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Every head in the document, found independently of the slicer.
fn heads(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let fields = ["requires", "ensures", "invariant", "decreases"];
    for decl in decls(document) {
        collect(&decl["body"], &mut found);
        for field in fields {
            clauses(&decl[field], &mut found);
        }
        for contract in decl["loop_contracts"].as_array().into_iter().flatten() {
            for field in fields {
                clauses(&contract[field], &mut found);
            }
        }
        decl["protocol"]
            .as_object()
            .into_iter()
            .flatten()
            .for_each(|(_, list)| clauses(list, &mut found));
    }
    collect(&document["solve"], &mut found);
    found
}

fn clauses(list: &Value, found: &mut BTreeSet<String>) {
    for clause in list.as_array().into_iter().flatten() {
        collect(&clause["expr"], found);
        clause["witness"].as_array().into_iter().flatten().for_each(|expr| collect(expr, found));
    }
}

fn collect(expr: &Value, found: &mut BTreeSet<String>) {
    let Some(items) = expr.as_array() else { return };
    found.extend(items.first().and_then(Value::as_str).map(str::to_owned));
    for item in items {
        collect(item, found);
    }
}
