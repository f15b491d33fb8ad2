//! The code of a pack: around the focus, what it needs, what is named, and what changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::pack::context::{
    Changed, ContextParts, SliceCandidate as Piece, SliceRole as Role, Suspect,
};
use portolan_diagnostics::environment::is_environment;
use portolan_diagnostics::focus::{is_test, names_in};
use portolan_diagnostics::locations::{Diagnostic, SourceLocation};
use portolan_types::Notice;
use portolan_vfs::System;

use super::base::Since;
use super::code_index::{Code, Item, with_code};
use super::spectrum::{SuspectedFunction, run_by_failing_tests};
use super::texts::{Texts, has_word};
use super::windows::{lines_piece, windows};
use super::{is_installed, is_known};
use portolan_index::map::{MapError, MapReport};
use portolan_index::symbols::DeclarationStore;
use portolan_workspace::config::Loaded;

/// How far what the focus needs is followed.
const HOPS: u8 = 3;
/// How many errors are asked what they need, to find what they share.
const ASKED: usize = 16;
/// How many changed declarations are shown.
const MOST_CHANGED: usize = 12;
/// How many bodies of what failing code runs are looked at, how far away, and how long they are at most, in lines.
const MOST_BODIES: usize = 60;
const DEEPEST: u8 = 3;
const LONG_BODY: u32 = 90;
/// Of a longer class the members that are run are bodies of their own.
const LONG_CLASS: u32 = 30;

/// How many of these are shown whole, and how many heads of what they need.
const MOST_SHOWN_BODIES: usize = 4;
const MOST_BODIES_BESIDE_STACK: usize = 2;
const MOST_BODIES_BESIDE_SUSPECTS: usize = 1;
const MOST_RUN_HEADS: usize = 8;
/// The most frames of a stack that are read.
const MOST_FRAMES: usize = 12;
/// The most frames that are shown, each with its line of code; the last is that of the test.
const MOST_SHOWN_FRAMES: usize = 6;
/// Of a caller that is too long to be shown whole, so many lines on either side of the call are.
const NEAR_CALL: u32 = 6;
/// Of a longer declaration that changed, the lines around the changes are shown, so many on either side.
const LONG_SUSPECT: u32 = 40;
const NEAR_CHANGE: u32 = 6;
/// Of a function that is too long to be shown whole, so many lines that have names of the failing test, and so many beside each.
const MOST_NAMING: usize = 4;
const NEAR_NAME: u32 = 3;

/// Fills in the code.
pub(super) fn fill(
    system: &dyn System,
    config: &Loaded,
    map: &MapReport,
    store: &DeclarationStore,
    parts: ContextParts,
    since: Option<Since>,
    notices: &mut Vec<Notice>,
) -> Result<ContextParts, MapError> {
    let root = config.root.as_path();
    let guard = config.settings.secrets.guard();
    let (parts, told) = with_code(system, config, map, store, move |code| {
        let texts = Texts::new(system, root, guard);
        let mut gather = Gather { code, texts: &texts, map, parts, since: since.as_ref() };
        gather.all();
        let mut parts = gather.parts;
        let (sources, told) = texts.into_parts();
        let ending = |path: &String| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let shown = parts.windows.iter().chain(&parts.pieces).map(|piece| &piece.file);
        parts.languages = shown.filter_map(ending).collect();
        parts.sources = sources;
        (parts, told)
    })?;
    notices.extend(told);
    Ok(parts)
}

struct Gather<'a, 'c> {
    code: &'a dyn Code,
    texts: &'a Texts<'c>,
    map: &'a MapReport,
    parts: ContextParts,
    since: Option<&'a Since>,
}

