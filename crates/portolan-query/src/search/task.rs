//! The places that a task in words is about.
//!
//! One pass counts the words of the task in every file of code; there is no index to build, and nothing to grow old.
//! Only the best files are parsed for their declarations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use memchr::memmem::Finder;
use portolan_guard::redact;
use portolan_languages::{Languages, is_program};
use portolan_ranking::{
    CommitScore, FileDocument, FileHistory, PlaceDocument, PlaceRanking, PlaceScore, RankedFile,
    RankedFiles, Task, TermCounts, TermIndex, calls, rank_commits, rank_files, rank_places,
};
use portolan_types::declarations::DeclarationKind;
use portolan_types::{RepoPath, Sha256Digest, escape_invisible};

use crate::answers::shown_path;
use portolan_vfs::System;
use portolan_wire::search::{SearchPlaceV1, SearchReportV1};
use rayon::prelude::*;

use super::documentation::Documentation;
use super::filter::FileFilter;
use super::kinds::FileClass;
use super::outline::{Outline, OutlineItem, is_running};
use super::sweep::{FileBytes, Visit, each_file, searched};
use super::text::quoted;
use super::{Judge, SearchContext, SearchError, SearchQuestionV1};
use crate::file_set::FileSet;
use portolan_index::token_counts::Tokenizer;
use portolan_workspace::CommitLog;
use portolan_workspace::config::Loaded;

/// The most places that are shown.
const SHOWN: usize = 10;
/// The most places in JSON.
const MOST_TOLD: usize = 40;
/// The most places that are kept for packs.
const MOST_KEPT: usize = 150;
/// The most files that are kept with all their declarations.
const MOST_PLACED: usize = 40;
/// How many of the best files are parsed.
const MOST_PARSED: usize = 100;
/// The most commits whose messages are read.
const MOST_COMMITS: usize = 3_000;
/// A commit that changed more files says nothing of one of them.
const MOST_CHANGED: usize = 60;
/// Larger files are data.
const LARGE: usize = 2 << 20;
/// The most tests that are named.
const MOST_TESTS: usize = 3;
/// The most tokens of the text, whatever the budget is.
const MOST_TOKENS: u64 = 400;
/// What the first line costs at most.
const HEAD_TOKENS: u64 = 60;
/// A value with at least this many lines is a place.
const LONG_VALUE: u32 = 3;
/// Functions inside a function of at least this many lines are places of their own.
const LONG_FUNCTION: u32 = 120;
/// A file of tests whose name has that of a place in it counts so much more.
const SAME_NAME: f64 = 0.5;

/// The places that a task is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacesReport {
    /// The places, best first.
    pub places: Vec<TaskPlace>,
    /// The tests that belong to them.
    pub tests: Vec<String>,
    /// The words that were looked for, the weightiest first.
    pub looked_for: Vec<String>,
    /// The files that were searched.
    pub searched: FileSet,
    /// The weight of each word of the task, in the order of its words.
    pub weights: Vec<f64>,
    /// The best files with all their declarations, for packs.
    pub files: Vec<PlacedFile>,
    /// Whether a pattern was asked for that matches nothing.
    pub is_instead: bool,
    /// The files of the places that are shown, with the digests of what was seen.
    pub seen: BTreeMap<String, Sha256Digest>,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPlace {
    /// Its file.
    pub path: String,
    /// Its first and last line.
    pub lines: (u32, u32),
    /// The full name of the declaration.
    pub name: String,
    /// What sort of declaration it is.
    pub kind: &'static str,
    /// The share of what the task names that it has, in per mille.
    pub evidence: u32,
    /// What brought it.
    pub why: Vec<String>,
}

/// A file that a task may be about.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedFile {
    /// Its path.
    pub path: String,
    /// Its score.
    pub score: f64,
    /// Its declarations, in the order of the text.
    pub places: Vec<PlacedDeclaration>,
}

/// A declaration of such a file.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedDeclaration {
    /// Its first and last line.
    pub lines: (u32, u32),
    /// Its full name.
    pub name: String,
    /// What sort of declaration it is.
    pub kind: &'static str,
    /// What speaks for it.
    pub score: PlaceScore,
    /// The first and last line of the documentation inside of it.
    pub documentation: Option<(u32, u32)>,
}

/// A file of code that was counted.
struct Counted {
    path: RepoPath,
    absolute: std::path::PathBuf,
    document: FileDocument,
}

