//! Files and declarations in the order in which a task is likely about them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::bm25::{Counts, FileStatistics, saturated};
use crate::evidence::TaskEvidence;
use crate::history::FileHistory;
use crate::task::{Task, TaskTerm};
use crate::terms::TermCounts;
use crate::weights::{self, FileSignals, PlaceSignals};

/// A file, as it takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDocument {
    /// Its path.
    pub path: String,
    /// The words of the task in it.
    pub words: TermCounts,
    /// Whether it is a test.
    pub is_test: bool,
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
    /// The words of the task in its documentation.
    pub documentation: TermCounts,
    /// The names that it calls, where the text names it.
    pub calls: Vec<String>,
    /// Which messages of the task stand in it, by their numbers.
    pub messages: Vec<u16>,
    /// Whether it is a value or a type, and no code that runs.
    pub is_value: bool,
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

/// What speaks for a declaration, whether it is ranked or not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaceScore {
    /// Its score, 0 for the best.
    pub behind: f64,
    /// Its place among all, from 0.
    pub rank: usize,
    /// The share of the task's words that it has, from 0 to 1.
    pub evidence: f64,
}

/// Declarations in their order, and what the order was made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceRanking {
    /// The declarations, best first.
    pub ranked: Vec<RankedPlace>,
    /// What speaks for each declaration, in the order in which they were given.
    pub scores: Vec<PlaceScore>,
    /// The score of each file.
    pub files: Vec<f64>,
}

/// How many reasons are shown.
const MOST_REASONS: usize = 3;
/// The most places that are listed by their own evidence.
pub const FIRST_PLACES: usize = 10;
/// The most further files after them.
const NEXT_FILES: usize = 10;
/// The number of files that decide the score of a folder.
const BEST_IN_FOLDER: usize = 5;
/// The most declarations that are ranked.
const MOST_PLACES: usize = 800;

/// Orders files by their words, by what the text names and by earlier commits; those that nothing brings are left out.
pub fn rank_files(
    task: &Task,
    files: &[FileDocument],
    history: &FileHistory,
) -> (Vec<RankedFile>, FileStatistics) {
    let counted = counted(task, files);
    let words = files.iter().map(|file| u64::from(file.words.length)).sum();
    let statistics = FileStatistics::new(task, &counted, words);
    let mut scores: Vec<f64> = files
        .iter()
        .zip(&counted)
        .map(|(file, counts)| {
            let length = f64::from(file.words.length);
            bm25(task, &statistics, counts, (length, statistics.mean), |term| term.weight)
        })
        .collect();
    normalize(&mut scores);
    let named = NamedInText::new(task, files);
    for (file, score) in scores.iter_mut().enumerate() {
        *score += named.file(file) + named.frame_of_file(file);
        *score += weights::COMMIT_FOR_PARSING * history.sentences(file).max(history.title(file));
    }
    let ranked = scores.into_iter().enumerate().map(|(file, score)| RankedFile { file, score });
    let mut ranked: Vec<RankedFile> = ranked.filter(|ranked| ranked.score > 0.0).collect();
    ranked.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.file.cmp(&right.file))
    });
    (ranked, statistics)
}

/// What is known of all files, before declarations are ranked.
#[derive(Clone, Copy)]
pub struct RankedFiles<'a> {
    /// The files.
    pub files: &'a [FileDocument],
    /// What earlier commits say of them.
    pub history: &'a FileHistory,
    /// How rare words are.
    pub statistics: &'a FileStatistics,
}

