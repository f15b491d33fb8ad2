//! Which uses of a declaration are found, for each way to reach one that was missed or taken wrongly before.

use std::fmt::Write as _;

use portolan_testkit::random::RandomNumbers;

use super::LookRequest;
use super::tests::{look_at, seen_in};
use crate::look::{Look, Side};

/// What was seen of the users of a target.
pub(super) fn users_in(fixture: &str, target: &str) -> Look {
    let request = LookRequest { side: Side::Users, ..look_at(target) };
    seen_in(fixture, &request).looks.remove(0)
}

/// The uses as `file:line`, with `~` before possible ones and what they go through behind.
#[track_caller]
pub(super) fn check(fixture: &str, target: &str, expected: &str) {
    let look = users_in(fixture, target);
    let each = look.users.iter().flatten().map(|it| {
        let doubt = if it.marks.contains(&"likely") { "~" } else { "" };
        let through = it.through.as_ref().map(|it| format!("({it})")).unwrap_or_default();
        format!("{doubt}{}:{}{through}", it.file, it.line.unwrap_or_default())
    });
    let found: Vec<String> = each.collect();
    assert_eq!(found.join(" "), expected, "{target}");
}

#[test]
fn namespaces_of_barrels_lead_to_what_they_pass_on() {
    let barrel = "//- a.ts\nexport function f() { return 1 }\n//- barrel.ts\nexport * from './a'\n//- user.ts\nimport * as ns from './barrel'\nexport const x = ns.f()\n";
    check(barrel, "a.ts#f", "user.ts:2");
    let renamed = "//- a.ts\nfunction _null() { return 1 }\nexport { _null as null }\n//- barrel.ts\nexport * from './a'\n//- user.ts\nimport * as z from './barrel'\nexport const x = z.null()\n";
    check(renamed, "a.ts#_null", "user.ts:2");
}

#[test]
fn members_are_found_where_their_class_is_not_imported() {
    let chain = "//- scene.ts\nexport class Scene {\n  all() { return [1] }\n}\n//- app.ts\nimport { Scene } from './scene'\nexport class App {\n  scene = new Scene()\n}\n//- use.ts\nimport { App } from './app'\nexport const f = (app: App) => app.scene.all()\n";
    check(chain, "scene.ts#Scene.all", "use.ts:2");
    let subclass = "//- base.ts\nexport class Base {\n  go() {}\n}\n//- sub.ts\nimport { Base } from './base'\nexport class Sub extends Base {}\n//- use.ts\nimport { Sub } from './sub'\nnew Sub().go()\n";
    check(subclass, "base.ts#Base.go", "use.ts:2");
    let returned = "//- t.ts\nexport interface T {\n  name: string\n}\n//- make.ts\nimport { T } from './t'\nexport function make(): T { return { name: '' } }\n//- use.ts\nimport { make } from './make'\nexport const n = make().name\n";
    check(returned, "t.ts#T.name", "make.ts:2 use.ts:2");
}

#[test]
fn uses_through_interfaces_and_bases_are_told_as_such() {
    let implements = "//- s.ts\nexport interface Store {\n  put(x: number): void\n}\nexport class Mem implements Store {\n  put(x: number) {}\n}\n//- use.ts\nimport { Store } from './s'\nexport const f = (s: Store) => s.put(1)\n";
    check(implements, "s.ts#Mem.put", "use.ts:2(Store.put)");
    check(implements, "s.ts#Store.put", "use.ts:2");
    let base = "//- s.ts\nexport abstract class Geo {\n  path() { return '' }\n  svg() { return this.path() }\n}\nexport class Round extends Geo {\n  path() { return 'o' }\n}\n";
    check(base, "s.ts#Round.path", "s.ts:3(Geo.path)");
    let asked_at_base = "//- s.ts\nexport class Geo {\n  path() { return '' }\n}\nexport class Round extends Geo {\n  path() { return 'o' }\n}\nexport const x = new Round().path()\n";
    check(asked_at_base, "s.ts#Geo.path", "s.ts:7(Round.path)");
    let look = users_in(asked_at_base, "s.ts#Geo.path");
    let overrides: Vec<_> = look.overrides.iter().filter_map(|it| it.name.as_deref()).collect();
    assert_eq!(overrides, ["Round.path"]);
}

#[test]
fn literals_are_known_by_what_is_expected_of_them() {
    let push = "//- s.ts\ninterface R {\n  id: string\n  end: number\n}\nexport function f(end: number) {\n  const list: R[] = []\n  list.push({ id: '', end })\n  list.push({ id: '', end: 2 })\n}\n";
    check(push, "s.ts#R.end", "s.ts:7 s.ts:8");
    let satisfies = "//- s.ts\ninterface O {\n  text: string\n}\nexport const d = { text: '' } as const satisfies O\nexport const e = { text: '' } satisfies O\n";
    check(satisfies, "s.ts#O.text", "s.ts:4 s.ts:5");
    let values = "//- s.ts\ninterface S {\n  type: string\n}\nexport function f(r: Record<string, S>) {\n  Object.values(r).forEach((s) => s.type)\n  for (const s of Object.values(r)) s.type\n  Object.values(r).sort((a, b) => 0).slice(0, 1).forEach((s) => s.type)\n}\n";
    let look = users_in(values, "s.ts#S.type");
    assert_eq!(look.users.iter().flatten().filter_map(|it| it.line).collect::<Vec<_>>(), [5, 6, 7]);
    let union = "//- s.ts\ninterface A { code: 'a'; n: number }\ninterface B { code: 'b' }\ntype I = A | B\nexport function f(list: I[]) {\n  list.push({ code: 'a', n: 1 })\n  const i: I = { code: 'a', n: 1 }\n}\n";
    check(union, "s.ts#A.code", "s.ts:5 s.ts:6");
    check(union, "s.ts#A.n", "s.ts:5 s.ts:6");
}

