//! `portolan init`, as somebody new runs it.

use serde_json::Value;

use crate::support::Repo;

#[test]
fn says_what_it_wrote_and_what_to_do_next() {
    let repo = Repo::with(&[("src/a.ts", "export {};\n")]);
    let told = repo.run(&["init", "--dry-run"]);
    assert_eq!((told.code, told.stderr.as_str()), (0, "next: portolan init\n"));
    assert!(told.stdout.starts_with("would create stan.config.yml\n"), "{}", told.stdout);
    assert!(repo.read("stan.config.yml").is_none());

    let done = repo.run(&["init"]);
    assert_eq!(done.stderr, "next: portolan run --context --meta\n");
    let wanted = "wrote     stan.config.yml\nwrote     .stan/system/stan.system.md\n\
                  wrote     .stan/system/stan.project.md\nwrote     .gitignore\n";
    assert_eq!(done.stdout, wanted);
    assert_eq!(repo.run(&["run", "--context", "--meta"]).code, 0, "the next command works");

    let json = repo.run(&["init", "--format", "json"]).stdout;
    let again: Value = serde_json::from_str(&json).unwrap();
    let steps = again["result"]["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["action"] == "keep"), "{again}");
}

#[test]
fn a_broken_configuration_is_told_and_not_replaced() {
    let repo = Repo::with(&[("stan.config.yml", "stan-core: [\n")]);
    let answer = repo.run(&["init"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert_eq!(repo.read("stan.config.yml").unwrap(), b"stan-core: [\n");
    assert!(repo.read(".gitignore").is_none());
}
