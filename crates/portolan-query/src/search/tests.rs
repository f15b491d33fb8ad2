//! Searches over repositories in memory.

use std::path::Path;

use portolan_vfs::{CancelToken, MemorySystem, System as _};
use portolan_wire::question::{Budget, QuestionV1, SearchQuestionV1, Within};

use super::{
    FileClass, NamesReport, PlainLayout, SearchContext, SearchError, search, search_names,
    search_plain, search_task,
};
use crate::answers::{self, AnswerContext};
use portolan_index::map::{CacheMode, MapRequest};
use portolan_index::pool::on_threads;
use portolan_index::session::Session;
use portolan_index::token_counts::Tokenizer;
use portolan_workspace::config;

const QUERY: &str = "class Query:\n    def order_by(self, *names):\n        # names of order_by\n        return self.check('order_by', names)\n\n    def check(self, label, names):\n        for name in names:\n            if name == 'bad':\n                raise ValueError('Cannot order by that name')\n        return names\n";

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    system.put("/r/db/query.py", QUERY);
    system.put(
        "/r/db/use.py",
        "from db.query import Query\n\ndef use(query):\n    return query.order_by('a')\n",
    );
    system.put("/r/tests/test_query.py", "def test_order():\n    assert Query().order_by('a')\n");
    system.put("/r/README.md", "Call order_by to sort.\n");
    system
}

fn question(pattern: &str) -> SearchQuestionV1 {
    SearchQuestionV1 { patterns: vec![pattern.to_owned()], ..SearchQuestionV1::default() }
}

fn text_on(system: &MemorySystem, question: SearchQuestionV1, threads: usize) -> String {
    text_with(system, CacheMode::Off, question, threads)
}

fn text_with(
    system: &MemorySystem,
    cache: CacheMode,
    question: SearchQuestionV1,
    threads: usize,
) -> String {
    let config = config::load(system, Path::new("/r")).unwrap();
    let session = Session::open(system, MapRequest { config, threads }, cache).unwrap();
    let desk = AnswerContext { session: &session, watch: &CancelToken::default() };
    answers::answer(desk, &QuestionV1::Search(question)).unwrap().to_text().text
}

fn text(question: SearchQuestionV1) -> String {
    text_on(&repository(), question, 2)
}

fn found(request: &SearchQuestionV1) -> Result<super::SearchReport, SearchError> {
    let system = repository();
    let config = config::load(&system, Path::new("/r")).unwrap();
    on_threads(2, || search(SearchContext::new(&system, &config), request)).unwrap()
}

/// Every hit, as `path:line`.
fn places(request: &SearchQuestionV1) -> Vec<String> {
    let report = found(request).unwrap();
    let hits = report.files.iter().flat_map(|file| {
        let hits = file.groups.iter().flat_map(|group| &group.hits);
        hits.map(|hit| format!("{}:{}", file.path, hit.line))
    });
    hits.collect()
}

#[test]
fn hits_stand_below_their_declarations_and_the_sum_is_whole() {
    let shown = text(question("order_by"));
    let (first, rest) = shown.split_once('\n').unwrap();
    assert!(
        first.ends_with(" 6 lines = 4 in 2 declarations + 1 in tests + 1 in documents"),
        "{shown}"
    );
    assert!(first.starts_with('@'), "{shown}");
    let definition = rest.find("Query.order_by 2-4 (definition)").unwrap();
    assert!(definition < rest.find("use 3-4: 4").unwrap(), "{shown}");
    assert!(rest.find("tests/test_query.py").unwrap() < rest.find("README.md").unwrap(), "{shown}");
}

/// The answer to each kind of question.
fn every_kind(system: &MemorySystem, cache: CacheMode, threads: usize) -> Vec<String> {
    let names = SearchQuestionV1 { names: true, ..question("check") };
    let task = Some("order_by accepts bad names".to_owned());
    let task = SearchQuestionV1 { task, ..SearchQuestionV1::default() };
    let code = SearchQuestionV1 { within: Some(Within::Code), ..question("order_by") };
    let asked = [question("order_by"), question("names|sort"), names, task, code];
    asked.map(|question| text_with(system, cache, question, threads)).into()
}

