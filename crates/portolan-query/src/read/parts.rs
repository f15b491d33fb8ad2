//! From targets as they are written to the lines that are shown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_symbols::text::ranges;
use portolan_types::declarations::{Declaration, DeclarationKind, NONE};

use super::folds::fold_documentation;
use super::matches::{Matching, around};
use super::outline::{FileOutline, outline};
use super::titles::{titled, titles};
use super::{Enclosure, ReadError, ReadRequest};
use crate::search::{extension_name, plain_head};
use crate::slices::{Focus, FocusedLines};
use crate::target::{Target, TargetError, TargetLookup, is_named, whole_name};
use portolan_index::symbols::{Loaded, SymbolDb};

/// A file or class with more lines is shown as its outline.
const LONG: u32 = 200;
/// How many lines are shown on either side of a place in a long class.
const NEAR: u32 = 15;
/// The declaration around a line that was asked for is shown whole up to this many lines.
const LONG_AT_PLACE: u32 = 60;
/// With more files without a match than this, they are counted.
const MOST_UNMATCHED: usize = 3;
/// The most lines of a file that are named where its member has none that matches.
const MOST_ELSEWHERE: usize = 24;
/// The most targets that braces stand for.
const MOST_EXPANDED: usize = 400;
/// The most similar titles that are listed.
const MOST_ALIKE: usize = 3;

/// What is shown of all targets.
#[derive(Default)]
pub(super) struct MatchedParts {
    /// Lines.
    pub(super) regions: Vec<FocusedLines>,
    /// Outlines of what is long.
    pub(super) outlines: Vec<FileOutline>,
    /// What has no line that matches.
    pub(super) unmatched: Vec<String>,
    /// The files that were asked for whole, without a line that matches.
    unmatched_files: Vec<String>,
    /// The calls that show all of what is shown in part.
    pub(super) whole: Vec<String>,
    /// Why some targets mean nothing.
    pub(super) failed: Vec<TargetError>,
    /// What is shown in place of targets that mean nothing.
    pub(super) instead: Vec<String>,
    /// The other files that the paths of targets may mean.
    pub(super) also: Vec<String>,
}

/// What a request shows, each part once.
pub(super) fn parts(
    symbols: &SymbolDb<'_>,
    request: &ReadRequest,
) -> Result<MatchedParts, ReadError> {
    let reader = PartReader {
        lookup: TargetLookup(symbols),
        request,
        matching: Matching::new(&request.matching)?,
    };
    let mut parts = MatchedParts::default();
    for text in reader.lookup.targets(&request.targets) {
        match reader.add(&mut parts, &text) {
            // The others are shown, with the error of this one.
            Err(ReadError::Target(error)) => parts.failed.push(error),
            other => other?,
        }
    }
    parts.sum_up_unmatched();
    let is_nothing =
        parts.regions.is_empty() && parts.outlines.is_empty() && parts.unmatched.is_empty();
    if is_nothing && !parts.failed.is_empty() {
        return Err(parts.failed.swap_remove(0).into());
    }
    parts.regions.sort();
    parts.regions.dedup();
    parts.regions = outermost(&parts.regions);
    parts.whole.dedup();
    parts.outlines.dedup();
    if !reader.is_whole() {
        reader.fold(&mut parts.regions);
    }
    Ok(parts)
}

/// The targets that a shared prefix stands for: `a.ts#Cart.{total,clear}` and `Cart.{total,clear}` are two, `a.ts#{Cart,Shop}.{total,clear}` four. No more
/// than a few hundred are made of one target.
pub(crate) fn expanded(text: &str) -> Vec<String> {
    let is_title = |at: usize| text[at + 1..].starts_with('"');
    // Without a file, braces behind a dot are members; elsewhere they are a part of a glob.
    let from = match text.find('#') {
        Some(at) => Some(at).filter(|at| !is_title(*at)),
        None if text.contains(['/', '*', '?', '[', '"']) => None,
        None => text.find(".{").or_else(|| text.find("::{")).or_else(|| text.find("}.").map(|_| 0)),
    };
    let braces = from.and_then(|at| {
        let open = at + text[at..].find('{')?;
        let close = open + text[open..].find('}')?;
        Some((open, close))
    });
    let Some((open, close)) = braces else { return vec![text.to_owned()] };
    let (before, after) = (&text[..open], &text[close + 1..]);
    let names = text[open + 1..close].split(',').map(str::trim).filter(|name| !name.is_empty());
    let first = names.map(|name| format!("{before}{name}{after}"));
    let each =
        first.flat_map(|target| if after.contains('{') { expanded(&target) } else { vec![target] });
    each.take(MOST_EXPANDED).collect()
}

