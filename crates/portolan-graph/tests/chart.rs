//! Specifies charts: what a reader sees, and that they never exceed their budget.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use portolan_graph::chart::{Chart, ChartFile, ChartRequest, FileDetails, LEGEND, chart};
use portolan_types::{FileId, KindMask};
use proptest::prelude::*;

/// A file that uses files outside the chart.
const AWAY: FileId = FileId::new(7);

/// Each file uses the next one.
struct Chain(u32);

impl FileDetails for Chain {
    fn description(&self, file: FileId) -> Option<&str> {
        (file == 0).then_some("Where\nit starts.")
    }

    fn names(&self, _file: FileId) -> Vec<String> {
        vec!["one".into(), "two".into()]
    }

    fn uses(&self, file: FileId) -> Vec<(FileId, KindMask)> {
        let kind = if file.number().is_multiple_of(2) { KindMask::RUNTIME } else { KindMask::TYPE };
        (file.number() + 1 < self.0)
            .then_some((FileId::new(file.number() + 1), kind))
            .into_iter()
            .collect()
    }

    fn leaves_for(&self, file: FileId) -> Vec<(&str, KindMask)> {
        let away = [("lib/y.ts", KindMask::RUNTIME), ("lib/t.d.ts", KindMask::TYPE)];
        if file == AWAY { away.to_vec() } else { Vec::new() }
    }

    fn heads(&self, file: FileId) -> Vec<String> {
        if file == 1 { vec!["3 fn one(\n  a: A)".into(), "9 fn two()".into()] } else { Vec::new() }
    }
}

/// Counts more tokens than a real tokenizer: a run of letters is one, and so is any other
/// character.
fn count(text: &str) -> u64 {
    let mut tokens = 0;
    let mut in_word = false;
    for c in text.chars() {
        tokens += u64::from(!(in_word && c.is_ascii_alphanumeric()));
        in_word = c.is_ascii_alphanumeric();
    }
    tokens
}

fn draw<'p>(paths: &[&'p str], first: &[&str], budget: u64) -> Chart {
    let file = |path: &&'p str| ChartFile {
        path,
        tokens: 1200,
        is_code: path.rsplit('.').next() == Some("ts"),
        is_manifest: path.ends_with("/package.json"),
    };
    let files: Vec<ChartFile<'_>> = paths.iter().map(file).collect();
    let place = |path: &&str| paths.iter().position(|one| one == path).map(FileId::at).unwrap();
    let mut order: Vec<FileId> = first.iter().map(place).collect();
    let asked = order.len();
    order.extend(
        FileId::first(paths.len()).filter(|at| !first.iter().map(place).any(|one| one == *at)),
    );
    chart(&ChartRequest {
        files: &files,
        order: &order,
        asked,
        has_question: asked > 0,
        budget,
        details: &Chain(paths.len() as u32),
        count: &count,
    })
}

#[track_caller]
fn check(paths: &[&str], first: &[&str], budget: u64, expected: &str) {
    let chart = draw(paths, first, budget + count(LEGEND));
    assert_eq!(chart.text.strip_prefix(LEGEND).unwrap(), expected);
    assert!(chart.tokens <= budget + count(LEGEND));
}

const SMALL: &[&str] =
    &["README.md", "src/a.ts", "src/b.ts", "src/c.ts", "src/deep/er/d.ts", "src/e.test.ts"];

#[test]
fn with_room_for_all_every_file_has_a_line() {
    check(
        SMALL,
        &[],
        10_000,
        "\
./
 README.md 1.2k (Where it starts.) = one two > src/a.ts
src/
 a.ts 1.2k = one two ~ ./b.ts
 b.ts 1.2k = one two > ./c.ts
 c.ts 1.2k = one two ~ src/deep/er/d.ts
 e.test.ts 1.2k = one two
 deep/er/
  d.ts 1.2k = one two > src/e.test.ts
",
    );
}

#[test]
fn with_less_files_are_names_on_the_line_of_their_folder() {
    let names = "./ README.md\nsrc/ e.test.ts {a b c}.ts\n deep/er/ d.ts\n";
    check(SMALL, &[], count(names), names);
}

#[test]
fn with_more_budget_files_get_a_line_with_their_cost_and_then_their_uses() {
    let costs = "./\n README.md 1.2k\nsrc/\n a.ts 1.2k\n b.ts 1.2k\n c.ts 1.2k\n e.test.ts 1.2k\n deep/er/\n  d.ts 1.2k\n";
    check(SMALL, &[], count(costs), costs);
    let uses = "./\n README.md 1.2k > src/a.ts\nsrc/\n a.ts 1.2k ~ ./b.ts\n b.ts 1.2k > ./c.ts\n c.ts 1.2k ~ src/deep/er/d.ts\n e.test.ts 1.2k\n deep/er/\n  d.ts 1.2k > src/e.test.ts\n";
    check(SMALL, &[], count(uses), uses);
}

#[test]
fn files_used_outside_the_chart_have_their_full_path() {
    let names: Vec<String> = (0..8).map(|n| format!("src/f{n}.ts")).collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    let chart = draw(&paths, &[], 10_000);
    assert!(
        chart.text.ends_with(" f7.ts 1.2k = one two > lib/y.ts ~ lib/t.d.ts\n"),
        "{}",
        chart.text
    );
}

#[test]
fn all_of_a_large_folder_is_named_before_any_of_it_is_described() {
    let names: Vec<String> = (0..60).map(|n| format!("src/f{n:02}.ts")).collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).chain(["z/other.ts"]).collect();
    let chart = draw(&paths, &paths[..60], 500);
    assert_eq!(chart.listed, (0..60).collect::<Vec<u32>>(), "{}", chart.text);
    let more = draw(&paths, &paths[..60], 1_500);
    assert!(more.text.contains(" f00.ts 1.2k"), "{}", more.text);
}