impl Gather<'_, '_> {
    fn all(&mut self) {
        let Some(diagnostic) =
            self.parts.focus.and_then(|at| self.parts.merged.diagnostics.get(at)).cloned()
        else {
            return;
        };
        self.focus(&diagnostic);
        if is_environment(&diagnostic) {
            // No change of the code repairs it: the line is enough.
            self.parts.windows.drain(..self.parts.windows.len().saturating_sub(1));
            return;
        }
        self.changes();
        let is_run = diagnostic.is_runtime_failure();
        if is_run {
            self.callers(&diagnostic);
        }
        let has_stack = is_run && self.frames(&diagnostic);
        if !has_stack {
            self.related(&diagnostic);
        }
        let needs = self.needs_of(&diagnostic, HOPS);
        self.named(&diagnostic, &needs);
        let stack = if is_run { self.stack(&diagnostic) } else { Vec::new() };
        // Where the stack leads to code of the repository, it says what ran, and the failing tests what else may have.
        let reached = if is_run { self.run_by_tests(&diagnostic) } else { Vec::new() };
        let is_by_tests = stack.is_empty() && !reached.is_empty();
        let run =
            if is_run && !is_by_tests { self.run_by(&diagnostic, &needs) } else { Vec::new() };
        let on_path: Vec<&Item> =
            stack.iter().chain(&run).chain(reached.iter().map(|it| &it.item)).collect();
        let is_explained = self.changed(&on_path, is_run);
        self.suspects(&stack);
        let most = match (is_explained, stack.is_empty()) {
            (true, _) => MOST_BODIES_BESIDE_SUSPECTS,
            (false, true) => MOST_SHOWN_BODIES,
            (false, false) => MOST_BODIES_BESIDE_STACK,
        };
        let suspects = self.parts.pieces.iter().filter(|piece| piece.role == Role::Suspect);
        let suspects: BTreeSet<(String, Option<(u32, u32)>)> = suspects
            .map(|piece| (piece.file.clone(), piece.decl.as_ref().map(|decl| decl.lines)))
            .collect();
        let is_shown = |item: &Item| suspects.contains(&(item.file.clone(), Some(item.decl.lines)));
        let by_tests = reached.into_iter().filter(|_| is_by_tests);
        let by_tests = by_tests.filter(|it| !is_shown(&it.item)).take(most);
        let by_tests: Vec<Item> =
            by_tests.map(|it| self.with_lines_naming(it.item, &it.names)).collect();
        let run = run.into_iter().filter(|item| !is_shown(item)).take(most);
        for item in run.chain(by_tests).collect::<Vec<_>>() {
            let ranges = item.whole.clone();
            self.push(Role::Body, "run by what failed".to_owned(), Item { ranges, ..item });
        }
        // The bodies of running code show its needs. The helpers of a test rarely are the fault.
        let most = match (is_run, stack.is_empty()) {
            (false, _) => usize::MAX,
            (true, true) => MOST_RUN_HEADS,
            (true, false) => 0,
        };
        let is_wanted = |(hop, item): &(u8, Item)| !is_run || *hop == 1 && !is_test(&item.file);
        for (hop, item) in needs.into_iter().filter(is_wanted).take(most) {
            let role = match hop {
                1 => Role::Hop1,
                2 => Role::Hop2,
                _ => Role::Hop3,
            };
            self.push(role, format!("needed ({hop} away)"), item);
        }
        self.parts.pieces.sort_by_key(|piece| piece.role);
    }

    /// The place of a diagnostic that is a file here: its own, or the first related one.
    fn place(&self, diagnostic: &Diagnostic) -> Option<(String, u32, Option<u32>)> {
        let own = diagnostic.place.iter().chain(&diagnostic.related);
        own.filter(|place| is_known(self.map, &place.file))
            .map(|place| (place.file.clone(), place.line.unwrap_or(1), place.col))
            .next()
    }

    fn focus(&mut self, diagnostic: &Diagnostic) {
        let Some((file, line, _)) = self.place(diagnostic) else { return };
        let Some(source) = self.texts.get(&file) else { return };
        let text = source.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let col = diagnostic.utf16_col(text);
        self.parts.focus_col = col;
        let around = self.code.around(&file, line, col);
        let around = around.map(|item| {
            let whole = without_frame(item.whole, item.decl.lines);
            (item.decl, whole)
        });
        self.parts.windows = windows(&file, &source.text, line, around);
    }

    fn related(&mut self, diagnostic: &Diagnostic) {
        for place in
            diagnostic.related.iter().filter(|place| is_known(self.map, &place.file)).take(8)
        {
            let Some(line) = place.line else { continue };
            let why =
                if place.message.is_empty() { "related".to_owned() } else { place.message.clone() };
            match self.code.head_at(&place.file, line) {
                Some(item) => self.push(Role::Related, why, item),
                None => self.push_lines(Role::Related, why, &place.file, line),
            }
        }
    }

