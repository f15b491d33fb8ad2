//! Tests each form of imports and exports on whole files.

use portolan_types::EdgeKind;

use crate::ecma::syntax::import_form::EcmaImportForm;
use crate::{Definition, ExtractSettings, Extractor, Facts, Forwarded};

pub(crate) fn names(definitions: &[Definition]) -> String {
    definitions.iter().map(|one| &*one.name).collect::<Vec<_>>().join(" ")
}

/// Prints the facts of a file, one per line.
pub(crate) fn render(facts: &Facts) -> String {
    let specifier = |import: u32| &facts.imports[import as usize].specifier;
    let mut lines: Vec<String> = Vec::new();
    for import in &facts.imports {
        let form = match EcmaImportForm::ALL[usize::from(import.form.0)] {
            EcmaImportForm::Import => "import",
            EcmaImportForm::Require => "require",
            EcmaImportForm::ReferencePath => "path",
            EcmaImportForm::ReferenceTypes => "types",
            EcmaImportForm::Url => "url",
        };
        lines.push(format!("{form} {} {}", import.kind.name(), import.specifier));
    }
    for request in &facts.requests {
        let kind = if request.kind == EdgeKind::Runtime { "" } else { " type" };
        lines.push(format!("ask {}#{}{kind}", specifier(request.import), request.name));
    }
    if !facts.definitions.is_empty() {
        lines.push(format!("define {}", names(&facts.definitions)));
    }
    for forward in &facts.forwards {
        let target = match &forward.target {
            Forwarded::Name(name) => name,
            Forwarded::Namespace => "*",
        };
        lines.push(format!("forward {} = {}#{target}", forward.name, specifier(forward.import)));
    }
    lines.extend(facts.glob_reexports.iter().map(|star| format!("star {}", specifier(*star))));
    for augmentation in &facts.augmentations {
        lines.push(format!(
            "augment {} {}",
            specifier(augmentation.import),
            augmentation.names.join(" ")
        ));
    }
    lines.extend(facts.description.iter().map(|text| format!("describe {text}")));
    for problem in &facts.problems {
        lines.push(format!("{:?} at {:?}", problem.kind, problem.position.unwrap_or_default()));
    }
    lines.join("\n")
}

pub(crate) fn extract(path: &str, source: impl AsRef<[u8]>) -> Facts {
    Extractor::new().extract(path, source.as_ref(), &ExtractSettings::default())
}

/// Checks that a file has exactly these facts.
#[track_caller]
fn check(path: &str, source: impl AsRef<[u8]>, expected: &[&str]) {
    let facts = extract(path, source.as_ref());
    assert_eq!(render(&facts), expected.join("\n"), "{}", String::from_utf8_lossy(source.as_ref()));
}

#[test]
fn import_statements() {
    check("a.ts", "import 'x'", &["import runtime x"]);
    check("a.ts", "import D from 'x'", &["import runtime x", "ask x#default"]);
    check("a.ts", "import { A, B as C } from 'x'", &["import runtime x", "ask x#A", "ask x#B"]);
    check("a.ts", "import D, { A } from 'x'", &["import runtime x", "ask x#default", "ask x#A"]);
    check("a.ts", "import * as N from 'x'", &["import runtime x"]);
    check("a.ts", "import D, * as N from 'x'", &["import runtime x"]);
    check("a.ts", "import defer * as N from 'x'", &["import runtime x"]);
    check("a.ts", "import {} from 'x'", &["import runtime x"]);
    check("a.ts", "import { 'x-y' as z } from 'x'", &["import runtime x", "ask x#x-y"]);
    check(
        "a.ts",
        "import j from 'x' with { type: 'json' }",
        &["import runtime x", "ask x#default"],
    );
    check("a.ts", "import 'x'; import 'y'; import 'x'", &["import runtime x", "import runtime y"]);
}

#[test]
fn type_imports() {
    check("a.ts", "import type D from 'x'", &["import type x", "ask x#default type"]);
    check("a.ts", "import type { T } from 'x'", &["import type x", "ask x#T type"]);
    check("a.ts", "import type * as N from 'x'", &["import type x"]);
    check("a.ts", "import { type T } from 'x'", &["import type x", "ask x#T type"]);
    check(
        "a.ts",
        "import { type T, A } from 'x'",
        &["import runtime x", "ask x#T type", "ask x#A"],
    );
    check(
        "a.ts",
        "import D, { type T } from 'x'",
        &["import runtime x", "ask x#default", "ask x#T type"],
    );
    check("a.ts", "import type L = require('x')", &["require type x"]);
    check("a.ts", "import L = require('x')", &["require runtime x"]);
}

