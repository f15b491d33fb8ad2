//! Good and bad replies: the files after a good one, and the findings of a bad one.
//!
//! The repository has a plain archive, so the rules about checklist and state do not apply; they
//! have tests beside the code.

mod bad;
mod git;
mod good;
mod growth;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use portolan_archive::tar::TarWriter;
use portolan_chat::apply::{ApplyReport, ApplyRequest, UndoRequest, apply, undo};
use portolan_chat::check_reply::{ReplyRequest, check};
use portolan_vfs::{MemorySystem, System};
use portolan_workspace::config;

const ABC: &str = "export const a = 1;\nexport const b = 2;\nexport const c = 3;\n";

const CONFIG: &str = "{ \"stan-core\": {} }\n";

/// The files that the assistant has seen and that are on the disk.
const FILES: [(&str, &str); 10] = [
    ("src/a.ts", ABC),
    ("src/twice.ts", "x\ny\nx\ny\n"),
    ("src/crlf.ts", "one\r\ntwo\r\nthree\r\n"),
    ("src/bare.txt", "first\nlast"),
    ("src/marked.ts", "\u{feff}let m = 1;\nlet n = 2;\n"),
    ("src/empty.ts", ""),
    ("src/deep/only.ts", "only\n"),
    ("docs/guide.md", "# Guide\n\n```ts\ncode\n```\n\n- item\n"),
    ("run.sh", "#!/bin/sh\necho hi\n"),
    ("a/b.ts", "ab\n"),
];

/// A repository after a run. Besides [`FILES`], the archive has files that have changed since, and
/// the disk has files outside the archive.
fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    let mut writer = TarWriter::new(Vec::new());
    let mut archived: BTreeMap<&str, &str> = FILES.into_iter().collect();
    archived.extend([("stale.ts", "then\n"), ("gone.ts", "gone\n"), ("link.ts", ABC)]);
    archived.insert("stan.config.json", CONFIG);
    for (path, text) in &archived {
        writer.append(path, false, text.as_bytes()).unwrap();
    }
    let (bytes, _) = writer.finish().unwrap();
    system.put("/r/.stan/output/archive.tar", bytes);
    for (path, text) in FILES {
        system.put(format!("/r/{path}"), text);
    }
    system.set_executable(Path::new("/r/run.sh"), true).unwrap();
    for (path, text) in [
        ("stale.ts", "now\n"),
        ("stan.config.json", CONFIG),
        ("unseen.ts", "unseen\n"),
        (".env", "KEY=secret\n"),
        (".git/config", "[core]\n"),
        (".stan/imports/kit/a.md", "kit\n"),
    ] {
        system.put(format!("/r/{path}"), text);
    }
    system.link("/r/link.ts", "src/a.ts");
    system.link("/r/alias", "src");
    system
}

/// The codes of the findings in a reply, each once, without the common prefix.
fn findings(system: &MemorySystem, reply: &str) -> Vec<String> {
    let config = config::load(system, Path::new("/r")).unwrap();
    let report = check(system, &ReplyRequest { config, reply: reply.to_owned() }).unwrap();
    let mut codes: Vec<String> =
        report.findings.iter().map(|finding| finding.rule.code()[10..].to_owned()).collect();
    codes.sort();
    codes.dedup();
    codes
}

fn apply_to(system: &dyn System, reply: &str) -> ApplyReport {
    let config = config::load(system, Path::new("/r")).unwrap();
    let request = ApplyRequest {
        config,
        reply: reply.to_owned(),
        is_lenient: false,
        is_dry_run: false,
        wait: Duration::ZERO,
    };
    apply(system, &request, &|_| {}).unwrap()
}

fn undo_in(system: &dyn System) {
    let config = config::load(system, Path::new("/r")).unwrap();
    let request = UndoRequest { config, is_dry_run: false, wait: Duration::ZERO };
    undo(system, &request, &|_| {}).unwrap();
}

/// All files of the repository outside the workspace.
fn tree(system: &MemorySystem) -> BTreeMap<String, String> {
    let files = system.files_below("/r").into_iter().map(|(path, bytes)| {
        let path = path.strip_prefix("/r").unwrap().to_str().unwrap().to_owned();
        (path, String::from_utf8(bytes).unwrap_or_default())
    });
    files.filter(|(path, _)| !path.starts_with(".stan/")).collect()
}
