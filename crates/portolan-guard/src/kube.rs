//! Kubernetes manifests with secrets: base64 values under `data`, or plain ones under `stringData`.

use crate::blocks::{KEY_WINDOW, denying, find};
use crate::decode::base64;
use crate::finding::DetectedSecret;
use crate::random::{is_placeholder, is_random};

const RULE: &str = "kubernetes-secret";

/// `kind: Secret` on a line of its own, in a document or in an item of a list.
pub(crate) fn manifest(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let end = at + b"kind: Secret".len();
    let is_whole = matches!(text.get(end), None | Some(b'\n' | b'\r' | b' '));
    let from = at.saturating_sub(KEY_WINDOW);
    let before = text.get(from..at)?;
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lead = &before[line_start..];
    if !is_whole || !lead.iter().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    let start = from + object_start(&before[..line_start], lead);
    let mut values = SecretValues::default();
    let (mut place, window) = (start, text.get(start..text.len().min(at + KEY_WINDOW))?);
    for line in window.split_inclusive(|byte| *byte == b'\n') {
        let at_line = place;
        place += line.len();
        if at_line > at && ends_object(line, lead.len()) {
            break;
        }
        let Some(value) = values.next(line) else { continue };
        if is_secret(value) {
            let gap = at_line + find(line, value.as_bytes()).unwrap_or(0);
            return Some(denying(RULE, gap, gap + value.len()));
        }
    }
    None
}

/// Where the object starts, given the text before its `kind`.
fn object_start(before: &[u8], lead: &[u8]) -> usize {
    let mut start = before.len();
    if lead.contains(&b'-') {
        return start;
    }
    for line in before.split_inclusive(|byte| *byte == b'\n').rev() {
        let is_item = opens_item(line) == Some(lead.len());
        if ends_object(line, lead.len()) && !is_item {
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
    // An object has only one kind.
    let is_next = own == indent && text.starts_with(b"kind:");
    is_next || text.starts_with(b"---") || !text.is_empty() && own < indent
}

/// The indentation of the keys of the list item that a line starts.
fn opens_item(line: &[u8]) -> Option<usize> {
    let spaces = line.iter().take_while(|byte| **byte == b' ').count();
    line.get(spaces..)?.starts_with(b"- ").then_some(spaces + 2)
}

/// The values below `data` and `stringData`, line by line.
#[derive(Default)]
struct SecretValues {
    /// The indentation of the key that the lines are below.
    below: Option<usize>,
}

impl SecretValues {
    fn next<'l>(&mut self, line: &'l [u8]) -> Option<&'l str> {
        let line = str::from_utf8(line).ok()?;
        let text = line.trim_start_matches([' ', '-']);
        let indent = line.len() - text.len();
        if text.trim().is_empty() {
            return None;
        }
        if matches!(text.trim_end(), "data:" | "stringData:") {
            self.below = Some(indent);
            return None;
        }
        if self.below.is_none_or(|below| indent <= below) {
            self.below = None;
            return None;
        }
        let (name, value) = text.split_once(": ")?;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_name = !name.is_empty() && name.trim_matches(['"', '\'']).bytes().all(is_part);
        is_name.then(|| value.trim().trim_matches(['"', '\'']))
    }
}

/// `"kind": "Secret"` of an object in JSON.
pub(crate) fn object(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let from = at.saturating_sub(KEY_WINDOW / 4);
    let window = text.get(from..text.len().min(at + KEY_WINDOW))?;
    for key in [b"\"data\"".as_slice(), b"\"stringData\""] {
        let Some(start) = find(window, key) else { continue };
        let rest = &window[start + key.len()..];
        let gap = rest.iter().take_while(|byte| b" \t\r\n:{".contains(byte)).count();
        let object =
            &rest[gap..rest.iter().position(|byte| *byte == b'}').unwrap_or(rest.len()).max(gap)];
        // Names and values alternate.
        let texts = object.split(|byte| *byte == b'"').skip(1).step_by(2);
        for value in texts.skip(1).step_by(2) {
            let Ok(value) = str::from_utf8(value) else { continue };
            if is_secret(value) {
                let place = from + start + key.len() + find(rest, value.as_bytes()).unwrap_or(gap);
                return Some(denying(RULE, place, place + value.len()));
            }
        }
    }
    None
}

fn is_secret(value: &str) -> bool {
    let Some(decoded) = base64(value).filter(|_| value.len() >= 8 && value.len().is_multiple_of(4))
    else {
        return is_random(value);
    };
    let Ok(text) = String::from_utf8(decoded) else { return is_random(value) };
    let is_printable = text.chars().all(|c| !c.is_control() || c == '\n');
    is_printable && text.len() >= 6 && !is_placeholder(text.trim())
}
