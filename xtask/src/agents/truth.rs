//! Answers that are known: how much of them is there, and at what cost.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use portolan_engine::guide::tokens;
use serde_json::Value;

use crate::Outcome;

/// Where the packages of a workspace are, and how many tokens a chart of them may cost.
const WORKSPACES: &str = "tldraw";
const CHART_BUDGET: u64 = 1_400;

/// A file of which both sides are known: the repository, the file, its dependencies, the most tokens.
const LOOKS: [(&str, &str, usize, u64); 1] =
    [("tldraw", "packages/tldraw/src/lib/shapes/arrow/ArrowShapeUtil.tsx", 22, 650)];

/// A declaration and its budget: by what TypeScript's checker says it needs 16 and 21 declarations.
const READS: [(&str, &str, u64); 2] = [
    ("trpc", "packages/client/src/links/httpBatchLink.ts#httpBatchLink", 1_600),
    ("tldraw", "packages/tldraw/src/lib/shapes/arrow/curved-arrow.ts#getCurvedArrowInfo", 4_700),
];

/// Compares the answers about one repository with what is known.
pub(super) fn compare(
    portolan: &Path,
    name: &str,
    folder: &Path,
    text: &mut String,
) -> Outcome<()> {
    let known = Known { portolan, folder };
    for (_, file, needs, most) in LOOKS.iter().filter(|(repository, ..)| *repository == name) {
        known.look(file, *needs, *most, text)?;
    }
    if name == WORKSPACES {
        known.workspaces(text)?;
    }
    for (_, target, budget) in READS.iter().filter(|(repository, ..)| *repository == name) {
        known.read(target, *budget, text)?;
    }
    Ok(())
}

struct Known<'a> {
    portolan: &'a Path,
    folder: &'a Path,
}

impl Known<'_> {
    fn output(&self, arguments: &[&str]) -> Outcome<String> {
        let run = Command::new(self.portolan).args(arguments).current_dir(self.folder).output()?;
        if !run.status.success() {
            let said = String::from_utf8_lossy(&run.stderr).into_owned();
            return Err(format!("{arguments:?}: {said}").into());
        }
        Ok(String::from_utf8(run.stdout)?)
    }

    fn json(&self, arguments: &[&str]) -> Outcome<Value> {
        let text = self.output(&[arguments, &["--format", "json"]].concat())?;
        let answer: Value = serde_json::from_str(&text)?;
        Ok(answer["result"].clone())
    }

    /// Both sides of a file.
    fn look(&self, file: &str, needs: usize, most: u64, text: &mut String) -> Outcome<()> {
        let seen = &self.json(&["look", file])?["looks"][0];
        // What is only reached through a barrel comes on top of what the file names itself, and what is not
        // installed is no file.
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

    /// The packages that a chart names, of those there are.
    fn workspaces(&self, text: &mut String) -> Outcome<()> {
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

    /// The declarations that one names, as `look` tells them, whose line `read` shows.
    fn read(&self, target: &str, budget: u64, text: &mut String) -> Outcome<()> {
        let needs = &self.json(&["look", target, "--side", "needs"])?["looks"][0]["needs"];
        // What it names itself; members of that come with it.
        let is_named = |it: &&Value| {
            it["hop"] == 1 && it["name"].as_str().is_some_and(|name| !name.contains('.'))
        };
        let needs: Vec<&Value> = needs.as_array().into_iter().flatten().filter(is_named).collect();
        let limit = budget.to_string();
        let read = self.json(&["read", target, "--budget", &limit])?;
        let is_shown = |need: &&&Value| {
            let slices = read["slices"].as_array().into_iter().flatten();
            let mut lines = slices
                .filter(|slice| slice["file"] == need["file"])
                .flat_map(|slice| slice["lines"].as_array().into_iter().flatten());
            let line = need["line"].as_u64();
            lines.any(|range| range[0].as_u64() <= line && line <= range[1].as_u64())
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

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