#[test]
fn an_answer_is_the_same_from_the_cache_whatever_was_edited_in_between() {
    let system = repository();
    system.put("/r/.stan/cache/x", "");
    let key = format!("order_by = 'AKIA{}'\n", "Z7QX2MN4PL8RT6WK");
    let edits = [
        ("/r/db/use.py", "def use(query):\n    return query.order_by('a')\n".to_owned()),
        ("/r/db/query.py", format!("# order_by\n\n{QUERY}")),
        ("/r/db/use.py", format!("{key}\ndef use(query):\n    return query.order_by('a')\n")),
        ("/r/db/use.py", "def use(query):\n    return query.order_by('a')\n".to_owned()),
        ("/r/db/query.py", format!("\u{FEFF}{QUERY}")),
        (
            "/r/db/use.ts",
            "export function order_by(names: string[]) { return names; }\n".to_owned(),
        ),
        ("/r/db/query.py", QUERY.to_owned()),
    ];
    let check = |edited: &str| {
        let cold = every_kind(&system, CacheMode::Off, 2);
        for (cache, threads) in [(CacheMode::Use, 1), (CacheMode::Use, 4), (CacheMode::Rebuild, 2)]
        {
            assert_eq!(every_kind(&system, cache, threads), cold, "{edited}, {cache:?}");
        }
    };
    check("as it was");
    for (path, text) in edits {
        system.put(path, text);
        check(path);
    }
    assert!(system.read(Path::new("/r/.stan/cache/outlines-recent.bin")).is_ok());
}

#[test]
fn few_hits_come_with_their_code() {
    let shown = text(question("Cannot order"));
    assert!(shown.contains(" 1 line in 1 declaration\n"), "{shown}");
    assert!(shown.contains("\n Query.check 6-10\n"), "{shown}");
    assert!(
        shown.contains("\n9:\t                raise ValueError('Cannot order by that name')\n"),
        "{shown}"
    );
    assert!(shown.contains("\n10\t        return names\n"), "{shown}");
}

#[test]
fn what_grep_reads_as_alternatives_is_read_so_where_nothing_else_matches() {
    let shown = text(question(r"Cannot order\|to sort"));
    assert!(shown.contains("2 lines"), "{shown}");
    assert!(shown.contains("(read as grep does: `Cannot order|to sort`)"), "{shown}");
}

#[test]
fn words_between_bars_of_grep_are_alternatives_even_where_the_text_stands() {
    let ask = |pattern: &str| {
        let system = MemorySystem::default();
        system.put("/r/.git/HEAD", "");
        system.put("/r/a.py", "first = 1\nsecond = 2\nboth = 'first|second'\n");
        system.put("/r/b.ts", "type T = first | second\n");
        text_on(&system, question(pattern), 2)
    };
    let shown = ask(r"first\|second");
    assert!(shown.contains(" 4 lines"), "{shown}");
    let read_as = "(read as grep does: `first|second`; 1 line has the text itself: `[|]` for the bar finds it)";
    assert!(shown.contains(read_as), "{shown}");
    for text in [r"first \| second", r"first[|]second", r"'first\|second'"] {
        let shown = ask(text);
        assert!(shown.contains(" 1 line ") && !shown.contains("read as grep"), "{text}: {shown}");
    }
}

#[test]
fn flags_narrow_a_search() {
    assert_eq!(places(&SearchQuestionV1 { word: true, ..question("order") }), ["db/query.py:9"]);
    assert_eq!(places(&SearchQuestionV1 { fixed: true, ..question("self, *") }), ["db/query.py:2"]);
    let ignoring = SearchQuestionV1 { ignore_case: true, ..question("CANNOT") };
    assert_eq!(places(&ignoring), ["db/query.py:9"]);
    let below =
        |path: &str| SearchQuestionV1 { paths: vec![path.to_owned()], ..question("order_by") };
    assert_eq!(places(&below("tests")), ["tests/test_query.py:2"]);
    assert_eq!(places(&below("db/use.py")), ["db/use.py:4"]);
    let globbed = SearchQuestionV1 { glob: vec!["*.md".to_owned()], ..question("order_by") };
    assert_eq!(places(&globbed), ["README.md:1"]);
    let spoken = SearchQuestionV1 { language: vec!["python".to_owned()], ..question("order_by") };
    assert_eq!(places(&spoken).len(), 5);
    let several =
        SearchQuestionV1 { patterns: vec!["to sort".into(), "Cannot".into()], ..question("") };
    assert_eq!(places(&several), ["db/query.py:9", "README.md:1"]);
}

