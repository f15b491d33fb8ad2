//! Tests declarations, the end of their signatures, and references.

use portolan_types::declarations::{Flags, NONE};

use crate::syntax::declaring::shown::{outline, read, references};

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    assert_eq!(outline(path, text), expected, "{text}");
}

#[track_caller]
fn check_references(text: &str, expected: &str) {
    assert_eq!(references("a.tsx", text), expected, "{text}");
}

#[test]
fn declarations_have_kinds_signatures_and_members() {
    check(
        "a.ts",
        "export function f(a: string): void { g() }
         export class C<T> extends B<T> implements I {
           static s = 1; constructor(readonly r: R, p: P) {} get x() { return 1 } m(): void {}
         }
         interface I { a: string; b(): void; (x: 1): 2; [k: string]: unknown }
         type T = { a: 1 }; type U = string;
         export const k = 1, { d, e: { n } } = o;
         const arrow = (x: X) => { return x }
         enum E { A, B = 'b' }
         export default { api: 1 }
         f();",
        "\
+function f …
+class C …
 property s
 constructor constructor …
 property r
 getter x …
 method m …
interface I …
 property a
 method b
 signature ()
 signature []
type T …
 property a
type U
+variable k
+variable 
+variable d
+variable n
variable arrow …
enum E …
 member A
 member B
+default default …
 property api
statement",
    );
}

#[test]
fn namespaces_ambient_modules_and_globals_hold_declarations() {
    check(
        "a.d.ts",
        "declare namespace N { const a: 1; interface B {} }
         declare module 'x' { export function f(): void }
         declare global { interface Window { h: 1 } }",
        "\
namespace N …
 variable a
 interface B …
namespace x …
 +function f
namespace global …
 interface Window …
  property h",
    );
}

#[test]
fn commonjs_and_components_have_declarations() {
    check(
        "a.js",
        "module.exports = { a: 1 }; exports.b = function () {};",
        "+variable export= …\n property a\n+variable b …",
    );
    check(
        "a.vue",
        "<template>x</template><script setup lang='ts'>const a: A = 1</script>",
        "variable a\nnamespace template …",
    );
}

#[test]
fn merging_many_overloads_is_linear() {
    let text = "export function f(a: 1): void;\n".repeat(20_000);
    let facts = read("a.ts", &text);
    assert_eq!(facts.merged(0).count(), 20_000);
}

#[test]
fn overloads_and_equal_names_are_merged() {
    let facts = read("a.ts", "function f(): 1; function f(a: 2): 2; function f() {}\ntype f = 1;");
    assert_eq!(facts.merged(0).count(), 4);
    let facts = read("a.ts", "const F = () => 1;\nF.displayName = 'x';");
    assert_eq!(facts.merged(0).count(), 2);
}

#[test]
fn broken_code_is_read_as_far_as_possible() {
    check("a.ts", "export function f() { ", "+function f …");
    assert!(read("a.ts", &"(".repeat(200_000)).items.is_empty());
    assert!(read("a.json", "{}").items.is_empty());
}

#[test]
fn code_around_and_inside_errors_is_read() {
    let around = |broken: &str| {
        format!(
            "import {{ x }} from 'm'\n/** Doc. */\nexport function a() {{ x() }}\n{broken}\nexport function d() {{ return a() }}\n"
        )
    };
    for (broken, between) in [
        ("const x = ;", ""),
        ("}", ""),
        ("export function c() {\n  if (a()) {\n    a();\n}", "+function c …\n"),
        ("export function c() {\n  const x = a().\n}", "+function c …\n"),
        ("export function c() {\n  return a(]\n}", "+function c …\n"),
        (
            "class C {\n  m() { return 1 }\n  n() { return a(. }\n  o() {}\n}",
            "class C …\n method m …\n method o …\n",
        ),
        (
            "<<<<<<< HEAD\nfunction c() { a() }\n=======\nfunction c() { 2 }\n>>>>>>> b",
            "function c …\n",
        ),
        ("describe('a', () => {\n  it(\n})\nconst e = `\nexport const not = 1\n`", "variable e\n"),
    ] {
        let text = around(broken);
        let expected = format!("+function a …\n{between}+function d …");
        let shown = outline("a.ts", &text);
        let shown: Vec<&str> = shown.lines().filter(|line| !line.contains("statement")).collect();
        assert_eq!(shown.join("\n"), expected, "{broken}");
        let facts = read("a.ts", &text);
        let mut spans =
            facts.items.iter().map(|item| &text[item.span.start as usize..item.span.end as usize]);
        assert!(
            spans.clone().any(|span| span.ends_with("function d() { return a() }")),
            "{broken}"
        );
        assert!(spans.all(|span| span.matches("function d").count() < 2), "{broken}");
        assert!(facts.items[0].doc != NONE, "{broken}");
    }
}