/// Finds the places that a task is about. For threads with room for parsing.
pub fn search_task(
    context: SearchContext<'_>,
    request: &SearchQuestionV1,
    text: &str,
) -> Result<PlacesReport, SearchError> {
    let SearchContext { system, config, .. } = context;
    let task = Task::new(text);
    let filter = FileFilter::new(system, config, request)?;
    let index = TermIndex::new(&task);
    let messages: Vec<Finder<'_>> =
        task.messages.iter().map(|message| Finder::new(message.as_bytes())).collect();
    let takes = |path: &str| is_program(path) && filter.takes(path);
    let judge = Judge::new(context);
    let count = |path: &RepoPath, file: FileBytes| {
        // Also the order of the others would tell of its words.
        if judge.is_denied(path, &file) {
            return Ok(Visit::Denied);
        }
        let bytes = file.into_text();
        let is_read = bytes.len() <= LARGE;
        let code = if task.is_about_tests { bytes } else { without_tests(path.as_str(), bytes) };
        let words = if is_read { index.count(&code) } else { TermCounts::default() };
        let is_test = FileClass::of(path.as_str()) == FileClass::Test;
        Ok(Visit::Made(FileDocument { path: path.to_string(), words, is_test }))
    };
    let (files, commits) = rayon::join(
        || each_file(context, &takes, &count),
        || like_commits(system, config, &task, &index),
    );
    let files = files?.files;
    let searched = searched(&files);
    let (mut code, mut tests) = (Vec::new(), Vec::new());
    for (path, absolute, document) in files {
        let class = FileClass::of(path.as_str());
        let is_code = class == FileClass::Code
            || class == FileClass::Test && task.is_about_tests
            || class == FileClass::Document && task.is_about_documents;
        if is_code {
            code.push(Counted { path, absolute, document });
        } else if class == FileClass::Test {
            tests.push(document);
        }
    }
    let documents: Vec<FileDocument> = code.iter().map(|file| file.document.clone()).collect();
    let history = history_of(&documents, &commits);
    let (ranked, statistics) = rank_files(&task, &documents, &history);
    let reader = Reader { context, judge, task: &task, index, messages };
    let parsed = reader.parse(&code, &ranked);
    let places: Vec<PlaceDocument> = parsed.iter().map(|it| it.document.clone()).collect();
    let known = RankedFiles { files: &documents, history: &history, statistics: &statistics };
    let ranking = rank_places(&task, known, &places);
    let best = &ranking.ranked;
    let told = best.iter().take(MOST_KEPT).map(|ranked| {
        let ParsedFile { item, document, .. } = &parsed[ranked.place];
        let path = documents[document.file].path.clone();
        TaskPlace {
            kind: Languages::default().kind_word(&path, item.kind),
            path,
            lines: (item.first, item.last),
            name: item.name.clone(),
            evidence: per_mille(ranked.evidence),
            why: ranked.why.iter().map(|why| redact(why).into_owned()).collect(),
        }
    });
    let shown = best.iter().take(SHOWN).map(|ranked| &parsed[ranked.place]);
    let seen = shown.map(|it| (documents[it.document.file].path.clone(), it.sha256)).collect();
    let places: Vec<TaskPlace> = told.collect();
    Ok(PlacesReport {
        tests: tests_of(&task, &tests, &places),
        places,
        looked_for: task.heaviest(12).into_iter().map(str::to_owned).collect(),
        weights: statistics.word_weights(&task),
        files: placed_files(&documents, &ranked, &parsed, &ranking),
        searched,
        is_instead: false,
        seen,
    })
}

/// A text without the tests in it: their words are not those of the code beside them.
fn without_tests(path: &str, mut bytes: Vec<u8>) -> Vec<u8> {
    for (start, end) in Languages::default().inline_tests(path, &bytes).into_iter().rev() {
        bytes.drain(start..end.min(bytes.len()));
    }
    bytes
}

/// The best files with their declarations.
fn placed_files(
    documents: &[FileDocument],
    ranked: &[RankedFile],
    parsed: &[ParsedFile],
    ranking: &PlaceRanking,
) -> Vec<PlacedFile> {
    // A file that only exports what others declare has no declarations.
    let mut files: BTreeMap<usize, Vec<PlacedDeclaration>> =
        ranked.iter().take(MOST_PARSED).map(|ranked| (ranked.file, Vec::new())).collect();
    for (it, score) in parsed.iter().zip(&ranking.scores) {
        let path = &documents[it.document.file].path;
        files.entry(it.document.file).or_default().push(PlacedDeclaration {
            lines: (it.item.first, it.item.last),
            name: it.item.name.clone(),
            kind: Languages::default().kind_word(path, it.item.kind),
            score: *score,
            documentation: it.documentation,
        });
    }
    let score = |file: usize| ranking.files.get(file).copied().unwrap_or_default();
    let placed = files.into_iter().map(|(file, places)| PlacedFile {
        path: documents[file].path.clone(),
        score: score(file),
        places,
    });
    let mut placed: Vec<PlacedFile> = placed.collect();
    placed.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.path.cmp(&right.path))
    });
    placed.truncate(MOST_PLACED);
    placed
}

