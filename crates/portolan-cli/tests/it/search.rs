//! Tests `portolan search` as text, in scripts and as JSON, and compares its counts with those of
//! `rg`.

use std::collections::BTreeSet;
use std::process::Command;

use portolan_testkit::reliability;
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
  return name.length; // -1 is no price
}
//- src/cart.test.ts
test('total', () => priceOf('a'));
";

#[test]
fn it_exits_as_grep_does() {
    let repo = Repo::new(SHOP);
    assert_eq!(repo.run(&["search", "priceOf"]).code, 0);
    let nothing = repo.run(&["search", "zebra"]);
    assert_eq!(nothing.code, 1, "{}", nothing.stderr);
    assert!(nothing.stdout.contains("no line matches `zebra` in 4 files"), "{}", nothing.stdout);
    for wrong in [&["search", "a("][..], &["search", "a", "./gone"], &["search"]] {
        let run = repo.run(wrong);
        assert_eq!(run.code, 2, "{wrong:?}: {}", run.stderr);
    }
    let bad = repo.run(&["search", "price(Of"]);
    assert!(bad.stderr.contains("unclosed group") && bad.stderr.contains('^'), "{}", bad.stderr);
}

#[test]
fn common_ways_to_type_a_search_work() {
    let repo = Repo::new(SHOP);
    let first = |args: &[&str]| {
        let run = repo.run(args);
        assert!(run.code < 2, "{args:?}: {}", run.stderr);
        run.stdout.lines().next().unwrap().split_once(' ').unwrap().1.to_owned()
    };
    assert!(first(&["search", "-rn", "priceOf", "src"]).starts_with("4 lines"));
    assert!(first(&["search", "-e", "-1 is"]).starts_with("1 line"));
    assert!(first(&["search", "-C", "1", "is no"]).starts_with("1 line"));
    assert!(first(&["search", "-iw", "PRICEOF", "src/cart.ts"]).starts_with("2 lines"));
    assert!(first(&["search", r"length\|zebra"]).contains("read as grep does: `length|zebra`"));
    assert_eq!(repo.run(&["search", "-l", "length"]).stdout, "src/lib/price.ts\n");
    assert_eq!(repo.run(&["search", "-rnc", "length"]).stdout, "src/lib/price.ts:1\n");
    assert!(first(&["search", "priceOf", "--include=*.md"]).starts_with("no line"), "glob");
    assert!(first(&["search", "--exclude", "*.ts", "priceOf"]).starts_with("no line"), "glob");
    let plain = repo.run(&["search", "--plain", "length"]);
    assert_eq!(plain.stdout, "src/lib/price.ts:2:  return name.length; // -1 is no price\n");
}

#[test]
fn machines_get_files_groups_and_places() {
    let repo = Repo::new(SHOP);
    let json = |args: &[&str]| -> Value {
        let run = repo.run(&[args, &["--format", "json"]].concat());
        serde_json::from_str(&run.stdout).unwrap()
    };
    let hits = &json(&["search", "priceOf"])["result"];
    assert_eq!(
        (&hits["lines"], &hits["files"][0]["path"]),
        (&4.into(), &"src/lib/price.ts".into())
    );
    assert_eq!(hits["files"][0]["groups"][0]["definition"], true);
    let places =
        &json(&["search", "--task", "the price of a name is its length"])["result"]["places"];
    assert_eq!(
        (&places[0]["path"], &places[0]["name"]),
        (&"src/lib/price.ts".into(), &"priceOf".into())
    );
    let names = &json(&["search", "--names", "total"])["result"]["places"];
    assert_eq!(names[0]["lines"], serde_json::json!([2, 4]));
}

/// The words of a text, each once.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.len() > 2).map(str::to_owned).collect()
}

/// Says so where there is no `rg`. Uses the sources of this crate: every 40th word, and parts of words.
#[test]
fn counts_and_line_numbers_equal_those_of_rg() {
    if !reliability::is_installed("rg") {
        return;
    }
    let repo = Repo::new("");
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if let Ok(text) = std::fs::read_to_string(&path) {
            all.extend(words(&text));
            repo.write(&format!("src/{name}"), text.as_bytes());
        }
    }
    repo.write("crlf.txt", b"the end\r\nthe\r\n");
    repo.write("bad.txt", b"the \xFF\xFE end\nfn the\n");
    // Binary files: a zero in the first block, and one far behind.
    repo.write("near.bin", b"fn the\n\0\nfn the\n");
    repo.write("far.bin", &[b"fn the end\n".repeat(20_000), b"\0\nfn the\n".to_vec()].concat());
    let mut tried = 0;
    for (number, word) in all.iter().enumerate().step_by(40) {
        let flags: &[&str] = match number % 3 {
            0 => &["-w"],
            1 => &["-i"],
            _ => &["-F"],
        };
        let pattern = if number % 2 == 0 { word.as_str() } else { &word[..word.len() - 1] };
        let theirs = Command::new("rg")
            .args(["-n", "--no-heading", "--sort", "path", "--no-config"])
            .args(flags)
            .args(["-e", pattern, "."])
            .current_dir(repo.path())
            .output()
            .unwrap();
        let numbered = |text: &str| -> BTreeSet<String> {
            // Where rg stops in a binary file, it says so on a line without a number.
            let line = |line: &str| {
                let mut parts = line.trim_start_matches("./").splitn(3, ':');
                let (path, number) = (parts.next()?, parts.next()?);
                number.parse::<u32>().ok().map(|number| format!("{path}:{number}"))
            };
            text.lines().filter_map(line).collect()
        };
        // Lines that are no UTF-8 are printed as they are, so the output is taken as bytes.
        let ours = Command::new(env!("CARGO_BIN_EXE_portolan"))
            .args([&["search", "--plain"], flags, &["-e", pattern]].concat())
            .current_dir(repo.path())
            .env("XDG_CACHE_HOME", repo.path().join(".git/cache"))
            .output()
            .unwrap();
        let ours = String::from_utf8_lossy(&ours.stdout).into_owned();
        let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
        assert_eq!(numbered(&ours), numbered(&theirs), "{flags:?} {pattern}");
        tried += 1;
    }
    assert!(tried > 10, "{tried}");
}
