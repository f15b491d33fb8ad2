//! Formats names, token counts and lists of files.

use std::borrow::Cow;
use std::fmt::Write as _;

use portolan_types::{KindMask, is_invisible};

/// The legend: the first lines of every chart.
pub const LEGEND: &str = "\
# `name/` is a folder, indented below its own; then its files: `{a b}.ts` is a.ts b.ts.
# `+9 ts 4k > lib/`: 9 more files in or below it, mostly .ts, 4k tokens to read, using lib/ most.
# A file's own line: name, tokens, (purpose), = exports, > files it uses (~ types only, ? on demand; ./ is its folder);
# below it, by line, what it declares.
";

/// The smallest number of files with the same extension that are grouped.
const GROUP: usize = 3;

/// The signs of edges, in output order.
pub(super) const SIGNS: [&str; 3] = [">", "~", "?"];

/// The sign of an edge: runtime, types only, or loaded on demand.
pub(crate) fn sign_of(kinds: KindMask) -> &'static str {
    if kinds.meets(KindMask::RUNTIME) {
        SIGNS[0]
    } else if kinds.meets(KindMask::TYPE) {
        SIGNS[1]
    } else {
        SIGNS[2]
    }
}

/// A name in output form, quoted if it is ambiguous.
pub(crate) fn written(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_whitespace() && !"{}\"\\`".contains(c);
    let starts_odd = name.starts_with(['+', '>', '~', '?', '=', '(', '#']);
    let has_odd = name.chars().any(is_invisible);
    if !name.is_empty() && !starts_odd && !has_odd && name.chars().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_invisible(c) || (c.is_whitespace() && c != ' ') => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// Splits a name at its first dot: `a.test.ts` is `a` and `.test.ts`.
fn parted(name: &str) -> (&str, &str) {
    let dot = name.char_indices().skip(1).find(|(_, c)| *c == '.').map_or(name.len(), |(at, _)| at);
    name.split_at(dot)
}

/// Writes the names of files in one folder, with `prefix` before each word.
pub(super) fn push_names(out: &mut String, prefix: &str, names: &[&str]) {
    let mut parts: Vec<(&str, &str)> = names.iter().map(|name| parted(name)).collect();
    parts.sort_by_key(|(_, ending)| *ending);
    for group in parts.chunk_by(|left, right| left.1 == right.1) {
        let ending = group[0].1;
        let can_share = written(ending).len() == ending.len() && !ending.is_empty();
        if group.len() < GROUP || !can_share {
            for (stem, ending) in group {
                let name = [*stem, *ending].concat();
                let _ = write!(out, " {prefix}{}", written(&name));
            }
            continue;
        }
        let _ = write!(out, " {prefix}{{");
        for (at, (stem, _)) in group.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            let _ = write!(out, "{space}{}", written(stem));
        }
        let _ = write!(out, "}}{ending}");
    }
}

/// A short number of tokens: `950`, `1.2k`, `48k`, `3M`.
pub(super) fn short(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        1000..9950 => {
            let tenths = (tokens + 50) / 100;
            if tenths.is_multiple_of(10) {
                format!("{}k", tenths / 10)
            } else {
                format!("{}.{}k", tenths / 10, tenths % 10)
            }
        }
        9950..999_500 => format!("{}k", (tokens + 500) / 1000),
        _ => format!("{}M", (tokens + 500_000) / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{push_names, short, written};

    #[test]
    fn files_of_one_ending_share_it() {
        let check = |names: &[&str], expected: &str| {
            let mut out = String::new();
            push_names(&mut out, "", names);
            assert_eq!(out, expected);
        };
        check(&["a.ts", "b.ts"], " a.ts b.ts");
        check(&["a.ts", "b.ts", "c.ts", "c.test.ts"], " c.test.ts {a b c}.ts");
        check(&[".env.a", ".gitignore", "Makefile"], " .gitignore Makefile .env.a");
        check(&["a b.ts", "c.ts", "d{.ts"], " {\"a b\" c \"d{\"}.ts");
    }

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(written("a.ts"), "a.ts");
        assert_eq!(written("a\nb"), "\"a\\u{a}b\"");
        assert_eq!(written("+3"), "\"+3\"");
        assert_eq!(written("a\u{202e}b"), "\"a\\u{202e}b\"");
        assert_eq!(written("say \"hi\""), "\"say \\\"hi\\\"\"");
        assert_eq!(written("日本.ts"), "日本.ts");
    }

    #[test]
    fn numbers_are_short() {
        let cases =
            [(0, "0"), (999, "999"), (1000, "1k"), (1249, "1.2k"), (9949, "9.9k"), (9950, "10k")];
        for (tokens, expected) in cases {
            assert_eq!(short(tokens), expected);
        }
        assert_eq!(short(999_499), "999k");
        assert_eq!(short(1_500_000), "2M");
    }
}