/// A share in per mille.
#[expect(clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
fn per_mille(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 1_000.0).round() as u32
}

/// Earlier commits whose messages are like a task, with the files that each changed.
fn like_commits(
    system: &dyn System,
    config: &Loaded,
    task: &Task,
    index: &TermIndex,
) -> Vec<(CommitScore, Vec<String>)> {
    let Some(log) = CommitLog::open(system, &config.root) else { return Vec::new() };
    let messages = log.messages(MOST_COMMITS);
    let counts: Vec<TermCounts> =
        messages.iter().map(|message| index.count(message.text.as_bytes())).collect();
    let ranked = rank_commits(task, &counts).into_iter();
    ranked.map(|score| (score, log.files(&messages[score.commit], MOST_CHANGED))).collect()
}

/// What commits say of some files.
fn history_of(files: &[FileDocument], commits: &[(CommitScore, Vec<String>)]) -> FileHistory {
    let numbers: BTreeMap<&str, usize> =
        files.iter().enumerate().map(|(number, file)| (file.path.as_str(), number)).collect();
    let mut history = FileHistory::default();
    for (score, changed) in commits {
        let files: Vec<usize> =
            changed.iter().filter_map(|path| numbers.get(path.as_str()).copied()).collect();
        history.add(score, &files);
    }
    history
}

/// The messages that stand in a text, by their numbers.
fn standing(messages: &[Finder<'_>], bytes: &[u8]) -> Vec<u16> {
    let each = (0u16..).zip(messages);
    each.filter(|(_, message)| message.find(bytes).is_some()).map(|(number, _)| number).collect()
}

/// A declaration of a file that was parsed.
struct ParsedFile {
    item: OutlineItem,
    document: PlaceDocument,
    sha256: Sha256Digest,
    /// The lines of the documentation inside of it.
    documentation: Option<(u32, u32)>,
}

struct Reader<'a> {
    context: SearchContext<'a>,
    judge: Judge<'a>,
    task: &'a Task,
    index: TermIndex,
    messages: Vec<Finder<'a>>,
}

impl Reader<'_> {
    /// The declarations of the best files, in the order of the files.
    fn parse(&self, files: &[Counted], ranked: &[RankedFile]) -> Vec<ParsedFile> {
        let best: Vec<usize> = ranked.iter().take(MOST_PARSED).map(|ranked| ranked.file).collect();
        let each: Vec<Vec<ParsedFile>> =
            best.par_iter().map(|file| self.places(*file, &files[*file])).collect();
        each.into_iter().flatten().collect()
    }

    fn places(&self, number: usize, file: &Counted) -> Vec<ParsedFile> {
        let read = self.context.system.read_real(&file.absolute, LARGE);
        let Ok(read) = read.map(FileBytes::new) else { return Vec::new() };
        // What may hold secrets is not shown, not even by its names.
        if self.judge.is_denied(&file.path, &read) {
            return Vec::new();
        }
        let sha256 = read.digest();
        let bytes = read.into_text();
        let outline = Outline::kept(self.context, (&file.path, &sha256), &bytes);
        let positions = self.index.positions(&bytes);
        let items = outline.items();
        let documentation = Documentation::new(file.path.as_str(), &bytes);
        let tests = if self.task.is_about_tests {
            Vec::new()
        } else {
            Languages::default().inline_tests(file.path.as_str(), &bytes)
        };
        let is_code = |item: &&OutlineItem| {
            let at = item.name_at.start as usize;
            !tests.iter().any(|(start, end)| *start <= at && at < *end)
        };
        let code = || items.iter().filter(is_code);
        let mut chosen: Vec<&OutlineItem> = code().filter(|item| is_place(item, items)).collect();
        // A short file may be one function in one line.
        if chosen.is_empty() {
            chosen = code().filter(|item| !item.is_local).collect();
        }
        let places = chosen.into_iter().map(|item| {
            let (start, end) = (item.span.start, item.span.end);
            let text = bytes.get(start as usize..end as usize).unwrap_or_default();
            let is_named = self.task.named.contains(&item.own);
            let called = if is_named { calls(text) } else { BTreeSet::new() };
            let document = PlaceDocument {
                file: number,
                name: item.name.clone(),
                words: positions.within(start, end),
                documentation: documentation.words(item, &positions),
                calls: called.into_iter().map(str::to_owned).collect(),
                messages: standing(&self.messages, text),
                is_value: !is_running(item.kind),
            };
            let inside = documentation.inside(item);
            let lines = inside.map(|(start, end)| outline.lines_of(start, end));
            ParsedFile { item: item.clone(), document, sha256, documentation: lines }
        });
        places.collect()
    }
}

