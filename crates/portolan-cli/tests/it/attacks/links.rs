//! Links with harmless names to files that may hold secrets.

use portolan_testkit::reliability;

use super::{CANARY, Lair};

/// Links, and the files that they lead to.
const LINKS: [(&str, &str); 12] = [
    ("notes.txt", ".env"),
    ("docs/notes.md", "../.env"),
    ("twice.md", "notes.txt"),
    ("x.ts", ".env"),
    ("README.txt", ".env"),
    ("CLAUDE.md", ".env"),
    ("Cargo.toml", ".env"),
    ("tests/a.json", "../.env"),
    ("n.txt", ".netrc"),
    ("g.md", "conf/gradle.properties"),
    ("id.md", ".ssh/id_rsa"),
    // In a document a weak secret is none: what counts is the target.
    ("set.md", "settings.ini"),
];

fn linked() -> Lair {
    let lair = Lair::new(&[
        ("a.ts", "import x from './x';\nexport const a = 1;\n"),
        ("package.json", "{\"name\":\"p\"}"),
        ("README.md", "# Words\n"),
        (".git/HEAD", ""),
        (".env", &format!("DB_PW={CANARY}\n")),
        (".netrc", &format!("machine a\nlogin b\npassword {CANARY}\n")),
        (".ssh/id_rsa", CANARY),
        ("conf/gradle.properties", &format!("db.password={CANARY}9Xq7\n")),
        ("settings.ini", &format!("password = {CANARY}9Xq7pLm2\n")),
    ]);
    for (path, target) in LINKS {
        lair.link(path, target);
    }
    lair.link("ok.md", "README.md");
    lair
}

#[test]
fn a_link_to_a_denied_file_shows_nothing_of_it() {
    let lair = linked();
    let mut tried = 0;
    let mut run = |command: &[&str]| {
        lair.run(command);
        tried += 1;
    };
    for command in [
        &["search", "canary"][..],
        &["search", "DB_PW", "-C", "5"],
        &["search", "--plain", "password"],
        &["search", "--task", "password of the settings"],
        &["pack", "--task", "password of the settings in notes"],
        &["find", "password"],
        &["graph"],
        &["chart"],
        &["run", "--context", "--meta"],
        &["run"],
    ] {
        run(command);
    }
    for (path, _) in LINKS {
        let place = format!("{path}:1");
        for command in [
            &["read", path][..],
            &["read", path, "--needs", "full"],
            &["read", &place],
            &["--format", "json", "read", path],
            &["look", path],
            &["look", path, "--outline"],
            &["search", "a", path],
            &["pack", "--at", &place],
            &["impact", path],
            &["path", "a.ts", path],
            &["chart", path],
        ] {
            run(command);
        }
    }
    let outcome = lair.run(&["read", "ok.md"]);
    assert!(outcome.stdout.contains("# Words"), "{outcome:?}");
    reliability::row(
        "attacks",
        "links with harmless names to files that may hold secrets",
        tried,
        "left out with a notice; nothing of them shown",
    );
}
