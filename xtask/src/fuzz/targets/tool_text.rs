//! Targets that read the output of tools and assistants, and the guard.

use std::path::Path;

use portolan_chat::check_reply::{self, ReplyRequest};
use portolan_types::RepoPath;
use portolan_vfs::MemorySystem;
use portolan_workspace::config;
use portolan_x07::pack::ManifestError;
use portolan_x07::pack::read_diagnostics;
use portolan_x07::pack::read_manifest;

use super::artifacts::portolan_archive_bytes;

/// Tool output: any text is read to its end, and its locations are resolved.
pub(super) fn output(input: &[u8]) -> String {
    let reading = portolan_diagnostics::readers::read(input, None);
    assert!(reading.unknown <= reading.lines);
    let files = ["src/a.ts", "src/b.py", "m/c.go", "d.rs"].map(str::to_owned);
    let ground = portolan_diagnostics::locations::PathContext {
        files: portolan_diagnostics::locations::FileIndex::new(files),
        root: "/repo".to_owned(),
        folder: "src".to_owned(),
    };
    let formats: Vec<&str> = reading.formats.iter().map(|format| format.name()).collect();
    let mut located = portolan_diagnostics::locations::locate(reading.findings, &ground);
    for diagnostic in &mut located.diagnostics {
        diagnostic.check_against_source("a\n\tb 船\n");
        diagnostic.utf16_col("\tb 船");
    }
    let merged = portolan_diagnostics::focus::merge(located.diagnostics);
    portolan_diagnostics::focus::choose(
        &merged,
        &portolan_diagnostics::focus::FocusRule::Ranked,
        &std::collections::BTreeMap::new(),
    );
    format!("{} {}", formats.join(","), merged.diagnostics.len().min(4))
}

pub(super) fn diagnostics(input: &[u8]) -> String {
    match read_diagnostics(input) {
        Ok(_) => "read".to_owned(),
        Err(error) => error.message,
    }
}

pub(super) fn project(input: &[u8]) -> String {
    match read_manifest(input) {
        Ok(_) => "read".to_owned(),
        Err(ManifestError::Parse(message) | ManifestError::Invalid(message)) => message,
    }
}

pub(super) fn reply_text(input: &[u8]) -> String {
    let system = MemorySystem::default();
    system.put("/r/src/a.ts", "export const a = 1;\n");
    system.put("/r/.stan/output/archive.tar", portolan_archive_bytes());
    let Ok(config) = config::load(&system, Path::new("/r")) else { return String::new() };
    let reply = String::from_utf8_lossy(input).into_owned();
    let lines = reply.lines().count() as u64;
    match check_reply::check(&system, &ReplyRequest { config, reply }) {
        Err(error) => error.to_string(),
        Ok(report) => {
            let is_placed = |line: u64| line <= lines + 1;
            assert!(report.findings.iter().all(|finding| is_placed(finding.line as u64)));
            report.findings.iter().map(|finding| finding.rule.code()).collect::<Vec<_>>().join(" ")
        }
    }
}

pub(super) fn diff(input: &[u8]) -> String {
    patched("```diff\n", input, "\n```\n")
}

pub(super) fn envelope(input: &[u8]) -> String {
    patched("*** Begin Patch\n", input, "\n*** End Patch\n")
}

pub(super) fn exchange(input: &[u8]) -> String {
    patched("f\n<<<<<<< SEARCH\n", input, "\n>>>>>>> REPLACE\n")
}

pub(super) fn file_ops(input: &[u8]) -> String {
    patched("### File Ops\n```\n", input, "\n```\n")
}

/// A patch format, inside and outside its usual surroundings. Every hunk is located, the result is
/// deterministic, and no other file changes.
fn patched(before: &str, input: &[u8], after: &str) -> String {
    let text = String::from_utf8_lossy(input);
    let mut parts = Vec::new();
    for reply in [format!("{before}{text}{after}"), text.into_owned()] {
        let lines = reply.lines().count();
        let reply = portolan_chat::reply::read(&reply);
        assert!(reply.problems.iter().all(|problem| problem.line <= lines + 1));
        let files = [("f", "a\nb\nc\n"), ("g", "a\r\na\r\nlast"), ("f.ts", "")];
        let bytes = |path: &RepoPath| {
            let file = files.iter().find(|(name, _)| *name == path.as_str());
            file.map(|(_, text)| text.as_bytes())
        };
        let draft =
            portolan_chat::reply::PatchDraft::new(&reply, &|path| path == "f" || path == "g");
        let outcome = draft.finish(&bytes);
        assert_eq!(outcome.files, draft.finish(&bytes).files);
        let is_touched = |path: &RepoPath| draft.targets.iter().any(|target| target.path == *path);
        assert!(outcome.files.iter().all(|file| is_touched(&file.path)));
        assert!(outcome.misfits.iter().all(|misfit| misfit.line <= lines + 1));
        let budget = portolan_chat::reply::CompareBudget::default();
        for claim in &reply.claims {
            assert!((1..=lines + 1).contains(&claim.line));
            // A complete text is a quotation of itself.
            assert!(claim.is_quoted_from(&claim.lines.join("\n"), &budget));
            parts.push(format!("{:?}", claim.sort));
        }
        parts.extend(reply.problems.iter().map(|problem| problem.message.clone()));
        parts.extend(outcome.misfits.iter().map(|misfit| misfit.message.clone()));
        parts.extend(outcome.files.iter().map(|file| format!("{:?}", file.role)));
    }
    parts.truncate(4);
    parts.join(" ")
}

/// A name on the first line, then the text of the file. Masked text stays masked, and the result is
/// the same every time.
pub(super) fn guard(input: &[u8]) -> String {
    let (name, text) = input.split_at(input.iter().position(|byte| *byte == b'\n').unwrap_or(0));
    let denial = RepoPath::new(String::from_utf8_lossy(name)).ok().and_then(|path| {
        let denial = portolan_guard::detect(&path, text);
        assert_eq!(denial, portolan_guard::detect(&path, text));
        denial
    });
    let inspection = portolan_guard::inspect(text);
    assert_eq!(portolan_guard::Inspection::from_code(inspection.code()), Some(inspection));
    let found = portolan_guard::explain(text);
    let shown = String::from_utf8_lossy(text);
    let masked = portolan_guard::redact(&shown);
    assert_eq!(portolan_guard::redact(&masked), masked, "masking again changes it");
    let rules: Vec<&str> = found.iter().map(|(rule, _)| *rule).collect();
    format!("{} {}", denial.map_or("", |denial| denial.rule), rules.join(" "))
}
