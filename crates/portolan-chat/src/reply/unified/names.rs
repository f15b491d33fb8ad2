//! Parses the file names in a diff: with or without `a/` and `b/`, quoted with escapes,
//! `/dev/null`.

use crate::reply::change::WrittenPath;

/// Both names of a file; `None` for `/dev/null`.
#[derive(Debug)]
pub(super) struct DiffNames {
    pub(super) old: Option<WrittenPath>,
    pub(super) new: Option<WrittenPath>,
}

impl DiffNames {
    /// The names in `--- old` and `+++ new`; `None` if one is empty.
    pub(super) fn of_pair(old: &str, new: &str) -> Option<Self> {
        let name = |text: &str| {
            // A time may follow after a tab.
            let text = text.split('\t').next().unwrap_or_default().trim_end();
            (!text.is_empty()).then(|| diff_name(&quoted(text)))
        };
        Some(Self { old: name(old)?, new: name(new)? })
    }

    pub(super) fn has_one(&self) -> bool {
        self.old.is_some() || self.new.is_some()
    }

    /// Whether both are the same file.
    pub(super) fn are_same(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => is_same(old, new),
            _ => true,
        }
    }

    /// Whether other names refer to the same files. A missing name agrees with any.
    pub(super) fn agrees_with(&self, others: &Self) -> bool {
        let agrees = |own: &Option<WrittenPath>, other: &Option<WrittenPath>| match (own, other) {
            (Some(own), Some(other)) => is_same(own, other),
            _ => true,
        };
        agrees(&self.old, &others.old) && agrees(&self.new, &others.new)
    }
}

fn is_same(left: &WrittenPath, right: &WrittenPath) -> bool {
    let forms = |name: &WrittenPath| [Some(name.written.clone()), name.bare.clone()];
    let right = forms(right);
    forms(left).iter().flatten().any(|form| right.iter().flatten().any(|other| form == other))
}

/// A name as a diff writes it; `None` for `/dev/null`.
fn diff_name(text: &str) -> Option<WrittenPath> {
    if text == "/dev/null" {
        return None;
    }
    // `a/` and `b/`, or git's prefixes for the index, a commit, an object, the work tree.
    let is_prefix = |letter: &str| matches!(letter, "a" | "b" | "c" | "i" | "o" | "w");
    let bare = text.split_once('/').filter(|(letter, rest)| is_prefix(letter) && !rest.is_empty());
    Some(WrittenPath { written: text.to_owned(), bare: bare.map(|(_, rest)| rest.to_owned()) })
}

/// The names after `diff --git`: `a/x b/x`, where `x` may contain spaces.
pub(super) fn header_names(text: &str) -> Option<DiffNames> {
    let names = |old: &str, new: &str| DiffNames { old: diff_name(old), new: diff_name(new) };
    if text.starts_with('"') {
        let end = closing_quote(text)?;
        let rest = text[end + 1..].trim();
        return (!rest.is_empty()).then(|| names(&quoted(&text[..=end]), &quoted(rest)));
    }
    // Two equal names have the space in the middle; otherwise a single space is unambiguous.
    let middle = text.split_at_checked(text.len() / 2);
    let middle = middle.and_then(|(old, new)| Some((old, new.strip_prefix(' ')?)));
    let twice = middle.filter(|(old, new)| names(old, new).are_same());
    let only = || text.split_once(' ').filter(|(_, new)| !new.contains(' '));
    let (old, new) = twice.or_else(only)?;
    Some(names(old, &quoted(new)))
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().enumerate().skip(1).find_map(|(at, byte)| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends.then_some(at)
    })
}

/// A name without the quotes and escapes (`\t`, `\"`, `\303`) that git uses for unusual ones.
pub(super) fn quoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        if let Some((octal, tail)) = rest.split_first_chunk::<3>()
            && octal.iter().all(|digit| (b'0'..b'8').contains(digit))
        {
            bytes.push(
                octal
                    .iter()
                    .fold(0, |byte: u8, digit| byte.wrapping_mul(8).wrapping_add(digit - b'0')),
            );
            rest = tail;
        } else if let Some((escape, tail)) = rest.split_first() {
            bytes.push(match escape {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                other => *other,
            });
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{DiffNames, header_names, quoted};

    fn describe(names: &DiffNames) -> String {
        let side = |name: &Option<crate::reply::WrittenPath>| {
            let Some(name) = name else { return "-".to_owned() };
            name.bare.clone().unwrap_or_else(|| name.written.clone())
        };
        format!("{} {}", side(&names.old), side(&names.new))
    }

    #[test]
    fn names_are_read_as_git_writes_them() {
        let pair = |old, new| describe(&DiffNames::of_pair(old, new).unwrap());
        assert_eq!(pair("a/x.ts", "b/x.ts"), "x.ts x.ts");
        assert_eq!(pair("x.ts\t2026-01-01", "x.ts\t2026"), "x.ts x.ts");
        assert_eq!(pair("/dev/null", "b/x.ts"), "- x.ts");
        assert_eq!(pair("\"a/\\303\\251\\t.ts\"", "\"b/\\303\\251\\t.ts\""), "é\t.ts é\t.ts");
        assert!(DiffNames::of_pair("", "b/x").is_none());
        let header = |text| describe(&header_names(text).unwrap());
        assert_eq!(header("a/x y.ts b/x y.ts"), "x y.ts x y.ts");
        assert_eq!(header("\"a/\\\"x\\\"\" \"b/\\\"x\\\"\""), "\"x\" \"x\"");
        assert_eq!(header("a/p.ts b/q.ts"), "p.ts q.ts");
        assert!(header_names("a/x").is_none());
        assert_eq!(quoted("\"broken\\"), "\"broken\\");
    }
}
