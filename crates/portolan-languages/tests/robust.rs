//! For any input, extraction ends quickly with consistent facts.

use portolan_languages::{ExtractSettings, Extractor, Facts, ProblemKind};
use proptest::prelude::*;

fn extract(path: &str, source: &[u8]) -> Facts {
    Extractor::new().extract(path, source, &ExtractSettings::default())
}

fn assert_whole(facts: &Facts) {
    let imports = facts.imports.len() as u32;
    assert!(facts.requests.iter().all(|request| request.import < imports));
    assert!(facts.forwards.iter().all(|forward| forward.import < imports));
    assert!(facts.glob_reexports.iter().all(|star| *star < imports));
    assert!(facts.augmentations.iter().all(|augmentation| augmentation.import < imports));
}

/// Nested code: a prefix, the start of each level, the middle, the end of each level.
struct Shape(&'static str, &'static str, &'static str, &'static str, &'static str);

const SHAPES: &[Shape] = &[
    Shape("a.js", "", "[", "import('last')", "]"),
    Shape("a.js", "", "(", "import('last')", ")"),
    Shape("a.js", "", "f(", "import('last')", ")"),
    Shape("a.js", "", "!", "import('last')", ""),
    Shape("a.js", "", "a+", "import('last')", ""),
    Shape("a.js", "", "a?b:", "import('last')", ""),
    Shape("a.js", "", "a=>", "import('last')", ""),
    Shape("a.js", "", "()=>{", "import('last')", "}"),
    Shape("a.js", "", "`${", "import('last')", "}`"),
    Shape("a.js", "", "if(a){}else ", "import('last')", ""),
    Shape("a.js", "", "if(a)\n", "import('last')", ""),
    Shape("a.js", "", "{", "import('last')", "}"),
    Shape("a.js", "", "function f(){", "import('last')", "}"),
    Shape("a.js", "", "typeof ", "import('last')", ""),
    Shape("a.js", "", "a=", "import('last')", ""),
    Shape("a.js", "", "a**", "import('last')", ""),
    Shape("a.js", "x=", "{a:", "import('last')", "}"),
    Shape("a.js", "", "", "import('last')", ".a"),
    Shape("a.js", "", "", "import('last')", "()"),
    Shape("a.js", "", "", "import('last')", "+a"),
    Shape("a.ts", "", "", "import('last')", "!"),
    Shape("a.jsx", "", "<a>", "{import('last')}", "</a>"),
    Shape("a.ts", "let x:", "[", "import('last')", "]"),
    Shape("a.ts", "let x:", "A<", "import('last')", ">"),
    Shape("a.ts", "let x:", "B extends C?D:", "import('last').E", ""),
];

/// Checks that the code in the middle is found, or that the file is reported as too deep. It never
/// crashes.
#[track_caller]
fn check_deep(&Shape(path, start, open, middle, close): &Shape, levels: usize) {
    let source = format!(
        "import 'first';\n{start}{}{middle}{}\n",
        open.repeat(levels),
        close.repeat(levels)
    );
    let facts = extract(path, source.as_bytes());
    assert_eq!(&*facts.imports[0].specifier, "first", "{open} {levels}");
    let is_found = facts.imports.iter().any(|import| &*import.specifier == "last");
    let is_too_deep = facts.problems.iter().any(|problem| problem.kind == ProblemKind::TooDeep);
    assert!(is_found || is_too_deep, "{open} {levels}: {:?}", facts.problems);
}

#[test]
fn deep_nesting_is_safe() {
    for levels in [50, 400, 800, 1_500, 3_000, 10_000] {
        for shape in SHAPES {
            check_deep(shape, levels);
        }
    }
}

#[test]
fn hundred_thousand_levels_are_safe() {
    for shape in SHAPES.iter().step_by(3) {
        check_deep(shape, 100_000);
    }
}

#[test]
fn long_chain_of_operators_is_parsed() {
    let facts =
        extract("a.js", format!("x = {}require('last')", "'a' + ".repeat(50_000)).as_bytes());
    assert_eq!(facts.imports.len(), 1);
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
}

#[test]
fn million_prefixes_fall_back_to_tokens() {
    let facts = extract("a.js", format!("import 'first';\n{}a", "!".repeat(1_000_000)).as_bytes());
    assert_eq!((facts.imports.len(), facts.problems[0].kind), (1, ProblemKind::TooDeep));
}

#[test]
fn exponential_guesses_fall_back_to_tokens() {
    for unit in ["f<", "a?(b):c=>("] {
        let facts =
            extract("a.ts", format!("import 'first';\n{}a", unit.repeat(20_000)).as_bytes());
        assert_eq!(
            (facts.imports.len(), facts.problems[0].kind),
            (1, ProblemKind::TooDeep),
            "{unit}"
        );
    }
}

#[test]
fn huge_line_is_parsed() {
    let facts = extract("a.js", "f(a.b,[c],{d:e});require('x');".repeat(100_000).as_bytes());
    assert_eq!(facts.imports.len(), 1);
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
}

#[test]
fn comment_of_only_markup_is_read_in_linear_time() {
    for unit in ["[", "`", "{@", "]", "](", "[a](", "[a]", "@", "{@a}", "@a {"] {
        let source = format!("/** @module\n * {} */", unit.repeat(200_000));
        assert_whole(&extract("a.js", source.as_bytes()));
    }
}

/// Fragments that make up code, and that break it.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "import ",
        "export ",
        "type ",
        "default ",
        "from ",
        "'./a'",
        "{",
        "}",
        "(",
        ")",
        "*",
        " as ",
        "x",
        ",",
        ";",
        "\n",
        "=",
        "require",
        "declare module ",
        "'",
        "`",
        "${",
        "/",
        "//",
        "/*",
        "*/",
        "/** @module\n * ",
        "<a>",
        "</a>",
        "=>",
        "é",
        "\\",
        "<script>",
        "</script>",
        "---\n",
        "exports.",
        "module.exports",
        "?.",
        "<",
        "class ",
        "@import ",
        "[",
        "]",
        "function ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_give_consistent_facts(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for path in ["a.ts", "a.js", "a.vue", "a.astro"] {
            assert_whole(&extract(path, &bytes));
        }
    }

    #[test]
    fn random_fragments_give_consistent_facts(source in pieces()) {
        for path in ["a.ts", "a.tsx", "a.d.ts", "a.js", "a.svelte", "a.astro"] {
            assert_whole(&extract(path, source.as_bytes()));
        }
    }
}
