//! Packs of tasks, places and changes of a small repository.

use std::collections::BTreeSet;
use std::path::Path;

use portolan_vfs::MemorySystem;

use super::{UndertakingRequest, build_undertaking, impact_of, with_ground};
use crate::pack::{PackError, PackForm, PackReport, TASK_BUDGET};
use portolan_index::map::CacheMode;
use portolan_workspace::config;

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put(
        "/repo/src/link.ts",
        "import { Options } from './options';\n\n/** Opens a link. */\nexport function openLink(options: Options): number {\n  return options.timeout;\n}\n\nexport const other = 1;\n",
    );
    system.put("/repo/src/options.ts", "export interface Options {\n  timeout: number;\n}\n");
    system.put(
        "/repo/src/link.test.ts",
        "import { openLink } from './link';\n\ntest('opens', () => {\n  openLink({ timeout: 1 });\n});\n",
    );
    system.put("/repo/src/far.ts", "export const far = 'nothing of it';\n");
    system.put("/repo/.env", "password = \"hunter2hunter2hunter2\"\n");
    system
}

fn request(system: &MemorySystem) -> UndertakingRequest {
    UndertakingRequest {
        config: config::load(system, Path::new("/repo")).unwrap(),
        task: None,
        at: Vec::new(),
        changed: None,
        tests: false,
        budget: 16_000,
        form: PackForm::Markdown,
        threads: 1,
        cache: CacheMode::Off,
    }
}

fn task(text: &str, budget: u64) -> PackReport {
    let system = repository();
    let request = UndertakingRequest { task: Some(text.to_owned()), budget, ..request(&system) };
    build_undertaking(&system, &request).unwrap()
}

#[test]
fn lines_that_change_count_their_file_and_what_they_touch() {
    let told = |place: &str| {
        let system = repository();
        let asked = UndertakingRequest { at: vec![place.to_owned()], ..request(&system) };
        with_ground(&system, &asked, impact_of).map(|report| report.to_text())
    };
    let text = told("src/link.ts:5-6").unwrap();
    assert!(text.starts_with("a change of 1 file, 1 declaration\n"), "{text}");
    assert!(text.contains("function openLink:4: 1 use in 1 file"), "{text}");
    let text = told("src/link.ts:1-2").unwrap();
    assert!(text.starts_with("a change of 1 file, 0 declarations\n"), "{text}");
    assert!(text.contains("src/link.test.ts"), "{text}");
    assert!(matches!(told("src/link.ts:90-91"), Err(PackError::Target(_))));
}

#[test]
fn a_task_lists_places_and_shows_the_bodies_that_have_its_words() {
    let text = task("make `openLink` obey a timeout per request", 4_000).context.text;
    assert!(text.starts_with("# Context for a task\n\n> make `openLink` obey"), "{text}");
    assert!(
        text.contains("\nPlaces, best first:\n\n- src/link.ts:4-6 openLink (link, open, openlink)"),
        "{text}"
    );
    assert!(text.contains(" of the task's words, by how rare they are"), "{text}");
    assert!(text.contains("\n### src/link.ts `openLink` ("), "{text}");
    assert!(
        text.contains("\n4\texport function openLink(options: Options): number {\n5\t"),
        "{text}"
    );
    assert!(!text.contains("nothing of it") && !text.contains("hunter2"), "{text}");
}

/// A file with twelve functions about timeouts of links, and six files with one each.
fn many_places() -> MemorySystem {
    let system = repository();
    let function = |n: usize| {
        let body = "  // the timeout of a link\n".repeat(6);
        format!("export function linkTimeout{n}(link: number) {{\n{body}  return timeout;\n}}\n\n")
    };
    let many = (0..12).map(function).collect::<String>();
    system.put("/repo/src/many.ts", many);
    for n in 0..6 {
        let text = format!("export function wait{n}(link: number) {{\n  return link;\n}}\n");
        system.put(format!("/repo/src/other{n}.ts"), text);
    }
    let test =
        |n: usize| format!("test('link timeout {n}', () => {{\n  linkTimeout{n}(1);\n}});\n\n");
    system.put("/repo/src/many.test.ts", (0..12).map(test).collect::<String>());
    system
}

#[test]
fn behind_the_best_places_the_list_has_those_of_other_files() {
    let system = many_places();
    let task = Some("make the timeout of a link longer".to_owned());
    let request = UndertakingRequest { task, budget: TASK_BUDGET, ..request(&system) };
    let text = build_undertaking(&system, &request).unwrap().context.text;
    let (best, rest) = text.split_once("\nThe best place of each of the next files:\n\n").unwrap();
    assert_eq!(best.matches("\n- src/").count(), 10, "{text}");
    let list = rest.split_once("\n\n").unwrap().0;
    let files: BTreeSet<&str> = list.lines().filter_map(|it| it.split(':').next()).collect();
    assert!(files.len() == list.lines().count() && files.len() > 2, "{text}");
    assert!(files.iter().all(|file| !best.contains(&format!("\n{file}:"))), "{text}");
}

