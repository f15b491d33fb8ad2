//! The words of every text, kept by the digest of its bytes: what a question is answered from without
//! reading a file.
//!
//! One block of bytes: the dictionary in order, each word written as what differs from the one before,
//! then for each content its cost, its names for show, and its words as differences of their numbers. A
//! question walks it once. Bytes that make no sense are no index: the caller builds a new one.

mod bytes;
mod update;

use portolan_types::Sha256Digest;

use self::bytes::ByteReader;
pub use self::update::{FileWords, updated};

/// The first bytes of an index; another version has others.
const MAGIC: &[u8; 8] = b"PTWORDS1";

/// Where a word of a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// In the name of something it declares.
    Name,
    /// Anywhere in it.
    Body,
}

/// The words of many contents.
#[derive(Clone, Debug, Default)]
pub struct WordIndex {
    bytes: Vec<u8>,
    dictionary: usize,
    terms: u32,
    /// Sorted by digest.
    entries: Vec<Entry>,
}

/// One content.
#[derive(Clone, Copy, Debug)]
struct Entry {
    digest: Sha256Digest,
    tokens: u32,
    lengths: [u32; 2],
    names: usize,
    words: usize,
}

/// What is known of one content.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    index: &'a WordIndex,
    entry: &'a Entry,
}

impl WordIndex {
    /// Takes the bytes that [`updated`] made; `None` where they make no sense.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let mut reader = ByteReader::new(&bytes, 0);
        if reader.take(MAGIC.len())? != MAGIC {
            return None;
        }
        let terms = reader.number()?;
        let skip = reader.number()? as usize;
        let dictionary = reader.at();
        reader.take(skip)?;
        let count = reader.number()? as usize;
        let mut entries = Vec::with_capacity(count.min(bytes.len() / 32));
        for _ in 0..count {
            let digest = Sha256Digest::from_bytes(reader.take(32)?.try_into().ok()?);
            let tokens = reader.number()?;
            let lengths = [reader.number()?, reader.number()?];
            let names_bytes = reader.number()? as usize;
            let words_bytes = reader.number()? as usize;
            let names = reader.at();
            reader.take(names_bytes)?;
            let words = reader.at();
            reader.take(words_bytes)?;
            entries.push(Entry { digest, tokens, lengths, names, words });
        }
        let is_sorted = entries.is_sorted_by(|left, right| left.digest < right.digest);
        let is_whole = reader.is_at_end() && is_sorted;
        is_whole.then_some(Self { bytes, dictionary, terms, entries })
    }

    /// What is known of a content.
    pub fn get(&self, digest: &Sha256Digest) -> Option<Known<'_>> {
        let at = self.entries.binary_search_by(|entry| entry.digest.cmp(digest)).ok()?;
        Some(Known { index: self, entry: &self.entries[at] })
    }

    /// How many contents it knows.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// About how many bytes it takes.
    pub fn weight(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The numbers of some words, which must be sorted; `None` for a word that no text has.
    pub fn numbers(&self, wanted: &[String]) -> Vec<Option<u32>> {
        let mut found = vec![None; wanted.len()];
        let mut next = 0;
        self.each_term(|number, term| {
            while let Some(word) = wanted.get(next) {
                match word.as_bytes().cmp(term) {
                    std::cmp::Ordering::Less => next += 1,
                    std::cmp::Ordering::Equal => {
                        found[next] = Some(number);
                        next += 1;
                    }
                    std::cmp::Ordering::Greater => break,
                }
            }
            next < wanted.len()
        });
        found
    }

    /// Walks the dictionary in order, for as long as the answer is yes.
    fn each_term(&self, mut visit: impl FnMut(u32, &[u8]) -> bool) {
        let mut reader = ByteReader::new(&self.bytes, self.dictionary);
        let mut term = Vec::new();
        for number in 0..self.terms {
            let (Some(shared), Some(length)) = (reader.number(), reader.number()) else { return };
            let Some(rest) = reader.take(length as usize) else { return };
            term.truncate(shared as usize);
            term.extend_from_slice(rest);
            if !visit(number, &term) {
                return;
            }
        }
    }
}

impl<'a> Known<'a> {
    /// What the text costs to read; 0 for what is no text.
    pub fn tokens(&self) -> u32 {
        self.entry.tokens
    }

    /// How many words a field has.
    pub fn length(&self, field: Field) -> u32 {
        self.entry.lengths[field as usize]
    }

    /// The names to show of it.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let mut reader = ByteReader::new(&self.index.bytes, self.entry.names);
        let count = reader.number().unwrap_or(0);
        (0..count).map_while(move |_| {
            let length = reader.number()?;
            std::str::from_utf8(reader.take(length as usize)?).ok()
        })
    }

    /// Calls `sink` with each of the wanted words that the text has: what goes by its number, the field,
    /// and how often. The wanted are sorted by number.
    pub fn hits(&self, wanted: &[(u32, u32)], mut sink: impl FnMut(u32, Field, u32)) {
        let mut next = 0;
        let mut field_before = Field::Name;
        self.each_word(|field, number, times| {
            if field != field_before {
                (next, field_before) = (0, field);
            }
            // Both are in order, and what is wanted is little.
            while wanted.get(next).is_some_and(|(wanted, _)| *wanted < number) {
                next += 1;
            }
            if let Some((_, what)) = wanted.get(next).filter(|(wanted, _)| *wanted == number) {
                sink(*what, field, times);
            }
        });
    }

    fn each_word(&self, mut visit: impl FnMut(Field, u32, u32)) {
        let mut reader = ByteReader::new(&self.index.bytes, self.entry.words);
        for field in [Field::Name, Field::Body] {
            let Some(count) = reader.number() else { return };
            let mut number = 0u32;
            for _ in 0..count {
                let Some(packed) = reader.number() else { return };
                number = number.saturating_add(packed >> bytes::TIMES_BITS);
                visit(field, number, packed & bytes::TIMES_MASK);
            }
        }
    }
}

#[cfg(test)]
mod tests;
