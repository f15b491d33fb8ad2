//! A whole thread, as a user has it: opener, state, delivery, edit, deselection, snap.

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
    let first = repo.read(ARCHIVE);
    assert_eq!(repo.run(&["run", "-c"]).code, 0);
    assert_eq!(repo.read(ARCHIVE), first, "two runs give the same bytes");

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
fn the_summary_tells_what_was_written_and_what_it_costs() {
    let repo = fixture();
    repo.write(STATE, r#"{"v":2,"i":["src/a.ts",".git/config"]}"#.as_bytes());
    repo.write(".git/config", "[core]".as_bytes());
    let answer = repo.run(&["run", "-c"]);
    for part in [
        "wrote .stan/output/archive.tar",
        "base ",
        "closure ",
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
fn every_artifact_is_written_where_the_schema_check_looks() {
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
    // Without it nothing tells that the folder is part of something.
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