#[test]
fn comments_strings_and_code_are_told_apart() {
    let within = |within| {
        let question = SearchQuestionV1 { within: Some(within), ..question("order_by") };
        text(question).lines().next().unwrap().to_owned()
    };
    assert!(within(Within::Comments).contains(" 1 line "), "{}", within(Within::Comments));
    assert!(within(Within::Strings).contains(" 1 line "), "{}", within(Within::Strings));
    assert!(within(Within::Code).contains(" 4 lines "), "{}", within(Within::Code));
}

#[test]
fn what_cannot_be_searched_is_an_error_and_not_nothing() {
    assert!(matches!(found(&question("a(")), Err(SearchError::Pattern { .. })));
    let gone = SearchQuestionV1 { paths: vec!["gone".to_owned()], ..question("a") };
    assert!(matches!(found(&gone), Err(SearchError::NoPath { .. })));
    let outside = SearchQuestionV1 { paths: vec!["../x".to_owned()], ..question("a") };
    assert!(matches!(found(&outside), Err(SearchError::NoPath { .. })));
    assert!(matches!(found(&SearchQuestionV1::default()), Err(SearchError::Empty)));
    let none = found(&question("zebra")).unwrap();
    assert_eq!(none.head(), "no line matches `zebra` in 4 files");
}

#[test]
fn hostile_files_are_searched_like_others() {
    let system = repository();
    system.put("/r/binary.bin", b"needle\n\0needle\n".to_vec());
    system.put("/r/crlf.py", "def f():\r\n    needle = 1\r\n");
    system.put("/r/bad.py", b"def g():\n    needle = '\xFF\xFE\xFD'\n".to_vec());
    system.put(
        "/r/long.js",
        format!("const a = '{} needle {}';\n", "x".repeat(1 << 20), "y".repeat(1 << 20)),
    );
    system.put("/r/wide.txt", b"\xFF\xFEn\0e\0e\0d\0l\0e\0".to_vec());
    let shown = text_on(&system, question("needle"), 2);
    // As in rg, a file with a zero byte in its first block counts as binary.
    assert!(shown.contains(" 4 lines "), "{}", &shown[..200]);
    assert!(shown.contains(" f 1-2: 2") && shown.contains(" g 1-2: 2"), "{}", &shown[..600]);
    assert!(!shown.contains('\r') && shown.len() < 4_000, "{}", shown.len());
}

#[test]
fn a_file_that_may_hold_secrets_has_no_hits() {
    let system = repository();
    let key = format!("needle = 1\nkey = \"AKIA{}\"\n", "Z7QX2MN4PL8RT6WK");
    system.put("/r/db/settings.py", key);
    system.put("/r/.env", "needle=1\n");
    let note = "1 file that may hold secrets was not searched: .env";
    let shown = text_on(&system, question("needle|to sort"), 2);
    assert!(shown.contains(note), "{shown}");
    // The question alone is repeated.
    let rest = shown.replacen(" (`needle` matches nothing)", "", 1);
    assert!(!rest.contains("settings.py") && !rest.contains("needle"), "{shown}");
    let config = config::load(&system, Path::new("/r")).unwrap();
    let plain = |request: &SearchQuestionV1| {
        let plain = on_threads(1, || {
            search_plain(SearchContext::new(&system, &config), request, PlainLayout::Hits, None)
        });
        plain.unwrap().unwrap()
    };
    let all = plain(&question("needle"));
    assert_eq!((all.lines, all.text.len()), (0, 0));
    // The same files are named whatever the pattern; those that are asked for by name are judged.
    assert_eq!(all.unsearched, [".env"]);
    assert_eq!(plain(&question("nothing")).unsearched, [".env"]);
    for pattern in ["needle", "nothing"] {
        let paths = vec!["db/settings.py".to_owned()];
        let named = plain(&SearchQuestionV1 { paths, ..question(pattern) });
        assert_eq!(named.unsearched, ["db/settings.py"]);
    }
}