/// Whether a declaration is a place by itself: code that runs, or what holds none. What is inside of code that runs is
/// one only where that is long.
fn is_place(item: &OutlineItem, items: &[OutlineItem]) -> bool {
    use DeclarationKind as Kind;
    let holds = |outer: &OutlineItem, inner: &OutlineItem| {
        outer.span.start <= inner.span.start && inner.span.end <= outer.span.end
    };
    if item.is_local {
        let around = items.iter().filter(|other| is_running(other.kind) && !other.is_local);
        let mut around = around.filter(|other| holds(other, item));
        return is_running(item.kind)
            && around.all(|outer| outer.last - outer.first >= LONG_FUNCTION);
    }
    match item.kind {
        kind if is_running(kind) => true,
        Kind::Variable | Kind::Property | Kind::Default | Kind::Statement => {
            item.last - item.first + 1 >= LONG_VALUE
        }
        Kind::Class | Kind::Interface | Kind::Type | Kind::Enum => {
            !items.iter().any(|other| is_running(other.kind) && holds(item, other))
        }
        _ => false,
    }
}

/// The files of tests that belong to some places: by their words, and by their names.
fn tests_of(task: &Task, tests: &[FileDocument], places: &[TaskPlace]) -> Vec<String> {
    if tests.is_empty() || places.is_empty() {
        return Vec::new();
    }
    let (mut ranked, _) = rank_files(task, tests, &FileHistory::default());
    let stems: Vec<&str> = places.iter().take(SHOWN).map(|place| stem(&place.path)).collect();
    for ranked in &mut ranked {
        let own = stem(&tests[ranked.file].path);
        let is_same = |stem: &&str| stem.len() > 2 && own.contains(*stem);
        if stems.iter().any(is_same) {
            ranked.score += SAME_NAME;
        }
    }
    ranked.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.file.cmp(&right.file))
    });
    ranked.into_iter().take(MOST_TESTS).map(|ranked| tests[ranked.file].path.clone()).collect()
}

/// The name of a file without its extensions.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

impl PlacesReport {
    /// The first line.
    pub fn head(&self) -> String {
        if self.places.is_empty() {
            let words = self.looked_for.join(" ");
            return format!(
                "nothing distinctive matches in {} files of code; looked for: {words}",
                self.searched.count
            );
        }
        let shown = self.places.len().min(SHOWN);
        let noun = if shown == 1 { "place" } else { "places" };
        let instead = if self.is_instead { "no line matches; read as a task: " } else { "" };
        format!("{instead}{shown} {noun}, best first, of {} files of code", self.searched.count)
    }

    /// A line for each place, then the tests; within so many tokens.
    pub fn body(&self, room: u64) -> String {
        let room = room.min(MOST_TOKENS - HEAD_TOKENS);
        let fits =
            |text: &str| Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default() <= room;
        // Reasons go first, then places from the end.
        for (places, reasons) in
            [(SHOWN, 3), (SHOWN, 2), (SHOWN, 1), (SHOWN, 0), (8, 0), (6, 0), (4, 0), (2, 0), (1, 0)]
        {
            let text = self.listed(places, reasons);
            if fits(&text) {
                return text;
            }
        }
        String::new()
    }

    fn listed(&self, places: usize, reasons: usize) -> String {
        let mut text = String::new();
        for place in self.places.iter().take(places) {
            let (first, last) = place.lines;
            let _ = write!(
                text,
                "{}:{first}-{last} {}",
                shown_path(&place.path),
                escape_invisible(&place.name)
            );
            let why: Vec<&str> = place.why.iter().take(reasons).map(String::as_str).collect();
            if !why.is_empty() {
                let _ = write!(text, " ({})", escape_invisible(&why.join(", ")));
            }
            text.push('\n');
        }
        if !self.tests.is_empty() {
            let _ = writeln!(text, "tests: {}", self.tests.join(", "));
        }
        if let Some(best) = self.places.first() {
            let target = format!("{}#{}", best.path, best.name);
            let _ = writeln!(text, "next: portolan read {}", quoted(&target));
        }
        text
    }

    /// The report for machines.
    pub fn to_wire(&self) -> SearchReportV1 {
        SearchReportV1 {
            v: 1,
            searched: self.searched.count as u64,
            places: self.places.iter().take(MOST_TOLD).map(TaskPlace::to_wire).collect(),
            tests: self.tests.clone(),
            ..SearchReportV1::default()
        }
    }
}

impl TaskPlace {
    /// The place for machines.
    pub(super) fn to_wire(&self) -> SearchPlaceV1 {
        SearchPlaceV1 {
            path: self.path.clone(),
            lines: self.lines.into(),
            name: self.name.clone(),
            kind: self.kind,
            why: self.why.clone(),
        }
    }
}