    /// Makes the places of a stack tell their lines of code: each function once, the innermost first, and the test last.
    /// Returns whether there is such a stack; its frames need no excerpts then.
    fn frames(&mut self, diagnostic: &Diagnostic) -> bool {
        let Some(at) = self.parts.focus else { return false };
        let mut seen: BTreeSet<(String, (u32, u32))> = BTreeSet::new();
        let mut shown: Vec<SourceLocation> = Vec::new();
        for place in diagnostic.place.iter().chain(&diagnostic.related) {
            let row = place.line.unwrap_or_default();
            let around = self.code.around(&place.file, row, place.col);
            let lines = around.map_or((row, row), |item| item.decl.lines);
            if seen.insert((place.file.clone(), lines)) && Some(place) != diagnostic.place.as_ref()
            {
                shown.push(place.clone());
            }
        }
        if !shown.iter().any(|it| is_known(self.map, &it.file)) {
            return false;
        }
        if shown.len() > MOST_SHOWN_FRAMES {
            let test = shown.iter().rposition(|it| is_test(&it.file));
            let test = test.filter(|at| *at >= MOST_SHOWN_FRAMES).map(|at| shown[at].clone());
            shown.truncate(MOST_SHOWN_FRAMES - usize::from(test.is_some()));
            shown.extend(test);
        }
        for place in shown.iter_mut().filter(|it| is_known(self.map, &it.file)) {
            let Some(source) = self.texts.get(&place.file) else { continue };
            let row = place.line.unwrap_or_default().saturating_sub(1) as usize;
            let text = source.text.lines().nth(row).unwrap_or_default().trim();
            let sign = if place.message.is_empty() || text.is_empty() { "" } else { ": " };
            place.message = format!("{}{sign}{text}", place.message);
        }
        if let Some(focused) = self.parts.merged.diagnostics.get_mut(at) {
            focused.related = shown;
        }
        true
    }

    fn needs_of(&self, diagnostic: &Diagnostic, hops: u8) -> Vec<(u8, Item)> {
        let Some((file, line, _)) = self.place(diagnostic) else { return Vec::new() };
        self.code.needs(&file, line, hops)
    }

    /// What the message names: whole, since what is missing shows only there.
    fn named(&mut self, diagnostic: &Diagnostic, needs: &[(u8, Item)]) {
        let Some((file, ..)) = self.place(diagnostic) else { return };
        let names = names_in(diagnostic);
        let mut unresolved = Vec::new();
        for name in &names {
            let near: Vec<Item> = needs
                .iter()
                .filter(|(_, item)| item.decl.name == *name)
                .map(|(_, item)| item.clone())
                .collect();
            let found = if near.is_empty() { self.code.named(name, &file) } else { near };
            let found: Vec<Item> =
                found.into_iter().map(|item| self.code.with_members_like(item, &names)).collect();
            if found.is_empty() && self.code.knows(&file) {
                unresolved.push(name.clone());
            }
            for item in found.into_iter().take(3) {
                let ranges = item.named.clone();
                self.push(
                    Role::Named,
                    format!("`{name}` is in the message"),
                    Item { ranges, ..item },
                );
            }
        }
        self.parts.unresolved = unresolved;
    }

    /// The declarations that were running when a failure was raised, the innermost first; without tests.
    fn stack(&self, diagnostic: &Diagnostic) -> Vec<Item> {
        let frames = diagnostic.place.iter().chain(&diagnostic.related);
        let mut stack: Vec<Item> = Vec::new();
        for place in frames.filter(|place| is_known(self.map, &place.file)).take(MOST_FRAMES) {
            let around = place.line.and_then(|line| self.code.around(&place.file, line, place.col));
            let Some(item) = around.filter(|_| !is_test(&place.file)) else { continue };
            if !stack.iter().any(|known| is_same(known, &item)) {
                stack.push(item);
            }
        }
        stack
    }