#[test]
fn the_whole_file_is_judged_before_it_is_cut() {
    let system = repository();
    let key = format!("key = \"AKIA{}\"\n", "Z7QX2MN4PL8RT6WK");
    let cut = [b"needle = 1\n".repeat(20_000), vec![0], key.into_bytes()].concat();
    system.put("/r/far.py", cut);
    let shown = text_on(&system, question("needle"), 2);
    assert!(shown.contains("no line matches"), "{}", &shown[..shown.len().min(400)]);
    let names = SearchQuestionV1 { names: true, ..question("needle") };
    assert!(!text_on(&system, names, 2).contains("far.py"));
}

#[test]
fn plain_is_what_grep_prints() {
    let system = repository();
    let config = config::load(&system, Path::new("/r")).unwrap();
    let print_as = |request: &SearchQuestionV1, layout| {
        let report = on_threads(2, || {
            search_plain(SearchContext::new(&system, &config), request, layout, None)
        });
        String::from_utf8(report.unwrap().unwrap().text).unwrap()
    };
    let print = |request: &SearchQuestionV1| print_as(request, PlainLayout::Hits);
    assert_eq!(print(&question("Call")), "README.md:1:Call order_by to sort.\n");
    assert_eq!(print_as(&question("query"), PlainLayout::Paths), "db/use.py\n");
    assert_eq!(print_as(&question("query"), PlainLayout::Counts), "db/use.py:3\n");
    let around =
        SearchQuestionV1 { before: Some(1), after: Some(1), ..question("def use|return query") };
    assert_eq!(
        print(&around),
        "db/use.py-2-\ndb/use.py:3:def use(query):\ndb/use.py:4:    return query.order_by('a')\n"
    );
}

#[test]
fn an_answer_is_never_over_its_budget_and_its_sum_stays_whole() {
    let system = repository();
    for number in 0..300 {
        let body: String = (0..20).map(|line| format!("    needle_{line}(needle)\n")).collect();
        system.put(
            format!("/r/pkg{}/mod{number}.py", number % 7),
            format!("def f{number}():\n{body}"),
        );
    }
    for budget in [100, 200, 500, 1_000, 4_000] {
        let question = SearchQuestionV1 { budget: Budget::new(budget), ..question("needle") };
        let shown = text_on(&system, question, 2);
        let cost = Tokenizer::O200kBase.count(shown.as_bytes()).unwrap();
        assert!(cost <= budget, "{cost} of {budget}:\n{shown}");
        assert!(shown.contains(" 6000 lines "), "{shown}");
        if budget >= 200 {
            assert!(shown.contains("rest: ") && shown.contains("next: portolan search"), "{shown}");
        }
    }
}

#[test]
fn threads_make_no_difference() {
    let system = repository();
    for number in 0..60 {
        system.put(
            format!("/r/m{number}.ts"),
            format!("export function f{number}() {{ return needle; }}\n"),
        );
    }
    let one = text_on(&system, question("needle"), 1);
    for threads in [2, 5] {
        assert_eq!(text_on(&system, question("needle"), threads), one);
    }
}

#[test]
fn a_task_is_ten_places_with_what_brought_them() {
    let system = repository();
    let config = config::load(&system, Path::new("/r")).unwrap();
    let task = "order_by accepts bad names\n\nValueError: Cannot order by that name";
    let report = on_threads(2, || {
        search_task(SearchContext::new(&system, &config), &SearchQuestionV1::default(), task)
    });
    let report = report.unwrap().unwrap();
    assert_eq!(report.places[0].path, "db/query.py");
    assert!(report.places.iter().any(|place| place.name == "Query.check"), "{report:?}");
    assert_eq!(report.tests, ["tests/test_query.py"]);
    let shown =
        text(SearchQuestionV1 { task: Some(task.to_owned()), ..SearchQuestionV1::default() });
    assert!(Tokenizer::O200kBase.count(shown.as_bytes()).unwrap() <= 400, "{shown}");
    assert!(shown.contains("\ndb/query.py:"), "{shown}");
    assert!(shown.contains("\ntests: tests/test_query.py\n"), "{shown}");
    let nothing =
        SearchQuestionV1 { task: Some("zebra crossing".to_owned()), ..SearchQuestionV1::default() };
    let nothing = text(nothing);
    assert!(
        nothing.contains("nothing distinctive matches") && nothing.contains("zebra"),
        "{nothing}"
    );
}

