//! What is read from each form, on whole files.

use portolan_types::EdgeKind;

use crate::{ExtractSettings, Extractor, Facts, Forwarded, ImportForm};

/// The facts of a file, one a line, for tests.
pub(crate) fn render(facts: &Facts) -> String {
    let specifier = |import: u32| &facts.imports[import as usize].specifier;
    let mut lines: Vec<String> = Vec::new();
    for import in &facts.imports {
        let form = match import.form {
            ImportForm::Import => "import",
            ImportForm::Require => "require",
            ImportForm::ReferencePath => "path",
            ImportForm::ReferenceTypes => "types",
            ImportForm::Url => "url",
        };
        lines.push(format!("{form} {} {}", import.kind.name(), import.specifier));
    }
    for request in &facts.requests {
        let kind = if request.kind == EdgeKind::Runtime { "" } else { " type" };
        lines.push(format!("ask {}#{}{kind}", specifier(request.import), request.name));
    }
    if !facts.definitions.is_empty() {
        lines.push(format!("define {}", facts.definitions.join(" ")));
    }
    for forward in &facts.forwards {
        let target = match &forward.target {
            Forwarded::Name(name) => name,
            Forwarded::Namespace => "*",
        };
        lines.push(format!("forward {} = {}#{target}", forward.name, specifier(forward.import)));
    }
    lines.extend(facts.stars.iter().map(|star| format!("star {}", specifier(*star))));
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

/// Each file has exactly these facts.
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
fn a_default_export_answers_to_no_other_name() {
    check("a.ts", "export default function f() {}", &["define default"]);
    check("a.ts", "export default interface I {}", &["define default"]);
    check(
        "a.ts",
        "import a from 'x'; export default a",
        &["import runtime x", "ask x#default", "define default"],
    );
}

#[test]
fn imported_names_are_passed_on() {
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
fn a_declaration_file_without_an_export_list_exports_all() {
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
