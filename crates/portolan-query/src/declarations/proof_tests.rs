//! What counts as a proof that a word means something else. Whatever is no proof leaves the word possible.

use super::account_tests::{check, users_in};

/// How many words were proved to be something else.
#[track_caller]
fn check_others(fixture: &str, target: &str, expected: usize) {
    let look = users_in(fixture, target);
    let others = look.account.map(|account| account.others);
    assert_eq!(others, Some(expected), "{target}");
}

#[test]
fn a_class_that_was_found_out_and_lacks_the_member_is_no_proof() {
    let copied = "//- q.py\nclass Empty:\n    pass\nclass Query:\n    def clone(self):\n        obj = Empty()\n        obj.__class__ = self.__class__\n        return obj\n    def add(self): pass\n    def run(self):\n        q = self.clone()\n        q.add()\n";
    check(copied, "q.py#Query.add", "~q.py:11");
    let script = "//- a.ts\nclass Empty {}\nexport class Query {\n  clone() {\n    const made = new Empty()\n    return Object.setPrototypeOf(made, Query.prototype) ? made : made\n  }\n  add() {}\n}\nexport const f = (q: Query) => (q.clone() as any).add()\nexport const g = (q: Query) => q.clone().add()\n";
    check(script, "a.ts#Query.add", "~a.ts:9 ~a.ts:10");
}

#[test]
fn a_class_that_is_written_and_lacks_the_member_is_one() {
    let written = "//- s.py\nclass Mem:\n    def put(self): pass\nclass Other:\n    pass\ndef f(other: Other):\n    other.put()\n";
    check(written, "s.py#Mem.put", "");
    check_others(written, "s.py#Mem.put", 1);
    let answering = "//- s.py\nclass Mem:\n    def put(self): pass\nclass Other:\n    def __getattr__(self, name): pass\ndef f(other: Other):\n    other.put()\n";
    check(answering, "s.py#Mem.put", "~s.py:6");
    let open = "//- s.ts\nexport class Mem {\n  put() {}\n}\nimport { Base } from './gone'\nclass Other extends Base {}\nexport const f = (other: Other) => other.put()\n";
    check(open, "s.ts#Mem.put", "~s.ts:6");
}

#[test]
fn an_alternative_that_is_not_known_may_be_it() {
    let union = "//- s.ts\nimport type { Lost } from './gone'\nexport class Mem {\n  put() {}\n}\nclass Other {\n  put() {}\n}\nclass Third {}\nexport const f = (x: Other | Lost) => x.put()\nexport const g = (x: Third | Lost) => x.put()\nexport const h = (x: string | Lost) => x.put()\nexport const i = (x: Other | string) => x.put()\n";
    check(union, "s.ts#Mem.put", "~s.ts:9 ~s.ts:10 ~s.ts:11");
}

#[test]
fn a_path_where_nothing_is_may_lead_to_it() {
    let built = "//- src/effect.ts\nexport class Runner {\n  stop() {}\n}\nexport function effect() { return new Runner() }\n//- bench/a.ts\nimport { effect } from '../dist/all.prod'\nconst e = effect()\ne.stop()\n//- bench/b.ts\nimport { made } from './c'\nmade.stop()\n//- bench/c.ts\nexport { effect as made } from '../dist/all.prod'\n//- bench/d.ts\nimport { effect as run } from '../dist/all.prod'\nrun()\n//- bench/e.ts\nimport { effect } from 'elsewhere'\neffect().stop()\n";
    check(built, "src/effect.ts#Runner.stop", "~bench/a.ts:3 ~bench/b.ts:2");
    check(
        built,
        "src/effect.ts#effect",
        "~bench/a.ts:1 ~bench/a.ts:2 ~bench/c.ts:1 ~bench/d.ts:1 ~bench/d.ts:2",
    );
    let package = "//- pkg/__init__.py\n\n//- pkg/a.py\ndef run(): pass\n//- pkg/b.py\nfrom .made import run\nrun()\n";
    check(package, "pkg/a.py#run", "~pkg/b.py:1 ~pkg/b.py:2");
    let picture = "//- a.ts\nexport class Mem {\n  put() {}\n}\nexport const own = (mem: Mem) => mem.put()\n//- b.ts\nimport icon from './gone.png'\nexport const f = (x) => x.put(icon)\n//- c.png\nx\n";
    check(picture, "a.ts#Mem.put", "a.ts:4");
}