    /// The caller of what raised: the next frame of the repository outwards, whole if it is not too long.
    fn callers(&mut self, diagnostic: &Diagnostic) {
        let Some(place) = diagnostic.place.as_ref().filter(|place| !is_test(&place.file)) else {
            return;
        };
        let around = |file: &str, line: Option<u32>| self.code.around(file, line?, None);
        let own = around(&place.file, place.line);
        let outwards = diagnostic.related.iter().filter(|it| is_known(self.map, &it.file));
        let mut callers = outwards.filter_map(|it| Some((it.line?, around(&it.file, it.line)?)));
        let is_other = |item: &Item| !own.as_ref().is_some_and(|own| is_same(own, item));
        let caller = callers.find(|(_, item)| is_other(item));
        if let Some((line, item)) = caller {
            let (first, last) = item.decl.lines;
            let near = (line.saturating_sub(NEAR_CALL).max(first), (line + NEAR_CALL).min(last));
            let is_long = lines_of(&item.whole) > LONG_BODY;
            let ranges = if is_long { vec![(first, first), near] } else { item.whole.clone() };
            self.push(Role::Related, "calls it".to_owned(), Item { ranges, ..item });
        }
    }

    /// What failing tests run, the likeliest fault first.
    fn run_by_tests(&self, diagnostic: &Diagnostic) -> Vec<SuspectedFunction> {
        let all = self.parts.merged.diagnostics.iter().enumerate();
        let others =
            all.filter(|(at, it)| Some(*at) != self.parts.focus && it.is_runtime_failure());
        let others = others.map(|(_, it)| it);
        let failures: Vec<&Diagnostic> = std::iter::once(diagnostic).chain(others).collect();
        let is_code = |it: &Item| is_known(self.map, &it.file) && !is_test(&it.file);
        run_by_failing_tests(self.code, self.texts, &failures, &is_code)
    }

    /// A declaration that is too long to be shown, as its head and the lines that have some names.
    fn with_lines_naming(&self, item: Item, names: &[String]) -> Item {
        let (first, last) = item.decl.lines;
        let source = self.texts.get(&item.file).filter(|_| lines_of(&item.whole) > LONG_BODY);
        let Some(source) = source else { return item };
        let inside = (first..=last).zip(source.text.lines().skip(first.saturating_sub(1) as usize));
        let naming = inside.skip(1).filter(|(_, text)| names.iter().any(|it| has_word(text, it)));
        let near = naming.map(|(line, _)| {
            (line.saturating_sub(NEAR_NAME).max(first), (line + NEAR_NAME).min(last))
        });
        let whole = std::iter::once((first, first)).chain(near.take(MOST_NAMING)).collect();
        Item { whole, ..item }
    }

    /// What failing code runs: first what the failing line calls, then what the lines above it do, then what those run.
    fn run_by(&self, diagnostic: &Diagnostic, needs: &[(u8, Item)]) -> Vec<Item> {
        let near = needs.iter().filter(|(hop, _)| *hop == 1).map(|(_, item)| item.clone());
        let mut near: Vec<Item> = near.filter(|item| self.is_run(item)).collect();
        if let Some((file, line, _)) = self.place(diagnostic)
            && let Some(source) = self.texts.get(&file)
        {
            let lines: Vec<&str> = source.text.lines().take(line as usize).collect();
            near.sort_by_key(|item| {
                lines
                    .iter()
                    .rev()
                    .position(|text| has_word(text, &item.decl.name))
                    .unwrap_or(usize::MAX)
            });
        }
        let mut queue: VecDeque<(u8, Item)> = near.into_iter().map(|item| (1, item)).collect();
        let mut run: Vec<Item> = Vec::new();
        while let Some((depth, item)) = queue.pop_front() {
            if run.len() >= MOST_BODIES || run.iter().any(|known| is_same(known, &item)) {
                continue;
            }
            if depth < DEEPEST {
                let next = self.code.needs(&item.file, item.decl.lines.0, 1).into_iter();
                let next = next.map(|(_, item)| item).filter(|item| self.is_run(item));
                queue.extend(next.map(|item| (depth + 1, item)));
            }
            run.push(item);
        }
        run
    }

    /// Whether it is code of the repository, no test, that does something when it is run; what is very long is not shown
    /// whole.
    fn is_run(&self, item: &Item) -> bool {
        let whole = lines_of(&item.whole);
        let runs = match item.decl.kind.as_str() {
            "interface" | "type" | "enum" | "namespace" => false,
            "class" => whole <= LONG_CLASS,
            // What holds a function has a head; a plain value is shown already.
            "variable" | "property" => lines_of(&item.ranges) < whole && whole <= LONG_BODY,
            _ => whole <= LONG_BODY,
        };
        runs && is_known(self.map, &item.file) && !is_test(&item.file)
    }

