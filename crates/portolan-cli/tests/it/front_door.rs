//! Tests the habits that people bring: paths as they type them, documents to paste, and a repository that stays clean.

use crate::help::playground;
use crate::support::{Repo, files_below, run_in};

const FLASK: &[(&str, &str)] = &[
    ("src/flask/app.py", "class Flask:\n    def run(self):\n        pass\n"),
    ("src/flask/sansio/app.py", "class App:\n    pass\n"),
    ("src/flask/globals.py", "from .app import Flask\ncurrent = Flask()\n"),
    ("tests/test_app.py", "from flask.app import Flask\n\ndef test_app():\n    Flask().run()\n"),
    ("a/models.py", "class A: ...\n"),
    ("b/models.py", "class B: ...\n"),
    ("command.go", "package main\n"),
    ("README.md", "# Flask\n"),
    (".git/HEAD", "ref: refs/heads/main\n"),
];

fn tokens(text: &str) -> u64 {
    portolan_index::token_counts::Tokenizer::O200kBase.count(text.as_bytes()).unwrap()
}

fn first_line(repo: &Repo, arguments: &[&str]) -> String {
    let run = repo.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    let line = run.stdout.lines().next().unwrap_or_default();
    line.split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
}

#[test]
fn a_file_is_found_by_its_name_alone() {
    let repo = Repo::with(FLASK);
    for typed in ["app.py", "flask/app.py", "./src/flask/app.py", "src/flask/app.py"] {
        let line = first_line(&repo, &["look", typed]);
        assert!(line.starts_with("look src/flask/app.py "), "{typed}: {line}");
    }
    let text = repo.run(&["look", "app.py"]).stdout;
    assert!(text.contains("also of this name: src/flask/sansio/app.py"), "{text}");
    assert!(
        first_line(&repo, &["look", "app.py#Flask"]).starts_with("look src/flask/app.py#Flask ")
    );
    assert!(first_line(&repo, &["look", "globals"]).starts_with("look src/flask/globals.py "));
    assert!(repo.run(&["read", "app.py#Flask.run"]).stdout.contains("src/flask/app.py\n"));
    assert!(repo.run(&["read", "readme"]).stdout.contains("README.md\n"));
    assert!(repo.run(&["pack", "--at", "globals.py"]).stdout.contains("src/flask/globals.py"));
    assert!(repo.run(&["select", "globals.py"]).stdout.contains("src/flask/globals.py"));
    let line = first_line(&repo, &["look", "models.py#B"]);
    assert!(line.starts_with("look b/models.py#B "), "only one of them declares it: {line}");
    let root = repo.path();
    let absolute = root.join("src/flask/app.py");
    let line = first_line(&repo, &["look", absolute.to_str().unwrap()]);
    assert!(line.starts_with("look src/flask/app.py "), "{line}");
    let inside = run_in(&root.join("src/flask/sansio"), &["look", "app.py"], &[]).stdout;
    assert!(inside.contains(" look src/flask/sansio/app.py "), "{inside}");
}

#[test]
fn a_word_is_a_declaration_before_it_is_a_file() {
    let files =
        [FLASK, &[("lib/thing.py", "x = 1\n"), ("lib/b.py", "def thing(): ...\n")]].concat();
    let repo = Repo::with(&files);
    let line = first_line(&repo, &["look", "thing"]);
    assert!(line.starts_with("look thing "), "{line}");
}

#[test]
fn what_is_not_there_gets_the_nearest_file_names() {
    let repo = Repo::with(FLASK);
    for (typed, hint) in [
        ("comand.go", "nearest: `command.go`"),
        ("src/flask/ap.py", "nearest: `src/flask/app.py`"),
        ("models.py", "ask for one of them: `a/models.py`, `b/models.py`"),
    ] {
        for command in ["read", "look"] {
            let run = repo.run(&[command, typed]);
            assert_eq!(run.code, 2, "{command} {typed}");
            assert!(run.stderr.contains(hint), "{command} {typed}: {}", run.stderr);
        }
    }
    let chart = repo.run(&["chart", "comand.go"]);
    assert!(chart.stderr.contains("did you mean `command.go`?"), "{}", chart.stderr);
}

#[test]
fn folders_can_be_looked_at_and_read() {
    let repo = Repo::with(FLASK);
    let look = repo.run(&["look", "src/flask"]).stdout;
    assert!(look.contains(" look src/flask/ "), "{look}");
    assert!(look.contains("tests/ test_app.py"), "{look}");
    assert!(!look.contains("globals.py"), "what is in it is no user of it: {look}");
    let read = repo.run(&["read", "flask"]).stdout;
    assert!(read.contains(" read flask outlines of 3 files\n"), "{read}");
    assert!(read.contains("src/flask/app.py 3 lines\n"), "{read}");
    assert!(repo.run(&["chart", "sansio"]).stdout.contains("src/flask/sansio/"));
    assert_eq!(
        repo.run(&["chart", "."]).stdout.lines().nth(1),
        repo.run(&["chart"]).stdout.lines().nth(1)
    );
}