#[test]
fn exports_from() {
    check(
        "a.ts",
        "export { A, B as C } from 'x'",
        &["import runtime x", "forward A = x#A", "forward C = x#B"],
    );
    check(
        "a.ts",
        "export { default } from 'x'",
        &["import runtime x", "forward default = x#default"],
    );
    check("a.ts", "export * from 'x'", &["import runtime x", "star x"]);
    check("a.ts", "export * as N from 'x'", &["import runtime x", "forward N = x#*"]);
    check("a.ts", "export {} from 'x'", &["import runtime x"]);
    check("a.ts", "export type { T } from 'x'", &["import type x", "forward T = x#T"]);
    check("a.ts", "export { type T } from 'x'", &["import type x", "forward T = x#T"]);
    check(
        "a.ts",
        "export { type T, A } from 'x'",
        &["import runtime x", "forward A = x#A", "forward T = x#T"],
    );
    check("a.ts", "export type * from 'x'", &["import type x", "star x"]);
}

#[test]
fn definitions() {
    check("a.ts", "export const a = 1, { b, c: [d] } = x", &["define a b d"]);
    check("a.ts", "export function f() {}; export class C {}; export enum E {}", &["define C E f"]);
    check(
        "a.ts",
        "export type T = 1; export interface I {}; export declare const d: 1",
        &["define I T d"],
    );
    check("a.ts", "export namespace N.M {}; export declare module D {}", &["define D N"]);
    check("a.ts", "export import N = A.B", &["define N"]);
    check(
        "a.ts",
        "const a = 1; export { a as b, a as default, a as 'x y' }",
        &["define b default x y"],
    );
}

#[test]
fn default_export_has_no_other_name() {
    check("a.ts", "export default function f() {}", &["define default"]);
    check("a.ts", "export default interface I {}", &["define default"]);
    check(
        "a.ts",
        "import a from 'x'; export default a",
        &["import runtime x", "ask x#default", "define default"],
    );
}

#[test]
fn imported_names_may_be_reexported() {
    let source =
        "import D, { A as B } from 'x'; import * as N from 'y'; export { D as E, B as default, N }";
    let expected = [
        "import runtime x",
        "import runtime y",
        "ask x#default",
        "ask x#A",
        "forward E = x#default",
        "forward N = y#*",
        "forward default = x#A",
    ];
    check("a.ts", source, &expected);
    check(
        "a.ts",
        "import a = require('x'); export { a }",
        &["require runtime x", "forward a = x#*"],
    );
    check("a.ts", "export import a = require('x')", &["require runtime x", "forward a = x#*"]);
    check(
        "a.ts",
        "import { A } from 'x'; const A = 1; export { A }",
        &["import runtime x", "ask x#A", "define A"],
    );
}

#[test]
fn export_assignments() {
    check("a.ts", "const a = 1; export = a", &["define default"]);
    check(
        "a.ts",
        "import a = require('x'); export = a",
        &["require runtime x", "forward default = x#default", "star x"],
    );
    check(
        "a.ts",
        "import a from 'x'; export = a",
        &["import runtime x", "ask x#default", "forward default = x#default"],
    );
    let react = "export = React; declare function React(): void; declare namespace React { function useState(): 1; \
                 interface Props {} namespace JSX {} } declare namespace Other { const x: 1 }";
    check("index.d.ts", react, &["define JSX Props default useState"]);
    check("a.ts", "export = { a, b: 1, 'c': 2 }", &["define a b c default"]);
}

#[test]
fn declaration_file_without_an_export_list_exports_all() {
    check(
        "a.d.ts",
        "export declare const a: 1; declare const b: 2; interface I {}",
        &["define I a b"],
    );
    check("a.d.ts", "export declare const a: 1; declare const b: 2; export {}", &["define a"]);
    check("a.d.ts", "declare const b: 2", &[]);
    check("a.ts", "export declare const a: 1; declare const b: 2", &["define a"]);
}

#[test]
fn ambient_modules() {
    let body = "declare module 'm' { import { A } from 'x'; export * from 'y'; interface I {} const c: 1 }";
    check("a.d.ts", body, &["import type x", "import type y", "ask x#A type"]);
    check(
        "a.ts",
        format!("export {{}}; {body}"),
        &["import type m", "import type x", "import type y", "ask x#A type", "augment m I c"],
    );
}