impl MatchedParts {
    /// Names the files without a match where they are few, or nothing else was found; else counts them.
    fn sum_up_unmatched(&mut self) {
        let files = std::mem::take(&mut self.unmatched_files);
        match files.len() {
            count if count > MOST_UNMATCHED && !self.regions.is_empty() => {
                self.unmatched.push(format!("{count} other files"));
            }
            _ => self.unmatched.extend(files),
        }
    }

    /// Notes a declaration without a line that matches: overloads of one name together.
    fn add_unmatched(&mut self, named: &str, lines: &str, elsewhere: &str) {
        let known = self
            .unmatched
            .iter_mut()
            .find(|it| it.strip_prefix(named).is_some_and(|rest| rest.starts_with([' ', ';'])));
        match known {
            Some(known) => {
                let at = known.find(';').unwrap_or(known.len());
                known.insert_str(at, &format!(", {lines}"));
            }
            None => self.unmatched.push(format!("{named} {lines}{elsewhere}")),
        }
    }
}

/// The regions that are in no other one. What was asked for by line stays with what is around it; parts of one declaration
/// are shown together.
fn outermost(regions: &[FocusedLines]) -> Vec<FocusedLines> {
    let holds = |outer: &FocusedLines, inner: &FocusedLines| {
        outer.focus.place.file == inner.focus.place.file
            && outer.only.is_empty()
            && outer.lines.0 <= inner.lines.0
            && inner.lines.1 <= outer.lines.1
            && outer.lines != inner.lines
    };
    let mut kept: Vec<FocusedLines> = Vec::new();
    for region in regions {
        let is_held = regions.iter().any(|outer| holds(outer, region));
        let known = kept
            .iter_mut()
            .find(|it| (it.focus.place.file, it.lines) == (region.focus.place.file, region.lines));
        match known {
            Some(known) if known.only.is_empty() || region.only.is_empty() => known.only.clear(),
            Some(known) => known.only = joined(&known.only, &region.only),
            None if !is_held => kept.push(region.clone()),
            None => {}
        }
    }
    kept
}

/// The lines of two lists.
fn joined(one: &[(u32, u32)], other: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let lines: BTreeSet<u32> = one.iter().chain(other).flat_map(|(from, to)| *from..=*to).collect();
    ranges(&lines)
}

struct PartReader<'r, 'm> {
    lookup: TargetLookup<'r, 'm>,
    request: &'r ReadRequest,
    matching: Option<Matching>,
}

impl PartReader<'_, '_> {
    fn add(&self, parts: &mut MatchedParts, text: &str) -> Result<(), ReadError> {
        let target = self.lookup.target(text);
        self.lookup.begins_at_one(&target)?;
        let others = target.path().map(|path| self.lookup.others(text, path));
        parts.also.extend(others.unwrap_or_default());
        match &target {
            Target::File(path) if self.lookup.number(path).is_none() => {
                self.add_folder(parts, path)?;
            }
            Target::Lines(path, from, to) => {
                let (file, loaded) = self.lookup.readable(path)?;
                let lines = loaded.lines.count();
                if *from > lines {
                    return Err(TargetError::NoLine { path: path.clone(), lines }.into());
                }
                let focus = Focus { place: Place { file, item: NONE }, at: None };
                self.add_lines(parts, &loaded, focus, (*from, (*to).min(lines)), None);
            }
            Target::File(path) => {
                let (file, _) = self.lookup.readable(path)?;
                self.add_file(parts, Focus { place: Place { file, item: NONE }, at: None });
            }
            Target::Named(path, name) if is_title(name) => self.add_titled(parts, path, name)?,
            _ => match (self.lookup.focus(&target), &target) {
                // Between declarations, the lines there.
                (Err(TargetError::Nothing { .. }), Target::Place(path, line, _)) => {
                    self.add_near(parts, path, *line)?;
                }
                (found, _) => {
                    let found = match found {
                        Err(error @ TargetError::NoDeclaration { .. }) => {
                            self.meant_instead(parts, &target, error)?
                        }
                        other => other?,
                    };
                    for focus in found {
                        self.add_declaration(parts, self.enclosed(focus));
                    }
                }
            },
        }
        Ok(())
    }

