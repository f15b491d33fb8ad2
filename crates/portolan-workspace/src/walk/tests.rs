//! Each test builds a repository in memory and checks which files count.

use std::path::PathBuf;

use portolan_types::RepoPath;
use portolan_vfs::{MemorySystem, System};

use super::{Scan, ScanSettings, scan};
use crate::{GitEnvironment, Patterns};

#[derive(Default)]
struct TestRepo {
    system: MemorySystem,
    includes: Vec<&'static str>,
    excludes: Vec<&'static str>,
    only: Vec<String>,
}

fn repo(files: &[(&str, &str)]) -> TestRepo {
    let repo = TestRepo::default();
    repo.system.create_dir_all("/r".as_ref()).unwrap();
    for (path, text) in files {
        repo.system.put(format!("/r/{path}"), *text);
    }
    repo
}

impl TestRepo {
    fn link(self, path: &str, target: &str) -> Self {
        self.system.link(format!("/r/{path}"), target);
        self
    }

    fn includes(mut self, pattern: &'static str) -> Self {
        self.includes.push(pattern);
        self
    }

    fn excludes(mut self, pattern: &'static str) -> Self {
        self.excludes.push(pattern);
        self
    }

    fn scan(&self) -> Scan<()> {
        let settings = ScanSettings {
            root: PathBuf::from("/r"),
            stan_path: RepoPath::new(".stan").unwrap(),
            includes: Patterns::new(&self.includes).unwrap(),
            excludes: Patterns::new(&self.excludes).unwrap(),
            git: GitEnvironment::default(),
            only: self.only.clone(),
            guard: portolan_guard::Guard::new(true, &[]),
        };
        scan(&self.system, &settings, &|_| Ok(()))
    }

    fn check(&self, expected: &str) {
        let scanned = self.scan();
        let paths: Vec<_> = scanned.files.iter().map(|(file, ())| file.path.as_str()).collect();
        assert_eq!(paths.join(" "), expected);
    }

    fn check_notices(&self, expected: &[&str]) {
        let notices = self.scan().notices;
        let texts: Vec<_> = notices
            .iter()
            .map(|n| format!("{} {}", n.code.as_str(), n.place.as_ref().unwrap()))
            .collect();
        assert_eq!(texts, expected);
    }
}

#[test]
fn every_file_counts_including_dotfiles() {
    repo(&[("b.ts", ""), ("a/c.ts", ""), (".env.example", "")]).check(".env.example a/c.ts b.ts");
}

#[test]
fn a_walk_may_be_after_some_files_only() {
    let files = [("a/b/c.ts", ""), ("a/d.ts", ""), ("e/f.ts", ""), ("a/.gitignore", "d.ts\n")];
    let mut repo = repo(&files);
    repo.only = vec!["a/b/c.ts".to_owned(), "a/d.ts".to_owned()];
    repo.check("a/b/c.ts");
    let walked = repo.scan().listings;
    assert!(walked.iter().all(|listing| listing.folder != "e"), "{walked:?}");
}

#[test]
fn ignore_files_count_at_every_level() {
    repo(&[
        (".gitignore", "*.log\n/out/\n"),
        ("a.log", ""),
        ("out/x", ""),
        ("p/out/x", ""),
        ("p/.gitignore", "y\n"),
        ("p/y", ""),
        ("p/q/y", ""),
        ("p/q/.gitignore", "!y\n"),
        ("z.log", ""),
        (".portolanignore", "!z.log\np/q/z\n"),
        ("p/q/z", ""),
    ])
    .check(".gitignore .portolanignore p/.gitignore p/out/x p/q/.gitignore p/q/y z.log");
}

#[test]
fn files_that_git_does_not_read_hide_nothing() {
    repo(&[(".ignore", "z\n"), (".rgignore", "z\n"), ("z", "")]).check(".ignore .rgignore z");
}

#[test]
fn only_includes_bring_back_files_below_an_ignored_folder() {
    let files = [
        (".gitignore", "dir/\n!dir/a.ts\nopen/*\n!open/a.ts\n"),
        ("dir/a.ts", ""),
        ("open/a.ts", ""),
        ("open/b.ts", ""),
    ];
    repo(&files).check(".gitignore open/a.ts");
    repo(&files).includes("dir/*.ts").check(".gitignore dir/a.ts open/a.ts");
}

#[test]
fn git_and_node_modules_are_out_at_any_depth() {
    let files = [
        (".git/config", ""),
        ("a.ts", ""),
        ("node_modules/p/i.js", ""),
        ("sub/.git", ""),
        ("sub/node_modules/q/i.js", ""),
    ];
    repo(&files).check("a.ts");
    repo(&files).includes("node_modules/p").check("a.ts node_modules/p/i.js");
    for everything in ["**", "**/*", "*/**", "**/*.js"] {
        repo(&files).includes(everything).check("a.ts");
    }
    repo(&files)
        .includes("**/node_modules/**")
        .check("a.ts node_modules/p/i.js sub/node_modules/q/i.js");
    repo(&files).includes("**/node_modules/q/*.js").check("a.ts sub/node_modules/q/i.js");
}

#[test]
fn a_folder_excluded_as_a_whole_is_not_walked() {
    let files = [("a.ts", ""), ("big/deep/b.ts", "")];
    let walked = |repo: TestRepo| -> Vec<String> {
        let mut folders: Vec<_> =
            repo.scan().listings.into_iter().map(|listing| listing.folder).collect();
        folders.sort();
        folders
    };
    assert_eq!(walked(repo(&files).excludes("big")), [""]);
    assert_eq!(walked(repo(&files).excludes("big/**")), [""]);
    let brought_back = repo(&files).excludes("big").excludes("!big/deep/b.ts");
    assert_eq!(walked(brought_back), ["", "big", "big/deep"]);
}