#[test]
fn folders_show_their_uses_before_every_folder_has_a_line() {
    let names: Vec<String> = (0..400)
        .flat_map(|n| [format!("p/pack-{n:03}/package.json"), format!("p/pack-{n:03}/src/a.ts")])
        .collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = draw(&paths, &[], 3_000).text;
    assert!(text.lines().any(|line| line.starts_with(" pack-") && line.contains(" > ")), "{text}");
}

#[test]
fn named_files_come_first_and_the_rest_is_counted() {
    check(SMALL, &["src/b.ts"], 36, "./ +1\nsrc/ +4\n b.ts 1.2k = one two > ./c.ts\n");
}

#[test]
fn named_files_show_signatures_if_there_is_room() {
    let more: Vec<String> = (0..200).map(|n| format!("src/f/module-number-{n}.ts")).collect();
    let paths: Vec<&str> = SMALL.iter().copied().chain(more.iter().map(String::as_str)).collect();
    let chart = draw(&paths, &["src/a.ts"], 500);
    let headed = " a.ts 1.2k ~ ./b.ts\n  3 fn one( a: A)\n  9 fn two()\n";
    assert!(chart.text.contains(headed), "{}", chart.text);
    assert!(chart.listed.len() < paths.len());
    // A file of a language without signatures shows its names.
    let chart = draw(&paths, &["src/b.ts"], 500);
    assert!(chart.text.contains(" b.ts 1.2k = one two > ./c.ts\n"), "{}", chart.text);
}

#[test]
fn signatures_are_shown_only_for_a_question() {
    // Only `src/a.ts` has signatures.
    assert!(!draw(SMALL, &[], 10_000).text.contains("fn one"));
    assert!(draw(SMALL, &["src/c.ts"], 10_000).text.contains("fn one"));
}

#[test]
fn a_folded_folder_shows_its_kind_and_cost() {
    check(SMALL, &[], 17, "./ +1\nsrc/ +5 ts 6k\n");
}

#[test]
fn a_folded_folder_shows_the_folders_it_uses_most() {
    // Each file uses the next one, so `a` and `b` use the first file of the next folder.
    let paths = ["a/x/1.ts", "a/y/2.ts", "b/3.ts", "c/4.ts"];
    check(&paths, &[], 49, "./\na/ +2 ts 2.4k > b/\nb/ +1 ts 1.2k > c/\nc/ +1 ts 1.2k\n");
}

#[test]
fn ids_can_be_read_off_and_counts_add_up() {
    let chart = draw(SMALL, &["src/deep/er/d.ts"], 60 + count(LEGEND));
    let folded: u32 = chart.folded.values().map(|folded| folded.files).sum();
    assert_eq!(folded as usize + chart.listed.len(), SMALL.len());
}

proptest! {
    #[test]
    fn the_budget_holds_and_nothing_is_lost(
        mut paths in prop::collection::btree_set("([a-c{ \\\n.é日-]{1,40}/){0,6}[a-z.+\"🦀]{1,60}(\\.ts|\\.md)?", 0..60),
        budget in 500u64..3000,
        asked in 0usize..3,
    ) {
        paths.retain(|path| !path.split('/').any(str::is_empty));
        let mut paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        paths.sort_by(|left, right| portolan_types::cmp_utf16(left, right));
        // A file and a folder do not share a name.
        let folders: Vec<String> = paths.iter().map(|path| format!("{path}/")).collect();
        let is_folder = |at: usize| paths.iter().any(|path| path.starts_with(&folders[at]));
        let paths: Vec<&str> = (0..paths.len()).filter(|at| !is_folder(*at)).map(|at| paths[at]).collect();
        let first: Vec<&str> = paths.iter().copied().rev().take(asked).collect();
        let chart = draw(&paths, &first, budget);
        prop_assert!(chart.tokens <= budget);
        prop_assert_eq!(chart.tokens, count(&chart.text));
        let folded: u32 = chart.folded.values().map(|folded| folded.files).sum();
        prop_assert_eq!(folded as usize + chart.listed.len(), paths.len());
    }
}

#[test]
fn a_hundred_thousand_files_in_deep_folders_fit_five_hundred_tokens() {
    let deep = "d/".repeat(500);
    let mut paths: Vec<String> = (0..100_000).map(|n| format!("p{}/{n:06}.ts", n % 700)).collect();
    paths.extend((0..50).map(|n| format!("{deep}{}{n}.ts", "long-".repeat(40))));
    paths.sort_by(|left, right| portolan_types::cmp_utf16(left, right));
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for budget in [500, 2000] {
        let chart = draw(&paths, &[], budget);
        assert!(chart.tokens <= budget);
        assert!(chart.tokens > budget / 2, "{}", chart.tokens);
    }
}

#[test]
fn every_package_of_a_monorepo_has_a_line_before_the_large_folders_of_one() {
    let mut paths: Vec<String> =
        (0..400).map(|n| format!("packages/big/src/f{}/x{n}.ts", n / 70)).collect();
    paths.push("packages/big/package.json".to_owned());
    for name in ["ant", "bee", "cat", "dog"] {
        paths.push(format!("packages/{name}/index.ts"));
        paths.push(format!("packages/{name}/package.json"));
    }
    paths.sort();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let text = draw(&paths, &[], 104 + count(LEGEND)).text;
    for name in ["ant/", "bee/", "big/", "cat/", "dog/"] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
}
