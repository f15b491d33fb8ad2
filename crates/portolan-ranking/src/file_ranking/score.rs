//! BM25F: how well the words of a file answer the terms of a task.

use portolan_types::FileId;
use rayon::prelude::*;

use super::corpus::{Candidate, Corpus};
use super::index::{Field, WordIndex};
use super::task::Term;
use super::weights::FileWeights;
use super::words::words;

/// Path, names, body.
const FIELDS: usize = 3;

/// How well files answer terms, and by which of their parts.
pub(super) struct Evidence {
    /// All parts together, as BM25F has it.
    pub(super) scores: Vec<f64>,
    /// By the words of the path alone.
    pub(super) path: Vec<f64>,
    /// By the words of declared names alone.
    pub(super) names: Vec<f64>,
    /// What each term is `score_passages`; 0 for one that no file has.
    pub(super) weights: Vec<f64>,
    /// The files that declare a name with each term.
    pub(super) declaring: Vec<Vec<FileId>>,
}

/// How well each file of a corpus answers terms; 0 for one that has none.
pub(super) fn evidence(
    corpus: &Corpus<'_>,
    index: &WordIndex,
    terms: &[Term],
    settings: &FileWeights,
) -> Evidence {
    let counts = all_counts(corpus, index, terms, settings);
    let mut declaring = vec![Vec::new(); terms.len()];
    let mut is_there = vec![false; terms.len()];
    for (file, at) in counts.iter().zip(FileId::all()) {
        for (term, fields) in &file.terms {
            is_there[*term as usize] = true;
            if fields[1] > 0.0 {
                declaring[*term as usize].push(at);
            }
        }
    }
    let means = mean_lengths(&counts);
    let mut weights = idf(&counts, terms);
    for (weight, is_there) in weights.iter_mut().zip(is_there) {
        *weight = if is_there { *weight } else { 0.0 };
    }
    let only = |field: usize| {
        let mut alone = FileWeights { fields: [0.0; FIELDS], ..settings.clone() };
        alone.fields[field] = 1.0;
        counts.iter().map(|file| score(file, &weights, means, &alone)).collect::<Vec<f64>>()
    };
    let scores = counts.iter().map(|file| score(file, &weights, means, settings)).collect();
    Evidence { scores, path: only(0), names: only(1), weights, declaring }
}

/// How often a file has each term, by field; only the terms it has.
struct Counts {
    terms: Vec<(u32, [f64; FIELDS])>,
    lengths: [f64; FIELDS],
}

/// The score of each of some files by the words of its text alone, told apart among these.
pub(super) fn body_scores(
    files: &[Candidate<'_>],
    index: &WordIndex,
    terms: &[Term],
    settings: &FileWeights,
) -> Vec<f64> {
    let alone = FileWeights { fields: [0.0, 0.0, 1.0], ..settings.clone() };
    let mut counts = counts_of(files, index, terms, settings);
    // A word of the path alone is no word of the text.
    for file in &mut counts {
        file.terms.retain(|(_, fields)| fields[2] > 0.0);
    }
    let weights = idf(&counts, terms);
    let means = mean_lengths(&counts);
    counts.iter().map(|file| score(file, &weights, means, &alone)).collect()
}

fn all_counts(
    corpus: &Corpus<'_>,
    index: &WordIndex,
    terms: &[Term],
    settings: &FileWeights,
) -> Vec<Counts> {
    counts_of(&corpus.files, index, terms, settings)
}

fn counts_of(
    files: &[Candidate<'_>],
    index: &WordIndex,
    terms: &[Term],
    settings: &FileWeights,
) -> Vec<Counts> {
    let wanted: Vec<String> = terms.iter().map(|term| term.word.clone()).collect();
    let numbered: Vec<(u32, u32)> = {
        let numbers = index.numbers(&wanted).into_iter().zip(0u32..);
        numbers.filter_map(|(number, at)| Some((number?, at))).collect()
    };
    let count =
        |file: &Candidate<'_>| count(file, index, &wanted, &numbered, settings.folder_words);
    files.par_iter().map(count).collect()
}

fn count(
    file: &Candidate<'_>,
    index: &WordIndex,
    wanted: &[String],
    numbered: &[(u32, u32)],
    folder_words: f64,
) -> Counts {
    let mut found: Vec<(u32, usize, f64)> = Vec::new();
    let mut lengths = [0.0; FIELDS];
    path_words(file.path, folder_words, |word, weight| {
        lengths[0] += 1.0;
        if let Ok(at) = wanted.binary_search_by(|term| term.as_str().cmp(word)) {
            found.push((at as u32, 0, weight));
        }
    });
    if let Some(known) = file.digest.and_then(|digest| index.get(&digest)) {
        lengths[1] = f64::from(known.length(Field::Name));
        lengths[2] = f64::from(known.length(Field::Body));
        known.hits(numbered, |term, field, times| {
            found.push((term, 1 + field as usize, f64::from(times)));
        });
    }
    found.sort_unstable_by_key(|(term, field, _)| (*term, *field));
    let mut terms: Vec<(u32, [f64; FIELDS])> = Vec::new();
    for (term, field, times) in found {
        if terms.last().is_none_or(|(last, _)| *last != term) {
            terms.push((term, [0.0; FIELDS]));
        }
        if let Some((_, fields)) = terms.last_mut() {
            fields[field] += times;
        }
    }
    Counts { terms, lengths }
}

/// The words of a path. Those of the file's own name count more than those of its folders, and joined
/// segments meet the compound that code writes for them.
fn path_words(path: &str, folder_words: f64, mut sink: impl FnMut(&str, f64)) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    words(folder, |word| sink(word, folder_words));
    words(name, |word| sink(word, 1.0));
    let stem = name.split('.').next().unwrap_or(name);
    if stem.contains('-') {
        let joined: String = stem.split('-').collect();
        sink(&joined.to_lowercase(), 1.0);
    }
}

/// The weight of each term: rare ones tell files apart.
fn idf(counts: &[Counts], terms: &[Term]) -> Vec<f64> {
    let mut having = vec![0u32; terms.len()];
    for file in counts {
        for (term, _) in &file.terms {
            having[*term as usize] += 1;
        }
    }
    let total = counts.len() as u32;
    let weight = |(term, having): (&Term, u32)| {
        let (total, having) = (f64::from(total), f64::from(having));
        term.weight * (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
    };
    terms.iter().zip(having).map(weight).collect()
}

fn mean_lengths(counts: &[Counts]) -> [f64; FIELDS] {
    let total = f64::from(counts.len().max(1) as u32);
    let mut means = [0.0; FIELDS];
    for file in counts {
        for (mean, length) in means.iter_mut().zip(file.lengths) {
            *mean += length / total;
        }
    }
    means.map(|mean| mean.max(1.0))
}

fn score(file: &Counts, weights: &[f64], means: [f64; FIELDS], settings: &FileWeights) -> f64 {
    let scale = |field: usize| {
        let relative = file.lengths[field] / means[field];
        settings.fields[field] / (1.0 - settings.b[field] + settings.b[field] * relative)
    };
    let scales = [scale(0), scale(1), scale(2)];
    let of_term = |(term, fields): &(u32, [f64; FIELDS])| {
        let times: f64 = fields.iter().zip(scales).map(|(times, scale)| times * scale).sum();
        weights[*term as usize] * times / (settings.k1 + times)
    };
    file.terms.iter().map(of_term).sum()
}
