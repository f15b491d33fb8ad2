//! Kubernetes secrets: manifests with values under `data` and `stringData`, in YAML or in JSON, however they are quoted,
//! indented and ordered.

use crate::blocks::{denying, find};
use crate::decode::base64;
use crate::env::is_sensitive;
use crate::finding::DetectedSecret;
use crate::manifest;
use crate::placeholders::{is_password, is_placeholder, is_random, is_sequence};
use crate::steps;

pub(crate) const RULE: &str = "kubernetes-secret";

/// The rule for a value that may be a word. In code it is a type.
pub(crate) const WORD_RULE: &str = "kubernetes-word";

/// The longest indentation of a manifest.
const LONGEST_LEAD: usize = 256;

/// The two places of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// In base64.
    Data,
    /// As written.
    StringData,
}

/// The secret of the manifest whose word `kind` is at an offset.
pub(crate) fn manifest(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let before = text.get(..at)?;
    let is_word = before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    if !is_word || !is_secret_kind(text.get(at + b"kind".len()..)?) {
        return None;
    }
    // No list is nested deeper.
    let near = before.len().saturating_sub(LONGEST_LEAD);
    let end = memchr::memrchr(b'\n', &before[near..]).map(|end| near + end + 1);
    let line_start = end.unwrap_or(if near == 0 { 0 } else { before.len() });
    let lead = &before[line_start..];
    let is_block = lead.iter().all(|byte| matches!(byte, b' ' | b'-' | b'"' | b'\''));
    let in_block = if is_block { block(text, at, line_start, lead) } else { None };
    in_block.or_else(|| object(text, at))
}

/// The secret of the manifests around the word `kind` at an offset, read as YAML; only where its value may be `Secret`,
/// however that is written.
pub(crate) fn structured(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let (rule, value) = manifest::secret(text)?;
    let (start, end) = match find(text, value.trim().as_bytes()) {
        Some(start) if !value.trim().is_empty() => (start, start + value.trim().len()),
        // It is written in another way than it reads.
        _ => (at, text.len()),
    };
    Some(DetectedSecret { rule, span: start..end, denies: true })
}

/// Whether the value of the word `kind` at an offset may be `Secret`: it is, or it has a tag, an anchor or an alias, or
/// begins further down.
pub(crate) fn may_be_secret(text: &[u8], at: usize) -> bool {
    let Some(rest) = text.get(at..text.len().min(at + 64)) else { return false };
    let key = rest.iter().position(|byte| *byte == b'k').map_or(0, |key| key + b"kind".len());
    let is_gap = |byte: &u8| b" \t\r\n:\"'\\".contains(byte);
    let gap = rest[key..].iter().take_while(|byte| is_gap(byte)).count();
    let value = &rest[key + gap..];
    value.starts_with(b"Secret")
        || matches!(value.first(), Some(b'*' | b'&' | b'!' | b'>' | b'|' | b'#'))
}

/// The literals below a `secretGenerator` of kustomize: `- password=…`.
pub(crate) fn generated(text: &[u8], at: usize) -> Option<DetectedSecret> {
    const MOST_LINES: usize = 200;
    let (mut place, mut is_listed) = (at, false);
    for line in text.get(at..)?.split_inclusive(|byte| *byte == b'\n').take(MOST_LINES) {
        steps::add(8 + line.len());
        let at_line = place;
        place += line.len();
        let said = line.trim_ascii();
        // Another one looks at its own.
        if at_line > at && find(said, b"secretGenerator").is_some() {
            break;
        }
        is_listed |= said.starts_with(b"literals:") || said.starts_with(b"- literals:");
        let Some(item) = said.strip_prefix(b"- ").filter(|_| is_listed) else { continue };
        let Some((name, value)) = str::from_utf8(item).ok()?.split_once('=') else { continue };
        let value = value.trim_matches(['"', '\'', ' ']);
        let Some(rule) = rule_of(Section::StringData, name.trim_matches(['"', '\'']), value) else {
            continue;
        };
        let start = at_line + find(line, value.as_bytes()).unwrap_or(0);
        let rule = if is_random(value) || is_password(value) { rule } else { WORD_RULE };
        return Some(denying(rule, start, start + value.len()));
    }
    None
}

