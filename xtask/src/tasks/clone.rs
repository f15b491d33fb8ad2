//! Reads the trees and messages of commits from clones.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::ChoreResult;

/// The message of a commit.
pub(super) fn message(clone: &Path, commit: &str) -> ChoreResult<String> {
    Ok(git(clone, &["log", "-1", "--format=%B", commit])?.trim().to_owned())
}

fn git(clone: &Path, args: &[&str]) -> ChoreResult<String> {
    let output = Command::new("git").arg("-C").arg(clone).args(args).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines that a commit removed from and added to files that are not tests, as `--changed` sees
/// them.
pub(super) fn changed_lines(clone: &Path, commit: &str, files: &[String]) -> ChoreResult<String> {
    let files_of_code: Vec<&str> =
        files.iter().map(String::as_str).filter(|path| !super::is_test(path)).collect();
    if files_of_code.is_empty() {
        return Ok(String::new());
    }
    let before = format!("{commit}^1");
    let diff = git(
        clone,
        &[&["diff", "-U0", "--no-renames", &before, commit, "--"], &files_of_code[..]].concat(),
    )?;
    let is_line = |line: &&str| {
        let is_head = line.starts_with("+++") || line.starts_with("---");
        !is_head && line.starts_with(['+', '-'])
    };
    let lines: Vec<&str> = diff.lines().filter(is_line).map(|line| &line[1..]).collect();
    Ok(lines.join("\n"))
}

/// The files of a commit, in a folder of their own; files with missing blobs are left out.
pub(super) fn tree(clone: &Path, base: &str, work: &Path) -> ChoreResult<PathBuf> {
    let name = clone.file_name().unwrap_or_default().to_string_lossy();
    let out = work.join(format!("{name}-{}", &base[..10.min(base.len())]));
    if out.exists() {
        return Ok(out);
    }
    let mut cat = Command::new("git")
        .arg("-C")
        .arg(clone)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut asks = cat.stdin.take().ok_or("no stdin")?;
    let mut answers = BufReader::new(cat.stdout.take().ok_or("no stdout")?);
    for entry in git(clone, &["ls-tree", "-rz", base])?.split('\0') {
        let Some((head, path)) = entry.split_once('\t') else { continue };
        let fields: Vec<&str> = head.split(' ').collect();
        let [mode, "blob", sha] = fields[..] else { continue };
        if mode == "120000" {
            continue;
        }
        writeln!(asks, "{sha}")?;
        asks.flush()?;
        let mut answer = String::new();
        answers.read_line(&mut answer)?;
        let Some(size) = answer.split_whitespace().nth(2) else { continue };
        let mut data = vec![0; size.parse::<usize>()? + 1];
        answers.read_exact(&mut data)?;
        data.pop();
        let file = out.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&out))?;
        fs::write(file, data)?;
    }
    Command::new("git").arg("init").arg("-q").arg(&out).status()?;
    // The history up to the commit, from the objects of the clone.
    let real = fs::canonicalize(clone)?;
    let objects = [real.join("objects"), real.join(".git/objects")];
    let objects = objects.iter().find(|path| path.is_dir()).ok_or("the clone has no objects")?;
    let info = out.join(".git/objects/info");
    fs::create_dir_all(&info)?;
    fs::write(info.join("alternates"), format!("{}\n", objects.display()))?;
    fs::write(out.join(".git/HEAD"), format!("{base}\n"))?;
    Ok(out)
}
