//! What names mean across files, in the ways that modules pass them on.

use super::tests::{asked, look_at, look_in, read_in};
use crate::declarations::LookRequest;
use crate::look::Side;

/// The lines after the title of what is seen of one side of a target.
#[track_caller]
fn check_side(side: Side, fixture: &str, target: &str, expected: &str) {
    let request = LookRequest { side, verbose: true, ..look_at(target) };
    let text = look_in(fixture, &request, 4_000);
    let (_, rest) = text.split_once('\n').unwrap();
    assert_eq!(rest, expected, "{target}");
}

#[track_caller]
fn check_users(fixture: &str, target: &str, expected: &str) {
    check_side(Side::Users, fixture, target, expected);
}

#[track_caller]
fn check_needs(fixture: &str, target: &str, expected: &str) {
    check_side(Side::Needs, fixture, target, expected);
}

const BARRELS: &str = "\
//- lib/over.ts
export function plain(x: string) { return x; }
export default class Whole {}
//- lib/index.ts
export { plain as plainIt, default as Thing } from './over';
//- kit.ts
import { plainIt as inner } from './lib';
export { inner as outer };
export { Thing as Part } from './lib';
//- use.ts
import { outer, Part } from './kit';
export const one = () => outer('a');
export const two = () => new Part();
";

#[test]
fn what_barrels_rename_has_its_users() {
    check_users(
        BARRELS,
        "lib/over.ts#plain",
        "users:\n./\n use.ts 2 export const one = () => outer('a');\n",
    );
    check_users(
        BARRELS,
        "lib/over.ts#Whole",
        "users:\n./\n use.ts 3 export const two = () => new Part();\n",
    );
}

const PYTHON: &str = "\
//- pyproject.toml
[project]
name = \"pkg\"
//- pkg/__init__.py
from .base import Base as PublicBase
//- pkg/base.py
class Base:
    def hello(self): return 1
//- pkg/use.py
from pkg import PublicBase
def a(): return PublicBase().hello()
";

const RUST: &str = "\
//- Cargo.toml
[package]
name = \"r\"
version = \"0.1.0\"
//- src/lib.rs
pub mod base;
pub mod usei;
pub use base::Item as PubItem;
//- src/base.rs
pub struct Item { pub name: String }
impl Item { pub fn new() -> Self { todo!() } }
//- src/usei.rs
use crate::PubItem;
pub fn a() { PubItem::new(); }
pub fn d() { crate::PubItem::new(); }
";

#[test]
fn python_and_rust_names_are_followed_through_what_renames_them() {
    check_needs(
        PYTHON,
        "pkg/use.py#a",
        "needs:\npkg/\n base.py 1 class Base, 2 method Base.hello\n",
    );
    check_users(
        PYTHON,
        "pkg/base.py#Base",
        "users:\npkg/\n use.py 2 def a(): return PublicBase().hello()\n",
    );
    for target in ["src/usei.rs#a", "src/usei.rs#d"] {
        check_needs(RUST, target, "needs:\nsrc/\n base.rs 1 struct Item, 2 method Item.new\n");
    }
    // Two names for each other lead nowhere, and end.
    let circle =
        PYTHON.replace("class Base:\n", "from pkg import PublicBase as Base\nclass Other:\n");
    assert!(read_in(&circle, &asked("pkg/use.py#a")).to_text().starts_with("pkg/use.py\n"));
}

const COMMONJS: &str = "\
//- table.cjs
function deep(a) { return a }
class K { go() { return deep(1) } }
module.exports = { deep, K, inline(x) { return x }, aliased: deep };
//- only.js
class Only { go(x) { return x } }
module.exports = Only;
//- use.js
const api = require('./table.cjs');
const { aliased: other, K } = require('./table.cjs');
const Mine = require('./only.js');
function u() { api.deep(1); new api.K().go(); return api.inline(2) }
function v() { return other(new K()) }
function w() { return new Mine().go(1) }
exports.named = function (a) { return a };
module.exports.second = exports.third = v;
function x() { exports.named(1); return module.exports.third }
//- spread.js
module.exports = { ...require('./table.cjs') };
//- far.js
const { deep } = require('./spread.js');
function y() { return deep(1) }
//- left.js
const right = require('./right.js');
module.exports = right;
//- right.js
const left = require('./left.js');
module.exports = left;
function z() { return left() }
";

