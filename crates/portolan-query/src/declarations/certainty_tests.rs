//! Which uses are certain through what types hold: payloads of variants, members that a type names, parameters of types.

use super::account_tests::check;

#[test]
fn what_a_variant_holds_has_its_type() {
    let fields = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub enum Error { Partial(Vec<Error>), At { line: u32, err: Box<Error> }, Io }\nimpl Error {\n    pub fn is_io(&self) -> bool {\n        match *self {\n            Error::Partial(ref errs) => errs[0].is_io(),\n            Error::At { ref err, .. } => err.is_io(),\n            Error::Io => true,\n        }\n    }\n}\n";
    check(fields, "src/lib.rs#Error.is_io", "src/lib.rs:5 src/lib.rs:6");
    let other = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct A;\nimpl A {\n    pub fn go(&self) {}\n}\npub struct B;\nimpl B {\n    pub fn go(&self) {}\n}\npub enum Kind { One(A), Two(B, A) }\npub fn f(kind: &Kind) {\n    match kind {\n        Kind::One(x) => x.go(),\n        Kind::Two(x, y) => { x.go(); y.go() }\n    }\n}\n";
    check(other, "src/lib.rs#B.go", "src/lib.rs:13");
    check(other, "src/lib.rs#A.go", "src/lib.rs:12 src/lib.rs:13");
    let starred = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nuse self::Kind::*;\npub struct A;\nimpl A {\n    pub fn go(&self) {}\n}\npub enum Kind { One(A) }\npub fn f(kind: &Kind) {\n    match *kind { One(ref x) => x.go() }\n}\n";
    check(starred, "src/lib.rs#A.go", "src/lib.rs:8");
    let unnamed = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct A;\nimpl A {\n    pub fn go(&self) {}\n}\npub struct Wrap(u8, A);\nimpl Wrap {\n    pub fn run(&self) { self.1.go() }\n}\npub fn f(it: Wrap) {\n    let Wrap(_, a) = it;\n    a.go();\n}\n";
    check(unnamed, "src/lib.rs#A.go", "src/lib.rs:7 src/lib.rs:11");
    let rest = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct A;\nimpl A {\n    pub fn go(&self) {}\n}\npub struct Many(u8, u8, A);\npub fn f(it: Many) {\n    let Many(.., a) = it;\n    a.go();\n}\n";
    check(rest, "src/lib.rs#A.go", "~src/lib.rs:8");
}

#[test]
fn a_module_and_a_function_of_one_name_are_two_things() {
    let both = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/main.rs\nmod search;\nmod other;\nfn main() {\n    search(1);\n}\nfn search(n: u8) -> u8 {\n    search::deep(n)\n}\n//- src/search.rs\npub fn deep(n: u8) -> u8 { n }\n//- src/other.rs\npub fn f() -> u8 {\n    crate::search(2)\n}\n";
    check(both, "src/main.rs#search", "src/main.rs:4 src/other.rs:2");
    check(both, "src/search.rs#deep", "src/main.rs:7");
}

#[test]
fn iterators_and_pointers_lead_to_what_they_stand_for() {
    let item = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct A;\nimpl A {\n    pub fn go(&self) {}\n}\npub struct All;\nimpl Iterator for All {\n    type Item = A;\n    fn next(&mut self) -> Option<A> { None }\n}\npub fn f(all: All, other: All) {\n    for a in all { a.go() }\n    other.take_while(|a| { a.go(); true });\n}\n";
    check(item, "src/lib.rs#A.go", "src/lib.rs:11 src/lib.rs:12");
    let target = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct A;\nimpl A {\n    pub fn go(&self) {}\n}\npub struct Guard { inner: A }\nimpl std::ops::Deref for Guard {\n    type Target = A;\n    fn deref(&self) -> &A { &self.inner }\n}\npub fn f(guard: Guard) {\n    guard.go()\n}\n";
    check(target, "src/lib.rs#A.go", "src/lib.rs:11");
}

