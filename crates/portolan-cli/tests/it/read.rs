//! Tests `portolan read`, `look` and `find`, as text and JSON.

use serde_json::Value;

use crate::support::Repo;

const SHOP: &str = "\
//- src/cart.ts
import { priceOf } from './lib';
export const total = (names: string[]) => {
  return names.map((name) => priceOf(name));
};
//- src/lib/index.ts
export * from './price';
//- src/lib/price.ts
export function priceOf(name: string): number {
  return name.length;
}
";

#[test]
fn a_declaration_is_shown_with_the_names_of_what_it_uses() {
    let repo = Repo::new(SHOP);
    let alone = repo.run(&["read", "src/cart.ts:3"]).stdout;
    assert!(alone.ends_with("4\t};\n"), "without a word nothing follows the code: {alone}");
    let run = repo.run(&["read", "src/cart.ts:3", "--needs", "names"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (first, rest) = run.stdout.split_once('\n').unwrap();
    assert!(
        first.ends_with(" tokens of 1 file") && first.contains(" read src/cart.ts:3 "),
        "{first}"
    );
    assert_eq!(
        rest,
        "\
src/cart.ts
 total 2-4
2\texport const total = (names: string[]) => {
3\t  return names.map((name) => priceOf(name));
4\t};
uses: src/lib/price.ts priceOf 1
"
    );
}

#[test]
fn signatures_of_what_it_uses_are_shown_where_they_are_asked_for() {
    let repo = Repo::new(SHOP);
    let run = repo.run(&["read", "src/cart.ts:3", "--needs", "signatures"]);
    assert!(
        run.stdout.ends_with(
            "4\t};\nsrc/lib/price.ts\n1\texport function priceOf(name: string): number {\n… 2 lines\n"
        ),
        "{}",
        run.stdout
    );
    let heads = repo.run(&["read", "src/cart.ts:3", "--needs", "heads"]);
    assert_eq!(heads.stdout, run.stdout, "the old word means the same");
}

#[test]
fn lines_are_read_from_any_folder_and_as_they_are() {
    let repo = Repo::new(&format!("//- .git/HEAD\nref: refs/heads/main\n{SHOP}"));
    let shown = "src/lib/price.ts\n2\t  return name.length;\n3\t}\n";
    for (folder, target) in [(".", "src/lib/price.ts:2-3"), ("src/lib", "price.ts:2-3")] {
        let run = repo.run(&["-C", folder, "read", target]);
        assert!(run.stdout.ends_with(shown), "{folder}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn machines_get_slices_with_lines_and_tokens() {
    let repo = Repo::new(SHOP);
    let run = repo.run(&["read", "total", "--needs", "signatures", "--format", "json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let result = &answer["result"];
    let slice = &result["slices"][1];
    assert_eq!(slice["file"], "src/lib/price.ts");
    assert_eq!(slice["role"], "hop1");
    assert_eq!(slice["lines"], serde_json::json!([[1, 1]]));
    assert!(result["tokens"].as_u64().unwrap() < 100);
    assert!(!repo.path().join(".stan").exists(), "reading writes nothing");
}

#[test]
fn every_format_shows_the_same_slices() {
    let part =
        |number: i32| format!("export type Part{number} = {{ a: string; b: number; c: Part0 }};\n");
    let parts: String = (0..60).map(part).collect();
    let members: String =
        (0..60).map(|number| format!("  part{number}: Part{number};\n")).collect();
    let shop = format!("{SHOP}{parts}export type Parts = {{\n{members}}};\n");
    let repo = Repo::new(&shop);
    let mut sizes = std::collections::BTreeSet::new();
    for budget in (600..2_400).step_by(150) {
        let budget = budget.to_string();
        let asked = ["read", "src/lib/price.ts#Parts", "--budget", &budget, "--needs", "full"];
        let text = repo.run(&asked).stdout;
        let json = repo.run(&[&asked[..], &["--format", "json"]].concat()).stdout;
        let answer: Value = serde_json::from_str(&json).unwrap();
        let slices = answer["result"]["slices"].as_array().unwrap();
        for slice in slices {
            assert!(text.contains(slice["text"].as_str().unwrap()), "{budget}\n{text}\n{slice}");
        }
        let tokens = answer["result"]["tokens"].as_u64().unwrap();
        assert!(text.contains(&format!(" {tokens} tokens of ")), "{budget}: {tokens}\n{text}");
        sizes.insert(tokens);
    }
    assert!(sizes.len() > 5, "{sizes:?}");
}

#[test]
fn a_missing_target_suggests_the_next_call() {
    let repo = Repo::new(SHOP);
    let run = repo.run(&["read", "src/lib/price.ts#pricesOf"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no declaration `pricesOf`"), "{}", run.stderr);
    assert!(run.stderr.contains("src/lib/price.ts#priceOf"), "{}", run.stderr);
    assert_eq!(repo.run(&["find", "zebra"]).code, 1);
}

#[test]
fn look_lists_the_users() {
    let repo = Repo::new(SHOP);
    let run = repo.run(&["look", "src/lib/price.ts#priceOf", "--side", "users"]);
    let (digest, rest) = run.stdout.split_once(' ').unwrap();
    assert!(digest.len() == 17 && digest.starts_with('@'), "{digest}");
    assert_eq!(
        rest,
        "\
look src/lib/price.ts#priceOf 1 use, certain
users:
src/
 cart.ts total: 3 return names.map((name) => priceOf(name));
next: portolan read src/cart.ts#total --match priceOf
"
    );
    let run = repo.run(&["find", "priceOf"]);
    let (_, found) = run.stdout.split_once(' ').unwrap();
    assert_eq!(found, "1 declaration\nsrc/lib/price.ts:1-3 function priceOf\n");
    let same = repo.run(&["search", "--names", "priceOf", "--limit", "20"]);
    assert_eq!((same.stdout, same.code), (run.stdout, 0));
}