#[test]
fn a_sentence_that_matches_nothing_is_read_as_a_task() {
    let shown = text(question("the query does not order names"));
    assert!(shown.contains("no line matches; read as a task: "), "{shown}");
    assert!(shown.contains("db/query.py:"), "{shown}");
}

#[test]
fn names_are_found_exact_first() {
    let system = repository();
    system.put("/r/db/more.py", "def check_all():\n    pass\n\ndef Check():\n    pass\n");
    let config = config::load(&system, Path::new("/r")).unwrap();
    let names = |name: &str| {
        let report =
            on_threads(2, || search_names(SearchContext::new(&system, &config), &question(name)));
        let report = report.unwrap().unwrap();
        report.places.iter().map(|place| place.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("check"), ["Query.check", "Check", "check_all"]);
    assert_eq!(names("Query.check"), ["Query.check"]);
    assert_eq!(names("all check"), ["check_all"]);
    assert!(names("zebra").is_empty());
    assert_eq!(FileClass::of("db/more.py"), FileClass::Code);
}

/// The answer to a search for a name in a repository of a few files.
fn names_in(files: &[(&str, &str)], name: &str, limit: Option<u32>) -> NamesReport {
    let system = MemorySystem::default();
    for (path, text) in files {
        system.put(format!("/r/{path}"), *text);
    }
    let config = config::load(&system, Path::new("/r")).unwrap();
    let asked = SearchQuestionV1 { limit, ..question(name) };
    on_threads(2, || search_names(SearchContext::new(&system, &config), &asked)).unwrap().unwrap()
}

#[test]
fn a_name_that_nothing_has_leads_to_the_nearest_ones() {
    let money = "export class Amount {\n  times(n: number) {}\n}\n";
    let item = "export function priceOf(name: string) {\n  return new Amount();\n}\n";
    let files = [("src/money.ts", money), ("src/lib/item.ts", item)];
    let text = |name: &str| {
        let report = names_in(&files, name, None);
        format!("{}\n{}", report.head(), report.body(1_000))
    };
    assert_eq!(text("priceOf"), "1 declaration\nsrc/lib/item.ts:1-3 function priceOf\n");
    assert_eq!(text("Amount.times"), "1 declaration\nsrc/money.ts:2-2 method Amount.times\n");
    let near = "no declaration `pricesOf` in 2 files of code; 1 like it, nearest first\n\
        src/lib/item.ts:1-3 function priceOf\n";
    assert_eq!(text("pricesOf"), near);
    assert!(text("PO").ends_with("function priceOf\n"), "initials");
    assert_eq!(text("zzzzzz"), "no declaration `zzzzzz` in 2 files of code\n");
}

#[test]
fn files_are_found_by_their_names_too() {
    let files = [
        ("src/sql/compiler.py", "class Compiler:\n    pass\n"),
        ("src/js/Compiler.ts", "export const run = 1;\n"),
        ("tests/test_compiler.py", "def test_it():\n    pass\n"),
        ("README.md", "text\n"),
    ];
    let text = |name: &str| {
        let report = names_in(&files, name, None);
        format!("{}\n{}", report.head(), report.body(1_000))
    };
    assert_eq!(
        text("compiler.py"),
        "2 files of that name\nsrc/sql/compiler.py\ntests/test_compiler.py\n"
    );
    assert_eq!(text("sql/compiler.py"), "1 file of that name\nsrc/sql/compiler.py\n");
    assert_eq!(text("*READ*"), "1 file of that name\nREADME.md\n");
    assert_eq!(text("Compiler"), "1 declaration\nsrc/sql/compiler.py:1-2 class Compiler\n");
    let both = text("*compiler.*");
    assert!(
        both.contains("3 files of that name\nsrc/js/Compiler.ts\nsrc/sql/compiler.py\ntests/"),
        "{both}"
    );
}

#[test]
fn exported_declarations_come_first_and_a_limit_counts_the_others() {
    let links = "interface O { batch: 1 }\nexport function httpBatchLink() {}\n\
        export interface HTTPBatchLinkOptions { batchSize: 1 }\n";
    let names = |name: &str, limit: Option<u32>| {
        let report = names_in(&[("a.ts", links)], name, limit);
        let names: Vec<String> = report.places.into_iter().map(|it| it.name).collect();
        (names.join(" "), report.more)
    };
    let all = "O.batch HTTPBatchLinkOptions.batchSize httpBatchLink HTTPBatchLinkOptions";
    assert_eq!(names("batch", None), (all.to_owned(), 0));
    assert_eq!(names("batch", Some(1)), ("O.batch".to_owned(), 3));
    assert_eq!(names("htpBatchLink", Some(1)).0, "httpBatchLink");
    assert_eq!(names("batchSize", None).0, "HTTPBatchLinkOptions.batchSize");
    let two = "function load() {}\nexport function load2() {}\nexport class A { load() {} }\n";
    let report = names_in(&[("a.ts", two)], "load", None);
    let names: Vec<&str> = report.places.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["A.load", "load", "load2"]);
}

