//! Tests the lexers and grammars of Python, Rust, Go, Java and Kotlin: for any input they end
//! quickly with consistent facts, and strings and comments are never code.

use portolan_languages::{ExtractSettings, Extractor, Facts};
use portolan_types::declarations::{List, NONE, Span, Usage};
use proptest::prelude::*;

const PATHS: [&str; 6] = ["a.py", "a.pyi", "src/lib.rs", "a.go", "A.java", "a.kt"];

fn extract(path: &str, source: &str) -> Facts {
    Extractor::new().extract(path, source.as_bytes(), &ExtractSettings::default())
}

fn specifiers(path: &str, source: &str) -> Vec<String> {
    extract(path, source).imports.iter().map(|import| import.specifier.to_string()).collect()
}

/// Checks that all indexes in the declarations of a text are valid, and that all spans are inside
/// the text.
fn check_declarations(path: &str, source: &str) {
    let facts = Extractor::new().declarations(path, source);
    let is_place = |span: Span| {
        span.is_empty() || source.get(span.start as usize..span.end as usize).is_some()
    };
    let is_item = |item: u32| item == NONE || (item as usize) < facts.items.len();
    let is_binding = |it: u32| it == NONE || (it as usize) < facts.bindings.len();
    let is_name = |name: u32| name == NONE || (name as usize) < facts.names.len();
    let is_list = |list: List| (list.start + list.len) as usize <= facts.lists.len();
    for (item, number) in facts.items.iter().zip(0u32..) {
        assert!(is_place(item.span) && is_place(item.body), "{path} {source:?}");
        assert!(is_item(item.next) && is_name(item.name) && is_list(item.members));
        assert!(item.parent == NONE || item.parent < number, "parents come first");
        assert!(item.next == NONE || item.next > number, "a chain has an end");
        assert!((item.shape as usize) < facts.shapes.len() && is_list(item.bases));
        assert!(facts.list(item.members).iter().all(|member| is_item(*member)));
    }
    for it in &facts.references {
        let is_known = match it.usage {
            Usage::Value | Usage::Type => is_binding(it.of),
            _ => (it.of as usize) < facts.shapes.len(),
        };
        assert!(is_known && is_name(it.name) && (it.at as usize) < source.len());
    }
    assert!(facts.references.is_sorted_by_key(|it| it.at));
    assert_eq!(facts, Extractor::new().declarations(path, source), "the same again");
}

/// Words with a meaning in these languages, for random texts.
const WORDS: &[&str] = &[
    "import",
    "from",
    "use",
    "mod",
    "package",
    "func",
    "fn",
    "class",
    "def",
    "pub",
    "as",
    "type",
    "var",
    "const",
    "struct",
    "macro_rules!",
    "include_str!",
    "#[path=",
    "crate::",
    "super::",
    "a",
    "b.c",
    "*",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    "::",
    ":=",
    "=",
    ",",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "r#\"",
    "\"#",
    "/*",
    "*/",
    "//",
    "#",
    "\\",
    "\n",
    "\n    ",
    "\t",
    " ",
    "'a",
    "é",
    "😀",
    "\u{feff}",
    "//go:embed x",
    "if TYPE_CHECKING:",
    "else:",
    "__all__",
    "import_module(",
    "f\"{",
    "lambda",
];

proptest! {
    #[test]
    fn random_words_give_consistent_facts(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)) {
        let source: String = words.concat();
        // Spans are relative to the text without a byte order mark.
        let text = source.strip_prefix('\u{feff}').unwrap_or(&source);
        for path in PATHS {
            let facts = extract(path, &source);
            prop_assert!(facts.is_whole(), "{path}");
            prop_assert_eq!(facts.places.imports.len(), facts.imports.len());
            prop_assert_eq!(facts.places.definitions.len(), facts.definitions.len());
            for place in facts.places.imports.iter().chain(&facts.places.definitions) {
                prop_assert!(place.start <= place.end && place.end as usize <= text.len());
                prop_assert!(text.get(place.start as usize..place.end as usize).is_some());
            }
        }
    }

    #[test]
    fn random_words_give_consistent_declarations(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)) {
        let source: String = words.concat();
        for path in PATHS {
            check_declarations(path, &source);
        }
    }

    #[test]
    fn random_text_gives_consistent_facts(source in any::<String>()) {
        for path in PATHS {
            prop_assert!(extract(path, &source).is_whole(), "{path}");
        }
    }
}

#[test]
fn deep_nesting_is_safe() {
    for open in [
        "(",
        "[",
        "{",
        "if x:\n",
        "mod a {",
        "use a::{",
        "f(",
        "func() {",
        "class A {",
        "/*",
        "lambda:",
    ] {
        for path in PATHS {
            assert!(extract(path, &open.repeat(30_000)).is_whole(), "{path} {open}");
            check_declarations(path, &open.repeat(3_000));
        }
    }
}

