//! The invariants of slices on generated documents and on all conformance cases.

use portolan_x07::{Closure, Enclosure, SliceError, SliceRequest, read, slice};
use serde_json::Value;

use crate::generator::{DocumentRng, Generator, shuffled};
use crate::{cases, invariants};

/// The number of documents: enough to find errors, few enough for every run.
/// `PORTOLAN_PROPERTY_DOCUMENTS` changes it.
fn documents() -> u64 {
    std::env::var("PORTOLAN_PROPERTY_DOCUMENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

const ENCLOSURES: [Enclosure; 3] = [Enclosure::Decl, Enclosure::Defn, Enclosure::Module];
const CLOSURES: [Closure; 4] = [Closure::Locals, Closure::Types, Closure::Imports, Closure::All];

/// A generated document and a pointer to any value of its canonical form.
fn document(seed: u64) -> (Value, String, DocumentRng) {
    let mut generator = Generator::new(seed);
    let n_decls = 1 + generator.rng.below(9);
    let document = generator.document(n_decls);
    let source = document.to_string();
    let canonical: Value =
        serde_json::from_slice(&read(source.as_bytes()).unwrap().to_canonical()).unwrap();
    let mut ptr = String::new();
    let mut value = &canonical;
    let rng = &mut generator.rng;
    while !rng.one_in(6) {
        let (token, next) = match value {
            Value::Array(items) if !items.is_empty() => {
                let at = rng.below(items.len());
                (at.to_string(), &items[at])
            }
            Value::Object(members) if !members.is_empty() => {
                let keys: Vec<&String> = members.keys().collect();
                // Most interesting pointers are in the decls.
                let key = if members.contains_key("decls") && !rng.one_in(4) {
                    "decls"
                } else {
                    *rng.pick(&keys)
                };
                (key.to_owned(), &value[key])
            }
            _ => break,
        };
        ptr = format!("{ptr}/{token}");
        value = next;
    }
    (document, ptr, generator.rng)
}

fn requests(ptr: &str, rng: &mut DocumentRng) -> Vec<SliceRequest> {
    let mut requests = Vec::new();
    for enclosure in ENCLOSURES {
        for closure in CLOSURES {
            let request =
                SliceRequest { ptr: ptr.to_owned(), enclosure, closure, ..SliceRequest::default() };
            let max_bytes = Some(150 + rng.below(1500) as u64);
            let max_nodes = Some(1 + rng.below(4) as u64);
            requests.push(SliceRequest { max_bytes, ..request.clone() });
            requests.push(SliceRequest { max_nodes, ..request.clone() });
            requests.push(SliceRequest { max_nodes, max_bytes, ..request.clone() });
            requests.push(request);
        }
    }
    requests
}

#[test]
fn the_invariants_hold_on_generated_documents() {
    let (mut slices, mut cut) = (0, 0);
    for seed in 0..documents() {
        let (document, ptr, mut rng) = document(seed);
        let source = document.to_string();
        for request in requests(&ptr, &mut rng) {
            if let Ok(slice) = invariants::check(source.as_bytes(), &request) {
                slices += 1;
                cut += u64::from(slice.meta.truncated);
            }
        }
    }
    // The generator must keep making documents that can be sliced.
    assert!(
        slices > 12 * documents() && cut > 3 * documents(),
        "{slices} slices, {cut} of them cut"
    );
}

#[test]
fn the_invariants_hold_on_the_conformance_cases() {
    let inputs = cases::inputs();
    let mut divergent = 0;
    for case in cases::cases() {
        let source = &inputs[case["input"].as_str().unwrap()];
        if read(source).is_ok() {
            let outcome = invariants::check(source, &cases::request(&case["args"]));
            divergent += u32::from(outcome.is_ok() && !case["divergent"].is_null());
        }
    }
    assert!(divergent > 300, "{divergent}");
}

#[test]
fn key_order_and_whitespace_do_not_matter() {
    for seed in 0..documents() {
        let (document, ptr, mut rng) = document(seed);
        let (one, other) = (document.to_string(), shuffled(&mut rng, &document));
        for request in requests(&ptr, &mut rng).into_iter().step_by(5) {
            let outcomes = [one.as_bytes(), other.as_bytes()]
                .map(|source| slice(&mut read(source).unwrap(), &request));
            assert_eq!(outcomes[0], outcomes[1], "{other}");
        }
    }
}

#[test]
fn a_larger_bound_never_gives_a_smaller_slice() {
    for seed in 0..documents() / 4 {
        let (document, ptr, mut rng) = document(seed);
        let source = document.to_string();
        let request =
            SliceRequest { enclosure: *rng.pick(&ENCLOSURES), ptr, ..SliceRequest::default() };
        let mut document = read(source.as_bytes()).unwrap();
        let mut last = None;
        for max_bytes in (100..2500).step_by(7) {
            match slice(
                &mut document,
                &SliceRequest { max_bytes: Some(max_bytes), ..request.clone() },
            ) {
                Ok(slice) => {
                    assert!(
                        last.is_none_or(|last| slice.ast.len() >= last),
                        "{request:?} {max_bytes} {source}"
                    );
                    last = Some(slice.ast.len());
                }
                Err(SliceError::BoundTooSmall { smallest, .. }) => {
                    assert!(
                        last.is_none() && smallest > max_bytes,
                        "{request:?} {max_bytes} {source}"
                    );
                }
                Err(_) => break,
            }
        }
        let mut last = 0;
        for max_nodes in 1..12 {
            let bounded = SliceRequest { max_nodes: Some(max_nodes), ..request.clone() };
            let Ok(slice) = slice(&mut document, &bounded) else { break };
            assert!(slice.ast.len() >= last, "{request:?} {max_nodes} {source}");
            last = slice.ast.len();
        }
    }
}