#[test]
fn what_is_not_decided_is_possible_and_never_left_out() {
    let nested = "//- s.ts\ninterface Ctx {\n  direction: string\n}\ntype In = { z: { run: (p: number, ctx: Ctx) => void } }\nfunction make<T>(n: string, init: (i: T) => void): T { return null as any }\nexport const x: In = make('x', (i) => {\n  i.z.run = (p, ctx) => { ctx.direction }\n})\n";
    check(nested, "s.ts#Ctx.direction", "s.ts:7");
    let any = "//- s.ts\nexport interface V {\n  sub: V\n}\nexport function f(v: V) {\n  return (v as any).sub\n}\n";
    check(any, "s.ts#V.sub", "~s.ts:5");
}

#[test]
fn a_member_of_a_union_is_one_of_each_alternative_that_is_left() {
    let union = "//- s.ts\ninterface A { kind: 'a'; size: number }\ninterface B { kind: 'b'; size: number }\nexport function f(x: A | B) {\n  x.size\n  if (x.kind === 'a') x.size\n  else x.size\n  if (x.kind !== 'a') return\n  x.size\n}\n";
    check(union, "s.ts#A.size", "s.ts:4 s.ts:5 s.ts:8");
    check(union, "s.ts#B.size", "s.ts:4 s.ts:6");
    let one = "//- s.ts\ninterface A { a: number }\ninterface B { b: number }\nexport function f(x: A | B, y: { in: A | B }) {\n  if ('a' in x) x.a\n  if ('a' in y.in) y.in.a\n}\n";
    check(one, "s.ts#A.a", "s.ts:4 s.ts:5");
    let truth = "//- s.ts\ntype Good = { ok: true; data: number }\ntype Bad = { ok: false; data: string }\nexport const f = (r: Good | Bad) => r.ok ? r.data : r.data.length\nexport const g = (r: { in: Good | Bad }) => {\n  if (!r.in.ok) throw r.in.data\n  return r.in.data\n}\n";
    check(truth, "s.ts#Good.data", "s.ts:3 s.ts:6");
    check(truth, "s.ts#Bad.data", "s.ts:3 s.ts:5");
    let tagged = "//- s.ts\nenum Kind { A, B }\ninterface A { kind: Kind.A; size: number }\ninterface B { kind: Kind.B; size: number }\nexport function f(x: A | B) {\n  if (x.kind === Kind.A || x.kind === Kind.B) x.size\n  return x.kind === Kind.B && x.size\n}\n";
    check(tagged, "s.ts#A.size", "s.ts:5");
    let guarded = "//- s.ts\ninterface A { size: number }\ninterface B { size: number }\ndeclare function isA(x: A | B): x is A\nexport function f(x: A | B) {\n  if (isA(x)) return x.size\n  return x.size\n}\n";
    check(guarded, "s.ts#A.size", "s.ts:5");
    check(guarded, "s.ts#B.size", "s.ts:6");
}

#[test]
fn a_switch_over_a_tag_leaves_one_alternative() {
    let switched = "//- s.ts\ntype A = {\n  event: 'a'\n  check: number\n}\ntype B = {\n  event: 'b'\n  check: number\n}\nexport function f(e: A | B) {\n  switch (e.event) {\n    case 'a':\n      return e.check\n    case 'b':\n      return e.check\n  }\n}\n";
    check(switched, "s.ts#A.check", "s.ts:12");
    check(switched, "s.ts#B.check", "s.ts:14");
    let several = "//- s.ts\ninterface A { kind: 'a'; size: number }\ninterface B { kind: 'b'; size: number }\ninterface C { kind: 'c'; size: number }\nexport function f(x: A | B | C) {\n  switch (x.kind) {\n    case 'a':\n    case 'b':\n      return x.size\n    default:\n      return x.size\n  }\n}\n";
    check(several, "s.ts#B.size", "s.ts:8");
    check(several, "s.ts#C.size", "s.ts:10");
}