#[test]
fn whoever_gives_more_tokens_sees_more_of_what_is_less_likely() {
    let system = many_places();
    let shown = |budget: u64| {
        let task = Some("make the timeout of a link longer".to_owned());
        let request = UndertakingRequest { task, budget, ..request(&system) };
        let text = build_undertaking(&system, &request).unwrap().context.text;
        let lines: BTreeSet<String> =
            text.lines().filter(|it| it.contains('\t')).map(str::to_owned).collect();
        (lines, text.matches(".test.ts:").count())
    };
    let ((few, few_tests), (more, more_tests)) = (shown(TASK_BUDGET), shown(16_000));
    assert!(few.len() < more.len() && few.is_subset(&more), "{few:?}\n{more:?}");
    assert_eq!((few_tests, more_tests), (3, 8));
}

#[test]
fn a_task_that_matches_nothing_says_so_and_what_was_looked_for() {
    for text in ["fix typo", "improve performance", "Fix flaky tests", "upgrade kubernetes ingress"]
    {
        let report = task(text, 16_000);
        let answer = &report.context.text;
        assert!(answer.contains("nothing distinctive matches in "), "{answer}");
        assert!(
            report.context.tokens <= 150 && report.context.pack.code.slices.is_empty(),
            "{answer}"
        );
    }
    assert!(task("upgrade kubernetes", 4_000).context.text.contains("looked for: kubernetes"));
}

#[test]
fn of_a_long_text_a_smaller_share_is_evidence() {
    let words = |count: u32| (0..count).map(|n| format!(" word{n}x")).collect::<String>();
    let text = |count: u32| format!("`openLink` must obey a timeout\n\n{}", words(count));
    assert!(task(&text(60), 4_000).context.text.contains("### src/link.ts"));
    let foreign = format!("a timeout\n\n{}", words(60));
    assert!(task(&foreign, 4_000).context.text.contains("nothing distinctive matches"));
}

#[test]
fn a_file_that_only_exports_what_others_declare_can_be_shown() {
    let system = repository();
    system.put("/repo/src/upload.ts", "export { openLink } from './link';\n");
    let task = Some("export the upload options beside `openLink`".to_owned());
    let request = UndertakingRequest { task, budget: 4_000, ..request(&system) };
    let text = build_undertaking(&system, &request).unwrap().context.text;
    assert!(text.contains("1\texport { openLink } from './link';"), "{text}");
}

#[test]
fn tests_are_a_line_each_and_have_bodies_only_where_asked_for() {
    let system = repository();
    let ask = |tests: bool| {
        let task = Some("make `openLink` obey a timeout per request".to_owned());
        let request = UndertakingRequest { task, tests, ..request(&system) };
        build_undertaking(&system, &request).unwrap().context.text
    };
    let (without, with) = (ask(false), ask(true));
    assert!(without.contains("- src/link.test.ts:3 opens: names `openLink`\n"), "{without}");
    assert!(!without.contains("openLink({ timeout: 1 })"), "{without}");
    assert!(with.contains("4\t  openLink({ timeout: 1 });"), "{with}");
}