/// A text that a template of Helm encodes for a manifest: `{{ "…" | b64enc }}`.
pub(crate) fn encoded_text(text: &[u8], at: usize) -> Option<DetectedSecret> {
    const LONGEST_TEXT: usize = 256;
    let from = at.saturating_sub(LONGEST_TEXT);
    let before = text.get(from..at)?;
    steps::add(before.len() / 4);
    let before = before.trim_ascii_end().strip_suffix(b"|")?.trim_ascii_end();
    let quote = *before.last().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let inside = &before[..before.len() - 1];
    let start = memchr::memrchr(quote, inside)? + 1;
    let value = str::from_utf8(&inside[start..]).ok()?;
    let is_it = is_random(value) || is_password(value);
    is_it.then(|| denying(RULE, from + start, from + inside.len()))
}

/// Whether `: Secret` follows the word, with any quotes and blanks.
fn is_secret_kind(rest: &[u8]) -> bool {
    let is_gap = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\');
    let skip = |text: &'_ [u8], is_it: &dyn Fn(&u8) -> bool| {
        text.iter().take(16).take_while(|byte| is_it(byte)).count()
    };
    let rest = &rest[skip(rest, &|byte| is_quote(byte) || is_gap(byte))..];
    let Some(rest) = rest.strip_prefix(b":") else { return false };
    let rest = &rest[skip(rest, &|byte| is_quote(byte) || is_gap(byte))..];
    let Some(rest) = rest.strip_prefix(b"Secret") else { return false };
    let rest = rest.strip_prefix(b"List").unwrap_or(rest);
    rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'))
}

/// The secret of a manifest in lines.
fn block(text: &[u8], at: usize, line_start: usize, lead: &[u8]) -> Option<DetectedSecret> {
    let indent = lead.iter().take_while(|byte| matches!(byte, b' ' | b'-')).count();
    let start = object_start(&text[..line_start], indent, lead.contains(&b'-'));
    let (mut values, mut place, mut word) = (SectionValues::default(), start, None);
    for line in text.get(start..)?.split_inclusive(|byte| *byte == b'\n') {
        let at_line = place;
        place += line.len();
        steps::add(8 + line.len());
        if at_line > at && ends_object(line, indent) || steps::is_spent(text.len()) {
            break;
        }
        let found = values.next(line).and_then(|(section, name, value)| {
            let rule = rule_of(section, name, value)?;
            Some((rule, at_line + find(line, value.as_bytes()).unwrap_or(0), value.len()))
        });
        if let Some((rule, gap, length)) = found {
            let found = denying(rule, gap, gap + length);
            if rule == RULE {
                return Some(found);
            }
            word = word.or(Some(found));
        }
        if let Some(found) =
            values.flow.take().and_then(|brace| section_object(text, at_line + brace.0, brace.1))
        {
            return Some(found);
        }
    }
    word
}

/// Where the object starts, given the text before the line of its `kind`.
fn object_start(before: &[u8], indent: usize, is_item: bool) -> usize {
    let mut start = before.len();
    if is_item {
        return start;
    }
    for line in before.split_inclusive(|byte| *byte == b'\n').rev() {
        steps::add(8 + line.len());
        let is_item = opens_item(line) == Some(indent);
        if ends_object(line, indent) && !is_item || steps::is_spent(before.len()) {
            break;
        }
        start -= line.len();
        if is_item {
            break;
        }
    }
    start
}

/// Whether a line belongs to another object than the one with keys at this indentation.
fn ends_object(line: &[u8], indent: usize) -> bool {
    let own = line.iter().take_while(|byte| **byte == b' ').count();
    let text = line.trim_ascii();
    if text.is_empty() || text.starts_with(b"#") {
        return false;
    }
    // An object has only one kind.
    let key = text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text);
    let is_next = own == indent
        && key.starts_with(b"kind")
        && key.get(4..6).is_some_and(|rest| matches!(rest, [b':', _] | [b'"' | b'\'', b':']));
    is_next || text.starts_with(b"---") || own < indent
}

