//! Answers: what they say, when they are still true, and that nobody waits in vain.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use portolan_vfs::{CallOutcome, CancelToken, FaultySystem, MemorySystem, Operation, System};
use portolan_wire::question::{
    Budget, ChartQuestionV1, LookQuestionV1, NeedsMode, PackQuestionV1, PathQuestionV1, QuestionV1,
    ReadQuestionV1,
};
use serde_json::json;

use super::{AnswerContext, AnswerError, AnswerStore, TextAnswer, Verdict, answer, check};
use crate::chart::{ChartRequest, FileWeights, ranking_index};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::session::Session;
use portolan_index::timings::Stopwatch;
use portolan_index::token_counts::Tokenizer;
use portolan_workspace::config::{self, LoadRequest};
use portolan_workspace::path_input::PathInput;

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    system.put(
        "/r/src/cart.ts",
        "import { priceOf } from './price';\nexport const total = priceOf('a');\n",
    );
    system.put(
        "/r/src/price.ts",
        "export function priceOf(name: string) {\n  return name.length;\n}\n",
    );
    system.put("/r/src/alone.ts", "export const alone = 1;\n");
    system
}

fn session(system: &dyn System) -> Session<'_> {
    let request = LoadRequest {
        start: "/r".into(),
        user_cache: Some("/cache".into()),
        ..LoadRequest::default()
    };
    let config = config::load_with(system, &request).unwrap();
    let session = Session::open(system, MapRequest { config, threads: 2 }, CacheMode::Read);
    session.unwrap().lasting()
}

fn ask(session: &Session<'_>, question: &QuestionV1) -> Result<TextAnswer, AnswerError> {
    answer(AnswerContext { session, watch: &CancelToken::default() }, question)
        .map(|answer| answer.to_text())
}

fn look(targets: &[&str]) -> QuestionV1 {
    let targets = targets.iter().map(ToString::to_string).collect();
    QuestionV1::Look(LookQuestionV1 { targets, ..LookQuestionV1::default() })
}

fn read(target: &str) -> QuestionV1 {
    let targets = vec![target.to_owned()];
    QuestionV1::Read(ReadQuestionV1 { targets, ..ReadQuestionV1::default() })
}

fn chart(budget: u64) -> QuestionV1 {
    QuestionV1::Chart(ChartQuestionV1 { budget: Budget::new(budget), ..ChartQuestionV1::default() })
}

fn head(answer: &TextAnswer) -> &str {
    let (digest, head) = answer.text.lines().next().unwrap().split_once(' ').unwrap();
    assert_eq!(head, answer.head);
    assert_eq!(digest, format!("@{}", answer.digest));
    assert!(answer.digest.len() == 16 && answer.digest.bytes().all(|it| it.is_ascii_hexdigit()));
    head
}

#[test]
fn the_first_line_says_what_was_asked_and_of_how_much() {
    let system = repository();
    let session = session(&system);
    let seen = ask(&session, &look(&["src/price.ts"])).unwrap();
    assert!(head(&seen).starts_with("look src/price.ts 1 user, 0 needs"), "{}", seen.text);
    let files: Vec<_> = seen.manifest.files.keys().map(String::as_str).collect();
    assert_eq!(files, ["src/cart.ts", "src/price.ts"]);
    let shown = ask(&session, &read("src/cart.ts#total")).unwrap();
    assert!(head(&shown).starts_with("read src/cart.ts#total "), "{}", shown.text);
    assert!(head(&shown).ends_with(" tokens of 1 file"), "{}", shown.text);
    let drawn = ask(&session, &chart(4_000)).unwrap();
    assert_eq!(head(&drawn), "chart . 3 files");
}