#[test]
fn types_by_index_prototypes_and_guards_are_followed() {
    let indexed = "//- s.ts\nexport interface P {\n  back: string\n}\nexport type B = P['back']\nexport const f = (x: P) => x['back']\n";
    check(indexed, "s.ts#P.back", "s.ts:4 s.ts:5");
    let prototype =
        "//- s.ts\nexport class C {\n  m() {}\n}\nexport type M = typeof C.prototype.m\n";
    check(prototype, "s.ts#C.m", "s.ts:4");
    let guard = "//- s.ts\nclass E {\n  meta = 1\n}\nfunction isE(x: unknown): x is E { return x instanceof E }\nexport function f(c: unknown) {\n  if (isE(c)) c.meta\n  if (c instanceof E) c.meta = 2\n}\nexport function g(c: unknown) {\n  if (!(c instanceof E)) return\n  c.meta\n}\n";
    check(guard, "s.ts#E.meta", "s.ts:6 s.ts:7 s.ts:11");
}

#[test]
fn members_of_intersections_and_annotated_literals_are_targets() {
    let intersection = "//- s.ts\ntype Base = { a: string }\nexport type Info = Base & {\n  target: string\n}\nexport const f = (i: Info) => i.target\n";
    check(intersection, "s.ts#Info.target", "s.ts:5");
    let annotated = "//- s.ts\nexport const names: Record<string, string> = {\n  esc: 'escape',\n}\nexport const x = names.esc\n";
    users_in(annotated, "s.ts#names.esc");
}

#[test]
fn python_uses_are_found_without_an_import_of_their_class() {
    let module = "//- pkg/__init__.py\n\n//- pkg/cli.py\ndef run():\n    pass\ncli = 1\n//- pkg/app.py\nfrom . import cli\ncli.run()\n";
    check(module, "pkg/cli.py#run", "pkg/app.py:2");
    let chain = "//- pkg/__init__.py\nfrom .app import App as App\n//- pkg/session.py\nclass Session:\n    def get(self): pass\n//- pkg/app.py\nfrom .session import Session\nclass App:\n    session: Session\n//- use.py\nimport pkg\ndef f(app: pkg.App):\n    app.session.get()\n";
    check(chain, "pkg/session.py#Session.get", "use.py:3");
    let subclass = "//- base.py\nclass Base:\n    def go(self): pass\n//- sub.py\nfrom base import Base\nclass Sub(Base): pass\n//- use.py\nfrom sub import Sub\nSub().go()\n";
    check(subclass, "base.py#Base.go", "use.py:2");
    let framework = "//- fw/__init__.py\nfrom .app import App as App\n//- fw/scaffold.py\nclass Scaffold:\n    def get(self): pass\n//- fw/app.py\nfrom .scaffold import Scaffold\nclass App(Scaffold): pass\n//- use.py\nfrom fw import App\napp = App()\napp.get()\n";
    check(framework, "fw/scaffold.py#Scaffold.get", "use.py:3");
}

#[test]
fn python_managers_and_quoted_types_are_followed() {
    let manager = "//- a.py\nfrom contextlib import contextmanager\nfrom typing import Generator\nclass M:\n    @classmethod\n    @contextmanager\n    def context(cls) -> Generator['M']:\n        yield cls()\n    def delenv(self): pass\n\ndef f():\n    with M.context() as mp:\n        mp.delenv()\n";
    check(manager, "a.py#M.delenv", "a.py:12");
    let bound = "//- a.py\nfrom typing import TypeVar\nclass Node: pass\nT = TypeVar('T', bound='Node')\nx: 'Node'\ny: 'list[Node]'\n";
    check(bound, "a.py#Node", "a.py:3 a.py:4 a.py:5");
}

#[test]
fn what_comes_from_outside_is_no_use() {
    let python = "//- a.py\nfrom outside import redirect as _redirect\n\ndef redirect():\n    return _redirect()\n";
    check(python, "a.py#redirect", "");
    let rust = "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub fn stdout() {}\npub fn f() { std::io::stdout(); }\n";
    check(rust, "src/lib.rs#stdout", "");
}

/// A crate with this text.
fn crate_of(text: &str) -> String {
    format!(
        "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\n{text}"
    )
}

#[test]
fn rust_values_are_followed_through_what_holds_them() {
    let field = "pub struct E { up: usize }\nimpl E {\n    pub fn up(&self) -> usize { self.up }\n}\npub fn f(e: E) -> usize { e.up() }\n";
    check(&crate_of(field), "src/lib.rs:3", "src/lib.rs:5");
    let default = "#[derive(Default)]\npub struct B(Vec<u8>);\nimpl B {\n    pub fn push(&mut self) {}\n}\npub fn f() {\n    let mut b = B::default();\n    b.push();\n}\n";
    check(&crate_of(default), "src/lib.rs#B.push", "src/lib.rs:8");
    let closures = "pub struct H;\nimpl H { pub fn path(&self) {} }\npub fn f(hs: impl Iterator<Item = H>, v: Vec<H>, w: Vec<H>) {\n    for h in hs { h.path(); }\n    for h in v { h.path(); }\n    for h in w.iter() { h.path(); }\n}\npub fn g(v: Vec<H>) {\n    v.iter().map(|h| h.path()).count();\n}\n";
    check(
        &crate_of(closures),
        "src/lib.rs#H.path",
        "src/lib.rs:4 src/lib.rs:5 src/lib.rs:6 src/lib.rs:9",
    );
    let variants = "pub enum K { One, Two }\nimpl K {\n    pub fn f(&self) -> bool {\n        use self::K::*;\n        match *self { One | Two => true }\n    }\n}\n";
    check(&crate_of(variants), "src/lib.rs#K.One", "src/lib.rs:5");
    let error = "pub struct E;\nimpl E { pub fn up(&self) -> u8 { 1 } }\npub fn g() -> Result<u8, E> { Err(E) }\npub fn f() {\n    let e = g().unwrap_err();\n    e.up();\n}\n";
    check(&crate_of(error), "src/lib.rs#E.up", "src/lib.rs:6");
    let matched = "pub struct E;\nimpl E { pub fn up(&self) -> u8 { 1 } }\npub fn g() -> Result<E, u8> { Err(1) }\npub fn f() {\n    let h = match g() { Ok(h) => h, Err(_) => return };\n    h.up();\n    if let Ok(h) = g() { h.up(); }\n}\npub fn q() -> Result<u8, u8> { Ok(g()?.up()) }\n";
    check(&crate_of(matched), "src/lib.rs#E.up", "src/lib.rs:6 src/lib.rs:7 src/lib.rs:9");
}