#[test]
fn dynamic_imports() {
    check(
        "a.ts",
        "import('x'); f(() => import(`y`)); import('z', { with: {} })",
        &["import dynamic x", "import dynamic y", "import dynamic z"],
    );
    check("a.ts", "import('./a' + b); import(`./${c}`); import(d)", &[]);
    check("a.ts", "import.meta.resolve('x'); import.meta.url", &["import dynamic x"]);
}

#[test]
fn urls_of_files() {
    check("a.ts", "new Worker(new URL('./w.ts', import.meta.url))", &["url dynamic ./w.ts"]);
    check(
        "a.ts",
        "new URL('.', import.meta.url); new URL('https://x.y/z', import.meta.url); new URL('./x')",
        &[],
    );
}

#[test]
fn requires() {
    check("a.js", "const x = require('x')", &["require runtime x"]);
    check(
        "a.js",
        "require?.('x'); require(`y`); if (a) { try { require('z') } catch {} }",
        &["require runtime x", "require runtime y", "require runtime z"],
    );
    check("a.js", "require.resolve('x')", &["require dynamic x"]);
    for other in [
        "(require)('x')",
        "module.require('x')",
        "require('x' + y)",
        "require()",
        "new require('x')",
    ] {
        check("a.js", other, &[]);
    }
}

#[test]
fn require_in_a_function_is_dynamic() {
    for inside in [
        "function f() { require('x') }",
        "(() => { require('x') })()",
        "function f(a = require('x')) {}",
        "class C { m() { require('x') } }",
        "class C { constructor() { require('x') } }",
        "class C { [require('x')]() {} }",
        "class C { @d(require('x')) m() {} }",
        "({ m() { require('x') } })",
        "({ get g() { return require('x') } })",
        "({ [require('x')]() {} })",
    ] {
        check("a.ts", inside, &["require dynamic x"]);
    }
    for outside in [
        "class C { p = require('x') }",
        "class C { static { require('x') } }",
        "class C { [require('x')] = 1 }",
        "({ a: require('x'), [require('x')]: 1 })",
        "for (;;) { require('x') }",
    ] {
        check("a.ts", outside, &["require runtime x"]);
    }
}

#[test]
fn imports_in_types() {
    check(
        "a.ts",
        "type X = import('x').A.B<import('y')>",
        &["import type x", "import type y", "ask x#A type"],
    );
    check("a.ts", "let x: typeof import('x')", &["import type x"]);
    check(
        "a.d.ts",
        "export declare const q: typeof import('x').q",
        &["import type x", "ask x#q type", "define q"],
    );
}

#[test]
fn references() {
    let source = "#!/usr/bin/env node\n/// <reference path=\"a.ts\" />\n/// <reference types='node'/>\n\
                  /// <reference lib=\"dom\" />\n'use strict';\n/// <reference path='late.ts' />";
    check("a.ts", source, &["path type a.ts", "types type node"]);
}

#[test]
fn types_imported_by_jsdoc_in_javascript() {
    let source = "/** @type {import('x').T} */ let a\n/**\n * @import { A, B as C } from 'y'\n * @import * as N from \"z\"\n */";
    let expected = [
        "import type x",
        "import type y",
        "import type z",
        "ask x#T type",
        "ask y#A type",
        "ask y#B type",
    ];
    check("a.js", source, &expected);
    check("a.ts", source, &[]);
    check(
        "a.js",
        "/** @example\n * await import('x') */\n/** @imports 'y' */ // @type {import('z')}",
        &[],
    );
}

#[test]
fn commonjs_exports() {
    check("a.js", "exports.a = 1; module.exports.b = 2; exports['c'] = 3", &["define a b c"]);
    check("a.js", "exports.a = exports.b = void 0", &["define a b"]);
    check("a.js", "module.exports = { a, b: 1, 'c': 2, ...d }", &["define a b c default"]);
    check("a.js", "module.exports = exports = f", &["define default"]);
    check("a.js", "exports.x = 1; export {}", &[]);
    check("a.js", "function f() { exports.x = 1 }", &[]);
    check("a.js", "Object.defineProperty(exports, '__esModule', { value: true })", &[]);
    check("a.js", "Object.defineProperty(exports, 'a', { value: 1 })", &["define a"]);
}