/// Orders declarations: by what speaks for each, and for its file. The first are the best; then comes one of each of the
/// next files, so that who asks for files has them; then the rest.
pub fn rank_places(task: &Task, known: RankedFiles<'_>, places: &[PlaceDocument]) -> PlaceRanking {
    let RankedFiles { files, statistics, .. } = known;
    let named = NamedInText::new(task, files);
    let path_words: Vec<Vec<u16>> =
        files.iter().map(|file| task.terms_in(stem(&file.path))).collect();
    let total: u64 = places.iter().map(|place| u64::from(place.words.length)).sum();
    let counted: Vec<Counts> = places.iter().map(|place| counts_of(&place.words)).collect();
    let reader = PlaceReader {
        task,
        statistics,
        among_places: &FileStatistics::new(task, &counted, total),
        named: &named,
        path_words: &path_words,
        called: Called::new(task, places),
        mean: total as f64 / places.len().max(1) as f64,
    };
    let mut signals: Vec<PlaceSignals> = places.iter().map(|place| reader.signals(place)).collect();
    normalize_by(&mut signals, |it| &mut it.words);
    normalize_by(&mut signals, |it| &mut it.code);
    normalize_by(&mut signals, |it| &mut it.documentation);
    normalize_by(&mut signals, |it| &mut it.name);
    normalize_by(&mut signals, |it| &mut it.covered);
    normalize_by(&mut signals, |it| &mut it.covered_title);
    let of_files = file_scores(task, known, (places, &signals), &named, &path_words);
    let best = of_files.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (signals, place) in signals.iter_mut().zip(places) {
        signals.file = of_files.get(place.file).map_or(0.0, |score| score - best);
    }
    let is_quoted = |place: &usize| task.quoted.contains(own_name(&places[*place].name));
    let is_brought = |place: &usize| {
        signals[*place].words > 0.0 || signals[*place].frame > 0.0 || is_quoted(place)
    };
    let scores: Vec<f64> = signals.iter().map(PlaceSignals::score).collect();
    let mut by_score: Vec<usize> = (0..places.len()).collect();
    by_score.sort_by(|left, right| {
        scores[*right].total_cmp(&scores[*left]).then_with(|| left.cmp(right))
    });
    let order: Vec<usize> = by_score.iter().copied().filter(is_brought).take(MOST_PLACES).collect();
    let evidence = TaskEvidence::new(task, statistics);
    let share = |place: usize| evidence.share(reader.counts(&places[place]).keys().copied());
    let all = standings(&by_score, &scores, share);
    let ranked = arranged(&order, places, &of_files).into_iter().map(|place| {
        let counts = reader.counts(&places[place]);
        let why = reasons(task, &places[place], &reader.parts(&counts, &places[place]));
        let share = evidence.share(counts.keys().copied());
        let is_named =
            signals[place].qualified > 0.0 || signals[place].frame > 0.0 || is_quoted(&place);
        let evidence = (share + named_outright(is_named, &places[place])).min(1.0);
        RankedPlace { place, score: scores[place], evidence, why }
    });
    PlaceRanking { ranked: ranked.collect(), scores: all, files: of_files }
}

/// What speaks for each declaration, by their order and their scores.
fn standings(order: &[usize], scores: &[f64], share: impl Fn(usize) -> f64) -> Vec<PlaceScore> {
    let top = order.first().map_or(0.0, |place| scores[*place]);
    let mut standings = vec![PlaceScore::default(); scores.len()];
    for (rank, place) in order.iter().enumerate() {
        let behind = scores[*place] - top;
        standings[*place] = PlaceScore { behind, rank, evidence: share(*place) };
    }
    standings
}

/// Behind the first places, the best of each of the next files, then the others.
fn arranged(order: &[usize], places: &[PlaceDocument], of_files: &[f64]) -> Vec<usize> {
    let head = order.len().min(FIRST_PLACES);
    let shown: BTreeSet<usize> = order[..head].iter().map(|place| places[*place].file).collect();
    let mut seen = shown.clone();
    let mut next: Vec<usize> =
        order[head..].iter().copied().filter(|place| seen.insert(places[*place].file)).collect();
    let score = |place: &usize| of_files.get(places[*place].file).copied().unwrap_or(0.0);
    next.sort_by(|left, right| score(right).total_cmp(&score(left)).then_with(|| left.cmp(right)));
    next.truncate(NEXT_FILES);
    let taken: BTreeSet<usize> = next.iter().copied().collect();
    let mut arranged = order[..head].to_vec();
    arranged.extend(next);
    arranged.extend(order[head..].iter().filter(|place| !taken.contains(place)));
    arranged
}

/// How often declarations that the text does not name are called by those that it names.
struct Called<'a> {
    names: BTreeSet<&'a str>,
    /// How many declarations have a name.
    having: BTreeMap<&'a str, usize>,
}

impl<'a> Called<'a> {
    fn new(task: &Task, places: &'a [PlaceDocument]) -> Self {
        let callers = places.iter().filter(|place| task.named.contains(own_name(&place.name)));
        let names = callers.flat_map(|place| place.calls.iter().map(String::as_str)).collect();
        let mut having: BTreeMap<&str, usize> = BTreeMap::new();
        for place in places {
            *having.entry(own_name(&place.name)).or_default() += 1;
        }
        Self { names, having }
    }