#[test]
fn rust_go_and_java_members_are_found_through_chains() {
    let rust = "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub mod app;\npub mod scene;\npub mod usage;\n//- src/scene.rs\npub struct Scene;\nimpl Scene { pub fn all(&self) {} }\n//- src/app.rs\nuse crate::scene::Scene;\npub struct App { pub scene: Scene }\n//- src/usage.rs\nuse crate::app::App;\npub fn f(app: &App) { app.scene.all() }\n";
    check(rust, "src/scene.rs#Scene.all", "src/usage.rs:2");
    let go = "//- go.mod\nmodule a\n//- scene/s.go\npackage scene\n\ntype Scene struct{}\n\nfunc (s *Scene) All() {}\n//- app/a.go\npackage app\n\nimport \"a/scene\"\n\ntype App struct{ Scene *scene.Scene }\n//- use/u.go\npackage use\n\nimport \"a/app\"\n\nfunc F(x *app.App) { x.Scene.All() }\n";
    check(go, "scene/s.go#Scene.All", "use/u.go:5");
    let java = "//- src/main/java/a/Scene.java\npackage a;\npublic class Scene { public void all() {} }\n//- src/main/java/b/App.java\npackage b;\nimport a.Scene;\npublic class App { public Scene scene; }\n//- src/main/java/c/Use.java\npackage c;\nimport b.App;\npublic class Use { void f(App app) { app.scene.all(); } }\n";
    check(java, "src/main/java/a/Scene.java#Scene.all", "src/main/java/c/Use.java:3");
}

#[test]
fn go_methods_are_found_outside_the_file_of_their_type() {
    let slice = "//- go.mod\nmodule a\n//- a.go\npackage a\n\ntype Cmd struct{}\n\nfunc (c *Cmd) Name() string { return \"\" }\n\ntype byName []*Cmd\n\nfunc (s byName) Less(i, j int) bool { return s[i].Name() < s[j].Name() }\n\nfunc f(s []*Cmd) string { return s[0].Name() }\n";
    check(slice, "a.go#Cmd.Name", "a.go:9 a.go:11");
    let other = "//- go.mod\nmodule a\n//- cmd.go\npackage a\n\ntype Cmd struct{}\n//- gen.go\npackage a\n\nfunc (c *Cmd) Gen() {}\n//- use.go\npackage a\n\nfunc f(c *Cmd) { c.Gen() }\n";
    check(other, "gen.go#Cmd.Gen", "use.go:3");
}

/// A target that must not be said to have no use.
#[track_caller]
fn check_used(fixture: &str, target: &str, line: &str) {
    let look = users_in(fixture, target);
    let each = look.users.iter().flatten();
    let found: Vec<String> =
        each.map(|it| format!("{}:{}", it.file, it.line.unwrap_or_default())).collect();
    assert!(found.iter().any(|it| it == line), "{target}: {found:?}");
}

#[test]
fn types_in_doc_comments_and_what_is_global_are_uses() {
    let doc = "//- a.js\nexport class Box {}\n//- b.js\n/** @param {import('./a').Box} box */\nexport function f(box) {}\n";
    check_used(doc, "a.js#Box", "b.js:1");
    let ambient = "//- types.d.ts\ndeclare module 'thing' {\n  export function made(): void\n}\n//- b.ts\nimport { made } from 'thing'\nmade()\n";
    check_used(ambient, "types.d.ts#made", "b.ts:2");
}

#[test]
fn names_that_are_imported_in_two_ways_are_possible_uses_of_both() {
    let python = "//- pkg/__init__.py\n\n//- pkg/fast.py\ndef load(): pass\n//- pkg/slow.py\ndef load(): pass\n//- pkg/b.py\ntry:\n    from .fast import load\nexcept ImportError:\n    from .slow import load\nload()\n";
    check_used(python, "pkg/fast.py#load", "pkg/b.py:5");
    check_used(python, "pkg/slow.py#load", "pkg/b.py:5");
}