#[test]
fn commonjs_modules_reexport_others() {
    check(
        "a.js",
        "module.exports = require('x')",
        &["require runtime x", "forward default = x#default", "star x"],
    );
    check("a.js", "exports.a = require('x')", &["require runtime x", "forward a = x#*"]);
    check("a.js", "exports.a = require('x').b", &["require runtime x", "forward a = x#b"]);
    check(
        "a.js",
        "var x_1 = require('x'); exports.a = x_1.b",
        &["require runtime x", "forward a = x#b"],
    );
    check(
        "a.js",
        "const { b } = require('x'); module.exports = { a: b, ...require('y') }",
        &["require runtime x", "require runtime y", "define default", "forward a = x#b", "star y"],
    );
    check("a.js", "tslib_1.__exportStar(require('x'), exports)", &["require runtime x", "star x"]);
    check(
        "a.js",
        "if (p) { module.exports = require('x') } else { module.exports = require('y') }",
        &[
            "require runtime x",
            "require runtime y",
            "forward default = x#default",
            "forward default = y#default",
            "star x",
            "star y",
        ],
    );
    let getter = "var x_1 = require('x'); Object.defineProperty(exports, 'a', { get: function () { return x_1.b } })";
    check("a.js", getter, &["require runtime x", "forward a = x#b"]);
}

#[test]
fn unusual_encodings() {
    check("a.ts", "import './\\x61';\r\nimport \"./\\u{61}\";\r\n", &["import runtime ./a"]);
    check("a.ts", "\u{feff}import './a'", &["import runtime ./a"]);
    check("a.ts", "import './a'\rimport './u'\r", &["import runtime ./a", "import runtime ./u"]);
    check("a.ts", b"\xFF\xFEi\0m\0p\0o\0r\0t\0'\0a\0'\0", &["import runtime a"]);
    check("a.ts", "import '\\ud800a'", &["import runtime \u{FFFD}a"]);
    check("a.ts", b"import 'a' // \xFF", &["import runtime a"]);
    check("a.txt", "import 'a'", &[]);
}

#[test]
fn every_dialect_parses_without_errors() {
    check("a.js", "let a: string = <b>c</b>", &[]);
    check("a.js", "return; await = 1", &[]);
    check("a.cjs", "with (a) { b } var let = 010; delete x", &[]);
    check("a.mjs", "await import('x')", &["import dynamic x"]);
    check("a.ts", "const a = <T>b; const c = <U,>(d) => d", &[]);
    check("a.ts", "await 1; return", &[]);
    check("a.tsx", "const a = <b c={<d />}>{e}</b>", &[]);
    check("a.js", "// @flow\nimport type { A } from 'x'", &["import type x", "ask x#A type"]);
    check("a.d.ts", "declare const a: 1\nconst b: 2", &[]);
    check("a.ts", "@d export class A { @e() b!: c }", &["define A"]);
}

#[test]
fn broken_code_is_read_as_far_as_possible() {
    check(
        "a.ts",
        "import './b';\nconst x = ;;;\nimport './c';\n",
        &["import runtime ./b", "import runtime ./c", "Broken at (2, 11)"],
    );
    check("d.ts", "import {", &["Broken at (1, 9)"]);
    check("e.ts", "import './b' garbage\n", &["import runtime ./b", "Broken at (1, 13)"]);
    let conflict = "<<<<<<< HEAD\nimport './b';\n=======\nimport './c';\n>>>>>>> x\n";
    check("g.js", conflict, &["import runtime ./b", "Broken at (1, 1)"]);
    check("h.ts", "`unterminated\nimport './b';\n", &["Broken at (1, 1)"]);
    check(
        "i.ts",
        "import './b';\nfunction f() { {{ \nimport './c';\n",
        &["import runtime ./b", "Broken at (4, 1)"],
    );
}

#[test]
fn broken_code_is_read_by_tokens() {
    let source = "/** @module\n * What it is. */\nimport D, { type T, A as B } from 'x';\nimport type U from 'y';\n\
                  import r = require('r'); import { type V } from 'v'; import defer * as N from 'n';\n\
                  export { a as b } from 'z'; export * from 's'; export * as n from 'm'; export type { W } from 'w';\n\
                  export const c = require('q'); export default 1; export async function f() { import('i') } ) )";
    let expected = [
        "import runtime x",
        "import type y",
        "require runtime r",
        "import type v",
        "import runtime n",
        "import runtime z",
        "import runtime s",
        "import runtime m",
        "import type w",
        "require runtime q",
        "import dynamic i",
        "ask x#default",
        "ask x#T type",
        "ask x#A",
        "ask y#default type",
        "ask v#V type",
        "define c default f",
        "forward W = w#W",
        "forward b = z#a",
        "forward n = m#*",
        "star s",
        "describe What it is.",
        "Broken at (7, 92)",
    ];
    check("a.ts", source, &expected);
}

