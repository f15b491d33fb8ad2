//! Whatever the bytes are, extraction ends, soon, with facts that fit together.

use portolan_languages::{ExtractSettings, Extractor, Facts, ProblemKind};
use proptest::prelude::*;

fn extract(path: &str, source: &[u8]) -> Facts {
    Extractor::new().extract(path, source, &ExtractSettings::default())
}

fn assert_whole(facts: &Facts) {
    let imports = facts.imports.len() as u32;
    assert!(facts.requests.iter().all(|request| request.import < imports));
    assert!(facts.forwards.iter().all(|forward| forward.import < imports));
    assert!(facts.stars.iter().all(|star| *star < imports));
    assert!(facts.augmentations.iter().all(|augmentation| augmentation.import < imports));
}

/// Code that nests: what comes once before it, each level's start, the middle, each level's end.
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

/// The code in the middle is found, or the file is said to be too deep; never a crash.
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
fn depth_is_no_danger() {
    for levels in [50, 400, 800, 1_500, 3_000, 10_000] {
        for shape in SHAPES {
            check_deep(shape, levels);
        }
    }
}

#[test]
fn a_hundred_thousand_levels_are_no_danger() {
    for shape in SHAPES.iter().step_by(3) {
        check_deep(shape, 100_000);
    }
}

#[test]
fn a_long_chain_of_operators_is_parsed() {
    let facts =
        extract("a.js", format!("x = {}require('last')", "'a' + ".repeat(50_000)).as_bytes());
    assert_eq!(facts.imports.len(), 1);
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
}

#[test]
fn a_million_prefixes_are_searched_by_tokens() {
    let facts = extract("a.js", format!("import 'first';\n{}a", "!".repeat(1_000_000)).as_bytes());
    assert_eq!((facts.imports.len(), facts.problems[0].kind), (1, ProblemKind::TooDeep));
}

#[test]
fn what_the_parser_would_guess_at_for_minutes_is_searched_by_tokens() {
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
fn a_huge_line_is_parsed() {
    let facts = extract("a.js", "f(a.b,[c],{d:e});require('x');".repeat(100_000).as_bytes());
    assert_eq!(facts.imports.len(), 1);
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
}

#[test]
fn a_comment_of_nothing_but_markup_takes_no_time() {
    for unit in ["[", "`", "{@", "]", "](", "[a](", "[a]", "@", "{@a}", "@a {"] {
        let source = format!("/** @module\n * {} */", unit.repeat(200_000));
        assert_whole(&extract("a.js", source.as_bytes()));
    }
}

/// Pieces that code is made of, and that breaks it.
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
    fn any_bytes_give_facts_that_fit_together(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for path in ["a.ts", "a.js", "a.vue", "a.astro"] {
            assert_whole(&extract(path, &bytes));
        }
    }

    #[test]
    fn any_pieces_of_code_give_facts_that_fit_together(source in pieces()) {
        for path in ["a.ts", "a.tsx", "a.d.ts", "a.js", "a.svelte", "a.astro"] {
            assert_whole(&extract(path, source.as_bytes()));
        }
    }
}
