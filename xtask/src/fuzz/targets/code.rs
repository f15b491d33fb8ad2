//! Targets that read code, in every supported language.

use portolan_languages::{ExtractSettings, Extractor, Facts};
use portolan_types::declarations::{Declarations, NONE, Span};
use portolan_x07::{Closure, Enclosure, SliceRequest};

pub(super) fn source(input: &[u8]) -> String {
    let path = match input.first().map_or(0, |byte| byte % 5) {
        0 => "a.ts",
        1 => "a.tsx",
        2 => "a.js",
        3 => "a.d.ts",
        _ => "a.mjs",
    };
    facts_of(path, input)
}

pub(super) fn component(input: &[u8]) -> String {
    ["a.vue", "a.svelte", "a.astro"].map(|path| facts_of(path, input)).concat()
}

/// A known failure of the parser of web languages: a quoted name with a backslash before a `u`,
/// which it takes for an escape and cuts by bytes. The engine catches it, but a target would find
/// nothing else.
fn is_known_to_fail(input: &[u8]) -> bool {
    input.windows(3).any(|window| window == br"\\u")
}

fn facts_of(path: &str, input: &[u8]) -> String {
    if is_known_to_fail(input) {
        return "known".to_owned();
    }
    let facts = Extractor::new().extract(path, input, &ExtractSettings::default());
    let Facts { imports, requests, forwards, glob_reexports, augmentations, problems, .. } = &facts;
    let count = imports.len() as u32;
    assert!(requests.iter().all(|request| request.import < count));
    assert!(forwards.iter().all(|forward| forward.import < count));
    assert!(glob_reexports.iter().all(|star| *star < count));
    assert!(augmentations.iter().all(|augmentation| augmentation.import < count));
    let problems: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let shape = [imports.len(), requests.len(), forwards.len(), glob_reexports.len()]
        .map(|n| "abc"[n.min(3)..].len());
    format!("{} {}", shape.map(|n| ["", "i", "ii", "iii"][n]).join("/"), problems.join(" "))
}

pub(super) fn x07ast(input: &[u8]) -> String {
    let mut document = match portolan_x07::read(input) {
        Err(error) => return error.to_string(),
        Ok(document) => document,
    };
    let canonical = document.to_canonical();
    let again = portolan_x07::read(&canonical).map(|again| again.to_canonical());
    assert_eq!(again.as_deref(), Ok(&canonical[..]));
    let request = SliceRequest {
        ptr: "/decls/0/body".to_owned(),
        enclosure: Enclosure::Decl,
        closure: Closure::All,
        max_nodes: Some(input.len() as u64 % 50),
        max_bytes: None,
    };
    match portolan_x07::slice(&mut document, &request) {
        Ok(slice) => {
            assert!(portolan_x07::read(&slice.ast).is_ok());
            "sliced".to_owned()
        }
        Err(error) => error.to_string(),
    }
}

/// The languages other than those of the web; the first byte selects one.
pub(super) fn languages(input: &[u8]) -> String {
    let paths = ["a.py", "a.rs", "a.go", "A.java", "a.kt", "a.pyi"];
    let path = paths[input.first().map_or(0, |byte| usize::from(*byte) % paths.len())];
    facts_of(path, input)
}

/// The declarations of a file: every span is inside the text and at character boundaries, and every
/// index is valid.
pub(super) fn declarations(input: &[u8]) -> String {
    let paths = ["a.ts", "a.tsx", "a.js", "a.vue", "a.py", "a.rs", "a.go", "A.java", "a.kt"];
    let path = paths[input.first().map_or(0, |byte| usize::from(*byte) % paths.len())];
    if is_known_to_fail(input) {
        return "known".to_owned();
    }
    let text = String::from_utf8_lossy(input.get(1..).unwrap_or_default());
    let found = Extractor::new().declarations(path, &text);
    assert_eq!(found, Extractor::new().declarations(path, &text), "the same text says the same");
    check_declarations(&found, &text);
    let mut kinds: Vec<&str> = found.items.iter().map(|item| item.kind.name()).collect();
    kinds.dedup();
    kinds.truncate(6);
    format!("{} {}", kinds.join(" "), ["", "r", "rr"][found.references.len().min(2)])
}

fn check_declarations(found: &Declarations, text: &str) {
    let is_in =
        |span: Span| span.is_empty() || text.get(span.start as usize..span.end as usize).is_some();
    let is_some = |number: u32, length: usize| number == NONE || (number as usize) < length;
    for (at, item) in found.items.iter().enumerate() {
        assert!(is_in(item.span) && is_in(item.body), "{item:?}");
        assert!(item.parent == NONE || (item.parent as usize) < at, "parents come first: {item:?}");
        assert!(is_some(item.name, found.names.len()), "{item:?}");
        assert!(is_some(item.shape, found.shapes.len()), "{item:?}");
        assert!(is_some(item.next, found.items.len()), "{item:?}");
        assert!(found.merged(at as u32).take(found.items.len() + 1).count() <= found.items.len());
    }
    for reference in &found.references {
        assert!(text.is_char_boundary(reference.at as usize), "{reference:?}");
    }
    assert!(found.references.is_sorted_by_key(|reference| reference.at));
}