#[test]
fn excludes_beat_includes() {
    let files = [("a.ts", ""), ("src/b.ts", ""), ("src/b.test.ts", "")];
    repo(&files).includes("src/**").excludes("**/*.test.ts").check("a.ts src/b.ts");
    repo(&files).excludes("src").excludes("!src/b.ts").check("a.ts src/b.ts");
}

#[test]
fn the_workspace_is_out_except_for_system() {
    repo(&[
        (".stan/system/a.md", ""),
        (".stan/context/m.json", ""),
        (".stan/x", ""),
        (".stanley", ""),
    ])
    .includes("**")
    .check(".stan/system/a.md .stanley");
}

#[test]
fn a_link_to_a_file_inside_is_a_file_and_others_give_notices() {
    let repo = repo(&[("real/a.ts", "x"), (".git/HEAD", ""), (".git/config", ""), ("no/x", "")])
        .link("ok.ts", "real/a.ts")
        .link("dangling", "nowhere")
        .link("dir", "real")
        .link("git", ".git/config")
        .link("loop", "loop")
        .link("out", "/etc/passwd")
        .excludes("no");
    repo.system.put("/etc/passwd", "root");
    repo.system.link("/r/denied", "no/x");
    repo.check("ok.ts real/a.ts");
    repo.check_notices(&[
        "CTX-SCAN-0003 dangling",
        "CTX-SCAN-0003 denied",
        "CTX-SCAN-0003 git",
        "CTX-SCAN-0003 loop",
        "CTX-SCAN-0003 out",
    ]);
}

#[test]
fn a_link_shows_nothing_that_is_hidden() {
    let files = [
        (".gitignore", "notes/\n.env\n"),
        ("notes/diary.md", "x"),
        (".env", "x"),
        ("sub/.portolanignore", "mine\n"),
        ("sub/mine", "x"),
        ("node_modules/p/i.js", ""),
        ("a.ts", ""),
    ];
    let linked = || {
        repo(&files)
            .link("TODO.md", "notes/diary.md")
            .link("sub/cfg", "../.env")
            .link("sub/own", "mine")
            .link("installed", "node_modules/p/i.js")
            .link("again", "twice")
            .link("twice", "a.ts")
    };
    let always = ".gitignore a.ts again sub/.portolanignore twice";
    linked().check(always);
    linked().check_notices(&[
        "CTX-SCAN-0003 TODO.md",
        "CTX-SCAN-0003 installed",
        "CTX-SCAN-0003 sub/cfg",
        "CTX-SCAN-0003 sub/own",
    ]);
    linked()
        .includes("notes")
        .check(".gitignore TODO.md a.ts again notes/diary.md sub/.portolanignore twice");
}

#[test]
fn a_link_is_judged_by_the_name_of_its_target() {
    let files = [
        (".env", "A=sommer"),
        ("settings.ini", "password = Xq7pLm2vRt9"),
        (".env.example", "A="),
        ("a.md", "# A"),
    ];
    let linked = || {
        repo(&files)
            .link("notes.txt", ".env")
            .link("twice.md", "notes.txt")
            .link("set.md", "settings.ini")
            .link("template", ".env.example")
            .link("b.md", "a.md")
    };
    linked().check(".env .env.example a.md b.md settings.ini template");
    linked().check_notices(&[
        "CTX-SCAN-0003 notes.txt",
        "CTX-SCAN-0003 set.md",
        "CTX-SCAN-0003 twice.md",
    ]);
}

#[test]
fn linked_folders_are_not_followed() {
    repo(&[("a/x.ts", "")]).link("a/self", "../a").link("b", "a").check("a/x.ts");
}

#[cfg(unix)]
#[test]
fn unusual_names_are_kept_or_give_notices() {
    use std::os::unix::ffi::OsStrExt;
    let repo = repo(&[("back\\slash.ts", ""), ("new\nline.ts", "")]);
    repo.system.put(PathBuf::from("/r").join(std::ffi::OsStr::from_bytes(b"bad\xFF.ts")), "");
    // A line break in a name could forge records in archives, so the file is left out with a notice.
    repo.check("back\\slash.ts");
    let told: Vec<_> = repo.scan().notices.into_iter().map(|notice| notice.message).collect();
    assert_eq!(told.len(), 3);
    assert_eq!(
        told.iter().filter(|it| it.starts_with("left out: its name ")).count(),
        2,
        "{told:?}"
    );
}

#[test]
fn files_that_an_unreadable_ignore_file_may_hide_are_not_shown() {
    let files = [("a.ts", ""), ("p/.gitignore", "private\n"), ("p/private", ""), ("p/b.ts", "")];
    let nested = repo(&files);
    nested.system.deny("/r/p/.gitignore");
    nested.check("a.ts");
    let told = &nested.scan().notices[0];
    assert_eq!(told.message, "folder left out: `p/.gitignore` cannot be read: permission denied");
    assert_eq!(nested.scan().root_error, None);

    let top = repo(&[(".gitignore", "private\n"), ("private", "")]);
    top.system.deny("/r/.gitignore");
    top.check("");
    assert!(top.scan().root_error.is_some());
}
