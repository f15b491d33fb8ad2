//! Files and declarations in the order in which a task is likely about them.

use std::collections::{BTreeMap, BTreeSet};

use crate::bm25::{FileStatistics, saturated};
use crate::evidence::TaskEvidence;
use crate::task::Task;
use crate::terms::TermCounts;
use crate::weights;

/// A file, as it takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDocument {
    /// Its path.
    pub path: String,
    /// The words of the task in it.
    pub words: TermCounts,
    /// Which messages of the task stand in it, by their numbers.
    pub messages: Vec<u16>,
}

/// A declaration, as it takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceDocument {
    /// The number of its file.
    pub file: usize,
    /// Its full name: `Class.method`.
    pub name: String,
    /// The words of the task in it.
    pub words: TermCounts,
    /// Which messages of the task stand in it, by their numbers.
    pub messages: Vec<u16>,
}

/// A file with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedFile {
    /// Its number among the documents.
    pub file: usize,
    /// Its score; 1 is the best that words alone give.
    pub score: f64,
}

/// A declaration with what brought it.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPlace {
    /// Its number among the documents.
    pub place: usize,
    /// Its score.
    pub score: f64,
    /// The share of what the task names that it has, from 0 to 1.
    pub evidence: f64,
    /// The words, names and messages that brought it, the weightiest first.
    pub why: Vec<String>,
}

/// How many reasons are told.
const MOST_REASONS: usize = 3;

/// Orders files by their words and by what the text names; those without a word of the task are left out.
pub fn rank_files(task: &Task, files: &[FileDocument]) -> (Vec<RankedFile>, FileStatistics) {
    let mut having = vec![0u32; task.terms.len()];
    let mut words = 0u64;
    let counted: Vec<BTreeMap<u16, f64>> = files
        .iter()
        .map(|file| {
            words += u64::from(file.words.length);
            let mut counts = counts_of(&file.words);
            for number in task.terms_in(stem(&file.path)) {
                *counts.entry(number).or_default() += weights::PATH_WORDS;
            }
            for number in counts.keys() {
                if let Some(having) = having.get_mut(usize::from(*number)) {
                    *having += 1;
                }
            }
            counts
        })
        .collect();
    let statistics = FileStatistics::new(task, &having, files.len(), words);
    let mut scores: Vec<f64> = files
        .iter()
        .zip(&counted)
        .map(|(file, counts)| {
            let length = f64::from(file.words.length);
            let each = counts.iter().map(|(number, count)| {
                let weight = statistics.weights.get(usize::from(*number)).copied().unwrap_or(0.0);
                let mean = statistics.mean;
                weight * saturated(*count, length, mean, weights::FILE_K1, weights::FILE_B)
            });
            each.sum()
        })
        .collect();
    normalize(&mut scores);
    for (file, vote) in votes(task, files) {
        scores[file] += vote;
    }
    let ranked = scores.into_iter().enumerate().map(|(file, score)| RankedFile { file, score });
    let mut ranked: Vec<RankedFile> = ranked.filter(|ranked| ranked.score > 0.0).collect();
    ranked.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.file.cmp(&right.file))
    });
    (ranked, statistics)
}

/// Orders declarations of the best files: by their own rank and by that of their file.
pub fn rank_places(
    task: &Task,
    files: &[FileDocument],
    ranked: &[RankedFile],
    statistics: &FileStatistics,
    places: &[PlaceDocument],
) -> Vec<RankedPlace> {
    let rank_of = with_declared(task, ranked, places);
    let mean = places.iter().map(|place| f64::from(place.words.length)).sum::<f64>()
        / (places.len().max(1) as f64);
    let mut path_words: BTreeMap<usize, Vec<u16>> = BTreeMap::new();
    let mut scored: Vec<(f64, Vec<(u16, f64)>)> = places
        .iter()
        .map(|place| {
            let mut counts = counts_of(&place.words);
            let path = path_words.entry(place.file);
            let of_path = || files.get(place.file).map_or("", |file| file.path.as_str());
            for number in path.or_insert_with(|| task.terms_in(stem(of_path()))) {
                *counts.entry(*number).or_default() += weights::PLACE_PATH_WORDS;
            }
            for number in task.terms_in(&place.name) {
                *counts.entry(number).or_default() += weights::NAME_WORDS;
            }
            let length = f64::from(place.words.length);
            let each = counts.into_iter().map(|(number, count)| {
                let weight = statistics.weights.get(usize::from(number)).copied().unwrap_or(0.0);
                let part = saturated(count, length, mean, weights::PLACE_K1, weights::PLACE_B);
                (number, weight * part)
            });
            let each: Vec<(u16, f64)> = each.collect();
            (each.iter().map(|(_, part)| part).sum(), each)
        })
        .collect();
    let best = scored.iter().map(|(score, _)| *score).fold(0.0, f64::max);
    let votes = place_votes(task, files, places);
    let evidence = TaskEvidence::new(task, statistics);
    for ((score, _), vote) in scored.iter_mut().zip(&votes) {
        let of_words = if best > 0.0 { *score / best } else { 0.0 };
        *score = of_words + vote;
    }
    let mut order: Vec<usize> = (0..places.len()).filter(|place| scored[*place].0 > 0.0).collect();
    order.sort_by(|left, right| {
        scored[*right].0.total_cmp(&scored[*left].0).then_with(|| left.cmp(right))
    });
    order.truncate(weights::MOST_PLACES);
    let mut fused: Vec<RankedPlace> = order
        .into_iter()
        .enumerate()
        .map(|(rank, place)| {
            let of_file = rank_of.get(&places[place].file).copied().unwrap_or(ranked.len());
            let reciprocal = |rank: usize| 1.0 / (weights::FUSION + 1.0 + rank as f64);
            let score = reciprocal(rank) + reciprocal(of_file);
            let words = scored[place].1.iter().map(|(number, _)| *number);
            let evidence = (evidence.share(words) + votes[place]).min(1.0);
            let why = reasons(task, &places[place], &scored[place].1);
            RankedPlace { place, score, evidence, why }
        })
        .collect();
    fused.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.place.cmp(&right.place))
    });
    fused
}

