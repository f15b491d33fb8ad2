//! Tests what an outline removes, what it keeps, and that the facts stay the same.

use proptest::prelude::*;

use super::ScriptOutline;
use crate::ecma::syntax::dialect::{Dialect, FileKind};
use crate::{ExtractSettings, Extractor, Facts};

/// A body that is long enough for an outline to pay off.
const BODY: &str =
    "export function padding(a: number) { return [a, a + 1].map((x) => { return x * 2; }); }\n";

fn facts(extractor: Extractor, path: &str, source: &str) -> Facts {
    let mut extractor = extractor;
    extractor.extract(path, source.as_bytes(), &ExtractSettings::default())
}

fn dialect_of(path: &str) -> Dialect {
    match FileKind::of(path) {
        Some(FileKind::Script(dialect)) => dialect,
        other => panic!("{path} is {other:?}"),
    }
}

/// The outline of a text between padding, without the padding and with `…` for each gap.
fn outline(path: &str, source: &str) -> Option<String> {
    let padding = BODY.repeat(8);
    let text = format!("{padding}/**/{source}/**/{padding}");
    let mut reduced = String::new();
    let outline = ScriptOutline::read(&text, dialect_of(path))?;
    assert!(outline.write(&mut reduced), "the padding alone is worth it");
    let gaps = outline.gaps();
    let mut shown = String::new();
    for (at, char) in reduced.char_indices() {
        let original = gaps.original(at);
        assert!(text[original..].starts_with(char), "{char} at {original}");
        if at > 0 && original - gaps.original(at - 1) > 1 && reduced.is_char_boundary(at - 1) {
            shown.push('…');
        }
        shown.push(char);
    }
    let start = shown.find("/**/")? + 4;
    Some(shown[start..shown.rfind("/**/")?].to_owned())
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(outline("a.ts", source).as_deref(), Some(expected), "{source}");
    check_facts("a.ts", source);
}

/// With or without an outline, the facts are those of the whole text.
#[track_caller]
fn check_facts(path: &str, source: &str) {
    let text = format!("{}{source}\n{}", BODY.repeat(8), BODY.replace("padding", "more"));
    let whole = facts(Extractor::new().whole(), path, &text);
    let found = facts(Extractor::new(), path, &text);
    if whole.problems.is_empty() {
        assert_eq!(found, whole, "{source}");
    }
}

#[track_caller]
fn check_none(path: &str, source: &str) {
    assert_eq!(outline(path, source), None, "{source}");
    check_facts(path, source);
}

#[test]
fn bodies_without_facts_are_removed() {
    check("function f() { return some.thing }", "function f() {…}");
    check("class A<T> extends B<T> { method() {} }", "class A<T> extends B<T> {…}");
    check("interface A { name: string; more: X }", "interface A {…}");
    check("const a = { name: 1, more: [2, 3] };", "const a = {…};");
    check("type A = { name: string, b: { c: d } } | B", "type A = {…} | B");
    check("export default { name: 'x', data() {} }", "export default {…}");
    check("call(a, { name: 1, more: 2, c: 3 }, [{ name: 1, more: 2 }])", "call(a, {…}, [{…}])");
    check("enum E { First = 1, Second = 2 }", "enum E {…}");
    check("const f = async () => { await thing(); }", "const f = async () => {…}");
    check("if (a) { something() } else { another.one() }", "if (a) {…} else {…}");
}

#[test]
fn names_are_kept() {
    for source in [
        "import { first, second as third } from './x';",
        "import one, { first, second } from './x';",
        "import type { first, second } from './x';",
        "export { first, second as third };",
        "export type { first, second } from './x';",
        "export const { first, second: { third } } = 1;",
        "export const [{ first, second }, third] = 1;",
        "export const a = 1, { first, second } = 2;",
        "export let { first, ...rest } = 1;",
        "declare module './x' { const first: 1, second: 2 }",
    ] {
        check(source, source);
    }
    check(
        "const // a\n{ first, second } = { b: 1, longer: 2 };",
        "const // a\n{ first, second } = {…};",
    );
}

#[test]
fn bodies_with_possible_facts_are_kept_without_inner_bodies() {
    check(
        "function f() { const a = () => { some.thing() }; return import('./x') }",
        "function f() { const a = () => {…}; return import('./x') }",
    );
    check("const a = { b: require('./x') }", "const a = { b: require('./x') }");
    check("type A = { long: import('./x').B }", "type A = { long: import('./x').B }");
    check("const required = { isRequired: true }", "const required = {…}");
}