#[test]
fn fixtures_are_used_by_the_names_of_parameters() {
    let fixture = "//- conftest.py\nimport pytest\n@pytest.fixture\ndef client():\n    return 1\n//- test_a.py\ndef test_a(client):\n    assert client\n";
    check_used(fixture, "conftest.py#client", "test_a.py:1");
}

#[test]
fn macros_and_trait_methods_are_no_proof_of_no_use() {
    let rules =
        "pub fn helper() {}\nmacro_rules! call { () => { helper() } }\npub fn f() { call!() }\n";
    check_used(&crate_of(rules), "src/lib.rs#helper", "src/lib.rs:2");
    let traits = "pub trait T { fn go(&self); }\npub struct A;\nimpl T for A { fn go(&self) {} }\npub fn f<X: T>(x: X) { x.go() }\npub fn g(x: &dyn T) { x.go() }\n";
    check_used(&crate_of(traits), "src/lib.rs#T.go", "src/lib.rs:4");
    check_used(&crate_of(traits), "src/lib.rs#T.go", "src/lib.rs:5");
}

#[test]
fn every_word_of_the_name_is_accounted_for() {
    let fixture = "//- a.ts\nexport function put() {}\nput()\n//- b.ts\nimport { put } from './a'\nput(); // put\nexport const x = 'put'\n//- c.ts\nimport { put } from 'outside'\nput()\n//- d.ts\nexport const f = (put: number) => put\n";
    let account = users_in(fixture, "a.ts#put").account.unwrap();
    let numbers = (account.certain, account.possible, account.naming, account.others);
    assert_eq!(numbers, (2, 0, 2, 4));
    assert_eq!(account.others_at.get("c.ts"), Some(&vec![1, 2]));
}

#[test]
fn none_says_what_it_rests_on() {
    let fixture = "//- a.ts\nexport function put() {}\nexport function lone() {}\n//- c.ts\nimport { put } from 'outside'\nput()\n";
    let text = |target: &str| {
        let request = LookRequest { side: Side::Users, ..look_at(target) };
        seen_in(fixture, &request).to_text(4_000)
    };
    assert_eq!(
        text("a.ts#put"),
        "look a.ts#put no use; 2 others of this name\nusers: none: 2 words of this name in 2 files mean something else\n"
    );
    assert_eq!(
        text("a.ts#lone"),
        "look a.ts#lone no use\nusers: none: no other code of 2 files has the name\n"
    );
}

#[test]
fn what_strings_and_other_files_name_is_not_called_unused() {
    let text = |fixture: &str, target: &str| {
        let request = LookRequest { side: Side::Users, ..look_at(target) };
        seen_in(fixture, &request).to_text(4_000)
    };
    let python = "//- app/__init__.py\n//- app/a.py\ndef marker(): pass\ndef other(): pass\n";
    for (path, line) in [
        ("tests/test_a.py", "x = mock.patch(\"app.a.marker\")"),
        ("pyproject.toml", "run = \"app.a:marker\""),
        ("serverless.yml", "handler: app.a.marker"),
        ("Makefile", "run: ; python -c 'app.a.marker()'"),
        ("templates/a.html", "<a onclick=\"marker()\">"),
        ("app/b.py", "getattr(a, 'marker')"),
        ("app/c.rb", "marker()"),
    ] {
        let fixture = format!("{python}//- {path}\n{line}\n");
        for target in ["app/a.py#marker", "marker"] {
            let text = text(&fixture, target);
            let expected = format!(
                "users: no use in code; 1 line of strings or other files names it: {path}:1\n"
            );
            assert!(text.contains(&expected) && text.contains("no use in code"), "{path}: {text}");
        }
    }
    // Comments and documents tell of code, and other names are other names.
    for (path, line) in
        [("README.md", "`marker`"), ("app/b.py", "# marker"), ("a.yml", "x: marker_of_a")]
    {
        let text = text(&format!("{python}//- {path}\n{line}\n"), "app/a.py#marker");
        assert!(text.contains("users: none: no other code of 3 files"), "{path}: {text}");
    }
}

#[test]
fn go_types_satisfy_interfaces_by_their_methods() {
    let go = "//- go.mod\nmodule a\n//- a.go\npackage a\n\ntype Store interface{ Put() }\n\ntype Mem struct{}\n\nfunc (m *Mem) Put() {}\n\nfunc f(s Store) { s.Put() }\n";
    check(go, "a.go#Mem.Put", "~a.go:9(Store.Put)");
}

/// How often a word stands in a text that has no comments and no strings of it.
fn words(text: &str, word: &str) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter)).filter(|it| *it == word).count()
}