/// The rank of each file, where declaring a name of the text counts, too.
fn with_declared(
    task: &Task,
    ranked: &[RankedFile],
    places: &[PlaceDocument],
) -> BTreeMap<usize, usize> {
    let declared = declared(places);
    let mut scores: BTreeMap<usize, f64> =
        ranked.iter().map(|ranked| (ranked.file, ranked.score)).collect();
    for having in task.names.iter().filter_map(|name| declared.get(name.as_str())) {
        for place in having {
            let score = scores.entry(places[*place].file).or_default();
            *score += weights::DECLARING_FILE / having.len() as f64;
        }
    }
    let mut order: Vec<(usize, f64)> = scores.into_iter().collect();
    order.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    order.into_iter().enumerate().map(|(rank, (file, _))| (file, rank)).collect()
}

/// The declarations of each name.
fn declared(places: &[PlaceDocument]) -> BTreeMap<&str, Vec<usize>> {
    let mut declared: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, place) in places.iter().enumerate() {
        let own = place.name.rsplit('.').next().unwrap_or("");
        declared.entry(own).or_default().push(number);
    }
    declared
}

/// What brought a declaration: messages first, then its weightiest words.
fn reasons(task: &Task, place: &PlaceDocument, parts: &[(u16, f64)]) -> Vec<String> {
    let messages =
        place.messages.iter().filter_map(|number| task.messages.get(usize::from(*number)));
    let mut why: Vec<String> = messages.map(|message| format!("\"{message}\"")).collect();
    let mut parts = parts.to_vec();
    parts.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let words = parts.iter().filter_map(|(number, _)| task.terms.get(usize::from(*number)));
    why.extend(words.map(|term| term.word.clone()));
    why.truncate(MOST_REASONS);
    why
}

fn counts_of(words: &TermCounts) -> BTreeMap<u16, f64> {
    words.counts.iter().map(|(number, count)| (*number, f64::from(*count))).collect()
}

fn normalize(scores: &mut [f64]) {
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best > 0.0 {
        for score in scores {
            *score /= best;
        }
    }
}

/// A path without its extension.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path.get(name..).and_then(|it| it.rfind('.')).map_or(path, |dot| &path[..name + dot])
}

/// The files that the text names: by path, by module, by stack frame, by message.
fn votes(task: &Task, files: &[FileDocument]) -> BTreeMap<usize, f64> {
    let mut votes: BTreeMap<usize, f64> = BTreeMap::new();
    let by_name = by_file_name(files);
    let mut named: BTreeMap<usize, f64> = BTreeMap::new();
    for mention in &task.paths {
        let (meant, shared) = meant(files, &by_name, &mention.path);
        let certainty = if shared >= 2 || meant.len() == 1 { 1.0 } else { 0.5 };
        for file in &meant {
            let share = certainty / meant.len() as f64;
            let known = named.entry(*file).or_default();
            *known = known.max(share);
        }
    }
    for (file, share) in named {
        *votes.entry(file).or_default() += weights::NAMED_FILE * share;
    }
    let mut seen = BTreeSet::new();
    for mention in task.paths.iter().rev().filter(|mention| mention.is_frame) {
        let (meant, _) = meant(files, &by_name, &mention.path);
        if let [file] = meant[..]
            && seen.insert(file)
        {
            let decay =
                weights::FRAME_DECAY.powi(i32::try_from(seen.len()).unwrap_or(i32::MAX) - 1);
            *votes.entry(file).or_default() += weights::FRAME_FILE * decay;
        }
    }
    for file in modules(task, files) {
        *votes.entry(file).or_default() += weights::NAMED_MODULE;
    }
    for number in 0..task.messages.len() as u16 {
        let having: Vec<usize> =
            (0..files.len()).filter(|file| files[*file].messages.contains(&number)).collect();
        for file in &having {
            *votes.entry(*file).or_default() += weights::MESSAGE_FILE / having.len() as f64;
        }
    }
    votes
}