#[test]
fn a_long_body_is_shown_around_what_matched() {
    let system = repository();
    let filler = |count: usize| "  step();\n".repeat(count);
    let body =
        format!("{}  if (late) {{\n    retryUpload(late);\n  }}\n{}", filler(60), filler(200));
    system
        .put("/repo/src/upload.ts", format!("export function upload(late: number) {{\n{body}}}\n"));
    let task = Some("`retryUpload` is called when an upload is late".to_owned());
    let request = UndertakingRequest { task, budget: 1_000, ..request(&system) };
    let text = build_undertaking(&system, &request).unwrap().context.text;
    for part in [
        "1\texport function upload(",
        "62\t  if (late) {",
        "63\t    retryUpload(late);",
        " lines)\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.matches("step();").count() < 30, "{text}");
}

#[test]
fn no_budget_is_exceeded_and_a_larger_one_shows_more() {
    let mut before: Vec<String> = Vec::new();
    for budget in [1_000, 2_000, 16_000] {
        let report = task("time out links of far options", budget);
        assert!(report.context.tokens <= budget);
        let pack = &report.context.pack;
        let shown: Vec<String> = pack
            .code
            .slices
            .iter()
            .map(|it| format!("{}{:?}", pack.digests.inputs[it.file as usize].path, it.lines))
            .collect();
        assert!(before.iter().all(|it| shown.contains(it)), "{before:?} {shown:?}");
        before = shown;
    }
}

#[test]
fn a_place_is_shown_whole_with_what_it_uses_and_who_uses_it() {
    let system = repository();
    let at = vec!["src/link.ts#openLink".to_owned()];
    let report =
        build_undertaking(&system, &UndertakingRequest { at, ..request(&system) }).unwrap();
    let text = report.context.text;
    for part in [
        "## Asked for",
        "return options.timeout;",
        "## Used by these",
        "timeout: number;",
        "## Uses what was asked for",
        "openLink({ timeout: 1 })",
        "- src/link.test.ts (imports it)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("other = 1"), "{text}");
}

#[test]
fn what_would_be_affected_is_a_tree() {
    let system = repository();
    let at = vec!["src/link.ts#openLink".to_owned()];
    let asked = UndertakingRequest { at, ..request(&system) };
    let impact = with_ground(&system, &asked, impact_of).unwrap();
    assert_eq!(
        impact.to_text(),
        "a change of 1 file, 1 declaration\nsrc/link.ts\n  function openLink:4: 1 use in 1 file\n    src/link.test.ts:4\ntests, likeliest first (1 in all):\n  src/link.test.ts\n"
    );
}

#[test]
fn what_cannot_be_is_told() {
    let system = repository();
    let small = UndertakingRequest { budget: 10, ..request(&system) };
    assert!(matches!(build_undertaking(&system, &small), Err(PackError::Budget(10))));
    let at = vec!["src/gone.ts:1".to_owned()];
    let gone = UndertakingRequest { at, ..request(&system) };
    assert!(matches!(build_undertaking(&system, &gone), Err(PackError::Target(_))));
    let changed = UndertakingRequest { changed: Some("HEAD".to_owned()), ..request(&system) };
    assert!(matches!(build_undertaking(&system, &changed), Err(PackError::Base(_))));
}

#[test]
fn an_import_and_lines_can_be_asked_for() {
    let system = repository();
    let ask = |place: &str| {
        let at = vec![place.to_owned()];
        build_undertaking(&system, &UndertakingRequest { at, ..request(&system) })
    };
    let import = ask("src/link.ts:1").unwrap().context.text;
    assert!(import.contains("import { Options } from"), "{import}");
    assert!(import.contains("- src/link.test.ts (imports it)"), "{import}");
    // Lines are these and nothing beside.
    let lines = ask("src/link.ts:4-6").unwrap().context.text;
    assert!(lines.contains("4\texport function openLink"), "{lines}");
    assert!(!lines.contains("other = 1") && !lines.contains("## Uses"), "{lines}");
    assert!(matches!(ask("src/link.ts:90-91"), Err(PackError::Target(_))));
    assert!(matches!(ask("src/gone.ts:1-2"), Err(PackError::Target(_))));
}

#[test]
fn what_did_not_fit_is_named_by_lines_that_cost_what_is_said() {
    let system = repository();
    let body = "  console.log('a timeout of a link, told at some length');\n".repeat(60);
    let text = format!("import './link';\nexport function long() {{\n{body}}}\n").repeat(3);
    system.put("/repo/src/long.ts", text);
    let at = vec!["src/long.ts".to_owned()];
    let whole = UndertakingRequest { at, budget: 1_000, ..request(&system) };
    let next = build_undertaking(&system, &whole).unwrap().context.pack.next;
    assert!(!next.is_empty());
    for one in next {
        let at = vec![one.id.clone()];
        let asked = UndertakingRequest { at, ..request(&system) };
        let found = build_undertaking(&system, &asked).unwrap().context;
        let shown: usize = found.pack.code.slices.iter().map(|slice| slice.text.len()).sum();
        let told = one.tokens as usize * 4;
        assert!(shown.abs_diff(told) <= told / 5 + 8, "{}: {shown} of {told}", one.id);
    }
}

#[test]
fn a_frame_in_a_task_leads_to_its_place_first() {
    for frame in ["at x (/ci/build/src/far.ts:1:3)", "File \"src/far.ts\", line 1, in x"] {
        let report = task(&format!("links time out with options\n  {frame}"), 16_000);
        let pack = &report.context.pack;
        let first = &pack.code.slices[0];
        assert_eq!(pack.digests.inputs[first.file as usize].path, "src/far.ts");
        assert_eq!(first.why, ["a frame in the task leads here"]);
    }
}

#[test]
fn what_is_used_is_shown_as_a_head_with_the_heads_of_its_members() {
    let system = repository();
    system.put(
        "/repo/src/clock.ts",
        "export class Clock {\n  now(): number {\n    return 17;\n  }\n\n  later(): number {\n    return 18;\n  }\n}\n\nexport function wait(ms: number): number {\n  return ms * 19;\n}\n",
    );
    system.put(
        "/repo/src/open.ts",
        "import { Clock, wait } from './clock';\n\nexport function open(clock: Clock): number {\n  return wait(clock.now());\n}\n",
    );
    let at = vec!["src/open.ts#open".to_owned()];
    let text = build_undertaking(&system, &UndertakingRequest { at, ..request(&system) });
    let text = text.unwrap().context.text;
    // Whole; a head; a head with the heads of members.
    for part in ["return wait(clock.now());", "function wait(ms: number)", "class Clock", "now()"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["return ms * 19", "return 17", "return 18"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
}
