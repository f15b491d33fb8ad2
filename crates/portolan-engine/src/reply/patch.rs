//! The patches of a reply: unified diffs in fenced blocks, or whole files below a heading
//! `Patch: path`. Line counts in hunk headers are not trusted: models miscount.

use super::document::Block;

/// One file that a reply changes.
#[derive(Debug)]
pub(super) struct Patch<'a> {
    /// The line that names it, or that opens its block.
    pub(super) line: usize,
    /// The file as the reply names it; `None` where it names none.
    pub(super) target: Option<String>,
    pub(super) change: Change<'a>,
}

/// What becomes of the file.
#[derive(Debug)]
pub(super) enum Change<'a> {
    /// Parts of it are replaced.
    Edit(Vec<Hunk<'a>>),
    /// It is made.
    Create(Vec<Hunk<'a>>),
    /// It gets this text.
    Replace(Vec<&'a str>),
    /// It goes away.
    Delete,
    /// Another file is put there.
    Arrive,
    /// It is a folder that is made or goes away.
    Folder,
}

/// A run of lines that are replaced by others.
#[derive(Debug, Default)]
pub(super) struct Hunk<'a> {
    /// Where it is said to begin, from 1; 0 where it is not said.
    start: usize,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

/// The patches of a block.
pub(super) fn read<'a>(block: &Block<'a>) -> Vec<Patch<'a>> {
    let named = block.heading.and_then(heading_target);
    let language = block.info.split_whitespace().next().unwrap_or_default();
    if matches!(language, "diff" | "patch" | "udiff") || looks_like_a_diff(&block.lines) {
        return read_diff(block, named.as_deref());
    }
    let is_patch = block.heading.is_some_and(|text| strip_patch_word(text).is_some());
    if !is_patch {
        return Vec::new();
    }
    let change = Change::Replace(block.lines.clone());
    vec![Patch { line: block.line, target: named, change }]
}

fn strip_patch_word(heading: &str) -> Option<&str> {
    let word = heading.get(..6)?;
    word.eq_ignore_ascii_case("patch:").then(|| heading[6..].trim())
}

/// The file that a heading such as ``Patch: `src/a.ts` `` names.
fn heading_target(heading: &str) -> Option<String> {
    let quoted = heading.split('`').nth(1).filter(|text| !text.trim().is_empty());
    let name = quoted.or_else(|| strip_patch_word(heading))?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn looks_like_a_diff(lines: &[&str]) -> bool {
    lines.windows(2).any(is_name_pair)
}

fn is_name_pair(pair: &[&str]) -> bool {
    matches!(pair, [old, new] if old.starts_with("--- ") && new.starts_with("+++ "))
}

/// A file of a diff while it is read.
#[derive(Default)]
struct File<'a> {
    line: usize,
    old: Option<&'a str>,
    new: Option<&'a str>,
    renamed_from: Option<&'a str>,
    hunks: Vec<Hunk<'a>>,
}

fn read_diff<'a>(block: &Block<'a>, named: Option<&str>) -> Vec<Patch<'a>> {
    let mut files: Vec<File<'a>> = Vec::new();
    for (index, line) in block.lines.iter().copied().enumerate() {
        let number = block.line + 1 + index;
        let next = block.lines.get(index + 1).copied().unwrap_or_default();
        if let Some(names) = line.strip_prefix("diff --git ") {
            let (old, new) = names.split_once(' ').unwrap_or((names, names));
            files.push(File { line: number, old: Some(old), new: Some(new), ..File::default() });
        } else if is_name_pair(&[line, next]) {
            // Behind a `diff --git` line the pair names the same file once more.
            if files.last().is_none_or(|file| !file.hunks.is_empty() || file.old.is_none()) {
                files.push(File { line: number, ..File::default() });
            }
            if let Some(file) = files.last_mut() {
                file.old = Some(&line[4..]);
                file.new = Some(&next[4..]);
            }
        } else {
            if files.is_empty() {
                files.push(File { line: block.line, ..File::default() });
            }
            if let Some(file) = files.last_mut() {
                file.take(line);
            }
        }
    }
    let is_something = |file: &File<'_>| file.old.is_some() || !file.hunks.is_empty();
    files.into_iter().filter(is_something).flat_map(|file| file.finish(named)).collect()
}

impl<'a> File<'a> {
    fn take(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("@@") {
            self.hunks.push(Hunk { start: hunk_start(rest), ..Hunk::default() });
            return;
        }
        let Some(hunk) = self.hunks.last_mut() else {
            if let Some(name) = line.strip_prefix("rename from ") {
                self.renamed_from = Some(name);
            }
            return;
        };
        match line.split_at_checked(1) {
            Some(("+", text)) => hunk.new.push(text),
            Some(("-", text)) => hunk.old.push(text),
            Some((" ", text)) => hunk.keep(text),
            Some(("\\", _)) => {}
            // White space at a line's end is easily lost: an empty line is an empty context line.
            None if line.is_empty() => hunk.keep(""),
            _ => hunk.keep(line),
        }
    }