    /// What changed since the base, as places.
    fn changes(&mut self) {
        let Some(since) = self.since else { return };
        let mut changes = Vec::new();
        for file in &since.files {
            if !is_known(self.map, &file.path) || self.texts.get(&file.path).is_none() {
                continue;
            }
            let before: Vec<&str> = file.before.lines().collect();
            for hunk in &file.hunks {
                let (from, to) = hunk.after;
                let lines =
                    if from < to { (from, to - 1) } else { (from.saturating_sub(1).max(1), from) };
                let old = (hunk.before.0 as usize - 1).min(before.len())
                    ..(hunk.before.1 as usize - 1).min(before.len());
                changes.push(Changed {
                    file: file.path.clone(),
                    lines,
                    before: before[old].join("\n"),
                });
            }
        }
        self.parts.base = Some((since.id.clone(), changes));
    }

    /// The changed declarations: those that were running or are run, whole and before all else; then those of the failing
    /// files. A test that changed did not make another one fail: it is named only, and so is all that merely changed where
    /// something that ran changed, too. Where nothing of that is known to have run, what changed is the suspect all the same.
    /// Returns whether something that changed may explain the failure.
    fn changed(&mut self, on_path: &[&Item], is_run: bool) -> bool {
        let Some((_, changes)) = self.parts.base.clone() else { return false };
        let failing: BTreeSet<&str> = self
            .parts
            .merged
            .diagnostics
            .iter()
            .filter_map(|it| it.place.as_ref().map(|place| place.file.as_str()))
            .collect();
        let all = changes.clone();
        let mut order: Vec<Changed> = changes;
        let is_aside = |change: &Changed| is_test(&change.file);
        order.sort_by_key(|change| (is_aside(change), !failing.contains(change.file.as_str())));
        let is_in = |item: &&Item, change: &Changed| {
            let (first, last) = item.decl.lines;
            item.file == change.file && change.lines.0 <= last && first <= change.lines.1
        };
        let mut suspects: Vec<Item> = Vec::new();
        for item in on_path.iter().filter(|it| order.iter().any(|change| is_in(it, change))) {
            if !suspects.iter().any(|known| is_same(known, item)) {
                suspects.push((*item).clone());
            }
        }
        let on_path = suspects;
        order.retain(|change| !on_path.iter().any(|item| is_in(&item, change)));
        order.retain(|change| !is_run || on_path.is_empty() && !is_test(&change.file));
        let role = if is_run { Role::Suspect } else { Role::Changed };
        let is_explained = is_run && !(on_path.is_empty() && order.is_empty());
        for item in on_path {
            let why = "changed since the base, and run by what failed".to_owned();
            let ranges = near_changes(&item, &all);
            self.push(Role::Suspect, why, Item { ranges, ..item });
        }
        for change in order.into_iter().take(MOST_CHANGED) {
            let (from, to) = change.lines;
            let shown = (from.saturating_sub(1).max(1), to.min(from + 24) + 1);
            let why = "changed since the base".to_owned();
            if let Some(mut item) = self.code.head_at(&change.file, from) {
                item.ranges.push(shown);
                self.push(role, why, item);
            } else if self.texts.get(&change.file).is_some() {
                let piece = Piece {
                    role,
                    why: vec![why],
                    file: change.file,
                    decl: None,
                    ranges: vec![shown],
                };
                self.parts.pieces.push(piece);
            }
        }
        is_explained
    }