#[test]
fn certain_possible_other_and_naming_words_are_all_words() {
    const LINES: &[&str] = &[
        "import { put } from './a'",
        "import * as a from './a'; a.put()",
        "import { put as it } from './b'; it()",
        "export { put } from './a'",
        "export const x1 = (put: number) => put + 1",
        "export const x2 = { put: 1 }",
        "export function x3(v) { const { put } = v; return put(v.put) }",
        "export class X4 { put() { return this.put } }",
        "export interface X5 { put: string }",
        "export const x6 = (v: any) => v?.put?.put",
        "put: for (;;) { break put }",
        "export type X7 = X5['put']",
    ];
    let mut numbers = RandomNumbers(7);
    for _ in 0..60 {
        let mut fixture =
            "//- a.ts\nexport function put() {}\nexport class Own { put() {} }\n".to_owned();
        for file in ["b", "c", "d"] {
            let _ = writeln!(fixture, "//- {file}.ts");
            for _ in 0..numbers.below(6) {
                fixture.push_str(LINES[numbers.below(LINES.len())]);
                fixture.push('\n');
            }
        }
        for target in ["a.ts#put", "a.ts#Own.put"] {
            let account = users_in(&fixture, target).account.unwrap();
            let own = |it: &Look| it.users.iter().flatten().count();
            assert!(own(&users_in(&fixture, target)) <= account.certain + account.possible);
            let sum = account.certain + account.possible + account.others + account.naming;
            // What is imported under another name is a use by that name.
            let aliased = words(&fixture, "it") / 2;
            let all = words(&fixture, "put");
            let quoted = fixture.matches("'put'").count();
            assert!(
                (all - quoted..=all + aliased).contains(&sum),
                "{target}: {sum} of {all}\n{fixture}"
            );
        }
    }
}

#[test]
fn a_module_that_is_imported_by_a_call_and_java_in_kotlin_are_used() {
    let python = "//- pkg/__init__.py\n\n//- pkg/a.py\ndef load(): pass\n//- pkg/b.py\nimport importlib\nmodule = importlib.import_module('pkg.a')\nmodule.load()\n";
    check_used(python, "pkg/a.py#load", "pkg/b.py:3");
    let kotlin = "//- src/main/java/a/Tool.java\npackage a;\npublic class Tool { public void run() {} }\n//- src/main/kotlin/b/Use.kt\npackage b\nimport a.Tool\nfun f(tool: Tool) { tool.run() }\n";
    check_used(kotlin, "src/main/java/a/Tool.java#Tool.run", "src/main/kotlin/b/Use.kt:3");
}

#[test]
fn modules_that_a_test_runner_loads_are_used() {
    let actual = "//- a.ts\nexport function load() {}\n//- a.test.ts\nexport async function f() {\n  const actual = await vi.importActual('./a')\n  actual.load()\n}\n";
    check_used(actual, "a.ts#load", "a.test.ts:3");
    let required = "//- a.ts\nexport function load() {}\n//- b.test.ts\nconst { load } = jest.requireActual('./a')\nload()\n";
    check_used(required, "a.ts#load", "b.test.ts:2");
    let mocked = "//- a.ts\nexport function load() {}\n//- a.test.ts\nvi.mock('./a', () => ({ load: vi.fn() }))\n//- b.test.ts\njest.mock('./a', () => ({ load: jest.fn() }))\n";
    check_used(mocked, "a.ts#load", "a.test.ts:1");
    check_used(mocked, "a.ts#load", "b.test.ts:1");
}

#[test]
fn members_of_the_global_object_are_used_without_an_import() {
    let window = "//- a.ts\nexport {}\ndeclare global {\n  interface Window { myApp: number }\n}\n//- b.ts\nexport const x = window.myApp\n";
    check_used(window, "a.ts#Window.myApp", "b.ts:1");
}

#[test]
fn java_names_are_used_without_a_receiver_and_with_their_package() {
    let starred = "//- src/main/java/a/Tool.java\npackage a;\npublic class Tool { public static void run() {} }\n//- src/main/java/b/Use.java\npackage b;\nimport static a.Tool.*;\npublic class Use { void f() { run(); } }\n";
    check_used(starred, "src/main/java/a/Tool.java#Tool.run", "src/main/java/b/Use.java:3");
    let qualified = "//- src/main/java/a/Tool.java\npackage a;\npublic class Tool { public static void run() {} }\n//- src/main/java/b/Use.java\npackage b;\npublic class Use { void f() { a.Tool.run(); } }\n";
    check_used(qualified, "src/main/java/a/Tool.java#Tool.run", "src/main/java/b/Use.java:2");
}

#[test]
fn a_line_that_is_a_whole_impl_means_its_method() {
    let traits = "pub trait T { fn go(&self); }\npub struct A;\nimpl T for A { fn go(&self) {} }\npub fn g(x: &dyn T) { x.go() }\n";
    check_used(&crate_of(traits), "src/lib.rs:3", "src/lib.rs:4");
}

#[test]
fn types_of_doc_imports_and_modules_by_their_names_are_used() {
    let doc = "//- a.js\nexport class Box {}\n//- b.js\n/** @import { Box } from './a' */\n/** @param {Box} box */\nexport function f(box) {}\n";
    check_used(doc, "a.js#Box", "b.js:2");
    let named = "//- pkg/__init__.py\n\n//- pkg/a.py\ndef load(): pass\n//- pkg/b.py\nmodule = __import__('pkg.a')\nmodule.load()\n";
    check_used(named, "pkg/a.py#load", "pkg/b.py:2");
}