#[test]
fn declarations_are_called_what_their_language_calls_them() {
    let files = [
        ("a.rs", "pub struct Aa {}\npub trait Bb {}\npub enum Cc { Dd }\npub mod ee {}\n"),
        ("b.go", "package b\ntype Ff struct { Gg int }\n"),
        ("C.java", "public class Hh { int ii; }\n"),
        ("d.py", "class Jj:\n    kk = 1\n"),
        ("e.ts", "export class Ll { mm = 1 }\n"),
    ];
    let names = ["Aa", "Bb", "Dd", "ee", "Ff", "Gg", "Hh", "ii", "Jj", "kk", "Ll", "mm"];
    assert_eq!(
        names.map(|name| names_in(&files, name, Some(1)).places[0].kind).join(" "),
        "struct trait variant module struct field class field class attribute class property"
    );
}

#[test]
fn a_pattern_that_matches_nothing_is_searched_for_as_text() {
    let shown = text(question("order_by(self, *names)"));
    let first = shown.lines().next().unwrap();
    assert!(first.ends_with("1 line in 1 declaration (read as plain text, as with -F)"), "{shown}");
    let nothing = text(question("order_by[x]"));
    assert!(nothing.contains("no line matches"), "{nothing}");
}

#[test]
fn code_is_searched_for_as_text_and_the_answer_says_so() {
    let first = |pattern: &str| text(question(pattern)).lines().next().unwrap().to_owned();
    let says = |pattern: &str, sum: &str, read_as: &str| {
        let first = first(pattern);
        let end = format!("{sum} (brackets read as text: `{read_as}`)");
        assert!(first.contains(sum) && first.ends_with(&end[sum.len()..]), "{pattern}: {first}");
    };
    says("order_by(", "3 lines", r"order_by\(");
    says("Query()", "1 line", r"Query\(\)");
    says("ValueError('Cannot", "1 line", r"ValueError\('Cannot");
    says("order_by(self, *names)|check", "3 lines", r"order_by\(self, \*names\)|check");
}

#[test]
fn a_message_leads_to_the_template_that_it_comes_from() {
    let system = repository();
    let code = "def lock(name):\n    raise Locked(\n        \"The drawer '%s' cannot be \"\n        \"opened while it is locked\" % name\n    )\n";
    system.put("/r/db/lock.py", code);
    let message = "Locked: The drawer 'left' cannot be opened while it is locked.";
    let shown = text_on(&system, question(message), 2);
    let first = shown.lines().next().unwrap();
    let parts =
        "(no line of code has all of it; with parts: `opened while it is`, `while it is locked`)";
    assert!(first.ends_with(parts), "{shown}");
    assert!(shown.contains("4:\t        \"opened while it is locked\" % name\n"), "{shown}");
    // A test that has all of it stays what the search finds.
    system.put("/r/tests/test_lock.py", format!("def test_lock():\n    check(\"{message}\")\n"));
    let shown = text_on(&system, question(message), 2);
    let first = shown.lines().next().unwrap();
    let hint = "1 line in tests; code has a part of it: portolan search 'opened while it is'";
    assert!(first.ends_with(hint) && shown.contains("test_lock.py"), "{shown}");
}

#[test]
fn where_no_line_has_the_name_of_a_file_the_file_is_named() {
    let shown = text(question("test_query.py"));
    let end =
        "no line matches `test_query.py` in 4 files; files of that name: tests/test_query.py\n";
    assert!(shown.ends_with(end), "{shown}");
}

#[test]
fn a_bad_pattern_that_stands_nowhere_is_an_error() {
    let error = found(&question("no_such_name(")).unwrap_err().to_string();
    assert!(error.contains("unclosed group"), "{error}");
}

