//! Parses entries as people type them: `src/index.ts`, `src/index.ts:2`,
//! `src/index.ts:2:runtime,type`.

use crate::state::StateEntry;
use portolan_types::{EdgeKind, KindMask};
use thiserror::Error;

/// The reason why a text is not an entry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseEntryError {
    /// The id is missing.
    #[error("the entry `{0}` has no id; write ID, ID:DEPTH or ID:DEPTH:KINDS")]
    NoId(String),
    /// An unknown edge kind.
    #[error(
        "`{0}` is no kind of edge; allowed: `runtime`, `type`, `dynamic`, `all`, `none`, or a mask 0..7"
    )]
    Kind(String),
    /// A depth that is too large.
    #[error("the depth `{0}` is too large")]
    Depth(String),
}

/// Parses an entry. An id may contain colons (`node:fs`), so depth and kinds are parsed from the
/// end.
pub fn parse_entry(text: &str) -> Result<StateEntry, ParseEntryError> {
    let (id, depth, kinds) = split(text);
    if id.trim().is_empty() {
        return Err(ParseEntryError::NoId(text.to_owned()));
    }
    let depth = match depth {
        None => 0,
        Some(digits) => digits.parse().map_err(|_| ParseEntryError::Depth(digits.to_owned()))?,
    };
    let kinds = kinds.map(parse_kinds).transpose()?;
    Ok(StateEntry { id: id.into(), depth, kinds })
}

/// The id, the digits of the depth, and the kinds.
fn split(text: &str) -> (&str, Option<&str>, Option<&str>) {
    let is_depth = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((front, last)) = text.rsplit_once(':') else { return (text, None, None) };
    if let Some((id, depth)) = front.rsplit_once(':').filter(|(_, depth)| is_depth(depth)) {
        return (id, Some(depth), Some(last));
    }
    if is_depth(last) { (front, Some(last), None) } else { (text, None, None) }
}

/// Parses kinds: names separated by commas, `all`, `none`, or a mask.
pub fn parse_kinds(text: &str) -> Result<KindMask, ParseEntryError> {
    if let Some(mask) = text.parse().ok().filter(|mask| *mask <= u64::from(KindMask::ALL.bits())) {
        return Ok(KindMask::from_bits_truncate(mask));
    }
    let mut kinds = KindMask::NONE;
    for word in text.split(',').map(str::trim) {
        kinds |= match word {
            "all" => KindMask::ALL,
            "none" => KindMask::NONE,
            _ => EdgeKind::from_name(word)
                .ok_or_else(|| ParseEntryError::Kind(word.to_owned()))?
                .mask(),
        };
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::parse_entry;

    fn check(text: &str, expected: &str) {
        let read = match parse_entry(text) {
            Ok(entry) => format!(
                "{} {} {:?}",
                entry.id,
                entry.depth,
                entry.kinds.map(portolan_types::KindMask::bits)
            ),
            Err(error) => error.to_string(),
        };
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn depth_and_kinds_are_read_from_the_end() {
        check("src/index.ts", "src/index.ts 0 None");
        check("src/index.ts:2", "src/index.ts 2 None");
        check("src/index.ts:2:runtime,type", "src/index.ts 2 Some(3)");
        check("src/index.ts:1:4", "src/index.ts 1 Some(4)");
        check("src/index.ts:1:all", "src/index.ts 1 Some(7)");
        check("src/index.ts:1:none", "src/index.ts 1 Some(0)");
        check("node:fs", "node:fs 0 None");
        check("node:fs:1", "node:fs 1 None");
    }

    #[test]
    fn invalid_entries_have_clear_errors() {
        let kinds = "is no kind of edge; allowed: `runtime`, `type`, `dynamic`, `all`, `none`, or a mask 0..7";
        check("a:1:runtme", &format!("`runtme` {kinds}"));
        check("a:1:8", &format!("`8` {kinds}"));
        check(":2", "the entry `:2` has no id; write ID, ID:DEPTH or ID:DEPTH:KINDS");
        check("a:99999999999999999999999", "the depth `99999999999999999999999` is too large");
    }
}
