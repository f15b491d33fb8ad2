//! The index as a specification: what goes in comes out, whatever happens to the bytes.

use std::collections::BTreeSet;

use portolan_types::Sha256Digest;
use proptest::prelude::*;

use super::{Field, FileWords, WordIndex, updated};

fn digest(of: u8) -> Sha256Digest {
    Sha256Digest::from_bytes([of; 32])
}

fn index(texts: &[(u8, &str)]) -> WordIndex {
    let new: Vec<_> = texts
        .iter()
        .map(|(of, text)| (digest(*of), FileWords::new(7, ["shown"], ["myName"], text)))
        .collect();
    WordIndex::read(updated(&WordIndex::default(), &BTreeSet::new(), &new)).unwrap()
}

/// The bodies that have a word, with how often.
fn found(index: &WordIndex, word: &str) -> Vec<(u8, u32)> {
    let Some(number) = index.numbers(&[word.to_owned()])[0] else { return Vec::new() };
    let mut found = Vec::new();
    for of in 0..=u8::MAX {
        let Some(known) = index.get(&digest(of)) else { continue };
        known.hits(&[(number, 0)], |_, field, times| {
            if field == Field::Body {
                found.push((of, times));
            }
        });
    }
    found
}

#[test]
fn words_are_found_where_they_stand() {
    let index = index(&[(1, "alpha beta beta"), (2, "beta gamma")]);
    assert_eq!(found(&index, "beta"), [(1, 2), (2, 1)]);
    assert_eq!(found(&index, "gamma"), [(2, 1)]);
    assert_eq!(found(&index, "delta"), []);
    let known = index.get(&digest(1)).unwrap();
    assert_eq!((known.tokens(), known.names().collect::<Vec<_>>()), (7, vec!["shown"]));
    assert_eq!((known.length(Field::Name), known.length(Field::Body)), (3, 3));
}

#[test]
fn what_is_not_kept_leaves_no_word() {
    let old = index(&[(1, "alpha beta"), (2, "beta gamma")]);
    let new = [(digest(3), FileWords::new(1, [], [], "beta delta"))];
    let bytes = updated(&old, &BTreeSet::from([digest(2)]), &new);
    let index = WordIndex::read(bytes).unwrap();
    assert_eq!(found(&index, "alpha"), []);
    assert_eq!(found(&index, "beta"), [(2, 1), (3, 1)]);
    assert_eq!(index.len(), 2);
}

#[test]
fn the_bytes_do_not_tell_how_they_came_about() {
    let at_once = index(&[(1, "alpha beta"), (2, "beta gamma")]);
    let first = index(&[(2, "beta gamma"), (9, "omega")]);
    let new = [(digest(1), FileWords::new(7, ["shown"], ["myName"], "alpha beta"))];
    assert_eq!(updated(&first, &BTreeSet::from([digest(2)]), &new), at_once.bytes);
}

proptest! {
    #[test]
    fn broken_bytes_are_no_index_or_a_harmless_one(at in 0usize..200, value: u8, cut in 0usize..200) {
        let mut bytes = index(&[(1, "alpha beta"), (2, "beta gamma")]).bytes;
        let at = at % bytes.len();
        bytes[at] = value;
        bytes.truncate(bytes.len() - cut % bytes.len());
        if let Some(index) = WordIndex::read(bytes) {
            found(&index, "beta");
            updated(&index, &BTreeSet::from([digest(1)]), &[]);
        }
    }
}
