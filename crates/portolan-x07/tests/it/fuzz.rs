//! Mutated documents and pointers: whatever comes in, the reader answers with a located error or a
//! document, and the slicer with an error or a slice that can be read again.
//!
//! Deterministic, and short enough for every run; `PORTOLAN_FUZZ_ROUNDS` makes it as long as wanted.

use portolan_x07::{read, slice, Closure, Enclosure, SliceRequest};

use crate::generator::{Dice, Generator};

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

fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>) {
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(5) {
            0 => drop(bytes.splice(at..at, dice.pick(&TOKENS).bytes())),
            1 => bytes.truncate(at),
            2 if at < bytes.len() => bytes[at] = dice.next() as u8,
            3 => {
                let end = (at + dice.below(20)).min(bytes.len());
                drop(bytes.drain(at..end));
            }
            _ => {
                let end = (at + dice.below(60)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = dice.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
        }
    }
}

#[test]
fn mutated_documents_are_read_or_refused() {
    let mut read_again = 0;
    for seed in 0..rounds() {
        let mut generator = Generator::new(seed);
        let n_decls = 1 + generator.dice.below(3);
        let mut bytes = generator.document(n_decls).to_string().into_bytes();
        mutate(&mut generator.dice, &mut bytes);
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
        let n_decls = 1 + generator.dice.below(6);
        let source = generator.document(n_decls).to_string();
        let dice = &mut generator.dice;
        let mut document = read(source.as_bytes()).unwrap();
        let fields = [
            "body",
            "requires/0/expr",
            "ensures/0/witness/1",
            "loop_contracts/0/invariant/0/id",
            "params/0/brand",
            "names/0",
        ];
        let deep = format!("/decls/{}/{}/{}", dice.below(6), dice.pick(&fields), dice.below(3));
        let ptr = if dice.one_in(2) { (*dice.pick(&POINTERS)).to_owned() } else { deep };
        let bound =
            |dice: &mut Dice| (!dice.one_in(3)).then(|| dice.next() >> (dice.below(64) as u32));
        let request = SliceRequest {
            ptr,
            enclosure: *dice.pick(&[Enclosure::Decl, Enclosure::Module]),
            closure: *dice.pick(&[Closure::All, Closure::Locals, Closure::Types]),
            max_nodes: bound(dice),
            max_bytes: bound(dice),
        };
        if let Ok(slice) = slice(&mut document, &request) {
            assert!(read(&slice.ast).is_ok(), "{request:?} of {source}");
            slices += 1;
        }
    }
    assert!(slices > rounds() / 20, "{slices}");
}
