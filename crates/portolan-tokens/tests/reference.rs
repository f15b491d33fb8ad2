//! Checks counts against the reference implementation.

use proptest::prelude::*;

fn check(text: &str) {
    let reference = tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64;
    assert_eq!(portolan_tokens::count(text), reference, "{text:?}");
}

#[test]
fn all_kinds_of_text_match_the_reference() {
    for text in [
        "",
        "hello world",
        "  \n\n\t if (a?.b) { return `${x}`; } // done\r\n\r\n",
        "Ça va, Ελληνικά, 日本語のテキスト, हिन्दी, عربى, 👩‍👩‍👧‍👦 ½ ²³ ǅungla İstanbul",
        "don't DON'T we'Re I'ſ 'sx 's",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "=======================================================================================",
        "\u{301}\u{301}AB\u{301}c\u{E0100}\u{200D}",
        "<|endoftext|> is text",
    ] {
        check(text);
    }
}

#[test]
fn our_own_sources_match_the_reference() {
    for text in [
        include_str!("../src/lib.rs"),
        include_str!("../src/split.rs"),
        include_str!("../src/classes.rs"),
        include_str!("../../../README.md"),
        include_str!("../../../Cargo.lock"),
    ] {
        check(text);
    }
}

#[test]
fn a_long_piece_is_merged_in_one_pass() {
    let short = "x".repeat(1 << 12);
    check(&short);
    let long = short.repeat(1 << 6);
    assert_eq!(portolan_tokens::count(&long), portolan_tokens::count(&short) << 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_texts_match_the_reference(text in "[ a-zA-Z0-9'_/\n\r\t.(){}éÉßſǅʰ中\u{301}\u{a0}\u{2028}²½😀-]{0,60}") {
        check(&text);
    }

    #[test]
    fn any_text_matches_the_reference(text in any::<String>()) {
        check(&text);
    }
}
