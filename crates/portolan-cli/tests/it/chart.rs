//! Tests `portolan chart`, as text and JSON.

use serde_json::Value;

use crate::support::Repo;

const APP: &str = "\
//- README.md
The app.
//- src/api/upload.ts
/**
 * @module
 * Sends files to the server.
 */
import { retry } from '../lib';
export function uploadFile() { return retry(); }
//- src/api/upload.test.ts
import { uploadFile } from './upload';
//- src/lib/index.ts
export * from './retry';
//- src/lib/retry.ts
export const retry = () => 1;
//- src/pages/home.ts
export const home = 1;
";

#[test]
fn a_small_repository_is_shown_whole() {
    let run = Repo::new(APP).run(&["chart"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let chart: Vec<&str> =
        run.stdout.lines().skip(1).skip_while(|line| line.starts_with('#')).collect();
    assert_eq!(
        chart.join("\n"),
        "\
./
 README.md 3
src/
 api/
  upload.test.ts 9 > ./upload.ts
  upload.ts 31 (Sends files to the server.) = uploadFile > src/lib/index.ts src/lib/retry.ts
 lib/
  index.ts 6 > ./retry.ts
  retry.ts 9 = retry
 pages/
  home.ts 7 = home"
    );
}

#[test]
fn named_files_show_the_signatures_of_their_declarations() {
    let repo = Repo::new(
        "\
//- src/limits.ts
/** How many. */
export interface Limits<T> {
  most: T;
}
export function limited<T>(
  what: T[], limits: Limits<T>,
): T[] {
  return what.slice(0, Number(limits.most));
}
function hidden() {}
export const LEAST = 1, MOST = 'two';
export { hidden as shown };
//- tools/limit.py
def limited(what, most=3):
    return what[:most]
def _hidden(): pass
//- src/user.ts
import { limited } from './limits';
export const used = limited;
",
    );
    let chart = repo.run(&["chart", "src/limits.ts", "tools"]).stdout;
    let limits = "\
src/limits.ts 12 lines
2-4\texport interface Limits<T>
5-9\texport function limited<T>( what: T[], limits: Limits<T>, ): T[]
10\tfunction hidden()
11\texport const LEAST = 1, MOST = 'two'
11\tMOST = 'two'
tools/
 limit.py 21 = limited _hidden
";
    assert!(chart.ends_with(limits), "{chart}");
    // Without a question, signatures are not shown.
    assert!(!repo.run(&["chart"]).stdout.contains("function limited"), "without a question");
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    repo.write("src/limits.ts", format!("export const LEAST = '{key}';\n").as_bytes());
    let chart = repo.run(&["chart", "src/limits.ts"]).stdout;
    assert!(!chart.contains("ghp_") && !chart.contains("LEAST"), "{chart}");
}

#[test]
fn exported_names_are_found_in_every_notation() {
    let repo = Repo::new(
        "\
//- src/a.ts
const one = 1;
function two() {}
class Three {}
export {
  one,
  two as second,
};
export default Three;
export { four, five as fifth } from './b';
//- src/b.ts
export const four = 4, five = 5;
//- src/c.rb
def run; end
",
    );
    let chart = repo.run(&["chart"]).stdout;
    assert!(chart.contains(" = one second default four fifth > ./b.ts\n"), "{chart}");
    assert!(chart.contains(" = four five\n"), "{chart}");
    assert!(chart.contains(" c.rb 5 = run\n"), "a language nobody reads: {chart}");
}

#[test]
fn a_chart_of_a_part_names_the_files_it_uses_outside() {
    let chart = Repo::new(APP).run(&["chart", "--scope", "src/api"]).stdout;
    assert!(chart.contains(" = uploadFile > src/lib/index.ts src/lib/retry.ts\n"), "{chart}");
    let run = Repo::new(APP).run(&["chart", "--scope", "nosuch"]);
    assert!(run.stderr.contains("no file is in the scope"), "{}", run.stderr);
}

#[test]
fn a_task_without_a_matching_word_is_reported() {
    let repo = Repo::new(APP);
    let first = |task| {
        let run = repo.run(&["chart", "--task", task]);
        run.stdout.lines().next().unwrap().to_owned()
    };
    for task in ["zzzzqqqq", "retry"] {
        let search = repo.run(&["search", "--task", task]).stdout;
        assert_eq!(first(task), search.lines().next().unwrap(), "as `search --task`");
    }
}

#[test]
fn a_question_shows_the_notices_of_its_own_files_only() {
    let repo = Repo::new(APP);
    repo.write("src/broken.ts", b"export const x = ;\nimport './lib';\n");
    assert_eq!(repo.run(&["chart"]).stderr, "");
    assert_eq!(repo.run(&["look", "src/pages/home.ts"]).stderr, "");
    let said = repo.run(&["look", "src/broken.ts"]).stderr;
    assert!(said.contains("src/broken.ts:1:18"), "{said}");
    assert_eq!(repo.run(&["find", "retry"]).stderr, "");
    assert_eq!(repo.run(&["impact", "--at", "src/pages/home.ts"]).stderr, "");
    let said = repo.run(&["graph", "--view", "stats"]).stderr;
    assert!(said.contains("src/broken.ts:1:18"), "{said}");
}

#[test]
fn json_has_the_listed_and_the_folded_files() {
    let run = Repo::new(APP).run(&["chart", "--format", "json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let result = &answer["result"];
    assert_eq!(result["listed"].as_array().unwrap().len(), 6);
    assert_eq!(result["folded"], serde_json::json!({}));
    assert!(result["text"].as_str().unwrap().contains(" retry.ts"));
    assert!(result["tokens"].as_u64().unwrap() < 400);
}

#[test]
fn the_default_format_is_text() {
    let repo = Repo::new(APP);
    assert_eq!(repo.run(&["chart", "--format", "text"]).stdout, repo.run(&["chart"]).stdout);
}

#[test]
fn impossible_requests_say_what_to_do() {
    let repo = Repo::new(APP);
    let run = repo.run(&["chart", "--budget", "499"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("at least 500 tokens, not 499"), "{}", run.stderr);
    let run = repo.run(&["chart", "src/api/uploda.ts"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `src/api/upload.ts`"), "{}", run.stderr);
}

#[test]
fn the_budget_holds_and_the_zoom_comes_first() {
    let repo = Repo::new(APP);
    for n in 0..400 {
        let text = format!("export const value{n} = {n};");
        repo.write(&format!("many/part{}/module-number-{n}.ts", n % 20), text.as_bytes());
    }
    let run = repo.run(&["chart", "src/lib", "--budget", "500", "--format", "json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let result = &answer["result"];
    assert!(result["tokens"].as_u64().unwrap() <= 500);
    let listed = result["listed"].as_array().unwrap();
    for id in ["src/lib/index.ts", "src/lib/retry.ts"] {
        assert!(listed.contains(&id.into()), "{id}");
    }
    let folded: u64 = result["folded"]
        .as_object()
        .unwrap()
        .values()
        .map(|sum| sum["files"].as_u64().unwrap())
        .sum();
    assert_eq!(folded + listed.len() as u64, 406);
}

#[test]
fn the_words_of_a_file_with_a_secret_are_not_shown() {
    let repo = Repo::new(APP);
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let text = format!("/** @module Tells all. */\nexport const hidden = '{key}';\n");
    repo.write("src/secret.ts", text.as_bytes());
    let chart = repo.run(&["chart"]).stdout;
    assert!(chart.contains(" secret.ts "), "{chart}");
    assert!(!chart.contains("Tells all") && !chart.contains("hidden"), "{chart}");
}

#[test]
fn the_cache_changes_nothing() {
    let repo = Repo::new(APP);
    let args = ["chart"];
    let without = repo.run(&args).stdout;
    repo.write(".stan/x", b"");
    for _ in 0..3 {
        assert_eq!(repo.run(&args).stdout, without);
    }
    assert!(repo.read(".stan/cache/words.bin").is_some());
    repo.write(".stan/cache/words.bin", b"broken");
    assert_eq!(repo.run(&args).stdout, without);
}

const STATE: &str = ".stan/context/dependency.state.json";
const IN_ARCHIVE: &str = ".stan/context/dependency.chart.txt";
const META: &str = ".stan/context/dependency.meta.json";

fn archived(repo: &Repo, path: &str) -> Option<String> {
    let members = repo.members(".stan/output/archive.tar").unwrap();
    members.get(path).map(|bytes| String::from_utf8(bytes.clone()).unwrap())
}

#[test]
fn archives_have_the_meta_if_it_fits_and_otherwise_the_chart() {
    let repo = Repo::new(APP);
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    assert!(archived(&repo, META).is_some() && archived(&repo, IN_ARCHIVE).is_none());
    for n in 0..60 {
        repo.write(&format!("more/{n}.ts"), b"import '../src/lib';");
    }
    assert_eq!(repo.run(&["run", "-cm", "--meta-budget", "600"]).code, 0);
    assert!(archived(&repo, META).is_none());
    assert!(archived(&repo, IN_ARCHIVE).unwrap().contains("\nmore/"));
    // The complete meta is on disk for tools.
    let meta = String::from_utf8(repo.read(META).unwrap()).unwrap();
    assert!(meta.contains("more/59.ts"));
    repo.write("stan.config.yml", b"portolan:\n  meta:\n    archive: never\n");
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    assert!(archived(&repo, META).is_none() && archived(&repo, IN_ARCHIVE).is_some());
    repo.write("stan.config.yml", b"portolan:\n  meta:\n    archive: always\n    budget: 500\n");
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    assert!(archived(&repo, META).is_some() && archived(&repo, IN_ARCHIVE).is_none());
}

#[test]
fn a_state_zooms_the_next_chart() {
    let repo = Repo::new(APP);
    for n in 0..300 {
        repo.write(&format!("more/module-number-{n}.ts"), b"export const x = 1;");
    }
    repo.write("stan.config.yml", b"portolan:\n  meta:\n    budget: 700\n");
    assert_eq!(repo.run(&["run", "-cm"]).code, 0);
    repo.write(STATE, br#"{ "v": 3, "i": ["src/lib"], "z": ["src/api"], "q": "retry" }"#);
    let run = repo.run(&["run", "-c"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let chart = archived(&repo, IN_ARCHIVE).unwrap();
    assert!(chart.contains("(Sends files to the server.) = uploadFile >"), "{chart}");
    assert!(archived(&repo, "src/lib/retry.ts").is_some());
    repo.write(STATE, br#"{ "v": 3, "i": [], "z": ["src/nothing", "src/lib"] }"#);
    let run = repo.run(&["run", "-c"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("nothing in the map is or lies below `src/nothing`"),
        "{}",
        run.stderr
    );
}

#[test]
fn changed_files_are_shown_in_detail() {
    let repo = Repo::new(APP);
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(repo.path()).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        assert!(command.args(args).output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let detailed = |args: &[&str]| {
        let run = repo.run(args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        // A file's own line has its name and its tokens.
        let file = |line: &str| {
            let mut words = line.trim().split(' ');
            let (name, cost) = (words.next()?, words.next()?);
            (name.contains(".ts") && cost.parse::<u32>().is_ok()).then(|| name.to_owned())
        };
        run.stdout.lines().filter_map(file).collect::<Vec<_>>()
    };
    let few = ["chart", "--budget", "500", "--changed"];
    assert!(repo.run(&few).stdout.contains(" files, 0 changed since HEAD\n"));
    for n in 0..200 {
        repo.write(&format!("src/more/n{n}.ts"), b"export const more = 1;\n");
    }
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    repo.write("src/pages/home.ts", b"export const home = 2;\n");
    assert_eq!(detailed(&few), ["home.ts"]);
    assert!(detailed(&["chart", "--budget", "20k", "--changed", "HEAD~1"]).len() > 100);
    let run = repo.run(&["chart", "--changed", "nope"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no such revision: `nope`"), "{}", run.stderr);
}
