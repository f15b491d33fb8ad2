//! Random texts and random edits, written in every patch format: applying them gives the edited
//! text. And no mutation of a patch makes the reader panic or put a line in the wrong place.

use portolan_types::RepoPath;
use proptest::prelude::*;

use super::PatchDraft;
use crate::reply::read;

/// A text with an edit: every line is kept, deleted or replaced, and lines may be inserted before
/// it.
#[derive(Clone, Debug)]
struct EditCase {
    old: Vec<String>,
    new: Vec<String>,
    /// Runs of lines: kept ones, or deleted and added ones.
    runs: Vec<(Vec<String>, Vec<String>, bool)>,
    ending: &'static str,
    lacks_newline: bool,
}

fn case() -> impl Strategy<Value = EditCase> {
    let line = (0..4_u8, "[ab{} ]{0,3}");
    let lines = proptest::collection::vec(line, 1..30);
    (lines, any::<bool>(), any::<bool>(), proptest::collection::vec("[xyz -+@]{0,4}", 30)).prop_map(
        |(lines, is_windows, lacks_newline, fresh)| {
            let mut runs: Vec<(Vec<String>, Vec<String>, bool)> = Vec::new();
            for (index, (fate, text)) in lines.into_iter().enumerate() {
                // A number makes each line unique, so that every position is unambiguous.
                let text = format!("{text}{index}");
                let is_kept = fate < 2;
                if runs.last().is_none_or(|(_, _, kept)| *kept != is_kept) {
                    runs.push((Vec::new(), Vec::new(), is_kept));
                }
                let (old, new, _) = runs.last_mut().unwrap();
                old.push(text.clone());
                match fate {
                    0 | 1 => new.push(text),
                    2 => new.push(format!("{}+{index}", fresh[index])),
                    _ => {}
                }
            }
            let old = runs.iter().flat_map(|(old, _, _)| old.clone()).collect();
            let new = runs.iter().flat_map(|(_, new, _)| new.clone()).collect();
            let ending = if is_windows { "\r\n" } else { "\n" };
            EditCase { old, new, runs, ending, lacks_newline }
        },
    )
}

impl EditCase {
    fn text(&self, lines: &[String]) -> String {
        let mut text: String = lines.iter().flat_map(|line| [line.as_str(), self.ending]).collect();
        if self.lacks_newline && !text.is_empty() {
            text.truncate(text.len() - self.ending.len());
        }
        text
    }

    fn changes(&self) -> bool {
        self.runs.iter().any(|(_, _, kept)| !kept)
    }

    /// One hunk per run, with a context line before and after it.
    fn hunks(&self, numbered: bool) -> String {
        let mut hunks = String::new();
        let (mut at, mut new_at) = (0, 0);
        for (index, (old, new, is_kept)) in self.runs.iter().enumerate() {
            if !is_kept {
                let before = index.checked_sub(1).and_then(|index| self.runs[index].0.last());
                // The next hunk needs its own context line.
                let behind = self.runs.get(index + 1).filter(|(old, _, _)| old.len() > 1);
                let behind = behind.and_then(|(old, _, _)| old.first());
                let around = usize::from(before.is_some()) + usize::from(behind.is_some());
                let first = at - usize::from(before.is_some());
                let new_first = new_at - usize::from(before.is_some());
                let count = |first: usize, lines: usize| {
                    format!("{},{}", if lines == 0 { first } else { first + 1 }, lines)
                };
                let header = if numbered {
                    let (old, new) = (old.len() + around, new.len() + around);
                    format!("@@ -{} +{} @@\n", count(first, old), count(new_first, new))
                } else {
                    "@@\n".to_owned()
                };
                hunks.push_str(&header);
                let mut push = |mark: &str, lines: &mut dyn Iterator<Item = &String>| {
                    lines.for_each(|line| hunks.extend([mark, line, "\n"]));
                };
                push(" ", &mut before.into_iter());
                push("-", &mut old.iter());
                push("+", &mut new.iter());
                push(" ", &mut behind.into_iter());
            }
            at += old.len();
            new_at += new.len();
        }
        hunks
    }

    fn searches(&self) -> String {
        let changed = self.runs.iter().filter(|(_, _, kept)| !kept);
        let block = |(old, new, _): &(Vec<String>, Vec<String>, bool)| {
            let lines =
                |lines: &[String]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
            format!("f.x\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", lines(old), lines(new))
        };
        changed.map(block).collect()
    }
}