#[test]
fn a_value_may_be_of_a_type_that_builds_on_the_owner() {
    let below = "//- a.ts\nexport class Mem {\n  put() {}\n}\n//- b.ts\nimport { Mem } from './a'\nexport class Disk extends Mem {\n  sync() {}\n}\n//- c.ts\nimport { Disk } from './b'\nexport class Cloud extends Disk {\n  send() {}\n}\n//- use.ts\nimport { Mem } from './a'\nexport function f(x) {\n  x.put()\n  x.sync()\n}\nexport function g(x) {\n  x.put()\n  x.send()\n}\nexport function h(x) {\n  x.put()\n  x.other()\n}\n";
    check(below, "a.ts#Mem.put", "~use.ts:3 ~use.ts:7");
    let python = "//- a.py\nclass Mem:\n    def put(self): pass\nclass Disk(Mem):\n    def sync(self): pass\ndef f(x):\n    x.put()\n    x.sync()\ndef g(x):\n    x.put()\n    x.other()\n";
    check(python, "a.py#Mem.put", "~a.py:6");
}

#[test]
fn a_method_without_a_call_is_one_where_methods_are_values() {
    let python = "//- a.py\nclass Mem:\n    def put(self): pass\n    def reset(self, other):\n        self.put = other\ndef f(mem: Mem):\n    return mem.put\n";
    let look = users_in(python, "a.py#Mem.put");
    let lines: Vec<u32> = look.users.iter().flatten().filter_map(|it| it.line).collect();
    assert!(lines.contains(&6), "{lines:?}");
}

#[test]
fn code_that_was_not_understood_proves_nothing() {
    let broken = "//- a.ts\nexport class Mem {\n  put() {}\n}\n//- b.ts\nimport { Mem } from './a'\nexport function f(mem: Mem) {\n  const x = = mem.put(\n  return {{{ ]\n";
    let look = users_in(broken, "a.ts#Mem.put");
    let account = look.account.unwrap_or_default();
    assert_eq!(account.others, 0, "{account:?}");
}

#[test]
fn what_a_foreign_function_is_given_may_come_back() {
    let copied = "//- a.py\nimport copy, functools\nclass Mem:\n    def put(self): pass\n    def f(self, wrap):\n        copy.copy(self).put()\n        wrap(self).put()\n        functools.reduce(wrap, [self]).put()\n";
    let look = users_in(copied, "a.py#Mem.put");
    let lines: Vec<u32> = look.users.iter().flatten().filter_map(|it| it.line).collect();
    assert_eq!(lines, [5, 6, 7]);
    let named = "//- a.py\nclass Mem:\n    def put(self): pass\ndef f(module, name):\n    made = getattr(module, name)()\n    made.put()\n    repr(module).put()\n";
    check(named, "a.py#Mem.put", "~a.py:5");
}

#[test]
fn a_variable_has_the_value_that_it_was_given_last() {
    let again = "//- a.py\nclass A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef f(c):\n    x = A()\n    x.go()\n    x = B()\n    x.go()\n    if c:\n        x = A()\n    x.go()\n";
    check(again, "a.py#A.go", "a.py:7 ~a.py:12");
    check(again, "a.py#B.go", "a.py:9 ~a.py:12");
    let looped = "//- a.py\nclass A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef f(c):\n    x = A()\n    for _ in c:\n        x.go()\n        x = B()\n";
    check(looped, "a.py#A.go", "~a.py:8");
    check(looped, "a.py#B.go", "~a.py:8");
    let empty = "//- a.py\nclass A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef f(c):\n    x = None\n    if c:\n        x = A()\n    x.go()\n    def g():\n        x.go()\n";
    check(empty, "a.py#A.go", "a.py:9 a.py:11");
    check(empty, "a.py#B.go", "");
}

#[test]
fn an_import_of_a_part_binds_the_package() {
    let package = "//- src/click/__init__.py\nfrom .termui import confirm as confirm\n//- src/click/termui.py\ndef confirm(): pass\n//- src/click/utils.py\nfrom .termui import confirm\n//- tests/test_a.py\nimport click.utils\ndef test_it():\n    click.confirm()\n";
    check(package, "src/click/termui.py#confirm", "tests/test_a.py:3");
}