    /// The only declaration that may be meant by a name that is not there. Who asks for it has the class or the file wrong.
    fn meant_instead(
        &self,
        parts: &mut MatchedParts,
        target: &Target,
        error: TargetError,
    ) -> Result<Vec<Focus>, TargetError> {
        let Some((meant, found)) = self.lookup.only_meant(target) else { return Err(error) };
        parts.instead.push(format!("{error}; the only one of that name: `{meant}`"));
        Ok(found)
    }

    /// The lines around one that no declaration holds.
    fn add_near(&self, parts: &mut MatchedParts, path: &str, line: u32) -> Result<(), ReadError> {
        let (file, loaded) = self.lookup.readable(path)?;
        let lines = loaded.lines.count();
        if line > lines {
            return Err(TargetError::NoLine { path: path.to_owned(), lines }.into());
        }
        let near = (line.saturating_sub(NEAR).max(1), (line + NEAR).min(lines));
        let focus = Focus { place: Place { file, item: NONE }, at: None };
        self.add_lines(parts, &loaded, focus, near, None);
        Ok(())
    }

    /// The region around a place that was asked for.
    fn enclosed(&self, focus: Focus) -> Focus {
        let Place { file, item } = focus.place;
        let facts = self.lookup.file(file).unwrap_or_default();
        let item = match self.request.enclosure {
            Enclosure::Defn => item,
            Enclosure::Decl => facts.ancestors(item).last().unwrap_or(item),
            Enclosure::Module => NONE,
        };
        Focus { place: Place { file, item }, ..focus }
    }

    fn add_file(&self, parts: &mut MatchedParts, focus: Focus) {
        let file = focus.place.file;
        let Some(loaded) = self.lookup.shown(file) else { return };
        let lines = loaded.lines.count();
        let at = focus.at.filter(|_| lines > LONG_AT_PLACE && self.is_by_place());
        if let Some(at) = at.map(|at| loaded.lines.of(at)) {
            let near = (at.saturating_sub(NEAR).max(1), (at + NEAR).min(lines));
            return self.add_lines(parts, &loaded, focus, near, None);
        }
        let is_long = lines > LONG && !loaded.facts.items.is_empty() && focus.at.is_none();
        if is_long && !self.is_whole() {
            parts.outlines.extend(outline(&self.lookup, file, NONE));
        } else {
            self.add_lines(parts, &loaded, focus, (1, lines), None);
        }
    }

    /// Leaves the rest of long documentation out of declarations.
    fn fold(&self, regions: &mut [FocusedLines]) {
        for region in regions.iter_mut().filter(|region| region.heading.is_some()) {
            let file = region.focus.place.file;
            if let Some(loaded) = self.lookup.shown(file) {
                fold_documentation(&self.lookup.path(file), &loaded, region);
            }
        }
    }

    /// What a folder has: outlines, or the lines that are asked for.
    fn add_folder(&self, parts: &mut MatchedParts, path: &str) -> Result<(), ReadError> {
        let files = self.lookup.below(path);
        if files.is_empty() {
            return Err(self.lookup.no_file(path).into());
        }
        let mut inside = MatchedParts::default();
        for file in files {
            if self.is_whole() {
                self.add_file(&mut inside, Focus { place: Place { file, item: NONE }, at: None });
            } else {
                inside.outlines.extend(outline(&self.lookup, file, NONE));
            }
        }
        let is_matched = !inside.regions.is_empty() || !inside.outlines.is_empty();
        parts.regions.append(&mut inside.regions);
        parts.outlines.append(&mut inside.outlines);
        if !is_matched {
            parts.unmatched.push(format!("{path}/"));
        }
        Ok(())
    }