    fn finish(self, named: Option<&str>) -> Vec<Patch<'a>> {
        let (old, new) = (self.old.and_then(diff_name), self.new.and_then(diff_name));
        let has_names = self.old.is_some();
        let mut patches = Vec::new();
        if let Some(from) = self.renamed_from {
            let target = Some(from.to_owned());
            patches.push(Patch { line: self.line, target, change: Change::Delete });
        }
        let (target, change) = match (old, new) {
            (Some(old), None) => (Some(old), Change::Delete),
            (None, Some(new)) => (Some(new), Change::Create(self.hunks)),
            (Some(_), Some(new)) if self.renamed_from.is_some() => {
                (Some(new), Change::Create(self.hunks))
            }
            (Some(_), Some(new)) => (Some(new), Change::Edit(self.hunks)),
            (None, None) if has_names => (None, Change::Delete),
            (None, None) => (named.map(ToOwned::to_owned), Change::Edit(self.hunks)),
        };
        patches.push(Patch { line: self.line, target, change });
        patches
    }
}

impl<'a> Hunk<'a> {
    fn keep(&mut self, text: &'a str) {
        self.old.push(text);
        self.new.push(text);
    }
}

/// The first line of ` -12,3 +12,4 @@`.
fn hunk_start(header: &str) -> usize {
    let old = header.trim_start().strip_prefix('-').unwrap_or_default();
    let digits = old.split([',', ' ']).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// A file's name in a diff; `None` for `/dev/null`.
fn diff_name(text: &str) -> Option<String> {
    let name = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    if name == "/dev/null" || name.is_empty() {
        return None;
    }
    let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    Some(bare.unwrap_or(name).to_owned())
}

impl Change<'_> {
    /// The text after the change; `None` where it does not fit.
    pub(super) fn apply(&self, before: &str) -> Option<String> {
        match self {
            Self::Edit(hunks) | Self::Create(hunks) => apply(before, hunks),
            Self::Replace(lines) => Some(join(lines)),
            Self::Delete | Self::Arrive | Self::Folder => None,
        }
    }
}

fn apply(before: &str, hunks: &[Hunk<'_>]) -> Option<String> {
    let lines: Vec<&str> = before.lines().collect();
    let mut out: Vec<&str> = Vec::new();
    let mut done = 0;
    for hunk in hunks {
        let at = place(&lines, done, hunk)?;
        out.extend(lines.get(done..at)?);
        out.extend(&hunk.new);
        done = at + hunk.old.len();
    }
    out.extend(lines.get(done..)?);
    Some(join(&out))
}

/// Where a hunk fits: where it says, or else the first place after the hunk before it.
fn place(lines: &[&str], from: usize, hunk: &Hunk<'_>) -> Option<usize> {
    let fits = |at: usize| {
        let found = lines.get(at..at + hunk.old.len());
        found.is_some_and(|found| found.iter().zip(&hunk.old).all(|(a, b)| same(a, b)))
    };
    let said = hunk.start.saturating_sub(1);
    if said >= from && said <= lines.len() && fits(said) {
        return Some(said);
    }
    (from..=lines.len()).find(|at| fits(*at))
}

fn same(left: &str, right: &str) -> bool {
    left.trim_end() == right.trim_end()
}

fn join(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::{Change, read};

    fn patches(text: &str) -> Vec<(Option<String>, &'static str)> {
        let document = document::parse(text);
        let found = document.blocks.iter().flat_map(read).map(|patch| {
            let change = match patch.change {
                Change::Edit(_) => "edit",
                Change::Create(_) => "create",
                Change::Replace(_) => "replace",
                Change::Delete => "delete",
                Change::Arrive | Change::Folder => "by a file operation",
            };
            (patch.target, change)
        });
        found.collect()
    }

    #[track_caller]
    fn check(text: &str, wanted: &[(&str, &str)]) {
        let found = patches(text);
        let found: Vec<_> = found
            .iter()
            .map(|(target, change)| (target.as_deref().unwrap_or("?"), *change))
            .collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn each_way_to_name_a_file_is_understood() {
        check("```diff\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n```", &[("x.ts", "edit")]);
        check("```\n--- x.ts\t2026\n+++ x.ts\n@@\n+b\n```", &[("x.ts", "edit")]);
        check("### Patch: `y.ts`\n```diff\n@@ -1 +1 @@\n-a\n+b\n```", &[("y.ts", "edit")]);
        check("### Patch: y.json\n```json\n{}\n```", &[("y.json", "replace")]);
        check("```diff\n@@ -1 +1 @@\n-a\n+b\n```", &[("?", "edit")]);
        check("### Example\n```ts\nlet a = 1;\n```", &[]);
    }

    #[test]
    fn a_block_can_have_several_files() {
        let text = "```diff\ndiff --git a/n.ts b/n.ts\nnew file mode 100644\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1 @@\n+n\n\
                    diff --git a/o.ts b/o.ts\n--- a/o.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n\
                    diff --git a/p.ts b/q.ts\nrename from p.ts\nrename to q.ts\n```";
        check(
            text,
            &[("n.ts", "create"), ("o.ts", "delete"), ("p.ts", "delete"), ("q.ts", "create")],
        );
    }

    #[test]
    fn a_change_is_applied_where_it_fits() {
        let text = "```diff\n--- a/x\n+++ b/x\n@@ -90,9 +90 @@\n b\n-c\n+d\n\\ No newline at end of file\n```";
        let document = document::parse(text);
        let patch = &read(&document.blocks[0])[0];
        assert_eq!(patch.change.apply("a\nb\nc\ne").unwrap(), "a\nb\nd\ne\n");
        assert_eq!(patch.change.apply("a\nc\n"), None);
    }
}
