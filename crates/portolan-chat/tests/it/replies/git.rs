//! Patches of `git diff`, whole and damaged, applied here and by `git apply`: where both accept
//! one, the bytes are the same.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use portolan_chat::reply::{PatchDraft as Draft, read};
use portolan_testkit::random::RandomNumbers;
use portolan_testkit::reliability;
use portolan_types::RepoPath;

/// Texts and patches that are the same in every run.
struct RandomPatches(RandomNumbers);

impl RandomPatches {
    fn below(&mut self, most: usize) -> usize {
        self.0.below(most)
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Lines with unlike ends, some of them equal.
    fn text(&mut self) -> String {
        let ends: &[&str] =
            [&["\n"][..], &["\r\n"], &["\n", "\r\n"], &["\n", "\r\r\n", "\r\n"]][self.below(4)];
        let is_numbered = self.below(2) == 0;
        let mut text = if self.below(9) == 0 { "\u{feff}".to_owned() } else { String::new() };
        for n in 0..=self.below(24) {
            text += self.one(&["a", "b", "}", "", "  x", "-", "--", "+", "--- a", "@@", "\\", "é"]);
            text += &if is_numbered { n.to_string() } else { String::new() };
            text += self.one(ends);
        }
        if self.below(3) == 0 { text.trim_end_matches(['\r', '\n']).to_owned() } else { text }
    }

    fn edited(&mut self, text: &str) -> String {
        let mut new = String::new();
        for line in text.split_inclusive('\n') {
            match self.below(20) {
                0 => {}
                1 => new += self.one(&["new\n", "x\r\n", "\n"]),
                2 if line.ends_with("\r\n") => new += &line.replace("\r\n", "\n"),
                2 => new += &line.replace('\n', "\r\n"),
                3 => new.extend([line, self.one(&["in\n", "in\r\n"])]),
                _ => new += line,
            }
        }
        if self.below(8) == 0 { new.trim_end_matches('\n').to_owned() } else { new }
    }

    /// A patch with one character or one line changed.
    fn damaged(&mut self, patch: &str) -> String {
        let mut lines: Vec<&str> = patch.split('\n').collect();
        let at = self.below(lines.len());
        match self.below(5) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, self.one(&["", " ", "+x", "-x", " x", "\\", "@@ -1 +1 @@", "x"])),
            2 => lines.truncate(at),
            _ => {
                let mut text: Vec<char> = patch.chars().collect();
                let at = self.below(text.len());
                let with =
                    self.one(&["", " ", "-", "+", "@", "1", "9", ",", "\r", "\n", "a", "\\"]);
                text.splice(at..=at, with.chars());
                return text.into_iter().collect();
            }
        }
        lines.join("\n")
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .output()
        .unwrap()
}

/// The patch that makes one text of another.
fn patch(folder: &Path, old: &str, new: &str) -> String {
    fs::write(folder.join("a"), old).unwrap();
    fs::write(folder.join("b"), new).unwrap();
    let arguments = ["diff", "--no-index", "--no-color", "--text", "a", "b"];
    let patch = String::from_utf8(git(folder, &arguments).stdout).unwrap();
    let lines = patch.split_inclusive('\n').skip_while(|line| !line.starts_with("@@"));
    format!("--- a/f\n+++ b/f\n{}", lines.collect::<String>())
}

/// The text after `git apply`.
fn by_git(folder: &Path, old: &str, patch: &str, options: &[&str]) -> Option<String> {
    fs::write(folder.join("f"), old).unwrap();
    fs::write(folder.join("patch"), patch).unwrap();
    let arguments = [&["apply", "--whitespace=nowarn"], options, &["patch"]].concat();
    let is_applied = git(folder, &arguments).status.success();
    is_applied.then(|| fs::read_to_string(folder.join("f")).unwrap())
}

/// The text after the patch, as a reply, and whether hunks were counted again.
fn by_us(old: &str, reply: &str) -> Option<(String, bool)> {
    let reply = read(reply);
    let draft = Draft::new(&reply, &|path| path == "f");
    let is_f = |target: &portolan_chat::reply::TouchedPath| target.path.as_str() == "f";
    let outcome = draft.finish(&|path: &RepoPath| (path.as_str() == "f").then_some(old.as_bytes()));
    let is_sound = reply.problems.is_empty() && outcome.misfits.is_empty();
    let [file] = &outcome.files[..] else { return None };
    let bytes = file.bytes.clone().filter(|_| is_sound && draft.targets.iter().all(is_f))?;
    Some((String::from_utf8(bytes).unwrap(), !reply.notes.is_empty()))
}

#[test]
fn the_bytes_are_those_of_git() {
    if !reliability::is_installed("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut numbers = RandomPatches(RandomNumbers(35));
    let (mut tried, mut whole) = (0, 0);
    while tried < 150 {
        let old = numbers.text();
        let new = numbers.edited(&old);
        if new == old || old.is_empty() || new.is_empty() {
            continue;
        }
        tried += 1;
        let patch = patch(folder, &old, &new);
        assert_eq!(by_git(folder, &old, &patch, &[]).as_ref(), Some(&new), "{patch:?}");
        let fenced = format!("So:\n\n``````diff\n{patch}``````\n");
        for reply in [&patch, &fenced] {
            assert_eq!(by_us(&old, reply), Some((new.clone(), false)), "{old:?}\n{reply:?}");
        }
        for damaged in [0; 3].map(|_| numbers.damaged(&patch)) {
            let Some((ours, is_recounted)) = by_us(&old, &damaged) else { continue };
            let options: &[&str] = if is_recounted { &["--recount"] } else { &[] };
            if let Some(theirs) = by_git(folder, &old, &damaged, options) {
                assert_eq!(ours, theirs, "{old:?}\n{damaged:?}");
                whole += 1;
            }
        }
    }
    assert!(whole > 20, "{whole} damaged patches were accepted by both");
    reliability::row(
        "attacks",
        "patches of `git diff` with mixed line ends, whole and damaged",
        tried * 5,
        "where `git apply` accepts one too, the bytes are the same",
    );
}