    /// Whether all lines are asked for, or those that match.
    fn is_whole(&self) -> bool {
        self.request.all || self.matching.is_some()
    }

    fn add_declaration(&self, parts: &mut MatchedParts, focus: Focus) {
        let Place { file, item } = focus.place;
        let Some(loaded) = self.lookup.shown(file) else { return };
        let Some(declared) = loaded.facts.item(item) else {
            return self.add_file(parts, focus);
        };
        let start = if declared.doc == NONE { declared.span.start } else { declared.doc };
        let (first, last) = (loaded.lines.of(start), loaded.lines.last_of(declared.span));
        let is_long = is_container(declared) && last - first >= LONG && !self.is_whole();
        match focus.at.map(|at| loaded.lines.of(at)).filter(|_| is_long) {
            // Between the members of a class, the lines there.
            Some(at) => {
                let near = (at.saturating_sub(NEAR).max(first), (at + NEAR).min(last));
                let focus = Focus { place: Place { file, item: NONE }, ..focus };
                self.add_lines(parts, &loaded, focus, near, None);
            }
            None if is_long => parts.outlines.extend(outline(&self.lookup, file, item)),
            None if focus.at.is_some() && last - first > LONG_AT_PLACE && self.is_by_place() => {
                self.add_around(parts, &loaded, focus);
            }
            None => self.add_lines(parts, &loaded, focus, (first, last), Some(declared)),
        }
    }

    /// Whether a line of a long declaration stands for what is around the line, and not for all of the declaration.
    fn is_by_place(&self) -> bool {
        !self.is_whole() && self.request.enclosure == Enclosure::Defn
    }

    /// The lines around one of a long declaration: of the longest function in it that is short enough, all; else those that
    /// are near, with the heads of the blocks around them.
    fn add_around(&self, parts: &mut MatchedParts, loaded: &Loaded, focus: Focus) {
        let Place { file, item } = focus.place;
        let facts = &loaded.facts;
        let Some((at, declared)) = focus.at.zip(facts.item(item)) else { return };
        let lines = |it: &Declaration| {
            let start = if it.doc == NONE { it.span.start } else { it.doc };
            (loaded.lines.of(start), loaded.lines.last_of(it.span))
        };
        let is_short =
            |it: &Declaration| (1..=LONG_AT_PLACE).contains(&(lines(it).1 - lines(it).0));
        let numbered = facts.items.iter().zip(0u32..);
        let inner = numbered
            .filter(|(it, _)| is_function(it.kind) && it.span.holds(at) && is_short(it))
            .max_by_key(|(it, _)| it.span.end - it.span.start);
        if let Some((inner, item)) = inner {
            let focus = Focus { place: Place { file, item }, ..focus };
            return self.add_lines(parts, loaded, focus, lines(inner), Some(inner));
        }
        let (all, at) = (lines(declared), loaded.lines.of(at));
        let only = around(&loaded.text, &loaded.lines, all, head_lines(loaded, declared), at);
        let path = self.lookup.path(file);
        let name = whole_name(facts, item);
        let target = Target::Named(path.clone(), name.clone());
        let found = self.lookup.find(&target).unwrap_or_default();
        let is_it = matches!(found[..], [only] if only.place == focus.place);
        parts.whole.push(if is_it {
            format!("{path}#{name}")
        } else {
            format!("{path}:{}-{}", all.0, all.1)
        });
        let heading = Some(heading(loaded, item, all));
        parts.regions.push(FocusedLines { focus, lines: all, only, heading });
    }

