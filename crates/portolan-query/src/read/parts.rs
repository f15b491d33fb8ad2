//! From targets as they are written to the lines that are shown.

use std::collections::BTreeSet;

use portolan_symbols::resolver::{Place, SymbolSource as _};
use portolan_types::declarations::{Declaration, DeclarationKind, NONE};

use super::folds::fold_documentation;
use super::matches::Matching;
use super::outline::{FileOutline, outline};
use super::titles::{titled, titles};
use super::{Enclosure, ReadError, ReadRequest};
use crate::search::{extension_name, plain_head};
use crate::slices::{Focus, FocusedLines};
use crate::target::{Target, TargetError, TargetLookup};
use portolan_index::symbols::{Loaded, SymbolDb};

/// A file or class with more lines is shown as its outline.
const LONG: u32 = 200;
/// How many lines are shown on either side of a place in a long class.
const NEAR: u32 = 15;
/// The most targets that braces stand for.
const MOST_EXPANDED: usize = 400;
/// The most similar titles that are listed.
const MOST_ALIKE: usize = 3;
/// The most enclosing declarations that are part of a name.
const DEEPEST: usize = 16;

/// What is shown of all targets.
#[derive(Default)]
pub(super) struct MatchedParts {
    /// Lines.
    pub(super) regions: Vec<FocusedLines>,
    /// Outlines of what is long.
    pub(super) outlines: Vec<FileOutline>,
    /// What has no line that matches.
    pub(super) unmatched: Vec<String>,
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
    let is_nothing =
        parts.regions.is_empty() && parts.outlines.is_empty() && parts.unmatched.is_empty();
    if is_nothing && !parts.failed.is_empty() {
        return Err(parts.failed.swap_remove(0).into());
    }
    parts.regions.sort();
    parts.regions.dedup();
    parts.regions = outermost(&parts.regions);
    parts.outlines.dedup();
    if !reader.is_whole() {
        reader.fold(&mut parts.regions);
    }
    Ok(parts)
}

/// The targets that a shared prefix stands for: `a.ts#Cart.{total,clear}` is two, `a.ts#{Cart,Shop}.{total,clear}` four. No more
/// than a few hundred are made of one target.
pub(crate) fn expanded(text: &str) -> Vec<String> {
    let name = text.find('#').filter(|at| !text[at + 1..].starts_with('"'));
    let braces = name.and_then(|at| {
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

/// The regions that are in no other one. What was asked for by line stays with what is around it.
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
        let is_known = kept
            .iter()
            .any(|it| (it.focus.place.file, it.lines) == (region.focus.place.file, region.lines));
        if !is_held && !is_known {
            kept.push(region.clone());
        }
    }
    kept
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
            None => self.add_lines(parts, &loaded, focus, (first, last), Some(declared)),
        }
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
                let name = heading.unwrap_or_else(|| format!(" {}-{}", lines.0, lines.1));
                parts.unmatched.push(format!("{path}{name}"));
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

/// The extensions of a file with a head: `impl Read for File`, with or without its type arguments and its first word.
fn extensions_called(loaded: &Loaded, asked: &str) -> Vec<u32> {
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
    let facts = &loaded.facts;
    let around = facts.ancestors(item).filter_map(|around| facts.item(around));
    let names = around.map(|it| facts.name(it.name)).filter(|name| !name.is_empty());
    let mut names: Vec<&str> = names.take(DEEPEST).collect();
    names.reverse();
    let name = names.join(".");
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
    }
}
