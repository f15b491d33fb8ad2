//! Compares answers with known facts: how much of them is there, and at what cost.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use portolan_chat::guide::tokens;
use serde_json::Value;

use super::needs::{CURVED_ARROW_INFO, HTTP_BATCH_LINK};
use crate::ChoreResult;

/// The repository whose workspace packages are known, and the token budget of its chart.
const WORKSPACES: &str = "tldraw";
const CHART_BUDGET: u64 = 1_400;

/// A file with known dependencies: the repository, the file, the number of dependencies, the most
/// tokens.
const LOOKS: [(&str, &str, usize, u64); 1] =
    [("tldraw", "packages/tldraw/src/lib/shapes/arrow/ArrowShapeUtil.tsx", 22, 650)];

/// A declaration, its budget, and what it needs.
const READS: [(&str, &str, u64, &[&str]); 2] = [
    ("trpc", "packages/client/src/links/httpBatchLink.ts#httpBatchLink", 1_600, &HTTP_BATCH_LINK),
    (
        "tldraw",
        "packages/tldraw/src/lib/shapes/arrow/curved-arrow.ts#getCurvedArrowInfo",
        4_700,
        &CURVED_ARROW_INFO,
    ),
];
/// The keywords before the name of a declaration.
const DECLARING: [&str; 5] = ["function", "const", "interface", "type", "class"];

/// Compares the answers about one repository with the known facts.
pub(super) fn compare(
    portolan: &Path,
    name: &str,
    folder: &Path,
    text: &mut String,
) -> ChoreResult<()> {
    let known = KnownFacts { portolan, folder };
    for (_, file, needs, most) in LOOKS.iter().filter(|(repository, ..)| *repository == name) {
        known.look(file, *needs, *most, text)?;
    }
    if name == WORKSPACES {
        known.workspaces(text)?;
    }
    for (_, target, budget, needs) in READS.iter().filter(|(repository, ..)| *repository == name) {
        known.read(target, *budget, needs, text)?;
    }
    Ok(())
}

struct KnownFacts<'a> {
    portolan: &'a Path,
    folder: &'a Path,
}

impl KnownFacts<'_> {
    fn output(&self, arguments: &[&str]) -> ChoreResult<String> {
        let run = Command::new(self.portolan).args(arguments).current_dir(self.folder).output()?;
        if !run.status.success() {
            let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
            return Err(format!("{arguments:?}: {stderr}").into());
        }
        Ok(String::from_utf8(run.stdout)?)
    }

    fn json(&self, arguments: &[&str]) -> ChoreResult<Value> {
        let text = self.output(&[arguments, &["--format", "json"]].concat())?;
        let answer: Value = serde_json::from_str(&text)?;
        Ok(answer["result"].clone())
    }

    /// Compares both directions of a file.
    fn look(&self, file: &str, needs: usize, most: u64, text: &mut String) -> ChoreResult<()> {
        let seen = &self.json(&["look", file])?["looks"][0];
        // Files reached only through a barrel are extra, and packages that are not installed have
        // no file.
        let is_direct = |it: &&Value| {
            let mut marks = it["marks"].as_array().into_iter().flatten();
            !marks.any(|mark| mark == "barrel" || mark == "missing")
        };
        let direct = seen["needs"].as_array().into_iter().flatten().filter(is_direct).count();
        let users = seen["users"].as_array().map_or(0, Vec::len);
        let cost = tokens(&self.output(&["look", file])?);
        let _ = writeln!(
            text,
            "| `look` at `{}`, both sides | {direct} of {needs} imports, {users} users, {cost} tokens | {needs} of {needs}, ≤ {most} tokens |",
            base_name(file),
        );
        Ok(())
    }

    /// How many of the packages a chart names.
    fn workspaces(&self, text: &mut String) -> ChoreResult<()> {
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(self.folder.join("package.json"))?)?;
        let globs: Vec<&str> = manifest["workspaces"]
            .as_array()
            .map(|all| all.iter().filter_map(|it| it.as_str()?.strip_suffix("/*")).collect())
            .unwrap_or_default();
        let git = Command::new("git")
            .args(["ls-files", "*/package.json"])
            .current_dir(self.folder)
            .output()?;
        let listed = String::from_utf8(git.stdout)?;
        let folders = listed.lines().filter_map(|path| path.strip_suffix("/package.json"));
        let is_member = |folder: &&str| {
            folder.rsplit_once('/').is_some_and(|(parent, _)| globs.contains(&parent))
        };
        let members: BTreeSet<&str> = folders.filter(is_member).collect();
        let budget = CHART_BUDGET.to_string();
        let chart = self.json(&["chart", "--budget", &budget])?;
        let folded = chart["folded"].as_object().into_iter().flat_map(|all| all.keys().cloned());
        let files = chart["listed"].as_array().into_iter().flatten();
        let files = files.filter_map(|file| file.as_str().map(str::to_owned));
        let shown: Vec<String> = folded.chain(files).collect();
        let is_shown = |member: &&&str| {
            let below = format!("{member}/");
            shown.iter().any(|path| path == **member || path.starts_with(&below))
        };
        let _ = writeln!(
            text,
            "| chart of the workspaces of {WORKSPACES} | {} of {}, {} tokens | all, ≤ {CHART_BUDGET} tokens |",
            members.iter().filter(is_shown).count(),
            members.len(),
            chart["tokens"],
        );
        Ok(())
    }

    /// How many of the needed declarations `read` shows by their signature, in the right file.
    fn read(
        &self,
        target: &str,
        budget: u64,
        needs: &[&str],
        text: &mut String,
    ) -> ChoreResult<()> {
        let limit = budget.to_string();
        let read = self.json(&["read", target, "--needs", "signatures", "--budget", &limit])?;
        let is_shown = |need: &&&str| {
            let (file, name) = need.split_once('#').unwrap_or((need, ""));
            let slices = read["slices"].as_array().into_iter().flatten();
            let mut texts =
                slices.filter(|it| it["file"] == file).filter_map(|it| it["text"].as_str());
            texts.any(|text| declares(text, name))
        };
        let _ = writeln!(
            text,
            "| `read` of `{}` with needs | {} of {}, {} tokens | all, ≤ {budget} tokens |",
            base_name(target),
            needs.iter().filter(is_shown).count(),
            needs.len(),
            read["tokens"],
        );
        Ok(())
    }
}

/// Whether a text contains the signature of a declaration.
fn declares(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    DECLARING.iter().any(|word| {
        let head = format!("{word} {name}");
        text.match_indices(&head).any(|(at, _)| ends(&text[at + head.len()..]))
    })
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