#[test]
fn a_method_of_go_has_its_name_and_not_its_signature() {
    let system = repository();
    let code = "package m\n\ntype Mux struct{}\n\nfunc (m *Mux) Use(needle func(a int) error) {\n\tneedle(1)\n\tneedle(2)\n\tneedle(3)\n}\n";
    system.put("/r/middleware/mux.go", code);
    let shown = text_on(&system, question("needle"), 2);
    assert!(shown.contains("mux.go\n Mux.Use 5-9: 5 func (m *Mux) Use(needle"), "{shown}");
    let shown = text_on(&system, question("Use"), 2);
    assert!(shown.contains(" Mux.Use 5-9 (definition)"), "{shown}");
}

#[test]
fn few_hits_have_their_texts_rather_than_the_names_of_what_they_are_in() {
    let system = repository();
    for number in 0..5 {
        let name = format!("a_function_with_quite_a_long_name_{number}");
        let code = format!("def {name}():\n    x = 1\n    return x + needle\n");
        system.put(format!("/r/a_package/of_some_depth/m{number}.py"), code);
    }
    let shown = text_on(&system, question("needle"), 2);
    assert!(shown.matches("return x + needle").count() == 5, "{shown}");
}

#[test]
fn a_word_that_neither_matches_nor_names_a_path_is_told() {
    let patterns = vec!["order_by".to_owned(), "srcc".to_owned()];
    let shown = text(SearchQuestionV1 { patterns, ..SearchQuestionV1::default() });
    let first = shown.lines().next().unwrap();
    assert!(first.ends_with("(`srcc` matches nothing, and is no path)"), "{shown}");
}

#[test]
fn an_alternative_that_matches_nothing_is_told() {
    let first = |pattern: &str| text(question(pattern)).lines().next().unwrap().to_owned();
    assert!(first("order_by|managed").ends_with(" (`managed` matches nothing)"));
    assert!(first("order_by|managed|absent").ends_with(" (`managed`, `absent` match nothing)"));
    assert!(!first("order_by|names").contains("matches nothing"));
    assert!(!first("order_(by|x)").contains("matches nothing"), "a part of a pattern is none");
}

#[test]
fn a_name_with_its_holder_that_no_line_has_is_for_look() {
    let shown = |pattern: &str| text(question(pattern));
    let next = "next: portolan look";
    assert!(shown("Query::names_of").contains(&format!("{next} Query::names_of\n")));
    assert!(shown("absent.member").contains(&format!("{next} absent.member\n")));
    assert!(!shown("absent").contains("next: ") && !shown("no.*thing.x").contains("next: "));
}

#[test]
fn the_next_call_is_never_the_same_again() {
    let system = repository();
    for number in 0..400 {
        system.put(
            format!("/r/pkg/mod{number}.py"),
            format!("def f{number}():\n    return needle\n"),
        );
    }
    let shown = text_on(&system, question("needle"), 2);
    assert!(shown.contains("rest: ") && !shown.contains("next: "), "{shown}");
}

#[test]
fn hits_in_a_test_with_a_title_have_that_title() {
    let system = repository();
    let spec = "describe('orders', () => {\n  it('sorts by name', () => {\n    needle(1);\n    needle(2);\n  });\n  it('sorts by age', () => {\n    needle(3);\n    const inner = () => {\n      needle(4);\n    };\n  });\n});\n";
    system.put("/r/tests/order.spec.ts", spec);
    let shown = text_on(&system, question("needle"), 2);
    assert!(shown.contains(" \"sorts by name\" 2-5: 3 needle(1); · 4\n"), "{shown}");
    assert!(shown.contains(" \"sorts by age\" 6-11: 7 needle(3);"), "{shown}");
}

#[test]
fn a_file_with_too_many_hits_to_list_is_summed_up_with_its_definition() {
    let system = repository();
    let calls = "    x = needle(needle)\n    y = 1\n".repeat(30);
    let functions: String = (0..60).map(|at| format!("def caller_{at}():\n{calls}\n")).collect();
    system.put("/r/db/needle.py", format!("def needle(x):\n    return x\n\n{functions}"));
    system.put("/r/db/other.py", "def other():\n    return needle(1)\n");
    let shown = text_on(&system, question("needle"), 2);
    assert!(
        shown.contains(
            "db/needle.py: 1801 lines in 61 declarations\n needle 1-2 (definition): 1 line\n"
        ),
        "{shown}"
    );
    assert!(shown.contains(" other: 2\n"), "{shown}");
    assert!(shown.ends_with("next: portolan search needle db/needle.py\n"), "{shown}");
}