#[test]
fn a_selection_and_an_impact_are_answers_like_others() {
    let system = repository();
    let session = session(&system);
    let question = |name, arguments| QuestionV1::from_arguments(name, arguments).unwrap();
    let select = question("select", json!({"entries": ["src/cart.ts:1"], "budget": 1000}));
    let selected = ask(&session, &select).unwrap();
    assert_eq!(head(&selected), "select src/cart.ts:1");
    assert!(selected.text.contains("\n2 nodes, "), "{}", selected.text);
    let importers = ask(&session, &question("select", json!({"importers": "price.ts"}))).unwrap();
    let (_, body) = importers.text.split_once('\n').unwrap();
    assert_eq!(body, "1 node depends on src/price.ts\n   1  src/cart.ts  runtime\n");
    let missing = ask(&session, &question("select", json!({"importers": "src/prise.ts"})));
    assert_eq!(missing.unwrap_err().next().unwrap(), "nearest: src/price.ts, src/alone.ts");
    let asked = ask(&session, &question("select", json!({})));
    assert!(matches!(asked, Err(AnswerError::Needs { question: "select", .. })));
    let impact = question("impact", json!({"at": ["src/price.ts#priceOf"]}));
    let affected = ask(&session, &impact).unwrap();
    assert_eq!(head(&affected), "impact src/price.ts#priceOf");
    assert!(affected.text.contains("\n    src/cart.ts:2\n"), "{}", affected.text);
    let files: Vec<_> = affected.manifest.files.keys().map(String::as_str).collect();
    assert_eq!(files, ["src/cart.ts", "src/price.ts"]);
}

#[test]
fn text_and_json_come_from_the_same_report() {
    let system = repository();
    for n in 0..300 {
        system.put(format!("/r/src/many/file-{n}.ts"), format!("export const v{n} = {n};\n"));
    }
    let session = session(&system);
    for budget in [500, 1_000, 4_000] {
        let context = AnswerContext { session: &session, watch: &CancelToken::default() };
        let drawn = answer(context, &chart(budget)).unwrap();
        let wire = drawn.report.to_wire();
        let (text, body) = (drawn.to_text().text, wire["text"].as_str().unwrap());
        assert_eq!(text.split_once('\n').unwrap().1, body, "{budget}");
        assert!(Tokenizer::O200kBase.count(text.as_bytes()).unwrap() <= budget);
    }
}

#[test]
fn a_path_is_a_question_like_the_others() {
    let system = repository();
    let session = session(&system);
    let path = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        QuestionV1::Path(PathQuestionV1 { from, to, ..PathQuestionV1::default() })
    };
    let context = AnswerContext { session: &session, watch: &CancelToken::default() };
    let found = answer(context, &path("total", "priceOf")).unwrap();
    let text = found.to_text();
    assert_eq!(head(&text), "path total to priceOf");
    let steps =
        "1 step\ntotal src/cart.ts:2 export const total = priceOf('a');\npriceOf src/price.ts:1\n";
    assert_eq!(text.text.split_once('\n').unwrap().1, steps);
    assert_eq!(found.report.to_wire()["paths"][0]["steps"][1]["file"], "src/price.ts");
    assert!(!found.report.is_empty());
    let files: Vec<_> = text.manifest.files.keys().map(String::as_str).collect();
    assert_eq!(files, ["src/cart.ts", "src/price.ts"]);
    assert!(answer(context, &path("alone", "total")).unwrap().report.is_empty());
    let nowhere = answer(context, &path("total", "")).unwrap_err();
    assert!(matches!(nowhere, AnswerError::Needs { question: "path", .. }), "{nowhere}");
}

#[test]
fn who_leaves_the_defaults_out_asks_the_same() {
    let system = repository();
    let session = session(&system);
    let short = ask(&session, &read("priceOf")).unwrap();
    let long = ReadQuestionV1 {
        targets: vec!["priceOf".to_owned()],
        needs: Some(NeedsMode::None),
        budget: Budget::new(super::DEFAULT_BUDGET),
        ..ReadQuestionV1::default()
    };
    assert_eq!(short.text, ask(&session, &QuestionV1::Read(long)).unwrap().text);
}

#[test]
fn the_digest_is_of_the_question_and_the_bytes_of_each_file() {
    let system = repository();
    let session = session(&system);
    let first = ask(&session, &look(&["src/price.ts"])).unwrap();
    assert_eq!(ask(&session, &look(&["src/price.ts"])).unwrap().digest, first.digest);
    assert_ne!(ask(&session, &look(&["./src/price.ts"])).unwrap().digest, first.digest);
    system.put("/r/src/alone.ts", "export const alone = 2;\n");
    assert_eq!(ask(&session, &look(&["src/price.ts"])).unwrap().digest, first.digest);
    system.put(
        "/r/src/cart.ts",
        "import { priceOf } from './price';\nexport const total = priceOf('b');\n",
    );
    assert_ne!(ask(&session, &look(&["src/price.ts"])).unwrap().digest, first.digest);
}