#[test]
fn components() {
    let vue = "<template>\n<p>don't</p></template>\n<script>export const a = 1</script>\n\
               <script setup lang=\"ts\">\nimport { A } from './lib';\nlet x = ;\n</script>\n<script src=\"./c.js\"></script>";
    check(
        "a.vue",
        vue,
        &[
            "import runtime ./lib",
            "import runtime ./c.js",
            "ask ./lib#A",
            "define a",
            "Broken at (6, 9)",
        ],
    );
    check(
        "B.svelte",
        "<script>import { A } from './lib';</script>\n",
        &["import runtime ./lib", "ask ./lib#A"],
    );
    check(
        "C.astro",
        "---\nimport { A } from './lib';\nreturn x as Y\n---\n<script>import './s'</script>",
        &["import runtime ./lib", "import runtime ./s", "ask ./lib#A"],
    );
}

#[test]
fn imports_and_definitions_have_positions() {
    let text = "// c\nimport './a';\nexport const z = 1, b = 2;\nexport { b as q };\n";
    let facts = extract("a.ts", text);
    let lines = |spans: &[crate::TextSpan]| -> Vec<u32> {
        spans
            .iter()
            .map(|span| crate::syntax::text::position(text, span.start as usize).0)
            .collect()
    };
    assert_eq!(lines(&facts.places.imports), [2]);
    assert_eq!(names(&facts.definitions), "b q z");
    assert_eq!(lines(&facts.places.definitions), [3, 4, 3]);
}

/// Checks the source texts of the imports and definitions, in the order of the facts.
#[track_caller]
fn check_spans(path: &str, text: &str, imports: &[&str], definitions: &[&str]) {
    let facts = extract(path, text);
    let texts = |spans: &[crate::TextSpan]| -> Vec<&str> {
        spans.iter().map(|span| &text[span.start as usize..span.end as usize]).collect()
    };
    assert_eq!(texts(&facts.places.imports), imports, "{text}");
    assert_eq!(texts(&facts.places.definitions), definitions, "{text}");
}

#[test]
fn spans_of_imports_and_definitions_are_exact() {
    check_spans(
        "a.ts",
        "import './a';\nexport function f() {\n  let x = { y: 'a' };\n  return import('./b');\n}\nexport * from './c';\n",
        &["import './a';", "import('./b')", "export * from './c';"],
        &["export function f() {\n  let x = { y: 'a' };\n  return import('./b');\n}"],
    );
    // A body without facts is not parsed, but it is part of the span.
    check_spans(
        "a.ts",
        "export function f() {\n  const long = [1, 2, 3];\n  return long.map((x) => { return x; });\n}\nexport class C { m() { return 1; } }\nimport './z';\n",
        &["import './z';"],
        &[
            "export class C { m() { return 1; } }",
            "export function f() {\n  const long = [1, 2, 3];\n  return long.map((x) => { return x; });\n}",
        ],
    );
    check_spans(
        "a.js",
        "exports.x = require('./y').z;\nexports.a = 1;\n",
        &["require('./y')"],
        &["1"],
    );
    check_spans(
        "B.vue",
        "<script>\nimport A from './a';\n</script>\n",
        &["import A from './a';"],
        &[],
    );
    check_spans(
        "a.ts",
        "/// <reference path='x.d.ts' />\nlet a;\n",
        &["/// <reference path='x.d.ts' />"],
        &[],
    );
    check_spans(
        "a.js",
        "/** @type {import('./t').T} */\nlet a;\n",
        &["/** @type {import('./t').T} */"],
        &[],
    );
    check_spans("B.vue", "<script src='./b.ts'></script>\n", &["./b.ts"], &[]);
    // In broken code, a span ends where reading stopped.
    check_spans(
        "a.ts",
        "import { a } from './a';\nexport { b } from './b';\nexport const c = (;\n",
        &["import { a } from './a'", "export { b } from './b'"],
        &["export const c"],
    );
}
