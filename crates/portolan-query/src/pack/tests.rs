//! Packs of small repositories, from the output of tools.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use portolan_vfs::MemorySystem;

use super::{Base, FocusRule, PackError, PackForm, PackRequest, build_context};
use crate::diagnostics::DiagnosticsRequest;
use portolan_index::map::CacheMode;
use portolan_workspace::config;

fn request(system: &MemorySystem, output: &str) -> PackRequest {
    PackRequest {
        output: DiagnosticsRequest {
            config: config::load(system, Path::new("/repo")).unwrap(),
            directory: PathBuf::from("/repo"),
            shown: "ci.log".to_owned(),
            output: output.as_bytes().to_vec(),
            format: None,
        },
        diag: "ci.log".to_owned(),
        focus: FocusRule::Ranked,
        base: Base::Auto,
        budget: 8_000,
        form: PackForm::Markdown,
        threads: 1,
        cache: CacheMode::Off,
    }
}

fn repository() -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put(
        "/repo/app.py",
        "import m\n\ndef run():\n    if True:\n        m.go(1)\n    return 2\n\nX = 1\n",
    );
    system.put("/repo/m.py", "def go(a, b):\n    return a + b\n");
    system.put("/repo/.env", "password = \"hunter2hunter2hunter2\"\n");
    system
}

const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"/ci/app.py\", line 5, in run\n    m.go(1)\nTypeError: go() missing 1 required positional argument: 'b'\n";

#[test]
fn a_file_without_declarations_is_shown_by_its_lines() {
    let system = repository();
    let report = build_context(&system, &request(&system, TRACEBACK)).unwrap();
    let text = &report.context.text;
    assert!(text.starts_with("# TypeError at `app.py`:5\n"), "{text}");
    assert!(
        text.contains("\n3\tdef run():\n") && text.contains("\n5\t        m.go(1)\n"),
        "{text}"
    );
    assert!(!text.contains("X = 1"), "{text}");
    assert!(report.context.tokens <= 8_000);
}

const FAILED_TEST: &str = "\
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1]) == 1
E       assert 2 == 1

test_shop.py:3: AssertionError
=========================== short test summary info ============================
FAILED test_shop.py::test_total - assert 2 == 1
";

#[test]
fn a_failed_test_shows_the_bodies_of_what_it_runs() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put(
        "/repo/test_shop.py",
        "from shop import total\ndef test_total():\n    assert total([1]) == 1\n",
    );
    system.put(
        "/repo/shop.py",
        "from tax import taxed\ndef total(items):\n    found = 0\n    for it in items:\n        found += taxed(it)\n    return found\n",
    );
    system.put("/repo/tax.py", "def taxed(it):\n    return it * 2\n\ndef other():\n    return 3\n");
    let text = build_context(&system, &request(&system, FAILED_TEST)).unwrap().context.text;
    assert!(text.contains("5\t        found += taxed(it)\n"), "{text}");
    assert!(text.contains("2\t    return it * 2\n"), "what that runs in turn: {text}");
    assert!(!text.contains("return 3"), "{text}");
    // A compiler says where it is: heads are enough there.
    let compiled = "shop.py:5: error: Unsupported operand types  [operator]\n";
    let text = build_context(&system, &request(&system, compiled)).unwrap().context.text;
    assert!(text.contains("def taxed") && !text.contains("return it * 2"), "{text}");
}

#[test]
fn a_failing_method_is_shown_without_its_class_and_named_with_it() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put(
        "/repo/shop.py",
        "class Shop:\n    size = 1\n\n    def sell(self):\n        raise ValueError('sold out')\n",
    );
    let output = "Traceback (most recent call last):\n  File \"/repo/shop.py\", line 5, in sell\n    raise ValueError('sold out')\nValueError: sold out\n";
    let text = build_context(&system, &request(&system, output)).unwrap().context.text;
    assert!(text.contains("## Focus: shop.py, `Shop.sell`\n"), "{text}");
    assert!(text.contains("\n```py\n4\t    def sell(self):\n5\t"), "{text}");
    assert!(!text.contains("class Shop"), "{text}");
}