#[test]
fn a_check_asks_again_and_names_what_changed() {
    let system = repository();
    let session = session(&system);
    let (store, watch) =
        (AnswerStore::open(&system, Path::new("/cache")).unwrap(), CancelToken::default());
    let answer = ask(&session, &look(&["src/price.ts"])).unwrap();
    store.put(&answer);
    let verdict = || {
        let manifest = store.get(&answer.digest).unwrap();
        check(AnswerContext { session: &session, watch: &watch }, &manifest).unwrap().to_string()
    };
    assert_eq!(verdict(), "true: look src/price.ts 1 user, 0 needs");
    // An edit that makes no difference to the answer.
    system.put("/r/src/price.ts", "export function priceOf(name: string) {\n  return 2;\n}\n");
    assert!(verdict().ends_with("; edited without changing it: src/price.ts"), "{}", verdict());
    // A new user: none of the files that were named is another one.
    system.put("/r/src/more.ts", "import './price';\n");
    assert!(verdict().starts_with("changed: "), "{}", verdict());
    assert!(verdict().contains("src/more.ts (new), src/price.ts: ask again"), "{}", verdict());
    system.remove_file(Path::new("/r/src/price.ts")).unwrap();
    assert!(verdict().contains("now no file `src/price.ts` in the map"), "{}", verdict());
    assert!(store.get("0123456789abcdef").is_none() && store.get("../../etc/passwd").is_none());
    let elsewhere = Verdict::Elsewhere { root: "/q".to_owned() };
    assert_eq!(elsewhere.to_string(), "unknown here, an answer of /q: ask there");
}

#[test]
fn an_answer_never_costs_more_than_its_budget_and_says_what_was_cut() {
    let system = repository();
    for n in 0..900 {
        let text =
            format!("import {{ priceOf }} from '../price';\nexport const v{n} = priceOf('');\n");
        system.put(format!("/r/src/users/a-long-name-{n}.ts"), text);
    }
    let session = session(&system);
    for (question, budget) in
        [(look(&["src/price.ts"]), 900), (chart(900), 900), (read("priceOf"), 600)]
    {
        let mut question = question;
        *question.budget_mut() = Budget::new(budget);
        let text = ask(&session, &question).unwrap().text;
        let cost = Tokenizer::O200kBase.count(text.as_bytes()).unwrap();
        assert!(cost <= budget, "{} costs {cost}", question.name());
    }
    let mut question = look(&["src/price.ts"]);
    *question.budget_mut() = Budget::new(900);
    let text = ask(&session, &question).unwrap().text;
    assert!(text.contains('…') && text.contains("more"), "{text}");
}

#[test]
fn errors_carry_the_next_call() {
    let system = repository();
    let session = session(&system);
    let next = |question: &QuestionV1| ask(&session, question).unwrap_err().next();
    let nearest = next(&read("src/price.ts#pricesOf")).unwrap();
    assert_eq!(nearest, "nearest: src/price.ts#priceOf");
    assert!(next(&look(&["src/zebra/quagga.ts"])).unwrap().contains("chart"), "no such file");
    let none = ask(&session, &look(&[])).unwrap_err();
    assert_eq!(none.to_string(), "look takes targets: path, path#name or name");
    let failure = Some("all is well".to_owned());
    let pack = QuestionV1::Pack(PackQuestionV1 { failure, ..PackQuestionV1::default() });
    assert!(next(&pack).unwrap().contains("what the tool printed"));
}

#[test]
fn a_pack_is_an_answer_too() {
    let system = repository();
    let session = session(&system);
    let failure = "src/cart.ts(2,14): error TS2345: Argument of type 'number' is not assignable.\n";
    let failure = Some(failure.to_owned());
    let pack = QuestionV1::Pack(PackQuestionV1 { failure, ..PackQuestionV1::default() });
    let answer = ask(&session, &pack).unwrap();
    assert!(head(&answer).starts_with("pack failure "), "{}", answer.text);
    assert!(answer.text.contains("export const total = priceOf('a');"), "{}", answer.text);
    assert!(answer.manifest.files.contains_key("src/cart.ts"), "{:?}", answer.manifest.files);
}