#[test]
fn what_commonjs_modules_export_whole_is_followed() {
    let needs = |target: &str, expected: &str| {
        check_needs(COMMONJS, target, &format!("needs:\n./\n {expected}\n"));
    };
    needs(
        "use.js#u",
        "table.cjs 1 function deep, 2 class K, 2 method K.go, 3 method export=.inline\n use.js 1 variable api",
    );
    needs("use.js#v", "table.cjs 1 function deep, 2 class K");
    needs("use.js#w", "only.js 1 class Only, 1 method Only.go");
    needs("use.js#x", "use.js 5 function v, 7 variable named");
    needs("far.js#y", "table.cjs 1 function deep");
    check_users(
        COMMONJS,
        "only.js#Only",
        "users:\n./\n only.js 2 module.exports = Only;\n use.js 6 function w() { return new Mine().go(1) }\n",
    );
    // A circle ends.
    assert!(read_in(COMMONJS, &asked("right.js#z")).to_text().starts_with("right.js\n"));
}

#[test]
fn a_member_that_is_named_in_brackets_is_used() {
    let fixture = "//- a.ts\nexport enum Color { Red, Blue }\n\
        //- b.ts\nimport { Color } from './a';\nexport const b = () => Color['Blue'];\n";
    let expected = "users:\n./\n b.ts 2 export const b = () => Color['Blue'];\n";
    check_users(fixture, "a.ts#Color.Blue", expected);
}

const OPEN: &str = "\
//- base.ts
export class Store { get(k: string): string { return k } list: string[] = [] }
//- use.ts
import { Store, nope } from './base';
import { zed } from 'not-installed';
import { gone } from './nowhere';
import { readFile } from 'node:fs';
export function a(x: any) { x.list.foo; x.get('k').bar(); return zed.of(gone(nope(unheard))) }
export function b(x: any) { return x.other }
export function c(s: Store) { console.log(s.list.length, Math.max(1)); return readFile(s.get('k').trim()) }
";

#[test]
fn names_that_lead_nowhere_are_told_with_what_they_may_be() {
    let line = "unresolved: gone, nope, unheard, x.get (Store.get?), x.list (Store.list?), zed\n";
    check_needs(OPEN, "use.ts#a", &format!("needs: none that can be told\n{line}"));
    check_needs(OPEN, "use.ts#b", "needs: none that can be told\nunresolved: x.other\n");
    let report = read_in(OPEN, &asked("use.ts#a"));
    assert!(report.to_text().ends_with(line), "{}", report.to_text());
    let wire = report.to_wire();
    assert_eq!(wire.unresolved, ["gone", "nope", "unheard", "x.get", "x.list", "zed"]);
    assert_eq!(wire.like["x.get"], ["base.ts#Store.get"]);
    // What the language and the platform bring is no news.
    check_needs(
        OPEN,
        "use.ts#c",
        "needs:\n./\n base.ts 1 class Store, 1 method Store.get, 1 property Store.list\n",
    );
}

#[test]
fn an_empty_list_says_what_may_hide_users() {
    let fixture = "\
//- src/locales/de.ts
export const texts = {};
//- src/other.ts
export const other = 1;
//- src/main.ts
export const load = (l: string) => import(`./locales/${l}`);
//- s.svelte
<script>
const go = () => 1;
</script>
<button on:click={go}>x</button>
";
    let unsure = "; not sure: 1 import by a computed name\n";
    check_users(fixture, "src/locales/de.ts", &format!("users: none of 4 files{unsure}"));
    check_users(
        fixture,
        "src/locales/de.ts#texts",
        &format!("users: none: no other code of 4 files has the name{unsure}"),
    );
    check_users(fixture, "src/other.ts", "users: none of 4 files\n");
    check_users(
        fixture,
        "s.svelte#go",
        "users:\n./\n s.svelte 4 <button on:click={go}>x</button>\n",
    );
}

#[test]
fn a_nested_java_type_that_is_imported_by_its_name_is_used() {
    let fixture = "\
//- pom.xml
<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>
//- src/main/java/a/Item.java
package a;
public class Item {
  public enum Kind { A, B }
}
//- src/main/java/b/Use.java
package b;
import a.Item.Kind;
class Use {
  void go() { Kind x = Kind.A; }
  void take(Kind k) { }
}
";
    check_users(
        fixture,
        "src/main/java/a/Item.java#Item.Kind",
        "users:\nsrc/main/java/b/\n Use.java 4 void go() { Kind x = Kind.A; }\n  5 void take(Kind k) { }\n",
    );
    check_needs(
        fixture,
        "src/main/java/b/Use.java#Use.take",
        "needs:\nsrc/main/java/a/\n Item.java 3 enum Item.Kind\n",
    );
}