const WITH_TESTS: &str = "pub fn weigh(parcel: u32) -> u32 {\n    parcel\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a_parcel_weighs_nothing() {\n        super::weigh(0);\n        super::weigh(0);\n    }\n}\n";

#[test]
fn tests_beside_the_code_count_as_tests() {
    let system = repository();
    system.put("/r/src/post.rs", WITH_TESTS);
    let shown = text_on(&system, question("weigh"), 2);
    let first = shown.lines().next().unwrap();
    assert!(first.ends_with(" 4 lines = 1 in 1 declaration + 3 in tests"), "{shown}");
    let of_tests = SearchQuestionV1 { word: true, ..question("a_parcel_weighs_nothing") };
    let shown = text_on(&system, of_tests, 2);
    assert!(shown.lines().next().unwrap().ends_with(" 1 line in tests"), "{shown}");
}

#[test]
fn tests_beside_the_code_are_no_places_of_a_task() {
    let system = repository();
    system.put("/r/src/post.rs", WITH_TESTS);
    let task = |text: &str| {
        let question = SearchQuestionV1 { task: Some(text.to_owned()), ..question("") };
        text_on(&system, SearchQuestionV1 { patterns: Vec::new(), ..question }, 2)
    };
    let shown = task("a parcel that weighs nothing has no weight");
    assert!(shown.contains("src/post.rs:1-3 weigh"), "{shown}");
    assert!(!shown.contains("a_parcel_weighs_nothing"), "{shown}");
    let shown = task("tests: a parcel that weighs nothing has no weight");
    assert!(shown.contains("a_parcel_weighs_nothing"), "{shown}");
}

#[test]
fn a_short_file_is_a_place_of_a_task() {
    let system = repository();
    system
        .put("/r/src/cart.ts", "/** Adds up. */\nexport const sum = (all: number[]) => all[0];\n");
    let task = Some("the cart".to_owned());
    let shown = text_on(&system, SearchQuestionV1 { task, ..SearchQuestionV1::default() }, 2);
    assert!(shown.contains("\nsrc/cart.ts:2-2 sum"), "{shown}");
}

#[test]
fn lines_around_hits_that_do_not_fit_are_told() {
    let system = repository();
    let calls = "    needle()\n    first\n    second\n".repeat(300);
    system.put("/r/db/needle.py", format!("def f():\n{calls}"));
    let around = |context| SearchQuestionV1 { context, ..question("needle") };
    let shown = text_on(&system, around(Some(2)), 2);
    assert!(
        shown.ends_with("no room for the lines around each hit: name a path, or a --budget\n"),
        "{shown}"
    );
    assert!(!text_on(&system, around(None), 2).contains("no room"), "{shown}");
}

#[test]
fn files_that_differ_only_in_their_language_are_summed_up_after_code() {
    let system = MemorySystem::default();
    system.put("/r/.git/HEAD", "");
    for language in ["ar", "az", "de", "en", "es-419", "pt_BR"] {
        let path = format!("/r/i18n/locales/{language}/common.json");
        system.put(&path, "{\n  \"no_slot\": \"none\"\n}\n");
        let path = format!("/r/shop/locale/{language}/formats.py");
        system.put(&path, "no_slot = 1\n");
    }
    for number in 0..5 {
        system.put(format!("/r/tests/fixtures/{number}.txt"), "no_slot\n");
    }
    system.put("/r/src/use.ts", "export const use = () => t('no_slot');\n");
    let shown = text_on(&system, question("no_slot"), 2);
    let place = |part: &str| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}"));
    assert!(place("src/use.ts") < place("tests/fixtures/"), "{shown}");
    assert!(place("tests/fixtures/") < place("locales/"), "{shown}");
    assert!(shown.contains("12 in translations"), "{shown}");
    for sum in ["5 lines in 5 more files like it", "4 lines in 4 more files like it"] {
        assert!(shown.contains(sum), "{sum}: {shown}");
    }
    assert!(shown.contains("en/common.json") && !shown.contains("de/common.json"), "{shown}");
}