#[test]
fn a_method_is_not_meant_by_a_bare_name() {
    let macros = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nuse std::fmt::*;\npub struct Sink;\nimpl Sink {\n    pub fn write(&self) {}\n}\npub fn f(out: &mut String, sink: &Sink) {\n    write!(out, \"a\");\n    sink.write();\n}\n";
    check(macros, "src/lib.rs#Sink.write", "src/lib.rs:8");
}

#[test]
fn members_of_an_enumeration_are_instances_of_it() {
    let scope = "//- scope.py\nfrom enum import Enum\n\nclass Scope(Enum):\n    FUNCTION: str = \"function\"\n    CLASS = \"class\"\n\n    def higher(self):\n        return self\n//- use.py\nfrom scope import Scope\n\nScope.FUNCTION.higher()\nScope.CLASS.higher()\n";
    check(scope, "scope.py#Scope.higher", "use.py:3 use.py:4");
}

#[test]
fn what_a_class_has_from_outside_is_no_member_of_the_repository() {
    let config = "//- app.py\nclass Session:\n    def update(self): ...\n\nclass Config(dict):\n    pass\n\nclass Open:\n    def __getattr__(self, name): ...\n\ndef f(config: Config, session: Session, other: Open):\n    config.update()\n    session.update()\n    other.update()\n";
    check(config, "app.py#Session.update", "app.py:12 ~app.py:13");
}

#[test]
fn parameters_of_types_that_no_argument_tells_are_their_constraint() {
    let none = "//- s.ts\nexport class Geo {\n  path() { return '' }\n}\nexport class Editor {\n  geometry<T extends Geo>(id: string): T { return null as any }\n  either<T extends Geo>(make: () => T): T { return make() }\n}\nexport const f = (editor: Editor, make: any) => {\n  editor.geometry('a').path()\n  editor.either(make).path()\n}\n";
    check(none, "s.ts#Geo.path", "s.ts:9 ~s.ts:10");
    let made = "//- s.ts\nexport class Bad extends Error {\n  shape = 1\n}\ntype Constructor<T extends object = object> = new (...args: any[]) => T\ninterface Maker<T> {\n  new (): T\n}\nexport async function wait<T extends Error = Error>(what: unknown, how?: Constructor<T>): Promise<T> { throw what }\nexport function make<T>(how: Maker<T>): T { return new how() }\nexport const f = async () => {\n  (await wait(1, Bad)).shape\n  make(Bad).shape\n}\n";
    check(made, "s.ts#Bad.shape", "s.ts:11 s.ts:12");
    let given = "//- s.ts\ninterface Def {\n  type: 'null'\n}\ninterface Null { def: Def }\ninterface Class<T extends { def: any }> {\n  new (def: T['def']): T\n}\nexport function make<T extends Null>(how: Class<T>): T {\n  return new how({ type: 'null' })\n}\n";
    check(given, "s.ts#Def.type", "s.ts:9");
}

#[test]
fn a_choice_by_the_name_of_a_type_is_certain_only_where_it_is_told() {
    let extract = "//- s.ts\ninterface A { kind: 'a'; size: number }\ninterface B { kind: 'b'; size: number }\ntype All = A | B\nexport const f = (x: Extract<All, { kind: 'a' }>) => x.size\nexport const g = (x: Exclude<All, { kind: 'a' }>) => x.size\nexport const h = <K extends string>(x: Extract<All, { kind: K }>) => x.size\n";
    check(extract, "s.ts#A.size", "s.ts:4 ~s.ts:6");
    check(extract, "s.ts#B.size", "s.ts:5 ~s.ts:6");
    let indexed = "//- s.ts\ninterface A { size: number }\ninterface B { size: number }\ninterface All { a: A; b: B }\ntype Of<K extends keyof All> = All[K]\nexport const f = (x: Of<'a'>) => x.size\nexport const g = (x: All['a' | 'b']) => x.size\n";
    check(indexed, "s.ts#A.size", "s.ts:5 s.ts:6");
    check(indexed, "s.ts#B.size", "s.ts:6");
}

#[test]
fn a_member_of_joined_alternatives_that_is_one_declaration_is_certain() {
    let joined = "//- s.ts\ntype Base = { disabled?: boolean }\ntype Props = (Base & { type: 'a' }) | (Base & { type: 'b' })\nexport const f = (props: Props) => props.disabled\n";
    check(joined, "s.ts#Base.disabled", "s.ts:3");
    let object = "//- s.ts\ninterface Call { callee: string }\ndeclare function isObject(it: unknown): it is Record<any, any>\nexport const f = (tag: string | Call) => isObject(tag) && tag.callee\n";
    check(object, "s.ts#Call.callee", "s.ts:3");
}

#[test]
fn components_are_known_by_the_functions_that_make_them() {
    let typed = "//- s.tsx\nimport { forwardRef, useState, Component } from 'react'\ninterface Props {\n  active: number\n}\nexport const List = forwardRef<HTMLElement, Props>(function List({ active }, ref) { return <i /> })\nexport const Plain = forwardRef((props: Props, ref) => <i>{props.active}</i>)\nexport const f = () => <List key=\"1\" ref={null} active={1} />\nexport const g = () => <Plain ref={null} active={1} />\nexport const h = () => {\n  const [props] = useState<Props | null>(null)\n  const [made] = useState(() => ({ active: 1 }) as Props)\n  return props?.active ?? made.active\n}\nexport class Shown extends Component<Props> {\n  render() { return this.props.active }\n}\n";
    check(
        typed,
        "s.tsx#Props.active",
        "s.tsx:5 s.tsx:6 s.tsx:7 s.tsx:8 s.tsx:11 s.tsx:12 s.tsx:15",
    );
}

#[test]
fn members_of_classes_themselves_are_not_those_of_instances() {
    let both = "//- s.ts\nexport class Base {\n  static id = ''\n  id = 1\n}\nexport class Own extends Base {\n  static override id = 'own'\n}\nexport const f = (base: Base, of: typeof Base) => base.id + of.id + Own.id\n";
    check(both, "s.ts#Own.id", "s.ts:8");
    let look = super::account_tests::users_in(both, "s.ts#Own.id");
    let account = look.account.unwrap();
    assert_eq!((account.certain, account.possible, account.others), (1, 1, 2));
}

#[test]
fn literals_of_one_type_are_found_from_each_other() {
    let two = "//- types.ts\nexport interface Overrides {\n  tools?(n: number): number\n}\n//- a.ts\nimport { Overrides } from './types'\nexport const overrides: Overrides = {\n  tools(n) { return n },\n}\n//- b.ts\nimport { Overrides } from './types'\nexport const other: Overrides = {\n  tools(n) { return n },\n}\nother.tools?.(1)\n";
    check(two, "a.ts#overrides.tools", "b.ts:3(Overrides.tools) b.ts:5(Overrides.tools)");
}

#[test]
fn going_through_a_map_gives_pairs() {
    let pairs = "//- s.ts\ninterface Node { width: number }\nexport function f(nodes: Map<string, Node>) {\n  for (const [, node] of nodes) node.width\n  const out = new Map<string, Node>()\n  out.set('a', { width: 1 })\n  for (const [key, node] of out) node.width\n}\n";
    check(pairs, "s.ts#Node.width", "s.ts:3 s.ts:5 s.ts:6");
}

#[test]
fn arguments_by_name_are_fields_of_classes_without_a_constructor() {
    let fields = "//- a.py\nfrom typing import NamedTuple\n\nclass Set(NamedTuple):\n    marks: list\n\n    @classmethod\n    def make(cls, mark):\n        return cls(marks=[mark])\n\nclass Own:\n    def __init__(self, marks):\n        self.marks = marks\n\nSet(marks=[])\nOwn(marks=[])\n";
    check(fields, "a.py#Set.marks", "a.py:8 a.py:14");
    check(fields, "a.py#Own.marks", "");
}

#[test]
fn members_have_all_the_values_that_they_are_given() {
    let twice = "//- a.py\nclass One:\n    def close(self): ...\n\nclass Two:\n    def close(self): ...\n\nclass Host:\n    def __init__(self, first):\n        if first:\n            self.file = One()\n        else:\n            self.file = Two()\n\n    def done(self):\n        self.file.close()\n";
    check(twice, "a.py#Two.close", "~a.py:15");
    check(twice, "a.py#One.close", "~a.py:15");
}

#[test]
fn a_function_in_a_module_of_its_own_name_is_not_the_module() {
    let parse = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/main.rs\nmod flags;\nfn main() {\n    flags::parse();\n}\n//- src/flags/mod.rs\nmod parse;\npub(crate) use self::parse::parse;\n//- src/flags/parse.rs\npub(crate) fn parse() {}\n";
    check(parse, "src/flags/parse.rs#parse", "src/main.rs:3");
}

#[test]
fn modules_that_are_imported_later_are_promised() {
    let later = "//- a.ts\nexport function run() {}\n//- b.ts\nexport const f = () => import('./a').then((module) => module.run())\n";
    check(later, "a.ts#run", "b.ts:1");
}

#[test]
fn a_default_export_that_names_something_is_that() {
    let named = "//- log.ts\nconst logger = { info() {} }\nexport default logger\n//- use.ts\nimport log from './log'\nlog.info()\n";
    check(named, "log.ts#default", "log.ts:2 use.ts:2");
}

#[test]
fn elements_and_values_of_python_are_known_by_what_holds_them() {
    let held = "//- a.py\nfrom contextvars import ContextVar\nfrom functools import cached_property\n\nclass Entry:\n    def path(self): ...\n\nclass Entries(list[Entry]):\n    @cached_property\n    def last(self) -> Entry: ...\n\ncurrent: ContextVar[Entry] = ContextVar('current')\n\ndef f(entries: Entries):\n    for entry in entries:\n        entry.path()\n    entries[0].path()\n    entries.last.path()\n    if (it := current.get(None)) is not None:\n        it.path()\n";
    check(held, "a.py#Entry.path", "a.py:15 a.py:16 a.py:17 a.py:19");
}

#[test]
fn paths_of_rust_that_begin_with_an_import_lead_where_it_leads() {
    let std = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nuse std::io;\nmod own;\npub enum Error { A }\npub fn f() -> Result<(), io::Error> { Ok(()) }\npub fn g() -> crate::Error { Error::A }\n//- src/own.rs\nuse std::io;\npub fn h() -> (io::Error, crate::Error) { todo!() }\n";
    // Two paths of a file end with this name: that is not decided.
    check(std, "src/lib.rs#Error", "~src/lib.rs:4 src/lib.rs:5 src/own.rs:2");
    let closure = "//- Cargo.toml\n[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub struct Match;\nimpl Match {\n    pub fn end(&self) -> usize { 0 }\n}\npub fn each<F>(n: u8, found: F) where F: FnMut(Match) -> bool {}\npub fn f() {\n    each(1, |m| m.end() > 0)\n}\n";
    check(closure, "src/lib.rs#Match.end", "src/lib.rs:7");
}

#[test]
fn the_class_itself_is_known_by_its_name_in_typing() {
    let own = "//- a.py\nimport typing as t\n\nclass Own:\n    changed = False\n\n    def make(self):\n        def update(self: t.Self) -> None:\n            self.changed = True\n        return update\n";
    check(own, "a.py#Own.changed", "a.py:8");
}

#[test]
fn a_package_of_which_a_part_is_imported_is_not_from_outside() {
    let part = "//- pkg/__init__.py\nfrom .app import App\n//- pkg/app.py\nclass App:\n    def run(self): ...\n//- pkg/views.py\nclass View: ...\n//- pkg/client.py\nfrom .app import App\nclass Client: ...\n//- use.py\nimport pkg.views\nfrom pkg.client import Client\n\ndef f(app: pkg.App):\n    app.run()\n";
    let look = super::account_tests::users_in(part, "pkg/app.py#App.run");
    assert_eq!(look.users.unwrap().len(), 1);
}

#[test]
fn of_overloads_that_one_is_meant_whose_result_has_the_member() {
    let both = "//- s.ts\nexport interface Text { parse(): void }\nexport interface Plain { size: number }\nexport function make(a?: string): Text\nexport function make(a: number): Plain\nexport function make(a: any): Text | Plain { return null as any }\nexport const f = () => {\n  make().parse()\n  make(1).size\n}\n";
    check(both, "s.ts#Text.parse", "s.ts:7");
    check(both, "s.ts#Plain.size", "s.ts:8");
    let same = "//- s.ts\nexport interface Text { size: number }\nexport interface Plain { size: number }\ndeclare function make(a?: string): Text\ndeclare function make(a: number): Plain\nexport const f = () => make(1).size\n";
    check(same, "s.ts#Text.size", "~s.ts:5");
    let unknown = "//- s.ts\nimport { Other } from 'outside'\nexport interface Text { size: number }\ndeclare function make(a?: string): Text\ndeclare function make(a: number): Other\nexport const f = () => make(1).size\n";
    check(unknown, "s.ts#Text.size", "~s.ts:5");
}
