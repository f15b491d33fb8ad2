//! Parsers that many formats share: numbers, locations, error classes.

/// A number at the front, and the rest.
pub(super) fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    if end == 0 || end > 9 {
        return None;
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// A location at the start of a line: `path:line[:col[:end_line:end_col]]: rest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeadingLocation<'l> {
    pub(super) path: &'l str,
    pub(super) line: u32,
    pub(super) col: Option<u32>,
    pub(super) end: Option<(u32, u32)>,
    /// The text after the last colon, without the space.
    pub(super) rest: &'l str,
}

/// Parses a leading location. The path ends at the first colon that a number follows.
pub(super) fn leading(text: &str) -> Option<LeadingLocation<'_>> {
    let mut from = 0;
    while let Some(found) = text[from..].find(':') {
        let colon = from + found;
        from = colon + 1;
        let Some((line, mut rest)) = number(&text[colon + 1..]) else { continue };
        let mut numbers: Vec<u32> = Vec::new();
        while numbers.len() < 3 {
            let Some((number, after)) = rest.strip_prefix(':').and_then(number) else { break };
            numbers.push(number);
            rest = after;
        }
        let path = &text[..colon];
        let end = numbers.get(1).copied().zip(numbers.get(2).copied());
        let rest = match rest.strip_prefix(':') {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            None if rest.is_empty() => rest,
            None => continue,
        };
        return Some(LeadingLocation { path, line, col: numbers.first().copied(), end, rest });
    }
    None
}

/// A location at the end of a text: `path:line[:col]`.
pub(super) fn trailing(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (before, last) = split_number(text)?;
    match split_number(before) {
        Some((path, line)) if !path.is_empty() => Some((path, line, Some(last))),
        _ if !before.is_empty() => Some((before, last, None)),
        _ => None,
    }
}

fn split_number(text: &str) -> Option<(&str, u32)> {
    let (before, digits) = text.rsplit_once(':')?;
    let (number, rest) = number(digits)?;
    rest.is_empty().then_some((before, number))
}

/// Whether a text can be a file path: it has a folder, or a name with an extension.
pub(super) fn is_path(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !text.is_empty()
        && text.len() < 1024
        && text.trim() == text
        && !ending.is_empty()
        && ending.len() <= 12
        && ending.chars().all(char::is_alphanumeric)
        && !text.contains("://") | text.starts_with("file://")
        && !text.chars().any(|c| matches!(c, '"' | '<' | '>' | '|' | '\t' | '*' | '?'))
}

/// Whether a path has one of these extensions.
pub(super) fn has_ending(path: &str, endings: &[&str]) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// Splits a runner's prefix from a path: `packages/web check: src/a.ts`.
pub(super) fn split_runner(path: &str) -> (&str, Option<&str>) {
    match path.rsplit_once(": ") {
        Some((prefix, rest)) if is_path(rest) => {
            let folder = prefix.rsplit_once(' ').map(|(folder, _)| folder);
            (rest, folder.filter(|folder| folder.contains('/') && !folder.contains(": ")))
        }
        _ => (path, None),
    }
}

/// The class in front of a message: `TypeError: no`, `AssertionError [ERR_ASSERTION]: no`. With
/// `any` every name counts, else only names that end like an error.
pub(super) fn class(text: &str, any: bool) -> Option<(&str, &str)> {
    let end = text
        .char_indices()
        .find(|(_, c)| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.')))
        .map_or(text.len(), |(at, _)| at);
    let name = &text[..end];
    let is_name = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && !name.ends_with('.')
        && !name.contains("..");
    let is_error = ["Error", "Exception", "Warning", "Interrupt", "Exit", "Failure", "Failed"]
        .iter()
        .any(|ending| name.ends_with(ending));
    if !is_name || !(is_error || any) {
        return None;
    }
    let mut rest = &text[end..];
    if let Some(code) = rest.strip_prefix(" [") {
        rest = &code[code.find(']')? + 1..];
    }
    if rest.is_empty() && is_error {
        return Some((name, ""));
    }
    let message = rest.strip_prefix(':')?;
    if !message.is_empty() && !message.starts_with(' ') {
        return None;
    }
    Some((name, message.trim_start()))
}

/// The message, and the code in brackets at its end: `message (code)`.
pub(super) fn trailing_code(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = text.strip_suffix(close)?;
    let (message, code) = inside.rsplit_once(open)?;
    (!code.is_empty() && !code.contains(char::is_whitespace) && !code.contains(close))
        .then_some((message.trim_end(), code))
}

/// The indentation of a line, in bytes.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::{class, is_path, leading, trailing};

    #[test]
    fn a_location_after_a_drive_letter_is_parsed() {
        let place = leading("C:\\a b\\c.go:12:5: no x").unwrap();
        assert_eq!((place.path, place.line, place.col), ("C:\\a b\\c.go", 12, Some(5)));
        assert_eq!(trailing("C:\\a.js:2:46"), Some(("C:\\a.js", 2, Some(46))));
        assert_eq!(trailing("a.js:2"), Some(("a.js", 2, None)));
        assert_eq!(trailing("nothing"), None);
    }

    #[test]
    fn the_error_class_is_split_from_the_message() {
        assert_eq!(class("TypeError: no", false), Some(("TypeError", "no")));
        assert_eq!(
            class("AssertionError [ERR_ASSERTION]: no", false),
            Some(("AssertionError", "no"))
        );
        assert_eq!(class("Expected: 11", false), None);
        assert_eq!(class("a.b.Custom: x", true), Some(("a.b.Custom", "x")));
    }

    #[test]
    fn plain_words_are_not_paths() {
        assert!(is_path("src/ui (old)/two words.ts"));
        assert!(!is_path("12"));
        assert!(!is_path("https://a.b/c.ts"));
    }
}