    fn of(&self, name: &str) -> f64 {
        if !self.names.contains(name) {
            return 0.0;
        }
        1.0 / self.having.get(name).map_or(1.0, |having| *having as f64)
    }
}

/// The last part of a full name.
fn own_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// What it adds to the evidence that the text names a declaration itself, or quotes a message of it.
fn named_outright(is_named: bool, place: &PlaceDocument) -> f64 {
    (if is_named { weights::NAMED_EVIDENCE } else { 0.0 })
        + (if place.messages.is_empty() { 0.0 } else { weights::MESSAGE_EVIDENCE })
}

/// Reads what speaks for a declaration.
struct PlaceReader<'a> {
    task: &'a Task,
    statistics: &'a FileStatistics,
    /// How rare words are among declarations.
    among_places: &'a FileStatistics,
    named: &'a NamedInText,
    path_words: &'a [Vec<u16>],
    called: Called<'a>,
    /// The mean length of a declaration.
    mean: f64,
}

impl PlaceReader<'_> {
    /// The words of a declaration, of its name and of its path.
    fn counts(&self, place: &PlaceDocument) -> Counts {
        let mut counts = counts_of(&place.words);
        for number in self.task.terms_in(&place.name) {
            *counts.entry(number).or_default() += weights::NAME_WORDS;
        }
        for number in self.path_words.get(place.file).into_iter().flatten() {
            *counts.entry(*number).or_default() += weights::PLACE_PATH_WORDS;
        }
        counts
    }

    /// What each word brings.
    fn parts(&self, counts: &Counts, place: &PlaceDocument) -> Vec<(u16, f64)> {
        let length = f64::from(place.words.length);
        let part = move |count| saturated(count, length, self.mean);
        self.statistics.parts(self.task, counts, |term| term.weight, part).collect()
    }

    fn signals(&self, place: &PlaceDocument) -> PlaceSignals {
        let (task, statistics) = (self.task, self.statistics);
        let counts = self.counts(place);
        let lengths = (f64::from(place.words.length), self.mean);
        let (holder, name) = place.name.rsplit_once('.').unwrap_or(("", &place.name));
        let once = |text: &str| -> Counts {
            task.terms_in(text).into_iter().map(|number| (number, 1.0)).collect()
        };
        let pair = (holder.rsplit('.').next().unwrap_or("").to_owned(), name.to_owned());
        let in_title = |term: &TaskTerm| if term.title > 0.0 { 1.0 } else { 0.0 };
        let sum = |counts: &Counts, weight: &dyn Fn(&TaskTerm) -> f64| -> f64 {
            statistics.parts(task, counts, weight, |_| 1.0).map(|(_, part)| part).sum()
        };
        let documented = counts_of(&place.documentation);
        let mut code = counts_of(&place.words);
        for (number, count) in &documented {
            if let Some(all) = code.get_mut(number) {
                *all = (*all - count).max(0.0);
            }
        }
        PlaceSignals {
            words: bm25(task, statistics, &counts, lengths, |term| term.weight),
            code: bm25(task, self.among_places, &code, lengths, |term| term.weight),
            documentation: bm25(task, self.among_places, &documented, lengths, |term| term.weight),
            name: sum(&once(&place.name), &|term| term.weight),
            covered: sum(&counts, &|_| 1.0),
            covered_title: sum(&counts, &in_title),
            qualified: if task.pairs.contains(&pair) { 1.0 } else { 0.0 },
            called: self.called.of(name),
            frame: self.named.frame_of_place(place.file, name),
            length: lengths.0.ln_1p() / weights::LENGTH,
            value: if place.is_value { 1.0 } else { 0.0 },
            file: 0.0,
        }
    }
}