/// The indentation of the keys of the list item that a line starts.
fn opens_item(line: &[u8]) -> Option<usize> {
    let spaces = line.iter().take_while(|byte| **byte == b' ').count();
    line.get(spaces..)?.starts_with(b"- ").then_some(spaces + 2)
}

/// The values below `data` and `stringData`, line by line.
#[derive(Default)]
struct SectionValues {
    /// The section that the lines are in, and the indentation of its key.
    section: Option<(Section, usize)>,
    /// The name of the last value, which may go on for lines.
    name: String,
    /// The offset in the last line of the brace of a section in one line.
    flow: Option<(usize, Section)>,
}

impl SectionValues {
    fn next<'l>(&mut self, line: &'l [u8]) -> Option<(Section, &str, &'l str)> {
        let line = str::from_utf8(line).ok()?;
        let text = line.trim_start_matches([' ', '-']);
        let indent = line.len() - text.len();
        if text.trim().is_empty() || text.starts_with('#') {
            return None;
        }
        let is_below = self.section.is_some_and(|(_, below)| indent > below);
        if !is_below {
            self.section = None;
        }
        let quotes = ['"', '\'', ' '];
        let pair =
            text.split_once(':').filter(|(_, rest)| rest.starts_with([' ', '\n', '\r', '\t']));
        let Some((name, value)) = pair.or_else(|| Some((text.strip_suffix(':')?, ""))) else {
            // A line of a longer value.
            let (section, _) = self.section?;
            return Some((section, self.name.as_str(), text.trim().trim_matches(quotes)));
        };
        let (name, value) = (name.trim().trim_matches(quotes), plain(value));
        let section = match name {
            "data" if !is_below => Some(Section::Data),
            "stringData" if !is_below => Some(Section::StringData),
            _ => None,
        };
        if let Some(section) = section {
            self.section = value.is_empty().then_some((section, indent));
            let brace = value.starts_with('{').then(|| line.find('{')).flatten();
            self.flow = brace.map(|brace| (brace, section));
            return None;
        }
        let (section, _) = self.section?;
        name.clone_into(&mut self.name);
        Some((section, self.name.as_str(), value.trim_matches(quotes)))
    }
}

/// A value without its tag, its anchor, its comment and the mark of a longer one.
fn plain(value: &str) -> &str {
    let mut value = value.trim();
    while value.starts_with(['!', '&']) {
        value = value.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
    }
    let value = if value.starts_with('#') { "" } else { value };
    let value = value.split(" #").next().unwrap_or_default().trim_end();
    if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") { "" } else { value }
}

/// The secret of the object in braces around an offset.
fn object(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let (start, end) = (opening(text, at)?, closing(text, at));
    let body = text.get(start..end)?;
    for (key, section) in
        [(b"stringData".as_slice(), Section::StringData), (b"data", Section::Data)]
    {
        let mut from = 0;
        while let Some(found) = body.get(from..).and_then(|rest| find(rest, key)) {
            from += found + key.len();
            if steps::is_spent(text.len()) {
                return None;
            }
            let is_word =
                body.get(from - key.len() - 1).is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let gap = body[from..]
                .iter()
                .take(16)
                .take_while(|byte| b" \t\r\n:\"'\\".contains(byte))
                .count();
            let is_object =
                body.get(from + gap) == Some(&b'{') && body[from..from + gap].contains(&b':');
            let secret =
                (is_word && is_object).then(|| section_object(text, start + from + gap, section));
            if let Some(secret) = secret.flatten() {
                return Some(secret);
            }
        }
    }
    None
}

/// The offset of the brace that opens the object around an offset.
fn opening(text: &[u8], at: usize) -> Option<usize> {
    let (mut depth, mut from) = (0usize, at);
    loop {
        let found = memchr::memrchr2(b'{', b'}', text.get(..from)?);
        steps::add(16 + (from - found.unwrap_or(0)) / 8);
        let brace = found?;
        from = brace;
        match (text[brace], depth) {
            (b'{', 0) => return Some(brace),
            (b'{', _) => depth -= 1,
            _ => depth += 1,
        }
    }
}

