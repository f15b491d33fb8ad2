//! What a task is likely to change: passages of the likeliest files, by what each is `score_passages` a token.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::pack::context::{
    SliceCandidate as Piece, SliceDecl as Declared, SliceRole as Role, SourceFile,
};
use portolan_languages::{declared_names, is_import_statement};
use portolan_ranking::interest::words::{compounds, words};
use portolan_ranking::interest::{
    EditRanking, EditTask, FileCandidate, Passage, PassageCandidate, PassageContext, PassageScore,
    PassageWeights, RankingReason, choose, score_passages,
};
use portolan_symbols::text::{TextBlock as Block, blocks};
use rayon::prelude::*;

use super::{Gather, base_name, is_test};
use crate::pack::code_index::Item;

/// So many files are looked into.
const FILES: usize = 60;
/// What the heading of a file costs a reader beside its path: reasons, a fence, and to look at one more file.
const HEADING: f64 = 40.0;
/// After so many tokens the next declaration's uses are shown.
const BETWEEN: u64 = 1_000;
/// What the first declarations use is shown too: of so many, and so many of each.
const USERS: usize = 8;
const USES: usize = 4;
/// Of what is shown whole among the first so many tokens no head is shown before.
const SOON: u64 = 8_000;
/// Names that a passage declares, as far as they count.
const NAMES: usize = 6;
/// A statement among imports that is none does not end them.
const GAP: usize = 2;

/// A file that may be changed: its number, why, and its text.
type LikelyFile = (u32, RankingReason, Rc<SourceFile>);

/// A passage of a file.
struct Unit {
    file: usize,
    block: Block,
    score_passages: PassageScore,
    tokens: u64,
    is_head: bool,
    is_named: bool,
    name: Option<String>,
}

impl Unit {
    fn offer(&self) -> PassageCandidate {
        let tokens = f64::from(u32::try_from(self.tokens).unwrap_or(u32::MAX));
        let is_telling = self.is_named || (!self.is_head && !self.score_passages.words.is_empty());
        PassageCandidate { chance: self.score_passages.chance, tokens, is_telling }
    }
}

/// The first passages: of these no head is shown before.
fn soon(units: &[Unit]) -> &[Unit] {
    let mut spent = 0;
    let count = units.iter().take_while(|unit| {
        spent += unit.tokens;
        spent <= SOON
    });
    &units[..count.count()]
}

/// The passages of files, in the order in which they are taken into a pack.
fn chosen(mut units: Vec<Vec<Unit>>, path: impl Fn(usize) -> usize) -> Vec<Unit> {
    let code_index = |(file, units): (usize, &Vec<Unit>)| FileCandidate {
        heading: HEADING + f64::from(u32::try_from(path(file)).unwrap_or(u32::MAX)) / 4.0,
        offers: units.iter().map(Unit::offer).collect(),
    };
    let order = choose(&units.iter().enumerate().map(code_index).collect::<Vec<_>>());
    let mut units: Vec<Vec<Option<Unit>>> =
        units.iter_mut().map(|units| units.drain(..).map(Some).collect()).collect();
    order.into_iter().filter_map(|(file, at)| units.get_mut(file)?.get_mut(at)?.take()).collect()
}

/// What is known of a passage of a file, to fit weights by.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its lines.
    pub lines: (u32, u32),
    /// What it costs.
    pub tokens: u64,
    /// What it declares first.
    pub name: Option<String>,
    /// How likely it is to be changed.
    pub chance: f64,
    /// What each signal says.
    pub signals: Vec<f64>,
}

