//! What was seen as dense text: a folder, then what is in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::files::package_name;
use super::{Look, LookReport, Neighbour, uses};
use crate::search::unsearched_note;
use crate::target::also_line;
use crate::unresolved::unresolved_line;
use crate::users::Users;
use portolan_index::token_counts::Tokenizer;
use portolan_types::thousands;

/// Of what does not fit, so many users are shown for each need.
const USERS_SHARE: usize = 3;
/// A line of code that uses something is shown up to this many characters.
pub(super) const LONGEST_LINE: usize = 160;

impl LookReport {
    /// The answer as text of at most so many tokens.
    pub fn to_text(&self, budget: u64) -> String {
        format!("{}\n{}", self.head(), self.body(budget))
    }

    /// The first line: what was looked at first, and how much was found.
    pub fn head(&self) -> String {
        self.looks.first().map(Look::title).unwrap_or_default()
    }

    /// The rest. What does not fit is left out from what is farthest away, and counted.
    pub fn body(&self, budget: u64) -> String {
        let total = self.looks.iter().map(Look::len).sum();
        let head = self.head();
        let fits = |body: &str| fits(&format!("{head}\n{body}"), budget);
        let whole = self.written(total);
        if fits(&whole) {
            return whole;
        }
        let (mut low, mut high) = (0, total);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(&self.written(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        self.written(low)
    }

    /// The text below the first line, with so many of the neighbours: each side of each target gets its share.
    fn written(&self, count: usize) -> String {
        let mut order: Vec<(u8, usize, usize, usize)> = Vec::new();
        for (look, number) in self.looks.iter().zip(0..) {
            for (side, (list, share)) in look.sides().into_iter().enumerate() {
                let list = list.iter().flatten().zip(0..);
                order.extend(list.map(|(it, at): (_, usize)| (it.hop, at / share, number, side)));
            }
        }
        order.sort_unstable();
        let left_out = order.len().saturating_sub(count);
        let mut text = String::new();
        for (look, number) in self.looks.iter().zip(0..) {
            let shown = |side: usize| {
                let own = order.iter().take(count);
                own.filter(|it| it.2 == number && it.3 == side).count()
            };
            if number > 0 {
                let _ = writeln!(text, "{}", look.title());
            }
            look.write(&mut text, [shown(0), shown(1)]);
            if let Some(line) = also_line(&look.also) {
                let _ = writeln!(text, "{line}");
            }
        }
        if left_out > 0 {
            let _ = writeln!(
                text,
                "… {} more: a larger budget, one side or one target at a time shows them",
                thousands(left_out)
            );
        }
        text
    }
}

fn fits(text: &str, budget: u64) -> bool {
    // No token is shorter than a byte.
    text.len() as u64 <= budget
        || Tokenizer::O200kBase.count(text.as_bytes()).unwrap_or_default() <= budget
}

impl Look {
    /// Both sides in the order in which they are shown, each with its share of the room: whoever looks at a name wants to
    /// know first what depends on it.
    fn sides(&self) -> [(&Option<Vec<Neighbour>>, usize); 2] {
        [(&self.users, USERS_SHARE), (&self.needs, 1)]
    }

    fn len(&self) -> usize {
        [&self.needs, &self.users].into_iter().flatten().map(Vec::len).sum()
    }

    /// What was looked at and how much was found.
    pub fn title(&self) -> String {
        format!("look {} {}", self.target, self.counts())
    }

    /// How much was found.
    pub(crate) fn counts(&self) -> String {
        let count = |list: &Option<Vec<Neighbour>>, word: &str| {
            let plural = |list: &Vec<Neighbour>| if list.len() == 1 { "" } else { "s" };
            list.as_ref().map(|list| format!("{} {word}{}", thousands(list.len()), plural(list)))
        };
        let users = self.users.as_ref().zip(self.account.as_ref());
        let users = users.map(|(users, account)| {
            let is_reached = !self.mentions.is_empty() || !self.hooks.is_empty();
            let in_code = if is_reached { " in code" } else { "" };
            let counted = uses::counted(users, account);
            match counted.strip_prefix("no use") {
                Some(rest) => format!("no use{in_code}{rest}"),
                None => counted,
            }
        });
        let overrides =
            self.is_overrides.then(|| uses::related(self.overrides.len(), self.is_heirs));
        let users = users.or_else(|| count(&self.users, "user"));
        // What users are counted with has commas of its own.
        let mark =
            if users.as_ref().is_some_and(|it| it.contains([',', ';'])) { "; " } else { ", " };
        let counts = [users, count(&self.needs, "need"), overrides];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        counts.join(mark)
    }

    /// Writes what was seen, without the title, with so many of its needs and users.
    fn write(&self, text: &mut String, shown: [usize; 2]) {
        let sides = [("users", &self.users), ("needs", &self.needs)];
        let mut next = None;
        for ((word, list), shown) in sides.into_iter().zip(shown) {
            let Some(list) = list else { continue };
            let is_told = word == "users" || self.is_file || self.verbose;
            if list.is_empty() && is_told {
                let _ = writeln!(text, "{word}: {}", self.none(word));
            }
            let shown = list.get(..shown).unwrap_or(list);
            for near in shown.chunk_by(|left, right| left.hop == right.hop) {
                let hop = near.first().map_or(1, |it| it.hop);
                let _ = match hop {
                    1 => writeln!(text, "{word}:"),
                    hop => writeln!(text, "{word}, {hop} away:"),
                };
                if word == "users" && self.account.is_some() {
                    let is_many = uses::is_many(list, self.filter);
                    let call = uses::write(text, near, &self.target, self.filter, is_many);
                    next = next.or(call);
                } else {
                    write_neighbours(text, near);
                }
            }
            let is_told = word == "needs" && self.verbose;
            let open = unresolved_line(&self.unresolved).filter(|_| is_told);
            if let Some(line) = open {
                let _ = writeln!(text, "{line}");
            }
        }
        self.write_overrides(text);
        let account = self.account.as_ref().filter(|_| self.unread == 0 && !self.is_overrides);
        if let Some(line) = account.and_then(uses::completeness) {
            let _ = writeln!(text, "{line}");
        }
        let withheld = self.account.as_ref().map_or(&[][..], |account| &account.withheld);
        if let Some(note) = unsearched_note(withheld) {
            let _ = writeln!(text, "({note})");
        }
        if let Some(next) = next {
            let _ = writeln!(text, "{next}");
        }
    }

    /// What overrides or implements it. All of them where they were asked for, else no more than a few.
    fn write_overrides(&self, text: &mut String) {
        const MOST: usize = 8;
        if self.overrides.is_empty() {
            return;
        }
        let count = self.overrides.len();
        if self.is_overrides || count <= MOST {
            let head = if self.is_heirs {
                "types with members of it:"
            } else {
                "overrides and implementations:"
            };
            let _ = writeln!(text, "{head}");
            write_lines(text, self.overrides.iter());
        } else {
            let _ = writeln!(
                text,
                "{}: portolan look {} --side overrides",
                uses::related(count, false),
                self.target
            );
        }
    }

    /// What an empty list proves.
    fn none(&self, word: &str) -> String {
        if !self.is_read {
            return "not known, imports of this language are not read".to_owned();
        }
        if word == "needs" {
            return match (self.is_file, self.is_code) {
                (true, false) => "not known: what files of this kind need is not read".to_owned(),
                (true, true) => "none: it imports nothing".to_owned(),
                (false, _) if !self.unresolved.is_empty() => "none that can be told".to_owned(),
                (false, _) => "none: no name in it means something of the repository".to_owned(),
            };
        }
        let files = thousands(self.files);
        let mut text = if !self.mentions.is_empty() || !self.hooks.is_empty() {
            uses::reached(&self.mentions, &self.hooks)
        } else if let Some(account) = &self.account {
            uses::none(account, self.filter, &files)
        } else if self.is_file {
            format!("none of {files} files")
        } else {
            let others = self.searched.saturating_sub(1);
            format!(
                "none in its file and the {} that depend on it, of {files} files",
                thousands(others)
            )
        };
        if self.is_file && !self.is_code {
            text.push_str(" imports it; who reads it by its path is not known");
        }
        text.push_str(&Users::unread_templates(self.templates));
        let mut doubts = Vec::new();
        if self.unread > 0 {
            doubts.push(format!("{} could not be read whole", thousands(self.unread)));
        }
        if self.computed > 0 {
            doubts.push(format!("{} import by a computed name", thousands(self.computed)));
        }
        if !doubts.is_empty() {
            let _ = write!(text, "; not sure: {}", doubts.join(", "));
        }
        text
    }
}

fn write_neighbours(text: &mut String, near: &[Neighbour]) {
    let is_file = |it: &&Neighbour| it.line.is_none();
    let (modules, files): (Vec<&Neighbour>, Vec<&Neighbour>) =
        near.iter().filter(is_file).partition(|it| is_module(it));
    write_folders(text, &files);
    if !modules.is_empty() {
        let name = |it: &Neighbour| package(it).unwrap_or(&it.file).to_owned();
        let mut names: Vec<String> = modules.iter().map(|it| marked(&name(it), it)).collect();
        // Of a package that several files are of, one name is enough.
        names.dedup();
        let _ = writeln!(text, "modules: {}", names.join(" "));
    }
    write_lines(text, near.iter().filter(|it| it.line.is_some()));
}

fn is_module(it: &Neighbour) -> bool {
    it.marks.iter().any(|mark| matches!(*mark, "builtin" | "missing")) || package(it).is_some()
}

/// The package of a file that is not in the repository: whoever asks cannot read it there.
fn package(it: &Neighbour) -> Option<&str> {
    package_name(&it.file).filter(|_| it.marks.contains(&"external"))
}

pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Files by folder. A file that is alone in its folder stands with those of the next folder above that
/// has some.
fn write_folders(text: &mut String, files: &[&Neighbour]) {
    let mut folders: BTreeMap<&str, Vec<&Neighbour>> = BTreeMap::new();
    for it in files {
        folders.entry(split(&it.file).0).or_default().push(it);
    }
    let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (folder, files) in &folders {
        let mut header = *folder;
        if files.len() == 1 {
            let mut above = *folder;
            while !above.is_empty() {
                above = split(above).0;
                if folders.contains_key(above) {
                    header = above;
                    break;
                }
            }
        }
        let line = lines.entry(header).or_default();
        for it in files {
            let below = it.file.strip_prefix(header).unwrap_or(&it.file).trim_start_matches('/');
            line.push(marked(below, it));
        }
    }
    for (folder, names) in lines {
        let folder = if folder.is_empty() { "." } else { folder };
        let _ = writeln!(text, "{}/ {}", quoted(folder), names.join(" "));
    }
}

/// Declarations and lines of code by folder and file.
pub(super) fn write_lines<'n>(text: &mut String, near: impl Iterator<Item = &'n Neighbour>) {
    let mut files: BTreeMap<(&str, &str), Vec<&Neighbour>> = BTreeMap::new();
    for it in near {
        files.entry(split(&it.file)).or_default().push(it);
    }
    let mut last = None;
    for ((folder, file), near) in files {
        if last != Some(folder) {
            let folder = if folder.is_empty() { "." } else { folder };
            let _ = writeln!(text, "{}/", quoted(folder));
        }
        last = Some(folder);
        let is_code = near.iter().any(|it| !it.marks.iter().any(|mark| *mark != "likely"));
        let mut each: Vec<String> = Vec::new();
        let mut before = None;
        for it in &near {
            let named = kind_and_name(it);
            each.push(one_line(it, before));
            before = named;
        }
        let each = each.join(if is_code { "\n  " } else { ", " });
        let _ = writeln!(text, " {} {each}", quoted(file));
    }
}

/// The kind of a declaration and what it is a member of.
fn kind_and_name(it: &Neighbour) -> Option<(&str, &str)> {
    let kind = it.marks.iter().find(|mark| **mark != "likely")?;
    let holder = it.name.as_deref()?.rsplit_once('.').map_or("", |(holder, _)| holder);
    Some((kind, holder))
}

/// A declaration with its line and kind, or a line of code. Behind a member of the same kind and holder, a member is
/// `.name` alone.
fn one_line(it: &Neighbour, before: Option<(&str, &str)>) -> String {
    let line = it.line.unwrap_or_default();
    let name = it.name.as_deref().unwrap_or_default();
    let doubt = if it.marks.contains(&"likely") { "?" } else { "" };
    if let Some((kind, holder)) = kind_and_name(it) {
        return match name.strip_prefix(holder).filter(|_| before == Some((kind, holder))) {
            Some(own) => format!("{line} {own}{doubt}"),
            None => format!("{line} {kind} {name}{doubt}"),
        };
    }
    let mut cut: String = name.chars().take(LONGEST_LINE).collect();
    if cut.len() < name.len() {
        cut.push('…');
    }
    format!("{line}{doubt} {cut}")
}

/// A file with its marks: `:t` type, `:d` dynamic, `~` through a barrel, `?` not there.
fn marked(name: &str, it: &Neighbour) -> String {
    let mut name = quoted(name);
    for mark in &it.marks {
        name.push_str(match *mark {
            "type" => ":t",
            "dynamic" => ":d",
            "barrel" => "~",
            "missing" => "?",
            _ => "",
        });
    }
    name
}

/// A name that would break the line it stands in, quoted.
pub(super) fn quoted(name: &str) -> String {
    let breaks = |c: char| c.is_whitespace() || c.is_control();
    if name.contains(breaks) { format!("{name:?}") } else { name.to_owned() }
}