/// The score of each file.
fn file_scores(
    task: &Task,
    RankedFiles { files, history, statistics }: RankedFiles<'_>,
    (places, of_places): (&[PlaceDocument], &[PlaceSignals]),
    named: &NamedInText,
    path_words: &[Vec<u16>],
) -> Vec<f64> {
    let counted = counted(task, files);
    let each = files.iter().zip(&counted).zip(path_words).enumerate();
    let mut signals: Vec<FileSignals> = each
        .map(|(number, ((file, counts), path))| {
            let lengths = (f64::from(file.words.length), statistics.mean);
            let in_path: Counts = path.iter().map(|number| (*number, 1.0)).collect();
            let of_path = statistics.parts(task, &in_path, |term| term.weight, |_| 1.0);
            FileSignals {
                words: bm25(task, statistics, counts, lengths, |term| term.weight),
                title: bm25(task, statistics, counts, lengths, |term| term.title),
                prose: bm25(task, statistics, counts, lengths, |term| term.prose),
                path: of_path.map(|(_, part)| part).sum::<f64>() / (1.0 + path.len() as f64).sqrt(),
                named: named.file(number),
                frame: named.frame_of_file(number),
                commit_title: history.title(number),
                commit_prose: history.sentences(number),
                test: if file.is_test { 1.0 } else { 0.0 },
                ..FileSignals::default()
            }
        })
        .collect();
    normalize_by(&mut signals, |it| &mut it.words);
    normalize_by(&mut signals, |it| &mut it.title);
    normalize_by(&mut signals, |it| &mut it.prose);
    normalize_by(&mut signals, |it| &mut it.path);
    add_folders(&mut signals, files);
    normalize_by(&mut signals, |it| &mut it.folder);
    for (place, of_place) in places.iter().zip(of_places) {
        if let Some(signals) = signals.get_mut(place.file) {
            signals.best = signals.best.max(of_place.words);
        }
    }
    add_holders(&mut signals, task, places);
    signals.iter().map(FileSignals::score).collect()
}

/// Tells each file how good the best files of its folder are.
fn add_folders(signals: &mut [FileSignals], files: &[FileDocument]) {
    let folder = |file: &FileDocument| file.path.rfind('/').unwrap_or(0);
    let mut words: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (file, signals) in files.iter().zip(signals.iter()) {
        words.entry(&file.path[..folder(file)]).or_default().push(signals.words);
    }
    let mean = |mut best: Vec<f64>| {
        best.sort_by(|left, right| right.total_cmp(left));
        best.truncate(BEST_IN_FOLDER);
        best.iter().sum::<f64>() / best.len().max(1) as f64
    };
    let means: BTreeMap<&str, f64> =
        words.into_iter().map(|(folder, words)| (folder, mean(words))).collect();
    for (file, signals) in files.iter().zip(signals) {
        signals.folder = means.get(&file.path[..folder(file)]).copied().unwrap_or(0.0);
    }
}

/// Tells the files with classes that the text names; a name that many have says less.
fn add_holders(files: &mut [FileSignals], task: &Task, places: &[PlaceDocument]) {
    let mut holders: BTreeMap<&str, BTreeSet<(usize, &str)>> = BTreeMap::new();
    for place in places {
        let Some((holder, _)) = place.name.rsplit_once('.') else { continue };
        let own = holder.rsplit('.').next().unwrap_or(holder);
        if task.holders.contains(own) {
            holders.entry(own).or_default().insert((place.file, holder));
        }
    }
    for having in holders.into_values() {
        for (file, _) in &having {
            if let Some(signals) = files.get_mut(*file) {
                signals.holder = signals.holder.max(1.0 / having.len() as f64);
            }
        }
    }
}

/// What brought a declaration: messages first, then its weightiest words.
fn reasons(task: &Task, place: &PlaceDocument, parts: &[(u16, f64)]) -> Vec<String> {
    let messages =
        place.messages.iter().filter_map(|number| task.messages.get(usize::from(*number)));
    let mut why: Vec<String> = messages.map(|message| format!("\"{message}\"")).collect();
    let mut parts = parts.to_vec();
    parts.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let words = parts.iter().filter_map(|(number, _)| task.terms.get(usize::from(*number)));
    why.extend(words.map(|term| term.shown.clone()));
    why.truncate(MOST_REASONS);
    why
}

fn counts_of(words: &TermCounts) -> Counts {
    words.counts.iter().map(|(number, count)| (*number, f64::from(*count))).collect()
}

/// The words of each file and of its path.
fn counted(task: &Task, files: &[FileDocument]) -> Vec<Counts> {
    let each = files.iter().map(|file| {
        let mut counts = counts_of(&file.words);
        for number in task.terms_in(stem(&file.path)) {
            *counts.entry(number).or_default() += weights::PATH_WORDS;
        }
        counts
    });
    each.collect()
}

/// BM25 of some counts, in a text of this length where this is the mean.
fn bm25(
    task: &Task,
    statistics: &FileStatistics,
    counts: &Counts,
    (length, mean): (f64, f64),
    weight: impl Fn(&TaskTerm) -> f64,
) -> f64 {
    let part = |count| saturated(count, length, mean);
    statistics.parts(task, counts, weight, part).map(|(_, part)| part).sum()
}

