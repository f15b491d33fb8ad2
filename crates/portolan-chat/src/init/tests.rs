//! Tests which files are written and kept, and that nothing is written twice.

use std::path::Path;

use portolan_vfs::{MemorySystem, System};

use super::{InitError, InitReport, InitRequest, init};
use portolan_workspace::config;

const LINES: &str = "/.stan/output/\n/.stan/diff/\n/.stan/patch/\n/.stan/imports/\n/.stan/context/\n/.stan/cache/\n";

fn repository(files: &[(&str, &str)]) -> MemorySystem {
    let system = MemorySystem::default();
    system.create_dir_all(Path::new("/r")).unwrap();
    for (path, text) in files {
        system.put(format!("/r/{path}"), *text);
    }
    system
}

fn attempt(system: &MemorySystem, dry_run: bool, refresh: bool) -> Result<InitReport, InitError> {
    let config = config::load(system, Path::new("/r")).unwrap();
    init(
        system,
        &InitRequest { config, agents: false, refresh, dry_run, undo: false, has_claude: false },
    )
}

fn actions(report: &InitReport) -> Vec<String> {
    report.steps.iter().map(|step| format!("{} {}", step.action.name(), step.path)).collect()
}

fn text(system: &MemorySystem, path: &str) -> String {
    String::from_utf8(system.read(Path::new(path)).unwrap()).unwrap()
}

#[test]
fn an_empty_folder_gets_a_configuration_docs_and_ignore_lines() {
    let system = repository(&[]);
    let report = attempt(&system, false, false).unwrap();
    let wanted = [
        "create stan.config.yml",
        "create .stan/system/stan.system.md",
        "create .stan/system/stan.project.md",
        "create .gitignore",
    ];
    assert_eq!(actions(&report), wanted);
    assert_eq!(text(&system, "/r/.gitignore"), LINES);
    assert_eq!(text(&system, "/r/.stan/system/stan.system.md"), crate::guide::text(".stan"));
    let loaded = config::load(&system, Path::new("/r")).unwrap();
    assert_eq!(loaded.settings, config::Settings::default(), "the template says the defaults");
    assert!(loaded.notices.is_empty());
}

#[test]
fn a_second_time_changes_nothing() {
    let system = repository(&[]);
    attempt(&system, false, false).unwrap();
    let before = system.files_below("/r");
    let report = attempt(&system, false, true).unwrap();
    assert!(actions(&report).iter().all(|line| line.starts_with("keep ")), "{report:?}");
    assert_eq!(system.files_below("/r"), before);
}

#[test]
fn what_is_there_is_kept() {
    let system = repository(&[
        ("stan.config.json", r#"{"stan-core":{"stanPath":"notes"}}"#),
        ("notes/system/stan.system.md", "ours"),
        (".gitignore", "node_modules\r\nnotes/output"),
    ]);
    let report = attempt(&system, false, false).unwrap();
    let wanted = [
        "keep stan.config.json",
        "keep notes/system/stan.system.md",
        "create notes/system/stan.project.md",
        "append .gitignore",
    ];
    assert_eq!(actions(&report), wanted);
    assert_eq!(text(&system, "/r/notes/system/stan.system.md"), "ours");
    let ignore = text(&system, "/r/.gitignore");
    assert!(ignore.starts_with("node_modules\r\nnotes/output\r\n/notes/diff/\r\n"), "{ignore:?}");
    assert_eq!(ignore.matches("notes/output").count(), 1);
}

#[test]
fn an_old_copy_of_the_guide_is_replaced_only_on_request() {
    let system = repository(&[(".stan/system/stan.system.md", "of an older version")]);
    attempt(&system, false, false).unwrap();
    assert_eq!(text(&system, "/r/.stan/system/stan.system.md"), "of an older version");
    let report = attempt(&system, false, true).unwrap();
    assert!(actions(&report).contains(&"replace .stan/system/stan.system.md".to_owned()));
    assert_eq!(text(&system, "/r/.stan/system/stan.system.md"), crate::guide::text(".stan"));
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    let system = repository(&[("a.ts", "")]);
    let told = attempt(&system, true, false).unwrap();
    assert_eq!(system.files_below("/r").len(), 1);
    let done = attempt(&system, false, false).unwrap();
    assert_eq!(told.steps, done.steps);
}

#[test]
fn a_link_that_leads_out_is_not_written_through() {
    for link in ["/r/.gitignore", "/r/.stan"] {
        let system = repository(&[]);
        system.put("/elsewhere/file", "theirs");
        system.link(link, if link.ends_with("stan") { "/elsewhere" } else { "/elsewhere/file" });
        assert!(attempt(&system, false, false).is_err(), "{link}");
        assert_eq!(system.files_below("/elsewhere").len(), 1);
        assert_eq!(text(&system, "/elsewhere/file"), "theirs");
    }
}