/// The text of `f.x` after a reply, or the misfits.
fn applied(text: &str, reply: &str) -> Result<String, String> {
    let reply = read(reply);
    let draft = PatchDraft::new(&reply, &|path| path == "f.x");
    let bytes = |path: &RepoPath| (path.as_str() == "f.x").then_some(text.as_bytes());
    let outcome = draft.finish(&bytes);
    if !reply.problems.is_empty() || !outcome.misfits.is_empty() {
        return Err(format!("{:?} {:?}", reply.problems, outcome.misfits));
    }
    let [file] = &outcome.files[..] else { return Err(format!("{:?}", outcome.files)) };
    let bytes = file.bytes.clone().ok_or("gone")?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

proptest! {
    #[test]
    fn an_edit_in_any_form_gives_the_edited_text(case in case()) {
        prop_assume!(case.changes());
        let (old, new) = (case.text(&case.old), case.text(&case.new));
        let unified = format!("--- a/f.x\n+++ b/f.x\n{}", case.hunks(true));
        let fenced = format!("```diff\n{unified}```\n");
        prop_assert_eq!(applied(&old, &fenced), Ok(new.clone()), "{}", fenced);
        prop_assert_eq!(applied(&old, &unified.replace('\n', "\r\n")), Ok(new.clone()));
        let listed: String = fenced.lines().map(|line| format!("   {line}\n")).collect();
        prop_assert_eq!(applied(&old, &format!("1. so\n\n{listed}")), Ok(new.clone()));
        let git = format!("diff --git a/f.x b/f.x\nindex 1..2 100644\n{unified}");
        prop_assert_eq!(applied(&old, &git), Ok(new.clone()));
        let envelope = format!("*** Begin Patch\n*** Update File: f.x\n{}*** End Patch\n", case.hunks(false));
        prop_assert_eq!(applied(&old, &envelope), Ok(new.clone()), "{}", envelope);
        let searches = case.searches();
        prop_assert_eq!(applied(&old, &searches), Ok(new), "{}", searches);
    }

    #[test]
    fn a_mutated_patch_is_applied_to_lines_that_are_there_or_refused(
        case in case(), at in 0..400_usize, with in "[-+ @ab0-9`<>=\\\\\n]{0,3}", cut in 0..3_usize,
    ) {
        let old = case.text(&case.old);
        let head = "--- a/f.x\n+++ b/f.x\n";
        for reply in [
            format!("```diff\n{head}{}```\n", case.hunks(true)),
            format!("*** Begin Patch\n*** Update File: f.x\n{}*** End Patch\n", case.hunks(false)),
            case.searches(),
        ] {
            let mut mutated = reply.clone();
            let at = at % (mutated.len() + 1);
            let end = (at + cut).min(mutated.len());
            if mutated.is_char_boundary(at) && mutated.is_char_boundary(end) {
                mutated.replace_range(at..end, &with);
            }
            // Lines that the reply does not delete are still there.
            if let Ok(new) = applied(&old, &mutated) {
                let kept = case.old.iter().filter(|line| !mutated.contains(line.as_str()));
                for line in kept {
                    prop_assert!(new.lines().any(|other| other == line), "{} lost by {}", line, mutated);
                }
            }
        }
    }

    #[test]
    fn no_text_is_too_odd(lines in proptest::collection::vec(
        prop_oneof![
            Just("```diff".to_owned()), Just("```".to_owned()), Just("--- a/f.x".to_owned()),
            Just("+++ b/f.x".to_owned()), Just("@@ -1,2 +1 @@".to_owned()), Just("@@".to_owned()),
            Just("diff --git a/f.x b/f.x".to_owned()), Just("*** Begin Patch".to_owned()),
            Just("*** Update File: f.x".to_owned()), Just("*** End Patch".to_owned()),
            Just("<<<<<<< SEARCH".to_owned()), Just("=======".to_owned()), Just("### File Ops".to_owned()),
            Just(">>>>>>> REPLACE".to_owned()), "[-+ >#*@é`]{0,5}.{0,6}", "(mv|rm|cp) [a-z. ]{0,9}",
            "(rename|copy) (from|to) [a-z.]{0,4}", "(new|deleted) file mode [0-9]{0,6}",
        ], 0..30), ending in "\n|\r\n") {
        let text = lines.join(&ending);
        let _ = applied("a\nb\n", &text);
        let count = text.lines().count() + 1;
        prop_assert!(read(&text).problems.iter().all(|problem| problem.line <= count));
    }
}