/// What is known of the passages of a file.
pub fn samples(
    text: &str,
    standing: &PassageContext,
    found: &EditRanking,
    weights: &PassageWeights,
) -> Vec<Sample> {
    let score_passages =
        |passages: &[Passage<'_>]| score_passages(passages, &found.words, standing, weights);
    let units = units_of(0, text, &found.identifiers, score_passages);
    let sample = |unit: Unit| Sample {
        lines: (unit.block.first, unit.block.last),
        tokens: unit.tokens,
        name: unit.name,
        chance: unit.score_passages.chance,
        signals: unit.score_passages.signals,
    };
    units.into_iter().map(sample).collect()
}

impl Gather<'_, '_> {
    /// Adds what a task is likely to change, and what that uses.
    pub(super) fn task(&mut self, task: &str, budget: u64) {
        let map = self.inputs.ranking.map();
        let asked: BTreeSet<u32> =
            self.pieces.iter().filter_map(|piece| map.place_of(&piece.file)).collect();
        let asked: Vec<u32> = asked.into_iter().collect();
        let task_pack = EditTask { task, asked: &asked, commits: self.inputs.commits };
        let found = self.inputs.ranking.rank_edits(&task_pack, &self.inputs.tuning.files, FILES);
        let path = |at: u32| map.universe[at as usize].path.as_str();
        let standings = found.standings(|at| is_test(path(at)));
        let (files, standings): (Vec<LikelyFile>, Vec<PassageContext>) = found
            .order
            .iter()
            .zip(&found.because)
            .zip(standings)
            .filter_map(|((at, because), standing)| {
                Some(((*at, *because, self.texts.get(path(*at))?), standing))
            })
            .unzip();
        let texts: Vec<(&str, PassageContext)> =
            files.iter().map(|(.., source)| source.text.as_str()).zip(standings).collect();
        let weights = &self.inputs.tuning.passages;
        let units: Vec<Vec<Unit>> = texts
            .par_iter()
            .enumerate()
            .map(|(at, (text, standing))| {
                units_of(at, text, &found.identifiers, |passages| {
                    score_passages(passages, &found.words, standing, weights)
                })
            })
            .collect();
        let units = chosen(units, |file| path(files[file].0).len());
        let known = self.pieces.iter().filter(|piece| piece.role == Role::Edit);
        self.order = known.map(|piece| piece.file.clone()).collect();
        // Whoever has a task reads what it says, then the code, then its tests.
        let mut order: Vec<&LikelyFile> = files.iter().collect();
        order.sort_by_key(|(at, because, _)| {
            let is_said = *because == RankingReason::Path;
            (!is_said, !is_said && is_test(path(*at)))
        });
        self.order.extend(order.iter().map(|(at, ..)| path(*at).to_owned()));
        let told = Told::new(task, &found, &units, files.len());
        self.push_units(&units, &files, &told, budget);
    }

    /// Adds passages, and after some of them what their declarations use.
    fn push_units(&mut self, units: &[Unit], files: &[LikelyFile], told: &Told<'_>, budget: u64) {
        let map = self.inputs.ranking.map();
        let path = |at: u32| map.universe[at as usize].path.as_str();
        let soon = soon(units);
        let is_soon = |piece: &Piece| {
            let is_in = |unit: &Unit| {
                let (first, last) = (unit.block.first, unit.block.last);
                piece.file == path(files[unit.file].0)
                    && piece.ranges.iter().any(|range| range.0 <= last && first <= range.1)
            };
            soon.iter().any(is_in)
        };
        let mut spent = 0;
        let mut seen: BTreeSet<(String, u32)> = BTreeSet::new();
        for unit in units {
            let (at, because, _) = &files[unit.file];
            let file = path(*at);
            let why = told.why(unit, *because, path, is_test(file));
            // Names are for what may be shown, and for the first that are not.
            let is_named = spent <= budget + budget / 4 && !unit.is_head;
            let line = unit.block.first + unit.lead(files);
            let item = is_named.then(|| self.code.around(file, line, None)).flatten();
            self.push_unit(unit, file, why, item.as_ref());
            // What a test uses is known from what it tests.
            let is_next = seen.len() < USERS && spent >= BETWEEN * seen.len() as u64;
            if let Some(item) = item.filter(|_| is_next && !is_test(file))
                && seen.insert((item.file.clone(), item.decl.lines.0))
            {
                let before = self.pieces.len();
                self.uses(&[(item.file, item.decl.lines.0)]);
                let uses = self.pieces.split_off(before);
                self.pieces.extend(uses.into_iter().filter(|piece| !is_soon(piece)));
            }
            spent += unit.tokens;
        }
    }

    fn push_unit(&mut self, unit: &Unit, file: &str, why: Vec<String>, item: Option<&Item>) {
        let lines = (unit.block.first, unit.block.last);
        let lexical = || {
            let name = unit.name.clone()?;
            Some(Declared { kind: "declaration".to_owned(), name, lines })
        };
        let decl = item.map(|item| item.decl.clone()).or_else(lexical);
        let (role, file) = (Role::Edit, file.to_owned());
        self.pieces.push(Piece { role, why, file, decl, ranges: vec![lines] });
    }

    /// What some declarations use, as heads.
    pub(super) fn uses(&mut self, declarations: &[(String, u32)]) {
        for (file, line) in declarations.iter().take(USERS) {
            let Some(user) = self.code.around(file, *line, None) else { continue };
            // A statement has no name of its own.
            let why = match user.decl.name.as_str() {
                "" => format!("used by {}", base_name(file)),
                name => format!("used by `{name}`"),
            };
            let needs = self.code.needs(file, *line, 1);
            let others = needs.into_iter().filter(|(_, item)| {
                self.inputs.ranking.map().place_of(&item.file).is_some()
                    && self.texts.get(&item.file).is_some()
            });
            let pieces = others.take(USES).map(|(_, item)| Piece {
                role: Role::Uses,
                why: vec![why.clone()],
                file: item.file,
                decl: Some(item.decl),
                ranges: item.ranges,
            });
            self.pieces.extend(pieces);
        }
    }
}

impl Unit {
    /// How many lines of comments and the like stand before what it declares.
    fn lead(&self, files: &[(u32, RankingReason, Rc<SourceFile>)]) -> u32 {
        let text = &files[self.file].2.text;
        let (first, last) = (self.block.first as usize, self.block.last as usize);
        let lines = text.lines().skip(first - 1).take(last + 1 - first);
        let is_code = |line: &str| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with(['/', '*', '#', '@'])
        };
        lines.zip(0u32..).find(|(line, _)| is_code(line)).map_or(0, |(_, at)| at)
    }
}

