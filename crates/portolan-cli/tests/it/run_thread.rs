//! Plays a whole thread: opener, state, delivery, edit, deselection, snap.

use portolan_testkit::artifacts::schema_of;
use serde_json::Value;

use crate::support::Repo;

const STATE: &str = ".stan/context/dependency.state.json";
const ARCHIVE: &str = ".stan/output/archive.tar";
const DIFF: &str = ".stan/output/archive.diff.tar";

fn fixture() -> Repo {
    Repo::with(&[
        ("package.json", "{\"name\":\"demo\"}"),
        ("src/index.ts", "import { a } from './a';\nexport const x = a;\n"),
        ("src/a.ts", "export const a = 1;\n"),
    ])
}

#[test]
fn a_thread_goes_from_the_opener_to_a_new_baseline() {
    let repo = fixture();
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    assert!(repo.read(DIFF).is_none());
    assert_eq!(repo.read(STATE).unwrap(), b"{ \"v\": 2, \"i\": [] }\n");
    let guide = repo.members(ARCHIVE).unwrap().remove(".stan/system/stan.system.md").unwrap();
    assert_eq!(guide, repo.run(&["prompt"]).stdout.as_bytes());

    repo.write(STATE, r#"{"v":2,"i":[["src/index.ts",1]]}"#.as_bytes());
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert!(
        repo.names(ARCHIVE)
            .iter()
            .filter(|name| name.starts_with("src/"))
            .eq(["src/a.ts", "src/index.ts"])
    );
    assert_eq!(repo.names(DIFF), [STATE, "src/a.ts", "src/index.ts"], "the opener had the rest");
    let first = repo.read(ARCHIVE);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(repo.read(ARCHIVE), first, "two runs give the same bytes");
    assert_eq!(repo.run(&["snap"]).code, 0);

    repo.write("src/a.ts", "export const a = 2;\n".as_bytes());
    repo.write(STATE, r#"{"v":2,"i":["src/a.ts"]}"#.as_bytes());
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    let report: Value =
        serde_json::from_slice(&repo.read(".stan/output/archive.diff.json").unwrap()).unwrap();
    assert_eq!(report["deselected"][0]["path"], "src/index.ts");
    assert_eq!(repo.run(&["snap"]).code, 0);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(repo.names(DIFF), [".stan/diff/.stan_no_changes"]);
}

#[test]
fn the_summary_shows_the_cost_of_a_folder() {
    let repo = fixture();
    repo.write(STATE, br#"{"v":2,"i":["src/", ["src/index.ts", 1]]}"#);
    let said = repo.run(&["run", "-c"]).stdout;
    assert!(said.contains("\nof which src: 2 files, "), "{said}");
    let answer = repo.run(&["run", "-c", "--format", "json"]).stdout;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["groups"][0]["files"], 2);
}

#[test]
fn a_budget_that_holds_no_chart_is_refused() {
    let repo = fixture();
    repo.write("stan.config.yml", b"portolan: {meta: {archive: never}}\n");
    let run = repo.run(&["run", "-cm", "--meta-budget", "499"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("at least 500 tokens, not 499"), "{}", run.stderr);
}

#[test]
fn the_chart_in_a_state_contains_the_selected_files() {
    let repo = fixture();
    for n in 0..200 {
        let text = format!("export const number{n} = {n};\n");
        repo.write(&format!("lib/module-with-a-long-name-{n}.ts"), text.as_bytes());
        repo.write(&format!("app/component-with-a-long-name-{n}.ts"), text.as_bytes());
    }
    repo.write("stan.config.yml", b"portolan: {meta: {archive: never, budget: 500}}\n");
    let chart = |state: &str| {
        repo.write(STATE, state.as_bytes());
        let run = repo.run(&["run", "-c"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let chart = repo.members(ARCHIVE).unwrap().remove(".stan/context/dependency.chart.txt");
        String::from_utf8(chart.unwrap()).unwrap()
    };
    let selected = "component-with-a-long-name-77.ts";
    let asks = r#"{"v":3,"i":["app/component-with-a-long-name-77.ts"],"z":["src/index.ts"]}"#;
    let text = chart(asks);
    assert!(text.contains(selected) && text.contains("index.ts"), "{text}");
    assert!(!chart(r#"{"v":3,"i":[],"z":["src/index.ts"]}"#).contains(selected));
}

#[test]
fn the_summary_lists_the_written_files_and_their_cost() {
    let repo = fixture();
    repo.write(STATE, r#"{"v":2,"i":["src/a.ts",".git/config"]}"#.as_bytes());
    repo.write(".git/config", "[core]".as_bytes());
    let answer = repo.run(&["run", "-c"]);
    for part in [
        "wrote .stan/output/archive.tar",
        "attach   .stan/output/archive.tar",
        "base ",
        "closure   1 file       20 B  7 tokens",
        "total ",
        "denied   1 by rule `reserved`",
        "largest",
    ] {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
    let plan = repo.run(&["run", "-c", "--plan"]).stdout;
    assert!(plan.starts_with("would write .stan/output/archive.tar"), "{plan}");
}

#[test]
fn the_archive_to_attach_is_named_with_its_tokens() {
    let repo = fixture();
    let opener = repo.run(&["run", "-cm"]);
    assert!(opener.stdout.contains("attach   .stan/output/archive.tar\n"), "{}", opener.stdout);
    repo.write(STATE, br#"{"v":2,"i":["src/a.ts"]}"#);
    let turn = repo.run(&["run", "-c"]);
    let attach =
        "attach   .stan/output/archive.diff.tar; to begin a new chat .stan/output/archive.tar\n";
    assert!(turn.stdout.contains(attach), "{}", turn.stdout);
    assert!(turn.stdout.contains("1 added, 1 changed, 19 tokens\n"), "{}", turn.stdout);
    assert!(turn.stderr.contains("then `portolan snap`"), "{}", turn.stderr);
    repo.run(&["snap"]);
    let turn = repo.run(&["run", "-c"]);
    assert!(turn.stdout.contains("attach   nothing: the chat has it all\n"), "{}", turn.stdout);
}

#[test]
fn a_workspace_that_git_would_commit_and_a_missing_state_are_reported() {
    let repo = fixture();
    repo.write(".git/HEAD", b"ref: refs/heads/main\n");
    for arguments in [&["run"][..], &["run", "-c"]] {
        let said = repo.run(arguments).stderr;
        assert!(said.contains(".stan/output: git does not ignore it"), "{arguments:?}: {said}");
    }
    assert!(repo.run(&["run", "-c"]).stderr.contains("so only the base is sent"));
    for ignored in [".stan/\n", ".stan/output/\n", "/.stan/*\n"] {
        repo.write(".gitignore", ignored.as_bytes());
        let said = repo.run(&["run"]).stderr;
        assert!(!said.contains("does not ignore"), "{ignored}: {said}");
    }
}

#[test]
fn an_archive_can_be_a_document_to_paste() {
    let repo = fixture();
    repo.run(&["run", "-cm"]);
    repo.write(STATE, br#"{"v":2,"i":["src/a.ts"]}"#);
    let paste = ["run", "-c", "--format", "markdown"];
    let all = repo.run(&[&paste[..], &["--out", "-"]].concat());
    let headings = |text: &str| text.lines().filter(|line| line.starts_with("## `")).count();
    assert_eq!(headings(&all.stdout), repo.names(ARCHIVE).len(), "{}", all.stdout);
    assert!(all.stderr.contains("wrote .stan/output/archive.tar"), "{}", all.stderr);
    assert_eq!(repo.run(&paste).stdout, all.stdout);
    assert_eq!(repo.run(&[&paste[..], &["--diff", "--out", "turn.md"]].concat()).stdout, "");
    let turn = String::from_utf8(repo.read("turn.md").unwrap()).unwrap();
    assert_eq!(headings(&turn), 2, "{turn}");
    for refused in [&["run", "--format", "markdown"][..], &["run", "-c", "--out", "x"]] {
        assert_eq!(repo.run(refused).code, 2, "{refused:?}");
    }
}

#[test]
fn the_json_report_has_the_figures_and_the_notices() {
    let repo = fixture();
    repo.write(STATE, r#"{"v":2,"i":["src/gone.ts"]}"#.as_bytes());
    let answer = repo.run(&["run", "-c", "--format", "json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(report["result"]["mode"], "context");
    assert_eq!(report["result"]["archive"]["bytes"], repo.read(ARCHIVE).unwrap().len());
    assert_eq!(report["notices"][0]["code"], "CTX-ARCHIVE-0005");
}

#[test]
fn the_meta_can_be_made_smaller_by_flags() {
    let repo = fixture();
    let meta = |args: &[&str]| {
        assert_eq!(repo.run(args).code, 0);
        String::from_utf8(repo.read(".stan/context/dependency.meta.json").unwrap()).unwrap()
    };
    assert!(meta(&["run", "-cm"]).contains("\"h\":"));
    assert!(!meta(&["run", "-cm", "--no-hashes"]).contains("\"h\":"));
    assert_eq!(repo.run(&["run", "-cm", "--meta-budget", "40"]).code, 2);
    assert_eq!(repo.run(&["run", "-cm", "--meta-budget", "many"]).code, 2);
}

#[test]
fn every_artifact_is_covered_by_the_schema_check() {
    let repo = fixture();
    repo.write(STATE, br#"{"v":2,"i":["src/a.ts",".git/config"]}"#);
    repo.write(".git/config", b"[core]");
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(repo.run(&["snap"]).code, 0);
    for path in [
        "context/dependency.meta.json",
        "context/dependency.map.json",
        "output/archive.diff.json",
        "diff/.archive.snapshot.context.json",
        "diff/.archive.snapshot.json",
        "diff/.snap.history.json",
    ] {
        assert!(
            schema_of(path).is_some() && repo.read(&format!(".stan/{path}")).is_some(),
            "{path}"
        );
    }
}

#[test]
fn a_run_from_a_subfolder_works_on_the_whole_repository() {
    let repo = fixture();
    // Otherwise nothing shows that the folder belongs to a repository.
    repo.write(".git/HEAD", "ref: refs/heads/main\n".as_bytes());
    repo.write("stan.config.yml", "stan-core: {stanPath: notes}\n".as_bytes());
    let answer = repo.run(&["-C", "src", "run"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(repo.names("notes/output/archive.tar").contains(&"package.json".to_owned()));
}

#[test]
fn the_guide_is_within_its_limit() {
    let stats = fixture().run(&["prompt", "--stats"]).stdout;
    assert!(stats.contains("tokens of o200k_base (limit 2,500)"), "{stats}");
}
