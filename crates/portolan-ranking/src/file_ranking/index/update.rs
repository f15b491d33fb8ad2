//! Making the words of a text, and putting them with those that are known.

use std::collections::BTreeSet;

use portolan_types::Sha256Digest;
use rustc_hash::FxHashMap;

use super::bytes::{self, TIMES_BITS, TIMES_MASK, push};
use super::{Field, MAGIC, WordIndex};
use crate::file_ranking::words::{has_words, words};

/// Differences of numbers have 28 bits beside the count.
const MOST_TERMS: usize = 1 << (32 - TIMES_BITS);

/// The words of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileWords {
    /// What it costs to read.
    pub tokens: u32,
    /// The names to show of it, in their order.
    pub names: Vec<Box<str>>,
    fields: [Vec<(Box<str>, u32)>; 2],
    lengths: [u32; 2],
}

impl FileWords {
    /// What has a cost and no words.
    pub fn wordless(tokens: u32) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// What a text shows of itself, for whoever asks for no words: of those it is only known whether there are any.
    pub fn unread<'a>(tokens: u32, shown: impl IntoIterator<Item = &'a str>, text: &str) -> Self {
        let names = shown.into_iter().map(Box::from).collect();
        let lengths = [0, u32::from(has_words(text))];
        Self { tokens, names, lengths, ..Self::default() }
    }

    /// The words of a text that declares some names, of which the first are shown.
    pub fn new<'a>(
        tokens: u32,
        shown: impl IntoIterator<Item = &'a str>,
        declared: impl IntoIterator<Item = &'a str>,
        text: &str,
    ) -> Self {
        let (mut names, mut body) = (Tally::default(), Tally::default());
        for name in declared {
            words(name, |word| names.add(word));
        }
        words(text, |word| body.add(word));
        let lengths = [names.total, body.total];
        let names_shown = shown.into_iter().map(Box::from).collect();
        Self { tokens, names: names_shown, fields: [names.finish(), body.finish()], lengths }
    }
}

/// How often words stand somewhere.
#[derive(Default)]
struct Tally {
    times: FxHashMap<Box<str>, u32>,
    total: u32,
}

impl Tally {
    fn add(&mut self, word: &str) {
        self.total += 1;
        match self.times.get_mut(word) {
            Some(times) => *times += 1,
            None => {
                self.times.insert(word.into(), 1);
            }
        }
    }

    /// The words, in order.
    fn finish(self) -> Vec<(Box<str>, u32)> {
        let mut counted: Vec<(Box<str>, u32)> = self.times.into_iter().collect();
        counted.sort_unstable();
        counted
    }
}

/// A content on its way into an index, with words by number.
struct Draft<'a> {
    digest: Sha256Digest,
    tokens: u32,
    lengths: [u32; 2],
    names: Vec<&'a str>,
    fields: [Vec<(u32, u32)>; 2],
}

/// The bytes of an index of what is `kept` of the old one and of new contents. The order of the new does
/// not matter.
pub fn updated(
    old: &WordIndex,
    kept: &BTreeSet<Sha256Digest>,
    new: &[(Sha256Digest, FileWords)],
) -> Vec<u8> {
    let mut old_terms: Vec<Box<str>> = Vec::new();
    old.each_term(|_, term| {
        old_terms.push(String::from_utf8_lossy(term).into());
        true
    });
    let kept_entries: Vec<_> = kept.iter().filter_map(|digest| old.get(digest)).collect();
    let mut is_used = vec![false; old_terms.len()];
    for known in &kept_entries {
        known.each_word(|_, number, _| {
            if let Some(used) = is_used.get_mut(number as usize) {
                *used = true;
            }
        });
    }
    let used = old_terms.iter().zip(&is_used).filter(|(_, used)| **used).map(|(term, _)| &**term);
    let added = new.iter().flat_map(|(_, words)| words.fields.iter().flatten());
    // Texts have the same words: each is put in order once.
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let mut dictionary: Vec<&str> = Vec::new();
    for word in used.chain(added.map(|(word, _)| &**word)) {
        if numbers.insert(word, 0).is_none() {
            dictionary.push(word);
        }
    }
    dictionary.sort_unstable();
    for word in dictionary.drain(dictionary.len().min(MOST_TERMS)..) {
        numbers.remove(word);
    }
    numbers.extend(dictionary.iter().copied().zip(0u32..));
    let number_of = |word: &str| numbers.get(word).copied();
    let renumbered: Vec<Option<u32>> = old_terms.iter().map(|term| number_of(term)).collect();

    let from_old = kept_entries.iter().map(|known| {
        let mut fields = [Vec::new(), Vec::new()];
        known.each_word(|field, number, times| {
            if let Some(number) = renumbered.get(number as usize).copied().flatten() {
                fields[field as usize].push((number, times));
            }
        });
        // In order already, but for bytes that somebody changed.
        for field in &mut fields {
            field.sort_unstable();
        }
        let lengths = [known.length(Field::Name), known.length(Field::Body)];
        let (digest, tokens) = (known.entry.digest, known.tokens());
        Draft { digest, tokens, lengths, names: known.names().collect(), fields }
    });
    let from_new = new.iter().map(|(digest, words)| Draft {
        digest: *digest,
        tokens: words.tokens,
        lengths: words.lengths,
        names: words.names.iter().map(|name| &**name).collect(),
        fields: words.fields.each_ref().map(|field| {
            field.iter().filter_map(|(word, times)| Some((number_of(word)?, *times))).collect()
        }),
    });
    let mut drafts: Vec<Draft<'_>> = from_old.chain(from_new).collect();
    drafts.sort_by_key(|draft| draft.digest);
    drafts.dedup_by_key(|draft| draft.digest);
    write(&dictionary, &drafts)
}

fn write(dictionary: &[&str], drafts: &[Draft<'_>]) -> Vec<u8> {
    let mut terms = Vec::new();
    let mut before: &[u8] = &[];
    for term in dictionary {
        let term = term.as_bytes();
        let shared = before.iter().zip(term).take_while(|(left, right)| left == right).count();
        push(&mut terms, shared as u32);
        push(&mut terms, (term.len() - shared) as u32);
        terms.extend_from_slice(&term[shared..]);
        before = term;
    }
    let mut out = MAGIC.to_vec();
    push(&mut out, dictionary.len() as u32);
    push(&mut out, terms.len() as u32);
    out.extend(terms);
    push(&mut out, drafts.len() as u32);
    for draft in drafts {
        write_draft(&mut out, draft);
    }
    out
}

fn write_draft(out: &mut Vec<u8>, draft: &Draft<'_>) {
    let (mut names, mut words) = (Vec::new(), Vec::new());
    push(&mut names, draft.names.len() as u32);
    for name in &draft.names {
        push(&mut names, name.len() as u32);
        names.extend_from_slice(name.as_bytes());
    }
    for field in &draft.fields {
        push(&mut words, field.len() as u32);
        let mut before = 0;
        for (number, times) in field {
            bytes::push(&mut words, (number - before) << TIMES_BITS | (*times).min(TIMES_MASK));
            before = *number;
        }
    }
    out.extend_from_slice(draft.digest.as_bytes());
    for number in [draft.tokens, draft.lengths[0], draft.lengths[1]] {
        push(out, number);
    }
    push(out, names.len() as u32);
    push(out, words.len() as u32);
    out.extend(names);
    out.extend(words);
}