#[test]
fn python_reads_imports_everywhere_but_in_strings_and_comments() {
    let check = |source: &str, expected: &[&str]| {
        assert_eq!(specifiers("a.py", source), expected, "{source}");
    };
    check(
        "import a, b.c as d; from . import (e,\n  f as g)  # import no\n",
        &["a", "b.c", ".:e", ".:f"],
    );
    check("def f():\n    if x: import a\n    else: from b import *\n", &["a", "b:*"]);
    check("s = 'import a'\nt = '''\nimport b\n'''\nu = f\"{'import c'}\"\n", &[]);
    check("x = 1 \\\n  + y\nimport a\\\n.b\n", &["a.b"]);
    check("yield from x\nraise E from e\nimported = 1\n", &[]);
    check(
        "importlib.import_module('a.b', package='c')\nimport_module(name)\nimport_module(f'x')\n",
        &["a.b"],
    );
}

#[test]
fn python_defines_what_its_top_level_binds() {
    let names = |source: &str| {
        let facts = extract("a.py", source);
        facts.definitions.iter().map(|one| one.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names("a = b = 1\nc, (d, *e) = f\ng: int\nh += 1\ni.j = k[0] = 2\nm == n\n"),
        "a b c d e g h"
    );
    assert_eq!(
        names("def f():\n    x = 1\nclass C:\n    y = 1\nif z:\n    w = 1\nfor v in u: pass\n"),
        "C f v w"
    );
    assert_eq!(names("async def f(): pass\ntype T = int\nprint(a=1)\n"), "T f");
}

#[test]
fn python_reads_dunder_all() {
    let dunder_all = |source: &str| extract("a.py", source).dunder_all;
    let boxed =
        |names: &[&str]| Some(names.iter().map(|name| Box::from(*name)).collect::<Vec<Box<str>>>());
    assert_eq!(dunder_all("__all__ = ['b', \"a\"]\n__all__ += ['c']\n"), boxed(&["a", "b", "c"]));
    assert_eq!(dunder_all("__all__ = [x for x in y]\n"), None);
    assert_eq!(dunder_all("x = 1\n"), None);
    // Names that are added to a computed list leave it unknown.
    assert_eq!(dunder_all("__all__ = a_all + b_all\n__all__ += ['c']\n"), None);
    assert_eq!(dunder_all("__all__ = [*x]\n__all__.extend(['c'])\n"), None);
    assert_eq!(dunder_all("__all__ = ['a']\n__all__ += x\n__all__.append('b')\n"), None);
    // Every branch counts.
    assert_eq!(
        dunder_all("if x:\n    __all__ = ['a']\nelse:\n    __all__ = ['b']\n"),
        boxed(&["a", "b"])
    );
    assert_eq!(dunder_all("__all__: list[str] = ['a']\n__all__ += ('b',)\n"), boxed(&["a", "b"]));
}

#[test]
fn rust_flattens_use_trees() {
    let check = |source: &str, expected: &[&str]| {
        assert_eq!(specifiers("src/lib.rs", source), expected, "{source}");
    };
    check("use a::{self, b::{c, d as e}, f::*};", &["a", "a::b::c", "a::b::d", "a::f"]);
    check("pub(crate) use crate::x;\nuse ::y::z;", &["crate::x", "::y::z"]);
    check(
        "fn f() { let s = \"use a;\"; let c = '\"'; let l: &'static str = r#\"mod b;\"#; } // use c;\nmod d;",
        &["d"],
    );
    check("/* outer /* inner */ mod a; */ mod b;", &["b"]);
}

#[test]
fn rust_records_the_module_of_each_item() {
    let facts = extract(
        "src/lib.rs",
        "fn top() {}\nmod a { pub fn f() {} mod b { use super::f; } }\nimpl T { fn method() {} }\n",
    );
    let shown: Vec<String> =
        facts.definitions.iter().map(|one| format!("{} {}", one.name, one.scope.0)).collect();
    assert_eq!(shown, ["a 0", "b 1", "f 1", "top 0"]);
    assert_eq!(facts.scopes.iter().map(|scope| &**scope).collect::<Vec<_>>(), ["a", "a::b"]);
    assert_eq!(facts.imports[0].scope.0, 2);
}

#[test]
fn go_distinguishes_packages_members_and_own_names() {
    let facts = extract(
        "a.go",
        "package p\nimport (\n\t\"fmt\"\n\tx \"a/b\"\n)\nfunc F(w W) { x.Do(w.field); fmt.Println(Other) }\n",
    );
    let uses: Vec<&str> = facts.uses.iter().map(|one| &*one.name).collect();
    assert_eq!(uses, ["Other", "W", "fmt", "fmt.Println", "x", "x.Do"]);
    assert_eq!(facts.package.as_deref(), Some("p"));
}

#[test]
fn java_reads_imports_and_possible_type_names() {
    let facts = extract(
        "A.java",
        "package a.b;\nimport static c.D.e;\nimport f.*;\n@Ann(x = G.class)\nclass A<T extends H> { I i = new J(); void m() { k(); L.n(); } }",
    );
    let imports: Vec<String> =
        facts.imports.iter().map(|one| format!("{} {}", one.specifier, one.form.0)).collect();
    assert_eq!(imports, ["c.D.e 2", "f 1"]);
    let names: Vec<&str> = facts
        .uses
        .iter()
        .map(|one| &*one.name)
        .filter(|name| name.chars().all(char::is_uppercase))
        .collect();
    assert_eq!(names, ["G", "H", "I", "J", "L", "T"]);
}