fn normalize(scores: &mut [f64]) {
    normalize_by(scores, |score| score);
}

/// Divides a signal by the largest there is.
fn normalize_by<T>(all: &mut [T], signal: impl Fn(&mut T) -> &mut f64) {
    let best = all.iter_mut().map(|one| *signal(one)).fold(0.0, f64::max);
    if best > 0.0 {
        for one in all {
            *signal(one) /= best;
        }
    }
}

/// A path without its extension.
fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path.get(name..).and_then(|it| it.rfind('.')).map_or(path, |dot| &path[..name + dot])
}

/// What the text names: files, and functions in stack frames.
#[derive(Debug, Default)]
struct NamedInText {
    files: BTreeMap<usize, f64>,
    frames: BTreeMap<usize, f64>,
    functions: BTreeMap<(usize, String), f64>,
}

impl NamedInText {
    fn new(task: &Task, files: &[FileDocument]) -> Self {
        let by_name = by_file_name(files);
        let mut named = Self::default();
        for mention in &task.paths {
            let (meant, shared) = meant(files, &by_name, &mention.path);
            let certainty = if shared >= 2 || meant.len() == 1 { 1.0 } else { 0.5 };
            for file in &meant {
                let share = certainty / meant.len() as f64;
                let known = named.files.entry(*file).or_default();
                *known = known.max(share);
            }
        }
        let (mut depth, mut file_depth) = (0, 0);
        // The innermost frame comes last.
        for mention in task.paths.iter().rev().filter(|mention| mention.is_frame) {
            let [file] = meant(files, &by_name, &mention.path).0[..] else { continue };
            if let Entry::Vacant(entry) = named.frames.entry(file) {
                entry.insert(weights::FRAME_DECAY.powi(file_depth));
                file_depth += 1;
            }
            if let Some(function) = &mention.function {
                let key = (file, function.clone());
                named.functions.entry(key).or_insert(weights::FRAME_DECAY.powi(depth));
            }
            depth += 1;
        }
        named
    }

    fn file(&self, file: usize) -> f64 {
        self.files.get(&file).copied().unwrap_or(0.0)
    }

    fn frame_of_file(&self, file: usize) -> f64 {
        self.frames.get(&file).copied().unwrap_or(0.0)
    }

    fn frame_of_place(&self, file: usize, name: &str) -> f64 {
        if self.functions.is_empty() {
            return 0.0;
        }
        self.functions.get(&(file, name.to_owned())).copied().unwrap_or(0.0)
    }
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

#[cfg(test)]
mod tests {
    use super::{
        FileDocument, PlaceDocument, RankedFiles, arranged, rank_files, rank_places, stem,
    };
    use crate::history::FileHistory;
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
                is_test: false,
            })
            .collect();
        let history = FileHistory::default();
        let (_, statistics) = rank_files(&task, &files, &history);
        let mut places = Vec::new();
        for (file, (_, text)) in FILES.iter().enumerate() {
            for line in text.lines() {
                let name = line.trim_start_matches("def ").split('(').next().unwrap().to_owned();
                let (words, messages) = (index.count(line.as_bytes()), holds(line));
                let calls = crate::task::calls(line.as_bytes()).into_iter().map(str::to_owned);
                places.push(PlaceDocument {
                    file,
                    name,
                    words,
                    messages,
                    calls: calls.collect(),
                    ..PlaceDocument::default()
                });
            }
        }
        let known = RankedFiles { files: &files, history: &history, statistics: &statistics };
        let ranked = rank_places(&task, known, &places).ranked;
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
    fn files_follow_the_first_places() {
        let places: Vec<PlaceDocument> = (0..24)
            .map(|number| PlaceDocument { file: number / 8, ..PlaceDocument::default() })
            .collect();
        let order = arranged(&(0..24).collect::<Vec<_>>(), &places, &[3.0, 2.0, 1.0]);
        let files: Vec<usize> = order.iter().map(|place| places[*place].file).collect();
        assert_eq!(files[..12], [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 1]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..24).collect::<Vec<_>>());
    }

    #[test]
    fn a_stem_is_a_path_without_its_extension() {
        assert_eq!(
            (stem("a.b/c.py"), stem("a.b/c"), stem("Makefile")),
            ("a.b/c", "a.b/c", "Makefile")
        );
    }
}