#[test]
fn modules_that_a_file_of_the_repository_describes_are_followed() {
    let fixture = "\
//- types.d.ts
declare module 'ambient' {
  export interface Options { deep: boolean }
  export function make(options: Options): void;
}
declare module '*.svg' {
  const picture: string;
  export default picture;
}
//- use.ts
import { make, other } from 'ambient';
import logo from './gone.svg';
export const use = () => make(other);
export const show = () => logo;
";
    check_needs(
        fixture,
        "use.ts#use",
        "needs:\n./\n types.d.ts 3 function ambient.make?\nunresolved: other\n",
    );
    check_needs(fixture, "use.ts#show", "needs:\n./\n types.d.ts 6 variable *.svg.picture?\n");
}

const ADDED: &str = "\
//- src/x.ts
export interface Y { a: number }
export class K { own(): void {} }
//- src/index.ts
export * from './x';
//- src/plugin.ts
import { Helper } from './helper';
declare module './x' {
  interface Y { z(h: Helper): void }
}
declare module './index' {
  interface K { extra: Helper }
}
declare global {
  interface Window { mine: Helper }
}
declare module 'pkg' {
  interface Options { ours?: Helper }
}
//- src/helper.ts
export interface Helper { help(): string }
//- src/use.ts
import { Y, K } from './x';
import type { Options } from 'pkg';
import './plugin';
export const module = (y: Y) => y.z(null as any);
export const barrel = (k: K) => k.extra;
export const global = () => window.mine;
export const installed = (o: Options) => o.ours;
export const inherited = (s: Sub) => s.z(null as any);
interface Sub extends Y {}
export const nothing = (y: Y) => y.none;
//- .gitignore
node_modules
//- node_modules/pkg/package.json
{\"name\":\"pkg\",\"version\":\"1.0.0\",\"types\":\"index.d.ts\"}
//- node_modules/pkg/index.d.ts
export * from './options';
//- node_modules/pkg/options.d.ts
export interface Options { theirs?: string }
";

#[test]
fn members_that_other_files_add_are_found() {
    let plugin = |name: &str| format!("src/plugin.ts#{name}");
    for (use_of, user, name) in [
        (
            "module",
            " use.ts 4 export const module = (y: Y) => y.z(null as any);\n  8 export const inherited = (s: Sub) => s.z(null as any);\n",
            "Y.z",
        ),
        ("barrel", " use.ts 5 export const barrel = (k: K) => k.extra;\n", "K.extra"),
        ("global", " use.ts 6 export const global = () => window.mine;\n", "Window.mine"),
        (
            "installed",
            " use.ts 7 export const installed = (o: Options) => o.ours;\n",
            "Options.ours",
        ),
    ] {
        check_users(ADDED, &plugin(name), &format!("users:\nsrc/\n{user}"));
        let read = read_in(ADDED, &asked(&format!("src/use.ts#{use_of}"))).to_text();
        let member = name.rsplit('.').next().unwrap();
        let shown = read.lines().filter(|line| line.contains("interface") && line.contains(member));
        assert_eq!(shown.count(), 1, "{read}");
        assert!(!read.contains("unresolved"), "{read}");
    }
    let read = read_in(ADDED, &asked("src/use.ts#nothing")).to_text();
    assert!(read.contains("unresolved: y.none"), "{read}");
}

#[test]
fn what_is_added_to_a_declaration_comes_with_it() {
    let read = read_in(ADDED, &asked("src/x.ts#Y")).to_text();
    assert!(read.contains("interface Y { z(h: Helper): void }"), "{read}");
    let read = read_in(ADDED, &asked("src/plugin.ts#K.extra")).to_text();
    assert!(read.contains("interface K { extra: Helper }"), "{read}");
}

#[test]
fn a_file_that_is_no_code_is_what_others_say_of_its_sort() {
    let fixture = "\
//- types.d.ts
declare module '*.css' {
  const classes: { [name: string]: string };
  export default classes;
}
//- a.css
.wide {}
//- use.ts
import styles from './a.css';
export const use = () => styles.wide;
";
    check_needs(
        fixture,
        "use.ts#use",
        "needs:\n./\n types.d.ts 2 variable *.css.classes?\nunresolved: styles.wide\n",
    );
}

#[test]
fn members_that_a_file_adds_itself_are_likely_what_nothing_else_explains() {
    let fixture = "\
//- map.ts
export interface Sizes {}
export type Shape<K> = { [N in keyof Sizes as N extends K ? N : never]: Sizes[N] } extends infer T ? T : never;
//- use.ts
import { Shape } from './map';
declare module './map' {
  interface Sizes {
    mine: {
      width: number
    }
  }
}
export const use = (shape: Shape<'mine'>) => shape.width;
";
    let read = read_in(fixture, &asked("use.ts#use")).to_text();
    assert!(read.contains("width: number"), "{read}");
}