#[test]
fn a_search_takes_the_name_of_a_file() {
    let repo = Repo::with(FLASK);
    let line = first_line(&repo, &["search", "class", "app.py"]);
    assert!(line.starts_with("2 lines "), "both files of that name: {line}");
    let gone = repo.run(&["search", "class", "gone.py"]);
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.contains("`gone.py` is no file or folder here"), "{}", gone.stderr);
    assert!(gone.stderr.contains("hint: `-e gone.py` searches for it"), "{}", gone.stderr);
}

#[test]
fn paths_lead_to_other_repositories() {
    let repo = Repo::with(FLASK);
    let other = Repo::with(&[("lib/b.ts", "export const b = 1;\n"), (".git/HEAD", "x")]);
    let other = other.path();
    let (folder, file) = (other.to_str().unwrap(), other.join("lib/b.ts"));
    let file = file.to_str().unwrap();
    assert!(repo.run(&["chart", folder]).stdout.contains("lib/"));
    assert!(repo.run(&["read", &format!("{file}#b")]).stdout.contains("1\texport const b"));
    assert!(first_line(&repo, &["search", "export", folder]).starts_with("1 line"));
    assert!(repo.run(&["look", file]).stdout.contains(" look lib/b.ts "));
    let both = repo.run(&["read", file, "src/flask/app.py"]);
    assert_eq!(both.code, 2);
    assert!(both.stderr.contains("are in two repositories"), "{}", both.stderr);
}

