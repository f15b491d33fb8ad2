//! Mutated documents and pointers: for any input the reader returns a located error or a document,
//! and the slicer an error or a slice that can be read again.
//!
//! Deterministic, and short enough for every run; `PORTOLAN_FUZZ_ROUNDS` makes it longer.

use portolan_x07::{Closure, Enclosure, SliceRequest, read, slice};

use crate::generator::{DocumentRng, Generator};

fn rounds() -> u64 {
    std::env::var("PORTOLAN_FUZZ_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1_500)
}

const TOKENS: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\ud800",
    "\\u0000",
    "null",
    "true",
    "-0",
    "1e999",
    "1e400",
    "0.1",
    "\"body\":",
    "\"kind\":\"export\"",
    "\"names\":[]",
    "\"loop_contracts\":[{\"ptr\":\"/body\"}]",
    "[[[[[[[[",
    "\u{feff}",
    "99999999999999999999",
    "\"meta\":{\"a\":[]}",
];

fn mutate(rng: &mut DocumentRng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(5) {
            0 => drop(bytes.splice(at..at, rng.pick(&TOKENS).bytes())),
            1 => bytes.truncate(at),
            2 if at < bytes.len() => bytes[at] = rng.next() as u8,
            3 => {
                let end = (at + rng.below(20)).min(bytes.len());
                drop(bytes.drain(at..end));
            }
            _ => {
                let end = (at + rng.below(60)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
        }
    }
}

#[test]
fn mutated_documents_are_read_or_rejected() {
    let mut read_again = 0;
    for seed in 0..rounds() {
        let mut generator = Generator::new(seed);
        let n_decls = 1 + generator.rng.below(3);
        let mut bytes = generator.document(n_decls).to_string().into_bytes();
        mutate(&mut generator.rng, &mut bytes);
        if let Ok(document) = read(&bytes) {
            let canonical = document.to_canonical();
            let again = read(&canonical).map(|again| again.to_canonical());
            assert_eq!(
                again.as_deref(),
                Ok(&canonical[..]),
                "reading is not stable: {}",
                String::from_utf8_lossy(&bytes)
            );
            read_again += 1;
        }
    }
    assert!(read_again > rounds() / 50, "{read_again}");
}

const POINTERS: [&str; 14] = [
    "",
    "/",
    "decls",
    "/decls/00",
    "/decls/-",
    "/decls/18446744073709551616",
    "/decls/0/~2",
    "/decls/0/~",
    "/decls//",
    "/imports/0",
    "/meta/deep/b/1",
    "/solve/1/2",
    "/decls/0/body/0/0",
    " /decls/0 ",
];

#[test]
fn odd_requests_give_a_slice_or_an_error() {
    let mut slices = 0;
    for seed in 0..rounds() {
        let mut generator = Generator::new(seed);
        let n_decls = 1 + generator.rng.below(6);
        let source = generator.document(n_decls).to_string();
        let rng = &mut generator.rng;
        let mut document = read(source.as_bytes()).unwrap();
        let fields = [
            "body",
            "requires/0/expr",
            "ensures/0/witness/1",
            "loop_contracts/0/invariant/0/id",
            "params/0/brand",
            "names/0",
        ];
        let deep = format!("/decls/{}/{}/{}", rng.below(6), rng.pick(&fields), rng.below(3));
        let ptr = if rng.one_in(2) { (*rng.pick(&POINTERS)).to_owned() } else { deep };
        let bound =
            |rng: &mut DocumentRng| (!rng.one_in(3)).then(|| rng.next() >> (rng.below(64) as u32));
        let request = SliceRequest {
            ptr,
            enclosure: *rng.pick(&[Enclosure::Decl, Enclosure::Module]),
            closure: *rng.pick(&[Closure::All, Closure::Locals, Closure::Types]),
            max_nodes: bound(rng),
            max_bytes: bound(rng),
        };
        if let Ok(slice) = slice(&mut document, &request) {
            assert!(read(&slice.ast).is_ok(), "{request:?} of {source}");
            slices += 1;
        }
    }
    assert!(slices > rounds() / 20, "{slices}");
}