#[test]
fn python_values_that_are_told_by_their_form_are_known() {
    let forms = "//- a.py\nclass Mem:\n    def update(self): pass\n    def start(self): pass\n    def format(self): pass\ndef f(*args, **values):\n    values.update(a=1)\n    rv = {'a': 1}\n    rv.update(values)\n    args.format()\n    ('a' + rv).format()\n    f.__dict__.update()\nclass Base:\n    x: int\ndef g(make):\n    Base(start=1)\n    make.update()\n";
    check(forms, "a.py#Mem.update", "~a.py:16");
    check(forms, "a.py#Mem.start", "");
    check(forms, "a.py#Mem.format", "");
    let fixture = "//- test_a.py\nimport pytest\nfrom other import Client\nclass Mem:\n    def get(self): pass\n@pytest.fixture(name='client')\ndef make():\n    with Client() as c:\n        yield c\ndef test_it(client):\n    client.get()\ndef test_other(unknown):\n    unknown.get()\n";
    check(fixture, "test_a.py#Mem.get", "~test_a.py:12");
    let validated = "//- a.py\nfrom pydantic import BaseModel\nclass A(BaseModel):\n    data: int\nclass B(BaseModel):\n    data: int\ndef f(raw):\n    made = A.model_validate(raw)\n    return made.data\n";
    check(validated, "a.py#A.data", "~a.py:8");
    check(validated, "a.py#B.data", "");
}

#[test]
fn members_that_a_type_leaves_out_are_not_those_that_it_gives_again() {
    let omitted = "//- s.ts\ninterface Base { a: string; b: string }\ntype X = Omit<Base, 'a'> & { a: number }\nexport const f = (x: X) => x.a\nexport const g = (x: X) => x.b\ninterface Y extends Omit<Base, 'a'> { a: number }\nexport const h = (y: Y) => y.a + y.b\nexport const i = (p: Pick<Base, 'b'>) => p.b\ninterface Other { a: 1 }\nexport const k = (p: Omit<Base, keyof Other>) => p.b\n";
    check(omitted, "s.ts#Base.a", "");
    check(omitted, "s.ts#Base.b", "s.ts:4 s.ts:6 s.ts:7 s.ts:9");
    check(omitted, "s.ts#Y.a", "s.ts:6");
    let open = "//- s.ts\ninterface Base { a: string }\nexport function f<K extends string>(p: Omit<Base, K>) {\n  return p.a\n}\n";
    check(open, "s.ts#Base.a", "~s.ts:3");
}

#[test]
fn rust_names_of_the_language_and_of_other_types_are_known() {
    let none = "//- Cargo.toml\n[package]\nname = 'a'\n//- src/lib.rs\npub enum Match {\n    None,\n    One,\n}\nmod b;\n//- src/b.rs\nuse super::*;\npub fn f() -> Option<u8> {\n    let _ = Match::None;\n    None\n}\n";
    check(none, "src/lib.rs#Match.None", "src/b.rs:3");
    let path = "//- Cargo.toml\n[package]\nname = 'a'\n//- src/lib.rs\npub struct Message;\npub fn f() {\n    let _ = Vec::<[Option<Message>]>::from(1);\n}\n";
    check(path, "src/lib.rs#Message", "src/lib.rs:3");
    let rules = "//- Cargo.toml\n[package]\nname = 'a'\n//- src/lib.rs\npub struct Glob;\nimpl Glob {\n    pub fn new() -> Glob { Glob }\n}\nmacro_rules! make {\n    ($p:expr) => {\n        let _ = Other::new($p);\n        let _ = Glob::new($p);\n    };\n}\n";
    check(rules, "src/lib.rs#Glob.new", "~src/lib.rs:8");
    let inner = "//- Cargo.toml\n[package]\nname = 'a'\n//- src/lib.rs\nuse regex::Regex;\npub struct Own;\nimpl Own {\n    pub fn go(&self) {}\n}\nenum Kind {\n    Regex(Own),\n}\nimpl Kind {\n    fn f(&self) {\n        use self::Kind::*;\n        match *self {\n            Regex(ref s) => s.go(),\n        }\n    }\n}\n";
    check(inner, "src/lib.rs#Own.go", "~src/lib.rs:13");
}

#[test]
fn a_type_that_makes_some_members_optional_has_them_all() {
    let partial = "//- s.ts\ntype Some<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>\ninterface A { code: 'a'; message: string }\ninterface B { code: 'b'; message: string }\nexport const f = (x: Some<A | B, 'message'>) => x.code\n";
    check(partial, "s.ts#A.code", "s.ts:4");
}