#[test]
fn rust_type_parameters_have_the_methods_of_their_bounds() {
    let bounds = "pub trait T { fn go(&self); }\npub struct Run<X> { x: X }\nimpl<X: T> Run<X> {\n    pub fn all(&self) { self.x.go() }\n}\npub fn f<Y>(y: Y) where Y: T { y.go() }\n";
    check(&crate_of(bounds), "src/lib.rs#T.go", "src/lib.rs:4 src/lib.rs:6");
}

#[test]
fn rust_options_are_seen_through() {
    let inside = "pub struct H;\nimpl H { pub fn path(&self) {} }\npub fn one() -> Option<H> { None }\npub fn f(o: Option<&H>) {\n    one().as_ref().map(|h| h.path());\n    if let Some(h) = o.clone() { h.path(); }\n    assert_eq!((), one().unwrap().path());\n}\n";
    check(&crate_of(inside), "src/lib.rs#H.path", "src/lib.rs:5 src/lib.rs:6 src/lib.rs:7");
}

#[test]
fn values_of_python_that_come_from_outside_are_others() {
    let foreign = "//- a.py\nfrom outside import Base\nclass Up(Base):\n    def read(self): return super().read()\n//- b.py\nfrom a import Up\nfrom outside import maker\nmake = maker()\ndef f():\n    with open('x') as file:\n        file.read()\n    make().read()\n    Up().read()\n//- c.py\nfrom b import make\nfrom a import Up\nmake().read()\n";
    check(foreign, "a.py#Up.read", "b.py:8");
}

#[test]
fn what_a_fixture_gives_tells_other_values_apart() {
    let fixture = "//- a.py\nclass Own:\n    def post(self): pass\n//- conftest.py\nimport pytest\nfrom a import Own\nfrom outside import Client\n@pytest.fixture\ndef own():\n    yield Own()\n@pytest.fixture\ndef client():\n    return Client()\n//- test_a.py\ndef test_a(own, client, other):\n    own.post()\n    client.post()\n    other.post()\n";
    check(fixture, "a.py#Own.post", "~test_a.py:2 ~test_a.py:4");
}

#[test]
fn what_is_nothing_at_first_may_become_something() {
    let python = "//- a.py\nclass Job:\n    def run(self): pass\nclass Host:\n    def __init__(self):\n        self.job = None\n    def go(self, other=None):\n        self.job.run()\n        other.run()\n";
    check(python, "a.py#Job.run", "~a.py:7 ~a.py:8");
}

#[test]
fn certain_uses_are_shown_whole_beside_many_possible_ones() {
    let many = "  v.put()\n".repeat(41);
    let fixture = format!(
        "//- a.ts\nexport class Own {{\n  put() {{}}\n}}\nexport const x = new Own().put()\nexport function f(v: any) {{\n{many}}}\n"
    );
    let request = LookRequest { side: Side::Users, ..look_at("a.ts#Own.put") };
    let text = seen_in(&fixture, &request).to_text(4_000);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "look a.ts#Own.put 42 uses: 1 certain, 41 possible");
    assert_eq!(lines[3], " a.ts 4 export const x = new Own().put()");
    assert_eq!(lines[4], "possible, by folder:");
    assert!(lines[5].starts_with("./ 41: a.ts ~6 ~7 "), "{text}");
    assert_eq!(lines[6], "~ type unknown");
    assert!(lines[7].starts_with("next: portolan look a.ts#Own.put"), "{text}");
}

#[test]
fn an_answer_says_why_what_else_and_what_next() {
    let fixture = "//- m.py\nclass Model:\n    def save(self): pass\nclass Draft:\n    def save(self): pass\ndef f(model: Model, draft: Draft, x, y):\n    model.save()\n    x.save()\n    y.save()\n    draft.save()\n    draft.save()\n    draft.save()\n    open().save()\n//- tests/test_m.py\nfrom m import Model\nclass TestIt:\n    def test_save(self):\n        Model().save()\n";
    let request = LookRequest { side: Side::Users, ..look_at("m.py#Model.save") };
    let text = seen_in(fixture, &request).to_text(4_000);
    assert_eq!(
        text,
        "look m.py#Model.save 4 uses: 2 certain, 2 possible; 5 others: 4 Draft.save, 1 elsewhere\nusers:\n./\n m.py f: 6 model.save()\n  ~7 x.save()\n  ~8 y.save()\ntests: 1 in tests/\n test_m.py test_save: 4 Model().save()\n~ type unknown\nnext: portolan read m.py#f --match save\n"
    );
    let titles = "//- a.ts\nexport class Mem {\n  put() {}\n}\n//- a.test.ts\nimport { Mem } from './a'\ndescribe('mem', () => {\n  it('puts things', () => {\n    new Mem().put()\n    new Mem().put()\n  })\n})\n";
    let request = LookRequest { side: Side::Users, ..look_at("a.ts#Mem.put") };
    let text = seen_in(titles, &request).to_text(4_000);
    assert!(
        text.ends_with("tests: 2\n a.test.ts \"puts things\": 4 5 new Mem().put()\n"),
        "{text}"
    );
    let beside = "//- src/lib.rs\npub fn put() {}\npub fn g() {\n    put();\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn puts() {\n        super::put();\n    }\n}\n";
    let request = LookRequest { side: Side::Users, ..look_at("src/lib.rs#put") };
    let text = seen_in(beside, &request).to_text(4_000);
    assert!(text.contains("\ntests: 1 in src/\n lib.rs puts: 10 super::put();\n"), "{text}");
    assert!(text.contains("\n lib.rs g: 3 put();\n"), "{text}");
}

