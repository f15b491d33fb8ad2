//! What `read` shows of declarations, lines and tests where nothing else is said.

use super::tests::{alone, read_in};
use super::{NeedsMode, ReadRequest};

#[track_caller]
fn check(fixture: &str, target: &str, expected: &str) {
    assert_eq!(read_in(fixture, &alone(target)).to_text(), expected, "{target}");
}

const CART: &str = "\
//- src/cart.py
from .money import Amount, total_of

LIMIT = 3


class Cart:
    \"\"\"What is bought.\"\"\"

    def total(self, items):
        if len(items) > LIMIT:
            raise ValueError(

                \"too many\"
            )
        return total_of(items)

    def clear(self):
        self.items = []
//- src/money.py
class Amount:
    pass

def total_of(items):
    return Amount()
//- tests/test_cart.py
import pytest

@pytest.mark.parametrize(\"case\", [1, 2])
def test_total(case):
    assert case

class TestClear:
    def test_clear(self):
        pass
";

#[test]
fn every_line_has_its_number_and_its_own_text() {
    let request = ReadRequest { needs: NeedsMode::Names, ..alone("src/cart.py#Cart.total") };
    assert_eq!(
        read_in(CART, &request).to_text(),
        "\
src/cart.py
 Cart.total 9-15
9\t    def total(self, items):
10\t        if len(items) > LIMIT:
11\t            raise ValueError(
12\t
13\t                \"too many\"
14\t            )
15\t        return total_of(items)
uses: LIMIT 3; src/money.py total_of 4
",
    );
}

#[test]
fn of_a_long_comment_in_a_long_function_the_first_line_is_shown() {
    let doc = &format!(
        "    \"\"\"\n    Adds.\n\n    One.\n    Two.\n{}    \"\"\"\n",
        "    More.\n".repeat(6)
    );
    let note = "    # First.\n    # Second.\n";
    let table = "    rows = \"\"\"\n    1\n    2\n    3\n    4\n    5\n    6\n    \"\"\"\n";
    let body = "    step()\n".repeat(20);
    let long = format!("//- a.py\ndef add():\n{doc}{note}{table}{body}");
    let text = read_in(&long, &alone("a.py#add")).to_text();
    let folded = "2\t    \"\"\"\n3\t    Adds.\n… 10 lines\n14\t    # First.\n15\t    # Second.\n";
    assert!(text.contains(folded), "{text}");
    assert!(text.contains("19\t    3\n"), "a string that is data stays: {text}");
    let all = ReadRequest { all: true, ..alone("a.py#add") };
    assert!(read_in(&long, &all).to_text().contains("6\t    Two.\n"));
    let short = format!("//- a.py\ndef add():\n{doc}    step()\n");
    assert!(read_in(&short, &alone("a.py#add")).to_text().contains("6\t    Two.\n"));
}

#[test]
fn members_with_a_shared_prefix_are_read_in_one_call() {
    let text = read_in(CART, &alone("src/cart.py#Cart.{total,clear}")).to_text();
    assert!(text.contains(" Cart.total 9-15\n") && text.contains(" Cart.clear 17-18\n"), "{text}");
    assert_eq!(text.matches("src/cart.py").count(), 1, "a file is named once: {text}");
}

#[test]
fn lines_are_asked_for_as_people_write_them() {
    let shown = read_in(CART, &alone("src/cart.py:17-18")).to_text();
    for target in ["17,18", "17..18", "18-17", "L17-L18", "17-"] {
        let target = format!("src/cart.py:{target}");
        assert_eq!(read_in(CART, &alone(&target)).to_text(), shown, "{target}");
    }
    assert_eq!(read_in(CART, &alone("src/cart.py#L17-L18")).to_text(), shown);
    let first = read_in(CART, &alone("src/cart.py:-3")).to_text();
    assert!(first.contains("3\tLIMIT = 3\n") && !first.contains("6\t"), "{first}");
}

#[test]
fn a_member_is_found_by_its_own_name_in_its_file() {
    for target in ["src/cart.py#clear", "src/cart.py#Cart::clear"] {
        let text = read_in(CART, &alone(target)).to_text();
        assert!(text.contains(" Cart.clear 17-18\n"), "{target}: {text}");
    }
}

#[test]
fn tests_are_read_as_pytest_names_them() {
    for (target, heading) in [
        ("tests/test_cart.py::test_total[2]", " test_total 3-5\n"),
        ("tests/test_cart.py#test_total[1]", " test_total 3-5\n"),
        ("tests/test_cart.py::TestClear::test_clear", " TestClear.test_clear 8-9\n"),
    ] {
        let text = read_in(CART, &alone(target)).to_text();
        assert!(text.contains(heading), "{target}: {text}");
    }
}

#[test]
fn tests_are_read_by_their_title() {
    let fixture = "\
//- a.test.ts
describe('login', () => {
  it('rejects a bad token', () => {
    expect(1).toBe(1);
  });
});
//- a_test.go
package a

func TestParse(t *testing.T) {
\tfor _, tt := range []struct{ name string }{
\t\t{name: \"empty input\"},
\t} {
\t\tt.Run(tt.name, func(t *testing.T) {})
\t}
}
";
    let shown =
        "a.test.ts\n2\t  it('rejects a bad token', () => {\n3\t    expect(1).toBe(1);\n4\t  });\n";
    check(fixture, "a.test.ts#\"rejects a bad token\"", shown);
    check(fixture, "a.test.ts#login > rejects a bad token", shown);
    let row = read_in(fixture, &alone("a_test.go#\"empty input\"")).to_text();
    assert!(row.contains(" TestParse 3-9\n"), "the test that has the row: {row}");
}

#[test]
fn matches_are_shown_with_the_blocks_around_them() {
    let steps = |name: &str| (0..20).map(|at| format!("    {name}({at});\n")).collect::<String>();
    let fixture = format!(
        "//- a.ts\nexport function long(\n  flag: boolean,\n) {{\n  if (flag) {{\n{}    found();\n{}  }}\n}}\n",
        steps("before"),
        steps("after")
    );
    let request = ReadRequest { matching: vec!["found".to_owned()], ..alone("a.ts#long") };
    assert_eq!(
        read_in(&fixture, &request).to_text(),
        "\
a.ts
 long 1-47
1\texport function long(
2\t  flag: boolean,
3\t) {
4\t  if (flag) {
… 18 lines
23\t    before(18);
24\t    before(19);
25\t    found();
26\t    after(0);
27\t    after(1);
… 20 lines
"
    );
    let request = ReadRequest { matching: vec!["nothing".to_owned()], ..alone("a.ts#long") };
    assert_eq!(read_in(&fixture, &request).to_text(), "no line matches in a.ts long 1-47\n");
}

fn long_class() -> String {
    let method = |at: usize| format!("  method{at}(x: number) {{\n    return x + {at};\n  }}\n");
    let methods: String = (0..80).map(method).collect();
    format!("//- a.ts\nexport const LIMIT = 1;\nexport class Long {{\n{methods}}}\n")
}

#[test]
fn a_long_file_or_class_is_shown_as_its_outline() {
    for target in ["a.ts", "a.ts#Long"] {
        let text = read_in(&long_class(), &alone(target)).to_text();
        assert!(text.contains("\n2-243\texport class Long\n"), "{target}: {text}");
        assert!(text.contains("\n6-8\t method1(x: number)\n"), "{target}: {text}");
        assert_eq!(text.contains("1\texport const LIMIT = 1\n"), target == "a.ts", "{text}");
        assert!(!text.contains("return"), "{text}");
    }
    let all = ReadRequest { all: true, ..alone("a.ts") };
    assert!(read_in(&long_class(), &all).to_text().contains("\n7\t    return x + 1;\n"));
    let one = read_in(&long_class(), &alone("a.ts#Long.method1")).to_text();
    assert_eq!(
        one,
        "a.ts\n Long.method1 6-8\n6\t  method1(x: number) {\n7\t    return x + 1;\n8\t  }\n"
    );
}

#[test]
fn what_is_too_long_says_how_to_read_the_rest() {
    let body: String =
        (2..=400).map(|at| format!("  step{at}('some words to fill it');\n")).collect();
    let fixture = format!("//- a.ts\nexport function long() {{\n{body}}}\n");
    let mut request = alone("a.ts#long");
    request.slices.budget = 800;
    let text = read_in(&fixture, &request).to_text();
    let last = text.lines().last().unwrap_or_default();
    let rest = last.strip_prefix("… left out: read a.ts:").unwrap_or_default();
    let (range, _) = rest.split_once(',').unwrap_or_default();
    let (first, end) = range.split_once('-').unwrap_or_default();
    assert_eq!(end, "400", "{text}");
    let next = read_in(
        &fixture,
        &ReadRequest { needs: NeedsMode::None, ..alone(&format!("a.ts:{range}")) },
    );
    assert!(
        next.to_text().starts_with(&format!("a.ts\n{first}\t  step{first}(")),
        "{}",
        next.to_text()
    );
}

#[test]
fn of_several_targets_those_that_exist_are_shown() {
    let text = read_in(CART, &alone("src/cart.py#Cart.{total,totl}")).to_text();
    assert!(text.contains(" Cart.total 9-15\n"), "{text}");
    assert!(text.contains("not shown: no declaration `Cart.totl`"), "{text}");
}

#[test]
fn an_extension_is_read_by_its_head() {
    let fixture = "//- src/lib.rs\npub struct A<T>(T);\n\nimpl<'d, T> de::Read<'d> for A<T> {\n    fn read(&self) {}\n}\n\nimpl<T> A<T> {\n    fn own(&self) {}\n}\n";
    let shown = "src/lib.rs\n A 3-5\n3\timpl<'d, T> de::Read<'d> for A<T> {\n4\t    fn read(&self) {}\n5\t}\n";
    check(fixture, "src/lib.rs#impl Read for A", shown);
    check(fixture, "src/lib.rs#\"impl de::Read<'d> for A<T>\"", shown);
    check(fixture, "src/lib.rs#Read for A", shown);
}

#[test]
fn the_outline_of_a_file_of_tests_has_their_titles() {
    let body = "    expect(1).toBe(1)\n".repeat(100);
    let test = |title: &str| format!("  it('{title}', () => {{\n{body}  }})\n");
    let fixture = format!(
        "//- src/a.test.ts\ndescribe('cart', () => {{\n{}{}}})\n",
        test("adds up"),
        test("is empty")
    );
    let shown = read_in(&fixture, &alone("src/a.test.ts")).to_text();
    assert!(
        shown.ends_with("1-206\t\"cart\"\n2-103\t \"adds up\"\n104-205\t \"is empty\"\n"),
        "{shown}"
    );
}

#[test]
fn a_method_that_is_declared_outside_its_type_is_one_line_of_an_outline() {
    let body = "\tuse(c)\n".repeat(220);
    let fixture = format!(
        "//- go.mod\nmodule x\n//- a.go\npackage a\n\ntype Command struct{{}}\n\nfunc (c *Command) Run() {{\n{body}}}\n"
    );
    let shown = read_in(&fixture, &alone("a.go")).to_text();
    assert!(shown.ends_with("3\ttype Command\n5-226\tfunc (c *Command) Run()\n"), "{shown}");
}

#[test]
fn what_is_left_out_of_a_function_with_folded_documentation_is_named() {
    let doc = "    words of the documentation\n".repeat(20);
    let body: String =
        (0..200).map(|at| format!("    step_{at}('some words to fill it')\n")).collect();
    let fixture = format!("//- a.py\ndef long():\n    \"\"\"\n{doc}    \"\"\"\n{body}");
    let mut request = alone("a.py#long");
    request.slices.budget = 800;
    let text = read_in(&fixture, &request).to_text();
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("… left out: read a.py:") && last.contains("-223,"), "{text}");
}

const SHOP: &str = "\
//- src/base.py
class Base:
    def save(self):
        return 1

    def load(self):
        return 2
//- src/shop.py
from .base import Base

class Middle(Base):
    def load(self):
        return 3

class Shop(Middle):
    def close(self):
        return 4

class Formatter:
    def render(self):
        return 5
//- src/more.py
def lonely():
    return 6
";

#[test]
fn an_inherited_member_is_that_of_the_nearest_base() {
    check(
        SHOP,
        "src/shop.py#Shop.save",
        "src/base.py\n Base.save 2-3\n2\t    def save(self):\n3\t        return 1\n",
    );
    check(
        SHOP,
        "Shop.load",
        "src/shop.py\n Middle.load 4-5\n4\t    def load(self):\n5\t        return 3\n",
    );
}

#[test]
fn a_wrong_class_or_file_shows_the_only_declaration_of_that_name_and_says_so() {
    check(
        SHOP,
        "src/shop.py#Printer.render",
        "(no declaration `Printer.render`; the only one of that name: `src/shop.py#Formatter.render`)\n\
         src/shop.py\n Formatter.render 12-13\n12\t    def render(self):\n13\t        return 5\n",
    );
    check(
        SHOP,
        "src/shop.py#lonely",
        "(no declaration `lonely`; the only one of that name: `src/more.py#lonely`)\n\
         src/more.py\n lonely 1-2\n1\tdef lonely():\n2\t    return 6\n",
    );
}