/// A disk that takes its time.
fn slow(files: usize) -> FaultySystem {
    let system = repository();
    for n in 0..files {
        system.put(format!("/r/src/f{n}.ts"), format!("export const v{n} = {n};\n"));
    }
    FaultySystem::new(system, |call| {
        if matches!(call.operation, Operation::Read | Operation::ReadHead) {
            std::thread::sleep(Duration::from_millis(5));
        }
        CallOutcome::Pass
    })
}

#[test]
fn a_question_that_is_taken_back_ends_at_once_and_spoils_nothing() {
    let system = slow(2_000);
    let session = session(&system);
    let watch = Arc::new(CancelToken::default());
    let stopper = Arc::clone(&watch);
    let stopped = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        stopper.cancel();
        Stopwatch::start()
    });
    let error =
        answer(AnswerContext { session: &session, watch: &watch }, &chart(4_000)).unwrap_err();
    let waited = stopped.join().unwrap().elapsed();
    assert!(error.is_stopped(), "{error}");
    assert!(waited < Duration::from_millis(200), "{waited:?}");
    assert!(watch.calls() > 0);
    let fresh = repository();
    for n in 0..2_000 {
        fresh.put(format!("/r/src/f{n}.ts"), format!("export const v{n} = {n};\n"));
    }
    let other = self::session(&fresh);
    let question = look(&["src/price.ts"]);
    assert_eq!(ask(&session, &question).unwrap().text, ask(&other, &question).unwrap().text);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again() {
    let disk = repository();
    let inner = disk.clone();
    let changed = std::sync::atomic::AtomicBool::new(false);
    // The file changes after the Map was made: when somebody reads it for the second time.
    let reads = std::sync::atomic::AtomicUsize::new(0);
    let system = FaultySystem::new(disk, move |call| {
        use std::sync::atomic::Ordering::Relaxed;
        let is_it = call.path.ends_with("price.ts")
            && matches!(call.operation, Operation::Read | Operation::ReadHead);
        if is_it && reads.fetch_add(1, Relaxed) == 1 && !changed.swap(true, Relaxed) {
            inner.put(
                "/r/src/price.ts",
                "export function priceOf(name: string) {\n  return 7;\n}\n",
            );
        }
        CallOutcome::Pass
    });
    let session = session(&system);
    let answer = ask(&session, &read("src/price.ts#priceOf")).unwrap();
    assert!(answer.text.contains("return 7"), "{}", answer.text);
    let map = &session.snapshot().unwrap().map;
    let known = super::known_digest(map, "src/price.ts").unwrap().to_string();
    assert_eq!(answer.manifest.files["src/price.ts"], known);
}

#[test]
fn words_that_a_chart_left_out_are_gathered_for_the_first_task() {
    let system = repository();
    system.put("/r/src/zoo.ts", "// of a zebra\nexport const zoo = 1;\n");
    // Without a cache: where there is one, the chart keeps the words in it.
    let request = LoadRequest { start: "/r".into(), ..LoadRequest::default() };
    let config = config::load_with(&system, &request).unwrap();
    let session = Session::open(&system, MapRequest { config, threads: 2 }, CacheMode::Off);
    let session = session.unwrap().lasting();
    ask(&session, &chart(4_000)).unwrap();
    let snapshot = session.snapshot().unwrap();
    let request = ChartRequest {
        zoom: Vec::new(),
        path_input: PathInput::here(session.config()),
        changed: Vec::new(),
        commits: Vec::new(),
        task: Some("the zebra".to_owned()),
        budget: 4_000,
        weights: FileWeights::default(),
    };
    let first = |has_task| {
        let ranking = ranking_index(&session, &snapshot.map, &system, has_task);
        ranking.by_interest(&request).unwrap()[0].to_owned()
    };
    assert_eq!(first(false), "src/price.ts", "nobody gathered words yet");
    assert_eq!(first(true), "src/zoo.ts");
    assert_eq!(first(false), "src/zoo.ts", "and they stay");
}
