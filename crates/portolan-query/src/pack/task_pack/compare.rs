//! What is another between two states of a file: its declarations, each by its own text.
//!
//! Lines alone tell too much: a blank line between two methods lies in their class, and a shortest script of edits
//! may give the last brace of one function to the next. So declarations are held against those of the same name,
//! without the text of their members, which are declarations of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_diagnostics::line_diff::LineHunk as Hunk;
use portolan_symbols::text::{LineStarts as Lines, Show, SourceText as Source, lines_of};
use portolan_types::declarations::{Declaration, DeclarationKind, Declarations, Flags, NONE};

/// The most enclosing declarations that are named.
const DEEPEST: usize = 8;

/// A declaration of a text, or a member of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pack) struct Unit {
    /// What it is part of, by name; empty for what stands by itself.
    pub(in crate::pack) container: String,
    /// Its name; a statement has none.
    pub(in crate::pack) name: String,
    /// Which sort.
    pub(in crate::pack) kind: &'static str,
    /// Its first line, that of its doc comment, and its last.
    pub(in crate::pack) lines: (u32, u32),
    /// Its number among the declarations of the text.
    pub(in crate::pack) item: u32,
    /// Its text without what is a unit of its own, and without blank lines.
    own: Arc<str>,
}

impl Unit {
    /// Its name with that of what it is part of.
    pub(super) fn full_name(&self) -> String {
        if self.container.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.container, self.name)
        }
    }

    fn key(&self) -> (&str, &str) {
        (&self.container, &self.name)
    }
}

/// A text with its declarations.
pub(in crate::pack) struct Outline {
    text: String,
    lines: Lines,
    facts: Declarations,
    pub(in crate::pack) units: Vec<Unit>,
}

/// What is another.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// Units of the later text that are new or another, each with the one that it was.
    pub(super) changed: Vec<(usize, Option<usize>)>,
    /// Units of the earlier text that are gone.
    pub(super) removed: Vec<usize>,
}

impl Outline {
    pub(in crate::pack) fn new(text: String, facts: Declarations) -> Self {
        let lines = Lines::new(&text);
        let units = units_of(&text, &lines, &facts);
        Self { text, lines, facts, units }
    }

