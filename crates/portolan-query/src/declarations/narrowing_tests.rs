//! Which uses are certain because alternatives are kept apart, checked for, or come round again; and what is told of a
//! declaration that only code from outside may reach.

use super::LookRequest;
use super::account_tests::{check, users_in};
use super::tests::{look_at, seen_in};
use crate::look::Side;

#[test]
fn parts_of_an_intersection_are_one_alternative_of_a_union() {
    let union = "//- s.ts\ntype Base = { id: string }\nexport type Box = Base & { type: 'box' }\nexport type Text = Base & Readonly<{ type: 'text'; size: number }>\ntype Any = Box | Text\ntype Kept<T extends Any = Any> = T & { kept: true }\nexport const f = (it: Any) => it.type + it.id\nexport const g = (it: Kept) => it.type + it.kept\nexport const h = (it: Any) => it.type === 'text' && it.size\nexport const i = (it: Any) => 'size' in it && it.type\n";
    check(union, "s.ts#Box.type", "s.ts:6 s.ts:7 s.ts:8");
    check(union, "s.ts#Text.type", "s.ts:6 s.ts:7 s.ts:8 s.ts:9");
    check(union, "s.ts#Text.size", "s.ts:8");
    check(union, "s.ts#Base.id", "s.ts:6");
    check(union, "s.ts#Kept.kept", "s.ts:7");
    let choice = "//- s.ts\ninterface A { a: number; both: number }\ninterface B { b: number; both: number }\ninterface C { c: number }\nexport const f = (it: (A | B) & C) => it.a + it.both + it.c\nexport class D { m(it: Omit<A & C, 'a'>) { return it.both } }\n";
    check(choice, "s.ts#A.a", "s.ts:4");
    check(choice, "s.ts#A.both", "s.ts:4 s.ts:5");
    check(choice, "s.ts#B.both", "s.ts:4");
    check(choice, "s.ts#C.c", "s.ts:4");
    let built = "//- s.ts\ninterface A { a: number }\ninterface B { b: number }\ntype Both = A & B\ninterface Own extends Both {}\nexport const f = (it: Own, all: Both[]) => it.a + all.map((one) => one.b)\n";
    check(built, "s.ts#A.a", "s.ts:5");
    check(built, "s.ts#B.b", "s.ts:5");
}

#[test]
fn python_values_are_what_they_are_checked_for() {
    let check_for = "//- a.py\nclass A:\n    def go(self): ...\n\nclass B:\n    def go(self): ...\n\nclass Sub(A):\n    def own(self): ...\n\ndef f(x, y: \"A | B\", sub: Sub):\n    if isinstance(x, A):\n        x.go()\n    elif not isinstance(x, (B, str)):\n        x.go()\n    else:\n        x.go()\n    if not isinstance(y, A):\n        return y.go()\n    y.go()\n    if isinstance(sub, A):\n        sub.own()\n    return isinstance(x, A) and x.go()\n\ndef g(x, y: \"A | B\"):\n    x.go() if isinstance(x, A) else x.go()\n    z = A() if isinstance(y, B) else y\n    z.go()\n    assert isinstance(x, B)\n    x.go()\n    return [it.go() for it in x.all if isinstance(it, A)]\n";
    check(check_for, "a.py#A.go", "a.py:12 ~a.py:14 a.py:19 a.py:22 a.py:25 a.py:27 a.py:30");
    check(check_for, "a.py#B.go", "~a.py:14 a.py:16 a.py:18 a.py:29");
    check(check_for, "a.py#Sub.own", "a.py:21");
}

#[test]
fn what_a_check_says_ends_with_a_new_value() {
    let again = "//- a.py\nclass A:\n    def go(self): ...\n\ndef f(x, other, all):\n    if isinstance(x, A):\n        x = other()\n        x.go()\n    if isinstance(x, A):\n        if all:\n            x = other()\n        x.go()\n    if isinstance(x, A):\n        for it in all:\n            x.go()\n            x = it.next()\n\ndef g(x, other):\n    if isinstance(x.part, A):\n        x = other()\n        x.part.go()\n    if isinstance(x.part, A):\n        x.part.go()\n        def inner():\n            x.part.go()\n";
    check(again, "a.py#A.go", "~a.py:7 ~a.py:11 ~a.py:14 ~a.py:20 a.py:22 ~a.py:24");
}

#[test]
fn a_check_for_what_comes_from_outside_proves_something_else() {
    let outside = "//- a.py\nfrom collections.abc import Mapping\n\nclass A:\n    def update(self): ...\n\nclass B(Mapping):\n    def update(self): ...\n\ndef f(x, y: \"A | B\"):\n    if isinstance(x, (dict, str)):\n        x.update()\n    if isinstance(y, Mapping):\n        y.update()\n";
    check(outside, "a.py#A.update", "");
    check(outside, "a.py#B.update", "a.py:13");
}

#[test]
fn a_value_that_comes_round_again_is_what_it_was_at_first() {
    let round = "//- a.py\nclass Node:\n    parent: \"Node\"\n    other: \"Other\"\n\n    def go(self): ...\n\nclass Other:\n    def go(self): ...\n\ndef f(node: Node):\n    at = node\n    while at:\n        at.go()\n        at = at.parent\n\ndef g(node: Node):\n    at = node\n    while at:\n        at.go()\n        at = at.other\n";
    check(round, "a.py#Node.go", "a.py:13 ~a.py:19");
}