/// The offset of the brace that closes the object around an offset; the end of the text where there is none.
fn closing(text: &[u8], at: usize) -> usize {
    let (mut depth, mut from) = (0usize, at);
    while let Some(rest) = text.get(from..) {
        let found = memchr::memchr2(b'{', b'}', rest);
        steps::add(16 + found.unwrap_or(rest.len()) / 8);
        let Some(brace) = found else { break };
        from += brace + 1;
        match (text[from - 1], depth) {
            (b'}', 0) => return from - 1,
            (b'}', _) => depth -= 1,
            _ => depth += 1,
        }
    }
    text.len()
}

/// The secret among the pairs of the object that opens at an offset.
fn section_object(text: &[u8], brace: usize, section: Section) -> Option<DetectedSecret> {
    let end = closing(text, brace + 1);
    let body = text.get(brace + 1..end)?;
    steps::add(4 * body.len());
    let quote = [b'"', b'\''].into_iter().find(|quote| body.contains(quote));
    let mut place = brace + 1;
    let Some(quote) = quote else {
        return body.split(|byte| *byte == b',').find_map(|pair| {
            let at = place;
            place += pair.len() + 1;
            let (name, value) = str::from_utf8(pair).ok()?.split_once(':')?;
            let gap = at + name.len() + 1 + (value.len() - value.trim_start().len());
            let rule = rule_of(section, name.trim(), value.trim())?;
            Some(denying(rule, gap, gap + value.trim().len()))
        });
    };
    let (mut name, mut before): (String, &[u8]) = (String::new(), b"");
    for (index, piece) in body.split(|byte| *byte == quote).enumerate() {
        let at = place;
        place += piece.len() + 1;
        if index % 2 == 0 {
            before = piece;
            continue;
        }
        let Ok(piece) = str::from_utf8(piece) else { continue };
        let piece = piece.trim_end_matches('\\');
        if !before.contains(&b':') {
            piece.clone_into(&mut name);
        } else if let Some(rule) = rule_of(section, &name, piece) {
            return Some(denying(rule, at, at + piece.len()));
        }
    }
    None
}

/// The rule that a value of a manifest falls under.
pub(crate) fn rule_of(section: Section, name: &str, value: &str) -> Option<&'static str> {
    if is_secret(section, name, value) {
        Some(RULE)
    } else {
        is_word(section, name, value).then_some(WORD_RULE)
    }
}

fn is_secret(section: Section, name: &str, value: &str) -> bool {
    let is_named = is_sensitive(name);
    if section == Section::StringData {
        let is_given =
            value.len() >= 4 && is_named && !is_placeholder(value) && !value.starts_with('*');
        return is_given || is_random(value) || is_password(value);
    }
    let Some(text) = decoded(value) else { return is_random(value) };
    text.len() >= if is_named { 4 } else { 6 } && !is_placeholder(text.trim())
}

/// Whether a value is written out, and not a placeholder, an address or a switch.
fn is_word(section: Section, name: &str, value: &str) -> bool {
    let is_number = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    match section {
        Section::StringData => {
            let is_plain =
                value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-!+".contains(&byte));
            let is_code = is_number(value) && is_sensitive(name);
            is_code || value.len() >= 6 && is_plain && !is_placeholder(value) && !is_number(value)
        }
        Section::Data => decoded(value).is_some_and(|text| {
            let text = text.trim();
            is_number(text) && !is_sequence(text.as_bytes())
                || text.len() >= 4 && !is_placeholder(text)
        }),
    }
}

/// The text of a value in base64.
fn decoded(value: &str) -> Option<String> {
    let bytes = base64(value).filter(|_| value.len() >= 8 && value.len().is_multiple_of(4))?;
    let text = String::from_utf8(bytes).ok()?;
    let is_printable = text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'));
    is_printable.then_some(text)
}