/// The passages of a file with what they are `score_passages`.
fn units_of(
    file: usize,
    text: &str,
    named: &[String],
    score_passages: impl FnOnce(&[Passage<'_>]) -> Vec<PassageScore>,
) -> Vec<Unit> {
    let lines = portolan_symbols::text::LineStarts::new(text);
    let slice = |block: &Block| {
        let (from, to) = (lines.span(block.first).start, lines.span(block.last).end);
        text.get(from as usize..to as usize).unwrap_or_default()
    };
    let mut found = blocks(text);
    let mut last_import = None;
    for (at, block) in found.iter().enumerate() {
        if at > last_import.map_or(0, |last: usize| last + 1) + GAP || !block.is_whole {
            break;
        }
        if is_import_statement(slice(block)) {
            last_import = Some(at);
        }
    }
    if let Some(last) = last_import {
        let head = Block { first: found[0].first, last: found[last].last, is_whole: true };
        found.splice(0..=last, [head]);
    }
    let passage = |(at, block): (usize, &Block)| {
        let names: Vec<&str> =
            declared_names(slice(block)).map(|one| one.name).take(NAMES).collect();
        let is_named = |name: &&str| named.binary_search_by(|it| it.as_str().cmp(name)).is_ok();
        Passage {
            text: slice(block),
            lines: block.last + 1 - block.first,
            is_named: names.first().is_some_and(is_named),
            names,
            is_head: at == 0 && last_import.is_some(),
        }
    };
    let passages: Vec<Passage<'_>> = found.iter().enumerate().map(passage).collect();
    let worths = score_passages(&passages);
    let each = found.iter().zip(&passages).zip(worths);
    each.map(|((block, passage), score_passages)| Unit {
        file,
        block: *block,
        score_passages,
        tokens: passage.text.len() as u64 * 10 / 36 + u64::from(passage.lines) / 4,
        is_head: passage.is_head,
        is_named: passage.is_named,
        name: passage.names.first().map(|name| (*name).to_owned()),
    })
    .collect()
}

/// The reasons of pieces, in words.
struct Told<'a> {
    found: &'a EditRanking,
    /// Of each file the words of the passage that has most.
    of_files: Vec<Vec<u32>>,
    /// The words of the task as it writes them.
    written: BTreeMap<String, String>,
}

impl<'a> Told<'a> {
    fn new(task: &str, found: &'a EditRanking, units: &[Unit], files: usize) -> Self {
        let mut of_files: Vec<Vec<u32>> = vec![Vec::new(); files];
        for unit in units {
            let known = &mut of_files[unit.file];
            if unit.score_passages.words.len() > known.len() {
                known.clone_from(&unit.score_passages.words);
            }
        }
        let mut written = BTreeMap::new();
        for compound in compounds(task) {
            words(compound, |word| {
                written.entry(word.to_owned()).or_insert_with(|| compound.to_owned());
            });
        }
        Self { found, of_files, written }
    }

    fn why(
        &self,
        unit: &Unit,
        because: RankingReason,
        path: impl Fn(u32) -> &'a str,
        is_test: bool,
    ) -> Vec<String> {
        let name = |at: u32| base_name(path(at));
        let near = match because {
            RankingReason::Words => None,
            RankingReason::Path => Some("its path is in the task".to_owned()),
            RankingReason::Asked => Some("in a file that was asked for".to_owned()),
            RankingReason::UsedBy(at) => Some(format!("used by {}", name(at))),
            RankingReason::Uses(at) => Some(format!("uses {}", name(at))),
            RankingReason::Twin(at) if is_test => Some(format!("test of {}", name(at))),
            RankingReason::Twin(at) => Some(format!("tested by {}", name(at))),
            RankingReason::Together(at) => Some(format!("changes together with {}", name(at))),
        };
        let is_named = unit.name.as_ref().filter(|name| self.found.identifiers.contains(name));
        let own = match is_named {
            Some(name) => Some(format!("`{name}` is named in the task")),
            None if unit.is_head => Some("head of the file".to_owned()),
            None => self.words(&unit.score_passages.words),
        };
        let mut reasons: Vec<String> = near.into_iter().chain(own).collect();
        if reasons.is_empty() {
            let of_file = self.words(&self.of_files[unit.file]);
            let of_file = of_file.map(|words| format!("beside what {words}"));
            reasons.push(of_file.unwrap_or_else(|| "beside what is likely".to_owned()));
        }
        reasons
    }

    fn words(&self, places: &[u32]) -> Option<String> {
        let (mut told, mut joined): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for at in places {
            let (word, _) = self.found.words.get(*at as usize)?;
            match self.written.get(word).map(String::as_str) {
                Some(word) if !told.contains(&word) => told.push(word),
                Some(_) => {}
                None => joined.push(word),
            }
        }
        // Two words of the task that code writes as one are told by each of them, or else as one.
        if told.is_empty() {
            told = joined;
        }
        (!told.is_empty()).then(|| format!("has {}", told.join(", ")))
    }
}