    fn add_lines(
        &self,
        parts: &mut MatchedParts,
        loaded: &Loaded,
        focus: Focus,
        lines: (u32, u32),
        declared: Option<&Declaration>,
    ) {
        let heading = declared.map(|_| heading(loaded, focus.place.item, lines));
        let mut only = Vec::new();
        if let Some(matching) = &self.matching {
            let head = declared.map(|declared| head_lines(loaded, declared));
            only = matching.parts(&loaded.text, &loaded.lines, lines, head);
            if only.is_empty() {
                let path = self.lookup.path(focus.place.file);
                let range = format!("{}-{}", lines.0, lines.1);
                match declared {
                    Some(_) => {
                        let name = whole_name(&loaded.facts, focus.place.item);
                        let elsewhere = elsewhere(loaded, matching, lines);
                        parts.add_unmatched(&format!("{path} {name}"), &range, &elsewhere);
                    }
                    None if lines == (1, loaded.lines.count()) => {
                        parts.unmatched_files.push(format!("{path} {range}"));
                    }
                    None => parts.unmatched.push(format!("{path} {range}")),
                }
                return;
            }
        }
        parts.regions.push(FocusedLines { focus, lines, only, heading });
    }

    /// Tests by their title; else what has the title in a string, as the rows of a table do.
    fn add_titled(
        &self,
        parts: &mut MatchedParts,
        path: &str,
        asked: &str,
    ) -> Result<(), ReadError> {
        let (file, loaded) = self.lookup.readable(path)?;
        let title = asked.trim_matches('"');
        let extensions = extensions_called(&loaded, title);
        if !extensions.is_empty() {
            for item in extensions {
                self.add_declaration(parts, Focus { place: Place { file, item }, at: None });
            }
            return Ok(());
        }
        let tests = titles(&loaded.text);
        let found = titled(&tests, title);
        for test in &found {
            let at = Some(loaded.lines.span(test.first).start);
            let focus = Focus { place: Place { file, item: NONE }, at };
            self.add_lines(parts, &loaded, focus, (test.first, test.last), None);
        }
        if !found.is_empty() {
            return Ok(());
        }
        // `def total(self):` is no title, and names a declaration.
        let named = Target::Named(path.to_owned(), asked.to_owned());
        if let Some(found) = self.lookup.focus(&named).ok().filter(|_| !asked.starts_with('"')) {
            for focus in found {
                self.add_declaration(parts, focus);
            }
            return Ok(());
        }
        let has_title = |line: &str| {
            ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{title}{quote}")))
        };
        let row = (1..=loaded.lines.count())
            .find(|line| has_title(loaded.lines.text(&loaded.text, *line)));
        if let Some(line) = row {
            let place = Target::Place(path.to_owned(), line, None);
            for focus in self.lookup.focus(&place)? {
                self.add_declaration(parts, focus);
            }
            return Ok(());
        }
        let all: BTreeSet<&str> =
            tests.iter().filter_map(|it| it.titles.last()).map(String::as_str).collect();
        let similar = portolan_workspace::similar::similar(title, all.into_iter(), MOST_ALIKE);
        let similar = similar.into_iter().map(|title| format!("{path}#\"{title}\"")).collect();
        Err(TargetError::NoDeclaration { name: title.to_owned(), similar }.into())
    }
}

/// Where in a file a pattern matches outside of some lines, each line with the declaration that holds it.
fn elsewhere(loaded: &Loaded, matching: &Matching, (first, last): (u32, u32)) -> String {
    let facts = &loaded.facts;
    let all = matching.lines(&loaded.text, &loaded.lines, (1, loaded.lines.count()));
    let others: Vec<u32> = all.into_iter().filter(|line| !(first..=last).contains(line)).collect();
    let name = |line: u32| {
        let span = loaded.lines.span(line);
        let text = loaded.lines.text(&loaded.text, line);
        let at = span.start + (text.len() - text.trim_start().len()) as u32;
        let numbered = facts.items.iter().zip(0u32..);
        let around = numbered.filter(|(it, _)| is_named(it) && it.span.holds(at));
        let inner = around.min_by_key(|(it, _)| it.span.end - it.span.start);
        inner.map(|(_, number)| whole_name(facts, number)).unwrap_or_default()
    };
    let mut text = String::new();
    let mut around: Option<String> = None;
    for line in others.iter().take(MOST_ELSEWHERE) {
        let name = name(*line);
        if around.as_ref() != Some(&name) {
            let comma = if text.is_empty() { "; in this file:" } else { "," };
            let blank = if name.is_empty() { "" } else { " " };
            let _ = write!(text, "{comma}{blank}{name}");
            around = Some(name);
        }
        let _ = write!(text, " {line}");
    }
    match others.len().saturating_sub(MOST_ELSEWHERE) {
        0 => text,
        more => format!("{text} and {more} more lines"),
    }
}