#[test]
fn a_folder_becomes_a_document_within_its_budget() {
    let repo = Repo::with(FLASK);
    let run = repo.run(&["read", "src", "--format", "markdown"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.starts_with("# src: 3 files\n\n```text\nsrc/flask/ app.py globals.py\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("## src/flask/app.py\n\n```py\nclass Flask:\n"), "{}", run.stdout);
    assert!(run.stderr.contains("tokens: 3 files whole\n"), "{}", run.stderr);

    let long = "def f():\n    return 1\n\n".repeat(400);
    repo.write("src/flask/long.py", long.as_bytes());
    let cut = repo.run(&["read", "src", "--format", "markdown", "--budget", "600"]).stdout;
    assert!(tokens(&cut) <= 600, "{}", tokens(&cut));
    assert!(cut.contains("## src/flask/long.py (outline of 1200 lines)"), "{cut}");
    assert!(cut.contains("class Flask:"), "{cut}");
    assert!(cut.contains("Not whole: 1 files are outlines"), "{cut}");
    let one = repo.run(&["read", "app.py#Flask.run", "--format", "markdown"]).stdout;
    assert!(one.contains("## src/flask/app.py:2-3\n"), "{one}");
}

#[test]
fn a_document_has_no_secrets_and_the_clipboard_needs_a_terminal() {
    let key = format!("AKIA{}", "ABCDEFGHIJKLMNOP");
    let repo = Repo::with(&[("src/a.py", "x = 1\n"), ("src/.env", &format!("AWS_KEY={key}\n"))]);
    let text = repo.run(&["read", "src", "--format", "markdown"]).stdout;
    assert!(!text.contains(&key), "{text}");
    let clip = repo.run(&["read", "src", "--clip"]);
    assert_eq!(clip.code, 2);
    assert!(
        clip.stderr.contains("needs a terminal") && clip.stderr.contains("pbcopy"),
        "{}",
        clip.stderr
    );
}

/// Only `init`, `run` and what `--out` names write into a repository.
#[test]
fn questions_leave_nothing_in_the_repository() {
    let repo = Repo::with(FLASK);
    repo.write("ci.log", b"src/flask/app.py:3: error: x\n");
    let before = files_below(&repo.path(), "");
    let cache = repo.path().parent().unwrap().join("cache");
    let questions: &[&[&str]] = &[
        &["search", "Flask"],
        &["search", "--task", "run the app"],
        &["read", "src/flask/app.py"],
        &["read", "src", "--format", "markdown"],
        &["look", "src/flask/app.py#Flask"],
        &["path", "app.py#Flask", "globals.py"],
        &["pack", "--diag", "ci.log"],
        &["pack", "--task", "run the app"],
        &["chart"],
        &["view"],
        &["find", "Flask"],
        &["impact", "--at", "src/flask/app.py"],
        &["graph", "--view", "stats"],
        &["select", "src/flask/app.py"],
        &["prompt"],
        &["check-reply", "README.md"],
        &["check", "0123456789abcdef"],
        &["cache", "info"],
        &["cache", "clean"],
        &["export"],
        &["atlas", "chart"],
        &["schema", "config"],
        &["completions", "bash"],
        &["man"],
        &["run", "--plan"],
        &["init", "--dry-run"],
        &["init", "--agents", "--dry-run"],
    ];
    for question in questions {
        let run = run_in(&repo.path(), question, &[("XDG_CACHE_HOME", cache.to_str().unwrap())]);
        assert_eq!(files_below(&repo.path(), ""), before, "{question:?}: {}", run.stderr);
        assert!(!repo.path().join(".stan").exists(), "{question:?} makes a workspace");
    }
}

#[test]
fn old_names_work_and_groups_have_them_too() {
    let repo = playground();
    for (group, old) in [
        (&["atlas", "export", "--out", "../atlas"][..], &["export", "--out", "../atlas"][..]),
        (&["chat", "select", "src/a.ts"], &["select", "src/a.ts"]),
    ] {
        assert_eq!(repo.run(group).code, 0, "{group:?}: {}", repo.run(group).stderr);
        assert_eq!(repo.run(old).code, 0, "{old:?}");
    }
}

#[test]
fn habits_of_other_tools_work() {
    let repo = Repo::with(FLASK);
    for (habit, own) in [
        (&["grep", "-rn", "Flask", "."][..], &["search", "Flask"][..]),
        (&["cat", "app.py"], &["read", "app.py"]),
        (&["refs", "app.py"], &["look", "app.py"]),
        (&["look", "app.py", "--users"], &["look", "app.py", "--side", "users"]),
        (&["tree"], &["chart"]),
    ] {
        let (one, other) = (repo.run(habit), repo.run(own));
        let body =
            |run: &crate::support::Run| run.stdout.lines().skip(1).collect::<Vec<_>>().join("\n");
        assert_eq!((one.code, body(&one)), (0, body(&other)), "{habit:?}: {}", one.stderr);
    }
    for written in ["Flask::run", "app.py:Flask.run", "src/flask/app.py::Flask::run"] {
        let read = repo.run(&["read", written]);
        assert!(read.stdout.contains("2\t    def run(self):"), "{written}: {}", read.stderr);
    }
    let between = repo.run(&["read", "globals.py:1"]);
    assert_eq!(between.code, 0, "{}", between.stderr);
    assert!(between.stdout.contains("1\tfrom .app import Flask\n"), "{}", between.stdout);
}

#[test]
fn what_init_wrote_is_no_change_of_the_user() {
    let repo = Repo::with(&[("src/a.ts", "export const a = 1;\n"), ("CLAUDE.md", "x\n")]);
    let git = |arguments: &[&str]| {
        let done =
            std::process::Command::new("git").current_dir(repo.path()).args(arguments).output();
        done.is_ok_and(|done| done.status.success())
    };
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"];
    if !(git(&["init", "-q"]) && git(&["add", "-A"]) && git(&identity)) {
        return;
    }
    assert_eq!(repo.run(&["init", "--agents"]).code, 0);
    let chart = repo.run(&["chart", "--changed"]).stdout;
    assert!(chart.contains(", 0 changed since HEAD"), "{chart}");
    repo.write("AGENTS.md", b"mine\n");
    let chart = repo.run(&["chart", "--changed"]).stdout;
    assert!(chart.contains(", 1 changed since HEAD"), "{chart}");
}

/// Each option of another tool has one sentence on what to write instead, and no tip of the parser.
#[test]
fn options_of_other_tools_are_answered_with_a_sentence() {
    let repo = Repo::with(FLASK);
    for (arguments, hint) in [
        (&["search", "-o", "Flask"][..], "`rg -o`"),
        (&["search", "-v", "Flask"], "`rg -v`"),
        (&["search", "--files"], "`portolan chart`"),
        (&["search", "Flask", "--json"], "`--format json`"),
        (&["grep", "-U", "Flask"], "`rg -U`"),
        (&["read", "-n", "10,20p", "app.py"], "`FILE:10-20`"),
        (&["read", "app.py", "--lines", "1-2"], "`FILE:10-20`"),
        (&["look", "app.py", "--callers"], "`--side users`"),
        (&["search", "--ignore-cas", "x"], "did you mean `--ignore-case`?"),
        (&["search", "--zebra", "x"], "`portolan search --help` lists the options"),
        (&["pack", "fix the cookie"], "`portolan pack --task \"fix the cookie\"`"),
        (&["pack", "python3", "x.py"], "`portolan pack -- python3 …`"),
        (&["serach", "x"], "did you mean `search`"),
    ] {
        let run = repo.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.stderr.contains(hint), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("tip:"), "{arguments:?}: {}", run.stderr);
    }
    let json = repo.run(&["search", "-o", "Flask", "--format", "json"]).stdout;
    assert!(json.starts_with("{\"error\":{"), "{json}");
    let json = repo.run(&["search", "x", "-A", "many", "--format", "json"]).stdout;
    assert!(json.starts_with("{\"error\":{"), "{json}");
}

#[test]
fn options_that_change_nothing_here_are_taken() {
    let repo = Repo::with(FLASK);
    let plain = repo.run(&["search", "Flask", "--plain"]).stdout;
    for habit in ["--hidden", "-u", "--no-ignore", "-S", "-N", "--no-heading", "-n"] {
        let run = repo.run(&["search", habit, "Flask", "--plain"]);
        assert_eq!((run.code, run.stdout), (0, plain.clone()), "{habit}: {}", run.stderr);
    }
    let told = repo.run(&["search", "-u", "Flask"]).stderr;
    assert!(told.contains("ignored files are not searched"), "{told}");
    let smart = repo.run(&["search", "-S", "flask", "--plain"]).stdout;
    assert_eq!(smart, repo.run(&["search", "-i", "flask", "--plain"]).stdout);
    let first = repo.run(&["search", "-m", "1", "Flask", "tests", "--plain"]).stdout;
    assert_eq!(first, "tests/test_app.py:1:from flask.app import Flask\n");
    let counts = repo.run(&["search", "-lc", "Flask", "tests"]).stdout;
    assert_eq!(counts, "tests/test_app.py:2\n");
    let quiet = repo.run(&["search", "-q", "Flask"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (0, ""));
    assert_eq!(repo.run(&["grep", "-q", "zebra"]).code, 1);
    let replaced = repo.run(&["search", "-r", "X", "Flask"]).stderr;
    assert!(replaced.contains("`-r` is grep's and replaces nothing"), "{replaced}");
    for (own, habit) in [(&["--version"][..], &["version"][..]), (&["--version"], &["-v"])] {
        assert_eq!(repo.run(own).stdout, repo.run(habit).stdout);
    }
    let body = |arguments: &[&str]| repo.run(arguments).stdout.lines().skip(1).count();
    assert_eq!(body(&["outline", "app.py"]), body(&["read", "app.py"]));
    assert_eq!(body(&["ls"]), body(&["chart"]));
}

#[test]
fn the_help_of_pack_tells_of_a_command_to_run() {
    let help = Repo::new("").run(&["pack", "--help"]).stdout;
    assert!(help.contains("[-- <COMMAND>...]"), "{help}");
    assert!(help.contains("Run this command, and pack what it prints"), "{help}");
    assert!(help.contains("`portolan pack -- make test`"), "{help}");
}

#[test]
fn a_name_in_place_of_a_revision_is_answered_with_the_option_for_names() {
    let repo = Repo::with(FLASK);
    let git = |arguments: &[&str]| {
        let done =
            std::process::Command::new("git").current_dir(repo.path()).args(arguments).output();
        done.is_ok_and(|done| done.status.success())
    };
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"];
    if !(git(&["init", "-q"]) && git(&["add", "-A"]) && git(&identity)) {
        return;
    }
    let impact = repo.run(&["impact", "Flask.run"]);
    assert_eq!(impact.code, 2);
    assert!(impact.stderr.contains("`portolan impact --at Flask.run`"), "{}", impact.stderr);
}

#[cfg(unix)]
#[test]
fn whoever_stops_a_pack_stops_the_command_that_it_runs() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let repo = Repo::with(FLASK);
    let pid = repo.path().join("pid");
    let script = format!("echo $$ > {}; exec sleep 30", pid.display());
    let mut child = repo.start(&["pack", "--", "sh", "-c", &script]);
    let read = || std::fs::read_to_string(&pid).ok().and_then(|it| it.trim().parse::<i32>().ok());
    let process = (0..200).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        read()
    });
    let process = Pid::from_raw(process.unwrap());
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(kill(process, None).is_err(), "the command lives on");
}

#[test]
fn answers_have_colours_where_they_are_wanted_and_none_in_a_pipe() {
    let repo = Repo::with(FLASK);
    for question in [&["search", "-w", "Flask"][..], &["read", "app.py"], &["look", "app.py"]] {
        let plain = repo.run(question).stdout;
        assert!(!plain.contains('\u{1b}'), "{plain:?}");
        let coloured = repo.run(&[question, &["--color", "always"]].concat()).stdout;
        assert!(coloured.contains("\u{1b}[35m"), "a path: {coloured:?}");
        let mut bare = coloured.clone();
        for style in
            ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[35m"]
        {
            bare = bare.replace(style, "");
        }
        assert_eq!(bare, plain, "nothing but colours is added");
    }
    let hits = repo.run(&["search", "-w", "Flask", "--color", "always"]).stdout;
    assert!(hits.contains("\u{1b}[1m\u{1b}[31mFlask\u{1b}[0m"), "{hits:?}");
}
