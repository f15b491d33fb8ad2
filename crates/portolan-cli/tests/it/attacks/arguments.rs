//! Arguments that lead out of the repository, and commands that leave something behind.

use std::fs;
use std::time::{Duration, Instant};

use portolan_testkit::reliability;

use super::Lair;

#[test]
fn an_argument_leads_to_code_only() {
    let lair = Lair::new(&[("src/a.py", "def a():\n  return 1\n"), (".git/HEAD", "")]);
    let asked: [&[&str]; 12] = [
        &["read", "/etc/passwd"],
        &["read", "/etc/passwd:1-3"],
        &["read", "../../../../../../../../etc/passwd"],
        &["search", "root", "/etc/passwd"],
        &["search", "-l", "root", "/etc"],
        &["search", "--plain", "root", "/etc"],
        &["chart", "/etc"],
        &["chart", "/proc"],
        &["look", "/etc/passwd"],
        &["pack", "--at", "/etc/passwd:1"],
        &["read", "/proc/self/environ"],
        &["read", "/var/log"],
    ];
    let system = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = system.lines().next().unwrap_or("root:");
    for command in asked {
        for more in [[].as_slice(), &["--format", "json"]] {
            if command.iter().any(|it| matches!(*it, "-l" | "--plain")) && !more.is_empty() {
                continue;
            }
            let command = [more, command].concat();
            let outcome = lair.run(&command);
            assert_eq!(outcome.code, 2, "{command:?}: {outcome:?}");
            assert!(!outcome.stdout.contains(line), "{command:?}: {outcome:?}");
        }
    }
    // Other repositories and folders of one's own are what the arguments are for.
    let other = lair.base().join("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    fs::write(other.join("b.py"), "def b():\n  return 2\n").unwrap();
    fs::create_dir_all(lair.base().join("plain")).unwrap();
    fs::write(lair.base().join("plain/c.py"), "def c():\n  return 3\n").unwrap();
    for (path, text) in [("../other/b.py", "return 2"), ("../plain/c.py", "return 3")] {
        let outcome = lair.run(&["read", path]);
        assert!(outcome.code == 0 && outcome.stdout.contains(text), "{outcome:?}");
    }
    reliability::row(
        "attacks",
        "arguments that lead to files of the system",
        asked.len() * 2 - 2,
        "exit 2; nothing of them shown",
    );
}

#[test]
fn nobody_waits_for_what_a_command_leaves_behind() {
    let lair = Lair::new(&[("src/a.py", "def a():\n  return 1\n"), (".git/HEAD", "")]);
    let fails = "echo 'src/a.py:2: error: x'; exit 1";
    let left = ["sleep 50 &", "(sleep 50; echo late) &", "sleep 50 2>&1 &"];
    for left in left {
        let start = Instant::now();
        let outcome = lair.run(&["pack", "--", "sh", "-c", &format!("{left} {fails}")]);
        assert!(start.elapsed() < Duration::from_secs(20), "{left}");
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stdout.contains("src/a.py`:2"), "{outcome:?}");
    }
    reliability::row(
        "attacks",
        "commands after `pack --` that leave a process with their output behind",
        left.len(),
        "packed when the command ends",
    );
}