#[test]
fn broken_component_scripts_use_their_own_margin() {
    let text = "<script lang='ts'>\n  const a = 1\n  function b() {\n    if (a) {\n  }\n  const c = a\n</script>";
    check("a.vue", text, "variable a\nfunction b …\nvariable c");
}

#[test]
fn reading_much_broken_code_is_linear() {
    let text = "export function f() { a( }\n".repeat(20_000);
    assert_eq!(read("a.ts", &text).items.len(), 20_000);
    let text = format!("function f() {{\n{}", "  a(.\n".repeat(50_000));
    assert_eq!(read("a.ts", &text).items.len(), 1);
}

#[test]
fn references_are_values_types_or_members() {
    check_references("const a = x.y.z as T", "vx .y .z tT");
    check_references("type A = N.B<C> & typeof v.w", "vN .B tC vv .w");
    check_references("const { p, q: { r } } = s", "{p {q {r vs");
    check_references("const o: O = { p: 1, q }", "tO :p vq :q");
    check_references("const e = <App.Part given={v} />", "vApp .Part :given vv");
}

#[test]
fn function_locals_shadow_imports() {
    check_references("import { a, b } from 'm'; function f(a: string) { return a + b }", "vb");
    check_references("import { T } from 'm'; function f<T>(x: T) { const y: T = x }", "");
    check_references("import { a } from 'm'; { const a = 1; a } a", "va");
    check_references("f(); function f() {}", "vf");
}

#[test]
fn doc_comments_belong_to_the_next_declaration() {
    let facts = read("a.ts", "/** Says. */\nexport const a = 1;\n// no\nexport const b = 1;");
    assert_eq!(facts.items[0].doc, 0);
    assert_eq!(facts.items[1].doc, NONE);
}

#[test]
fn deep_code_is_walked_on_a_large_stack() {
    for text in [
        format!("x{}", ".a".repeat(4_000)),
        format!("x{}", "(a)".repeat(2_000)),
        format!("const a = {}1{}", "[".repeat(2_000), "]".repeat(2_000)),
        format!("type A = {}1{}", "B<".repeat(200), ">".repeat(200)),
        format!("{}{}", "if (a) {".repeat(800), "}".repeat(800)),
    ] {
        let facts = read("a.ts", &text);
        assert!(facts.items.len() < 3, "{}", text.len());
    }
}

#[test]
fn markup_of_components_uses_names_of_scripts() {
    let vue = "<script setup>\nimport Child from './c.vue'\nconst user = { name: 1 }\nfunction greet() {}\nconst list = []\n</script>\n\
        <template>\n<Child :a=\"user.name\" @b=\"greet($event); other = 1\"/><child/>\n\
        <p v-for=\"user2 in list\" :key=\"user2.id\">{{ { greet } }}</p>\n</template>\n";
    let found = references("a.vue", vue);
    for expected in ["vChild", "vuser", ".name", "vgreet", "vlist"] {
        assert!(found.split(' ').any(|it| it == expected), "{expected} in {found}");
    }
    assert_eq!(found.matches("vgreet").count(), 2, "{found}");
    assert!(!found.contains("user2"), "a name of the markup is no name of the file: {found}");
    let svelte = "<script>import { count } from './s'; let a = $state(0); $count++</script>{$count}{#if a}<p use:act/>{/if}";
    let found = references("a.svelte", svelte);
    assert_eq!(found.matches("vcount").count(), 2, "{found}");
    assert!(found.contains("va") && found.contains("vact") && found.contains("v$state"), "{found}");
    let astro = "---\nimport Card from './Card.astro'\nconst items = [1]\n---\n<ul>{items.map((it) => <Card n={it}/>)}</ul>";
    let found = references("a.astro", astro);
    assert!(found.contains("vitems") && found.contains("vCard"), "{found}");
}

#[test]
fn templates_and_styles_are_sections() {
    check(
        "a.vue",
        "<template>\n<p/>\n</template>\n<script>\nexport const a = 1\n</script>\n<style>\n.b {}\n</style>",
        "+variable a\nnamespace template …\nnamespace style …",
    );
}

#[test]
fn a_variable_of_a_body_that_holds_a_function_is_one() {
    let facts = read(
        "a.ts",
        "export function create() {
           const patch = (node: Node) => { mount(node) }, mount = function (n) { n.x() };
           const short = (x) => x + 1;
           const plain = 1;
         }",
    );
    let local = facts.items.iter().filter(|item| item.flags.has(Flags::LOCAL));
    let local: Vec<String> =
        local.map(|item| format!("{} {}", item.kind.name(), facts.name(item.name))).collect();
    assert_eq!(local, ["function patch", "function mount", "variable short"]);
}