#[test]
fn a_generic_class_with_its_arguments_is_the_class() {
    let generic = "//- a.py\nfrom typing import Any, Generic, TypeVar\n\nT = TypeVar(\"T\")\n\nclass Pipe(Generic[T]):\n    def step(self) -> \"Pipe[T]\": ...\n\nstep = Pipe[Any]().step\nstep().step()\n";
    check(generic, "a.py#Pipe.step", "a.py:8 a.py:9");
}

#[test]
fn quoted_types_are_read_like_others() {
    let quoted = "//- m.py\nclass A:\n    def go(self): ...\n//- a.py\nfrom typing import Callable, Optional\nimport m\nfrom m import A\n\ndef f(all: \"list[A]\", one: \"Optional[m.A]\", made: \"dict[str, m.A] | None\", call: \"Callable[[A, int], A]\", odd: \"list[\"):\n    all[0].go()\n    one.go()\n    made['a'].go()\n";
    check(quoted, "m.py#A.go", "a.py:6 a.py:7 a.py:8");
    check(quoted, "m.py#A", "a.py:5");
}

#[test]
fn rust_references_and_queues_lead_to_what_they_are_of() {
    let head = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\n";
    let reference = format!(
        "{head}pub trait Matcher {{\n    fn term(&self) -> u8;\n}}\nimpl<'a, M: Matcher> Matcher for &'a M {{\n    fn term(&self) -> u8 {{\n        (*self).term()\n    }}\n}}\n"
    );
    check(&reference, "src/lib.rs#Matcher.term", "src/lib.rs:6");
    let queue = format!(
        "{head}use std::sync::mpsc;\npub struct Hay;\nimpl Hay {{\n    pub fn path(&self) {{}}\n}}\npub fn f() {{\n    let (tx, rx) = mpsc::channel::<Hay>();\n    tx.send(Hay).unwrap();\n    for hay in rx.iter() {{\n        hay.path();\n    }}\n    rx.recv().unwrap().path();\n}}\n"
    );
    check(&queue, "src/lib.rs#Hay.path", "src/lib.rs:10 src/lib.rs:12");
}

#[test]
fn what_another_class_overrides_is_another_member() {
    let shapes = "//- a.py\nclass Shape:\n    def draw(self): ...\n\nclass Box(Shape):\n    def draw(self): ...\n\nclass Dot(Shape):\n    def draw(self): ...\n\ndef f(shape: Shape, dot: Dot, box: Box):\n    shape.draw()\n    dot.draw()\n    box.draw()\n";
    check(shapes, "a.py#Box.draw", "~a.py:11(Shape.draw) a.py:13");
    check(shapes, "a.py#Shape.draw", "a.py:11 ~a.py:12(Dot.draw) ~a.py:13(Box.draw)");
    let related = users_in(shapes, "a.py#Box.draw").overrides;
    let names: Vec<&str> = related.iter().filter_map(|it| it.name.as_deref()).collect();
    assert_eq!(names, ["Shape.draw"]);
}

/// What is told of the users of a target that no code uses.
fn none_of(fixture: &str, target: &str) -> String {
    let request = LookRequest { side: Side::Users, ..look_at(target) };
    let text = seen_in(fixture, &request).to_text(4_000);
    let users = text.lines().find(|line| line.starts_with("users:")).unwrap_or_default();
    users.to_owned()
}

#[test]
fn what_code_from_outside_may_reach_is_not_called_unused() {
    let python = "//- a.py\nimport web\nfrom http.server import BaseHTTPRequestHandler\nfrom abc import ABC\n\n@web.route('/')\ndef index(): ...\n\nclass Handler(BaseHTTPRequestHandler):\n    def do_GET(self): ...\n\nclass Sub(Handler):\n    def do_POST(self): ...\n\nclass Plain(ABC):\n    @property\n    def size(self): ...\n//- test_a.py\ndef test_it(): ...\n";
    let users = |target: &str| none_of(python, target);
    assert_eq!(users("a.py#index"), "users: no use in code; it may be called through @web.route");
    let by_base = "users: no use in code; it may be called by BaseHTTPRequestHandler, which";
    assert_eq!(users("a.py#Handler.do_GET"), format!("{by_base} Handler builds on"));
    assert_eq!(users("a.py#Sub.do_POST"), format!("{by_base} Sub builds on"));
    assert_eq!(users("a.py#Plain.size"), "users: none: no other code of 2 files has the name");
    let by_runner = "users: no use in code; it may be called by a test runner";
    assert_eq!(users("test_a.py#test_it"), by_runner);
    let script = "//- a.ts\nimport { Component } from 'react'\nexport class List extends Component<{}> {\n  componentDidMount() {}\n}\nexport class Bad extends Error {\n  own() {}\n}\n";
    assert_eq!(
        none_of(script, "a.ts#List.componentDidMount"),
        "users: no use in code; it may be called by Component, which List builds on"
    );
    assert!(none_of(script, "a.ts#Bad.own").contains("none: no other code"));
    let rust = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct A;\nimpl Drop for A {\n    #[inline]\n    fn drop(&mut self) {}\n}\nimpl A {\n    #[wasm_bindgen]\n    pub fn lone(&self) {}\n}\n";
    assert_eq!(
        none_of(rust, "src/lib.rs#A.drop"),
        "users: no use in code; it may be called by Drop, which A builds on"
    );
    assert_eq!(
        none_of(rust, "src/lib.rs#A.lone"),
        "users: no use in code; it may be called through #wasm_bindgen"
    );
}
