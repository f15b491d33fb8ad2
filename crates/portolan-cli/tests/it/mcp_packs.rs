//! Requests packs and changes as tools: the same as on the command line, even with little memory.

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::support::Repo;

const SHOP: &str = "\
//- src/cart.ts
import { priceOf } from './price';
export const total = (names: string[]) => names.map((name) => priceOf(name));
//- src/price.ts
export function priceOf(name: string): number {
  return name.length;
}
//- src/price.test.ts
import { priceOf } from './price';
test('prices', () => priceOf('a'));
";

fn git(repo: &Repo, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.current_dir(repo.path()).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    assert!(command.args(arguments).output().unwrap().status.success(), "{arguments:?}");
}

/// A repository with a commit and a change since.
fn repo() -> Repo {
    let repo = Repo::new(SHOP);
    std::fs::create_dir(repo.parent().join("cache")).unwrap();
    git(&repo, &["init", "-q"]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "one"]);
    repo.write(
        "src/price.ts",
        b"export function priceOf(name: string, tax: number): number {\n  return name.length + tax;\n}\n",
    );
    repo
}

#[test]
fn a_pack_of_a_task_a_change_or_a_location_equals_the_output_of_the_command_line() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let mut check = |arguments: Value, line: &[&str], expected: &[&str]| {
        let budget = if line[0] == "--task" { "1500" } else { "4000" };
        let run = repo.run(&[&["pack", "--budget", budget], line].concat());
        let (text, is_error) = client.call("pack", &arguments);
        assert!(!is_error, "{text}");
        assert_eq!(run.stdout, text, "{}", run.stderr);
        for part in expected {
            assert!(text.contains(part), "{part}: {text}");
        }
    };
    let task = "let `priceOf` take a tax";
    check(json!({"task": task}), &["--task", task], &[" pack task ", "> let `priceOf`"]);
    let at = "src/cart.ts#total";
    check(json!({"at": [at]}), &["--at", at], &[" pack src/cart.ts#total ", "priceOf(name)"]);
    let changed = ["src/price.ts", "src/cart.ts", "src/price.test.ts"];
    check(json!({"changed": "HEAD"}), &["--changed", "HEAD"], &changed);
    let failure = "src/cart.ts(2,63): error TS2554: Expected 2 arguments, but got 1.";
    let run =
        crate::support::run_with_input(&repo.path(), &["pack", "--diag", "-"], failure.as_bytes());
    assert_eq!(run.stdout, client.call("pack", &json!({"failure": failure})).0, "{}", run.stderr);
}

#[test]
fn a_clean_tree_is_an_answer_and_budgets_have_words() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let budgets = [json!(2000), json!("2000"), json!("2_000"), json!("2k")];
    let answers = budgets.map(|budget| {
        client.call("pack", &json!({"task": "let `priceOf` take a tax", "budget": budget}))
    });
    for (text, is_error) in &answers {
        assert!(!is_error && *text == answers[0].0, "{text}");
    }
    git(&repo, &["commit", "-qam", "two"]);
    let (text, is_error) = client.call("pack", &json!({"changed": "HEAD"}));
    assert!(!is_error && text.starts_with("nothing changed since HEAD ("), "{text}");
}

#[test]
fn a_chart_of_changes_equals_the_output_of_the_command_line() {
    let repo = repo();
    let (text, _) = Client::old(&repo, &[]).call("chart", &json!({"changed": true}));
    assert_eq!(repo.run(&["chart", "--changed", ""]).stdout, text);
    assert!(text.starts_with('@') && text.contains(" files, 1 changed since HEAD\n"), "{text}");
}

#[test]
fn a_request_that_cannot_be_packed_suggests_another() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let mut wrong = |name: &str, arguments: Value, expected: &str| {
        let (text, is_error) = client.call(name, &arguments);
        assert!(is_error && text.contains(expected), "{text}");
    };
    wrong("pack", json!({"task": "a", "failure": "b"}), "pack takes failure alone");
    wrong("pack", json!({"changed": "nope"}), "name a commit, a branch or a tag");
    wrong("pack", json!({"at": ["src/cart.ts#totals"]}), "nearest: src/cart.ts#total");
    wrong("pack", json!({"task": "a", "budget": 10}), "raise budget");
    wrong("chart", json!({"changed": "nope"}), "name a commit, a branch or a tag");
}

#[test]
fn after_an_edit_a_task_is_packed_from_the_new_text() {
    let repo = repo();
    let mut client = Client::old(&repo, &[]);
    let task = json!({"task": "let `priceOf` take a tax"});
    for number in 0..3 {
        let text = format!("export function priceOf(name: string) {{\n  return {number};\n}}\n");
        repo.write("src/price.ts", text.as_bytes());
        git(&repo, &["commit", "-qam", "more"]);
        let line = ["pack", "--budget", "1500", "--task", "let `priceOf` take a tax"];
        assert_eq!(client.call("pack", &task).0, repo.run(&line).stdout);
    }
}

#[test]
fn a_server_without_memory_answers_the_same() {
    let (repo, other) = (repo(), Repo::new("//- .git/HEAD\n//- a.ts\nexport const a = 1;\n"));
    let root = other.path().to_str().unwrap().to_owned();
    let allowed = ["--allow-root", root.as_str()];
    let mut forgetful = Client::old(&repo, &[&allowed[..], &["--memory", "0"]].concat());
    let mut usual = Client::old(&repo, &allowed);
    for _ in 0..2 {
        for question in [
            ("look", json!({"targets": ["src/price.ts"]})),
            ("chart", json!({"root": root, "task": "a"})),
            ("read", json!({"targets": ["total"]})),
        ] {
            assert_eq!(
                forgetful.call(question.0, &question.1),
                usual.call(question.0, &question.1)
            );
        }
    }
}