#[test]
fn a_stack_is_told_with_its_lines_of_code_each_function_once_and_the_test_last() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    let mut shop = String::from("def f0():\n    raise ValueError('sold out')\n");
    let mut frames = vec![
        "  File \"/repo/shop.py\", line 2, in f0\n    raise ValueError('sold out')\n".to_owned(),
    ];
    for number in 1..9 {
        let _ = writeln!(shop, "def f{number}():\n    f{}()", number - 1);
        let line = 2 * number + 2;
        frames.push(format!("  File \"/repo/shop.py\", line {line}, in f{number}\n"));
    }
    // A function that calls itself.
    frames.push("  File \"/repo/shop.py\", line 18, in f8\n".to_owned());
    frames.push("  File \"/repo/tests/test_shop.py\", line 4, in test_sell\n".to_owned());
    frames.reverse();
    system.put("/repo/shop.py", shop);
    system.put("/repo/tests/test_shop.py", "import shop\n\ndef test_sell():\n    shop.f8()\n");
    let output = format!(
        "ERROR: test_sell (tests.test_shop.Shop.test_sell) [open]\nSells.\n-----\nTraceback (most recent call last):\n{}ValueError: sold out\n",
        frames.concat()
    );
    let text = build_context(&system, &request(&system, &output)).unwrap().context.text;
    let head =
        "# ValueError at `shop.py`:2\n> sold out\nTest: tests.test_shop.Shop.test_sell [open]\n";
    let stack = "- `shop.py`:4 in f1: f0()\n- `shop.py`:6 in f2: f1()\n- `shop.py`:8 in f3: f2()\n- `shop.py`:10 in f4: f3()\n- `shop.py`:12 in f5: f4()\n- `tests/test_shop.py`:4 in test_sell: shop.f8()\n";
    assert!(text.starts_with(&format!("{head}{stack}\n## Focus")), "{text}");
    assert!(
        text.contains("3\tdef f1():\n") && !text.contains("\tdef f2"),
        "its caller alone: {text}"
    );
    assert!(!text.contains("Suspects"), "the stack says what ran: {text}");
}

#[test]
fn what_failed_is_one_line_and_cut() {
    let system = repository();
    let said = format!("{}{}\nmore\n", "TypeError: ", "x".repeat(500));
    let output = format!(
        "Traceback (most recent call last):\n  File \"/repo/app.py\", line 5, in run\n    m.go(1)\n{said}"
    );
    let failure = build_context(&system, &request(&system, &output)).unwrap().failure().unwrap();
    assert_eq!(failure, format!("TypeError at `app.py`:5: {}…", "x".repeat(200)));
}

#[test]
fn of_a_failure_of_the_environment_only_its_line_is_shown() {
    let system = repository();
    let output = "Traceback (most recent call last):\n  File \"/repo/app.py\", line 5, in run\n    m.go(1)\nModuleNotFoundError: No module named 'yaml'\n";
    let text = build_context(&system, &request(&system, output)).unwrap().context.text;
    assert!(text.contains("Environment, not code"), "{text}");
    assert!(text.contains("\n5\t        m.go(1)\n"), "{text}");
    assert!(!text.contains("def run") && !text.contains("def go"), "{text}");
}

#[test]
fn helpers_of_a_failed_test_are_left_out() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put("/repo/tests/helpers.py", "def basket():\n    return [1]\n");
    system.put("/repo/shop.py", "def total(items):\n    return 2\n");
    system.put(
        "/repo/tests/test_shop.py",
        "from shop import total\nfrom tests.helpers import basket\ndef test_total():\n    assert total(basket()) == 1\n",
    );
    let output = FAILED_TEST.replace("test_shop.py", "tests/test_shop.py").replace(":3:", ":4:");
    let text = build_context(&system, &request(&system, &output)).unwrap().context.text;
    assert!(text.contains("def total(items):"), "{text}");
    assert!(!text.contains("def basket"), "{text}");
}