/// Whether a declaration is a function.
fn is_function(kind: DeclarationKind) -> bool {
    use DeclarationKind as Kind;
    matches!(kind, Kind::Function | Kind::Method | Kind::Getter | Kind::Setter | Kind::Constructor)
}

/// The extensions of a file with a head: `impl Read for File`, with or without its type arguments and its first word.
pub(crate) fn extensions_called(loaded: &Loaded, asked: &str) -> Vec<u32> {
    let asked = plain_head(asked);
    let numbered = loaded.facts.items.iter().zip(0u32..);
    let extensions = numbered.filter(|(it, _)| it.kind == DeclarationKind::Extension);
    let is_called = |it: &Declaration| {
        let name = extension_name(&loaded.text, it);
        name == asked || name.split_once(' ').is_some_and(|(_, rest)| rest == asked)
    };
    extensions.filter(|(it, _)| is_called(it)).map(|(_, number)| number).collect()
}

/// Whether a name is the title of a test: in quotes, or of several words.
fn is_title(name: &str) -> bool {
    name.starts_with('"') || name.trim().contains(' ')
}

/// Whether it is made of members that can be shown alone.
fn is_container(item: &Declaration) -> bool {
    matches!(
        item.kind,
        DeclarationKind::Class
            | DeclarationKind::Interface
            | DeclarationKind::Namespace
            | DeclarationKind::Extension
    ) && item.members.len > 0
}

/// The signature of a declaration.
fn head_lines(loaded: &Loaded, item: &Declaration) -> (u32, u32) {
    let first = loaded.lines.of(item.span.start);
    let last = if item.body.is_empty() { first } else { loaded.lines.of(item.body.start) };
    (first, last.max(first))
}

/// The line above a declaration: its full name and its lines.
fn heading(loaded: &Loaded, item: u32, (first, last): (u32, u32)) -> String {
    let name = whole_name(&loaded.facts, item);
    if first == last { format!(" {name} {first}") } else { format!(" {name} {first}-{last}") }
}

#[cfg(test)]
mod tests {
    use super::expanded;

    #[test]
    fn names_in_braces_share_what_is_around_them() {
        assert_eq!(expanded("a.ts#Cart.{total,clear}"), ["a.ts#Cart.total", "a.ts#Cart.clear"]);
        assert_eq!(expanded("a.ts#{a, b}"), ["a.ts#a", "a.ts#b"]);
        assert_eq!(expanded("a#{A,B}.{f,g}"), ["a#A.f", "a#A.g", "a#B.f", "a#B.g"]);
        let many = format!("a#{}", "{a,b}".repeat(40));
        assert_eq!(expanded(&many).len(), 400, "what braces stand for is bounded");
        assert_eq!(expanded("a.ts#a"), ["a.ts#a"]);
        assert_eq!(expanded("app/{id}.ts#a"), ["app/{id}.ts#a"], "a path may have braces");
        assert_eq!(expanded("a.ts#\"takes {a,b}\""), ["a.ts#\"takes {a,b}\""]);
        assert_eq!(expanded("Cart.{total,clear}"), ["Cart.total", "Cart.clear"]);
        assert_eq!(expanded("Cart::{total,clear}"), ["Cart::total", "Cart::clear"]);
        assert_eq!(expanded("{Cart,Shop}.total"), ["Cart.total", "Shop.total"]);
        assert_eq!(expanded("src/*.{ts,js}"), ["src/*.{ts,js}"], "a glob of files");
    }
}