#[test]
fn braces_in_strings_and_comments_do_not_count() {
    check("function f() { return '}' + \"}\" }", "function f() {…}");
    check("function f() { return `}${ { a: `}` } }}` }", "function f() {…}");
    check("const a = `${ { name: 'long enough' } }`", "const a = `${ {…} }`");
    check("const a = `${ long.enough }`", "const a = `${ long.enough }`");
    check("function f() { return a / b + (c) / d }", "function f() {…}");
    check("function f() { x = /[}/]/.test(y) }", "function f() {…}");
    check("function f() // {\n { return something }", "function f() // {\n {…}");
    check("function f() { /* } */ return something }", "function f() {…}");
}

#[test]
fn long_strings_are_removed_unless_they_may_be_specifiers() {
    let long = "x".repeat(300);
    check(&format!("const a = '{long}';"), "const a = '…';");
    check(&format!("const a = `{long}`;"), "const a = `…`;");
    let import = format!("import '{long}';");
    check(&import, &import);
    let call = format!("a = import(`{long}`);");
    check(&call, &call);
}

#[test]
fn ambiguous_text_has_no_outline() {
    check_none("a.ts", "if (a) /}/.test(b)");
    check_none("a.ts", "a = b! / c; d = '}/'");
    check_none("a.ts", "a = b++ / c; d = '}/'");
    check_none("a.ts", "return /}/");
    check_none("a.ts", "}");
    check_none("a.ts", "(]");
    check_none("a.ts", "'open");
    check_none("a.ts", "r\\u0065quire('./x')");
    check_none("a.ts", "const\u{a0}{ first, second } = 1");
    check_none("a.ts", "// a\u{2028}import './x'");
    check_none("a.ts", "<<<<<<< HEAD");
    check_none("a.tsx", "const a = <p>it's {b}</p>");
    check_none("a.js", "const a = <p title=\"{\" />");
}

#[test]
fn script_exports_inside_braces_are_found() {
    let script = format!("if (a) {{ exports.b = 1 }}\n{}", BODY.replace("export ", "").repeat(9));
    let text = script.replace(": number", "");
    assert_eq!(
        facts(Extractor::new(), "a.js", &text),
        facts(Extractor::new().whole(), "a.js", &text)
    );
    let assigned =
        format!("export = {{ first, second: 3 }}\n{}", BODY.replace("export ", "").repeat(9));
    let found = facts(Extractor::new(), "a.ts", &assigned);
    assert_eq!(crate::ecma::syntax::tests::names(&found.definitions), "default first second");
}

#[test]
fn only_errors_outside_of_removed_bodies_are_reported() {
    let inside = format!("import './x';\nfunction f() {{ const = 1; }}\n{}", BODY.repeat(8));
    assert!(facts(Extractor::new(), "a.ts", &inside).problems.is_empty());
    let outside = format!("import './x';\nconst = 1;\n{}", BODY.repeat(8));
    assert_eq!(facts(Extractor::new(), "a.ts", &outside).problems.len(), 1);
}

/// Code fragments that are hard to tell apart.
const PIECES: &[&str] = &[
    "import { a, b as c } from './x';\n",
    "import d, { type E } from './y';\n",
    "import('./z');\n",
    "require('./w');\n",
    "export const { f, g: { h } } = { f: 1, g: { h: 2 } };\n",
    "export { a, c as i };\n",
    "export * from './v';\n",
    "export function j() { return import('./u').then(({ k }) => { k(); }); }\n",
    "export class L { m = { n: 1 }; o() { return `}${'{'}` } }\n",
    "const p = a / b / c;\n",
    "const q = /[{}]/g;\n",
    "const r = `{${ { s: `${1}` }.s }}`;\n",
    "const t = '{' + \"}\";\n",
    "// { import './no'\n",
    "/* } */\n",
    "type U = { v: import('./t').W; x: string };\n",
    "declare module './s' { interface Y { z: 1 } }\n",
    "if (p) { exports.aa = 1; }\n",
    "label: { break label; }\n",
    "let bb = 1, { cc } = { cc: 2 };\n",
    "function dd({ ee }: { ee: string }): { ff: 1 } { return { ff: 1 }; }\n",
    "const gg = (1 + 2) / 3;\n",
    "export default { hh: () => { return 1; } };\n",
    "for (const { ii } of [{ ii: 1 }]) { void ii; }\n",
    "{ ",
    " }",
    "( ",
    ")",
    "`",
    "'",
    "/",
    "${",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn outline_gives_the_facts_of_the_whole_text(
        picks in prop::collection::vec(0..PIECES.len(), 1..14),
        path in prop::sample::select(vec!["a.ts", "a.js", "a.tsx", "a.d.ts", "a.mjs"]),
    ) {
        let source: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        let padding = BODY.replace(": number", "").repeat(8);
        let text = format!("{source}\n{padding}");
        let whole = facts(Extractor::new().whole(), path, &text);
        let found = facts(Extractor::new(), path, &text);
        if whole.problems.is_empty() {
            prop_assert_eq!(found, whole, "{}", source);
        }
    }
}