#[test]
fn a_missing_member_shows_those_that_look_like_it() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    let members: String =
        (0..40).map(|n| format!("    def part_{n}(self):\n        return {n}\n")).collect();
    let class = format!("class Context:\n{members}    def sessions(self):\n        return 1\n");
    system.put("/repo/context.py", class);
    system.put(
        "/repo/app.py",
        "from context import Context\ndef run(c: Context):\n    return c.session\n",
    );
    let output = "Traceback (most recent call last):\n  File \"/repo/app.py\", line 3, in run\n    return c.session\n\
                  AttributeError: 'Context' object has no attribute 'session'\n";
    let text = build_context(&system, &request(&system, output)).unwrap().context.text;
    assert!(text.contains("def sessions(self):"), "{text}");
    assert!(!text.contains("def part_7"), "{text}");
}

#[test]
fn secrets_are_not_shown() {
    let system = repository();
    let report = build_context(&system, &request(&system, ".env:1: warning: odd\n")).unwrap();
    assert!(!report.context.text.contains("hunter2"), "{}", report.context.text);
    assert!(!report.notices.is_empty());
}

#[test]
fn what_cannot_be_is_told() {
    let system = repository();
    let mut small = request(&system, TRACEBACK);
    small.budget = 10;
    assert!(matches!(build_context(&system, &small), Err(PackError::Budget(10))));
    let mut far = request(&system, TRACEBACK);
    far.focus = FocusRule::Number(7);
    assert!(matches!(build_context(&system, &far), Err(PackError::NoFocus(_))));
    let empty = request(&system, "all fine\n");
    assert!(matches!(build_context(&system, &empty), Err(PackError::Diagnostics(_))));
}

#[test]
fn what_comes_from_an_installed_package_is_shown_by_its_declaration_files() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put("/repo/.gitignore", "node_modules\n");
    system.put("/repo/a.ts", "import { make } from 'lib';\nexport const a = () => make(1, 2);\n");
    let manifest = r#"{"name": "lib", "version": "1.0.0", "types": "index.d.ts"}"#;
    system.put("/repo/node_modules/lib/package.json", manifest);
    let types = "export declare function make(size: number): string;\n";
    system.put("/repo/node_modules/lib/index.d.ts", types);
    let output = "a.ts(2,31): error TS2554: Expected 1 arguments, but got 2.\n";
    let text = build_context(&system, &request(&system, output)).unwrap().context.text;
    assert!(text.contains("node_modules/lib/index.d.ts"), "{text}");
    assert!(text.contains("export declare function make(size: number): string;"), "{text}");
}

#[test]
fn guesses_that_no_file_speaks_for_are_nothing() {
    let system = repository();
    let guessed = request(&system, "nowhere/a.zig:1: odd\n");
    let error = build_context(&system, &guessed).unwrap_err().to_string();
    assert!(error.contains("no diagnostic in 1 lines"), "{error}");
    assert!(crate::diagnostics::read_output(&system, &guessed.output).is_err());
}

#[test]
fn a_focus_that_is_not_there_is_told_in_words() {
    let system = repository();
    let refused = |focus: &str| {
        let mut far = request(&system, TRACEBACK);
        far.focus = FocusRule::parse(focus).unwrap();
        build_context(&system, &far).unwrap_err().to_string()
    };
    assert_eq!(refused("7"), "there is no diagnostic 7: the output has 1");
    assert_eq!(refused("no.py:3"), "there is no diagnostic in `no.py`");
}