    /// What was running when a failure was raised, the innermost first, what changed of it before the rest; then
    /// declarations that changed, and that many errors need. The class of the failure is none.
    fn suspects(&mut self, stack: &[Item]) {
        let mut votes: BTreeMap<(String, u32, String), usize> = BTreeMap::new();
        let mut asked = BTreeSet::new();
        let diagnostics = self.parts.merged.diagnostics.clone();
        for diagnostic in &diagnostics {
            if asked.len() >= ASKED {
                break;
            }
            let Some((file, line, col)) = self.place(diagnostic) else { continue };
            let around =
                self.code.around(&file, line, col).map_or((line, line), |item| item.decl.lines);
            if !asked.insert((file.clone(), around)) {
                continue;
            }
            let mut seen: BTreeSet<(String, u32, String)> = BTreeSet::new();
            for (_, item) in self.code.needs(&file, line, 1) {
                seen.insert((item.file, item.decl.lines.0, item.decl.name));
            }
            for name in names_in(diagnostic) {
                for item in self.code.named(&name, &file) {
                    seen.insert((item.file, item.decl.lines.0, item.decl.name));
                }
            }
            for key in seen {
                *votes.entry(key).or_default() += 1;
            }
        }
        let of = asked.len();
        let changed = self.changed_declarations();
        for key in &changed {
            votes.entry(key.clone()).or_default();
        }
        let key_of = |item: &Item| (item.file.clone(), item.decl.lines.0, item.decl.name.clone());
        let stack: Vec<_> = stack.iter().map(key_of).collect();
        for key in &stack {
            votes.entry(key.clone()).or_default();
        }
        let on_stack = |key: &(String, u32, String)| stack.iter().position(|it| it == key);
        let classes: BTreeSet<&str> =
            diagnostics.iter().filter_map(|it| it.code.as_deref()).collect();
        let mut ranked: Vec<_> = votes
            .into_iter()
            .filter(|(key, count)| {
                let is_told = changed.contains(key) || (of > 1 && *count > 1);
                on_stack(key).is_some() || is_told && !is_test(&key.0)
            })
            .filter(|(key, _)| !classes.contains(key.2.as_str()))
            .collect();
        ranked.sort_by_key(|(key, count)| {
            let at = on_stack(key).unwrap_or(usize::MAX);
            let is_changed = changed.contains(key);
            let group = match (at < usize::MAX, is_changed) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            (group, at, std::cmp::Reverse(*count), key.clone())
        });
        self.parts.suspects = ranked
            .into_iter()
            .take(5)
            .map(|(key, votes)| {
                let (is_changed, is_on_stack) = (changed.contains(&key), on_stack(&key).is_some());
                let (file, line, name) = key;
                Suspect { name, file, line, votes, of, is_changed, is_on_stack }
            })
            .collect();
    }

    fn changed_declarations(&self) -> BTreeSet<(String, u32, String)> {
        let changes = self.parts.base.iter().flat_map(|(_, changes)| changes).take(40);
        changes
            .filter_map(|change| {
                let item = self.code.head_at(&change.file, change.lines.0)?;
                Some((item.file, item.decl.lines.0, item.decl.name))
            })
            .collect()
    }

    fn push(&mut self, role: Role, why: String, item: Item) {
        let is_there = is_known(self.map, &item.file) || is_installed(self.map, &item.file);
        if is_there && self.texts.get(&item.file).is_some() {
            let Item { file, decl, ranges, .. } = item;
            let ranges = without_frame(ranges, decl.lines);
            let why = vec![why];
            self.parts.pieces.push(Piece { role, why, file, decl: Some(decl), ranges });
        }
    }

    fn push_lines(&mut self, role: Role, why: String, file: &str, line: u32) {
        if let Some(source) = self.texts.get(file) {
            self.parts.pieces.push(lines_piece(role, why, file, &source.text, line));
        }
    }
}

/// The lines of a changed declaration: all, or of a long one its head and those around the changes.
fn near_changes(item: &Item, changes: &[Changed]) -> Vec<(u32, u32)> {
    let (first, last) = item.decl.lines;
    if lines_of(&item.whole) <= LONG_SUSPECT {
        return item.whole.clone();
    }
    let own = changes.iter().filter(|it| it.file == item.file);
    let inside = own.map(|it| it.lines).filter(|(from, to)| *from <= last && first <= *to);
    let near = inside.map(|(from, to)| {
        (from.saturating_sub(NEAR_CHANGE).max(first), (to + NEAR_CHANGE).min(last))
    });
    std::iter::once((first, first)).chain(near).collect()
}

/// Whether two are the same declaration.
fn is_same(left: &Item, right: &Item) -> bool {
    left.file == right.file && left.decl.lines == right.decl.lines
}

/// The ranges of a member without the lines of the class around it, which its name says already.
fn without_frame(ranges: Vec<(u32, u32)>, (first, last): (u32, u32)) -> Vec<(u32, u32)> {
    let is_own = |(from, to): &(u32, u32)| *to + 1 >= first && *from <= last + 1;
    let own: Vec<(u32, u32)> = ranges.iter().copied().filter(is_own).collect();
    if own.is_empty() { ranges } else { own }
}

/// How many lines some ranges have.
fn lines_of(ranges: &[(u32, u32)]) -> u32 {
    ranges.iter().map(|(from, to)| to.saturating_sub(*from) + 1).sum()
}