    /// The head of a unit.
    pub(super) fn head(&self, unit: usize) -> String {
        let Some(unit) = self.units.get(unit) else { return String::new() };
        let source = Source { text: &self.text, lines: &self.lines, facts: &self.facts };
        let ranges = lines_of(&source, unit.item, Show::Head, &BTreeSet::new());
        let shown: BTreeSet<u32> = ranges.into_iter().flat_map(|(from, to)| from..=to).collect();
        let shown = shown.into_iter().map(|line| self.lines.text(&self.text, line));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// The unit that is one of another text: with the same text, or else of the same name.
    pub(super) fn find(&self, unit: &Unit) -> Option<&Unit> {
        let mut named = self.units.iter().filter(|it| it.key() == unit.key());
        let same = self.units.iter().filter(|it| it.key() == unit.key() && it.own == unit.own);
        // Statements of one text are told apart by where they are.
        let near = same.min_by_key(|it| it.lines.0.abs_diff(unit.lines.0));
        near.or_else(|| named.next().filter(|it| !it.name.is_empty()))
    }

    /// Which lines are of units; `is_named` leaves statements out.
    fn covered(&self, is_named: bool) -> BTreeSet<u32> {
        let told = self.units.iter().filter(|it| !is_named || !it.name.is_empty());
        let mut ranges: Vec<(u32, u32)> = told.map(|it| it.lines).collect();
        ranges.sort_unstable();
        let mut covered = BTreeSet::new();
        let mut next = 0;
        for (from, to) in ranges {
            covered.extend(from.max(next)..=to);
            next = next.max(to + 1);
        }
        covered
    }
}

/// The differences between two states of a file.
pub(super) fn differences(before: &Outline, after: &Outline) -> Differences {
    /// The places of units, before and after.
    type Places = (Vec<usize>, Vec<usize>);
    let mut groups: BTreeMap<(&str, &str), Places> = BTreeMap::new();
    for (at, unit) in before.units.iter().enumerate() {
        groups.entry(unit.key()).or_default().0.push(at);
    }
    for (at, unit) in after.units.iter().enumerate() {
        groups.entry(unit.key()).or_default().1.push(at);
    }
    let mut found = Differences::default();
    for ((_, name), (old, new)) in groups {
        let (gone, come) = unmatched(before, after, &old, &new);
        let was = |at: usize| gone.get(at).copied().filter(|_| !name.is_empty());
        found.changed.extend(come.iter().enumerate().map(|(at, new)| (*new, was(at))));
        if name.is_empty() || gone.is_empty() {
            continue;
        }
        match new.first() {
            None => found.removed.extend(gone),
            // One of several of a name is gone: the others are not what they were together.
            Some(first) if come.is_empty() => found.changed.push((*first, Some(gone[0]))),
            Some(_) => {}
        }
    }
    found.changed.sort_unstable();
    found.removed.sort_unstable();
    // With what is new, what it has is new; and with what is gone, what it had is gone.
    let new = found.changed.iter().filter(|(_, was)| was.is_none());
    let new: BTreeSet<u32> = new.map(|(at, _)| after.units[*at].item).collect();
    let parent = |at: usize| after.facts.item(after.units[at].item).map_or(NONE, |it| it.parent);
    found.changed.retain(|(at, was)| was.is_some() || !new.contains(&parent(*at)));
    let names: BTreeSet<String> =
        found.removed.iter().map(|at| before.units[*at].full_name()).collect();
    let is_told = |at: &usize| names.contains(&before.units[*at].container);
    let removed = found.removed.iter().copied().filter(|at| !is_told(at)).collect();
    Differences { removed, ..found }
}

/// Those of two groups that have no partner of the same text.
fn unmatched(
    before: &Outline,
    after: &Outline,
    old: &[usize],
    new: &[usize],
) -> (Vec<usize>, Vec<usize>) {
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    for at in new {
        *texts.entry(&after.units[*at].own).or_default() += 1;
    }
    let mut take = |text: &str| match texts.get_mut(text) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    let gone = old.iter().copied().filter(|at| !take(&before.units[*at].own)).collect();
    let come = new.iter().copied().filter(|at| take(&after.units[*at].own)).collect();
    (gone, come)
}

/// The lines of hunks that no declaration has: those of the later text, and where lines are only gone, those around
/// the place.
pub(super) fn outside(hunks: &[Hunk], before: &Outline, after: &Outline) -> Vec<(u32, u32)> {
    let (old, new) = (before.covered(true), after.covered(false));
    let is_open = |outline: &Outline, covered: &BTreeSet<u32>, line: u32| {
        !covered.contains(&line) && !outline.lines.text(&outline.text, line).trim().is_empty()
    };
    let mut places = Vec::new();
    for hunk in hunks {
        let (from, to) = hunk.after;
        let open: Vec<u32> = (from..to).filter(|line| is_open(after, &new, *line)).collect();
        if let (Some(first), Some(last)) = (open.first(), open.last()) {
            places.push((*first, *last));
        } else if from == to && (hunk.before.0..hunk.before.1).any(|it| is_open(before, &old, it)) {
            places.push((from.saturating_sub(1).max(1), from));
        }
    }
    places
}

/// Where lines are after further changes; none where nothing is left of them.
pub(super) fn moved(since: &[Hunk], (from, to): (u32, u32)) -> Option<(u32, u32)> {
    let (mut first, mut last) = (from, to);
    for hunk in since {
        let ((old, old_end), (new, new_end)) = (hunk.before, hunk.after);
        if old_end <= from {
            // All of it is above.
            first = from + new_end - old_end;
        } else if old <= from {
            first = new;
        }
        if old_end <= to {
            last = to + new_end - old_end;
        } else if old <= to {
            last = new_end.saturating_sub(1);
        }
    }
    (first <= last && first > 0).then_some((first, last))
}

/// The units of a text: what stands by itself or in a namespace, and the outermost members.
fn units_of(text: &str, lines: &Lines, facts: &Declarations) -> Vec<Unit> {
    let mut inside: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut known: BTreeMap<u32, u32> = BTreeMap::new();
    // What they are part of comes first.
    for (item, number) in facts.items.iter().zip(0u32..) {
        let is_unit = match facts.item(item.parent).filter(|_| item.parent != NONE) {
            _ if item.flags.has(Flags::LOCAL) => false,
            None => true,
            Some(parent) if parent.kind == DeclarationKind::Namespace => true,
            Some(parent) => {
                item.flags.has(Flags::MEMBER)
                    && !parent.flags.has(Flags::MEMBER)
                    && parent.kind != DeclarationKind::Statement
            }
        };
        if is_unit && (item.parent == NONE || known.contains_key(&item.parent)) {
            known.insert(number, item.parent);
            inside.entry(item.parent).or_default().push(whole(item));
        }
    }
    let name = |item: u32| facts.item(item).map_or("", |it| facts.name(it.name));
    // Declarations that share a statement have its text in common.
    let mut texts: BTreeMap<(u32, u32), Arc<str>> = BTreeMap::new();
    let mut unit = |number: u32| {
        let item = facts.item(number)?;
        let parts = inside.get(&number).map_or(&[][..], Vec::as_slice);
        let mut names: Vec<&str> =
            facts.ancestors(number).skip(1).take(DEEPEST).map(name).collect();
        names.reverse();
        let is_statement = item.kind == DeclarationKind::Statement;
        let (from, to) = whole(item);
        Some(Unit {
            container: names.join("."),
            name: if is_statement { String::new() } else { name(number).to_owned() },
            kind: item.kind.name(),
            lines: (lines.of(from), lines.last_of(item.span)),
            item: number,
            own: if let Some(known) = texts.get(&(from, to)).filter(|_| parts.is_empty()) {
                Arc::clone(known)
            } else {
                let own: Arc<str> = own_text(text, (from, to), parts).into();
                if parts.is_empty() {
                    texts.insert((from, to), Arc::clone(&own));
                }
                own
            },
        })
    };
    known.keys().filter_map(|number| unit(*number)).collect()
}

/// All of a declaration, with its doc comment.
fn whole(item: &Declaration) -> (u32, u32) {
    (if item.doc == NONE { item.span.start } else { item.doc.min(item.span.start) }, item.span.end)
}

/// The lines of a span that some others do not have.
fn own_text(text: &str, span: (u32, u32), parts: &[(u32, u32)]) -> String {
    let slice =
        |from: u32, to: u32| text.get(from as usize..to.max(from) as usize).unwrap_or_default();
    let mut own = String::new();
    let mut at = span.0;
    for (from, to) in parts {
        own.push_str(slice(at, *from));
        at = at.max(*to);
    }
    own.push_str(slice(at, span.1));
    // Text between members belongs to none of them.
    let is_between = |c: char| !parts.is_empty() && matches!(c, ',' | ';');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_own = |line: &str| {
        if parts.is_empty() { !line.is_empty() } else { line.contains(is_word) }
    };
    let lines = own.lines().map(|line| line.trim_end().replace(is_between, ""));
    lines.filter(|line| is_own(line.trim())).flat_map(|line| [line, "\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use portolan_diagnostics::line_diff::hunks;

    use super::{Outline, differences, moved, outside};
    use portolan_index::symbols::SymbolDb;

    fn outline(path: &str, text: &str) -> Outline {
        Outline::new(text.to_owned(), SymbolDb::parsed(path, text))
    }

    /// What changed, in words: `~` is another, `+` is new, `-` is gone, numbers are lines outside.
    #[track_caller]
    fn check(path: &str, before: &str, after: &str, expected: &str) {
        let (old, new) = (outline(path, before), outline(path, after));
        let found = differences(&old, &new);
        let changed = found.changed.iter().map(|(unit, was)| {
            let sign = if was.is_some() { '~' } else { '+' };
            format!("{sign}{} {}", new.units[*unit].kind, new.units[*unit].full_name())
        });
        let removed = found.removed.iter().map(|it| format!("-{}", old.units[*it].full_name()));
        let places = outside(&hunks(before, after), &old, &new);
        let places = places.iter().map(|(from, to)| format!("{from}-{to}"));
        let told: Vec<String> = changed.chain(removed).chain(places).collect();
        assert_eq!(told.join(", "), expected);
    }

    const CLASS: &str = "export class A {\n  x = 0;\n  b() {\n    return 1;\n  }\n  c() {\n    return 2;\n  }\n}\n\nexport function f() {\n  return 1;\n}\n\nexport function g() {\n  return 1;\n}\n";

    #[test]
    fn a_blank_line_between_members_is_no_change() {
        check("a.ts", CLASS, &CLASS.replace("  c()", "\n  c()"), "");
    }

    #[test]
    fn a_member_is_a_change_of_its_own_and_a_container_has_its_own_lines() {
        check("a.ts", CLASS, &CLASS.replace("return 2", "return 3"), "~method A.c");
        check("a.ts", CLASS, &CLASS.replace("class A", "class A extends B"), "~class A");
        check("a.ts", CLASS, &CLASS.replace("x = 0", "x = 1"), "~property A.x");
    }

    #[test]
    fn what_is_gone_is_told_and_its_neighbours_are_not_blamed() {
        let without = |part: &str| CLASS.replace(part, "");
        check("a.ts", CLASS, &without("export function f() {\n  return 1;\n}\n\n"), "-f");
        check("a.ts", CLASS, &without("  b() {\n    return 1;\n  }\n"), "-A.b");
        check("a.ts", CLASS, "export const z = 1;\n", "+variable z, -A, -f, -g");
        check("a.ts", "", CLASS, "+class A, +function f, +function g");
        let shorter = without("    return 2;\n");
        check("a.ts", CLASS, &shorter, "~method A.c");
    }

    #[test]
    fn members_of_the_same_name_are_told_apart() {
        let two = "class A {\n  m() { return 1; }\n}\nclass B {\n  m() { return 1; }\n}\n";
        check("a.ts", two, &two.replacen("return 1", "return 2", 1), "~method A.m");
    }

    #[test]
    fn what_no_declaration_has_is_told_by_its_lines() {
        check("a.ts", CLASS, &format!("import x from 'x';\n\n{CLASS}"), "1-1");
        check("a.md", "# A\n\none\n", "# A\n\ntwo\n", "3-3");
        check("a.md", "# A\none\ntwo\n", "# A\ntwo\n", "1-2");
    }

    #[test]
    fn lines_are_found_again_after_further_changes() {
        let text = "a\nb\nc\nd\ne\n";
        let check = |after: &str, lines: (u32, u32), expected: Option<(u32, u32)>| {
            assert_eq!(moved(&hunks(text, after), lines), expected, "{after}");
        };
        check(text, (2, 3), Some((2, 3)));
        check("x\na\nb\nc\nd\ne\n", (2, 3), Some((3, 4)));
        check("a\nb\nx\nc\nd\ne\n", (2, 3), Some((2, 4)));
        check("a\nd\ne\n", (2, 3), None);
        check("d\ne\n", (4, 5), Some((1, 2)));
        check("a\nx\ny\nz\nd\ne\n", (2, 3), Some((2, 4)));
    }

    #[test]
    fn other_languages_have_declarations_too() {
        let python = "class A:\n    def b(self):\n        return 1\n\n    def c(self):\n        return 2\n\n\ndef f():\n    return 1\n";
        check("a.py", python, &python.replace("return 2", "return 3"), "~method A.c");
        check("a.py", python, &python.replace("def f():\n    return 1\n", ""), "-f");
        let rust = "pub struct S {\n    a: u8,\n}\n\nimpl S {\n    pub fn m(&self) -> u8 {\n        self.a\n    }\n}\n";
        check("a.rs", rust, &rust.replace("self.a", "self.a + 1"), "~method S.m");
    }
}