fn by_file_name(files: &[FileDocument]) -> BTreeMap<&str, Vec<usize>> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        by_name.entry(name).or_default().push(number);
    }
    by_name
}

/// The files that a path in a text may mean: those that share most of its end; and how many parts they share.
fn meant(
    files: &[FileDocument],
    by_name: &BTreeMap<&str, Vec<usize>>,
    path: &str,
) -> (Vec<usize>, usize) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (mut best, mut found) = (0, Vec::new());
    for file in by_name.get(name).map(Vec::as_slice).unwrap_or_default() {
        let own = files[*file].path.rsplit('/');
        let shared = own.zip(path.rsplit('/')).take_while(|(own, theirs)| own == theirs).count();
        if shared > best {
            (best, found) = (shared, Vec::new());
        }
        if shared == best {
            found.push(*file);
        }
    }
    (found, best)
}

/// The files that names with dots mean as modules: the longest beginning of each that is a path.
fn modules(task: &Task, files: &[FileDocument]) -> BTreeSet<usize> {
    let mut by_stem: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        by_stem.insert(stem(&file.path), number);
    }
    let mut found = BTreeSet::new();
    for parts in &task.dotted {
        let longest = (2..=parts.len()).rev().find_map(|count| {
            let path = parts[..count].join("/");
            ["", "src/", "lib/"]
                .iter()
                .find_map(|folder| by_stem.get(format!("{folder}{path}").as_str()).copied())
        });
        found.extend(longest);
    }
    found
}

/// What the text says for each declaration: that a frame or a message is in it.
fn place_votes(task: &Task, files: &[FileDocument], places: &[PlaceDocument]) -> Vec<f64> {
    let mut votes = vec![0.0; places.len()];
    for (vote, place) in votes.iter_mut().zip(places) {
        if !place.messages.is_empty() {
            *vote += weights::MESSAGE_PLACE;
        }
    }
    let declared = declared(places);
    let by_name = by_file_name(files);
    let frames = task.paths.iter().rev().filter(|mention| mention.is_frame);
    for (mention, out) in frames.zip(0i32..) {
        let Some(function) = &mention.function else { continue };
        let (meant, _) = meant(files, &by_name, &mention.path);
        for place in declared.get(function.as_str()).map(Vec::as_slice).unwrap_or_default() {
            if meant.contains(&places[*place].file) {
                votes[*place] += weights::FRAME_PLACE * weights::FRAME_DECAY.powi(out);
            }
        }
    }
    votes
}

#[cfg(test)]
mod tests {
    use super::{FileDocument, PlaceDocument, rank_files, rank_places, stem};
    use crate::task::Task;
    use crate::terms::TermIndex;

    const FILES: [(&str, &str); 3] = [
        ("src/query.py", "def order_by(names): check_order(names)\ndef filter(): pass\n"),
        ("src/compiler.py", "def compile(): raise Error('Cannot resolve this keyword here')\n"),
        ("src/other.py", "def unrelated(): pass\n"),
    ];

    fn ranked(text: &str) -> Vec<String> {
        let task = Task::new(text);
        let index = TermIndex::new(&task);
        let holds = |text: &str| {
            let each = (0u16..).zip(&task.messages);
            each.filter(|(_, message)| text.contains(*message)).map(|(number, _)| number).collect()
        };
        let files: Vec<FileDocument> = FILES
            .iter()
            .map(|(path, text)| FileDocument {
                path: (*path).to_owned(),
                words: index.count(text.as_bytes()),
                messages: holds(text),
            })
            .collect();
        let (best, statistics) = rank_files(&task, &files);
        let mut places = Vec::new();
        for (file, (_, text)) in FILES.iter().enumerate() {
            for line in text.lines() {
                let name = line.trim_start_matches("def ").split('(').next().unwrap().to_owned();
                let (words, messages) = (index.count(line.as_bytes()), holds(line));
                places.push(PlaceDocument { file, name, words, messages });
            }
        }
        let ranked = rank_places(&task, &files, &best, &statistics, &places);
        ranked.into_iter().map(|ranked| places[ranked.place].name.clone()).collect()
    }

    #[test]
    fn words_names_and_messages_bring_a_declaration() {
        assert_eq!(ranked("order_by() fails")[0], "order_by");
        assert_eq!(
            ranked("It crashes\n\nFieldError: Cannot resolve this keyword here")[0],
            "compile"
        );
        assert_eq!(ranked("Crash\n  File \"/x/src/query.py\", line 3, in filter\n")[0], "filter");
        assert!(ranked("nothing matches zebra").is_empty());
    }

    #[test]
    fn a_stem_is_a_path_without_its_extension() {
        assert_eq!(
            (stem("a.b/c.py"), stem("a.b/c"), stem("Makefile")),
            ("a.b/c", "a.b/c", "Makefile")
        );
    }
}