#[test]
fn a_line_beyond_the_end_is_told() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put("/repo/a.ts", "let a = 1;\n");
    let lines = |line: u32| {
        let output = format!("a.ts({line},1): error TS2304: Cannot find name 'x'.\n");
        let report =
            crate::diagnostics::read_output(&system, &request(&system, &output).output).unwrap();
        report.notices.iter().map(|notice| notice.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(lines(9), ["the file has no such line; run the tool again"]);
    // What is missing at the end is told on the line after the last.
    assert!(lines(2).is_empty());
}

#[test]
fn many_kinds_are_counted_and_fit_the_least_budget() {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    system.put("/repo/a.ts", "let a = 1;\n".repeat(40));
    let words = "the quick brown fox of this kind jumps over the lazy dog and the other animals";
    let output: String = (1..=30u8)
        .map(|n| {
            let kind = char::from(b'a' + n % 26);
            format!("a.ts({n},1): error TS2{n:03}: {words} {kind}{kind}{kind}.\n")
        })
        .collect();
    let mut asked = request(&system, &output);
    let text = build_context(&system, &asked).unwrap().context.text;
    assert!(text.contains("(30 diagnostics of more than 12 kinds)"), "{text}");
    asked.form = PackForm::Json;
    asked.budget = super::SMALLEST_BUDGET;
    let tokens = build_context(&system, &asked).unwrap().context.tokens;
    assert!(tokens <= super::SMALLEST_BUDGET, "{tokens}");
}

/// A test that fails, others that pass, and what they run: `billed` is of the failing one alone.
fn shop_with_tests(body: &str) -> MemorySystem {
    let system = MemorySystem::default();
    system.put("/repo/.git/HEAD", "");
    let test = |name: &str, call: &str| {
        format!(
            "def test_{name}():\n    check({call}([1]), 1)\n\ndef check(got, wanted):\n    assert got == wanted\n\n"
        )
    };
    let tests: String =
        [test("bill", "invoice"), test("cart", "cart"), test("list", "listing")].concat();
    system.put("/repo/test_shop.py", format!("from shop import *\n{tests}"));
    let caller =
        |name: &str, own: &str| format!("def {name}(items):\n    return {own}(shared(items))\n\n");
    let callers =
        [caller("invoice", "billed"), caller("cart", "packed"), caller("listing", "sorted_up")];
    system.put(
        "/repo/shop.py",
        format!("from parts import *\n{}def shared(items):\n    return items\n", callers.concat()),
    );
    system.put(
        "/repo/parts.py",
        format!("def packed(items):\n    return 'P'\n\ndef sorted_up(items):\n    return 'S'\n\ndef billed(items):\n{body}"),
    );
    system
}

const FAILED_HELPER: &str = "\
=================================== FAILURES ===================================
__________________________________ test_bill ___________________________________

    def test_bill():
>       check(invoice([1]), 1)

test_shop.py:3: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def check(got, wanted):
>       assert got == wanted
E       assert 2 == 1

test_shop.py:6: AssertionError
=========================== short test summary info ============================
FAILED test_shop.py::test_bill - assert 2 == 1
";

#[test]
fn frames_inside_of_an_error_that_was_printed_as_a_value_are_left_out() {
    let log = "\
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1]) == 1
E       AssertionError: {
E         stack: 'Error: \\n' +
E           '    at match (/ci/router.ts:137:17)\\n' +
E           '    at runWithCancel (file:///ci/chunk.js:2323:10)',
E         name: 'at: noon',

test_app.py:3: AssertionError
=========================== short test summary info ============================
FAILED test_app.py::test_total - AssertionError: {
";
    let system = repository();
    system.put(
        "/repo/test_app.py",
        "from app import total\ndef test_total():\n    assert total([1]) == 1\n",
    );
    let text = build_context(&system, &request(&system, log)).unwrap().context.text;
    assert!(text.contains("name: 'at: noon'"), "{text}");
    assert!(!text.contains("runWithCancel") && !text.contains("at match"), "{text}");
}

#[test]
fn what_only_failing_tests_run_comes_before_what_all_tests_run() {
    let system = shop_with_tests("    return 'B'\n");
    let text = build_context(&system, &request(&system, FAILED_HELPER)).unwrap().context.text;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("return 'B'") < at("return items"), "{text}");
    assert!(
        !text.contains("return 'P'") && !text.contains("return 'S'"),
        "others run those: {text}"
    );
}

#[test]
fn of_a_long_function_that_a_failing_test_runs_the_lines_with_names_of_the_test_are_shown() {
    let filler: String = (0..60).map(|n| format!("    plain_{n} = {n}\n")).collect();
    let system = shop_with_tests(&format!("{filler}    invoice = items\n{filler}    return 'B'\n"));
    let text = build_context(&system, &request(&system, FAILED_HELPER)).unwrap().context.text;
    assert!(
        text.contains("def billed(items):") && text.contains("    invoice = items\n"),
        "{text}"
    );
    assert!(!text.contains("plain_30"), "{text}");
}