#[test]
fn the_types_that_implement_an_interface_are_told_for_the_interface_too() {
    let check = |fixture: &str, target: &str, expected: &str| {
        let request = LookRequest { side: Side::Overrides, ..look_at(target) };
        let text = seen_in(fixture, &request).to_text(4_000);
        assert!(text.contains(expected), "{text}");
    };
    let go = "//- go.mod\nmodule m\n//- a.go\npackage m\n\ntype Store interface {\n\tPut(int)\n\tGet() int\n}\n\ntype Disk struct{}\n\nfunc (d *Disk) Put(int) {}\nfunc (d *Disk) Get() int { return 1 }\n\ntype Half struct{}\n\nfunc (h Half) Put(int) {}\n";
    check(
        go,
        "a.go#Store",
        "1 type has members of it\ntypes with members of it:\n./\n a.go 8 struct Disk\n",
    );
    let ts = "//- a.ts\nexport interface Store { put(): void }\nexport class Disk implements Store { put() {} }\n";
    check(ts, "a.ts#Store", " a.ts 2 class Disk\n");
    let none = "//- a.ts\nexport interface Store { put(): void }\n";
    check(none, "a.ts#Store", "no type found that has members of it; ask for a member");
}

#[test]
fn where_many_words_mean_something_else_the_answer_says_that_all_are_counted() {
    let other =
        "export class B { put() {} }\nconst b = new B();\n".to_owned() + &"b.put();\n".repeat(9);
    let fixture = format!(
        "//- a.ts\nexport class A {{ put() {{}} }}\nnew A().put();\n// put\n//- b.ts\n{other}"
    );
    let request = LookRequest { side: Side::Users, ..look_at("a.ts#A.put") };
    let text = seen_in(&fixture, &request).to_text(4_000);
    let counted = "counted: all 12 words of this name in code, in 2 files; grep -w adds comments, strings and other languages only\n";
    assert!(text.contains(counted), "{text}");
}

#[test]
fn members_of_one_holder_are_named_with_it_once() {
    let fixture = "//- a.ts\nexport class A { get(): void {} put(): void {} size = 1; }\n//- b.ts\nimport { A } from './a';\nexport const f = (a: A): void => { a.get(); a.put(); a.size; };\n";
    let request = LookRequest { side: Side::Needs, ..look_at("b.ts#f") };
    let text = seen_in(fixture, &request).to_text(4_000);
    assert!(
        text.contains(" a.ts 1 class A, 1 method A.get, 1 .put, 1 property A.size\n"),
        "{text}"
    );
}

#[test]
fn more_uses_in_tests_are_their_numbers_alone() {
    let calls = "    new Mem().put()\n    new Mem().put( )\n".repeat(5);
    let many = format!(
        "//- a.ts\nexport class Mem {{\n  put() {{}}\n}}\n//- a.test.ts\nimport {{ Mem }} from './a'\ndescribe('mem', () => {{\n  it('puts', () => {{\n{calls}  }})\n}})\n"
    );
    let request = LookRequest { side: Side::Users, ..look_at("a.ts#Mem.put") };
    let text = seen_in(&many, &request).to_text(4_000);
    assert!(text.contains("tests: 10: a.test.ts \"puts\" 4 5 6 7 8 9 10 11 12 13\n"), "{text}");
}

#[test]
fn an_inherited_member_is_looked_at_where_it_is_declared() {
    let fixture = "\
//- a.py
class Base:
    def save(self):
        return 1

class Shop(Base):
    pass

def run(shop: Shop):
    shop.save()
";
    assert_eq!(users_in(fixture, "a.py#Shop.save").target, "a.py#Base.save");
    check(fixture, "a.py#Shop.save", "a.py:9");
}

#[test]
fn words_of_a_file_that_may_hold_secrets_are_not_counted_and_that_is_told() {
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let fixture = format!(
        "//- a.py\ndef fetch():\n    return 1\n//- b.py\nfrom a import fetch\nKEY = \"{token}\"\nfetch()\n//- other.go\npackage other\n\nvar key = \"{token}\"\n"
    );
    let request = LookRequest { side: Side::Users, ..look_at("a.py#fetch") };
    let report = seen_in(&fixture, &request);
    let account = report.looks[0].account.clone().unwrap();
    assert_eq!((account.others, account.others_at.len(), account.files), (0, 0, 1));
    let text = report.to_text(4_000);
    assert!(text.contains("; not sure: 2 could not be read whole\n"), "{text}");
    assert!(text.ends_with("(1 file that may hold secrets was not searched: b.py)\n"), "{text}");
}
